//! The error type of this crate.

/// What isl says when an operation fails.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// isl's own message, with the place in isl's source where it has one.
    pub message: String,
    /// Whether the operation limit set by [`Ctx::set_max_operations`](crate::Ctx::set_max_operations)
    /// was hit. All objects remain usable after
    /// [`Ctx::reset_operations`](crate::Ctx::reset_operations).
    pub quota: bool,
}

impl Error {
    /// An error found by this wrapper, not by isl.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Error {
            message: message.into(),
            quota: false,
        }
    }
}

/// Result with isl's [`Error`].
pub type Result<T> = std::result::Result<T, Error>;
