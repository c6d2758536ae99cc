//! `ir::verify` takes what the compiler makes and refuses the same programs once they are damaged.

use hexcc_compiler::ctype::CType;
use hexcc_compiler::ir::verify::verify;
use hexcc_compiler::ir::{
    Axis, BoxCopy, Expr, Fold, KernelId, Outcome, Own, Program, Reduction, Stmt, Type, Unroll,
    VarId, Wide, dump,
};
use hexcc_compiler::options::{Options, StepKernel, Tiling};
use hexcc_compiler::pipeline;
use hexcc_compiler::scop::SavedScop;
use hexcc_compiler::tiling::Kernel;
use hexcc_compiler::tiling::overlapped::StreamKernel;
use hexcc_isl::Ctx;

/// Two fields of one step, in single steps.
fn program() -> Program {
    compiled(StepKernel::Naive)
}

fn compiled(kernel: StepKernel) -> Program {
    let text = include_str!("data/fdtd2d.scop.json");
    let saved = SavedScop::parse(text).expect("a saved scop");
    let ctx = Ctx::new().expect("memory for a context");
    let options = Options {
        tiling: Tiling::Stepwise,
        kernel,
        ..Options::default()
    };
    let compiled = pipeline::compile(&ctx, &saved, &options);
    let mut compiled = compiled.unwrap_or_else(|d| panic!("{}", d.message));
    compiled.stepwise.remove(0).program
}

/// The first statement of a block or below that `f` takes, changed by it.
fn change(block: &mut [Stmt], f: &mut dyn FnMut(&mut Stmt) -> bool) -> bool {
    block.iter_mut().any(|stmt| {
        f(stmt)
            || match stmt {
                Stmt::If { yes, no, .. } => change(yes, f) || change(no, f),
                Stmt::For { body, .. } => change(body, f),
                _ => false,
            }
    })
}

fn in_kernel(program: &mut Program, mut f: impl FnMut(&mut Stmt) -> bool) {
    let mut kernels = program.kernels.iter_mut();
    assert!(
        kernels.any(|k| change(&mut k.body, &mut f)),
        "nothing to damage"
    );
}

fn in_host(program: &mut Program, mut f: impl FnMut(&mut Stmt) -> bool) {
    assert!(change(&mut program.host, &mut f), "nothing to damage");
}

/// What [`verify`] says of the program after some damage.
fn damaged(damage: impl Fn(&mut Program)) -> String {
    let mut program = program();
    assert_eq!(verify(&program), Ok(()));
    damage(&mut program);
    verify(&program).expect_err("the damage is seen")
}

/// What is assigned first becomes something else.
fn value(program: &mut Program, new: impl Fn() -> Expr) {
    in_kernel(program, |stmt| match stmt {
        Stmt::Assign { value, .. } => {
            *value = new();
            true
        }
        _ => false,
    });
}

#[test]
fn damage_is_seen() {
    let half = || Expr::Literal {
        text: "0.5".to_string(),
        ty: CType::Double,
    };
    let said = damaged(|p| value(p, || Expr::Var(VarId(9999))));
    assert!(said.contains("is used where it is not defined"), "{said}");
    // A variable of one kernel in another.
    let said = damaged(|p| {
        let value = Some(Expr::Var(p.kernels[0].axes[0].var));
        let var = p.add_var("late", Type::Index, true);
        p.kernels[1].body.push(Stmt::Let { var, value });
    });
    assert!(said.contains("is used where it is not defined"), "{said}");
    let said = damaged(|p| {
        let again = p.kernels[0].axes[0].clone();
        p.kernels[0].axes.push(Axis {
            threads: 1,
            ..again
        });
    });
    assert!(said.contains("is defined twice"), "{said}");
    let said = damaged(|p| {
        in_kernel(p, |stmt| match stmt {
            Stmt::Assign {
                target: Expr::Element { index, .. },
                ..
            } => {
                **index = Expr::Literal {
                    text: "0.5".to_string(),
                    ty: CType::Double,
                };
                true
            }
            _ => false,
        });
    });
    assert!(
        said.contains("a subscript or bound of type double"),
        "{said}"
    );
    let said = damaged(|p| {
        let arrays = p.args.clone();
        for id in arrays {
            if let Type::Pointer { written, .. } = &mut p.vars[id.0 as usize].ty {
                *written = false;
            }
        }
    });
    assert!(said.contains("is constant and assigned"), "{said}");
    let said = damaged(|p| value(p, || Expr::binary("%", half(), Expr::Int(2))));
    assert!(said.contains("`%` of what is no integer"), "{said}");
    let said = damaged(|p| {
        value(p, || Expr::Math {
            name: "sqrt".to_string(),
            args: vec![Expr::Int(2)],
        });
    });
    assert!(
        said.contains("a call of `sqrt` that does not fit it"),
        "{said}"
    );
    let said = damaged(|p| {
        let array = *p.args.last().expect("an array");
        value(p, || Expr::Var(array));
    });
    assert!(said.contains("a pointer is used as a number"), "{said}");
    let said = damaged(|p| p.kernels[0].axes[0].threads = 2048);
    assert!(said.contains("has an impossible block"), "{said}");
    let said = damaged(|p| p.kernels[0].axes[0].range[0] = half());
    assert!(
        said.contains("a subscript or bound of type double"),
        "{said}"
    );
}

#[test]
fn damaged_launches_are_seen() {
    let launch = |p: &mut Program, f: &dyn Fn(&mut hexcc_compiler::ir::Launch)| {
        in_host(p, |stmt| match stmt {
            Stmt::Launch(launch) => {
                f(launch);
                true
            }
            _ => false,
        });
    };
    let said = damaged(|p| launch(p, &|l| l.kernel = KernelId(77)));
    assert!(said.contains("kernel 77 does not exist"), "{said}");
    let said = damaged(|p| launch(p, &|l| l.args.push(Expr::Int(1))));
    assert!(said.contains("a launch does not fit kernel"), "{said}");
    let said = damaged(|p| {
        launch(p, &|l| {
            l.ranges.pop();
        });
    });
    assert!(said.contains("a launch does not fit kernel"), "{said}");
    // A launch in a kernel, and a loop of threads on the host.
    let said = damaged(|p| {
        let mut first = None;
        in_host(p, |stmt| {
            first = Some(stmt.clone());
            matches!(stmt, Stmt::Launch(_))
        });
        p.kernels[0].params.clear();
        p.kernels[0].body = first.into_iter().collect();
    });
    assert!(said.contains("is launched on the device"), "{said}");
    let said = damaged(|p| {
        let id = p.kernels[0].axes[0].var;
        p.vars[id.0 as usize].ty = Type::Number(CType::Double);
    });
    assert!(said.contains("is no iterator"), "{said}");
}

#[test]
fn dumps_name_what_they_show() {
    let text = dump(&program());
    for word in ["kernel 0 step_1", "axis %", "host", "launch 0", "while"] {
        assert!(text.contains(word), "{word} in\n{text}");
    }
}

/// A kernel of the program that folds something into an element that it does not touch.
fn folding() -> (Program, usize) {
    let mut program = program();
    let is_free = |p: &Program, k: usize, id: VarId| {
        let written = matches!(p.var(id).ty, Type::Pointer { written: true, .. });
        written && !p.kernels[k].used().contains(&id)
    };
    let (k, base) = (0..program.kernels.len())
        .find_map(|k| {
            Some((
                k,
                *program.args.iter().find(|id| is_free(&program, k, **id))?,
            ))
        })
        .expect("a kernel that does not use some array");
    let part = program.add_var("part", Type::Part(CType::Double), false);
    let kernel = &mut program.kernels[k];
    kernel.reductions.push(Reduction {
        part,
        base,
        index: Expr::Int(0),
        fold: Fold::Fmax,
        ty: CType::Double,
        ordered: false,
    });
    let term = Expr::Literal {
        text: "0.5".to_string(),
        ty: CType::Double,
    };
    kernel.body.push(Stmt::Fold { part, term });
    (program, k)
}

#[test]
fn elements_are_in_rows_where_there_are_rows() {
    let of_first = |program: &mut Program, ty: Type, row: Option<Box<Expr>>| {
        let base = program.add_var("A", ty, true);
        program.args.push(base);
        value(program, || Expr::Element {
            base,
            row: row.clone(),
            index: Box::new(Expr::Int(0)),
        });
    };
    let (elem, written) = (CType::Float, false);
    let row = || Some(Box::new(Expr::Int(3)));
    let mut right = program();
    of_first(&mut right, Type::Rows { elem, written }, row());
    assert_eq!(verify(&right), Ok(()));
    let said = damaged(|p: &mut Program| of_first(p, Type::Rows { elem, written }, None));
    assert!(said.contains("`A` in no row"), "{said}");
    let said = damaged(|p: &mut Program| of_first(p, Type::Pointer { elem, written }, row()));
    assert!(said.contains("`A` in no row"), "{said}");
}

#[test]
fn damaged_reductions_are_seen() {
    let damaged = |damage: &dyn Fn(&mut Program, usize)| {
        let (mut program, k) = folding();
        assert_eq!(verify(&program), Ok(()));
        damage(&mut program, k);
        verify(&program).expect_err("the damage is seen")
    };
    let said = damaged(&|p, k| p.kernels[k].reductions.clear());
    assert!(said.contains("is no part of a reduction"), "{said}");
    let said = damaged(&|p, k| {
        let element = Expr::Element {
            base: p.kernels[k].reductions[0].base,
            row: None,
            index: Box::new(Expr::Int(0)),
        };
        let var = p.add_var("read", Type::Number(CType::Double), true);
        p.kernels[k].body.push(Stmt::Let {
            var,
            value: Some(element),
        });
    });
    assert!(said.contains("is reduced and used"), "{said}");
    let said = damaged(&|p, k| p.kernels[k].reductions[0].ty = CType::Float);
    assert!(said.contains("is no part"), "{said}");
    let said = damaged(&|p, k| p.kernels[k].reductions[0].index = Expr::Var(VarId(9999)));
    assert!(said.contains("is used where it is not defined"), "{said}");
    let said = damaged(&|p, k| {
        let term = Expr::Int(1);
        let part = p.kernels[k].reductions[0].part;
        p.kernels[k].body.push(Stmt::Fold { part, term });
    });
    assert!(said.contains("gets a long long"), "{said}");
    let said = damaged(&|p, k| p.kernels[k].axes.clear());
    assert!(!said.is_empty(), "{said}");
}

/// What [`verify`] says of a program with several cells a thread after its first load or store of
/// neighbouring elements has changed.
fn damaged_wide(stored: bool, damage: impl Fn(&mut Program, &mut Wide)) -> String {
    let mut program = compiled(StepKernel::Streamed);
    assert_eq!(verify(&program), Ok(()));
    let mut found = None;
    in_kernel(&mut program, |stmt| {
        if let (Stmt::Load(wide), false) | (Stmt::Store(wide), true) = (stmt, stored) {
            found = Some(wide.clone());
        }
        found.is_some()
    });
    let mut wide = found.expect("neighbouring elements at once");
    damage(&mut program, &mut wide);
    in_kernel(&mut program, |stmt| match stmt {
        Stmt::Load(at) if !stored => {
            *at = wide.clone();
            true
        }
        Stmt::Store(at) if stored => {
            *at = wide.clone();
            true
        }
        _ => false,
    });
    verify(&program).expect_err("the damage is seen")
}

#[test]
fn damaged_accesses_of_several_elements_are_seen() {
    let said = damaged_wide(false, |_, wide| wide.lanes = 3);
    assert!(said.contains("3 elements of"), "{said}");
    let said = damaged_wide(false, |_, wide| wide.at = Expr::Int(100_000));
    assert!(said.contains("elements at 100000"), "{said}");
    let said = damaged_wide(false, |_, wide| wide.own = wide.memory);
    assert!(said.contains("is not of the thread"), "{said}");
    let said = damaged_wide(false, |_, wide| wide.memory = wide.own);
    assert!(said.contains("is no pointer"), "{said}");
    let said = damaged_wide(false, |_, wide| wide.index = Expr::Var(VarId(9999)));
    assert!(said.contains("is used where it is not defined"), "{said}");
    let said = damaged_wide(false, |p, wide| {
        if let Type::Private { elem, .. } = &mut p.vars[wide.own.0 as usize].ty {
            *elem = CType::Int(8);
        }
    });
    assert!(said.contains("at once"), "{said}");
    let said = damaged_wide(true, |p, wide| {
        if let Type::Pointer { written, .. } = &mut p.vars[wide.memory.0 as usize].ty {
            *written = false;
        }
    });
    assert!(said.contains("is constant and assigned"), "{said}");
}

#[test]
fn damaged_unrolled_loops_and_tests_of_pointers_are_seen() {
    let mut program = compiled(StepKernel::Coarsened);
    let size = program.args[0];
    in_kernel(&mut program, |stmt| match stmt {
        Stmt::For {
            unroll: Unroll::Whole,
            first,
            ..
        } => {
            *first = Expr::Var(size);
            true
        }
        _ => false,
    });
    let said = verify(&program).expect_err("the damage is seen");
    assert!(said.contains("an unrolled loop"), "{said}");
    let said = damaged(|p| value(p, || Expr::Aligned(VarId(0))));
    assert!(said.contains("is no pointer of the host"), "{said}");
}

#[test]
fn dumps_show_accesses_of_several_elements() {
    let text = dump(&compiled(StepKernel::Coarsened));
    for word in ["load 4 %", "store 4 %", "unrolled", "aligned(%"] {
        assert!(text.contains(word), "{word} in\n{text}");
    }
}

/// The kernel of warps that are a pipeline in time.
fn of_blocks() -> Program {
    let text = include_str!("data/jacobi2d.scop.json");
    let saved = SavedScop::parse(text).expect("a saved scop");
    let ctx = Ctx::new().expect("memory for a context");
    let options = Options {
        tiling: Tiling::Overlapped,
        kernel: StepKernel::Pipelined,
        ..Options::default()
    };
    let compiled = pipeline::compile(&ctx, &saved, &options);
    let mut compiled = compiled.unwrap_or_else(|d| panic!("{} {:?}", d.message, d.notes));
    match compiled.units.remove(0).tiled.kernel {
        Kernel::Overlapped(StreamKernel::Rows(ir), _) => {
            let warps = ir.warps.expect("pipelined warps");
            warps.kernel.expect("their program").0
        }
        _ => panic!("no rows"),
    }
}

#[test]
fn damage_of_blocks_is_seen() {
    let damaged = |damage: &dyn Fn(&mut Program)| {
        let mut program = of_blocks();
        assert_eq!(verify(&program), Ok(()));
        damage(&mut program);
        verify(&program).expect_err("the damage is seen")
    };
    let lane = || Expr::binary("<", Expr::Own(Own::Lane), Expr::Int(3));
    let under = |cond: Expr, stmt: Stmt| Stmt::If {
        cond,
        yes: vec![stmt],
        no: Vec::new(),
    };
    let said = damaged(&|p| p.kernels[0].body.push(under(lane(), Stmt::Barrier)));
    assert!(
        said.contains("a barrier that not all threads reach"),
        "{said}"
    );
    // What is assigned counts as the same only if it always is.
    let assigned = |value: Expr| {
        move |p: &mut Program| {
            let n = p.add_var("n", Type::Index, false);
            let body = &mut p.kernels[0].body;
            let zero = Some(Expr::Int(0));
            body.push(Stmt::Let {
                var: n,
                value: zero,
            });
            body.push(under(
                Expr::binary("<", Expr::Var(n), Expr::Int(1)),
                Stmt::Barrier,
            ));
            let target = Expr::Var(n);
            body.push(Stmt::Assign {
                target,
                value: value.clone(),
            });
        }
    };
    let mut fine = of_blocks();
    assigned(Expr::Int(2))(&mut fine);
    assert_eq!(verify(&fine), Ok(()));
    let said = damaged(&assigned(Expr::Own(Own::Lane)));
    assert!(
        said.contains("a barrier that not all threads reach"),
        "{said}"
    );
    // The lanes of a warp may go on alone where they exchange nothing.
    let warp = || Expr::binary("<", Expr::Own(Own::Warp), Expr::Int(1));
    let exchange = |p: &mut Program| {
        let var = p.add_var("of_neighbour", Type::Index, true);
        let value = Some(Expr::Exchange {
            value: Box::new(Expr::Own(Own::Lane)),
            by: 1,
        });
        Stmt::Let { var, value }
    };
    let mut fine = of_blocks();
    let stmt = exchange(&mut fine);
    fine.kernels[0].body.push(under(warp(), stmt));
    assert_eq!(verify(&fine), Ok(()));
    let said = damaged(&|p| {
        let stmt = exchange(p);
        p.kernels[0].body.push(under(lane(), stmt));
    });
    assert!(
        said.contains("an exchange that not all threads reach"),
        "{said}"
    );
    let said = damaged(&|p| {
        for var in &mut p.vars {
            if let Type::Shared { rows, .. } = &mut var.ty {
                *rows *= 10;
            }
        }
    });
    assert!(said.contains("share"), "{said}");
    let said = damaged(&|p| {
        p.functions.swap(0, 3);
    });
    assert!(said.contains("does not exist yet"), "{said}");
    let said = damaged(&|p| {
        in_kernel(p, |stmt| match stmt {
            Stmt::Call { args, .. } => args.pop().is_some(),
            _ => false,
        });
    });
    assert!(said.contains("does not fit function"), "{said}");
    let said = damaged(&|p| p.kernels[0].block = None);
    assert!(said.contains("is shared by no block"), "{said}");
    let said = damaged(&|p| {
        let function = p.functions.last_mut().expect("functions");
        let lane = Expr::Own(Own::Lane);
        assert!(change(&mut function.body, &mut |stmt| match stmt {
            Stmt::Call { args, .. } => {
                args.insert(0, lane.clone());
                args.pop().is_some()
            }
            _ => false,
        }));
    });
    assert!(said.contains("gets another type"), "{said}");
}

/// The kernel of hybrid tiles.
fn of_tiles() -> Program {
    let text = include_str!("data/jacobi2d.scop.json");
    let saved = SavedScop::parse(text).expect("a saved scop");
    let ctx = Ctx::new().expect("memory for a context");
    let options = Options {
        tiling: Tiling::Hybrid,
        ..Options::default()
    };
    let compiled = pipeline::compile(&ctx, &saved, &options);
    let mut compiled = compiled.unwrap_or_else(|d| panic!("{} {:?}", d.message, d.notes));
    match compiled.units.remove(0).tiled.kernel {
        Kernel::Hybrid(hybrid) => hybrid.kernel.program,
        Kernel::Overlapped(..) => panic!("no hybrid tiles"),
    }
}

/// The innermost block of the last loops and branches of a block.
fn innermost(block: &mut Vec<Stmt>) -> &mut Vec<Stmt> {
    let has_body = |stmt: &Stmt| matches!(stmt, Stmt::For { .. });
    match block.iter().rposition(has_body) {
        None => block,
        Some(at) => match &mut block[at] {
            Stmt::For { body, .. } => innermost(body),
            _ => panic!("no loop"),
        },
    }
}

/// The first copy of a box in a block.
fn copy_in(block: &mut [Stmt]) -> Option<&mut BoxCopy> {
    block.iter_mut().find_map(|stmt| match stmt {
        Stmt::CopyBox(copy) => Some(&mut **copy),
        Stmt::If { yes, no, .. } => copy_in(yes).or_else(|| copy_in(no)),
        _ => None,
    })
}

#[test]
fn damage_of_tiles_is_seen() {
    let refused = |wanted: &str, damage: &dyn Fn(&mut Program)| {
        let mut program = of_tiles();
        assert_eq!(verify(&program), Ok(()));
        damage(&mut program);
        let said = verify(&program).expect_err("the damage is seen");
        assert!(said.contains(wanted), "{wanted}: {said}");
    };
    // The points of a row end at different times, its threads do not.
    refused("a barrier that not all threads reach", &|p| {
        innermost(&mut p.functions[0].body).push(Stmt::Barrier);
    });
    refused("an iteration ends in no loop", &|p| {
        p.functions[0].body.push(Stmt::Continue);
    });
    refused("a copy beyond", &|p| {
        let copy = copy_in(&mut p.functions[0].body).expect("a copy");
        copy.rows[0] += 100;
    });
    refused("a copy beyond", &|p| {
        let copy = copy_in(&mut p.functions[0].body).expect("a copy");
        copy.width = 12;
    });
    refused("an element of `s_A` in no row", &|p| {
        let copy = copy_in(&mut p.functions[0].body).expect("a copy");
        copy.at.pop();
    });
    refused("boxes of the block overlap", &|p| {
        p.layout.boxes[0].offset += 8
    });
    refused("share 16 bytes", &|p| {
        let last = p.layout.constants.last_mut().expect("constants");
        last.values[0].1 = Expr::Int(16);
    });
    refused("has too large numbers", &|p| {
        p.layout.tables[0].values[0] = 1 << 15
    });
    refused("is used where it is not defined", &|p| {
        let is_box = |stmt: &Stmt| matches!(stmt, Stmt::Let { value: None, .. });
        let body = &mut p.functions[0].body;
        let at = body.iter().position(is_box).expect("a box");
        body.remove(at);
    });
    // All threads of a block execute the same tile.
    refused("a call that not all threads reach", &|p| {
        let Some(Stmt::For { body, .. }) = p.kernels[0].body.first_mut() else {
            panic!("no loop over tiles");
        };
        let Some(Stmt::Let { value, .. }) = body.first_mut() else {
            panic!("no phase");
        };
        *value = Some(Expr::Own(Own::Column));
    });
    refused("a number of a warp where there are none", &|p| {
        let var = p.add_var("lane", Type::Index, true);
        let value = Some(Expr::Own(Own::Lane));
        p.kernels[0].body.push(Stmt::Let { var, value });
    });
    refused("a statement of the host on the device", &|p| {
        p.kernels[0].body.push(Stmt::Return(Outcome::Done));
    });
    let text = dump(&of_tiles());
    for word in [
        "constant %",
        "table of short",
        "box 0 of float",
        "copy ",
        "reserve 0",
        "blocks",
    ] {
        assert!(text.contains(word), "{word} in\n{text}");
    }
}
