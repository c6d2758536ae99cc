//! The launches of a kernel as data, for programs that run it without the
//! generated host code. Mirrors `launch` in the generated text.

use super::KernelIr;
use crate::sched::Phase;
use hexcc_isl::{AstExpr, AstOp};

/// One kernel launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Blocks.
    pub grid: u64,
    /// Threads along x and y.
    pub block: [u32; 2],
    /// Dynamic shared memory, bytes.
    pub shared_bytes: u32,
    /// The fields of `Wave`, in order.
    pub wave: Vec<i64>,
}

/// How an array lies in device memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrayLayout {
    /// Number of elements per dimension.
    pub extents: Vec<i64>,
    /// Distance of innermost rows, in elements.
    pub pitch: i64,
    /// Elements to allocate.
    pub elements: i64,
}

/// The value of an expression, with C's truth values; `None` where a name has no
/// value, a divisor is zero, or a number does not fit.
pub fn eval(expr: &AstExpr, value_of: &dyn Fn(&str) -> Option<i64>) -> Option<i64> {
    let (op, args) = match expr {
        AstExpr::Int(v) => return Some(*v),
        AstExpr::Id(name) => return value_of(name),
        AstExpr::Op(op, args) => (*op, args.as_slice()),
    };
    let value = |i: usize| args.get(i).and_then(|a| eval(a, value_of));
    let fold = |f: &dyn Fn(i64, i64) -> Option<i64>| {
        let mut rest = args.iter();
        let first = eval(rest.next()?, value_of)?;
        rest.try_fold(first, |acc, a| f(acc, eval(a, value_of)?))
    };
    let compare = |f: &dyn Fn(i64, i64) -> bool| Some(i64::from(f(value(0)?, value(1)?)));
    match op {
        AstOp::And | AstOp::AndThen => {
            let all = args
                .iter()
                .try_fold(true, |acc, a| Some(acc && eval(a, value_of)? != 0))?;
            Some(i64::from(all))
        }
        AstOp::Or | AstOp::OrElse => {
            let any = args
                .iter()
                .try_fold(false, |acc, a| Some(acc || eval(a, value_of)? != 0))?;
            Some(i64::from(any))
        }
        AstOp::Max => fold(&|a, b| Some(a.max(b))),
        AstOp::Min => fold(&|a, b| Some(a.min(b))),
        AstOp::Minus => value(0)?.checked_neg(),
        AstOp::Add => fold(&i64::checked_add),
        AstOp::Sub => fold(&i64::checked_sub),
        AstOp::Mul => fold(&i64::checked_mul),
        AstOp::Div | AstOp::PdivQ => value(0)?.checked_div(value(1)?),
        AstOp::FdivQ => value(0)?.checked_div_euclid(value(1)?),
        AstOp::PdivR | AstOp::ZdivR => value(0)?.checked_rem(value(1)?),
        AstOp::Cond | AstOp::Select => value(if value(0)? != 0 { 1 } else { 2 }),
        AstOp::Eq => compare(&|a, b| a == b),
        AstOp::Le => compare(&|a, b| a <= b),
        AstOp::Lt => compare(&|a, b| a < b),
        AstOp::Ge => compare(&|a, b| a >= b),
        AstOp::Gt => compare(&|a, b| a > b),
        AstOp::Call | AstOp::Access | AstOp::Member | AstOp::AddressOf => None,
    }
}

/// The launches for given parameters, in the order of [`KernelIr::params`].
/// `None` where a number does not fit.
pub fn launches(ir: &KernelIr, params: &[i64]) -> Option<Vec<Launch>> {
    let value_of = |name: &str| value_of(ir, params, name);
    if eval(&ir.nonempty, &value_of)? == 0 {
        return Some(Vec::new());
    }
    let s = &ir.schedule;
    let (hex, rows, k) = (&s.hexagon, s.hexagon.height(), s.k);
    let mut ranges = Vec::new();
    for range in &ir.ranges {
        ranges.push((eval(&range.lo, &value_of)?, eval(&range.hi, &value_of)?));
    }
    let (t_lo, t_hi) = *ranges.first()?;
    let (u_lo, u_hi) = (
        k.checked_mul(t_lo)?,
        k.checked_mul(t_hi)?.checked_add(k - 1)?,
    );
    let (s_lo, s_hi) = *ranges.get(s.hex_dim + 1)?;
    let all = ir.rows.iter().map(|r| r.points[s.hex_dim]);
    let b = all.fold(super::Interval::EMPTY, super::Interval::hull);
    let mut classical = Vec::new();
    for c in &s.classical {
        let (lo, hi) = *ranges.get(c.dim + 1)?;
        classical.push(lo.div_euclid(c.w) * c.w);
        classical.push(hi + c.skew(rows - 1));
    }
    let mut launches = Vec::new();
    for time_tile in u_lo.div_euclid(rows)..=(u_hi + hex.h + 1).div_euclid(rows) {
        for phase in s.phase_order {
            let (time_shift, shift) = match phase {
                Phase::Zero => (hex.h + 1, hex.phase0_shift),
                Phase::One => (0, 0),
            };
            let u0 = time_tile * rows - time_shift;
            if u0 > u_hi || u0 + rows <= u_lo {
                continue;
            }
            let origin = -time_tile * hex.drift() - shift;
            let first = (s_lo - b.hi - origin + hex.width() - 1).div_euclid(hex.width());
            let last = (s_hi - b.lo - origin).div_euclid(hex.width());
            if first > last {
                continue;
            }
            let n_tiles = last - first + 1;
            let a_first = (u_lo - u0).max(0);
            let a_end = rows.min(u_hi + 1 - u0);
            // `a_first` and `a_end` are two `int`s.
            let mut wave = vec![u0.div_euclid(k), a_first | a_end << 32];
            wave.extend([origin + first * hex.width(), n_tiles]);
            wave.extend(&classical);
            launches.push(Launch {
                grid: n_tiles.min(1 << 30).unsigned_abs(),
                block: ir.block.map(|n| u32::try_from(n).unwrap_or(0)),
                shared_bytes: u32::try_from(ir.shared_bytes).ok()?,
                wave,
            });
        }
    }
    Some(launches)
}

/// The layout of every array, in the order of [`KernelIr::arrays`].
/// `None` where a number does not fit.
pub fn allocation(ir: &KernelIr, params: &[i64]) -> Option<Vec<ArrayLayout>> {
    let value_of = |name: &str| value_of(ir, params, name);
    let layout = |array: &super::KernelArray| {
        let extents: Vec<i64> = (array.extents.iter())
            .map(|e| eval(e, &value_of))
            .collect::<Option<_>>()?;
        let elements = extents.iter().try_fold(1i64, |n, &e| n.checked_mul(e))?;
        Some(ArrayLayout {
            pitch: *extents.last()?,
            extents,
            elements,
        })
    };
    ir.arrays.iter().map(layout).collect()
}

fn value_of(ir: &KernelIr, params: &[i64], name: &str) -> Option<i64> {
    let at = ir.params.iter().position(|p| p == name)?;
    params.get(at).copied()
}
