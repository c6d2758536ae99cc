//! What is special to programs of tiles: places in memory, boxes of the block, and copies between them.

use super::{Checker, MOST_SHARED, Same, Wrong};
use crate::ctype::CType;
use crate::ir::{
    BoxCopy, Constants, Definition, Expr, Kernel, KernelId, Launching, MoveRows, OfTiles, Pointer,
    Ring, SharedBox, Type, VarId, WIDE, Way,
};
use std::collections::BTreeMap;

/// The value of an expression of constants.
fn constant(expr: &Expr, known: &BTreeMap<VarId, i64>) -> Option<i64> {
    match expr {
        Expr::Int(value) => Some(*value),
        Expr::Var(id) => known.get(id).copied(),
        Expr::Binary { op: "*", lhs, rhs } => {
            constant(lhs, known)?.checked_mul(constant(rhs, known)?)
        }
        _ => None,
    }
}

impl<'a> Checker<'a> {
    /// What the layout defines: constants, tables and boxes.
    pub(super) fn layout(&mut self) -> Result<(), Wrong> {
        let layout = &self.program.layout;
        for (var, value) in layout.constants.iter().flat_map(|line| &line.values) {
            self.number(value)?;
            self.define(*var)?;
            if self.program.var(*var).ty != Type::Number(CType::INT)
                || constant(value, &self.constants).is_none()
            {
                return Err(format!("{} is no constant", self.name(*var)));
            }
            let known = constant(value, &self.constants);
            self.constants.extend(known.map(|value| (*var, value)));
            self.same.uniform.insert(*var);
        }
        for table in &layout.tables {
            self.define(table.var)?;
            let Type::OfTiles(OfTiles::Table(CType::Int(bytes @ 1..=4))) =
                self.program.var(table.var).ty
            else {
                return Err(format!("{} is no table", self.name(table.var)));
            };
            let most = 1i64 << (8 * u32::from(bytes) - 1);
            if !table.values.iter().all(|v| (-most..most).contains(v)) {
                return Err(format!("{} has too large numbers", self.name(table.var)));
            }
        }
        let mut end = 0;
        for shared in &layout.boxes {
            if shared.offset < end || shared.offset % i64::from(WIDE) != 0 {
                return Err("boxes of the block overlap".to_string());
            }
            end = shared.offset + shared.bytes();
        }
        for extent in layout.extents.values().flatten() {
            self.index(extent)?;
        }
        Ok(())
    }

    /// The constants that a kernel of tiles is launched with.
    pub(super) fn launching(&self, kernel: &Kernel) -> Result<(), Wrong> {
        let (Some(launching), Some(block)) = (&kernel.launching, &kernel.block) else {
            return Ok(());
        };
        let Launching { threads, bytes, .. } = launching;
        let value = |id: &VarId| self.constants.get(id).copied().unwrap_or(-1);
        let [columns, rows, all] = threads.each_ref().map(value);
        if columns * rows != all || all != i64::from(block.threads) {
            return Err(format!("kernel `{}` has an impossible block", kernel.name));
        }
        let needed = (self.program.layout.boxes.iter())
            .map(|shared| shared.offset + shared.bytes())
            .max();
        let given = value(bytes);
        if given < needed.unwrap_or(0) || given > MOST_SHARED as i64 {
            return Err(format!(
                "blocks of kernel `{}` share {given} bytes",
                kernel.name
            ));
        }
        let params: usize = launching.lines.iter().map(|(n, _)| n).sum();
        match params == kernel.params.len() {
            true => Ok(()),
            false => Err(format!("kernel `{}` has other parameters", kernel.name)),
        }
    }

    /// A place in device memory: the type of elements there, and whether they are written.
    pub(super) fn pointer(&self, pointer: &Pointer) -> Result<(CType, bool), Wrong> {
        let root = pointer.root();
        if !self.scope.contains(&root) {
            return Err(format!(
                "{} is used where it is not defined",
                self.name(root)
            ));
        }
        match pointer {
            Pointer::Of(_) => {}
            Pointer::Row {
                first,
                number,
                pitch,
            } => {
                self.pointer(first)?;
                self.index(number)?;
                self.index(pitch)?;
            }
            Pointer::Further { from, by, .. } => {
                self.pointer(from)?;
                self.index(by)?;
            }
            Pointer::Located { by, args } => self.arguments(*by, args)?,
        }
        let is_call = matches!(pointer, Pointer::Located { .. });
        let is_function = matches!(
            self.program.var(root).ty,
            Type::OfTiles(OfTiles::Locator { .. })
        );
        match self.program.pointed(pointer) {
            Some(elements) if is_function || !is_call => Ok(elements),
            _ => Err(format!("{} is no place", self.name(root))),
        }
    }

    /// The arguments of a function of what is around.
    fn arguments(&self, function: VarId, args: &[Expr]) -> Result<(), Wrong> {
        for arg in args {
            self.index(arg)?;
        }
        match self.arity.get(&function) {
            Some(n) if *n == args.len() => Ok(()),
            _ => Err(format!("a call does not fit {}", self.name(function))),
        }
    }

    /// An expression that only programs of tiles have; whether it is one.
    pub(super) fn of_tiles(&self, expr: &Expr) -> Result<bool, Wrong> {
        match expr {
            Expr::Behind { pointer, index } => {
                self.pointer(pointer)?;
                if let Some(index) = index {
                    self.index(index)?;
                }
            }
            Expr::Item { base, subscripts } => self.item(*base, subscripts)?,
            Expr::Wrapped { size, index } => {
                self.index(index)?;
                if *size <= 0 {
                    return Err("a ring of nothing".to_string());
                }
            }
            Expr::Holds { condition, args } => {
                let ty = self
                    .program
                    .vars
                    .get(condition.0 as usize)
                    .map(|var| var.ty);
                if !self.scope.contains(condition) || ty != Some(Type::OfTiles(OfTiles::Condition))
                {
                    return Err(format!("{} is no condition", self.name(*condition)));
                }
                self.arguments(*condition, args)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The box that a variable is, where it is defined.
    fn shared(&self, base: VarId) -> Result<&'a SharedBox, Wrong> {
        if !self.scope.contains(&base) {
            return Err(format!(
                "{} is used where it is not defined",
                self.name(base)
            ));
        }
        (self.program.shared_box(base))
            .ok_or_else(|| format!("{} is no box of the block", self.name(base)))
    }

    fn item(&self, base: VarId, subscripts: &[Expr]) -> Result<(), Wrong> {
        let shared = self.shared(base)?;
        if subscripts.len() != shared.sizes.len() {
            return Err(format!("an element of {} in no row", self.name(base)));
        }
        for (subscript, size) in subscripts.iter().zip(&shared.sizes) {
            self.index(subscript)?;
            if matches!(subscript, Expr::Int(at) if !(0..*size).contains(at)) {
                return Err(format!("an element of {} outside", self.name(base)));
            }
        }
        Ok(())
    }

    /// A definition of what is no number.
    pub(super) fn definition(
        &mut self,
        var: VarId,
        definition: &'a Definition,
    ) -> Result<(), Wrong> {
        let depth = self.scope.len();
        let params = match definition {
            Definition::Pointer(_) => &[][..],
            Definition::Locator { params, .. } | Definition::Condition { params, .. } => params,
        };
        for param in params {
            self.define(*param)?;
            // What an argument adds is seen where it is given.
            self.same.uniform.insert(*param);
        }
        let wanted = match definition {
            Definition::Pointer(to) => {
                let (elem, written) = self.pointer(to)?;
                Type::Pointer { elem, written }
            }
            Definition::Locator { to, .. } => {
                let (elem, written) = self.pointer(to)?;
                Type::OfTiles(OfTiles::Locator { elem, written })
            }
            Definition::Condition { holds, .. } => {
                self.truth(holds)?;
                Type::OfTiles(OfTiles::Condition)
            }
        };
        if let Definition::Condition { holds, .. } = definition {
            self.same.define(var, Some(holds));
        }
        self.scope.truncate(depth);
        self.define(var)?;
        self.arity.insert(var, params.len());
        match self.program.var(var).ty == wanted {
            true => Ok(()),
            false => Err(format!("{} is defined as what it is not", self.name(var))),
        }
    }

    /// A copy of a box of elements, whose ends in the block's memory are known.
    pub(super) fn copy_box(&self, copy: &'a BoxCopy) -> Result<(), Wrong> {
        self.together("a copy of a box", Same::Block)?;
        self.item(copy.shared, &copy.at)?;
        let (elem, written) = self.pointer(&copy.global)?;
        let shared = self.shared(copy.shared)?;
        let out = matches!(copy.way, Way::Out);
        if shared.elem != elem || out && !written {
            return Err("a copy between what cannot be copied".to_string());
        }
        for step in &copy.global_steps {
            self.index(step)?;
        }
        if let Way::Inside(checks) = &copy.way {
            for end in checks.iter().flatten() {
                self.index(end)?;
            }
        }
        if let Some(Ring { axis, size, first }) = &copy.ring {
            self.index(first)?;
            if *axis > 2 || *size <= 0 || matches!(copy.way, Way::Inside(_)) {
                return Err("a copy with an impossible ring".to_string());
            }
        }
        let whole = copy.width.count_ones() == 1
            && copy.width > 0
            && copy.width <= i64::from(WIDE)
            && copy.bytes % copy.width == 0
            && copy.width % elem.size() as i64 == 0;
        match whole && last_byte(copy, shared) < shared.bytes() {
            true => Ok(()),
            false => Err(format!("a copy beyond {}", self.name(copy.shared))),
        }
    }

    pub(super) fn move_rows(&self, moved: &MoveRows) -> Result<(), Wrong> {
        self.together("a move", Same::Block)?;
        let shared = self.shared(moved.shared)?;
        let fits = moved.width > 0
            && moved.bytes % moved.width == 0
            && (0..=moved.stride).contains(&moved.bytes)
            && moved.count * moved.stride <= shared.bytes();
        match fits {
            true => Ok(()),
            false => Err(format!("a move beyond {}", self.name(moved.shared))),
        }
    }

    /// A statement of the host.
    pub(super) fn of_host(&self, kernel: Option<KernelId>) -> Result<(), Wrong> {
        if self.kernel.is_some() || self.in_function {
            return Err("a statement of the host on the device".to_string());
        }
        let exists = |KernelId(id): KernelId| {
            let kernel = self.program.kernels.get(id as usize);
            kernel.is_some_and(|kernel| kernel.launching.is_some())
        };
        match kernel.is_none_or(exists) {
            true => Ok(()),
            false => Err("a kernel without boxes asks for memory".to_string()),
        }
    }

    /// Goes on with the next iteration: what follows in the loop runs for those threads that do not.
    pub(super) fn goes_on(&mut self) -> Result<(), Wrong> {
        match &mut self.skipped {
            None => Err("an iteration ends in no loop".to_string()),
            Some(skipped) => {
                *skipped = self.around.min(*skipped);
                Ok(())
            }
        }
    }
}

/// The last byte of a box that a copy touches, as far as subscripts are known; those of loops start at 0.
fn last_byte(copy: &BoxCopy, shared: &SharedBox) -> i64 {
    let mut at = 0;
    for (subscript, size) in copy.at.iter().zip(&shared.sizes) {
        let first = match subscript {
            Expr::Int(value) => *value,
            _ => 0,
        };
        at = at * size + first;
    }
    let first = at * shared.elem.size() as i64;
    let along = |axis: usize, n: i64, step: i64| match &copy.ring {
        Some(ring) if ring.axis == axis => (ring.size - 1).max(n - 1) * step,
        _ => (n - 1) * step,
    };
    let [outer, inner] = copy.rows;
    let [outer_step, inner_step] = copy.shared_steps;
    first + along(0, outer, outer_step) + along(1, inner, inner_step) + along(2, copy.bytes, 1)
}

impl Constants {
    /// A line of one constant.
    pub fn one(var: VarId, value: i64, remark: &str) -> Constants {
        Constants {
            values: vec![(var, Expr::Int(value))],
            remark: remark.to_string(),
        }
    }
}
