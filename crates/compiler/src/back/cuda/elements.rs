//! Elements of arrays: where they lie in global and in shared memory.

use super::Cuda;
use crate::back::expr::ast_operand;
use crate::back::text::{add_constant, paren_sum, sum, unwrapped};
use crate::kernel::{KernelAccess, KernelArray, Reuse, SharedBox, SharedDim, Sub};
use std::fmt::Write;

impl Cuda<'_> {
    pub(super) fn extent_name(&self, array: &KernelArray, d: usize) -> String {
        format!("{}_n{d}", self.names.get(&array.name))
    }

    pub(super) fn pitch_name(&self, array: &KernelArray) -> String {
        format!("{}_pitch", self.names.get(&array.name))
    }

    /// The extent of a dimension of an array.
    pub(super) fn extent(&self, array: &KernelArray, d: usize) -> String {
        if d == 0 {
            ast_operand(&array.extents[0], &self.names)
        } else {
            self.extent_name(array, d)
        }
    }

    /// `A[..]` in global memory with the given subscripts.
    fn global_element(&self, array: &KernelArray, subs: &[String]) -> String {
        let name = self.names.get(&array.name);
        let [outer @ .., last] = subs else {
            return name;
        };
        if array.pitched {
            let row = self.linear(array, outer);
            format!(
                "row({name}, {row}, {})[{}]",
                self.pitch_name(array),
                unwrapped(last)
            )
        } else {
            format!("{name}[{}]", unwrapped(last))
        }
    }

    /// The number of the row with the given outer subscripts.
    fn linear(&self, array: &KernelArray, subs: &[String]) -> String {
        let mut index = String::new();
        for (d, sub) in subs.iter().enumerate() {
            index = if d == 0 {
                sub.clone()
            } else {
                let left = paren_sum(index);
                format!("{left} * {} + {sub}", self.extent_name(array, d))
            };
        }
        unwrapped(&index).to_string()
    }

    fn sub_global(&self, sub: &Sub) -> String {
        let plus = |name: &str, c: i64| add_constant(name, c);
        match sub {
            Sub::Time {
                offset,
                modulo: Some(m),
            } => format!("mod({}, {m})", plus(&self.dims[0], *offset)),
            Sub::Time {
                offset,
                modulo: None,
            } => plus(&self.dims[0], *offset),
            Sub::Const(c) => c.to_string(),
            Sub::Space { dim, offset } => plus(self.dim(*dim), *offset),
            Sub::General { expr, .. } => ast_operand(expr, &self.names),
        }
    }

    pub(super) fn access(&self, access: &KernelAccess) -> String {
        let array = &self.ir.stencil.arrays[access.array];
        let Some(shared) = &array.shared else {
            let subs: Vec<String> = access
                .subs
                .iter()
                .map(|s| paren_sum(self.sub_global(s)))
                .collect();
            return self.global_element(array, &subs);
        };
        let mut text = format!("s_{}", self.names.get(&array.name));
        let ring = self.ring(array, shared);
        for (d, (dim, sub)) in shared.dims.iter().zip(&access.subs).enumerate() {
            let mut index = match (dim, sub) {
                (SharedDim::Time { lo, .. }, Sub::Time { offset, modulo }) => {
                    let q = add_constant("t_in", offset - lo);
                    match modulo {
                        Some(m) => format!("{} % {m}", paren_sum(q)),
                        None => q,
                    }
                }
                (SharedDim::Plane { lo, .. }, Sub::Const(c)) => (c - lo).to_string(),
                (SharedDim::Space { lo, .. }, Sub::Space { dim, offset }) => {
                    add_constant(&self.relative(*dim), offset - lo)
                }
                (SharedDim::Space { dim, lo, .. }, Sub::General { expr, .. }) => {
                    let rel = format!("{} - {}", ast_operand(expr, &self.names), self.origin(*dim));
                    add_constant(&format!("(int)({rel})"), -lo)
                }
                // The kernel's contract excludes every other pair.
                _ => "0".to_string(),
            };
            if let Some((at, first)) = &ring
                && *at == d
            {
                index = format!("wrap<{}>({index} + {first})", dim.size());
            }
            let _ = write!(text, "[{index}]");
        }
        text
    }

    /// With static reuse the dimension of the box along the chain, where element
    /// 0 of the box lies anywhere and the others follow modulo the size, and the
    /// name of element 0's place.
    pub(super) fn ring(&self, array: &KernelArray, shared: &SharedBox) -> Option<(usize, String)> {
        let chain = (self.ir.chain).filter(|_| self.ir.switches.reuse == Reuse::Static)?;
        let along = |d: &SharedDim| matches!(d, SharedDim::Space { dim, .. } if *dim == chain);
        let at = shared.dims.iter().position(along)?;
        Some((at, format!("{}_ring", self.names.get(&array.name))))
    }

    pub(super) fn shared_pointers(&mut self) {
        let ir = self.ir;
        if ir.shared_bytes == 0 {
            return;
        }
        self.out
            .line("extern __shared__ __align__(16) unsigned char shared_memory[];");
        for array in &ir.stencil.arrays {
            let Some(shared) = &array.shared else {
                continue;
            };
            let name = self.names.get(&array.name);
            let n = shared.dims.len();
            let mut inner = String::new();
            for (d, dim) in shared.dims.iter().enumerate().skip(1) {
                let size = if d == n - 1 {
                    shared.row_stride
                } else {
                    dim.size()
                };
                let _ = write!(inner, "[{size}]");
            }
            let elem = array.elem;
            let (ty, declarator) = if n == 1 {
                (format!("{elem} *"), format!("{elem} *const s_{name}"))
            } else {
                (
                    format!("{elem} (*){inner}"),
                    format!("{elem} (*const s_{name}){inner}"),
                )
            };
            let base = if shared.byte_offset == 0 {
                "shared_memory".to_string()
            } else {
                format!("shared_memory + {}", shared.byte_offset)
            };
            self.out
                .line(format!("{declarator} = reinterpret_cast<{ty}>({base});"));
        }
    }

    /// For every array in shared memory a function that gives the address of an
    /// element in global memory relative to the tile's origin. The hexagonal
    /// dimension comes last, so that a thread's points of a row share the rest.
    pub(super) fn element_functions(&mut self) {
        let ir = self.ir;
        let mut modulos = Vec::new();
        for array in &ir.stencil.arrays {
            let Some(shared) = &array.shared else {
                continue;
            };
            for dim in &shared.dims {
                if let SharedDim::Time {
                    modulo: Some(m), ..
                } = dim
                    && !modulos.contains(m)
                {
                    modulos.push(*m);
                }
            }
        }
        for m in modulos {
            let t0 = &self.origins[0];
            self.out
                .line(format!("const int {t0}_mod{m} = (int)mod({t0}, {m});"));
        }
        for array in &ir.stencil.arrays {
            if let Some(shared) = &array.shared {
                self.element_function(array, shared);
            }
        }
    }

    fn element_function(&mut self, array: &KernelArray, shared: &SharedBox) {
        let name = self.names.get(&array.name);
        let n = shared.dims.len();
        let (mut origin, mut params) = (Vec::new(), Vec::new());
        for (d, dim) in shared.dims.iter().enumerate() {
            let (at, param) = match dim {
                SharedDim::Time { modulo, .. } => (
                    modulo.map_or(self.origins[0].clone(), |_| "0".to_string()),
                    format!("{}_r", self.dims[0]),
                ),
                SharedDim::Plane { .. } => ("0".to_string(), format!("x{d}")),
                SharedDim::Space { dim, .. } => {
                    (self.origin(*dim).to_string(), self.relative(*dim))
                }
            };
            origin.push(at);
            params.push(param);
        }
        if let Some((at, ring)) = self.ring(array, shared)
            && let SharedDim::Space { dim, size, .. } = shared.dims[at]
        {
            self.out.line(format!(
                "const int {ring} = Full ? (int)mod({}, {size}) : 0; // a place of its own for every {} in this dimension of s_{name}",
                self.origin(dim),
                self.dim(dim)
            ));
        }
        let elem = array.elem;
        let constant = if array.written { "" } else { "const " };
        self.out.line(format!(
            "{constant}{elem} *const {name}_0 = &{}; // the tile's origin",
            self.global_element(array, &origin)
        ));
        // Bytes from element to element along every dimension but the last.
        let mut steps = Vec::new();
        for d in 0..n.saturating_sub(1) {
            let inner: Vec<String> = (d + 1..n - 1)
                .map(|d| self.extent_name(array, d))
                .chain([self.pitch_name(array)])
                .collect();
            steps.push(if inner.len() == 1 {
                self.pitch_name(array)
            } else {
                let step = format!("{name}_step{d}");
                self.out
                    .line(format!("const long long {step} = {};", inner.join(" * ")));
                step
            });
        }
        let hex =
            |dim: &SharedDim| matches!(dim, SharedDim::Space { dim, .. } if *dim == self.hex_dim());
        let order: Vec<usize> = (0..n)
            .filter(|&d| !hex(&shared.dims[d]))
            .chain((0..n).filter(|&d| hex(&shared.dims[d])))
            .collect();
        let mut text = format!("{name}_0");
        for d in order {
            text = if d + 1 == n {
                format!("{text} + {}", params[d])
            } else {
                format!("row({text}, {}, {})", params[d], steps[d])
            };
        }
        let typed: Vec<String> = params.iter().map(|p| format!("int {p}")).collect();
        self.out.line(format!(
            "const auto {name}_at = [=]({}) {{ return {text}; }};",
            typed.join(", ")
        ));
    }

    /// The time subscript of an element relative to the tile, for the function
    /// of its array: the buffer's number where there are several.
    pub(super) fn relative_time(&self, relative: &str, modulo: Option<i64>) -> String {
        match modulo {
            Some(m) => {
                let t0 = &self.origins[0];
                format!(
                    "({} % {m})",
                    paren_sum(sum(&[&format!("{t0}_mod{m}"), relative]))
                )
            }
            None => relative.to_string(),
        }
    }

    /// The address in global memory of the element that an instance writes; the
    /// array has a box in shared memory.
    pub(super) fn store_address(&self, array: &KernelArray, access: &KernelAccess) -> String {
        let relative: Option<Vec<String>> = (access.subs.iter())
            .map(|sub| match sub {
                Sub::Time { offset, modulo } => {
                    Some(self.relative_time(&add_constant("t_in", *offset), *modulo))
                }
                Sub::Const(c) => Some(c.to_string()),
                Sub::Space { dim, offset } => Some(add_constant(&self.relative(*dim), *offset)),
                Sub::General { .. } => None,
            })
            .collect();
        match relative {
            Some(subs) => format!("{}_at({})", self.names.get(&array.name), subs.join(", ")),
            None => {
                let subs: Vec<String> = (access.subs.iter())
                    .map(|s| paren_sum(self.sub_global(s)))
                    .collect();
                format!("(&{})", self.global_element(array, &subs))
            }
        }
    }
}
