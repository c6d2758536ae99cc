//! Which subscripts of an array follow pointers: pet does not tell `float **A` from an array whose
//! extents it does not know, so clang is asked.

use super::Reader;
use super::extract::Purpose;
use hexcc_compiler::csource::Edit;
use hexcc_compiler::front::c::{Reduced, Region, StandIns};
use hexcc_compiler::scop::without_bounds;
use hexcc_pet::data::{PetArray, PetScop};
use hexcc_pet::{ClangMessage, PetError, Severity};
use std::fmt::Write;

impl Reader<'_> {
    /// A scop with what clang says of the subscripts of arrays that have no bounds; `text` gives
    /// what pet has read, with declarations before the region.
    pub(super) fn with_pointers(
        &self,
        mut scop: PetScop,
        function: Option<&str>,
        text: &dyn Fn(String) -> Reduced,
    ) -> PetScop {
        let Ok(ctx) = hexcc_isl::Ctx::with_stopper(self.limit.stopper().clone()) else {
            return scop;
        };
        for array in &mut scop.arrays {
            array.pointers = without_bounds(&ctx, array);
        }
        let tests: String = scop.arrays.iter().map(tests).collect();
        if tests.is_empty() {
            return scop;
        }
        let said = match self.extract(Purpose::Pointers, &text(tests), function) {
            Ok(_) | Err(PetError::NoScop { .. }) => Some(Vec::new()),
            Err(PetError::Syntax { messages }) => Some(messages),
            Err(_) => None,
        };
        for array in &mut scop.arrays {
            array.pointers = (said.as_ref()).map_or(0, |said| followed(array, said));
        }
        scop
    }
}

/// Stand-ins with tests before the region, of which clang says the same if it is empty, and pet has nothing
/// to read; one with pragmas stays.
pub(super) fn asking(stand_ins: &StandIns, region: &Region, tests: &str) -> StandIns {
    let nothing = || Edit {
        range: region.span.clone(),
        replacement: "for (int hexcc_i = 0; hexcc_i < 1; hexcc_i++) ;".to_string(),
    };
    StandIns {
        declarations: stand_ins.declarations.clone() + tests,
        edits: match region.marked {
            true => stand_ins.edits.clone(),
            false => vec![nothing()],
        },
        ..stand_ins.clone()
    }
}

/// What the message of a test says: that a subscript, not the first, follows no pointer.
fn message(array: &PetArray, d: usize) -> String {
    format!("hexcc: subscript {d} of {} follows no pointer", array.name)
}

/// Declarations that are wrong where a subscript follows no pointer.
fn tests(array: &PetArray) -> String {
    let mut text = String::new();
    for d in 1..=array.pointers {
        let pointer = array.name.clone() + &"[0]".repeat(d);
        let _ = writeln!(
            text,
            "_Static_assert(__builtin_types_compatible_p(__typeof__({pointer}), __typeof__(&{pointer}[0])), \"{}\");",
            message(array, d)
        );
    }
    text
}

/// How many subscripts follow pointers one after the other, by what clang says of the tests. None
/// where it says something else: a test may not be understood.
fn followed(array: &PetArray, said: &[ClangMessage]) -> usize {
    let errors = || said.iter().filter(|m| m.severity == Severity::Error);
    if errors().any(|m| !m.text.contains("hexcc: subscript ")) {
        return 0;
    }
    let is_none = |d: &usize| errors().any(|m| m.text.contains(&message(array, *d)));
    let first = (1..=array.pointers).find(is_none);
    first.map_or(array.pointers, |d| d - 1)
}
