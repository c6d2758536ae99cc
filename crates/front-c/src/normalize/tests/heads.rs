//! Loops that macros make.

use super::*;

/// The uses of macros of a text that are heads of loops, and these.
fn heads_of(text: &str) -> Vec<(String, String)> {
    let found = heads(&unit_of(text));
    let use_of = |range: Range<usize>| text[range].to_string();
    found
        .into_iter()
        .map(|(r, head)| (use_of(r), head))
        .collect()
}

const MACROS: &str = "#define N 64
#define FOR(i, a, b) for (int i = (a); i < (b); i++)
#define INNER for (i = 1; i < N - 1; i++) for (j = 1; j < N - 1; j++)
#define TWO(x) x = 0; for (int k = 0; k < 4; k++)
#define BLOCK for (i = 0; i < 4; i++) { j++;
double u[N][N], v[N][N];
";

#[test]
fn uses_of_macros_become_the_heads_of_their_loops() {
    let text = format!(
        "{MACROS}void f(int steps) {{ int i, j; FOR(t, 0, steps) {{ INNER v[i][j] = u[i][j - 1]; FOR(a, 1, N - 1) FOR(b, 0, N) u[a][b] = v[a][b]; }} }}"
    );
    let pair = |a: &str, b: &str| (a.to_string(), b.to_string());
    assert_eq!(
        heads_of(&text),
        [
            pair("FOR(t, 0, steps)", "for (int t = 0; t < steps; t++)"),
            pair(
                "INNER",
                "for (i = 1; i < 64 - 1; i++) for (j = 1; j < 64 - 1; j++)"
            ),
            pair("FOR(a, 1, N - 1)", "for (int a = 1; a < 64 - 1; a++)"),
            pair("FOR(b, 0, N)", "for (int b = 0; b < 64; b++)"),
        ]
    );
}

#[test]
fn macros_that_are_more_than_heads_stay() {
    for body in ["TWO(i) j = i;", "if (steps) TWO(i) j = i;", "BLOCK i++; }"] {
        let text = format!("{MACROS}void f(int steps) {{ int i = 0, j = 0; {body} }}");
        assert_eq!(heads_of(&text), []);
    }
}
