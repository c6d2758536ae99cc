//! A unit as C again.
//!
//! What is printed compiles to a program that does the same: headers of the system stay includes, the user's headers
//! stand where they are included, and macros are expanded. Names are those of the source, as blocks and
//! their order are; only structs without a tag that need one get it.

mod exprs;
mod stmts;
mod types;

use std::collections::{HashMap, HashSet};
use std::fmt::Write;
use std::ops::Range;

use hexcc_clang::ast::{
    DeclKind, Function, FunctionId, Item, RecordId, Span, StmtId, Storage, TypeKind, Unit,
};

/// The whole unit.
pub fn unit(unit: &Unit) -> String {
    let mut printer = Printer::new(unit);
    hexcc_clang::deeply(|| {
        printer.head();
        for item in &unit.items {
            printer.item(*item);
        }
    });
    printer.out
}

/// One expression of a unit.
pub fn expression(unit: &Unit, expr: &hexcc_clang::ast::Expr) -> String {
    let mut printer = Printer::new(unit);
    printer.keeps_macros = true;
    hexcc_clang::deeply(|| printer.expr(expr, exprs::COMMA))
}

/// A type without a name, such as `double (*)[4]`.
pub fn type_name(unit: &Unit, ty: hexcc_clang::ast::TypeId) -> String {
    Printer::new(unit).type_name(ty)
}

/// A statement for the place of another one in the user's text.
pub struct Statement {
    /// Its text.
    pub text: String,
    /// The bytes of some statements that are in it.
    pub places: Vec<Range<usize>>,
    /// The bytes of all, and where they come from.
    pub statements: Vec<(Range<usize>, Span)>,
    /// The macros that it uses: numbers keep their names.
    pub macros: HashSet<String>,
}

/// One statement of a unit, with the places of those with some numbers.
pub fn statement(unit: &Unit, stmt: &hexcc_clang::ast::Stmt, wanted: &[StmtId]) -> Statement {
    let mut printer = Printer::new(unit);
    printer.keeps_macros = true;
    hexcc_clang::deeply(|| printer.stmt(stmt));
    let trimmed = |range: &Range<usize>| {
        let text = &printer.out[range.clone()];
        let start = range.start + text.len() - text.trim_start().len();
        start..start + text.trim().len()
    };
    let all = || printer.statements.iter();
    let place = |id: &StmtId| all().find(|(of, ..)| of == id).map(|(_, r, _)| trimmed(r));
    let places = wanted.iter().filter_map(place).collect();
    let statements = all().map(|(_, r, span)| (trimmed(r), *span)).collect();
    Statement {
        places,
        statements,
        text: printer.out,
        macros: printer.macros,
    }
}

/// Prints one unit.
struct Printer<'u> {
    unit: &'u Unit,
    out: String,
    indent: usize,
    /// Tags of structs that have none.
    tags: HashMap<RecordId, String>,
    /// Where statements are, with their numbers and where they come from.
    statements: Vec<(StmtId, Range<usize>, Span)>,
    /// Whether numbers that macros stand for keep these names, and those that did.
    keeps_macros: bool,
    macros: HashSet<String>,
}

impl<'u> Printer<'u> {
    fn new(unit: &'u Unit) -> Printer<'u> {
        Printer {
            unit,
            out: String::new(),
            indent: 0,
            tags: HashMap::new(),
            statements: Vec::new(),
            keeps_macros: false,
            macros: HashSet::new(),
        }
    }

    /// The macros that headers of the system ask for, and these headers.
    fn head(&mut self) {
        let first = self.unit.includes.first().map(|include| include.span);
        for defined in &self.unit.macros {
            let is_before = first.is_some_and(|first| {
                defined.span.file != first.file || defined.span.start < first.start
            });
            if is_before && defined.name.starts_with('_') {
                let text = self.unit.text(defined.span);
                self.line(&format!("#define {text}"));
            }
        }
        for include in &self.unit.includes {
            self.line(&format!("#include <{}>", include.name));
        }
        self.out.push('\n');
    }

    fn line(&mut self, text: &str) {
        for _ in 0..self.indent {
            self.out.push_str("    ");
        }
        self.out.push_str(text);
        self.out.push('\n');
    }

    /// A declaration of a file or a block.
    fn item(&mut self, item: Item) {
        match item {
            Item::Record(record, true) => self.record(record),
            Item::Record(record, false) => {
                let name = self.record_name(record);
                self.line(&format!("{name};"));
            }
            Item::Enum(id) => {
                let text = self.enumeration(id);
                self.line(&format!("{text};"));
            }
            Item::Decl(decl) => {
                let text = self.declaration(decl);
                self.line(&format!("{text};"));
            }
            Item::Function(function) => self.function(function),
            Item::Other(span) => {
                let text = self.unit.text(span).to_owned();
                self.line(&format!("{text};"));
            }
        }
    }

    /// A function, with its body where it has one.
    fn function(&mut self, id: FunctionId) {
        let function = &self.unit[id];
        let head = self.function_head(function);
        let Some(body) = &function.body else {
            self.line(&format!("{head};"));
            return;
        };
        self.line(&head);
        self.stmt(body);
        self.out.push('\n');
    }

    fn function_head(&mut self, function: &Function) -> String {
        let mut head = attributes(&function.attributes);
        head.push_str(match function.storage {
            Storage::Static => "static ",
            Storage::Extern => "extern ",
            _ => "",
        });
        if function.is_inline {
            head.push_str("inline ");
        }
        let (result, has_prototype) = match &self.unit[function.ty].kind {
            TypeKind::Function { result, params, .. } => {
                (*result, params.is_some() && !function.is_old_style)
            }
            _ => (function.ty, true),
        };
        let mut params: Vec<String> = Vec::new();
        let mut old_style = String::new();
        for param in &function.params {
            let text = self.declaration(*param);
            if has_prototype {
                params.push(text);
            } else {
                params.push(self.unit[*param].name.clone());
                let _ = write!(old_style, " {text};");
            }
        }
        if function.is_variadic && has_prototype {
            params.push("...".to_owned());
        }
        if params.is_empty() && has_prototype {
            params.push("void".to_owned());
        }
        let inner = format!("{}({})", function.name, params.join(", "));
        head + &self.declared(result, inner, &mut Vec::new()) + &old_style
    }

    /// A variable, parameter or name of a type with its value.
    fn declaration(&mut self, id: hexcc_clang::ast::DeclId) -> String {
        let (base, declarator) = self.parts(id);
        match declarator.is_empty() {
            true => base,
            false => format!("{base} {declarator}"),
        }
    }

    /// What several declarations may share, and what is each one's own.
    fn parts(&mut self, id: hexcc_clang::ast::DeclId) -> (String, String) {
        let decl = &self.unit[id];
        let mut prefix = attributes(&decl.attributes);
        prefix.push_str(match (decl.kind, decl.storage) {
            (DeclKind::Typedef, _) => "typedef ",
            (_, Storage::Static) => "static ",
            (_, Storage::Extern) => "extern ",
            (_, Storage::Register) => "register ",
            (_, Storage::None) => "",
        });
        if decl.is_thread_local {
            prefix.push_str("_Thread_local ");
        }
        if let Some(align) = decl.align {
            let _ = write!(prefix, "__attribute__((aligned({align}))) ");
        }
        let mut extents = Vec::new();
        for extent in &decl.extents {
            extents.push(self.expr(extent, exprs::ASSIGNMENT));
        }
        let (base, mut declarator) = self.declarator(decl.ty, decl.name.clone(), &mut extents);
        if let Some(init) = &decl.init {
            let _ = write!(declarator, " = {}", self.expr(init, exprs::ASSIGNMENT));
        }
        (prefix + &base, declarator)
    }
}

/// Attributes before a declaration; `_Noreturn` is one of its own.
fn attributes(texts: &[String]) -> String {
    let text = |text: &String| match text.as_str() {
        "_Noreturn" => "_Noreturn ".to_owned(),
        text => format!("__attribute__(({text})) "),
    };
    texts.iter().map(text).collect()
}
