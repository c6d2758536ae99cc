//! Texts that are no stencils: what is said of each, and that nothing ends in a panic.

use hexcc_compiler::diag::Diagnostic;
use hexcc_isl::Ctx;
use std::fmt::Write;
use std::path::{Path, PathBuf};

fn folder(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The texts of a folder, by name.
fn texts(path: &str) -> Vec<(String, String)> {
    let files = std::fs::read_dir(folder(path)).expect("the folder can be listed");
    let mut texts: Vec<(String, String)> = files
        .map(|file| {
            let path = file.expect("the folder can be listed").path();
            let text = std::fs::read_to_string(&path).expect("a text");
            let name = path.file_stem().expect("a name").to_string_lossy();
            (name.into_owned(), text)
        })
        .collect();
    texts.sort();
    texts
}

/// What is wrong with a text; `None` for nothing.
fn wrong(text: &str) -> Option<Vec<Diagnostic>> {
    let ctx = Ctx::new().expect("memory for a context");
    hexcc_lang::read(&ctx, "s.st", text).err()
}

/// Messages with lines and columns.
fn rendered(text: &str, all: &[Diagnostic]) -> String {
    let mut out = String::new();
    for d in all {
        let _ = writeln!(out, "{}: {}", d.code, d.message);
        for label in &d.labels {
            let before = &text[..label.span.start];
            let line = before.matches('\n').count() + 1;
            let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
            let there: String = text[label.span.clone()].chars().take(40).collect();
            let mark = if label.primary { "at" } else { "also" };
            let _ = writeln!(out, "  {mark} {line}:{column} {there:?}: {}", label.text);
        }
        for note in &d.notes {
            let _ = writeln!(out, "  note: {note}");
        }
        for help in &d.help {
            let _ = writeln!(out, "  help: {help}");
        }
    }
    out
}

#[test]
fn texts_are_refused_with_places() {
    let texts = texts("tests/refused");
    assert!(texts.len() >= 40, "{}", texts.len());
    let mut out = String::new();
    for (name, text) in &texts {
        let all = wrong(text).unwrap_or_else(|| panic!("{name} is taken"));
        assert!(!all.is_empty(), "{name}: refused without a word");
        for d in &all {
            assert!(
                d.code.starts_with("HX07") && !d.labels.is_empty(),
                "{name}: {d:?}"
            );
        }
        let _ = writeln!(out, "== {name}\n{}", rendered(text, &all));
    }
    insta::assert_snapshot!(out);
}

/// Numbers that look random and are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        ((self.0 >> 33) % n.max(1) as u64) as usize
    }
}

/// Programs with words taken away, doubled, swapped or replaced by others: they are taken or refused with a place.
#[test]
fn mutants_do_not_panic() {
    let texts = texts("../../testsuite/st");
    let mut random = Random(1);
    let mut n_refused = 0;
    for n in 0..400 {
        let (name, text) = &texts[n % texts.len()];
        let mut words: Vec<&str> = text
            .split_inclusive(|c: char| !c.is_alphanumeric())
            .collect();
        for _ in 0..=random.below(3) {
            let (a, b) = (random.below(words.len()), random.below(words.len()));
            match random.below(5) {
                0 => drop(words.remove(a)),
                1 => words.insert(a, words[b]),
                2 => words.swap(a, b),
                3 => words[a] = ["[", "}", ";", "-", "0..", "let ", "u", "9", ")"][random.below(9)],
                _ => words.truncate(a.max(1)),
            }
        }
        let mutant = words.concat();
        let Some(all) = wrong(&mutant) else {
            continue;
        };
        n_refused += 1;
        for d in &all {
            assert!(
                d.code.starts_with("HX07") && !d.labels.is_empty(),
                "{name}: {d:?}\n{mutant}"
            );
            rendered(&mutant, &all);
        }
    }
    assert!((100..400).contains(&n_refused), "{n_refused}");
}
