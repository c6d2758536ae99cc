//! Nests in which nothing under a condition on data is touched where the condition does not hold.

use super::{Reader, SELECTIONS, has_dynamic_control};
use hexcc_compiler::diag::Diagnostic;
use hexcc_compiler::front::c::Region;
use hexcc_pet::data::PetScop;

/// Whether a nest with conditions on data as values is refused because what they keep C from touching
/// may not exist, or may fail.
pub(super) fn may_help(refusal: &Diagnostic) -> bool {
    matches!(refusal.code, "HX0105" | "HX0110")
}

impl Reader<'_> {
    /// What pet makes of a nest where nothing is touched under conditions that do not hold, and what
    /// its launches share as in [`Reader::compiled_in_steps`]; `None` where it is refused so, too.
    pub(super) fn guarded_in_steps(&self, nest: &Region) -> Option<(PetScop, (bool, bool))> {
        let guarded = |how: (bool, bool)| {
            let selected = self.selected(nest, how, true)?;
            let scop = self.extract_selected(&selected, nest, false)?;
            (!has_dynamic_control(&scop)).then_some(scop)
        };
        let scop = SELECTIONS.into_iter().find_map(guarded)?;
        let scop = PetScop {
            guarded: true,
            ..scop
        };
        let shared = self.compiled_in_steps(&scop).ok()?;
        Some((scop, shared))
    }
}
