//! The passes that do not part a time loop, one after the other.

use super::counter::Known;
use super::helpers::Which;
use super::promote::{self, Around};
use super::tree::{self, Namer};
use super::*;

type Pass = fn(&mut Unit, &mut Namer, &Known, (&Stmt, &mut Vec<Stmt>)) -> Option<Around>;

type OfHead = fn(&mut Unit, &mut Namer, &mut Stmt) -> Option<Around>;

/// The passes that change the header of a loop.
const OF_HEADS: [(&str, OfHead); 2] = [
    ("iterators", iterators::iterators),
    ("called", called::called),
];

/// The passes that move planes otherwise.
const MOVES: [(&str, Pass); 6] = [
    ("apart", apart::apart),
    ("parity", parity::parity),
    ("rotate", rotate::rotate),
    ("toggle", toggle::toggle),
    ("promote", promote::promote),
    ("pointed", pointed::pointed),
];

/// The `for` that a loop is; whether its condition comes behind its first step.
fn as_for(stmt: Stmt) -> (Stmt, bool) {
    let (cond, body, is_do) = match stmt.kind {
        StmtKind::While { cond, body } => (cond, body, false),
        StmtKind::Do { cond, body } => (cond, body, true),
        _ => return (stmt, false),
    };
    let kind = StmtKind::For {
        init: None,
        cond: Some(cond),
        step: None,
        body,
    };
    (Stmt { kind, ..stmt }, is_do)
}

/// A loop behind the passes that do not part it; `None` where what a variant does changes nothing.
pub(super) fn normal(
    unit: &Unit,
    function: FunctionId,
    (before, stmt): (&[Stmt], &Stmt),
    variant: Variant,
) -> Option<Normal> {
    let mut unit = unit.clone();
    let mut namer = Namer::new(&unit);
    let globals = globals(&unit);
    let mut passes = Vec::new();
    let original = stmt.clone();
    let mut stmt = stmt.clone();
    let mut around = Around::default();
    let found = (&mut passes, &mut around);
    of_head(&mut unit, &mut namer, (before, &mut stmt), found);
    let is_counted = is_counted(&unit, &stmt);
    let (mut stmt, is_do) = as_for(stmt);
    let StmtKind::For { body, .. } = &mut stmt.kind else {
        return None;
    };
    let body = std::mem::replace(&mut **body, tree::stmt(stmt.span, StmtKind::Null));
    let mut body = tree::block(body);
    if trips::inner(&mut unit, &mut body) {
        passes.push("whiles");
    }
    if body.iter().any(|stmt| leaves(&unit, stmt)) {
        return None;
    }
    if inline::addresses(&mut unit, &mut body) {
        passes.push("addresses");
    }
    if once::once(&unit, &mut body) {
        passes.push("once");
    }
    if settled::settled(&unit, function, &mut body) {
        passes.push("settled");
    }
    if let Some(found) = alternate::alternate(&mut unit, &mut namer, &globals, (&stmt, &mut body)) {
        passes.push("alternate");
        around.wrap(found);
    }
    let found = (&mut passes, &mut around);
    let known = (function, &globals);
    written_out(&mut unit, &mut namer, known, (&stmt, &mut body), found)?;
    let own = (&original, &mut stmt, &mut body);
    passes.extend(in_cells(
        (&mut unit, &mut namer),
        (function, &globals),
        own,
        variant,
    )?);
    let known = Known {
        globals,
        function: unit[function].body.clone()?,
    };
    if pairs::pairs(&mut unit, &mut namer, &known, (before, &stmt, &mut body)) {
        passes.push("pairs");
    }
    let found = (&mut passes, &mut around);
    moved(&mut unit, &mut namer, &known, (&mut stmt, &mut body), found);
    let (globals, found) = (&known.globals, (&mut passes, &mut around));
    if turns::turns(&mut unit, (&stmt, &mut body)) {
        found.0.push("turns");
    }
    before_loop(
        &mut unit,
        &mut namer,
        (function, globals),
        (&mut stmt, &mut body),
        found,
    );
    body.retain(|stmt| !matches!(stmt.kind, StmtKind::Null));
    Some(Normal {
        unit,
        namer,
        original,
        head: stmt,
        is_counted,
        is_do,
        body,
        around,
        passes,
    })
}

/// Whether a loop is a `for` whose iterator is no floating-point number.
fn is_counted(unit: &Unit, stmt: &Stmt) -> bool {
    let StmtKind::For { step, .. } = &stmt.kind else {
        return false;
    };
    let iterator = step.as_ref().and_then(tree::target);
    iterator
        .is_none_or(|of| !scalars::is_arithmetic(unit, of.ty) || scalars::is_integer(unit, of.ty))
}

/// Gives a loop a head that counts with one iterator, given what stands before it.
fn of_head(
    unit: &mut Unit,
    namer: &mut Namer,
    (before, stmt): (&[Stmt], &mut Stmt),
    (passes, around): (&mut Vec<&'static str>, &mut Around),
) {
    if let Some(found) = counts::counts(unit, namer, before, stmt) {
        passes.push("counts");
        around.wrap(found);
    }
    if trips::counted(unit, before, stmt) {
        passes.push("trips");
    }
    for (name, pass) in OF_HEADS {
        if let Some(found) = pass(unit, namer, stmt) {
            passes.push(name);
            around.wrap(found);
        }
    }
}

/// Writes out what functions do that a body calls, and the pointers that it has of its own; `None` where the function declares
/// types.
fn written_out(
    unit: &mut Unit,
    namer: &mut Namer,
    (function, globals): (FunctionId, &HashSet<DeclId>),
    (head, body): (&Stmt, &mut Vec<Stmt>),
    (passes, around): (&mut Vec<&'static str>, &mut Around),
) -> Option<()> {
    let mut caller = inline::Caller {
        taken: names_of(unit, function)?,
        unit,
        namer,
        globals,
        function,
    };
    let has_inlined = caller.inline(body);
    let taken = caller.taken;
    if has_inlined {
        passes.push("inline");
        (body.iter_mut()).for_each(|stmt| small::branches(unit, stmt));
    }
    if helpers::setters(unit, &taken, body) {
        passes.push("setters");
    }
    if helpers::helpers(unit, &taken, body, Which::OfStructs) {
        passes.push("helpers");
    }
    if let Some(found) = early::early(unit, function, (head, body)) {
        passes.push("early");
        around.wrap(found);
    }
    if halves::halves(unit, namer, function, (head, body)) {
        passes.push("halves");
    }
    if aliases::aliases(unit, globals, body) {
        passes.push("aliases");
    }
    Some(())
}

/// Makes pointers that are swapped of planes that move otherwise, and variables of what changes in structs.
fn moved(
    unit: &mut Unit,
    namer: &mut Namer,
    known: &Known,
    (head, body): (&mut Stmt, &mut Vec<Stmt>),
    (passes, around): (&mut Vec<&'static str>, &mut Around),
) {
    // A pass that gives up may have changed some of it.
    for (name, pass) in MOVES {
        let before = (unit.clone(), body.clone());
        match pass(unit, namer, known, (head, body)) {
            Some(found) => {
                passes.push(name);
                around.wrap(found);
            }
            None => (*unit, *body) = before,
        }
    }
    let before = (unit.clone(), head.clone(), body.clone());
    match promote::numbers(unit, namer, &known.globals, (head, body)) {
        Some(found) => {
            passes.push("numbers");
            around.wrap(found);
        }
        None => (*unit, *head, *body) = before,
    }
}

/// The passes over what cells compute that have changed a loop, whose original, head and body are given; `None` where what a
/// variant does changes nothing.
fn in_cells(
    (unit, namer): (&mut Unit, &mut Namer),
    (function, globals): (FunctionId, &HashSet<DeclId>),
    (original, head, body): (&Stmt, &mut Stmt, &mut Vec<Stmt>),
    variant: Variant,
) -> Option<Vec<&'static str>> {
    let mut passes = Vec::new();
    if unread::unread(unit, function, (head, body)) {
        passes.push("unread");
    }
    if products::products(unit, function, (head, body)) {
        passes.push("products");
    }
    if constants::constants(unit, head, body) {
        passes.push("constants");
    }
    if temporaries::temporaries(unit, namer, globals, (original, body)) {
        passes.push("temporaries");
    }
    if copies::copies(unit, namer, function, (head, body)) {
        passes.push("copies");
    }
    let (which, pass) = match variant {
        Variant::Planes => (unroll::Which::Planes, "planes"),
        _ => (unroll::Which::Neighbours, "unroll"),
    };
    let unrolled = unroll::unroll(unit, namer, (head, body), which);
    passes.extend(unrolled.then_some(pass));
    if masks::masks(unit, body) {
        passes.push("masks");
    }
    let changes = match variant {
        Variant::Plain => true,
        Variant::Planes => unrolled,
        Variant::Guards => {
            passes.push("guards");
            guards::guards(unit, body)
        }
        Variant::Mirrors => {
            passes.push("mirrors");
            mirrors::mirrors(unit, body)
        }
        Variant::Values => {
            let chooses = schemes::schemes(unit, globals, body);
            passes.extend(chooses.then_some("schemes"));
            let taken = names_of(unit, function)?;
            let mut values = values::values((unit, namer), &taken, body);
            if !values {
                // Elements behind calls are the same where these are written out.
                let before = (unit.clone(), body.clone());
                values = helpers::helpers(unit, &taken, body, Which::All)
                    && values::values((unit, namer), &taken, body);
                match values {
                    true => passes.push("helpers"),
                    false => (*unit, *body) = before,
                }
            }
            passes.extend(values.then_some("values"));
            chooses || values
        }
    };
    if split::split(unit, namer, body) {
        passes.push("split");
    }
    changes.then_some(passes)
}

/// Computes before a loop what is the same in all its steps.
fn before_loop(
    unit: &mut Unit,
    namer: &mut Namer,
    (function, globals): (FunctionId, &HashSet<DeclId>),
    (head, body): (&mut Stmt, &mut Vec<Stmt>),
    (passes, around): (&mut Vec<&'static str>, &mut Around),
) {
    if let Some(hoisted) = hoist::hoist(unit, namer, globals, (head, body)) {
        passes.push("hoist");
        around.wrap(hoisted);
    }
    let known = (function, globals, &*around.before);
    if let Some(found) = sweeps::sweeps((unit, namer), known, (head, body)) {
        passes.push("sweeps");
        around.wrap(found);
    }
    if let Some(square) = square::square(unit, globals, (head, body)) {
        passes.push("square");
        around.wrap(square);
    }
    if let Some(located) = located::located(unit, namer, globals, (head, body)) {
        passes.push("located");
        around.wrap(located);
    }
}
