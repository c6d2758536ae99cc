//! Failures of long runs, by class: the first input of each is kept, the others are counted.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// Kind and message without what differs from input to input: numbers, and what is quoted.
#[must_use]
pub fn class(kind: &str, detail: &str) -> String {
    let mut text = String::new();
    let mut quoted = false;
    for c in detail.lines().next().unwrap_or("").chars() {
        match c {
            '`' | '\'' | '"' | '‘' | '’' => quoted = !quoted,
            _ if quoted || c.is_ascii_digit() => {}
            c => text.push(c),
        }
    }
    // Names of files come before.
    let text = text.split("error:").last().unwrap_or("").trim();
    format!("{kind}: {}", text.chars().take(100).collect::<String>())
}

/// A folder of findings.
pub struct Findings {
    folder: PathBuf,
    counts: Mutex<BTreeMap<String, u64>>,
}

impl Findings {
    /// Findings in that folder; those already there count as known.
    #[must_use]
    pub fn new(folder: PathBuf) -> Findings {
        let _ = std::fs::create_dir_all(&folder);
        let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        let classes = entries
            .filter(|e| e.path().extension().is_some_and(|x| x == "txt"))
            .filter_map(|e| std::fs::read_to_string(e.path()).ok())
            .filter_map(|text| text.lines().next().map(|l| (l.to_string(), 1)));
        Findings {
            counts: Mutex::new(classes.collect()),
            folder,
        }
    }

    /// Notes a failure; its input is kept if it is the first of its class.
    pub fn add(&self, kind: &str, detail: &str, input: &[u8]) {
        let class = class(kind, detail);
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(class.clone()).or_default();
        *count += 1;
        if *count > 1 {
            return;
        }
        let mut hash = 0xCBF2_9CE4_8422_2325_u64;
        for byte in class.bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
        }
        let stem = self.folder.join(format!("{kind}-{hash:016x}"));
        eprintln!("finding: {class}\n  {}.c", stem.display());
        // A full disk is no finding of its own.
        let _ = std::fs::write(stem.with_extension("c"), input);
        let _ = std::fs::write(stem.with_extension("txt"), format!("{class}\n{detail}\n"));
    }
}
