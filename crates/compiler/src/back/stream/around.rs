//! Domains that are a ring or torus: before each launch the cells beside them are filled with those of the other side.

use super::Printer;
use crate::back::expr::ast_to_c;
use crate::kernel::stream::Around;

/// Names that are used where a domain goes around.
pub(in crate::back) const FIXED: &[&str] = &[
    "BESIDE_LAYERS",
    "BESIDE_ROWS",
    "BESIDE_COLUMNS",
    "RIM",
    "wrap",
    "opposite",
    "plane",
    "height",
    "depth",
    "first_layer",
    "n_layers",
    "l",
    "n_rows",
    "n_columns",
    "inside",
    "c",
    "r",
];

const HEAD: &str = "\
// The domain goes around: planes have cells beside it, of which those at the rim are read only. Before a launch the
// others are filled with those of the other side; what the launch makes of them goes wrong from the rim inwards, and
// the domain is right.";

const WRAP: &str = "
// The row or column of a domain of n that the one at x is once more.
__device__ __forceinline__ int opposite(int x, int beside, int n) { return beside + ((x - beside) % n + n) % n; }
template <typename Element>
__global__ void wrap(Element *plane, long long pitch, int height, int width) {
  const int n_rows = height - 2 * BESIDE_ROWS, n_columns = width - 2 * BESIDE_COLUMNS;
  const int first_row = BESIDE_ROWS > 0 ? RIM : 0, first_column = BESIDE_COLUMNS > 0 ? RIM : 0;
  for (int r = first_row + (int)blockIdx.x; r < height - first_row; r += (int)gridDim.x) {
    const int from = BESIDE_ROWS > 0 ? opposite(r, BESIDE_ROWS, n_rows) : r;
    const bool inside = from == r; // the domain's own cells stay
    const int left = BESIDE_COLUMNS - first_column, n = inside ? 2 * left : width - 2 * first_column;
    for (int k = (int)threadIdx.x; k < n; k += (int)blockDim.x) {
      const int c = first_column + (inside && k >= left ? k + n_columns : k);
      row(plane, r, pitch)[c] = row(plane, from, pitch)[BESIDE_COLUMNS > 0 ? opposite(c, BESIDE_COLUMNS, n_columns) : c];
    }
  }
}";

/// The same in three dimensions. Columns beside the lines of the domain are most of the work, as few of them lie together; those
/// at the rim are filled, too, for whole pieces of memory. A warp has one of all other lines.
pub(in crate::back) const WRAP_LAYERS: &str = "
// The layer, row or column of a domain of n that the one at x is once more.
__device__ __forceinline__ int opposite(int x, int beside, int n) { return beside > 0 ? beside + ((x - beside) % n + n) % n : x; }
template <typename Element>
__global__ void wrap(Element *plane, long long pitch, int depth, int height, int width) {
  const int n_layers = depth - 2 * BESIDE_LAYERS, n_rows = height - 2 * BESIDE_ROWS, n_columns = width - 2 * BESIDE_COLUMNS;
  const int first_layer = BESIDE_LAYERS > 0 ? RIM : 0, first_row = BESIDE_ROWS > 0 ? RIM : 0;
  const int thread = (int)((blockIdx.x * blockDim.y + threadIdx.y) * 32 + threadIdx.x), threads = (int)(gridDim.x * blockDim.y) * 32;
  const auto line = [&](int l, int r) { return (Element *)((char *)plane + ((long long)l * height + r) * pitch); };
  constexpr int BOTH = BESIDE_COLUMNS > 0 ? 2 * BESIDE_COLUMNS : 1;
  for (long long n = thread; BESIDE_COLUMNS > 0 && n < (long long)n_layers * n_rows * BOTH; n += threads) {
    const int k = (int)(n % BOTH), own = (int)(n / BOTH), c = k < BESIDE_COLUMNS ? k : k + n_columns;
    Element *const to = line(BESIDE_LAYERS + own / n_rows, BESIDE_ROWS + own % n_rows);
    to[c] = to[opposite(c, BESIDE_COLUMNS, n_columns)];
  }
  const int rows = height - 2 * first_row, all = (depth - 2 * first_layer) * rows;
  for (int n = thread / 32; n < all; n += threads / 32) {
    const int l = first_layer + n / rows, r = first_row + n % rows;
    const int l_from = opposite(l, BESIDE_LAYERS, n_layers), r_from = opposite(r, BESIDE_ROWS, n_rows);
    if (l_from == l && r_from == r) continue; // of the domain
    Element *const to = line(l, r), *const from = line(l_from, r_from);
    for (int c = (int)threadIdx.x; c < width; c += 32) to[c] = from[opposite(c, BESIDE_COLUMNS, n_columns)];
  }
}
";

/// What the domain has beside it; `along` says which dimensions these are.
pub(in crate::back) fn constants(Around { beside, rim }: &Around, along: &str) -> String {
    let beside = match *beside.as_slice() {
        [layers, rows, columns] => {
            format!("BESIDE_LAYERS = {layers}, BESIDE_ROWS = {rows}, BESIDE_COLUMNS = {columns}")
        }
        [rows, columns] => format!("BESIDE_ROWS = {rows}, BESIDE_COLUMNS = {columns}"),
        _ => format!(
            "BESIDE_ROWS = 0, BESIDE_COLUMNS = {}",
            beside.iter().sum::<i64>()
        ),
    };
    format!("{HEAD}\nconstexpr int {beside}, RIM = {rim}; // cells on either side along {along}\n")
}

/// The lines of the kernel that fills the cells beside a domain.
fn kernel(around: &Around, along: &str) -> Vec<String> {
    let text = match around.beside.len() {
        1 | 2 => WRAP,
        _ => WRAP_LAYERS,
    };
    let constants = constants(around, along);
    let lines = constants.lines().chain(text.lines());
    lines.map(str::to_string).collect()
}

/// The launch of that kernel for a plane whose rows are `pitch` bytes apart; `sizes` are those of the plane, one to three.
pub(in crate::back) fn launch(elem: &str, plane: &str, pitch: &str, sizes: &[String]) -> String {
    let (blocks, threads) = match sizes.len() {
        1 => (1, "128"),
        2 => (2048, "128"),
        _ => (2048, "dim3(32, 8)"),
    };
    let row = if sizes.len() == 1 { "1, " } else { "" };
    format!(
        "wrap<{elem}><<<{blocks}, {threads}, 0, stream>>>(({elem} *){plane}, {pitch}, {row}{});",
        sizes.join(", ")
    )
}

/// What three dimensions are called.
pub(in crate::back) const EACH: &str = "each dimension";

impl Printer<'_> {
    /// The kernel that fills the cells beside a domain.
    pub(super) fn wrap(&mut self) {
        let Some(around) = &self.ir.around else {
            return;
        };
        let along = match self.ir.pipeline.n_space {
            1 => self.j.clone(),
            2 => format!("{} and {}", self.i, self.j),
            _ => EACH.to_string(),
        };
        self.out.line("");
        for line in kernel(around, &along) {
            self.out.line(line);
        }
    }

    /// Fills once what all arrays have beside the domain: what no statement writes stays as it is then.
    pub(super) fn wrap_arrays(&mut self, t: &str) {
        if self.ir.around.is_none() {
            return;
        }
        let is_field = |a: usize| self.ir.fields.iter().any(|f| f.array == a);
        let all = 0..self.ir.stencil.arrays.len();
        for array in all.filter(|&a| !is_field(a)) {
            let name = self.names.get(&self.ir.stencil.arrays[array].name);
            let line = self.wrapping(array, &format!("args.{name}"));
            self.out.line(line);
        }
        for f in 0..self.ir.fields.len() {
            for a in 0..self.buffers(f) {
                let plane = self.own_plane(f, &format!("{t}_lo"), -a - 1);
                let line = self.wrapping(self.ir.fields[f].array, &plane);
                self.out.line(line);
            }
        }
    }

    /// Fills the cells beside the domain of all planes that a launch starts from.
    pub(super) fn wrap_planes(&mut self) {
        if self.ir.around.is_none() {
            return;
        }
        for f in 0..self.ir.fields.len() {
            for a in 0..self.ir.live(f) {
                let plane = format!("pass.{}_in[{a}]", self.fields[f]);
                let line = self.wrapping(self.ir.fields[f].array, &plane);
                self.out.line(line);
            }
        }
    }

    /// The launch for a plane of an array.
    fn wrapping(&self, array: usize, plane: &str) -> String {
        let array = &self.ir.stencil.arrays[array];
        let (name, elem) = (self.names.get(&array.name), array.elem);
        let extent = |extent| format!("(int)({})", ast_to_c(extent, &self.names));
        let pitch = match array.pitched {
            true => format!("args.{name}_pitch"),
            false => "0".to_string(), // a single row
        };
        let n = array.extents.len().min(self.ir.pipeline.n_space);
        let sizes: Vec<String> = (array.extents[array.extents.len() - n..].iter())
            .map(extent)
            .collect();
        launch(&elem.to_string(), plane, &pitch, &sizes)
    }
}
