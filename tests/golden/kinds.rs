//! One generated text of each kind, whole, as people read it: a change of what is
//! generated shows in the difference of tests/golden/*.snap.
//!
//! After a deliberate change: `INSTA_UPDATE=always cargo test --release --test e2e golden`
//! and read the difference.

use super::{at_run_time, save, translate, words};
use crate::common::{self, in_parallel, root};
use std::collections::BTreeSet;
use std::fs;

/// File, what it stands for, arguments. Sizes are given, since the choice of the model
/// is not what these files are about.
const KINDS: &[(&str, &str, &str)] = &[
    (
        "hybrid_1d",
        "Hybrid tiling, one space dimension.",
        "testsuite/jacobi1d.c --tile h=3,w=5",
    ),
    (
        "hybrid_2d",
        "Hybrid tiling, two space dimensions, all switches as by default.",
        "testsuite/jacobi2d.c --tile h=2,w=3:32",
    ),
    (
        "hybrid_3d_waves",
        "Hybrid tiling, three space dimensions, tiles along j in waves.",
        "testsuite/heat3d.c --tile h=1,w=2:4:32 --wavefront 1",
    ),
    (
        "hybrid_statements",
        "Hybrid tiling, several statements and arrays.",
        "testsuite/fdtd2d.c --tile h=3,w=2:32",
    ),
    (
        "hybrid_static",
        "Hybrid tiling, columns in common with the tile before stay in place; results are copied out at the end.",
        "testsuite/jacobi2d.c --tile h=2,w=3:32 --reuse static --copy-out separate",
    ),
    (
        "hybrid_plain",
        "Hybrid tiling, all optimizations of shared memory off.",
        "testsuite/jacobi2d.c --tile h=2,w=3:32 --reuse none --copy-out interleaved --aligned-loads off --full-tiles off --unroll off",
    ),
    (
        "hybrid_global",
        "Hybrid tiling, tiles compute in global memory.",
        "testsuite/jacobi2d.c --tile h=2,w=3:32 --memory global",
    ),
    (
        "rows_1d",
        "Overlapped tiling, one space dimension: lanes hold columns.",
        "testsuite/jacobi1d.c --stream-tile steps=4,vector=4,warps=4",
    ),
    (
        "rows_pipelined",
        "Overlapped tiling, two space dimensions: the warps of a block are a pipeline in time.",
        "testsuite/jacobi2d.c --kernel pipelined --stream-tile steps=8,vector=8,warps=4,rows=3,ahead=2",
    ),
    (
        "rows_patches",
        "Overlapped tiling, two space dimensions: a block holds a patch in registers.",
        "testsuite/jacobi2d.c --kernel patches --stream-tile steps=6,vector=4,rows=8,warps=8,blocks=2",
    ),
    (
        "rows_2d",
        "Overlapped tiling, two space dimensions: a warp streams rows of one field.",
        "testsuite/jacobi2d.c --stream-tile steps=4,vector=4,warps=4",
    ),
    (
        "rows_fields",
        "Overlapped tiling, two space dimensions: a warp streams rows of several fields.",
        "testsuite/fdtd2d.c --stream-tile steps=4,vector=2,warps=4",
    ),
    (
        "rows_coefficients",
        "Overlapped tiling, two space dimensions, with arrays that are only read.",
        "testsuite/varcoef2d.c --stream-tile steps=4,vector=2,warps=4",
    ),
    (
        "planes_ripple",
        "Overlapped tiling of one field in three space dimensions, register tiles of a block: a new row goes through all levels at once.",
        "testsuite/laplacian3d.c --stream-tile steps=4,vector=3,rows=7,warps=8",
    ),
    (
        "planes_late",
        "Overlapped tiling of one field in three space dimensions, register tiles of a block: the last level comes first.",
        "testsuite/box3d2r.c --stream-tile steps=2,vector=2,rows=3,warps=8",
    ),
    (
        "planes_chain",
        "Overlapped tiling of one field in three space dimensions, register tiles of a block: values are summed up plane by plane.",
        "testsuite/heat3d.c --stream-tile steps=2,vector=3,rows=10,warps=8",
    ),
    (
        "patches",
        "Overlapped tiling, three space dimensions: patches, three time buffers.",
        "testsuite/wave3d.c --stream-tile steps=2,vector=2,rows=3,warps=6",
    ),
    (
        "patches_fields",
        "Overlapped tiling, three space dimensions: patches, two statements and arrays, in double precision.",
        "testsuite/heat3d_double.c --stream-tile steps=1,vector=2,rows=3,warps=8",
    ),
    (
        "patches_coefficients",
        "Overlapped tiling, three space dimensions: patches, with arrays that are only read.",
        "testsuite/coef3d.c --stream-tile steps=2,vector=2,rows=2,warps=8",
    ),
    (
        "steps",
        "Single steps: a kernel for each nest of parallel loops.",
        "testsuite/steps/thomas2d.c",
    ),
    (
        "steps_coarsened",
        "Single steps: threads of several cells, with a shifted result and what the cell has just stored.",
        "testsuite/steps/coarse2d.c --kernel coarsened",
    ),
    (
        "steps_streamed",
        "Single steps: threads of several cells of one plane after the other.",
        "bench/apps/filter25.c --kernel streamed",
    ),
    (
        "nests",
        "Nests in a loop that stays on the host, on shared memory.",
        "testsuite/steps/nests2d.c",
    ),
    (
        "openmp_tiles",
        "C with OpenMP, in hybrid tiles.",
        "testsuite/fdtd2d.c --target openmp --tile h=5,w=5:256",
    ),
    (
        "openmp_steps",
        "C with OpenMP, in single steps.",
        "testsuite/steps/thomas2d.c --target openmp --tiling stepwise",
    ),
    (
        "header",
        "A header with the launch function on device pointers.",
        "testsuite/jacobi2d.c --tile h=2,w=3:32 --emit kernel",
    ),
    (
        "baseline",
        "One thread per cell, which `hexcc bench` compares with: of several statements; with indices of 32 bits, then in double precision with indices of 64.",
        "testsuite/fdtd2d.c",
    ),
];

#[test]
fn golden_texts_of_each_kind() {
    let texts = in_parallel(KINDS, |(name, _, arguments)| {
        let mut words = words(arguments);
        let path = root().join(words.remove(0));
        match *name {
            "baseline" => {
                let saved = save(
                    &path,
                    &words,
                    &common::scratch("saved").join("baseline.scop.json"),
                );
                let texts = saved.and_then(|saved| at_run_time(&saved));
                texts.map(|[baseline, _]| baseline)
            }
            _ => {
                // Where loops run is decided in all programs alike; tests/gate.rs has that text.
                words.push("--always-gpu".to_string());
                translate(&path, &words)
            }
        }
    });
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.set_snapshot_path(root().join("tests/golden"));
    for ((name, what, arguments), text) in KINDS.iter().zip(texts) {
        let text = text.unwrap_or_else(|e| panic!("{arguments}: {e}"));
        settings.set_description(format!("{what} {arguments}"));
        settings.bind(|| insta::assert_snapshot!(*name, text));
    }
}

#[test]
fn golden_folder_is_tidy() {
    let files = fs::read_dir(root().join("tests/golden")).expect("the folder of this file");
    let found: BTreeSet<String> = files
        .map(|f| f.expect("a folder can be listed").file_name())
        .map(|name| name.to_string_lossy().into_owned())
        .filter(|name| name.ends_with(".snap"))
        .collect();
    let wanted: BTreeSet<String> = (KINDS.iter())
        .map(|(name, ..)| format!("{name}.snap"))
        .collect();
    assert_eq!(found, wanted, "files of tests/golden, and kinds of text");
}
