//! Copies of arrays, and loops in the code of a cell.

use super::rewritten;

/// The body of the only loop of a function with parameters, behind arrays of the file, when copies are loops.
fn copied(params: &str, body: &str) -> Option<String> {
    let text = format!(
        "#include <string.h>\ntypedef double Plane[20][30]; static Plane u, v; static double w[20][31]; static float a[100], b[100]; typedef volatile float Seen[100]; static Seen seen;
void f(int T, {params}) {{ for (int t = 0; t < T; t++) {{ {body} }} }}"
    );
    let (text, passes) = rewritten(&text)?;
    assert_eq!(passes, ["copies"]);
    let text = text.strip_prefix("{ for (int t = 0; t < T; t++) { ")?;
    Some(text.strip_suffix(" } }")?.to_owned())
}

#[test]
fn copies_of_arrays() {
    let nest = "for (int cell = 0; cell < 20; cell++) { for (int cell_b = 0; cell_b < 30; cell_b++) { u[cell][cell_b] = v[cell][cell_b]; } }";
    for copy in [
        "memcpy(u, v, sizeof u);",
        "memcpy(u, v, sizeof(Plane));",
        "memcpy(&u[0][0], v[0], 20 * 30 * sizeof(double));",
        "memmove(u, v, sizeof(double) * 30 * 20);",
        "(void)memcpy((void *)&u, v, 20 * sizeof *v);",
    ] {
        assert_eq!(copied("int n", copy).as_deref(), Some(nest), "{copy}");
    }
    assert_eq!(
        copied("int n", "if (n) memset(a + 1, 0, n * sizeof(float));").as_deref(),
        Some("if (n) { for (int cell = 0; cell < n; cell++) { a[1 + cell] = 0; } }")
    );
    let variable = "int n, int m, float x[n][m], float (*y)[m]";
    let nest = "for (int cell = 0; cell < n; cell++) { for (int cell_b = 0; cell_b < m; cell_b++) { x[cell][cell_b] = y[cell][cell_b]; } }";
    for bytes in ["n * sizeof *x", "m * 4 * n", "sizeof(float[n][m])"] {
        let copy = format!("memcpy(x, y, {bytes});");
        assert!(copied(variable, &copy).is_some_and(|text| text.replace("long", "int") == nest));
    }
}

#[test]
fn copies_of_flat_arrays_have_rows() {
    let of = |subscript: &str, bytes: &str| {
        let body =
            format!("for (int i = 0; i < n; i++) y[{subscript}] = 0; memcpy(x, y, {bytes});");
        let text = copied("int n, int m, float *x, float *y", &body)?;
        Some(text.split_once("= 0; } ")?.1.to_owned())
    };
    let nest = "for (int cell = 0; cell < n; cell++) { for (int cell_b = 0; cell_b < m; cell_b++) \
{ x[cell * m + cell_b] = y[cell * m + cell_b]; } }";
    assert_eq!(
        of("i * m + 1", "m * n * sizeof(float)").as_deref(),
        Some(nest)
    );
    let wide = of("i * m + 1", "(size_t)n * m * sizeof *x");
    assert_eq!(wide, Some(nest.replace("int cell", "long cell")));
    assert_eq!(
        of("i", "n * sizeof(double)").as_deref(),
        Some("for (int cell = 0; cell < n * 2; cell++) { x[cell] = y[cell]; }")
    );
    assert_eq!(of("i", "n * m * sizeof(float)"), None);
    // The factor next to the subscript tells the order.
    let body = "for (int i = 0; i < n; i++) y[(i * m + i) * k + i] = 0; memset(x, 0, k * n * m * sizeof *x);";
    let text = copied("int n, int m, int k, float *x, float *y", body).unwrap();
    assert!(
        text.ends_with("{ x[(cell * m + cell_b) * k + cell_c] = 0; } } }"),
        "{text}"
    );
    let text = "#include <string.h>\nvoid f(int T, int n, int m, int *x, int *y) { size_t all = (size_t)n * m; size_t size = all * sizeof *x; CHANGE
for (int t = 0; t < T; t++) { for (int i = 0; i < n; i++) y[i * m] = 0; memcpy(x, y, all * sizeof(int)); } }";
    let (looked_through, _) = rewritten(&text.replace("CHANGE", "")).unwrap();
    assert!(looked_through.contains("cell_b < m;"), "{looked_through}");
    for change in ["n++;", "all = 1;", "int *p = &m;"] {
        let (text, _) = rewritten(&text.replace("CHANGE", change)).unwrap();
        assert!(text.contains("cell < all;"), "{text}");
    }
    // A length that is a product itself.
    let text = "#include <string.h>\nvoid f(int T, int k, float *x, float *y) { int n = 40 * k; size_t bytes = sizeof(float) * n * n;
for (int t = 0; t < T; t++) { for (int i = 0; i < n; i++) y[i * n] = 0; memcpy(x, y, bytes); } }";
    let (text, _) = rewritten(text).unwrap();
    assert!(
        text.contains("cell_b < n;") && text.contains("x[cell * n + cell_b]"),
        "{text}"
    );
}

#[test]
fn copies_that_are_no_loops() {
    for copy in [
        "memcpy(u, w, sizeof u);",
        "memcpy(a, u, sizeof a);",
        "memmove(a, a + 1, 99 * sizeof(float));",
        "memmove(x, y, n * sizeof(float));",
        "memset(a, 1, sizeof a);",
        "memcpy(u, v, 31 * sizeof(double));",
        "memcpy(a, b, 7);",
        "memcpy(u[2], v[2], n * sizeof(double));",
        "memcpy(a, b, k * k * 4u);",
        "memcpy(a, b, n++ * 4);",
        "memcpy(a, n ? b : a, sizeof a);",
        "memcpy((void *)seen, a, sizeof a);",
    ] {
        assert_eq!(
            copied("int n, unsigned k, float *x, float *y", copy),
            None,
            "{copy}"
        );
    }
    let own =
        "void *memcpy(void *a, const void *b, unsigned long n) { return a; } float a[9], b[9];
void f(int T) { for (int t = 0; t < T; t++) memcpy(a, b, sizeof a); }";
    assert_eq!(rewritten(own), None);
    let changed = "#include <string.h>\nvoid f(int T, int n) { float a[n], b[n]; n = 3; for (int t = 0; t < T; t++) memcpy(a, b, sizeof a); }";
    assert_eq!(rewritten(changed), None);
}

/// The cell's code of the only sweep of a time loop, when it is unrolled.
fn unrolled(before: &str, cell: &str) -> Option<String> {
    let text = format!(
        "{before}\nvoid f(int T, int n, const float *u, float *w) {{ int r; for (int t = 0; t < T; t++) for (int i = 4; i < n - 4; i++) {{ {cell} }} }}"
    );
    let (text, passes) = rewritten(&text)?;
    if passes == ["values"] {
        return None;
    }
    assert_eq!(passes, ["unroll"]);
    let text = text.split_once("i < n - 4; i++) { ")?.1;
    Some(text.strip_suffix(" } } }")?.to_owned())
}

#[test]
fn loops_over_neighbours() {
    let sum = "float s = 0; for (int r = FROM) s += u[i + r]; w[i] = s;";
    let of = |from: &str| {
        unrolled(
            "enum { R = 1 }; static const int Q = 2 * R;",
            &sum.replace("FROM", from),
        )
    };
    let expected = "float s = 0; s += u[i + -1]; s += u[i + 0]; s += u[i + 1]; w[i] = s;";
    for from in ["-1; r <= 1; r++", "-R; r < Q; ++r", "-R; Q > r; r += R"] {
        assert_eq!(of(from).as_deref(), Some(expected), "{from}");
    }
    assert!(
        of("1; r >= -1; r--")
            .is_some_and(|text| text.starts_with("float s = 0; s += u[i + 1]; s += u[i + 0];"))
    );
    for from in [
        "0; r < n; r++",
        "0; r < 33; r++",
        "t; r < 3; r++",
        "0; r < 3; r += 0",
        "0; r < 3; s = 1",
    ] {
        assert_eq!(of(from), None, "{from}");
    }
    let nested = unrolled(
        "static const int dx[2] = {-1, 1}; static const float c[2][2] = {{1, 2}, {3, 4}};",
        "float s = 0; for (int a = 0; a < 2; a++) for (int b = 0; b < 2; b++) { if (a == b) continue; s += c[a][b] * u[i + dx[a] * dx[b]]; } w[i] = s;",
    );
    assert_eq!(
        nested.as_deref(),
        Some("float s = 0; s += c[0][1] * u[i + -1 * 1]; s += c[1][0] * u[i + 1 * -1]; w[i] = s;")
    );
    // What is declared in the body has a block of its own, and an iterator of the function its last number.
    let text = unrolled(
        "",
        "float s = 0; for (r = 0; r < 2; r++) { float d = u[i - r]; s += d; } w[i] = s + r;",
    );
    assert_eq!(
        text.as_deref(),
        Some(
            "float s = 0; { float d = u[i - 0]; s += d; } { float d = u[i - 1]; s += d; } r = 2; w[i] = s + r;"
        )
    );
}

#[test]
fn small_arrays_of_a_cell() {
    let gathered = "int k = 0; float in[3]; for (r = -1; r <= 1; r++) in[k++] = u[i + r]; w[i] = in[0] + in[k - 1];";
    assert_eq!(
        unrolled("", gathered).as_deref(),
        Some(
            "float in_b; float in_c; float in_d; in_b = u[i + -1]; in_c = u[i + 0]; in_d = u[i + 1]; w[i] = in_b + in_d;"
        )
    );
    // Not where an element is selected by what is not known, or the array is used as a whole.
    for last in [
        "w[i] = in[(int)u[i]];",
        "w[i] = *in;",
        "w[i] = in[k];",
        "if (u[i]) k++; w[i] = in[k];",
    ] {
        let text = gathered.replace("w[i] = in[0] + in[k - 1];", last);
        assert!(
            unrolled("", &text).is_none_or(|text| text.contains("float in[3]")),
            "{last}"
        );
    }
}

#[test]
fn loops_that_stay() {
    for cell in [
        "float s = 0; for (int r = 0; r < 3; r++) { s += u[i + r]; r++; } w[i] = s;",
        "float s = 0; for (int r = 0; r < 3; r++) { int *p = &r; s += u[i + *p]; } w[i] = s;",
        "float s = 0; for (int r = 0; r < 3; r++) { if (u[i + r] > 1) break; s += u[i + r]; } w[i] = s;",
        "for (int r = 0; r < 3; r++) w[i + r] = u[i + r];",
        "float s = 0; for (volatile int r = 0; r < 3; r++) s += u[i + r]; w[i] = s;",
        "float s = 0; for (int r = 0; r < 3; r++) s += u[i]; w[i] = s;",
        "float s = 0; for (int r = 0; r < 3; r++) { static float d; d += u[i + r]; s += d; } w[i] = s;",
        "float s = 0; for (unsigned r = 2; r >= 0; r--) s += u[i + r]; w[i] = s;",
    ] {
        assert_eq!(unrolled("", cell), None, "{cell}");
    }
    // No sweep is taken for a time loop.
    let sweep = "void f(int n, float *u, float *w) { for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { float s = 0;
for (int r = 0; r < 3; r++) s += u[i * n + j + r]; w[i * n + j] = s; } }";
    assert_eq!(rewritten(sweep), None);
}

/// Whether one of the forms of a loop has a text.
fn has_form(text: &str, wanted: &str) -> bool {
    let words = |form: &super::Rewritten| {
        let words: Vec<&str> = form.text.split_whitespace().collect();
        words.join(" ")
    };
    super::forms_of(text)
        .iter()
        .any(|form| words(form).contains(wanted))
}

#[test]
fn neighbours_that_are_left_out() {
    let tables = "static const int d[3] = {-1, 0, 1};";
    let cell = "float s = 0; for (r = 0; r < 3; r++) { if (d[r] == 0) continue; int y = i + d[r]; if (y < 5) { s++; continue; } \
if (y > n) continue; s += u[y]; } w[i] = s;";
    let one = |sign: &str| {
        format!(
            "{{ int y = i + {sign}1; if (y < 5) {{ s++; }} else {{ if (y > n) {{ }} else {{ s += u[y]; }} }} }}"
        )
    };
    let made = format!("float s = 0; {} {} w[i] = s;", one("-"), one(""));
    let text = unrolled(tables, cell).unwrap();
    assert_eq!(text, made);
    // What ends the whole loop, or goes on from a branch in a branch.
    for last in [
        "if (u[i + r] > 4) break;",
        "if (n) { if (i) continue; s++; } s++;",
    ] {
        let cell = format!(
            "float s = 0; for (r = 0; r < 3; r++) {{ s += u[i + r]; {last} s++; }} w[i] = s;"
        );
        assert_eq!(unrolled("", &cell), None, "{last}");
    }
}

#[test]
fn loops_over_planes_are_unrolled_in_a_form_of_their_own() {
    let nest = |body: &str| {
        format!(
            "void f(int n, int m, int steps, float (*u)[n][m], float (*v)[n][m]) {{ for (int t = 0; t < steps; t++) {{ {body}
float (*w)[n][m] = u; u = v; v = w; }} }}"
        )
    };
    let inner = "for (int i = 1; i < n; i++) for (int j = 1; j < m; j++) for (int k = 0; k < 2; k++) v[k][i][j] = u[(k + 1) % 2][i][j - 1];";
    let outer = "for (int k = 0; k < 2; k++) for (int i = 1; i < n; i++) for (int j = 1; j < m; j++) v[k][i][j] = u[(k + 1) % 2][i][j - 1];";
    let both = "{ v[0][i][j] = u[1][i][j - 1]; v[1][i][j] = u[0][i][j - 1]; }";
    assert!(has_form(&nest(inner), both));
    assert!(has_form(&nest(outer), "v[1][i][j] = u[0][i][j - 1];"));
    // No number of planes, and no planes.
    for other in [
        outer.replace("k < 2", "k < n"),
        "for (int i = 0; i < 3; i++) v[0][0][i] = u[0][0][i];".to_owned(),
    ] {
        assert_eq!(super::forms_of(&nest(&other)).len(), 0, "{other}");
    }
}

#[test]
fn arrays_of_variable_length_are_given_to_functions() {
    let text = |before: &str, call: &str| {
        format!(
            "static void step(int n, int m, float u[n][m], float (*v)[m]) {{
  for (int i = 1; i < n; i++) for (int j = 1; j < m; j++) v[i][j] = u[i - 1][j - 1]; }}
void f(int n, int m, int steps, float (*a)[n], float (*b)[m]) {{ float (*c)[m] = b + n, (*d)[m] = b; {before}
  for (int t = 0; t < steps; t++) {{ {call} step(n, m, c, b); }} }}"
        )
    };
    let cell = "c[i][j] = b[i - 1][j - 1];";
    assert!(has_form(&text("", "step(n, m, b, c);"), cell));
    // Rows of another length, or one that is not the same any more.
    assert!(!has_form(&text("", "step(n, m, a, c);"), "a[i - 1]"));
    assert!(!has_form(&text("", "step(n, n, b, c);"), "c[i][j] ="));
    assert!(!has_form(&text("m = m + 1;", "step(n, m, b, c);"), cell));
    assert!(!has_form(&text("", "step(n, m, d + 1, c);"), "c[i][j] ="));
}

#[test]
fn tables_that_are_only_read() {
    let is_known = |global: &str, local: &str, more: &str| {
        let text = format!(
            "void g(int *); {global} void f(int n, int steps, float *u, float *w) {{ {local} for (int t = 0; t < steps; t++) {{ \
for (int i = 1; i < n; i++) {{ float s = 0; for (int r = 0; r < 2; r++) s += u[i + d[r]]; w[i] = s; }} \
float *v = u; u = w; w = v; }} {more} }}"
        );
        let forms = super::forms_of(&text);
        (forms.iter()).any(|form| form.text.contains("u[i + -1]") && form.text.contains("u[i + 1]"))
    };
    let table = "int d[2] = {-1, 1};";
    assert!(is_known("", table, "n = d[n];"));
    assert!(is_known("static const int d[2] = {-1, 1};", "", ""));
    assert!(!is_known(table, "", ""), "which others may write");
    for more in [
        "d[n] = 2;",
        "d[0]++;",
        "g(d);",
        "g(&d[1]);",
        "int *p = d; *p = 3;",
    ] {
        assert!(!is_known("", table, more), "{more}");
    }
}
