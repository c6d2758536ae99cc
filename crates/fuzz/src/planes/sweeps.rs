//! The sweeps over planes with components: each component has a stencil of its own and uses others.

use super::components::{Maker, Scope, Sweep};
use super::steps::ghosts;
use std::fmt::Write;

fn off(name: &str, d: i64) -> String {
    match d {
        0 => name.to_string(),
        d if d < 0 => format!("{name} - {}", -d),
        d => format!("{name} + {d}"),
    }
}

impl Maker {
    fn f(&self) -> &'static str {
        if self.ty == "float" { "f" } else { "" }
    }

    /// What a step does with the planes, before they move.
    pub(super) fn step(&mut self, scope: &Scope) -> String {
        let mut text = self.filled_ghosts(scope);
        text.push_str(&match self.sweep {
            Sweep::Cells => self.cells(scope),
            Sweep::Nests => (0..self.n_components)
                .map(|k| self.nest(scope, k))
                .collect(),
            Sweep::Around => self.around(scope),
            Sweep::Inside => self.inside(scope),
            Sweep::Offsets => self.offsets(scope),
        });
        for _ in 0..self.rng.below(6).saturating_sub(3) {
            let update = self.update(scope);
            text.push_str(&update);
        }
        text
    }

    /// Ghost cells of all components, in a loop or one by one.
    fn filled_ghosts(&mut self, scope: &Scope) -> String {
        let Some(goes_around) = self.ghosts else {
            return String::new();
        };
        let of = |k: &str| {
            let cell = |i: &str, j: &str| self.cell(scope, 0, k, i, j);
            ghosts(&cell, scope.sizes(), goes_around)
        };
        match self.n_components > 4 {
            true => format!("    for (int k = 0; k < K; k++) {{\n{}    }}\n", of("k")),
            false => (0..self.n_components).map(|k| of(&k.to_string())).collect(),
        }
    }

    /// A stencil of component `k`, without what it takes of others.
    fn stencil(&mut self, scope: &Scope, k: &str) -> String {
        let f = self.f();
        let mut value = format!("0.5{f} * {}", self.cell(scope, 0, k, "i", "j"));
        for _ in 0..1 + self.rng.below(3) {
            let (i, j) = (self.rng.range(-1, 1), self.rng.range(-1, 1));
            let cell = self.cell(scope, 0, k, &off("i", i), &off("j", j));
            let _ = write!(value, " + 0.1{f} * {cell}");
        }
        if self.n_planes == 3 {
            let _ = write!(value, " - 0.125{f} * {}", self.cell(scope, 2, k, "i", "j"));
        }
        value
    }

    /// Component number `k`; `near` tells whether the next plane is used at other cells, too.
    fn value(&mut self, scope: &Scope, k: usize, near: bool) -> String {
        let f = self.f();
        let mut value = self.stencil(scope, &k.to_string());
        for _ in 0..1 + self.rng.below(2) {
            let other = (k + 1 + self.rng.below(self.n_components - 1)) % self.n_components;
            // The next plane has the components before.
            let is_next = other < k && self.rng.chance(30);
            let d = match is_next && !near {
                true => [0, 0],
                false => [self.rng.range(-1, 1), self.rng.range(-1, 1)],
            };
            let [i, j] = [off("i", d[0]), off("j", d[1])];
            let sign = *self.rng.pick(&["+", "-"]);
            let cell = self.cell(scope, usize::from(is_next), &other.to_string(), &i, &j);
            let _ = write!(value, " {sign} 0.05{f} * {cell}");
        }
        value
    }

    fn loops(scope: &Scope) -> String {
        let [n, m] = scope.sizes();
        format!("    for (int i = 1; i < {n} - 1; i++)\n      for (int j = 1; j < {m} - 1; j++)")
    }

    fn cells(&mut self, scope: &Scope) -> String {
        let mut text = format!("{} {{\n", Self::loops(scope));
        for k in 0..self.n_components {
            let value = self.value(scope, k, false);
            let cell = self.cell(scope, 1, &k.to_string(), "i", "j");
            let _ = writeln!(text, "        {cell} = {value};");
        }
        text + "      }\n"
    }

    fn nest(&mut self, scope: &Scope, k: usize) -> String {
        let value = self.value(scope, k, true);
        let cell = self.cell(scope, 1, &k.to_string(), "i", "j");
        format!("{}\n        {cell} = {value};\n", Self::loops(scope))
    }

    /// A loop over components, around the nest or in its middle.
    fn around(&mut self, scope: &Scope) -> String {
        let f = self.f();
        let [n, m] = scope.sizes();
        let other = *self
            .rng
            .pick(&["(k + 1) % K", "(k + K - 1) % K", "K - 1 - k", "0"]);
        let value = self.stencil(scope, "k");
        let cell = self.cell(scope, 1, "k", "i", "j");
        let [i, j] = [
            off("i", self.rng.range(-1, 1)),
            off("j", self.rng.range(-1, 1)),
        ];
        let coupled = self.cell(scope, 0, other, &i, &j);
        let mut heads = [
            "for (int k = 0; k < K; k++)".to_string(),
            format!("for (int i = 1; i < {n} - 1; i++)"),
            format!("for (int j = 1; j < {m} - 1; j++)"),
        ];
        if self.rng.chance(30) {
            heads.swap(0, 1);
        }
        format!(
            "    {}\n      {}\n        {}\n          {cell} = {value} - 0.05{f} * {coupled};\n",
            heads[0], heads[1], heads[2]
        )
    }

    /// Loops over components in each cell: one that sums, one that stores.
    fn inside(&mut self, scope: &Scope) -> String {
        let (ty, f) = (self.ty, self.f());
        let value = self.stencil(scope, "k");
        let read = self.cell(scope, 0, "k", "i", "j");
        let cell = self.cell(scope, 1, "k", "i", "j");
        format!(
            "{} {{\n        {ty} all = 0;\n        for (int k = 0; k < K; k++)\n          all += {read};\n        for (int k = 0; k < K; k++)\n          {cell} = {value} - 0.02{f} * all;\n      }}\n",
            Self::loops(scope)
        )
    }

    /// The same with what comes from the neighbour that a table tells.
    fn offsets(&mut self, scope: &Scope) -> String {
        let (ty, f) = (self.ty, self.f());
        let [n, m] = scope.sizes();
        let (loops, i, j) = match self.goes_around {
            true => (
                format!("    for (int i = 0; i < {n}; i++)\n      for (int j = 0; j < {m}; j++)"),
                format!("(i + {n} - di[k]) % {n}"),
                format!("(j + {m} - dj[k]) % {m}"),
            ),
            false => (Self::loops(scope), "i - di[k]".into(), "j - dj[k]".into()),
        };
        let from = self.cell(scope, 0, "k", &i, &j);
        let to = self.cell(scope, 1, "k", "i", "j");
        let last = match self.n_planes {
            3 => format!(" - 0.125{f} * {}", self.cell(scope, 2, "k", "i", "j")),
            _ => String::new(),
        };
        let for_k = "for (int k = 0; k < K; k++)";
        match self.rng.below(3) {
            // Numbers of the cell in an array of its own.
            0 => format!(
                "{loops} {{\n        {ty} here[K], all = 0;\n        {for_k} {{\n          here[k] = {from};\n          all += here[k];\n        }}\n        {for_k}\n          {to} = here[k] + 0.3{f} * (weight[k] * all - here[k]){last};\n      }}\n"
            ),
            1 => format!(
                "{loops} {{\n        {ty} all = 0;\n        {for_k}\n          all += weight[k] * {from};\n        {for_k}\n          {to} = 0.9{f} * {from} + weight[k] * 0.1{f} * all{last};\n      }}\n"
            ),
            // What streams, and then what collides.
            _ => {
                let all = Self::loops(scope);
                format!(
                    "{loops}\n        {for_k}\n          {to} = {from}{last};\n{all} {{\n        {ty} all = 0;\n        {for_k}\n          all += {to};\n        {for_k}\n          {to} += 0.3{f} * (weight[k] * all - {to});\n      }}\n"
                )
            }
        }
    }

    /// An update of a cell, or of cells in a row, behind the sweep.
    fn update(&mut self, scope: &Scope) -> String {
        let f = self.f();
        let [n, m] = scope.sizes();
        let k = self.rng.below(self.n_components).to_string();
        let other = self.rng.below(self.n_components).to_string();
        let kind = self.rng.below(6);
        let [i, j] = [format!("{n} / 2"), format!("{m} / 3")];
        let next = |k: &str, i: &str, j: &str| self.cell(scope, 1, k, i, j);
        let now = |k: &str, i: &str, j: &str| self.cell(scope, 0, k, i, j);
        match kind {
            0 => format!("    {} += 0.5{f};\n", next(&k, &i, &j)),
            1 => format!(
                "    {} = 0.5{f} * {};\n",
                next(&k, &i, &j),
                now(&other, &i, &j)
            ),
            2 => format!(
                "    for (int j = 0; j < {m}; j++)\n      {} = 0.25{f} * {};\n",
                next(&k, "0", "j"),
                now(&other, "1", "j")
            ),
            3 => format!(
                "    for (int i = 1; i < {n} - 1; i++)\n      {} = -{};\n",
                next(&k, "i", "0"),
                next(&other, "i", "1")
            ),
            4 => format!(
                "    for (int k = 0; k < K; k++)\n      {} -= 0.125{f} * {};\n",
                next("k", &i, &j),
                now("k", &i, &j)
            ),
            _ => format!(
                "    for (int k = 0; k < K; k++)\n      for (int j = 0; j < {m}; j++)\n        {} = {};\n",
                next("k", "0", "j"),
                now("k", "1", "j")
            ),
        }
    }
}
