//! Variables of enumerations that are counted up, which C++ lets classes do only.

use crate::csource::Code;
use std::collections::BTreeSet;

/// Operators of C++ that do with a value of an enumeration what C does.
pub const COUNTED: &str = "
// C counts variables of enumerations up and down.
template <typename Enum> using hexcc_if_enum = typename std::enable_if<std::is_enum<Enum>::value, Enum>::type;
template <typename Enum> hexcc_if_enum<Enum> &operator++(Enum &x) { return x = (Enum)(x + 1); }
template <typename Enum> hexcc_if_enum<Enum> &operator--(Enum &x) { return x = (Enum)(x - 1); }
template <typename Enum> hexcc_if_enum<Enum> operator++(Enum &x, int) { const Enum before = x; ++x; return before; }
template <typename Enum> hexcc_if_enum<Enum> operator--(Enum &x, int) { const Enum before = x; --x; return before; }
template <typename Enum, typename Number> hexcc_if_enum<Enum> &operator+=(Enum &x, Number n) { return x = (Enum)(x + n); }
template <typename Enum, typename Number> hexcc_if_enum<Enum> &operator-=(Enum &x, Number n) { return x = (Enum)(x - n); }
";

/// Whether a text counts variables of enumerations.
pub fn counts_enumerations(text: &str) -> bool {
    let code = Code::new(text);
    let variables = variables(&code);
    (0..code.tokens.len()).any(|at| {
        let is_one = variables.contains(code.word(at)) && code.is_ident(at);
        let before = at.checked_sub(1).map_or("", |before| code.word(before));
        let counted = matches!(code.word(at + 1), "++" | "--" | "+=" | "-=");
        is_one && (counted || matches!(before, "++" | "--"))
    })
}

/// The names of variables, parameters and members of enumerations.
fn variables<'a>(code: &Code<'a>) -> BTreeSet<&'a str> {
    let n = code.tokens.len();
    let mut variables = BTreeSet::new();
    let mut types = BTreeSet::new();
    for at in (0..n).filter(|&at| code.word(at) == "enum") {
        let tag = at + 1 + usize::from(code.is_plain_name(at + 1));
        let name = match code.opens(tag, "{") {
            true => code.skip(tag),
            false => tag,
        };
        let is_type = at > 0 && code.word(at - 1) == "typedef";
        if code.is_plain_name(name) && !code.opens(name + 1, "(") {
            match is_type {
                true => types.insert(code.word(name)),
                false => variables.insert(code.word(name)),
            };
        }
    }
    let of_type = (1..n).filter(|&at| code.is_plain_name(at) && types.contains(code.word(at - 1)));
    variables.extend(of_type.map(|at| code.word(at)));
    variables
}

#[cfg(test)]
mod tests {
    use super::counts_enumerations;

    #[test]
    fn counted_enumerations_are_found() {
        for text in [
            "enum f { A, B }; void g(void) { for (enum f k = A; k < B; k++) h(k); }",
            "typedef enum { A, B } f; void g(void) { f k = A; --k; }",
            "enum { A, B } k; void g(void) { k += 1; }",
        ] {
            assert!(counts_enumerations(text), "{text}");
        }
        for text in [
            "enum f { A, B }; void g(enum f k) { for (int i = A; i < k; i++) h(i); }",
            "enum f k(void); int k2; void g(void) { k2++; }",
        ] {
            assert!(!counts_enumerations(text), "{text}");
        }
    }
}
