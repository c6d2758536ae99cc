//! The line that covers a ring, against the ring, for small sizes.

use super::{ALIGNED, Torus};
use crate::ctype::CType;
use crate::scop::{Access, Array, ArrayId, Chunk, Expr, Scop, Statement};
use hexcc_isl::{Ctx, DimType, Map, PwAff, Set};
use std::collections::BTreeMap;

/// A time loop over a band of `m` rows and rings of `n` cells with one statement, `A[(t+1)%2][i][j] = f(reads)`.
fn scop(ctx: &Ctx, domain: &str, reads: &[String]) -> Scop {
    let set = |text: &str| Set::read(ctx, text).expect("a set");
    let map = |to: &str, where_: &str| {
        let text = format!("[n, m] -> {{ S[t, i, j] -> {to} : {domain} and {where_} }}");
        Map::read(ctx, &text).expect("a map")
    };
    let access = |map: Map| Access {
        array: ArrayId(0),
        map,
        nth: 0,
        stmt: 0..0,
        whole: false,
    };
    let extent = |n: &str| -> PwAff {
        let one = set(&format!("[n, m] -> {{ [{n}] : n > 0 and m > 0 }}"));
        one.dim_max(0).expect("an extent")
    };
    let stmt = Statement {
        name: "S".to_string(),
        span: 0..0,
        lines: None,
        domain: set(&format!("[n, m] -> {{ S[t, i, j] : {domain} }}")),
        schedule: map("[t, i, j]", "t = t"),
        write: access(map("A[(t + 1) mod 2, i, j]", "t = t")),
        reads: (reads.iter())
            .map(|read| {
                let text = format!("[n, m] -> {{ S[t, i, j] -> {read} }}");
                let all = Map::read(ctx, &text).expect("a map");
                let domain = set(&format!("[n, m] -> {{ S[t, i, j] : {domain} }}"));
                access(all.intersect_domain(&domain).expect("a map"))
            })
            .collect(),
        locals: Vec::new(),
        value: Expr::Int {
            value: "0".to_string(),
            ty: CType::INT,
        },
    };
    Scop {
        params: vec!["n".to_string(), "m".to_string()],
        context: set("[n, m] -> { : n > 0 and m > 0 }"),
        expected: set("[n, m] -> { : }"),
        sweeps: BTreeMap::new(),
        arrays: vec![Array {
            name: "A".to_string(),
            elem: CType::Double,
            extents: vec![extent("2"), extent("m"), extent("n")],
            pointer: true,
            pointers: 0,
            variable: false,
            parts: Vec::new(),
        }],
        stmts: vec![stmt],
        chunks: vec![Chunk {
            span: 0..0,
            stmts: vec![0],
            finals: Vec::new(),
        }],
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

const WHOLE: &str = "0 <= t < 3 and 0 <= i < m and 0 <= j < n";

/// A read `distance` cells to the right on the ring, in pieces: isl has no remainders by sizes.
fn wrapped(row: &str, distance: i64) -> String {
    let most = distance.abs();
    let piece = |times: i64| {
        let to = format!("j + {distance} + {times} n");
        format!("A[t mod 2, {row}, {to}] : 0 <= {to} < n")
    };
    let all: Vec<String> = (-most..=most).map(piece).collect();
    all.join("; S[t, i, j] -> ")
}

fn find(scop: &Scop) -> Option<Torus> {
    Torus::find(scop, &scop.chunks[0]).expect("isl does not give up")
}

/// The relation for a size, as pairs of points.
fn pairs(map: &Map, n: i64, m: i64) -> Vec<Vec<i64>> {
    let sizes = format!("[n, m] -> {{ : n = {n} and m = {m} }}");
    let sizes = Set::read(map.ctx(), &sizes).expect("a set");
    let map = map.intersect_params(&sizes).expect("a map");
    let map = map.project_out(DimType::Param, 0, 2).expect("a map");
    let from = map.domain().and_then(|d| d.identity()).expect("a map");
    let both = from.flat_range_product(&map).and_then(|both| both.range());
    let all = both.and_then(|all| all.reset_tuple_name()).expect("a set");
    all.points(20_000).expect("points")
}

#[test]
fn cells_of_the_line_access_what_those_of_the_ring_do() {
    let ctx = Ctx::new().expect("memory for a context");
    let reads = [wrapped("i", 2), wrapped("i", -1), wrapped("i", 0)];
    let scop = scop(&ctx, WHOLE, &reads);
    let torus = find(&scop).expect("it goes around");
    assert_eq!((torus.rim, torus.reach), (2, 2));
    let halo = 3;
    let lifted = torus.lifted(&scop, halo).expect("isl does not give up");
    let lifted = lifted.expect("a program on the line");
    // The ring begins at a multiple of ALIGNED columns.
    let beside = ALIGNED;
    let computed = beside - torus.rim;
    assert!(computed >= halo);
    assert_eq!(torus.beside(&scop, halo), [[0, 0, beside]]);
    let (old, new) = (&scop.stmts[0], &lifted.stmts[0]);
    let accesses = |stmt: &Statement| -> Vec<Map> {
        let all = stmt.accesses();
        all.map(|access| access.map.clone()).collect()
    };
    for (n, m) in [(1, 1), (2, 2), (3, 1), (5, 2), (8, 1)] {
        for (on_ring, on_line) in accesses(old).iter().zip(accesses(new)) {
            // By instance, the element.
            let elements: BTreeMap<Vec<i64>, Vec<i64>> = (pairs(on_ring, n, m).into_iter())
                .map(|pair| (pair[..3].to_vec(), pair[3..].to_vec()))
                .collect();
            let all = pairs(&on_line, n, m);
            let instances = 3 * m * (n + 2 * computed);
            assert_eq!(all.len() as i64, instances, "n = {n}, m = {m}");
            for pair in all {
                let ring = |x: i64| (x - beside).rem_euclid(n);
                let [t, i, j, plane, row, column] = pair[..] else {
                    panic!("{pair:?}");
                };
                let element = &elements[&vec![t, i, ring(j)]];
                assert_eq!(element[..], [plane, row, ring(column)], "n = {n}, m = {m}");
                assert!((0..n + 2 * beside).contains(&column), "n = {n}, m = {m}");
            }
        }
    }
}

#[test]
fn walls_stay_where_they_are() {
    let ctx = Ctx::new().expect("memory for a context");
    let walls = "0 <= t < 3 and 0 < i < m - 1 and 0 <= j < n";
    let reads = [wrapped("i - 1", 0), wrapped("i + 1", 1)];
    let torus = find(&scop(&ctx, walls, &reads)).expect("it goes around along one dimension");
    assert_eq!((torus.rim, torus.reach), (1, 1));
}

#[test]
fn what_goes_around_otherwise_is_left_alone() {
    let ctx = Ctx::new().expect("memory for a context");
    let none = |domain: &str, reads: &[String]| find(&scop(&ctx, domain, reads)).is_none();
    let pieces = |all: &[&str]| vec![all.join("; S[t, i, j] -> ")];
    assert!(none(WHOLE, &[wrapped("i", 0)]), "nothing goes around");
    let part = "0 <= t < 3 and 0 <= i < m and 0 < j < n";
    assert!(none(part, &[wrapped("i", 1)]), "a cell is left out");
    let mirrored = [
        "A[t mod 2, i, j - 1] : j > 0",
        "A[t mod 2, i, j + 1] : j = 0",
    ];
    assert!(none(WHOLE, &pieces(&mirrored)), "mirrored");
    let shorter = [
        "A[t mod 2, i, j + 1] : j < n - 1",
        "A[t mod 2, i, 1] : j = n - 1",
    ];
    assert!(none(WHOLE, &pieces(&shorter)), "a ring of fewer cells");
    let turned = [
        wrapped("i", 1),
        "A[t mod 2, j, i] : j < m and i < n".to_string(),
    ];
    assert!(none(WHOLE, &turned), "turned around");
    let fixed = [wrapped("i", 1), "A[t mod 2, i, 0]".to_string()];
    assert!(none(WHOLE, &fixed), "a cell that all read");
}
