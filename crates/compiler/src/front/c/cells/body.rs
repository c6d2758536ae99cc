//! The names in the body of loops: what is the cell's own, what it takes, and what it writes.

use super::calls::{Callee, is_written, subscripts};
use super::number_type;
use crate::csource::{self, Code, Declarator, Function, Place, Scope, statement_end};
use crate::ctype::CType;
use crate::front::c::calls::macros;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// An array that a cell reads anywhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Whole {
    pub(super) elem: CType,
    /// Bounds behind the first, `[M]`, as the text has them.
    pub(super) bounds: String,
    /// How many elements there are, nobody has declared.
    pub(super) is_pointer: bool,
}

/// An array of which a cell writes an element.
pub(super) struct Target {
    pub(super) array: String,
    pub(super) elem: CType,
    /// The element as the text has it.
    pub(super) element: String,
    /// Its uses.
    pub(super) uses: Vec<Range<usize>>,
    /// Every path assigns it before anything reads it.
    pub(super) assigned: bool,
    /// Something else is done to it than to assign it.
    pub(super) read: bool,
    /// Every path reads or assigns it.
    pub(super) certain: bool,
}

/// What a body is made of.
pub(super) struct Body<'a> {
    pub(super) code: &'a Code<'a>,
    pub(super) functions: &'a [Function],
    /// The file and its headers.
    pub(super) texts: &'a [&'a str],
    /// What macros of these stand for, and macros in them.
    macros: BTreeMap<String, BTreeSet<String>>,
    pub(super) scope: Scope<'a>,
    pub(super) region: Range<usize>,
    pub(super) tokens: Range<usize>,
    pub(super) name: String,
    /// Numbers that are taken by value.
    pub(super) numbers: BTreeMap<String, CType>,
    pub(super) wholes: BTreeMap<String, Whole>,
    /// Variables of the function around that are the cell's own.
    pub(super) own: BTreeMap<String, CType>,
    /// Arrays of the function around that are the cell's own, with their types and bounds.
    pub(super) own_arrays: BTreeMap<String, (CType, String)>,
    pub(super) targets: Vec<Target>,
    /// By name, the functions that it calls, those that these call before them.
    pub(super) callees: Vec<Callee>,
    /// Functions of the C library that it calls, or these do.
    pub(super) math: BTreeSet<String>,
}

/// A use of an element: the array, and the tokens.
type Use = (String, Range<usize>);

impl<'a> Body<'a> {
    /// Reads a body, which lies in `region`; `None` if it is no function of the cell.
    pub(super) fn read(
        (code, texts): (&'a Code<'a>, &'a [&'a str]),
        (functions, scope): (&'a [Function], Scope<'a>),
        (region, tokens): (&Range<usize>, Range<usize>),
        name: &str,
    ) -> Option<Body<'a>> {
        let mut body = Body {
            code,
            functions,
            texts,
            macros: macros_of(texts),
            scope,
            region: region.clone(),
            tokens: tokens.clone(),
            name: name.to_string(),
            numbers: BTreeMap::new(),
            wholes: BTreeMap::new(),
            own: BTreeMap::new(),
            own_arrays: BTreeMap::new(),
            targets: Vec::new(),
            callees: Vec::new(),
            math: BTreeSet::new(),
        };
        if !body.jumps_stay() || has_pointer_cast(code, tokens.clone()) {
            return None;
        }
        let mut uses: Vec<Use> = Vec::new();
        for at in tokens.filter(|&at| is_name(code, at)) {
            body.name(at, &mut uses)?;
        }
        body.elements(uses)?;
        body.subscripts_stay().then_some(body)
    }

    /// Whether no jump leaves the body but `continue`.
    fn jumps_stay(&self) -> bool {
        let code = self.code;
        let stays = |at: usize| match code.word(at) {
            "goto" | "return" | "asm" | "__asm__" | "static" | "extern" | "volatile"
            | "typedef" => false,
            "break" => self.is_within(at, &["for", "while", "do", "switch"]),
            _ => true,
        };
        self.tokens.clone().all(stays)
    }

    /// Whether a statement of the body that begins with one of some words is around a token.
    pub(super) fn is_within(&self, at: usize, words: &[&str]) -> bool {
        let starts =
            (self.tokens.start..at).filter(|&start| words.contains(&self.code.word(start)));
        starts
            .into_iter()
            .any(|start| statement_end(self.code, start, self.tokens.end) > at)
    }

    /// The `continue`s that end the body.
    pub(super) fn ends(&self) -> Vec<usize> {
        let is_end = |at: &usize| {
            self.code.word(*at) == "continue" && !self.is_within(*at, &["for", "while", "do"])
        };
        self.tokens.clone().filter(is_end).collect()
    }

    /// The declaration of a name at a token, and whether it is in the body.
    pub(super) fn declarator(&self, at: usize) -> Option<(Declarator, bool)> {
        // A declarator does not see itself from its own place.
        let d = self.scope.moved_to(at + 1).declarator(self.code.word(at))?;
        let own = self
            .code
            .bytes(self.tokens.clone())
            .contains(&d.range.start);
        Some((d, own))
    }

    fn name(&mut self, at: usize, uses: &mut Vec<Use>) -> Option<()> {
        let code = self.code;
        if code.opens(at + 1, "(") {
            return self.call(at);
        }
        let Some((declarator, is_own)) = self.declarator(at) else {
            return self.is_constant(code.word(at)).then_some(());
        };
        if is_own {
            let declares = declarator.range.contains(&code.tokens[at].span.start);
            let is_array = declarator.stars == 0;
            return (!declares || is_array && self.has_constant_bounds(&declarator)).then_some(());
        }
        let name = code.word(at).to_string();
        if matches!(code.word(at + 1), "." | "->") || csource::is_address(code, at) {
            return None;
        }
        let words = self.scope.moved_to(at + 1).declared_type(&name)?;
        let ty = number_type(self.texts, &words)?;
        if declarator.stars + declarator.n_bounds == 0 {
            if code.word(at + 1) == "[" {
                return None;
            }
            if csource::is_assigned(code, at) {
                self.own.insert(name, ty);
            } else {
                self.numbers.insert(name, ty);
            }
            return Some(());
        }
        if self.own_arrays.contains_key(&name) {
            return Some(());
        }
        if let Some(bounds) = self.bounds_of_own(at, &declarator) {
            self.own_arrays.insert(name, (ty, bounds));
            return Some(());
        }
        let whole = self.whole(&declarator, ty)?;
        let (end, n) = subscripts(code, at);
        match n {
            0 if self.is_read_by_callee(at)? => {
                self.wholes.insert(name, whole);
            }
            n if n == declarator.stars + declarator.n_bounds => {
                uses.push((name.clone(), at..end));
                self.wholes.insert(name, whole);
            }
            _ => return None,
        }
        Some(())
    }

    fn is_variable(&self, name: &str) -> bool {
        self.scope
            .moved_to(self.tokens.end)
            .declarator(name)
            .is_some()
            || self.functions.iter().any(|f| f.name == name)
    }

    /// Whether a name that is no variable means the same at file scope: a type, a constant of an
    /// `enum`, a macro of such, or one of the system.
    pub(super) fn is_constant(&self, name: &str) -> bool {
        if let Some(words) = self.macros.get(name) {
            let is_name =
                |word: &&String| word.starts_with(|c: char| c.is_alphabetic() || c == '_');
            let is_plain =
                |word: &String| !self.macros.contains_key(word) && self.is_constant(word);
            return (words.iter().filter(is_name))
                .all(|word| self.macros.contains_key(word) || is_plain(word));
        }
        let shouts = name
            .chars()
            .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
        let is_known = csource::is_type_word(name) || number_type(self.texts, name).is_some();
        let is_one = |text: &&str| is_enumerator(&Code::new(text), name);
        !self.is_variable(name) && (shouts || is_known || self.texts.iter().any(is_one))
    }

    /// Whether macros have a name in what they stand for.
    pub(super) fn is_in_macros(&self, name: &str) -> bool {
        self.is_macro(name) || self.macros.values().any(|words| words.contains(name))
    }

    pub(super) fn is_macro(&self, name: &str) -> bool {
        self.macros.contains_key(name)
    }

    /// What a name means where the loops begin.
    pub(super) fn visible(&self, name: &str) -> Option<Declarator> {
        self.scope.declarator(name)
    }

    /// What functions are called that are copies for the cell.
    pub(super) fn copy_name(&self, name: &str) -> String {
        format!("{}_{name}", self.name)
    }

    pub(super) fn has_constant_bounds(&self, declarator: &Declarator) -> bool {
        let code = self.code;
        let first = code
            .tokens
            .partition_point(|t| t.span.start < declarator.range.start);
        let end = code
            .tokens
            .partition_point(|t| t.span.end <= declarator.range.end);
        let mut brackets = (first..end).filter(|&at| code.opens(at, "["));
        brackets.all(|open| {
            let mut inner = (open + 1..code.skip(open) - 1).filter(|&at| is_name(code, at));
            inner.all(|at| self.is_constant(code.word(at)))
        })
    }

    /// An array outside of the body, with what its declaration says.
    pub(super) fn whole(&self, declarator: &Declarator, elem: CType) -> Option<Whole> {
        let code = self.code;
        let text = &code.text[declarator.range.clone()];
        let bounds = match (declarator.stars, declarator.n_bounds) {
            (1, _) => text.find('[').map_or("", |at| &text[at..]),
            (0, 1) => "",
            (0, _) => {
                let first = text.find(']')?;
                &text[first + 1..]
            }
            _ => return None,
        };
        if !self.has_constant_bounds(declarator) {
            return None;
        }
        // A parameter that is declared as an array is a pointer.
        let is_parameter = declarator.place == Place::Call
            && self.functions.iter().any(|f| {
                f.params.iter().any(|p| {
                    p.range.start <= declarator.range.start && declarator.range.end <= p.range.end
                })
            });
        Some(Whole {
            elem,
            bounds: bounds.trim_start().to_string(),
            is_pointer: declarator.stars == 1 || is_parameter,
        })
    }

    /// Tells apart elements that are written and arrays that are read.
    fn elements(&mut self, uses: Vec<Use>) -> Option<()> {
        let code = self.code;
        let text = |range: &Range<usize>| {
            let words: Vec<&str> = range.clone().map(|at| code.word(at)).collect();
            words.join("")
        };
        let is_written = |range: &Range<usize>| is_written(code, range.start, range.end);
        let written: BTreeSet<&String> = (uses.iter())
            .filter(|(_, r)| is_written(r))
            .map(|(name, _)| name)
            .collect();
        let mut read: BTreeSet<String> = BTreeSet::new();
        for name in &written {
            let own = || {
                uses.iter()
                    .filter(|(array, _)| array == *name)
                    .map(|(_, r)| r)
            };
            let first = own().find(|r| is_written(r))?;
            let element = text(first);
            if !own().filter(|r| is_written(r)).all(|r| text(r) == element) {
                return None;
            }
            if own().any(|r| text(r) != element) {
                read.insert((*name).clone());
            }
            let uses: Vec<Range<usize>> = own().filter(|r| text(r) == element).cloned().collect();
            let whole = self.wholes.get(*name)?;
            let target = Target {
                array: (*name).clone(),
                elem: whole.elem,
                element: code.text[code.bytes(first.clone())].to_string(),
                assigned: self.is_assigned_first(&uses),
                certain: self.is_certain(&uses),
                read: !uses.iter().all(|r| code.word(r.end) == "="),
                uses,
            };
            self.targets.push(target);
        }
        let is_read = |(name, range): &&Use| {
            !written.contains(name) || read.contains(name) && !is_written(range)
        };
        let in_calls = self.bare_names(&uses);
        let needed: BTreeSet<String> = uses
            .iter()
            .filter(is_read)
            .map(|(name, _)| name.clone())
            .chain(in_calls)
            .collect();
        let of_callees: BTreeSet<String> = (self.callees.iter())
            .flat_map(|c| c.wholes.iter().cloned())
            .collect();
        self.wholes
            .retain(|name, _| needed.contains(name) || of_callees.contains(name));
        // One after the other, a cell's functions see what those before them have written.
        self.targets.sort_by_key(|t| !t.assigned && t.read);
        let n_old = self
            .targets
            .iter()
            .filter(|t| !t.assigned && t.read)
            .count();
        let apart = self
            .targets
            .iter()
            .all(|t| !self.wholes.contains_key(&t.array));
        // What nothing but the subscripts of the elements uses, the function does not need.
        let of_callees: BTreeSet<&String> = self.callees.iter().flat_map(|c| &c.numbers).collect();
        let in_targets = |at: usize| {
            self.targets
                .iter()
                .any(|t| t.uses.iter().any(|u| u.contains(&at)))
        };
        let used: BTreeSet<&str> = (self.tokens.clone())
            .filter(|&at| is_name(code, at) && !in_targets(at))
            .map(|at| code.word(at))
            .collect();
        let own = &self.own;
        self.numbers.retain(|name, _| {
            of_callees.contains(name) || used.contains(name.as_str()) && !own.contains_key(name)
        });
        (!self.targets.is_empty() && n_old <= 1 && apart).then_some(())
    }

    /// Arrays that are handed over to functions.
    fn bare_names(&self, uses: &[Use]) -> Vec<String> {
        let used = |at: usize| uses.iter().any(|(_, r)| r.start == at);
        let bare = (self.tokens.clone()).filter(|&at| is_name(self.code, at) && !used(at));
        bare.map(|at| self.code.word(at).to_string())
            .filter(|name| self.wholes.contains_key(name))
            .collect()
    }

    /// The elements whose values before a function takes: its own, and the one that it may read.
    pub(super) fn olds(&self, index: usize) -> Vec<&Target> {
        let is_old = |(i, t): &(usize, &Target)| !t.assigned && (t.read || *i == index);
        (self.targets.iter().enumerate())
            .filter(is_old)
            .map(|(_, t)| t)
            .collect()
    }

    /// Whether subscripts of what is written are made of what the body does not change, and what is
    /// the cell's own of the function around, is nobody else's.
    fn subscripts_stay(&self) -> bool {
        let code = self.code;
        let unchanged = |at: usize| {
            let outer = self.declarator(at).is_some_and(|(_, own)| !own);
            let constant = self.declarator(at).is_none();
            constant
                || outer
                    && !self.own.contains_key(code.word(at))
                    && !self.own_arrays.contains_key(code.word(at))
                    && !self.wholes_and_targets(code.word(at))
        };
        let stays = self.targets.iter().all(|t| {
            t.uses.first().is_some_and(|u| {
                (u.start + 1..u.end)
                    .filter(|&at| is_name(code, at))
                    .all(unchanged)
            })
        });
        let apart = |name: &String| !self.own.contains_key(name);
        stays
            && self.numbers.keys().all(apart)
            && self
                .own
                .keys()
                .all(|name| self.is_own(name) && !self.numbers_in_header(name))
    }

    fn wholes_and_targets(&self, name: &str) -> bool {
        self.wholes.contains_key(name) || self.targets.iter().any(|t| t.array == name)
    }

    fn numbers_in_header(&self, name: &str) -> bool {
        let header = self.region.start..self.tokens.start;
        header
            .into_iter()
            .any(|at| is_name(self.code, at) && self.code.word(at) == name)
    }
}

/// Whether a token is a name by itself, no member.
pub(super) fn is_name(code: &Code, at: usize) -> bool {
    code.is_plain_name(at) && !matches!(code.word(at.wrapping_sub(1)), "." | "->")
}

/// Whether something is converted to a pointer, which hides what it points to.
pub(super) fn has_pointer_cast(code: &Code, tokens: Range<usize>) -> bool {
    tokens
        .into_iter()
        .any(|at| code.word(at) == "*" && code.word(at + 1) == ")")
}

/// What macros stand for, with what those in them do.
fn macros_of(texts: &[&str]) -> BTreeMap<String, BTreeSet<String>> {
    let mut all: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for text in texts {
        for (name, words) in macros(&Code::new(text)) {
            let words = words.into_iter().map(str::to_string);
            all.entry(name.to_string()).or_default().extend(words);
        }
    }
    all
}

fn is_enumerator(code: &Code, name: &str) -> bool {
    (0..code.tokens.len())
        .filter(|&at| code.word(at) == "enum")
        .any(|at| {
            let open = [at + 1, at + 2]
                .into_iter()
                .find(|&open| code.opens(open, "{"));
            open.is_some_and(|open| {
                (open..code.skip(open)).any(|at| code.word(at) == name) || code.word(at + 1) == name
            })
        })
}
