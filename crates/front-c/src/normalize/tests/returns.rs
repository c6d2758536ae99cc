use super::parsed;
use crate::normalize::forward as by;

/// What a function that a loop calls returns, where one `return` stands for several of them.
fn returned(function: &str) -> Option<String> {
    let text = format!(
        "double u[9], v[9]; int g; static void put(double *x);\n{function}\n\
         void run(int n) {{ for (int i = 0; i < n; i++) v[i] = f(u[i], u[i + 1]); }}"
    );
    let unit = parsed(&text);
    let start = text.find("for (int i = 0; i < n").unwrap();
    let again = |text: String| Some(parsed(&text));
    let passes: Vec<_> = by::PASSES
        .iter()
        .filter(|(name, _)| *name == "returns")
        .copied()
        .collect();
    let found = by::with_passes(&unit, &(start..text.len() - 2), &again, &passes);
    let value = found
        .texts
        .iter()
        .find_map(|(_, new)| new.strip_prefix("return "))?;
    Some(value.trim_end().trim_end_matches(';').to_owned())
}

#[test]
fn several_returns_are_one() {
    for (function, value) in [
        (
            "double f(double b, double i) { double a = b; if (a < 0) return 0; else if (i > 3) { return a; } return -a; }",
            "a < 0 ? (double)0 : i > 3 ? a : -a",
        ),
        // Each arm has the type of the function before it meets the other one.
        (
            "double f(double a, long i) { if (i < 0) return 0; return i; }",
            "i < 0 ? (double)0 : (double)i",
        ),
        (
            "unsigned f(double a, int i) { if (i < 0) return 0; return i; }",
            "i < 0 ? (unsigned int)0 : (unsigned int)i",
        ),
        (
            "double f(double a, double b) { if (a * b <= 0) return 0; return a; }",
            "a * b <= 0 ? (double)0 : a",
        ),
        (
            "double f(double a, double b) { if (a < 0) return b; double s = a + b; if (s < 1) { double r = s * s; return r; } else s = 2.0; return s; }",
            "a < 0 ? b : a + b < 1 ? (a + b) * (a + b) : 2.0",
        ),
        (
            "double f(double a, double b) { double s = 1.0; if (a < b) s = a; else { s = b; a = 3.0; } if (a > 4) return s; s *= 2; return s; }",
            "a > 4 ? s : s * 2",
        ),
        (
            "double f(double a, double b) { if (a > 4) return b; float s = 2.0; if (b > 1) s = a; return s; }",
            "a > 4 ? b : (double)(b > 1 ? (float)a : (float)2.0)",
        ),
        (
            "int f(double a, double b) { if (a < 0) return -1; if (b > 2) return 1; else return 0; }",
            "a < 0 ? -1 : b > 2 ? 1 : 0",
        ),
    ] {
        assert_eq!(returned(function).as_deref(), Some(value), "{function}");
    }
}

#[test]
fn other_functions_stay() {
    for function in [
        "double f(double a, double b) { return a + b; }",
        "double f(double a, double b) { if (a < 0) return b; g++; return a; }",
        "double f(double a, double b) { if (a < 0) return b; u[0] = 1; return a; }",
        "double f(double a, double b) { if (a < 0) { u[1] = 1; return 0; } return b; }",
        "double f(double a, double b) { for (;;) if (a < 0) return 0; return b; }",
        "double f(double a, double b) { if (a < 0) return b; double s; put(&s); return s; }",
        "double f(double a, double b) { if (a < 0) return b; static double s = 1; return s; }",
        "double f(double a, double b) { if (a < 0) return b; double s; return s + a; }",
        "double f(double a, double b) { if (a < 0) return b; while (a > 1) a /= 2; return a; }",
        "double f(double a, double b) { for (int i = 0; i < 3; i++) if (a < i) return b; return a; }",
        "double f(double a, double b) { if (a < 0) return b; a++; return a; }",
        "double f(double a, double b) { if (a < 0) return b; volatile double s = a; return s; }",
        "double f(double a, double b) { if (a < 0) return b; if (b < 0) goto end; a = 1; end: return a; }",
    ] {
        assert_eq!(returned(function), None, "{function}");
    }
}
