//! Headers of a program, which a C++ compiler reads with the translated file.

use super::system_include;
use crate::csource::{
    Code, Declared, Edit, TokenKind, directives, file_scope, is_type_word, names_for_cplusplus,
    places_of_quoted_includes,
};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Functions of CUDA that C has not: a declaration of another one is an error.
const OF_CUDA: [&str; 17] = [
    "cospi", "erfcx", "llmax", "llmin", "max", "min", "norm", "normcdf", "rcbrt", "rhypot",
    "rnorm", "rsqrt", "saturate", "sincos", "sinpi", "umax", "umin",
];

/// Headers that every system has.
const OF_C: [&str; 17] = [
    "<assert.h>",
    "<ctype.h>",
    "<errno.h>",
    "<fenv.h>",
    "<float.h>",
    "<inttypes.h>",
    "<limits.h>",
    "<locale.h>",
    "<math.h>",
    "<signal.h>",
    "<stdarg.h>",
    "<stdbool.h>",
    "<stddef.h>",
    "<stdint.h>",
    "<stdio.h>",
    "<stdlib.h>",
    "<string.h>",
];

/// What a C++ compiler reads otherwise in the headers of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeaderNames {
    /// Names, and what stands for them.
    pub renamed: BTreeMap<String, String>,
    /// Declarations of functions with such names, which keep their symbols.
    pub functions: Vec<String>,
    /// Headers of the system that they include, with brackets.
    pub system: Vec<String>,
}

impl HeaderNames {
    /// Whether there is nothing to say.
    pub fn is_empty(&self) -> bool {
        *self == HeaderNames::default()
    }

    /// Of headers, and of functions that the file `own` declares and others define.
    pub fn new(headers: &[String], own: &str) -> HeaderNames {
        let mut names = HeaderNames::default();
        for header in headers {
            names.renamed.extend(names_for_cplusplus(header));
        }
        let code = Code::new(own);
        let functions = file_scope(&code).functions;
        let is_static = |f: &Declared| (f.start..f.name).any(|at| code.word(at) == "static");
        let hidden: BTreeSet<&str> = (functions.iter().filter(|f| is_static(f)))
            .map(|f| code.word(f.name))
            .collect();
        for text in headers.iter().map(String::as_str).chain([own]) {
            names.declarations(text, &hidden);
        }
        let all = headers.iter().flat_map(|header| directives(header));
        let system: BTreeSet<&str> = all.filter_map(system_include).collect();
        names.system = system.iter().map(|name| format!("<{name}>")).collect();
        names
    }

    /// Adds the functions that a text declares with names of CUDA's.
    fn declarations(&mut self, text: &str, hidden: &BTreeSet<&str>) {
        let code = Code::new(text);
        let functions = file_scope(&code).functions;
        for f in functions.iter().filter(|f| f.body.is_none()) {
            let name = code.word(f.name);
            let new = format!("c_{name}");
            let Some(header) = plain_header(&code, f) else {
                continue;
            };
            if !OF_CUDA.contains(&name) || hidden.contains(name) {
                continue;
            }
            self.renamed.insert(name.to_string(), new.clone());
            let [before, after] = header;
            let line = format!("extern \"C\" {before} {new}{after} __asm__(\"{name}\");");
            let is_known = |known: &String| known.contains(&format!(" {new}("));
            if !self.functions.iter().any(is_known) {
                self.functions.push(line);
            }
        }
    }

    /// Gives names their stand-ins in the headers that a text includes.
    pub fn around_includes(&self, text: &str) -> Vec<Edit> {
        if self.renamed.is_empty() {
            return Vec::new();
        }
        let insert = |at: usize, replacement: String| Edit {
            range: at..at,
            replacement,
        };
        let defines: String = (self.renamed.iter())
            .map(|(name, new)| format!("#define {name} {new}\n"))
            .collect();
        let undefines: String = (self.renamed.keys())
            .map(|name| format!("\n#undef {name}"))
            .collect();
        let places = places_of_quoted_includes(text);
        let around = places.into_iter().flat_map(|(place, _)| {
            [
                insert(place.start, defines.clone()),
                insert(place.end, undefines.clone()),
            ]
        });
        around.collect()
    }

    /// What stands before the text of the program; `linked` where its headers have the linkage of C,
    /// which those of the system must not get from them.
    pub fn before(&self, linked: bool) -> String {
        let is_needed = linked || !self.renamed.is_empty();
        let system = self.system.iter().filter(|_| is_needed);
        // A program may include some on other systems only.
        let includes = system.map(|name| match OF_C.contains(&name.as_str()) {
            true => format!("#include {name}\n"),
            false => format!("#if __has_include({name})\n#include {name}\n#endif\n"),
        });
        let functions = self.functions.iter().map(|line| format!("{line}\n"));
        includes.chain(functions).collect()
    }
}

/// What stands before and behind the name in the declaration of a function that uses no types of the
/// program.
fn plain_header(code: &Code, f: &Declared) -> Option<[String; 2]> {
    let is_specifier = |at: usize| matches!(code.word(at), "extern" | "inline");
    let before: Vec<usize> = (f.start..f.name).filter(|&at| !is_specifier(at)).collect();
    let params = f.params + 1..code.skip(f.params) - 1;
    let is_plain = |at: usize| {
        let is_name = code.tokens[at].kind == TokenKind::Ident && !is_type_word(code.word(at));
        !is_name || code.word(at) == "const"
    };
    let parts = code.split_commas(params.clone());
    let named = |part: &std::ops::Range<usize>| code.declared_name(part.clone(), true);
    let names: BTreeSet<usize> = parts.iter().filter_map(named).collect();
    let is_known = |at: usize| is_plain(at) || names.contains(&at);
    if before.is_empty() || !before.iter().all(|&at| is_plain(at)) || !params.clone().all(is_known)
    {
        return None;
    }
    let after = f.params..code.skip(f.params);
    Some([code.render(before), code.render(after)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::csource::apply_edits;

    const HEADER: &str =
        "#include <stdlib.h>\nint min(int a, int b);\nstruct plane { double *new; };\n";

    #[test]
    fn names_of_headers_get_stand_ins_around_them() {
        let own = "#include \"plane.h\"\ndouble max(const double *values, int n);\n";
        let names = HeaderNames::new(&[HEADER.to_string()], own);
        let renamed: Vec<&str> = names.renamed.keys().map(String::as_str).collect();
        assert_eq!(renamed, ["max", "min", "new"]);
        assert_eq!(
            names.before(false),
            "#include <stdlib.h>\nextern \"C\" int c_min(int a, int b) __asm__(\"min\");\n\
             extern \"C\" double c_max(const double *values, int n) __asm__(\"max\");\n"
        );
        let new = apply_edits(own, names.around_includes(own)).expect("no overlaps");
        let defines = "#define max c_max\n#define min c_min\n#define new c_new\n";
        assert!(
            new.starts_with(&format!("{defines}#include \"plane.h\"\n#undef max\n")),
            "{new}"
        );
    }

    #[test]
    fn other_headers_stay_as_they_are() {
        let header = "double total(int n);\nint old;\n".to_string();
        let names = HeaderNames::new(&[header], "static int min(int a);\nint max(struct s a);\n");
        assert_eq!(names, HeaderNames::default());
    }
}
