//! Arrays with known contents, and comparisons of them.

use super::too_large;
use super::workbench::{ELEMENTS, Workbench};
use crate::hash::fnv;
use hexcc_compiler::back::{self, Precision};
use hexcc_compiler::ctype::CType;
use hexcc_compiler::interface::Interface;
use hexcc_compiler::kernel::plan::{self, ArrayLayout};
use hexcc_compiler::kernel::{Stencil, Sub};
use hexcc_gpu::{Buffer, GpuError, Packed};

/// The arrays of a region on the GPU.
pub struct Arrays {
    precision: Precision,
    list: Vec<DeviceArray>,
}

struct DeviceArray {
    name: String,
    elem: CType,
    written: bool,
    buffer: Buffer,
}

/// Rows of an array as the helpers see it.
fn rows(layout: &ArrayLayout) -> (i64, i64, i64) {
    let n = layout.extents.last().copied().unwrap_or(1);
    let rows = layout.extents.iter().rev().skip(1).product();
    (rows, n, layout.pitch)
}

fn index_of(elem: CType) -> usize {
    ELEMENTS.iter().position(|e| *e == elem).unwrap_or(0)
}

impl Arrays {
    /// Allocates the arrays of all kernels; `written_only` leaves out the rest.
    /// They are large enough for every one of the parameter sets.
    ///
    /// # Errors
    /// [`GpuError::OutOfMemory`].
    pub fn new(
        bench: &Workbench,
        kernels: &[&Stencil],
        sets: &[Vec<i64>],
        precision: Precision,
        written_only: bool,
    ) -> Result<Arrays, GpuError> {
        let mut wanted: Vec<(String, CType, bool, u64)> = Vec::new();
        for stencil in kernels {
            for params in sets {
                let layouts = plan::layouts(stencil, params).unwrap_or_default();
                for (array, layout) in stencil.arrays.iter().zip(&layouts) {
                    let elem = precision.of(array.elem);
                    let bytes = layout.elements.unsigned_abs() * elem.size() as u64;
                    match wanted.iter_mut().find(|w| w.0 == array.name) {
                        Some(w) => *w = (w.0.clone(), w.1, w.2 || array.written, w.3.max(bytes)),
                        None => wanted.push((array.name.clone(), elem, array.written, bytes)),
                    }
                }
            }
        }
        let list = (wanted.into_iter())
            .filter(|w| w.2 || !written_only)
            .map(|(name, elem, written, bytes)| {
                Ok(DeviceArray {
                    name,
                    elem,
                    written,
                    buffer: bench.device.allocate(bytes)?,
                })
            })
            .collect::<Result<_, GpuError>>()?;
        Ok(Arrays { precision, list })
    }

    /// Bytes of all of them.
    pub fn bytes(&self) -> u64 {
        self.list.iter().map(|a| a.buffer.bytes()).sum()
    }

    fn find(&self, name: &str) -> Option<&DeviceArray> {
        self.list.iter().find(|a| a.name == name)
    }

    /// Device pointers in the order of a kernel's arrays.
    pub(super) fn pointers(&self, interface: &Interface) -> Vec<u64> {
        (interface.arrays.iter())
            .map(|a| self.find(&a.name).map_or(0, |d| d.buffer.pointer()))
            .collect()
    }

    /// Gives every element its initial value, a function of its array's name and its
    /// place. In two and three space dimensions time buffers start alike: pipelined warps are not taken, and
    /// kernels that stream planes advance one step at a time, where they differ outside of the domain.
    ///
    /// # Errors
    /// [`GpuError::Driver`].
    pub fn fill(
        &self,
        bench: &Workbench,
        stencil: &Stencil,
        layouts: &[ArrayLayout],
    ) -> Result<(), GpuError> {
        for (array, layout) in stencil.arrays.iter().zip(layouts) {
            let Some(target) = self.find(&array.name) else {
                continue;
            };
            let (rows, n, pitch) = rows(layout);
            let wide = self.precision == Precision::Double && array.elem == CType::Float;
            let kernel = if wide {
                &bench.helpers()?.fill_wide
            } else {
                &bench.helpers()?.fill[index_of(target.elem)]
            };
            let pointer = target.buffer.pointer().cast_signed();
            let seed = fnv(&array.name).cast_signed();
            let buffers = match stencil.dims.len() {
                3 | 4 => layout
                    .extents
                    .first()
                    .filter(|_| has_time_buffers(stencil, &array.name)),
                _ => None,
            };
            let buffers = buffers.copied().unwrap_or(1).max(1);
            let rows = rows / buffers;
            for buffer in 0..buffers {
                let bytes = buffer * rows * pitch * target.elem.size() as i64;
                bench.help(kernel, &[pointer + bytes, rows, n, pitch, seed])?;
            }
        }
        Ok(())
    }

    /// Number of elements of written arrays that differ in their bits; two NaNs
    /// are equal.
    ///
    /// # Errors
    /// [`GpuError::Driver`].
    pub fn different(
        &self,
        other: &Arrays,
        bench: &Workbench,
        stencil: &Stencil,
        layouts: (&[ArrayLayout], &[ArrayLayout]),
    ) -> Result<u64, GpuError> {
        let mut counter = bench.device.allocate(8)?;
        bench.device.upload(&mut counter, &[0; 8])?;
        for (i, array) in stencil.arrays.iter().enumerate() {
            let (Some(a), Some(b)) = (self.find(&array.name), other.find(&array.name)) else {
                continue;
            };
            let (Some(la), Some(lb)) = (layouts.0.get(i), layouts.1.get(i)) else {
                continue;
            };
            if !a.written {
                continue;
            }
            let (rows, n, pitch) = rows(la);
            bench.help(
                &bench.helpers()?.different[index_of(a.elem)],
                &[
                    a.buffer.pointer().cast_signed(),
                    b.buffer.pointer().cast_signed(),
                    rows,
                    n,
                    pitch,
                    lb.pitch,
                    counter.pointer().cast_signed(),
                ],
            )?;
        }
        let bytes = bench.device.download(&counter, 8)?;
        Ok(integers(&bytes).first().copied().unwrap_or(0))
    }

    /// Error of the `float` arrays written against the same computation in
    /// `double`; `None` without such arrays, or where values overflow.
    ///
    /// # Errors
    /// [`GpuError::Driver`].
    pub fn error(
        &self,
        exact: &Arrays,
        bench: &Workbench,
        stencil: &Stencil,
        layouts: &[ArrayLayout],
    ) -> Result<Option<Accuracy>, GpuError> {
        let mut sums = bench.device.allocate(32)?;
        bench.device.upload(&mut sums, &[0; 32])?;
        let mut any = false;
        for (array, layout) in stencil.arrays.iter().zip(layouts) {
            let (Some(a), Some(b)) = (self.find(&array.name), exact.find(&array.name)) else {
                continue;
            };
            if !a.written || a.elem != CType::Float || b.elem != CType::Double {
                continue;
            }
            any = true;
            let (rows, n, pitch) = rows(layout);
            bench.help(
                &bench.helpers()?.error,
                &[
                    a.buffer.pointer().cast_signed(),
                    b.buffer.pointer().cast_signed(),
                    rows,
                    n,
                    pitch,
                    sums.pointer().cast_signed(),
                ],
            )?;
        }
        let words = integers(&bench.device.download(&sums, 32)?);
        let [squares, norm, largest, n_infinite] = words.as_slice() else {
            return Ok(None);
        };
        let (squares, norm) = (f64::from_bits(*squares), f64::from_bits(*norm));
        Ok((any && *n_infinite == 0 && norm > 0.0).then(|| Accuracy {
            rms: (squares / norm).sqrt(),
            largest: f64::from_bits(*largest),
        }))
    }
}

/// Whether an array's outermost subscript selects one of several time buffers.
fn has_time_buffers(stencil: &Stencil, name: &str) -> bool {
    let array = stencil.arrays.iter().position(|a| a.name == name);
    (stencil.stmts.iter())
        .filter(|stmt| Some(stmt.write.array) == array)
        .any(|stmt| {
            let outermost = stmt.write.subs.first();
            matches!(
                outermost,
                Some(Sub::Time {
                    modulo: Some(_),
                    ..
                })
            )
        })
}

/// Distance of results from those in double precision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Accuracy {
    /// Norm of the error over the norm of the result.
    pub rms: f64,
    /// Largest relative error of an element.
    pub largest: f64,
}

pub(super) fn integers(bytes: &[u8]) -> Vec<u64> {
    (bytes.chunks_exact(8))
        .map(|c| c.iter().rev().fold(0, |v, b| v << 8 | u64::from(*b)))
        .collect()
}

/// Values of the scalars the kernel takes: in (0, 1], or small positive
/// integers.
fn scalar_values(interface: &Interface) -> Vec<f64> {
    (interface.scalars.iter())
        .map(|(name, ty)| {
            let seed = fnv(name) >> 40;
            if ty.is_floating() {
                (seed | 1) as f64 / 16_777_216.0
            } else {
                (1 + seed % 4) as f64
            }
        })
        .collect()
}

/// `struct Args` of a kernel; of a tiled one with layouts, and with the memory that a
/// streamed one needs beside the arrays.
pub fn arguments(
    interface: &Interface,
    precision: Precision,
    params: &[i64],
    arrays: &Arrays,
    layouts: Option<&[ArrayLayout]>,
    workspaces: &[Buffer],
) -> Result<Packed, GpuError> {
    let scalars = scalar_values(interface);
    let pointers = arrays.pointers(interface);
    let bytes = back::pack_arguments(interface, precision, params, &scalars, &pointers, layouts);
    packed(bytes, workspaces)
}

/// `struct Args` with the memory that a streamed kernel needs behind the rest.
pub fn packed(args: Option<Vec<u8>>, workspaces: &[Buffer]) -> Result<Packed, GpuError> {
    let all = args.and_then(|mut bytes| {
        bytes.extend(workspaces.iter().flat_map(|w| w.pointer().to_ne_bytes()));
        Packed::new(&bytes)
    });
    all.ok_or_else(|| too_large("the arguments"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_little_endian() {
        assert_eq!(integers(&[1, 0, 0, 0, 0, 0, 0, 0x80]), [1 | 1 << 63]);
    }
}
