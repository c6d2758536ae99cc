//! What tuning and benchmarks write: JSON lines, and one HTML page without
//! anything from elsewhere.

use crate::variant::Variant;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// A tuning run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Heading {
    /// The C file.
    pub file: String,
    /// Name of the GPU.
    pub gpu: String,
    /// Sizes, such as `N=16384,T=512`.
    pub problem: String,
    /// The baseline, billions of cells per second.
    pub naive_gcells: f64,
    /// Points that the model proposes.
    pub n_candidates: usize,
    /// Version of hexcc.
    pub version: String,
}

impl Heading {
    /// Whether the baseline is faster than so many billions of cells per second.
    pub fn beats(&self, gcells: f64) -> bool {
        self.naive_gcells > gcells
    }
}

/// Sizes of a tile.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Shape {
    /// Of the hybrid tiling.
    Hybrid {
        /// Half height.
        h: i64,
        /// Widths per space dimension.
        w: Vec<i64>,
        /// Position of the hexagonal dimension in `w`.
        hex_dim: usize,
    },
    /// Of overlapped tiling.
    Stream {
        /// Time steps of a launch.
        #[serde(rename = "T")]
        t: i64,
        /// Columns of a lane.
        #[serde(rename = "V")]
        v: i64,
        /// Rows of a lane; 0 in less than three space dimensions.
        rows: i64,
        /// Rows or planes loaded ahead.
        ahead: i64,
        /// Warps of a block.
        warps: i64,
        /// Blocks of a multiprocessor.
        blocks: i64,
    },
    /// None.
    Steps {},
}

impl Shape {
    /// Height, width of the hexagons, and the innermost width unless it is theirs.
    fn hexagon(&self) -> Option<(i64, i64, Option<i64>)> {
        let Shape::Hybrid { h, w, hex_dim } = self else {
            return None;
        };
        let last = w.len().checked_sub(1).filter(|d| d != hex_dim);
        Some((*h, *w.get(*hex_dim)?, last.map(|d| w[d])))
    }

    /// T, V, and rows of a lane where it has several.
    fn stream(&self) -> Option<(i64, i64, Option<i64>)> {
        match self {
            Shape::Hybrid { .. } | Shape::Steps {} => None,
            Shape::Stream { t, v, rows, .. } => Some((*t, *v, (*rows > 0).then_some(*rows))),
        }
    }
}

/// One point of the search space.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Point {
    /// Tile sizes and what goes with them.
    #[serde(flatten)]
    pub variant: Variant,
    /// The same as numbers.
    #[serde(flatten)]
    pub shape: Shape,
    /// Billions of cells per second that the model expects.
    pub predicted: f64,
    /// Billions of cells per second; absent where it was not measured.
    pub measured: Option<f64>,
    /// Milliseconds of a run.
    pub ms: Option<f64>,
    /// Time steps of a run.
    pub steps: i64,
    /// Registers per thread.
    pub registers: u32,
    /// Local memory per thread, bytes: spills.
    pub local_bytes: u32,
    /// Shared memory per block, bytes.
    pub shared_bytes: u32,
    /// Results equal the baseline's bit for bit.
    pub correct: Option<bool>,
    /// Why there is no measurement.
    pub error: Option<String>,
}

/// An object as one line, with its kind in front.
pub fn json_line<T: Serialize>(kind: &str, value: &T) -> String {
    #[derive(Serialize)]
    struct Line<'a, T> {
        kind: &'a str,
        #[serde(flatten)]
        value: &'a T,
    }
    // These structures have string keys only, so this cannot fail.
    let line = serde_json::to_string(&Line { kind, value });
    line.unwrap_or_default() + "\n"
}

/// Text inside HTML.
fn escaped(text: &str) -> String {
    (text.replace('&', "&amp;"))
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

const STYLE: &str = "body{font:14px/1.5 system-ui,sans-serif;margin:2em auto;max-width:62em;padding:0 1em;color:#222;background:#fff}\
h1{font-size:1.4em}h2{font-size:1.1em;margin-top:2em}table{border-collapse:collapse;font-variant-numeric:tabular-nums}\
td,th{padding:.15em .7em;text-align:right;border-bottom:1px solid #ddd}td:first-child,th:first-child{text-align:left}\
svg{max-width:100%;height:auto}svg text{font:12px system-ui,sans-serif;fill:#222}.wrong{color:#b00020}";

/// The page of a tuning run.
pub fn html(heading: &Heading, points: &[Point]) -> String {
    let mut t = String::new();
    let title = escaped(&format!("hexcc tune {}", heading.file));
    let _ = write!(
        t,
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title><style>{STYLE}</style></head><body>\n<h1>{title}</h1>\n"
    );
    let n_measured = points.iter().filter(|p| p.measured.is_some()).count();
    let _ = writeln!(
        t,
        "<p>{} with {}; {n_measured} of {} points measured; baseline with one thread per cell: {:.1} GCell/s. hexcc {}.</p>",
        escaped(&heading.gpu),
        escaped(&heading.problem),
        heading.n_candidates,
        heading.naive_gcells,
        escaped(&heading.version)
    );
    let best = ranked(points).first().and_then(|p| p.measured);
    if best.is_some_and(|best| heading.beats(best)) {
        t.push_str("<p><b>No point is faster than the baseline, which launches a kernel in every time step. Nothing was kept.</b></p>\n");
    }
    t.push_str("<h2>Measured against predicted</h2>\n");
    t.push_str(&scatter(points));
    type Cell = fn(&Point) -> Option<(i64, i64)>;
    let maps: [(&str, [&str; 2], Cell); 4] = [
        ("height and hexagon width", ["h", "w0"], |p| {
            p.shape.hexagon().map(|(h, w0, _)| (h, w0))
        }),
        ("height and innermost width", ["h", "w, innermost"], |p| {
            let (h, _, inner) = p.shape.hexagon()?;
            Some((h, inner?))
        }),
        (
            "steps of a launch and columns of a lane, overlapped tiles",
            ["T", "V, columns of a lane"],
            |p| p.shape.stream().map(|(t, v, _)| (t, v)),
        ),
        (
            "steps of a launch and rows of a lane, overlapped tiles",
            ["T", "rows of a lane"],
            |p| {
                let (t, _, rows) = p.shape.stream()?;
                Some((t, rows?))
            },
        ),
    ];
    for (title, labels, cell) in maps {
        if points.iter().any(|p| cell(p).is_some()) {
            let _ = writeln!(t, "<h2>Best speed by {title}</h2>");
            t.push_str(&heat_map(points, labels, &cell));
        }
    }
    t.push_str("<h2>Points</h2>\n");
    t.push_str(&table(points));
    t.push_str("</body></html>\n");
    t
}

/// A round number at or above `x`.
fn ceiling(x: f64) -> f64 {
    if x <= 0.0 || !x.is_finite() {
        return 1.0;
    }
    let unit = 10f64.powf(x.log10().floor());
    [1.0, 2.0, 2.5, 5.0, 10.0]
        .map(|m| m * unit)
        .into_iter()
        .find(|&c| c >= x)
        .unwrap_or(10.0 * unit)
}

/// A number on an axis that ends at `max`.
fn tick(value: f64, max: f64) -> String {
    let decimals = if max >= 10.0 { 0 } else { 2 };
    format!("{value:.decimals$}")
}

fn scatter(points: &[Point]) -> String {
    let (width, height, margin) = (640.0, 480.0, 56.0);
    let x_max = ceiling(points.iter().map(|p| p.predicted).fold(0.0, f64::max));
    let y_max = ceiling(points.iter().filter_map(|p| p.measured).fold(0.0, f64::max));
    let x = |v: f64| margin + v / x_max * (width - 2.0 * margin);
    let y = |v: f64| height - margin - v / y_max * (height - 2.0 * margin);
    let mut t = format!(
        "<svg viewBox=\"0 0 {width} {height}\" width=\"{width}\" role=\"img\" aria-label=\"measured against predicted speed\">\n"
    );
    for i in 0..=5 {
        let part = f64::from(i) / 5.0;
        let (vx, vy) = (part * x_max, part * y_max);
        let _ = writeln!(
            t,
            "<path d=\"M{0:.1} {1:.1}V{2:.1}M{3:.1} {4:.1}H{5:.1}\" stroke=\"#ddd\"/>",
            x(vx),
            y(0.0),
            y(y_max),
            x(0.0),
            y(vy),
            x(x_max)
        );
        let _ = writeln!(
            t,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            x(vx),
            y(0.0) + 18.0,
            tick(vx, x_max),
            x(0.0) - 6.0,
            y(vy) + 4.0,
            tick(vy, y_max)
        );
    }
    let end = x_max.min(y_max);
    let _ = writeln!(
        t,
        "<path d=\"M{:.1} {:.1}L{:.1} {:.1}\" stroke=\"#999\" stroke-dasharray=\"4 4\"/>",
        x(0.0),
        y(0.0),
        x(end),
        y(end)
    );
    for p in points {
        let Some(measured) = p.measured else { continue };
        let colour = if p.correct == Some(false) {
            "#b00020"
        } else {
            "#1f6fb2"
        };
        let _ = writeln!(
            t,
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3.5\" fill=\"{colour}\" fill-opacity=\"0.6\"><title>{}: predicted {:.1}, measured {measured:.1} GCell/s</title></circle>",
            x(p.predicted),
            y(measured),
            escaped(&p.variant.to_string()),
            p.predicted
        );
    }
    let _ = writeln!(
        t,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">predicted, GCell/s</text><text transform=\"translate(14 {:.1}) rotate(-90)\" text-anchor=\"middle\">measured, GCell/s</text>\n</svg>",
        width / 2.0,
        height - 12.0,
        height / 2.0
    );
    t
}

/// The best measurement for every row and column that points have, numbers of these labels.
fn heat_map(
    points: &[Point],
    [row_label, label]: [&str; 2],
    cell: &dyn Fn(&Point) -> Option<(i64, i64)>,
) -> String {
    let mut best: BTreeMap<(i64, i64), &Point> = BTreeMap::new();
    for p in points {
        let (Some(at), Some(measured)) = (cell(p), p.measured) else {
            continue;
        };
        let slot = best.entry(at).or_insert(p);
        if measured > slot.measured.unwrap_or(0.0) {
            *slot = p;
        }
    }
    let heights: BTreeSet<i64> = best.keys().map(|k| k.0).collect();
    let columns: BTreeSet<i64> = best.keys().map(|k| k.1).collect();
    let top = (best.values().filter_map(|p| p.measured)).fold(0.0, f64::max);
    let (cell_x, cell_y, margin) = (58.0, 26.0, 60.0);
    let (width, height) = (
        margin + cell_x * columns.len() as f64 + 10.0,
        margin + cell_y * heights.len() as f64,
    );
    let mut t = format!(
        "<svg viewBox=\"0 0 {width} {height}\" width=\"{width}\" role=\"img\" aria-label=\"best measured speed by {row_label} and {label}\">\n"
    );
    for (row, h) in heights.iter().rev().enumerate() {
        let y = cell_y * row as f64;
        let _ = writeln!(
            t,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{row_label}={h}</text>",
            margin - 6.0,
            y + 17.0
        );
        for (i, c) in columns.iter().enumerate() {
            let Some(p) = best.get(&(*h, *c)) else {
                continue;
            };
            let measured = p.measured.unwrap_or(0.0);
            let part = if top > 0.0 { measured / top } else { 0.0 };
            // From near white to blue.
            let channel = |from: f64, to: f64| (from + (to - from) * part * part) as u8;
            let fill = format!(
                "#{:02x}{:02x}{:02x}",
                channel(250.0, 31.0),
                channel(250.0, 111.0),
                channel(250.0, 178.0)
            );
            let ink = if part > 0.75 { "#fff" } else { "#222" };
            let x = margin + cell_x * i as f64;
            let _ = writeln!(
                t,
                "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{fill}\"><title>{}</title></rect><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" style=\"fill:{ink}\">{measured:.0}</text>",
                cell_x - 2.0,
                cell_y - 2.0,
                escaped(&p.variant.to_string()),
                x + cell_x / 2.0 - 1.0,
                y + 17.0
            );
        }
    }
    let below = cell_y * heights.len() as f64;
    for (i, c) in columns.iter().enumerate() {
        let _ = writeln!(
            t,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{c}</text>",
            margin + cell_x * (i as f64 + 0.5),
            below + 18.0
        );
    }
    let _ = writeln!(
        t,
        "<text x=\"{margin}\" y=\"{:.1}\">{}; numbers are GCell/s</text>\n</svg>",
        below + 40.0,
        escaped(label)
    );
    t
}

/// Points in order of speed, those without a measurement last.
pub fn ranked(points: &[Point]) -> Vec<&Point> {
    let mut all: Vec<&Point> = points.iter().collect();
    let speed = |p: &Point| {
        let right = p.correct != Some(false);
        p.measured.filter(|_| right).unwrap_or(-1.0)
    };
    all.sort_by(|a, b| speed(b).total_cmp(&speed(a)));
    all
}

fn table(points: &[Point]) -> String {
    let mut t = String::from(
        "<table><tr><th>tile</th><th>GCell/s</th><th>predicted</th><th>ms</th><th>steps</th><th>registers</th><th>local bytes</th><th>shared bytes</th><th>check</th></tr>\n",
    );
    for p in ranked(points) {
        let number = |v: Option<f64>| v.map_or_else(String::new, |v| format!("{v:.2}"));
        let check = match (p.correct, &p.error) {
            (_, Some(error)) => format!("<span class=\"wrong\">{}</span>", escaped(error)),
            (Some(true), None) => "bit-equal".to_string(),
            (Some(false), None) => "<span class=\"wrong\">different</span>".to_string(),
            (None, None) => String::new(),
        };
        let _ = writeln!(
            t,
            "<tr><td>{}</td><td>{}</td><td>{:.2}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{check}</td></tr>",
            escaped(&p.variant.to_string()),
            number(p.measured),
            p.predicted,
            number(p.ms),
            p.steps,
            p.registers,
            p.local_bytes,
            p.shared_bytes
        );
    }
    t.push_str("</table>\n");
    t
}

/// The best points as a table in plain text, of points in order of speed.
pub fn best_table<'a>(ranked: impl Iterator<Item = &'a Point>) -> String {
    let mut t = format!(
        "  {:<40} {:>9} {:>9}  registers  local  shared\n",
        "tile", "GCell/s", "predicted"
    );
    for p in ranked.take(crate::search::FINALISTS) {
        let _ = writeln!(
            t,
            "  {:<40} {:>9.1} {:>9.1}  {:>9}  {:>5}  {:>6}",
            p.variant.to_string(),
            p.measured.unwrap_or(0.0),
            p.predicted,
            p.registers,
            p.local_bytes,
            p.shared_bytes
        );
    }
    t
}

/// One variant of a benchmark.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BenchRow {
    /// The file, without directories and `.c` or `.scop.json`.
    pub stencil: String,
    /// Sizes.
    pub problem: String,
    /// `hybrid`, `overlapped` or `stepwise`; none for the baseline.
    pub tiling: Option<&'static str>,
    /// It is what a translation takes by default.
    pub is_default: bool,
    /// `naive`, or the tile sizes.
    pub variant: String,
    /// Name of the GPU.
    pub gpu: String,
    /// Milliseconds of a run.
    pub ms: f64,
    /// Billions of cells per second.
    pub gcells: f64,
    /// What the model expects.
    pub predicted_gcells: Option<f64>,
    /// Billions of floating-point operations per second.
    pub gflops: f64,
    /// How many times faster than the baseline.
    pub ratio: f64,
    /// Bytes of a single step per cell: every array that it finds or leaves, once.
    pub step_bytes: f64,
    /// The limit that DRAM sets to kernels of single steps, billions of cells per second.
    pub step_limit: f64,
    /// The speed over that limit.
    pub of_limit: f64,
    /// Registers per thread.
    pub registers: u32,
    /// Local memory per thread, bytes: spills.
    pub local_bytes: u32,
    /// Shared memory per block, bytes.
    pub shared_bytes: u32,
    /// Floating-point operations for each of the bytes of a single step.
    pub flops_per_byte: f64,
    /// Threads that a multiprocessor holds at a time, of kernels that make one step a launch.
    pub resident: Option<u32>,
    /// Elements that differ from the baseline's.
    pub different: u64,
    /// Error against double precision: norm of the error over norm of the result.
    pub error_rms: Option<f64>,
    /// Largest relative error of an element.
    pub error_max: Option<f64>,
}

/// Benchmarks as a table in plain text.
pub fn bench_table(rows: &[BenchRow]) -> String {
    let titles = [
        "stencil",
        "problem",
        "tiling",
        "variant",
        "ms",
        "GCell/s",
        "predicted",
        "GFLOP/s",
        "ratio",
        "B/cell",
        "FLOP/B",
        "limit",
        "of limit",
        "regs",
        "local",
        "shared",
        "threads",
        "check",
        "error rms",
        "error max",
    ];
    let mut lines = vec![titles.map(str::to_string)];
    for r in rows {
        let small = |v: Option<f64>| v.map_or_else(|| "-".to_string(), |v| format!("{v:.1e}"));
        lines.push([
            r.stencil.clone(),
            r.problem.clone(),
            r.tiling.unwrap_or("-").to_string(),
            format!("{}{}", r.variant, if r.is_default { " *" } else { "" }),
            format!("{:.3}", r.ms),
            format!("{:.1}", r.gcells),
            r.predicted_gcells
                .map_or_else(|| "-".to_string(), |v| format!("{v:.1}")),
            format!("{:.0}", r.gflops),
            format!("{:.2}x", r.ratio),
            format!("{:.1}", r.step_bytes),
            format!("{:.2}", r.flops_per_byte),
            format!("{:.0}", r.step_limit),
            format!("{:.2}", r.of_limit),
            r.registers.to_string(),
            r.local_bytes.to_string(),
            r.shared_bytes.to_string(),
            r.resident
                .map_or_else(|| "-".to_string(), |n| n.to_string()),
            match r.different {
                0 => "bit-equal".to_string(),
                n => format!("{n} differ"),
            },
            small(r.error_rms),
            small(r.error_max),
        ]);
    }
    let mut widths = [0; 20];
    for line in &lines {
        for (width, cell) in widths.iter_mut().zip(line) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut text = String::new();
    for line in lines {
        let mut row = String::new();
        for (i, (cell, width)) in line.iter().zip(widths).enumerate() {
            let _ = if i < 4 {
                write!(row, "{cell:<width$}  ")
            } else {
                write!(row, "{cell:>width$}  ")
            };
        }
        text.push_str(row.trim_end());
        text.push('\n');
    }
    text.push_str(
        "* what a translation takes; B/cell, FLOP/B, limit: of any kernel that makes one step a launch; threads: that a multiprocessor holds at a time\n",
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(h: i64, w: [i64; 2], predicted: f64, measured: Option<f64>) -> Point {
        Point {
            variant: Variant::Hybrid {
                tile: format!("h={h},w={}:{}", w[0], w[1]),
                threads: 128,
                wavefront: (h == 11).then_some(1),
            },
            shape: Shape::Hybrid {
                h,
                w: w.to_vec(),
                hex_dim: 0,
            },
            predicted,
            measured,
            ms: measured.map(|m| 1000.0 / m),
            steps: 64,
            registers: 64,
            local_bytes: 0,
            shared_bytes: 20000,
            correct: measured.map(|m| m < 500.0),
            error: measured.is_none().then(|| "no <code>".to_string()),
        }
    }

    fn streamed(t: i64, v: i64, rows: i64, measured: f64) -> Point {
        let tile = format!("steps={t},vector={v},ahead=4,warps=4,blocks=3");
        Point {
            variant: Variant::Overlapped {
                stream_tile: tile,
                shared: None,
            },
            shape: Shape::Stream {
                t,
                v,
                rows,
                ahead: 4,
                warps: 4,
                blocks: 3,
            },
            correct: Some(true),
            ..point(3, [6, 64], 400.0, Some(measured))
        }
    }

    fn points() -> Vec<Point> {
        vec![
            point(3, [6, 64], 400.0, Some(310.5)),
            point(3, [6, 128], 420.0, Some(333.0)),
            point(7, [5, 128], 600.0, Some(480.0)),
            point(7, [9, 64], 610.0, Some(900.0)),
            point(11, [9, 64], 200.0, None),
        ]
    }

    fn heading() -> Heading {
        Heading {
            file: "a&b.c".to_string(),
            gpu: "NVIDIA H200".to_string(),
            problem: "N=64,T=8".to_string(),
            naive_gcells: 100.0,
            n_candidates: 5,
            version: "0.1.0".to_string(),
        }
    }

    #[test]
    fn lines_are_json() {
        let line = json_line("point", &points()[4]);
        insta::assert_snapshot!(line.trim_end(), @r#"{"kind":"point","tile":"h=11,w=9:64","threads":128,"wavefront":1,"h":11,"w":[9,64],"hex_dim":0,"predicted":200.0,"measured":null,"ms":null,"steps":64,"registers":64,"local_bytes":0,"shared_bytes":20000,"correct":null,"error":"no <code>"}"#);
    }

    #[test]
    fn wrong_results_rank_last() {
        let points = points();
        let order: Vec<String> = ranked(&points)
            .iter()
            .map(|p| p.variant.to_string())
            .collect();
        let best = ["h=7,w=5:128 --threads 128", "h=3,w=6:128 --threads 128"];
        assert_eq!(order[..2], best);
    }

    #[test]
    fn streams_have_maps_and_lines_of_their_own() {
        let line = json_line("point", &streamed(12, 4, 0, 400.0));
        insta::assert_snapshot!(line.trim_end(), @r#"{"kind":"point","stream_tile":"steps=12,vector=4,ahead=4,warps=4,blocks=3","T":12,"V":4,"rows":0,"ahead":4,"warps":4,"blocks":3,"predicted":400.0,"measured":400.0,"ms":2.5,"steps":64,"registers":64,"local_bytes":0,"shared_bytes":20000,"correct":true,"error":null}"#);
        let rows = [streamed(12, 4, 0, 400.0), streamed(8, 4, 0, 300.0)];
        let page = html(&heading(), &rows);
        assert!(page.contains("steps of a launch and columns") && page.contains(">T=12<"));
        assert!(!page.contains("hexagon") && !page.contains("rows of a lane"));
        // Both tilings beside each other.
        let mut all = points();
        all.push(streamed(4, 3, 7, 400.0));
        let page = html(&heading(), &all);
        assert_eq!(page.matches("<svg").count(), 5);
        assert!(page.contains("rows of a lane") && page.contains("h=7"));
    }

    #[test]
    fn page_is_complete_and_self_contained() {
        let page = html(&heading(), &points());
        assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
        assert_eq!(page.matches("<circle").count(), 4);
        // Three cells by w0, three by the innermost width.
        assert_eq!(page.matches("<rect").count(), 7);
        assert!(page.contains("a&amp;b.c") && page.contains("no &lt;code&gt;"));
        for foreign in ["http", "src=", "@import", "<script"] {
            assert!(!page.contains(foreign), "{foreign}");
        }
        let open = page.matches("<svg").count();
        assert_eq!((open, page.matches("</svg>").count()), (3, 3));
        // Nothing measured yet is a page, too.
        assert!(html(&heading(), &[]).contains("0 of 5 points"));
    }

    #[test]
    fn axes_end_at_round_numbers() {
        for (x, expected) in [
            (0.0, 1.0),
            (0.3, 0.5),
            (99.0, 100.0),
            (101.0, 200.0),
            (230.0, 250.0),
        ] {
            assert!((ceiling(x) - expected).abs() < 1e-9, "{x}");
        }
    }

    #[test]
    fn bench_rows_line_up() {
        let row = BenchRow {
            stencil: "jacobi2d".to_string(),
            problem: "N=64,T=8".to_string(),
            tiling: None,
            is_default: false,
            variant: "naive".to_string(),
            gpu: "NVIDIA H200".to_string(),
            ms: 1.5,
            gcells: 120.25,
            predicted_gcells: None,
            gflops: 601.0,
            ratio: 1.0,
            step_bytes: 8.0,
            step_limit: 537.5,
            of_limit: 0.22,
            registers: 32,
            local_bytes: 0,
            shared_bytes: 0,
            flops_per_byte: 0.625,
            resident: None,
            different: 0,
            error_rms: Some(1.2e-7),
            error_max: None,
        };
        let tiled = BenchRow {
            tiling: Some("hybrid"),
            is_default: true,
            variant: "h=3,w=6:64".to_string(),
            predicted_gcells: Some(500.0),
            different: 3,
            resident: Some(1536),
            ..row.clone()
        };
        insta::assert_snapshot!(bench_table(&[row, tiled]), @r"
        stencil   problem   tiling  variant          ms  GCell/s  predicted  GFLOP/s  ratio  B/cell  FLOP/B  limit  of limit  regs  local  shared  threads      check  error rms  error max
        jacobi2d  N=64,T=8  -       naive         1.500    120.2          -      601  1.00x     8.0    0.62    538      0.22    32      0       0        -  bit-equal     1.2e-7          -
        jacobi2d  N=64,T=8  hybrid  h=3,w=6:64 *  1.500    120.2      500.0      601  1.00x     8.0    0.62    538      0.22    32      0       0     1536   3 differ     1.2e-7          -
        * what a translation takes; B/cell, FLOP/B, limit: of any kernel that makes one step a launch; threads: that a multiprocessor holds at a time
        ");
    }
}
