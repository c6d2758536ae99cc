//! The proof that a schedule is legal, made anew for every compilation.
//!
//! # What is proved
//!
//! A dependence is given by its set of distances [du, ds_0, .., ds_n], taken
//! as uniform over all of Z^(n+2): a superset of the program's dependences,
//! so that neither sizes nor parameters matter. A dependence from x to x + d
//! is respected if x + d executes after x, and never at the same time, where
//! (T, p) and the classical tiles S_i are sequential, S_hex is parallel, and
//! rows `a` with no barrier in between are parallel.
//!
//! # Why problems over one space dimension suffice
//!
//! Every property below is stated over (u, s_j, du, ds_j) for a single space
//! dimension j, on the projection of the distances, which is why it takes
//! milliseconds in any number of dimensions. Together they imply the lexicographic statement:
//!
//! * T, p, a, S_hex and b are functions of (u, s_hex) alone. By (a), every
//!   point has exactly one value of each.
//! * du >= 1 and (b1): either (T, p) grows strictly, and a later kernel
//!   launch executes the target; or (T, p) is the same.
//! * If it is the same, (b2) says that S_hex is the same: one block executes both.
//! * S_i is a function of (u, s_i) alone for given p. By (c1), no S_i
//!   decreases, so (S_1, .., S_n) stays or grows in lexicographic order for
//!   every order of the dimensions. If it grows, the block comes to the target later.
//! * By (c2), a barrier stands between the row of the source and that of the
//!   target, whether or not the S_i grew. When they did, the barrier that
//!   ends the source's group of rows still lies between the two. This is also why no
//!   barrier is asked for after the last row.
//!
//! # Wavefronts
//!
//! With a [`Wavefront`] of lag l over the classical dimension i, number the
//! phases q = 2 T + p, and let all tiles with equal l q + S_i run in parallel,
//! in increasing order of that number. (d): whenever q grows by dq >= 1, l dq +
//! dS_i >= 1, so a later launch executes the target. When q stays the same, S_i
//! stays or grows by (c1); if it grows, a later launch executes the target, and if it stays,
//! S_hex does too by (b2), so that one block executes both, in the order above.
//! Source and target rows relate by du = dq H / 2 + a1 - a, since the tiles of q
//! begin at u = (q - 1) H / 2.
//!
//! # Variables
//!
//! isl sees [a, b, dT, dS, du, ds]: the local coordinates of the source, how
//! many tiles the target is further in T and S, and the distance. From (2) to
//! (5), with the shifts c and e, of u and s, of the source's and target's phases,
//!
//! ```text
//! u      = H T        + a  - c_source        s      = W S        - drift T        + b  - e_source
//! u + du = H (T + dT) + a1 - c_target        s + ds = W (S + dS) - drift (T + dT) + b1 - e_target
//! ```
//!
//! so that the target's local coordinates a1 and b1 follow from these six.
//! T and S themselves cancel, because the tiling is invariant under
//! translation by whole tiles; leaving them out loses nothing and makes the proof
//! five times faster. For a dependence within one phase the shifts cancel
//! too, so that the relations for both phases are the same and are asked about
//! once. Box bounds on (a, b) and (a1, b1) make both ends the unique local
//! coordinates of their points.
//!
//! # Not quite necessary
//!
//! The converse does not hold in full: (c1) and (c2) look at each
//! dimension's projection alone, so a set of distances whose extremes never
//! coincide could be refused without need. Distances taken from a cone never are.
//!
//! # Stands between
//!
//! `sched` and every later pass: nothing may generate code from a schedule that has no [`Proof`].

use std::fmt;
use std::time::{Duration, Instant};

use hexcc_isl::{Ctx, DimType, Map, Set};

use super::{ClassicalDim, HybridSchedule, Phase, Wavefront};

/// That a schedule respects all dependences. Only [`verify`] makes one.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Proof {
    /// Number of sets that isl found to be empty.
    pub n_checks: usize,
    /// Wall clock time the proof took.
    pub elapsed: Duration,
}

/// The property of a schedule that a dependence violates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Property {
    /// The target is at a later logical time step: du >= 1.
    TimeForward,
    /// (b1): the target is in no earlier (T, p) than the source.
    TileOrder,
    /// (b2): source and target are not in two tiles that run in parallel.
    ParallelTiles,
    /// (c1): the target is in no earlier classical tile of the same block.
    ClassicalOrder,
    /// (d): the target is in a later wave, or in the same (T, p).
    WaveOrder,
    /// (c2): a barrier stands between the rows of source and target.
    BarrierBetween,
}

impl fmt::Display for Property {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Property::TimeForward => "a dependence does not advance logical time (du >= 1)",
            Property::TileOrder => "a dependence goes backward in (T, p)",
            Property::ParallelTiles => "a dependence connects tiles that run in parallel",
            Property::ClassicalOrder => "a dependence goes back to an earlier classical tile",
            Property::WaveOrder => "a dependence does not go forward in the waves of a wavefront",
            Property::BarrierBetween => "a dependence has no barrier between its two rows",
        })
    }
}

/// One end of a sample dependence, seen in one space dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instance {
    /// Logical time step.
    pub u: i64,
    /// Coordinate in the space dimension of the [`Violation`].
    pub s: i64,
    /// The phase that executes the instance.
    pub phase: Phase,
    /// T.
    pub time_tile: i64,
    /// S of the space dimension.
    pub space_tile: i64,
    /// Local row.
    pub a: i64,
    /// Position in the tile along the space dimension: b, or s'_i.
    pub local: i64,
}

impl fmt::Display for Instance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Instance {
            u,
            s,
            phase,
            time_tile,
            space_tile,
            a,
            local,
        } = *self;
        let phase = phase.number();
        write!(
            f,
            "(u = {u}, s = {s}) in tile (T = {time_tile}, phase {phase}, S = {space_tile}) at ({a}, {local})"
        )
    }
}

/// A dependence that a schedule does not respect, with a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Violation {
    /// What is violated.
    pub property: Property,
    /// Index into the distances given to [`verify`].
    pub distance: usize,
    /// Space dimension of the sample, in source order.
    pub dim: usize,
    /// The instance depended upon, which must execute first.
    pub source: Instance,
    /// The instance that depends on it.
    pub target: Instance,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Violation {
            property,
            distance,
            dim,
            source,
            target,
        } = self;
        write!(
            f,
            "{property}: dependence {distance}, space dimension {dim}, from {source} to {target}"
        )
    }
}

/// Why a schedule could not be proved legal. After tile sizes passed
/// [`HybridSchedule::new`], any of these is a bug of hexcc.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VerifyError {
    /// The parts of the schedule do not fit together.
    #[error("the schedule is malformed: {0}")]
    Malformed(&'static str),
    /// (a): no hexagon executes this point.
    #[error("no hexagon contains the point (u = {u}, s = {s})")]
    NotCovered {
        /// Logical time step.
        u: i64,
        /// Coordinate in the hexagonal dimension.
        s: i64,
    },
    /// (a): a hexagon of each phase executes this point.
    #[error("hexagons of both phases contain the point (u = {u}, s = {s})")]
    CoveredTwice {
        /// Logical time step.
        u: i64,
        /// Coordinate in the hexagonal dimension.
        s: i64,
    },
    /// A dependence is not respected.
    #[error("{0}")]
    Violation(Box<Violation>),
    /// isl failed, so nothing is proved.
    #[error("isl failed: {0}")]
    Isl(#[from] hexcc_isl::Error),
}

/// Proves that `schedule` respects the dependences whose distances are given,
/// or says which property fails, for which dependence, and where.
///
/// `distances` holds one set per dependence, without parameters, over
/// [du, ds_0, .., ds_n] with the space dimensions in source order. The
/// properties, and why they suffice, are in the head of `verify.rs`.
pub fn verify(
    ctx: &Ctx,
    schedule: &HybridSchedule,
    distances: &[Set],
) -> Result<Proof, VerifyError> {
    let start = Instant::now();
    check_form(schedule)?;
    let mut checker = Checker {
        ctx,
        schedule,
        n_checks: 0,
    };
    checker.check_coverage()?;
    let hex = checker.lift(distances, schedule.hex_dim)?;
    checker.check_time_forward(&hex)?;
    for (source, target) in PHASE_PAIRS {
        checker.check_phases(&hex, source, target)?;
    }
    for classical in &schedule.classical {
        let lifted = checker.lift(distances, classical.dim)?;
        checker.check_classical_order(&lifted, classical)?;
        if let Some(wavefront) = schedule.wavefront.filter(|w| w.dim == classical.dim) {
            checker.check_wave_order(&lifted, classical, wavefront.lag)?;
        }
    }
    Ok(Proof {
        n_checks: checker.n_checks,
        elapsed: start.elapsed(),
    })
}

/// The schedule with parallel tiles along the classical dimension `dim`, with
/// the smallest lag that can be proved; `None` where none up to `MAX_LAG` can.
///
/// # Errors
/// As for [`verify`], for reasons other than the lag.
pub fn with_wavefront(
    ctx: &Ctx,
    schedule: &HybridSchedule,
    distances: &[Set],
    dim: usize,
) -> Result<Option<HybridSchedule>, VerifyError> {
    let Some(classical) = schedule.classical_dim(dim) else {
        return Ok(None);
    };
    let mut checker = Checker {
        ctx,
        schedule,
        n_checks: 0,
    };
    let lifted = checker.lift(distances, dim)?;
    for lag in 1..=MAX_LAG {
        match checker.check_wave_order(&lifted, classical, lag) {
            Ok(()) => {
                return Ok(Some(HybridSchedule {
                    wavefront: Some(Wavefront { dim, lag }),
                    ..schedule.clone()
                }));
            }
            Err(VerifyError::Violation(_)) => {}
            Err(e) => return Err(e),
        }
    }
    Ok(None)
}

/// Largest lag tried: with more, tiles are too narrow for the slopes.
const MAX_LAG: i64 = 16;

/// What the fields of a schedule promise each other, and the numbers that the
/// constraints below divide by.
fn check_form(schedule: &HybridSchedule) -> Result<(), VerifyError> {
    let HybridSchedule {
        k,
        n_space,
        hex_dim,
        ref hexagon,
        ref classical,
        ..
    } = *schedule;
    let expected_dims = (0..n_space).filter(|&dim| dim != hex_dim);
    let conditions = [
        (hexagon.h >= 0, "the height is negative"),
        (
            hexagon.width() >= 1,
            "the width of the boxes is not positive",
        ),
        (
            k >= 1 && (hexagon.h + 1) % k == 0,
            "h + 1 is no multiple of k",
        ),
        (hex_dim < n_space, "the hexagonal dimension is out of range"),
        (
            classical
                .iter()
                .map(|classical| classical.dim)
                .eq(expected_dims),
            "the classical dimensions are not all others in source order",
        ),
        (
            classical.iter().all(|classical| classical.w >= 1),
            "a classical width is not positive",
        ),
        (
            i64::try_from(schedule.barrier_after_row.len()) == Ok(hexagon.height()),
            "there is not one barrier entry per row",
        ),
        (
            schedule.phase_order[0] != schedule.phase_order[1],
            "a phase is missing in the order",
        ),
        (
            (schedule.wavefront).is_none_or(|w| {
                w.lag >= 1
                    && classical.iter().any(|c| c.dim == w.dim)
                    && schedule.phase_order == Phase::ALL
            }),
            "the wavefront is not along a classical dimension",
        ),
    ];
    match conditions.iter().find(|(holds, _)| !holds) {
        Some((_, message)) => Err(VerifyError::Malformed(message)),
        None => Ok(()),
    }
}

/// The coordinates that isl sees; see the head of this file.
const COORDINATES: &str = "[a, b, dT, dS, du, ds]";

/// All pairs of phases of source and target. Within a phase, one relation serves both phases.
const PHASE_PAIRS: [(Phase, Phase); 3] = [
    (Phase::One, Phase::One),
    (Phase::Zero, Phase::One),
    (Phase::One, Phase::Zero),
];

/// The distances in one space dimension.
struct Lifted {
    /// Space dimension in source order.
    dim: usize,
    /// All distances over [`COORDINATES`], with all but du and ds free: one
    /// emptiness test instead of one per dependence.
    all: Set,
    /// One set over [du, ds] per dependence, to name the culprit.
    each: Vec<Set>,
    /// Takes [du, ds] to [`COORDINATES`].
    lift: Map,
}

/// Which phases execute source and target, and what is to be ruled out.
struct Question {
    property: Property,
    source: Phase,
    target: Phase,
}

/// Texts of the target's coordinates and of what confines both ends.
struct Hexagons {
    /// The target's row a1.
    row: String,
    /// The target's column b1.
    column: String,
    /// 0 <= a < H and so on, for both ends.
    in_boxes: String,
}

struct Checker<'a> {
    ctx: &'a Ctx,
    schedule: &'a HybridSchedule,
    n_checks: usize,
}

impl Checker<'_> {
    /// (a): the hexagons of the two phases are disjoint and leave nothing out.
    ///
    /// The "source" is a point in its box of phase 0, and the "target" is the same
    /// point in its box of phase 1; every point has exactly one of each.
    fn check_coverage(&mut self) -> Result<(), VerifyError> {
        let hexagon = &self.schedule.hexagon;
        let Hexagons {
            row,
            column,
            in_boxes,
        } = self.hexagons(Phase::Zero, Phase::One);
        let in_zero = hexagon.shape_constraints("a", "b");
        let in_one = hexagon.shape_constraints(&row, &column);
        let everywhere = format!("du = 0 and ds = 0 and {in_boxes}");
        self.n_checks += 2;

        let twice = self.read(&format!("{everywhere} and {in_zero} and {in_one}"))?;
        if !twice.is_empty()? {
            let (u, s) = self.source(Phase::Zero, sample(&twice)?);
            return Err(VerifyError::CoveredTwice { u, s });
        }
        let outside_zero = self
            .read(&everywhere)?
            .intersect(&self.read(&format!("not ({in_zero})"))?)?;
        let in_one = self.read(&in_one)?;
        if !outside_zero.is_subset(&in_one)? {
            let (u, s) = self.source(Phase::Zero, sample(&outside_zero.subtract(&in_one)?)?);
            return Err(VerifyError::NotCovered { u, s });
        }
        Ok(())
    }

    /// Projects the distances onto (du, ds_dim) and leaves the other coordinates free.
    fn lift(&self, distances: &[Set], dim: usize) -> Result<Lifted, VerifyError> {
        let wrong_dimensions =
            || VerifyError::Malformed("a distance has the wrong number of dimensions");
        let before = u32::try_from(dim).map_err(|_| wrong_dimensions())?;
        let after =
            u32::try_from(self.schedule.n_space - dim - 1).map_err(|_| wrong_dimensions())?;
        let mut all = Set::read(self.ctx, "{ [du, ds] : false }")?;
        let mut each = Vec::with_capacity(distances.len());
        for distance in distances {
            if distance.dim(DimType::Set)? != self.schedule.n_space + 1 {
                return Err(wrong_dimensions());
            }
            let projected = distance
                .project_out(DimType::Set, before + 2, after)?
                .project_out(DimType::Set, 1, before)?;
            all = all.union(&projected)?;
            each.push(projected);
        }
        let lift = Map::read(self.ctx, &format!("{{ [du, ds] -> {COORDINATES} }}"))?;
        let all = all.coalesce()?.apply(&lift)?;
        Ok(Lifted {
            dim,
            all,
            each,
            lift,
        })
    }

    /// All dependences are carried by logical time.
    fn check_time_forward(&mut self, distances: &Lifted) -> Result<(), VerifyError> {
        let origin = self.read("a = 0 and b = 0")?;
        let (source, target) = (Phase::One, Phase::One);
        self.ask(
            distances,
            &Question {
                property: Property::TimeForward,
                source,
                target,
            },
            &origin,
            &["du <= 0"],
        )
    }

    /// (b1) for a pair of phases; and (b2) and (c2), within one phase.
    fn check_phases(
        &mut self,
        distances: &Lifted,
        source: Phase,
        target: Phase,
    ) -> Result<(), VerifyError> {
        let hexagon = &self.schedule.hexagon;
        let Hexagons {
            row,
            column,
            in_boxes,
        } = self.hexagons(source, target);
        let in_source = hexagon.shape_constraints("a", "b");
        let in_target = hexagon.shape_constraints(&row, &column);
        let pairs = self.read(&format!("{in_boxes} and {in_source} and {in_target}"))?;

        let question = |property| Question {
            property,
            source,
            target,
        };
        let target_is_first = self.schedule.position(target) < self.schedule.position(source);
        let backward = if target_is_first { "dT <= 0" } else { "dT < 0" };
        self.ask(
            distances,
            &question(Property::TileOrder),
            &pairs,
            &[backward],
        )?;
        if source == target {
            let parallel = question(Property::ParallelTiles);
            self.ask(distances, &parallel, &pairs, &["dT = 0", "dS < 0"])?;
            self.ask(distances, &parallel, &pairs, &["dT = 0", "dS > 0"])?;
            let unordered = self.rows_without_barrier();
            let barriers = question(Property::BarrierBetween);
            self.ask(
                distances,
                &barriers,
                &pairs,
                &["dT = 0", "dS = 0", &unordered],
            )?;
        }
        Ok(())
    }

    /// No barrier stands between the rows a and a + du of one tile: they are in
    /// one group of rows, or the target's is the earlier one.
    fn rows_without_barrier(&self) -> String {
        let barriers = &self.schedule.barrier_after_row;
        let mut unordered = vec!["du <= 0".to_owned()];
        let mut first = 0;
        for (row, &barrier) in barriers.iter().enumerate() {
            if !barrier && row + 1 < barriers.len() {
                continue;
            }
            if first < row {
                unordered.push(format!("({first} <= a and a + du <= {row})"));
            }
            first = row + 1;
        }
        unordered.join(" or ")
    }

    /// (c1): within one (T, p), no target is in an earlier classical tile.
    ///
    /// Here b and dS belong to the classical dimension, and dT = 0, so that the
    /// target's row is a + du in either phase. The ends need not be in a
    /// hexagon: all its rows are inhabited, so that would rule out nothing.
    fn check_classical_order(
        &mut self,
        distances: &Lifted,
        classical: &ClassicalDim,
    ) -> Result<(), VerifyError> {
        let (height, w) = (self.schedule.hexagon.height(), classical.w);
        let (skew, target_skew) = (classical.skew_text("a"), classical.skew_text("(a + du)"));
        let local = format!("(b + ds + {target_skew} - {skew} - {w}*dS)");
        let pairs = self.read(&format!(
            "dT = 0 and 0 <= a and a + du < {height} and 0 <= b < {w} and 0 <= {local} < {w}"
        ))?;
        let (source, target) = (Phase::One, Phase::One);
        let question = Question {
            property: Property::ClassicalOrder,
            source,
            target,
        };
        self.ask(distances, &question, &pairs, &["dS < 0"])
    }

    /// (d): from one (T, p) to a later one, no target is in the same or an
    /// earlier wave. dT stands for dq here.
    fn check_wave_order(
        &mut self,
        distances: &Lifted,
        classical: &ClassicalDim,
        lag: i64,
    ) -> Result<(), VerifyError> {
        let (height, w) = (self.schedule.hexagon.height(), classical.w);
        let row = format!("(a + du - {}*dT)", height / 2);
        let (skew, target_skew) = (classical.skew_text("a"), classical.skew_text(&row));
        let local = format!("(b + ds + {target_skew} - {skew} - {w}*dS)");
        let pairs = self.read(&format!(
            "dT >= 1 and 0 <= a < {height} and 0 <= {row} < {height} and 0 <= b < {w} and 0 <= {local} < {w}"
        ))?;
        let (source, target) = (Phase::One, Phase::One);
        let question = Question {
            property: Property::WaveOrder,
            source,
            target,
        };
        let behind = format!("{lag}*dT + dS <= 0");
        self.ask(distances, &question, &pairs, &[&behind])
    }

    /// The target's local coordinates, solved from the equations in the head of this file.
    fn hexagons(&self, source: Phase, target: Phase) -> Hexagons {
        let hexagon = &self.schedule.hexagon;
        let (height, width, drift) = (hexagon.height(), hexagon.width(), hexagon.drift());
        let time_shift = hexagon.time_shift(target) - hexagon.time_shift(source);
        let space_shift = hexagon.space_shift(target) - hexagon.space_shift(source);
        let row = format!("(a + du + {time_shift} - {height}*dT)");
        let column = format!("(b + ds + {space_shift} + {drift}*dT - {width}*dS)");
        let in_boxes = format!(
            "0 <= a < {height} and 0 <= b < {width} and 0 <= {row} < {height} and 0 <= {column} < {width}"
        );
        Hexagons {
            row,
            column,
            in_boxes,
        }
    }

    /// A set over [`COORDINATES`].
    fn read(&self, constraints: &str) -> Result<Set, VerifyError> {
        Ok(Set::read(
            self.ctx,
            &format!("{{ {COORDINATES} : {constraints} }}"),
        )?)
    }

    /// Proves that no distance connects one of `pairs` under all `conditions`,
    /// which come one by one because isl adds a single constraint for free.
    fn ask(
        &mut self,
        distances: &Lifted,
        question: &Question,
        pairs: &Set,
        conditions: &[&str],
    ) -> Result<(), VerifyError> {
        self.n_checks += 1;
        let mut violations = pairs.clone();
        for condition in conditions {
            violations = violations.intersect(&self.read(condition)?)?;
        }
        if violations.intersect(&distances.all)?.is_empty()? {
            return Ok(());
        }
        for (index, distance) in distances.each.iter().enumerate() {
            let found = violations.intersect(&distance.apply(&distances.lift)?)?;
            if found.is_empty()? {
                continue;
            }
            let point = sample(&found)?;
            let [.., du, ds] = point;
            let dim = distances.dim;
            let (u, s) = match self.classical(dim) {
                None => self.source(question.source, point),
                Some(classical) => {
                    let [a, local, ..] = point;
                    (
                        a - self.schedule.hexagon.time_shift(question.source),
                        local - classical.skew(a),
                    )
                }
            };
            return Err(VerifyError::Violation(Box::new(Violation {
                property: question.property,
                distance: index,
                dim,
                source: self.instance(question.source, dim, u, s),
                target: self.instance(question.target, dim, u + du, s + ds),
            })));
        }
        // The union has a violation, so one of its parts has.
        Err(VerifyError::Malformed("isl contradicts itself"))
    }

    /// The point (u, s) that a sample's source stands for, in the tile T = S = 0.
    fn source(&self, phase: Phase, point: [i64; 6]) -> (i64, i64) {
        let (u, s) = self.schedule.hexagon.origin(phase, 0, 0);
        (u + point[0], s + point[1])
    }

    fn classical(&self, dim: usize) -> Option<&ClassicalDim> {
        self.schedule
            .classical
            .iter()
            .find(|classical| classical.dim == dim)
    }

    /// Where a phase puts the point (u, s) of one space dimension.
    fn instance(&self, phase: Phase, dim: usize, u: i64, s: i64) -> Instance {
        let (time_tile, mut space_tile, a, mut local) = self.schedule.hexagon.box_of(phase, u, s);
        if let Some(classical) = self.classical(dim) {
            (space_tile, local) = (classical.tile_of(s, a), classical.local_of(s, a));
        }
        Instance {
            u,
            s,
            phase,
            time_tile,
            space_tile,
            a,
            local,
        }
    }
}

/// The coordinates of a point of a set that is not empty.
fn sample(set: &Set) -> Result<[i64; 6], VerifyError> {
    let point = set.sample_point()?.unwrap_or_default();
    point
        .try_into()
        .map_err(|_| VerifyError::Malformed("isl gave no sample of a set"))
}
