//! The points of a search, in the order in which they are tried.

use crate::cache;
use crate::report::{Point, Shape};
use crate::variant::Variant;
use hexcc_compiler::diag::{self, Diagnostic};
use hexcc_compiler::explore;
use hexcc_compiler::options::{Options, Tiling};
use hexcc_compiler::scop::SavedScop;
use hexcc_compiler::stream_size::StreamChoice;
use hexcc_compiler::tile_size::Choice;
use hexcc_isl::Ctx;
use std::collections::{HashMap, HashSet};

/// A point to measure: plain data that threads share.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) variant: Variant,
    pub(super) shape: Shape,
    pub(super) predicted: f64,
}

impl Candidate {
    fn hybrid(choice: &Choice) -> Candidate {
        Candidate {
            variant: Variant::of(choice),
            shape: Shape::Hybrid {
                h: choice.sizes.h,
                w: choice.sizes.w.clone(),
                hex_dim: choice.schedule.hex_dim,
            },
            predicted: choice.gcells(),
        }
    }

    fn streamed(choice: &StreamChoice) -> Candidate {
        let tile = choice.tile;
        Candidate {
            variant: Variant::streamed(tile, choice.shared),
            shape: Shape::Stream {
                t: tile.steps,
                v: tile.vector,
                rows: tile.rows,
                ahead: tile.ahead,
                warps: tile.warps,
                blocks: tile.min_blocks,
            },
            predicted: choice.gcells,
        }
    }

    /// Time steps of a tile, for k logical steps in each.
    pub(super) fn steps(&self, k: i64) -> i64 {
        match &self.shape {
            Shape::Hybrid { h, .. } => (2 * h + 2).div_euclid(k.max(1)).max(1),
            Shape::Stream { t, .. } => *t,
            Shape::Steps {} => 1,
        }
    }

    pub(super) fn point(&self) -> Point {
        Point {
            variant: self.variant.clone(),
            shape: self.shape.clone(),
            predicted: self.predicted,
            measured: None,
            ms: None,
            steps: 0,
            registers: 0,
            local_bytes: 0,
            shared_bytes: 0,
            correct: None,
            error: None,
        }
    }
}

/// The model's candidates in the order they are tried.
pub(super) fn candidates(
    ctx: &Ctx,
    saved: &SavedScop,
    options: &Options,
) -> diag::Result<Vec<Candidate>> {
    let tiling = cache::searched_tiling(options);
    let mut all = explore::explore(ctx, saved, options, |exploration| {
        let mut given = Vec::new();
        let mut all = Vec::new();
        if tiling != Tiling::Overlapped {
            if options.tile.is_some() {
                given.extend(exploration.choices(options)?.iter().map(Candidate::hybrid));
            }
            let free = Options {
                tile: None,
                ..options.clone()
            };
            all.extend(exploration.choices(&free)?.iter().map(Candidate::hybrid));
        }
        if tiling != Tiling::Hybrid {
            let streamed = |options: &Options| {
                let choices = exploration.stream_choices(options)?;
                Ok::<_, Box<Diagnostic>>(choices.iter().map(Candidate::streamed).collect())
            };
            if options.stream_tile.is_some() {
                let choices: Vec<Candidate> = streamed(options)?;
                given.extend(choices);
            }
            let free = Options {
                stream_tile: None,
                ..options.clone()
            };
            let choices: Vec<Candidate> = streamed(&free)?;
            all.extend(choices);
        }
        // The best of the model first; equal ones keep their order.
        all.sort_by(|a, b| b.predicted.total_cmp(&a.predicted));
        given.extend(in_order(all));
        Ok::<_, Box<Diagnostic>>(given)
    })??;
    let mut seen = HashSet::new();
    all.retain(|c| seen.insert(c.variant.to_string()));
    Ok(all)
}

/// The best of the model first; then the best of every combination of height
/// and hexagon width (of steps and columns, for overlapped tiles), then their second
/// best, and so on, so that a model that errs about one of them does not hide the rest.
fn in_order(choices: Vec<Candidate>) -> Vec<Candidate> {
    const FAVOURITES: usize = 24;
    // The best of every other tiling and kernel follows: a short search compares them.
    let mut kinds = HashSet::new();
    let kind = |c: &Candidate| (c.variant.tiling(), c.variant.shared());
    let (mut choices, others): (Vec<_>, Vec<_>) =
        (choices.into_iter()).partition(|c| kinds.insert(kind(c)));
    choices.extend(others);
    let rest = choices.split_off(FAVOURITES.min(choices.len()));
    let shape = |c: &Candidate| match (&c.shape, &c.variant) {
        (Shape::Hybrid { h, w, hex_dim }, Variant::Hybrid { wavefront, .. }) => {
            (Tiling::Hybrid, *h, w.get(*hex_dim).copied(), *wavefront)
        }
        (Shape::Hybrid { h, .. }, _) => (Tiling::Hybrid, *h, None, None),
        (Shape::Steps {}, _) => (Tiling::Stepwise, 0, None, None),
        (Shape::Stream { t, v, .. }, _) => (Tiling::Overlapped, *t, Some(*v), None),
    };
    let mut seen = HashMap::new();
    let mut ranked: Vec<(usize, Candidate)> = (rest.into_iter())
        .map(|c| {
            let n = seen.entry(shape(&c)).or_insert(0);
            *n += 1;
            (*n, c)
        })
        .collect();
    // A stable sort: the model's order within a round.
    ranked.sort_by_key(|(n, _)| *n);
    choices.extend(ranked.into_iter().map(|(_, c)| c));
    choices
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_comes_before_a_second_of_the_same() {
        let candidate = |h: i64, w: i64| Candidate {
            variant: Variant::Hybrid {
                tile: format!("h={h},w={w}:64"),
                threads: 64,
                wavefront: None,
            },
            shape: Shape::Hybrid {
                h,
                w: vec![w, 64],
                hex_dim: 0,
            },
            predicted: 0.0,
        };
        let mut all: Vec<Candidate> = (0..30).map(|_| candidate(3, 5)).collect();
        all.push(candidate(7, 5));
        let order = in_order(all);
        assert_eq!(order.len(), 31);
        let at = order.iter().position(|c| c.steps(1) == 16);
        assert_eq!(at, Some(25));
        let stream = Candidate {
            variant: Variant::Overlapped {
                stream_tile: "steps=5,vector=1".to_string(),
                shared: None,
            },
            shape: Shape::Stream {
                t: 5,
                v: 1,
                rows: 0,
                ahead: 4,
                warps: 4,
                blocks: 2,
            },
            predicted: 0.0,
        };
        let mut all: Vec<Candidate> = (0..30).map(|_| candidate(3, 5)).collect();
        all.push(stream);
        let order = in_order(all);
        let at = order.iter().position(|c| c.steps(1) == 5);
        assert_eq!((at, order.len()), (Some(1), 31));
    }
}
