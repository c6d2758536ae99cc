//! Copies between global and shared memory.

use super::Cuda;
use crate::back::text::{add_constant, paren_sum};
use crate::kernel::{CopyBox, Interval, KernelArray, Reuse, SharedBox, SharedDim};

/// What a copy of a box of elements does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Copy {
    /// To shared memory.
    Box,
    /// To shared memory, as far as the elements lie inside the array.
    Inside,
    /// From shared memory.
    Out,
}

impl Cuda<'_> {
    pub(super) fn copy_in(&mut self) {
        let ir = self.ir;
        let shared: Vec<(&KernelArray, &SharedBox)> = (ir.stencil.arrays.iter())
            .filter_map(|a| a.shared.as_ref().map(|s| (a, s)))
            .collect();
        if shared.is_empty() {
            return;
        }
        self.out.line("");
        if ir.switches.reuse == Reuse::Dynamic {
            self.out.line(
                "// Inter-tile reuse: the columns shared with the tile before move into place.",
            );
            self.out.open("if (Full && reuse) {");
            for (array, shared) in &shared {
                self.move_columns(array, shared);
            }
            self.out.line("__syncthreads();");
            self.out.close("}");
        }
        // Strided statements may leave the ends of a box without an access, so
        // that they can lie outside the array.
        let some_full = ir.full.is_some() && ir.stencil.stmts.iter().all(|s| s.lattice.is_none());
        for (array, shared) in &shared {
            self.out
                .line(format!("// Copy-in of {}.", self.names.get(&array.name)));
            if some_full {
                let mut keyword = "if";
                if ir.reuses() {
                    self.out.open("if (Full && reuse) {");
                    self.copy_boxes(array, shared, &shared.copy_next);
                    self.out.depth -= 1;
                    keyword = "} else if";
                }
                self.out.open(format!("{keyword} (Full) {{"));
                self.copy_boxes(array, shared, &shared.copy_in);
                self.out.depth -= 1;
                self.out.open("} else {");
            }
            self.copy_checked(array, shared);
            if some_full {
                self.out.close("}");
            }
        }
        let asynchronous = |(array, shared): &(&KernelArray, &SharedBox)| {
            copies_asynchronously(array) || shared.vector * array.elem.size() as i64 >= 4
        };
        if shared.iter().any(asynchronous) {
            self.out.line("__pipeline_commit();");
            self.out.line("__pipeline_wait_prior(0);");
        }
        self.out.line("__syncthreads();");
    }

    /// Copies what a full tile has written to global memory.
    pub(super) fn copy_out(&mut self) {
        let ir = self.ir;
        let copies: Vec<_> = (ir.stencil.arrays.iter())
            .filter_map(|a| Some((a, a.shared.as_ref()?, a.shared.as_ref()?.copy_out.as_ref()?)))
            .collect();
        if copies.is_empty() || ir.full.is_none() {
            return;
        }
        self.out.line("");
        self.out
            .line("// Copy-out; the next tile overwrites shared memory.");
        self.out.open("if (Full) {");
        for (array, shared, boxes) in copies {
            for b in boxes {
                self.copy_one(array, shared, b, Copy::Out);
            }
        }
        self.out.line("__syncthreads();");
        self.out.close("}");
    }

    /// Moves the columns that the tile before has in common with this one.
    fn move_columns(&mut self, array: &KernelArray, shared: &SharedBox) {
        let Some((c, at)) = self.ir.chain.and_then(|chain| {
            let width = self.ir.schedule.classical_dim(chain)?;
            Some((width, shared.space_position(chain)?))
        }) else {
            return;
        };
        // What lies further in than the chain's dimension is contiguous.
        let sizes = shared.space_sizes();
        let inner: i64 = sizes[at + 1..].iter().product();
        let outer: i64 = sizes[..at].iter().product::<i64>() * shared.n_slices;
        let elem = array.elem.size() as i64;
        let kept = (sizes[at] - c.w) * inner * elem;
        if kept <= 0 {
            return;
        }
        self.out.line(format!(
            "move_rows<{outer}, {kept}, {}, {}>(s_{}, thread);",
            sizes[at] * inner * elem,
            shared.vector * elem,
            self.names.get(&array.name),
        ));
    }

    /// The copies of a full tile, each a box of elements.
    fn copy_boxes(&mut self, array: &KernelArray, shared: &SharedBox, boxes: &[CopyBox]) {
        for b in boxes {
            self.copy_one(array, shared, b, Copy::Box);
        }
    }

    /// The copies of a partial tile: the whole box, as far as it lies inside the
    /// array.
    fn copy_checked(&mut self, array: &KernelArray, shared: &SharedBox) {
        for slice in 0..shared.n_slices {
            let elements = (shared.space_sizes().iter())
                .map(|size| Interval {
                    lo: 0,
                    hi: size - 1,
                })
                .collect();
            self.copy_one(array, shared, &CopyBox { slice, elements }, Copy::Inside);
        }
    }

    fn copy_one(&mut self, array: &KernelArray, shared: &SharedBox, b: &CopyBox, kind: Copy) {
        let name = self.names.get(&array.name);
        let sizes = shared.space_sizes();
        let n_slice_dims = shared.dims.len() - sizes.len();
        let elem = array.elem.size() as i64;
        let mut slice = b.slice;
        let mut slice_index = Vec::new();
        for dim in shared.dims[..n_slice_dims].iter().rev() {
            slice_index.insert(0, slice % dim.size());
            slice /= dim.size();
        }
        let (mut global, mut local, mut conditions) = (Vec::new(), Vec::new(), Vec::new());
        for (d, (dim, q)) in shared.dims.iter().zip(&slice_index).enumerate() {
            global.push(match dim {
                SharedDim::Time { modulo, lo, .. } => {
                    self.relative_time(&(q + lo).to_string(), *modulo)
                }
                SharedDim::Plane { lo, .. } => (q + lo).to_string(),
                SharedDim::Space { .. } => continue,
            });
            local.push(q.to_string());
            if let SharedDim::Time {
                modulo: None, lo, ..
            } = dim
            {
                let t = add_constant(&self.origins[0], q + lo);
                conditions.push(format!("{t} >= 0 && {t} < {}", self.extent(array, d)));
            }
        }
        // Partial tiles start at the beginning of the ring.
        let ring = self.ring(array, shared).filter(|_| kind != Copy::Inside);
        // At most three dimensions at a time; outer ones one by one.
        let n_outer = sizes.len().saturating_sub(3);
        // The first element of the box per space dimension: its coordinate and
        // the array's extent, for copies that are checked.
        let mut ranges = Vec::new();
        for (e, (dim, elements)) in shared.dims[n_slice_dims..]
            .iter()
            .zip(&b.elements)
            .enumerate()
        {
            let SharedDim::Space { dim, lo, .. } = dim else {
                continue;
            };
            global.push((lo + elements.lo).to_string());
            let at_ring = ring.as_ref().is_some_and(|(at, _)| *at == n_slice_dims + e);
            local.push(if at_ring && e >= n_outer {
                "0".to_string()
            } else {
                elements.lo.to_string()
            });
            ranges.push((
                add_constant(self.origin(*dim), lo + elements.lo),
                self.extent(array, n_slice_dims + e),
            ));
        }
        let mut depth = 0;
        for (e, range) in ranges.iter().enumerate().take(n_outer) {
            let n = b.elements[e].len();
            self.out
                .open(format!("for (int o{e} = 0; o{e} < {n}; ++o{e}) {{"));
            depth += 1;
            let d = n_slice_dims + e;
            global[d] = format!("{} + o{e}", global[d]);
            local[d] = format!("{} + o{e}", local[d]);
            if let Some((at, first)) = &ring
                && *at == d
            {
                local[d] = format!("wrap<{}>({} + {first})", sizes[e], local[d]);
            }
            conditions.push(format!(
                "{0} + o{e} >= 0 && {0} + o{e} < {1}",
                range.0, range.1
            ));
        }
        let inner: Vec<i64> = b.elements[n_outer..].iter().map(|e| e.len()).collect();
        let (n_i, n_j, n_k) = match *inner {
            [i, j, k] => (i, j, k),
            [i, k] => (i, 1, k),
            [k] => (1, 1, k),
            _ => return,
        };
        let row = shared.row_stride * elem;
        let pitch = self.pitch_name(array);
        let (to_i, to_j, from_i, from_j) = match inner.len() {
            1 => (0, 0, "0".to_string(), "0".to_string()),
            2 => (row, 0, pitch, "0".to_string()),
            _ => {
                let step = array.extents.len() - 3;
                (
                    row * sizes[sizes.len() - 2],
                    row,
                    format!("{name}_step{step}"),
                    pitch,
                )
            }
        };
        // The ring among the copy's three dimensions, its size and first element.
        let ring = (ring.as_ref()).and_then(|(at, first)| {
            let e = at.checked_sub(n_slice_dims + n_outer)?;
            let innermost = e + 1 == inner.len();
            let lo = b.elements[n_outer + e].lo;
            let first = add_constant(first, lo);
            Some(if innermost && elem > 1 {
                let first = format!("{} * {elem}", paren_sum(first));
                (2, sizes[n_outer + e] * elem, first)
            } else {
                (if innermost { 2 } else { e }, sizes[n_outer + e], first)
            })
        });
        let local: String = local.iter().map(|i| format!("[{i}]")).collect();
        let source = format!("{name}_at({})", global.join(", "));
        let shape = format!("{n_i}, {n_j}, {}, {}", n_k * elem, shared.vector * elem);
        if kind == Copy::Out {
            // The widest copies that the ends of the box allow.
            let last = b.elements[b.elements.len() - 1];
            let mut vector = shared.vector;
            while last.lo % vector != 0 || last.len() % vector != 0 {
                vector /= 2;
            }
            let shape = format!(
                "{n_i}, {n_j}, {}, {}, {to_i}, {to_j}",
                n_k * elem,
                vector * elem
            );
            self.out.line(match ring {
                None => format!("copy_out<{shape}>({source}, {from_i}, {from_j}, &s_{name}{local}, thread);"),
                Some((axis, size, first)) => format!("copy_out_ring<{shape}, {axis}, {size}>({source}, {from_i}, {from_j}, &s_{name}{local}, {first}, thread);"),
            });
        } else if kind == Copy::Inside {
            if !conditions.is_empty() {
                self.out.open(format!("if ({})", conditions.join(" && ")));
            }
            let bytes = |range: &(String, String)| {
                if elem == 1 {
                    format!("{}, {}", range.0, range.1)
                } else {
                    format!(
                        "{} * {elem}, {} * {elem}",
                        paren_sum(range.0.clone()),
                        range.1
                    )
                }
            };
            let plain = |range: &(String, String)| format!("{}, {}", range.0, range.1);
            let always = "0, 1".to_string();
            let inner = &ranges[n_outer..];
            let checks = match inner {
                [i, j, k] => [plain(i), plain(j), bytes(k)],
                [i, k] => [plain(i), always, bytes(k)],
                [k] => [always.clone(), always, bytes(k)],
                _ => return,
            };
            self.out.line(format!(
                "copy_inside<{shape}>(&s_{name}{local}, {to_i}, {to_j}, {source}, {from_i}, {from_j}, {}, thread);",
                checks.join(", ")
            ));
            if !conditions.is_empty() {
                self.out.depth -= 1;
            }
        } else if let Some((axis, size, first)) = ring {
            self.out.line(format!(
                "copy_ring<{shape}, {to_i}, {to_j}, {axis}, {size}>(&s_{name}{local}, {first}, {source}, {from_i}, {from_j}, thread);"
            ));
        } else {
            self.out
                .line(format!("copy_box<{shape}, {to_i}, {to_j}>(&s_{name}{local}, {source}, {from_i}, {from_j}, thread);"));
        }
        for _ in 0..depth {
            self.out.close("}");
        }
    }
}

/// Asynchronous copies overlap their latencies; they exist for 4 and 8 bytes
/// (and 16, which needs alignment).
fn copies_asynchronously(array: &KernelArray) -> bool {
    matches!(array.elem.size(), 4 | 8)
}
