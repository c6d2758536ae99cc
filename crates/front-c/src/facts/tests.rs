use super::*;
use crate::normalize::tests::parsed;

const TEXT: &str = "
typedef double real;
typedef struct { char flag; real v[3]; struct { int a, b; } in[2]; unsigned bit : 3; float *p; union { int n; float f; }; } cell;
struct grid { int n; real *u, **rows; cell (*cells)[4]; };
static cell all[8][9];
real *rows[5];
void f(struct grid *g, real (*a)[7], real **b, real c[][7], int n, real d[n][n]) {
  real *b_inner = 0;
  for (int i = 0; i < n; i++) { int g = i; a[i][0] = g; }
  /* here */
}
float all_later;
";

fn facts(text: &str) -> Facts {
    Facts::of(&parsed(text))
}

fn at(word: &str) -> usize {
    TEXT.find(word).expect("a place of the text")
}

#[test]
fn names_mean_what_is_visible() {
    let facts = facts(TEXT);
    assert_eq!(facts.errors, Vec::<String>::new());
    let is_int = |name: &str, at: usize| {
        let ty = facts.variable(name, at);
        ty.and_then(|ty| facts.builtin(ty)) == Some("int")
    };
    assert!(is_int("g", at("a[i]")));
    assert!(!is_int("g", at("/* here")) && facts.variable("g", at("/* here")).is_some());
    assert_eq!(facts.variable("i", at("/* here")), None);
    assert_eq!(facts.variable("all_later", at("/* here")), None);
    assert_eq!(facts.variable("g", at("float all_later")), None);
}

#[test]
fn subscripts_follow_pointers_or_not() {
    let facts = facts(TEXT);
    let pointers = |name: &str| {
        let ty = facts.variable(name, at("/* here")).expect("a variable");
        facts.pointers(ty)
    };
    let found = ["a", "b", "c", "d", "rows", "all"].map(pointers);
    assert_eq!(found, [0, 1, 0, 0, 1, 0]);
    let leaf = |name: &str| {
        let ty = facts.variable(name, at("/* here")).expect("a variable");
        facts.builtin(facts.innermost(ty))
    };
    assert_eq!(
        ["a", "n", "all"].map(leaf),
        [Some("double"), Some("int"), None]
    );
}

#[test]
fn members_lie_where_the_compiler_puts_them() {
    let facts = facts(TEXT);
    let all = facts.variable("all", at("/* here")).expect("a variable");
    let cell = facts.behind(all, 2).expect("an element");
    assert_eq!(
        facts.named("cell").map(|ty| facts.size(ty)),
        Some(facts.size(cell))
    );
    assert_eq!(facts.size(cell), Some(72));
    let place = |path: &[(&str, usize)]| {
        let path: Vec<_> = path
            .iter()
            .map(|(name, n)| ((*name).to_owned(), *n))
            .collect();
        let place = facts.place(cell, &path)?;
        Some((place.offset, place.size, place.dims))
    };
    assert_eq!(place(&[("flag", 0)]), Some((0, 1, vec![])));
    assert_eq!(place(&[("v", 1)]), Some((8, 8, vec![(3, 8)])));
    assert_eq!(place(&[("in", 1), ("b", 0)]), Some((36, 4, vec![(2, 8)])));
    assert_eq!(place(&[("f", 0)]), Some((64, 4, vec![])));
    // A bit-field has no place, and what a pointer points to has none in the struct.
    assert_eq!(place(&[("bit", 0)]), None);
    assert_eq!(place(&[("p", 1)]), None);
    assert_eq!(place(&[("v", 2)]), None);
}

#[test]
fn nothing_is_said_of_types_where_clang_has_errors() {
    let facts = facts("unknown u; double *a; void f(void) { (void)a; }");
    assert!(!facts.errors.is_empty());
    assert_eq!(facts.variable("a", 30), None);
    assert!(facts.has_statement(&(36..40)) && !facts.has_statement(&(0..30)));
}

#[test]
fn calls_without_a_declaration_are_known_whatever_is_warned_of() {
    let text = "#pragma GCC diagnostic ignored \"-Wimplicit-function-declaration\"\n\
        int declared(int);\n\
        void f(void) { g(1); printf(\"\"); later(); declared(2); g(3); __builtin_trap(); }\n\
        int later(void) { int abs(int); return abs(0); }\n";
    let unit = parsed(text);
    let facts = Facts::of(&unit);
    assert_eq!(facts.errors, Vec::<String>::new());
    assert_eq!(facts.undeclared_of_library, ["printf"]);
    assert_eq!(crate::ForCplusplus::of(&unit).undeclared, ["g", "later"]);
}
