use super::*;

const BEFORE: &str = "#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
void keep(float *all);
static float change(int n, const float *a, const float *b) {
  float most = 0; for (int i = 1; i < n; i++) { float d = fabsf(a[i] - b[i]); if (d > most) most = d; } return most; }
";

/// The steps and the host's part of them, of the loop that goes several steps at once, if it is one.
fn parts(loop_: &str) -> Option<(String, String)> {
    let text = format!(
        "{BEFORE}float f(int n, int most, float *u, float *v) {{ int t = 0, moved = 1; long changed = 1; float err = 1, other = 1; {loop_} return err; }}"
    );
    let found = forms_of(&text);
    let form = (found.into_iter()).find(|form| form.passes.contains(&"converge".to_owned()))?;
    assert!(form.segments.is_some_and(|s| s.converging.is_some()));
    let words: Vec<&str> = form.text.split_whitespace().collect();
    let words = words.join(" ");
    let (_, rest) = words.split_once("for (long step = 0; step < n_steps; step++) { ")?;
    let (steps, rest) = rest.split_once(" } while (!over && n_done < n_steps) { ")?;
    let (host, _) = rest.split_once(" } } while (n_done < n_steps);")?;
    Some((steps.to_owned(), host.to_owned()))
}

const SWEEP: &str = "for (int i = 1; i < n; i++) v[i] = u[i - 1];";
const SWEPT: &str = "for (int i = 1; i < n; i++) { v[i] = u[i - 1]; }";
const TURN: &str = "float *w = u; u = v; v = w;";

/// A nest that folds the changes of cells.
fn nest(folds: &str) -> String {
    format!("for (int i = 1; i < n; i++) {{ float d = fabsf(v[i] - u[i]); {folds} }}")
}

/// A step that begins `err` anew and ends with the swap.
fn step() -> String {
    format!("err = 0; {SWEEP} {} {TURN}", nest("if (d > err) err = d;"))
}

fn assert_parts(loop_: &str, folds: &str, host: &str) {
    let steps = format!("{SWEPT} {} {TURN}", nest(folds));
    assert_eq!(parts(loop_), Some((steps, host.to_owned())), "{loop_}");
}

fn assert_none(loop_: &str) {
    assert_eq!(parts(loop_), None, "{loop_}");
}

const LARGEST: &str = "if (d > err_at[step]) { err_at[step] = d; }";
const HANDED: &str = "err = 0; err = err_at[n_done]; err_at[n_done] = 0;";

#[test]
fn while_and_do() {
    let step = step();
    assert_parts(
        &format!("while (err > 1e-3 && t < most) {{ {step} t++; }}"),
        LARGEST,
        &format!("{HANDED} n_done++; t++; over = !(err > 1e-3 && t < most);"),
    );
    assert_parts(
        &format!("do {{ {step} t++; }} while (err > 1e-3 && t < most);"),
        LARGEST,
        &format!("{HANDED} t++; n_done++; over = !(err > 1e-3 && t < most);"),
    );
    assert_parts(
        &format!("do {{ {step} }} while (err > 1e-3 && ++t < most);"),
        LARGEST,
        &format!("{HANDED} n_done++; over = !(err > 1e-3 && ++t < most);"),
    );
}

#[test]
fn for_with_break() {
    let step = step();
    let test = "if (err < 1e-3) break;";
    let tested = "if (err < 1e-3) { n_done++; over = 1; break; }";
    assert_parts(
        &format!("for (t = 0; t < most; t++) {{ {step} {test} }}"),
        LARGEST,
        &format!("{HANDED} {tested} n_done++; t++; over = !(t < most);"),
    );
    assert_parts(
        &format!("for (;;) {{ {step} t++; {test} }}"),
        LARGEST,
        &format!("{HANDED} t++; {tested} n_done++; over = 0;"),
    );
    // A number of the loop's own is declared before it.
    let loop_ = format!("for (t = 0; t < most; t++) {{ float {step} {test} }}");
    let (steps, host) = parts(&loop_).expect("the loop goes several steps");
    assert!(steps.contains("_at[step]) { err"), "{steps}");
    assert!(host.ends_with("n_done++; over = 1; break; } n_done++; t++; over = !(t < most);"));
}

#[test]
fn what_a_function_returns() {
    let found = parts(&format!(
        "while (err > 1e-3 && t < most) {{ {SWEEP} err = change(n, v, u); {TURN} t++; }}"
    ));
    let (steps, host) = found.expect("the loop goes several steps");
    assert!(
        steps.contains(
            "float d = fabsf(v[i_b] - u[i_b]); if (d > most_b_at[step]) { most_b_at[step] = d; }"
        ),
        "{steps}"
    );
    assert!(host.contains("err = most_b;"), "{host}");
}

#[test]
fn counts_and_marks_are_without_conditions() {
    for (begun, folds, is) in [
        (
            "changed = 0;",
            "if (d > 1e-3f) changed++;",
            "changed_at[step] += d > 1e-3f ? 1 : 0;",
        ),
        (
            "changed = 0;",
            "if (d > 1e-3f) { changed += 2; }",
            "changed_at[step] += d > 1e-3f ? 2 : 0;",
        ),
        (
            "changed = 3;",
            "if (d > 1e-3f) changed++;",
            "changed_at[step] += d > 1e-3f ? 1 : 0;",
        ),
        (
            "changed = 0;",
            "if (d > 1e-3f) changed = 1;",
            "changed_at[step] |= d > 1e-3f ? 1 : 0;",
        ),
        (
            "changed = 0;",
            "changed = changed || d > 1e-3f;",
            "changed_at[step] |= d > 1e-3f ? 1 : 0;",
        ),
        (
            "changed = 0;",
            "changed |= d > 1e-3f;",
            "changed_at[step] |= d > 1e-3f;",
        ),
        (
            "changed = 7;",
            "if (d > 1e-3f) changed = 0;",
            "changed_at[step] &= d > 1e-3f ? 0 : -1;",
        ),
        (
            "changed = 1;",
            "changed = changed && d > 1e-3f;",
            "changed_at[step] &= d > 1e-3f ? 1 : 0;",
        ),
        // These are not the same as operators.
        (
            "changed = 2;",
            "changed = changed && d > 1e-3f;",
            "changed_at[step] = changed_at[step] && d > 1e-3f;",
        ),
        (
            "changed = 2;",
            "if (d > 1e-3f) changed = 1;",
            "if (d > 1e-3f) { changed_at[step] = 1; }",
        ),
        (
            "changed = 0;",
            "if (d > 1e-3f) changed = 2;",
            "if (d > 1e-3f) { changed_at[step] = 2; }",
        ),
        (
            "changed = 0;",
            "if (d > 1e-3f) changed = 1; changed += 3;",
            "if (d > 1e-3f) { changed_at[step] = 1; } changed_at[step] += 3;",
        ),
        (
            "changed = 0;",
            "changed = changed || u[2 * i] > 1;",
            "changed_at[step] = changed_at[step] || u[2 * i] > 1;",
        ),
    ] {
        let loop_ = format!(
            "while (changed > 0) {{ {begun} {SWEEP} {} {TURN} }}",
            nest(folds)
        );
        let (steps, _) = parts(&loop_).expect(folds);
        assert_eq!(steps, format!("{SWEPT} {} {TURN}", nest(is)), "{folds}");
    }
}

#[test]
fn nests_behind_the_swap() {
    let behind = nest("if (d > err) err = d;");
    for begun in [
        format!("err = 0; {SWEEP} {TURN} {behind}"),
        format!("{SWEEP} {TURN} err = 0; {behind}"),
    ] {
        let (steps, host) = parts(&format!("while (err > 1e-3) {{ {begun} }}")).expect(&begun);
        let turned = nest(LARGEST).replace("v[i] - u[i]", "u[i] - v[i]");
        assert_eq!(steps, format!("{SWEPT} {turned} {TURN}"));
        assert_eq!(host, format!("{HANDED} n_done++; over = !(err > 1e-3);"));
    }
    // A nest that leaves, or that moves pointers itself, stays where it is.
    for body in [
        format!("err = 0; {SWEEP} {TURN} if (err > 9) break; {behind}"),
        format!("err = 0; {SWEEP} {TURN} for (int k = 0; k < 2; k++) {{ u++; }} {behind}"),
    ] {
        let found = parts(&format!("while (err > 1e-3) {{ {body} }}"));
        assert!(found.is_none_or(|(steps, _)| steps.starts_with(&format!("{SWEPT} {TURN}"))));
    }
}

#[test]
fn a_step_selects_planes() {
    let loop_ = "float *p[2]; p[0] = u; p[1] = v; while (t < most && err > 1e-3) { err = 0; for (int i = 1; i < n; i++) p[(t + 1) % 2][i] = p[t % 2][i - 1]; for (int i = 1; i < n; i++) { float d = fabsf(p[(t + 1) % 2][i] - p[t % 2][i]); if (d > err) err = d; } t++; }";
    let (steps, host) = parts(loop_).expect("the loop goes several steps");
    assert!(
        steps.starts_with("for (int i = 1; i < n; i++) { p_next[i] = p_now[i - 1]; }"),
        "{steps}"
    );
    assert_eq!(
        host,
        format!("{HANDED} n_done++; t++; over = !(t < most && err > 1e-3);")
    );
}

#[test]
fn what_stays() {
    let folded = nest("if (d > err) err = d;");
    for body in [
        // Not begun anew, or not with a constant.
        format!("{SWEEP} {folded} {TURN}"),
        format!("err = err / 2; {SWEEP} {folded} {TURN}"),
        format!("if (t > 3) err = 0; {SWEEP} {folded} {TURN}"),
        // The host reads an element, or stores one.
        format!("{} if (u[1] > 3) break;", step()),
        format!("{} printf(\"%f\", u[n / 2]);", step()),
        // Steps read what the host has, or what the steps before have folded.
        format!(
            "other = err; {}",
            step().replace("u[i - 1]", "u[i - 1] * other")
        ),
        format!("err = 0; {SWEEP} {folded} v[1] = err; {TURN} t++; if (t > most) break; {SWEEP}"),
        format!("{} t++; for (int i = 1; i < n; i++) v[i] = t;", step()),
        // Others can see it.
        format!("float *p = &err; *p = 1; {}", step()),
        format!("static int k; {} k++;", step()),
        format!("{} if (t > 3) continue; t++;", step()),
        format!("{} if (t > 3) return err; t++;", step()),
    ] {
        assert_none(&format!("while (err > 1e-3) {{ {body} }}"));
    }
    // Nothing of the cells ends it.
    assert_none(&format!("while (t < most) {{ {SWEEP} {TURN} t++; }}"));
}

#[test]
fn moves_that_the_last_step_does_not_make_are_undone() {
    let folded = nest("if (d > err) err = d;");
    let loop_ = format!(
        "while (t < most) {{ err = 0; {SWEEP} {folded} if (err < 1e-3) break; {TURN} t++; }}"
    );
    let steps = format!("{SWEPT} {} {TURN}", nest(LARGEST));
    let host = format!(
        "{HANDED} if (err < 1e-3) {{ back = 1; {{ n_done++; over = 1; break; }} }} n_done++; t++; over = !(t < most);"
    );
    assert_eq!(parts(&loop_), Some((steps, host)));
    // The pointer that the moves lose is read later.
    let lost = loop_.replace(TURN, "u = v;");
    assert_none(&format!("{lost} u[0] = 1;"));
}

#[test]
fn numbers_that_are_asked_for_sometimes_are_there_in_each_step() {
    let folded = nest("if (d > err) err = d;");
    let loop_ = |more: &str| {
        format!(
            "while (t < most) {{ {SWEEP} if (t % 9 == 0) {{ err = 0; {folded} {more} if (err < 1e-3) break; }} t++; }}"
        )
    };
    let (steps, host) = parts(&loop_("")).expect("the loop goes several steps");
    let folds = nest("if (d > err_now_at[step]) { err_now_at[step] = d; }");
    assert_eq!(steps, format!("{SWEPT} {folds}"));
    let begins = "err_now = 0; err_now = err_now_at[n_done]; err_now_at[n_done] = 0; if (t % 9 == 0) { err = 0; err = err_now;";
    assert!(host.starts_with(begins), "{host}");
    // The loops need what the branch has, or do more.
    assert_none(&loop_("v[1] = 0;"));
    assert_none(&loop_("").replace("fabsf(", "t * fabsf("));
}

#[test]
fn a_step_is_the_condition() {
    let step = "static _Bool g(int n, float *u) { _Bool again = 0; for (int i = 1; i < n; i++) { u[i] = u[i] / 2; \
        if (u[i] > 4) again = 1; } return again; } int f(int n, float *u) { int m = 0; while (g(n, u)) m++; return m; }";
    let form = &forms_of(step)[0];
    assert_eq!(form.passes, ["called", "inline", "converge"]);
    let words: Vec<&str> = form.text.split_whitespace().collect();
    let text = words.join(" ");
    assert!(
        text.starts_with("{ int goes_on; { int again_at[256] = { 0 }; _Bool again_b;"),
        "{text}"
    );
    let host = "again_b = 0; again_b = again_at[n_done]; again_at[n_done] = 0; goes_on = again_b; if (goes_on) { m++; } n_done++; over = !goes_on;";
    assert!(text.contains(host), "{text}");
    // A number that is no truth as an `int`.
    assert!(forms_of(&step.replace("again = 1", "again = i")).is_empty());
}

#[test]
fn what_the_host_alone_keeps() {
    let step = step();
    let inside = |kept: &str| {
        let (steps, host) = parts(&format!(
            "{kept} while (err > 1e-3 && t < most) {{ {step} kept[t] = err; t++; }}"
        ))?;
        assert_eq!(steps, format!("{SWEPT} {} {TURN}", nest(LARGEST)));
        Some(host)
    };
    let host = format!("{HANDED} kept[t] = err; n_done++; t++; over = !(err > 1e-3 && t < most);");
    for kept in [
        "float kept[900];",
        "static float kept[900];",
        "float *kept = (float *)malloc(most * sizeof(float));",
        "float *kept = 0; if (most < 900) kept = malloc(most * 4);",
    ] {
        assert_eq!(inside(kept).as_deref(), Some(&*host), "{kept}");
    }
    // Cells may be what others call so.
    for kept in [
        "float *kept = u;",
        "float *kept = v + n;",
        "float *kept = malloc(most * 4); u = kept;",
        "float kept[900]; v = &kept[3];",
        "float kept[900]; float *alias = kept;",
        "float kept[900]; u = memcpy(kept, v, 4 * n);",
        "float *kept = malloc(8); keep(kept);",
    ] {
        assert_eq!(inside(kept), None, "{kept}");
    }
    // Steps use them.
    assert_none(&format!(
        "float kept[900]; while (err > 1e-3) {{ {} kept[1] = err; }}",
        step.replace("u[i - 1]", "kept[i]")
    ));
}

/// Whether a loop of a text goes several steps at once.
fn goes_several_steps(text: &str) -> bool {
    let found = forms_of(text);
    (found.iter()).any(|form| form.passes.contains(&"converge".to_owned()))
}

#[test]
fn what_callers_give_for_the_host_alone() {
    let step = step();
    let is_apart = |of_file: &str, main: &str| {
        goes_several_steps(&format!(
            "{BEFORE}static float all[900], more[900]; {of_file} static void g(int n, float *u, float *v, float *kept) {{ \
            float err = 1; while (err > 1e-3) {{ {step} *kept = err; }} }} {main}"
        ))
    };
    for main in [
        "float last; g(900, all, more, &last);",
        "float *kept = malloc(4); g(900, all, more, kept);",
        "g(900, all, more, 0);",
    ] {
        assert!(
            is_apart("", &format!("int main(void) {{ {main} }}")),
            "{main}"
        );
    }
    // The cells may be there, too, or be what a function reaches by a name.
    for (of_file, main) in [
        (
            "",
            "int main(void) { float own[900]; g(900, own, more, own); }",
        ),
        ("", "int main(void) { g(900, more, more, all); }"),
        (
            "",
            "int main(void) { float own[900]; g(900, all, more, own + 1); }",
        ),
        (
            "float last;",
            "int main(void) { g(900, all, more, &last); }",
        ),
        (
            "",
            "static void h(float *a, float *b) { g(900, a, more, b); } int main(void) { float own[900]; h(own, own); }",
        ),
    ] {
        assert!(!is_apart(of_file, main), "{main}");
    }
    // An array of the file that is given as cells.
    let is_alone = |main: &str| {
        goes_several_steps(&format!(
            "{BEFORE}static float kept[900], more[900]; static void g(int n, float *u, float *v) {{ float err = 1; int t = 0; \
            while (err > 1e-3) {{ {step} kept[t] = err; t++; }} }} int main(void) {{ {main} }}"
        ))
    };
    assert!(is_alone("float own[900]; g(900, own, more);"));
    assert!(!is_alone("g(900, kept, more);"));
}

#[test]
fn nests_behind_the_swap_whose_functions_use_the_pointers() {
    let nest_is_first = |value: &str| {
        let text = format!(
            "#include <math.h>
static float *u, *v; static float of(int i) {{ return u[i] - v[i]; }} float f(int n) {{ float err = 1; \
            while (err > 1e-3) {{ err = 0; {SWEEP} {TURN} \
            for (int i = 1; i < n; i++) {{ float d = {value}; if (d > err) err = d; }} }} return err; }}"
        );
        let found = forms_of(&text);
        let form = (found.iter()).find(|form| form.passes.contains(&"converge".to_owned()));
        let text = &form.expect("the loop goes several steps").text;
        text.find("fabsf") < text.find("v = w;")
    };
    assert!(nest_is_first("fabsf(u[i] - v[i])"));
    assert!(!nest_is_first("fabsf(of(i))"));
}
