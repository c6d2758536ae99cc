//! The ledger of what has been seen to pass, tests/common/ledger.rs.

mod common;

use common::ledger::{KnownRuns, Ledger, Lines, hash_of};
use std::cell::Cell;
use std::fs;
use std::path::Path;

const TOOLS: u64 = 7;

/// A ledger in a folder; what has passed there before is known to it only through the file.
fn ledger(folder: &Path, tools: u64, run: usize) -> Ledger {
    let local = folder.join(format!("local-{run}"));
    Ledger::at(
        "e2e",
        &folder.join("verified.txt"),
        &local,
        tools,
        "a commit",
    )
}

/// Whether the ledger lets this run.
fn runs(ledger: &Ledger, text: &str, result: Result<(), String>) -> bool {
    let has_run = Cell::new(false);
    let found = ledger.verify(&[text], || {
        has_run.set(true);
        result.clone()
    });
    assert_eq!(found.is_err(), has_run.get() && result.is_err());
    has_run.get()
}

/// Adds texts to the file.
fn add(folder: &Path, texts: &[String]) -> String {
    let ledger = ledger(folder, TOOLS, 0).updating();
    for text in texts {
        assert!(runs(&ledger, text, Ok(())));
    }
    ledger.close(true)
}

fn many() -> Vec<String> {
    (0..400).map(|n| format!("text {n}")).collect()
}

fn file(folder: &Path) -> String {
    fs::read_to_string(folder.join("verified.txt")).unwrap_or_default()
}

#[test]
fn what_is_unknown_runs_and_nothing_is_written() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let ledger = ledger(folder.path(), TOOLS, 1);
    assert!(runs(&ledger, "a", Ok(())) && runs(&ledger, "b", Err("differs".to_string())));
    let said = ledger.close(true);
    assert!(said.contains("lacks 1 that pass"), "{said}");
    assert_eq!(file(folder.path()), "");
}

#[test]
fn what_is_known_is_skipped_but_for_a_sample() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    add(folder.path(), &many());
    let ledger = ledger(folder.path(), TOOLS, 1);
    let run: Vec<String> = (many().into_iter())
        .filter(|text| runs(&ledger, text, Ok(())))
        .collect();
    let sampled: Vec<String> = (many().into_iter())
        .filter(|text| ledger.is_sampled(hash_of(&[text])))
        .collect();
    assert_eq!(run, sampled);
    assert!((20..100).contains(&run.len()), "{} of 400", run.len());
    // Another commit runs others.
    let files = ["verified.txt", "local-2"].map(|name| folder.path().join(name));
    let other = Ledger::at("e2e", &files[0], &files[1], TOOLS, "another commit");
    assert!(
        !sampled
            .iter()
            .all(|text| other.is_sampled(hash_of(&[text])))
    );
}

#[test]
fn all_of_what_is_known_or_none_runs_on_demand() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    add(folder.path(), &many());
    let n_run = |known_runs| {
        let ledger = ledger(folder.path(), TOOLS, 1).known_runs(known_runs);
        (many().iter())
            .filter(|text| runs(&ledger, text, Ok(())))
            .count()
    };
    assert_eq!(n_run(KnownRuns::None), 0);
    assert_eq!(n_run(KnownRuns::All), 400);
    // Those have passed here.
    assert_eq!(n_run(KnownRuns::All), 0);
}

#[test]
fn other_tools_make_all_of_it_void() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    add(folder.path(), &many());
    let other = ledger(folder.path(), TOOLS + 1, 1).updating();
    assert!(runs(&other, "text 0", Ok(())) && runs(&other, "text 1", Ok(())));
    other.close(false);
    let text = file(folder.path());
    let lines = text.lines().filter(|line| line.starts_with("e2e ")).count();
    assert_eq!(lines, 2, "{text}");
    assert_eq!(Lines::read(&text, TOOLS), Lines::read("", TOOLS));
    let before = ledger(folder.path(), TOOLS, 2);
    assert!(runs(&before, "text 0", Ok(())));
}

#[test]
fn an_update_writes_sorted_lines_of_what_passes() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    add(folder.path(), &many());
    let others = "nvcc 0000000000000001\n";
    fs::write(
        folder.path().join("verified.txt"),
        file(folder.path()) + others,
    )
    .expect("a temporary directory can be written");
    let next = ledger(folder.path(), TOOLS, 1)
        .known_runs(KnownRuns::All)
        .updating();
    // One that fails now, one again, one twice, a new one, and one that fails at once.
    assert!(runs(&next, "text 0", Err("differs".to_string())));
    assert!(runs(&next, "text 1", Ok(())));
    assert!(runs(&next, "text 1", Ok(())));
    assert!(runs(&next, "new", Ok(())));
    assert!(runs(&next, "wrong", Err("differs".to_string())));
    let said = next.close(true);
    assert!(said.ends_with("1 added to the ledger"), "{said}");
    let mut wanted = ["text 1", "new"].map(|text| format!("e2e {:016x}", hash_of(&[text])));
    wanted.sort();
    let text = file(folder.path());
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    let all = [
        "tools 0000000000000007",
        &wanted[0],
        &wanted[1],
        others.trim_end(),
    ];
    assert_eq!(lines, all);
}
