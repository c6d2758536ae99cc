//! What is below statements and expressions of a program.

use super::{BoxCopy, Expr, Kernel, Pointer, Program, Stmt, VarId, Way, Wide};
use std::collections::BTreeSet;

/// Calls `f` on every statement of a block and below.
pub fn visit<'a>(block: &'a [Stmt], f: &mut dyn FnMut(&'a Stmt)) {
    for stmt in block {
        f(stmt);
        match stmt {
            Stmt::If { yes, no, .. } => {
                visit(yes, f);
                visit(no, f);
            }
            Stmt::For { body, .. } | Stmt::Scope(body) => visit(body, f),
            Stmt::Comment(_)
            | Stmt::Let { .. }
            | Stmt::Assign { .. }
            | Stmt::Fold { .. }
            | Stmt::Load(_)
            | Stmt::Store(_)
            | Stmt::Barrier
            | Stmt::BarrierOfWarp
            | Stmt::Copy { .. }
            | Stmt::EndOfGroup
            | Stmt::Wait(_)
            | Stmt::Call { .. }
            | Stmt::Continue
            | Stmt::Return(_)
            | Stmt::Define { .. }
            | Stmt::CopyBox(_)
            | Stmt::MoveRows(_)
            | Stmt::Reserve(_)
            | Stmt::Launch(_) => {}
        }
    }
}

/// The expressions that a statement has itself.
pub fn expressions(stmt: &Stmt) -> Vec<&Expr> {
    match stmt {
        Stmt::Comment(_)
        | Stmt::Barrier
        | Stmt::BarrierOfWarp
        | Stmt::EndOfGroup
        | Stmt::Wait(_)
        | Stmt::Scope(_)
        | Stmt::Continue
        | Stmt::Return(_)
        | Stmt::MoveRows(_)
        | Stmt::Reserve(_) => Vec::new(),
        Stmt::Define { definition, .. } => definition.expressions(),
        Stmt::CopyBox(copy) => of_copy(copy),
        Stmt::Copy { to, from, .. } => vec![to, from],
        Stmt::Call { args, .. } => args.iter().collect(),
        Stmt::Let { value, .. } => value.iter().collect(),
        Stmt::Assign { target, value } => vec![target, value],
        Stmt::If { cond, .. } => vec![cond],
        Stmt::Fold { term, .. } => vec![term],
        Stmt::For {
            first, cond, step, ..
        } => vec![first, cond, step],
        Stmt::Load(wide) | Stmt::Store(wide) => (wide.row.iter().chain(&wide.own_row))
            .chain([&wide.index, &wide.at])
            .collect(),
        Stmt::Launch(launch) => (launch.ranges.iter().flatten())
            .chain(&launch.args)
            .chain(&launch.blocks)
            .collect(),
    }
}

fn of_copy(copy: &BoxCopy) -> Vec<&Expr> {
    let mut all: Vec<&Expr> = copy.at.iter().chain(&copy.global_steps).collect();
    all.extend(copy.global.expressions());
    all.extend(copy.ring.iter().map(|ring| &ring.first));
    if let Way::Inside(checks) = &copy.way {
        all.extend(checks.iter().flatten());
    }
    all
}

impl Kernel {
    /// What there is a `worker` for, such as a thread.
    pub fn shared_by(&self, worker: &str, program: &Program) -> String {
        let over: Vec<&str> = (self.axes.iter().rev())
            .map(|axis| program.var(axis.var).name.as_str())
            .collect();
        match over.as_slice() {
            [] => format!("one {worker}"),
            [one] => format!("a {worker} for each {one}"),
            all => format!("a {worker} for each ({})", all.join(", ")),
        }
    }

    /// The expressions of its axes and its body.
    pub fn expressions(&self) -> Vec<&Expr> {
        let mut all: Vec<&Expr> = self.axes.iter().flat_map(|axis| &axis.range).collect();
        all.extend(expressions_in(&self.body));
        all
    }

    /// The variables that its axes and its body use.
    pub fn used(&self) -> BTreeSet<VarId> {
        let mut used = used_in(&self.body);
        used.extend(self::used(&self.expressions()));
        used
    }
}

/// The expressions of a block.
pub fn expressions_in(block: &[Stmt]) -> Vec<&Expr> {
    let mut all = Vec::new();
    visit(block, &mut |stmt| all.extend(expressions(stmt)));
    all
}

/// The pointers whose elements a block loads or stores at once.
pub fn wide_in(block: &[Stmt]) -> Vec<&Wide> {
    let mut all = Vec::new();
    visit(block, &mut |stmt| {
        if let Stmt::Load(wide) | Stmt::Store(wide) = stmt {
            all.push(wide);
        }
    });
    all
}

/// The variables behind which a block may write: it assigns or stores to their elements, or hands them on as they are.
pub fn written_in(block: &[Stmt]) -> BTreeSet<VarId> {
    let mut all = BTreeSet::new();
    for expr in expressions_in(block) {
        expr.visit(&mut |e| {
            if let Expr::Var(id) = e {
                all.insert(*id);
            }
        });
    }
    visit(block, &mut |stmt| match stmt {
        Stmt::Store(wide) => all.extend([wide.memory]),
        Stmt::Assign {
            target: Expr::Element { base, .. },
            ..
        } => all.extend([*base]),
        _ => {}
    });
    all
}

/// The variables that a block uses, in expressions or otherwise.
pub fn used_in(block: &[Stmt]) -> BTreeSet<VarId> {
    let mut all = used(&expressions_in(block));
    visit(block, &mut |stmt| match stmt {
        Stmt::Load(wide) | Stmt::Store(wide) => all.extend([wide.memory, wide.own]),
        Stmt::Define { definition, .. } => all.extend(definition.pointer().map(Pointer::root)),
        Stmt::CopyBox(copy) => all.extend([copy.shared, copy.global.root()]),
        Stmt::MoveRows(moved) => {
            all.insert(moved.shared);
        }
        _ => {}
    });
    all
}

/// The variables that expressions use.
pub fn used(expressions: &[&Expr]) -> BTreeSet<VarId> {
    let mut used = BTreeSet::new();
    for expr in expressions {
        expr.visit(&mut |e| match e {
            Expr::Var(id)
            | Expr::Element { base: id, .. }
            | Expr::Aligned(id)
            | Expr::Item { base: id, .. }
            | Expr::Holds { condition: id, .. } => {
                used.insert(*id);
            }
            Expr::Behind { pointer, .. } => {
                used.insert(pointer.root());
            }
            _ => {}
        });
    }
    used
}
