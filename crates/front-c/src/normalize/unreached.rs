//! Members of structs that no pointer to numbers leads to.
//!
//! A program has a pointer to a member where it takes its address, or converts a pointer to the struct to one of another
//! type. Where it does neither, and nothing outside of the file has such structs, a store `cells[i][j] = 1` through a pointer to
//! `int` changes no `int` in them.

use super::{scalars, tree, walk};
use hexcc_clang::ast::{
    Callee, Expr, ExprKind, FieldId, RecordId, Storage, TypeId, TypeKind, UnaryOp, Unit,
};
use std::collections::HashSet;

/// Functions of the system that take a pointer to a struct as one to anything and keep nothing of it.
const FORGETS: [&str; 1] = ["free"];

/// Functions of the system that give memory that nothing else has.
const GIVES: [&str; 3] = ["malloc", "calloc", "aligned_alloc"];

/// Whether no pointer but those to its struct, or to what has that in it, leads to a member.
pub(super) fn is_unreached(unit: &Unit, field: FieldId) -> bool {
    let asked = Asked {
        unit,
        field,
        holders: holders(unit, unit[field].record),
    };
    let is_main = |f: &hexcc_clang::ast::Function| f.name == "main" && f.body.is_some();
    let has_union = |r: &hexcc_clang::ast::Record| {
        r.is_union && r.fields.iter().any(|f| asked.leads(unit[*f].ty).is_some())
    };
    let is_elsewhere =
        |d: &hexcc_clang::ast::Decl| d.storage == Storage::Extern && asked.leads(d.ty).is_some();
    if !unit.functions.iter().any(is_main)
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
    for body in unit.functions.iter().filter_map(|f| f.body.as_ref()) {
        walk::all(unit, body, &mut ask);
    }
    for init in unit.decls.iter().filter_map(|d| d.init.as_ref()) {
        walk::visit(init, &mut ask);
    }
    is_known
}

/// A struct, and those that have it in them.
fn holders(unit: &Unit, record: RecordId) -> HashSet<RecordId> {
    let mut found = HashSet::from([record]);
    loop {
        let holds = |r: &RecordId| {
            let mut fields = unit[*r].fields.iter();
            fields.any(|f| {
                leads(unit, unit[*f].ty, &found).is_some_and(|(_, pointers)| pointers == 0)
            })
        };
        let all = (0..unit.records.len()).map(|n| RecordId(n as u32));
        let more: Vec<RecordId> = all.filter(|r| !found.contains(r) && holds(r)).collect();
        if more.is_empty() {
            return found;
        }
        found.extend(more);
    }
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
    holders: HashSet<RecordId>,
}

impl Asked<'_> {
    fn leads(&self, ty: TypeId) -> Option<(RecordId, usize)> {
        leads(self.unit, ty, &self.holders)
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
                let is_of = |expr: &Expr| self.leads(tree::plain(expr).ty).is_some();
                let Callee::Function(function) = callee else {
                    return (!given.iter().any(is_of) && !is_of(expr), true);
                };
                let name = unit[*function].name.as_str();
                if scalars::is_of_system(unit, *function) {
                    let forgets = FORGETS.contains(&name);
                    let is_variable = |e: &Expr| tree::Path::of(unit, e).is_some();
                    return (true, !(forgets && given.iter().all(is_variable)));
                }
                let is_own = unit.body_of(*function).is_some();
                (is_own || !given.iter().any(is_of) && !is_of(expr), true)
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
        let mut value = from;
        while let ExprKind::Cast { value: inner, .. } = &value.kind {
            value = inner;
        }
        let pointers = |end: Option<(RecordId, usize)>| end.map(|(r, n)| (r, n.max(1)));
        match (after, before) {
            (None, None) => true,
            _ => pointers(after) == pointers(before) || before.is_none() && gives(value),
        }
    }
}
