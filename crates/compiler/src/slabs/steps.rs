//! Slabs in single steps: each launch is one of a time step, and the host runs the loop over time.

use super::{Slab, Split, iterator_of, refusal, subscripts};
use crate::compiled::{InSlabs, PlaneAt, Renewed, StepsOfSlab, Stepwise};
use crate::diag::Result;
use crate::interface::Interface;
use crate::options::{Gpus, Options};
use crate::periodic::{along, iterators_of};
use crate::region::unit_name;
use crate::scop::{Around, Chunk, Scop};
use crate::stepwise;
use hexcc_isl::{AstBuild, AstExpr, DimType, Map, PwAff, Set};
use std::collections::BTreeMap;

impl Split<'_> {
    /// In launches of one time step, of which the host runs the loop.
    pub(super) fn in_steps(
        &self,
        (scop, chunk): (&Scop, &Chunk),
        slab: &Slab,
        around: Around,
        options: &Options,
    ) -> Result<Stepwise> {
        let mut lifted = self.lifted(scop, slab)?;
        lifted.params.push(slab.time.clone());
        let time = Slab::param(scop, &slab.time)?;
        let Some(loop_of_time) = self.loop_of_time(scop)? else {
            return Err(refusal(
                scop,
                Some(chunk),
                "its outermost loop is none over time",
            ));
        };
        let local = self.local_order(&lifted)?;
        for (s, _) in &self.stmts {
            let stmt = &mut lifted.stmts[*s];
            if let Some(local) = &local {
                stmt.schedule = local[s].clone();
            }
            let now = &iterators_of(&stmt.domain)?[0];
            let now = now.eq_set(&time.insert_domain(&stmt.domain)?)?;
            stmt.domain = stmt.domain.intersect(&now)?;
            stmt.schedule = (stmt.schedule.project_out(DimType::Out, loop_of_time, 1)?)
                .intersect_domain(&stmt.domain)?;
            for access in stmt.reads.iter_mut().chain([&mut stmt.write]) {
                // Nothing is said twice that holds for all slabs: kernels of several cells ask whether accesses always exist.
                let context = lifted.context.params()?;
                access.map = (access.map.gist_params(&context)?).intersect_domain(&stmt.domain)?;
                let own = access.map.domain()?.gist_params(&context)?;
                access.map = access
                    .map
                    .gist_domain(&own)?
                    .intersect_domain(&stmt.domain)?;
            }
        }
        let name = unit_name(around, scop, 0, options);
        let run = (std::slice::from_ref(chunk), None);
        let mut part = stepwise::compile(&mut lifted, around, run, options, &name)?;
        if !self.is_parallel(&part)? {
            return Err(refusal(
                scop,
                Some(chunk),
                "rows of a time step depend on each other",
            ));
        }
        let described = self.described(slab, self.reach);
        let shared = self.shared((scop, chunk), &part.interface, described)?;
        let planes = self.renewed(scop, &shared.interface)?;
        let Some(planes) = planes else {
            return Err(refusal(
                scop,
                Some(chunk),
                "what a step writes is no plane of an array",
            ));
        };
        part.slabs = Some(Box::new(InSlabs {
            gpus: options.gpus.unwrap_or(Gpus::All),
            steps: Some(StepsOfSlab {
                time: slab.time.clone(),
                ends: self.time(scop)?,
                planes,
                twice: self.twice,
            }),
            ..shared
        }));
        Ok(part)
    }

    /// By statement, its order with the rows of the slab in place of the program's, where all statements have the same loop over rows.
    fn local_order(&self, lifted: &Scop) -> Result<Option<BTreeMap<usize, Map>>> {
        let mut all = BTreeMap::new();
        let mut loop_of_rows = None;
        for (s, row) in &self.stmts {
            let times = subscripts(&self.line.stmts[*s].schedule)?;
            let is_row =
                |f: &PwAff| matches!(iterator_of(f), Ok(Some(Some(i))) if Some(i) == row.iterator);
            let own = times.iter().position(is_row);
            let is_same =
                row.iterator.is_none() || own.is_some() && *loop_of_rows.get_or_insert(own) == own;
            if !is_same {
                return Ok(None);
            }
            let mut product: Option<Map> = None;
            for time in &times {
                let map = time.to_map()?;
                product = Some(match product {
                    Some(before) => before.flat_range_product(&map)?,
                    None => map,
                });
            }
            let Some(product) = product else {
                return Ok(None);
            };
            let product = product.named_as(&self.line.stmts[*s].schedule)?;
            all.insert(*s, product.intersect_domain(&lifted.stmts[*s].domain)?);
        }
        Ok(Some(all))
    }

    /// Whether every launch of a time step has all rows at once: what it reads of other rows is of launches before.
    fn is_parallel(&self, part: &Stepwise) -> Result<bool> {
        for step in &part.plan.steps {
            if !step.host.is_empty() || step.hyperplanes.is_some() || !step.reductions.is_empty() {
                return Ok(false);
            }
            for s in &step.stmts {
                let Some((_, row)) = self.stmts.iter().find(|(stmt, _)| stmt == s) else {
                    return Ok(false);
                };
                let Some(iterator) = row.iterator else {
                    continue;
                };
                let times = subscripts(&step.orders[s].schedule)?;
                let is_row = |d: &usize| matches!(iterator_of(&times[*d]), Ok(Some(Some(i))) if i == iterator);
                if !step.spread.iter().any(is_row) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// The dimension of the schedule that is the outermost iterator of all statements.
    fn loop_of_time(&self, scop: &Scop) -> Result<Option<u32>> {
        let mut found: Option<Vec<bool>> = None;
        for (s, _) in &self.stmts {
            let stmt = &scop.stmts[*s];
            let time = iterators_of(&stmt.domain)?[0]
                .to_map()?
                .intersect_domain(&stmt.domain)?;
            let mut own = Vec::new();
            for f in stmt.schedule.to_pw_affs()? {
                own.push(
                    f.to_map()?
                        .intersect_domain(&stmt.domain)?
                        .is_equal(&time)?,
                );
            }
            found = Some(match found {
                Some(all) => all.iter().zip(&own).map(|(a, b)| *a && *b).collect(),
                None => own,
            });
        }
        Ok(found
            .and_then(|all| all.iter().position(|is| *is))
            .map(|d| d as u32))
    }

    /// The first and the last time step of any statement.
    fn time(&self, scop: &Scop) -> Result<[AstExpr; 2]> {
        let (build, context) = (
            AstBuild::from_context(&scop.context)?,
            scop.context.params()?,
        );
        let mut all: Option<Set> = None;
        for (s, _) in &self.stmts {
            let own = scop.stmts[*s].domain.along(0)?.intersect_params(&context)?;
            all = Some(match all {
                Some(before) => before.union(&own)?,
                None => own,
            });
        }
        let all = all.ok_or_else(|| refusal(scop, None, "it has no statements"))?;
        let end = |end: PwAff| -> Result<AstExpr> {
            Ok(build.expr_from_pw_aff(&end.gist_params(&context)?)?)
        };
        Ok([end(all.dim_min(0)?)?, end(all.dim_max(0)?)?])
    }

    /// The planes that a time step writes; `None` where they are no functions of time.
    fn renewed(&self, scop: &Scop, interface: &Interface) -> Result<Option<Vec<Renewed>>> {
        let mut all: Vec<Renewed> = Vec::new();
        for (s, _) in &self.stmts {
            let stmt = &scop.stmts[*s];
            let (id, own) = (stmt.write.array, iterators_of(&stmt.domain)?);
            let Some(d) = self.dims.get(&id) else {
                return Ok(None);
            };
            let Some(array) = interface
                .arrays
                .iter()
                .position(|a| a.name == scop.array(id).name)
            else {
                continue; // every thread has its own
            };
            let mut plane = Vec::new();
            for e in 0..*d {
                let sub = along(&stmt.write.map, e)?.intersect_domain(&stmt.domain)?;
                let Some(found) = plane_of(
                    &sub,
                    &own[0],
                    scop.array(id).extents[e].as_constant()?.map(|n| n.num),
                )?
                else {
                    return Ok(None);
                };
                plane.push(found);
            }
            let renewed = Renewed { array, plane };
            if !all.contains(&renewed) {
                all.push(renewed);
            }
        }
        Ok(Some(all))
    }
}

/// The plane that a subscript selects at each time.
fn plane_of(sub: &Map, time: &PwAff, extent: Option<i64>) -> Result<Option<PlaneAt>> {
    let domain = sub.domain()?;
    let pairs = domain.identity()?.flat_range_product(sub)?.range()?;
    let n = pairs.dim(DimType::Param)? as u32;
    let Some(sample) = pairs.project_out(DimType::Param, 0, n)?.sample_point()? else {
        return Ok(None);
    };
    let (Some(first), Some(last)) = (sample.first(), sample.last()) else {
        return Ok(None);
    };
    let is =
        |f: &PwAff| -> Result<bool> { Ok(f.to_map()?.intersect_domain(&domain)?.is_equal(sub)?) };
    if is(&time.mul_val(0)?.add_constant(*last)?)? {
        return Ok(Some(PlaneAt::Always(*last)));
    }
    let offset = last - first;
    if is(&time.add_constant(offset)?)? {
        return Ok(Some(PlaneAt::After(offset, None)));
    }
    let Some(m) = extent.filter(|m| *m > 0) else {
        return Ok(None);
    };
    let offset = offset.rem_euclid(m);
    let moved = time.add_constant(offset)?;
    let turns = moved.sub(&moved.floor_div(m)?.mul_val(m)?)?;
    Ok(is(&turns)?.then_some(PlaneAt::After(offset, Some(m))))
}
