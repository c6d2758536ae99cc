//! Facts of a unit.

use super::{Facts, Field, Kind, Record, Type, TypeId, Variable};
use hexcc_clang::ast::{
    self, Decl, DeclId, DeclKind, FileId, FunctionId, Item, Severity, Stmt, StmtKind, Unit,
};
use std::ops::Range;

impl Facts {
    /// What a unit declares. Where clang found errors, types are not told: it takes what it does not
    /// know for an `int`.
    pub fn of(unit: &Unit) -> Facts {
        let errors = unit
            .messages
            .iter()
            .filter(|m| m.severity >= Severity::Error);
        let of_library = unit.functions.iter().filter(|f| is_of_library(unit, f));
        let facts = Facts {
            errors: errors.map(|m| m.text.clone()).collect(),
            undeclared_of_library: of_library.map(|f| f.name.clone()).collect(),
            index_functions: crate::normalize::index_functions(unit),
            ..Facts::default()
        };
        let mut gather = Gather { unit, facts };
        for item in &unit.items {
            match *item {
                Item::Decl(id) => gather.declared(id, usize::MAX),
                Item::Function(id) => gather.function(id),
                Item::Record(..) | Item::Enum(..) | Item::Other(..) => {}
            }
        }
        let facts = gather.facts;
        match facts.errors.is_empty() {
            true => Facts {
                types: (0..unit.types.len())
                    .map(|n| ty(unit, unit.canonical(ast::TypeId(n as u32))))
                    .collect(),
                records: unit.records.iter().map(|r| record(unit, r)).collect(),
                names: names(unit),
                ..facts
            },
            false => Facts {
                variables: Vec::new(),
                ..facts
            },
        }
    }
}

/// Whether a function of C's library is declared by a call of it.
pub(crate) fn is_of_library(unit: &Unit, function: &ast::Function) -> bool {
    // A declaration of one begins with one that clang puts at its name.
    let same = unit.functions.iter().filter(|f| f.first == function.first);
    let is_call = same.count() == 1 && unit.text(function.span) == function.name;
    is_call && !function.name.starts_with("__")
}

fn ty(unit: &Unit, ty: &ast::Type) -> Type {
    let id = |ty: ast::TypeId| TypeId(ty.0);
    let stored = |id: ast::EnumId| unit[id].stored.map(|builtin| builtin.name().to_owned());
    let kind = match &ty.kind {
        ast::TypeKind::Builtin(builtin) => Kind::Builtin(builtin.name().to_owned()),
        ast::TypeKind::Enum(id) => stored(*id).map_or(Kind::Other, Kind::Builtin),
        ast::TypeKind::Pointer(to) => Kind::Pointer(id(*to)),
        ast::TypeKind::Array { element, .. } => Kind::Array(id(*element)),
        ast::TypeKind::Record(record) if unit[*record].is_complete => Kind::Record(record.0),
        _ => Kind::Other,
    };
    Type {
        kind,
        size: ty.size,
    }
}

fn record(unit: &Unit, record: &ast::Record) -> Record {
    let field = |id: &ast::FieldId| {
        let field = &unit[*id];
        // Paddings have no names either.
        let is_nameless = field.name.is_empty() && field.bits.is_some();
        let whole = field
            .bit_offset
            .filter(|bit| field.bits.is_none() && bit % 8 == 0);
        (!is_nameless).then(|| Field {
            name: field.name.clone(),
            ty: TypeId(field.ty.0),
            offset: whole.map(|bits| bits / 8),
        })
    };
    Record {
        fields: record.fields.iter().filter_map(field).collect(),
    }
}

/// Names of types: those of all blocks, for a name that means several is none.
fn names(unit: &Unit) -> Vec<(String, TypeId)> {
    let typedefs = unit.decls.iter().filter(|d| d.kind == DeclKind::Typedef);
    let typedefs = typedefs.map(|d| (d.name.clone(), TypeId(d.ty.0)));
    let tagged = (0..unit.types.len()).filter_map(|n| {
        let ast::TypeKind::Record(id) = unit.types[n].kind else {
            return None;
        };
        let record = &unit[id];
        let keyword = if record.is_union { "union" } else { "struct" };
        let name = format!("{keyword} {}", record.tag);
        (!record.tag.is_empty()).then_some((name, TypeId(n as u32)))
    });
    typedefs.chain(tagged).collect()
}

struct Gather<'u> {
    unit: &'u Unit,
    facts: Facts,
}

impl Gather<'_> {
    /// A variable of a block that ends at an offset.
    fn declared(&mut self, id: DeclId, end: usize) {
        let decl = &self.unit[id];
        if decl.kind == DeclKind::Variable {
            self.variable(decl, start(decl)..end);
        }
    }

    fn variable(&mut self, decl: &Decl, visible: Range<usize>) {
        self.facts.variables.push(Variable {
            name: decl.name.clone(),
            ty: TypeId(decl.ty.0),
            visible,
        });
    }

    fn function(&mut self, id: FunctionId) {
        let function = &self.unit[id];
        let Some(body) = function.body.as_ref() else {
            return;
        };
        if function.span.file != FileId(0) || body.span.file != FileId(0) {
            return;
        }
        let whole = function.span.start as usize..function.span.end as usize;
        for param in &function.params {
            self.variable(&self.unit[*param], whole.clone());
        }
        self.stmt(body, whole.end);
    }

    /// What a statement declares, in a block that ends at an offset.
    fn stmt(&mut self, stmt: &Stmt, end: usize) {
        let own = stmt.span.end as usize;
        if stmt.span.file == FileId(0) {
            self.facts.statements.push(stmt.span.start as usize);
        }
        match &stmt.kind {
            StmtKind::Decl(items) => {
                for item in items {
                    if let Item::Decl(id) = item {
                        self.declared(*id, end);
                    }
                }
            }
            StmtKind::Compound(inner) => inner.iter().for_each(|stmt| self.stmt(stmt, own)),
            StmtKind::For { init, body, .. } => {
                if let Some(init) = init {
                    self.stmt(init, own);
                }
                self.stmt(body, own);
            }
            StmtKind::If {
                then, otherwise, ..
            } => {
                self.stmt(then, own);
                if let Some(otherwise) = otherwise {
                    self.stmt(otherwise, own);
                }
            }
            StmtKind::While { body, .. }
            | StmtKind::Do { body, .. }
            | StmtKind::Switch { body, .. }
            | StmtKind::Case { body, .. }
            | StmtKind::Default(body)
            | StmtKind::Label { body, .. } => self.stmt(body, end),
            _ => {}
        }
    }
}

/// Where the name of a variable begins to mean it.
fn start(decl: &Decl) -> usize {
    match decl.span.file {
        FileId(0) => decl.span.start as usize,
        // What a header declares in a block is not told from what it declares for the file.
        _ => 0,
    }
}
