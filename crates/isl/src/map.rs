//! Maps: relations between integer tuples of two spaces.

use crate::ctx::c_string;
use crate::object::{
    affs_of, basic_maps_of, coalesces, dimension_ranges, dimension_values, dimensions, operations,
    public_object, questions, vals_of,
};
use crate::value::{c_index, integer};
use crate::{DimType, Error, PwAff, Result, Set, ffi};

public_object! {
    /// A relation between integer tuples of two spaces, for parameters.
    ///
    /// Set notation reads as a map from the empty tuple: `{ A[i] }` is `{ [] -> A[i] }`.
    Map(isl_map): isl_map_copy, isl_map_to_str, ffi::isl_map_read_from_str
}

/// isl's functions in the form that the macros ask for. isl passes NULL through.
mod adapted {
    use crate::ffi::*;

    pub unsafe fn affine_hull(map: *mut isl_map) -> *mut isl_map {
        // SAFETY: promised by the caller.
        unsafe { isl_map_from_basic_map(isl_map_affine_hull(map)) }
    }

    pub unsafe fn simple_hull(map: *mut isl_map) -> *mut isl_map {
        // SAFETY: promised by the caller.
        unsafe { isl_map_from_basic_map(isl_map_simple_hull(map)) }
    }
}

coalesces! {
    Map = ffi::isl_map_coalesce;
}

operations! { Map {
    /// The pairs in both maps.
    fn intersect(other: Map) -> Map = ffi::isl_map_intersect;
    /// The pairs in either map.
    fn union(other: Map) -> Map = ffi::isl_map_union;
    /// The pairs that are not in `other`.
    fn subtract(other: Map) -> Map = ffi::isl_map_subtract;
    /// The pairs with their sides exchanged.
    fn reverse() -> Map = ffi::isl_map_reverse;
    /// First this map, then `other`.
    fn apply_range(other: Map) -> Map = ffi::isl_map_apply_range;
    /// The map with its domain elements replaced by their images under `other`.
    fn apply_domain(other: Map) -> Map = ffi::isl_map_apply_domain;
    /// The elements that are related to something.
    fn domain() -> Set = ffi::isl_map_domain;
    /// The elements that something is related to.
    fn range() -> Set = ffi::isl_map_range;
    /// The parameter values for which the map is not empty, as a parameter set.
    fn params() -> Set = ffi::isl_map_params;
    /// The pairs that start in `set`.
    fn intersect_domain(set: Set) -> Map = ffi::isl_map_intersect_domain;
    /// The pairs that end in `set`.
    fn intersect_range(set: Set) -> Map = ffi::isl_map_intersect_range;
    /// The map for the parameter values in the parameter set `params`.
    fn intersect_params(params: Set) -> Map = ffi::isl_map_intersect_params;
    /// A simpler map that is the same inside `context`.
    fn gist(context: Map) -> Map = ffi::isl_map_gist;
    /// A simpler map that is the same on the domain `context`.
    fn gist_domain(context: Set) -> Map = ffi::isl_map_gist_domain;
    /// A simpler map that is the same for the parameters in the parameter set `context`.
    fn gist_params(context: Set) -> Map = ffi::isl_map_gist_params;
    /// The differences range minus domain, for a map from a space to itself.
    fn deltas() -> Set = ffi::isl_map_deltas;
    /// The lexicographically smallest image of each domain element.
    fn lexmin() -> Map = ffi::isl_map_lexmin;
    /// The lexicographically largest image of each domain element.
    fn lexmax() -> Map = ffi::isl_map_lexmax;
    /// `A -> [B, C]` of `A -> B` and `A -> C`.
    fn flat_range_product(other: Map) -> Map = ffi::isl_map_flat_range_product;
    /// `A -> [B -> C]` of `A -> B` and `A -> C`.
    fn range_product(other: Map) -> Map = ffi::isl_map_range_product;
    /// `[A -> B] -> C` of `A -> C` and `B -> C`.
    fn domain_product(other: Map) -> Map = ffi::isl_map_domain_product;
    /// `[A, B] -> C` of `A -> C` and `B -> C`.
    fn flat_domain_product(other: Map) -> Map = ffi::isl_map_flat_domain_product;
    /// The set of pairs, `{ [A -> B] }`.
    fn wrap() -> Set = ffi::isl_map_wrap;
    /// The map for some value of the parameters.
    fn project_out_all_params() -> Map = ffi::isl_map_project_out_all_params;
    /// The same map without the parameters that do not occur in it.
    fn drop_unused_params() -> Map = ffi::isl_map_drop_unused_params;
    /// A map around the map, without existentially quantified variables.
    fn remove_divs() -> Map = ffi::isl_map_remove_divs;
    /// The smallest affine relation around the map.
    fn affine_hull() -> Map = adapted::affine_hull;
    /// A basic map around the map, made of translates of its constraints.
    fn simple_hull() -> Map = adapted::simple_hull;
    /// The same map with its implicit equalities made explicit.
    fn detect_equalities() -> Map = ffi::isl_map_detect_equalities;
    /// The same map with every existentially quantified variable defined as a floor.
    fn compute_divs() -> Map = ffi::isl_map_compute_divs;
} }

questions! { Map {
    /// Whether there is no pair for any parameter value.
    fn is_empty() = ffi::isl_map_is_empty;
    /// Whether every pair is in `other`.
    fn is_subset(other: Map) = ffi::isl_map_is_subset;
    /// Whether both have the same pairs.
    fn is_equal(other: Map) = ffi::isl_map_is_equal;
    /// Whether they are equal and have the same constraints; `false` says nothing.
    fn plain_is_equal(other: Map) = ffi::isl_map_plain_is_equal;
    /// Whether they have no pair in common.
    fn is_disjoint(other: Map) = ffi::isl_map_is_disjoint;
    /// Whether every element has at most one image.
    fn is_single_valued() = ffi::isl_map_is_single_valued;
    /// Whether no two elements share an image.
    fn is_injective() = ffi::isl_map_is_injective;
    /// Whether the map is single valued and injective.
    fn is_bijective() = ffi::isl_map_is_bijective;
} }

dimension_ranges! { Map {
    /// Removes the `n` dimensions from `first` on: the map for some value of them.
    fn project_out(first, n) after check_range = ffi::isl_map_project_out;
    /// Inserts `n` unconstrained dimensions before position `pos`.
    fn insert_dims(pos, n) after check_insert = ffi::isl_map_insert_dims;
} }

dimensions! {
    Map: ffi::isl_map_dim, ffi::isl_map_get_dim_name, ffi::isl_map_set_dim_name, ffi::isl_map_add_dims, ffi::isl_map_move_dims
}

dimension_values! { Map {
    /// The pairs with the value at that position.
    fn fix = ffi::isl_map_fix_val;
} }

impl Map {
    /// Every kind that has dimensions can take more.
    fn check_kind(&self, dim: DimType) -> Result<()> {
        self.dim(dim).map(drop)
    }

    /// The pairs in which the two dimensions are equal.
    pub fn equate(&self, dim1: DimType, pos1: u32, dim2: DimType, pos2: u32) -> Result<Map> {
        self.check_range(dim1, pos1, 1)?;
        self.check_range(dim2, pos2, 1)?;
        let (pos1, pos2) = (c_index(pos1 as usize)?, c_index(pos2 as usize)?);
        let ctx = &self.0.ctx;
        // SAFETY: one reference is consumed, and the positions are checked.
        ctx.give(|| unsafe {
            ffi::isl_map_equate(self.0.take(), dim1.raw(), pos1, dim2.raw(), pos2)
        })
        .map(Map)
    }

    /// The identity on all tuples of the same space, whose two sides must be alike.
    pub fn identity_like(&self) -> Result<Map> {
        let ctx = &self.0.ctx;
        // SAFETY: the map is alive.
        let space = ctx.give(|| unsafe { ffi::isl_map_get_space(self.0.keep()) })?;
        let space = space.into_raw();
        // SAFETY: the space is consumed.
        ctx.give(|| unsafe { ffi::isl_map_identity(space) })
            .map(Map)
    }

    /// Refuses kinds of dimensions that are not a side of the map.
    fn check_side(&self, dim: DimType) -> Result<()> {
        match dim {
            DimType::In | DimType::Out => Ok(()),
            DimType::Param | DimType::Div => {
                Err(Error::new(format!("a map has no tuple of kind {dim:?}")))
            }
        }
    }

    /// The name of the tuple on side `dim`, if it has one.
    pub fn tuple_name(&self, dim: DimType) -> Result<Option<String>> {
        self.check_side(dim)?;
        let ctx = &self.0.ctx;
        // SAFETY: the map is alive and keeps the name alive.
        unsafe { ctx.name(|| ffi::isl_map_get_tuple_name(self.0.keep(), dim.raw())) }
    }

    /// The same map without the name of the tuple on side `dim`.
    pub fn reset_tuple_name(&self, dim: DimType) -> Result<Map> {
        self.check_side(dim)?;
        let ctx = &self.0.ctx;
        // SAFETY: one reference is consumed, and the kind is checked.
        ctx.give(|| unsafe { ffi::isl_map_reset_tuple_id(self.0.take(), dim.raw()) })
            .map(Map)
    }

    /// The same map with its output named as that of another one, if that has a name.
    pub fn named_as(&self, other: &Map) -> Result<Map> {
        match other.tuple_name(DimType::Out)? {
            Some(name) => self.set_tuple_name(DimType::Out, &name),
            None => Ok(self.clone()),
        }
    }

    /// The same map with the tuple on side `dim` named `name`.
    pub fn set_tuple_name(&self, dim: DimType, name: &str) -> Result<Map> {
        self.check_side(dim)?;
        let name = c_string(name)?;
        let ctx = &self.0.ctx;
        // SAFETY: one reference is consumed, isl copies the name.
        ctx.give(|| unsafe { ffi::isl_map_set_tuple_name(self.0.take(), dim.raw(), name.as_ptr()) })
            .map(Map)
    }

    /// The output dimensions as functions of the input dimensions, for a single-valued map.
    pub fn to_pw_affs(&self) -> Result<Vec<PwAff>> {
        let ctx = &self.0.ctx;
        // SAFETY: one reference is consumed.
        let function = ctx.give(|| unsafe { ffi::isl_pw_multi_aff_from_map(self.0.take()) })?;
        let dim = DimType::Out.raw();
        // SAFETY: the function is alive.
        let n = ctx.size(|| unsafe { ffi::isl_pw_multi_aff_dim(function.keep(), dim) })?;
        (0..n)
            .map(|pos| {
                let pos = c_index(pos)?;
                // SAFETY: the function is alive, and isl checks the position.
                ctx.give(|| unsafe { ffi::isl_pw_multi_aff_get_pw_aff(function.keep(), pos) })
                    .map(PwAff)
            })
            .collect()
    }

    /// A box of constant size around each element's images: the offset of each dimension, as a
    /// function of the element, and its size. `None` where isl finds no such box.
    pub fn fixed_box_hull(&self) -> Result<Option<(Vec<PwAff>, Vec<i64>)>> {
        let ctx = &self.0.ctx;
        // SAFETY: the map is alive.
        let hull =
            ctx.give(|| unsafe { ffi::isl_map_get_range_simple_fixed_box_hull(self.0.keep()) })?;
        // SAFETY: the box is alive.
        if !ctx.truth(|| unsafe { ffi::isl_fixed_box_is_valid(hull.keep()) })? {
            return Ok(None);
        }
        // SAFETY: the box is alive.
        let offset = ctx.give(|| unsafe { ffi::isl_fixed_box_get_offset(hull.keep()) })?;
        // SAFETY: the box is alive.
        let size = ctx.give(|| unsafe { ffi::isl_fixed_box_get_size(hull.keep()) })?;
        let offset = affs_of(&offset)?
            .into_iter()
            .map(PwAff::from_aff)
            .collect::<Result<_>>()?;
        let size = vals_of(&size)?.iter().map(integer).collect::<Result<_>>()?;
        Ok(Some((offset, size)))
    }

    /// The basic maps whose union this is; they may overlap.
    pub fn basic_maps(&self) -> Result<Vec<Map>> {
        let ctx = &self.0.ctx;
        // SAFETY: the map is alive.
        let list = ctx.give(|| unsafe { ffi::isl_map_get_basic_map_list(self.0.keep()) })?;
        basic_maps_of(&list)?
            .into_iter()
            .map(|basic| {
                let basic = basic.into_raw();
                // SAFETY: the basic map is consumed.
                ctx.give(|| unsafe { ffi::isl_map_from_basic_map(basic) })
                    .map(Map)
            })
            .collect()
    }
}
