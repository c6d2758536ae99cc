//! Identifiers of generated code.

use crate::csource;
use crate::interface::Interface;
use crate::kernel::Stencil;
use crate::quotient::QUOTIENT;
use std::collections::{BTreeMap, BTreeSet};

/// C++ and CUDA keywords and macros that no generated variable may be called.
const RESERVED: &[&str] = &[
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "asm",
    "auto",
    "bitand",
    "bitor",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "class",
    "char16_t",
    "char32_t",
    "char8_t",
    "compl",
    "concept",
    "const",
    "const_cast",
    "consteval",
    "constexpr",
    "constinit",
    "continue",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "dynamic_cast",
    "else",
    "enum",
    "explicit",
    "export",
    "extern",
    "false",
    "float",
    "for",
    "friend",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "private",
    "protected",
    "public",
    "register",
    "reinterpret_cast",
    "requires",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "static_assert",
    "static_cast",
    "struct",
    "switch",
    "template",
    "this",
    "thread_local",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "union",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "wchar_t",
    "while",
    "xor",
    "xor_eq",
    "threadIdx",
    "blockIdx",
    "blockDim",
    "gridDim",
    "warpSize",
    "NULL",
    "errno",
    "size_t",
    "int8_t",
    "uint8_t",
    "fprintf",
    "fopen",
    "fclose",
    "stderr",
    "exit",
    "getenv",
    "FILE",
    "INT_MAX",
    "EXIT_FAILURE",
];

/// Words that printers join with names of the program to make their own, such as `A_pitch`,
/// `s_A` and `i_lo`.
const WORDS: &[&str] = &[
    "W", "after", "at", "bytes", "cells", "depth", "device", "differ", "entered", "fetch", "first",
    "found", "from", "height", "here", "hi", "in", "keep", "kept", "last", "late", "level", "lo",
    "load", "mine", "n", "next", "offset", "old", "out", "part", "pitch", "place", "pointers", "r",
    "ring", "rows", "s", "size", "skew", "slot", "step", "store", "tile", "tiles", "to", "type",
    "width",
];

/// Hands out identifiers that clash neither with each other nor with the
/// target language.
#[derive(Clone)]
pub struct Names {
    taken: BTreeSet<String>,
    renamed: BTreeMap<String, String>,
    /// What the names of functions of integers begin with.
    helpers: &'static str,
}

impl Names {
    /// A namer that also avoids the fixed names of the printer.
    pub fn new(fixed: &[&str]) -> Names {
        Names {
            taken: (RESERVED.iter().chain(fixed))
                .map(ToString::to_string)
                .collect(),
            renamed: BTreeMap::new(),
            helpers: "",
        }
    }

    /// The names of the program itself, for text that becomes part of it.
    pub fn plain() -> Names {
        Names {
            taken: BTreeSet::new(),
            renamed: BTreeMap::new(),
            helpers: "",
        }
    }

    /// Gives a name of the program another identifier.
    pub fn rename(&mut self, name: &str, identifier: &str) {
        self.renamed
            .insert(name.to_string(), identifier.to_string());
    }

    /// The same where functions of integers have names that begin so.
    pub fn with_helpers(self, helpers: &'static str) -> Names {
        Names { helpers, ..self }
    }

    /// What a function of integers is called.
    pub fn helper(&self, name: &str) -> String {
        format!("{}{name}", self.helpers)
    }

    /// The names of the program in which members of structs are what they stand for.
    pub fn with_members(&self, interface: &Interface) -> Names {
        let mut names = self.clone();
        for member in &interface.members {
            let value: String = (csource::tokenize(&member.value).into_iter())
                .filter_map(|token| member.value.get(token.span))
                .map(|word| self.renamed.get(word).map_or(word, String::as_str))
                .collect();
            names.rename(&member.name, &value);
        }
        for array in interface.cells.iter().flat_map(|cell| &cell.unsized_arrays) {
            let all = [&array.array].into_iter().chain(&array.written);
            let all: Vec<String> = all.map(|name| self.get(name)).collect();
            names.rename(
                &array.size,
                &format!("hexcc_memory::elements({})", all.join(", ")),
            );
        }
        names
    }

    /// A namer with the parameters, arrays and scalars of a stencil named, none like a name that
    /// a printer makes out of another.
    pub fn of_stencil(fixed: &[&str], stencil: &Stencil) -> Names {
        let dims: Vec<&str> = stencil.dims.iter().map(String::as_str).collect();
        let stmts: Vec<&str> = stencil.stmts.iter().map(|s| s.name.as_str()).collect();
        Names::of_interface(fixed, stencil, (&dims, &stmts))
    }

    /// The same where only an interface is known, and what else names are made of.
    pub fn of_interface(
        fixed: &[&str],
        interface: &Interface,
        (dims, stmts): (&[&str], &[&str]),
    ) -> Names {
        let mut names = Names::new(fixed);
        let all: Vec<&str> = (interface.params.iter())
            .chain(interface.arrays.iter().map(|a| &a.name))
            .chain(interface.scalars.iter().map(|(name, _)| name))
            .map(String::as_str)
            .collect();
        let bases: Vec<&str> = (all.iter().chain(dims).chain(stmts)).copied().collect();
        for name in all.iter().chain(dims).copied() {
            if is_derived(name, &bases) || is_of_cuda(name) {
                names.taken.insert(name.to_string());
            }
        }
        // Logical time has `u_lo` and `u_hi`.
        if bases[all.len()..].contains(&"u") {
            names.taken.insert("u".to_string());
        }
        for name in all {
            // An underscore alone may be what a printer gives a dimension.
            if is_derived(name, &bases) && !names.renamed.contains_key(name) {
                let own = names.fresh(&format!("{name}_own"));
                names.rename(name, &own);
            }
            names.user(name);
        }
        names
    }

    /// An unused identifier, `wanted` where possible; otherwise the same with an underscore, or a number.
    pub fn fresh(&mut self, wanted: &str) -> String {
        let numbered = (3..).map(|n| format!("{wanted}_v{n}"));
        let names = [wanted.to_string(), format!("{wanted}_")].into_iter();
        let mut free = names
            .chain(numbered)
            .filter(|name| !self.taken.contains(name));
        let name = free.next().unwrap_or_default();
        self.taken.insert(name.clone());
        name
    }

    /// The identifier for a name of the source program; the same each time.
    pub fn user(&mut self, name: &str) -> String {
        if let Some(known) = self.renamed.get(name) {
            return known.clone();
        }
        let wanted = match name.starts_with(QUOTIENT) {
            true => format!("own_{name}"),
            false => name.to_string(),
        };
        let fresh = self.fresh(&wanted);
        self.renamed.insert(name.to_string(), fresh.clone());
        fresh
    }

    /// The identifier chosen for a source name, or the name itself.
    pub fn get(&self, name: &str) -> String {
        self.renamed
            .get(name)
            .cloned()
            .unwrap_or_else(|| name.to_string())
    }
}

/// Whether a printer could make the name out of one of `bases`.
fn is_derived(name: &str, bases: &[&str]) -> bool {
    let is_added = |part: &str| {
        WORDS.contains(&part.trim_end_matches(|c: char| c.is_ascii_digit()))
            || bases.contains(&part)
            || part
                .trim_start_matches('n')
                .bytes()
                .all(|b| b.is_ascii_digit())
    };
    bases.iter().any(|base| {
        let before = (name.strip_suffix(base)).and_then(|rest| rest.strip_suffix('_'));
        let after = (name.strip_prefix(base)).and_then(|rest| rest.strip_prefix('_'));
        [before, after]
            .into_iter()
            .flatten()
            .any(|added| added.split('_').all(is_added))
    })
}

/// Whether the headers of CUDA may declare the name.
fn is_of_cuda(name: &str) -> bool {
    name.starts_with("cuda") || name.starts_with("__") || csource::is_cuda_type(name)
}

/// Names and types of parameters and scalars, as `Args` has them.
pub fn values(stencil: &Stencil, names: &Names) -> Vec<(String, String)> {
    let params = stencil.params.iter().map(|p| (p, "long long".to_string()));
    let scalars = stencil.scalars.iter().map(|(s, ty)| (s, ty.to_string()));
    (params.chain(scalars))
        .map(|(name, ty)| (names.get(name), ty))
        .collect()
}

/// Declarations of the parameters and scalars that `text` mentions, from `Args`.
pub fn declarations(stencil: &Stencil, names: &Names, text: &str) -> Vec<String> {
    let mut wanted = values(stencil, names);
    wanted.retain(|(name, _)| mentions(text, name));
    by_type(&wanted)
        .iter()
        .map(|(ty, names)| {
            let values: Vec<String> = names.iter().map(|n| format!("{n} = args.{n}")).collect();
            format!("const {ty} {};", values.join(", "))
        })
        .collect()
}

/// Neighbours of one type, for one declaration.
pub fn by_type(names: &[(String, String)]) -> Vec<(&str, Vec<&str>)> {
    (names.chunk_by(|a, b| a.1 == b.1))
        .map(|group| {
            let names = group.iter().map(|(name, _)| name.as_str()).collect();
            (group[0].1.as_str(), names)
        })
        .collect()
}

/// Whether `name` occurs in `text` as a whole identifier.
pub fn mentions(text: &str, name: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + name.len()..].chars().next();
        !before.is_some_and(is_word) && !after.is_some_and(is_word) && before != Some('.')
    })
}

/// Generated text without its comments, whose words are no names.
pub fn without_comments(text: &str) -> String {
    let code = |line: &str| {
        line.split_once("//")
            .map_or(line, |(code, _)| code)
            .to_string()
    };
    text.lines().map(code).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clashes_are_resolved() {
        let mut names = Names::new(&["tile"]);
        assert_eq!(names.user("tile"), "tile_");
        assert_eq!(names.user("tile"), "tile_");
        assert_eq!(names.fresh("tile_"), "tile__");
        assert_eq!(names.user("class"), "class_");
    }

    #[test]
    fn names_made_of_others_are_told() {
        let bases = ["A", "i", "S_0"];
        for name in [
            "A_pitch",
            "i_lo",
            "s_A",
            "A_0",
            "A_n1",
            "S_0_keep_lo_i",
            "W_i",
            "A_",
            "i_step0",
        ] {
            assert!(is_derived(name, &bases), "{name}");
        }
        for name in ["A", "Ai", "i0", "A_old_value", "B_pitch", "A_steps"] {
            assert!(!is_derived(name, &bases), "{name}");
        }
    }

    #[test]
    fn whole_identifiers_only() {
        assert!(mentions("i0 + N", "N"));
        assert!(!mentions("i0 + NN", "N"));
        assert!(!mentions("args.N", "N"));
    }
}
