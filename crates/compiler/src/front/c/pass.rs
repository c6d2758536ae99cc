//! The passes that make the text that pet reads of the user's, by name.

/// A pass over the text, in the order in which they run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Pass {
    /// [`super::selects`].
    Selects,
    /// Branches that choose, on clang's tree.
    Choices,
    /// Functions that compute subscripts, on clang's tree.
    Helpers,
    /// Pointers to rows and cells, on clang's tree.
    Pointers,
    /// Counters of loops, on clang's tree.
    Counters,
    /// Index variables, on clang's tree.
    Variables,
    /// The macros of [`super::written`].
    Macros,
    /// What pet does not read in other words, on clang's tree and by `plain` of [`super::written`].
    Plain,
    /// `returns` of [`super::written`].
    Returns,
    /// [`super::cells`].
    Cells,
    /// [`super::members`].
    Members,
    /// [`super::reduce`](mod@super::reduce).
    Calls,
}

impl Pass {
    /// The pass on clang's tree that has a name.
    pub fn on_tree(name: &str) -> Option<Pass> {
        use Pass::{Choices, Counters, Helpers, Plain, Pointers, Variables};
        let all = [Choices, Helpers, Pointers, Counters, Variables, Plain];
        let is_it = |pass: &Pass| pass.describe().split(':').next() == Some(name);
        all.into_iter().find(is_it)
    }

    /// Its name, and what it does.
    pub fn describe(self) -> &'static str {
        match self {
            Pass::Selects => "selects: `if` on data is a value, `x = c ? e : x`",
            Pass::Macros => "macros: those in subscripts and conditions are expanded",
            Pass::Plain => {
                "plain: chained assignments, declarations with calls and the like as several statements"
            }
            Pass::Returns => "returns: early returns and `continue` are conditions",
            Pass::Helpers => "helpers: functions that compute subscripts are written out",
            Pass::Pointers => "pointers: pointers to rows and cells are written out",
            Pass::Counters => "counters: `out[k++]` in loops is an element that the iterators tell",
            Pass::Choices => {
                "choices: index variables that `if` and `else` set are values, `x = c ? a : b`"
            }
            Pass::Variables => "variables: index variables are written out",
            Pass::Cells => "cells: what a loop does with a cell is a function",
            Pass::Members => "members: members of structs have names of their own",
            Pass::Calls => "calls: functions that the region calls are inline and stand before it",
        }
    }
}
