//! Quotients of a `float` and a constant without a division.
//!
//! A division that rounds exactly takes some 28 instructions on a GPU, with a branch to a
//! function. For most constants c and every x, infinities, zeros and subnormal numbers
//! included, `(float)((double)x * (1.0 / c))` is the same `float` in three.
//!
//! Proof. Let t = x / c. The product is y = t (1 + e) with |e| < 2^-52, since the reciprocal and
//! the product are rounded to 53 bits; neither of them, nor its error, is too large or too small
//! for a `double`. Rounding y to a `float` gives another result than rounding t only if they lie
//! on different sides of a number m halfway between two neighbours, or one of them is m. As m
//! has at most 25 bits, and x and c have 24, |x - c m| is at least the unit of c m or that of x,
//! so that t = m or |t - m| >= 2^-49 |m|: in the second case t and y are on the same side of m.
//! t = m is x = c m. A normal `float` has a neighbour halfway only at 25 bits, the last of which
//! is odd, and then x would have 25 bits, too. So t is subnormal, and m an odd multiple of 2^-150
//! below 2^-126. With c = odd 2^k, x = odd 2^k m must be a multiple of 2^-149, which takes
//! k >= 1. For such constants `products_are_exact` finds out whether y = m for every such m.

/// Whether the product with `1.0 / c`, rounded to `float`, is `x / c` for every x. No for powers
/// of two, whose reciprocals nvcc uses by itself.
pub(super) fn reciprocal_is_enough(c: f32) -> bool {
    if !c.is_normal() {
        return false;
    }
    let bits = u64::from(c.to_bits() & 0x7f_ffff | 0x80_0000);
    let zeros = bits.trailing_zeros();
    let odd = bits >> zeros;
    if odd == 1 {
        return false;
    }
    // c = odd 2^k.
    let k = i64::from(c.to_bits() >> 23 & 0xff) - 150 + i64::from(zeros);
    if k < 1 {
        return true;
    }
    // Powers of two change nothing in numbers that are normal in `double`.
    products_are_exact(odd)
}

/// Whether (m d) (1.0 / d) is m in `double` for every odd m with m d <= 2^24.
///
/// With 1.0 / d = (1 + e) / d, the product before rounding is m + m e. Between two powers of two
/// the neighbours of m are equally far, so that the largest m there is the first to go wrong; only
/// 1 has a closer one below.
fn products_are_exact(d: u64) -> bool {
    let reciprocal = 1.0 / d as f64;
    let most = (1u64 << 24) / d;
    let is_exact = |m: u64| (m * d) as f64 * reciprocal == m as f64;
    let largest = (1..=24).map(|bits| ((1u64 << bits) - 1).min(most));
    let mut odd = largest.filter(|m| *m > 0).map(|m| (m - 1) | 1);
    odd.all(is_exact)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn product(x: f32, c: f32) -> f32 {
        (f64::from(x) * (1.0 / f64::from(c))) as f32
    }

    fn same(x: f32, c: f32) -> bool {
        let (product, quotient) = (product(x, c), x / c);
        product.to_bits() == quotient.to_bits() || (product.is_nan() && quotient.is_nan())
    }

    /// Constants of all kinds: even and odd integers, fractions, tiny and huge ones.
    const CONSTANTS: [f32; 24] = [
        49.7,
        118.0,
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
        1e-30,
        3e30,
        1.1754945e-38,
        1.9999999,
        1.0000001,
        1.3e-37,
        2.5e38,
        16777214.0,
        -6e7,
    ];

    #[test]
    fn largest_numerators_decide() {
        let every = |d: u64| {
            let most = (1u64 << 24) / d;
            (1..=most)
                .step_by(2)
                .all(|m| (m * d) as f64 * (1.0 / d as f64) == m as f64)
        };
        let divisors = (3..400).chain([1001, 4093, 65535, 99999, 8388607, 16777215]);
        let mut exact = [0, 0];
        for d in divisors.step_by(if cfg!(debug_assertions) { 14 } else { 2 }) {
            assert_eq!(products_are_exact(d), every(d), "{d}");
            exact[usize::from(every(d))] += 1;
        }
        assert!(exact[0] > 0 && exact[1] > 0);
    }

    #[test]
    fn products_are_quotients() {
        let mut taken = 0;
        for c in CONSTANTS.into_iter().filter(|c| reciprocal_is_enough(*c)) {
            taken += 1;
            // All mantissas, with exponents that go round; of the subnormal numbers a part.
            let mut exponent = 0;
            for mantissa in (0..1 << 23).step_by(if cfg!(debug_assertions) { 97 } else { 1 }) {
                exponent = (exponent + 37) % 255;
                let bits = exponent << 23 | mantissa;
                for x in [f32::from_bits(bits), -f32::from_bits(bits)] {
                    assert!(same(x, c), "{x:e} / {c:e}");
                }
            }
            let special = [0.0, f32::INFINITY, f32::NAN, f32::MAX, f32::MIN_POSITIVE];
            for x in special.into_iter().flat_map(|x| [x, -x]) {
                assert!(same(x, c), "{x:e} / {c:e}");
            }
            // Quotients that are subnormal or nearly so, those halfway among them.
            for n in 0..200_000 {
                let x = c.abs() * f32::from_bits(n) * 0.5;
                for x in [x, x.next_up(), x.next_down()] {
                    assert!(same(x, c), "{x:e} / {c:e}");
                }
            }
        }
        assert!(taken > 15, "{taken}");
    }

    /// The proof leaves out constants for which a quotient halfway between two subnormal
    /// numbers is missed; they exist.
    #[test]
    fn some_constants_are_refused() {
        for c in [2.0, 0.25, -1.0, 0.0, f32::INFINITY, f32::NAN, 1e-40] {
            assert!(!reciprocal_is_enough(c), "{c}");
        }
        let refused = (1..5000)
            .map(|n| 2.0 * n as f32)
            .find(|c| !reciprocal_is_enough(*c) && (*c as u32).count_ones() > 1);
        let c = refused.expect("an even number");
        // m 2^-150 times c, for odd m.
        let halfway = |m: u32| f32::from_bits(1) * (m * (c as u32 / 2)) as f32;
        assert!((1..4000).step_by(2).any(|m| !same(halfway(m), c)), "{c}");
    }
}
