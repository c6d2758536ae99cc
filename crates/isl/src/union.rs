//! Sets and maps over several spaces at once.

use crate::object::{coalesces, maps_of, operations, public_object, questions, sets_of};
use crate::{Ctx, Map, Result, Set, ffi};

public_object! {
    /// A union of sets in different spaces.
    UnionSet(isl_union_set): isl_union_set_copy, isl_union_set_to_str, ffi::isl_union_set_read_from_str
}

public_object! {
    /// A union of maps between different spaces.
    UnionMap(isl_union_map): isl_union_map_copy, isl_union_map_to_str, ffi::isl_union_map_read_from_str
}

coalesces! {
    UnionSet = ffi::isl_union_set_coalesce;
    UnionMap = ffi::isl_union_map_coalesce;
}

operations! { UnionSet {
    /// The elements in either.
    fn union(other: UnionSet) -> UnionSet = ffi::isl_union_set_union;
    /// The elements in both.
    fn intersect(other: UnionSet) -> UnionSet = ffi::isl_union_set_intersect;
    /// The elements that are not in `other`.
    fn subtract(other: UnionSet) -> UnionSet = ffi::isl_union_set_subtract;
    /// The image under `map`.
    fn apply(map: UnionMap) -> UnionSet = ffi::isl_union_set_apply;
    /// The union set for the parameter values in the parameter set `params`.
    fn intersect_params(params: Set) -> UnionSet = ffi::isl_union_set_intersect_params;
    /// A simpler union set that is the same inside `context`.
    fn gist(context: UnionSet) -> UnionSet = ffi::isl_union_set_gist;
    /// The map from each element to itself.
    fn identity() -> UnionMap = ffi::isl_union_set_identity;
    /// The parameter values for which the union set is not empty, as a parameter set.
    fn params() -> Set = ffi::isl_union_set_params;
} }

questions! { UnionSet {
    /// Whether there is no element for any parameter value.
    fn is_empty() = ffi::isl_union_set_is_empty;
    /// Whether every element is in `other`.
    fn is_subset(other: UnionSet) = ffi::isl_union_set_is_subset;
    /// Whether both have the same elements.
    fn is_equal(other: UnionSet) = ffi::isl_union_set_is_equal;
} }

impl UnionSet {
    /// The empty union set.
    pub fn empty(ctx: &Ctx) -> Result<UnionSet> {
        // SAFETY: the context is alive.
        ctx.give(|| unsafe { ffi::isl_union_set_empty_ctx(ctx.raw()) })
            .map(UnionSet)
    }

    /// A union set of one set.
    pub fn from_set(set: &Set) -> Result<UnionSet> {
        // SAFETY: one reference is consumed.
        let ctx = &set.0.ctx;
        ctx.give(|| unsafe { ffi::isl_union_set_from_set(set.0.take()) })
            .map(UnionSet)
    }

    /// The sets of the union, one for each space, in no particular order.
    pub fn sets(&self) -> Result<Vec<Set>> {
        let ctx = &self.0.ctx;
        // SAFETY: the union set is alive.
        let list = ctx.give(|| unsafe { ffi::isl_union_set_get_set_list(self.0.keep()) })?;
        Ok(sets_of(&list)?.into_iter().map(Set).collect())
    }
}

operations! { UnionMap {
    /// The pairs in either.
    fn union(other: UnionMap) -> UnionMap = ffi::isl_union_map_union;
    /// The pairs in both.
    fn intersect(other: UnionMap) -> UnionMap = ffi::isl_union_map_intersect;
    /// The pairs that are not in `other`.
    fn subtract(other: UnionMap) -> UnionMap = ffi::isl_union_map_subtract;
    /// The pairs with their sides exchanged.
    fn reverse() -> UnionMap = ffi::isl_union_map_reverse;
    /// First this map, then `other`.
    fn apply_range(other: UnionMap) -> UnionMap = ffi::isl_union_map_apply_range;
    /// The map with its domain elements replaced by their images under `other`.
    fn apply_domain(other: UnionMap) -> UnionMap = ffi::isl_union_map_apply_domain;
    /// The elements that are related to something.
    fn domain() -> UnionSet = ffi::isl_union_map_domain;
    /// The elements that something is related to.
    fn range() -> UnionSet = ffi::isl_union_map_range;
    /// The parameter values for which the map is not empty, as a parameter set.
    fn params() -> Set = ffi::isl_union_map_params;
    /// The pairs that start in `set`.
    fn intersect_domain(set: UnionSet) -> UnionMap = ffi::isl_union_map_intersect_domain;
    /// The pairs that end in `set`.
    fn intersect_range(set: UnionSet) -> UnionMap = ffi::isl_union_map_intersect_range;
    /// The map for the parameter values in the parameter set `params`.
    fn intersect_params(params: Set) -> UnionMap = ffi::isl_union_map_intersect_params;
    /// The differences range minus domain of the maps from a space to itself.
    fn deltas() -> UnionSet = ffi::isl_union_map_deltas;
    /// A simpler map that is the same for the parameters in the parameter set `context`.
    fn gist_params(context: Set) -> UnionMap = ffi::isl_union_map_gist_params;
    /// The same map with its implicit equalities made explicit.
    fn detect_equalities() -> UnionMap = ffi::isl_union_map_detect_equalities;
    /// `A -> [B -> C]` of `A -> B` and `A -> C`.
    fn range_product(other: UnionMap) -> UnionMap = ffi::isl_union_map_range_product;
    /// The pairs (a, b) where the image of a under `self` is lexicographically smaller than that
    /// of b under `other`: for schedules, a runs before b.
    fn lex_lt_union_map(other: UnionMap) -> UnionMap = ffi::isl_union_map_lex_lt_union_map;
    /// The pairs (a, b) where the image of a under `self` is lexicographically not larger than
    /// that of b under `other`.
    fn lex_le_union_map(other: UnionMap) -> UnionMap = ffi::isl_union_map_lex_le_union_map;
    /// `A -> [B -> C]` of `[A -> B] -> C`.
    fn curry() -> UnionMap = ffi::isl_union_map_curry;
    /// `[A -> B] -> C` of `A -> [B -> C]`.
    fn uncurry() -> UnionMap = ffi::isl_union_map_uncurry;
    /// `[A -> C] -> [B -> D]` of `[A -> B] -> [C -> D]`.
    fn zip() -> UnionMap = ffi::isl_union_map_zip;
    /// `A -> C` of `[A -> B] -> C`.
    fn domain_factor_domain() -> UnionMap = ffi::isl_union_map_domain_factor_domain;
    /// `A -> B` of `A -> [B -> C]`.
    fn range_factor_domain() -> UnionMap = ffi::isl_union_map_range_factor_domain;
    /// `A -> C` of `A -> [B -> C]`.
    fn range_factor_range() -> UnionMap = ffi::isl_union_map_range_factor_range;
} }

questions! { UnionMap {
    /// Whether there is no pair for any parameter value.
    fn is_empty() = ffi::isl_union_map_is_empty;
    /// Whether every pair is in `other`.
    fn is_subset(other: UnionMap) = ffi::isl_union_map_is_subset;
    /// Whether both have the same pairs.
    fn is_equal(other: UnionMap) = ffi::isl_union_map_is_equal;
    /// Whether every element has at most one image.
    fn is_single_valued() = ffi::isl_union_map_is_single_valued;
    /// Whether no two elements share an image.
    fn is_injective() = ffi::isl_union_map_is_injective;
} }

impl UnionMap {
    /// The empty union map.
    pub fn empty(ctx: &Ctx) -> Result<UnionMap> {
        // SAFETY: the context is alive.
        ctx.give(|| unsafe { ffi::isl_union_map_empty_ctx(ctx.raw()) })
            .map(UnionMap)
    }

    /// A union map of one map.
    pub fn from_map(map: &Map) -> Result<UnionMap> {
        let ctx = &map.0.ctx;
        // SAFETY: one reference is consumed.
        ctx.give(|| unsafe { ffi::isl_union_map_from_map(map.0.take()) })
            .map(UnionMap)
    }

    /// The maps of the union, one for each pair of spaces, in no particular order.
    pub fn maps(&self) -> Result<Vec<Map>> {
        let ctx = &self.0.ctx;
        // SAFETY: the union map is alive.
        let list = ctx.give(|| unsafe { ffi::isl_union_map_get_map_list(self.0.keep()) })?;
        Ok(maps_of(&list)?.into_iter().map(Map).collect())
    }
}
