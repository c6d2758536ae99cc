//! Flat arrays: `u[i*n + j]`, a pointer to numbers with rows of `n`, as what `u[i][j]` would be.
//!
//! pet has affine subscripts only and describes others as ones that depend on data. Those that are
//! polynomials in parameters get several dimensions here, as Grosser, Ramanujam, Pouchet,
//! Sadayappan and Pop do ("Optimistic delinearization of parametrically sized arrays", ICS 2015): a
//! subscript is divided by the length of a row, the quotient by the number of rows in a plane, and
//! so on, until the quotient is affine. A remainder is a column where isl proves that it is at
//! least 0 and less than what divides it; then no two pairs of row and column are one element.
//!
//! In between stands the choice of lengths: parameters and sums such as `n + 2` that subscripts
//! are multiplied by are tried, and the number that all of these are multiplied by, each for all accesses of an array. Where two divisions of a
//! subscript are possible, as `u[i*n + n - 1]` is column -1 of row `i + 1` or column `n - 1` of row
//! `i`, only the column between 0 and `n` counts.
//!
//! What is not proven is assumed of the sizes, as pet assumes that subscripts are not negative:
//! that where a statement runs that accesses a row, the row has an element, and those columns that
//! are constants, such as that of `u[i*n + 1]`, and that no row has a negative number. Sizes for
//! which it is not so are left out of what is known about the parameters, and a run with them ends
//! with a message; see [`super::bounds::assumed`].
//!
//! Rows of constant length, `u[i * 512 + j]`, are affine for pet: [`fixed`].
//!
//! Where no division is proven for all sizes, one is taken that holds for most of them ([`hope`]):
//! the run tests the sizes, and C's own loops run where they are others.

mod fixed;
mod hope;
mod poly;
mod read;
mod search;
#[cfg(test)]
mod tests;

use super::guards::{Guard, for_each_guarded};
use super::{body_exprs, bounds, children, typedef, wrap};
use crate::diag::{Diagnostic, Result};
use hexcc_isl::{Ctx, DimType, MultiPwAff, PwAff, Set};
use hexcc_pet::data::{PetArray, PetBody, PetExpr, PetScop};
use poly::{Coefficient, Extent, Instances, Poly};
use read::PolyReader;
pub use read::looks_flat;
use search::{Outcome, Proof, Search, Shape};
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ops::Range;

/// Lengths of rows that are tried.
const MAX_LENGTHS: usize = 12;

/// A scop whose flat arrays have dimensions.
pub struct Shaped<'a> {
    /// The scop, changed where it has flat arrays.
    pub pet: Cow<'a, PetScop>,
    /// Names of the arrays that are flat in the source.
    pub flat: BTreeSet<String>,
    /// Why an array that looks flat stays as it is.
    pub refusal: Option<Diagnostic>,
    /// Sizes for which the dimensions are those of the array; all of them where there is none.
    pub expected: Option<Set>,
}

/// Gives flat arrays of a scop their dimensions. An array for which that fails stays as it is.
///
/// # Errors
/// HX0401 where isl gives up.
pub fn shape<'a>(ctx: &Ctx, text: &str, pet: &'a PetScop) -> Result<Shaped<'a>> {
    let mut shaped = Shaped {
        pet: Cow::Borrowed(pet),
        flat: BTreeSet::new(),
        refusal: None,
        expected: None,
    };
    let is_dynamic = |body: &PetBody| matches!(body, PetBody::Unsupported(_));
    let control = pet.data_dependent_conditions
        || pet
            .stmts
            .iter()
            .any(|s| s.n_args > 0 || is_dynamic(&s.body));
    let fixed = fixed::candidates(ctx, pet)?;
    if control || !pet.data_dependent_accesses && fixed.is_empty() {
        return Ok(shaped);
    }
    let mut statements = Statements::new(ctx, text, pet)?;
    for (array, uses, shape) in fixed::shapes(&mut statements, fixed)? {
        statements.assume(&shape, &uses)?;
        apply(&statements, shaped.pet.to_mut(), (array, &[]), &shape)?;
        shaped.flat.insert(array.name.clone());
    }
    for name in flat_names(pet) {
        let Some(array) = (pet.arrays.iter()).find(|a| a.name == name && !a.declared) else {
            continue;
        };
        if let Some((uses, shape)) = statements.turned(&name)? {
            if !hope::expect_others(&mut statements, &uses.wrong)? {
                continue;
            }
            statements.assume(&shape, &uses)?;
            apply(&statements, shaped.pet.to_mut(), (array, &[]), &shape)?;
            continue;
        }
        let Some(tail) = tail(ctx, array)? else {
            continue;
        };
        let Some(mut uses) = statements.uses(&name, tail.len())? else {
            continue;
        };
        if !hope::expect_others(&mut statements, &uses.wrong)? {
            continue;
        }
        let shape = match Search::new(&statements, &uses, Proof::ForAll).run()? {
            Outcome::Found(shape) => {
                statements.assume(&shape, &uses)?;
                Some(shape)
            }
            Outcome::Failed(failure) => {
                let hoped = hope::shape(&mut statements, &uses)?;
                let refusal = failure.filter(|_| hoped.is_none());
                let refusal = refusal.map(|f| f.diagnostic(text, array, &uses));
                shaped.refusal = shaped.refusal.or(refusal);
                hoped
            }
        };
        if let Some(mut shape) = shape {
            for (all, access) in shape.subscripts.iter_mut().zip(&mut uses.all) {
                all.append(&mut access.tail);
            }
            apply(&statements, shaped.pet.to_mut(), (array, &tail), &shape)?;
            shaped.flat.insert(name);
        }
    }
    if let Cow::Owned(scop) = &mut shaped.pet {
        scop.context = statements.context.to_str()?;
        let exprs = scop.stmts.iter().flat_map(|s| body_exprs(&s.body));
        scop.data_dependent_accesses = exprs.into_iter().any(has_arguments);
    }
    shaped.expected = statements.expected;
    Ok(shaped)
}

/// Numbers of elements behind the first subscript of an array, such as the members of a struct;
/// `None` where they are not constants.
fn tail(ctx: &Ctx, array: &PetArray) -> Result<Option<Vec<i64>>> {
    let elements = Set::read(ctx, &array.extent)?;
    let mut tail = Vec::new();
    for d in 1..elements.dim(DimType::Set)? as u32 {
        match (
            elements.dim_min_val(d)?.finite(),
            elements.dim_max_val(d)?.finite(),
        ) {
            (Some(first), Some(last)) if first.floor() == 0 => tail.push(last.floor() + 1),
            _ => return Ok(None),
        }
    }
    Ok(Some(tail))
}

/// Names of the arrays with subscripts that are not affine, in the order of their accesses.
fn flat_names(pet: &PetScop) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for stmt in &pet.stmts {
        for expr in body_exprs(&stmt.body) {
            for_each_access(expr, &mut |access| {
                if let PetExpr::Access {
                    array: Some(name),
                    args,
                    ..
                } = access
                    && !args.is_empty()
                    && !names.contains(name)
                {
                    names.push(name.clone());
                }
            });
        }
    }
    names
}

fn has_arguments(expr: &PetExpr) -> bool {
    let mut found = false;
    for_each_access(expr, &mut |access| {
        found |= matches!(access, PetExpr::Access { args, .. } if !args.is_empty());
    });
    found
}

/// Calls `f` on the accesses in an expression, in textual order.
fn for_each_access<'e>(expr: &'e PetExpr, f: &mut dyn FnMut(&'e PetExpr)) {
    if let PetExpr::Access { .. } = expr {
        f(expr);
    }
    for child in children(expr) {
        for_each_access(child, f);
    }
}

/// Like [`for_each_access`], for changes.
fn for_each_access_mut(expr: &mut PetExpr, f: &mut dyn FnMut(&mut PetExpr)) {
    if let PetExpr::Access { .. } = expr {
        f(expr);
    }
    match expr {
        PetExpr::Access { args, .. } | PetExpr::Op { args, .. } | PetExpr::Call { args, .. } => {
            args.iter_mut().for_each(|arg| for_each_access_mut(arg, f));
        }
        PetExpr::Cast { arg, .. } => for_each_access_mut(arg, f),
        PetExpr::Int { .. } | PetExpr::Double(_) => {}
    }
}

fn body_exprs_mut(body: &mut PetBody) -> Vec<&mut PetExpr> {
    match body {
        PetBody::Expr(e) => vec![e],
        PetBody::Decl { var, init } => vec![var, init],
        PetBody::Unsupported(_) => Vec::new(),
    }
}

/// The statements of a scop and where they run.
struct Statements<'a> {
    text: &'a str,
    pet: &'a PetScop,
    /// What is known about the parameters, for the result.
    context: Set,
    /// The domain of each statement, for sizes for which no loop wraps around.
    domains: Vec<Set>,
    /// The parameters that bound loops.
    bounds: BTreeSet<String>,
    /// Sizes that were hoped for.
    expected: Option<Set>,
    /// Domains, sizes that were taken from them, and whether they stay large.
    large: RefCell<Vec<(Set, Set, bool)>>,
}

/// An access of an array as pet describes it.
struct Accessed<'a> {
    /// The statement, by its number.
    stmt: usize,
    /// The instances that it happens for, where conditions of `?:`, `&&` and `||` leave some out.
    within: Option<Set>,
    /// The function of the instances and of the arguments.
    index: &'a str,
    /// What the arguments are.
    args: &'a [PetExpr],
}

/// An access of an array.
struct Use {
    /// The statement, by its number.
    stmt: usize,
    /// The instances that it happens for, as in [`Accessed`].
    within: Option<Set>,
    /// How many accesses of the array come before it in the statement.
    nth: usize,
    /// Where the statement is.
    span: Range<usize>,
    /// The subscript.
    subscript: Poly,
    /// The subscripts behind it.
    tail: Vec<PwAff>,
}

/// The accesses of an array, and lengths of rows that their subscripts may be made of.
#[derive(Default)]
struct Uses {
    all: Vec<Use>,
    lengths: Vec<Extent>,
    /// Sizes for which subscripts are not what was read, each with a statement that runs then.
    wrong: Vec<(usize, Set)>,
}

impl<'a> Statements<'a> {
    fn new(ctx: &Ctx, text: &'a str, pet: &'a PetScop) -> Result<Self> {
        let context = Set::read(ctx, &pet.context)?;
        // Only where loops end matters, and what isl can read.
        let mut affine = pet.clone();
        for stmt in &mut affine.stmts {
            for expr in body_exprs_mut(&mut stmt.body) {
                for_each_access_mut(expr, &mut |access| {
                    if let PetExpr::Access { array, args, .. } = access
                        && !args.is_empty()
                    {
                        *array = None;
                    }
                });
            }
        }
        let sizes = wrap::without_wrapping(ctx, &affine, &context)?;
        let (mut domains, mut bounds) = (Vec::new(), BTreeSet::new());
        for stmt in &pet.stmts {
            let domain = Set::read(ctx, &stmt.domain)?;
            let used = domain.drop_unused_params()?;
            for i in 0..used.dim(DimType::Param)? {
                bounds.extend(used.dim_name(DimType::Param, i as u32)?);
            }
            domains.push(match &sizes {
                Some(sizes) => wrap::with_ends(&domain.intersect_params(sizes)?.coalesce()?)?,
                None => domain.intersect_params(&context)?,
            });
        }
        Ok(Statements {
            text,
            pet,
            context,
            domains,
            bounds,
            expected: None,
            large: RefCell::default(),
        })
    }

    /// The accesses of an array, in textual order. A statement that never runs accesses nothing, and
    /// is left out of the region later.
    fn accesses(&self, name: &str) -> Result<Vec<Accessed<'a>>> {
        let mut found = Vec::new();
        for (stmt, own) in self.pet.stmts.iter().enumerate() {
            if self.domains[stmt].is_empty()? {
                continue;
            }
            let always = Guard::always(&self.domains[stmt]);
            for expr in body_exprs(&own.body) {
                for_each_guarded(expr, &always, &mut |access, guard| {
                    if let PetExpr::Access {
                        array: Some(array),
                        index,
                        args,
                        ..
                    } = access
                        && array == name
                    {
                        let is_always = guard.within.plain_is_equal(&always.within)?;
                        found.push(Accessed {
                            stmt,
                            within: (!is_always).then(|| guard.within.clone()),
                            index,
                            args,
                        });
                    }
                    Ok(())
                })?;
            }
        }
        Ok(found)
    }

    /// The instances of a statement that do an access, which happens within some of them only where
    /// these are given.
    fn instances(&self, stmt: usize, within: Option<&Set>) -> Result<Set> {
        let domain = &self.domains[stmt];
        Ok(match within {
            Some(within) => domain.intersect(within)?,
            None => domain.clone(),
        })
    }

    /// The instances of its statement that do an access.
    fn of(&self, access: &Use) -> Result<Set> {
        self.instances(access.stmt, access.within.as_ref())
    }

    /// The accesses of an array with so many subscripts behind the first; `None` where a subscript
    /// is no polynomial.
    fn uses(&self, name: &str, n_tail: usize) -> Result<Option<Uses>> {
        let mut uses = Uses::default();
        for access in self.accesses(name)? {
            let (args, within) = (access.args, access.within.as_ref());
            let instances = Instances::new(&self.instances(access.stmt, within)?);
            let mut reader = PolyReader {
                instances: &instances,
                text: self.text,
                factors: &mut uses.lengths,
                wrong: Vec::new(),
            };
            let index = MultiPwAff::read(self.context.ctx(), access.index)?;
            if index.dim()? != 1 + n_tail {
                return Ok(None);
            }
            let Some(subscript) = reader.subscript(&index.get(0)?, args)? else {
                return Ok(None);
            };
            let mut tail = Vec::new();
            for d in 1..=n_tail as u32 {
                match reader.affine(&index.get(d)?, args.len())? {
                    Some(function) => tail.push(function),
                    None => return Ok(None),
                }
            }
            let wrong = std::mem::take(&mut reader.wrong);
            uses.add(self, &access, (subscript, tail, wrong));
        }
        uses.complete_lengths()?;
        Ok(Some(uses))
    }

    /// The accesses of an array that is not flat, but has remainders of divisions by sizes in its
    /// subscripts; `None` where that is not all.
    fn turned(&self, name: &str) -> Result<Option<(Uses, Shape)>> {
        let mut uses = Uses::default();
        let mut shape = Shape {
            rows: None,
            extents: Vec::new(),
            subscripts: Vec::new(),
        };
        for access in self.accesses(name)? {
            let (args, within) = (access.args, access.within.as_ref());
            let instances = Instances::new(&self.instances(access.stmt, within)?);
            let mut reader = PolyReader {
                instances: &instances,
                text: self.text,
                factors: &mut Vec::new(),
                wrong: Vec::new(),
            };
            let index = MultiPwAff::read(self.context.ctx(), access.index)?;
            let mut subscripts = Vec::new();
            // A pointer as a whole has none.
            if index.dim()? == 0 {
                return Ok(None);
            }
            for d in 0..index.dim()? as u32 {
                match reader.subscript(&index.get(d)?, args)? {
                    Some(poly) if poly.is_affine() => {
                        subscripts.push(poly.to_function(&instances)?);
                    }
                    _ => return Ok(None),
                }
            }
            let wrong = std::mem::take(&mut reader.wrong);
            uses.add(self, &access, (Poly::default(), Vec::new(), wrong));
            shape.subscripts.push(subscripts);
        }
        Ok(Some((uses, shape)))
    }

    /// Leaves out the sizes for which a statement runs that accesses a row with a negative number,
    /// or a column that its row does not have.
    fn assume(&mut self, shape: &Shape, uses: &Uses) -> Result<()> {
        for (_, wrong) in self.wrong_sizes(shape, uses)? {
            self.context = self.context.subtract(&wrong)?.coalesce()?;
        }
        Ok(())
    }

    /// The sizes for which a statement runs that accesses what is not in the array, with its number.
    fn wrong_sizes(&self, shape: &Shape, uses: &Uses) -> Result<Vec<(usize, Set)>> {
        let mut all = Vec::new();
        for (access, subscripts) in uses.all.iter().zip(&shape.subscripts) {
            let domain = self.of(access)?;
            let instances = Instances::new(&domain);
            let zero = instances.number(0)?;
            let mut wrong = Vec::new();
            for subscript in subscripts {
                wrong.push(subscript.lt_set(&zero)?);
            }
            for (column, extent) in subscripts.iter().skip(1).zip(&shape.extents) {
                let extent = extent.poly().to_function(&instances)?;
                wrong.push(column.ge_set(&extent)?);
            }
            for set in wrong {
                let sizes = domain.intersect(&set)?.params()?;
                if !sizes.is_empty()? {
                    all.push((access.stmt, sizes));
                }
            }
        }
        Ok(all)
    }
}

impl Uses {
    /// Adds the next access of a statement.
    fn add(
        &mut self,
        statements: &Statements,
        access: &Accessed,
        (subscript, tail, wrong): (Poly, Vec<PwAff>, Vec<Set>),
    ) {
        let stmt = access.stmt;
        self.wrong
            .extend(wrong.into_iter().map(|sizes| (stmt, sizes)));
        let span = &statements.pet.stmts[stmt].span;
        self.all.push(Use {
            stmt,
            within: access.within.clone(),
            nth: self.all.iter().filter(|u| u.stmt == stmt).count(),
            span: span.start..span.end,
            subscript,
            tail,
        });
    }

    /// Puts lengths that are sums, as the source has them, before single parameters, and adds the
    /// parameters that iterators are multiplied by. The numbers of each cell, `f[(i*n + j)*9 + k]`,
    /// lie innermost and come first.
    fn complete_lengths(&mut self) -> Result<()> {
        let mut seen = BTreeSet::new();
        self.lengths.retain(|extent| !extent.is_parameter());
        for access in &self.all {
            for (monomial, coefficient) in access.subscript.terms() {
                if monomial.len() > 1 || matches!(coefficient, Coefficient::Function(_)) {
                    (self.lengths).extend(monomial.iter().map(|name| Extent::parameter(name)));
                }
            }
        }
        let mut common = 0;
        for access in &self.all {
            common = poly::gcd(common, access.subscript.common_factor()?);
        }
        self.lengths.splice(0..0, Extent::number(common));
        self.lengths.retain(|extent| seen.insert(extent.text()));
        self.lengths.truncate(MAX_LENGTHS);
        Ok(())
    }
}

/// Gives an array of a scop its dimensions, with those that it has behind the first one.
fn apply(
    statements: &Statements,
    scop: &mut PetScop,
    (array, tail): (&PetArray, &[i64]),
    shape: &Shape,
) -> Result<()> {
    let name = &array.name;
    let mut subscripts = shape.subscripts.iter();
    let mut indices = Vec::new();
    for all in subscripts.by_ref() {
        let mut index: Option<MultiPwAff> = None;
        for subscript in all {
            let one = MultiPwAff::from_pw_aff(subscript)?;
            index = Some(match index {
                Some(index) => index.flat_range_product(&one)?,
                None => one,
            });
        }
        let index = index.ok_or_else(|| Diagnostic::bug("an access without subscripts"))?;
        indices.push(index.set_tuple_name_out(name)?.to_str()?);
    }
    let mut indices = indices.into_iter();
    for (stmt, domain) in scop.stmts.iter_mut().zip(&statements.domains) {
        // See [`Statements::accesses`].
        if domain.is_empty()? {
            continue;
        }
        for expr in body_exprs_mut(&mut stmt.body) {
            for_each_access_mut(expr, &mut |access| {
                if let PetExpr::Access {
                    array: Some(accessed),
                    index,
                    args,
                    ..
                } = access
                    && accessed == name
                    && let Some(text) = indices.next()
                {
                    *index = text;
                    args.clear();
                }
            });
        }
    }
    if shape.extents.is_empty() {
        return Ok(());
    }
    let extent = extent(name, shape, tail);
    // isl refuses what it cannot read here, where the cause is known.
    Set::read(statements.context.ctx(), &extent)?;
    for own in scop.arrays.iter_mut().filter(|a| a.name == *name) {
        own.extent.clone_from(&extent);
    }
    Ok(())
}

/// The elements of a pointer to rows: `[n] -> { u[i0, i1] : i0 >= 0 and 0 <= i1 < n }`.
fn extent(name: &str, shape: &Shape, tail: &[i64]) -> String {
    let extents = || shape.extents.iter();
    let params: BTreeSet<String> = extents().flat_map(Extent::parameters).collect();
    let params: Vec<String> = params.into_iter().collect();
    let lengths = extents().map(Extent::text);
    let lengths = lengths.chain(tail.iter().map(i64::to_string));
    let lengths: Vec<String> = lengths.collect();
    let dims: Vec<String> = (0..=lengths.len()).map(|d| format!("i{d}")).collect();
    let mut conditions = match shape.rows {
        Some(rows) => format!("0 <= {} < {rows}", dims[0]),
        None => format!("{} >= 0", dims[0]),
    };
    for (dim, length) in dims.iter().skip(1).zip(lengths) {
        conditions += &format!(" and 0 <= {dim} < {length}");
    }
    format!(
        "[{}] -> {{ {name}[{}] : {conditions} }}",
        params.join(", "),
        dims.join(", ")
    )
}
