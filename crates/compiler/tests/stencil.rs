//! Stencils that a program builds, beside the same ones in C.

#[allow(dead_code)]
#[path = "../examples/heat.rs"]
mod heat;

use hexcc_compiler::back::{Precision, print_naive};
use hexcc_compiler::compiled::Compiled;
use hexcc_compiler::ctype::CType;
use hexcc_compiler::options::{Language, Options, Tiling};
use hexcc_compiler::output;
use hexcc_compiler::pipeline;
use hexcc_compiler::scop::{Expr, SavedScop, SourceFile};
use hexcc_compiler::stencil::{BuildError, StencilBuilder};
use hexcc_isl::Ctx;
use std::collections::BTreeMap;

fn ctx() -> Ctx {
    Ctx::new().expect("memory for a context")
}

/// A text without comments, which name the source, and with one name of the statement.
fn code(text: &str) -> String {
    let is_code = |line: &&str| !line.trim_start().starts_with("//");
    let lines: Vec<&str> = text.lines().filter(is_code).collect();
    lines.join("\n").replace("S_0", "step")
}

fn in_c(ctx: &Ctx, options: &Options) -> (SavedScop, Compiled) {
    let text = include_str!("data/heat2d.scop.json");
    let saved = SavedScop::parse(text).expect("a saved scop");
    let compiled = pipeline::compile(ctx, &saved, options).expect("it compiles");
    (saved, compiled)
}

#[test]
fn kernels_are_those_of_the_same_stencil_in_c() {
    for (tiling, tile) in [
        (Tiling::Hybrid, None),
        (Tiling::Hybrid, Some("h=2,w=3:32")),
        (Tiling::Overlapped, None),
        (Tiling::Stepwise, None),
        (Tiling::Auto, None),
    ] {
        let options = Options {
            tiling,
            tile: tile.map(|tile| tile.parse().expect("tile sizes")),
            ..Options::default()
        };
        let ctx = ctx();
        let stencil = heat::heat2d(&ctx).expect("a stencil");
        let compiled = stencil.compile(&options).expect("it compiles");
        let (saved, of_c) = in_c(&ctx, &options);
        let by_hand = output::print_stencil(&stencil, &compiled, "0").expect("a text");
        assert!(by_hand.contains("from the stencil `heat2d`."), "{by_hand}");
        assert!(!by_hand.contains(" line "), "{by_hand}");
        assert!(!by_hand.contains("C program"), "{by_hand}");
        let expected = output::print_header(&saved, &of_c, "0").expect("a text");
        assert_eq!(code(&by_hand), code(&expected), "{tiling:?}");
    }
}

#[test]
fn the_baseline_is_that_of_c() {
    let (ctx, options) = (ctx(), Options::default());
    let stencil = heat::heat2d(&ctx).expect("a stencil");
    let compiled = stencil.compile(&options).expect("it compiles");
    let (_, of_c) = in_c(&ctx, &options);
    let naive = |compiled: &Compiled| {
        let stencil = compiled.units[0].stencil();
        code(&print_naive(stencil, Precision::Source, true).text)
    };
    assert_eq!(naive(&compiled), naive(&of_c));
}

/// A statement `next` of one array in two buffers.
fn one(reads: &[&str]) -> Result<hexcc_compiler::stencil::Stencil, BuildError> {
    let mut builder = StencilBuilder::new(&ctx(), "one", &["N", "T"], "")?;
    let a = builder.array("A", CType::Float, &["N"])?;
    let mut next = builder.statement("next", &["t", "i"], "0 <= t < T and 1 <= i < N - 1")?;
    let mut sum = Expr::from(0.5f32);
    for read in reads {
        sum = sum + next.read(a, &[read])?;
    }
    next.write(a, &["i"], sum)?;
    builder.build()
}

/// Messages have no places, and name the statement.
#[test]
fn messages_name_statements() {
    let stencil = one(&["i - 1", "i + 1"]).expect("a stencil");
    let options = Options {
        tiling: Tiling::Hybrid,
        ..Options::default()
    };
    let Err(d) = stencil.compile(&options) else {
        panic!("the loop over cells carries a dependence");
    };
    assert_eq!((d.code, d.labels.len()), ("HX0203", 0));
    assert!(d.notes[0].starts_with("statement `next`: "), "{d:?}");

    let options = Options {
        language: Language::OpenMp,
        ..Options::default()
    };
    assert!(stencil.compile(&options).is_err_and(|d| d.code == "HX0509"));

    let Err(BuildError::Refused(d)) = one(&["i + N"]) else {
        panic!("an element behind the array");
    };
    assert_eq!((d.code, d.labels.len()), ("HX0111", 0));
    assert!(d.notes[0].starts_with("statement `next`: "), "{d:?}");
}

/// Messages point to places in a text that has the stencil, and values with names are computed once.
#[test]
fn texts_have_places_and_values_names() {
    let build = || -> Result<_, BuildError> {
        let mut builder = StencilBuilder::new(&ctx(), "one", &["N", "T"], "")?;
        let a = builder.array("A", CType::Float, &["N"])?;
        let mut next = builder.statement("next", &["t", "i"], "0 <= t < T and 1 <= i < N - 1")?;
        let sum = next.read(a, &["i - 1"])? + next.read(a, &["i + 1"])?;
        let half = next.local("half", Expr::from(0.5f32) * sum)?;
        assert!(matches!(
            next.local("half", Expr::from(1f32)),
            Err(BuildError::Name(_))
        ));
        assert!(matches!(
            next.local("A", Expr::from(1f32)),
            Err(BuildError::Name(_))
        ));
        next.write(a, &["i"], half.clone() * half)?;
        builder.build()
    };
    let stencil = build().expect("a stencil");
    let text = "loop { next: A = .. }";
    let source = SourceFile::new("one.txt".to_string(), text.to_string());
    let at = text.find("next").expect("it is there");
    let without = build()
        .expect("a stencil")
        .located(source.clone(), 0..4, &BTreeMap::new());
    assert!(without.source().text.is_empty());
    let places = BTreeMap::from([("next".to_string(), at..at + 12)]);
    let stencil = stencil.located(source, 0..4, &places);
    let hybrid = Options {
        tiling: Tiling::Hybrid,
        ..Options::default()
    };
    let Err(d) = stencil.compile(&hybrid) else {
        panic!("the loop over cells carries a dependence");
    };
    assert_eq!(d.code, "HX0203");
    assert!(
        d.labels
            .iter()
            .all(|label| (at..=at + 12).contains(&label.span.start)),
        "{d:?}"
    );
}

/// Two statements of different depth, in their order, with a scalar.
#[test]
fn statements_follow_each_other() {
    let build = || -> Result<_, BuildError> {
        let mut builder = StencilBuilder::new(&ctx(), "pair", &["N", "T"], "N >= 3")?;
        let a = builder.array("A", CType::Double, &["N", "N"])?;
        let b = builder.array("B", CType::Double, &["N", "N"])?;
        let c = builder.scalar("c", CType::Double)?;
        let inside = "0 <= t < T and 1 <= i < N - 1 and 1 <= j < N - 1";
        let mut edge = builder.statement("edge", &["t", "i"], "0 <= t < T and 1 <= i < N - 1")?;
        let value = edge.read(a, &["i", "1"])?;
        edge.write(a, &["i", "0"], value)?;
        let mut there = builder.statement("there", &["t", "i", "j"], inside)?;
        let sum = there.read(a, &["i", "j - 1"])? + there.read(a, &["i", "j + 1"])?;
        let value = there.read(c, &[])? * sum;
        there.write(b, &["i", "j"], value)?;
        let mut back = builder.statement("back", &["t", "i", "j"], inside)?;
        let value = back.read(b, &["i", "j"])?;
        back.write(a, &["i", "j"], value)?;
        builder.build()
    };
    let stencil = build().expect("a stencil");
    for tiling in [Tiling::Hybrid, Tiling::Stepwise] {
        let options = Options {
            tiling,
            ..Options::default()
        };
        let compiled = stencil.compile(&options);
        let compiled = compiled.unwrap_or_else(|d| panic!("{tiling:?}: {d:?}"));
        let text = output::print_stencil(&stencil, &compiled, "0").expect("a text");
        assert!(text.contains("double c"), "{text}");
    }
}

#[test]
fn what_cannot_be_built_is_refused() {
    let ctx = ctx();
    let new = |name: &str, sizes: &[&str], condition: &str| {
        StencilBuilder::new(&ctx, name, sizes, condition).err()
    };
    assert!(matches!(new("9", &[], ""), Some(BuildError::Name(_))));
    let twice = new("a", &["N", "N"], "");
    assert!(matches!(twice, Some(BuildError::Name(_))));
    let condition = new("a", &["N"], "N >");
    assert!(matches!(condition, Some(BuildError::Notation { .. })));

    let mut builder = StencilBuilder::new(&ctx, "a", &["N"], "").expect("a builder");
    let array = builder.array("A", CType::Float, &["N"]).expect("an array");
    let scalar = builder.scalar("c", CType::Float).expect("a scalar");
    let none = builder.statement("S", &[], "").err();
    assert!(matches!(none, Some(BuildError::NoIterator(_))));
    let taken = builder.statement("S", &["A"], "").err();
    assert!(matches!(taken, Some(BuildError::Name(_))));
    let mut write = |value: Expr, to, subscripts: &[&str]| {
        let stmt = builder.statement("S", &["t", "i"], "0 <= t, i < N");
        let done = stmt.and_then(|stmt| stmt.write(to, subscripts, value));
        let Err(error) = done else {
            panic!("written to {subscripts:?}");
        };
        error
    };
    let element = (array, &["i"][..]);
    let is_value = |e: BuildError| matches!(e, BuildError::Value { .. });
    // A read that the statement does not have, and numbers that are none.
    assert!(is_value(write(
        Expr::Read(0, CType::Float),
        element.0,
        element.1
    )));
    assert!(is_value(write(f64::NAN.into(), element.0, element.1)));
    assert!(is_value(write(f32::INFINITY.into(), element.0, element.1)));
    let odd = Expr::Binary {
        op: ",",
        lhs: Box::new(1.0f32.into()),
        rhs: Box::new(1.0f32.into()),
    };
    assert!(is_value(write(odd, element.0, element.1)));
    let deep = (0..100_000).fold(Expr::from(1.0f32), |e, _| -e);
    assert!(is_value(write(deep, element.0, element.1)));
    let subscripts = write(1.0f32.into(), array, &["t", "i"]);
    assert!(matches!(subscripts, BuildError::Subscripts { n: 2, .. }));
    let subscripts = write(1.0f32.into(), scalar, &[]);
    assert!(matches!(subscripts, BuildError::Subscripts { n: 0, .. }));
    // Names that nothing has, and more than a function.
    for subscript in ["x", "i) : (i > 3", "", "i, t"] {
        let error = write(1.0f32.into(), array, &[subscript]);
        let is_right = matches!(
            error,
            BuildError::Notation { .. } | BuildError::Partial { .. }
        );
        assert!(is_right, "{subscript}: {error:?}");
    }
    for condition in ["0 <= t, i < M", "0 <= t < N and (0 <= i"] {
        let error = builder.statement("S", &["t", "i"], condition).err();
        assert!(matches!(error, Some(BuildError::Notation { .. })));
    }
    for extent in ["M", "N, N", "", "N) : (N > 3"] {
        let error = builder.array("B", CType::Float, &[extent]);
        assert!(error.is_err(), "{extent}");
    }
    let endless = builder.statement("S", &["t", "i"], "0 <= t and 0 <= i < N");
    let endless = endless.and_then(|stmt| stmt.write(array, &["i"], 1.0f32.into()));
    assert!(matches!(endless, Err(BuildError::Unbounded(_))));
}
