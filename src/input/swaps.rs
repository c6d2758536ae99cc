//! Time loops that swap pointers at the end of a step, as loops over planes of one array.
//!
//! Without pragmas around it such a loop is a nest like those of a loop that stays on the host: the program's memory is
//! memory that kernels share, and tiles work on copies that never leave the device.

use super::facts::question;
use super::{Chosen, Reader};
use hexcc_compiler::compiled::Compiled;
use hexcc_compiler::diag::Diagnostic;
use hexcc_compiler::front::c::Region;
use hexcc_compiler::options::Options;
use hexcc_compiler::scop::{SavedScop, SourceFile};
use hexcc_compiler::{nests, stepwise};
use hexcc_front_c::child;
use hexcc_pet::data::{PetScop, Rotation, Span};
use std::ops::Range;

/// Why such a loop is a nest.
const SWAPS: &str = "pointers are swapped after each step";

/// How loops that swap pointers are compiled.
#[derive(Clone)]
pub struct Planes {
    /// The options of the command line.
    pub options: Options,
    /// The kernels are what is asked for, on arrays of their own.
    pub alone: bool,
}

impl Reader<'_> {
    /// What pet makes of a loop, without a swap of pointers at the end of its steps where kernels can do without.
    pub(super) fn time_loop(&self, region: &Region) -> Result<PetScop, Vec<Diagnostic>> {
        self.without_swaps(region)
            .map_or_else(|| self.region(region), Ok)
    }

    /// What pet makes of a time loop without its swap; `None` where it has none, or where that leads to no tiles.
    pub(super) fn without_swaps(&self, region: &Region) -> Option<PetScop> {
        let planes = self.options.planes.as_ref()?;
        let question = question(self.options, &self.source.text, self.limit);
        let swaps = child::swaps(&self.exe, (&question, region.span.clone())).ok()??;
        let text = without(&self.source.text, &swaps.swaps);
        let source = SourceFile::new(self.source.path.clone(), text);
        let mut scop = self.of(&source).region(region).ok()?;
        scop.rotation = Some(Rotation {
            cycles: swaps.cycles,
            start: swaps.start,
            head: Span::from(swaps.head),
            swaps: swaps.swaps.into_iter().map(Span::from).collect(),
        });
        // What is replaced ends where the loop does.
        scop.span.end = scop.span.end.max(region.span.end);
        let alone = planes.alone || region.marked;
        let saved = SavedScop {
            stays: (!alone).then(|| SWAPS.to_string()),
            ..self.saved(&scop)
        };
        let (ctx, known) = (self.isl(&saved).ok()?, self.known.borrow());
        let options = &planes.options;
        let is_fast = match alone {
            true => {
                let is_fast = |c: &Compiled| !c.warnings.iter().any(stepwise::is_slow);
                known.compile_whole(&ctx, &saved, options, is_fast).ok()?
            }
            false => (nests::tiles_exactly(&ctx, &saved, (0, &known), options).ok()?).is_some(),
        };
        is_fast.then_some(scop)
    }

    /// A loop alone: a nest, where it swaps pointers.
    pub(super) fn alone(&self, scop: PetScop) -> Chosen {
        let alone = self
            .options
            .planes
            .as_ref()
            .is_none_or(|planes| planes.alone);
        let is_nest = scop.rotation.is_some() && !alone;
        Chosen {
            stays: is_nest.then(|| SWAPS.to_string()),
            ..scop.into()
        }
    }
}

/// A text with blanks in the place of some parts, on the same lines.
fn without(text: &str, parts: &[Range<usize>]) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for part in parts {
        let gone = bytes[part.clone()].iter_mut();
        for byte in gone.filter(|byte| **byte != b'\n') {
            *byte = b' ';
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
