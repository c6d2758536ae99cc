//! The texts that are made of a compilation.

use crate::back::{self, Instrument, Replacement};
use crate::diag::Result;
use crate::kernel::KernelIr;
use crate::pipeline::{Compiled, Unit};
use crate::report::header;
use crate::scop::SavedScop;
use crate::tiling::overlapped::StreamKernel;
use hexcc_pet::deep::deeply;

/// The generated program.
///
/// # Errors
/// HX9001 if the source cannot be rewritten.
pub fn print_program(
    saved: &SavedScop,
    compiled: &Compiled,
    version: &str,
    instrument: Instrument,
) -> Result<String> {
    back::program(
        saved,
        &compiled.scop.region,
        &replacements(saved, compiled, version),
        &compiled.scop.unused,
        instrument,
    )
}

/// The C program with the results written to a file, to compare with.
///
/// # Errors
/// HX9001 if the source cannot be rewritten.
pub fn print_reference(saved: &SavedScop, compiled: &Compiled, version: &str) -> Result<String> {
    back::reference_program(
        saved,
        &compiled.scop.region,
        &replacements(saved, compiled, version),
    )
}

/// A header with the kernels and their launch functions on device pointers.
pub fn print_header(saved: &SavedScop, compiled: &Compiled, version: &str) -> String {
    let mut text = HEADER_INCLUDES.to_string();
    for unit in &compiled.units {
        text.push_str(&kernel_text(saved, compiled, unit, version));
        text.push('\n');
    }
    text
}

/// The text of kernels without comments about their origin, for NVRTC.
pub fn print_kernels(kernels: &[&KernelIr]) -> String {
    let mut text = HEADER_INCLUDES.to_string();
    for kernel in kernels {
        text.push_str(&deeply(|| back::print_kernel(kernel, &[])));
    }
    text
}

/// The text of a streamed kernel without comments about its origin, for NVRTC.
pub fn print_stream_kernel(kernel: &StreamKernel) -> String {
    let text = deeply(|| match kernel {
        StreamKernel::Rows(ir) => back::print_stream(ir, &[]),
        StreamKernel::Planes(ir) => back::print_blocks(ir, &[]),
    });
    // NVRTC does not find what CUDA's own header includes.
    let text = text.replacen("#include <cuda.h>\n", TENSOR_MAP, 1);
    format!("{HEADER_INCLUDES}{text}")
}

const TENSOR_MAP: &str = "struct alignas(128) CUtensorMap { unsigned long long opaque[16]; };\n";

const HEADER_INCLUDES: &str = "#pragma once\n#include <cuda_pipeline.h>\n#ifndef __CUDACC_RTC__\n#include <cuda_runtime.h>\n#include <limits.h>\n#include <math.h>\n#endif\n\n";

/// The namespace of a time loop.
fn kernel_text(saved: &SavedScop, compiled: &Compiled, unit: &Unit, version: &str) -> String {
    deeply(|| match &unit.overlapped.kernel {
        Some(StreamKernel::Rows(ir)) => back::print_stream(
            ir,
            &header::stream_header(saved, compiled, unit, ir, version),
        ),
        Some(StreamKernel::Planes(ir)) => back::print_blocks(
            ir,
            &header::blocks_header(saved, compiled, unit, ir, version),
        ),
        None => back::print_kernel(
            &unit.hybrid.kernel,
            &header::header(saved, compiled, unit, version),
        ),
    })
}

fn replacements<'a>(
    saved: &SavedScop,
    compiled: &'a Compiled,
    version: &str,
) -> Vec<Replacement<'a>> {
    (compiled.units.iter())
        .map(|unit| Replacement {
            span: unit.analysis.chunk.span.clone(),
            stencil: unit.stencil(),
            kernel: kernel_text(saved, compiled, unit, version),
            names: match &unit.overlapped.kernel {
                Some(StreamKernel::Rows(ir)) => back::stream_names(ir),
                Some(StreamKernel::Planes(ir)) => back::blocks_names(ir),
                None => back::argument_names(&unit.hybrid.kernel),
            },
            workspaces: match &unit.overlapped.kernel {
                Some(StreamKernel::Rows(ir)) => back::workspaces(ir),
                _ => Vec::new(),
            },
            finals: &unit.analysis.chunk.finals,
        })
        .collect()
}
