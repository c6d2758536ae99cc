//! The GPU, its compiler, and kernels of our own for work on arrays.

use hexcc_compiler::ctype::CType;
use hexcc_gpu::{Compiler, Device, Flags, GpuError, Kernel, Module, Packed};
use std::cell::OnceCell;
use std::path::Path;

/// A device and a compiler for it.
pub struct Workbench {
    /// The GPU.
    pub device: Device,
    /// NVRTC for its architecture.
    pub compiler: Compiler,
    helpers: OnceCell<Helpers>,
}

/// Kernels of our own that fill and compare arrays.
pub(super) struct Helpers {
    _module: Module,
    /// For every type of [`ELEMENTS`].
    pub(super) fill: Vec<Kernel>,
    /// Likewise.
    pub(super) different: Vec<Kernel>,
    /// `double` arrays with the contents that `float` arrays have.
    pub(super) fill_wide: Kernel,
    /// Error of `float` arrays against `double` arrays.
    pub(super) error: Kernel,
    /// For words of 4 and of 8 bytes.
    pub(super) differ_outside: [Kernel; 2],
}

pub(super) const HELPERS: &str = include_str!("helpers.cu");

/// Element types.
pub(super) const ELEMENTS: [CType; 10] = [
    CType::Float,
    CType::Double,
    CType::Int(1),
    CType::Int(2),
    CType::Int(4),
    CType::Int(8),
    CType::UInt(1),
    CType::UInt(2),
    CType::UInt(4),
    CType::UInt(8),
];

pub(super) fn helper_names() -> Vec<String> {
    let mut names: Vec<String> = ELEMENTS.iter().map(|t| format!("fill<{t}, {t}>")).collect();
    names.extend(ELEMENTS.iter().map(|t| format!("different<{t}>")));
    names.push("fill<double, float>".to_string());
    names.push("error_of".to_string());
    names.extend(["differ_outside<unsigned>", "differ_outside<Bits>"].map(String::from));
    names
}

impl Helpers {
    fn new(device: &Device, compiler: &Compiler) -> Result<Helpers, GpuError> {
        let names = helper_names();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let binary = compiler.compile(HELPERS, &names, Flags::default())?;
        let module = device.load(&binary)?;
        let n = ELEMENTS.len();
        let kernels = |from: usize| -> Result<Vec<Kernel>, GpuError> {
            (from..from + n).map(|i| module.kernel(i)).collect()
        };
        Ok(Helpers {
            fill: kernels(0)?,
            different: kernels(n)?,
            fill_wide: module.kernel(2 * n)?,
            error: module.kernel(2 * n + 1)?,
            differ_outside: [module.kernel(2 * n + 2)?, module.kernel(2 * n + 3)?],
            _module: module,
        })
    }
}

impl Workbench {
    /// Opens the GPU and NVRTC, which a CUDA toolkit in the given folder may have, too.
    ///
    /// # Errors
    /// What is missing.
    pub fn open(toolkit: Option<&Path>) -> Result<Workbench, GpuError> {
        let bench = Workbench::on(Device::open()?, toolkit)?;
        bench.helpers()?;
        Ok(bench)
    }

    /// NVRTC for a GPU that is open. Kernels of our own are compiled when they are needed.
    ///
    /// # Errors
    /// [`GpuError::NoNvrtc`].
    pub fn on(device: Device, toolkit: Option<&Path>) -> Result<Workbench, GpuError> {
        Ok(Workbench {
            compiler: Compiler::new(device.info.capability, toolkit)?,
            device,
            helpers: OnceCell::new(),
        })
    }

    /// Kernels of our own.
    pub(super) fn helpers(&self) -> Result<&Helpers, GpuError> {
        if let Some(helpers) = self.helpers.get() {
            return Ok(helpers);
        }
        let made = Helpers::new(&self.device, &self.compiler)?;
        Ok(self.helpers.get_or_init(|| made))
    }

    /// Runs a helper on as many threads as the GPU takes.
    pub(super) fn help(&self, kernel: &Kernel, integers: &[i64]) -> Result<(), GpuError> {
        let args: Vec<Packed> = (integers.iter())
            .filter_map(|&i| Packed::of_integers(&[i]))
            .collect();
        let args: Vec<&Packed> = args.iter().collect();
        let launch = hexcc_gpu::Launch {
            kernel,
            grid: [self.device.info.multiprocessors * 8, 1, 1],
            block: [256, 1, 1],
            shared_bytes: 0,
            args: &args,
        };
        // SAFETY: the helpers take 64-bit integers and pointers, in the number
        // given, and touch the rows of the arrays they are given.
        unsafe { self.device.launch(&launch) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn helpers_exist_for_every_type() {
        let names = helper_names();
        assert_eq!(names.len(), 2 * ELEMENTS.len() + 4);
        assert_eq!(names[0], "fill<float, float>");
        assert_eq!(names[ELEMENTS.len() + 1], "different<double>");
    }
}
