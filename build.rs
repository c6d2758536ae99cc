//! Stamps the version with the commit, finds the default library folder, and collects examples of messages.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// Of each code the shortest message that a snapshot of the tests begins with, maybe below its command line.
fn examples(snapshots: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(snapshots).into_iter().flatten().flatten() {
        let text = std::fs::read_to_string(entry.path()).unwrap_or_default();
        let Some((_, message)) = text.split_once("\n---\n") else {
            continue;
        };
        let first = message.lines().find(|line| !line.starts_with("$ "));
        let kinds = ["error[HX", "warning[HX"];
        let number = first.and_then(|line| kinds.iter().find_map(|kind| line.strip_prefix(kind)));
        let Some(number) = number.and_then(|rest| rest.get(..4)) else {
            continue;
        };
        let message = message.trim_end().replace("  // here", "");
        let best = found
            .entry(format!("HX{number}"))
            .or_insert(message.clone());
        if (message.len(), &message) < (best.len(), best) {
            *best = message;
        }
    }
    found
}

fn main() {
    let version = std::env::var("CARGO_PKG_VERSION").unwrap_or_default();
    let commit = Command::new("git")
        .args(["rev-parse", "--short=10", "HEAD"])
        .output()
        .ok()
        .filter(|out| out.status.success())
        .and_then(|out| String::from_utf8(out.stdout).ok())
        .map(|text| text.trim().to_string())
        .filter(|text| !text.is_empty());
    let root = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    println!("cargo:rustc-env=HEXCC_VERSION={version}");
    println!(
        "cargo:rustc-env=HEXCC_LONG_VERSION={version} ({})",
        commit.as_deref().unwrap_or("unknown commit")
    );
    println!("cargo:rustc-env=HEXCC_ROOT={root}");
    let examples: Vec<_> = examples(Path::new("tests/snapshots")).into_iter().collect();
    let out = std::env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    std::fs::write(
        Path::new(&out).join("examples.rs"),
        format!("&{examples:?}"),
    )
    .expect("OUT_DIR can be written");
    println!("cargo:rerun-if-changed=tests/snapshots");
    println!("cargo:rerun-if-changed=build.rs");
    // The log changes with every commit, HEAD only with the branch.
    println!("cargo:rerun-if-changed=.git/logs/HEAD");
}
