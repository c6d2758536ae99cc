//! The user's program with its scop replaced: host function, call, and the
//! rewriting that lets nvcc's C++ front end accept C host code.

use super::ahead;
use super::anywhere::opened;
use super::beside::Beside;
use super::cells;
use super::conversions;
use super::existing;
use super::expr::{HELPERS, ast_operand, ast_to_c};
use super::fallback::{self, Files, Host, Otherwise};
use super::gate;
use super::known::{self, Dialect};
use super::names::{Names, mentions};
use super::parts::Parts;
use super::pragmas;
use super::resident::{self, Allocation, Blocks};
use super::results;
use super::rows::{self, Form};
use super::slabs;
use super::staged;
use super::tiled_rows::{ROWS_INSIDE, TILED_ROWS, has_tiled_rows};
use crate::compiled::{InSlabs, Sides};
use crate::csource::{self, Edit};
use crate::diag::{Diagnostic, Result};
use crate::interface::{Interface, NOT_ASSUMED, NOT_EXPECTED, may_hold_members, may_share_memory};
use crate::kernel::KernelArray;
use crate::options::{Gpus, Language};
use crate::print::host as c;
use crate::scop::{Converging, FinalValue, SavedScop};
use hexcc_isl::AstExpr;
use hexcc_pet::data::{Member, Span};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::ops::Range;

/// A part of the source and the kernel that takes its place.
pub struct Replacement<'a> {
    /// Bytes of the source that are replaced.
    pub span: Range<usize>,
    /// What it takes from the program and leaves there.
    pub interface: &'a Interface,
    /// By array, what the device has along each dimension of space; empty where it has the program's own cells.
    pub sides: &'a [Vec<Sides>],
    /// The kernel, printed: a namespace, which the host function is added to.
    pub kernel: String,
    /// What it calls sizes, scalars and arrays.
    pub names: Names,
    /// Device memory that it needs beside the arrays.
    pub workspaces: Vec<Workspace>,
    /// Whether kernels take the planes that the program has apart by a pointer to each, `NAME_planes` of `Args`.
    pub apart: bool,
    /// Whether the kernels can keep what time steps start from: these may be too many.
    pub converges: bool,
    /// The arrays in which kernels leave NaN or zero where C may have something else: its loops run then.
    pub unsure: Vec<usize>,
    /// Variables that the replaced code leaves with a value.
    pub finals: &'a [FinalValue],
    /// Variables that only the replaced code uses.
    pub unused: &'a [String],
    /// Where its arrays are.
    pub memory: Memory,
    /// What the program does where it cannot run.
    pub otherwise: Otherwise,
    /// Whether the program decides that its own loops run.
    pub gated: bool,
    /// Names of arrays that the host goes through before this runs again; `None` in programs without any.
    pub travels: Option<Vec<String>>,
    /// How GPUs share the rows of its arrays, and how many GPUs; `None` for one GPU that has them all.
    pub slabs: Option<(&'a InSlabs, Gpus)>,
}

impl Replacement<'_> {
    /// Whether what runs the kernels says whether it has.
    pub(super) fn returns(&self) -> bool {
        self.otherwise == Otherwise::RunsLoops || !self.unsure.is_empty()
    }

    /// What it does where it cannot run, as far as that says whether it has.
    fn result(&self) -> Otherwise {
        match self.returns() {
            true => Otherwise::RunsLoops,
            false => Otherwise::Ends,
        }
    }

    /// Whether nothing of C's text is left.
    pub(super) fn is_all(&self) -> bool {
        !self.returns() && !self.gated && self.interface.suits_all()
    }
}

/// Where kernels find the arrays of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// In device memory, copied there before the kernels and back after them.
    Copied,
    /// Where the program has them: it uses them between kernels, too.
    Shared,
    /// The same, of which kernels have copies on the device that are theirs alone.
    Staged,
}

impl Memory {
    /// Whether the program has its arrays where kernels find them.
    pub(crate) fn is_shared(self) -> bool {
        self != Memory::Copied
    }
}

/// Device memory of the form of some planes of an array.
#[derive(Clone, Debug)]
pub struct Workspace {
    /// Field of `Args`.
    pub field: String,
    /// Index in [`Interface::arrays`].
    pub array: usize,
    /// Trailing dimensions that make a plane.
    pub n_space: usize,
    /// How many planes.
    pub planes: i64,
}

impl Workspace {
    /// Its bytes, as C.
    pub(super) fn bytes(&self, r: &Replacement, names: &Names) -> String {
        let name = names.get(&r.interface.arrays[self.array].name);
        self.bytes_of_rows(r, names, format!("{name}_pitch"))
    }

    /// The same, where rows that have a distance lie so far apart.
    pub(super) fn bytes_of_rows(&self, r: &Replacement, names: &Names, pitch: String) -> String {
        let array = &r.interface.arrays[self.array];
        let space = &array.extents[array.extents.len() - self.n_space..];
        let (width, rows) = match (array.pitched, space) {
            (true, [rows @ .., _]) => (pitch, rows),
            (_, all) => (format!("sizeof({})", array.elem), all),
        };
        let sides = r.sides.get(self.array).map_or(&[][..], Vec::as_slice);
        let sides = sides.iter().map(Some).chain(std::iter::repeat(None));
        let rows: String = (rows.iter().zip(sides))
            .map(|(e, sides)| match sides {
                Some(sides) if sides.beside > 0 => {
                    let (rows, beside) = (ast_operand(&sides.cells, names), 2 * sides.beside);
                    format!(" * ((size_t){rows} + {beside})")
                }
                _ => format!(" * (size_t){}", ast_operand(e, names)),
            })
            .collect();
        format!("{} * {width}{rows}", self.planes)
    }
}

/// What surrounds the replaced region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instrument {
    /// Nothing: the product.
    None,
    /// After the region, the arrays written are appended to the file named by
    /// `HEXCC_DUMP`, and device times to the one named by `HEXCC_TIME`.
    Dump,
}

const INCLUDES: &str = "#include <cuda_pipeline.h>\n#include <cuda_runtime.h>\n#include <limits.h>\n#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n";

/// The whole program as CUDA C++; `regions` hold what is replaced.
///
/// Everything generated but the calls comes before the text of the program, where none of its
/// macros is defined yet.
///
/// # Errors
/// HX9001 if edits of the source collide.
pub fn program(
    saved: &SavedScop,
    regions: &[Range<usize>],
    replacements: &[Replacement],
    host: Host,
) -> Result<String> {
    let c = CPlusPlus::new(saved, regions, replacements)?;
    let (text, regions) = (&c.text, &c.regions);
    let interfaces = || replacements.iter().map(|r| r.interface);
    let shared = replacements.iter().any(|r| r.memory.is_shared());
    let known = (text.as_str(), &c.spans[..], &c.names);
    let mut edits = known::assertions(saved, known, replacements, Dialect::CPlusPlus);
    let asserts = !edits.is_empty();
    edits.extend((for_cplusplus(text).into_iter()).chain(slabs::beginning(replacements, text)?));
    let undeclared = saved.undeclared.iter().map(|name| c.names.get(name));
    let mut declared = csource::declare_functions(text, &undeclared.collect::<Vec<_>>());
    edits.extend(saved.headers.around_includes(text));
    let linked = host.files == Files::OthersInC || csource::has_other_files(text);
    let linkage = linked.then(|| csource::c_linkage(text, &mut declared));
    // Declarations go before the word that a function begins with then.
    edits.extend(declared.into_iter().chain(linkage.into_iter().flatten()));
    let entry = Entry::new(saved);
    let mut generated = included(saved.counts_enumerations, asserts);
    let form = match shared {
        true => Form::Table,
        false => Form::Dense,
    };
    let library = rows::library(interfaces(), &[form]);
    generated.push_str(&library);
    if shared {
        let (functions, own) = sharing(saved, (text, replacements), &library, host);
        generated.push_str(&functions);
        edits.extend(own);
    } else {
        generated.push_str(&gate::alone(replacements));
    }
    generated.push_str(&slabs::library(replacements, host.instrument));
    generated.push_str(&cells::prototypes(interfaces(), Language::Cuda));
    let goes = |r: &Replacement| saved.converging().find(|c| ahead::is_of(r, c));
    for r in replacements {
        generated.push('\n');
        generated.push_str(&namespace(r, (&entry, goes(r)), host.instrument)?);
        edits.extend(
            goes(r)
                .into_iter()
                .flat_map(|converging| c.goes_ahead(r, converging)),
        );
    }
    for (r, span) in replacements.iter().zip(&c.spans) {
        edits.extend(cells::definitions(r.interface, text, span, Language::Cuda)?);
    }
    let dumps = host.instrument == Instrument::Dump && !saved.is_nests();
    if dumps {
        generated.push_str(&dump_function(replacements.iter().map(|r| r.interface)));
    }
    edits.retain(|e| !regions.iter().any(|region| region_contains(region, e)));
    // One inside a replaced statement goes with it.
    let spans = gone(replacements, &c.spans);
    let replaced = |e: &Edit| spans.iter().any(|span| region_contains(span, e));
    let rewritten: Vec<Range<usize>> = edits.iter().map(|e| e.range.clone()).collect();
    let is_gone =
        |e: &Edit| (rewritten.iter()).any(|r| r.start < e.range.start && e.range.start < r.end);
    let of_host = (regions.iter())
        .flat_map(|region| pragma_lines(text, region))
        .chain(c.conversions(saved, replaced)?)
        .chain(csource::rewrite_math_calls(text))
        .chain(pragmas::without(text, &c.spans));
    edits.extend(of_host.filter(|e| !replaced(e) && !is_gone(e)));
    let mut used_up = voids(statics_used_up(text, &spans));
    for (r, span) in replacements.iter().zip(&c.spans) {
        let names = c.names.with_members(r.interface);
        let call = call(r, &entry, &names);
        let swaps = c.swaps(saved, &r.span, span)?;
        let unused = variables_used_up(r, text, (span, &spans), (&c.names, &swaps));
        let call = Call {
            before: unused + &std::mem::take(&mut used_up),
            after: call.after + &swaps,
            ..call
        };
        let suits = tests(r, &entry, &names, goes(r));
        edits.extend(replace(text, (r, span), call, suits));
    }
    if let (true, Some(region)) = (dumps, regions.first()) {
        edits.push(insertion(
            end_of_code(region, &c.spans),
            dump_calls(replacements, &c.names, |ir| format!("{}::", ir.name)),
        ));
    }
    let body = csource::apply_edits(text, edits).map_err(|e| Box::new(Diagnostic::bug(e)))?;
    let restrict = if mentions(text, "restrict") {
        "#define restrict __restrict__\n"
    } else {
        ""
    };
    let generated = without_macros(&saved.defines, generated);
    let headers = saved.headers.before(linked);
    Ok(format!("{generated}{restrict}{headers}\n{body}"))
}

/// The tests whether kernels run; `None` where they always do.
fn tests(
    r: &Replacement,
    entry: &Entry,
    names: &Names,
    converging: Option<&Converging>,
) -> Option<String> {
    let suits = suits_call(r.interface, entry, names).into_iter();
    let exists = existing::exists(r.interface, entry.exists, names);
    let inside = |test| format!("{}::{test}", r.interface.name);
    // Where memory is, CUDA is asked: not before kernels are to run.
    let pays = gate::pays(r, entry.pays, names);
    let (asks, pays) = match converging {
        Some(_) => (None, ahead::or_goes(r, pays)),
        None => (gate::asks(r, entry.asks, names), pays),
    };
    let first = asks.into_iter().chain(suits.map(inside));
    let all = first.chain(pays).chain(exists.map(inside));
    all.reduce(|a, b| format!("{a} && {b}"))
}

/// What C++ reads otherwise, and does not allow.
fn for_cplusplus(text: &str) -> Vec<Edit> {
    [
        csource::rewrite_vla_parameters(text),
        csource::rewrite_main(text),
        csource::rewrite_full_strings(text),
        csource::rewrite_jumped_over(text),
        csource::rewrite_missing_returns(text),
    ]
    .concat()
}

/// Operators of C++ that do with a value of an enumeration what C does.
const COUNTED: &str = include_str!("../print/lib/cuda/counted.cuh");

/// What stands before all kernels; whether enumerations are counted, and whether there are assertions.
fn included(counted: bool, asserts: bool) -> String {
    [
        (true, INCLUDES),
        (asserts || counted, "#include <type_traits>\n"),
        (counted, COUNTED),
    ]
    .into_iter()
    .filter_map(|(is_needed, part)| is_needed.then_some(part))
    .collect()
}

/// Which blocks of memory kernels may use where they are; `library` is that of rows.
fn blocks(replacements: &[Replacement], library: &str) -> Blocks {
    let mut interfaces = replacements.iter().map(|r| r.interface);
    match (interfaces.any(existing::is_asked), library.is_empty()) {
        (true, _) => Blocks::All,
        (false, false) => Blocks::Rows,
        (false, true) => Blocks::Large,
    }
}

/// The functions that share memory with kernels, and how the program uses them; `library` is that of rows.
fn sharing(
    saved: &SavedScop,
    (program, replacements): (&str, &[Replacement]),
    library: &str,
    host: Host,
) -> (String, impl Iterator<Item = Edit> + use<>) {
    let blocks = blocks(replacements, library);
    let mut interfaces = replacements.iter().map(|r| r.interface);
    let unsized_arrays = interfaces.any(Interface::has_unsized_arrays);
    let gated = replacements.iter().any(|r| r.gated);
    let waits = blocks == Blocks::Large && !unsized_arrays;
    let blocks_of = match (gated, waits) {
        // Kernels that run once copy what they need, if they are worth it.
        (true, true) if saved.runs_once() => Allocation::OfHost,
        (true, true) => Allocation::Gated,
        (true, false) => Allocation::Early,
        (false, _) => Allocation::Managed,
    };
    let shared = match blocks_of {
        Allocation::OfHost => resident::Shared::default(),
        _ => resident::shared((program, saved), blocks, (replacements, host)),
    };
    let mut text = "#include <string.h>\n\n".to_string();
    if gated {
        let library = gate::Library {
            together: true,
            managed: !shared.managed.is_empty(),
            waits,
        };
        text.push_str(&library.text());
        if replacements.iter().any(|r| r.travels.is_some()) {
            text.push_str(gate::TRAVELS);
        }
    }
    text.push_str(&resident::memory(host.otherwise, unsized_arrays, blocks_of));
    if blocks != Blocks::Large {
        text.push_str(&resident::small_blocks(gated));
    }
    if !library.is_empty() {
        text.push_str(resident::ROWS);
    }
    if replacements.iter().any(has_tiled_rows) {
        text.push_str(TILED_ROWS);
    }
    let is_inside = |r: &Replacement| has_tiled_rows(r) && !r.sides.is_empty();
    if replacements.iter().any(is_inside) {
        text.push_str(ROWS_INSIDE);
    }
    (text, shared.all())
}

/// The spans of what is gone from the text: not those that some sizes still need.
pub(super) fn gone(replacements: &[Replacement], spans: &[Range<usize>]) -> Vec<Range<usize>> {
    let all = replacements.iter().zip(spans);
    all.filter(|(r, _)| r.is_all())
        .map(|(_, span)| span.clone())
        .collect()
}

/// Uses of names that are used no more: a compiler would warn of them.
pub(super) fn voids(names: Vec<String>) -> String {
    let void = |name: String| format!("(void){name}; ");
    names.into_iter().map(void).collect()
}

/// Uses of variables that only the replaced code used, and what is `left` of it does not.
pub(super) fn variables_used_up(
    r: &Replacement,
    text: &str,
    (span, gone): (&Range<usize>, &[Range<usize>]),
    (names, left): (&Names, &str),
) -> String {
    if !r.is_all() {
        return String::new();
    }
    let declared = |name: &String| csource::declarator(text, name, span.start).is_some();
    let known = r.unused.iter().map(|name| names.get(name));
    let mut unused: Vec<String> = known.filter(declared).collect();
    // Such as an index that was written out.
    let passed: Vec<String> = (r.interface.values())
        .chain(r.interface.handed_over().arrays.iter().map(|a| &a.name))
        .map(|name| names.get(name))
        .collect();
    let others = csource::used_in_gone(text, span.clone(), gone).into_iter();
    let others = others.filter(|name| !unused.contains(name) && !passed.contains(name));
    unused.extend(others.collect::<Vec<_>>());
    let left = csource::words(left);
    unused.retain(|name| !left.contains(name.as_str()));
    voids(unused)
}

/// Static functions and variables of the file that the replaced code alone uses: a compiler would warn of them.
pub(super) fn statics_used_up(text: &str, replaced: &[Range<usize>]) -> Vec<String> {
    let (functions, variables) = csource::functions_and_statics(text);
    let is_replaced = |at: usize| replaced.iter().any(|span| span.contains(&at));
    let in_body = |at: usize| functions.iter().any(|f| f.body.contains(&at));
    let uses = |name: &str| -> Vec<usize> {
        let name = BTreeMap::from([(name.to_string(), String::new())]);
        let uses = csource::rename(text, &name).into_iter();
        uses.map(|e| e.range.start).collect()
    };
    let is_left = |at: &usize| in_body(*at) && !is_replaced(*at);
    // Few are: the text is searched for no others.
    let is_candidate = |f: &&csource::Function| {
        mentions(&text[f.start..f.name_range.start], "static")
            && (replaced.iter()).any(|span| mentions(&text[span.clone()], &f.name))
    };
    let is_used_up = |f: &&csource::Function| {
        let uses = uses(&f.name);
        uses.iter().any(|&at| is_replaced(at)) && !uses.iter().any(is_left)
    };
    let functions = functions.iter().filter(is_candidate).filter(is_used_up);
    let functions = functions.map(|f| f.name.clone());
    // Passes may have put values in their place.
    let variables = variables
        .into_iter()
        .filter(|name| !uses(name).iter().any(is_left));
    functions.chain(variables).collect()
}

/// The program in names that C++ can read, before anything is replaced.
struct CPlusPlus {
    text: String,
    regions: Vec<Range<usize>>,
    /// Of the replacements.
    spans: Vec<Range<usize>>,
    /// Names of its variables.
    names: Names,
    /// Changes, one round after the other, that have led from the user's text to this one.
    rounds: Vec<Vec<Edit>>,
    /// New names of the text by those of the user's.
    renamed: BTreeMap<String, String>,
}

impl CPlusPlus {
    fn new(
        saved: &SavedScop,
        regions: &[Range<usize>],
        replacements: &[Replacement],
    ) -> Result<CPlusPlus> {
        let (expanded, mut rounds) = csource::expand_parameter_macros(saved.source.own_text());
        let mut renamed = saved.headers.renamed.clone();
        renamed.extend(csource::names_for_cplusplus(&expanded));
        let edits = csource::rename(&expanded, &renamed);
        let text = csource::apply_edits(&expanded, edits.clone())
            .map_err(|e| Box::new(Diagnostic::bug(e)))?;
        rounds.push(edits);
        let moved = |span: &Range<usize>| moved(span, &rounds);
        let mut names = Names::plain();
        for (name, new) in &renamed {
            names.rename(name, new);
        }
        for r in replacements {
            check_parameters((saved, &text), &moved(&r.span), r, &names)?;
        }
        Ok(CPlusPlus {
            spans: replacements.iter().map(|r| moved(&r.span)).collect(),
            regions: regions.iter().map(moved).collect(),
            text,
            names,
            rounds,
            renamed,
        })
    }

    /// The casts that C++ wants, but for those of what is `gone`.
    fn conversions(&self, saved: &SavedScop, gone: impl Fn(&Edit) -> bool) -> Result<Vec<Edit>> {
        let moved = |span: &Range<usize>| moved(span, &self.rounds);
        conversions::written(saved, moved, &self.renamed, gone)
    }

    /// How a loop goes several steps at once.
    fn goes_ahead(&self, r: &Replacement, converging: &Converging) -> [Edit; 2] {
        let places = [converging.ahead, converging.again];
        let [ahead, again] = places.map(|at| moved(&(at.start..at.end), &self.rounds));
        ahead::edits(r, converging, (ahead, again))
    }

    /// The time loop around the swap of its pointers alone, where it has one: what a part of the text leaves
    /// to do that is here at `span`.
    fn swaps(&self, saved: &SavedScop, part: &Range<usize>, span: &Range<usize>) -> Result<String> {
        let is_in = |at: &Span| part.start <= at.start && at.end <= part.end;
        let rotations = saved.regions().filter_map(|scop| scop.rotation.as_ref());
        let Some(rotation) = { rotations }.find(|rotation| is_in(&rotation.head)) else {
            return Ok(String::new());
        };
        let words = |at: &Span| {
            let place = moved(&(at.start..at.end), &self.rounds);
            let is_in = |e: &Edit| region_contains(&place, e);
            let mut casts = self.conversions(saved, |e| !is_in(e))?;
            for cast in &mut casts {
                cast.range = cast.range.start - place.start..cast.range.end - place.start;
            }
            let text = csource::apply_edits(&self.text[place], casts);
            let text = text.map_err(|e| Box::new(Diagnostic::bug(e)))?;
            Ok(text.split_whitespace().collect::<Vec<_>>().join(" "))
        };
        let line = self.text[..span.start].rfind('\n').map_or(0, |end| end + 1);
        let indent: String = (self.text[line..].chars())
            .take_while(|c| matches!(c, ' ' | '\t'))
            .collect();
        let swaps: Vec<String> = (rotation.swaps.iter().map(words)).collect::<Result<_>>()?;
        Ok(format!(
            "\n{indent}{} {{ {} }}",
            words(&rotation.head)?,
            swaps.join(" ")
        ))
    }
}

/// Where a part of a text is after rounds of changes.
fn moved(span: &Range<usize>, rounds: &[Vec<Edit>]) -> Range<usize> {
    let at = |offset| {
        rounds
            .iter()
            .fold(offset, |at, edits| csource::moved(at, edits))
    };
    at(span.start)..at(span.end)
}

/// Refuses arrays of variable length that the text does not declare: a macro that is not in the
/// file does, and C++ has no parameters of such types.
fn check_parameters(
    (saved, text): (&SavedScop, &str),
    region: &Range<usize>,
    replacement: &Replacement,
    names: &Names,
) -> Result<()> {
    let interface = replacement.interface.handed_over();
    let is_member = |array: &KernelArray| interface.members.iter().any(|m| m.name == array.name);
    let arrays = interface.arrays.iter();
    for array in arrays.filter(|a| !a.local && !is_member(a)) {
        let variable = (array.extents.iter().skip(1)).any(|e| !matches!(e, AstExpr::Int(_)));
        let name = names.get(&array.name);
        // `ROWS(A)` looks like the declaration of a scalar.
        let declared = csource::declarator(text, &name, region.start)
            .is_some_and(|d| d.n_bounds > 0 || d.stars > 0 || !text[d.range].starts_with('('));
        let function = csource::enclosing_function(text, region.start);
        if !variable || array.rows.is_some() || function.is_none() || declared {
            continue;
        }
        let bounds = |from: usize| -> String {
            (array.extents.iter().skip(from))
                .map(|e| format!("[{}]", ast_to_c(e, names)))
                .collect()
        };
        let declaration = match array.pointer {
            true => format!("{} (*{name}){}", array.elem, bounds(1)),
            false => format!("{} {name}{}", array.elem, bounds(0)),
        };
        let original = &saved.source.text;
        let around = csource::enclosing_function(original, saved.scop.span.start);
        let place = around
            .and_then(|f| csource::find_word(original, f.name_range.end..f.body.end, &array.name));
        let d = Diagnostic::error(
            "HX0112",
            format!(
                "the declaration of `{}` is not written out in the file",
                array.name
            ),
        );
        return Err(Box::new(
            (place.into_iter())
                .fold(d, |d, place| d.at(place, "declared with a macro of another file"))
                .note("its size is variable: CUDA C++ has no parameters of such a type, and hexcc rewrites what it finds in the file and in the file's own macros")
                .help(format!("write the declaration out: `{declaration}`")),
        ));
    }
    Ok(())
}

/// The C program unchanged but for the dump after the region.
///
/// # Errors
/// HX9001 if edits of the source collide.
pub fn reference_program(
    saved: &SavedScop,
    regions: &[Range<usize>],
    replacements: &[Replacement],
) -> Result<String> {
    let spans: Vec<Range<usize>> = replacements.iter().map(|r| r.span.clone()).collect();
    let region = regions.first().filter(|_| !saved.is_nests());
    // A region that was written again has no end in the user's text.
    let text = region.map_or_else(|| saved.written(), |_| saved.source.own_text());
    let dumps = region.map(|region| {
        insertion(
            end_of_code(region, &spans),
            dump_calls(replacements, &Names::plain(), |_| String::new()),
        )
    });
    let edits = dumps.into_iter().collect();
    let body = csource::apply_edits(text, edits).map_err(|e| Box::new(Diagnostic::bug(e)))?;
    let interfaces = || replacements.iter().map(|r| r.interface);
    let library = rows::library(interfaces(), &[Form::Dense]);
    let dumped = interfaces().filter(|_| !saved.is_nests());
    let finders: String = dumped.map(|ir| rows::finders(ir, "hexcc_")).collect();
    let finders = match finders.is_empty() {
        true => finders,
        false => c::PRELUDE.to_string() + &library + &finders,
    };
    let dump = dump_function(interfaces()) + &finders;
    let dump = without_macros(
        &saved.defines,
        format!("#include <stdio.h>\n#include <stdlib.h>\n{dump}"),
    );
    // The program may ask for more of the headers than the default.
    Ok(format!(
        "#ifndef _GNU_SOURCE\n#define _GNU_SOURCE\n#endif\n{dump}{body}"
    ))
}

/// What the text of the program calls.
pub(super) struct Entry {
    /// Runs the computation.
    pub run: &'static str,
    /// Leaves values in variables.
    leave: &'static str,
    /// Whether the computation is made for some sizes.
    suits: &'static str,
    /// Whether its arrays are where it can use them.
    exists: &'static str,
    /// Whether the program asks where it runs.
    asks: &'static str,
    /// Whether it pays to run it on the GPU.
    pays: &'static str,
}

impl Entry {
    /// Names that are no macros where the calls stand.
    fn new(saved: &SavedScop) -> Entry {
        let text = saved.source.own_text();
        let taken = |name: &str| {
            saved.defines.iter().any(|d| mentions(d, name))
                || csource::directives(text).iter().any(|d| mentions(d, name))
        };
        let unknown = csource::directives(text)
            .iter()
            .any(|d| csource::may_define_any(d));
        let name = |plain: &'static str, other: &'static str| match unknown || taken(plain) {
            true => other,
            false => plain,
        };
        Entry {
            run: name("run", "hexcc_run"),
            leave: name("leave", "hexcc_leave"),
            suits: name("suits", "hexcc_suits"),
            exists: name("exists", "hexcc_exists"),
            asks: name("asks", "hexcc_asks"),
            pays: name("pays", "hexcc_pays"),
        }
    }
}

/// The kernel and the host function of a replacement, in one namespace.
fn namespace(
    r: &Replacement,
    (entry, converging): (&Entry, Option<&Converging>),
    instrument: Instrument,
) -> Result<String> {
    let (kernel, end) = opened(r)?;
    let host = match r.memory {
        Memory::Copied => match r.slabs {
            Some(shared) => slabs::host_function(r, entry, shared, instrument),
            None => host_function(r, entry, instrument),
        },
        Memory::Shared => resident::host_function(r, entry, (resident::arrays, "")),
        Memory::Staged => {
            let kept = converging.map_or_else(String::new, |_| ahead::kept(r));
            resident::host_function(r, entry, (staged::arrays, &kept))
        }
    };
    let thrown = match r.memory {
        Memory::Copied => fallback::thrown(r.otherwise),
        Memory::Shared | Memory::Staged => "",
    };
    let host = [
        thrown.to_string(),
        suits_function(r.interface, entry),
        gate::functions(r, (converging.is_none().then_some(entry.asks), entry.pays)),
        converging.map_or_else(String::new, |c| ahead::functions(r, c.most)),
        rows::finders(r.interface, ""),
        existing::functions(r.interface, Language::Cuda, entry.exists),
        host,
        leave_function(r.finals, entry),
    ]
    .concat();
    let mut text = kernel.to_string();
    for helper in (HELPERS.iter()).filter(|h| mentions(&host, h.name)) {
        let definition = helper.definition("static");
        if !kernel.contains(definition.trim_start_matches("static")) {
            text.push_str(&definition);
        }
    }
    Ok(text + &host + "\n" + &end)
}

/// Hides the macros of the command line from generated code; those of the program come later.
pub(super) fn without_macros(defines: &[String], generated: String) -> String {
    let mut names: Vec<&str> = (defines.iter())
        .filter_map(|define| {
            define
                .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                .next()
        })
        .filter(|name| !name.is_empty())
        .collect();
    names.sort_unstable();
    names.dedup();
    let hide: String = (names.iter())
        .map(|name| format!("#pragma push_macro(\"{name}\")\n#undef {name}\n"))
        .collect();
    let restore: String = (names.iter())
        .map(|name| format!("#pragma pop_macro(\"{name}\")\n"))
        .collect();
    format!("{hide}{generated}{restore}")
}

/// A function that leaves in variables what the loops leave there in C; empty without any.
fn leave_function(finals: &[FinalValue], entry: &Entry) -> String {
    if finals.is_empty() {
        return String::new();
    }
    let params = leave_params(finals);
    let mut names = Names::new(&["run", "leave", "hexcc_run", "hexcc_leave"]);
    for helper in &HELPERS {
        names.fresh(helper.name);
    }
    for param in &params {
        names.user(param);
    }
    let types: Vec<String> = (finals.iter())
        .map(|f| names.fresh(&format!("{}_type", f.name)))
        .collect();
    let values: Vec<String> = (finals.iter())
        .map(|f| names.fresh(&format!("{}_after", f.name)))
        .collect();
    let mut arguments: Vec<String> = (params.iter())
        .map(|p| format!("long long {}", names.get(p)))
        .collect();
    arguments.extend((types.iter().zip(&values)).map(|(ty, value)| format!("{ty} &{value}")));
    let template: Vec<String> = types.iter().map(|ty| format!("typename {ty}")).collect();
    let mut text = format!(
        "\n// Leaves in variables what the loops leave there in C.\ntemplate <{}>\nstatic void {}({}) {{\n",
        template.join(", "),
        entry.leave,
        arguments.join(", ")
    );
    for ((f, ty), value) in finals.iter().zip(&types).zip(&values) {
        let condition = match condition(&f.written, &names) {
            None => String::new(),
            Some(condition) => format!("if ({condition}) "),
        };
        let _ = writeln!(
            text,
            "  {condition}{value} = ({ty}){};",
            ast_operand(&f.value, &names)
        );
    }
    text + "}\n"
}

/// The function that says for which sizes the kernels are made; empty where for all.
fn suits_function(ir: &Interface, entry: &Entry) -> String {
    let names = host_names(ir);
    let Some(expected) = condition(&ir.expected, &names) else {
        return String::new();
    };
    let params = ir
        .params
        .iter()
        .map(|p| format!("long long {}", names.get(p)));
    format!(
        "// Whether the kernels are made for these sizes; the program runs its own loops for others.\nstatic bool {}({}) {{\n  return {expected};\n}}\n\n",
        entry.suits,
        params.collect::<Vec<_>>().join(", ")
    )
}

/// A test whether the kernels are made for the sizes; `None` where they are for all.
fn suits_call(ir: &Interface, entry: &Entry, names: &Names) -> Option<String> {
    condition(&ir.expected, names)?;
    let sizes: Vec<String> = ir.params.iter().map(|p| names.get(p)).collect();
    Some(format!("{}({})", entry.suits, sizes.join(", ")))
}

/// The call that takes the place of a part of a program.
pub(super) struct Call {
    /// Statements before it.
    pub before: String,
    /// The call itself.
    pub run: String,
    /// Statements after it, where it has run the computation.
    pub after: String,
}

/// What takes the place of a part of a program: a call, or a choice between it and the part, where
/// it is not made for all sizes, or may find that it cannot run.
pub(super) fn replace(
    text: &str,
    (r, span): (&Replacement, &Range<usize>),
    call: Call,
    suits: Option<String>,
) -> Vec<Edit> {
    let Call { before, run, after } = call;
    let all = format!("{before}{run};{after}");
    let (condition, call) = match (suits, r.result()) {
        (None, Otherwise::Ends) => {
            return vec![Edit {
                range: span.clone(),
                replacement: match r.memory {
                    Memory::Copied if !csource::is_all_of_statement(text, span.start) => all,
                    _ => format!("{{ {all} }}"),
                },
            }];
        }
        (Some(suits), Otherwise::Ends) => (suits, all),
        (suits, Otherwise::RunsLoops) => {
            let all = suits.into_iter().chain([run]).collect::<Vec<_>>();
            (all.join(" && "), before + &after)
        }
    };
    vec![
        insertion(
            span.start,
            format!("if ({condition}) {{ {call} }} else {{\n"),
        ),
        insertion(span.end, "\n}".to_string()),
    ]
}

/// The parameters that values left in variables depend on.
fn leave_params(finals: &[FinalValue]) -> BTreeSet<String> {
    finals
        .iter()
        .flat_map(|f| f.params.iter().cloned())
        .collect()
}

pub(super) fn insertion(at: usize, replacement: String) -> Edit {
    Edit {
        range: at..at,
        replacement,
    }
}

pub(super) fn region_contains(region: &Range<usize>, edit: &Edit) -> bool {
    edit.range.start >= region.start
        && edit.range.end <= region.end
        && edit.range.start < region.end
}

/// The dump goes behind the last replaced statement: code of the region that
/// stays on the host runs the same in both programs.
pub(super) fn end_of_code(region: &Range<usize>, replaced: &[Range<usize>]) -> usize {
    (replaced.iter().map(|span| span.end).max()).unwrap_or(region.end)
}

/// Removes the `#pragma scop` and `#pragma endscop` lines.
pub(super) fn pragma_lines(text: &str, region: &Range<usize>) -> Vec<Edit> {
    let mut edits = Vec::new();
    let start = text[..region.start].rfind('\n').map_or(0, |at| at + 1);
    let mut at = start;
    for line in text[start..region.end].split_inclusive('\n') {
        let words: Vec<&str> = line
            .trim()
            .trim_start_matches('#')
            .split_whitespace()
            .collect();
        if line.trim_start().starts_with('#')
            && matches!(words.as_slice(), ["pragma", "scop" | "endscop", ..])
        {
            edits.push(Edit {
                range: at..at + line.len(),
                replacement: String::new(),
            });
        }
        at += line.len();
    }
    edits
}

/// The call that takes the place of the scop.
fn call(r: &Replacement, entry: &Entry, names: &Names) -> Call {
    let ir = r.interface;
    let args = arguments(ir, names);
    let mut after = String::new();
    if !r.finals.is_empty() {
        let variables = r.finals.iter().map(|f| &f.name);
        let params = leave_params(r.finals);
        let args: Vec<String> = params
            .iter()
            .chain(variables)
            .map(|n| names.get(n))
            .collect();
        let _ = write!(after, " {}::{}({});", ir.name, entry.leave, args.join(", "));
    }
    Call {
        before: String::new(),
        run: format!("{}::{}({})", ir.name, entry.run, args.join(", ")),
        after,
    }
}

/// What the program gives to the function that takes the place of a part of it.
pub(super) fn arguments(ir: &Interface, names: &Names) -> Vec<String> {
    let ir = &ir.handed_over();
    let values = ir.values().map(|n| names.get(n));
    let arrays = ir.arrays.iter().filter(|a| !a.local);
    let arrays = arrays.map(|array| argument(array, names));
    let members = ir.guarded_members().map(|member| {
        let value = names.get(&member.name);
        format!("&{value}, sizeof {value}")
    });
    values.chain(arrays).chain(members).collect()
}

/// An array that the program gives to it.
pub(super) fn argument(array: &KernelArray, names: &Names) -> String {
    let (constant, elem) = (const_of(array), array.elem);
    match array.rows {
        Some(_) => names.get(&array.name),
        None => format!("({constant}{elem} *){}", address(array, names)),
    }
}

pub(super) fn const_of(array: &KernelArray) -> &'static str {
    if array.written { "" } else { "const " }
}

/// Names for the host function: those of the source where possible.
pub(super) fn host_names(ir: &Interface) -> Names {
    host_names_beside(&[], ir)
}

/// The same where the function has variables of further names.
pub(super) fn host_names_beside(further: &[&str], ir: &Interface) -> Names {
    const FIXED: &[&str] = &[
        "Args",
        "Wave",
        "args",
        "launch",
        "kernel",
        "tile",
        "check",
        "separate",
        "run",
        "hexcc_run",
        "leave",
        "hexcc_leave",
        "begin",
        "end",
        "ms",
        "lowest",
        "highest",
        "floor_div",
        "mod",
        "error",
        "what",
        "path",
        "file",
        "enter",
        "borrow",
        "give_back",
        "pieces",
        "KnownRows",
        "known",
        "known_rows",
        "tiled",
        "tiled_rows",
        "TiledRows",
        "Unfit",
        "said",
        "kept",
        "plane",
    ];
    let mut all = ir.clone();
    let parts = ir.handed_over().arrays.into_iter();
    all.arrays
        .extend(parts.filter(|part| ir.arrays.iter().all(|a| a.name != part.name)));
    Names::of_interface(&[FIXED, further].concat(), &all, (&[], &[]))
}

/// A condition that does not always hold.
pub(super) fn condition(ast: &AstExpr, names: &Names) -> Option<String> {
    Some(ast_to_c(ast, names)).filter(|text| text != "1")
}

/// The bytes of an array, as C.
pub(super) fn bytes_of(array: &KernelArray, names: &Names) -> String {
    let mut bytes = format!("sizeof({})", array.elem);
    for extent in &array.extents {
        let _ = write!(bytes, " * (size_t){}", ast_operand(extent, names));
    }
    bytes
}

/// Lines that leave in `NAME_bytes` how much memory the arrays have that lie in that of one array;
/// `None` where it alone does.
pub(super) fn shared_bytes(ir: &Interface, home: usize, names: &Names) -> Option<Vec<String>> {
    let tenants = ir.tenants(home);
    let name = names.get(&ir.arrays[home].name);
    let bytes = |i: usize| {
        let bytes = bytes_of(&ir.arrays[i], names);
        match condition(&ir.touched[i], names) {
            None => bytes,
            Some(touched) => format!("(({touched}) ? {bytes} : 0)"),
        }
    };
    let first = format!("  size_t {name}_bytes = {};", bytes(home));
    let more = tenants.iter().skip(1).map(|&i| {
        let bytes = bytes(i);
        format!("  if ({bytes} > {name}_bytes) {name}_bytes = {bytes};")
    });
    (tenants.len() > 1).then(|| std::iter::once(first).chain(more).collect())
}

/// How a host function begins: what it takes, and what it tests first.
pub(super) fn head(r: &Replacement, names: &Names, entry: &Entry) -> Vec<String> {
    let (ir, otherwise) = (&r.interface.handed_over(), r.otherwise);
    let params = (ir.params.iter()).map(|p| format!("long long {}", names.get(p)));
    let scalars = (ir.scalars.iter()).map(|(name, ty)| format!("{ty} {}", names.get(name)));
    let arrays = ir.arrays.iter().filter(|a| !a.local);
    let arrays = arrays.map(|a| match a.rows {
        Some(_) => format!("const void *{}_pointers", names.get(&a.name)),
        None => format!("{}{} *{}", const_of(a), a.elem, names.get(&a.name)),
    });
    let mut params: Vec<String> = params.chain(scalars).chain(arrays).collect();
    params.extend(member_parameters(ir, names));
    // Compilers put what calls it into other functions as if it were not there.
    let apart = if r.gated {
        "[[gnu::noinline, gnu::cold]] "
    } else {
        ""
    };
    let mut lines = vec![format!(
        "{apart}static {} {}({}) {{",
        r.result().result("bool"),
        entry.run,
        params.join(", ")
    )];
    lines.extend(otherwise.variable().map(|line| format!("  {line}")));
    if let Some(assumed) = condition(&ir.assumed, names) {
        lines.push(format!("  if (!({assumed})) {{"));
        let refused = otherwise.refuse(&format!("{}: {NOT_ASSUMED}", ir.name));
        lines.extend(refused.map(|line| format!("    {line}")));
        lines.push("  }".to_string());
    }
    if let Some(suits) = suits_call(ir, entry, names) {
        lines.push(format!("  if (!{suits}) {{"));
        lines.push(format!(
            "    fprintf(stderr, \"{}: {NOT_EXPECTED}\\n\");",
            ir.name
        ));
        lines.push("    exit(EXIT_FAILURE);".to_string());
        lines.push("  }".to_string());
    }
    let nonempty = condition(&ir.nonempty, names);
    let done = r.result().done();
    lines.extend(nonempty.map(|nonempty| format!("  if (!({nonempty})) {done}")));
    lines
}

fn host_function(replacement: &Replacement, entry: &Entry, instrument: Instrument) -> String {
    let ir = replacement.interface;
    let kernel_name = |name: &str| replacement.names.get(name);
    let names = host_names(ir);
    let mut t = String::new();
    let mut line = |text: &str| {
        t.push_str(text);
        t.push('\n');
    };
    let head = head(replacement, &names, entry).into_iter();
    let begin = fallback::described(replacement.otherwise).chain(head);
    for text in begin.chain(fallback::attempt(replacement, &names)) {
        line(&text);
    }
    let set: Vec<String> = ir
        .values()
        .map(|name| format!("args.{} = {}", kernel_name(name), names.get(name)))
        .collect();
    match set.is_empty() {
        true => line("  Args args{};"),
        false => line(&format!("  Args args{{}}; {};", set.join(", "))),
    }
    // Members of several types of the same structs have one copy.
    let own: Vec<&KernelArray> = (ir.arrays.iter().enumerate())
        .filter(|(i, _)| ir.home(*i) == *i)
        .map(|(_, array)| array)
        .collect();
    for group in own.chunk_by(|a, b| a.elem == b.elem) {
        let pointers: Vec<String> = (group.iter())
            .map(|array| format!("*{}_device = nullptr", names.get(&array.name)))
            .collect();
        line(&format!("  {} {};", group[0].elem, pointers.join(", ")));
    }
    line("  const auto check = [&](cudaError_t error, const char *what) {");
    line("    if (error == cudaSuccess) return;");
    let arrays = own.iter().map(|a| format!("{}_device", names.get(&a.name)));
    let workspaces = (replacement.workspaces.iter()).map(|w| format!("args.{}", w.field));
    let frees: Vec<String> = (arrays.chain(workspaces))
        .map(|memory| format!("cudaFree({memory})"))
        .collect();
    for text in fallback::on_error(replacement, &frees.join(", ")) {
        line(&text);
    }
    line("  };");
    let (gathered, scattered) = rows::dense(replacement, &names);
    let tests = overlap_checks(ir, &names).into_iter();
    let tests = tests.chain(rows::host_tests(replacement, &names));
    for text in tests.chain(gathered) {
        line(&text);
    }
    let touched: Vec<String> = (ir.touched.iter())
        .map(|touched| match condition(touched, &names) {
            None => String::new(),
            Some(condition) => format!("if ({condition}) "),
        })
        .collect();
    for (i, ((array, touched), planes)) in
        (ir.arrays.iter().zip(&touched).zip(&ir.planes)).enumerate()
    {
        let name = names.get(&array.name);
        let field = kernel_name(&array.name);
        let home = ir.home(i);
        if home != i {
            let home = names.get(&ir.arrays[home].name);
            line(&format!(
                "  args.{field} = ({} *){home}_device;",
                array.elem
            ));
            continue;
        }
        if let Some(beside) = Beside::of(replacement, i, &names) {
            for text in beside.enter(&field, touched) {
                line(&text);
            }
            continue;
        }
        if let Some(parts) = Parts::of(array, &names) {
            line(parts.enter(&field, touched).trim_end());
            continue;
        }
        let (elem, what) = (array.elem, &array.name);
        let [elements, on_device] = extents(array, *planes, &names);
        let all = on_device == elements;
        if array.pitched {
            for text in enter_pitched(array, (&name, &field), touched, [&elements, &on_device]) {
                line(&text);
            }
        } else {
            line(&format!(
                "  const size_t {name}_bytes = sizeof({elem}) * {};",
                elements.join(" * ")
            ));
            let allocated = match all {
                true => format!("{name}_bytes"),
                false => format!("sizeof({elem}) * {}", on_device.join(" * ")),
            };
            line(&format!(
                "  check(cudaMalloc((void **)&{name}_device, {allocated}), \"allocating {what}\");"
            ));
            if !array.local && results::of(replacement, i).is_none() {
                line(&format!(
                    "  {touched}check(cudaMemcpy({name}_device, {name}, {name}_bytes, cudaMemcpyHostToDevice), \"copying {what} to the device\");"
                ));
            }
            line(&format!("  args.{field} = {name}_device;"));
        }
    }
    for workspace in &replacement.workspaces {
        let (field, bytes) = (&workspace.field, workspace.bytes(replacement, &names));
        line(&format!(
            "  check(cudaMalloc((void **)&args.{field}, {bytes}), \"allocating {field}\");"
        ));
    }
    if instrument == Instrument::Dump {
        line("  cudaEvent_t begin, end;");
        line("  check(cudaEventCreate(&begin), \"creating an event\");");
        line("  check(cudaEventCreate(&end), \"creating an event\");");
        line("  check(cudaEventRecord(begin, 0), \"recording an event\");");
    }
    line("  check(launch(args, 0), \"launching the kernels\");");
    if instrument == Instrument::Dump {
        line("  check(cudaEventRecord(end, 0), \"recording an event\");");
    }
    line("  check(cudaDeviceSynchronize(), \"running the kernels\");");
    if instrument == Instrument::Dump {
        line("  if (const char *path = getenv(\"HEXCC_TIME\")) {");
        line("    float ms = 0;");
        line("    check(cudaEventElapsedTime(&ms, begin, end), \"reading the time\");");
        line("    if (FILE *file = fopen(path, \"a\")) {");
        line("      fprintf(file, \"%.6f\\n\", ms);");
        line("      fclose(file);");
        line("    }");
        line("  }");
        line("  check(cudaEventDestroy(begin), \"destroying an event\");");
        line("  check(cudaEventDestroy(end), \"destroying an event\");");
    }
    line(fallback::committed(replacement.memory));
    for workspace in &replacement.workspaces {
        let field = &workspace.field;
        line(&format!(
            "  check(cudaFree(args.{field}), \"freeing {field}\");"
        ));
    }
    for (i, (array, touched)) in ir.arrays.iter().zip(&touched).enumerate() {
        let name = names.get(&array.name);
        if ir.home(i) != i {
            continue;
        }
        let written = ir.is_memory_written(i);
        let is_shared = ir.tenants(i).len() > 1;
        let touched = if is_shared { "" } else { touched.as_str() };
        if let (true, Some(beside)) = (written, Beside::of(replacement, i, &names)) {
            for text in beside.leave(touched) {
                line(&text);
            }
        } else if let (true, Some(parts)) = (written, Parts::of(array, &names)) {
            line(parts.leave(touched).trim_end());
        } else if written && array.pitched && !array.local {
            line(&format!(
                "  {touched}check(cudaMemcpy2D({name}, {name}_width, {name}_device, {name}_pitch, {name}_width, {name}_rows, cudaMemcpyDeviceToHost), \"copying {} back\");",
                array.name
            ));
        } else if let Some(results) = results::of(replacement, i).filter(|r| !r.whole) {
            for text in results::leave(array, results, &names, touched) {
                line(&text);
            }
        } else if written && !array.local {
            let pointer = match array.written {
                true => name.clone(),
                false => format!("(void *){name}"),
            };
            line(&format!(
                "  {touched}check(cudaMemcpy({pointer}, {name}_device, {name}_bytes, cudaMemcpyDeviceToHost), \"copying {} back\");",
                array.name
            ));
        }
        line(&format!(
            "  check(cudaFree({name}_device), \"freeing {}\");",
            array.name
        ));
    }
    for text in (scattered.into_iter()).chain(fallback::attempted(replacement, &names)) {
        line(&text);
    }
    line("}");
    t
}

/// Lines that give an array, `name` in the program and `field` of `Args`, rows at multiples of 128 bytes on the device, with
/// what it has in the program if that knows it.
fn enter_pitched(
    array: &KernelArray,
    (name, field): (&str, &str),
    touched: &str,
    [elements, on_device]: [&[String]; 2],
) -> Vec<String> {
    let (elem, what) = (array.elem, &array.name);
    let n_rows = elements.len().saturating_sub(1);
    let (rows, last) = (elements[..n_rows].join(" * "), elements[n_rows..].concat());
    let allocated = match on_device == elements {
        true => format!("{name}_rows"),
        false => on_device[..n_rows].join(" * "),
    };
    let mut lines = vec![format!(
        "  const size_t {name}_rows = {rows}, {name}_width = sizeof({elem}) * {last};"
    )];
    lines.extend(pitch(name, what, ""));
    lines.extend([
        format!("  check(cudaMalloc((void **)&{name}_device, {allocated} * {name}_pitch), \"allocating {what}\");"),
        format!("  check(cudaMemset({name}_device, 0xff, {allocated} * {name}_pitch), \"filling {what}\"); // rows are read with their padding: NaN"),
    ]);
    if !array.local {
        lines.push(format!("  {touched}check(cudaMemcpy2D({name}_device, {name}_pitch, {name}, {name}_width, {name}_width, {name}_rows, cudaMemcpyHostToDevice), \"copying {what} to the device\");"));
    }
    lines.push(format!(
        "  args.{field} = {name}_device, args.{field}_pitch = (int){name}_pitch;"
    ));
    lines
}

/// Lines that leave in `NAME_pitch` how far rows on the device are from each other; `beside` is what they have there beside
/// `NAME_width` bytes, as a term.
pub(super) fn pitch(name: &str, what: &str, beside: &str) -> [String; 2] {
    [
        format!(
            "  const size_t {name}_pitch = {}; // rows start at multiples of 128 bytes",
            padded(name, beside)
        ),
        fits(name, what),
    ]
}

/// The bytes of a row with those that pad it to a multiple of 128.
pub(super) fn padded(name: &str, beside: &str) -> String {
    format!("({name}_width{beside} + 127) / 128 * 128")
}

/// The line that ends the program where rows are too far from each other.
pub(super) fn fits(name: &str, what: &str) -> String {
    format!(
        "  check({name}_pitch <= INT_MAX ? cudaSuccess : cudaErrorInvalidValue, \"rows of {what} are too long\");"
    )
}

/// The extents of an array, as C: in the program, and on the device, where all planes exist.
pub(super) fn extents(array: &KernelArray, planes: Option<i64>, names: &Names) -> [Vec<String>; 2] {
    let elements: Vec<String> = (array.extents.iter())
        .map(|e| format!("(size_t){}", ast_operand(e, names)))
        .collect();
    let mut on_device = elements.clone();
    if let (Some(n), Some(outer)) = (planes, array.extents.first())
        && !matches!(outer, AstExpr::Int(all) if *all >= n)
    {
        on_device[0] = format!("(size_t)highest({n}, {})", ast_to_c(outer, names));
    }
    [elements, on_device]
}

/// Where the members are that a program hands over with their values.
pub(super) fn member_parameters(ir: &Interface, names: &Names) -> Vec<String> {
    let place = |member: &Member| {
        let name = names.get(&member.name);
        format!("const void *{name}_at, size_t {name}_size")
    };
    ir.guarded_members().map(place).collect()
}

/// Ends the program where a member lies in an array that is written.
fn member_checks(ir: &Interface, names: &Names) -> Vec<String> {
    let mut lines = Vec::new();
    for (array, touched) in ir.arrays.iter().zip(&ir.touched) {
        let holds = array.rows.is_none() && may_hold_members(array);
        for member in ir.guarded_members().filter(|_| holds) {
            let (own, name) = (names.get(&array.name), names.get(&member.name));
            let condition = match condition(touched, names) {
                None => String::new(),
                Some(condition) => format!("if ({condition}) "),
            };
            lines.push(format!(
                "  {condition}separate({own}, {}, {name}_at, {name}_size, \"{} and {} share memory\");",
                bytes_of(array, names),
                array.name,
                member.value
            ));
        }
    }
    lines
}

/// Ends the program where two arrays share memory and one of them is written: in C every store
/// would change both. Arrays that are no pointers cannot.
pub(super) fn overlap_checks(ir: &Interface, names: &Names) -> Vec<String> {
    let ir = &ir.handed_over();
    let mut lines = Vec::new();
    for (i, a) in ir.arrays.iter().enumerate() {
        for (j, b) in ir.arrays.iter().enumerate().skip(i + 1) {
            if !may_share_memory(a, b) {
                continue;
            }
            let conditions: Vec<String> = [&ir.touched[i], &ir.touched[j]]
                .into_iter()
                .filter_map(|touched| condition(touched, names))
                .collect();
            let condition = match conditions.is_empty() {
                true => String::new(),
                false => format!("if ({}) ", conditions.join(" && ")),
            };
            lines.push(format!(
                "  {condition}separate({}, {}, {}, {}, \"{} and {} share memory\");",
                names.get(&a.name),
                bytes_of(a, names),
                names.get(&b.name),
                bytes_of(b, names),
                a.name,
                b.name
            ));
        }
    }
    lines.extend(member_checks(ir, names));
    if !lines.is_empty() {
        let lambda = [
            "  const auto separate = [&](const void *x, size_t x_bytes, const void *y, size_t y_bytes, const char *what) {",
            "    const bool overlap = (const char *)y < (const char *)x + x_bytes && (const char *)x < (const char *)y + y_bytes;",
            "    check(x_bytes && y_bytes && overlap ? cudaErrorInvalidValue : cudaSuccess, what);",
            "  };",
        ];
        lines.splice(0..0, lambda.map(String::from));
    }
    lines
}

/// A function that appends an array to the file named by `HEXCC_DUMP`; C and
/// C++.
pub fn dump_function<'a>(kernels: impl Iterator<Item = &'a Interface>) -> String {
    let mut text = String::from(
        "static void hexcc_dump(const char *name, const void *data, unsigned long long bytes, unsigned long long size) {\n\
         \x20 const char *path = getenv(\"HEXCC_DUMP\");\n\
         \x20 FILE *file = path ? fopen(path, \"ab\") : 0;\n\
         \x20 if (!file) return;\n\
         \x20 fprintf(file, \"%s %llu %llu\\n\", name, bytes, size);\n\
         \x20 fwrite(data, 1, bytes, file);\n\
         \x20 fclose(file);\n\
         }\n",
    );
    let names = Names::new(&[]);
    let mut extents = String::new();
    for array in kernels.flat_map(|ir| &ir.arrays) {
        for extent in &array.extents {
            let _ = write!(extents, " {} ", ast_to_c(extent, &names));
        }
    }
    for helper in (HELPERS.iter()).filter(|h| mentions(&extents, h.name)) {
        text.push_str(&helper.definition("static"));
    }
    text
}

/// Calls that append all arrays that are written; `namespace` is where the generated functions are.
pub(super) fn dump_calls(
    replacements: &[Replacement],
    names: &Names,
    namespace: impl Fn(&Interface) -> String,
) -> String {
    let mut text = String::new();
    for whole in replacements.iter().map(|r| r.interface) {
        let ir = &whole.handed_over();
        let names = &names.with_members(ir);
        let nonempty = ast_to_c(&ir.nonempty, names);
        for array in ir.arrays.iter().filter(|a| a.written && !a.local) {
            let record = format!("{} {}", array.name, type_tag(array));
            if array.rows.is_some() {
                // Of planes in rows, which one a pointer leads to behind the steps is not known.
                let index = whole.arrays.iter().position(|a| a.name == array.name);
                if let Some(index) = index {
                    let dump = rows::dump(whole, index, (names, &namespace(ir)), &record);
                    let _ = write!(text, " if ({nonempty}){dump}");
                }
                continue;
            }
            let mut bytes = format!("{}ull", array.elem.size());
            for extent in &array.extents {
                let _ = write!(
                    bytes,
                    " * (unsigned long long){}",
                    ast_operand(extent, names)
                );
            }
            let _ = write!(
                text,
                " if ({nonempty}) hexcc_dump(\"{record}\", (const void *){}, {bytes}, {});",
                address(array, names),
                array.elem.size()
            );
        }
    }
    text
}

/// Where the program has the array.
pub(super) fn address(array: &KernelArray, names: &Names) -> String {
    let name = names.get(&array.name);
    match array.variable {
        true => format!("&{name}"),
        false => name,
    }
}

/// One word for the element type in a dump.
fn type_tag(array: &KernelArray) -> String {
    array.elem.to_string().replace(' ', "_")
}
