//! Reductions, as far as targets share them: the types of parts, and in C-like languages parts of
//! the outermost loop that are combined in their order, so that the number of threads changes
//! nothing.

use super::c::{Dialect, Writer};
use crate::ctype::CType;
use crate::ir::{Fold, INDEX, Kernel, NotANumber, Program, Reduction, VarId};
use std::fmt::Write;

/// Parts of a loop that reduces; more than a CPU has cores.
pub(super) const CHUNKS: usize = 256;

/// What folds in a program, with the names of its types.
pub(super) struct Folds(Vec<(Fold, CType, String)>);

impl Folds {
    /// Names for them, by `fresh`.
    pub fn new(program: &Program, mut fresh: impl FnMut(&str) -> String) -> Folds {
        let mut all: Vec<(Fold, CType, String)> = Vec::new();
        for r in program.kernels.iter().flat_map(|k| &k.reductions) {
            if !(all.iter()).any(|(fold, ty, _)| (*fold, *ty) == (r.fold, r.ty)) {
                all.push((r.fold, r.ty, fresh(r.fold.name())));
            }
        }
        Folds(all)
    }

    /// Names that begin with a prefix, numbered where one fold has several types.
    pub fn prefixed(program: &Program, prefix: &str) -> Folds {
        let mut seen: Vec<String> = Vec::new();
        Folds::new(program, |fold| {
            seen.push(fold.to_string());
            match seen.iter().filter(|name| *name == fold).count() {
                1 => format!("{prefix}_{fold}"),
                n => format!("{prefix}_{fold}_{n}"),
            }
        })
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn all(&self) -> impl Iterator<Item = &(Fold, CType, String)> {
        self.0.iter()
    }

    /// The type that folds for a reduction.
    pub fn of(&self, reduction: &Reduction) -> &str {
        let found = (self.0.iter()).find(|(f, ty, _)| (*f, *ty) == (reduction.fold, reduction.ty));
        found.map_or("Fold", |(_, _, name)| name)
    }

    /// The type of a part.
    pub fn of_part(&self, program: &Program, part: VarId) -> &str {
        let mut all = program.kernels.iter().flat_map(|k| &k.reductions);
        all.find(|r| r.part == part).map_or("Fold", |r| self.of(r))
    }

    /// The same, of the part that a name belongs to.
    pub fn of_name(&self, program: &Program, part: &str) -> &str {
        let mut all = program.kernels.iter().flat_map(|k| &k.reductions);
        let found = all.find(|r| program.var(r.part).name == part);
        found.map_or("Fold", |r| self.of(r))
    }

    /// The types and functions in a language like C.
    pub fn text(&self, dialect: &dyn Dialect) -> String {
        let mut text = String::new();
        if !self.is_empty() {
            text.push_str(
                "// What some iterations have of a reduction: nothing yet (state 0), what is to be combined with\n\
                 // what comes before (1), or what takes its place (2).\n",
            );
        }
        for (fold, ty, name) in &self.0 {
            let state = state(*fold, *ty);
            let with = fold.text("x", "e", *ty, &|name, args| dialect.call(name, args).0);
            let ty = dialect.number(*ty);
            let _ = write!(
                text,
                "typedef struct {{\n  {ty} value;\n  int state;\n}} {name};\n\
                 static inline {ty} {name}_with({ty} x, {ty} e) {{ return {with}; }}\n\
                 static inline {name} {name}_of({ty} e) {{ return ({name}){{e, {state}}}; }}\n\
                 static inline {name} {name}_both({name} a, {name} b) {{\n  \
                 if (a.state == 0 || b.state == 2) return b;\n  \
                 if (b.state == 0) return a;\n  \
                 return ({name}){{{name}_with(a.value, b.value), a.state}};\n}}\n\n"
            );
        }
        text
    }

    /// `part = both(part, of(term))` in such a language.
    pub fn line(&self, program: &Program, part: VarId, name: &str, term: &str) -> String {
        let fold = self.of_part(program, part);
        format!("{name} = {fold}_both({name}, {fold}_of({term}));")
    }

    /// Lines that compute a chunk of a kernel's outermost loop, of which `first` and `n` are the first
    /// iteration and the number; `inner` appends an iteration. `parts` are arrays for the results.
    pub fn chunk(
        &self,
        writer: &mut Writer<'_>,
        (dialect, kernel): (&dyn Dialect, &Kernel),
        (first, n, chunk): (&str, &str, &str),
        parts: &[String],
        inner: impl FnOnce(&mut Writer<'_>),
    ) {
        let program = writer.program;
        for r in &kernel.reductions {
            let name = writer.namer.define(r.part, &program.var(r.part).name);
            writer.line(&format!("{} {name} = {{0}};", self.of(r)));
        }
        if let Some(outermost) = kernel.axes.last() {
            let variable = &program.var(outermost.var).name;
            let i = writer.namer.define(outermost.var, variable);
            let bound = |more: &str| format!("{first} + {n} * {more} / {CHUNKS}");
            let head = format!(
                "for ({} {i} = {}; {i} < {}; ++{i})",
                dialect.number(INDEX),
                bound(chunk),
                bound(&format!("({chunk} + 1)"))
            );
            writer.braced(&head, inner);
        }
        for (r, parts) in kernel.reductions.iter().zip(parts) {
            let name = writer.namer.get(r.part);
            writer.line(&format!("{parts}[{chunk}] = {name};"));
        }
    }

    /// Lines that fold the parts of all chunks into the element.
    pub fn combine(&self, writer: &mut Writer<'_>, r: &Reduction, parts: &str, chunk: &str) {
        let fold = self.of(r);
        let element = format!("{}[{}]", writer.namer.get(r.base), writer.expr(&r.index));
        let head = format!("for (int {chunk} = 1; {chunk} < {CHUNKS}; ++{chunk})");
        let line = format!("{parts}[0] = {fold}_both({parts}[0], {parts}[{chunk}]);");
        writer.nested(&[head], &line);
        writer.line(&format!(
            "if ({parts}[0].state == 1) {element} = {fold}_with({element}, {parts}[0].value);"
        ));
        writer.line(&format!(
            "if ({parts}[0].state == 2) {element} = {parts}[0].value;"
        ));
    }
}

/// The state of the part that a term `e` is.
pub(super) fn state(fold: Fold, ty: CType) -> &'static str {
    match fold.not_a_number(ty) {
        _ if fold.replaces() => "2",
        NotANumber::Plain => "1",
        NotANumber::Ignored => "isnan(e) ? 0 : 1",
        NotANumber::Replaces => "isnan(e) ? 2 : 1",
    }
}
