//! Forward substitution of scalar temporaries.
//!
//! `float x = A[i-1] + A[i+1]; B[i] = 0.5f * x;` writes `x` in every iteration,
//! which would serialise the space loops. Where dataflow analysis shows that a
//! read of a scalar always gets the value of one statement, and that the
//! elements this value is made of do not change in between, the value moves
//! into the reading statement as a local variable. Operations keep their order
//! and types, so results stay equal bit for bit.

use crate::csource;
use crate::diag::Result;
use crate::scop::{
    Access, ArrayId, Expr, Local, Scop, SourceFile, Statement, schedule_of, writes_to,
};
use hexcc_isl::{DimType, Map, UnionMap, compute_flow};
use hexcc_pet::data::PetScop;

/// Substitutes every temporary it can and drops the statements that only
/// computed them. Scalars that remain are reported by later passes.
///
/// # Errors
/// HX0401 where isl gives up.
pub fn substitute(scop: &mut Scop, source: &SourceFile, pet: &PetScop) -> Result<()> {
    let scalars: Vec<ArrayId> = (0..scop.arrays.len())
        .map(|i| ArrayId(i as u32))
        .filter(|id| scop.array(*id).extents.is_empty())
        .filter(|id| scop.stmts.iter().any(|s| s.write.array == *id))
        .collect();
    for reader in 0..scop.stmts.len() {
        for &scalar in &scalars {
            substitute_in(scop, reader, scalar)?;
        }
    }
    for scalar in scalars {
        let is_read = scop
            .stmts
            .iter()
            .any(|s| s.reads.iter().any(|r| r.array == scalar));
        if is_read {
            continue;
        }
        let name = scop.array(scalar).name.clone();
        if is_declared_inside(pet, &name) {
            drop_writes(scop, scalar);
        } else if csource::is_dead_outside(&source.text, &name, scop.region.clone()) {
            drop_writes(scop, scalar);
            scop.unused.push(name);
        }
    }
    Ok(())
}

/// Replaces the reads of `scalar` in one statement by a local variable.
fn substitute_in(scop: &mut Scop, reader: usize, scalar: ArrayId) -> Result<()> {
    let stmt = &scop.stmts[reader];
    let Some(read) = stmt.reads.iter().find(|r| r.array == scalar) else {
        return Ok(());
    };
    let Some((writer, to_writer)) = single_source(scop, reader, read)? else {
        return Ok(());
    };
    if writer == reader || !unchanged_in_between(scop, reader, writer, &to_writer)? {
        return Ok(());
    }
    let moved = scop.stmts[writer].clone();
    let ty = scop.array(scalar).elem;
    let name = scop.array(scalar).name.clone();
    let domain = scop.stmts[reader].domain.clone();
    let stmt = &mut scop.stmts[reader];

    // Reads that stay, then those of the writer.
    let old_reads = std::mem::take(&mut stmt.reads);
    let mut new_index = Vec::new();
    for read in old_reads {
        new_index.push((read.array != scalar).then_some(stmt.reads.len()));
        if read.array != scalar {
            stmt.reads.push(read);
        }
    }
    let first_read = stmt.reads.len();
    for read in &moved.reads {
        stmt.reads.push(Access {
            map: to_writer
                .apply_range(&read.map)?
                .intersect_domain(&domain)?,
            ..read.clone()
        });
    }
    let first_local = stmt.locals.len();
    let local = first_local + moved.locals.len();
    let retarget = |e: &Expr| match e {
        Expr::Read(i, read_ty) => Some(match new_index[*i] {
            Some(i) => Expr::Read(i, *read_ty),
            None => Expr::Local(local, ty),
        }),
        _ => None,
    };
    for own in &mut stmt.locals {
        own.value = own.value.map(&retarget);
    }
    let value = stmt.value.map(&retarget);
    let mut failed = None;
    let mut move_expr = |e: &Expr| -> Option<Expr> {
        match e {
            Expr::Read(i, ty) => Some(Expr::Read(first_read + i, *ty)),
            Expr::Local(i, ty) => Some(Expr::Local(first_local + i, *ty)),
            Expr::Affine { value, ty } => {
                let moved = (value.to_map())
                    .and_then(|m| to_writer.apply_range(&m))
                    .and_then(|m| m.to_pw_affs());
                match moved {
                    Ok(parts) => parts
                        .into_iter()
                        .next()
                        .map(|value| Expr::Affine { value, ty: *ty }),
                    Err(error) => {
                        failed = Some(error);
                        None
                    }
                }
            }
            _ => None,
        }
    };
    let mut locals = Vec::new();
    for l in &moved.locals {
        locals.push(Local {
            value: l.value.map_mut(&mut move_expr),
            ..l.clone()
        });
    }
    locals.push(Local {
        name,
        ty,
        value: moved.value.map_mut(&mut move_expr),
    });
    if let Some(error) = failed {
        return Err(error.into());
    }
    stmt.locals.extend(locals);
    stmt.value = value;
    Ok(())
}

/// The statement all instances of a read get their value from, with the map
/// from reading to writing instance.
fn single_source(scop: &Scop, reader: usize, read: &Access) -> Result<Option<(usize, Map)>> {
    let sink = UnionMap::from_map(&read.map)?;
    let flow = flow_into(
        scop,
        &sink,
        read.array,
        &schedule_of(&scop.ctx, &scop.stmts)?,
    )?;
    let maps = flow.maps()?;
    let [map] = maps.as_slice() else {
        return Ok(None);
    };
    let to_writer = map.reverse()?;
    let domain = &scop.stmts[reader].domain;
    if !domain.is_subset(&to_writer.domain()?)? || !to_writer.is_single_valued()? {
        return Ok(None);
    }
    let name = to_writer.tuple_name(DimType::Out)?;
    let writer = scop
        .stmts
        .iter()
        .position(|s| Some(&s.name) == name.as_ref());
    Ok(writer.map(|w| (w, to_writer)))
}

/// Whether the elements the writer reads still have the same values where the
/// reader runs.
fn unchanged_in_between(
    scop: &Scop,
    reader: usize,
    writer: usize,
    to_writer: &Map,
) -> Result<bool> {
    let schedule = schedule_of(&scop.ctx, &scop.stmts)?;
    for read in &scop.stmts[writer].reads {
        let at_writer = flow_into(scop, &UnionMap::from_map(&read.map)?, read.array, &schedule)?
            .apply_range(&UnionMap::from_map(&to_writer.reverse()?)?)?;
        let moved = to_writer
            .apply_range(&read.map)?
            .intersect_domain(&scop.stmts[reader].domain)?;
        let at_reader = flow_into(scop, &UnionMap::from_map(&moved)?, read.array, &schedule)?;
        if !at_reader.is_equal(&at_writer)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Last writers of the elements that `sink` reads.
fn flow_into(
    scop: &Scop,
    sink: &UnionMap,
    array: ArrayId,
    schedule: &UnionMap,
) -> Result<UnionMap> {
    let nothing = UnionMap::empty(&scop.ctx)?;
    let writes = writes_to(&scop.ctx, array, &scop.stmts)?;
    Ok(compute_flow(sink, &writes, &nothing, schedule)?.must)
}

fn is_declared_inside(pet: &PetScop, name: &str) -> bool {
    (pet.arrays.iter()).any(|a| a.name == name && a.declared && !a.exposed)
}

/// Removes the statements that write a scalar.
fn drop_writes(scop: &mut Scop, scalar: ArrayId) {
    let keep: Vec<bool> = scop.stmts.iter().map(|s| s.write.array != scalar).collect();
    let new_index: Vec<usize> = (0..keep.len())
        .map(|i| keep[..i].iter().filter(|k| **k).count())
        .collect();
    for chunk in &mut scop.chunks {
        chunk.stmts = (chunk.stmts.iter())
            .filter(|&&i| keep[i])
            .map(|&i| new_index[i])
            .collect();
    }
    let mut kept = keep.iter();
    scop.stmts
        .retain(|_: &Statement| *kept.next().unwrap_or(&true));
}
