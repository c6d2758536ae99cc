//! Options of the command that kernels on a GPU have, as words.

use hexcc_compiler::options::{Options, StepKernel, Tiling};
use hexcc_compiler::target::Targets;
use hexcc_gpu::Flags;
use pyo3::PyResult;
use pyo3::exceptions::PyValueError;

/// What words say, and how NVRTC compiles; `device` is what the driver calls the GPU.
pub fn parse(words: &[String], device: Option<&str>) -> PyResult<(Options, Flags)> {
    let (mut options, mut flags) = (Options::default(), Flags::default());
    let targets = Targets::built_in();
    if let Some(target) = device.and_then(|name| targets.for_device(name)) {
        options.target = target.clone();
    }
    let mut words = words.iter().map(String::as_str);
    while let Some(word) = words.next() {
        let (name, joined) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (word, None),
        };
        if name == "--fast-math" {
            options.fast_math = true;
            (flags.fmad, flags.fast_math) = (true, true);
            continue;
        }
        if name == "--float-literals" {
            options.float_literals = true;
            continue;
        }
        let value = joined.or_else(|| words.next()).unwrap_or_default();
        let wrong = || PyValueError::new_err(format!("options: `{value}` is no value of `{name}`"));
        match name {
            "--tiling" => options.tiling = tiling(value).ok_or_else(wrong)?,
            "--kernel" => options.kernel = kernel(value).ok_or_else(wrong)?,
            "--gpu" => options.target = targets.find(value).map_err(|_| wrong())?,
            _ => {
                let what = format!("options: `{name}` is not for kernels in Python");
                return Err(PyValueError::new_err(format!(
                    "{what}; there are --tiling, --kernel, --gpu, --fast-math and --float-literals"
                )));
            }
        }
    }
    Ok((options, flags))
}

fn tiling(value: &str) -> Option<Tiling> {
    Some(match value {
        "auto" => Tiling::Auto,
        "hybrid" => Tiling::Hybrid,
        "overlapped" => Tiling::Overlapped,
        "stepwise" => Tiling::Stepwise,
        _ => return None,
    })
}

fn kernel(value: &str) -> Option<StepKernel> {
    let kinds = [StepKernel::Auto, StepKernel::Pipelined, StepKernel::Patches];
    let mut all = kinds.into_iter().chain(StepKernel::OF_STEPS);
    all.find(|kind| kind.name() == value)
}
