//! A device, its memory, and kernels on it.

use crate::error::GpuError;
use crate::nvrtc::Binary;
use cudarc::driver::sys::{self, CUdevice_attribute as Attribute};
use cudarc::driver::{
    CudaContext, CudaFunction, CudaModule, CudaSlice, CudaStream, DevicePtr, DeviceRepr,
    DriverError, LaunchConfig, PushKernelArg, result,
};
use cudarc::nvrtc::Ptx;
use std::cell::Cell;
use std::sync::Arc;

/// What the driver says about a GPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceInfo {
    /// Such as `NVIDIA H200`.
    pub name: String,
    /// Compute capability, such as (9, 0).
    pub capability: (i32, i32),
    /// Multiprocessors.
    pub multiprocessors: u32,
    /// Shared memory a block can ask for, bytes.
    pub shared_per_block: i64,
    /// Shared memory of a multiprocessor, bytes.
    pub shared_per_multiprocessor: i64,
    /// Device memory, bytes.
    pub memory: u64,
    /// CUDA version of the driver, such as `13.0`.
    pub driver: String,
}

/// A GPU and one stream on it.
pub struct Device {
    /// What the driver says about it.
    pub info: DeviceInfo,
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    /// The default stream, which memory is taken and given back on.
    home: Arc<CudaStream>,
    /// Launches that a profiler still sees; none where it sees all or nothing.
    profiled: Cell<Option<u32>>,
}

/// A device that is current for the thread.
pub struct Entered<'a> {
    _device: &'a Device,
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        let mut left = std::ptr::null_mut();
        // SAFETY: `enter` has pushed a context; the driver writes a handle. A failure leaves nothing to be done.
        let _ = unsafe { sys::cuCtxPopCurrent_v2(&raw mut left) };
    }
}

/// Device memory.
pub struct Buffer {
    slice: CudaSlice<u8>,
    pointer: u64,
}

impl Buffer {
    /// The device pointer, to be passed to kernels.
    pub fn pointer(&self) -> u64 {
        self.pointer
    }

    /// Size in bytes.
    pub fn bytes(&self) -> u64 {
        self.slice.num_bytes() as u64
    }
}

/// Code that is loaded on a device.
pub struct Module {
    module: Arc<CudaModule>,
    names: Vec<String>,
}

/// A `__global__` function.
pub struct Kernel {
    function: CudaFunction,
}

/// What a kernel needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attributes {
    /// Registers per thread.
    pub registers: u32,
    /// Local memory per thread, bytes: spilled registers and local arrays.
    pub local_bytes: u32,
    /// Shared memory a block has without asking, bytes.
    pub static_shared_bytes: u32,
    /// Threads a block can have.
    pub max_threads: u32,
}

/// Words of the largest argument a kernel takes.
const MAX_WORDS: usize = 512;

/// A structure that is passed to a kernel by value, as bytes.
#[derive(Clone)]
#[repr(transparent)]
pub struct Packed([u64; MAX_WORDS]);

// SAFETY: any bytes are a valid value; the driver reads as many of them as the
// kernel's parameter has.
unsafe impl DeviceRepr for Packed {}

impl Packed {
    /// The bytes of a structure laid out as CUDA C++ does; `None` where they
    /// are more than a kernel can take.
    pub fn new(bytes: &[u8]) -> Option<Packed> {
        let mut words = [0u64; MAX_WORDS];
        if bytes.len() > 8 * MAX_WORDS {
            return None;
        }
        for (word, chunk) in words.iter_mut().zip(bytes.chunks(8)) {
            let mut eight = [0u8; 8];
            eight[..chunk.len()].copy_from_slice(chunk);
            *word = u64::from_ne_bytes(eight);
        }
        Some(Packed(words))
    }

    /// A structure of 64-bit integers.
    pub fn of_integers(values: &[i64]) -> Option<Packed> {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_ne_bytes()).collect();
        Packed::new(&bytes)
    }
}

/// Type of the elements that TMA moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TensorElement {
    /// `float`.
    F32,
    /// `double`.
    F64,
    /// `int`.
    I32,
    /// `unsigned`.
    U32,
    /// `long long`.
    I64,
    /// `unsigned long long`.
    U64,
}

/// An array of three dimensions that TMA moves in boxes, innermost dimension first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorMap {
    /// Type of an element.
    pub element: TensorElement,
    /// Device pointer to the first one.
    pub pointer: u64,
    /// Elements.
    pub sizes: [u64; 3],
    /// Bytes from row to row and from plane to plane.
    pub strides: [u64; 2],
    /// Elements of a box.
    pub extent: [u32; 3],
}

impl TensorMap {
    /// The bytes of a `CUtensorMap`.
    ///
    /// # Errors
    /// [`GpuError::Driver`] where TMA cannot move such an array.
    pub fn encode(&self) -> Result<Vec<u8>, GpuError> {
        use sys::CUtensorMapDataType_enum as Type;
        let element = match self.element {
            TensorElement::F32 => Type::CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
            TensorElement::F64 => Type::CU_TENSOR_MAP_DATA_TYPE_FLOAT64,
            TensorElement::I32 => Type::CU_TENSOR_MAP_DATA_TYPE_INT32,
            TensorElement::U32 => Type::CU_TENSOR_MAP_DATA_TYPE_UINT32,
            TensorElement::I64 => Type::CU_TENSOR_MAP_DATA_TYPE_INT64,
            TensorElement::U64 => Type::CU_TENSOR_MAP_DATA_TYPE_UINT64,
        };
        let mut map = sys::CUtensorMap { opaque: [0; 16] };
        // SAFETY: the driver is loaded; it reads three sizes, two strides, three extents and
        // steps, and writes the map. The pointer is not followed.
        let status = unsafe {
            sys::cuTensorMapEncodeTiled(
                &raw mut map,
                element,
                3,
                self.pointer as *mut std::ffi::c_void,
                self.sizes.as_ptr(),
                self.strides.as_ptr(),
                self.extent.as_ptr(),
                [1, 1, 1].as_ptr(),
                sys::CUtensorMapInterleave::CU_TENSOR_MAP_INTERLEAVE_NONE,
                sys::CUtensorMapSwizzle::CU_TENSOR_MAP_SWIZZLE_NONE,
                sys::CUtensorMapL2promotion::CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                sys::CUtensorMapFloatOOBfill::CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,
            )
        };
        (status.result()).map_err(|e| failed("describing an array to TMA", e))?;
        Ok(map.opaque.iter().flat_map(|w| w.to_ne_bytes()).collect())
    }
}

/// One kernel launch.
pub struct Launch<'a> {
    /// The kernel.
    pub kernel: &'a Kernel,
    /// Blocks along x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block along x, y and z.
    pub block: [u32; 3],
    /// Dynamic shared memory, bytes.
    pub shared_bytes: u32,
    /// Arguments in order, structures by value.
    pub args: &'a [&'a Packed],
}

/// Oldest driver that has every function used.
const MIN_DRIVER: i32 = 12080;

/// The name of the first GPU, which is quicker to get than to open it; `None`
/// without a driver or a GPU.
pub fn device_name() -> Option<String> {
    // SAFETY: loading the driver has no preconditions.
    if !unsafe { sys::is_culib_present() } {
        return None;
    }
    result::init().ok()?;
    let device = result::device::get(0).ok()?;
    result::device::get_name(device).ok()
}

impl Device {
    /// Opens the first GPU.
    ///
    /// # Errors
    /// [`GpuError::NoDriver`], [`GpuError::DriverTooOld`], [`GpuError::NoDevice`].
    pub fn open() -> Result<Device, GpuError> {
        Device::open_nth(0)
    }

    /// Opens a GPU by its number, in the primary context, which libraries of the process have, too.
    ///
    /// # Errors
    /// [`GpuError::NoDriver`], [`GpuError::DriverTooOld`], [`GpuError::NoDevice`].
    pub fn open_nth(ordinal: usize) -> Result<Device, GpuError> {
        // SAFETY: loading the driver has no preconditions.
        if !unsafe { sys::is_culib_present() } {
            return Err(GpuError::NoDriver);
        }
        let version = driver_version()?;
        let text = |v: i32| format!("{}.{}", v / 1000, v % 1000 / 10);
        if version < MIN_DRIVER {
            return Err(GpuError::DriverTooOld {
                found: text(version),
                wanted: text(MIN_DRIVER),
            });
        }
        let context = CudaContext::new(ordinal).map_err(|e| GpuError::NoDevice(describe(e)))?;
        // One stream does everything, so nothing has to wait for anything.
        // SAFETY: no event was created yet.
        unsafe { context.disable_event_tracking() };
        let stream = context.default_stream();
        let fail = |e| failed("asking for properties of the GPU", e);
        let attribute = |a| context.attribute(a).map_err(fail);
        let info = DeviceInfo {
            name: context.name().map_err(fail)?,
            capability: context.compute_capability().map_err(fail)?,
            multiprocessors: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?
                .unsigned_abs(),
            shared_per_block: i64::from(attribute(
                Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
            )?),
            shared_per_multiprocessor: i64::from(attribute(
                Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR,
            )?),
            memory: context.total_mem().map_err(fail)? as u64,
            driver: text(version),
        };
        Ok(Device {
            profiled: Cell::new(None),
            info,
            context,
            home: Arc::clone(&stream),
            stream,
        })
    }

    /// Launches and copies from here on go to a stream of the driver, by its handle; 0 is the default one.
    ///
    /// # Safety
    /// It must be a stream of this device's context, and live until another one is set.
    pub unsafe fn set_stream(&mut self, stream: u64) {
        let handle = std::ptr::with_exposed_provenance_mut(stream as usize);
        // SAFETY: promised by the caller.
        self.stream = unsafe { self.context.wrap_borrowed_stream(handle) };
    }

    /// Waits for everything that was started on the device by this process, on any stream.
    ///
    /// # Errors
    /// [`GpuError::Driver`] with the first error of a kernel.
    pub fn synchronize_all(&self) -> Result<(), GpuError> {
        (self.context.synchronize()).map_err(|e| failed("running a kernel", e))
    }

    /// Makes the device current for the thread, until what is returned is dropped; then what was current is it again.
    ///
    /// # Errors
    /// [`GpuError::Driver`].
    pub fn enter(&self) -> Result<Entered<'_>, GpuError> {
        // SAFETY: the context lives as long as the device.
        let status = unsafe { sys::cuCtxPushCurrent_v2(self.context.cu_ctx()) };
        (status.result()).map_err(|e| failed("entering the GPU", e))?;
        Ok(Entered { _device: self })
    }

    /// Device memory that holds `bytes` bytes of anything.
    ///
    /// # Errors
    /// [`GpuError::OutOfMemory`].
    pub fn allocate(&self, bytes: u64) -> Result<Buffer, GpuError> {
        let len = usize::try_from(bytes.max(1)).map_err(|_| GpuError::OutOfMemory(bytes))?;
        // SAFETY: kernels fill the memory before they read it; bytes have no
        // invalid values.
        let slice = unsafe { self.home.alloc::<u8>(len) }.map_err(|e| match e.0 {
            sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY => GpuError::OutOfMemory(bytes),
            _ => failed("allocating device memory", e),
        })?;
        (self.home.synchronize()).map_err(|e| failed("allocating device memory", e))?;
        let pointer = slice.device_ptr(&self.home).0;
        Ok(Buffer { slice, pointer })
    }

    /// Copies bytes to the start of a buffer.
    ///
    /// # Errors
    /// [`GpuError::Driver`], also for a buffer that is too small.
    pub fn upload(&self, buffer: &mut Buffer, bytes: &[u8]) -> Result<(), GpuError> {
        let Some(mut view) = buffer.slice.try_slice_mut(..bytes.len()) else {
            return Err(out_of_range("copying to the GPU"));
        };
        (self.stream.memcpy_htod(bytes, &mut view)).map_err(|e| failed("copying to the GPU", e))
    }

    /// Copies the first bytes of a buffer back.
    ///
    /// # Errors
    /// [`GpuError::Driver`], also for a buffer that is too small.
    pub fn download(&self, buffer: &Buffer, bytes: usize) -> Result<Vec<u8>, GpuError> {
        let Some(view) = buffer.slice.try_slice(..bytes) else {
            return Err(out_of_range("copying from the GPU"));
        };
        let copy = self.stream.clone_dtoh(&view);
        let copy = copy.map_err(|e| failed("copying from the GPU", e))?;
        self.synchronize()?;
        Ok(copy)
    }

    /// Copies bytes from one place on the device to another, and returns at once.
    ///
    /// # Errors
    /// [`GpuError::Driver`].
    ///
    /// # Safety
    /// Both places must lie in living buffers that have so many bytes there.
    pub unsafe fn copy(&self, to: u64, from: u64, bytes: usize) -> Result<(), GpuError> {
        // SAFETY: promised by the caller.
        let done = unsafe { result::memcpy_dtod_async(to, from, bytes, self.stream.cu_stream()) };
        done.map_err(|e| failed("copying on the GPU", e))
    }

    /// Copies rows of so many bytes, each from one place on the device to another, and returns at once. Places are those of
    /// the first rows with the distances of the others.
    ///
    /// # Errors
    /// [`GpuError::Driver`].
    ///
    /// # Safety
    /// Both places must lie in living memory of the device that has so many rows there.
    pub unsafe fn copy_rows(
        &self,
        to: (u64, usize),
        from: (u64, usize),
        (bytes, rows): (usize, usize),
    ) -> Result<(), GpuError> {
        if bytes == 0 || rows == 0 {
            return Ok(());
        }
        let what = sys::CUDA_MEMCPY2D {
            srcXInBytes: 0,
            srcY: 0,
            srcMemoryType: sys::CUmemorytype::CU_MEMORYTYPE_DEVICE,
            srcHost: std::ptr::null(),
            srcDevice: from.0,
            srcArray: std::ptr::null_mut(),
            srcPitch: from.1,
            dstXInBytes: 0,
            dstY: 0,
            dstMemoryType: sys::CUmemorytype::CU_MEMORYTYPE_DEVICE,
            dstHost: std::ptr::null_mut(),
            dstDevice: to.0,
            dstArray: std::ptr::null_mut(),
            dstPitch: to.1,
            WidthInBytes: bytes,
            Height: rows,
        };
        // SAFETY: promised by the caller.
        let status = unsafe { sys::cuMemcpy2DAsync_v2(&raw const what, self.stream.cu_stream()) };
        (status.result()).map_err(|e| failed("copying on the GPU", e))
    }

    /// Fills bytes on the device with zeros, and returns at once.
    ///
    /// # Errors
    /// [`GpuError::Driver`].
    ///
    /// # Safety
    /// They must lie in a living buffer.
    pub unsafe fn clear(&self, at: u64, bytes: usize) -> Result<(), GpuError> {
        // SAFETY: promised by the caller.
        let done = unsafe { result::memset_d8_async(at, 0, bytes, self.stream.cu_stream()) };
        done.map_err(|e| failed("clearing memory", e))
    }

    /// Loads compiled code.
    ///
    /// # Errors
    /// [`GpuError::Driver`].
    pub fn load(&self, binary: &Binary) -> Result<Module, GpuError> {
        let image = Ptx::from_binary(binary.image.clone());
        let module = self.context.load_module(image);
        Ok(Module {
            module: module.map_err(|e| failed("loading the kernel", e))?,
            names: binary.names.clone(),
        })
    }

    /// Waits until all launches have finished.
    ///
    /// # Errors
    /// [`GpuError::Driver`] with the first error of a kernel.
    pub fn synchronize(&self) -> Result<(), GpuError> {
        (self.stream.synchronize()).map_err(|e| failed("running a kernel", e))
    }

    /// Starts a kernel and returns at once.
    ///
    /// # Errors
    /// [`GpuError::Driver`].
    ///
    /// # Safety
    /// The kernel must take exactly these arguments, and access no memory but
    /// that of living buffers.
    pub unsafe fn launch(&self, launch: &Launch) -> Result<(), GpuError> {
        let mut builder = self.stream.launch_builder(&launch.kernel.function);
        for arg in launch.args {
            builder.arg(*arg);
        }
        let config = LaunchConfig {
            grid_dim: launch.grid.into(),
            block_dim: launch.block.into(),
            shared_mem_bytes: launch.shared_bytes,
        };
        // SAFETY: promised by the caller.
        let done = unsafe { builder.launch(config) };
        done.map(|_| ())
            .map_err(|e| failed("launching a kernel", e))?;
        if let Some(left) = self.profiled.get() {
            self.profiled
                .set(left.checked_sub(1).filter(|left| *left > 0));
            if left <= 1 {
                self.end_profile()?;
            }
        }
        Ok(())
    }

    /// Lets a profiler that was told to wait for this see what is launched from here on.
    ///
    /// # Errors
    /// [`GpuError::Driver`].
    pub fn begin_profile(&self) -> Result<(), GpuError> {
        self.synchronize()?;
        // SAFETY: the driver is loaded, and nothing is given to it.
        unsafe { sys::cuProfilerStart() }
            .result()
            .map_err(|e| failed("starting a profile", e))
    }

    /// Lets it see so many launches more, at most.
    pub fn limit_profile(&self, launches: u32) {
        self.profiled.set(Some(launches));
    }

    /// Ends that.
    ///
    /// # Errors
    /// [`GpuError::Driver`].
    pub fn end_profile(&self) -> Result<(), GpuError> {
        self.profiled.set(None);
        self.synchronize()?;
        // SAFETY: the driver is loaded, and nothing is given to it.
        unsafe { sys::cuProfilerStop() }
            .result()
            .map_err(|e| failed("ending a profile", e))
    }

    /// Milliseconds that the launches made by `run` take on the GPU.
    ///
    /// # Errors
    /// Those of `run`, and [`GpuError::Driver`].
    pub fn time(&self, run: impl FnOnce() -> Result<(), GpuError>) -> Result<f64, GpuError> {
        let fail = |e| failed("timing a kernel", e);
        let flags = Some(sys::CUevent_flags::CU_EVENT_DEFAULT);
        let begin = self.stream.record_event(flags).map_err(fail)?;
        run()?;
        let end = self.stream.record_event(flags).map_err(fail)?;
        end.synchronize()
            .map_err(|e| failed("running a kernel", e))?;
        begin.elapsed_ms(&end).map(f64::from).map_err(fail)
    }
}

impl Module {
    /// A kernel by its position in the list given to the compiler.
    ///
    /// # Errors
    /// [`GpuError::Driver`] where there is no such kernel.
    pub fn kernel(&self, index: usize) -> Result<Kernel, GpuError> {
        let Some(name) = self.names.get(index) else {
            return Err(out_of_range("finding a kernel"));
        };
        let function = self.module.load_function(name);
        Ok(Kernel {
            function: function.map_err(|e| failed("finding a kernel", e))?,
        })
    }
}

impl Kernel {
    /// What the kernel needs.
    ///
    /// # Errors
    /// [`GpuError::Driver`].
    pub fn attributes(&self) -> Result<Attributes, GpuError> {
        let fail = |e| failed("asking for a kernel's attributes", e);
        let f = &self.function;
        Ok(Attributes {
            registers: f.num_regs().map_err(fail)?.unsigned_abs(),
            local_bytes: f.local_size_bytes().map_err(fail)?.unsigned_abs(),
            static_shared_bytes: f.shared_size_bytes().map_err(fail)?.unsigned_abs(),
            max_threads: f.max_threads_per_block().map_err(fail)?.unsigned_abs(),
        })
    }

    /// Blocks of so many threads and so much dynamic shared memory that a multiprocessor
    /// holds at a time.
    ///
    /// # Errors
    /// [`GpuError::Driver`].
    pub fn resident_blocks(&self, threads: u32, shared_bytes: u32) -> Result<u32, GpuError> {
        let shared_bytes = shared_bytes as usize;
        (self.function)
            .occupancy_max_active_blocks_per_multiprocessor(threads, shared_bytes, None)
            .map_err(|e| failed("asking for a kernel's occupancy", e))
    }

    /// Allows launches with this much dynamic shared memory.
    ///
    /// # Errors
    /// [`GpuError::Driver`] where the GPU has less.
    pub fn allow_shared(&self, bytes: u32) -> Result<(), GpuError> {
        let attribute = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        let value = i32::try_from(bytes).unwrap_or(i32::MAX);
        (self.function.set_attribute(attribute, value))
            .map_err(|e| failed("asking for shared memory", e))
    }
}

fn driver_version() -> Result<i32, GpuError> {
    let mut version = 0;
    // SAFETY: the driver is loaded, and it writes one integer.
    let status = unsafe { sys::cuDriverGetVersion(&raw mut version) };
    (status.result()).map_err(|e| failed("asking for the driver's version", e))?;
    Ok(version)
}

fn failed(what: &str, error: DriverError) -> GpuError {
    GpuError::Driver {
        what: what.to_string(),
        message: describe(error),
    }
}

fn out_of_range(what: &str) -> GpuError {
    GpuError::Driver {
        what: what.to_string(),
        message: "out of range".to_string(),
    }
}

/// CUDA's name and description of an error.
fn describe(error: DriverError) -> String {
    let text =
        |t: Result<&std::ffi::CStr, DriverError>| t.map(|t| t.to_string_lossy().into_owned()).ok();
    match (text(error.error_name()), text(error.error_string())) {
        (Some(name), Some(text)) => format!("{name}, {text}"),
        _ => format!("{:?}", error.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structures_keep_their_bytes() {
        let packed = Packed::new(&[1, 2, 3, 4, 5, 6, 7, 8, 9]).expect("it is small");
        assert_eq!(packed.0[0].to_ne_bytes(), [1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(packed.0[1].to_ne_bytes(), [9, 0, 0, 0, 0, 0, 0, 0]);
        let packed = Packed::of_integers(&[-1, 7]).expect("it is small");
        assert_eq!(packed.0[..2], [u64::MAX, 7]);
        assert!(Packed::new(&[0; 8 * MAX_WORDS + 1]).is_none());
    }
}
