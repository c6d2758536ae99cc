//! What a diagnostic code means, for `hexcc explain HX0203`.

use std::path::Path;
use textwrap::WordSplitter;

/// All codes; the site is made of the same text.
const DIAGNOSTICS: &str = include_str!("../docs/diagnostics.md");

/// The shortest message of each code that a test compares.
const EXAMPLES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/examples.rs"));

/// Columns of the text.
const WIDTH: usize = 80;

/// A row of the tables, and what stands above its table.
struct Row<'a> {
    code: &'a str,
    name: &'a str,
    meaning: &'a str,
    remedy: &'a str,
    family: &'a str,
    about: &'a str,
}

/// The code that an argument spells, such as `HX0203` or `hx203`.
pub fn spelled(argument: &Path) -> Option<String> {
    let word = argument.to_str()?.to_ascii_uppercase();
    let digits = word.strip_prefix("HX")?;
    let is_number = (1..=4).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
    (is_number && !argument.exists()).then(|| format!("HX{digits:0>4}"))
}

/// What a code means and what to do, or which codes there are near it.
pub fn page(code: &str) -> Result<String, String> {
    let rows = rows();
    let Some(row) = rows.iter().find(|row| row.code == code) else {
        return Err(unknown(code, &rows));
    };
    let meaning = plain(row.meaning.trim_end_matches('.'));
    let mut text = format!("{}\n\n{}.\n", row.name, wrapped(&meaning));
    let mut part = |title: &str, words: &str| {
        if !words.is_empty() {
            text.push_str(&format!("\n{title}\n\n{words}\n"));
        }
    };
    part("What to do", &wrapped(&plain(row.remedy)));
    let example = EXAMPLES.iter().find(|(of, _)| *of == code);
    part("Example", example.map_or("", |(_, message)| message));
    let about: Vec<String> = plain(row.about).split("\n\n").map(wrapped).collect();
    part(&format!("About {}", row.family), &about.join("\n\n"));
    Ok(text)
}

fn wrapped(words: &str) -> String {
    let words: Vec<&str> = words.split_whitespace().collect();
    let whole = textwrap::Options::new(WIDTH).word_splitter(WordSplitter::NoHyphenation);
    textwrap::fill(&words.join(" "), whole)
}

/// The rows of all codes.
fn rows() -> Vec<Row<'static>> {
    let (tables, _) = (DIAGNOSTICS.split_once("\n## The audit")).unwrap_or((DIAGNOSTICS, ""));
    let mut found = Vec::new();
    for section in tables.split("\n## ").skip(1) {
        let family = section.split(':').next().unwrap_or_default();
        let (_, below) = section.split_once('\n').unwrap_or_default();
        let (about, table) = below.split_once("\n|").unwrap_or((below, ""));
        for line in table.lines() {
            let mut cells = line.trim_matches('|').split('|').map(str::trim);
            let (Some(name), Some(meaning)) = (cells.next(), cells.next()) else {
                continue;
            };
            if name.starts_with("HX") {
                found.push(Row {
                    code: name.split(' ').next().unwrap_or(name),
                    name,
                    meaning,
                    remedy: cells.next().unwrap_or_default(),
                    family,
                    about: about.trim(),
                });
            }
        }
    }
    found
}

/// Text without the links of Markdown.
fn plain(markdown: &str) -> String {
    let mut text = String::new();
    let mut rest = markdown;
    while let Some((before, link)) = rest.split_once("](") {
        let (lead, words) = before.rsplit_once('[').unwrap_or((before, ""));
        text.push_str(lead);
        text.push_str(words);
        rest = link.split_once(')').map_or("", |(_, after)| after);
    }
    text + rest
}

/// What there is where a code is none: those of the same hundred, or the nearest.
fn unknown(code: &str, rows: &[Row]) -> String {
    let number = |code: &str| code[2..].parse::<i32>().unwrap_or_default();
    let asked = number(code);
    let mut near: Vec<&str> = (rows.iter().map(|row| row.code))
        .filter(|other| other[..4] == code[..4])
        .collect();
    if near.is_empty() {
        near = rows.iter().map(|row| row.code).collect();
        near.sort_by_key(|other| (number(other) - asked).abs());
        near.truncate(3);
    }
    format!("there is no code {code}; near it are {}", near.join(", "))
}
