//! Numbers that nothing reads.

use super::*;

fn form_of(declared: &str, cell: &str, behind: &str) -> Option<(String, Vec<String>)> {
    let text = format!(
        "float put(float *a, int i, float x) {{ a[i] = x; return x; }}
int main(void) {{ static float u[64], v[64]; {declared} for (int t = 0; t < 9; t++) {{
  for (int i = 1; i < 63; i++) {{ {cell} }} for (int i = 1; i < 63; i++) u[i] = v[i]; }} {behind} return 0; }}"
    );
    rewritten(&text)
}

#[test]
fn what_is_assigned_to_alone_goes() {
    let cell = "v[i] = u[i - 1]; if (v[i] > u[i]) last = v[i]; else count++;";
    let (text, passes) = form_of("float last = 0; int count = 0;", cell, "").unwrap();
    assert_eq!(passes, ["unread"]);
    assert!(
        text.contains("{ for (int i = 1; i < 63; i++) { v[i] = u[i - 1]; } for"),
        "{text}"
    );
    let cell = "v[i] = u[i - 1]; if (v[i] > u[i]) last = v[i]; else v[i] = 2;";
    let (text, _) = form_of("float last = 0;", cell, "").unwrap();
    let expected = "v[i] = u[i - 1]; if (!(v[i] > u[i])) { v[i] = 2; } }";
    assert!(text.contains(expected), "{text}");
    // A condition that does something stays.
    let cell = "v[i] = u[i - 1]; if (put(v, i, 2) > 1) last = 1;";
    let (text, _) = form_of("float last = 0;", cell, "").unwrap();
    assert!(text.contains("if (put(v, i, 2) > 1) { }"), "{text}");
    for (declared, cell, behind) in [
        // Somebody reads it, or sees that it is assigned to.
        (
            "float last = 0;",
            "v[i] = u[i - 1]; last = v[i];",
            "return last > 1;",
        ),
        ("float last = 0;", "last = u[i]; v[i] = last;", ""),
        ("float last = 0, *p = &last;", "last = u[i]; v[i] = *p;", ""),
        (
            "volatile float last = 0;",
            "v[i] = u[i - 1]; last = v[i];",
            "",
        ),
        (
            "static float last = 0;",
            "v[i] = u[i - 1]; last = v[i];",
            "",
        ),
        // What is assigned does something, perhaps to an array.
        (
            "float last = 0;",
            "v[i] = u[i - 1]; last = put(v, i, 2);",
            "",
        ),
        (
            "float last = 0; extern float next(void);",
            "v[i] = u[i - 1]; last = next();",
            "",
        ),
        ("float last = 0;", "last = v[i] = u[i - 1];", ""),
    ] {
        let passes = form_of(declared, cell, behind).map_or(Vec::new(), |(_, passes)| passes);
        assert!(!passes.contains(&"unread".to_owned()), "{declared} {cell}");
    }
}
