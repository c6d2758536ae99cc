//! Nests in which nothing under a condition on data is touched where the condition does not hold.

use super::{Chosen, Reader, Refused, SELECTIONS, has_dynamic_control};
use hexcc_compiler::diag::Diagnostic;
use hexcc_compiler::front::c::Region;
use hexcc_pet::data::PetScop;

/// Whether a nest with conditions on data as values is refused because what they keep C from touching
/// may not exist, or may fail.
pub(super) fn may_help(refusal: &Diagnostic) -> bool {
    matches!(refusal.code, "HX0105" | "HX0110")
}

impl Reader<'_> {
    /// The first of some refused loops that runs in single steps as a whole where nothing is touched
    /// under conditions that do not hold, and where the program has its memory.
    pub(super) fn guarded_whole(&self, refused: &[&Refused]) -> Option<Chosen> {
        let may_be = |refused: &&&Refused| {
            let has_selects = |scop: &PetScop| !scop.selects.is_empty();
            refused.scop.as_ref().is_some_and(has_selects) && refused.why.iter().all(may_help)
        };
        refused.iter().filter(may_be).find_map(|refused| {
            let (scop, (many, _)) = self.guarded_in_steps(refused.region)?;
            let why = refused.why.first()?;
            many.then(|| Chosen {
                stays: Some(format!(
                    "the loop at line {}: {}",
                    refused.line, why.message
                )),
                ..scop.into()
            })
        })
    }

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
