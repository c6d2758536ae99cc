//! CUDA C++ for a kernel of overlapped tiling that streams through registers.

use super::arguments::args_fields;
use super::expr::{HELPERS, Row, ast_operand, ast_to_c, body_with, quotients};
use super::names::{Names, declarations, mentions, without_comments};
use super::program::Workspace;
use super::text::{Writer, add_constant};
use crate::kernel::stream::{Domain, FIRST_COLUMN, Field, Growth, HIGHEST_ROW, LOWEST_ROW, Piece};
use crate::kernel::stream::{StreamIr, StreamRead};
use crate::kernel::{KernelAccess, KernelStmt, Sub};
use std::ops::Range;

pub(super) mod around;
mod counts;
mod keep;
mod patches;
mod planes;
mod records;
pub(super) mod slabs;
mod warps;

/// Names the printer itself uses; source names that clash get a `_`.
const FIXED: &[&str] = &[
    "V",
    "STEPS",
    "AHEAD",
    "WARPS",
    "THREADS",
    "MIN_BLOCKS",
    "LAG",
    "UNROLL",
    "END",
    "Element",
    "LEFT",
    "RIGHT",
    "DEPTH",
    "BYTES",
    "Steps",
    "Full",
    "Flag",
    "advance",
    "ends",
    "Reach",
    "BEFORE",
    "EXTRA",
    "FIRST_LANE",
    "LANES",
    "WIDTH",
    "Row",
    "Bytes",
    "Args",
    "Pass",
    "args",
    "pass",
    "tile",
    "full",
    "kernel",
    "launch",
    "push",
    "row",
    "load",
    "store",
    "narrow",
    "lane",
    "n",
    "u",
    "v",
    "c",
    "d",
    "k",
    "s",
    "newest",
    "next",
    "tiny",
    "compute",
    "exactly",
    "EXACTLY",
    "value",
    "in",
    "out",
    "kept",
    "at",
    "stores",
    "i_first",
    "i_last",
    "i_low",
    "i_high",
    "j_first",
    "index",
    "column",
    "chunk",
    "tiles",
    "chunks",
    "rows",
    "error",
    "stream",
    "sizes",
    "count",
    "left",
    "launches",
    "in_next",
    "last",
    "plan",
    "end_rows",
    "end_chunks",
    "height",
    "waves",
    "blocks",
    "device",
    "processors",
    "at_once",
    "resident",
    "part",
    "end_n",
    "extra",
    "flag",
    "rest",
    "inner",
    "end",
    "cost",
    "best",
    "mod",
    "floor_div",
    "lowest",
    "highest",
    "x",
    "away",
    "from",
    "to",
    "begin",
    "piece",
    "pitch",
    "width",
    "COUNT",
    "first_tile",
    "inner_tiles",
    "last_tile",
    "pipelines",
    "holds",
];

/// More names, in three space dimensions.
#[rustfmt::skip]
const FIXED_PLANES: &[&str] = &[
    "R", "COLS", "ROWS", "ABOVE", "BELOW", "HEIGHT", "PAGE", "FIRST", "Patch", "Columns", "Bits", "Shape",
    "planes", "plane", "load_row", "store_row", "columns", "publish", "inside", "has", "compare", "cells", "first",
    "memory", "warp", "above", "below", "results", "r", "offset", "written", "page", "former", "place", "level",
    "differ", "bytes", "depth", "slot", "before", "Ring", "SLOTS", "fetch", "taken",
];

struct Printer<'a> {
    ir: &'a StreamIr,
    names: Names,
    /// Names of the fields' rows.
    fields: Vec<String>,
    /// Of the streamed dimension (an unused name without one) and the contiguous one.
    i: String,
    j: String,
    /// Of the dimension between, in three space dimensions.
    middle: String,
    t: String,
    /// What launches the kernel.
    launch: String,
    /// Whether planes that the program has apart are where it has them.
    apart: bool,
    out: Writer,
}

/// How the function that launches the kernel begins.
fn launch_head(name: &str, is_slab: bool) -> String {
    let slab = slabs::parameter(is_slab);
    format!("inline cudaError_t {name}(const Args &args, cudaStream_t stream{slab}) {{")
}

/// The memory that the kernel needs beside the arrays.
pub fn workspaces(ir: &StreamIr) -> Vec<Workspace> {
    let mut names = stream_names(ir);
    let fields = field_names(ir, &mut names);
    (ir.fields.iter().enumerate())
        .filter(|(f, _)| ir.live(*f) > 0)
        .map(|(f, field)| Workspace {
            field: format!("{}_next", fields[f]),
            array: field.array,
            n_space: ir.pipeline.n_space,
            planes: ir.live(f),
        })
        .collect()
}

/// Names of the fields: those of their arrays, with the constant subscripts that tell
/// several fields of one array apart.
fn field_names(ir: &StreamIr, names: &mut Names) -> Vec<String> {
    (ir.fields.iter())
        .map(|field| {
            let array = &ir.stencil.arrays[field.array].name;
            let constants: Vec<i64> = (field.plane.iter())
                .filter_map(|sub| match sub {
                    Sub::Const(c) => Some(*c),
                    _ => None,
                })
                .collect();
            if constants.is_empty() {
                return names.get(array);
            }
            let suffix: String = constants.iter().map(|c| format!("_{c}")).collect();
            names.fresh(&format!("{array}{suffix}"))
        })
        .collect()
}

/// The namer with everything in `Args` named.
pub fn stream_names(ir: &StreamIr) -> Names {
    let slabs = ir.slab.iter().flat_map(|_| slabs::FIXED);
    let beside = (ir.around.iter().flat_map(|_| around::FIXED)).chain(slabs);
    let records = ir.records.first().map_or(&[][..], |_| records::FIXED);
    let fixed: Vec<&str> = match ir.has_planes() {
        true => {
            let of_rows = FIXED.iter().filter(|name| **name != "k");
            let planes = of_rows.chain(FIXED_PLANES).chain(records);
            planes.chain(beside).copied().collect()
        }
        false => FIXED.iter().chain(records).chain(beside).copied().collect(),
    };
    Names::of_stencil(&fixed, &ir.stencil)
}

/// The namespace with the kernel and the function that launches it. Where planes are `apart`, `Args` has a pointer to each
/// ([`StreamIr::is_apart`]); where the program goes steps that it may `keep` the start of, there is a function for that.
pub fn print_stream(
    ir: &StreamIr,
    header: &[String],
    launch: &str,
    [apart, keep]: [bool; 2],
) -> String {
    let mut names = stream_names(ir);
    for name in [LOWEST_ROW, HIGHEST_ROW, FIRST_COLUMN] {
        names.rename(name, in_c(name));
    }
    let fields = field_names(ir, &mut names);
    let (i, j) = ir.dims();
    let i = match i {
        Some(i) => names.user(i),
        None => names.fresh("i"),
    };
    let (j, t) = (names.user(j), names.user(&ir.stencil.dims[0]));
    let middle = match ir.has_planes() {
        true => names.user(&ir.stencil.dims[2]),
        false => String::new(),
    };
    let mut p = Printer {
        ir,
        names,
        fields,
        i,
        j,
        middle,
        t,
        launch: launch.to_string(),
        apart,
        out: Writer {
            text: String::new(),
            depth: 0,
        },
    };
    for line in header {
        p.out.line(format!("// {line}").trim_end());
    }
    p.out.line(format!("namespace {} {{", ir.stencil.name));
    p.out.line("");
    if ir.has_planes() {
        p.plane_constants();
        p.structs();
        p.plane_kernel();
    } else {
        p.constants();
        p.structs();
        p.full();
        p.tile();
        p.kernel();
        p.warps();
        p.warps_comparison();
    }
    p.wrap();
    p.launch();
    if keep {
        p.keep();
    }
    p.out.line(format!("}} // namespace {}", ir.stencil.name));
    with_helpers(p.out.text, &ir.stencil.name)
}

/// The identifier of one of the names in [`StreamIr::full`].
fn in_c(name: &str) -> &str {
    name.trim_end_matches('\'')
}

/// Puts the functions of integers that a namespace calls at its start.
pub(super) fn with_helpers(text: String, namespace: &str) -> String {
    let mut helpers = String::new();
    for helper in HELPERS.iter().filter(|h| mentions(&text, h.name)) {
        if !helper.comment.is_empty() {
            helpers.push_str(&format!("// {}\n", helper.comment));
        }
        helpers.push_str(&helper.definition("__host__ __device__ constexpr"));
    }
    if !helpers.is_empty() {
        helpers.push('\n');
    }
    let start = format!("namespace {namespace} {{\n\n");
    text.replacen(&start, &format!("{start}{helpers}"), 1)
}

/// What a lane holds and how it moves; the same for every stencil.
const ROWS: &str = r"// V columns of a row in each lane, with those it needs of the lanes before and after it.
template <typename Element, int LEFT, int RIGHT> struct Row {
  Element x[LEFT + V + RIGHT];
  __device__ __forceinline__ Element &operator[](int column) { return x[LEFT + column]; }
  // Takes the columns outside from the lanes that own them.
  __device__ __forceinline__ void exchange() {
#pragma unroll
    for (int c = 1; c <= LEFT; ++c) {
      const int away = (c + V - 1) / V;
      (*this)[-c] = __shfl_up_sync(~0u, (*this)[V * away - c], away);
    }
#pragma unroll
    for (int c = 1; c <= RIGHT; ++c) {
      const int away = (c + V - 1) / V;
      (*this)[V - 1 + c] = __shfl_down_sync(~0u, (*this)[c - 1 - V * (away - 1)], away);
    }
  }
};
// Adds a row to those held; 0 is the newest.
template <int DEPTH, typename Row> __device__ __forceinline__ void push(Row (&rows)[DEPTH], const Row &newest) {
#pragma unroll
  for (int d = DEPTH - 1; d > 0; --d) rows[d] = rows[d - 1];
  rows[0] = newest;
}
";

/// Addresses of rows.
const ADDRESSES: &str = r"// Row number r of an array whose rows lie `pitch` bytes apart.
template <typename Element> __device__ __host__ __forceinline__ Element *row(Element *array, long long r, long long pitch) {
  return (Element *)((char *)array + r * pitch);
}
";

/// A constant as an argument.
const FLAG: &str = r"// A constant that can be passed on.
template <bool B> struct Flag { static constexpr bool value = B; };
";

/// What moves between memory and lanes.
const MOVES: &str = r"// A coordinate; far outside of every array where it does not fit.
__device__ constexpr int narrow(long long x) { return (int)lowest(highest(x, -(1 << 30)), 1 << 30); }
// What one instruction moves: as many of a lane's V columns as have an aligned address.
template <typename Element> constexpr int piece = V * sizeof(Element) % 16 == 0 ? 16 : V * sizeof(Element) % 8 == 0 ? 8 : 4;
template <typename Element> struct alignas(piece<Element>) Bytes {
  static constexpr int COUNT = piece<Element> / sizeof(Element);
  Element x[COUNT];
};
";

/// Loads and stores of rows.
const LOADS: &str = r"template <typename Element, int LEFT, int RIGHT> __device__ __forceinline__ void load(Row<Element, LEFT, RIGHT> &row, const Element *from) {
#pragma unroll
  for (int c = 0; c < V; c += Bytes<Element>::COUNT) {
    const Bytes<Element> next = *(const Bytes<Element> *)(from + c);
#pragma unroll
    for (int v = 0; v < Bytes<Element>::COUNT; ++v) row[c + v] = next.x[v];
  }
}
template <typename Element, int LEFT, int RIGHT> __device__ __forceinline__ void store(Row<Element, LEFT, RIGHT> &row, Element *to) {
#pragma unroll
  for (int c = 0; c < V; c += Bytes<Element>::COUNT) {
    Bytes<Element> next;
#pragma unroll
    for (int v = 0; v < Bytes<Element>::COUNT; ++v) next.x[v] = row[c + v];
    *(Bytes<Element> *)(to + c) = next;
  }
}
";

/// `1 * Steps + 2` without zeros and ones.
fn growth(g: Growth) -> String {
    let steps = match g.per_step {
        0 => return g.constant.to_string(),
        1 => "Steps".to_string(),
        n => format!("{n} * Steps"),
    };
    add_constant(&steps, g.constant)
}

impl Printer<'_> {
    fn streams(&self) -> bool {
        self.ir.pipeline.stream.is_some()
    }

    fn elem(&self, f: usize) -> String {
        self.array(f).elem.to_string()
    }

    fn array(&self, f: usize) -> &crate::kernel::KernelArray {
        &self.ir.stencil.arrays[self.ir.fields[f].array]
    }

    fn buffers(&self, f: usize) -> i64 {
        self.ir.pipeline.stages[f].buffers
    }

    fn row_type(&self, f: usize) -> String {
        let (left, right) = self.ir.fields[f].margin;
        format!("Row<{}, {left}, {right}>", self.elem(f))
    }

    /// Index of level q (in terms of `level`, the text for a number) among the rows held.
    fn level(&self, f: usize, text: &str, constant: i64) -> String {
        add_constant(text, constant + self.buffers(f) - 1)
    }

    fn constants(&mut self) {
        let ir = self.ir;
        let tile = ir.tile;
        let dim = self.i.clone();
        let mut lines = vec![
            (
                format!("V = {}", tile.vector),
                "neighbouring columns of a lane".to_string(),
            ),
            (
                format!("STEPS = {}", tile.steps),
                "T: time steps of a launch".to_string(),
            ),
            (
                format!("WARPS = {}, THREADS = 32 * WARPS", tile.warps),
                "of a block; every warp has a tile of its own".to_string(),
            ),
        ];
        if ir.pipeline.step_lag > 0 {
            lines.push((
                format!("LAG = {}", ir.pipeline.step_lag),
                format!("rows along {dim} by which a time step follows the one before"),
            ));
        }
        if self.streams() {
            lines.push((
                format!("AHEAD = {}", tile.ahead),
                "rows that are loaded ahead".to_string(),
            ));
            lines.push((
                format!("UNROLL = {}", ir.unroll()),
                "rows after which registers have the same meaning again".to_string(),
            ));
            lines.push((
                "END = 3".to_string(),
                "how many times higher tiles are than those at the ends of rows".to_string(),
            ));
        }
        for (definition, comment) in lines {
            self.out
                .line(format!("constexpr int {definition}; // {comment}"));
        }
        self.out.line("");
        let growths = ir.growths;
        let dim = self.j.clone();
        self.out.line(format!(
            "// What a tile of `Steps` time steps needs: columns along {dim} beside its results{}",
            if self.streams() { ", rows" } else { "." }
        ));
        if self.streams() {
            self.out
                .line("// before the first result enters, and rows in excess of those of results.");
        }
        self.out.open("template <int Steps> struct Reach {");
        self.out.line(format!(
            "static constexpr int LEFT = {}, RIGHT = {};",
            growth(growths.left),
            growth(growths.right)
        ));
        if self.streams() {
            self.out.line(format!(
                "static constexpr int BEFORE = {}, EXTRA = {};",
                growth(growths.before),
                growth(growths.extra)
            ));
        }
        self.out.line("static constexpr int FIRST_LANE = (LEFT + V - 1) / V; // the first whose columns are results");
        self.out.line("static constexpr int LANES = 32 - FIRST_LANE - (RIGHT + V - 1) / V, WIDTH = V * LANES;");
        self.out.close("};");
        self.out.line("");
        for part in [ROWS, ADDRESSES, FLAG, MOVES, LOADS] {
            self.out.text.push_str(part);
        }
        self.out.line("");
        self.record_types();
    }

    fn structs(&mut self) {
        let ir = self.ir;
        self.out.line("// Sizes, scalars and device arrays.");
        self.out.open("struct Args {");
        for line in args_fields(&ir.stencil, &self.names, |a| self.is_apart(a)) {
            self.out.line(line);
        }
        for f in 0..ir.fields.len() {
            let live = ir.live(f);
            if live > 0 {
                let (name, elem) = (self.fields[f].clone(), self.elem(f));
                let planes = if live == 1 {
                    "as large as one plane".to_string()
                } else {
                    format!("as large as {live} planes")
                };
                let of = self.names.get(&self.array(f).name);
                self.out.line(format!("{elem} *{name}_next; // {planes} of {of}, whose place it takes in every other launch"));
            }
        }
        self.out.close("};");
        self.out.line("");
        self.out.line(
            "// One launch: from the fields before time step t0 to those `Steps` steps later.",
        );
        self.out.open("struct Pass {");
        self.out.line("long long t0;");
        for f in 0..ir.fields.len() {
            let (name, elem, buffers) = (self.fields[f].clone(), self.elem(f), self.buffers(f));
            if ir.live(f) > 0 {
                self.out.line(format!(
                    "const {elem} *{name}_in[{}]; // {name} after time steps t0 - 1, t0 - 2, ..",
                    ir.live(f)
                ));
            }
            self.out.line(format!("const {elem} *{name}_kept[{buffers}]; // the same planes of the array: elements that are never written"));
            self.out.line(format!("{elem} *{name}_out[{buffers}]; // {name} after the last time step, the one before, ..; null where not wanted"));
        }
        let rows = if self.streams() {
            format!(
                "int {0}_lo, {0}_hi, rows, chunks; // rows of results, of a tile, tiles one below the other",
                self.i
            )
        } else {
            String::new()
        };
        if self.ir.has_planes() {
            let (i, j, k) = (&self.i, &self.middle, &self.j);
            let lines = [
                format!("int {i}_lo, {i}_hi, planes; // planes of results, of a tile"),
                format!(
                    "int {j}_lo, {j}_hi, tiles_{j}; // rows of results, tiles one below the other"
                ),
                format!(
                    "int {k}_lo, tiles_{k}; // first column of results, tiles beside each other"
                ),
            ];
            for line in lines {
                self.out.line(line);
            }
            self.parts_of_pass();
            self.out.close("};");
            self.out.line("");
            return;
        }
        if self.streams() {
            self.out.line(rows);
            self.out.line("int end_rows, end_chunks; // the same for the tiles at both ends of rows, which take longer for a row");
        }
        self.out.line(format!(
            "int {}_lo, tiles; // first column of results, tiles beside each other",
            self.j
        ));
        self.first_columns_of_pass();
        self.parts_of_pass();
        self.out.close("};");
        self.out.line("");
    }

    fn full(&mut self) {
        let condition = ast_to_c(&self.ir.full, &self.names);
        self.out.line(
            "// Whether the main statement of every field executes at all of a warp's columns",
        );
        self.out.line(if self.streams() {
            "// in these rows."
        } else {
            "// of the row."
        });
        let origin = if self.streams() {
            [LOWEST_ROW, HIGHEST_ROW, FIRST_COLUMN]
                .map(in_c)
                .join(", int ")
        } else {
            in_c(FIRST_COLUMN).to_string()
        };
        self.out.open(format!(
            "__device__ __forceinline__ bool full(const Args &args, int {origin}) {{"
        ));
        self.parameters(&condition);
        self.out.line(format!("return {condition};"));
        self.out.close("}");
        self.out.line("");
    }

    /// Declares the parameters and scalars that `text` mentions.
    fn parameters(&mut self, text: &str) {
        let stencil = &self.ir.stencil;
        for line in declarations(stencil, &self.names, text) {
            self.out.line(line);
        }
        for array in &stencil.arrays {
            let name = self.names.get(&array.name);
            if !array.written && mentions(text, &name) {
                self.out.line(format!(
                    "const {} *const __restrict__ {name} = args.{name};",
                    array.elem
                ));
            }
        }
    }

    fn tile(&mut self) {
        let depth = 1;
        let inner = Writer {
            text: String::new(),
            depth,
        };
        let outer = std::mem::replace(&mut self.out, inner);
        self.tile_body();
        let body = std::mem::replace(&mut self.out, outer).text;
        self.quotients(Row::Yes);
        self.out
            .line("// One tile. Elements that no statement writes keep what their plane holds.");
        let rows = if self.streams() {
            ", int i_first, int i_last, int rows"
        } else {
            ""
        };
        self.out.line("template <int Steps>");
        self.out.open(format!("__device__ __forceinline__ void tile(const Args &args, const Pass &pass, {}int lane{rows}, int j_first) {{", self.index_of_tile("int ")));
        self.parameters(&body);
        self.out.text.push_str(&body);
        self.out.close("}");
        self.out.line("");
    }

    /// The functions that divide by constants.
    fn quotients(&mut self, row: Row) {
        self.out.text += &quotients(&self.ir.stencil.stmts, row);
    }

    /// The row of level `q` in the present iteration.
    fn row_number(&self, f: usize, q: &str) -> String {
        let lag = self.ir.pipeline.lag[f];
        let step = self.ir.pipeline.step_lag;
        let mut text = "newest".to_string();
        text = match (q, step) {
            (_, 0) | ("0", _) => text,
            (q, _) if q.contains(' ') => format!("{text} - LAG * ({q})"),
            (q, _) => format!("{text} - LAG * {q}"),
        };
        add_constant(&text, -lag)
    }

    fn tile_body(&mut self) {
        let ir = self.ir;
        self.out.line("using Shape = Reach<Steps>;");
        self.out
            .line("const int column = j_first + V * lane; // the lane's first");
        if !self.streams() {
            self.out.line("constexpr int newest = 0; // the only row");
        }
        self.domains();
        for f in 0..ir.fields.len() {
            self.loader(f);
        }
        self.out.line("const bool stores = lane >= Shape::FIRST_LANE && lane < Shape::FIRST_LANE + Shape::LANES;");
        for f in 0..ir.fields.len() {
            self.storer(f);
        }
        self.out.line("");
        self.levels(("rows", Self::row_type));
        if self.streams() {
            self.out.line("const int begin = i_first - Shape::BEFORE;");
        }
        self.pointers();
        if self.streams() {
            for f in 0..ir.fields.len() {
                for a in 0..ir.live(f) {
                    let (name, ty) = (self.fields[f].clone(), self.row_type(f));
                    self.out.line(format!("{ty} {name}_{a}_next[AHEAD];"));
                }
            }
            self.out.line("#pragma unroll");
            self.out.open("for (int d = 0; d < AHEAD; ++d) {");
            self.load_ahead("d", "begin + d", false);
            self.out.close("}");
            self.load_kept("begin", 0);
        }
        self.out.line("// One iteration; where all rows are `Full`, every field's main statement executes everywhere.");
        let newest = match self.streams() {
            true => ", int newest) __attribute__((always_inline)) { // newest enters at level 0",
            false => ") __attribute__((always_inline)) {",
        };
        let records = self.streams() && !ir.records.is_empty();
        let results = if records { ", auto results" } else { "" };
        self.out
            .open(format!("auto advance = [&](auto flag{results}{newest}"));
        self.out
            .line("constexpr bool Full = decltype(flag)::value;");
        if records {
            self.out
                .line("constexpr bool Results = decltype(results)::value; // all rows are");
        }
        if self.streams() {
            for f in 0..ir.fields.len() {
                for a in 0..ir.live(f) {
                    let (name, level) = (self.fields[f].clone(), self.level(f, "0", -a));
                    self.out
                        .line(format!("push({name}[{level}], {name}_{a}_next[0]);"));
                }
            }
            self.out.line("#pragma unroll");
            self.out.open("for (int d = 0; d + 1 < AHEAD; ++d) {");
            for f in 0..ir.fields.len() {
                for a in 0..ir.live(f) {
                    let name = self.fields[f].clone();
                    self.out
                        .line(format!("{name}_{a}_next[d] = {name}_{a}_next[d + 1];"));
                }
            }
            self.out.close("}");
            self.load_ahead("AHEAD - 1", "newest + AHEAD", true);
            let before = std::mem::take(&mut self.out.text);
            self.out.depth += 1;
            for f in 0..ir.fields.len() {
                for age in ir.live(f)..self.buffers(f) {
                    let (name, level) = (self.fields[f].clone(), self.level(f, "0", -age));
                    let held = self.held(f);
                    if held > 0 {
                        self.out.line(format!(
                            "{name}[{level}][{held}] = {name}[{level}][{}];",
                            held - 1
                        ));
                    }
                }
            }
            self.load_kept("newest", 1);
            self.out.depth -= 1;
            let kept = std::mem::replace(&mut self.out.text, before);
            if !kept.is_empty() {
                self.out.open("if constexpr (!Full) {");
                self.out.text.push_str(&kept);
                self.out.close("}");
            }
        } else {
            for f in 0..ir.fields.len() {
                for a in 0..self.buffers(f) {
                    self.load_row(f, a);
                }
            }
        }
        // Levels below what stages read need none.
        for f in 0..ir.fields.len() {
            for a in 0..ir.live(f) {
                let level = self.level(f, "0", -a);
                self.exchange(f, &level);
            }
        }
        self.out.line("#pragma unroll");
        self.out.open("for (int s = 0; s < Steps; ++s) {");
        self.out.line(format!(
            "// Time step t0 + s: levels s + 1{}.",
            if self.streams() { ", a row each" } else { "" }
        ));
        let before = std::mem::take(&mut self.out.text);
        for f in 0..ir.fields.len() {
            self.stage(f);
        }
        (0..ir.records.len()).for_each(|r| self.fold_row(r));
        let stages = std::mem::replace(&mut self.out.text, before);
        if mentions(&without_comments(&stages), &self.t) {
            let line = format!("const long long {} = pass.t0 + s;", self.t);
            self.out.line(line);
        }
        self.out.text.push_str(&stages);
        self.out.close("}");
        for f in 0..ir.fields.len() {
            self.stores(f);
        }
        self.out.close("};");
        if !self.streams() {
            self.out.line(
                "if (full(args, j_first)) advance(Flag<true>{}); else advance(Flag<false>{});",
            );
            self.end_records();
            return;
        }
        self.out.line("#pragma unroll 1");
        self.out.open(
            "for (int newest = begin; newest < begin + rows + Shape::EXTRA; newest += UNROLL) {",
        );
        let p = &ir.pipeline;
        let lags = |q: &dyn Fn(usize) -> i64| {
            (0..p.stages.len())
                .map(|f| p.lag_of(f, q(f)))
                .collect::<Vec<_>>()
        };
        let most = lags(&|_| 0).into_iter().max().unwrap_or(0);
        let least = lags(&|f| 1 - p.below(f)).into_iter().min().unwrap_or(0);
        let mut low = "newest".to_string();
        if p.step_lag > 0 {
            low += " - LAG * Steps";
        }
        let lowest = add_constant(&low, -most);
        self.out.line(format!(
            "if (full(args, {lowest}, {}, j_first)) {{",
            add_constant("newest + UNROLL + AHEAD", -1 - least)
        ));
        self.out.depth += 1;
        let advance = |full: bool, results: &str| {
            format!(
                "for (int u = 0; u < UNROLL; ++u) advance(Flag<{full}>{{}}{results}, newest + u);"
            )
        };
        let no_results = if records { ", Flag<false>{}" } else { "" };
        if records {
            self.out.open(format!(
                "if ({lowest} >= i_first && newest + UNROLL - 1 <= i_last) {{"
            ));
            self.out.line("#pragma unroll");
            self.out.line(advance(true, ", Flag<true>{}"));
            self.out.line("continue;");
            self.out.close("}");
        }
        self.out.line("#pragma unroll");
        self.out.line(advance(true, no_results));
        self.out.depth -= 1;
        self.out.line("} else {");
        self.out.depth += 1;
        self.out.line("#pragma unroll 1");
        self.out.line(advance(false, no_results));
        self.out.close("}");
        self.out.close("}");
        self.end_records();
    }

    /// Rows before the newest at which levels that are not handed on are read.
    fn held(&self, f: usize) -> i64 {
        self.buffers(f) * self.ir.pipeline.step_lag
    }

    /// Loads the row that enters at iteration `newest` of every live plane.
    fn load_ahead(&mut self, d: &str, newest: &str, can_be_full: bool) {
        for f in 0..self.ir.fields.len() {
            for a in 0..self.ir.live(f) {
                let name = self.fields[f].clone();
                let argument = self.names.get(&self.array(f).name);
                let to = format!("{name}_{a}_next[{d}]");
                let row = add_constant(newest, -self.ir.pipeline.lag_of(f, -a));
                let load = format!(
                    "load_{name}({to}, pass.{name}_in[{a}], pass.{name}_kept[{a}], {row});"
                );
                if can_be_full {
                    self.out.line(format!(
                        "if constexpr (Full) load({to}, {name}_{a}_from); else {load}"
                    ));
                } else {
                    self.out.line(load);
                }
                self.out.line(format!(
                    "{name}_{a}_from = row({name}_{a}_from, 1, args.{argument}_pitch);"
                ));
            }
        }
    }

    /// Loads what levels keep that are not handed on, for an iteration so far ahead.
    fn load_kept(&mut self, newest: &str, ahead: i64) {
        for f in 0..self.ir.fields.len() {
            for age in self.ir.live(f)..self.buffers(f) {
                let (name, level) = (self.fields[f].clone(), self.level(f, "0", -age));
                let lag = self.ir.pipeline.lag_of(f, self.buffers(f) - age);
                // Where no row is held the one loaded is used at once.
                let row = add_constant(newest, ahead.min(self.held(f)) - lag);
                let at = (self.held(f) - 1).max(0);
                self.out.line(format!(
                    "load_{name}({name}[{level}][{at}], nullptr, pass.{name}_kept[{age}], {row});"
                ));
            }
        }
    }

    /// Loads level `-age` of a stencil that has a single row.
    fn load_row(&mut self, f: usize, age: i64) {
        let (name, level) = (self.fields[f].clone(), self.level(f, "0", -age));
        let to = format!("{name}[{level}][0]");
        if age < self.ir.live(f) {
            self.out.line(format!("if constexpr (Full) load({to}, {name}_{age}_from); else load_{name}({to}, pass.{name}_in[{age}], pass.{name}_kept[{age}], 0);"));
        } else {
            self.out.line(format!(
                "if constexpr (!Full) load_{name}({to}, nullptr, pass.{name}_kept[{age}], 0);"
            ));
        }
    }

    fn exchange(&mut self, f: usize, level: &str) {
        let field = &self.ir.fields[f];
        if field.margin != (0, 0) {
            let name = self.fields[f].clone();
            self.out
                .line(format!("{name}[{level}][{}].exchange();", field.exchanged));
        }
    }

    /// `in_S(i, v)`: whether a statement executes at a row and a column of the lane.
    fn domains(&mut self) {
        let (i, j) = (self.i.clone(), self.j.clone());
        let pieces = self.ir.fields.iter().flat_map(|f| &f.pieces);
        for piece in pieces.chain(self.ir.records.iter().map(|r| &r.piece)) {
            let stmt = &self.ir.stencil.stmts[piece.stmt];
            let name = &stmt.name;
            match &piece.domain {
                Domain::Box(ranges) => {
                    let last = ranges.len() - 1;
                    let streams = self.streams();
                    let bounds = |d: usize, dim: &str, out: &mut Writer, names: &Names| {
                        let (lo, hi) = (
                            ast_to_c(&ranges[d].lo, names),
                            ast_operand(&ranges[d].hi, names),
                        );
                        out.line(format!(
                            "const int {name}_{dim} = narrow({lo}), {name}_{dim}_n = narrow(highest({hi} - {name}_{dim} + 1, 0));"
                        ));
                    };
                    if streams {
                        bounds(0, &i, &mut self.out, &self.names);
                    }
                    bounds(last, &j, &mut self.out, &self.names);
                    let test = |dim: &str, x: &str| {
                        format!("(unsigned)({x} - {name}_{dim}) < (unsigned){name}_{dim}_n")
                    };
                    let rows = if streams {
                        format!("{} && ", test(&i, &i))
                    } else {
                        String::new()
                    };
                    let columns = test(&j, "column + v");
                    let parameter = if streams {
                        format!("int {i}")
                    } else {
                        "int".to_string()
                    };
                    self.out.line(format!(
                        "auto in_{name} = [&]({parameter}, int v) {{ return {rows}{columns}; }}; // where {name} executes"
                    ));
                }
                Domain::Any(guard) => {
                    let guard = ast_to_c(guard, &self.names);
                    let row = match self.streams() {
                        true => format!("int {i}"),
                        false => "int".to_string(),
                    };
                    self.out.open(format!(
                        "auto in_{name} = [&]({row}, int v) {{ // where {name} executes"
                    ));
                    self.out.line(format!("const int {j} = column + v;"));
                    self.out.line(format!("return {guard};"));
                    self.out.close("};");
                }
            }
        }
    }

    fn written(&self, f: usize, row: &str) -> String {
        let pieces: Vec<String> = (self.ir.fields[f].pieces.iter())
            .map(|p| format!("in_{}({row}, v)", self.ir.stencil.stmts[p.stmt].name))
            .collect();
        pieces.join(" || ")
    }

    fn loader(&mut self, f: usize) {
        let ir = self.ir;
        let (name, elem, ty) = (self.fields[f].clone(), self.elem(f), self.row_type(f));
        let i = self.i.clone();
        let array = self.array(f).clone();
        let n_space = ir.pipeline.n_space;
        let extents: Vec<String> = (array.extents[array.extents.len() - n_space..].iter())
            .map(|e| ast_to_c(e, &self.names))
            .collect();
        let address = self.row_address(f, &i, "from");
        let written = self.written(f, &i);
        let width = extents.last().cloned().unwrap_or_default();
        self.out
            .line(format!("const int {name}_width = narrow({width});"));
        if self.streams() {
            self.out
                .line(format!("const int {name}_height = narrow({});", extents[0]));
        }
        self.out.line(format!(
            "// Row {i} of {name}: what statements write from `in`, the rest from `kept`."
        ));
        self.out.open(format!(
            "auto load_{name} = [&]({ty} &to, const {elem} *in, const {elem} *kept, int {i}) {{"
        ));
        self.out.line("to = {};");
        if self.streams() {
            self.out.line(format!(
                "if ((unsigned){i} >= (unsigned){name}_height) return;"
            ));
        }
        self.out.line("#pragma unroll");
        self.out.open("for (int v = 0; v < V; ++v) {");
        self.out
            .line(format!("const {elem} *const from = {written} ? in : kept;"));
        self.out.line(format!("if (from && (unsigned)(column + v) < (unsigned){name}_width) to[v] = {address}[column + v];"));
        self.out.close("}");
        self.out.close("};");
    }

    fn row_address(&self, f: usize, row: &str, base: &str) -> String {
        let array = self.array(f);
        if self.streams() && array.pitched {
            format!(
                "row({base}, {row}, args.{}_pitch)",
                self.names.get(&array.name)
            )
        } else {
            base.to_string()
        }
    }

    /// `store_A(from, to, row)`: elements of a partial tile.
    fn storer(&mut self, f: usize) {
        let (name, elem, ty) = (self.fields[f].clone(), self.elem(f), self.row_type(f));
        let i = self.i.clone();
        let address = self.row_address(f, &i, "out");
        let written = self.written(f, &i);
        self.out.open(format!(
            "auto store_{name} = [&]({ty} &from, {elem} *out, int {i}) {{"
        ));
        self.out.line("#pragma unroll");
        self.out.line("for (int v = 0; v < V; ++v)");
        self.out
            .line(format!("  if ({written}) {address}[column + v] = from[v];"));
        self.out.close("};");
    }

    /// Pointers of full tiles, which move from row to row.
    fn pointers(&mut self) {
        for f in 0..self.ir.fields.len() {
            let (name, elem) = (self.fields[f].clone(), self.elem(f));
            for a in 0..self.ir.live(f) {
                let lag = self.ir.pipeline.lag_of(f, -a);
                let from = self.row_address(
                    f,
                    &add_constant("begin", -lag),
                    &format!("pass.{name}_in[{a}]"),
                );
                self.out
                    .line(format!("const {elem} *{name}_{a}_from = {from} + column;"));
                let q = if a == 0 {
                    "Steps".to_string()
                } else {
                    format!("Steps - {a}")
                };
                let row = self.row_number(f, &q).replace("newest", "begin");
                let to = self.row_address(f, &row, &format!("pass.{name}_out[{a}]"));
                self.out
                    .line(format!("{elem} *{name}_{a}_to = {to} + column;"));
            }
        }
    }

    /// Stores the levels that the launch hands on, and those that complete the time
    /// buffers, which only launches of few steps do.
    fn stores(&mut self, f: usize) {
        let name = self.fields[f].clone();
        let pitched = self.array(f).pitched && self.streams();
        for a in 0..self.buffers(f) {
            let q = if a == 0 {
                "Steps".to_string()
            } else {
                format!("Steps - {a}")
            };
            let at = self.level(f, "Steps", -a);
            let i = self.row_number(f, &q);
            let inside = if self.streams() {
                format!(
                    "stores && (unsigned)({} - i_first) <= (unsigned)(i_last - i_first)",
                    i
                )
            } else {
                "stores".to_string()
            };
            let partial = format!("store_{name}({name}[{at}][0], pass.{name}_out[{a}], {i});");
            if a < self.ir.live(f) {
                self.out.open(format!("if ({inside}) {{"));
                self.out.line(format!(
                    "if constexpr (Full) store({name}[{at}][0], {name}_{a}_to); else {partial}"
                ));
                self.out.close("}");
                if pitched {
                    self.out.line(format!(
                        "{name}_{a}_to = row({name}_{a}_to, 1, args.{}_pitch);",
                        self.names.get(&self.array(f).name)
                    ));
                }
            } else {
                let is_last = match self.ir.last_steps() {
                    1 => "Steps == 1".to_string(),
                    most => format!("Steps <= {most}"),
                };
                self.out.line(format!(
                    "if ({is_last} && pass.{name}_out[{a}] && {inside}) {partial}"
                ));
            }
        }
    }

    /// One row of the next level of a field.
    fn stage(&mut self, f: usize) {
        let ir = self.ir;
        let field = &ir.fields[f];
        let (name, elem, ty) = (self.fields[f].clone(), self.elem(f), self.row_type(f));
        let (i, j) = (self.i.clone(), self.j.clone());
        let at = self.level(f, "s", 1);
        let b = self.buffers(f);
        let kept = format!(
            "{name}[{}][{}][v]",
            self.level(f, "s", 1 - b),
            b * ir.pipeline.step_lag
        );
        self.out.open("{");
        let main = &field.pieces[0];
        let stmt = &ir.stencil.stmts[main.stmt];
        self.out.line(format!("// {}", stmt.comment(&stmt.text)));
        let row = self.row_number(f, "s + 1");
        self.out.line(format!("const int {i} = {row};"));
        self.out.line(format!("{ty} next;"));
        let pieces = || field.pieces.iter().map(|p| &ir.stencil.stmts[p.stmt]);
        let repeats = !quotients(pieces(), Row::Yes).is_empty();
        if repeats {
            self.out
                .line("bool tiny = false; // whether what is divided is next to zero");
            self.out
                .open("auto compute = [&](auto exactly) __attribute__((always_inline)) {");
            self.out
                .line("constexpr bool EXACTLY = decltype(exactly)::value;");
        }
        self.out.line("#pragma unroll");
        self.out.open("for (int v = 0; v < V; ++v) {");
        let before = std::mem::take(&mut self.out.text);
        let in_memory = main
            .reads
            .iter()
            .any(|r| matches!(r, StreamRead::Memory(_)));
        if in_memory {
            self.out.line(format!("{elem} value = {kept};"));
            self.out
                .open(format!("if (Full || in_{}({i}, v)) {{", stmt.name));
            self.assignment(stmt, main, "value");
            self.out.close("}");
        } else {
            self.assignment(stmt, main, &format!("{elem} value"));
            self.out.line(format!(
                "if (!Full && !in_{}({i}, v)) value = {kept};",
                stmt.name
            ));
        }
        for piece in &field.pieces[1..] {
            let stmt = &ir.stencil.stmts[piece.stmt];
            self.out.line(format!("// {}", stmt.comment(&stmt.text)));
            self.out
                .open(format!("if (!Full && in_{}({i}, v)) {{", stmt.name));
            self.assignment(stmt, piece, "value");
            self.out.close("}");
        }
        let values = std::mem::replace(&mut self.out.text, before);
        if mentions(&without_comments(&values), &j) {
            self.out.line(format!("const int {j} = column + v;"));
        }
        self.out.text.push_str(&values);
        self.out.line("next[v] = value;");
        self.out.close("}");
        if repeats {
            self.out.close("};");
            self.out.line("compute(Flag<false>{});");
            self.out
                .line("if (__any_sync(~0u, tiny)) compute(Flag<true>{});");
        }
        self.out.line(format!("push({name}[{at}], next);"));
        self.exchange(f, &at);
        self.out.close("}");
    }

    fn assignment(&mut self, stmt: &KernelStmt, piece: &Piece, target: &str) {
        let reads: Vec<String> = (piece.reads.iter()).map(|read| self.read(read)).collect();
        self.assign(stmt, &reads, target, Row::Yes);
    }

    /// A statement with these texts for what it reads.
    fn assign(&mut self, stmt: &KernelStmt, reads: &[String], target: &str, row: Row) {
        let body = body_with(stmt, &self.names, reads, row);
        for line in body.definitions {
            self.out.line(line);
        }
        self.out.line(format!("{target} = {};", body.value));
    }

    fn read(&self, read: &StreamRead) -> String {
        match read {
            StreamRead::Scalar(i) => self.names.get(&self.ir.stencil.scalars[*i].0),
            StreamRead::Field {
                field,
                age,
                back,
                column,
                ..
            } => format!(
                "{}[{}][{back}][{}]",
                self.fields[*field],
                self.level(*field, "s", 1 - age),
                add_constant("v", *column)
            ),
            StreamRead::Memory(access) => self.memory(access),
            StreamRead::Recorded => String::new(),
        }
    }

    /// An element of an array that is never written.
    fn memory(&self, access: &KernelAccess) -> String {
        let array = &self.ir.stencil.arrays[access.array];
        let name = self.names.get(&array.name);
        let n = access.subs.len();
        let mut index = String::new();
        for (d, sub) in access.subs.iter().enumerate() {
            let sub = self.subscript(sub);
            if d + 1 == n && array.pitched {
                return format!("row({name}, {index}, args.{name}_pitch)[{sub}]");
            }
            index = match index.as_str() {
                "" => sub,
                _ => format!(
                    "({index}) * {} + {sub}",
                    ast_operand(&array.extents[d], &self.names)
                ),
            };
        }
        format!("{name}[{index}]")
    }

    fn subscript(&self, sub: &Sub) -> String {
        match sub {
            Sub::Time {
                modulo: Some(1), ..
            } => "0".to_string(),
            Sub::Time {
                offset,
                modulo: Some(m),
            } => format!("mod({}, {m})", add_constant(&self.t, *offset)),
            Sub::Time {
                offset,
                modulo: None,
            } => add_constant(&self.t, *offset),
            Sub::Const(c) => c.to_string(),
            Sub::Space { dim, offset } => {
                let name = match *dim {
                    dim if dim + 1 == self.ir.pipeline.n_space => &self.j,
                    0 => &self.i,
                    _ => &self.middle,
                };
                add_constant(name, *offset)
            }
            Sub::General { expr, .. } => ast_operand(expr, &self.names),
        }
    }

    fn kernel(&mut self) {
        let streams = self.streams();
        let i = self.i.clone();
        self.out.line("template <int Steps>");
        self.out.open(format!(
            "__global__ void __launch_bounds__(THREADS, {}) kernel(const __grid_constant__ Args args, const __grid_constant__ Pass pass) {{",
            self.ir.tile.min_blocks
        ));
        self.out.line("const int lane = threadIdx.x % 32;");
        self.out.line("const int index = __shfl_sync(~0u, (int)(blockIdx.x * WARPS + threadIdx.x / 32), 0); // one number for the whole warp");
        if streams {
            self.out.line("// The tiles at both ends of all rows of tiles take longer for a row: they come first, and have less rows.");
            self.out.line("const int ends = pass.tiles > 1 ? 2 : 1, inner = pass.tiles > 2 ? pass.tiles - 2 : 1, rest = index - ends * pass.end_chunks;");
            self.out.line("const bool end = rest < 0;");
            self.out
                .line("const int chunk = end ? index % pass.end_chunks : rest / inner, rows = end ? pass.end_rows : pass.rows;");
            self.out.line("const int column = end ? index / pass.end_chunks * (pass.tiles - 1) : 1 + rest % inner;");
            self.out
                .line("if (!end && (pass.tiles <= 2 || chunk >= pass.chunks)) return;");
            self.out.line(format!("const int i_first = pass.{i}_lo + chunk * rows, i_last = i_first + rows - 1 < pass.{i}_hi ? i_first + rows - 1 : pass.{i}_hi;"));
        } else {
            self.out.line("if (index >= pass.tiles) return;");
        }
        let column = if streams { "column" } else { "index" };
        self.out.line(format!("const int j_first = pass.{}_lo + {column} * Reach<Steps>::WIDTH - V * Reach<Steps>::FIRST_LANE;", self.j));
        let rows = if streams {
            "i_first, i_last, rows, "
        } else {
            ""
        };
        let index = self.index_of_tile("");
        self.out.line(format!(
            "tile<Steps>(args, pass, {index}lane, {rows}j_first);"
        ));
        self.out.close("}");
        self.out.line("");
    }

    /// Elements or rows of one plane of a field.
    fn plane_rows(&self, f: usize) -> String {
        let array = self.array(f);
        let n = array.extents.len();
        let rows: Vec<String> = (array.extents[n - self.ir.pipeline.n_space..n - 1].iter())
            .map(|e| ast_operand(e, &self.names))
            .collect();
        if rows.is_empty() {
            "1".to_string()
        } else {
            rows.join(" * ")
        }
    }

    /// Bytes of one plane of a field.
    fn plane_bytes(&self, f: usize) -> String {
        let array = self.array(f);
        if array.pitched {
            let argument = self.names.get(&array.name);
            return format!("(size_t){} * args.{argument}_pitch", self.plane_rows(f));
        }
        let extent = array.extents.last();
        let extent = extent.map_or_else(String::new, |e| ast_operand(e, &self.names));
        format!("sizeof({}) * (size_t){extent}", self.elem(f))
    }

    /// Address of plane number `plane` of an array of planes.
    fn plane(&self, f: usize, base: &str, plane: &str) -> String {
        let array = self.array(f);
        if plane == "0" {
            return base.to_string();
        }
        let pitch = format!("args.{}_pitch", self.names.get(&array.name));
        let rows = self.plane_rows(f);
        if rows == "1" {
            format!("row({base}, {plane}, {pitch})")
        } else {
            format!("row({base}, {plane} * {rows}, {pitch})")
        }
    }

    /// Whether `Args` has a pointer to each plane of an array.
    fn is_apart(&self, array: usize) -> bool {
        self.apart && self.ir.is_apart(array)
    }

    /// Address of the plane of a field's array that holds what time step `t + shift` wrote.
    fn own_plane(&self, f: usize, t: &str, shift: i64) -> String {
        let name = self.names.get(&self.array(f).name);
        if !self.is_apart(self.ir.fields[f].array) {
            return self.plane(f, &format!("args.{name}"), &self.plane_of(f, t, shift));
        }
        // The first subscript selects what the program has apart, the others a plane of it.
        let part = self.number_of(f, 0..1, (t, shift));
        let rest = self.number_of(f, 1..self.ir.fields[f].plane.len(), (t, shift));
        self.plane(f, &format!("args.{name}_planes[{part}]"), &rest)
    }

    /// The plane of a field's array that holds what time step `t + shift` wrote.
    fn plane_of(&self, f: usize, t: &str, shift: i64) -> String {
        self.number_of(f, 0..self.ir.fields[f].plane.len(), (t, shift))
    }

    /// The number that some of a field's subscripts before those along space make together, after time step `t + shift`.
    fn number_of(&self, f: usize, dims: Range<usize>, (t, shift): (&str, i64)) -> String {
        let field: &Field = &self.ir.fields[f];
        let array = self.array(f);
        let mut index = String::new();
        for d in dims {
            let sub = match &field.plane[d] {
                Sub::Time {
                    offset,
                    modulo: Some(m),
                } => format!("mod({}, {m})", add_constant(t, offset + shift)),
                Sub::Const(c) => c.to_string(),
                _ => "0".to_string(),
            };
            index = match index.as_str() {
                "" => sub,
                _ => format!(
                    "({index} * {} + {sub})",
                    ast_operand(&array.extents[d], &self.names)
                ),
            };
        }
        if index.is_empty() {
            "0".to_string()
        } else {
            index
        }
    }

    /// Refuses arrays and rows that do not begin at whole words.
    fn alignment(&mut self) {
        let ir = self.ir;
        let mut tests = Vec::new();
        for f in 0..ir.fields.len() {
            let name = self.names.get(&self.array(f).name);
            match self.is_apart(ir.fields[f].array) {
                true => tests.extend(
                    (0..self.array(f).parts.len())
                        .map(|plane| format!("(size_t)args.{name}_planes[{plane}] % 16 != 0")),
                ),
                false => tests.push(format!("(size_t)args.{name} % 16 != 0")),
            }
            if self.array(f).pitched {
                tests.push(format!("args.{name}_pitch % 16 != 0"));
            }
            if ir.live(f) > 0 {
                tests.push(format!("(size_t)args.{}_next % 16 != 0", self.fields[f]));
            }
        }
        tests.dedup();
        self.out.line(format!(
            "if ({}) return cudaErrorMisalignedAddress;",
            tests.join(" || ")
        ));
    }

    /// The first of the `n` numbers of steps that launches may have.
    fn first_size(&self, n: usize, worth: Option<&str>) -> String {
        if self.ir.has_planes() && self.compared().next().is_some() {
            return format!("differ ? {} : 0", n - 1);
        }
        match worth {
            Some(_) if self.has_patches() => "1".to_string(),
            Some(worth) => format!("{worth} ? 0 : 1"),
            None => "0".to_string(),
        }
    }

    /// Copies what the first launch starts from to where it is read, if that is not the array itself.
    fn copy_first_planes(&mut self, t: &str, worth: Option<&str>) {
        let (ir, planes) = (self.ir, self.ir.has_planes());
        if ir.alternates() {
            return;
        }
        // Levels of planes, and pipelined warps, find all elements where they start from.
        let when = match (planes, worth) {
            (true, _) => String::new(),
            (false, Some(worth)) => format!("(in_next || {worth}) && "),
            (false, None) => "in_next && ".to_string(),
        };
        for f in 0..ir.fields.len() {
            for a in 0..ir.live(f) {
                let name = self.fields[f].clone();
                let from = self.own_plane(f, &format!("{t}_lo"), -a - 1);
                let to = self.plane(f, &format!("args.{name}_next"), &a.to_string());
                let bytes = self.plane_bytes(f);
                self.out.line(format!("if ({when}error == cudaSuccess) error = cudaMemcpyAsync({to}, {from}, {bytes}, cudaMemcpyDeviceToDevice, stream);"));
            }
        }
    }

    /// The planes between which launches go, and the one that the first starts from.
    fn first_planes(&mut self, t: &str) {
        for f in (0..self.ir.fields.len()).filter(|_| self.ir.alternates()) {
            let (name, elem) = (self.fields[f].clone(), self.elem(f));
            let t_lo = format!("{t}_lo");
            let [first, second] = [-1, 0].map(|shift| self.own_plane(f, &t_lo, shift));
            self.out.line(format!(
                "{elem} *const {name}_planes[] = {{{first}, {second}}};"
            ));
            self.out
                .line(format!("pass.{name}_in[0] = {name}_planes[0];"));
        }
    }

    /// The planes of a launch that goes from one to the other. The last one, of `left` steps, starts from the plane of one step
    /// before the end or from `next`, and fills what is left.
    fn next_planes(&mut self, f: usize) {
        let (name, elem) = (self.fields[f].clone(), self.elem(f));
        let own = self.names.fresh(&format!("{name}_own"));
        let of = |shift: i64, t: &str| self.own_plane(f, t, shift);
        let after = "pass.t0 + sizes[@]";
        let lines = [
            format!("pass.{name}_kept[0] = {};", of(-1, "pass.t0")),
            format!("pass.{name}_kept[1] = {};", of(-2, "pass.t0")),
            format!("{elem} *const {own} = {};", of(-1, after)),
            format!(
                "pass.{name}_out[0] = launches == 1 ? {own} : launches == 2 && (left > 1 || pass.{name}_in[0] == {own}) ? args.{name}_next : {name}_planes[pass.{name}_in[0] == {name}_planes[0]];"
            ),
            format!(
                "pass.{name}_out[1] = launches == 1 && pass.{name}_in[0] == args.{name}_next ? {} : nullptr;",
                of(-2, after)
            ),
        ];
        for line in lines {
            self.out.line(line);
        }
    }

    /// The planes that a launch starts from, and those that it leaves.
    fn planes_of_launch(&mut self) {
        let ir = self.ir;
        if ir.alternates() {
            (0..ir.fields.len()).for_each(|f| self.next_planes(f));
            return;
        }
        for f in 0..ir.fields.len() {
            let name = self.fields[f].clone();

            let (live, buffers) = (ir.live(f), self.buffers(f));
            for a in 0..buffers {
                let kept = self.own_plane(f, "pass.t0", -a - 1);
                self.out.line(format!("pass.{name}_kept[{a}] = {kept};"));
                if a < live {
                    let next = self.plane(f, &format!("args.{name}_next"), &a.to_string());
                    self.out.line(format!(
                        "pass.{name}_in[{a}] = in_next ? {next} : pass.{name}_kept[{a}];"
                    ));
                }
            }
            for a in 0..buffers {
                let own = self.own_plane(f, "pass.t0 + sizes[@]", -a - 1);
                if a < live {
                    let next = self.plane(f, &format!("args.{name}_next"), &a.to_string());
                    self.out
                        .line(format!("pass.{name}_out[{a}] = in_next ? {own} : {next};"));
                } else {
                    self.out.line(format!(
                        "pass.{name}_out[{a}] = launches == 1 ? {own} : nullptr;"
                    ));
                }
            }
        }
    }

    fn launch(&mut self) {
        let ir = self.ir;
        let streams = self.streams();
        let (t, i, j) = (self.t.clone(), self.i.clone(), self.j.clone());
        // Which of the numbers of steps, `@` below: planes have a dimension that often is named k.
        let size = if ir.has_planes() { "s" } else { "k" };
        self.out.line("#ifndef __CUDACC_RTC__");
        let sizes = self.launch_sizes();
        let planes = ir.has_planes();
        if planes {
            self.plane_plan();
        } else if streams {
            self.out.line("// Chooses how high tiles are. High ones repeat few rows, and blocks should fill all multiprocessors a");
            self.out
                .line("// whole number of times: what remains takes about half as long as a full wave of blocks, or more.");
            self.out
                .open("template <int Steps> cudaError_t plan(Pass &pass, unsigned &grid) {");
            self.out
                .line("int device = 0, processors = 0, resident = 0;");
            self.out.line("cudaError_t error = cudaGetDevice(&device);");
            self.out.line("if (error == cudaSuccess) error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);");
            self.out.line("if (error == cudaSuccess) error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel<Steps>, THREADS, 0);");
            self.out.line("if (error != cudaSuccess) return error;");
            self.out.line(
                "const long long at_once = highest(1, (long long)processors * resident), height = (long long)pass.@_hi - pass.@_lo + 1;".replace('@', &i),
            );
            self.out
                .line("const long long extra = Reach<Steps>::EXTRA, ends = lowest(pass.tiles, 2);");
            self.out.line("long long best = LLONG_MAX;");
            self.out
                .open("for (long long chunks = 1; chunks <= height; chunks += 1 + chunks / 64) {");
            self.out.line("const long long rows = ((height + chunks - 1) / chunks + extra + UNROLL - 1) / UNROLL * UNROLL - extra; // whole iterations of the loop");
            self.out.line("const long long end_rows = highest(rows / END, UNROLL), n = (height + rows - 1) / rows, end_n = (height + end_rows - 1) / end_rows;");
            self.out.line("const long long blocks = ((pass.tiles - ends) * n + ends * end_n + WARPS - 1) / WARPS, part = blocks % at_once;");
            self.out.line("const long long cost = (rows + extra) * (20 * (blocks - part) + (part > 0 ? 9 * at_once + 11 * part : 0));");
            self.out.line("if (cost >= best) continue;");
            self.out.line("best = cost, grid = (unsigned)blocks;");
            self.out.line("pass.rows = (int)rows, pass.chunks = (int)n, pass.end_rows = (int)end_rows, pass.end_chunks = (int)end_n;");
            self.out.close("}");
            self.out.line("return cudaSuccess;");
            self.out.close("}");
            self.warps_plan();
        }
        self.out.line("");
        self.out
            .line("// Runs the whole computation on device arrays, in order on a stream.");
        self.out.line(match planes {
            true => "// Arrays must start, and their rows lie, at multiples of 16 bytes; what pads a row may be overwritten.",
            false => "// Arrays must start, and their rows lie, at multiples of 16 bytes.",
        });
        let head = launch_head(&self.launch, ir.slab.is_some());
        self.out.open(&head);
        let mut inner = Writer {
            text: String::new(),
            depth: 1,
        };
        std::mem::swap(&mut self.out, &mut inner);
        let mut outer = inner;
        let nonempty = ast_to_c(&ir.stencil.nonempty, &self.names);
        if nonempty != "1" {
            self.out
                .line(format!("if (!({nonempty})) return cudaSuccess;"));
        }
        self.alignment();
        let mut bounds = Vec::new();
        for (d, range) in ir.stencil.ranges.iter().enumerate() {
            let name = if d == 0 {
                &t
            } else if d == ir.pipeline.n_space {
                &j
            } else if d == 1 {
                &i
            } else {
                &self.middle
            };
            let (lo, hi) = (
                ast_to_c(&range.lo, &self.names),
                ast_to_c(&range.hi, &self.names),
            );
            bounds.push(format!("{name}_lo = {lo}, {name}_hi = {hi}"));
        }
        let together = if planes { bounds.len() } else { 1 };
        for bounds in bounds.chunks(together) {
            let line = format!("const long long {};", bounds.join(", "));
            self.out.line(line);
        }
        let far = |d: &str| format!("{d}_lo < -(1 << 30) || {d}_hi > 1 << 30");
        let far = if planes {
            [&i, &self.middle, &j].map(|d| far(d)).join(" || ")
        } else if streams {
            format!("{} || {}", far(&i), far(&j))
        } else {
            far(&j)
        };
        self.out.line(format!(
            "if ({far}) return cudaErrorInvalidValue; // coordinates are of type int"
        ));
        if planes {
            self.comparison_sizes();
        }
        let of_warps = ir.warps.as_ref().map(|w| w.tile.steps());
        let prefix = self.called().to_uppercase();
        let name_of = |&s: &i64| match s {
            s if Some(s) == of_warps => format!("{prefix}_STEPS"),
            s if s == ir.tile.steps => "STEPS".to_string(),
            s => s.to_string(),
        };
        let list: Vec<String> = sizes.iter().map(name_of).collect();
        let n = sizes.len();
        let is_early = !planes && (ir.warps.is_some() || ir.around.is_some());
        if is_early {
            self.out.line("cudaError_t error = cudaSuccess;");
        }
        self.wrap_arrays(&t);
        let worth = self.warps_are_worth_it();
        let first = self.first_size(n, worth);
        match ir.alternates() {
            true => self.count_alternating(&t, &list, &first),
            false => self.count_launches(&t, &list, &first, &sizes),
        }
        if !planes && !is_early {
            self.out.line("cudaError_t error = cudaSuccess;");
        }
        self.copy_first_planes(&t, worth);
        self.out.line("Pass pass{};");
        self.out.line(format!("pass.t0 = {t}_lo;"));
        self.first_planes(&t);
        let streamed = match (planes, streams) {
            (true, _) => vec![&i, &self.middle],
            (false, true) => vec![&i],
            (false, false) => Vec::new(),
        };
        let ends: Vec<String> = (streamed.iter())
            .map(|d| format!("pass.{d}_lo = (int){d}_lo, pass.{d}_hi = (int){d}_hi"))
            .collect();
        if !ends.is_empty() {
            self.out.line(format!("{};", ends.join(", ")));
        }
        self.out.line(format!("pass.{j}_lo = (int)floor_div({j}_lo, V) * V; // every lane's columns start at a multiple of V"));
        self.first_columns();
        self.out.open(format!(
            "for (int @ = 0; @ < {n} && error == cudaSuccess; ++@) {{"
        ));
        self.out.line("if (count[@] == 0) continue;");
        let cases = |line: &dyn Fn(i64) -> String| -> Vec<String> {
            sizes.iter().map(|s| line(*s)).collect()
        };
        let widths = cases(&|s| match Some(s) == of_warps {
            true => format!("{prefix}_RESULTS"),
            false => format!("Reach<{s}>::WIDTH"),
        });
        let widths = widths.join(", ");
        if planes {
            let heights = cases(&|s| format!("Reach<{s}>::HEIGHT"));
            let m = &self.middle;
            let lines = [
                format!(
                    "const int width[] = {{{widths}}}, height[] = {{{}}};",
                    heights.join(", ")
                ),
                format!(
                    "pass.tiles_{m} = (int)(({m}_hi - {m}_lo) / height[@] + 1), pass.tiles_{j} = (int)(({j}_hi - pass.{j}_lo) / width[@] + 1);"
                ),
            ];
            for line in lines {
                self.out.line(line);
            }
        } else {
            self.out.line(format!("const int width[] = {{{widths}}};"));
            self.out.line(format!(
                "pass.tiles = (int)(({j}_hi - pass.{j}_lo) / width[@] + 1);"
            ));
        }
        if streams {
            let plans = cases(&|s| match Some(s) == of_warps {
                true => format!("plan_{}", self.called()),
                false => format!("plan<{s}>"),
            });
            self.out.line(format!(
                "cudaError_t (*const plans[])(Pass &, unsigned &) = {{{}}};",
                plans.join(", ")
            ));
            self.out.line("unsigned grid = 0;");
            self.plan_alike();
        } else {
            self.out
                .line("const unsigned grid = (unsigned)((pass.tiles + WARPS - 1) / WARPS);");
        }
        self.launches(&sizes, of_warps);
        self.out.close("}");
        self.out
            .line("return error == cudaSuccess ? cudaGetLastError() : error;");
        std::mem::swap(&mut self.out, &mut outer);
        let text = outer.text.replace('@', size);
        for line in declarations(&ir.stencil, &self.names, &text) {
            self.out.line(line);
        }
        self.out.text.push_str(&text);
        self.out.close("}");
        self.out.line("#endif");
        self.out.line("");
    }
}
