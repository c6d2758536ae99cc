//! What libclang says of variables of a region: which subscripts of an array follow pointers, which pet does
//! not tell from an array whose extents it does not know, and where members of structs lie.

use super::{InputOptions, Reader};
use crate::limit::TimeLimit;
use hexcc_compiler::ctype::CType;
use hexcc_compiler::diag::Diagnostic;
use hexcc_compiler::front::c::{Light, Reduced, Region, Written};
use hexcc_compiler::scop::records::query::{self, Found, Query};
use hexcc_compiler::scop::{members, sizes, without_bounds};
use hexcc_front_c::child::{self, FactsError, Question};
use hexcc_front_c::facts::{Facts, TypeId};
use hexcc_front_c::normalize::{Forward, Wish};
use hexcc_pet::data::{PetArray, PetScop};
use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;
use std::rc::Rc;

/// The changes that are known: of a text, of a region of it, and of what was to be written out.
pub(super) type Forwarded = Rc<RefCell<HashMap<(String, Range<usize>, Wish), Rc<Forward>>>>;

/// What the names of a region mean.
struct Names {
    facts: Rc<Facts>,
    /// Where the region begins in the text that pet has read.
    at: usize,
}

impl Names {
    /// Gives the type of an array's elements the name that the language has for it.
    fn name_type(&self, array: &mut PetArray, known: Option<TypeId>) {
        let facts = &self.facts;
        let named = facts.named(array.element_type.trim_start_matches("const "));
        let ty = named.or_else(|| Some(facts.innermost(known?)));
        let ty = ty.filter(|ty| facts.size(*ty) == Some(array.element_size));
        if let Some(name) = ty.and_then(|ty| facts.builtin(ty)) {
            array.element_type = name.to_string();
        }
    }

    /// The struct that a query asks for.
    fn element(&self, query: &Query) -> Option<TypeId> {
        if let Some(name) = query.declared_type() {
            return self.facts.named(name);
        }
        let (base, subscripts) = query.base();
        let variable = self.facts.variable(base, self.at)?;
        self.facts.behind(variable, subscripts)
    }

    /// Adds to a scop which subscripts follow pointers, types by their own names, for pet leaves those that
    /// pointers point to as the source spells them, and where members of structs lie.
    fn describe(&self, scop: &mut PetScop) {
        for array in &mut scop.arrays {
            let known = (!array.declared).then(|| self.facts.variable(&array.name, self.at));
            let known = known.flatten();
            let followed = known.map_or(0, |ty| self.facts.pointers(ty));
            array.pointers = array.pointers.min(followed);
            if has_unknown_type(array) {
                self.name_type(array, known);
            }
        }
        members::find_pointers(scop, &|base, followed, path| {
            let base = self.facts.variable(base, self.at)?;
            (self.facts).place(self.facts.behind(base, followed)?, path)
        });
        let queries = query::queries(scop);
        let answered = queries.iter().map(|query| {
            let element = self.element(query);
            let place = |path: &[(String, usize)]| {
                let place = self.facts.place(element?, path)?;
                Some(Found {
                    offset: place.offset,
                    element_size: place.size,
                    dims: place.dims,
                })
            };
            query.record(element.and_then(|ty| self.facts.size(ty)), &place)
        });
        scop.records = answered.collect();
    }
}

impl Reader<'_> {
    /// A scop with what libclang says of arrays that have no bounds, of members of structs, and of sizes, some of which
    /// have `numbers`. `read` is what pet has read, and the region begins at `start` in what that was made of.
    pub(super) fn described(
        &self,
        mut scop: PetScop,
        (read, start): (&Reduced, usize),
        numbers: &[(String, i64)],
    ) -> Result<PetScop, FactsError> {
        let Ok(ctx) = hexcc_isl::Ctx::with_stopper(self.limit.stopper().clone()) else {
            return Ok(scop);
        };
        (scop.arrays.iter_mut()).for_each(|a| a.pointers = without_bounds(&ctx, a));
        let is_asked_of =
            |a: &PetArray| a.pointers > 0 || a.element_is_record || has_unknown_type(a);
        if !numbers.is_empty() {
            let sizes = sizes(&ctx, &scop);
            let is_size = |(name, _): &&(String, i64)| sizes.contains(name);
            scop.given = numbers.iter().filter(is_size).cloned().collect();
        }
        if scop.arrays.iter().any(is_asked_of) || members::may_change(&scop) {
            let facts = self.facts(&read.text)?;
            let at = read.copied(start).unwrap_or(0);
            Names { facts, at }.describe(&mut scop);
        }
        Ok(scop)
    }

    /// What a text declares; files in place of headers say it faster, where they are enough.
    pub(super) fn facts(&self, text: &str) -> Result<Rc<Facts>, FactsError> {
        if let Some(known) = self.facts.borrow().get(text) {
            return known.clone();
        }
        let light = self.light(text);
        let facts = match self.facts_with(text, light.as_ref()) {
            Ok(facts) if light.is_some() && !facts.errors.is_empty() => self.facts_with(text, None),
            facts => facts,
        };
        let facts = facts.map(Rc::new);
        (self.facts.borrow_mut()).insert(text.to_string(), facts.clone());
        facts
    }

    /// Whether a function stands for an integer expression and does nothing else.
    pub(super) fn is_index_function(&self, name: &str) -> bool {
        let facts = self.facts(&self.source.text);
        facts.is_ok_and(|facts| facts.index_functions.iter().any(|own| own == name))
    }

    /// What is to stand in places of a region, by clang's tree.
    pub(super) fn forward(&self, region: &Range<usize>, wish: Wish) -> Rc<Forward> {
        let key = (self.source.text.clone(), region.clone(), wish);
        if let Some(known) = self.forwarded.borrow().get(&key) {
            return Rc::clone(known);
        }
        let question = question(self.options, &self.source.text, self.limit);
        // Without an answer, the region stays as it is.
        let found = child::forward(&self.exe, &question, (region.clone(), wish));
        let changes = Rc::new(found.unwrap_or_default());
        (self.forwarded.borrow_mut()).insert(key, Rc::clone(&changes));
        changes
    }

    /// The text in words that pet reads.
    pub(super) fn plain(&self, region: &Region) -> Written {
        let changes = self.forward(&region.span, Wish::Plain);
        Written::plain(&self.source.text, (&changes.texts, &changes.passes), region)
    }

    fn facts_with(&self, text: &str, light: Option<&Light>) -> Result<Facts, FactsError> {
        let failed = |e: std::io::Error| FactsError::GaveUp(format!("temporary file: {e}"));
        let folder = tempfile::tempdir().map_err(failed)?;
        let question = Question {
            include_dirs: (self.include_dirs(folder.path(), light)).map_err(failed)?,
            ..question(self.options, text, self.limit)
        };
        child::facts(&self.exe, &question)
    }
}

/// What libclang needs to know to read a text of the input.
pub fn question(options: &InputOptions, text: &str, limit: &TimeLimit) -> Question {
    Question {
        vendor: Path::new(env!("HEXCC_ROOT")).join("vendor"),
        file: options.file.clone(),
        text: text.to_string(),
        include_dirs: options.include_dirs.clone(),
        defines: options.defines.clone(),
        seconds: limit.left().map(|left| left.as_secs() + 1),
    }
}

/// Whether the elements of an array are numbers of a type that has a name of its own.
fn has_unknown_type(array: &PetArray) -> bool {
    !array.element_is_record && CType::parse(&array.element_type).is_none()
}

/// Why libclang says nothing.
pub fn explain(error: FactsError) -> Diagnostic {
    match error {
        FactsError::Library(what) => Diagnostic::error(
            "HX0502",
            format!("libclang, which reads C, cannot be used: {what}"),
        )
        .help("run `scripts/setup`, or set HEXCC_LIBCLANG to a libclang.so of 17 or newer"),
        FactsError::TimedOut(seconds) => Diagnostic::error(
            "HX0401",
            format!("libclang did not finish within {seconds} s of processor time"),
        )
        .note("translations are bounded so that each of them ends")
        .help("raise `--time-limit`"),
        FactsError::GaveUp(what) => {
            Diagnostic::error("HX9002", format!("libclang failed on this file: {what}"))
                .help("simplify the file; please report it")
        }
    }
}
