//! A scop with its source, as `--emit scop` saves it and as the passes begin with it.

use super::beside::BesideNest;
use super::{Around, OwnArray, SourceFile};
use crate::csource::HeaderNames;
use hexcc_pet::data::{PetScop, Span};
use hexcc_pet::deep;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::ops::Range;

/// A scop together with its source: what `--emit scop` saves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SavedScop {
    /// Format version; see [`SavedScop::VERSION`].
    pub version: u32,
    /// The C file.
    pub source: SourceFile,
    /// Macros given on the command line, as `NAME` or `NAME=VALUE`.
    #[serde(default)]
    pub defines: Vec<String>,
    /// What pet found in it.
    pub scop: PetScop,
    /// Further nests of loops, where these are what is translated and the loop around them stays
    /// on the host; `scop` is the first of them, and `stays` says why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nests: Vec<PetScop>,
    /// Why the loop around the nests stays on the host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stays: Option<String>,
    /// The time loops that have become loops over segments, where the source has been changed so.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub segments: Vec<Segmented>,
    /// The words of what the source had where a loop has been written again.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub replaced: BTreeSet<String>,
    /// Functions that the file calls without a declaration.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undeclared: Vec<String>,
    /// Conversions that C makes by itself and C++ does not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conversions: Vec<Conversion>,
    /// What conditions of the preprocessor have chosen by what a command line can define.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub branches: Vec<Branches>,
    /// Arrays of structs at file scope that no pointer to a number points into.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub of_host: BTreeSet<String>,
    /// Arrays that are a function's own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub own: Vec<OwnArray>,
    /// Values of enumerations are counted up or down, which C++ lets classes do only.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub counts_enumerations: bool,
    /// A function is given two pointers into one array: arrays of kernels may share memory in a program that is right.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub overlaps: bool,
    /// What its headers name otherwise than C++.
    #[serde(default, skip_serializing_if = "HeaderNames::is_empty")]
    pub headers: HeaderNames,
    /// Of nests: what C does in the loops around each; empty where that is not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub around: Vec<BesideNest>,
}

/// The directives from `#if` to `#endif`, where options of a compiler decide what they choose.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Branches {
    /// Their bytes in the text as the user wrote it; `None` in a header.
    pub range: Option<Range<usize>>,
    /// The function that they stand in.
    pub function: Option<String>,
    /// What their parts declare or assign to.
    pub names: BTreeSet<String>,
    /// Those of the names that all functions may use.
    pub shared: BTreeSet<String>,
    /// The macros of their conditions whose meaning the text does not fix.
    pub macros: BTreeSet<String>,
    /// The directives, each before a part that was left out followed by `#error`.
    pub text: String,
}

/// A conversion of a value that C++ wants to be written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Conversion {
    /// The value in the text; `None` in another file.
    pub place: Option<Span>,
    /// What to write before it; `None` where it cannot be written.
    pub before: Option<String>,
    /// What to write behind it.
    pub behind: String,
    /// The type that it becomes, for people.
    pub to: String,
    /// The macro or the file that it comes from, where it comes from one.
    pub of: String,
}

/// A time loop in which the host takes part every so many steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Segmented {
    /// Where the loop begins.
    pub start: usize,
    /// The conditions under which the host takes part.
    pub conditions: Vec<String>,
    /// What it does, in the changed text.
    pub host: Vec<Span>,
    /// Where the loop ends when a number of the cells says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub converging: Option<Converging>,
}

/// The statements by which a time loop goes several steps at once, in the changed text. As they stand it goes one step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Converging {
    /// The loop over these steps.
    pub steps: Span,
    /// `n_steps = 1;`
    pub ahead: Span,
    /// The first statement of what makes these steps begin once more.
    pub again: Span,
    /// The variable that has the number of steps at once.
    pub n_steps: String,
    /// The variable that has the number of steps before.
    pub n_all: String,
    /// Steps at once, at most.
    pub most: u32,
}

impl SavedScop {
    /// The text of the file itself, as the user wrote it.
    pub fn written(&self) -> &str {
        self.source.written()
    }

    /// The format this build reads and writes.
    pub const VERSION: u32 = 1;

    /// A region of a file alone.
    pub fn new(source: SourceFile, defines: Vec<String>, scop: PetScop) -> SavedScop {
        SavedScop {
            version: SavedScop::VERSION,
            source,
            defines,
            scop,
            nests: Vec::new(),
            stays: None,
            segments: Vec::new(),
            replaced: BTreeSet::new(),
            undeclared: Vec::new(),
            conversions: Vec::new(),
            branches: Vec::new(),
            of_host: BTreeSet::new(),
            own: Vec::new(),
            counts_enumerations: false,
            overlaps: false,
            headers: HeaderNames::default(),
            around: Vec::new(),
        }
    }

    /// Everything that is translated.
    pub fn regions(&self) -> impl Iterator<Item = &PetScop> {
        std::iter::once(&self.scop).chain(&self.nests)
    }

    /// The time loops that end when a number of the cells says so.
    pub fn converging(&self) -> impl Iterator<Item = &Converging> {
        self.segments.iter().filter_map(|s| s.converging.as_ref())
    }

    /// The region with a place, by its number.
    pub fn region_at(&self, at: usize) -> Option<(usize, &PetScop)> {
        let holds = |(_, scop): &(usize, &PetScop)| (scop.span.start..scop.span.end).contains(&at);
        self.regions().enumerate().find(holds)
    }

    /// What is around the region.
    pub fn around(&self) -> Around<'_> {
        Around {
            source: &self.source,
            own: &self.own,
            nests: self.is_nests(),
            name: None,
        }
    }

    /// Whether nests are translated, and the loop around them stays on the host.
    pub fn is_nests(&self) -> bool {
        self.stays.is_some()
    }

    /// Whether an array of structs at file scope is the host's alone. Where kernels get structs, by their names or by
    /// pointers to them, any array of structs may be one of these.
    pub fn is_of_host(&self, name: &str) -> bool {
        self.of_host.contains(name) && self.regions().all(|scop| scop.records.is_empty())
    }

    /// Reads what `--emit scop` has written.
    ///
    /// # Errors
    /// What is wrong with the text: not JSON of this form, another version, or places outside of
    /// the source.
    pub fn parse(text: &str) -> Result<SavedScop, String> {
        let saved: SavedScop = deep::from_json(text.as_bytes())?;
        if saved.version != SavedScop::VERSION {
            let (theirs, ours) = (saved.version, SavedScop::VERSION);
            return Err(format!("format version {theirs}, this build reads {ours}"));
        }
        let is_text = |span: Span| saved.source.text.get(span.start..span.end).is_some();
        for scop in saved.regions() {
            if !is_text(scop.span) {
                return Err("the region does not lie in the source".to_string());
            }
            // Outside of the region stand statements of functions that it calls.
            if let Some(stmt) = scop.stmts.iter().find(|stmt| !is_text(stmt.span)) {
                let name = &stmt.name;
                return Err(format!("statement `{name}` does not lie in the source"));
            }
        }
        Ok(saved)
    }
}
