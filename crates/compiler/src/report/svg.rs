//! The hexagonal tiling as a drawing, after figure 5 of CGO'14.
//!
//! Tiles are drawn around their integer points, row by row from
//! [`Hexagon::row`]: the outline passes half way between the last point of a
//! row and the first of its neighbour, so outlines of neighbours coincide and
//! the picture is exact for every cone, fractional or lopsided.

use crate::sched::{Hexagon, HybridSchedule, Phase};
use std::fmt::Write;

/// What to draw of one time loop.
#[derive(Clone, Debug)]
pub struct TilingPicture<'a> {
    /// Text above the picture.
    pub title: String,
    /// Names of `t, s0, .., sn`.
    pub names: &'a [String],
    /// The schedule whose hexagons are drawn.
    pub schedule: &'a HybridSchedule,
}

/// A self-contained SVG of tilings, one below the other.
pub fn tiling_svg(pictures: &[TilingPicture]) -> String {
    let (mut body, mut width, mut height) = (String::new(), 0.0_f64, 0.0);
    for (index, picture) in pictures.iter().enumerate() {
        let drawn = Drawing::new(picture, index).draw();
        let _ = writeln!(body, "<g transform=\"translate(0 {})\">", num(height));
        body.push_str(&drawn.text);
        body.push_str("</g>\n");
        width = width.max(drawn.width);
        height += drawn.height;
    }
    let (w, h) = (num(width.ceil()), num(height.ceil()));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" \
         font-family=\"sans-serif\" font-size=\"12\" fill=\"{INK}\">\n\
         <rect width=\"{w}\" height=\"{h}\" rx=\"6\" fill=\"#ffffff\"/>\n{body}</svg>\n"
    )
}

const INK: &str = "#27313b";
const DOT: &str = "#64717e";
const PHASES: [&str; 2] = ["#c3d8ee", "#d3e8cd"];
const HIGHLIGHT: &str = "#9ccf90";
const HIGHLIGHT_INK: &str = "#1f5a2a";
const CONE: &str = "#b8521b";
const BOX: &str = "#55606b";

/// Space left of, above, right of and below the plot.
const LEFT: f64 = 64.0;
const ABOVE: f64 = 66.0;
const RIGHT: f64 = 44.0;
const AXIS: f64 = 44.0;

/// Distance of the legend's lines.
const LINE: f64 = 24.0;

/// The two sides of the cone: name, anchor of its text, and its side.
const DELTA0: (&str, &str, f64) = ("\u{3b4}\u{2080}", "end", -1.0);
const DELTA1: (&str, &str, f64) = ("\u{3b4}\u{2081}", "start", 1.0);

/// The most points drawn of a kind.
const MAX_DOTS: i64 = 4000;

/// Width of an average character of a sans-serif font, relative to its size.
const ASPECT: f64 = 0.56;

/// Corners of a tile's outline in units of half a point, counter-clockwise
/// with u upward from the lower right one.
///
/// The left and right sides join the edges of the rows at the height of the
/// rows' points; the tile reaches half a step below its first row and above
/// its last one.
fn outline(hexagon: &Hexagon, (u, s): (i64, i64)) -> Vec<(i64, i64)> {
    let (mut right, mut left) = (Vec::new(), Vec::new());
    let last = hexagon.height() - 1;
    for a in 0..=last {
        let row = hexagon.row(a);
        let ends = (2 * (s + row.end()) + 1, 2 * (s + row.start()) - 1);
        let y = 2 * (u + a);
        let mut ys = vec![y];
        if a == 0 {
            ys.insert(0, y - 1);
        }
        if a == last {
            ys.push(y + 1);
        }
        for y in ys {
            right.push((ends.0, y));
            left.push((ends.1, y));
        }
    }
    left.reverse();
    right.extend(left);
    without_straight_corners(right)
}

/// The polygon without corners on a straight line between their neighbours.
fn without_straight_corners(polygon: Vec<(i64, i64)>) -> Vec<(i64, i64)> {
    let mut kept: Vec<(i64, i64)> = Vec::new();
    let n = polygon.len();
    for (i, &q) in polygon.iter().enumerate() {
        let p = kept.last().copied().unwrap_or(polygon[n - 1]);
        let r = polygon[(i + 1) % n];
        if (q.0 - p.0) * (r.1 - q.1) != (q.1 - p.1) * (r.0 - q.0) {
            kept.push(q);
        }
    }
    kept
}

/// A finished picture.
struct Drawn {
    text: String,
    width: f64,
    height: f64,
}

struct Drawing<'a> {
    picture: &'a TilingPicture<'a>,
    hexagon: &'a Hexagon,
    /// Distinguishes the ids of several pictures in one file.
    index: usize,
    /// First point and number of points shown along s and along u.
    s0: i64,
    n_s: i64,
    u0: i64,
    n_u: i64,
    /// Pixels per point along s and along u.
    dx: f64,
    dy: f64,
    /// The highlighted tile.
    chosen: (i64, Phase, i64),
    text: String,
}

impl<'a> Drawing<'a> {
    fn new(picture: &'a TilingPicture<'a>, index: usize) -> Self {
        let hexagon = &picture.schedule.hexagon;
        let (height, width) = (hexagon.height(), hexagon.width());
        // Three boxes each way, more where they are tiny.
        let n_boxes = |size: i64, wanted: i64| (wanted + size - 1).div_euclid(size).clamp(3, 9) | 1;
        let (n_s, n_u) = (width * n_boxes(width, 20), height * n_boxes(height, 6));
        let room = |pixels: f64, n: i64| (pixels / n as f64).min(28.0);
        let (mut dx, mut dy) = (room(960.0, n_s), room(500.0, n_u));
        if dx.min(dy) >= 9.0 {
            (dx, dy) = (dx.min(dy), dx.min(dy));
        }
        let time_tile = (n_u / height - 1) / 2;
        let before = (n_s / width - 1) / 2;
        // The first tile for which nothing left of 0 is in view.
        let mut space_tile = before;
        while hexagon.origin(Phase::One, time_tile, space_tile).1 < before * width {
            space_tile += 1;
        }
        let chosen = (time_tile, Phase::One, space_tile);
        let (u, s) = hexagon.origin(Phase::One, time_tile, space_tile);
        Drawing {
            picture,
            hexagon,
            index,
            s0: s - before * width,
            n_s,
            u0: u - time_tile * height,
            n_u,
            dx,
            dy,
            chosen,
            text: String::new(),
        }
    }

    fn line(&mut self, text: impl AsRef<str>) {
        self.text.push_str(text.as_ref());
        self.text.push('\n');
    }

    /// Pixels of a place given in points.
    fn x(&self, s: f64) -> f64 {
        LEFT + (s - self.s0 as f64 + 0.5) * self.dx
    }

    fn y(&self, u: f64) -> f64 {
        ABOVE + (self.n_u as f64 - 0.5 - (u - self.u0 as f64)) * self.dy
    }

    fn plot_width(&self) -> f64 {
        self.n_s as f64 * self.dx
    }

    fn plot_height(&self) -> f64 {
        self.n_u as f64 * self.dy
    }

    /// Whether all points are drawn: they are far enough apart and not so
    /// many that the file becomes large.
    fn has_dots(&self) -> bool {
        self.dx.min(self.dy) >= 5.0 && self.n_s * self.n_u <= MAX_DOTS
    }

    /// Whether the points of the highlighted tile are drawn.
    fn has_chosen_dots(&self) -> bool {
        self.dx.min(self.dy) >= 3.5 && self.hexagon.n_points() <= MAX_DOTS
    }

    fn draw(mut self) -> Drawn {
        let mut width = (LEFT + self.plot_width() + RIGHT).max(720.0);
        width = width.max(LEFT + text_width(&self.picture.title, 16.0) + RIGHT);
        self.line(format!(
            "<text x=\"{}\" y=\"28\" font-size=\"16\" font-weight=\"bold\">{}</text>",
            num(LEFT),
            escape(&self.picture.title)
        ));
        let tiles = self.tiles();
        let clip = format!("plot{}", self.index);
        self.line(format!(
            "<clipPath id=\"{clip}\"><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/></clipPath>",
            num(LEFT),
            num(ABOVE),
            num(self.plot_width()),
            num(self.plot_height())
        ));
        self.line(format!("<g clip-path=\"url(#{clip})\">"));
        self.outlines(&tiles);
        self.dots();
        self.line("</g>");
        self.time_tile_box();
        self.labels(&tiles);
        self.cone();
        self.axes();
        let bottom = self.legend(ABOVE + self.plot_height() + AXIS + 22.0, width);
        Drawn {
            text: self.text,
            width,
            height: bottom,
        }
    }

    /// All tiles in view.
    fn tiles(&self) -> Vec<(i64, Phase, i64)> {
        let hexagon = self.hexagon;
        let mut tiles = Vec::new();
        for time_tile in -1..=self.n_u / hexagon.height() + 1 {
            for phase in self.picture.schedule.phase_order {
                let first = hexagon.origin(phase, time_tile, 0).1;
                let width = hexagon.width();
                let from = (self.s0 - first).div_euclid(width) - 1;
                let to = (self.s0 + self.n_s - first).div_euclid(width) + 1;
                tiles.extend((from..=to).map(|space_tile| (time_tile, phase, space_tile)));
            }
        }
        tiles.retain(|&(time_tile, phase, space_tile)| {
            let corners = outline(hexagon, hexagon.origin(phase, time_tile, space_tile));
            let span = |values: &dyn Fn(&(i64, i64)) -> i64, from: i64, n: i64| {
                let lo = corners.iter().map(values).min().unwrap_or(0);
                let hi = corners.iter().map(values).max().unwrap_or(0);
                hi > 2 * from - 1 && lo < 2 * (from + n) - 1
            };
            span(&|c| c.0, self.s0, self.n_s) && span(&|c| c.1, self.u0, self.n_u)
        });
        tiles
    }

    fn outlines(&mut self, tiles: &[(i64, Phase, i64)]) {
        let others = tiles.iter().filter(|&&t| t != self.chosen);
        let all: Vec<_> = others.copied().chain([self.chosen]).collect();
        for tile in all {
            let (time_tile, phase, space_tile) = tile;
            let (u, s) = self.hexagon.origin(phase, time_tile, space_tile);
            let points: Vec<String> = (outline(self.hexagon, (u, s)).iter())
                .map(|&(x, y)| {
                    let (x, y) = (self.x(x as f64 / 2.0), self.y(y as f64 / 2.0));
                    format!("{},{}", num(x), num(y))
                })
                .collect();
            let style = if tile == self.chosen {
                format!("fill=\"{HIGHLIGHT}\" stroke=\"{HIGHLIGHT_INK}\" stroke-width=\"2\"")
            } else {
                let fill = PHASES[usize::from(phase == Phase::One)];
                format!("fill=\"{fill}\" stroke=\"#ffffff\" stroke-width=\"2\"")
            };
            self.line(format!(
                "<polygon points=\"{}\" {style} stroke-linejoin=\"round\"/>",
                points.join(" ")
            ));
        }
    }

    /// Integer points, those of the highlighted tile larger: paths of dots,
    /// each a segment of no length with round ends.
    fn dots(&mut self) {
        let (mut plain, mut chosen) = (String::new(), String::new());
        if !self.has_dots() && !self.has_chosen_dots() {
            return;
        }
        for u in self.u0..self.u0 + self.n_u {
            for s in self.s0..self.s0 + self.n_s {
                let (path, wanted) = if self.hexagon.tile_of(u, s) == self.chosen {
                    (&mut chosen, self.has_chosen_dots())
                } else {
                    (&mut plain, self.has_dots())
                };
                if wanted {
                    let _ = write!(
                        path,
                        "M{} {}h0",
                        num(self.x(s as f64)),
                        num(self.y(u as f64))
                    );
                }
            }
        }
        let size = self.dx.min(self.dy);
        for (path, colour, size) in [
            (plain, DOT, (size * 0.13).clamp(1.2, 2.8)),
            (chosen, HIGHLIGHT_INK, (size * 0.26).clamp(1.6, 6.0)),
        ] {
            self.line(format!(
                "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{}\" stroke-linecap=\"round\"/>",
                num(size)
            ));
        }
    }

    /// The box of the highlighted tile: H rows and W columns.
    fn time_tile_box(&mut self) {
        let (time_tile, phase, space_tile) = self.chosen;
        let (u, s) = self.hexagon.origin(phase, time_tile, space_tile);
        let (width, height) = (self.hexagon.width(), self.hexagon.height());
        self.line(format!(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"{BOX}\" \
             stroke-width=\"1.5\" stroke-dasharray=\"6 4\"/>",
            num(self.x(s as f64 - 0.5)),
            num(self.y((u + height) as f64 - 0.5)),
            num(width as f64 * self.dx),
            num(height as f64 * self.dy)
        ));
    }

    /// T, phase and S of every tile whose label is in view and fits, on a
    /// ground of the tile's colour that interrupts dots and lines.
    fn labels(&mut self, tiles: &[(i64, Phase, i64)]) {
        let hexagon = self.hexagon;
        let dim = self.picture.schedule.hex_dim;
        let row = hexagon.row(hexagon.h);
        let size = if self.has_dots() {
            (self.dy * 0.85).clamp(9.0, 12.0)
        } else {
            12.0
        };
        for &tile in tiles {
            let (time_tile, phase, space_tile) = tile;
            // In tiles of two rows the cone takes the place of the label.
            if tile == self.chosen && hexagon.h == 0 {
                continue;
            }
            let p = phase.number();
            // The box runs through the middle of the other phase's tiles.
            let above = phase != self.chosen.1 && hexagon.h > 0;
            let (u_label, row) = if above {
                let rows_up = if self.has_dots() {
                    1
                } else {
                    (14.0 / self.dy).ceil() as i64
                };
                let a = (hexagon.h + rows_up).min(hexagon.height() - 2);
                (a, hexagon.row(a + 1))
            } else {
                (hexagon.h, row.clone())
            };
            let room = (row.end() - row.start() + 1) as f64 * self.dx - 8.0;
            let candidates = [
                format!("T = {time_tile}, phase {p}, S{dim} = {space_tile}"),
                format!("T{time_tile}, phase {p}, S{space_tile}"),
                format!("T{time_tile} p{p} S{space_tile}"),
            ];
            let Some(label) = candidates.iter().find(|c| text_width(c, size) <= room) else {
                continue;
            };
            let (u, s) = hexagon.origin(phase, time_tile, space_tile);
            let x = self.x(s as f64 + (row.start() + row.end()) as f64 / 2.0);
            let y = self.y((u + u_label) as f64 + 0.5);
            let half = text_width(label, size) / 2.0;
            let fits = x - half > LEFT
                && x + half < LEFT + self.plot_width()
                && y - size > ABOVE
                && y + size < ABOVE + self.plot_height();
            if !fits {
                continue;
            }
            let (behind, weight) = if tile == self.chosen {
                (HIGHLIGHT, " font-weight=\"bold\"")
            } else {
                (PHASES[usize::from(phase == Phase::One)], "")
            };
            self.line(format!(
                "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{behind}\"/>\
                 <text x=\"{}\" y=\"{}\" font-size=\"{}\" text-anchor=\"middle\"{weight}>{label}</text>",
                num(x - half - 2.0),
                num(y - size * 0.6),
                num(2.0 * half + 4.0),
                num(size * 1.2),
                num(x),
                num(y + size * 0.36),
                num(size)
            ));
        }
    }

    /// The cone of points that the middle of the highlighted tile's last row
    /// depends on: its sides are those of the tile.
    fn cone(&mut self) {
        let hexagon = self.hexagon;
        let (time_tile, phase, space_tile) = self.chosen;
        let (u, s) = hexagon.origin(phase, time_tile, space_tile);
        let last = hexagon.height() - 1;
        let row = hexagon.row(last);
        let apex = (
            (s + (row.start() + row.end()) / 2) as f64,
            (u + last) as f64,
        );
        // It ends above the tile's label.
        let n = (hexagon.h - (10.0 / self.dy) as i64).max(1) as f64;
        let slope = |d: hexcc_isl::Rational| d.num as f64 / d.den as f64;
        let (left, right) = (
            apex.0 - slope(hexagon.delta0) * n,
            apex.0 + slope(hexagon.delta1) * n,
        );
        let at = |s: f64, u: f64| (self.x(s), self.y(u));
        let (tip, ends) = (
            at(apex.0, apex.1),
            [at(left, apex.1 - n), at(right, apex.1 - n)],
        );
        self.line(format!(
            "<polygon points=\"{},{} {},{} {},{}\" fill=\"{CONE}\" fill-opacity=\"0.15\"/>",
            num(tip.0),
            num(tip.1),
            num(ends[0].0),
            num(ends[0].1),
            num(ends[1].0),
            num(ends[1].1)
        ));
        // The names stand between two rows of dots, clear of the arrows.
        let part = (((n - 1.0) / 2.0).floor() + 0.5) / n;
        for (side, end) in ends.into_iter().enumerate() {
            self.arrow(tip, end, CONE);
            let (name, anchor, sign) = [DELTA0, DELTA1][side];
            let shift = sign * (5.0 + 6.0 * ((end.0 - tip.0) / (end.1 - tip.1)).abs());
            let middle = (
                tip.0 + (end.0 - tip.0) * part,
                tip.1 + (end.1 - tip.1) * part,
            );
            self.line(format!(
                "<text x=\"{}\" y=\"{}\" text-anchor=\"{anchor}\" fill=\"{CONE}\" font-weight=\"bold\" \
                 paint-order=\"stroke\" stroke=\"{HIGHLIGHT}\" stroke-width=\"3\" stroke-linejoin=\"round\">{name}</text>",
                num(middle.0 + shift),
                num(middle.1 + 4.0)
            ));
        }
    }

    /// A line with a triangle at its end.
    fn arrow(&mut self, from: (f64, f64), to: (f64, f64), colour: &str) {
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let length = dx.hypot(dy).max(1e-9);
        let (ex, ey) = (dx / length, dy / length);
        let base = (to.0 - 9.0 * ex, to.1 - 9.0 * ey);
        self.line(format!(
            "<path d=\"M{} {}L{} {}\" stroke=\"{colour}\" stroke-width=\"2\"/>\
             <polygon points=\"{},{} {},{} {},{}\" fill=\"{colour}\"/>",
            num(from.0),
            num(from.1),
            num(base.0),
            num(base.1),
            num(to.0),
            num(to.1),
            num(base.0 - 4.5 * ey),
            num(base.1 + 4.5 * ex),
            num(base.0 + 4.5 * ey),
            num(base.1 - 4.5 * ex)
        ));
    }

    fn axes(&mut self) {
        let schedule = self.picture.schedule;
        let (left, bottom) = (LEFT - 8.0, ABOVE + self.plot_height() + 8.0);
        let (top, right) = (ABOVE - 12.0, LEFT + self.plot_width() + 14.0);
        self.arrow((left, bottom), (left, top), INK);
        self.arrow((left, bottom), (right, bottom), INK);
        let time = &self.picture.names[0];
        let time = if schedule.k == 1 {
            format!("u = {time}")
        } else {
            format!("u = {} {time} + slot", schedule.k)
        };
        self.line(format!(
            "<text x=\"{}\" y=\"{}\" font-size=\"14\" font-style=\"italic\">{}</text>",
            num(left - 8.0),
            num(top - 6.0),
            escape(&time)
        ));
        self.line(format!(
            "<text x=\"{}\" y=\"{}\" font-size=\"14\" font-style=\"italic\">{}</text>",
            num(right + 6.0),
            num(bottom + 5.0),
            escape(&self.picture.names[schedule.hex_dim + 1])
        ));
        let digits = text_width(&(self.s0 + self.n_s).to_string(), 12.0);
        let mut ticks = String::new();
        for s in (self.s0..self.s0 + self.n_s).filter(|s| s % step(self.dx, digits + 20.0) == 0) {
            let x = num(self.x(s as f64));
            let _ = writeln!(
                ticks,
                "<path d=\"M{x} {}v5\" stroke=\"{INK}\"/>",
                num(bottom)
            );
            let _ = writeln!(
                ticks,
                "<text x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{s}</text>",
                num(bottom + 18.0)
            );
        }
        for u in (self.u0..self.u0 + self.n_u).filter(|u| u % step(self.dy, 22.0) == 0) {
            let y = self.y(u as f64);
            let _ = writeln!(
                ticks,
                "<path d=\"M{} {}h-5\" stroke=\"{INK}\"/>",
                num(left),
                num(y)
            );
            let _ = writeln!(
                ticks,
                "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{u}</text>",
                num(left - 9.0),
                num(y + 4.0)
            );
        }
        self.text.push_str(&ticks);
    }

    /// Swatches and numbers below the plot; returns where they end.
    fn legend(&mut self, top: f64, width: f64) -> f64 {
        let hexagon = self.hexagon;
        let (time_tile, phase, space_tile) = self.chosen;
        let dim = self.picture.schedule.hex_dim;
        let swatch = |style: &str| format!("<rect width=\"20\" height=\"14\" rx=\"2\" {style}/>");
        let filled = |phase: Phase| {
            swatch(&format!(
                "fill=\"{}\"",
                PHASES[usize::from(phase == Phase::One)]
            ))
        };
        let items = [
            (filled(Phase::Zero), "phase 0".to_string()),
            (
                filled(Phase::One),
                "phase 1, after phase 0 of the same T".to_string(),
            ),
            (
                swatch(&format!(
                    "fill=\"{HIGHLIGHT}\" stroke=\"{HIGHLIGHT_INK}\" stroke-width=\"2\""
                )),
                format!(
                    "tile T = {time_tile}, phase {}, S{dim} = {space_tile}: {} points",
                    phase.number(),
                    hexagon.n_points()
                ),
            ),
            (
                swatch(&format!(
                    "fill=\"none\" stroke=\"{BOX}\" stroke-width=\"1.5\" stroke-dasharray=\"5 3\""
                )),
                format!(
                    "its box: {} rows, pitch {}",
                    hexagon.height(),
                    hexagon.width()
                ),
            ),
            (
                format!("<path d=\"M10 0L1 14M10 0L19 14\" stroke=\"{CONE}\" stroke-width=\"2\"/>"),
                format!(
                    "opposite dependence cone: {} = {}, {} = {}",
                    DELTA0.0, hexagon.delta0, DELTA1.0, hexagon.delta1
                ),
            ),
            (
                String::new(),
                format!(
                    "h = {}, w\u{2080} = {}, drift {} per time tile",
                    hexagon.h,
                    hexagon.w0,
                    hexagon.drift()
                ),
            ),
        ];
        let (mut x, mut y) = (LEFT, top);
        for (swatch, text) in items {
            let indent = if swatch.is_empty() { 0.0 } else { 28.0 };
            let needed = indent + text_width(&text, 12.0);
            if x > LEFT && x + needed > width - 16.0 {
                (x, y) = (LEFT, y + LINE);
            }
            if !swatch.is_empty() {
                self.line(format!(
                    "<g transform=\"translate({} {})\">{swatch}</g>",
                    num(x),
                    num(y - 11.0)
                ));
            }
            self.line(format!(
                "<text x=\"{}\" y=\"{}\">{text}</text>",
                num(x + indent),
                num(y)
            ));
            x += needed + 28.0;
        }
        y + 22.0
    }
}

/// A round number of points between ticks at least `pixels` apart.
fn step(per_point: f64, pixels: f64) -> i64 {
    let mut decade = 1;
    loop {
        for digit in [1, 2, 5] {
            if (digit * decade) as f64 * per_point >= pixels {
                return digit * decade;
            }
        }
        decade *= 10;
    }
}

/// Estimated width of a text in pixels.
fn text_width(text: &str, size: f64) -> f64 {
    text.chars().count() as f64 * size * ASPECT
}

/// A coordinate with at most two decimals.
fn num(x: f64) -> String {
    let text = format!("{x:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" {
        "0".to_string()
    } else {
        text.to_string()
    }
}

/// Text with XML's special characters escaped.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use hexcc_isl::Rational;

    /// Whether a point lies strictly inside a polygon whose corners are in
    /// half points; points never lie on an outline.
    fn inside(polygon: &[(i64, i64)], (x, y): (i64, i64)) -> bool {
        let (x, y) = (2 * x, 2 * y);
        let mut odd = false;
        for (i, &(x1, y1)) in polygon.iter().enumerate() {
            let (x2, y2) = polygon[(i + 1) % polygon.len()];
            if (y1 > y) == (y2 > y) {
                continue;
            }
            // Whether the edge passes to the right of the point.
            let side = (x2 - x1) * (y - y1) - (x - x1) * (y2 - y1);
            odd ^= (side > 0) == (y2 > y1);
        }
        odd
    }

    fn doubled_area(polygon: &[(i64, i64)]) -> i64 {
        (polygon.iter().zip(polygon.iter().cycle().skip(1)))
            .map(|(p, q)| p.0 * q.1 - q.0 * p.1)
            .sum()
    }

    /// Outlines hold exactly their tile's points and leave no gap in between.
    fn check(h: i64, extra: i64, delta0: Rational, delta1: Rational) {
        let w0 = Hexagon::min_w0(h, delta0, delta1) + extra;
        let hexagon = Hexagon::new(h, w0, delta0, delta1);
        let (height, width) = (hexagon.height(), hexagon.width());
        // Both phases together fill a box per tile; 4 half points squared are
        // a point's area.
        let polygon = outline(&hexagon, (0, 0));
        assert_eq!(doubled_area(&polygon), 4 * height * width, "{hexagon:?}");
        let mut tiles = Vec::new();
        for time_tile in -1..=2 {
            for phase in Phase::ALL {
                for space_tile in -4..=4 {
                    let origin = hexagon.origin(phase, time_tile, space_tile);
                    tiles.push(((time_tile, phase, space_tile), outline(&hexagon, origin)));
                }
            }
        }
        for u in 0..height {
            for s in 0..width {
                let found: Vec<_> = (tiles.iter().filter(|(_, p)| inside(p, (s, u))))
                    .map(|(t, _)| *t)
                    .collect();
                assert_eq!(found, [hexagon.tile_of(u, s)], "{hexagon:?} at ({u}, {s})");
            }
        }
    }

    #[test]
    fn outlines_hold_exactly_the_points_of_their_tile() {
        let slopes = [
            (0, 1),
            (1, 3),
            (1, 2),
            (2, 3),
            (1, 1),
            (3, 2),
            (2, 1),
            (3, 1),
        ];
        for (n0, d0) in slopes {
            for (n1, d1) in slopes {
                for (h, extra) in [(0, 0), (1, 0), (2, 1), (3, 0), (5, 2)] {
                    let delta = |n, d| Rational::new(n, d).expect("a small fraction");
                    check(h, extra, delta(n0, d0), delta(n1, d1));
                }
            }
        }
    }

    #[test]
    fn titles_are_escaped() {
        let names = ["t".to_string(), "i".to_string()];
        let sizes = crate::sched::TileSizes { h: 1, w: vec![2] };
        let schedule =
            HybridSchedule::new(1, 0, 1.into(), &[1.into()], &sizes).expect("legal sizes");
        let picture = TilingPicture {
            title: "a<b>&c".to_string(),
            names: &names,
            schedule: &schedule,
        };
        let text = tiling_svg(&[picture]);
        assert!(text.contains("a&lt;b&gt;&amp;c"));
        assert!(!text.contains("NaN") && !text.contains("inf"));
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(num(1.0), "1");
        assert_eq!(num(2.504), "2.5");
        assert_eq!(num(-0.001), "0");
    }

    #[test]
    fn steps_are_round() {
        assert_eq!(step(28.0, 30.0), 2);
        assert_eq!(step(1.0, 35.0), 50);
    }
}
