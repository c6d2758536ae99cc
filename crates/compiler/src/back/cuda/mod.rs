//! CUDA C++ for a kernel: constants, tables, the tile, the kernel and its
//! launch function, in one namespace.

mod copies;
mod elements;
mod helpers;
mod launch;
mod rows;

use super::expr::ast_to_c;
use super::names::{Names, by_type, declarations, mentions, values, without_comments};
use super::text::Writer;
use crate::kernel::{Interval, KernelIr, Stencil};
use helpers::insert_helpers;
use std::fmt::Write;

/// Names the printer itself uses; source names that clash get a `_`.
const FIXED: &[&str] = &[
    "ROWS",
    "OUTER",
    "INNER",
    "LENGTH",
    "BYTES",
    "LANES",
    "STEP",
    "PLANES",
    "COUNT",
    "STRIDE",
    "Element",
    "HEX_H",
    "K",
    "PITCH",
    "DRIFT",
    "SHIFT",
    "B_MIN",
    "B_MAX",
    "BLOCK_X",
    "BLOCK_Y",
    "THREADS",
    "LAG",
    "SHARED_BYTES",
    "row_lo",
    "row_hi",
    "Args",
    "Wave",
    "args",
    "wave",
    "tile",
    "kernel",
    "launch",
    "a",
    "tx",
    "ty",
    "thread",
    "row",
    "relative",
    "copy_box",
    "copy_inside",
    "copy_out",
    "copy_out_ring",
    "copy_ring",
    "wrap",
    "copy",
    "move_rows",
    "partial_tile",
    "last_tile",
    "full_here",
    "full_next",
    "Reused",
    "reuse",
    "n",
    "c",
    "p",
    "p_lo",
    "p_hi",
    "p_last",
    "p_first",
    "n_hexagons",
    "n_blocks",
    "index",
    "bytes",
    "t_in",
    "value",
    "target",
    "shared_memory",
    "Full",
    "floor_div",
    "mod",
    "lowest",
    "highest",
    "full",
    "stream",
    "phase",
    "first",
    "last",
    "origin",
    "u0",
    "u_lo",
    "u_hi",
    "a_first",
    "a_end",
    "grid",
    "error",
    "s",
];

struct Cuda<'a> {
    ir: &'a KernelIr,
    names: Names,
    dims: Vec<String>,
    origins: Vec<String>,
    out: Writer,
}

/// The namespace with the kernel and `launch`.
pub fn print_kernel(ir: &KernelIr, header: &[String]) -> String {
    let mut names = argument_names(ir);
    let dims: Vec<String> = ir.stencil.dims.iter().map(|d| names.user(d)).collect();
    let origins = (0..dims.len())
        .map(|d| {
            let origin = names.fresh(&format!("{}0", ir.stencil.dims[d]));
            names.rename(&ir.origin_name(d), &origin);
            origin
        })
        .collect();
    let mut cuda = Cuda {
        ir,
        names,
        dims,
        origins,
        out: Writer {
            text: String::new(),
            depth: 0,
        },
    };
    for line in header {
        cuda.out.line(format!("// {line}").trim_end());
    }
    cuda.out.line(format!("namespace {} {{", ir.stencil.name));
    cuda.out.line("");
    cuda.constants();
    cuda.tables();
    cuda.arguments();
    cuda.tile();
    cuda.kernel();
    cuda.launch();
    cuda.out
        .line(format!("}} // namespace {}", ir.stencil.name));
    let text = cuda.out.text;
    insert_helpers(text, ir)
}

/// The namer with everything in `Args` named.
pub fn argument_names(ir: &KernelIr) -> Names {
    Names::of_stencil(FIXED, &ir.stencil)
}

/// The fields of `Args` for sizes, scalars and arrays.
pub(super) fn args_fields(stencil: &Stencil, names: &Names) -> Vec<String> {
    let mut lines: Vec<String> = (by_type(&values(stencil, names)).iter())
        .map(|(ty, names)| format!("{ty} {};", names.join(", ")))
        .collect();
    for array in &stencil.arrays {
        let extents: String = (array.extents.iter())
            .map(|e| format!("[{}]", ast_to_c(e, names)))
            .collect();
        let constant = if array.written { "" } else { "const " };
        let name = names.get(&array.name);
        lines.push(format!("{constant}{} *{name}; // {extents}", array.elem));
        if array.pitched {
            lines.push(format!(
                "int {name}_pitch; // bytes from row to row of {name}, a multiple of 16"
            ));
        }
    }
    lines
}

/// Marks where the constants end while the text grows.
const END_OF_CONSTANTS: &str = "<end of constants>\n";

impl Cuda<'_> {
    fn n_space(&self) -> usize {
        self.ir.stencil.dims.len() - 1
    }

    fn hex_dim(&self) -> usize {
        self.ir.schedule.hex_dim
    }

    fn dim(&self, j: usize) -> &str {
        &self.dims[j + 1]
    }

    fn origin(&self, j: usize) -> &str {
        &self.origins[j + 1]
    }

    /// Coordinate relative to the tile's origin.
    fn relative(&self, j: usize) -> String {
        format!("{}_r", self.dim(j))
    }

    fn width_name(&self, j: usize) -> String {
        format!("W_{}", self.dim(j))
    }

    /// What `print` prints at a depth, to go behind declarations of what it mentions.
    fn apart(&mut self, depth: usize, print: impl FnOnce(&mut Self)) -> String {
        let inner = Writer {
            text: String::new(),
            depth,
        };
        let outer = std::mem::replace(&mut self.out, inner);
        print(self);
        std::mem::replace(&mut self.out, outer).text
    }

    fn constants(&mut self) {
        let ir = self.ir;
        let s = &ir.schedule;
        let hex = &s.hexagon;
        let hex_name = self.dim(s.hex_dim).to_string();
        let b = ir.rows.iter().map(|r| r.points[s.hex_dim]);
        let all = b.fold(Interval::EMPTY, Interval::hull);
        let mut lines = vec![
            (
                format!("HEX_H = {}", hex.h),
                "h: a hexagon covers 2h + 2 logical time steps".to_string(),
            ),
            (
                format!("ROWS = {}", hex.height()),
                "rows of a tile, 2h + 2".to_string(),
            ),
            (
                format!("K = {}", s.k),
                "logical time steps per time step".to_string(),
            ),
            (
                format!("PITCH = {}", hex.width()),
                format!(
                    "distance of hexagons along {hex_name}, 2 w0 + 2 + floor(delta0 h) + floor(delta1 h), w0 = {}",
                    hex.w0
                ),
            ),
            (
                format!("DRIFT = {}", hex.drift()),
                "hexagons move by -DRIFT per time tile".to_string(),
            ),
            (
                format!("SHIFT = {}", hex.phase0_shift),
                "phase 0 lies to the left of phase 1 by this much".to_string(),
            ),
            (
                format!("B_MIN = {}, B_MAX = {}", all.lo, all.hi),
                format!("extent of a hexagon along {hex_name}"),
            ),
        ];
        for c in &s.classical {
            lines.push((
                format!("{} = {}", self.width_name(c.dim), c.w),
                format!("width of classical tiles along {}", self.dim(c.dim)),
            ));
        }
        if let Some(wavefront) = s.wavefront {
            lines.push((
                format!("LAG = {}", wavefront.lag),
                format!(
                    "tiles along {} by which a phase stays behind the one before it",
                    self.dim(wavefront.dim)
                ),
            ));
        }
        let [x, y] = ir.block.shape();
        lines.push((
            format!("BLOCK_X = {x}, BLOCK_Y = {y}, THREADS = BLOCK_X * BLOCK_Y"),
            String::new(),
        ));
        lines.push((format!("SHARED_BYTES = {}", ir.shared_bytes), String::new()));
        for (definition, comment) in lines {
            let comment = if comment.is_empty() {
                String::new()
            } else {
                format!(" // {comment}")
            };
            self.out
                .line(format!("constexpr int {definition};{comment}"));
        }
        self.out.line("");
        self.out.text.push_str(END_OF_CONSTANTS);
    }

    fn table(&mut self, name: &str, values: &[i64]) {
        let texts: Vec<String> = values.iter().map(ToString::to_string).collect();
        let one = format!(
            "__device__ constexpr short {name}[] = {{{}}};",
            texts.join(", ")
        );
        if one.len() <= 110 {
            self.out.line(one);
            return;
        }
        self.out
            .line(format!("__device__ constexpr short {name}[] = {{"));
        for chunk in texts.chunks(24) {
            self.out.line(format!("  {},", chunk.join(", ")));
        }
        self.out.line("};");
    }

    fn tables(&mut self) {
        let ir = self.ir;
        let hex = self.hex_dim();
        let hex_name = self.dim(hex).to_string();
        self.out.line(format!(
            "// Row a of a hexagon is {hex_name}0 + row_lo[a] .. {hex_name}0 + row_hi[a]: constraints (6), (8), (10), (12)."
        ));
        let rows: Vec<Interval> = ir.rows.iter().map(|r| r.points[hex]).collect();
        self.table("row_lo", &rows.iter().map(|r| r.lo).collect::<Vec<_>>());
        self.table("row_hi", &rows.iter().map(|r| r.hi).collect::<Vec<_>>());
        for (i, stmt) in ir.stencil.stmts.iter().enumerate() {
            let dims = self.keep_dims(i);
            if dims.is_empty() {
                continue;
            }
            self.out.line(format!(
                "// {} inside this box is read by this tile only and overwritten later: no store.",
                stmt.name
            ));
            for j in dims {
                let keep: Vec<Interval> = ir.rows.iter().map(|r| r.stmts[i].keep[j]).collect();
                let (lo, hi) = self.keep_names(i, j);
                if !self.keep_starts_with_rows(i, j) {
                    self.table(&lo, &keep.iter().map(|k| k.lo).collect::<Vec<_>>());
                }
                self.table(&hi, &keep.iter().map(|k| k.hi).collect::<Vec<_>>());
            }
        }
        self.out.line("");
    }

    fn arguments(&mut self) {
        let ir = self.ir;
        self.out.line("// Sizes, scalars and device arrays.");
        self.out.open("struct Args {");
        for line in args_fields(&ir.stencil, &self.names) {
            self.out.line(line);
        }
        self.out.close("};");
        self.out.line("");
        self.wave();
    }

    /// The struct that tells the kernel which tiles a launch executes.
    fn wave(&mut self) {
        let ir = self.ir;
        let hex = self.dim(self.hex_dim()).to_string();
        self.out.line(match ir.schedule.wavefront {
            None => "// The tiles of one launch: the hexagons of phase p, where phases count p = 0, 1, 2, .. over all time tiles.".to_string(),
            Some(w) => format!("// The tiles of one launch: all with LAG * p + (tile along {}) = index, where phases count p = 0, 1, 2, ..", self.dim(w.dim)),
        });
        self.out.open("struct Wave {");
        self.out.line("long long index;");
        self.out
            .line("long long p_first, n_blocks; // first phase, number of phases times n_hexagons");
        self.out
            .line("long long n_hexagons; // at most so many per phase");
        self.out.line("long long u_lo, u_hi; // logical time");
        self.out.line(format!(
            "long long {hex}_lo, {hex}_hi; // points along {hex}"
        ));
        for c in &ir.schedule.classical {
            let dim = self.dim(c.dim).to_string();
            self.out.line(format!(
                "long long {dim}_first, {dim}_last; // tiles along {dim}"
            ));
        }
        self.out.close("};");
        self.out.line("");
    }

    /// Declarations of those size and scalar arguments that `body` uses.
    fn argument_locals(&self, body: &str) -> Vec<String> {
        let mut lines = Vec::new();
        let body = &without_comments(body);
        let mut text = body.clone();
        let mut extents = Vec::new();
        for array in &self.ir.stencil.arrays {
            for d in 1..array.extents.len() {
                let name = self.extent_name(array, d);
                if mentions(body, &name) {
                    let value = ast_to_c(&array.extents[d], &self.names);
                    let _ = write!(text, " {value} ");
                    extents.push(format!("const long long {name} = {value};"));
                }
            }
        }
        lines.extend(declarations(&self.ir.stencil, &self.names, &text));
        for array in &self.ir.stencil.arrays {
            let name = self.names.get(&array.name);
            if mentions(&text, &name) {
                let constant = if array.written { "" } else { "const " };
                lines.push(format!(
                    "{constant}{} *const {name} = args.{name};",
                    array.elem
                ));
            }
            let pitch = self.pitch_name(array);
            if array.pitched && mentions(&text, &pitch) {
                lines.push(format!("const int {pitch} = args.{pitch};"));
            }
        }
        lines.extend(extents);
        lines
    }

    fn tile(&mut self) {
        let ir = self.ir;
        let body = self.apart(1, |cuda| {
            cuda.shared_pointers();
            cuda.element_functions();
            cuda.copy_in();
            cuda.rows();
            cuda.copy_out();
        });
        let mut params = vec!["const Args &args".to_string()];
        if ir.reuses() {
            params.push("bool reuse".to_string());
        }
        params.push("int a_first, int a_end".to_string());
        params.extend(self.origins.iter().map(|o| format!("long long {o}")));
        self.out.line("// One tile: copy-in, then its rows in order. Full tiles execute every point of every row.");
        if ir.reuses() {
            self.out.line("// With `reuse` the tile before left its columns in shared memory; with `Reused` the next one");
            self.out.line("// does the same with this tile's, so that values which only that one reads need no store.");
        }
        self.out.line(if ir.reuses() {
            "template <bool Full, bool Reused>"
        } else {
            "template <bool Full>"
        });
        self.out.open(format!(
            "__device__ __forceinline__ void tile({}) {{",
            params.join(", ")
        ));
        if mentions(&body, "tx") {
            self.out.line("const int tx = threadIdx.x;");
        }
        if mentions(&body, "ty") {
            self.out.line("const int ty = threadIdx.y;");
        }
        if mentions(&body, "thread") {
            self.out
                .line("const int thread = threadIdx.y * BLOCK_X + threadIdx.x;");
        }
        for line in self.argument_locals(&body) {
            self.out.line(line);
        }
        self.out.text.push_str(&body);
        self.out.close("}");
        self.out.line("");
    }
}
