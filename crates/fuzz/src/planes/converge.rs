//! Time loops that end when a number of the cells says so: the largest change, the least one, how many cells have changed or
//! whether any has.

use crate::rng::Rng;
use std::fmt::Write;

/// What the cells fold into.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// The largest change.
    Largest,
    /// The least change with its sign.
    Least,
    /// How many cells have changed.
    Count,
    /// Whether a cell has.
    Flag,
}

/// The loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Head {
    While,
    Do,
    /// `for` up to the most steps, and a `break`.
    ForBreak,
    /// `for` with both conditions.
    ForBoth,
    /// `for (;;)` and a `break`.
    Forever,
    /// `while (!done)`.
    UntilDone,
}

/// Where cells are folded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    /// Where the sweep computes them, whose function returns the number if there is one.
    Sweep,
    /// In a nest behind the sweep.
    Nest,
    /// In a nest behind what moves the planes.
    Behind,
    /// In a function of a nest.
    Function,
}

/// A number of the cells.
#[derive(Clone, Debug)]
struct Number {
    kind: Kind,
    name: &'static str,
    ty: &'static str,
    /// What a step begins it with, and what it is before the loop.
    begins: &'static str,
    outside: &'static str,
    /// The statement, with `@` for the change.
    folds: String,
    /// The condition under which the loop goes on.
    left: String,
}

/// What makes the time loop of a program end.
#[derive(Clone, Debug)]
pub(super) struct Converging {
    head: Head,
    pub(super) place: Place,
    numbers: Vec<Number>,
    /// The type of cells, and how the change of a cell is written.
    ty: &'static str,
    change: &'static str,
    /// Cells at the ends count too.
    all_cells: bool,
    /// The number is declared in the loop.
    is_inside: bool,
    /// It begins directly before its nest.
    begins_late: bool,
    /// The test stands before what moves the planes.
    pub(super) tests_early: bool,
    /// The number of the first step is what others are compared with.
    is_relative: bool,
    both: &'static str,
    most: &'static str,
    tolerance: &'static str,
    prints: Option<i64>,
    first: i64,
    order: bool,
}

const TOLERANCES: [&str; 9] = [
    "1e-1", "2e-2", "1e-2", "1e-3", "1e-4", "1e-6", "0.5", "0", "1e30",
];

impl Converging {
    pub(super) fn random(rng: &mut Rng, ty: &'static str) -> Converging {
        let head = *rng.pick(&[
            Head::While,
            Head::While,
            Head::Do,
            Head::ForBreak,
            Head::ForBreak,
            Head::ForBoth,
            Head::Forever,
            Head::UntilDone,
        ]);
        let ends_inside = matches!(head, Head::ForBreak | Head::Forever | Head::UntilDone);
        let is_relative = rng.chance(12);
        let mut numbers = vec![Number::random(rng, ty, 0, is_relative)];
        if rng.chance(20) {
            numbers.push(Number::random(rng, ty, 1, false));
        }
        Converging {
            head,
            place: *rng.pick(&[
                Place::Sweep,
                Place::Nest,
                Place::Nest,
                Place::Behind,
                Place::Function,
            ]),
            numbers,
            ty,
            change: rng.pick::<&str>(&[
                "FABS(NEW - OLD)",
                "FABS(NEW - OLD)",
                "fabs(NEW - OLD)",
                "FABS(OLD - NEW)",
                "(NEW - OLD) * (NEW - OLD)",
                "NEW > OLD ? NEW - OLD : OLD - NEW",
            ]),
            all_cells: rng.chance(20),
            is_inside: ends_inside && !is_relative && rng.chance(40),
            begins_late: rng.chance(40),
            tests_early: matches!(head, Head::ForBreak | Head::Forever) && rng.chance(12),
            is_relative,
            both: rng.pick::<&str>(&["||", "&&"]),
            most: rng.pick::<&str>(&["T", "T * 3", "T * 20", "T * 40", "200"]),
            tolerance: rng.pick::<&str>(&TOLERANCES),
            prints: rng.chance(25).then(|| *rng.pick(&[1, 5, 10, 16])),
            first: i64::from(rng.chance(25)),
            order: rng.chance(30),
        }
    }

    /// What the file begins with.
    pub(super) fn file(&self) -> String {
        format!(
            "#include <math.h>\n#define MAX(a, b) ((a) > (b) ? (a) : (b))\n#define MIN(a, b) ((a) < (b) ? (a) : (b))\n#define TOL {}\n\n",
            self.tolerance
        )
    }

    /// The type and the name of the number that a function returns.
    pub(super) fn returned(&self) -> (&'static str, &'static str) {
        (self.numbers[0].ty, self.numbers[0].name)
    }

    /// The declaration of that number in the function.
    pub(super) fn declared(&self) -> String {
        let number = &self.numbers[0];
        format!("    {} {} = {};\n", number.ty, number.name, number.begins)
    }

    /// What folds a cell: of the first number, of the others or of all.
    fn fold(&self, which: Which, new: &str, old: &str) -> String {
        let fabs = if self.ty == "float" { "fabsf" } else { "fabs" };
        let fill = |text: &str| {
            let text = text.replace("FABS", fabs);
            text.replace("NEW", new).replace("OLD", old)
        };
        let numbers = match which {
            Which::First => &self.numbers[..1],
            Which::Others => &self.numbers[1..],
            Which::All => &self.numbers[..],
        };
        let mut text = format!("          {} d = {};\n", self.ty, fill(self.change));
        for number in numbers {
            let signed = fill("(NEW - OLD)");
            let of = if number.kind == Kind::Least {
                signed.as_str()
            } else {
                "d"
            };
            let _ = writeln!(text, "          {}", number.folds.replace('@', of));
        }
        text
    }

    /// What the sweep has for each cell.
    pub(super) fn in_sweep(&self, new: &str, old: &str) -> String {
        self.fold(Which::First, new, old)
    }

    /// A nest that folds what no sweep has, of two planes.
    pub(super) fn nest(&self, (new, old): (&str, &str), [n, m]: [&str; 2]) -> String {
        let which = match self.place {
            Place::Sweep => Which::Others,
            Place::Function => Which::First,
            _ => Which::All,
        };
        self.nest_of(which, (new, old), [n, m])
    }

    fn nest_of(&self, which: Which, (new, old): (&str, &str), [n, m]: [&str; 2]) -> String {
        let at = format!("[i * {m} + j]");
        let fold = self.fold(which, &format!("{new}{at}"), &format!("{old}{at}"));
        let (low, less) = if self.all_cells { (0, "") } else { (1, " - 1") };
        format!(
            "    for (int i = {low}; i < {n}{less}; i++)\n      for (int j = {low}; j < {m}{less}; j++) {{\n{fold}        }}\n"
        )
    }

    /// The function of the nest.
    pub(super) fn function(&self) -> String {
        let (ty, name) = self.returned();
        let nest = self.nest(("a", "b"), ["n", "m"]);
        format!(
            "static {ty} change(int n, int m, const {of} *a, const {of} *b)\n{{\n{}{nest}    return {name};\n}}\n\n",
            self.declared(),
            of = self.ty
        )
    }

    /// The statements in the loop that fold what is not folded in the sweep.
    pub(super) fn folded(&self, (new, old): (&str, &str), [n, m]: [&str; 2]) -> String {
        let others = self.numbers.len() > 1;
        match self.place {
            Place::Function => {
                let nest = match others {
                    true => self.nest_of(Which::Others, (new, old), [n, m]),
                    false => String::new(),
                };
                let call = format!("change({n}, {m}, {new}, {old});\n");
                format!("    {}{call}{nest}", self.assigned())
            }
            Place::Sweep if !others => String::new(),
            _ => self.late() + &self.nest((new, old), [n, m]),
        }
    }

    /// The left of an assignment of what a function returns.
    pub(super) fn assigned(&self) -> String {
        let (ty, name) = self.returned();
        match self.is_inside {
            true => format!("{ty} {name} = "),
            false => format!("{name} = "),
        }
    }

    fn begun(&self, numbers: &[Number]) -> String {
        let mut text = String::new();
        for number in numbers {
            let ty = match self.is_inside {
                true => format!("{} ", number.ty),
                false => String::new(),
            };
            let _ = writeln!(text, "    {ty}{} = {};", number.name, number.begins);
        }
        text
    }

    fn is_late(&self) -> bool {
        self.begins_late && matches!(self.place, Place::Nest | Place::Behind)
    }

    fn late(&self) -> String {
        match self.is_late() {
            true => self.begun(&self.numbers),
            false => String::new(),
        }
    }

    /// What a step begins with; a function may return the first number.
    pub(super) fn early(&self, is_returned: bool) -> String {
        let from = usize::from(is_returned || self.place == Place::Function);
        match self.is_late() {
            true => String::new(),
            false => self.begun(&self.numbers[from..]),
        }
    }

    /// Whether the cells say that the loop goes on.
    fn left(&self) -> String {
        let all: Vec<&str> = self.numbers.iter().map(|n| n.left.as_str()).collect();
        match all.as_slice() {
            [one] => one.to_string(),
            all => format!("({})", all.join(&format!(" {} ", self.both))),
        }
    }

    /// What ends a loop from its inside.
    pub(super) fn test(&self) -> String {
        let left = self.left();
        match self.head {
            Head::ForBreak => format!("    if (!({left}))\n      break;\n"),
            Head::Forever => {
                format!(
                    "    if (!({left}) || t + 1 >= {})\n      break;\n",
                    self.most
                )
            }
            _ => String::new(),
        }
    }

    /// The loop around what a step does, but for its test.
    pub(super) fn text(&self, step: &str) -> String {
        let (first, most, left) = (self.first, self.most, self.left());
        let mut text = format!("  int t = {first};\n");
        if !self.is_inside {
            for number in &self.numbers {
                let _ = writeln!(
                    text,
                    "  {} {} = {};",
                    number.ty, number.name, number.outside
                );
            }
        }
        let mut step = step.to_string();
        if self.is_relative {
            let (ty, name) = self.returned();
            let _ = writeln!(text, "  {ty} first = 1;");
            let _ = writeln!(step, "    if (t == {first})\n      first = {name};");
        }
        if let Some(every) = self.prints {
            let all = self.printed();
            let _ = writeln!(step, "    if (t % {every} == 0) {{\n{all}    }}");
        }
        if !self.tests_early {
            step.push_str(&self.test());
        }
        let both = match self.order {
            true => format!("t < {most} && {left}"),
            false => format!("{left} && t < {most}"),
        };
        let _ = match self.head {
            Head::While => writeln!(text, "  while ({both}) {{\n{step}    t++;\n  }}"),
            Head::Do if self.order => {
                writeln!(text, "  do {{\n{step}  }} while ({left} && ++t < {most});")
            }
            Head::Do => writeln!(text, "  do {{\n{step}    t++;\n  }} while ({both});"),
            Head::ForBreak => writeln!(text, "  for (t = {first}; t < {most}; t++) {{\n{step}  }}"),
            Head::ForBoth => writeln!(text, "  for (t = {first}; {both}; t++) {{\n{step}  }}"),
            Head::Forever if self.order => writeln!(text, "  for (;;) {{\n{step}    t++;\n  }}"),
            Head::Forever => writeln!(text, "  for (t = {first};; t++) {{\n{step}  }}"),
            Head::UntilDone => writeln!(
                text,
                "  int done = 0;\n  while (!done) {{\n{step}    t++;\n    done = !({both});\n  }}"
            ),
        };
        text.push_str("  printf(\"%d\\n\", t);\n");
        if !self.is_inside {
            let _ = writeln!(
                text,
                "{}  if ({left})\n    printf(\"not yet\\n\");",
                self.printed()
            );
        }
        text
    }

    fn printed(&self) -> String {
        let one = |n: &Number| format!("      printf(\"%a\\n\", (double){});\n", n.name);
        self.numbers.iter().map(one).collect()
    }
}

/// Numbers of a program.
#[derive(Clone, Copy)]
enum Which {
    First,
    Others,
    All,
}

impl Number {
    fn random(rng: &mut Rng, cells: &'static str, at: usize, is_relative: bool) -> Number {
        let kind = match rng.weighted(&[6, 2, 3, 2]) {
            _ if is_relative => Kind::Largest,
            0 => Kind::Largest,
            1 => Kind::Least,
            2 => Kind::Count,
            _ => Kind::Flag,
        };
        let name = match kind {
            Kind::Largest => ["err", "err2"],
            Kind::Least => ["least", "least2"],
            Kind::Count => ["changed", "changed2"],
            Kind::Flag => ["moved", "moved2"],
        }[at];
        let ty = match kind {
            Kind::Count => rng.pick::<&str>(&["int", "long", "int"]),
            Kind::Flag => "int",
            _ if rng.chance(15) => rng.pick::<&str>(&["float", "double"]),
            _ => cells,
        };
        let least = rng.pick::<&str>(&["1e-2", "1e-3", "1e-5", "0"]);
        let f = if ty == "float" { "f" } else { "" };
        let folds = match kind {
            Kind::Largest => fold_of(rng, "MAX", [">", "<"], f),
            Kind::Least => fold_of(rng, "MIN", ["<", ">"], f),
            Kind::Count => format!(
                "{};",
                [
                    "if (@ > LEAST) NAME++",
                    "if (@ > LEAST) NAME += 1",
                    "NAME += @ > LEAST",
                    "NAME += @ > LEAST ? 1 : 0",
                ][rng.below(4)]
            ),
            Kind::Flag => format!(
                "{};",
                [
                    "if (@ > LEAST) NAME = 1",
                    "NAME |= @ > LEAST",
                    "NAME = NAME || @ > LEAST",
                ][rng.below(3)]
            ),
        };
        let left = match kind {
            Kind::Largest if is_relative && rng.chance(50) => "NAME / first > TOL",
            Kind::Largest if is_relative => "NAME > TOL * first",
            Kind::Largest => "NAME > TOL",
            Kind::Least => "NAME < -TOL",
            Kind::Count => rng.pick::<&str>(&["NAME > 0", "NAME > 5", "NAME"]),
            Kind::Flag => "NAME",
        };
        let is_over = rng.chance(8);
        let (begins, outside) = match kind {
            Kind::Largest => (*rng.pick(&["0", "0.0", "-1"]), "1e30"),
            Kind::Least => (*rng.pick(&["1e30", "0"]), "-1e30"),
            _ => ("0", "100"),
        };
        Number {
            kind,
            name,
            ty,
            begins,
            outside: if is_over { "0" } else { outside },
            folds: folds.replace("LEAST", least).replace("NAME", name),
            left: left.replace("NAME", name),
        }
    }
}

/// A statement that folds by comparison.
fn fold_of(rng: &mut Rng, macro_: &str, [beyond, within]: [&str; 2], f: &str) -> String {
    let function = if macro_ == "MAX" { "fmax" } else { "fmin" };
    match rng.below(7) {
        0 | 1 => format!("if (@ {beyond} NAME) NAME = @;"),
        2 => format!("NAME = {function}{f}(NAME, @);"),
        3 => format!("NAME = {function}{f}(@, NAME);"),
        4 => format!("NAME = {macro_}(NAME, @);"),
        5 => format!("NAME = @ {beyond} NAME ? @ : NAME;"),
        _ => format!("if (NAME {within} @) NAME = @;"),
    }
}
