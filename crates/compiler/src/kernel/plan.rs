//! The launches of a kernel as data, for programs that run it without the
//! generated host code. Mirrors `launch` in the generated text.

use super::{Interval, KernelArray, KernelIr, Stencil};
use crate::interface::Interface;
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

/// First and last value of `t` and of every space coordinate for given
/// parameters; empty where there is nothing to do, `None` where a number does not
/// fit.
pub fn ranges(stencil: &Stencil, params: &[i64]) -> Option<Vec<(i64, i64)>> {
    let value_of = |name: &str| value_of(stencil, params, name);
    if !has_work(stencil, params)? {
        return Some(Vec::new());
    }
    (stencil.ranges.iter())
        .map(|range| Some((eval(&range.lo, &value_of)?, eval(&range.hi, &value_of)?)))
        .collect()
}

/// The launches for given parameters, in the order of [`Interface::params`](crate::interface::Interface::params).
/// `None` where a number does not fit.
pub fn launches(ir: &KernelIr, params: &[i64]) -> Option<Vec<Launch>> {
    let s = &ir.schedule;
    let (hex, k) = (&s.hexagon, s.k);
    let ranges = ranges(&ir.stencil, params)?;
    let Some(&(t_lo, t_hi)) = ranges.first() else {
        return Some(Vec::new());
    };
    let u_lo = k.checked_mul(t_lo)?;
    let u_hi = k.checked_mul(t_hi)?.checked_add(k - 1)?;
    let (s_lo, s_hi) = *ranges.get(s.hex_dim + 1)?;
    let b = (ir.rows.iter())
        .map(|r| r.points[s.hex_dim])
        .fold(Interval::EMPTY, Interval::hull);
    let n_hexagons = (s_hi - s_lo + b.hi - b.lo) / hex.width() + 1;
    let mut tiles = Vec::new();
    for c in &s.classical {
        let (lo, hi) = *ranges.get(c.dim + 1)?;
        let last = hi + c.skew(hex.height() - 1);
        tiles.push((c.dim, lo.div_euclid(c.w), last.div_euclid(c.w)));
    }
    let launch = |index: i64, p_first: i64, n_phases: i64| {
        let n_blocks = n_phases.checked_mul(n_hexagons)?;
        let mut wave = vec![index, p_first, n_blocks, n_hexagons, u_lo, u_hi, s_lo, s_hi];
        wave.extend(tiles.iter().flat_map(|&(_, first, last)| [first, last]));
        let [x, y] = ir.block.shape();
        Some(Launch {
            grid: n_blocks.min(1 << 30).unsigned_abs(),
            block: [u32::try_from(x).ok()?, u32::try_from(y).ok()?],
            shared_bytes: u32::try_from(ir.shared_bytes).ok()?,
            wave,
        })
    };
    let p_lo = u_lo.div_euclid(hex.h + 1);
    let p_hi = u_hi.div_euclid(hex.h + 1) + 1;
    let Some(wavefront) = s.wavefront else {
        return (p_lo..=p_hi).map(|p| launch(0, p, 1)).collect();
    };
    let lag = wavefront.lag;
    let (_, first, last) = *tiles.iter().find(|t| t.0 == wavefront.dim)?;
    let mut all = Vec::new();
    for index in lag * p_lo + first..=lag * p_hi + last {
        let p_first = p_lo.max(-(last - index).div_euclid(lag));
        let p_last = p_hi.min((index - first).div_euclid(lag));
        if p_first <= p_last {
            all.push(launch(index, p_first, p_last - p_first + 1)?);
        }
    }
    Some(all)
}

/// Rows of pitched arrays start at multiples of so many bytes.
pub const PITCH_BYTES: i64 = 128;

/// The layout of every array, in the order of [`Interface::arrays`](crate::interface::Interface::arrays).
/// `None` where a number does not fit, or is negative.
pub fn layouts(interface: &Interface, params: &[i64]) -> Option<Vec<ArrayLayout>> {
    let value_of = |name: &str| value_of(interface, params, name);
    let layout = |(array, planes): (&KernelArray, &Option<i64>)| {
        let mut extents: Vec<i64> = (array.extents.iter())
            .map(|e| eval(e, &value_of).filter(|&n| n >= 0))
            .collect::<Option<_>>()?;
        if let (Some(n), Some(outer)) = (planes, extents.first_mut()) {
            *outer = (*outer).max(*n);
        }
        let (width, rows) = extents.split_last()?;
        let size = i64::try_from(array.elem.size()).ok()?;
        let pitch = if array.pitched {
            let bytes = width.checked_mul(size)?;
            bytes.checked_add(PITCH_BYTES - 1)? / PITCH_BYTES * PITCH_BYTES / size
        } else {
            *width
        };
        let elements = (rows.iter()).try_fold(pitch, |n, &e| n.checked_mul(e))?;
        Some(ArrayLayout {
            extents,
            pitch,
            elements,
        })
    };
    let arrays = interface.arrays.iter().zip(&interface.planes);
    arrays.map(layout).collect()
}

/// Whether the kernels do for these parameters what C does; `None` where a number does not fit.
pub fn applies(interface: &Interface, params: &[i64]) -> Option<bool> {
    let holds = |condition| eval(condition, &|name| value_of(interface, params, name));
    Some(holds(&interface.assumed)? != 0 && holds(&interface.expected)? != 0)
}

/// Whether there is anything to compute for these parameters; `None` where a number does not fit.
pub fn has_work(interface: &Interface, params: &[i64]) -> Option<bool> {
    let value_of = |name: &str| value_of(interface, params, name);
    Some(eval(&interface.nonempty, &value_of)? != 0)
}

/// The value of a parameter.
pub(super) fn value_of(interface: &Interface, params: &[i64], name: &str) -> Option<i64> {
    let at = interface.params.iter().position(|p| p == name)?;
    params.get(at).copied()
}
