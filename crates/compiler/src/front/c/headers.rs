//! Declarations in place of headers of the C library.
//!
//! Reading `<stdio.h>` and three others takes clang longer than most regions take pet, and a region
//! rarely needs more of them than the declarations of three functions.

use super::reduce::Reduced;
use crate::csource::{self, Code, Edit, TokenKind};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Range;
use std::sync::LazyLock;

/// By header, the names that it declares; `scripts/header-names` makes it.
static NAMES: LazyLock<BTreeMap<&str, HashSet<&str>>> = LazyLock::new(|| {
    let paragraphs = include_str!("headers.txt").split("\n\n");
    let named = paragraphs.filter_map(|paragraph| paragraph.trim().split_once(':'));
    named
        .map(|(header, names)| (header, names.split_whitespace().collect()))
        .collect()
});

/// By name, its declaration, as the headers have it.
static DECLARATIONS: LazyLock<BTreeMap<String, String>> = LazyLock::new(|| {
    let lines = include_str!("declarations.txt").lines();
    let mut all = BTreeMap::new();
    for (name, rest) in lines.filter_map(|line| line.split_once(": ")) {
        if !name.starts_with('(') {
            all.insert(name.to_string(), rest.to_string());
            continue;
        }
        for function in rest.split_whitespace() {
            for (real, suffix) in [("double", ""), ("float", "f"), ("long double", "l")] {
                let function = format!("{function}{suffix}");
                let parameters = name.replace("REAL", real);
                let declaration = format!("{real} {function}{parameters};");
                all.insert(function, declaration);
            }
        }
    }
    all
});

/// A text that is read without headers.
pub struct Light {
    /// The text, with the same lines.
    pub text: Reduced,
    /// Macros that it is to be read with, as `NAME=VALUE`.
    pub defines: Vec<String>,
}

/// A text with the declarations that it uses in place of headers of the C library. Those stay that
/// have something else that it uses; all do where one of the user's `headers` may include them, too.
/// `None` where nothing changes.
pub fn without_headers(reduced: &Reduced, headers: &[String]) -> Option<Light> {
    let text = &reduced.text;
    let code = Code::new(text);
    let includes = code.all.iter().filter_map(|token| {
        let is_directive = token.kind == TokenKind::Directive;
        let header = csource::system_include(&text[token.span.clone()]).filter(|_| is_directive)?;
        Some((token.span.clone(), NAMES.get(header)?))
    });
    let includes: Vec<(Range<usize>, &HashSet<&str>)> = includes.collect();
    if includes.is_empty() || headers.iter().any(|header| includes_system(header)) {
        return None;
    }
    let texts = std::iter::once(text).chain(headers);
    let used: BTreeSet<&str> = texts.flat_map(|text| csource::words(text)).collect();
    let mut known = Known::default();
    let edits = includes.into_iter().filter_map(|(range, names)| {
        let needed: Vec<&str> = (used.iter().copied())
            .filter(|word| names.contains(word))
            .collect();
        let all = needed.iter().all(|name| DECLARATIONS.contains_key(*name));
        all.then(|| Edit {
            range,
            replacement: known.declared(&needed),
        })
    });
    let edits: Vec<Edit> = edits.collect();
    (!edits.is_empty()).then(|| Light {
        text: Reduced::edited(text, &edits).made_of(reduced),
        defines: known.defines,
    })
}

/// What has been declared so far.
#[derive(Default)]
struct Known<'a> {
    names: BTreeSet<&'a str>,
    defines: Vec<String>,
}

impl<'a> Known<'a> {
    /// Declarations of names, each behind those of the types in it, in one line.
    fn declared(&mut self, names: &[&'a str]) -> String {
        let mut all = String::new();
        for &name in names {
            let Some(declaration) = DECLARATIONS.get(name).filter(|_| self.names.insert(name))
            else {
                continue;
            };
            let words: Vec<&str> = csource::words(declaration).into_iter().collect();
            all += &self.declared(&words);
            match declaration.strip_prefix("#define ") {
                Some(macro_of) => self.defines.push(macro_of.replacen(' ', "=", 1)),
                None => all += declaration,
            }
        }
        all
    }
}

/// Whether a text includes a header in angle brackets.
pub fn includes_system(text: &str) -> bool {
    let mut directives = csource::directives(text).into_iter();
    directives.any(|directive| csource::system_include(directive).is_some())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn without(text: &str, headers: &[&str]) -> Option<(String, Vec<String>)> {
        let headers: Vec<String> = headers.iter().map(|h| h.to_string()).collect();
        let light = without_headers(&Reduced::unchanged(text), &headers)?;
        Some((light.text.text, light.defines))
    }

    #[test]
    fn what_is_used_is_declared_in_place_of_headers() {
        let text = "#include <stdio.h>\n# include <math.h>\n#include <stdint.h>\n#include \"own.h\"\n\
                    double f(double x) { return fabsf(x) * M_PI; } // printf\n";
        let expected = "\nfloat fabsf(float);\n#include <stdint.h>\n#include \"own.h\"\n\
                        double f(double x) { return fabsf(x) * M_PI; } // printf\n";
        let (light, defines) = without(text, &[]).unwrap();
        assert_eq!(light, expected);
        assert_eq!(defines, ["M_PI=3.14159265358979323846"]);
        let (own, _) = without(text, &["void save(FILE *to);\n"]).unwrap();
        assert!(
            own.starts_with("typedef struct _IO_FILE FILE;\nfloat"),
            "{own}"
        );
        assert_eq!(without(text, &["#include <stdio.h>\n"]), None);
    }

    #[test]
    fn headers_stay_that_have_more() {
        let text = "#include <math.h>\nint f(double x) { return isnan(x); }\n";
        assert_eq!(without(text, &[]), None);
        let text =
            "#include <stdlib.h>\n#include <stdio.h>\n#define GET(n) malloc(n)\nint c = EOF;\n";
        let expected = "typedef __SIZE_TYPE__ size_t;void *malloc(size_t);\n\n\
                        #define GET(n) malloc(n)\nint c = EOF;\n";
        let (light, defines) = without(text, &[]).unwrap();
        assert_eq!(light, expected);
        assert_eq!(defines, ["EOF=(-1)"]);
        assert!(!includes_system("#include \"a.h\"\nint a<b>c;\n"));
    }

    /// gcc sees both: a function of another type or a macro of another value is an error.
    #[test]
    fn the_headers_say_the_same() {
        let mut text = String::from("#define _GNU_SOURCE\n");
        for header in NAMES.keys() {
            text += &format!("#include <{header}>\n");
        }
        for (name, line) in DECLARATIONS.iter() {
            match line.strip_prefix(&format!("#define {name} ")) {
                Some(value) => text += &format!("_Static_assert(({name}) == ({value}), \"\");\n"),
                None => text += &format!("{line}\n"),
            }
            let known = NAMES.values().any(|names| names.contains(name.as_str()));
            assert!(known, "{name}");
        }
        let mut gcc = std::process::Command::new("gcc")
            .args(["-std=gnu11", "-fsyntax-only", "-x", "c", "-"])
            .stdin(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = gcc.stdin.take().unwrap();
        std::io::Write::write_all(&mut input, text.as_bytes()).unwrap();
        drop(input);
        let gcc = gcc.wait_with_output().unwrap();
        assert!(
            gcc.status.success(),
            "{}",
            String::from_utf8_lossy(&gcc.stderr)
        );
    }
}
