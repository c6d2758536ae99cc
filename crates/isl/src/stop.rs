//! Stopping computations from another thread.

use std::fmt;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::ffi;

/// Stops the computations of all contexts that were made with it, from any thread.
///
/// From then on, every operation of these contexts fails with what [`Stopper::stop`] was told,
/// `Error::stopped`. Clones stop the same contexts.
#[derive(Clone, Default)]
pub struct Stopper(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    why: Option<String>,
    work: &'static str,
    /// Contexts that are alive: they are taken out before they are freed.
    contexts: Vec<Context>,
}

struct Context(NonNull<ffi::isl_ctx>);

// SAFETY: the pointer is only used for `isl_ctx_abort`, which sets one flag that isl polls.
unsafe impl Send for Context {}

impl fmt::Debug for Stopper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stopper({:?})", self.why())
    }
}

impl Stopper {
    /// Makes every operation fail; only the first reason counts.
    pub fn stop(&self, why: String) {
        let mut state = self.state();
        state.why.get_or_insert(why);
        for context in &state.contexts {
            context.abort();
        }
    }

    /// The reason, once stopped.
    pub fn why(&self) -> Option<String> {
        self.state().why.clone()
    }

    /// Notes what is being worked on.
    pub fn begin(&self, work: &'static str) {
        self.state().work = work;
    }

    /// What is being worked on; empty before the first [`Stopper::begin`].
    pub fn work(&self) -> &'static str {
        self.state().work
    }

    pub(crate) fn add(&self, context: NonNull<ffi::isl_ctx>) {
        let context = Context(context);
        let mut state = self.state();
        if state.why.is_some() {
            context.abort();
        }
        state.contexts.push(context);
    }

    pub(crate) fn remove(&self, context: NonNull<ffi::isl_ctx>) {
        self.state().contexts.retain(|c| c.0 != context);
    }

    /// Nothing that holds the lock panics, so that what a poisoned one guards is sound.
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Context {
    fn abort(&self) {
        // SAFETY: contexts of a `State` are alive while it is locked.
        unsafe { ffi::isl_ctx_abort(self.0.as_ptr()) }
    }
}
