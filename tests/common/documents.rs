//! Programs, commands and text of Markdown documents.

use super::{output, root};
use std::ops::Range;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::{Command, Stdio};

/// A piece of a document.
#[derive(Debug)]
enum Piece {
    /// A program and the name of its file, which the text before it says.
    Program { name: String, text: String },
    /// A command, what it prints there, and whether it has to print that.
    Command {
        line: String,
        prints: String,
        is_exact: bool,
    },
}

/// A fenced block.
pub struct Block<'a> {
    /// What stands behind the fence, such as `console`.
    pub language: &'a str,
    /// The paragraph before it, and what lies between.
    pub before: String,
    /// What is in it.
    pub lines: Vec<&'a str>,
    /// The lines of the document that it takes, with its fences.
    pub place: Range<usize>,
}

/// The fenced blocks of a document.
pub fn blocks(document: &str) -> Vec<Block<'_>> {
    let mut found = Vec::new();
    let mut paragraph = String::new();
    let mut lines = document.lines().enumerate();
    while let Some((at, line)) = lines.next() {
        let Some(language) = line.strip_prefix("```") else {
            match line.is_empty() {
                true if !paragraph.ends_with("\n\n") => paragraph.push('\n'),
                _ if paragraph.ends_with("\n\n") => paragraph = format!("{line}\n"),
                _ => paragraph = paragraph + line + "\n",
            }
            continue;
        };
        let inside: Vec<&str> = lines
            .by_ref()
            .map(|(_, line)| line)
            .take_while(|l| !l.starts_with("```"))
            .collect();
        found.push(Block {
            language,
            before: paragraph.clone(),
            place: at..at + inside.len() + 2,
            lines: inside,
        });
    }
    found
}

/// The last name of a file of C or CUDA in a paragraph.
fn file_name(paragraph: &str) -> Option<String> {
    let mut names: Vec<&str> = paragraph.split('`').skip(1).step_by(2).collect();
    names.retain(|n| (n.ends_with(".c") || n.ends_with(".cu")) && !n.contains([' ', '/']));
    names.last().map(|name| name.to_string())
}

/// The programs and commands in fenced blocks.
fn pieces(document: &str) -> Vec<Piece> {
    let mut found = Vec::new();
    for block in blocks(document) {
        let is_program = block.lines.iter().any(|l| l.starts_with("int main("));
        match (block.language, file_name(&block.before)) {
            ("c" | "cuda", Some(name)) if is_program => {
                let text = block.lines.join("\n") + "\n";
                found.push(Piece::Program { name, text });
            }
            ("" | "console", _) => commands(&block, &mut found),
            _ => {}
        }
    }
    found
}

fn commands(block: &Block, found: &mut Vec<Piece>) {
    for line in &block.lines {
        match (line.strip_prefix("$ "), found.last_mut()) {
            (Some(command), _) => found.push(Piece::Command {
                line: command.to_string(),
                prints: String::new(),
                is_exact: block.language == "console",
            }),
            (None, Some(Piece::Command { prints, .. })) if block.lines[0].starts_with("$ ") => {
                prints.push_str(line);
                prints.push('\n');
            }
            _ => {}
        }
    }
}

/// Why a command cannot run here.
fn needs(line: &str) -> Option<&'static str> {
    let word = |w: &str| line.split_whitespace().any(|part| part == w);
    if word("tune") || word("bench") || line.starts_with("suite/") || line.contains("bench/prepare")
    {
        return Some("a GPU, or the time of one");
    }
    if line.starts_with("cargo") || line.contains("suite-prepare") {
        return Some("minutes");
    }
    if line.contains("nvcc") || line.starts_with("cd ") {
        return Some("nvcc, which tests/nvcc.rs runs");
    }
    if line.starts_with("./heat-gpu") {
        return Some("what nvcc has built");
    }
    if word("step.c") {
        return Some("files of the reader's");
    }
    None
}

/// Whether lines are those that are shown, in which `...` stands for any number of lines.
fn agrees(shown: &[&str], printed: &[&str]) -> bool {
    match shown {
        [] => printed.is_empty(),
        ["...", rest @ ..] => (0..=printed.len()).any(|skipped| agrees(rest, &printed[skipped..])),
        [line, rest @ ..] => printed
            .split_first()
            .is_some_and(|(first, others)| first == line && agrees(rest, others)),
    }
}

/// Lines without spaces at their ends.
fn trimmed(text: &str) -> Vec<&str> {
    text.trim_end().lines().map(str::trim_end).collect()
}

/// Runs the commands and programs that a document shows, in a folder that looks like the repository; how many
/// commands ran. What stands in blocks of the language `console` runs in any case, and prints what is shown;
/// elsewhere commands succeed, and print what is shown, if there is something. With `quick`, programs of the emulation are not optimized,
/// which takes a third of the time of most.
pub fn follow(document: &str, quick: bool) -> Result<usize, String> {
    let folder = tempfile::tempdir().expect("a temporary directory");
    for name in ["scripts", "testsuite", "examples", "crates", "vendor"] {
        let _ = symlink(root().join(name), folder.path().join(name));
    }
    for name in ["docs", "bin"] {
        std::fs::create_dir(folder.path().join(name)).expect("a folder");
    }
    symlink(root().join("docs/site"), folder.path().join("docs/site")).expect("a link");
    symlink(env!("CARGO_BIN_EXE_hexcc"), folder.path().join("bin/hexcc")).expect("a link");
    let compiler = folder.path().join("bin/quick-cxx");
    if quick {
        // The last level counts.
        let text = "#!/bin/sh\nexec ${HEXCC_TEST_CXX:-g++} \"$@\" -O0\n";
        std::fs::write(&compiler, text).expect("a file");
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&compiler, mode).expect("a file");
    }
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", folder.path().join("bin").display());
    let text = std::fs::read_to_string(root().join(document)).expect("a document");
    let mut n_run = 0;
    for piece in pieces(&text) {
        let (line, prints, is_exact) = match piece {
            Piece::Program { name, text } => {
                std::fs::write(folder.path().join(name), text).expect("a file");
                continue;
            }
            Piece::Command {
                line,
                prints,
                is_exact,
            } => (line, prints, is_exact),
        };
        if !is_exact && needs(&line).is_some() {
            continue;
        }
        // Programs print the same each time.
        let is_compared = is_exact || line.starts_with("./") || !prints.is_empty();
        let both = if is_compared { "exec 2>&1; " } else { "" };
        let mut command = Command::new("bash");
        command.args([
            "-c",
            &(both.to_string() + &line.replace("scripts/hexcc", "hexcc")),
        ]);
        command.current_dir(folder.path()).env("PATH", &path);
        command
            .env("HEXCC_CACHE_DIR", "/nonexistent")
            .stdin(Stdio::null());
        if quick {
            let chosen = std::env::var("CXX").unwrap_or("g++".to_string());
            command.env("HEXCC_TEST_CXX", chosen).env("CXX", &compiler);
        }
        command.env(
            "HEXCC_PET_LIB",
            std::env::var_os("HEXCC_PET_LIB").unwrap_or_default(),
        );
        if std::env::var_os("HEXCC_PET_LIB").is_none() {
            command.env_remove("HEXCC_PET_LIB");
        }
        let out = output(&mut command)?;
        let printed = String::from_utf8_lossy(&out.stdout).into_owned();
        // A block may show how a command fails.
        let may_fail = is_compared && prints.contains("error[");
        if !may_fail && !out.status.success() {
            let said = String::from_utf8_lossy(&out.stderr).into_owned() + &printed;
            return Err(format!("{document}: {line}: {}: {said}", out.status));
        }
        if is_compared && !agrees(&trimmed(&prints), &trimmed(&printed)) {
            return Err(format!("{document}: {line} prints\n{printed}"));
        }
        n_run += 1;
    }
    Ok(n_run)
}

/// The anchor that a heading has, as on GitHub.
pub fn anchor(heading: &str) -> String {
    let kept = text_of(heading).to_lowercase();
    let kept = kept
        .chars()
        .filter(|c| c.is_alphanumeric() || "-_ ".contains(*c));
    kept.collect::<String>().trim().replace(' ', "-")
}

/// A line without the marks of code, of emphasis, and of links.
pub fn text_of(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some((before, link)) = rest.split_once('[') {
        text.push_str(before);
        match link
            .split_once("](")
            .and_then(|(words, target)| Some((words, target.split_once(')')?.1)))
        {
            Some((words, after)) => {
                text.push_str(words);
                rest = after;
            }
            None => {
                text.push('[');
                rest = link;
            }
        }
    }
    (text + rest).replace(['`', '*'], "")
}

/// The lines of a document that are in no fenced block.
pub fn prose(document: &str) -> Vec<&str> {
    let taken: Vec<Range<usize>> = blocks(document).into_iter().map(|b| b.place).collect();
    let lines = document.lines().enumerate();
    lines
        .filter(|(at, _)| !taken.iter().any(|place| place.contains(at)))
        .map(|(_, line)| line)
        .collect()
}

/// The anchors of a document's headings.
pub fn anchors(document: &str) -> Vec<String> {
    let headings = prose(document).into_iter();
    headings
        .filter(|line| line.starts_with('#'))
        .map(|line| anchor(line.trim_start_matches('#').trim()))
        .collect()
}

/// The targets of the links and pictures of a document.
pub fn links(document: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in prose(document) {
        // Code shows subscripts and calls, no links.
        let text: String = line.split('`').step_by(2).collect();
        let after = |mark: &'static str, end: char| {
            let pieces = text.split(mark).skip(1);
            let targets: Vec<&str> = pieces
                .filter_map(|piece| Some(piece.split_once(end)?.0))
                .collect();
            targets.into_iter().map(str::to_string).collect::<Vec<_>>()
        };
        found.extend(after("](", ')'));
        found.extend(after("src=\"", '"'));
        found.extend(after("href=\"", '"'));
    }
    found
}

/// The sentences of a document's paragraphs and lists, without headings and tables; code and links count as
/// their words.
pub fn sentences(document: &str) -> Vec<String> {
    let mut paragraphs = vec![String::new()];
    for line in prose(document) {
        let line = line.trim();
        let is_other = line.starts_with(['#', '|', '<']) || line.is_empty();
        let begins = line.starts_with("- ")
            || line
                .split_once(". ")
                .is_some_and(|(n, _)| n.parse::<u32>().is_ok());
        if is_other || begins {
            paragraphs.push(String::new());
        }
        if !is_other {
            let last = paragraphs.last_mut().expect("there is one");
            last.push_str(line.trim_start_matches("- "));
            last.push(' ');
        }
    }
    let ended = |p: &String| {
        // What a piece of code has in it ends no sentence.
        let pieces = p.split('`').enumerate();
        let text: String = pieces
            .map(|(at, piece)| if at % 2 == 1 { "code" } else { piece })
            .collect();
        let text = text_of(&text).replace("? ", ". ").replace("! ", ". ");
        let found: Vec<String> = text.split(". ").map(str::to_string).collect();
        found
    };
    let found = paragraphs.iter().flat_map(ended);
    found.filter(|s| !s.trim().is_empty()).collect()
}
