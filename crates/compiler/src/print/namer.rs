//! The names of a program's variables in one language.

use super::unknown;
use crate::back::names::Names;
use crate::ir::VarId;
use std::collections::BTreeMap;

/// Gives variables names that are free where they are defined.
#[derive(Clone)]
pub(crate) struct Namer {
    names: Names,
    of: BTreeMap<VarId, String>,
}

/// What is in scope at a place.
pub(crate) struct Scope(Namer);

impl Namer {
    /// A namer that avoids what `names` has given away.
    pub fn new(names: Names) -> Namer {
        Namer {
            names,
            of: BTreeMap::new(),
        }
    }

    /// Where the names defined from here on end.
    pub fn scope(&self) -> Scope {
        Scope(self.clone())
    }

    /// Ends the names since `scope`.
    pub fn leave(&mut self, scope: Scope) {
        *self = scope.0;
    }

    /// Names a variable.
    pub fn define(&mut self, var: VarId, wanted: &str) -> String {
        let name = self.names.fresh(wanted);
        self.of.insert(var, name.clone());
        name
    }

    /// A name for what is no variable of the program.
    pub fn fresh(&mut self, wanted: &str) -> String {
        self.names.fresh(wanted)
    }

    /// Lets a variable have a name that is given away already.
    pub fn set(&mut self, var: VarId, name: String) {
        self.of.insert(var, name);
    }

    /// The name of a variable in scope. [`crate::ir::verify`] has seen that it has one.
    pub fn get(&self, var: VarId) -> String {
        self.of
            .get(&var)
            .cloned()
            .unwrap_or_else(|| unknown(format!("variable {}", var.0)))
    }
}
