//! The kernel whose warps are a pipeline in time, as part of the text of a stream that takes the launches of
//! less steps.

use super::Printer;
use crate::back::expr::ast_to_c;
use crate::back::names::Names;
use crate::ir::VarId;
use crate::kernel::stream::{Domain, LANES};
use crate::kernel::warps::{self, COST_OF_ROW, Param, Shared, WarpsIr};
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

    /// What the kernel whose warps work together is called; its constants are, in capitals.
    pub(super) fn called(&self) -> &'static str {
        let shared = self.ir.warps.as_ref().map(|warps| warps.tile.shared);
        shared.map_or("", |shared| shared.kernel().name())
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
        if warps.tile.is_patch() {
            return self.patch_constants(warps);
        }
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
            Param::Column(0) => "pass.first_tile".to_string(),
            Param::Column(1) => "pass.inner_tiles".to_string(),
            Param::Column(_) => "pass.last_tile".to_string(),
            Param::Tiles => "pass.tiles".to_string(),
            Param::Share => "pass.rows".to_string(),
            Param::Time => "pass.t0".to_string(),
            Param::Steps => "pass.steps".to_string(),
            Param::Array(a) => format!("args.{}", names.get(&self.ir.stencil.arrays[*a].name)),
        }
    }

    /// `plan_pipelined`: equal shares of the rows of all tiles for as many blocks as run at once.
    pub(super) fn warps_plan(&mut self) {
        let Some(warps) = &self.ir.warps else {
            return;
        };
        if warps.tile.is_patch() {
            return self.patch_plan();
        }
        let i = &self.i;
        let [end, inner] = COST_OF_ROW;
        let text = format!(
            "\
// Equal shares of the rows of all tiles, for as many blocks as run at once. In the first and in the last one cells are tested, so
// that a row takes longer.
inline cudaError_t plan_pipelined(Pass &pass, unsigned &grid) {{
  int device = 0, processors = 0, resident = 0;
  cudaError_t error = cudaGetDevice(&device);
  if (error == cudaSuccess) error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  if (error == cudaSuccess) error = cudaFuncSetAttribute(pipelined, cudaFuncAttributeMaxDynamicSharedMemorySize, PIPELINED_BYTES);
  if (error == cudaSuccess) error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, pipelined, PIPELINED_THREADS, PIPELINED_BYTES);
  if (error != cudaSuccess) return error;
  pass.tiles = (pass.last_tile - pass.first_tile + PIPELINED_RESULTS - 1) / PIPELINED_RESULTS + 1;
  const long long at_once = highest(1, (long long)processors * resident), rows = (long long)pass.{i}_hi - pass.{i}_lo + 1 + PIPELINED_EXTRA;
  const long long work = rows * ({end} * 2 + {inner} * (pass.tiles - 2));
  pass.rows = (int)((work + at_once - 1) / at_once), grid = (unsigned)((work + pass.rows - 1) / pass.rows);
  return cudaSuccess;
}}
"
        );
        self.out.text.push_str(&text);
    }

    /// Whether launches of pipelined warps are worth it, as a condition of the launch function.
    pub(super) fn warps_are_worth_it(&mut self) -> Option<&'static str> {
        let warps = self.ir.warps.as_ref()?;
        if warps.tile.is_patch() {
            return Some(self.patches_are_worth_it());
        }
        let least = warps.least_rows;
        let (i, j) = (&self.i, &self.j);
        let rows = format!(
            "({i}_hi - {i}_lo + 1 + PIPELINED_EXTRA) * (({j}_hi - {j}_lo) / PIPELINED_RESULTS + 2)"
        );
        let lanes = WarpsIr::lanes(self.ir);
        let (lowest, highest) = self.ends_of_columns();
        let lines = [
            "// Pipelined warps: the first columns of results of the first tile, of others at most, and of the last one, which".to_string(),
            "// are multiples of what is stored at once. Cells are tested where the first and the last one may need it.".to_string(),
            format!("const long long first_tile = floor_div({j}_lo, {lanes}) * {lanes}, last_tile = floor_div({j}_hi + {lanes}, {lanes}) * {lanes} - PIPELINED_RESULTS;"),
            format!("const long long inner_tiles = floor_div({highest} + 1 + PIPELINED_LEFT - PIPELINED_COLUMNS, {lanes}) * {lanes};"),
            format!("bool pipelines = first_tile + PIPELINED_RESULTS - PIPELINED_LEFT >= {lowest} && inner_tiles >= first_tile + PIPELINED_RESULTS && inner_tiles + PIPELINED_RESULTS >= last_tile;"),
            format!("pipelines = pipelines && {rows} >= {least} && {rows} <= 1 << 27; // blocks repeat rows where they begin"),
        ];
        for line in lines {
            self.out.line(line);
        }
        if warps::updates(self.ir).next().is_some() {
            self.out.line(format!(
                "pipelines = pipelines && highest({i}_hi, {j}_hi) <= 1 << 26; // where updates are is told by multiples of these"
            ));
        }
        self.elements_have_numbers("pipelines");
        self.compare_buffers("pipelines");
        self.decided("pipelines", false);
        Some("pipelines")
    }

    /// Elements of a plane have numbers of 32 bits.
    pub(super) fn elements_have_numbers(&mut self, worth: &str) {
        let mut planes: Vec<String> = (0..self.ir.fields.len())
            .map(|f| {
                let array = self.names.get(&self.array(f).name);
                let rows = self.plane_rows(f);
                format!("(unsigned long long){rows} * (unsigned long long)args.{array}_pitch / sizeof({}) <= UINT_MAX", self.elem(f))
            })
            .collect();
        planes.dedup();
        let line = format!(
            "{worth} = {worth} && {}; // elements of a plane have such numbers",
            planes.join(" && ")
        );
        self.out.line(line);
    }

    /// The largest first and the smallest last column that the statement of a field writes.
    fn ends_of_columns(&self) -> (String, String) {
        let (mut lowest, mut highest) = (Vec::new(), Vec::new());
        for field in &self.ir.fields {
            if let Domain::Box(ranges) = &field.pieces[0].domain {
                lowest.push(ast_to_c(&ranges[1].lo, &self.names));
                highest.push(ast_to_c(&ranges[1].hi, &self.names));
            }
        }
        let all = |mut bounds: Vec<String>, of: &str| {
            bounds.sort();
            bounds.dedup();
            let first = bounds.pop().unwrap_or_default();
            (bounds.iter()).fold(format!("({first})"), |all, bound| {
                format!("{of}({all}, {bound})")
            })
        };
        (all(lowest, "highest"), all(highest, "lowest"))
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
    pub(super) fn compare_buffers(&mut self, worth: &str) {
        let fields = self.compared_fields();
        if fields.is_empty() {
            return;
        }
        let who = match self.has_patches() {
            true => "Patches",
            false => "Pipelined warps",
        };
        self.out.line(format!("// {who} do not tell apart what time buffers hold in cells that are never written. This waits for"));
        self.out.line("// what `compare` finds.");
        self.out.open(format!("if ({worth}) {{"));
        self.compare_fields(&fields);
        self.out.line("if (error != cudaSuccess) return error;");
        self.out.line(format!("{worth} = !differ;"));
        self.out.close("}");
    }

    /// The same as fields of `Pass`.
    pub(super) fn first_columns_of_pass(&mut self) {
        match self.ir.warps.as_ref().map(|warps| warps.tile.shared) {
            Some(Shared::Steps) => self.out.line("int first_tile, beside, steps; // first column of results of the first patch, patches beside each other, their time steps"),
            Some(Shared::Columns) => self.out.line("int first_tile, inner_tiles, last_tile; // first columns of results: of the first tile, of others at most, of the last one"),
            None => {}
        }
    }

    /// Where the tiles of pipelined warps begin.
    pub(super) fn first_columns(&mut self) {
        let j = &self.j;
        match self.ir.warps.as_ref().map(|warps| warps.tile.shared) {
            Some(Shared::Steps) => self.out.line(format!("pass.first_tile = (int)first_tile, pass.beside = (int)(({j}_hi - first_tile) / PATCHES_RESULTS + 1);")),
            Some(Shared::Columns) => self.out.line("pass.first_tile = (int)first_tile, pass.inner_tiles = (int)inner_tiles, pass.last_tile = (int)last_tile;"),
            None => {}
        }
    }
}
