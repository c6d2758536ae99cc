//! Stamps the version with the commit and finds the default library folder.

use std::process::Command;

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
    println!("cargo:rerun-if-changed=build.rs");
    // The log changes with every commit, HEAD only with the branch.
    println!("cargo:rerun-if-changed=.git/logs/HEAD");
}
