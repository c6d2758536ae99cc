//! The kernel whose warps are a pipeline in time, as part of the text of a stream that takes the launches of
//! less steps.

use super::Printer;
use crate::back::expr::ast_to_c;
use crate::back::names::Names;
use crate::ir::VarId;
use crate::kernel::stream::{Domain, LANES};
use crate::kernel::warps::{COST_OF_ROW, Param, WarpsIr};
use crate::print::cuda::{Parameters, kernels_of_blocks};

/// What the text around the kernel defines and the kernel uses.
const FIXED: &[&str] = &[
    "Args",
    "Pass",
    "args",
    "pass",
    "kernel",
    "tile",
    "full",
    "narrow",
    "lowest",
    "highest",
    "floor_div",
    "push",
];

impl Printer<'_> {
    /// The numbers of steps of launches, the most first.
    pub(super) fn launch_sizes(&self) -> Vec<i64> {
        let mut sizes = self.ir.step_sizes();
        if let Some(warps) = &self.ir.warps {
            let steps = warps.tile.steps();
            sizes.retain(|s| *s != steps);
            sizes.insert(0, steps);
        }
        sizes
    }

    /// The kernel and what it calls.
    pub(super) fn warps(&mut self) {
        let ir = self.ir;
        let Some(warps) = &ir.warps else {
            return;
        };
        let Some((program, params)) = &warps.kernel else {
            return;
        };
        self.warps_constants(warps);
        let stencil = &ir.stencil;
        let mut names = self.names.clone();
        let scalars = stencil.scalars.iter().map(|(name, _)| name);
        for name in stencil.params.iter().chain(scalars) {
            names.rename(name, &format!("args.{}", self.names.get(name)));
        }
        let values: Vec<(VarId, String)> = (params.iter())
            .map(|(id, param)| (*id, self.parameter(param, &names)))
            .collect();
        let value = |wanted| {
            let found = values.iter().find(|(id, _)| *id == wanted);
            found.map_or_else(String::new, |(_, value)| value.clone())
        };
        let given = Parameters {
            list: "const __grid_constant__ Args args, const __grid_constant__ Pass pass",
            value: &value,
        };
        let mut names = Names::new(FIXED);
        for cell in &stencil.cells {
            names.fresh(&cell.name);
        }
        let text = kernels_of_blocks(program, &names, &given);
        self.out.text.push_str(text.trim_start_matches('\n'));
        self.out.line("");
    }

    fn warps_constants(&mut self, warps: &WarpsIr) {
        let ir = self.ir;
        let tile = warps.tile;
        let lines = [
            format!(
                "// Warps as a pipeline in time: all {} warps of a block own the same {} columns, {} a lane. Each advances rows by",
                tile.warps,
                tile.width(),
                tile.columns
            ),
            format!(
                "// {} time steps and hands them on through a ring of rows in shared memory, a barrier every {} rows.",
                tile.levels, tile.rows
            ),
            format!(
                "constexpr int PIPELINED_STEPS = {}; // time steps of a launch",
                tile.steps()
            ),
            format!("constexpr int PIPELINED_THREADS = {};", LANES * tile.warps),
            format!(
                "constexpr int PIPELINED_BYTES = {}; // of shared memory",
                warps.shared_bytes(ir)
            ),
            format!("constexpr int PIPELINED_COLUMNS = {};", tile.width()),
            format!(
                "constexpr int PIPELINED_LEFT = {}, PIPELINED_RESULTS = {}; // columns before results, results",
                warps.left(ir),
                warps.results(ir)
            ),
            format!(
                "constexpr int PIPELINED_EXTRA = {}; // rows in excess of those of results",
                warps.extra()
            ),
            String::new(),
        ];
        for line in lines {
            self.out.line(line);
        }
    }

    /// The value of a parameter of the kernel.
    fn parameter(&self, param: &Param, names: &Names) -> String {
        let field = |f: &usize| &self.fields[*f];
        match param {
            Param::Scalar(s) => names.get(&self.ir.stencil.scalars[*s].0),
            Param::Size(p) => format!("narrow({})", names.get(&self.ir.stencil.params[*p])),
            Param::In(f, age) => format!("pass.{}_in[{age}]", field(f)),
            Param::Kept(f, age) => format!("pass.{}_kept[{age}]", field(f)),
            Param::Out(f, age) => format!("pass.{}_out[{age}]", field(f)),
            Param::Pitch(f) => format!(
                "args.{}_pitch / (int)sizeof({})",
                names.get(&self.array(*f).name),
                self.elem(*f)
            ),
            Param::Extent(f, d) => {
                let extents = &self.array(*f).extents;
                let extent = extents.get(extents.len() - 2 + d);
                format!(
                    "narrow({})",
                    extent.map_or_else(String::new, |e| ast_to_c(e, names))
                )
            }
            Param::Domain(f, d, which) => {
                let Domain::Box(ranges) = &self.ir.fields[*f].pieces[0].domain else {
                    return "0".to_string();
                };
                let lo = ast_to_c(&ranges[*d].lo, names);
                match which {
                    0 => format!("narrow({lo})"),
                    _ => {
                        let hi = ast_to_c(&ranges[*d].hi, names);
                        format!("narrow(highest(({hi}) - ({lo}) + 1, 0))")
                    }
                }
            }
            Param::Rows(0) => format!("pass.{}_lo", self.i),
            Param::Rows(_) => format!("pass.{}_hi", self.i),
            Param::Column => format!("pass.{}_lo", self.j),
            Param::Tiles(0) => "pass.tiles".to_string(),
            Param::Tiles(_) => "pass.chunks".to_string(),
            Param::Share => "pass.rows".to_string(),
        }
    }

    /// `plan_pipelined`: equal shares of the rows of all tiles for as many blocks as run at once.
    pub(super) fn warps_plan(&mut self) {
        if self.ir.warps.is_none() {
            return;
        }
        let (i, j) = (&self.i, &self.j);
        let [end, inner] = COST_OF_ROW;
        let text = format!(
            "\
// Equal shares of the rows of all tiles, for as many blocks as run at once. The tiles at both ends of rows come first, of
// which there are pass.chunks; their cells are tested, so that a row takes longer.
inline cudaError_t plan_pipelined(Pass &pass, unsigned &grid) {{
  int device = 0, processors = 0, resident = 0;
  cudaError_t error = cudaGetDevice(&device);
  if (error == cudaSuccess) error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  if (error == cudaSuccess) error = cudaFuncSetAttribute(pipelined, cudaFuncAttributeMaxDynamicSharedMemorySize, PIPELINED_BYTES);
  if (error == cudaSuccess) error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, pipelined, PIPELINED_THREADS, PIPELINED_BYTES);
  if (error != cudaSuccess) return error;
  for (pass.chunks = 1; pass.chunks < pass.tiles; ++pass.chunks)
    if (pass.{j}_lo + (pass.tiles - pass.chunks) * PIPELINED_RESULTS - PIPELINED_LEFT + PIPELINED_COLUMNS - 1 <= pass.{j}_hi) break;
  const long long at_once = highest(1, (long long)processors * resident), rows = (long long)pass.{i}_hi - pass.{i}_lo + 1 + PIPELINED_EXTRA;
  const long long work = rows * ({end} * pass.chunks + {inner} * (pass.tiles - pass.chunks));
  pass.rows = (int)((work + at_once - 1) / at_once), grid = (unsigned)((work + pass.rows - 1) / pass.rows);
  return cudaSuccess;
}}
"
        );
        self.out.text.push_str(&text);
    }

    /// Whether launches of pipelined warps are worth it, as a condition of the launch function.
    pub(super) fn warps_are_worth_it(&mut self) -> Option<&'static str> {
        let least = self.ir.warps.as_ref()?.least_rows;
        self.out.line("cudaError_t error = cudaSuccess;");
        let (i, j) = (&self.i, &self.j);
        let rows = format!(
            "({i}_hi - {i}_lo + 1 + PIPELINED_EXTRA) * (({j}_hi - {j}_lo) / PIPELINED_RESULTS + 2)"
        );
        let line = format!(
            "bool pipelines = {rows} >= {least} && {rows} <= 1 << 27; // blocks repeat rows where they begin"
        );
        self.out.line(line);
        self.compare_buffers();
        Some("pipelines")
    }

    /// Fields whose time buffers may hold different values in cells that are never written.
    fn compared_fields(&self) -> Vec<usize> {
        let fields = 0..self.ir.fields.len();
        fields
            .filter(|&f| self.buffers(f) > 1 && self.ir.live(f) > 0)
            .collect()
    }

    /// `compare`, where it is needed.
    pub(super) fn warps_comparison(&mut self) {
        if self.ir.warps.is_some() && !self.compared_fields().is_empty() {
            self.out.text.push_str(super::planes::COMPARE);
        }
    }

    /// Finds out whether time buffers hold different values in cells that are never written: pipelined warps do
    /// not tell them apart.
    fn compare_buffers(&mut self) {
        let fields = self.compared_fields();
        if fields.is_empty() {
            return;
        }
        self.out.line("// Pipelined warps do not tell apart what time buffers hold in cells that are never written. This waits for");
        self.out.line("// what `compare` finds.");
        self.out.open("if (pipelines) {");
        self.compare_fields(&fields);
        self.out.line("if (error != cudaSuccess) return error;");
        self.out.line("pipelines = !differ;");
        self.out.close("}");
    }

    /// The first column of results, rounded down so that lanes load and store whole words.
    pub(super) fn first_column(&mut self, j: &str) {
        let lanes = self.ir.warps.as_ref().map(|_| WarpsIr::lanes(self.ir));
        match lanes {
            Some(lanes) if lanes > self.ir.tile.vector => self.out.line(format!(
                "pass.{j}_lo = (int)floor_div({j}_lo, {lanes}) * {lanes}; // every lane's columns start at a multiple"
            )),
            _ => self.out.line(format!("pass.{j}_lo = (int)floor_div({j}_lo, V) * V; // every lane's columns start at a multiple of V")),
        }
        if lanes.is_some() {
            self.out.line(format!("pass.{j}_hi = (int){j}_hi;"));
        }
    }
}
