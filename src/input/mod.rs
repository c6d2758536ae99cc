//! Reading a C file through pet, or a saved scop.

mod beside;
mod choice;
mod extract;
pub mod facts;
mod guards;
pub mod included;
mod joined;
mod merged;
mod names;
mod outer;
mod rewritten;
mod several;
mod swaps;
mod together;

use crate::files;
use crate::foreign::{cplusplus, divided, named_cplusplus};
use crate::host_facts;
use crate::limit::TimeLimit;
use crate::render::Failure;
use choice::Candidate;
use hexcc_compiler::compiled::Compiled;
use hexcc_compiler::csource::HeaderNames;
use hexcc_compiler::ctype::math_function;
use hexcc_compiler::diag::Diagnostic;
use hexcc_compiler::front::c::{self as front, Pass, Reduced, Region, StandIns, Written};
use hexcc_compiler::known::Known;
use hexcc_compiler::options::{Options, Sums};
use hexcc_compiler::scop::records::query;
use hexcc_compiler::scop::{SavedScop, SourceFile, members};
use hexcc_compiler::{causes, csource, pipeline, stepwise};
use hexcc_front_c::child::{self, KnownFacts};
use hexcc_front_c::normalize::{Called, Same, What, Wish, first_unreadable};
use hexcc_pet::data::{PetBody, PetScop, PetStmt};
use hexcc_pet::{PetError, PetPaths};
use rewritten::{Wanted, Words};
use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::rc::Rc;
pub use swaps::Planes;

/// How to read the input.
#[derive(Clone)]
pub struct InputOptions {
    /// The C file or saved scop.
    pub file: PathBuf,
    /// The other C files of the program.
    pub others: Vec<PathBuf>,
    /// Function whose scop to take.
    pub function: Option<String>,
    /// A line of the loop to take.
    pub line: Option<usize>,
    /// Directories for `#include`.
    pub include_dirs: Vec<PathBuf>,
    /// Macros.
    pub defines: Vec<String>,
    /// Files that come before the text.
    pub before: Vec<PathBuf>,
    /// How sums over loops are computed, which decides what nests can run in kernels.
    pub sums: Sums,
    /// Whether all time loops of the file are meant, not one.
    pub several: bool,
    /// How loops are compiled, where arrays whose pointers they swap may be planes of one array.
    pub planes: Option<Planes>,
    /// Whether arrays are copied for each kernel, but in loops of the host that touch none.
    pub copies: bool,
}

/// What was read, and what clang and pet had to say about it.
pub struct Input {
    /// Source and scop.
    pub saved: SavedScop,
    /// Warnings.
    pub warnings: Vec<Diagnostic>,
    /// Loops that could have been taken, too.
    pub candidates: Vec<Candidate>,
    /// The source has the text of all files of the program.
    pub is_all: bool,
    /// One of the nests is in tiles, in a loop that could run in single steps as a whole.
    pub in_tiles: bool,
    /// Nests that were compiled to see whether they can be.
    pub known: Known,
    /// Words of isl's notation that variables have as names, which is in the way of tiles.
    pub words: BTreeSet<String>,
}

/// Reads the input files.
pub fn read(options: &InputOptions, limit: &TimeLimit) -> Result<Input, Failure> {
    let mut input = match options.others.is_empty() {
        true => read_file(options, limit),
        false => several::read(options, limit),
    }?;
    if !is_saved(options) {
        host_facts::add(options, &mut input.saved, limit)?;
        input.saved.around = joined::around(options, &input.saved, limit);
    }
    Ok(input)
}

fn is_saved(options: &InputOptions) -> bool {
    options.file.extension().is_some_and(|e| e == "json")
}

/// Reads a file; of the others, what it calls.
fn read_file(options: &InputOptions, limit: &TimeLimit) -> Result<Input, Failure> {
    if is_saved(options) {
        return Ok(Input {
            saved: read_saved(&options.file)?,
            warnings: Vec::new(),
            candidates: Vec::new(),
            is_all: false,
            in_tiles: false,
            known: Known::default(),
            words: BTreeSet::new(),
        });
    }
    let mut source = declared(options, included::read(&options.file, options)?)?;
    let heads = rewritten::asked(options, &source, limit, child::heads);
    source = source.with(heads).unwrap_or(source);
    let stays = several::add_functions(options, &mut source)?;
    let read = read_c(options, source, limit);
    read.map_err(|failure| several::with_reasons(failure, &stays))
}

/// A file in which functions are declared with their parameters.
fn declared(options: &InputOptions, source: SourceFile) -> Result<SourceFile, Failure> {
    let others: Vec<SourceFile> = (options.others.iter())
        .map(|file| read_text(file))
        .collect::<Result<_, _>>()?;
    let texts: Vec<&str> = others.iter().map(|other| other.text.as_str()).collect();
    let edits = csource::with_parameters(&source.text, &texts);
    Ok(source.edited(edits).unwrap_or(source))
}

/// A C file.
fn read_text(path: &Path) -> Result<SourceFile, Failure> {
    let text = files::text(path).map_err(|e| unreadable(path, &e))?;
    let name = path.display().to_string();
    Ok(SourceFile::new(name, modern(text)))
}

fn read_c(options: &InputOptions, source: SourceFile, limit: &TimeLimit) -> Result<Input, Failure> {
    if let Some(d) = named_cplusplus(&source).or_else(|| divided(&source)) {
        return Err(*NotRead::new(&source, vec![d], BTreeSet::new()).failure);
    }
    let source = names::settled(options, source)?;
    let first = read_source(options, source.clone(), limit);
    let words = (first.as_ref()).map_or_else(|first| &first.words, |input| &input.words);
    let again = renamed(&source, words).map(|source| read_source(options, source, limit));
    match (first, again) {
        // Other names are for tiles alone.
        (Ok(input), again) => {
            let tiled = (again.and_then(Result::ok)).filter(|i| i.saved.source.before.is_some());
            Ok(tiled.unwrap_or(input))
        }
        (Err(first), _) if first.words.is_empty() => Err(first.or_cplusplus(&source)),
        (Err(mut first), None) => {
            first.not_renamed(
                "a macro makes text of its arguments, or another file has a function of this name",
            );
            Err(first.or_cplusplus(&source))
        }
        // Names of a header's variables cannot change here.
        (Err(mut first), Some(Err(again))) if !again.words.is_empty() || again.is_syntax() => {
            first.not_renamed("it is not declared in this file");
            Err(*first.failure)
        }
        (Err(_), Some(again)) => again.map_err(|e| *e.failure),
    }
}

/// A file with other names in the place of words of isl's notation, if there are any and they can change.
fn renamed(source: &SourceFile, words: &BTreeSet<String>) -> Option<SourceFile> {
    let any = (!words.is_empty()).then_some(words)?;
    let names = csource::names_for_isl(&source.text, any)?;
    source.edited(csource::rename(&source.text, &names)).ok()
}

/// A text without old-style definitions of functions.
fn modern(text: String) -> String {
    csource::modernized(&text).unwrap_or(text)
}

/// A failure, and the variables whose names are words of isl's notation.
struct NotRead {
    failure: Box<Failure>,
    words: BTreeSet<String>,
}

impl NotRead {
    fn new(source: &SourceFile, diagnostics: Vec<Diagnostic>, words: BTreeSet<String>) -> NotRead {
        let source = Some(Box::new(source.clone()));
        let failure = Box::new(Failure {
            diagnostics,
            source,
        });
        NotRead { failure, words }
    }

    fn is_syntax(&self) -> bool {
        self.failure.diagnostics.iter().any(|d| d.code == "HX0101")
    }

    /// Says why a variable keeps a name that isl cannot read.
    fn not_renamed(&mut self, why: &str) {
        for d in (self.failure.diagnostics.iter_mut()).filter(|d| d.code == "HX0114") {
            d.notes
                .push(format!("hexcc renames such variables, but not here: {why}"));
        }
    }

    /// What clang says of C++ is no help.
    fn or_cplusplus(self, source: &SourceFile) -> Failure {
        match csource::first_cplusplus(&source.text) {
            Some(place) if self.is_syntax() => Failure {
                diagnostics: vec![cplusplus(source, Some(place))],
                ..*self.failure
            },
            _ => *self.failure,
        }
    }
}

fn read_source(
    options: &InputOptions,
    source: SourceFile,
    limit: &TimeLimit,
) -> Result<Input, NotRead> {
    let failed = |e| NotRead::new(&source, explain(e, &source, None), BTreeSet::new());
    let reader = Reader::new(options, &source, limit).map_err(failed)?;
    let words = Words::default();
    match read_as_is(&reader) {
        Ok(input) => {
            let tiled = rewritten::in_tiles(options, &input, limit, &words);
            let words = words.into_inner();
            Ok(tiled.unwrap_or(Input { words, ..input }))
        }
        // Other names come first.
        Err(refused) if !refused.words.is_empty() => Err(refused),
        Err(refused) => {
            let wanted = [Wanted::Tiles, Wanted::Any];
            rewritten::first(options, (&source, &[]), (limit, &words), &wanted).ok_or(refused)
        }
    }
}

fn read_as_is(reader: &Reader) -> Result<Input, NotRead> {
    let (options, source) = (reader.options, reader.source);
    let fail = |diagnostics, words| NotRead::new(source, diagnostics, words);
    let found = reader.scop();
    let words = reader.words.take();
    let (chosen, mut warnings) = match found {
        Err(diagnostics) => return Err(fail(diagnostics, words)),
        Ok(found) => found,
    };
    // The loop that looked likeliest may be one that was not read.
    if let Some(word) = words.first() {
        let why = explain(PetError::ReservedName(word.clone()), source, None);
        return Err(fail(why, words));
    }
    warnings.extend(unchecked(reader, &chosen));
    Ok(Input {
        saved: SavedScop {
            nests: chosen.nests,
            stays: chosen.stays,
            headers: HeaderNames::new(&reader.headers, source.own_text()),
            ..SavedScop::new(source.clone(), options.defines.clone(), chosen.scop)
        },
        warnings,
        candidates: chosen.candidates,
        is_all: false,
        in_tiles: chosen.in_tiles,
        known: reader.known.take(),
        words: BTreeSet::new(),
    })
}

/// A warning of assertions in what kernels compute.
fn unchecked(reader: &Reader, chosen: &Chosen) -> Option<Diagnostic> {
    let may_be_some = reader.source.text.contains("assert");
    let spans = chosen.regions().map(|scop| scop.span.start..scop.span.end);
    let first = (spans.filter(|_| may_be_some))
        .flat_map(|span| reader.forward(&span, Wish::Plain).unchecked.clone())
        .next()?;
    Some(
        Diagnostic::warning("HX0118", "kernels do not check `assert`")
            .at(first, "left out here")
            .note("where the assertion does not hold, the C program ends, and the translation goes on")
            .help("define `NDEBUG`, as for a release, or test before the time loop"),
    )
}

/// Loops without marks that are judged, at most; a file rarely has more than three.
const MAX_JUDGED: usize = 12;

/// What is translated and warnings, or a refusal.
type Found = Result<(Chosen, Vec<Diagnostic>), Vec<Diagnostic>>;

/// What is translated.
struct Chosen {
    scop: PetScop,
    /// As in [`SavedScop`].
    nests: Vec<PetScop>,
    stays: Option<String>,
    /// As in [`Input`].
    candidates: Vec<Candidate>,
    in_tiles: bool,
}

/// Nests, of which there is one at least, in kernels where the loop at a line stays on the host for a reason; and what is said of it.
fn staying(
    (line, why): (usize, &Diagnostic),
    which: &str,
    mut nests: Vec<PetScop>,
) -> (Chosen, Diagnostic) {
    let the_loop = format!("the loop at line {line}");
    let what = format!("{the_loop} stays on the CPU, and {which} run in kernels");
    let chosen = Chosen {
        stays: Some(format!("{the_loop}: {}", why.message)),
        ..nests.remove(0).into()
    };
    (Chosen { nests, ..chosen }, why.clone().into_warning(&what))
}

impl Chosen {
    /// Everything that is translated.
    fn regions(&self) -> impl Iterator<Item = &PetScop> {
        std::iter::once(&self.scop).chain(&self.nests)
    }
}

impl From<PetScop> for Chosen {
    fn from(scop: PetScop) -> Chosen {
        Chosen {
            scop,
            nests: Vec::new(),
            stays: None,
            candidates: Vec::new(),
            in_tiles: false,
        }
    }
}

/// Refusals of a loop for what it is made of: calls, other control flow than loops, members of
/// structs, what is no statement of a stencil.
const MADE_OF: [&str; 6] = ["HX0104", "HX0105", "HX0106", "HX0107", "HX0108", "HX0110"];

/// What is said of a loop that nobody has chosen.
const DEEPEST: &str = "without `#pragma scop` the deepest nest of loops was judged";

/// Nests that are tried in a loop that stays on the CPU, at most.
const MAX_NESTS: usize = 40;

/// Where nests begin that run in no kernel, and why.
type Reasons = Vec<(usize, Box<Diagnostic>)>;

/// The search for parallel nests in a loop that stays on the CPU.
struct Nests<'a> {
    reader: &'a Reader<'a>,
    /// Where loops begin that have been tried.
    seen: BTreeSet<usize>,
    /// How many may still be tried.
    tries: usize,
    /// Whether nests of few iterations are taken, too.
    small: bool,
    /// Whether nests of one loop are taken everywhere.
    deep: bool,
    found: Vec<PetScop>,
    /// The other innermost ones of those tried: where, and why.
    refused: Reasons,
}

impl<'a> Nests<'a> {
    fn new(reader: &'a Reader<'a>) -> Nests<'a> {
        Nests {
            reader,
            seen: BTreeSet::new(),
            tries: MAX_NESTS,
            small: false,
            deep: false,
            found: Vec::new(),
            refused: Vec::new(),
        }
    }

    /// Tries the loops directly in a part of the file, and those in them where they are refused:
    /// there, only ones in which several loops are shared are worth the launches.
    fn within(&mut self, part: &Range<usize>, directly: bool) {
        self.among(front::inner_loops(&self.reader.source.text, part), directly);
    }

    /// Tries loops that have no tiles: as they are, or what is in those that stay on the host.
    fn within_all(&mut self, loops: &[&Refused]) {
        for refused in loops {
            self.seen.insert(refused.region.span.start);
            let may_run = refused.why.iter().all(stepwise::may_replace);
            match may_run.then(|| self.tried(refused.region, true)) {
                Some(Ok(scop)) => self.found.push(scop),
                _ => self.within(&refused.region.span, true),
            }
        }
    }

    /// The same of given loops.
    fn among(&mut self, loops: Vec<Region>, directly: bool) {
        for inner in loops {
            // What is in other files stays there.
            let is_own = inner.span.end <= self.reader.source.own_text().len();
            // A loop and one in it may both be candidates.
            let is_taken = self
                .found
                .iter()
                .any(|scop| scop.span.start < inner.span.end && inner.span.start < scop.span.end);
            let is_new = is_own && !is_taken && self.seen.insert(inner.span.start);
            if self.tries == 0 || !is_new {
                continue;
            }
            self.tries -= 1;
            let refused = self.refused.len();
            let Err(why) = self
                .tried(&inner, directly)
                .map(|scop| self.found.push(scop))
            else {
                continue;
            };
            self.within(&inner.span, self.deep);
            // Of a loop that prints, what is said of those in it says more.
            if why.code != "HX0107" || self.refused.len() == refused {
                self.refused.truncate(refused);
                self.refused.push((inner.span.start, why));
            }
        }
    }

    /// What pet makes of a nest that is worth its launches, or why it stays on the CPU.
    fn tried(&self, nest: &Region, directly: bool) -> Result<PetScop, Box<Diagnostic>> {
        let none = || Diagnostic::bug("a refusal without a reason");
        let first = |d: Vec<Diagnostic>| d.into_iter().next().unwrap_or_else(none);
        let judged = |scop: PetScop| match self.reader.compiled_in_steps(&scop) {
            Ok(shared) => Ok((scop, shared)),
            Err(why) if !scop.selects.is_empty() && guards::may_help(&why) => {
                self.reader.guarded_in_steps(nest).ok_or(why)
            }
            Err(why) => Err(why),
        };
        let swaps = self.reader.without_swaps(nest);
        if let Some(scop) = swaps.filter(|scop| self.reader.is_tiled_nest(scop)) {
            return Ok(scop);
        }
        let read = self.reader.region(nest).map_err(|d| Box::new(first(d)));
        if !self.small && read.as_ref().is_ok_and(|scop| self.reader.has_few(scop)) {
            return Err(Box::new(stepwise::not_shared(false)));
        }
        let (scop, shared) = match read.and_then(judged) {
            Err(why) if MADE_OF.contains(&why.code) => {
                self.reader.cells_in_steps(nest).ok_or(why)?
            }
            judged => judged?,
        };
        match shared {
            (many, several) if (many || self.small) && (several || directly) => Ok(scop),
            (many, _) => Err(Box::new(stepwise::not_shared(many || self.small))),
        }
    }
}

/// One C file on its way through pet.
#[derive(Clone)]
struct Reader<'a> {
    options: &'a InputOptions,
    source: &'a SourceFile,
    limit: &'a TimeLimit,
    exe: PathBuf,
    pet: PetPaths,
    /// The files that the user's includes from beside it or from the directories given, and what
    /// they include.
    headers: Vec<String>,
    /// Iterators and sizes found whose names isl would read as something else.
    words: RefCell<BTreeSet<String>>,
    /// What texts declare.
    facts: Rc<RefCell<HashMap<String, KnownFacts>>>,
    /// What is to stand in regions of texts.
    forwarded: facts::Forwarded,
    /// Nests that have been compiled.
    known: Rc<RefCell<Known>>,
    /// Variables of subscripts are written out without a look at the plain text, which takes pet longer.
    written_first: bool,
}

/// The options that regions are tried in single steps with.
fn in_steps(options: &InputOptions) -> Options {
    stepwise::options(&Options {
        sums: options.sums,
        ..Options::default()
    })
}

impl<'a> Reader<'a> {
    fn new(
        options: &'a InputOptions,
        source: &'a SourceFile,
        limit: &'a TimeLimit,
    ) -> Result<Reader<'a>, PetError> {
        let vendor = Path::new(env!("HEXCC_ROOT")).join("vendor/pet");
        let exe = std::env::current_exe();
        Ok(Reader {
            options,
            source,
            limit,
            exe: exe.map_err(|e| PetError::Protocol(format!("own executable: {e}")))?,
            pet: hexcc_pet::find_library(Some(&vendor))?,
            headers: headers(options, &source.text),
            words: RefCell::default(),
            facts: Rc::default(),
            forwarded: Rc::default(),
            known: Rc::new(RefCell::new(Known::new(in_steps(options)))),
            written_first: false,
        })
    }

    /// The same for a text made of this one.
    fn of<'b>(&'b self, source: &'b SourceFile) -> Reader<'b> {
        Reader {
            source,
            headers: headers(self.options, &source.text),
            words: RefCell::default(),
            ..self.clone()
        }
    }

    /// The region that is meant, and warnings.
    fn scop(&self) -> Found {
        let text = &self.source.text;
        let wanted = self.options.function.as_deref();
        let own = self.source.own_text().len();
        let is_wanted = |r: &Region| {
            let name = r.function.as_ref().map(|f| f.name.as_str());
            (wanted.is_none() || name == wanted || name.is_none()) && r.span.end <= own
        };
        if let Some(line) = self.options.line {
            return self.at_line(line);
        }
        let marked: Vec<Region> = (front::marked_regions(text).into_iter())
            .filter(is_wanted)
            .collect();
        if let Some(found) = self.marked(&marked) {
            return found;
        }
        let loops: Vec<Region> = (front::time_loops(text).into_iter())
            .filter(is_wanted)
            .take(MAX_JUDGED)
            .collect();
        if loops.is_empty() {
            self.check_function()?;
            if !csource::has_loop(self.source.own_text()) {
                return Err(vec![self.no_loop()]);
            }
            // Loops of functions whose definitions are not understood.
            let whole = front::whole(text);
            let scop = self.extract(&whole, wanted);
            let scop = scop.map_err(|e| explain(e, self.source, Some(&whole)))?;
            let start = scop.span.start;
            let scop = self.described(scop, (&whole, start), &[]);
            let scop = scop.map_err(|error| vec![facts::explain(error)])?;
            return Ok((scop.into(), Vec::new()));
        }
        self.judged(&loops)
    }

    fn no_loop(&self) -> Diagnostic {
        let what = format!("`{}` has no loop", self.source.path);
        Diagnostic::error("HX0102", what)
            .note("files that it includes are not searched for loops")
            .help("give the file that has the time loop")
    }

    /// Whether the function asked for exists, and if so, has a loop.
    fn check_function(&self) -> Result<(), Vec<Diagnostic>> {
        let Some(wanted) = &self.options.function else {
            return Ok(());
        };
        let text = &self.source.text;
        let regions = [front::marked_regions(text), front::time_loops(text)].concat();
        let mut others: Vec<String> = (regions.iter())
            .filter_map(|r| Some(format!("`{}`", r.function.as_ref()?.name)))
            .collect();
        others.sort();
        others.dedup();
        let functions = csource::functions(text);
        let exists = functions.iter().find(|f| f.name == *wanted);
        let d = match exists {
            Some(f) => Diagnostic::error(
                "HX0102",
                format!("function `{wanted}` has no loop to translate"),
            )
            .at(
                f.name_range.clone(),
                "no loop with a loop in it, here or in what it calls",
            ),
            None => Diagnostic::error(
                "HX0102",
                format!("there is no function `{wanted}` in `{}`", self.source.path),
            ),
        };
        Err(vec![match others.as_slice() {
            [] => d.note("no function of the file has a nest of loops"),
            others => d.help(format!("functions with loops: {}", others.join(", "))),
        }])
    }

    /// The first marked region that the preprocessor leaves in the file; `None` without any.
    fn marked(&self, regions: &[Region]) -> Option<Found> {
        let mut first_failure = None;
        for (index, region) in regions.iter().enumerate() {
            match self.time_loop(region) {
                Ok(scop) => {
                    let others = [&regions[..index], &regions[index + 1..]].concat();
                    return Some(Ok((scop.into(), self.other_regions(region, others))));
                }
                Err(d) if self.is_compiled(region) => {
                    let absent = d.iter().all(|d| d.code == "HX0102");
                    if !absent {
                        first_failure = Some(d);
                        break;
                    }
                    first_failure.get_or_insert(d);
                }
                Err(_) => {}
            }
        }
        first_failure.map(Err)
    }

    /// Whether the preprocessor leaves the line in the file with which a region begins.
    fn is_compiled(&self, region: &Region) -> bool {
        if !csource::is_conditional(&self.source.text, region.span.start) {
            return true;
        }
        // Not to know is no reason to leave out what the user has marked.
        (self.facts(&self.source.text)).map_or(true, |facts| facts.has_statement(&region.span))
    }

    /// A warning of regions that are compiled and not translated.
    fn other_regions(&self, taken: &Region, mut others: Vec<Region>) -> Vec<Diagnostic> {
        if self.options.function.is_some() {
            return Vec::new();
        }
        others.retain(|r| self.is_compiled(r));
        if others.is_empty() {
            return Vec::new();
        }
        let text = &self.source.text;
        let first_line = |r: &Region| {
            let end = text[r.span.start..].find('\n');
            r.span.start..end.map_or(text.len(), |n| r.span.start + n)
        };
        let d = Diagnostic::warning(
            "HX0103",
            "the file has several scops; only one is translated",
        );
        let d = (others.iter()).fold(d.at(first_line(taken), "translated"), |d, r| {
            d.also(first_line(r), "not translated")
        });
        let name = |r: &Region| r.function.as_ref().map(|f| f.name.clone());
        let mut names: Vec<String> = others.iter().filter_map(name).collect();
        names.retain(|n| Some(n) != name(taken).as_ref());
        names.dedup();
        let d = match names.as_slice() {
            [] => d,
            [one] => d.help(format!("choose the other with `--function {one}`")),
            names => d.help(format!(
                "choose another with `--function`: {}",
                names.join(", ")
            )),
        };
        let is_same = others.iter().any(|r| name(r) == name(taken));
        vec![match is_same {
            true => d.help("put loops of one function between one `#pragma scop` and one `#pragma endscop`: each is translated by itself"),
            false => d,
        }]
    }

    fn line(&self, at: usize) -> usize {
        self.source.line(at)
    }

    /// The likeliest loop that is a time loop, of those without marks; the refusal of the
    /// likeliest where none is.
    fn judged(&self, loops: &[Region]) -> Found {
        let mut refused: Vec<Refused> = Vec::new();
        for region in loops {
            if self.is_in_parallel(&refused, region) {
                continue;
            }
            let scop = match self.judged_alone(region) {
                Ok(scop) => scop,
                Err(other) => {
                    refused.push(*other);
                    continue;
                }
            };
            let Some((outer, of_outer)) = self.around(&refused, region) else {
                return Ok(self.with_others(loops, refused, (region, scop)));
            };
            if loops.iter().all(|l| l.depth <= outer.region.depth) {
                let nests = self.parted(outer, (region, &scop));
                return Ok(nests.unwrap_or_else(|| (of_outer.clone().into(), Vec::new())));
            }
            // A nest of a loop that stays on the CPU, as are others there.
            let why = outer.why.clone();
            refused.push(self.refused(region, Some(scop), why));
        }
        // What the preprocessor leaves out is no loop of the program.
        let is_there = |r: &Refused| r.why.iter().any(|d| d.code != "HX0102");
        if refused.iter().any(is_there) {
            refused.retain(is_there);
        }
        let alone = |(_, scop): (&Region, &PetScop)| (scop.clone().into(), Vec::new());
        if let Some((region, scop)) = self.in_steps(&refused, false) {
            let scop = self
                .sequence(&refused, region)
                .unwrap_or_else(|| scop.clone());
            let taken = scop.span.start..scop.span.end;
            let chosen = Chosen {
                candidates: self.candidates(loops, &[taken], &refused),
                ..scop.into()
            };
            return Ok((chosen, Vec::new()));
        }
        match self.nests(&refused).or_else(|inside| {
            // What hands values on is a time loop, whatever else there is.
            let alone = self.in_steps(&refused, true).map(alone);
            let stages = || self.stages(&refused).map(|scop| (scop.into(), Vec::new()));
            alone.or_else(stages).ok_or(inside)
        }) {
            Ok((mut chosen, warnings)) => {
                chosen.candidates = self.other_loops(loops, &chosen, &refused);
                Ok((chosen, warnings))
            }
            Err(mut inside) => {
                sort_by_likelihood(&mut refused);
                if let Some(first) = refused.first() {
                    inside.sort_by_key(|(start, _)| !self.runs_in(first.region, *start));
                }
                let inside = inside.into_iter();
                let nests = inside.map(|(start, why)| (self.line(start), why));
                Err(likeliest(refused, &nests.collect::<Vec<_>>()))
            }
        }
    }

    /// The loops that are neither nests that run in kernels nor the loop around these.
    fn other_loops(
        &self,
        loops: &[Region],
        chosen: &Chosen,
        refused: &[Refused],
    ) -> Vec<Candidate> {
        let nests = chosen.regions().map(|nest| nest.span.start..nest.span.end);
        let first = loops.first().map(|first| first.span.clone());
        let taken: Vec<Range<usize>> = nests.chain(first).collect();
        self.candidates(loops, &taken, refused)
    }

    /// The likeliest of the deepest nests that runs in single steps. Where one of them is refused
    /// for what it is made of, it may be the time loop, and what is left is set-up code: unless a nest is known to be a
    /// time loop, as what its iterations hand on is why it is refused.
    fn in_steps<'r>(
        &self,
        refused: &'r [Refused],
        known: bool,
    ) -> Option<(&'r Region, &'r PetScop)> {
        let of_shape = |d: &Diagnostic| stepwise::may_replace(d) && !(known && d.code == "HX0201");
        let nests = deepest(refused).into_iter();
        let (nests, others): (Vec<_>, Vec<_>) = nests.partition(|r| r.why.iter().all(of_shape));
        let nests = nests.into_iter().filter(|_| known || others.is_empty());
        let mut scops = nests.filter_map(|r| Some((r.region, r.scop.as_ref()?)));
        scops.find(|(_, scop)| self.in_single_steps(scop).is_ok())
    }

    /// Whether what begins at an offset is in a loop, or in a function that it calls.
    fn runs_in(&self, region: &Region, start: usize) -> bool {
        let functions = front::called_functions(&self.source.text, region);
        let mut parts = functions.iter().map(|f| &f.body).chain([&region.span]);
        parts.any(|part| part.contains(&start))
    }

    /// The parallel nests in the deepest loops, where these stay on the host for what they are
    /// made of, or elsewhere in the file; or where nests begin that are no kernels, and why.
    fn nests(&self, refused: &[Refused]) -> Result<(Chosen, Vec<Diagnostic>), Reasons> {
        let deepest = deepest(refused);
        let mut search = Nests::new(self);
        let first = deepest.first().and_then(|r| Some((r.line, r.why.first()?)));
        let Some((line, why)) = first else {
            return Err(search.refused);
        };
        if MADE_OF.contains(&why.code) {
            search = self.nests_of(&deepest);
        }
        let elsewhere = search.found.is_empty();
        let others = (!elsewhere).then(|| search.beside(refused, &deepest));
        if elsewhere && may_be_output(deepest.iter().filter_map(|r| r.why.first())) {
            search.within(&(0..self.source.text.len()), true);
        }
        search.found.sort_by_key(|scop| scop.span.start);
        search.found = self.joined(search.found);
        let moving = (!elsewhere).then(|| self.moving(&search));
        if search.found.is_empty() {
            return Err(search.refused);
        }
        let which = match elsewhere {
            true => "nests elsewhere in the file",
            false => "the nests in it",
        };
        // What is said of a swap is not why its planes have no tiles.
        let known = self.known.borrow();
        let of_planes =
            (deepest.first()).and_then(|r| known.why_planes_have_none(r.region.span.start));
        let why = of_planes.unwrap_or_else(|| why.clone());
        let (chosen, warning) = staying((line, &why), which, search.found);
        let small = search.small.then(stepwise::small);
        let deep = search.deep.then(stepwise::of_one_loop);
        let doubts = small.into_iter().chain(deep);
        let warning = moving.into_iter().flatten().fold(warning, Diagnostic::note);
        let warnings = std::iter::once(warning)
            .chain(doubts)
            .chain(others.into_iter().flatten());
        Ok((chosen, warnings.collect()))
    }

    /// The nests in loops that stay on the host: those that are worth their launches, or else
    /// those that are not.
    fn nests_of(&self, loops: &[&Refused]) -> Nests<'_> {
        let mut first: Option<Nests> = None;
        for (small, deep) in [(false, false), (false, true), (true, false), (true, true)] {
            let refused = first.iter().flat_map(|search| &search.refused);
            let may_help = |d: &Diagnostic| match stepwise::is_small(d) {
                true => small,
                false => deep && stepwise::is_unshared(d),
            };
            if first.is_some() && !refused.clone().any(|(_, d)| may_help(d)) {
                continue;
            }
            let mut search = Nests::new(self);
            (search.small, search.deep) = (small, deep);
            search.within_all(loops);
            if !search.found.is_empty() {
                return search;
            }
            first.get_or_insert(search);
        }
        first.unwrap_or_else(|| Nests::new(self))
    }

    /// Whether a region has a time loop that can be tiled, as far as dependences say.
    fn judge(&self, scop: &PetScop) -> Result<(), Vec<Diagnostic>> {
        // One without its swap has been compiled.
        if scop.rotation.is_some() {
            return Ok(());
        }
        let region = self.saved(scop);
        let (options, known) = (Options::default(), self.known.borrow());
        let judge = |ctx| pipeline::judge(&ctx, &region, &options, &known);
        self.isl(&region).and_then(judge).map_err(|d| vec![*d])
    }

    /// Whether a nest in a loop that stays on the CPU runs in single steps: if so, whether kernels have
    /// enough to share, and whether they share several loops.
    fn compiled_in_steps(&self, scop: &PetScop) -> Result<(bool, bool), Box<Diagnostic>> {
        let of = |compiled: &Compiled| (stepwise::sharing(compiled), stepwise::arrays(compiled));
        let (shared, arrays) = self.of_nest(scop, of)?;
        let question = facts::question(self.options, &self.source.text, self.limit);
        let same = child::same_later(&self.exe, &question, (scop.span.start, arrays));
        // Without an answer, nobody knows.
        let same = same.map_err(|error| Box::new(facts::explain(error)))?;
        same.map_or(Ok(shared), |same| Err(Box::new(one_array(&same))))
    }

    /// Whether a nest has few iterations, whatever the sizes are.
    fn has_few(&self, scop: &PetScop) -> bool {
        let (nest, known) = (self.nest(scop), self.known.borrow());
        self.isl(&nest).is_ok_and(|ctx| known.has_few(&ctx, &nest))
    }

    /// Whether threads share all loops of a nest in a loop that stays on the CPU.
    fn is_shared_in_all_loops(&self, scop: &PetScop) -> bool {
        self.of_nest(scop, stepwise::shares_all).unwrap_or(false)
    }

    /// What there is to say of a nest in a loop that stays on the CPU, in single steps.
    fn of_nest<T>(&self, scop: &PetScop, of: fn(&Compiled) -> T) -> Result<T, Box<Diagnostic>> {
        let nest = self.nest(scop);
        self.known.borrow().compile(&self.isl(&nest)?, &nest, of)
    }

    /// A region in single steps.
    fn in_single_steps(&self, scop: &PetScop) -> Result<Compiled, Box<Diagnostic>> {
        let (region, known) = (self.saved(scop), self.known.borrow());
        let (ctx, options) = (self.isl(&region)?, in_steps(self.options));
        pipeline::compile_with(&ctx, &region, &options, &known)
    }

    /// A context for a region: that which it is known in.
    fn isl(&self, region: &SavedScop) -> Result<hexcc_isl::Ctx, Box<Diagnostic>> {
        if let Some(ctx) = self.known.borrow().context(region) {
            return Ok(ctx);
        }
        let ctx = hexcc_isl::Ctx::with_stopper(self.limit.stopper().clone());
        ctx.map_err(|e| Box::new(Diagnostic::bug(e)))
    }

    /// A region in a loop that stays on the CPU.
    fn nest(&self, scop: &PetScop) -> SavedScop {
        SavedScop {
            stays: Some(String::new()),
            ..self.saved(scop)
        }
    }

    fn saved(&self, scop: &PetScop) -> SavedScop {
        let defines = self.options.defines.clone();
        SavedScop::new(self.source.clone(), defines, scop.clone())
    }

    /// Whether clang takes the whole text as C.
    fn is_c(&self) -> bool {
        let facts = self.facts(&self.source.text);
        facts.is_ok_and(|f| f.errors.is_empty() && f.undeclared_of_library.is_empty())
    }

    /// What pet makes of a region, with conditions on data as values where that helps; its refusals
    /// name what they are about.
    fn region(&self, region: &Region) -> Result<PetScop, Vec<Diagnostic>> {
        let read = self.as_written(region);
        let may_help = match &read {
            Ok(scop) => has_dynamic_control(scop),
            Err(d) => d.iter().all(|d| d.code == "HX0105"),
        };
        match may_help {
            true => self.with_selects(region, read),
            false => read,
        }
    }

    /// A region with conditions on data as values; as it was where that does not help.
    fn with_selects(
        &self,
        region: &Region,
        mut read: Result<PetScop, Vec<Diagnostic>>,
    ) -> Result<PetScop, Vec<Diagnostic>> {
        let written_first = read.as_ref().is_ok_and(|scop| scop.as_read.written_out);
        for (with_integers, plain) in SELECTIONS {
            let Some(selected) = self.selected(region, (with_integers, plain), false) else {
                continue;
            };
            if !selected.selects.is_empty()
                && let Some(scop) = self.extract_selected(&selected, region, written_first)
            {
                match has_dynamic_control(&scop) {
                    false => return Ok(scop),
                    // Other control flow on data is what is in the way.
                    true if read.is_err() => read = Ok(scop),
                    true => {}
                }
            }
            if let Ok(scop) = &mut read {
                scop.not_selected = scop.not_selected.take().or(selected.refused);
            }
        }
        read
    }

    /// A text with conditions on data as values, some of integers, too; without jumps that end bodies of
    /// loops early, if asked for.
    fn selected(
        &self,
        region: &Region,
        (with_integers, plain): (bool, bool),
        guarded: bool,
    ) -> Option<front::Selected> {
        let known = front::Known {
            headers: &self.headers,
            defines: &self.options.defines,
            integers: &|name| self.is_index_function(name),
            with_integers,
            guarded,
        };
        let text = &self.source.text;
        if !plain {
            return front::with_selects(text, region, &known);
        }
        if !text.contains("continue") {
            return None;
        }
        let written = self.plain(region);
        let without_jumps = written
            .reduced
            .is_made_by(Pass::Returns)
            .then_some(written)?;
        let Written { reduced, region } = without_jumps;
        let selected = front::with_selects(&reduced.text, &region, &known)?;
        Some(selected.made_of(&reduced))
    }

    /// Loops that run in single steps with functions for what they do with a cell, and whether kernels
    /// have enough to share.
    fn cells_in_steps(&self, region: &Region) -> Option<(PetScop, (bool, bool))> {
        let scop = self.with_cells(region)?;
        let shared = self.compiled_in_steps(&scop).ok()?;
        Some((scop, shared))
    }

    /// What pet makes of loops that call functions for what they do with a cell.
    fn with_cells(&self, region: &Region) -> Option<PetScop> {
        let (text, headers) = (&self.source.text, &self.headers);
        let written =
            (self.written_out(region)).unwrap_or_else(|| Written::unchanged(text, region));
        let made_of = (&written.reduced, self.line(region.span.start));
        let celled = front::with_cells(&written.reduced.text, headers, &written.region, made_of)?;
        let source = SourceFile::new(self.source.path.clone(), celled.text.text.clone());
        let reader = self.of(&source);
        let scop = reader.as_written(&celled.region).ok()?;
        let mut scop = self.with_own_places(scop, &celled.text, 0);
        acted(&mut scop, &celled.text);
        scop.cells = celled.cells;
        for stmt in &mut scop.stmts {
            stmt.span = celled.body;
            stmt.line = self.line(stmt.span.start);
        }
        if !region.marked {
            scop.span.end = scop.span.end.max(region.span.end);
        }
        Some(scop)
    }

    /// What pet makes of a text with conditions on data of a region as values.
    fn extract_selected(
        &self,
        selected: &front::Selected,
        region: &Region,
        written_first: bool,
    ) -> Option<PetScop> {
        let source = SourceFile::new(self.source.path.clone(), selected.text.text.clone());
        let reader = Reader {
            written_first: written_first || self.written_first,
            ..self.of(&source)
        };
        let scop = reader.as_written(&selected.region).ok()?;
        let mut scop = self.with_own_places(scop, &selected.text, 0);
        acted(&mut scop, &selected.text);
        // The end of a statement under a condition has no place of its own in what pet has read.
        if !region.marked {
            scop.span.end = scop.span.end.max(region.span.end);
        }
        scop.selects.clone_from(&selected.selects);
        scop.conditional.clone_from(&selected.conditional);
        Some(scop)
    }

    /// The whole path of a file that the user's includes by a name in quotes, where it lies beside it.
    fn included(&self, name: &str) -> Option<String> {
        let path = self.options.file.parent()?.join(name);
        let path = path.canonicalize().ok()?;
        Some(path.to_str()?.to_string())
    }

    /// What pet makes of a region as it is written.
    fn as_written(&self, region: &Region) -> Result<PetScop, Vec<Diagnostic>> {
        let text = &self.source.text;
        if !region.closed {
            let d = Diagnostic::error("HX0102", "`#pragma scop` has no `#pragma endscop`")
                .at(
                    region.span.start..region.span.start + "#pragma scop".len(),
                    "begins here",
                )
                .help("put `#pragma endscop` behind the time loop, in the same function");
            return Err(vec![d]);
        }
        let told = self.forward(&region.span, Wish::Plain);
        if let Some(call) = first_unreadable(&told.calls) {
            return Err(vec![host_call(call)]);
        }
        if let Some(state) = front::first_state(text, region) {
            return Err(vec![kept(text, &state)]);
        }
        let plain = self.plain(region);
        if let Some(early) = front::first_early_return(&plain.reduced.text, &plain.region) {
            return Err(vec![early_return(
                text,
                plain.reduced.original_range(early),
            )]);
        }
        if self.written_first
            && let Some(scop) = self.as_written_out(region)
        {
            return Ok(scop);
        }
        let plain = self.read(&plain, region);
        let is_final = match &plain {
            Ok(scop) => !scop.data_dependent_accesses && !query::declares_pointers(scop),
            // No time is left for another text.
            Err(said) => said.iter().any(|d| d.code == "HX0401"),
        };
        if is_final || self.written_first {
            return plain;
        }
        let Some(mut written) = self.as_written_out(region) else {
            return plain;
        };
        written.as_read.written_out = plain.is_ok();
        Ok(written)
    }

    /// What pet makes of a region with the variables of subscripts written out.
    fn as_written_out(&self, region: &Region) -> Option<PetScop> {
        self.read(&self.written_out(region)?, region).ok()
    }

    /// The text with the variables of subscripts written out.
    fn written_out(&self, region: &Region) -> Option<Written> {
        let (text, headers) = (&self.source.text, &self.headers);
        let changes = self.forward(&region.span, Wish::Subscripts);
        front::written_out(
            text,
            (headers, &self.options.defines),
            (&changes.texts, &changes.passes),
            region,
        )
    }

    /// What pet makes of a text made of the user's, with a `region` of that.
    fn read(&self, written: &Written, region: &Region) -> Result<PetScop, Vec<Diagnostic>> {
        let include = |name: &str| self.included(name);
        if let Some(scop) = self.with_members(written, region, &include) {
            return Ok(scop);
        }
        let text = &written.reduced.text;
        let function = region.function.as_ref().map(|f| f.name.as_str());
        let reduce = |plain: &StandIns| {
            let reduced = front::reduce(text, &written.region, &include, plain);
            let whole = reduced.clone().made_of(&written.reduced);
            (self.extract(&whole, function), reduced)
        };
        let mut plain = StandIns::default();
        let (mut extracted, mut reduced) = reduce(&plain);
        if is_called_too_early(&extracted) {
            plain.declares_later = true;
            (extracted, reduced) = reduce(&plain);
        }
        let explained = |e, read: Reduced| self.explain_region(e, &read, region);
        let scop = match extracted {
            Ok(scop) => scop,
            // What clang misses may be what was left out.
            Err(PetError::Syntax { .. }) => {
                reduced = front::mark(text, &written.region, &include);
                let marked = reduced.clone().made_of(&written.reduced);
                (self.extract(&marked, function)).map_err(|e| explained(e, marked))?
            }
            Err(e) => return Err(explained(e, reduced.made_of(&written.reduced))),
        };
        let numbers = &self.forward(&region.span, Wish::Plain).numbers;
        (self.described(scop, (&reduced, written.region.span.start), numbers))
            .map_err(|error| vec![facts::explain(error)])
    }

    /// What pet makes of a region that uses members of structs, where these are constant in it.
    fn with_members(
        &self,
        written: &Written,
        users: &Region,
        include: &dyn Fn(&str) -> Option<String>,
    ) -> Option<PetScop> {
        let (text, region) = (&written.reduced.text, &written.region);
        let defines = &self.options.defines;
        let stand_ins = (!region.marked)
            .then(|| front::stand_ins(text, &self.headers, defines, region))
            .flatten()?;
        let function = region.function.as_ref().map(|f| f.name.as_str());
        let reduced = front::reduce(text, region, include, &stand_ins);
        let whole = reduced.clone().made_of(&written.reduced);
        let scop = PetScop {
            members: stand_ins.members,
            ..self.extract(&whole, function).ok()?
        };
        let numbers = &self.forward(&users.span, Wish::Plain).numbers;
        let described = self.described(scop, (&reduced, region.span.start), numbers);
        let are_constant = |scop: &PetScop| members::are_constant(scop, &stand_ins.bases);
        described.ok().filter(are_constant)
    }

    /// Why a region was not extracted.
    fn explain_region(&self, error: PetError, read: &Reduced, region: &Region) -> Vec<Diagnostic> {
        let text = &self.source.text;
        if let PetError::ReservedName(name) = &error {
            return vec![reserved(name, text, region)];
        }
        let PetError::NoScop { messages, .. } = &error else {
            // What pet stumbles over most is a call that it cannot follow.
            let told = self.forward(&region.span, Wish::Plain);
            let mut calls = told.calls.iter();
            return match calls.find(|call| math_function(&call.name).is_none()) {
                Some(call) if matches!(error, PetError::Crashed { .. }) => vec![unknown_call(call)],
                _ => explain(error, self.source, Some(read)),
            };
        };
        let functions = front::called_functions(text, region);
        let in_region = |at: usize| region.span.contains(&at);
        let in_callee = |at: usize| functions.iter().any(|f| f.body.contains(&at));
        let found = unsupported(messages, self.source, read)
            .filter(|(_, place)| in_region(place.start) || in_callee(place.start));
        let d = match found {
            Some((UnsupportedKind::Return, place)) if !in_region(place.start) => {
                early_return(text, csource::statement_at(text, place.start))
            }
            Some((kind, place)) => not_supported(text, kind, place.start),
            None if !self.is_compiled(region) => left_out(region),
            None => not_a_stencil(region),
        };
        vec![d]
    }
}

/// Notes which passes have made a text that pet has read, or one that it was made of.
fn acted(scop: &mut PetScop, text: &Reduced) {
    let passes = text.passes.iter().map(|pass| pass.describe());
    let known = std::mem::take(&mut scop.as_read.passes);
    scop.as_read.passes = passes.chain(known).collect();
    scop.as_read.passes.dedup();
}

/// Whether what runs depends on data.
fn has_dynamic_control(scop: &PetScop) -> bool {
    let dynamic = |s: &PetStmt| s.n_args > 0 || matches!(s.body, PetBody::Unsupported(_));
    scop.data_dependent_conditions || scop.stmts.iter().any(dynamic)
}

/// The files that a text includes from beside it or from the directories given, and what they
/// include.
fn headers(options: &InputOptions, text: &str) -> Vec<String> {
    let beside = options.file.parent().map(Path::to_path_buf);
    let dirs: Vec<PathBuf> = (beside.into_iter())
        .chain(options.include_dirs.iter().cloned())
        .collect();
    let mut seen: Vec<PathBuf> = Vec::new();
    let mut texts: Vec<String> = Vec::new();
    let mut open = csource::quoted_includes(text);
    while let Some(name) = open.pop() {
        let path = dirs.iter().map(|d| d.join(&name)).find(|p| p.is_file());
        let Some(path) = path.filter(|p| !seen.contains(p)) else {
            continue;
        };
        if let Ok(text) = files::text(&path) {
            open.extend(csource::quoted_includes(&text));
            texts.push(text);
        }
        seen.push(path);
    }
    texts
}

/// Whether clang refuses a function that is called before it says what it returns.
fn is_called_too_early(extracted: &Result<PetScop, PetError>) -> bool {
    let Err(PetError::Syntax { messages }) = extracted else {
        return false;
    };
    let is_so = |text: &str| text.contains("conflicting types for");
    messages.iter().any(|message| is_so(&message.text))
}

/// How conditions on data are tried as values: those on integers, too; and in the text without jumps.
const SELECTIONS: [(bool, bool); 4] = [(false, false), (true, false), (false, true), (true, true)];

/// A loop without marks that is no time loop.
struct Refused<'a> {
    region: &'a Region,
    /// Where it begins.
    line: usize,
    /// What pet makes of it; `None` where that is what fails.
    scop: Option<PetScop>,
    why: Vec<Diagnostic>,
}

/// The loops of most levels.
fn deepest<'r, 'a>(refused: &'r [Refused<'a>]) -> Vec<&'r Refused<'a>> {
    let depth = refused.iter().map(|r| r.region.depth).max();
    let deep = refused.iter().filter(|r| Some(r.region.depth) == depth);
    deep.collect()
}

/// Puts the likeliest time loop first: of those of most levels, one that is no set-up code, which calls
/// and casts.
fn sort_by_likelihood(refused: &mut [Refused]) {
    let is_other = |r: &Refused| r.why.iter().all(|d| d.code == "HX0105");
    refused.sort_by_key(|r| (Reverse(r.region.depth), is_other(r)));
}

/// The refusal of the first loop, with what is said of others, and of nests by their lines.
fn likeliest(refused: Vec<Refused>, nests: &[(usize, Box<Diagnostic>)]) -> Vec<Diagnostic> {
    let mut refused = refused.into_iter();
    let Some(Refused { line, mut why, .. }) = refused.next() else {
        return Vec::new();
    };
    let other = match refused.len() {
        0 => "",
        _ => "; `--line` takes another",
    };
    let nest = why.first().and_then(|why| real_cause(why, nests));
    let is_nest = |line: usize| nests.iter().any(|(nest, _)| *nest == line);
    let mut nests: Vec<&(usize, Box<Diagnostic>)> = nests.iter().collect();
    if let (Some(nest), Some(d)) = (nest, why.first_mut()) {
        let mut cause = nests.remove(nest).1.clone();
        cause.notes.push(format!(
            "the loop at line {line} stays on the CPU, with all nests in it: {}{other}",
            d.message
        ));
        *d = *cause;
    } else if let Some(d) = why.first_mut() {
        d.notes.push(format!("{DEEPEST}, at line {line}{other}"));
    }
    if let Some(d) = why.first_mut() {
        // What says nothing of the loop itself is no reason.
        let reasons = refused.filter_map(|Refused { line, why, .. }| {
            let why = why.into_iter().next()?;
            let says_why = !matches!(why.code, "HX0102" | "HX9001" | "HX9002");
            says_why.then_some((line, why.message))
        });
        for (line, why) in reasons.filter(|(line, _)| !is_nest(*line)).take(3) {
            d.notes.push(format!("the loop at line {line}: {why}"));
        }
        for (line, why) in nests.iter().take(3) {
            d.notes.push(format!(
                "the nest at line {line} runs in no kernel either: {}",
                why.message
            ));
        }
    }
    why
}

/// Of a time loop that calls what the host alone has or ends depending on data, the first nest in it
/// that is refused for another reason: the loop could stay on the host, and its nests run in kernels.
fn real_cause(why: &Diagnostic, nests: &[(usize, Box<Diagnostic>)]) -> Option<usize> {
    let is_host_call = |d: &Diagnostic| d.message.starts_with("the time loop calls");
    let ends_on_data = why.message == "control flow depends on data";
    let is_cause = |d: &Diagnostic| {
        let is_same = ends_on_data && d.code == why.code;
        !stepwise::is_unshared(d) && !is_host_call(d) && !is_same
    };
    let found = || nests.iter().position(|(_, d)| is_cause(d));
    let stays = why.code == "HX0107" || ends_on_data;
    stays.then(found).flatten()
}

/// Whether loops may be those that write results, by their refusals: one calls what the host alone
/// has, and no other is refused for more than its shape. The steps are elsewhere then, as in a
/// function that another file calls.
fn may_be_output<'a>(mut refusals: impl Iterator<Item = &'a Diagnostic> + Clone) -> bool {
    let calls = |d: &Diagnostic| d.code == "HX0107";
    refusals.clone().any(calls) && refusals.all(|d| calls(d) || stepwise::may_replace(d))
}

fn early_return(text: &str, place: Range<usize>) -> Diagnostic {
    let has_value = text.get(place.clone()).is_some_and(|t| {
        let value = t.trim_start_matches("return").trim_end_matches(';');
        !value.trim().is_empty()
    });
    let help = if has_value {
        "return one value at the end of the function: `return cond ? x : y;`"
    } else {
        "write a condition around the rest of the function: `if (!done) { .. }`"
    };
    Diagnostic::error(
        "HX0105",
        "`return` in the middle of a function that the region calls",
    )
    .at(place, "the rest of the function does not always run")
    .note("which statements run must be known from loop iterators and sizes alone")
    .help(help)
}

fn return_in_region(place: Range<usize>) -> Diagnostic {
    Diagnostic::error("HX0105", "`return` in the region")
        .at(place, "the rest of the region does not always run")
        .note("which statements run must be known from loop iterators and sizes alone")
        .help("let the loops run to their ends, and test behind the region")
}

fn left_out(region: &Region) -> Diagnostic {
    Diagnostic::error("HX0102", "the preprocessor leaves the region out")
        .at(region.span.clone(), "this region")
        .help("define the macros that your compiler gets, with `-D NAME`")
}

/// The refusal of a nest whose pointers become one.
fn one_array(same: &Same) -> Diagnostic {
    let [a, b] = &same.names;
    let what = format!("`{a}` and `{b}` are one array from the second iteration of the loop on");
    Diagnostic::error("HX0108", what)
        .at(same.assignment.clone(), "two pointers to one array, from here on")
        .note("each iteration reads what those before it have written, so that they stay in C's order")
        .help(format!("if `{a}` and `{b}` are meant to be exchanged, keep the array that is overwritten: `tmp = {b}; {b} = {a}; {a} = tmp;`"))
}

/// A call in the time loop of a function that is not to be seen.
fn unknown_call(call: &Called) -> Diagnostic {
    Diagnostic::error(
        "HX0107",
        format!("call of unknown function `{}`", call.name),
    )
    .at(call.stmt.clone(), "in this statement")
    .note("functions of <math.h>, abs() and functions defined in this file, or in others that are given with it, can be called")
    .help(format!(
        "define `{}` in this file, give the file that does, too, or move the call behind the time loop",
        call.name
    ))
}

/// The refusal of what is no function of its arguments.
fn kept(text: &str, state: &front::State) -> Diagnostic {
    let what = match &state.within {
        Some(function) => format!("`{function}`, which the time loop calls,"),
        None => "the time loop".to_string(),
    };
    let word = &text[state.at.clone()];
    if word != "static" {
        return Diagnostic::error("HX0107", format!("{what} asks the machine, `{word}`"))
            .at(state.at.clone(), "here")
            .note("kernels compute values from values; what else happens is not known")
            .help("leave it out of what the time loop computes");
    }
    Diagnostic::error(
        "HX0107",
        format!("{what} keeps a value from one execution to the next"),
    )
    .at(state.at.clone(), "this variable lives longer than a call")
    .note("iterations that run at once would change it in any order")
    .help("make it an argument, or an element of an array for each cell")
}

/// The refusal of a call in the time loop of a function that only the host has.
fn host_call(call: &Called) -> Diagnostic {
    if call.what == What::Pointer {
        return Diagnostic::error(
            "HX0107",
            format!("`{}` is called through a pointer", call.name),
        )
        .at(call.stmt.clone(), "in this statement")
        .note("which function runs is not known before run time")
        .help("call the function by its own name, and define it in the same file");
    }
    let within = match &call.within {
        Some(function) => format!("`{function}`, which the time loop calls, calls it here"),
        None => "called in the time loop here".to_string(),
    };
    let d = Diagnostic::error("HX0107", format!("the time loop calls `{}`", call.name))
        .at(call.stmt.clone(), within);
    if call.what == What::Host {
        return d.note(causes::HOST_WORK).help(causes::HOST_WORK_HELP);
    }
    d.note(format!(
        "`{}` takes any number of arguments, which cannot be followed",
        call.name
    ))
    .help(format!(
        "if it computes values, give `{}` a fixed number of arguments. Otherwise {}",
        call.name,
        causes::HOST_WORK_HELP
    ))
}

fn read_saved(path: &Path) -> Result<SavedScop, Failure> {
    let text = std::fs::read_to_string(path).map_err(|e| unreadable(path, &e))?;
    let bad = |reason: String| {
        Failure::plain(
            Diagnostic::error(
                "HX0505",
                format!("`{}` is not a saved scop: {reason}", path.display()),
            )
            .help("make one with `hexcc FILE.c --emit scop -o FILE.scop.json`"),
        )
    };
    SavedScop::parse(&text).map_err(bad)
}

pub fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::plain(Diagnostic::error(
        "HX0501",
        format!("cannot read `{}`: {error}", path.display()),
    ))
}

/// Byte range of a place clang names in the text that it has read.
fn span_of(source: &SourceFile, read: &Reduced, line: usize, column: usize) -> Range<usize> {
    let before = (read.text.split_inclusive('\n')).take(line.saturating_sub(1));
    let line_start: usize = before.map(str::len).sum();
    // Columns count bytes.
    let at = (line_start + column.saturating_sub(1)).min(read.text.len());
    let start = read.original(at).min(source.text.len());
    let rest = source.text.get(start..).unwrap_or("");
    let len = (rest.chars())
        .take_while(|c| c.is_alphanumeric() || *c == '_')
        .map(char::len_utf8)
        .sum::<usize>();
    start..(start + len.max(1)).min(source.text.len()).max(start)
}

fn messages(
    code: &'static str,
    list: &[hexcc_pet::ClangMessage],
    source: &SourceFile,
    read: &Reduced,
) -> Vec<Diagnostic> {
    (list.iter())
        .filter(|m| m.severity != hexcc_pet::Severity::Note)
        .map(|m| {
            let d = match m.severity {
                hexcc_pet::Severity::Error => Diagnostic::error(code, &m.text),
                _ => Diagnostic::warning(code, &m.text),
            };
            let here = Path::new(&m.file).file_name() == Path::new(&source.path).file_name();
            if here && m.line > 0 {
                d.at(span_of(source, read, m.line, m.column), "")
            } else if m.line > 0 {
                d.note(format!("in {}:{}:{}", m.file, m.line, m.column))
            } else {
                d
            }
        })
        .collect()
}

fn not_a_stencil(region: &Region) -> Diagnostic {
    Diagnostic::error(
        "HX0105",
        "the region is not made of loops and assignments alone",
    )
    .at(region.span.clone(), "this region")
    .note("the region must consist of `for` and `if` with affine bounds and of assignments")
}

fn explain(error: PetError, source: &SourceFile, read: Option<&Reduced>) -> Vec<Diagnostic> {
    let unchanged = Reduced::unchanged(&source.text);
    let read = read.unwrap_or(&unchanged);
    match error {
        PetError::LibraryMissing { searched } => vec![
            Diagnostic::error("HX0502", "libpet, which reads C, was not found")
                .note(format!("searched: {}", searched.join(", ")))
                .help("run `scripts/setup`, or set HEXCC_PET_LIB to a libpet.so; a saved scop (`--emit scop`) needs no libpet"),
        ],
        PetError::LibraryUnusable { path, reason } => vec![
            Diagnostic::error("HX0502", format!("libpet at `{}` cannot be used: {reason}", path.display()))
                .help("run `scripts/setup` again, or set HEXCC_PET_LIB"),
        ],
        PetError::FileNotReadable { path, reason } => vec![Diagnostic::error(
            "HX0501",
            format!("cannot read `{}`: {reason}", path.display()),
        )],
        PetError::Syntax { messages: list } => {
            let mut all = messages("HX0101", &list, source, read);
            if !all.iter().any(|d| d.severity == hexcc_compiler::diag::Severity::Error) {
                all.push(Diagnostic::error("HX0101", "clang could not parse the file"));
            }
            all
        }
        PetError::NoScop { messages: list, .. } => no_scop(&list, source, read),
        PetError::TooDeep { line } => vec![
            Diagnostic::error(
                "HX0407",
                format!("an expression is nested deeper than {} levels", hexcc_pet::deep::MAX_DEPTH),
            )
            .at(span_of(source, read, line, 1), "in this statement")
            .note("every operator of a chain such as `a + b + c` is a level")
            .help("compute parts of it in statements of their own: `float x = ..;`"),
        ],
        PetError::ReservedName(name) => vec![reserved(&name, &source.text, &Region {
            span: 0..source.text.len(),
            function: None,
            marked: false,
            closed: true,
            depth: 0,
        })],
        PetError::Crashed { signal, code, stderr } => vec![
            Diagnostic::error("HX9002", "libpet crashed on this file")
                .note(format!("signal {signal:?}, exit code {code:?}"))
                .note(stderr.lines().last().unwrap_or("").to_string())
                .help("simplify the statements inside the scop; please report the file"),
        ],
        PetError::TimedOut { seconds } => vec![
            Diagnostic::error(
                "HX0401",
                format!("libpet did not finish within {seconds} s of processor time"),
            )
            .note("translations are bounded so that each of them ends")
            .help("reduce the region to the time loop, use shorter statements, or raise `--time-limit`"),
        ],
        PetError::Protocol(what) => vec![Diagnostic::bug(format!("pet child: {what}"))],
    }
}

/// The refusal of a variable with the name of a word of isl, and where the region uses it first.
fn reserved(name: &str, text: &str, region: &Region) -> Diagnostic {
    let callees = front::called_functions(text, region);
    let places = std::iter::once(region.span.clone()).chain(callees.into_iter().map(|f| f.body));
    let place = places
        .into_iter()
        .find_map(|range| csource::find_word(text, range, name));
    let d = Diagnostic::error("HX0114", format!("a variable is called `{name}`"));
    (place.into_iter())
        .fold(d, |d, place| d.at(place, "used here"))
        .note("as an iterator or a size it would be an operator or a constant for the polyhedral library")
        .help("give the variable another name")
}

/// What pet cannot represent.
#[derive(Clone, Copy)]
enum UnsupportedKind {
    /// `return` where it is not the end of a function.
    Return,
    /// What also stands for the header of a loop that counts in another way, in words.
    Form(&'static str),
    /// Anything else, in words.
    Other(&'static str),
}

/// What pet says of constructs it cannot represent, and what they are.
const UNSUPPORTED: [(&str, UnsupportedKind); 12] = {
    use UnsupportedKind::{Form, Other, Return};
    [
        (
            "unsupported declaration",
            Form("a declaration of this kind"),
        ),
        (
            "unsupported inline function call argument",
            Other("an argument of this kind"),
        ),
        (
            "unsupported recursive type",
            Other("a type that contains itself"),
        ),
        (
            "unsupported",
            Form("an expression or statement of this kind"),
        ),
        (
            "not an affine expression",
            Other("an expression of this kind"),
        ),
        (
            "prototype required",
            Other("a call of a function without a prototype"),
        ),
        (
            "missing increment",
            Form("a `for` loop without an increment"),
        ),
        ("this type of unary operator", Other("this unary operator")),
        (
            "this type of binary operator",
            Other("this binary operator"),
        ),
        ("this type of statement", Other("a statement of this kind")),
        ("return statements not supported", Return),
        ("return statement must be final statement", Return),
    ]
};

/// The first construct that pet says it cannot represent, and its place.
fn unsupported(
    list: &[hexcc_pet::ClangMessage],
    source: &SourceFile,
    read: &Reduced,
) -> Option<(UnsupportedKind, Range<usize>)> {
    (messages("HX0105", list, source, read).into_iter()).find_map(|d| {
        let (_, kind) = (UNSUPPORTED.iter()).find(|(text, _)| d.message.starts_with(text))?;
        let place = d.labels.into_iter().next()?;
        Some((*kind, place.span))
    })
}

/// The refusal of a construct that pet does not represent.
fn not_supported(text: &str, kind: UnsupportedKind, place: usize) -> Diagnostic {
    let stmt = csource::statement_at(text, place);
    let what = match kind {
        UnsupportedKind::Return => return return_in_region(stmt),
        UnsupportedKind::Form(what) => match csource::loop_header_at(text, place) {
            Some(header) => return loop_form(header),
            None => what,
        },
        UnsupportedKind::Other(what) => what,
    };
    Diagnostic::error("HX0105", format!("{what} is not supported in the region"))
        .at(stmt, "")
        .note("the region must consist of `for` and `if` with affine bounds and of assignments")
        .help("move this statement out of the region, or write it as an assignment to an array element")
}

/// The refusal of a loop whose header pet does not read.
fn loop_form(header: Range<usize>) -> Diagnostic {
    Diagnostic::error(
        "HX0105",
        "the header of a loop is not of the form `for (i = first; i < end; i += step)`",
    )
    .at(header, "not of this form")
    .note("the set of iterations must be known: a loop counts with one integer variable, by a number that is a constant")
    .help("count with a variable of the loop, `for (int i = first; ..)`; what a member of a struct, another variable or an element shall count, assign after the loop")
}

/// Why nothing was extracted from a text whose functions are not understood.
fn no_scop(
    list: &[hexcc_pet::ClangMessage],
    source: &SourceFile,
    read: &Reduced,
) -> Vec<Diagnostic> {
    let d = match unsupported(list, source, read) {
        Some((kind, place)) => not_supported(&source.text, kind, place.start),
        None => Diagnostic::error(
            "HX0102",
            format!("no loop to translate was found in `{}`", source.path),
        )
        .help("mark the time loop with `#pragma scop` before and `#pragma endscop` after it"),
    };
    vec![d]
}
