//! Variables of subscripts that branches choose.

use super::*;
use crate::normalize::forward as by;

/// What stands in the place of choices in the body of two loops, without blanks.
fn chosen(body: &str) -> Vec<String> {
    let text = format!(
        "struct grid {{ int n; }}; int wrap(int i); int next(int i) {{ return i + 1; }}\n#define LAST n - 1\n\
        void f(struct grid *g, int n, double *u, double *v, double x) {{ int i, j, im, ip; long m; short s; volatile int w;
        for (i = 0; i < n; i++) for (j = 0; j < n; j++) {{ {body} }} }}"
    );
    let unit = unit_of(&text);
    let region = text.find("for").unwrap()..text.len() - 2;
    let again = |text: String| Some(unit_of(&text));
    let found = by::with_passes(&unit, &region, &again, &by::PASSES[..1]);
    let told = |(range, to): (Range<usize>, String)| {
        let from = &text[range];
        let end = if from.ends_with(['}', ';']) { "" } else { "?" };
        format!("{to}{end}").replace([' ', '\n'], "")
    };
    found.texts.into_iter().map(told).collect()
}

#[test]
fn what_branches_choose_is_a_value() {
    let both = "im=i==0?n-1:i-1;";
    for branches in [
        "if (i == 0) im = n - 1; else im = i - 1;",
        "if (i == 0) { im = n - 1; } else { im = i - 1 ; }",
        "if (i == 0) { im = n - 1; } else im = i - 1\n;",
    ] {
        assert_eq!(chosen(&format!("{branches} v[im] = u[i];")), [both]);
    }
    assert_eq!(
        chosen(
            "if (i == 0) { ip = 1; im = LAST; } else if (i == LAST) { im = i - 1; ip = 0; } else { im = i - 1; ip = i + 1; } v[im] = u[ip];"
        ),
        ["im=i==0?n-1:i==n-1?i-1:i-1;ip=i==0?1:i==n-1?0:i+1;"]
    );
    assert_eq!(
        chosen("if (i == 0) im = next(j); else im = i; v[im] = 0;"),
        ["im=i==0?next(j):i;"]
    );
    assert_eq!(
        chosen("if (j) if (i == 0) im = g->n; else im = 2; v[im] = 0;"),
        ["{im=i==0?g->n:2;}"]
    );
}

#[test]
fn other_branches_stay() {
    for body in [
        // Another branch leaves the variable as it is, or more is done in one.
        "if (i == 0) im = 1; v[im] = 0;",
        "if (i == 0) im = 1; else ip = 2; v[im] = ip;",
        "if (i == 0) im = 1; else { im = 2; v[i] = 0; } v[im] = 0;",
        "if (i == 0) { im = 1; im = 3; } else { im = 2; im = 4; } v[im] = 0;",
        // One value needs another.
        "if (i == 0) { im = 1; ip = im; } else { im = 2; ip = 3; } v[im] = ip;",
        "if (im == 0) im = 1; else im = 2; v[im] = 0;",
        // Floating point, calls, elements, other types.
        "if (x > 0) im = 1; else im = 2; v[im] = 0;",
        "if (u[i] > 0) im = 1; else im = 2; v[im] = 0;",
        "if (i == 0) im = wrap(i); else im = 2; v[im] = 0;",
        "if (i == 0) m = i; else m = 2; v[m] = 0;",
        "if (i == 0) s = 1; else s = 2; v[s] = 0;",
        "if (i == 0) w = 1; else w = 2; v[w] = 0;",
        // It is in no subscript.
        "if (i == 0) im = 1; else im = 2; v[i] = im;",
        // Something points to it.
        "int *p = &im; if (i == 0) im = 1; else im = 2; v[im] = *p;",
        "if (i == 0) {\n#pragma other\nim = 1; } else im = 2;\nv[im] = 0;",
    ] {
        assert_eq!(chosen(body), [""; 0], "{body}");
    }
}
