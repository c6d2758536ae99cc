//! Flat arrays, pointers to planes, and what the time loop does beside its nests.

use super::{Writer, plus};
use crate::form::Feature;
use crate::model::{Access, Array, Storage, Sub};
use std::fmt::Write;

/// The pointer to a plane of an array, by the steps from the present one to its own.
fn plane_pointer(array: usize, steps: i64) -> String {
    format!("fz_plane{array}_{steps}")
}

impl Writer<'_> {
    /// Subscripts that go around at the ends of an array, which they never reach.
    pub(super) fn wrapped(&self, array: &Array, subs: &[Sub], texts: Vec<String>) -> Vec<String> {
        let timed = usize::from(array.storage != Storage::Plain);
        let extents = self.array_extents(array);
        let wrapped = |(d, text): (usize, String)| match subs[d] {
            Sub::Iter(_, c) if c != 0 => {
                let extent = &extents[d + timed];
                format!("({text} + ({extent})) % ({extent})")
            }
            _ => text,
        };
        texts.into_iter().enumerate().map(wrapped).collect()
    }

    /// An access to a flat array, or to a plane that a pointer points to.
    pub(super) fn by_pointer(&self, access: &Access, subs: &[String]) -> Option<String> {
        let array = &self.program.arrays[access.array];
        let (mut name, mut subs) = (self.names.arrays[access.array].clone(), subs.to_vec());
        let extents = self.array_extents(array);
        let time = plus(&self.names.time, access.time);
        let own_plane = self.swaps(array);
        match array.storage {
            Storage::Buffer(m) if own_plane => {
                name = plane_pointer(access.array, access.time.rem_euclid(m));
            }
            Storage::Buffer(m) => subs.insert(0, format!("({time})%{m}")),
            Storage::AllSteps(_) => subs.insert(0, time),
            Storage::Plain => {}
        }
        if self.form.is_flat() {
            let inner = &extents[extents.len() - subs.len()..];
            let (first, rest) = subs.split_first()?;
            let index = (rest.iter().zip(&inner[1..]))
                .fold(format!("({first})"), |sum, (sub, e)| {
                    format!("({sum}*({e})+({sub}))")
                });
            return Some(format!("{name}[{index}]"));
        }
        let subs: String = subs.iter().map(|s| format!("[{s}]")).collect();
        own_plane.then(|| format!("{name}{subs}"))
    }

    /// Whether pointers to the planes of an array change places in every step.
    fn swaps(&self, array: &Array) -> bool {
        let buffered = matches!(array.storage, Storage::Buffer(_)) && !array.dims.is_empty();
        buffered && self.form.choice(Feature::TimeLoop) == "swapped"
    }

    /// Declares something of the type of a pointer to a plane.
    fn plane_declaration(&self, array: &Array, name: &str) -> String {
        let (elem, extents) = (self.elem(array.elem), self.array_extents(array));
        let inner: String = extents.iter().skip(2).map(|e| format!("[{e}]")).collect();
        match inner.is_empty() || self.form.is_flat() {
            true => format!("{elem} *{name}"),
            false => format!("{elem} (*{name}){inner}"),
        }
    }

    /// Pointers to the planes of buffered arrays, in the order of time.
    pub(super) fn plane_pointers(&self) -> String {
        let mut out = String::new();
        for (n, array) in self.program.arrays.iter().enumerate() {
            let Storage::Buffer(m) = array.storage else {
                continue;
            };
            for k in (0..m).filter(|_| self.swaps(array)) {
                let plane = (self.program.first_step + k).rem_euclid(m);
                let name = &self.names.arrays[n];
                let inner = &self.array_extents(array)[1..];
                let start = match self.form.is_flat() {
                    true => format!("{name} + {plane}*({})", inner.join(")*(")),
                    false => format!("{name}[{plane}]"),
                };
                let declared = self.plane_declaration(array, &plane_pointer(n, k));
                let _ = writeln!(out, "  {declared} = {start};");
            }
        }
        out
    }

    /// What the time loop does behind its nests.
    pub(super) fn end_of_step(&self) -> String {
        let mut out = String::new();
        let time = &self.names.time;
        match self.form.choice(Feature::TimeLoop) {
            "printed" => {
                let all = (0..self.program.arrays.len()).map(|n| self.corner(n));
                let all: Vec<String> = all.collect();
                let formats = "%.9g ".repeat(all.len());
                let _ = writeln!(
                    out,
                    "    if ({time} % 3 == 0)\n      printf(\"%d {formats}\\n\", (int){time}, {});",
                    all.join(", ")
                );
            }
            "converging" => out.push_str(&self.norm()),
            "swapped" => {
                for (n, array) in self.program.arrays.iter().enumerate() {
                    let Storage::Buffer(m) = array.storage else {
                        continue;
                    };
                    if m < 2 || !self.swaps(array) {
                        continue;
                    }
                    let declared = self.plane_declaration(array, "fz_first");
                    let _ = write!(out, "    {{ {declared} = {};", plane_pointer(n, 0));
                    for k in 1..m {
                        let _ = write!(
                            out,
                            " {} = {};",
                            plane_pointer(n, k - 1),
                            plane_pointer(n, k)
                        );
                    }
                    let _ = writeln!(out, " {} = fz_first; }}", plane_pointer(n, m - 1));
                }
            }
            _ => {}
        }
        out
    }

    /// The first element of an array, of the present plane.
    fn corner(&self, n: usize) -> String {
        let subs = self.program.arrays[n].dims.iter();
        let access = Access {
            array: n,
            time: 0,
            subs: subs.map(|_| Sub::First(0)).collect(),
        };
        format!("(double){}", self.access(&access))
    }

    /// The largest magnitude in the present plane of the first array, and an end that never comes.
    fn norm(&self) -> String {
        let array = &self.program.arrays[0];
        let timed = usize::from(array.storage != Storage::Plain);
        let extents = self.array_extents(array);
        let mut out = String::from("    double fz_most = 0;\n");
        let mut subs = Vec::new();
        for (d, extent) in extents.iter().skip(timed).enumerate() {
            let _ = writeln!(
                out,
                "    for (int fz_i{d} = 0; fz_i{d} < (int)({extent}); fz_i{d}++)"
            );
            subs.push(format!("fz_i{d}"));
        }
        let access = Access {
            array: 0,
            time: 0,
            subs: Vec::new(),
        };
        let place = self.placed(&access, subs);
        let _ = writeln!(
            out,
            "      fz_most = fmax(fz_most, fabs((double){place}));\n    fz_norm = fz_most;\n    if (fz_most > 1e30)\n      break;"
        );
        out
    }
}
