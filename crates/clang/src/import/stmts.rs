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

    /// clang leaves out the parts that are absent; the words of the head tell which these are.
    fn for_loop(&mut self, cursor: Cursor<'p>, children: &[Cursor<'p>]) -> Result<StmtKind> {
        let Some((body, parts)) = children.split_last() else {
            return Ok(self.other_stmt(cursor, "for"));
        };
        let is_there = match parts.len() {
            0 => [false; 3],
            3 => [true; 3],
            _ => parts_of_for(&self.words_from("for", cursor)),
        };
        if is_there.iter().filter(|is_there| **is_there).count() != parts.len() {
            return Ok(self.other_stmt(cursor, "for"));
        }
        let mut parts = parts.iter();
        let [init, cond, step] =
            is_there.map(|is_there| if is_there { parts.next() } else { None });
        Ok(StmtKind::For {
            init: init.map(|c| self.boxed(*c)).transpose()?,
            cond: cond.map(|c| self.expr(*c)).transpose()?,
            step: step.map(|c| self.expr(*c)).transpose()?,
            body: self.boxed(*body)?,
        })
    }
}

/// Which of the three parts of a `for` there are.
fn parts_of_for(words: &[String]) -> [bool; 3] {
    let (mut depth, mut part, mut is_there) = (0, 0, [false; 3]);
    for word in words.iter().skip(1) {
        match word.as_str() {
            ")" | "]" | "}" => depth -= 1,
            ";" if depth == 1 => part += 1,
            _ if depth >= 1 && part < 3 => is_there[part] = true,
            _ => {}
        }
        if depth <= 0 && word == ")" {
            break;
        }
        depth += i32::from(["(", "[", "{"].contains(&word.as_str()));
    }
    is_there
}
