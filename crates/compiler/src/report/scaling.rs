//! What a program is expected to take on more GPUs than there are: what `hexcc explain --gpus` says of it.

use super::placement::{duration, sizes};
use crate::compiled::Compiled;
use crate::options::Gpus;
use crate::slabs::scaling::{Counts, Link, Shared};
use crate::target::Target;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Numbers of GPUs that the table has, beside the one that is asked for.
const GPUS: [i64; 6] = [1, 2, 4, 8, 64, 1024];

/// Gigabytes per second each way between neighbours: of one host (NVLink, H200), and of hosts (a network card for each GPU).
const LINKS: [f64; 2] = [400.0, 50.0];

/// A table of what several GPUs do and take, for the sizes given; nothing where they share no loop.
pub fn explain_gpus(
    compiled: &Compiled,
    gpus: Option<Gpus>,
    target: &Target,
    given: &[(String, i64)],
) -> String {
    let Some(slabs) = compiled.in_slabs() else {
        return String::new();
    };
    let sizes: BTreeMap<String, i64> = (sizes(&slabs.interface, given).into_iter())
        .map(|(name, n)| (name.to_string(), n))
        .collect();
    let Some(shared) = Shared::of(compiled, &sizes, target) else {
        return String::new();
    };
    let wanted = match gpus {
        Some(Gpus::Some(n)) => Some(i64::from(n)),
        _ => None,
    };
    let all: BTreeSet<i64> = GPUS.into_iter().chain(wanted).collect();
    let with: Vec<String> = sizes
        .iter()
        .map(|(name, n)| format!("{name} = {n}"))
        .collect();
    let mut text = format!(
        "\nseveral GPUs, expected of {} with {}\n  \
         one domain, its launches and what travels by all; with links of so many GB/s each way; weak: with a domain for each GPU\n  \
         {:>6} {:>6} {:>10} {:>10} {:>10} {:>16} {:>22} {:>22} {:>12}\n",
        target.name,
        with.join(", "),
        "GPUs",
        "slabs",
        "rows",
        "launches",
        "exchanges",
        "bytes sent",
        format!("{} GB/s", LINKS[0]),
        format!("{} GB/s", LINKS[1]),
        "weak"
    );
    let links = LINKS.map(|gb| Link {
        bandwidth: gb * 1e9,
    });
    let one = shared.on(1, 1, links[0]).seconds;
    for n in all {
        let [near, far] = links.map(|link| shared.on(n, 1, link));
        let time =
            |of: &Counts| format!("{} ({:.2} x)", duration(of.seconds * 1e9), one / of.seconds);
        let weak = links.map(|link| format!("{:.2}", one / shared.on(n, n, link).seconds));
        let _ = writeln!(
            text,
            "  {:>6} {:>6} {:>10} {:>10} {:>10} {:>16} {:>22} {:>22} {:>12}",
            n,
            near.slabs,
            near.rows,
            near.launches,
            near.exchanges,
            near.bytes,
            time(&near),
            time(&far),
            weak.join(", ")
        );
    }
    text
}
