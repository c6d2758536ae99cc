//! Accesses that are out of bounds whatever the sizes are.
//!
//! A translation copies arrays by their declared sizes, so what C reads behind the end of a row,
//! or of the array, is not what the kernel reads. C leaves such accesses undefined. They are
//! refused where they happen for all sizes at which the statement runs at all; where some sizes
//! keep them inside, the sizes of a run decide, as in C. A size with a value that the function gives
//! it has no other; sizes at which sums of an unsigned type wrap around excuse nothing.

use super::{Access, Expr, PetScop, Scop, SourceFile, Statement, wrap};
use crate::causes;
use crate::csource;
use crate::diag::{Diagnostic, Result};
use hexcc_isl::{DimType, PwAff, Set};
use std::collections::BTreeSet;
use std::ops::Range;

/// Refuses accesses that are always out of bounds; some sizes have numbers that the program gives them.
///
/// # Errors
/// HX0111 for the first one.
pub fn check(scop: &Scop, source: &SourceFile, given: &[(String, i64)]) -> Result<()> {
    let known = looked_at(scop, given)?;
    for stmt in &scop.stmts {
        if stmt
            .domain
            .intersect_params(&scop.context.params()?)?
            .is_empty()?
        {
            return Err(never_defined(
                &source.text,
                &scop.region,
                std::slice::from_ref(&stmt.span),
            ));
        }
        causes::check_ends(&source.text, scop.region.clone(), stmt)?;
        let certain = certain_reads(stmt);
        let reads = stmt.reads.iter().enumerate();
        let reads = reads.filter(|(i, _)| certain.contains(i)).map(|(_, r)| r);
        for access in reads.chain([&stmt.write]) {
            check_access(scop, source, access, &known)?;
        }
    }
    Ok(())
}

/// The sizes that are looked at: those that the program gives numbers to have these, and of the others
/// those whose sums no type of 32 bits wraps around.
fn looked_at(scop: &Scop, given: &[(String, i64)]) -> Result<Set> {
    let mut sizes = scop.context.params()?.universe_like()?;
    for name in &scop.params {
        let condition = match given.iter().find(|(known, _)| known == name) {
            Some((_, value)) => format!("{name} = {value}"),
            None => format!("{name} <= {}", 1 << 30),
        };
        let text = format!("[{name}] -> {{ : {condition} }}");
        sizes = sizes.intersect(&Set::read(scop.context.ctx(), &text)?)?;
    }
    Ok(sizes)
}

/// What a run has to keep for the translation to hold, as conditions on the parameters.
///
/// pet takes it for granted that no subscript is negative and no array has a negative size. C
/// allows subscripts below 0 where a pointer points into the middle of an array. Left out is what
/// the types of the parameters say, and that the sizes of arrays are not negative.
///
/// # Errors
/// HX0401 where isl gives up.
pub fn assumed(scop: &Scop) -> Result<Set> {
    let context = scop.context.params()?;
    let mut sizes = BTreeSet::new();
    for extent in scop.arrays.iter().flat_map(|a| &a.extents) {
        let extent = extent.drop_unused_params()?;
        for i in 0..extent.dim(DimType::Param)? {
            sizes.extend(extent.dim_name(DimType::Param, i as u32)?);
        }
    }
    let known = of_types(&context, &scop.params, &sizes)?;
    Ok(context.gist_params(&known)?.coalesce()?)
}

/// What the types of parameters say of their values, as far as a context holds it, and that those
/// named are not negative.
fn of_types(context: &Set, params: &[String], sizes: &BTreeSet<String>) -> Result<Set> {
    let mut known = context.universe_like()?;
    for name in params {
        let holds = |condition: &str| -> Result<Option<Set>> {
            let text = format!("[{name}] -> {{ : {condition} }}");
            let set = Set::read(context.ctx(), &text)?;
            Ok(context.is_subset(&set)?.then_some(set))
        };
        let mut conditions: Vec<String> = ([8, 16, 32, wrap::FAR_BITS, 64].iter())
            .flat_map(|bits| {
                let signed = 1i128 << (bits - 1);
                [
                    format!("{name} >= -{signed}"),
                    format!("{name} < {signed}"),
                    format!("{name} < {}", 2 * signed),
                ]
            })
            .collect();
        let signed = holds(&format!("{name} < 2147483648"))?.is_some();
        if sizes.contains(name) || !signed || holds(&format!("{name} < 65536"))?.is_some() {
            conditions.push(format!("{name} >= 0"));
        }
        for condition in conditions {
            if let Some(set) = holds(&condition)? {
                known = known.intersect(&set)?;
            }
        }
    }
    Ok(known)
}

/// Whether pet leaves out of a context sizes that types and the declarations of arrays allow, so
/// that statements that never run may do so because of it.
///
/// # Errors
/// HX0401 where isl gives up.
pub(super) fn leaves_out_sizes(context: &Set, pet: &PetScop) -> Result<bool> {
    let context = context.params()?;
    let params = context.param_names()?;
    let declared = |name: &String| pet.arrays.iter().any(|a| mentions(&a.extent, name));
    let sizes = params.iter().filter(|name| declared(name)).cloned();
    let known = of_types(&context, &params, &sizes.collect())?;
    Ok(!context
        .gist_params(&known)?
        .coalesce()?
        .plain_is_universe()?)
}

fn mentions(extent: &str, name: &str) -> bool {
    let words = extent.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.into_iter().any(|word| word == name)
}

/// pet leaves sizes out of its context for which a subscript is negative; no other size makes the
/// statements run.
pub(super) fn never_defined(
    text: &str,
    region: &Range<usize>,
    stmts: &[Range<usize>],
) -> Box<Diagnostic> {
    let subscript = (stmts.iter()).find_map(|s| csource::subscript_below(text, region.clone(), s));
    let d = Diagnostic::error(
        "HX0111",
        "a subscript is negative whenever this loop nest runs",
    );
    let d = match (subscript, stmts.first()) {
        (Some(subscript), _) => d.at(subscript, "reaches elements before the first"),
        (None, Some(first)) => d.at(first.clone(), "for all sizes at which this runs, it or what runs with it accesses an element before the first"),
        (None, None) => d,
    };
    Box::new(
        d.note("C leaves an access before an array, or a row, undefined; arrays are copied to the device from the element that their pointer points to")
            .help("start the loop later, `for (i = 1; ..)` where `A[i-1]` is read, or let the pointer point to the first element used"),
    )
}

/// The reads that every instance of a statement does: not those in the arms of `?:` and behind
/// `&&` and `||`.
pub(super) fn certain_reads(stmt: &Statement) -> BTreeSet<usize> {
    let mut certain = BTreeSet::new();
    for expr in stmt.expressions() {
        collect(expr, &mut certain);
    }
    certain
}

fn collect(expr: &Expr, certain: &mut BTreeSet<usize>) {
    match expr {
        Expr::Read(i, _) => {
            certain.insert(*i);
        }
        Expr::Int { .. } | Expr::Float { .. } | Expr::Affine { .. } | Expr::Local(..) => {}
        Expr::Unary { arg, .. } | Expr::Cast { arg, .. } => collect(arg, certain),
        Expr::Cond { cond, .. } => collect(cond, certain),
        Expr::Binary { op, lhs, rhs } => {
            collect(lhs, certain);
            if !matches!(*op, "&&" | "||") {
                collect(rhs, certain);
            }
        }
        Expr::Call { args, .. } | Expr::Cell { args, .. } => {
            args.iter().for_each(|a| collect(a, certain));
        }
    }
}

fn check_access(scop: &Scop, source: &SourceFile, access: &Access, known: &Set) -> Result<()> {
    let array = scop.array(access.array);
    let indices = access.map.range()?;
    let rank = indices.dim(DimType::Set)?;
    let runs = (access.map.domain()?.params()?)
        .intersect_params(&scop.context.params()?)?
        .intersect_params(known)?;
    if runs.is_empty()? || rank != array.extents.len() {
        return Ok(());
    }
    for (d, extent) in array.extents.iter().enumerate() {
        let along = indices.along(d as u32)?;
        // The last element, for sizes at which there is one.
        let last = extent.add_constant(-1)?.to_set()?;
        let inside = up_to(&last)?;
        let outside = |set: &Set| -> Result<bool> { Ok(runs.is_subset(&set.params()?)?) };
        let below = along.subtract(&along.lower_bound(DimType::Set, 0, 0)?)?;
        let above = along.lower_bound(DimType::Set, 0, 0)?.subtract(&inside)?;
        let bound = BoundsError {
            scop,
            source,
            access,
            dim: d,
            runs: &runs,
        };
        if outside(&below)? {
            return Err(bound.below(&along.dim_min(0)));
        }
        if !(array.pointer && d == 0) && outside(&above)? {
            return Err(bound.above(&along.dim_max(0), extent));
        }
    }
    Ok(())
}

/// The numbers from 0 to the one in `last`, for each value of the parameters.
fn up_to(last: &Set) -> Result<Set> {
    let ctx = last.ctx();
    let below = Set::read(ctx, "{ [i] : i >= 0 }")?;
    let upwards = hexcc_isl::Map::read(ctx, "{ [i] -> [j] : j <= i }")?;
    Ok(last
        .reset_tuple_name()?
        .apply(&upwards)?
        .intersect(&below)?)
}

/// Whether all elements of an access are known to exist, one subscript at a time.
///
/// # Errors
/// HX0401 where isl gives up.
pub fn is_inside(scop: &Scop, access: &Access) -> Result<bool> {
    let array = scop.array(access.array);
    let indices = access.map.range()?;
    let indices = indices.intersect_params(&scop.context.params()?)?;
    if indices.dim(DimType::Set)? != array.extents.len() {
        return Ok(false);
    }
    for (d, extent) in array.extents.iter().enumerate() {
        let inside = up_to(&extent.add_constant(-1)?.to_set()?)?;
        if !indices.along(d as u32)?.is_subset(&inside)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// What a message about an access is made of.
struct BoundsError<'a> {
    scop: &'a Scop,
    source: &'a SourceFile,
    access: &'a Access,
    dim: usize,
    runs: &'a Set,
}

impl BoundsError<'_> {
    fn below(&self, lowest: &hexcc_isl::Result<PwAff>) -> Box<Diagnostic> {
        let array = self.scop.array(self.access.array);
        let reached = self.text(lowest).map_or("numbers below 0".into(), |t| t);
        let d = self.message(&reached);
        if array.pointer && self.dim == 0 {
            return Box::new(
                d.note(
                    "arrays are copied to the device from the element that their pointer points to",
                )
                .help(
                    "let the pointer point to the first element used, and count subscripts from it",
                ),
            );
        }
        Box::new(
            d.note("C leaves an access outside of an array, or of a row, undefined")
                .help("start the loop later, or declare ghost cells and shift the subscripts"),
        )
    }

    fn above(&self, highest: &hexcc_isl::Result<PwAff>, extent: &PwAff) -> Box<Diagnostic> {
        let reached = self
            .text(highest)
            .unwrap_or_else(|| "numbers too large".into());
        let name = &self.scop.array(self.access.array).name;
        let mut d = self.message(&reached);
        let last = self.text(&extent.add_constant(-1));
        if let (Some(extent), Some(last)) = (self.text(&extent.add_constant(0)), last) {
            d = d.note(format!(
                "dimension {} of `{name}` has {extent} elements, 0 to {last}",
                self.dim
            ));
        }
        Box::new(
            d.note("C leaves an access outside of an array, or of a row, undefined")
                .help("end the loop earlier, or declare the array larger"),
        )
    }

    fn message(&self, reached: &str) -> Diagnostic {
        let name = &self.scop.array(self.access.array).name;
        let span = self.scop.access_span(&self.source.text, self.access);
        Diagnostic::error("HX0111", format!("`{name}` is accessed out of bounds"))
            .at(span, format!("subscript {} reaches {reached}", self.dim))
    }

    /// A function of the parameters as C, where it has one piece.
    fn text(&self, value: &hexcc_isl::Result<PwAff>) -> Option<String> {
        let value = value.as_ref().ok()?;
        let value = value.coalesce().ok()?.gist_params(self.runs).ok()?;
        if value.n_piece().ok()? != 1 {
            return None;
        }
        affine_text(&value.to_str().ok()?)
    }
}

/// An affine function of one piece in isl's notation, `{ S[i] -> [(-1 + i)] }`, as C writes it.
pub(super) fn affine_text(function: &str) -> Option<String> {
    let (_, body) = function.split_once("[(")?;
    let text = body.strip_suffix(" }")?.split(")]").next()?;
    // isl writes constants first.
    let Some((constant, rest)) = text.split_once(" + ") else {
        return Some(text.to_string());
    };
    let is_number = |t: &str| !t.is_empty() && t.bytes().all(|b| b.is_ascii_digit());
    Some(match constant.strip_prefix('-') {
        Some(size) if is_number(size) => format!("{rest} - {size}"),
        _ => text.to_string(),
    })
}
