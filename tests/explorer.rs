//! The explorer of the site counts what `hexcc explain` counts.

mod common;

use common::{assert_none, hexcc, in_parallel, root, succeed, testsuite};
use rquickjs::{Context, Runtime};
use serde_json::Value;

/// What the functions of the explorer make of a call.
fn computed(call: &str) -> Value {
    let page = std::fs::read_to_string(root().join("docs/site/how/explorer.html")).expect("a page");
    let (_, script) = page.split_once("// Half height").expect("the functions");
    let (functions, _) = script.split_once("const dot").expect("the functions");
    let runtime = Runtime::new().expect("an engine");
    let context = Context::full(&runtime).expect("an engine");
    let question = format!("// {functions}\nJSON.stringify({call})");
    let answer: String = context.with(|ctx| ctx.eval(question)).expect("it runs");
    serde_json::from_str(&answer).expect("an object")
}

fn explained(program: &str, options: [&str; 2]) -> Result<String, String> {
    let mut command = hexcc();
    command.args(["explain", program]).args(options);
    succeed(command.current_dir(testsuite()))
}

/// The numbers of a text, in order.
fn numbers(text: &str) -> Vec<i64> {
    let pieces = text.split(|c: char| !c.is_ascii_digit());
    pieces.filter_map(|piece| piece.parse().ok()).collect()
}

/// A program, its slopes and its sizes.
type Hexagon = (&'static str, i64, i64, i64, i64);

fn wrong_hexagon(&(program, d0, d1, h, w): &Hexagon) -> Result<(), String> {
    let inner = if program.contains("1d") { "" } else { ":64" };
    let report = explained(program, ["--tile", &format!("h={h},w={w}{inner}")])?;
    let line = report.lines().find(|l| l.contains(": hexagonal with h = "));
    let (_, counts) = line.and_then(|l| l.split_once(": ")).ok_or("no hexagon")?;
    let tile = computed(&format!("hexagon({h}, {w}, {d0}, {d1})"));
    let number = |name: &str| tile[name].as_i64().expect("a number");
    let (_, counts) = counts.split_once(": ").ok_or("no counts")?;
    let expected = [number("height"), number("pitch"), number("drift").abs()];
    if numbers(counts) != expected {
        return Err(format!("{expected:?}, not {counts}"));
    }
    let rows = report
        .lines()
        .filter(|l| l.contains(" b = ") && l.ends_with(" points"));
    let mut points: Vec<i64> = rows.filter_map(|l| numbers(l).last().copied()).collect();
    points.reverse();
    let of_row =
        |row: &Value| row[1].as_i64().expect("a number") - row[0].as_i64().expect("a number") + 1;
    let expected: Vec<i64> = tile["rows"]
        .as_array()
        .expect("rows")
        .iter()
        .map(of_row)
        .collect();
    match points == expected && number("points") == points.iter().sum::<i64>() {
        true => Ok(()),
        false => Err(format!("rows {expected:?}, not {points:?}")),
    }
}

#[test]
fn hexagons_have_the_points_of_explain() {
    let mut all: Vec<Hexagon> = Vec::new();
    for h in 0..4 {
        for w in [1, 2, 3, 5, 8] {
            all.push(("contrived1d.c", 1, 2, h, w));
        }
        all.push(("jacobi2d.c", 1, 1, h, h + 2));
        all.push(("star2d2r.c", 2, 2, h, 3 * h + 1));
    }
    let results = in_parallel(&all, wrong_hexagon);
    let failures: Vec<String> = (all.iter().zip(results))
        .filter_map(|(tile, result)| Some(format!("{tile:?}: {}", result.err()?)))
        .collect();
    assert_none("the explorer has other hexagons", &failures);
}

/// A program, its radius, time steps, and columns of a thread.
type Overlapped = (&'static str, i64, i64, i64);

fn wrong_overlapped(&(program, r, steps, v): &Overlapped) -> Result<(), String> {
    let report = explained(
        program,
        ["--stream-tile", &format!("steps={steps},vector={v}")],
    )?;
    let find = |words: &str| {
        let line = report.lines().find(|l| l.contains(words));
        line.map(numbers).ok_or(format!("no {words}"))
    };
    let mut found = find(" columns a warp, ")?;
    found.extend(find(" rows beside its results")?);
    let tile = computed(&format!("overlapped({r}, {steps}, {v})"));
    let names = ["columns", "results", "lag", "rows"];
    let expected: Vec<i64> = names
        .iter()
        .filter_map(|name| tile[name].as_i64())
        .collect();
    match found == expected {
        true => Ok(()),
        false => Err(format!("{expected:?}, not {found:?}")),
    }
}

#[test]
fn overlapped_tiles_have_the_columns_of_explain() {
    let mut all: Vec<Overlapped> = Vec::new();
    for v in [1, 2, 4] {
        for steps in [1, 2, 3, 5, 8] {
            all.push(("jacobi2d.c", 1, steps, v));
            all.push(("star2d2r.c", 2, (steps + 1) / 2, v));
        }
    }
    let results = in_parallel(&all, wrong_overlapped);
    let failures: Vec<String> = (all.iter().zip(results))
        .filter_map(|(tile, result)| Some(format!("{tile:?}: {}", result.err()?)))
        .collect();
    assert_none("the explorer has other tiles", &failures);
}
