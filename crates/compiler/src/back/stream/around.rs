//! Domains that are a ring or torus: before each launch the cells beside them are filled with those of the other side.

use super::Printer;
use crate::back::expr::ast_to_c;
use crate::kernel::stream::Around;

/// Names that are used where a domain goes around.
pub(super) const FIXED: &[&str] = &[
    "BESIDE_ROWS",
    "BESIDE_COLUMNS",
    "RIM",
    "wrap",
    "opposite",
    "plane",
    "height",
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

impl Printer<'_> {
    /// The kernel that fills the cells beside a domain.
    pub(super) fn wrap(&mut self) {
        let Some(Around { beside, rim }) = &self.ir.around else {
            return;
        };
        let (rows, columns, along) = match *beside.as_slice() {
            [rows, columns] => (rows, columns, format!("{} and {}", self.i, self.j)),
            [columns] => (0, columns, self.j.clone()),
            _ => return,
        };
        let constants = format!(
            "constexpr int BESIDE_ROWS = {rows}, BESIDE_COLUMNS = {columns}, RIM = {rim}; // cells on either side along {along}"
        );
        self.out.line("");
        for line in HEAD.lines().chain([constants.as_str()]).chain(WRAP.lines()) {
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
        let (blocks, height, width) = match array.extents.as_slice() {
            [.., height, width] if self.ir.pipeline.n_space == 2 => {
                (2048, extent(height), extent(width))
            }
            [.., width] => (1, "1".to_string(), extent(width)),
            [] => return String::new(),
        };
        format!(
            "wrap<{elem}><<<{blocks}, 128, 0, stream>>>(({elem} *){plane}, {pitch}, {height}, {width});"
        )
    }
}
