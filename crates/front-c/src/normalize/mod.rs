//! Time loops in the form that tiles are made of.
//!
//! People move planes in many ways: by members of structs, by functions, by an index that toggles. Each pass
//! here takes one of these ways and leaves pointers of the loop's own function that are swapped at the end of a step.
//!
//! | pass | in | out |
//! |---|---|---|
//! | `counts` | `while (n-- > 0)`, `for (; n > 0; n--)`, `do .. while (++t < n);`, `for (;;) { if (t >= n) break; ..` | a `for` |
//! | `trips` | `while (t < n) { ..; t++; }` | a `for` |
//! | `whiles` | the same in the body, `for (int j = n; j--;)` | a `for` |
//! | `iterators` | `for (n = 0, t = 0; n < steps; n++, t += dt)` | a loop that has one iterator |
//! | `called` | `while (step(u)) n++;` | a `do` that asks a variable |
//! | `addresses` | `(&grid)->n`, as macros write it | `grid.n` |
//! | `once` | macros that assign to pointers, `do { .. } while (0)` | what they do |
//! | `settled` | `if (scheme == 0)` where `scheme` is always 1 | the branch that runs |
//! | `alternate` | `if (t % 2 == 0) step(u, v); else step(v, u);` | two pointers, swapped |
//! | `inline` | calls of functions that sweep over cells or move pointers | their bodies |
//! | `setters` | `set(g, i, j, v);` of a function that stores in `g->u` | `g->u[i * g->nx + j] = v;` |
//! | `helpers` | `u[at(g, i, j)]` of a function that reads `g->nx` | `u[i * g->nx + j]` |
//! | `early` | `w = u; u = v; v = w; STEP` | `STEP w = u; u = v; v = w;` |
//! | `halves` | `STEP; swap; STEP; swap` | `STEP STEP`, the second one the other way round |
//! | `aliases` | `double *a = u, (*b)[n] = (double (*)[n])v;` in the loop, `b[i][j] = a[i];` | `v[i * n + j] = u[i];` |
//! | `unread` | `last = d;` of a variable that nothing reads | nothing |
//! | `products` | `int plane = ny * nz;`, `u[i * plane]` | `u[i * (ny * nz)]` |
//! | `constants` | `const int N = 64;` and `i * N + j != x * N + y` | 64 |
//! | `temporaries` | `sum = 0; .. v[i] = sum;` of a variable of the file | a variable of the block |
//! | `copies` | `memcpy(u, v, sizeof u);` | loops over the cells |
//! | `sweeps` | `for (k = 0; k < n * m; k++) u[k] = v[k];` | loops over rows and columns |
//! | `unroll` | `for (r = 1; r <= 4; r++) s += c[r] * u[i + r];` in the code of a cell | its body for each number |
//! | `planes` | `for (k = 0; k < 9; k++) g[k][i][j] = ..` | its body for each plane; tried where no other form is tiled |
//! | `masks` | `u[(i - 1) & (N - 1)]`, where N is 64 | `u[(i + 63) % 64]` |
//! | `guards` | `j == 0 ? 25 : u[j - 1]` | branches; tried where no other form is tiled |
//! | `mirrors` | `ip = i == n - 1 ? n - 2 : i + 1`, `u[ip]` | branches; tried where no other form is tiled |
//! | `schemes` | `if (scheme == 0) for (..) v[i] = a; else for (..) v[i] = b;` | `v[i] = scheme == 0 ? a : b` in one loop; tried where no other form is tiled |
//! | `values` | `if (a[i] < 0) b[i] = 0; else b[i] = a[i];`, `continue`, `switch` | `b[i] = a[i] < 0 ? 0 : a[i];`; tried where no other form is tiled |
//! | `split` | `old = s.now; s.now = s.next; s.next = old` of structs | the same of their members |
//! | `apart` | `f[0]`, `g[0]` of `float *f[9], *g[9]`, swapped | pointers, swapped |
//! | `parity` | `u[t % 2]`, `u[(t + 1) % 2]` of pointers | pointers, swapped |
//! | `pairs` | `now = next; next = 1 - now;`, indices that are 0 and 1 | indices that rotate |
//! | `rotate` | `u[old]`, `u[now]`, `u[new]`, indices that rotate | pointers, rotated |
//! | `toggle` | `u[now]`, `u[1 - now]`, `now = 1 - now` | two pointers, swapped |
//! | `promote` | `g->now = g->next` | the same with variables |
//! | `numbers` | `g->time += g->dt` | the same with variables |
//! | `pointed` | pointers to structs, swapped | the planes they have, swapped |
//! | `turns` | `int next = (n + 1) % 3; u[next][i]` | `u[(n + 1) % 3][i]` |
//! | `hoist` | `g->nx`, `double c = k * dt;` in the loop | variables from before it |
//! | `square` | `v[j * nx] = 0;` beside `v[i * ny + j]` | `v[j * ny]`, where both are equal |
//! | `located` | `u[source]` beside `u[i * m + j]` | `u[source_row * m + source_column]` |
//! | `peel` | `r = 0; for (..) r += d * d;`, wanted of the last step alone | the last step apart |
//! | `ghosts` | `u[0] = u[n]; u[n + 1] = u[1];` in each step | the last steps apart |
//! | `converge` | `while (err > tol) { err = 0; .. if (d > err) err = d; .. }` | several steps, and then the host's part of each |
//! | `sometimes` | `if (t % 10 == 0) { err = 0; for (..) .. }` in such a loop | the loop in each step |
//! | `unwound` | `if (err < tol) break; w = u; u = v; v = w;` in such a loop | the moves first, undone behind the loop |
//! | `aside` | `STEP; t += dt;` where no step reads `t` | two loops |
//! | `strip_mine` | `if (t % 10 == 0) save(u);`, `t += dt`, `while (t < end)` | a loop over segments |
//!
//! What comes out is C again, for the place of the loop: [`time_loops`].

mod aliases;
mod alternate;
mod apart;
mod aside;
mod asserts;
mod behind;
mod called;
mod choices;
mod constants;
mod converge;
mod copies;
mod counter;
mod counts;
mod early;
mod folds;
mod forward;
mod ghosts;
mod guards;
mod halves;
mod heads;
mod helpers;
mod hoist;
mod hosted;
mod inline;
mod iterators;
mod located;
mod masks;
mod mirrors;
mod normal;
mod numbers;
mod once;
mod pairs;
mod parity;
mod peel;
mod planes;
mod pointed;
mod products;
mod promote;
mod returns;
mod rotate;
mod same;
mod scalars;
mod schemes;
mod settled;
mod small;
mod sometimes;
mod split;
mod square;
mod strides;
mod strip_mine;
mod swaps;
mod sweeps;
mod temporaries;
mod toggle;
pub(crate) mod tree;
mod trips;
mod turns;
pub(crate) mod unreached;
mod unread;
mod unroll;
mod unwound;
mod values;
pub(crate) mod walk;

use crate::emit;
pub use forward::{Called, Forward, What, Wish, first_unreadable, forward, index_functions};
pub use heads::{heads, may_make_loops};
use hexcc_clang::ast::{
    DeclId, DeclKind, Expr, FunctionId, Item, Span, Stmt, StmtId, StmtKind, Unit,
};
use normal::normal;
use promote::Around;
pub use same::{Same, same_later};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::ops::Range;
use strip_mine::{Ends, TimeLoop};
pub use swaps::{Swaps, swaps};
use tree::Namer;

/// A loop in another form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rewritten {
    /// The bytes of the file that it takes the place of.
    pub range: Range<usize>,
    /// The function that it is in.
    pub function: String,
    /// What stands there then.
    pub text: String,
    /// Its statements: bytes of the text, and those of the file that they come from.
    pub statements: Vec<(Range<usize>, Range<usize>)>,
    /// The passes that have changed it.
    pub passes: Vec<String>,
    /// The loop over the steps that are to be tiled, by bytes of the text.
    pub steps: Range<usize>,
    /// Where that is one over the steps of a segment.
    pub segments: Option<Segments>,
}

/// The parts of a loop over segments, by bytes of its text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Segments {
    /// What the host does.
    pub host: Vec<Range<usize>>,
    /// The conditions under which it does.
    pub conditions: Vec<String>,
    /// How many steps with the same body certainly follow those that are to be tiled.
    pub following: u32,
    /// Where the loop ends when a number of the cells says so.
    pub converging: Option<Converging>,
}

/// The statements by which a loop goes several steps at once, by bytes of its text, and the variables that count them. As they
/// stand it goes one step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Converging {
    /// `n_steps = 1;`, which may be another number, up to `most`, where what the steps start from is kept.
    pub ahead: Range<usize>,
    /// The first statement of what brings these steps back to what they started from.
    pub again: Range<usize>,
    /// The variable that has the number of steps at once.
    pub n_steps: String,
    /// The variable that has the number of steps before.
    pub n_all: String,
    /// Steps at once, at most.
    pub most: u32,
    /// The arrays with a number of each step that begins with zero.
    pub from_zero: Vec<String>,
}

/// The loops of the file that a pass can change, in the order of the text; of one loop, the likeliest form first.
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
        let forms = match walk::is_loop(stmt) {
            true => forms(unit, function, &all[..at], stmt).unwrap_or_default(),
            false => Vec::new(),
        };
        // One that counts in other words alone may be around the time loop.
        let is_other = |form: &Rewritten| form.passes.iter().any(|pass| pass != "counts");
        let mut inner = Vec::new();
        if !forms.iter().any(is_other) {
            in_statement(unit, function, stmt, &mut inner);
        }
        let is_around = inner.iter().any(|form| form.segments.is_some());
        found.extend(if is_around || forms.is_empty() {
            inner
        } else {
            forms
        });
    }
}

/// The passes that change the code of cells alone.
const IN_CELLS: [&str; 20] = [
    "products",
    "whiles",
    "unread",
    "turns",
    "counts",
    "helpers",
    "settled",
    "constants",
    "temporaries",
    "copies",
    "unroll",
    "planes",
    "masks",
    "guards",
    "mirrors",
    "schemes",
    "values",
    "hoist",
    "square",
    "located",
];

/// What is done where no other form is tiled.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Variant {
    /// Nothing.
    Plain,
    /// Loops over planes are unrolled.
    Planes,
    /// Values by place become branches.
    Guards,
    /// Neighbours that lie inside become branches.
    Mirrors,
    /// What depends on data becomes values.
    Values,
}

/// A loop behind the passes that do not part it.
#[derive(Clone)]
struct Normal {
    unit: Unit,
    namer: Namer,
    /// As it is.
    original: Stmt,
    /// As a `for`, without its body.
    head: Stmt,
    /// Whether it was one, or counts as one does, by whole numbers.
    is_counted: bool,
    /// Whether it is a `do`.
    is_do: bool,
    body: Vec<Stmt>,
    around: Around,
    passes: Vec<&'static str>,
}

/// The forms of a loop.
fn forms(
    unit: &Unit,
    function: FunctionId,
    before: &[Stmt],
    stmt: &Stmt,
) -> Option<Vec<Rewritten>> {
    let range = place(unit, stmt.span)?;
    if has_directives(unit, stmt.span) {
        return None;
    }
    let place = (range, unit[function].name.as_str());
    let normal = |variant| normal(unit, function, (before, stmt), variant);
    let plain = normal(Variant::Plain)?;
    let has_guards = guards::are_in(&plain.unit, &plain.body);
    // Tiles have no arrays of their own in a cell.
    let has_arrays = |of: &Normal| of.body.iter().any(|stmt| small::has_arrays(&of.unit, stmt));
    let planes = normal(Variant::Planes);
    let is_first = has_arrays(&plain) && planes.as_ref().is_some_and(|planes| !has_arrays(planes));
    let mut all: Vec<Normal> = std::iter::once(plain).chain(planes).collect();
    if is_first {
        all.reverse();
    }
    all.extend(has_guards.then(|| normal(Variant::Guards)).flatten());
    all.extend(normal(Variant::Mirrors));
    all.extend(normal(Variant::Values));
    let mut found: Vec<Rewritten> = Vec::new();
    for form in all.iter().flat_map(|normal| normal.forms(place.clone())) {
        if found.iter().all(|other| other.text != form.text) {
            found.push(form);
        }
    }
    Some(rings_first(found))
}

/// The forms of a loop with those of rings on which one sweep is what a condition chose among others before those with ghost
/// cells: these may be one region, and no other form is looked at then.
fn rings_first(forms: Vec<Rewritten>) -> Vec<Rewritten> {
    let has = |form: &Rewritten, pass: &str| form.passes.iter().any(|p| p == pass);
    let (rings, mut others): (Vec<_>, Vec<_>) =
        (forms.into_iter()).partition(|form| has(form, "schemes") && has(form, "ghosts"));
    let at = others.iter().take_while(|form| has(form, "ghosts")).count();
    others.splice(at..at, rings);
    others
}

impl Normal {
    /// The forms of the loop, the likeliest first.
    fn forms(&self, (range, name): (Range<usize>, &str)) -> Vec<Rewritten> {
        let is_sweep = self.is_sweep();
        let takes_part =
            |form: &Rewritten| form.segments.as_ref().is_some_and(|s| !s.host.is_empty());
        let mut found: Vec<Rewritten> = Vec::new();
        let mut calls_out = false;
        for ends in [Ends::AtCalls, Ends::AtAll] {
            let Some((form, has_records)) = self.mined((range.clone(), name), ends) else {
                continue;
            };
            let is_new = found.iter().all(|other| other.text != form.text);
            // Steps that read nothing of the host's need no loop of their own where it counts them alone.
            let is_of_use = has_records || !self.is_counted;
            calls_out |= ends == Ends::AtCalls && takes_part(&form);
            if is_new && (takes_part(&form) || is_of_use && !is_sweep) {
                found.push(form);
            }
        }
        // Where the host takes no part, tiles need no segments; where it calls functions, they need some.
        if self.is_counted && !is_sweep && !calls_out {
            let whole = self.steps_alone().whole_printed((range.clone(), name));
            let at = if found.iter().any(takes_part) {
                found.len()
            } else {
                0
            };
            found.splice(at..at, whole.map(|(form, _)| form));
        }
        // One that is in tiles only where no other form is.
        if self.is_counted && !is_sweep {
            found.splice(
                0..0,
                self.steps_alone().without_ghosts((range.clone(), name)),
            );
        }
        // Where a number of the cells ends the loop, no other form is in tiles.
        if let Some((form, ends)) = self.converged((range, name)) {
            found.insert(if ends { 0 } else { found.len() }, form);
        }
        found
    }

    /// The text of a loop in the place of this one, with statements around it, and the bytes of some of its statements.
    fn printed(
        &self,
        (range, function): (Range<usize>, &str),
        unit: &Unit,
        (stmt, hosts): (Stmt, &[StmtId]),
    ) -> Option<(Rewritten, Vec<Range<usize>>)> {
        let all = self.around.around(stmt, &self.original);
        let marks = std::iter::once(&strip_mine::STEPS).chain(hosts);
        let marks: Vec<StmtId> = marks.copied().collect();
        let emit::Statement {
            text,
            mut places,
            statements,
            macros,
        } = emit::statement(unit, &all, &marks);
        let host = places.split_off(places.len().min(1));
        let statements = statements.into_iter();
        let rewritten = Rewritten {
            range,
            function: function.to_owned(),
            text,
            statements: statements
                .filter_map(|(now, span)| Some((now, place(unit, span)?)))
                .collect(),
            passes: self.passes.iter().map(|pass| (*pass).to_owned()).collect(),
            steps: places.pop()?,
            segments: None,
        };
        (!uses_macro(unit, &rewritten.text, &macros)).then_some((rewritten, host))
    }

    /// The loop as one over segments; whether its steps read what the host has recorded.
    fn mined(&self, place: (Range<usize>, &str), ends: Ends) -> Option<(Rewritten, bool)> {
        let time_loop = self.time_loop()?;
        let (mut unit, mut namer) = (self.unit.clone(), self.namer.clone());
        let mined = strip_mine::strip_mine(&mut unit, &mut namer, &time_loop, ends)?;
        let hosts: Vec<StmtId> = mined.conditions.iter().map(|(_, id)| *id).collect();
        let mut stmt = mined.stmt;
        let is_peeled = peel::peel(&mut unit, &mut stmt);
        let (mut form, host) = self.printed(place, &unit, (stmt, &hosts))?;
        form.passes.extend(is_peeled.then(|| "peel".to_owned()));
        form.passes.push("strip_mine".to_owned());
        let conditions = mined.conditions.iter();
        let conditions = conditions.map(|(cond, _)| emit::expression(&unit, cond));
        form.segments = Some(Segments {
            host,
            conditions: conditions.collect(),
            following: 0,
            converging: None,
        });
        Some((form, mined.has_records))
    }

    fn time_loop(&self) -> Option<TimeLoop<'_>> {
        let StmtKind::For {
            init, cond, step, ..
        } = &self.head.kind
        else {
            return None;
        };
        Some(TimeLoop {
            init: init.as_deref(),
            cond: cond.as_ref(),
            step: step.as_ref(),
            body: &self.body,
            is_do: self.is_do,
            is_counted: self.is_counted,
            span: self.head.span,
        })
    }

    /// The loop as one that goes several steps at once, and whether a number of the cells ends it.
    fn converged(&self, place: (Range<usize>, &str)) -> Option<(Rewritten, bool)> {
        let (mut unit, mut namer) = (self.unit.clone(), self.namer.clone());
        let found = converge::converge(&mut unit, &mut namer, &self.time_loop()?)?;
        let marks = [converge::AHEAD, converge::AGAIN];
        let (mut form, places) = self.printed(place, &unit, (found.stmt, &marks))?;
        let [ahead, again] = <[Range<usize>; 2]>::try_from(places).ok()?;
        form.passes.push("converge".to_owned());
        form.segments = Some(Segments {
            host: Vec::new(),
            conditions: Vec::new(),
            following: 0,
            converging: Some(Converging {
                ahead,
                again,
                n_steps: found.n_steps,
                n_all: found.n_all,
                most: converge::MOST as u32,
                from_zero: found.from_zero,
            }),
        });
        Some((form, found.ends))
    }

    /// The loop as a whole, but perhaps its last step; `None` where no pass has changed it.
    fn whole_printed(&self, place: (Range<usize>, &str)) -> Option<(Rewritten, Vec<Range<usize>>)> {
        let (mut unit, mut stmt) = (self.unit.clone(), self.whole());
        let is_peeled = peel::peel(&mut unit, &mut stmt);
        let is_moved = !self.passes.is_empty() && self.passes != ["hoist"];
        if !is_moved && !is_peeled {
            return None;
        }
        let (mut form, host) = self.printed(place, &unit, (stmt, &[]))?;
        if is_peeled {
            form.passes.push("peel".to_owned());
            // The host goes from the steps to the last one.
            form.segments = Some(Segments {
                host: Vec::new(),
                conditions: Vec::new(),
                following: 0,
                converging: None,
            });
        }
        Some((form, host))
    }

    /// The loop with its last steps apart, where these copy ghost cells.
    fn without_ghosts(&self, place: (Range<usize>, &str)) -> Option<Rewritten> {
        let (mut unit, mut namer) = (self.unit.clone(), self.namer.clone());
        let stmt = ghosts::parted(&mut unit, &mut namer, &self.whole())?;
        let (mut form, host) = self.printed(place, &unit, (stmt, &[]))?;
        form.passes.push("ghosts".to_owned());
        form.segments = Some(Segments {
            host,
            conditions: Vec::new(),
            following: ghosts::FOLLOWING,
            converging: None,
        });
        Some(form)
    }

    /// The same without numbers that no step reads, which a loop before it counts.
    fn steps_alone(&self) -> Normal {
        let mut alone = self.clone();
        if let Some(counts) = aside::aside(&mut alone) {
            alone.around.before.push(counts);
            alone.passes.push("aside");
        }
        alone
    }

    /// The loop with its body.
    fn whole(&self) -> Stmt {
        let mut stmt = self.head.clone();
        if let StmtKind::For { body, .. } = &mut stmt.kind {
            **body = tree::stmt(stmt.span, StmtKind::Compound(self.body.clone()));
        }
        stmt.id = strip_mine::STEPS;
        stmt
    }

    /// Whether it sweeps over cells: no pass has moved planes, and all elements of other arrays than its own that it assigns
    /// to are selected by its iterator.
    fn is_sweep(&self) -> bool {
        use hexcc_clang::ast::ExprKind as K;
        if !self.passes.iter().all(|pass| IN_CELLS.contains(pass)) {
            return false;
        }
        let (unit, head, body) = (&self.unit, &self.head, &self.body);
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
                    n_selected += usize::from(walks(to, *iterator));
                }
                true
            });
        }
        n_stores > 0 && n_stores == n_selected
    }
}

/// Whether an element is another one in each iteration, and not that of a time plane: `u[(t + 1) % 2][i]`.
fn walks(to: &Expr, iterator: DeclId) -> bool {
    use hexcc_clang::ast::{BinaryOp as B, ExprKind as K};
    let mut found = false;
    walk::visit(to, &mut |expr| {
        found |= matches!(expr.kind, K::Var(id) if id == iterator);
        !matches!(expr.kind, K::Binary(B::Rem | B::BitAnd, ..))
    });
    found
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

/// Whether a text has directives that its tree does not tell: others than pragmas, and conditions, of which the tree has what
/// they chose.
fn has_directives(unit: &Unit, span: Span) -> bool {
    const TOLD: [&str; 6] = ["pragma", "if", "ifdef", "ifndef", "el", "endif"];
    let words = unit.text(span).lines().map(str::trim_start);
    let mut directives = words.filter_map(|line| line.strip_prefix('#'));
    directives.any(|line| TOLD.iter().all(|word| !line.trim_start().starts_with(word)))
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

/// Whether a word of a text is a macro of the file that is not `meant`: it would be expanded once more.
fn uses_macro(unit: &Unit, text: &str, meant: &HashSet<String>) -> bool {
    let macros = unit.macros.iter().map(|m| m.name.as_str());
    let macros: HashSet<&str> = macros.filter(|name| !meant.contains(*name)).collect();
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.split(|c| !is_word(c))
        .any(|word| macros.contains(word))
}

#[cfg(test)]
pub(crate) mod tests;
