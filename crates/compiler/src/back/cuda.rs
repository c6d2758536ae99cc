//! CUDA C++ for a kernel: constants, tables, the tile, the kernel and its
//! launch function, in one namespace.

use super::expr::{HELPERS, ast_operand, ast_to_c, body};
use super::names::{Names, mentions};
use crate::kernel::{
    CopyBox, Interval, KernelAccess, KernelArray, KernelIr, KernelStmt, Reuse, Row, SharedBox,
    SharedDim, Sub,
};
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

/// What a copy of a box of elements does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Copy {
    /// To shared memory.
    Box,
    /// To shared memory, as far as the elements lie inside the array.
    Inside,
    /// From shared memory.
    Out,
}

/// Indented text.
struct Writer {
    text: String,
    depth: usize,
}

impl Writer {
    fn line(&mut self, line: impl AsRef<str>) {
        let line = line.as_ref();
        if line.is_empty() {
            self.text.push('\n');
            return;
        }
        let indent = if line.starts_with('#') { 0 } else { self.depth };
        self.text.extend(std::iter::repeat_n("  ", indent));
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn open(&mut self, line: impl AsRef<str>) {
        self.line(line);
        self.depth += 1;
    }

    fn close(&mut self, line: &str) {
        self.depth -= 1;
        self.line(line);
    }
}

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
    let dims: Vec<String> = ir.dims.iter().map(|d| names.user(d)).collect();
    let origins = (0..dims.len())
        .map(|d| names.user(&ir.origin_name(d)))
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
    cuda.out.line(format!("namespace {} {{", ir.name));
    cuda.out.line("");
    cuda.constants();
    cuda.tables();
    cuda.arguments();
    cuda.tile();
    cuda.kernel();
    cuda.launch();
    cuda.out.line(format!("}} // namespace {}", ir.name));
    let text = cuda.out.text;
    insert_helpers(text, ir)
}

/// The name a parameter, scalar or array of the source has in `Args`.
pub fn argument_name(ir: &KernelIr, name: &str) -> String {
    argument_names(ir).get(name)
}

/// The namer with everything in `Args` named.
fn argument_names(ir: &KernelIr) -> Names {
    let mut names = Names::new(FIXED);
    for param in &ir.params {
        names.user(param);
    }
    for array in &ir.arrays {
        names.user(&array.name);
        names.fresh(&format!("s_{}", array.name));
    }
    for (scalar, _) in &ir.scalars {
        names.user(scalar);
    }
    names
}

/// Device functions, printed where they are called, each with a comment of one line;
/// it calls only those before it.
const DEVICE_HELPERS: [(&str, &str); 9] = [
    (
        "wrap",
        "// An index below 2 SIZE modulo SIZE.
template <int SIZE> __device__ __forceinline__ int wrap(int x) { return x >= SIZE ? x - SIZE : x; }
",
    ),
    (
        "row",
        "// Row number r of an array whose rows lie `pitch` bytes apart.
template <typename Element> __device__ __forceinline__ Element *row(Element *array, long long r, long long pitch) {
  return (Element *)((char *)array + r * pitch);
}
",
    ),
    (
        "copy",
        "// Copies BYTES bytes to shared memory.
template <int BYTES> __device__ __forceinline__ void copy(void *to, const void *from) {
  if constexpr (BYTES >= 4)
    __pipeline_memcpy_async(to, from, BYTES);
  else
    for (int b = 0; b < BYTES; ++b) ((char *)to)[b] = ((const char *)from)[b];
}
",
    ),
    (
        "copy_box",
        "// Copies OUTER x INNER rows of LENGTH bytes to shared memory, BYTES at a time; strides are in bytes.
template <int OUTER, int INNER, int LENGTH, int BYTES, int TO_OUTER, int TO_INNER>
__device__ __forceinline__ void copy_box(void *to, const void *from, long long from_outer, int from_inner, int thread) {
  // Threads per row, rows at a time, and these as rows of one plane and planes.
  constexpr int LANES = LENGTH / BYTES < THREADS ? LENGTH / BYTES : THREADS, STEP = THREADS / LANES;
  constexpr int COUNT = INNER < STEP ? INNER : STEP, PLANES = STEP / COUNT;
  const int i0 = thread / (LANES * COUNT), j0 = thread / LANES % COUNT, k0 = thread % LANES * BYTES;
  if (THREADS % (LANES * COUNT) != 0 && i0 >= PLANES) return;
  char *const first_to = (char *)to + i0 * TO_OUTER + j0 * TO_INNER + k0;
  const char *const first_from = (const char *)from + i0 * from_outer + (long long)j0 * from_inner + k0;
#pragma unroll
  for (int i = 0; i < OUTER; i += PLANES) {
    if (i + PLANES > OUTER && i + i0 >= OUTER) break;
#pragma unroll
    for (int j = 0; j < INNER; j += COUNT) {
      if (j + COUNT > INNER && j + j0 >= INNER) break;
#pragma unroll
      for (int k = 0; k < LENGTH; k += LANES * BYTES)
        if (k + LANES * BYTES <= LENGTH || k + k0 < LENGTH)
          copy<BYTES>(first_to + i * TO_OUTER + j * TO_INNER + k, first_from + i * from_outer + (long long)j * from_inner + k);
    }
  }
}
",
    ),
    (
        "copy_inside",
        "// The same for what lies inside the array: row numbers from i0 and j0 below i_end and j_end, bytes from k0 below k_end.
template <int OUTER, int INNER, int LENGTH, int BYTES>
__device__ __forceinline__ void copy_inside(void *to, int to_i, int to_j, const void *from, long long from_i, int from_j,
                                            long long i0, long long i_end, long long j0, long long j_end, long long k0, long long k_end, int thread) {
  const int i_lo = (int)highest(0, -i0), i_hi = (int)lowest(OUTER, i_end - i0), j_lo = (int)highest(0, -j0), j_hi = (int)lowest(INNER, j_end - j0);
  const int k_lo = (int)highest(0, -k0), k_hi = (int)lowest(LENGTH, k_end - k0);
  for (int n = thread; n < OUTER * INNER * (LENGTH / BYTES); n += THREADS) {
    const int i = n / (INNER * (LENGTH / BYTES)), j = n / (LENGTH / BYTES) % INNER, k = n % (LENGTH / BYTES) * BYTES;
    if (i >= i_lo && i < i_hi && j >= j_lo && j < j_hi && k >= k_lo && k < k_hi)
      copy<BYTES>((char *)to + i * to_i + j * to_j + k, (const char *)from + i * from_i + (long long)j * from_j + k);
  }
}
",
    ),
    (
        "copy_out",
        "// Copies OUTER x INNER rows of LENGTH bytes from shared memory, BYTES at a time; strides are in bytes.
template <int OUTER, int INNER, int LENGTH, int BYTES, int FROM_OUTER, int FROM_INNER>
__device__ __forceinline__ void copy_out(void *to, long long to_outer, int to_inner, const void *from, int thread) {
  struct alignas(BYTES) Bytes { char bytes[BYTES]; };
  for (int n = thread; n < OUTER * INNER * (LENGTH / BYTES); n += THREADS) {
    const int i = n / (INNER * (LENGTH / BYTES)), j = n / (LENGTH / BYTES) % INNER, k = n % (LENGTH / BYTES) * BYTES;
    *(Bytes *)((char *)to + i * to_outer + (long long)j * to_inner + k) = *(const Bytes *)((const char *)from + i * FROM_OUTER + j * FROM_INNER + k);
  }
}
",
    ),
    (
        "copy_ring",
        "// copy_box where dimension AXIS of shared memory, 0, 1 or 2, is a ring of SIZE rows or bytes; the box starts at `first`.
template <int OUTER, int INNER, int LENGTH, int BYTES, int TO_OUTER, int TO_INNER, int AXIS, int SIZE>
__device__ __forceinline__ void copy_ring(void *to, int first, const void *from, long long from_outer, int from_inner, int thread) {
#pragma unroll
  for (int n = thread; n < OUTER * INNER * (LENGTH / BYTES); n += THREADS) {
    const int i = n / (INNER * (LENGTH / BYTES)), j = n / (LENGTH / BYTES) % INNER, k = n % (LENGTH / BYTES) * BYTES;
    const int to_i = AXIS == 0 ? wrap<SIZE>(first + i) : i, to_j = AXIS == 1 ? wrap<SIZE>(first + j) : j, to_k = AXIS == 2 ? wrap<SIZE>(first + k) : k;
    copy<BYTES>((char *)to + to_i * TO_OUTER + to_j * TO_INNER + to_k, (const char *)from + i * from_outer + (long long)j * from_inner + k);
  }
}
",
    ),
    (
        "copy_out_ring",
        "// copy_out where dimension AXIS of shared memory, 0, 1 or 2, is a ring of SIZE rows or bytes; the box starts at `first`.
template <int OUTER, int INNER, int LENGTH, int BYTES, int FROM_OUTER, int FROM_INNER, int AXIS, int SIZE>
__device__ __forceinline__ void copy_out_ring(void *to, long long to_outer, int to_inner, const void *from, int first, int thread) {
  struct alignas(BYTES) Bytes { char bytes[BYTES]; };
  for (int n = thread; n < OUTER * INNER * (LENGTH / BYTES); n += THREADS) {
    const int i = n / (INNER * (LENGTH / BYTES)), j = n / (LENGTH / BYTES) % INNER, k = n % (LENGTH / BYTES) * BYTES;
    const int at_i = AXIS == 0 ? wrap<SIZE>(first + i) : i, at_j = AXIS == 1 ? wrap<SIZE>(first + j) : j, at_k = AXIS == 2 ? wrap<SIZE>(first + k) : k;
    *(Bytes *)((char *)to + i * to_outer + (long long)j * to_inner + k) = *(const Bytes *)((const char *)from + at_i * FROM_OUTER + at_j * FROM_INNER + at_k);
  }
}
",
    ),
    (
        "move_rows",
        "// Moves the last LENGTH of every STRIDE bytes of shared memory to their start, BYTES at a time.
template <int COUNT, int LENGTH, int STRIDE, int BYTES>
__device__ __forceinline__ void move_rows(void *shared, int thread) {
  struct alignas(BYTES) Bytes { char bytes[BYTES]; };
#pragma unroll
  for (int n = thread; n < COUNT * (LENGTH / BYTES); n += THREADS) {
    char *const to = (char *)shared + n / (LENGTH / BYTES) * STRIDE + n % (LENGTH / BYTES) * BYTES;
    *(Bytes *)to = *(const Bytes *)(to + STRIDE - LENGTH);
  }
}
",
    ),
];

/// Puts the helpers that are called in front: the arithmetic ones before the
/// constants, which the others need.
fn insert_helpers(text: String, ir: &KernelIr) -> String {
    // A helper calls only those before it.
    let mut calls = text.clone();
    let (mut arithmetic, mut device) = (Vec::new(), Vec::new());
    for (name, code) in DEVICE_HELPERS.iter().rev() {
        if mentions(&calls, name) {
            // The comment in the first line may name others.
            calls.push_str(code.split_once('\n').map_or("", |(_, code)| code));
            device.push(code.to_string());
        }
    }
    for helper in HELPERS.iter().rev().filter(|h| mentions(&calls, h.name)) {
        arithmetic.push(helper.definition("__host__ __device__ constexpr"));
        if !helper.comment.is_empty() {
            arithmetic.push(format!("// {}\n", helper.comment));
        }
    }
    let mut text = text;
    for (helpers, marker) in [
        (arithmetic, format!("namespace {} {{\n\n", ir.name)),
        (device, END_OF_CONSTANTS.to_string()),
    ] {
        if !helpers.is_empty() {
            let helpers: String = helpers.into_iter().rev().collect();
            text = text.replacen(&marker, &format!("{marker}{helpers}\n"), 1);
        }
    }
    text.replacen(END_OF_CONSTANTS, "", 1)
}

/// Marks where the constants end while the text grows.
const END_OF_CONSTANTS: &str = "<end of constants>\n";

impl Cuda<'_> {
    fn n_space(&self) -> usize {
        self.ir.dims.len() - 1
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
        let threads: Vec<i64> = ir.block.threads.iter().map(|t| t.1).collect();
        lines.push((
            format!(
                "BLOCK_X = {}, BLOCK_Y = {}, THREADS = BLOCK_X * BLOCK_Y",
                threads[0],
                threads.get(1).copied().unwrap_or(1)
            ),
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
        for (i, stmt) in ir.stmts.iter().enumerate() {
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

    /// Whether the keep boxes of a statement start where the rows do along a
    /// classical dimension, so that only their ends need a test. Rows of which
    /// nothing is kept are told by the hexagonal dimension.
    fn keep_starts_with_rows(&self, i: usize, j: usize) -> bool {
        let hex = self.hex_dim();
        let starts = |row: &Row| {
            let keep = &row.stmts[i].keep;
            keep[j].lo <= row.points[j].lo || keep[hex].is_empty()
        };
        j != hex && self.ir.rows.iter().all(starts)
    }

    fn keep_names(&self, stmt: usize, j: usize) -> (String, String) {
        let stmt = &self.ir.stmts[stmt].name;
        (
            format!("{stmt}_keep_lo_{}", self.dim(j)),
            format!("{stmt}_keep_hi_{}", self.dim(j)),
        )
    }

    /// Space dimensions along which a statement's keep box restricts a row;
    /// empty where no instance is kept.
    fn keep_dims(&self, i: usize) -> Vec<usize> {
        let stmt = &self.ir.stmts[i];
        let mine = || self.ir.rows.iter().filter(|r| r.slot == stmt.slot);
        if mine().all(|r| r.stmts[i].keep_reused.iter().any(|k| k.is_empty())) {
            return Vec::new();
        }
        (0..self.n_space())
            .filter(|&j| mine().any(|r| r.stmts[i].keep[j] != r.points[j]))
            .collect()
    }

    fn arguments(&mut self) {
        let ir = self.ir;
        self.out.line("// Sizes, scalars and device arrays.");
        self.out.open("struct Args {");
        for param in &ir.params {
            let name = self.names.get(param);
            self.out.line(format!("long long {name};"));
        }
        for (name, ty) in &ir.scalars {
            let name = self.names.get(name);
            self.out.line(format!("{ty} {name};"));
        }
        for array in &ir.arrays {
            let extents: String = (array.extents.iter())
                .map(|e| format!("[{}]", ast_to_c(e, &self.names)))
                .collect();
            let constant = if array.written { "" } else { "const " };
            let name = self.names.get(&array.name);
            self.out
                .line(format!("{constant}{} *{name}; // {extents}", array.elem));
            if array.pitched {
                self.out.line(format!(
                    "int {name}_pitch; // bytes from row to row of {name}, a multiple of 16"
                ));
            }
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
        let mut text = body.to_string();
        let mut extents = Vec::new();
        for array in &self.ir.arrays {
            for d in 1..array.extents.len() {
                let name = self.extent_name(array, d);
                if mentions(body, &name) {
                    let value = ast_to_c(&array.extents[d], &self.names);
                    let _ = write!(text, " {value} ");
                    extents.push(format!("const long long {name} = {value};"));
                }
            }
        }
        for param in &self.ir.params {
            let name = self.names.get(param);
            if mentions(&text, &name) {
                lines.push(format!("const long long {name} = args.{name};"));
            }
        }
        for (scalar, ty) in &self.ir.scalars {
            let name = self.names.get(scalar);
            if mentions(&text, &name) {
                lines.push(format!("const {ty} {name} = args.{name};"));
            }
        }
        for array in &self.ir.arrays {
            let name = self.names.get(&array.name);
            if mentions(&text, &name) {
                let constant = if array.written { "" } else { "const " };
                lines.push(format!(
                    "{constant}{} *const {name} = args.{name};",
                    array.elem
                ));
            }
            let pitch = self.pitch_name(array);
            if mentions(&text, &pitch) {
                lines.push(format!("const int {pitch} = args.{pitch};"));
            }
        }
        lines.extend(extents);
        lines
    }

    fn extent_name(&self, array: &KernelArray, d: usize) -> String {
        format!("{}_n{d}", self.names.get(&array.name))
    }

    fn pitch_name(&self, array: &KernelArray) -> String {
        format!("{}_pitch", self.names.get(&array.name))
    }

    /// `A[..]` in global memory with the given subscripts.
    fn global_element(&self, array: &KernelArray, subs: &[String]) -> String {
        let name = self.names.get(&array.name);
        let [outer @ .., last] = subs else {
            return name;
        };
        if array.pitched {
            let row = self.linear(array, outer);
            format!(
                "row({name}, {row}, {})[{}]",
                self.pitch_name(array),
                unwrapped(last)
            )
        } else {
            format!("{name}[{}]", unwrapped(last))
        }
    }

    /// The number of the row with the given outer subscripts.
    fn linear(&self, array: &KernelArray, subs: &[String]) -> String {
        let mut index = String::new();
        for (d, sub) in subs.iter().enumerate() {
            index = if d == 0 {
                sub.clone()
            } else {
                let left = paren_sum(index);
                format!("{left} * {} + {sub}", self.extent_name(array, d))
            };
        }
        unwrapped(&index).to_string()
    }

    fn sub_global(&self, sub: &Sub) -> String {
        let plus = |name: &str, c: i64| add_constant(name, c);
        match sub {
            Sub::Time {
                offset,
                modulo: Some(m),
            } => format!("mod({}, {m})", plus(&self.dims[0], *offset)),
            Sub::Time {
                offset,
                modulo: None,
            } => plus(&self.dims[0], *offset),
            Sub::Const(c) => c.to_string(),
            Sub::Space { dim, offset } => plus(self.dim(*dim), *offset),
            Sub::General { expr, .. } => ast_operand(expr, &self.names),
        }
    }

    fn access(&self, access: &KernelAccess) -> String {
        let array = &self.ir.arrays[access.array];
        let Some(shared) = &array.shared else {
            let subs: Vec<String> = access
                .subs
                .iter()
                .map(|s| paren_sum(self.sub_global(s)))
                .collect();
            return self.global_element(array, &subs);
        };
        let mut text = format!("s_{}", self.names.get(&array.name));
        let ring = self.ring(array, shared);
        for (d, (dim, sub)) in shared.dims.iter().zip(&access.subs).enumerate() {
            let mut index = match (dim, sub) {
                (SharedDim::Time { lo, .. }, Sub::Time { offset, modulo }) => {
                    let q = add_constant("t_in", offset - lo);
                    match modulo {
                        Some(m) => format!("{} % {m}", paren_sum(q)),
                        None => q,
                    }
                }
                (SharedDim::Plane { lo, .. }, Sub::Const(c)) => (c - lo).to_string(),
                (SharedDim::Space { lo, .. }, Sub::Space { dim, offset }) => {
                    add_constant(&self.relative(*dim), offset - lo)
                }
                (SharedDim::Space { dim, lo, .. }, Sub::General { expr, .. }) => {
                    let rel = format!("{} - {}", ast_operand(expr, &self.names), self.origin(*dim));
                    add_constant(&format!("(int)({rel})"), -lo)
                }
                // The kernel's contract excludes every other pair.
                _ => "0".to_string(),
            };
            if let Some((at, first)) = &ring
                && *at == d
            {
                index = format!("wrap<{}>({index} + {first})", dim.size());
            }
            let _ = write!(text, "[{index}]");
        }
        text
    }

    /// With static reuse the dimension of the box along the chain, where element
    /// 0 of the box lies anywhere and the others follow modulo the size, and the
    /// name of element 0's place.
    fn ring(&self, array: &KernelArray, shared: &SharedBox) -> Option<(usize, String)> {
        let chain = (self.ir.chain).filter(|_| self.ir.switches.reuse == Reuse::Static)?;
        let along = |d: &SharedDim| matches!(d, SharedDim::Space { dim, .. } if *dim == chain);
        let at = shared.dims.iter().position(along)?;
        Some((at, format!("{}_ring", self.names.get(&array.name))))
    }

    fn tile(&mut self) {
        let ir = self.ir;
        let mut body = std::mem::replace(
            &mut self.out,
            Writer {
                text: String::new(),
                depth: 1,
            },
        );
        self.shared_pointers();
        self.element_functions();
        self.copy_in();
        self.rows();
        self.copy_out();
        std::mem::swap(&mut body, &mut self.out);
        let body = body.text;
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

    fn shared_pointers(&mut self) {
        let ir = self.ir;
        if ir.shared_bytes == 0 {
            return;
        }
        self.out
            .line("extern __shared__ __align__(16) unsigned char shared_memory[];");
        for array in &ir.arrays {
            let Some(shared) = &array.shared else {
                continue;
            };
            let name = self.names.get(&array.name);
            let n = shared.dims.len();
            let mut inner = String::new();
            for (d, dim) in shared.dims.iter().enumerate().skip(1) {
                let size = if d == n - 1 {
                    shared.row_stride
                } else {
                    dim.size()
                };
                let _ = write!(inner, "[{size}]");
            }
            let elem = array.elem;
            let (ty, declarator) = if n == 1 {
                (format!("{elem} *"), format!("{elem} *const s_{name}"))
            } else {
                (
                    format!("{elem} (*){inner}"),
                    format!("{elem} (*const s_{name}){inner}"),
                )
            };
            let base = if shared.byte_offset == 0 {
                "shared_memory".to_string()
            } else {
                format!("shared_memory + {}", shared.byte_offset)
            };
            self.out
                .line(format!("{declarator} = reinterpret_cast<{ty}>({base});"));
        }
    }

    /// For every array in shared memory a function that gives the address of an
    /// element in global memory relative to the tile's origin. The hexagonal
    /// dimension comes last, so that a thread's points of a row share the rest.
    fn element_functions(&mut self) {
        let ir = self.ir;
        let mut modulos = Vec::new();
        for array in &ir.arrays {
            let Some(shared) = &array.shared else {
                continue;
            };
            for dim in &shared.dims {
                if let SharedDim::Time {
                    modulo: Some(m), ..
                } = dim
                    && !modulos.contains(m)
                {
                    modulos.push(*m);
                }
            }
        }
        for m in modulos {
            let t0 = &self.origins[0];
            self.out
                .line(format!("const int {t0}_mod{m} = (int)mod({t0}, {m});"));
        }
        for array in &ir.arrays {
            if let Some(shared) = &array.shared {
                self.element_function(array, shared);
            }
        }
    }

    fn element_function(&mut self, array: &KernelArray, shared: &SharedBox) {
        let name = self.names.get(&array.name);
        let n = shared.dims.len();
        let (mut origin, mut params) = (Vec::new(), Vec::new());
        for (d, dim) in shared.dims.iter().enumerate() {
            let (at, param) = match dim {
                SharedDim::Time { modulo, .. } => (
                    modulo.map_or(self.origins[0].clone(), |_| "0".to_string()),
                    format!("{}_r", self.dims[0]),
                ),
                SharedDim::Plane { .. } => ("0".to_string(), format!("x{d}")),
                SharedDim::Space { dim, .. } => {
                    (self.origin(*dim).to_string(), self.relative(*dim))
                }
            };
            origin.push(at);
            params.push(param);
        }
        if let Some((at, ring)) = self.ring(array, shared)
            && let SharedDim::Space { dim, size, .. } = shared.dims[at]
        {
            self.out.line(format!(
                "const int {ring} = Full ? (int)mod({}, {size}) : 0; // a place of its own for every {} in this dimension of s_{name}",
                self.origin(dim),
                self.dim(dim)
            ));
        }
        let elem = array.elem;
        let constant = if array.written { "" } else { "const " };
        self.out.line(format!(
            "{constant}{elem} *const {name}_0 = &{}; // the tile's origin",
            self.global_element(array, &origin)
        ));
        // Bytes from element to element along every dimension but the last.
        let mut steps = Vec::new();
        for d in 0..n.saturating_sub(1) {
            let inner: Vec<String> = (d + 1..n - 1)
                .map(|d| self.extent_name(array, d))
                .chain([self.pitch_name(array)])
                .collect();
            steps.push(if inner.len() == 1 {
                self.pitch_name(array)
            } else {
                let step = format!("{name}_step{d}");
                self.out
                    .line(format!("const long long {step} = {};", inner.join(" * ")));
                step
            });
        }
        let hex =
            |dim: &SharedDim| matches!(dim, SharedDim::Space { dim, .. } if *dim == self.hex_dim());
        let order: Vec<usize> = (0..n)
            .filter(|&d| !hex(&shared.dims[d]))
            .chain((0..n).filter(|&d| hex(&shared.dims[d])))
            .collect();
        let mut text = format!("{name}_0");
        for d in order {
            text = if d + 1 == n {
                format!("{text} + {}", params[d])
            } else {
                format!("row({text}, {}, {})", params[d], steps[d])
            };
        }
        let typed: Vec<String> = params.iter().map(|p| format!("int {p}")).collect();
        self.out.line(format!(
            "const auto {name}_at = [=]({}) {{ return {text}; }};",
            typed.join(", ")
        ));
    }

    /// The time subscript of an element relative to the tile, for the function
    /// of its array: the buffer's number where there are several.
    fn relative_time(&self, relative: &str, modulo: Option<i64>) -> String {
        match modulo {
            Some(m) => {
                let t0 = &self.origins[0];
                format!(
                    "({} % {m})",
                    paren_sum(sum(&[&format!("{t0}_mod{m}"), relative]))
                )
            }
            None => relative.to_string(),
        }
    }

    fn copy_in(&mut self) {
        let ir = self.ir;
        let shared: Vec<(&KernelArray, &SharedBox)> = (ir.arrays.iter())
            .filter_map(|a| a.shared.as_ref().map(|s| (a, s)))
            .collect();
        if shared.is_empty() {
            return;
        }
        self.out.line("");
        if ir.switches.reuse == Reuse::Dynamic {
            self.out.line(
                "// Inter-tile reuse: the columns shared with the tile before move into place.",
            );
            self.out.open("if (Full && reuse) {");
            for (array, shared) in &shared {
                self.move_columns(array, shared);
            }
            self.out.line("__syncthreads();");
            self.out.close("}");
        }
        // Strided statements may leave the ends of a box without an access, so
        // that they can lie outside the array.
        let some_full = ir.full.is_some() && ir.stmts.iter().all(|s| s.lattice.is_none());
        for (array, shared) in &shared {
            self.out
                .line(format!("// Copy-in of {}.", self.names.get(&array.name)));
            if some_full {
                let mut keyword = "if";
                if ir.reuses() {
                    self.out.open("if (Full && reuse) {");
                    self.copy_boxes(array, shared, &shared.copy_next);
                    self.out.depth -= 1;
                    keyword = "} else if";
                }
                self.out.open(format!("{keyword} (Full) {{"));
                self.copy_boxes(array, shared, &shared.copy_in);
                self.out.depth -= 1;
                self.out.open("} else {");
            }
            self.copy_checked(array, shared);
            if some_full {
                self.out.close("}");
            }
        }
        let asynchronous = |(array, shared): &(&KernelArray, &SharedBox)| {
            copies_asynchronously(array) || shared.vector * array.elem.size() as i64 >= 4
        };
        if shared.iter().any(asynchronous) {
            self.out.line("__pipeline_commit();");
            self.out.line("__pipeline_wait_prior(0);");
        }
        self.out.line("__syncthreads();");
    }

    /// Copies what a full tile has written to global memory.
    fn copy_out(&mut self) {
        let ir = self.ir;
        let copies: Vec<_> = (ir.arrays.iter())
            .filter_map(|a| Some((a, a.shared.as_ref()?, a.shared.as_ref()?.copy_out.as_ref()?)))
            .collect();
        if copies.is_empty() || ir.full.is_none() {
            return;
        }
        self.out.line("");
        self.out
            .line("// Copy-out; the next tile overwrites shared memory.");
        self.out.open("if (Full) {");
        for (array, shared, boxes) in copies {
            for b in boxes {
                self.copy_one(array, shared, b, Copy::Out);
            }
        }
        self.out.line("__syncthreads();");
        self.out.close("}");
    }

    /// Moves the columns that the tile before has in common with this one.
    fn move_columns(&mut self, array: &KernelArray, shared: &SharedBox) {
        let Some((c, at)) = self.ir.chain.and_then(|chain| {
            let width = self.ir.schedule.classical.iter().find(|c| c.dim == chain)?;
            Some((width, shared.space_position(chain)?))
        }) else {
            return;
        };
        // What lies further in than the chain's dimension is contiguous.
        let sizes = shared.space_sizes();
        let inner: i64 = sizes[at + 1..].iter().product();
        let outer: i64 = sizes[..at].iter().product::<i64>() * shared.n_slices;
        let elem = array.elem.size() as i64;
        let kept = (sizes[at] - c.w) * inner * elem;
        if kept <= 0 {
            return;
        }
        self.out.line(format!(
            "move_rows<{outer}, {kept}, {}, {}>(s_{}, thread);",
            sizes[at] * inner * elem,
            shared.vector * elem,
            self.names.get(&array.name),
        ));
    }

    /// The copies of a full tile, each a box of elements.
    fn copy_boxes(&mut self, array: &KernelArray, shared: &SharedBox, boxes: &[CopyBox]) {
        for b in boxes {
            self.copy_one(array, shared, b, Copy::Box);
        }
    }

    /// The copies of a partial tile: the whole box, as far as it lies inside the
    /// array.
    fn copy_checked(&mut self, array: &KernelArray, shared: &SharedBox) {
        for slice in 0..shared.n_slices {
            let elements = (shared.space_sizes().iter())
                .map(|size| Interval {
                    lo: 0,
                    hi: size - 1,
                })
                .collect();
            self.copy_one(array, shared, &CopyBox { slice, elements }, Copy::Inside);
        }
    }

    fn copy_one(&mut self, array: &KernelArray, shared: &SharedBox, b: &CopyBox, kind: Copy) {
        let name = self.names.get(&array.name);
        let sizes = shared.space_sizes();
        let n_slice_dims = shared.dims.len() - sizes.len();
        let elem = array.elem.size() as i64;
        let mut slice = b.slice;
        let mut slice_index = Vec::new();
        for dim in shared.dims[..n_slice_dims].iter().rev() {
            slice_index.insert(0, slice % dim.size());
            slice /= dim.size();
        }
        let (mut global, mut local, mut conditions) = (Vec::new(), Vec::new(), Vec::new());
        for (d, (dim, q)) in shared.dims.iter().zip(&slice_index).enumerate() {
            global.push(match dim {
                SharedDim::Time { modulo, lo, .. } => {
                    self.relative_time(&(q + lo).to_string(), *modulo)
                }
                SharedDim::Plane { lo, .. } => (q + lo).to_string(),
                SharedDim::Space { .. } => continue,
            });
            local.push(q.to_string());
            if let SharedDim::Time {
                modulo: None, lo, ..
            } = dim
            {
                let t = add_constant(&self.origins[0], q + lo);
                conditions.push(format!("{t} >= 0 && {t} < {}", self.extent(array, d)));
            }
        }
        // Partial tiles start at the beginning of the ring.
        let ring = self.ring(array, shared).filter(|_| kind != Copy::Inside);
        // At most three dimensions at a time; outer ones one by one.
        let n_outer = sizes.len().saturating_sub(3);
        // The first element of the box per space dimension: its coordinate and
        // the array's extent, for copies that are checked.
        let mut ranges = Vec::new();
        for (e, (dim, elements)) in shared.dims[n_slice_dims..]
            .iter()
            .zip(&b.elements)
            .enumerate()
        {
            let SharedDim::Space { dim, lo, .. } = dim else {
                continue;
            };
            global.push((lo + elements.lo).to_string());
            let at_ring = ring.as_ref().is_some_and(|(at, _)| *at == n_slice_dims + e);
            local.push(if at_ring && e >= n_outer {
                "0".to_string()
            } else {
                elements.lo.to_string()
            });
            ranges.push((
                add_constant(self.origin(*dim), lo + elements.lo),
                self.extent(array, n_slice_dims + e),
            ));
        }
        let mut depth = 0;
        for (e, range) in ranges.iter().enumerate().take(n_outer) {
            let n = b.elements[e].len();
            self.out
                .open(format!("for (int o{e} = 0; o{e} < {n}; ++o{e}) {{"));
            depth += 1;
            let d = n_slice_dims + e;
            global[d] = format!("{} + o{e}", global[d]);
            local[d] = format!("{} + o{e}", local[d]);
            if let Some((at, first)) = &ring
                && *at == d
            {
                local[d] = format!("wrap<{}>({} + {first})", sizes[e], local[d]);
            }
            conditions.push(format!(
                "{0} + o{e} >= 0 && {0} + o{e} < {1}",
                range.0, range.1
            ));
        }
        let inner: Vec<i64> = b.elements[n_outer..].iter().map(|e| e.len()).collect();
        let (n_i, n_j, n_k) = match *inner {
            [i, j, k] => (i, j, k),
            [i, k] => (i, 1, k),
            [k] => (1, 1, k),
            _ => return,
        };
        let row = shared.row_stride * elem;
        let pitch = self.pitch_name(array);
        let (to_i, to_j, from_i, from_j) = match inner.len() {
            1 => (0, 0, "0".to_string(), "0".to_string()),
            2 => (row, 0, pitch, "0".to_string()),
            _ => {
                let step = array.extents.len() - 3;
                (
                    row * sizes[sizes.len() - 2],
                    row,
                    format!("{name}_step{step}"),
                    pitch,
                )
            }
        };
        // The ring among the copy's three dimensions, its size and first element.
        let ring = (ring.as_ref()).and_then(|(at, first)| {
            let e = at.checked_sub(n_slice_dims + n_outer)?;
            let innermost = e + 1 == inner.len();
            let lo = b.elements[n_outer + e].lo;
            let first = add_constant(first, lo);
            Some(if innermost && elem > 1 {
                let first = format!("{} * {elem}", paren_sum(first));
                (2, sizes[n_outer + e] * elem, first)
            } else {
                (if innermost { 2 } else { e }, sizes[n_outer + e], first)
            })
        });
        let local: String = local.iter().map(|i| format!("[{i}]")).collect();
        let source = format!("{name}_at({})", global.join(", "));
        let shape = format!("{n_i}, {n_j}, {}, {}", n_k * elem, shared.vector * elem);
        if kind == Copy::Out {
            // The widest copies that the ends of the box allow.
            let last = b.elements[b.elements.len() - 1];
            let mut vector = shared.vector;
            while last.lo % vector != 0 || last.len() % vector != 0 {
                vector /= 2;
            }
            let shape = format!(
                "{n_i}, {n_j}, {}, {}, {to_i}, {to_j}",
                n_k * elem,
                vector * elem
            );
            self.out.line(match ring {
                None => format!("copy_out<{shape}>({source}, {from_i}, {from_j}, &s_{name}{local}, thread);"),
                Some((axis, size, first)) => format!("copy_out_ring<{shape}, {axis}, {size}>({source}, {from_i}, {from_j}, &s_{name}{local}, {first}, thread);"),
            });
        } else if kind == Copy::Inside {
            if !conditions.is_empty() {
                self.out.open(format!("if ({})", conditions.join(" && ")));
            }
            let bytes = |range: &(String, String)| {
                if elem == 1 {
                    format!("{}, {}", range.0, range.1)
                } else {
                    format!(
                        "{} * {elem}, {} * {elem}",
                        paren_sum(range.0.clone()),
                        range.1
                    )
                }
            };
            let plain = |range: &(String, String)| format!("{}, {}", range.0, range.1);
            let always = "0, 1".to_string();
            let inner = &ranges[n_outer..];
            let checks = match inner {
                [i, j, k] => [plain(i), plain(j), bytes(k)],
                [i, k] => [plain(i), always, bytes(k)],
                [k] => [always.clone(), always, bytes(k)],
                _ => return,
            };
            self.out.line(format!(
                "copy_inside<{shape}>(&s_{name}{local}, {to_i}, {to_j}, {source}, {from_i}, {from_j}, {}, thread);",
                checks.join(", ")
            ));
            if !conditions.is_empty() {
                self.out.depth -= 1;
            }
        } else if let Some((axis, size, first)) = ring {
            self.out.line(format!(
                "copy_ring<{shape}, {to_i}, {to_j}, {axis}, {size}>(&s_{name}{local}, {first}, {source}, {from_i}, {from_j}, thread);"
            ));
        } else {
            self.out
                .line(format!("copy_box<{shape}, {to_i}, {to_j}>(&s_{name}{local}, {source}, {from_i}, {from_j}, thread);"));
        }
        for _ in 0..depth {
            self.out.close("}");
        }
    }

    /// The extent of a dimension of an array.
    fn extent(&self, array: &KernelArray, d: usize) -> String {
        if d == 0 {
            ast_operand(&array.extents[0], &self.names)
        } else {
            self.extent_name(array, d)
        }
    }

    fn rows(&mut self) {
        let ir = self.ir;
        let k = ir.schedule.k;
        self.out.line("");
        self.out.line(format!(
            "// Row a runs at time t = {} + a / K.",
            self.origins[0]
        ));
        if self.ir.unrolls_rows() {
            self.out.line("#pragma unroll");
            self.out.open("for (int a = 0; a < ROWS; ++a) {");
            self.out
                .line("if (!Full && (a < a_first || a >= a_end)) continue;");
        } else {
            self.out.line("#pragma unroll 1");
            self.out
                .open("for (int a = Full ? 0 : a_first; a < (Full ? ROWS : a_end); ++a) {");
        }
        let mut outer = std::mem::replace(
            &mut self.out,
            Writer {
                text: String::new(),
                depth: 2,
            },
        );
        for slot in 0..k {
            let stmts: Vec<usize> = (0..ir.stmts.len())
                .filter(|&i| ir.stmts[i].slot == slot)
                .collect();
            if k > 1 {
                self.out.open(format!("if (a % K == {slot}) {{"));
            }
            for i in stmts {
                self.row_of(i, &ir.stmts[i]);
            }
            if k > 1 {
                self.out.close("}");
            }
        }
        std::mem::swap(&mut outer, &mut self.out);
        let body = outer.text;
        if mentions(&body, "t_in") || mentions(&body, &self.dims[0]) {
            self.out.line("const int t_in = a / K;");
        }
        if mentions(&body, &self.dims[0]) {
            let line = format!(
                "const long long {} = {} + t_in;",
                self.dims[0], self.origins[0]
            );
            self.out.line(line);
        }
        for c in &ir.schedule.classical {
            let skew = format!("skew_{}", self.dim(c.dim));
            if mentions(&body, &skew) {
                let d = c.delta1;
                let value = match (d.num, d.den) {
                    (1, 1) => "a".to_string(),
                    (n, 1) => format!("{n} * a"),
                    (1, m) => format!("a / {m}"),
                    (n, m) => format!("{n} * a / {m}"),
                };
                self.out.line(format!("const int {skew} = {value};"));
            }
        }
        self.out.text.push_str(&body);
        if (0..ir.rows.len()).all(|a| ir.barrier_after(a)) {
            self.out.line("__syncthreads();");
        } else {
            let rows: Vec<String> = (0..ir.rows.len())
                .filter(|&a| ir.barrier_after(a))
                .map(|a| format!("a == {a}"))
                .collect();
            self.out.open(format!("if ({})", rows.join(" || ")));
            self.out.line("__syncthreads();");
            self.out.depth -= 1;
        }
        self.out.close("}");
    }

    /// Space dimensions in the order of a row's loops: the hexagonal one last,
    /// so that a thread computes all its points of a row one after the other.
    fn loop_order(&self) -> Vec<usize> {
        let hex = self.hex_dim();
        if hex + 1 == self.n_space() {
            return (0..self.n_space()).collect();
        }
        (0..self.n_space())
            .filter(|&j| j != hex)
            .chain([hex])
            .collect()
    }

    fn row_of(&mut self, index: usize, stmt: &KernelStmt) {
        let ir = self.ir;
        let n = self.n_space();
        let text = truncate(&stmt.text, 100);
        self.out
            .line(format!("// {}, line {}: {text}", stmt.name, stmt.line));
        let mut opened = 0;
        if stmt.partial_only {
            self.out.open("if (!Full) {");
            opened += 1;
        } else if ir.stmts.iter().filter(|s| s.slot == stmt.slot).count() > 1 {
            self.out.open("{");
            opened += 1;
        }
        let order = self.loop_order();
        let column = self.store_column(index, stmt);
        for &j in &order {
            let innermost = order.last() == Some(&j);
            if innermost && let Some((definition, _)) = &column {
                self.out.line(definition);
            }
            opened += usize::from(self.point_loop(j, innermost));
        }
        // The point itself.
        let depth = self.out.depth;
        let mut outer = std::mem::replace(
            &mut self.out,
            Writer {
                text: String::new(),
                depth,
            },
        );
        let guard = ast_to_c(&stmt.guard, &self.names);
        if stmt.partial_only {
            self.out.line(format!("if (!({guard})) continue;"));
        } else {
            self.out.line(format!("if (!Full && !({guard})) continue;"));
            if let Some(lattice) = &stmt.lattice {
                let lattice = ast_to_c(lattice, &self.names);
                self.out
                    .line(format!("if (Full && !({lattice})) continue;"));
            }
        }
        let computed = body(ir, stmt, &self.names, |access| self.access(access));
        for definition in computed.definitions {
            self.out.line(definition);
        }
        let value = computed.value;
        let array = &ir.arrays[stmt.write.array];
        let target = self.access(&stmt.write);
        if array.shared.is_none() {
            self.out.line(format!("{target} = {value};"));
        } else {
            self.out
                .line(format!("const {} value = {value};", array.elem));
            self.out.line(format!("{target} = value;"));
            let address = match column {
                Some((_, address)) => address,
                None => self.store_address(array, &stmt.write),
            };
            let store = format!("*{address} = value;");
            let keep = self.keep_dims(index);
            let later = (array.shared.as_ref()).is_some_and(|s| s.copy_out.is_some());
            if later {
                self.out.open("if (!Full)");
                self.out.line(store);
                self.out.depth -= 1;
            } else if keep.is_empty() && !self.keeps_all(index) {
                self.out.line(store);
            } else {
                let mut parts = vec!["!Full".to_string()];
                for j in keep {
                    let (lo, hi) = self.keep_names(index, j);
                    let r = self.relative(j);
                    let reused = ir.reuses() && ir.chain == Some(j);
                    let part = if self.keep_starts_with_rows(index, j) {
                        format!("{r} > {hi}[a]")
                    } else {
                        format!("{r} < {lo}[a] || {r} > {hi}[a]")
                    };
                    // A row nothing of which is kept has empty intervals in all
                    // dimensions, the hexagonal one included.
                    parts.push(if !reused {
                        part
                    } else if part.contains("||") {
                        format!("(!Reused && ({part}))")
                    } else {
                        format!("(!Reused && {part})")
                    });
                }
                self.out.open(format!("if ({})", parts.join(" || ")));
                self.out.line(store);
                self.out.depth -= 1;
            }
        }
        std::mem::swap(&mut outer, &mut self.out);
        let body = outer.text;
        for j in 0..n {
            if mentions(&body, self.dim(j)) {
                let line = format!(
                    "const long long {} = {} + {};",
                    self.dim(j),
                    self.origin(j),
                    self.relative(j)
                );
                self.out.line(line);
            }
        }
        self.out.text.push_str(&body);
        for _ in 0..opened {
            self.out.close("}");
        }
    }

    /// A pointer for the stores of a column of points, defined before the loop along
    /// the hexagonal dimension, and the address of a point's store by it. It is for
    /// stores that a classical dimension guards in all rows: with the address almost
    /// at hand nvcc predicates these stores instead of branching around each.
    fn store_column(&self, index: usize, stmt: &KernelStmt) -> Option<(String, String)> {
        let (ir, hex) = (self.ir, self.hex_dim());
        let array = &ir.arrays[stmt.write.array];
        let guards = |j: usize| j != hex && !(ir.reuses() && ir.chain == Some(j));
        if array.shared.is_none() || !self.keep_dims(index).into_iter().any(guards) {
            return None;
        }
        let mut start = stmt.write.clone();
        let is_hex = |sub: &Sub| matches!(sub, Sub::Space { dim, .. } if *dim == hex);
        let at = start.subs.iter().position(is_hex)?;
        let n = start.subs.len();
        let Sub::Space { offset, .. } = start.subs[at] else {
            return None;
        };
        let general = |sub: &Sub| matches!(sub, Sub::General { .. });
        if at + 1 == n
            || start.subs.iter().any(general)
            || start.subs.iter().filter(|s| is_hex(s)).count() > 1
        {
            return None;
        }
        let step = if at + 2 == n {
            self.pitch_name(array)
        } else {
            format!("{}_step{at}", self.names.get(&array.name))
        };
        let r = self.relative(hex);
        start.subs[at] = Sub::Const(offset);
        Some((
            format!(
                "{} *const target = {}; // of {r} = 0",
                array.elem,
                self.store_address(array, &start)
            ),
            format!("row(target, {r}, {step})"),
        ))
    }

    /// The address in global memory of the element that an instance writes; the
    /// array has a box in shared memory.
    fn store_address(&self, array: &KernelArray, access: &KernelAccess) -> String {
        let relative: Option<Vec<String>> = (access.subs.iter())
            .map(|sub| match sub {
                Sub::Time { offset, modulo } => {
                    Some(self.relative_time(&add_constant("t_in", *offset), *modulo))
                }
                Sub::Const(c) => Some(c.to_string()),
                Sub::Space { dim, offset } => Some(add_constant(&self.relative(*dim), *offset)),
                Sub::General { .. } => None,
            })
            .collect();
        match relative {
            Some(subs) => format!("{}_at({})", self.names.get(&array.name), subs.join(", ")),
            None => {
                let subs: Vec<String> = (access.subs.iter())
                    .map(|s| paren_sum(self.sub_global(s)))
                    .collect();
                format!("(&{})", self.global_element(array, &subs))
            }
        }
    }

    /// Opens the loop over a row's points along space dimension `j`. Trip counts
    /// do not depend on the thread or the row, so that unrolled rows are
    /// straight-line code. Whether a brace was opened: a thread with one point
    /// along an outer dimension needs no loop.
    fn point_loop(&mut self, j: usize, innermost: bool) -> bool {
        let ir = self.ir;
        let (r, step) = (self.relative(j), format!("{}_n", self.dim(j)));
        let is_hex = j == self.hex_dim();
        let classical = ir.schedule.classical.iter().find(|c| c.dim == j);
        let skew = match classical {
            Some(c) if c.delta1.num != 0 => format!(" - skew_{}", self.dim(j)),
            _ => String::new(),
        };
        let position = ir.block.threads.iter().position(|t| t.0 == j);
        let per_thread = self.ir.points_per_thread(j);
        let at = match (position, per_thread) {
            (None, _) => step.clone(),
            (Some(0), 1) => "tx".to_string(),
            (Some(_), 1) => "ty".to_string(),
            (Some(0), _) => format!("{step} * BLOCK_X + tx"),
            (Some(_), n) => format!("ty * {n} + {step}"),
        };
        let threads = ir.block.along(j);
        let all_inside = classical.is_some_and(|c| c.w == threads * per_thread);
        let is_loop = innermost || per_thread > 1 || position.is_none() || !all_inside;
        if is_loop {
            if !ir.switches.unroll {
                self.out.line("#pragma unroll 1");
            } else if ir.shared_bytes > 0 && per_thread > 1 {
                let full_only = if ir.unrolls_rows() {
                    ""
                } else {
                    " (Full ? 64 : 1)"
                };
                self.out.line(format!("#pragma unroll{full_only}"));
            }
            self.out.open(format!(
                "for (int {step} = 0; {step} < {per_thread}; ++{step}) {{"
            ));
        }
        if is_hex {
            self.out.line(format!("const int {r} = row_lo[a] + {at};"));
            self.out.line(format!("if ({r} > row_hi[a]) continue;"));
        } else {
            self.out.line(format!("const int {r} = {at}{skew};"));
            if !all_inside {
                self.out.line(format!(
                    "if ({r} >= {}{skew}) continue;",
                    self.width_name(j)
                ));
            }
        }
        is_loop
    }

    /// Whether every instance of a statement is kept in full tiles.
    fn keeps_all(&self, i: usize) -> bool {
        let stmt = &self.ir.stmts[i];
        (self.ir.rows.iter())
            .filter(|r| r.slot == stmt.slot)
            .all(|r| r.stmts[i].keep == r.points)
    }

    fn kernel(&mut self) {
        let ir = self.ir;
        let hex = self.dim(self.hex_dim()).to_string();
        let hex_origin = self.origin(self.hex_dim()).to_string();
        let t0 = self.origins[0].clone();
        let comment = match ir.schedule.wavefront {
            None => "// A block executes whole hexagons: its classical tiles one after the other."
                .to_string(),
            Some(w) => format!(
                "// A block executes one tile along {} of one hexagon; other classical tiles one after the other.",
                self.dim(w.dim)
            ),
        };
        let min_blocks = ir.block.min_blocks();
        let origins: Vec<String> = self
            .origins
            .iter()
            .map(|o| format!("long long {o}"))
            .collect();
        let template = if ir.reuses() {
            "tile<false, false>(args, false"
        } else {
            "tile<false>(args"
        };
        self.out
            .line("// Kept apart, so that full tiles get the registers they need.");
        self.out.open(format!(
            "__device__ __noinline__ void partial_tile(const Args &args, int a_first, int a_end, {}) {{",
            origins.join(", ")
        ));
        self.out.line(format!(
            "{template}, a_first, a_end, {});",
            self.origins.join(", ")
        ));
        self.out.close("}");
        self.out.line("");
        if ir.reuses() && ir.full.is_some() {
            self.out.line("// The last full tile of a row of tiles.");
            self.out.open(format!(
                "__device__ __noinline__ void last_tile(const Args &args, bool reuse, int a_first, int a_end, {}) {{",
                origins.join(", ")
            ));
            self.out.line(format!(
                "tile<true, false>(args, reuse, a_first, a_end, {});",
                self.origins.join(", ")
            ));
            self.out.close("}");
            self.out.line("");
        }
        self.out.line(comment);
        self.out.line(format!(
            "__global__ void __launch_bounds__(THREADS, {min_blocks})"
        ));
        self.out
            .open("kernel(const __grid_constant__ Args args, const __grid_constant__ Wave wave) {");
        let mut body = std::mem::replace(
            &mut self.out,
            Writer {
                text: String::new(),
                depth: 1,
            },
        );
        self.out
            .open("for (long long n = blockIdx.x; n < wave.n_blocks; n += gridDim.x) {");
        self.out
            .line("const long long p = wave.p_first + n / wave.n_hexagons;");
        self.out
            .line("const long long u0 = (p - 1) * (HEX_H + 1); // logical time of row 0");
        self.out
            .line("const int a_first = (int)highest(0, wave.u_lo - u0);");
        self.out
            .line("const int a_end = (int)lowest(ROWS, wave.u_hi + 1 - u0);");
        self.out
            .line("const long long origin = -floor_div(p, 2) * DRIFT - (p % 2 == 0 ? SHIFT : 0);");
        self.out.line(format!(
            "const long long first = -floor_div(origin + B_MAX - wave.{hex}_lo, PITCH);"
        ));
        self.out.line(format!(
            "const long long {hex_origin} = origin + (first + n % wave.n_hexagons) * PITCH;"
        ));
        self.out.line(format!(
            "if ({hex_origin} + B_MIN > wave.{hex}_hi) continue;"
        ));
        self.out.line(format!(
            "const long long {t0} = (p - 1) * ((HEX_H + 1) / K);"
        ));
        let mut loops = 0;
        let parallel = ir.schedule.wavefront.map(|w| w.dim);
        if let Some(dim) = parallel {
            let name = self.dim(dim).to_string();
            let (origin, width) = (self.origin(dim).to_string(), self.width_name(dim));
            self.out.line(format!(
                "const long long {origin} = (wave.index - LAG * p) * {width};"
            ));
            self.out.line(format!(
                "if ({origin} < wave.{name}_first * {width} || {origin} > wave.{name}_last * {width}) continue;"
            ));
        }
        let sequential: Vec<_> = (ir.schedule.classical.iter())
            .filter(|c| Some(c.dim) != parallel)
            .collect();
        for c in &sequential {
            let (name, origin) = (self.dim(c.dim).to_string(), self.origin(c.dim).to_string());
            let width = self.width_name(c.dim);
            if ir.reuses()
                && ir.chain == Some(c.dim)
                && let Some(full) = &ir.full
            {
                let full = ast_to_c(full, &self.names);
                self.out
                    .open(format!("const auto is_full = [=](long long {origin}) {{"));
                self.out.line(format!("return {full};"));
                self.out.close("};");
                self.out.line(format!(
                    "bool reuse = false, full_here = is_full(wave.{name}_first * {width}); // reuse: the tile before was full"
                ));
            }
            self.out.open(format!(
                "for (long long {origin} = wave.{name}_first * {width}; {origin} <= wave.{name}_last * {width}; {origin} += {width}) {{"
            ));
            loops += 1;
        }
        let origins = self.origins.join(", ");
        match (&ir.full, ir.reuses(), ir.chain) {
            (Some(_), true, Some(chain)) => {
                let origin = self.origin(chain).to_string();
                let width = self.width_name(chain);
                self.out.line(format!(
                    "const bool full_next = is_full({origin} + {width});"
                ));
                self.out.open("if (!full_here)");
                self.out
                    .line(format!("partial_tile(args, a_first, a_end, {origins});"));
                self.out.depth -= 1;
                self.out.open("else if (full_next)");
                self.out.line(format!(
                    "tile<true, true>(args, reuse, a_first, a_end, {origins});"
                ));
                self.out.depth -= 1;
                self.out.open("else");
                self.out.line(format!(
                    "last_tile(args, reuse, a_first, a_end, {origins});"
                ));
                self.out.depth -= 1;
                self.out.line("reuse = full_here;");
                self.out.line("full_here = full_next;");
            }
            (Some(full), ..) => {
                let full = ast_to_c(full, &self.names);
                self.out.line(format!("const bool full = {full};"));
                self.out.open("if (full)");
                self.out
                    .line(format!("tile<true>(args, a_first, a_end, {origins});"));
                self.out.depth -= 1;
                self.out.open("else");
                self.out
                    .line(format!("partial_tile(args, a_first, a_end, {origins});"));
                self.out.depth -= 1;
            }
            (None, ..) => self
                .out
                .line(format!("partial_tile(args, a_first, a_end, {origins});")),
        }
        for _ in 0..loops {
            self.out.close("}");
        }
        self.out.close("}");
        std::mem::swap(&mut body, &mut self.out);
        let body = body.text;
        for line in self.argument_locals(&body) {
            self.out.line(line);
        }
        self.out.text.push_str(&body);
        self.out.close("}");
        self.out.line("");
    }

    fn launch(&mut self) {
        let ir = self.ir;
        let s = &ir.schedule;
        let hex = self.dim(self.hex_dim()).to_string();
        self.out.line("#ifndef __CUDACC_RTC__");
        self.out
            .line("// Runs the whole computation on device arrays, in order on a stream.");
        let aligned: Vec<&KernelArray> = (ir.arrays.iter())
            .filter(|a| a.shared.as_ref().is_some_and(|s| s.vector > 1))
            .collect();
        if !aligned.is_empty() {
            self.out
                .line("// Arrays must start, and their rows lie, at multiples of 16 bytes.");
        }
        self.out
            .open("inline cudaError_t launch(const Args &args, cudaStream_t stream) {");
        let mut outer = std::mem::replace(
            &mut self.out,
            Writer {
                text: String::new(),
                depth: 1,
            },
        );
        let nonempty = ast_to_c(&ir.nonempty, &self.names);
        if nonempty != "1" {
            self.out
                .line(format!("if (!({nonempty})) return cudaSuccess;"));
        }
        let tests: Vec<String> = (aligned.iter())
            .flat_map(|a| {
                let name = self.names.get(&a.name);
                let pitch = a.pitched.then(|| format!("args.{name}_pitch % 16 != 0"));
                [Some(format!("(size_t)args.{name} % 16 != 0")), pitch]
            })
            .flatten()
            .collect();
        if !tests.is_empty() {
            self.out.line(format!(
                "if ({}) return cudaErrorMisalignedAddress;",
                tests.join(" || ")
            ));
        }
        for (d, range) in ir.ranges.iter().enumerate() {
            let (lo, hi) = (
                ast_to_c(&range.lo, &self.names),
                ast_to_c(&range.hi, &self.names),
            );
            let name = &self.dims[d];
            self.out.line(format!(
                "const long long {name}_lo = {lo}, {name}_hi = {hi};"
            ));
        }
        let t = &self.dims[0];
        self.out.line("Wave wave{};");
        self.out.line(format!(
            "wave.u_lo = K * {t}_lo, wave.u_hi = K * {t}_hi + K - 1;"
        ));
        self.out.line(format!(
            "wave.{hex}_lo = {hex}_lo, wave.{hex}_hi = {hex}_hi;"
        ));
        self.out.line(format!(
            "wave.n_hexagons = ({hex}_hi - {hex}_lo + B_MAX - B_MIN) / PITCH + 1;"
        ));
        for c in &s.classical {
            let (dim, width) = (self.dim(c.dim), self.width_name(c.dim));
            let skew = c.skew(s.hexagon.height() - 1);
            let line = format!(
                "wave.{dim}_first = floor_div({dim}_lo, {width}), wave.{dim}_last = floor_div({}, {width});",
                add_constant(&format!("{dim}_hi"), skew)
            );
            self.out.line(line);
        }
        if ir.shared_bytes > 0 {
            self.out
                .line("// More than 48 KiB of shared memory must be asked for.");
            self.out.line("cudaError_t error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED_BYTES);");
            self.out.line("if (error != cudaSuccess) return error;");
        }
        self.out.line("const long long p_lo = floor_div(wave.u_lo, HEX_H + 1), p_hi = floor_div(wave.u_hi, HEX_H + 1) + 1;");
        match s.wavefront {
            None => {
                self.out.line("wave.n_blocks = wave.n_hexagons;");
                self.out
                    .open("for (wave.p_first = p_lo; wave.p_first <= p_hi; ++wave.p_first) {");
            }
            Some(w) => {
                let dim = self.dim(w.dim).to_string();
                self.out.open(format!("for (wave.index = LAG * p_lo + wave.{dim}_first; wave.index <= LAG * p_hi + wave.{dim}_last; ++wave.index) {{"));
                self.out.line(format!(
                    "wave.p_first = highest(p_lo, -floor_div(wave.{dim}_last - wave.index, LAG));"
                ));
                self.out.line(format!("const long long p_last = lowest(p_hi, floor_div(wave.index - wave.{dim}_first, LAG));"));
                self.out.line("if (wave.p_first > p_last) continue;");
                self.out
                    .line("wave.n_blocks = (p_last - wave.p_first + 1) * wave.n_hexagons;");
            }
        }
        self.out
            .line("const unsigned grid = (unsigned)lowest(wave.n_blocks, 1 << 30);");
        self.out
            .line("kernel<<<grid, dim3(BLOCK_X, BLOCK_Y), SHARED_BYTES, stream>>>(args, wave);");
        self.out.close("}");
        self.out.line("return cudaGetLastError();");
        std::mem::swap(&mut outer, &mut self.out);
        let body = outer.text;
        for param in &ir.params {
            let name = self.names.get(param);
            if mentions(&body, &name) {
                self.out
                    .line(format!("const long long {name} = args.{name};"));
            }
        }
        self.out.text.push_str(&body);
        self.out.close("}");
        self.out.line("#endif");
        self.out.line("");
    }
}

/// Asynchronous copies overlap their latencies; they exist for 4 and 8 bytes
/// (and 16, which needs alignment).
fn copies_asynchronously(array: &KernelArray) -> bool {
    matches!(array.elem.size(), 4 | 8)
}

fn is_atom(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Without one pair of parentheses around everything.
fn unwrapped(text: &str) -> &str {
    if is_bracketed(text) && text.starts_with('(') {
        &text[1..text.len() - 1]
    } else {
        text
    }
}

/// `x + c` without a zero or a `+ -`.
fn add_constant(x: &str, c: i64) -> String {
    match (x, c) {
        (_, 0) => x.to_string(),
        ("0", c) => c.to_string(),
        (_, c) if c < 0 => format!("{x} - {}", -c),
        _ => format!("{x} + {c}"),
    }
}

/// A sum without its zeros.
fn sum(parts: &[&str]) -> String {
    let parts: Vec<&str> = parts.iter().copied().filter(|p| *p != "0").collect();
    if parts.is_empty() {
        "0".to_string()
    } else {
        parts.join(" + ")
    }
}

/// Parenthesised unless it is a name, a number or one call.
fn paren_sum(text: String) -> String {
    let name_len = text
        .chars()
        .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
        .count();
    if is_atom(&text) || is_bracketed(&text[name_len..]) {
        text
    } else {
        format!("({text})")
    }
}

/// Whether the text is one pair of parentheses with something inside.
fn is_bracketed(text: &str) -> bool {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return c == ')' && at + 1 == text.len();
        }
    }
    false
}

fn truncate(text: &str, n: usize) -> String {
    if text.chars().count() <= n {
        text.to_string()
    } else {
        text.chars().take(n).chain("...".chars()).collect()
    }
}
