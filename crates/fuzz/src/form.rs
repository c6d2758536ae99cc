//! The form of a program: how the same stencil is written in C.
//!
//! A form is a choice for each [`Feature`]; choice 0 is the plain way in which [`crate::print`]
//! writes programs for the emulation's batches. Invariant: a form changes neither what a program
//! computes in C nor whether C defines it, so every form of a stencil that translates has to
//! translate and to give C's results, [`Expect`] aside.

use crate::model::{Elem, Program, Size, Storage, Sub};
use crate::rng::Rng;
use std::fmt;

mod names;
use names::Namer;
pub use names::{CPP, CUDA, GENERATED, LIBC, Names};

/// What a form decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Feature {
    /// Where iterators are declared.
    Iterators,
    /// Their type.
    IteratorType,
    /// Type of sizes that are parameters or variables.
    SizeType,
    /// What sizes are: parameters, macros, enumerators, variables.
    Sizes,
    /// How arrays are declared, and with it whether the region stands in `main`.
    Arrays,
    /// How element types are called.
    ElementType,
    /// How elements are accessed.
    Access,
    /// Reads that are kept in local variables of the body.
    Temporaries,
    /// Braces around single statements.
    Braces,
    /// How loops end and step.
    Bounds,
    /// Comments and foreign pragmas in the region.
    Comments,
    /// Functions called in the region.
    Calls,
    /// What else the time loop does: it prints, swaps pointers, looks for a reason to end.
    TimeLoop,
    /// Whether pragmas mark the region.
    Pragmas,
    /// Names of arrays.
    ArrayNames,
    /// Names of iterators.
    IteratorNames,
    /// Names of sizes.
    SizeNames,
    /// Names of scalars and local variables.
    ScalarNames,
    /// The name of the function.
    FunctionName,
    /// Macros beside the region.
    Macros,
    /// Functions and variables beside the region, with names of all kinds.
    Others,
    /// Output, most of it by variadic functions.
    Prints,
    /// Other functions with all kinds of control flow.
    Control,
    /// Structures, unions, enumerations, function pointers.
    Types,
    /// What is C and no C++.
    COnly,
    /// Conditional compilation.
    Conditional,
    /// Headers.
    Headers,
    /// Code before the region in the same function.
    Before,
    /// Code after the region in the same function.
    After,
    /// What hexcc must not accept.
    Wrong,
}

/// A feature, how it is called, in how many of 100 programs it is not plain, and its choices.
pub struct Info {
    /// Which one.
    pub feature: Feature,
    /// Its name on the command line.
    pub name: &'static str,
    percent: usize,
    /// Names of the choices; the first is the plain one.
    pub choices: &'static [&'static str],
}

const fn info(
    feature: Feature,
    name: &'static str,
    percent: usize,
    choices: &'static [&'static str],
) -> Info {
    Info {
        feature,
        name,
        percent,
        choices,
    }
}

const NAMES: &[&str] = &["plain", "generated", "c++", "cuda", "libc", "derived"];

/// All features, in the order of [`Feature`].
pub const FEATURES: &[Info] = &[
    info(
        Feature::Iterators,
        "iterators",
        45,
        &[
            "in-loop",
            "top",
            "time-at-top",
            "file-scope",
            "initialized",
            "in-time-loop",
        ],
    ),
    info(
        Feature::IteratorType,
        "iterator-type",
        15,
        &["int", "long", "size_t", "unsigned", "short", "int64_t"],
    ),
    info(
        Feature::SizeType,
        "size-type",
        20,
        &[
            "int",
            "long",
            "size_t",
            "unsigned",
            "short",
            "const-int",
            "int32_t",
        ],
    ),
    info(
        Feature::Sizes,
        "sizes",
        35,
        &[
            "parameter",
            "macro",
            "macro-long",
            "macro-parentheses",
            "macro-sum",
            "enum",
            "const-variable",
            "variable",
        ],
    ),
    info(
        Feature::Arrays,
        "arrays",
        50,
        &[
            "vla-parameter",
            "pointer-to-array",
            "restrict",
            "restrict-pointer",
            "static-parameter",
            "const",
            "macro-parameter",
            "global",
            "main-heap",
            "main-vla",
            "main-static",
            "typedef",
            "row-pointers",
            "flat",
        ],
    ),
    info(
        Feature::ElementType,
        "element-type",
        20,
        &["plain", "typedef", "macro", "stdint"],
    ),
    info(
        Feature::Access,
        "access",
        15,
        &["direct", "macro", "plane-macro", "wrapped"],
    ),
    info(
        Feature::Temporaries,
        "temporaries",
        20,
        &[
            "none",
            "joined",
            "separate",
            "const",
            "assigned",
            "top-of-function",
        ],
    ),
    info(Feature::Braces, "braces", 40, &["all", "none"]),
    info(
        Feature::Bounds,
        "bounds",
        30,
        &["less", "less-equal", "compound", "reversed"],
    ),
    info(
        Feature::Comments,
        "comments",
        20,
        &["none", "pragmas-in-comments", "openmp", "continued-lines"],
    ),
    info(
        Feature::Calls,
        "calls",
        15,
        &[
            "none",
            "inline-scalar",
            "inline-step",
            "later-scalar",
            "macro",
            "later-step",
        ],
    ),
    info(
        Feature::TimeLoop,
        "time-loop",
        20,
        &["plain", "printed", "converging", "swapped"],
    ),
    info(Feature::Pragmas, "pragmas", 35, &["scop", "none"]),
    info(Feature::ArrayNames, "array-names", 20, NAMES),
    info(Feature::IteratorNames, "iterator-names", 20, NAMES),
    info(Feature::SizeNames, "size-names", 20, NAMES),
    info(Feature::ScalarNames, "scalar-names", 20, NAMES),
    info(Feature::FunctionName, "function-name", 15, NAMES),
    info(
        Feature::Macros,
        "macros",
        25,
        &["none", "generated", "c++", "cuda", "libc", "functions"],
    ),
    info(
        Feature::Others,
        "others",
        15,
        &["none", "generated", "c++", "cuda"],
    ),
    info(
        Feature::Prints,
        "prints",
        30,
        &["none", "sprintf", "va_list", "same-function"],
    ),
    info(
        Feature::Control,
        "control",
        25,
        &["none", "while", "goto-switch", "strings", "recursion"],
    ),
    info(
        Feature::Types,
        "types",
        25,
        &["none", "struct", "enum", "function-pointers", "union"],
    ),
    info(
        Feature::COnly,
        "c-only",
        8,
        &[
            "none",
            "malloc",
            "designated",
            "compound-literal",
            "old-style",
            "tentative",
            "enum-int",
            "string-literal",
            "void-pointer",
            "bool-restrict",
        ],
    ),
    info(
        Feature::Conditional,
        "conditional",
        20,
        &["none", "garbage", "alternatives", "guards"],
    ),
    info(
        Feature::Headers,
        "headers",
        25,
        &["few", "strings-time", "many", "posix"],
    ),
    info(
        Feature::Before,
        "before",
        30,
        &["nothing", "loops", "other-function"],
    ),
    info(
        Feature::After,
        "after",
        35,
        &["nothing", "iterators", "planes", "loops"],
    ),
    info(
        Feature::Wrong,
        "wrong",
        4,
        &["nothing", "out-of-bounds", "unknown-function"],
    ),
];

/// What hexcc has to do with a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expect {
    /// Translate the program, if it translates the plain one.
    Translation,
    /// Translate it, or refuse it with one of these codes.
    Either(&'static [&'static str]),
    /// Refuse it with one of these codes.
    Refusal(&'static [&'static str]),
}

/// A choice for every feature.
#[derive(Clone, Debug, PartialEq)]
pub struct Form {
    choices: Vec<u8>,
    /// Picks names out of lists.
    salt: u64,
}

impl Default for Form {
    fn default() -> Form {
        Form {
            choices: vec![0; FEATURES.len()],
            salt: 0,
        }
    }
}

/// Which forms are drawn: `NAME` or `NAME=CHOICE`.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Only these, in every program.
    pub only: Vec<String>,
    /// Not these.
    pub without: Vec<String>,
}

fn named(list: &[String], info: &Info, choice: usize) -> bool {
    (list.iter()).any(|word| match word.split_once('=') {
        None => word == info.name,
        Some((name, wanted)) => name == info.name && wanted == info.choices[choice],
    })
}

impl Filter {
    /// The first word that names no form.
    pub fn unknown(&self) -> Option<&String> {
        let known = |word: &String| {
            FEATURES
                .iter()
                .any(|i| (0..i.choices.len()).any(|c| named(std::slice::from_ref(word), i, c)))
        };
        self.only.iter().chain(&self.without).find(|w| !known(w))
    }

    /// The choices other than the plain one that may be drawn.
    fn choices(&self, info: &Info) -> Vec<u8> {
        (1..info.choices.len())
            .filter(|&c| self.only.is_empty() || named(&self.only, info, c))
            .filter(|&c| !named(&self.without, info, c))
            .map(|c| c as u8)
            .collect()
    }
}

impl Form {
    /// A random form of a program.
    pub fn random(rng: &mut Rng, program: &Program, filter: &Filter) -> Form {
        let mut form = Form {
            salt: rng.bits(),
            ..Form::default()
        };
        for info in FEATURES {
            let choices = filter.choices(info);
            let percent = if filter.only.is_empty() {
                info.percent
            } else {
                100
            };
            if !choices.is_empty() && rng.chance(percent) {
                form.choices[info.feature as usize] = *rng.pick(&choices);
            }
        }
        form.settle(program);
        form
    }

    /// The choice for a feature.
    pub fn of(&self, feature: Feature) -> u8 {
        self.choices[feature as usize]
    }

    /// The name of the choice for a feature.
    pub fn choice(&self, feature: Feature) -> &'static str {
        FEATURES[feature as usize].choices[usize::from(self.of(feature))]
    }

    /// Whether sizes are constants of the text.
    pub fn fixed_sizes(&self) -> bool {
        matches!(self.of(Feature::Sizes), 1..=6)
    }

    /// Whether the region stands in `main`.
    pub fn in_main(&self) -> bool {
        self.choice(Feature::Arrays).starts_with("main-")
    }

    /// Whether arrays are variables at file scope.
    pub fn global_arrays(&self) -> bool {
        self.choice(Feature::Arrays) == "global"
    }

    /// Whether arrays of several dimensions are pointers to rows.
    pub fn in_rows(&self) -> bool {
        self.choice(Feature::Arrays) == "row-pointers"
    }

    /// Whether arrays are pointers to their first element, with computed subscripts.
    pub fn is_flat(&self) -> bool {
        self.choice(Feature::Arrays) == "flat"
    }

    /// Whether the time loop stays on the host.
    pub fn in_nests(&self) -> bool {
        self.choice(Feature::TimeLoop) != "plain"
    }

    /// Whether each nest is a function.
    pub fn in_steps(&self) -> bool {
        matches!(self.choice(Feature::Calls), "inline-step" | "later-step")
    }

    /// Whether iterators are declared before the time loop.
    pub fn outer_iterators(&self) -> bool {
        matches!(self.of(Feature::Iterators), 1 | 3 | 4)
    }

    /// Whether the time iterator is.
    pub fn outer_time(&self) -> bool {
        matches!(self.of(Feature::Iterators), 1..=4)
    }

    /// Makes choices that do not go together plain.
    pub fn settle(&mut self, program: &Program) {
        let constant = matches!(
            self.choice(Feature::Arrays),
            "global" | "main-static" | "typedef"
        );
        if constant && !program.params.is_empty() && !matches!(self.of(Feature::Sizes), 1..=5) {
            self.set(Feature::Sizes, "macro");
        }
        if !self.wrong_applies(program) {
            self.set(Feature::Wrong, "nothing");
        }
        if self.choice(Feature::Wrong) != "nothing" {
            // One reason to refuse at a time, and an array that the refusal can be about.
            self.set(Feature::Calls, "none");
            self.set(Feature::Arrays, "vla-parameter");
            self.set(Feature::Access, "direct");
            self.set(Feature::After, "nothing");
            self.set(Feature::Before, "nothing");
        }
        self.settle_time_loop(program);
        if self.in_rows() || self.is_flat() {
            // Other code takes arrays for one block.
            if self.choice(Feature::Access) != "wrapped" {
                self.set(Feature::Access, "direct");
            }
            self.set(Feature::After, "nothing");
            self.set(Feature::Before, "nothing");
        }
        if self.choice(Feature::Macros) == self.choice(Feature::Others) {
            // Functions would be called as the macros are.
            self.set(Feature::Others, "none");
        }
        if self.in_steps() && self.in_main() {
            self.set(Feature::Calls, "none");
        }
        if self.choice(Feature::Temporaries) == "top-of-function"
            && (self.in_steps() || !locals_agree(program))
        {
            self.set(Feature::Temporaries, "joined");
        }
    }

    /// What goes with host work in the time loop, and with pointers to planes.
    fn settle_time_loop(&mut self, program: &Program) {
        if self.choice(Feature::Wrong) != "nothing" {
            self.set(Feature::TimeLoop, "plain");
        }
        match self.choice(Feature::TimeLoop) {
            // Between pragmas no function of the host is called, and no pointer changes.
            "printed" | "converging" => self.set(Feature::Pragmas, "none"),
            "swapped" if program.step_stride != 1 => self.set(Feature::TimeLoop, "plain"),
            "swapped" => {
                self.set(Feature::Pragmas, "none");
                if self.in_steps() {
                    self.set(Feature::Calls, "none");
                }
                if !self.is_flat() {
                    self.set(Feature::Arrays, "vla-parameter");
                }
                if self.choice(Feature::Access) != "wrapped" {
                    self.set(Feature::Access, "direct");
                }
            }
            _ => {}
        }
    }

    /// Whether the stencil has what the wrong form damages.
    fn wrong_applies(&self, program: &Program) -> bool {
        match self.choice(Feature::Wrong) {
            // An access that all iterations make, at the iterator of the innermost loop.
            "out-of-bounds" => program.nests.first().is_some_and(|nest| {
                let (Some(l), Some(item)) = (nest.loops.last(), nest.items.first()) else {
                    return false;
                };
                // The size of the outermost dimension of a parameter says nothing in C.
                let first =
                    |array: &crate::model::Array| usize::from(array.storage == Storage::Plain);
                let behind =
                    |sub: &Sub| matches!(sub, Sub::Iter(dim, c) if *dim == l.dim && *c >= 0);
                item.cond.is_none()
                    && item.then.iter().any(|s| {
                        let first = first(&program.arrays[s.target.array]);
                        s.target.subs.iter().skip(first).any(behind)
                    })
            }),
            _ => true,
        }
    }

    fn set(&mut self, feature: Feature, choice: &str) {
        let at = FEATURES[feature as usize]
            .choices
            .iter()
            .position(|c| *c == choice);
        self.choices[feature as usize] = at.unwrap_or(0) as u8;
    }

    /// Copies with fewer features that are not plain.
    pub fn simpler(&self, program: &Program) -> Vec<Form> {
        let with = |keep: &dyn Fn(usize) -> bool| {
            let mut copy = self.clone();
            for (n, choice) in copy.choices.iter_mut().enumerate() {
                *choice = if keep(n) { *choice } else { 0 };
            }
            copy.settle(program);
            copy
        };
        let used: Vec<usize> = (0..FEATURES.len())
            .filter(|&n| self.choices[n] != 0)
            .collect();
        let (a, b) = used.split_at(used.len() / 2);
        let halves = [with(&|n| a.contains(&n)), with(&|n| b.contains(&n))];
        let singles = used.iter().map(|&out| with(&|n| n != out));
        let mut all: Vec<Form> = halves.into_iter().chain(singles).collect();
        all.retain(|f| f != self);
        all
    }

    /// What hexcc has to do.
    pub fn expect(&self) -> Expect {
        match self.choice(Feature::Wrong) {
            "out-of-bounds" => return Expect::Refusal(&["HX0111"]),
            // Its work beside the value is a reduction where the function is in the file.
            "unknown-function" => return Expect::Refusal(&["HX0107", "HX0203"]),
            _ => {}
        }
        match (
            self.choice(Feature::Calls),
            self.choice(Feature::Temporaries),
        ) {
            // Rows that are read only where a condition holds.
            _ if self.in_rows() => Expect::Either(&["HX0107", "HX0110", "HX0203"]),
            // Functions of the file that are not inline, and temporaries that outlive the body.
            ("later-scalar", _) => Expect::Either(&["HX0107"]),
            (_, "top-of-function") => Expect::Either(&["HX0203"]),
            _ => Expect::Translation,
        }
    }

    /// Names of everything in a program.
    pub fn names(&self, program: &Program, function: &str) -> Names {
        Namer::new(self).names(program, function)
    }
}

/// Whether local variables of a name have one type everywhere, so that all bodies can share one.
fn locals_agree(program: &Program) -> bool {
    let mut types: Vec<Elem> = Vec::new();
    let items = program.nests.iter().flat_map(|nest| &nest.items);
    items
        .flat_map(|item| item.locals.iter().enumerate())
        .all(|(n, local)| {
            if n == types.len() {
                types.push(local.0);
            }
            types[n] == local.0
        })
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let used = FEATURES.iter().filter(|i| self.of(i.feature) != 0);
        let words: Vec<String> = used
            .map(|i| format!("{}={}", i.name, self.choice(i.feature)))
            .collect();
        f.write_str(if words.is_empty() { "plain" } else { "" })?;
        f.write_str(&words.join(" "))
    }
}

/// How element types are called, and what declares the name.
pub fn element(form: &Form, elem: Elem) -> (&'static str, Option<String>) {
    let (name, macro_name, stdint) = match elem {
        Elem::Float => ("real", "REAL", "float"),
        Elem::Double => ("real8", "REAL8", "double"),
        Elem::Int => ("cell", "CELL", "int32_t"),
        Elem::Byte => ("octet", "OCTET", "uint8_t"),
    };
    match form.choice(Feature::ElementType) {
        "typedef" => (name, Some(format!("typedef {} {name};", elem.c()))),
        "macro" => (
            macro_name,
            Some(format!("#define {macro_name} {}", elem.c())),
        ),
        "stdint" => (stdint, None),
        _ => (elem.c(), None),
    }
}

/// The value of a size in programs whose sizes are fixed.
pub fn fixed_value(form: &Form, program: &Program, param: usize) -> i64 {
    if !program.is_space_param(param) {
        return 5 + (form.salt >> 8) as i64 % 9;
    }
    let most = [70, 30, 14, 9][program.n_dims() - 1];
    let size = most - (form.salt >> (16 + 4 * param)) as i64 % 7;
    size.max(program.min_size).max(least_size(program))
}

/// The least size for which loops of unsigned iterators end: nothing is subtracted below 0.
pub fn least_size(program: &Program) -> i64 {
    let loops = program.nests.iter().flat_map(|n| &n.loops);
    let high = loops.map(|l| l.high.abs() + 2).max().unwrap_or(0);
    high.max(program.min_size).max(6)
}

/// Sizes of a program that are parameters, as [`Size`]s.
pub fn param_sizes(program: &Program) -> impl Iterator<Item = (usize, Size)> {
    (0..program.params.len()).map(|p| (p, Size::Param(p)))
}
