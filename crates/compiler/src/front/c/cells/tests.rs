use super::*;

/// What a program becomes whose first loop is the region.
fn celled(text: &str) -> Option<Celled> {
    let start = text.find("for (").expect("a loop");
    let code = Code::new(text);
    let first = code.tokens.partition_point(|t| t.span.start < start);
    let end = csource::statement_end(&code, first, code.tokens.len());
    let region = Region {
        span: code.bytes(first..end),
        function: csource::enclosing_function(text, start),
        marked: false,
        closed: true,
        depth: 2,
    };
    with_cells(text, &[], &region, (&Reduced::unchanged(text), 1))
}

const MEDIAN: &str = "
void sort(unsigned char *w, int n)
{
  int i = 0;
  while (++i < n) {
    int j = i - 1;
    while (j >= 0 && w[j] > 3) --j;
    w[j + 1] = 3;
  }
}
void median(unsigned char *out, const unsigned char *in, int w, int h)
{
  for (int y = 1; y < h - 1; y++)
    for (int x = 1; x < w - 1; x++) {
      unsigned char v[9];
      int k = 0;
      while (k < 9) {
        v[k] = in[(y + k / 3 - 1) * w + x + k % 3 - 1];
        k++;
      }
      sort(v, 9);
      out[y * w + x] = v[4];
    }
}
";

#[test]
fn a_body_becomes_a_function() {
    let celled = celled(MEDIAN).expect("a cell");
    let cell = &celled.cells[0];
    assert_eq!(cell.name, "hexcc_median_1");
    assert_eq!(
        cell.params,
        ["int w", "int x", "int y", "const unsigned char *in"]
    );
    assert!(!cell.keeps);
    assert!(
        celled
            .text
            .text
            .contains("out[y * w + x] = hexcc_median_1(w, x, y, in, hexcc_elements_in);")
    );
    assert!(cell.functions[0].starts_with("void hexcc_median_1_sort(unsigned char *w, int n)"));
    assert!(cell.functions[1].contains("hexcc_out = v[4];"));
}

/// What a body becomes in a function, with what follows the loop.
fn body(body: &str, after: &str) -> Option<Celled> {
    let text = format!(
        "
#define HERE total
enum kind {{ LOW, HIGH }};
static int total;
static float table[3][5];
void fill(float *p, int n) {{ p[n] = 1; }}
int count(void) {{ return ++total; }}
float at(float *p, int n) {{ return p[n] * table[1][n % 5]; }}
int again(int n) {{ return n < 2 ? n : again(n - 1); }}
int f(float *v, const float *u, float *w, int n, int m)
{{
  int k = 0, l, j;
  for (int i = 0; i < n; i++) {{
    {body}
  }}
  {after}
  return 0;
}}
"
    );
    celled(&text)
}

#[test]
fn bodies_that_are_functions_of_the_cell() {
    let loops = "while (l < m) l++;";
    for text in [
        "float s = 0; int l = 0; LOOP v[i] = s + l;",
        "l = 0; LOOP v[i] = u[l] + table[l % 3][2];",
        "if (u[i] > 0) { l = 1; LOOP v[i] = l; } else v[i] = HIGH;",
        "l = 0; LOOP v[i] = 0; for (j = 0; j < l; j++) v[i] += u[j];",
        "l = 0; LOOP w[i] += at(u, l); v[i] = LOW;",
        "l = 0; LOOP if (l > 3) continue; v[i] = l;",
        "float q[4]; l = 0; LOOP fill(q, 1); v[i] = q[1] + l;",
    ] {
        let text = text.replace("LOOP", loops);
        assert!(body(&text, "").is_some(), "{text}");
    }
}

#[test]
fn bodies_that_do_more_than_a_function_of_the_cell() {
    for (text, after) in [
        ("float *p = &w[i]; *p = 1; v[i] = 2;", ""),
        ("float *p = w; p[1] = 1; v[i] = 2;", ""),
        ("((float *)u)[0] = 1; v[i] = 2;", ""),
        ("v[i] = 1; v[i + 1] = 2;", ""),
        ("v[i] = v[i - 1];", ""),
        ("v[k++] = 1;", ""),
        ("v[count()] = 1;", ""),
        ("v[i] = count();", ""),
        ("v[i] = total++;", ""),
        ("v[i] = HERE;", ""),
        ("fill(w, i); v[i] = 1;", ""),
        ("fill(&k, i); v[i] = 1;", ""),
        ("v[i] = again(i);", ""),
        ("v[i] = rand();", ""),
        ("static int s; v[i] = s++;", ""),
        ("if (u[i] > 1) break; v[i] = 1;", ""),
        ("if (u[i] > 1) return 1; v[i] = 1;", ""),
        ("if (u[i] > 1) goto end; v[i] = 1;", "end:"),
        ("v[i] = l; l = i;", ""),
        ("if (u[i] > 1) l = 2; v[i] = l;", ""),
        ("switch (m) { case 0: l = 1; case 1: v[i] = l; }", ""),
        ("l = i; v[i] = l;", "return l;"),
        ("l = i; v[i] = l;", "if (m) l = 3; return l;"),
        ("n = 3; v[i] = n;", ""),
        ("i++; v[i] = 1;", ""),
        ("float q[m]; q[0] = 1; v[i] = q[0];", ""),
        ("v[i] = w[i]; w[i + 1] = v[i];", ""),
        ("v[i] += 1; w[i] += v[i];", ""),
        ("\n#if 1\n v[i] = 1;\n#endif\n", ""),
    ] {
        assert!(body(text, after).is_none(), "{text} {after}");
    }
}

#[test]
fn old_values_are_taken_where_a_path_needs_them() {
    let keeps = |text: &str| {
        let cell = body(text, "").expect("a cell").cells.remove(0);
        let takes = cell.params.iter().any(|p| p.contains("old"));
        (takes, cell.keeps)
    };
    assert_eq!(keeps("v[i] = 1;"), (false, false));
    assert_eq!(keeps("if (m) v[i] = 1; else { v[i] = 2; }"), (false, false));
    assert_eq!(keeps("if (m) v[i] = 1;"), (true, true));
    assert_eq!(keeps("v[i] += 1;"), (true, false));
    assert_eq!(keeps("if (m) v[i] = 1; v[i] *= 2;"), (true, false));
    assert_eq!(keeps("if (m) continue; v[i] = 2;"), (true, true));
    assert_eq!(keeps("while (m) v[i] = 2;"), (true, true));
}

#[test]
fn arrays_of_the_function_around_may_be_the_cells_own() {
    let text = "
void order(int *a, int *b) { if (a[0] > b[0]) { int c = a[0]; a[0] = b[0]; b[0] = c; } }
int middle(int v[3]) { order(v, v + 1); order(v + 1, v + 2); order(v, v + 1); return v[1]; }
void median(int *out, const int *in, int n)
{
  int v[3];
  for (int i = 1; i < n - 1; i++) {
    v[0] = in[i - 1];
    v[1] = in[i];
    v[2] = in[i + 1];
    out[i] = middle(v);
  }
}
";
    let cell = &celled(text).expect("a cell").cells[0];
    let functions = cell.functions.join("");
    assert!(functions.contains("  int v[3];"), "{functions}");
    for (old, new) in [
        // Not all elements have values.
        ("    v[1] = in[i];\n", ""),
        ("v[2] = in[i + 1]", "if (in[i]) v[2] = in[i + 1]"),
        // Others see it.
        ("int v[3];", "int v[3]; out[0] = v[0];"),
        ("int v[3];", "static int v[3];"),
        ("int v[3];", "int v[N];"),
    ] {
        assert_eq!(celled(&text.replacen(old, new, 1)), None, "{new}");
    }
}
