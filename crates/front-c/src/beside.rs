//! What C does beside the parts of a program that run in kernels, in the loops around them.
//!
//! Kernels and the host share memory there: what the host touches travels. [`neighbours`] finds statements that could
//! run where the nests beside them do, [`around`] what is left to the host.

#[cfg(test)]
mod tests;

use crate::normalize::tree::unconverted;
use crate::normalize::walk;
use hexcc_clang::ast::{
    Callee, DeclId, DeclKind, Expr, ExprKind, FunctionId, Item, Span, Stmt, StmtKind, Storage,
    TypeKind, UnaryOp, Unit,
};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

/// Parts of the text.
type Parts<'p> = &'p [Range<usize>];

/// Functions that touch nothing of what a program keeps in memory that they are given.
const OF_MEMORY: [&str; 4] = ["malloc", "calloc", "realloc", "free"];

/// What C does in the loops around a part.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Around {
    /// Whether the part runs more than once: it is in a loop, or in a function that one calls.
    pub repeats: bool,
    /// What the host uses there, each once.
    pub uses: Vec<Use>,
    /// What the host goes through in each iteration of the innermost of these loops: by name, in how many loops.
    pub swept: BTreeMap<String, usize>,
}

/// Memory that the host uses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Use {
    /// The array or pointer as the program writes it.
    pub name: String,
    /// Where that is.
    pub at: usize,
}

/// Runs of statements in a block, one after the other, that could be one part: loops, and assignments to elements. Each has
/// some of the parts in it, which are loops, and an assignment.
pub fn neighbours(unit: &Unit, parts: Parts) -> Vec<Vec<Range<usize>>> {
    let parts = &trimmed(unit, parts);
    let mut found = Vec::new();
    let bodies = unit.functions.iter().filter_map(|f| f.body.as_ref());
    for body in bodies.filter(|body| body.span.file.0 == 0) {
        walk::stmts(body, &mut |stmt| {
            if let StmtKind::Compound(all) = &stmt.kind {
                let of_run = |run: &[Stmt]| {
                    let places: Option<Vec<_>> = run.iter().map(|s| whole(unit, s)).collect();
                    let has_part = run.iter().any(|s| is_part(unit, s, parts));
                    let assigns = run.iter().any(is_assignment);
                    places.filter(|_| has_part && assigns)
                };
                let runs = all.split(|s| !is_part(unit, s, parts) && !is_assignment(s));
                found.extend(runs.filter_map(of_run));
            }
        });
    }
    found
}

/// Parts without the space before them.
fn trimmed(unit: &Unit, parts: Parts) -> Vec<Range<usize>> {
    let text = unit.files.first().map_or("", |file| &file.text);
    let trim = |part: &Range<usize>| {
        let own = text.get(part.clone()).unwrap_or_default();
        part.start + own.len() - own.trim_start().len()..part.end
    };
    parts.iter().map(trim).collect()
}

fn bytes(unit: &Unit, span: Span) -> Option<Range<usize>> {
    span.editable(unit).filter(|_| span.file.0 == 0)
}

/// The bytes of a statement with the semicolon that ends it.
fn whole(unit: &Unit, stmt: &Stmt) -> Option<Range<usize>> {
    let own = bytes(unit, stmt.span)?;
    let behind = unit.files.first()?.text.get(own.end..)?;
    let rest = behind.trim_start();
    let more = match rest.starts_with(';') {
        true => behind.len() - rest.len() + 1,
        false => 0,
    };
    Some(own.start..own.end + more)
}

/// Whether a statement is one of some parts, whose semicolon clang leaves out.
fn is_part(unit: &Unit, stmt: &Stmt, parts: Parts) -> bool {
    let is_loop = matches!(stmt.kind, StmtKind::For { .. });
    let begins = |own: Range<usize>| parts.iter().any(|part| part.start == own.start);
    is_loop && bytes(unit, stmt.span).is_some_and(begins)
}

/// Whether a statement assigns to an element and does nothing else.
fn is_assignment(stmt: &Stmt) -> bool {
    let StmtKind::Expr(Expr {
        kind: ExprKind::Assign(_, to, value),
        ..
    }) = &stmt.kind
    else {
        return false;
    };
    let does_more = |e: &Expr| match e.kind {
        ExprKind::Assign(..) | ExprKind::Call(..) | ExprKind::Statements(_) => true,
        ExprKind::Unary(op, _) => op.counts(),
        _ => false,
    };
    matches!(to.kind, ExprKind::Index(..))
        && !walk::has(to, does_more)
        && !walk::has(value, does_more)
}

/// What C does around each of some parts.
pub fn around(unit: &Unit, parts: Parts) -> Vec<Around> {
    let parts = &trimmed(unit, parts);
    let program = Program { unit, parts };
    let of_part = |part: &Range<usize>| {
        let loops = program.loops_around(part);
        let (uses, _) = Uses::of(&program, loops.iter().copied());
        let steps = program.innermost(&loops, part);
        let (_, swept) = Uses::of(&program, steps.into_iter().flat_map(walk::inner));
        Around {
            repeats: !loops.is_empty(),
            uses: uses.into_values().collect(),
            swept,
        }
    };
    parts.iter().map(of_part).collect()
}

/// A program with parts that run in kernels.
struct Program<'u> {
    unit: &'u Unit,
    parts: Parts<'u>,
}

impl<'u> Program<'u> {
    /// The outermost loops in which a part runs, in its function and in those that call it.
    fn loops_around(&self, part: &Range<usize>) -> Vec<&'u Stmt> {
        let mut found = Vec::new();
        for body in self.unit.functions.iter().filter_map(|f| f.body.as_ref()) {
            self.outermost(body, part, &mut found);
        }
        found
    }

    fn outermost(&self, stmt: &'u Stmt, part: &Range<usize>, found: &mut Vec<&'u Stmt>) {
        match self.is_around(stmt, part) {
            true => found.push(stmt),
            false => {
                for inner in walk::inner(stmt) {
                    self.outermost(inner, part, found);
                }
            }
        }
    }

    fn is_around(&self, stmt: &Stmt, part: &Range<usize>) -> bool {
        let is_part = stmt.span.start as usize == part.start;
        walk::is_loop(stmt) && (holds(stmt, part) && !is_part || self.calls(stmt, part))
    }

    /// The innermost of these loops: those in which none of them runs.
    fn innermost(&self, loops: &[&'u Stmt], part: &Range<usize>) -> Vec<&'u Stmt> {
        let mut all = Vec::new();
        loops
            .iter()
            .for_each(|stmt| self.within(stmt, part, &mut all));
        let bytes = |stmt: &Stmt| stmt.span.start as usize..stmt.span.end as usize;
        let is_inner = |stmt: &&Stmt| {
            let other = |other: &&Stmt| bytes(other) != bytes(stmt);
            !(all.iter().filter(|o| other(o))).any(|other| self.is_around(stmt, &bytes(other)))
        };
        all.iter().copied().filter(is_inner).collect()
    }

    /// The loops in a statement in which a part runs.
    fn within(&self, stmt: &'u Stmt, part: &Range<usize>, all: &mut Vec<&'u Stmt>) {
        all.extend(self.is_around(stmt, part).then_some(stmt));
        for inner in walk::inner(stmt) {
            self.within(inner, part, all);
        }
    }

    /// Whether a statement calls a function that has a part, itself or through others.
    fn calls(&self, stmt: &Stmt, part: &Range<usize>) -> bool {
        let called = walk::called(self.unit, std::slice::from_ref(stmt)).into_iter();
        let mut bodies = called.filter_map(|f| self.unit[f].body.as_ref());
        bodies.any(|body| holds(body, part))
    }
}

/// Whether a part is in a statement.
fn holds(stmt: &Stmt, part: &Range<usize>) -> bool {
    let bytes = stmt.span.start as usize..stmt.span.end as usize;
    stmt.span.file.0 == 0 && bytes.contains(&part.start)
}

/// The search for what the host uses.
struct Uses<'p> {
    program: &'p Program<'p>,
    /// By how the program writes it.
    found: BTreeMap<String, Use>,
    /// What is gone through in loops that always run, and in how many.
    swept: BTreeMap<String, usize>,
    /// Functions that have been searched.
    seen: HashSet<FunctionId>,
    /// Loops around what is searched, and whether it always runs.
    loops: usize,
    always: bool,
}

impl<'p> Uses<'p> {
    /// What some statements use, and what they go through.
    fn of<'s>(
        program: &'p Program<'p>,
        stmts: impl Iterator<Item = &'s Stmt>,
    ) -> (BTreeMap<String, Use>, BTreeMap<String, usize>) {
        let mut uses = Uses {
            program,
            found: BTreeMap::new(),
            swept: BTreeMap::new(),
            seen: HashSet::new(),
            loops: 0,
            always: true,
        };
        stmts.for_each(|stmt| uses.stmt(stmt));
        (uses.found, uses.swept)
    }

    /// Searches a statement, but not what runs in kernels.
    fn stmt(&mut self, stmt: &Stmt) {
        let program = self.program;
        let begins = |own: Range<usize>| program.parts.iter().any(|part| part.contains(&own.start));
        if bytes(program.unit, stmt.span).is_some_and(begins) {
            return;
        }
        walk::exprs(program.unit, stmt, &mut |expr| self.expr(expr));
        let before = (self.loops, self.always);
        self.loops += usize::from(walk::is_loop(stmt));
        self.always &= !matches!(stmt.kind, StmtKind::If { .. } | StmtKind::Switch { .. });
        for inner in walk::inner(stmt) {
            self.stmt(inner);
            self.always &= !walk::leaves(inner);
        }
        (self.loops, self.always) = before;
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Index(array, _) => self.add(array),
            ExprKind::Unary(UnaryOp::Deref, pointer) => self.add(pointer),
            ExprKind::Call(callee, arguments) => self.call(callee, arguments),
            ExprKind::Statements(body) => self.stmt(body),
            _ => {}
        }
        for part in walk::parts(expr) {
            self.expr(part);
        }
    }

    fn call(&mut self, callee: &Callee, arguments: &[Expr]) {
        let program = self.program;
        let Callee::Function(id) = callee else {
            arguments.iter().for_each(|e| self.hand_over(e));
            return;
        };
        let function = &program.unit[*id];
        match program.unit.body_of(*id) {
            Some(body) if self.seen.insert(function.first) => self.stmt(body),
            Some(_) => {}
            None if OF_MEMORY.contains(&function.name.as_str()) => {}
            None => arguments.iter().for_each(|e| self.hand_over(e)),
        }
    }

    /// A value that code gets which cannot be seen.
    fn hand_over(&mut self, value: &Expr) {
        let value = unconverted(value);
        let is_text = matches!(value.kind, ExprKind::Str(_));
        if !is_text && self.leads_to_numbers(value) {
            self.add(value);
        }
    }

    /// Whether an expression is a pointer to what a program computes with.
    fn leads_to_numbers(&self, value: &Expr) -> bool {
        let unit = self.program.unit;
        let mut ty = value.ty;
        let mut is_pointer = false;
        loop {
            match unit.canonical(ty).kind {
                TypeKind::Pointer(to) | TypeKind::Array { element: to, .. } => {
                    is_pointer = true;
                    ty = to;
                }
                TypeKind::Record(id) => return is_pointer && unit[id].tag != "_IO_FILE",
                TypeKind::Builtin(_) => return is_pointer,
                _ => return false,
            }
        }
    }

    /// Adds the array that an expression is, or points to; local arrays are the host's alone.
    fn add(&mut self, array: &Expr) {
        let unit = self.program.unit;
        let array = rows(array);
        let root = root(array);
        let is_local = root.is_some_and(|id| is_local_array(unit, id));
        if is_local || root.is_none() {
            return;
        }
        let name = crate::emit::expression(unit, array);
        if self.always && self.loops > 0 {
            let most = self.swept.entry(name.clone()).or_default();
            *most = self.loops.max(*most);
        }
        let at = array.span.start as usize;
        let new = Use {
            name: name.clone(),
            at,
        };
        self.found.entry(name).or_insert(new);
    }
}

/// The array of which an expression is a row.
fn rows(expr: &Expr) -> &Expr {
    match &unconverted(expr).kind {
        ExprKind::Index(array, _) => rows(array),
        ExprKind::Unary(UnaryOp::AddressOf | UnaryOp::Deref, of) => rows(of),
        _ => unconverted(expr),
    }
}

/// The variable that an expression leads from.
fn root(expr: &Expr) -> Option<DeclId> {
    match &unconverted(expr).kind {
        ExprKind::Var(id) => Some(*id),
        ExprKind::Field(of, _) => root(of),
        ExprKind::Index(array, _) => root(array),
        ExprKind::Unary(UnaryOp::AddressOf | UnaryOp::Deref, of) => root(of),
        ExprKind::Binary(_, a, b) => root(a).or_else(|| root(b)),
        ExprKind::Cond(_, a, b) => root(a).or_else(|| root(b)),
        _ => None,
    }
}

/// Whether a variable lives in a function, with what it holds.
fn is_local_array(unit: &Unit, id: DeclId) -> bool {
    let decl = &unit[id];
    let is_pointer = matches!(unit.canonical(decl.ty).kind, TypeKind::Pointer(_));
    let is_in_function = !unit.items.contains(&Item::Decl(id));
    decl.kind == DeclKind::Variable
        && is_in_function
        && decl.storage != Storage::Static
        && !is_pointer
}
