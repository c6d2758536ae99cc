//! Subscripts, as pet describes them, to polynomials.

use super::poly::{Extent, Instances, Poly};
use super::{body_exprs, for_each_access, typedef};
use crate::ctype::CType;
use crate::diag::Result;
use hexcc_isl::{DimType, MultiPwAff, PwAff, Set};
use hexcc_pet::data::{PetExpr, PetScop};

/// Reads subscripts as polynomials.
pub struct PolyReader<'a> {
    /// The statement's.
    pub instances: &'a Instances,
    /// The C file.
    pub text: &'a str,
    /// Sums of parameters that something is multiplied by.
    pub factors: &'a mut Vec<Extent>,
    /// Sizes for which a subscript is not what was read.
    pub wrong: Vec<Set>,
}

impl PolyReader<'_> {
    /// The subscript that pet describes as a function of the instance and of `args`.
    pub fn subscript(&mut self, index: &PwAff, args: &[PetExpr]) -> Result<Option<Poly>> {
        let Some((factors, rest)) = self.without_arguments(index, args.len())? else {
            return Ok(None);
        };
        let Some(mut sum) = Poly::from_function(&rest)? else {
            return Ok(None);
        };
        for (factor, arg) in factors.into_iter().zip(args) {
            let Some(value) = self.value(arg)? else {
                return Ok(None);
            };
            let scaled = value.times_number(factor)?;
            let next = match scaled {
                Some(scaled) => sum.plus(&scaled)?,
                None => None,
            };
            let Some(next) = next else {
                return Ok(None);
            };
            sum = next;
        }
        Ok(Some(sum))
    }

    /// A subscript that no argument has a part in, as a function of the instance.
    pub fn affine(&self, index: &PwAff, n_args: usize) -> Result<Option<PwAff>> {
        let found = self.without_arguments(index, n_args)?;
        Ok(found.and_then(|(factors, rest)| factors.iter().all(|f| *f == 0).then_some(rest)))
    }

    /// A function of the instance and of `n` arguments as the arguments' coefficients and a
    /// function of the instance; `None` where these differ from piece to piece in what they make
    /// of the arguments.
    ///
    /// pet's function is defined where it is not negative only; that is left out here, and assumed
    /// of the rows later.
    fn without_arguments(&self, index: &PwAff, n: usize) -> Result<Option<(Vec<i64>, PwAff)>> {
        let Some(first) = index.dim(DimType::In)?.checked_sub(n) else {
            return Ok(None);
        };
        let (first, zeros) = (first as u32, self.instances.without_arguments(n)?);
        let pieces = index.pieces()?;
        let n_pieces = pieces.len();
        let mut found: Option<(Vec<i64>, PwAff)> = None;
        for (set, mut rest) in pieces {
            let mut factors = Vec::new();
            for k in 0..n as u32 {
                let Some((factor, without)) = rest.take_term(DimType::In, first + k)? else {
                    return Ok(None);
                };
                factors.push(factor);
                rest = without;
            }
            if n > 0 {
                if rest.involves(DimType::In, first, n as u32)? {
                    return Ok(None);
                }
                rest = rest.pullback(&zeros)?;
            }
            if n_pieces > 1 {
                let set = match n {
                    0 => set,
                    _ => set.unwrap_map()?.domain()?,
                };
                rest = rest.intersect_domain(&set)?;
            }
            found = match found {
                None => Some((factors, rest)),
                Some((own, before))
                    if own == factors && before.domain()?.is_disjoint(&rest.domain()?)? =>
                {
                    Some((own, before.union_add(&rest)?))
                }
                Some(_) => return Ok(None),
            };
        }
        Ok(match found {
            Some((factors, rest)) if self.instances.have(&rest)? => Some((factors, rest)),
            _ => None,
        })
    }

    /// The value of an integer expression.
    fn value(&mut self, expr: &PetExpr) -> Result<Option<Poly>> {
        match expr {
            PetExpr::Access {
                array: None,
                index,
                args,
                ..
            } => {
                let wraps = index.contains(" mod ") && args.is_empty();
                let mut value = MultiPwAff::read(self.instances.ctx(), index)?.get(0)?;
                if wraps {
                    // Where no size is that large, a remainder by 2^64 is what is divided.
                    let known = value.to_map()?.intersect_domain(self.instances.all())?;
                    let known = known.coalesce()?.to_pw_affs()?.swap_remove(0);
                    if known.pieces()?.len() == 1 {
                        value = known;
                    }
                }
                match args.is_empty() && !self.instances.have(&value)? {
                    true => Ok(None),
                    false => self.subscript(&value, args),
                }
            }
            PetExpr::Int { value, .. } => Ok(value.parse().ok().map(Poly::number)),
            PetExpr::Cast { ty, arg } => {
                let wide = CType::parse(ty).or_else(|| typedef(self.text, ty));
                match wide {
                    Some(CType::Int(8) | CType::UInt(8)) if wraps_early(arg) => Ok(None),
                    Some(CType::Int(4 | 8) | CType::UInt(4 | 8)) => self.value(arg),
                    _ => Ok(None),
                }
            }
            PetExpr::Op {
                op,
                args,
                type_size,
            } => {
                if type_size.abs() == 64 && args.iter().any(wraps_early) {
                    return Ok(None);
                }
                let mut values = Vec::new();
                for arg in args {
                    match self.value(arg)? {
                        Some(value) => values.push(value),
                        None => return Ok(None),
                    }
                }
                match (op.as_str(), values.as_slice()) {
                    ("add", [a, b]) => a.plus(b),
                    ("sub", [a, b]) => match b.times_number(-1)? {
                        Some(b) => a.plus(&b),
                        None => Ok(None),
                    },
                    ("minus", [a]) => a.times_number(-1),
                    ("mul", [a, b]) => {
                        self.factors
                            .extend([a, b].into_iter().filter_map(Extent::from_poly));
                        a.times(b)
                    }
                    ("mod", [a, b]) => self.remainder(a, b),
                    _ => Ok(None),
                }
            }
            PetExpr::Access { .. } | PetExpr::Call { .. } | PetExpr::Double(_) => Ok(None),
        }
    }
}

/// Times that the divisor of a remainder may go into what is divided, at most.
const MOST_TURNS: i64 = 3;

impl PolyReader<'_> {
    /// The remainder of a division by a size, `(i + 1) % n`, as a function of several pieces: right
    /// where what is divided is not negative, and less than a few times the size.
    fn remainder(&mut self, value: &Poly, size: &Poly) -> Result<Option<Poly>> {
        if !value.is_affine() || !size.is_affine() {
            return Ok(None);
        }
        let instances = self.instances;
        let (value, size) = (value.to_function(instances)?, size.to_function(instances)?);
        let zero = instances.number(0)?;
        let most = size.mul_val(MOST_TURNS)?;
        for other in [
            value.lt_set(&zero)?,
            size.le_set(&zero)?,
            value.ge_set(&most)?,
        ] {
            let sizes = instances.all().intersect(&other)?.params()?;
            if !sizes.is_empty()? {
                self.wrong.push(sizes);
            }
        }
        let mut whole: Option<PwAff> = None;
        for turns in 0..MOST_TURNS {
            let (first, end) = (size.mul_val(turns)?, size.mul_val(turns + 1)?);
            let here = value.ge_set(&first)?.intersect(&value.lt_set(&end)?)?;
            let here = here.intersect(instances.all())?;
            if here.is_empty()? {
                continue;
            }
            let piece = value.sub(&first)?.intersect_domain(&here)?;
            whole = Some(match whole {
                Some(whole) => whole.union_add(&piece)?,
                None => piece,
            });
        }
        match whole {
            Some(whole) => Poly::from_function(&whole),
            None => Ok(None),
        }
    }
}

/// Whether all subscripts that are not affine are sums of products of variables and numbers, so
/// that not they are what keeps a region from being read.
pub fn looks_flat(pet: &PetScop) -> bool {
    let mut is_flat = true;
    for expr in pet.stmts.iter().flat_map(|s| body_exprs(&s.body)) {
        for_each_access(expr, &mut |access| {
            if let PetExpr::Access { args, .. } = access {
                is_flat &= args.iter().all(is_polynomial);
            }
        });
    }
    is_flat
}

fn is_polynomial(expr: &PetExpr) -> bool {
    match expr {
        PetExpr::Int { .. } | PetExpr::Access { array: None, .. } => true,
        PetExpr::Cast { arg, .. } => is_polynomial(arg),
        PetExpr::Op { op, args, .. } => {
            matches!(op.as_str(), "add" | "sub" | "mul" | "minus") && args.iter().all(is_polynomial)
        }
        PetExpr::Access { .. } | PetExpr::Call { .. } | PetExpr::Double(_) => false,
    }
}

/// Whether an expression is a sum or a product of type `unsigned int`, which wraps around before
/// it becomes a number of 64 bits.
fn wraps_early(expr: &PetExpr) -> bool {
    matches!(expr, PetExpr::Op { type_size: 32, .. })
}
