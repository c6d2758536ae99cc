//! How values of iterations become one.

use crate::ctype::CType;

/// A function of what there is, `x`, and a term, `e`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fold {
    /// `x + e`.
    Sum,
    /// `x * e`.
    Product,
    /// `x & e`.
    And,
    /// `x | e`.
    Or,
    /// `x ^ e`.
    Xor,
    /// `fmax(x, e)`.
    Fmax,
    /// `fmin(x, e)`.
    Fmin,
    /// `e`, whatever there is.
    Last,
    /// `x < e ? e : x` and its like.
    Select {
        /// The comparison.
        compare: Compare,
        /// The term is its left side.
        term_first: bool,
        /// The term is taken where it holds, the other value where it does not.
        holds_for_term: bool,
    },
}

/// An operator that orders two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compare {
    /// `<`.
    Less,
    /// `<=`.
    LessOrEqual,
    /// `>`.
    Greater,
    /// `>=`.
    GreaterOrEqual,
}

impl Compare {
    /// The operator that C spells so.
    pub fn parse(op: &str) -> Option<Compare> {
        Some(match op {
            "<" => Compare::Less,
            "<=" => Compare::LessOrEqual,
            ">" => Compare::Greater,
            ">=" => Compare::GreaterOrEqual,
            _ => return None,
        })
    }

    /// C's spelling.
    pub fn op(self) -> &'static str {
        match self {
            Compare::Less => "<",
            Compare::LessOrEqual => "<=",
            Compare::Greater => ">",
            Compare::GreaterOrEqual => ">=",
        }
    }
}

/// What a term that is no number (NaN) does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotANumber {
    /// As any other.
    Plain,
    /// Nothing.
    Ignored,
    /// It replaces what there is, and the next term replaces it.
    Replaces,
}

impl Fold {
    /// Whether parts of a value of a type give another one than C's order: sums and products round.
    pub fn rounds(self, ty: CType) -> bool {
        ty.is_floating() && matches!(self, Fold::Sum | Fold::Product)
    }

    /// Whether a term takes the place of all terms before it.
    pub fn replaces(self) -> bool {
        self == Fold::Last
    }

    /// What readers call it.
    pub fn name(self) -> &'static str {
        match self {
            Fold::Sum => "Sum",
            Fold::Product => "Product",
            Fold::And => "And",
            Fold::Or => "Or",
            Fold::Xor => "Xor",
            Fold::Fmax => "Largest",
            Fold::Fmin => "Smallest",
            Fold::Last => "Last",
            Fold::Select { .. } => "Chosen",
        }
    }

    /// `fold(x, e)` in C, for values of a type; `function` is a call of one of C's, given the
    /// arguments.
    pub fn text(
        self,
        x: &str,
        e: &str,
        ty: CType,
        function: &dyn Fn(&str, &str) -> String,
    ) -> String {
        let call = |name: &str| match ty {
            CType::Float => function(&format!("{name}f"), &format!("{x}, {e}")),
            _ => function(name, &format!("{x}, {e}")),
        };
        match self {
            Fold::Sum => format!("{x} + {e}"),
            Fold::Product => format!("{x} * {e}"),
            Fold::And => format!("{x} & {e}"),
            Fold::Or => format!("{x} | {e}"),
            Fold::Xor => format!("{x} ^ {e}"),
            Fold::Fmax => call("fmax"),
            Fold::Fmin => call("fmin"),
            Fold::Last => format!("(void){x}, {e}"),
            Fold::Select {
                compare,
                term_first,
                holds_for_term,
            } => {
                let (a, b) = if term_first { (e, x) } else { (x, e) };
                let (yes, no) = if holds_for_term { (e, x) } else { (x, e) };
                format!("{a} {} {b} ? {yes} : {no}", compare.op())
            }
        }
    }

    /// Whether it is a choice of the larger of two values.
    pub fn takes_larger(self) -> bool {
        match self {
            Fold::Fmax => true,
            Fold::Select {
                compare,
                term_first,
                holds_for_term,
            } => {
                let is_greater = matches!(compare, Compare::Greater | Compare::GreaterOrEqual);
                is_greater == (term_first == holds_for_term)
            }
            _ => false,
        }
    }

    /// Whether a term that is equal to what there is, as one zero is to the other, leaves it.
    pub fn keeps_equals(self) -> bool {
        let Fold::Select {
            compare,
            holds_for_term,
            ..
        } = self
        else {
            return false;
        };
        let holds = matches!(compare, Compare::LessOrEqual | Compare::GreaterOrEqual);
        holds != holds_for_term
    }

    /// What NaN does among terms of a type: no comparison with it holds.
    pub fn not_a_number(self, ty: CType) -> NotANumber {
        match self {
            _ if !ty.is_floating() => NotANumber::Plain,
            Fold::Fmax | Fold::Fmin => NotANumber::Ignored,
            Fold::Select {
                holds_for_term: true,
                ..
            } => NotANumber::Ignored,
            Fold::Select { .. } => NotANumber::Replaces,
            _ => NotANumber::Plain,
        }
    }
}
