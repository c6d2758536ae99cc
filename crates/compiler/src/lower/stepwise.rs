//! Single steps as a program: isl makes the loops of the host over launches, and those in each
//! thread over statements; this file puts statements where isl says they run.

mod coarse;
mod fold;
mod functions;
mod narrow;
mod source;
mod statement;
mod store;
mod structs;

pub use self::coarse::Wanted;
use self::coarse::{InCells, Shape, many_cells};
use self::functions::with_inputs;
use self::narrow::Range;
use super::affine::{Env, from_isl};
use crate::diag::{Diagnostic, Result};
use crate::interface::Interface;
use crate::ir::verify::MOST_AXES;
use crate::ir::{Axis, Expr, Kernel, KernelId, Launch, Program, Stmt, Type, Unroll, VarId};
use crate::options::StepKernel;
use crate::quotient::Divisions;
use crate::scop::{ArrayId, Scop, SourceFile};
use crate::tiling::coarsen::Reason;
use crate::tiling::hyperplanes::Hyperplanes;
use crate::tiling::stepwise::{Plan, Step};
use hexcc_isl::{AstBuild, AstExpr, AstNode, DimType, Map, PwAff, Set, UnionMap};
use std::collections::{BTreeMap, BTreeSet};

/// Threads of a block by the number of loops that threads share, innermost first: of eleven shapes
/// on an H200 never slower than the plain kernel of `hexcc bench` (docs/notes/results.md).
const BLOCKS: [&[u32]; 4] = [&[], &[256], &[64, 4], &[64, 2, 2]];

/// The same for kernels that reduce: the threads of a block are in the order of the loops.
const ROWS: [u32; MOST_AXES] = [256, 1, 1];

/// Launches and kernels of a plan; `arrays` are those of the interface, and whether kernels find them
/// where the program has them.
///
/// # Errors
/// HX0401 where isl gives up, HX9001 where the parts do not fit each other.
pub fn lower(
    scop: &Scop,
    source: &SourceFile,
    plan: &Plan,
    interface: &Interface,
    (arrays, in_place): (&[ArrayId], bool),
    (wanted, divisions): (Wanted<'_>, Divisions),
) -> Result<Lowered> {
    let mut lowering = Lowering {
        scop,
        source,
        plan,
        program: Program {
            divisions,
            functions: Vec::new(),
            layout: Default::default(),
            name: interface.name.clone(),
            vars: Vec::new(),
            args: Vec::new(),
            kernels: Vec::new(),
            narrow: None,
            host: Vec::new(),
        },
        narrow: true,
        args: Env::new(),
        arrays: BTreeMap::new(),
        scalars: BTreeMap::new(),
        extents: BTreeMap::new(),
        names: BTreeMap::new(),
        ranges: Vec::new(),
        rough: BTreeSet::new(),
        known: Vec::new(),
        kernels: Vec::new(),
        kinds: Vec::new(),
    };
    lowering.arguments(interface, (arrays, in_place))?;
    if plan.names.is_empty() {
        lowering.loop_names()?;
    }
    for step in &plan.steps {
        lowering.step(step, wanted)?;
    }
    if lowering.narrow {
        lowering.program.narrow = lowering.narrow_sizes(interface)?;
    }
    lowering.host()?;
    let of_step = |all: &Vec<Launched>| all.iter().map(|l| l.kernel).collect();
    Ok(Lowered {
        kernels: lowering.kernels.iter().map(of_step).collect(),
        program: lowering.program,
        kinds: lowering.kinds,
    })
}

/// A plan as a program.
pub struct Lowered {
    /// The program.
    pub program: Program,
    /// By step, its kernels, of which the first runs that can.
    pub kernels: Vec<Vec<KernelId>>,
    /// By step, what its threads have.
    pub kinds: Vec<Kind>,
}

struct Lowering<'a> {
    scop: &'a Scop,
    source: &'a SourceFile,
    plan: &'a Plan,
    program: Program,
    /// Indices have 32 bits where sizes are not too large, as far as has been seen.
    narrow: bool,
    /// Sizes by name.
    args: Env,
    /// Arrays in device memory.
    arrays: BTreeMap<ArrayId, VarId>,
    /// Scalars passed by value.
    scalars: BTreeMap<ArrayId, VarId>,
    /// Extents of the arrays.
    extents: BTreeMap<ArrayId, Vec<Expr>>,
    /// By statement and dimension of its schedule, the iterator that the dimension is.
    names: BTreeMap<usize, Vec<Option<String>>>,
    /// By step and axis, the first and the last iteration of its spread loops.
    ranges: Vec<Vec<[AstExpr; 2]>>,
    /// Dimensions of the step that is lowered whose iterations lie in a range that is wider than need be.
    rough: BTreeSet<usize>,
    /// Constants of the thread in the block of statements that is lowered, whose values are what they were.
    known: Vec<(VarId, Expr)>,
    /// By step, its kernels in the order in which they are launched where they can be.
    kernels: Vec<Vec<Launched>>,
    /// By step, what its threads have.
    kinds: Vec<Kind>,
}

/// What the threads of a step have: one cell, for a reason, or several.
pub type Kind = std::result::Result<StepKernel, Reason>;

/// A kernel of a step.
struct Launched {
    kernel: KernelId,
    /// What its threads have; `None` for one cell.
    shape: Option<Shape>,
    /// Under which conditions on the arguments it can be launched.
    conditions: Vec<Expr>,
    /// Cells from which on it is, where it is not asked for.
    least: Option<i64>,
}

impl Launched {
    /// Its first and last thread along each axis, given the iterations.
    fn ranges(&self, iterations: &[[Expr; 2]]) -> Vec<[Expr; 2]> {
        let Some(shape) = &self.shape else {
            return iterations.to_vec();
        };
        let axes = iterations.iter().rev().enumerate();
        let mut ranges: Vec<[Expr; 2]> = axes
            .map(|(axis, range)| shape.range(axis, range.clone()))
            .collect();
        ranges.reverse();
        ranges
    }
}

/// Makes the statements of an instance: given the name of its tuple and its coordinates.
type Instance<'a, 'b> = dyn FnMut(&mut Lowering<'a>, &str, Vec<Expr>) -> Result<Vec<Stmt>> + 'b;

/// isl's name of a dimension of the schedules; no name of C, so that no variable has it.
fn dim_name(d: usize) -> String {
    format!("d{d}'")
}

/// isl's name of an iterator of a statement.
fn iterator(i: usize) -> String {
    format!("i{i}'")
}

/// Pieces of a context that are kept apart.
const MOST_PIECES: usize = 32;

/// A set that has been projected, without what isl keeps of the dimensions that went: of hyperplanes, which ones
/// are empty for what sizes. Threads test whether an iteration is there.
fn around_it(step: &Step, set: Set) -> Result<Set> {
    Ok(match step.hyperplanes {
        None => set,
        Some(_) => set.remove_divs()?,
    })
}

/// What is said where nothing can be written around the iterations of a loop either.
const NO_RANGE: &str = "isl finds no expression for the first and the last tile";

/// The first and the last of some values of a loop.
fn ends(build: &AstBuild, values: &Set) -> Result<[AstExpr; 2]> {
    let bound = |f: PwAff| -> Result<AstExpr> { Ok(build.expr_from_pw_aff(&f.coalesce()?)?) };
    Ok([bound(values.dim_min(0)?)?, bound(values.dim_max(0)?)?])
}

fn position(d: usize) -> u32 {
    d as u32
}

impl<'a> Lowering<'a> {
    /// The fields of `Args`.
    fn arguments(
        &mut self,
        interface: &Interface,
        (arrays, in_place): (&[ArrayId], bool),
    ) -> Result<()> {
        let program = &mut self.program;
        let mut add = |name: &str, ty: Type| {
            let id = program.add_var(name, ty, true);
            program.args.push(id);
            id
        };
        for param in &interface.params {
            let id = add(param, Type::Index);
            self.args.insert(param.clone(), Expr::Var(id));
        }
        for (name, ty) in &interface.scalars {
            let id = add(name, Type::Number(*ty));
            let found = (self.scop.arrays.iter()).position(|a| a.name == *name);
            let index = found.ok_or_else(|| Box::new(Diagnostic::bug("a scalar from nowhere")))?;
            self.scalars.insert(ArrayId(index as u32), id);
        }
        for (array, id) in interface.arrays.iter().zip(arrays) {
            let (elem, written) = (array.elem, array.written);
            let ty = match array.rows.is_some() && in_place {
                true => Type::Rows { elem, written },
                false => Type::Pointer { elem, written },
            };
            let var = add(&array.name, ty);
            self.arrays.insert(*id, var);
        }
        for (array, id) in interface.arrays.iter().zip(arrays) {
            let extents = array.extents.iter().map(|e| from_isl(e, &self.args));
            self.extents.insert(*id, extents.collect::<Result<_>>()?);
        }
        Ok(())
    }

    /// Names for loops: of the iterators that they equal up to their sign.
    fn loop_names(&mut self) -> Result<()> {
        for (&s, order) in self.plan.steps.iter().flat_map(|step| &step.orders) {
            let stmt = &self.scop.stmts[s];
            let build = AstBuild::from_context(&named(&stmt.domain)?)?;
            let mut names = Vec::new();
            for f in order.schedule.to_pw_affs()? {
                let expr = build.expr_from_pw_aff(&with_inputs(&f)?)?;
                let found = first_iterator(&expr);
                names.push(match found {
                    Some(i) => stmt.domain.dim_name(DimType::Set, position(i))?,
                    None => None,
                });
            }
            self.names.insert(s, names);
        }
        for step in &self.plan.steps {
            let Some(sum) = step.hyperplanes.as_ref().map(Hyperplanes::sum) else {
                continue;
            };
            for s in &step.stmts {
                let name = self.names.get_mut(s).and_then(|names| names.get_mut(sum));
                if let Some(name) = name {
                    *name = Some("front".to_string());
                }
            }
        }
        Ok(())
    }

    /// A variable for a loop over a dimension of the schedules of some statements.
    fn loop_var(&mut self, stmts: &[usize], d: usize) -> VarId {
        let iterators = stmts
            .iter()
            .filter_map(|s| self.names.get(s)?.get(d)?.clone());
        let name = self.plan.names.get(d).cloned();
        let name = name.or_else(|| iterators.into_iter().next());
        let name = name.unwrap_or_else(|| format!("c{d}"));
        self.program.add_var(&name, Type::Index, true)
    }

    /// All times at which statements of a step run.
    fn times(&self, step: &Step) -> Result<Set> {
        let mut times: Option<Set> = None;
        for order in step.orders.values() {
            let more = order.schedule.range()?;
            times = Some(match times {
                Some(times) => times.union(&more)?,
                None => more,
            });
        }
        times.ok_or_else(|| Box::new(Diagnostic::bug("a launch of nothing")))
    }

    /// The launches, in the loops of the host.
    fn host(&mut self) -> Result<()> {
        let plan = self.plan;
        let mut schedule = UnionMap::empty(&self.scop.ctx)?;
        for (index, step) in plan.steps.iter().enumerate() {
            schedule = schedule.union(&UnionMap::from_map(&self.launch_times(index, step)?)?)?;
        }
        let names: Vec<String> = (0..plan.depth).map(dim_name).collect();
        let node = AstNode::of_schedule(&schedule, &self.scop.context.params()?, &names, 0)?;
        let all: Vec<usize> = plan.steps.iter().flat_map(|s| s.stmts.clone()).collect();
        let mut env = self.args.clone();
        self.program.host = self.node(&node, &all, &mut env, &mut |lowering, name, args| {
            lowering.launch(name, args)
        })?;
        Ok(())
    }

    /// `{ K[host] -> time }`: when the launches of a step run.
    fn launch_times(&self, index: usize, step: &Step) -> Result<Map> {
        let first = step.stmts.first().and_then(|s| step.orders.get(s));
        let first = first.ok_or_else(|| Box::new(Diagnostic::bug("a launch of nothing")))?;
        let mut times = self.times(step)?;
        for (d, constant) in first.constants.iter().enumerate() {
            if !step.host.contains(&d) {
                times = times.project_out(DimType::Set, position(d), 1)?;
                times = times.insert_dims(DimType::Set, position(d), 1)?;
                times = times.fix(DimType::Set, position(d), constant.unwrap_or(0))?;
            }
        }
        let mut map = around_it(step, times)?.identity()?;
        for d in (0..self.plan.depth)
            .rev()
            .filter(|d| !step.host.contains(d))
        {
            map = map.project_out(DimType::In, position(d), 1)?;
        }
        Ok(map.set_tuple_name(DimType::In, &format!("K{index}"))?)
    }

    /// One launch, for given values of the host's iterators.
    fn launch(&mut self, name: &str, args: Vec<Expr>) -> Result<Vec<Stmt>> {
        let index = name.strip_prefix('K').and_then(|n| n.parse::<usize>().ok());
        let step = |i: usize| Some((i, self.plan.steps.get(i)?, self.ranges.get(i)?));
        let (index, step, ranges) = (index.and_then(step))
            .ok_or_else(|| Box::new(Diagnostic::bug("a launch of no kernel")))?;
        let mut env = self.args.clone();
        for (d, value) in step.host.iter().zip(&args) {
            env.insert(dim_name(*d), value.clone());
        }
        let ranges = bounds(ranges, &env)?;
        let mut all = Vec::new();
        for launched in self.kernels[index].iter().rev() {
            let launch = Stmt::Launch(Launch {
                kernel: launched.kernel,
                ranges: launched.ranges(&ranges),
                args: args.clone(),
                blocks: None,
            });
            let many = launched.least.and_then(|least| many_cells(&ranges, least));
            let conditions = many.into_iter().chain(launched.conditions.iter().cloned());
            all = match conditions.reduce(|a, b| Expr::binary("&&", a, b)) {
                None => vec![launch],
                Some(cond) => vec![Stmt::If {
                    cond,
                    yes: vec![launch],
                    no: all,
                }],
            };
        }
        Ok(all)
    }

    /// The kernels of a step.
    fn step(&mut self, step: &'a Step, wanted: Wanted<'_>) -> Result<()> {
        let ranges = self.ranges(step)?;
        let node = self.loops_of_thread(step)?;
        let coarse = self.coarse(step, &ranges, &node, wanted)?;
        let mut kernels = Vec::new();
        self.kinds.push(match &coarse {
            Ok(all) => all
                .first()
                .map_or(Ok(StepKernel::Naive), |c| Ok(c.shape.kernel())),
            Err(reason) => Err(reason.clone()),
        });
        let next = |lowering: &Self| KernelId(lowering.program.kernels.len() as u32);
        for coarse in coarse.unwrap_or_default() {
            kernels.push(Launched {
                kernel: next(self),
                shape: Some(coarse.shape),
                conditions: coarse.conditions,
                least: coarse.least,
            });
            self.program.kernels.push(coarse.kernel);
        }
        let ends = bounds(&ranges, &self.parameters(step).0)?;
        let always = |l: &Launched| {
            let many = l.least.and_then(|least| many_cells(&ends, least));
            l.conditions.is_empty() && many.is_none()
        };
        if !kernels.iter().any(always) {
            let mut kernel = self.kernel(step, &ranges, &node)?;
            if wanted.warps {
                self.store_together(&mut kernel);
            }
            kernels.push(Launched {
                kernel: next(self),
                shape: None,
                conditions: Vec::new(),
                least: None,
            });
            self.program.kernels.push(kernel);
        }
        self.kernels.push(kernels);
        self.ranges.push(ranges);
        Ok(())
    }

    /// The loops of the host around a step as parameters of a kernel.
    fn parameters(&mut self, step: &Step) -> (Env, Vec<VarId>) {
        let mut env = self.args.clone();
        let mut params = Vec::new();
        for &d in &step.host {
            let var = self.loop_var(&step.stmts, d);
            env.insert(dim_name(d), Expr::Var(var));
            params.push(var);
        }
        (env, params)
    }

    /// Variables of a thread's own, which it defines.
    fn private_variables(&mut self, step: &Step, body: &mut Vec<Stmt>) -> Vec<(ArrayId, VarId)> {
        let mut all = Vec::new();
        for (id, len) in self.private_of(step) {
            let array = self.scop.array(id);
            let ty = match array.is_variable() {
                true => Type::Number(array.elem),
                false => Type::Private {
                    rows: 1,
                    elem: array.elem,
                    len,
                },
            };
            let var = self.program.add_var(&array.name, ty, false);
            body.push(Stmt::Let { var, value: None });
            all.push((id, var));
        }
        all
    }

    /// By axis, the first and the last iteration of a step's spread loops.
    fn ranges(&mut self, step: &Step) -> Result<Vec<[AstExpr; 2]>> {
        self.rough.clear();
        let build = AstBuild::from_context(&self.context(step, &step.host)?)?;
        let mut ranges = Vec::new();
        for &d in step.spread.iter().rev() {
            ranges.push(match ends(&build, &self.along(step, d)?) {
                // Of tiles around several nests, isl has conditions on sizes that it does not write.
                Err(why) if why.is_bug() => {
                    self.rough.insert(d);
                    self.scop.ctx.reset_operations();
                    let build = AstBuild::from_context(&self.context(step, &step.host)?)?;
                    ends(&build, &self.along(step, d)?).map_err(|why| match why.is_bug() {
                        true => Box::new(Diagnostic::error("HX0401", NO_RANGE)),
                        false => why,
                    })?
                }
                found => found?,
            });
        }
        Ok(ranges)
    }

    /// The values of one spread loop, with the host's iterators as parameters; or a range around them, where threads test whether
    /// an iteration is there.
    fn along(&self, step: &Step, d: usize) -> Result<Set> {
        let set = self.exactly_along(step, d)?;
        Ok(match self.rough.contains(&d) {
            true => set.remove_divs()?.simple_hull()?,
            false => set,
        })
    }

    fn exactly_along(&self, step: &Step, d: usize) -> Result<Set> {
        let mut set = self.times(step)?;
        for e in (0..self.plan.depth).rev().filter(|e| *e != d) {
            set = match step.host.contains(&e) {
                true => to_param(&set, e, &dim_name(e))?,
                false => set.project_out(DimType::Set, position(e), 1)?,
            };
        }
        around_it(step, set.coalesce()?)
    }

    /// What is known of some dimensions where a step runs, as conditions on parameters: of the
    /// host's iterators all, of the spread loops that they are in their ranges.
    fn context(&self, step: &Step, dims: &[usize]) -> Result<Set> {
        let mut host = self.times(step)?;
        for e in (0..self.plan.depth).rev() {
            host = match step.host.contains(&e) {
                true => to_param(&host, e, &dim_name(e))?,
                false => host.project_out(DimType::Set, position(e), 1)?,
            };
        }
        let host = around_it(step, host)?;
        let mut context = self
            .scop
            .context
            .params()?
            .intersect_params(&host.params()?)?;
        for &d in dims.iter().filter(|d| !step.host.contains(d)) {
            let values = self.along(step, d)?;
            let reach = |order: &str| -> Result<Set> {
                let text = format!("{{ [x] -> [y] : {order} }}");
                Ok(values.apply(&Map::read(&self.scop.ctx, &text)?)?)
            };
            let within = reach("x <= y")?.intersect(&reach("x >= y")?)?;
            // Steps of tiles around others leave hundreds of pieces, which take isl seconds to join: what holds in all of
            // them is less, but enough.
            let within = match within.basic_sets()?.len() {
                0..=MOST_PIECES => within,
                _ => within.simple_hull()?,
            };
            context = context.intersect_params(&to_param(&within, 0, &dim_name(d))?.params()?)?;
        }
        // Less is known, but nothing that does not hold.
        Ok(match self.rough.is_empty() {
            true => context.coalesce()?,
            false => context.remove_divs()?.simple_hull()?,
        })
    }

    fn kernel(&mut self, step: &Step, ranges: &[[AstExpr; 2]], node: &AstNode) -> Result<Kernel> {
        let (mut env, params) = self.parameters(step);
        let mut ends = ranges.iter().flatten();
        let range = Range::of(step);
        self.narrow &= ends.all(|end| range.holds_instance(end));
        let ranges = bounds(ranges, &env)?;
        let reductions = self.reductions(step, &env)?;
        let mut private: BTreeMap<ArrayId, VarId> = (step.reductions.values())
            .map(|r| r.array)
            .collect::<BTreeSet<_>>()
            .into_iter()
            .zip(reductions.iter().map(|r| r.part))
            .collect();
        let mut spread = Vec::new();
        for &d in &step.spread {
            let var = self.loop_var(&step.stmts, d);
            env.insert(dim_name(d), Expr::Var(var));
            spread.push(var);
        }
        let mut body = Vec::new();
        private.extend(self.private_variables(step, &mut body));
        self.narrow &= match &step.hyperplanes {
            None => range.holds(node),
            Some(hyperplanes) => range.holds(node) && self.has_narrow_loops(step, hyperplanes)?,
        };
        let places = InCells::default();
        body.extend(self.inside(
            node,
            &step.stmts,
            &mut env,
            &mut move |lowering, name, args| lowering.statement(name, &args, &private, &places),
        )?);
        // The innermost loop is along the first axis.
        let shared = spread.iter().rev().zip(ranges);
        let blocks = match reductions.is_empty() {
            true => BLOCKS[spread.len()],
            false => &ROWS,
        };
        let axes = shared.zip(blocks);
        let axes = axes.map(|((var, range), threads)| Axis {
            var: *var,
            range,
            threads: *threads,
        });
        let number = self.ranges.len() + 1;
        Ok(Kernel {
            block: None,
            launching: None,
            name: format!("step_{number}"),
            lines: self.lines(step),
            params,
            axes: axes.collect(),
            body,
            reductions,
        })
    }

    /// What the threads of a step have for themselves, with the numbers of elements.
    fn private_of(&self, step: &Step) -> BTreeMap<ArrayId, u32> {
        let of_stmt = |s: &usize| {
            let stmt = &self.scop.stmts[*s];
            let accesses = stmt.accesses();
            accesses.map(|a| a.array).collect::<Vec<_>>()
        };
        let used: BTreeSet<ArrayId> = step.stmts.iter().flat_map(of_stmt).collect();
        let private = self.plan.private.iter();
        let of_step = private.filter(|(id, _)| used.contains(id));
        of_step.map(|(id, len)| (*id, *len)).collect()
    }

    /// The loops over statements in a thread.
    fn loops_of_thread(&self, step: &Step) -> Result<AstNode> {
        let outside = |d: &usize| step.host.contains(d) || step.spread.contains(d);
        let mut schedule = UnionMap::empty(&self.scop.ctx)?;
        for (s, order) in &step.orders {
            let mut map = order.schedule.clone();
            for d in (0..self.plan.depth).rev().filter(outside) {
                let n = map.dim(DimType::Param)?;
                map = map.set_dim_name(DimType::Out, position(d), &dim_name(d))?;
                map = map.move_dims(DimType::Param, position(n), DimType::Out, position(d), 1)?;
            }
            // A tuple that isl can read as a name.
            map = map.set_tuple_name(DimType::In, &format!("S{s}"))?;
            schedule = schedule.union(&UnionMap::from_map(&map)?)?;
        }
        let dims: Vec<usize> = step.host.iter().chain(&step.spread).copied().collect();
        let inside: Vec<usize> = (0..self.plan.depth).filter(|d| !outside(d)).collect();
        let names: Vec<String> = inside.iter().copied().map(dim_name).collect();
        // Loops over tiles and rows stay whole: what their parts need differs in little.
        let last_ordered = inside.iter().take_while(|d| !step.free.contains(d)).count();
        let whole = match step.free.is_empty() {
            true => 0,
            false => last_ordered.saturating_sub(1),
        };
        let context = self.context(step, &dims)?;
        Ok(AstNode::of_schedule(&schedule, &context, &names, whole)?)
    }

    /// Statements of a node that stands inside of something, and shares no constants with what is around.
    fn inside(
        &mut self,
        node: &AstNode,
        stmts: &[usize],
        env: &mut Env,
        user: &mut Instance<'a, '_>,
    ) -> Result<Vec<Stmt>> {
        self.known.clear();
        let inside = self.node(node, stmts, env, user)?;
        self.known.clear();
        Ok(inside)
    }

    /// Statements of a node of isl's; `user` makes those of its statements, given the instance.
    fn node(
        &mut self,
        node: &AstNode,
        stmts: &[usize],
        env: &mut Env,
        user: &mut Instance<'a, '_>,
    ) -> Result<Vec<Stmt>> {
        Ok(match node {
            AstNode::Block(nodes) => {
                let mut all = Vec::new();
                for node in nodes {
                    all.extend(self.node(node, stmts, env, user)?);
                }
                all
            }
            AstNode::If { cond, yes, no } => vec![Stmt::If {
                cond: from_isl(cond, env)?,
                yes: self.inside(yes, stmts, env, user)?,
                no: match no {
                    Some(no) => self.inside(no, stmts, env, user)?,
                    None => Vec::new(),
                },
            }],
            AstNode::For {
                iterator,
                init,
                cond,
                inc,
                body,
            } => {
                let first = from_isl(init, env)?;
                let Some(cond) = cond else {
                    // It runs once: its variable is its value.
                    let before = env.insert(iterator.clone(), first);
                    let body = self.node(body, stmts, env, user)?;
                    restore(env, iterator, before);
                    return Ok(body);
                };
                let d = (0..self.plan.depth).find(|&d| dim_name(d) == *iterator);
                let d = d.ok_or_else(|| Box::new(Diagnostic::bug("a loop over nothing")))?;
                let inside = statements_in(body, self.plan, stmts);
                let is_free = |step: &Step| {
                    step.free.contains(&d) && inside.iter().all(|s| step.stmts.contains(s))
                };
                let any_order = self.plan.steps.iter().any(is_free);
                let var = self.loop_var(&inside, d);
                let before = env.insert(iterator.clone(), Expr::Var(var));
                let cond = from_isl(cond, env)?;
                let step = from_isl(inc, env)?;
                let body = self.inside(body, stmts, env, user)?;
                restore(env, iterator, before);
                vec![Stmt::For {
                    var,
                    first,
                    cond,
                    step,
                    any_order,
                    unroll: Unroll::Free,
                    body,
                }]
            }
            AstNode::User { name, args } => {
                let args = args
                    .iter()
                    .map(|a| from_isl(a, env))
                    .collect::<Result<_>>()?;
                user(self, name, args)?
            }
        })
    }
}

/// First and last values in the terms of a function.
fn bounds(ranges: &[[AstExpr; 2]], env: &Env) -> Result<Vec<[Expr; 2]>> {
    let range = |[lo, hi]: &[AstExpr; 2]| Ok([from_isl(lo, env)?, from_isl(hi, env)?]);
    ranges.iter().map(range).collect()
}

/// Takes back what stood for a name.
fn restore(env: &mut Env, name: &str, before: Option<Expr>) {
    match before {
        Some(value) => env.insert(name.to_string(), value),
        None => env.remove(name),
    };
}

/// The statements of `among` that run in a node.
fn statements_in(node: &AstNode, plan: &Plan, among: &[usize]) -> Vec<usize> {
    let mut found = Vec::new();
    fn names<'a>(node: &'a AstNode, into: &mut Vec<&'a str>) {
        match node {
            AstNode::For { body, .. } => names(body, into),
            AstNode::If { yes, no, .. } => {
                names(yes, into);
                no.iter().for_each(|no| names(no, into));
            }
            AstNode::Block(nodes) => nodes.iter().for_each(|n| names(n, into)),
            AstNode::User { name, .. } => into.push(name),
        }
    }
    let mut all = Vec::new();
    names(node, &mut all);
    for name in all {
        let number = |prefix| {
            name.strip_prefix(prefix)
                .and_then(|n: &str| n.parse::<usize>().ok())
        };
        match (number('S'), number('K')) {
            (Some(s), _) => found.push(s),
            (_, Some(k)) => found.extend(plan.steps.get(k).map_or(&[][..], |step| &step.stmts)),
            _ => {}
        }
    }
    found.retain(|s| among.contains(s));
    found
}

/// A dimension of a set as a parameter of the given name.
fn to_param(set: &Set, d: usize, name: &str) -> Result<Set> {
    let n = set.dim(DimType::Param)?;
    let set = set.set_dim_name(DimType::Set, position(d), name)?;
    Ok(set.move_dims(DimType::Param, position(n), DimType::Set, position(d), 1)?)
}

/// A statement's domain with isl's names for its iterators.
fn named(domain: &Set) -> Result<Set> {
    let mut set = domain.clone();
    for i in 0..domain.dim(DimType::Set)? {
        set = set.set_dim_name(DimType::Set, position(i), &iterator(i))?;
    }
    Ok(set)
}

/// The first iterator that occurs in an expression.
fn first_iterator(expr: &AstExpr) -> Option<usize> {
    match expr {
        AstExpr::Int(_) => None,
        AstExpr::Id(name) => name.strip_prefix('i')?.strip_suffix('\'')?.parse().ok(),
        AstExpr::Op(_, args) => args.iter().find_map(first_iterator),
    }
}
