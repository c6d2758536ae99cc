//! From meaning to a [`Stencil`]: which fields have two planes, and which cells a read means.
//!
//! Statements run one behind the other, each at all of its cells at once. A field whose own statement reads other cells of
//! it that the statement changes gets two planes: a step reads the values before it in plane `t mod 2`, and writes those
//! after it into the other one. Every cell is either written in all steps or never, so that each plane is complete, if
//! both begin with the same values where no statement writes. All other fields have one plane.

use crate::model::{Affine, Boundary, Field, Model, Read, Statement};
use hexcc_compiler::diag::{Diagnostic, Result};
use hexcc_compiler::scop::{ArrayId, SourceFile};
use hexcc_compiler::stencil::{BuildError, Stencil, StencilBuilder};
use hexcc_isl::{Ctx, Map, Set};
use std::collections::BTreeMap;
use std::ops::Range;

/// Names of coordinates, outermost first.
const COORDINATES: [&str; 4] = ["i", "j", "k", "l"];

/// What a read of a cell becomes.
pub struct Cell {
    /// Its subscripts in the notation that isl and C share, without that of the plane.
    pub subscripts: Vec<String>,
    /// All cells that instances of the statement read.
    image: Set,
    /// Whether it may be another cell than that which the statement writes.
    is_shifted: bool,
    /// Whether a subscript is another function than a sum.
    goes_beyond: bool,
}

/// Which value of a field with two planes a read means.
pub enum Plane {
    /// That before the step.
    Old,
    /// That of the step.
    New,
    /// That of the step for cells within one of these boxes, each with subscript, first cell and the one behind the last along
    /// each dimension.
    Within(Vec<Vec<(String, Affine, Affine)>>),
}

/// A program on its way.
pub struct Lowering<'a> {
    ctx: &'a Ctx,
    /// What is lowered.
    pub model: &'a Model,
    /// The statements that change something.
    pub statements: Vec<&'a Statement>,
    /// Names of coordinates, outermost first.
    pub coordinates: Vec<String>,
    /// What holds for sizes.
    conditions: Vec<String>,
    /// The cells that each statement writes.
    regions: Vec<Set>,
    /// The reads of each statement.
    pub cells: Vec<Vec<Cell>>,
    /// By field, whether it has two planes.
    pub doubled: Vec<bool>,
}

/// The stencil of a program.
///
/// # Errors
/// What cannot be lowered exactly, located.
pub fn lower(
    ctx: &Ctx,
    model: &Model,
    source: SourceFile,
) -> std::result::Result<Stencil, Vec<Diagnostic>> {
    planned(ctx, model)?
        .build(source)
        .map_err(|d: Box<Diagnostic>| vec![*d])
}

/// A program of which is known which fields have two planes.
///
/// # Errors
/// What cannot be lowered exactly, located.
pub fn planned<'a>(
    ctx: &'a Ctx,
    model: &'a Model,
) -> std::result::Result<Lowering<'a>, Vec<Diagnostic>> {
    let one = |d: Box<Diagnostic>| vec![*d];
    let mut lowering = Lowering::new(ctx, model).map_err(one)?;
    if lowering.statements.is_empty() {
        let d = Diagnostic::error("HX0701", "no statement of the time loop changes a cell");
        return Err(vec![
            d.at(model.span.clone(), "nothing happens in its steps"),
        ]);
    }
    let wrong = lowering.out_of_grid().map_err(one)?;
    if !wrong.is_empty() {
        return Err(wrong);
    }
    lowering.find_planes().map_err(one)?;
    Ok(lowering)
}

/// A refusal by the builder, which has checked less than is checked before.
fn refused(error: BuildError, model: &Model) -> Box<Diagnostic> {
    match error {
        BuildError::Refused(d) => {
            let label = "in this time loop".to_string();
            let d = Diagnostic {
                labels: Vec::new(),
                ..*d
            };
            Box::new(d.at(model.span.clone(), label))
        }
        BuildError::Isl(error) | BuildError::Notation { error, .. } if error.quota => error.into(),
        BuildError::Isl(error) if error.stopped.is_some() => error.into(),
        other => Box::new(Diagnostic::bug(other)),
    }
}

impl<'a> Lowering<'a> {
    fn new(ctx: &'a Ctx, model: &'a Model) -> Result<Lowering<'a>> {
        let is_taken = |name: &str| {
            let locals = model.statements.iter().flat_map(|s| &s.locals);
            model.sizes.iter().any(|size| size == name)
                || model.fields.iter().any(|field| field.name == name)
                || model.time == name
                || locals.into_iter().any(|(local, _)| local == name)
        };
        let coordinates = COORDINATES.map(|name| {
            let mut name = name.to_string();
            while is_taken(&name) {
                name.push('_');
            }
            name
        });
        let mut lowering = Lowering {
            ctx,
            model,
            statements: model
                .statements
                .iter()
                .filter(|s| !s.is_identity())
                .collect(),
            coordinates: coordinates.to_vec(),
            conditions: model.conditions.clone(),
            regions: Vec::new(),
            cells: Vec::new(),
            doubled: vec![false; model.fields.len()],
        };
        lowering.require_cells();
        for stmt in lowering.statements.clone() {
            let region = lowering.set(stmt, &[])?;
            lowering.regions.push(region);
            let cells = stmt.reads.iter().map(|read| lowering.cell(stmt, read));
            let cells = cells.collect::<Result<_>>()?;
            lowering.cells.push(cells);
        }
        Ok(lowering)
    }

    /// Boundaries that lead back into the grid need as many cells in it.
    fn require_cells(&mut self) {
        for read in self.statements.iter().flat_map(|stmt| &stmt.reads) {
            for ((extent, boundary), offset) in
                self.model.fields[read.field].dims.iter().zip(&read.offsets)
            {
                let least = match boundary {
                    Boundary::Constant | Boundary::Nearest => continue,
                    Boundary::Periodic => offset.abs(),
                    Boundary::Mirrored => offset.abs() + 1,
                };
                let condition = format!("{extent} >= {least}");
                if *offset != 0 && !self.conditions.contains(&condition) {
                    self.conditions.push(condition);
                }
            }
        }
    }

    /// Where a statement runs, as conditions on coordinates and sizes.
    fn domain(&self, stmt: &Statement) -> Vec<String> {
        let ranges = self.coordinates.iter().zip(&stmt.ranges);
        let ranges = ranges.map(|(name, (low, high, _))| format!("{low} <= {name} < {high}"));
        ranges.collect()
    }

    fn tuple(&self, n: usize) -> String {
        self.coordinates[..n].join(", ")
    }

    fn text(&self, body: &str, conditions: &[String]) -> String {
        let sizes = self.model.sizes.join(", ");
        format!("[{sizes}] -> {{ {body} : {} }}", conditions.join(" and "))
    }

    /// The cells of a statement for which more holds.
    fn set(&self, stmt: &Statement, more: &[String]) -> Result<Set> {
        let all = [&self.domain(stmt)[..], &self.conditions, more].concat();
        let tuple = self.tuple(stmt.ranges.len());
        Ok(Set::read(
            self.ctx,
            &self.text(&format!("[{tuple}]"), &all),
        )?)
    }

    /// The cell that a read means.
    fn cell(&self, stmt: &Statement, read: &Read) -> Result<Cell> {
        let field = &self.model.fields[read.field];
        let dims = field.dims.iter().zip(&read.offsets);
        let subscripts: Vec<String> = (self.coordinates.iter().zip(dims))
            .map(|(name, ((extent, boundary), offset))| subscript(name, *offset, extent, *boundary))
            .collect();
        let is_plain = |((_, boundary), offset): (&(_, Boundary), &i64)| {
            *offset == 0 || *boundary == Boundary::Constant
        };
        let all = [self.domain(stmt), self.conditions.clone()].concat();
        let cells: Vec<String> = subscripts.iter().map(|s| format!("({s})")).collect();
        let tuple = self.tuple(stmt.ranges.len());
        let map = self.text(&format!("[{tuple}] -> [{}]", cells.join(", ")), &all);
        Ok(Cell {
            subscripts,
            image: Map::read(self.ctx, &map)?.range()?,
            is_shifted: read.offsets.iter().any(|offset| *offset != 0),
            goes_beyond: !field.dims.iter().zip(&read.offsets).all(is_plain),
        })
    }

    /// Sub-grids and reads that leave a grid for some sizes.
    fn out_of_grid(&self) -> Result<Vec<Diagnostic>> {
        let mut wrong = Vec::new();
        wrong.extend(self.no_steps()?);
        for stmt in &self.model.statements {
            if self.set(stmt, &[])?.is_empty()? {
                let what = "the sub-grid has no cells, whatever the sizes are";
                wrong.push(Diagnostic::error("HX0706", what).at(sub_grid(stmt), "nothing is here"));
                continue;
            }
            let field = &self.model.fields[stmt.field];
            let n_wrong = wrong.len();
            for (d, (.., span)) in stmt.ranges.iter().enumerate() {
                if let Some(end) = self.leaves(stmt, field, (d, 0))? {
                    let what = format!("the sub-grid leaves `{}` {end}", field.name);
                    let d = Diagnostic::error("HX0706", what).at(span.clone(), "for some sizes");
                    wrong.push(d.help(
                        "choose other bounds, or say which sizes there are: `size n where n >= 4;`",
                    ));
                }
            }
            if wrong.len() == n_wrong {
                wrong.extend(self.reads_out_of_grid(stmt)?);
            }
        }
        Ok(wrong)
    }

    /// A time loop without steps.
    fn no_steps(&self) -> Result<Option<Diagnostic>> {
        let (first, end) = &self.model.steps;
        let all = [vec![format!("{first} < {end}")], self.conditions.clone()].concat();
        let is_never = Set::read(self.ctx, &self.text("[]", &all))?.is_empty()?;
        let d = Diagnostic::error(
            "HX0701",
            "the time loop has no steps, whatever the sizes are",
        );
        Ok(is_never.then(|| d.at(self.model.span.clone(), "it ends before it begins")))
    }

    fn reads_out_of_grid(&self, stmt: &Statement) -> Result<Vec<Diagnostic>> {
        let mut wrong = Vec::new();
        for read in &stmt.reads {
            let field = &self.model.fields[read.field];
            for (d, offset) in read.offsets.iter().enumerate() {
                let is_open = field.dims[d].1 == Boundary::Constant || *offset == 0;
                let end = match is_open {
                    true => self.leaves(stmt, field, (d, *offset))?,
                    false => None,
                };
                if let Some(end) = end {
                    let what = format!("this read leaves `{}` {end}", field.name);
                    wrong.push(
                        Diagnostic::error("HX0706", what)
                            .at(read.span.clone(), "there is no such cell at the border of the sub-grid")
                            .also(sub_grid(stmt), "the sub-grid")
                            .help("choose a smaller sub-grid, or declare what lies beyond the grid: `boundary periodic`, `nearest` or `mirrored`"),
                    );
                }
            }
        }
        Ok(wrong)
    }

    /// At which end cells of a statement, moved along a dimension, leave the grid of a field.
    fn leaves(
        &self,
        stmt: &Statement,
        field: &Field,
        (d, offset): (usize, i64),
    ) -> Result<Option<String>> {
        // A statement has as many dimensions as each of its fields, or it has been refused.
        let (Some(name), Some((extent, _))) = (self.coordinates.get(d), field.dims.get(d)) else {
            return Ok(None);
        };
        let at = format!("{name} + {offset}");
        for (condition, end) in [
            (format!("{at} < 0"), "before its first cell"),
            (format!("{at} >= {extent}"), "behind its last cell"),
        ] {
            if !self.set(stmt, &[condition])?.is_empty()? {
                return Ok(Some(match field.dims.len() {
                    1 => end.to_string(),
                    _ => format!("{end} along dimension {}", d + 1),
                }));
            }
        }
        Ok(None)
    }

    /// Finds the fields that need two planes, and refuses where these are too few.
    fn find_planes(&mut self) -> Result<()> {
        for s in 0..self.statements.len() {
            for (read, cell) in self.statements[s].reads.iter().zip(&self.cells[s]) {
                if self.lost(s, read, cell)?.is_some() {
                    self.doubled[read.field] = true;
                }
            }
        }
        for (s, stmt) in self.statements.iter().enumerate() {
            for (read, cell) in stmt.reads.iter().zip(&self.cells[s]) {
                if let Some(lost) = self.lost(s, read, cell)?
                    && let Some(before) = self.written_before(s, read.field)?
                    && !lost.is_disjoint(&before)?
                {
                    return Err(Box::new(self.three_planes(s, read)));
                }
            }
        }
        Ok(())
    }

    /// The cells of a read whose values would be gone if its field had one plane.
    fn lost(&self, s: usize, read: &Read, cell: &Cell) -> Result<Option<Set>> {
        let mut lost: Option<Set> = None;
        for (other, stmt) in self.statements[..=s].iter().enumerate() {
            let is_own = other == s && cell.is_shifted;
            let is_mate = other < s && self.are_together(other, s);
            if stmt.field != read.field || !(is_own || is_mate) {
                continue;
            }
            let cells = cell.image.intersect(&self.regions[other])?;
            if !cells.is_empty()? {
                lost = Some(match lost {
                    Some(all) => all.union(&cells)?,
                    None => cells,
                });
            }
        }
        Ok(lost)
    }

    /// Whether two statements read what was there before both.
    fn are_together(&self, a: usize, b: usize) -> bool {
        let group = |s: usize| self.statements[s].group;
        group(a).is_some() && group(a) == group(b)
    }

    fn three_planes(&self, s: usize, read: &Read) -> Diagnostic {
        let name = &self.model.fields[read.field].name;
        let what = format!("`{name}` would need three values of a cell in one step");
        let d = Diagnostic::error("HX0709", what)
            .at(read.span.clone(), "reads cells that this statement, or one together with it, changes; an earlier one has changed them in the same step");
        let before = (self.statements[..s].iter()).filter(|stmt| stmt.field == read.field);
        before
            .fold(d, |d, stmt| d.also(stmt.span.clone(), "changes the field first"))
            .help(format!("let the first statement write a field of its own, and read that instead of `{name}`"))
    }

    /// The cells of a field that statements before one have written in a step, those in the same block left out.
    fn written_before(&self, s: usize, field: usize) -> Result<Option<Set>> {
        let mut all: Option<Set> = None;
        for (other, region) in self.regions[..s].iter().enumerate() {
            if self.statements[other].field == field && !self.are_together(other, s) {
                all = Some(match all {
                    Some(all) => all.union(region)?,
                    None => region.clone(),
                });
            }
        }
        Ok(all)
    }

    /// The plane in which a statement reads, by the numbers of both.
    pub fn plane(&self, s: usize, n: usize) -> Result<Plane> {
        let (read, cell) = (&self.statements[s].reads[n], &self.cells[s][n]);
        let Some(before) = self.written_before(s, read.field)? else {
            return Ok(Plane::Old);
        };
        if cell.image.is_disjoint(&before)? {
            return Ok(Plane::Old);
        }
        if cell.image.is_subset(&before)? {
            return Ok(Plane::New);
        }
        if cell.goes_beyond {
            let name = &self.model.fields[read.field].name;
            let what = format!(
                "this read of `{name}` goes beyond the grid, to cells before and after their change"
            );
            return Err(Box::new(
                Diagnostic::error("HX0709", what)
                    .at(read.span.clone(), "read here")
                    .help("write the changed values into a field of their own"),
            ));
        }
        let writers = (0..s).filter(|&other| {
            self.statements[other].field == read.field && !self.are_together(other, s)
        });
        let within = writers.map(|other| {
            let ranges = cell.subscripts.iter().zip(&self.statements[other].ranges);
            let ranges = ranges.map(|(at, (low, high, _))| (at.clone(), low.clone(), high.clone()));
            ranges.collect()
        });
        Ok(Plane::Within(within.collect()))
    }

    /// The number of a plane in isl's notation.
    fn plane_in_isl(&self, plane: &Plane) -> String {
        let time = &self.model.time;
        let (old, new) = (format!("{time} mod 2"), format!("({time} + 1) mod 2"));
        let inside = |(at, low, high): &(String, Affine, Affine)| format!("{low} <= {at} < {high}");
        match plane {
            Plane::Old => old,
            Plane::New => new,
            Plane::Within(boxes) => {
                format!("{} ? {new} : {old}", any(boxes, &inside, (" and ", " or ")))
            }
        }
    }

    /// The number of a plane in C.
    pub fn plane_in_c(&self, plane: &Plane) -> String {
        let time = &self.model.time;
        let is_positive = self
            .model
            .steps
            .0
            .as_number()
            .is_some_and(|first| first >= 0);
        // What is left of a negative number is negative in C.
        let (old, new) = match is_positive {
            true => (format!("{time} % 2"), format!("({time} + 1) % 2")),
            false => (
                format!("({time} % 2 + 2) % 2"),
                format!("({time} % 2 + 3) % 2"),
            ),
        };
        let inside =
            |(at, low, high): &(String, Affine, Affine)| format!("{at} >= {low} && {at} < {high}");
        match plane {
            Plane::Old => old,
            Plane::New => new,
            Plane::Within(boxes) => format!(
                "({}) ? {new} : {old}",
                any(boxes, &inside, (" && ", ") || ("))
            ),
        }
    }

    /// The stencil.
    fn build(&self, source: SourceFile) -> Result<Stencil> {
        let wrong = |error| refused(error, self.model);
        let sizes: Vec<&str> = self.model.sizes.iter().map(String::as_str).collect();
        let condition = self.conditions.join(" and ");
        let builder = StencilBuilder::new(self.ctx, &self.model.name, &sizes, &condition);
        let mut builder = builder.map_err(wrong)?;
        let mut arrays = Vec::new();
        for (field, doubled) in self.model.fields.iter().zip(&self.doubled) {
            let planes = doubled.then(|| "2".to_string());
            let extents = field.dims.iter().map(|(extent, _)| extent.to_string());
            let extents: Vec<String> = planes.into_iter().chain(extents).collect();
            let extents: Vec<&str> = extents.iter().map(String::as_str).collect();
            let array = builder.array(&field.name, field.ty, &extents);
            arrays.push(array.map_err(wrong)?);
        }
        let mut places = BTreeMap::new();
        for (s, stmt) in self.statements.iter().enumerate() {
            let name = self.statement_name(s);
            self.statement(&mut builder, &arrays, (s, &name))?;
            places.insert(name, stmt.span.clone());
        }
        let stencil = builder.build().map_err(wrong)?;
        Ok(stencil.located(source, self.model.span.clone(), &places))
    }

    /// A name that nothing has.
    fn statement_name(&self, s: usize) -> String {
        let mut name = format!("S_{s}");
        let locals = self.model.statements.iter().flat_map(|stmt| &stmt.locals);
        let locals: Vec<&String> = locals.map(|(local, _)| local).collect();
        let fields = self.model.fields.iter().map(|field| &field.name);
        let known: Vec<&String> = fields.chain(&self.model.sizes).chain(locals).collect();
        while known.contains(&&name) || name == self.model.time {
            name.push('_');
        }
        name
    }

    fn statement(
        &self,
        builder: &mut StencilBuilder,
        arrays: &[ArrayId],
        (s, name): (usize, &str),
    ) -> Result<()> {
        let wrong = |error| refused(error, self.model);
        let (stmt, time) = (self.statements[s], &self.model.time);
        let (first, end) = &self.model.steps;
        let mut domain = vec![format!("{first} <= {time} < {end}")];
        domain.extend(self.domain(stmt));
        let mut iterators = vec![time.as_str()];
        iterators.extend(
            self.coordinates[..stmt.ranges.len()]
                .iter()
                .map(String::as_str),
        );
        let made = builder.statement(name, &iterators, &domain.join(" and "));
        let mut made = made.map_err(wrong)?;
        for (n, (read, cell)) in stmt.reads.iter().zip(&self.cells[s]).enumerate() {
            let plane = match self.doubled[read.field] {
                true => Some(self.plane_in_isl(&self.plane(s, n)?)),
                false => None,
            };
            let subscripts = plane.iter().chain(&cell.subscripts);
            let subscripts: Vec<&str> = subscripts.map(String::as_str).collect();
            made.read(arrays[read.field], &subscripts).map_err(wrong)?;
        }
        for (name, value) in &stmt.locals {
            made.local(name, value.clone()).map_err(wrong)?;
        }
        let plane = self.doubled[stmt.field].then(|| format!("({time} + 1) mod 2"));
        let subscripts = plane.iter().chain(&self.coordinates[..stmt.ranges.len()]);
        let subscripts: Vec<&str> = subscripts.map(String::as_str).collect();
        let written = made.write(arrays[stmt.field], &subscripts, stmt.value.clone());
        written.map_err(wrong)
    }
}

/// A condition that holds in any of some boxes, with the words for both.
fn any(
    boxes: &[Vec<(String, Affine, Affine)>],
    inside: &dyn Fn(&(String, Affine, Affine)) -> String,
    (and, or): (&str, &str),
) -> String {
    let of_box = |ranges: &Vec<(String, Affine, Affine)>| {
        let all: Vec<String> = ranges.iter().map(inside).collect();
        all.join(and)
    };
    boxes.iter().map(of_box).collect::<Vec<_>>().join(or)
}

/// The place of the ranges of a statement.
fn sub_grid(stmt: &Statement) -> Range<usize> {
    let starts = stmt.ranges.iter().map(|(.., span)| span.start);
    let ends = stmt.ranges.iter().map(|(.., span)| span.end);
    starts.min().unwrap_or_default()..ends.max().unwrap_or_default()
}

/// The cell along a dimension at an offset, in the notation that isl and C share.
fn subscript(name: &str, offset: i64, extent: &Affine, boundary: Boundary) -> String {
    let at = match offset {
        0 => return name.to_string(),
        n if n < 0 => format!("{name} - {}", n.unsigned_abs()),
        n => format!("{name} + {n}"),
    };
    match (boundary, offset < 0) {
        (Boundary::Constant, _) => at,
        (Boundary::Periodic, true) => format!("{at} >= 0 ? {at} : {at} + ({extent})"),
        (Boundary::Periodic, false) => format!("{at} < {extent} ? {at} : {at} - ({extent})"),
        (Boundary::Nearest, true) => format!("{at} >= 0 ? {at} : 0"),
        (Boundary::Nearest, false) => format!("{at} < {extent} ? {at} : {extent} - 1"),
        (Boundary::Mirrored, true) => format!("{at} >= 0 ? {at} : -({at})"),
        (Boundary::Mirrored, false) => {
            format!("{at} < {extent} ? {at} : 2 * ({extent}) - 2 - ({at})")
        }
    }
}
