//! Whole programs in which names collide: parameters and variables of helpers, those of their callers,
//! globals, members, macros and iterators, all drawn from five letters.
//!
//! What a name means is C's alone to say; a translation prints what C prints, or is refused.

use crate::rng::Rng;
use std::collections::BTreeMap;
use std::fmt::Write;

const LETTERS: [&str; 5] = ["a", "b", "c", "d", "e"];

/// Rows and columns.
const SIDE: i64 = 18;

/// What a name means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Double,
    Int,
    /// A square of doubles, which only loops over cells read.
    Square,
    /// A macro without parameters.
    Constant,
}

/// A function with parameters that are doubles.
struct Helper {
    n_params: usize,
    /// It stands behind `main`, where a prototype is before.
    late: bool,
}

/// A program under construction.
struct Maker {
    rng: Rng,
    /// Blocks around what is written, the file first.
    scopes: Vec<BTreeMap<&'static str, Kind>>,
    helpers: Vec<Helper>,
    /// Macros with one parameter, by number; their names are capitals.
    n_macros: usize,
    /// Names of the struct's members.
    members: Vec<&'static str>,
}

/// The text of a program.
pub fn program(seed: u64, index: u64) -> String {
    let mut maker = Maker {
        rng: Rng::new(seed ^ 0xA11A5, index),
        scopes: vec![BTreeMap::new()],
        helpers: Vec::new(),
        n_macros: 0,
        members: Vec::new(),
    };
    maker.text()
}

impl Maker {
    fn letter(&mut self) -> &'static str {
        LETTERS[self.rng.below(LETTERS.len())]
    }

    /// A letter that the innermost block does not declare and that is no macro.
    fn free(&mut self) -> Option<&'static str> {
        let letter = self.letter();
        let own = self.scopes.last().is_some_and(|s| s.contains_key(letter));
        let is_macro = self.scopes[0].get(letter) == Some(&Kind::Constant);
        (!own && !is_macro).then_some(letter)
    }

    fn declare(&mut self, name: &'static str, kind: Kind) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name, kind);
        }
    }

    /// Names of a kind, as the innermost blocks have them; `own` leaves out the file's.
    fn visible(&self, kinds: &[Kind], own: bool) -> Vec<&'static str> {
        let mut seen: BTreeMap<&str, (Kind, usize)> = BTreeMap::new();
        for (depth, scope) in self.scopes.iter().enumerate() {
            for (name, kind) in scope {
                seen.insert(name, (*kind, depth));
            }
        }
        let wanted = |(kind, depth): &(Kind, usize)| kinds.contains(kind) && !(own && *depth == 0);
        (LETTERS.into_iter())
            .filter(|name| seen.get(name).is_some_and(wanted))
            .collect()
    }

    fn literal(&mut self) -> String {
        let values = ["0.25", "0.5", "0.75", "0.125", "1.5", "0.3"];
        (*self.rng.pick(&values)).to_string()
    }

    /// A value; `callable` is the number of helpers that may be called.
    fn value(&mut self, depth: usize, callable: usize) -> String {
        let scalars = self.visible(&[Kind::Double, Kind::Int, Kind::Constant], false);
        if depth == 0 {
            return match scalars.is_empty() || self.rng.chance(15) {
                true => self.literal(),
                false => (*self.rng.pick(&scalars)).to_string(),
            };
        }
        let inner = |maker: &mut Maker| maker.value(depth - 1, callable);
        match self.rng.below(9) {
            0 | 1 => format!("0.5 * ({} + {})", inner(self), inner(self)),
            2 => format!("(0.75 * {} - 0.25 * {})", inner(self), inner(self)),
            3 if self.n_macros > 0 => {
                let n = self.rng.below(self.n_macros);
                format!("M{n}({})", inner(self))
            }
            4 if !self.members.is_empty() => {
                format!("p.{}", self.rng.pick(&self.members.clone()))
            }
            5 => format!("fabs({})", inner(self)),
            6 => {
                let [x, y, z, w] = [0; 4].map(|_| inner(self));
                format!("({x} < {y} ? {z} : {w})")
            }
            7 | 8 if callable > 0 => {
                let n = self.rng.below(callable);
                let args: Vec<String> =
                    (0..self.helpers[n].n_params).map(|_| inner(self)).collect();
                format!("f{n}({})", args.join(", "))
            }
            _ => inner(self),
        }
    }

    /// Statements of a helper; what they assign is their own.
    fn statements(&mut self, n: usize, depth: usize, callable: usize, out: &mut String) {
        for _ in 0..n {
            match self.rng.below(if depth > 0 { 6 } else { 4 }) {
                0 | 1 => {
                    // Its own name is in scope where its value is computed.
                    let Some(name) = self.free() else { continue };
                    let value = self.value(2, callable);
                    let mut words = value.split(|c: char| !c.is_alphanumeric());
                    let reads_itself = words.any(|word| word == name);
                    // What a macro names is seen where it stands.
                    let visible = self.visible(&[Kind::Double, Kind::Int], false);
                    if reads_itself || visible.contains(&name) && value.contains('M') {
                        continue;
                    }
                    let _ = write!(out, " double {name} = {value};");
                    self.declare(name, Kind::Double);
                }
                2 | 3 => {
                    let own = self.visible(&[Kind::Double], true);
                    if own.is_empty() {
                        continue;
                    }
                    let name = *self.rng.pick(&own);
                    let op = *self.rng.pick(&["=", "=", "+=", "*="]);
                    let value = self.value(2, callable);
                    let _ = write!(out, " {name} {op} {value};");
                }
                4 => {
                    out.push_str(" {");
                    self.block(depth - 1, callable, out);
                }
                _ => {
                    let (x, y) = (self.value(1, callable), self.value(1, callable));
                    let _ = write!(out, " if ({x} > {y}) {{");
                    if self.rng.chance(30) {
                        let value = self.value(1, callable);
                        let _ = write!(out, " return {value}; }}");
                    } else {
                        self.block(depth - 1, callable, out);
                    }
                }
            }
        }
    }

    fn block(&mut self, depth: usize, callable: usize, out: &mut String) {
        self.scopes.push(BTreeMap::new());
        let n = 1 + self.rng.below(2);
        self.statements(n, depth, callable, out);
        self.scopes.pop();
        out.push_str(" }");
    }

    /// A helper that calls those before it; its head without what follows it, and its body.
    fn helper(&mut self, number: usize) -> (String, String) {
        self.scopes.push(BTreeMap::new());
        let mut params = Vec::new();
        for _ in 0..1 + self.rng.below(2) {
            if let Some(name) = self.free() {
                params.push(name);
                self.declare(name, Kind::Double);
            }
        }
        let list: Vec<String> = params.iter().map(|name| format!("double {name}")).collect();
        let list = match list.is_empty() {
            true => "void".to_string(),
            false => list.join(", "),
        };
        let head = format!("static double f{number}({list})");
        let mut body = String::from("{");
        if self.rng.chance(40) {
            let n = 1 + self.rng.below(3);
            // Parameters and variables of a function share a scope.
            self.statements(n, 2, number, &mut body);
        }
        let value = self.value(3, number);
        let _ = write!(body, " return {value}; }}");
        self.scopes.pop();
        self.helpers.push(Helper {
            n_params: params.len(),
            late: self.rng.chance(35),
        });
        (head, body)
    }

    /// What stands before functions.
    fn file_scope(&mut self) -> String {
        let mut out = String::from("#include <math.h>\n#include <stdio.h>\n");
        for _ in 0..self.rng.below(4) {
            let Some(name) = self.free() else { continue };
            let value = self.literal();
            match self.rng.below(8) {
                0 => {
                    let _ = writeln!(out, "#define {name} {value}");
                    self.declare(name, Kind::Constant);
                }
                1 => {
                    let _ = writeln!(out, "static int {name} = {};", self.rng.range(1, 3));
                    self.declare(name, Kind::Int);
                }
                _ => {
                    let _ = writeln!(out, "static double {name} = {value};");
                    self.declare(name, Kind::Double);
                }
            }
        }
        if self.rng.chance(30) {
            let names = LETTERS
                .into_iter()
                .filter(|name| !self.scopes[0].contains_key(name));
            let names: Vec<&str> = names.collect();
            self.members = names.into_iter().filter(|_| self.rng.chance(50)).collect();
        }
        if !self.members.is_empty() {
            let list = self.members.join(", ");
            let values: Vec<&str> = self.members.iter().map(|_| "0.4").collect();
            let _ = writeln!(
                out,
                "static struct {{ double {list}; }} p = {{ {} }};",
                values.join(", ")
            );
        }
        if self.rng.chance(40) {
            for n in 0..1 + self.rng.below(2) {
                let Some(param) = self.free() else { continue };
                // What else it names is found where it is used: at file scope, or hidden there.
                let globals = self.visible(&[Kind::Double, Kind::Int, Kind::Constant], false);
                let other = match globals.is_empty() {
                    true => self.literal(),
                    false => (*self.rng.pick(&globals)).to_string(),
                };
                if n == self.n_macros {
                    let _ = writeln!(
                        out,
                        "#define M{n}({param}) (0.5 * ({param}) + 0.125 * {other})"
                    );
                    self.n_macros += 1;
                }
            }
        }
        out
    }

    fn text(&mut self) -> String {
        let mut out = self.file_scope();
        let helpers: Vec<(String, String)> =
            (0..2 + self.rng.below(3)).map(|n| self.helper(n)).collect();
        for ((head, body), helper) in helpers.iter().zip(&self.helpers) {
            match helper.late {
                true => {
                    let _ = writeln!(out, "{head};");
                }
                false => {
                    let _ = writeln!(out, "{head}\n{body}");
                }
            }
        }
        // Arrays are at file scope or of `main`, under letters or names of their own.
        let [u, v] = self.arrays();
        let in_main =
            self.rng.chance(40) || [u, v].iter().any(|name| self.scopes[0].contains_key(name));
        let arrays = format!("static double {u}[{SIDE}][{SIDE}], {v}[{SIDE}][{SIDE}];\n");
        if !in_main {
            out.push_str(&arrays);
            self.declare_array(u);
            self.declare_array(v);
        }
        out.push_str("int main(void)\n{\n");
        self.scopes.push(BTreeMap::new());
        if in_main {
            let _ = write!(out, "  {arrays}");
            self.declare_array(u);
            self.declare_array(v);
        }
        self.main_locals(&[u, v], &mut out);
        self.loops(u, v, &mut out);
        out.push_str("  return 0;\n}\n");
        self.scopes.pop();
        for ((head, body), helper) in helpers.iter().zip(&self.helpers) {
            if helper.late {
                let _ = writeln!(out, "{head}\n{body}");
            }
        }
        out
    }

    fn arrays(&mut self) -> [&'static str; 2] {
        let mut names = ["u", "v"];
        for at in 0..2 {
            if self.rng.chance(40)
                && let Some(name) = self.free()
                && !names.contains(&name)
            {
                names[at] = name;
            }
        }
        names
    }

    fn declare_array(&mut self, name: &'static str) {
        self.declare(name, Kind::Square);
    }

    fn main_locals(&mut self, not: &[&str], out: &mut String) {
        for _ in 0..self.rng.below(3) {
            if let Some(name) = self.free()
                && !not.contains(&name)
            {
                let value = self.literal();
                let _ = writeln!(out, "  double {name} = {value};");
                self.declare(name, Kind::Double);
            }
        }
    }

    /// Iterators of the time loop, rows and columns, which hide other names.
    fn iterators(&mut self, not: &[&str]) -> [&'static str; 3] {
        let mut names = ["t", "i", "j"];
        for at in 0..3 {
            let letter = self.letter();
            let is_macro = self.scopes[0].get(letter) == Some(&Kind::Constant);
            if self.rng.chance(25)
                && !is_macro
                && !names.contains(&letter)
                && !not.contains(&letter)
            {
                names[at] = letter;
            }
        }
        names
    }

    fn loops(&mut self, u: &'static str, v: &'static str, out: &mut String) {
        let [t, i, j] = self.iterators(&[u, v]);
        let all = |start: i64| {
            format!(
                "for (int {i} = {start}; {i} < {0}; {i}++) for (int {j} = {start}; {j} < {0}; {j}++)",
                SIDE - start
            )
        };
        let _ = writeln!(
            out,
            "  {} {u}[{i}][{j}] = {v}[{i}][{j}] = ({i} * 7 + {j} * 3) % 11 / 11.0;",
            all(0)
        );
        let _ = writeln!(out, "  for (int {t} = 0; {t} < 5; {t}++) {{");
        self.scopes.push(BTreeMap::from([(t, Kind::Int)]));
        if self.rng.chance(20)
            && let Some(name) = self.free()
            && ![u, v, i, j].contains(&name)
        {
            let value = self.value(1, 0);
            if !value
                .split(|c: char| !c.is_alphanumeric())
                .any(|w| w == name)
                && !value.contains('M')
            {
                let _ = writeln!(out, "    double {name} = {value};");
                self.declare(name, Kind::Double);
            }
        }
        // Iterators in values would be sums of what is large.
        self.scopes
            .push(BTreeMap::from([(i, Kind::Square), (j, Kind::Square)]));
        let callable = self.helpers.len();
        let n = self.rng.below(callable);
        let call = |maker: &mut Maker, n: usize| {
            let places = ["[1+i][j]", "[i][j]", "[i][j-1]"];
            let args: Vec<String> = (0..maker.helpers[n].n_params)
                .map(|_| match maker.rng.chance(70) {
                    true => {
                        let place = maker.rng.pick(&places);
                        format!("{u}{}", place.replace('i', i).replace('j', j))
                    }
                    false => maker.value(1, callable),
                })
                .collect();
            format!("f{n}({})", args.join(", "))
        };
        let first = call(self, n);
        let second = match self.rng.chance(50) {
            true => {
                let n = self.rng.below(callable);
                call(self, n)
            }
            false => self.value(1, callable),
        };
        let _ = writeln!(
            out,
            "    {}\n      {v}[{i}][{j}] = 0.2 * {u}[{i}-1][{j}] + 0.3 * {first} + 0.1 * {second};",
            all(1)
        );
        let _ = writeln!(out, "    {} {u}[{i}][{j}] = {v}[{i}][{j}];", all(1));
        self.scopes.pop();
        self.scopes.pop();
        out.push_str("  }\n  double sum = 0;\n");
        let _ = writeln!(
            out,
            "  {} sum += {u}[{i}][{j}] * (({i} * 5 + {j}) % 7);",
            all(0)
        );
        out.push_str("  printf(\"%.15g\\n\", sum);\n");
        let shown = self.visible(&[Kind::Double, Kind::Int, Kind::Constant], false);
        for name in shown {
            let _ = writeln!(out, "  printf(\"%.15g\\n\", (double){name});");
        }
    }
}
