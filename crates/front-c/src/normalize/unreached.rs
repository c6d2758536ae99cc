//! Members of structs that no pointer to numbers leads to.
//!
//! A program has a pointer to a member where it takes its address, or converts a pointer to the struct to one of another
//! type. Where it does neither, and nothing outside of the file has such structs, a store `cells[i][j] = 1` through a pointer to
//! `int` changes no `int` in them.

use super::{promote, scalars, tree, walk};
use hexcc_clang::ast::{
    Callee, Decl, DeclKind, Expr, ExprKind, FieldId, Item, Record, RecordId, StmtKind, Storage,
    TypeId, TypeKind, UnaryOp, Unit,
};
use std::collections::HashSet;

/// Functions of the system that give memory that nothing else has.
pub(crate) const GIVES: [&str; 3] = ["malloc", "calloc", "aligned_alloc"];

/// Whether no pointer but those to its struct, or to what has that in it, leads to a member.
pub(super) fn is_unreached(unit: &Unit, field: FieldId) -> bool {
    let holders = holders(unit, field);
    let reaching = reaching(unit, &holders);
    let is_shared = |item: &Item| match item {
        Item::Decl(id) if unit[*id].kind == DeclKind::Variable => {
            unit[*id].storage != Storage::Static && reaches(unit, unit[*id].ty, &reaching)
        }
        _ => false,
    };
    let asked = Asked {
        unit,
        field,
        is_shared: unit.items.iter().any(is_shared),
        holders,
        reaching,
    };
    let has_union = |r: &Record| {
        let leads = |f: &FieldId| asked.leads(unit[*f].ty).is_some();
        r.is_union && r.fields.iter().any(leads)
    };
    let is_elsewhere = |d: &Decl| d.storage == Storage::Extern && asked.reaches(d.ty);
    if !scalars::has_main(unit)
        || unit.records.iter().any(has_union)
        || unit.decls.iter().any(is_elsewhere)
    {
        return false;
    }
    let mut is_known = true;
    let mut ask = |expr: &Expr| {
        let (is_harmless, goes_on) = asked.is_harmless(expr);
        is_known &= is_harmless;
        is_known && goes_on
    };
    let mut has_others = false;
    for body in unit.functions.iter().filter_map(|f| f.body.as_ref()) {
        walk::all(unit, body, &mut ask);
        walk::stmts(body, &mut |stmt| {
            has_others |= matches!(stmt.kind, StmtKind::Other(_));
        });
    }
    for init in unit.decls.iter().filter_map(|d| d.init.as_ref()) {
        walk::visit(init, &mut ask);
    }
    is_known && !has_others
}

fn records(unit: &Unit) -> impl Iterator<Item = RecordId> {
    (0..unit.records.len()).map(|n| RecordId(n as u32))
}

/// The structs with a member, also in structs in them.
fn holders(unit: &Unit, field: FieldId) -> HashSet<RecordId> {
    let wanted = HashSet::from([field]);
    let holds = |f: &FieldId| *f == field || promote::has_member(unit, unit[*f].ty, &wanted);
    let has_it = |r: &RecordId| unit[*r].fields.iter().any(holds);
    records(unit).filter(has_it).collect()
}

/// Structs, and those that lead to them.
fn reaching(unit: &Unit, to: &HashSet<RecordId>) -> HashSet<RecordId> {
    let mut found = to.clone();
    loop {
        let is_added = |r: &RecordId| {
            let mut fields = unit[*r].fields.iter();
            !found.contains(r) && fields.any(|f| reaches(unit, unit[*f].ty, &found))
        };
        let more: Vec<RecordId> = records(unit).filter(is_added).collect();
        if more.is_empty() {
            return found;
        }
        found.extend(more);
    }
}

/// Whether a type is one of some structs, or leads to one.
fn reaches(unit: &Unit, ty: TypeId, among: &HashSet<RecordId>) -> bool {
    leads(unit, ty, among).is_some()
}

/// The struct that a type leads to, one of some, and through how many pointers.
fn leads(unit: &Unit, ty: TypeId, among: &HashSet<RecordId>) -> Option<(RecordId, usize)> {
    match unit.canonical(ty).kind {
        TypeKind::Record(record) => among.contains(&record).then_some((record, 0)),
        TypeKind::Pointer(to) => {
            leads(unit, to, among).map(|(record, pointers)| (record, pointers + 1))
        }
        TypeKind::Array { element, .. } => leads(unit, element, among),
        _ => None,
    }
}

struct Asked<'u> {
    unit: &'u Unit,
    field: FieldId,
    /// Structs with the member, also in structs in them.
    holders: HashSet<RecordId>,
    /// Those, and the ones that lead to them.
    reaching: HashSet<RecordId>,
    /// Whether another file may have such a variable of this one.
    is_shared: bool,
}

impl Asked<'_> {
    fn leads(&self, ty: TypeId) -> Option<(RecordId, usize)> {
        leads(self.unit, ty, &self.holders)
    }

    fn reaches(&self, ty: TypeId) -> bool {
        reaches(self.unit, ty, &self.reaching)
    }

    /// Whether an expression alone makes no other pointer to the member, and whether its parts are to be asked.
    fn is_harmless(&self, expr: &Expr) -> (bool, bool) {
        let unit = self.unit;
        match &expr.kind {
            ExprKind::Unary(UnaryOp::AddressOf, of) => {
                let is_it =
                    matches!(tree::plain(of).kind, ExprKind::Field(_, f) if f == self.field);
                (!is_it, true)
            }
            ExprKind::Cast { value, .. } => (self.is_kept(expr, value), true),
            ExprKind::Call(callee, given) => {
                let is_of = |expr: &Expr| self.reaches(tree::plain(expr).ty);
                let is_apart = !self.is_shared && !given.iter().any(is_of) && !is_of(expr);
                let Callee::Function(function) = callee else {
                    return (is_apart, true);
                };
                if scalars::is_of_system(unit, *function) {
                    // It takes a pointer to a struct as one to anything, and keeps nothing of it.
                    let forgets = unit[*function].name == "free";
                    let is_variable = |e: &Expr| tree::Path::of(unit, e).is_some();
                    return (true, !(forgets && given.iter().all(is_variable)));
                }
                (is_apart || unit.body_of(*function).is_some(), true)
            }
            ExprKind::Statements(_) | ExprKind::VaArg(_) | ExprKind::Other(_) => (false, false),
            _ => (true, true),
        }
    }

    /// Whether a conversion leads to structs of this kind where what it converts does, and nowhere else.
    fn is_kept(&self, to: &Expr, from: &Expr) -> bool {
        let unit = self.unit;
        let (after, before) = (self.leads(to.ty), self.leads(from.ty));
        let gives = |expr: &Expr| match &expr.kind {
            ExprKind::Int(0) => true,
            ExprKind::Call(Callee::Function(f), _) => {
                scalars::is_of_system(unit, *f) && GIVES.contains(&unit[*f].name.as_str())
            }
            _ => false,
        };
        let pointers = |end: Option<(RecordId, usize)>| end.map(|(r, n)| (r, n.max(1)));
        match (after, before) {
            (None, None) => true,
            _ => {
                pointers(after) == pointers(before)
                    || before.is_none() && gives(tree::unconverted(from))
            }
        }
    }
}
