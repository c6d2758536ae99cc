//! Allocators in initializers: C converts what they return to the type of a member, C++ does not.

use crate::csource::{ALLOCATORS, Code, Edit};

/// What C++ converts to any pointer, once in a program that needs it.
pub const ANY_POINTER: &str = "struct hexcc_any_pointer {\n  void *p;\n  hexcc_any_pointer(void *p) : p(p) {}\n  template <typename T> operator T *() const { return (T *)p; }\n};\n";

/// Casts of `malloc` and its like in braces, `{ n, malloc(n) }`, to [`ANY_POINTER`].
pub fn rewrite_braced_allocations(text: &str) -> Vec<Edit> {
    let code = Code::new(text);
    let is_value = |at: &usize| {
        let before = code.word(at.wrapping_sub(1));
        ALLOCATORS.contains(&code.word(*at))
            && *at > 0
            && matches!(before, "{" | ",")
            && code.opens(at + 1, "(")
            && matches!(code.word(code.skip(at + 1)), "," | "}")
            && is_in_braces(&code, *at)
    };
    let calls = (0..code.tokens.len()).filter(is_value);
    let edit = |at: usize| {
        let start = code.tokens[at].span.start;
        Edit {
            range: start..start,
            replacement: "(hexcc_any_pointer)".to_string(),
        }
    };
    calls.map(edit).collect()
}

/// Whether the innermost bracket around a token is a brace.
fn is_in_braces(code: &Code, at: usize) -> bool {
    let mut before = at;
    while before > 0 {
        before -= 1;
        match code.word(before) {
            ")" | "]" | "}" => before = code.skip_back(before),
            "{" => return true,
            "(" | "[" | ";" => return false,
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::csource::apply_edits;

    #[test]
    fn values_in_braces_are_cast() {
        let of = |text: &str| apply_edits(text, rewrite_braced_allocations(text));
        for (text, expected) in [
            (
                "l[k] = (level){ n, calloc(n, f(8)), malloc(3) };",
                "l[k] = (level){ n, (hexcc_any_pointer)calloc(n, f(8)), (hexcc_any_pointer)malloc(3) };",
            ),
            ("p = malloc(3);", "p = malloc(3);"),
            ("f(n, malloc(3), 1);", "f(n, malloc(3), 1);"),
            ("{ free(p); q = malloc(3); }", "{ free(p); q = malloc(3); }"),
        ] {
            assert_eq!(of(text), Ok(expected.to_string()));
        }
    }
}
