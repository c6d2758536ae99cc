//! Pointers of a step that are what others are, written out.
//!
//! In: `double *a = u, *b = g->next; .. b[i] = a[i - 1]; .. u = b;`. Out: `.. g->next[i] = u[i - 1]; ..`, up to what may change
//! `u` or `g->next`. A pointer to rows, `double (*a)[n] = (double (*)[n])u`, goes where all is an element: `a[i][j]` is
//! `u[(long)i * n + j]`. What is `restrict` stays, for it says more.

use super::tree::{self, Path};
use super::{inline, promote, scalars, values, walk};
use hexcc_clang::ast::{
    BinaryOp, Builtin, Callee, DeclId, DeclKind, Expr, ExprKind, FieldId, Item, Length, Stmt,
    StmtKind, TypeId, TypeKind, UnaryOp, Unit,
};
use std::collections::{HashMap, HashSet};

/// Writes such pointers out in a body; whether there were any.
pub(super) fn aliases(unit: &mut Unit, globals: &HashSet<DeclId>, body: &mut [Stmt]) -> bool {
    let mut found = false;
    for at in 0..body.len() {
        let StmtKind::Decl(items) = &body[at].kind else {
            continue;
        };
        for item in items.clone() {
            if let Item::Decl(id) = item {
                found |= written_out(unit, globals, (id, at), body);
            }
        }
    }
    found
}

/// Writes one pointer out behind the statement that declares it.
fn written_out(
    unit: &mut Unit,
    globals: &HashSet<DeclId>,
    (id, at): (DeclId, usize),
    body: &mut [Stmt],
) -> bool {
    let Some(alias) = Alias::of(unit, globals, id) else {
        return false;
    };
    let rest = &body[at + 1..];
    if rest.iter().any(|stmt| inline::changes(unit, stmt, id)) {
        return false;
    }
    let n_same = (rest.iter())
        .take_while(|stmt| !alias.may_change(unit, stmt))
        .count();
    let (same, others) = rest.split_at(n_same);
    let is_used = same.iter().any(|stmt| walk::uses(unit, stmt, id));
    let stays = others.iter().any(|stmt| walk::uses(unit, stmt, id));
    let is_in_elements = |stmt: &Stmt| alias.are_elements(unit, stmt);
    if !is_used
        || same.iter().any(|stmt| alias.is_hidden(unit, stmt))
        || alias.has_rows() && (stays || !same.iter().all(is_in_elements))
    {
        return false;
    }
    alias.put(unit, &mut body[at + 1..=at + n_same]);
    if !stays && let StmtKind::Decl(items) = &mut body[at].kind {
        items.retain(|item| !matches!(item, Item::Decl(of) if *of == id));
        if items.is_empty() {
            body[at].kind = StmtKind::Null;
        }
    }
    true
}

/// A pointer, and what it is.
struct Alias {
    id: DeclId,
    of: Expr,
    /// The lengths of the rows that it points to, where the other one has none.
    rows: Vec<Expr>,
    /// The variables that both are reached through, but for arrays.
    variables: HashSet<DeclId>,
    fields: HashSet<FieldId>,
    /// Whether one is a pointer in a table.
    is_element: bool,
    /// Whether functions that are called may change the variables.
    is_shared: bool,
    /// For the subscripts of rows.
    long: TypeId,
}

impl Alias {
    fn of(unit: &mut Unit, globals: &HashSet<DeclId>, id: DeclId) -> Option<Alias> {
        let decl = &unit[id];
        let is_pointer = decl.kind == DeclKind::Variable
            && scalars::is_automatic(unit, id)
            && tree::is_pointer(unit, decl.ty)
            && !unit[decl.ty].is_restrict
            && !tree::is_somewhere(unit, decl.ty, |ty| matches!(ty.kind, TypeKind::Record(_)));
        let init = decl.init.as_ref().filter(|_| is_pointer)?;
        let of = tree::unconverted(init).clone();
        let long = tree::whole(unit, Builtin::Long, 8);
        let is_same = inline::points_to_the_same(unit, unit[id].ty, of.ty);
        let rows = match is_same {
            true => Vec::new(),
            false => rows(unit, (id, long), of.ty)?,
        };
        let mut alias = Alias {
            id,
            of: of.clone(),
            rows: rows.clone(),
            variables: HashSet::new(),
            fields: HashSet::new(),
            is_element: false,
            is_shared: false,
            long,
        };
        (alias.reads(unit, &of) && rows.iter().all(|row| alias.reads(unit, row))).then_some(())?;
        let is_shared = |id: &DeclId| globals.contains(id) || scalars::is_pointed_to(unit, *id);
        alias.is_shared = alias.variables.iter().any(is_shared);
        Some(alias)
    }

    /// Notes what an expression reads; whether that is known.
    fn reads(&mut self, unit: &Unit, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Int(_) => true,
            ExprKind::Var(id) => {
                let is_array = matches!(unit.canonical(unit[*id].ty).kind, TypeKind::Array { .. });
                if !is_array || unit[*id].kind == DeclKind::Parameter {
                    self.variables.insert(*id);
                }
                true
            }
            ExprKind::Field(of, field) => {
                self.fields.insert(*field);
                self.reads(unit, of)
            }
            ExprKind::Index(table, subscript) => {
                self.is_element |= tree::is_pointer(unit, expr.ty);
                self.reads(unit, table) && self.reads(unit, subscript)
            }
            ExprKind::Cast { value: of, .. } => self.reads(unit, of),
            ExprKind::Unary(op, of) if !op.counts() && *op != UnaryOp::AddressOf => {
                self.reads(unit, of)
            }
            ExprKind::Binary(_, a, b) => self.reads(unit, a) && self.reads(unit, b),
            _ => false,
        }
    }

    fn has_rows(&self) -> bool {
        !self.rows.is_empty()
    }

    /// Whether a name in what the pointer is made of is that of another variable in a statement.
    fn is_hidden(&self, unit: &Unit, stmt: &Stmt) -> bool {
        let mut names = HashSet::new();
        for expr in self.rows.iter().chain([&self.of]) {
            walk::variables(expr, &mut names);
        }
        let names: HashSet<&str> = names.iter().map(|id| unit[*id].name.as_str()).collect();
        let mut declared = walk::all_declared(stmt).into_iter();
        declared.any(|id| names.contains(unit[id].name.as_str()))
    }

    /// Whether a statement may change what the pointer has been made of.
    fn may_change(&self, unit: &Unit, stmt: &Stmt) -> bool {
        let path = |field: &FieldId| Path {
            root: self.id,
            through_pointer: true,
            fields: vec![*field],
        };
        let is_through_others = self.is_shared || self.is_element;
        if is_through_others && promote::calls_unknown(unit, stmt)
            || (self.fields.iter()).any(|field| promote::may_change(unit, stmt, &path(field)))
        {
            return true;
        }
        walk::any(unit, stmt, |expr| {
            match tree::target(expr).map(tree::plain) {
                Some(to) => self.is_changed(unit, to),
                None => matches!(expr.kind, ExprKind::Call(Callee::Pointer(_), _)),
            }
        })
    }

    /// Whether what is assigned to, or has its address taken, is what the pointer has been made of.
    fn is_changed(&self, unit: &Unit, to: &Expr) -> bool {
        match &to.kind {
            ExprKind::Var(id) => self.variables.contains(id),
            ExprKind::Field(_, field) if self.fields.contains(field) => true,
            _ => {
                let is_anywhere = self.is_element || self.is_shared || !self.fields.is_empty();
                let is_pointer = tree::is_pointer(unit, to.ty);
                let may_be_one = || tree::may_be_one(unit, to.ty, self.of.ty);
                is_anywhere && (is_pointer || may_be_one())
                    || promote::has_member(unit, to.ty, &self.fields)
            }
        }
    }

    /// Whether a statement names the pointer in elements of its rows alone.
    fn are_elements(&self, unit: &Unit, stmt: &Stmt) -> bool {
        let mut are = true;
        walk::all(unit, stmt, &mut |expr| {
            if let Some(subscripts) = self.subscripts(expr) {
                let mut all = subscripts.into_iter();
                are &= all.all(|at| !walk::mentions(at, self.id));
                return false;
            }
            are &= !matches!(expr.kind, ExprKind::Var(id) if id == self.id);
            true
        });
        are
    }

    /// The subscripts of an element, the outermost first.
    fn subscripts<'e>(&self, expr: &'e Expr) -> Option<Vec<&'e Expr>> {
        let (mut of, mut all) = (expr, Vec::new());
        while let ExprKind::Index(rows, at) = &of.kind {
            all.insert(0, &**at);
            of = tree::plain(rows);
        }
        (all.len() == self.rows.len() + 1 && tree::is_var(of, self.id)).then_some(all)
    }

    /// Puts what the pointer is in its place.
    fn put(&self, unit: &mut Unit, all: &mut [Stmt]) {
        if !self.has_rows() {
            let meant = HashMap::from([(self.id, self.of.clone())]);
            return (all.iter_mut()).for_each(|stmt| inline::rename(unit, stmt, &meant));
        }
        let asked = unit.clone();
        for stmt in all {
            walk::change_all(unit, stmt, &mut |expr| {
                if let Some(at) = self.subscript(&asked, expr) {
                    expr.kind = ExprKind::Index(Box::new(self.of.clone()), Box::new(at));
                }
                true
            });
        }
    }

    /// The subscript that an element of the rows has where these are flat.
    fn subscript(&self, unit: &Unit, element: &Expr) -> Option<Expr> {
        let subscripts = self.subscripts(element)?;
        let of_row = |sum: Expr, (row, at): (&Expr, &&Expr)| {
            let sum = tree::binary(BinaryOp::Mul, sum, row.clone());
            tree::binary(BinaryOp::Add, sum, (*at).clone())
        };
        let first = values::converted(unit, subscripts[0].clone(), self.long);
        Some(self.rows.iter().zip(&subscripts[1..]).fold(first, of_row))
    }
}

/// The lengths of the rows that a pointer is declared with, where another one points to their elements.
fn rows(unit: &Unit, (id, long): (DeclId, TypeId), other: TypeId) -> Option<Vec<Expr>> {
    let mut extents = unit[id].extents.iter();
    let mut of = tree::element(unit, unit[id].ty)?;
    let mut rows = Vec::new();
    while let TypeKind::Array { element, length } = unit.canonical(of).kind {
        rows.push(match length {
            Length::Constant(n) => Expr {
                ty: long,
                ..tree::int(unit[id].init.as_ref()?, i128::from(n))
            },
            Length::Variable => extents.next()?.clone(),
            _ => return None,
        });
        of = element;
    }
    let element = tree::element(unit, other)?;
    let is_one = unit.canonical(of).kind == unit.canonical(element).kind;
    (is_one && scalars::is_arithmetic(unit, of) && !rows.is_empty()).then_some(rows)
}
