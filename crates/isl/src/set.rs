//! Sets of integer tuples.

use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;

use crate::ctx::c_string;
use crate::object::{
    Owned, basic_sets_of, coalesces, constraints_of, dimension_ranges, dimension_values,
    dimensions, operations, public_object, questions,
};
use crate::value::{c_index, integer};
use crate::{Bound, Ctx, DimType, Error, Map, PwAff, Result, ffi};

public_object! {
    /// A set of integer tuples in one space, for parameters.
    ///
    /// A set without tuple (`[N] -> { : N > 0 }`) is a *parameter set*, a condition on parameters.
    Set(isl_set): isl_set_copy, isl_set_to_str, ffi::isl_set_read_from_str
}

/// One constraint of a basic set: the weighted sum of all its variables, plus the constant, is
/// zero ([`Constraint::equality`]) or not negative.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Constraint {
    /// Whether the sum is zero; otherwise it is at least zero.
    pub equality: bool,
    /// The constant term.
    pub constant: i64,
    /// The coefficient of each parameter.
    pub params: Vec<i64>,
    /// The coefficient of each dimension.
    pub dims: Vec<i64>,
    /// The coefficient of each existentially quantified variable of the basic set.
    pub divs: Vec<i64>,
}

/// isl's functions in the form that the macros ask for. isl passes NULL through.
mod adapted {
    use crate::ffi::*;

    pub unsafe fn affine_hull(set: *mut isl_set) -> *mut isl_set {
        // SAFETY: promised by the caller.
        unsafe { isl_set_from_basic_set(isl_set_affine_hull(set)) }
    }

    pub unsafe fn simple_hull(set: *mut isl_set) -> *mut isl_set {
        // SAFETY: promised by the caller.
        unsafe { isl_set_from_basic_set(isl_set_simple_hull(set)) }
    }

    pub unsafe fn polyhedral_hull(set: *mut isl_set) -> *mut isl_set {
        // SAFETY: promised by the caller.
        unsafe { isl_set_from_basic_set(isl_set_polyhedral_hull(set)) }
    }

    pub unsafe fn convex_hull(set: *mut isl_set) -> *mut isl_set {
        // SAFETY: promised by the caller.
        unsafe { isl_set_from_basic_set(isl_set_convex_hull(set)) }
    }
}

coalesces! {
    Set = ffi::isl_set_coalesce;
}

operations! { Set {
    /// The elements in both sets.
    fn intersect(other: Set) -> Set = ffi::isl_set_intersect;
    /// The elements in either set.
    fn union(other: Set) -> Set = ffi::isl_set_union;
    /// The elements that are not in `other`.
    fn subtract(other: Set) -> Set = ffi::isl_set_subtract;
    /// The tuples of the same space that are not in the set.
    fn complement() -> Set = ffi::isl_set_complement;
    /// The image under `map`.
    fn apply(map: Map) -> Set = ffi::isl_set_apply;
    /// The parameter values for which the set is not empty, as a parameter set.
    fn params() -> Set = ffi::isl_set_params;
    /// The set for the parameter values in the parameter set `params`.
    fn intersect_params(params: Set) -> Set = ffi::isl_set_intersect_params;
    /// A simpler set that is the same inside `context`.
    fn gist(context: Set) -> Set = ffi::isl_set_gist;
    /// A simpler set that is the same for the parameters in the parameter set `context`.
    fn gist_params(context: Set) -> Set = ffi::isl_set_gist_params;
    /// The smallest affine space around the set.
    fn affine_hull() -> Set = adapted::affine_hull;
    /// A basic set around the set, made of translates of its constraints.
    fn simple_hull() -> Set = adapted::simple_hull;
    /// The smallest basic set without existentially quantified variables around the set.
    fn polyhedral_hull() -> Set = adapted::polyhedral_hull;
    /// The convex hull; costly.
    fn convex_hull() -> Set = adapted::convex_hull;
    /// A set around the set, without existentially quantified variables.
    fn remove_divs() -> Set = ffi::isl_set_remove_divs;
    /// The same set with its implicit equalities made explicit.
    fn detect_equalities() -> Set = ffi::isl_set_detect_equalities;
    /// The same set with every existentially quantified variable defined as a floor.
    fn compute_divs() -> Set = ffi::isl_set_compute_divs;
    /// The lexicographically smallest element, for each parameter value.
    fn lexmin() -> Set = ffi::isl_set_lexmin;
    /// The lexicographically largest element, for each parameter value.
    fn lexmax() -> Set = ffi::isl_set_lexmax;
    /// The set for some value of the parameters.
    fn project_out_all_params() -> Set = ffi::isl_set_project_out_all_params;
    /// The same set without the parameters that do not occur in it.
    fn drop_unused_params() -> Set = ffi::isl_set_drop_unused_params;
    /// The map from each element to itself.
    fn identity() -> Map = ffi::isl_set_identity;
    /// The same set with nested tuples, and their names, replaced by one flat tuple.
    fn flatten() -> Set = ffi::isl_set_flatten;
    /// The map that a wrapped map holds.
    fn unwrap_map() -> Map = ffi::isl_set_unwrap;
} }

questions! { Set {
    /// Whether there is no element for any parameter value.
    fn is_empty() = ffi::isl_set_is_empty;
    /// Whether every element is in `other`.
    fn is_subset(other: Set) = ffi::isl_set_is_subset;
    /// Whether both have the same elements.
    fn is_equal(other: Set) = ffi::isl_set_is_equal;
    /// Whether they are equal and have the same constraints; `false` says nothing.
    fn plain_is_equal(other: Set) = ffi::isl_set_plain_is_equal;
    /// Whether they have no element in common.
    fn is_disjoint(other: Set) = ffi::isl_set_is_disjoint;
    /// Whether the set is bounded for each parameter value.
    fn is_bounded() = ffi::isl_set_is_bounded;
    /// Whether there is exactly one element; parameters count as variables.
    fn is_singleton() = ffi::isl_set_is_singleton;
    /// Whether the set has no constraint at all; a set with redundant ones gives `false`.
    fn plain_is_universe() = ffi::isl_set_plain_is_universe;
    /// Whether the set is a wrapped map, `{ [[i] -> [j]] }`.
    fn is_wrapping() = ffi::isl_set_is_wrapping;
    /// Whether this is a parameter set.
    fn is_params() = ffi::isl_set_is_params;
} }

dimension_ranges! { Set {
    /// Removes the `n` dimensions from `first` on: the set for some value of them.
    fn project_out(first, n) after check_range = ffi::isl_set_project_out;
    /// Frees the `n` dimensions from `first` on: they take any value.
    fn eliminate(first, n) after check_range = ffi::isl_set_eliminate;
    /// Drops the constraints in which the `n` dimensions from `first` on occur.
    fn drop_constraints_involving_dims(first, n) after check_range = ffi::isl_set_drop_constraints_involving_dims;
    /// Inserts `n` unconstrained dimensions before position `pos`.
    fn insert_dims(pos, n) after check_insert = ffi::isl_set_insert_dims;
} }

dimensions! {
    Set: ffi::isl_set_dim, ffi::isl_set_get_dim_name, ffi::isl_set_set_dim_name, ffi::isl_set_add_dims, ffi::isl_set_move_dims
}

dimension_values! { Set {
    /// The elements with the value at that position.
    fn fix = ffi::isl_set_fix_val;
    /// The elements with at least the value at that position.
    fn lower_bound = ffi::isl_set_lower_bound_val;
    /// The elements with at most the value at that position.
    fn upper_bound = ffi::isl_set_upper_bound_val;
} }

impl Set {
    /// The names of its parameters.
    pub fn param_names(&self) -> Result<Vec<String>> {
        let mut names = Vec::new();
        for i in 0..self.dim(DimType::Param)? {
            names.extend(self.dim_name(DimType::Param, i as u32)?);
        }
        Ok(names)
    }

    /// Refuses to give a set input dimensions, which would make a map of it.
    fn check_kind(&self, dim: DimType) -> Result<()> {
        match dim {
            DimType::Param => Ok(()),
            DimType::Set if !self.is_params()? => Ok(()),
            _ => Err(Error::new(format!(
                "a set without dimensions of kind {dim:?}"
            ))),
        }
    }

    /// The map from every element to every one of `range`.
    pub fn to_all_of(&self, range: &Set) -> Result<Map> {
        self.0.same_ctx(&range.0)?;
        let ctx = &self.0.ctx;
        // SAFETY: one reference to each is consumed.
        ctx.give(|| unsafe { ffi::isl_map_from_domain_and_range(self.0.take(), range.0.take()) })
            .map(Map)
    }

    /// The values of the dimension at a position: a set of one dimension, without a name.
    pub fn along(&self, pos: u32) -> Result<Set> {
        let n = u32::try_from(self.dim(DimType::Set)?)
            .map_err(|_| Error::new("too many dimensions"))?;
        let after = pos.saturating_add(1);
        (self.project_out(DimType::Set, after, n.saturating_sub(after))?)
            .project_out(DimType::Set, 0, pos)?
            .reset_tuple_name()
    }

    /// The same set with the parameters of `model` first, in its order.
    pub fn align_params(&self, model: &Set) -> Result<Set> {
        self.0.same_ctx(&model.0)?;
        let space = model.space()?.into_raw();
        let ctx = &self.0.ctx;
        // SAFETY: one reference and the space are consumed.
        ctx.give(|| unsafe { ffi::isl_set_align_params(self.0.take(), space) })
            .map(Set)
    }

    /// All tuples of the same space.
    pub fn universe_like(&self) -> Result<Set> {
        let space = self.space()?.into_raw();
        // SAFETY: the space is consumed.
        let ctx = &self.0.ctx;
        ctx.give(|| unsafe { ffi::isl_set_universe(space) })
            .map(Set)
    }

    /// The empty set of the same space.
    pub fn empty_like(&self) -> Result<Set> {
        let space = self.space()?.into_raw();
        let ctx = &self.0.ctx;
        // SAFETY: the space is consumed.
        ctx.give(|| unsafe { ffi::isl_set_empty(space) }).map(Set)
    }

    pub(crate) fn space(&self) -> Result<Owned<ffi::isl_space>> {
        let ctx = &self.0.ctx;
        // SAFETY: the set is alive.
        ctx.give(|| unsafe { ffi::isl_set_get_space(self.0.keep()) })
    }

    /// The name of the tuple, if it has one.
    pub fn tuple_name(&self) -> Result<Option<String>> {
        if self.is_params()? {
            return Ok(None);
        }
        let ctx = &self.0.ctx;
        // SAFETY: the set is alive and keeps the name alive.
        unsafe { ctx.name(|| ffi::isl_set_get_tuple_name(self.0.keep())) }
    }

    /// The same set without a tuple name.
    pub fn reset_tuple_name(&self) -> Result<Set> {
        if self.is_params()? {
            // isl would give it a tuple.
            return Ok(self.clone());
        }
        let ctx = &self.0.ctx;
        // SAFETY: one reference is consumed.
        ctx.give(|| unsafe { ffi::isl_set_reset_tuple_id(self.0.take()) })
            .map(Set)
    }

    /// The same set with its tuple named `name`. A parameter set has no tuple to name.
    pub fn set_tuple_name(&self, name: &str) -> Result<Set> {
        self.check_kind(DimType::Set)?;
        let name = c_string(name)?;
        let ctx = &self.0.ctx;
        // SAFETY: one reference is consumed, isl copies the name.
        ctx.give(|| unsafe { ffi::isl_set_set_tuple_name(self.0.take(), name.as_ptr()) })
            .map(Set)
    }

    /// `pos` for isl, where it is a dimension of the set.
    fn position(&self, pos: u32) -> Result<libc::c_int> {
        self.check_range(DimType::Set, pos, 1)?;
        c_index(pos as usize)
    }

    /// The smallest value of a dimension, as a function of the parameters.
    ///
    /// The function has no input tuple. It is an error for the value to be unbounded.
    pub fn dim_min(&self, pos: u32) -> Result<PwAff> {
        let pos = self.position(pos)?;
        let ctx = &self.0.ctx;
        // SAFETY: one reference is consumed.
        ctx.give(|| unsafe { ffi::isl_set_dim_min(self.0.take(), pos) })
            .map(PwAff)
    }

    /// The largest value of a dimension, as a function of the parameters.
    ///
    /// The function has no input tuple. It is an error for the value to be unbounded.
    pub fn dim_max(&self, pos: u32) -> Result<PwAff> {
        let pos = self.position(pos)?;
        let ctx = &self.0.ctx;
        // SAFETY: one reference is consumed.
        ctx.give(|| unsafe { ffi::isl_set_dim_max(self.0.take(), pos) })
            .map(PwAff)
    }

    /// The smallest value of a dimension over all parameter values.
    pub fn dim_min_val(&self, pos: u32) -> Result<Bound> {
        let pos = self.position(pos)?;
        let ctx = &self.0.ctx;
        // SAFETY: one reference is consumed.
        let val = ctx.give(|| unsafe { ffi::isl_set_dim_min_val(self.0.take(), pos) })?;
        Bound::from_val(&val)
    }

    /// The largest value of a dimension over all parameter values.
    pub fn dim_max_val(&self, pos: u32) -> Result<Bound> {
        let pos = self.position(pos)?;
        let ctx = &self.0.ctx;
        // SAFETY: one reference is consumed.
        let val = ctx.give(|| unsafe { ffi::isl_set_dim_max_val(self.0.take(), pos) })?;
        Bound::from_val(&val)
    }

    /// Refuses a set with parameters, for which the elements are not numbers.
    fn without_params(&self) -> Result<()> {
        match self.dim(DimType::Param)? {
            0 => Ok(()),
            n => Err(Error::new(format!(
                "the set has {n} parameters; fix their values first"
            ))),
        }
    }

    /// Some element of a set without parameters, or `None` if the set is empty.
    pub fn sample_point(&self) -> Result<Option<Vec<i64>>> {
        self.without_params()?;
        let n_dim = self.n_coordinates()?;
        let ctx = &self.0.ctx;
        // SAFETY: one reference is consumed.
        let point = ctx.give(|| unsafe { ffi::isl_set_sample_point(self.0.take()) })?;
        // SAFETY: the point is alive.
        if ctx.truth(|| unsafe { ffi::isl_point_is_void(point.keep()) })? {
            return Ok(None);
        }
        coordinates(&point, n_dim).map(Some)
    }

    /// The number of dimensions, which is zero for a parameter set.
    fn n_coordinates(&self) -> Result<usize> {
        if self.is_params()? {
            Ok(0)
        } else {
            self.dim(DimType::Set)
        }
    }

    /// All elements of a set without parameters, in no particular order.
    ///
    /// It is an error for the set to be unbounded or to have more than `limit` elements.
    pub fn points(&self, limit: usize) -> Result<Vec<Vec<i64>>> {
        self.without_params()?;
        self.check_bounded()?;
        let mut found = Points {
            ctx: self.0.ctx.clone(),
            n_dim: self.n_coordinates()?,
            limit,
            points: Vec::new(),
            failure: None,
        };
        let user: *mut Points = &mut found;
        // SAFETY: `add_point` has the type that isl asks for, and `user` is the `Points` that it
        // expects, which nothing else uses during the call.
        let outcome = self
            .0
            .ctx
            .stat(|| unsafe { ffi::isl_set_foreach_point(self.0.keep(), add_point, user.cast()) });
        match (outcome, found.failure) {
            (Err(error), Some(failure)) if !error.quota => Err(failure),
            (outcome, _) => outcome.map(|()| found.points),
        }
    }

    /// The number of elements of a bounded set without parameters, by enumeration.
    pub fn count(&self) -> Result<u64> {
        self.without_params()?;
        self.check_bounded()?;
        let ctx = &self.0.ctx;
        // SAFETY: the set is alive.
        let val = ctx.give(|| unsafe { ffi::isl_set_count_val(self.0.keep()) })?;
        u64::try_from(integer(&val)?).map_err(|_| Error::new("isl counted less than nothing"))
    }

    /// isl's enumeration fails without a message, or stops counting, where a set is unbounded.
    fn check_bounded(&self) -> Result<()> {
        if self.is_bounded()? {
            Ok(())
        } else {
            Err(Error::new("the set is unbounded"))
        }
    }

    /// The basic sets whose union this is; they may overlap. Their existentially quantified variables are
    /// floors.
    pub fn basic_sets(&self) -> Result<Vec<Set>> {
        self.compute_divs()?
            .basic_list()?
            .into_iter()
            .map(|basic| {
                let basic = basic.into_raw();
                let ctx = &self.0.ctx;
                // SAFETY: the basic set is consumed.
                ctx.give(|| unsafe { ffi::isl_set_from_basic_set(basic) })
                    .map(Set)
            })
            .collect()
    }

    fn basic_list(&self) -> Result<Vec<Owned<ffi::isl_basic_set>>> {
        let ctx = &self.0.ctx;
        // SAFETY: the set is alive.
        let list = ctx.give(|| unsafe { ffi::isl_set_get_basic_set_list(self.0.keep()) })?;
        basic_sets_of(&list)
    }

    /// The constraints of a set with exactly one basic set.
    ///
    /// Existentially quantified variables are first defined as floors, and their defining
    /// inequalities may be among the constraints.
    pub fn constraints(&self) -> Result<Vec<Constraint>> {
        let computed = self.compute_divs()?;
        let [basic] = <[_; 1]>::try_from(computed.basic_list()?).map_err(|basics| {
            Error::new(format!(
                "constraints of a set of {} basic sets",
                basics.len()
            ))
        })?;
        let ctx = &self.0.ctx;
        // SAFETY: the basic set is alive.
        let list = ctx.give(|| unsafe { ffi::isl_basic_set_get_constraint_list(basic.keep()) })?;
        constraints_of(&list)?.iter().map(constraint_data).collect()
    }

    /// The stride of a dimension and its offset: the dimension's value equals the offset modulo
    /// the stride. The offset is a function of the parameters and the other dimensions.
    pub fn stride(&self, pos: u32) -> Result<(i64, PwAff)> {
        let pos = self.position(pos)?;
        let ctx = &self.0.ctx;
        // SAFETY: the set is alive.
        let info = ctx.give(|| unsafe { ffi::isl_set_get_stride_info(self.0.keep(), pos) })?;
        // SAFETY: the stride information is alive.
        let stride = ctx.give(|| unsafe { ffi::isl_stride_info_get_stride(info.keep()) })?;
        // SAFETY: as above.
        let offset = ctx.give(|| unsafe { ffi::isl_stride_info_get_offset(info.keep()) })?;
        Ok((integer(&stride)?, PwAff::from_aff(offset)?))
    }
}

/// What the enumeration of points has found.
struct Points {
    ctx: Ctx,
    n_dim: usize,
    limit: usize,
    points: Vec<Vec<i64>>,
    failure: Option<Error>,
}

impl Points {
    fn add(&mut self, point: Owned<ffi::isl_point>) -> Result<()> {
        if self.points.len() >= self.limit {
            return Err(Error::new(format!(
                "the set has more than {} elements",
                self.limit
            )));
        }
        self.points.push(coordinates(&point, self.n_dim)?);
        Ok(())
    }
}

/// The callback of [`Set::points`]; no panic unwinds into isl.
unsafe extern "C" fn add_point(point: *mut ffi::isl_point, user: *mut c_void) -> ffi::IslStat {
    // SAFETY: `user` is the `Points` of the call in progress.
    let found = unsafe { &mut *user.cast::<Points>() };
    let outcome = catch_unwind(AssertUnwindSafe(|| match NonNull::new(point) {
        Some(point) => {
            let point = Owned::new(point, found.ctx.clone());
            found.add(point)
        }
        None => Err(Error::new("isl gave no point")),
    }));
    match outcome {
        Ok(Ok(())) => 0,
        Ok(Err(error)) => {
            found.failure = Some(error);
            -1
        }
        Err(_) => {
            found.failure = Some(Error::new("a panic while collecting points"));
            -1
        }
    }
}

fn coordinates(point: &Owned<ffi::isl_point>, n_dim: usize) -> Result<Vec<i64>> {
    (0..n_dim)
        .map(|pos| {
            let pos = c_index(pos)?;
            let dim = DimType::Set.raw();
            // SAFETY: the point is alive, and isl checks the position.
            let val = point
                .ctx
                .give(|| unsafe { ffi::isl_point_get_coordinate_val(point.keep(), dim, pos) })?;
            integer(&val)
        })
        .collect()
}

fn constraint_data(constraint: &Owned<ffi::isl_constraint>) -> Result<Constraint> {
    let ctx = &constraint.ctx;
    let coefficients = |dim: DimType| -> Result<Vec<i64>> {
        // SAFETY: the constraint is alive.
        let n = ctx.size(|| unsafe { ffi::isl_constraint_dim(constraint.keep(), dim.raw()) })?;
        (0..n)
            .map(|pos| {
                let pos = c_index(pos)?;
                // SAFETY: the constraint is alive, and isl checks the position.
                integer(&ctx.give(|| unsafe {
                    ffi::isl_constraint_get_coefficient_val(constraint.keep(), dim.raw(), pos)
                })?)
            })
            .collect()
    };
    // SAFETY: the constraint is alive.
    let constant =
        ctx.give(|| unsafe { ffi::isl_constraint_get_constant_val(constraint.keep()) })?;
    Ok(Constraint {
        // SAFETY: the constraint is alive.
        equality: ctx.truth(|| unsafe { ffi::isl_constraint_is_equality(constraint.keep()) })?,
        constant: integer(&constant)?,
        params: coefficients(DimType::Param)?,
        dims: coefficients(DimType::Set)?,
        divs: coefficients(DimType::Div)?,
    })
}
