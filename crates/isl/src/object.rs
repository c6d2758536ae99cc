//! Ownership of isl objects, and the macros that make methods of isl functions.

use std::ptr::NonNull;

use libc::c_char;

use crate::{Ctx, Error, Result, ffi};

/// An isl type that has an owner.
pub(crate) trait Object: Sized {
    /// Frees `ptr`.
    ///
    /// # Safety
    /// `ptr` must be an owned reference that is not used afterwards.
    unsafe fn release(ptr: *mut Self);
}

/// An isl type with a reference count.
pub(crate) trait Shared: Object {
    /// Gives one more reference to `ptr`.
    ///
    /// # Safety
    /// `ptr` must be alive.
    unsafe fn retain(ptr: *mut Self) -> *mut Self;
}

/// An isl type with a text form.
pub(crate) trait Printed: Object {
    /// Gives the text form of `ptr`, allocated by `malloc`, or NULL.
    ///
    /// # Safety
    /// `ptr` must be alive.
    unsafe fn to_c_text(ptr: *mut Self) -> *mut c_char;
}

/// One owned reference to an isl object, and the context it lives in.
pub(crate) struct Owned<T: Object> {
    ptr: NonNull<T>,
    /// Fields are dropped after `drop` has run, so the context goes after the object.
    pub(crate) ctx: Ctx,
}

impl<T: Object> Owned<T> {
    /// `ptr` must be an owned reference to an object of `ctx`.
    pub(crate) fn new(ptr: NonNull<T>, ctx: Ctx) -> Self {
        Owned { ptr, ctx }
    }

    /// The pointer, for isl functions that borrow their argument (`__isl_keep`).
    pub(crate) fn keep(&self) -> *mut T {
        self.ptr.as_ptr()
    }

    /// The pointer, given up, for isl functions that consume their argument (`__isl_take`).
    pub(crate) fn into_raw(self) -> *mut T {
        let this = std::mem::ManuallyDrop::new(self);
        // SAFETY: `this` is never dropped, so the handle to the context is moved out once.
        drop(unsafe { std::ptr::read(&this.ctx) });
        this.ptr.as_ptr()
    }

    /// Refuses objects of different contexts, which isl would mix without a check.
    pub(crate) fn same_ctx<U: Object>(&self, other: &Owned<U>) -> Result<()> {
        if self.ctx.is_same(&other.ctx) {
            Ok(())
        } else {
            Err(Error::new("the objects belong to different isl contexts"))
        }
    }
}

impl<T: Shared> Owned<T> {
    /// A new reference, for isl functions that consume their argument (`__isl_take`).
    pub(crate) fn take(&self) -> *mut T {
        // SAFETY: the object is alive.
        unsafe { T::retain(self.ptr.as_ptr()) }
    }
}

impl<T: Printed> Owned<T> {
    pub(crate) fn text(&self) -> Result<String> {
        self.ctx.unlimited(|| {
            // SAFETY: the object is alive, and its text form is as `Ctx::text` asks.
            unsafe { self.ctx.text(|| T::to_c_text(self.keep())) }
        })
    }
}

impl<T: Object> Drop for Owned<T> {
    fn drop(&mut self) {
        // SAFETY: `self` owns the reference.
        unsafe { T::release(self.ptr.as_ptr()) }
    }
}

impl<T: Shared> Clone for Owned<T> {
    fn clone(&self) -> Self {
        // SAFETY: taking a reference of a live object counts it and returns the same pointer.
        let ptr = unsafe { NonNull::new_unchecked(self.take()) };
        Owned::new(ptr, self.ctx.clone())
    }
}

macro_rules! objects {
    ($($name:ident => $free:ident;)*) => {$(
        impl Object for ffi::$name {
            unsafe fn release(ptr: *mut Self) {
                // SAFETY: promised by the caller.
                unsafe { ffi::$free(ptr) };
            }
        }
    )*};
}

objects! {
    isl_aff => isl_aff_free;
    isl_ast_build => isl_ast_build_free;
    isl_ast_expr => isl_ast_expr_free;
    isl_ast_node => isl_ast_node_free;
    isl_ast_node_list => isl_ast_node_list_free;
    isl_basic_map => isl_basic_map_free;
    isl_basic_map_list => isl_basic_map_list_free;
    isl_basic_set => isl_basic_set_free;
    isl_basic_set_list => isl_basic_set_list_free;
    isl_constraint => isl_constraint_free;
    isl_constraint_list => isl_constraint_list_free;
    isl_fixed_box => isl_fixed_box_free;
    isl_id => isl_id_free;
    isl_id_list => isl_id_list_free;
    isl_map => isl_map_free;
    isl_map_list => isl_map_list_free;
    isl_multi_aff => isl_multi_aff_free;
    isl_multi_pw_aff => isl_multi_pw_aff_free;
    isl_multi_val => isl_multi_val_free;
    isl_point => isl_point_free;
    isl_pw_aff => isl_pw_aff_free;
    isl_pw_multi_aff => isl_pw_multi_aff_free;
    isl_set => isl_set_free;
    isl_set_list => isl_set_list_free;
    isl_space => isl_space_free;
    isl_stride_info => isl_stride_info_free;
    isl_union_access_info => isl_union_access_info_free;
    isl_union_flow => isl_union_flow_free;
    isl_union_map => isl_union_map_free;
    isl_union_set => isl_union_set_free;
    isl_val => isl_val_free;
}

/// Defines a public type that owns an isl object.
macro_rules! public_object {
    ($(#[$meta:meta])* $name:ident($raw:ident): $copy:ident, $to_str:ident, $read:path) => {
        $(#[$meta])*
        #[derive(Clone)]
        pub struct $name(pub(crate) $crate::object::Owned<$crate::ffi::$raw>);

        impl $crate::object::Shared for $crate::ffi::$raw {
            unsafe fn retain(ptr: *mut Self) -> *mut Self {
                // SAFETY: promised by the caller.
                unsafe { $crate::ffi::$copy(ptr) }
            }
        }

        impl $crate::object::Printed for $crate::ffi::$raw {
            unsafe fn to_c_text(ptr: *mut Self) -> *mut libc::c_char {
                // SAFETY: promised by the caller.
                unsafe { $crate::ffi::$to_str(ptr) }
            }
        }

        impl $name {
            /// Reads isl notation.
            pub fn read(ctx: &$crate::Ctx, text: &str) -> $crate::Result<Self> {
                // SAFETY: the function is called with a live context and text that ends in NUL.
                ctx.read(text, |ctx, text| unsafe { $read(ctx, text) }).map($name)
            }

            /// The context of the object.
            pub fn ctx(&self) -> &$crate::Ctx {
                &self.0.ctx
            }

            /// The object in isl notation. Unlike `to_string`, this can tell failure.
            pub fn to_str(&self) -> $crate::Result<String> {
                self.0.text()
            }
        }

        impl From<$crate::object::Owned<$crate::ffi::$raw>> for $name {
            fn from(owned: $crate::object::Owned<$crate::ffi::$raw>) -> Self {
                $name(owned)
            }
        }

        /// isl notation.
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match self.0.text() {
                    Ok(text) => f.write_str(&text),
                    // `to_string` panics on a formatting error.
                    Err(error) => write!(f, "<isl cannot print this: {error}>"),
                }
            }
        }

        /// isl notation.
        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(self, f)
            }
        }
    };
}
pub(crate) use public_object;

/// Methods of isl functions that consume objects and give one.
macro_rules! operations {
    ($owner:ident { $($(#[$meta:meta])* fn $name:ident($($arg:ident: $ty:ident),*) -> $ret:ident = $c:path;)* }) => {
        impl $owner {$(
            $(#[$meta])*
            pub fn $name(&self $(, $arg: &$ty)*) -> $crate::Result<$ret> {
                $(self.0.same_ctx(&$arg.0)?;)*
                // SAFETY: the function consumes one reference of each argument, all of one context.
                self.0.ctx.give(|| unsafe { $c(self.0.take() $(, $arg.0.take())*) }).map($ret::from)
            }
        )*}
    };
}
pub(crate) use operations;

/// The method that writes an object in fewer pieces.
macro_rules! coalesces {
    ($($owner:ident = $c:path;)*) => {$(
        impl $owner {
            /// The same in fewer pieces, where isl finds such. Where it fails at that, other than by
            /// its limit on operations, the object as it is: some inputs it cannot handle
            /// (`cannot relax redundant constraint`), and nothing depends on the number of pieces.
            pub fn coalesce(&self) -> $crate::Result<$owner> {
                // SAFETY: the function consumes one reference.
                let fewer = self.0.ctx.give(|| unsafe { $c(self.0.take()) });
                match fewer {
                    Err(error) if !error.quota => Ok(self.clone()),
                    fewer => fewer.map($owner::from),
                }
            }
        }
    )*};
}
pub(crate) use coalesces;

/// Methods of isl functions that look at objects and give a boolean.
macro_rules! questions {
    ($owner:ident { $($(#[$meta:meta])* fn $name:ident($($arg:ident: $ty:ident),*) = $c:path;)* }) => {
        impl $owner {$(
            $(#[$meta])*
            pub fn $name(&self $(, $arg: &$ty)*) -> $crate::Result<bool> {
                $(self.0.same_ctx(&$arg.0)?;)*
                // SAFETY: the function borrows its arguments, all of one context.
                self.0.ctx.truth(|| unsafe { $c(self.0.keep() $(, $arg.0.keep())*) })
            }
        )*}
    };
}
pub(crate) use questions;

/// Methods of isl functions that change `n` dimensions from a position on, after the check `check`.
macro_rules! dimension_ranges {
    ($owner:ident { $($(#[$meta:meta])* fn $name:ident($pos:ident, $n:ident) after $check:ident = $c:path;)* }) => {
        impl $owner {$(
            $(#[$meta])*
            pub fn $name(&self, dim: $crate::DimType, $pos: u32, $n: u32) -> $crate::Result<$owner> {
                self.$check(dim, $pos, $n)?;
                // SAFETY: the function consumes one reference, and the dimensions are checked.
                self.0.ctx.give(|| unsafe { $c(self.0.take(), dim.raw(), $pos, $n) }).map($owner)
            }
        )*}
    };
}
pub(crate) use dimension_ranges;

/// Methods of isl functions that constrain one dimension by a constant.
macro_rules! dimension_values {
    ($owner:ident { $($(#[$meta:meta])* fn $name:ident = $c:path;)* }) => {
        impl $owner {$(
            $(#[$meta])*
            pub fn $name(&self, dim: $crate::DimType, pos: u32, value: i64) -> $crate::Result<$owner> {
                self.check_range(dim, pos, 1)?;
                let value = $crate::value::int_val(&self.0.ctx, value)?.into_raw();
                // SAFETY: the function consumes its arguments, and the position is checked.
                self.0
                    .ctx
                    .give(|| unsafe { $c(self.0.take(), dim.raw(), pos, value) })
                    .map($owner)
            }
        )*}
    };
}
pub(crate) use dimension_values;

/// What sets and maps do alike with their dimensions.
///
/// Positions are checked here because isl does not check all of them: a destination of
/// `isl_map_move_dims` out of range crashes it.
macro_rules! dimensions {
    ($owner:ident: $dim:path, $name:path, $set_name:path, $add:path, $move:path) => {
        impl $owner {
            /// The number of dimensions of a kind.
            pub fn dim(&self, dim: $crate::DimType) -> $crate::Result<usize> {
                // SAFETY: the object is alive.
                self.0
                    .ctx
                    .size(|| unsafe { $dim(self.0.keep(), dim.raw()) })
            }

            fn check_range(&self, dim: $crate::DimType, first: u32, n: u32) -> $crate::Result<()> {
                $crate::value::check_range(self.dim(dim)?, first, n)
            }

            fn check_insert(&self, dim: $crate::DimType, pos: u32, n: u32) -> $crate::Result<()> {
                self.check_kind(dim)?;
                $crate::value::check_range(self.dim(dim)?, pos, 0)?;
                $crate::value::check_small(n)
            }

            /// The name of a dimension, if it has one.
            pub fn dim_name(
                &self,
                dim: $crate::DimType,
                pos: u32,
            ) -> $crate::Result<Option<String>> {
                self.check_range(dim, pos, 1)?;
                // SAFETY: the object is alive and keeps the name alive; the position is checked.
                unsafe { self.0.ctx.name(|| $name(self.0.keep(), dim.raw(), pos)) }
            }

            /// The same relation with a dimension named `name`.
            pub fn set_dim_name(
                &self,
                dim: $crate::DimType,
                pos: u32,
                name: &str,
            ) -> $crate::Result<$owner> {
                self.check_range(dim, pos, 1)?;
                let name = $crate::ctx::c_string(name)?;
                let ctx = &self.0.ctx;
                // SAFETY: one reference is consumed, isl copies the name, the position is checked.
                ctx.give(|| unsafe { $set_name(self.0.take(), dim.raw(), pos, name.as_ptr()) })
                    .map($owner)
            }

            /// Appends `n` unconstrained dimensions.
            pub fn add_dims(&self, dim: $crate::DimType, n: u32) -> $crate::Result<$owner> {
                self.check_insert(dim, 0, n)?;
                // SAFETY: one reference is consumed.
                self.0
                    .ctx
                    .give(|| unsafe { $add(self.0.take(), dim.raw(), n) })
                    .map($owner)
            }

            /// Moves `n` dimensions from (`src`, `src_pos`) to before (`dst`, `dst_pos`), with
            /// their names. The two kinds must differ.
            pub fn move_dims(
                &self,
                dst: $crate::DimType,
                dst_pos: u32,
                src: $crate::DimType,
                src_pos: u32,
                n: u32,
            ) -> $crate::Result<$owner> {
                if dst == src {
                    return Err($crate::Error::new(
                        "dimensions cannot be moved among their kind",
                    ));
                }
                self.check_insert(dst, dst_pos, n)?;
                self.check_range(src, src_pos, n)?;
                let (dst, src) = (dst.raw(), src.raw());
                // SAFETY: one reference is consumed, and the positions are checked.
                self.0
                    .ctx
                    .give(|| unsafe { $move(self.0.take(), dst, dst_pos, src, src_pos, n) })
                    .map($owner)
            }
        }
    };
}
pub(crate) use dimensions;

/// A function that collects the elements of an isl list.
macro_rules! list_elements {
    ($(#[$meta:meta])* fn $name:ident($list:ident) -> $elem:ident = $size:ident, $get_at:ident) => {
        $(#[$meta])*
        pub(crate) fn $name(list: &Owned<ffi::$list>) -> Result<Vec<Owned<ffi::$elem>>> {
            // SAFETY: the list is alive.
            let n = list.ctx.size(|| unsafe { ffi::$size(list.keep()) })?;
            (0..n)
                .map(|i| {
                    let i = crate::value::c_index(i)?;
                    // SAFETY: the list is alive, and isl checks the index.
                    list.ctx.give(|| unsafe { ffi::$get_at(list.keep(), i) })
                })
                .collect()
        }
    };
}

list_elements!(fn sets_of(isl_set_list) -> isl_set = isl_set_list_size, isl_set_list_get_at);
list_elements!(fn maps_of(isl_map_list) -> isl_map = isl_map_list_size, isl_map_list_get_at);
list_elements!(fn basic_sets_of(isl_basic_set_list) -> isl_basic_set = isl_basic_set_list_size, isl_basic_set_list_get_at);
list_elements!(fn basic_maps_of(isl_basic_map_list) -> isl_basic_map = isl_basic_map_list_size, isl_basic_map_list_get_at);
list_elements!(fn constraints_of(isl_constraint_list) -> isl_constraint = isl_constraint_list_size, isl_constraint_list_get_at);
list_elements!(fn affs_of(isl_multi_aff) -> isl_aff = isl_multi_aff_size, isl_multi_aff_get_at);
list_elements!(fn vals_of(isl_multi_val) -> isl_val = isl_multi_val_size, isl_multi_val_get_at);
