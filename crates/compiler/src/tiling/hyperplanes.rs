//! Sweeps in place, hyperplane by hyperplane: a nest no loop of which is parallel, as that of
//! Gauss-Seidel is, runs in the order of `c0 x0 + c1 x1 + ..`; iterations of equal sums run at the same
//! time.
//!
//! Two iterations *conflict* where they touch the same element, which one of them writes. Every
//! conflict keeps C's order where the sum of the later iteration is larger: then each element gets the
//! same values in the same order, and results are C's to the last bit. [`Hyperplanes::find`] takes the
//! smallest coefficients, from the innermost loop outwards, for which isl proves that of all distances
//! of conflicts, for all sizes.

use crate::diag::{Diagnostic, Result};
use hexcc_isl::{Ctx, DimType, Map, Set};

/// Coefficients of loops, at most: boxes of 27 points take 1, 2 and 4, and 8 for the loop around them.
const MOST: i64 = 16;

/// The order of the iterations of a nest by hyperplanes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hyperplanes {
    /// Dimensions of the schedules that are the loops of the nest, outermost first.
    pub dims: Vec<usize>,
    /// By loop, its coefficient.
    pub coefficients: Vec<i64>,
    /// The loop whose iteration follows from the sum and the iterations of the others: the first of
    /// those whose coefficient is one.
    solved: usize,
    /// Iterations that a launch shares, at most, where that does not depend on sizes.
    pub most: Option<i64>,
    /// The sum in the words of the program.
    pub text: String,
}

impl Hyperplanes {
    /// Those of the loops `dims`, given the distances of all conflicts along them; `None` where no
    /// small coefficients will do.
    ///
    /// # Errors
    /// HX0401 where isl gives up.
    pub fn find(ctx: &Ctx, dims: &[usize], distances: &[Set]) -> Result<Option<Hyperplanes>> {
        let mut coefficients = vec![0; dims.len()];
        for e in (0..dims.len()).rev() {
            let mut keeps = |c: i64| -> Result<bool> {
                coefficients[e] = c;
                keep_order(ctx, &coefficients, e, distances)
            };
            if !keeps(MOST)? {
                return Ok(None);
            }
            let mut least = 0;
            while !keeps(least)? {
                least += 1;
            }
        }
        let solved = coefficients.iter().position(|c| *c == 1);
        Ok(solved.map(|solved| Hyperplanes {
            dims: dims.to_vec(),
            solved,
            most: None,
            text: sum(&coefficients, |_| "..".to_string()),
            coefficients,
        }))
    }

    /// Takes the names of a statement's iterators for what they are, given its times by hyperplanes.
    ///
    /// # Errors
    /// HX0401 where isl gives up.
    pub fn name(&mut self, times: &Map) -> Result<()> {
        let functions = times.to_pw_affs()?;
        let Some(sum) = functions.get(self.sum()) else {
            return Ok(());
        };
        let text = sum.to_str()?;
        let value = text
            .split_once("[(")
            .and_then(|(_, rest)| rest.split_once(")]"));
        if let Some((value, _)) = value {
            self.text = value.to_string();
        }
        Ok(())
    }

    /// The dimension of the sum in [`Hyperplanes::times`]: the host's loop.
    pub fn sum(&self) -> usize {
        self.dims[0]
    }

    /// The dimensions of the loops that threads share.
    pub fn shared(&self) -> &[usize] {
        &self.dims[1..]
    }

    /// The loops that threads share, as dimensions of the schedules as they were.
    pub fn others(&self) -> impl Iterator<Item = usize> {
        let all = self.dims.iter().enumerate();
        all.filter(|(e, _)| *e != self.solved).map(|(_, d)| *d)
    }

    /// From the times of schedules of `depth` dimensions to those by hyperplanes: the sum takes the
    /// place of the outermost loop, and all loops but the solved one follow.
    ///
    /// # Errors
    /// HX0401 where isl gives up.
    pub fn times(&self, ctx: &Ctx, depth: usize) -> Result<Map> {
        if self.dims.last().is_none_or(|d| *d >= depth) {
            return Err(Box::new(Diagnostic::bug("hyperplanes of no loops")));
        }
        let x = |d: usize| format!("x{d}");
        let from: Vec<String> = (0..depth).map(x).collect();
        let mut to = from.clone();
        to[self.sum()] = sum(&self.coefficients, |e| x(self.dims[e]));
        for (d, other) in self.shared().iter().zip(self.others()) {
            to[*d] = x(other);
        }
        let text = format!("{{ [{}] -> [{}] }}", from.join(", "), to.join(", "));
        Ok(Map::read(ctx, &text)?)
    }
}

/// The text of a sum, given what loops are called.
fn sum(coefficients: &[i64], name: impl Fn(usize) -> String) -> String {
    let terms = coefficients.iter().enumerate().filter(|(_, c)| **c != 0);
    let term = |(e, c): (usize, &i64)| match c {
        1 => name(e),
        c => format!("{c} {}", name(e)),
    };
    let terms: Vec<String> = terms.map(term).collect();
    terms.join(" + ")
}

/// Whether, of all conflicts whose first difference is along loop `e`, the later iteration has the
/// larger sum.
fn keep_order(ctx: &Ctx, coefficients: &[i64], e: usize, distances: &[Set]) -> Result<bool> {
    let name = |e: usize| format!("x{e}");
    let names: Vec<String> = (0..coefficients.len()).map(name).collect();
    let equal: String = (0..e).map(|o| format!("x{o} = 0 and ")).collect();
    let sum = match sum(coefficients, name) {
        empty if empty.is_empty() => "0".to_string(),
        sum => sum,
    };
    // Distances are those from either iteration to the other.
    let text = format!(
        "{{ [{}] : {equal}((x{e} > 0 and {sum} <= 0) or (x{e} < 0 and {sum} >= 0)) }}",
        names.join(", ")
    );
    let wrong = Set::read(ctx, &text)?;
    for set in distances {
        if !set.is_disjoint(&wrong)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The differences between iterations that are related, along the dimensions `dims` of both sides, which
/// have equal values in all dimensions before the first of these.
///
/// # Errors
/// HX0401 where isl gives up.
pub fn distances(pairs: &Map, dims: &[usize]) -> Result<Set> {
    let mut differences = pairs.deltas()?;
    for d in (0..differences.dim(DimType::Set)?).rev() {
        if !dims.contains(&d) {
            differences = differences.project_out(DimType::Set, d as u32, 1)?;
        }
    }
    Ok(differences)
}

#[cfg(test)]
mod tests {
    use super::*;

    type Outcome = std::result::Result<(), Box<dyn std::error::Error>>;

    type Found = std::result::Result<Option<Hyperplanes>, Box<dyn std::error::Error>>;

    fn of(ctx: &Ctx, dims: &[usize], distances: Set) -> Found {
        Hyperplanes::find(ctx, dims, &[distances]).map_err(|d| d.message.into())
    }

    fn found(
        n: usize,
        distances: &str,
    ) -> std::result::Result<Option<Vec<i64>>, Box<dyn std::error::Error>> {
        let ctx = Ctx::new()?;
        let distances = Set::read(&ctx, distances)?;
        let dims: Vec<usize> = (0..n).map(|e| 2 * e + 1).collect();
        Ok(of(&ctx, &dims, distances)?.map(|h| h.coefficients))
    }

    #[test]
    fn five_points_go_along_the_diagonal() -> Outcome {
        let all = "{ [i, j] : (i = 0 and (j = 1 or j = -1)) or (j = 0 and (i = 1 or i = -1)) }";
        assert_eq!(found(2, all)?, Some(vec![1, 1]));
        Ok(())
    }

    #[test]
    fn nine_points_go_along_a_steeper_one() -> Outcome {
        assert_eq!(found(2, "{ [i, j] : -1 <= i, j <= 1 }")?, Some(vec![2, 1]));
        Ok(())
    }

    #[test]
    fn sweeps_follow_each_other() -> Outcome {
        let star = "[T] -> { [t, i, j] : -T < t < T and -1 <= i + j <= 1 and -1 <= i - j <= 1 }";
        assert_eq!(found(3, star)?, Some(vec![2, 1, 1]));
        let boxed = "[T] -> { [t, i, j] : -T < t < T and -1 <= i, j <= 1 }";
        assert_eq!(found(3, boxed)?, Some(vec![4, 2, 1]));
        let boxed = "{ [t, i, j, k] : -1 <= i, j, k <= 1 }";
        assert_eq!(found(4, boxed)?, Some(vec![8, 4, 2, 1]));
        Ok(())
    }

    #[test]
    fn a_loop_without_conflicts_is_in_no_sum() -> Outcome {
        let lines = "{ [i, j, k] : j = 0 and -1 <= i - k <= 1 and -1 <= i + k <= 1 }";
        assert_eq!(found(3, lines)?, Some(vec![1, 0, 1]));
        Ok(())
    }

    #[test]
    fn what_all_iterations_touch_has_none() -> Outcome {
        assert_eq!(found(2, "[N] -> { [i, j] : -N < i, j < N }")?, None);
        // The last of a line is read by the first of the next.
        let wrapped = "[N] -> { [i, j] : (i = 0 and -1 <= j <= 1) or (i = 1 and j = -N) }";
        assert_eq!(found(2, wrapped)?, None);
        Ok(())
    }

    /// All iterations of small nests, in the order of hyperplanes: conflicts stay in C's order.
    #[test]
    fn conflicts_stay_in_order() -> Outcome {
        let ctx = Ctx::new()?;
        let offsets: Vec<[i64; 2]> = (-2..=2)
            .flat_map(|i| (-2..=2).map(move |j| [i, j]))
            .collect();
        for (a, b) in (0..offsets.len()).flat_map(|a| (0..a).map(move |b| (a, b))) {
            let (a, b) = (offsets[a], offsets[b]);
            let both: Vec<[i64; 2]> = [a, b]
                .iter()
                .flat_map(|&[i, j]| [[i, j], [-i, -j]])
                .collect();
            let texts: Vec<String> = (both.iter())
                .map(|[i, j]| format!("(i = {i} and j = {j})"))
                .collect();
            let set = Set::read(&ctx, &format!("{{ [i, j] : {} }}", texts.join(" or ")))?;
            let found = of(&ctx, &[0, 1], set)?;
            let found = found.ok_or("constant distances have hyperplanes")?;
            let [ci, cj] = found.coefficients[..] else {
                return Err("two loops".into());
            };
            for [i, j] in both.into_iter().filter(|d| *d > [0, 0]) {
                assert!(ci * i + cj * j > 0, "{i}, {j} with {ci}, {cj}");
            }
        }
        Ok(())
    }

    #[test]
    fn times_are_reversible() -> Outcome {
        let ctx = Ctx::new()?;
        let found = Hyperplanes {
            dims: vec![1, 3, 5],
            coefficients: vec![4, 2, 1],
            solved: 2,
            most: None,
            text: String::new(),
        };
        let times = found.times(&ctx, 7).map_err(|d| d.message)?;
        let expected =
            "{ [x0, x1, x2, x3, x4, x5, x6] -> [x0, 4x1 + 2x3 + x5, x2, x1, x4, x3, x6] }";
        assert!(times.is_equal(&Map::read(&ctx, expected)?)?);
        assert!(times.is_bijective()?);
        Ok(())
    }
}
