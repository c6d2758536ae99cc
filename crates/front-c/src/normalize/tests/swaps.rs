//! Time loops that swap pointers at the end of a step.

use super::*;

fn swaps_of(text: &str) -> Option<Swaps> {
    let unit = unit_of(text);
    let body = unit.functions.iter().rfind(|f| f.body.is_some()).unwrap();
    let mut found = None;
    walk::stmts(body.body.as_ref().unwrap(), &mut |stmt| {
        if matches!(stmt.kind, StmtKind::For { .. }) && found.is_none() {
            found = Some(stmt.span.start as usize..stmt.span.end as usize);
        }
    });
    swaps(&unit, &found.unwrap())
}

/// The cycle of a loop with a body in a function with some pointers.
fn cycle_of(body: &str) -> Option<Vec<String>> {
    let cycles = cycles_of(body)?;
    assert_eq!(cycles.len(), 1, "{cycles:?}");
    cycles.into_iter().next()
}

fn cycles_of(body: &str) -> Option<Vec<Vec<String>>> {
    let text = format!(
        "#define SWAP(a, b) tmp = a, a = b, b = tmp\nvoid take(int n, float *a, float *b, float **c);\n\
        void f(int n, float *a, float *b, float *c, float *d, float **p, float *q[], float g[n][n], float h[][n]) {{ float *tmp, *t2; \
        for (int t = 0; t < n; t++) {{ {body} }} }}"
    );
    let found = swaps_of(&text)?;
    assert_eq!(&text[found.head], "for (int t = 0; t < n; t++)");
    for swap in found.swaps {
        assert!(text[swap.clone()].ends_with([';', '}']), "{}", &text[swap]);
    }
    Some(found.cycles)
}

const NEST: &str = "for (int i = 1; i < n; i++) for (int j = 1; j < n; j++) b[i*n+j] = a[i*n+j];";

fn names(names: &[&str]) -> Option<Vec<String>> {
    Some(names.iter().map(|name| name.to_string()).collect())
}

#[test]
fn swaps_are_cycles() {
    let of = |swap: &str| cycle_of(&format!("{NEST} {swap}"));
    assert_eq!(of("tmp = a; a = b; b = tmp;"), names(&["a", "b"]));
    assert_eq!(of("float *x = a; a = b; b = x;"), names(&["a", "b"]));
    assert_eq!(of("{ float *x = a; a = b; b = x; }"), names(&["a", "b"]));
    assert_eq!(of("tmp = a, a = b, b = tmp;"), names(&["a", "b"]));
    assert_eq!(of("tmp = a, a = b; b = tmp;"), names(&["a", "b"]));
    assert_eq!(of("SWAP(a, b);"), names(&["a", "b"]));
    assert_eq!(
        of("{ float *tmp = a; a = b; b = tmp; }"),
        names(&["a", "b"])
    );
    assert_eq!(of("{ float *x; x = a; a = b; b = x; }"), names(&["a", "b"]));
    assert_eq!(of("float *const x = a; a = b; b = x;"), names(&["a", "b"]));
    assert_eq!(of("float (*x)[2*n] = a; a = b; b = x;"), names(&["a", "b"]));
    assert_eq!(of("float **const x = p; p = q; q = x;"), names(&["p", "q"]));
    assert_eq!(of("float (*x)[n] = g; g = h; h = x;"), names(&["g", "h"]));
    assert_eq!(
        cycle_of(&format!("float *x = a; {NEST} a = b; b = x;")),
        names(&["a", "b"])
    );
    assert_eq!(of("tmp = b; b = a; a = tmp;"), names(&["b", "a"]));
    // c gets what a was, a what b was, b what c was.
    let three = names(&["a", "b", "c"]);
    assert_eq!(of("tmp = a; a = b; b = c; c = tmp;"), three);
    assert_eq!(
        of("tmp = a; t2 = b; b = c; c = tmp; a = t2;"),
        names(&["b", "c", "a"])
    );
    assert_eq!(
        cycle_of(&format!("float *tmp; {NEST} tmp = a; a = b; b = tmp;")),
        names(&["a", "b"])
    );
}

#[test]
fn other_uses_of_pointers_are_no_swaps() {
    let of = |swap: &str| cycle_of(&format!("{NEST} {swap}"));
    assert_eq!(of("a = b;"), None);
    assert_eq!(cycle_of(&format!("tmp = a; a = b; b = tmp; {NEST}")), None);
    assert_eq!(cycle_of(&format!("tmp = a; a = b; {NEST} b = tmp;")), None);
    assert_eq!(of("a = b; b = a;"), None);
    assert_eq!(of("tmp = p[1]; p[1] = q[1]; q[1] = tmp;"), None);
    // c only tells which of the two is newer.
    assert_eq!(of("tmp = a; a = b; b = tmp; c = a;"), names(&["a", "b"]));
    assert_eq!(of("n = t; tmp = a; a = b; b = tmp;"), None);
    assert_eq!(of("tmp = a; a = b; b = c;"), None);
    assert_eq!(of("if (t) { tmp = a; a = b; b = tmp; }"), None);
    assert_eq!(of("a += 1; tmp = a; a = b; b = tmp;"), None);
    assert_eq!(of("if (n > t) break; tmp = a; a = b; b = tmp;"), None);
    assert_eq!(
        cycle_of(&format!("tmp[0] = 1; {NEST} tmp = a; a = b; b = tmp;")),
        None
    );
    assert_eq!(
        cycle_of(&format!(
            "take(n, a, b, &a); {NEST} tmp = a; a = b; b = tmp;"
        )),
        None
    );
}

#[test]
fn steps_may_end_loops_in_them() {
    let inner = "for (int i = 1; i < n; i++) for (int j = 1; j < n; j++) { if (c[j] > 0) continue; b[i*n+j] = a[i*n+j]; }";
    let found = cycle_of(&format!("{inner} tmp = a; a = b; b = tmp;"));
    assert_eq!(found, names(&["a", "b"]));
}

#[test]
fn steps_are_counted_from_a_number() {
    let start = |head: &str| {
        let text = format!(
            "#define BEGIN 2\ntypedef unsigned long size_t; void f(int n, float *a, float *b, int hexcc_first) {{ float *tmp; int t; for ({head}) {{ {NEST} tmp = a; a = b; b = tmp; }} }}"
        );
        swaps_of(&text).map(|swaps| swaps.start)
    };
    assert_eq!(start("int t = 0; t < n; t++"), Some("0".to_string()));
    assert_eq!(start("t = 1; t <= n; ++t"), Some("1".to_string()));
    assert_eq!(start("size_t t = 3; t != n; t += 1"), Some("3".to_string()));
    let first = Some("hexcc_first".to_string());
    assert_eq!(
        start("int t = hexcc_first < 0 ? 0 : hexcc_first; t <= n; t++"),
        first
    );
    assert_eq!(start("int t = n < 0 ? 0 : n; t <= n; t++"), None);
    assert_eq!(start("int t = n; t < 2 * n; t++"), None);
    assert_eq!(start("int t = 1 + 1; t < n; t++"), None);
    assert_eq!(start("int t = 0; t < n; t += 2"), None);
    assert_eq!(start("int t = BEGIN; t < n; t++"), Some("2".to_string()));
    assert_eq!(start("int t = -1; t < n; t++"), None);
    assert_eq!(start("; t < n; t++"), None);
    assert_eq!(start("int t = 0, s = 1; t < n; t++"), None);
}

#[test]
fn several_pairs_are_swapped() {
    let two = vec![names(&["a", "b"]).unwrap(), names(&["c", "d"]).unwrap()];
    let of = |swap: &str| cycles_of(&format!("{NEST} {swap}"));
    assert_eq!(
        of("tmp = a; a = b; b = tmp; tmp = c; c = d; d = tmp;"),
        Some(two.clone())
    );
    assert_eq!(
        of("tmp = a; t2 = c; a = b; c = d; b = tmp; d = t2;"),
        Some(two)
    );
    // b is what d was, but d is nobody's.
    assert_eq!(of("tmp = a; a = b; b = d; c = tmp;"), None);
}

/// All ways to assign four names to four in up to five assignments, of which every one in a few is tried: after k steps
/// pointer j of a circle of p is what pointer (j + k) mod p was.
#[test]
fn circles_are_what_steps_do() {
    const IDS: [DeclId; 4] = [DeclId(0), DeclId(1), DeclId(2), DeclId(3)];
    let mut found = 0;
    for seed in (0..1usize << 20).step_by(7) {
        let pairs = (0..5).map(|n| (IDS[seed >> (4 * n) & 3], IDS[seed >> (4 * n + 2) & 3]));
        let assigned: Vec<(DeclId, DeclId)> = pairs.filter(|(to, from)| to != from).collect();
        let Some(cycles) = super::super::swaps::cycles(&assigned) else {
            continue;
        };
        found += 1;
        let mut now = IDS;
        for step in 0..5 {
            for cycle in &cycles {
                for (j, id) in cycle.iter().enumerate() {
                    let expected = cycle[(j + step) % cycle.len()];
                    assert_eq!(now[id.0 as usize], expected, "{assigned:?}, step {step}");
                }
            }
            for (to, from) in &assigned {
                now[to.0 as usize] = now[from.0 as usize];
            }
        }
    }
    assert!(found > 500, "{found}");
}
