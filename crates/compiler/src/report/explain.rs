//! A compilation as a report for a terminal: what `hexcc explain` prints.
//!
//! Architecture invariant: everything here formats results of earlier passes;
//! durations are left to the caller, so that the text is the same each time.

use super::{header, segments, steps};
use crate::back::ast_to_c;
use crate::back::names::Names;
use crate::canonical::{CanonicalStmt, DimRole};
use crate::compiled::{Compiled, Unit};
use crate::csource;
use crate::deps::{DepKind, Dependence};
use crate::kernel::{
    Interval, KernelAccess, KernelArray, KernelIr, Read, Schema, SharedBox, SharedDim, Sub,
};
use crate::sched::{Hexagon, Phase};
use crate::scop::{Access, Array, SavedScop, Scop, SourceFile, Statement};
use crate::stencil::Stencil;
use crate::tiling::Kernel;
use crate::tiling::hybrid::Hybrid;
use hexcc_isl::{DimType, Set};
use std::fmt::{self, Write};

/// Sets of distances up to this size are listed, larger ones printed by isl.
const MAX_LISTED: usize = 9;

/// Columns of text that lines are broken at where they can be.
const LINE_WIDTH: usize = 100;

/// Columns a drawing of a hexagon may take.
const MAX_COLUMNS: i64 = 64;

/// Rows a drawing of a hexagon may take.
const MAX_ROWS: i64 = 48;

/// Describes every time loop of a compilation: statements, arrays,
/// dependences, cone, schedule, counts and the condition for full tiles.
pub fn explain(saved: &SavedScop, compiled: &Compiled) -> String {
    let told = segments::explain(saved, compiled);
    explain_source(&saved.source, compiled, &told)
}

/// The same for a stencil that a program has built.
pub fn explain_stencil(stencil: &Stencil, compiled: &Compiled) -> String {
    explain_source(stencil.source(), compiled, "")
}

/// The same, with what there is to say of segments.
fn explain_source(source: &SourceFile, compiled: &Compiled, segments: &str) -> String {
    let mut report = Report {
        source,
        scop: &compiled.scop,
        text: String::new(),
    };
    report.overview(compiled);
    for (index, unit) in compiled.units.iter().enumerate() {
        report.unit(index, unit);
    }
    report.text.push_str(segments);
    for (index, nest) in compiled.tiled_nests.iter().enumerate() {
        let mut of_nest = Report {
            source,
            scop: &nest.scop,
            text: String::new(),
        };
        of_nest.unit(index, &nest.unit);
        report.text.push_str(&of_nest.text);
    }
    for part in &compiled.stepwise {
        report.text.push_str(&steps::explain(source, part));
    }
    report.text
}

struct Report<'a> {
    source: &'a SourceFile,
    scop: &'a Scop,
    text: String,
}

impl Report<'_> {
    fn line(&mut self, text: impl AsRef<str>) {
        self.text.push_str(text.as_ref());
        self.text.push('\n');
    }

    fn section(&mut self, title: &str) {
        self.line("");
        self.line(title);
    }

    /// `FILE:LINE:COLUMN` of a byte offset.
    fn location(&self, offset: usize) -> String {
        let place = self.source.place(offset);
        let (line, column) = csource::line_col(place.text, place.offset);
        format!("{}:{line}:{column}", place.path)
    }

    fn overview(&mut self, compiled: &Compiled) {
        let n = compiled.units.len();
        let params = match self.scop.params.as_slice() {
            [] => "none".to_string(),
            names => names.join(", "),
        };
        let on_cpu = (compiled.stepwise.iter()).filter(|part| part.tiles.is_some());
        let n = n + on_cpu.count() + compiled.tiled_nests.len();
        let what = match n {
            0 if !compiled.stepwise.is_empty() => {
                "not tiled, run with one launch per step".to_string()
            }
            n => format!("{n} time loop{} tiled", plural(n)),
        };
        let path = &self.source.path;
        self.line(format!("{path}: {what}; size parameters: {params}"));
        let is_tiled = |start: usize| {
            (compiled.units.iter()).any(|u| u.analysis.chunk.span.start == start)
                || (compiled.stepwise.iter()).any(|part| part.span.contains(&start))
                || (compiled.tiled_nests.iter())
                    .any(|nest| nest.unit.analysis.chunk.span.start == start)
        };
        let host: Vec<String> = (self.scop.chunks.iter())
            .filter(|c| !c.stmts.is_empty() && !is_tiled(c.span.start))
            .map(|c| self.location(c.span.start))
            .collect();
        if !host.is_empty() {
            self.line(format!("left to the host: {}", host.join(", ")));
        }
    }

    fn unit(&mut self, index: usize, unit: &Unit) {
        let place = self.location(unit.analysis.chunk.span.start);
        let function =
            csource::enclosing_function(&self.source.text, unit.analysis.chunk.span.start);
        let function = function.map_or(String::new(), |f| format!(", in {}()", f.name));
        self.section(&format!("time loop {} at {place}{function}", index + 1));
        let (names, k) = (&unit.analysis.canonical.names, unit.analysis.canonical.k);
        self.line(format!(
            "  coordinates ({}); logical time {}",
            names.join(", "),
            match k {
                1 => format!("u = {}", names[0]),
                _ => format!("u = {k} {} + slot: {k} slots per time step", names[0]),
            }
        ));
        self.statements(unit);
        self.arrays(unit);
        self.dependences(unit);
        self.cone(unit);
        self.tiling(unit);
        if let Some(hybrid) = unit.hybrid() {
            self.schedule(unit, hybrid);
            self.counts(hybrid);
            self.proof(hybrid);
            self.full_tiles(hybrid);
        }
    }

    fn statements(&mut self, unit: &Unit) {
        self.section("statements");
        for (stmt, kernel) in unit
            .analysis
            .canonical
            .stmts
            .iter()
            .zip(&unit.stencil().stmts)
        {
            let (name, place) = (&kernel.name, kernel.place());
            let head = format!("  {name}  {place}, slot {}:  ", stmt.slot);
            let room = LINE_WIDTH.saturating_sub(head.len()).max(40);
            self.line(format!("{head}{}", shortened(&kernel.text, room)));
            let note = if kernel.partial_only {
                ", a boundary: in partial tiles only"
            } else {
                ""
            };
            self.line(format!("    {}{note}", self.domain(stmt, unit)));
        }
    }

    /// The instances of a statement in canonical coordinates.
    fn domain(&self, stmt: &CanonicalStmt, unit: &Unit) -> String {
        let simplified = || -> hexcc_isl::Result<Set> {
            let context = self.scop.context.params()?;
            stmt.domain.coalesce()?.gist_params(&context)
        };
        simplified().map_or_else(
            |error| format!("(isl: {error})"),
            |set| set_text(&set, &unit.analysis.canonical.names),
        )
    }

    fn arrays(&mut self, unit: &Unit) {
        self.section("arrays");
        let mut rows = Vec::new();
        for (id, roles) in &unit.analysis.canonical.roles {
            let array = self.scop.array(*id);
            let kernel = (unit.stencil().arrays.iter()).position(|a| a.name == array.name);
            match kernel {
                Some(index) => rows.push(array_row(unit, index, roles)),
                None => rows.push(scalar_row(array)),
            }
        }
        self.text.push_str(&table("  ", &rows));
        for line in header::swapped(unit.stencil()) {
            let _ = writeln!(self.text, "  {line}");
        }
    }

    fn dependences(&mut self, unit: &Unit) {
        let names = &unit.analysis.canonical.names;
        let space: Vec<String> = names[1..].iter().map(|s| format!("d{s}")).collect();
        self.section(&format!(
            "dependences, distances (du, {})",
            space.join(", ")
        ));
        let mut deps: Vec<&Dependence> = unit.analysis.canonical.deps.iter().collect();
        deps.sort_by_key(|d| match d.kind {
            DepKind::Flow => 0,
            DepKind::Anti => 1,
            DepKind::Output => 2,
        });
        // An element that is read twice gives the same row twice.
        let mut rows: Vec<Vec<String>> = Vec::new();
        for row in deps.iter().map(|d| self.dependence(unit, d)) {
            if !rows.contains(&row) {
                rows.push(row);
            }
        }
        self.text.push_str(&table("  ", &rows));
    }

    fn dependence(&self, unit: &Unit, dep: &Dependence) -> Vec<String> {
        let stmt = |i: usize| &self.scop.stmts[unit.analysis.canonical.stmts[i].stmt];
        let (read_in_source, read_in_target) = match dep.kind {
            DepKind::Flow => (&[][..], &dep.reads[..]),
            DepKind::Anti => (&dep.reads[..], &[][..]),
            DepKind::Output => (&[][..], &[][..]),
        };
        let mut distance_names = vec!["du".to_string()];
        distance_names.extend(
            unit.analysis.canonical.names[1..]
                .iter()
                .map(|s| format!("d{s}")),
        );
        vec![
            dep.kind.to_string(),
            format!("{} -> {}", stmt(dep.source).name, stmt(dep.target).name),
            self.access(unit, dep.source, read_in_source),
            "->".to_string(),
            self.access(unit, dep.target, read_in_target),
            distances(&dep.distance, &distance_names),
        ]
    }

    /// An access as the source spells it, or in canonical coordinates where
    /// its text is not certain: with temporaries, accesses come from other
    /// statements.
    ///
    /// `reads` are those it stands for, none for the write.
    fn access(&self, unit: &Unit, index: usize, reads: &[usize]) -> String {
        let stmt = &self.scop.stmts[unit.analysis.canonical.stmts[index].stmt];
        let kernel = &unit.stencil().stmts[index];
        let (access, canonical) = match *reads {
            [] => (Some(&stmt.write), Some(&kernel.write)),
            [r, ..] => (
                stmt.reads.get(r),
                match kernel.reads.get(r) {
                    Some(Read::Element(access)) => Some(access),
                    _ => None,
                },
            ),
        };
        if let (2.., Some(access)) = (reads.len(), access) {
            let name = &self.scop.array(access.array).name;
            return format!("{} reads of {name}", reads.len());
        }
        (access.and_then(|a| self.source_text(stmt, a)))
            .or_else(|| canonical.map(|c| canonical_text(unit, c)))
            .or_else(|| access.map(|a| self.scop.array(a.array).name.clone()))
            .unwrap_or_default()
    }

    fn source_text(&self, stmt: &Statement, access: &Access) -> Option<String> {
        if !stmt.locals.is_empty() {
            return None;
        }
        let text = &self.source.text;
        let name = &self.scop.array(access.array).name;
        let span = csource::find_access(text, stmt.span.clone(), name, access.nth)?;
        Some(
            text.get(span)?
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" "),
        )
    }

    fn cone(&mut self, unit: &Unit) {
        self.section("opposite dependence cone, -delta1 du <= ds <= delta0 du");
        let mut rows = Vec::new();
        for (j, name) in unit.analysis.canonical.names[1..].iter().enumerate() {
            rows.push(vec![
                name.clone(),
                format!("delta0 = {}", unit.analysis.cone.delta0[j]),
                format!("delta1 = {}", unit.analysis.cone.delta1[j]),
            ]);
        }
        self.text.push_str(&table("  ", &rows));
    }

    /// What is taken, where that is not the hybrid tiling that is described next.
    fn tiling(&mut self, unit: &Unit) {
        let Kernel::Overlapped(kernel, hybrid) = &unit.tiled.kernel else {
            return;
        };
        self.section("tiling");
        for line in header::tiles_of(kernel) {
            self.line(format!("  {line}"));
        }
        if hybrid.is_some() {
            self.line("");
            self.line("what follows is the hybrid tiling, which is predicted to be slower");
        }
    }

    fn schedule(&mut self, unit: &Unit, hybrid: &Hybrid) {
        let (names, schedule) = (&unit.analysis.canonical.names, &hybrid.schedule);
        let hexagon = &schedule.hexagon;
        let (dim, s) = (schedule.hex_dim, &names[schedule.hex_dim + 1]);
        self.section("schedule");
        self.line(format!(
            "  {s}: hexagonal with h = {}, w0 = {}: {} rows, pitch {}, drift {} per time tile",
            hexagon.h,
            hexagon.w0,
            hexagon.height(),
            hexagon.width(),
            hexagon.drift()
        ));
        for phase in schedule.phase_order {
            self.line(format!(
                "    phase {}: {}",
                phase.number(),
                phase_text(hexagon, phase, dim, s)
            ));
        }
        for classical in &schedule.classical {
            let (dim, s, w) = (classical.dim, &names[classical.dim + 1], classical.w);
            let skew = match (classical.delta1.num, classical.delta1.den) {
                (0, _) => s.clone(),
                (1, 1) => format!("({s} + a)"),
                (n, 1) => format!("({s} + {n} a)"),
                _ => format!("({s} + floor({} a))", classical.delta1),
            };
            self.line(format!(
                "  {s}: classical with w = {w}: S{dim} = floor({skew} / {w}) in row a"
            ));
        }
        self.line(format!(
            "  (T, phase): a kernel launch each, in this order; S{dim}: blocks"
        ));
        let loops: Vec<String> = (schedule.classical.iter())
            .map(|c| format!("S{}, ", c.dim))
            .collect();
        self.line(format!(
            "  {}a: loops in a block; points of a row: threads",
            loops.concat()
        ));
        self.line("");
        self.line(format!(
            "  the hexagon: row a (u grows upward), {}columns b of {s}, o = point",
            if schedule.k > 1 {
                "slot = a mod k, "
            } else {
                ""
            }
        ));
        for line in drawing(hexagon, schedule.k) {
            self.line(format!("  {line}"));
        }
    }

    fn counts(&mut self, hybrid: &Hybrid) {
        self.section("a full tile");
        let ir = &hybrid.kernel;
        let (loads, stores) = (Traffic::loads(ir), Traffic::stores(ir));
        let n_barriers = hybrid
            .schedule
            .barrier_after_row
            .iter()
            .filter(|&&b| b)
            .count();
        let iterations = hybrid.counts.iterations;
        let per_iteration = |n: i64| n as f64 / iterations.max(1) as f64;
        let strides = match ir.stencil.stmts.iter().any(|s| s.lattice.is_some()) {
            true => ", of which strided loops skip some",
            false => "",
        };
        let mut rows = vec![vec![
            "iterations".to_string(),
            format!("{iterations}{strides}"),
        ]];
        let mut row = |name: &str, value: String| rows.push(vec![name.to_string(), value]);
        let copies_in = ir.stencil.arrays.iter().any(|a| a.shared.is_some());
        match ir.schema {
            Schema::Shared => {
                row("loads", loads.to_string());
                row("stores", stores.to_string());
                row(
                    "load-to-compute",
                    format!("{:.4} loads per iteration", per_iteration(loads.elements)),
                );
                let all_copied = ir.stencil.arrays.iter().all(|a| a.shared.is_some());
                let bytes = per_iteration(loads.bytes + stores.bytes);
                let rest = if all_copied {
                    ""
                } else {
                    ", besides arrays in global memory"
                };
                row("copied", format!("{bytes:.3} bytes per iteration{rest}"));
                row("shared memory", format!("{} bytes", ir.shared_bytes));
            }
            Schema::Global => row("memory", "all accesses go to global memory".to_string()),
        }
        let after_copy_in = if copies_in { " + 1 after copy-in" } else { "" };
        row("barriers", format!("{n_barriers}{after_copy_in}"));
        let [x, y] = ir.block.shape();
        row("threads per block", format!("{x} x {y} = {}", x * y));
        self.text.push_str(&table("  ", &rows));
    }

    fn proof(&mut self, hybrid: &Hybrid) {
        self.section("proof");
        self.line(format!(
            "  {} sets of possible violations, each found empty by isl: every instance is in one",
            hybrid.proof.n_checks
        ));
        self.line("  tile, no dependence joins parallel instances, every dependence goes forward");
    }

    fn full_tiles(&mut self, hybrid: &Hybrid) {
        let ir = &hybrid.kernel;
        let Some(full) = &ir.full else {
            self.section("no tile is full: all take the guarded code");
            return;
        };
        let mut names = Names::new(&[]);
        let origin: Vec<String> = (0..ir.stencil.dims.len())
            .map(|d| {
                let origin = format!("{}0", ir.stencil.dims[d]);
                names.rename(&ir.origin_name(d), &origin);
                origin
            })
            .collect();
        self.section(&format!(
            "a tile with origin ({}), its row 0 and column 0, is full if",
            origin.join(", ")
        ));
        let text = ast_to_c(full, &names);
        for line in wrapped(&text, LINE_WIDTH - 4) {
            self.line(format!("  {line}"));
        }
    }
}

/// Elements that a full tile moves between global and shared memory.
struct Traffic {
    elements: i64,
    bytes: i64,
}

impl Traffic {
    fn none() -> Traffic {
        Traffic {
            elements: 0,
            bytes: 0,
        }
    }

    fn add(&mut self, n: i64, array: &KernelArray) {
        self.elements += n;
        self.bytes += n * array.elem.size() as i64;
    }

    /// What is copied in.
    fn loads(ir: &KernelIr) -> Traffic {
        let mut total = Traffic::none();
        for array in &ir.stencil.arrays {
            for copy in array.shared.iter().flat_map(|s| &s.copy_in) {
                total.add(copy.len(), array);
            }
        }
        total
    }

    /// What is stored: every instance but those whose value the kernel keeps.
    fn stores(ir: &KernelIr) -> Traffic {
        let volume = |points: &[Interval]| points.iter().map(|p| p.len()).product::<i64>();
        let mut total = Traffic::none();
        for (i, stmt) in ir
            .stencil
            .stmts
            .iter()
            .enumerate()
            .filter(|(_, s)| !s.partial_only)
        {
            let array = &ir.stencil.arrays[stmt.write.array];
            for row in ir.rows.iter().filter(|r| r.slot == stmt.slot) {
                total.add(volume(&row.points) - volume(&row.stmts[i].keep), array);
            }
        }
        total
    }
}

impl fmt::Display for Traffic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} elements, {} bytes", self.elements, self.bytes)
    }
}

fn plural(n: usize) -> &'static str {
    if n == 1 { "" } else { "s" }
}

/// The text, cut where it is too long.
fn shortened(text: &str, room: usize) -> String {
    if text.chars().count() <= room {
        return text.to_string();
    }
    let kept: String = text.chars().take(room - 3).collect();
    format!("{}...", kept.trim_end())
}

/// Lines of a conjunction, broken after `&&` and `||`.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut rest = text;
    while !rest.is_empty() {
        let end = (["&& ", "|| "].iter())
            .filter_map(|op| rest.find(op).map(|at| at + op.len()))
            .min()
            .unwrap_or(rest.len());
        let (piece, tail) = rest.split_at(end);
        rest = tail;
        match lines.last_mut() {
            Some(line) if line.is_empty() || line.len() + piece.trim_end().len() <= width => {
                line.push_str(piece);
            }
            _ => lines.push(piece.to_string()),
        }
    }
    lines.iter().map(|l| l.trim_end().to_string()).collect()
}

/// Rows of cells, each column as wide as its widest cell.
fn table(indent: &str, rows: &[Vec<String>]) -> String {
    let n_columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |d: usize| {
        let cells = rows.iter().filter_map(|r| r.get(d));
        cells.map(|c| c.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..n_columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = indent.to_string();
        for (cell, width) in row.iter().zip(&widths) {
            let _ = write!(line, "{cell:<width$}  ");
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// isl's text of a set with named dimensions, without the list of parameters.
fn set_text(set: &Set, names: &[String]) -> String {
    let named = || -> hexcc_isl::Result<String> {
        let mut set = set.clone();
        for (d, name) in names.iter().enumerate() {
            set = set.set_dim_name(DimType::Set, d as u32, name)?;
        }
        set.to_str()
    };
    match named() {
        Ok(text) if text.starts_with('[') => match text.split_once("] -> {") {
            Some((_, rest)) => format!("{{{rest}"),
            None => text,
        },
        Ok(text) => text,
        Err(error) => format!("(isl: {error})"),
    }
}

/// `{ (1, -1), (1, 1) }`, or isl's text where there are many.
fn distances(set: &Set, names: &[String]) -> String {
    let Ok(mut points) = set.points(MAX_LISTED) else {
        return set_text(set, names);
    };
    points.sort();
    let points: Vec<String> = (points.iter())
        .map(|p| {
            let numbers: Vec<String> = p.iter().map(i64::to_string).collect();
            format!("({})", numbers.join(", "))
        })
        .collect();
    format!("{{ {} }}", points.join(", "))
}

fn scalar_row(array: &Array) -> Vec<String> {
    vec![
        array.name.clone(),
        array.elem.to_string(),
        "scalar".to_string(),
        "passed by value".to_string(),
    ]
}

fn array_row(unit: &Unit, index: usize, roles: &[DimRole]) -> Vec<String> {
    let array = &unit.stencil().arrays[index];
    let names = Names::new(&[]);
    let extents: Vec<String> = (array.extents.iter())
        .map(|e| format!("[{}]", ast_to_c(e, &names)))
        .collect();
    let roles: Vec<String> = (roles.iter().enumerate())
        .map(|(d, role)| role_text(unit, index, d, *role))
        .collect();
    let access = if array.written { "" } else { "read only, " };
    vec![
        array.name.clone(),
        array.elem.to_string(),
        extents.concat(),
        format!("({})", roles.join(", ")),
        format!("{access}{}", home_text(array)),
    ]
}

/// Subscripts of one dimension of an array over all accesses.
fn subscripts(unit: &Unit, array: usize, d: usize) -> impl Iterator<Item = &Sub> {
    (unit.stencil().stmts.iter())
        .flat_map(|s| std::iter::once(&s.write).chain(s.elements()))
        .filter(move |a| a.array == array)
        .filter_map(move |a| a.subs.get(d))
}

/// What a dimension of an array stands for.
fn role_text(unit: &Unit, array: usize, d: usize, role: DimRole) -> String {
    let names = &unit.analysis.canonical.names;
    match role {
        DimRole::Time => {
            let modulo = subscripts(unit, array, d).find_map(|s| match s {
                Sub::Time { modulo, .. } => *modulo,
                _ => None,
            });
            modulo.map_or("time".to_string(), |m| format!("time modulo {m}"))
        }
        DimRole::Plane => "plane".to_string(),
        DimRole::Space => {
            let mut along: Vec<String> = Vec::new();
            for sub in subscripts(unit, array, d) {
                let text = match sub {
                    Sub::Space { dim, .. }
                    | Sub::General {
                        near: Some((dim, _)),
                        ..
                    } => names[dim + 1].clone(),
                    Sub::Const(_) => continue,
                    Sub::General { expr, .. } => format!("at {}", ast_to_c(expr, &Names::new(&[]))),
                    Sub::Time { .. } => names[0].clone(),
                };
                if !along.contains(&text) {
                    along.push(text);
                }
            }
            format!("space {}", along.join("/")).trim_end().to_string()
        }
    }
}

/// Where a tile keeps an array.
fn home_text(array: &KernelArray) -> String {
    let Some(SharedBox {
        dims, row_stride, ..
    }) = &array.shared
    else {
        return "global memory".to_string();
    };
    let sizes: Vec<i64> = dims.iter().map(SharedDim::size).collect();
    let text: Vec<String> = sizes.iter().map(i64::to_string).collect();
    let innermost = sizes.last().copied().unwrap_or(1);
    let outer: i64 = sizes.iter().rev().skip(1).product();
    let bytes = outer * row_stride * array.elem.size() as i64;
    let padding = if *row_stride > innermost {
        format!(", rows padded to {row_stride}")
    } else {
        String::new()
    };
    format!("shared {}{padding} = {bytes} bytes", text.join(" x "))
}

/// An access in canonical coordinates.
fn canonical_text(unit: &Unit, access: &KernelAccess) -> String {
    let names = &unit.analysis.canonical.names;
    let shifted = |name: &str, offset: i64| match offset {
        0 => name.to_string(),
        n if n < 0 => format!("{name}-{}", -n),
        n => format!("{name}+{n}"),
    };
    let mut text = unit.stencil().arrays[access.array].name.clone();
    for sub in &access.subs {
        let inner = match sub {
            Sub::Const(c) => c.to_string(),
            Sub::Space { dim, offset } => shifted(&names[dim + 1], *offset),
            Sub::Time {
                offset,
                modulo: None,
            } => shifted(&names[0], *offset),
            Sub::Time {
                offset: 0,
                modulo: Some(m),
            } => format!("{}%{m}", names[0]),
            Sub::Time {
                offset,
                modulo: Some(m),
            } => format!("({})%{m}", shifted(&names[0], *offset)),
            Sub::General { expr, .. } => ast_to_c(expr, &Names::new(&[])),
        };
        let _ = write!(text, "[{inner}]");
    }
    text
}

/// `a + b - 3` from terms, without those that are zero.
fn sum(first: &str, terms: &[(i64, &str)]) -> String {
    let mut text = first.to_string();
    for &(factor, name) in terms {
        let sign = if factor < 0 { '-' } else { '+' };
        let _ = match (factor.abs(), name) {
            (0, _) => Ok(()),
            (n, "") => write!(text, " {sign} {n}"),
            (1, name) => write!(text, " {sign} {name}"),
            (n, name) => write!(text, " {sign} {n} {name}"),
        };
    }
    text
}

/// Equations (2) and (3), or (4) and (5), with numbers.
fn phase_text(hexagon: &Hexagon, phase: Phase, dim: usize, s: &str) -> String {
    let floor = |numerator: String, divisor: i64| match numerator.contains(' ') {
        true => format!("floor(({numerator}) / {divisor})"),
        false => format!("floor({numerator} / {divisor})"),
    };
    let time = sum("u", &[(hexagon.time_shift(phase), "")]);
    let space = sum(
        s,
        &[(hexagon.space_shift(phase), ""), (hexagon.drift(), "T")],
    );
    format!(
        "T = {}, S{dim} = {}",
        floor(time, hexagon.height()),
        floor(space, hexagon.width())
    )
}

/// Lines that show the points of a hexagon, the latest row first.
fn drawing(hexagon: &Hexagon, k: i64) -> Vec<String> {
    let (height, width) = (hexagon.height(), columns(hexagon));
    let label = height.to_string().len().max(2);
    let skipped = skipped_columns(hexagon);
    let mut lines = Vec::new();
    for a in (0..height).rev() {
        if height > MAX_ROWS && (MAX_ROWS / 2..height - MAX_ROWS / 2).contains(&a) {
            if a == MAX_ROWS / 2 {
                lines.push(format!("{:>label$}", ":"));
            }
            continue;
        }
        let row = hexagon.row(a);
        let mut line = format!("{a:>label$}");
        if k > 1 {
            let _ = write!(line, " slot {}", a % k);
        }
        line.push_str("  ");
        if let Some(skipped) = &skipped {
            for b in 0..width {
                if !skipped.contains(&b) {
                    line.push(if row.contains(&b) { 'o' } else { ' ' });
                } else if b == skipped.start {
                    line.push_str(" ~ ");
                }
            }
            line.push_str("  ");
        }
        let n = row.end() - row.start() + 1;
        let _ = write!(
            line,
            "b = {}..{}, {n} point{}",
            row.start(),
            row.end(),
            if n == 1 { "" } else { "s" }
        );
        lines.push(line);
    }
    if let Some(skipped) = skipped.filter(|s| !s.is_empty()) {
        lines.push(format!(
            "{:>label$}  ~ stands for {} columns",
            "",
            skipped.end - skipped.start
        ));
    }
    lines
}

/// Columns up to the last that any row has.
fn columns(hexagon: &Hexagon) -> i64 {
    let ends = (0..hexagon.height()).map(|a| *hexagon.row(a).end());
    ends.max().unwrap_or(-1) + 1
}

/// Columns left out of a drawing: some that all rows have. `None` where that
/// does not make the drawing narrow enough.
fn skipped_columns(hexagon: &Hexagon) -> Option<std::ops::Range<i64>> {
    let excess = columns(hexagon) - MAX_COLUMNS;
    if excess <= 0 {
        return Some(0..0);
    }
    let rows = (0..hexagon.height()).map(|a| hexagon.row(a));
    let (lo, hi) = rows.fold((i64::MIN, i64::MAX), |(lo, hi), row| {
        (lo.max(*row.start()), hi.min(*row.end()))
    });
    let spare = hi - lo + 1 - excess;
    (spare >= 2).then(|| lo + spare / 2..lo + spare / 2 + excess)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums() {
        assert_eq!(sum("i", &[(0, ""), (0, "T")]), "i");
        assert_eq!(sum("i", &[(6, ""), (-1, "T")]), "i + 6 - T");
        assert_eq!(sum("i", &[(-2, ""), (3, "T")]), "i - 2 + 3 T");
    }

    #[test]
    fn conditions_break_at_conjunctions() {
        let lines = wrapped("a >= 1 && b >= 2 && c >= 3", 19);
        assert_eq!(lines, ["a >= 1 && b >= 2 &&", "c >= 3"]);
    }

    #[test]
    fn wide_hexagons_lose_columns_of_all_rows() {
        let hexagon = Hexagon::new(2, 511, 1.into(), 1.into());
        let skipped = skipped_columns(&hexagon).expect("the core is wide");
        assert_eq!(
            columns(&hexagon) - (skipped.end - skipped.start),
            MAX_COLUMNS
        );
        for b in skipped {
            assert!((0..hexagon.height()).all(|a| hexagon.contains(a, b)));
        }
        assert!(drawing(&hexagon, 1).iter().all(|line| line.len() < 120));
    }
}
