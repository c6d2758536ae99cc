//! Quotients by a constant as two products.
//!
//! With 1 / c = h + l, where h is 1 / c rounded towards zero and l what is left, rounded, the
//! quotient x / c is `fma(x, h, x * l)`: N. Brisebarre and J.-M. Muller, "Correctly rounded
//! multiplication by arbitrary precision constants", IEEE Transactions on Computers 57(2), 2008. They
//! multiply by a number of any kind, and find out by continued fractions, or by searching, whether
//! the product is right for every x. A reciprocal of a number of p bits makes that easier.
//!
//! Proof. Only significands matter as long as nothing is subnormal: let C and X be the p-bit integers
//! of c and x, H and R the integers with 2^(2p-1) = H C + R, 0 < R < C. Rounding l and x l makes the
//! sum wrong before its own rounding by less than 2 |x l| (1 + 2^-p) 2^-p, and l / (1 / c) is R 2^(1-2p),
//! so that the error is at most E = R 2^(2-2p) (1 + 2^-p) units in the last place of the quotient. The
//! quotient, in such units, is Z = X 2^s / m, where m is the odd part of C, of b bits, and s is b - 1 or b.
//! Rounding goes wrong only if a number n + 1/2 lies between Z and the sum, so only if
//! |X 2^(s+1) - (2n + 1) m| <= 2 m E. The left side is odd, hence at least 1: if 2 m E < 1, every quotient
//! is right. Otherwise m has p - 3 bits or more, and each of the few odd numbers r up to 2 m E has at
//! most five X with X 2^(s+1) = r modulo m; these are tried, exactly.
//!
//! Zeros keep their signs because h and l have the same one. Infinities stay infinities, and NaN. A
//! quotient that is too large is so in both ways, since rounding without a largest exponent is the same.
//! What remains is x l or x / c below the normal numbers, of x that are smaller than `least`, but not zero. These are
//! multiplied by a power of two, which is exact and makes all of it normal, and the quotient q of that by the inverse
//! power. Where the result r is subnormal it has been rounded twice. With b = r in the scale of q, d = q - b is exact (Sterbenz), and
//! so is the sign of what is left of the division, fma(-q, c, y): P. Markstein, "IA-64 and elementary functions", 2000. The second
//! rounding can be wrong only where d is half of the distance of subnormal numbers: then the quotient lies on that side of
//! the middle to which the rest points, and r is b, or b + 2 d.

use crate::ctype::CType;

/// What the names of functions begin with.
pub const QUOTIENT: &str = "divided_by_";

/// What the names of those for numbers next to zero end with.
const SCALED: &str = "_next_to_zero";

/// Before functions of kernels.
const CUDA: &str = "__device__ __forceinline__";

/// Of a type of floating-point numbers.
#[derive(Clone, Copy)]
struct Format {
    /// Bits of a significand.
    bits: u32,
    /// The exponents of the smallest and the largest normal number.
    exponents: [i32; 2],
}

const FLOAT: Format = Format {
    bits: 24,
    exponents: [-126, 127],
};
const DOUBLE: Format = Format {
    bits: 53,
    exponents: [-1022, 1023],
};

/// A division by a constant that is two products.
#[derive(Clone, Debug, PartialEq)]
pub struct Fused {
    /// The type in which is divided.
    pub ty: CType,
    /// The constant, and the two parts of its reciprocal, as C writes them.
    divisor: String,
    high: String,
    low: String,
    /// The exponent of the power of two below which numbers are scaled.
    least: i32,
    /// That of the power of two by which they are.
    scale: i32,
}

/// What is multiplied with.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Parts {
    /// H and L, of p bits each: the reciprocal of C 2^(1-p) is about H 2^-p + L 2^(-p-z).
    high: u64,
    low: u64,
    z: i32,
}

impl Format {
    /// The integer C of a number's significand, and the exponent of its first bit.
    fn split(self, x: f64) -> (u64, i32) {
        let bits = x.to_bits();
        let exponent = (bits >> 52 & 0x7ff) as i32 - 1023;
        let significand = bits & ((1 << 52) - 1) | 1 << 52;
        (significand >> (53 - self.bits), exponent)
    }

    fn is_normal(self, exponent: i32) -> bool {
        (self.exponents[0]..=self.exponents[1]).contains(&exponent)
    }

    /// The two parts of a reciprocal, if every quotient by this significand is what they give.
    fn proven(self, c: u64) -> Option<Parts> {
        let p = self.bits;
        let m = c >> c.trailing_zeros();
        if m == 1 {
            return None;
        }
        let (parts, rest) = self.parts(c);
        // 2 m E without its factor 1 + 2^-p, times 2^(2p-3).
        let limit = 1u128 << (2 * p - 3);
        let error = u128::from(m) * u128::from(rest);
        if error + (1 << (p - 3)) < limit {
            return Some(parts);
        }
        // 1 covers that factor.
        let most = (error / limit) as i64 + 1;
        let b = 64 - m.leading_zeros();
        let mut doubtful = (1..=most)
            .step_by(2)
            .flat_map(|r| [r, -r])
            .flat_map(|r| [b - 1, b].map(|s| self.with_residue(m, s + 1, r)))
            .flatten();
        let is_right = |x| self.sum(x, parts) == self.quotient(x, c, (parts, rest));
        doubtful.all(is_right).then_some(parts)
    }

    /// H, L, and R.
    fn parts(self, c: u64) -> (Parts, u64) {
        let p = self.bits;
        let one = 1u128 << (2 * p - 1);
        let (high, rest) = (one / u128::from(c), one % u128::from(c));
        // L is R 2^z / C, of p bits.
        let mut z = (p + c.ilog2()).saturating_sub(rest.ilog2());
        if (rest << z) / u128::from(c) >= 1 << p {
            z -= 1;
        }
        let (low, left) = ((rest << z) / u128::from(c), (rest << z) % u128::from(c));
        let up = 2 * left + (low & 1) > u128::from(c);
        let (mut low, mut z) = (low as u64 + u64::from(up), z as i32);
        if low == 1 << p {
            (low, z) = (low / 2, z - 1);
        }
        let parts = Parts {
            high: high as u64,
            low,
            z,
        };
        (parts, rest as u64)
    }

    /// The integers X of p bits with X 2^k = r modulo m.
    fn with_residue(self, m: u64, k: u32, r: i64) -> impl Iterator<Item = u64> {
        // Half of a number modulo m: of it, or of what it is after m.
        let half = |x: u64| (x + (x & 1) * m) / 2;
        let mut x = r.rem_euclid(m as i64) as u64;
        for _ in 0..k {
            x = half(x);
        }
        let first = 1u64 << (self.bits - 1);
        let start = first + (x + m - first % m) % m;
        (start..2 * first).step_by(m as usize)
    }

    /// An integer, and whether there is more behind it, rounded to p bits; with the exponent.
    fn rounded(self, x: u128, more: bool) -> (u64, u32) {
        let cut = (x.ilog2() + 1).saturating_sub(self.bits);
        if cut == 0 {
            return (x as u64, 0);
        }
        let (kept, rest, half) = (x >> cut, x & ((1 << cut) - 1), 1u128 << (cut - 1));
        let up = rest > half || (rest == half && (more || kept & 1 == 1));
        match kept as u64 + u64::from(up) {
            all if all == 1 << self.bits => (all / 2, cut + 1),
            all => (all, cut),
        }
    }

    /// `fma(x, h, x * l)`, times 2^p.
    fn sum(self, x: u64, parts: Parts) -> (u64, u32) {
        let (product, exponent) = self.rounded(u128::from(x) * u128::from(parts.low), false);
        let (whole, more) = match parts.z - exponent as i32 {
            right @ 64.. => (0, right > 0),
            right @ 1.. => (product >> right, product & ((1 << right) - 1) != 0),
            left => (product << -left, false),
        };
        let all = u128::from(x) * u128::from(parts.high) + u128::from(whole);
        self.rounded(all, more)
    }

    /// `x / c` in the same units, which is X H + X R / C.
    fn quotient(self, x: u64, c: u64, (parts, rest): (Parts, u64)) -> (u64, u32) {
        let (x, c) = (u128::from(x), u128::from(c));
        let behind = x * u128::from(rest);
        let whole = x * u128::from(parts.high) + behind / c;
        self.rounded(whole, behind % c != 0)
    }
}

/// A number of the type, as C writes it.
fn literal(x: f64, ty: CType) -> String {
    match ty {
        CType::Float => format!("{:?}f", x as f32),
        _ => format!("{x:?}"),
    }
}

impl Fused {
    /// A division of `float`.
    pub fn float(c: f32) -> Option<Fused> {
        Fused::of(CType::Float, FLOAT, c.into())
    }

    /// A division of `double`.
    pub fn double(c: f64) -> Option<Fused> {
        Fused::of(CType::Double, DOUBLE, c)
    }

    fn of(ty: CType, format: Format, c: f64) -> Option<Fused> {
        let (significand, exponent) = format.split(c);
        if !c.is_finite() || !format.is_normal(exponent) {
            return None;
        }
        let parts = format.proven(significand)?;
        let bits = format.bits as i32;
        let low_exponent = -1 - parts.z - exponent;
        if ![-1 - exponent, low_exponent]
            .iter()
            .all(|e| format.is_normal(*e))
        {
            return None;
        }
        let smallest = format.exponents[0];
        let least = (smallest - low_exponent).max(smallest);
        // Numbers that programs compute with should not be scaled.
        if least > smallest / 3 {
            return None;
        }
        // The smallest number times the second part is normal then, and so is a rest that is not zero.
        let scale = (bits - low_exponent).max(2 * bits);
        let scaled = |integer: u64, e: i32| {
            // Both factors and the product are normal.
            (integer as f64 / (1u64 << (bits - 1)) as f64 * power_of_two(e)).copysign(c)
        };
        Some(Fused {
            ty,
            divisor: literal(c, ty),
            high: literal(scaled(parts.high, -1 - exponent), ty),
            low: literal(scaled(parts.low, low_exponent), ty),
            least,
            scale,
        })
    }

    /// What the function is called.
    pub fn name(&self) -> String {
        let mut name = QUOTIENT.to_string();
        let number = self.divisor.trim_end_matches('f');
        for (i, c) in number.trim_end_matches(".0").chars().enumerate() {
            match c {
                '-' if i == 0 => name.push_str("minus_"),
                '-' => name.push('m'),
                '.' => name.push('_'),
                c => name.push(c),
            }
        }
        if self.ty == CType::Float {
            name.push('f');
        }
        name
    }

    /// The division itself.
    fn division(&self) -> String {
        format!("x / {}", self.divisor)
    }

    /// Whether x has to be scaled, given the bits of x as an unsigned integer of its size, and the
    /// suffix of such integers.
    fn is_tiny(&self, bits: &str, suffix: &str) -> String {
        let format = match self.ty {
            CType::Float => FLOAT,
            _ => DOUBLE,
        };
        // The bits of 2^least but for the sign, which goes; zero becomes the largest number.
        let field = (self.least - format.exponents[0] + 1) as u64;
        let least = (field << format.bits) - 1;
        format!("2 * {bits} - 1 < {least:#x}{suffix}")
    }

    fn products(&self, fma: &str) -> String {
        format!("{fma}(x, {}, x * {})", self.high, self.low)
    }

    /// What is said of the function.
    fn comment(&self) -> String {
        format!(
            "// {} for every x, to the last bit: two products with the parts of the reciprocal; numbers next to zero are scaled for them.\n",
            self.division()
        )
    }

    /// The functions of x in CUDA.
    pub fn in_cuda(&self) -> String {
        self.functions(CUDA, self.bits_in_cuda(), self.fma_in_cuda())
    }

    /// The same in OpenCL C.
    pub fn in_opencl(&self) -> String {
        let bits = match self.ty {
            CType::Float => ("as_uint(x)", "U"),
            _ => ("as_ulong(x)", "UL"),
        };
        self.functions("static inline", bits, "fma")
    }

    fn functions(&self, words: &str, (bits, suffix): (&str, &str), fma: &str) -> String {
        let (ty, name) = (self.ty, self.name());
        format!(
            "{}{}{words} {ty} {name}({ty} x) {{\n  \
             if ({}) return {name}{SCALED}(x);\n  \
             return {};\n}}\n",
            self.scaled(words, fma),
            self.comment(),
            self.is_tiny(bits, suffix),
            self.products(fma)
        )
    }

    /// The function of numbers next to zero.
    fn scaled(&self, words: &str, fma: &str) -> String {
        let (ty, name, divisor) = (self.ty, self.name(), &self.divisor);
        let (format, suffix) = match ty {
            CType::Float => (FLOAT, "f"),
            _ => (DOUBLE, ""),
        };
        let half = self.scale + format.exponents[0] - format.bits as i32;
        let (up, down) = match divisor.starts_with('-') {
            true => ("rest < 0", "rest > 0"),
            false => ("rest > 0", "rest < 0"),
        };
        let [to, back, half] = [self.scale, -self.scale, half].map(|e| format!("0x1p{e}{suffix}"));
        format!(
            "// {} of numbers next to zero: r is q in their scale, but for q in the middle of two numbers, which the rest takes to one of them.\n\
             {words} {ty} {name}{SCALED}({ty} x) {{\n  \
             const {ty} y = x * {to}, q = {fma}(y, {}, y * {}), r = q * {back};\n  \
             const {ty} b = r * {to}, d = q - b, rest = {fma}(-q, {divisor}, y);\n  \
             return fabs(d) == {half} && (d > 0 ? {up} : {down}) ? (b + 2 * d) * {back} : r;\n}}\n",
            self.division(),
            self.high,
            self.low
        )
    }

    /// A function in CUDA that says of which x it cannot be asked, or takes these, too.
    pub fn of_rows(&self) -> String {
        let (ty, name) = (self.ty, self.name());
        let (bits, suffix) = self.bits_in_cuda();
        let fma = self.fma_in_cuda();
        format!(
            "{}{}template <bool EXACTLY> {CUDA} {ty} {name}({ty} x, bool &tiny) {{\n  \
             const bool small = {};\n  \
             tiny |= small;\n  \
             return EXACTLY && small ? {name}{SCALED}(x) : {};\n}}\n",
            self.scaled(CUDA, fma),
            self.comment(),
            self.is_tiny(bits, suffix),
            self.products(fma)
        )
    }

    fn bits_in_cuda(&self) -> (&'static str, &'static str) {
        match self.ty {
            CType::Float => ("__float_as_uint(x)", "U"),
            _ => ("(unsigned long long)__double_as_longlong(x)", "ULL"),
        }
    }

    fn fma_in_cuda(&self) -> &'static str {
        match self.ty {
            CType::Float => "fmaf",
            _ => "fma",
        }
    }
}

/// 2^e of a normal number.
fn power_of_two(e: i32) -> f64 {
    f64::from_bits(((e + 1023) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether all quotients of a format by a significand are right.
    fn every(format: Format, c: u64) -> bool {
        let (parts, rest) = format.parts(c);
        let first = 1 << (format.bits - 1);
        (first..2 * first).all(|x| format.sum(x, parts) == format.quotient(x, c, (parts, rest)))
    }

    /// The proof is right, and refuses no more than it has to.
    #[test]
    fn proofs_are_those_of_trying() {
        for bits in 4..=if cfg!(debug_assertions) { 9 } else { 12 } {
            let format = Format {
                bits,
                exponents: [-100, 100],
            };
            let first = 1u64 << (bits - 1);
            let mut refused = 0;
            for c in first + 1..2 * first {
                let proven = format.proven(c).is_some();
                assert_eq!(proven, every(format, c), "{c} of {bits} bits");
                refused += u32::from(!proven);
            }
            assert!(refused < 1 << (bits - 3), "{refused} of {bits} bits");
        }
    }

    /// The parts as numbers, and the least number that is not divided.
    fn numbers(fused: &Fused) -> [f64; 3] {
        let number = |text: &str| match text.strip_suffix('f') {
            Some(text) => f64::from(text.parse::<f32>().expect("a number")),
            None => text.parse::<f64>().expect("a number"),
        };
        [
            number(&fused.high),
            number(&fused.low),
            power_of_two(fused.least),
        ]
    }

    /// What numbers next to zero are multiplied with, before and behind, and half of the distance of subnormal
    /// numbers between.
    fn scales(fused: &Fused, format: Format) -> [f64; 3] {
        let half = fused.scale + format.exponents[0] - format.bits as i32;
        [fused.scale, -fused.scale, half].map(power_of_two)
    }

    const CONSTANTS: [f64; 26] = [
        118.0,
        49.7,
        49.7f32 as f64,
        88.4,
        159.0,
        3.0,
        5.0,
        6.0,
        7.0,
        9.0,
        10.0,
        12.0,
        27.0,
        100.0,
        0.1,
        -0.3,
        275.4,
        0.01,
        1e-20,
        3e12,
        0.9999999999999999,
        1.9999998807907104,
        1.0000001192092896,
        16777214.0,
        -6e7,
        9007199254740991.0,
    ];

    fn same(a: f64, b: f64) -> bool {
        a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
    }

    #[test]
    fn floats_are_divided() {
        let mut taken = 0;
        for c in CONSTANTS.map(|c| c as f32) {
            let Some(fused) = Fused::float(c) else {
                continue;
            };
            taken += 1;
            let [high, low, least] = numbers(&fused).map(|x| x as f32);
            let [to, back, half] = scales(&fused, FLOAT).map(|x| x as f32);
            let scaled = |x: f32| {
                let (y, products) = (x * to, |y: f32| y.mul_add(high, y * low));
                let (q, r) = (products(y), products(y) * back);
                let (b, d, rest) = (r * to, q - r * to, (-q).mul_add(c, y));
                let rest = if c < 0.0 { -rest } else { rest };
                let is_further = if d > 0.0 { rest > 0.0 } else { rest < 0.0 };
                match d.abs() == half && is_further {
                    true => (b + 2.0 * d) * back,
                    false => r,
                }
            };
            let quotient = |x: f32| match x != 0.0 && x.abs() < least {
                true => scaled(x),
                false => x.mul_add(high, x * low),
            };
            let check = |x: f32| {
                let same = same(quotient(x).into(), (x / c).into());
                assert!(same, "{x:e} / {c:e}");
            };
            // All significands, with exponents that go round.
            let mut exponent = 0;
            for significand in (0..1 << 23).step_by(if cfg!(debug_assertions) { 97 } else { 5 }) {
                exponent = (exponent + 37) % 255;
                let x = f32::from_bits(exponent << 23 | significand);
                check(x);
                check(-x);
            }
            // Quotients that are subnormal, or next to it.
            for bits in (0..30 << 23).step_by(if cfg!(debug_assertions) { 10_007 } else { 211 }) {
                check(f32::from_bits(bits));
                check(-f32::from_bits(bits));
            }
            let special = [
                0.0,
                f32::INFINITY,
                f32::NAN,
                f32::MAX,
                f32::MIN_POSITIVE,
                least,
            ];
            for x in special.into_iter().flat_map(|x| [x, -x]) {
                check(x);
                check(x.next_up());
                check(x.next_down());
            }
        }
        assert!(taken > 20, "{taken}");
    }

    /// Numerators whose quotients lie next to the middle between two numbers, and random ones.
    #[test]
    fn doubles_are_divided() {
        let (mut taken, mut state) = (0, 1u64);
        let mut random = || {
            state = state.wrapping_add(0x9e3779b97f4a7c15);
            let z = (state ^ state >> 30).wrapping_mul(0xbf58476d1ce4e5b9);
            let z = (z ^ z >> 27).wrapping_mul(0x94d049bb133111eb);
            z ^ z >> 31
        };
        for c in CONSTANTS {
            let Some(fused) = Fused::double(c) else {
                continue;
            };
            taken += 1;
            let [high, low, least] = numbers(&fused);
            let [to, back, half] = scales(&fused, DOUBLE);
            let scaled = |x: f64| {
                let (y, products) = (x * to, |y: f64| y.mul_add(high, y * low));
                let (q, r) = (products(y), products(y) * back);
                let (b, d, rest) = (r * to, q - r * to, (-q).mul_add(c, y));
                let rest = if c < 0.0 { -rest } else { rest };
                let is_further = if d > 0.0 { rest > 0.0 } else { rest < 0.0 };
                match d.abs() == half && is_further {
                    true => (b + 2.0 * d) * back,
                    false => r,
                }
            };
            let quotient = |x: f64| match x != 0.0 && x.abs() < least {
                true => scaled(x),
                false => x.mul_add(high, x * low),
            };
            let check = |x: f64| assert!(same(quotient(x), x / c), "{x:e} / {c:e}");
            let (significand, _) = DOUBLE.split(c);
            let m = significand >> significand.trailing_zeros();
            let b = 64 - m.leading_zeros();
            for (r, k) in (-19..20).step_by(2).flat_map(|r| [(r, b), (r, b + 1)]) {
                for x in DOUBLE.with_residue(m, k, r).take(40) {
                    for e in [-900, -300, 0, 52, 300, 960] {
                        check(x as f64 * power_of_two(e));
                    }
                }
            }
            for _ in 0..20_000 {
                let bits = random();
                check(f64::from_bits(bits));
                // With quotients that are subnormal, or next to it; with few bits; subnormal; large.
                check(f64::from_bits(
                    bits & 1 << 63 | (bits & ((1 << 59) - 1)) >> (bits >> 60),
                ));
                check(f64::from_bits(bits & !0 << (bits >> 8 & 63)));
                check(f64::from_bits(bits & 1 << 63 | bits >> 12));
                check(f64::from_bits(bits | 0x7fc << 52 & 0x7fff << 48));
            }
            let special = [
                0.0,
                f64::INFINITY,
                f64::NAN,
                f64::MAX,
                f64::MIN_POSITIVE,
                least,
            ];
            for x in special.into_iter().flat_map(|x| [x, -x]) {
                check(x);
                check(x.next_up());
                check(x.next_down());
            }
        }
        assert!(taken > 20, "{taken}");
    }

    #[test]
    fn some_constants_are_refused() {
        for c in [
            2.0,
            0.25,
            -1.0,
            0.0,
            f32::INFINITY,
            f32::NAN,
            1e-40,
            1e38,
            1e25,
        ] {
            assert_eq!(Fused::float(c), None, "{c}");
        }
        for c in [2.0, 0.25, -1.0, 0.0, f64::NAN, 1e-310, 1e300] {
            assert_eq!(Fused::double(c), None, "{c}");
        }
    }

    #[test]
    fn text() {
        let name = |c| Fused::double(c).expect("proven").name();
        assert_eq!(name(118.0), "divided_by_118");
        assert_eq!(name(-0.3), "divided_by_minus_0_3");
        assert_eq!(name(1e-20), "divided_by_1em20");
        let fused = Fused::float(49.7).expect("proven");
        assert_eq!(fused.name(), "divided_by_49_7f");
        assert_eq!(
            fused.in_cuda(),
            "// x / 49.7f of numbers next to zero: r is q in their scale, but for q in the middle of two numbers, which the rest takes to one of them.
__device__ __forceinline__ float divided_by_49_7f_next_to_zero(float x) {
  const float y = x * 0x1p55f, q = fmaf(y, 0.020120723f, y * 8.6418306e-10f), r = q * 0x1p-55f;
  const float b = r * 0x1p55f, d = q - b, rest = fmaf(-q, 49.7f, y);
  return fabs(d) == 0x1p-95f && (d > 0 ? rest > 0 : rest < 0) ? (b + 2 * d) * 0x1p-55f : r;
}
// x / 49.7f for every x, to the last bit: two products with the parts of the reciprocal; numbers next to zero are scaled for them.
__device__ __forceinline__ float divided_by_49_7f(float x) {
  if (2 * __float_as_uint(x) - 1 < 0x1fffffffU) return divided_by_49_7f_next_to_zero(x);
  return fmaf(x, 0.020120723f, x * 8.6418306e-10f);
}
"
        );
        let fused = Fused::double(118.0).expect("proven");
        assert_eq!(
            fused.of_rows().lines().skip(6).collect::<Vec<_>>(),
            [
                "// x / 118.0 for every x, to the last bit: two products with the parts of the reciprocal; numbers next to zero are scaled for them.",
                "template <bool EXACTLY> __device__ __forceinline__ double divided_by_118(double x, bool &tiny) {",
                "  const bool small = 2 * (unsigned long long)__double_as_longlong(x) - 1 < 0x83fffffffffffffULL;",
                "  tiny |= small;",
                "  return EXACTLY && small ? divided_by_118_next_to_zero(x) : fma(x, 0.00847457627118644, x * 2.940209281316622e-20);",
                "}",
            ]
        );
    }
}
