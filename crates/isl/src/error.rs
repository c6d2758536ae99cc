//! The error type of this crate.

/// What isl says when an operation fails.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// isl's own message, with the place in isl's source where it has one.
    pub message: String,
    /// Whether a limit was hit: that set by [`Ctx::set_max_operations`](crate::Ctx::set_max_operations),
    /// after which all objects remain usable by
    /// [`Ctx::reset_operations`](crate::Ctx::reset_operations), or another one, as
    /// `Error::stopped` tells.
    pub quota: bool,
    /// The reason given to the [`Stopper`](crate::Stopper), where that ended the computation.
    pub stopped: Option<String>,
}

impl Error {
    /// An error found by this wrapper, not by isl.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Error {
            message: message.into(),
            quota: false,
            stopped: None,
        }
    }

    /// The end of a computation from outside.
    pub(crate) fn stopped(why: String) -> Self {
        Error {
            message: why.clone(),
            quota: true,
            stopped: Some(why),
        }
    }
}

/// Result with isl's [`Error`].
pub type Result<T> = std::result::Result<T, Error>;
