//! The baseline that tiled kernels are measured and checked against: one thread
//! per point of the canonical space, one launch per logical time step, all in
//! global memory. Same arrays, arguments and order of operations.

use super::arguments::Precision;
use super::expr::{HELPERS, ast_operand, ast_to_c, body};
use super::names::Names;
use crate::ctype::{CType, math_function};
use crate::kernel::plan::{self, ArrayLayout};
use crate::kernel::{KernelAccess, KernelStmt, Stencil, Sub};
use crate::quotient::Divisions;
use crate::scop::Expr;
use std::fmt::Write;
use std::ops::RangeInclusive;

/// Names of the text itself; source names that clash get a `_`.
const FIXED: &[&str] = &[
    "Index",
    "Args",
    "Step",
    "args",
    "step",
    "counts",
    "tx",
    "ty",
    "inside",
    "n",
    "mod",
    "floor_div",
    "lowest",
    "highest",
    "count",
];

/// The baseline's text and its kernels.
#[derive(Clone, Debug)]
pub struct Naive {
    /// CUDA C++ without host code.
    pub text: String,
    /// Qualified names: one kernel per slot, in order, taking `Args` and `Step`;
    /// then one that counts the instances of every statement and also takes a
    /// pointer to 64-bit counters.
    pub kernels: Vec<String>,
}

/// How the baseline is launched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NaivePlan {
    /// Time steps.
    pub times: RangeInclusive<i64>,
    /// Blocks along x, y, z.
    pub grid: [u32; 3],
    /// Threads along x and y.
    pub block: [u32; 2],
    /// The fields of `Step` after the time.
    pub step: Vec<i64>,
}

/// Whether 32-bit indices do: no array has 2^31 elements, and no coordinate or
/// parameter is so large that a small multiple of it overflows. Iterators as
/// values may have any factors, so they need 64 bits.
pub fn naive_is_narrow(stencil: &Stencil, params: &[i64], layouts: &[ArrayLayout]) -> bool {
    const LARGEST: u64 = 1 << 27;
    let value_of = |name: &str| {
        let at = stencil.params.iter().position(|p| p == name)?;
        params.get(at).copied()
    };
    let small = |i: i64| i.unsigned_abs() <= LARGEST;
    let bound = |bound| plan::eval(bound, &value_of).is_some_and(small);
    params.iter().copied().all(small)
        && stencil.ranges.iter().all(|r| bound(&r.lo) && bound(&r.hi))
        && layouts.len() == stencil.arrays.len()
        && layouts.iter().all(|l| i32::try_from(l.elements).is_ok())
        && stencil.stmts.iter().all(|s| s.affine.is_empty())
}

/// Prints the baseline of a kernel; `narrow` where [`naive_is_narrow`] says so, since
/// half of the instructions of a thread are index arithmetic.
pub fn print_naive(stencil: &Stencil, precision: Precision, narrow: bool) -> Naive {
    let mut names = Names::of_stencil(FIXED, stencil);
    for name in &stencil.dims {
        names.user(name);
    }
    let printer = Printer {
        stencil,
        precision,
        narrow,
        dims: stencil.dims.iter().map(|d| names.get(d)).collect(),
        names,
    };
    let suffix = match precision {
        Precision::Source => "naive",
        Precision::Double => "naive_double",
    };
    let namespace = format!("{}_{suffix}", stencil.name);
    let mut kernels: Vec<String> = (0..stencil.k)
        .map(|slot| format!("{namespace}::slot_{slot}"))
        .collect();
    kernels.push(format!("{namespace}::count"));
    Naive {
        text: printer.text(&namespace),
        kernels,
    }
}

/// How to launch the baseline for given parameters; `None` where there is
/// nothing to do, or a number does not fit into a launch.
pub fn naive_plan(stencil: &Stencil, params: &[i64], layouts: &[ArrayLayout]) -> Option<NaivePlan> {
    let ranges = plan::ranges(stencil, params)?;
    let ((t_lo, t_hi), space) = (*ranges.first()?, ranges.get(1..)?);
    let mut sizes: Vec<i64> = space.iter().map(|(lo, hi)| hi - lo + 1).collect();
    if sizes.iter().any(|&n| n < 1) {
        return None;
    }
    let block: [u32; 2] = if sizes.len() == 1 { [256, 1] } else { [32, 8] };
    let x = sizes.pop()?;
    let y = sizes.pop().unwrap_or(1);
    let z: i64 = sizes.iter().try_fold(1i64, |n, &e| n.checked_mul(e))?;
    let blocks = |n: i64, threads: u32| u32::try_from((n - 1) / i64::from(threads) + 1).ok();
    let grid = [
        blocks(x, block[0])?,
        blocks(y, block[1])?,
        u32::try_from(z).ok()?,
    ];
    // CUDA's limits.
    if grid[0] > i32::MAX.unsigned_abs() || grid[1] > 65535 || grid[2] > 65535 {
        return None;
    }
    let mut step: Vec<i64> = space.iter().flat_map(|&(lo, hi)| [lo, hi]).collect();
    step.extend(layouts.iter().map(|l| l.pitch));
    Some(NaivePlan {
        times: t_lo..=t_hi,
        grid,
        block,
        step,
    })
}

struct Printer<'a> {
    stencil: &'a Stencil,
    precision: Precision,
    narrow: bool,
    names: Names,
    dims: Vec<String>,
}

impl Printer<'_> {
    fn text(&self, namespace: &str) -> String {
        let stencil = self.stencil;
        let mut t = format!("namespace {namespace} {{\n\n");
        let index = if self.narrow { "int" } else { "long long" };
        let _ = writeln!(t, "using Index = {index};\n");
        for helper in &HELPERS {
            let definition = helper.definition("__device__ constexpr");
            t.push_str(&definition.replace("long long", "Index"));
        }
        t.push_str("\nstruct Args {\n");
        for param in &stencil.params {
            let _ = writeln!(t, "  long long {};", self.names.get(param));
        }
        for (name, ty) in &stencil.scalars {
            let _ = writeln!(t, "  {} {};", self.precision.of(*ty), self.names.get(name));
        }
        for array in &stencil.arrays {
            let elem = self.precision.of(array.elem);
            let _ = writeln!(t, "  {elem} *{};", self.names.get(&array.name));
        }
        t.push_str("};\n\n// The time, the ranges of the space coordinates, the row pitches of the arrays.\nstruct Step {\n");
        let _ = writeln!(t, "  long long {};", self.dims[0]);
        for dim in &self.dims[1..] {
            let _ = writeln!(t, "  long long {dim}_lo, {dim}_hi;");
        }
        for array in &stencil.arrays {
            let _ = writeln!(t, "  long long {}_pitch;", self.names.get(&array.name));
        }
        t.push_str("};\n");
        for slot in 0..stencil.k {
            self.slot(&mut t, slot);
        }
        self.count(&mut t);
        let _ = writeln!(t, "\n}} // namespace {namespace}");
        t
    }

    /// Everything a kernel starts with: arguments and the thread's point.
    fn prologue(&self, t: &mut String) {
        let stencil = self.stencil;
        for param in &stencil.params {
            let name = self.names.get(param);
            let _ = writeln!(t, "  const Index {name} = (Index)args.{name};");
        }
        for (scalar, ty) in &stencil.scalars {
            let name = self.names.get(scalar);
            let _ = writeln!(
                t,
                "  const {} {name} = args.{name};",
                self.precision.of(*ty)
            );
        }
        for array in &stencil.arrays {
            let name = self.names.get(&array.name);
            let constant = if array.written { "" } else { "const " };
            let elem = self.precision.of(array.elem);
            let restrict = if array.written { "" } else { " __restrict__" };
            let _ = writeln!(
                t,
                "  {constant}{elem} *const{restrict} {name} = args.{name};"
            );
            for d in 1..array.extents.len() {
                let value = if d + 1 == array.extents.len() {
                    format!("(Index)step.{name}_pitch")
                } else {
                    ast_to_c(&array.extents[d], &self.names)
                };
                let _ = writeln!(t, "  const Index {name}_n{d} = {value};");
            }
        }
        let _ = writeln!(t, "  const Index {0} = (Index)step.{0};", self.dims[0]);
        let (space, n) = (&self.dims[1..], self.dims.len() - 1);
        for (j, dim) in space.iter().enumerate() {
            let at = match (n - 1 - j, n) {
                (0, _) => "(Index)(blockIdx.x * (Index)blockDim.x + threadIdx.x)".to_string(),
                (1, _) => "(Index)(blockIdx.y * (Index)blockDim.y + threadIdx.y)".to_string(),
                (2, 3) => "(Index)blockIdx.z".to_string(),
                (2, _) => format!("(Index)(blockIdx.z % (step.{dim}_hi - step.{dim}_lo + 1))"),
                _ => {
                    let inner = &space[j + 1];
                    format!("(Index)(blockIdx.z / (step.{inner}_hi - step.{inner}_lo + 1))")
                }
            };
            let _ = writeln!(t, "  const Index {dim} = (Index)step.{dim}_lo + {at};");
        }
        // Blocks hang over the two innermost dimensions only.
        let inside: Vec<String> = (space.iter().skip(n.saturating_sub(2)))
            .map(|dim| format!("{dim} <= (Index)step.{dim}_hi"))
            .collect();
        let _ = writeln!(t, "  const bool inside = {};", inside.join(" && "));
    }

    fn slot(&self, t: &mut String, slot: i64) {
        let _ = writeln!(
            t,
            "\n__global__ void __launch_bounds__(256) slot_{slot}(const Args args, const Step step) {{"
        );
        self.prologue(t);
        t.push_str("  if (!inside) return;\n");
        for stmt in self.stencil.stmts.iter().filter(|s| s.slot == slot) {
            self.statement(t, stmt);
        }
        t.push_str("}\n");
    }

    fn statement(&self, t: &mut String, stmt: &KernelStmt) {
        let guard = ast_to_c(&stmt.guard, &self.names);
        let _ = writeln!(t, "  // {}", stmt.title());
        let _ = writeln!(t, "  if ({guard}) {{");
        let stmt = self.promoted(stmt);
        let body = body(self.stencil, &stmt, &self.names, |access| {
            self.element(access)
        });
        for definition in body.definitions {
            let _ = writeln!(t, "    {definition}");
        }
        let _ = writeln!(t, "    {} = {};", self.element(&stmt.write), body.value);
        t.push_str("  }\n");
    }

    /// An element as an offset of constants from the thread's own point, in the
    /// plane of its time: neighbours share the thread's index, and the block
    /// shares the plane's.
    fn element(&self, access: &KernelAccess) -> String {
        let name = self.names.get(&self.stencil.arrays[access.array].name);
        let n = access.subs.len();
        let is_space = |sub: &Sub| matches!(sub, Sub::Space { .. });
        let first = access.subs.iter().position(is_space).unwrap_or(n);
        let index = |from: usize, to: usize, own: bool| {
            let mut index = String::new();
            for d in from..to {
                let sub = match &access.subs[d] {
                    Sub::Space { dim, .. } if own => self.dims[dim + 1].clone(),
                    sub => self.subscript(sub),
                };
                index = match index.as_str() {
                    "" => sub,
                    _ => format!("({index}) * {name}_n{d} + {sub}"),
                };
            }
            index
        };
        if first == n || !access.subs[first..].iter().all(is_space) {
            return format!("{name}[{}]", index(0, n, false));
        }
        let steps = |d: usize| -> String { (d..n).map(|d| format!(" * {name}_n{d}")).collect() };
        let mut offset = String::new();
        for (d, sub) in access.subs.iter().enumerate().skip(first) {
            if let Sub::Space { offset: c, .. } = sub
                && *c != 0
            {
                let _ = write!(offset, " + (Index){c}{}", steps(d + 1));
            }
        }
        let own = index(first, n, true);
        if first == 0 {
            return format!("{name}[{own}{offset}]");
        }
        let plane = format!("({}){}", index(0, first, false), steps(first));
        if self.narrow {
            // One 32-bit index, so that the address is one instruction.
            format!("{name}[{plane} + {own}{offset}]")
        } else {
            format!("({name} + {plane})[{own}{offset}]")
        }
    }

    /// A subscript that can be a factor.
    fn subscript(&self, sub: &Sub) -> String {
        let plus = |name: &str, c: i64| match c {
            0 => name.to_string(),
            c if c < 0 => format!("({name} - {})", -c),
            c => format!("({name} + {c})"),
        };
        match sub {
            Sub::Time {
                offset,
                modulo: Some(m),
            } => format!("mod({}, {m})", plus(&self.dims[0], *offset)),
            Sub::Time {
                offset,
                modulo: None,
            } => plus(&self.dims[0], *offset),
            Sub::Const(c) => c.to_string(),
            Sub::Space { dim, offset } => plus(&self.dims[dim + 1], *offset),
            Sub::General { expr, .. } => ast_operand(expr, &self.names),
        }
    }

    /// The statement in the precision wanted. Literals keep their value.
    fn promoted(&self, stmt: &KernelStmt) -> KernelStmt {
        let mut stmt = KernelStmt {
            divisions: Divisions::Plain,
            ..stmt.clone()
        };
        if self.precision == Precision::Double {
            for (_, ty, value) in &mut stmt.locals {
                *ty = self.precision.of(*ty);
                *value = value.map(&to_double);
            }
            stmt.value = stmt.value.map(&to_double);
        }
        stmt
    }

    fn count(&self, t: &mut String) {
        t.push_str("\n// Adds the number of instances of every statement at one time.\n");
        t.push_str("__global__ void __launch_bounds__(256) count(const Args args, const Step step, unsigned long long *counts) {\n");
        self.prologue(t);
        t.push_str("  int n;\n");
        for (i, stmt) in self.stencil.stmts.iter().enumerate() {
            let guard = ast_to_c(&stmt.guard, &self.names);
            let _ = writeln!(t, "  n = __syncthreads_count(inside && ({guard}));");
            let _ = writeln!(
                t,
                "  if (n > 0 && threadIdx.x == 0 && threadIdx.y == 0) atomicAdd(counts + {i}, (unsigned long long)n);"
            );
        }
        t.push_str("}\n");
    }
}

/// What takes the place of a part of an expression that has the type `float`.
fn to_double(expr: &Expr) -> Option<Expr> {
    let double = CType::Double;
    Some(match expr {
        Expr::Float {
            ty: CType::Float, ..
        } => Expr::Cast {
            ty: double,
            arg: Box::new(expr.clone()),
        },
        Expr::Read(i, CType::Float) => Expr::Read(*i, double),
        Expr::Local(i, CType::Float) => Expr::Local(*i, double),
        Expr::Cast {
            ty: CType::Float,
            arg,
        } => Expr::Cast {
            ty: double,
            arg: Box::new(arg.map(&to_double)),
        },
        Expr::Call { name, args } => {
            let wide = name.strip_suffix('f').filter(|wide| {
                let result = |name: &str| math_function(name).map(|m| m.result);
                result(name) == Some(CType::Float) && result(wide) == Some(double)
            });
            Expr::Call {
                name: wide.unwrap_or(name).to_string(),
                args: args.iter().map(|a| a.map(&to_double)).collect(),
            }
        }
        _ => return None,
    })
}
