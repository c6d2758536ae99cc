//! Single steps on a GPU: the kernels of a translation without tiles, launched as its host code does.

use crate::measure::{Arrays, Resources, Text, Workbench, arguments, too_large};
use crate::variant::Variant;
use hexcc_compiler::back::Precision;
use hexcc_compiler::compiled::{Compiled, Stepwise};
use hexcc_compiler::ir::{Expr, Helper, Launch, Program, Stmt, Type, VarId};
use hexcc_compiler::kernel::plan::{self, ArrayLayout};
use hexcc_compiler::options::Options;
use hexcc_compiler::output;
use hexcc_compiler::pipeline;
use hexcc_compiler::scop::SavedScop;
use hexcc_gpu::{Binary, Flags, GpuError, Kernel, Module, Packed};
use hexcc_isl::Ctx;
use std::collections::BTreeMap;

/// The values of a program's integers.
type Values = BTreeMap<VarId, i64>;

/// A launch as data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Start {
    kernel: usize,
    grid: [u32; 3],
    block: [u32; 3],
    /// What the kernel takes after `Args`.
    params: Vec<i64>,
}

/// A region in single steps, to be measured.
pub struct Single {
    part: Stepwise,
    /// Values of its parameters, by set of parameters.
    params: Vec<Vec<i64>>,
    /// By set of parameters.
    starts: Vec<Vec<Start>>,
    /// Indices of kernels have 32 bits.
    narrow: bool,
}

impl Single {
    /// What a region that is tiled would be in single steps, with what threads have by the options, for sets of
    /// parameters of its first time loop; `None` where that is more than its time loops, or cannot be measured.
    pub fn new(
        ctx: &Ctx,
        saved: &SavedScop,
        options: &Options,
        tiled: &Compiled,
        sets: &[Vec<i64>],
    ) -> Option<Single> {
        let options = Variant::STEPS.options(options);
        options.switches().ok()?;
        ctx.reset_operations();
        let mut compiled = pipeline::compile(ctx, saved, &options).ok()?;
        let chunks = tiled.scop.chunks.iter().filter(|c| !c.stmts.is_empty());
        let part = compiled.stepwise.pop()?;
        let is_all = compiled.stepwise.is_empty() && chunks.count() == tiled.units.len();
        if !is_all || !is_plain(&part, tiled) {
            return None;
        }
        let names = &tiled.units.first()?.stencil().params;
        let params: Vec<Vec<i64>> = (sets.iter())
            .map(|set| in_order(&part.interface.params, names, set))
            .collect::<Option<_>>()?;
        let narrow = params.iter().all(|set| is_narrow(&part.program, set));
        let starts = (params.iter())
            .map(|set| starts(&part.program, set))
            .collect::<Option<_>>()?;
        Some(Single {
            part,
            params,
            starts,
            narrow,
        })
    }

    /// Its kernels, for NVRTC.
    pub fn text(&self, flags: Flags) -> Text {
        let text = output::print_steps(&self.part);
        text_of((&self.part.program, text), self.narrow, flags)
    }

    /// Loads its kernels.
    ///
    /// # Errors
    /// [`GpuError::Driver`].
    pub fn load(&self, bench: &Workbench, binary: &Binary) -> Result<LoadedSingle<'_>, GpuError> {
        let module = bench.device.load(binary)?;
        let kernels = (0..self.part.program.kernels.len())
            .map(|i| module.kernel(i))
            .collect::<Result<Vec<_>, _>>()?;
        let mut resources = Resources::default();
        for (number, kernel) in kernels.iter().enumerate() {
            let mut all = self.starts.iter().flatten();
            // A kernel that is never launched says nothing.
            let Some(start) = all.find(|start| start.kernel == number) else {
                continue;
            };
            let threads = start.block.iter().product();
            resources = resources.max(Resources {
                resident: Some(threads * kernel.resident_blocks(threads, 0)?),
                ..Resources::of(&kernel.attributes()?, 0)
            });
        }
        Ok(LoadedSingle {
            single: self,
            _module: module,
            kernels,
            resources,
        })
    }
}

/// The bytes of a kernel's parameter, which has 32 bits where kernels are narrow.
fn packed(value: i64, narrow: bool) -> Option<Packed> {
    match narrow {
        true => Packed::new(&i32::try_from(value).ok()?.to_ne_bytes()),
        false => Packed::of_integers(&[value]),
    }
}

/// Starts launches with `Args`.
///
/// # Errors
/// [`GpuError::Driver`].
pub fn launch_all(
    bench: &Workbench,
    kernels: &[Kernel],
    starts: &[Start],
    (args, narrow): (&Packed, bool),
) -> Result<(), GpuError> {
    for start in starts {
        let Some(kernel) = kernels.get(start.kernel) else {
            continue;
        };
        let params = start.params.iter().map(|p| packed(*p, narrow));
        let params: Option<Vec<Packed>> = params.collect();
        let params = params.ok_or_else(|| too_large("the sizes"))?;
        let list: Vec<&Packed> = std::iter::once(args).chain(&params).collect();
        let launch = hexcc_gpu::Launch {
            kernel,
            grid: start.grid,
            block: start.block,
            shared_bytes: 0,
            args: &list,
        };
        // SAFETY: the kernel takes `Args` and integers as laid out here; its accesses are the
        // program's own, and the arrays live.
        unsafe { bench.device.launch(&launch) }?;
    }
    Ok(())
}

/// The kernels of a part in single steps, with indices of 32 or of 64 bits where there are both.
pub fn text_of((program, text): (&Program, String), narrow: bool, flags: Flags) -> Text {
    let instance = match (&program.narrow, narrow) {
        (None, _) => "",
        (Some(_), true) => "<int>",
        (Some(_), false) => "<long long>",
    };
    let name = |k: &hexcc_compiler::ir::Kernel| format!("{}::{}{instance}", program.name, k.name);
    Text {
        text,
        names: program.kernels.iter().map(name).collect(),
        flags,
    }
}

/// Layouts of arrays where they have no padding, as single steps have them.
pub fn dense(layouts: &[ArrayLayout]) -> Vec<ArrayLayout> {
    let without_padding = |layout: &ArrayLayout| ArrayLayout {
        pitch: layout.extents.last().copied().unwrap_or(1),
        ..layout.clone()
    };
    layouts.iter().map(without_padding).collect()
}

/// Single steps that are loaded on the GPU.
pub struct LoadedSingle<'a> {
    single: &'a Single,
    _module: Module,
    kernels: Vec<Kernel>,
    /// The most that any of its kernels needs.
    pub resources: Resources,
}

impl LoadedSingle<'_> {
    /// Gives arrays their first values.
    ///
    /// # Errors
    /// [`GpuError::Driver`].
    pub fn fill(
        &self,
        bench: &Workbench,
        tiled: &Compiled,
        arrays: &Arrays,
        params: &[i64],
    ) -> Result<(), GpuError> {
        tiled.units.iter().try_for_each(|unit| {
            let layouts = plan::layouts(unit.stencil(), params).unwrap_or_default();
            arrays.fill(bench, unit.stencil(), &dense(&layouts))
        })
    }

    /// Starts all launches for a set of parameters.
    ///
    /// # Errors
    /// [`GpuError::Driver`].
    pub fn run(&self, bench: &Workbench, arrays: &Arrays, set: usize) -> Result<(), GpuError> {
        let single = self.single;
        let (Some(params), Some(starts)) = (single.params.get(set), single.starts.get(set)) else {
            return Ok(());
        };
        let interface = &single.part.interface;
        let args = arguments(interface, Precision::Source, params, arrays, None, &[])?;
        let narrow = single.part.program.narrow.is_some() && single.narrow;
        launch_all(bench, &self.kernels, starts, (&args, narrow))
    }

    /// Number of elements that differ from a baseline's results.
    ///
    /// # Errors
    /// [`GpuError::Driver`].
    pub fn different(
        &self,
        bench: &Workbench,
        tiled: &Compiled,
        (arrays, reference): (&Arrays, &Arrays),
        params: &[i64],
    ) -> Result<u64, GpuError> {
        let mut n = 0;
        for unit in &tiled.units {
            let layouts = plan::layouts(unit.stencil(), params).unwrap_or_default();
            let own = dense(&layouts);
            n += arrays.different(reference, bench, unit.stencil(), (&own, &layouts))?;
        }
        Ok(n)
    }
}

/// Whether kernels use nothing but the arrays of the time loops, as they are on a device.
fn is_plain(part: &Stepwise, tiled: &Compiled) -> bool {
    let known = |name: &str| {
        let mut arrays = tiled.units.iter().flat_map(|u| &u.stencil().arrays);
        arrays.any(|a| a.name == name)
    };
    is_alone(part) && part.interface.arrays.iter().all(|a| known(&a.name))
}

/// Whether kernels use nothing but arrays as they are on a device.
pub fn is_alone(part: &Stepwise) -> bool {
    part.interface.arrays.iter().all(|a| a.rows.is_none())
        && part.interface.cells.is_empty()
        && part.program.kernels.iter().all(|k| k.reductions.is_empty())
}

/// The values of parameters in another order.
fn in_order(wanted: &[String], names: &[String], values: &[i64]) -> Option<Vec<i64>> {
    let value = |name: &String| values.get(names.iter().position(|n| n == name)?).copied();
    wanted.iter().map(value).collect()
}

/// The arguments that have the type of indices: the parameters.
fn sizes(program: &Program, params: &[i64]) -> Values {
    let is_index = |id: &&VarId| program.var(**id).ty == Type::Index;
    let ids = program.args.iter().filter(is_index).copied();
    ids.zip(params.iter().copied()).collect()
}

pub fn is_narrow(program: &Program, params: &[i64]) -> bool {
    let condition = program.narrow.as_ref();
    condition.and_then(|c| value(c, &sizes(program, params))) == Some(1)
}

/// What the host code of a program launches; `None` where it does more than that, or a number does not
/// fit.
pub fn starts(program: &Program, params: &[i64]) -> Option<Vec<Start>> {
    let mut starts = Vec::new();
    let mut values = sizes(program, params);
    host(program, &program.host, &mut values, &mut starts)?;
    Some(starts)
}

fn host(
    program: &Program,
    block: &[Stmt],
    values: &mut Values,
    starts: &mut Vec<Start>,
) -> Option<()> {
    for stmt in block {
        match stmt {
            Stmt::Comment(_) | Stmt::Let { value: None, .. } => {}
            Stmt::Let {
                var,
                value: Some(e),
            }
            | Stmt::Assign {
                target: Expr::Var(var),
                value: e,
            } => {
                let now = value(e, values)?;
                values.insert(*var, now);
            }
            Stmt::If { cond, yes, no } => {
                let taken = if value(cond, values)? != 0 { yes } else { no };
                host(program, taken, values, starts)?;
            }
            Stmt::For {
                var,
                first,
                cond,
                step,
                body,
                ..
            } => {
                let mut now = value(first, values)?;
                values.insert(*var, now);
                while value(cond, values)? != 0 {
                    host(program, body, values, starts)?;
                    now = now.checked_add(value(step, values)?)?;
                    values.insert(*var, now);
                }
            }
            Stmt::Launch(launch) => starts.push(start(program, launch, values)?),
            Stmt::Assign { .. }
            | Stmt::Fold { .. }
            | Stmt::Load(_)
            | Stmt::Store(_)
            | Stmt::Barrier
            | Stmt::BarrierOfWarp
            | Stmt::Copy { .. }
            | Stmt::EndOfGroup
            | Stmt::Wait(_)
            | Stmt::Scope(_)
            | Stmt::Continue
            | Stmt::Return(_)
            | Stmt::Define { .. }
            | Stmt::CopyBox(_)
            | Stmt::MoveRows(_)
            | Stmt::Reserve(_)
            | Stmt::Call { .. } => {
                return None;
            }
        }
    }
    Some(())
}

/// Blocks along the second and the third axis that one launch can have.
const MOST_BLOCKS: i64 = 65_535;

fn start(program: &Program, launch: &Launch, values: &Values) -> Option<Start> {
    let kernel = launch.kernel.0 as usize;
    let axes = &program.kernels.get(kernel)?.axes;
    let (mut grid, mut block) = ([1; 3], [1; 3]);
    let mut params: Vec<i64> = (launch.args.iter())
        .map(|arg| value(arg, values))
        .collect::<Option<_>>()?;
    for (a, (axis, [lo, hi])) in axes.iter().zip(&launch.ranges).enumerate() {
        let (lo, hi) = (value(lo, values)?, value(hi, values)?);
        let blocks = (hi - lo).checked_div(axis.threads.into())? + 1;
        if hi < lo || a > 0 && blocks > MOST_BLOCKS {
            return None;
        }
        (grid[a], block[a]) = (u32::try_from(blocks).ok()?, axis.threads);
        if a > 0 {
            params.push(lo);
        }
    }
    Some(Start {
        kernel,
        grid,
        block,
        params,
    })
}

/// The value of an integer expression, with C's truth values.
fn value(expr: &Expr, values: &Values) -> Option<i64> {
    let of = |e: &Expr| value(e, values);
    match expr {
        Expr::Int(n) => Some(*n),
        Expr::Var(id) => values.get(id).copied(),
        Expr::Unary { op: "-", arg } => of(arg)?.checked_neg(),
        Expr::Unary { op: "!", arg } => Some(i64::from(of(arg)? == 0)),
        Expr::Binary {
            op: "<" | "<=",
            lhs,
            rhs,
        } if is_real(lhs) || is_real(rhs) => {
            let (lhs, rhs) = (real(lhs, values)?, real(rhs, values)?);
            Some(i64::from(match expr {
                Expr::Binary { op: "<", .. } => lhs < rhs,
                _ => lhs <= rhs,
            }))
        }
        Expr::Binary { op, lhs, rhs } => binary(op, of(lhs)?, of(rhs)?),
        Expr::Select { cond, yes, no } => of(if of(cond)? != 0 { yes } else { no }),
        // Memory of the driver is.
        Expr::Aligned(_) => Some(1),
        Expr::Helper(helper, args) => {
            let [a, b] = [of(&args[0])?, of(&args[1])?];
            match helper {
                Helper::FloorDiv => (b > 0).then(|| a.div_euclid(b)),
                Helper::Lowest => Some(a.min(b)),
                Helper::Highest => Some(a.max(b)),
                Helper::Mod => (b > 0).then(|| a.rem_euclid(b)),
                Helper::Relative => None,
            }
        }
        _ => None,
    }
}

/// Whether an expression is a product of numbers that need not be integers.
fn is_real(expr: &Expr) -> bool {
    match expr {
        Expr::Literal { ty, .. } | Expr::Cast { ty, .. } => ty.is_floating(),
        Expr::Binary { lhs, rhs, .. } => is_real(lhs) || is_real(rhs),
        _ => false,
    }
}

/// The value of such an expression.
fn real(expr: &Expr, values: &Values) -> Option<f64> {
    match expr {
        Expr::Literal { text, .. } => text.parse().ok(),
        Expr::Cast { arg, .. } => Some(value(arg, values)? as f64),
        Expr::Binary { op, lhs, rhs } => {
            let (a, b) = (real(lhs, values)?, real(rhs, values)?);
            match *op {
                "+" => Some(a + b),
                "-" => Some(a - b),
                "*" => Some(a * b),
                _ => None,
            }
        }
        e => Some(value(e, values)? as f64),
    }
}

fn binary(op: &str, a: i64, b: i64) -> Option<i64> {
    let truth = |is: bool| Some(i64::from(is));
    match op {
        "+" => a.checked_add(b),
        "-" => a.checked_sub(b),
        "*" => a.checked_mul(b),
        "/" => a.checked_div(b),
        "%" => a.checked_rem(b),
        "<" => truth(a < b),
        "<=" => truth(a <= b),
        ">" => truth(a > b),
        ">=" => truth(a >= b),
        "==" => truth(a == b),
        "!=" => truth(a != b),
        "&&" => truth(a != 0 && b != 0),
        "||" => truth(a != 0 || b != 0),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn single(sets: &[Vec<i64>]) -> Single {
        let text = include_str!("../../compiler/tests/data/jacobi2d.scop.json");
        let saved = serde_json::from_str(text).expect("a saved scop");
        let ctx = Ctx::new().expect("memory for a context");
        let options = Options::default();
        let tiled = pipeline::compile(&ctx, &saved, &options).expect("it compiles");
        Single::new(&ctx, &saved, &options, &tiled, sets).expect("it can be measured")
    }

    #[test]
    fn launches_are_those_of_the_host_code() {
        let single = single(&[vec![131, 3], vec![20_000, 1]]);
        let of_small = &single.starts[0];
        assert_eq!(of_small.len(), 3);
        // Threads of one cell, since there are few.
        // 129 cells along both axes, of which the second begins at 1.
        let first = &of_small[0];
        assert_eq!((first.block, first.grid), ([64, 4, 1], [3, 33, 1]));
        assert_eq!(first.params.last(), Some(&1));
        assert_ne!(of_small[0].params, of_small[1].params);
        // Threads of 2 x 4 cells, in blocks of 2 x 64: of columns from 0 on, since 4 lie on one boundary.
        let [start] = single.starts[1].as_slice() else {
            panic!("one launch");
        };
        assert_eq!((start.block, start.grid), ([64, 2, 1], [79, 5000, 1]));
        assert_ne!(start.kernel, first.kernel);
        // 2 x 20000^2 elements have numbers of 32 bits, 2 x 40000^2 do not.
        assert!(single.narrow && single.text(Flags::default()).names[0].ends_with("<int>"));
        let wide = self::single(&[vec![40_000, 1]]);
        assert!(wide.text(Flags::default()).names[0].ends_with("<long long>"));
    }

    #[test]
    fn integers_are_those_of_c() {
        for (op, a, b, result) in [
            ("%", -7, 2, Some(-1)),
            ("/", -7, 2, Some(-3)),
            ("/", 1, 0, None),
            ("<=", 2, 2, Some(1)),
            ("&&", 5, 0, Some(0)),
            ("+", i64::MAX, 1, None),
        ] {
            assert_eq!(binary(op, a, b), result, "{a} {op} {b}");
        }
        let floor = |a| {
            let args = Box::new([Expr::Int(a), Expr::Int(4)]);
            value(&Expr::Helper(Helper::FloorDiv, args), &Values::new())
        };
        assert_eq!(
            [floor(-1), floor(-4), floor(7)],
            [Some(-1), Some(-1), Some(1)]
        );
    }
}
