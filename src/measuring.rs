//! What cannot be measured, as diagnostics.

use crate::emit::cannot_write;
use crate::render::Failure;
use crate::wheel;
use hexcc_compiler::compiled::Compiled;
use hexcc_compiler::diag::Diagnostic;
use hexcc_gpu::GpuError;
use hexcc_tuner::{Error, NoTiles, Workbench, check_tiles};

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        match error {
            Error::Refused { diagnostic, file } => Failure {
                diagnostics: vec![*diagnostic],
                source: Some(file),
            },
            Error::NoTiles(why) => Failure::plain(no_tiles(why)),
            Error::Sizes(_) => Failure::plain(
                Diagnostic::error("HX0606", error.to_string())
                    .help("give sizes with `--set NAME=NUMBER,..`"),
            ),
            Error::Gpu(error) => gpu_failure(error),
            Error::Cache { path, error } => cannot_write(&path, &error),
        }
    }
}

/// Opens the GPU, with the NVRTC that `scripts/setup --cuda` brings where there is no other.
///
/// # Errors
/// What is missing.
pub fn workbench() -> Result<Workbench, Failure> {
    let toolkit = wheel::root().join("vendor/cuda/nvidia/cu13");
    Workbench::open(Some(&toolkit)).map_err(gpu_failure)
}

/// A compilation that has tiles of a GPU.
///
/// # Errors
/// HX0609.
pub fn tiled(compiled: Compiled) -> Result<Compiled, Failure> {
    match check_tiles(&compiled) {
        Ok(()) => Ok(compiled),
        Err(why) => Err(Error::NoTiles(why).into()),
    }
}

fn no_tiles(why: NoTiles) -> Diagnostic {
    let d = Diagnostic::error("HX0609", why.to_string());
    let d = match why {
        NoTiles::OnHost => d
            .note("what the host does between them decides how many steps there are")
            .help("`--line` takes a loop over time steps by itself"),
        NoTiles::SingleSteps => {
            d.note("the program has one launch per step, and no sizes to choose")
        }
        NoTiles::OfCpu => d.note("only kernels of GPUs are measured and drawn so far"),
    };
    d.help("`hexcc run` compares it with the C program")
}

/// The diagnostic for an error of the GPU.
fn gpu_failure(error: GpuError) -> Failure {
    let d = |code| Diagnostic::error(code, error.to_string());
    Failure::plain(match &error {
        GpuError::NoDriver => d("HX0601")
            .note("tuning and benchmarks run on an NVIDIA GPU; nothing was measured")
            .help("run hexcc on a machine with a GPU; a saved scop (`--emit scop`) is all it needs there"),
        GpuError::DriverTooOld { .. } => d("HX0601").help("install a newer NVIDIA driver"),
        GpuError::NoDevice(_) => d("HX0601")
            .note("nothing was measured")
            .help("check `nvidia-smi` and CUDA_VISIBLE_DEVICES"),
        GpuError::NoNvrtc { searched } => d("HX0602")
            .note(format!("searched: {}", searched.join(", ")))
            .help("install the CUDA toolkit, set CUDA_HOME to it, or put libnvrtc.so on LD_LIBRARY_PATH"),
        GpuError::Compile { log } => {
            let lines: Vec<&str> = log.lines().take(20).collect();
            d("HX0603").note(format!("it says:\n{}", lines.join("\n")))
        }
        GpuError::OutOfMemory(_) => d("HX0604").help("choose a smaller problem with `--set`"),
        GpuError::Driver { .. } => d("HX0605"),
    })
}
