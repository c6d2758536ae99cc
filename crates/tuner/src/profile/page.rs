//! A profile as a page: a roofline and a table, in HTML, and the table in Markdown for a terminal.

use super::{Counters, Row};
use hexcc_compiler::target::Target;
use std::fmt::Write;

/// Width and height of the chart.
const SIZE: (f64, f64) = (760.0, 400.0);

/// Room at the left, at the right, above and below.
const ROOM: (f64, f64, f64, f64) = (64.0, 16.0, 16.0, 48.0);

/// Titles of the table.
const TITLES: [&str; 11] = [
    "kernel",
    "GCell/s",
    "predicted",
    "to naive",
    "FLOP/B",
    "DRAM %",
    "L1 hits %",
    "L2 hits %",
    "issued %",
    "warps %",
    "why warps wait",
];

/// What stands below the table.
const REMARKS: &str = "GCell/s and predicted speeds are those of whole runs without ncu. Counters are of one launch of the \
kernel that takes longest. FLOP/B: operations for each byte that DRAM moves. DRAM: share of its throughput. Issued: cycles in \
which a scheduler issues an instruction. Warps: of those that a multiprocessor could have.";

/// The same without counters.
const WITHOUT: &str = "There is no ncu, or it may not read counters: columns of counters are empty. FLOP/B is that of a step \
that moves each array once.";

/// Reasons of a kernel that are named.
const REASONS: usize = 3;

/// A row of the table, as text.
fn cells(of_row: &Row<'_>) -> [String; 11] {
    let Row { row, counters } = of_row;
    let percent = |value: Option<f64>| value.map_or("-".to_string(), |v| format!("{v:.0}"));
    let of = |f: fn(&Counters) -> f64| percent(counters.map(f));
    let reasons = counters.map(|c| {
        let named = c.stalls.iter().take(REASONS);
        let named: Vec<String> = named
            .map(|(why, share)| format!("{why} ({share:.0}%)"))
            .collect();
        named.join("; ")
    });
    [
        format!("{}{}", row.variant, if row.is_default { " *" } else { "" }),
        format!("{:.1}", row.gcells),
        row.predicted_gcells
            .map_or("-".to_string(), |v| format!("{v:.1}")),
        format!("{:.2}", row.ratio),
        intensity(of_row).map_or("-".to_string(), |v| format!("{v:.2}")),
        of(|c| c.dram),
        of(|c| c.l1_hits),
        of(|c| c.l2_hits),
        of(|c| c.issued),
        of(|c| c.warps),
        reasons.unwrap_or_else(|| "-".to_string()),
    ]
}

/// Operations for each byte of DRAM: measured, or those of a step that moves each array once.
fn intensity(Row { row, counters }: &Row<'_>) -> Option<f64> {
    match counters {
        // Operations and bytes of a nanosecond.
        Some(c) if c.dram_bytes > 0.0 && c.ns > 0.0 => Some(row.gflops * c.ns / c.dram_bytes),
        Some(_) => None,
        None => {
            let is_step = row.tiling.is_none_or(|tiling| tiling == "stepwise");
            is_step.then_some(row.flops_per_byte)
        }
    }
}

fn title(rows: &[Row<'_>]) -> String {
    let first = rows.first();
    first.map_or(String::new(), |Row { row, .. }| {
        format!("{}, {}, on {}", row.stencil, row.problem, row.gpu)
    })
}

fn remarks(rows: &[Row<'_>]) -> &'static str {
    match rows.iter().any(|row| row.counters.is_some()) {
        true => REMARKS,
        false => WITHOUT,
    }
}

/// The table in Markdown.
pub fn markdown(rows: &[Row<'_>]) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let mut text = format!("# {}\n\n", title(rows));
    text.push_str(&line(&TITLES.map(str::to_string)));
    text.push_str(&line(&TITLES.map(|_| "---".to_string())));
    for row in rows {
        text.push_str(&line(&cells(row)));
    }
    let _ = write!(text, "\n{}\n\\* what a translation takes.\n", remarks(rows));
    text
}

/// The page; `is_double` says of what type most operations are.
pub fn page(rows: &[Row<'_>], (target, is_double): (&Target, bool)) -> String {
    let row = |tag: &str, cells: &[String]| {
        let cells = cells
            .iter()
            .map(|c| format!("<{tag}>{}</{tag}>", escaped(c)));
        format!("<tr>{}</tr>\n", cells.collect::<String>())
    };
    let mut table = row("th", &TITLES.map(str::to_string));
    for bench in rows {
        table.push_str(&row("td", &cells(bench)));
    }
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <h1>{title}</h1>\n{chart}\n<div class=\"wide\"><table>\n{table}</table></div>\n<p>{remarks} * what a translation takes.</p>\n\
         </body>\n</html>\n",
        title = escaped(&title(rows)),
        chart = Roofline::new(rows, target, is_double).svg(),
        remarks = remarks(rows),
    )
}

const STYLE: &str = ":root { color-scheme: light dark; }\n\
body { font: 16px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }\n\
.wide { overflow-x: auto; }\n\
table { border-collapse: collapse; font-size: 14px; }\n\
th, td { padding: 0.3rem 0.6rem; text-align: right; border-bottom: 1px solid color-mix(in srgb, currentColor 20%, transparent); }\n\
th:first-child, td:first-child, th:last-child, td:last-child { text-align: left; }\n\
svg { width: 100%; height: auto; }\n\
svg text { fill: currentColor; font-size: 12px; }\n\
.axis, .roof { stroke: currentColor; fill: none; }\n\
.axis { opacity: 0.3; }\n\
.steps { fill: #2b7bba; }\n\
.tiles { fill: #d2691e; }\n";

fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;")
}

/// A kernel in the chart.
struct Point {
    label: String,
    is_tiled: bool,
    /// FLOP/B and GFLOP/s.
    at: (f64, f64),
}

/// Speed over operations for each byte, both by powers of two, below what DRAM and arithmetic allow.
struct Roofline {
    points: Vec<Point>,
    /// GB/s and GFLOP/s.
    roof: (f64, f64),
    /// Powers of two from the left to the right, and from below to above.
    x: [f64; 2],
    y: [f64; 2],
}

impl Roofline {
    fn new(rows: &[Row<'_>], target: &Target, is_double: bool) -> Roofline {
        let lanes = match is_double {
            true => target.fp64_lanes,
            false => target.fp32_lanes,
        };
        let peak = target.sms as f64 * lanes * target.clock_mhz / 1e3;
        let points = rows.iter().filter_map(|of_row| {
            let row = of_row.row;
            Some(Point {
                label: row.variant.clone(),
                is_tiled: row.tiling.is_some_and(|tiling| tiling != "stepwise"),
                at: (intensity(of_row)?, row.gflops),
            })
        });
        let points: Vec<Point> = points.filter(|p| p.at.0 > 0.0 && p.at.1 > 0.0).collect();
        let span = |values: &mut dyn Iterator<Item = f64>| {
            values.fold([f64::INFINITY, f64::NEG_INFINITY], |[lo, hi], v| {
                [lo.min(v.log2().floor()), hi.max(v.log2().ceil())]
            })
        };
        let knee = peak / target.dram_gbs;
        let x = span(&mut points.iter().map(|p| p.at.0).chain([knee]));
        let y = span(&mut points.iter().map(|p| p.at.1).chain([peak]));
        Roofline {
            points,
            roof: (target.dram_gbs, peak),
            x: [x[0] - 1.0, x[1] + 1.0],
            y: [y[0] - 1.0, y[1] + 1.0],
        }
    }

    /// Where the chart has operations for a byte, and operations.
    fn place(&self, (x, y): (f64, f64)) -> (f64, f64) {
        let (left, right, top, bottom) = ROOM;
        let along = |v: f64, [lo, hi]: [f64; 2]| (v.log2() - lo) / (hi - lo);
        (
            left + along(x, self.x) * (SIZE.0 - left - right),
            SIZE.1 - bottom - along(y, self.y) * (SIZE.1 - top - bottom),
        )
    }

    fn svg(&self) -> String {
        let (left, right, top, bottom) = ROOM;
        let (width, height) = SIZE;
        let mut svg = format!(
            "<svg viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"Roofline: GFLOP/s over FLOP for each byte of DRAM\">\n"
        );
        for power in self.x[0] as i64..=self.x[1] as i64 {
            let (x, _) = self.place((2f64.powi(power as i32), 1.0));
            let _ = writeln!(
                svg,
                "<path class=\"axis\" d=\"M{x:.1} {top}V{:.1}\"/><text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                height - bottom,
                height - bottom + 16.0,
                2f64.powi(power as i32)
            );
        }
        for power in self.y[0] as i64..=self.y[1] as i64 {
            let (_, y) = self.place((1.0, 2f64.powi(power as i32)));
            let _ = writeln!(
                svg,
                "<path class=\"axis\" d=\"M{left} {y:.1}H{:.1}\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                width - right,
                left - 6.0,
                y + 4.0,
                2f64.powi(power as i32)
            );
        }
        let (dram, peak) = self.roof;
        let first = 2f64.powf(self.x[0]).max(2f64.powf(self.y[0]) / dram);
        let ends = [
            self.place((first, first * dram)),
            self.place((peak / dram, peak)),
            self.place((2f64.powf(self.x[1]), peak)),
        ];
        let path = ends.map(|(x, y)| format!("{x:.1} {y:.1}")).join("L");
        let _ = writeln!(svg, "<path class=\"roof\" d=\"M{path}\"/>");
        for point in &self.points {
            let (x, y) = self.place(point.at);
            let class = if point.is_tiled { "tiles" } else { "steps" };
            let _ = writeln!(
                svg,
                "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"5\"><title>{}: {:.0} GFLOP/s, {:.2} FLOP/B</title></circle>",
                escaped(&point.label),
                point.at.1,
                point.at.0
            );
        }
        let _ = write!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">FLOP for each byte of DRAM; blue: one launch per step, orange: tiles over time</text>\n\
             <text x=\"{left}\" y=\"12\">GFLOP/s; roofs: {dram:.0} GB/s and {peak:.0} GFLOP/s without fused multiply-add</text>\n</svg>",
            (left + width - right) / 2.0,
            height - 10.0
        );
        svg
    }
}
