//! Updates of elements as part of the statements that have written them.
//!
//! `for (..) v[i][j] = f(u, i, j); v[a][b] += source[t];` computes one element of `v` twice in a time step: by the sweep, and by
//! the update behind it, which needs a slot of its own. `v[i][j] = f(u, i, j); if (v[i][j] > 1) v[i][j] = 1;` does with all. Where nothing looks at the element in between, and what the update
//! reads stays, it is one statement there: `x = f(u, a, b), v[a][b] = x + source[t]`, in the place of the sweep's. Operations
//! keep their order and types, so results stay equal bit for bit.

use crate::diag::{Diagnostic, Result};
use crate::instances::{Between, Start, moved, replace, through, within};
use crate::scop::{
    Access, Chunk, Expr, Lines, Local, PartOfSweep, Scop, Statement, are_apart, planes,
};
use hexcc_isl::{DimType, Map, Set, UnionMap};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// Boxes and the like that the rest of a sweep is made of, at most: each makes the test for a cell longer, and two updates of
/// cells that may be one make four times as many.
const MOST_PIECES: usize = 12;

/// The scop with all such updates in the statements that they belong to; `None` where there are none.
///
/// # Errors
/// HX0401 where isl gives up.
pub fn fused(scop: &Scop) -> Result<Option<Scop>> {
    let mut fused: Option<Scop> = None;
    let constants = Constants::default();
    for chunk in 0..scop.chunks.len() {
        // One update at a time, since statements change.
        while let Some(next) = next(fused.as_ref().unwrap_or(scop), chunk, &constants)? {
            fused = Some(next);
        }
    }
    Ok(fused)
}

/// The scop without the first update of a chunk that is none of its own.
fn next(scop: &Scop, chunk: usize, constants: &Constants) -> Result<Option<Scop>> {
    let Some(chunk) = scop.chunks.get(chunk) else {
        return Ok(None);
    };
    for &update in &chunk.stmts {
        let Some((parts, rest)) = parts(scop, chunk, update, constants)? else {
            continue;
        };
        let mut new = Vec::new();
        let mut sweeps = scop.sweeps.clone();
        let mut expected = scop.expected.clone();
        for (i, stmt) in scop.stmts.iter().enumerate() {
            match parts.iter().find(|part| part.sweep == i) {
                _ if i == update => {
                    if let Some(sizes) = sizes_without(scop, &parts, &rest)? {
                        expected = expected.subtract(&sizes)?.coalesce()?;
                    } else if !rest.is_empty()? {
                        new.push((i, within(stmt, &rest)?));
                    }
                }
                None => new.push((i, stmt.clone())),
                Some(part) => {
                    let others = stmt.domain.subtract(&part.instances.range()?)?;
                    if !others.is_empty()? {
                        new.push((i, within(stmt, &others.coalesce()?)?));
                    }
                    let (updated, reads) = updated(scop, stmt, &scop.stmts[update], part)?;
                    let own = sweeps.get(&stmt.name).cloned();
                    let own = own.unwrap_or_else(|| PartOfSweep {
                        sweep: Rc::new(stmt.clone()),
                        reads: true,
                    });
                    let reads = own.reads && reads;
                    let other = PartOfSweep {
                        reads,
                        ..own.clone()
                    };
                    sweeps.insert(stmt.name.clone(), own);
                    sweeps.insert(updated.name.clone(), other);
                    new.push((i, updated));
                }
            }
        }
        let mut scop = Scop {
            sweeps,
            expected,
            ..scop.clone()
        };
        replace(&mut scop, new);
        return Ok(Some(scop));
    }
    Ok(None)
}

/// The sizes for which there is a rest of an update, where its sweeps have no cell then: domains of a cell or two, for which
/// no kernel has to keep what was there a step ago. `None` where there may be such a rest beside a sweep.
fn sizes_without(scop: &Scop, parts: &[Part], rest: &Set) -> Result<Option<Set>> {
    let sizes = rest.params()?;
    for part in parts {
        let of_sweep = scop.stmts[part.sweep].domain.params()?;
        if !of_sweep.is_disjoint(&sizes)? {
            return Ok(None);
        }
    }
    Ok((!sizes.is_empty()?).then_some(sizes))
}

/// Instances of an update, and the ones of a sweep that have written what they update.
struct Part {
    sweep: usize,
    instances: Map,
}

/// Which statements have written what an update changes, and the instances for which none has, as in a domain of one cell
/// that no sweep reaches; `None` where it stays on its own.
fn parts(
    scop: &Scop,
    chunk: &Chunk,
    update: usize,
    constants: &Constants,
) -> Result<Option<(Vec<Part>, Set)>> {
    let stmt = &scop.stmts[update];
    let n_dims = stmt.domain.dim(DimType::Set)?;
    if n_dims == 0 || stmt.accesses().any(|access| access.whole) {
        return Ok(None);
    }
    let mut rest = stmt.domain.clone();
    let mut parts = Vec::new();
    for &sweep in chunk.stmts.iter().take_while(|&&other| other != update) {
        let written = &scop.stmts[sweep];
        let is_sweep = written.domain.dim(DimType::Set)? >= n_dims;
        if written.write.array != stmt.write.array || !is_sweep {
            continue;
        }
        let instances = (stmt.write.map.apply_range(&written.write.map.reverse()?)?)
            .equate(DimType::In, 0, DimType::Out, 0)?
            .intersect_domain(&rest)?;
        if instances.is_empty()? {
            continue;
        }
        let part = Part { sweep, instances };
        if !is_movable(scop, chunk, update, &part, constants)? {
            return Ok(None);
        }
        let others = written.domain.subtract(&part.instances.range()?)?;
        // Every guard would part the sweep once more.
        let is_parted = written.domain.dim(DimType::Set)? == n_dims && !others.is_empty()?;
        if is_parted || others.coalesce()?.basic_sets()?.len() > MOST_PIECES {
            return Ok(None);
        }
        rest = rest.subtract(&part.instances.domain()?)?;
        parts.push(part);
    }
    Ok((!parts.is_empty()).then_some((parts, rest.coalesce()?)))
}

/// Whether instances of an update may execute with those of a sweep: nothing accesses the element in between, and nothing
/// writes what else they read.
fn is_movable(
    scop: &Scop,
    chunk: &Chunk,
    update: usize,
    part: &Part,
    constants: &Constants,
) -> Result<bool> {
    let instances = &part.instances;
    let (stmt, sweep) = (&scop.stmts[update], &scop.stmts[part.sweep]);
    if !instances.is_single_valued()? || !instances.is_injective()? {
        return Ok(false);
    }
    // When the sweep's instance of an update executes.
    let with_sweep = instances.apply_range(&sweep.schedule)?;
    let later = UnionMap::from_map(&with_sweep)?;
    let later = later.lex_lt_union_map(&UnionMap::from_map(&stmt.schedule)?)?;
    let own = stmt.domain.intersect(&instances.domain()?)?.identity()?;
    if !UnionMap::from_map(&own)?.is_subset(&later)? {
        return Ok(false);
    }
    let domain = instances.domain()?;
    let element = &stmt.write.map;
    let window = Window::of(&with_sweep, &stmt.schedule)?;
    for other in scop.of_chunk(chunk) {
        let mut used = other.accesses().map(|access| access.array);
        let of_stmt = |array| stmt.accesses().any(|access| access.array == array);
        if !used.any(of_stmt) || !window.has(&constants.of(other)?) {
            continue;
        }
        let mut found: [Option<Between>; 2] = [None, None];
        let mut is_between = |element: &Map, access: &Access, start: Start| {
            let pairs = element.apply_range(&access.map.reverse()?)?;
            let pairs = pairs.intersect_domain(&domain)?;
            if pairs.is_empty()? {
                return Ok::<bool, Box<Diagnostic>>(false);
            }
            let known = &mut found[usize::from(start == Start::Later)];
            let between = match known {
                Some(between) => between,
                None => known.insert(Between::of((stmt, &with_sweep), other, start)?),
            };
            between.has(&pairs)
        };
        for access in other.accesses().filter(|a| a.array == stmt.write.array) {
            if access.whole || is_between(element, access, Start::Later)? {
                return Ok(false);
            }
        }
        for read in stmt.reads.iter().filter(|r| r.array == other.write.array) {
            if !is_element(read, stmt)? && is_between(&read.map, &other.write, Start::Then)? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// What schedules are like between two times, the ends included: both times, and all between them, begin alike.
struct Window {
    begin: Vec<Option<i64>>,
    /// Constants in the dimension behind that.
    ends: Option<[i64; 2]>,
}

impl Window {
    /// `first` and `last` give the times for an instance.
    fn of(first: &Map, last: &Map) -> Result<Window> {
        let both = first.reverse()?.apply_range(last)?;
        let (from, mut begin) = (planes(first)?, planes(last)?);
        let mut n = 0;
        while n < begin.len() {
            let same = both.equate(DimType::In, n as u32, DimType::Out, n as u32)?;
            if !both.is_subset(&same)? {
                break;
            }
            n += 1;
        }
        let end = |constants: &[Option<i64>]| constants.get(n).copied().flatten();
        let ends = end(&from).zip(end(&begin)).map(|(from, to)| [from, to]);
        begin.truncate(n);
        Ok(Window { begin, ends })
    }

    /// Whether a statement with these constants in its schedule may execute then.
    fn has(&self, constants: &[Option<i64>]) -> bool {
        let at = constants.get(self.begin.len()).copied().flatten();
        let is_within = |[from, to]: [i64; 2]| at.is_none_or(|at| (from..=to).contains(&at));
        !are_apart(&self.begin, constants) && self.ends.is_none_or(is_within)
    }
}

/// The constants in schedules of statements, by their names.
#[derive(Default)]
struct Constants(RefCell<HashMap<String, Vec<Option<i64>>>>);

impl Constants {
    fn of(&self, stmt: &Statement) -> Result<Vec<Option<i64>>> {
        if let Some(known) = self.0.borrow().get(&stmt.name) {
            return Ok(known.clone());
        }
        let constants = planes(&stmt.schedule)?;
        self.0
            .borrow_mut()
            .insert(stmt.name.clone(), constants.clone());
        Ok(constants)
    }
}

/// Whether a read of an update is of the element that it writes.
fn is_element(read: &Access, stmt: &Statement) -> Result<bool> {
    let write = &stmt.write;
    Ok(read.array == write.array && read.map.is_equal(&write.map)?)
}

/// An update with what the sweep has computed for its element, at the instances of the sweep; whether it reads that.
fn updated(
    scop: &Scop,
    sweep: &Statement,
    update: &Statement,
    part: &Part,
) -> Result<(Statement, bool)> {
    let name = format!("{}_{}", sweep.name, update.name);
    let own = part.instances.range()?.identity()?;
    let own = own.set_tuple_name(DimType::In, &name)?;
    let instances = own.apply_range(&part.instances.reverse()?)?;
    let lines = match (sweep.lines, update.lines) {
        (Some(a), Some(b)) => Some(Lines {
            first: a.first.min(b.first),
            last: a.last.max(b.last),
        }),
        _ => update.lines,
    };
    let new = Statement {
        lines,
        ..through(update, &instances, &name)?
    };
    let before = through(sweep, &own, &name)?;
    let array = scop.array(update.write.array);
    let is_read = (update.reads.iter())
        .map(|read| is_element(read, update))
        .collect::<Result<Vec<bool>>>()?;
    let schedule = before.schedule;
    if !is_read.contains(&true) {
        let lines = update.lines;
        let new = Statement {
            schedule,
            lines,
            ..new
        };
        return Ok((new, false));
    }
    let (n_reads, n_locals) = (before.reads.len(), before.locals.len());
    // What the sweep computes is no read of the array.
    let others = |n: usize| is_read[..n].iter().filter(|is_read| !**is_read).count();
    let value = |expr: &Expr| {
        moved(expr, None, &|e| match e {
            Expr::Read(i, ty) if is_read[*i] => Some(Expr::Local(n_locals, *ty)),
            Expr::Read(i, ty) => Some(Expr::Read(n_reads + others(*i), *ty)),
            Expr::Local(i, ty) => Some(Expr::Local(n_locals + 1 + i, *ty)),
            _ => None,
        })
    };
    let computed = Local {
        name: array.name.clone(),
        ty: array.elem,
        value: before.value,
    };
    let mut locals: Vec<Local> = before.locals.into_iter().chain([computed]).collect();
    for local in &new.locals {
        locals.push(Local {
            value: value(&local.value)?,
            ..local.clone()
        });
    }
    let of_update = new.reads.iter().zip(&is_read);
    let of_update = of_update.filter(|(_, is_read)| !**is_read);
    let of_update = of_update.map(|(read, _)| read.clone());
    let new = Statement {
        schedule,
        value: value(&new.value)?,
        reads: before.reads.into_iter().chain(of_update).collect(),
        locals,
        ..new
    };
    Ok((new, true))
}
