//! Statements.

use clang_sys::*;

use super::{Importer, Result};
use crate::ast::{Item, Stmt, StmtId, StmtKind};
use crate::native::Cursor;

impl<'p> Importer<'p> {
    /// A statement.
    pub(super) fn stmt(&mut self, cursor: Cursor<'p>) -> Result<Stmt> {
        let span = self.span(cursor);
        let id = StmtId(self.n_stmts);
        self.n_stmts += 1;
        let kind = self.deeper(|s| match cursor.is_expr() {
            true => Ok(StmtKind::Expr(s.expr(cursor)?)),
            false => s.stmt_kind(cursor),
        })?;
        Ok(Stmt { id, span, kind })
    }

    fn boxed(&mut self, cursor: Cursor<'p>) -> Result<Box<Stmt>> {
        Ok(Box::new(self.stmt(cursor)?))
    }

    fn other_stmt(&mut self, cursor: Cursor<'p>, name: &'static str) -> StmtKind {
        let span = self.span(cursor);
        StmtKind::Other(self.unknown(name, span))
    }

    fn stmt_kind(&mut self, cursor: Cursor<'p>) -> Result<StmtKind> {
        let children = cursor.children();
        Ok(match (cursor.kind(), children.as_slice()) {
            (CXCursor_NullStmt, _) => StmtKind::Null,
            (CXCursor_BreakStmt, _) => StmtKind::Break,
            (CXCursor_ContinueStmt, _) => StmtKind::Continue,
            (CXCursor_CompoundStmt, all) => {
                StmtKind::Compound(all.iter().map(|c| self.stmt(*c)).collect::<Result<_>>()?)
            }
            (CXCursor_DeclStmt, all) => self.declarations(all)?,
            (CXCursor_IfStmt, [cond, then, rest @ ..]) => StmtKind::If {
                cond: self.expr(*cond)?,
                then: self.boxed(*then)?,
                otherwise: rest.first().map(|c| self.boxed(*c)).transpose()?,
            },
            (CXCursor_ForStmt, _) => self.for_loop(cursor, &children)?,
            (CXCursor_WhileStmt, [cond, body]) => StmtKind::While {
                cond: self.expr(*cond)?,
                body: self.boxed(*body)?,
            },
            (CXCursor_DoStmt, [body, cond]) => StmtKind::Do {
                body: self.boxed(*body)?,
                cond: self.expr(*cond)?,
            },
            (CXCursor_ReturnStmt, all) => {
                StmtKind::Return(all.first().map(|c| self.expr(*c)).transpose()?)
            }
            _ => self.jump_kind(cursor, &children)?,
        })
    }

    /// Labels, jumps, and what has none of these kinds.
    fn jump_kind(&mut self, cursor: Cursor<'p>, children: &[Cursor<'p>]) -> Result<StmtKind> {
        Ok(match (cursor.kind(), children) {
            (CXCursor_SwitchStmt, [value, body]) => StmtKind::Switch {
                value: self.expr(*value)?,
                body: self.boxed(*body)?,
            },
            (CXCursor_CaseStmt, [value, body]) => StmtKind::Case {
                value: self.expr(*value)?,
                last: None,
                body: self.boxed(*body)?,
            },
            (CXCursor_CaseStmt, [value, last, body]) => StmtKind::Case {
                value: self.expr(*value)?,
                last: Some(self.expr(*last)?),
                body: self.boxed(*body)?,
            },
            (CXCursor_DefaultStmt, [body]) => StmtKind::Default(self.boxed(*body)?),
            (CXCursor_LabelStmt, [body]) => StmtKind::Label {
                name: cursor.spelling(),
                body: self.boxed(*body)?,
            },
            (CXCursor_GotoStmt, [label]) => StmtKind::Goto(label.spelling()),
            (CXCursor_IndirectGotoStmt, [to]) => StmtKind::IndirectGoto(self.expr(*to)?),
            // A statement with attributes, which are hints.
            (CXCursor_UnexposedStmt, [.., last]) if last.is_stmt() || last.is_expr() => {
                self.stmt(*last)?.kind
            }
            (CXCursor_AsmStmt, _) => self.other_stmt(cursor, "asm"),
            _ => self.other_stmt(cursor, "statement"),
        })
    }

    fn declarations(&mut self, children: &[Cursor<'p>]) -> Result<StmtKind> {
        let mut items: Vec<Item> = Vec::new();
        for child in children {
            items.extend(self.declaration(*child)?);
        }
        Ok(StmtKind::Decl(items))
    }

    /// clang leaves out the parts that are absent; the semicolons tell which these are.
    fn for_loop(&mut self, cursor: Cursor<'p>, children: &[Cursor<'p>]) -> Result<StmtKind> {
        let Some((body, parts)) = children.split_last() else {
            return Ok(self.other_stmt(cursor, "for"));
        };
        let mut found: [Option<Cursor<'p>>; 3] = [None; 3];
        if parts.len() == 3 {
            found = [0, 1, 2].map(|at| Some(parts[at]));
        } else {
            let Some(semicolons) = self.semicolons(cursor) else {
                return Ok(self.other_stmt(cursor, "for"));
            };
            for part in parts {
                let start = part.extent().range.start;
                found[semicolons.iter().filter(|s| **s < start).count()] = Some(*part);
            }
        }
        let [init, cond, step] = found;
        Ok(StmtKind::For {
            init: init.map(|c| self.boxed(c)).transpose()?,
            cond: cond.map(|c| self.expr(c)).transpose()?,
            step: step.map(|c| self.expr(c)).transpose()?,
            body: self.boxed(*body)?,
        })
    }

    /// The places of the two semicolons in the head of a `for` that no macro gives.
    fn semicolons(&mut self, cursor: Cursor<'p>) -> Option<[u32; 2]> {
        let extent = cursor.extent();
        let file = extent.file?;
        let tokens = self.parsed.tokens(file, extent.range);
        if tokens.first()?.0 != "for" {
            return None;
        }
        let (mut depth, mut places) = (0, Vec::new());
        for (text, at) in &tokens[1..] {
            match text.as_str() {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth -= 1,
                ";" if depth == 1 => places.push(at.start),
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
        places.try_into().ok()
    }
}
