//! Calls of functions of cells in what pet has read: a function reads numbers, and arrays anywhere.

use super::{Access, BodyReader, Expr, PetExpr, PetScop};
use crate::ctype::CType;
use crate::diag::{Diagnostic, Result};
use hexcc_isl::{DimType, MultiPwAff, Set};
use hexcc_pet::data::Cell;

/// The sizes for which the functions of a region may read arrays: those that the program knows.
///
/// # Errors
/// HX0401 where isl gives up.
pub(super) fn known_sizes(pet: &PetScop, sizes: &Set) -> Result<Set> {
    let mut sizes = sizes.clone();
    for array in pet.cells.iter().flat_map(|cell| &cell.unsized_arrays) {
        let known = format!("[{0}] -> {{ : {0} >= 1 }}", array.size);
        sizes = sizes.intersect(&Set::read(sizes.ctx(), &known)?)?;
    }
    Ok(sizes)
}

impl BodyReader<'_> {
    pub(super) fn cell(&self, name: &str) -> Option<&Cell> {
        self.reader.pet.cells.iter().find(|cell| cell.name == name)
    }

    /// The call of the function of a cell, whose last arguments are the sizes of arrays.
    pub(super) fn cell_call(&mut self, name: &str, args: &[PetExpr]) -> Result<Expr> {
        let bug = || {
            Box::new(Diagnostic::bug(format!(
                "a call of `{name}` that does not fit it"
            )))
        };
        let cell = self.cell(name).cloned().ok_or_else(bug)?;
        let own = args
            .len()
            .checked_sub(cell.unsized_arrays.len())
            .ok_or_else(bug)?;
        let mut given = Vec::new();
        for (arg, param) in args[..own].iter().zip(&cell.params) {
            if let PetExpr::Access {
                array: None, index, ..
            } = arg
            {
                let value = MultiPwAff::read(&self.reader.ctx, index)?.get(0)?;
                let ty = param.rsplit_once(' ').and_then(|(ty, _)| CType::parse(ty));
                given.push(Expr::Affine {
                    value,
                    ty: ty.ok_or_else(bug)?,
                });
                continue;
            }
            let whole = match arg {
                PetExpr::Access {
                    array: Some(array),
                    index,
                    ..
                } => self.whole(&cell, array, index)?,
                _ => None,
            };
            given.push(match whole {
                Some(access) => {
                    let ty = self.arrays[access.array.index()].elem;
                    self.reads.push(access);
                    Expr::Read(self.reads.len() - 1, ty)
                }
                None => self.expr(arg)?,
            });
        }
        Ok(Expr::Cell {
            name: cell.name,
            ty: CType::parse(&cell.result).ok_or_else(bug)?,
            args: given,
        })
    }

    /// The read of an array as a whole; `None` for that of an element or a variable.
    fn whole(&mut self, cell: &Cell, name: &str, index: &str) -> Result<Option<Access>> {
        let reader = self.reader;
        let declared = reader.pet.arrays.iter().find(|a| a.name == name);
        let Some(declared) = declared else {
            return Ok(None);
        };
        let mut elements = Set::read(&reader.ctx, &declared.extent)?;
        let rank = elements.dim(DimType::Set)?;
        let given = MultiPwAff::read(&reader.ctx, index)?
            .to_map()?
            .dim(DimType::Out)?;
        if rank == 0 || given > 0 {
            return Ok(None);
        }
        if declared.pointers > 0 || declared.element_is_record {
            return Err(self.unsupported("an array of structs or in rows, given to a function,"));
        }
        if let Some(array) = cell.unsized_arrays.iter().find(|u| u.array == name) {
            let dims: Vec<String> = (0..rank).map(|d| format!("i{d}")).collect();
            let (size, dims) = (&array.size, dims.join(", "));
            let within = format!("[{size}] -> {{ {name}[{dims}] : 0 <= i0 < {size} }}");
            elements = elements.intersect(&Set::read(&reader.ctx, &within)?)?;
        }
        let array = *(self.ids.get(name))
            .ok_or_else(|| Box::new(Diagnostic::bug(format!("unknown array {name}"))))?;
        Ok(Some(Access {
            array,
            map: self.domain.to_all_of(&elements)?,
            nth: 0,
            stmt: self.span.clone(),
            whole: true,
        }))
    }
}
