//! Piecewise quasi-affine functions.

use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::ctx::c_string;
use crate::object::{Owned, coalesces, operations, public_object, questions};
use crate::value::{c_index, check_range, int_val, integer};
use crate::{Bound, Ctx, DimType, Error, Map, Rational, Result, Set, ffi};

public_object! {
    /// A piecewise quasi-affine function of a tuple and parameters, with rational values.
    ///
    /// A function without input tuple (`[N] -> { [(N)] }`) depends on parameters only, and its
    /// domain is a parameter set.
    PwAff(isl_pw_aff): isl_pw_aff_copy, isl_pw_aff_to_str, ffi::isl_pw_aff_read_from_str
}

public_object! {
    /// A tuple of piecewise quasi-affine functions of the same input.
    MultiPwAff(isl_multi_pw_aff): isl_multi_pw_aff_copy, isl_multi_pw_aff_to_str, ffi::isl_multi_pw_aff_read_from_str
}

coalesces! {
    PwAff = ffi::isl_pw_aff_coalesce;
}

operations! { PwAff {
    /// The sum, where both are defined.
    fn add(other: PwAff) -> PwAff = ffi::isl_pw_aff_add;
    /// The sum where both are defined, and each where only it is.
    fn union_add(other: PwAff) -> PwAff = ffi::isl_pw_aff_union_add;
    /// The difference, where both are defined.
    fn sub(other: PwAff) -> PwAff = ffi::isl_pw_aff_sub;
    /// The opposite.
    fn neg() -> PwAff = ffi::isl_pw_aff_neg;
    /// The larger value, where both are defined.
    fn max(other: PwAff) -> PwAff = ffi::isl_pw_aff_max;
    /// The smaller value, where both are defined.
    fn min(other: PwAff) -> PwAff = ffi::isl_pw_aff_min;
    /// Where the function is defined.
    fn domain() -> Set = ffi::isl_pw_aff_domain;
    /// The function on a part of its domain.
    fn intersect_domain(set: Set) -> PwAff = ffi::isl_pw_aff_intersect_domain;
    /// A simpler function that is the same on `context`.
    fn gist(context: Set) -> PwAff = ffi::isl_pw_aff_gist;
    /// A simpler function that is the same for the parameters in the parameter set `context`.
    fn gist_params(context: Set) -> PwAff = ffi::isl_pw_aff_gist_params;
    /// The function as a map to a tuple of one dimension; only integer values are in it.
    fn to_map() -> Map = ffi::isl_map_from_pw_aff;
    /// The values of a function without input tuple, as a set of one dimension.
    fn to_set() -> Set = ffi::isl_set_from_pw_aff;
    /// The same function without the parameters that do not occur in it.
    fn drop_unused_params() -> PwAff = ffi::isl_pw_aff_drop_unused_params;
    /// The function of what `inputs` gives.
    fn pullback(inputs: MultiPwAff) -> PwAff = ffi::isl_pw_aff_pullback_multi_pw_aff;
    /// Where both are defined and equal.
    fn eq_set(other: PwAff) -> Set = ffi::isl_pw_aff_eq_set;
    /// Where both are defined and this one is not less.
    fn ge_set(other: PwAff) -> Set = ffi::isl_pw_aff_ge_set;
    /// Where both are defined and this one is not greater.
    fn le_set(other: PwAff) -> Set = ffi::isl_pw_aff_le_set;
    /// Where both are defined and this one is less.
    fn lt_set(other: PwAff) -> Set = ffi::isl_pw_aff_lt_set;
    /// Where both are defined and this one is greater.
    fn gt_set(other: PwAff) -> Set = ffi::isl_pw_aff_gt_set;
} }

operations! { MultiPwAff {
    /// `A -> [B, C]` of `A -> B` and `A -> C`.
    fn flat_range_product(other: MultiPwAff) -> MultiPwAff = ffi::isl_multi_pw_aff_flat_range_product;
} }

questions! { PwAff {
    /// Whether both have the same domain and the same values.
    fn is_equal(other: PwAff) = ffi::isl_pw_aff_is_equal;
    /// Whether they are equal and have the same pieces; `false` says nothing.
    fn plain_is_equal(other: PwAff) = ffi::isl_pw_aff_plain_is_equal;
} }

impl PwAff {
    pub(crate) fn from_aff(aff: Owned<ffi::isl_aff>) -> Result<PwAff> {
        let ctx = aff.ctx.clone();
        let aff = aff.into_raw();
        // SAFETY: the affine function is consumed.
        ctx.give(|| unsafe { ffi::isl_pw_aff_from_aff(aff) })
            .map(PwAff)
    }

    /// The function multiplied by `factor`.
    pub fn mul_val(&self, factor: i64) -> Result<PwAff> {
        let ctx = &self.0.ctx;
        let factor = int_val(ctx, factor)?.into_raw();
        // SAFETY: one reference and the value are consumed.
        ctx.give(|| unsafe { ffi::isl_pw_aff_scale_val(self.0.take(), factor) })
            .map(PwAff)
    }

    /// The function with `constant` added.
    pub fn add_constant(&self, constant: i64) -> Result<PwAff> {
        let ctx = &self.0.ctx;
        let constant = int_val(ctx, constant)?.into_raw();
        // SAFETY: one reference and the value are consumed.
        ctx.give(|| unsafe { ffi::isl_pw_aff_add_constant_val(self.0.take(), constant) })
            .map(PwAff)
    }

    /// The floor of the function divided by a positive number.
    pub fn floor_div(&self, divisor: i64) -> Result<PwAff> {
        if divisor <= 0 {
            return Err(Error::new(format!("division by {divisor}")));
        }
        let ctx = &self.0.ctx;
        let divisor = int_val(ctx, divisor)?.into_raw();
        // SAFETY: one reference and the value are consumed, and isl passes NULL through.
        ctx.give(|| unsafe {
            ffi::isl_pw_aff_floor(ffi::isl_pw_aff_scale_down_val(self.0.take(), divisor))
        })
        .map(PwAff)
    }

    /// The constant that the function is equal to on its whole domain, if there is one.
    pub fn as_constant(&self) -> Result<Option<Rational>> {
        match (self.min_val()?, self.max_val()?) {
            (Bound::Finite(min), Bound::Finite(max)) if min == max => Ok(Some(min)),
            _ => Ok(None),
        }
    }

    /// The same function with a name for the input at a position.
    pub fn set_input_name(&self, pos: u32, name: &str) -> Result<PwAff> {
        let ctx = &self.0.ctx;
        let id = ctx.id(name)?.into_raw();
        let dim = DimType::In.raw();
        // SAFETY: one reference and the identifier are consumed, and isl checks the position.
        ctx.give(|| unsafe { ffi::isl_pw_aff_set_dim_id(self.0.take(), dim, pos, id) })
            .map(PwAff)
    }

    /// The largest value over the domain and all parameter values.
    pub fn max_val(&self) -> Result<Bound> {
        self.extreme(ffi::isl_pw_aff_max_val)
    }

    /// The smallest value over the domain and all parameter values.
    pub fn min_val(&self) -> Result<Bound> {
        self.extreme(ffi::isl_pw_aff_min_val)
    }

    /// isl optimises integer functions only, so the function is scaled by its denominators.
    fn extreme(
        &self,
        get: unsafe extern "C" fn(*mut ffi::isl_pw_aff) -> *mut ffi::isl_val,
    ) -> Result<Bound> {
        let den = self.common_denominator()?;
        let scaled = self.mul_val(den)?;
        let ctx = &self.0.ctx;
        // SAFETY: `get` consumes one reference.
        let val = ctx.give(|| unsafe { get(scaled.0.take()) })?;
        match Bound::from_val(&val)? {
            Bound::Finite(value) => Rational::new(1, den)?
                .checked_mul(value)
                .map(Bound::Finite)
                .ok_or_else(|| Error::new("the value is out of range")),
            other => Ok(other),
        }
    }

    /// A positive number that makes the function integer when multiplied by it.
    fn common_denominator(&self) -> Result<i64> {
        let mut found = Denominators {
            ctx: self.0.ctx.clone(),
            outcome: Ok(1),
        };
        let user: *mut Denominators = &mut found;
        // SAFETY: `add_denominator` has the type that isl asks for, and `user` is the
        // `Denominators` that it expects, which nothing else uses during the call.
        self.0.ctx.stat(|| unsafe {
            ffi::isl_pw_aff_foreach_piece(self.0.keep(), add_denominator, user.cast())
        })?;
        found.outcome
    }

    /// The pieces: where each is, and its function, which is defined everywhere.
    pub fn pieces(&self) -> Result<Vec<(Set, PwAff)>> {
        (self.raw_pieces()?.into_iter())
            .map(|(set, aff)| Ok((set, PwAff::from_aff(aff)?)))
            .collect()
    }

    /// The coefficient of a parameter or input dimension, and the function without that term.
    /// What the dimension adds within a floor stays. `None` for a function of several pieces and
    /// for a coefficient that is no integer of 64 bits.
    pub fn take_term(&self, dim: DimType, pos: u32) -> Result<Option<(i64, PwAff)>> {
        check_range(self.dim(dim)?, pos, 1)?;
        let Ok([(_, aff)]) = <[_; 1]>::try_from(self.raw_pieces()?) else {
            return Ok(None);
        };
        let (ctx, raw, at) = (&self.0.ctx, dim.raw(), c_index(pos as usize)?);
        // SAFETY: the affine function is alive, and the position is checked.
        let value =
            ctx.give(|| unsafe { ffi::isl_aff_get_coefficient_val(aff.keep(), raw, at) })?;
        let coefficient = match integer(&value) {
            Ok(coefficient) => coefficient,
            Err(error) if error.quota || error.stopped.is_some() => return Err(error),
            Err(_) => return Ok(None),
        };
        let aff = aff.into_raw();
        // SAFETY: the affine function is consumed, and the position is checked.
        let rest = ctx.give(|| unsafe { ffi::isl_aff_set_coefficient_si(aff, raw, at, 0) })?;
        Ok(Some((coefficient, PwAff::from_aff(rest)?)))
    }

    /// The function without the floors that are multiplied by multiples of a number, and then without the
    /// multiple of it in its constant: `18t + 2` of `18t - 72*floor((t + 2)/4) + 38` for 9. A function of several
    /// pieces stays as it is.
    pub fn without_floors_times(&self, number: i64) -> Result<PwAff> {
        let Ok([(_, mut aff)]) = <[_; 1]>::try_from(self.raw_pieces()?) else {
            return Ok(self.clone());
        };
        let (ctx, raw) = (&self.0.ctx, DimType::Div.raw());
        // SAFETY: the affine function is alive.
        let n = ctx.size(|| unsafe { ffi::isl_aff_dim(aff.keep(), raw) })?;
        let mut is_less = false;
        for at in 0..n {
            let at = c_index(at)?;
            // SAFETY: the affine function is alive, and the position is below the number of floors.
            let value =
                ctx.give(|| unsafe { ffi::isl_aff_get_coefficient_val(aff.keep(), raw, at) })?;
            if integer(&value).is_ok_and(|factor| factor != 0 && factor % number == 0) {
                is_less = true;
                let consumed = aff.into_raw();
                // SAFETY: the affine function is consumed, and the position is checked.
                aff =
                    ctx.give(|| unsafe { ffi::isl_aff_set_coefficient_si(consumed, raw, at, 0) })?;
            }
        }
        // SAFETY: the affine function is alive.
        let value = ctx.give(|| unsafe { ffi::isl_aff_get_constant_val(aff.keep()) })?;
        let rest = PwAff::from_aff(aff)?;
        match integer(&value) {
            Ok(constant) if is_less => rest.add_constant(constant % number - constant),
            _ => Ok(rest),
        }
    }

    /// The pieces, with isl's affine functions.
    fn raw_pieces(&self) -> Result<Vec<Piece>> {
        let mut found = Pieces {
            ctx: self.0.ctx.clone(),
            outcome: Ok(Vec::new()),
        };
        let user: *mut Pieces = &mut found;
        // SAFETY: `add_piece` has the type that isl asks for, and `user` is the `Pieces` that it
        // expects, which nothing else uses during the call.
        self.0.ctx.stat(|| unsafe {
            ffi::isl_pw_aff_foreach_piece(self.0.keep(), add_piece, user.cast())
        })?;
        found.outcome
    }

    /// Whether any of the `n` dimensions from `first` on matters to the function or its domain.
    pub fn involves(&self, dim: DimType, first: u32, n: u32) -> Result<bool> {
        check_range(self.dim(dim)?, first, n)?;
        // SAFETY: the function is alive, and the dimensions are checked.
        self.0
            .ctx
            .truth(|| unsafe { ffi::isl_pw_aff_involves_dims(self.0.keep(), dim.raw(), first, n) })
    }

    /// The number of pieces.
    pub fn n_piece(&self) -> Result<usize> {
        let ctx = &self.0.ctx;
        // SAFETY: the function is alive.
        ctx.size(|| unsafe { ffi::isl_pw_aff_n_piece(self.0.keep()) })
    }

    /// A function without input tuple as a function of the tuples in the space of `model`.
    pub fn insert_domain(&self, model: &Set) -> Result<PwAff> {
        self.0.same_ctx(&model.0)?;
        let space = model.space()?.into_raw();
        let ctx = &self.0.ctx;
        // SAFETY: one reference and the space are consumed.
        ctx.give(|| unsafe { ffi::isl_pw_aff_insert_domain(self.0.take(), space) })
            .map(PwAff)
    }

    /// The number of parameters or input dimensions.
    pub fn dim(&self, dim: DimType) -> Result<usize> {
        let ctx = &self.0.ctx;
        // SAFETY: the function is alive.
        ctx.size(|| unsafe { ffi::isl_pw_aff_dim(self.0.keep(), dim.raw()) })
    }

    /// The name of a parameter or input dimension, if it has one.
    pub fn dim_name(&self, dim: DimType, pos: u32) -> Result<Option<String>> {
        check_range(self.dim(dim)?, pos, 1)?;
        let ctx = &self.0.ctx;
        // SAFETY: the function is alive and keeps the name alive; the position is checked.
        unsafe { ctx.name(|| ffi::isl_pw_aff_get_dim_name(self.0.keep(), dim.raw(), pos)) }
    }
}

impl MultiPwAff {
    /// A tuple of one function.
    pub fn from_pw_aff(function: &PwAff) -> Result<MultiPwAff> {
        // SAFETY: one reference is consumed.
        let ctx = &function.0.ctx;
        ctx.give(|| unsafe { ffi::isl_multi_pw_aff_from_pw_aff(function.0.take()) })
            .map(MultiPwAff)
    }

    /// The same functions with a name for their tuple.
    pub fn set_tuple_name_out(&self, name: &str) -> Result<MultiPwAff> {
        let name = c_string(name)?;
        let (ctx, dim) = (&self.0.ctx, DimType::Out.raw());
        // SAFETY: one reference is consumed, and isl copies the name.
        ctx.give(|| unsafe {
            ffi::isl_multi_pw_aff_set_tuple_name(self.0.take(), dim, name.as_ptr())
        })
        .map(MultiPwAff)
    }

    /// The number of functions.
    pub fn dim(&self) -> Result<usize> {
        let ctx = &self.0.ctx;
        // SAFETY: the tuple is alive.
        ctx.size(|| unsafe { ffi::isl_multi_pw_aff_size(self.0.keep()) })
    }

    /// The function at position `i`.
    pub fn get(&self, i: u32) -> Result<PwAff> {
        let pos = c_index(i as usize)?;
        let ctx = &self.0.ctx;
        // SAFETY: the tuple is alive, and isl checks the position.
        ctx.give(|| unsafe { ffi::isl_multi_pw_aff_get_at(self.0.keep(), pos) })
            .map(PwAff)
    }

    /// The functions as a map.
    pub fn to_map(&self) -> Result<Map> {
        let ctx = &self.0.ctx;
        // SAFETY: one reference is consumed.
        ctx.give(|| unsafe { ffi::isl_map_from_multi_pw_aff(self.0.take()) })
            .map(Map)
    }

    /// The name of the output tuple, if it has one.
    pub fn tuple_name_out(&self) -> Result<Option<String>> {
        let ctx = &self.0.ctx;
        let dim = DimType::Out.raw();
        // SAFETY: the tuple is alive and keeps the name alive.
        unsafe { ctx.name(|| ffi::isl_multi_pw_aff_get_tuple_name(self.0.keep(), dim)) }
    }
}

/// A part of a domain and the affine function there.
type Piece = (Set, Owned<ffi::isl_aff>);

/// The pieces seen so far.
struct Pieces {
    ctx: Ctx,
    outcome: Result<Vec<Piece>>,
}

/// The callback of [`PwAff::raw_pieces`]; no panic unwinds into isl.
unsafe extern "C" fn add_piece(
    set: *mut ffi::isl_set,
    aff: *mut ffi::isl_aff,
    user: *mut c_void,
) -> ffi::IslStat {
    // SAFETY: `user` is the `Pieces` of the call in progress.
    let found = unsafe { &mut *user.cast::<Pieces>() };
    let added = catch_unwind(AssertUnwindSafe(|| {
        let ctx = found.ctx.clone();
        // SAFETY: isl gives both objects to the callback.
        let set = ctx.give(|| set).map(Set)?;
        let aff = ctx.give(|| aff)?;
        if let Ok(all) = &mut found.outcome {
            all.push((set, aff));
        }
        Ok(())
    }));
    match added {
        Ok(Ok(())) => {}
        Ok(Err(error)) => found.outcome = Err(error),
        Err(_) => found.outcome = Err(Error::new("a panic in a callback of isl")),
    }
    0
}

/// The common denominator of the pieces seen so far.
struct Denominators {
    ctx: Ctx,
    outcome: Result<i64>,
}

/// The callback of [`PwAff::common_denominator`]; no panic unwinds into isl.
unsafe extern "C" fn add_denominator(
    set: *mut ffi::isl_set,
    aff: *mut ffi::isl_aff,
    user: *mut c_void,
) -> ffi::IslStat {
    // SAFETY: `user` is the `Denominators` of the call in progress.
    let found = unsafe { &mut *user.cast::<Denominators>() };
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let ctx = &found.ctx;
        // SAFETY: isl gives both objects to the callback.
        let _set = ctx.give(|| set)?;
        let aff = ctx.give(|| aff)?;
        // SAFETY: the affine function is alive.
        let den = ctx.give(|| unsafe { ffi::isl_aff_get_denominator_val(aff.keep()) })?;
        let (common, den) = (found.outcome.clone()?, integer(&den)?);
        // The factor of `den` that `common` lacks is the numerator of `den / common`.
        common
            .checked_mul(Rational::new(den, common)?.num)
            .ok_or_else(|| Error::new("the denominators are out of range"))
    }));
    found.outcome = outcome.unwrap_or_else(|_| Err(Error::new("a panic in a callback of isl")));
    0
}
