//! The kernel of [`crate::kernel`] as a program: a function that executes a tile, functions that keep kinds of tiles
//! apart, the kernel, whose blocks take their tiles, and the launches.

mod copies;
mod elements;
mod kernel;
mod launches;
mod rows;

use crate::ctype::CType;
use crate::diag::{Diagnostic, Result};
use crate::ir::build::{INT, binary, comment, int, var};
use crate::ir::verify::verify;
use crate::ir::{
    Constants, Expr, Function, FunctionId, Inline, OfTiles, Program, SharedBox, Stmt, Table, Type,
    VarId, used_in,
};
use crate::kernel::{Interval, KernelIr, Row};
use crate::lower::affine::{Env, from_isl};
use crate::quotient::Divisions;
use elements::Place;

/// What names its parts.
struct Lowering<'a> {
    ir: &'a KernelIr,
    program: Program,
    /// What stands for sizes.
    sizes: Env,
    scalars: Vec<VarId>,
    arrays: Vec<Array>,
    constants: Named,
    row_lo: VarId,
    row_hi: VarId,
    /// By statement and space dimension, the tables with the first and the last point of keep boxes, as far as rows
    /// test them.
    keeps: Vec<Vec<[Option<VarId>; 2]>>,
}

/// An array of the arguments.
struct Array {
    pointer: VarId,
    /// Bytes from row to row.
    pitch: Option<VarId>,
    /// Numbers of elements.
    extents: Vec<Expr>,
}

/// Constants with names.
struct Named {
    hex_h: VarId,
    rows: VarId,
    k: VarId,
    pitch: VarId,
    drift: VarId,
    shift: VarId,
    b: [VarId; 2],
    /// By space dimension.
    widths: Vec<Option<VarId>>,
    lag: Option<VarId>,
    block: [VarId; 2],
    threads: VarId,
    shared_bytes: VarId,
}

/// What functions that execute tiles have in their parameters.
#[derive(Clone)]
struct Params {
    /// The kind of the tile, which is known where the program is compiled: all its points exist.
    full: VarId,
    /// The next tile finds its columns.
    reused: VarId,
    /// The tile before has left its columns.
    reuse: VarId,
    a: [VarId; 2],
    /// By dimension.
    origins: Vec<VarId>,
}

/// A tile on its way into the program.
struct Tile {
    params: Params,
    /// Extents of arrays but the first, by array.
    extents: Vec<Vec<VarId>>,
    /// Where elements of arrays lie that have boxes in shared memory.
    places: Vec<Option<Place>>,
    /// Numbers of time buffers, and which one the tile starts with.
    buffers: Vec<(i64, VarId)>,
}

/// The kernel of hybrid tiles as a program.
///
/// # Errors
/// HX9001 where its parts do not fit each other.
pub fn hybrid(ir: &KernelIr) -> Result<Program> {
    let mut program = Program {
        name: ir.stencil.name.clone(),
        vars: Vec::new(),
        args: Vec::new(),
        divisions: Divisions::Plain,
        layout: Default::default(),
        functions: Vec::new(),
        kernels: Vec::new(),
        narrow: None,
        host: Vec::new(),
    };
    let constants = constants(ir, &mut program);
    let [row_lo, row_hi] = rows_of_hexagon(ir, &mut program);
    let mut lowering = Lowering {
        ir,
        program,
        sizes: Env::new(),
        scalars: Vec::new(),
        arrays: Vec::new(),
        constants,
        row_lo,
        row_hi,
        keeps: Vec::new(),
    };
    lowering.keep_tables();
    lowering.arguments()?;
    let tile = lowering.tile()?;
    lowering.kernel(tile)?;
    lowering.host()?;
    match verify(&lowering.program) {
        Ok(()) => Ok(lowering.program),
        Err(wrong) => Err(Box::new(Diagnostic::bug(format!(
            "the kernel of hybrid tiles: {wrong}"
        )))),
    }
}

/// The named constants.
fn constants(ir: &KernelIr, program: &mut Program) -> Named {
    let s = &ir.schedule;
    let hex = &s.hexagon;
    let dim = |j: usize| ir.stencil.dims[j + 1].as_str();
    let name = dim(s.hex_dim);
    let b = ir.rows.iter().map(|r| r.points[s.hex_dim]);
    let b = b.fold(Interval::EMPTY, Interval::hull);
    let mut line = |values: &[(&str, i64)], remark: &str| {
        let values: Vec<(VarId, Expr)> = (values.iter())
            .map(|(name, value)| (program.add_var(name, INT, true), int(*value)))
            .collect();
        let first = values[0].0;
        program.layout.constants.push(Constants {
            values,
            remark: remark.to_string(),
        });
        first
    };
    let hex_h = line(
        &[("HEX_H", hex.h)],
        "h: a hexagon covers 2h + 2 logical time steps",
    );
    let rows = line(&[("ROWS", hex.height())], "rows of a tile, 2h + 2");
    let k = line(&[("K", s.k)], "logical time steps per time step");
    let distance = format!(
        "distance of hexagons along {name}, 2 w0 + 2 + floor(delta0 h) + floor(delta1 h), w0 = {}",
        hex.w0
    );
    let pitch = line(&[("PITCH", hex.width())], &distance);
    let moves = "hexagons move by -DRIFT per time tile";
    let drift = line(&[("DRIFT", hex.drift())], moves);
    let left = "phase 0 lies to the left of phase 1 by this much";
    let shift = line(&[("SHIFT", hex.phase0_shift)], left);
    let extent = format!("extent of a hexagon along {name}");
    let b_min = line(&[("B_MIN", b.lo), ("B_MAX", b.hi)], &extent);
    let mut widths = vec![None; s.n_space];
    for c in &s.classical {
        let name = format!("W_{}", dim(c.dim));
        let remark = format!("width of classical tiles along {}", dim(c.dim));
        widths[c.dim] = Some(line(&[(&name, c.w)], &remark));
    }
    let lag = s.wavefront.map(|w| {
        let name = dim(w.dim);
        let remark = format!("tiles along {name} by which a phase stays behind the one before it");
        line(&[("LAG", w.lag)], &remark)
    });
    let [x, y] = ir.block.shape();
    let block_x = line(&[("BLOCK_X", x), ("BLOCK_Y", y)], "");
    let block = [block_x, VarId(block_x.0 + 1)];
    let shared_bytes = line(&[("SHARED_BYTES", ir.shared_bytes)], "");
    let threads = program.add_var("THREADS", INT, true);
    let product = binary("*", var(block[0]), var(block[1]));
    let lines = &mut program.layout.constants;
    let of_block = lines.len() - 2;
    lines[of_block].values.push((threads, product));
    Named {
        hex_h,
        rows,
        k,
        pitch,
        drift,
        shift,
        b: [b_min, VarId(b_min.0 + 1)],
        widths,
        lag,
        block,
        threads,
        shared_bytes,
    }
}

fn table(program: &mut Program, name: &str, remark: &str, values: Vec<i64>) -> VarId {
    let ty = Type::OfTiles(OfTiles::Table(CType::Int(2)));
    let var = program.add_var(name, ty, true);
    program.layout.tables.push(Table {
        var,
        values,
        remark: remark.to_string(),
    });
    var
}

/// The tables with the first and the last point of rows along the hexagonal dimension.
fn rows_of_hexagon(ir: &KernelIr, program: &mut Program) -> [VarId; 2] {
    let hex = ir.schedule.hex_dim;
    let name = &ir.stencil.dims[hex + 1];
    let remark = format!(
        "Row a of a hexagon is {name}0 + row_lo[a] .. {name}0 + row_hi[a]: constraints (6), (8), (10), (12)."
    );
    let rows: Vec<Interval> = ir.rows.iter().map(|r| r.points[hex]).collect();
    let lo = rows.iter().map(|r| r.lo).collect();
    let hi = rows.iter().map(|r| r.hi).collect();
    let lo = table(program, "row_lo", &remark, lo);
    [lo, table(program, "row_hi", "", hi)]
}

impl Lowering<'_> {
    fn n_space(&self) -> usize {
        self.ir.stencil.dims.len() - 1
    }

    fn hex_dim(&self) -> usize {
        self.ir.schedule.hex_dim
    }

    /// The name of a space dimension.
    fn dim(&self, j: usize) -> &str {
        &self.ir.stencil.dims[j + 1]
    }

    fn add(&mut self, name: &str, ty: Type) -> VarId {
        self.program.add_var(name, ty, true)
    }

    /// An integer of 32 bits.
    fn int(&mut self, name: &str) -> VarId {
        self.add(name, INT)
    }

    fn index(&mut self, name: &str) -> VarId {
        self.add(name, Type::Index)
    }

    /// The width of the tiles along a classical dimension.
    fn width(&self, j: usize) -> Result<Expr> {
        (self.constants.widths[j].map(var))
            .ok_or_else(|| Box::new(Diagnostic::bug("a classical dimension without a width")))
    }

    /// The tables of keep boxes.
    fn keep_tables(&mut self) {
        let ir = self.ir;
        for (i, stmt) in ir.stencil.stmts.iter().enumerate() {
            let mut of_stmt = vec![[None; 2]; self.n_space()];
            let mut remark = format!(
                "{} inside this box is read by this tile only and overwritten later: no store.",
                stmt.name
            );
            for j in self.keep_dims(i) {
                let keep = || ir.rows.iter().map(|r| r.stmts[i].keep[j]);
                let ends = [
                    ("lo", keep().map(|k| k.lo).collect()),
                    ("hi", keep().map(|k| k.hi).collect()),
                ];
                for (end, (which, values)) in ends.into_iter().enumerate() {
                    if end == 0 && self.keep_starts_with_rows(i, j) {
                        continue;
                    }
                    let name = format!("{}_keep_{which}_{}", stmt.name, self.dim(j));
                    let remark = std::mem::take(&mut remark);
                    of_stmt[j][end] = Some(table(&mut self.program, &name, &remark, values));
                }
            }
            self.keeps.push(of_stmt);
        }
    }

    /// Whether the keep boxes of a statement start where the rows do along a
    /// classical dimension, so that only their ends need a test. Rows of which
    /// nothing is kept are told by the hexagonal dimension.
    fn keep_starts_with_rows(&self, i: usize, j: usize) -> bool {
        let hex = self.hex_dim();
        let starts = |row: &Row| {
            let keep = &row.stmts[i].keep;
            keep[j].lo <= row.points[j].lo || keep[hex].is_empty()
        };
        j != hex && self.ir.rows.iter().all(starts)
    }

    /// Space dimensions along which a statement's keep box restricts a row;
    /// empty where no instance is kept.
    fn keep_dims(&self, i: usize) -> Vec<usize> {
        let stmt = &self.ir.stencil.stmts[i];
        let mine = || self.ir.rows.iter().filter(|r| r.slot == stmt.slot);
        if mine().all(|r| r.stmts[i].keep_reused.iter().any(|k| k.is_empty())) {
            return Vec::new();
        }
        (0..self.n_space())
            .filter(|&j| mine().any(|r| r.stmts[i].keep[j] != r.points[j]))
            .collect()
    }

    /// Sizes, scalars and arrays.
    fn arguments(&mut self) -> Result<()> {
        let stencil = &self.ir.stencil;
        for name in &stencil.params {
            let size = self.index(name);
            self.program.args.push(size);
            self.sizes.insert(name.clone(), var(size));
        }
        for (name, ty) in &stencil.scalars {
            let scalar = self.add(name, Type::Number(*ty));
            self.program.args.push(scalar);
            self.scalars.push(scalar);
        }
        for array in &stencil.arrays {
            let ty = Type::Pointer {
                elem: array.elem,
                written: array.written,
            };
            let pointer = self.add(&array.name, ty);
            self.program.args.push(pointer);
            let extents = array.extents.iter().map(|e| from_isl(e, &self.sizes));
            let extents: Vec<Expr> = extents.collect::<Result<_>>()?;
            let layout = &mut self.program.layout;
            layout.extents.insert(pointer, extents.clone());
            let pitch = array
                .pitched
                .then(|| self.int(&format!("{}_pitch", array.name)));
            if let Some(pitch) = pitch {
                self.program.args.push(pitch);
                self.program.layout.pitches.insert(pointer, pitch);
            }
            self.arrays.push(Array {
                pointer,
                pitch,
                extents,
            });
        }
        for array in &stencil.arrays {
            let Some(shared) = &array.shared else {
                continue;
            };
            let mut sizes: Vec<i64> = shared.dims.iter().map(|dim| dim.size()).collect();
            if let Some(last) = sizes.last_mut() {
                *last = shared.row_stride;
            }
            self.program.layout.boxes.push(SharedBox {
                elem: array.elem,
                sizes,
                offset: shared.byte_offset,
            });
        }
        Ok(())
    }

    /// The parameters of a function that executes tiles.
    fn params(&mut self) -> Params {
        let truth = Type::OfTiles(OfTiles::Truth);
        let dims = &self.ir.stencil.dims;
        Params {
            full: self.add("Full", Type::Flag),
            reused: self.add("Reused", Type::Flag),
            reuse: self.add("reuse", truth),
            a: ["a_first", "a_end"].map(|name| self.int(name)),
            origins: dims.iter().map(|d| self.index(&format!("{d}0"))).collect(),
        }
    }

    /// `tile`: copy-in, the rows, copy-out.
    fn tile(&mut self) -> Result<FunctionId> {
        let ir = self.ir;
        let params = self.params();
        let extents = (ir.stencil.arrays.iter())
            .map(|array| {
                let names = (1..array.extents.len()).map(|d| format!("{}_n{d}", array.name));
                names.map(|name| self.index(&name)).collect()
            })
            .collect();
        let mut tile = Tile {
            params,
            extents,
            places: Vec::new(),
            buffers: Vec::new(),
        };
        let mut body = self.shared_memory(&mut tile);
        body.extend(self.elements(&mut tile)?);
        body.extend(self.copy_in(&tile)?);
        body.extend(self.rows(&tile)?);
        body.extend(self.copy_out(&tile)?);
        let used = used_in(&body);
        let mut first = Vec::new();
        for (array, names) in self.arrays.iter().zip(&tile.extents) {
            for (name, value) in names.iter().zip(&array.extents[1..]) {
                if used.contains(name) {
                    first.push(Stmt::Let {
                        var: *name,
                        value: Some(value.clone()),
                    });
                }
            }
        }
        let mut remark = "One tile: copy-in, then its rows in order. Full tiles execute every point of every row.".to_string();
        let Params {
            full,
            reused,
            reuse,
            a,
            origins,
        } = tile.params;
        let mut params = vec![full];
        if ir.reuses() {
            remark.push_str("\nWith `reuse` the tile before left its columns in shared memory; with `Reused` the next one\ndoes the same with this tile's, so that values which only that one reads need no store.");
            params.extend([reused, reuse]);
        }
        params.extend(a.iter().chain(&origins));
        Ok(self.function(
            "tile",
            &remark,
            params,
            [first, body].concat(),
            Inline::Always,
        ))
    }

    /// Adds a function whose parameters are the same for all threads of a block.
    fn function(
        &mut self,
        name: &str,
        remark: &str,
        params: Vec<VarId>,
        body: Vec<Stmt>,
        inline: Inline,
    ) -> FunctionId {
        self.program.functions.push(Function {
            name: name.to_string(),
            remark: remark.to_string(),
            uniform: params.iter().copied().collect(),
            params,
            body,
            inline,
        });
        FunctionId(self.program.functions.len() as u32 - 1)
    }

    /// What stands for isl's names where a tile's origin is given.
    fn at_origin(&self, origins: &[VarId]) -> Env {
        let mut env = self.sizes.clone();
        for (d, origin) in origins.iter().enumerate() {
            env.insert(self.ir.origin_name(d), var(*origin));
        }
        env
    }
}

/// What separates a part of a function, and says what it does.
fn section(remark: &str) -> [Stmt; 2] {
    [comment(""), comment(remark)]
}
