//! Sizes of a problem that is measured: from the command line, from the header
//! comment of a testsuite program, or chosen to fit the GPU.

use hexcc_compiler::kernel::Stencil;
use hexcc_compiler::kernel::plan;
use hexcc_isl::AstExpr;
use std::collections::{BTreeMap, BTreeSet};

/// Values of the region's parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Name and value, in the order of [`Interface::params`](hexcc_compiler::interface::Interface::params).
    pub params: Vec<(String, i64)>,
    /// Parameter that bounds the time loop, where one alone does.
    pub time: Option<usize>,
}

/// The benchmark sizes in the `hexcc-test:` comment of a testsuite program.
pub fn header_sizes(source: &str) -> BTreeMap<String, i64> {
    let header = source.lines().find_map(|l| l.split_once("hexcc-test:"));
    let value = |key: &str| {
        let words = header?.1.split_whitespace();
        words
            .filter_map(|w| w.split_once('='))
            .find(|(k, _)| *k == key)
    };
    let (Some((_, names)), Some((_, sizes))) = (value("args"), value("bench")) else {
        return BTreeMap::new();
    };
    (names.split(',').zip(sizes.split(',')))
        .filter_map(|(name, size)| Some((name.to_string(), size.parse().ok()?)))
        .collect()
}

/// Extents tried first, by number of space dimensions.
const EXTENTS: [i64; 4] = [1 << 26, 16384, 512, 96];
/// Time steps, by number of space dimensions.
const STEPS: [i64; 4] = [1024, 512, 128, 64];

impl Problem {
    /// Chooses the parameters: `given` first, then `defaults` if all arrays then
    /// fit into `memory` bytes, then sizes with which they do.
    ///
    /// # Errors
    /// What is wrong with the sizes given, or that none could be found.
    pub fn choose(
        kernels: &[&Stencil],
        given: &BTreeMap<String, i64>,
        defaults: &BTreeMap<String, i64>,
        memory: u64,
    ) -> Result<Problem, String> {
        let Some(first) = kernels.first() else {
            return Err("there is no kernel".to_string());
        };
        let names = &first.params;
        if let Some(unknown) = given.keys().find(|name| !names.contains(name)) {
            return Err(format!(
                "`{unknown}` is not a size of the region; those are: {}",
                names.join(", ")
            ));
        }
        let times = time_params(kernels);
        let time = match times.iter().collect::<Vec<_>>().as_slice() {
            [name] => names.iter().position(|n| n == *name),
            _ => None,
        };
        let n_space = first.dims.len().saturating_sub(1).clamp(1, 4);
        let known = |name: &str| given.get(name).or_else(|| defaults.get(name)).copied();
        let mut extent = EXTENTS[n_space - 1];
        loop {
            let params = (names.iter())
                .map(|name| {
                    let value = known(name).unwrap_or(if times.contains(name) {
                        STEPS[n_space - 1]
                    } else {
                        extent
                    });
                    (name.clone(), value)
                })
                .collect();
            let problem = Problem { params, time };
            let free = names
                .iter()
                .any(|n| known(n).is_none() && !times.contains(n));
            let bytes = array_bytes(kernels, &problem.values());
            let fits = bytes.is_some_and(|b| b <= memory);
            if !fits && !defaults.is_empty() {
                return Problem::choose(kernels, given, &BTreeMap::new(), memory);
            }
            if free && !fits && extent > 16 {
                extent /= 2;
                continue;
            }
            if bytes.is_none() {
                return Err("the arrays are too large, or an extent is negative".to_string());
            }
            let works = |stencil: &&Stencil| {
                let ranges = plan::ranges(stencil, &problem.values());
                ranges.is_some_and(|r| !r.is_empty())
            };
            if !kernels.iter().any(works) {
                return Err(format!("there is nothing to compute with {problem}"));
            }
            return Ok(problem);
        }
    }

    /// The values alone.
    pub fn values(&self) -> Vec<i64> {
        self.params.iter().map(|(_, v)| *v).collect()
    }

    /// Iterations of the time loop of a stencil.
    pub fn steps(&self, stencil: &Stencil) -> i64 {
        steps(stencil, &self.values()).unwrap_or(0)
    }

    /// The parameters for another number of time steps; the problem's own where
    /// the number cannot be chosen, or is not smaller.
    pub fn with_steps(&self, stencil: &Stencil, wanted: i64) -> Vec<i64> {
        let values = self.values();
        let (Some(time), Some(now)) = (self.time, steps(stencil, &values)) else {
            return values;
        };
        if wanted >= now {
            return values;
        }
        // Most loops make one step per unit of the parameter; others are
        // found by halving.
        let with = |value: i64| {
            let mut changed = values.clone();
            changed[time] = value;
            changed
        };
        let guess = with(values[time] - (now - wanted));
        if steps(stencil, &guess) == Some(wanted) {
            return guess;
        }
        let (mut lo, mut hi) = (0, values[time]);
        while lo + 1 < hi {
            let mid = lo + (hi - lo) / 2;
            match steps(stencil, &with(mid)) {
                Some(n) if n >= wanted => hi = mid,
                _ => lo = mid,
            }
        }
        with(hi)
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let all: Vec<String> = (self.params.iter())
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        f.write_str(&all.join(","))
    }
}

/// Iterations of the time loop; `None` where that cannot be said.
pub fn steps(stencil: &Stencil, params: &[i64]) -> Option<i64> {
    let value_of = |name: &str| {
        let at = stencil.params.iter().position(|p| p == name)?;
        params.get(at).copied()
    };
    let range = stencil.ranges.first()?;
    let (lo, hi) = (
        plan::eval(&range.lo, &value_of)?,
        plan::eval(&range.hi, &value_of)?,
    );
    Some((hi - lo + 1).max(0))
}

/// Parameters that bound the time loop and no space coordinate.
fn time_params(kernels: &[&Stencil]) -> BTreeSet<String> {
    let (mut time, mut space) = (BTreeSet::new(), BTreeSet::new());
    for stencil in kernels {
        for (d, range) in stencil.ranges.iter().enumerate() {
            let into = if d == 0 { &mut time } else { &mut space };
            names_in(&range.lo, into);
            names_in(&range.hi, into);
        }
    }
    time.difference(&space).cloned().collect()
}

fn names_in(expr: &AstExpr, into: &mut BTreeSet<String>) {
    match expr {
        AstExpr::Int(_) => {}
        AstExpr::Id(name) => {
            into.insert(name.clone());
        }
        AstExpr::Op(_, args) => args.iter().for_each(|a| names_in(a, into)),
    }
}

/// Bytes of all arrays, each counted once.
fn array_bytes(kernels: &[&Stencil], params: &[i64]) -> Option<u64> {
    let mut bytes: BTreeMap<&str, u64> = BTreeMap::new();
    for stencil in kernels {
        for (array, layout) in stencil.arrays.iter().zip(plan::layouts(stencil, params)?) {
            let elements = u64::try_from(layout.elements).ok()?;
            let size = elements.checked_mul(array.elem.size() as u64)?;
            bytes.insert(&array.name, size);
        }
    }
    bytes.values().try_fold(0u64, |sum, b| sum.checked_add(*b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hexcc_compiler::compiled::Compiled;
    use hexcc_compiler::options::Options;
    use hexcc_compiler::pipeline;
    use hexcc_isl::Ctx;

    fn compiled(text: &str) -> Compiled {
        let saved = serde_json::from_str(text).expect("a saved scop");
        let ctx = Ctx::new().expect("memory for a context");
        pipeline::compile(&ctx, &saved, &Options::default()).expect("it compiles")
    }

    fn none() -> BTreeMap<String, i64> {
        BTreeMap::new()
    }

    #[test]
    fn sizes_come_from_the_header() {
        let text = " * hexcc-test: args=N,T run=1,3;2,1 bench=8192,512 tile=h=0,w=1:8\n";
        let sizes = header_sizes(text);
        assert_eq!(sizes.get("N"), Some(&8192));
        assert_eq!(sizes.get("T"), Some(&512));
        assert!(header_sizes("int main() {}").is_empty());
    }

    #[test]
    fn sizes_fit_the_memory() {
        let compiled = compiled(include_str!("../../compiler/tests/data/jacobi2d.scop.json"));
        let kernels = [compiled.units[0].stencil()];
        let choose = |memory| Problem::choose(&kernels, &none(), &none(), memory);
        let text = |memory| choose(memory).map(|p| p.to_string());
        assert_eq!(text(1 << 40), Ok("N=16384,T=512".to_string()));
        assert_eq!(text(1 << 30), Ok("N=8192,T=512".to_string()));
        let header = BTreeMap::from([("N".to_string(), 100), ("T".to_string(), 7)]);
        let small = Problem::choose(&kernels, &none(), &header, 1 << 20);
        assert_eq!(small.map(|p| p.to_string()), Ok("N=100,T=7".to_string()));
        let tiny = Problem::choose(&kernels, &none(), &header, 1 << 14);
        assert_eq!(tiny.map(|p| p.to_string()), Ok("N=32,T=512".to_string()));
        let given = BTreeMap::from([("M".to_string(), 3)]);
        assert!(Problem::choose(&kernels, &given, &none(), 1 << 30).is_err());
        let given = BTreeMap::from([("N".to_string(), 0)]);
        assert!(Problem::choose(&kernels, &given, &none(), 1 << 30).is_err());
    }

    #[test]
    fn time_steps_can_be_chosen() {
        let compiled = compiled(include_str!("../../compiler/tests/data/jacobi2d.scop.json"));
        let stencil = compiled.units[0].stencil();
        let problem = Problem::choose(&[stencil], &none(), &none(), 1 << 30).expect("sizes");
        assert_eq!(problem.steps(stencil), 512);
        assert_eq!(problem.with_steps(stencil, 20), [8192, 20]);
        assert_eq!(problem.with_steps(stencil, 4000), [8192, 512]);
    }
}
