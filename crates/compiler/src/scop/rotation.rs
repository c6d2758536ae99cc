//! Arrays behind pointers that a time loop swaps after each step, as planes of one array.
//!
//! In step number k, counted from 0, pointer number j of a cycle of p is what pointer number (j + k) mod p was before the loop
//! ([`crate::front::c::swaps`]). So `u[i]` is `u_and_v[k % 2][i]` and `v[i]` is `u_and_v[(k + 1) % 2][i]`, of an array whose planes the program
//! has where `u` and `v` point to. Where these are tables of rows, so is the array, with a pointer more that leads to a plane.

use super::rows::MOST_POINTERS;
use super::{Access, Array, ArrayId, Chunk, Scop, Statement};
use crate::diag::{Diagnostic, Result};
use hexcc_isl::{DimType, Map, PwAff};
use hexcc_pet::data::Rotation;

/// Makes one array of those of each cycle of a rotation.
///
/// # Errors
/// HX0108 where they are not alike, or used as a whole.
pub(super) fn into_planes(scop: &mut Scop, rotation: &Rotation) -> Result<()> {
    let is_plain = scop.guards.doubts.is_empty() && scop.cells.is_empty();
    let is_whole = |chunk: &Chunk| chunk.stmts.len() == scop.stmts.len();
    let is_one = matches!(scop.chunks.as_slice(), [chunk] if is_whole(chunk));
    let start = match rotation.start.parse::<i64>() {
        _ if !is_plain || !is_one => None,
        Ok(start) => Some(start),
        Err(_) => counted_from(scop, &rotation.start)?.then_some(0),
    };
    let Some(start) = start else {
        return Err(not_alike(scop, &rotation.cycles.concat()));
    };
    for names in &rotation.cycles {
        let found = |name: &String| scop.arrays.iter().position(|array| array.name == *name);
        let cycle: Option<Vec<usize>> = names.iter().map(found).collect();
        let Some(cycle) = cycle else {
            return Err(not_alike(scop, names));
        };
        let Some(merged) = merged(scop, names, &cycle)? else {
            return Err(not_alike(scop, names));
        };
        merge(scop, merged, &cycle, start)?;
    }
    Ok(())
}

/// Lets the time loop begin with 0, not with a parameter. Not where a statement computes with its iterator.
fn counted_from(scop: &mut Scop, first: &str) -> Result<bool> {
    if scop
        .stmts
        .iter()
        .any(|stmt| !stmt.affine_values().is_empty())
    {
        return Ok(false);
    }
    for stmt in &mut scop.stmts {
        let n = stmt.domain.dim(DimType::Set)?;
        let names: Vec<String> = (0..n).map(|d| format!("i{d}")).collect();
        let Some((t, others)) = names.split_first() else {
            return Ok(false);
        };
        let name = stmt.domain.tuple_name()?.unwrap_or_default();
        let from = [&[format!("{t} + {first}")], others].concat().join(", ");
        let text = format!(
            "[{first}] -> {{ {name}[{}] -> {name}[{from}] }}",
            names.join(", ")
        );
        let later = Map::read(&scop.ctx, &text)?;
        let own: Vec<Option<String>> = (0..n as u32)
            .map(|d| stmt.domain.dim_name(DimType::Set, d))
            .collect::<std::result::Result<_, _>>()?;
        let mut domain = stmt.domain.apply(&later.reverse()?)?;
        for (d, name) in (0..).zip(own) {
            if let Some(name) = name {
                domain = domain.set_dim_name(DimType::Set, d, &name)?;
            }
        }
        stmt.domain = domain;
        let Some(schedule) = earlier(&later.apply_range(&stmt.schedule)?, first)? else {
            return Ok(false);
        };
        stmt.schedule = schedule;
        for access in stmt.reads.iter_mut().chain([&mut stmt.write]) {
            access.map = later.apply_range(&access.map)?;
        }
    }
    Ok(true)
}

/// An order in which what counts the time loop's iterations begins with 0, not with a parameter.
fn earlier(schedule: &Map, first: &str) -> Result<Option<Map>> {
    let times = schedule.to_pw_affs()?;
    let mut shifted = Vec::new();
    for (d, time) in times.iter().enumerate() {
        shifted.push(match time.take_term(DimType::In, 0)? {
            Some((0, _)) => format!("o{d}"),
            Some((1, _)) => format!("o{d} - {first}"),
            _ => return Ok(None),
        });
    }
    let all: Vec<String> = (0..times.len()).map(|d| format!("o{d}")).collect();
    let text = format!(
        "[{first}] -> {{ [{}] -> [{}] }}",
        all.join(", "),
        shifted.join(", ")
    );
    Ok(Some(
        schedule.apply_range(&Map::read(schedule.ctx(), &text)?)?,
    ))
}

/// Puts an array in the place of those of a cycle; `start` is the time loop's first iteration.
fn merge(scop: &mut Scop, merged: Array, cycle: &[usize], start: i64) -> Result<()> {
    let id = *cycle.iter().min().unwrap_or(&0);
    let stays = |index: usize| index == id || !cycle.contains(&index);
    let new_id = |index: usize| ArrayId((0..index).filter(|&i| stays(i)).count() as u32);
    for stmt in &mut scop.stmts {
        for access in stmt.reads.iter_mut().chain([&mut stmt.write]) {
            let index = access.array.index();
            match cycle.iter().position(|&member| member == index) {
                Some(position) => {
                    let plane = plane(&stmt.domain, (position as i64 - start, cycle.len() as i64))?;
                    access.map = in_plane(&access.map, &plane, &merged.name)?;
                    access.array = new_id(id);
                }
                None => access.array = new_id(index),
            }
        }
    }
    scop.arrays[id] = merged;
    let mut index = 0..;
    scop.arrays.retain(|_| index.next().is_some_and(stays));
    Ok(())
}

/// The array whose planes those of a cycle are; `None` where they are not alike.
fn merged(scop: &Scop, names: &[String], cycle: &[usize]) -> Result<Option<Array>> {
    let arrays: Vec<&Array> = cycle.iter().map(|&index| &scop.arrays[index]).collect();
    let Some((first, others)) = arrays.split_first() else {
        return Ok(None);
    };
    let mut extents = first.extents.clone();
    for other in others {
        let is_like = other.elem == first.elem
            && other.pointers == first.pointers
            && other.extents.len() == extents.len();
        if !is_like {
            return Ok(None);
        }
        for (d, (extent, of_other)) in extents.iter_mut().zip(&other.extents).enumerate() {
            match is_declared(first, d) {
                true if extent.is_equal(of_other)? => {}
                true => return Ok(None),
                false => *extent = extent.max(of_other)?,
            }
        }
    }
    let is_whole = |access: &Access| access.whole && cycle.contains(&access.array.index());
    let used_whole = scop
        .stmts
        .iter()
        .flat_map(Statement::accesses)
        .any(is_whole);
    // A parameter `float u[n][m]`, which is assigned to, is a pointer as well.
    let is_behind_pointer = |a: &&Array| (a.pointer || a.pointers == 0) && !a.variable;
    let pointers = match first.pointers {
        0 => 0,
        // The planes are tables of rows, and a table leads to these.
        n => n + 1,
    };
    if used_whole || pointers > MOST_POINTERS || !arrays.iter().all(is_behind_pointer) {
        return Ok(None);
    }
    for extent in extents.iter_mut().take(first.pointers + 1) {
        *extent = extent.gist_params(&scop.context.params()?)?.coalesce()?;
    }
    let Some(outermost) = extents.first() else {
        return Ok(None);
    };
    let planes = outermost.mul_val(0)?.add_constant(cycle.len() as i64)?;
    extents.insert(0, planes.coalesce()?);
    Ok(Some(Array {
        name: name(scop, names),
        elem: first.elem,
        extents,
        pointer: true,
        pointers,
        variable: false,
        parts: names.to_vec(),
    }))
}

/// Whether an extent is that of a declaration, not what statements reach: rows lie anywhere.
fn is_declared(array: &Array, d: usize) -> bool {
    d > array.pointers
}

/// A name for the array that nothing else has.
fn name(scop: &Scop, names: &[String]) -> String {
    let mut name = names.join("_and_");
    let is_taken = |name: &String| {
        scop.arrays.iter().any(|array| array.name == *name) || scop.params.contains(name)
    };
    while is_taken(&name) {
        name.push('_');
    }
    name
}

/// The plane that a pointer is: `(t + offset) mod planes`.
fn plane(domain: &hexcc_isl::Set, (offset, planes): (i64, i64)) -> Result<PwAff> {
    let iterators = domain.universe_like()?.identity()?.to_pw_affs()?;
    let Some(t) = iterators.first() else {
        return Err(Box::new(Diagnostic::bug(
            "a statement outside of the time loop",
        )));
    };
    let step = t.add_constant(offset)?;
    Ok(step.sub(&step.floor_div(planes)?.mul_val(planes)?)?)
}

/// An access to an array as one to a plane of an array.
fn in_plane(access: &Map, plane: &PwAff, name: &str) -> Result<Map> {
    let plane = plane.to_map()?.intersect_domain(&access.domain()?)?;
    let cells = access.reset_tuple_name(DimType::Out)?;
    Ok(plane
        .flat_range_product(&cells)?
        .set_tuple_name(DimType::Out, name)?)
}

fn not_alike(scop: &Scop, names: &[String]) -> Box<Diagnostic> {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    Box::new(
        Diagnostic::error(
            "HX0108",
            format!("{} are swapped and are not used alike", names.join(" and ")),
        )
        .at(scop.region.clone(), "in this loop"),
    )
}
