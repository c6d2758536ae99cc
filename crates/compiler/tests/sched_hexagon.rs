//! The formulas of CGO'14 section 3.3 against brute force over random cones.

use hexcc_compiler::sched::{Hexagon, HybridSchedule, Phase, TileSizes};
use hexcc_isl::{Ctx, Rational, Set};

/// xorshift64*: the same cones in every run.
struct Random(u64);

impl Random {
    /// A number in `0..n`.
    fn below(&mut self, n: i64) -> i64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let value = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33;
        i64::try_from(value).expect("31 bits fit") % n
    }

    fn delta(&mut self) -> Rational {
        rational(self.below(5), 1 + self.below(4))
    }

    /// A legal shape.
    fn hexagon(&mut self) -> Hexagon {
        let (h, delta0, delta1) = (self.below(5), self.delta(), self.delta());
        let w0 = Hexagon::min_w0(h, delta0, delta1) + self.below(4);
        Hexagon::new(h, w0, delta0, delta1)
    }
}

fn rational(num: i64, den: i64) -> Rational {
    Rational::new(num, den).expect("a small fraction")
}

/// All integer distances (dt, ds) with dt <= 3 in the cone of the shape.
fn distances(hexagon: &Hexagon) -> Vec<(i64, i64)> {
    (1..=3)
        .flat_map(|dt| (-12..=12).map(move |ds| (dt, ds)))
        .filter(|&(dt, ds)| {
            hexagon.delta0.num * dt >= ds * hexagon.delta0.den
                && -hexagon.delta1.num * dt <= ds * hexagon.delta1.den
        })
        .collect()
}

/// Points of one period of the tiling: tiles repeat after H rows and W columns.
fn period(hexagon: &Hexagon) -> impl Iterator<Item = (i64, i64)> {
    let (height, width) = (hexagon.height(), hexagon.width());
    (-height..height).flat_map(move |u| (-width..width).map(move |s| (u, s)))
}

/// In how many hexagons, over both phases, the point lies.
fn n_covers(hexagon: &Hexagon, u: i64, s: i64) -> usize {
    Phase::ALL
        .iter()
        .filter(|&&phase| {
            let (_, _, a, b) = hexagon.box_of(phase, u, s);
            hexagon.contains(a, b)
        })
        .count()
}

#[test]
fn every_point_is_in_exactly_one_hexagon() {
    let mut random = Random(1);
    for _ in 0..400 {
        let hexagon = random.hexagon();
        for (u, s) in period(&hexagon) {
            assert_eq!(n_covers(&hexagon, u, s), 1, "{hexagon:?} at ({u}, {s})");
        }
        assert_eq!(
            hexagon.height() * hexagon.width(),
            2 * hexagon.n_points(),
            "{hexagon:?}"
        );
    }
}

#[test]
fn rows_stay_in_their_box_and_are_not_empty() {
    let mut random = Random(2);
    for _ in 0..400 {
        let hexagon = random.hexagon();
        for a in 0..hexagon.height() {
            let row = hexagon.row(a);
            assert!(
                0 <= *row.start() && row.start() <= row.end(),
                "{hexagon:?} row {a}"
            );
            assert!(*row.end() < hexagon.width(), "{hexagon:?} row {a}");
        }
        assert!(hexagon.row(-1).is_empty() && hexagon.row(hexagon.height()).is_empty());
    }
}

#[test]
fn all_tiles_have_the_same_number_of_points() {
    let mut random = Random(3);
    for _ in 0..100 {
        let hexagon = random.hexagon();
        let (height, width) = (hexagon.height(), hexagon.width());
        for phase in Phase::ALL {
            for (time_tile, space_tile) in [(0, 0), (-2, 1), (1, -3), (3, 2)] {
                let (u0, s0) = hexagon.origin(phase, time_tile, space_tile);
                let n = (0..height)
                    .flat_map(|a| (-width..2 * width).map(move |b| (u0 + a, s0 + b)))
                    .filter(|&(u, s)| hexagon.tile_of(u, s) == (time_tile, phase, space_tile))
                    .count();
                assert_eq!(i64::try_from(n), Ok(hexagon.n_points()), "{hexagon:?}");
            }
        }
    }
}

#[test]
fn dependences_respect_the_order_of_tiles() {
    let mut random = Random(4);
    for _ in 0..250 {
        let hexagon = random.hexagon();
        for (dt, ds) in distances(&hexagon) {
            for (u, s) in period(&hexagon) {
                let (time_tile, phase, space_tile) = hexagon.tile_of(u, s);
                let (target_time, target_phase, target_space) = hexagon.tile_of(u + dt, s + ds);
                assert!(
                    (time_tile, phase) < (target_time, target_phase)
                        || (time_tile, phase, space_tile)
                            == (target_time, target_phase, target_space),
                    "{hexagon:?}: ({u}, {s}) + ({dt}, {ds})"
                );
            }
        }
    }
}

/// The printed equation (3) shifts phase 0 by floor(delta1 h) + w0 + 1.
#[test]
fn the_printed_equation_3_fails_where_the_two_floors_differ() {
    let mut random = Random(5);
    let (mut n_right, mut n_wrong) = (0, 0);
    for _ in 0..300 {
        let hexagon = random.hexagon();
        let floor = |delta: Rational| (delta * Rational::from(hexagon.h)).floor();
        let printed = Hexagon {
            phase0_shift: floor(hexagon.delta1) + hexagon.w0 + 1,
            ..hexagon
        };
        let covers = period(&printed).all(|(u, s)| n_covers(&printed, u, s) == 1);
        assert_eq!(
            covers,
            floor(hexagon.delta0) == floor(hexagon.delta1),
            "{hexagon:?}"
        );
        if covers { n_right += 1 } else { n_wrong += 1 }
    }
    assert!(
        n_right > 50 && n_wrong > 50,
        "{n_right} right, {n_wrong} wrong"
    );
}

/// Section 3.7 for delta0 = delta1 = 1, and the example of section 3.3.2.
#[test]
fn counts_of_the_paper() {
    let one = rational(1, 1);
    for h in 0..12 {
        for w0 in 0..12 {
            let hexagon = Hexagon::new(h, w0, one, one);
            assert_eq!(hexagon.n_points(), 2 * (1 + 2 * h + h * h + w0 * (h + 1)));
        }
    }
    // Distances (1, -2) and (2, 2), h = 2: w0 >= 1, and figure 4 has w0 = 3.
    assert_eq!(Hexagon::min_w0(2, one, rational(2, 1)), 1);
    let figure4 = Hexagon::new(2, 3, one, rational(2, 1));
    assert_eq!(
        (figure4.height(), figure4.width(), figure4.drift()),
        (6, 14, 2)
    );
    assert_eq!(figure4.row(5), 2..=5);
}

/// Equation (1) by trial: the least integer that satisfies it.
#[test]
fn min_w0_is_the_least_that_satisfies_equation_1() {
    let mut random = Random(6);
    for _ in 0..300 {
        let (h, delta0, delta1) = (random.below(9), random.delta(), random.delta());
        let satisfies = |w0: i64| {
            [delta0, delta1]
                .iter()
                .all(|&delta| Rational::from(w0 + 1) >= delta + (delta * Rational::from(h)).fract())
        };
        let expected = (0..).find(|&w0| satisfies(w0));
        assert_eq!(
            Some(Hexagon::min_w0(h, delta0, delta1)),
            expected,
            "{h} {delta0} {delta1}"
        );
    }
}

#[test]
fn a_negative_bound_is_widened_to_zero() {
    let wide = Hexagon::new(3, 2, Rational::ZERO, rational(3, 2));
    assert_eq!(Hexagon::new(3, 2, rational(-1, 2), rational(3, 2)), wide);
    assert_eq!(Hexagon::min_w0(3, rational(-5, 1), Rational::ZERO), 0);
}

#[test]
fn rows_agree_with_the_constraints_in_isl() {
    let ctx = Ctx::new().expect("a context");
    let mut random = Random(7);
    for _ in 0..40 {
        let hexagon = random.hexagon();
        let sizes = TileSizes {
            h: hexagon.h,
            w: vec![hexagon.w0],
        };
        let schedule = HybridSchedule::new(1, 0, hexagon.delta0, &[hexagon.delta1], &sizes);
        let schedule = schedule.expect("a legal shape");
        for (position, phase) in Phase::ALL.iter().enumerate() {
            let tile =
                Set::read(&ctx, &format!("{{ [2, {position}, -1, a, b] }}")).expect("a tile");
            let map = schedule.phase_map(&ctx, *phase).expect("a map");
            let mut points: Vec<(i64, i64)> = map
                .range()
                .and_then(|range| range.intersect(&tile))
                .and_then(|tile| tile.points(100_000))
                .expect("the points of a tile")
                .iter()
                .map(|point| (point[3], point[4]))
                .collect();
            points.sort_unstable();
            let expected: Vec<(i64, i64)> = (0..hexagon.height())
                .flat_map(|a| hexagon.row(a).map(move |b| (a, b)))
                .collect();
            assert_eq!(points, expected, "{hexagon:?} {phase:?}");
        }
    }
}

#[test]
fn phase_map_agrees_with_tile_of() {
    let ctx = Ctx::new().expect("a context");
    let mut random = Random(8);
    for round in 0..16 {
        let hexagon = random.hexagon();
        let hex_dim = usize::try_from(random.below(2)).expect("0 or 1");
        let other = random.delta();
        let mut delta1 = vec![other; 2];
        delta1[hex_dim] = hexagon.delta1;
        let mut w = vec![1 + random.below(5); 2];
        w[hex_dim] = hexagon.w0;
        let sizes = TileSizes { h: hexagon.h, w };
        let mut schedule = HybridSchedule::new(1, hex_dim, hexagon.delta0, &delta1, &sizes)
            .expect("a legal schedule");
        if round % 4 == 0 {
            schedule.phase_order.reverse();
        }
        let window = Set::read(
            &ctx,
            "{ [u, s0, s1] : -9 <= u <= 13 and -7 <= s0 <= 12 and -6 <= s1 <= 11 }",
        )
        .expect("a window");
        let mut n_points = 0;
        for phase in Phase::ALL {
            let points = schedule
                .phase_map(&ctx, phase)
                .and_then(|map| map.intersect_domain(&window))
                .and_then(|map| map.wrap())
                .and_then(|pairs| pairs.points(100_000))
                .expect("the points of a window");
            for point in &points {
                let [u, s0, s1, time_tile, p, space_tile, other_tile, a, b, local] = point[..]
                else {
                    panic!("{} coordinates", point.len());
                };
                let (s_hex, s_other) = if hex_dim == 0 { (s0, s1) } else { (s1, s0) };
                let classical = &schedule.classical[0];
                assert_eq!(hexagon.tile_of(u, s_hex), (time_tile, phase, space_tile));
                assert_eq!(
                    hexagon.box_of(phase, u, s_hex),
                    (time_tile, space_tile, a, b)
                );
                assert_eq!(p, schedule.position(phase));
                assert_eq!(other_tile, classical.tile_of(s_other, a));
                assert_eq!(local, classical.local_of(s_other, a));
            }
            n_points += points.len();
        }
        assert_eq!(n_points, 23 * 20 * 18, "{}", schedule.describe());
    }
}
