//! The brute force itself: schedules made by hand pass, wrong ones do not.

use hexcc_fuzz::brute::{self, Facts, Fraction, Run};
use hexcc_fuzz::case::min_w0;
use hexcc_fuzz::generate;
use hexcc_fuzz::replay::{self, Schedule};
use hexcc_fuzz::rng::Rng;

/// A program whose time steps can be tiled: its instances and its facts.
fn tileable(index: u64) -> Option<(Run, Facts)> {
    let (program, _) = generate::program(&mut Rng::new(99, index));
    let size = [40, 14, 8, 6][program.n_dims() - 1];
    let run = brute::run(&program, &brute::env(&program, size, 12), 40_000)?;
    let facts = brute::facts(&program, &run, false);
    let flat = |s: &[Fraction]| s.iter().all(|f| f.num <= 3 * f.den);
    let good = !facts.cyclic && facts.carried && run.n_space > 0;
    (good && flat(&facts.delta0) && flat(&facts.delta1)).then_some((run, facts))
}

fn schedule(facts: &Facts, rng: &mut Rng) -> Schedule {
    let n = facts.delta1.len();
    let hex_dim = rng.below(n);
    let h = facts.k * rng.range(1, 3) - 1;
    let mut w: Vec<i64> = (0..n).map(|_| rng.range(1, 6)).collect();
    w[hex_dim] = min_w0(h, facts.delta0[hex_dim], facts.delta1[hex_dim]) + rng.range(0, 2);
    Schedule {
        k: facts.k,
        slots: facts.slots.clone(),
        hex_dim,
        h,
        w,
        delta0: facts.delta0[hex_dim],
        delta1: facts.delta1.clone(),
        barriers: vec![true; (2 * h + 2) as usize],
        wavefront: None,
    }
}

/// How many schedules `change` changes, and how many of those are found to be
/// illegal.
fn found(change: impl Fn(&mut Schedule) -> bool) -> (usize, usize) {
    let (mut changed, mut found) = (0, 0);
    for index in 0..250 {
        let Some((run, facts)) = tileable(index) else {
            continue;
        };
        let mut rng = Rng::new(7, index);
        let mut schedule = schedule(&facts, &mut rng);
        if !change(&mut schedule) {
            continue;
        }
        changed += 1;
        found += usize::from(replay::check(&schedule, &run, &mut rng, 3).is_some());
    }
    (changed, found)
}

/// Most must be found; the dependence with the steepest slope need not meet
/// the border of a tile at these sizes.
fn most((changed, found): (usize, usize)) {
    assert!(
        changed > 20 && found * 10 >= changed * 7,
        "{found} of {changed}"
    );
}

#[test]
fn schedules_from_the_dependences_are_legal() {
    let (changed, found) = found(|_| true);
    assert!(changed > 100, "only {changed} programs can be tiled");
    assert_eq!(found, 0);
}

#[test]
fn a_slope_too_small_is_found() {
    most(found(|s| {
        let steep = s.delta0.num > 0;
        s.delta0 = Fraction::ZERO;
        // Narrower hexagons, so that tiles meet.
        s.w[s.hex_dim] = min_w0(s.h, s.delta0, s.delta1[s.hex_dim]);
        steep && s.h > 0
    }));
}

#[test]
fn a_classical_slope_too_small_is_found() {
    most(found(|s| {
        let dim = (0..s.w.len()).find(|&d| d != s.hex_dim && s.delta1[d].num > 0);
        if let Some(dim) = dim {
            s.delta1[dim] = Fraction::ZERO;
            s.w[dim] = s.w[dim].min(3);
        }
        dim.is_some()
    }));
}

#[test]
fn missing_barriers_are_found() {
    most(found(|s| {
        s.barriers.fill(false);
        s.h > 0 || s.k > 1
    }));
}

#[test]
fn a_wrong_order_of_statements_is_found() {
    let (changed, found) = found(|s| {
        let least = s.slots.iter().min().copied();
        let most = s.slots.iter().max().copied();
        let (Some(least), Some(most)) = (least, most) else {
            return false;
        };
        s.slots
            .iter_mut()
            .for_each(|slot| *slot = least + most - *slot);
        most > least
    });
    assert!(
        changed > 20 && found * 10 >= changed * 7,
        "{found} of {changed}"
    );
}

/// Tiles of a classical dimension in parallel: legal with a lag that leaves
/// room for what a phase reads of the one before, illegal without any.
#[test]
fn wavefronts() {
    let with = |lag: i64| {
        move |s: &mut Schedule| {
            let dim = (0..s.w.len()).find(|&d| d != s.hex_dim);
            let sloped = dim.is_some_and(|d| s.delta1[d].num > 0);
            s.wavefront = dim.map(|d| (d, lag));
            sloped
        }
    };
    let (changed, illegal) = found(with(60));
    assert!(changed > 40, "{changed}");
    assert_eq!(illegal, 0, "of {changed}");
    most(found(with(0)));
}
