//! What can go wrong on the way to a running kernel.

use thiserror::Error;

/// Why the GPU could not do what was asked.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum GpuError {
    /// The driver's library does not load.
    #[error("the CUDA driver (libcuda.so.1) was not found")]
    NoDriver,
    /// The driver is older than the functions used here.
    #[error("the CUDA driver supports CUDA {found}; {wanted} or newer is needed")]
    DriverTooOld {
        /// Version of the driver.
        found: String,
        /// Oldest version that works.
        wanted: String,
    },
    /// The driver runs but knows no GPU.
    #[error("the CUDA driver found no GPU: {0}")]
    NoDevice(String),
    /// NVRTC's library does not load.
    #[error("NVRTC, which compiles CUDA at run time, was not found")]
    NoNvrtc {
        /// Where it was looked for.
        searched: Vec<String>,
    },
    /// NVRTC refuses a text.
    #[error("NVRTC does not compile the kernel")]
    Compile {
        /// What it says.
        log: String,
    },
    /// An allocation failed.
    #[error("the GPU has no {0} bytes of memory left")]
    OutOfMemory(u64),
    /// The driver reports another error.
    #[error("{what}: {message}")]
    Driver {
        /// What was being done.
        what: String,
        /// CUDA's name and description of the error.
        message: String,
    },
}
