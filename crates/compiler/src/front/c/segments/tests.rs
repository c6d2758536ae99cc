use super::*;
use crate::front::c::region::time_loops;

/// The body of `main`, and what becomes of its time loop.
fn changed(body: &str, ends: Ends) -> Option<String> {
    let text = format!(
        "#define EVERY 10\nint g;\nvoid step(float *a) {{ for (int i = 0; i < 9; i++) a[i] += 1; }}\nvoid turn(void) {{ g++; }}\nint main(int n, char **v) {{\n{body}\n}}\n"
    );
    let regions = time_loops(&text);
    let region = regions
        .iter()
        .find(|r| (r.function.as_ref()).is_some_and(|function| function.name == "main"))?;
    let segments = segments(&text, region, &["STEPS=7".to_string()], ends)?;
    let after = csource::apply_edits(&text, segments.edits).ok()?;
    assert_eq!(after.lines().count(), text.lines().count());
    let (_, main) = after.split_once("char **v) {\n")?;
    Some(main.trim_end_matches("\n}\n").to_string())
}

fn is_split(body: &str) -> bool {
    changed(body, Ends::AtCalls).is_some()
}

#[test]
fn the_host_takes_part_behind_the_steps() {
    let body =
        "for (int t = 0; t < n; t++) { // steps\n step(a); // all\n if (t % 10 == 0) save(a);\n}";
    assert_eq!(
        changed(body, Ends::AtCalls).as_deref(),
        Some(
            "for (int t = 0; t < n; t++) { { int hexcc_last = t; while (hexcc_last + 1 < n && !(hexcc_last % 10 == 0)) hexcc_last++; const int hexcc_first = t; for (int t = hexcc_first < 0 ? 0 : hexcc_first; t <= hexcc_last; t++) { // steps\n step(a); } t = hexcc_last; } // all\n if (t % 10 == 0) save(a);\n}"
        )
    );
}

#[test]
fn the_host_takes_part_before_the_steps() {
    let body = "long t; for (t = n; t <= 2 * n; t += 1) { if (t == 3) { read(a); } step(a); }";
    assert_eq!(
        changed(body, Ends::AtCalls).as_deref(),
        Some(
            "long t; for (t = n; t <= 2 * n; t += 1) { if (t == 3) { read(a); } { long hexcc_last = t; while (hexcc_last + 1 <= 2 * n && !((hexcc_last + 1) == 3)) hexcc_last++; const long hexcc_first = t; for (long t = hexcc_first; t <= hexcc_last; t++) { step(a); } t = hexcc_last; } }"
        )
    );
}

#[test]
fn conditions_are_values_that_no_step_changes() {
    let with = |condition: &str| {
        is_split(&format!(
            "int k = 3, m = 4, *p = &m, c[3]; for (int t = 0; t < n; t++) {{ step(a); if ({condition}) save(a, t); }}"
        ))
    };
    for condition in [
        "t % k == 0",
        "t % EVERY == 0",
        "t == STEPS",
        "t == g || t > 2 * k",
    ] {
        assert!(with(condition), "{condition}");
    }
    for condition in [
        "t % m == 0",
        "t == c[0]",
        "due(t)",
        "t == k++",
        "k % 2 == 0",
        "t % UNKNOWN == 0",
        "t == *p",
    ] {
        assert!(!with(condition), "{condition}");
    }
    assert!(!is_split(
        "for (int t = 0; t < n; t++) { step(a); turn(); if (t == g) save(a); }"
    ));
    assert!(!is_split(
        "int k = 1; for (int t = 0; t < n; t++) { step(a); k = 2; if (t == k) save(a); }"
    ));
}

#[test]
fn steps_that_cannot_have_a_loop_of_their_own_stay() {
    for body in [
        "for (int t = 0; t < n; t++) { int m = t; step(a); if (t % 20 == 0) save(m); }",
        "for (int t = 0; t < n; t++) { step(a); if (x) break; if (t % 20 == 0) save(a); }",
        "for (int t = 0; t < n; t++) { step(a); if (t % 20 == 0) save(a); else step(a); }",
        "for (int t = 0; t < n; t++) { step(a); if (t % 20 == 0) save(a); t++; }",
        "for (int t = 0; t < n; t += 2) { step(a); if (t % 4 == 0) save(a); }",
        "for (int t = 0; t < n; t++) { step(a); if (t % 4 == 0) save(a); swap(a); }",
        "for (g = 0; g < n; g++) { step(a); if (g % 4 == 0) save(a); }",
        "for (int t = 0; t < n; t++) { if (t % 4 == 0) save(a); }",
        "for (int t = 0; t < n; t++) {\n step(a);\n#ifdef X\n if (t % 4 == 0) save(a);\n#endif\n }",
    ] {
        assert!(!is_split(body), "{body}");
    }
}

#[test]
fn segments_of_few_steps_are_none() {
    let every = |n: u32| {
        is_split(&format!(
            "for (int t = 0; t < n; t++) {{ step(a); if (t % {n} == 0) save(a); }}"
        ))
    };
    assert!(!every(1) && !every(3) && every(4) && every(100));
}

#[test]
fn work_without_calls_is_a_step_or_the_hosts() {
    let body = "for (int t = 0; t < n; t++) { step(a); if (t == 5) a[3] = 1; }";
    assert!(changed(body, Ends::AtCalls).is_none());
    assert!(changed(body, Ends::AtAll).is_some());
}
