//! What the wrapper promises, group by group. `memory.rs` runs the same tests under valgrind.
#![allow(clippy::unwrap_used)]

use std::collections::HashMap;

use hexcc_isl::{
    AstBuild, AstExpr, AstOp, Bound, Ctx, DimType, Error, Map, MultiPwAff, PwAff, Rational, Result,
    Set, Stopper, UnionMap, UnionSet, compute_flow,
};

fn ctx() -> Ctx {
    Ctx::new().unwrap()
}

fn set(ctx: &Ctx, text: &str) -> Set {
    Set::read(ctx, text).unwrap()
}

fn map(ctx: &Ctx, text: &str) -> Map {
    Map::read(ctx, text).unwrap()
}

fn umap(ctx: &Ctx, text: &str) -> UnionMap {
    UnionMap::read(ctx, text).unwrap()
}

fn uset(ctx: &Ctx, text: &str) -> UnionSet {
    UnionSet::read(ctx, text).unwrap()
}

fn aff(ctx: &Ctx, text: &str) -> PwAff {
    PwAff::read(ctx, text).unwrap()
}

fn finite(num: i64, den: i64) -> Bound {
    Bound::Finite(Rational::new(num, den).unwrap())
}

#[track_caller]
fn assert_set(actual: Result<Set>, expected: &str) {
    let actual = actual.unwrap();
    let expected = Set::read(actual.ctx(), expected).unwrap();
    assert!(
        actual.is_equal(&expected).unwrap(),
        "{actual} is not {expected}"
    );
}

#[track_caller]
fn assert_map(actual: Result<Map>, expected: &str) {
    let actual = actual.unwrap();
    let expected = Map::read(actual.ctx(), expected).unwrap();
    assert!(
        actual.is_equal(&expected).unwrap(),
        "{actual} is not {expected}"
    );
}

#[track_caller]
fn assert_umap(actual: Result<UnionMap>, expected: &str) {
    let actual = actual.unwrap();
    let expected = UnionMap::read(actual.ctx(), expected).unwrap();
    assert!(
        actual.is_equal(&expected).unwrap(),
        "{actual} is not {expected}"
    );
}

#[track_caller]
fn assert_uset(actual: Result<UnionSet>, expected: &str) {
    let actual = actual.unwrap();
    let expected = UnionSet::read(actual.ctx(), expected).unwrap();
    assert!(
        actual.is_equal(&expected).unwrap(),
        "{actual} is not {expected}"
    );
}

#[track_caller]
fn assert_aff(actual: Result<PwAff>, expected: &str) {
    let actual = actual.unwrap();
    let expected = PwAff::read(actual.ctx(), expected).unwrap();
    assert!(
        actual.is_equal(&expected).unwrap(),
        "{actual} is not {expected}"
    );
}

#[test]
fn rational_numbers() {
    let r = |num, den| Rational::new(num, den).unwrap();
    assert_eq!(r(6, -4), r(-3, 2));
    assert_eq!(r(-3, 2).to_string(), "-3/2");
    assert_eq!(r(4, 2).to_string(), "2");
    for (num, den, floor, ceil) in [(3, 2, 1, 2), (-3, 2, -2, -1), (4, 2, 2, 2), (0, 5, 0, 0)] {
        assert_eq!((r(num, den).floor(), r(num, den).ceil()), (floor, ceil));
        assert_eq!(
            Rational::from(floor) + r(num, den).fract(),
            r(num, den),
            "{num}/{den}"
        );
    }
    assert_eq!(r(1, 2) + r(1, 3), r(5, 6));
    assert_eq!(r(1, 2) - r(1, 3), r(1, 6));
    assert_eq!(r(2, 3) * r(3, 4), r(1, 2));
    assert!(r(-1, 2) < Rational::ZERO && r(1, 3) < r(1, 2));
    assert!(Rational::new(1, 0).is_err());
    assert!(Rational::new(i64::MIN, -1).is_err());
    assert_eq!(r(i64::MIN, i64::MIN), Rational::from(1));
    let max = Rational::from(i64::MAX);
    assert_eq!(max.checked_add(max), None);
    assert_eq!(max.checked_mul(max), None);
    assert_eq!(Rational::from(i64::MIN).checked_sub(max), None);
    // The intermediate values of the extremes stay inside 128 bits.
    let tiny = r(1, i64::MAX);
    assert_eq!(max.checked_add(tiny), None);
    assert_eq!(max * tiny, Rational::from(1));
    assert!(tiny < max && r(i64::MIN, i64::MAX) < tiny);
}

#[test]
fn print_and_read_again() {
    let ctx = ctx();
    for text in [
        "[N] -> { S[t, i] : 0 <= i < N and (i + t) mod 2 = 0 }",
        "{ [[i] -> A[j]] : j >= i }",
        "[N] -> { : N > 0 }",
        "{ [i = 1000000000000000000000000] }",
        "{ : false }",
    ] {
        let s = set(&ctx, text);
        assert_set(Set::read(&ctx, &s.to_str().unwrap()), text);
        assert_eq!(format!("{s:?}"), s.to_string());
    }
    let m = map(&ctx, "[N] -> { S[i] -> A[i + N] }");
    assert_map(Map::read(&ctx, &m.to_string()), &format!("{m:?}"));
    let u = umap(&ctx, "{ S[i] -> A[i]; T[] -> B[0] }");
    assert_umap(UnionMap::read(&ctx, &u.to_string()), &format!("{u:?}"));
    let u = uset(&ctx, "{ S[i] : i > 3; T[] }");
    assert_uset(UnionSet::read(&ctx, &u.to_string()), &format!("{u:?}"));
    let a = aff(&ctx, "[N] -> { S[i] -> [(i/2 + N)] : i > 2 }");
    assert_aff(PwAff::read(&ctx, &a.to_string()), &format!("{a:?}"));
}

#[test]
fn errors_are_values() {
    let ctx = ctx();
    for text in [
        "",
        "{ [i",
        "{ [i] : j }",
        "nonsense",
        "{ [i] -> [j] }",
        "{ A[]; B[] }",
        "{ [i] \0 }",
    ] {
        let error = Set::read(&ctx, text).unwrap_err();
        assert!(!error.quota && !error.message.is_empty(), "{text}: {error}");
    }
    // isl would take no notice of what follows.
    let error = Set::read(&ctx, "{ [i] : i > 0 } and i < 4").unwrap_err();
    assert!(error.message.contains("and i < 4"), "{error}");
    assert_map(Map::read(&ctx, "{ A[i] }"), "{ [] -> A[i] }");
    assert!(UnionMap::read(&ctx, "{ [i] }").is_err());
    assert!(UnionMap::read(&ctx, "{ A[] -> }").is_err());
    assert!(PwAff::read(&ctx, "{ [i] -> [j] }").is_err());
    assert!(MultiPwAff::read(&ctx, "{").is_err());

    let (a, b) = (set(&ctx, "{ A[i] }"), set(&ctx, "{ B[i, j] }"));
    let error = a.intersect(&b).unwrap_err();
    assert!(error.message.contains(".c:"), "{error}");
    // The error is not found again by the next call.
    assert!(!a.is_empty().unwrap());

    let failures = [
        a.dim_name(DimType::Set, 1).map(drop),
        a.dim_min_val(1).map(drop),
        a.dim_max(7).map(drop),
        a.stride(1).map(drop),
        a.fix(DimType::Set, 1, 0).map(drop),
        a.fix(DimType::Div, 0, 0).map(drop),
        a.project_out(DimType::Set, 1, 1).map(drop),
        a.project_out(DimType::Set, u32::MAX, 2).map(drop),
        a.insert_dims(DimType::Set, 0, u32::MAX).map(drop),
        a.move_dims(DimType::Param, 1, DimType::Set, 0, 1).map(drop),
        a.move_dims(DimType::In, 0, DimType::Set, 0, 1).map(drop),
        a.move_dims(DimType::Set, 0, DimType::Set, 0, 1).map(drop),
        a.add_dims(DimType::In, 1).map(drop),
        set(&ctx, "{ : }").add_dims(DimType::Set, 1).map(drop),
        a.insert_dims(DimType::Set, 2, 1).map(drop),
        a.unwrap_map().map(drop),
        a.intersect_params(&b).map(drop),
        a.set_dim_name(DimType::Set, 1, "x").map(drop),
        set(&ctx, "{ : }").set_tuple_name("x").map(drop),
        map(&ctx, "{ [i] -> [i] }")
            .tuple_name(DimType::Param)
            .map(drop),
        map(&ctx, "{ A[i] -> B[j] }").deltas().map(drop),
        map(&ctx, "{ A[i] -> [j, k] }").identity_like().map(drop),
        map(&ctx, "{ [i] -> [j] : i <= j < i + 2 }")
            .to_pw_affs()
            .map(drop),
        map(&ctx, "{ [i] -> [i] }")
            .equate(DimType::In, 0, DimType::Out, 1)
            .map(drop),
        aff(&ctx, "{ [i] -> [(i)] }").floor_div(0).map(drop),
        aff(&ctx, "{ [i] -> [(i)] }")
            .add(&aff(&ctx, "{ A[] -> [(1)] }"))
            .map(drop),
    ];
    for (i, failure) in failures.into_iter().enumerate() {
        let Err(Error { message, quota, .. }) = failure else {
            panic!("operation {i} does not fail");
        };
        assert!(!message.is_empty() && !quota);
    }

    let foreign = Set::read(&Ctx::new().unwrap(), "{ A[i] }").unwrap();
    assert!(a.union(&foreign).unwrap_err().message.contains("context"));
}

#[test]
fn objects_outlive_the_context_handle() {
    let s = set(&ctx(), "{ [i] : 0 <= i < 4 }");
    let copy = s.clone();
    drop(s);
    assert_eq!(copy.count().unwrap(), 4);
}

#[test]
fn an_exceeded_quota_is_an_error_and_passes() {
    let ctx = ctx();
    let a = set(
        &ctx,
        "[N] -> { [i, j, k] : 0 <= i, j, k < N and (i + j + k) mod 3 = 0 }",
    );
    let cube = set(
        &ctx,
        "{ [i, j, k] : 0 <= i, j, k < 100 and (i + j) mod 3 = 0 }",
    );
    let b = set(
        &ctx,
        "[N] -> { [i, j, k] : i + 2j > k and (i - j) mod 5 = 1 }",
    );
    for limit in [1, 10, 100, 1000] {
        ctx.set_max_operations(limit);
        ctx.reset_operations();
        let difference = a
            .subtract(&b)
            .and_then(|d| d.coalesce())
            .and_then(|d| d.convex_hull());
        let error = difference.unwrap_err();
        assert!(error.quota, "{error}");
        // isl's own count swallows the error and returns too small a number.
        let error = cube.count().unwrap_err();
        assert!(error.quota, "{error}");
        let error = cube.points(usize::MAX).unwrap_err();
        assert!(error.quota, "{error}");
        assert!(AstBuild::from_context(&a).is_err());
        // Printing is not limited, so that an error can be reported, and neither is reading.
        assert!(Set::read(&ctx, "{ [i] : i > 3 or i = 0 }").is_ok());
        assert!(a.to_string().contains("mod 3"));
    }
    ctx.set_max_operations(0);
    assert!(a.subtract(&b).unwrap().is_subset(&a).unwrap());
    assert_eq!(cube.count().unwrap(), 333_400);
}

/// A computation ends soon after another thread has asked for it, and new contexts do not begin.
#[test]
fn another_thread_stops_computations() {
    let stopper = Stopper::default();
    let ctx = Ctx::with_stopper(stopper.clone()).unwrap();
    stopper.begin("work");
    assert_eq!((stopper.work(), stopper.why()), ("work", None));
    let a = set(
        &ctx,
        "[N] -> { [i, j] : 0 <= i, j < N and (i + j) mod 3 = 0 }",
    );
    let thread = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(20));
        stopper.stop("enough".to_owned());
        stopper.stop("more than enough".to_owned());
    });
    let error = loop {
        if let Err(error) = a.subtract(&a).and_then(|empty| empty.is_empty()) {
            break error;
        }
    };
    thread.join().unwrap();
    assert!(error.quota);
    assert_eq!(error.stopped.as_deref(), Some("enough"));
    assert_eq!(ctx.check(), Err(error.clone()));
    let new = Ctx::with_stopper(ctx.stopper().clone()).unwrap();
    assert_eq!(Set::read(&new, "{ [i] : i > 3 }").unwrap_err(), error);
    // Others go on.
    assert!(Set::read(&Ctx::new().unwrap(), "{ [i] : i > 3 }").is_ok());
}

/// Every operation fails at each point where the limit can stop it, without a crash or a leak.
#[test]
fn every_operation_survives_the_quota() {
    let ctx = ctx();
    let a = set(
        &ctx,
        "[N] -> { S[i, j] : 0 <= i, j < N and (i + j) mod 3 = 0 }",
    );
    let b = set(
        &ctx,
        "[N] -> { S[i, j] : i + 2j > 3 and (i - j) mod 2 = 1 or i = j }",
    );
    let m = map(
        &ctx,
        "[N] -> { S[i, j] -> S[i + 1, k] : j - 1 <= k <= j + 1 and 0 < i < N }",
    );
    let f = aff(
        &ctx,
        "[N] -> { S[i, j] -> [(floor((i + j)/2))] : i > 0; S[i, j] -> [(i/3)] : i <= 0 }",
    );
    let u = UnionMap::from_map(&m).unwrap();
    let schedule = umap(&ctx, "{ S[i, j] -> [i, j] }");
    let none = UnionMap::empty(&ctx).unwrap();
    let small = set(
        &ctx,
        "{ [i, j] : 0 <= i < 3 and 0 <= j < 4 and i mod 2 = 0 }",
    );
    type Operation<'a> = Box<dyn Fn() -> Result<()> + 'a>;
    let operations: Vec<Operation> = vec![
        Box::new(|| a.subtract(&b).map(drop)),
        Box::new(|| a.union(&b)?.coalesce().map(drop)),
        Box::new(|| a.complement()?.coalesce().map(drop)),
        Box::new(|| b.convex_hull().map(drop)),
        Box::new(|| a.apply(&m)?.gist(&b).map(drop)),
        Box::new(|| a.lexmin()?.lexmax().map(drop)),
        Box::new(|| a.is_subset(&b).map(drop)),
        Box::new(|| a.constraints().map(drop)),
        Box::new(|| b.basic_sets().map(drop)),
        Box::new(|| a.stride(0).map(drop)),
        Box::new(|| a.dim_max(1).map(drop)),
        Box::new(|| a.dim_max_val(0).map(drop)),
        Box::new(|| small.points(100).map(drop)),
        Box::new(|| small.count().map(drop)),
        Box::new(|| small.sample_point().map(drop)),
        Box::new(|| m.fixed_box_hull().map(drop)),
        Box::new(|| m.lexmin()?.to_pw_affs().map(drop)),
        Box::new(|| m.apply_range(&m)?.deltas().map(drop)),
        Box::new(|| f.max_val().map(drop)),
        Box::new(|| f.max(&f.neg()?).map(drop)),
        Box::new(|| f.floor_div(3)?.ge_set(&f).map(drop)),
        Box::new(|| u.lex_lt_union_map(&schedule)?.maps().map(drop)),
        Box::new(|| compute_flow(&u, &u, &none, &schedule).map(drop)),
        Box::new(|| compute_flow(&u, &none, &u, &schedule).map(drop)),
        Box::new(|| AstBuild::from_context(&a)?.expr_from_set(&b).map(drop)),
        Box::new(|| AstBuild::from_context(&a)?.expr_from_pw_aff(&f).map(drop)),
    ];
    for (i, operation) in operations.iter().enumerate() {
        let mut limit = 1;
        loop {
            ctx.set_max_operations(limit);
            ctx.reset_operations();
            match operation() {
                Ok(()) => break,
                Err(error) => assert!(error.quota, "operation {i}, limit {limit}: {error}"),
            }
            limit += 1 + limit / 16;
        }
        ctx.set_max_operations(0);
    }
}

#[test]
fn set_algebra() {
    let ctx = ctx();
    let a = set(&ctx, "[N] -> { S[i] : 0 <= i < N }");
    let b = set(&ctx, "{ S[i] : i >= 5 }");
    assert_set(a.intersect(&b), "[N] -> { S[i] : 5 <= i < N }");
    assert_set(a.union(&b), "[N] -> { S[i] : 0 <= i < N or i >= 5 }");
    assert_set(a.subtract(&b), "[N] -> { S[i] : 0 <= i < N and i < 5 }");
    assert_set(b.complement(), "{ S[i] : i < 5 }");
    assert_set(
        a.apply(&map(&ctx, "{ S[i] -> T[2i] }")),
        "[N] -> { T[j] : 0 <= j < 2N and j mod 2 = 0 }",
    );
    assert_set(a.params(), "[N] -> { : N > 0 }");
    let large = set(&ctx, "[N] -> { : N > 9 }");
    assert!(large.is_params().unwrap() && !a.is_params().unwrap());
    assert_set(
        a.intersect_params(&large),
        "[N] -> { S[i] : 0 <= i < N and N > 9 }",
    );
    assert_set(a.intersect(&b).unwrap().gist(&b), "[N] -> { S[i] : i < N }");
    assert_set(
        a.intersect_params(&large).unwrap().gist_params(&large),
        "[N] -> { S[i] : 0 <= i < N }",
    );
    let pieces = set(&ctx, "{ [i] : 0 <= i < 4 or 4 <= i < 9 }");
    assert_eq!(pieces.basic_sets().unwrap().len(), 2);
    assert_eq!(pieces.coalesce().unwrap().basic_sets().unwrap().len(), 1);
    let ends = set(&ctx, "{ [0, 0]; [4, 4] }");
    assert_set(ends.affine_hull(), "{ [i, i] }");
    for hull in [
        ends.simple_hull(),
        ends.polyhedral_hull(),
        ends.convex_hull(),
    ] {
        assert!(ends.is_subset(&hull.unwrap()).unwrap());
    }
    assert_set(ends.convex_hull(), "{ [i, i] : 0 <= i <= 4 }");
    let even = set(&ctx, "{ [i] : i mod 2 = 0 and 0 <= i < 9 }");
    assert_set(even.remove_divs(), "{ [i] : 0 <= i <= 8 }");
    assert_set(even.compute_divs(), &even.to_string());
    assert_set(even.detect_equalities(), &even.to_string());
    assert_set(a.lexmin(), "[N] -> { S[0] : N > 0 }");
    assert_set(a.lexmax(), "[N] -> { S[N - 1] : N > 0 }");
    assert_set(a.universe_like(), "{ S[i] }");
    assert_set(a.empty_like(), "{ S[i] : false }");
    assert_map(a.identity(), "[N] -> { S[i] -> S[i] : 0 <= i < N }");
    let wrapped = set(&ctx, "{ [A[i] -> B[j]] : j > i }");
    assert!(wrapped.is_wrapping().unwrap() && !a.is_wrapping().unwrap());
    assert_map(wrapped.unwrap_map(), "{ A[i] -> B[j] : j > i }");
    assert_set(wrapped.flatten(), "{ [i, j] : j > i }");

    assert!(a.empty_like().unwrap().is_empty().unwrap());
    assert!(a.intersect(&b).unwrap().is_subset(&a).unwrap());
    assert!(!a.is_subset(&b).unwrap());
    assert!(b.is_disjoint(&b.complement().unwrap()).unwrap());
    assert!(a.is_bounded().unwrap() && !b.is_bounded().unwrap());
    assert!(set(&ctx, "{ [3] }").is_singleton().unwrap() && !a.is_singleton().unwrap());
    assert!(b.universe_like().unwrap().plain_is_universe().unwrap());
}

#[test]
fn set_dimensions() {
    let ctx = ctx();
    let s = set(&ctx, "[N, M] -> { S[i, j] : 0 <= i < N and j = i + 1 }");
    assert_eq!(s.dim(DimType::Param).unwrap(), 2);
    assert_eq!(s.dim(DimType::Set).unwrap(), 2);
    assert_eq!(DimType::Set, DimType::Out);
    assert_eq!(s.dim_name(DimType::Param, 1).unwrap().as_deref(), Some("M"));
    assert_eq!(s.dim_name(DimType::Set, 0).unwrap().as_deref(), Some("i"));
    assert_eq!(
        set(&ctx, "{ [3] }").dim_name(DimType::Set, 0).unwrap(),
        None
    );
    let renamed = s.set_dim_name(DimType::Set, 0, "x").unwrap();
    assert_eq!(
        renamed.dim_name(DimType::Set, 0).unwrap().as_deref(),
        Some("x")
    );
    assert_eq!(s.tuple_name().unwrap().as_deref(), Some("S"));
    assert_eq!(s.reset_tuple_name().unwrap().tuple_name().unwrap(), None);
    assert_eq!(
        s.set_tuple_name("T")
            .unwrap()
            .tuple_name()
            .unwrap()
            .as_deref(),
        Some("T")
    );
    let params = set(&ctx, "{ : }");
    assert_eq!(params.tuple_name().unwrap(), None);
    assert!(params.reset_tuple_name().unwrap().is_params().unwrap());
    assert_set(
        s.project_out(DimType::Set, 1, 1)
            .and_then(|s| s.reset_tuple_name()),
        "[N] -> { [i] : 0 <= i < N }",
    );
    assert_set(
        s.eliminate(DimType::Set, 1, 1),
        "[N] -> { S[i, j] : 0 <= i < N }",
    );
    assert_set(
        s.drop_constraints_involving_dims(DimType::Set, 1, 1),
        "[N] -> { S[i, j] : 0 <= i < N }",
    );
    assert_set(s.project_out_all_params(), "{ S[i, i + 1] : i >= 0 }");
    assert_eq!(
        s.drop_unused_params().unwrap().dim(DimType::Param).unwrap(),
        1
    );
    assert_eq!(
        s.insert_dims(DimType::Set, 1, 2)
            .unwrap()
            .dim(DimType::Set)
            .unwrap(),
        4
    );
    assert_eq!(
        s.add_dims(DimType::Param, 1)
            .unwrap()
            .dim(DimType::Param)
            .unwrap(),
        3
    );
    assert_set(
        s.move_dims(DimType::Param, 2, DimType::Set, 1, 1)
            .and_then(|s| s.reset_tuple_name()),
        "[N, j] -> { [i = j - 1] : 0 < j <= N }",
    );
    assert_set(
        s.fix(DimType::Param, 0, 3)
            .unwrap()
            .lower_bound(DimType::Set, 0, 1)
            .unwrap()
            .upper_bound(DimType::Set, 1, 2),
        "[N] -> { S[1, 2] : N = 3 }",
    );
    let aligned = set(&ctx, "[M] -> { : M > 0 }").align_params(&s).unwrap();
    assert_eq!(
        aligned.dim_name(DimType::Param, 0).unwrap().as_deref(),
        Some("N")
    );
}

#[test]
fn set_bounds() {
    let ctx = ctx();
    let s = set(
        &ctx,
        "[N] -> { S[i, j] : 3 <= i < N and j < 0 and i + j > 1 }",
    );
    assert_aff(s.dim_min(0), "[N] -> { [(3)] : N >= 4 }");
    assert_aff(s.dim_max(0), "[N] -> { [(N - 1)] : N >= 4 }");
    assert_eq!(s.dim_min_val(0).unwrap(), finite(3, 1));
    assert_eq!(s.dim_max_val(0).unwrap(), Bound::Infinite);
    assert_eq!(s.dim_min_val(1).unwrap(), Bound::Infinite);
    assert_eq!(s.dim_max_val(1).unwrap(), finite(-1, 1));
    assert_eq!(
        s.empty_like().unwrap().dim_max_val(0).unwrap(),
        Bound::Empty
    );
    assert_eq!(
        set(&ctx, "{ [i] : 2i = 1 + 2i }").dim_min_val(0).unwrap(),
        Bound::Empty
    );
    assert_eq!(
        set(&ctx, "{ [i] : 1 <= 3i <= 2 }").dim_min_val(0).unwrap(),
        Bound::Empty
    );
    assert_eq!(Bound::Infinite.finite(), None);
    // A value that 64 bits do not hold is none to compute with.
    assert_eq!(
        set(&ctx, "{ [100000000000000000000] }")
            .dim_max_val(0)
            .unwrap(),
        Bound::Infinite
    );
    assert!(set(&ctx, "{ [i] }").dim_min(0).is_err());
}

#[test]
fn set_elements() {
    let ctx = ctx();
    let s = set(&ctx, "{ S[i, j] : 0 <= i < 3 and i <= j < 3 or i = 7 = j }");
    let mut points = s.points(7).unwrap();
    points.sort();
    assert_eq!(
        points,
        [[0, 0], [0, 1], [0, 2], [1, 1], [1, 2], [2, 2], [7, 7]]
    );
    assert!(s.points(6).unwrap_err().message.contains("more than 6"));
    assert_eq!(s.count().unwrap(), 7);
    assert!(points.contains(&s.sample_point().unwrap().unwrap()));
    assert_eq!(s.empty_like().unwrap().sample_point().unwrap(), None);
    assert_eq!(
        s.empty_like().unwrap().points(0).unwrap(),
        Vec::<Vec<i64>>::new()
    );
    assert_eq!(s.empty_like().unwrap().count().unwrap(), 0);
    let unit = set(&ctx, "{ A[] }");
    assert_eq!(
        (unit.points(1).unwrap(), unit.count().unwrap()),
        (vec![vec![]], 1)
    );
    assert_eq!(set(&ctx, "{ : }").points(1).unwrap(), [vec![]]);
    assert_eq!(set(&ctx, "{ : }").sample_point().unwrap(), Some(vec![]));
    let overlapping = set(&ctx, "{ [i] : 0 <= i < 6 or 3 <= i < 9 }");
    assert_eq!(
        (
            overlapping.count().unwrap(),
            overlapping.points(9).unwrap().len()
        ),
        (9, 9)
    );
    let divs = set(
        &ctx,
        "{ [i] : 0 <= i < 20 and exists (e, f : i = 4e + 6f and e >= 0 and f >= 0) }",
    );
    assert_eq!(divs.count().unwrap(), 9);
    for unbounded in ["{ [i] : i > 0 }", "{ [i, j] : i = 2j }"] {
        let s = set(&ctx, unbounded);
        assert!(s.count().is_err() && s.points(100).is_err());
    }
    let parametric = set(&ctx, "[N] -> { [i] : 0 <= i < 5 }");
    assert!(
        parametric.count().is_err()
            && parametric.points(9).is_err()
            && parametric.sample_point().is_err()
    );
}

#[test]
fn set_constraints() {
    let ctx = ctx();
    let s = set(
        &ctx,
        "[N] -> { [i, j] : 2i + 3 <= N and j = i + 1 and i mod 2 = 0 and i >= 0 }",
    );
    let constraints = s.constraints().unwrap();
    assert!(
        constraints.iter().any(|c| c.equality
            && c.dims.iter().map(|d| d.abs()).eq([1, 1])
            && c.constant.abs() == 1)
    );
    assert!(
        constraints
            .iter()
            .any(|c| !c.equality && c.params == [1] && c.divs.len() == 1)
    );
    assert!(set(&ctx, "{ [i] : i = 0 or i > 5 }").constraints().is_err());
    assert!(set(&ctx, "{ [i] }").constraints().unwrap().is_empty());

    let (stride, offset) = set(&ctx, "[N] -> { [i] : (i - N) mod 4 = 1 }")
        .stride(0)
        .unwrap();
    assert_eq!(stride, 4);
    let rest = offset
        .sub(&aff(&ctx, "[N] -> { [i] -> [(N + 1)] }"))
        .unwrap();
    assert_eq!(
        rest.as_constant().unwrap().map(|r| r.num.rem_euclid(4)),
        Some(0)
    );
    assert_eq!(set(&ctx, "{ [i] : i > 0 }").stride(0).unwrap().0, 1);
}

#[test]
fn map_algebra() {
    let ctx = ctx();
    let m = map(&ctx, "[N] -> { S[i] -> A[i + 1] : 0 <= i < N }");
    let n = map(&ctx, "{ S[i] -> A[i + 1] : i > 4 }");
    assert_map(m.intersect(&n), "[N] -> { S[i] -> A[i + 1] : 4 < i < N }");
    assert_map(
        m.union(&n),
        "[N] -> { S[i] -> A[i + 1] : 0 <= i < N or i > 4 }",
    );
    assert_map(
        m.subtract(&n),
        "[N] -> { S[i] -> A[i + 1] : 0 <= i < N and i <= 4 }",
    );
    assert_map(m.reverse(), "[N] -> { A[i] -> S[i - 1] : 0 < i <= N }");
    let scale = map(&ctx, "{ A[i] -> B[2i] }");
    assert_map(n.apply_range(&scale), "{ S[i] -> B[2i + 2] : i > 4 }");
    assert_map(
        n.reverse().unwrap().apply_domain(&scale),
        "{ B[j] -> S[i] : j = 2i + 2 and i > 4 }",
    );
    assert_set(m.domain(), "[N] -> { S[i] : 0 <= i < N }");
    assert_set(m.range(), "[N] -> { A[i] : 1 <= i <= N }");
    assert_set(m.params(), "[N] -> { : N > 0 }");
    assert_map(
        n.intersect_domain(&set(&ctx, "{ S[5] }")),
        "{ S[5] -> A[6] }",
    );
    assert_map(
        n.intersect_range(&set(&ctx, "{ A[6] }")),
        "{ S[5] -> A[6] }",
    );
    let large = set(&ctx, "[N] -> { : N > 9 }");
    assert_map(
        m.intersect_params(&large),
        "[N] -> { S[i] -> A[i + 1] : 0 <= i < N and N > 9 }",
    );
    assert_map(
        m.intersect_params(&large).unwrap().gist_params(&large),
        &m.to_string(),
    );
    assert_map(
        n.gist_domain(&set(&ctx, "{ S[i] : i > 4 }")),
        "{ S[i] -> A[i + 1] }",
    );
    assert_map(n.gist(&n), "{ S[i] -> A[j] }");
    assert_set(
        map(&ctx, "{ S[t, i] -> S[t + 1, i - 2] }").deltas(),
        "{ S[1, -2] }",
    );
    let choice = map(&ctx, "{ [i] -> [j] : i <= j < i + 3 }");
    assert_map(choice.lexmin(), "{ [i] -> [i] }");
    assert_map(choice.lexmax(), "{ [i] -> [i + 2] }");
    let (f, g) = (map(&ctx, "{ [i] -> A[i] }"), map(&ctx, "{ [i] -> B[2i] }"));
    assert_map(f.range_product(&g), "{ [i] -> [A[i] -> B[2i]] }");
    assert_map(f.flat_range_product(&g), "{ [i] -> [i, 2i] }");
    let (f, g) = (f.reverse().unwrap(), g.reverse().unwrap());
    assert_map(f.domain_product(&g), "{ [A[i] -> B[j]] -> [i] : j = 2i }");
    assert_map(f.flat_domain_product(&g), "{ [i, j] -> [i] : j = 2i }");
    assert_set(n.wrap(), "{ [S[i] -> A[i + 1]] : i > 4 }");
    assert_map(m.project_out_all_params(), "{ S[i] -> A[i + 1] : i >= 0 }");
    assert_eq!(
        m.add_dims(DimType::Param, 1)
            .unwrap()
            .dim(DimType::Param)
            .unwrap(),
        2
    );
    let unused = map(&ctx, "[N] -> { [i] -> [i] }");
    assert_eq!(
        unused
            .drop_unused_params()
            .unwrap()
            .dim(DimType::Param)
            .unwrap(),
        0
    );
    let halves = map(&ctx, "{ [i] -> [j] : 2j <= i <= 2j + 1 and i mod 2 = 0 }");
    for same in [
        halves.coalesce(),
        halves.detect_equalities(),
        halves.compute_divs(),
    ] {
        assert_map(same, &halves.to_string());
    }
    for hull in [
        halves.affine_hull(),
        halves.simple_hull(),
        halves.remove_divs(),
    ] {
        assert!(halves.is_subset(&hull.unwrap()).unwrap());
    }
    assert!(
        n.is_single_valued().unwrap() && n.is_injective().unwrap() && n.is_bijective().unwrap()
    );
    assert!(!choice.is_single_valued().unwrap() && !choice.is_bijective().unwrap());
    assert!(!choice.is_empty().unwrap() && n.is_disjoint(&n.subtract(&n).unwrap()).unwrap());
}

#[test]
fn map_dimensions() {
    let ctx = ctx();
    let m = map(&ctx, "[N] -> { S[i, j] -> A[k] : k = i + j + N }");
    assert_eq!(
        (m.dim(DimType::In).unwrap(), m.dim(DimType::Out).unwrap()),
        (2, 1)
    );
    assert_eq!(m.dim_name(DimType::In, 1).unwrap().as_deref(), Some("j"));
    assert_eq!(
        m.set_dim_name(DimType::Out, 0, "z")
            .unwrap()
            .dim_name(DimType::Out, 0)
            .unwrap()
            .as_deref(),
        Some("z")
    );
    assert_eq!(m.tuple_name(DimType::In).unwrap().as_deref(), Some("S"));
    assert_eq!(m.tuple_name(DimType::Out).unwrap().as_deref(), Some("A"));
    assert_eq!(
        m.reset_tuple_name(DimType::Out)
            .unwrap()
            .tuple_name(DimType::Out)
            .unwrap(),
        None
    );
    assert_eq!(
        m.set_tuple_name(DimType::In, "T")
            .unwrap()
            .tuple_name(DimType::In)
            .unwrap()
            .as_deref(),
        Some("T")
    );
    assert_map(
        m.fix(DimType::In, 0, 4),
        "[N] -> { S[4, j] -> A[4 + j + N] }",
    );
    assert_map(
        map(&ctx, "{ [i] -> [j] }").equate(DimType::In, 0, DimType::Out, 0),
        "{ [i] -> [i] }",
    );
    assert_map(
        map(&ctx, "{ A[i] -> A[2i] }").identity_like(),
        "{ A[i] -> A[i] }",
    );
    assert_eq!(
        m.insert_dims(DimType::Out, 0, 2)
            .unwrap()
            .dim(DimType::Out)
            .unwrap(),
        3
    );
    assert_eq!(
        m.project_out(DimType::In, 0, 2)
            .unwrap()
            .dim(DimType::In)
            .unwrap(),
        0
    );
    assert_eq!(
        m.move_dims(DimType::Out, 0, DimType::In, 1, 1)
            .unwrap()
            .dim(DimType::Out)
            .unwrap(),
        2
    );
    assert_eq!(
        map(&ctx, "{ [i] -> [i]; [i] -> [-i] }")
            .basic_maps()
            .unwrap()
            .len(),
        2
    );

    let f = map(
        &ctx,
        "[N] -> { S[i] -> [o = floor(i / 2), p = i + N] : i > 0 }",
    )
    .to_pw_affs()
    .unwrap();
    assert_eq!(f.len(), 2);
    assert_aff(Ok(f[0].clone()), "{ S[i] -> [(floor(i/2))] : i > 0 }");
    assert_aff(Ok(f[1].clone()), "[N] -> { S[i] -> [(i + N)] : i > 0 }");

    let tile = map(&ctx, "{ [T] -> [i, j] : 8T <= i < 8T + 10 and 0 <= j < 3 }");
    let (offset, size) = tile.fixed_box_hull().unwrap().unwrap();
    assert_eq!(size, [10, 3]);
    assert_aff(Ok(offset[0].clone()), "{ [T] -> [(8T)] }");
    assert!(
        map(&ctx, "{ [T] -> [i] : i > T }")
            .fixed_box_hull()
            .unwrap()
            .is_none()
    );
}

#[test]
fn unions() {
    let ctx = ctx();
    let s = uset(&ctx, "[N] -> { S[i] : 0 <= i < N; T[i, j] : j = i }");
    let t = uset(&ctx, "{ T[i, j] : i > 0 }");
    assert_uset(s.intersect(&t), "{ T[i, i] : i > 0 }");
    assert_uset(
        s.subtract(&t),
        "[N] -> { S[i] : 0 <= i < N; T[i, i] : i <= 0 }",
    );
    assert_uset(
        t.union(&UnionSet::empty(&ctx).unwrap()),
        &t.to_str().unwrap(),
    );
    assert_uset(t.gist(&t), "{ T[i, j] }");
    assert_uset(t.coalesce(), &t.to_string());
    assert_uset(
        s.intersect_params(&set(&ctx, "[N] -> { : N < 0 }")),
        "[N] -> { T[i, i] : N < 0 }",
    );
    assert_set(s.params(), "[N] -> { : }");
    assert_umap(t.identity(), "{ T[i, j] -> T[i, j] : i > 0 }");
    assert_eq!(s.sets().unwrap().len(), 2);
    assert_uset(
        UnionSet::from_set(&set(&ctx, "{ T[i, j] : i > 0 }")),
        &t.to_string(),
    );
    assert!(s.intersect(&t).unwrap().is_subset(&s).unwrap() && !s.is_empty().unwrap());

    let m = umap(
        &ctx,
        "[N] -> { S[i] -> A[i + 1] : 0 <= i < N; T[i, j] -> B[i] }",
    );
    assert_uset(s.apply(&m), "[N] -> { A[i] : 0 < i <= N; B[i] }");
    assert_eq!(m.maps().unwrap().len(), 2);
    assert_uset(m.domain(), "[N] -> { S[i] : 0 <= i < N; T[i, j] }");
    assert_uset(m.range(), "[N] -> { A[i] : 0 < i <= N; B[i] }");
    assert_set(m.params(), "[N] -> { : }");
    assert_umap(m.intersect_domain(&t), "{ T[i, j] -> B[i] : i > 0 }");
    assert_umap(
        m.intersect_range(&uset(&ctx, "{ B[0] }")),
        "{ T[0, j] -> B[0] }",
    );
    assert_umap(
        m.intersect_domain(&t).and_then(|x| m.subtract(&x)),
        "[N] -> { S[i] -> A[i + 1] : 0 <= i < N; T[i, j] -> B[i] : i <= 0 }",
    );
    let positive = set(&ctx, "[N] -> { : N > 0 }");
    assert_umap(
        m.intersect_params(&positive)
            .and_then(|m| m.gist_params(&positive)),
        &m.to_string(),
    );
    assert_umap(
        m.coalesce()
            .and_then(|m| m.detect_equalities())
            .and_then(|x| x.intersect(&m)),
        &m.to_string(),
    );
    assert_umap(
        UnionMap::from_map(&map(&ctx, "{ A[i] -> A[i] }")).and_then(|x| m.apply_range(&x)),
        "[N] -> { S[i] -> A[i + 1] : 0 <= i < N }",
    );
    let conflicts = m.apply_range(&m.reverse().unwrap()).unwrap();
    assert_umap(
        Ok(conflicts.clone()),
        "[N] -> { S[i] -> S[i] : 0 <= i < N; T[i, j] -> T[i, k] }",
    );
    assert!(
        !conflicts.is_single_valued().unwrap()
            && !m.is_injective().unwrap()
            && m.is_single_valued().unwrap()
    );
    assert!(m.intersect_domain(&t).unwrap().is_subset(&m).unwrap());
    assert!(
        m.intersect(&UnionMap::empty(&ctx).unwrap())
            .unwrap()
            .is_empty()
            .unwrap()
    );
    assert_uset(
        umap(&ctx, "{ S[i] -> S[i + 2]; S[i] -> T[i] }").deltas(),
        "{ S[2] }",
    );
    let schedule = umap(&ctx, "{ S[i] -> [i, 0]; T[i] -> [i, 1] }");
    assert_umap(
        schedule.lex_lt_union_map(&schedule),
        "{ S[i] -> S[j] : i < j; T[i] -> T[j] : i < j; S[i] -> T[j] : i <= j; T[i] -> S[j] : i < j }",
    );
    assert_umap(
        schedule
            .lex_le_union_map(&schedule)
            .and_then(|le| le.intersect(&umap(&ctx, "{ S[i] -> S[j] }"))),
        "{ S[i] -> S[j] : i <= j }",
    );
    assert_umap(
        schedule.apply_domain(&umap(&ctx, "{ S[i] -> U[i] }")),
        "{ U[i] -> [i, 0] }",
    );
    assert_umap(
        umap(&ctx, "{ S[i] -> A[i] }").range_product(&umap(&ctx, "{ S[i] -> B[] }")),
        "{ S[i] -> [A[i] -> B[]] }",
    );
    let nested = umap(&ctx, "{ [A[i] -> B[j]] -> [C[i] -> D[j]] }");
    assert_umap(nested.zip(), "{ [A[i] -> C[i]] -> [B[j] -> D[j]] }");
    assert_umap(nested.domain_factor_domain(), "{ A[i] -> [C[i] -> D[j]] }");
    assert_umap(nested.range_factor_domain(), "{ [A[i] -> B[j]] -> C[i] }");
    assert_umap(nested.range_factor_range(), "{ [A[i] -> B[j]] -> D[j] }");
    assert_umap(nested.curry(), "{ A[i] -> [B[j] -> [C[i] -> D[j]]] }");
    assert_umap(
        nested.curry().and_then(|n| n.uncurry()),
        &nested.to_string(),
    );
}

#[test]
fn flow_of_a_jacobi_stencil() {
    let ctx = ctx();
    let domain = uset(&ctx, "[N, T] -> { S[t, i] : 0 <= t < T and 0 < i < N - 1 }");
    let restrict = |text| umap(&ctx, text).intersect_domain(&domain).unwrap();
    let reads = restrict("{ S[t, i] -> A[m, j] : m = t mod 2 and i - 1 <= j <= i + 1 }");
    let writes = restrict("{ S[t, i] -> A[m, i] : m = (t + 1) mod 2 }");
    let schedule = restrict("{ S[t, i] -> [t, i] }");
    let none = UnionMap::empty(&ctx).unwrap();

    let flow = compute_flow(&reads, &writes, &none, &schedule).unwrap();
    assert_uset(
        flow.must
            .deltas()
            .and_then(|d| d.intersect_params(&set(&ctx, "[N, T] -> { : N = 9 and T = 9 }"))),
        "[N, T] -> { S[1, d] : -1 <= d <= 1 and N = T = 9 }",
    );
    assert!(flow.must.is_equal(&flow.may).unwrap());
    assert!(flow.must_no_source.is_subset(&reads).unwrap());
    assert!(flow.must_no_source.is_equal(&flow.may_no_source).unwrap());

    // A may source hides nothing: all earlier writes of the same parity are sources.
    let flow = compute_flow(&reads, &none, &writes, &schedule).unwrap();
    assert!(flow.must.is_empty().unwrap());
    assert!(flow.must_no_source.is_subset(&flow.may_no_source).unwrap());
    assert_uset(
        flow.may
            .deltas()
            .and_then(|d| d.intersect_params(&set(&ctx, "[N, T] -> { : N = 9 and T = 4 }"))),
        "[N, T] -> { S[t, d] : -1 <= d <= 1 and (t = 1 or t = 3) and N = 9 and T = 4 }",
    );
}

#[test]
fn functions() {
    let ctx = ctx();
    let f = aff(&ctx, "[N] -> { S[i] -> [(i + N)] : 0 <= i < 8 }");
    let g = aff(&ctx, "{ S[i] -> [(3)] }");
    assert_aff(f.add(&g), "[N] -> { S[i] -> [(i + N + 3)] : 0 <= i < 8 }");
    assert_aff(f.sub(&g), "[N] -> { S[i] -> [(i + N - 3)] : 0 <= i < 8 }");
    assert_aff(f.neg(), "[N] -> { S[i] -> [(-i - N)] : 0 <= i < 8 }");
    assert_aff(
        f.mul_val(-2),
        "[N] -> { S[i] -> [(-2i - 2N)] : 0 <= i < 8 }",
    );
    assert_aff(
        f.add_constant(5),
        "[N] -> { S[i] -> [(i + N + 5)] : 0 <= i < 8 }",
    );
    assert_aff(
        f.floor_div(4),
        "[N] -> { S[i] -> [(floor((i + N)/4))] : 0 <= i < 8 }",
    );
    assert_aff(
        f.max(&g),
        "[N] -> { S[i] -> [(i + N)] : 0 <= i < 8 and i + N >= 3; S[i] -> [(3)] : 0 <= i < 8 and i + N < 3 }",
    );
    assert_aff(
        f.min(&g),
        "[N] -> { S[i] -> [(i + N)] : 0 <= i < 8 and i + N <= 3; S[i] -> [(3)] : 0 <= i < 8 and i + N > 3 }",
    );
    assert_eq!(f.max(&g).unwrap().n_piece().unwrap(), 2);
    assert_set(f.domain(), "[N] -> { S[i] : 0 <= i < 8 }");
    assert_aff(
        f.intersect_domain(&set(&ctx, "{ S[0] }")),
        "[N] -> { S[i] -> [(N)] : i = 0 }",
    );
    assert_aff(f.gist(&f.domain().unwrap()), "[N] -> { S[i] -> [(i + N)] }");
    assert_aff(f.coalesce(), &f.to_string());
    let positive = set(&ctx, "[N] -> { : N > 0 }");
    assert_aff(
        aff(&ctx, "[N] -> { [(N)] : N > 0 }").gist_params(&positive),
        "[N] -> { [(N)] }",
    );
    assert_map(f.to_map(), "[N] -> { S[i] -> [i + N] : 0 <= i < 8 }");
    assert_set(
        aff(&ctx, "[N] -> { [(N)] : N > 0 }").to_set(),
        "[N] -> { [N] : N > 0 }",
    );
    assert_eq!(
        g.drop_unused_params().unwrap().dim(DimType::Param).unwrap(),
        0
    );
    assert_eq!(f.dim_name(DimType::In, 0).unwrap().as_deref(), Some("i"));
    assert_set(f.eq_set(&g), "[N] -> { S[i] : 0 <= i < 8 and i + N = 3 }");
    assert_set(f.ge_set(&g), "[N] -> { S[i] : 0 <= i < 8 and i + N >= 3 }");
    assert_set(f.le_set(&g), "[N] -> { S[i] : 0 <= i < 8 and i + N <= 3 }");
    assert_set(f.lt_set(&g), "[N] -> { S[i] : 0 <= i < 8 and i + N < 3 }");
    assert_set(f.gt_set(&g), "[N] -> { S[i] : 0 <= i < 8 and i + N > 3 }");
    assert_aff(
        aff(&ctx, "[N] -> { [(N)] }").insert_domain(&set(&ctx, "{ S[i] }")),
        "[N] -> { S[i] -> [(N)] }",
    );
}

#[test]
fn pieces_and_terms_of_functions() {
    let ctx = ctx();
    let f = aff(
        &ctx,
        "[N] -> { S[i] -> [(2i - N + floor((i + N)/2))] : 0 <= i < 8 }",
    );
    let (two, rest) = f.take_term(DimType::In, 0).unwrap().unwrap();
    let (minus, rest) = rest.take_term(DimType::Param, 0).unwrap().unwrap();
    assert_eq!((two, minus), (2, -1));
    assert_aff(Ok(rest.clone()), "[N] -> { S[i] -> [(floor((i + N)/2))] }");
    assert!(rest.involves(DimType::Param, 0, 1).unwrap());
    assert!(f.take_term(DimType::In, 1).is_err());
    let half = aff(&ctx, "{ S[i] -> [(i/2)] : i mod 2 = 0 }");
    assert!(half.take_term(DimType::In, 0).unwrap().is_none());
    let wide = aff(&ctx, "{ S[i] -> [(36893488147419103232i)] }");
    assert!(wide.take_term(DimType::In, 0).unwrap().is_none());

    let g = aff(&ctx, "{ S[i] -> [(0)] : i = 0; S[i] -> [(i - 1)] : i > 0 }");
    assert!(g.take_term(DimType::In, 0).unwrap().is_none());
    let mut sum: Option<PwAff> = None;
    for (set, piece) in g.pieces().unwrap() {
        let part = piece.intersect_domain(&set).unwrap();
        sum = Some(sum.map_or(part.clone(), |sum| sum.union_add(&part).unwrap()));
    }
    assert_aff(Ok(sum.unwrap()), &g.to_string());

    let nested = aff(&ctx, "{ [S[i] -> [a]] -> [(i + 3a)] }");
    let inputs = MultiPwAff::read(&ctx, "{ S[i] -> [S[i] -> [2]] }").unwrap();
    assert_aff(nested.pullback(&inputs), "{ S[i] -> [(i + 6)] }");
    let pair = MultiPwAff::from_pw_aff(&g).unwrap();
    let pair = pair.flat_range_product(&pair).unwrap();
    let pair = pair.set_tuple_name_out("u").unwrap();
    assert_map(
        pair.to_map(),
        "{ S[i] -> u[a, a] : (i = 0 and a = 0) or (i > 0 and a = i - 1) }",
    );
}

#[test]
fn values_of_functions() {
    let ctx = ctx();
    let constant = |text| {
        aff(&ctx, text)
            .as_constant()
            .unwrap()
            .map(|r| r.to_string())
    };
    assert_eq!(constant("{ [i] -> [(5)] }").as_deref(), Some("5"));
    assert_eq!(constant("{ [i] -> [(3/2)] }").as_deref(), Some("3/2"));
    assert_eq!(constant("{ [i] -> [(i)] : i = 3 }").as_deref(), Some("3"));
    assert_eq!(
        constant("{ [i] -> [(floor(i/4))] : 8 <= i < 12 }").as_deref(),
        Some("2")
    );
    assert_eq!(
        constant("{ [i] -> [(5)] : i > 0; [i] -> [(5)] : i < 0 }").as_deref(),
        Some("5")
    );
    assert_eq!(
        constant("[N] -> { [i] -> [(i - N)] : i = N + 2 }").as_deref(),
        Some("2")
    );
    assert_eq!(constant("[N] -> { [(7)] : N > 0 }").as_deref(), Some("7"));
    assert_eq!(constant("[N] -> { [(N)] }"), None);
    assert_eq!(constant("{ [i] -> [(i)] : 0 <= i < 2 }"), None);
    assert_eq!(constant("{ [i] -> [(1)] : false }"), None);

    let half = aff(&ctx, "{ [i] -> [(i/2)] : 1 <= i <= 7 }");
    assert_eq!(half.min_val().unwrap(), finite(1, 2));
    assert_eq!(half.max_val().unwrap(), finite(7, 2));
    let open = aff(&ctx, "[N] -> { [i] -> [(i)] : 2 <= i < N }");
    assert_eq!(
        (open.min_val().unwrap(), open.max_val().unwrap()),
        (finite(2, 1), Bound::Infinite)
    );
    assert_eq!(
        aff(&ctx, "{ [i] -> [(i)] : false }").max_val().unwrap(),
        Bound::Empty
    );

    let multi = MultiPwAff::read(&ctx, "[N] -> { S[i] -> A[(i + N), (2i)] }").unwrap();
    assert_eq!(multi.dim().unwrap(), 2);
    assert_aff(multi.get(1), "{ S[i] -> [(2i)] }");
    assert!(multi.get(2).is_err());
    assert_map(multi.to_map(), "[N] -> { S[i] -> A[i + N, 2i] }");
    assert_eq!(multi.tuple_name_out().unwrap().as_deref(), Some("A"));
    assert_eq!(
        MultiPwAff::read(&ctx, "{ [i] -> [(i)] }")
            .unwrap()
            .tuple_name_out()
            .unwrap(),
        None
    );
}

/// The value of an expression, with the meaning that `AstOp` documents.
fn eval(expr: &AstExpr, ids: &HashMap<&str, i64>) -> i64 {
    let (op, args) = match expr {
        AstExpr::Int(value) => return *value,
        AstExpr::Id(name) => return ids[name.as_str()],
        AstExpr::Op(op, args) => (op, args),
    };
    let lazy = |i: usize| eval(&args[i], ids);
    match op {
        AstOp::AndThen => return args.iter().all(|a| eval(a, ids) != 0).into(),
        AstOp::OrElse => return args.iter().any(|a| eval(a, ids) != 0).into(),
        AstOp::Cond => return lazy(if lazy(0) != 0 { 1 } else { 2 }),
        _ => {}
    }
    let values: Vec<i64> = args.iter().map(|a| eval(a, ids)).collect();
    let (a, b) = (values[0], values.get(1).copied().unwrap_or(0));
    match op {
        AstOp::And => values.iter().all(|&v| v != 0).into(),
        AstOp::Or => values.iter().any(|&v| v != 0).into(),
        AstOp::Max => values.into_iter().max().unwrap(),
        AstOp::Min => values.into_iter().min().unwrap(),
        AstOp::Minus => -a,
        AstOp::Add => a + b,
        AstOp::Sub => a - b,
        AstOp::Mul => a * b,
        AstOp::Div => {
            assert_eq!(a % b, 0, "the division is exact");
            a / b
        }
        AstOp::FdivQ => a.div_euclid(b),
        AstOp::PdivQ | AstOp::PdivR => {
            assert!(a >= 0 && b > 0, "the dividend is not negative");
            if *op == AstOp::PdivQ { a / b } else { a % b }
        }
        AstOp::ZdivR => a % b,
        AstOp::Select => {
            if a != 0 {
                b
            } else {
                values[2]
            }
        }
        AstOp::Eq => (a == b).into(),
        AstOp::Le => (a <= b).into(),
        AstOp::Lt => (a < b).into(),
        AstOp::Ge => (a >= b).into(),
        AstOp::Gt => (a > b).into(),
        other => panic!("{other:?} in an arithmetic expression"),
    }
}

#[test]
fn expressions_of_sets() {
    let ctx = ctx();
    for (context, text) in [
        (
            "[N] -> { : }",
            "[N] -> { [t, i] : 0 < i < N and (i + t) mod 2 = 0 }",
        ),
        (
            "[N] -> { [t, i] : t >= 0 and i >= 0 and N > 0 }",
            "[N] -> { [t, i] : 0 < i < N and (i + t) mod 2 = 0 }",
        ),
        (
            "{ : }",
            "[N] -> { S[t, i] : floor((i + 2t)/3) = 1 or i > N + t }",
        ),
        ("{ [i] : i >= -2 }", "[N] -> { [t, i] : i < N; [3, 2] }"),
        (
            "{ S[t, i] }",
            "[N] -> { [t, i] : N = 2 and t mod 3 <= 1 and i <= t }",
        ),
        ("{ : }", "[N] -> { [t, i] : false }"),
        ("{ : }", "[N] -> { [t, i] }"),
        ("{ : }", "[N, t, i] -> { : N > t + i }"),
        ("{ : }", "[N] -> { [[t] -> A[i]] : N < t + i }"),
    ] {
        let build = AstBuild::from_context(&set(&ctx, context)).unwrap().clone();
        let s = set(&ctx, text);
        let expr = build.expr_from_set(&s).unwrap();
        let context = set(&ctx, context);
        for (n, t, i) in (0..7 * 7 * 7).map(|x| (x % 7 - 2, x / 7 % 7 - 2, x / 49 - 2)) {
            let holds = |s: &Set| {
                let mut s = s.clone();
                for (name, value) in [("N", n), ("t", t), ("i", i)] {
                    for dim in [DimType::Param, DimType::Set] {
                        for pos in 0..s.dim(dim).unwrap() as u32 {
                            if s.dim_name(dim, pos).unwrap().as_deref() == Some(name) {
                                s = s.fix(dim, pos, value).unwrap();
                            }
                        }
                    }
                }
                !s.is_empty().unwrap()
            };
            if holds(&context) {
                let ids = HashMap::from([("N", n), ("t", t), ("i", i)]);
                assert_eq!(
                    eval(&expr, &ids) != 0,
                    holds(&s),
                    "{text}, {ids:?}: {expr:?}"
                );
            }
        }
    }
}

#[test]
fn expressions_of_functions() {
    let ctx = ctx();
    let build = AstBuild::from_context(&set(&ctx, "[N] -> { [t, i] : t >= 0 and N > 0 }")).unwrap();
    let expr = build
        .expr_from_pw_aff(&aff(
            &ctx,
            "[N] -> { S[t, i] -> [(floor((i - 3t + N)/4))] }",
        ))
        .unwrap();
    let cases = [(5, 0, 0), (5, 7, -9), (1, 3, 8)];
    for (n, t, i) in cases {
        let ids = HashMap::from([("N", n), ("t", t), ("i", i)]);
        assert_eq!(eval(&expr, &ids), (i - 3 * t + n).div_euclid(4), "{expr:?}");
    }
    let expr = build
        .expr_from_pw_aff(&aff(
            &ctx,
            "[N] -> { [i, t] -> [(i)] : i > N; [i, t] -> [(N - t)] : i <= N }",
        ))
        .unwrap();
    for (n, t, i) in cases {
        let ids = HashMap::from([("N", n), ("t", t), ("i", i)]);
        assert_eq!(eval(&expr, &ids), if i > n { i } else { n - t }, "{expr:?}");
    }
    // A dividend known not to be negative gives the cheap division.
    let expr = build
        .expr_from_pw_aff(&aff(&ctx, "{ [t, i] -> [(floor(t/2))] }"))
        .unwrap();
    assert_eq!(
        expr,
        AstExpr::Op(AstOp::PdivQ, vec![AstExpr::Id("t".into()), AstExpr::Int(2)])
    );
    let max = aff(&ctx, "{ [t, i] -> [(t)] }")
        .max(&aff(&ctx, "{ [t, i] -> [(i)] }"))
        .unwrap();
    assert!(matches!(
        build.expr_from_pw_aff(&max).unwrap(),
        AstExpr::Op(AstOp::Max, _)
    ));
    let expr = build
        .expr_from_pw_aff(&aff(&ctx, "[N] -> { [(N + 1)] }"))
        .unwrap();
    assert_eq!(eval(&expr, &HashMap::from([("N", 4)])), 5);
    // Dimensions without names are called after their positions.
    let unnamed = map(&ctx, "{ [i] -> [2i] }")
        .range()
        .unwrap()
        .identity()
        .unwrap()
        .to_pw_affs()
        .unwrap();
    let expr = build.expr_from_pw_aff(&unnamed[0]).unwrap();
    assert_eq!(eval(&expr, &HashMap::from([("c0", 6)])), 6);
    // A name that stands for two things is refused.
    assert!(
        build
            .expr_from_set(
                &set(&ctx, "[i] -> { [j] : j > i }")
                    .set_dim_name(DimType::Set, 0, "i")
                    .unwrap()
            )
            .is_err()
    );
    assert!(
        build
            .expr_from_pw_aff(&aff(&ctx, "{ [[t] -> A[i]] -> [(t + i)] }"))
            .is_ok()
    );
}
