//! Extraction by the real libpet.
//!
//! Without libpet (no `HEXCC_PET_LIB`, no `vendor/pet`, none in the system) these
//! tests print why they do nothing and pass.

#![allow(clippy::unwrap_used)]

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
    time::{Duration, Instant},
};

use hexcc_pet::{
    Extraction, LIBRARY_VARIABLE, PetError, PetPaths, Request, Severity,
    data::{PetArray, PetBody, PetExpr, Span},
    extract, extract_in_process, extract_within, find_library,
};

const CHILD: &str = env!("CARGO_BIN_EXE_hexcc-pet-child");

/// `None` where there is no libpet; a variable that names none is a mistake.
fn pet() -> Option<PetPaths> {
    let vendor = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vendor/pet");
    match find_library(Some(&vendor)) {
        Ok(paths) => Some(paths),
        Err(error) if std::env::var_os(LIBRARY_VARIABLE).is_none() => {
            eprintln!("skipped: {error}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// A directory that goes away with the value.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Scratch {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let dir = std::env::temp_dir();
        let dir = dir.join(format!("hexcc pet {}-{number}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        Scratch(dir)
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// More than anything here takes.
const LIMIT: Option<Duration> = Some(Duration::from_secs(30));

fn request(file: PathBuf, pet: PetPaths) -> Request {
    Request {
        file,
        function: None,
        include_dirs: Vec::new(),
        defines: Vec::new(),
        pet,
    }
}

/// A child that computes for too long is ended by the system.
#[test]
fn processor_time_is_bounded() {
    let Some(pet) = pet() else { return };
    let scratch = Scratch::new();
    let sum = vec!["A[i]"; 40_000].join(" + ");
    let text = format!(
        "void f(int n, float *A) {{\n#pragma scop\nfor (int i = 0; i < n; i++) A[i] = {sum};\n\
         #pragma endscop\n}}\n"
    );
    let request = request(scratch.file("in.c", &text), pet);
    let result = extract(Path::new(CHILD), &request, Some(Duration::from_millis(300)));
    assert_eq!(result, Err(PetError::TimedOut { seconds: 1 }));
}

/// Extracts from C text; `None` without libpet.
fn try_c(text: &str) -> Option<Result<Extraction, PetError>> {
    let pet = pet()?;
    let scratch = Scratch::new();
    Some(extract(
        Path::new(CHILD),
        &request(scratch.file("in.c", text), pet),
        LIMIT,
    ))
}

fn c(text: &str) -> Option<Extraction> {
    Some(try_c(text)?.unwrap())
}

/// Extracts from `body` as a scop of a function with many parameters.
fn scop_of(body: &str) -> Option<Extraction> {
    c(&unit(body))
}

fn unit(body: &str) -> String {
    format!(
        "#include <math.h>\n#define COEF 0.1f\n#define EPS 1.0e-7\n\
         void f(int n, int m, float A[restrict 2][n], double *q, int *B, unsigned *U, short *H)\n\
         {{\n#pragma scop\n{body}\n#pragma endscop\n}}\n"
    )
}

fn data_file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name)
}

fn text(name: &str) -> String {
    fs::read_to_string(data_file(name)).unwrap()
}

fn data(name: &str) -> Option<Extraction> {
    Some(extract(Path::new(CHILD), &request(data_file(name), pet()?), LIMIT).unwrap())
}

fn part(source: &str, span: Span) -> &str {
    &source[span.start..span.end]
}

fn array<'a>(e: &'a Extraction, name: &str) -> &'a PetArray {
    e.scop
        .arrays
        .iter()
        .find(|array| array.name == name)
        .unwrap()
}

/// A compact form: accesses by what follows the statement in the index.
fn show(expr: &PetExpr) -> String {
    let list = |args: &[PetExpr]| args.iter().map(show).collect::<Vec<_>>().join(", ");
    match expr {
        PetExpr::Access { index, .. } => {
            let (_, range) = index.split_once("] -> ").unwrap();
            let range = range.trim_end_matches(" }");
            // A parametric index has one more arrow.
            range
                .split_once("] -> ")
                .map_or(range, |(_, inner)| inner)
                .to_owned()
        }
        PetExpr::Int { value, .. } => value.clone(),
        PetExpr::Double(text) => text.clone(),
        PetExpr::Op { op, args, .. } => format!("{op}({})", list(args)),
        PetExpr::Call { name, args } => format!("{name}({})", list(args)),
        PetExpr::Cast { ty, arg } => format!("<{ty}>{}", show(arg)),
    }
}

fn show_body(body: &PetBody) -> String {
    match body {
        PetBody::Expr(expr) => show(expr),
        PetBody::Decl { var, init } => format!("decl({}, {})", show(var), show(init)),
        PetBody::Unsupported(kind) => format!("unsupported {kind}"),
    }
}

fn bodies(e: &Extraction) -> Vec<String> {
    e.scop
        .stmts
        .iter()
        .map(|stmt| show_body(&stmt.body))
        .collect()
}

#[test]
fn jacobi_in_json() {
    let (Some(e), source) = (data("jacobi2d.c"), text("jacobi2d.c")) else {
        return;
    };
    let expected: serde_json::Value =
        serde_json::from_str(include_str!("data/jacobi2d.json")).unwrap();
    let actual = serde_json::to_value(&e.scop).unwrap();
    assert_eq!(
        actual,
        expected,
        "{}",
        serde_json::to_string_pretty(&actual).unwrap()
    );
    assert_eq!(e.warnings, []);
    assert_eq!(e.other_scops, [0; 0]);
    let region = part(&source, e.scop.span);
    assert!(region.starts_with("#pragma scop\n"), "{region}");
    assert!(region.ends_with("#pragma endscop\n"), "{region}");
    assert!(part(&source, e.scop.stmts[0].span).starts_with("A[(t + 1) % 2][i][j] ="));
}

#[test]
fn fdtd_with_iterators_outside_the_loops() {
    let (Some(e), source) = (data("fdtd.c"), text("fdtd.c")) else {
        return;
    };
    let lines: Vec<_> = e.scop.stmts.iter().map(|stmt| stmt.line).collect();
    assert!(lines.contains(&11) && lines.contains(&14), "{lines:?}");
    let texts: Vec<_> = e
        .scop
        .stmts
        .iter()
        .map(|stmt| part(&source, stmt.span))
        .collect();
    assert!(texts.contains(&"ey[0][j] = fict[t];"), "{texts:?}");
    assert!(texts.contains(&"ey[i][j] = ey[i][j] - 0.5 * (hz[i][j] - hz[i - 1][j]);"));
    let shown = bodies(&e);
    assert!(shown.contains(&"assign(i[], 1)".to_owned()), "{shown:?}");
    assert!(
        shown.contains(&"assign(ey[(0), (j)], fict[(t)])".to_owned()),
        "{shown:?}"
    );
    assert_eq!(array(&e, "ey").element_type, "double");
    assert!(
        array(&e, "ey")
            .extent
            .contains("0 <= i0 <= 63 and 0 <= i1 <= 64")
    );
    assert!(array(&e, "fict").extent.contains("i0 >= 0"));
    assert!(array(&e, "i").extent.contains("i[]"));
}

#[test]
fn life_is_detected_without_pragmas() {
    let (Some(e), source) = (data("life.c"), text("life.c")) else {
        return;
    };
    assert_eq!(
        bodies(&e),
        [
            "decl(n[], add(add(add(L[((t) mod 2), (-1 + i), (j)], L[((t) mod 2), (1 + i), (j)]), \
             L[((t) mod 2), (i), (-1 + j)]), L[((t) mod 2), (i), (1 + j)]))",
            "assign(L[((1 + t) mod 2), (i), (j)], \
             lor(eq(n[], 3), land(eq(n[], 2), L[((t) mod 2), (i), (j)])))",
        ]
    );
    let region = part(&source, e.scop.span);
    assert!(region.trim_start().starts_with("for (int t"), "{region}");
    assert_eq!(array(&e, "L").element_type, "unsigned char");
    assert_eq!(array(&e, "L").element_size, 1);
    assert!(array(&e, "n").declared && !array(&e, "n").exposed);
    let PetBody::Decl {
        var:
            PetExpr::Access {
                type_size,
                write,
                read,
                ..
            },
        ..
    } = &e.scop.stmts[0].body
    else {
        panic!()
    };
    assert_eq!((*type_size, *write, *read), (-32, true, false));
}

#[test]
fn expressions() {
    // Each statement in a loop over i from 0 to n - 1, inside one over t.
    let cases = [
        (
            "A[t%2][i] = COEF * q[i] + EPS;",
            "assign(A[((t) mod 2), (i)], add(mul(0.1f, q[(i)]), 1e-7))",
        ),
        (
            "q[i] = .5F * 1.0e-3 - 0x1p3;",
            "assign(q[(i)], sub(mul(.5F, 1.0e-3), 0x1p3))",
        ),
        (
            "q[i] = (float)q[i] + (double)(3);",
            "assign(q[(i)], add(<float>q[(i)], <double>3))",
        ),
        (
            "q[i] = (unsigned char)B[i];",
            "assign(q[(i)], <unsigned char>B[(i)])",
        ),
        (
            "q[i] = sqrtf(A[0][i]) + fmin(pow(q[i], 2), fabs(-q[i]));",
            "assign(q[(i)], add(sqrtf(A[(0), (i)]), fmin(pow(q[(i)], 2), fabs(minus(q[(i)])))))",
        ),
        (
            "q[i] = q[i] < 3.0 ? q[i] : 1.f;",
            "assign(q[(i)], cond(lt(q[(i)], 3.0), q[(i)], 1.f))",
        ),
        (
            "A[0][i] = i > 0 ? A[1][i] : 0.f;",
            "assign(A[(0), (i)], cond([((0) : i = 0; (1) : i > 0)], A[(1), (i)], 0.f))",
        ),
        ("q[i] = i + 2 * t - n;", "assign(q[(i)], [(-n + 2t + i)])"),
        (
            "q[i] = q[i] * i * n;",
            "assign(q[(i)], mul(mul(q[(i)], [(i)]), [(n)]))",
        ),
        ("q[i] += 2;", "add_assign(q[(i)], 2)"),
        ("q[i] -= 2;", "sub_assign(q[(i)], 2)"),
        ("q[i] *= -2;", "mul_assign(q[(i)], minus(2))"),
        ("q[i] /= 2;", "div_assign(q[(i)], 2)"),
        ("U[i] &= 2;", "and_assign(U[(i)], 2)"),
        ("U[i] |= 2;", "or_assign(U[(i)], 2)"),
        ("U[i] ^= 2;", "xor_assign(U[(i)], 2)"),
        ("U[i]++;", "post_inc(U[(i)])"),
        ("--U[i];", "pre_dec(U[(i)])"),
        (
            "U[i] = ~U[i] << 3 | !U[i] & U[i] >> 1 ^ U[i] % 5;",
            "assign(U[(i)], or(shl(not(U[(i)]), 3), xor(and(lnot(U[(i)]), shr(U[(i)], 1)), mod(U[(i)], 5))))",
        ),
        (
            "q[i/2] = q[(i+3)%5];",
            "assign(q[(floor((i)/2))], q[((-2 + i) mod 5)])",
        ),
        (
            "q[i] = B[i] >= 1 && B[i] != 2 || B[i] <= 7;",
            "assign(q[(i)], lor(land(ge(B[(i)], 1), ne(B[(i)], 2)), le(B[(i)], 7)))",
        ),
    ];
    let body: String = cases
        .iter()
        .map(|(statement, _)| format!("{statement}\n"))
        .collect();
    let body = format!("for (int t = 0; t < m; t++) for (int i = 0; i < n; i++) {{\n{body}}}");
    let (Some(e), source) = (scop_of(&body), unit(&body)) else {
        return;
    };
    let shown = bodies(&e);
    assert_eq!(shown.len(), cases.len());
    for ((statement, expected), (found, stmt)) in cases.iter().zip(shown.iter().zip(&e.scop.stmts))
    {
        assert_eq!(found, expected);
        assert_eq!(part(&source, stmt.span), *statement);
    }
}

#[test]
fn types_of_accesses_and_conditions() {
    let Some(e) = scop_of(
        "for (int t = 0; t < m; t++) for (int i = 0; i < n; i++) {\n\
         if (i == 0) U[0] = H[0]; else U[i] = 1;\n\
         if (t % 2 == 0) q[i] += 1;\n}",
    ) else {
        return;
    };
    let domains: Vec<_> = e
        .scop
        .stmts
        .iter()
        .map(|stmt| stmt.domain.as_str())
        .collect();
    let suffix = |n: usize| domains[n].split_once(" : ").unwrap().1;
    assert!(domains[0].contains("S_0[t, i = 0]"), "{domains:?}");
    assert_eq!(suffix(1), "0 <= t < m and 0 < i < n }");
    assert_eq!(suffix(2), "(t) mod 2 = 0 and 0 <= t < m and 0 <= i < n }");
    let PetBody::Expr(PetExpr::Op { args, .. }) = &e.scop.stmts[0].body else {
        panic!()
    };
    let sizes: Vec<_> = args
        .iter()
        .map(|arg| match arg {
            PetExpr::Access { type_size, .. } => *type_size,
            _ => panic!(),
        })
        .collect();
    assert_eq!(sizes, [32, -16]);
    let PetBody::Expr(PetExpr::Op { args, op, .. }) = &e.scop.stmts[2].body else {
        panic!()
    };
    assert_eq!(op, "add_assign");
    assert!(matches!(
        args[0],
        PetExpr::Access {
            read: true,
            write: true,
            ..
        }
    ));
}

#[test]
fn storage_forms() {
    let Some(e) = c("\
struct cell { double u, v; };
typedef float real;
static struct cell S[100];
real G[10][20];
float *P;
void f(int n, int m, float (*V)[m], double X[restrict 100], char W[n][m], long long *I) {
  float Y[n];
#pragma scop
  for (int i = 1; i < 9; i++) {
    float local[4];
    local[1] = 2;
    S[i].u = S[i].v;
    G[i][0] = P[i] + V[i][1] + X[i] + W[i][2] + local[1] + I[i] + Y[i];
  }
#pragma endscop
}
")
    else {
        return;
    };
    let check = |name: &str, element: &str, size: usize, extent: &str| {
        let array = array(&e, name);
        assert_eq!(
            (array.element_type.as_str(), array.element_size),
            (element, size),
            "{name}"
        );
        assert!(array.extent.ends_with(extent), "{}", array.extent);
        assert_eq!(array.declared, name == "local");
    };
    check(
        "G",
        "float",
        4,
        "{ G[i0, i1] : 0 <= i0 <= 9 and 0 <= i1 <= 19 }",
    );
    check("P", "float", 4, "{ P[i0] : i0 >= 0 }");
    check("V", "float", 4, "{ V[i0, i1] : i0 >= 0 and 0 <= i1 < m }");
    check("X", "double", 8, "{ X[i0] : i0 >= 0 }");
    check("W", "char", 1, "{ W[i0, i1] : i0 >= 0 and 0 <= i1 < m }");
    check("I", "long long", 8, "{ I[i0] : i0 >= 0 }");
    check("Y", "float", 4, "{ Y[i0] : 0 <= i0 < n }");
    check("local", "float", 4, "{ local[i0] : 0 <= i0 <= 3 }");
    check("S", "struct cell", 16, "{ S[i0] : 0 <= i0 <= 99 }");
    assert!(array(&e, "S").element_is_record);
    assert!(!array(&e, "G").element_is_record);
    check("S_u", "double", 8, "{ S_u[S[i0] -> u[]] : 0 <= i0 <= 99 }");
    assert_eq!(
        bodies(&e)[1],
        "assign(S_u[S[(i)] -> u[]], S_v[S[(i)] -> v[]])"
    );
}

#[test]
fn data_dependence_is_flagged() {
    let Some(e) = scop_of("for (int i = 0; i < n; i++) q[B[i]] = 1;") else {
        return;
    };
    assert!(e.scop.data_dependent_accesses && !e.scop.data_dependent_conditions);
    let PetBody::Expr(PetExpr::Op { args, .. }) = &e.scop.stmts[0].body else {
        panic!()
    };
    assert!(matches!(&args[0], PetExpr::Access { args, .. } if args.len() == 1));

    let Some(e) = scop_of("int k = 0; while (q[k] > 0) q[k] = q[k] - 1;") else {
        return;
    };
    assert!(!e.scop.data_dependent_accesses && e.scop.data_dependent_conditions);
    assert!(
        e.scop
            .stmts
            .iter()
            .any(|stmt| stmt.n_args == 1 && stmt.name.starts_with("S_"))
    );

    let Some(e) = scop_of("for (int i = 0; i < n; i++) if (q[i] > 0) q[i] = 0;") else {
        return;
    };
    assert!(e.scop.data_dependent_conditions);
}

#[test]
fn syntax_errors_have_places() {
    let Some(result) =
        try_c("void f(int n) {\n  int x = ;\n#pragma scop\n  n = 1;\n#pragma endscop\n}\n")
    else {
        return;
    };
    let Err(PetError::Syntax { messages }) = result else {
        panic!("{result:?}")
    };
    let first = &messages[0];
    assert!(first.file.ends_with("/in.c"));
    assert_eq!(
        (first.line, first.column, first.severity),
        (2, 11, Severity::Error)
    );
    assert_eq!(first.text, "expected expression");

    let Some(result) = try_c("#include \"gone.h\"\n") else {
        return;
    };
    let Err(PetError::Syntax { messages }) = result else {
        panic!("{result:?}")
    };
    assert_eq!(messages[0].text, "'gone.h' file not found");
}

#[test]
fn no_scop_says_what_pet_said() {
    let Some(result) = try_c("int f(int n) { return n; }\n") else {
        return;
    };
    assert_eq!(
        result,
        Err(PetError::NoScop {
            has_pragma: false,
            messages: Vec::new()
        })
    );

    let Some(result) = try_c(
        "void f(int n) {\n#pragma scop\n  for (int i = 0; i < n; i++) goto l;\n#pragma endscop\nl: ;\n}\n",
    ) else {
        return;
    };
    let Err(PetError::NoScop {
        has_pragma: true,
        messages,
    }) = result
    else {
        panic!("{result:?}")
    };
    assert_eq!((messages[0].line, messages[0].column), (3, 31));
    assert_eq!(messages[0].severity, Severity::Warning);
    assert!(messages[0].text.contains("not supported"), "{messages:?}");
}

#[test]
fn unreadable_files() {
    let Some(pet) = pet() else { return };
    let scratch = Scratch::new();
    let latin1 = scratch.0.join("latin1.c");
    fs::write(&latin1, b"// \xe9\n").unwrap();
    for file in [scratch.0.join("gone.c"), scratch.0.clone(), latin1] {
        let result = extract(Path::new(CHILD), &request(file.clone(), pet.clone()), LIMIT);
        let Err(PetError::FileNotReadable { path, .. }) = &result else {
            panic!("{result:?}")
        };
        assert_eq!(*path, file);
    }
}

#[test]
fn functions_defines_and_include_directories() {
    let Some(pet) = pet() else { return };
    let scratch = Scratch::new();
    let headers = scratch.0.join("my headers");
    fs::create_dir_all(&headers).unwrap();
    fs::write(headers.join("size.h"), "#define OUTER (SIZE + 1)\n").unwrap();
    let file = scratch.file(
        "two.c",
        "#include <size.h>\nfloat A[OUTER];\n\
         void f(void) {\n    #pragma scop\n    A[0] = 1;\n    #pragma endscop\n}\n\
         void g(void) {\n  #pragma scop\n  A[GO] = 2;\n  #pragma endscop\n}\n",
    );
    let mut request = Request {
        include_dirs: vec![headers],
        defines: vec!["SIZE=41".to_owned(), "GO".to_owned()],
        ..request(file, pet)
    };
    let e = extract(Path::new(CHILD), &request, LIMIT).unwrap();
    assert_eq!(bodies(&e), ["assign(A[(0)], 1)"]);
    assert_eq!(e.other_scops, [9]);
    assert_eq!(e.scop.indent, "    ");
    assert!(e.scop.arrays[0].extent.contains("i0 <= 41"));

    request.function = Some("g".to_owned());
    let e = extract(Path::new(CHILD), &request, LIMIT).unwrap();
    assert_eq!(bodies(&e), ["assign(A[(1)], 2)"]);
    assert_eq!(e.other_scops, [4]);

    request.function = Some("h".to_owned());
    let result = extract(Path::new(CHILD), &request, LIMIT);
    assert_eq!(
        result,
        Err(PetError::NoScop {
            has_pragma: true,
            messages: Vec::new()
        })
    );
}

#[test]
fn in_process_equals_child_over_threads() {
    let Some(child) = data("jacobi2d.c") else {
        return;
    };
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/jacobi2d.c");
    let good = request(file, pet().unwrap());
    let scratch = Scratch::new();
    let bad = request(scratch.file("bad.c", "int x = ;\n"), pet().unwrap());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..5 {
                    assert_eq!(extract_in_process(&good).as_ref(), Ok(&child));
                    let result = extract_in_process(&bad);
                    assert!(matches!(result, Err(PetError::Syntax { .. })), "{result:?}");
                }
            });
        }
    });
    let other = scratch.file("libpet.so", "");
    let elsewhere = Request {
        pet: PetPaths {
            library: other,
            clang_include: None,
        },
        ..good
    };
    let result = extract_in_process(&elsewhere);
    assert!(
        matches!(result, Err(PetError::LibraryUnusable { .. })),
        "{result:?}"
    );
}

/// Runs `extract_within` with a shell script in place of the child.
fn with_script(script: &str, limit: Duration) -> Result<Extraction, PetError> {
    let scratch = Scratch::new();
    let exe = scratch.file("child", &format!("#!/bin/sh\n{script}\n"));
    fs::set_permissions(&exe, fs::Permissions::from_mode(0o755)).unwrap();
    let pet = PetPaths {
        library: "libpet.so".into(),
        clang_include: None,
    };
    let request = request("in.c".into(), pet);
    loop {
        let result = extract_within(&exe, &request, None, Some(limit));
        // A child forked by another test at this moment may still hold the script
        // open for writing.
        if !matches!(&result, Err(PetError::Protocol(text)) if text.contains("busy")) {
            return result;
        }
    }
}

#[test]
fn children_that_misbehave() {
    let long = Duration::from_secs(20);
    let result = with_script("echo 'Assertion failed' >&2; kill -ABRT $$", long);
    let Err(PetError::Crashed {
        signal: Some(6),
        code: None,
        stderr,
    }) = result
    else {
        panic!("{result:?}")
    };
    assert_eq!(stderr, "Assertion failed\n");

    let result = with_script("exit 3", long);
    assert!(matches!(
        result,
        Err(PetError::Crashed {
            signal: None,
            code: Some(3),
            ..
        })
    ));

    let result = with_script("echo hello", long);
    assert!(matches!(result, Err(PetError::Protocol(_))), "{result:?}");

    for endless in ["exec sleep 60", "sleep 60"] {
        let started = Instant::now();
        let result = with_script(endless, Duration::from_millis(1100));
        assert_eq!(result, Err(PetError::TimedOut { seconds: 1 }));
        assert!(started.elapsed() < Duration::from_secs(10));
    }

    // Noise, also one that looks like a message, does not hide the answer.
    let result = with_script(
        "read order
         answer='{\"Err\":{\"NoScop\":{\"has_pragma\":true,\"messages\":[]}}}'
         messages='noise
in.c:4:2: warning: odd
'
         printf '0 1000 %d %d\n%s%s' ${#answer} ${#messages} \"$answer\" \"$messages\"",
        long,
    );
    let Err(PetError::NoScop {
        has_pragma: true,
        messages,
    }) = result
    else {
        panic!("{result:?}")
    };
    assert_eq!((messages.len(), messages[0].line), (1, 4));

    let result = extract(
        Path::new("/nonexistent/hexcc"),
        &request(
            "in.c".into(),
            PetPaths {
                library: "x".into(),
                clang_include: None,
            },
        ),
        LIMIT,
    );
    assert!(matches!(result, Err(PetError::Protocol(_))), "{result:?}");
}

#[test]
fn a_library_that_is_not_libpet() {
    let scratch = Scratch::new();
    let library = scratch.file("libpet.so", "not an ELF file");
    let file = scratch.file("in.c", "int x;\n");
    let pet = PetPaths {
        library: library.clone(),
        clang_include: None,
    };
    let result = extract(Path::new(CHILD), &request(file, pet), LIMIT);
    let Err(PetError::LibraryUnusable { path, .. }) = &result else {
        panic!("{result:?}")
    };
    assert_eq!(*path, library);
}
