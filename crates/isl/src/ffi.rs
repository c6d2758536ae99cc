//! Declarations of the part of isl's C interface that this crate uses.
//!
//! The signatures follow the headers of isl 0.27, which `isl-rs` builds as a static library.
//! Ownership is isl's: unless noted otherwise, a pointer argument of a function that returns a
//! new object of the same family is consumed (`__isl_take`), queries only borrow (`__isl_keep`),
//! and a returned object belongs to the caller (`__isl_give`).
#![allow(non_camel_case_types)]

use libc::{c_char, c_int, c_long, c_uint, c_ulong, c_void};

// `isl-rs` is linked for its static library only.
use isl_rs as _;

/// isl's three-valued boolean: -1 is an error.
pub type IslBool = c_int;
/// isl's size: -1 is an error.
pub type IslSize = c_int;
/// isl's status: -1 is an error.
pub type IslStat = c_int;

/// The value of `isl_error_none`.
pub const ERROR_NONE: c_int = 0;
/// The value of `isl_error_quota`.
pub const ERROR_QUOTA: c_int = 6;
/// The value of `ISL_ON_ERROR_CONTINUE`: report errors through return values only.
pub const ON_ERROR_CONTINUE: c_int = 1;

macro_rules! opaque {
    ($($name:ident)*) => {$(
        #[repr(C)]
        pub struct $name {
            opaque: [u8; 0],
        }
    )*};
}

opaque! {
    isl_aff
    isl_ast_build
    isl_ast_expr
    isl_ast_node
    isl_ast_node_list
    isl_basic_map
    isl_basic_map_list
    isl_basic_set
    isl_basic_set_list
    isl_constraint
    isl_constraint_list
    isl_ctx
    isl_fixed_box
    isl_id
    isl_id_list
    isl_map
    isl_map_list
    isl_multi_aff
    isl_multi_pw_aff
    isl_multi_val
    isl_point
    isl_pw_aff
    isl_pw_multi_aff
    isl_set
    isl_set_list
    isl_space
    isl_stride_info
    isl_union_access_info
    isl_union_flow
    isl_union_map
    isl_union_set
    isl_val
}

unsafe extern "C" {
    pub fn isl_ctx_alloc() -> *mut isl_ctx;
    pub fn isl_ctx_free(ctx: *mut isl_ctx);
    pub fn isl_ctx_last_error(ctx: *mut isl_ctx) -> c_int;
    pub fn isl_ctx_last_error_msg(ctx: *mut isl_ctx) -> *const c_char;
    pub fn isl_ctx_last_error_file(ctx: *mut isl_ctx) -> *const c_char;
    pub fn isl_ctx_last_error_line(ctx: *mut isl_ctx) -> c_int;
    pub fn isl_ctx_reset_error(ctx: *mut isl_ctx);
    pub fn isl_ctx_set_max_operations(ctx: *mut isl_ctx, max_operations: c_ulong);
    pub fn isl_ctx_get_max_operations(ctx: *mut isl_ctx) -> c_ulong;
    pub fn isl_ctx_reset_operations(ctx: *mut isl_ctx);
    pub fn isl_ctx_abort(ctx: *mut isl_ctx);
    pub fn isl_options_set_on_error(ctx: *mut isl_ctx, val: c_int) -> IslStat;
    pub fn isl_options_set_ast_build_detect_min_max(ctx: *mut isl_ctx, val: c_int) -> IslStat;
    pub fn isl_val_int_from_si(ctx: *mut isl_ctx, i: c_long) -> *mut isl_val;
    pub fn isl_val_free(v: *mut isl_val) -> *mut isl_val;
    pub fn isl_val_get_num_si(v: *mut isl_val) -> c_long;
    pub fn isl_val_get_den_si(v: *mut isl_val) -> c_long;
    pub fn isl_val_cmp_si(v: *mut isl_val, i: c_long) -> c_int;
    pub fn isl_val_is_rat(v: *mut isl_val) -> IslBool;
    pub fn isl_val_is_nan(v: *mut isl_val) -> IslBool;
    pub fn isl_val_is_infty(v: *mut isl_val) -> IslBool;
    pub fn isl_val_is_neginfty(v: *mut isl_val) -> IslBool;
    pub fn isl_id_alloc(ctx: *mut isl_ctx, name: *const c_char, user: *mut c_void) -> *mut isl_id;
    pub fn isl_id_list_alloc(ctx: *mut isl_ctx, n: c_int) -> *mut isl_id_list;
    pub fn isl_id_list_add(list: *mut isl_id_list, el: *mut isl_id) -> *mut isl_id_list;
    pub fn isl_id_list_free(list: *mut isl_id_list) -> *mut isl_id_list;
    pub fn isl_id_free(id: *mut isl_id) -> *mut isl_id;
    pub fn isl_id_get_name(id: *mut isl_id) -> *const c_char;
    pub fn isl_space_free(space: *mut isl_space) -> *mut isl_space;
    pub fn isl_aff_get_denominator_val(aff: *mut isl_aff) -> *mut isl_val;
    pub fn isl_pw_aff_foreach_piece(
        pwaff: *mut isl_pw_aff,
        func: unsafe extern "C" fn(*mut isl_set, *mut isl_aff, *mut c_void) -> IslStat,
        user: *mut c_void,
    ) -> IslStat;
    pub fn isl_aff_get_constant_val(aff: *mut isl_aff) -> *mut isl_val;
    pub fn isl_aff_dim(aff: *mut isl_aff, dim: c_uint) -> c_int;
    pub fn isl_aff_get_coefficient_val(aff: *mut isl_aff, dim: c_uint, pos: c_int) -> *mut isl_val;
    pub fn isl_aff_set_coefficient_si(
        aff: *mut isl_aff,
        dim: c_uint,
        pos: c_int,
        v: c_int,
    ) -> *mut isl_aff;
    pub fn isl_aff_free(aff: *mut isl_aff) -> *mut isl_aff;
    pub fn isl_pw_aff_from_aff(aff: *mut isl_aff) -> *mut isl_pw_aff;
    pub fn isl_basic_set_free(bset: *mut isl_basic_set) -> *mut isl_basic_set;
    pub fn isl_basic_map_free(bmap: *mut isl_basic_map) -> *mut isl_basic_map;
    pub fn isl_set_from_basic_set(bset: *mut isl_basic_set) -> *mut isl_set;
    pub fn isl_map_from_basic_map(bmap: *mut isl_basic_map) -> *mut isl_map;
    pub fn isl_point_free(pnt: *mut isl_point) -> *mut isl_point;
    pub fn isl_point_is_void(pnt: *mut isl_point) -> IslBool;
    pub fn isl_point_get_coordinate_val(
        pnt: *mut isl_point,
        dim: c_uint,
        pos: c_int,
    ) -> *mut isl_val;
    pub fn isl_constraint_free(c: *mut isl_constraint) -> *mut isl_constraint;
    pub fn isl_constraint_is_equality(constraint: *mut isl_constraint) -> IslBool;
    pub fn isl_constraint_dim(constraint: *mut isl_constraint, dim: c_uint) -> IslSize;
    pub fn isl_constraint_get_constant_val(constraint: *mut isl_constraint) -> *mut isl_val;
    pub fn isl_constraint_get_coefficient_val(
        constraint: *mut isl_constraint,
        dim: c_uint,
        pos: c_int,
    ) -> *mut isl_val;
    pub fn isl_basic_set_get_constraint_list(bset: *mut isl_basic_set) -> *mut isl_constraint_list;
    pub fn isl_stride_info_free(si: *mut isl_stride_info) -> *mut isl_stride_info;
    pub fn isl_stride_info_get_stride(si: *mut isl_stride_info) -> *mut isl_val;
    pub fn isl_stride_info_get_offset(si: *mut isl_stride_info) -> *mut isl_aff;
    pub fn isl_fixed_box_free(fixed_box: *mut isl_fixed_box) -> *mut isl_fixed_box;
    pub fn isl_fixed_box_is_valid(fixed_box: *mut isl_fixed_box) -> IslBool;
    pub fn isl_fixed_box_get_offset(fixed_box: *mut isl_fixed_box) -> *mut isl_multi_aff;
    pub fn isl_fixed_box_get_size(fixed_box: *mut isl_fixed_box) -> *mut isl_multi_val;
    pub fn isl_set_free(set: *mut isl_set) -> *mut isl_set;
    pub fn isl_set_copy(set: *mut isl_set) -> *mut isl_set;
    pub fn isl_set_to_str(set: *mut isl_set) -> *mut c_char;
    pub fn isl_set_read_from_str(ctx: *mut isl_ctx, text: *const c_char) -> *mut isl_set;
    pub fn isl_set_intersect(set1: *mut isl_set, set2: *mut isl_set) -> *mut isl_set;
    pub fn isl_set_union(set1: *mut isl_set, set2: *mut isl_set) -> *mut isl_set;
    pub fn isl_set_subtract(set1: *mut isl_set, set2: *mut isl_set) -> *mut isl_set;
    pub fn isl_set_complement(set: *mut isl_set) -> *mut isl_set;
    pub fn isl_set_flatten(set: *mut isl_set) -> *mut isl_set;
    pub fn isl_set_apply(set: *mut isl_set, map: *mut isl_map) -> *mut isl_set;
    pub fn isl_set_params(set: *mut isl_set) -> *mut isl_set;
    pub fn isl_set_intersect_params(set: *mut isl_set, params: *mut isl_set) -> *mut isl_set;
    pub fn isl_set_gist(set: *mut isl_set, context: *mut isl_set) -> *mut isl_set;
    pub fn isl_set_gist_params(set: *mut isl_set, context: *mut isl_set) -> *mut isl_set;
    pub fn isl_set_coalesce(set: *mut isl_set) -> *mut isl_set;
    pub fn isl_set_affine_hull(set: *mut isl_set) -> *mut isl_basic_set;
    pub fn isl_set_simple_hull(set: *mut isl_set) -> *mut isl_basic_set;
    pub fn isl_set_polyhedral_hull(set: *mut isl_set) -> *mut isl_basic_set;
    pub fn isl_set_convex_hull(set: *mut isl_set) -> *mut isl_basic_set;
    pub fn isl_set_remove_divs(set: *mut isl_set) -> *mut isl_set;
    pub fn isl_set_detect_equalities(set: *mut isl_set) -> *mut isl_set;
    pub fn isl_set_compute_divs(set: *mut isl_set) -> *mut isl_set;
    pub fn isl_set_lexmin(set: *mut isl_set) -> *mut isl_set;
    pub fn isl_set_lexmax(set: *mut isl_set) -> *mut isl_set;
    pub fn isl_set_project_out(
        set: *mut isl_set,
        dim: c_uint,
        first: c_uint,
        n: c_uint,
    ) -> *mut isl_set;
    pub fn isl_set_eliminate(
        set: *mut isl_set,
        dim: c_uint,
        first: c_uint,
        n: c_uint,
    ) -> *mut isl_set;
    pub fn isl_set_drop_constraints_involving_dims(
        set: *mut isl_set,
        dim: c_uint,
        first: c_uint,
        n: c_uint,
    ) -> *mut isl_set;
    pub fn isl_set_project_out_all_params(set: *mut isl_set) -> *mut isl_set;
    pub fn isl_set_drop_unused_params(set: *mut isl_set) -> *mut isl_set;
    pub fn isl_set_insert_dims(
        set: *mut isl_set,
        dim: c_uint,
        pos: c_uint,
        n: c_uint,
    ) -> *mut isl_set;
    pub fn isl_set_add_dims(set: *mut isl_set, dim: c_uint, n: c_uint) -> *mut isl_set;
    pub fn isl_set_move_dims(
        set: *mut isl_set,
        dst: c_uint,
        dst_pos: c_uint,
        src: c_uint,
        src_pos: c_uint,
        n: c_uint,
    ) -> *mut isl_set;
    pub fn isl_set_fix_val(
        set: *mut isl_set,
        dim: c_uint,
        pos: c_uint,
        v: *mut isl_val,
    ) -> *mut isl_set;
    pub fn isl_set_lower_bound_val(
        set: *mut isl_set,
        dim: c_uint,
        pos: c_uint,
        value: *mut isl_val,
    ) -> *mut isl_set;
    pub fn isl_set_upper_bound_val(
        set: *mut isl_set,
        dim: c_uint,
        pos: c_uint,
        value: *mut isl_val,
    ) -> *mut isl_set;
    pub fn isl_set_align_params(set: *mut isl_set, model: *mut isl_space) -> *mut isl_set;
    pub fn isl_set_get_space(set: *mut isl_set) -> *mut isl_space;
    pub fn isl_set_universe(space: *mut isl_space) -> *mut isl_set;
    pub fn isl_set_empty(space: *mut isl_space) -> *mut isl_set;
    pub fn isl_set_is_empty(set: *mut isl_set) -> IslBool;
    pub fn isl_set_is_subset(set1: *mut isl_set, set2: *mut isl_set) -> IslBool;
    pub fn isl_set_is_equal(set1: *mut isl_set, set2: *mut isl_set) -> IslBool;
    pub fn isl_set_is_disjoint(set1: *mut isl_set, set2: *mut isl_set) -> IslBool;
    pub fn isl_set_is_bounded(set: *mut isl_set) -> IslBool;
    pub fn isl_set_is_singleton(set: *mut isl_set) -> IslBool;
    pub fn isl_set_plain_is_universe(set: *mut isl_set) -> IslBool;
    pub fn isl_set_plain_is_equal(set1: *mut isl_set, set2: *mut isl_set) -> IslBool;
    pub fn isl_set_is_params(set: *mut isl_set) -> IslBool;
    pub fn isl_set_dim(set: *mut isl_set, dim: c_uint) -> IslSize;
    pub fn isl_set_get_dim_name(set: *mut isl_set, dim: c_uint, pos: c_uint) -> *const c_char;
    pub fn isl_set_set_dim_name(
        set: *mut isl_set,
        dim: c_uint,
        pos: c_uint,
        s: *const c_char,
    ) -> *mut isl_set;
    pub fn isl_set_get_tuple_name(set: *mut isl_set) -> *const c_char;
    pub fn isl_set_set_tuple_name(set: *mut isl_set, s: *const c_char) -> *mut isl_set;
    pub fn isl_set_reset_tuple_id(set: *mut isl_set) -> *mut isl_set;
    pub fn isl_set_dim_min(set: *mut isl_set, pos: c_int) -> *mut isl_pw_aff;
    pub fn isl_set_dim_max(set: *mut isl_set, pos: c_int) -> *mut isl_pw_aff;
    pub fn isl_set_dim_min_val(set: *mut isl_set, pos: c_int) -> *mut isl_val;
    pub fn isl_set_dim_max_val(set: *mut isl_set, pos: c_int) -> *mut isl_val;
    pub fn isl_set_identity(set: *mut isl_set) -> *mut isl_map;
    pub fn isl_set_sample_point(set: *mut isl_set) -> *mut isl_point;
    pub fn isl_set_foreach_point(
        set: *mut isl_set,
        func: unsafe extern "C" fn(*mut isl_point, *mut c_void) -> IslStat,
        user: *mut c_void,
    ) -> IslStat;
    pub fn isl_set_count_val(set: *mut isl_set) -> *mut isl_val;
    pub fn isl_set_get_basic_set_list(set: *mut isl_set) -> *mut isl_basic_set_list;
    pub fn isl_set_get_stride_info(set: *mut isl_set, pos: c_int) -> *mut isl_stride_info;
    pub fn isl_set_unwrap(set: *mut isl_set) -> *mut isl_map;
    pub fn isl_set_is_wrapping(set: *mut isl_set) -> IslBool;
    pub fn isl_set_from_pw_aff(pwaff: *mut isl_pw_aff) -> *mut isl_set;
    pub fn isl_map_free(map: *mut isl_map) -> *mut isl_map;
    pub fn isl_map_copy(map: *mut isl_map) -> *mut isl_map;
    pub fn isl_map_to_str(map: *mut isl_map) -> *mut c_char;
    pub fn isl_map_read_from_str(ctx: *mut isl_ctx, text: *const c_char) -> *mut isl_map;
    pub fn isl_map_intersect(map1: *mut isl_map, map2: *mut isl_map) -> *mut isl_map;
    pub fn isl_map_union(map1: *mut isl_map, map2: *mut isl_map) -> *mut isl_map;
    pub fn isl_map_subtract(map1: *mut isl_map, map2: *mut isl_map) -> *mut isl_map;
    pub fn isl_map_reverse(map: *mut isl_map) -> *mut isl_map;
    pub fn isl_map_apply_range(map1: *mut isl_map, map2: *mut isl_map) -> *mut isl_map;
    pub fn isl_map_apply_domain(map1: *mut isl_map, map2: *mut isl_map) -> *mut isl_map;
    pub fn isl_map_from_domain_and_range(domain: *mut isl_set, range: *mut isl_set)
    -> *mut isl_map;
    pub fn isl_map_domain(bmap: *mut isl_map) -> *mut isl_set;
    pub fn isl_map_range(map: *mut isl_map) -> *mut isl_set;
    pub fn isl_map_params(map: *mut isl_map) -> *mut isl_set;
    pub fn isl_map_intersect_domain(map: *mut isl_map, set: *mut isl_set) -> *mut isl_map;
    pub fn isl_map_intersect_range(map: *mut isl_map, set: *mut isl_set) -> *mut isl_map;
    pub fn isl_map_intersect_params(map: *mut isl_map, params: *mut isl_set) -> *mut isl_map;
    pub fn isl_map_gist(map: *mut isl_map, context: *mut isl_map) -> *mut isl_map;
    pub fn isl_map_gist_domain(map: *mut isl_map, context: *mut isl_set) -> *mut isl_map;
    pub fn isl_map_gist_params(map: *mut isl_map, context: *mut isl_set) -> *mut isl_map;
    pub fn isl_map_coalesce(map: *mut isl_map) -> *mut isl_map;
    pub fn isl_map_deltas(map: *mut isl_map) -> *mut isl_set;
    pub fn isl_map_lexmin(map: *mut isl_map) -> *mut isl_map;
    pub fn isl_map_lexmax(map: *mut isl_map) -> *mut isl_map;
    pub fn isl_map_flat_range_product(map1: *mut isl_map, map2: *mut isl_map) -> *mut isl_map;
    pub fn isl_map_range_product(map1: *mut isl_map, map2: *mut isl_map) -> *mut isl_map;
    pub fn isl_map_domain_product(map1: *mut isl_map, map2: *mut isl_map) -> *mut isl_map;
    pub fn isl_map_flat_domain_product(map1: *mut isl_map, map2: *mut isl_map) -> *mut isl_map;
    pub fn isl_map_wrap(map: *mut isl_map) -> *mut isl_set;
    pub fn isl_map_project_out(
        map: *mut isl_map,
        dim: c_uint,
        first: c_uint,
        n: c_uint,
    ) -> *mut isl_map;
    pub fn isl_map_project_out_all_params(map: *mut isl_map) -> *mut isl_map;
    pub fn isl_map_drop_unused_params(map: *mut isl_map) -> *mut isl_map;
    pub fn isl_map_remove_divs(map: *mut isl_map) -> *mut isl_map;
    pub fn isl_map_affine_hull(map: *mut isl_map) -> *mut isl_basic_map;
    pub fn isl_map_simple_hull(map: *mut isl_map) -> *mut isl_basic_map;
    pub fn isl_map_detect_equalities(map: *mut isl_map) -> *mut isl_map;
    pub fn isl_map_compute_divs(map: *mut isl_map) -> *mut isl_map;
    pub fn isl_map_is_empty(map: *mut isl_map) -> IslBool;
    pub fn isl_map_is_subset(map1: *mut isl_map, map2: *mut isl_map) -> IslBool;
    pub fn isl_map_is_equal(map1: *mut isl_map, map2: *mut isl_map) -> IslBool;
    pub fn isl_map_plain_is_equal(map1: *mut isl_map, map2: *mut isl_map) -> IslBool;
    pub fn isl_map_is_disjoint(map1: *mut isl_map, map2: *mut isl_map) -> IslBool;
    pub fn isl_map_is_single_valued(map: *mut isl_map) -> IslBool;
    pub fn isl_map_is_injective(map: *mut isl_map) -> IslBool;
    pub fn isl_map_is_bijective(map: *mut isl_map) -> IslBool;
    pub fn isl_map_dim(map: *mut isl_map, dim: c_uint) -> IslSize;
    pub fn isl_map_get_dim_name(map: *mut isl_map, dim: c_uint, pos: c_uint) -> *const c_char;
    pub fn isl_map_set_dim_name(
        map: *mut isl_map,
        dim: c_uint,
        pos: c_uint,
        s: *const c_char,
    ) -> *mut isl_map;
    pub fn isl_map_get_tuple_name(map: *mut isl_map, dim: c_uint) -> *const c_char;
    pub fn isl_map_set_tuple_name(map: *mut isl_map, dim: c_uint, s: *const c_char)
    -> *mut isl_map;
    pub fn isl_map_reset_tuple_id(map: *mut isl_map, dim: c_uint) -> *mut isl_map;
    pub fn isl_map_get_range_simple_fixed_box_hull(map: *mut isl_map) -> *mut isl_fixed_box;
    pub fn isl_map_get_basic_map_list(map: *mut isl_map) -> *mut isl_basic_map_list;
    pub fn isl_map_get_space(map: *mut isl_map) -> *mut isl_space;
    pub fn isl_map_identity(space: *mut isl_space) -> *mut isl_map;
    pub fn isl_map_fix_val(
        map: *mut isl_map,
        dim: c_uint,
        pos: c_uint,
        v: *mut isl_val,
    ) -> *mut isl_map;
    pub fn isl_map_add_dims(map: *mut isl_map, dim: c_uint, n: c_uint) -> *mut isl_map;
    pub fn isl_map_insert_dims(
        map: *mut isl_map,
        dim: c_uint,
        pos: c_uint,
        n: c_uint,
    ) -> *mut isl_map;
    pub fn isl_map_move_dims(
        map: *mut isl_map,
        dst: c_uint,
        dst_pos: c_uint,
        src: c_uint,
        src_pos: c_uint,
        n: c_uint,
    ) -> *mut isl_map;
    pub fn isl_map_equate(
        map: *mut isl_map,
        dim1: c_uint,
        pos1: c_int,
        dim2: c_uint,
        pos2: c_int,
    ) -> *mut isl_map;
    pub fn isl_map_from_pw_aff(pwaff: *mut isl_pw_aff) -> *mut isl_map;
    pub fn isl_map_from_multi_pw_aff(mpa: *mut isl_multi_pw_aff) -> *mut isl_map;
    pub fn isl_pw_multi_aff_from_map(map: *mut isl_map) -> *mut isl_pw_multi_aff;
    pub fn isl_pw_multi_aff_free(pma: *mut isl_pw_multi_aff) -> *mut isl_pw_multi_aff;
    pub fn isl_pw_multi_aff_dim(pma: *mut isl_pw_multi_aff, dim: c_uint) -> IslSize;
    pub fn isl_pw_multi_aff_get_pw_aff(pma: *mut isl_pw_multi_aff, pos: c_int) -> *mut isl_pw_aff;
    pub fn isl_union_set_free(uset: *mut isl_union_set) -> *mut isl_union_set;
    pub fn isl_union_set_copy(uset: *mut isl_union_set) -> *mut isl_union_set;
    pub fn isl_union_set_to_str(uset: *mut isl_union_set) -> *mut c_char;
    pub fn isl_union_set_read_from_str(
        ctx: *mut isl_ctx,
        text: *const c_char,
    ) -> *mut isl_union_set;
    pub fn isl_union_set_from_set(set: *mut isl_set) -> *mut isl_union_set;
    pub fn isl_union_set_empty_ctx(ctx: *mut isl_ctx) -> *mut isl_union_set;
    pub fn isl_union_set_union(
        uset1: *mut isl_union_set,
        uset2: *mut isl_union_set,
    ) -> *mut isl_union_set;
    pub fn isl_union_set_intersect(
        uset1: *mut isl_union_set,
        uset2: *mut isl_union_set,
    ) -> *mut isl_union_set;
    pub fn isl_union_set_subtract(
        uset1: *mut isl_union_set,
        uset2: *mut isl_union_set,
    ) -> *mut isl_union_set;
    pub fn isl_union_set_apply(
        uset: *mut isl_union_set,
        umap: *mut isl_union_map,
    ) -> *mut isl_union_set;
    pub fn isl_union_set_is_empty(uset: *mut isl_union_set) -> IslBool;
    pub fn isl_union_set_is_subset(uset1: *mut isl_union_set, uset2: *mut isl_union_set)
    -> IslBool;
    pub fn isl_union_set_is_equal(uset1: *mut isl_union_set, uset2: *mut isl_union_set) -> IslBool;
    pub fn isl_union_set_get_set_list(uset: *mut isl_union_set) -> *mut isl_set_list;
    pub fn isl_union_set_intersect_params(
        uset: *mut isl_union_set,
        set: *mut isl_set,
    ) -> *mut isl_union_set;
    pub fn isl_union_set_gist(
        uset: *mut isl_union_set,
        context: *mut isl_union_set,
    ) -> *mut isl_union_set;
    pub fn isl_union_set_coalesce(uset: *mut isl_union_set) -> *mut isl_union_set;
    pub fn isl_union_set_identity(uset: *mut isl_union_set) -> *mut isl_union_map;
    pub fn isl_union_set_params(uset: *mut isl_union_set) -> *mut isl_set;
    pub fn isl_union_map_free(umap: *mut isl_union_map) -> *mut isl_union_map;
    pub fn isl_union_map_copy(umap: *mut isl_union_map) -> *mut isl_union_map;
    pub fn isl_union_map_to_str(umap: *mut isl_union_map) -> *mut c_char;
    pub fn isl_union_map_read_from_str(
        ctx: *mut isl_ctx,
        text: *const c_char,
    ) -> *mut isl_union_map;
    pub fn isl_union_map_from_map(map: *mut isl_map) -> *mut isl_union_map;
    pub fn isl_union_map_empty_ctx(ctx: *mut isl_ctx) -> *mut isl_union_map;
    pub fn isl_union_map_union(
        umap1: *mut isl_union_map,
        umap2: *mut isl_union_map,
    ) -> *mut isl_union_map;
    pub fn isl_union_map_intersect(
        umap1: *mut isl_union_map,
        umap2: *mut isl_union_map,
    ) -> *mut isl_union_map;
    pub fn isl_union_map_subtract(
        umap1: *mut isl_union_map,
        umap2: *mut isl_union_map,
    ) -> *mut isl_union_map;
    pub fn isl_union_map_reverse(umap: *mut isl_union_map) -> *mut isl_union_map;
    pub fn isl_union_map_apply_range(
        umap1: *mut isl_union_map,
        umap2: *mut isl_union_map,
    ) -> *mut isl_union_map;
    pub fn isl_union_map_apply_domain(
        umap1: *mut isl_union_map,
        umap2: *mut isl_union_map,
    ) -> *mut isl_union_map;
    pub fn isl_union_map_domain(umap: *mut isl_union_map) -> *mut isl_union_set;
    pub fn isl_union_map_range(umap: *mut isl_union_map) -> *mut isl_union_set;
    pub fn isl_union_map_params(umap: *mut isl_union_map) -> *mut isl_set;
    pub fn isl_union_map_intersect_domain(
        umap: *mut isl_union_map,
        uset: *mut isl_union_set,
    ) -> *mut isl_union_map;
    pub fn isl_union_map_intersect_range(
        umap: *mut isl_union_map,
        uset: *mut isl_union_set,
    ) -> *mut isl_union_map;
    pub fn isl_union_map_intersect_params(
        umap: *mut isl_union_map,
        set: *mut isl_set,
    ) -> *mut isl_union_map;
    pub fn isl_union_map_deltas(umap: *mut isl_union_map) -> *mut isl_union_set;
    pub fn isl_union_map_is_empty(umap: *mut isl_union_map) -> IslBool;
    pub fn isl_union_map_is_subset(umap1: *mut isl_union_map, umap2: *mut isl_union_map)
    -> IslBool;
    pub fn isl_union_map_is_equal(umap1: *mut isl_union_map, umap2: *mut isl_union_map) -> IslBool;
    pub fn isl_union_map_is_single_valued(umap: *mut isl_union_map) -> IslBool;
    pub fn isl_union_map_is_injective(umap: *mut isl_union_map) -> IslBool;
    pub fn isl_union_map_get_map_list(umap: *mut isl_union_map) -> *mut isl_map_list;
    pub fn isl_union_map_coalesce(umap: *mut isl_union_map) -> *mut isl_union_map;
    pub fn isl_union_map_gist_params(
        umap: *mut isl_union_map,
        set: *mut isl_set,
    ) -> *mut isl_union_map;
    pub fn isl_union_map_detect_equalities(umap: *mut isl_union_map) -> *mut isl_union_map;
    pub fn isl_union_map_range_product(
        umap1: *mut isl_union_map,
        umap2: *mut isl_union_map,
    ) -> *mut isl_union_map;
    pub fn isl_union_map_lex_lt_union_map(
        umap1: *mut isl_union_map,
        umap2: *mut isl_union_map,
    ) -> *mut isl_union_map;
    pub fn isl_union_map_lex_le_union_map(
        umap1: *mut isl_union_map,
        umap2: *mut isl_union_map,
    ) -> *mut isl_union_map;
    pub fn isl_union_map_curry(umap: *mut isl_union_map) -> *mut isl_union_map;
    pub fn isl_union_map_uncurry(umap: *mut isl_union_map) -> *mut isl_union_map;
    pub fn isl_union_map_zip(umap: *mut isl_union_map) -> *mut isl_union_map;
    pub fn isl_union_map_domain_factor_domain(umap: *mut isl_union_map) -> *mut isl_union_map;
    pub fn isl_union_map_range_factor_domain(umap: *mut isl_union_map) -> *mut isl_union_map;
    pub fn isl_union_map_range_factor_range(umap: *mut isl_union_map) -> *mut isl_union_map;
    pub fn isl_union_access_info_from_sink(sink: *mut isl_union_map) -> *mut isl_union_access_info;
    pub fn isl_union_access_info_free(
        access: *mut isl_union_access_info,
    ) -> *mut isl_union_access_info;
    pub fn isl_union_access_info_set_must_source(
        access: *mut isl_union_access_info,
        must_source: *mut isl_union_map,
    ) -> *mut isl_union_access_info;
    pub fn isl_union_access_info_set_may_source(
        access: *mut isl_union_access_info,
        may_source: *mut isl_union_map,
    ) -> *mut isl_union_access_info;
    pub fn isl_union_access_info_set_schedule_map(
        access: *mut isl_union_access_info,
        schedule_map: *mut isl_union_map,
    ) -> *mut isl_union_access_info;
    pub fn isl_union_access_info_compute_flow(
        access: *mut isl_union_access_info,
    ) -> *mut isl_union_flow;
    pub fn isl_union_flow_free(flow: *mut isl_union_flow) -> *mut isl_union_flow;
    pub fn isl_union_flow_get_must_dependence(flow: *mut isl_union_flow) -> *mut isl_union_map;
    pub fn isl_union_flow_get_may_dependence(flow: *mut isl_union_flow) -> *mut isl_union_map;
    pub fn isl_union_flow_get_must_no_source(flow: *mut isl_union_flow) -> *mut isl_union_map;
    pub fn isl_union_flow_get_may_no_source(flow: *mut isl_union_flow) -> *mut isl_union_map;
    pub fn isl_pw_aff_free(pwaff: *mut isl_pw_aff) -> *mut isl_pw_aff;
    pub fn isl_pw_aff_copy(pwaff: *mut isl_pw_aff) -> *mut isl_pw_aff;
    pub fn isl_pw_aff_to_str(pa: *mut isl_pw_aff) -> *mut c_char;
    pub fn isl_pw_aff_read_from_str(ctx: *mut isl_ctx, text: *const c_char) -> *mut isl_pw_aff;
    pub fn isl_pw_aff_add(pwaff1: *mut isl_pw_aff, pwaff2: *mut isl_pw_aff) -> *mut isl_pw_aff;
    pub fn isl_pw_aff_union_add(
        pwaff1: *mut isl_pw_aff,
        pwaff2: *mut isl_pw_aff,
    ) -> *mut isl_pw_aff;
    pub fn isl_pw_aff_sub(pwaff1: *mut isl_pw_aff, pwaff2: *mut isl_pw_aff) -> *mut isl_pw_aff;
    pub fn isl_pw_aff_neg(pwaff: *mut isl_pw_aff) -> *mut isl_pw_aff;
    pub fn isl_pw_aff_scale_val(pa: *mut isl_pw_aff, v: *mut isl_val) -> *mut isl_pw_aff;
    pub fn isl_pw_aff_add_constant_val(pa: *mut isl_pw_aff, v: *mut isl_val) -> *mut isl_pw_aff;
    pub fn isl_pw_aff_scale_down_val(pa: *mut isl_pw_aff, f: *mut isl_val) -> *mut isl_pw_aff;
    pub fn isl_pw_aff_floor(pwaff: *mut isl_pw_aff) -> *mut isl_pw_aff;
    pub fn isl_pw_aff_max(pwaff1: *mut isl_pw_aff, pwaff2: *mut isl_pw_aff) -> *mut isl_pw_aff;
    pub fn isl_pw_aff_min(pwaff1: *mut isl_pw_aff, pwaff2: *mut isl_pw_aff) -> *mut isl_pw_aff;
    pub fn isl_pw_aff_plain_is_equal(pa1: *mut isl_pw_aff, pa2: *mut isl_pw_aff) -> IslBool;
    pub fn isl_pw_aff_is_equal(pa1: *mut isl_pw_aff, pa2: *mut isl_pw_aff) -> IslBool;
    pub fn isl_pw_aff_domain(pwaff: *mut isl_pw_aff) -> *mut isl_set;
    pub fn isl_pw_aff_intersect_domain(pa: *mut isl_pw_aff, set: *mut isl_set) -> *mut isl_pw_aff;
    pub fn isl_pw_aff_gist(pwaff: *mut isl_pw_aff, context: *mut isl_set) -> *mut isl_pw_aff;
    pub fn isl_pw_aff_gist_params(pwaff: *mut isl_pw_aff, context: *mut isl_set)
    -> *mut isl_pw_aff;
    pub fn isl_pw_aff_coalesce(pa: *mut isl_pw_aff) -> *mut isl_pw_aff;
    pub fn isl_pw_aff_max_val(pa: *mut isl_pw_aff) -> *mut isl_val;
    pub fn isl_pw_aff_min_val(pa: *mut isl_pw_aff) -> *mut isl_val;
    pub fn isl_pw_aff_n_piece(pwaff: *mut isl_pw_aff) -> IslSize;
    pub fn isl_pw_aff_drop_unused_params(pa: *mut isl_pw_aff) -> *mut isl_pw_aff;
    pub fn isl_pw_aff_eq_set(pwaff1: *mut isl_pw_aff, pwaff2: *mut isl_pw_aff) -> *mut isl_set;
    pub fn isl_pw_aff_ge_set(pwaff1: *mut isl_pw_aff, pwaff2: *mut isl_pw_aff) -> *mut isl_set;
    pub fn isl_pw_aff_le_set(pwaff1: *mut isl_pw_aff, pwaff2: *mut isl_pw_aff) -> *mut isl_set;
    pub fn isl_pw_aff_lt_set(pwaff1: *mut isl_pw_aff, pwaff2: *mut isl_pw_aff) -> *mut isl_set;
    pub fn isl_pw_aff_gt_set(pwaff1: *mut isl_pw_aff, pwaff2: *mut isl_pw_aff) -> *mut isl_set;
    pub fn isl_pw_aff_insert_domain(pa: *mut isl_pw_aff, domain: *mut isl_space)
    -> *mut isl_pw_aff;
    pub fn isl_pw_aff_move_dims(
        pa: *mut isl_pw_aff,
        dst: c_uint,
        dst_pos: c_uint,
        src: c_uint,
        src_pos: c_uint,
        n: c_uint,
    ) -> *mut isl_pw_aff;
    pub fn isl_pw_aff_project_domain_on_params(pa: *mut isl_pw_aff) -> *mut isl_pw_aff;
    pub fn isl_pw_aff_dim(pwaff: *mut isl_pw_aff, dim: c_uint) -> IslSize;
    pub fn isl_pw_aff_get_dim_name(pa: *mut isl_pw_aff, dim: c_uint, pos: c_uint) -> *const c_char;
    pub fn isl_pw_aff_set_dim_id(
        pma: *mut isl_pw_aff,
        dim: c_uint,
        pos: c_uint,
        id: *mut isl_id,
    ) -> *mut isl_pw_aff;
    pub fn isl_multi_pw_aff_read_from_str(
        ctx: *mut isl_ctx,
        text: *const c_char,
    ) -> *mut isl_multi_pw_aff;
    pub fn isl_pw_aff_involves_dims(
        pwaff: *mut isl_pw_aff,
        dim: c_uint,
        first: c_uint,
        n: c_uint,
    ) -> IslBool;
    pub fn isl_pw_aff_pullback_multi_pw_aff(
        pa: *mut isl_pw_aff,
        mpa: *mut isl_multi_pw_aff,
    ) -> *mut isl_pw_aff;
    pub fn isl_multi_pw_aff_from_pw_aff(pa: *mut isl_pw_aff) -> *mut isl_multi_pw_aff;
    pub fn isl_multi_pw_aff_flat_range_product(
        multi1: *mut isl_multi_pw_aff,
        multi2: *mut isl_multi_pw_aff,
    ) -> *mut isl_multi_pw_aff;
    pub fn isl_multi_pw_aff_set_tuple_name(
        multi: *mut isl_multi_pw_aff,
        dim: c_uint,
        name: *const c_char,
    ) -> *mut isl_multi_pw_aff;
    pub fn isl_multi_pw_aff_to_str(mpa: *mut isl_multi_pw_aff) -> *mut c_char;
    pub fn isl_ast_build_from_context(set: *mut isl_set) -> *mut isl_ast_build;
    pub fn isl_ast_build_free(build: *mut isl_ast_build) -> *mut isl_ast_build;
    pub fn isl_ast_build_copy(build: *mut isl_ast_build) -> *mut isl_ast_build;
    pub fn isl_ast_build_expr_from_set(
        build: *mut isl_ast_build,
        set: *mut isl_set,
    ) -> *mut isl_ast_expr;
    pub fn isl_ast_build_expr_from_pw_aff(
        build: *mut isl_ast_build,
        pa: *mut isl_pw_aff,
    ) -> *mut isl_ast_expr;
    pub fn isl_union_map_align_params(
        umap: *mut isl_union_map,
        model: *mut isl_space,
    ) -> *mut isl_union_map;
    pub fn isl_union_map_get_space(umap: *mut isl_union_map) -> *mut isl_space;
    pub fn isl_ast_build_set_iterators(
        build: *mut isl_ast_build,
        iterators: *mut isl_id_list,
    ) -> *mut isl_ast_build;
    pub fn isl_ast_build_set_options(
        build: *mut isl_ast_build,
        options: *mut isl_union_map,
    ) -> *mut isl_ast_build;
    pub fn isl_ast_build_node_from_schedule_map(
        build: *mut isl_ast_build,
        schedule: *mut isl_union_map,
    ) -> *mut isl_ast_node;
    pub fn isl_ast_node_free(node: *mut isl_ast_node) -> *mut isl_ast_node;
    pub fn isl_ast_node_get_type(node: *mut isl_ast_node) -> c_int;
    pub fn isl_ast_node_for_get_iterator(node: *mut isl_ast_node) -> *mut isl_ast_expr;
    pub fn isl_ast_node_for_get_init(node: *mut isl_ast_node) -> *mut isl_ast_expr;
    pub fn isl_ast_node_for_get_cond(node: *mut isl_ast_node) -> *mut isl_ast_expr;
    pub fn isl_ast_node_for_get_inc(node: *mut isl_ast_node) -> *mut isl_ast_expr;
    pub fn isl_ast_node_for_get_body(node: *mut isl_ast_node) -> *mut isl_ast_node;
    pub fn isl_ast_node_for_is_degenerate(node: *mut isl_ast_node) -> IslBool;
    pub fn isl_ast_node_if_get_cond(node: *mut isl_ast_node) -> *mut isl_ast_expr;
    pub fn isl_ast_node_if_get_then_node(node: *mut isl_ast_node) -> *mut isl_ast_node;
    pub fn isl_ast_node_if_has_else_node(node: *mut isl_ast_node) -> IslBool;
    pub fn isl_ast_node_if_get_else_node(node: *mut isl_ast_node) -> *mut isl_ast_node;
    pub fn isl_ast_node_block_get_children(node: *mut isl_ast_node) -> *mut isl_ast_node_list;
    pub fn isl_ast_node_user_get_expr(node: *mut isl_ast_node) -> *mut isl_ast_expr;
    pub fn isl_ast_expr_free(expr: *mut isl_ast_expr) -> *mut isl_ast_expr;
    pub fn isl_ast_expr_get_type(expr: *mut isl_ast_expr) -> c_int;
    pub fn isl_ast_expr_int_get_val(expr: *mut isl_ast_expr) -> *mut isl_val;
    pub fn isl_ast_expr_id_get_id(expr: *mut isl_ast_expr) -> *mut isl_id;
    pub fn isl_ast_expr_op_get_type(expr: *mut isl_ast_expr) -> c_int;
    pub fn isl_ast_expr_op_get_n_arg(expr: *mut isl_ast_expr) -> IslSize;
    pub fn isl_ast_expr_op_get_arg(expr: *mut isl_ast_expr, pos: c_int) -> *mut isl_ast_expr;

    // These come from macros in the headers.
    pub fn isl_ast_node_list_size(list: *mut isl_ast_node_list) -> IslSize;
    pub fn isl_ast_node_list_get_at(
        list: *mut isl_ast_node_list,
        index: c_int,
    ) -> *mut isl_ast_node;
    pub fn isl_ast_node_list_free(list: *mut isl_ast_node_list) -> *mut isl_ast_node_list;
    pub fn isl_set_list_size(list: *mut isl_set_list) -> IslSize;
    pub fn isl_set_list_get_at(list: *mut isl_set_list, index: c_int) -> *mut isl_set;
    pub fn isl_set_list_free(list: *mut isl_set_list) -> *mut isl_set_list;
    pub fn isl_map_list_size(list: *mut isl_map_list) -> IslSize;
    pub fn isl_map_list_get_at(list: *mut isl_map_list, index: c_int) -> *mut isl_map;
    pub fn isl_map_list_free(list: *mut isl_map_list) -> *mut isl_map_list;
    pub fn isl_basic_set_list_size(list: *mut isl_basic_set_list) -> IslSize;
    pub fn isl_basic_set_list_get_at(
        list: *mut isl_basic_set_list,
        index: c_int,
    ) -> *mut isl_basic_set;
    pub fn isl_basic_set_list_free(list: *mut isl_basic_set_list) -> *mut isl_basic_set_list;
    pub fn isl_basic_map_list_size(list: *mut isl_basic_map_list) -> IslSize;
    pub fn isl_basic_map_list_get_at(
        list: *mut isl_basic_map_list,
        index: c_int,
    ) -> *mut isl_basic_map;
    pub fn isl_basic_map_list_free(list: *mut isl_basic_map_list) -> *mut isl_basic_map_list;
    pub fn isl_constraint_list_size(list: *mut isl_constraint_list) -> IslSize;
    pub fn isl_constraint_list_get_at(
        list: *mut isl_constraint_list,
        index: c_int,
    ) -> *mut isl_constraint;
    pub fn isl_constraint_list_free(list: *mut isl_constraint_list) -> *mut isl_constraint_list;
    pub fn isl_multi_aff_size(multi: *mut isl_multi_aff) -> IslSize;
    pub fn isl_multi_aff_get_at(multi: *mut isl_multi_aff, pos: c_int) -> *mut isl_aff;
    pub fn isl_multi_aff_free(multi: *mut isl_multi_aff) -> *mut isl_multi_aff;
    pub fn isl_multi_val_size(multi: *mut isl_multi_val) -> IslSize;
    pub fn isl_multi_val_get_at(multi: *mut isl_multi_val, pos: c_int) -> *mut isl_val;
    pub fn isl_multi_val_free(multi: *mut isl_multi_val) -> *mut isl_multi_val;
    pub fn isl_multi_pw_aff_size(multi: *mut isl_multi_pw_aff) -> IslSize;
    pub fn isl_multi_pw_aff_get_at(multi: *mut isl_multi_pw_aff, pos: c_int) -> *mut isl_pw_aff;
    pub fn isl_multi_pw_aff_get_tuple_name(
        multi: *mut isl_multi_pw_aff,
        dim: c_uint,
    ) -> *const c_char;
    pub fn isl_multi_pw_aff_copy(multi: *mut isl_multi_pw_aff) -> *mut isl_multi_pw_aff;
    pub fn isl_multi_pw_aff_free(multi: *mut isl_multi_pw_aff) -> *mut isl_multi_pw_aff;
}
