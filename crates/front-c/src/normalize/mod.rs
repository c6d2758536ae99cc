//! Time loops in the form that tiles are made of.
//!
//! People move planes in many ways: by members of structs, by functions, by an index that toggles. Each pass
//! here takes one of these ways and leaves pointers of the loop's own function that are swapped at the end of a step.
//!
//! | pass | in | out |
//! |---|---|---|
//! | `trips` | `while (t < n) { ..; t++; }` | a `for` |
//! | `once` | macros that assign to pointers, `do { .. } while (0)` | what they do |
//! | `inline` | calls of functions that sweep over cells or move pointers | their bodies |
//! | `copies` | `memcpy(u, v, sizeof u);` | loops over the cells |
//! | `unroll` | `for (r = 1; r <= 4; r++) s += c[r] * u[i + r];` in the code of a cell | its body for each number |
//! | `toggle` | `u[now]`, `u[1 - now]`, `now = 1 - now` | two pointers, swapped |
//! | `promote` | `g->now = g->next` | the same with variables |
//! | `hoist` | `g->nx`, `double c = k * dt;` in the loop | variables from before it |
//!
//! What comes out is C again, for the place of the loop: [`time_loops`].

mod copies;
mod hoist;
mod inline;
mod numbers;
mod once;
mod promote;
mod small;
mod strides;
mod toggle;
mod tree;
mod trips;
mod unroll;
mod walk;

use crate::emit;
use hexcc_clang::ast::{DeclId, DeclKind, Expr, FunctionId, Item, Span, Stmt, StmtKind, Unit};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::ops::Range;
use tree::Namer;

/// A loop in another form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rewritten {
    /// The bytes of the file that it takes the place of.
    pub range: Range<usize>,
    /// What stands there then.
    pub text: String,
    /// The passes that have changed it.
    pub passes: Vec<String>,
}

/// The loops of the file that move planes in a way that a pass knows, in the order of the text.
pub fn time_loops(unit: &Unit) -> Vec<Rewritten> {
    let mut found = Vec::new();
    if unit.has_errors() {
        return found;
    }
    hexcc_clang::deeply(|| {
        for n in 0..unit.functions.len() {
            let function = FunctionId(n as u32);
            if let Some(body) = &unit[function].body
                && unit[function].span.file.0 == 0
            {
                in_statement(unit, function, body, &mut found);
            }
        }
    });
    found.sort_by_key(|r| r.range.start);
    found
}

/// The loops of a statement, the outermost first.
fn in_statement(unit: &Unit, function: FunctionId, stmt: &Stmt, found: &mut Vec<Rewritten>) {
    let StmtKind::Compound(all) = &stmt.kind else {
        for inner in walk::inner(stmt) {
            in_statement(unit, function, inner, found);
        }
        return;
    };
    for (at, stmt) in all.iter().enumerate() {
        let rewritten = match stmt.kind {
            StmtKind::For { .. } | StmtKind::While { .. } => {
                rewritten(unit, function, &all[..at], stmt)
            }
            _ => None,
        };
        match rewritten {
            Some(rewritten) => found.push(rewritten),
            None => in_statement(unit, function, stmt, found),
        }
    }
}

fn rewritten(unit: &Unit, function: FunctionId, before: &[Stmt], stmt: &Stmt) -> Option<Rewritten> {
    let range = place(unit, stmt.span)?;
    let mut unit = unit.clone();
    let mut namer = Namer::new(&unit);
    let globals = globals(&unit);
    let mut passes = Vec::new();
    let mut stmt = stmt.clone();
    if trips::counted(&unit, before, &mut stmt) {
        passes.push("trips");
    }
    let StmtKind::For { body, .. } = &mut stmt.kind else {
        return None;
    };
    let body = std::mem::replace(&mut **body, tree::stmt(stmt.span, StmtKind::Null));
    let mut body = tree::block(body);
    if body.iter().any(|stmt| leaves(&unit, stmt)) {
        return None;
    }
    if once::once(&unit, &mut body) {
        passes.push("once");
    }
    let taken = names_of(&unit, function)?;
    let mut caller = inline::Caller {
        unit: &mut unit,
        namer: &mut namer,
        globals: &globals,
        taken,
    };
    if caller.inline(&mut body) {
        passes.push("inline");
    }
    if copies::copies(&mut unit, &mut namer, function, (&stmt, &mut body)) {
        passes.push("copies");
    }
    if unroll::unroll(&mut unit, &mut namer, (&stmt, &mut body)) {
        passes.push("unroll");
    }
    let mut around = promote::Around::default();
    // A pass that gives up may have changed some of it.
    let before = (unit.clone(), body.clone());
    match toggle::toggle(&mut unit, &mut namer, (&stmt, &mut body)) {
        Some(toggled) => {
            passes.push("toggle");
            around.wrap(toggled);
        }
        None => (unit, body) = before,
    }
    let before = (unit.clone(), body.clone());
    match promote::promote(&mut unit, &mut namer, &globals, (&stmt, &mut body)) {
        Some(promoted) => {
            passes.push("promote");
            around.wrap(promoted);
        }
        None => (unit, body) = before,
    }
    let hoisted = hoist::hoist(&mut unit, &mut namer, &globals, (&mut stmt, &mut body));
    if let Some(hoisted) = hoisted {
        passes.push("hoist");
        around.wrap(hoisted);
    }
    let in_cells = |pass: &&str| matches!(*pass, "copies" | "unroll" | "hoist");
    if passes.is_empty() || passes == ["hoist"] {
        return None;
    }
    if passes.iter().all(in_cells) && is_sweep(&unit, &stmt, &body) {
        return None;
    }
    body.retain(|stmt| !matches!(stmt.kind, StmtKind::Null));
    if let StmtKind::For { body: inner, .. } = &mut stmt.kind {
        **inner = tree::stmt(stmt.span, StmtKind::Compound(body));
    }
    let span = stmt.span;
    let all = around.before.into_iter().chain([stmt]).chain(around.after);
    let all = tree::stmt(span, StmtKind::Compound(all.collect()));
    let text = emit::statement(&unit, &all);
    (!uses_macro(&unit, &text)).then_some(Rewritten {
        range,
        text,
        passes: passes.into_iter().map(str::to_owned).collect(),
    })
}

/// Whether a loop sweeps over cells: all elements of other arrays than its own that it assigns to are selected by its
/// iterator.
fn is_sweep(unit: &Unit, head: &Stmt, body: &[Stmt]) -> bool {
    use hexcc_clang::ast::ExprKind as K;
    let StmtKind::For { step, .. } = &head.kind else {
        return false;
    };
    let step = step.as_ref().and_then(tree::target).map(tree::plain);
    let Some(K::Var(iterator)) = step.map(|of| &of.kind) else {
        return false;
    };
    let (mut n_stores, mut n_selected) = (0, 0);
    for stmt in body {
        walk::all(unit, stmt, &mut |expr| {
            if let Some(to) = tree::target(expr).map(tree::plain)
                && let K::Index(array, _) = &to.kind
                && !tree::Path::of(unit, array)
                    .is_some_and(|path| tree::is_declared_in(&path, head, body))
            {
                n_stores += 1;
                n_selected += usize::from(unroll::mentions(to, *iterator));
            }
            true
        });
    }
    n_stores > 0 && n_stores == n_selected
}

/// Whether a statement may leave the loop that it is in otherwise than to what stands behind it, or has what the tree does not
/// tell.
fn leaves(unit: &Unit, stmt: &Stmt) -> bool {
    use hexcc_clang::ast::ExprKind as K;
    let is_untold = |expr: &Expr| matches!(expr.kind, K::Statements(_) | K::Other(_));
    let mut found = walk::any(unit, stmt, is_untold);
    walk::stmts(stmt, &mut |stmt| {
        found |= matches!(
            stmt.kind,
            StmtKind::Return(_)
                | StmtKind::Goto(_)
                | StmtKind::IndirectGoto(_)
                | StmtKind::Label { .. }
                | StmtKind::Other(_)
        );
    });
    found
}

/// The bytes of a statement of the file that stands there as a whole.
fn place(unit: &Unit, span: Span) -> Option<Range<usize>> {
    let is_own = span.file.0 == 0 && span.expansion.is_none();
    is_own.then(|| span.editable(unit)).flatten()
}

/// The variables of the file.
fn globals(unit: &Unit) -> HashSet<DeclId> {
    let decl = |item: &Item| match item {
        Item::Decl(id) if unit[*id].kind == DeclKind::Variable => Some(unit[*id].first),
        _ => None,
    };
    unit.items.iter().filter_map(decl).collect()
}

/// The names that a function declares; `None` where it declares types.
fn names_of(unit: &Unit, function: FunctionId) -> Option<HashSet<String>> {
    let body = unit[function].body.as_ref()?;
    let mut has_types = false;
    walk::stmts(body, &mut |stmt| {
        if let StmtKind::Decl(items) = &stmt.kind {
            has_types |= items.iter().any(|item| match item {
                Item::Decl(id) => unit[*id].kind != DeclKind::Variable,
                _ => true,
            });
        }
    });
    let params = unit[function].params.iter().copied();
    let all = params.chain(walk::all_declared(body));
    let names = all.map(|id| unit[id].name.clone()).collect();
    (!has_types).then_some(names)
}

/// Whether a word of a text is a macro of the file, which would be expanded once more.
fn uses_macro(unit: &Unit, text: &str) -> bool {
    let macros: HashSet<&str> = unit.macros.iter().map(|m| m.name.as_str()).collect();
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.split(|c| !is_word(c))
        .any(|word| macros.contains(word))
}

#[cfg(test)]
mod tests;
