//! Changed trees as edits of the text that they come from: the largest expressions that differ, so that all else keeps
//! its place.

use crate::emit;
use crate::normalize::{tree, walk};
use hexcc_clang::ast::{Callee, Expr, ExprKind, Item, Stmt, StmtKind, Unit};
use std::mem::discriminant;
use std::ops::Range;

/// What could not be said by edits of a part of the text.
pub(super) struct Untold;

type Told = Result<(), Untold>;

/// The differences of trees.
pub(super) struct Edits<'u> {
    before: &'u Unit,
    after: &'u Unit,
    found: Vec<(Range<usize>, String)>,
}

impl<'u> Edits<'u> {
    pub fn new(before: &'u Unit, after: &'u Unit) -> Edits<'u> {
        Edits {
            before,
            after,
            found: Vec::new(),
        }
    }

    /// The edits, sorted, and whether each is of whole tokens of the text that no macro gives.
    pub fn texts(mut self) -> (Vec<(Range<usize>, String)>, bool) {
        self.found
            .sort_by_key(|(range, _)| (range.start, range.end));
        let cuts = |range: &Range<usize>| {
            self.before.expansions.iter().any(|e| {
                let of = e.range.start as usize..e.range.end as usize;
                let is_at_start = of.start <= range.start && range.start < of.end;
                let is_at_end = of.start < range.end && range.end <= of.end;
                e.file.0 == 0 && (is_at_start || is_at_end)
            })
        };
        let is_sure = !self.found.iter().any(|(range, _)| cuts(range));
        (self.found, is_sure)
    }

    /// Those of the statements of a block: what has gone, and what has come has the number of what it came from.
    pub fn block(&mut self, old: &[Stmt], new: &[Stmt]) -> Told {
        for old in old {
            let of_it: Vec<&Stmt> = new.iter().filter(|new| new.id == old.id).collect();
            match of_it[..] {
                [new] => self.stmt(old, new)?,
                _ => self.replace(old, &of_it)?,
            }
        }
        Ok(())
    }

    fn stmt(&mut self, old: &Stmt, new: &Stmt) -> Told {
        let from = self.found.len();
        if discriminant(&old.kind) == discriminant(&new.kind) && self.inside(old, new).is_ok() {
            return Ok(());
        }
        self.found.truncate(from);
        self.replace(old, &[new])
    }

    fn inside(&mut self, old: &Stmt, new: &Stmt) -> Told {
        match (&old.kind, &new.kind) {
            (StmtKind::Compound(old), StmtKind::Compound(new)) => return self.block(old, new),
            (StmtKind::Decl(old), StmtKind::Decl(new)) => {
                if old != new {
                    return Err(Untold);
                }
                for item in old {
                    let Item::Decl(id) = *item else {
                        continue;
                    };
                    if let (Some(old), Some(new)) = (&self.before[id].init, &self.after[id].init) {
                        self.expr(old, new)?;
                    }
                }
            }
            (StmtKind::Expr(old), StmtKind::Expr(new)) if !self.are_alike(old, new) => {
                return Err(Untold);
            }
            (
                StmtKind::For {
                    init: Some(old), ..
                },
                StmtKind::For {
                    init: Some(new), ..
                },
            ) => {
                // Its head is no place for a statement.
                self.inside(old, new)?;
            }
            _ => {}
        }
        for (old, new) in walk::own(old).into_iter().zip(walk::own(new)) {
            self.expr(old, new)?;
        }
        let is_for = matches!(old.kind, StmtKind::For { init: Some(_), .. });
        let inner = walk::inner(old).into_iter().zip(walk::inner(new));
        for (old, new) in inner.skip(usize::from(is_for)) {
            self.stmt(old, new)?;
        }
        Ok(())
    }

    /// Other statements in the place of one.
    fn replace(&mut self, old: &Stmt, new: &[&Stmt]) -> Told {
        let range = whole(self.before, old).ok_or(Untold)?;
        let all: Vec<String> = (new.iter())
            .map(|stmt| emit::statement(self.after, stmt, &[]).text)
            .collect();
        let lines = all.iter().flat_map(|text| text.lines()).map(str::trim);
        let text = lines.collect::<Vec<_>>().join(" ");
        self.add(range, text)
    }

    fn expr(&mut self, old: &Expr, new: &Expr) -> Told {
        if !self.are_alike(old, new) {
            return self.whole(old, new);
        }
        let from = self.found.len();
        let all = walk::parts(old).into_iter().zip(walk::parts(new));
        for (a, b) in all {
            if self.expr(a, b).is_err() {
                self.found.truncate(from);
                return self.whole(old, new);
            }
        }
        Ok(())
    }

    /// An expression in the place of another one.
    fn whole(&mut self, old: &Expr, new: &Expr) -> Told {
        let range = old.span.editable(self.before).ok_or(Untold)?;
        if old.span.file.0 != 0 || range.is_empty() {
            return Err(Untold);
        }
        let text = emit::expression(self.after, new);
        let is_one = match &tree::plain(new).kind {
            ExprKind::Int(n) => *n >= 0,
            ExprKind::Var(_) | ExprKind::Index(..) | ExprKind::Field(..) | ExprKind::Call(..) => {
                true
            }
            _ => false,
        };
        self.add(range, if is_one { text } else { format!("({text})") })
    }

    fn add(&mut self, range: Range<usize>, text: String) -> Told {
        let overlaps = |(other, _): &&(Range<usize>, String)| {
            other.start < range.end && range.start < other.end
        };
        // What the preprocessor leaves out is in no tree.
        let old = self
            .before
            .files
            .first()
            .map(|file| &file.text[range.clone()]);
        if old.is_none_or(|old| old.contains('#')) {
            return Err(Untold);
        }
        match self.found.iter().find(overlaps) {
            // An argument that a macro has twice.
            Some(other) if *other == (range.clone(), text.clone()) => Ok(()),
            Some(_) => Err(Untold),
            None => {
                self.found.push((range, text));
                Ok(())
            }
        }
    }

    /// Whether two expressions are the same but for what is in them.
    fn are_alike(&self, a: &Expr, b: &Expr) -> bool {
        use ExprKind as K;
        let is_same = match (&a.kind, &b.kind) {
            (K::Int(a), K::Int(b)) | (K::Char(a), K::Char(b)) => a == b,
            (K::SizeOf(a), K::SizeOf(b)) => a == b,
            (K::Float(a), K::Float(b)) | (K::Str(a), K::Str(b)) => a == b,
            (K::Var(a), K::Var(b)) => a == b,
            (K::Function(a), K::Function(b)) => a == b,
            (K::Unary(a, _), K::Unary(b, _)) => a == b,
            (K::Binary(a, ..), K::Binary(b, ..)) => a == b,
            (K::Assign(a, ..), K::Assign(b, ..)) => a == b,
            (K::Field(of, a), K::Field(other, b)) => {
                let is_arrow = tree::is_pointer(self.before, tree::plain(of).ty);
                a == b && is_arrow == tree::is_pointer(self.after, tree::plain(other).ty)
            }
            (K::Call(Callee::Function(a), _), K::Call(Callee::Function(b), _)) => a == b,
            (K::Cast { implicit: a, .. }, K::Cast { implicit: b, .. }) => a == b,
            (a, b) => discriminant(a) == discriminant(b),
        };
        let is_cast = matches!(
            a.kind,
            K::Cast {
                implicit: false,
                ..
            }
        );
        is_same && (!is_cast || a.ty == b.ty) && walk::parts(a).len() == walk::parts(b).len()
    }
}

/// The bytes of a statement of the file with its semicolon.
pub(in crate::normalize) fn whole(unit: &Unit, stmt: &Stmt) -> Option<Range<usize>> {
    let range = stmt.span.editable(unit)?;
    if stmt.span.file.0 != 0 {
        return None;
    }
    let text = &unit[stmt.span.file].text;
    if text[range.clone()].ends_with(['}', ';']) {
        return Some(range);
    }
    let rest = &text[range.end..];
    let blanks = rest.len() - rest.trim_start().len();
    let end = range.end + blanks + 1;
    rest[blanks..].starts_with(';').then_some(range.start..end)
}
