//! Statements.

use hexcc_clang::ast::{Expr, Item, Stmt, StmtKind};

use super::Printer;
use super::exprs::COMMA;

impl Printer<'_> {
    /// A statement on lines of its own.
    pub(super) fn stmt(&mut self, stmt: &Stmt) {
        let start = self.out.len();
        self.stmt_itself(stmt);
        self.statements
            .push((stmt.id, start..self.out.len(), stmt.span));
    }

    fn stmt_itself(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Null => self.line(";"),
            StmtKind::Compound(all) => {
                self.line("{");
                self.indent += 1;
                all.iter().for_each(|stmt| self.stmt(stmt));
                self.indent -= 1;
                self.line("}");
            }
            StmtKind::Decl(items) => items.iter().for_each(|item| self.item(*item)),
            StmtKind::Expr(expr) => {
                let text = self.expr(expr, COMMA);
                self.line(&format!("{text};"));
            }
            StmtKind::If {
                cond,
                then,
                otherwise,
            } => {
                let cond = self.expr(cond, COMMA);
                self.line(&format!("if ({cond})"));
                self.block(then);
                if let Some(otherwise) = otherwise {
                    self.line("else");
                    self.block(otherwise);
                }
            }
            StmtKind::For {
                init,
                cond,
                step,
                body,
            } => {
                let init = init
                    .as_ref()
                    .map(|init| self.for_init(init))
                    .unwrap_or_default();
                let [cond, step] = [cond, step].map(|part| self.optional(part));
                self.line(&format!("for ({init}; {cond}; {step})"));
                self.block(body);
            }
            StmtKind::While { cond, body } => {
                let cond = self.expr(cond, COMMA);
                self.line(&format!("while ({cond})"));
                self.block(body);
            }
            StmtKind::Do { body, cond } => {
                self.line("do");
                self.block(body);
                let cond = self.expr(cond, COMMA);
                self.line(&format!("while ({cond});"));
            }
            _ => self.jump(stmt),
        }
    }

    /// Labels, jumps, and what the tree does not tell.
    fn jump(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Switch { value, body } => {
                let value = self.expr(value, COMMA);
                self.line(&format!("switch ({value})"));
                self.block(body);
            }
            StmtKind::Case { value, last, body } => {
                let mut label = self.expr(value, COMMA);
                if let Some(last) = last {
                    label = format!("{label} ... {}", self.expr(last, COMMA));
                }
                self.line(&format!("case {label}:"));
                self.stmt(body);
            }
            StmtKind::Default(body) => {
                self.line("default:");
                self.stmt(body);
            }
            StmtKind::Label { name, body } => {
                self.line(&format!("{name}:"));
                self.stmt(body);
            }
            StmtKind::Goto(name) => self.line(&format!("goto {name};")),
            StmtKind::IndirectGoto(to) => {
                let to = self.expr(to, COMMA);
                self.line(&format!("goto *{to};"));
            }
            StmtKind::Break => self.line("break;"),
            StmtKind::Continue => self.line("continue;"),
            StmtKind::Return(value) => {
                let value = self.optional(value);
                let blank = if value.is_empty() { "" } else { " " };
                self.line(&format!("return{blank}{value};"));
            }
            _ => {
                let text = self.unit.text(stmt.span).to_owned();
                self.line(&format!("{text};"));
            }
        }
    }

    fn optional(&mut self, expr: &Option<Expr>) -> String {
        expr.as_ref()
            .map(|expr| self.expr(expr, COMMA))
            .unwrap_or_default()
    }

    /// In braces, so that no `else` gets another `if`, and so that a body may be several lines.
    fn block(&mut self, stmt: &Stmt) {
        if let StmtKind::Compound(_) = stmt.kind {
            self.stmt(stmt);
            return;
        }
        self.line("{");
        self.indent += 1;
        self.stmt(stmt);
        self.indent -= 1;
        self.line("}");
    }

    fn for_init(&mut self, init: &Stmt) -> String {
        match &init.kind {
            StmtKind::Expr(expr) => self.expr(expr, COMMA),
            StmtKind::Decl(items) => {
                let mut text = String::new();
                for item in items {
                    if let Item::Decl(decl) = item {
                        let (base, declarator) = self.parts(*decl);
                        text = match text.is_empty() {
                            true => format!("{base} {declarator}"),
                            false => format!("{text}, {declarator}"),
                        };
                    }
                }
                text
            }
            _ => self.unit.text(init.span).to_owned(),
        }
    }
}
