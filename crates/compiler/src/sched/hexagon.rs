//! The hexagonal tile over (u, s0): CGO'14 section 3.3, equations (1) to (13).
//!
//! Everything here is exact integer arithmetic on small numbers; isl sees the
//! same constraints as text through [`Hexagon::box_constraints`] and
//! [`Hexagon::shape_constraints`], which keep the paper's form multiplied by
//! the denominators of the two bounds.

use std::ops::RangeInclusive;

use hexcc_isl::Rational;

use super::Phase;

/// floor(delta * n), for any sign of either factor.
pub(super) fn floor_mul(delta: Rational, n: i64) -> i64 {
    (delta.num * n).div_euclid(delta.den)
}

/// floor(num / den) for a positive `den`.
fn floor_div(num: i64, den: i64) -> i64 {
    num.div_euclid(den)
}

/// ceil(num / den) for a positive `den`.
fn ceil_div(num: i64, den: i64) -> i64 {
    -(-num).div_euclid(den)
}

/// The bound, or 0 where it is negative: the hexagon needs both sides of the
/// opposite cone to slope outwards, and a wider cone is always legal.
fn at_least_zero(delta: Rational) -> Rational {
    delta.max(Rational::ZERO)
}

/// One hexagonal tile shape, its two interleaved phases and their local coordinates.
///
/// Both phases cut the (u, s0) plane into boxes of [`height`](Self::height) x
/// [`width`](Self::width) points; `a` is the row (0 is the earliest logical
/// time step) and `b` the column of a point inside its box, both starting at
/// 0. The hexagon is the part of the box that satisfies constraints (6), (8),
/// (10) and (12); the hexagons of the two phases together cover every point
/// exactly once when `w0` is at least [`min_w0`](Self::min_w0).
///
/// Lengths are in points, times in logical time steps u = k t + slot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hexagon {
    /// Half height: the tile has 2 h + 2 rows, the widest of them are h and h + 1.
    pub h: i64,
    /// The top row holds w0 + 1 points (at least, for a fractional cone).
    pub w0: i64,
    /// Largest ds0/dt over all dependences, at least 0 (section 3.3.2).
    pub delta0: Rational,
    /// Largest -ds0/dt over all dependences, at least 0 (section 3.3.2).
    pub delta1: Rational,
    /// What phase 0 adds to s0 before dividing by the width: floor(delta0 h) + w0 + 1.
    ///
    /// Equation (3) prints floor(delta1 h) + w0 + 1. The form here is the
    /// offset of the left truncated cone in section 3.3.2; the printed one
    /// covers points twice or never whenever the two floors differ.
    pub phase0_shift: i64,
}

impl Hexagon {
    /// The tile of half height `h` and width parameter `w0` for the cone
    /// -delta1 dt <= ds0 <= delta0 dt. A negative bound is widened to 0.
    ///
    /// Legality of the sizes (`h >= 0`, equation (1)) is not checked here:
    /// [`HybridSchedule::new`](super::HybridSchedule::new) refuses them and
    /// [`verify`](super::verify) proves the result.
    pub fn new(h: i64, w0: i64, delta0: Rational, delta1: Rational) -> Hexagon {
        let (delta0, delta1) = (at_least_zero(delta0), at_least_zero(delta1));
        Hexagon {
            h,
            w0,
            delta0,
            delta1,
            phase0_shift: floor_mul(delta0, h) + w0 + 1,
        }
    }

    /// Rows of the box, in logical time steps: H = 2 h + 2.
    pub fn height(&self) -> i64 {
        2 * self.h + 2
    }

    /// Columns of the box, in points: W = 2 w0 + 2 + floor(delta0 h) + floor(delta1 h),
    /// the divisor of equations (3) and (5).
    pub fn width(&self) -> i64 {
        2 * self.w0 + 2 + floor_mul(self.delta0, self.h) + floor_mul(self.delta1, self.h)
    }

    /// Points by which the boxes move to the left with each time tile:
    /// floor(delta1 h) - floor(delta0 h). The numerators of (3) and (5) get T * drift.
    pub fn drift(&self) -> i64 {
        floor_mul(self.delta1, self.h) - floor_mul(self.delta0, self.h)
    }

    /// The smallest w0 >= 0 that satisfies equation (1):
    /// w0 >= max(delta0 + {delta0 h}, delta1 + {delta1 h}) - 1, with {x} = x - floor(x).
    pub fn min_w0(h: i64, delta0: Rational, delta1: Rational) -> i64 {
        let side = |delta: Rational| {
            let delta = at_least_zero(delta);
            ceil_div(delta.num + (delta.num * h).rem_euclid(delta.den), delta.den) - 1
        };
        side(delta0).max(side(delta1)).max(0)
    }

    /// The columns b of row `a` that belong to the hexagon: constraints (6),
    /// (8), (10) and (12), solved for b. The range is empty outside 0 <= a < H
    /// (constraints (7) and (13)), and never for a legal shape inside it.
    pub fn row(&self, a: i64) -> RangeInclusive<i64> {
        // An empty range whose ends cannot be mistaken for columns.
        #[allow(clippy::reversed_empty_ranges)]
        const EMPTY: RangeInclusive<i64> = 0..=-1;
        if a < 0 || a >= self.height() {
            return EMPTY;
        }
        let Hexagon {
            h,
            w0,
            delta0,
            delta1,
            ..
        } = *self;
        let (n0, d0, n1, d1) = (delta0.num, delta0.den, delta1.num, delta1.den);
        let (f0, f1) = (floor_mul(delta0, h), floor_mul(delta1, h));
        let lower6 = ceil_div(n0 * (a - 2 * h - 1), d0) + f0;
        let upper8 = floor_div(n1 * (2 * h + 1 - a), d1) + f0 + w0;
        let lower10 = ceil_div(n1 * (h - a) - (d1 - 1), d1);
        let upper12 = floor_div(n0 * (a - h) + (d0 - 1), d0) + f0 + w0 + f1;
        lower6.max(lower10)..=upper8.min(upper12)
    }

    /// Whether the local point (a, b) belongs to the hexagon.
    pub fn contains(&self, a: i64, b: i64) -> bool {
        self.row(a).contains(&b)
    }

    /// Points of one full tile; for delta0 = delta1 = 1 this is
    /// 2 (1 + 2 h + h^2 + w0 (h + 1)), section 3.7.
    ///
    /// Every full tile has this count, which is why threads in it never diverge.
    pub fn n_points(&self) -> i64 {
        (0..self.height())
            .map(|a| self.row(a))
            .map(|row| (row.end() - row.start() + 1).max(0))
            .sum()
    }

    /// What `phase` adds to u before dividing by the height: h + 1 in phase 0
    /// (equations (2) and (15)), 0 in phase 1 ((4) and (16)).
    pub fn time_shift(&self, phase: Phase) -> i64 {
        match phase {
            Phase::Zero => self.h + 1,
            Phase::One => 0,
        }
    }

    /// What `phase` adds to s0 before dividing by the width, besides T * drift:
    /// [`phase0_shift`](Self::phase0_shift) in phase 0, 0 in phase 1.
    pub fn space_shift(&self, phase: Phase) -> i64 {
        match phase {
            Phase::Zero => self.phase0_shift,
            Phase::One => 0,
        }
    }

    /// The (u, s0) of the local point (a, b) = (0, 0) of a tile. Tiles of one
    /// phase are translates of one another: u = origin.0 + a, s0 = origin.1 + b.
    pub fn origin(&self, phase: Phase, time_tile: i64, space_tile: i64) -> (i64, i64) {
        (
            self.height() * time_tile - self.time_shift(phase),
            self.width() * space_tile - self.drift() * time_tile - self.space_shift(phase),
        )
    }

    /// The box of `phase` around a point, as (T, S0, a, b): equations (2) to
    /// (5) and their remainders. The point need not be in the box's hexagon.
    pub fn box_of(&self, phase: Phase, u: i64, s0: i64) -> (i64, i64, i64, i64) {
        let (height, width) = (self.height(), self.width());
        let shifted = u + self.time_shift(phase);
        let time_tile = shifted.div_euclid(height);
        let numerator = s0 + self.space_shift(phase) + time_tile * self.drift();
        (
            time_tile,
            numerator.div_euclid(width),
            shifted.rem_euclid(height),
            numerator.rem_euclid(width),
        )
    }

    /// The one tile (T, phase, S0) that executes a point.
    ///
    /// Exactly one phase's hexagon contains it when the shape is legal; the
    /// hexagon of phase 0 decides here, so an illegal shape is not noticed.
    pub fn tile_of(&self, u: i64, s0: i64) -> (i64, Phase, i64) {
        let (time_tile, space_tile, a, b) = self.box_of(Phase::Zero, u, s0);
        if self.contains(a, b) {
            return (time_tile, Phase::Zero, space_tile);
        }
        let (time_tile, space_tile, _, _) = self.box_of(Phase::One, u, s0);
        (time_tile, Phase::One, space_tile)
    }

    /// Equation (2) or (4) and its remainder as isl constraints that define
    /// the names `time_tile` and `a` from the name `u`.
    pub(super) fn time_constraints(
        &self,
        phase: Phase,
        u: &str,
        time_tile: &str,
        a: &str,
    ) -> String {
        let (height, shift) = (self.height(), self.time_shift(phase));
        format!("{a} = {u} + {shift} - {height}*{time_tile} and 0 <= {a} < {height}")
    }

    /// Equation (3) or (5) and its remainder as isl constraints that define
    /// the names `space_tile` and `b` from the names `s` and `time_tile`.
    pub(super) fn space_constraints(
        &self,
        phase: Phase,
        s: &str,
        time_tile: &str,
        space_tile: &str,
        b: &str,
    ) -> String {
        let (width, shift, drift) = (self.width(), self.space_shift(phase), self.drift());
        format!(
            "{b} = {s} + {shift} + {drift}*{time_tile} - {width}*{space_tile} and 0 <= {b} < {width}"
        )
    }

    /// Constraints (6), (8), (10) and (12) on the names `a` and `b`, in that
    /// order, multiplied by the denominators d0 and d1.
    pub(super) fn shape_constraints(&self, a: &str, b: &str) -> String {
        let Hexagon {
            h,
            w0,
            delta0,
            delta1,
            ..
        } = *self;
        let (n0, d0, n1, d1) = (delta0.num, delta0.den, delta1.num, delta1.den);
        let (f0, f1) = (floor_mul(delta0, h), floor_mul(delta1, h));
        let right6 = (2 * h + 1) * n0 - d0 * f0;
        let right8 = (2 * h + 1) * n1 + d1 * (f0 + w0);
        let right10 = h * n1 - (d1 - 1);
        let right12 = h * n0 - d0 * (f0 + w0 + f1) - (d0 - 1);
        format!(
            "{n0}*{a} - {d0}*{b} <= {right6} and {n1}*{a} + {d1}*{b} <= {right8} \
             and {n1}*{a} + {d1}*{b} >= {right10} and {n0}*{a} - {d0}*{b} >= {right12}"
        )
    }
}
