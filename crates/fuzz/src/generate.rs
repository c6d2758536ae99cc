//! Random programs.

use crate::model::{
    Access, Array, Cond, Elem, Expr, Item, Loop, Nest, Program, Size, Stmt, Storage, Sub,
};
use crate::rng::Rng;

/// How a program's space is shaped; decided once per program.
struct Style {
    radius: i64,
    /// Offsets stay on one side of the cell in these dimensions.
    one_sided: Vec<Option<bool>>,
    /// At most one offset of an access is not 0.
    star: bool,
    /// Accesses that are likely to be illegal are not avoided.
    naughty: bool,
    /// Shaped for overlapped tiling: every field is written once per time step, at every cell.
    stream: bool,
    n_written: usize,
}

/// The space part of a nest under construction.
struct Place {
    dims: Vec<usize>,
    /// For dimensions without a loop: whether the nest lies at their end.
    at_end: Vec<bool>,
}

/// A random program, and whether it is shaped for overlapped tiling.
pub fn program(rng: &mut Rng) -> (Program, bool) {
    let n_dims = 1 + rng.weighted(&[28, 46, 22, 4]);
    let stream = n_dims < 4 && rng.chance(if n_dims == 3 { 45 } else { 30 });
    let one_for_all = rng.chance(40);
    let (params, sizes, steps) = sizes(rng, n_dims, one_for_all);
    let radius = 1 + rng.weighted(match n_dims {
        1 => &[50, 25, 15, 10],
        2 => &[65, 25, 10, 0],
        3 => &[80, 20, 0, 0],
        _ => &[100, 0, 0, 0],
    }) as i64;
    let mut n_nests = 1 + rng.weighted(&[40, 30, 18, 12]);
    let mut n_written = (1 + rng.weighted(&[50, 30, 12, 8])).min(n_nests + 1);
    if stream {
        n_nests = n_nests.min(if n_dims == 3 { 2 } else { 4 - n_dims });
        n_written = n_nests;
    }
    let style = Style {
        radius,
        one_sided: (0..n_dims)
            .map(|_| rng.chance(12).then(|| rng.chance(50)))
            .collect(),
        star: rng.chance(60),
        naughty: !stream && rng.chance(10),
        stream,
        n_written,
    };
    let first_step = rng.weighted(&[80, 12, 8]) as i64;
    let scalars = match rng.chance(20) {
        true => vec![*rng.pick(&[Elem::Float, Elem::Double, Elem::Int])],
        false => Vec::new(),
    };
    let mut program = Program {
        params,
        sizes,
        steps,
        first_step,
        step_stride: if rng.chance(6) { 2 } else { 1 },
        inclusive: rng.chance(10),
        scalars,
        arrays: arrays(rng, n_dims, &style),
        nests: Vec::new(),
        min_size: 1,
    };
    for n in 0..n_nests {
        let nest = nest(rng, &mut program, &style, n);
        program.nests.push(nest);
    }
    crate::shrink::drop_unused_arrays(&mut program);
    (program, stream)
}

fn sizes(rng: &mut Rng, n_dims: usize, one_for_all: bool) -> (Vec<String>, Vec<Size>, Size) {
    let mut params: Vec<String> = Vec::new();
    let mut sizes = Vec::new();
    for dim in 0..n_dims {
        if rng.chance(18) {
            let high = [60, 26, 12, 8][n_dims - 1];
            sizes.push(Size::Const(rng.range(5, high)));
        } else if one_for_all && !params.is_empty() {
            sizes.push(Size::Param(0));
        } else {
            params.push(["N", "M", "P", "Q"][dim].to_string());
            sizes.push(Size::Param(params.len() - 1));
        }
    }
    let steps = if rng.chance(15) {
        Size::Const(rng.range(3, 14))
    } else {
        params.push("T".to_string());
        Size::Param(params.len() - 1)
    };
    (params, sizes, steps)
}

fn elem(rng: &mut Rng) -> Elem {
    [Elem::Float, Elem::Double, Elem::Int, Elem::Byte][rng.weighted(&[65, 15, 15, 5])]
}

fn arrays(rng: &mut Rng, n_dims: usize, style: &Style) -> Vec<Array> {
    let form = rng.weighted(&[40, 35, 25]);
    let common = match (style.stream, elem(rng)) {
        (true, Elem::Byte) => Elem::Float,
        (_, elem) => elem,
    };
    let mixed = rng.chance(25);
    let mut arrays = Vec::new();
    for n in 0..style.n_written {
        let storage = match form {
            // In place where a field reads itself at its own cell only.
            _ if style.stream && rng.chance(if n_dims == 3 { 40 } else { 15 }) => Storage::Plain,
            _ if style.stream => match rng.weighted(&[70, 20, 10]) {
                1 => Storage::Buffer(3),
                2 => Storage::Buffer(4),
                _ => Storage::Buffer(2),
            },
            // A single field needs a second time plane.
            0 => time_planes(rng),
            1 if style.n_written > 1 => Storage::Plain,
            _ if rng.chance(40) => Storage::Plain,
            _ => time_planes(rng),
        };
        arrays.push(Array {
            name: ["A", "B", "C", "D"][n].to_string(),
            elem: if mixed { elem(rng) } else { common },
            storage,
            dims: (0..n_dims).collect(),
            extra: (0..n_dims)
                .map(|_| rng.weighted(&[85, 10, 5]) as i64)
                .collect(),
        });
    }
    if rng.chance(if style.stream { 35 } else { 20 }) {
        let dims: Vec<usize> = (0..n_dims).filter(|_| rng.chance(65)).collect();
        let storage = match rng.chance(20) || dims.is_empty() {
            true => Storage::AllSteps(1),
            false => Storage::Plain,
        };
        arrays.push(Array {
            name: "W".to_string(),
            elem: elem(rng),
            storage,
            extra: vec![0; dims.len()],
            dims,
        });
    }
    // A field of lower dimension, to be written by nests of its own.
    if n_dims > 1 && !style.stream && rng.chance(6) {
        let missing = rng.below(n_dims);
        let dims: Vec<usize> = (0..n_dims).filter(|&d| d != missing).collect();
        arrays.push(Array {
            name: "L".to_string(),
            elem: common,
            storage: if rng.chance(50) {
                Storage::Plain
            } else {
                time_planes(rng)
            },
            extra: vec![0; dims.len()],
            dims,
        });
    }
    arrays
}

fn time_planes(rng: &mut Rng) -> Storage {
    match rng.weighted(&[60, 18, 7, 15]) {
        0 => Storage::Buffer(2),
        1 => Storage::Buffer(3),
        2 => Storage::Buffer(4),
        _ => Storage::AllSteps(1),
    }
}

fn nest(rng: &mut Rng, program: &mut Program, style: &Style, number: usize) -> Nest {
    let n_dims = program.n_dims();
    let lower_field = program.arrays.iter().position(|a| a.name == "L");
    let mut place = Place {
        dims: (0..n_dims).collect(),
        at_end: (0..n_dims).map(|_| rng.chance(40)).collect(),
    };
    let mut only = None;
    if let Some(field) = lower_field.filter(|_| number == 0 || rng.chance(15)) {
        place.dims = program.arrays[field].dims.clone();
        only = Some(field);
    } else if number > 0 && rng.chance(if style.stream { 4 } else { 18 }) {
        let kept = rng.below(n_dims);
        while place.dims.len() > kept {
            place.dims.remove(rng.below(place.dims.len()));
        }
    }
    let n_stmts = match style.stream && rng.chance(95) {
        true => 1,
        false => 1 + rng.weighted(&[78, 16, 6]),
    };
    let mut targets = Vec::new();
    for n in 0..n_stmts {
        let array = only.unwrap_or((number + n) % style.n_written);
        let array = match only.is_none() && !style.stream && rng.chance(15) {
            true => rng.below(style.n_written),
            false => array,
        };
        targets.push(target(rng, program, style, &place, array));
    }
    let guarded = rng.chance(if style.stream { 5 } else { 20 }) && !place.dims.is_empty();
    let mut items = Vec::new();
    if guarded {
        let cond = cond(rng, &place);
        let locals = locals(rng, program, style, &place, &targets);
        let mut then = Vec::new();
        let mut els = Vec::new();
        for target in &targets {
            then.push(stmt(rng, program, style, &place, &targets, target, &locals));
            if rng.chance(60) {
                els.push(stmt(rng, program, style, &place, &targets, target, &locals));
            }
        }
        items.push(Item {
            locals,
            cond: Some(cond),
            then,
            els,
        });
    } else {
        for target in &targets {
            let locals = locals(rng, program, style, &place, &targets);
            let then = vec![stmt(rng, program, style, &place, &targets, target, &locals)];
            items.push(Item {
                locals,
                cond: None,
                then,
                els: Vec::new(),
            });
        }
    }
    let mut loops: Vec<Loop> = (place.dims.iter())
        .map(|&dim| {
            let mut wide = |most: i64| {
                if rng.chance(25) {
                    rng.range(0, most)
                } else {
                    0
                }
            };
            Loop {
                dim,
                low: wide(2),
                high: wide(2),
                step: 1,
            }
        })
        .collect();
    for l in &mut loops {
        if !style.stream && rng.chance(3) {
            l.step = rng.range(2, 3);
        }
    }
    if loops.len() > 1 && rng.chance(8) {
        loops.reverse();
    }
    let mut nest = Nest { loops, items };
    fit_bounds(program, &mut nest);
    nest
}

/// A loop of a nest with the widest bounds its accesses allow.
pub fn fitted(program: &Program, nest: usize, l: usize) -> Loop {
    let mut program = program.clone();
    let mut nest = program.nests[nest].clone();
    for l in &mut nest.loops {
        (l.low, l.high) = (0, 0);
    }
    fit_bounds(&mut program, &mut nest);
    nest.loops[l].clone()
}

/// Narrows the loops of a nest until every access is inside its array, and
/// raises the least size where a constant subscript needs it.
fn fit_bounds(program: &mut Program, nest: &mut Nest) {
    let mut low = vec![0; program.n_dims()];
    let mut high = vec![0; program.n_dims()];
    let mut least = program.min_size;
    {
        let arrays = &program.arrays;
        let mut fit = |access: &Access| {
            let array = &arrays[access.array];
            for (sub, extra) in access.subs.iter().zip(&array.extra) {
                match *sub {
                    Sub::Iter(dim, c) => {
                        low[dim] = low[dim].max(-c);
                        high[dim] = high[dim].max(c - extra);
                    }
                    Sub::First(c) | Sub::Last(_, c) => least = least.max(c + 1),
                    Sub::Mirror(_) | Sub::ClampLow(..) | Sub::ClampHigh(..) => {}
                }
            }
        };
        for item in &nest.items {
            item.locals.iter().for_each(|(_, e)| e.reads(&mut fit));
            for stmt in item.then.iter().chain(&item.els) {
                fit(&stmt.target);
                stmt.value.reads(&mut fit);
            }
        }
    }
    for l in &mut nest.loops {
        l.low = l.low.max(low[l.dim]);
        l.high = l.high.max(high[l.dim]);
    }
    program.min_size = least;
}

fn cond(rng: &mut Rng, place: &Place) -> Cond {
    let dim = *rng.pick(&place.dims);
    match rng.below(5) {
        0 => Cond::AtLeast(dim, rng.range(1, 4)),
        1 => Cond::Below(dim, rng.range(1, 4)),
        2 if place.dims.len() > 1 => {
            let other = *rng.pick(&place.dims);
            if other == dim {
                Cond::AtLeast(dim, 2)
            } else {
                Cond::Ordered(dim, rng.range(-2, 2), other)
            }
        }
        _ => {
            let m = rng.range(2, 3);
            let dims = match rng.chance(50) {
                true => place.dims.clone(),
                false => vec![dim],
            };
            Cond::Modulo(dims, rng.chance(40), m, rng.range(0, m - 1))
        }
    }
}

/// The plane a field writes: the newest.
fn write_time(storage: Storage) -> i64 {
    match storage {
        Storage::Plain => 0,
        Storage::Buffer(m) => m - 1,
        Storage::AllSteps(_) => 1,
    }
}

fn target(rng: &mut Rng, program: &Program, style: &Style, place: &Place, array: usize) -> Access {
    let a = &program.arrays[array];
    let shift = !style.stream && rng.chance(6);
    let subs = (a.dims.iter())
        .map(|&dim| match place.dims.contains(&dim) {
            true if shift => Sub::Iter(dim, rng.range(-style.radius, style.radius)),
            true => Sub::Iter(dim, 0),
            false if place.at_end[dim] => Sub::Last(dim, 0),
            false => Sub::First(0),
        })
        .collect();
    Access {
        array,
        time: write_time(a.storage),
        subs,
    }
}

fn read(
    rng: &mut Rng,
    program: &Program,
    style: &Style,
    place: &Place,
    targets: &[Access],
    own: usize,
) -> Access {
    let array = match rng.chance(45) {
        true => targets[own].array,
        false => rng.below(program.arrays.len()),
    };
    let a = &program.arrays[array];
    let lowest = -program.first_step;
    let mut time = match a.storage {
        Storage::Plain => 0,
        Storage::Buffer(m) => rng.range(lowest.max(-1), m),
        Storage::AllSteps(extra) if rng.chance(15) => rng.range(lowest, extra),
        Storage::AllSteps(_) => rng.range(lowest, 0),
    };
    // Mostly the step before.
    if rng.chance(60) && !matches!(a.storage, Storage::Plain) {
        time = (write_time(a.storage) - 1).max(lowest);
    }
    let mut offsets: Vec<i64> = (0..program.n_dims())
        .map(|dim| {
            let o = rng.range(-style.radius, style.radius);
            match style.one_sided[dim] {
                Some(true) => o.abs(),
                Some(false) => -o.abs(),
                None => o,
            }
        })
        .collect();
    if style.star {
        let kept = rng.below(offsets.len());
        for (dim, o) in offsets.iter_mut().enumerate() {
            *o = if dim == kept { *o } else { 0 };
        }
    }
    let still = style.stream && a.storage == Storage::Plain && array == targets[own].array;
    if rng.chance(25) || still {
        offsets.fill(0);
    }
    let same_plane = |w: &Access| {
        w.array == array
            && match a.storage {
                Storage::Buffer(m) => (w.time - time).rem_euclid(m) == 0,
                _ => w.time == time,
            }
    };
    let avoid = !style.naughty || rng.chance(50);
    if let Some(w) = targets.iter().find(|w| same_plane(w)).filter(|_| avoid) {
        // The cell another statement of the body writes, so that no cell of
        // the nest waits for another.
        return w.clone();
    }
    let clamp = !style.stream && rng.chance(5);
    let subs = (a.dims.iter())
        .map(|&dim| {
            let c = offsets[dim];
            if !place.dims.contains(&dim) {
                return match place.at_end[dim] {
                    _ if style.naughty && rng.chance(10) => Sub::First(0),
                    true => Sub::Last(dim, c.abs()),
                    false => Sub::First(c.abs()),
                };
            }
            if style.naughty && rng.chance(3) {
                return Sub::Mirror(dim);
            }
            if style.naughty && rng.chance(2) {
                return Sub::First(0);
            }
            if style.naughty && rng.chance(3) {
                let same = |&&d: &&usize| program.sizes[d] == program.sizes[dim];
                if let Some(&other) = place.dims.iter().rfind(same) {
                    return Sub::Iter(other, 0);
                }
            }
            match (clamp, c) {
                (true, 1..) => Sub::ClampHigh(dim, c),
                (true, ..=-1) => Sub::ClampLow(dim, -c),
                _ => Sub::Iter(dim, c),
            }
        })
        .collect();
    Access { array, time, subs }
}

fn locals(
    rng: &mut Rng,
    program: &Program,
    style: &Style,
    place: &Place,
    targets: &[Access],
) -> Vec<(Elem, Expr)> {
    if !rng.chance(8) {
        return Vec::new();
    }
    let elem = *rng.pick(&[Elem::Float, Elem::Double]);
    let mut context = Context {
        program,
        style,
        place,
        targets,
        own: 0,
        n_locals: 0,
    };
    vec![(elem, context.floating(rng, 2))]
}

fn stmt(
    rng: &mut Rng,
    program: &Program,
    style: &Style,
    place: &Place,
    targets: &[Access],
    target: &Access,
    locals: &[(Elem, Expr)],
) -> Stmt {
    let own = targets.iter().position(|t| t == target).unwrap_or(0);
    let mut context = Context {
        program,
        style,
        place,
        targets,
        own,
        n_locals: locals.len(),
    };
    let array = &program.arrays[target.array];
    let n_terms = 1 + rng.below(2 * program.n_dims() + 2);
    let accumulate = array.elem.is_floating() && array.storage == Storage::Plain && rng.chance(15);
    let value = match array.elem {
        Elem::Float | Elem::Double => {
            let value = context.floating(rng, n_terms);
            if accumulate {
                // Values must not grow without bound.
                Expr::Bin("*", Box::new(Expr::Lit("0.01f".into())), Box::new(value))
            } else {
                value
            }
        }
        Elem::Int | Elem::Byte => context.integer(rng, n_terms, array.elem),
    };
    Stmt {
        target: target.clone(),
        accumulate,
        value,
    }
}

/// What an expression may refer to.
struct Context<'a> {
    program: &'a Program,
    style: &'a Style,
    place: &'a Place,
    targets: &'a [Access],
    own: usize,
    n_locals: usize,
}

impl Context<'_> {
    fn read(&mut self, rng: &mut Rng) -> Expr {
        Expr::Read(read(
            rng,
            self.program,
            self.style,
            self.place,
            self.targets,
            self.own,
        ))
    }

    /// A number of magnitude at most 1024, no more than its reads.
    fn term(&mut self, rng: &mut Rng) -> Expr {
        let bin = |op, a, b| Expr::Bin(op, Box::new(a), Box::new(b));
        match rng.weighted(&[74, 4, 4, 3, 3, 4, 4, 4]) {
            1 => bin(
                "*",
                Expr::Lit("0.0009f".into()),
                bin("*", self.read(rng), self.read(rng)),
            ),
            2 => Expr::Select(
                ["<", ">=", "!="][rng.below(3)],
                Box::new([
                    self.read(rng),
                    self.read(rng),
                    self.read(rng),
                    self.read(rng),
                ]),
            ),
            3 => match rng.below(3) {
                0 => Expr::Call("fabsf", vec![self.read(rng)]),
                1 => Expr::Call("fmaxf", vec![self.read(rng), self.read(rng)]),
                _ => Expr::Call("fmin", vec![self.read(rng), self.read(rng)]),
            },
            4 if !self.program.scalars.is_empty() => Expr::Scalar(0),
            5 if !self.place.dims.is_empty() => Expr::Iter(*rng.pick(&self.place.dims)),
            6 => bin("/", self.read(rng), Expr::Lit("1.75".into())),
            7 if self.n_locals > 0 => Expr::Local(0),
            _ => self.read(rng),
        }
    }

    /// A weighted mean of terms, so that values do not grow.
    fn floating(&mut self, rng: &mut Rng, n_terms: usize) -> Expr {
        let weight =
            ["0.9f", "0.45f", "0.3f", "0.2", "0.18f", "0.15f", "0.12f"][n_terms.clamp(1, 7) - 1];
        let weight = if n_terms > 7 { "0.09f" } else { weight };
        let mut sum: Option<Expr> = None;
        for _ in 0..n_terms {
            let term = Expr::Bin(
                "*",
                Box::new(Expr::Lit(weight.into())),
                Box::new(self.term(rng)),
            );
            sum = Some(match sum {
                None => term,
                Some(sum) => {
                    let op = *rng.pick(&["+", "+", "-"]);
                    match rng.chance(75) {
                        true => Expr::Bin(op, Box::new(sum), Box::new(term)),
                        false => Expr::Bin(op, Box::new(term), Box::new(sum)),
                    }
                }
            });
        }
        sum.unwrap_or(Expr::Lit("0.5f".into()))
    }

    fn integer(&mut self, rng: &mut Rng, n_terms: usize, elem: Elem) -> Expr {
        let mut sum: Option<Expr> = None;
        for _ in 0..n_terms {
            let read = self.read(rng);
            let floating = match &read {
                Expr::Read(access) => self.program.arrays[access.array].elem.is_floating(),
                _ => false,
            };
            let term = match floating {
                true => Expr::Cast(Elem::Int, Box::new(read)),
                false => read,
            };
            sum = Some(match sum {
                None => term,
                Some(sum) => {
                    let op = *rng.pick(&["+", "-", "+", "^"]);
                    Expr::Bin(op, Box::new(sum), Box::new(term))
                }
            });
        }
        let sum = sum.unwrap_or(Expr::Lit("1".into()));
        match elem {
            Elem::Byte => Expr::Bin("&", Box::new(sum), Box::new(Expr::Lit("255".into()))),
            _ => Expr::Bin("%", Box::new(sum), Box::new(Expr::Lit("997".into()))),
        }
    }
}
