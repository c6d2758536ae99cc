//! Dependence analysis.

use crate::{Result, UnionMap, ffi};

/// What [`compute_flow`] finds. Dependences go from the source instance to the sink instance.
#[derive(Debug, Clone)]
pub struct Flow {
    /// The dependences on the last source access, where that is a must access.
    pub must: UnionMap,
    /// The dependences on every access that may be the last source; includes [`Flow::must`].
    pub may: UnionMap,
    /// The sink accesses that certainly have no source.
    pub must_no_source: UnionMap,
    /// The sink accesses that may have no must source; includes [`Flow::must_no_source`].
    pub may_no_source: UnionMap,
}

/// For each sink access, the source accesses to the same element that come last before it in the
/// schedule. A must source hides the ones before it, a may source does not.
///
/// The schedule maps every instance into one common space, in which time is lexicographic.
pub fn compute_flow(
    sink: &UnionMap,
    must_source: &UnionMap,
    may_source: &UnionMap,
    schedule: &UnionMap,
) -> Result<Flow> {
    for other in [must_source, may_source, schedule] {
        sink.0.same_ctx(&other.0)?;
    }
    let ctx = &sink.0.ctx;
    // SAFETY: every function consumes its arguments and passes NULL through.
    let info = ctx.give(|| unsafe {
        let info = ffi::isl_union_access_info_from_sink(sink.0.take());
        let info = ffi::isl_union_access_info_set_must_source(info, must_source.0.take());
        let info = ffi::isl_union_access_info_set_may_source(info, may_source.0.take());
        ffi::isl_union_access_info_set_schedule_map(info, schedule.0.take())
    })?;
    let info = info.into_raw();
    // SAFETY: the access information is consumed.
    let flow = ctx.give(|| unsafe { ffi::isl_union_access_info_compute_flow(info) })?;
    type Part = unsafe extern "C" fn(*mut ffi::isl_union_flow) -> *mut ffi::isl_union_map;
    let part = |get: Part| {
        // SAFETY: the flow is alive and `get` borrows it.
        ctx.give(|| unsafe { get(flow.keep()) }).map(UnionMap)
    };
    Ok(Flow {
        must: part(ffi::isl_union_flow_get_must_dependence)?,
        may: part(ffi::isl_union_flow_get_may_dependence)?,
        must_no_source: part(ffi::isl_union_flow_get_must_no_source)?,
        may_no_source: part(ffi::isl_union_flow_get_may_no_source)?,
    })
}
