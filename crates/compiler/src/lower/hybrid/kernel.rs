//! The kernel: the tiles of the blocks that one block of a launch executes.

use super::{Lowering, Params};
use crate::ctype::CType;
use crate::diag::{Diagnostic, Result};
use crate::ir::build::{
    assign, binary, cast, comment, define, int, let_, minus, not, plus, select, skip_if, truth, var,
};
use crate::ir::{
    Block, Definition, Expr, FunctionId, Helper, Inline, Kernel, Launching, OfTiles, Own, Stmt,
    Type, Unroll, VarId,
};
use crate::kernel::MANY_REGISTERS;
use crate::lower::affine::from_isl;

/// The parameters of the kernel.
struct Wave {
    index: VarId,
    p_first: VarId,
    n_blocks: VarId,
    n_hexagons: VarId,
    /// Logical time.
    u: [VarId; 2],
    /// Points along the hexagonal dimension.
    hex: [VarId; 2],
    /// Tiles by space dimension.
    tiles: Vec<Option<[VarId; 2]>>,
}

/// The functions that execute tiles.
struct Functions {
    tile: FunctionId,
    partial: FunctionId,
    last: Option<FunctionId>,
}

impl Lowering<'_> {
    pub(super) fn kernel(&mut self, tile: FunctionId) -> Result<()> {
        let ir = self.ir;
        let kept_apart = "Kept apart, so that full tiles get the registers they need.";
        let functions = Functions {
            tile,
            partial: self.apart("partial_tile", kept_apart, tile, false),
            last: (ir.reuses() && ir.full.is_some()).then(|| {
                self.apart(
                    "last_tile",
                    "The last full tile of a row of tiles.",
                    tile,
                    true,
                )
            }),
        };
        let (wave, launching) = self.wave();
        let body = self.blocks(&wave, &functions)?;
        let parallel = ir.schedule.wavefront.map(|w| self.dim(w.dim));
        let lines = match parallel {
            None => "A block executes whole hexagons: its classical tiles one after the other."
                .to_string(),
            Some(name) => format!(
                "A block executes one tile along {name} of one hexagon; other classical tiles one after the other."
            ),
        };
        let [hex, tiles] = [vec![wave.hex], wave.tiles.into_iter().flatten().collect()];
        let mut params = vec![wave.index, wave.p_first, wave.n_blocks, wave.n_hexagons];
        params.extend(wave.u.iter().chain(hex.iter().flatten()));
        params.extend(tiles.iter().flatten());
        let small = |n: i64| u32::try_from(n).unwrap_or(0);
        self.program.kernels.push(Kernel {
            name: "kernel".to_string(),
            lines,
            params,
            axes: Vec::new(),
            block: Some(Block {
                threads: small(ir.block.size()),
                resident: small(ir.block.min_blocks()),
            }),
            launching: Some(launching),
            body,
            reductions: Vec::new(),
        });
        Ok(())
    }

    /// What a launch tells the kernel.
    fn wave(&mut self) -> (Wave, Launching) {
        let ir = self.ir;
        let name = self.dim(self.hex_dim()).to_string();
        let remark = match ir.schedule.wavefront {
            None => "The tiles of one launch: the hexagons of phase p, where phases count p = 0, 1, 2, .. over all time tiles.".to_string(),
            Some(w) => format!("The tiles of one launch: all with LAG * p + (tile along {}) = index, where phases count p = 0, 1, 2, ..", self.dim(w.dim)),
        };
        let mut lines = vec![
            (1, String::new()),
            (
                2,
                "first phase, number of phases times n_hexagons".to_string(),
            ),
            (1, "at most so many per phase".to_string()),
            (2, "logical time".to_string()),
            (2, format!("points along {name}")),
        ];
        let mut tiles = vec![None; self.n_space()];
        let [index, p_first, n_blocks, n_hexagons] =
            ["index", "p_first", "n_blocks", "n_hexagons"].map(|name| self.index(name));
        let u = ["u_lo", "u_hi"].map(|name| self.index(name));
        let hex = ["lo", "hi"].map(|end| self.index(&format!("{name}_{end}")));
        for c in &ir.schedule.classical {
            let name = self.dim(c.dim).to_string();
            tiles[c.dim] = Some(["first", "last"].map(|end| self.index(&format!("{name}_{end}"))));
            lines.push((2, format!("tiles along {name}")));
        }
        let wave = Wave {
            index,
            p_first,
            n_blocks,
            n_hexagons,
            u,
            hex,
            tiles,
        };
        let [columns, rows] = self.constants.block;
        let launching = Launching {
            threads: [columns, rows, self.constants.threads],
            bytes: self.constants.shared_bytes,
            record: "Wave".to_string(),
            remark,
            lines,
        };
        (wave, launching)
    }

    /// A function of its own that executes a kind of tile.
    fn apart(&mut self, name: &str, remark: &str, tile: FunctionId, last: bool) -> FunctionId {
        let Params {
            reuse, a, origins, ..
        } = self.params();
        let mut params = Vec::new();
        if last {
            params.push(reuse);
        }
        params.extend(a.iter().chain(&origins));
        let mut args = vec![int(i64::from(last))];
        if self.ir.reuses() {
            args.push(int(0));
            args.push(if last { var(reuse) } else { truth(false) });
        }
        args.extend(a.iter().chain(&origins).map(|id| var(*id)));
        let inline = match self.passes_members() {
            true => Inline::NeverByValue,
            false => Inline::Never,
        };
        let call = Stmt::Call {
            function: tile,
            args,
        };
        self.function(name, remark, params, vec![call], inline)
    }

    /// Whether functions of their own take the members of `Args` one by one.
    ///
    /// nvcc passes a larger struct through a pointer, and does not know then that elements lie in
    /// global memory. In three dimensions, with a third of the tiles partial, that is 2%; but the
    /// kernel keeps more in registers, and spills where a thread has few.
    fn passes_members(&self) -> bool {
        let block = &self.ir.block;
        let leaves = 65536 / (block.size() * block.min_blocks()).max(1);
        self.n_space() == 3 && leaves >= MANY_REGISTERS
    }

    /// The tiles of the blocks that one block of a launch executes.
    fn blocks(&mut self, wave: &Wave, functions: &Functions) -> Result<Vec<Stmt>> {
        let ir = self.ir;
        let a = ["a_first", "a_end"].map(|name| self.int(name));
        let dims = ir.stencil.dims.iter();
        let origins: Vec<VarId> = dims.map(|d| self.index(&format!("{d}0"))).collect();
        let [n, p, u0, origin, first] =
            ["n", "p", "u0", "origin", "first"].map(|name| self.index(name));
        let c = &self.constants;
        let (hex_h, rows, k, pitch) = (var(c.hex_h), var(c.rows), var(c.k), var(c.pitch));
        let (drift, shift, [b_min, b_max]) = (var(c.drift), var(c.shift), c.b.map(var));
        let height = || plus(hex_h.clone(), 1);
        let phase = || plus(var(p), -1);
        let int32 = |x: Expr| cast(CType::INT, x);
        let before = binary("-", var(wave.u[0]), var(u0));
        let end = binary("-", plus(var(wave.u[1]), 1), var(u0));
        let moved = minus(Expr::helper(Helper::FloorDiv, var(p), int(2)));
        let moved = binary("*", moved, drift);
        let even = binary("==", binary("%", var(p), int(2)), int(0));
        let start = binary("-", moved, select(even, shift, int(0)));
        let beyond = binary("-", binary("+", var(origin), b_max), var(wave.hex[0]));
        let number = binary("%", var(n), var(wave.n_hexagons));
        let hexagon = binary("*", binary("+", var(first), number), pitch.clone());
        let hex = origins[self.hex_dim() + 1];
        let of_launch = binary("/", var(n), var(wave.n_hexagons));
        let outside = binary(">", binary("+", var(hex), b_min), var(wave.hex[1]));
        let time = binary("*", phase(), binary("/", height(), k));
        let mut body = vec![
            let_(p, binary("+", var(wave.p_first), of_launch)),
            comment("Logical time of row 0."),
            let_(u0, binary("*", phase(), height())),
            let_(a[0], int32(Expr::helper(Helper::Highest, int(0), before))),
            let_(a[1], int32(Expr::helper(Helper::Lowest, rows, end))),
            let_(origin, start),
            let_(first, minus(Expr::helper(Helper::FloorDiv, beyond, pitch))),
            let_(hex, binary("+", var(origin), hexagon)),
            skip_if(outside),
            let_(origins[0], time),
        ];
        if let (Some(w), Some(lag)) = (ir.schedule.wavefront, self.constants.lag) {
            let (at, width) = (origins[w.dim + 1], self.width(w.dim)?);
            let tile = binary("-", var(wave.index), binary("*", var(lag), var(p)));
            body.push(let_(at, binary("*", tile, width)));
            let [lo, hi] = self.ends(wave, w.dim)?;
            let outside = binary("||", binary("<", var(at), lo), binary(">", var(at), hi));
            body.push(skip_if(outside));
        }
        body.extend(self.tiles(wave, functions, (a, &origins))?);
        let blocks = Stmt::For {
            var: n,
            first: Expr::Own(Own::Block),
            cond: binary("<", var(n), var(wave.n_blocks)),
            step: Expr::Own(Own::Blocks),
            any_order: false,
            unroll: Unroll::Free,
            body,
        };
        Ok(vec![blocks])
    }

    /// The origins of the first and the last tile along a classical dimension.
    fn ends(&self, wave: &Wave, dim: usize) -> Result<[Expr; 2]> {
        let ends = wave.tiles[dim];
        let ends =
            ends.ok_or_else(|| Box::new(Diagnostic::bug("a classical dimension without tiles")))?;
        let width = self.width(dim)?;
        Ok(ends.map(|end| binary("*", var(end), width.clone())))
    }

    /// The tiles of a hexagon, one after the other.
    fn tiles(
        &mut self,
        wave: &Wave,
        functions: &Functions,
        (a, origins): ([VarId; 2], &[VarId]),
    ) -> Result<Vec<Stmt>> {
        let ir = self.ir;
        let parallel = ir.schedule.wavefront.map(|w| w.dim);
        let given: Vec<Expr> = a.iter().chain(origins).map(|id| var(*id)).collect();
        let chain = ir.chain.filter(|_| ir.reuses() && ir.full.is_some());
        let (mut inner, first) = match (chain, functions.last) {
            (Some(chain), Some(last)) => {
                let calls = [functions.tile, functions.partial, last];
                self.in_chain(wave, calls, chain, (origins, &given))?
            }
            _ => (self.alone(functions, (origins, &given))?, Vec::new()),
        };
        let sequential = ir
            .schedule
            .classical
            .iter()
            .filter(|c| Some(c.dim) != parallel);
        for c in sequential.rev() {
            let origin = origins[c.dim + 1];
            let [lo, hi] = self.ends(wave, c.dim)?;
            let tiles = Stmt::For {
                var: origin,
                first: lo,
                cond: binary("<=", var(origin), hi),
                step: self.width(c.dim)?,
                any_order: false,
                unroll: Unroll::Free,
                body: inner,
            };
            inner = match chain == Some(c.dim) {
                true => [first.clone(), vec![tiles]].concat(),
                false => vec![tiles],
            };
        }
        Ok(inner)
    }

    /// A tile that leaves nothing to the next one.
    fn alone(
        &mut self,
        functions: &Functions,
        (origins, given): (&[VarId], &[Expr]),
    ) -> Result<Vec<Stmt>> {
        let partial = Stmt::Call {
            function: functions.partial,
            args: given.to_vec(),
        };
        let Some(full) = &self.ir.full else {
            return Ok(vec![partial]);
        };
        let holds = from_isl(full, &self.at_origin(origins))?;
        let full = self.add("full", Type::OfTiles(OfTiles::Truth));
        let tile = Stmt::Call {
            function: functions.tile,
            args: [&[int(1)], given].concat(),
        };
        Ok(vec![
            let_(full, holds),
            Stmt::If {
                cond: var(full),
                yes: vec![tile],
                no: vec![partial],
            },
        ])
    }

    /// A tile that leaves its columns to the next one where both are full, and what stands before all tiles of a chain.
    fn in_chain(
        &mut self,
        wave: &Wave,
        [tile, partial, last]: [FunctionId; 3],
        chain: usize,
        (origins, given): (&[VarId], &[Expr]),
    ) -> Result<(Vec<Stmt>, Vec<Stmt>)> {
        let Some(full) = &self.ir.full else {
            return Err(Box::new(Diagnostic::bug("a chain of partial tiles")));
        };
        let is_full = self.add("is_full", Type::OfTiles(OfTiles::Condition));
        let at = self.index(&format!("{}0", self.dim(chain)));
        let mut here = origins.to_vec();
        here[chain + 1] = at;
        let holds = from_isl(full, &self.at_origin(&here))?;
        let truth_of = Type::OfTiles(OfTiles::Truth);
        let [reuse, full_here] =
            ["reuse", "full_here"].map(|name| self.program.add_var(name, truth_of, false));
        let full_next = self.add("full_next", truth_of);
        let is = |arg: Expr| Expr::Holds {
            condition: is_full,
            args: vec![arg],
        };
        let [start, _] = self.ends(wave, chain)?;
        let before = vec![
            define(
                is_full,
                Definition::Condition {
                    params: vec![at],
                    holds,
                },
            ),
            comment("`reuse`: the tile before was full."),
            let_(reuse, truth(false)),
            let_(full_here, is(start)),
        ];
        let next = binary("+", var(origins[chain + 1]), self.width(chain)?);
        let call = |function: FunctionId, first: Vec<Expr>| {
            let args = [first, given.to_vec()].concat();
            vec![Stmt::Call { function, args }]
        };
        let full_tile = Stmt::If {
            cond: var(full_next),
            yes: call(tile, vec![int(1), int(1), var(reuse)]),
            no: call(last, vec![var(reuse)]),
        };
        let body = vec![
            let_(full_next, is(next)),
            Stmt::If {
                cond: not(var(full_here)),
                yes: call(partial, Vec::new()),
                no: vec![full_tile],
            },
            assign(var(reuse), var(full_here)),
            assign(var(full_here), var(full_next)),
        ];
        Ok((body, before))
    }
}
