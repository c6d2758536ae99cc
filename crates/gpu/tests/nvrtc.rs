//! NVRTC without a GPU; nothing is tested where it is not installed.

use hexcc_gpu::{Compiler, Flags, GpuError};

const TEXT: &str = "#include <cuda_pipeline.h>
namespace n {
template <typename T> __global__ void copy(const T *a, T *b) {
  __shared__ T s[32];
  __pipeline_memcpy_async(&s[threadIdx.x], &a[threadIdx.x], sizeof(T));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  b[threadIdx.x] = s[31 - threadIdx.x];
}
}
";

fn compiler() -> Option<Compiler> {
    match Compiler::new((9, 0), None) {
        Ok(compiler) => Some(compiler),
        Err(error) => {
            eprintln!("not tested: {error}");
            assert!(matches!(error, GpuError::NoNvrtc { .. }));
            None
        }
    }
}

#[test]
fn kernels_are_found_by_their_names() {
    let Some(compiler) = compiler() else { return };
    let names = ["n::copy<float>", "n::copy<double>"];
    let binary = compiler.compile(
        TEXT,
        &names,
        Flags {
            fmad: true,
            ..Flags::default()
        },
    );
    let binary = binary.expect("it compiles");
    assert_eq!(
        binary.names,
        ["_ZN1n4copyIfEEvPKT_PS1_", "_ZN1n4copyIdEEvPKT_PS1_"]
    );
    assert!(binary.image.starts_with(b"\x7fELF"));
}

#[test]
fn errors_carry_the_log() {
    let Some(compiler) = compiler() else { return };
    let result = compiler.compile("__global__ void k() { x = 1; }", &[], Flags::default());
    let Err(GpuError::Compile { log }) = result else {
        panic!("it compiles");
    };
    assert!(log.contains("\"x\" is undefined"), "{log}");
    let result = compiler.compile("a\0b", &[], Flags::default());
    assert!(result.is_err());
}
