//! Whole programs whose time planes move in the ways in which people move them: pointers of a function, of the file or in
//! a struct, indices that toggle or rotate, the number of the step, structs that are exchanged; in the loop or in functions; with
//! output every few steps, ghost cells that a step fills, and one time loop or two.
//!
//! Each way is known to hexcc by itself; here several of them meet. Every third program has planes with components, and every
//! third one a time loop that ends when a number of the cells says so.

mod components;
mod converge;
mod rows;
mod steps;
mod sweeps;
#[cfg(test)]
mod tests;

use crate::rng::Rng;
use converge::{Converging, Place};
use std::fmt::Write;
use steps::{Steps, ghosts};

/// Where the planes are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Home {
    /// Pointers that `main` has.
    Locals,
    /// Pointers that the file has.
    Globals,
    /// Members of a struct that `main` has, or a pointer to one.
    Members { by_pointer: bool },
    /// An array of pointers and an index, in `main`.
    Toggle,
    /// The same in a struct.
    ToggledMember { by_pointer: bool },
    /// An array of pointers that the number of the step selects, in `main`.
    Step,
    /// An array of pointers and indices that rotate, in `main`.
    Indices,
    /// Two structs with a plane and an index, in `main`.
    Structs { by_pointer: bool },
    /// Structs in a struct, which are exchanged as wholes.
    Wholes { by_pointer: bool },
}

/// A program under construction.
struct Maker {
    rng: Rng,
    home: Home,
    /// Planes that rotate.
    n_planes: usize,
    ty: &'static str,
    /// Where the sweep and the rotation stand: in a function each.
    sweep_apart: bool,
    turn_apart: bool,
    /// One function for both.
    step_apart: bool,
    steps: Steps,
    /// Ghost cells, from the other end or from their neighbours.
    ghosts: Option<bool>,
    /// Steps between outputs.
    every: Option<i64>,
    shows_apart: bool,
    toggling: &'static str,
    /// The subscripts of planes that the step selects, and what is declared for them.
    of_step: (&'static str, &'static [&'static str]),
    /// What ends the time loop, if not the number of steps.
    converging: Option<Converging>,
    /// The new plane is copied.
    is_copied: bool,
}

/// Subscripts that the step selects, of two planes and of three.
const OF_TWO: [(&str, &[&str]); 5] = [
    ("", &["t % 2", "(t + 1) % 2"]),
    ("", &["t & 1", "1 - (t & 1)"]),
    ("", &["t % 2", "!(t % 2)"]),
    ("int cur = t % 2, nxt = 1 - cur;", &["cur", "nxt"]),
    ("const int cur = (t + 1) & 1;", &["cur ^ 1", "cur"]),
];
const OF_THREE: [(&str, &[&str]); 2] = [
    ("", &["t % 3", "(t + 1) % 3", "(t + 2) % 3"]),
    ("int cur = t % 3;", &["cur", "(cur + 1) % 3", "(t + 2) % 3"]),
];

const NAMES: [&str; 4] = ["now", "next", "last", "older"];

/// What program number `index` is translated with, if it is not refused then: tiles also where they are not expected to be faster.
pub fn tiling(index: u64) -> Option<&'static str> {
    (index % 6 == 2).then_some("--tiling=hybrid")
}

/// The text of a program.
pub fn program(seed: u64, index: u64) -> String {
    match index % 3 {
        1 => converging(seed, index),
        _ => moving(seed, index),
    }
}

/// The text of a program whose time loop ends when its steps are done.
pub fn moving(seed: u64, index: u64) -> String {
    let rng = Rng::new(seed ^ 0x91A7E5, index);
    match index % 3 {
        2 => components::program(rng),
        _ => random(rng).text(),
    }
}

/// The text of a program whose time loop ends when a number of the cells says so.
pub fn converging(seed: u64, index: u64) -> String {
    let mut rng = Rng::new(seed ^ 0xC0E4, index);
    let mut maker = random(Rng::new(seed ^ 0x91A7E5, index));
    let mut converging = Converging::random(&mut rng, maker.ty);
    let has_pointers = matches!(
        maker.home,
        Home::Locals | Home::Globals | Home::Members { .. }
    );
    maker.is_copied = has_pointers && maker.n_planes == 2 && rng.chance(30);
    if maker.step_apart {
        converging.tests_early = false;
        converging.place = match maker.is_copied {
            true => Place::Sweep,
            false if converging.place == Place::Nest => Place::Behind,
            false => converging.place,
        };
    } else if maker.is_copied && converging.place == Place::Behind {
        converging.place = Place::Nest;
    }
    if converging.tests_early && converging.place == Place::Behind {
        converging.place = Place::Nest;
    }
    maker.every = maker.every.filter(|_| rng.chance(30));
    maker.converging = Some(converging);
    let (ty, has_rows) = (maker.ty, maker.home == Home::Locals && rng.chance(60));
    match has_rows {
        true => rows::in_rows(&maker.text(), ty),
        false => maker.text(),
    }
}

fn random(mut rng: Rng) -> Maker {
    let by_pointer = rng.chance(50);
    let home = match rng.below(9) {
        0 => Home::Locals,
        1 => Home::Globals,
        2 => Home::Members { by_pointer },
        3 => Home::Toggle,
        4 => Home::Step,
        5 => Home::Indices,
        6 => Home::Structs { by_pointer },
        7 => Home::Wholes { by_pointer },
        _ => Home::ToggledMember { by_pointer },
    };
    let toggles = toggles(home);
    let n_planes = if toggles { 2 } else { 2 + rng.below(2) };
    // What `main` alone has is not swapped by a function without parameters.
    let reaches = !is_by_hand(home);
    Maker {
        home,
        n_planes,
        ty: rng.pick::<&str>(&["float", "double"]),
        sweep_apart: rng.chance(60),
        turn_apart: reaches && rng.chance(50),
        step_apart: reaches && rng.chance(30),
        steps: match home {
            Home::Step | Home::Indices => Steps::random(&mut rng, 3),
            _ => Steps::random(&mut rng, 0),
        },
        ghosts: rng.chance(8).then(|| rng.chance(50)),
        every: rng.chance(40).then(|| rng.range(4, 9)),
        shows_apart: rng.chance(50),
        toggling: rng.pick::<&str>(&["1 - @", "!@", "@ ^ 1", "(@ + 1) % 2"]),
        of_step: match n_planes {
            2 => *rng.pick(&OF_TWO),
            _ => *rng.pick(&OF_THREE),
        },
        converging: None,
        is_copied: false,
        rng,
    }
}

fn toggles(home: Home) -> bool {
    matches!(
        home,
        Home::Toggle | Home::ToggledMember { .. } | Home::Structs { .. }
    )
}

/// Whether functions are given the planes.
fn is_by_hand(home: Home) -> bool {
    matches!(
        home,
        Home::Locals | Home::Toggle | Home::Step | Home::Indices | Home::Structs { .. }
    )
}

impl Maker {
    fn is_toggled(&self) -> bool {
        toggles(self.home)
    }

    /// The planes where no step is done: the same ones in another order.
    fn plane_outside(&self, plane: usize) -> String {
        match self.home {
            Home::Step => format!("planes[{plane}]"),
            _ => self.plane(plane, false),
        }
    }

    /// The index, where there is one, as `main` or a function with `g` writes it.
    fn index(&self, inside: bool) -> String {
        match self.home {
            Home::ToggledMember { by_pointer } => format!("g{}now", arrow(by_pointer || inside)),
            _ => "now".to_string(),
        }
    }

    fn other(&self, inside: bool) -> String {
        self.toggling.replace('@', &self.index(inside))
    }

    /// Plane number `plane`: 0 is what is read.
    fn plane(&self, plane: usize, inside: bool) -> String {
        let name = NAMES[plane];
        match self.home {
            Home::Locals | Home::Globals => name.to_string(),
            Home::Members { by_pointer } => format!("g{}{name}", arrow(by_pointer || inside)),
            Home::Wholes { by_pointer } => format!("g{}{name}.u", arrow(by_pointer || inside)),
            Home::Step => format!("planes[{}]", self.of_step.1[plane]),
            Home::Indices => format!("planes[{name}]"),
            Home::Structs { .. } if plane == 0 => format!("s[{}].u", self.index(inside)),
            Home::Structs { .. } => format!("s[{}].u", self.other(inside)),
            Home::Toggle | Home::ToggledMember { .. } => {
                let array = match self.home {
                    Home::ToggledMember { by_pointer } => {
                        format!("g{}planes", arrow(by_pointer || inside))
                    }
                    _ => "planes".to_string(),
                };
                match plane {
                    0 => format!("{array}[{}]", self.index(inside)),
                    _ => format!("{array}[{}]", self.other(inside)),
                }
            }
        }
    }

    /// A size.
    fn size(&self, name: &str, inside: bool) -> String {
        match self.home {
            Home::Members { by_pointer }
            | Home::ToggledMember { by_pointer }
            | Home::Wholes { by_pointer } => format!("g{}{name}", arrow(by_pointer || inside)),
            _ => name.to_string(),
        }
    }

    /// Loops over cells, of planes with some names and sizes.
    fn sweep(&mut self, planes: &[String], [n, m]: [&str; 2]) -> String {
        let plane = |k: usize| planes[k].clone();
        let (now, next) = (plane(0), plane(1));
        let at = |di: i64, dj: i64| {
            let off = |name: &str, d: i64| match d {
                0 => name.to_string(),
                d if d < 0 => format!("({name} - {})", -d),
                d => format!("({name} + {d})"),
            };
            format!("[{} * {m} + {}]", off("i", di), off("j", dj))
        };
        let f = if self.ty == "float" { "f" } else { "" };
        let mut value = format!("0.5{f} * {now}{}", at(0, 0));
        for _ in 0..2 + self.rng.below(3) {
            let (di, dj) = (self.rng.range(-1, 1), self.rng.range(-1, 1));
            let _ = write!(value, " + 0.1{f} * {now}{}", at(di, dj));
        }
        if self.n_planes == 3 {
            let _ = write!(value, " - 0.125{f} * {}{}", plane(2), at(0, 0));
        }
        let mut text = match self.ghosts {
            Some(goes_around) => {
                let cell = |i: &str, j: &str| format!("{now}[({i}) * {m} + {j}]");
                ghosts(&cell, [n, m], goes_around).trim_start().to_string() + "    "
            }
            None => String::new(),
        };
        let at = at(0, 0);
        let folds = match &self.converging {
            Some(c) if c.place == Place::Sweep => {
                c.in_sweep(&format!("{next}{at}"), &format!("{now}{at}"))
            }
            _ => String::new(),
        };
        let (open, close) = match folds.is_empty() {
            true => ("", ""),
            false => (" {", "      }\n"),
        };
        let _ = write!(
            text,
            "for (int i = 1; i < {n} - 1; i++)\n      for (int j = 1; j < {m} - 1; j++){open}\n        {next}{at} = {value};\n{folds}{close}"
        );
        if self.rng.chance(25) {
            let _ = writeln!(
                text,
                "    for (int j = 0; j < {m}; j++)\n      {next}[j] = 0.25{f} * {now}[j];"
            );
        }
        // Tiles that record numbers have no updates by the way.
        let is_plain = self.converging.is_some() && self.rng.chance(70);
        let updates = self.rng.below(6).saturating_sub(3);
        for _ in 0..if is_plain { 0 } else { updates } {
            let update = self.update([&now, &next], [n, m], f);
            text.push_str(&update);
        }
        text
    }

    /// An update of a cell, or of cells in a row, behind the sweep.
    fn update(&mut self, [now, next]: [&str; 2], [n, m]: [&str; 2], f: &str) -> String {
        let cells = [
            format!("{n} / 2 * {m} + {m} / 2"),
            format!("{m} + 1"),
            format!("({n} - 2) * {m} + {m} - 2"),
            format!("{n} / 3 * {m} + {m} / 2"),
            "0".to_string(),
        ];
        let cell = &cells[self.rng.below(cells.len())];
        match self.rng.below(6) {
            0 => format!("    {next}[{cell}] += 0.5{f};\n"),
            1 => format!("    {next}[{cell}] = 0.25{f};\n"),
            2 => format!("    {next}[{cell}] = 0.9 * {next}[{cell}] - 0.1{f} * {now}[{cell}];\n"),
            3 => format!("    {next}[{cell}] -= 0.125{f} * {next}[{cell} + 1];\n"),
            4 => format!(
                "    for (int j = 1; j < {m} - 1; j++)\n      {next}[{n} / 2 * {m} + j] *= 0.75{f};\n"
            ),
            _ => format!(
                "    {next}[{cell}] = {next}[{cell}] > 0.5{f} ? {next}[{cell}] - 0.5{f} : {next}[{cell}];\n"
            ),
        }
    }

    fn turn(&self, inside: bool) -> String {
        if self.is_copied {
            let (n, m) = (self.size("n", inside), self.size("m", inside));
            let (now, next) = (self.plane(0, inside), self.plane(1, inside));
            return format!(
                "for (int i = 1; i < {n} - 1; i++)\n      for (int j = 1; j < {m} - 1; j++)\n        {now}[i * {m} + j] = {next}[i * {m} + j];\n"
            );
        }
        if self.is_toggled() {
            return format!("{} = {};\n", self.index(inside), self.other(inside));
        }
        let whole = |k: usize| match self.home {
            Home::Indices => NAMES[k].to_string(),
            _ => self.plane(k, inside).trim_end_matches(".u").to_string(),
        };
        let planes: Vec<String> = (0..self.n_planes).map(whole).collect();
        let ty = match self.home {
            Home::Step => return String::new(),
            Home::Indices => "int ".to_string(),
            Home::Wholes { .. } => "struct field ".to_string(),
            _ => format!("{} *", self.ty),
        };
        match &planes[..] {
            [now, next] => {
                format!("{ty}held = {now};\n    {now} = {next};\n    {next} = held;\n")
            }
            [now, next, last, ..] => {
                format!(
                    "{ty}held = {last};\n    {last} = {now};\n    {now} = {next};\n    {next} = held;\n"
                )
            }
            _ => String::new(),
        }
    }

    /// What functions take, and what they are given.
    fn params(&self) -> (&'static str, &'static str) {
        match self.home {
            Home::Members { by_pointer }
            | Home::ToggledMember { by_pointer }
            | Home::Wholes { by_pointer } => {
                ("struct grid *g", if by_pointer { "g" } else { "&g" })
            }
            _ => ("void", ""),
        }
    }

    /// The function of the sweep and its call.
    fn sweep_function(&mut self) -> (String, String) {
        let by_hand = is_by_hand(self.home);
        if let Home::Structs { by_pointer } = self.home {
            return self.sweep_of_structs(by_pointer);
        }
        let planes: Vec<String> = match by_hand {
            true => NAMES[..self.n_planes]
                .iter()
                .map(|name| format!("p_{name}"))
                .collect(),
            false => (0..self.n_planes).map(|k| self.plane(k, true)).collect(),
        };
        let sizes = ["n", "m"].map(|name| self.size(name, true));
        let body = self.sweep(&planes, [&sizes[0], &sizes[1]]);
        let (params, given) = match by_hand {
            true => {
                let ty = self.ty;
                let params = planes.iter().map(|p| format!(", {ty} *{p}"));
                let given = (0..self.n_planes).map(|k| format!(", {}", self.plane(k, false)));
                (
                    format!("int n, int m{}", params.collect::<String>()),
                    format!("n, m{}", given.collect::<String>()),
                )
            }
            false => {
                let (params, given) = self.params();
                (params.to_string(), given.to_string())
            }
        };
        (
            format!("static void sweep({params})\n{{\n    {body}}}\n\n"),
            format!("sweep({given});\n"),
        )
    }

    /// The same with structs as parameters.
    fn sweep_of_structs(&mut self, by_pointer: bool) -> (String, String) {
        let (star, of) = match by_pointer {
            true => ("*", "->"),
            false => ("", "."),
        };
        let planes = ["from", "to"].map(|name| format!("{name}{of}u"));
        let body = self.sweep(&planes, ["n", "m"]);
        let given = [0, 1].map(|k| {
            let element = self.plane(k, false);
            let and = if by_pointer { "&" } else { "" };
            format!("{and}{}", element.trim_end_matches(".u"))
        });
        (
            format!(
                "static void sweep(int n, int m, struct field {star}from, struct field {star}to)\n{{\n    {body}}}\n\n"
            ),
            format!("sweep(n, m, {});\n", given.join(", ")),
        )
    }

    /// A step as one function, and its call.
    fn step_in_function(&mut self, functions: &mut String) -> String {
        let (params, given) = self.params();
        let planes: Vec<String> = (0..self.n_planes).map(|k| self.plane(k, true)).collect();
        let sizes = ["n", "m"].map(|name| self.size(name, true));
        let sweep = self.sweep(&planes, [&sizes[0], &sizes[1]]);
        let turn = self.turn(true);
        let function = format!("static void step({params})\n{{\n    {sweep}    {turn}}}\n\n");
        let (function, call) = self.returning(function, format!("step({given});\n"));
        functions.push_str(&function);
        let step = format!("{}    {call}", self.begun());
        step + &self.folded(true, functions)
    }

    /// A step with its sweep and its turn in functions, or in place.
    fn step_in_parts(&mut self, functions: &mut String) -> String {
        let (params, given) = self.params();
        let begun = self.begun();
        let sweep = match self.sweep_apart {
            true => {
                let (function, call) = self.sweep_function();
                let (function, call) = self.returning(function, call);
                functions.push_str(&function);
                call
            }
            false => {
                let planes: Vec<String> =
                    (0..self.n_planes).map(|k| self.plane(k, false)).collect();
                let sizes = ["n", "m"].map(|name| self.size(name, false));
                self.sweep(&planes, [&sizes[0], &sizes[1]])
            }
        };
        let mut step = format!("{begun}    {sweep}{}", self.folded(false, functions));
        match &self.converging {
            Some(c) if c.tests_early => step.push_str(&c.test()),
            _ => {}
        }
        let turn = match self.turn_apart {
            true => {
                let body = self.turn(true);
                let _ = write!(
                    functions,
                    "static void turn({params})\n{{\n    {body}}}\n\n"
                );
                format!("turn({given});\n")
            }
            false => self.turn(false),
        };
        let _ = write!(step, "    {turn}");
        step + &self.folded(true, functions)
    }

    /// What a step begins with.
    fn begun(&self) -> String {
        let apart = self.step_apart || self.sweep_apart;
        match &self.converging {
            Some(c) => c.early(apart && c.place == Place::Sweep),
            None => String::new(),
        }
    }

    /// A function and its call, where it returns what its cells fold into.
    fn returning(&self, function: String, call: String) -> (String, String) {
        match &self.converging {
            Some(c) if c.place == Place::Sweep => {
                let (ty, name) = c.returned();
                let function = function.replacen("static void", &format!("static {ty}"), 1);
                let function = function.replacen("{\n", &format!("{{\n{}", c.declared()), 1);
                let function = function.trim_end().trim_end_matches('}');
                (
                    format!("{function}    return {name};\n}}\n\n"),
                    c.assigned() + &call,
                )
            }
            _ => (function, call),
        }
    }

    /// What folds cells before or behind the turn of the planes.
    fn folded(&self, is_behind: bool, functions: &mut String) -> String {
        let Some(c) = &self.converging else {
            return String::new();
        };
        if is_behind != (self.step_apart || c.place == Place::Behind) {
            return String::new();
        }
        if c.place == Place::Function {
            functions.push_str(&c.function());
        }
        let [n, m] = ["n", "m"].map(|name| self.size(name, false));
        let (new, old) = match is_behind && self.home != Home::Step {
            true => (0, self.n_planes - 1),
            false => (1, 0),
        };
        let (new, old) = (self.plane(new, false), self.plane(old, false));
        c.folded((&new, &old), [&n, &m])
    }

    fn text(mut self) -> String {
        let mut functions = String::new();
        let mut step = match self.step_apart {
            true => self.step_in_function(&mut functions),
            false => self.step_in_parts(&mut functions),
        };
        let (params, given) = self.params();
        if let Some(every) = self.every {
            let inside = self.shows_apart && !is_by_hand(self.home);
            let shown = format!(
                "{}[({} / 2) * {} + {} / 2]",
                self.plane(0, inside),
                self.size("n", inside),
                self.size("m", inside),
                self.size("m", inside)
            );
            let print = format!("printf(\"%a\\n\", (double){shown});");
            let what = match inside {
                true => {
                    let _ = write!(
                        functions,
                        "static void show({params})\n{{\n    {print}\n}}\n\n"
                    );
                    format!("show({given});")
                }
                false => print,
            };
            let _ = writeln!(step, "    if (t % {every} == 0)\n      {what}");
        }
        self.program(&functions, &step)
    }

    /// What the file and `main` declare.
    fn declarations(&self) -> (String, String) {
        let ty = self.ty;
        let planes = &NAMES[..self.n_planes];
        let all = |sep: &str| {
            planes
                .iter()
                .map(|p| format!("*{p}"))
                .collect::<Vec<_>>()
                .join(sep)
        };
        let field = format!("struct field {{ {ty} *u; }};\n");
        let members = match self.is_toggled() {
            true => format!("int n, m, now; {ty} *planes[2];"),
            false if matches!(self.home, Home::Wholes { .. }) => {
                format!("int n, m; struct field {};", planes.join(", "))
            }
            false => format!("int n, m; {ty} {};", all(", ")),
        };
        match self.home {
            Home::Locals => (String::new(), format!("int n, m; {ty} {};", all(", "))),
            Home::Globals => (
                format!("static int n, m;\nstatic {ty} {};\n", all(", ")),
                String::new(),
            ),
            Home::Toggle => (
                String::new(),
                format!("int n, m, now = 0; {ty} *planes[2];"),
            ),
            Home::Step => (
                String::new(),
                format!("int n, m; {ty} *planes[{}];", self.n_planes),
            ),
            Home::Indices => {
                let numbers =
                    (planes.iter().enumerate()).map(|(k, name)| format!(", {name} = {k}"));
                let local = format!(
                    "int n, m{}; {ty} *planes[{}];",
                    numbers.collect::<String>(),
                    self.n_planes
                );
                (String::new(), local)
            }
            Home::Structs { .. } => (
                field.clone(),
                "int n, m, now = 0; struct field s[2];".to_string(),
            ),
            Home::Members { by_pointer }
            | Home::ToggledMember { by_pointer }
            | Home::Wholes { by_pointer } => {
                let field = match self.home {
                    Home::Wholes { .. } => field.as_str(),
                    _ => "",
                };
                let zero = if self.is_toggled() {
                    "g_.now = 0; "
                } else {
                    ""
                };
                let local = match by_pointer {
                    true => format!("struct grid g_, *g = &g_; {zero}"),
                    false => format!("struct grid g; {}", zero.replace("g_", "g")),
                };
                (format!("{field}struct grid {{ {members} }};\n"), local)
            }
        }
    }

    fn program(&self, functions: &str, step: &str) -> String {
        let ty = self.ty;
        let (file, local) = self.declarations();
        let head = match &self.converging {
            Some(c) => c.file(),
            None => String::new(),
        };
        let mut text = format!(
            "#include <stdio.h>\n#include <stdlib.h>\n{head}\n{file}\nstatic unsigned long long hash = 14695981039346656037ull;\n\n{functions}int main(int argc, char **argv)\n{{\n  int T = argc > 1 ? atoi(argv[1]) : 7, k = 0;\n  {local}\n"
        );
        let (n, m) = (self.size("n", false), self.size("m", false));
        let _ = writeln!(
            text,
            "  {n} = argc > 2 ? atoi(argv[2]) : 13;\n  {m} = argc > 3 ? atoi(argv[3]) : 18;"
        );
        let names: Vec<String> = (0..self.n_planes).map(|k| self.plane_outside(k)).collect();
        for (number, name) in names.iter().enumerate() {
            // Planes with other borders have changes for ever.
            let number = match self.converging.is_some() && self.every.is_none() {
                true => 0,
                false => number,
            };
            let _ = writeln!(
                text,
                "  {name} = ({ty} *)malloc(sizeof({ty}) * {n} * {m});\n  for (k = 0; k < {n} * {m}; k++)\n    {name}[k] = (k * 37 + {number}) % 101 / ({ty})101;"
            );
        }
        let selects = match self.home {
            Home::Step => self.of_step.0,
            _ => "",
        };
        let selects = match selects {
            "" => String::new(),
            some => format!("    {}\n", some.trim_end()),
        };
        let step = selects + step;
        text.push_str(&match &self.converging {
            Some(c) => c.text(&step),
            None => self.steps.text(&step),
        });
        for name in &names {
            let _ = writeln!(
                text,
                "  for (k = 0; k < {n} * {m} * (int)sizeof({ty}); k++)\n    hash = (hash ^ ((unsigned char *){name})[k]) * 1099511628211ull;"
            );
        }
        if self.is_toggled() {
            let _ = writeln!(text, "  printf(\"%d\\n\", {});", self.index(false));
        }
        if self.home == Home::Indices {
            let _ = writeln!(text, "  printf(\"%d %d\\n\", now, next);");
        }
        let _ = writeln!(text, "  printf(\"%016llx\\n\", hash);\n  return 0;\n}}");
        text
    }
}

fn arrow(by_pointer: bool) -> &'static str {
    if by_pointer { "->" } else { "." }
}
