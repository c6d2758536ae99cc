//! The search for the lengths of rows by which all subscripts of an array can be divided.

use super::poly::{Extent, Instances, Poly};
use super::{Statements, Uses, bounds, hope};
use crate::csource;
use crate::diag::{Diagnostic, Result};
use hexcc_isl::PwAff;
use hexcc_pet::data::PetArray;
use std::collections::BTreeSet;

/// Dimensions below the outermost that an array can get.
const MAX_INNER: usize = 5;

/// Divisions of all subscripts of an array after which the search ends.
const MAX_DIVISIONS: usize = 500;

/// Elements that a row is taken to have where a column that is a constant asks for it.
const MAX_SHORTEST: i64 = 16;

/// Rows that a remainder is moved by in search of one that is a column.
const SHIFTS: [i64; 5] = [0, 1, -1, 2, -2];

/// The dimensions of an array.
pub struct Shape {
    /// How many of the outermost there are, where that is known.
    pub rows: Option<i64>,
    /// Numbers of elements of the inner dimensions, innermost last.
    pub extents: Vec<Extent>,
    /// By access, the subscripts, outermost first.
    pub subscripts: Vec<Vec<PwAff>>,
}

/// How a search ends.
pub enum Outcome {
    /// With dimensions.
    Found(Shape),
    /// Without, and why, where the array looks flat.
    Failed(Option<Failure>),
}

/// Why an array has no dimensions.
pub enum Failure {
    /// An access whose column is not known to be in its row.
    Leaves {
        /// The access.
        access: usize,
        /// The column, as C writes it.
        column: Option<String>,
        /// What it has to be less than.
        length: String,
        /// Whether the subscript may be the number of a cell.
        is_number: bool,
        /// Dimensions that there are below this one.
        depth: usize,
    },
    /// Two accesses with rows of different lengths.
    Disagree([(usize, String); 2]),
}

/// For which sizes a column has to be in its row.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// For all of them.
    ForAll,
    /// For large domains among others; see [`hope`].
    ForMost,
}

/// The search for the dimensions of an array.
pub struct Search<'a> {
    statements: &'a Statements<'a>,
    uses: &'a Uses,
    proof: Proof,
    failure: Option<Failure>,
    /// Divisions that are left to try.
    budget: usize,
}

/// Lengths of rows, and how they divide the subscripts: innermost first.
#[derive(Clone)]
struct Divided {
    extents: Vec<Extent>,
    /// By access, the columns.
    columns: Vec<Vec<PwAff>>,
}

impl Divided {
    /// Nothing of so many accesses.
    fn new(accesses: usize) -> Divided {
        Divided {
            extents: Vec::new(),
            columns: vec![Vec::new(); accesses],
        }
    }

    /// With rows of one more length, and the columns in them.
    fn by(mut self, length: &Extent, columns: Vec<PwAff>) -> Divided {
        self.extents.push(length.clone());
        for (all, column) in self.columns.iter_mut().zip(columns) {
            all.push(column);
        }
        self
    }
}

impl<'a> Search<'a> {
    /// For an array with these accesses.
    pub fn new(statements: &'a Statements<'a>, uses: &'a Uses, proof: Proof) -> Self {
        Search {
            statements,
            uses,
            proof,
            failure: None,
            budget: MAX_DIVISIONS,
        }
    }

    /// Finds the dimensions.
    ///
    /// # Errors
    /// HX0401 where isl gives up.
    pub fn run(mut self) -> Result<Outcome> {
        let subscripts: Vec<Poly> = self.uses.all.iter().map(|u| u.subscript.clone()).collect();
        let divided = Divided::new(subscripts.len());
        let found = self.divide(&subscripts, &divided)?;
        Ok(match found {
            Some(shape) => Outcome::Found(shape),
            None => {
                if self.failure.is_none() {
                    self.failure = self.disagreement()?;
                }
                Outcome::Failed(self.failure)
            }
        })
    }

    /// The dimensions with rows, planes and so on of all given lengths, in their order.
    ///
    /// # Errors
    /// HX0401 where isl gives up.
    pub fn by_all(mut self) -> Result<Option<Shape>> {
        let mut left: Vec<Poly> = self.uses.all.iter().map(|u| u.subscript.clone()).collect();
        let mut divided = Divided::new(left.len());
        for length in &self.uses.lengths {
            let Some((quotients, columns)) = self.by(&left, length, &divided)? else {
                return Ok(None);
            };
            divided = divided.by(length, columns);
            left = quotients;
        }
        self.finish(&left, &divided).map(Some)
    }

    /// Divides what is left of the subscripts until it is affine.
    fn divide(&mut self, left: &[Poly], divided: &Divided) -> Result<Option<Shape>> {
        if !divided.extents.is_empty() && left.iter().all(Poly::is_affine) {
            return match self.planes(left, divided)? {
                Some((planes, divided)) => self.finish(&planes, &divided).map(Some),
                None => self.finish(left, divided).map(Some),
            };
        }
        if divided.extents.len() >= MAX_INNER {
            return Ok(None);
        }
        for length in self.simplest_first(left)? {
            if self.budget == 0 {
                return Ok(None);
            }
            self.budget -= 1;
            let Some((quotients, columns)) = self.by(left, length, divided)? else {
                continue;
            };
            let next = divided.clone().by(length, columns);
            if let Some(shape) = self.divide(&quotients, &next)? {
                return Ok(Some(shape));
            }
        }
        Ok(None)
    }

    /// Rows `i`, `n + i` and `2*n + i` as rows of planes that constants tell, each with rows that are counted.
    fn planes(&mut self, left: &[Poly], divided: &Divided) -> Result<Option<(Vec<Poly>, Divided)>> {
        let is_far = |row: &Poly| row.terms().any(|(names, _)| !names.is_empty());
        if divided.extents.len() >= MAX_INNER || !left.iter().any(is_far) {
            return Ok(None);
        }
        let uses = self.uses;
        for length in uses
            .lengths
            .iter()
            .filter(|length| length.as_number().is_none())
        {
            let Some((planes, rows)) = self.by(left, length, divided)? else {
                continue;
            };
            let (mut all, mut counted) = (BTreeSet::new(), BTreeSet::new());
            for (plane, row) in planes.iter().zip(left) {
                let is_number = plane.is_fixed() && !is_far(plane);
                all.insert(is_number.then(|| plane.constant().unwrap_or(0)));
                counted.extend((!row.is_fixed()).then(|| plane.constant().unwrap_or(0)));
            }
            if all.len() > 1 && !all.contains(&None) && all.len() == counted.len() {
                return Ok(Some((planes, divided.clone().by(length, rows))));
            }
        }
        Ok(None)
    }

    /// The lengths of rows, those first that leave least in columns: for rows of `n + 2` elements, the column
    /// of `p*n + i` is `i - 2*p`, which says nothing false, and makes the array larger than it is.
    fn simplest_first(&self, left: &[Poly]) -> Result<Vec<&'a Extent>> {
        let uses = self.uses;
        let mut weighed = Vec::new();
        for length in &uses.lengths {
            let mut weight = 0;
            for subscript in left {
                weight += match subscript.divide(length)? {
                    Some((_, rest)) => rest.weight()?,
                    None => 0,
                };
            }
            weighed.push((weight, length));
        }
        weighed.sort_by_key(|(weight, _)| *weight);
        Ok(weighed.into_iter().map(|(_, length)| length).collect())
    }

    /// Rows and columns of all accesses for rows of a length; `None` where a column is not affine
    /// or not known to be in its row.
    fn by(
        &mut self,
        left: &[Poly],
        length: &Extent,
        divided: &Divided,
    ) -> Result<Option<(Vec<Poly>, Vec<PwAff>)>> {
        let mut parts = Vec::new();
        for subscript in left {
            match subscript.divide(length)? {
                Some((quotient, rest)) if rest.is_affine() => parts.push((quotient, rest)),
                _ => return Ok(None),
            }
        }
        // Columns of which none changes say nothing of rows: with `x[i*step]` the last row may
        // end behind its first element. Where one is the last of a row, column -1 of
        // the next, it is complete.
        let last = length.as_number().map_or(-1, |n| n - 1);
        let ends = |rest: &Poly| rest.constant() == Some(last);
        if divided.extents.is_empty()
            && parts.iter().all(|(_, rest)| rest.is_fixed())
            && !parts.iter().any(|(_, rest)| ends(rest))
        {
            return Ok(None);
        }
        let (mut quotients, mut columns) = (Vec::new(), Vec::new());
        for (access, (quotient, rest)) in parts.iter().enumerate() {
            let Some((quotient, column)) = self.column(access, (quotient, rest), length)? else {
                self.note_leaving(access, (quotient, rest, length), divided.extents.len())?;
                return Ok(None);
            };
            quotients.push(quotient);
            columns.push(column);
        }
        Ok(Some((quotients, columns)))
    }

    /// The row and the column of an access, where the column is proven to be in its row.
    fn column(
        &self,
        access: usize,
        (quotient, rest): (&Poly, &Poly),
        length: &Extent,
    ) -> Result<Option<(Poly, PwAff)>> {
        let domain = self.statements.of(&self.uses.all[access])?;
        let instances = Instances::new(&domain);
        let zero = instances.number(0)?;
        let length = length.poly();
        let extent = length.to_function(&instances)?;
        // Sizes for which a row has no element are left out, and for a column that is the same
        // for all instances those for which its row is too short.
        let shortest = rest.constant().filter(|_| rest.is_fixed()).unwrap_or(0);
        let shortest = instances.number(shortest.saturating_abs().min(MAX_SHORTEST))?;
        let domain = domain.intersect(&extent.gt_set(&shortest)?)?;
        let mut hoped = None;
        let is_number = self.is_number_of_cell(quotient, rest);
        for shift in SHIFTS {
            let moved = match length.times_number(shift)? {
                Some(rows) => rest.plus(&rows)?,
                None => None,
            };
            let row = quotient.plus(&Poly::number(-shift))?;
            let (Some(moved), Some(row)) = (moved, row) else {
                continue;
            };
            let column = moved.to_function(&instances)?;
            let before = domain.intersect(&column.lt_set(&zero)?)?;
            let behind = domain.intersect(&column.ge_set(&extent)?)?;
            if before.is_empty()? && behind.is_empty()? {
                return Ok(Some((row, column)));
            }
            if self.proof == Proof::ForMost && hoped.is_none() && !is_number {
                let wrong = before.union(&behind)?.params()?;
                if hope::stays_large(self.statements, &domain, &wrong)? {
                    hoped = Some((row, column));
                }
            }
        }
        Ok(hoped)
    }

    /// Whether a subscript without a row, `u[source]`, has a parameter that bounds no loop and is in no column of another row: the
    /// number of a cell, and a column of row 0 in hardly any run.
    fn is_number_of_cell(&self, quotient: &Poly, rest: &Poly) -> bool {
        let has_row = |poly: &Poly| poly.terms().any(|(names, _)| !names.is_empty());
        let is_column = |name: &String| {
            let has_it = |poly: &Poly| poly.terms().any(|(names, _)| names[..] == [name.clone()]);
            let mut all = self.uses.all.iter().map(|access| &access.subscript);
            all.any(|subscript| !subscript.is_affine() && has_it(subscript))
        };
        let is_known = |name: &String| self.statements.bounds.contains(name) || is_column(name);
        let mut names = rest.terms().flat_map(|(names, _)| names);
        quotient.is_fixed() && !has_row(quotient) && names.any(|name| !is_known(name))
    }

    /// Remembers the deepest failure, of several the first.
    fn note_leaving(
        &mut self,
        access: usize,
        (quotient, rest, length): (&Poly, &Poly, &Extent),
        depth: usize,
    ) -> Result<()> {
        if matches!(&self.failure, Some(Failure::Leaves { depth: d, .. }) if *d >= depth) {
            return Ok(());
        }
        let instances = Instances::new(&self.statements.domains[self.uses.all[access].stmt]);
        let column = rest.to_function(&instances)?;
        let column = match column.n_piece()? {
            1 => bounds::affine_text(&column.to_str()?),
            _ => None,
        };
        self.failure = Some(Failure::Leaves {
            access,
            column,
            length: length.text(),
            is_number: self.is_number_of_cell(quotient, rest),
            depth,
        });
        Ok(())
    }

    fn finish(&self, left: &[Poly], divided: &Divided) -> Result<Shape> {
        let mut subscripts = Vec::new();
        for ((access, outermost), columns) in self.uses.all.iter().zip(left).zip(&divided.columns) {
            let instances = Instances::new(&self.statements.of(access)?);
            let mut all = vec![outermost.to_function(&instances)?];
            all.extend(columns.iter().rev().cloned());
            subscripts.push(match access.within {
                Some(_) => from_zero(all, &instances)?,
                None => all,
            });
        }
        Ok(Shape {
            rows: None,
            extents: divided.extents.iter().rev().cloned().collect(),
            subscripts,
        })
    }

    /// The first two accesses that no length of rows divides both.
    fn disagreement(&self) -> Result<Option<Failure>> {
        let mut first: Option<(usize, Vec<String>)> = None;
        for (access, of) in self.uses.all.iter().enumerate() {
            if of.subscript.is_affine() {
                continue;
            }
            let mut own = Vec::new();
            for length in &self.uses.lengths {
                let divided = of.subscript.divide(length)?;
                if divided.is_some_and(|(_, rest)| rest.is_affine()) {
                    own.push(length.text());
                }
            }
            match (&first, own.first()) {
                (_, None) => return Ok(None),
                (None, Some(_)) => first = Some((access, own)),
                (Some((other, theirs)), Some(mine)) => {
                    if !own.iter().any(|length| theirs.contains(length)) {
                        let theirs = theirs.first().cloned().unwrap_or_default();
                        return Ok(Some(Failure::Disagree([
                            (*other, theirs),
                            (access, mine.clone()),
                        ])));
                    }
                }
            }
        }
        Ok(None)
    }
}

/// Subscripts that are defined where they are not negative only, as pet defines those of arrays with
/// dimensions.
fn from_zero(subscripts: Vec<PwAff>, instances: &Instances) -> Result<Vec<PwAff>> {
    let zero = instances.number(0)?;
    let mut defined = Vec::new();
    for subscript in subscripts {
        defined.push(subscript.intersect_domain(&subscript.ge_set(&zero)?)?);
    }
    Ok(defined)
}

impl Failure {
    /// The refusal.
    pub fn diagnostic(self, text: &str, array: &PetArray, uses: &Uses) -> Diagnostic {
        let (name, ty) = (&array.name, &array.element_type);
        let place = |access: usize| {
            let access = &uses.all[access];
            csource::find_access(text, access.span.clone(), name, access.nth)
                .unwrap_or_else(|| access.span.clone())
        };
        match self {
            Failure::Leaves {
                access,
                column,
                length,
                is_number,
                ..
            } => {
                let label = match column {
                    Some(column) => format!("not known here: `0 <= {column} < {length}`"),
                    None => format!("not known here that the column is less than `{length}`"),
                };
                let rows = format!(
                    "`{name}` is flat, with rows of `{length}` elements as its subscripts look. Each column has to be in its row for all sizes"
                );
                let help = format!(
                    "let the loops over columns end at `{length}`. If no run leaves a row, say so: `{ty} (*rows)[{length}] = ({ty} (*)[{length}]){name};` before the region, and `rows[i][j]` instead of `{name}[..]`"
                );
                let as_cell = format!(
                    "where that is the number of a cell, write its row and its column: `{name}[row * {length} + column]`"
                );
                Diagnostic::error("HX0104", format!("a column of `{name}` may leave its row"))
                    .at(place(access), label)
                    .note(rows)
                    .help(if is_number { as_cell } else { help })
            }
            Failure::Disagree([(a, of_a), (b, of_b)]) => Diagnostic::error(
                "HX0104",
                format!("subscripts of `{name}` disagree about the length of its rows"),
            )
            .at(place(b), format!("rows of `{of_b}` elements"))
            .also(place(a), format!("rows of `{of_a}` elements"))
            .note("a flat array is taken as an array of rows, of which all have one length")
            .help(
                "copy what is read with another length into an array of its own before the region",
            ),
        }
    }
}
