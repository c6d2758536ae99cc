//! The ranked tile sizes as a table: what `hexcc explain --tiles` prints.

use crate::csource;
use crate::pipeline::{Compiled, Unit};
use crate::scop::SavedScop;
use crate::target::Target;
use crate::tile_size::Choice;
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
        let line = csource::line_col(&saved.source.text, unit.chunk.span.start).0;
        let _ = writeln!(
            text,
            "time loop {} at {}:{line}, tile sizes for {} and {}",
            index + 1,
            saved.source.path,
            target.name,
            problem(unit)
        );
        let _ = writeln!(
            text,
            "counts per full tile; times in ps of the whole GPU per update of a point\n"
        );
        let mut rows = vec![HEAD.map(str::to_string)];
        rows.extend(unit.tiles.iter().map(row));
        text.push_str(&aligned(&rows));
    }
    text
}

/// The sizes that times are for.
fn problem(unit: &Unit) -> String {
    let extents: Vec<String> = unit.problem.extents.iter().map(f64::to_string).collect();
    format!(
        "{} points, {} steps",
        extents.join(" x "),
        unit.problem.steps
    )
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
fn aligned(rows: &[[String; 18]]) -> String {
    let mut text = String::new();
    let widths: Vec<usize> = (0..HEAD.len())
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
