//! What tiles record of time steps, in streamed kernels of rows: [`crate::kernel::stream::Record`].

use super::Printer;
use crate::back::expr::{Row, body_with};
use crate::back::text::add_constant;
use crate::ctype::CType;
use crate::ir::Fold;
use crate::kernel::stream::Record;

/// Names that the text of records uses.
pub(super) const FIXED: &[&str] = &[
    "unsure", "record", "Results", "results", "Number", "part", "word", "seen", "before", "bits",
    "after", "Word", "in_order", "nothing", "to", "half", "all", "number",
];

/// Folds what a warp has into memory.
const RECORD: &str = r"// Folds what the lanes of a warp have into a number that other warps fold into, too.
template <typename Number, typename Word> __device__ __forceinline__ void record(typename Number::Value *to, typename Number::Value part, int lane) {
  using Value = typename Number::Value;
#pragma unroll
  for (int away = 16; away > 0; away /= 2) part = Number::with(part, __shfl_xor_sync(~0u, part, away));
  if (lane > 0) return;
  Word *const word = (Word *)to, before = *(volatile Word *)word;
  for (Word seen = before;;) {
    Value value;
    memcpy(&value, &seen, sizeof(Value));
    const Value after = Number::with(value, part);
    Word bits;
    memcpy(&bits, &after, sizeof(Value));
    if (bits == seen) return;
    const Word now = atomicCAS(word, seen, bits);
    if (now == seen) return;
    seen = now;
  }
}
";

/// Folds what all tiles have, in one order.
const IN_ORDER: &str = r"// Folds what all tiles have of the time steps of a launch into the numbers of these, in an order that is always the same.
template <typename Number, typename Element> __global__ void __launch_bounds__(256) in_order(Element *to, const typename Number::Value *parts, int n) {
  __shared__ typename Number::Value all[256];
  const int number = threadIdx.x;
  typename Number::Value part = Number::nothing();
  for (int k = number; k < n; k += 256) part = Number::with(part, parts[(size_t)blockIdx.x * n + k]);
  all[number] = part;
  for (int half = 128; half > 0; half /= 2) {
    __syncthreads();
    if (number < half) all[number] = Number::with(all[number], all[number + half]);
  }
  if (number == 0) to[blockIdx.x] = (Element)Number::with(to[blockIdx.x], all[0]);
}
";

/// What folds to nothing, for terms of a type.
fn nothing(fold: Fold, ty: CType) -> String {
    let smallest = match ty {
        CType::Float | CType::Double => "-INFINITY".to_string(),
        CType::UInt(_) => "0".to_string(),
        CType::Int(8) => "LLONG_MIN".to_string(),
        _ => "INT_MIN".to_string(),
    };
    let largest = match ty {
        CType::Float | CType::Double => "INFINITY",
        CType::UInt(8) => "ULLONG_MAX",
        CType::UInt(_) => "UINT_MAX",
        CType::Int(8) => "LLONG_MAX",
        _ => "INT_MAX",
    };
    match fold {
        Fold::Sum | Fold::Or | Fold::Xor => "0".to_string(),
        Fold::Product => "1".to_string(),
        Fold::And => format!("~({ty})0"),
        _ if fold.takes_larger() => smallest,
        _ => largest.to_string(),
    }
}

impl Printer<'_> {
    /// The name of what a tile has of a record.
    fn part(&self, record: &Record) -> String {
        let array = &self.ir.stencil.arrays[record.array];
        format!("{}_part", self.names.get(&array.name))
    }

    /// The same of the time step `t0 + s`.
    pub(super) fn part_of_step(&self, record: &Record) -> String {
        format!("{}[s]", self.part(record))
    }

    /// Where tiles put what they have of a record whose terms are folded in order.
    fn parts(&self, record: &Record) -> String {
        format!("{}s", self.part(record))
    }

    /// Lines for each record whose terms are folded in order, given its number and where tiles put what they have of it.
    fn in_order(&mut self, lines: impl Fn(&Self, usize, &str) -> Vec<String>) {
        let ir = self.ir;
        for (r, record) in ir.records.iter().enumerate().filter(|(_, r)| r.rounds()) {
            for line in lines(self, r, &self.parts(record)) {
                self.out.line(line);
            }
        }
    }

    /// What a tile is told, where it puts what it has of a record.
    pub(super) fn index_of_tile(&self, ty: &str) -> String {
        match self.ir.rounds() {
            Some(_) => format!("{ty}index, "),
            None => String::new(),
        }
    }

    /// The fields of `Pass` for records whose terms are folded in order.
    pub(super) fn parts_of_pass(&mut self) {
        self.in_order(|printer, r, parts| {
            let record = &printer.ir.records[r];
            let (of, ty) = (&printer.ir.stencil.arrays[record.array].name, record.ty);
            let tile = match printer.ir.has_planes() {
                true => "warp",
                false => "tile",
            };
            vec![format!(
                "{ty} *{parts}; // of each time step, what each {tile} has of {of}"
            )]
        });
        if self.ir.rounds().is_some() {
            self.out.line(match self.ir.has_planes() {
                true => "int n_parts; // warps",
                false => "int n_parts; // tiles",
            });
        }
    }

    /// Allocates memory for what tiles have, before launches of `sizes[@]` time steps.
    pub(super) fn allocate_parts(&mut self) {
        if self.ir.rounds().is_none() {
            return;
        }
        self.out.line(match self.streams() {
            _ if self.ir.has_planes() => "pass.n_parts = (int)grid * WARPS;",
            true => "pass.n_parts = (pass.tiles > 1 ? 2 : 1) * pass.end_chunks + (pass.tiles > 2 ? pass.tiles - 2 : 0) * pass.chunks;",
            false => "pass.n_parts = pass.tiles;",
        });
        self.in_order(|_, _, parts| vec![format!("if (error == cudaSuccess) error = cudaMallocAsync((void **)&pass.{parts}, sizeof *pass.{parts} * sizes[@] * pass.n_parts, stream);")]);
    }

    /// Folds what tiles have after each of these launches.
    pub(super) fn fold_parts(&mut self) {
        self.in_order(|printer, r, parts| {
            let record = &printer.ir.records[r];
            let array = &printer.ir.stencil.arrays[record.array];
            let (name, elem) = (printer.names.get(&array.name), array.elem);
            let step = add_constant("pass.t0", record.offset);
            vec![format!("in_order<Number{r}, {elem}><<<sizes[@], 256, 0, stream>>>(args.{name} + {step}, pass.{parts}, pass.n_parts);")]
        });
    }

    /// Frees the memory again, behind them.
    pub(super) fn free_parts(&mut self) {
        self.in_order(|_, _, parts| {
            vec![
                format!("if (pass.{parts}) cudaFreeAsync(pass.{parts}, stream);"),
                format!("pass.{parts} = nullptr;"),
            ]
        });
    }

    /// The types that fold, and what does.
    pub(super) fn record_types(&mut self) {
        if self.ir.records.is_empty() {
            return;
        }
        for (r, record) in self.ir.records.iter().enumerate() {
            let (ty, name) = (record.ty, &self.ir.stencil.arrays[record.array].name);
            let call = |name: &str, args: &str| format!("{name}({args})");
            let with = record.fold.text("x", "e", ty, &call);
            // What is NaN once stays so.
            let with = match record.becomes_nan() {
                true => format!("x != x ? x : {with}"),
                false => with,
            };
            self.out
                .line(format!("// How values of cells fold into `{name}`."));
            let nothing = match record.rounds() {
                true => format!(
                    "\n  static __device__ __forceinline__ Value nothing() {{ return {}; }}",
                    nothing(record.fold, ty)
                ),
                false => String::new(),
            };
            self.out.line(format!(
                "struct Number{r} {{\n  using Value = {ty};\n  static __device__ __forceinline__ Value with(Value x, Value e) {{ return {with}; }}{nothing}\n}};"
            ));
        }
        if !self.ir.records.iter().all(Record::rounds) {
            self.out.text.push_str(RECORD);
        }
        if self.ir.rounds().is_some() {
            self.out.text.push_str(IN_ORDER);
        }
        self.out.line("");
    }

    /// What a tile has of each record so far: nothing.
    pub(super) fn begin_records(&mut self) {
        for record in &self.ir.records {
            let (part, ty) = (self.part(record), record.ty);
            let of = &self.ir.stencil.arrays[record.array].name;
            let nothing = nothing(record.fold, ty);
            self.out.line(format!(
                "{ty} {part}[Steps]; // of the lane's results, what {of} has of each time step"
            ));
            self.out.line("#pragma unroll");
            self.out.line(format!(
                "for (int s = 0; s < Steps; ++s) {part}[s] = {nothing};"
            ));
        }
        if self.ir.records.iter().any(Record::becomes_nan) {
            self.out.line(
                "bool unsure = false; // whether a value is NaN: what C has depends on the order of cells then",
            );
        }
    }

    /// Folds the results of one row of a level.
    pub(super) fn fold_row(&mut self, r: usize) {
        let record = &self.ir.records[r];
        let stmt = &record.stmt;
        let (i, j) = (self.i.clone(), self.j.clone());
        let part = self.part_of_step(record);
        let row = self.row_number(self.ir.fields.len() + r, "s + 1");
        self.out.open("{");
        self.out.line(format!("// {}", stmt.comment(&stmt.text)));
        self.out.line(format!("const int {i} = {row};"));
        if self.streams() {
            self.out.open(format!(
                "if (Results || (unsigned)({i} - i_first) <= (unsigned)(i_last - i_first)) {{"
            ));
        }
        self.out.line("#pragma unroll");
        self.out.open("for (int v = 0; v < V; ++v) {");
        self.out
            .line(format!("[[maybe_unused]] const int {j} = column + v;"));
        self.out
            .open(format!("if (Full || in_{}({i}, v)) {{", stmt.name));
        let reads: Vec<String> = (record.piece.reads.iter())
            .map(|read| match read {
                crate::kernel::stream::StreamRead::Recorded => part.clone(),
                read => self.read(read),
            })
            .collect();
        self.fold_cell(record, &reads);
        self.out.close("}");
        self.out.close("}");
        if self.streams() {
            self.out.close("}");
        }
        self.out.close("}");
    }

    /// Folds what a cell has, given what the statement reads.
    fn fold_cell(&mut self, record: &Record, reads: &[String]) {
        let part = self.part_of_step(record);
        let body = body_with(&record.stmt, &self.names, reads, Row::No);
        for line in body.definitions {
            self.out.line(line);
        }
        self.out.line(format!("{part} = {};", body.value));
        if record.becomes_nan() {
            self.out.line(format!("unsure |= {part} != {part};"));
        }
    }

    /// The cells of a patch that are results, in three space dimensions.
    pub(super) fn cells_of_results(&mut self) {
        if self.ir.records.is_empty() {
            return;
        }
        let j = self.middle.clone();
        let lines = [
            "unsigned result_cells = 0; // of the patch, bit by bit, those of the tile's results"
                .to_string(),
            "#pragma unroll".to_string(),
            "for (int c = 0; c < R * V; ++c) {".to_string(),
            format!("  const int row = warp * R + c / V - Shape::ABOVE, {j} = {j}_mine + c / V;"),
            format!(
                "  result_cells |= (unsigned)(results && row >= 0 && row < Shape::HEIGHT && {j} <= pass.{j}_hi) << c;"
            ),
            "}".to_string(),
        ];
        for line in lines {
            self.out.line(line);
        }
    }

    /// Folds the results of one plane of a level.
    pub(super) fn fold_plane(&mut self, r: usize) {
        let record = &self.ir.records[r];
        let stmt = &record.stmt;
        let (i, j, k) = (self.i.clone(), self.middle.clone(), self.j.clone());
        let plane = self.row_number(self.ir.fields.len() + r, "s + 1");
        self.out.open("{");
        self.out.line(format!("// {}", stmt.comment(&stmt.text)));
        self.out.line(format!("const int {i} = {plane};"));
        self.out.line(format!(
            "const unsigned here = (unsigned)({i} - {i}_first) <= (unsigned)({i}_last - {i}_first) ? in_{}({i}) & result_cells : 0;",
            stmt.name
        ));
        self.out.line("#pragma unroll");
        self.out.open("for (int c = 0; c < R * V; ++c) {");
        self.out.line("const int r = c / V, v = c % V;");
        self.out.line(format!(
            "[[maybe_unused]] const int {j} = {j}_mine + r, {k} = column + v;"
        ));
        self.out.open("if (has(here, r, v)) {");
        let reads = self.plane_reads(&record.piece, &[]);
        self.fold_cell(record, &reads);
        self.out.close("}");
        self.out.close("}");
        self.out.close("}");
    }

    /// Folds what the tile has into memory.
    pub(super) fn end_records(&mut self) {
        for (r, record) in self.ir.records.iter().enumerate() {
            let (part, ty) = (self.part(record), record.ty);
            let name = self.names.get(&self.ir.stencil.arrays[record.array].name);
            let word = match ty.size() {
                8 => "unsigned long long",
                _ => "unsigned",
            };
            let step = add_constant("pass.t0 + s", record.offset);
            let nothing = nothing(record.fold, ty);
            let own = match record.becomes_nan() {
                true => format!("unsure ? ({ty})NAN : {part}[s]"),
                false => format!("{part}[s]"),
            };
            // Cells of planes that are no results fold into nothing.
            let has_planes = self.ir.has_planes();
            let of_results = |nothing: &str| match has_planes {
                true => own.clone(),
                false => format!("stores ? {own} : {nothing}"),
            };
            let index = match has_planes {
                true => "blockIdx.x * WARPS + warp",
                false => "index",
            };
            self.out.line("#pragma unroll");
            if record.rounds() {
                let parts = self.parts(record);
                self.out.open("for (int s = 0; s < Steps; ++s) {");
                self.out
                    .line(format!("{ty} all = {};", of_results(&nothing)));
                self.out.line("#pragma unroll");
                self.out.line(format!("for (int away = 16; away > 0; away /= 2) all = Number{r}::with(all, __shfl_xor_sync(~0u, all, away));"));
                self.out.line(format!(
                    "if (lane == 0) pass.{parts}[(size_t)s * pass.n_parts + {index}] = all;"
                ));
                self.out.close("}");
                continue;
            }
            self.out.line(format!(
                "for (int s = 0; s < Steps; ++s) record<Number{r}, {word}>(args.{name} + {step}, {}, lane);",
                of_results(&format!("({ty}){nothing}"))
            ));
        }
    }
}
