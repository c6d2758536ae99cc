//! The ring of a loop with ghost cells, for small sizes.

use super::Ring;
use crate::ctype::CType;
use crate::scop::{Access, Array, ArrayId, Chunk, Expr, Guards, Locations, Scop, Statement};
use hexcc_isl::{Ctx, DimType, Map, Set};
use std::collections::BTreeMap;

const ARRAYS: [&str; 2] = ["u", "v"];

/// What a statement does in each step: its iterators and their values, the element that it writes, and those that it reads.
type Does = (
    &'static str,
    &'static str,
    &'static str,
    &'static [&'static str],
);

const LOW: Does = ("", "", "u[0]", &["u[n]"]);
const HIGH: Does = ("", "", "u[n + 1]", &["u[1]"]);
const SWEEP: Does = (", i", "0 < i <= n", "v[i]", &["u[i - 1]", "u[i + 1]"]);
const BACK: Does = (", i", "0 < i <= n", "u[i]", &["v[i]"]);

/// The time loop over some statements; those that read one element copy it.
fn scop(ctx: &Ctx, all: &[Does]) -> Scop {
    let set = |text: &str| Set::read(ctx, text).expect("a set");
    let stmts = (all.iter().enumerate()).map(|(place, (iterators, values, write, reads))| {
        let space = format!("S{place}[t{iterators}]");
        let values = match *values {
            "" => "0 <= t < m".to_string(),
            values => format!("0 <= t < m and {values}"),
        };
        let map = |to: &str| {
            let text = format!("[n, m] -> {{ {space} -> {to} : {values} }}");
            Map::read(ctx, &text).expect("a map")
        };
        let access = |to: &&str| Access {
            array: ArrayId(u32::from(!to.starts_with(ARRAYS[0]))),
            map: map(to),
            nth: 0,
            stmt: 0..0,
            whole: false,
        };
        let inner = if iterators.is_empty() {
            ", 0"
        } else {
            iterators
        };
        let value = match reads.len() {
            1 => Expr::Read(0, CType::Double),
            _ => Expr::Int {
                value: "0".to_string(),
                ty: CType::INT,
            },
        };
        Statement {
            name: format!("S{place}"),
            span: 0..0,
            lines: None,
            domain: set(&format!("[n, m] -> {{ {space} : {values} }}")),
            schedule: map(&format!("[t, {place}{inner}]")),
            write: access(write),
            reads: reads.iter().map(access).collect(),
            locals: Vec::new(),
            value,
        }
    });
    let stmts: Vec<Statement> = stmts.collect();
    let extent = set("[n, m] -> { [n + 2] }").dim_max(0).expect("an extent");
    let arrays = ARRAYS.map(|name| Array {
        name: name.to_string(),
        elem: CType::Double,
        extents: vec![extent.clone()],
        pointer: true,
        pointers: 0,
        variable: false,
        parts: Vec::new(),
    });
    Scop {
        params: vec!["n".to_string(), "m".to_string()],
        context: set("[n, m] -> { : }"),
        sweeps: BTreeMap::new(),
        expected: set("[n, m] -> { : }"),
        arrays: arrays.to_vec(),
        chunks: vec![Chunk {
            span: 0..0,
            stmts: (0..stmts.len()).collect(),
            finals: Vec::new(),
        }],
        stmts,
        region: 0..0,
        unused: Vec::new(),
        kept: Vec::new(),
        declared: BTreeMap::new(),
        members: Vec::new(),
        cells: Vec::new(),
        guards: Guards::default(),
        locations: Locations::Statements,
        ctx: ctx.clone(),
    }
}

fn ring(ctx: &Ctx, all: &[Does]) -> Option<Ring> {
    let scop = scop(ctx, all);
    Ring::of(&scop, &scop.chunks[0]).expect("isl does not give up")
}

/// What an access of one step relates for a size: iterator and subscript.
fn pairs(map: &Map, n: i64) -> Vec<Vec<i64>> {
    let sizes = format!("[n, m] -> {{ : n = {n} and m = 1 }}");
    let sizes = Set::read(map.ctx(), &sizes).expect("a set");
    let map = map.intersect_params(&sizes).expect("a map");
    let map = map.project_out(DimType::Param, 0, 2).expect("a map");
    let map = map.project_out(DimType::In, 0, 1).expect("a map");
    let from = map.domain().and_then(|d| d.identity()).expect("a map");
    let both = from.flat_range_product(&map).and_then(|both| both.range());
    let all = both.and_then(|all| all.reset_tuple_name()).expect("a set");
    let mut points = all.points(1000).expect("points");
    points.sort();
    points
}

#[test]
fn reads_of_ghost_cells_are_those_of_the_ring() {
    let ctx = Ctx::new().expect("memory for a context");
    let ring = ring(&ctx, &[LOW, HIGH, SWEEP, BACK]).expect("a ring");
    assert_eq!(ring.first, [[1], [1]]);
    let names: Vec<&str> = ring.own.iter().map(|s| s.name.as_str()).collect();
    assert_eq!(names, ["S2", "S3"], "ghost cells are not copied");
    for n in 1..6 {
        let at = |distance: i64| -> Vec<Vec<i64>> {
            (0..n)
                .map(|i| vec![i, (i + distance).rem_euclid(n)])
                .collect()
        };
        let [sweep, back] = ring.scop.stmts.as_slice() else {
            panic!("two statements");
        };
        assert_eq!(pairs(&sweep.reads[0].map, n), at(-1), "n = {n}");
        assert_eq!(pairs(&sweep.reads[1].map, n), at(1), "n = {n}");
        assert_eq!(pairs(&sweep.write.map, n), at(0), "n = {n}");
        assert_eq!(pairs(&back.reads[0].map, n), at(0), "n = {n}");
    }
    let none = Set::read(&ctx, "[n, m] -> { : n <= 0 }").expect("a set");
    let expected = ring.program.expected.intersect(&none).expect("a set");
    assert!(
        expected.is_empty().expect("an answer"),
        "no ring without cells"
    );
}

#[test]
fn what_is_copied_in_pieces_is_a_ring() {
    let ctx = Ctx::new().expect("memory for a context");
    let all: Does = (", i", "0 <= i <= n + 1", "u[i]", &["v[i]"]);
    assert!(
        ring(&ctx, &[LOW, HIGH, SWEEP, all]).is_some(),
        "with what is never written"
    );
    let one: Does = (", i", "0 < i <= n", "v[i]", &["u[i - 1]", "u[i]"]);
    assert!(ring(&ctx, &[LOW, one, BACK]).is_some(), "on one side");
}

#[test]
fn ghost_cells_may_come_from_an_equal_array() {
    let ctx = Ctx::new().expect("memory for a context");
    let low: Does = ("", "", "u[0]", &["v[n]"]);
    let high: Does = ("", "", "u[n + 1]", &["v[1]"]);
    let is_ring = |all: &[Does]| ring(&ctx, all).is_some();
    assert!(is_ring(&[BACK, low, high, SWEEP]), "equal in each step");
    assert!(!is_ring(&[low, high, SWEEP, BACK]), "not before the first");
    assert!(!is_ring(&[BACK, SWEEP, low, high]), "already the next");
    let own_low: Does = ("", "", "v[0]", &["v[n]"]);
    let own_high: Does = ("", "", "v[n + 1]", &["v[1]"]);
    let whole: Does = (", i", "0 <= i <= n + 1", "u[i]", &["v[i]"]);
    assert!(is_ring(&[own_low, own_high, whole, SWEEP]), "copied along");
    assert!(!is_ring(&[own_low, whole, SWEEP]), "one side is left out");
}

#[test]
fn other_cells_are_left_alone() {
    let ctx = Ctx::new().expect("memory for a context");
    let none = |all: &[Does]| ring(&ctx, all).is_none();
    assert!(none(&[SWEEP, BACK, LOW, HIGH]), "copied behind the sweep");
    assert!(none(&[LOW, SWEEP, BACK]), "not copied");
    assert!(none(&[LOW, HIGH, SWEEP, BACK, SWEEP]), "old copies");
    let first: Does = ("", "", "u[1]", &["v[1]"]);
    assert!(
        none(&[LOW, HIGH, first, SWEEP, BACK]),
        "written behind its copy"
    );
    let other: Does = ("", "", "u[n + 1]", &["u[2]"]);
    assert!(none(&[LOW, other, SWEEP, BACK]), "not the other end");
    let once: Does = ("", "t > 0", "u[n + 1]", &["u[1]"]);
    assert!(none(&[LOW, once, SWEEP, BACK]), "not in the first step");
    let sum: Does = ("", "", "v[0]", &["v[0]", "u[1]"]);
    assert!(
        none(&[LOW, HIGH, SWEEP, BACK, sum]),
        "a sum over all steps beside the ring"
    );
    let early: Does = ("", "t < 2", "v[0]", &["u[1]"]);
    assert!(
        none(&[LOW, HIGH, SWEEP, BACK, early]),
        "written in the first steps alone"
    );
}
