//! Arrays of structs: their members as arrays of numbers.
//!
//! What pet reads of `cell[i].v[k]` is an element of a tuple in a tuple. Here it becomes an element
//! of an array of the numbers that the structs are made of: with the struct as so many numbers of
//! the member's type, `cell[i][offset + k]`. Members of one type share an array, so that
//! dependences between them are exact; each further type gets an array of its own over the same
//! memory, of which no two of these have a byte in common. Struct variables that end with the
//! region become one variable for each member, and copies of structs those of all members.

mod copies;
mod layout;
pub mod query;

use super::{ArrayId, Scop, SourceFile, body_exprs, children};
use crate::csource;
use crate::ctype::math_function;
use crate::diag::{Diagnostic, Result};
use hexcc_isl::{Ctx, Map, MultiPwAff, PwAff, Set};
use hexcc_pet::data::{Member, PetArray, PetBody, PetExpr, PetScop, PetStmt};
use layout::{Layout, Target};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// A scop in which members of structs whose places are known are numbers.
///
/// # Errors
/// HX0106 for members that are no numbers, and where two of different types share memory; HX0111
/// for subscripts that leave a member; HX0401 where isl gives up.
pub fn flatten<'a>(ctx: &Ctx, source: &SourceFile, pet: &'a PetScop) -> Result<Cow<'a, PetScop>> {
    let mut layouts = Layout::all(pet);
    if layouts.is_empty() {
        return Ok(Cow::Borrowed(pet));
    }
    let refusal =
        |at: &PetStmt, layout: &Layout, what: Refused| what.diagnostic(source, at, layout);
    let mut used = vec![BTreeSet::new(); layouts.len()];
    // Others are refused for what they are.
    let is_plain = |stmt: &&PetStmt| stmt.n_args == 0;
    for stmt in pet.stmts.iter().filter(is_plain) {
        let (mut of_stmt, mut refused) = (Vec::new(), None);
        for access in accesses(&stmt.body) {
            let Some((i, target)) = layout::target(pet, &layouts, access) else {
                continue;
            };
            match layouts[i].places_of(&target) {
                Ok(places) => of_stmt.push((i, places)),
                Err(what) => refused = refused.or(Some((i, what))),
            }
        }
        if let Some((i, what)) = refused {
            return Err(refusal(stmt, &layouts[i], what));
        }
        for (i, places) in of_stmt {
            used[i].extend(places);
        }
    }
    for (layout, used) in layouts.iter_mut().zip(used) {
        let names = Names { source, pet };
        if let Err(what) = layout.name_arrays(&used, &|name| names.is_taken(name)) {
            let uses = |stmt: &&PetStmt| {
                accesses(&stmt.body)
                    .iter()
                    .any(|access| layout.is_of(access))
            };
            return match pet.stmts.iter().find(uses) {
                Some(stmt) => Err(refusal(stmt, layout, what)),
                None => Err(Diagnostic::bug("a struct that is not used").into()),
            };
        }
    }
    let mut flat = Flat {
        ctx,
        pet,
        source,
        layouts: &layouts,
        context: Set::read(ctx, &pet.context)?,
        copied: Vec::new(),
    };
    let mut stmts = Vec::new();
    for stmt in &pet.stmts {
        stmts.extend(flat.statement(stmt)?);
    }
    let mut scop = pet.clone();
    scop.schedule = flat.schedule()?;
    scop.context = flat.context.to_str()?;
    scop.arrays = flat.arrays()?;
    scop.members.extend(flat.members());
    scop.stmts = stmts;
    Ok(Cow::Owned(scop))
}

/// The refusal of tiles for statements that use members of several types of the same structs.
///
/// Tiles keep arrays on the device with rows of their own lengths, so that two cannot be the same
/// memory.
pub fn no_tiles(scop: &Scop, stmts: &[usize]) -> Option<Box<Diagnostic>> {
    let mut seen: BTreeMap<&str, ArrayId> = BTreeMap::new();
    for &stmt in stmts {
        let stmt = &scop.stmts[stmt];
        for access in stmt.accesses() {
            let memory = scop.memory(access.array);
            let first = *seen.entry(memory).or_insert(access.array);
            if first != access.array {
                let types = [first, access.array].map(|id| scop.array(id).elem.to_string());
                let d = Diagnostic::error(
                    "HX0209",
                    format!("structs of `{memory}` have members of several types"),
                );
                return Some(Box::new(
                    d.at(
                        stmt.span.clone(),
                        format!("`{}` and `{}` are used", types[0], types[1]),
                    )
                    .note("tiles are made of arrays with elements of one type")
                    .help("move the members of one type to an array of their own"),
                ));
            }
        }
    }
    None
}

/// The accesses of a statement in the order of the text, without those that are given to functions
/// of which nothing is known.
fn accesses(body: &PetBody) -> Vec<&PetExpr> {
    fn collect<'e>(expr: &'e PetExpr, all: &mut Vec<&'e PetExpr>) {
        match expr {
            PetExpr::Access { .. } => all.push(expr),
            PetExpr::Call { name, .. } if math_function(name).is_none() => return,
            _ => {}
        }
        for child in children(expr) {
            collect(child, all);
        }
    }
    let mut all = Vec::new();
    for expr in body_exprs(body) {
        collect(expr, &mut all);
    }
    all
}

/// Names of the program.
struct Names<'a> {
    source: &'a SourceFile,
    pet: &'a PetScop,
}

impl Names<'_> {
    fn is_taken(&self, name: &str) -> bool {
        let text = &self.source.text;
        self.pet.members.iter().any(|m| m.name == name)
            || csource::find_word(text, 0..text.len(), name).is_some()
    }
}

/// Why a struct stays one.
pub(super) enum Refused {
    /// It is used otherwise than for its members, or to be copied.
    Whole,
    /// The place of a member is not known.
    Unplaced(String),
    /// A member is no number that kernels have.
    NoNumber(String, String),
    /// A member lies where no element of an array of its type does.
    Packed(String),
    /// Two members have bytes in common.
    Overlap(String, String),
    /// Copied, and too large for that.
    TooLarge,
    /// Copied between structs of different members.
    Unlike,
}

impl Refused {
    fn diagnostic(self, source: &SourceFile, stmt: &PetStmt, layout: &Layout) -> Box<Diagnostic> {
        const NUMBERS: &str = "members are float, double or integers, arrays of these with a size, and structs of these; not pointers, bit-fields or unions";
        let text = &source.text;
        let name = as_in_text(text, layout.array_name());
        let span = place_of(text, stmt, name);
        let error = |what: String| Diagnostic::error("HX0106", what).at(span.clone(), "used here");
        Box::new(match self {
            Refused::Whole => error(format!("`{name}` is a struct, or has structs as elements"))
                .note("a struct can be copied, `a = b;`; else its members are what can be used"),
            Refused::Unplaced(member) => error(format!(
                "member `{member}` of `{name}` is a pointer or a bit-field, or has no size"
            ))
            .note(NUMBERS)
            .help("move the member to an array of its own"),
            Refused::NoNumber(member, ty) => {
                error(format!("member `{member}` of `{name}` has type `{ty}`")).note(NUMBERS)
            }
            Refused::Packed(member) => error(format!(
                "member `{member}` of `{name}` is not aligned as its type is elsewhere"
            ))
            .note("kernels read members as elements of an array of their type, so a struct must not be packed")
            .help("leave the attribute or pragma away that packs the struct"),
            Refused::Overlap(a, b) => error(format!(
                "members `{a}` and `{b}` of `{name}` lie in the same memory"
            ))
            .note("what is written to one member of a union changes the others")
            .help("use one of the members in the region"),
            Refused::TooLarge => error(format!(
                "a struct of `{name}` is copied that has more than {} numbers",
                copies::MOST
            ))
            .help("copy the members that are needed in a loop"),
            Refused::Unlike => error(format!("not all members of `{name}` are known where it is copied"))
                .help("copy the members one by one"),
        })
    }
}

/// The name that the text has for an array, of which pet may have another with a number.
fn as_in_text<'a>(text: &str, name: &'a str) -> &'a str {
    match csource::find_word(text, 0..text.len(), name) {
        Some(_) => name,
        None => super::unnumbered(name).unwrap_or(name),
    }
}

/// Where a statement uses an array.
fn place_of(text: &str, stmt: &PetStmt, name: &str) -> Range<usize> {
    let span = stmt.span.start..stmt.span.end;
    csource::find_access(text, span.clone(), name, 0).unwrap_or(span)
}

/// The scop on its way.
struct Flat<'a> {
    ctx: &'a Ctx,
    pet: &'a PetScop,
    source: &'a SourceFile,
    layouts: &'a [Layout<'a>],
    /// What is known about the parameters, and that subscripts stay in their members.
    context: Set,
    /// Statements that copy structs, and how many copies of numbers each became.
    copied: Vec<(String, usize)>,
}

impl Flat<'_> {
    /// What a statement becomes.
    fn statement(&mut self, stmt: &PetStmt) -> Result<Vec<PetStmt>> {
        if let Some(copy) = copies::find(self.pet, self.layouts, stmt) {
            let refused =
                |(i, what): (usize, Refused)| what.diagnostic(self.source, stmt, &self.layouts[i]);
            let elements = copy.elements(self.layouts).map_err(refused)?;
            let mut stmts = Vec::new();
            for (k, [to, from]) in elements.iter().enumerate() {
                let name = format!("{}_{k}", stmt.name);
                let named = |text: &str| copies::renamed(text, &stmt.name, &name);
                let mut access = |old: &PetExpr, element: &layout::Element| {
                    self.access(stmt, old, element, &named)
                };
                let (to, from) = (access(copy.to, to)?, access(copy.from, from)?);
                stmts.push(PetStmt {
                    domain: named(&stmt.domain),
                    body: copy.body(to, from),
                    name,
                    ..stmt.clone()
                });
            }
            self.copied.push((stmt.name.clone(), stmts.len()));
            return Ok(stmts);
        }
        let mut body = stmt.body.clone();
        match &mut body {
            _ if stmt.n_args > 0 => {}
            PetBody::Expr(expr) => self.rewrite(stmt, expr)?,
            PetBody::Decl { var, init } => {
                self.rewrite(stmt, var)?;
                self.rewrite(stmt, init)?;
            }
            PetBody::Unsupported(_) => {}
        }
        Ok(vec![PetStmt {
            body,
            ..stmt.clone()
        }])
    }

    /// Replaces accesses of members in an expression.
    fn rewrite(&mut self, stmt: &PetStmt, expr: &mut PetExpr) -> Result<()> {
        if let Some((i, target)) = layout::target(self.pet, self.layouts, expr) {
            let Target::Number(place) = target else {
                return Err(Refused::Whole.diagnostic(self.source, stmt, &self.layouts[i]));
            };
            let element = layout::Element {
                layout: i,
                place,
                last: Vec::new(),
            };
            *expr = self.access(stmt, &expr.clone(), &element, &str::to_string)?;
        }
        match expr {
            PetExpr::Call { name, .. } if math_function(name).is_none() => {}
            PetExpr::Access { args, .. }
            | PetExpr::Op { args, .. }
            | PetExpr::Call { args, .. } => {
                for arg in args {
                    self.rewrite(stmt, arg)?;
                }
            }
            PetExpr::Cast { arg, .. } => self.rewrite(stmt, arg)?,
            PetExpr::Int { .. } | PetExpr::Double(_) => {}
        }
        Ok(())
    }

    /// The access of an element of a member. `named` changes the statement's name in isl's notation.
    fn access(
        &mut self,
        stmt: &PetStmt,
        old: &PetExpr,
        element: &layout::Element,
        named: &dyn Fn(&str) -> String,
    ) -> Result<PetExpr> {
        let PetExpr::Access {
            index,
            args,
            read,
            write,
            type_size,
            ..
        } = old
        else {
            return Err(Diagnostic::bug("no access of a struct").into());
        };
        let layout = &self.layouts[element.layout];
        let place = layout.place(element.place);
        let name = layout.name_of(element.place);
        let functions = MultiPwAff::read(self.ctx, index)?;
        let mut subscripts = Vec::new();
        for d in 0..functions.dim()? as u32 {
            subscripts.push(functions.get(d)?);
        }
        let (outer, inner) = subscripts.split_at(layout.n_dims().min(subscripts.len()));
        self.keep_inside(stmt, (layout, element.place), inner, args.is_empty())?;
        let index = match (layout.is_variable(), inner) {
            (true, []) => layout.index_of_variable(index, name, &element.last),
            (true, _) => {
                let mut all = inner.to_vec();
                for last in &element.last {
                    all.push(number(&inner[0], *last)?);
                }
                tuple(&all, name)?
            }
            (false, _) => {
                let Some(model) = outer.first() else {
                    return Err(Refused::Whole.diagnostic(self.source, stmt, layout));
                };
                let size = place.element_size as i64;
                let mut at = number(model, place.offset as i64 / size)?;
                for (f, (_, stride)) in inner.iter().zip(&place.dims) {
                    at = at.add(&f.mul_val(*stride as i64 / size)?)?;
                }
                let rest = place.dims.iter().skip(inner.len());
                for (last, (_, stride)) in element.last.iter().zip(rest) {
                    at = at.add_constant(last * *stride as i64 / size)?;
                }
                let all: Vec<PwAff> = outer.iter().cloned().chain([at.coalesce()?]).collect();
                tuple(&all, name)?
            }
        };
        Ok(PetExpr::Access {
            array: Some(name.to_string()),
            index: named(&index),
            read: *read,
            write: *write,
            args: (args.iter().cloned())
                .map(|arg| copies::expr_renamed(arg, named))
                .collect(),
            type_size: *type_size,
        })
    }

    /// Leaves out sizes for which subscripts within a struct select what is no element of its
    /// member; those of all sizes are refused.
    fn keep_inside(
        &mut self,
        stmt: &PetStmt,
        (layout, place): (&Layout, usize),
        inner: &[PwAff],
        is_affine: bool,
    ) -> Result<()> {
        // Others are refused for what they are.
        if !is_affine || inner.is_empty() {
            return Ok(());
        }
        let domain = Set::read(self.ctx, &stmt.domain)?;
        let place = layout.place(place);
        for (f, (n, _)) in inner.iter().zip(&place.dims) {
            let (zero, end) = (number(f, 0)?, number(f, *n as i64)?);
            let outside = f.lt_set(&zero)?.union(&f.ge_set(&end)?)?;
            let undefined = domain.subtract(&f.domain()?)?;
            let wrong = domain.intersect(&outside)?.union(&undefined)?;
            if wrong.is_empty()? {
                continue;
            }
            self.context = self.context.subtract(&wrong.params()?)?.coalesce()?;
            if self.context.is_empty()? {
                let name = layout.array_name();
                let d = Diagnostic::error(
                    "HX0111",
                    format!("a subscript leaves member `{}` of `{name}`", place.path),
                );
                return Err(Box::new(
                    d.at(place_of(&self.source.text, stmt, name), "accessed here")
                        .note(format!("the member has {n} elements here")),
                ));
            }
        }
        Ok(())
    }

    /// The order of the statements.
    fn schedule(&self) -> Result<String> {
        match self.copied.as_slice() {
            [] => Ok(self.pet.schedule.clone()),
            copied => copies::schedule(self.ctx, &self.pet.schedule, copied),
        }
    }

    /// The arrays, without structs that are none any more.
    fn arrays(&self) -> Result<Vec<PetArray>> {
        let mut arrays = Vec::new();
        for array in &self.pet.arrays {
            let of = query::MemberOf::parse(&array.extent);
            let layout = of.and_then(|of| {
                self.layouts
                    .iter()
                    .find(|layout| layout.array_name() == of.base)
            });
            match layout {
                None => arrays.push(array.clone()),
                Some(layout) if layout.array_name() == array.name => {
                    arrays.extend(self.arrays_of(layout, array)?);
                }
                Some(_) => {}
            }
        }
        Ok(arrays)
    }

    /// What takes the place of a struct or an array of structs.
    fn arrays_of(&self, layout: &Layout, array: &PetArray) -> Result<Vec<PetArray>> {
        if array.pointers > 0 {
            return Err(self.rows_of_structs(array));
        }
        let mut arrays: Vec<PetArray> = Vec::new();
        for (name, place) in layout.named() {
            if arrays.iter().any(|a| a.name == name) {
                continue;
            }
            let inner: Vec<usize> = match layout.is_variable() {
                true => place.dims.iter().map(|(n, _)| *n).collect(),
                false => vec![layout.size() / place.element_size],
            };
            let text = &self.source.text;
            let region = self.pet.span.start..self.pet.span.end;
            let base = super::unnumbered(&array.name).unwrap_or(&array.name);
            let ends = [base, &array.name]
                .iter()
                .any(|name| csource::ends_within(text, name, region.clone()));
            arrays.push(PetArray {
                name: name.to_string(),
                context: array.context.clone(),
                extent: extent(self.ctx, array, name, &inner)?,
                element_type: place.element_type.clone(),
                element_size: place.element_size,
                element_is_record: false,
                pointers: 0,
                declared: array.declared,
                exposed: array.exposed && !ends,
            });
        }
        Ok(arrays)
    }

    fn rows_of_structs(&self, array: &PetArray) -> Box<Diagnostic> {
        let name = &array.name;
        let region = self.pet.span.start..self.pet.span.end;
        let used = csource::find_word(&self.source.text, region.clone(), name);
        Box::new(
            Diagnostic::error(
                "HX0110",
                format!("the rows of `{name}` are reached through pointers, and have structs"),
            )
            .at(used.unwrap_or(region), "used here")
            .note("rows that lie anywhere in memory are taken where their elements are numbers")
            .help(format!("make it one block, `struct cell (*{name})[M] = malloc(sizeof(struct cell[N][M]));`; subscripts stay as they are")),
        )
    }

    /// The names of arrays that the program has under another one.
    fn members(&self) -> Vec<Member> {
        let mut members: Vec<Member> = Vec::new();
        for layout in self.layouts.iter().filter(|layout| !layout.is_local()) {
            let own = layout.array_name();
            let known = self.pet.members.iter().find(|m| m.name == own);
            let value = known.map_or(own, |m| &m.value);
            for (name, _) in layout.named() {
                if name != own && !members.iter().any(|m| m.name == name) {
                    members.push(Member {
                        name: name.to_string(),
                        value: value.to_string(),
                        is_pointer: true,
                        may_change: known.is_some_and(|m| m.may_change),
                    });
                }
            }
        }
        members
    }
}

/// A number as a function of what another function is one of.
fn number(model: &PwAff, value: i64) -> Result<PwAff> {
    let number = PwAff::read(model.ctx(), &format!("{{ [({value})] }}"))?;
    Ok(number.insert_domain(&model.domain()?)?)
}

/// Subscripts in isl's notation.
fn tuple(subscripts: &[PwAff], name: &str) -> Result<String> {
    let mut all: Option<MultiPwAff> = None;
    for subscript in subscripts {
        let one = MultiPwAff::from_pw_aff(subscript)?;
        all = Some(match all {
            Some(all) => all.flat_range_product(&one)?,
            None => one,
        });
    }
    let all = all.ok_or_else(|| Diagnostic::bug("an access without subscripts"))?;
    Ok(all.set_tuple_name_out(name)?.to_str()?)
}

/// The elements of an array of structs with further subscripts.
fn extent(ctx: &Ctx, array: &PetArray, name: &str, inner: &[usize]) -> Result<String> {
    let elements = Set::read(ctx, &array.extent)?;
    if inner.is_empty() {
        return Ok(elements.set_tuple_name(name)?.to_str()?);
    }
    let n = elements.dim(hexcc_isl::DimType::Set)?;
    let outer: Vec<String> = (0..n).map(|d| format!("i{d}")).collect();
    let within: Vec<String> = (0..inner.len()).map(|d| format!("j{d}")).collect();
    let conditions: Vec<String> = (within.iter().zip(inner))
        .map(|(j, n)| format!("0 <= {j} < {n}"))
        .collect();
    let text = format!(
        "{{ {}[{}] -> [{}] : {} }}",
        array.name,
        outer.join(", "),
        within.join(", "),
        conditions.join(" and ")
    );
    let all = Map::read(ctx, &text)?.intersect_domain(&elements)?;
    Ok(all.wrap()?.flatten()?.set_tuple_name(name)?.to_str()?)
}
