//! The kernel text for three space dimensions: a block of warps streams planes.
//!
//! A lane holds a patch of R rows and V columns of a few planes of every level. Columns beside
//! it come from the lanes beside it, rows from the warps beside it: through shared memory, one
//! iteration after they were made. All tiles run the same code; cells that no statement writes
//! keep what they held one level before.

use super::super::expr::{Row, ast_operand, ast_to_c, bits};
use super::super::names::{mentions, without_comments};
use super::super::text::{Writer, add_constant};
use super::{ADDRESSES, Printer, growth};
use crate::kernel::stream::{Coefficient, Domain, Growth, Piece, Record, StreamRead};
use hexcc_isl::{AstExpr, AstOp};
use std::collections::BTreeSet;

/// What a lane holds and how it moves; the same for every stencil.
const PATCHES: &str = r"// A coordinate; far outside of every array where it does not fit.
__device__ constexpr int narrow(long long x) { return (int)lowest(highest(x, -(1 << 30)), 1 << 30); }
// The nearest of n places.
__device__ constexpr int inside(int x, int n) { return x < 0 ? 0 : x < n ? x : n - 1; }
// Whether a set of cells has the one in row r and column v of a patch.
__device__ constexpr bool has(unsigned cells, int r, int v) { return cells >> (r * V + v) & 1; }
// What one instruction moves.
template <typename Element> struct alignas(V * sizeof(Element)) Columns { Element x[V]; };
@RING@// R rows of V columns in each lane, with those it needs of the warps and lanes beside it.
template <typename Element, int ABOVE, int BELOW, int LEFT, int RIGHT> struct Patch {
  Element x[ABOVE + R + BELOW][LEFT + V + RIGHT];
  __device__ __forceinline__ Element &operator()(int r, int v) { return x[ABOVE + r][LEFT + v]; }
  __device__ __forceinline__ void load_row(int r, const Element *from) {
    const Columns<Element> next = *(const Columns<Element> *)from;
#pragma unroll
    for (int v = 0; v < V; ++v) (*this)(r, v) = next.x[v];
  }
  __device__ __forceinline__ void store_row(int r, Element *to) {
    Columns<Element> next;
#pragma unroll
    for (int v = 0; v < V; ++v) next.x[v] = (*this)(r, v);
    *(Columns<Element> *)to = next;
  }
  // Its rows lie so many bytes behind the start of a plane.
  __device__ __forceinline__ void load(const Element *plane, const unsigned (&offset)[R]) {
#pragma unroll
    for (int r = 0; r < R; ++r) load_row(r, (const Element *)((const char *)plane + offset[r]));
  }
  __device__ __forceinline__ void store(Element *plane, const unsigned (&offset)[R], unsigned rows) {
#pragma unroll
    for (int r = 0; r < R; ++r) if (rows >> r & 1) store_row(r, (Element *)((char *)plane + offset[r]));
  }
  // Takes columns before and behind these rows from the lanes that own them.
  __device__ __forceinline__ void columns(int before, int behind, int first, int last) {
#pragma unroll
    for (int r = first; r <= last; ++r)
#pragma unroll
      for (int c = 1; c <= (before > behind ? before : behind); ++c) {
        const int away = (c + V - 1) / V;
        if (c <= before) (*this)(r, -c) = __shfl_up_sync(~0u, (*this)(r, V * away - c), away);
        if (c <= behind) (*this)(r, V - 1 + c) = __shfl_down_sync(~0u, (*this)(r, c - 1 - V * (away - 1)), away);
      }
  }
  // Hands its outer rows to the warps beside it, through its place in a page.
  __device__ __forceinline__ void publish(Element *place) {
#pragma unroll
    for (int r = 0; r < BELOW + ABOVE; ++r) store_row(r < BELOW ? r : R - ABOVE + r - BELOW, place + r * COLS);
  }
  // Takes the rows beside it from the places of the warps above and below.
  __device__ __forceinline__ void rows(const Element *above, const Element *below) {
#pragma unroll
    for (int r = 0; r < ABOVE + BELOW; ++r)
      load_row(r < ABOVE ? r - ABOVE : R + r - ABOVE, r < ABOVE ? above + (BELOW + r) * COLS : below + (r - ABOVE) * COLS);
  }
};
// Adds a plane to those held, FIRST planes before the newest, which is 0.
template <int FIRST, int DEPTH, typename Patch> __device__ __forceinline__ void push(Patch (&planes)[DEPTH], const Patch &next) {
#pragma unroll
  for (int d = DEPTH - 1; d > FIRST; --d) planes[d] = planes[d - 1];
  planes[FIRST] = next;
}
";

/// Patches of a [`RING`].
const TAKEN: &str = r"// Rows of the block from an older plane of a ring, with what lies beside them.
template <typename Element, int LEFT, int RIGHT, typename Ring> __device__ __forceinline__ auto taken(const Ring &ring, int before, int first) {
  Patch<Element, 0, 0, LEFT, RIGHT> to;
#pragma unroll
  for (int r = 0; r < R; ++r) to.load_row(r, ring.at(before, first + r));
  to.columns(LEFT, RIGHT, 0, R - 1);
  return to;
}
";

pub(super) const COMPARE: &str = r"// Whether buffers differ in cells that are never written, which levels would have to tell apart.
template <typename Bits>
__global__ void compare(const Bits *a, const Bits *b, long long pitch, int n_i, int n_j, int n_k, int i_lo, int i_hi, int j_lo, int j_hi, int k_lo, int k_hi, int *differ) {
  for (long long at = blockIdx.x; at < (long long)n_i * n_j; at += gridDim.x) {
    const long long i = at / n_j, j = at % n_j;
    const int written = i >= i_lo && i <= i_hi && j >= j_lo && j <= j_hi ? k_hi - k_lo + 1 : 0;
    for (int n = threadIdx.x, k; n < n_k - written; n += blockDim.x)
      if (k = n < k_lo ? n : n + written, row(a, at, pitch)[k] != row(b, at, pitch)[k]) *differ = 1;
  }
}
";

/// A sum as a factor.
fn parenthesized(text: &str) -> String {
    match text.contains(' ') {
        true => format!("({text})"),
        false => text.to_string(),
    }
}

/// Patches of a coefficient that a statement reads: from one plane, at one distance of rows.
pub(super) struct Loaded {
    /// Among [`crate::kernel::stream::StreamIr::coefficients`].
    coefficient: usize,
    /// Distance along the streamed dimension and the rows.
    at: (i64, i64),
    name: String,
    /// Columns beside it.
    margin: (i64, i64),
}

/// Planes of arrays that are only read.
const RING: &str = r"// The block's part of SLOTS planes of an array that is only read, in shared memory.
template <typename Element, int SLOTS> struct Ring {
  Element *planes; // the lane's columns in the first row: [SLOTS][ROWS][COLS]
  int slot; // of the plane that is read first in this iteration; older ones lie before it
  __device__ __forceinline__ int next() const { return slot + 1 == SLOTS ? 0 : slot + 1; }
  // Copies rows from a plane of so many rows to a slot; the patch begins at (row, column), or at what is nearest.
  __device__ __forceinline__ void fetch(int to, const Element *plane, int height, int pitch, int row, int column, int warp) {
    const unsigned offset = (unsigned)inside(column, pitch / (int)sizeof(Element) - V + 1) * sizeof(Element);
#pragma unroll
    for (int r = 0; r < R; ++r)
      __pipeline_memcpy_async(planes + (to * ROWS + warp * R + r) * COLS, (const char *)plane + (unsigned)inside(row + r, height) * (unsigned)pitch + offset, V * sizeof(Element));
  }
  // Row r of the block, some planes before the one that is read first.
  __device__ __forceinline__ const Element *at(int before, int r) const {
    return planes + ((slot < before ? slot - before + SLOTS : slot - before) * ROWS + inside(r, ROWS)) * COLS;
  }
};
";

impl Printer<'_> {
    pub(super) fn plane_constants(&mut self) {
        let ir = self.ir;
        let tile = ir.tile;
        let (i, j, k) = (self.i.clone(), self.middle.clone(), self.j.clone());
        let lines = [
            format!(
                "V = {}, R = {}; // neighbouring columns along {k} and rows along {j} of a lane",
                tile.vector, tile.rows
            ),
            format!(
                "WARPS = {}, THREADS = 32 * WARPS; // of a block: one below the other along {j}",
                tile.warps
            ),
            "COLS = 32 * V, ROWS = R * WARPS; // of a tile".to_string(),
            format!("STEPS = {}; // T: time steps of a launch", tile.steps),
            format!(
                "LAG = {}; // planes along {i} by which a time step follows the one before",
                ir.pipeline.step_lag
            ),
            format!(
                "UNROLL = {}; // planes of an iteration of the loop",
                ir.unroll()
            ),
        ];
        for line in lines {
            self.out.line(format!("constexpr int {line}"));
        }
        self.out.line("");
        let g = ir.growths;
        self.out.line(format!(
            "// What a tile of `Steps` time steps needs: columns along {k} and rows along {j} beside its results,"
        ));
        self.out.line(
            "// planes before the first result enters, and planes in excess of those of results.",
        );
        self.out.open("template <int Steps> struct Reach {");
        let [left, right, above, below, before, extra] =
            [g.left, g.right, g.above, g.below, g.before, g.extra].map(growth);
        self.out.line(format!("static constexpr int LEFT = {left}, RIGHT = {right}, ABOVE = {above}, BELOW = {below}, BEFORE = {before}, EXTRA = {extra};"));
        self.out.line("static constexpr int FIRST_LANE = (LEFT + V - 1) / V; // the first whose columns are results");
        self.out.line("static constexpr int LANES = 32 - FIRST_LANE - (RIGHT + V - 1) / V, WIDTH = V * LANES, HEIGHT = ROWS - ABOVE - BELOW;");
        let pages: Vec<String> = (0..ir.fields.len())
            .filter_map(|f| self.page_bytes(f))
            .collect();
        let pages = if pages.is_empty() {
            "0".to_string()
        } else {
            pages.join(" + ")
        };
        self.out.line(format!(
            "static constexpr int PAGE = {pages}; // bytes: outer rows of all warps and levels"
        ));
        let rings: String = (ir.coefficients().iter())
            .map(|c| {
                let slots = parenthesized(&self.slots_text(c));
                format!(
                    " + {slots} * ROWS * COLS * (int)sizeof({})",
                    ir.stencil.arrays[c.array].elem
                )
            })
            .collect();
        self.out.line(format!(
            "static constexpr int BYTES = 2 * PAGE{rings}; // of shared memory"
        ));
        self.out.close("};");
        self.out.line("");
        let (ring, taken) = match ir.coefficients().is_empty() {
            true => ("", ""),
            false => (RING, TAKEN),
        };
        let patches = PATCHES.replace("@RING@", ring);
        for part in [ADDRESSES, &patches, taken] {
            self.out.text.push_str(part);
        }
        self.out.line("");
        self.record_types();
    }

    /// Bytes of a field's levels in a page.
    fn page_bytes(&self, f: usize) -> Option<String> {
        let (least, most) = self.ir.ages(f, |row, _| row != 0)?;
        let (above, below) = self.ir.fields[f].rows;
        let levels = growth(Growth {
            constant: most - least,
            per_step: 1,
        });
        let levels = parenthesized(&levels);
        Some(format!(
            "{levels} * WARPS * {} * COLS * (int)sizeof({})",
            above + below,
            self.elem(f)
        ))
    }

    fn patch_type(&self, f: usize) -> String {
        let field = &self.ir.fields[f];
        let ((above, below), (left, right)) = (field.rows, field.margin);
        format!("Patch<{}, {above}, {below}, {left}, {right}>", self.elem(f))
    }

    pub(super) fn plane_kernel(&mut self) {
        let inner = Writer {
            text: String::new(),
            depth: 1,
        };
        let outer = std::mem::replace(&mut self.out, inner);
        self.plane_body();
        let body = std::mem::replace(&mut self.out, outer).text;
        self.quotients(Row::No);
        self.out
            .line("// A tile a block. Cells that no statement writes keep what they held.");
        if self.compared().next().is_some() {
            self.out
                .line("// Tiles of one time step tell apart what time buffers hold there.");
        }
        self.out.line("template <int Steps>");
        self.out.open(format!(
            "__global__ void __launch_bounds__(THREADS, {}) kernel(const __grid_constant__ Args args, const __grid_constant__ Pass pass) {{",
            self.ir.tile.min_blocks
        ));
        self.parameters(&body);
        self.out.text.push_str(&body);
        self.out.close("}");
        self.out.line("");
    }

    fn plane_body(&mut self) {
        let ir = self.ir;
        let (i, j, k) = (self.i.clone(), self.middle.clone(), self.j.clone());
        self.out.line("using Shape = Reach<Steps>;");
        self.out.line("extern __shared__ __align__(16) unsigned char memory[]; // two pages, of this and the last iteration, and planes");
        let exchanges = (0..ir.fields.len()).any(|f| self.page_bytes(f).is_some());
        let others = match exchanges {
            true => ", above = warp > 0 ? warp - 1 : 0, below = warp + 1 < WARPS ? warp + 1 : warp",
            false => "",
        };
        self.out.line(format!("const int lane = threadIdx.x % 32, warp = __shfl_sync(~0u, (int)threadIdx.x / 32, 0){others};"));
        self.out.line(format!("const int tile_{k} = blockIdx.x % pass.tiles_{k}, rest = blockIdx.x / pass.tiles_{k}, tile_{j} = rest % pass.tiles_{j}, chunk = rest / pass.tiles_{j};"));
        self.out.line(format!("const int {i}_first = pass.{i}_lo + chunk * pass.planes, {i}_last = (int)lowest({i}_first + pass.planes - 1, pass.{i}_hi);"));
        self.out.line(format!("const int {j}_mine = pass.{j}_lo + tile_{j} * Shape::HEIGHT - Shape::ABOVE + warp * R; // the lane's first row and column"));
        self.out.line(format!("const int column = pass.{k}_lo + tile_{k} * Shape::WIDTH + (lane - Shape::FIRST_LANE) * V;"));
        self.out.line("const bool results = lane >= Shape::FIRST_LANE && lane < Shape::FIRST_LANE + Shape::LANES;");
        self.plane_domains();
        for f in 0..ir.fields.len() {
            self.plane_offsets(f);
        }
        self.coefficients();
        for f in 0..ir.fields.len() {
            self.plane_mover(f);
        }
        self.cells_of_results();
        self.out.line("");
        self.levels_of_planes();
        let coefficients: Vec<_> = (ir.coefficients().into_iter())
            .zip(self.coefficient_names())
            .collect();
        if !coefficients.is_empty() {
            // The first iteration reads older planes, too, and its values may be results.
            let fetches = coefficients.iter().flat_map(|(c, name)| {
                (0..=c.depth()).map(move |slot| {
                    let away = slot - c.depth() - ir.pipeline.step_lag - c.before.0;
                    format!("fetch_{name}({slot}, {}), ", add_constant("begin", away))
                })
            });
            let fetches: String = fetches.collect();
            self.out.line(format!("{fetches}__pipeline_commit();"));
        }
        self.places();
        self.out
            .line("int page = 0; // where this iteration's begins");
        self.out.open("auto advance = [&](int newest) __attribute__((always_inline)) { // newest enters at level 0");
        self.out.line("const int former = Shape::PAGE - page;");
        for f in 0..ir.fields.len() {
            for a in 0..ir.loaded(f) {
                let (name, level) = (self.fields[f].clone(), self.level(f, "0", -a));
                let first = ir.enters(f, a);
                self.out
                    .line(format!("push<{first}>({name}[{level}], {name}_{a}_next);"));
                self.load_next(f, a, "newest", 1);
            }
        }
        if !coefficients.is_empty() {
            self.out.line("__pipeline_wait_prior(0);");
        }
        self.out
            .line("__syncthreads(); // loads stay before it, an iteration ahead");
        if !coefficients.is_empty() {
            let fetches = coefficients.iter().map(|(c, name)| {
                let plane = add_constant("newest", 1 - ir.pipeline.step_lag - c.before.0);
                format!("fetch_{name}({name}_ring.next(), {plane}), ")
            });
            let fetches: String = fetches.collect();
            self.out.line(format!("{fetches}__pipeline_commit();"));
        }
        for f in 0..ir.fields.len() {
            for a in 0..ir.live(f) {
                let level = self.level(f, "0", -a);
                self.beside(f, &level, "", -a);
            }
        }
        self.out.line("#pragma unroll");
        self.out.open("for (int s = 0; s < Steps; ++s) {");
        self.out
            .line("// Time step t0 + s: levels s + 1, a plane each.");
        let before = std::mem::take(&mut self.out.text);
        for f in 0..ir.fields.len() {
            self.plane_stage(f);
        }
        (0..ir.records.len()).for_each(|r| self.fold_plane(r));
        let stages = std::mem::replace(&mut self.out.text, before);
        if mentions(&without_comments(&stages), &self.t) {
            let line = format!("const long long {} = pass.t0 + s;", self.t);
            self.out.line(line);
        }
        self.out.text.push_str(&stages);
        self.out.close("}");
        for f in 0..ir.fields.len() {
            self.plane_stores(f);
        }
        self.out.line("page = former;");
        let turns: Vec<String> = (coefficients.iter())
            .map(|(_, name)| format!("{name}_ring.slot = {name}_ring.next()"))
            .collect();
        if !turns.is_empty() {
            self.out.line(format!("{};", turns.join(", ")));
        }
        self.out.close("};");
        self.out.line("#pragma unroll 1");
        self.out.line(format!("for (int newest = begin; newest <= {i}_last - Shape::BEFORE + Shape::EXTRA; newest += UNROLL)"));
        self.out.line("#pragma unroll");
        self.out
            .line("  for (int u = 0; u < UNROLL; ++u) advance(newest + u);");
        self.end_records();
    }

    /// The levels of all fields, in `parts` of a type, with what a tile has of each record.
    pub(super) fn levels(&mut self, (parts, ty): (&str, impl Fn(&Self, usize) -> String)) {
        self.out.line(format!("// X[q + buffers - 1][d]: level q of X, which is X after time step t0 + q - 1; d {parts} before the newest."));
        for f in 0..self.ir.fields.len() {
            let (name, ty) = (&self.fields[f], ty(self, f));
            let levels = add_constant("Steps", self.buffers(f));
            let depth = self.ir.pipeline.depth[f];
            self.out
                .line(format!("{ty} {name}[{levels}][{depth}] = {{}};"));
        }
        self.begin_records();
    }

    /// The levels of all fields, with the planes that enter first.
    fn levels_of_planes(&mut self) {
        let (ir, i) = (self.ir, self.i.clone());
        self.levels(("planes", Self::patch_type));
        self.out
            .line(format!("const int begin = {i}_first - Shape::BEFORE;"));
        for f in 0..ir.fields.len() {
            for a in 0..ir.loaded(f) {
                let (name, ty) = (self.fields[f].clone(), self.patch_type(f));
                self.out.line(format!(
                    "{ty} {name}_{a}_next = {{}}; // the plane that enters next"
                ));
                self.load_next(f, a, "begin", 0);
            }
        }
    }

    /// `in_S(i)`: the cells of the patch at which a statement executes in a plane, bit by bit.
    fn plane_domains(&mut self) {
        let (i, j, k) = (self.i.clone(), self.middle.clone(), self.j.clone());
        let pieces = self.ir.fields.iter().flat_map(|f| &f.pieces);
        for piece in pieces.chain(self.ir.records.iter().map(|r| &r.piece)) {
            let name = self.ir.stencil.stmts[piece.stmt].name.clone();
            match &piece.domain {
                Domain::Box(ranges) => {
                    for (dim, range) in [&i, &j, &k].into_iter().zip(ranges) {
                        let lo = ast_to_c(&range.lo, &self.names);
                        let hi = ast_operand(&range.hi, &self.names);
                        self.out.line(format!("const int {name}_{dim} = narrow({lo}), {name}_{dim}_n = narrow(highest({hi} - {name}_{dim} + 1, 0));"));
                    }
                    let test = |dim: &str, at: &str| {
                        format!("(unsigned)({at} - {name}_{dim}) < (unsigned){name}_{dim}_n")
                    };
                    self.out.line(format!("unsigned {name}_cells = 0; // of the patch, bit by bit, where {name} executes"));
                    let rows = test(&j, &format!("{j}_mine + c / V"));
                    let columns = test(&k, "column + c % V");
                    self.out.line("#pragma unroll");
                    self.out.line(format!("for (int c = 0; c < R * V; ++c) {name}_cells |= (unsigned)({rows} && {columns}) << c;"));
                    self.out.line(format!(
                        "auto in_{name} = [&](int {i}) {{ return {} ? {name}_cells : 0; }};",
                        test(&i, &i)
                    ));
                }
                Domain::Any(guard) => {
                    let guard = ast_to_c(guard, &self.names);
                    self.out.open(format!("auto in_{name} = [&](int {i}) {{ // cells of the patch, bit by bit, where {name} executes"));
                    self.out.line("unsigned cells = 0;");
                    self.out.line("#pragma unroll");
                    self.out.open("for (int c = 0; c < R * V; ++c) {");
                    self.out.line(format!(
                        "const int {j} = {j}_mine + c / V, {k} = column + c % V;"
                    ));
                    self.out.line(format!("cells |= (unsigned)({guard}) << c;"));
                    self.out.close("}");
                    self.out.line("return cells;");
                    self.out.close("};");
                }
            }
        }
    }

    /// The cells of a plane that statements write, bit by bit.
    fn plane_written(&self, f: usize, plane: &str) -> String {
        let pieces: Vec<String> = (self.ir.fields[f].pieces.iter())
            .map(|p| format!("in_{}({plane})", self.ir.stencil.stmts[p.stmt].name))
            .collect();
        pieces.join(" | ")
    }

    /// Sizes of a field, where the patch lies in its planes, and the rows that hold results.
    fn plane_offsets(&mut self, f: usize) {
        let (j, name) = (self.middle.clone(), self.fields[f].clone());
        let array = self.array(f);
        let extents = &array.extents[array.extents.len() - 3..];
        let sizes: Vec<String> = (["depth", "height", "width"].iter().zip(extents))
            .map(|(size, e)| format!("{name}_{size} = narrow({})", ast_to_c(e, &self.names)))
            .collect();
        let offset = self.offset(
            self.ir.fields[f].array,
            &format!("{name}_height"),
            &format!("{j}_mine + r"),
        );
        self.out.line(format!("const int {};", sizes.join(", ")));
        self.out.line(format!("unsigned {name}_offset[R], {name}_rows = 0; // bytes from the start of a plane; rows of results, bit by bit"));
        self.out.line("#pragma unroll");
        self.out.open("for (int r = 0; r < R; ++r) {");
        self.out.line(format!("{name}_offset[r] = {offset};"));
        self.out.line(format!(
            "const int row = warp * R + r - Shape::ABOVE, {j} = {j}_mine + r;"
        ));
        self.out.line(format!("{name}_rows |= (unsigned)(results && column < {name}_width && row >= 0 && row < Shape::HEIGHT && {j} <= pass.{j}_hi && {j} < {name}_height) << r;"));
        self.out.close("}");
    }

    /// Condition under which an array has no elements, as where the statements that touch it do
    /// not execute; empty where it always has.
    fn empty(&self, array: usize) -> String {
        let extents = &self.ir.stencil.arrays[array].extents;
        let empty: BTreeSet<String> = (extents.iter())
            .filter(|e| !matches!(e, AstExpr::Int(1..)))
            .map(|e| match e {
                AstExpr::Op(AstOp::Add | AstOp::Sub, _) => ast_to_c(e, &self.names),
                _ => ast_operand(e, &self.names),
            })
            .map(|e| format!("{e} < 1"))
            .collect();
        empty.into_iter().collect::<Vec<_>>().join(" || ")
    }

    fn leave_if_empty(&mut self, array: usize) {
        let empty = self.empty(array);
        if !empty.is_empty() {
            let line = format!("if ({empty}) return; // nothing to load");
            self.out.line(line);
        }
    }

    /// Bytes from the start of a plane of an array to the lane's columns in a row, or to the
    /// nearest that exist.
    fn offset(&self, array: usize, height: &str, row: &str) -> String {
        let array = &self.ir.stencil.arrays[array];
        let pitch = format!("args.{}_pitch", self.names.get(&array.name));
        let size = array.elem.size();
        format!(
            "(unsigned)inside({row}, {height}) * (unsigned){pitch} + (unsigned)inside(column, {pitch} / {size} - V + 1) * {size}"
        )
    }

    /// Names of the coefficients.
    fn coefficient_names(&self) -> Vec<String> {
        (self.ir.coefficients().iter())
            .map(|c| {
                let name = self.names.get(&self.ir.stencil.arrays[c.array].name);
                c.plane.iter().fold(name, |name, p| format!("{name}_{p}"))
            })
            .collect()
    }

    /// `C_ring` and `fetch_C(to, i)`, which copies the block's part of a plane to a slot of it.
    fn coefficients(&mut self) {
        let ir = self.ir;
        let (i, j) = (self.i.clone(), self.middle.clone());
        let mut start = "2 * Shape::PAGE".to_string();
        for (c, name) in ir.coefficients().iter().zip(self.coefficient_names()) {
            let array = ir.stencil.arrays[c.array].clone();
            let (argument, elem) = (self.names.get(&array.name), array.elem);
            let n = array.extents.len();
            let mut plane = String::new();
            for (p, extent) in c.plane.iter().zip(&array.extents) {
                plane = match plane.as_str() {
                    "" => p.to_string(),
                    _ => format!("({plane}) * {} + {p}", ast_operand(extent, &self.names)),
                };
            }
            let [depth, height] = [n - 3, n - 2]
                .map(|d| format!("narrow({})", ast_to_c(&array.extents[d], &self.names)));
            let inside = format!("inside({i}, {depth})");
            let plane = match plane.as_str() {
                "" | "0" => format!("(long long){inside}"),
                _ => format!(
                    "(({plane}) * {} + {inside})",
                    ast_operand(&array.extents[n - 3], &self.names)
                ),
            };
            let slots = self.slots_text(c);
            self.out.line(format!("Ring<{elem}, {slots}> {name}_ring = {{({elem} *)(memory + {start}) + lane * V, {}}};", c.depth()));
            let exists = match self.empty(c.array) {
                empty if empty.is_empty() => String::new(),
                empty => format!("if (!({empty})) "),
            };
            self.out.line(format!("auto fetch_{name} = [&](int to, int {i}) {{ {exists}{name}_ring.fetch(to, row({argument}, {plane} * {height}, args.{argument}_pitch), {height}, args.{argument}_pitch, {j}_mine, column, warp); }};"));
            start = format!(
                "{start} + {} * ROWS * COLS * (int)sizeof({elem})",
                parenthesized(&slots)
            );
        }
    }

    fn slots_text(&self, c: &Coefficient) -> String {
        let lag = self.ir.pipeline.step_lag;
        growth(Growth {
            constant: c.depth() + 2 - lag,
            per_step: lag,
        })
    }

    /// What a main statement reads of coefficients.
    fn patches(&self, piece: &Piece) -> Vec<Loaded> {
        let coefficients = self.ir.coefficients();
        let names = self.coefficient_names();
        let mut all: Vec<Loaded> = Vec::new();
        for read in &piece.reads {
            let Some((found, [i, j, k])) = self.ir.coefficient_read(piece, read) else {
                continue;
            };
            let Some(coefficient) = coefficients.iter().position(|c| c.is_of(&found)) else {
                continue;
            };
            let at = all
                .iter()
                .position(|l| l.coefficient == coefficient && l.at == (i, j));
            let at = at.unwrap_or_else(|| {
                all.push(Loaded {
                    coefficient,
                    at: (i, j),
                    name: format!("{}_at{}", names[coefficient], all.len()),
                    margin: (0, 0),
                });
                all.len() - 1
            });
            let (lo, hi) = &mut all[at].margin;
            (*lo, *hi) = ((*lo).max(-k), (*hi).max(k));
        }
        all
    }

    /// The element of a patch that a read is of.
    fn coefficient(&self, piece: &Piece, read: &StreamRead, loaded: &[Loaded]) -> Option<String> {
        let (found, [i, j, k]) = self.ir.coefficient_read(piece, read)?;
        let coefficients = self.ir.coefficients();
        let patch = loaded
            .iter()
            .find(|l| l.at == (i, j) && coefficients[l.coefficient].is_of(&found))?;
        Some(format!("{}(r, {})", patch.name, add_constant("v", k)))
    }

    /// `load_A(to, .., i)` and `store_A(from, out, i)`: planes of a field.
    fn plane_mover(&mut self, f: usize) {
        let i = self.i.clone();
        let (name, elem, ty) = (self.fields[f].clone(), self.elem(f), self.patch_type(f));
        let pitch = format!("args.{}_pitch", self.names.get(&self.array(f).name));
        let array = self.ir.fields[f].array;
        if self.ir.live(f) > 0 && self.buffers(f) == 1 {
            self.out.open(format!(
                "auto load_{name} = [&]({ty} &to, const {elem} *in, int {i}) {{"
            ));
            self.leave_if_empty(array);
            self.out.line(format!("to.load(row(in, (long long)inside({i}, {name}_depth) * {name}_height, {pitch}), {name}_offset);"));
            self.out.close("};");
        } else if self.ir.live(f) == 0 {
            self.out.open(format!("auto load_{name} = [&]({ty} &to, const {elem} *kept, int {i}) {{ // what no statement writes"));
            self.leave_if_empty(array);
            self.out.line(format!("if (({}) != ~0u >> (32 - R * V)) to.load(row(kept, (long long)inside({i}, {name}_depth) * {name}_height, {pitch}), {name}_offset);", self.plane_written(f, &i)));
            self.out.close("};");
        } else {
            self.plane_loader(f);
        }
        self.out.open(format!(
            "auto store_{name} = [&]({ty} &from, {elem} *out, int {i}) {{"
        ));
        self.out.line(format!("if ({i} >= {i}_first && {i} <= {i}_last && {i} < {name}_depth) from.store(row(out, (long long){i} * {name}_height, {pitch}), {name}_offset, {name}_rows);"));
        self.out.close("};");
    }

    /// `load_A(to, in, kept, i)` for a field of several time buffers that launches hand on.
    fn plane_loader(&mut self, f: usize) {
        let (i, j) = (self.i.clone(), self.middle.clone());
        let (name, elem, ty) = (self.fields[f].clone(), self.elem(f), self.patch_type(f));
        let pitch = format!("args.{}_pitch", self.names.get(&self.array(f).name));
        self.out.open(format!(
            "auto load_{name} = [&]({ty} &to, const {elem} *in, const {elem} *kept, int {i}) {{"
        ));
        self.leave_if_empty(self.ir.fields[f].array);
        self.out.line(format!(
            "const long long plane = (long long)inside({i}, {name}_depth) * {name}_height;"
        ));
        self.out.line(format!(
            "if (Steps > 1) return to.load(row(in, plane, {pitch}), {name}_offset);"
        ));
        self.out.line(format!(
            "const unsigned written = {};",
            self.plane_written(f, &i)
        ));
        self.out.line("#pragma unroll");
        self.out.open("for (int c = 0; c < R * V; ++c) { // what statements write from `in`, the rest from `kept`");
        self.out.line(format!(
            "const int r = c / V, v = c % V, {j} = inside({j}_mine + r, {name}_height);"
        ));
        self.out.line(format!("to(r, v) = row(has(written, r, v) ? in : kept, plane + {j}, {pitch})[inside(column + v, {name}_width)];"));
        self.out.close("}");
        self.out.close("};");
    }

    /// Loads the plane that level `-a` gets so many iterations after `newest`.
    fn load_next(&mut self, f: usize, a: i64, newest: &str, ahead: i64) {
        let name = self.fields[f].clone();
        let late = self.ir.pipeline.lag_of(f, -a) + self.ir.enters(f, a);
        let plane = add_constant(newest, ahead - late);
        self.out.line(match a < self.ir.live(f) {
            true if self.buffers(f) == 1 => {
                format!("load_{name}({name}_{a}_next, pass.{name}_in[{a}], {plane});")
            }
            true => format!(
                "load_{name}({name}_{a}_next, pass.{name}_in[{a}], pass.{name}_kept[{a}], {plane});"
            ),
            false => format!("load_{name}({name}_{a}_next, pass.{name}_kept[{a}], {plane});"),
        });
    }

    /// `A_place(page, level, warp)`: where a warp's outer rows lie for the lane.
    fn places(&mut self) {
        let mut before: Vec<String> = Vec::new();
        for f in 0..self.ir.fields.len() {
            let Some(bytes) = self.page_bytes(f) else {
                continue;
            };
            let (name, elem) = (self.fields[f].clone(), self.elem(f));
            let (above, below) = self.ir.fields[f].rows;
            let start: String = before.iter().map(|b| format!(" + {b}")).collect();
            self.out.line(format!("auto {name}_place = [&](int page, int level, int warp) {{ // where the warp's outer rows lie"));
            self.out.line(format!("  return ({elem} *)(memory + page{start}) + (level * WARPS + warp) * {} * COLS + lane * V;", above + below));
            self.out.line("};");
            before.push(bytes);
        }
    }

    /// Hands on the outer rows of the newest plane of a level, and gets what lies beside the
    /// patch in the planes that need it. The level is `text` + `constant`, of X `level`.
    fn beside(&mut self, f: usize, level: &str, text: &str, constant: i64) {
        let ir = self.ir;
        let field = &ir.fields[f];
        let name = self.fields[f].clone();
        // Levels that are read: from 1 - the largest age to T - the smallest.
        let condition = |(least, most): (i64, i64)| match text {
            "" => (constant >= 1 - most).then(|| match constant + least {
                // A launch of fewer steps has no reader, nor a place for it in shared memory.
                reader if reader > 1 => format!("if ({reader} <= Steps) "),
                _ => String::new(),
            }),
            _ if least > 0 => Some(format!(
                "if ({} <= Steps) ",
                add_constant(text, constant + least)
            )),
            _ => Some(String::new()),
        };
        if let Some(ages) = ir.ages(f, |row, _| row != 0)
            && let Some(condition) = condition(ages)
        {
            let of = match text {
                "" => (constant + ages.1 - 1).to_string(),
                _ => add_constant(text, constant + ages.1 - 1),
            };
            self.out.open(format!("{condition}{{"));
            self.out.line(format!(
                "{name}[{level}][0].publish({name}_place(page, {of}, warp));"
            ));
            self.out.line(format!("{name}[{level}][1].rows({name}_place(former, {of}, above), {name}_place(former, {of}, below));"));
            let ((lo, hi), (above, below)) = (field.corners, field.rows);
            if (lo, hi) != (0, 0) {
                for (first, last) in [(-above, -1), (0, below - 1)] {
                    if last >= first {
                        let rows = match first {
                            0 => format!("R, {}", add_constant("R", last)),
                            _ => format!("{first}, {last}"),
                        };
                        self.out
                            .line(format!("{name}[{level}][1].columns({lo}, {hi}, {rows});"));
                    }
                }
            }
            self.out.close("}");
        }
        if let Some(ages) = ir.ages(f, |_, column| column != 0)
            && let Some(condition) = condition(ages)
        {
            let (lo, hi) = field.margin;
            // A plane of a level from 0 down cannot be had before it enters.
            let there = match text {
                "" => ir.enters(f, -constant),
                _ => 0,
            };
            self.out.line(format!(
                "{condition}{name}[{level}][{}].columns({lo}, {hi}, 0, R - 1);",
                field.exchanged.max(there)
            ));
        }
    }

    /// One plane of the next level of a field.
    fn plane_stage(&mut self, f: usize) {
        let ir = self.ir;
        let field = &ir.fields[f];
        let (name, elem, ty) = (self.fields[f].clone(), self.elem(f), self.patch_type(f));
        let (i, j, k) = (self.i.clone(), self.middle.clone(), self.j.clone());
        let at = self.level(f, "s", 1);
        let before = format!(
            "{name}[{}][{}]",
            self.level(f, "s", 0),
            ir.pipeline.step_lag
        );
        // Where buffers differ, tiles of one step keep what the right one holds.
        let tells_apart = self.buffers(f) > 1;
        let kept = match tells_apart {
            true => "kept(r, v)".to_string(),
            false => format!("{before}(r, v)"),
        };
        self.out.open("{");
        let main = &field.pieces[0];
        let stmt = &ir.stencil.stmts[main.stmt];
        self.out.line(format!("// {}", stmt.comment(&stmt.text)));
        self.out
            .line(format!("const int {i} = {};", self.row_number(f, "s + 1")));
        for piece in &field.pieces {
            let name = &ir.stencil.stmts[piece.stmt].name;
            self.out
                .line(format!("const unsigned {name}_here = in_{name}({i});"));
        }
        self.out.line(format!("{ty} next;"));
        if tells_apart {
            let own = format!("pass.{name}_kept[{}]", self.buffers(f) - 1);
            self.out.line(format!("{ty} kept = {before};"));
            self.out.line(format!(
                "if (Steps == 1) load_{name}(kept, {own}, {own}, {i});"
            ));
        }
        let loaded = self.patches(main);
        let (coefficients, names) = (ir.coefficients(), self.coefficient_names());
        for patch in &loaded {
            let c = &coefficients[patch.coefficient];
            let elem = ir.stencil.arrays[c.array].elem;
            let ((away, row), (lo, hi), name) = (patch.at, patch.margin, &patch.name);
            let before = ir.pipeline.lag[f] - away - c.before.0;
            let (ring, before) = (&names[patch.coefficient], add_constant("LAG * s", before));
            let first = add_constant("warp * R", row);
            self.out.line(format!(
                "auto {name} = taken<{elem}, {lo}, {hi}>({ring}_ring, {before}, {first});"
            ));
        }
        self.out.line("#pragma unroll");
        self.out.open("for (int c = 0; c < R * V; ++c) {");
        self.out.line("const int r = c / V, v = c % V;");
        let before = std::mem::take(&mut self.out.text);
        let in_memory = |r: &StreamRead| {
            matches!(r, StreamRead::Memory(_)) && self.coefficient(main, r, &loaded).is_none()
        };
        let reads = self.plane_reads(main, &loaded);
        let any_in_memory = main.reads.iter().any(in_memory);
        if any_in_memory {
            self.out.line(format!("{elem} value = {kept};"));
            self.out
                .open(format!("if (has({}_here, r, v)) {{", stmt.name));
            self.assign(stmt, &reads, "value", Row::No);
            self.out.close("}");
        } else {
            self.assign(stmt, &reads, &format!("{elem} value"), Row::No);
            self.out.line(format!(
                "if (!has({}_here, r, v)) value = {kept};",
                stmt.name
            ));
        }
        for piece in &field.pieces[1..] {
            let stmt = &ir.stencil.stmts[piece.stmt];
            self.out.line(format!("// {}", stmt.comment(&stmt.text)));
            self.out
                .open(format!("if (has({}_here, r, v)) {{", stmt.name));
            let reads = self.plane_reads(piece, &[]);
            self.assign(stmt, &reads, "value", Row::No);
            self.out.close("}");
        }
        let values = std::mem::replace(&mut self.out.text, before);
        let code = without_comments(&values);
        if mentions(&code, &j) {
            self.out.line(format!("const int {j} = {j}_mine + r;"));
        }
        if mentions(&code, &k) {
            self.out.line(format!("const int {k} = column + v;"));
        }
        self.out.text.push_str(&values);
        self.out.line("next(r, v) = value;");
        self.out.close("}");
        self.out.line(format!("push<0>({name}[{at}], next);"));
        self.beside(f, &at, "s", 1);
        self.out.close("}");
    }

    pub(super) fn plane_reads(&self, piece: &Piece, loaded: &[Loaded]) -> Vec<String> {
        let text = |read: &StreamRead| match read {
            StreamRead::Field {
                field,
                age,
                back,
                row,
                column,
            } => format!(
                "{}[{}][{back}]({}, {})",
                self.fields[*field],
                self.level(*field, "s", 1 - age),
                add_constant("r", *row),
                add_constant("v", *column)
            ),
            StreamRead::Memory(_) => {
                (self.coefficient(piece, read, loaded)).unwrap_or_else(|| self.read(read))
            }
            StreamRead::Scalar(_) => self.read(read),
            StreamRead::Recorded => {
                let of_piece = |r: &&Record| r.piece.stmt == piece.stmt;
                let record = self.ir.records.iter().find(of_piece);
                record.map_or(String::new(), |record| self.part_of_step(record))
            }
        };
        piece.reads.iter().map(text).collect()
    }

    /// Stores the levels that the launch hands on, and those that complete the time buffers,
    /// which only launches of one step do.
    fn plane_stores(&mut self, f: usize) {
        let ir = self.ir;
        let name = self.fields[f].clone();
        for a in 0..self.buffers(f) {
            let q = if a == 0 {
                "Steps".to_string()
            } else {
                format!("Steps - {a}")
            };
            let at = self.level(f, "Steps", -a);
            let plane = self.row_number(f, &q);
            // Levels from 0 down enter later.
            let late: Vec<i64> = (0..a).map(|b| ir.enters(f, b)).collect();
            let later = || late.iter().enumerate().filter(|(_, late)| **late > 0);
            let (index, plane) = match later().next() {
                None => ("0".to_string(), plane),
                Some(_) => {
                    let cases: String = later()
                        .map(|(b, late)| format!("Steps == {} ? {late} : ", a - b as i64))
                        .collect();
                    self.out.line(format!(
                        "constexpr int {name}_{a}_late = {cases}0; // planes before the newest"
                    ));
                    (
                        format!("{name}_{a}_late"),
                        format!("{plane} - {name}_{a}_late"),
                    )
                }
            };
            let store =
                format!("store_{name}({name}[{at}][{index}], pass.{name}_out[{a}], {plane});");
            if a < ir.live(f) {
                self.out.line(store);
            } else {
                self.out
                    .line(format!("if (Steps == 1 && pass.{name}_out[{a}]) {store}"));
            }
        }
    }

    /// `compare`, and `plan`: how many planes tiles have.
    pub(super) fn plane_plan(&mut self) {
        let (i, j, k) = (self.i.clone(), self.middle.clone(), self.j.clone());
        if self.compared().next().is_some() {
            self.out.text.push_str(COMPARE);
        }
        self.out.line("// Chooses how many planes tiles have: idle multiprocessors in the last wave cost as much as those that compute.");
        self.out
            .open("template <int Steps> cudaError_t plan(Pass &pass, unsigned &grid) {");
        self.out
            .line("int device = 0, processors = 0, resident = 0, bytes = Reach<Steps>::BYTES;");
        self.out.line("cudaError_t error = cudaGetDevice(&device);");
        self.out.line("if (error == cudaSuccess) error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);");
        self.out.line("if (error == cudaSuccess) error = cudaFuncSetAttribute(kernel<Steps>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);");
        self.out.line("if (error == cudaSuccess) error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel<Steps>, THREADS, bytes);");
        self.out.line("if (error != cudaSuccess) return error;");
        self.out.line(format!("const long long at_once = highest(1, (long long)processors * resident), depth = (long long)pass.{i}_hi - pass.{i}_lo + 1;"));
        self.out.line("long long best = LLONG_MAX;");
        self.out
            .open("for (long long chunks = 1; chunks <= depth; chunks += 1 + chunks / 64) {");
        self.out.line(format!("const long long planes = (depth + chunks - 1) / chunks, n = (depth + planes - 1) / planes, blocks = n * pass.tiles_{j} * pass.tiles_{k};"));
        self.out.line("const long long cost = (blocks + at_once - 1) / at_once * ((planes + Reach<Steps>::EXTRA + UNROLL - 1) / UNROLL * UNROLL);");
        self.out.line(
            "if (cost < best) best = cost, grid = (unsigned)blocks, pass.planes = (int)planes;",
        );
        self.out.close("}");
        self.out.line("return cudaSuccess;");
        self.out.close("}");
    }

    /// The fields whose time buffers must hold the same where no statement writes.
    pub(super) fn compared(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.ir.fields.len()).filter(|f| self.buffers(*f) > 1)
    }

    /// Checks that planes are small enough, and finds out in `differ` whether time buffers hold
    /// the same where no statement writes.
    pub(super) fn comparison_sizes(&mut self) {
        let mut tests: Vec<String> = Vec::new();
        for array in self.ir.stencil.arrays.iter().filter(|a| a.pitched) {
            let rows = ast_operand(&array.extents[array.extents.len() - 2], &self.names);
            tests.push(format!(
                "{rows} * args.{}_pitch > UINT_MAX",
                self.names.get(&array.name)
            ));
        }
        tests.dedup();
        self.out.line(format!(
            "if ({}) return cudaErrorInvalidValue; // offsets in a plane have 32 bits",
            tests.join(" || ")
        ));
        self.out.line("cudaError_t error = cudaSuccess;");
        let compared: Vec<usize> = self.compared().collect();
        if compared.is_empty() {
            return;
        }
        self.out.line("// Levels do not tell apart what time buffers hold in cells that are never written. Where they differ,");
        self.out
            .line("// every launch takes one time step. This waits for what `compare` finds.");
        self.compare_fields(&compared);
        self.decided("differ", true);
    }

    /// Finds out in `differ` whether the time buffers of fields hold different values in cells that are never
    /// written.
    pub(super) fn compare_fields(&mut self, fields: &[usize]) {
        // The first memory that a program allocates in order on a stream takes some 10 ms.
        let Some(next) = (0..self.ir.fields.len()).find(|&f| self.ir.live(f) > 0) else {
            self.out.line("int differ = 1; // nothing is known");
            return;
        };
        self.out.line(format!(
            "int *const flag = (int *)args.{}_next, differ = 0; // memory that holds nothing yet",
            self.fields[next]
        ));
        self.out.line(
            "if (error == cudaSuccess) error = cudaMemsetAsync(flag, 0, sizeof(int), stream);",
        );
        for &f in fields {
            let array = self.array(f).clone();
            let Domain::Box(ranges) = &self.ir.fields[f].pieces[0].domain else {
                continue;
            };
            let argument = self.names.get(&array.name);
            let bits = bits(array.elem);
            let extents = &array.extents[array.extents.len() - ranges.len()..];
            let int = |e: &AstExpr| format!("(int){}", ast_operand(e, &self.names));
            // Dimensions that there are not have one cell.
            let n_missing = 3 - ranges.len();
            let mut sizes = vec!["1".to_string(); n_missing];
            sizes.extend(extents.iter().map(int));
            sizes.extend(vec!["0".to_string(); 2 * n_missing]);
            sizes.extend(
                ranges
                    .iter()
                    .flat_map(|range| [int(&range.lo), int(&range.hi)]),
            );
            let t_lo = format!("{}_lo", self.t);
            let planes: Vec<String> = (0..self.buffers(f))
                .map(|b| self.own_plane(f, &t_lo, b))
                .collect();
            let Some((first, others)) = planes.split_first() else {
                continue;
            };
            for other in others {
                self.out.line(format!("if (error == cudaSuccess) compare<{bits}><<<1024, 128, 0, stream>>>((const {bits} *){first}, (const {bits} *){other}, args.{argument}_pitch, {}, flag);", sizes.join(", ")));
            }
        }
        self.out.line("if (error == cudaSuccess) error = cudaMemcpyAsync(&differ, flag, sizeof(int), cudaMemcpyDeviceToHost, stream);");
        self.out
            .line("if (error == cudaSuccess) error = cudaStreamSynchronize(stream);");
    }
}
