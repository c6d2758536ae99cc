//! Reductions in C: parts of the outermost loop run in parallel, and what each has is combined in
//! their order, so that the number of threads changes nothing.

use super::{Printer, entry};
use crate::ctype::CType;
use crate::ir::{Fold, Kernel, NotANumber, Reduction, VarId};
use crate::print::c::Writer;
use std::fmt::Write;

/// Parts of a loop that reduces; more than a CPU has cores.
const CHUNKS: usize = 256;

impl Printer<'_> {
    fn reductions(&self) -> impl Iterator<Item = &Reduction> {
        self.program.kernels.iter().flat_map(|k| &k.reductions)
    }

    /// What folds, each once, with what its type and functions begin with.
    fn folds(&self) -> Vec<(Fold, CType, String)> {
        let mut all: Vec<(Fold, CType, String)> = Vec::new();
        for r in self.reductions() {
            if !all
                .iter()
                .any(|(fold, ty, _)| (*fold, *ty) == (r.fold, r.ty))
            {
                let name = format!("{}_{}", self.interface.name, r.fold.name());
                let same = all.iter().filter(|(fold, ..)| fold.name() == r.fold.name());
                let n = same.count();
                let suffix = if n > 0 {
                    format!("_{}", n + 1)
                } else {
                    String::new()
                };
                all.push((r.fold, r.ty, name + &suffix));
            }
        }
        all
    }

    fn fold_of(&self, reduction: &Reduction) -> String {
        let folds = self.folds();
        let found = (folds.into_iter()).find(|f| (f.0, f.1) == (reduction.fold, reduction.ty));
        found.map_or_else(|| entry(self.interface), |(_, _, name)| name)
    }

    /// The types and functions of the reductions.
    pub(super) fn folds_text(&self) -> String {
        let mut text = String::new();
        if self.reductions().next().is_some() {
            text.push_str(
                "// What some iterations have of a reduction: nothing yet (state 0), what is to be combined with\n\
                 // what comes before (1), or what takes its place (2).\n",
            );
        }
        for (fold, ty, name) in self.folds() {
            let state = match fold.not_a_number(ty) {
                NotANumber::Plain => "1",
                NotANumber::Ignored => "isnan(e) ? 0 : 1",
                NotANumber::Replaces => "isnan(e) ? 2 : 1",
            };
            let with = fold.text("x", "e", ty);
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

    /// `part = both(part, of(term))`.
    pub(super) fn fold_text(&self, part: VarId, name: &str, term: &str) -> String {
        let found = self.reductions().find(|r| r.part == part);
        let fold = found.map_or_else(String::new, |r| self.fold_of(r));
        format!("{name} = {fold}_both({name}, {fold}_of({term}));")
    }

    /// The loops of a kernel that reduces.
    pub(super) fn reducing(&self, writer: &mut Writer<'_>, kernel: &Kernel) {
        let Some((outermost, inner)) = kernel.axes.split_last() else {
            return;
        };
        writer.braced("", |writer| {
            let mut all = Vec::new();
            for r in &kernel.reductions {
                let name = &self.program.var(r.part).name;
                let parts = writer.namer.fresh(&format!("{name}s"));
                writer.line(&format!("{} {parts}[{CHUNKS}];", self.fold_of(r)));
                all.push(parts);
            }
            let [first, last] = &outermost.range;
            let (first, last) = (writer.operand(first, "+"), writer.operand(last, "+"));
            let first_name = writer.namer.fresh("first");
            let n = writer.namer.fresh("n");
            writer.line(&format!(
                "const long long {first_name} = {first}, {n} = {last} - {first_name} + 1;"
            ));
            let chunk = writer.namer.fresh("chunk");
            writer.line("#pragma omp parallel for schedule(static)");
            writer.braced(
                &format!("for (int {chunk} = 0; {chunk} < {CHUNKS}; ++{chunk})"),
                |writer| {
                    for r in &kernel.reductions {
                        let name = &self.program.var(r.part).name;
                        let name = writer.namer.define(r.part, name);
                        writer.line(&format!("{} {name} = {{0}};", self.fold_of(r)));
                    }
                    let variable = &self.program.var(outermost.var).name;
                    let i = writer.namer.define(outermost.var, variable);
                    let bound = |more: &str| format!("{first_name} + {n} * {more} / {CHUNKS}");
                    let head = format!(
                        "for (long long {i} = {}; {i} < {}; ++{i})",
                        bound(&chunk),
                        bound(&format!("({chunk} + 1)"))
                    );
                    writer.braced(&head, |writer| {
                        self.axes(writer, inner, kernel.axes.len(), &kernel.body);
                    });
                    for (r, parts) in kernel.reductions.iter().zip(&all) {
                        let name = writer.namer.get(r.part);
                        writer.line(&format!("{parts}[{chunk}] = {name};"));
                    }
                },
            );
            for (r, parts) in kernel.reductions.iter().zip(&all) {
                self.combine(writer, r, parts, &chunk);
            }
        });
    }

    /// Folds the parts of all chunks into the element.
    fn combine(&self, writer: &mut Writer<'_>, r: &Reduction, parts: &str, chunk: &str) {
        let fold = self.fold_of(r);
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

    /// The type of a part, for its declaration.
    pub(super) fn part_type(&self, part: &str) -> String {
        let found = self
            .reductions()
            .find(|r| self.program.var(r.part).name == part);
        found.map_or_else(String::new, |r| self.fold_of(r))
    }
}
