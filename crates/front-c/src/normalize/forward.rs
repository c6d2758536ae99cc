//! What subscripts are computed by, written out: index variables, index functions, pointers to rows, counters.
//!
//! In: `int c = i * w + j; v[c] = row[j];`. Out: `v[i * w + j] = u[i * w + j];`.
//!
//! pet follows a variable as long as its value is affine, and a call as long as what it returns is. Flat arrays are
//! read where the subscript says it all. So subscripts and conditions get the expressions that variables and calls
//! stand for, in a region and the functions that it calls.
//!
//! | pass | in | out |
//! |---|---|---|
//! | [`choices`](super::choices) | `if (i == 0) m = n - 1; else m = i - 1;` | `m = i == 0 ? n - 1 : i - 1;` |
//! | `helpers` | `v[wrap(i - 1, n)]` | `v[(i - 1 + n) % n]` |
//! | `pointers` | `double *row = u + i * n; row[j]` | `u[i * n + j]` |
//! | `counters` | `out[k++]` in loops | an element that the iterators tell |
//! | `variables` | `int c = i * n + j; v[c]` | `v[i * n + j]` |
//! | [`returns`](super::returns) | `if (a < 0) return 0; double s = a * b; return s;` | `return a < 0 ? 0 : a * b;` |
//! | `elements` | `*(u + i)`, `*at(u, i)` | `u[i]` |
//! | [`asserts`](super::asserts) | `assert(i < n);` | `;` |
//! | `words` | `a = b = e; l *= 2, r *= 2; v %= n;` | `b = e; a = b; l *= 2; r *= 2; v = v % n;` |
//!
//! The last ones make C that pet does not read at all, so that they are asked for by themselves, too.
//!
//! An expression takes the place of another one only if both have one type, or if nothing but sums and products of
//! it make a subscript: a number that is converted to another type is the same up to a power of 2 there. Its
//! variables have to be unchanged and visible where it stands.

mod calls;
mod counters;
mod edits;
mod elements;
mod functions;
mod life;
mod pointers;
mod sizes;
mod uses;
mod variables;
mod words;

use super::{asserts, choices, returns, scalars, tree, walk};
use crate::emit;
pub use calls::{Called, What, first_unreadable};
use edits::Edits;
pub(super) use edits::whole;
use functions::IndexFunction;
pub use functions::names as index_functions;
use hexcc_clang::ast::{
    DeclId, ExprKind, FunctionId, Item, Span, Stmt, StmtId, StmtKind, Storage, Unit,
};
use serde::{Deserialize, Serialize};
pub(super) use sizes::visible;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// Rounds of changes, at most.
const MAX_ROUNDS: usize = 400;

/// Parts of an expression that takes the place of others, all of them together, at most.
const MAX_GROWTH: usize = 20_000;

/// What is to stand in places of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Forward {
    /// Bytes of the text, and what is to stand there.
    pub texts: Vec<(Range<usize>, String)>,
    /// The passes that made something of it, by name.
    pub passes: Vec<String>,
    /// Bytes of the assertions among what goes.
    pub unchecked: Vec<Range<usize>>,
    /// Variables that have one number whenever the region runs.
    pub numbers: Vec<(String, i64)>,
    /// Calls of functions that the file does not define; where pet cannot read one, nothing else is told.
    pub calls: Vec<Called>,
}

/// A pass over a part; whether it has changed something.
pub(super) type Pass = fn(&mut Scene, &mut Part) -> bool;

/// What is to be written out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Wish {
    /// What pet does not read.
    Plain,
    /// What subscripts are computed by, too.
    Subscripts,
}

/// The passes, in the order in which they are tried.
pub(super) const PASSES: [(&str, Pass); 9] = [
    ("choices", choices::choices),
    ("helpers", functions::functions),
    ("pointers", pointers::pointers),
    ("counters", counters::counters),
    ("variables", variables::variables),
    ("returns", returns::returns),
    ("plain", elements::elements),
    ("plain", asserts::asserts),
    ("plain", words::words),
];

/// The passes before those that make C that pet reads.
const N_OF_SUBSCRIPTS: usize = 5;

/// What expressions are asked about.
pub(super) struct Scene {
    pub unit: Unit,
    /// Bytes of the assertions that have gone.
    pub unchecked: Vec<Range<usize>>,
    /// Functions that stand for integer expressions, by their first declaration.
    functions: HashMap<FunctionId, IndexFunction>,
    /// The other functions of the file: what they are given decides what is accessed.
    takes: HashSet<FunctionId>,
    /// Variables that were asked for, and whether something points to them.
    pointed_to: RefCell<HashMap<DeclId, bool>>,
    /// The variables that functions have for each call.
    own: RefCell<HashMap<FunctionId, HashSet<DeclId>>>,
}

/// The region, or the body of a function that it calls.
pub(super) struct Part {
    /// Its statements, as a block.
    pub root: Stmt,
    function: FunctionId,
    /// The bytes of the region, if the part is it.
    region: Option<Range<usize>>,
    /// Whether there are no jumps into the middle of it, and nothing that the tree does not tell.
    is_plain: bool,
}

/// What is to stand in places of a region, from the first to the last of some bytes of the file, and of the functions
/// that it calls. `again` reads a text in the place of the file.
pub fn forward(
    unit: &Unit,
    (region, wish): (&Range<usize>, Wish),
    again: &dyn Fn(String) -> Option<Unit>,
) -> Forward {
    let passes = match wish {
        Wish::Plain => &PASSES[N_OF_SUBSCRIPTS..],
        Wish::Subscripts => &PASSES[..],
    };
    let calls = calls::calls(unit, region);
    let found = match first_unreadable(&calls) {
        Some(_) => Forward::default(),
        None => Forward {
            numbers: sizes::sizes(unit, region),
            ..with_passes(unit, region, again, passes)
        },
    };
    Forward { calls, ..found }
}

pub(super) fn with_passes(
    unit: &Unit,
    region: &Range<usize>,
    again: &dyn Fn(String) -> Option<Unit>,
    passes: &[(&str, Pass)],
) -> Forward {
    if unit.has_errors() {
        return Forward::default();
    }
    hexcc_clang::deeply(|| {
        let mut scene = Scene::new(unit);
        let mut parts = parts(unit, region);
        let acted = scene.changed(&mut parts, passes);
        scene.unchecked.sort_by_key(|range| range.start);
        let found = (!acted.is_empty())
            .then(|| texts(unit, &mut scene.unit, parts, again))
            .flatten();
        found.map_or_else(Forward::default, |texts| Forward {
            texts,
            passes: acted,
            unchecked: scene.unchecked,
            ..Forward::default()
        })
    })
}

/// The edits that make the text of changed parts; `None` where they make something else.
fn texts(
    before: &Unit,
    after: &mut Unit,
    parts: Vec<Part>,
    again: &dyn Fn(String) -> Option<Unit>,
) -> Option<Vec<(Range<usize>, String)>> {
    let mut edits = Edits::new(before, after);
    for part in &parts {
        let old = original(before, part);
        edits.block(&old, statements(&part.root)).ok()?;
    }
    let (texts, is_sure) = edits.texts();
    if !is_sure {
        // What is in a macro may be elsewhere, too.
        for part in parts {
            put(after, part);
        }
        let read = again(edited(&before.files.first()?.text, &texts))?;
        let is_same = !read.has_errors() && bodies(after) == bodies(&read);
        return is_same.then_some(texts);
    }
    Some(texts)
}

/// A text with others in some places.
fn edited(text: &str, texts: &[(Range<usize>, String)]) -> String {
    let mut new = String::new();
    let mut at = 0;
    for (range, with) in texts {
        new.push_str(&text[at..range.start]);
        new.push_str(with);
        at = range.end;
    }
    new + &text[at..]
}

/// The bodies of all functions of the file, as text.
fn bodies(unit: &Unit) -> Vec<String> {
    let own = unit.functions.iter().filter(|f| f.span.file.0 == 0);
    let bodies = own.filter_map(|f| f.body.as_ref());
    bodies
        .map(|body| emit::statement(unit, body, &[]).text)
        .collect()
}

/// The statements of a part before all changes.
fn original(unit: &Unit, part: &Part) -> Vec<Stmt> {
    let Some(body) = &unit[part.function].body else {
        return Vec::new();
    };
    match &part.region {
        Some(region) => within(body, region),
        None => statements(body).to_vec(),
    }
}

/// Puts the statements of a part back into the function.
fn put(unit: &mut Unit, part: Part) {
    let Some(mut body) = unit[part.function].body.take() else {
        return;
    };
    match part.region {
        Some(_) => {
            for stmt in statements(&part.root) {
                put_at(&mut body, stmt);
            }
        }
        None => body.kind = part.root.kind,
    }
    unit[part.function].body = Some(body);
}

fn put_at(body: &mut Stmt, stmt: &Stmt) {
    if body.id == stmt.id {
        *body = stmt.clone();
        return;
    }
    for inner in walk::inner_mut(body) {
        put_at(inner, stmt);
    }
}

pub(super) fn statements(block: &Stmt) -> &[Stmt] {
    match &block.kind {
        StmtKind::Compound(all) => all,
        _ => std::slice::from_ref(block),
    }
}

/// The outermost statements of a body that lie in some bytes of the file.
pub(super) fn within(body: &Stmt, region: &Range<usize>) -> Vec<Stmt> {
    let (start, end) = (body.span.start as usize, body.span.end as usize);
    if region.start <= start && end <= region.end {
        return vec![body.clone()];
    }
    match end <= region.start || region.end <= start {
        true => Vec::new(),
        false => (walk::inner(body).into_iter())
            .flat_map(|inner| within(inner, region))
            .collect(),
    }
}

/// The region and the bodies of the functions of the file that it calls.
fn parts(unit: &Unit, region: &Range<usize>) -> Vec<Part> {
    let Some((function, body)) = around(unit, region) else {
        return Vec::new();
    };
    let all = within(body, region);
    let called = walk::called(unit, &all);
    let root = Stmt {
        id: StmtId(u32::MAX),
        span: Span {
            start: region.start as u32,
            end: region.end as u32,
            ..body.span
        },
        kind: StmtKind::Compound(all),
    };
    let mut parts = vec![Part::new(unit, function, root, Some(region.clone()))];
    for callee in called.into_iter().filter(|f| *f != function) {
        let own = unit[callee].body.as_ref();
        if let Some(body) = own.filter(|body| body.span.file.0 == 0) {
            parts.push(Part::new(unit, callee, body.clone(), None));
        }
    }
    parts
}

/// The function around a region, and its body.
pub(super) fn around<'u>(unit: &'u Unit, region: &Range<usize>) -> Option<(FunctionId, &'u Stmt)> {
    let is_around = |body: &Stmt| {
        let (start, end) = (body.span.start as usize, body.span.end as usize);
        body.span.file.0 == 0 && start <= region.start && region.end <= end
    };
    let at = (unit.functions.iter()).position(|f| f.body.as_ref().is_some_and(is_around))?;
    let function = FunctionId(at as u32);
    Some((function, unit[function].body.as_ref()?))
}

impl Part {
    /// The function that it is, if it is one without jumps.
    pub fn function_alone(&self) -> Option<FunctionId> {
        (self.region.is_none() && self.is_plain).then_some(self.function)
    }

    fn new(unit: &Unit, function: FunctionId, root: Stmt, region: Option<Range<usize>>) -> Part {
        let mut is_plain = true;
        walk::stmts(&root, &mut |stmt| {
            use StmtKind as K;
            is_plain &= !matches!(
                stmt.kind,
                K::Goto(_)
                    | K::IndirectGoto(_)
                    | K::Label { .. }
                    | K::Switch { .. }
                    | K::Case { .. }
                    | K::Default(_)
                    | K::Other(_)
            );
        });
        is_plain &= !walk::any(unit, &root, |expr| {
            use ExprKind as K;
            matches!(
                expr.kind,
                K::Statements(_) | K::LabelAddress(_) | K::VaArg(_) | K::Other(_)
            )
        });
        Part {
            root,
            function,
            region,
            is_plain,
        }
    }

    /// Where statements of blocks are, in the order of the text; those of the region itself are not, since what
    /// stands behind them does not.
    fn places(&self) -> Vec<Place> {
        let mut found = Vec::new();
        for (at, stmt) in statements(&self.root).iter().enumerate() {
            if self.region.is_none() {
                found.push(Place {
                    block: Vec::new(),
                    at,
                });
            }
            places_in(stmt, &mut vec![at], &mut found);
        }
        found
    }

    fn block(&self, place: &Place) -> &[Stmt] {
        let mut stmt = &self.root;
        for at in &place.block {
            stmt = walk::inner(stmt)[*at];
        }
        statements(stmt)
    }

    fn block_mut(&mut self, place: &Place) -> Option<&mut Vec<Stmt>> {
        let mut stmt = &mut self.root;
        for at in &place.block {
            stmt = walk::inner_mut(stmt).into_iter().nth(*at)?;
        }
        match &mut stmt.kind {
            StmtKind::Compound(all) => Some(all),
            _ => None,
        }
    }
}

/// Where a statement of a block is.
#[derive(Clone, Debug)]
struct Place {
    /// The way to the block: which of the statements in each one.
    block: Vec<usize>,
    /// Which statement of it.
    at: usize,
}

fn places_in(stmt: &Stmt, way: &mut Vec<usize>, found: &mut Vec<Place>) {
    let is_block = matches!(stmt.kind, StmtKind::Compound(_));
    for (at, inner) in walk::inner(stmt).into_iter().enumerate() {
        if is_block {
            found.push(Place {
                block: way.clone(),
                at,
            });
        }
        way.push(at);
        places_in(inner, way, found);
        way.pop();
    }
}

impl Scene {
    fn new(unit: &Unit) -> Scene {
        let functions = functions::found(unit);
        let all = unit.functions.iter();
        let takes = all
            .filter(|f| unit.body_of(f.first).is_some() && !functions.contains_key(&f.first))
            .map(|f| f.first)
            .collect();
        Scene {
            unit: unit.clone(),
            unchecked: Vec::new(),
            functions,
            takes,
            pointed_to: RefCell::default(),
            own: RefCell::default(),
        }
    }

    /// Applies passes until nothing is left to be done; those that have changed something.
    fn changed(&mut self, parts: &mut [Part], passes: &[(&str, Pass)]) -> Vec<String> {
        let mut acted = vec![false; passes.len()];
        for _ in 0..MAX_ROUNDS {
            let found = passes
                .iter()
                .position(|(_, pass)| parts.iter_mut().any(|part| pass(self, part)));
            match found {
                Some(at) => acted[at] = true,
                None => break,
            }
        }
        let names = passes.iter().zip(acted).filter(|(_, acted)| *acted);
        let mut names: Vec<String> = names.map(|((name, _), _)| (*name).to_owned()).collect();
        names.dedup();
        names
    }

    /// Whether a function has a variable for each call.
    fn is_own(&self, function: FunctionId, id: DeclId) -> bool {
        let unit = &self.unit;
        let is_automatic =
            |id: &DeclId| matches!(unit[*id].storage, Storage::None | Storage::Register);
        let mut known = self.own.borrow_mut();
        let own = known.entry(function).or_insert_with(|| {
            let locals = unit[function].body.iter().flat_map(walk::all_declared);
            let all = unit[function].params.iter().copied().chain(locals);
            all.filter(is_automatic).collect()
        });
        own.contains(&id)
    }

    /// Whether a pointer to a variable may be somewhere.
    fn is_pointed_to(&self, id: DeclId) -> bool {
        let mut known = self.pointed_to.borrow_mut();
        *(known.entry(id)).or_insert_with(|| scalars::is_pointed_to(&self.unit, id))
    }

    /// Whether nothing reads a variable but some reads in a part that are counted already: all else are declarations
    /// and assignments by statements.
    fn is_dead(&self, part: &Part, id: DeclId, own: usize) -> bool {
        let unit = &self.unit;
        if reads(unit, &part.root, id) != own || self.is_pointed_to(id) {
            return false;
        }
        let is_within = walk::all_declared(&part.root).contains(&id);
        let is_own = self.is_own(part.function, id);
        is_own
            && (is_within
                || match &part.region {
                    Some(region) => life::ends(unit, part.function, region, id),
                    None => true,
                })
    }
}

/// How often a statement reads a variable, or uses it otherwise than to assign to it alone.
fn reads(unit: &Unit, stmt: &Stmt, id: DeclId) -> usize {
    let mut found = 0;
    walk::exprs(unit, stmt, &mut |expr| {
        walk::visit(expr, &mut |e| {
            found += usize::from(matches!(e.kind, ExprKind::Var(v) if v == id));
            true
        });
    });
    found -= usize::from(matches!(tree::assignment(stmt), Some((to, _)) if to == id));
    let inner = walk::inner(stmt).into_iter();
    found + inner.map(|stmt| reads(unit, stmt, id)).sum::<usize>()
}

/// Takes a variable out of a declaration; whether nothing is left of it.
fn undeclared(stmt: &mut Stmt, id: DeclId) -> bool {
    let StmtKind::Decl(items) = &mut stmt.kind else {
        return false;
    };
    items.retain(|item| !matches!(item, Item::Decl(d) if *d == id));
    items.is_empty()
}
