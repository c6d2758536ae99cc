//! Arrays whose planes the program has behind pointers of their own, which it swaps after each step: on the device they
//! are one array.

use super::expr::ast_operand;
use super::names::Names;
use super::program::{const_of, fits, padded, pitch};
use super::staged::{PlaneByPlane, where_touched};
use crate::kernel::KernelArray;
use std::fmt::Write;

/// An array of which the program has the planes apart.
pub(super) struct Parts<'a> {
    array: &'a KernelArray,
    /// In the host function.
    name: String,
    /// What it is in messages: `u and v`.
    what: String,
    /// Elements of a plane along all its dimensions but the last.
    rows: String,
    /// The same along the last.
    columns: String,
    /// The pointers, in the order of the planes.
    pointers: Vec<String>,
}

impl<'a> Parts<'a> {
    /// `None` where the program has the array itself, or its rows apart: these are gathered in one block.
    pub fn of(array: &'a KernelArray, names: &Names) -> Option<Parts<'a>> {
        let (last, rows) = array.extents.get(1..)?.split_last()?;
        let extent = |e| format!("(size_t){}", ast_operand(e, names));
        let rows: Vec<String> = rows.iter().map(extent).collect();
        (!array.parts.is_empty() && array.rows.is_none()).then(|| Parts {
            array,
            name: names.get(&array.name),
            what: array.parts.join(" and "),
            rows: match rows.is_empty() {
                true => "1".to_string(),
                false => rows.join(" * "),
            },
            columns: extent(last),
            pointers: array.parts.iter().map(|part| names.get(part)).collect(),
        })
    }

    /// The line that leaves in `NAME_parts` where the planes are.
    pub fn places(&self) -> String {
        let constant = const_of(self.array);
        let pointers: Vec<String> = (self.pointers.iter())
            .map(|pointer| format!("({constant}char *){pointer}"))
            .collect();
        format!(
            "  {constant}char *const {}_parts[] = {{{}}}; // what is plane 0, 1, .. in the first step",
            self.name,
            pointers.join(", ")
        )
    }

    /// The first byte of a plane on the device.
    fn on_device(&self) -> String {
        let name = &self.name;
        match self.array.pitched {
            true => format!("(char *){name}_device + plane * {name}_rows * {name}_pitch"),
            false => format!("(char *){name}_device + plane * {name}_bytes"),
        }
    }

    /// Lines that make the array on the device, for a field of `Args`; `touched` says when the program has it.
    pub fn enter(&self, field: &str, touched: &str) -> String {
        let (name, what, elem) = (&self.name, &self.what, self.array.elem);
        let (rows, columns, n) = (&self.rows, &self.columns, self.pointers.len());
        let mut t = self.places() + "\n";
        let mut line = |text: String| {
            let _ = writeln!(t, "  {text}");
        };
        let copy = match self.array.pitched {
            true => {
                line(format!(
                    "const size_t {name}_rows = {rows}, {name}_width = sizeof({elem}) * {columns}; // of a plane"
                ));
                for text in pitch(name, what, "") {
                    line(text.trim_start().to_string());
                }
                line(format!(
                    "check(cudaMalloc((void **)&{name}_device, {n} * {name}_rows * {name}_pitch), \"allocating {what}\");"
                ));
                line(format!(
                    "check(cudaMemset({name}_device, 0xff, {n} * {name}_rows * {name}_pitch), \"filling {what}\"); // rows are read with their padding: NaN"
                ));
                format!(
                    "cudaMemcpy2D({}, {name}_pitch, {name}_parts[plane], {name}_width, {name}_width, {name}_rows, cudaMemcpyHostToDevice)",
                    self.on_device()
                )
            }
            false => {
                line(format!(
                    "const size_t {name}_bytes = sizeof({elem}) * {rows} * {columns}; // of a plane"
                ));
                line(format!(
                    "check(cudaMalloc((void **)&{name}_device, {n} * {name}_bytes), \"allocating {what}\");"
                ));
                format!(
                    "cudaMemcpy({}, {name}_parts[plane], {name}_bytes, cudaMemcpyHostToDevice)",
                    self.on_device()
                )
            }
        };
        line(format!("for (size_t plane = 0; plane < {n}; ++plane)"));
        line(format!(
            "  {touched}check({copy}, \"copying {what} to the device\");"
        ));
        line(match self.array.pitched {
            true => {
                format!("args.{field} = {name}_device, args.{field}_pitch = (int){name}_pitch;")
            }
            false => format!("args.{field} = {name}_device;"),
        });
        t
    }

    /// Lines that copy the planes back.
    pub fn leave(&self, touched: &str) -> String {
        let (name, what, n) = (&self.name, &self.what, self.pointers.len());
        let copy = match self.array.pitched {
            true => format!(
                "cudaMemcpy2D({name}_parts[plane], {name}_width, {}, {name}_pitch, {name}_width, {name}_rows, cudaMemcpyDeviceToHost)",
                self.on_device()
            ),
            false => format!(
                "cudaMemcpy({name}_parts[plane], {}, {name}_bytes, cudaMemcpyDeviceToHost)",
                self.on_device()
            ),
        };
        format!(
            "  for (size_t plane = 0; plane < {n}; ++plane)\n    {touched}check({copy}, \"copying {what} back\");\n"
        )
    }

    /// For tiles that work on a copy of what the program has where kernels find it: what is done before the kernels, behind them,
    /// and when they have ended, as in [`super::staged`]. `touched` is the condition that the program has the array.
    pub fn staged(&self, field: &str, touched: Option<String>, apart: bool) -> [String; 3] {
        let (name, what, elem) = (&self.name, &self.what, self.array.elem);
        let (rows, columns, n) = (&self.rows, &self.columns, self.pointers.len());
        let bytes = where_touched(format!("sizeof({elem}) * {rows} * {columns}"), touched);
        let mut sizes = vec![
            format!("  const size_t {name}_bytes = {bytes}; // of a plane"),
            format!(
                "  const size_t {name}_rows = {rows}, {name}_width = sizeof({elem}) * {columns};"
            ),
        ];
        let mut entered = Entered::of(Some(self), name, what);
        match apart {
            true => entered.line.push_str(&self.stays()),
            false => sizes.extend(pitch(name, what, "")),
        }
        let staged = PlaneByPlane {
            array: self.array,
            name,
            what,
            planes: n.to_string(),
            all: format!("{n} * {name}_rows * {name}_pitch"),
            entered,
            in_program: format!("{name}_entered[plane], {name}_width"),
            in_tiles: format!("(char *){name}_tiles + plane * {name}_rows * {name}_pitch"),
            filled: "rows are read with their padding: NaN",
            apart: apart.then_some(n),
        };
        staged.arrays(field, sizes.join("\n") + "\n")
    }

    /// Lines that say whether tiles can use the planes where they are, and how far rows are from each other then.
    fn stays(&self) -> String {
        let name = &self.name;
        let aligned: String = (0..self.pointers.len())
            .map(|plane| format!(" && (size_t){name}_entered[{plane}] % 32 == 0"))
            .collect();
        let (padded, fits) = (padded(name, ""), fits(name, &self.what));
        format!(
            "  // Tiles use the planes where they are if all rows start at multiples of 32 bytes; their own rows start at multiples of 128.
  const bool {name}_stays = {name}_bytes && {name}_width % 32 == 0{aligned};
  const size_t {name}_pitch = {name}_stays ? {name}_width : {padded};
{fits}\n"
        )
    }
}

/// Where kernels find what the program has of an array.
pub(super) struct Entered {
    /// The line that leaves it in `NAME_entered`.
    pub line: String,
    /// The program's pointers, where kernels find what they point to, and what they are in messages.
    pub pointers: Vec<(String, String, String)>,
}

impl Entered {
    /// Of an array with a name in the host function and one in messages; `NAME_bytes` says how large each part is.
    pub fn of(parts: Option<&Parts>, name: &str, what: &str) -> Entered {
        let Some(parts) = parts else {
            return Entered {
                line: format!(
                    "  void *const {name}_entered = enter({name}, {name}_bytes, \"{what}\");\n"
                ),
                pointers: vec![(
                    name.to_string(),
                    format!("{name}_entered"),
                    what.to_string(),
                )],
            };
        };
        let all = parts.pointers.iter().zip(&parts.array.parts);
        let entered: Vec<String> = (all.clone())
            .map(|(pointer, part)| format!("enter({pointer}, {name}_bytes, \"{part}\")"))
            .collect();
        Entered {
            line: format!(
                "  void *const {name}_entered[] = {{{}}}; // what is plane 0, 1, .. in the first step\n",
                entered.join(", ")
            ),
            pointers: (all.enumerate())
                .map(|(plane, (pointer, part))| {
                    let place = format!("{name}_entered[{plane}]");
                    (pointer.clone(), place, part.clone())
                })
                .collect(),
        }
    }
}
