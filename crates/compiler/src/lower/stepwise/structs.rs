//! Structs that the lanes of a warp store together.
//!
//! A thread that stores all members of a struct stores a few bytes at a time, as far apart as structs are, so that each
//! sector of memory is written once for each member. Here it puts them into shared memory, from where the lanes of its warp
//! store what lies side by side.

use super::Lowering;
use super::coarse::{MOST_BYTES, over_cells};
use super::statement::parted;
use crate::ctype::CType;
use crate::ir::build::{assign, comment, if_, int, joined};
use crate::ir::{
    Axis, Block, Expr, Kernel, LANES, Own, Stmt, Type, VarId, used, used_in, written_in,
};
use std::collections::{BTreeMap, BTreeSet};

/// Bytes of a struct that threads store by themselves: on an H200, structs of 20 to 108 bytes are stored 1.3 to 4.3 times as
/// fast together, smaller ones no faster (docs/notes/results.md).
const MOST_ALONE: usize = 16;

/// Structs of one array that a kernel stores.
struct Structs {
    base: VarId,
    elem: CType,
    /// The number of the struct.
    cell: Expr,
    /// Members of each.
    members: i64,
}

impl Structs {
    /// Bytes of a struct.
    fn bytes(&self) -> usize {
        self.members as usize * self.elem.size()
    }

    /// Whether all members are stored, each once, and what is read of the array is either not stored, or known to have been.
    fn are_whole(&self, body: &[Stmt]) -> bool {
        let mut stored = BTreeSet::new();
        let finds = |value: &Expr, stored: &BTreeSet<i64>| {
            let mut finds = true;
            value.visit(&mut |e| {
                let is_of = matches!(e, Expr::Element { base, .. } if *base == self.base);
                finds &= !is_of || stored.is_empty() || self.member_of(e).is_some();
            });
            finds
        };
        body.iter().all(|stmt| match stmt {
            Stmt::Let { value, .. } => value.iter().all(|value| finds(value, &stored)),
            Stmt::Assign { target, value } => {
                let mut all = target.children().into_iter().chain([value]);
                let stores = match target {
                    Expr::Element { base, .. } if *base == self.base => self.member_of(target),
                    _ => None,
                };
                let writes = written_in(std::slice::from_ref(stmt)).contains(&self.base);
                all.all(|value| finds(value, &stored))
                    && writes == stores.is_some()
                    && stores.is_none_or(|member| stored.insert(member))
            }
            stmt => {
                let stmt = std::slice::from_ref(stmt);
                let writes = written_in(stmt).contains(&self.base);
                let reads = used_in(stmt).contains(&self.base);
                !writes && (!reads || stored.is_empty())
            }
        }) && stored.len() as i64 == self.members
    }

    /// The member that an element is, if it is one of this struct.
    fn member_of(&self, element: &Expr) -> Option<i64> {
        let Expr::Element { base, index, .. } = element else {
            return None;
        };
        let (cell, members, member) = member(index)?;
        (*base == self.base && *cell == self.cell && members == self.members).then_some(member)
    }

    /// Puts what a body stores into an array of the block, and lets it read that from there.
    fn put(&self, body: &mut [Stmt], place: &dyn Fn(i64) -> Expr) {
        fn read(
            expr: &mut Expr,
            structs: &Structs,
            stored: &BTreeSet<i64>,
            place: &dyn Fn(i64) -> Expr,
        ) {
            match structs
                .member_of(expr)
                .filter(|member| stored.contains(member))
            {
                Some(member) => *expr = place(member),
                None => {
                    (expr.children_mut().into_iter()).for_each(|e| read(e, structs, stored, place))
                }
            }
        }
        let mut stored = BTreeSet::new();
        for stmt in body {
            match stmt {
                Stmt::Let {
                    value: Some(value), ..
                } => read(value, self, &stored, place),
                Stmt::Assign { target, value } => {
                    read(value, self, &stored, place);
                    if let Some(member) = self.member_of(target) {
                        stored.insert(member);
                        *target = place(member);
                    }
                }
                _ => {}
            }
        }
    }
}

/// The struct and the member of an element.
fn member(index: &Expr) -> Option<(&Expr, i64, i64)> {
    let (first, member) = parted(index);
    match first {
        Expr::Binary { op: "*", lhs, rhs } => match **rhs {
            Expr::Int(members) if (0..members).contains(&member) => Some((lhs, members, member)),
            _ => None,
        },
        _ => None,
    }
}

/// How much an index grows where a variable grows by one; `None` where that is not always the same.
fn growth(index: &Expr, along: VarId) -> Option<i64> {
    let of = |e: &Expr| growth(e, along);
    match index {
        Expr::Int(_) => Some(0),
        Expr::Var(id) => Some(i64::from(*id == along)),
        Expr::Binary { op, lhs, rhs } => {
            let (a, b) = (of(lhs)?, of(rhs)?);
            match (*op, &**lhs, &**rhs) {
                ("+", ..) => Some(a + b),
                ("-", ..) => Some(a - b),
                (_, _, _) if a == 0 && b == 0 => Some(0),
                ("*", Expr::Int(n), _) => Some(n * b),
                ("*", _, Expr::Int(n)) => Some(n * a),
                _ => None,
            }
        }
        Expr::Helper(_, args) => match (of(&args[0])?, of(&args[1])?) {
            (0, 0) => Some(0),
            _ => None,
        },
        _ => None,
    }
}

/// Threads of blocks whose warps lie along the innermost loop, by the number of loops.
const WARPS: [&[u32]; 4] = [&[], &[256], &[LANES, 8], &[LANES, 4, 2]];

impl Lowering<'_> {
    /// Lets the warps of a kernel of one cell a thread store the structs of neighbouring cells together, where these are large.
    pub(super) fn store_together(&mut self, kernel: &mut Kernel) {
        let found = self.structs(kernel);
        if found.is_empty() {
            return;
        }
        let shape = WARPS[kernel.axes.len()];
        for (axis, threads) in kernel.axes.iter_mut().zip(shape) {
            axis.threads = *threads;
        }
        let threads: u32 = kernel.axes.iter().map(|axis| axis.threads).product();
        let (lane, warp) = match kernel.axes.as_slice() {
            [_] => (
                Expr::Own(Own::Lane),
                Expr::binary("/", Expr::Own(Own::Column), int(i64::from(LANES))),
            ),
            [_, _] => (Expr::Own(Own::Column), Expr::Own(Own::Row)),
            [_, rows, ..] => {
                let layers = Expr::Own(Own::Layer).times(int(i64::from(rows.threads)));
                (Expr::Own(Own::Column), layers.plus(Expr::Own(Own::Row)))
            }
            [] => return,
        };
        let mut numbers = Vec::new();
        let lane = self.named_index("lane", lane, &mut numbers);
        let place = [self.named_index("warp", warp, &mut numbers), lane];
        let mut body = std::mem::take(&mut kernel.body);
        let (mut arrays, mut ends) = (Vec::new(), Vec::new());
        for structs in &found {
            let var = self.of_warps(structs, threads / LANES);
            arrays.push(Stmt::Let { var, value: None });
            structs.put(&mut body, &|member| {
                let [warp, lane] = place.clone();
                let index = lane.times(int(structs.members)).plus(int(member));
                Expr::element(var, Some(warp), index)
            });
            ends.extend(self.stored(structs, &kernel.axes[0], var, &place));
        }
        let exists = |axes: &[Axis]| {
            let last = |axis: &Axis| Expr::binary("<=", Expr::Var(axis.var), axis.range[1].clone());
            joined("&&", axes.iter().rev().map(last))
        };
        let under = |cond: Option<Expr>, stmts: Vec<Stmt>| match cond {
            Some(cond) => vec![if_(cond, stmts)],
            None => stmts,
        };
        kernel.body = arrays;
        kernel.body.extend(numbers);
        kernel.body.extend(under(exists(&kernel.axes), body));
        kernel.body.push(Stmt::BarrierOfWarp);
        let remark = "The lanes of a warp store what lies side by side.";
        kernel.body.push(comment(remark));
        kernel.body.extend(under(exists(&kernel.axes[1..]), ends));
        kernel.block = Some(Block {
            threads,
            resident: 1,
        });
    }

    /// The structs that the threads of a kernel store, if blocks should store them.
    fn structs(&self, kernel: &Kernel) -> Vec<Structs> {
        let [along, ..] = kernel.axes.as_slice() else {
            return Vec::new();
        };
        let mut defined = BTreeSet::new();
        let mut found: BTreeMap<VarId, Structs> = BTreeMap::new();
        for stmt in &kernel.body {
            let target = match stmt {
                Stmt::Let { var, .. } => {
                    defined.insert(*var);
                    continue;
                }
                Stmt::Assign { target, .. } => target,
                _ => continue,
            };
            let Expr::Element {
                base,
                row: None,
                index,
            } = target
            else {
                continue;
            };
            let (Type::Pointer { elem, .. }, Some((cell, members, _))) =
                (self.program.var(*base).ty, member(index))
            else {
                continue;
            };
            let outside = used(&[cell]).is_disjoint(&defined);
            if !outside || growth(cell, along.var) != Some(1) {
                continue;
            }
            found.entry(*base).or_insert_with(|| Structs {
                base: *base,
                elem,
                cell: cell.clone(),
                members,
            });
        }
        let large = |s: &Structs| s.bytes() > MOST_ALONE && s.are_whole(&kernel.body);
        let found: Vec<Structs> = found.into_values().filter(large).collect();
        let threads: u32 = WARPS[kernel.axes.len()].iter().product();
        let bytes: usize = found.iter().map(Structs::bytes).sum();
        match kernel.reductions.is_empty() && bytes * threads as usize <= MOST_BYTES {
            true => found,
            false => Vec::new(),
        }
    }

    /// What the warps of a block have of some structs.
    fn of_warps(&mut self, structs: &Structs, warps: u32) -> VarId {
        let name = format!("{}_of_warp", self.program.var(structs.base).name);
        let ty = Type::Shared {
            elem: structs.elem,
            rows: warps,
            len: LANES * structs.members as u32,
        };
        self.program.add_var(&name, ty, false)
    }

    /// The lanes of a warp store what it has of some structs.
    fn stored(
        &mut self,
        structs: &Structs,
        along: &Axis,
        of_warps: VarId,
        [warp, lane]: &[Expr; 2],
    ) -> Vec<Stmt> {
        let name = format!("{}_first", self.program.var(structs.base).name);
        let before = |e: Expr| Expr::binary("-", e, lane.clone());
        let (mut all, mut body) = (Vec::new(), Vec::new());
        let begin = before(structs.cell.clone()).times(int(structs.members));
        let first = self.named_index(&name, begin, &mut all);
        let piece = self.program.add_var("piece", Type::Index, true);
        let at = (Expr::Var(piece).times(int(i64::from(LANES)))).plus(lane.clone());
        let at = self.named_index("at", at, &mut body);
        let cell = Expr::binary("/", at.clone(), int(structs.members));
        let cell = before(Expr::Var(along.var)).plus(cell);
        let exists = Expr::binary("<=", cell, along.range[1].clone());
        let from = Expr::element(of_warps, Some(warp.clone()), at.clone());
        let to = Expr::element(structs.base, None, first.plus(at));
        body.push(if_(exists, vec![assign(to, from)]));
        all.push(over_cells(piece, structs.members, body));
        all
    }
}
