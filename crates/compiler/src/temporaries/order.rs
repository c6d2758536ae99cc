//! The order in which statements of straight-line code execute, read off their schedules.
//!
//! A schedule has a constant or an iterator in each dimension. Two statements of one loop body
//! have the same iterators up to the dimension in which their constants differ: for the same
//! values of those, the one with the smaller constant comes first. So most questions about
//! temporaries need no dataflow analysis; where these answers are "perhaps", isl is asked.

use crate::diag::Result;
use crate::scop::{Scop, planes};
use hexcc_isl::{DimType, Map};
use std::cmp::Ordering;

/// The schedules of all statements.
pub struct Order {
    /// Per statement and dimension, the constant if it is one.
    constants: Vec<Vec<Option<i64>>>,
}

impl Order {
    /// Reads the schedules.
    pub fn new(scop: &Scop) -> Result<Order> {
        let constants = scop.stmts.iter().map(|stmt| planes(&stmt.schedule));
        Ok(Order {
            constants: constants.collect::<Result<_>>()?,
        })
    }

    /// A key that sorts the statements of straight-line code as they execute.
    pub fn key(&self, stmt: usize) -> Vec<i64> {
        (self.constants[stmt].iter())
            .map(|c| c.unwrap_or(0))
            .collect()
    }

    /// The first dimension in which both have constants and these differ, with the order that
    /// follows for instances that agree before it.
    pub fn first_difference(&self, a: usize, b: usize) -> Option<(usize, Ordering)> {
        let both = self.constants[a].iter().zip(&self.constants[b]);
        both.enumerate().find_map(|(d, pair)| match pair {
            (Some(a), Some(b)) if a != b => Some((d, a.cmp(b))),
            _ => None,
        })
    }

    /// Whether all dimensions of the range are constants.
    fn is_straight(&self, stmt: usize, dims: std::ops::Range<usize>) -> bool {
        (self.constants[stmt].get(dims)).is_some_and(|d| d.iter().all(Option::is_some))
    }

    /// Whether no dimension from `p` on is an iterator.
    pub fn is_straight_from(&self, stmt: usize, p: usize) -> bool {
        self.is_straight(stmt, p..self.constants[stmt].len())
    }

    /// Number of schedule dimensions up to which the loops around all of some statements are the
    /// same. An iterator may have one value in some of them, as under `if (i == 0)`.
    pub fn n_common(&self, stmts: &[usize]) -> usize {
        let Some((&first, rest)) = stmts.split_first() else {
            return 0;
        };
        let depth = self.constants[first].len();
        let same = |other: &usize| {
            (self.constants[first].iter().zip(&self.constants[*other]))
                .position(|pair| matches!(pair, (Some(a), Some(b)) if a != b))
                .unwrap_or(depth)
        };
        rest.iter().map(same).min().unwrap_or(depth)
    }

    /// Whether no instance of `other` executes between an instance of `first` and the one of
    /// `last` that agrees with it in the first `p` dimensions, in which `first` and `last` have
    /// their first difference. "No" means perhaps.
    pub fn is_outside(&self, other: usize, (first, last): (usize, usize), p: usize) -> bool {
        if other == last {
            // The only instance with these iterators is `last` itself.
            return self.is_straight_from(last, p);
        }
        match self.first_difference(other, last) {
            Some((d, _)) if d < p => true,
            Some((d, Ordering::Greater)) => {
                self.is_straight(other, p..d) && self.is_straight(last, p..d)
            }
            Some((d, _)) if d == p => match self.first_difference(other, first) {
                Some((d, _)) if d < p => true,
                Some((d, Ordering::Less)) => {
                    self.is_straight(other, p..d) && self.is_straight(first, p..d)
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// From instances of `a` to those of `b` that agree in the first `p` dimensions.
    pub fn same_prefix(&self, scop: &Scop, a: usize, b: usize, p: usize) -> Result<Map> {
        let prefix = |s: usize| {
            let n = self.constants[s].len() - p;
            (scop.stmts[s].schedule).project_out(DimType::Out, p as u32, n as u32)
        };
        Ok(prefix(a)?.apply_range(&prefix(b)?.reverse()?)?)
    }
}
