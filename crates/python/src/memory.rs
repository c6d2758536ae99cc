//! Memory of a GPU that Python code asks for.

use crate::failed;
use hexcc_gpu::{Buffer, Device, GpuError};
use pyo3::prelude::*;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Bytes on a GPU, which go with the object.
#[pyclass(module = "hexcc._native", frozen)]
pub struct Memory {
    pointer: u64,
    inside: Mutex<Inside>,
}

struct Inside {
    // It goes before the device does.
    buffer: Buffer,
    device: Device,
}

impl Drop for Inside {
    fn drop(&mut self) {
        // Kernels may still use it. Their failure was or will be told to whoever waits for them.
        let _ = self.device.synchronize_all();
    }
}

impl Memory {
    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does something while the device is current for the thread, and other threads of Python run.
    fn with(
        &self,
        py: Python<'_>,
        act: impl Fn(&mut Inside) -> Result<(), GpuError> + Send + Sync,
    ) -> PyResult<()> {
        let done = py.detach(|| act(&mut self.inside()));
        done.map_err(|e| failed(&e))
    }
}

#[pymethods]
impl Memory {
    /// Takes so many bytes of a GPU.
    #[new]
    fn new(device: usize, bytes: u64) -> PyResult<Memory> {
        let open = || {
            let device = Device::open_nth(device)?;
            let buffer = {
                let _entered = device.enter()?;
                device.allocate(bytes)?
            };
            Ok(Inside { buffer, device })
        };
        let inside: Inside = open().map_err(|e| failed(&e))?;
        Ok(Memory {
            pointer: inside.buffer.pointer(),
            inside: Mutex::new(inside),
        })
    }

    /// Where it begins.
    #[getter]
    fn pointer(&self) -> u64 {
        self.pointer
    }

    /// Copies bytes at an address of the host, which the caller has, to the begin.
    fn upload(&self, py: Python<'_>, address: usize, bytes: usize) -> PyResult<()> {
        self.with(py, |inside| {
            let _entered = inside.device.enter()?;
            // SAFETY: the caller has an array of so many bytes there, which lives during the call.
            let from = unsafe { bytes_at(address, bytes) };
            inside.device.upload(&mut inside.buffer, from)?;
            inside.device.synchronize()
        })
    }

    /// Waits for all kernels, and copies the first bytes to an address of the host, which the caller has.
    fn download(&self, py: Python<'_>, address: usize, bytes: usize) -> PyResult<()> {
        self.with(py, |inside| {
            let _entered = inside.device.enter()?;
            inside.device.synchronize_all()?;
            let copy = inside.device.download(&inside.buffer, bytes)?;
            let to = std::ptr::with_exposed_provenance_mut::<u8>(address);
            // SAFETY: the caller has an array of so many bytes there, which is not this copy.
            unsafe { std::ptr::copy_nonoverlapping(copy.as_ptr(), to, bytes) };
            Ok(())
        })
    }

    /// Copies bytes at a pointer of the device to an offset, or back, in the order of a stream.
    fn copy(
        &self,
        py: Python<'_>,
        offset: u64,
        pointer: u64,
        bytes: usize,
        stream: u64,
        inward: bool,
    ) -> PyResult<()> {
        let inside = self.pointer + offset;
        let (to, from) = if inward {
            (inside, pointer)
        } else {
            (pointer, inside)
        };
        self.with(py, |memory| {
            // SAFETY: the caller gives a stream that lives during the call.
            unsafe { memory.device.set_stream(stream) };
            let _entered = memory.device.enter()?;
            // SAFETY: the caller gives places with so many bytes.
            unsafe { memory.device.copy(to, from, bytes) }
        })
    }
}

/// Bytes of the host.
///
/// # Safety
/// They must be there, and nobody may change them.
unsafe fn bytes_at<'a>(address: usize, bytes: usize) -> &'a [u8] {
    if bytes == 0 {
        return &[];
    }
    // SAFETY: promised by the caller.
    unsafe { std::slice::from_raw_parts(std::ptr::with_exposed_provenance(address), bytes) }
}
