//! The host function that launches the kernel.

use super::Lowering;
use crate::ctype::CType;
use crate::diag::{Diagnostic, Result};
use crate::ir::build::{
    binary, cast, comment, if_, int, joined, let_, minus, not, plus, skip_if, sum, var,
};
use crate::ir::{Expr, Helper, KernelId, Launch, Outcome, Stmt, Type, Unroll, VarId, WIDE};
use crate::lower::affine::from_isl;

/// Blocks of a launch, at most, as a power of two; a block takes several tiles where there are more.
const MOST_BLOCKS: i64 = 30;

/// What all launches have in common.
struct Common {
    n_hexagons: VarId,
    u: [VarId; 2],
    hex: [VarId; 2],
    /// First and last tile by space dimension.
    tiles: Vec<Option<[VarId; 2]>>,
}

fn floor_div(x: Expr, by: Expr) -> Expr {
    Expr::helper(Helper::FloorDiv, x, by)
}

impl Lowering<'_> {
    /// Tests of the arguments, and a kernel per wave.
    pub(super) fn host(&mut self) -> Result<()> {
        let ir = self.ir;
        let nonempty = from_isl(&ir.stencil.nonempty, &self.sizes)?;
        let mut body = Vec::new();
        if !matches!(nonempty, Expr::Int(1)) {
            body.push(if_(not(nonempty), vec![Stmt::Return(Outcome::Done)]));
        }
        if let Some(test) = joined("||", self.misalignments()) {
            body.push(comment(
                "Arrays must start, and their rows lie, at multiples of 16 bytes.",
            ));
            body.push(if_(test, vec![Stmt::Return(Outcome::Misaligned)]));
        }
        let mut ranges = Vec::new();
        for (range, name) in ir.stencil.ranges.iter().zip(&ir.stencil.dims) {
            let ends = [("lo", &range.lo), ("hi", &range.hi)];
            let mut vars = Vec::new();
            for (end, value) in ends {
                let var = self.index(&format!("{name}_{end}"));
                body.push(let_(var, from_isl(value, &self.sizes)?));
                vars.push(var);
            }
            ranges.push([vars[0], vars[1]]);
        }
        let common = self.common(&ranges, &mut body)?;
        if ir.shared_bytes > 0 {
            body.push(comment(
                "More than 48 KiB of shared memory must be asked for.",
            ));
            body.push(Stmt::Reserve(KernelId(0)));
        }
        body.extend(self.waves(&common)?);
        self.program.host = body;
        Ok(())
    }

    /// Conditions under which arrays do not start, or their rows lie, at multiples of
    /// 16 bytes, where copies need that.
    fn misalignments(&self) -> Vec<Expr> {
        let mut tests = Vec::new();
        for (array, own) in self.ir.stencil.arrays.iter().zip(&self.arrays) {
            if array.shared.as_ref().is_none_or(|s| s.vector <= 1) {
                continue;
            }
            tests.push(not(Expr::Aligned(own.pointer)));
            tests.extend(own.pitch.map(|pitch| {
                let rest = binary("%", var(pitch), int(i64::from(WIDE)));
                binary("!=", rest, int(0))
            }));
        }
        tests
    }

    fn common(&mut self, ranges: &[[VarId; 2]], body: &mut Vec<Stmt>) -> Result<Common> {
        let ir = self.ir;
        let (c, s) = (&self.constants, &ir.schedule);
        let (k, [b_min, b_max], pitch) = (var(c.k), c.b.map(var), var(c.pitch));
        let hex = ranges[self.hex_dim() + 1];
        let [t_lo, t_hi] = ranges[0].map(var);
        let u = ["u_lo", "u_hi"].map(|name| self.index(name));
        body.push(let_(u[0], binary("*", k.clone(), t_lo)));
        let last = binary("+", binary("*", k.clone(), t_hi), k);
        body.push(let_(u[1], plus(last, -1)));
        let n_hexagons = self.index("n_hexagons");
        let extent = binary("-", var(hex[1]), var(hex[0]));
        let extent = binary("-", binary("+", extent, b_max), b_min);
        body.push(let_(n_hexagons, plus(binary("/", extent, pitch), 1)));
        let mut tiles = vec![None; self.n_space()];
        for c in &s.classical {
            let (name, width) = (self.dim(c.dim).to_string(), self.width(c.dim)?);
            let ends = ["first", "last"].map(|end| self.index(&format!("{name}_{end}")));
            let [lo, hi] = ranges[c.dim + 1].map(var);
            let skew = c.skew(s.hexagon.height() - 1);
            body.push(let_(ends[0], floor_div(lo, width.clone())));
            body.push(let_(ends[1], floor_div(sum(hi, skew), width)));
            tiles[c.dim] = Some(ends);
        }
        Ok(Common {
            n_hexagons,
            u,
            hex,
            tiles,
        })
    }

    /// The launches, one after the other.
    fn waves(&mut self, common: &Common) -> Result<Vec<Stmt>> {
        let height = || plus(var(self.constants.hex_h), 1);
        let [first, last] = common.u.map(|u| floor_div(var(u), height()));
        let [p_lo, p_hi] = ["p_lo", "p_hi"].map(|name| self.index(name));
        let mut body = vec![let_(p_lo, first), let_(p_hi, plus(last, 1))];
        let p_first = self.index("p_first");
        let (Some(w), Some(lag)) = (self.ir.schedule.wavefront, self.constants.lag) else {
            let launch = self.launch(common, [int(0), var(p_first), var(common.n_hexagons)]);
            body.push(loop_of(p_first, [var(p_lo), var(p_hi)], launch));
            return Ok(body);
        };
        let Some([first, last]) = common.tiles[w.dim] else {
            return Err(Box::new(Diagnostic::bug(
                "waves along no classical dimension",
            )));
        };
        let [index, p_last, n_blocks] =
            ["index", "p_last", "n_blocks"].map(|name| self.index(name));
        let before = binary("-", var(last), var(index));
        let lowest = minus(floor_div(before, var(lag)));
        let highest = floor_div(binary("-", var(index), var(first)), var(lag));
        let phases = plus(binary("-", var(p_last), var(p_first)), 1);
        let mut launch = vec![
            let_(p_first, Expr::helper(Helper::Highest, var(p_lo), lowest)),
            let_(p_last, Expr::helper(Helper::Lowest, var(p_hi), highest)),
            skip_if(binary(">", var(p_first), var(p_last))),
            let_(n_blocks, binary("*", phases, var(common.n_hexagons))),
        ];
        launch.extend(self.launch(common, [var(index), var(p_first), var(n_blocks)]));
        let of_phase =
            |p: VarId, tile: VarId| binary("+", binary("*", var(lag), var(p)), var(tile));
        body.push(loop_of(
            index,
            [of_phase(p_lo, first), of_phase(p_hi, last)],
            launch,
        ));
        Ok(body)
    }

    fn launch(&mut self, common: &Common, [index, p_first, n_blocks]: [Expr; 3]) -> Vec<Stmt> {
        let grid = self.add("grid", Type::Number(CType::UInt(4)));
        let most = binary("<<", int(1), int(MOST_BLOCKS));
        let blocks = Expr::helper(Helper::Lowest, n_blocks.clone(), most);
        let mut args = vec![index, p_first, n_blocks, var(common.n_hexagons)];
        args.extend(common.u.iter().chain(&common.hex).map(|id| var(*id)));
        args.extend(common.tiles.iter().flatten().flatten().map(|id| var(*id)));
        vec![
            let_(grid, cast(CType::UInt(4), blocks)),
            Stmt::Launch(Launch {
                kernel: KernelId(0),
                ranges: Vec::new(),
                args,
                blocks: Some(var(grid)),
            }),
        ]
    }
}

/// A loop over all integers from the first to the last.
fn loop_of(number: VarId, [first, last]: [Expr; 2], body: Vec<Stmt>) -> Stmt {
    Stmt::For {
        var: number,
        first,
        cond: binary("<=", var(number), last),
        step: int(1),
        any_order: false,
        unroll: Unroll::Free,
        body,
    }
}
