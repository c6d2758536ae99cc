//! Memory that is allocated for pointers.

use super::super::Code;
use super::declarator;

/// Where `malloc` and `calloc` are called for pointers, as far as the text shows it: with
/// `sizeof(double *)`, or with `sizeof *a` of a pointer to pointers.
pub fn allocations_of_pointers(text: &str) -> Vec<usize> {
    let code = Code::new(text);
    let calls = (0..code.tokens.len()).filter(|&call| {
        matches!(code.word(call), "malloc" | "calloc")
            && code.opens(call + 1, "(")
            && (call + 2..code.skip(call + 1)).any(|at| is_size_of_pointer(&code, at))
    });
    calls.map(|call| code.tokens[call].span.start).collect()
}

/// Whether the token is the `sizeof` of a pointer.
fn is_size_of_pointer(code: &Code, at: usize) -> bool {
    if code.word(at) != "sizeof" {
        return false;
    }
    let in_brackets = code.opens(at + 1, "(");
    let first = at + 1 + usize::from(in_brackets);
    let end = match in_brackets {
        true => code.skip(at + 1) - 1,
        false => first + 2,
    };
    let is_type = in_brackets && end > first + 1 && code.word(end - 1) == "*";
    // What a pointer to pointers leads to.
    let is_value = end == first + 2 && code.word(first) == "*" && code.is_plain_name(first + 1);
    let offset = code.tokens[at].span.start;
    is_type
        || is_value
            && declarator(code.text, code.word(first + 1), offset)
                .is_some_and(|d| d.stars >= 2 && d.n_bounds == 0)
}

#[cfg(test)]
mod tests {
    use super::allocations_of_pointers;

    fn lines(text: &str) -> Vec<usize> {
        let line = |at: usize| text[..at].matches('\n').count() + 1;
        allocations_of_pointers(text)
            .into_iter()
            .map(line)
            .collect()
    }

    #[test]
    fn pointers_are_told_from_what_they_lead_to() {
        let text = "void f(int n, double **b) {
  double **a = malloc(n * sizeof(double *));
  a = malloc(sizeof(*a) * n);
  b = calloc(n, sizeof *b);
  a[0] = malloc(n * sizeof(double));
  a[1] = malloc(n * sizeof **a);
  a[2] = malloc(n * sizeof(*a[0]));
  double *c = malloc(n * sizeof *c);
  double (*d)[4] = malloc(n * sizeof(*d));
  free(realloc(a, n * sizeof(double *)));
  a = malloc(n);
}
";
        assert_eq!(lines(text), [2, 3, 4]);
    }
}
