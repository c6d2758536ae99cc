//! The hybrid tiling: hexagons over (u, s_hex), classical tiles over the
//! other space dimensions. CGO'14 section 3.6.

use std::fmt;
use std::str::FromStr;

use hexcc_isl::{Ctx, Map, Rational};

use super::{ClassicalDim, Hexagon};

/// The two sets of hexagons that interlock within a time tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Phase {
    /// The blue tiles of figure 5, half a tile earlier in time.
    Zero,
    /// The green tiles of figure 5.
    One,
}

impl Phase {
    /// Both phases in the order of their execution within a time tile.
    pub const ALL: [Phase; 2] = [Phase::Zero, Phase::One];

    /// The number of the phase in the paper.
    pub fn number(self) -> i64 {
        match self {
            Phase::Zero => 0,
            Phase::One => 1,
        }
    }
}

/// The tile size parameters of section 3.3.2 and 3.4.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TileSizes {
    /// Half height: tiles have 2 h + 2 logical time steps.
    pub h: i64,
    /// One width per space dimension in source order, in points. The entry of
    /// the hexagonal dimension is w0 of the paper (a parameter of the tile's width, see
    /// [`Hexagon::width`]); all others are exact widths.
    pub w: Vec<i64>,
}

/// `h=H,w=W0:W1:..`.
impl fmt::Display for TileSizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let w: Vec<String> = self.w.iter().map(ToString::to_string).collect();
        write!(f, "h={},w={}", self.h, w.join(":"))
    }
}

impl FromStr for TileSizes {
    type Err = String;

    fn from_str(text: &str) -> Result<TileSizes, String> {
        let form = "expected `h=H,w=W0:W1:..`";
        let (h, w) = text.split_once(',').ok_or(form)?;
        let h = h.trim().strip_prefix("h=").ok_or(form)?;
        let w = w.trim().strip_prefix("w=").ok_or(form)?;
        let number = |t: &str| {
            t.trim()
                .parse::<i64>()
                .map_err(|_| format!("`{t}` is not a number; {form}"))
        };
        Ok(TileSizes {
            h: number(h)?,
            w: w.split(':').map(number).collect::<Result<_, _>>()?,
        })
    }
}

/// Why tile sizes were refused. All of these are the user's to repair.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScheduleError {
    /// Equation (1) does not hold.
    #[error(
        "hexagon width w0 = {w0} is below the smallest legal one for height h = {h}, which is {min}"
    )]
    WidthBelowMinimum {
        /// The width asked for.
        w0: i64,
        /// The smallest legal width.
        min: i64,
        /// The height it was asked for.
        h: i64,
    },
    /// h + 1 is no multiple of k, so that tiles would start with different statements.
    #[error("h = {h}, but h + 1 must be a multiple of {k}, the logical time steps per time step")]
    HeightNotMultiple {
        /// The height asked for.
        h: i64,
        /// Logical time steps per source time step.
        k: i64,
    },
    /// h < 0.
    #[error("tile height h must not be negative")]
    NegativeHeight,
    /// A classical dimension needs w >= 1.
    #[error("tile width of space dimension {dim} must be at least 1, not {w}")]
    WidthNotPositive {
        /// Space dimension in source order.
        dim: usize,
        /// The width asked for.
        w: i64,
    },
    /// One width per space dimension is needed.
    #[error("expected {expected} tile widths, one per space dimension, but got {got}")]
    WrongNumberOfWidths {
        /// Number of space dimensions.
        expected: usize,
        /// Number of widths given.
        got: usize,
    },
    /// The hexagonal dimension does not exist.
    #[error("the hexagonal dimension is out of range")]
    HexDimOutOfRange,
    /// A size so large that tile arithmetic could leave 64 bits, or tables memory.
    #[error("tile size {size} is above the supported maximum of {max}")]
    SizeTooLarge {
        /// The size asked for.
        size: i64,
        /// The largest size accepted.
        max: i64,
    },
}

/// A tiling of the canonical space [u, s0, .., sn]; see the [module](super)
/// for the order in which its coordinates execute.
#[derive(Clone, Debug, PartialEq)]
pub struct HybridSchedule {
    /// Logical time steps per source time step: u = k t + slot, 0 <= slot < k.
    pub k: i64,
    /// Number of space dimensions.
    pub n_space: usize,
    /// The space dimension tiled by hexagons, in source order.
    pub hex_dim: usize,
    /// The hexagon over (u, s_hex).
    pub hexagon: Hexagon,
    /// All other space dimensions, in source order.
    pub classical: Vec<ClassicalDim>,
    /// One entry per local row a, H in all: whether the block meets at a
    /// barrier after that row. All true when built by [`HybridSchedule::new`].
    pub barrier_after_row: Vec<bool>,
    /// Order of execution of the phases within one time tile T.
    pub phase_order: [Phase; 2],
    /// A classical dimension whose tiles run in parallel, too.
    pub wavefront: Option<Wavefront>,
}

/// Parallel tiles along a classical dimension: with p = 2 T + the position of
/// the phase, all tiles with equal lag * p + S_dim run at the same time, in
/// increasing order of that number.
///
/// The paper runs classical tiles one after the other and has only the hexagons
/// of a phase in parallel, which leaves a GPU idle in three dimensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wavefront {
    /// The classical dimension.
    pub dim: usize,
    /// Tiles by which each phase stays behind the one before it.
    pub lag: i64,
}

impl HybridSchedule {
    /// The classical tiling of a space dimension; `None` for the hexagonal one.
    pub fn classical_dim(&self, dim: usize) -> Option<&ClassicalDim> {
        self.classical.iter().find(|c| c.dim == dim)
    }

    /// The space dimension along which rows of contiguous points follow each other in a
    /// tile, and rows of threads in a block: the classical one next to the innermost, or
    /// the hexagonal one where there is no such; `None` in one dimension.
    pub fn row_dim(&self) -> Option<usize> {
        let inner = self.n_space.checked_sub(1)?;
        let classical = self.classical.iter().rev().map(|c| c.dim);
        (classical.into_iter().find(|&d| d != inner)).or((inner > 0).then_some(self.hex_dim))
    }

    /// Rows of contiguous points along [`Self::row_dim`], of the widest row of hexagons
    /// where that is the hexagonal dimension; 1 in one dimension.
    pub fn rows_of_points(&self) -> i64 {
        let Some(dim) = self.row_dim() else { return 1 };
        self.classical_dim(dim).map_or_else(
            || {
                let row = |a| self.hexagon.row(a);
                let rows = (0..self.hexagon.height()).map(row);
                rows.map(|r| r.end() - r.start() + 1).max().unwrap_or(1)
            },
            |c| c.w,
        )
    }

    /// Rows of threads for which each thread has at most `rows_per_thread` rows.
    pub fn thread_rows(&self, rows_per_thread: i64) -> i64 {
        let n = rows_per_thread.max(1);
        (self.rows_of_points() + n - 1) / n
    }

    /// The sizes the schedule was made with.
    pub fn sizes(&self) -> TileSizes {
        let mut w = vec![self.hexagon.w0; self.n_space];
        for c in &self.classical {
            w[c.dim] = c.w;
        }
        TileSizes {
            h: self.hexagon.h,
            w,
        }
    }

    /// Largest h, w0 or w accepted.
    pub const MAX_SIZE: i64 = 1 << 20;

    /// Builds the schedule for the cone -delta1\[i\] du <= ds_i, and ds_hex <=
    /// delta0 du, of all dependences.
    ///
    /// `delta0` belongs to the hexagonal dimension `hex_dim`; `delta1` has one
    /// entry per space dimension in source order, the hexagonal one included.
    /// `k` is the number of logical time steps per source time step; h + 1
    /// must be a multiple of it so that local row a always executes slot a mod k.
    pub fn new(
        k: i64,
        hex_dim: usize,
        delta0: Rational,
        delta1: &[Rational],
        sizes: &TileSizes,
    ) -> Result<HybridSchedule, ScheduleError> {
        let n_space = delta1.len();
        let TileSizes { h, ref w } = *sizes;
        if w.len() != n_space {
            return Err(ScheduleError::WrongNumberOfWidths {
                expected: n_space,
                got: w.len(),
            });
        }
        let Some((&w0, &delta1_hex)) = w.get(hex_dim).zip(delta1.get(hex_dim)) else {
            return Err(ScheduleError::HexDimOutOfRange);
        };
        if let Some(&size) = w.iter().chain([&h]).find(|&&size| size > Self::MAX_SIZE) {
            return Err(ScheduleError::SizeTooLarge {
                size,
                max: Self::MAX_SIZE,
            });
        }
        if h < 0 {
            return Err(ScheduleError::NegativeHeight);
        }
        if k < 1 || (h + 1) % k != 0 {
            return Err(ScheduleError::HeightNotMultiple { h, k });
        }
        let min = Hexagon::min_w0(h, delta0, delta1_hex);
        if w0 < min {
            return Err(ScheduleError::WidthBelowMinimum { w0, min, h });
        }
        let mut classical = Vec::with_capacity(n_space - 1);
        for (dim, (&w, &delta1)) in w.iter().zip(delta1).enumerate() {
            if dim == hex_dim {
                continue;
            }
            if w < 1 {
                return Err(ScheduleError::WidthNotPositive { dim, w });
            }
            classical.push(ClassicalDim { dim, delta1, w });
        }
        let hexagon = Hexagon::new(h, w0, delta0, delta1_hex);
        Ok(HybridSchedule {
            k,
            n_space,
            hex_dim,
            hexagon,
            classical,
            barrier_after_row: (0..hexagon.height()).map(|_| true).collect(),
            phase_order: Phase::ALL,
            wavefront: None,
        })
    }

    /// The position of `phase` in [`phase_order`](Self::phase_order): the schedule's p.
    pub fn position(&self, phase: Phase) -> i64 {
        if self.phase_order[0] == phase { 0 } else { 1 }
    }

    /// The number of barriers between row 0 and row `a`. Rows with the same
    /// number run in parallel.
    pub fn barrier_group(&self, a: i64) -> usize {
        let n_before = usize::try_from(a).unwrap_or(0);
        self.barrier_after_row
            .iter()
            .take(n_before)
            .filter(|&&barrier| barrier)
            .count()
    }

    /// The schedule restricted to the hexagons of one phase:
    ///
    /// ```text
    /// { [u, s0, .., sn] -> [T, p, S_hex, S_i.., a, b, c_i..] }
    /// ```
    ///
    /// p is the position of the phase in [`phase_order`](Self::phase_order),
    /// and the classical dimensions i stand in source order. This is section
    /// 3.6: equations (2), (3) or (4), (5) for T and S_hex, (14) for S_i, the
    /// remainders (17) for c_i, and constraints (6), (8), (10), (12).
    pub fn phase_map(&self, ctx: &Ctx, phase: Phase) -> hexcc_isl::Result<Map> {
        Map::read(ctx, &self.phase_map_text(phase))
    }

    /// The text of [`phase_map`](Self::phase_map).
    fn phase_map_text(&self, phase: Phase) -> String {
        let s_hex = format!("s{}", self.hex_dim);
        let mut constraints = vec![
            self.hexagon.time_constraints(phase, "u", "T", "a"),
            self.hexagon.space_constraints(phase, &s_hex, "T", "S", "b"),
            self.hexagon.shape_constraints("a", "b"),
        ];
        let mut input = vec!["u".to_owned()];
        input.extend((0..self.n_space).map(|dim| format!("s{dim}")));
        let mut tiles = vec![
            "T".to_owned(),
            self.position(phase).to_string(),
            "S".to_owned(),
        ];
        let mut points = vec!["a".to_owned(), "b".to_owned()];
        for classical in &self.classical {
            let (tile, local) = (format!("S{}", classical.dim), format!("c{}", classical.dim));
            constraints.push(classical.constraints(
                &format!("s{}", classical.dim),
                "a",
                &tile,
                &local,
            ));
            tiles.push(tile);
            points.push(local);
        }
        let output = [tiles, points].concat();
        format!(
            "{{ [{}] -> [{}] : {} }}",
            input.join(", "),
            output.join(", "),
            constraints.join(" and ")
        )
    }

    /// One paragraph that names the schedule, for the head of generated code.
    pub fn describe(&self) -> String {
        let hexagon = &self.hexagon;
        let mut text = format!(
            "Hybrid hexagonal/classical tiling of {} space dimension{}, {} logical time step{} per \
             source time step. Hexagons over (u, s{}): h = {}, w0 = {}, -{} <= ds/du <= {}, \
             {} rows x {} columns per box, {} points per full tile, drift {} per time tile.",
            self.n_space,
            if self.n_space == 1 { "" } else { "s" },
            self.k,
            if self.k == 1 { "" } else { "s" },
            self.hex_dim,
            hexagon.h,
            hexagon.w0,
            hexagon.delta1,
            hexagon.delta0,
            hexagon.height(),
            hexagon.width(),
            hexagon.n_points(),
            hexagon.drift(),
        );
        for classical in &self.classical {
            text.push_str(&format!(
                " Classical tiles over s{}: w = {}, skewed by floor({} a) to the left in row a.",
                classical.dim, classical.w, classical.delta1
            ));
        }
        let n_barriers = self
            .barrier_after_row
            .iter()
            .filter(|&&barrier| barrier)
            .count();
        text.push_str(&format!(
            " {n_barriers} of {} rows end with a barrier.",
            self.barrier_after_row.len()
        ));
        text
    }
}
