//! Patches that blocks hold in registers, as part of the text of a stream that takes the launches of less steps.

use super::Printer;
use crate::kernel::stream::LANES;
use crate::kernel::warps::WarpsIr;

impl Printer<'_> {
    /// Sizes, with a remark.
    pub(super) fn patch_constants(&mut self, warps: &WarpsIr) {
        let tile = warps.tile;
        let [_, rows] = warps.patch_rows();
        let steps = match tile.steps() {
            steps if steps == self.ir.tile.steps => "STEPS".to_string(),
            steps => steps.to_string(),
        };
        let lines = [
            format!(
                "// Patches: a block holds {} rows of {} columns in registers for all time steps of a launch, {} rows of {} columns a",
                tile.rows * tile.warps,
                tile.width(),
                tile.rows,
                tile.columns
            ),
            "// thread. After each step warps hand their first and last rows to those above and below through shared memory.".to_string(),
            format!(
                "constexpr int PATCHES_STEPS = {steps}; // time steps of a launch, at most"
            ),
            format!("constexpr int PATCHES_THREADS = {};", LANES * tile.warps),
            format!(
                "constexpr int PATCHES_BYTES = {}; // of shared memory",
                warps.shared_bytes(self.ir)
            ),
            format!(
                "constexpr int PATCHES_ROWS = {rows}, PATCHES_RESULTS = {}; // rows and columns of results",
                warps.results(self.ir)
            ),
            String::new(),
        ];
        for line in lines {
            self.out.line(line);
        }
    }

    /// `plan_patches`: tiles as high as each other.
    pub(super) fn patch_plan(&mut self) {
        let i = &self.i;
        let text = format!(
            "\
// A block for each patch; those one below the other are equally high.
inline cudaError_t plan_patches(Pass &pass, unsigned &grid) {{
  const int height = pass.{i}_hi - pass.{i}_lo + 1, below = (height + PATCHES_ROWS - 1) / PATCHES_ROWS;
  pass.tiles = pass.beside;
  pass.rows = (height + below - 1) / below, grid = (unsigned)(pass.tiles * below);
  return cudaFuncSetAttribute(patches, cudaFuncAttributeMaxDynamicSharedMemorySize, PATCHES_BYTES);
}}
"
        );
        self.out.text.push_str(&text);
    }

    /// Whether launches of patches can be taken, as a condition of the launch function.
    pub(super) fn patches_are_worth_it(&mut self) -> &'static str {
        let lanes = WarpsIr::lanes(self.ir);
        let (i, j) = (&self.i, &self.j);
        let lines = [
            "// Patches: their first column of results is a multiple of what is stored at once."
                .to_string(),
            format!("const long long first_tile = floor_div({j}_lo, {lanes}) * {lanes};"),
            format!("bool holds = highest({i}_hi - {i}_lo, {j}_hi - {j}_lo) <= 1 << 26;"),
        ];
        for line in lines {
            self.out.line(line);
        }
        self.elements_have_numbers("holds");
        self.compare_buffers("holds");
        self.decided("holds", false);
        "holds"
    }
}
