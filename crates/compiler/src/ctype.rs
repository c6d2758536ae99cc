//! C's scalar types and mathematical functions, as far as generated code must
//! know them.
//!
//! C is not CUDA C++: `sqrt(x)` of a `float` computes in double precision in C
//! but picks the float overload in CUDA C++. Knowing the C type of every
//! sub-expression lets the printer write the conversion that C does silently.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A scalar type of C on an LP64 target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum CType {
    /// `_Bool` never appears as an element type; comparisons have type `int`.
    /// Signed integer of the given number of bytes (1, 2, 4, 8).
    Int(u8),
    /// Unsigned integer of the given number of bytes (1, 2, 4, 8).
    UInt(u8),
    /// `float`.
    Float,
    /// `double`.
    Double,
}

impl CType {
    /// The C type `int`.
    pub const INT: CType = CType::Int(4);

    /// Parses a type as pet spells it; `None` for anything but a scalar number.
    pub fn parse(text: &str) -> Option<CType> {
        let words: Vec<&str> = text
            .split_whitespace()
            .filter(|w| !matches!(*w, "const" | "volatile"))
            .collect();
        let mut sorted = words.clone();
        sorted.sort_unstable();
        Some(match sorted.as_slice() {
            ["float"] => CType::Float,
            ["double"] => CType::Double,
            ["char"] | ["char", "signed"] | ["int8_t"] => CType::Int(1),
            ["char", "unsigned"] | ["uint8_t"] => CType::UInt(1),
            ["short"] | ["int", "short"] | ["short", "signed"] | ["int16_t"] => CType::Int(2),
            ["short", "unsigned"] | ["int", "short", "unsigned"] | ["uint16_t"] => CType::UInt(2),
            ["int"] | ["signed"] | ["int", "signed"] | ["int32_t"] => CType::Int(4),
            ["unsigned"] | ["int", "unsigned"] | ["uint32_t"] => CType::UInt(4),
            ["long"]
            | ["int", "long"]
            | ["long", "long"]
            | ["int", "long", "long"]
            | ["long", "signed"]
            | ["int64_t"]
            | ["ptrdiff_t"] => CType::Int(8),
            ["long", "unsigned"]
            | ["int", "long", "unsigned"]
            | ["long", "long", "unsigned"]
            | ["int", "long", "long", "unsigned"]
            | ["uint64_t"]
            | ["size_t"] => CType::UInt(8),
            _ => return None,
        })
    }

    /// The integer type pet describes by a signed size in bits, negative for
    /// signed types; `int` where pet knows none.
    pub fn from_pet_size(size: i32) -> CType {
        let bytes = (size.unsigned_abs() / 8) as u8;
        match (bytes, size < 0) {
            (1 | 2 | 4 | 8, true) => CType::Int(bytes),
            (1 | 2 | 4 | 8, false) => CType::UInt(bytes),
            _ => CType::INT,
        }
    }

    /// Size in bytes.
    pub fn size(self) -> usize {
        match self {
            CType::Int(n) | CType::UInt(n) => usize::from(n),
            CType::Float => 4,
            CType::Double => 8,
        }
    }

    /// `float` or `double`.
    pub fn is_floating(self) -> bool {
        matches!(self, CType::Float | CType::Double)
    }

    /// The type after C's integer promotion.
    pub fn promoted(self) -> CType {
        match self {
            CType::Int(1 | 2) | CType::UInt(1 | 2) => CType::INT,
            other => other,
        }
    }

    /// C's usual arithmetic conversions (C11 6.3.1.8) for an LP64 target.
    pub fn usual(self, other: CType) -> CType {
        let (a, b) = (self.promoted(), other.promoted());
        if a == CType::Double || b == CType::Double {
            return CType::Double;
        }
        if a == CType::Float || b == CType::Float {
            return CType::Float;
        }
        let (sa, sb) = (a.size(), b.size());
        let unsigned = |t: CType| matches!(t, CType::UInt(_));
        match sa.cmp(&sb) {
            std::cmp::Ordering::Greater => a,
            std::cmp::Ordering::Less => b,
            std::cmp::Ordering::Equal if unsigned(a) => a,
            std::cmp::Ordering::Equal => b,
        }
    }
}

impl fmt::Display for CType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CType::Int(1) => "signed char",
            CType::Int(2) => "short",
            CType::Int(4) => "int",
            CType::Int(_) => "long long",
            CType::UInt(1) => "unsigned char",
            CType::UInt(2) => "unsigned short",
            CType::UInt(4) => "unsigned int",
            CType::UInt(_) => "unsigned long long",
            CType::Float => "float",
            CType::Double => "double",
        })
    }
}

/// A function of `<math.h>` or `<stdlib.h>` that exists with the same meaning
/// in CUDA device code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MathFunction {
    /// Number of arguments.
    pub n_args: usize,
    /// Type of every parameter.
    pub arg: CType,
    /// Type of the result.
    pub result: CType,
    /// The device result equals the host's bit for bit (with `-fmad=false` and
    /// default rounding); else it is right within a few ulps only.
    pub exact: bool,
}

/// Looks up a C library function that stencil code may call.
pub fn math_function(name: &str) -> Option<MathFunction> {
    const EXACT_1: &[&str] = &["sqrt", "fabs", "floor", "ceil", "trunc", "round", "rint"];
    const EXACT_2: &[&str] = &["fmin", "fmax", "fmod", "copysign", "fdim"];
    const ULPS_1: &[&str] = &[
        "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "asin",
        "acos", "atan", "sinh", "cosh", "tanh", "cbrt", "erf",
    ];
    const ULPS_2: &[&str] = &["pow", "atan2", "hypot"];
    let make = |n_args, arg, exact| {
        Some(MathFunction {
            n_args,
            arg,
            result: arg,
            exact,
        })
    };
    match name {
        "abs" => return make(1, CType::INT, true),
        "labs" | "llabs" => return make(1, CType::Int(8), true),
        "fma" => return make(3, CType::Double, true),
        "fmaf" => return make(3, CType::Float, true),
        _ => {}
    }
    let (base, ty) = match name.strip_suffix('f') {
        Some(base) if !base.is_empty() && name != "erf" => (base, CType::Float),
        _ => (name, CType::Double),
    };
    for (names, n_args, exact) in [
        (EXACT_1, 1, true),
        (EXACT_2, 2, true),
        (ULPS_1, 1, false),
        (ULPS_2, 2, false),
    ] {
        if names.contains(&base) {
            return make(n_args, ty, exact);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions_follow_c() {
        assert_eq!(CType::UInt(1).usual(CType::UInt(1)), CType::INT);
        assert_eq!(CType::UInt(4).usual(CType::INT), CType::UInt(4));
        assert_eq!(CType::UInt(4).usual(CType::Int(8)), CType::Int(8));
        assert_eq!(CType::Float.usual(CType::Int(8)), CType::Float);
        assert_eq!(CType::Float.usual(CType::Double), CType::Double);
    }

    #[test]
    fn float_variants_take_floats() {
        assert_eq!(math_function("sqrtf").map(|m| m.arg), Some(CType::Float));
        assert_eq!(math_function("sqrt").map(|m| m.arg), Some(CType::Double));
        assert_eq!(math_function("erf").map(|m| m.arg), Some(CType::Double));
        assert_eq!(math_function("erff").map(|m| m.arg), Some(CType::Float));
        assert!(math_function("printf").is_none());
    }
}
