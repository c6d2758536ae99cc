//! Planes with components, all of which swap or rotate together: arrays of the file, pointers to rows, flat arrays, arrays of
//! pointers; the component is the first subscript or the last.

use super::steps::Steps;
use super::{NAMES, arrow};
use crate::rng::Rng;
use std::fmt::Write;

/// How a plane is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Store {
    /// An array of the file or of a struct, and pointers to its rows.
    Static,
    /// A pointer to rows, with memory of its own.
    Rows,
    /// A pointer to numbers.
    Flat,
    /// An array of pointers, one for each component.
    Pointers,
}

/// Where the planes are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Home {
    Locals,
    Globals,
    /// Members of a struct that `main` has, or a pointer to one.
    Members {
        by_pointer: bool,
    },
}

/// How planes move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Turn {
    /// Their pointers do.
    Pointers,
    /// An index selects them.
    Toggle,
    /// The number of the step selects them.
    Step,
    /// The new plane is copied.
    Copies,
}

/// How cells are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sweep {
    /// All components of a cell, each by itself.
    Cells,
    /// A nest for each component.
    Nests,
    /// A loop over components around the nest, or in its middle.
    Around,
    /// A loop over components in each cell.
    Inside,
    /// The same with a table of offsets.
    Offsets,
}

/// A program under construction.
pub(super) struct Maker {
    pub(super) rng: Rng,
    pub(super) ty: &'static str,
    pub(super) n_components: usize,
    pub(super) n_planes: usize,
    pub(super) sweep: Sweep,
    /// Offsets go around at the ends.
    pub(super) goes_around: bool,
    store: Store,
    is_last: bool,
    home: Home,
    turn: Turn,
    /// Sizes are numbers.
    is_constant: bool,
    /// Subscripts of flat arrays by nothing, a macro or a function.
    notation: usize,
    sweep_apart: bool,
    /// The function of the sweep is given the planes.
    by_hand: bool,
    turn_apart: bool,
    toggling: &'static str,
    every: Option<i64>,
    steps: Steps,
    /// Ghost cells, from the other end or from their neighbours.
    pub(super) ghosts: Option<bool>,
}

/// The planes and sizes as a piece of code names them.
pub(super) struct Scope {
    planes: Vec<String>,
    sizes: [String; 2],
}

impl Scope {
    pub(super) fn sizes(&self) -> [&str; 2] {
        [&self.sizes[0], &self.sizes[1]]
    }
}

/// The text of a program.
pub(super) fn program(mut rng: Rng) -> String {
    let by_pointer = rng.chance(50);
    let store = match rng.weighted(&[6, 6, 6, 1]) {
        0 => Store::Static,
        1 => Store::Rows,
        2 => Store::Flat,
        _ => Store::Pointers,
    };
    let is_constant = rng.chance(40);
    let home = match rng.below(3) {
        // Types of rows have sizes, which only functions have as variables.
        _ if store == Store::Rows && !is_constant => Home::Locals,
        0 => Home::Locals,
        1 => Home::Globals,
        _ => Home::Members { by_pointer },
    };
    let toggles = if store == Store::Flat { 4 } else { 1 };
    let turn = match rng.weighted(&[10, toggles, 3, 1]) {
        0 => Turn::Pointers,
        1 => Turn::Toggle,
        2 => Turn::Step,
        _ => Turn::Copies,
    };
    let sweep = match rng.weighted(&[4, 4, 3, 3, 2]) {
        0 => Sweep::Cells,
        1 => Sweep::Nests,
        2 => Sweep::Around,
        3 => Sweep::Inside,
        _ => Sweep::Offsets,
    };
    let written_out = matches!(sweep, Sweep::Cells | Sweep::Nests);
    let maker = Maker {
        ty: rng.pick::<&str>(&["float", "double"]),
        n_components: rng.range(2, if written_out { 4 } else { 9 }) as usize,
        n_planes: match turn {
            Turn::Pointers => 2 + rng.below(3) / 2,
            _ => 2,
        },
        sweep,
        goes_around: rng.chance(40),
        store,
        is_last: store != Store::Pointers && rng.chance(20),
        home,
        turn,
        is_constant,
        notation: rng.below(3),
        sweep_apart: rng.chance(50),
        by_hand: home == Home::Locals || turn == Turn::Step || rng.chance(40),
        turn_apart: home != Home::Locals && rng.chance(40),
        toggling: rng.pick::<&str>(&["1 - @", "!@", "@ ^ 1"]),
        steps: Steps::random(&mut rng, if turn == Turn::Step { 3 } else { 0 }),
        ghosts: rng.chance(8).then(|| rng.chance(50)),
        every: rng.chance(35).then(|| rng.range(4, 9)),
        rng,
    };
    maker.text()
}

impl Maker {
    fn member(&self, inside: bool) -> String {
        match self.home {
            Home::Members { by_pointer } => format!("g{}", arrow(by_pointer || inside)),
            _ => String::new(),
        }
    }

    fn index(&self, inside: bool) -> String {
        format!("{}now", self.member(inside))
    }

    /// Plane number `role`: 0 is what is read.
    fn plane(&self, role: usize, inside: bool) -> String {
        let of = self.member(inside);
        match self.turn {
            Turn::Pointers | Turn::Copies => format!("{of}{}", NAMES[role]),
            Turn::Step => format!("{of}planes[{}]", ["t % 2", "(t + 1) % 2"][role]),
            Turn::Toggle if role == 0 => format!("{of}planes[{}]", self.index(inside)),
            Turn::Toggle => format!(
                "{of}planes[{}]",
                self.toggling.replace('@', &self.index(inside))
            ),
        }
    }

    /// The planes where no step is done, in another order.
    fn plane_outside(&self, role: usize) -> String {
        match self.turn {
            Turn::Step => format!("{}planes[{role}]", self.member(false)),
            _ => self.plane(role, false),
        }
    }

    fn sizes(&self, inside: bool) -> [String; 2] {
        match self.is_constant {
            true => ["N", "M"].map(String::from),
            false => ["n", "m"].map(|name| format!("{}{name}", self.member(inside))),
        }
    }

    fn scope(&self, inside: bool) -> Scope {
        Scope {
            planes: (0..self.n_planes).map(|k| self.plane(k, inside)).collect(),
            sizes: self.sizes(inside),
        }
    }

    /// The extents of rows: arrays of the file have the largest.
    fn extents(&self, [n, m]: [&str; 2]) -> [String; 2] {
        match self.store {
            Store::Static if !self.is_constant => ["MOST_N", "MOST_M"].map(String::from),
            _ => [n.to_string(), m.to_string()],
        }
    }

    /// A number of a plane.
    pub(super) fn cell(&self, scope: &Scope, role: usize, k: &str, i: &str, j: &str) -> String {
        self.number(&scope.planes[role], scope.sizes(), [k, i, j])
    }

    fn number(&self, plane: &str, [n, m]: [&str; 2], [k, i, j]: [&str; 3]) -> String {
        let factor = |text: &str| match text.contains(' ') && !text.starts_with('(') {
            true => format!("({text})"),
            false => text.to_string(),
        };
        match self.store {
            Store::Pointers => format!("{plane}[{k}][{} * {m} + {j}]", factor(i)),
            Store::Flat => {
                let subscript = match self.notation {
                    1 if !n.contains('g') => format!("AT({k}, {i}, {j})"),
                    2 => format!("at({n}, {m}, {k}, {i}, {j})"),
                    _ => self.flat([n, m], [&factor(k), &factor(i), j]),
                };
                format!("{plane}[{subscript}]")
            }
            Store::Static | Store::Rows if self.is_last => format!("{plane}[{i}][{j}][{k}]"),
            Store::Static | Store::Rows => format!("{plane}[{k}][{i}][{j}]"),
        }
    }

    fn flat(&self, [n, m]: [&str; 2], [k, i, j]: [&str; 3]) -> String {
        match self.is_last {
            true => format!("({i} * {m} + {j}) * K + {k}"),
            false => format!("({k} * {n} + {i}) * {m} + {j}"),
        }
    }

    /// The extents of a plane, first to last.
    fn dims(&self, sizes: [&str; 2]) -> [String; 3] {
        let [n, m] = self.extents(sizes);
        match self.is_last {
            true => [n, m, "K".to_string()],
            false => ["K".to_string(), n, m],
        }
    }

    /// The declarator of a plane.
    fn declarator(&self, name: &str, sizes: [&str; 2]) -> String {
        let [_, second, third] = self.dims(sizes);
        match self.store {
            Store::Flat => format!("*{name}"),
            Store::Pointers => format!("*{name}[K]"),
            Store::Static | Store::Rows => format!("(*{name})[{second}][{third}]"),
        }
    }

    /// What functions take, and what they are given.
    fn params(&self) -> (&'static str, &'static str) {
        match self.home {
            Home::Members { by_pointer } => ("struct grid *g", if by_pointer { "g" } else { "&g" }),
            _ => ("void", ""),
        }
    }

    /// The function of the sweep and its call.
    fn sweep_function(&mut self) -> (String, String) {
        if !self.by_hand {
            let (params, given) = self.params();
            let body = self.step(&self.scope(true));
            return (
                format!("static void sweep({params})\n{{\n{body}}}\n\n"),
                format!("    sweep({given});\n"),
            );
        }
        let sizes = match self.is_constant {
            true => ["N", "M"],
            false => ["n", "m"],
        };
        let planes: Vec<String> = (NAMES[..self.n_planes].iter())
            .map(|name| format!("p_{name}"))
            .collect();
        let mut params: Vec<String> = (planes.iter())
            .map(|name| format!("{} {}", self.ty, self.declarator(name, sizes)))
            .collect();
        let mut given: Vec<String> = (0..self.n_planes).map(|k| self.plane(k, false)).collect();
        if !self.is_constant {
            params.insert(0, "int n, int m".to_string());
            given.insert(0, self.sizes(false).join(", "));
        }
        let scope = Scope {
            planes,
            sizes: sizes.map(String::from),
        };
        let body = self.step(&scope);
        (
            format!("static void sweep({})\n{{\n{body}}}\n\n", params.join(", ")),
            format!("    sweep({});\n", given.join(", ")),
        )
    }

    /// What moves the planes.
    fn turned(&mut self, inside: bool) -> String {
        match self.turn {
            Turn::Step => String::new(),
            Turn::Toggle => {
                let index = self.index(inside);
                format!("    {index} = {};\n", self.toggling.replace('@', &index))
            }
            Turn::Copies => self.copied(inside),
            Turn::Pointers => self.exchanged(inside),
        }
    }

    fn exchanged(&mut self, inside: bool) -> String {
        let scope = self.scope(inside);
        let around = |at: &str, held: &str| {
            let names: Vec<String> = scope.planes.iter().map(|p| format!("{p}{at}")).collect();
            let last = names.len() - 1;
            let mut text = format!(
                "{} {held} = {};",
                self.ty,
                names[if last == 1 { 0 } else { last }]
            );
            let order: &[usize] = if last == 1 { &[0, 1] } else { &[2, 0, 1] };
            for pair in order.windows(2) {
                let _ = write!(text, " {} = {};", names[pair[0]], names[pair[1]]);
            }
            let _ = write!(text, " {} = held;", names[1]);
            text
        };
        if self.store != Store::Pointers {
            return format!(
                "    {}\n",
                around("", &self.declarator("held", scope.sizes()))
            );
        }
        match self.rng.chance(60) {
            true => format!(
                "    for (int k = 0; k < K; k++) {{\n      {}\n    }}\n",
                around("[k]", "*held")
            ),
            false => (0..self.n_components)
                .map(|k| format!("    {{ {} }}\n", around(&format!("[{k}]"), "*held")))
                .collect(),
        }
    }

    fn copied(&mut self, inside: bool) -> String {
        let scope = self.scope(inside);
        let [n, m] = scope.sizes();
        let cell = |role| self.cell(&scope, role, "k", "i", "j");
        format!(
            "    for (int k = 0; k < K; k++)\n      for (int i = 0; i < {n}; i++)\n        for (int j = 0; j < {m}; j++)\n          {} = {};\n",
            cell(0),
            cell(1)
        )
    }

    /// A plane as an array of the file, of a struct or of pointers: what is declared where the planes are.
    fn declared(&self, sizes: [&str; 2]) -> String {
        let ty = self.ty;
        let dims: String = self.dims(sizes).iter().map(|d| format!("[{d}]")).collect();
        let planes = &NAMES[..self.n_planes];
        let all = |one: &dyn Fn(&str) -> String| {
            let all: Vec<String> = planes.iter().map(|name| one(name)).collect();
            format!("{ty} {};", all.join(", "))
        };
        match (self.turn, self.store) {
            (Turn::Copies, Store::Static) => all(&|name| format!("{name}{dims}")),
            (Turn::Pointers | Turn::Copies, _) => all(&|name| self.declarator(name, sizes)),
            (_, Store::Static) => format!("{ty} planes[2]{dims};"),
            (_, Store::Rows) => format!("{ty} (*planes){dims};"),
            (_, Store::Flat) => format!("{ty} *planes[2];"),
            (_, Store::Pointers) => format!("{ty} *planes[2][K];"),
        }
    }

    /// What the file and `main` declare.
    fn declarations(&self) -> (String, String) {
        let [n, m] = self.sizes(false);
        let mut variables = vec![self.declared([&n, &m])];
        if self.turn == Turn::Toggle {
            variables.push("int now;".to_string());
        }
        if !self.is_constant && self.home != Home::Locals {
            variables.push("int n, m;".to_string());
        }
        let mut file = String::new();
        if self.store == Store::Static && self.turn == Turn::Pointers {
            let dims: String = (self.dims([&n, &m]).iter())
                .map(|d| format!("[{d}]"))
                .collect();
            for name in &NAMES[..self.n_planes] {
                let _ = writeln!(file, "static {} of_{name}{dims};", self.ty);
            }
        }
        let of_file: String = variables.iter().map(|v| format!("static {v}\n")).collect();
        match self.home {
            Home::Locals if self.store == Store::Static => (file, of_file.replace('\n', " ")),
            Home::Locals => (file, variables.join(" ")),
            Home::Globals => (file + &of_file, String::new()),
            Home::Members { by_pointer } => {
                let (name, local) = match by_pointer {
                    true => ("g_", "struct grid *g = &g_;"),
                    false => ("g", ""),
                };
                let members = variables.join(" ");
                let _ = writeln!(
                    file,
                    "struct grid {{ {members} }};\nstatic struct grid {name};"
                );
                (file, local.to_string())
            }
        }
    }

    /// Memory of the planes and what is in them at first.
    fn filled(&self) -> String {
        let [n, m] = self.sizes(false);
        let mut text = String::new();
        let [first, ..] = self.dims([&n, &m]);
        let of = self.member(false);
        if self.store == Store::Rows && matches!(self.turn, Turn::Toggle | Turn::Step) {
            let _ = writeln!(text, "  {of}planes = malloc(2 * sizeof *{of}planes);");
        }
        for (role, name) in NAMES.iter().enumerate().take(self.n_planes) {
            let plane = self.plane_outside(role);
            let ty = self.ty;
            let _ = match (self.store, self.turn) {
                (Store::Static, Turn::Pointers) => {
                    writeln!(text, "  {plane} = of_{name};")
                }
                (Store::Rows, Turn::Pointers | Turn::Copies) => {
                    writeln!(text, "  {plane} = malloc({first} * sizeof *{plane});")
                }
                (Store::Flat, _) => {
                    writeln!(text, "  {plane} = malloc(sizeof({ty}) * K * {n} * {m});")
                }
                (Store::Pointers, _) => writeln!(
                    text,
                    "  for (int k = 0; k < K; k++)\n    {plane}[k] = malloc(sizeof({ty}) * {n} * {m});"
                ),
                _ => Ok(()),
            };
            let cell = self.number(&plane, [&n, &m], ["k", "i", "j"]);
            let value = format!("(k * 31 + i * 17 + j * 7 + {role}) % 101 / ({ty})101");
            let _ = writeln!(text, "{}      {cell} = {value};", self.cells_of_all());
        }
        text
    }

    /// Loops over all numbers of a plane in `main`.
    fn cells_of_all(&self) -> String {
        let [n, m] = self.sizes(false);
        format!(
            "  for (int k = 0; k < K; k++)\n    for (int i = 0; i < {n}; i++)\n     for (int j = 0; j < {m}; j++)\n"
        )
    }

    /// What the file has before its functions.
    fn head(&self) -> String {
        let mut text = format!(
            "#include <stdio.h>\n#include <stdlib.h>\n\nenum {{ K = {} }};\n",
            self.n_components
        );
        match self.is_constant {
            true => text.push_str("#define N 14\n#define M 22\n"),
            false if self.store == Store::Static => {
                text.push_str("#define MOST_N 16\n#define MOST_M 48\n");
            }
            false => {}
        }
        let sizes = if self.is_constant {
            ["N", "M"]
        } else {
            ["n", "m"]
        };
        if self.store == Store::Flat {
            let _ = match self.notation {
                1 => writeln!(
                    text,
                    "#define AT(k, i, j) ({})",
                    self.flat(sizes, ["(k)", "(i)", "(j)"])
                ),
                2 => writeln!(
                    text,
                    "static inline int at(int n, int m, int k, int i, int j)\n{{\n  return {};\n}}",
                    self.flat(["n", "m"], ["k", "i", "j"])
                ),
                _ => Ok(()),
            };
        }
        if self.sweep == Sweep::Offsets {
            text.push_str(&self.tables());
        }
        text
    }

    /// Offsets and weights of components.
    fn tables(&self) -> String {
        let list = |one: &dyn Fn(usize) -> String| {
            let all: Vec<String> = (0..self.n_components).map(one).collect();
            all.join(", ")
        };
        let off = [
            [0, 1, 0, -1, 0, 1, -1, -1, 1],
            [0, 0, 1, 0, -1, 1, 1, -1, -1],
        ];
        format!(
            "static const int di[K] = {{ {} }}, dj[K] = {{ {} }};\nstatic const {} weight[K] = {{ {} }};\n",
            list(&|k| off[0][k].to_string()),
            list(&|k| off[1][k].to_string()),
            self.ty,
            list(&|k| format!("0.{}", 10 + 3 * k))
        )
    }

    fn text(mut self) -> String {
        let mut functions = String::new();
        let mut step = match self.sweep_apart {
            true => {
                let (function, call) = self.sweep_function();
                functions.push_str(&function);
                call
            }
            false => self.step(&self.scope(false)),
        };
        match self.turn_apart && self.turn != Turn::Step {
            true => {
                let (params, given) = self.params();
                let body = self.turned(true);
                let _ = write!(functions, "static void turn({params})\n{{\n{body}}}\n\n");
                let _ = writeln!(step, "    turn({given});");
            }
            false => step.push_str(&self.turned(false)),
        }
        if let Some(every) = self.every {
            let scope = self.scope(false);
            let [n, m] = self.sizes(false);
            let last = (self.n_components - 1).to_string();
            let shown = self.cell(&scope, 0, &last, &format!("{n} / 2"), &format!("{m} / 2"));
            let _ = writeln!(
                step,
                "    if (t % {every} == 0)\n      printf(\"%a\\n\", (double){shown});"
            );
        }
        self.program(&functions, &step)
    }

    fn program(&self, functions: &str, step: &str) -> String {
        let (file, local) = self.declarations();
        let mut text = format!(
            "{}{file}\nstatic unsigned long long hash = 14695981039346656037ull;\n\nstatic void add({} x)\n{{\n  for (size_t k = 0; k < sizeof x; k++)\n    hash = (hash ^ ((unsigned char *)&x)[k]) * 1099511628211ull;\n}}\n\n{functions}int main(int argc, char **argv)\n{{\n  int T = argc > 1 ? atoi(argv[1]) : 7;\n",
            self.head(),
            self.ty
        );
        // A struct comes before its members, and sizes before the types of rows.
        let is_local = self.home == Home::Locals;
        if !is_local && !local.is_empty() {
            let _ = writeln!(text, "  {local}");
        }
        if !self.is_constant {
            let [n, m] = self.sizes(false);
            let int = if is_local { "int " } else { "" };
            let _ = writeln!(
                text,
                "  {int}{n} = argc > 2 ? atoi(argv[2]) : 13;\n  {int}{m} = argc > 3 ? atoi(argv[3]) : 18;"
            );
        }
        if is_local {
            let _ = writeln!(text, "  {local}");
        }
        if self.turn == Turn::Toggle {
            let _ = writeln!(text, "  {} = 0;", self.index(false));
        }
        text.push_str(&self.filled());
        text.push_str(&self.steps.text(step));
        for role in 0..self.n_planes {
            let [n, m] = self.sizes(false);
            let cell = self.number(&self.plane_outside(role), [&n, &m], ["k", "i", "j"]);
            let _ = writeln!(text, "{}      add({cell});", self.cells_of_all());
        }
        if self.turn == Turn::Toggle {
            let _ = writeln!(text, "  printf(\"%d\\n\", {});", self.index(false));
        }
        text.push_str("  printf(\"%016llx\\n\", hash);\n  return 0;\n}\n");
        text
    }
}
