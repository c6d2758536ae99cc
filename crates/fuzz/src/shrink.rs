//! Smaller programs that fail in the same way.

use crate::case::Case;
use crate::case::Switches;
use crate::model::{Access, Elem, Expr, Program, Size, Storage, Sub};

/// Removes arrays no access mentions, and parameters without use.
pub fn drop_unused_arrays(program: &mut Program) {
    let mut used = vec![false; program.arrays.len()];
    each_access(program, &mut |access| used[access.array] = true);
    let renumbered: Vec<usize> = (0..used.len())
        .map(|n| used[..n].iter().filter(|u| **u).count())
        .collect();
    each_access(program, &mut |access| {
        access.array = renumbered[access.array]
    });
    let mut keep = used.iter();
    program.arrays.retain(|_| *keep.next().unwrap_or(&true));
}

/// Calls `f` with every access of a program.
fn each_access(program: &mut Program, f: &mut dyn FnMut(&mut Access)) {
    each_expr(program, &mut |expr| {
        if let Expr::Read(access) = expr {
            f(access);
        }
    });
    for item in program.nests.iter_mut().flat_map(|n| &mut n.items) {
        for stmt in item.then.iter_mut().chain(&mut item.els) {
            f(&mut stmt.target);
        }
    }
}

/// Calls `f` with every expression, parents first.
fn each_expr(program: &mut Program, f: &mut dyn FnMut(&mut Expr)) {
    fn walk(expr: &mut Expr, f: &mut dyn FnMut(&mut Expr)) {
        f(expr);
        for child in expr.children_mut() {
            walk(child, f);
        }
    }
    for item in program.nests.iter_mut().flat_map(|n| &mut n.items) {
        for (_, value) in &mut item.locals {
            walk(value, f);
        }
        for stmt in item.then.iter_mut().chain(&mut item.els) {
            walk(&mut stmt.value, f);
        }
    }
}

/// Simplified copies of a case, the boldest first.
pub fn simpler(case: &Case) -> Vec<Case> {
    let mut all = Vec::new();
    let mut add = |change: &dyn Fn(&mut Case)| {
        let mut copy = case.clone();
        change(&mut copy);
        drop_unused_arrays(&mut copy.program);
        let empty = copy.program.nests.is_empty() || copy.program.arrays.is_empty();
        if !empty && (copy.program != case.program || copy.config != case.config) {
            all.push(copy);
        }
    };
    let program = &case.program;
    for n in 0..program.nests.len() {
        add(&|c| {
            c.program.nests.remove(n);
        });
    }
    for (n, nest) in program.nests.iter().enumerate() {
        for (m, item) in nest.items.iter().enumerate() {
            if nest.items.len() > 1 {
                add(&|c| {
                    c.program.nests[n].items.remove(m);
                });
            }
            if item.cond.is_some() {
                add(&|c| {
                    let item = &mut c.program.nests[n].items[m];
                    item.cond = None;
                    item.els.clear();
                });
                add(&|c| c.program.nests[n].items[m].els.clear());
            }
            for s in 0..item.then.len() {
                if item.then.len() > 1 {
                    add(&|c| {
                        c.program.nests[n].items[m].then.remove(s);
                    });
                }
            }
            for s in 0..item.els.len() {
                add(&|c| {
                    c.program.nests[n].items[m].els.remove(s);
                });
            }
            if !item.locals.is_empty() {
                add(&|c| {
                    c.program.nests[n].items[m].locals.clear();
                    let lit = Expr::Lit("0.5f".into());
                    each_expr(&mut c.program, &mut |e| {
                        if matches!(e, Expr::Local(_)) {
                            *e = lit.clone();
                        }
                    });
                });
            }
        }
        for l in 0..nest.loops.len() {
            add(&|c| c.program.nests[n].loops[l].step = 1);
        }
    }
    // Expressions: replaced by each of their operands.
    let mut n_exprs = 0;
    each_expr(&mut program.clone(), &mut |_| n_exprs += 1);
    for n in 0..n_exprs {
        for child in 0..4 {
            add(&|c| {
                let mut at = 0;
                each_expr(&mut c.program, &mut |e| {
                    if at == n {
                        let operand = e.children().get(child).copied().cloned();
                        if let Some(operand) = operand {
                            *e = operand;
                            // What the operand holds must not be counted again.
                            at += 1_000_000;
                        }
                    }
                    at += 1;
                });
            });
        }
    }
    for stmt in 0..program.stmts().len() {
        add(&|c| {
            let items = c.program.nests.iter_mut().flat_map(|n| &mut n.items);
            let mut stmts = items.flat_map(|i| i.then.iter_mut().chain(&mut i.els));
            if let Some(s) = stmts.nth(stmt) {
                s.accumulate = false;
            }
        });
    }
    // Offsets towards 0.
    let mut n_accesses = 0;
    each_access(&mut program.clone(), &mut |_| n_accesses += 1);
    for n in 0..n_accesses {
        for dim in 0..program.n_dims() {
            for to_zero in [true, false] {
                add(&|c| {
                    let mut at = 0;
                    each_access(&mut c.program, &mut |access| {
                        if at == n
                            && let Some(sub) = access.subs.get_mut(dim)
                        {
                            *sub = match *sub {
                                Sub::Iter(d, _) if to_zero => Sub::Iter(d, 0),
                                Sub::Iter(d, x) => Sub::Iter(d, x - x.signum()),
                                Sub::ClampLow(d, _) | Sub::ClampHigh(d, _) => Sub::Iter(d, 0),
                                Sub::First(_) => Sub::First(0),
                                Sub::Last(d, _) => Sub::Last(d, 0),
                                Sub::Mirror(d) => Sub::Mirror(d),
                            };
                        }
                        at += 1;
                    });
                });
            }
        }
    }
    for a in 0..program.arrays.len() {
        add(&|c| c.program.arrays[a].extra.fill(0));
        add(&|c| c.program.arrays[a].elem = Elem::Float);
        if program.arrays[a].storage == Storage::Buffer(4) {
            add(&|c| c.program.arrays[a].storage = Storage::Buffer(3));
        }
    }
    add(&|c| c.program.inclusive = false);
    add(&|c| c.program.step_stride = 1);
    add(&|c| {
        let mut negative = false;
        each_access(&mut c.program, &mut |a| negative |= a.time < 0);
        if !negative {
            c.program.first_step = 0;
        }
    });
    add(&|c| {
        // Scalars are read by value.
        let mut used = false;
        each_expr(&mut c.program, &mut |e| {
            used |= matches!(e, Expr::Scalar(_))
        });
        if !used {
            c.program.scalars.clear();
        }
    });
    for dim in 0..program.n_dims() {
        if let (Size::Const(_), Some(Size::Param(p))) = (
            program.sizes[dim],
            program.sizes.iter().find(|s| matches!(s, Size::Param(_))),
        ) {
            let p = *p;
            add(&|c| c.program.sizes[dim] = Size::Param(p));
        }
    }
    for (n, nest) in program.nests.iter().enumerate() {
        for l in 0..nest.loops.len() {
            add(&|c| {
                let least = c.program.nests[n].loops[l].clone();
                let fitted = crate::generate::fitted(&c.program, n, l);
                if fitted != least {
                    c.program.nests[n].loops[l] = fitted;
                }
            });
        }
    }
    add(&|c| c.config.stream = None);
    add(&|c| c.config.wavefront = None);
    add(&|c| c.config.switches = Switches::default());
    add(&|c| c.config.switches.copy_out = None);
    add(&|c| c.config.switches.reuse = None);
    add(&|c| c.config.switches.aligned = None);
    add(&|c| c.config.switches.unroll = None);
    add(&|c| c.config.rows_per_thread = None);
    add(&|c| c.config.global = false);
    add(&|c| c.config.threads = 256);
    add(&|c| c.config.threads = 32);
    add(&|c| c.config.hex_dim = 0);
    if let Some((_, w)) = &case.config.tile {
        for n in 0..w.len() {
            for less in [w[n] / 2, w[n] - 1] {
                if less >= 1 {
                    add(&|c| {
                        if let Some((_, w)) = &mut c.config.tile {
                            w[n] = less;
                        }
                    });
                }
            }
        }
    }
    all
}

/// The smallest case found that still fails, and how many were tried.
pub fn shrink(
    case: &Case,
    budget: usize,
    still_fails: &mut dyn FnMut(&mut Case) -> bool,
) -> (Case, usize) {
    let mut best = case.clone();
    let mut tried = 0;
    'again: loop {
        for mut candidate in simpler(&best) {
            if tried >= budget {
                return (best, tried);
            }
            tried += 1;
            if still_fails(&mut candidate) {
                best = candidate;
                continue 'again;
            }
        }
        return (best, tried);
    }
}
