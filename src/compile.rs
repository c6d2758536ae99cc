//! Reading and compiling what the command line names, with messages on the way.

use crate::args::{InputArgs, KernelArgs, RequireArg, SumsArg, TargetArgs};
use crate::input::{self, Input, InputOptions, Planes};
use crate::limit::TimeLimit;
use crate::messages;
use crate::render::{self, Failure};
use crate::signatures::signatures;
use crate::stencils;
use hexcc_compiler::compiled::Compiled;
use hexcc_compiler::diag::Diagnostic;
#[cfg(test)]
use hexcc_compiler::known::Known;
use hexcc_compiler::options::{Language, Options, Tiling};
use hexcc_compiler::scop::{SavedScop, SourceFile};
use hexcc_front_c::signature::Signatures;
use hexcc_isl::Ctx;
use hexcc_tuner::cache::{self, Lookup};
use std::path::Path;

/// What may become of the loops of a file; the fields are those of [`InputOptions`].
#[derive(Default)]
pub struct Loops {
    /// Whether all time loops are meant, not one.
    pub several: bool,
    /// How loops that swap pointers are compiled, where they may be.
    pub planes: Option<Planes>,
    /// Whether arrays are copied for each kernel, but in loops of the host that touch none.
    pub copies: bool,
}

/// An isl context, which fails only without memory.
pub fn context(limit: &TimeLimit) -> Result<Ctx, Failure> {
    Ctx::with_stopper(limit.stopper().clone()).map_err(|e| Failure::plain(Diagnostic::bug(e)))
}

impl InputArgs {
    /// Reads the input and prints warnings; that nests run in kernels is said where they do.
    pub fn read(&self, sums: SumsArg, limit: &TimeLimit) -> Result<Input, Failure> {
        let planes = Some(Planes {
            options: Options::default(),
            alone: true,
        });
        self.read_loops(
            sums,
            limit,
            Loops {
                several: false,
                planes,
                copies: false,
            },
        )
    }

    /// The same, with what may become of the loops.
    pub fn read_loops(
        &self,
        sums: SumsArg,
        limit: &TimeLimit,
        loops: Loops,
    ) -> Result<Input, Failure> {
        let options = self.input_options(sums, loops)?;
        let input = input::read(&options, limit)?;
        if !input.saved.is_nests() {
            render::render(&input.warnings, Some(&input.saved.source));
        }
        Ok(input)
    }

    /// The functions that the first file defines.
    pub fn signatures(&self, sums: SumsArg, limit: &TimeLimit) -> Result<Signatures, Failure> {
        let options = self.input_options(sums, Loops::default())?;
        signatures(&options, limit)
    }

    /// What is read, and how.
    fn input_options(&self, sums: SumsArg, loops: Loops) -> Result<InputOptions, Failure> {
        if stencils::is_given(&self.files) {
            self.check_stencil()?;
        }
        let files = self.paths();
        let Some((first, others)) = files.split_first() else {
            return Err(Failure::plain(Diagnostic::bug("no file is given")));
        };
        if !others.is_empty() && !self.preprocessor.before().is_empty() {
            return Err(Failure::plain(before_several()));
        }
        let checked = self.preprocessor.check(&files);
        checked.map_err(|d| Failure::plain(*d))?;
        Ok(InputOptions {
            file: first.clone(),
            others: others.to_vec(),
            function: self.function.clone(),
            line: self.line,
            include_dirs: self.preprocessor.dirs(),
            defines: self.preprocessor.defines().to_vec(),
            before: self.preprocessor.before().to_vec(),
            sums: sums.into(),
            several: loops.several,
            planes: loops.planes,
            copies: loops.copies,
        })
    }
}

/// The refusal of a file before the text of several ones.
fn before_several() -> Diagnostic {
    let what = "`-include` has no effect in a program of several files";
    Diagnostic::error("HX0509", what).help("write the `#include` into each of the files")
}

impl KernelArgs {
    /// Compiles and prints warnings. Where the user gives no tile sizes, those
    /// that `hexcc tune` found for this region are taken.
    pub fn compile(
        &self,
        ctx: &Ctx,
        input: &Input,
        target: &TargetArgs,
    ) -> Result<Compiled, Failure> {
        self.compile_with(ctx, input, target, cache::folder().as_deref())
    }

    fn compile_with(
        &self,
        ctx: &Ctx,
        input: &Input,
        target: &TargetArgs,
        cache: Option<&Path>,
    ) -> Result<Compiled, Failure> {
        let options = self.options(target)?;
        let lookup = cache.and_then(|folder| self.lookup(target, folder));
        let compiled = cache::compile(ctx, &input.saved, &options, lookup.as_ref(), &input.known);
        let compiled = compiled.map_err(|d| Failure {
            diagnostics: vec![*d],
            source: Some(Box::new(input.saved.source.clone())),
        })?;
        self.tell(&input.warnings, &input.saved, &compiled)?;
        self.check_required(&compiled)?;
        Ok(compiled)
    }

    /// Refuses what has less than the user requires; warnings have said why.
    pub fn check_required(&self, compiled: &Compiled) -> Result<(), Failure> {
        let on_cpu = compiled.stepwise.iter().any(|part| part.tiles.is_some());
        let is_tiled = on_cpu || !compiled.units.is_empty() || !compiled.tiled_nests.is_empty();
        if self.require != Some(RequireArg::Tiled) || is_tiled {
            return Ok(());
        }
        let d = Diagnostic::error(
            "HX0509",
            "`--require tiled`: no time loop is tiled over time",
        )
        .note("the program translates without the option, with one launch per step")
        .help("`hexcc explain` says of each loop why it is not tiled");
        Err(Failure::plain(d))
    }

    /// What may become of the loops of a file: all of several ones where no tiling of one time loop is asked for, and
    /// planes of arrays whose pointers they swap where kernels have arrays of their own.
    pub fn loops(&self, target: &TargetArgs) -> Loops {
        let Ok(options) = self.options(target) else {
            return Loops::default();
        };
        let tiling = options.wanted_tiling();
        let has_copies = options.language == Language::Cuda;
        Loops {
            copies: options.language == Language::OpenCl,
            several: !self.keep_tiles && tiling == Tiling::Auto,
            planes: has_copies.then_some(Planes {
                options,
                alone: false,
            }),
        }
    }

    /// Which tuned sizes the user wants.
    pub fn lookup(&self, target: &TargetArgs, folder: &Path) -> Option<Lookup> {
        (!self.no_cache).then(|| Lookup {
            folder: folder.to_path_buf(),
            same_gpu: target.gpu.is_some(),
        })
    }

    /// Prints what there is to say of a compilation: where its sizes are from, warnings, and those of
    /// the input that have waited for it, and what each pass took. Fails where warnings are errors.
    pub fn tell(
        &self,
        of_input: &[Diagnostic],
        saved: &SavedScop,
        compiled: &Compiled,
    ) -> Result<(), Failure> {
        if let Some(what) = &compiled.tuned {
            messages::tell(&format!("note: {what}; `--no-cache` ignores them"));
        }
        if saved.is_nests() {
            render::render(of_input, Some(&saved.source));
        }
        self.tell_compiled(compiled, &saved.source)
    }

    /// Prints warnings of a compilation, and what each pass took. Fails where warnings are errors.
    pub fn tell_compiled(&self, compiled: &Compiled, source: &SourceFile) -> Result<(), Failure> {
        render::render(&compiled.warnings, Some(source));
        if self.verbose {
            for (pass, time) in &compiled.timings {
                messages::tell(&format!("{pass:>12}: {:7.2} ms", time.as_secs_f64() * 1e3));
            }
        }
        render::check()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;
    use hexcc_compiler::output;
    use hexcc_tuner::cache::Tuned;
    use hexcc_tuner::variant::Variant;

    #[derive(Debug, Parser)]
    struct Arguments {
        #[command(flatten)]
        kernel: KernelArgs,
        #[command(flatten)]
        target: TargetArgs,
    }

    fn arguments(line: &str) -> Arguments {
        let words = ["hexcc"].into_iter().chain(line.split_whitespace());
        Arguments::try_parse_from(words).expect("the options exist")
    }

    fn kernel(line: &str) -> KernelArgs {
        arguments(line).kernel
    }

    #[test]
    fn tuned_sizes_are_taken_and_named() {
        let text = include_str!("../crates/compiler/tests/data/jacobi2d.scop.json");
        let input = Input {
            saved: serde_json::from_str(text).expect("a saved scop"),
            warnings: Vec::new(),
            candidates: Vec::new(),
            is_all: false,
            in_tiles: false,
            known: Known::default(),
            words: Default::default(),
        };
        let folder = tempfile::tempdir().expect("a temporary directory");
        let target = TargetArgs {
            gpu: Some("h200".to_string()),
            ..TargetArgs::default()
        };
        let Ok(options) = kernel("").options(&target) else {
            panic!("the H200 is known");
        };
        let store = |tile: &str| {
            let tuned = Tuned {
                format: cache::FORMAT,
                gpu: "NVIDIA H200".to_string(),
                variant: Variant::Hybrid {
                    tile: tile.to_string(),
                    threads: 64,
                    wavefront: None,
                },
                gcells: 50_000.0,
                problem: "N=64,T=8".to_string(),
                version: "0".to_string(),
            };
            assert!(cache::store(folder.path(), &input.saved, &options, &tuned).is_ok());
        };
        let compile = |line: &str| {
            let ctx = Ctx::new().expect("memory for a context");
            let arguments = arguments(line);
            let (kernel, target) = (arguments.kernel, arguments.target);
            let compiled = kernel.compile_with(&ctx, &input, &target, Some(folder.path()));
            let Ok(compiled) = compiled else {
                panic!("it does not compile");
            };
            let sizes = compiled.units[0]
                .hybrid()
                .expect("hybrid tiles")
                .schedule
                .sizes()
                .to_string();
            let text = output::print_header(&input.saved, &compiled, "0");
            (sizes, text.expect("a text"))
        };
        let (by_model, _) = compile("");
        store("h=2,w=3:32");
        let (sizes, text) = compile("");
        assert_eq!(sizes, "h=2,w=3:32");
        assert!(text.contains("h=2,w=3:32 --threads 64 were tuned on NVIDIA H200 with N=64,T=8"));
        let (sizes, text) = compile("--no-cache");
        assert_eq!(sizes, by_model);
        assert!(!text.contains("tuned"));
        assert_eq!(compile("--tile h=1,w=2:32").0, "h=1,w=2:32");
        assert_eq!(
            compile("--threads 128 --no-cache").0,
            compile("--threads 128").0
        );
        assert_eq!(compile("--gpu a100").1.matches("tuned").count(), 0);
        assert_eq!(compile("--gpu h200").1.matches("tuned").count(), 1);
        assert_eq!(compile("--set N=65").1.matches("tuned").count(), 0);
        assert_eq!(compile("--set N=64").1.matches("tuned").count(), 1);
        // Sizes that no longer work are as good as none.
        store("h=2,w=3:32:5");
        assert_eq!(compile("").0, by_model);
    }
}
