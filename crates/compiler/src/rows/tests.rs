//! What rows are found to be touched, against the elements themselves.

use super::{Rows, subscript};
use crate::ctype::CType;
use crate::scop::{Access, Array, ArrayId, Expr, Scop, Statement};
use hexcc_isl::{AstExpr, AstOp, Ctx, Map, PwAff, Set};
use std::collections::{BTreeMap, BTreeSet};

/// The value of an expression.
fn value(expr: &AstExpr, values: &BTreeMap<String, i64>) -> i64 {
    let (op, args) = match expr {
        AstExpr::Int(n) => return *n,
        AstExpr::Id(name) => return values[name],
        AstExpr::Op(op, args) => (op, args),
    };
    let arg = |i: usize| value(&args[i], values);
    let all = || args.iter().map(|a| value(a, values));
    let of = |truth: bool| i64::from(truth);
    match op {
        AstOp::And | AstOp::AndThen => of(args.iter().all(|a| value(a, values) != 0)),
        AstOp::Or | AstOp::OrElse => of(args.iter().any(|a| value(a, values) != 0)),
        AstOp::Max => all().max().expect("arguments"),
        AstOp::Min => all().min().expect("arguments"),
        AstOp::Minus => -arg(0),
        AstOp::Add => arg(0) + arg(1),
        AstOp::Sub => arg(0) - arg(1),
        AstOp::Mul => arg(0) * arg(1),
        AstOp::Div | AstOp::PdivQ | AstOp::FdivQ => arg(0).div_euclid(arg(1)),
        AstOp::PdivR | AstOp::ZdivR => arg(0).rem_euclid(arg(1)),
        AstOp::Cond | AstOp::Select => arg(if arg(0) != 0 { 1 } else { 2 }),
        AstOp::Eq => of(arg(0) == arg(1)),
        AstOp::Le => of(arg(0) <= arg(1)),
        AstOp::Lt => of(arg(0) < arg(1)),
        AstOp::Ge => of(arg(0) >= arg(1)),
        AstOp::Gt => of(arg(0) > arg(1)),
        other => panic!("{other:?}"),
    }
}

/// A scop that writes `write` of one array and reads `reads`, all of size `n`.
fn scop(ctx: &Ctx, (rank, pointers): (usize, usize), write: &str, reads: &[&str]) -> Scop {
    let set = |text: &str| Set::read(ctx, text).expect("a set");
    let access = |text: &str| Access {
        array: ArrayId(0),
        map: Map::read(ctx, text).expect("a map"),
        nth: 0,
        stmt: 0..0,
        whole: false,
    };
    let extent = |text: &str| -> PwAff { set(text).dim_max(0).expect("an extent") };
    let write = access(write);
    let mut domain = write.map.domain().expect("a domain");
    for read in reads {
        let more = access(read).map.domain().expect("a domain");
        domain = domain.union(&more).expect("a domain");
    }
    let stmt = Statement {
        name: "S".to_string(),
        span: 0..0,
        lines: None,
        domain,
        schedule: write
            .map
            .identity_like()
            .unwrap_or_else(|_| write.map.clone()),
        write,
        reads: reads.iter().map(|read| access(read)).collect(),
        locals: Vec::new(),
        value: Expr::Int {
            value: "0".to_string(),
            ty: CType::INT,
        },
    };
    Scop {
        params: vec!["n".to_string()],
        context: set("[n] -> { : }"),
        expected: set("[n] -> { : }"),
        sweeps: BTreeMap::new(),
        arrays: vec![Array {
            name: "A".to_string(),
            elem: CType::Double,
            extents: (0..rank).map(|_| extent("{ [5] }")).collect(),
            pointer: true,
            pointers,
            variable: false,
            parts: Vec::new(),
        }],
        stmts: vec![stmt],
        chunks: Vec::new(),
        region: 0..0,
        unused: Vec::new(),
        kept: Vec::new(),
        declared: BTreeMap::new(),
        members: Vec::new(),
        cells: Vec::new(),
        guards: crate::scop::Guards::default(),
        locations: crate::scop::Locations::Statements,
        ctx: ctx.clone(),
    }
}

/// Elements of each row, by the subscripts of its pointer, for a size.
fn by_rows(scop: &Scop, maps: &[&Map], n: i64) -> BTreeMap<Vec<i64>, BTreeSet<i64>> {
    let pointers = scop.arrays[0].pointers;
    let sizes = Set::read(&scop.ctx, &format!("[n] -> {{ : n = {n} }}")).expect("a set");
    let mut rows: BTreeMap<Vec<i64>, BTreeSet<i64>> = BTreeMap::new();
    for map in maps {
        let elements = map.range().and_then(|e| e.intersect_params(&sizes));
        let elements = elements
            .expect("elements")
            .reset_tuple_name()
            .expect("elements");
        let elements = elements.project_out(hexcc_isl::DimType::Param, 0, 1);
        for point in elements.expect("elements").points(1000).expect("points") {
            let (row, within) = point.split_at(pointers);
            let number = within.iter().fold(0, |number, s| number * 5 + s);
            rows.entry(row.to_vec()).or_default().insert(number);
        }
    }
    rows
}

/// Compares what [`Rows`] says with the elements, for sizes up to 6.
fn check(dims: (usize, usize), write: &str, reads: &[&str]) {
    let ctx = Ctx::new().expect("memory for a context");
    let scop = scop(&ctx, dims, write, reads);
    let stmts: Vec<&Statement> = scop.stmts.iter().collect();
    let rows = Rows::new(&scop, ArrayId(0), &stmts, &[]).expect("rows");
    let rows = rows.expect("an array in rows");
    let writes = [&scop.stmts[0].write.map];
    let reads = scop.stmts[0].reads.iter().map(|r| &r.map);
    let all: Vec<&Map> = reads.chain(writes).collect();
    for n in 0..=6 {
        let (touched, written) = (by_rows(&scop, &all, n), by_rows(&scop, &writes, n));
        if touched.is_empty() {
            continue;
        }
        let mut values = BTreeMap::from([("n".to_string(), n)]);
        assert_ne!(value(&rows.any, &values), 0, "n = {n}");
        let mut found = BTreeSet::new();
        let mut open = vec![Vec::new()];
        for d in 0..dims.1 {
            let [first, last] = [&rows.ranges[d][0], &rows.ranges[d][1]].map(|e| value(e, &values));
            let longer = |row: &Vec<i64>| {
                let row = row.clone();
                (first..=last).map(move |i| [row.clone(), vec![i]].concat())
            };
            open = open.iter().flat_map(longer).collect();
        }
        for row in open {
            for (d, i) in row.iter().enumerate() {
                values.insert(subscript(d), *i);
            }
            if value(&rows.touched, &values) == 0 {
                continue;
            }
            let ends = |ends: &[AstExpr; 2]| [&ends[0], &ends[1]].map(|e| value(e, &values));
            let of = |all: &BTreeSet<i64>| [all.first(), all.last()].map(|e| *e.expect("one"));
            assert_eq!(ends(&rows.accessed), of(&touched[&row]), "n = {n}, {row:?}");
            let (is_written, within) = rows.written.as_ref().expect("it is written");
            assert_eq!(value(is_written, &values) != 0, written.contains_key(&row));
            if let Some(elements) = written.get(&row) {
                assert_eq!(ends(within), of(elements), "n = {n}, {row:?}");
            }
            found.insert(row);
        }
        assert_eq!(found, touched.into_keys().collect(), "n = {n}");
    }
}

#[test]
fn rows_are_those_that_are_touched() {
    let inside = "0 < i < n - 1 and 0 < j < n - 1";
    let star = |di: &str, dj: &str| format!("[n] -> {{ S[i, j] -> A[i{di}, j{dj}] : {inside} }}");
    let reads = [
        star("-1", ""),
        star("+1", ""),
        star("", "-1"),
        star("", "+1"),
    ];
    let reads: Vec<&str> = reads.iter().map(String::as_str).collect();
    check((2, 1), &star("", ""), &reads);
    // A triangle, sides, every third row, a diagonal.
    check(
        (2, 1),
        "[n] -> { S[i, j] -> A[i, j] : 0 <= j <= i < n }",
        &[],
    );
    check(
        (2, 1),
        "[n] -> { S[j] -> A[0, j] : 0 <= j < n }",
        &["[n] -> { S[j] -> A[n - 1, 2 j] : 0 <= j < n and n >= 1 }"],
    );
    check(
        (2, 1),
        "[n] -> { S[i, j] -> A[3 i, j] : 0 <= 3 i < n and 1 <= j < n }",
        &["[n] -> { S[i, j] -> A[i, n - i] : 0 <= i < n and 0 <= j < n }"],
    );
    // Pointers to pointers; pointers to arrays of five numbers.
    check(
        (3, 2),
        "[n] -> { S[i, j, k] -> A[i, j, k] : 0 <= i < n and i <= j < n and j <= k < n }",
        &["[n] -> { S[i, j, k] -> A[j, i, 0] : 0 <= i < n and i <= j < n and j <= k < n }"],
    );
    check(
        (3, 1),
        "[n] -> { S[i, j, k] -> A[i, j, k] : 0 <= i < n and i <= j < n and 1 <= k < 4 }",
        &[],
    );
    // Planes that take turns: the sides of one that is written are touched where a second step reads them.
    let turn = |plane: &str, di: &str| {
        format!(
            "[n] -> {{ S[t, i, j] -> A[p, i{di}, j] : 0 <= t < n and 0 <= p <= 1 and (t + {plane} - p) mod 2 = 0 and 0 < i < 3 and 0 < j < 4 }}"
        )
    };
    check(
        (3, 2),
        &turn("1", ""),
        &[&turn("0", "-1"), &turn("0", "+1")],
    );
}
