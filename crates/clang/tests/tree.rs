//! What the tree tells of small programs, and that nothing ends the process.
#![allow(clippy::unwrap_used, missing_docs)]

use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use hexcc_clang::ast::{BinaryOp, Callee, DeclId, Expr, ExprKind, Stmt, StmtKind, TypeKind, Unit};
use hexcc_clang::{Clang, ClangError, ParseRequest, STACK_VARIABLE, parse};

fn clang() -> &'static Clang {
    static CLANG: OnceLock<Clang> = OnceLock::new();
    let vendor = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vendor");
    CLANG.get_or_init(|| Clang::find(&vendor).unwrap())
}

fn read(text: &str) -> Result<Unit, ClangError> {
    let text = Some(text.to_owned());
    parse(
        clang(),
        &ParseRequest {
            file: "test.c".into(),
            text,
            ..ParseRequest::default()
        },
    )
}

fn unit(text: &str) -> Unit {
    let unit = read(text).unwrap();
    assert!(!unit.has_errors(), "{:?}", unit.messages);
    unit
}

/// The statements of the last function.
fn body(unit: &Unit) -> &[Stmt] {
    let mut bodies = unit.functions.iter().filter_map(|f| f.body.as_ref());
    match &bodies.next_back().unwrap().kind {
        StmtKind::Compound(all) => all,
        other => panic!("{other:?}"),
    }
}

fn plain(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Cast {
            implicit: true,
            value,
            ..
        } => plain(value),
        _ => expr,
    }
}

/// The variables that are assigned to, and what to, where that is a variable.
fn assigned(stmts: &[Stmt]) -> Vec<(DeclId, DeclId)> {
    let mut found = Vec::new();
    for stmt in stmts {
        match &stmt.kind {
            StmtKind::Compound(inner) => found.extend(assigned(inner)),
            StmtKind::Expr(Expr {
                kind: ExprKind::Assign(None, left, right),
                ..
            }) => {
                let [ExprKind::Var(left), ExprKind::Var(right)] =
                    [left, right].map(|e| &plain(e).kind)
                else {
                    continue;
                };
                found.push((*left, *right));
            }
            _ => {}
        }
    }
    found
}

#[test]
fn names_are_declarations() {
    let unit =
        unit("int a; int x; void f(int a) { x = a; { float a; x = a; } x = a; } extern int x;");
    let found = assigned(body(&unit));
    let types: Vec<&str> = found
        .iter()
        .map(|(_, right)| match &unit.canonical(unit[*right].ty).kind {
            TypeKind::Builtin(builtin) => builtin.name(),
            _ => "",
        })
        .collect();
    assert_eq!(types, ["int", "float", "int"]);
    assert_eq!(found[0].1, found[2].1);
    assert_ne!(found[0].1, found[1].1);
    // A second declaration is another one of the same variable.
    let all: Vec<DeclId> = unit
        .decls
        .iter()
        .filter(|d| d.name == "x")
        .map(|d| d.first)
        .collect();
    assert_eq!(all, [found[0].0; 2]);
}

#[test]
fn absent_parts_of_for_are_absent() {
    let text = "#define LOOP for (i = 0; ; i++)\nint i; void f(void) { \
        for (;;) break; for (; i < 3;) i++; for (i = 0;; i++) break; for (; ; i++) break; LOOP break; }";
    let unit = unit(text);
    let parts: Vec<[bool; 3]> = body(&unit)
        .iter()
        .map(|stmt| match &stmt.kind {
            StmtKind::For {
                init, cond, step, ..
            } => [init.is_some(), cond.is_some(), step.is_some()],
            other => panic!("{other:?}"),
        })
        .collect();
    let first_and_last = [true, false, true];
    assert_eq!(
        parts,
        [
            [false; 3],
            [false, true, false],
            first_and_last,
            [false, false, true],
            first_and_last
        ]
    );
}

#[test]
fn what_macros_give_is_not_edited() {
    let text =
        "#define TWICE(x) ((x) * 2)\n#define N 8\nint f(int a) { return TWICE(a + 1) + N + a; }";
    let unit = unit(text);
    let StmtKind::Return(Some(sum)) = &body(&unit)[0].kind else {
        panic!("no return")
    };
    let edited = |expr: &Expr| expr.span.editable(&unit).map(|range| &text[range]);
    assert_eq!(edited(sum), Some("TWICE(a + 1) + N + a"));
    let ExprKind::Binary(BinaryOp::Add, left, _) = &sum.kind else {
        panic!("no sum")
    };
    let ExprKind::Binary(BinaryOp::Add, twice, n) = &left.kind else {
        panic!("no sum")
    };
    assert_eq!(
        [edited(twice), edited(n)],
        [Some("TWICE(a + 1)"), Some("N")]
    );
    let ExprKind::Binary(BinaryOp::Mul, argument, two) = &twice.kind else {
        panic!("no product: {twice:?}")
    };
    assert_eq!(edited(argument), Some("a + 1"));
    assert!(matches!(two.kind, ExprKind::Int(2)));
    assert_eq!(
        unit.expansions[two.span.expansion.unwrap().0 as usize].name,
        "TWICE"
    );
}

#[test]
fn records_have_their_layout() {
    let unit = unit(
        "struct s { char c; union { int i; float f; }; unsigned low : 3, high : 5; double d[2]; } v;",
    );
    let record = unit.records.iter().find(|r| r.tag == "s").unwrap();
    let fields: Vec<(&str, Option<u64>, Option<u32>)> = record
        .fields
        .iter()
        .map(|f| (unit[*f].name.as_str(), unit[*f].bit_offset, unit[*f].bits))
        .collect();
    assert_eq!(record.size, 32);
    let expected = [
        ("c", 0, None),
        ("", 32, None),
        ("low", 64, Some(3)),
        ("high", 67, Some(5)),
        ("d", 128, None),
    ];
    assert_eq!(
        fields,
        expected.map(|(name, at, bits)| (name, Some(at), bits))
    );
}

#[test]
fn calls_know_what_they_call() {
    let unit =
        unit("#include <math.h>\nint (*p)(int); double f(double x) { p(1); return fabs(x); }");
    let [
        StmtKind::Expr(Expr {
            kind: ExprKind::Call(Callee::Pointer(_), _),
            ..
        }),
        StmtKind::Return(Some(value)),
    ] = [&body(&unit)[0].kind, &body(&unit)[1].kind]
    else {
        panic!("{:?}", body(&unit))
    };
    let ExprKind::Call(Callee::Function(fabs), arguments) = &value.kind else {
        panic!("no call")
    };
    assert_eq!((unit[*fabs].name.as_str(), arguments.len()), ("fabs", 1));
    assert_eq!(unit.includes[0].name, "math.h");
}

#[test]
fn pragmas_are_kept() {
    let unit = unit("void f(void)\n{\n  #pragma omp parallel \\\n    for\n  ;\n#pragma  scop\n}\n");
    let texts: Vec<&str> = unit.pragmas.iter().map(|p| p.text.as_str()).collect();
    assert_eq!(texts, ["omp parallel for", "scop"]);
}

#[test]
fn errors_are_messages() {
    let texts = [
        "int f(void) { return undeclared[1] + sizeof(undeclared) + undeclared.x; }",
        "struct s; struct s v; int n = sizeof v;",
        "int f(int n) { int a[n] = { [n] = 1 }; switch (n) { case n: ; } return (unknown)n; }",
        "#include \"missing.h\"\nint x = y;",
        "void f(void) { for (int i = ; i < ; ) { } ",
        "int a[-1]; int b[sizeof(a)]; enum e { A = b, B }; int c = (struct t){ 1 }.x;",
        "typedef int t[undeclared]; t x; int f(t y) { return sizeof(t[y]); }",
        "\0\u{ff}\u{1}{{{{((((",
        "",
    ];
    for text in texts {
        let unit = read(text).unwrap();
        assert!(unit.has_errors() || text.is_empty(), "{text}");
    }
}

#[test]
fn deep_nesting_is_an_error() {
    if std::env::var_os(STACK_VARIABLE).is_none() {
        let mut again = Command::new(std::env::current_exe().unwrap());
        again
            .args(["--exact", "deep_nesting_is_an_error"])
            .env(STACK_VARIABLE, "1");
        assert!(again.status().unwrap().success());
        return;
    }
    let sum = |n: usize| format!("int f(int a) {{ return a{}; }}", " + a".repeat(n));
    assert!(read(&sum(1000)).is_ok());
    assert_eq!(read(&sum(20_000)).map(|_| ()), Err(ClangError::TooDeep));
    let stars = format!("int {} p;", "*".repeat(20_000));
    let chain = format!("void f(int a) {{ {} ; }}", "if (a) ; else ".repeat(10_000));
    for text in [stars, chain, "(".repeat(100_000), "{".repeat(100_000)] {
        let read = read(&text);
        assert!(
            read.is_err() || read.unwrap().has_errors(),
            "{}",
            &text[..40]
        );
    }
}

#[test]
fn a_missing_file_is_an_error() {
    let request = ParseRequest {
        file: "missing.c".into(),
        ..ParseRequest::default()
    };
    assert_eq!(
        parse(clang(), &request).map(|_| ()),
        Err(ClangError::NotReadable("missing.c".into()))
    );
}

#[test]
fn what_conditions_leave_out_is_known() {
    let unit = unit(
        "#define B 3\n#ifdef A\nint a;\n#elif B == 2\nint b;\n#elif B == 3\nint c;\n#else\nint d;\n#endif\n#ifndef B\n# define B 4\n#endif\n#if B\nint e;\n#endif\n",
    );
    let texts: Vec<&str> = unit.skipped.iter().map(|span| unit.text(*span)).collect();
    let expected = [
        "#ifdef A\nint a;\n#elif B == 2\nint b;\n#elif",
        "#else\nint d;\n#endif",
        "#ifndef B\n# define B 4\n#endif",
    ];
    assert_eq!(texts, expected);
}
