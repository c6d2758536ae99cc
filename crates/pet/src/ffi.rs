//! libpet's functions, and ownership of what they return.
//!
//! Invariants: no pointer of this module leaves the crate; a NULL result is an
//! error, never a value; libpet is loaded at most once per process, with its
//! symbols invisible to everything else, because the program may hold another
//! isl; it is never unloaded.

use std::{
    ffi::{CStr, c_char},
    ops::Deref,
    path::{Path, PathBuf},
    ptr,
    sync::OnceLock,
};

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

use crate::PetError;

/// The generated declarations.
#[allow(
    missing_docs,
    non_camel_case_types,
    non_upper_case_globals,
    non_snake_case,
    dead_code,
    unsafe_op_in_unsafe_fn,
    unnecessary_transmutes,
    clippy::all,
    clippy::unwrap_used
)]
pub mod api {
    include!(concat!(env!("OUT_DIR"), "/pet_api.rs"));
}

pub use api::{
    PetLib, isl_ctx, isl_id, isl_multi_pw_aff, isl_printer, isl_set, isl_union_map, isl_val,
    pet_array, pet_expr, pet_expr_type, pet_loc, pet_scop, pet_stmt, pet_tree, pet_tree_type,
};

/// `ISL_ON_ERROR_CONTINUE`: isl returns NULL and prints nothing.
pub const ON_ERROR_CONTINUE: i32 = 1;
/// `ISL_YAML_STYLE_BLOCK`.
pub const YAML_BLOCK: i32 = 0;

/// A loaded libpet.
pub struct Pet {
    path: PathBuf,
    lib: PetLib,
    /// The address of `pet_options_args`, libpet's description of its options.
    options_args: *mut api::isl_args,
}

// SAFETY: the fields are only read after construction; `options_args` points to
// constant data of a library that is never unloaded.
unsafe impl Send for Pet {}
// SAFETY: as above.
unsafe impl Sync for Pet {}

impl Deref for Pet {
    type Target = PetLib;
    fn deref(&self) -> &PetLib {
        &self.lib
    }
}

impl Pet {
    /// libpet's description of its own options.
    pub fn options_args(&self) -> *mut api::isl_args {
        self.options_args
    }
}

/// Loads libpet, or returns the one loaded before.
///
/// A second path is refused: two LLVMs in one process do not go well.
pub fn load(path: &Path) -> Result<&'static Pet, PetError> {
    static LOADED: OnceLock<Result<Pet, PetError>> = OnceLock::new();
    let pet = LOADED
        .get_or_init(|| open(path))
        .as_ref()
        .map_err(Clone::clone)?;
    if pet.path != path {
        return Err(PetError::LibraryUnusable {
            path: path.to_owned(),
            reason: format!("this process already uses {}", pet.path.display()),
        });
    }
    Ok(pet)
}

fn open(path: &Path) -> Result<Pet, PetError> {
    let unusable = |error: libloading::Error| PetError::LibraryUnusable {
        path: path.to_owned(),
        reason: error.to_string(),
    };
    // SAFETY: loading runs the initialisers of libpet, isl, GMP, clang and LLVM,
    // which have no preconditions. RTLD_LOCAL keeps their isl apart from ours.
    let library = unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) }.map_err(unusable)?;
    // SAFETY: the symbol is a variable; only its address is used.
    let options_args =
        unsafe { library.get::<*mut api::isl_args>(b"pet_options_args\0") }.map_err(unusable)?;
    let options_args: *mut api::isl_args = options_args.into_raw().cast();
    // SAFETY: the declarations in pet_api.h are those of this library.
    let lib = unsafe { PetLib::from_library(library) }.map_err(unusable)?;
    Ok(Pet {
        path: path.to_owned(),
        lib,
        options_args,
    })
}

/// A reference-counted object of pet or isl.
pub trait Object {
    /// Gives up one reference.
    ///
    /// # Safety
    ///
    /// `this` is a valid pointer whose reference the caller owns.
    unsafe fn free(lib: &PetLib, this: *mut Self);
}

macro_rules! objects {
    ($($object:ident by $free:ident;)*) => {$(
        impl Object for $object {
            unsafe fn free(lib: &PetLib, this: *mut Self) {
                // SAFETY: promised by the caller.
                unsafe { lib.$free(this) };
            }
        }
    )*};
}

objects! {
    isl_ctx by isl_ctx_free;
    isl_set by isl_set_free;
    isl_union_map by isl_union_map_free;
    isl_multi_pw_aff by isl_multi_pw_aff_free;
    isl_id by isl_id_free;
    isl_val by isl_val_free;
    isl_printer by isl_printer_free;
    pet_loc by pet_loc_free;
    pet_expr by pet_expr_free;
    pet_scop by pet_scop_free;
}

/// One owned reference to an object, never NULL.
pub struct Owned<'p, T: Object> {
    lib: &'p PetLib,
    pointer: *mut T,
}

impl<'p, T: Object> Owned<'p, T> {
    /// Takes ownership; `None` for NULL.
    ///
    /// # Safety
    ///
    /// `pointer` is NULL or a reference that nobody else gives up.
    pub unsafe fn new(lib: &'p PetLib, pointer: *mut T) -> Option<Owned<'p, T>> {
        (!pointer.is_null()).then_some(Owned { lib, pointer })
    }

    /// The object, still owned by `self`.
    pub fn get(&self) -> *mut T {
        self.pointer
    }

    /// The object, now owned by the caller.
    pub fn into_raw(mut self) -> *mut T {
        std::mem::replace(&mut self.pointer, ptr::null_mut())
    }
}

impl<T: Object> Drop for Owned<'_, T> {
    fn drop(&mut self) {
        if !self.pointer.is_null() {
            // SAFETY: the reference is owned and was not handed on.
            unsafe { T::free(self.lib, self.pointer) };
        }
    }
}

/// Copies a C string that the library keeps; `None` for NULL.
///
/// # Safety
///
/// `text` is NULL or a C string.
pub unsafe fn borrowed_text(text: *const c_char) -> Option<String> {
    if text.is_null() {
        return None;
    }
    // SAFETY: promised by the caller.
    Some(
        unsafe { CStr::from_ptr(text) }
            .to_string_lossy()
            .into_owned(),
    )
}

/// Copies and frees a C string that was allocated for the caller; `None` for NULL.
///
/// # Safety
///
/// `text` is NULL or a C string from `malloc` that nobody else frees.
pub unsafe fn owned_text(text: *mut c_char) -> Option<String> {
    // SAFETY: promised by the caller.
    let copy = unsafe { borrowed_text(text) };
    // SAFETY: promised by the caller; free accepts NULL.
    unsafe { libc::free(text.cast()) };
    copy
}
