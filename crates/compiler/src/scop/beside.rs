//! What C does around nests that run in kernels.

use super::SavedScop;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What C does in the loops around a nest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BesideNest {
    /// Whether the nest runs more than once.
    pub repeats: bool,
    /// The memory that C uses there, as the program writes it, and where it does.
    pub uses: Vec<(String, usize)>,
    /// What C goes through in each iteration of the innermost of these loops: by name, in how many loops.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub swept: BTreeMap<String, usize>,
}

impl SavedScop {
    /// What C does in the loops around the nest that a place is in, where that is known.
    pub fn beside(&self, at: usize) -> Option<&BesideNest> {
        let mut nests = self.regions();
        let nest = nests.position(|scop| (scop.span.start..scop.span.end).contains(&at));
        self.around.get(nest?)
    }

    /// Whether nests run but once, as far as is known: nothing of them stays on the device for later.
    pub fn runs_once(&self) -> bool {
        !self.around.is_empty() && self.around.iter().all(|nest| !nest.repeats)
    }
}
