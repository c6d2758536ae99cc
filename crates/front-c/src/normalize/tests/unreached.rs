//! Members of structs and stores through pointers to numbers.

use super::*;

/// A program whose cells and sizes are `int`, with more in its file and in its `main`.
fn program(more: &str, in_main: &str) -> String {
    format!(
        "typedef unsigned long size_t; void *memcpy(void *, const void *, size_t);
typedef struct {{ int rows, cols; int **cells; }} Board;
{more}
static void step(Board *a, Board *b) {{
  for (int i = 1; i < a->rows - 1; i++) for (int j = 1; j < a->cols - 1; j++) b->cells[i][j] = a->cells[i - 1][j] + a->cells[i][j + 1];
}}
int main(int argc, char **argv) {{
  Board first, second, *a = &first, *b = &second;
  {in_main}
  for (int t = 0; t < argc; t++) {{ step(a, b); Board *w = a; a = b; b = w; }}
}}"
    )
}

/// Whether the sizes are read before the loop.
fn is_pointed(text: &str) -> bool {
    let passes = rewritten(text).map_or(Vec::new(), |(_, passes)| passes);
    passes.contains(&"pointed".to_string())
}

#[test]
fn sizes_are_apart_from_cells_where_no_pointer_leads_to_them() {
    assert!(is_pointed(&program("", "")));
    let by_functions = "static void fill(Board *b, int n) { b->rows = b->cols = n; if (!b || b->rows == 0) return; }";
    assert!(is_pointed(&program(
        by_functions,
        "fill(a, argc); fill(&second, argc);"
    )));
}

#[test]
fn sizes_that_a_pointer_may_lead_to_stay() {
    let make = "static int *all(Board *b) { return &b->rows; }";
    assert!(!is_pointed(&program(make, "")), "{make}");
    for more in [
        "int *leak(Board *b) { return (int *)b; }",
        "void *anything(Board *b) { return b; }",
        "void elsewhere(Board *b); void ask(Board *b) { elsewhere(b); }",
        "Board *others(void); int rows(void) { return others()->rows; }",
        "extern Board *shared;",
        "union both { Board *board; int *number; };",
        "struct outer { int n; Board board; }; int *leak(struct outer *o) { return (int *)o; }",
        "int *copied(Board *b) { int *p; memcpy(&p, &b, sizeof p); return p; }",
        "Board *taken(void *memory) { return memory; }",
        "Board *taken(int *memory) { return (Board *)memory; }",
        "struct both { Board *a, *b; }; void elsewhere(struct both *); void ask(struct both *s) { elsewhere(s); }",
        "Board shared; int *elsewhere(void); int ask(void) { return elsewhere()[0]; }",
        "int *(*given)(Board *); void ask(Board *b) { given(b); }",
    ] {
        assert!(!is_pointed(&program(more, "")), "{more}");
    }
    let no_main = program("", "").replace("int main(int argc, char **argv)", "void run(int argc)");
    assert!(!is_pointed(&no_main));
}
