//! Variables, functions and what declares them.

use clang_sys::*;

use super::{Importer, Result};
use crate::ast::{Decl, DeclId, DeclKind, Function, FunctionId, Item, Storage, TypeId};
use crate::native::Cursor;

impl<'p> Importer<'p> {
    /// What a declaration of a file or a block declares.
    pub(super) fn declaration(&mut self, cursor: Cursor<'p>) -> Result<Vec<Item>> {
        Ok(match cursor.kind() {
            CXCursor_StructDecl | CXCursor_UnionDecl => {
                vec![Item::Record(self.record(cursor)?, cursor.is_definition())]
            }
            CXCursor_EnumDecl if cursor.is_definition() => {
                vec![Item::Enum(self.enumeration(cursor)?)]
            }
            CXCursor_EnumDecl => Vec::new(),
            CXCursor_VarDecl | CXCursor_TypedefDecl => vec![Item::Decl(self.redeclared(cursor)?)],
            CXCursor_FunctionDecl => vec![Item::Function(self.function_declaration(cursor)?)],
            // It holds, as clang found no error.
            CXCursor_StaticAssert => Vec::new(),
            _ => {
                let span = self.span(cursor);
                // `;` alone is one of these.
                if self.unit.text(span).trim_matches([';', ' ']).is_empty() {
                    return Ok(Vec::new());
                }
                self.unknown("declaration", span);
                vec![Item::Other(span)]
            }
        })
    }

    /// The first declaration of the variable, parameter, enumerator or type that a cursor declares.
    pub(super) fn decl(&mut self, cursor: Cursor<'p>) -> Result<DeclId> {
        if cursor.kind() == CXCursor_EnumConstantDecl && !self.decls.contains_key(&cursor) {
            let ty = cursor.ty().canonical();
            self.deeper(|s| s.ty(ty))?;
        }
        let first = match cursor.kind() {
            CXCursor_ParmDecl | CXCursor_EnumConstantDecl => cursor,
            _ => cursor.first(),
        };
        match self.decls.get(&first) {
            Some(id) => Ok(*id),
            None => self.deeper(|s| s.variable(first)),
        }
    }

    /// This very declaration.
    fn redeclared(&mut self, cursor: Cursor<'p>) -> Result<DeclId> {
        self.decl(cursor)?;
        match self.decls.get(&cursor) {
            Some(id) => Ok(*id),
            None => self.variable(cursor),
        }
    }

    /// A declaration under a number of its own; `decl` gets the number of the first of the same thing.
    pub(super) fn new_decl(
        &mut self,
        cursor: Cursor<'p>,
        decl: impl FnOnce(DeclId) -> Decl,
    ) -> DeclId {
        let id = DeclId(self.unit.decls.len() as u32);
        let first = match cursor.kind() {
            CXCursor_VarDecl => self.decls.get(&cursor.first()).copied(),
            _ => None,
        };
        let decl = decl(first.unwrap_or(id));
        self.unit.decls.push(decl);
        self.decls.insert(cursor, id);
        id
    }

    fn variable(&mut self, cursor: Cursor<'p>) -> Result<DeclId> {
        let span = self.span(cursor);
        let written = match cursor.kind() {
            CXCursor_TypedefDecl => cursor.underlying(),
            _ => cursor.ty(),
        };
        let kind = match cursor.kind() {
            CXCursor_TypedefDecl => DeclKind::Typedef,
            CXCursor_ParmDecl => DeclKind::Parameter,
            _ => DeclKind::Variable,
        };
        // Its type and its value may name it, so that it is there before.
        let id = self.new_decl(cursor, |first| Decl {
            name: cursor.spelling(),
            kind,
            ty: TypeId(0),
            extents: Vec::new(),
            storage: storage(cursor),
            is_thread_local: cursor.is_thread_local(),
            align: None,
            attributes: Vec::new(),
            init: None,
            first,
            span,
        });
        let ty = self.ty(written)?;
        let children = cursor.children();
        let init = match kind {
            DeclKind::Variable => cursor.init(),
            _ => None,
        };
        let exprs: Vec<Cursor<'p>> = (children.iter())
            .filter(|c| c.is_expr() && Some(**c) != init)
            .copied()
            .collect();
        let extents = self.extents(written, &exprs)?;
        let align = self.alignment(&children);
        let attributes = self.attributes(&children);
        let init = init
            .map(|init| self.deeper(|s| s.initializer(init)))
            .transpose()?;
        let decl = &mut self.unit[id];
        (decl.ty, decl.extents, decl.init) = (ty, extents, init);
        (decl.align, decl.attributes) = (align, attributes);
        Ok(id)
    }

    /// Attributes that libclang does not tell apart.
    fn attributes(&mut self, children: &[Cursor<'p>]) -> Vec<String> {
        let mut texts = Vec::new();
        for attribute in children
            .iter()
            .filter(|c| c.kind() == CXCursor_UnexposedAttr)
        {
            let span = self.span(*attribute);
            match span.expansion {
                None => texts.push(self.unit.text(span).to_owned()),
                Some(_) => _ = self.unknown("attribute", span),
            }
        }
        texts
    }

    /// What an attribute asks for.
    fn alignment(&mut self, children: &[Cursor<'p>]) -> Option<u64> {
        let attribute = children.iter().find(|c| c.kind() == CXCursor_AlignedAttr)?;
        let span = self.span(*attribute);
        let text = self.unit.text(span);
        let digits: String = text
            .chars()
            .skip_while(|c| !c.is_ascii_digit())
            .take_while(char::is_ascii_digit)
            .collect();
        let align = digits.parse().ok();
        if align.is_none() {
            self.unknown("alignment", span);
        }
        align
    }

    /// The first declaration of the function that a cursor declares.
    pub(super) fn function(&mut self, cursor: Cursor<'p>) -> Result<FunctionId> {
        let first = cursor.first();
        match self.functions.get(&first) {
            Some(id) => Ok(*id),
            None => self.deeper(|s| s.new_function(first)),
        }
    }

    fn new_function(&mut self, cursor: Cursor<'p>) -> Result<FunctionId> {
        let id = FunctionId(self.unit.functions.len() as u32);
        let first = self.functions.get(&cursor.first()).copied().unwrap_or(id);
        self.functions.insert(cursor, id);
        let span = self.span(cursor);
        // Types may name the function's parameters, so they come later.
        self.unit.functions.push(Function {
            name: cursor.spelling(),
            ty: TypeId(0),
            params: Vec::new(),
            body: None,
            is_implicit: cursor.extent().file.is_none(),
            is_variadic: cursor.ty().is_variadic() && cursor.ty().kind() == CXType_FunctionProto,
            is_old_style: self.is_old_style(cursor),
            is_inline: cursor.is_inline(),
            attributes: Vec::new(),
            storage: storage(cursor),
            first,
            span,
        });
        let ty = self.ty(cursor.ty())?;
        self.unit[id].ty = ty;
        let mut params = Vec::new();
        if !cursor.is_in_system() {
            for param in cursor.params() {
                params.push(self.decl(param)?);
            }
        }
        self.unit[id].params = params;
        Ok(id)
    }

    /// Whether the first parameter is declared behind the parentheses of their names.
    fn is_old_style(&self, cursor: Cursor<'p>) -> bool {
        let (params, extent) = (cursor.params(), cursor.extent());
        let (Some(first), Some(file), true) = (params.first(), extent.file, cursor.is_definition())
        else {
            return false;
        };
        let head = extent.range.start..first.extent().range.start;
        let tokens = match head.is_empty() {
            true => Vec::new(),
            false => self.parsed.tokens(file, head),
        };
        let count = |bracket| tokens.iter().filter(|token| token.0 == bracket).count();
        count("(") > 0 && count("(") == count(")")
    }

    fn function_declaration(&mut self, cursor: Cursor<'p>) -> Result<FunctionId> {
        self.function(cursor)?;
        let id = match self.functions.get(&cursor) {
            Some(id) => *id,
            None => self.new_function(cursor)?,
        };
        let children = cursor.children();
        self.unit[id].attributes = self.attributes(&children);
        let body = children.iter().find(|c| c.kind() == CXCursor_CompoundStmt);
        if let Some(body) = body.filter(|_| self.unit[id].body.is_none()) {
            let body = self.stmt(*body)?;
            self.unit[id].body = Some(body);
        }
        Ok(id)
    }
}

fn storage(cursor: Cursor<'_>) -> Storage {
    match cursor.storage() {
        CX_SC_Static => Storage::Static,
        CX_SC_Extern => Storage::Extern,
        CX_SC_Register => Storage::Register,
        _ => Storage::None,
    }
}
