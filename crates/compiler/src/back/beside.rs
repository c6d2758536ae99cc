//! Arrays that have more cells on the device than in the program, beside a domain that is a ring or torus
//! ([`crate::periodic`]).

use super::expr::ast_operand;
use super::names::Names;
use super::parts::{Entered, Parts};
use super::program::{Replacement, extents, pitch};
use super::staged::{PlaneByPlane, borrowed, where_touched};
use crate::kernel::KernelArray;

/// Why memory on the device is filled with NaN.
const FILLED: &str = "what is read beside all cells: NaN";

/// What is said of each dimension of space, for rows and columns; one dimension has a single row.
fn rows_and_columns<T>(mut all: impl DoubleEndedIterator<Item = T>, row: T) -> Option<[T; 2]> {
    let columns = all.next_back()?;
    let rows = all.next_back().unwrap_or(row);
    all.next().is_none().then_some([rows, columns])
}

/// An array with cells beside it, one to three space dimensions behind those that select a plane. Of three, each layer is a plane.
pub(super) struct Beside<'a> {
    array: &'a KernelArray,
    name: String,
    /// Where the program has its planes, if apart.
    parts: Option<Parts<'a>>,
    /// Planes in the program, and on the device.
    planes: [String; 2],
    /// Planes of each part, if several.
    in_part: Option<String>,
    /// Rows and columns in the program, and those of the domain.
    program: [String; 2],
    space: [String; 2],
    /// The first row and column of the domain there.
    first: [i64; 2],
    /// Cells on either side along both.
    cells: [i64; 2],
    /// Layers of the domain, and how many lie on either side, in three dimensions.
    layers: Option<(String, i64)>,
}

impl<'a> Beside<'a> {
    /// `None` for an array that is as large on the device as in the program.
    pub fn of(r: &Replacement<'a>, index: usize, names: &Names) -> Option<Beside<'a>> {
        let sides = r.sides.get(index)?;
        let array = r.interface.arrays.get(index)?;
        if sides.iter().all(|sides| sides.beside == 0) {
            return None;
        }
        let (outer, space) = array
            .extents
            .split_at_checked(array.extents.len().checked_sub(sides.len())?)?;
        let extent = |e| format!("(size_t){}", ast_operand(e, names));
        let [mut own, mut on_device] = extents(array, r.interface.planes[index], names);
        own.truncate(outer.len());
        on_device.truncate(outer.len());
        let (layers, sides, space) = match (sides.as_slice(), space) {
            ([layers, sides @ ..], [_, space @ ..]) if sides.len() == 2 => {
                let (cells, beside) = (extent(&layers.cells), layers.beside);
                own.push(cells.clone());
                on_device.push(format!("({cells} + {})", 2 * beside));
                (Some((cells, beside)), sides, space)
            }
            (sides, space) => (None, sides, space),
        };
        let planes = [&own, &on_device].map(|all| match all.as_slice() {
            [] => "(size_t)1".to_string(),
            outer => outer.join(" * "),
        });
        let parts = Parts::of(array, names);
        // The first subscript selects a part, the others a plane of it.
        let in_part = (parts.is_some() && own.len() > 1).then(|| own[1..].join(" * "));
        let one = "(size_t)1".to_string();
        let cells = sides.iter().map(|sides| extent(&sides.cells));
        Some(Beside {
            array,
            name: names.get(&array.name),
            parts,
            planes,
            in_part,
            program: rows_and_columns(space.iter().map(extent), one.clone())?,
            space: rows_and_columns(cells, one)?,
            first: rows_and_columns(sides.iter().map(|sides| sides.first), 0)?,
            cells: rows_and_columns(sides.iter().map(|sides| sides.beside), 0)?,
            layers,
        })
    }

    /// Lines that say how large the array is, in the program and on the device.
    fn sizes(&self) -> Vec<String> {
        let (name, elem, what) = (&self.name, self.array.elem, &self.array.name);
        let ([rows, columns], [beside_rows, beside_columns]) = (&self.space, self.cells);
        let own = &self.planes[0];
        let mut lines = vec![
            format!(
                "  const size_t {name}_planes = {own}, {name}_rows = {rows}, {name}_width = sizeof({elem}) * {columns};"
            ),
            match beside_rows {
                0 => format!("  // With {beside_columns} columns on either side."),
                _ => format!(
                    "  // With {beside_rows} rows above and below and {beside_columns} columns on either side."
                ),
            },
            format!(
                "  const size_t {name}_all_rows = {name}_rows + {};",
                2 * beside_rows
            ),
        ];
        let beside = format!(" + {} * sizeof({elem})", 2 * beside_columns);
        lines.extend(pitch(name, what, &beside));
        lines
    }

    /// Lines that make the array on the device, for a field of `Args`; `touched` says when the program has it.
    pub fn enter(&self, field: &str, touched: &str) -> Vec<String> {
        let (name, what, planes) = (&self.name, &self.array.name, &self.planes[1]);
        let mut lines: Vec<String> = self.parts.iter().map(Parts::places).collect();
        lines.extend(self.sizes());
        lines.extend([
            format!(
                "  check(cudaMalloc((void **)&{name}_device, {planes} * {name}_all_rows * {name}_pitch), \"allocating {what}\");"
            ),
            format!(
                "  check(cudaMemset({name}_device, 0xff, {planes} * {name}_all_rows * {name}_pitch), \"filling {what}\"); // {FILLED}"
            ),
            format!("  for (size_t plane = 0; plane < {name}_planes; ++plane)"),
            format!(
                "    {touched}check(cudaMemcpy2D({}, {name}_pitch, {}, {name}_width, {name}_rows, cudaMemcpyHostToDevice), \"copying {what} to the device\");",
                self.on_device("device"),
                self.in_program()
            ),
            match self.array.pitched {
                true => format!(
                    "  args.{field} = {name}_device, args.{field}_pitch = (int){name}_pitch;"
                ),
                false => format!("  args.{field} = {name}_device;"), // a single row
            },
        ]);
        lines
    }

    /// Lines that copy the array back.
    pub fn leave(&self, touched: &str) -> Vec<String> {
        let (name, what) = (&self.name, &self.array.name);
        vec![
            format!("  for (size_t plane = 0; plane < {name}_planes; ++plane)"),
            format!(
                "    {touched}check(cudaMemcpy2D({}, {}, {name}_pitch, {name}_width, {name}_rows, cudaMemcpyDeviceToHost), \"copying {what} back\");",
                self.in_program(),
                self.on_device("device")
            ),
        ]
    }

    /// For tiles that work on a copy of what the program has where kernels find it: what is done before the kernels, behind them,
    /// and when they have ended, as in [`super::staged`]. `touched` is the condition that the program has the array.
    pub fn staged(&self, field: &str, touched: Option<String>) -> [String; 3] {
        let (name, what) = (&self.name, &self.array.name);
        let plane = self.plane();
        let (bytes, in_program) = match self.parts {
            None => (
                format!("{name}_planes * {plane}"),
                format!("(char *){name}_entered + plane * {plane}"),
            ),
            Some(_) => {
                let is_moved = self.first != [0, 0] || self.in_part.is_some();
                let cast = if is_moved { "(char *)" } else { "" };
                let planes = self.in_part.iter().map(|n| format!("{n} * "));
                let bytes = format!("{}{plane}", planes.collect::<String>());
                (bytes, self.of_parts("entered", cast))
            }
        };
        let bytes = where_touched(bytes, touched);
        let sizes = self.sizes().join("\n");
        let staged = PlaneByPlane {
            array: self.array,
            name,
            what,
            planes: format!("{name}_planes"),
            all: format!("{} * {name}_all_rows * {name}_pitch", self.planes[1]),
            entered: Entered::of(self.parts.as_ref(), name, what),
            in_program: self.behind_ghosts(&in_program),
            in_tiles: self.on_device("tiles"),
            filled: FILLED,
            apart: None,
        };
        staged.arrays(
            field,
            format!("{sizes}\n  const size_t {name}_bytes = {bytes};\n"),
        )
    }

    /// The same for rows that the program reaches through pointers, of which a call knows array number `position`.
    pub fn in_rows(&self, field: &str, position: usize) -> [String; 3] {
        let (name, what, elem) = (&self.name, &self.array.name, self.array.elem);
        let (written, planes) = (self.array.written, &self.planes[1]);
        let [[rows, columns], [beside_rows, beside_columns]] = [self.first, self.cells];
        let copy = |back: bool| {
            format!(
                "  copy_rows_inside<{elem}>(tiled[{position}], known.entered[{position}], {name}_first, {name}_cells, {name}_pitch, {back}); // {what}\n"
            )
        };
        let all = format!("{planes} * {name}_all_rows * {name}_pitch");
        let before = format!(
            "{}\n  const Inside {name}_cells = {{{rows}, {name}_rows, {columns}, {}, {}, {name}_all_rows}};\n{}  void *const {name}_first = (char *){name}_tiles + {beside_rows} * {name}_pitch + {beside_columns} * sizeof({elem});\n{}",
            self.sizes().join("\n"),
            self.space[1],
            self.program[0],
            borrowed(self.array, (name, what), field, (&all, FILLED)),
            copy(false),
        );
        let behind = match written {
            true => copy(true),
            false => String::new(),
        };
        let after = format!(
            "  give_back({name}_tiles, \"freeing {what}\");\n  known.leave({position}, {written}, \"{what}\");\n"
        );
        [before, behind, after]
    }

    /// The first cell of the domain in a plane of what is on the device, `NAME_device` or `NAME_tiles`.
    fn on_device(&self, where_to: &str) -> String {
        let (name, elem, [rows, columns]) = (&self.name, self.array.elem, self.cells);
        let plane = match &self.layers {
            None => "plane".to_string(),
            Some((n, beside)) => {
                format!(
                    "(plane / {n} * ({n} + {}) + plane % {n} + {beside})",
                    2 * beside
                )
            }
        };
        format!(
            "(char *){name}_{where_to} + ({plane} * {name}_all_rows + {rows}) * {name}_pitch + {columns} * sizeof({elem})"
        )
    }

    /// The first cell of the domain in a plane of the program, and how far rows are from each other there.
    fn in_program(&self) -> String {
        if self.parts.is_some() {
            return self.behind_ghosts(&self.of_parts("parts", ""));
        }
        let (name, constant) = (&self.name, super::program::const_of(self.array));
        let plane = self.plane();
        self.behind_ghosts(&format!("({constant}char *){name} + plane * {plane}"))
    }

    /// A plane of what the program has apart, where `NAME_where` tells where the parts are.
    fn of_parts(&self, where_from: &str, cast: &str) -> String {
        let name = &self.name;
        match &self.in_part {
            None => format!("{cast}{name}_{where_from}[plane]"),
            Some(n) => format!(
                "{cast}{name}_{where_from}[plane / ({n})] + plane % ({n}) * {}",
                self.plane()
            ),
        }
    }

    /// The bytes of a plane in the program.
    fn plane(&self) -> String {
        let (name, [rows, _]) = (&self.name, &self.program);
        match self.is_whole() {
            true => format!("{name}_rows * {name}_width"),
            false => format!("{rows} * {}", self.row()),
        }
    }

    /// The bytes of a row in the program.
    fn row(&self) -> String {
        match self.is_whole() {
            true => format!("{}_width", self.name),
            false => format!("sizeof({}) * {}", self.array.elem, self.program[1]),
        }
    }

    /// Whether the domain is all that the program has.
    fn is_whole(&self) -> bool {
        self.space == self.program
    }

    /// The first cell of the domain in a plane that begins there, and how far rows are from each other.
    fn behind_ghosts(&self, plane: &str) -> String {
        let row = self.row();
        let rows = match self.first[0] {
            0 => String::new(),
            first => format!(" + {first} * {row}"),
        };
        let columns = match self.first[1] {
            0 => String::new(),
            first => format!(" + {first} * sizeof({})", self.array.elem),
        };
        format!("{plane}{rows}{columns}, {row}")
    }
}
