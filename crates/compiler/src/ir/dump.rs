//! A program for people who work on the passes: what `--emit ir` prints. One line a statement, with
//! the types of all variables, in the terms of [`crate::ir`] and of no target.

use super::{
    BoxCopy, Definition, Expr, Launch, MoveRows, OfTiles, Pointer, Program, Ring, Stmt, Type,
    Unroll, VarId, Way, Wide,
};
use std::fmt::Write;

/// The program as text.
pub fn dump(program: &Program) -> String {
    let mut text = format!("program {}\n", program.name);
    for &arg in &program.args {
        let _ = writeln!(text, "  arg {}", definition(program, arg));
    }
    for (var, value) in program
        .layout
        .constants
        .iter()
        .flat_map(|line| &line.values)
    {
        let _ = writeln!(
            text,
            "  constant {} = {}",
            definition(program, *var),
            expr(value)
        );
    }
    for table in &program.layout.tables {
        let of = definition(program, table.var);
        let _ = writeln!(text, "  {of} = {:?}", table.values);
    }
    for (i, shared) in program.layout.boxes.iter().enumerate() {
        let (elem, sizes) = (shared.elem, &shared.sizes);
        let _ = writeln!(
            text,
            "  box {i} of {elem} {sizes:?} at byte {}",
            shared.offset
        );
    }
    let list = |params: &[VarId]| {
        let params = params.iter().map(|p| definition(program, *p));
        params.collect::<Vec<_>>().join(", ")
    };
    for (i, function) in program.functions.iter().enumerate() {
        let (name, params) = (&function.name, list(&function.params));
        let _ = writeln!(text, "function {i} {name} ({params})");
        block_of(program, &function.body, 1, &mut text);
    }
    for (i, kernel) in program.kernels.iter().enumerate() {
        let (name, params) = (&kernel.name, list(&kernel.params));
        let _ = writeln!(text, "kernel {i} {name} ({params})");
        if let Some(block) = &kernel.block {
            let _ = writeln!(
                text,
                "  blocks of {} threads, {} at once",
                block.threads, block.resident
            );
        }
        for axis in &kernel.axes {
            let (var, [first, last]) = (definition(program, axis.var), &axis.range);
            let (first, last) = (expr(first), expr(last));
            let _ = writeln!(
                text,
                "  axis {var} from {first} to {last}, {} threads a block",
                axis.threads
            );
        }
        for reduction in &kernel.reductions {
            let element = format!("%{}[{}]", reduction.base.0, expr(&reduction.index));
            let fold = reduction.fold.text("x", "e", reduction.ty, &|name, args| {
                format!("{name}({args})")
            });
            let part = definition(program, reduction.part);
            let _ = writeln!(text, "  reduce {part} into {element}, {fold}");
        }
        block_of(program, &kernel.body, 1, &mut text);
    }
    if let Some(narrow) = &program.narrow {
        let _ = writeln!(text, "narrow if {}", expr(narrow));
    }
    text.push_str("host\n");
    block_of(program, &program.host, 1, &mut text);
    text
}

fn definition(program: &Program, id: VarId) -> String {
    let variable = program.var(id);
    let ty = match variable.ty {
        Type::Index => "index".to_string(),
        Type::Number(ty) => ty.to_string(),
        Type::Pointer { elem, written } => {
            format!("{}{elem} *", if written { "" } else { "const " })
        }
        Type::Rows { elem, written } => {
            format!("rows of {}{elem}", if written { "" } else { "const " })
        }
        Type::Part(ty) => format!("part of {ty}"),
        Type::Private { elem, rows: 1, len } => format!("{elem}[{len}]"),
        Type::Private { elem, rows, len } => format!("{elem}[{rows}][{len}]"),
        Type::Shared { elem, rows, len } => format!("shared {elem}[{rows}][{len}]"),
        Type::Flag => "flag".to_string(),
        Type::OfTiles(OfTiles::Truth) => "truth".to_string(),
        Type::OfTiles(OfTiles::Table(elem)) => format!("table of {elem}"),
        Type::OfTiles(OfTiles::Box(number)) => format!("box {number}"),
        Type::OfTiles(OfTiles::Locator { elem, written }) => {
            let constant = if written { "" } else { "const " };
            format!("place of {constant}{elem}")
        }
        Type::OfTiles(OfTiles::Condition) => "condition".to_string(),
    };
    format!("%{} {}: {ty}", id.0, variable.name)
}

fn block_of(program: &Program, block: &[Stmt], depth: usize, text: &mut String) {
    let separates = |stmt: &&Stmt| matches!(stmt, Stmt::Comment(text) if text.is_empty());
    for stmt in block.iter().filter(|stmt| !separates(stmt)) {
        let (line, bodies) = parts(program, stmt);
        let _ = writeln!(text, "{:1$}{line}", "", 2 * depth);
        for (i, body) in bodies
            .iter()
            .enumerate()
            .filter(|(_, body)| !body.is_empty())
        {
            if i > 0 {
                let _ = writeln!(text, "{:1$}else", "", 2 * depth);
            }
            block_of(program, body, depth + 1, text);
        }
    }
}

/// A statement's own line, and what is in it.
fn parts<'a>(program: &Program, stmt: &'a Stmt) -> (String, Vec<&'a [Stmt]>) {
    match stmt {
        Stmt::Comment(remark) => (format!("# {remark}"), Vec::new()),
        Stmt::Let { var, value } => {
            let value = value
                .as_ref()
                .map_or(String::new(), |v| format!(" = {}", expr(v)));
            (
                format!("let {}{value}", definition(program, *var)),
                Vec::new(),
            )
        }
        Stmt::Assign { target, value } => {
            (format!("{} := {}", expr(target), expr(value)), Vec::new())
        }
        Stmt::If { cond, yes, no } => (format!("if {}", expr(cond)), vec![yes, no]),
        Stmt::For {
            var,
            first,
            cond,
            step,
            any_order,
            unroll,
            body,
        } => {
            let (first, cond, step) = (expr(first), expr(cond), expr(step));
            let var = definition(program, *var);
            (
                format!(
                    "for {var} from {first} while {cond} step {step}{}{}",
                    if *any_order { " in any order" } else { "" },
                    match unroll {
                        Unroll::Free => String::new(),
                        Unroll::Whole => " unrolled".to_string(),
                        Unroll::Never => " not unrolled".to_string(),
                        Unroll::Where(flag, times) =>
                            format!(" unrolled {times} times where %{}", flag.0),
                    }
                ),
                vec![body],
            )
        }
        Stmt::Fold { part, term } => (format!("fold {} into %{}", expr(term), part.0), Vec::new()),
        Stmt::Load(wide) => (wide_of("load", wide), Vec::new()),
        Stmt::Store(wide) => (wide_of("store", wide), Vec::new()),
        Stmt::Barrier => ("barrier".to_string(), Vec::new()),
        Stmt::BarrierOfWarp => ("barrier of warp".to_string(), Vec::new()),
        Stmt::Copy { to, from, lanes } => (
            format!("copy {lanes} {} := {}", expr(to), expr(from)),
            Vec::new(),
        ),
        Stmt::EndOfGroup => ("end of group".to_string(), Vec::new()),
        Stmt::Wait(left) => (format!("wait for all groups but {left}"), Vec::new()),
        Stmt::Call { function, args } => {
            let args: Vec<String> = args.iter().map(expr).collect();
            (
                format!("call {} ({})", function.0, args.join(", ")),
                Vec::new(),
            )
        }
        Stmt::Launch(launch) => (launch_of(launch), Vec::new()),
        Stmt::Scope(body) => ("scope".to_string(), vec![body]),
        Stmt::Continue => ("continue".to_string(), Vec::new()),
        Stmt::Return(outcome) => (format!("return {outcome:?}"), Vec::new()),
        Stmt::Reserve(kernel) => (format!("reserve {}", kernel.0), Vec::new()),
        Stmt::Define {
            var,
            definition: it,
        } => {
            let defined = format!("define {}", definition(program, *var));
            (
                format!("{defined}{}", definition_of(program, it)),
                Vec::new(),
            )
        }
        Stmt::CopyBox(copy) => (copy_of(copy), Vec::new()),
        Stmt::MoveRows(moved) => {
            let MoveRows {
                count,
                bytes,
                stride,
                width,
                ..
            } = moved;
            let what = format!("{bytes} last of {stride} bytes, {width} at once");
            (
                format!("move {count} times in %{} {what}", moved.shared.0),
                Vec::new(),
            )
        }
    }
}

fn wide_of(what: &str, wide: &Wide) -> String {
    let (own, memory) = (expr(&wide.of_thread()), expr(&wide.in_memory()));
    let (target, source) = match what {
        "load" => (own, memory),
        _ => (memory, own),
    };
    let constant = if wide.constant { " of a constant" } else { "" };
    format!("{what} {} {target} := {source}{constant}", wide.lanes)
}

fn definition_of(program: &Program, it: &Definition) -> String {
    let list = |params: &[VarId]| {
        let params = params.iter().map(|p| definition(program, *p));
        params.collect::<Vec<_>>().join(", ")
    };
    match it {
        Definition::Pointer(to) => format!(" = {}", pointer(to)),
        Definition::Locator { params, to } => format!(" ({}) = {}", list(params), pointer(to)),
        Definition::Condition { params, holds } => {
            format!(" ({}) = {}", list(params), expr(holds))
        }
    }
}

fn copy_of(copy: &BoxCopy) -> String {
    let own = format!("%{}{}", copy.shared.0, subscripts(&copy.at));
    let global = pointer(&copy.global);
    let (to, from) = match copy.way {
        Way::Out => (global, own),
        Way::In | Way::Inside(_) => (own, global),
    };
    let [outer, inner] = copy.rows;
    let ([a, b], [c, d]) = (copy.shared_steps, &copy.global_steps);
    let mut text = format!(
        "copy {outer} x {inner} rows of {} bytes, {} at once, {to} := {from}, steps {a}, {b} and {}, {}",
        copy.bytes,
        copy.width,
        expr(c),
        expr(d)
    );
    if let Some(Ring { axis, size, first }) = &copy.ring {
        let _ = write!(text, ", axis {axis} a ring of {size} from {}", expr(first));
    }
    if let Way::Inside(checks) = &copy.way {
        for [first, end] in checks.iter() {
            let _ = write!(text, ", from {} below {}", expr(first), expr(end));
        }
    }
    text
}

fn pointer(to: &Pointer) -> String {
    match to {
        Pointer::Of(var) => format!("%{}", var.0),
        Pointer::Row {
            first,
            number,
            pitch,
        } => format!("row({}, {}, {})", pointer(first), expr(number), expr(pitch)),
        Pointer::Further { from, by, .. } => format!("({} + {})", pointer(from), expr(by)),
        Pointer::Located { by, args } => {
            let args: Vec<String> = args.iter().map(expr).collect();
            format!("%{}({})", by.0, args.join(", "))
        }
    }
}

fn subscripts(all: &[Expr]) -> String {
    all.iter().map(|e| format!("[{}]", expr(e))).collect()
}

fn launch_of(launch: &Launch) -> String {
    let args: Vec<String> = launch.args.iter().map(expr).collect();
    let ranges = launch
        .ranges
        .iter()
        .map(|[lo, hi]| format!("{} to {}", expr(lo), expr(hi)));
    let ranges: Vec<String> = ranges.collect();
    let kernel = launch.kernel.0;
    format!(
        "launch {kernel} ({}) over [{}]{}",
        args.join(", "),
        ranges.join(", "),
        (launch.blocks.as_ref()).map_or(String::new(), |n| format!(", {} blocks", expr(n)))
    )
}

fn expr(e: &Expr) -> String {
    let list = |all: &mut dyn Iterator<Item = &Expr>| all.map(expr).collect::<Vec<_>>().join(", ");
    match e {
        Expr::Int(value) => value.to_string(),
        Expr::Literal { text, ty } => format!("{text}:{ty}"),
        Expr::Var(id) => format!("%{}", id.0),
        Expr::Aligned(id) => format!("aligned(%{})", id.0),
        Expr::Own(own) => own.name().to_string(),
        Expr::Exchange { value, by } => format!("of lane {by:+} ({})", expr(value)),
        Expr::Unary { op, arg } => format!("({op}{})", expr(arg)),
        Expr::Binary { op, lhs, rhs } => format!("({} {op} {})", expr(lhs), expr(rhs)),
        Expr::Select { cond, yes, no } => {
            format!("({} ? {} : {})", expr(cond), expr(yes), expr(no))
        }
        Expr::Cast { ty, arg } => format!("({ty}){}", expr(arg)),
        Expr::Element { base, row, index } => {
            let row = row.as_ref().map(|row| format!("[{}]", expr(row)));
            format!("%{}{}[{}]", base.0, row.unwrap_or_default(), expr(index))
        }
        Expr::Math { name, args } | Expr::Cell { name, args, .. } => {
            format!("{name}({})", list(&mut args.iter()))
        }
        Expr::Quotient { by, x } => format!("{}({})", by.name(), expr(x)),
        Expr::Helper(helper, args) => format!("{}({})", helper.name(), list(&mut args.iter())),
        Expr::Behind { pointer: to, index } => {
            let index = index.as_deref().map_or("0".to_string(), expr);
            format!("{}[{index}]", pointer(to))
        }
        Expr::Item {
            base,
            subscripts: all,
        } => format!("%{}{}", base.0, subscripts(all)),
        Expr::Wrapped { size, index } => format!("wrap {size} ({})", expr(index)),
        Expr::Holds { condition, args } => {
            format!("%{}({})", condition.0, list(&mut args.iter()))
        }
    }
}
