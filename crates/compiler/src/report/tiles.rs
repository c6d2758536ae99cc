//! The ranked tile sizes as a table: what `hexcc explain --tiles` prints.

use crate::compiled::{Compiled, Unit};
use crate::preference;
use crate::scop::SavedScop;
use crate::step_time::StepTime;
use crate::target::Target;
use crate::tile_size::Choice;
use crate::tiling::Kernel;
use std::fmt::Write;

/// Heads of the columns; the text is right-aligned under them.
const HEAD: [&str; 18] = [
    "h",
    "w",
    "threads",
    "iterations",
    "loads",
    "stores",
    "shared",
    "regs",
    "blocks/SM",
    "waves",
    "issue",
    "smem",
    "L2",
    "DRAM",
    "latency",
    "B/cell",
    "GCell/s",
    "limit",
];

/// Lists the candidates of every time loop, the best first.
pub fn explain_tiles(saved: &SavedScop, compiled: &Compiled, target: &Target) -> String {
    let mut text = String::new();
    for (index, unit) in compiled.units.iter().enumerate() {
        if index > 0 {
            text.push('\n');
        }
        let line = saved.source.line(unit.analysis.chunk.span.start);
        let _ = writeln!(
            text,
            "time loop {} at {}:{line}, tile sizes for {} and {}",
            index + 1,
            saved.source.path,
            target.name,
            unit.tiled.problem
        );
        if let Some(hybrid) = unit.hybrid() {
            let _ = writeln!(
                text,
                "counts per full tile; times in ps of the whole GPU per update of a point\n"
            );
            let mut rows = vec![HEAD.map(str::to_string)];
            rows.extend(hybrid.tiles.iter().map(row));
            text.push_str(&aligned(&rows));
            text.push('\n');
        }
        text.push_str(&overlapped(unit));
        if let Some(steps) = &unit.tiled.steps {
            text.push_str(&single_steps(steps));
        }
        let _ = writeln!(text, "taken: {}", taken_of_all(compiled, unit));
    }
    text
}

/// What is predicted of single steps.
fn single_steps(steps: &StepTime) -> String {
    let [issue, memory, launches] = steps.terms;
    let rows = [
        [
            "issue",
            "memory",
            "launches",
            "B/cell",
            "GCell/s",
            "DRAM limit",
        ]
        .map(str::to_string),
        [
            format!("{issue:.3}"),
            format!("{memory:.3}"),
            format!("{launches:.3}"),
            steps.bytes.to_string(),
            format!("{:.0}", steps.points()),
            format!("{:.0}", steps.limit / steps.updates.max(1) as f64),
        ],
    ];
    format!("one launch per step\n\n{}\n", aligned(&rows))
}

/// The tiling taken of all, and why.
fn taken_of_all(compiled: &Compiled, unit: &Unit) -> String {
    match preference::over_tiles(&compiled.scop, unit) {
        Ok(Some(why)) => {
            let notes: String = why.notes.iter().map(|n| format!("; {n}")).collect();
            format!("one launch per step: {}{notes}", why.message)
        }
        Ok(None) | Err(_) => taken(unit),
    }
}

/// Heads of the columns for overlapped tiling.
const STREAM_HEAD: [&str; 13] = [
    "steps",
    "vector",
    "ahead",
    "blocks/SM",
    "columns",
    "rows",
    "redundancy",
    "regs",
    "slots",
    "issue",
    "DRAM",
    "B/cell",
    "GCell/s",
];

/// The sizes of overlapped tiles.
fn overlapped(unit: &Unit) -> String {
    let mut text = String::new();
    if !unit.tiled.overlapped_sizes.is_empty() {
        text.push_str("overlapped tiling; slots are thread-instructions per update\n\n");
        let mut rows = vec![STREAM_HEAD.map(str::to_string)];
        rows.extend(unit.tiled.overlapped_sizes.iter().map(|c| {
            [
                c.tile.steps.to_string(),
                c.tile.vector.to_string(),
                c.tile.ahead.to_string(),
                c.tile.min_blocks.to_string(),
                c.width.to_string(),
                c.rows.to_string(),
                format!("{:.2}", c.redundancy),
                c.registers.to_string(),
                format!("{:.1}", c.slots),
                format!("{:.3}", c.terms[0]),
                format!("{:.3}", c.terms[2]),
                format!("{:.2}", c.dram_bytes),
                format!("{:.0}", c.gcells),
            ]
        }));
        text.push_str(&aligned(&rows));
        text.push('\n');
    }
    text
}

/// The tiling taken, and why.
pub fn taken(unit: &Unit) -> String {
    match (&unit.tiled.kernel, &unit.tiled.not_overlapped) {
        (Kernel::Overlapped(kernel, _), _) => match kernel.shared() {
            Some(shared) => format!("overlapped tiling, {}, {}", shared.name(), kernel.tile()),
            None => format!("overlapped tiling, {}", kernel.tile()),
        },
        (Kernel::Hybrid(_), Some(why)) => format!("hybrid tiling; not overlapped, because {why}"),
        (Kernel::Hybrid(_), None) => "hybrid tiling, as asked for".to_string(),
    }
}

fn row(choice: &Choice) -> [String; 18] {
    let widths: Vec<String> = choice.sizes.w.iter().map(i64::to_string).collect();
    let work = &choice.work;
    let time = |ps: f64| format!("{ps:.3}");
    let mut cells = [
        choice.sizes.h.to_string(),
        widths.join(":"),
        format!("{}x{}", choice.block[0], choice.block[1]),
        work.iterations.to_string(),
        work.loads.to_string(),
        work.stores.to_string(),
        work.shared_bytes.to_string(),
        String::new(),
        String::new(),
        String::new(),
        String::new(),
        String::new(),
        String::new(),
        String::new(),
        String::new(),
        String::new(),
        String::new(),
        "does not fit".to_string(),
    ];
    if let Some(p) = &choice.prediction {
        let t = &p.terms;
        let predicted = [
            p.registers.to_string(),
            p.resident_blocks.to_string(),
            format!("{:.2}", p.waves),
            time(t.issue.max(t.arithmetic)),
            time(t.shared),
            time(t.l2),
            time(t.dram),
            time(t.latency),
            format!("{:.2}", p.dram_bytes),
            format!("{:.0}", p.gcells),
            p.limiting.to_string(),
        ];
        cells[7..].clone_from_slice(&predicted);
    }
    cells
}

/// Rows of cells, flush right.
fn aligned<const N: usize>(rows: &[[String; N]]) -> String {
    let mut text = String::new();
    let widths: Vec<usize> = (0..N)
        .map(|d| rows.iter().map(|r| r[d].len()).max().unwrap_or(0))
        .collect();
    for row in rows {
        for (cell, width) in row.iter().zip(&widths) {
            let _ = write!(text, "  {cell:>width$}");
        }
        text.push('\n');
    }
    text
}
