//! Types, structs and enumerations.

use std::fmt::Write;

use hexcc_clang::ast::{DeclKind, EnumId, FieldId, Length, RecordId, Type, TypeId, TypeKind};

use super::Printer;

impl Printer<'_> {
    /// A type around a declarator: `int`, `(*a)[4]`. The lengths of variable arrays are taken out of `extents`.
    pub(super) fn declarator(
        &mut self,
        ty: TypeId,
        inner: String,
        extents: &mut Vec<String>,
    ) -> (String, String) {
        let unit = self.unit;
        let (mut ty, mut inner) = (ty, inner);
        loop {
            let Type { kind, .. } = &unit[ty];
            match kind {
                TypeKind::Pointer(to) => {
                    inner = format!("*{}{inner}", qualifiers(&unit[ty]));
                    if matches!(
                        unit[*to].kind,
                        TypeKind::Array { .. } | TypeKind::Function { .. }
                    ) {
                        inner = format!("({inner})");
                    }
                    ty = *to;
                }
                TypeKind::Array { element, length } => {
                    let length = match length {
                        Length::Constant(n) => n.to_string(),
                        Length::Unknown => String::new(),
                        Length::Variable if extents.is_empty() => "*".to_owned(),
                        Length::Variable => extents.remove(0),
                    };
                    let _ = write!(inner, "[{length}]");
                    ty = *element;
                }
                TypeKind::Function {
                    result,
                    params,
                    is_variadic,
                } => {
                    let params = self.param_types(params.as_deref(), *is_variadic);
                    let _ = write!(inner, "({params})");
                    ty = *result;
                }
                _ => return (self.base(ty), inner),
            }
        }
    }

    fn param_types(&mut self, params: Option<&[TypeId]>, is_variadic: bool) -> String {
        let Some(params) = params else {
            return String::new();
        };
        let mut texts: Vec<String> = params.iter().map(|ty| self.type_name(*ty)).collect();
        if is_variadic {
            texts.push("...".to_owned());
        }
        if texts.is_empty() {
            texts.push("void".to_owned());
        }
        texts.join(", ")
    }

    /// A type around a name, as one text.
    pub(super) fn declared(
        &mut self,
        ty: TypeId,
        inner: String,
        extents: &mut Vec<String>,
    ) -> String {
        let (base, declarator) = self.declarator(ty, inner, extents);
        match declarator.is_empty() {
            true => base,
            false => format!("{base} {declarator}"),
        }
    }

    /// A type without a name.
    pub(super) fn type_name(&mut self, ty: TypeId) -> String {
        self.declared(ty, String::new(), &mut Vec::new())
    }

    /// A type that has no declarator.
    fn base(&mut self, id: TypeId) -> String {
        let unit = self.unit;
        let name = match &unit[id].kind {
            TypeKind::Builtin(builtin) => builtin.name().to_owned(),
            TypeKind::Record(record) => self.record_name(*record),
            TypeKind::Enum(id) => match unit[*id].tag.as_str() {
                // Its constants are declared before; a value is an integer.
                "" => "unsigned int".to_owned(),
                tag => format!("enum {tag}"),
            },
            TypeKind::Typedef(decl) => unit[*decl].name.clone(),
            TypeKind::Complex(of) => format!("_Complex {}", self.type_name(*of)),
            TypeKind::Vector { element, lanes } => {
                let size = unit[*element].size.unwrap_or(1) * lanes;
                format!(
                    "{} __attribute__((vector_size({size})))",
                    self.type_name(*element)
                )
            }
            TypeKind::Atomic(of) => format!("_Atomic({})", self.type_name(*of)),
            TypeKind::Other(name) => name.clone(),
            TypeKind::Pointer(_) | TypeKind::Array { .. } | TypeKind::Function { .. } => {
                self.type_name(id)
            }
        };
        qualifiers(&unit[id]) + &name
    }

    /// `struct` and the tag.
    pub(super) fn record_name(&mut self, id: RecordId) -> String {
        let record = &self.unit[id];
        let keyword = if record.is_union { "union" } else { "struct" };
        let tag = match record.tag.as_str() {
            "" => self
                .tags
                .entry(id)
                .or_insert_with(|| format!("untagged_{}", id.0)),
            tag => tag,
        };
        format!("{keyword} {tag}")
    }

    /// A struct with its members, behind those that are declared inside of it.
    pub(super) fn record(&mut self, id: RecordId) {
        let unit = self.unit;
        if unit[id].is_anonymous {
            return;
        }
        self.inner_types(id);
        let name = self.record_name(id);
        self.line(&format!("{name} {{"));
        self.members(id);
    }

    /// Structs and enumerations that are declared inside of a struct.
    fn inner_types(&mut self, id: RecordId) {
        let unit = self.unit;
        let outer = unit[id].span;
        for field in &unit[id].fields {
            let mut ty = unit[*field].ty;
            while let TypeKind::Pointer(inner) | TypeKind::Array { element: inner, .. } =
                unit[ty].kind
            {
                ty = inner;
            }
            let is_inside = |span: hexcc_clang::ast::Span| {
                span.file == outer.file && span.start > outer.start && span.end < outer.end
            };
            match unit[ty].kind {
                TypeKind::Record(inner) if unit[inner].is_anonymous => self.inner_types(inner),
                TypeKind::Record(inner)
                    if is_inside(unit[inner].span) && self.is_first(id, *field, ty) =>
                {
                    self.record(inner)
                }
                TypeKind::Enum(inner)
                    if is_inside(unit[inner].span) && self.is_first(id, *field, ty) =>
                {
                    let text = self.enumeration(inner);
                    self.line(&format!("{text};"));
                }
                _ => {}
            }
        }
    }

    /// Whether no member before has the type: `struct { int x; } a, b;`.
    fn is_first(&self, record: RecordId, field: FieldId, ty: TypeId) -> bool {
        let unit = self.unit;
        let before = unit[record].fields.iter().take_while(|f| **f != field);
        let base = |ty: TypeId| {
            let mut ty = ty;
            while let TypeKind::Pointer(inner) | TypeKind::Array { element: inner, .. } =
                unit[ty].kind
            {
                ty = inner;
            }
            &unit[ty].kind
        };
        !before.into_iter().any(|f| base(unit[*f].ty) == base(ty))
    }

    fn members(&mut self, id: RecordId) {
        let unit = self.unit;
        let record = &unit[id];
        self.indent += 1;
        let mut natural = 1;
        for id in &record.fields {
            let field = &unit[*id];
            natural = natural.max(unit[field.ty].align.unwrap_or(1));
            match unit[field.ty].kind {
                TypeKind::Record(inner) if unit[inner].is_anonymous => {
                    self.line(if unit[inner].is_union {
                        "union {"
                    } else {
                        "struct {"
                    });
                    self.members(inner);
                }
                _ => {
                    let text = self.declared(field.ty, field.name.clone(), &mut Vec::new());
                    let width = field
                        .bits
                        .map(|bits| format!(" : {bits}"))
                        .unwrap_or_default();
                    self.line(&format!("{text}{width};"));
                }
            }
        }
        self.indent -= 1;
        let mut attributes = String::new();
        if record.is_packed {
            attributes.push_str(" __attribute__((packed))");
        }
        if record.is_complete && record.align != natural && !(record.is_packed && record.align == 1)
        {
            let packed = if record.align < natural && !record.is_packed {
                ", packed"
            } else {
                ""
            };
            let _ = write!(
                attributes,
                " __attribute__((aligned({}){packed}))",
                record.align
            );
        }
        self.line(&format!("}}{attributes};"));
    }

    /// An enumeration with its constants.
    pub(super) fn enumeration(&mut self, id: EnumId) -> String {
        let unit = self.unit;
        let constants = unit[id].enumerators.iter().map(|decl| {
            let decl = &unit[*decl];
            let value = match decl.kind {
                DeclKind::Enumerator(value) => value,
                _ => 0,
            };
            format!("{} = {value}", decl.name)
        });
        let constants: Vec<String> = constants.collect();
        let tag = &unit[id].tag;
        format!("enum {tag} {{ {} }}", constants.join(", "))
    }
}

fn qualifiers(ty: &Type) -> String {
    let mut text = String::new();
    for (is_there, word) in [
        (ty.is_const, "const "),
        (ty.is_volatile, "volatile "),
        (ty.is_restrict, "restrict "),
    ] {
        if is_there {
            text.push_str(word);
        }
    }
    text
}
