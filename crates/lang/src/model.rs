//! What a text means: every name is known, every part has a type.

use hexcc_compiler::ctype::CType;
use hexcc_compiler::scop::Expr;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

pub use crate::syntax::Boundary;

/// A sum of multiples of sizes and of a number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Affine {
    /// Factors of sizes, none of them 0.
    pub terms: BTreeMap<String, i64>,
    /// The number.
    pub constant: i64,
}

impl Affine {
    /// A number.
    pub fn number(constant: i64) -> Affine {
        Affine {
            terms: BTreeMap::new(),
            constant,
        }
    }

    /// A size.
    pub fn size(name: &str) -> Affine {
        Affine {
            terms: BTreeMap::from([(name.to_string(), 1)]),
            constant: 0,
        }
    }

    /// The number, where there is no size.
    pub fn as_number(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// `self + factor * other`; `None` where a number is too large.
    pub fn plus(&self, factor: i64, other: &Affine) -> Option<Affine> {
        let mut sum = self.clone();
        sum.constant = (sum.constant).checked_add(factor.checked_mul(other.constant)?)?;
        for (name, n) in &other.terms {
            let term = sum.terms.entry(name.clone()).or_insert(0);
            *term = term.checked_add(factor.checked_mul(*n)?)?;
        }
        sum.terms.retain(|_, n| *n != 0);
        Some(sum)
    }
}

impl fmt::Display for Affine {
    /// In the notation that isl and C share.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sizes = self.terms.iter().map(|(name, n)| (*n, Some(name)));
        let number = (self.constant != 0 || self.terms.is_empty()).then_some((self.constant, None));
        for (nth, (factor, name)) in sizes.chain(number).enumerate() {
            f.write_str(match (nth, factor < 0) {
                (0, true) => "-",
                (0, false) => "",
                (_, true) => " - ",
                (_, false) => " + ",
            })?;
            match (name, factor.unsigned_abs()) {
                (Some(name), 1) => f.write_str(name)?,
                (Some(name), n) => write!(f, "{n} * {name}")?,
                (None, n) => write!(f, "{n}")?,
            }
        }
        Ok(())
    }
}

/// A field or a scalar, which has no dimensions.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// The type of a cell.
    pub ty: CType,
    /// Cells along each dimension, and what lies beyond them.
    pub dims: Vec<(Affine, Boundary)>,
    /// Whether statements may change it.
    pub is_const: bool,
}

/// A cell that a statement reads.
#[derive(Clone, Debug)]
pub struct Read {
    /// The field, by number.
    pub field: usize,
    /// How far away along each dimension.
    pub offsets: Vec<i64>,
    /// Its place.
    pub span: Range<usize>,
}

/// An assignment to the cells of a sub-grid.
#[derive(Clone, Debug)]
pub struct Statement {
    /// The field, by number.
    pub field: usize,
    /// The first cell along each dimension, the one behind the last, and the place of both.
    pub ranges: Vec<(Affine, Affine, Range<usize>)>,
    /// The cells that [`Expr::Read`] counts.
    pub reads: Vec<Read>,
    /// The values that [`Expr::Local`] counts.
    pub locals: Vec<(String, Expr)>,
    /// The value.
    pub value: Expr,
    /// Which statements read what was there before all of them: those with the same number.
    pub group: Option<usize>,
    /// Its place.
    pub span: Range<usize>,
}

impl Statement {
    /// Whether it leaves all cells as they are.
    pub fn is_identity(&self) -> bool {
        let Expr::Read(n, _) = self.value else {
            return false;
        };
        let read = &self.reads[n];
        read.field == self.field && read.offsets.iter().all(|offset| *offset == 0)
    }
}

/// A whole program.
#[derive(Clone, Debug)]
pub struct Model {
    /// Its name.
    pub name: String,
    /// The sizes.
    pub sizes: Vec<String>,
    /// What holds for them, in isl's notation.
    pub conditions: Vec<String>,
    /// Fields and scalars.
    pub fields: Vec<Field>,
    /// The name of the time.
    pub time: String,
    /// The first step and the one behind the last.
    pub steps: (Affine, Affine),
    /// What a step does.
    pub statements: Vec<Statement>,
    /// The place of the time loop.
    pub span: Range<usize>,
}
