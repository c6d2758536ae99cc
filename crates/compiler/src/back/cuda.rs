//! CUDA C++ for a kernel: constants, tables, the tile, the kernel and its
//! launch function, in one namespace.

use super::expr::{BodyPrinter, ast_operand, ast_to_c};
use super::names::{Names, mentions};
use crate::kernel::{
    CopyRow, Interval, KernelAccess, KernelArray, KernelIr, KernelStmt, Read, SharedBox, SharedDim,
    Sub,
};
use crate::sched::Phase;
use std::fmt::Write;

/// Names the printer itself uses; source names that clash get a `_`.
const FIXED: &[&str] = &[
    "ROWS",
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
    "t_in",
    "value",
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
    "n_tiles",
    "time_tile",
    "grid",
    "error",
    "s",
];

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

/// Unrolled rows times accesses above which the instruction cache would suffer.
const UNROLL_LIMIT: usize = 600;

/// Rows above which unrolling only costs registers.
const UNROLL_ROWS: usize = 16;

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

/// Puts the arithmetic helpers in front, only those that are called.
fn insert_helpers(text: String, ir: &KernelIr) -> String {
    let helpers = [
        (
            "mod",
            "// Remainder with the sign of the divisor, for time buffers.\n__host__ __device__ constexpr long long mod(long long x, long long m) { return (x % m + m) % m; }\n",
        ),
        (
            "floor_div",
            "// Quotient rounded towards minus infinity.\n__host__ __device__ constexpr long long floor_div(long long x, long long d) { return x / d - (x % d < 0); }\n",
        ),
        (
            "lowest",
            "__host__ __device__ constexpr long long lowest(long long x, long long y) { return x < y ? x : y; }\n",
        ),
        (
            "highest",
            "__host__ __device__ constexpr long long highest(long long x, long long y) { return x > y ? x : y; }\n",
        ),
    ];
    let mut block = String::new();
    for (name, code) in helpers {
        if mentions(&text, name) {
            block.push_str(code);
        }
    }
    if block.is_empty() {
        return text;
    }
    let marker = format!("namespace {} {{\n\n", ir.name);
    text.replacen(&marker, &format!("{marker}{block}\n"), 1)
}

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
        lines.push((
            format!(
                "BLOCK_X = {}, BLOCK_Y = {}, THREADS = BLOCK_X * BLOCK_Y",
                ir.block[0], ir.block[1]
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
                self.table(&lo, &keep.iter().map(|k| k.lo).collect::<Vec<_>>());
                self.table(&hi, &keep.iter().map(|k| k.hi).collect::<Vec<_>>());
            }
        }
        for array in &ir.arrays {
            let Some(shared) = &array.shared else {
                continue;
            };
            let columns = self.copy_columns(shared);
            if columns.is_empty() {
                continue;
            }
            self.out.line(format!(
                "// Elements of {} a full tile copies in, per slice and row of its shared box.",
                array.name
            ));
            for c in columns {
                let rows: Vec<Interval> = (shared.copy_in.iter().flatten())
                    .map(|r: &CopyRow| r.columns[c])
                    .collect();
                let (lo, hi) = copy_names(&self.names.get(&array.name), c);
                self.table(&lo, &rows.iter().map(|k| k.lo).collect::<Vec<_>>());
                self.table(&hi, &rows.iter().map(|k| k.hi).collect::<Vec<_>>());
            }
        }
        self.out.line("");
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
        if mine().all(|r| r.stmts[i].keep.iter().any(|k| k.is_empty())) {
            return Vec::new();
        }
        (0..self.n_space())
            .filter(|&j| mine().any(|r| r.stmts[i].keep[j] != r.points[j]))
            .collect()
    }

    /// Columns of a copy-in table that are not simply the whole box.
    fn copy_columns(&self, shared: &SharedBox) -> Vec<usize> {
        let sizes = column_sizes(shared);
        (0..sizes.len())
            .filter(|&c| {
                let whole = Interval {
                    lo: 0,
                    hi: sizes[c] - 1,
                };
                (shared.copy_in.iter().flatten()).any(|r| r.columns[c] != whole)
            })
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
        }
        self.out.close("};");
        self.out.line("");
        self.out
            .line("// The tiles of one launch: all of one phase of one time tile.");
        self.out.open("struct Wave {");
        let hex_origin = self.origin(self.hex_dim()).to_string();
        let t0 = self.origins[0].clone();
        self.out.line(format!("long long {t0}; // time of row 0"));
        self.out
            .line("int a_first, a_end; // rows inside the time loop");
        self.out.line(format!(
            "long long first, n_tiles; // {hex_origin} of the first hexagon, number of hexagons"
        ));
        for c in &ir.schedule.classical {
            let origin = self.origin(c.dim).to_string();
            self.out.line(format!(
                "long long {origin}_first, {origin}_last; // classical tiles"
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
        }
        lines.extend(extents);
        lines
    }

    fn extent_name(&self, array: &KernelArray, d: usize) -> String {
        format!("{}_n{d}", self.names.get(&array.name))
    }

    /// `A[..]` in global memory with the given subscripts.
    fn global_element(&self, array: &KernelArray, subs: &[String]) -> String {
        let mut index = String::new();
        for (d, sub) in subs.iter().enumerate() {
            index = if d == 0 {
                sub.clone()
            } else {
                let left = paren_sum(index);
                format!("{left} * {} + {sub}", self.extent_name(array, d))
            };
        }
        format!("{}[{index}]", self.names.get(&array.name))
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
        for (dim, sub) in shared.dims.iter().zip(&access.subs) {
            let index = match (dim, sub) {
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
            let _ = write!(text, "[{index}]");
        }
        text
    }

    fn tile(&mut self) {
        let mut body = std::mem::replace(
            &mut self.out,
            Writer {
                text: String::new(),
                depth: 1,
            },
        );
        self.shared_pointers();
        self.copy_in();
        self.rows();
        std::mem::swap(&mut body, &mut self.out);
        let body = body.text;
        let params: Vec<String> = self
            .origins
            .iter()
            .map(|o| format!("long long {o}"))
            .collect();
        self.out.line("// One tile: copy-in, then its rows in order. Full tiles execute every point of every row.");
        self.out.line("template <bool Full>");
        self.out.open(format!(
            "__device__ __forceinline__ void tile(const Args &args, int a_first, int a_end, {}) {{",
            params.join(", ")
        ));
        if mentions(&body, "tx") {
            self.out.line("const int tx = threadIdx.x;");
        }
        if mentions(&body, "ty") {
            self.out.line("const int ty = threadIdx.y;");
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

    fn copy_in(&mut self) {
        let ir = self.ir;
        let mut any = false;
        for array in &ir.arrays {
            if let Some(shared) = &array.shared {
                self.out.line("");
                self.copy_in_array(array, shared);
                any = true;
            }
        }
        if ir
            .arrays
            .iter()
            .any(|a| a.shared.is_some() && copies_asynchronously(a))
        {
            self.out.line("__pipeline_commit();");
            self.out.line("__pipeline_wait_prior(0);");
        }
        if any {
            self.out.line("__syncthreads();");
        }
    }

    fn copy_in_array(&mut self, array: &KernelArray, shared: &SharedBox) {
        let name = self.names.get(&array.name);
        let clamp = ir_has_lattice(self.ir);
        let tables = self.copy_columns(shared);
        let sizes = column_sizes(shared);
        let n_dims = shared.dims.len();
        let n_slice_dims = (shared.dims.iter())
            .filter(|d| !matches!(d, SharedDim::Space { .. }))
            .count();
        let n_space_dims = n_dims - n_slice_dims;
        let n_rows: i64 = if n_space_dims > 1 {
            shared.dims[n_slice_dims].size()
        } else {
            1
        };
        self.out.line(format!("// Copy-in of {name}."));
        let mut depth = 0;
        let (mut global, mut local, mut slice) = (Vec::new(), Vec::new(), String::new());
        let mut bounds = Vec::new();
        for (d, dim) in shared.dims[..n_slice_dims].iter().enumerate() {
            let size = dim.size();
            let index = if size == 1 {
                "0".to_string()
            } else {
                let q = format!("q{d}");
                self.out
                    .open(format!("for (int {q} = 0; {q} < {size}; ++{q}) {{"));
                depth += 1;
                q
            };
            let t0 = self.origins[0].clone();
            let element = match dim {
                SharedDim::Time {
                    modulo: Some(m),
                    lo,
                    ..
                } => format!("mod({}, {m})", sum(&[&add_constant(&t0, *lo), &index])),
                SharedDim::Time {
                    modulo: None, lo, ..
                } => {
                    let text = sum(&[&add_constant(&t0, *lo), &index]);
                    bounds.push((d, format!("({text})")));
                    format!("({text})")
                }
                SharedDim::Plane { lo, .. } => paren_sum(add_constant(&index, *lo)),
                SharedDim::Space { .. } => continue,
            };
            slice = if slice.is_empty() {
                index.clone()
            } else {
                format!("({slice} * {size} + {index})")
            };
            global.push(element);
            local.push(index);
        }
        for (e, dim) in shared.dims[n_slice_dims..].iter().enumerate() {
            let SharedDim::Space { dim, lo, size } = dim else {
                continue;
            };
            let d = n_slice_dims + e;
            let is_last = e + 1 == n_space_dims;
            let counter = format!("{}_c", self.dim(*dim));
            let row = (n_space_dims > 1)
                .then(|| format!("{}_c", self.dim(space_dim(&shared.dims[n_slice_dims]))));
            let (start, stride) = match (is_last, n_space_dims) {
                (true, 1) => ("ty * BLOCK_X + tx".to_string(), "THREADS"),
                (true, _) => ("tx".to_string(), "BLOCK_X"),
                (false, n) if e + 2 == n => ("ty".to_string(), "BLOCK_Y"),
                _ => ("0".to_string(), "1"),
            };
            let column = if n_space_dims > 1 {
                e.checked_sub(1)
            } else {
                Some(0)
            };
            let (mut begin, mut end) = (start.clone(), (size - 1).to_string());
            if let Some(c) = column
                && tables.contains(&c)
            {
                let mut key = if slice.is_empty() {
                    String::new()
                } else {
                    slice.clone()
                };
                if let Some(row) = &row {
                    key = match key.as_str() {
                        "" | "0" => row.clone(),
                        _ => format!("{key} * {n_rows} + {row}"),
                    };
                }
                if key.is_empty() {
                    key = "0".into();
                }
                let (lo_table, hi_table) = copy_names(&name, c);
                begin = sum(&[&format!("(Full ? {lo_table}[{key}] : 0)"), &start]);
                end = format!("(Full ? {hi_table}[{key}] : {})", sizes[c] - 1);
            }
            let step = if stride == "1" {
                format!("++{counter}")
            } else {
                format!("{counter} += {stride}")
            };
            self.out.open(format!(
                "for (int {counter} = {begin}; {counter} <= {end}; {step}) {{"
            ));
            depth += 1;
            let coordinate = sum(&[&add_constant(self.origin(*dim), *lo), &counter]);
            global.push(format!("({coordinate})"));
            local.push(counter);
            bounds.push((d, format!("({coordinate})")));
        }
        let conditions: Vec<String> = (bounds.iter())
            .map(|(d, x)| {
                let extent = if *d == 0 {
                    ast_operand(&array.extents[0], &self.names)
                } else {
                    self.extent_name(array, *d)
                };
                let x = x
                    .strip_prefix('(')
                    .and_then(|x| x.strip_suffix(')'))
                    .unwrap_or(x);
                format!("{x} >= 0 && {x} < {extent}")
            })
            .collect();
        let mut target = format!("s_{name}");
        for index in &local {
            let _ = write!(target, "[{index}]");
        }
        let element = self.global_element(array, &global);
        let load = if copies_asynchronously(array) {
            let size = array.elem.size();
            format!("__pipeline_memcpy_async(&{target}, &{element}, {size});")
        } else {
            format!("{target} = {element};")
        };
        let guard = conditions.join(" && ");
        let full = if clamp { "" } else { "Full || " };
        let guard = if clamp { guard } else { format!("({guard})") };
        self.out.open(format!("if ({full}{guard})"));
        self.out.line(load);
        self.out.depth -= 1;
        for _ in 0..depth {
            self.out.close("}");
        }
    }

    /// Rows to unroll together in full tiles.
    fn unroll(&self) -> i64 {
        let ir = self.ir;
        let work: usize = (ir.rows.iter())
            .map(|row| {
                let stmts = ir
                    .stmts
                    .iter()
                    .filter(|s| s.slot == row.slot && !s.partial_only);
                let accesses: usize = stmts.map(|s| s.reads.len() + 1).sum();
                let points: i64 = (0..self.n_space())
                    .map(|j| {
                        let threads = match self.n_space() - 1 - j {
                            0 => ir.block[0],
                            1 => ir.block[1],
                            _ => 1,
                        };
                        (row.points[j].len() + threads - 1) / threads
                    })
                    .product();
                accesses * usize::try_from(points).unwrap_or(1)
            })
            .sum();
        // Schema global is the plain baseline.
        if work <= UNROLL_LIMIT && ir.rows.len() <= UNROLL_ROWS && ir.shared_bytes > 0 {
            ir.schedule.hexagon.height()
        } else {
            1
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
        self.out.line(match self.unroll() {
            1 => "#pragma unroll 1".to_string(),
            n => format!("#pragma unroll (Full ? {n} : 1)"),
        });
        self.out
            .open("for (int a = Full ? 0 : a_first; a < (Full ? ROWS : a_end); ++a) {");
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

    fn row_of(&mut self, index: usize, stmt: &KernelStmt) {
        let ir = self.ir;
        let n = self.n_space();
        let text = truncate(&stmt.text, 100);
        self.out
            .line(format!("// {}, line {}: {text}", stmt.name, stmt.line));
        if stmt.partial_only {
            self.out.open("if (!Full) {");
        }
        for j in 0..n {
            self.point_loop(j);
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
        let reads: Vec<String> = (stmt.reads.iter())
            .map(|read| match read {
                Read::Scalar(i) => self.names.get(&ir.scalars[*i].0),
                Read::Element(access) => self.access(access),
            })
            .collect();
        // A suffix keeps locals apart from the names of the kernel.
        let local_names: Vec<String> = (stmt.locals.iter().enumerate())
            .map(|(i, (name, ..))| format!("{name}_v{i}"))
            .collect();
        let mut printer = BodyPrinter {
            names: &self.names,
            reads: &reads,
            locals: &local_names,
            affine: stmt.affine.iter(),
        };
        let mut definitions = Vec::new();
        for ((_, ty, value), name) in stmt.locals.iter().zip(&local_names) {
            definitions.push(format!("const {ty} {name} = {};", printer.print(value)));
        }
        let value = printer.print(&stmt.value);
        for definition in definitions {
            self.out.line(definition);
        }
        let array = &ir.arrays[stmt.write.array];
        let target = self.access(&stmt.write);
        if array.shared.is_none() {
            self.out.line(format!("{target} = {value};"));
        } else {
            self.out
                .line(format!("const {} value = {value};", array.elem));
            self.out.line(format!("{target} = value;"));
            let subs: Vec<String> = (stmt.write.subs.iter())
                .map(|s| paren_sum(self.sub_global(s)))
                .collect();
            let store = format!("{} = value;", self.global_element(array, &subs));
            let keep = self.keep_dims(index);
            if keep.is_empty() && !self.keeps_all(index) {
                self.out.line(store);
            } else {
                let mut parts = vec!["!Full".to_string()];
                for j in keep {
                    let (lo, hi) = self.keep_names(index, j);
                    let r = self.relative(j);
                    parts.push(format!("{r} < {lo}[a] || {r} > {hi}[a]"));
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
        for _ in 0..n {
            self.out.close("}");
        }
        if stmt.partial_only {
            self.out.close("}");
        }
    }

    /// Opens the loop over a row's points along space dimension `j`. Trip counts
    /// do not depend on the thread, so that unrolled rows are straight-line code,
    /// and a thread takes neighbouring rows, whose values it can keep.
    fn point_loop(&mut self, j: usize) {
        let ir = self.ir;
        let (r, step) = (self.relative(j), format!("{}_n", self.dim(j)));
        let from_inside = self.n_space() - 1 - j;
        let is_hex = j == self.hex_dim();
        let classical = ir.schedule.classical.iter().find(|c| c.dim == j);
        let skew = match classical {
            Some(c) if c.delta1.num != 0 => format!(" - skew_{}", self.dim(j)),
            _ => String::new(),
        };
        let threads = ir.block.get(from_inside).copied().unwrap_or(1);
        let name = ["BLOCK_X", "BLOCK_Y"]
            .get(from_inside)
            .copied()
            .unwrap_or("1");
        let thread = ["tx", "ty"].get(from_inside).copied();
        let unrolled = self.unroll() > 1;
        if unrolled {
            self.out.line("#pragma unroll (Full ? 64 : 1)");
        }
        let widest = ir
            .rows
            .iter()
            .map(|row| row.points[j].len())
            .max()
            .unwrap_or(1);
        let per_thread = (widest + threads - 1) / threads;
        let position = match (thread, from_inside) {
            (None, _) => step.clone(),
            (Some(thread), 0) if per_thread == 1 => thread.to_string(),
            (Some(thread), 0) => format!("{step} * {name} + {thread}"),
            (Some(thread), _) if per_thread == 1 => thread.to_string(),
            (Some(thread), _) => format!("{thread} * {per_thread} + {step}"),
        };
        self.out.open(format!(
            "for (int {step} = 0; {step} < {per_thread}; ++{step}) {{"
        ));
        if is_hex {
            self.out
                .line(format!("const int {r} = row_lo[a] + {position};"));
            self.out.line(format!("if ({r} > row_hi[a]) continue;"));
        } else {
            self.out.line(format!("const int {r} = {position}{skew};"));
            if widest % threads != 0 {
                self.out.line(format!(
                    "if ({r} >= {}{skew}) continue;",
                    self.width_name(j)
                ));
            }
        }
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
        let hex_origin = self.origin(self.hex_dim()).to_string();
        let t0 = self.origins[0].clone();
        self.out
            .line("// A block executes whole hexagons: its classical tiles one after the other.");
        // The second number keeps ptxas from trading registers for blocks that
        // do not fit anyway, and from taking so many that too few do.
        let min_blocks = match ir.block[0] * ir.block[1] {
            ..=256 => 3,
            257..=512 => 2,
            _ => 1,
        };
        self.out.line(format!(
            "__global__ void __launch_bounds__(THREADS, {min_blocks})"
        ));
        self.out.open("kernel(const Args args, const Wave wave) {");
        let mut body = std::mem::replace(
            &mut self.out,
            Writer {
                text: String::new(),
                depth: 1,
            },
        );
        self.out
            .open("for (long long s = blockIdx.x; s < wave.n_tiles; s += gridDim.x) {");
        self.out.line(format!(
            "const long long {hex_origin} = wave.first + s * PITCH;"
        ));
        let mut loops = 0;
        for c in &ir.schedule.classical {
            let origin = self.origin(c.dim).to_string();
            let width = self.width_name(c.dim);
            self.out.open(format!(
                "for (long long {origin} = wave.{origin}_first; {origin} <= wave.{origin}_last; {origin} += {width}) {{"
            ));
            loops += 1;
        }
        let arguments = format!("wave.a_first, wave.a_end, {}", self.origins.join(", "));
        match &ir.full {
            Some(full) => {
                let full = ast_to_c(full, &self.names);
                self.out.line(format!("const bool full = {full};"));
                self.out.open("if (full)");
                self.out.line(format!("tile<true>(args, {arguments});"));
                self.out.depth -= 1;
                self.out.open("else");
                self.out.line(format!("tile<false>(args, {arguments});"));
                self.out.depth -= 1;
            }
            None => self.out.line(format!("tile<false>(args, {arguments});")),
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
        self.out.line(format!("const long long {t0} = wave.{t0};"));
        self.out.text.push_str(&body);
        self.out.close("}");
        self.out.line("");
    }

    fn launch(&mut self) {
        let ir = self.ir;
        let s = &ir.schedule;
        let hex = self.hex_dim();
        self.out.line("#ifndef __CUDACC_RTC__");
        self.out
            .line("// Runs the whole computation on device arrays, in order on a stream.");
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
        self.out.line(format!(
            "const long long u_lo = K * {t}_lo, u_hi = K * {t}_hi + K - 1; // logical time"
        ));
        if ir.shared_bytes > 0 {
            self.out
                .line("// More than 48 KiB of shared memory must be asked for.");
            self.out.line("cudaError_t error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED_BYTES);");
            self.out.line("if (error != cudaSuccess) return error;");
        }
        self.out.line("Wave wave;");
        for c in &s.classical {
            let (origin, dim, width) =
                (self.origin(c.dim), self.dim(c.dim), self.width_name(c.dim));
            let skew = c.skew(s.hexagon.height() - 1);
            let line = format!(
                "wave.{origin}_first = floor_div({dim}_lo, {width}) * {width}, wave.{origin}_last = {};",
                add_constant(&format!("{dim}_hi"), skew)
            );
            self.out.line(line);
        }
        self.out.open("for (long long time_tile = floor_div(u_lo, ROWS); time_tile <= floor_div(u_hi + HEX_H + 1, ROWS); ++time_tile) {");
        self.out.open(match s.phase_order {
            [Phase::Zero, _] => "for (int phase = 0; phase < 2; ++phase) {",
            [Phase::One, _] => "for (int phase = 1; phase >= 0; --phase) {",
        });
        self.out
            .line("const long long u0 = time_tile * ROWS - (phase == 0 ? HEX_H + 1 : 0);");
        self.out
            .line("if (u0 > u_hi || u0 + ROWS <= u_lo) continue;");
        self.out
            .line("const long long origin = -time_tile * DRIFT - (phase == 0 ? SHIFT : 0);");
        let dim = self.dim(hex).to_string();
        self.out.line(format!(
            "const long long first = floor_div({dim}_lo - B_MAX - origin + PITCH - 1, PITCH);"
        ));
        self.out.line(format!(
            "const long long last = floor_div({dim}_hi - B_MIN - origin, PITCH);"
        ));
        self.out.line("if (first > last) continue;");
        let t0 = self.origins[0].clone();
        self.out.line(format!("wave.{t0} = floor_div(u0, K);"));
        self.out
            .line("wave.a_first = u0 < u_lo ? (int)(u_lo - u0) : 0;");
        self.out
            .line("wave.a_end = u0 + ROWS > u_hi + 1 ? (int)(u_hi + 1 - u0) : ROWS;");
        self.out.line("wave.first = origin + first * PITCH;");
        self.out.line("wave.n_tiles = last - first + 1;");
        self.out.line("const unsigned grid = (unsigned)(wave.n_tiles < (1 << 30) ? wave.n_tiles : (1 << 30));");
        self.out
            .line("kernel<<<grid, dim3(BLOCK_X, BLOCK_Y), SHARED_BYTES, stream>>>(args, wave);");
        self.out.close("}");
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

fn ir_has_lattice(ir: &KernelIr) -> bool {
    ir.stmts.iter().any(|s| s.lattice.is_some())
}

fn space_dim(dim: &SharedDim) -> usize {
    match dim {
        SharedDim::Space { dim, .. } => *dim,
        _ => 0,
    }
}

/// Sizes of the columns of a copy-in table.
fn column_sizes(shared: &SharedBox) -> Vec<i64> {
    let sizes: Vec<i64> = (shared.dims.iter())
        .filter(|d| matches!(d, SharedDim::Space { .. }))
        .map(SharedDim::size)
        .collect();
    if sizes.len() > 1 {
        sizes[1..].to_vec()
    } else {
        sizes
    }
}

fn copy_names(array: &str, column: usize) -> (String, String) {
    let suffix = if column == 0 {
        String::new()
    } else {
        format!("_{column}")
    };
    (
        format!("{array}_in_lo{suffix}"),
        format!("{array}_in_hi{suffix}"),
    )
}

fn is_atom(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
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
