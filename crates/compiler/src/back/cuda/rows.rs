//! The rows of a tile: loops over its points, and what happens at a point.

use super::Cuda;
use crate::back::expr::{ast_to_c, body};
use crate::back::names::mentions;
use crate::back::text::truncate;
use crate::kernel::{KernelStmt, Row, Sub};

impl Cuda<'_> {
    pub(super) fn rows(&mut self) {
        let ir = self.ir;
        self.guard_bounds();
        self.out.line("");
        self.out.line(format!(
            "// Row a runs at time t = {} + a / K.",
            self.origins[0]
        ));
        if self.ir.unrolls_rows() {
            self.out.line("#pragma unroll");
            self.out.open("for (int a = 0; a < ROWS; ++a) {");
            self.out
                .line("if (!Full && (a < a_first || a >= a_end)) continue;");
        } else {
            self.out.line("#pragma unroll 1");
            self.out
                .open("for (int a = Full ? 0 : a_first; a < (Full ? ROWS : a_end); ++a) {");
        }
        let body = self.apart(2, Self::slots);
        if mentions(&body, "t_in") || mentions(&body, &self.dims[0]) {
            self.out.line("const int t_in = a / K;");
        }
        if mentions(&body, &self.dims[0]) {
            let line = format!(
                "const long long {} = {} + t_in;",
                self.dims[0], self.origins[0]
            );
            self.out.line(line);
        }
        for c in &ir.schedule.classical {
            let skew = format!("skew_{}", self.dim(c.dim));
            if mentions(&body, &skew) {
                let d = c.delta1;
                let value = match (d.num, d.den) {
                    (1, 1) => "a".to_string(),
                    (n, 1) => format!("{n} * a"),
                    (1, m) => format!("a / {m}"),
                    (n, m) => format!("{n} * a / {m}"),
                };
                self.out.line(format!("const int {skew} = {value};"));
            }
        }
        self.out.text.push_str(&body);
        if (0..ir.rows.len()).all(|a| ir.barrier_after(a)) {
            self.out.line("__syncthreads();");
        } else {
            let rows: Vec<String> = (0..ir.rows.len())
                .filter(|&a| ir.barrier_after(a))
                .map(|a| format!("a == {a}"))
                .collect();
            self.out.open(format!("if ({})", rows.join(" || ")));
            self.out.line("__syncthreads();");
            self.out.depth -= 1;
        }
        self.out.close("}");
    }

    /// The statements of a row, by slot.
    fn slots(&mut self) {
        let ir = self.ir;
        let k = ir.schedule.k;
        for slot in 0..k {
            let stmts: Vec<usize> = (0..ir.stencil.stmts.len())
                .filter(|&i| ir.stencil.stmts[i].slot == slot)
                .collect();
            if k > 1 {
                self.out.open(format!("if (a % K == {slot}) {{"));
            }
            for i in stmts {
                self.row_of(i, &ir.stencil.stmts[i]);
            }
            if k > 1 {
                self.out.close("}");
            }
        }
    }

    /// Space dimensions in the order of a row's loops: the hexagonal one last,
    /// so that a thread computes all its points of a row one after the other.
    fn loop_order(&self) -> Vec<usize> {
        let hex = self.hex_dim();
        if hex + 1 == self.n_space() {
            return (0..self.n_space()).collect();
        }
        (0..self.n_space())
            .filter(|&j| j != hex)
            .chain([hex])
            .collect()
    }

    fn row_of(&mut self, index: usize, stmt: &KernelStmt) {
        let ir = self.ir;
        let n = self.n_space();
        let text = truncate(&stmt.text, 100);
        self.out.line(format!("// {}", stmt.comment(&text)));
        let mut opened = 0;
        if stmt.partial_only {
            self.out.open("if (!Full) {");
            opened += 1;
        } else if ir
            .stencil
            .stmts
            .iter()
            .filter(|s| s.slot == stmt.slot)
            .count()
            > 1
        {
            self.out.open("{");
            opened += 1;
        }
        let order = self.loop_order();
        let column = self.store_column(index, stmt);
        for &j in &order {
            let innermost = order.last() == Some(&j);
            if innermost && let Some((definition, _)) = &column {
                self.out.line(definition);
            }
            opened += usize::from(self.point_loop(j, innermost));
        }
        let body = self.apart(self.out.depth, |cuda| cuda.point(index, stmt, column));
        for j in 0..n {
            if mentions(&body, self.dim(j)) {
                let line = format!(
                    "const long long {} = {} + {};",
                    self.dim(j),
                    self.origin(j),
                    self.relative(j)
                );
                self.out.line(line);
            }
        }
        self.out.text.push_str(&body);
        for _ in 0..opened {
            self.out.close("}");
        }
    }

    /// Bounds of the statements relative to the tile's origin.
    fn guard_bounds(&mut self) {
        let ir = self.ir;
        let mut lines = Vec::new();
        for stmt in &ir.stencil.stmts {
            let Some(bounds) = &stmt.bounds else { continue };
            let mut parts = Vec::new();
            for (j, sides) in bounds.space.iter().enumerate() {
                for (list, end) in sides.iter().zip(["lo", "hi"]) {
                    let values = list.iter().map(|b| ast_to_c(b, &self.names));
                    let inner = if end == "lo" { "highest" } else { "lowest" };
                    let Some(value) = values.reduce(|a, b| format!("{inner}({a}, {b})")) else {
                        continue;
                    };
                    let (name, origin) = (self.bound_name(stmt, end, j), self.origin(j));
                    parts.push(format!("{name} = relative({value}, {origin})"));
                }
            }
            if !parts.is_empty() {
                lines.push(format!("const int {};", parts.join(", ")));
            }
        }
        if lines.is_empty() {
            return;
        }
        self.out.line("");
        self.out
            .line("// Where statements have instances, relative to the tile's origin.");
        for line in lines {
            self.out.line(line);
        }
    }

    fn bound_name(&self, stmt: &KernelStmt, end: &str, j: usize) -> String {
        format!("{}_{end}_{}", stmt.name, self.dim(j))
    }

    /// The condition that an instance exists, in 32 bits where it is one of bounds.
    fn guard(&self, stmt: &KernelStmt) -> String {
        let Some(bounds) = &stmt.bounds else {
            return ast_to_c(&stmt.guard, &self.names);
        };
        let rest = bounds.rest.as_ref().map(|r| ast_to_c(r, &self.names));
        let mut parts: Vec<String> = rest.into_iter().filter(|r| r != "1").collect();
        for (j, [lower, upper]) in bounds.space.iter().enumerate() {
            let r = self.relative(j);
            if !lower.is_empty() {
                parts.push(format!("{r} >= {}", self.bound_name(stmt, "lo", j)));
            }
            if !upper.is_empty() {
                parts.push(format!("{r} <= {}", self.bound_name(stmt, "hi", j)));
            }
        }
        if parts.is_empty() {
            return "1".to_string();
        }
        parts.join(" && ")
    }

    /// One point: its test, its value, and the stores; `column` as
    /// [`Self::store_column`] gives it.
    fn point(&mut self, index: usize, stmt: &KernelStmt, column: Option<(String, String)>) {
        let ir = self.ir;
        let guard = self.guard(stmt);
        if stmt.partial_only {
            self.out.line(format!("if (!({guard})) continue;"));
        } else {
            self.out.line(format!("if (!Full && !({guard})) continue;"));
            if let Some(lattice) = &stmt.lattice {
                let lattice = ast_to_c(lattice, &self.names);
                self.out
                    .line(format!("if (Full && !({lattice})) continue;"));
            }
        }
        let computed = body(&ir.stencil, stmt, &self.names, |access| self.access(access));
        for definition in computed.definitions {
            self.out.line(definition);
        }
        let value = computed.value;
        let array = &ir.stencil.arrays[stmt.write.array];
        let target = self.access(&stmt.write);
        if array.shared.is_none() {
            self.out.line(format!("{target} = {value};"));
        } else {
            self.out
                .line(format!("const {} value = {value};", array.elem));
            self.out.line(format!("{target} = value;"));
            let address = match column {
                Some((_, address)) => address,
                None => self.store_address(array, &stmt.write),
            };
            let store = format!("*{address} = value;");
            let keep = self.keep_dims(index);
            let later = (array.shared.as_ref()).is_some_and(|s| s.copy_out.is_some());
            if later {
                self.out.open("if (!Full)");
                self.out.line(store);
                self.out.depth -= 1;
            } else if keep.is_empty() && !self.keeps_all(index) {
                self.out.line(store);
            } else {
                let mut parts = vec!["!Full".to_string()];
                for j in keep {
                    let (lo, hi) = self.keep_names(index, j);
                    let r = self.relative(j);
                    let reused = ir.reuses() && ir.chain == Some(j);
                    let part = if self.keep_starts_with_rows(index, j) {
                        format!("{r} > {hi}[a]")
                    } else {
                        format!("{r} < {lo}[a] || {r} > {hi}[a]")
                    };
                    // A row nothing of which is kept has empty intervals in all
                    // dimensions, the hexagonal one included.
                    parts.push(if !reused {
                        part
                    } else if part.contains("||") {
                        format!("(!Reused && ({part}))")
                    } else {
                        format!("(!Reused && {part})")
                    });
                }
                self.out.open(format!("if ({})", parts.join(" || ")));
                self.out.line(store);
                self.out.depth -= 1;
            }
        }
    }

    /// A pointer for the stores of a column of points, defined before the loop along
    /// the hexagonal dimension, and the address of a point's store by it. It is for
    /// stores that a classical dimension guards in all rows: with the address almost
    /// at hand nvcc predicates these stores instead of branching around each.
    fn store_column(&self, index: usize, stmt: &KernelStmt) -> Option<(String, String)> {
        let (ir, hex) = (self.ir, self.hex_dim());
        let array = &ir.stencil.arrays[stmt.write.array];
        let guards = |j: usize| j != hex && !(ir.reuses() && ir.chain == Some(j));
        if array.shared.is_none() || !self.keep_dims(index).into_iter().any(guards) {
            return None;
        }
        let mut start = stmt.write.clone();
        let is_hex = |sub: &Sub| matches!(sub, Sub::Space { dim, .. } if *dim == hex);
        let at = start.subs.iter().position(is_hex)?;
        let n = start.subs.len();
        let Sub::Space { offset, .. } = start.subs[at] else {
            return None;
        };
        let general = |sub: &Sub| matches!(sub, Sub::General { .. });
        if at + 1 == n
            || start.subs.iter().any(general)
            || start.subs.iter().filter(|s| is_hex(s)).count() > 1
        {
            return None;
        }
        let step = if at + 2 == n {
            self.pitch_name(array)
        } else {
            format!("{}_step{at}", self.names.get(&array.name))
        };
        let r = self.relative(hex);
        start.subs[at] = Sub::Const(offset);
        Some((
            format!(
                "{} *const target = {}; // of {r} = 0",
                array.elem,
                self.store_address(array, &start)
            ),
            format!("row(target, {r}, {step})"),
        ))
    }

    /// Opens the loop over a row's points along space dimension `j`. Trip counts
    /// do not depend on the thread or the row, so that unrolled rows are
    /// straight-line code. Whether a brace was opened: a thread with one point
    /// along an outer dimension needs no loop.
    fn point_loop(&mut self, j: usize, innermost: bool) -> bool {
        let ir = self.ir;
        let (r, step) = (self.relative(j), format!("{}_n", self.dim(j)));
        let is_hex = j == self.hex_dim();
        let classical = ir.schedule.classical_dim(j);
        let skew = match classical {
            Some(c) if c.delta1.num != 0 => format!(" - skew_{}", self.dim(j)),
            _ => String::new(),
        };
        let position = ir.block.threads.iter().position(|t| t.0 == j);
        let per_thread = self.ir.points_per_thread(j);
        let part = format!("{}_part", self.dim(j));
        let at = match (position, per_thread) {
            (None, _) => step.clone(),
            (Some(1), _) if is_hex => format!("ty * {part} + {step}"),
            (Some(0), 1) => "tx".to_string(),
            (Some(_), 1) => "ty".to_string(),
            (Some(0), _) => format!("{step} * BLOCK_X + tx"),
            (Some(_), n) => format!("ty * {n} + {step}"),
        };
        let threads = ir.block.along(j);
        let all_inside = classical.is_some_and(|c| c.w == threads * per_thread);
        let shared_hex = is_hex && position == Some(1);
        if shared_hex {
            self.out.line(format!(
                "const int {part} = (row_hi[a] - row_lo[a] + BLOCK_Y) / BLOCK_Y; // even shares of the row"
            ));
        }
        let is_loop = innermost || per_thread > 1 || position.is_none() || !all_inside;
        if is_loop {
            if !ir.switches.unroll {
                self.out.line("#pragma unroll 1");
            } else if ir.shared_bytes > 0 && per_thread > 1 {
                let full_only = if ir.unrolls_rows() {
                    ""
                } else {
                    " (Full ? 64 : 1)"
                };
                self.out.line(format!("#pragma unroll{full_only}"));
            }
            self.out.open(format!(
                "for (int {step} = 0; {step} < {per_thread}; ++{step}) {{"
            ));
        }
        if is_hex {
            self.out.line(format!("const int {r} = row_lo[a] + {at};"));
            self.out.line(if shared_hex {
                format!("if ({step} >= {part} || {r} > row_hi[a]) continue;")
            } else {
                format!("if ({r} > row_hi[a]) continue;")
            });
        } else {
            self.out.line(format!("const int {r} = {at}{skew};"));
            if !all_inside {
                self.out.line(format!(
                    "if ({r} >= {}{skew}) continue;",
                    self.width_name(j)
                ));
            }
        }
        is_loop
    }

    /// Whether the keep boxes of a statement start where the rows do along a
    /// classical dimension, so that only their ends need a test. Rows of which
    /// nothing is kept are told by the hexagonal dimension.
    pub(super) fn keep_starts_with_rows(&self, i: usize, j: usize) -> bool {
        let hex = self.hex_dim();
        let starts = |row: &Row| {
            let keep = &row.stmts[i].keep;
            keep[j].lo <= row.points[j].lo || keep[hex].is_empty()
        };
        j != hex && self.ir.rows.iter().all(starts)
    }

    pub(super) fn keep_names(&self, stmt: usize, j: usize) -> (String, String) {
        let stmt = &self.ir.stencil.stmts[stmt].name;
        (
            format!("{stmt}_keep_lo_{}", self.dim(j)),
            format!("{stmt}_keep_hi_{}", self.dim(j)),
        )
    }

    /// Space dimensions along which a statement's keep box restricts a row;
    /// empty where no instance is kept.
    pub(super) fn keep_dims(&self, i: usize) -> Vec<usize> {
        let stmt = &self.ir.stencil.stmts[i];
        let mine = || self.ir.rows.iter().filter(|r| r.slot == stmt.slot);
        if mine().all(|r| r.stmts[i].keep_reused.iter().any(|k| k.is_empty())) {
            return Vec::new();
        }
        (0..self.n_space())
            .filter(|&j| mine().any(|r| r.stmts[i].keep[j] != r.points[j]))
            .collect()
    }

    /// Whether every instance of a statement is kept in full tiles.
    fn keeps_all(&self, i: usize) -> bool {
        let stmt = &self.ir.stencil.stmts[i];
        (self.ir.rows.iter())
            .filter(|r| r.slot == stmt.slot)
            .all(|r| r.stmts[i].keep == r.points)
    }
}
