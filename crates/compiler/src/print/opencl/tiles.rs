//! Tiles: each has a work-group, whose work-items share the points of rows.
//!
//! What is around these loops every work-item runs, as it is the same for all; barriers stand where
//! one of them has to have stored what others read.

use super::device::{Device, from};
use crate::ir::{self, Expr, Kernel, Stmt};
use crate::print::c::Writer;

/// What a work-item asks before what one alone does.
const FIRST_ITEM: &str = "if (get_local_id(0) == 0)";

/// Whether what the iterations of a kernel run are tiles, which have loops that run in any order.
pub(super) fn has_tiles(kernel: &Kernel) -> bool {
    kernel.axes.len() == 1 && kernel.reductions.is_empty() && kernel.body.iter().any(is_shared)
}

/// Whether a statement has iterations that work-items can share.
fn is_shared(stmt: &Stmt) -> bool {
    let mut found = false;
    ir::visit(std::slice::from_ref(stmt), &mut |stmt| {
        found |= matches!(
            stmt,
            Stmt::For {
                any_order: true,
                ..
            }
        );
    });
    found
}

fn is_remark(stmt: &Stmt) -> bool {
    matches!(stmt, Stmt::Comment(_))
}

impl Device<'_> {
    /// What a work-group does for a tile: statements one after the other, each seen by all
    /// work-items before the next.
    pub(super) fn tile(&self, writer: &mut Writer<'_>, body: &[Stmt]) {
        for group in body.chunk_by(|a, b| !is_shared(a) && !is_shared(b)) {
            match group {
                [stmt] if is_shared(stmt) => self.shared(writer, stmt),
                all if all.iter().all(is_remark) => writer.stmts(all),
                all => {
                    self.alone(writer, all);
                    barrier(writer);
                }
            }
        }
    }

    /// A statement whose iterations work-items share.
    fn shared(&self, writer: &mut Writer<'_>, stmt: &Stmt) {
        match stmt {
            Stmt::For {
                any_order: true, ..
            } => {
                self.points(writer, stmt);
                barrier(writer);
            }
            stmt => self.around(writer, stmt, &mut |writer, body| self.tile(writer, body)),
        }
    }

    /// Iterations of which none needs another one; those of the innermost loops are shared.
    fn points(&self, writer: &mut Writer<'_>, stmt: &Stmt) {
        let Stmt::For {
            var,
            first,
            cond,
            step,
            any_order: true,
            body,
            ..
        } = stmt
        else {
            return self.around(writer, stmt, &mut |writer, body| {
                self.all_points(writer, body)
            });
        };
        if body.iter().any(is_shared) {
            return self.around(writer, stmt, &mut |writer, body| {
                self.all_points(writer, body)
            });
        }
        let times = |count: &str| match step {
            Expr::Int(1) => count.to_string(),
            step => format!("{} * {count}", writer.operand(step, "*")),
        };
        let (item, items) = (
            times("(long)get_local_id(0)"),
            times("(long)get_local_size(0)"),
        );
        let first = from(writer, first) + &item;
        let scope = writer.namer.scope();
        let head = writer.loop_head(*var, &first, cond, &items);
        writer.block(&head, body);
        writer.namer.leave(scope);
    }

    /// Statements of a loop that runs in any order.
    fn all_points(&self, writer: &mut Writer<'_>, body: &[Stmt]) {
        for group in body.chunk_by(|a, b| !is_shared(a) && !is_shared(b)) {
            match group {
                [stmt] if is_shared(stmt) => self.points(writer, stmt),
                all => self.alone(writer, all),
            }
        }
    }

    /// A loop or a condition that all work-items run, with `inner` for its blocks.
    fn around(
        &self,
        writer: &mut Writer<'_>,
        stmt: &Stmt,
        inner: &mut dyn FnMut(&mut Writer<'_>, &[Stmt]),
    ) {
        match stmt {
            Stmt::For {
                var,
                first,
                cond,
                step,
                body,
                ..
            } => {
                let (first, step) = (writer.expr(first), writer.expr(step));
                let scope = writer.namer.scope();
                let head = writer.loop_head(*var, &first, cond, &step);
                writer.braced(&head, |writer| inner(writer, body));
                writer.namer.leave(scope);
            }
            Stmt::If { cond, yes, no } => {
                let head = format!("if ({})", writer.expr(cond));
                writer.braced(&head, |writer| inner(writer, yes));
                if !no.is_empty() {
                    writer.braced("else", |writer| inner(writer, no));
                }
            }
            stmt => writer.stmts(std::slice::from_ref(stmt)),
        }
    }

    /// Statements that one work-item runs.
    fn alone(&self, writer: &mut Writer<'_>, stmts: &[Stmt]) {
        writer.braced(FIRST_ITEM, |writer| writer.stmts(stmts));
    }
}

/// Behind it all work-items see what each has stored.
fn barrier(writer: &mut Writer<'_>) {
    writer.line("barrier(CLK_GLOBAL_MEM_FENCE);");
}
