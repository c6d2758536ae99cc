//! CUDA C++ for a kernel of overlapped tiling in three space dimensions.
//!
//! The text is blocks.cu with what depends on the stencil filled in, and the step in one of
//! three orders.

use super::arguments::args_fields;
use super::expr::{Row, ast_to_c, bits, body_with, quotients};
use super::names::{Names, declarations};
use super::stream::{around, slabs, with_helpers};
use crate::ctype::CType;
use crate::kernel::KernelStmt;
use crate::kernel::Read;
use crate::kernel::blocks::{BlocksIr, Offset, Order};
use crate::kernel::stream::Slab;

/// Names the printer itself uses; source names that clash get a `_`.
#[rustfmt::skip]
const FIXED: &[&str] = &[
    "V", "R", "WARPS", "THREADS", "STEPS", "RI", "RJ", "RK", "LATE", "HELD", "BACK", "STAGES", "PAGES", "COLS",
    "ROWS", "Element", "QUAD", "UNIT", "LINE", "FIXED_COLUMNS", "FIXED_ROWS", "align_high", "round_up", "wrap", "bit",
    "Shape", "HK", "HJ", "VK", "VJ", "LAG", "PLANE", "PAD", "DUMP", "BESIDE", "BEHIND", "OUT", "PAGE", "BYTES", "Args", "Pass",
    "Row", "Wide", "WIDTH", "widen", "reads", "update", "part", "Plane", "Cells", "sum",
    "a", "kernel", "launch", "compare", "lay_out", "plan", "tensor_map", "advance", "args", "pass", "tile", "stream",
    "one", "many", "buffers", "steps", "times", "error", "device_flag", "differ", "side", "run", "check",
    "t_lo", "t_hi", "i_lo", "i_hi", "j_lo", "j_hi", "k_lo", "k_hi", "n_i", "n_j", "n_k", "mod", "floor_div",
    "lowest", "highest", "prepare", "await", "arrive", "load_plane", "store_plane", "shared_address",
    "wait_published", "wait_loaded", "wait_stored", "x", "Steps", "S",
];

const TEXT: &str = include_str!("blocks.cu");

const RIPPLE_STATE: &str =
    "  Row plane[Steps][HELD][R] = {}; // of every level, the newest overwriting the oldest
";
const RIPPLE: &str = r"      // A new row ripples through all levels. Nobody but its own cells reads what it replaces.
#pragma unroll
      for (int m = 0; m < R; ++m) {
        const int r = nth_row(m);
        Row next = *(const Row *)(in + r * COLS);
#pragma unroll
        for (int t = 0; t < Steps; ++t) {
          Wide x[2 * RI + 1][2 * RJ + 1];
#pragma unroll
          for (int di = -RI; di <= RI; ++di)
#pragma unroll
            for (int dj = -RJ; dj <= RJ; ++dj)
              if (reads(di, dj)) {
                const Row(&held)[R] = plane[t][wrap(newest - RI + di, HELD)];
                const Row own = di == RI ? next : row(held, t, r + dj, RI - di);
                x[di + RI][dj + RJ] = widen(own, reads_left(di, dj), reads_right(di, dj));
              }
          Row result;
#pragma unroll
          for (int v = 0; v < V; ++v) {
            const Element value = update(args, [&](int di, int dj, int dk) { return x[di + RI][dj + RJ][v + dk]; });
            result.x[v] = keep(value, plane[t][wrap(newest - RI, HELD)][r].x[v], t, source - RI * (t + 1), r, v);
          }
          pass_on(result, t, r);
          plane[t][newest][r] = next;
          next = result;
        }
        if (m == OUTER - 1) arrive(published);
      }
";
const LATE: &str = r"      // From the last level to the first, each from planes of earlier steps.
#pragma unroll
      for (int r = 0; r < R; ++r) plane[0][newest][r] = *(const Row *)(in + r * COLS);
#pragma unroll
      for (int t = Steps - 1; t >= 0; --t) {
        const int late = t > 0 ? LATE : 0;
        Wide x[2 * RI + 1][R + 2 * RJ];
#pragma unroll
        for (int di = -RI; di <= RI; ++di)
#pragma unroll
          for (int r = -RJ; r < R + RJ; ++r) {
            bool any = false, left = false, right = false;
#pragma unroll
            for (int dj = -RJ; dj <= RJ; ++dj)
              if (r - dj >= 0 && r - dj < R) any |= reads(di, dj), left |= reads_left(di, dj), right |= reads_right(di, dj);
            if (any) x[di + RI][r + RJ] = widen(row(plane[t][wrap(newest - RI + di - late, HELD)], t, r, RI - di + late), left, right);
          }
#pragma unroll
        for (int m = 0; m < R; ++m) {
          const int r = nth_row(m);
          Row result;
#pragma unroll
          for (int v = 0; v < V; ++v) {
            const Element value = update(args, [&](int di, int dj, int dk) { return x[di + RI][r + dj + RJ][v + dk]; });
            result.x[v] = keep(value, plane[t][wrap(newest - RI - late, HELD)][r].x[v], t, source - RI * (t + 1) - LATE * t, r, v);
          }
          pass_on(result, t, r);
          if (t + 1 < Steps) plane[t + 1][newest][r] = result;
          if (t == 0 && m == OUTER - 1) arrive(published);
        }
      }
";
const CHAIN_STATE: &str = "  Row plane[Steps][R] = {};  // the newest of every level
  Row sums[Steps][2][R] = {}; // parts of the values in the plane before it, and in its own
";
const CHAIN: &str = r"      // A new plane of a level ends the values in the plane before, goes on with its own and starts the next.
#pragma unroll
      for (int r = 0; r < R; ++r) plane[0][r] = *(const Row *)(in + r * COLS);
#pragma unroll
      for (int t = Steps - 1; t >= 0; --t) {
        Wide x[R + 2 * RJ];
#pragma unroll
        for (int r = -RJ; r < R + RJ; ++r) x[r + RJ] = widen(row(plane[t], t, r, t > 0 ? 1 : 0), true, true);
        const int enters = source - (RI + LATE) * t;
#pragma unroll
        for (int m = 0; m < R; ++m) {
          const int r = nth_row(m);
          Row result;
#pragma unroll
          for (int v = 0; v < V; ++v) {
            auto a = [&](int dj, int dk) { return x[r + dj + RJ][v + dk]; };
            Element &before = sums[t][0][r].x[v], &own = sums[t][1][r].x[v];
            result.x[v] = keep(part<1>(args, before, a), before, t, enters - 1, r, v);
            before = keep(part<0>(args, own, a), a(0, 0), t, enters, r, v);
            own = part<-1>(args, 0, a);
          }
          pass_on(result, t, r);
          if (t + 1 < Steps) plane[t + 1][r] = result;
          if (t == 0 && m == OUTER - 1) arrive(published);
        }
      }
";

/// The namer with everything in `Args` named.
pub fn blocks_names(ir: &BlocksIr) -> Names {
    let slabs = ir.slab.iter().flat_map(|_| slabs::FIXED);
    let around = ir.around.iter().flat_map(|_| around::FIXED);
    let fixed: Vec<&str> = (FIXED.iter().chain(slabs).chain(around)).copied().collect();
    Names::of_stencil(&fixed, &ir.stencil)
}

/// The namespace with the kernel and the function that launches it.
pub fn print_blocks(ir: &BlocksIr, header: &[String], launch_name: &str) -> String {
    let names = blocks_names(ir);
    let stencil = &ir.stencil;
    let dims = &stencil.dims;
    let elem = ir.elem();
    let mut args = String::new();
    for line in args_fields(stencil, &names, |_| false) {
        args.push_str(&format!("  {line}\n"));
    }
    let (columns, high) = ir.fixed_columns();
    let align = match high {
        None => "__host__ __device__ constexpr int align_high(int x) { return x; }".to_string(),
        Some(high) => "\
// Tiles lie on 16 bytes, and the domain ends at the same column of a lane in all that it ends in.
__host__ __device__ constexpr int align_high(int x) { while (x % V != @high@) x += QUAD; return x; }"
        .replace("@high@", &high.to_string()),
    };
    let (state, body) = match &ir.order {
        Order::Ripple => (RIPPLE_STATE, RIPPLE),
        Order::Late => (RIPPLE_STATE, LATE),
        Order::Chain(_) => (CHAIN_STATE, CHAIN),
    };
    let [ri, rj, rk] = ir.radius;
    let tile = &ir.tile;
    let passed = ir.slab.as_ref().map_or("", |_| ", slab");
    let tensor = match elem {
        CType::Float => "FLOAT32",
        CType::Double => "FLOAT64",
        CType::Int(8) => "INT64",
        CType::UInt(8) => "UINT64",
        CType::Int(_) => "INT32",
        CType::UInt(_) => "UINT32",
    };
    let numbers = [
        ("V", tile.vector),
        ("R", tile.rows),
        ("WARPS", tile.warps),
        ("STEPS", tile.steps),
        ("RI", ri),
        ("RJ", rj),
        ("RK", rk),
        ("LATE", ir.order.late()),
        ("HELD", ir.held()),
        ("BACK", ir.back()),
        ("STAGES", ir.stages()),
        ("MIN_BLOCKS", tile.min_blocks),
        ("READ", ir.write - 1),
    ];
    let texts = [
        ("STATE\n", state.to_string()),
        ("BODY\n", body.to_string()),
        ("HIGH\n", align + "\n"),
        ("ARGS", args),
        ("UPDATE", update(ir, &names)),
        ("WRAP\n", wrap(ir).to_string()),
        ("BESIDE\n", beside(ir)),
        ("EXCHANGE\n", renewed(ir)),
        ("RUN\n", run(ir)),
        ("DECIDED\n", decided(ir).to_string()),
        ("SLAB", slabs::parameter(ir.slab.is_some()).to_string()),
        ("PASSED", passed.to_string()),
        ("LAUNCH", launch(ir, &names)),
        ("NAME", launch_name.to_string()),
        ("FIXED_COLUMNS", format!("{columns:#x}")),
        ("FIXED_ROWS", format!("{:#x}", ir.fixed_rows())),
        ("Element", elem.to_string()),
        ("Bits", bits(elem).to_string()),
        ("TENSOR", tensor.to_string()),
        ("A", names.get(&stencil.arrays[ir.array].name)),
        ("i", dims[1].clone()),
        ("j", dims[2].clone()),
        ("k", dims[3].clone()),
    ];
    let mut text = TEXT.to_string();
    let all = texts.into_iter().chain(results(ir));
    for (name, value) in all.chain(in_plane(ir)) {
        text = match name.strip_suffix('\n') {
            Some(name) => text.replace(&format!("@{name}@\n"), &value),
            None => text.replace(&format!("@{name}@"), &value),
        };
    }
    for (name, value) in numbers {
        text = text.replace(&format!("@{name}@"), &value.to_string());
    }
    let mut start = String::new();
    for line in header {
        start.push_str(format!("// {line}").trim_end());
        start.push('\n');
    }
    let name = &stencil.name;
    let text = format!(
        "#include <cuda.h>\n\n{start}namespace {name} {{\n\n{text}}} // namespace {name}\n"
    );
    with_helpers(text, name)
}

/// Bits of the rows that a condition on reads selects, one number per plane.
fn rows_where(ir: &BlocksIr, keep: impl Fn(&Offset) -> bool) -> String {
    let [ri, rj, _] = ir.radius;
    let planes: Vec<String> = (-ri..=ri)
        .map(|di| {
            let rows = ir.offsets.iter().filter(|o| o[0] == di && keep(o));
            let bits = rows.fold(0u64, |set, o| set | 1 << (o[1] + rj));
            format!("{bits:#x}")
        })
        .collect();
    planes.join(", ")
}

/// The functions that compute a value, and those that say what they read.
fn update(ir: &BlocksIr, names: &Names) -> String {
    let stmt = ir.stmt();
    let mut text = quotients([stmt], Row::No) + &format!("// {}\n", stmt.comment(&stmt.text));
    text.push_str("// What a cell becomes, from cells at fixed distances");
    if let Order::Chain(parts) = &ir.order {
        text.push_str(", in three parts: from those of one plane, and what lower planes gave.\n");
        text.push_str("template <int Plane, class Cells>\n");
        text.push_str(
            "__device__ __forceinline__ Element part(const Args &args, Element sum, Cells a) {\n",
        );
        let reads = read_texts(ir, names, |o| format!("a({}, {})", o[1], o[2]));
        let bodies = parts.iter().map(|value| {
            let part = KernelStmt {
                value: value.clone(),
                ..stmt.clone()
            };
            let reads: Vec<String> = reads.iter().cloned().chain(["sum".to_string()]).collect();
            body_with(&part, names, &reads, Row::No).value
        });
        let bodies: Vec<String> = bodies.collect();
        let declared = declarations(&ir.stencil, names, &bodies.concat());
        text.push_str(&indented(&declared));
        for (body, test) in bodies.iter().zip([
            "if constexpr (Plane == -1)",
            "else if constexpr (Plane == 0)",
            "else",
        ]) {
            text.push_str(&format!(
                "  {test}\n{}",
                wrapped(&format!("return {body};"), 4)
            ));
        }
        text.push_str("}\n");
        return text;
    }
    text.push_str(".\ntemplate <class Cells> __device__ __forceinline__ Element update(const Args &args, Cells a) {\n");
    let reads = read_texts(ir, names, |o| format!("a({}, {}, {})", o[0], o[1], o[2]));
    let body = body_with(stmt, names, &reads, Row::No);
    let code = body.definitions.concat() + &body.value;
    text.push_str(&indented(&declarations(&ir.stencil, names, &code)));
    for definition in &body.definitions {
        text.push_str(&wrapped(definition, 2));
    }
    text.push_str(&wrapped(&format!("return {};", body.value), 2));
    text.push_str(
        "}\n// Which rows (di, dj) it reads, and of them which beside the column itself.\n",
    );
    type Keep = fn(&Offset) -> bool;
    let sets: [(&str, Keep); 3] = [
        ("reads", |_| true),
        ("reads_left", |o| o[2] < 0),
        ("reads_right", |o| o[2] > 0),
    ];
    for (name, keep) in sets {
        text.push_str(&format!(
            "__device__ constexpr bool {name}(int di, int dj) {{ constexpr unsigned rows[] = {{{}}}; return bit(rows[di + RI], dj + RJ); }}\n",
            rows_where(ir, keep)
        ));
    }
    text
}

/// Texts of all reads; `element` gives those of cells.
fn read_texts(ir: &BlocksIr, names: &Names, element: impl Fn(&Offset) -> String) -> Vec<String> {
    let mut offsets = ir.offsets.iter();
    (ir.stmt().reads.iter())
        .map(|read| match read {
            Read::Scalar(i) => names.get(&ir.stencil.scalars[*i].0),
            Read::Element(_) => offsets.next().map(&element).unwrap_or_default(),
        })
        .collect()
}

/// The cells beside a domain that goes around.
fn beside(ir: &BlocksIr) -> String {
    let of = |around| around::constants(around, around::EACH);
    ir.around.as_ref().map_or_else(String::new, of)
}

/// The kernel that fills them.
fn wrap(ir: &BlocksIr) -> &'static str {
    ir.around.as_ref().map_or("", |_| around::WRAP_LAYERS)
}

/// Whether the domain goes around along a dimension of space.
fn goes_around(ir: &BlocksIr, d: usize) -> bool {
    (ir.around.as_ref()).is_some_and(|around| around.beside.get(d) > Some(&0))
}

/// Where results of a plane begin and end: what lies beside a domain that goes around is none.
fn in_plane(ir: &BlocksIr) -> [(&'static str, String); 4] {
    let [first, lowest] = match goes_around(ir, 1) {
        true => ["BESIDE_ROWS", "BESIDE_ROWS - S::HJ"],
        false => ["pass.lo_j", "pass.lo_j"],
    };
    let [first_column, end_column] = match goes_around(ir, 2) {
        true => ["BESIDE_COLUMNS", "pass.n_k - BESIDE_COLUMNS"],
        false => ["pass.lo_k / UNIT * UNIT", "pass.hi_k"],
    };
    [
        ("FIRST", first.to_string()),
        ("LOWEST", lowest.to_string()),
        ("FIRST_COLUMN", first_column.to_string()),
        ("END_COLUMN", end_column.to_string()),
    ]
}

/// Before a launch: planes beside a slab are renewed where too few of them are right, and what lies beside a domain that goes
/// around is filled.
fn renewed(ir: &BlocksIr) -> String {
    let mut text = ir.slab.as_ref().map_or_else(String::new, exchanged);
    if ir.around.is_some() {
        let sizes = ["pass.n_i", "pass.n_j", "pass.n_k"].map(str::to_string);
        let pitch = "pass.row * sizeof(Element)";
        let launch = around::launch("Element", "pass.from", pitch, &sizes);
        text.push_str(&format!("    {launch}\n"));
    }
    text
}

/// Renews planes beside a slab.
fn exchanged(slab: &Slab) -> String {
    let reach = slab.reach;
    format!(
        "    const size_t plane_bytes = pass.plane * sizeof(Element);
    const hexcc_slabs::Rows starts[] = {{{{(void *)pass.from, plane_bytes}}}}, results[] = {{{{pass.to, plane_bytes}}}};
    if (slab.right < {reach} * Steps) error = slab.exchange(starts, stream);
    if (error != cudaSuccess) break;
    slab.right -= {reach} * Steps; // planes on either side that are right after it
"
    )
}

/// What tells planes of results: those that are computed, of a slab other ones in each launch; of a domain that goes around its own.
fn results(ir: &BlocksIr) -> [(&'static str, String); 4] {
    let fields = "  int first_i, end_i; // planes of results, the first behind them\n";
    let of = |first| ["first_i", "end_i", fields, first];
    let [from, until, fields, first] = match &ir.slab {
        Some(_) => of("  pass.first_i = pass.lo_i, pass.end_i = pass.hi_i;\n"),
        None if goes_around(ir, 0) => {
            of("  pass.first_i = BESIDE_LAYERS, pass.end_i = pass.n_i - BESIDE_LAYERS;\n")
        }
        None => ["lo_i", "hi_i", "", ""],
    };
    [
        ("RESULTS\n", fields.to_string()),
        ("PLANES\n", first.to_string()),
        ("FROM", from.to_string()),
        ("UNTIL", until.to_string()),
    ]
}

/// Launches the kernel. On a slab, planes that neighbours need before the next launch come first.
fn run(ir: &BlocksIr) -> String {
    let launch = |on: &str| {
        format!(
            "if (error == cudaSuccess) kernel<Steps><<<pass.tiles_j * pass.tiles_k * pass.chunks, THREADS, S::BYTES, {on}>>>(args, pass), error = cudaGetLastError();"
        )
    };
    let Some(slab) = &ir.slab else {
        return format!("    {}\n", launch("stream"));
    };
    let reach = slab.reach;
    let launch = launch("on");
    format!(
        "    const auto compute = [&](cudaStream_t on, long long from, long long until) {{
      pass.first_i = (int)from, pass.end_i = (int)until, error = plan<Steps>(pass);
      {launch}
      return error;
    }};
    if (error != cudaSuccess) break;
    if (launches > 1 && slab.right < {reach} * Steps) error = compute_and_exchange(slab, results, compute);
    else error = compute(stream, slab.from(slab.right), slab.until(slab.right));
"
    )
}

/// All GPUs have as many launches of many time steps.
fn decided(ir: &BlocksIr) -> &'static str {
    match ir.slab {
        Some(_) => "  if (!slab.all(times > 0)) times = 0;\n",
        None => "",
    }
}

/// Lines, indented.
fn indented(lines: &[String]) -> String {
    lines.iter().map(|line| format!("  {line}\n")).collect()
}

/// The start of `launch`: sizes, and what must hold.
fn launch(ir: &BlocksIr, names: &Names) -> String {
    let stencil = &ir.stencil;
    let array = &stencil.arrays[ir.array];
    let name = names.get(&array.name);
    let mut lines = Vec::new();
    let nonempty = ast_to_c(&stencil.nonempty, names);
    if nonempty != "1" {
        lines.push(format!("if (!({nonempty})) return cudaSuccess;"));
    }
    lines.push(format!("if ((size_t)args.{name} % 16 != 0 || args.{name}_pitch % 16 != 0) return cudaErrorMisalignedAddress;"));
    let ranges = std::iter::once(&stencil.ranges[0]).chain(&ir.domain);
    let bounds: Vec<String> = (["t", "i", "j", "k"].iter().zip(ranges))
        .map(|(d, range)| {
            let (lo, hi) = (ast_to_c(&range.lo, names), ast_to_c(&range.hi, names));
            format!("{d}_lo = {lo}, {d}_hi = {hi}")
        })
        .collect();
    lines.push(format!("const long long {};", bounds.join(", ")));
    let extents = &array.extents[array.extents.len() - 3..];
    let extents: Vec<String> = (["i", "j", "k"].iter().zip(extents))
        .map(|(d, e)| format!("n_{d} = {}", ast_to_c(e, names)))
        .collect();
    lines.push(format!("const long long {};", extents.join(", ")));
    let body = indented(&lines);
    indented(&declarations(stencil, names, &body)) + &body
}

/// Lines of at most about 120 columns, broken before operators.
fn wrapped(text: &str, indent: usize) -> String {
    let mut out = String::new();
    let mut line = " ".repeat(indent);
    let mut words = text.split(' ').peekable();
    let mut first = true;
    while let Some(word) = words.next() {
        let operator = matches!(word, "+" | "-" | "?" | ":" | "&&" | "||");
        let next = words.peek().map_or(0, |w| w.len());
        if operator && line.len() + word.len() + next > 130 {
            out.push_str(&line);
            out.push('\n');
            line = " ".repeat(indent + 4);
            first = true;
        }
        if !first {
            line.push(' ');
        }
        line.push_str(word);
        first = false;
    }
    out + &line + "\n"
}
