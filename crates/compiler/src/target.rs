//! Descriptions of GPUs: the numbers the tile-size model needs.
//!
//! Architecture invariant: no GPU is asked here. Whoever knows the name of the
//! one that is present looks it up with [`Targets::for_device`].

use crate::diag::{Diagnostic, Result};
use serde::Deserialize;
use std::collections::BTreeMap;

/// The table that comes with hexcc.
const BUILT_IN: &str = include_str!("../data/gpus.toml");

/// The GPU assumed where none is named or found.
pub const DEFAULT_TARGET: &str = "h200";

/// A GPU. `data/gpus.toml` explains the fields.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// Name in the table.
    #[serde(skip)]
    pub name: String,
    /// Multiprocessors.
    pub sms: i64,
    /// Clock of the multiprocessors.
    pub clock_mhz: f64,
    /// Thread-instructions issued per multiprocessor and cycle.
    pub issue_lanes: f64,
    /// 4-byte shared-memory accesses per multiprocessor and cycle.
    pub shared_lanes: f64,
    /// Single-precision results per multiprocessor and cycle.
    pub fp32_lanes: f64,
    /// Double-precision results per multiprocessor and cycle.
    pub fp64_lanes: f64,
    /// DRAM bandwidth that a copy attains, GB/s.
    pub dram_gbs: f64,
    /// L2 bandwidth, GB/s.
    pub l2_gbs: f64,
    /// Capacity of L2.
    pub l2_bytes: f64,
    /// Shared memory of a multiprocessor, bytes.
    pub shared_per_sm: i64,
    /// The most shared memory a block can ask for, bytes.
    pub shared_per_block: i64,
    /// Shared memory the driver takes per block, bytes.
    pub shared_reserved: i64,
    /// 32-bit registers of a multiprocessor.
    pub registers_per_sm: i64,
    /// Resident threads of a multiprocessor.
    pub threads_per_sm: i64,
    /// Resident blocks of a multiprocessor.
    pub blocks_per_sm: i64,
    /// Cycles of a load from DRAM.
    pub dram_latency: f64,
    /// Cycles of a load from L2.
    pub l2_latency: f64,
    /// Cycles of a load from shared memory.
    pub shared_latency: f64,
    /// Cycles of a barrier with all warps present.
    pub barrier_latency: f64,
    /// Bytes of straight-line code that run without fetch stalls.
    pub instruction_cache: f64,
    /// Microseconds from the end of a kernel to the start of the next.
    pub launch_us: f64,
}

impl Default for Target {
    fn default() -> Self {
        let mut targets = Targets::built_in();
        match targets.0.remove(DEFAULT_TARGET) {
            Some(target) => target,
            None => unreachable!("the built-in table has the default; a test says so"),
        }
    }
}

/// A table of GPUs by name.
#[derive(Clone, Debug)]
pub struct Targets(BTreeMap<String, Target>);

impl Targets {
    /// The table that comes with hexcc.
    pub fn built_in() -> Targets {
        let mut targets = Targets(BTreeMap::new());
        // A test reads the table, so that it cannot fail here.
        let _ = targets.extend("data/gpus.toml", BUILT_IN);
        targets
    }

    /// Adds the entries of a table in the form of `data/gpus.toml`.
    ///
    /// # Errors
    /// HX0405 where the text is no such table, or a figure makes no sense.
    pub fn extend(&mut self, path: &str, text: &str) -> Result<()> {
        let malformed = |what: String| {
            Box::new(
                Diagnostic::error("HX0405", format!("`{path}` is no table of GPUs: {what}"))
                    .note(format!("one table per GPU, such as `[{DEFAULT_TARGET}]`, with every key the built-in table has"))
                    .help("start from crates/compiler/data/gpus.toml"),
            )
        };
        let table: BTreeMap<String, Target> =
            toml::from_str(text).map_err(|e| malformed(e.to_string().trim_end().to_string()))?;
        for (name, mut target) in table {
            target.name = name.to_lowercase();
            if let Some(key) = target.nonsense() {
                return Err(malformed(format!("`{key}` of `{name}` must be positive")));
            }
            self.0.insert(target.name.clone(), target);
        }
        Ok(())
    }

    /// The GPU of this name, in any case.
    ///
    /// # Errors
    /// HX0404 with the names known.
    pub fn find(&self, name: &str) -> Result<Target> {
        self.0.get(&name.to_lowercase()).cloned().ok_or_else(|| {
            let names: Vec<&str> = self.0.keys().map(String::as_str).collect();
            Box::new(
                Diagnostic::error("HX0404", format!("no GPU `{name}` is known"))
                    .note(format!("known: {}", names.join(", ")))
                    .help("describe it in a file and name that with `--gpu-table`"),
            )
        })
    }

    /// The entry whose name occurs in what the driver calls a device, such as
    /// "NVIDIA GeForce RTX 4090"; the longest of several.
    pub fn for_device(&self, device: &str) -> Option<&Target> {
        let simplified: String = (device.chars())
            .filter(|c| c.is_ascii_alphanumeric())
            .map(|c| c.to_ascii_lowercase())
            .collect();
        (self.0.values())
            .filter(|t| simplified.contains(t.name.as_str()))
            .max_by_key(|t| t.name.len())
    }
}

impl Target {
    /// A key whose value cannot be divided by or allocated from.
    fn nonsense(&self) -> Option<&'static str> {
        let counts = [
            ("sms", self.sms),
            ("shared_per_sm", self.shared_per_sm),
            ("shared_per_block", self.shared_per_block),
            ("registers_per_sm", self.registers_per_sm),
            ("threads_per_sm", self.threads_per_sm),
            ("blocks_per_sm", self.blocks_per_sm),
        ];
        let rates = [
            ("clock_mhz", self.clock_mhz),
            ("issue_lanes", self.issue_lanes),
            ("shared_lanes", self.shared_lanes),
            ("fp32_lanes", self.fp32_lanes),
            ("fp64_lanes", self.fp64_lanes),
            ("dram_gbs", self.dram_gbs),
            ("l2_gbs", self.l2_gbs),
            ("l2_bytes", self.l2_bytes),
            ("instruction_cache", self.instruction_cache),
        ];
        let latencies = [
            ("dram_latency", self.dram_latency),
            ("l2_latency", self.l2_latency),
            ("shared_latency", self.shared_latency),
            ("barrier_latency", self.barrier_latency),
            ("launch_us", self.launch_us),
        ];
        let bad_count = counts.iter().find(|(_, n)| *n < 1).map(|(k, _)| *k);
        let bad_rate = (rates.iter())
            .find(|(_, x)| !(x.is_finite() && *x > 0.0))
            .map(|(k, _)| *k);
        let bad_latency = (latencies.iter())
            .find(|(_, x)| !(x.is_finite() && *x >= 0.0))
            .map(|(k, _)| *k);
        let reserved = (self.shared_reserved < 0).then_some("shared_reserved");
        bad_count.or(bad_rate).or(bad_latency).or(reserved)
    }

    /// Cycles per second.
    pub fn hertz(&self) -> f64 {
        self.clock_mhz * 1e6
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_table_is_read() {
        let mut targets = Targets(BTreeMap::new());
        assert!(targets.extend("data/gpus.toml", BUILT_IN).is_ok());
        for name in ["h200", "h100", "a100", "v100", "rtx4090", "b200"] {
            assert_eq!(
                targets.find(name).map(|t| t.name).ok().as_deref(),
                Some(name)
            );
        }
        assert_eq!(Target::default().name, DEFAULT_TARGET);
        assert_eq!(Target::default().sms, 132);
    }

    #[test]
    fn devices_are_found_by_the_drivers_name() {
        let targets = Targets::built_in();
        let name = |device| targets.for_device(device).map(|t| t.name.as_str());
        assert_eq!(name("NVIDIA H200"), Some("h200"));
        assert_eq!(name("NVIDIA A100-SXM4-80GB"), Some("a100"));
        assert_eq!(name("NVIDIA GeForce RTX 4090"), Some("rtx4090"));
        assert_eq!(name("Some other card"), None);
    }

    #[test]
    fn tables_extend_and_replace() {
        let mut targets = Targets::built_in();
        let own = BUILT_IN
            .split("\n[h100]")
            .next()
            .unwrap_or_default()
            .replace("[h200]", "[Mine]")
            .replace("sms = 132", "sms = 7");
        targets.extend("own.toml", &own).expect("a table");
        assert_eq!(targets.find("mine").map(|t| t.sms).ok(), Some(7));
        let unknown = targets.find("gtx1").expect_err("not in the table");
        assert_eq!(unknown.code, "HX0404");
        assert!(unknown.notes[0].contains("h200, l40s, mine"));
        for bad in ["[x]\nsms = 3", "x", &own.replace("sms = 7", "sms = 0")] {
            let error = targets.extend("bad.toml", bad).expect_err("no table");
            assert_eq!(error.code, "HX0405");
        }
    }
}
