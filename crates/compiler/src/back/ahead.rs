//! Time loops that go several steps at once before the host knows which of them is the last ([`crate::scop::Converging`]).
//!
//! The kernels' first call keeps the planes that these steps start from. Where the host finds that there were too many, a
//! second one brings the planes back and takes the steps that there should have been.

use super::existing;
use super::fallback::Otherwise;
use super::program::Replacement;
use crate::csource::Edit;
use crate::scop::Converging;
use std::ops::Range;

/// The functions that the loop calls, for steps that are none or many.
const CALLS: &str = include_str!("../print/lib/cuda/ahead.cuh");

/// Whether a replacement goes several steps at once: its kernels run wherever it says that it does.
pub(super) fn is_possible(r: &Replacement, converging: &Converging) -> bool {
    let is_in = (r.span.start..r.span.end).contains(&converging.steps.start);
    let always_run = r.otherwise == Otherwise::Ends && r.interface.suits_all_sizes();
    r.converges && is_in && always_run && !existing::is_asked(r.interface)
}

/// The functions of a replacement that goes several steps at once.
pub(super) fn functions(r: &Replacement, most: u32) -> String {
    let many = match r.gated {
        true => "hexcc_gate::is_on_gpu()",
        false => "true",
    };
    format!(
        "// Steps at once, at most.\nconstexpr long MOST_STEPS = {most};\n\n// Whether kernels take them.\nstatic bool hexcc_many() {{\n  return {many};\n}}\n\n{CALLS}"
    )
}

/// The lines of the host function that keep what steps start from, or bring it back.
pub(super) fn kept() -> &'static str {
    "  if (hexcc_steps != ONE) { // these may be too many
    static char *room = nullptr;
    static size_t room_bytes = 0;
    const size_t bytes = kept_bytes(args);
    if (bytes > room_bytes) {
      check(cudaFree(room), \"freeing what steps start from\");
      check(cudaMalloc((void **)&room, bytes), \"allocating what steps start from\");
      room_bytes = bytes;
    }
    check(keep(args, room, hexcc_steps == AGAIN, 0), \"copying what steps start from\");
  }
"
}

/// The test whether kernels run: where the loop has gone several steps they do.
pub(super) fn or_goes(r: &Replacement, pays: &str) -> String {
    format!("({}::hexcc_goes() || {pays})", r.interface.name)
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
