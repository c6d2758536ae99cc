//! Neighbours of cells at an end that lie inside.

use super::*;

/// What the steps of a loop are in which neighbours that lie inside are branches, if they are.
fn mirrored(rows: &str) -> Option<String> {
    let text = format!(
        "int g(int); int N; void f(int n, int steps, double (*u)[64], double (*v)[64]) {{ int i, ip, im; unsigned up; for (int t = 0; t < steps; t++) {{
        for (i = 0; i < n; i++) {{ {rows} }} double (*w)[64] = u; u = v; v = w; }} }}"
    );
    let mut forms = forms_of(&text).into_iter();
    let form = forms.find(|form| form.passes.contains(&"mirrors".to_owned()))?;
    let words: Vec<&str> = form.text.split_whitespace().collect();
    let text = words.join(" ");
    let (_, rows) = text.split_once("for (i = 0; i < n; i++) { ")?;
    let (rows, _) = rows.split_once(" } double (*w)[64]")?;
    Some(rows.to_owned())
}

const CELLS: &str = "for (int j = 0; j < 64; j++) v[i][j] = u[ip][j];";

#[test]
fn places_at_ends_are_branches() {
    let cells = |at: &str, elsewhere: &str, set: &str, cond: &str| {
        Some(format!(
            "{set} for (int j = 0; j < 64; j++) {{ if ({cond}) {{ v[i][j] = u[{at}][j]; }} else {{ v[i][j] = u[{elsewhere}][j]; }} }}"
        ))
    };
    assert_eq!(
        mirrored(&format!(
            "if (i == n - 1) ip = n - 2; else ip = i + 1; {CELLS}"
        )),
        cells(
            "i - 1",
            "i + 1",
            "if (i == n - 1) { ip = n - 2; } else { ip = i + 1; }",
            "i == n - 1"
        )
    );
    assert_eq!(
        mirrored(&format!("ip = 0 == i ? 0 : i - 1; {CELLS}")),
        cells("i", "i - 1", "ip = 0 == i ? 0 : i - 1;", "0 == i")
    );
    assert_eq!(
        mirrored(&format!("int ip = i == 0 ? 1 : i - 1; {CELLS}")),
        cells("i + 1", "i - 1", "int ip = i == 0 ? 1 : i - 1;", "i == 0")
    );
}

#[test]
fn both_ends_are_branches_in_each_other() {
    let rows = "im = i == 0 ? 1 : i - 1; ip = i == n - 1 ? n - 2 : i + 1; for (int j = 0; j < 64; j++) { double d = u[im][j] + u[ip][j]; v[i][j] = d; }";
    let text = mirrored(rows).unwrap();
    let (_, cells) = text.split_once("double d; ").unwrap();
    assert_eq!(
        cells,
        "if (i == 0) { d = u[i + 1][j] + u[ip][j]; } else { if (i == n - 1) { d = u[i - 1][j] + u[i - 1][j]; } else { d = u[i - 1][j] + u[i + 1][j]; } } v[i][j] = d; }"
    );
}

#[test]
fn other_places_stay() {
    for rows in [
        // On a ring, or far.
        "ip = i == n - 1 ? 0 : i + 1;",
        "ip = i == 0 ? 9 : i - 1;",
        "ip = i == 0 ? 1 : i - 9;",
        // Conditions of other kinds.
        "ip = i >= n - 1 ? n - 1 : i + 1;",
        "ip = i == u[0][0] ? 1 : i + 1;",
        "ip = i == g(1) ? 1 : i + 1;",
        // What changes behind, or is no number as the iterator is.
        "ip = i == 0 ? 1 : i - 1; ip++;",
        "ip = i == N - 1 ? N - 2 : i + 1; g(2);",
        "ip = i == n - 1 ? n - 2 : i + 1; n++;",
        "ip = i == 0 ? 1 : i - 1; g(ip); i++;",
        "int *p = &ip; ip = i == 0 ? 1 : i - 1;",
        "up = i == 0 ? 1 : i - 1;",
    ] {
        let used = if rows.starts_with("up") {
            CELLS.replace("ip", "up")
        } else {
            CELLS.to_owned()
        };
        assert_eq!(mirrored(&format!("{rows} {used}")), None, "{rows}");
    }
}
