//! From syntax to meaning: names are looked up, bounds and offsets are computed, and values get types.

mod bounds;
mod values;

use crate::model::{Affine, Boundary, Field, Model, Statement};
use crate::syntax::{self, CellType, Cells, Item, Name, Program, Spanned, Type};
use bounds::{affine, condition};
use hexcc_compiler::ctype::{CType, math_function};
use hexcc_compiler::diag::Diagnostic;
use hexcc_isl::is_keyword;
use std::collections::HashMap;
use std::ops::Range;
use values::Values;

/// Dimensions of a field, at most.
const MAX_DIMS: usize = 4;

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    Stencil,
    Size,
    /// A field or scalar, by its number.
    Field(usize),
    Time,
    /// A struct, or a field of structs.
    Struct,
}

impl Meaning {
    /// In words.
    fn kind(self, fields: &[Field]) -> &'static str {
        match self {
            Meaning::Stencil => "the name of the stencil",
            Meaning::Size => "a size",
            Meaning::Field(n) if fields[n].dims.is_empty() => "a scalar",
            Meaning::Field(_) => "a field",
            Meaning::Time => "the time",
            Meaning::Struct => "a struct",
        }
    }
}

/// What is known so far, and what is wrong.
#[derive(Default)]
struct Checker {
    names: HashMap<String, (Meaning, Range<usize>)>,
    structs: HashMap<String, Vec<(String, CType)>>,
    sizes: Vec<String>,
    fields: Vec<Field>,
    conditions: Vec<String>,
    wrong: Vec<Diagnostic>,
}

/// The type of C.
pub fn ctype(ty: Type) -> CType {
    match ty {
        Type::Float => CType::Float,
        Type::Double => CType::Double,
        Type::Int => CType::INT,
    }
}

/// The members of a vector, such as `float2`.
fn vector(name: &str) -> Option<Vec<(String, CType)>> {
    let (ty, n) = (["float", "double", "int"].iter())
        .zip([CType::Float, CType::Double, CType::INT])
        .find_map(|(word, ty)| Some((ty, name.strip_prefix(word)?)))?;
    let n: usize = n
        .parse()
        .ok()
        .filter(|n| (2..=4).contains(n) && name.len() < 8)?;
    let members = ["x", "y", "z", "w"].iter().take(n);
    Some(members.map(|member| (member.to_string(), ty)).collect())
}

/// The meaning of a program.
///
/// # Errors
/// All that is wrong with it, in the order of the text.
pub fn check(program: &Program) -> Result<Model, Vec<Diagnostic>> {
    let mut checker = Checker::default();
    if let Some(name) = &program.name {
        checker.declare(name, Meaning::Stencil);
    }
    for item in &program.items {
        checker.item(item);
    }
    let mut model = None;
    if let Some(steps) = &program.steps {
        model = checker.steps(steps, program.name.as_ref());
    }
    match (model, checker.wrong.is_empty()) {
        (Some(model), true) => Ok(model),
        _ => Err(checker.wrong),
    }
}

impl Checker {
    /// Gives a name a meaning, which it must not have yet.
    fn declare(&mut self, name: &Name, meaning: Meaning) {
        let (text, span) = (&name.node, name.span.clone());
        if is_keyword(text) || text.starts_with("__") {
            let what = format!("`{text}` cannot be a name");
            let d = Diagnostic::error("HX0702", what)
                .at(span, "this has a meaning of its own in generated code")
                .help("choose another name");
            self.wrong.push(d);
        } else if let Some((_, before)) = self.names.get(text) {
            let d = Diagnostic::error("HX0702", format!("`{text}` is declared twice"))
                .at(span, "declared here again")
                .also(before.clone(), "declared here first");
            self.wrong.push(d);
        } else {
            self.names.insert(text.clone(), (meaning, span));
        }
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Sizes { names, conditions } => {
                for name in names {
                    self.declare(name, Meaning::Size);
                    self.sizes.push(name.node.clone());
                }
                for value in conditions {
                    match condition(value, &self.names) {
                        Ok(text) => self.conditions.push(text),
                        Err(d) => self.wrong.push(*d),
                    }
                }
            }
            Item::Scalars { names, ty } => {
                for name in names {
                    self.add_field(name, ctype(*ty), (Vec::new(), true));
                }
            }
            Item::Struct { name, members } => self.structure(name, members),
            Item::Field(field) => self.field(field),
            Item::Broken => {}
        }
    }

    fn add_field(
        &mut self,
        name: &Name,
        ty: CType,
        (dims, is_const): (Vec<(Affine, Boundary)>, bool),
    ) {
        self.declare(name, Meaning::Field(self.fields.len()));
        self.fields.push(Field {
            name: name.node.clone(),
            ty,
            dims,
            is_const,
        });
    }

    fn field(&mut self, field: &syntax::Field) {
        let n = field.extents.len();
        if n > MAX_DIMS {
            let what = format!("a field has at most {MAX_DIMS} dimensions");
            let place = field.extents[MAX_DIMS].span.clone();
            self.wrong
                .push(Diagnostic::error("HX0703", what).at(place, "this is one more"));
        }
        let kinds = &field.boundaries;
        if let (true, Some(last)) = (kinds.len() > 1 && kinds.len() != n, kinds.last()) {
            let what = format!(
                "`{}` has {}, but {} are named",
                field.name.node,
                dimensions(n),
                boundaries(kinds.len())
            );
            let d = Diagnostic::error("HX0703", what)
                .at(
                    kinds[0].span.start..last.span.end,
                    "one for each dimension, or one for all",
                )
                .also(field.name.span.clone(), "declared here");
            self.wrong.push(d);
        }
        let mut dims = Vec::new();
        for (d, extent) in field.extents.iter().enumerate() {
            let kind = kinds.get(d).or(kinds.first()).filter(|_| !kinds.is_empty());
            let boundary = kind.map_or(Boundary::Constant, |kind| kind.node);
            dims.push((self.bound(extent), boundary));
        }
        match &field.ty {
            CellType::Number(ty) => {
                self.add_field(&field.name, ctype(*ty), (dims, field.is_const));
            }
            CellType::Named(ty) => self.members(field, ty, &dims),
        }
    }

    /// Keeps the members of a struct.
    fn structure(&mut self, name: &Name, members: &[(Vec<Name>, Type)]) {
        self.declare(name, Meaning::Struct);
        let mut known: Vec<(String, CType)> = Vec::new();
        for (member, ty) in members
            .iter()
            .flat_map(|(all, ty)| all.iter().map(move |m| (m, *ty)))
        {
            if known.iter().any(|(other, _)| *other == member.node) {
                let what = format!("`{}` has two members `{}`", name.node, member.node);
                let d = Diagnostic::error("HX0702", what);
                self.wrong
                    .push(d.at(member.span.clone(), "declared here again"));
            }
            known.push((member.node.clone(), ctype(ty)));
        }
        self.structs.insert(name.node.clone(), known);
    }

    /// Declares a field of structs: a grid for each member, `c_u` for `c.u`.
    fn members(&mut self, field: &syntax::Field, ty: &Name, dims: &[(Affine, Boundary)]) {
        let members = vector(&ty.node).or_else(|| self.structs.get(&ty.node).cloned());
        let Some(members) = members else {
            let d = Diagnostic::error("HX0702", format!("there is no type `{}`", ty.node))
                .at(ty.span.clone(), "not declared")
                .help("declare it before: `struct cell { u, v: float; }`; vectors are such as `float2`");
            self.wrong.push(d);
            return;
        };
        self.declare(&field.name, Meaning::Struct);
        for (member, ty) in members {
            let number = self.fields.len();
            let grid = field.name.with(format!("{}_{member}", field.name.node));
            self.add_field(&grid, ty, (dims.to_vec(), field.is_const));
            let name = format!("{}.{member}", field.name.node);
            let meaning = (Meaning::Field(number), field.name.span.clone());
            self.names.insert(name, meaning);
        }
    }

    /// A bound; 0 for one that is none, which is told.
    fn bound(&mut self, value: &syntax::Value) -> Affine {
        affine(value, &self.names).unwrap_or_else(|d| {
            self.wrong.push(*d);
            Affine::default()
        })
    }

    fn steps(&mut self, steps: &syntax::Steps, name: Option<&Name>) -> Option<Model> {
        let bounds = (self.bound(&steps.first), self.bound(&steps.end));
        self.declare(&steps.time, Meaning::Time);
        let read = steps.body.iter().map(|stmt| self.statement(stmt));
        let statements: Vec<Option<Statement>> = read.collect();
        let span = steps.time.span.start..steps.end.span.end;
        if steps.body.is_empty() && self.wrong.is_empty() {
            let d = Diagnostic::error("HX0701", "the time loop has no statements")
                .at(span.clone(), "nothing happens in its steps");
            self.wrong.push(d);
        }
        Some(Model {
            name: name?.node.clone(),
            sizes: std::mem::take(&mut self.sizes),
            conditions: std::mem::take(&mut self.conditions),
            fields: std::mem::take(&mut self.fields),
            time: steps.time.node.clone(),
            steps: bounds,
            statements: statements.into_iter().collect::<Option<_>>()?,
            span,
        })
    }

    /// A statement, with all that is wrong in it told.
    fn statement(&mut self, stmt: &syntax::Statement) -> Option<Statement> {
        let field = self.assigned(&stmt.field)?;
        let (known, n) = (self.fields[field].clone(), stmt.ranges.len());
        if n != known.dims.len() {
            let place = stmt.ranges[0].span.start - 1..stmt.ranges[n - 1].span.end + 1;
            self.wrong.push(self.wrong_number(&known.name, n, place));
        }
        let mut ranges = Vec::new();
        for (cells, (extent, _)) in stmt.ranges.iter().zip(&known.dims) {
            let (low, high) = self.cells(cells, extent);
            ranges.push((low, high, cells.span.clone()));
        }
        let n_wrong = self.wrong.len();
        let mut values = Values::new(&self.names, &self.fields, &known);
        for (name, value) in &stmt.lets {
            values.bind(name, value);
        }
        let value = values.assigned(&stmt.value, &known);
        let (reads, locals) = (values.reads, values.locals);
        self.wrong.extend(values.wrong);
        (self.wrong.len() == n_wrong).then_some(Statement {
            field,
            ranges,
            reads,
            locals,
            value,
            group: stmt.group,
            span: stmt.span.clone(),
        })
    }

    /// The field that a statement assigns to.
    fn assigned(&mut self, name: &Name) -> Option<usize> {
        let text = &name.node;
        let span = name.span.clone();
        let d = match self.names.get(text) {
            Some((Meaning::Field(n), _)) if !self.fields[*n].is_const => return Some(*n),
            Some((Meaning::Field(n), declared)) if !self.fields[*n].dims.is_empty() => {
                Diagnostic::error("HX0707", format!("`{text}` is `const`"))
                    .at(span, "assigned here")
                    .also(declared.clone(), "declared here")
                    .help("declare it without `const`")
            }
            Some((meaning, declared)) => {
                let what = format!("`{text}` is {}, and no field", meaning.kind(&self.fields));
                Diagnostic::error("HX0707", what)
                    .at(span, "assigned here")
                    .also(declared.clone(), "declared here")
                    .note(match meaning {
                        Meaning::Struct => {
                            "statements change one member of structs, such as `c[1:n].u = ..`"
                        }
                        _ => "statements change cells of fields",
                    })
            }
            None => unknown(name, &self.names, "field"),
        };
        self.wrong.push(d);
        None
    }

    fn wrong_number(&self, field: &str, n: usize, place: Range<usize>) -> Diagnostic {
        wrong_number(&self.names, &self.fields, (field, n), place)
    }

    /// The first cell and the one behind the last.
    fn cells(&mut self, cells: &Spanned<Cells>, extent: &Affine) -> (Affine, Affine) {
        match &cells.node {
            Cells::One(value) => {
                let low = self.bound(value);
                let high = low.plus(1, &Affine::number(1)).unwrap_or_default();
                (low, high)
            }
            Cells::Range(low, high) => {
                let low = low.as_ref().map(|value| self.bound(value));
                let high = high.as_ref().map(|value| self.bound(value));
                (low.unwrap_or_default(), high.unwrap_or(extent.clone()))
            }
        }
    }
}

/// The refusal of subscripts that are not as many as dimensions.
fn wrong_number(
    names: &HashMap<String, (Meaning, Range<usize>)>,
    fields: &[Field],
    (field, n): (&str, usize),
    place: Range<usize>,
) -> Diagnostic {
    let found = names.get(field);
    let n_dims = match found {
        Some((Meaning::Field(f), _)) => fields[*f].dims.len(),
        _ => 0,
    };
    let what = format!("`{field}` has {}, not {n}", dimensions(n_dims));
    let d = Diagnostic::error("HX0703", what).at(place, "a subscript for each dimension");
    found.into_iter().fold(d, |d, (_, declared)| {
        d.also(declared.clone(), "declared here")
    })
}

fn dimensions(n: usize) -> String {
    match n {
        1 => "1 dimension".to_string(),
        n => format!("{n} dimensions"),
    }
}

fn boundaries(n: usize) -> String {
    format!("{n} boundaries")
}

/// The refusal of a name that nothing has, with the nearest one that something has.
fn unknown(
    name: &Name,
    names: &HashMap<String, (Meaning, Range<usize>)>,
    kind: &str,
) -> Diagnostic {
    let text = &name.node;
    let d = Diagnostic::error("HX0702", format!("there is no {kind} `{text}`"))
        .at(name.span.clone(), "not declared");
    let near = |other: &&String| other.eq_ignore_ascii_case(text) || is_one_edit_away(other, text);
    let mut nearest: Vec<&String> = names.keys().filter(near).collect();
    nearest.sort();
    match nearest.first() {
        Some(other) => d.help(format!("there is `{other}`")),
        None if text.contains('.') => d.help("members are those of fields of structs and vectors"),
        None if math_function(text).is_some() => d.help("functions have arguments in parentheses"),
        None => d.help("declare it before the time loop: `size n;`, `scalar a: float;` or `field u[n]: float;`"),
    }
}

/// Whether one letter more, less or instead makes a word of the other; of words of a letter none is near.
fn is_one_edit_away(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let same_begin = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a_rest, b_rest) = (&a[same_begin..], &b[same_begin..]);
    let same_end = (a_rest.iter().rev().zip(b_rest.iter().rev()))
        .take_while(|(a, b)| a == b)
        .count();
    a.len().min(b.len()) > 1 && a_rest.len().max(b_rest.len()) - same_end <= 1
}
