//! Expressions.

use clang_sys::*;

use super::types::written_lengths;
use super::{Importer, Result};
use crate::ast::{
    BinaryOp, Builtin, Callee, Designator, Expr, ExprKind, TypeId, TypeKind, UnaryOp,
};
use crate::native::{Cursor, Value};

impl<'p> Importer<'p> {
    /// An expression.
    pub(super) fn expr(&mut self, cursor: Cursor<'p>) -> Result<Expr> {
        let mut cursor = cursor;
        while let (CXCursor_ParenExpr, [inner]) = (cursor.kind(), cursor.children().as_slice()) {
            cursor = *inner;
        }
        let span = self.span(cursor);
        let ty = self.ty(cursor.ty())?;
        let kind = self.deeper(|s| s.expr_kind(cursor, ty))?;
        Ok(Expr { ty, span, kind })
    }

    fn boxed_expr(&mut self, cursor: Cursor<'p>) -> Result<Box<Expr>> {
        Ok(Box::new(self.expr(cursor)?))
    }

    fn exprs(&mut self, cursors: &[Cursor<'p>]) -> Result<Vec<Expr>> {
        cursors.iter().map(|c| self.expr(*c)).collect()
    }

    fn other_expr(&mut self, cursor: Cursor<'p>, name: &'static str) -> ExprKind {
        let span = self.span(cursor);
        ExprKind::Other(self.unknown(name, span))
    }

    fn expr_kind(&mut self, cursor: Cursor<'p>, ty: TypeId) -> Result<ExprKind> {
        let children = cursor.children();
        Ok(match (cursor.kind(), children.as_slice()) {
            (
                CXCursor_IntegerLiteral | CXCursor_CXXBoolLiteralExpr | CXCursor_CharacterLiteral,
                _,
            ) => self.number(cursor),
            (CXCursor_FloatingLiteral, _) => self.float(cursor, ty),
            (CXCursor_ImaginaryLiteral, [value]) => ExprKind::Imaginary(self.boxed_expr(*value)?),
            (CXCursor_StringLiteral, _) => ExprKind::Str(cursor.spelling()),
            (CXCursor_DeclRefExpr, _) => self.reference(cursor)?,
            (CXCursor_MemberRefExpr, [base, ..]) if base.is_expr() => self.member(cursor, *base)?,
            (CXCursor_UnaryOperator, [value]) => self.unary(cursor, *value)?,
            (CXCursor_BinaryOperator | CXCursor_CompoundAssignOperator, [left, right]) => {
                self.binary(cursor, *left, *right)?
            }
            (CXCursor_ConditionalOperator, [cond, then, otherwise]) => ExprKind::Cond(
                self.boxed_expr(*cond)?,
                self.boxed_expr(*then)?,
                self.boxed_expr(*otherwise)?,
            ),
            (CXCursor_ArraySubscriptExpr, [base, index]) => {
                ExprKind::Index(self.boxed_expr(*base)?, self.boxed_expr(*index)?)
            }
            (CXCursor_CallExpr, [callee, arguments @ ..]) => {
                ExprKind::Call(self.callee(*callee)?, self.exprs(arguments)?)
            }
            (CXCursor_CStyleCastExpr, _) => self.cast(cursor, &children)?,
            _ => self.rare(cursor, &children)?,
        })
    }

    fn rare(&mut self, cursor: Cursor<'p>, children: &[Cursor<'p>]) -> Result<ExprKind> {
        Ok(match (cursor.kind(), children) {
            (CXCursor_CompoundLiteralExpr, [.., list]) if list.is_expr() => {
                match written_lengths(cursor.ty()).contains(&true) {
                    true => self.other_expr(cursor, "variable compound literal"),
                    false => ExprKind::Compound(self.boxed_expr(*list)?),
                }
            }
            (CXCursor_InitListExpr, all) => ExprKind::List(
                all.iter()
                    .map(|c| self.initializer(*c))
                    .collect::<Result<_>>()?,
            ),
            (CXCursor_StmtExpr, [body]) => ExprKind::Statements(Box::new(self.stmt(*body)?)),
            (CXCursor_AddrLabelExpr, [label, ..]) => ExprKind::LabelAddress(label.spelling()),
            (CXCursor_UnaryExpr, all) => self.size_of(cursor, all)?,
            (CXCursor_UnexposedExpr, all) => self.unexposed(cursor, all)?,
            (CXCursor_GenericSelectionExpr, all) => self.selected(cursor, all)?,
            _ => self.other_expr(cursor, "expression"),
        })
    }

    fn number(&mut self, cursor: Cursor<'p>) -> ExprKind {
        match cursor.value() {
            Some(Value::Int(value)) if cursor.kind() == CXCursor_CharacterLiteral => {
                ExprKind::Char(value)
            }
            Some(Value::Int(value)) => ExprKind::Int(value),
            _ => self.other_expr(cursor, "number"),
        }
    }

    /// A number as it is written; where a macro gives it, an equal one.
    fn float(&mut self, cursor: Cursor<'p>, ty: TypeId) -> ExprKind {
        let span = self.span(cursor);
        let text = self.unit.text(span);
        if text.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            return ExprKind::Float(text.to_owned());
        }
        let suffix = match self.unit.canonical(ty).kind {
            TypeKind::Builtin(Builtin::Float) => "f",
            TypeKind::Builtin(Builtin::Double) => "",
            _ => return self.other_expr(cursor, "number of a macro"),
        };
        match cursor.value() {
            Some(Value::Float(value)) if value.is_finite() => {
                ExprKind::Float(format!("{value:?}{suffix}"))
            }
            _ => self.other_expr(cursor, "number of a macro"),
        }
    }

    fn reference(&mut self, cursor: Cursor<'p>) -> Result<ExprKind> {
        let Some(to) = cursor.referenced() else {
            return Ok(self.other_expr(cursor, "name"));
        };
        Ok(match to.kind() {
            CXCursor_VarDecl | CXCursor_ParmDecl | CXCursor_EnumConstantDecl => {
                ExprKind::Var(self.decl(to)?)
            }
            CXCursor_FunctionDecl => ExprKind::Function(self.function(to)?),
            _ => self.other_expr(cursor, "name"),
        })
    }

    fn member(&mut self, cursor: Cursor<'p>, base: Cursor<'p>) -> Result<ExprKind> {
        // The base brings its type, and that the members.
        let base = self.boxed_expr(base)?;
        let field = cursor.referenced().and_then(|to| self.field(to));
        Ok(match field {
            Some(field) => ExprKind::Field(base, field),
            None => self.other_expr(cursor, "member"),
        })
    }

    fn unary(&mut self, cursor: Cursor<'p>, value: Cursor<'p>) -> Result<ExprKind> {
        if cursor.unary() == CXUnaryOperator_Extension {
            return Ok(self.expr(value)?.kind);
        }
        Ok(match unary_op(cursor.unary()) {
            Some(op) => ExprKind::Unary(op, self.boxed_expr(value)?),
            None => self.other_expr(cursor, "operator"),
        })
    }

    fn binary(
        &mut self,
        cursor: Cursor<'p>,
        left: Cursor<'p>,
        right: Cursor<'p>,
    ) -> Result<ExprKind> {
        let kind = cursor.binary();
        let compound = (CXBinaryOperator_MulAssign..=CXBinaryOperator_OrAssign).contains(&kind);
        let op = match compound {
            true => assigned_op(kind),
            false => binary_op(kind),
        };
        if op.is_none() && kind != CXBinaryOperator_Assign {
            return Ok(self.other_expr(cursor, "operator"));
        }
        let (left, right) = (self.boxed_expr(left)?, self.boxed_expr(right)?);
        Ok(match op {
            Some(op) if !compound => ExprKind::Binary(op, left, right),
            op => ExprKind::Assign(op, left, right),
        })
    }

    fn callee(&mut self, cursor: Cursor<'p>) -> Result<Callee> {
        let expr = self.expr(cursor)?;
        let mut inner = &expr;
        while let ExprKind::Cast {
            implicit: true,
            value,
            ..
        } = &inner.kind
        {
            inner = value;
        }
        Ok(match inner.kind {
            ExprKind::Function(function) => Callee::Function(function),
            _ => Callee::Pointer(Box::new(expr)),
        })
    }

    fn cast(&mut self, cursor: Cursor<'p>, children: &[Cursor<'p>]) -> Result<ExprKind> {
        let exprs: Vec<Cursor<'p>> = children.iter().filter(|c| c.is_expr()).copied().collect();
        let Some((value, lengths)) = exprs.split_last() else {
            return Ok(self.other_expr(cursor, "cast"));
        };
        Ok(ExprKind::Cast {
            implicit: false,
            extents: self.extents(cursor.ty(), lengths)?,
            value: self.boxed_expr(*value)?,
        })
    }

    fn size_of(&mut self, cursor: Cursor<'p>, children: &[Cursor<'p>]) -> Result<ExprKind> {
        if let Some(Value::Int(value)) = cursor.value()
            && let Ok(value) = u64::try_from(value)
        {
            return Ok(ExprKind::SizeOf(value));
        }
        // `sizeof a` has `a` as its child, and `sizeof(type[m][n])` has the lengths, the last one first,
        // and then some of them once more.
        let words = self.words_from("sizeof", cursor);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let exprs: Vec<Cursor<'p>> = children.iter().filter(|c| c.is_expr()).copied().collect();
        let ["sizeof", rest @ ..] = words.as_slice() else {
            return Ok(self.other_expr(cursor, "sizeof"));
        };
        if let ["(", rest @ ..] = rest
            && let Some(element) = self.named_type(rest, children)?
        {
            let n = brackets(rest).min(exprs.len());
            let lengths: Vec<Cursor<'p>> = exprs[..n].iter().rev().copied().collect();
            let lengths = self.exprs(&lengths)?;
            return Ok(ExprKind::SizeOfArray { element, lengths });
        }
        Ok(match children {
            [value] if value.is_expr() => ExprKind::SizeOfExpr(self.boxed_expr(*value)?),
            _ => self.other_expr(cursor, "sizeof"),
        })
    }

    /// The type that words begin with, which end or go on with a length.
    fn named_type(&mut self, words: &[&str], children: &[Cursor<'p>]) -> Result<Option<TypeId>> {
        let end = words
            .iter()
            .position(|word| ["[", ")", "*", "("].contains(word))
            .unwrap_or(0);
        if !["[", ")"].contains(words.get(end).unwrap_or(&"")) {
            return Ok(None);
        }
        let names = words[..end].iter().flat_map(|word| self.expanded(word, 4));
        let names: Vec<String> = names
            .filter(|w| !["const", "volatile"].contains(&w.as_str()))
            .collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        if let Some(of) = children.first().filter(|c| c.kind() == CXCursor_TypeRef)
            && (names.len() == 1
                || !names.is_empty() && ["struct", "union", "enum"].contains(&names[0]))
            && let Some(declared) = of.referenced()
        {
            return Ok(Some(self.ty(declared.ty())?));
        }
        Ok(Builtin::named(&names).map(|builtin| self.builtin(builtin)))
    }

    /// Conversions that are not written, and expressions that libclang has no name for.
    fn unexposed(&mut self, cursor: Cursor<'p>, children: &[Cursor<'p>]) -> Result<ExprKind> {
        let (at, exprs) = (cursor.extent(), children.iter().filter(|c| c.is_expr()));
        let exprs: Vec<Cursor<'p>> = exprs.copied().collect();
        if let [value] = exprs.as_slice() {
            let inner = value.extent();
            if inner.file == at.file && inner.range == at.range && exprs.len() == children.len() {
                return Ok(ExprKind::Cast {
                    implicit: true,
                    extents: Vec::new(),
                    value: self.boxed_expr(*value)?,
                });
            }
            let span = self.span(cursor);
            let text = self.unit.text(span);
            if text.starts_with("va_arg") || text.starts_with("__builtin_va_arg") {
                return Ok(ExprKind::VaArg(self.boxed_expr(*value)?));
            }
        }
        if let [first, middle, _, last] = exprs.as_slice()
            && middle.kind() == CXCursor_UnexposedExpr
            && middle.extent().range == first.extent().range
        {
            return Ok(ExprKind::Else(
                self.boxed_expr(*first)?,
                self.boxed_expr(*last)?,
            ));
        }
        let ty = self.ty(cursor.ty())?;
        // What has another type has no value, and libclang ends the process where it is asked for it.
        let is_number = matches!(
            self.unit.canonical(ty).kind,
            TypeKind::Builtin(_) | TypeKind::Enum(_)
        );
        Ok(match is_number.then(|| cursor.value()).flatten() {
            Some(Value::Int(value)) => ExprKind::Int(value),
            _ => self.other_expr(cursor, "expression without a name"),
        })
    }

    /// What `_Generic` selects: the only expression that has its type.
    fn selected(&mut self, cursor: Cursor<'p>, children: &[Cursor<'p>]) -> Result<ExprKind> {
        let key = cursor.ty().canonical().key();
        let all = children.iter().filter(|c| c.is_expr()).skip(1);
        let fitting: Vec<&Cursor<'p>> = all.filter(|c| c.ty().canonical().key() == key).collect();
        Ok(match fitting.as_slice() {
            [only] => self.expr(**only)?.kind,
            _ => self.other_expr(cursor, "_Generic"),
        })
    }

    /// What a variable or a part of it begins with.
    pub(super) fn initializer(&mut self, cursor: Cursor<'p>) -> Result<Expr> {
        let children = cursor.children();
        let exprs = children.iter().filter(|c| c.is_expr()).count();
        let is_field = children.iter().any(|c| c.kind() == CXCursor_MemberRef);
        let Some((value, path)) = children.split_last() else {
            return self.expr(cursor);
        };
        if cursor.kind() != CXCursor_UnexposedExpr || exprs < 2 && !is_field {
            return self.expr(cursor);
        }
        let span = self.span(cursor);
        let ty = self.ty(cursor.ty())?;
        let ranges = self.unit.text(span).contains("...");
        let mut designators = Vec::new();
        let mut path = path.iter();
        while let Some(part) = path.next() {
            if part.kind() == CXCursor_MemberRef {
                let field = part.referenced().and_then(|to| self.field(to));
                designators.extend(field.map(Designator::Field));
            } else if part.is_expr() {
                let first = self.expr(*part)?;
                designators.push(match path.next().filter(|_| ranges) {
                    Some(last) => Designator::Range(first, self.expr(*last)?),
                    None => Designator::Index(first),
                });
            }
        }
        let value = Box::new(self.deeper(|s| s.initializer(*value))?);
        Ok(Expr {
            ty,
            span,
            kind: ExprKind::Designated(designators, value),
        })
    }
}

/// How many lengths a type has that words begin with.
fn brackets(words: &[&str]) -> usize {
    let (mut depth, mut n) = (0, 0);
    for word in words {
        match *word {
            "[" | "(" => {
                n += usize::from(*word == "[" && depth == 0);
                depth += 1;
            }
            ")" if depth == 0 => break,
            "]" | ")" => depth -= 1,
            _ => {}
        }
    }
    n
}

fn unary_op(kind: CXUnaryOperatorKind) -> Option<UnaryOp> {
    Some(match kind {
        CXUnaryOperator_PostInc => UnaryOp::PostIncrement,
        CXUnaryOperator_PostDec => UnaryOp::PostDecrement,
        CXUnaryOperator_PreInc => UnaryOp::PreIncrement,
        CXUnaryOperator_PreDec => UnaryOp::PreDecrement,
        CXUnaryOperator_AddrOf => UnaryOp::AddressOf,
        CXUnaryOperator_Deref => UnaryOp::Deref,
        CXUnaryOperator_Plus => UnaryOp::Plus,
        CXUnaryOperator_Minus => UnaryOp::Minus,
        CXUnaryOperator_Not => UnaryOp::BitNot,
        CXUnaryOperator_LNot => UnaryOp::Not,
        CXUnaryOperator_Real => UnaryOp::Real,
        CXUnaryOperator_Imag => UnaryOp::Imag,
        _ => return None,
    })
}

fn binary_op(kind: CXBinaryOperatorKind) -> Option<BinaryOp> {
    Some(match kind {
        CXBinaryOperator_Mul => BinaryOp::Mul,
        CXBinaryOperator_Div => BinaryOp::Div,
        CXBinaryOperator_Rem => BinaryOp::Rem,
        CXBinaryOperator_Add => BinaryOp::Add,
        CXBinaryOperator_Sub => BinaryOp::Sub,
        CXBinaryOperator_Shl => BinaryOp::ShiftLeft,
        CXBinaryOperator_Shr => BinaryOp::ShiftRight,
        CXBinaryOperator_LT => BinaryOp::Less,
        CXBinaryOperator_GT => BinaryOp::Greater,
        CXBinaryOperator_LE => BinaryOp::LessEqual,
        CXBinaryOperator_GE => BinaryOp::GreaterEqual,
        CXBinaryOperator_EQ => BinaryOp::Equal,
        CXBinaryOperator_NE => BinaryOp::NotEqual,
        CXBinaryOperator_And => BinaryOp::BitAnd,
        CXBinaryOperator_Xor => BinaryOp::BitXor,
        CXBinaryOperator_Or => BinaryOp::BitOr,
        CXBinaryOperator_LAnd => BinaryOp::And,
        CXBinaryOperator_LOr => BinaryOp::Or,
        CXBinaryOperator_Comma => BinaryOp::Comma,
        _ => return None,
    })
}

fn assigned_op(kind: CXBinaryOperatorKind) -> Option<BinaryOp> {
    Some(match kind {
        CXBinaryOperator_MulAssign => BinaryOp::Mul,
        CXBinaryOperator_DivAssign => BinaryOp::Div,
        CXBinaryOperator_RemAssign => BinaryOp::Rem,
        CXBinaryOperator_AddAssign => BinaryOp::Add,
        CXBinaryOperator_SubAssign => BinaryOp::Sub,
        CXBinaryOperator_ShlAssign => BinaryOp::ShiftLeft,
        CXBinaryOperator_ShrAssign => BinaryOp::ShiftRight,
        CXBinaryOperator_AndAssign => BinaryOp::BitAnd,
        CXBinaryOperator_XorAssign => BinaryOp::BitXor,
        CXBinaryOperator_OrAssign => BinaryOp::BitOr,
        _ => return None,
    })
}
