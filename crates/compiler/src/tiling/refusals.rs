//! What users are told where a tiling cannot have the sizes that they ask for.

use crate::canonical::Canonical;
use crate::diag::Diagnostic;
use crate::options::Options;
use crate::sched::{ScheduleError, VerifyError};
use crate::scop::Scop;
use crate::tile_size::{self, RowsError};

/// `--hex-dim` beyond the dimensions of the stencil.
pub(super) fn no_such_dimension(hex_dim: usize, canonical: &Canonical) -> Box<Diagnostic> {
    let (n, names) = (canonical.n_space, &canonical.names);
    Box::new(
        Diagnostic::error(
            "HX0504",
            format!("`--hex-dim={hex_dim}` names no space dimension: the stencil has {n}"),
        )
        .help(match n {
            1 => format!("0 is the only one ({})", names[1]),
            n => format!(
                "0 is the outermost ({}), {} the innermost ({})",
                names[1],
                n - 1,
                names[n]
            ),
        }),
    )
}

pub(super) fn tile_error(error: ScheduleError) -> Box<Diagnostic> {
    let code = match error {
        ScheduleError::WidthBelowMinimum { .. } => "HX0301",
        ScheduleError::HeightNotMultiple { .. } => "HX0302",
        _ => "HX0303",
    };
    let d = Diagnostic::error(code, format!("tile sizes do not fit: {error}"));
    if let ScheduleError::HeightNotMultiple { h, k } = error {
        let below = (h + 1) / k * k - 1;
        let legal = if below < 0 {
            format!("{}", k - 1)
        } else {
            format!("{below} or {}", below + k)
        };
        return Box::new(
            d.note("every tile must start with the same statement (CGO'14, section 3.3.2)")
                .help(format!("choose h = {legal}")),
        );
    }
    Box::new(match code {
        "HX0301" => d
            .note("a narrower hexagon would not be convex (CGO'14, equation (1))")
            .help("choose a larger w0, the first width in `--tile h=..,w=w0:..`, or a smaller h"),
        _ => {
            d.help("`--tile h=3,w=8:64` gives h and one width per space dimension, outermost first")
        }
    })
}

pub(super) fn no_wavefront(canonical: &Canonical, dim: usize) -> Box<Diagnostic> {
    let name = canonical.names.get(dim + 1).map_or("?", String::as_str);
    Box::new(
        Diagnostic::error(
            "HX0304",
            format!("tiles along space dimension {dim} ({name}) cannot run in parallel waves"),
        )
        .note("they must be wider than the slopes of the dependences times the height of a tile")
        .help("choose wider tiles, name another dimension, or leave `--wavefront` away"),
    )
}

/// Rows per thread that the given tile, or every one tried, cannot have.
pub(super) fn rows_error(error: RowsError, options: &Options) -> Box<Diagnostic> {
    let given = format!(
        "`--rows-per-thread {}`",
        options.rows_per_thread.unwrap_or(0)
    );
    Box::new(match error {
        RowsError::OneDimension => Diagnostic::error(
            "HX0509",
            "`--rows-per-thread` has no effect in one dimension".to_string(),
        )
        .note("a tile is one row of contiguous points")
        .help("`--threads` says how many threads share it"),
        RowsError::TooMany(rows) => Diagnostic::error(
            "HX0509",
            format!("{given} has no effect: the tile has {rows} rows of contiguous points"),
        )
        .help(format!("choose {rows} at most, or a larger tile")),
        RowsError::TooFew { thread_rows, least } => {
            let threads = options.threads.unwrap_or(tile_size::MAX_THREADS);
            Diagnostic::error(
                "HX0510",
                format!("{given} needs {thread_rows} rows of threads, more than a block has"),
            )
            .note(format!(
                "a row of threads is a warp of 32 at least, and a block has at most {threads} threads"
            ))
            .help(format!("choose {least} or more rows, or a smaller tile"))
        }
    })
}

/// No tile size that was tried fits.
pub(super) fn no_tile_for_rows(options: &Options) -> Box<Diagnostic> {
    let n = options.rows_per_thread.unwrap_or(0);
    let threads = options.threads.unwrap_or(tile_size::MAX_THREADS);
    Box::new(
        Diagnostic::error("HX0510", format!("no tile has `--rows-per-thread {n}`"))
            .note(format!(
                "of those tried that fit into shared memory, each has fewer rows, or more than a block of {threads} threads can take"
            ))
            .help("choose another number, or give sizes with `--tile`"),
    )
}

pub(super) fn no_tile(limit: i64) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error(
            "HX0402",
            format!("no tile fits into {limit} bytes of shared memory"),
        )
        .note("a tile holds the elements it reads and writes")
        .help("give sizes with `--tile`, raise `--shared-memory`, or use `--memory global`"),
    )
}

pub(super) fn shared_exceeded(bytes: i64, limit: i64) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error(
            "HX0403",
            format!("the tile needs {bytes} bytes of shared memory"),
        )
        .note(format!("a block can use at most {limit} bytes"))
        .help("choose smaller tile sizes, or `--memory global`"),
    )
}

pub(super) fn not_proven(error: VerifyError) -> Box<Diagnostic> {
    Box::new(Diagnostic::bug(format!(
        "the schedule could not be proven legal: {error}"
    )))
}

pub(super) fn no_overlapped(canonical: &Canonical, scop: &Scop, refusal: &str) -> Box<Diagnostic> {
    let first = canonical.stmts.first().map(|s| &scop.stmts[s.stmt]);
    let mut d = Diagnostic::error("HX0305", "overlapped tiling does not apply");
    if let Some(stmt) = first {
        d = d.at(stmt.span.clone(), "this stencil");
    }
    Box::new(d.note(refusal))
}

/// A wavefront along a dimension that is not classical.
pub(super) fn not_classical(dim: usize, hex_dim: usize, n_space: usize) -> Box<Diagnostic> {
    let d = Diagnostic::error(
        "HX0304",
        format!("`--wavefront {dim}` names no classical dimension"),
    );
    let hexagons = format!(
        "along space dimension {hex_dim} tiles are hexagons, which run in parallel already"
    );
    let classical: Vec<String> = (0..n_space)
        .filter(|&d| d != hex_dim)
        .map(|d| d.to_string())
        .collect();
    Box::new(match classical.as_slice() {
        [] => d
            .note(hexagons)
            .help("leave `--wavefront` away: the stencil has one dimension"),
        all => d.note(hexagons).help(format!(
            "choose {}, or leave `--wavefront` away",
            all.join(" or ")
        )),
    })
}
