//! What `hexcc explain` prints and draws, from saved scops: no pet needed.

use hexcc_compiler::compiled::Compiled;
use hexcc_compiler::options::Options;
use hexcc_compiler::pipeline;
use hexcc_compiler::report::{TilingPicture, explain, tiling_svg};
use hexcc_compiler::sched::TileSizes;
use hexcc_compiler::scop::SavedScop;
use hexcc_isl::Ctx;

const JACOBI2D: &str = include_str!("data/jacobi2d.scop.json");
const CONTRIVED1D: &str = include_str!("data/contrived1d.scop.json");
const FDTD2D_PLAIN: &str = include_str!("data/fdtd2d_plain.scop.json");

fn compile(json: &str, h: i64, w: &[i64]) -> (SavedScop, Compiled) {
    let saved: SavedScop = serde_json::from_str(json).expect("a saved scop");
    let ctx = Ctx::new().expect("an isl context");
    let options = Options {
        tile: Some(TileSizes { h, w: w.to_vec() }),
        ..Options::default()
    };
    let compiled = pipeline::compile(&ctx, &saved, &options).expect("the stencil compiles");
    (saved, compiled)
}

fn report(json: &str, h: i64, w: &[i64]) -> String {
    let (saved, compiled) = compile(json, h, w);
    explain(&saved, &compiled)
}

#[test]
fn jacobi2d() {
    insta::assert_snapshot!(report(JACOBI2D, 2, &[3, 32]));
}

#[test]
fn contrived1d() {
    insta::assert_snapshot!(report(CONTRIVED1D, 2, &[3]));
}

#[test]
fn fdtd2d_plain() {
    insta::assert_snapshot!(report(FDTD2D_PLAIN, 3, &[4, 32]));
}

/// The report is the same each time.
#[test]
fn reports_do_not_vary() {
    assert_eq!(
        report(FDTD2D_PLAIN, 3, &[4, 32]),
        report(FDTD2D_PLAIN, 3, &[4, 32])
    );
}

/// `docs/tiling.svg` is what the compiler draws for figure 5 of the paper;
/// make it anew with `hexcc explain testsuite/contrived1d.c --tile h=2,w=3
/// --svg docs/tiling.svg`.
#[test]
fn the_picture_in_the_documentation_is_current() {
    let (_, compiled) = compile(CONTRIVED1D, 2, &[3]);
    let unit = &compiled.units[0];
    let drawn = tiling_svg(&[TilingPicture {
        title: "contrived1d.c, line 11: hexagonal tiling".to_string(),
        names: &unit.analysis.canonical.names,
        schedule: &unit.hybrid().expect("hybrid tiles").schedule,
    }]);
    assert!(
        drawn == include_str!("../../../docs/tiling.svg"),
        "docs/tiling.svg differs from what is drawn"
    );
}
