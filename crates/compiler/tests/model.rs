//! The tile-size model on real stencils: counts against a simulation of a
//! launch, a case worked out by hand, and predictions against measurements.

use hexcc_compiler::compiled::{Compiled, Unit};
use hexcc_compiler::kernel::{Interval, KernelAccess, KernelIr, Reuse, Row, SharedDim, Sub, Work};
use hexcc_compiler::model::{self, Launch, Problem};
use hexcc_compiler::options::{Options, Tiling, WavefrontChoice};
use hexcc_compiler::pipeline;
use hexcc_compiler::report::explain_tiles;
use hexcc_compiler::sched::TileSizes;
use hexcc_compiler::scop::SavedScop;
use hexcc_compiler::target::Target;
use hexcc_compiler::tiling;
use hexcc_compiler::tiling::hybrid::Hybrid;
use hexcc_isl::Ctx;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

fn saved(stencil: &str) -> SavedScop {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/data/{stencil}.scop.json"));
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|e| panic!("{}: {e}; make it with --emit scop", path.display()));
    serde_json::from_str(&text).expect("a saved scop")
}

fn compile(stencil: &str, options: &Options) -> (SavedScop, Compiled) {
    fitting(stencil, options).expect("the stencil fits into shared memory")
}

/// `None` where a tile needs too much shared memory.
fn fitting(stencil: &str, options: &Options) -> Option<(SavedScop, Compiled)> {
    let saved = saved(stencil);
    let ctx = Ctx::new().expect("an isl context");
    match pipeline::compile(&ctx, &saved, options) {
        Err(d) if d.code == "HX0403" => None,
        compiled => Some((saved, compiled.expect("the stencil compiles"))),
    }
}

/// Without reuse, so that all tiles are alike.
fn with_tile(h: i64, w: &[i64]) -> Options {
    Options {
        tile: Some(TileSizes { h, w: w.to_vec() }),
        reuse: Some(Reuse::None),
        wavefront: WavefrontChoice::None,
        ..Options::default()
    }
}

fn sizes(text: &[(&str, i64)]) -> Vec<(String, i64)> {
    text.iter().map(|(n, v)| (n.to_string(), *v)).collect()
}

#[test]
fn jacobi2d_tiles() {
    let (saved, compiled) = compile("jacobi2d", &Options::default());
    insta::assert_snapshot!(explain_tiles(&saved, &compiled, &Target::default()));
}

#[test]
fn heat3d_tiles() {
    let options = Options {
        sizes: sizes(&[("N", 384), ("T", 128)]),
        ..Options::default()
    };
    let (saved, compiled) = compile("heat3d", &options);
    insta::assert_snapshot!(explain_tiles(&saved, &compiled, &Target::default()));
}

fn hybrid(unit: &Unit) -> &Hybrid {
    unit.hybrid().expect("hybrid tiles")
}

/// Overlapped tiling that is asked for costs alone.
#[test]
fn overlapped_tiling_searches_no_hybrid_tiles() {
    let options = Options {
        tiling: Tiling::Overlapped,
        ..Options::default()
    };
    let (_, compiled) = compile("jacobi2d", &options);
    let unit = &compiled.units[0];
    assert!(unit.hybrid().is_none() && unit.stream().is_some());
    assert!(unit.predicted().is_some_and(|gcells| gcells > 0.0));
    let passes: Vec<&str> = compiled.timings.iter().map(|(pass, _)| *pass).collect();
    assert_eq!(
        passes,
        ["scop", "dependences", "cone", "accesses", "stream"]
    );
}

/// jacobi2d with h = 4, w = 3:256, whose widest rows have 12 points: two rows of threads
/// share each row, and load the elements at their border twice.
#[test]
fn rows_per_thread() {
    let options = Options {
        threads: Some(512),
        rows_per_thread: Some(6),
        ..with_tile(4, &[3, 256])
    };
    let (_, compiled) = compile("jacobi2d", &options);
    let (_, whole) = compile("jacobi2d", &with_tile(4, &[3, 256]));
    let (unit, whole) = (&compiled.units[0], &whole.units[0]);
    assert_eq!(hybrid(unit).tiles[0].block, [256, 2]);
    assert_eq!(hybrid(unit).kernel.block.threads, [(1, 256), (0, 2)]);
    assert_eq!(hybrid(unit).kernel.points_per_thread(0), 6);
    let expected = Work {
        // Two parts of n points read n + 4 elements of their own column.
        shared_loads: 280 * 256,
        shared_words: 360 * 256,
        value_words: 6,
        operand_words: 8,
        ..hybrid(whole).tiles[0].work.clone()
    };
    assert_eq!(hybrid(unit).tiles[0].work, expected);
}

/// jacobi2d with h = 4, w = 3:256: rows of 4, 6, 8, 10, 12, 12, 10, 8, 6 and 4
/// points, a pitch of 16.
#[test]
fn a_case_by_hand() {
    let (_, compiled) = compile("jacobi2d", &with_tile(4, &[3, 256]));
    let unit = &compiled.units[0];
    let work = &hybrid(unit).tiles[0].work;
    let expected = Work {
        // 80 points of the hexagon in 256 columns, one statement.
        points: 80 * 256,
        iterations: 80 * 256,
        rows: 10,
        columns: [256, 1],
        // Four additions and a multiplication.
        operations: 80 * 256 * 5,
        double_operations: 0,
        // Those and six accesses.
        source_work: 80 * 256 * 11,
        chain: 5,
        slow_operations: 0,
        // A row of n points reads n + 2 elements of its own column and n of
        // each neighbour: 3 * 80 + 2 * 10.
        shared_loads: 260 * 256,
        shared_stores: 80 * 256,
        shared_words: 340 * 256,
        global_loads: 0,
        // The widest row.
        value_words: 12,
        operand_words: 14,
        registers_wanted: 80,
        // Two time planes of 14 rows; 267 columns are 280 in whole sectors on both sides.
        shared_bytes: 31360,
        loads: 6320,
        // Whole columns 14 + 10 times, halos of the columns to the left besides.
        dram_load_sectors: (14 + 10) * 32,
        // Plane 0 is stored everywhere in 12 rows, plane 1 in 10. Of the other
        // two rows only what the next tile to the right reads: the last two
        // columns of each time step, columns 246 to 255 in all, two sectors.
        dram_store_sectors: (12 + 10) * 32 + 2 * 2,
        stores: 5748,
        // 24 whole rows of 257 to 267 elements and 16 halos of 2 to 9 are 812
        // sectors and 1602 chunks of 16 bytes, four words each.
        load_sectors: 812,
        copies: 1602,
        copy_words: 4 * 1602,
        // Some lane of every point stores for the next tile to the right.
        store_lanes: 80 * 256,
        store_sectors: 910,
    };
    assert_eq!(*work, expected);
    let target = Target::default();
    let problem = Problem {
        extents: vec![16384.0, 16384.0],
        steps: 1000.0,
    };
    let launch = Launch {
        block: [256, 1],
        registers: None,
    };
    let p =
        model::predict(work, &hybrid(unit).schedule, &launch, &target, &problem).expect("it fits");
    // The launch bounds ask for 65536 / (80 * 256) = 3 blocks, which leaves 85
    // registers, in units of 8; ptxas takes what it may.
    assert_eq!((p.registers, p.resident_blocks), (80, 3));
    // 16384 / 16 + 1 hexagons on 132 multiprocessors of 3 blocks.
    assert_eq!(p.blocks, 1025.0);
    assert!(close(p.waves, 1025.0 / 396.0));
    // (768 + 708) sectors of 32 bytes; ncu has measured 2.30.
    assert!(close(p.dram_bytes, 1476.0 * 32.0 / 20480.0));
    // 132 multiprocessors at 1.98 GHz.
    let per_cycle = 132.0 * 1.98e9 * 20480.0 / 1e12;
    let shared = (87040.0 + 5748.0 + work.copy_words as f64) / 32.0;
    assert!(close(p.terms.shared, shared / per_cycle));
    // 80 points of a column, each with five reads, a write and five operations.
    assert!(close(p.code_bytes, 80.0 * 11.0 * 16.0));
    // Three blocks at different places of that code overflow the cache a little.
    let fetched = p.code_bytes * 3f64.powf(model::BLOCKS_FETCHING);
    let fetch = 1.0 + model::FETCH_PENALTY * (fetched / target.instruction_cache - 1.0).max(0.0);
    let straight = 102400.0 + 87040.0 + work.store_lanes as f64 * model::STORE_SLOTS;
    let slots = straight * fetch + work.copies as f64 * model::COPY_SLOTS;
    assert!(close(p.issue_slots, slots / 20480.0));
    let issue = slots / 128.0 / model::EFFICIENCY;
    assert!(close(p.terms.issue, issue / per_cycle));
    assert!(close(p.terms.dram, 1476.0 * 32.0 / 4.3e12 / 20480.0 * 1e12));
    // Per row a barrier, a shared load and five operations; the copy-in.
    let transfer = 812.0 * 32.0 / 64.0;
    let latency = 10.0 * (30.0 + 30.0 + 4.0 * 5.0) + target.dram_latency + transfer + 30.0;
    let both = |power: f64, a: f64, b: f64| (a.powf(power) + b.powf(power)).powf(1.0 / power);
    let busy = both(model::UNITS_OVERLAP, issue, shared);
    assert!(close(p.terms.latency, (busy + latency) / 3.0 / per_cycle));
    // 8 blocks on the busiest multiprocessor: two rounds of three and one of two.
    // A block has (16384 + 9) / 256 = 65 tiles, of which 2 are partial.
    let round = |r: f64| both(model::BLOCKS_OVERLAP, r * busy, busy + latency);
    let tiles = 65.0 + 2.0 * (model::PARTIAL_TILE - 1.0);
    let cycles = (2.0 * round(3.0) + round(2.0)) * tiles;
    // (812 + 910) sectors of a tile at L2, for 16384^2 / (16 * 256) tiles.
    let l2 = 1722.0 * 32.0 * 65536.0 / (target.l2_gbs * 1e9);
    let launches = 2.0 * 1000.0 / 10.0 + 1.0;
    let seconds = launches * (both(model::MEMORY_OVERLAP, cycles / 1.98e9, l2) + 2.5e-6);
    assert!(
        close(p.gcells, 16384.0 * 16384.0 * 1000.0 / seconds / 1e9),
        "{}",
        p.gcells
    );
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * b.abs()
}

/// Everything a tile with this origin touches: elements `(array, slice,
/// subscripts)` copied in, written, and stored.
type Elements = BTreeSet<(usize, i64, Vec<i64>)>;

fn elements(boxes: &[Interval]) -> Vec<Vec<i64>> {
    boxes.iter().fold(vec![Vec::new()], |all, interval| {
        (all.iter())
            .flat_map(|p| (interval.lo..=interval.hi).map(move |x| [p.as_slice(), &[x]].concat()))
            .collect()
    })
}

fn of_tile(ir: &KernelIr, origin: &[i64]) -> [Elements; 3] {
    let (mut load, mut write, mut store) = (Elements::new(), Elements::new(), Elements::new());
    let element = |access: &KernelAccess, row: &Row, point: &[i64]| {
        let (mut slice, mut at) = (0, Vec::new());
        let shared = ir.stencil.arrays[access.array]
            .shared
            .as_ref()
            .expect("a box");
        for (dim, sub) in shared.dims.iter().zip(&access.subs) {
            match (dim, sub) {
                (_, Sub::Space { dim, offset }) => at.push(point[*dim] + offset + origin[*dim]),
                (SharedDim::Plane { lo, size }, Sub::Const(c)) => slice = slice * size + c - lo,
                (SharedDim::Time { lo, size, .. }, Sub::Time { offset, modulo }) => {
                    let q = row.t_in + offset - lo;
                    slice = slice * size + modulo.map_or(q, |m| q.rem_euclid(m));
                }
                _ => panic!("an access without a box"),
            }
        }
        (access.array, slice, at)
    };
    // What a row reads and no earlier row has written comes from outside.
    for row in &ir.rows {
        let active = || {
            (ir.stencil.stmts.iter().enumerate())
                .filter(|(_, s)| s.slot == row.slot && !s.partial_only)
        };
        let points = elements(&row.points);
        for (_, stmt) in active() {
            for (access, point) in stmt
                .elements()
                .flat_map(|a| points.iter().map(move |p| (a, p)))
            {
                let read = element(access, row, point);
                if !write.contains(&read) {
                    load.insert(read);
                }
            }
        }
        for (s, stmt) in active() {
            for point in &points {
                let keep = &row.stmts[s].keep;
                let kept = (point.iter().zip(keep)).all(|(x, k)| k.lo <= *x && *x <= k.hi);
                if !kept {
                    store.insert(element(&stmt.write, row, point));
                }
                write.insert(element(&stmt.write, row, point));
            }
        }
    }
    [load, write, store]
}

/// Runs tiles of a launch in order, hexagons side by side, and counts the sectors
/// of the memory of one tile in the middle that are read from and written to DRAM.
fn simulated(stencil: &str, h: i64, w: &[i64]) -> ((i64, i64), Work) {
    let (_, compiled) = compile(stencil, &with_tile(h, w));
    let unit = &compiled.units[0];
    let (ir, work) = (&hybrid(unit).kernel, &hybrid(unit).tiles[0].work);
    let mut period = w.to_vec();
    period[ir.schedule.hex_dim] = ir.schedule.hexagon.width();
    let (mut touched, mut read, mut stored) = (Elements::new(), Elements::new(), Elements::new());
    // Enough neighbours for every halo; the last dimension varies fastest.
    let n_tiles: Vec<i64> = period.iter().map(|p| 2 * (2 * h + 4) / p + 3).collect();
    let classical: Vec<Interval> = (0..period.len())
        .map(|d| match d == ir.schedule.hex_dim {
            true => Interval { lo: 0, hi: 0 },
            false => Interval {
                lo: -n_tiles[d],
                hi: n_tiles[d],
            },
        })
        .collect();
    for tile in elements(&classical) {
        let mut origin: Vec<i64> = tile.iter().zip(&period).map(|(s, p)| s * p).collect();
        let mut all = Vec::new();
        for s in -2..=2 {
            origin[ir.schedule.hex_dim] = s * period[ir.schedule.hex_dim];
            all.push(of_tile(ir, &origin));
        }
        for [load, _, _] in &all {
            read.extend(load.difference(&touched).cloned());
        }
        for [load, write, store] in all {
            touched.extend(load);
            touched.extend(write);
            stored.extend(store);
        }
    }
    let in_middle = |e: &&(usize, i64, Vec<i64>)| {
        let subscripts = e.2.iter().zip(&period);
        subscripts.into_iter().all(|(x, p)| 0 <= *x && x < p)
    };
    let sectors = |all: &Elements| -> i64 {
        let touched: BTreeSet<_> = (all.iter().filter(in_middle))
            .map(|(array, slice, at)| {
                let per_sector = 32 / ir.stencil.arrays[*array].elem.size() as i64;
                let (last, leads) = at.split_last().expect("a dimension");
                (*array, *slice, leads.to_vec(), last / per_sector)
            })
            .collect();
        touched.len() as i64
    };
    ((sectors(&read), sectors(&stored)), work.clone())
}

#[test]
fn dram_traffic_is_what_a_simulated_launch_moves() {
    for (stencil, h, w) in [
        ("jacobi2d", 2, &[3, 32][..]),
        ("jacobi2d", 4, &[1, 8]),
        ("jacobi2d", 0, &[1, 16]),
        ("heat2d", 3, &[2, 16]),
        ("fdtd2d_plain", 3, &[2, 16]),
        ("heat3d", 1, &[1, 4, 8]),
        ("laplacian3d", 2, &[1, 3, 8]),
    ] {
        let ((reads, writes), work) = simulated(stencil, h, w);
        // In three dimensions the model takes hulls of what rows need, as the
        // kernel copies them.
        let most = if w.len() > 2 { reads * 5 / 4 } else { reads };
        assert!(
            (reads..=most).contains(&work.dram_load_sectors),
            "{stencil} h = {h}, w = {w:?}: {} reads, {reads} simulated",
            work.dram_load_sectors
        );
        assert_eq!(
            work.dram_store_sectors, writes,
            "{stencil} h = {h}, w = {w:?}: writes"
        );
    }
}

/// The counts of the model and those of the kernel agree.
#[test]
fn counts_agree() {
    for (stencil, h, w) in [
        ("jacobi2d", 3, &[3, 64][..]),
        ("fdtd2d_plain", 3, &[4, 32]),
        ("contrived1d", 3, &[64]),
        ("heat3d", 1, &[2, 8, 32]),
    ] {
        let (_, compiled) = compile(stencil, &with_tile(h, w));
        let (counts, work) = (
            &hybrid(&compiled.units[0]).counts,
            &hybrid(&compiled.units[0]).tiles[0].work,
        );
        assert_eq!(
            (counts.iterations, counts.stores, counts.shared_bytes),
            (work.iterations, work.stores, work.shared_bytes),
            "{stencil}"
        );
        // The model's loads are hulls of what rows need, far from tight along a
        // single dimension.
        let most = counts.loads * if w.len() > 1 { 3 } else { 6 } / 2;
        assert!(
            (counts.loads..=most).contains(&work.loads),
            "{stencil}: {} loads, {} in the model",
            counts.loads,
            work.loads
        );
    }
}

/// The choice needs no GPU and is the same each time; another GPU is another
/// choice, and tiles fit it.
#[test]
fn choices_are_reproducible_and_fit() {
    let targets = hexcc_compiler::target::Targets::built_in();
    for name in ["h200", "v100", "rtx4090"] {
        let options = Options {
            target: targets.find(name).expect("in the table"),
            ..Options::default()
        };
        let table = || {
            let (saved, compiled) = compile("heat2d", &options);
            explain_tiles(&saved, &compiled, &options.target)
        };
        assert_eq!(table(), table());
        let (_, compiled) = compile("heat2d", &options);
        let tiles = &hybrid(&compiled.units[0]).tiles;
        assert_eq!(tiles.len(), tiling::MAX_TILES);
        for tile in tiles {
            assert!(tile.work.shared_bytes <= options.target.shared_per_block);
            assert!(tile.prediction.is_some_and(|p| p.resident_blocks >= 1));
        }
    }
}

/// A line of `bench/measured/*.jsonl`; its README explains the keys.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Measured {
    stencil: String,
    tile: TileSizesText,
    threads: i64,
    gpu: String,
    sizes: BTreeMap<String, i64>,
    kernel: i64,
    gcells: Option<f64>,
    registers: Option<i64>,
    dram_bytes: Option<f64>,
    l2_bytes: Option<f64>,
    issue_slots: Option<f64>,
    #[allow(dead_code)]
    note: Option<String>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct TileSizesText {
    h: i64,
    w: Vec<i64>,
}

/// The first generation of kernels that the model describes.
const GENERATION: i64 = 2;

/// Prints predictions beside measurements; `cargo test --test model measured --
/// --nocapture` shows them. Bounds are wide: they catch a model that has broken,
/// not one that could be better.
#[test]
fn measured() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/measured");
    let mut files: Vec<_> = (std::fs::read_dir(&folder).expect("bench/measured"))
        .flatten()
        .map(|e| e.path())
        .filter(|p| p.extension().is_some_and(|e| e == "jsonl"))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no measurements");
    let targets = hexcc_compiler::target::Targets::built_in();
    for line in files.iter().flat_map(|path| {
        let text = std::fs::read_to_string(path).expect("measurements can be read");
        // A sweep is read here and there.
        let step = if text.lines().count() > 50 { 29 } else { 1 };
        (text.lines().step_by(step).map(str::to_string)).collect::<Vec<_>>()
    }) {
        let m: Measured = serde_json::from_str(&line).unwrap_or_else(|e| panic!("{line}: {e}"));
        let options = Options {
            target: targets.find(&m.gpu).expect("in the table"),
            threads: Some(m.threads),
            sizes: m.sizes.clone().into_iter().collect(),
            tile: Some(TileSizes {
                h: m.tile.h,
                w: m.tile.w.clone(),
            }),
            ..match m.kernel {
                GENERATION.. => Options::default(),
                _ => with_tile(0, &[]),
            }
        };
        // Rows were shorter in shared memory when some were measured.
        let Some((_, compiled)) = fitting(&m.stencil, &options) else {
            continue;
        };
        let tile = &hybrid(&compiled.units[0]).tiles[0];
        let predict = |registers| {
            let launch = Launch {
                block: tile.block,
                registers,
            };
            let problem = &compiled.units[0].tiled.problem;
            model::predict(
                &tile.work,
                &tile.schedule,
                &launch,
                &options.target,
                problem,
            )
        };
        let p = predict(m.registers.filter(|_| m.kernel >= GENERATION)).expect("it fits");
        let estimated = model::estimated_registers(&tile.work, tile.block) as f64;
        println!(
            "{} h={} w={:?} kernel {}",
            m.stencil, m.tile.h, m.tile.w, m.kernel
        );
        // DRAM traffic is a property of the tiling; the rest depends on the code.
        let of_this = m.kernel >= GENERATION;
        for (what, predicted, measured, factor, comparable) in [
            ("DRAM bytes", p.dram_bytes, m.dram_bytes, 1.10, true),
            ("L2 bytes", p.l2_bytes, m.l2_bytes, 1.5, of_this),
            ("issue slots", p.issue_slots, m.issue_slots, 2.0, of_this),
            (
                "registers",
                estimated,
                m.registers.map(|r| r as f64),
                2.0,
                // ptxas takes what the launch bounds leave it.
                false,
            ),
            ("GCell/s", p.gcells, m.gcells, 2.0, of_this),
        ] {
            let Some(measured) = measured else { continue };
            let ratio = predicted / measured;
            println!(
                "  {what:>12}: predicted {predicted:9.3}, measured {measured:9.3}, ratio {ratio:.3}"
            );
            assert!(
                !comparable || (1.0 / factor..=factor).contains(&ratio),
                "{line}"
            );
        }
    }
}
