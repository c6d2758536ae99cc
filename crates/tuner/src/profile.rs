//! Profiles: what hardware counters say of the kernels of a benchmark.
//!
//! ncu runs the benchmark again with [`Request::profiled`](crate::Request::profiled), which lets it see some
//! launches of each row behind those of `fill`, and writes a table ([`read`]). A page has them beside the times of a
//! run without ncu ([`page`], [`markdown`]), with a roofline (Williams, Waterman, Patterson, CACM 2009).

mod page;

pub use page::{markdown, page};

use crate::report::BenchRow;
use serde::Serialize;
use std::collections::BTreeMap;

/// The kernel whose launches begin a row.
const MARK: &str = "fill";

/// Metrics of ncu and what they are here.
const METRICS: [(&str, Metric); 7] = [
    (TIME, |c| &mut c.ns),
    ("dram__bytes.sum", |c| &mut c.dram_bytes),
    ("dram__throughput.avg.pct_of_peak_sustained_elapsed", |c| {
        &mut c.dram
    }),
    ("l1tex__t_sector_hit_rate.pct", |c| &mut c.l1_hits),
    ("lts__t_sector_hit_rate.pct", |c| &mut c.l2_hits),
    ("sm__inst_issued.avg.pct_of_peak_sustained_active", |c| {
        &mut c.issued
    }),
    ("sm__warps_active.avg.pct_of_peak_sustained_active", |c| {
        &mut c.warps
    }),
];

/// Where a metric is here.
type Metric = fn(&mut Counters) -> &mut f64;

/// What ncu calls the time of a launch.
const TIME: &str = "gpu__time_duration.sum";

/// Why warps wait, as ncu calls it and in words.
const STALLS: [(&str, &str); 10] = [
    ("long_scoreboard", "wait for data from caches or DRAM"),
    ("short_scoreboard", "wait for data from shared memory"),
    ("mio_throttle", "wait to ask shared memory for data"),
    ("lg_throttle", "wait to ask caches for data"),
    ("barrier", "wait for other warps of the block at a barrier"),
    ("wait", "wait a fixed time for the instruction before"),
    ("math_pipe_throttle", "wait for arithmetic units"),
    ("not_selected", "could run while another warp runs"),
    ("no_instruction", "wait for instructions to be fetched"),
    ("imc_miss", "wait for constants"),
];

/// What counters say of the kernel of a row that takes longest.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Counters {
    /// Its name.
    pub kernel: String,
    /// Nanoseconds of a launch.
    pub ns: f64,
    /// Bytes that a launch moves from and to DRAM.
    pub dram_bytes: f64,
    /// Share of the throughput of DRAM, percent.
    pub dram: f64,
    /// Sectors of 32 bytes that the first-level cache has, percent.
    pub l1_hits: f64,
    /// The same of L2.
    pub l2_hits: f64,
    /// Cycles in which a scheduler issues an instruction, percent.
    pub issued: f64,
    /// Warps that are there, of those that there could be, percent.
    pub warps: f64,
    /// Why warps wait, the most frequent reason first, with the share of their time, percent.
    pub stalls: Vec<(&'static str, f64)>,
}

/// A row with what counters say of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row<'a> {
    /// What was measured.
    #[serde(flatten)]
    pub row: &'a BenchRow,
    /// What counters say, if they were read.
    pub counters: Option<&'a Counters>,
}

/// Rows with their counters.
pub fn rows<'a>(rows: &'a [BenchRow], counters: Option<&'a [Counters]>) -> Vec<Row<'a>> {
    let row = |(i, row)| Row {
        row,
        counters: counters.and_then(|all| all.get(i)),
    };
    rows.iter().enumerate().map(row).collect()
}

/// What the model expects.
#[derive(Clone, Debug, PartialEq)]
pub struct Predicted {
    /// The tile sizes, or that there are none.
    pub variant: String,
    /// Billions of cells per second.
    pub gcells: f64,
    /// The same over the limit of DRAM for kernels that make one step a launch.
    pub of_limit: f64,
}

/// The arguments of ncu before the command that it runs, which write a table to a file.
pub fn arguments(table: &str) -> Vec<String> {
    let stalls = STALLS.iter().map(|(name, _)| stall(name));
    let metrics = METRICS.iter().map(|(name, _)| (*name).to_string());
    let metrics: Vec<String> = metrics.chain(stalls).collect();
    [
        "--csv",
        "--page",
        "raw",
        "--print-units",
        "base",
        "--print-kernel-base",
        "function",
        "--profile-from-start",
        "off",
        "--target-processes",
        "all",
        // Clocks are left as they are in the run without ncu.
        "--clock-control",
        "none",
        "--log-file",
        table,
        "--metrics",
        &metrics.join(","),
    ]
    .map(str::to_string)
    .to_vec()
}

fn stall(name: &str) -> String {
    format!("smsp__average_warps_issue_stalled_{name}_per_issue_active.ratio")
}

/// A launch, by ncu's names of metrics.
struct Launch {
    kernel: String,
    values: BTreeMap<String, f64>,
}

/// The rows of a table that ncu has written, in the order in which they were measured; `None` where it is no such
/// table.
pub fn read(table: &str) -> Option<Vec<Counters>> {
    let launches = launches(table)?;
    let mut rows: Vec<Vec<Launch>> = Vec::new();
    let mut after_mark = false;
    for launch in launches {
        if launch.kernel == MARK {
            if !after_mark {
                rows.push(Vec::new());
            }
            after_mark = true;
            continue;
        }
        after_mark = false;
        rows.last_mut()?.push(launch);
    }
    rows.iter().map(|row| counters(row)).collect()
}

/// What stands in a table, without ncu's remarks and the line of units.
fn launches(table: &str) -> Option<Vec<Launch>> {
    let lines = table.lines().filter(|line| line.starts_with('"'));
    let text: String = lines.map(|line| format!("{line}\n")).collect();
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let titles = reader.headers().ok()?.clone();
    let name = titles.iter().position(|title| title == "Kernel Name")?;
    let mut all = Vec::new();
    for record in reader.records() {
        let record = record.ok()?;
        let kernel = record.get(name)?.to_string();
        if kernel.is_empty() {
            continue;
        }
        let number = |text: &str| text.replace(',', "").parse::<f64>().ok();
        let values = (titles.iter().zip(&record))
            .filter_map(|(title, text)| Some((title.to_string(), number(text)?)));
        all.push(Launch {
            kernel,
            values: values.collect(),
        });
    }
    Some(all)
}

/// What the launches of a row say of the kernel that takes longest of them.
fn counters(row: &[Launch]) -> Option<Counters> {
    let ns = |launch: &&Launch| launch.values.get(TIME).copied().unwrap_or(0.0);
    let mut times: BTreeMap<&str, f64> = BTreeMap::new();
    for launch in row {
        *times.entry(&launch.kernel).or_default() += ns(&launch);
    }
    let (kernel, _) = times.into_iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let mut own: Vec<&Launch> = row.iter().filter(|l| l.kernel == kernel).collect();
    own.sort_by(|a, b| ns(a).total_cmp(&ns(b)));
    let launch = own[own.len() / 2];
    let mut found = Counters {
        kernel: kernel.to_string(),
        ..Counters::default()
    };
    for (name, metric) in METRICS {
        *metric(&mut found) = launch.values.get(name).copied().unwrap_or(0.0);
    }
    // Cycles a warp waits for each instruction that is issued; it takes one to issue.
    let waits = STALLS.map(|(name, words)| {
        let cycles = launch.values.get(&stall(name)).copied();
        (words, cycles.unwrap_or(0.0))
    });
    let all: f64 = 1.0 + waits.iter().map(|(_, cycles)| cycles).sum::<f64>();
    found.stalls = waits
        .iter()
        .map(|(words, cycles)| (*words, 100.0 * cycles / all))
        .filter(|(_, share)| *share >= 1.0)
        .collect();
    found.stalls.sort_by(|a, b| b.1.total_cmp(&a.1));
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_begin_behind_fills() {
        let waits = stall("long_scoreboard");
        let table = format!(
            "==PROF== Connected to process 1\n\
             \"ID\",\"Kernel Name\",\"gpu__time_duration.sum\",\"dram__bytes.sum\",\"{waits}\"\n\
             \"\",\"\",\"ns\",\"byte\",\"inst\"\n\
             \"0\",\"fill\",\"10\",\"1\",\"0\"\n\
             \"1\",\"fill\",\"10\",\"1\",\"0\"\n\
             \"2\",\"step_1\",\"1,000\",\"4096\",\"3\"\n\
             \"3\",\"step_2\",\"100\",\"1\",\"0\"\n\
             \"4\",\"fill\",\"10\",\"1\",\"0\"\n\
             \"5\",\"kernel\",\"20\",\"5\",\"0\"\n"
        );
        let rows = read(&table).expect("a table");
        assert_eq!(rows.len(), 2);
        assert_eq!((rows[0].kernel.as_str(), rows[0].ns), ("step_1", 1000.0));
        assert_eq!(rows[0].dram_bytes, 4096.0);
        assert_eq!(rows[0].stalls, [(STALLS[0].1, 75.0)]);
        assert_eq!(rows[1].kernel, "kernel");
        assert!(read("==ERROR== no permission\n").is_none());
    }
}
