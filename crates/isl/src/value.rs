//! Numbers and dimension kinds: plain data without isl objects.

use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, Mul, Sub};

use libc::{c_int, c_uint};

use crate::object::Owned;
use crate::{Ctx, Error, Result, ffi};

/// A kind of dimension of a set, map or piecewise affine function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DimType {
    /// A parameter.
    Param,
    /// An input (domain) dimension of a map or function.
    In,
    /// An output (range) dimension of a map, or a dimension of a set.
    Out,
    /// An existentially quantified variable.
    Div,
}

impl DimType {
    /// A dimension of a set: the same as [`DimType::Out`].
    #[allow(non_upper_case_globals)]
    pub const Set: DimType = DimType::Out;

    pub(crate) fn raw(self) -> c_uint {
        match self {
            DimType::Param => 1,
            DimType::In => 2,
            DimType::Out => 3,
            DimType::Div => 4,
        }
    }
}

/// A rational number in lowest terms with a positive denominator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Rational {
    /// The numerator, which carries the sign.
    pub num: i64,
    /// The denominator, at least 1.
    pub den: i64,
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl Rational {
    /// Zero.
    pub const ZERO: Rational = Rational { num: 0, den: 1 };

    /// The number `num / den`. A denominator of zero, or a result out of range, is an error.
    pub fn new(num: i64, den: i64) -> Result<Rational> {
        Rational::reduced(num.into(), den.into())
            .ok_or_else(|| Error::new(format!("{num}/{den} is not a rational number in range")))
    }

    fn reduced(num: i128, den: i128) -> Option<Rational> {
        if den == 0 {
            return None;
        }
        let divisor = i128::try_from(gcd(num.unsigned_abs(), den.unsigned_abs())).ok()?;
        let sign = den.signum();
        Some(Rational {
            num: i64::try_from(num / divisor * sign).ok()?,
            den: i64::try_from(den / divisor * sign).ok()?,
        })
    }

    /// The largest integer that is not greater.
    pub fn floor(self) -> i64 {
        self.num.div_euclid(self.den)
    }

    /// The smallest integer that is not less.
    pub fn ceil(self) -> i64 {
        // A number that is not an integer has a denominator of 2 or more, so 1 can be added.
        self.floor() + i64::from(!self.is_integer())
    }

    /// What is left above the floor, in `0..1`.
    pub fn fract(self) -> Rational {
        // Subtracting a multiple of the denominator leaves the fraction in lowest terms.
        Rational {
            num: self.num.rem_euclid(self.den),
            den: self.den,
        }
    }

    /// Whether the denominator is 1.
    pub fn is_integer(self) -> bool {
        self.den == 1
    }

    /// The sum, or `None` where it is out of range.
    pub fn checked_add(self, other: Rational) -> Option<Rational> {
        let (a, b, c, d) = self.parts(other);
        Rational::reduced((a * d).checked_add(c * b)?, b * d)
    }

    /// The difference, or `None` where it is out of range.
    pub fn checked_sub(self, other: Rational) -> Option<Rational> {
        let (a, b, c, d) = self.parts(other);
        Rational::reduced((a * d).checked_sub(c * b)?, b * d)
    }

    /// The product, or `None` where it is out of range.
    pub fn checked_mul(self, other: Rational) -> Option<Rational> {
        let (a, b, c, d) = self.parts(other);
        Rational::reduced(a * c, b * d)
    }

    fn parts(self, other: Rational) -> (i128, i128, i128, i128) {
        (
            self.num.into(),
            self.den.into(),
            other.num.into(),
            other.den.into(),
        )
    }
}

impl From<i64> for Rational {
    fn from(num: i64) -> Self {
        Rational { num, den: 1 }
    }
}

impl PartialOrd for Rational {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Rational {
    fn cmp(&self, other: &Self) -> Ordering {
        let (a, b, c, d) = self.parts(*other);
        (a * d).cmp(&(c * b))
    }
}

impl fmt::Display for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_integer() {
            write!(f, "{}", self.num)
        } else {
            write!(f, "{}/{}", self.num, self.den)
        }
    }
}

macro_rules! operator {
    ($trait:ident, $method:ident, $checked:ident) => {
        /// Panics where the result is out of range; the checked method does not.
        impl $trait for Rational {
            type Output = Rational;

            fn $method(self, other: Rational) -> Rational {
                match self.$checked(other) {
                    Some(result) => result,
                    None => panic!("overflow in a rational {}", stringify!($method)),
                }
            }
        }
    };
}

operator!(Add, add, checked_add);
operator!(Sub, sub, checked_sub);
operator!(Mul, mul, checked_mul);

/// The extreme value of a dimension or function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Bound {
    /// The value is attained.
    Finite(Rational),
    /// There are values beyond any limit, or beyond what 64 bits hold.
    Infinite,
    /// There is no value at all.
    Empty,
}

impl Bound {
    /// The value, where it is finite.
    pub fn finite(self) -> Option<Rational> {
        match self {
            Bound::Finite(value) => Some(value),
            Bound::Infinite | Bound::Empty => None,
        }
    }

    pub(crate) fn from_val(val: &Owned<ffi::isl_val>) -> Result<Bound> {
        let is = |f: unsafe extern "C" fn(*mut ffi::isl_val) -> ffi::IslBool| {
            // SAFETY: the value is alive and `f` borrows it.
            val.ctx.truth(|| unsafe { f(val.keep()) })
        };
        if is(ffi::isl_val_is_nan)? {
            Ok(Bound::Empty)
        } else if is(ffi::isl_val_is_infty)?
            || is(ffi::isl_val_is_neginfty)?
            || compared(val, i64::MAX)? == Ordering::Greater
            || compared(val, i64::MIN)? == Ordering::Less
        {
            Ok(Bound::Infinite)
        } else {
            rational(val).map(Bound::Finite)
        }
    }
}

/// How a value compares with an integer.
fn compared(val: &Owned<ffi::isl_val>, integer: i64) -> Result<Ordering> {
    // SAFETY: the value is alive.
    let sign = val
        .ctx
        .plain(|| unsafe { ffi::isl_val_cmp_si(val.keep(), integer) })?;
    Ok(sign.cmp(&0))
}

/// The value as a rational; isl reports one that does not fit.
pub(crate) fn rational(val: &Owned<ffi::isl_val>) -> Result<Rational> {
    // SAFETY: the value is alive.
    if !val
        .ctx
        .truth(|| unsafe { ffi::isl_val_is_rat(val.keep()) })?
    {
        return Err(Error::new("the value is not a rational number"));
    }
    // SAFETY: the value is alive; isl records an error where the number does not fit.
    let num = val
        .ctx
        .plain(|| unsafe { ffi::isl_val_get_num_si(val.keep()) })?;
    // SAFETY: as above.
    let den = val
        .ctx
        .plain(|| unsafe { ffi::isl_val_get_den_si(val.keep()) })?;
    Rational::new(num, den)
}

/// The value as an integer.
pub(crate) fn integer(val: &Owned<ffi::isl_val>) -> Result<i64> {
    let value = rational(val)?;
    if value.is_integer() {
        Ok(value.num)
    } else {
        Err(Error::new(format!("{value} is not an integer")))
    }
}

pub(crate) fn int_val(ctx: &Ctx, value: i64) -> Result<Owned<ffi::isl_val>> {
    // SAFETY: the context is alive.
    ctx.give(|| unsafe { ffi::isl_val_int_from_si(ctx.raw(), value) })
}

pub(crate) fn c_index(index: usize) -> Result<c_int> {
    c_int::try_from(index).map_err(|_| Error::new(format!("index {index} is out of range")))
}

/// Refuses a range of dimensions that is not inside the `dims` that there are.
pub(crate) fn check_range(dims: usize, first: u32, n: u32) -> Result<()> {
    if u64::from(first) + u64::from(n) <= dims as u64 {
        Ok(())
    } else {
        Err(Error::new(format!(
            "{n} dimensions from position {first} on, of {dims}"
        )))
    }
}

/// Refuses dimension numbers so large that isl's size computations would overflow.
pub(crate) fn check_small(n: u32) -> Result<()> {
    if n <= 1 << 16 {
        Ok(())
    } else {
        Err(Error::new(format!("dimension number {n} is out of range")))
    }
}
