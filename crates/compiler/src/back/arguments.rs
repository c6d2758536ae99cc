//! `struct Args` in the generated text, and its bytes for programs that launch kernels themselves.

use super::expr::ast_to_c;
use super::names::{Names, by_type, values};
use crate::ctype::CType;
use crate::interface::Interface;
use crate::kernel::Stencil;
use crate::kernel::plan::ArrayLayout;
use hexcc_isl::AstExpr;

/// The fields of `Args` for sizes, scalars and arrays; of arrays that are `apart`, by index, a pointer to each plane.
pub(super) fn args_fields(
    stencil: &Stencil,
    names: &Names,
    apart: impl Fn(usize) -> bool,
) -> Vec<String> {
    let mut lines: Vec<String> = (by_type(&values(stencil, names)).iter())
        .map(|(ty, names)| format!("{ty} {};", names.join(", ")))
        .collect();
    for (i, array) in stencil.arrays.iter().enumerate() {
        let all = |extents: &[AstExpr]| -> String {
            (extents.iter())
                .map(|e| format!("[{}]", ast_to_c(e, names)))
                .collect()
        };
        let constant = if array.written { "" } else { "const " };
        let name = names.get(&array.name);
        let (elem, extents) = (array.elem, all(&array.extents));
        lines.push(match array.extents.split_first() {
            Some((_, plane)) if apart(i) => format!(
                "{constant}{elem} *{name}_planes[{}]; // each {}",
                array.parts.len(),
                all(plane)
            ),
            _ => format!("{constant}{elem} *{name}; // {extents}"),
        });
        if array.pitched {
            lines.push(format!(
                "int {name}_pitch; // bytes from row to row of {name}, a multiple of 16"
            ));
        }
    }
    lines
}

/// Types in which baselines compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// The types of the source.
    Source,
    /// `double` wherever the source has `float`.
    Double,
}

impl Precision {
    /// The type that takes the place of a type of the source.
    pub fn of(self, ty: CType) -> CType {
        match (self, ty) {
            (Precision::Double, CType::Float) => CType::Double,
            (_, ty) => ty,
        }
    }
}

/// `struct Args` as bytes: parameters, scalars (rounded to their types) and
/// device pointers, in the order of the kernel's lists. Where layouts are given,
/// a pitched array's pointer is followed by its pitch in bytes, an `int`; the
/// baseline has no pitches there. `None` where a pitch is too large.
pub fn pack_arguments(
    interface: &Interface,
    precision: Precision,
    params: &[i64],
    scalars: &[f64],
    pointers: &[u64],
    layouts: Option<&[ArrayLayout]>,
) -> Option<Vec<u8>> {
    let mut bytes: Vec<u8> = params.iter().flat_map(|p| p.to_ne_bytes()).collect();
    for ((_, ty), &value) in interface.scalars.iter().zip(scalars) {
        let ty = precision.of(*ty);
        align(&mut bytes, ty.size());
        bytes.extend(scalar_bytes(ty, value));
    }
    for (i, (array, pointer)) in interface.arrays.iter().zip(pointers).enumerate() {
        align(&mut bytes, 8);
        bytes.extend(pointer.to_ne_bytes());
        if let Some(layouts) = layouts.filter(|_| array.pitched) {
            let size = i64::try_from(precision.of(array.elem).size()).ok()?;
            let pitch = layouts.get(i)?.pitch.checked_mul(size)?;
            bytes.extend(i32::try_from(pitch).ok()?.to_ne_bytes());
        }
    }
    align(&mut bytes, 8);
    Some(bytes)
}

fn align(bytes: &mut Vec<u8>, to: usize) {
    bytes.resize(bytes.len().next_multiple_of(to.max(1)), 0);
}

/// A number as a value of a C type; integers are truncated.
fn scalar_bytes(ty: CType, value: f64) -> Vec<u8> {
    match ty {
        CType::Float => (value as f32).to_ne_bytes().to_vec(),
        CType::Double => value.to_ne_bytes().to_vec(),
        // Little-endian, as every machine with a CUDA driver is.
        CType::Int(n) | CType::UInt(n) => {
            (value as i64).to_le_bytes()[..usize::from(n.min(8))].to_vec()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars_have_the_bytes_of_their_types() {
        assert_eq!(scalar_bytes(CType::Float, 0.5), 0.5f32.to_ne_bytes());
        assert_eq!(scalar_bytes(CType::Int(2), -2.7), (-2i16).to_le_bytes());
        assert_eq!(scalar_bytes(CType::UInt(1), 3.0), [3]);
        let mut bytes = vec![1];
        align(&mut bytes, 8);
        assert_eq!(bytes.len(), 8);
    }
}
