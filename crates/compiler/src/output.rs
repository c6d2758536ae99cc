//! The texts that are made of a compilation.

use crate::back::names::Names;
use crate::back::{self, Host, Memory, Otherwise, Replacement};
use crate::compiled::{Compiled, Stepwise, TiledNest, Unit};
use crate::diag::Result;
use crate::ir;
use crate::kernel::KernelArray;
use crate::options::Language;
use crate::print;
use crate::report::{as_read, header};
use crate::scop::{Around, SavedScop};
use crate::stencil::Stencil;
use crate::tiling::Kernel;
use crate::tiling::hybrid::HybridKernel;
use crate::tiling::overlapped::StreamKernel;
use hexcc_pet::deep::deeply;
use std::collections::BTreeSet;
use std::ops::Range;

/// The generated program.
///
/// # Errors
/// HX9001 if the source cannot be rewritten.
pub fn print_program(
    saved: &SavedScop,
    compiled: &Compiled,
    version: &str,
    host: Host,
) -> Result<String> {
    let mut parts = replacements(saved, compiled, version, host.otherwise)?;
    let gated = back::is_possible(host.placement, &parts);
    for part in &mut parts {
        part.gated = gated;
    }
    back::program(saved, &regions(saved, compiled), &parts, host)
}

/// The program as C, with OpenMP or with kernels in OpenCL C.
///
/// # Errors
/// HX9001 if the source cannot be rewritten.
pub fn print_c(
    saved: &SavedScop,
    compiled: &Compiled,
    version: &str,
    (host, language): (Host, Language),
) -> Result<String> {
    let otherwise = |part: &Stepwise| match language {
        // A device may be missing.
        Language::OpenCl => host.otherwise,
        _ if part.interface.may_be_refused() => host.otherwise,
        _ => Otherwise::Ends,
    };
    let part = |part: &'_ Stepwise| -> Result<String> {
        let header = header::of_loops(saved.around(), part, (version, language));
        let about = (header.as_slice(), otherwise(part));
        let (program, interface, finals) = (&part.program, &part.interface, &part.finals);
        deeply(|| match language {
            Language::OpenCl => print::opencl::print(program, interface, finals, about),
            _ => print::openmp::print(program, interface, finals, about),
        })
    };
    let parts: Vec<Replacement> = (compiled.stepwise.iter())
        .map(|p| {
            let text = (part(p)?, Names::plain());
            let part = in_steps(p, text, Memory::Shared, otherwise(p));
            // Each for itself: they use the program's arrays where these are.
            let gated = back::is_possible(host.placement, std::slice::from_ref(&part));
            Ok(Replacement { gated, ..part })
        })
        .collect::<Result<_>>()?;
    back::c_program(saved, &regions(saved, compiled), &parts, (host, language))
}

/// The kernels in OpenCL C, each part with what launches them.
///
/// # Errors
/// HX9001 where a printer meets what it does not know.
pub fn print_opencl_kernels(
    saved: &SavedScop,
    compiled: &Compiled,
    version: &str,
) -> Result<String> {
    let of_part = |part: &Stepwise| -> Result<String> {
        let header = header::of_loops(saved.around(), part, (version, Language::OpenCl));
        deeply(|| print::opencl::print_kernels(&part.program, &part.interface, &header))
    };
    let n = compiled.stepwise.len();
    let parts = compiled.stepwise.iter().enumerate();
    let parts = parts.map(|(i, part)| {
        let text = of_part(part)?;
        Ok(match n {
            1 => text,
            _ => format!("// Part {} of {n}: a program of its own.\n{text}", i + 1),
        })
    });
    Ok(parts.collect::<Result<Vec<_>>>()?.join("\n"))
}

/// The C program with the results written to a file, to compare with.
///
/// # Errors
/// HX9001 if the source cannot be rewritten.
pub fn print_reference(saved: &SavedScop, compiled: &Compiled, version: &str) -> Result<String> {
    back::reference_program(
        saved,
        &regions(saved, compiled),
        &replacements(saved, compiled, version, Otherwise::Ends)?,
    )
}

/// The loops in the words that pet has read, and which passes have made these of the user's.
/// `None` for a saved scop, which has no such text.
pub fn print_as_read(saved: &SavedScop) -> Option<String> {
    let sections: Option<Vec<String>> = (saved.regions())
        .map(|scop| as_read::section(&saved.source, scop))
        .collect();
    Some(sections?.join("\n"))
}

/// A header with the kernels and their launch functions on device pointers.
///
/// # Errors
/// HX9001 where a printer meets what it does not know.
pub fn print_header(saved: &SavedScop, compiled: &Compiled, version: &str) -> Result<String> {
    header(saved.around(), compiled, version)
}

/// The same for a stencil that a program has built.
///
/// # Errors
/// HX9001 where a printer meets what it does not know.
pub fn print_stencil(stencil: &Stencil, compiled: &Compiled, version: &str) -> Result<String> {
    header(stencil.around(), compiled, version)
}

fn header(around: Around, compiled: &Compiled, version: &str) -> Result<String> {
    let mut text = HEADER_INCLUDES.to_string();
    if let Some(of_slab) = of_slab(around, compiled, version)? {
        return Ok(text + &back::for_programs(&of_slab)?);
    }
    let units = compiled.units.iter().map(|unit| (unit, &[][..]));
    let nests = (compiled.tiled_nests.iter()).map(|nest| {
        (
            &nest.unit,
            nest.periodic.as_ref().map_or(&[][..], |p| &p.sides),
        )
    });
    for (unit, sides) in units.chain(nests) {
        let about = (version, Otherwise::Ends);
        let launch = match wants_alignment(&unit.tiled.kernel) {
            true => back::ALIGNED,
            false => back::LAUNCH,
        };
        let made = in_tiles(around, compiled, unit, about, (launch, [false, false]))?;
        text.push_str(&match wants_alignment(&unit.tiled.kernel) {
            true => back::anywhere(&Replacement { sides, ..made }, unit.stencil())?,
            false => made.kernel,
        });
        text.push('\n');
    }
    for part in &compiled.stepwise {
        text.push_str(&stepwise_text(around, part, version)?.0);
        text.push('\n');
    }
    Ok(text)
}

/// The time loop that several GPUs share, if that is what was compiled.
fn of_slab<'a>(
    around: Around,
    compiled: &'a Compiled,
    version: &str,
) -> Result<Option<Replacement<'a>>> {
    let about = (version, Otherwise::Ends);
    for nest in &compiled.tiled_nests {
        if let Some(slabs) = &nest.slabs {
            let launch = (back::LAUNCH, [false, false]);
            return Ok(Some(Replacement {
                interface: nest.interface(),
                slabs: Some((slabs, slabs.gpus)),
                ..in_tiles(around, compiled, &nest.unit, about, launch)?
            }));
        }
    }
    let Some(part) = compiled.stepwise.iter().find(|p| p.slabs.is_some()) else {
        return Ok(None);
    };
    let text = stepwise_text(around, part, version)?;
    Ok(Some(in_steps(part, text, Memory::Copied, Otherwise::Ends)))
}

/// The text of kernels without comments about their origin, for NVRTC.
pub fn print_kernels(kernels: &[&HybridKernel]) -> String {
    let mut text = HEADER_INCLUDES.to_string();
    for kernel in kernels {
        text.push_str(&deeply(|| tiles(kernel, &[], back::LAUNCH)));
    }
    text
}

/// The text of a streamed kernel without comments about its origin, for NVRTC.
pub fn print_stream_kernel(kernel: &StreamKernel) -> String {
    let text = deeply(|| match kernel {
        StreamKernel::Rows(ir) => back::print_stream(ir, &[], back::LAUNCH, [false, false]),
        StreamKernel::Planes(ir) => back::print_blocks(ir, &[], back::LAUNCH),
    });
    // NVRTC does not find what CUDA's own header includes.
    let text = text.replacen("#include <cuda.h>\n", TENSOR_MAP, 1);
    format!("{HEADER_INCLUDES}{text}")
}

/// The text of single steps without comments about their origin, for NVRTC.
pub fn print_steps(part: &Stepwise) -> String {
    let (text, _) = deeply(|| print::cuda::print(&part.program, &[]));
    format!("{HEADER_INCLUDES}{text}")
}

const TENSOR_MAP: &str = "struct alignas(128) CUtensorMap { unsigned long long opaque[16]; };\n";

const HEADER_INCLUDES: &str = "#pragma once\n#include <cuda_pipeline.h>\n#ifndef __CUDACC_RTC__\n#include <cuda_runtime.h>\n#include <limits.h>\n#include <math.h>\n#endif\n\n";

/// The namespace of a time loop; the function that launches its kernels is called `launch`.
fn kernel_text(
    around: Around,
    compiled: &Compiled,
    unit: &Unit,
    (version, launch): (&str, &str),
    [apart, converges]: [bool; 2],
) -> Result<String> {
    let text = deeply(|| match &unit.tiled.kernel {
        Kernel::Overlapped(kernel, _) => {
            let header = header::of_overlapped(around, compiled, unit, kernel, version);
            match kernel {
                StreamKernel::Rows(ir) => {
                    back::print_stream(ir, &header, launch, [apart, converges])
                }
                StreamKernel::Planes(ir) => back::print_blocks(ir, &header, launch),
            }
        }
        Kernel::Hybrid(hybrid) => {
            let header = header::of_hybrid(around, compiled, unit, hybrid, version);
            tiles(&hybrid.kernel, &header, launch)
        }
    });
    print::whole(text)
}

/// The namespace of hybrid tiles.
fn tiles(kernel: &HybridKernel, header: &[String], launch: &str) -> String {
    let names = print::cuda::tiles::argument_names(&kernel.stencil);
    print::cuda::tiles::print(&kernel.program, &names, header, launch)
}

/// Whether kernels need arrays at multiples of 16 bytes, or memory beside them.
fn wants_alignment(kernel: &Kernel) -> bool {
    let mut refuses = false;
    match kernel {
        Kernel::Overlapped(..) => refuses = true,
        Kernel::Hybrid(hybrid) => ir::visit(&hybrid.kernel.program.host, &mut |stmt| {
            refuses |= matches!(stmt, ir::Stmt::Return(ir::Outcome::Misaligned));
        }),
    }
    refuses
}

/// Where things are replaced.
fn regions(saved: &SavedScop, compiled: &Compiled) -> Vec<Range<usize>> {
    match saved.is_nests() {
        true => {
            let steps = compiled.stepwise.iter().map(|part| part.span.clone());
            let tiled = compiled.tiled_nests.iter();
            steps
                .chain(tiled.map(|nest| nest.unit.analysis.chunk.span.clone()))
                .collect()
        }
        false => vec![compiled.scop.region.clone()],
    }
}

/// Where kernels of CUDA find the arrays of what runs in single steps, and of tiled nests; slabs have rows of their own.
pub(crate) fn memory_of_nests(saved: &SavedScop, compiled: &Compiled) -> [Memory; 2] {
    match saved.is_nests() && compiled.in_slabs().is_none() {
        true => [Memory::Shared, Memory::Staged],
        false => [Memory::Copied; 2],
    }
}

fn replacements<'a>(
    saved: &SavedScop,
    compiled: &'a Compiled,
    version: &str,
    otherwise: Otherwise,
) -> Result<Vec<Replacement<'a>>> {
    let tiled = compiled.units.iter().map(|unit| -> Result<_> {
        Ok(Replacement {
            unused: &compiled.scop.unused,
            ..in_tiles(
                saved.around(),
                compiled,
                unit,
                (version, otherwise),
                (back::LAUNCH, [false, false]),
            )?
        })
    });
    let [memory, tiled_memory] = memory_of_nests(saved, compiled);
    let apart = |nest: &TiledNest| tiled_memory.is_shared() && nest.periodic.is_none();
    let converges = |unit: &Unit| {
        let span = &unit.analysis.chunk.span;
        let is_in = saved.converging().any(|c| span.contains(&c.steps.start));
        is_in && matches!(unit.stream(), Some(StreamKernel::Rows(_)))
    };
    let nests = compiled.tiled_nests.iter().map(|nest| -> Result<_> {
        Ok(Replacement {
            unused: &nest.scop.unused,
            memory: tiled_memory,
            interface: nest.interface(),
            sides: nest.periodic.as_ref().map_or(&[], |p| &p.sides),
            slabs: nest.slabs.as_ref().map(|slabs| (slabs, slabs.gpus)),
            ..in_tiles(
                saved.around(),
                compiled,
                &nest.unit,
                (version, otherwise),
                (back::LAUNCH, [apart(nest), converges(&nest.unit)]),
            )?
        })
    });
    let steps = compiled.stepwise.iter().map(|part| -> Result<_> {
        let (kernel, names) = stepwise_text(saved.around(), part, version)?;
        Ok(in_steps(part, (kernel, names), memory, otherwise))
    });
    let mut all: Vec<Replacement> = tiled.chain(nests).chain(steps).collect::<Result<_>>()?;
    // Where loops end when cells say so, what decides has to know before how many steps to go.
    if !all.iter().any(|r| r.converges) && all.iter().all(|r| r.memory.is_shared()) {
        let mut in_text: Vec<&mut Replacement> = all.iter_mut().collect();
        in_text.sort_by_key(|r| r.span.start);
        let mut known = BTreeSet::new();
        for r in &mut in_text {
            let own = travelling(saved, r).into_iter();
            let first = own.filter(|name| known.insert(name.clone()));
            r.travels = Some(first.collect());
        }
        if known.is_empty() {
            in_text.iter_mut().for_each(|r| r.travels = None);
        }
    }
    Ok(all)
}

/// The arrays of a part that C goes through in each iteration of the loop around it: all of their dimensions, as far as is known.
fn travelling(saved: &SavedScop, r: &Replacement) -> Vec<String> {
    let Some(beside) = saved.beside(r.span.start) else {
        return Vec::new();
    };
    let is_swept = |array: &KernelArray| {
        let member = r.interface.members.iter().find(|m| m.name == array.memory);
        let name = member.map_or(&array.memory, |m| &m.value);
        let loops = beside.swept.get(name).copied().unwrap_or_default();
        loops >= array.extents.len().clamp(1, 2)
    };
    let arrays = r.interface.handed_over().arrays.into_iter();
    arrays.filter(is_swept).map(|a| a.name).collect()
}

/// What takes the place of a time loop that is tiled.
fn in_tiles<'a>(
    around: Around,
    compiled: &Compiled,
    unit: &'a Unit,
    (version, otherwise): (&str, Otherwise),
    (launch, [apart, converges]): (&str, [bool; 2]),
) -> Result<Replacement<'a>> {
    let streams = matches!(unit.stream(), Some(StreamKernel::Rows(_)));
    Ok(Replacement {
        span: unit.analysis.chunk.span.clone(),
        interface: unit.stencil(),
        sides: &[],
        kernel: kernel_text(
            around,
            compiled,
            unit,
            (version, launch),
            [apart, converges],
        )?,
        apart: apart && streams,
        converges,
        unsure: match unit.stream() {
            Some(StreamKernel::Rows(ir)) => ir.unsure(),
            _ => Vec::new(),
        },
        names: match &unit.tiled.kernel {
            Kernel::Overlapped(StreamKernel::Rows(ir), _) => back::stream_names(ir),
            Kernel::Overlapped(StreamKernel::Planes(ir), _) => back::blocks_names(ir),
            Kernel::Hybrid(hybrid) => print::cuda::tiles::argument_names(&hybrid.kernel.stencil),
        },
        workspaces: match unit.stream() {
            Some(StreamKernel::Rows(ir)) => back::workspaces(ir),
            _ => Vec::new(),
        },
        finals: &unit.analysis.chunk.finals,
        unused: &[],
        memory: Memory::Copied,
        otherwise,
        gated: false,
        travels: None,
        slabs: None,
    })
}

/// What takes the place of a part of the program that runs in single steps.
fn in_steps(
    part: &Stepwise,
    (kernel, names): (String, Names),
    memory: Memory,
    otherwise: Otherwise,
) -> Replacement<'_> {
    Replacement {
        span: part.span.clone(),
        interface: part
            .slabs
            .as_ref()
            .map_or(&part.interface, |slabs| &slabs.interface),
        sides: &[],
        kernel,
        names,
        workspaces: Vec::new(),
        apart: false,
        converges: false,
        unsure: Vec::new(),
        finals: &part.finals,
        unused: &part.unused,
        memory,
        otherwise,
        gated: false,
        travels: None,
        slabs: part.slabs.as_ref().map(|slabs| (&**slabs, slabs.gpus)),
    }
}

/// The namespace of what runs in single steps, and the names of its arguments.
fn stepwise_text(around: Around, part: &Stepwise, version: &str) -> Result<(String, Names)> {
    let header = header::of_steps(around, part, version);
    let (text, names) = deeply(|| print::cuda::print(&part.program, &header));
    Ok((print::whole(text)?, names))
}
