//! Kernels of hexcc on arrays of Python: the module `hexcc._native` of the package, which compiles regions in the process,
//! has NVRTC make machine code of them, and launches that on the arrays it is given.
//!
//! Architecture invariant: arrays, numbers and texts go in, and nothing of C, files or messages is decided here; the
//! package's Python code does that.

mod cache;
mod dlpack;
mod memory;
mod options;

use cache::Folder;
use hexcc_compiler::diag::Diagnostic;
use hexcc_compiler::scop::SavedScop;
use hexcc_gpu::{Device, GpuError as Failure};
use hexcc_isl::Ctx;
use hexcc_tuner::Workbench;
use hexcc_tuner::cache::{self as tuned, Lookup};
use hexcc_tuner::launch::{Call, Kernels, Loaded, Memory, NotMade, RunError};
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::{create_exception, import_exception};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::{Mutex, MutexGuard, PoisonError};

create_exception!(
    hexcc,
    Refused,
    PyValueError,
    "hexcc refuses a region or a text."
);
create_exception!(
    hexcc,
    NotLaunched,
    PyValueError,
    "Kernels take more than launches."
);
import_exception!(hexcc._errors, GpuError);

/// Code, text, place in the source, and what is said of it.
type Message = (String, String, Option<(usize, usize)>, Vec<String>);

fn refused(all: &[Diagnostic]) -> PyErr {
    let messages: Vec<Message> = (all.iter())
        .map(|d| {
            let place = d.labels.first().map(|l| (l.span.start, l.span.end));
            let labels = d.labels.iter().map(|l| l.text.clone());
            let beside = labels.chain(d.notes.clone()).chain(d.help.clone());
            let code = d.code.to_string();
            (
                code,
                d.message.clone(),
                place,
                beside.filter(|t| !t.is_empty()).collect(),
            )
        })
        .collect();
    Refused::new_err((messages,))
}

fn not_made(error: NotMade) -> PyErr {
    match error {
        NotMade::Refused(d) => refused(&[*d]),
        NotMade::NoLaunch(why) => NotLaunched::new_err(why.to_string()),
    }
}

fn failed(error: &Failure) -> PyErr {
    let more = match error {
        Failure::Compile { log } => format!(": {log}"),
        Failure::NoNvrtc { searched } => format!("; looked in {}", searched.join(", ")),
        _ => String::new(),
    };
    GpuError::new_err(format!("{error}{more}"))
}

fn not_run(error: &RunError) -> PyErr {
    match error {
        RunError::Gpu(error) => failed(error),
        RunError::Missing(_) => PyTypeError::new_err(error.to_string()),
        RunError::Sizes | RunError::TooSmall { .. } => PyValueError::new_err(error.to_string()),
    }
}

fn broken<E: std::fmt::Display>(error: E) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}

/// A GPU with the kernels that were loaded on it, and the stream that they ran on last.
struct OnDevice {
    bench: Workbench,
    loaded: Loaded,
    stream: u64,
}

impl Drop for OnDevice {
    fn drop(&mut self) {
        // Kernels may still use the memory that goes. A failure was or will be told to whoever waits for them.
        let _ = self.bench.device.synchronize_all();
    }
}

/// A region that runs on GPUs.
#[pyclass(name = "Kernels", module = "hexcc._native", frozen)]
struct PyKernels(Mutex<Region>);

/// What one thread at a time uses.
struct Region {
    devices: HashMap<usize, OnDevice>,
    kernels: Rc<Kernels>,
}

// SAFETY: kernels have objects of isl, which count those that have the same context without atomics. The context was
// made for them: nobody else has it, and `Mutex` lets one thread at a time come near them.
unsafe impl Send for Region {}

impl PyKernels {
    /// Reads with a new context of isl, of which nothing else is kept.
    fn made(make: impl FnOnce(&Ctx) -> PyResult<Kernels>) -> PyResult<PyKernels> {
        let ctx = Ctx::new().map_err(broken)?;
        let kernels = Rc::new(make(&ctx)?);
        let devices = HashMap::new();
        Ok(PyKernels(Mutex::new(Region { devices, kernels })))
    }

    fn region(&self) -> MutexGuard<'_, Region> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run_on(
        &self,
        call: &Call,
        (device, stream): (usize, u64),
        (cache, toolkit): (&Folder, Option<PathBuf>),
    ) -> Result<(), RunError> {
        let mut region = self.region();
        let Region { devices, kernels } = &mut *region;
        let on = match devices.entry(device) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => place.insert(OnDevice {
                bench: Workbench::on(Device::open_nth(device)?, toolkit.as_deref())?,
                loaded: Loaded::new(kernels),
                stream: 0,
            }),
        };
        if on.stream != stream {
            // What the kernels have beside the arrays is used by one launch after the other.
            on.bench.device.synchronize_all()?;
            // SAFETY: the caller of Python's function gives a stream that lives, and the next call another one.
            unsafe { on.bench.device.set_stream(stream) };
            on.stream = stream;
        }
        let OnDevice { bench, loaded, .. } = on;
        let _entered = bench.device.enter()?;
        loaded.run(bench, call, cache)
    }
}

#[pymethods]
impl PyKernels {
    /// The kernels of a region of C, as `hexcc --emit scop` has written it.
    #[staticmethod]
    fn of_scop(text: &str, options: Vec<String>, device: Option<&str>) -> PyResult<PyKernels> {
        let (options, flags) = options::parse(&options, device)?;
        let saved = SavedScop::parse(text).map_err(broken)?;
        let lookup = tuned::folder().map(|folder| Lookup {
            folder,
            same_gpu: device.is_some(),
        });
        PyKernels::made(|ctx| {
            Kernels::of_scop(ctx, &saved, &options, flags, lookup.as_ref()).map_err(not_made)
        })
    }

    /// The kernels of a text in the stencil language.
    #[staticmethod]
    fn of_stencil(
        path: &str,
        text: &str,
        options: Vec<String>,
        device: Option<&str>,
    ) -> PyResult<PyKernels> {
        let (options, flags) = options::parse(&options, device)?;
        PyKernels::made(|ctx| {
            let stencil = hexcc_lang::read(ctx, path, text).map_err(|all| refused(&all))?;
            Kernels::of_stencil(&stencil, &options, flags).map_err(not_made)
        })
    }

    /// Names of sizes.
    #[getter]
    fn params(&self) -> Vec<String> {
        self.region().kernels.params.clone()
    }

    /// Names and C types of scalars.
    #[getter]
    fn scalars(&self) -> Vec<(String, String)> {
        let region = self.region();
        let scalars = region.kernels.scalars.iter();
        scalars
            .map(|(name, ty)| (name.clone(), ty.to_string()))
            .collect()
    }

    /// Name, C type, number of dimensions of each array, and whether it is written.
    #[getter]
    fn arrays(&self) -> Vec<(String, String, usize, bool)> {
        let region = self.region();
        (region.kernels.arrays.iter())
            .map(|a| (a.name.clone(), a.elem.to_string(), a.n_dims, a.written))
            .collect()
    }

    /// The bytes of the source that kernels stand for.
    #[getter]
    fn spans(&self) -> Vec<(usize, usize)> {
        let region = self.region();
        let spans = region.kernels.spans.iter();
        spans.map(|span| (span.start, span.end)).collect()
    }

    /// Whether all of it is tiled over time.
    #[getter]
    fn is_tiled(&self) -> bool {
        self.region().kernels.is_tiled()
    }

    /// The CUDA text that NVRTC compiles.
    #[getter]
    fn cuda(&self) -> String {
        self.region().kernels.text()
    }

    /// Starts all launches on a stream of a device. Arrays are pointers and bytes.
    #[pyo3(signature = (params, scalars, arrays, device, stream, cache, toolkit=None))]
    #[allow(clippy::too_many_arguments)] // Python's own calls have names.
    fn run(
        &self,
        py: Python<'_>,
        params: Vec<i64>,
        scalars: Vec<f64>,
        arrays: Vec<(u64, u64)>,
        device: usize,
        stream: u64,
        cache: PathBuf,
        toolkit: Option<PathBuf>,
    ) -> PyResult<()> {
        let call = Call {
            params,
            scalars,
            arrays: (arrays.into_iter())
                .map(|(pointer, bytes)| Memory { pointer, bytes })
                .collect(),
        };
        let folder = Folder(cache);
        let done = py.detach(|| self.run_on(&call, (device, stream), (&folder, toolkit)));
        done.map_err(|e| not_run(&e))
    }
}

/// A text in the stencil language as plain C.
#[pyfunction]
fn c_of(text: &str) -> PyResult<String> {
    let ctx = Ctx::new().map_err(broken)?;
    hexcc_lang::print_c(&ctx, text).map_err(|all| refused(&all))
}

/// The name of the first GPU; `None` without one.
#[pyfunction]
fn device_name() -> Option<String> {
    hexcc_gpu::device_name()
}

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("Refused", py.get_type::<Refused>())?;
    module.add("NotLaunched", py.get_type::<NotLaunched>())?;
    module.add_class::<PyKernels>()?;
    module.add_class::<memory::Memory>()?;
    module.add_function(wrap_pyfunction!(device_name, module)?)?;
    module.add_function(wrap_pyfunction!(c_of, module)?)?;
    module.add_function(wrap_pyfunction!(dlpack::view, module)?)
}
