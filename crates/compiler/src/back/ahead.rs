//! Time loops that go several steps at once before the host knows which of them is the last ([`crate::scop::Converging`]).
//!
//! The kernels' first call keeps the planes that these steps start from. Where the host finds that there were too many, a
//! second one brings the planes back and takes the steps that there should have been.

use super::existing;
use super::fallback::Otherwise;
use super::names::Names;
use super::program::Replacement;
use crate::csource::Edit;
use crate::scop::Converging;
use std::ops::Range;

/// The functions that the loop calls, for steps that are none or many.
const CALLS: &str = include_str!("../print/lib/cuda/ahead.cuh");

/// Whether a replacement is of the steps of such a loop.
pub(super) fn is_of(r: &Replacement, converging: &Converging) -> bool {
    r.converges && (r.span.start..r.span.end).contains(&converging.steps.start)
}

/// Whether it goes several steps at once: its kernels run wherever it says that it does.
fn is_possible(r: &Replacement) -> bool {
    let always_run = r.otherwise == Otherwise::Ends && r.interface.suits_all_sizes();
    always_run && !existing::is_asked(r.interface)
}

/// The functions of a replacement that goes several steps at once.
pub(super) fn functions(r: &Replacement, most: u32) -> String {
    let many = match r.gated {
        _ if !is_possible(r) => "false",
        true => "hexcc_gate::is_on_gpu()",
        false => "true",
    };
    format!(
        "// Steps at once, at most.\nconstexpr long MOST_STEPS = {most};\nstatic bool hexcc_unsure = false; // what C has depended on the order of cells\n\n// Whether kernels take them.\nstatic bool hexcc_many() {{\n  return !hexcc_unsure && {many};\n}}\n\n{CALLS}"
    )
}

/// The lines of the host function that keep what steps start from, or bring it back.
pub(super) fn kept(r: &Replacement) -> String {
    let when = match r.unsure.is_empty() {
        true => "if (hexcc_steps != ONE) { // these may be too many",
        false => "{ // these may be too many, or not do what C does",
    };
    // One step at a time needs none.
    let must = match r.unsure.is_empty() {
        true => {
            "if (hexcc_has_room) check(error, \"allocating what steps start from\");\n      cudaGetLastError(); // forgets it"
        }
        false => "check(error, \"allocating what steps start from\");",
    };
    format!(
        "  static char *room = nullptr;
  {when}
    static size_t room_bytes = 0;
    const size_t bytes = kept_bytes(args);
    if (bytes > room_bytes) {{
      check(cudaFree(room), \"freeing what steps start from\");
      room = nullptr;
      const cudaError_t error = cudaMallocManaged((void **)&room, bytes);
      {must}
      hexcc_has_room = error == cudaSuccess;
      room_bytes = hexcc_has_room ? bytes : 0;
    }}
    if (room_bytes) check(keep(args, room, hexcc_steps == AGAIN, 0), \"copying what steps start from\");
  }}
"
    )
}

/// The lines behind the kernels that take everything back where what they have recorded is not sure: C's loop runs.
pub(super) fn unsure(r: &Replacement, names: &Names) -> String {
    let back = r.unsure.iter().map(|&array| {
        let name = names.get(&r.interface.arrays[array].name);
        format!(
            "    check(cudaMemcpyAsync({name}_tiles, {name}_entered, {name}_bytes, cudaMemcpyDeviceToDevice, 0), \"copying {name} back\");\n"
        )
    });
    let back: String = back.collect();
    match back.is_empty() {
        true => back,
        false => format!(
            "  bool found = false;
  check(unsure(args, found), \"looking at what steps record\");
  if (found) {{
    hexcc_unsure = true;
    check(keep(args, room, true, 0), \"copying what steps start from\");
{back}  }}
"
        ),
    }
}

/// The test whether kernels run: where the loop has gone several steps they do, and no more where they are not sure.
pub(super) fn or_goes(r: &Replacement, pays: Option<String>) -> Option<String> {
    let name = &r.interface.name;
    let sure = (!r.unsure.is_empty()).then(|| format!("!{name}::hexcc_unsure"));
    let all = sure.into_iter().chain(pays);
    let all = all.reduce(|a, b| format!("{a} && {b}"))?;
    Some(format!("({name}::hexcc_goes() || {all})"))
}

/// The changes of a text, where the statements of the loop are at these places.
pub(super) fn edits(
    r: &Replacement,
    converging: &Converging,
    (ahead, again): (Range<usize>, Range<usize>),
) -> [Edit; 2] {
    let (name, n_steps, n_all) = (&r.interface.name, &converging.n_steps, &converging.n_all);
    [
        Edit {
            range: ahead,
            replacement: format!("{n_steps} = {name}::hexcc_ahead({n_all});"),
        },
        Edit {
            range: again.start..again.start,
            replacement: format!("{name}::hexcc_again(); "),
        },
    ]
}
