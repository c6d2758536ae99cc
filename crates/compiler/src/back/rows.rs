//! Rows of arrays that the program reaches through pointers, in its host code: functions that find
//! them, and the tests that they share no memory.

use super::expr::{ast_operand, ast_to_c};
use super::fallback::Otherwise;
use super::names::Names;
use super::program::{Replacement, bytes_of, condition};
use crate::interface::{Interface, may_hold_members};
use crate::kernel::KernelArray;
use crate::rows::{Rows, subscript};
use hexcc_isl::AstExpr;
use std::collections::BTreeSet;
use std::fmt::Write;

/// What the functions call, once in a file; C and C++.
const LIBRARY: &str = include_str!("../print/lib/rows.h");
/// The same for kernels that get tables of pointers.
const TABLES: &str = include_str!("../print/lib/rows_table.h");
/// The same for kernels that get dense arrays.
const DENSE: &str = include_str!("../print/lib/rows_dense.h");

/// What kernels get of rows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// A table of pointers to all rows.
    Table,
    /// An array in one block.
    Dense,
}

/// The library for some forms; empty where no interface has rows.
pub(crate) fn library<'a>(
    mut interfaces: impl Iterator<Item = &'a Interface>,
    forms: &[Form],
) -> String {
    if !interfaces.any(has_rows) {
        return String::new();
    }
    let part = |form: &Form| match form {
        Form::Table => TABLES,
        Form::Dense => DENSE,
    };
    let parts: String = forms.iter().map(part).collect();
    format!("#include <string.h>\n{LIBRARY}{parts}")
}

/// Whether an array of the program is in rows.
pub(crate) fn has_rows(interface: &Interface) -> bool {
    interface.arrays.iter().any(|a| a.rows.is_some())
}

/// The function that finds the rows of an array.
pub(crate) fn finder(interface: &Interface, index: usize) -> String {
    format!("{}_rows_{}", interface.name, index + 1)
}

/// The functions that find the rows of each array that has some. Functions of integers have names
/// that begin with `helpers`.
pub(crate) fn finders(interface: &Interface, helpers: &'static str) -> String {
    let arrays = interface.arrays.iter().enumerate();
    let in_rows = arrays.filter_map(|(i, array)| Some((i, array, array.rows.as_ref()?)));
    in_rows
        .map(|(i, array, rows)| finder_text(interface, (i, array, rows), helpers))
        .collect()
}

/// The call of such a function for a table of pointers; `names` are those of sizes.
pub(crate) fn found(interface: &Interface, index: usize, table: &str, names: &Names) -> String {
    call(interface, index, &finder(interface, index), (table, names))
}

/// The call of a function of a table of pointers and the sizes that rows depend on.
pub(super) fn call(
    interface: &Interface,
    index: usize,
    function: &str,
    (table, names): (&str, &Names),
) -> String {
    let mut args = vec![table.to_string()];
    args.extend(sizes(interface, index).iter().map(|size| names.get(size)));
    format!("{function}({})", args.join(", "))
}

/// The sizes that rows of an array depend on.
pub(super) fn sizes(interface: &Interface, index: usize) -> Vec<String> {
    let mut used = BTreeSet::new();
    if let Some(rows) = &interface.arrays[index].rows {
        let ends = rows.ranges.iter().flatten().chain(&rows.accessed);
        let written = rows.written.iter();
        let written = written.flat_map(|(cond, ends)| [cond].into_iter().chain(ends));
        let extents = &interface.arrays[index].extents[..rows.ranges.len()];
        let all = ends.chain(written).chain([&rows.touched]);
        let all = all.chain(extents.iter().skip(1));
        for expr in all.chain([&rows.any]) {
            used.extend(expr.names());
        }
    }
    let is_used = |param: &&String| used.contains(param.as_str());
    interface.params.iter().filter(is_used).cloned().collect()
}

fn finder_text(
    interface: &Interface,
    (index, array, rows): (usize, &KernelArray, &Rows),
    helpers: &'static str,
) -> String {
    let mut names = Names::new(&["rows", "table", "row", "struct"]).with_helpers(helpers);
    for helper in ["floor_div", "lowest", "highest", "mod"] {
        let name = names.helper(helper);
        names.fresh(&name);
    }
    let params: Vec<String> = (sizes(interface, index).iter())
        .map(|size| format!(", long long {}", names.user(size)))
        .collect();
    let mut text = format!(
        "\n// Rows of {} that are touched.\nstatic struct hexcc_rows {}(const void *table{}) {{\n  struct hexcc_rows rows = {{0}};\n",
        array.name,
        finder(interface, index),
        params.concat()
    );
    if let Some(any) = condition(&rows.any, &names) {
        let _ = writeln!(text, "  if (!({any})) return rows;");
    }
    let mut place = "table".to_string();
    let mut number = String::new();
    for (d, [first, last]) in rows.ranges.iter().enumerate() {
        let i = names.fresh("ijkl".get(d..=d).unwrap_or("i"));
        names.rename(&subscript(d), &i);
        let _ = writeln!(
            text,
            "{}for (long long {i} = {}; {i} <= {}; ++{i})",
            "  ".repeat(d + 1),
            ast_to_c(first, &names),
            ast_operand(last, &names)
        );
        place = format!("hexcc_follow(&rows, {d}, {place}, {i})");
        number = match number.is_empty() {
            true => i,
            false => format!(
                "({number}) * {} + {i}",
                ast_operand(&array.extents[d], &names)
            ),
        };
    }
    let mut indent = "  ".repeat(rows.ranges.len() + 1);
    if let Some(touched) = condition(&rows.touched, &names) {
        let _ = writeln!(text, "{indent}if ({touched})");
        indent.push_str("  ");
    }
    let size = format!("sizeof({})", array.elem);
    let ends = |[first, last]: &[AstExpr; 2], names: &Names| {
        let [first, last] = [first, last].map(|end| ast_operand(end, names));
        [first, format!("({last} + 1)")].map(|end| format!("{size} * (size_t){end}"))
    };
    let touched = ends(&rows.accessed, &names).join(", ");
    let written = match &rows.written {
        None => ["0".to_string(), "0".to_string()],
        Some((cond, written)) => match (condition(cond, &names), ends(written, &names)) {
            (None, ends) => ends,
            (Some(cond), ends) => ends.map(|end| format!("({cond}) ? {end} : 0")),
        },
    };
    let _ = writeln!(
        text,
        "{indent}hexcc_add_row(&rows, {number}, {place}, {touched}, {});\n  return rows;\n}}",
        written.join(", ")
    );
    text
}

/// The lines of a host function that find all rows, and test that they share memory with nothing
/// that is touched; none without rows.
pub(super) fn host_tests(r: &Replacement, names: &Names) -> Vec<String> {
    let declared = match r.otherwise {
        Otherwise::Ends => "struct hexcc_rows ",
        Otherwise::RunsLoops => "",
    };
    let place = |_: usize, name: &str| [declared, ""].map(|before| format!("{before}{name}_found"));
    let arrays = r.interface.arrays.iter();
    let tables = arrays.filter_map(|array| {
        let (name, pointers) = planes(array, names)?;
        Some(format!(
            "  const void *const {name}[] = {{{}}}; // what is plane 0, 1, .. in the first step",
            pointers.join(", ")
        ))
    });
    tables.chain(tests(r, names, place)).collect()
}

/// The same, where rows of an array are found in a place: as it is assigned, and as it is used.
pub(super) fn tests(
    r: &Replacement,
    names: &Names,
    place: impl Fn(usize, &str) -> [String; 2],
) -> Vec<String> {
    let interface = r.interface;
    if !has_rows(interface) {
        return Vec::new();
    }
    let mut lines = vec!["  struct hexcc_pieces pieces = {0};".to_string()];
    for (index, array) in interface.arrays.iter().enumerate() {
        let (name, what) = (names.get(&array.name), what(array));
        if array.local {
            continue;
        }
        if array.rows.is_none() {
            lines.extend(blocks(interface, array, names).into_iter().map(|(what, bytes)| {
                let (name, written) = (names.get(&what), i32::from(array.written));
                format!("  hexcc_touch(&pieces, {name}, (const char *){name} + {bytes}, {written}, \"{what}\");")
            }));
            continue;
        }
        let call = found(interface, index, &format!("{name}_pointers"), names);
        let [assigned, used] = place(index, &name);
        lines.push(format!("  {assigned} = {call};"));
        lines.push(format!(
            "  hexcc_touch_rows(&pieces, &{used}, \"{what}\", \"the pointers of {what}\");"
        ));
    }
    if interface.arrays.iter().any(may_hold_members) {
        for member in interface.guarded_members() {
            let name = names.get(&member.name);
            lines.push(format!(
                "  hexcc_touch(&pieces, {name}_at, (const char *){name}_at + {name}_size, 0, \"{}\");",
                member.value
            ));
        }
    }
    let test = format!("hexcc_separate_all(&pieces, \"{}\", ", interface.name);
    lines.push(match r.otherwise {
        Otherwise::Ends => format!("  {test}0);"),
        Otherwise::RunsLoops => format!("  if (!{test}&said)) throw Unfit();"),
    });
    lines
}

/// What an array in one block is called and the bytes of it that may be touched, as C, or the same of its planes where the
/// program has these apart.
pub(super) fn blocks(
    interface: &Interface,
    array: &KernelArray,
    names: &Names,
) -> Vec<(String, String)> {
    let program = interface.handed_over();
    let is_of = |part: &KernelArray| {
        part.rows.is_none() && (part.name == array.name || array.parts.contains(&part.name))
    };
    let parts = program.arrays.iter().enumerate();
    (parts.filter(|(_, part)| is_of(part)))
        .map(|(index, part)| (part.name.clone(), touched_bytes(&program, index, names)))
        .collect()
}

/// The table of the pointers to the planes of an array in rows, and these, where the program has the planes apart.
pub(super) fn planes(array: &KernelArray, names: &Names) -> Option<(String, Vec<String>)> {
    let of = |name: &String| format!("{}_pointers", names.get(name));
    let is_apart = array.rows.is_some() && !array.parts.is_empty();
    is_apart.then(|| (of(&array.name), array.parts.iter().map(of).collect()))
}

/// What an array in rows is in messages.
fn what(array: &KernelArray) -> String {
    match array.parts.is_empty() {
        true => array.name.clone(),
        false => array.parts.join(" and "),
    }
}

/// The bytes of an array that may be touched, as C.
pub(super) fn touched_bytes(interface: &Interface, index: usize, names: &Names) -> String {
    let bytes = bytes_of(&interface.arrays[index], names);
    match condition(&interface.touched[index], names) {
        None => bytes,
        Some(touched) => format!("(({touched}) ? {bytes} : 0)"),
    }
}

/// Lines that declare what [`host_tests`] and [`dense`] find and make of rows, for a function that
/// may give up on the way.
pub(super) fn declarations(r: &Replacement, names: &Names) -> Vec<String> {
    let mut lines = Vec::new();
    for array in r.interface.arrays.iter().filter(|a| a.rows.is_some()) {
        let (name, elem) = (names.get(&array.name), array.elem);
        lines.push(format!("  struct hexcc_rows {name}_found = {{}};"));
        lines.push(format!("  {elem} *{name} = nullptr;"));
    }
    lines
}

/// Lines that free these.
pub(super) fn releases(r: &Replacement, names: &Names) -> Vec<String> {
    let mut lines = Vec::new();
    for array in r.interface.arrays.iter().filter(|a| a.rows.is_some()) {
        let name = names.get(&array.name);
        lines.push(format!("    free({name});"));
        lines.push(format!("    hexcc_free_rows(&{name}_found);"));
    }
    lines
}

/// How many rows an array has, as C.
pub(super) fn count(array: &KernelArray, names: &Names) -> String {
    let n = array.rows.as_ref().map_or(0, |rows| rows.ranges.len());
    product(&array.extents[..n], names)
}

/// The bytes between rows of an array that is one block, as C.
fn width(array: &KernelArray, names: &Names) -> String {
    let n = array.rows.as_ref().map_or(0, |rows| rows.ranges.len());
    let elements = product(&array.extents[n..], names);
    format!("sizeof({}) * {elements}", array.elem)
}

fn product(extents: &[AstExpr], names: &Names) -> String {
    let factors = extents.iter();
    let factors = factors.map(|e| format!("(size_t){}", ast_operand(e, names)));
    factors.collect::<Vec<_>>().join(" * ")
}

/// The lines of a host function that make arrays in one block of rows, and those that copy these
/// back.
pub(super) fn dense(r: &Replacement, names: &Names) -> (Vec<String>, Vec<String>) {
    let interface = r.interface;
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for array in interface.arrays.iter().filter(|a| a.rows.is_some()) {
        let (name, elem, width) = (names.get(&array.name), array.elem, width(array, names));
        let bytes = bytes_of(array, names);
        let declared = match r.otherwise {
            Otherwise::Ends => format!("{elem} *const "),
            Otherwise::RunsLoops => String::new(),
        };
        before.push(format!(
            "  {declared}{name} = ({elem} *)hexcc_gather(&{name}_found, {bytes}, {width});"
        ));
        if array.written {
            after.push(format!(
                "  hexcc_scatter(&{name}_found, (const char *){name}, {width});"
            ));
        }
        after.push(format!("  free({name});"));
        after.push(format!("  hexcc_free_rows(&{name}_found);"));
    }
    (before, after)
}

/// Statements that append what a part of the program touches of an array in rows to a dump, the
/// array in one block; `namespace` is where the function is that finds them.
pub(super) fn dump(
    interface: &Interface,
    index: usize,
    (names, namespace): (&Names, &str),
    record: &str,
) -> String {
    let array = &interface.arrays[index];
    let call = found(interface, index, &names.get(&array.name), names);
    let (bytes, width) = (bytes_of(array, names), width(array, names));
    format!(
        " {{ struct hexcc_rows hexcc_found = {namespace}{call}; char *hexcc_dense = hexcc_gather(&hexcc_found, {bytes}, {width}); hexcc_dump(\"{record}\", hexcc_dense, {bytes}, {}); free(hexcc_dense); hexcc_free_rows(&hexcc_found); }}",
        array.elem.size()
    )
}
