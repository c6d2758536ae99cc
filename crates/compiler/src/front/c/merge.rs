//! Whether files of a program can be one text, one after the other, that means what they mean together.

use super::units::{Unit, World, words};
use crate::csource;
use std::collections::BTreeSet;

/// Headers that mean the same wherever they are included.
const HARMLESS: &str = "assert ctype errno fcntl float inttypes limits locale malloc math omp signal stdarg \
    stdbool stddef stdint stdio stdlib string strings sys/stat sys/time sys/times sys/types time unistd wchar";

/// Why files cannot be one text; nothing where they can.
///
/// # Errors
/// The reason, in words that follow "they cannot be one text: ".
pub fn can_be_one(units: &[Unit]) -> Result<(), String> {
    let files: Vec<File> = units.iter().map(File::new).collect();
    for file in &files {
        file.stands_anywhere()?;
    }
    for (index, later) in files.iter().enumerate() {
        for before in &files[..index] {
            agree(before, later)?;
        }
    }
    Ok(())
}

/// A file, and what decides whether others can stand beside it.
struct File<'a> {
    world: World<'a>,
    /// All names in it and its headers.
    words: BTreeSet<&'a str>,
    /// Variables that it defines at file scope.
    defined: BTreeSet<String>,
    /// What it and its headers declare there, and functions that it calls.
    declared: BTreeSet<String>,
    /// Those and functions that other files do not see.
    hidden: BTreeSet<String>,
    /// Its own text.
    text: &'a str,
    /// Headers of the system, by name.
    system: BTreeSet<&'a str>,
}

impl<'a> File<'a> {
    fn new(unit: &Unit<'a>) -> File<'a> {
        let world = World::new(unit);
        let texts = || std::iter::once(unit.text).chain(unit.headers.iter().map(String::as_str));
        let directives = || texts().flat_map(csource::directives);
        let names = texts().flat_map(words);
        let in_directives = directives().flat_map(|d| words(d.trim_start_matches('#')));
        let (defined, _) = csource::variables_of_file(unit.text);
        let variables = texts().flat_map(|text| csource::variables_of_file(text).1);
        let called = world.called();
        let functions = world.declared.union(&called);
        let functions: Vec<String> = functions.map(ToString::to_string).collect();
        let is_hidden = |name: &String| {
            let mut items = world.items.iter();
            items.any(|i| i.words.contains("static") && i.words.contains(name.as_str()))
        };
        let hidden_variables = defined.iter().filter(|name| is_hidden(name)).cloned();
        let hidden_functions = world.hidden.iter().map(ToString::to_string);
        let hidden = hidden_variables.chain(hidden_functions).collect();
        let system = directives().filter_map(|d| {
            let name = d
                .trim_start_matches('#')
                .trim_start()
                .strip_prefix("include")?;
            name.trim().strip_prefix('<')?.split('>').next()
        });
        File {
            words: names.chain(in_directives).collect(),
            system: system.collect(),
            text: unit.text,
            world,
            declared: variables.chain(functions).collect(),
            defined,
            hidden,
        }
    }

    /// Whether the text means the same behind another one.
    fn stands_anywhere(&self) -> Result<(), String> {
        let path = self.world.path;
        let told_apart = [
            "__FILE__",
            "__LINE__",
            "__COUNTER__",
            "__BASE_FILE__",
            "__INCLUDE_LEVEL__",
        ];
        if let Some(word) = told_apart.iter().find(|word| self.words.contains(**word)) {
            return Err(format!("`{path}` uses `{word}`"));
        }
        let mut directives = csource::directives(self.text).into_iter();
        let lasts = |d: &&str| {
            let mut words = csource::directive_words(d);
            let kind = words.next().unwrap_or_default();
            let what = words.next().unwrap_or_default();
            let what = what.split('(').next().unwrap_or_default();
            kind == "line"
                || kind == "pragma"
                    && matches!(what, "pack" | "STDC" | "GCC" | "clang" | "push_macro")
        };
        if let Some(directive) = directives.find(lasts) {
            return Err(format!(
                "`{path}` has `#{}`",
                directive.trim_start_matches('#').trim()
            ));
        }
        let of_headers = self.world.items.iter().filter(|item| item.is_own);
        let mut own = of_headers.filter(|i| {
            !self
                .defined
                .iter()
                .any(|name| i.words.contains(name.as_str()))
        });
        match own.next() {
            Some(_) => Err(format!("a header of `{path}` declares a static variable")),
            None => Ok(()),
        }
    }
}

/// Whether a file can stand behind another one.
fn agree(before: &File, later: &File) -> Result<(), String> {
    let (a, b) = (&before.world, &later.world);
    let paths = format!("`{}` and `{}`", a.path, b.path);
    let is_special = |name: &&&str| name.starts_with('_') || **name == "NDEBUG";
    let matters = |name: &&&str| later.words.contains(**name);
    let of_both = || a.macros.keys().chain(b.macros.keys());
    let told = a.tested.iter().chain(&b.tested);
    let names = (a.macros.keys().filter(matters))
        .chain(
            of_both()
                .filter(is_special)
                .filter(|name| !is_guard(a, name) && !is_guard(b, name)),
        )
        .chain(told);
    for name in names {
        if a.macros.get(name) != b.macros.get(name) {
            return Err(format!("the macro `{name}` is not the same in {paths}"));
        }
        if a.macros.get(name).is_some_and(|all| all.len() > 1) {
            return Err(format!("the macro `{name}` has several definitions"));
        }
    }
    if a.included != b.included {
        return Err(format!("{paths} include different headers"));
    }
    let rest: Vec<&&str> = before.system.symmetric_difference(&later.system).collect();
    let is_harmless = |name: &str| {
        let name = name.trim_end_matches(".h");
        HARMLESS.split_whitespace().any(|known| known == name)
    };
    if let Some(name) = rest.iter().find(|name| !is_harmless(name)) {
        return Err(format!("only one of {paths} includes <{name}>"));
    }
    let mut functions = a.functions.iter().map(|f| f.name.as_str());
    let defined =
        |name: &str| later.defined.contains(name) || b.functions.iter().any(|f| f.name == name);
    if let Some(name) = functions.find(|name| defined(name)) {
        return Err(format!("{paths} both define `{name}`"));
    }
    if let Some(name) = before.defined.iter().find(|name| defined(name)) {
        return Err(format!("{paths} both define `{name}`"));
    }
    let of_later = before.hidden.intersection(&later.declared);
    let mut seen = of_later.chain(later.hidden.intersection(&before.declared));
    match seen.next() {
        Some(name) => Err(format!(
            "`{name}` is static in one of {paths}, and the other names it"
        )),
        None => Ok(()),
    }
}

/// Whether a macro is defined as nothing and tested nowhere but at the begin of a header.
fn is_guard(world: &World, name: &str) -> bool {
    if name.ends_with("_SOURCE") {
        return false;
    }
    let empty = |all: &BTreeSet<String>| all.len() == 1 && all.contains(&format!("define {name}"));
    world.macros.get(name).is_some_and(empty) && !world.tested.contains(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(main: &str, step: &str, header: &str) -> String {
        let headers = [header.to_string()];
        let unit = |path, text| Unit {
            path,
            text,
            headers: &headers,
        };
        let units = [unit("main.c", main), unit("step.c", step)];
        can_be_one(&units).err().unwrap_or_default()
    }

    #[test]
    fn files_that_mean_the_same_in_one_text() {
        let header = "#ifndef _H\n#define _H\ntypedef double real;\nvoid step(real *u);\nextern int n;\n#endif\n";
        let main = "#include <stdio.h>\n#define T 3\nint n = 4;\nint main(void) { return 0; }\n";
        let step = "static real k;\nvoid step(real *u) { int x = n; }\n";
        assert_eq!(said(main, step, header), "");
        for (main, step, why) in [
            ("#define k 2\n", step, "the macro `k` is not the same"),
            (
                "#define _GNU_SOURCE\n",
                step,
                "the macro `_GNU_SOURCE` is not the same",
            ),
            ("static int k;\n", step, "both define `k`"),
            ("extern int k;\n", step, "`k` is static in one of"),
            ("void f(void) { k(3); }", step, "`k` is static in one of"),
            (
                "int main(void) {}",
                "int main(void) {}",
                "both define `main`",
            ),
            ("#include <complex.h>\n", step, "only one of"),
            (main, "int l = __LINE__;\n", "uses `__LINE__`"),
            ("#pragma pack(1)\n", step, "has `#pragma pack(1)`"),
        ] {
            let found = said(main, step, header);
            assert!(found.contains(why), "{why}: {found}");
        }
        assert!(said(main, step, "static int m;\n").contains("declares a static variable"));
        assert!(said("#define F\n", step, "#ifdef F\n#endif\n").contains("the macro `F`"));
    }
}
