//! Holds a program to the contract of [`crate::ir`]. What breaks it is an error of the pass that
//! made the program, never of the user's.

mod tiles;

use super::uniform::{Same, Sameness};
use super::{
    Expr, Function, FunctionId, Kernel, KernelId, LANES, Launch, OfTiles, Own, Program, Reduction,
    Stmt, Type, Unroll, VarId, WIDE, Wide,
};
use crate::ctype::{CType, math_function};
use std::collections::{BTreeMap, BTreeSet};

/// Threads of a block, at most, on every GPU.
const MOST_THREADS: u32 = 1024;

/// Bytes that the threads of a block share, at most, on every GPU since compute capability 9.0.
const MOST_SHARED: u64 = 227 * 1024;

/// Axes of a grid, at most.
pub const MOST_AXES: usize = 3;

/// What is wrong with a program.
type Wrong = String;

/// Checks a program.
///
/// # Errors
/// What breaks the contract first.
pub fn verify(program: &Program) -> Result<(), Wrong> {
    // Variables that are assigned count as the same for a block until an assignment is found that is not.
    let mut varying = BTreeSet::new();
    loop {
        let mut checker = Checker {
            program,
            defined: BTreeSet::new(),
            scope: Vec::new(),
            kernel: None,
            same: Sameness::new(program, varying.clone()),
            around: Same::Block,
            functions: 0,
            in_function: false,
            skipped: None,
            constants: BTreeMap::new(),
            arity: BTreeMap::new(),
        };
        checker.program()?;
        if checker.same.varying == varying {
            return Ok(());
        }
        varying = checker.same.varying;
    }
}

struct Checker<'a> {
    program: &'a Program,
    /// Everything defined so far, whether still in scope or not.
    defined: BTreeSet<VarId>,
    /// What can be used.
    scope: Vec<VarId>,
    /// The kernel that is looked at.
    kernel: Option<&'a Kernel>,
    /// What threads have in common.
    same: Sameness<'a>,
    /// For which threads the conditions around a place are the same.
    around: Same,
    /// Functions that can be called.
    functions: usize,
    /// A function is looked at.
    in_function: bool,
    /// For which threads it is the same whether the iteration of the loop around has ended before; `None` outside of
    /// loops.
    skipped: Option<Same>,
    /// Values of constants.
    constants: BTreeMap<VarId, i64>,
    /// How many parameters functions of what is around have.
    arity: BTreeMap<VarId, usize>,
}

impl<'a> Checker<'a> {
    fn program(&mut self) -> Result<(), Wrong> {
        let program = self.program;
        for arg in &program.args {
            self.define(*arg)?;
        }
        self.layout()?;
        for function in &program.functions {
            self.function(function)?;
        }
        for kernel in &program.kernels {
            self.kernel(kernel)?;
        }
        if let Some(narrow) = &program.narrow {
            self.truth(narrow)?;
        }
        self.block(&program.host)
    }

    fn name(&self, id: VarId) -> String {
        match self.program.vars.get(id.0 as usize) {
            Some(var) => format!("`{}`", var.name),
            None => format!("variable {}", id.0),
        }
    }

    fn define(&mut self, id: VarId) -> Result<(), Wrong> {
        if self.program.vars.get(id.0 as usize).is_none() {
            return Err(format!("{} does not exist", self.name(id)));
        }
        if !self.defined.insert(id) {
            return Err(format!("{} is defined twice", self.name(id)));
        }
        self.scope.push(id);
        Ok(())
    }

    fn function(&mut self, function: &'a Function) -> Result<(), Wrong> {
        let depth = self.scope.len();
        for param in &function.params {
            self.define(*param)?;
        }
        self.same.uniform.extend(&function.uniform);
        self.in_function = true;
        self.block(&function.body)?;
        self.in_function = false;
        self.functions += 1;
        self.scope.truncate(depth);
        Ok(())
    }

    /// What the blocks of a kernel are like.
    fn blocks(&self, kernel: &Kernel) -> Result<(), Wrong> {
        let Some(block) = &kernel.block else {
            return Ok(());
        };
        // Threads of columns and rows have no warps.
        let whole = kernel.launching.is_some() || block.threads.is_multiple_of(LANES);
        let fits = whole && (1..=MOST_THREADS).contains(&block.threads);
        let of_axes: u32 = kernel.axes.iter().map(|axis| axis.threads).product();
        let agrees = kernel.axes.is_empty() || of_axes == block.threads;
        if !fits || !agrees || block.resident == 0 {
            return Err(format!("kernel `{}` has an impossible block", kernel.name));
        }
        let mut bytes = 0u64;
        super::visit(&kernel.body, &mut |stmt| {
            if let Stmt::Let { var, .. } = stmt
                && let Type::Shared { elem, rows, len } = self.program.var(*var).ty
            {
                bytes += elem.size() as u64 * u64::from(rows) * u64::from(len);
            }
        });
        match bytes * u64::from(block.resident) > MOST_SHARED {
            true => Err(format!(
                "blocks of kernel `{}` share {bytes} bytes",
                kernel.name
            )),
            false => Ok(()),
        }
    }

    /// The threads of a block that work together, where `needed` of them do.
    fn together(&self, what: &str, needed: Same) -> Result<(), Wrong> {
        if !self.in_function && self.kernel.is_none_or(|kernel| kernel.block.is_none()) {
            return Err(format!("{what} where threads do not work together"));
        }
        match self.reached() < needed {
            true => Err(format!("{what} that not all threads reach")),
            false => Ok(()),
        }
    }

    /// For which threads it is the same whether they reach a place.
    fn reached(&self) -> Same {
        self.around.min(self.skipped.unwrap_or(Same::Block))
    }

    /// A block of statements that runs under a condition.
    fn block_under(&mut self, cond: &Expr, block: &'a [Stmt]) -> Result<(), Wrong> {
        let around = self.around;
        self.around = around.min(self.same.of(cond));
        self.block(block)?;
        self.around = around;
        Ok(())
    }

    fn kernel(&mut self, kernel: &'a Kernel) -> Result<(), Wrong> {
        self.blocks(kernel)?;
        self.launching(kernel)?;
        let threads = (kernel.axes.iter()).try_fold(1u32, |n, axis| n.checked_mul(axis.threads));
        if kernel.axes.len() > MOST_AXES || !matches!(threads, Some(1..=MOST_THREADS)) {
            return Err(format!("kernel `{}` has an impossible block", kernel.name));
        }
        let depth = self.scope.len();
        for param in &kernel.params {
            self.define(*param)?;
        }
        self.same.uniform.extend(&kernel.params);
        for bound in kernel.axes.iter().flat_map(|axis| &axis.range) {
            self.index(bound)?;
        }
        for reduction in &kernel.reductions {
            self.reduction(kernel, reduction)?;
        }
        for axis in &kernel.axes {
            self.iterator(axis.var)?;
            if axis.threads == 1 && kernel.block.is_some() {
                self.same.uniform.insert(axis.var);
            }
        }
        self.kernel = Some(kernel);
        self.block(&kernel.body)?;
        self.kernel = None;
        self.scope.truncate(depth);
        Ok(())
    }

    fn reduction(&mut self, kernel: &Kernel, reduction: &'a Reduction) -> Result<(), Wrong> {
        let Reduction { base, index, .. } = reduction;
        self.define(reduction.part)?;
        if self.program.var(reduction.part).ty != Type::Part(reduction.ty) {
            return Err(format!("{} is no part", self.name(reduction.part)));
        }
        self.index(index)?;
        self.target(&Expr::Element {
            base: *base,
            row: None,
            index: Box::new(index.clone()),
        })?;
        if kernel.axes.is_empty() {
            return Err(format!("kernel `{}` reduces in one thread", kernel.name));
        }
        let mut others = kernel.reductions.iter().filter(|r| r.base == *base);
        match others.nth(1).is_some() || kernel.used().contains(base) {
            true => Err(format!("{} is reduced and used", self.name(*base))),
            false => Ok(()),
        }
    }

    fn block(&mut self, block: &'a [Stmt]) -> Result<(), Wrong> {
        let depth = self.scope.len();
        for stmt in block {
            self.stmt(stmt)?;
        }
        self.scope.truncate(depth);
        Ok(())
    }

    fn stmt(&mut self, stmt: &'a Stmt) -> Result<(), Wrong> {
        match stmt {
            Stmt::Comment(_) => Ok(()),
            Stmt::Let { var, value } => self.define_with(*var, value.as_ref()),
            Stmt::Assign { target, value } => {
                self.target(target)?;
                self.number(value)?;
                if let Expr::Var(id) = target {
                    self.same.assign(*id, value, self.reached());
                }
                Ok(())
            }
            Stmt::If { cond, yes, no } => {
                self.truth(cond)?;
                self.block_under(cond, yes)?;
                self.block_under(cond, no)
            }
            Stmt::For {
                var,
                first,
                cond,
                step,
                unroll,
                body,
                ..
            } => {
                self.index(first)?;
                self.index(step)?;
                self.unrolled(*var, *unroll, [first, cond, step])?;
                let depth = self.scope.len();
                self.iterator(*var)?;
                self.truth(cond)?;
                self.same.define(*var, Some(first));
                self.same.define(*var, Some(step));
                let outside = self.skipped.replace(self.reached());
                self.block_under(cond, body)?;
                self.skipped = outside;
                self.scope.truncate(depth);
                Ok(())
            }
            Stmt::Scope(body) => self.block(body),
            Stmt::Continue => self.goes_on(),
            Stmt::Return(_) => self.of_host(None),
            Stmt::Reserve(kernel) => self.of_host(Some(*kernel)),
            Stmt::Define { var, definition } => self.definition(*var, definition),
            Stmt::CopyBox(copy) => self.copy_box(copy),
            Stmt::MoveRows(moved) => self.move_rows(moved),
            Stmt::Barrier => self.together("a barrier", Same::Block),
            Stmt::BarrierOfWarp => self.together("a barrier of a warp", Same::Warp),
            Stmt::Copy { to, from, lanes } => self.copy(to, from, *lanes),
            Stmt::EndOfGroup => self.together("a group of copies", Same::None),
            Stmt::Wait(_) => self.together("a wait", Same::None),
            Stmt::Call { function, args } => self.call(*function, args),
            Stmt::Fold { part, term } => {
                let ty = self.number(term)?;
                let reductions = self.kernel.map_or(&[][..], |kernel| &kernel.reductions);
                match reductions.iter().find(|r| r.part == *part) {
                    Some(reduction) if reduction.ty == ty => Ok(()),
                    Some(_) => Err(format!("{} gets a {ty}", self.name(*part))),
                    None => Err(format!("{} is no part of a reduction", self.name(*part))),
                }
            }
            Stmt::Load(wide) => self.wide(wide, false),
            Stmt::Store(wide) => self.wide(wide, true),
            Stmt::Launch(launch) => self.launch(launch),
        }
    }

    /// Copies into an array of the block.
    fn copy(&self, to: &'a Expr, from: &'a Expr, lanes: u32) -> Result<(), Wrong> {
        self.together("a copy", Same::None)?;
        let base = |e: &Expr| match e {
            Expr::Element { base, .. } => Some(self.program.vars.get(base.0 as usize)?.ty),
            _ => None,
        };
        let (target, source) = (self.number(to)?, self.number(from)?);
        let bytes = lanes.saturating_mul(source.size() as u32);
        if !(matches!(lanes, 1 | 2 | 4) && matches!(bytes, 4 | 8 | WIDE)) {
            return Err(format!("a copy of {lanes} elements of {source}"));
        }
        match (base(to), base(from)) {
            (Some(Type::Shared { .. }), Some(Type::Pointer { .. })) if target == source => Ok(()),
            _ => Err("a copy between what cannot be copied".to_string()),
        }
    }

    fn call(&self, FunctionId(id): FunctionId, args: &'a [Expr]) -> Result<(), Wrong> {
        let function = (self.program.functions.get(id as usize))
            .filter(|_| (id as usize) < self.functions)
            .ok_or_else(|| format!("function {id} does not exist yet"))?;
        let name = &function.name;
        if self.kernel.is_none() && !self.in_function {
            return Err(format!("function `{name}` is called by the host"));
        }
        if args.len() != function.params.len() {
            return Err(format!("a call does not fit function `{name}`"));
        }
        self.together("a call", Same::Block)?;
        for (arg, param) in args.iter().zip(&function.params) {
            let wanted = self.program.var(*param).ty;
            let given = match (arg, wanted) {
                (Expr::Var(id), _) if self.scope.contains(id) => self.program.var(*id).ty == wanted,
                (Expr::Int(0 | 1), Type::Flag) => true,
                (Expr::Literal { text, .. }, Type::OfTiles(OfTiles::Truth)) => {
                    matches!(text.as_str(), "true" | "false")
                }
                (_, Type::Index | Type::Number(_)) => {
                    Some(self.number(arg)?) == self.program.type_of(&Expr::Var(*param))
                }
                _ => false,
            };
            if !given {
                return Err(format!(
                    "{} of function `{name}` gets another type",
                    self.name(*param)
                ));
            }
            if function.uniform.contains(param) && self.same.of(arg) < Same::Block {
                return Err(format!(
                    "{} of function `{name}` differs by thread",
                    self.name(*param)
                ));
            }
        }
        Ok(())
    }

    /// Elements that are loaded or stored at once.
    fn wide(&self, wide: &'a Wide, stored: bool) -> Result<(), Wrong> {
        let (memory, own) = (wide.in_memory(), wide.of_thread());
        let (elem, of_thread) = (self.number(&memory)?, self.number(&own)?);
        if stored {
            self.target(&memory)?;
        }
        let Type::Private { len, .. } = self.program.var(wide.own).ty else {
            return Err(format!("{} is not of the thread", self.name(wide.own)));
        };
        let memory = self.program.var(wide.memory).ty;
        if !matches!(memory, Type::Pointer { .. } | Type::Shared { .. }) {
            return Err(format!("{} is no pointer", self.name(wide.memory)));
        }
        if elem != of_thread {
            return Err(format!("{} gets a {elem} at once", self.name(wide.own)));
        }
        if !matches!(wide.lanes, 2 | 4) || wide.lanes * elem.size() as u32 > WIDE {
            return Err(format!("{} elements of {elem} at once", wide.lanes));
        }
        let inside = |at: i64| at >= 0 && at + i64::from(wide.lanes) <= i64::from(len);
        match wide.at {
            Expr::Int(at) if !inside(at) => Err(format!(
                "{} has no {} elements at {at}",
                self.name(wide.own),
                wide.lanes
            )),
            _ => Ok(()),
        }
    }

    fn define_with(&mut self, var: VarId, value: Option<&'a Expr>) -> Result<(), Wrong> {
        if let Some(value) = value {
            self.number(value)?;
        }
        self.define(var)?;
        let variable = self.program.var(var);
        self.same.define(var, value);
        match (variable.ty, value, variable.constant) {
            (Type::Shared { .. }, ..)
                if self.in_function || self.kernel.is_none_or(|k| k.block.is_none()) =>
            {
                Err(format!("{} is shared by no block", self.name(var)))
            }
            (Type::Pointer { .. } | Type::Rows { .. } | Type::Part(_) | Type::Flag, ..) => Err(
                format!("{} is a pointer or a part of its own", self.name(var)),
            ),
            (Type::OfTiles(OfTiles::Box(_)), None, true)
                if self.in_function && self.program.shared_box(var).is_some() =>
            {
                Ok(())
            }
            (Type::OfTiles(OfTiles::Truth), Some(_), _) => Ok(()),
            (Type::OfTiles(_), ..) => Err(format!("{} has no value", self.name(var))),
            (Type::Private { .. } | Type::Shared { .. }, Some(_), _) => {
                Err(format!("{} has elements and one value", self.name(var)))
            }
            (Type::Index | Type::Number(_), None, true) => {
                Err(format!("{} has no value", self.name(var)))
            }
            _ => Ok(()),
        }
    }

    fn launch(&mut self, launch: &'a Launch) -> Result<(), Wrong> {
        let KernelId(id) = launch.kernel;
        let Some(kernel) = self.program.kernels.get(id as usize) else {
            return Err(format!("kernel {id} does not exist"));
        };
        if self.kernel.is_some() {
            return Err(format!(
                "kernel `{}` is launched on the device",
                kernel.name
            ));
        }
        let fits = launch.blocks.is_some() == kernel.launching.is_some()
            && launch.ranges.len() == kernel.axes.len()
            && launch.args.len() == kernel.params.len();
        if !fits {
            return Err(format!("a launch does not fit kernel `{}`", kernel.name));
        }
        for bound in launch.ranges.iter().flatten().chain(&launch.blocks) {
            self.index(bound)?;
        }
        for (arg, param) in launch.args.iter().zip(&kernel.params) {
            let ty = self.number(arg)?;
            if self.program.type_of(&Expr::Var(*param)) != Some(ty) {
                return Err(format!(
                    "{} of kernel `{}` gets a {ty}",
                    self.name(*param),
                    kernel.name
                ));
            }
        }
        Ok(())
    }

    /// What is written out has ends that are known where the program is compiled.
    fn unrolled(
        &self,
        var: VarId,
        unroll: Unroll,
        [first, cond, step]: [&Expr; 3],
    ) -> Result<(), Wrong> {
        let end = match cond {
            Expr::Binary { rhs, .. } => &**rhs,
            other => other,
        };
        let is_constant = |e: &&Expr| match e {
            Expr::Int(_) => true,
            Expr::Var(id) => self.constants.contains_key(id),
            _ => false,
        };
        match unroll {
            Unroll::Free | Unroll::Never => Ok(()),
            Unroll::Where(flag, _) if !self.scope.contains(&flag) => Err(format!(
                "{} is used where it is not defined",
                self.name(flag)
            )),
            Unroll::Where(flag, _) if self.program.var(flag).ty != Type::Flag => {
                Err(format!("a loop over {} under no flag", self.name(var)))
            }
            _ if [first, end, step].iter().all(is_constant) => Ok(()),
            _ => Err(format!("an unrolled loop over {}", self.name(var))),
        }
    }

    fn iterator(&mut self, var: VarId) -> Result<(), Wrong> {
        self.define(var)?;
        let variable = self.program.var(var);
        match (variable.ty, variable.constant) {
            (Type::Index | Type::Number(CType::INT), true) => Ok(()),
            _ => Err(format!("{} is no iterator", self.name(var))),
        }
    }

    fn target(&self, target: &Expr) -> Result<(), Wrong> {
        self.number(target)?;
        let (id, written) = match target {
            Expr::Var(id) => (*id, !self.program.var(*id).constant),
            Expr::Element { base, .. } => match self.program.var(*base).ty {
                Type::Pointer { written, .. } | Type::Rows { written, .. } => (*base, written),
                Type::Private { .. } | Type::Shared { .. } => (*base, true),
                Type::Index | Type::Number(_) | Type::Part(_) | Type::Flag | Type::OfTiles(_) => {
                    (*base, false)
                }
            },
            Expr::Behind { pointer, .. } => (pointer.root(), self.pointer(pointer)?.1),
            Expr::Item { base, .. } => (*base, true),
            _ => return Err("an assignment to a value".to_string()),
        };
        match written {
            true => Ok(()),
            false => Err(format!("{} is constant and assigned", self.name(id))),
        }
    }

    fn index(&self, expr: &Expr) -> Result<(), Wrong> {
        match self.number(expr)? {
            ty if ty.is_floating() => Err(format!("a subscript or bound of type {ty}")),
            _ => Ok(()),
        }
    }

    fn truth(&self, expr: &Expr) -> Result<(), Wrong> {
        match self.number(expr)? {
            ty if ty.is_floating() => Err(format!("a condition of type {ty}")),
            _ => Ok(()),
        }
    }

    /// Checks an expression and gives its type.
    fn number(&self, expr: &Expr) -> Result<CType, Wrong> {
        let is_pointer = |e: &Expr| match e {
            Expr::Var(id) => matches!(self.program.var(*id).ty, Type::Pointer { .. }),
            _ => false,
        };
        let given = |child: &&Expr| matches!(expr, Expr::Cell { .. }) && is_pointer(child);
        for child in expr.children().into_iter().filter(|child| !given(child)) {
            self.number(child)?;
        }
        self.of_tiles(expr)?;
        match expr {
            Expr::Var(id) | Expr::Element { base: id, .. } | Expr::Aligned(id)
                if !self.scope.contains(id) =>
            {
                return Err(format!(
                    "{} is used where it is not defined",
                    self.name(*id)
                ));
            }
            Expr::Aligned(id) if self.kernel.is_some() || !is_pointer(&Expr::Var(*id)) => {
                return Err(format!("{} is no pointer of the host", self.name(*id)));
            }
            Expr::Own(Own::Warp | Own::Lane)
                if self.kernel.is_some_and(|k| k.launching.is_some()) =>
            {
                return Err("a number of a warp where there are none".to_string());
            }
            Expr::Own(_) => self.together("a number of a thread", Same::None)?,
            Expr::Exchange { by, .. } => {
                if *by == 0 || by.unsigned_abs() >= LANES {
                    return Err(format!("an exchange with the lane {by} further on"));
                }
                self.together("an exchange", Same::Warp)?;
            }
            Expr::Element { base, row, index } => {
                let is_table = match self.program.var(*base).ty {
                    Type::Rows { .. } | Type::Shared { .. } => true,
                    Type::Private { rows, .. } => rows != 1,
                    _ => false,
                };
                if is_table != row.is_some() {
                    return Err(format!("an element of {} in no row", self.name(*base)));
                }
                if let Some(row) = row {
                    self.index(row)?;
                }
                self.index(index)?;
            }
            Expr::Math { name, args } => {
                let known = math_function(name);
                let fits = |f: crate::ctype::MathFunction| {
                    f.n_args == args.len()
                        && args.iter().all(|a| self.program.type_of(a) == Some(f.arg))
                };
                if !known.is_some_and(fits) {
                    return Err(format!("a call of `{name}` that does not fit it"));
                }
            }
            Expr::Helper(helper, args) if !args.iter().all(|a| self.is_integer(a)) => {
                return Err(format!("`{}` of what is no integer", helper.name()));
            }
            Expr::Binary { op, lhs, rhs }
                if matches!(*op, "%" | "&" | "|" | "^" | "<<" | ">>")
                    && !(self.is_integer(lhs) && self.is_integer(rhs)) =>
            {
                return Err(format!("`{op}` of what is no integer"));
            }
            _ => {}
        }
        (self.program.type_of(expr)).ok_or_else(|| "a pointer is used as a number".to_string())
    }

    fn is_integer(&self, expr: &Expr) -> bool {
        self.program
            .type_of(expr)
            .is_some_and(|ty| !ty.is_floating())
    }
}
