//! What a program's variables and its function are called.

use super::{Feature, Form};
use crate::model::Program;
use std::collections::BTreeSet;

/// Names of a program.
#[derive(Clone, Debug)]
pub struct Names {
    /// The time iterator.
    pub time: String,
    /// Iterators by space dimension.
    pub iterators: Vec<String>,
    /// Like [`Program::params`].
    pub params: Vec<String>,
    /// Like [`Program::arrays`].
    pub arrays: Vec<String>,
    /// Like [`Program::scalars`].
    pub scalars: Vec<String>,
    /// Local variables of bodies.
    pub locals: Vec<String>,
    /// The function around the region.
    pub function: String,
}

/// What generated code or CUDA's headers call their own, by category: code of kernels and hosts.
pub const GENERATED: &[&str] = &[
    "K",
    "ROWS",
    "h",
    "w",
    "tx",
    "i0",
    "full",
    "value",
    "check",
    "begin",
    "args",
    "n",
    "a",
    "u",
    "row",
    "tile",
    "launch",
    "plan",
    "run",
    "mod",
    "lowest",
    "highest",
    "relative",
    "copy",
    "Args",
    "Wave",
    "Pass",
    "PITCH",
    "THREADS",
    "STEPS",
    "V",
    "S",
    "t0",
    "j0",
    "k0",
    "t_in",
    "i_r",
    "j_r",
    "a_first",
    "a_end",
    "row_lo",
    "row_hi",
    "thread",
    "reuse",
    "origin",
    "kernel",
    "device",
    "size",
    "bytes",
    "pitch",
    "index",
    "count",
    "phase",
    "p",
    "q",
    "wave",
    "lane",
    "warp",
    "stream",
    "flag",
    "result",
    "error",
    "planes",
    "steps",
    "depth",
    "from",
    "to",
    "end",
    "data",
    "all",
    "source",
    "target",
    "Bytes",
    "Element",
    "COUNT",
    "LENGTH",
    "I",
    "D",
    "E",
    "hexcc",
    "main_loop",
    "mod2",
    "i_n",
    "s_A",
    "A_at",
    "HEX_H",
    "W_j",
    "BLOCK_X",
    "shared_memory",
    "skew_j",
    "tile_j",
    "floor_div",
];
/// Keywords of C++.
pub const CPP: &[&str] = &[
    "new",
    "class",
    "template",
    "this",
    "delete",
    "private",
    "public",
    "namespace",
    "operator",
    "try",
    "catch",
    "throw",
    "typename",
    "virtual",
    "friend",
    "using",
    "explicit",
    "export",
    "mutable",
    "and",
    "or",
    "not",
    "xor",
    "decltype",
    "nullptr",
    "requires",
    "concept",
    "protected",
    "typeid",
    "bool",
    "true",
    "false",
];
/// What CUDA's headers declare.
pub const CUDA: &[&str] = &[
    "threadIdx",
    "blockIdx",
    "dim3",
    "float4",
    "warpSize",
    "blockDim",
    "gridDim",
    "cudaMalloc",
    "min",
    "max",
    "int2",
    "clock64",
    "atomicAdd",
    "cudaSuccess",
    "double2",
    "rsqrtf",
    "norm3d",
    "uint3",
    "cudaMemcpy",
    "saturate",
    "normcdf",
    "cudaError_t",
    "__syncwarp_",
    "umin",
    "rcbrt",
    "all",
    "any",
    "fadd",
    "erfinv",
    "basename",
    "make_float4",
];
/// What `<math.h>` and `<stdlib.h>` declare, as people shadow it.
pub const LIBC: &[&str] = &[
    "y0",
    "j1",
    "y1",
    "gamma",
    "j0",
    "jn",
    "yn",
    "exp",
    "log",
    "index",
    "div",
    "remainder",
    "round",
    "signal",
    "time",
    "abs",
    "scale",
    "drem",
    "logb",
    "random",
    "system",
    "select",
    "stdin_",
    "pow",
];
/// Names that are made out of others in generated code.
const DERIVED: &[&str] = &[
    "A_device",
    "N_size",
    "A_pitch",
    "hexcc_A",
    "A_0",
    "A_n1",
    "s_B",
    "B_at",
    "in_A",
    "t_mod2",
    "i_lo",
    "i_hi",
    "j_first",
    "j_last",
    "u0",
    "A_size",
    "A_bytes",
    "S_0",
    "S_0_i",
    "x_",
    "_x",
    "n_blocks",
    "p_first",
    "A_step0",
    "t_lo",
    "t_hi",
    "hexcc_fuzz",
    "A_row",
    "B_next",
    "A_in",
];

/// A list of names and whether its members may be declared at file scope beside the headers.
fn list(category: &str) -> &'static [&'static str] {
    match category {
        "generated" => GENERATED,
        "c++" => CPP,
        "cuda" => CUDA,
        "libc" => LIBC,
        _ => DERIVED,
    }
}

/// What the rest of a program uses, and what must not be redefined.
const TAKEN: &[&str] = &[
    "main", "argc", "argv", "printf", "exit", "NULL", "T", "t", "i", "j", "k", "l",
];

/// Gives each thing a name that nothing else has.
pub(super) struct Namer<'a> {
    form: &'a Form,
    taken: BTreeSet<String>,
    at: usize,
}

impl<'a> Namer<'a> {
    pub(super) fn new(form: &'a Form) -> Namer<'a> {
        Namer {
            form,
            taken: TAKEN.iter().map(|s| (*s).to_string()).collect(),
            at: form.salt as usize % 1000,
        }
    }

    /// The plain name, or another of the category chosen.
    fn name(&mut self, feature: Feature, plain: &str, file_scope: bool) -> String {
        let mut category = self.form.choice(feature);
        // Headers declare these as functions already.
        if file_scope && category == "libc" {
            category = "generated";
        }
        if category != "plain" {
            let list = list(category);
            for n in 0..list.len() {
                let name = list[(self.at + 7 * n) % list.len()];
                let clash = file_scope && LIBC.contains(&name);
                if !clash && self.taken.insert(name.to_string()) {
                    self.at += 7 * n + 3;
                    return name.to_string();
                }
            }
        }
        self.taken.insert(plain.to_string());
        plain.to_string()
    }

    pub(super) fn names(mut self, program: &Program, function: &str) -> Names {
        let form = self.form;
        let outer = form.choice(Feature::Iterators) == "file-scope";
        let global = form.global_arrays();
        let plain_iterators = crate::model::ITERATORS;
        let sizes_outside = form.of(Feature::Sizes) != 0;
        // The plain names of all kinds are taken first, so that no other kind gets one.
        self.taken.extend(program.params.iter().cloned());
        self.taken
            .extend(program.arrays.iter().map(|a| a.name.clone()));
        Names {
            time: self.name(Feature::IteratorNames, "t", outer),
            iterators: (0..program.n_dims())
                .map(|d| self.name(Feature::IteratorNames, plain_iterators[d], outer))
                .collect(),
            params: (program.params.iter())
                .map(|p| self.name(Feature::SizeNames, p, sizes_outside))
                .collect(),
            arrays: (program.arrays.iter())
                .map(|a| self.name(Feature::ArrayNames, &a.name, global))
                .collect(),
            scalars: (0..program.scalars.len())
                .map(|s| self.name(Feature::ScalarNames, &format!("c{s}"), false))
                .collect(),
            locals: (0..4)
                .map(|n| self.name(Feature::ScalarNames, &format!("x{n}"), false))
                .collect(),
            function: self.name(Feature::FunctionName, function, true),
        }
    }
}

impl Names {
    /// All of them.
    pub fn all(&self) -> BTreeSet<&str> {
        let one = [self.time.as_str(), self.function.as_str()];
        let many = [
            &self.iterators,
            &self.params,
            &self.arrays,
            &self.scalars,
            &self.locals,
        ];
        one.into_iter()
            .chain(many.into_iter().flatten().map(String::as_str))
            .collect()
    }
}
