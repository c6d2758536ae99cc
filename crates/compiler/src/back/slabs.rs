//! The host function of a time loop whose rows several GPUs share ([`crate::slabs`]).

mod own;

pub use own::for_programs;

use super::expr::ast_to_c;
use super::fallback::{LOOPS_RUN, Otherwise};
use super::names::Names;
use super::parts::Parts;
use super::program::{
    Entry, Instrument, Replacement, const_of, extents, fits, head, host_names_beside, insertion,
    overlap_checks, padded,
};
use super::rows;
use crate::compiled::{InSlabs, PlaneAt};
use crate::csource::{Edit, functions};
use crate::diag::{Diagnostic, Result};
use crate::kernel::KernelArray;
use crate::options::Gpus;

/// What the program has once: threads of this process share the domain.
const OF_THREADS: [&str; 3] = [
    "#include <atomic>\n#include <chrono>\n#include <string.h>\n#include <thread>\n#include <vector>\n\n",
    include_str!("../print/lib/cuda/slabs.cuh"),
    include_str!("../print/lib/cuda/slabs_peers.cuh"),
];

/// The same where ranks of MPI do.
const OF_RANKS: [&str; 4] = [
    "#include <mpi.h>\n#include <nccl.h>\n#include <stdint.h>\n#include <string.h>\n#include <type_traits>\n#include <vector>\n\n",
    include_str!("../print/lib/cuda/slabs.cuh"),
    include_str!("../print/lib/cuda/slabs_nccl.cuh"),
    include_str!("../print/lib/cuda/slabs_ranks.cuh"),
];

/// What kernels for a program have that uses MPI itself.
const OF_OWN_RANKS: [&str; 4] = [
    "#include <mpi.h>\n#include <nccl.h>\n\n",
    include_str!("../print/lib/cuda/slabs.cuh"),
    include_str!("../print/lib/cuda/slabs_nccl.cuh"),
    "\nnamespace hexcc_slabs {\nusing Slab = SlabOfRank;\n}\n",
];

/// Variables of the functions that run slabs.
const NAMES: &[&str] = &[
    "slab",
    "slabs",
    "slab_time",
    "clock",
    "written",
    "compute",
    "on",
    "from",
    "until",
    "stream",
    "work",
    "rows",
];

/// What measures kernels, where `HEXCC_TIME` names a file.
const CLOCK: &str = include_str!("../print/lib/cuda/slabs_clock.cuh");

/// What a program has once in which several GPUs share a domain.
pub(super) fn library(replacements: &[Replacement], instrument: Instrument) -> String {
    let Some((_, gpus)) = replacements.iter().find_map(|r| r.slabs) else {
        return String::new();
    };
    let library = match gpus {
        Gpus::Ranks => OF_RANKS.concat(),
        Gpus::All | Gpus::Some(_) => OF_THREADS.concat(),
    };
    match instrument {
        Instrument::None => library,
        Instrument::Dump => library + CLOCK,
    }
}

/// Where ranks share a domain: `main` begins with what makes all of them but the first wait for slabs.
///
/// # Errors
/// HX0511 where there is no `main`.
pub(super) fn beginning(replacements: &[Replacement], text: &str) -> Result<Option<Edit>> {
    if !(replacements.iter()).any(|r| matches!(r.slabs, Some((_, Gpus::Ranks)))) {
        return Ok(None);
    }
    let functions = functions(text);
    let Some(main) = functions.iter().find(|f| f.name == "main") else {
        let problem = Diagnostic::error("HX0511", "`--gpus mpi`: there is no `main` in this file");
        let problem = problem
            .note("all ranks begin there, and all but the first wait for their share of the work");
        return Err(Box::new(problem.help(
            "translate the file that has `main`, or all files of the program together",
        )));
    };
    Ok(Some(insertion(
        main.body.start,
        " hexcc_slabs::begin();".to_string(),
    )))
}

/// An array of the program, and its rows on a GPU.
struct Shared<'a> {
    array: &'a KernelArray,
    /// In the host function.
    name: String,
    /// Field of `Args`.
    field: String,
    /// How many planes it has, in the program and on a GPU.
    planes: [String; 2],
    /// The extent along rows, the lines of a row, in the program and on a GPU, and the columns of a line; rows are columns in one
    /// dimension.
    rows: String,
    lines: [String; 2],
    columns: Option<String>,
    /// Lines and columns that a row has on a GPU before those of the program, and behind them.
    beside: [i64; 2],
    /// Where the program has its planes, if apart; and how many lie together, if not each by itself.
    parts: Option<Parts<'a>>,
    of_part: Option<String>,
}

impl<'a> Shared<'a> {
    fn of(
        (r, shared): (&Replacement<'a>, &InSlabs),
        i: usize,
        d: usize,
        names: &Names,
    ) -> Shared<'a> {
        let array = &r.interface.arrays[i];
        let [own, on_device] = extents(array, r.interface.planes[i], names);
        let product = |sizes: &[String]| match sizes {
            [] => "(size_t)1".to_string(),
            sizes => sizes.join(" * "),
        };
        let (last, middle) = match own.get(d + 1..).unwrap_or_default() {
            [] => (None, &[][..]),
            [middle @ .., last] => (Some(last.clone()), middle),
        };
        let sides = shared.sides.get(i).map_or(&[][..], Vec::as_slice);
        // The first ones are those of rows.
        let mut within_row = sides.iter().skip(1).rev().map(|sides| sides.beside);
        let columns = within_row.next().unwrap_or(0);
        let beside = [within_row.next().unwrap_or(0), columns];
        let lines = product(middle);
        let on_gpu = match beside[0] {
            0 => lines.clone(),
            beside => format!("({lines} + {})", 2 * beside),
        };
        Shared {
            array,
            name: names.get(&array.name),
            field: r.names.get(&array.name),
            planes: [product(&own[..d]), product(&on_device[..d])],
            rows: own[d].clone(),
            lines: [lines, on_gpu],
            columns: last,
            beside,
            parts: Parts::of(array, names),
            of_part: (d > 1).then(|| product(&own[1..d])),
        }
    }

    /// The bytes of a line without what is behind it.
    fn width(&self) -> String {
        let elem = self.array.elem;
        match &self.columns {
            Some(columns) => format!("sizeof({elem}) * {columns}"),
            None => format!("sizeof({elem})"),
        }
    }

    /// The bytes of columns on a GPU that are none of the program's, on both sides.
    fn further(&self) -> String {
        match self.beside[1] {
            0 => String::new(),
            n => format!(" + sizeof({}) * {}", self.array.elem, 2 * n),
        }
    }

    /// How far the program's first line of a row lies behind the row's beginning on a GPU, to add.
    fn before(&self) -> String {
        let [lines, columns] = self.beside;
        let (name, elem) = (&self.name, self.array.elem);
        let lines = (lines > 0).then(|| format!(" + {lines} * {name}_line"));
        let columns = (columns > 0).then(|| format!(" + sizeof({elem}) * {columns}"));
        lines.into_iter().chain(columns).collect()
    }

    /// Lines that say how large it is.
    fn sizes(&self) -> Vec<String> {
        let (name, elem, what) = (&self.name, self.array.elem, &self.array.name);
        let [planes, _] = &self.planes;
        let mut lines: Vec<String> = self.parts.iter().map(Parts::places).collect();
        let (width, [of_program, on_gpu]) = (self.width(), &self.lines);
        lines.push(format!(
            "  const size_t {name}_n_planes = {planes}, {name}_lines = {of_program}, {name}_width = {width}; // a row has so many lines"
        ));
        let row = match self.beside[0] {
            0 => format!("{name}_lines"),
            _ => on_gpu.clone(),
        };
        let [line, plane] = match (&self.columns, self.array.pitched) {
            (None, true) => [format!("{name}_width"), format!("{name}_pitch")],
            (Some(_), true) => [
                format!("{name}_pitch"),
                format!("(size_t)slab.rows * {name}_row"),
            ],
            (_, false) => [
                format!("{name}_width{}", self.further()),
                format!("(size_t)slab.rows * {name}_row"),
            ],
        };
        let pitch = match (&self.columns, self.array.pitched) {
            (_, false) => String::new(),
            (None, true) => {
                format!("{name}_pitch = (sizeof({elem}) * (size_t)slab.rows + 127) / 128 * 128, ")
            }
            (Some(_), true) => format!("{name}_pitch = {}, ", padded(name, &self.further())),
        };
        lines.push(format!(
            "  const size_t {pitch}{name}_line = {line}, {name}_row = {row} * {name}_line, {name}_plane = {plane}; // bytes on the GPU"
        ));
        lines.extend(self.array.pitched.then(|| fits(name, what)));
        lines
    }

    /// Where a plane is in the program.
    fn in_program(&self) -> String {
        let name = &self.name;
        match (&self.parts, &self.of_part) {
            (Some(_), None) => format!("{name}_parts[plane]"),
            (Some(_), Some(n)) => format!(
                "{name}_parts[plane / ({n})] + plane % ({n}) * {} * {name}_lines * {name}_width",
                self.rows
            ),
            (None, _) => format!(
                "({}char *){name} + plane * {} * {name}_lines * {name}_width",
                const_of(self.array),
                self.rows
            ),
        }
    }

    /// Lines that make it on a GPU.
    fn enter(&self, touched: &str) -> Vec<String> {
        let (name, field, what) = (&self.name, &self.field, &self.array.name);
        let [_, planes] = &self.planes;
        let mut lines = self.sizes();
        lines.extend([
            format!("  check(cudaMalloc((void **)&{name}_device, {planes} * {name}_plane), \"allocating {what}\");"),
            format!("  check(cudaMemset({name}_device, 0xff, {planes} * {name}_plane), \"filling {what}\"); // what is read beside all rows: NaN"),
            format!("  for (size_t plane = 0; plane < {name}_n_planes; ++plane)"),
            format!(
                "    {touched}check(slab.enter((char *){name}_device + plane * {name}_plane{}, {{{name}_row, {name}_line, {name}_width, {name}_lines}}, {}, (long long){}), \"copying {what} to the GPU\");",
                self.before(), self.in_program(), self.rows
            ),
            match self.array.pitched {
                true => format!("  args.{field} = {name}_device, args.{field}_pitch = (int){name}_pitch;"),
                false => format!("  args.{field} = {name}_device;"),
            },
        ]);
        lines
    }

    /// Lines that copy its own rows back.
    fn leave(&self, touched: &str) -> Vec<String> {
        let (name, what) = (&self.name, &self.array.name);
        vec![
            format!("  for (size_t plane = 0; plane < {name}_n_planes; ++plane)"),
            format!(
                "    {touched}check(slab.leave((char *){name}_device + plane * {name}_plane{}, {{{name}_row, {name}_line, {name}_width, {name}_lines}}, {}, (long long){}), \"copying {what} back\");",
                self.before(),
                self.in_program(),
                self.rows
            ),
        ]
    }
}

/// The first and the last row, and what else `Domain` of `print/lib/cuda/slabs.cuh` is made of.
fn numbers(shared: &InSlabs, names: &Names) -> [String; 2] {
    let [first, last] = [&shared.rows[0], &shared.rows[1]].map(|e| ast_to_c(e, names));
    let (launch, rim) = (shared.slab.launch, shared.slab.rim);
    [
        format!("{first}, {last}"),
        format!("{launch}, {}, {rim}, {}", shared.launches, shared.is_ring),
    ]
}

/// The function that shares the arrays among GPUs, runs the kernels and gathers the results.
pub(super) fn host_function(
    r: &Replacement,
    entry: &Entry,
    (shared, gpus): (&InSlabs, Gpus),
    instrument: Instrument,
) -> String {
    let (ir, names) = (r.interface, host_names_beside(NAMES, r.interface));
    let mut t = String::new();
    let mut line = |text: &str| {
        t.push_str(text);
        t.push('\n');
    };
    line(
        "// Shares the rows of the arrays among GPUs, runs the computation there, copies the results back; an error ends the program.",
    );
    head(r, &names, entry).iter().for_each(|text| line(text));
    let (gathered, scattered) = rows::dense(r, &names);
    let tests = overlap_checks(ir, &names).into_iter();
    let tests: Vec<String> = tests.chain(rows::host_tests(r, &names)).collect();
    before(r, &names, &tests).iter().for_each(|text| line(text));
    gathered.iter().for_each(|text| line(text));
    let [rows, beside] = numbers(shared, &names);
    let all = match gpus {
        Gpus::All => "0, // all GPUs".to_string(),
        Gpus::Ranks => "0, // as many as there are ranks".to_string(),
        Gpus::Some(n) => format!("{n}, // GPUs"),
    };
    line(&format!("  hexcc_slabs::share(\"{}\", {all}", ir.name));
    line(&format!("      {rows}, // rows of the domain"));
    line(&format!(
        "      {beside}, // rows beside a slab that a launch needs, launches between exchanges, rows behind these that are read only, whether rows go around"
    ));
    line(match gpus {
        Gpus::Ranks => "      [=](hexcc_slabs::Slab &slab) {",
        Gpus::All | Gpus::Some(_) => "      [&](hexcc_slabs::Slab &slab) {",
    });
    let mut inner = Vec::new();
    inner.extend(body(r, shared, &names, instrument));
    for text in inner {
        line(&format!("  {text}"));
    }
    line("  });");
    scattered.iter().for_each(|text| line(text));
    if r.returns() {
        line("  return true;");
    }
    line("}");
    t
}

/// Lines that find out whether arrays are apart.
fn before(r: &Replacement, names: &Names, tests: &[String]) -> Vec<String> {
    if tests.is_empty() {
        return Vec::new();
    }
    let loops_run = r.otherwise == Otherwise::RunsLoops;
    let mut lines = match loops_run {
        true => rows::declarations(r, names),
        false => Vec::new(),
    };
    let (name, reason) = (&r.interface.name, "what, cudaGetErrorString(error)");
    lines.extend(loops_run.then(|| "  try {".to_string()));
    lines.push("  const auto check = [&](cudaError_t error, const char *what) {".to_string());
    lines.push("    if (error == cudaSuccess) return;".to_string());
    lines.push(match loops_run {
        true => format!("    if (!said++) fprintf(stderr, \"{name}: %s: %s{LOOPS_RUN}\\n\", {reason});\n    throw Unfit();"),
        false => format!("    fprintf(stderr, \"{name}: %s: %s\\n\", {reason});\n    exit(EXIT_FAILURE);"),
    });
    lines.push("  };".to_string());
    lines.extend(tests.iter().cloned());
    if loops_run {
        lines.push("  } catch (const Unfit &) {".to_string());
        lines.extend(rows::releases(r, names));
        lines.push("    return false;\n  }".to_string());
    }
    lines
}

/// What the thread of a GPU does.
fn body(r: &Replacement, shared: &InSlabs, names: &Names, instrument: Instrument) -> Vec<String> {
    let ir = r.interface;
    let mut lines = vec![
        "  const auto check = [&](cudaError_t error, const char *what) {".to_string(),
        format!(
            "    if (error != cudaSuccess) hexcc_slabs::fail(\"{}\", slab.device, what, error);",
            ir.name
        ),
        "  };".to_string(),
    ];
    let mut set: Vec<String> = (ir.values())
        .map(|name| format!("args.{} = {}", r.names.get(name), names.get(name)))
        .collect();
    set.extend(of_slab(r, shared));
    lines.push(format!("  Args args{{}}; {};", set.join(", ")));
    let touched: Vec<String> = (ir.touched.iter())
        .map(|touched| match super::program::condition(touched, names) {
            None => String::new(),
            Some(condition) => format!("if ({condition}) "),
        })
        .collect();
    let mut behind = Vec::new();
    for (i, array) in ir.arrays.iter().enumerate() {
        let (name, what) = (names.get(&array.name), &array.name);
        lines.push(format!("  {} *{name}_device = nullptr;", array.elem));
        match shared.dims[i] {
            Some(d) => {
                let rows = Shared::of((r, shared), i, d, names);
                lines.extend(rows.enter(&touched[i]));
                if array.written {
                    behind.extend(rows.leave(&touched[i]));
                }
            }
            None => lines.extend(whole(r, i, names, &touched[i])),
        }
        behind.push(format!(
            "  check(cudaFree({name}_device), \"freeing {what}\");"
        ));
    }
    for w in &r.workspaces {
        let (field, name) = (&w.field, names.get(&ir.arrays[w.array].name));
        lines.push(format!("  check(cudaMalloc((void **)&args.{field}, {} * {name}_plane), \"allocating {field}\");", w.planes));
        lines.push(format!(
            "  check(cudaMemset(args.{field}, 0xff, {} * {name}_plane), \"filling {field}\");",
            w.planes
        ));
        behind.push(format!(
            "  check(cudaFree(args.{field}), \"freeing {field}\");"
        ));
    }
    lines.extend([
        "  check(cudaDeviceSynchronize(), \"copying to the GPU\");".to_string(),
        "  slab.team.meet(); // the program's arrays stay as they are until all have their rows"
            .to_string(),
    ]);
    let is_timed = instrument == Instrument::Dump;
    if is_timed {
        lines.push("  hexcc_slabs::Clock clock(slab);".to_string());
    }
    lines.extend(launches(r, shared, names, &|call, what| {
        format!("check({call}, \"{what}\");")
    }));
    lines.push("  check(cudaStreamSynchronize(slab.stream), \"running the kernels\");".to_string());
    if is_timed {
        lines.push("  clock.stop();".to_string());
    }
    lines.extend(behind);
    lines
}

/// What sets the parameters of a slab.
fn of_slab(r: &Replacement, shared: &InSlabs) -> Vec<String> {
    let [begin, end] = match &shared.steps {
        Some(steps) => [
            format!("slab.from({})", steps.twice),
            format!("slab.until({})", steps.twice),
        ],
        None => ["slab.begin", "slab.end"].map(str::to_string),
    };
    let slab = &shared.slab;
    let all = [
        (&slab.first, "slab.first".to_string()),
        (&slab.count, "slab.rows".to_string()),
        (&slab.begin, begin),
        (&slab.end, end),
    ];
    all.map(|(name, value)| format!("args.{} = {value}", r.names.get(name)))
        .to_vec()
}

/// Lines that launch the kernels. `checked` makes a statement of a call and what it does.
fn launches(
    r: &Replacement,
    shared: &InSlabs,
    names: &Names,
    checked: &dyn Fn(&str, &str) -> String,
) -> Vec<String> {
    let Some(steps) = &shared.steps else {
        let call = checked("launch(args, slab.stream, slab)", "launching the kernels");
        return vec![format!("  {call}")];
    };
    let [first, last] = [&steps.ends[0], &steps.ends[1]].map(|e| ast_to_c(e, names));
    let mut lines = vec![
        format!("  for (long long slab_time = {first}; slab_time <= {last}; ++slab_time) {{"),
        format!("    args.{} = slab_time;", r.names.get(&steps.time)),
    ];
    let planes: Vec<String> = (steps.planes.iter())
        .map(|renewed| {
            let array = &r.interface.arrays[renewed.array];
            let name = names.get(&array.name);
            let plane = renewed.plane.iter().zip(&array.extents);
            let number = plane.fold(String::new(), |number, (at, extent)| {
                let own = match at {
                    PlaneAt::Always(n) => n.to_string(),
                    PlaneAt::After(by, None) => format!("slab_time + {by}"),
                    PlaneAt::After(by, Some(m)) => {
                        format!("((slab_time + {by}) % {m} + {m}) % {m}")
                    }
                };
                match number.as_str() {
                    "" => own,
                    _ => format!(
                        "({number}) * {} + {own}",
                        super::expr::ast_operand(extent, names)
                    ),
                }
            });
            let at = match number.as_str() {
                "" | "0" => format!("{name}_device"),
                _ => format!("(char *){name}_device + (size_t)({number}) * {name}_plane"),
            };
            format!("{{{at}, {name}_row}}")
        })
        .collect();
    lines.push(format!(
        "    const hexcc_slabs::Rows written[] = {{{}}};",
        planes.join(", ")
    ));
    let [begin, end] = [&shared.slab.begin, &shared.slab.end].map(|name| r.names.get(name));
    let rows = format!("      args.{begin} = from, args.{end} = until;");
    let computes = "compute_and_exchange(slab, written, compute)";
    let last = match steps.twice {
        0 => vec![
            "    const auto compute = [&](cudaStream_t on, long long from, long long until) {"
                .to_string(),
            rows,
            "      return launch(args, on);".to_string(),
            "    };".to_string(),
            format!("    {}", checked(computes, "computing and exchanging rows")),
        ],
        _ => {
            let [launch, exchange] = [
                ("launch(args, slab.stream)", "launching the kernels"),
                ("slab.exchange(written, slab.stream)", "exchanging rows"),
            ]
            .map(|(call, what)| format!("    {}", checked(call, what)));
            vec![launch, exchange]
        }
    };
    lines.extend(last);
    lines.push("  }".to_string());
    lines
}

/// Lines that make an array that every GPU has as a whole.
fn whole(r: &Replacement, i: usize, names: &Names, touched: &str) -> Vec<String> {
    let array = &r.interface.arrays[i];
    let (name, field, what, elem) = (
        names.get(&array.name),
        r.names.get(&array.name),
        &array.name,
        array.elem,
    );
    let [sizes, _] = extents(array, r.interface.planes[i], names);
    let mut lines = Vec::new();
    if let ([rows @ .., last], true) = (sizes.as_slice(), array.pitched) {
        lines.push(format!(
            "  const size_t {name}_rows = {}, {name}_width = sizeof({elem}) * {last};",
            rows.join(" * ")
        ));
        lines.push(format!(
            "  const size_t {name}_pitch = {};",
            padded(&name, "")
        ));
        lines.push(fits(&name, what));
        lines.push(format!("  check(cudaMalloc((void **)&{name}_device, {name}_rows * {name}_pitch), \"allocating {what}\");"));
        lines.push(format!("  {touched}check(slab.enter_whole({name}_device, {name}_pitch, {name}, {name}_width, {name}_rows), \"copying {what} to the GPU\");"));
        lines.push(format!(
            "  args.{field} = {name}_device, args.{field}_pitch = (int){name}_pitch;"
        ));
    } else {
        lines.push(format!(
            "  const size_t {name}_bytes = sizeof({elem}) * {};",
            sizes.join(" * ")
        ));
        lines.push(format!(
            "  check(cudaMalloc((void **)&{name}_device, {name}_bytes), \"allocating {what}\");"
        ));
        lines.push(format!("  {touched}check(slab.enter_whole({name}_device, {name}_bytes, {name}, {name}_bytes, 1), \"copying {what} to the GPU\");"));
        lines.push(format!("  args.{field} = {name}_device;"));
    }
    lines
}
