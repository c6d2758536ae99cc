//! The proof accepts what brute force accepts, and refuses every mutation that brute force refuses.

use hexcc_compiler::sched::{
    Hexagon, HybridSchedule, Phase, Property, ScheduleError, TileSizes, VerifyError, Wavefront,
    verify, with_wavefront,
};
use hexcc_isl::{Ctx, Rational, Set};

/// xorshift64*: the same schedules in every run.
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

    fn index(&mut self, n: usize) -> usize {
        let n = i64::try_from(n).expect("a small number");
        usize::try_from(self.below(n)).expect("not negative")
    }

    fn delta(&mut self) -> Rational {
        rational(self.below(5), 1 + self.below(4))
    }
}

fn rational(num: i64, den: i64) -> Rational {
    Rational::new(num, den).expect("a small fraction")
}

/// One distance [du, ds_0, .., ds_n].
type Distance = Vec<i64>;

fn sets(ctx: &Ctx, distances: &[Distance]) -> Vec<Set> {
    distances
        .iter()
        .map(|d| Set::read(ctx, &format!("{{ {d:?} }}")).expect("a point"))
        .collect()
}

/// A legal schedule of `n_space` dimensions, and distances in its cone; in one
/// dimension these are all of them up to du = 3.
fn random_case(random: &mut Random, n_space: usize) -> (HybridSchedule, Vec<Distance>) {
    let hex_dim = random.index(n_space);
    let delta0 = random.delta();
    let delta1: Vec<Rational> = (0..n_space).map(|_| random.delta()).collect();
    let k = 1 + random.below(2);
    let h = k * (1 + random.below(3)) - 1;
    let min = Hexagon::min_w0(h, delta0, delta1[hex_dim]);
    let mut w: Vec<i64> = (0..n_space).map(|_| 1 + random.below(4)).collect();
    w[hex_dim] = min + random.below(4);
    let schedule =
        HybridSchedule::new(k, hex_dim, delta0, &delta1, &TileSizes { h, w }).expect("legal sizes");

    let lower = |dim: usize, du: i64| {
        (-delta1[dim].num * du + delta1[dim].den - 1).div_euclid(delta1[dim].den)
    };
    let upper = |dim: usize, du: i64| {
        if dim == hex_dim {
            (delta0.num * du).div_euclid(delta0.den)
        } else {
            lower(dim, du) + 4
        }
    };
    let mut distances = vec![vec![0; n_space + 1]];
    distances[0][0] = 1;
    if n_space == 1 {
        distances.extend(
            (1..=3).flat_map(|du| (lower(0, du)..=upper(0, du)).map(move |ds| vec![du, ds])),
        );
    } else {
        for _ in 0..10 {
            let du = 1 + random.below(3);
            let mut distance = vec![du];
            for dim in 0..n_space {
                // The extremes are the distances that matter.
                distance.push(match random.below(3) {
                    0 => lower(dim, du),
                    1 => upper(dim, du),
                    _ => lower(dim, du) + random.below(upper(dim, du) - lower(dim, du) + 1),
                });
            }
            distances.push(distance);
        }
    }
    (schedule, distances)
}

/// Whether a schedule of one space dimension respects the distances, by looking at
/// every point of one period: tiles repeat after H rows and W columns.
fn brute_force(schedule: &HybridSchedule, distances: &[Distance]) -> bool {
    let hexagon = &schedule.hexagon;
    // All (T, p, S, a) that execute a point.
    let executed = |u: i64, s: i64| -> Vec<(i64, i64, i64, i64)> {
        Phase::ALL
            .iter()
            .filter_map(|&phase| {
                let (time_tile, space_tile, a, b) = hexagon.box_of(phase, u, s);
                hexagon
                    .contains(a, b)
                    .then(|| (time_tile, schedule.position(phase), space_tile, a))
            })
            .collect()
    };
    (0..hexagon.height()).all(|u| {
        (0..hexagon.width()).all(|s| {
            let [source] = executed(u, s)[..] else {
                return false;
            };
            distances.iter().all(|distance| {
                let [target] = executed(u + distance[0], s + distance[1])[..] else {
                    return false;
                };
                match (target.0, target.1).cmp(&(source.0, source.1)) {
                    std::cmp::Ordering::Less => false,
                    std::cmp::Ordering::Greater => true,
                    std::cmp::Ordering::Equal => {
                        target.2 == source.2
                            && schedule.barrier_group(target.3) > schedule.barrier_group(source.3)
                    }
                }
            })
        })
    })
}

/// Verifies; a refusal must name a distance that exists, and show a pair of that distance.
fn verified(
    ctx: &Ctx,
    schedule: &HybridSchedule,
    distances: &[Distance],
) -> Result<(), VerifyError> {
    match verify(ctx, schedule, &sets(ctx, distances)) {
        Ok(proof) => {
            assert!(proof.n_checks >= 9);
            Ok(())
        }
        Err(VerifyError::Violation(violation)) => {
            let distance = &distances[violation.distance];
            let (source, target) = (violation.source, violation.target);
            assert_eq!(target.u - source.u, distance[0], "{violation}");
            assert_eq!(
                target.s - source.s,
                distance[1 + violation.dim],
                "{violation}"
            );
            let same_launch = source.phase == target.phase && source.time_tile == target.time_tile;
            let holds = match violation.property {
                Property::TimeForward => distance[0] >= 1,
                Property::TileOrder => {
                    let time = |end: &hexcc_compiler::sched::Instance| {
                        (end.time_tile, schedule.position(end.phase))
                    };
                    time(&target) >= time(&source)
                }
                Property::ParallelTiles => !same_launch || source.space_tile == target.space_tile,
                Property::ClassicalOrder => !same_launch || target.space_tile >= source.space_tile,
                // Only shown where the source's phase is an earlier one.
                Property::WaveOrder => false,
                Property::BarrierBetween => {
                    !same_launch
                        || schedule.barrier_group(target.a) > schedule.barrier_group(source.a)
                }
            };
            assert!(!holds, "the sample is no violation: {violation}");
            Err(VerifyError::Violation(violation))
        }
        Err(VerifyError::NotCovered { u, s }) => {
            assert_eq!(n_covers(&schedule.hexagon, u, s), 0);
            Err(VerifyError::NotCovered { u, s })
        }
        Err(VerifyError::CoveredTwice { u, s }) => {
            assert_eq!(n_covers(&schedule.hexagon, u, s), 2);
            Err(VerifyError::CoveredTwice { u, s })
        }
        Err(error) => panic!("{error}"),
    }
}

fn n_covers(hexagon: &Hexagon, u: i64, s: i64) -> usize {
    let covers = |phase| {
        let (_, _, a, b) = hexagon.box_of(phase, u, s);
        hexagon.contains(a, b)
    };
    Phase::ALL
        .into_iter()
        .filter(|&phase| covers(phase))
        .count()
}

fn property(result: Result<(), VerifyError>) -> Option<Property> {
    match result {
        Err(VerifyError::Violation(violation)) => Some(violation.property),
        _ => None,
    }
}

#[test]
fn legal_schedules_are_accepted_in_one_to_four_dimensions() {
    let ctx = Ctx::new().expect("a context");
    let mut random = Random(11);
    for n_space in 1..=4 {
        for _ in 0..25 {
            let (schedule, distances) = random_case(&mut random, n_space);
            let result = verified(&ctx, &schedule, &distances);
            assert_eq!(result, Ok(()), "{} {distances:?}", schedule.describe());
            if n_space == 1 {
                assert!(brute_force(&schedule, &distances));
            }
        }
    }
}

/// The lexicographic statement itself, on every point of one period of a schedule of two
/// dimensions: what the checks of one dimension each must imply together.
fn respects_order_2d(schedule: &HybridSchedule, distances: &[Distance]) -> bool {
    let (hexagon, classical) = (&schedule.hexagon, &schedule.classical[0]);
    let (hex, other) = (schedule.hex_dim, classical.dim);
    let executed = |u: i64, s: &[i64]| {
        let (time_tile, phase, hex_tile) = hexagon.tile_of(u, s[hex]);
        let (_, _, a, _) = hexagon.box_of(phase, u, s[hex]);
        let group = schedule.barrier_group(a);
        let launch = (time_tile, schedule.position(phase));
        (launch, hex_tile, (classical.tile_of(s[other], a), group))
    };
    (0..hexagon.height()).all(|u| {
        (0..hexagon.width()).all(|s_hex| {
            (0..classical.w).all(|s_other| {
                let mut s = [s_other; 2];
                s[hex] = s_hex;
                let source = executed(u, &s);
                distances.iter().all(|d| {
                    let target = executed(u + d[0], &[s[0] + d[1], s[1] + d[2]]);
                    target.0 > source.0
                        || (target.0 == source.0 && target.1 == source.1 && target.2 > source.2)
                })
            })
        })
    })
}

#[test]
fn accepted_schedules_respect_the_lexicographic_order() {
    let ctx = Ctx::new().expect("a context");
    let mut random = Random(12);
    let (mut n_proved, mut n_refused) = (0, 0);
    for round in 0..90 {
        let (mut schedule, distances) = random_case(&mut random, 2);
        let classical = &mut schedule.classical[0];
        if round % 3 == 1 {
            classical.delta1 = classical.delta1 - rational(1, classical.delta1.den);
        }
        if round % 3 == 2 {
            let row = random.index(schedule.barrier_after_row.len());
            schedule.barrier_after_row[row] = false;
        }
        if verified(&ctx, &schedule, &distances).is_ok() {
            n_proved += 1;
            assert!(
                respects_order_2d(&schedule, &distances),
                "{}",
                schedule.describe()
            );
        } else {
            n_refused += 1;
        }
    }
    assert!(
        n_proved >= 30 && n_refused > 20,
        "{n_proved} proved, {n_refused} refused"
    );
}

/// Changes the hexagon of random schedules of one space dimension; verdict and brute
/// force must agree. Gives the numbers of refused and of accepted schedules.
fn mutate(seed: u64, change: impl Fn(&HybridSchedule) -> Option<Hexagon>) -> (usize, usize) {
    let ctx = Ctx::new().expect("a context");
    let mut random = Random(seed);
    let (mut n_refused, mut n_accepted) = (0, 0);
    for _ in 0..80 {
        let (mut schedule, distances) = random_case(&mut random, 1);
        let Some(hexagon) = change(&schedule) else {
            continue;
        };
        schedule.hexagon = hexagon;
        let legal = brute_force(&schedule, &distances);
        let result = verified(&ctx, &schedule, &distances);
        assert_eq!(
            result.is_ok(),
            legal,
            "{result:?} {} {distances:?}",
            schedule.describe()
        );
        if legal {
            n_accepted += 1
        } else {
            n_refused += 1
        }
    }
    println!("{n_refused} refused, {n_accepted} accepted, as brute force does");
    (n_refused, n_accepted)
}

/// The shape for a cone whose delta0 is smaller than the dependences need.
fn narrowed(schedule: &HybridSchedule, by: Rational) -> Option<Hexagon> {
    let Hexagon {
        h,
        w0,
        delta0,
        delta1,
        ..
    } = schedule.hexagon;
    let narrow = delta0 - by;
    (narrow >= Rational::ZERO).then(|| Hexagon::new(h, w0, narrow, delta1))
}

#[test]
fn too_small_a_delta0_is_refused() {
    let (n_refused, _) = mutate(21, |schedule| narrowed(schedule, rational(1, 1)));
    assert!(n_refused > 10);
    let (n_refused, _) = mutate(22, |schedule| {
        narrowed(schedule, rational(1, schedule.hexagon.delta0.den))
    });
    assert!(n_refused > 20);
}

#[test]
fn too_small_a_delta1_of_the_hexagon_is_refused() {
    let (n_refused, _) = mutate(23, |schedule| {
        let Hexagon {
            h,
            w0,
            delta0,
            delta1,
            ..
        } = schedule.hexagon;
        let narrow = delta1 - rational(1, delta1.den);
        (narrow >= Rational::ZERO).then(|| Hexagon::new(h, w0, delta0, narrow))
    });
    assert!(n_refused > 20);
}

#[test]
fn a_wrong_shift_of_phase_0_is_refused() {
    for offset in [-1, 1] {
        let (_, n_accepted) = mutate(24, |schedule| {
            let phase0_shift = schedule.hexagon.phase0_shift + offset;
            Some(Hexagon {
                phase0_shift,
                ..schedule.hexagon
            })
        });
        assert_eq!(n_accepted, 0);
    }
    let (n_refused, n_accepted) = mutate(25, |schedule| {
        let Hexagon { h, w0, delta1, .. } = schedule.hexagon;
        let printed = (delta1 * Rational::from(h)).floor() + w0 + 1;
        Some(Hexagon {
            phase0_shift: printed,
            ..schedule.hexagon
        })
    });
    assert!(n_refused > 0 && n_accepted > 0);
}

#[test]
fn a_width_below_equation_1_is_refused() {
    let (n_refused, n_accepted) = mutate(26, |schedule| {
        let Hexagon {
            h, delta0, delta1, ..
        } = schedule.hexagon;
        let min = Hexagon::min_w0(h, delta0, delta1);
        (min > 0).then(|| Hexagon::new(h, min - 1, delta0, delta1))
    });
    // Equation (1) is sufficient, not necessary: brute force accepts some.
    assert!(
        n_refused > n_accepted,
        "{n_refused} refused, {n_accepted} accepted"
    );
}

#[test]
fn swapped_phases_are_refused() {
    let ctx = Ctx::new().expect("a context");
    let mut random = Random(27);
    for n_space in [1, 1, 1, 1, 2, 3] {
        let (mut schedule, distances) = random_case(&mut random, n_space);
        schedule.phase_order.reverse();
        let result = verified(&ctx, &schedule, &distances);
        assert_eq!(
            property(result),
            Some(Property::TileOrder),
            "{}",
            schedule.describe()
        );
    }
}

#[test]
fn a_missing_barrier_is_refused_at_each_row_but_the_last() {
    let ctx = Ctx::new().expect("a context");
    let mut random = Random(28);
    for n_space in [1, 1, 1, 2, 3] {
        let (schedule, distances) = random_case(&mut random, n_space);
        let n_rows = schedule.barrier_after_row.len();
        for row in 0..n_rows {
            let mut schedule = schedule.clone();
            schedule.barrier_after_row[row] = false;
            let expected = (row + 1 < n_rows).then_some(Property::BarrierBetween);
            assert_eq!(
                property(verified(&ctx, &schedule, &distances)),
                expected,
                "row {row}"
            );
        }
    }
}

#[test]
fn barriers_between_independent_rows_may_be_left_out() {
    let ctx = Ctx::new().expect("a context");
    let mut random = Random(29);
    let one = rational(1, 1);
    let sizes = TileSizes { h: 3, w: vec![2] };
    let (mut n_legal, mut n_illegal) = (0, 0);
    for _ in 0..60 {
        let mut schedule = HybridSchedule::new(2, 0, one, &[one], &sizes).expect("legal sizes");
        for barrier in &mut schedule.barrier_after_row {
            *barrier = random.below(3) > 0;
        }
        let distances = vec![vec![2, 0], vec![2, 1], vec![3, -2]];
        let legal = brute_force(&schedule, &distances);
        let result = verified(&ctx, &schedule, &distances);
        assert_eq!(result.is_ok(), legal, "{:?}", schedule.barrier_after_row);
        if legal { n_legal += 1 } else { n_illegal += 1 }
    }
    assert!(
        n_legal > 5 && n_illegal > 5,
        "{n_legal} legal, {n_illegal} illegal"
    );
}

#[test]
fn too_small_a_skew_of_a_classical_dimension_is_refused() {
    let ctx = Ctx::new().expect("a context");
    let mut random = Random(30);
    for n_space in 2..=4 {
        for _ in 0..10 {
            let (mut schedule, mut distances) = random_case(&mut random, n_space);
            let index = random.index(n_space - 1);
            let classical = &mut schedule.classical[index];
            // A distance that needs the whole of the bound, within the tile's rows.
            let du = classical.delta1.den;
            if du >= schedule.hexagon.height() {
                continue;
            }
            let mut extreme = vec![0; n_space + 1];
            extreme[0] = du;
            extreme[1 + classical.dim] = -classical.delta1.num;
            distances.push(extreme);
            classical.delta1 = classical.delta1 - rational(1, 1);
            let dim = classical.dim;
            match verify(&ctx, &schedule, &sets(&ctx, &distances)) {
                Err(VerifyError::Violation(violation)) => {
                    assert_eq!(
                        (violation.property, violation.dim),
                        (Property::ClassicalOrder, dim)
                    );
                }
                other => panic!("{other:?} for {}", schedule.describe()),
            }
            assert!(verified(&ctx, &schedule, &distances).is_err());
        }
    }
}

#[test]
fn a_distance_that_does_not_advance_time_is_refused() {
    let ctx = Ctx::new().expect("a context");
    let mut random = Random(31);
    for du in [0, -1] {
        let (schedule, mut distances) = random_case(&mut random, 2);
        let index = distances.len();
        distances.push(vec![du, 0, 0]);
        match verify(&ctx, &schedule, &sets(&ctx, &distances)) {
            Err(VerifyError::Violation(violation)) => {
                assert_eq!(
                    (violation.property, violation.distance),
                    (Property::TimeForward, index)
                );
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_whole_unbounded_cone_is_one_distance_set() {
    let ctx = Ctx::new().expect("a context");
    let delta1 = [rational(1, 2), rational(2, 1)];
    let sizes = TileSizes {
        h: 2,
        w: vec![4, 5],
    };
    let schedule = HybridSchedule::new(3, 0, rational(3, 2), &delta1, &sizes).expect("legal sizes");
    let cone = "{ [du, ds0, ds1] : du >= 1 and 2 ds0 <= 3 du and 2 ds0 >= -du and ds1 >= -2 du }";
    let cone = Set::read(&ctx, cone).expect("a cone");
    assert!(verify(&ctx, &schedule, std::slice::from_ref(&cone)).is_ok());
    let wider =
        "{ [du, ds0, ds1] : du >= 1 and 2 ds0 <= 3 du and 2 ds0 >= -du - 1 and ds1 >= -2 du }";
    let wider = Set::read(&ctx, wider).expect("a cone");
    let result = verify(&ctx, &schedule, &[cone, wider]);
    assert!(matches!(result, Err(VerifyError::Violation(violation)) if violation.distance == 1));
}

#[test]
fn malformed_input_is_refused_without_a_panic() {
    let ctx = Ctx::new().expect("a context");
    let (schedule, distances) = random_case(&mut Random(32), 2);
    let distances = sets(&ctx, &distances);
    let refused = |change: &dyn Fn(&mut HybridSchedule)| {
        let mut changed = schedule.clone();
        change(&mut changed);
        matches!(
            verify(&ctx, &changed, &distances),
            Err(VerifyError::Malformed(_))
        )
    };
    assert!(refused(&|s| s.k = 0));
    assert!(refused(&|s| s.k = s.hexagon.h + 2));
    assert!(refused(&|s| s.hex_dim = 2));
    assert!(refused(&|s| s.hexagon.h = -1));
    assert!(refused(&|s| s.classical[0].w = 0));
    assert!(refused(&|s| s.classical.clear()));
    assert!(refused(&|s| s.phase_order = [Phase::One, Phase::One]));
    assert!(refused(&|s| s.barrier_after_row.truncate(1)));
    let wrong = Set::read(&ctx, "{ [1, 0] }").expect("a point");
    assert!(verify(&ctx, &schedule, &[wrong]).is_err());
    let named = Set::read(&ctx, "{ S[1, 0, 0] }").expect("a point");
    let parametric = Set::read(&ctx, "[N] -> { [1, 0, N] }").expect("a point");
    // Neither is as documented; a refusal or a proof would both be sound, a panic not.
    let _ = verify(&ctx, &schedule, &[named]);
    assert!(verify(&ctx, &schedule, &[parametric]).is_err());
}

#[test]
fn sizes_are_checked() {
    let one = rational(1, 1);
    let new = |k, hex_dim, h, w: &[i64]| {
        let sizes = TileSizes { h, w: w.to_vec() };
        HybridSchedule::new(k, hex_dim, rational(3, 1), &[one, one], &sizes).map(|_| ())
    };
    assert_eq!(new(2, 1, 3, &[4, 2]), Ok(()));
    assert_eq!(
        new(1, 1, 3, &[4, 1]),
        Err(ScheduleError::WidthBelowMinimum {
            w0: 1,
            min: 2,
            h: 3
        })
    );
    assert_eq!(
        new(2, 1, 4, &[4, 2]),
        Err(ScheduleError::HeightNotMultiple { h: 4, k: 2 })
    );
    assert_eq!(
        new(0, 1, 3, &[4, 2]),
        Err(ScheduleError::HeightNotMultiple { h: 3, k: 0 })
    );
    assert_eq!(new(1, 1, -1, &[4, 2]), Err(ScheduleError::NegativeHeight));
    assert_eq!(
        new(1, 1, 3, &[0, 2]),
        Err(ScheduleError::WidthNotPositive { dim: 0, w: 0 })
    );
    assert_eq!(
        new(1, 1, 3, &[4]),
        Err(ScheduleError::WrongNumberOfWidths {
            expected: 2,
            got: 1
        })
    );
    assert_eq!(new(1, 2, 3, &[4, 2]), Err(ScheduleError::HexDimOutOfRange));
    assert!(matches!(
        new(1, 1, i64::MAX, &[4, 2]),
        Err(ScheduleError::SizeTooLarge { .. })
    ));
    assert!(matches!(
        new(1, 1, 3, &[4, i64::MAX]),
        Err(ScheduleError::SizeTooLarge { .. })
    ));
}

/// A star of radius 4 in three dimensions: 24 distances.
#[test]
fn a_3d_star_of_radius_4_takes_milliseconds() {
    let ctx = Ctx::new().expect("a context");
    let four = rational(4, 1);
    let mut distances = Vec::new();
    for dim in 0..3 {
        for offset in (-4..=4).filter(|&offset| offset != 0) {
            let mut distance = vec![1, 0, 0, 0];
            distance[1 + dim] = offset;
            distances.push(distance);
        }
    }
    let distances = sets(&ctx, &distances);
    let sizes = TileSizes {
        h: 3,
        w: vec![8, 8, 32],
    };
    let schedule = HybridSchedule::new(1, 0, four, &[four; 3], &sizes).expect("legal sizes");
    let proof = (0..5)
        .map(|_| verify(&ctx, &schedule, &distances).expect("a legal schedule"))
        .min_by_key(|proof| proof.elapsed)
        .expect("five proofs");
    println!(
        "3D star, radius 4: {} checks in {:?}",
        proof.n_checks, proof.elapsed
    );
}

/// Whether every dependence goes to a later wave, or to a later place in the
/// block of its source: by looking at all points of two periods.
fn waves_by_brute_force(schedule: &HybridSchedule, distances: &[Distance], w: Wavefront) -> bool {
    let hexagon = &schedule.hexagon;
    let classical = (schedule.classical_dim(w.dim)).expect("a classical dimension");
    // (phase counter, S along the dimension), of row a of phase counter q.
    let place = |u: i64, s_hex: i64, s: i64| {
        let (time_tile, phase, _) = hexagon.tile_of(u, s_hex);
        let (_, _, a, _) = hexagon.box_of(phase, u, s_hex);
        (
            2 * time_tile + schedule.position(phase),
            classical.tile_of(s, a),
        )
    };
    (0..hexagon.height()).all(|u| {
        (0..hexagon.width()).all(|s_hex| {
            (0..classical.w).all(|s| {
                let source = place(u, s_hex, s);
                distances.iter().all(|d| {
                    let target = place(u + d[0], s_hex + d[1 + schedule.hex_dim], s + d[1 + w.dim]);
                    let later = w.lag * (target.0 - source.0) + target.1 - source.1;
                    later > 0 || later == 0 && target == source
                })
            })
        })
    })
}

#[test]
fn wavefronts_have_a_lag_that_keeps_all_dependences() {
    let ctx = Ctx::new().expect("a context");
    let mut random = Random(41);
    let mut n_tight = 0;
    for case in 0..60 {
        let n_space = 2 + random.index(2);
        let (schedule, distances) = random_case(&mut random, n_space);
        let dims = schedule.classical.len();
        let dim = schedule.classical[random.index(dims)].dim;
        let found =
            with_wavefront(&ctx, &schedule, &sets(&ctx, &distances), dim).expect("isl works");
        let Some(waves) = found else { continue };
        verified(&ctx, &waves, &distances).expect("it was proved before");
        let wavefront = waves.wavefront.expect("there is one");
        assert!(
            waves_by_brute_force(&schedule, &distances, wavefront),
            "case {case}"
        );
        if wavefront.lag > 1 {
            let mut hasty = waves.clone();
            hasty.wavefront = Some(Wavefront {
                dim,
                lag: wavefront.lag - 1,
            });
            assert_eq!(
                property(verified(&ctx, &hasty, &distances)),
                Some(Property::WaveOrder)
            );
            let short = Wavefront {
                dim,
                lag: wavefront.lag - 1,
            };
            n_tight += usize::from(!waves_by_brute_force(&schedule, &distances, short));
        }
    }
    // Most of the lags are the smallest that brute force allows, too.
    assert!(n_tight > 10, "{n_tight}");
}

#[test]
fn a_wavefront_along_the_hexagons_is_refused() {
    let ctx = Ctx::new().expect("a context");
    let (mut schedule, distances) = random_case(&mut Random(3), 2);
    let hex_dim = schedule.hex_dim;
    let sets = sets(&ctx, &distances);
    assert!(
        with_wavefront(&ctx, &schedule, &sets, hex_dim)
            .expect("isl works")
            .is_none()
    );
    schedule.wavefront = Some(Wavefront {
        dim: hex_dim,
        lag: 2,
    });
    assert!(matches!(
        verify(&ctx, &schedule, &sets),
        Err(VerifyError::Malformed(_))
    ));
}
