//! The baseline: one thread per point and one launch per logical time step.

use super::arrays::{Arrays, arguments, integers};
use super::{Resources, Text, Workbench, too_large};
use hexcc_compiler::back::{self, Precision};
use hexcc_compiler::compiled::Compiled;
use hexcc_compiler::kernel::{Stencil, plan};
use hexcc_compiler::scop::Expr;
use hexcc_gpu::{Binary, Flags, GpuError, Kernel, Module, Packed};

/// The baseline of a region, loaded on the GPU.
pub struct Baseline {
    precision: Precision,
    units: Vec<BaselineUnit>,
    /// The most that any of its kernels needs.
    pub resources: Resources,
}

struct BaselineUnit {
    _module: Module,
    slots: Vec<Kernel>,
    count: Kernel,
}

/// Work of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Work {
    /// Points updated, each once per time step: of the array that is computed the
    /// most often, how often its elements are.
    pub cells: f64,
    /// Floating-point operations.
    pub flops: f64,
}

impl Baseline {
    /// The texts of the baseline for parameters up to these, one per time loop.
    pub fn texts(
        compiled: &Compiled,
        precision: Precision,
        flags: Flags,
        params: &[i64],
    ) -> Vec<Text> {
        (compiled.units.iter())
            .map(|unit| {
                let layouts = plan::layouts(unit.stencil(), params).unwrap_or_default();
                let narrow = back::naive_is_narrow(unit.stencil(), params, &layouts);
                let naive = back::print_naive(unit.stencil(), precision, narrow);
                Text {
                    text: naive.text,
                    names: naive.kernels,
                    flags,
                }
            })
            .collect()
    }

    /// Compiles and loads the baseline for parameters up to these.
    ///
    /// # Errors
    /// [`GpuError::Compile`].
    pub fn build(
        bench: &Workbench,
        compiled: &Compiled,
        precision: Precision,
        flags: Flags,
        params: &[i64],
    ) -> Result<Baseline, GpuError> {
        let texts = Baseline::texts(compiled, precision, flags, params);
        let binaries = texts.iter().map(|text| text.compile(&bench.compiler));
        Baseline::load(bench, precision, binaries.collect::<Result<_, _>>()?)
    }

    /// Loads the baseline.
    ///
    /// # Errors
    /// [`GpuError::Driver`].
    pub fn load(
        bench: &Workbench,
        precision: Precision,
        binaries: Vec<Binary>,
    ) -> Result<Baseline, GpuError> {
        let mut resources = Resources::default();
        let mut units = Vec::new();
        for binary in binaries {
            let module = bench.device.load(&binary)?;
            let n = binary.names.len().saturating_sub(1);
            let slots = (0..n)
                .map(|i| module.kernel(i))
                .collect::<Result<Vec<_>, _>>()?;
            for kernel in &slots {
                resources = resources.max(Resources::of(&kernel.attributes()?, 0));
            }
            units.push(BaselineUnit {
                slots,
                count: module.kernel(n)?,
                _module: module,
            });
        }
        Ok(Baseline {
            precision,
            units,
            resources,
        })
    }

    /// Starts all launches.
    ///
    /// # Errors
    /// [`GpuError::Driver`].
    pub fn run(
        &self,
        bench: &Workbench,
        compiled: &Compiled,
        arrays: &Arrays,
        params: &[i64],
    ) -> Result<(), GpuError> {
        for (unit, loaded) in compiled.units.iter().zip(&self.units) {
            let kernels: Vec<&Kernel> = loaded.slots.iter().collect();
            self.launch(bench, unit.stencil(), &kernels, arrays, params, None)?;
        }
        Ok(())
    }

    fn launch(
        &self,
        bench: &Workbench,
        stencil: &Stencil,
        kernels: &[&Kernel],
        arrays: &Arrays,
        params: &[i64],
        counters: Option<&Packed>,
    ) -> Result<(), GpuError> {
        let layouts = plan::layouts(stencil, params).unwrap_or_default();
        let Some(plan) = back::naive_plan(stencil, params, &layouts) else {
            return Ok(());
        };
        let args = arguments(stencil, self.precision, params, arrays, None, &[])?;
        for t in plan.times.clone() {
            let mut step = vec![t];
            step.extend(&plan.step);
            let step = Packed::of_integers(&step).ok_or_else(|| too_large("the arguments"))?;
            let mut list = vec![&args, &step];
            list.extend(counters);
            for kernel in kernels {
                let launch = hexcc_gpu::Launch {
                    kernel,
                    grid: plan.grid,
                    block: [plan.block[0], plan.block[1], 1],
                    shared_bytes: 0,
                    args: &list,
                };
                // SAFETY: the kernel takes `Args`, `Step` and for counting a pointer;
                // it executes the program's own accesses, and the arrays live.
                unsafe { bench.device.launch(&launch) }?;
            }
        }
        Ok(())
    }

    /// Counts the work of a run.
    ///
    /// # Errors
    /// [`GpuError::Driver`].
    pub fn work(
        &self,
        bench: &Workbench,
        compiled: &Compiled,
        arrays: &Arrays,
        params: &[i64],
    ) -> Result<Work, GpuError> {
        let mut work = Work::default();
        for (unit, loaded) in compiled.units.iter().zip(&self.units) {
            let stencil = unit.stencil();
            let bytes = 8 * stencil.stmts.len();
            let mut counters = bench.device.allocate(bytes as u64)?;
            bench.device.upload(&mut counters, &vec![0; bytes])?;
            let pointer = Packed::of_integers(&[counters.pointer().cast_signed()]);
            self.launch(
                bench,
                stencil,
                &[&loaded.count],
                arrays,
                params,
                pointer.as_ref(),
            )?;
            let counts = integers(&bench.device.download(&counters, bytes)?);
            let mut cells = vec![0.0; stencil.arrays.len()];
            for (stmt, count) in stencil.stmts.iter().zip(counts) {
                let mut operations = stmt.value.n_operations();
                let mut flops = n_flops(&stmt.value);
                for (_, _, value) in &stmt.locals {
                    operations += value.n_operations();
                    flops += n_flops(value);
                }
                if operations > 0 {
                    cells[stmt.write.array] += count as f64;
                }
                work.flops += count as f64 * flops as f64;
            }
            work.cells += cells.into_iter().fold(0.0, f64::max);
        }
        Ok(work)
    }
}

/// Floating-point additions, multiplications, divisions and calls.
fn n_flops(expr: &Expr) -> usize {
    let mut n = 0;
    expr.visit(&mut |e| {
        let is_operation = match e {
            Expr::Binary { op, .. } => matches!(*op, "+" | "-" | "*" | "/"),
            Expr::Call { .. } => true,
            _ => false,
        };
        n += usize::from(is_operation && e.ty().is_floating());
    });
    n
}
