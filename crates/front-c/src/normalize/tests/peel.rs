use super::*;

/// The text of the loop in `void f(..)` with its last step apart, if it is.
fn peeled(loop_: &str) -> Option<String> {
    let text = format!(
        "int g; void f(int n, int steps, float *u, float *w) {{ int t, k = 0; float r = 0; {loop_} g += r > k; }}"
    );
    let (text, passes) = rewritten(&text)?;
    passes.contains(&"peel".to_owned()).then_some(text)
}

const SWEEP: &str = "for (int i = 1; i < n; i++) w[i] = u[i - 1]; for (int i = 1; i < n; i++) { float d = w[i] - u[i]; GATHERED u[i] = w[i]; }";

fn step(gathered: &str) -> String {
    SWEEP.replace("GATHERED", gathered)
}

#[test]
fn what_each_step_begins_anew() {
    let text = peeled(&format!(
        "for (t = 0; t < steps; t++) {{ r = 0; k = 0; {} }}",
        step("r += d * d; if (d > 1) k++;")
    ));
    let others = step("").replace("w[i] = u[i - 1]; for", "{ w[i] = u[i - 1]; } for");
    let others = others.split_whitespace().collect::<Vec<_>>().join(" ");
    let last = step("r += d * d; if (d > 1) { k++; }");
    let last = last.replace("w[i] = u[i - 1]; for", "{ w[i] = u[i - 1]; } for");
    assert_eq!(
        text,
        Some(format!(
            "{{ {{ t = 0; while (t < steps) {{ for (t = 0; t + 1 < steps; t++) {{ {others} }} r = 0; k = 0; {last} t++; }} }} }}"
        ))
    );
    // A variable of the loop's own is declared before it.
    let text = peeled(&format!(
        "for (int t = 2; t <= steps; t++) {{ r = 0; {} }}",
        step("if (d > r) r = d;")
    ));
    let text = text.expect("the last step is apart");
    assert!(
        text.starts_with(
            "{ { int t; t = 2; while (t <= steps) { for (t = 2; t + 1 <= steps; t++) {"
        ),
        "{text}"
    );
}

#[test]
fn what_the_loop_reads_stays() {
    for (begun, gathered, end) in [
        ("r = 0;", "r += d; w[i] = r;", ""),
        ("r = 0;", "r += d;", "u[0] = r;"),
        ("r = 0;", "r += d;", "if (r < 1) u[0] = 1;"),
        ("r = 0;", "r += d;", "if (r < 1) break;"),
        ("", "r += d;", ""),
        ("r = r / 2;", "r += d;", ""),
        ("if (t > 3) r = 0;", "r += d;", ""),
        ("r = 0;", "r += w[i] = d;", ""),
        ("r = 0;", "r += k++;", ""),
        ("r = 0;", "r += d;", "steps--;"),
        ("r = 0;", "r += d;", "t++;"),
        ("g = 0;", "g += d > 1;", "{ int *p = &g; *p = 1; }"),
        ("float q = 0;", "q += d;", ""),
        ("r = 0;", "", ""),
    ] {
        let loop_ = format!(
            "for (t = 0; t < steps; t++) {{ {begun} {} {end} }}",
            step(gathered)
        );
        assert_eq!(peeled(&loop_), None, "{loop_}");
    }
}
