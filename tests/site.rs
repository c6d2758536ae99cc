//! The pages of docs/site: what they show can be done and comes out, links and pictures lead somewhere, and text
//! is short. scripts/docs makes a site of them, in the order of mkdocs.yml.

mod common;

use common::documents::{self, anchors, blocks, follow, links, prose, sentences};
use common::{assert_none, hexcc, in_parallel, output, root, succeed};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Words of a page, and of a sentence.
const MOST_WORDS: usize = 1500;
const MOST_OF_SENTENCE: usize = 25;

/// Terms of the glossary.
const MOST_TERMS: usize = 12;

/// Pages that scripts/docs makes, beside one for each code.
const REFERENCES: [&str; 5] = ["translate", "run", "explain", "tune", "bench"];

fn folder() -> PathBuf {
    root().join("docs/site")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The files below a folder whose names end so.
fn files(folder: &Path, ending: &str, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the folder can be listed") {
        let path = entry.expect("the folder can be listed").path();
        match path.is_dir() {
            true => files(&path, ending, found),
            false if path.to_string_lossy().ends_with(ending) => found.push(path),
            false => {}
        }
    }
    found.sort();
}

/// The pages, with their names in the repository.
fn pages() -> Vec<(String, PathBuf)> {
    let mut found = Vec::new();
    files(&folder(), ".md", &mut found);
    let name = |path: &PathBuf| {
        path.strip_prefix(root())
            .expect("in the repository")
            .display()
            .to_string()
    };
    found
        .iter()
        .map(|path| (name(path), path.clone()))
        .collect()
}

/// Documents beside the site, which link to it.
fn other_documents() -> Vec<(String, PathBuf)> {
    let notes = fs::read_dir(root().join("docs")).expect("the folder can be listed");
    let notes = notes.map(|entry| entry.expect("the folder can be listed").path());
    let mut found: Vec<PathBuf> = notes
        .filter(|p| p.extension().is_some_and(|e| e == "md"))
        .collect();
    files(&root().join("docs/notes"), ".md", &mut found);
    files(&root().join("bench"), ".md", &mut found);
    found.extend(["README.md", "CHANGELOG.md", "examples/README.md"].map(|name| root().join(name)));
    let name = |path: PathBuf| (path.display().to_string(), path);
    found.into_iter().map(name).collect()
}

/// The text of the notebooks of examples/, without their code; scripts/python runs it.
fn notebooks() -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    files(&root().join("examples"), ".ipynb", &mut found);
    let text = |path: &PathBuf| {
        let notebook: Value = serde_json::from_str(&read(path)).expect("a notebook");
        let cells = notebook["cells"].as_array().expect("cells");
        let texts = cells.iter().filter(|cell| cell["cell_type"] == "markdown");
        let lines = texts.map(|cell| {
            let lines = cell["source"].as_array().expect("lines").iter();
            lines
                .map(|l| l.as_str().expect("a line"))
                .collect::<String>()
        });
        lines.collect::<Vec<_>>().join("\n\n")
    };
    let texts: Vec<String> = found.iter().map(text).collect();
    assert!(texts.len() >= 3, "{}", texts.len());
    found.into_iter().zip(texts).collect()
}

#[test]
fn what_pages_show_comes_out() {
    let all = pages();
    let results = in_parallel(&all, |(name, _)| follow(name, true));
    let mut n_run = 0;
    let mut failures = Vec::new();
    for result in results {
        match result {
            Ok(n) => n_run += n,
            Err(e) => failures.push(e),
        }
    }
    assert_none("commands do not print what is shown", &failures);
    assert!(n_run >= 35, "{n_run} commands");
}

/// The Makefile of building.md builds its two programs, with the emulation in place of nvcc.
#[test]
fn the_makefile_builds() {
    let text = read(&folder().join("building.md"));
    let all = blocks(&text);
    let rules = all.iter().find(|block| block.language == "make");
    let rules = rules.expect("a Makefile").lines.join("\n") + "\n";
    let place = tempfile::tempdir().expect("a temporary directory");
    fs::write(place.path().join("Makefile"), rules).expect("a file");
    for name in ["main.c", "solver.c"] {
        fs::copy(
            folder().join("programs").join(name),
            place.path().join(name),
        )
        .expect("a file");
    }
    symlink(env!("CARGO_BIN_EXE_hexcc"), place.path().join("hexcc")).expect("a link");
    let path = std::env::var("PATH").unwrap_or_default();
    let emucc = root().join("scripts/emucc");
    let mut command = Command::new("make");
    command
        .arg(format!("NVCC={}", emucc.display()))
        .args(["LINK=c++", "NVCCFLAGS=-O0"])
        .current_dir(place.path())
        .env("PATH", format!("{}:{path}", place.path().display()));
    succeed(&mut command).unwrap_or_else(|e| panic!("make: {e}"));
    let printed = succeed(&mut Command::new(place.path().join("program"))).expect("it runs");
    assert!(
        text.contains(&format!("$ ./program-omp\n{printed}")),
        "{printed}"
    );
}

/// Where a link of a page leads, without `..`.
fn place_of(page: &Path, target: &str) -> PathBuf {
    let mut place = PathBuf::new();
    for part in page.parent().expect("a folder").join(target).components() {
        match part.as_os_str() == ".." {
            true => drop(place.pop()),
            false => place.push(part),
        }
    }
    place
}

/// Whether scripts/docs makes a page.
fn is_generated(place: &Path) -> bool {
    let Ok(inside) = place.strip_prefix(folder()) else {
        return false;
    };
    let inside = inside.to_string_lossy();
    if let Some(name) = inside.strip_prefix("reference/") {
        return REFERENCES.iter().any(|r| name == format!("{r}.md"));
    }
    let code = inside
        .strip_prefix("codes/")
        .and_then(|name| name.strip_suffix(".md"));
    let table = read(&root().join("docs/diagnostics.md"));
    let row = |code| table.lines().any(|l| l.starts_with(&format!("| {code} ")));
    code.is_some_and(row)
}

/// What is wrong with a link.
fn wrong_link(page: &Path, target: &str) -> Option<String> {
    if target.starts_with("https://") || target.starts_with("http://") {
        return None;
    }
    let (path, section) = target.split_once('#').unwrap_or((target, ""));
    let place = match path.is_empty() {
        true => page.to_path_buf(),
        false => place_of(page, path),
    };
    if is_generated(&place) {
        return None;
    }
    if !place.exists() {
        return Some(format!("{target} is not there"));
    }
    let name = place.to_string_lossy();
    if name.ends_with(".png") && !fs::read(&place).expect("a file").starts_with(b"\x89PNG") {
        return Some(format!("{target} is no picture"));
    }
    if name.ends_with(".svg") && !read(&place).starts_with("<svg") {
        return Some(format!("{target} is no picture"));
    }
    if name.ends_with(".md")
        && !section.is_empty()
        && !anchors(&read(&place)).iter().any(|a| a == section)
    {
        return Some(format!("{target} has no such section"));
    }
    None
}

#[test]
fn links_and_pictures_are_there() {
    let mut failures = Vec::new();
    let mut n_links = 0;
    for (name, path) in pages().into_iter().chain(other_documents()) {
        let all = links(&read(&path));
        n_links += all.len();
        let wrong = all.iter().filter_map(|target| wrong_link(&path, target));
        failures.extend(wrong.map(|e| format!("{name}: {e}")));
    }
    for (path, text) in notebooks() {
        let wrong = links(&text).into_iter();
        let wrong = wrong.filter_map(|target| wrong_link(&path, &target));
        failures.extend(wrong.map(|e| format!("{}: {e}", path.display())));
    }
    assert_none("links", &failures);
    assert!(n_links > 600, "{n_links}");
}

#[test]
fn every_page_is_in_the_navigation() {
    let settings = read(&root().join("mkdocs.yml"));
    let (_, navigation) = settings.split_once("\nnav:\n").expect("a navigation");
    let listed: Vec<PathBuf> = (navigation.lines())
        .filter_map(|line| line.trim().strip_prefix("- ")?.rsplit_once(": "))
        .map(|(_, page)| folder().join(page))
        .collect();
    let lacking: Vec<String> = (pages().into_iter())
        .filter(|(_, path)| !listed.contains(path))
        .map(|(name, _)| name)
        .collect();
    assert_none("pages are not in mkdocs.yml", &lacking);
    let wrong: Vec<&PathBuf> = (listed.iter())
        .filter(|page| !page.exists() && !is_generated(page))
        .collect();
    assert!(wrong.is_empty(), "mkdocs.yml has {wrong:?}");
}

/// `<!-- generated: table docs/notes/results.md applications -->` names a table that is there.
#[test]
fn what_is_generated_has_a_source() {
    let mut failures = Vec::new();
    let mut n_tables = 0;
    for (name, path) in pages() {
        for line in read(&path).lines() {
            let Some(words) = line.strip_prefix("<!-- generated: ") else {
                continue;
            };
            let words: Vec<&str> = words.trim_end_matches(" -->").split(' ').collect();
            match &words[..] {
                ["speeds" | "estimates" | "roofline" | "codes"] => {}
                ["bars", "stars" | "boxes" | "applications" | "steps"] => {}
                ["example", program] if root().join(format!("examples/{program}.c")).exists() => {}
                ["notebook", name] if root().join(format!("examples/{name}.ipynb")).exists() => {}
                ["table", document, section, rest @ ..] => {
                    let number: usize = rest.first().map_or(1, |n| n.parse().expect("a number"));
                    if n_tables_below(document, section) < number {
                        failures.push(format!("{name}: {line}"));
                    }
                    n_tables += 1;
                }
                _ => failures.push(format!("{name}: {line}")),
            }
        }
    }
    assert_none("tables have no source", &failures);
    assert!(n_tables >= 10, "{n_tables}");
}

/// How many tables a section of a document has.
fn n_tables_below(document: &str, section: &str) -> usize {
    let text = read(&root().join(document));
    let mut level = 0;
    let mut count = 0;
    let mut last = "";
    for line in prose(&text) {
        let hashes = line.len() - line.trim_start_matches('#').len();
        if level > 0 && hashes > 0 && hashes <= level {
            break;
        }
        if hashes > 0 && documents::anchor(line.trim_start_matches('#').trim()) == section {
            level = hashes;
        }
        if level > 0 && line.starts_with('|') && !last.starts_with('|') {
            count += 1;
        }
        last = line;
    }
    count
}

#[test]
fn pages_and_sentences_are_short() {
    let mut failures = Vec::new();
    for (name, path) in pages() {
        let text = read(&path);
        let n_words: usize = prose(&text)
            .iter()
            .map(|l| l.split_whitespace().count())
            .sum();
        if n_words > MOST_WORDS {
            failures.push(format!("{name}: {n_words} words"));
        }
        for sentence in sentences(&text) {
            if is_long(&sentence) {
                failures.push(format!("{name}: {sentence}"));
            }
        }
    }
    for name in ["README.md", "examples/README.md"] {
        let text = read(&root().join(name));
        let long = sentences(&text).into_iter().filter(|s| is_long(s));
        failures.extend(long.map(|sentence| format!("{name}: {sentence}")));
    }
    for (path, text) in notebooks() {
        let long = sentences(&text).into_iter().filter(|s| is_long(s));
        failures.extend(long.map(|sentence| format!("{}: {sentence}", path.display())));
    }
    let codes = read(&root().join("docs/diagnostics.md"));
    for row in codes.lines().filter(|l| l.starts_with("| HX")) {
        let cells = row.trim_matches(['|', ' ']).split(" | ");
        let long = cells.flat_map(sentences).filter(|s| is_long(s));
        failures.extend(long.map(|sentence| format!("docs/diagnostics.md: {sentence}")));
    }
    assert_none("pages or sentences are long", &failures);
    let terms = read(&folder().join("glossary.md"));
    let n_rows = terms.lines().filter(|l| l.starts_with('|')).count();
    assert!(n_rows - 2 <= MOST_TERMS, "{n_rows}");
}

fn is_long(sentence: &str) -> bool {
    sentence.split_whitespace().count() > MOST_OF_SENTENCE
}

/// A message in whose place another one will come.
const LONG_MESSAGES: [&str; 1] = ["CUDA C++ has no parameters of such a type"];

/// What messages say, where tests compare them: in each line that begins with what it is.
#[test]
fn messages_have_short_sentences() {
    let mut snapshots = Vec::new();
    files(&root().join("tests/snapshots"), ".snap", &mut snapshots);
    let mut long = Vec::new();
    let mut n_lines = 0;
    for path in &snapshots {
        for line in read(path).lines() {
            let line = line.trim().trim_start_matches("= ");
            let begins = ["note: ", "help: ", "warning[", "error["];
            if !begins.iter().any(|begin| line.starts_with(begin)) {
                continue;
            }
            n_lines += 1;
            let (_, said) = line.split_once(": ").unwrap_or(("", line));
            let is_new =
                |s: &String| is_long(s) && !LONG_MESSAGES.iter().any(|known| s.contains(known));
            long.extend(sentences(said).into_iter().filter(is_new));
        }
    }
    assert_none("messages have long sentences", &long);
    assert!(n_lines > 400, "{n_lines}");
}

/// Words that only developers use, and what users read instead.
const COINED: [(&str, &str); 3] = [
    ("single steps", "one launch per step"),
    ("stays on the host", "stays on the CPU"),
    ("scop", "region"),
];

#[test]
fn pages_have_no_coined_words() {
    let mut failures = Vec::new();
    let mut all = pages();
    all.push(("README.md".to_string(), root().join("README.md")));
    for (name, path) in all {
        for line in prose(&read(&path)) {
            let text: String = line.split('`').step_by(2).collect();
            let text = documents::text_of(&text).to_lowercase();
            if let Some((word, instead)) = COINED.iter().find(|(word, _)| text.contains(word)) {
                failures.push(format!("{name}: \"{word}\", not \"{instead}\": {line}"));
            }
        }
    }
    assert_none("pages have words of developers", &failures);
}

/// What a page says of a program.
#[derive(Clone, Debug)]
struct Claim {
    program: String,
    /// For CUDA, and for CPUs.
    verdicts: [String; 2],
}

/// The rows `| .. | [swap.c](programs/swap.c) | yes | no |`.
fn claims() -> Vec<Claim> {
    let text = read(&folder().join("your-program.md"));
    let row = |line: &str| {
        let (_, rest) = line.strip_prefix('|')?.split_once("](programs/")?;
        let (program, rest) = rest.split_once(") | ")?;
        let (cuda, cpus) = rest.strip_suffix(" |")?.split_once(" | ")?;
        Some(Claim {
            program: program.to_string(),
            verdicts: [cuda.to_string(), cpus.to_string()],
        })
    };
    text.lines().filter_map(row).collect()
}

/// What is wrong with a claim.
fn wrong_claim(claim: &Claim) -> Result<(), String> {
    let source = folder().join("programs").join(&claim.program);
    let mut command = Command::new("cc");
    command.args(["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"]);
    let compiled = output(command.arg(&source))?;
    if !compiled.status.success() {
        return Err(String::from_utf8_lossy(&compiled.stderr).into_owned());
    }
    let translates = |options: &[&str]| {
        let out = output(hexcc().arg(&source).args(options).args(["-o", "/dev/null"]))?;
        Ok::<bool, String>(out.status.success())
    };
    for (target, claimed) in ["cuda", "openmp"].iter().zip(&claim.verdicts) {
        let verdict = match translates(&["--target", target, "--require", "tiled"])? {
            true => "yes",
            false if translates(&["--target", target])? => "no",
            false => "refused",
        };
        if verdict != claimed {
            return Err(format!("{target}: {verdict}, not {claimed}"));
        }
    }
    Ok(())
}

#[test]
fn programs_are_tiled_as_the_table_says() {
    let all = claims();
    let results = in_parallel(&all, wrong_claim);
    let failures: Vec<String> = (all.iter().zip(results))
        .filter_map(|(claim, result)| Some(format!("{}: {}", claim.program, result.err()?)))
        .collect();
    assert_none("programs are not what the table says", &failures);
    let is_tiled = |claim: &&Claim| claim.verdicts[0] == "yes";
    let tiled = all.iter().filter(is_tiled).count();
    assert!(tiled >= 10 && all.len() > tiled, "{all:?}");
}

/// A page shows a part of a program that it links to right before.
#[test]
fn parts_of_programs_are_those_of_the_files() {
    let mut n_shown = 0;
    let mut failures = Vec::new();
    for (name, path) in pages() {
        for block in blocks(&read(&path)) {
            if block.language != "c" {
                continue;
            }
            let linked = block.before.rsplit_once("](programs/");
            let Some(program) = linked.and_then(|(_, rest)| Some(rest.split_once(')')?.0)) else {
                failures.push(format!("{name}: a block of C without a program"));
                continue;
            };
            n_shown += 1;
            // However far they are indented.
            let whole = read(&folder().join("programs").join(program));
            let whole: Vec<&str> = whole.lines().map(str::trim_start).collect();
            let part: Vec<&str> = block.lines.iter().map(|l| l.trim_start()).collect();
            if !whole.windows(part.len()).any(|lines| lines == part) {
                failures.push(format!("{name}: {program} has no such part"));
            }
        }
    }
    assert_none("parts of programs", &failures);
    assert!(n_shown >= 10, "{n_shown}");
}

#[test]
fn every_program_is_linked() {
    let text: String = pages().iter().map(|(_, path)| read(path)).collect();
    let mut programs = Vec::new();
    files(&folder().join("programs"), ".c", &mut programs);
    let missing: Vec<String> = (programs.iter())
        .map(|path| {
            path.file_name()
                .expect("a name")
                .to_string_lossy()
                .into_owned()
        })
        .filter(|name| !text.contains(&format!("](programs/{name})")))
        .collect();
    assert_none("programs are linked nowhere", &missing);
}

/// All that a user or developer may call.
const MOST_SCRIPTS: usize = 8;

/// Lines of the README.
const MOST_LINES: usize = 130;

#[test]
fn scripts_are_few_and_the_readme_is_short() {
    let scripts = fs::read_dir(root().join("scripts")).expect("the folder can be listed");
    let n_scripts = scripts.count();
    assert!(n_scripts <= MOST_SCRIPTS, "{n_scripts} scripts");
    let n_lines = read(&root().join("README.md")).lines().count();
    assert!(n_lines <= MOST_LINES, "{n_lines} lines");
}
