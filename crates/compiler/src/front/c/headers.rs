//! Declarations in place of headers of the C library.
//!
//! Reading `<stdio.h>` and three others takes clang longer than most regions take pet, and a region
//! rarely needs more of them than the declarations of three functions.

use crate::csource;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// By header, the names that it declares; `scripts/header-names` makes it.
static NAMES: LazyLock<BTreeMap<&str, BTreeSet<&str>>> = LazyLock::new(|| {
    let paragraphs = include_str!("headers.txt").split("\n\n");
    let named = paragraphs.filter_map(|paragraph| paragraph.trim().split_once(':'));
    named
        .map(|(header, names)| (header, names.split_whitespace().collect()))
        .collect()
});

/// Headers that are read as they are and include none of these: clang's own, and small ones.
const SMALL: [&str; 9] = [
    "complex.h",
    "fenv.h",
    "float.h",
    "inttypes.h",
    "limits.h",
    "stdarg.h",
    "stdbool.h",
    "stddef.h",
    "stdint.h",
];

/// By structure, the macro that says that a header of the C library has defined it.
const DEFINED: [(&str, &str); 3] = [
    ("timespec", "_STRUCT_TIMESPEC"),
    ("timeval", "__timeval_defined"),
    ("tm", "__struct_tm_defined"),
];

/// By name, its declaration, as the headers have it; nothing for members of structures.
static DECLARATIONS: LazyLock<BTreeMap<String, String>> = LazyLock::new(|| {
    let lines = include_str!("declarations.txt").lines();
    let mut all = BTreeMap::new();
    for (name, rest) in lines.filter_map(|line| line.split_once(": ")) {
        if !name.starts_with('(') {
            all.insert(name.to_string(), rest.to_string());
            continue;
        }
        for word in rest.split_whitespace() {
            if name == "(members)" {
                all.insert(word.to_string(), String::new());
                continue;
            }
            for (real, suffix) in [("double", ""), ("float", "f"), ("long double", "l")] {
                let function = format!("{word}{suffix}");
                let parameters = name.replace("REAL", real);
                let declaration = format!("{real} {function}{parameters};");
                all.insert(function, declaration);
            }
        }
    }
    all
});

/// Files in place of headers of the C library.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Light {
    /// The name of each and what is in it.
    pub files: Vec<(String, String)>,
    /// No other header of the system is read.
    pub is_all: bool,
}

/// Files with the declarations that a text, with the user's headers, uses of headers of the C library,
/// to be included in place of these. Headers stay that have something else that it uses; all do
/// where others may include them. `None` where nothing changes.
pub fn light(text: &str, headers: &[String]) -> Option<Light> {
    let texts = || std::iter::once(text).chain(headers.iter().map(String::as_str));
    let included: BTreeSet<String> = texts().flat_map(of_system).collect();
    let included = included.iter().map(String::as_str);
    let (of_library, others): (Vec<&str>, Vec<&str>) =
        included.partition(|header| NAMES.contains_key(header));
    if !others.iter().all(|header| SMALL.contains(header)) {
        return None;
    }
    let used: BTreeSet<&str> = texts().flat_map(csource::words).collect();
    let file = |&header: &&str| {
        let names = NAMES.get(header)?;
        let needed: Vec<&str> = used.intersection(names).copied().collect();
        let all = needed.iter().all(|name| DECLARATIONS.contains_key(*name));
        all.then(|| (header.to_string(), file_of(&needed)))
    };
    let files: Vec<(String, String)> = of_library.iter().filter_map(file).collect();
    (!files.is_empty()).then_some(Light {
        is_all: others.is_empty() && files.len() == of_library.len(),
        files,
    })
}

/// A header with declarations of names.
fn file_of(names: &[&str]) -> String {
    "#pragma once\n".to_string() + &declared(names, &mut BTreeSet::new())
}

/// Declarations of names, each behind those of what is in it, but for those that are known.
fn declared<'a>(names: &[&'a str], known: &mut BTreeSet<&'a str>) -> String {
    let mut all = String::new();
    for &name in names {
        let declaration = DECLARATIONS.get(name).filter(|text| !text.is_empty());
        let Some(declaration) = declaration.filter(|_| known.insert(name)) else {
            continue;
        };
        let words: Vec<&str> = csource::words(declaration).into_iter().collect();
        all += &declared(&words, known);
        let guard = DEFINED.iter().find(|(structure, _)| *structure == name);
        all += &match guard {
            Some((_, defined)) => {
                format!("#ifndef {defined}\n#define {defined} 1\n{declaration}\n#endif\n")
            }
            None => format!("{declaration}\n"),
        };
    }
    all
}

/// The headers that a text includes in angle brackets; or in quotes, where the C library has one of this name,
/// which is found where the user has no such file.
fn of_system(text: &str) -> Vec<String> {
    let directives = csource::directives(text).into_iter();
    let in_brackets = directives
        .filter_map(csource::system_include)
        .map(String::from);
    let quoted = csource::quoted_includes(text).into_iter();
    let in_quotes = quoted.filter(|name| NAMES.contains_key(name.as_str()));
    in_brackets.chain(in_quotes).collect()
}

/// Whether a text includes a header of the system.
pub fn includes_system(text: &str) -> bool {
    !of_system(text).is_empty()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn lightly(text: &str, headers: &[&str]) -> Option<Light> {
        let headers: Vec<String> = headers.iter().map(|h| h.to_string()).collect();
        light(text, &headers)
    }

    fn names(light: &Light) -> Vec<&str> {
        light.files.iter().map(|(name, _)| name.as_str()).collect()
    }

    #[test]
    fn what_is_used_is_declared_in_place_of_headers() {
        let text = "#include <stdio.h>\n# include <math.h>\n#include <stdint.h>\n#include \"own.h\"\n\
                    double f(double x) { return fabsf(x) * M_PI; } // printf\n";
        let plain = lightly(text, &[]).unwrap();
        let of_math = "#pragma once\n#define M_PI 3.14159265358979323846\nfloat fabsf(float);\n";
        let file = |name: &str, text: &str| (name.to_string(), text.to_string());
        assert_eq!(
            plain.files,
            [file("math.h", of_math), file("stdio.h", "#pragma once\n")]
        );
        assert!(!plain.is_all);
        let own = lightly(text, &["#include <stdlib.h>\nvoid save(FILE *to);\n"]).unwrap();
        assert_eq!(names(&own), ["math.h", "stdio.h", "stdlib.h"]);
        let of_io = "#pragma once\ntypedef struct _IO_FILE FILE;\n";
        assert_eq!(own.files[1].1, of_io);
        // What others include is not known.
        assert_eq!(lightly(text, &["#include <png.h>\n"]), None);
    }

    #[test]
    fn headers_stay_that_have_more() {
        let text = "#include <math.h>\nint f(double x) { return isnan(x); }\n";
        assert_eq!(lightly(text, &[]), None);
        let text = "#include <stdlib.h>\n#include <sys/time.h>\n#define GET(n) malloc(n)\n\
                    double f(struct timeval t) { return t.tv_sec; }";
        let light = lightly(text, &[]).unwrap();
        assert!(light.is_all);
        assert_eq!(names(&light), ["stdlib.h", "sys/time.h"]);
        let of_time = "#pragma once\n#ifndef __timeval_defined\n#define __timeval_defined 1\n";
        assert!(light.files[1].1.contains("__suseconds_t tv_usec;"));
        assert!(light.files[1].1.ends_with("};\n#endif\n"));
        assert!(
            light.files[0]
                .1
                .contains(of_time.trim_start_matches("#pragma once\n"))
        );
        assert!(light.files[0].1.contains("void *malloc(size_t);"));
        assert!(!includes_system("#include \"a.h\"\nint a<b>c;\n"));
    }

    /// Assertions that a structure is laid out as that of the headers.
    fn same_structure(name: &str, line: &str) -> String {
        let of_ours = line.replacen(&format!("struct {name}"), "struct hexcc_ours", 1);
        let of_ours = of_ours.replace("hexcc_ours", &format!("hexcc_{name}"));
        let mut text = format!(
            "{of_ours}\n_Static_assert(sizeof(struct hexcc_{name}) == sizeof(struct {name}), \"\");\n"
        );
        let members = line.split(';').filter_map(|m| m.rsplit([' ', '*']).next());
        for member in members.filter(|m| m.contains("_")) {
            let at = |of: &str| format!("__builtin_offsetof(struct {of}, {member})");
            let (ours, theirs) = (at(&format!("hexcc_{name}")), at(name));
            text += &format!("_Static_assert({ours} == {theirs}, \"\");\n");
        }
        text
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
                None if line.starts_with("struct") && line.contains('{') => {
                    text += &same_structure(name, line);
                }
                None => text += &format!("{line}\n"),
            }
            if name.starts_with("__") {
                continue;
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
