//! What hexcc reads of a C file, `--emit c`: the normalised region, and the passes that made it.

use crate::csource;
use crate::scop::SourceFile;
use hexcc_pet::data::PetScop;
use std::ops::Range;

/// A region and the functions that it calls, in the words that pet has read, behind a comment with
/// the place in the user's file, the passes that have changed the text, and what stands for members
/// of structs.
pub fn section(source: &SourceFile, scop: &PetScop) -> Option<String> {
    let text = &scop.as_read.text;
    let region = marked(text)?;
    let place = source.place(scop.span.start);
    let function = csource::enclosing_function(&source.text, scop.span.start);
    let mut section = format!(
        "/* {}, line {}{}\n",
        place.path,
        source.line(scop.span.start),
        function.map_or(String::new(), |f| format!(", in {}()", f.name)),
    );
    if scop.as_read.passes.is_empty() {
        section += " * as it is written\n";
    }
    for pass in &scop.as_read.passes {
        section += &format!(" * {pass}\n");
    }
    for member in &scop.members {
        section += &format!(" * {} stands for {}\n", member.name, member.value);
    }
    section += " */\n";
    let called = csource::functions(text).into_iter().filter(|f| {
        let is_around = f.body.start <= region.start && region.end <= f.body.end;
        !is_around && !text[f.body.clone()].trim().is_empty()
    });
    for function in called {
        let end = text[function.body.end..].find('}')?;
        section += &lines(&text[function.start..=function.body.end + end]);
        section.push('\n');
    }
    for definition in scop.cells.iter().flat_map(|cell| &cell.functions) {
        section += &format!("static {}\n", lines(definition));
    }
    section += &lines(&text[region]);
    Some(section)
}

/// The lines from `#pragma scop` to `#pragma endscop`.
fn marked(text: &str) -> Option<Range<usize>> {
    let pragma = |word: &str| {
        let mut at = 0;
        text.split_inclusive('\n').find_map(|line| {
            let start = at;
            at += line.len();
            let words: Vec<&str> = line.split_whitespace().collect();
            (words.first() == Some(&"#pragma") && words.get(1) == Some(&word))
                .then_some(start..start + line.len())
        })
    };
    let (first, last) = (pragma("scop")?, pragma("endscop")?);
    (first.start < last.end).then_some(first.start..last.end)
}

/// A text without blanks at the ends of lines, and without lines of blanks only.
fn lines(text: &str) -> String {
    (text.lines().map(str::trim_end))
        .filter(|line| !line.is_empty())
        .flat_map(|line| [line, "\n"])
        .collect()
}
