//! The isl context, and the one place where isl's outcomes become `Result`s.

use std::any::TypeId;
use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::{CStr, CString};
use std::ptr::NonNull;
use std::rc::Rc;

use libc::{c_char, c_int, c_ulong, c_void};

use crate::ffi;
use crate::object::{Object, Owned, Shared};
use crate::{Error, Result, Stopper};

/// A handle to an isl context. Clones share the context.
///
/// Every object holds such a handle, so the context outlives its objects. Objects of different
/// contexts cannot be combined: that is an error. A context and its objects stay on one thread.
#[derive(Clone)]
pub struct Ctx(Rc<CtxInner>);

struct CtxInner {
    ptr: NonNull<ffi::isl_ctx>,
    stopper: Stopper,
    known: RefCell<HashMap<TypeId, HashMap<String, Known>>>,
}

/// An object that has been read, without a handle to its context.
struct Known {
    ptr: NonNull<c_void>,
    release: unsafe fn(NonNull<c_void>),
}

impl Drop for Known {
    fn drop(&mut self) {
        // SAFETY: `self` owns the reference, and the function is the one of its type.
        unsafe { (self.release)(self.ptr) }
    }
}

/// Texts of one type whose objects a context keeps, at most.
const MOST_KNOWN: usize = 4000;

impl Drop for CtxInner {
    fn drop(&mut self) {
        self.known.get_mut().clear();
        self.stopper.remove(self.ptr);
        // SAFETY: this is the only owner, and every object that refers to the context held a
        // reference to `self` or was among those that are known, so all of them are gone.
        unsafe { ffi::isl_ctx_free(self.ptr.as_ptr()) }
    }
}

impl std::fmt::Debug for Ctx {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Ctx({:p})", self.0.ptr)
    }
}

impl Ctx {
    /// Creates a context that never prints, and never aborts.
    pub fn new() -> Result<Ctx> {
        Ctx::with_stopper(Stopper::default())
    }

    /// As [`Ctx::new`], with computations that end when `stopper` says so.
    pub fn with_stopper(stopper: Stopper) -> Result<Ctx> {
        // SAFETY: `isl_ctx_alloc` has no precondition and gives a fresh context or NULL.
        let ptr = NonNull::new(unsafe { ffi::isl_ctx_alloc() })
            .ok_or_else(|| Error::new("isl cannot allocate a context"))?;
        stopper.add(ptr);
        let known = RefCell::default();
        let ctx = Ctx(Rc::new(CtxInner {
            ptr,
            stopper,
            known,
        }));
        ctx.stat(|| {
            // SAFETY: the context is alive.
            unsafe { ffi::isl_options_set_on_error(ctx.raw(), ffi::ON_ERROR_CONTINUE) }
        })?;
        ctx.stat(|| {
            // SAFETY: the context is alive.
            unsafe { ffi::isl_options_set_ast_build_detect_min_max(ctx.raw(), 1) }
        })?;
        Ok(ctx)
    }

    /// Limits the number of elementary operations until the next [`Ctx::reset_operations`];
    /// 0 means no limit. An operation past the limit fails with [`Error::quota`].
    /// Reading and printing are not limited.
    pub fn set_max_operations(&self, max_operations: u64) {
        // A limit beyond the platform's `unsigned long` cannot be reached.
        let max = c_ulong::try_from(max_operations).unwrap_or(c_ulong::MAX);
        // SAFETY: the context is alive.
        unsafe { ffi::isl_ctx_set_max_operations(self.raw(), max) }
    }

    /// The limit set by [`Ctx::set_max_operations`], 0 for none.
    pub fn max_operations(&self) -> u64 {
        // SAFETY: the context is alive.
        unsafe { ffi::isl_ctx_get_max_operations(self.raw()) }
    }

    /// Restarts the count that [`Ctx::set_max_operations`] limits.
    pub fn reset_operations(&self) {
        // SAFETY: the context is alive.
        unsafe { ffi::isl_ctx_reset_operations(self.raw()) }
    }

    /// What stops the context's computations.
    pub fn stopper(&self) -> &Stopper {
        &self.0.stopper
    }

    /// Fails once the context's computations have been stopped. Long work without isl asks now
    /// and then.
    pub fn check(&self) -> Result<()> {
        match self.0.stopper.why() {
            Some(why) => Err(Error::stopped(why)),
            None => Ok(()),
        }
    }

    pub(crate) fn raw(&self) -> *mut ffi::isl_ctx {
        self.0.ptr.as_ptr()
    }

    /// Whether a handle is one to the same context.
    pub fn is_same(&self, other: &Ctx) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }

    /// Runs `f` between a cleared error state and a check of it.
    ///
    /// An error that isl recorded is reported even where the call seems to have succeeded: some
    /// of its functions (`isl_set_count_val`) swallow an exceeded quota and return a wrong value.
    fn call<T>(&self, f: impl FnOnce() -> T, failed: impl FnOnce(&T) -> bool) -> (T, Result<()>) {
        // SAFETY: the context is alive.
        unsafe { ffi::isl_ctx_reset_error(self.raw()) };
        let value = f();
        // SAFETY: the context is alive.
        let error = unsafe { ffi::isl_ctx_last_error(self.raw()) };
        let outcome = if error != ffi::ERROR_NONE || failed(&value) {
            Err(self.last_error(error))
        } else {
            Ok(())
        };
        // SAFETY: the context is alive.
        unsafe { ffi::isl_ctx_reset_error(self.raw()) };
        (value, outcome)
    }

    fn last_error(&self, error: c_int) -> Error {
        // SAFETY: the context is alive; both strings are NULL or static text of isl.
        let (text, file, line) = unsafe {
            (
                borrowed_str(ffi::isl_ctx_last_error_msg(self.raw())),
                borrowed_str(ffi::isl_ctx_last_error_file(self.raw())),
                ffi::isl_ctx_last_error_line(self.raw()),
            )
        };
        if let Err(stopped) = self.check() {
            return stopped;
        }
        // An exceeded limit often makes isl fail again on its way out, with a message
        // about something else. The limit stays exceeded, so it is tried.
        if error == ffi::ERROR_QUOTA || self.is_exhausted() {
            return Error {
                message: "isl exceeded the limit on its operations".to_owned(),
                quota: true,
                stopped: None,
            };
        }
        let text = text.unwrap_or_else(|| "isl failed without a message".to_owned());
        Error::new(match file {
            Some(file) => format!("{text} ({file}:{line})"),
            None => text,
        })
    }

    /// Whether the limit on operations leaves none. An allocation is an operation.
    fn is_exhausted(&self) -> bool {
        // SAFETY: the context is alive, and the value is freed; `isl_val_free` accepts NULL.
        unsafe {
            let val = ffi::isl_val_int_from_si(self.raw(), 0);
            ffi::isl_val_free(val);
            val.is_null()
        }
    }

    /// For calls that give an object.
    pub(crate) fn give<T: Object>(&self, f: impl FnOnce() -> *mut T) -> Result<Owned<T>> {
        let (ptr, outcome) = self.call(f, |ptr| ptr.is_null());
        // The object is owned before the outcome is looked at, so that it is freed on error.
        let object = NonNull::new(ptr).map(|ptr| Owned::new(ptr, self.clone()));
        outcome?;
        object.ok_or_else(|| Error::new("isl gave no object"))
    }

    /// An object in isl's notation, which is read once: reading takes longer than most of what is done with it.
    pub(crate) fn read<T: Shared + 'static>(
        &self,
        text: &str,
        read: impl FnOnce(*mut ffi::isl_ctx, *const c_char) -> *mut T,
    ) -> Result<Owned<T>> {
        self.check()?;
        let kind = TypeId::of::<T>();
        if let Some(known) = self
            .0
            .known
            .borrow()
            .get(&kind)
            .and_then(|all| all.get(text))
        {
            let ptr = known.ptr.cast::<T>();
            // SAFETY: objects of this kind are of this type, and alive as long as they are known.
            return self.give(|| unsafe { T::retain(ptr.as_ptr()) });
        }
        let notation = notation(text)?;
        let object = self.unlimited(|| self.give(|| read(self.raw(), notation.as_ptr())))?;
        let mut known = self.0.known.borrow_mut();
        let known = known.entry(kind).or_default();
        if known.len() >= MOST_KNOWN {
            known.clear();
        }
        if let Some(ptr) = NonNull::new(object.take()) {
            let (ptr, release) = (ptr.cast(), release::<T>);
            known.insert(text.to_owned(), Known { ptr, release });
        }
        Ok(object)
    }

    /// An identifier of the given name.
    pub(crate) fn id(&self, name: &str) -> Result<Owned<ffi::isl_id>> {
        let name = c_string(name)?;
        let user = std::ptr::null_mut();
        // SAFETY: the context is alive, and isl copies the name.
        self.give(|| unsafe { ffi::isl_id_alloc(self.raw(), name.as_ptr(), user) })
    }

    /// For calls that give a three-valued boolean.
    pub(crate) fn truth(&self, f: impl FnOnce() -> ffi::IslBool) -> Result<bool> {
        let (value, outcome) = self.call(f, |&value| value < 0);
        outcome.map(|()| value != 0)
    }

    /// For calls that give a size.
    pub(crate) fn size(&self, f: impl FnOnce() -> ffi::IslSize) -> Result<usize> {
        let (value, outcome) = self.call(f, |&value| value < 0);
        outcome.and_then(|()| usize::try_from(value).map_err(|_| Error::new("isl gave no size")))
    }

    /// For calls that give a status.
    pub(crate) fn stat(&self, f: impl FnOnce() -> ffi::IslStat) -> Result<()> {
        self.call(f, |&value| value < 0).1
    }

    /// For calls whose value cannot tell failure.
    pub(crate) fn plain<T>(&self, f: impl FnOnce() -> T) -> Result<T> {
        let (value, outcome) = self.call(f, |_| false);
        outcome.map(|()| value)
    }

    /// For calls that lend a string; NULL is `None`.
    ///
    /// # Safety
    /// A string that `f` gives must be valid until this function returns.
    pub(crate) unsafe fn name(&self, f: impl FnOnce() -> *const c_char) -> Result<Option<String>> {
        let ptr = self.plain(f)?;
        // SAFETY: promised by the caller.
        Ok(unsafe { borrowed_str(ptr) })
    }

    /// For calls that give a string to free.
    ///
    /// # Safety
    /// `f` must give NULL or a string allocated by `malloc`.
    pub(crate) unsafe fn text(&self, f: impl FnOnce() -> *mut c_char) -> Result<String> {
        let (ptr, outcome) = self.call(f, |ptr| ptr.is_null());
        // SAFETY: promised by the caller; `free` accepts NULL.
        let text = unsafe {
            let text = borrowed_str(ptr);
            libc::free(ptr.cast());
            text
        };
        outcome?;
        text.ok_or_else(|| Error::new("isl gave no text"))
    }

    /// Runs `f` without the operation limit.
    ///
    /// Printing is not limited, because objects must stay printable in order to be reported.
    /// Reading is not, because isl's parser leaks memory when it is stopped.
    pub(crate) fn unlimited<T>(&self, f: impl FnOnce() -> T) -> T {
        // SAFETY: the context is alive.
        let max = unsafe { ffi::isl_ctx_get_max_operations(self.raw()) };
        // SAFETY: as above.
        unsafe { ffi::isl_ctx_set_max_operations(self.raw(), 0) };
        let value = f();
        // SAFETY: as above.
        unsafe { ffi::isl_ctx_set_max_operations(self.raw(), max) };
        value
    }
}

/// Frees an object of a type.
///
/// # Safety
/// `ptr` must be an owned reference to an object of that type that is not used afterwards.
unsafe fn release<T: Object>(ptr: NonNull<c_void>) {
    // SAFETY: promised by the caller.
    unsafe { T::release(ptr.cast().as_ptr()) }
}

/// Copies a C string; NULL is `None`.
///
/// # Safety
/// `ptr` must be NULL or point to a string that ends in NUL.
unsafe fn borrowed_str(ptr: *const c_char) -> Option<String> {
    if ptr.is_null() {
        return None;
    }
    // SAFETY: promised by the caller.
    let text = unsafe { CStr::from_ptr(ptr) };
    Some(text.to_string_lossy().into_owned())
}

/// `text` for isl; an embedded NUL is an error.
pub(crate) fn c_string(text: &str) -> Result<CString> {
    CString::new(text).map_err(|_| Error::new("the text has a NUL character in it"))
}

/// `text` in isl's notation for isl's readers.
///
/// isl stops reading at the closing brace and takes no notice of what follows. Text there is
/// refused here, because it would be lost without a word.
pub(crate) fn notation(text: &str) -> Result<CString> {
    if let Some((_, rest)) = text.split_once('}')
        && !rest.trim().is_empty()
    {
        return Err(Error::new(format!(
            "syntax error: text after the closing brace: `{}`",
            rest.trim()
        )));
    }
    c_string(text)
}
