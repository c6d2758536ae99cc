//! CUDA text to machine code.

use crate::error::GpuError;
use cudarc::nvrtc::{result, sys};
use std::ffi::{CStr, CString, c_char, c_int};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Stands in for CUDA's own header where no toolkit is installed: the
/// asynchronous copies, as PTX.
const PIPELINE_HEADER: &str = include_str!("cuda_pipeline.h");

/// How to compile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    /// Allow fused multiply-add; results then differ from C's in the last bits.
    pub fmad: bool,
    /// Like nvcc's `--use_fast_math`: approximate divisions and functions in `float`, no
    /// denormal numbers, and fused multiply-add.
    pub fast_math: bool,
}

/// Machine code with one or more kernels.
#[derive(Clone, Debug)]
pub struct Binary {
    /// The cubin.
    pub image: Vec<u8>,
    /// Mangled names of the kernels asked for, in that order.
    pub names: Vec<String>,
}

/// NVRTC, set up for one architecture. May be shared by threads.
#[derive(Clone, Debug)]
pub struct Compiler {
    arch: String,
    include: Option<PathBuf>,
}

impl Compiler {
    /// A compiler for GPUs of a compute capability, such as (9, 0); `toolkit`
    /// is a CUDA installation to try after those of the machine.
    ///
    /// # Errors
    /// [`GpuError::NoNvrtc`].
    pub fn new(capability: (i32, i32), toolkit: Option<&Path>) -> Result<Compiler, GpuError> {
        static LIBRARY: OnceLock<Result<(), Vec<String>>> = OnceLock::new();
        let toolkits = toolkits(toolkit);
        let loaded = LIBRARY.get_or_init(|| load_library(&toolkits));
        if let Err(searched) = loaded {
            return Err(GpuError::NoNvrtc {
                searched: searched.clone(),
            });
        }
        Ok(Compiler {
            arch: format!("sm_{}{}", capability.0, capability.1),
            include: include_directory(&toolkits),
        })
    }

    /// What the code is for, such as `sm_90`.
    pub fn arch(&self) -> &str {
        &self.arch
    }

    /// Compiles a text; `kernels` are the qualified names of its `__global__`
    /// functions, such as `name::kernel`.
    ///
    /// # Errors
    /// [`GpuError::Compile`] with NVRTC's log.
    pub fn compile(&self, text: &str, kernels: &[&str], flags: Flags) -> Result<Binary, GpuError> {
        let mut options = vec![
            format!("--gpu-architecture={}", self.arch),
            match flags.fast_math {
                true => "--use_fast_math".to_string(),
                false => format!("--fmad={}", flags.fmad),
            },
            "--std=c++17".to_string(),
            // Lambdas that are templates count as host functions without it.
            "--device-as-default-execution-space".to_string(),
            "--disable-warnings".to_string(),
        ];
        if let Some(include) = &self.include {
            options.push(format!("--include-path={}", include.display()));
        }
        let program = Program::new(text, self.include.is_none())?;
        let kernels: Vec<CString> = (kernels.iter())
            .map(|name| c_string(name))
            .collect::<Result<_, _>>()?;
        for name in &kernels {
            // SAFETY: the program is alive, and NVRTC copies the name.
            let status = unsafe { sys::nvrtcAddNameExpression(program.0, name.as_ptr()) };
            check(status)?;
        }
        let options: Vec<CString> = (options.iter())
            .map(|option| c_string(option))
            .collect::<Result<_, _>>()?;
        let pointers: Vec<*const c_char> = options.iter().map(|o| o.as_ptr()).collect();
        let n_options = c_int::try_from(pointers.len()).unwrap_or(c_int::MAX);
        // SAFETY: the program is alive, and so are the options.
        let status = unsafe { sys::nvrtcCompileProgram(program.0, n_options, pointers.as_ptr()) };
        if status != sys::nvrtcResult::NVRTC_SUCCESS {
            return Err(GpuError::Compile { log: program.log() });
        }
        let names = (kernels.iter())
            .map(|name| program.lowered(name))
            .collect::<Result<_, _>>()?;
        Ok(Binary {
            image: program.cubin()?,
            names,
        })
    }
}

/// An NVRTC program, destroyed when dropped.
struct Program(sys::nvrtcProgram);

impl Program {
    fn new(text: &str, with_pipeline: bool) -> Result<Program, GpuError> {
        let text = c_string(text)?;
        let header = c_string(PIPELINE_HEADER)?;
        let (headers, names) = ([header.as_ptr()], [c"cuda_pipeline.h".as_ptr()]);
        let mut program = std::ptr::null_mut();
        // SAFETY: all strings live until the call returns; NVRTC copies them.
        let status = unsafe {
            sys::nvrtcCreateProgram(
                &raw mut program,
                text.as_ptr(),
                c"stencil.cu".as_ptr(),
                c_int::from(with_pipeline),
                headers.as_ptr(),
                names.as_ptr(),
            )
        };
        check(status)?;
        Ok(Program(program))
    }

    fn log(&self) -> String {
        // SAFETY: the program is alive.
        let Ok(log) = (unsafe { result::get_program_log(self.0) }) else {
            return String::new();
        };
        let bytes: Vec<u8> = (log.into_iter())
            .map(c_char::cast_unsigned)
            .take_while(|&b| b != 0)
            .collect();
        String::from_utf8_lossy(&bytes).trim_end().to_string()
    }

    fn lowered(&self, name: &CStr) -> Result<String, GpuError> {
        let mut lowered = std::ptr::null();
        // SAFETY: the program is compiled, and the name was added to it.
        let status = unsafe { sys::nvrtcGetLoweredName(self.0, name.as_ptr(), &raw mut lowered) };
        check(status)?;
        // SAFETY: NVRTC returned a string that lives as long as the program.
        let lowered = unsafe { CStr::from_ptr(lowered) };
        Ok(lowered.to_string_lossy().into_owned())
    }

    fn cubin(&self) -> Result<Vec<u8>, GpuError> {
        let mut size = 0;
        // SAFETY: the program is compiled.
        check(unsafe { sys::nvrtcGetCUBINSize(self.0, &raw mut size) })?;
        let mut image = vec![0u8; size];
        // SAFETY: the program is compiled, and the buffer has the size asked for.
        check(unsafe { sys::nvrtcGetCUBIN(self.0, image.as_mut_ptr().cast()) })?;
        Ok(image)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // SAFETY: the program is alive, and this is its last use.
        let _ = unsafe { sys::nvrtcDestroyProgram(&raw mut self.0) };
    }
}

fn c_string(text: &str) -> Result<CString, GpuError> {
    CString::new(text).map_err(|_| GpuError::Compile {
        log: "the text holds a zero byte".to_string(),
    })
}

fn check(status: sys::nvrtcResult) -> Result<(), GpuError> {
    if status == sys::nvrtcResult::NVRTC_SUCCESS {
        return Ok(());
    }
    Err(GpuError::Driver {
        what: "NVRTC".to_string(),
        message: format!("{status:?}"),
    })
}

/// Loads NVRTC by its full path where a toolkit has it: a library that is
/// loaded is found again by its name, also outside the loader's search path.
fn load_library(toolkits: &[PathBuf]) -> Result<(), Vec<String>> {
    const NAMES: [&str; 3] = ["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"];
    let mut searched: Vec<String> = Vec::new();
    // CUDA's names for the same place: a toolkit, and NVIDIA's wheels.
    for toolkit in toolkits {
        for folder in ["lib64", "lib", "targets/x86_64-linux/lib"] {
            let folder = toolkit.join(folder);
            for name in NAMES {
                let path = folder.join(name);
                // SAFETY: loading NVRTC runs its initialisers, which have no
                // preconditions. cudarc then finds it by its name.
                if path.exists()
                    && open_builtins(&folder)
                    && open(&path)
                    && unsafe { sys::is_culib_present() }
                {
                    return Ok(());
                }
            }
        }
        searched.push(toolkit.display().to_string());
    }
    // SAFETY: loading NVRTC runs its initialisers, which have no preconditions.
    if unsafe { sys::is_culib_present() } {
        return Ok(());
    }
    searched.push("the loader's search path".to_string());
    Err(searched)
}

/// NVRTC asks the loader for a second library by its name; it is loaded from the
/// same folder.
fn open_builtins(folder: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return false;
    };
    let is_builtins = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("libnvrtc-builtins.so")
    };
    let paths = entries.flatten().map(|e| e.path()).filter(is_builtins);
    for path in paths {
        open(&path);
    }
    true
}

/// Loads a library for good.
fn open(path: &Path) -> bool {
    use std::os::unix::ffi::OsStrExt;
    let Ok(name) = CString::new(path.as_os_str().as_bytes()) else {
        return false;
    };
    // SAFETY: NVRTC's libraries have no preconditions; the handle is never closed.
    let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_GLOBAL) };
    !handle.is_null()
}

/// Directories that may be CUDA installations, best first.
fn toolkits(last: Option<&Path>) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for variable in ["CUDA_HOME", "CUDA_PATH"] {
        if let Some(path) = std::env::var_os(variable).filter(|v| !v.is_empty()) {
            all.push(PathBuf::from(path));
        }
    }
    if let Some(path) = std::env::var_os("PATH") {
        let nvcc = std::env::split_paths(&path)
            .map(|d| d.join("nvcc"))
            .find(|p| p.is_file());
        let toolkit = nvcc
            .and_then(|p| p.canonicalize().ok())
            .and_then(|p| Some(p.parent()?.parent()?.to_path_buf()));
        all.extend(toolkit);
    }
    all.push(PathBuf::from("/usr/local/cuda"));
    all.extend(last.map(Path::to_path_buf));
    all.dedup();
    all
}

/// CUDA's headers, where a toolkit has those that kernels include.
fn include_directory(toolkits: &[PathBuf]) -> Option<PathBuf> {
    let folders = ["include", "targets/x86_64-linux/include"];
    (toolkits.iter())
        .flat_map(|toolkit| folders.map(|f| toolkit.join(f)))
        .find(|d| d.join("cuda_pipeline.h").is_file() && d.join("cuda_runtime.h").is_file())
}
