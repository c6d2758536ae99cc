//! Classical tiling of one space dimension: CGO'14 section 3.4, equation (14).

use hexcc_isl::Rational;

use super::hexagon::floor_mul;

/// A space dimension cut into parallelograms of constant width.
///
/// The tiles of one dimension run one after the other, in increasing S_i, so
/// only the lower bound -delta1 dt <= ds_i of the cone constrains them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClassicalDim {
    /// Position of the dimension in source order.
    pub dim: usize,
    /// Largest -ds_i/dt over all dependences.
    pub delta1: Rational,
    /// Width of every tile, in points.
    pub w: i64,
}

impl ClassicalDim {
    /// Points by which row `a` of a tile lies to the left of row 0:
    /// floor(delta1 a), section 3.4 for a fractional delta1.
    ///
    /// `a` is the paper's normalised u of (15) and (16), the same local row
    /// as in the hexagon. Flooring keeps the order: with ds >= -delta1 da and ds an
    /// integer, floor(delta1 (a + da)) + ds >= floor(delta1 a).
    pub fn skew(&self, a: i64) -> i64 {
        floor_mul(self.delta1, a)
    }

    /// The tile S_i of point `s` at local row `a`: equation (14).
    pub fn tile_of(&self, s: i64, a: i64) -> i64 {
        (s + self.skew(a)).div_euclid(self.w)
    }

    /// The position s'_i of point `s` in its tile, 0 <= s'_i < w: equation (17).
    pub fn local_of(&self, s: i64, a: i64) -> i64 {
        (s + self.skew(a)).rem_euclid(self.w)
    }

    /// [`skew`](Self::skew) as an isl expression of the row `a`, itself one.
    pub(super) fn skew_text(&self, a: &str) -> String {
        let (num, den) = (self.delta1.num, self.delta1.den);
        if den == 1 {
            format!("{num}*{a}")
        } else {
            format!("floor(({num}*{a})/{den})")
        }
    }

    /// Equations (14) and (17) as isl constraints that define the names
    /// `tile` and `local` from the names `s` and `a`.
    pub(super) fn constraints(&self, s: &str, a: &str, tile: &str, local: &str) -> String {
        let (skew, w) = (self.skew_text(a), self.w);
        format!("{local} = {s} + {skew} - {w}*{tile} and 0 <= {local} < {w}")
    }
}
