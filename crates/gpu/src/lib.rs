//! GPUs through the CUDA driver and NVRTC: opening a device, compiling CUDA
//! text for it, launching with raw argument bytes and timing with events.
//!
//! Both libraries are loaded at run time. On a machine without them every entry
//! point returns a [`GpuError`] that says what is missing.
//!
//! Architecture invariant: nothing here knows stencils or compiler passes, and
//! `cudarc` is used nowhere else.

mod device;
mod error;
mod nvrtc;

pub use device::{
    Attributes, Buffer, Device, DeviceInfo, Entered, Kernel, Launch, Module, Packed, TensorElement,
    TensorMap, device_name,
};
pub use error::GpuError;
pub use nvrtc::{Binary, Compiler, Flags};
