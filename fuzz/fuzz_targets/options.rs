//! What command lines say, on a few saved scops: a translation ends with a text or with
//! diagnostics, whatever the tile sizes, sizes of the problem, limits and table of GPUs are.
#![no_main]

use hexcc_compiler::back::Host;
use hexcc_compiler::kernel::{CopyOut, Reuse, Schema};
use hexcc_compiler::options::{Language, Options, Sums, Tiling, WavefrontChoice};
use hexcc_compiler::output;
use hexcc_compiler::pipeline;
use hexcc_compiler::scop::SavedScop;
use hexcc_compiler::target::{Target, Targets};
use hexcc_isl::Ctx;
use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

const SCOPS: [&str; 4] = [
    include_str!("../../crates/compiler/tests/data/contrived1d.scop.json"),
    include_str!("../../crates/compiler/tests/data/fdtd2d.scop.json"),
    include_str!("../../crates/compiler/tests/data/jacobi2d.scop.json"),
    include_str!("../../crates/compiler/tests/data/laplacian3d.scop.json"),
];
static SAVED: LazyLock<Vec<SavedScop>> = LazyLock::new(|| {
    (SCOPS.iter())
        .map(|text| serde_json::from_str(text).expect("a saved scop"))
        .collect()
});

/// A number as users write it, now and then any.
#[derive(Arbitrary, Clone, Copy, Debug)]
enum Number {
    Small(u8),
    Any(i64),
}

impl Number {
    fn get(self) -> i64 {
        match self {
            Number::Small(n) => i64::from(n),
            Number::Any(n) => n,
        }
    }
}

#[derive(Arbitrary, Debug)]
struct Line<'a> {
    scop: u8,
    text: Option<&'a str>,
    tile: Option<(Number, [Number; 3], u8)>,
    stream: Option<[Option<Number>; 6]>,
    hex_dim: Option<u8>,
    global: bool,
    copy_out: Option<u8>,
    aligned_loads: Option<bool>,
    reuse: Option<u8>,
    full_tiles: bool,
    unroll: Option<bool>,
    wavefront: Option<Option<u8>>,
    tiling: u8,
    fast_math: bool,
    threads: Option<Number>,
    rows_per_thread: Option<Number>,
    shared_limit: Option<Number>,
    sizes: [Option<Number>; 2],
    gpus: Option<&'a str>,
    cpu: bool,
    ordered: bool,
    keep_tiles: bool,
    name: Option<&'a str>,
}

fn target(table: &str) -> Option<Target> {
    let mut all = Targets::built_in();
    all.extend("table.toml", table).ok()?;
    all.find("x").ok().or_else(|| all.find("h200").ok())
}

fuzz_target!(|line: Line| {
    let saved = &SAVED[usize::from(line.scop) % SCOPS.len()];
    let tile = match (line.tile, line.text) {
        (Some((h, w, n)), _) => {
            let w: Vec<String> = (w.iter().take(1 + usize::from(n) % 3))
                .map(|w| w.get().to_string())
                .collect();
            format!("h={},w={}", h.get(), w.join(":")).parse().ok()
        }
        (None, Some(text)) => text.parse().ok(),
        (None, None) => None,
    };
    let stream_tile = line.stream.and_then(|sizes| {
        let names = ["steps", "vector", "rows", "ahead", "warps", "blocks"];
        let words: Vec<String> = (names.iter().zip(sizes))
            .filter_map(|(name, size)| Some(format!("{name}={}", size?.get())))
            .collect();
        words.join(",").parse().ok()
    });
    let options = Options {
        tile,
        stream_tile,
        hex_dim: line.hex_dim.map(usize::from),
        schema: if line.global {
            Schema::Global
        } else {
            Schema::Shared
        },
        copy_out: (line.copy_out)
            .map(|n| [CopyOut::Separate, CopyOut::Interleaved, CopyOut::Live][usize::from(n) % 3]),
        aligned_loads: line.aligned_loads,
        reuse: (line.reuse)
            .map(|n| [Reuse::None, Reuse::Static, Reuse::Dynamic][usize::from(n) % 3]),
        full_tiles: line.full_tiles,
        unroll: line.unroll,
        wavefront: match line.wavefront {
            None => WavefrontChoice::Auto,
            Some(None) => WavefrontChoice::None,
            Some(Some(dim)) => WavefrontChoice::Dim(usize::from(dim)),
        },
        tiling: [
            Tiling::Auto,
            Tiling::Hybrid,
            Tiling::Overlapped,
            Tiling::Stepwise,
        ][usize::from(line.tiling) % 4],
        fast_math: line.fast_math,
        threads: line.threads.map(Number::get),
        rows_per_thread: line.rows_per_thread.map(Number::get),
        shared_limit: line.shared_limit.map(Number::get),
        target: line.gpus.and_then(target).unwrap_or_default(),
        sizes: (["N", "T"].iter().zip(line.sizes))
            .filter_map(|(name, size)| Some(((*name).to_string(), size?.get())))
            .collect(),
        isl_quota: 5_000_000,
        name: line.name.map(str::to_string),
        keep_tiles: line.keep_tiles,
        language: match line.cpu {
            true => Language::OpenMp,
            false => Language::Cuda,
        },
        sums: match line.ordered {
            true => Sums::Ordered,
            false => Sums::Parallel,
        },
    };
    let ctx = Ctx::new().expect("memory for a context");
    if let Ok(compiled) = pipeline::compile(&ctx, saved, &options) {
        let text = match line.cpu {
            true => output::print_c(saved, &compiled, "fuzz", (Host::PLAIN, Language::OpenMp)),
            false => output::print_program(saved, &compiled, "fuzz", Host::PLAIN),
        };
        text.unwrap_or_else(|d| panic!("{}", d.message));
    }
});
