//! Remainders that are written with masks.

use super::rewritten;

/// What a cell of a time loop over rows from `first` to `end` gets, where masks are remainders.
fn with(first: &str, end: &str, cell: &str) -> Option<String> {
    let (text, passes) = rewritten(&format!(
        "#define L 64\nenum {{ M = L - 1 }}; static const unsigned W = 63; float u[L][L], v[L][L];
void f(int n, int d, unsigned m, int T) {{ for (int t = 0; t < T; t++) for (int i = {first}; i < {end}; i++) for (unsigned j = 0; j < L; j++) {{ {cell} }} }}"
    ))?;
    if !passes.contains(&"masks".to_owned()) {
        return None;
    }
    let text = text.split_once("j++) { ").unwrap().1;
    Some(text.strip_suffix(" } } } }").unwrap_or(text).to_owned())
}

#[test]
fn masks_of_powers_of_two_are_remainders() {
    for (cell, made) in [
        (
            "v[i][j] = u[(i + 1) & (L - 1)][j];",
            "v[i][j] = u[(i + 1) % 64][j];",
        ),
        (
            "v[i][j] = u[(i - 1) & M][j];",
            "v[i][j] = u[(i + 63) % 64][j];",
        ),
        (
            "v[i][j] = u[(M & 3) + (i - 65 & 7)][j];",
            "v[i][j] = u[M % 4 + (i + 7) % 8][j];",
        ),
        (
            "v[i][j] = u[i][(j - 1) & 63u];",
            "v[i][j] = u[i][(j + 63u) % 64u];",
        ),
        (
            "int k = (i - (int)j) & M; v[i][j] = k;",
            "int k = (i - (int)j + 64) % 64; v[i][j] = k;",
        ),
    ] {
        assert_eq!(with("0", "L", cell).as_deref(), Some(made), "{cell}");
    }
    let cell = "v[i][j] = u[(i - 1) & M][j];";
    let made = Some("v[i][j] = u[(i - 1) % 64][j];");
    assert_eq!(with("1", "L", cell).as_deref(), made);
}

#[test]
fn other_masks_stay() {
    for (end, cell) in [
        // How far below 0 these are is not known.
        ("n", "v[i][j] = u[(i - 1) & M][j];"),
        ("L", "v[i][j] = u[(i + d) & M][j];"),
        ("L", "v[i][j] = u[(i + 1) & m][j];"),
        // No power of two, colours, numbers that may be cut off.
        ("L", "v[i][j] = u[(i + 1) & 6][j];"),
        ("L", "v[i][j] = (i + j) & 1;"),
        ("L", "v[i][j] = u[(signed char)(i + 1) & M][j];"),
        ("L", "v[i][j] = u[(i * i) & M][j]; "),
    ] {
        assert_eq!(with("0", end, cell), None, "{cell}");
    }
    // Numbers that the value has not while the loop changes its iterator.
    assert_eq!(with("0", "L", "i -= 2; v[i][j] = u[(i - 1) & M][j];"), None);
}
