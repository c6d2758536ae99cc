//! Subscripts as polynomials: sums of products of parameters, each with a coefficient that is a
//! function of the iterators.

use crate::diag::Result;
use hexcc_isl::{Bound, Ctx, DimType, MultiPwAff, PwAff, Set};
use std::collections::BTreeMap;

/// A product of parameters, sorted; none for 1.
pub type Monomial = Vec<String>;

/// Terms beyond which no subscript is worth the work.
const MAX_TERMS: usize = 64;

/// What a product of parameters is multiplied by.
#[derive(Clone, Debug)]
pub enum Coefficient {
    /// A number other than 0.
    Number(i64),
    /// A function of the iterators that is no number. Parameters occur in it within floors and
    /// in functions of several pieces only.
    Function(PwAff),
}

/// The instances of a statement, for what is a function of them.
#[derive(Clone)]
pub struct Instances {
    ctx: Ctx,
    domain: Set,
}

impl Instances {
    /// Of the statement with this domain.
    pub fn new(domain: &Set) -> Instances {
        Instances {
            ctx: domain.ctx().clone(),
            domain: domain.clone(),
        }
    }

    /// All of them.
    pub fn all(&self) -> &Set {
        &self.domain
    }

    /// The isl context.
    pub fn ctx(&self) -> &Ctx {
        &self.ctx
    }

    /// Instances with `n` arguments of a subscript, which are 0: `{ S[t, i] -> [S[t, i] -> [0]] }`.
    pub fn without_arguments(&self, n: usize) -> Result<MultiPwAff> {
        let name = self.domain.tuple_name()?.unwrap_or_default();
        let dims = self.domain.dim(DimType::Set)?;
        let dims: Vec<String> = (0..dims).map(|d| format!("i{d}")).collect();
        let tuple = format!("{name}[{}]", dims.join(", "));
        let zeros = vec!["0"; n].join(", ");
        let text = format!("{{ {tuple} -> [{tuple} -> [{zeros}]] }}");
        Ok(MultiPwAff::read(&self.ctx, &text)?)
    }

    /// Whether a function is defined for all of them.
    pub fn have(&self, function: &PwAff) -> Result<bool> {
        Ok(self.domain.is_subset(&function.domain()?)?)
    }

    /// A number as a function of the instances.
    pub fn number(&self, value: i64) -> Result<PwAff> {
        let number = PwAff::read(&self.ctx, &format!("{{ [({value})] }}"))?;
        Ok(number.insert_domain(&self.domain)?)
    }

    /// A parameter as a function of the instances.
    fn parameter(&self, name: &str) -> Result<PwAff> {
        let value = PwAff::read(&self.ctx, &format!("[{name}] -> {{ [({name})] }}"))?;
        Ok(value.insert_domain(&self.domain)?)
    }
}

/// A polynomial in parameters.
#[derive(Clone, Debug, Default)]
pub struct Poly {
    terms: BTreeMap<Monomial, Coefficient>,
}

impl Poly {
    /// A number.
    pub fn number(value: i64) -> Poly {
        let mut poly = Poly::default();
        if value != 0 {
            poly.terms.insert(Vec::new(), Coefficient::Number(value));
        }
        poly
    }

    /// A function that is defined for all instances: an affine one of a single piece, or one of
    /// several, as which it stays whole. `None` for coefficients that are no integers.
    pub fn from_function(function: &PwAff) -> Result<Option<Poly>> {
        let mut rest = match function.pieces()?.as_slice() {
            [(_, only)] => only.clone(),
            _ => return Ok(Coefficient::of(function.clone())?.map(Poly::from_coefficient)),
        };
        let mut poly = Poly::default();
        for d in 0..function.dim(DimType::Param)? as u32 {
            let Some((factor, without)) = rest.take_term(DimType::Param, d)? else {
                return Ok(None);
            };
            rest = without;
            if let (true, Some(name)) = (factor != 0, rest.dim_name(DimType::Param, d)?) {
                poly.terms.insert(vec![name], Coefficient::Number(factor));
            }
        }
        if let Some(coefficient) = Coefficient::of(rest)? {
            poly.terms.insert(Vec::new(), coefficient);
        }
        Ok(Some(poly))
    }

    fn from_coefficient(coefficient: Coefficient) -> Poly {
        Poly {
            terms: BTreeMap::from([(Monomial::new(), coefficient)]),
        }
    }

    /// Its terms.
    pub fn terms(&self) -> impl Iterator<Item = (&Monomial, &Coefficient)> {
        self.terms.iter()
    }

    /// Whether parameters are multiplied with each other, or with iterators.
    pub fn is_affine(&self) -> bool {
        let is_affine = |(monomial, coefficient): (&Monomial, &Coefficient)| match monomial.len() {
            0 => true,
            1 => matches!(coefficient, Coefficient::Number(_)),
            _ => false,
        };
        self.terms.iter().all(is_affine)
    }

    /// Whether it is the same for all instances.
    pub fn is_fixed(&self) -> bool {
        let mut all = self.terms.values();
        all.all(|coefficient| matches!(coefficient, Coefficient::Number(_)))
    }

    /// How many iterators and parameters its terms are made of.
    pub fn weight(&self) -> Result<usize> {
        let mut weight = 0;
        for (monomial, coefficient) in &self.terms {
            weight += monomial.len();
            if let Coefficient::Function(function) = coefficient {
                let function = function.gist(&function.domain()?)?;
                for dim in [DimType::Param, DimType::In] {
                    for i in 0..u32::try_from(function.dim(dim)?).unwrap_or(0) {
                        weight += usize::from(function.involves(dim, i, 1)?);
                    }
                }
            }
        }
        Ok(weight)
    }

    /// The number that the products are added to, where it is the same for all instances.
    pub fn constant(&self) -> Option<i64> {
        match self.terms.get(&Monomial::new()) {
            Some(Coefficient::Number(value)) => Some(*value),
            Some(Coefficient::Function(_)) => None,
            None => Some(0),
        }
    }

    /// The sum; `None` where numbers become too large.
    pub fn plus(&self, other: &Poly) -> Result<Option<Poly>> {
        let mut sum = self.clone();
        for (monomial, coefficient) in &other.terms {
            if !sum.add_term(monomial.clone(), coefficient.clone())? {
                return Ok(None);
            }
        }
        Ok(Some(sum))
    }

    /// The product with a number; `None` where numbers become too large.
    pub fn times_number(&self, factor: i64) -> Result<Option<Poly>> {
        self.times(&Poly::number(factor))
    }

    /// The product; `None` where iterators are multiplied with each other, and where numbers
    /// become too large.
    pub fn times(&self, other: &Poly) -> Result<Option<Poly>> {
        let mut product = Poly::default();
        for (a, x) in &self.terms {
            for (b, y) in &other.terms {
                let mut monomial: Monomial = a.iter().chain(b).cloned().collect();
                monomial.sort();
                let Some(coefficient) = x.times(y)? else {
                    return Ok(None);
                };
                if !product.add_term(monomial, coefficient)? {
                    return Ok(None);
                }
            }
        }
        Ok(Some(product))
    }

    /// Adds a term; `false` where numbers become too large, or terms too many.
    fn add_term(&mut self, monomial: Monomial, coefficient: Coefficient) -> Result<bool> {
        let sum = match self.terms.remove(&monomial) {
            None => Some(coefficient),
            Some(before) => match before.plus(&coefficient)? {
                Ok(sum) => sum,
                Err(TooLarge) => return Ok(false),
            },
        };
        if let Some(sum) = sum {
            self.terms.insert(monomial, sum);
        }
        Ok(self.terms.len() <= MAX_TERMS)
    }

    /// Quotient and remainder by an extent: `self = quotient * extent + remainder`, where no term
    /// of the remainder has the extent's leading parameter. `None` where numbers become too large.
    pub fn divide(&self, by: &Extent) -> Result<Option<(Poly, Poly)>> {
        let lead = match (&by.lead, by.tail.constant()) {
            (Some(lead), _) => lead,
            (None, Some(number)) => return self.divide_by_number(number).map(Some),
            (None, None) => return Ok(None),
        };
        let (mut quotient, mut rest) = (Poly::default(), self.clone());
        let degree = |m: &Monomial| m.iter().filter(|p| *p == lead).count();
        // The degree in the leading parameter falls with every step or the number of terms with it.
        for _ in 0..MAX_TERMS * MAX_TERMS {
            let highest = rest.terms.keys().max_by_key(|m| degree(m)).cloned();
            let Some(monomial) = highest.filter(|m| degree(m) > 0) else {
                return Ok(Some((quotient, rest)));
            };
            let Some(coefficient) = rest.terms.remove(&monomial) else {
                return Ok(None);
            };
            let mut without = monomial;
            if let Some(at) = without.iter().position(|p| p == lead) {
                without.remove(at);
            }
            let mut part = Poly::default();
            part.terms.insert(without, coefficient);
            let Some(subtracted) = by.tail.times_number(-1)? else {
                return Ok(None);
            };
            let Some(subtracted) = part.times(&subtracted)? else {
                return Ok(None);
            };
            match (quotient.plus(&part)?, rest.plus(&subtracted)?) {
                (Some(q), Some(r)) => (quotient, rest) = (q, r),
                _ => return Ok(None),
            }
        }
        Ok(None)
    }

    /// Quotient and remainder by a number: what is a multiple of it, term by term, is divided.
    fn divide_by_number(&self, number: i64) -> Result<(Poly, Poly)> {
        let (mut quotient, mut rest) = (Poly::default(), Poly::default());
        for (monomial, coefficient) in &self.terms {
            let (divided, left) = match coefficient {
                Coefficient::Number(value) if value % number == 0 => {
                    (Some(Coefficient::Number(value / number)), None)
                }
                Coefficient::Number(_) => (None, Some(coefficient.clone())),
                Coefficient::Function(function) => {
                    let (divided, left) = divided(function, number)?;
                    let left = left.map(Coefficient::of).transpose()?.flatten();
                    (Coefficient::of(divided)?, left)
                }
            };
            let parts = [(&mut quotient, divided), (&mut rest, left)];
            for (poly, part) in parts {
                if let Some(part) = part {
                    poly.terms.insert(monomial.clone(), part);
                }
            }
        }
        Ok((quotient, rest))
    }

    /// The largest number that divides all coefficients of products with parameters, 0 where there
    /// are none.
    pub fn common_factor(&self) -> Result<i64> {
        let mut common = 0;
        for (monomial, coefficient) in &self.terms {
            if !monomial.is_empty() {
                common = gcd(common, coefficient.factor()?);
            }
        }
        Ok(common)
    }

    /// An affine polynomial as a function of the instances.
    pub fn to_function(&self, instances: &Instances) -> Result<PwAff> {
        let mut sum = instances.number(0)?;
        for (monomial, coefficient) in &self.terms {
            let term = match (monomial.first(), coefficient) {
                (None, Coefficient::Number(value)) => instances.number(*value)?,
                (None, Coefficient::Function(function)) => function.clone(),
                (Some(name), Coefficient::Number(factor)) => {
                    instances.parameter(name)?.mul_val(*factor)?
                }
                (Some(_), Coefficient::Function(_)) => {
                    return Err(Box::new(crate::diag::Diagnostic::bug(
                        "a polynomial that is not affine has no function",
                    )));
                }
            };
            sum = sum.add(&term)?;
        }
        Ok(sum)
    }

    /// An affine sum of parameters as C writes it, `n + 2`; only for one that [`Poly::is_fixed`].
    fn text(&self) -> String {
        let mut text = String::new();
        let in_order = self.terms.iter().skip_while(|(m, _)| m.is_empty());
        let last = self.terms.iter().take_while(|(m, _)| m.is_empty());
        for (monomial, coefficient) in in_order.chain(last) {
            let Coefficient::Number(value) = coefficient else {
                continue;
            };
            text += match (text.is_empty(), *value < 0) {
                (true, true) => "-",
                (true, false) => "",
                (false, true) => " - ",
                (false, false) => " + ",
            };
            let size = value.unsigned_abs();
            text += &match (monomial.is_empty(), size) {
                (true, _) => size.to_string(),
                (false, 1) => monomial.join("*"),
                (false, _) => format!("{size}*{}", monomial.join("*")),
            };
        }
        text
    }
}

/// The greatest common divisor.
pub fn gcd(a: i64, b: i64) -> i64 {
    match b {
        0 => a.saturating_abs(),
        _ => gcd(b, a % b),
    }
}

/// Whether all values of a function are multiples of a number.
fn is_multiple(function: &PwAff, number: i64) -> Result<bool> {
    let floor = function.floor_div(number)?.mul_val(number)?;
    let rest = function.sub(&floor)?.as_constant()?;
    Ok(rest.is_some_and(|value| value.num == 0))
}

/// The largest number that divides all values of a bounded function, such as `9*(t % 2)`.
fn factor_of_values(function: &PwAff) -> Result<i64> {
    const LARGEST: i64 = 4096;
    let ends = [function.min_val()?, function.max_val()?].map(Bound::finite);
    let [Some(least), Some(most)] = ends else {
        return Ok(1);
    };
    let common = gcd(least.num, most.num);
    for number in (2..=common.min(LARGEST)).rev() {
        if common % number == 0 && is_multiple(function, number)? {
            return Ok(number);
        }
    }
    Ok(1)
}

/// A function of iterators as multiples of a number, divided by it, and the rest if there is one.
fn divided(function: &PwAff, number: i64) -> Result<(PwAff, Option<PwAff>)> {
    if is_multiple(function, number)? {
        return Ok((function.floor_div(number)?, None));
    }
    let mut found: Option<(PwAff, PwAff)> = None;
    let mut has_rest = false;
    for (set, piece) in function.pieces()? {
        let mut rest = piece.clone();
        for kind in [DimType::In, DimType::Param] {
            for d in 0..piece.dim(kind)? as u32 {
                match rest.take_term(kind, d)? {
                    Some((factor, without)) if factor % number == 0 => rest = without,
                    _ => {}
                }
            }
        }
        rest = rest.without_floors_times(number)?;
        match rest.as_constant()? {
            Some(value) if value.is_integer() => {
                let left = value.num % number;
                rest = rest.add_constant(left - value.num)?;
                has_rest |= left != 0;
            }
            _ => {
                // Of a number beside other terms, whole rows are no part of the column.
                let whole = number_of(&rest)? / number * number;
                rest = rest.add_constant(-whole)?;
                has_rest = true;
            }
        }
        let quotient = piece.sub(&rest)?.floor_div(number)?;
        let parts = (
            quotient.intersect_domain(&set)?,
            rest.intersect_domain(&set)?,
        );
        found = Some(match found {
            None => parts,
            Some((q, r)) => (q.union_add(&parts.0)?, r.union_add(&parts.1)?),
        });
    }
    let nothing = || Box::new(crate::diag::Diagnostic::bug("a function without pieces"));
    let (quotient, rest) = found.ok_or_else(nothing)?;
    Ok((quotient, has_rest.then_some(rest)))
}

/// The number in a sum; 0 where that is not known.
fn number_of(sum: &PwAff) -> Result<i64> {
    let mut rest = sum.clone();
    for kind in [DimType::In, DimType::Param] {
        for d in 0..sum.dim(kind)? as u32 {
            if let Some((_, without)) = rest.take_term(kind, d)? {
                rest = without;
            }
        }
    }
    let number = rest.as_constant()?.filter(|value| value.is_integer());
    Ok(number.map_or(0, |value| value.num))
}

/// A number that 64 bits do not hold.
struct TooLarge;

impl Coefficient {
    /// A function as a coefficient; `None` for 0.
    fn of(function: PwAff) -> Result<Option<Coefficient>> {
        Ok(match function.as_constant()? {
            Some(value) if value.is_integer() => {
                Some(value.num).filter(|v| *v != 0).map(Coefficient::Number)
            }
            _ => Some(Coefficient::Function(function)),
        })
    }

    /// The largest number that divides what iterators and parameters are multiplied by, and what is
    /// added.
    fn factor(&self) -> Result<i64> {
        let function = match self {
            Coefficient::Number(value) => return Ok(value.saturating_abs()),
            Coefficient::Function(function) => function,
        };
        let mut common = 0;
        for (_, mut rest) in function.pieces()? {
            for kind in [DimType::In, DimType::Param] {
                for d in 0..rest.dim(kind)? as u32 {
                    let Some((factor, without)) = rest.take_term(kind, d)? else {
                        return factor_of_values(function);
                    };
                    common = gcd(common, factor);
                    rest = without;
                }
            }
            common = match rest.as_constant()? {
                Some(value) if value.is_integer() => gcd(common, value.num),
                _ => return factor_of_values(function),
            };
        }
        Ok(common)
    }

    /// The sum; `None` for 0.
    fn plus(&self, other: &Coefficient) -> Result<std::result::Result<Option<Self>, TooLarge>> {
        use Coefficient::{Function, Number};
        Ok(Ok(match (self, other) {
            (Number(a), Number(b)) => match a.checked_add(*b) {
                Some(sum) => Some(sum).filter(|v| *v != 0).map(Number),
                None => return Ok(Err(TooLarge)),
            },
            (Number(a), Function(f)) | (Function(f), Number(a)) => {
                Some(Function(f.add_constant(*a)?))
            }
            (Function(f), Function(g)) => Coefficient::of(f.add(g)?)?,
        }))
    }

    /// The product, where one is a number that is not too large.
    fn times(&self, other: &Coefficient) -> Result<Option<Self>> {
        use Coefficient::{Function, Number};
        Ok(match (self, other) {
            (Number(a), Number(b)) => a.checked_mul(*b).map(Number),
            (Number(a), Function(f)) | (Function(f), Number(a)) => Some(Function(f.mul_val(*a)?)),
            (Function(_), Function(_)) => None,
        })
    }
}

/// A number of elements along a dimension: a parameter, one plus other parameters and numbers, or a
/// number.
#[derive(Clone, Debug)]
pub struct Extent {
    /// The parameter that the others are added to; none for a number.
    lead: Option<String>,
    tail: Poly,
}

impl Extent {
    /// A parameter.
    pub fn parameter(name: &str) -> Extent {
        Extent {
            lead: Some(name.to_string()),
            tail: Poly::default(),
        }
    }

    /// A number of at least 2.
    pub fn number(value: i64) -> Option<Extent> {
        (value > 1).then(|| Extent {
            lead: None,
            tail: Poly::number(value),
        })
    }

    /// Its value, where it is a number.
    pub fn as_number(&self) -> Option<i64> {
        match self.lead {
            None => self.tail.constant(),
            Some(_) => None,
        }
    }

    /// An affine sum of parameters of which one is there once; `None` for what is no such sum.
    pub fn from_poly(poly: &Poly) -> Option<Extent> {
        if !poly.is_affine() || !poly.is_fixed() {
            return None;
        }
        let mut terms = poly.terms.iter();
        let (lead, _) = terms.find(|(m, coefficient)| {
            m.len() == 1 && matches!(coefficient, Coefficient::Number(1))
        })?;
        let mut tail = poly.clone();
        tail.terms.remove(lead);
        Some(Extent {
            lead: Some(lead.first()?.clone()),
            tail,
        })
    }

    /// The number as a polynomial.
    pub fn poly(&self) -> Poly {
        let mut poly = self.tail.clone();
        if let Some(lead) = &self.lead {
            poly.terms
                .insert(vec![lead.clone()], Coefficient::Number(1));
        }
        poly
    }

    /// Whether it is a parameter alone.
    pub fn is_parameter(&self) -> bool {
        self.lead.is_some() && self.tail.terms.is_empty()
    }

    /// The parameters in it.
    pub fn parameters(&self) -> Vec<String> {
        self.poly().terms.into_keys().flatten().collect()
    }

    /// As C writes it, which is also how isl reads it.
    pub fn text(&self) -> String {
        self.poly().text()
    }
}
