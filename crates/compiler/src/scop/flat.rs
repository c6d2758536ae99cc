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
//! are multiplied by are tried, each for all accesses of an array. Where two divisions of a
//! subscript are possible, as `u[i*n + n - 1]` is column -1 of row `i + 1` or column `n - 1` of row
//! `i`, only the column between 0 and `n` counts.
//!
//! What is not proven is assumed of the sizes, as pet assumes that subscripts are not negative:
//! that where a statement runs that accesses a row, the row has an element, and those columns that
//! are constants, such as that of `u[i*n + 1]`, and that no row has a negative number. Sizes for
//! which it is not so are left out of what is known about the parameters, and a run with them ends
//! with a message; see [`super::bounds::assumed`].

mod poly;
#[cfg(test)]
mod tests;

use super::{body_exprs, bounds, children, typedef, wrap};
use crate::csource;
use crate::ctype::CType;
use crate::diag::{Diagnostic, Result};
use hexcc_isl::{Ctx, DimType, MultiPwAff, PwAff, Set};
use hexcc_pet::data::{PetArray, PetBody, PetExpr, PetScop};
use poly::{Coefficient, Extent, Instances, Poly};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

/// Dimensions below the outermost that an array can get.
const MAX_INNER: usize = 5;

/// Lengths of rows that are tried.
const MAX_LENGTHS: usize = 12;

/// Elements that a row is taken to have where a column that is a constant asks for it.
const MAX_SHORTEST: i64 = 16;

/// Rows that a remainder is moved by in search of one that is a column.
const SHIFTS: [i64; 5] = [0, 1, -1, 2, -2];

/// A scop whose flat arrays have dimensions.
pub struct Shaped<'a> {
    /// The scop, changed where it has flat arrays.
    pub pet: Cow<'a, PetScop>,
    /// Names of the arrays that are flat in the source.
    pub flat: BTreeSet<String>,
    /// Why an array that looks flat stays as it is.
    pub refusal: Option<Diagnostic>,
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
    };
    let is_dynamic = |body: &PetBody| matches!(body, PetBody::Unsupported(_));
    let control = pet.data_dependent_conditions
        || pet
            .stmts
            .iter()
            .any(|s| s.n_args > 0 || is_dynamic(&s.body));
    if !pet.data_dependent_accesses || control {
        return Ok(shaped);
    }
    let mut statements = Statements::new(ctx, text, pet)?;
    for name in flat_names(pet) {
        let Some(array) = (pet.arrays.iter()).find(|a| a.name == name && !a.declared) else {
            continue;
        };
        if Set::read(ctx, &array.extent)?.dim(DimType::Set)? != 1 {
            continue;
        }
        let Some(uses) = statements.uses(&name)? else {
            continue;
        };
        match Search::new(&statements, &uses)?.run()? {
            Outcome::Found(shape) => {
                statements.assume(&shape, &uses)?;
                let scop = shaped.pet.to_mut();
                apply(ctx, scop, array, &shape)?;
                shaped.flat.insert(name);
            }
            Outcome::Failed(failure) => {
                let refusal = failure.map(|f| f.diagnostic(text, array, &uses));
                shaped.refusal = shaped.refusal.or(refusal);
            }
        }
    }
    if !shaped.flat.is_empty() {
        let scop = shaped.pet.to_mut();
        scop.context = statements.context.to_str()?;
        let exprs = scop.stmts.iter().flat_map(|s| body_exprs(&s.body));
        scop.data_dependent_accesses = exprs.into_iter().any(has_arguments);
    }
    Ok(shaped)
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
}

/// An access of an array.
struct Use {
    /// The statement, by its number.
    stmt: usize,
    /// How many accesses of the array come before it in the statement.
    nth: usize,
    /// Where the statement is.
    span: Range<usize>,
    /// The subscript.
    subscript: Poly,
}

/// The accesses of an array, and lengths of rows that their subscripts may be made of.
struct Uses {
    all: Vec<Use>,
    lengths: Vec<Extent>,
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
        let mut domains = Vec::new();
        for stmt in &pet.stmts {
            let domain = Set::read(ctx, &stmt.domain)?;
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
        })
    }

    /// The accesses of an array; `None` where a subscript is no polynomial.
    fn uses(&self, name: &str) -> Result<Option<Uses>> {
        let mut uses = Uses {
            all: Vec::new(),
            lengths: Vec::new(),
        };
        for (i, stmt) in self.pet.stmts.iter().enumerate() {
            let instances = Instances::new(&self.domains[i]);
            let mut nth = 0;
            let mut accesses = Vec::new();
            for expr in body_exprs(&stmt.body) {
                for_each_access(expr, &mut |access| accesses.push(access));
            }
            for access in accesses {
                let PetExpr::Access {
                    array: Some(array),
                    index,
                    args,
                    ..
                } = access
                else {
                    continue;
                };
                if array != name {
                    continue;
                }
                let mut reader = PolyReader {
                    instances: &instances,
                    text: self.text,
                    factors: &mut uses.lengths,
                };
                let index = MultiPwAff::read(self.context.ctx(), index)?;
                if index.dim()? != 1 {
                    return Ok(None);
                }
                let Some(subscript) = reader.subscript(&index.get(0)?, args)? else {
                    return Ok(None);
                };
                uses.all.push(Use {
                    stmt: i,
                    nth,
                    span: stmt.span.start..stmt.span.end,
                    subscript,
                });
                nth += 1;
            }
        }
        uses.complete_lengths();
        Ok(Some(uses))
    }

    /// Leaves out the sizes for which a statement runs that accesses a row with a negative number,
    /// or a column that its row does not have.
    fn assume(&mut self, shape: &Shape, uses: &Uses) -> Result<()> {
        for (access, subscripts) in uses.all.iter().zip(&shape.subscripts) {
            let domain = &self.domains[access.stmt];
            let instances = Instances::new(domain);
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
                    self.context = self.context.subtract(&sizes)?.coalesce()?;
                }
            }
        }
        Ok(())
    }
}

impl Uses {
    /// Puts lengths that are sums, as the source has them, before single parameters, and adds the
    /// parameters that iterators are multiplied by.
    fn complete_lengths(&mut self) {
        let mut seen = BTreeSet::new();
        self.lengths.retain(|extent| !extent.is_parameter());
        for access in &self.all {
            for (monomial, coefficient) in access.subscript.terms() {
                if monomial.len() > 1 || matches!(coefficient, Coefficient::Function(_)) {
                    (self.lengths).extend(monomial.iter().map(|name| Extent::parameter(name)));
                }
            }
        }
        self.lengths.retain(|extent| seen.insert(extent.text()));
        self.lengths.truncate(MAX_LENGTHS);
    }
}

/// Reads subscripts as polynomials.
struct PolyReader<'a> {
    instances: &'a Instances,
    text: &'a str,
    /// Sums of parameters that something is multiplied by.
    factors: &'a mut Vec<Extent>,
}

impl PolyReader<'_> {
    /// The subscript that pet describes as a function of the instance and of `args`.
    fn subscript(&mut self, index: &PwAff, args: &[PetExpr]) -> Result<Option<Poly>> {
        let Some((factors, rest)) = self.without_arguments(index, args.len())? else {
            return Ok(None);
        };
        let Some(mut sum) = Poly::from_function(&rest)? else {
            return Ok(None);
        };
        for (factor, arg) in factors.into_iter().zip(args) {
            let Some(value) = self.value(arg)? else {
                return Ok(None);
            };
            let scaled = value.times_number(factor)?;
            let next = match scaled {
                Some(scaled) => sum.plus(&scaled)?,
                None => None,
            };
            let Some(next) = next else {
                return Ok(None);
            };
            sum = next;
        }
        Ok(Some(sum))
    }

    /// A function of the instance and of `n` arguments as the arguments' coefficients and a
    /// function of the instance; `None` where these differ from piece to piece in what they make
    /// of the arguments.
    ///
    /// pet's function is defined where it is not negative only; that is left out here, and assumed
    /// of the rows later.
    fn without_arguments(&self, index: &PwAff, n: usize) -> Result<Option<(Vec<i64>, PwAff)>> {
        let Some(first) = index.dim(DimType::In)?.checked_sub(n) else {
            return Ok(None);
        };
        let (first, zeros) = (first as u32, self.instances.without_arguments(n)?);
        let pieces = index.pieces()?;
        let n_pieces = pieces.len();
        let mut found: Option<(Vec<i64>, PwAff)> = None;
        for (set, mut rest) in pieces {
            let mut factors = Vec::new();
            for k in 0..n as u32 {
                let Some((factor, without)) = rest.take_term(DimType::In, first + k)? else {
                    return Ok(None);
                };
                factors.push(factor);
                rest = without;
            }
            if n > 0 {
                if rest.involves(DimType::In, first, n as u32)? {
                    return Ok(None);
                }
                rest = rest.pullback(&zeros)?;
            }
            if n_pieces > 1 {
                let set = match n {
                    0 => set,
                    _ => set.unwrap_map()?.domain()?,
                };
                rest = rest.intersect_domain(&set)?;
            }
            found = match found {
                None => Some((factors, rest)),
                Some((own, before))
                    if own == factors && before.domain()?.is_disjoint(&rest.domain()?)? =>
                {
                    Some((own, before.union_add(&rest)?))
                }
                Some(_) => return Ok(None),
            };
        }
        Ok(match found {
            Some((factors, rest)) if self.instances.have(&rest)? => Some((factors, rest)),
            _ => None,
        })
    }

    /// The value of an integer expression.
    fn value(&mut self, expr: &PetExpr) -> Result<Option<Poly>> {
        match expr {
            PetExpr::Access {
                array: None,
                index,
                args,
                ..
            } => {
                let index = MultiPwAff::read(self.instances.ctx(), index)?;
                let value = index.get(0)?;
                match args.is_empty() && !self.instances.have(&value)? {
                    true => Ok(None),
                    false => self.subscript(&value, args),
                }
            }
            PetExpr::Int { value, .. } => Ok(value.parse().ok().map(Poly::number)),
            PetExpr::Cast { ty, arg } => {
                let wide = CType::parse(ty).or_else(|| typedef(self.text, ty));
                match wide {
                    Some(CType::Int(8) | CType::UInt(8)) if wraps_early(arg) => Ok(None),
                    Some(CType::Int(4 | 8) | CType::UInt(4 | 8)) => self.value(arg),
                    _ => Ok(None),
                }
            }
            PetExpr::Op {
                op,
                args,
                type_size,
            } => {
                if type_size.abs() == 64 && args.iter().any(wraps_early) {
                    return Ok(None);
                }
                let mut values = Vec::new();
                for arg in args {
                    match self.value(arg)? {
                        Some(value) => values.push(value),
                        None => return Ok(None),
                    }
                }
                match (op.as_str(), values.as_slice()) {
                    ("add", [a, b]) => a.plus(b),
                    ("sub", [a, b]) => match b.times_number(-1)? {
                        Some(b) => a.plus(&b),
                        None => Ok(None),
                    },
                    ("minus", [a]) => a.times_number(-1),
                    ("mul", [a, b]) => {
                        self.factors
                            .extend([a, b].into_iter().filter_map(Extent::from_poly));
                        a.times(b)
                    }
                    _ => Ok(None),
                }
            }
            PetExpr::Access { .. } | PetExpr::Call { .. } | PetExpr::Double(_) => Ok(None),
        }
    }
}

/// Whether all subscripts that are not affine are sums of products of variables and numbers, so
/// that not they are what keeps a region from being read.
pub fn looks_flat(pet: &PetScop) -> bool {
    let mut is_flat = true;
    for expr in pet.stmts.iter().flat_map(|s| body_exprs(&s.body)) {
        for_each_access(expr, &mut |access| {
            if let PetExpr::Access { args, .. } = access {
                is_flat &= args.iter().all(is_polynomial);
            }
        });
    }
    is_flat
}

fn is_polynomial(expr: &PetExpr) -> bool {
    match expr {
        PetExpr::Int { .. } | PetExpr::Access { array: None, .. } => true,
        PetExpr::Cast { arg, .. } => is_polynomial(arg),
        PetExpr::Op { op, args, .. } => {
            matches!(op.as_str(), "add" | "sub" | "mul" | "minus") && args.iter().all(is_polynomial)
        }
        PetExpr::Access { .. } | PetExpr::Call { .. } | PetExpr::Double(_) => false,
    }
}

/// Whether an expression is a sum or a product of type `unsigned int`, which wraps around before
/// it becomes a number of 64 bits.
fn wraps_early(expr: &PetExpr) -> bool {
    matches!(expr, PetExpr::Op { type_size: 32, .. })
}

/// The dimensions of an array.
struct Shape {
    /// Numbers of elements of the inner dimensions, innermost last.
    extents: Vec<Extent>,
    /// By access, the subscripts, outermost first.
    subscripts: Vec<Vec<PwAff>>,
}

enum Outcome {
    Found(Shape),
    Failed(Option<Failure>),
}

/// Why an array has no dimensions.
enum Failure {
    /// An access whose column is not known to be in its row.
    Leaves {
        access: usize,
        column: Option<String>,
        length: String,
        /// Dimensions that there are below this one.
        depth: usize,
    },
    /// Two accesses with rows of different lengths.
    Disagree([(usize, String); 2]),
}

/// The search for the dimensions of an array.
struct Search<'a> {
    statements: &'a Statements<'a>,
    uses: &'a Uses,
    failure: Option<Failure>,
}

/// Lengths of rows, and how they divide the subscripts: innermost first.
#[derive(Clone, Default)]
struct Divided {
    extents: Vec<Extent>,
    /// By access, the columns.
    columns: Vec<Vec<PwAff>>,
}

impl<'a> Search<'a> {
    fn new(statements: &'a Statements<'a>, uses: &'a Uses) -> Result<Self> {
        Ok(Search {
            statements,
            uses,
            failure: None,
        })
    }

    fn run(mut self) -> Result<Outcome> {
        let subscripts: Vec<Poly> = self.uses.all.iter().map(|u| u.subscript.clone()).collect();
        let divided = Divided {
            columns: vec![Vec::new(); subscripts.len()],
            ..Divided::default()
        };
        let found = self.divide(&subscripts, &divided)?;
        Ok(match found {
            Some(shape) => Outcome::Found(shape),
            None => {
                if self.failure.is_none() {
                    self.failure = self.disagreement()?;
                }
                Outcome::Failed(self.failure)
            }
        })
    }

    /// Divides what is left of the subscripts until it is affine.
    fn divide(&mut self, left: &[Poly], divided: &Divided) -> Result<Option<Shape>> {
        if !divided.extents.is_empty() && left.iter().all(Poly::is_affine) {
            return self.finish(left, divided).map(Some);
        }
        if divided.extents.len() >= MAX_INNER {
            return Ok(None);
        }
        for length in &self.uses.lengths {
            let Some((quotients, columns)) = self.by(left, length, divided)? else {
                continue;
            };
            let mut next = divided.clone();
            next.extents.push(length.clone());
            for (all, column) in next.columns.iter_mut().zip(columns) {
                all.push(column);
            }
            if let Some(shape) = self.divide(&quotients, &next)? {
                return Ok(Some(shape));
            }
        }
        Ok(None)
    }

    /// Rows and columns of all accesses for rows of a length; `None` where a column is not affine
    /// or not known to be in its row.
    fn by(
        &mut self,
        left: &[Poly],
        length: &Extent,
        divided: &Divided,
    ) -> Result<Option<(Vec<Poly>, Vec<PwAff>)>> {
        let mut parts = Vec::new();
        for subscript in left {
            match subscript.divide(length)? {
                Some((quotient, rest)) if rest.is_affine() => parts.push((quotient, rest)),
                _ => return Ok(None),
            }
        }
        // Columns of which none changes say nothing of rows: with `x[i*step]` the last row may
        // end behind its first element.
        if divided.extents.is_empty() && parts.iter().all(|(_, rest)| rest.is_fixed()) {
            return Ok(None);
        }
        let (mut quotients, mut columns) = (Vec::new(), Vec::new());
        for (access, (quotient, rest)) in parts.iter().enumerate() {
            let Some((quotient, column)) = self.column(access, (quotient, rest), length)? else {
                self.note_leaving(access, (rest, length), divided.extents.len())?;
                return Ok(None);
            };
            quotients.push(quotient);
            columns.push(column);
        }
        Ok(Some((quotients, columns)))
    }

    /// The row and the column of an access, where the column is proven to be in its row.
    fn column(
        &self,
        access: usize,
        (quotient, rest): (&Poly, &Poly),
        length: &Extent,
    ) -> Result<Option<(Poly, PwAff)>> {
        let domain = &self.statements.domains[self.uses.all[access].stmt];
        let instances = Instances::new(domain);
        let zero = instances.number(0)?;
        let length = length.poly();
        let extent = length.to_function(&instances)?;
        // Sizes for which a row has no element are left out, and for a column that is the same
        // for all instances those for which its row is too short.
        let shortest = rest.constant().filter(|_| rest.is_fixed()).unwrap_or(0);
        let shortest = instances.number(shortest.saturating_abs().min(MAX_SHORTEST))?;
        let domain = domain.intersect(&extent.gt_set(&shortest)?)?;
        for shift in SHIFTS {
            let moved = match length.times_number(shift)? {
                Some(rows) => rest.plus(&rows)?,
                None => None,
            };
            let row = quotient.plus(&Poly::number(-shift))?;
            let (Some(moved), Some(row)) = (moved, row) else {
                continue;
            };
            let column = moved.to_function(&instances)?;
            let before = domain.intersect(&column.lt_set(&zero)?)?;
            if before.is_empty()? && domain.intersect(&column.ge_set(&extent)?)?.is_empty()? {
                return Ok(Some((row, column)));
            }
        }
        Ok(None)
    }

    /// Remembers the deepest failure, of several the first.
    fn note_leaving(
        &mut self,
        access: usize,
        (rest, length): (&Poly, &Extent),
        depth: usize,
    ) -> Result<()> {
        if matches!(&self.failure, Some(Failure::Leaves { depth: d, .. }) if *d >= depth) {
            return Ok(());
        }
        let instances = Instances::new(&self.statements.domains[self.uses.all[access].stmt]);
        let column = rest.to_function(&instances)?;
        let column = match column.n_piece()? {
            1 => bounds::affine_text(&column.to_str()?),
            _ => None,
        };
        self.failure = Some(Failure::Leaves {
            access,
            column,
            length: length.text(),
            depth,
        });
        Ok(())
    }

    fn finish(&self, left: &[Poly], divided: &Divided) -> Result<Shape> {
        let mut subscripts = Vec::new();
        for ((access, outermost), columns) in self.uses.all.iter().zip(left).zip(&divided.columns) {
            let instances = Instances::new(&self.statements.domains[access.stmt]);
            let mut all = vec![outermost.to_function(&instances)?];
            all.extend(columns.iter().rev().cloned());
            subscripts.push(all);
        }
        Ok(Shape {
            extents: divided.extents.iter().rev().cloned().collect(),
            subscripts,
        })
    }

    /// The first two accesses that no length of rows divides both.
    fn disagreement(&self) -> Result<Option<Failure>> {
        let mut first: Option<(usize, Vec<String>)> = None;
        for (access, of) in self.uses.all.iter().enumerate() {
            if of.subscript.is_affine() {
                continue;
            }
            let mut own = Vec::new();
            for length in &self.uses.lengths {
                let divided = of.subscript.divide(length)?;
                if divided.is_some_and(|(_, rest)| rest.is_affine()) {
                    own.push(length.text());
                }
            }
            match (&first, own.first()) {
                (_, None) => return Ok(None),
                (None, Some(_)) => first = Some((access, own)),
                (Some((other, theirs)), Some(mine)) => {
                    if !own.iter().any(|length| theirs.contains(length)) {
                        let theirs = theirs.first().cloned().unwrap_or_default();
                        return Ok(Some(Failure::Disagree([
                            (*other, theirs),
                            (access, mine.clone()),
                        ])));
                    }
                }
            }
        }
        Ok(None)
    }
}

impl Failure {
    fn diagnostic(self, text: &str, array: &PetArray, uses: &Uses) -> Diagnostic {
        let (name, ty) = (&array.name, &array.element_type);
        let place = |access: usize| {
            let access = &uses.all[access];
            csource::find_access(text, access.span.clone(), name, access.nth)
                .unwrap_or_else(|| access.span.clone())
        };
        match self {
            Failure::Leaves {
                access,
                column,
                length,
                ..
            } => {
                let label = match column {
                    Some(column) => format!("not known here: `0 <= {column} < {length}`"),
                    None => format!("not known here that the column is less than `{length}`"),
                };
                let rows = format!(
                    "`{name}` is flat, with rows of `{length}` elements as its subscripts look; it is taken as an array of rows where each column is in its row for all sizes"
                );
                let help = format!(
                    "let the loops over columns end at `{length}`, or, where no run leaves a row, say what the array is: `{ty} (*rows)[{length}] = ({ty} (*)[{length}]){name};` before the region, and `rows[i][j]` instead of `{name}[..]`"
                );
                Diagnostic::error("HX0104", format!("a column of `{name}` may leave its row"))
                    .at(place(access), label)
                    .note(rows)
                    .help(help)
            }
            Failure::Disagree([(a, of_a), (b, of_b)]) => Diagnostic::error(
                "HX0104",
                format!("subscripts of `{name}` disagree about the length of its rows"),
            )
            .at(place(b), format!("rows of `{of_b}` elements"))
            .also(place(a), format!("rows of `{of_a}` elements"))
            .note("a flat array is taken as an array of rows, of which all have one length")
            .help(
                "copy what is read with another length into an array of its own before the region",
            ),
        }
    }
}

/// Gives an array of a scop its dimensions.
fn apply(ctx: &Ctx, scop: &mut PetScop, array: &PetArray, shape: &Shape) -> Result<()> {
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
    for stmt in &mut scop.stmts {
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
    let extent = extent(name, &shape.extents);
    // isl refuses what it cannot read here, where the cause is known.
    Set::read(ctx, &extent)?;
    for own in scop.arrays.iter_mut().filter(|a| a.name == *name) {
        own.extent.clone_from(&extent);
    }
    Ok(())
}

/// The elements of a pointer to rows: `[n] -> { u[i0, i1] : i0 >= 0 and 0 <= i1 < n }`.
fn extent(name: &str, extents: &[Extent]) -> String {
    let params: BTreeSet<String> = extents.iter().flat_map(Extent::parameters).collect();
    let params: Vec<String> = params.into_iter().collect();
    let dims: Vec<String> = (0..=extents.len()).map(|d| format!("i{d}")).collect();
    let mut conditions = format!("{} >= 0", dims[0]);
    for (dim, extent) in dims.iter().skip(1).zip(extents) {
        conditions += &format!(" and 0 <= {dim} < {}", extent.text());
    }
    format!(
        "[{}] -> {{ {name}[{}] : {conditions} }}",
        params.join(", "),
        dims.join(", ")
    )
}
