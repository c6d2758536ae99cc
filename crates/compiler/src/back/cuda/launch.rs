//! The kernel around the tiles, and the host function that launches it.

use super::Cuda;
use crate::back::expr::ast_to_c;
use crate::back::names::{mentions, values};
use crate::back::text::add_constant;
use crate::kernel::MANY_REGISTERS;

/// A kind of tile that is executed by a function of its own.
struct Apart {
    name: &'static str,
    /// Template arguments of `tile`.
    kind: &'static str,
    /// What the function takes and passes on besides all of them.
    parameter: &'static str,
    argument: &'static str,
}

impl Cuda<'_> {
    /// A function of its own that executes a kind of tile.
    fn tile_apart(&mut self, comment: &str, tile: &Apart) {
        let (arguments, args) = if self.passes_members() {
            let (members, names): (Vec<String>, Vec<String>) = self.members().into_iter().unzip();
            (members.join(", "), format!("Args{{{}}}", names.join(", ")))
        } else {
            ("const Args &args".to_string(), "args".to_string())
        };
        let typed: Vec<String> = (self.origins.iter())
            .map(|o| format!("long long {o}"))
            .collect();
        let (typed, origins) = (typed.join(", "), self.origins.join(", "));
        self.out.line(format!("// {comment}"));
        self.out.open(format!(
            "__device__ __noinline__ void {}({arguments}{}, int a_first, int a_end, {typed}) {{",
            tile.name, tile.parameter
        ));
        self.out.line(format!(
            "tile<{}>({args}{}, a_first, a_end, {origins});",
            tile.kind, tile.argument
        ));
        self.out.close("}");
        self.out.line("");
    }

    /// Calls what [`Self::tile_apart`] defines.
    fn call_apart(&self, name: &str, argument: &str) -> String {
        let args = if self.passes_members() {
            let members: Vec<String> = (self.members().iter())
                .map(|(_, name)| format!("args.{name}"))
                .collect();
            members.join(", ")
        } else {
            "args".to_string()
        };
        let origins = self.origins.join(", ");
        format!("{name}({args}{argument}, a_first, a_end, {origins});")
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

    /// Declarations and names of the members of `Args`.
    fn members(&self) -> Vec<(String, String)> {
        let stencil = &self.ir.stencil;
        let mut fields: Vec<(String, String)> = (values(stencil, &self.names).into_iter())
            .map(|(name, ty)| (format!("{ty} {name}"), name))
            .collect();
        for array in &stencil.arrays {
            let constant = if array.written { "" } else { "const " };
            let name = self.names.get(&array.name);
            fields.push((format!("{constant}{} *{name}", array.elem), name));
            if array.pitched {
                let pitch = self.pitch_name(array);
                fields.push((format!("int {pitch}"), pitch));
            }
        }
        fields
    }

    pub(super) fn kernel(&mut self) {
        let ir = self.ir;
        let comment = match ir.schedule.wavefront {
            None => "// A block executes whole hexagons: its classical tiles one after the other."
                .to_string(),
            Some(w) => format!(
                "// A block executes one tile along {} of one hexagon; other classical tiles one after the other.",
                self.dim(w.dim)
            ),
        };
        let min_blocks = ir.block.min_blocks();
        self.tile_apart(
            "Kept apart, so that full tiles get the registers they need.",
            &match ir.reuses() {
                true => Apart {
                    name: "partial_tile",
                    kind: "false, false",
                    parameter: "",
                    argument: ", false",
                },
                false => Apart {
                    name: "partial_tile",
                    kind: "false",
                    parameter: "",
                    argument: "",
                },
            },
        );
        if ir.reuses() && ir.full.is_some() {
            self.tile_apart(
                "The last full tile of a row of tiles.",
                &Apart {
                    name: "last_tile",
                    kind: "true, false",
                    parameter: ", bool reuse",
                    argument: ", reuse",
                },
            );
        }
        self.out.line(comment);
        self.out.line(format!(
            "__global__ void __launch_bounds__(THREADS, {min_blocks})"
        ));
        self.out
            .open("kernel(const __grid_constant__ Args args, const __grid_constant__ Wave wave) {");
        let body = self.apart(1, Self::blocks);
        for line in self.argument_locals(&body) {
            self.out.line(line);
        }
        self.out.text.push_str(&body);
        self.out.close("}");
        self.out.line("");
    }

    /// The tiles of the blocks that one block of a launch executes.
    fn blocks(&mut self) {
        let ir = self.ir;
        let hex = self.dim(self.hex_dim()).to_string();
        let hex_origin = self.origin(self.hex_dim()).to_string();
        let t0 = self.origins[0].clone();
        self.out
            .open("for (long long n = blockIdx.x; n < wave.n_blocks; n += gridDim.x) {");
        self.out
            .line("const long long p = wave.p_first + n / wave.n_hexagons;");
        self.out
            .line("const long long u0 = (p - 1) * (HEX_H + 1); // logical time of row 0");
        self.out
            .line("const int a_first = (int)highest(0, wave.u_lo - u0);");
        self.out
            .line("const int a_end = (int)lowest(ROWS, wave.u_hi + 1 - u0);");
        self.out
            .line("const long long origin = -floor_div(p, 2) * DRIFT - (p % 2 == 0 ? SHIFT : 0);");
        self.out.line(format!(
            "const long long first = -floor_div(origin + B_MAX - wave.{hex}_lo, PITCH);"
        ));
        self.out.line(format!(
            "const long long {hex_origin} = origin + (first + n % wave.n_hexagons) * PITCH;"
        ));
        self.out.line(format!(
            "if ({hex_origin} + B_MIN > wave.{hex}_hi) continue;"
        ));
        self.out.line(format!(
            "const long long {t0} = (p - 1) * ((HEX_H + 1) / K);"
        ));
        let mut loops = 0;
        let parallel = ir.schedule.wavefront.map(|w| w.dim);
        if let Some(dim) = parallel {
            let name = self.dim(dim).to_string();
            let (origin, width) = (self.origin(dim).to_string(), self.width_name(dim));
            self.out.line(format!(
                "const long long {origin} = (wave.index - LAG * p) * {width};"
            ));
            self.out.line(format!(
                "if ({origin} < wave.{name}_first * {width} || {origin} > wave.{name}_last * {width}) continue;"
            ));
        }
        let sequential: Vec<_> = (ir.schedule.classical.iter())
            .filter(|c| Some(c.dim) != parallel)
            .collect();
        for c in &sequential {
            let (name, origin) = (self.dim(c.dim).to_string(), self.origin(c.dim).to_string());
            let width = self.width_name(c.dim);
            if ir.reuses()
                && ir.chain == Some(c.dim)
                && let Some(full) = &ir.full
            {
                let full = ast_to_c(full, &self.names);
                self.out
                    .open(format!("const auto is_full = [=](long long {origin}) {{"));
                self.out.line(format!("return {full};"));
                self.out.close("};");
                self.out.line(format!(
                    "bool reuse = false, full_here = is_full(wave.{name}_first * {width}); // reuse: the tile before was full"
                ));
            }
            self.out.open(format!(
                "for (long long {origin} = wave.{name}_first * {width}; {origin} <= wave.{name}_last * {width}; {origin} += {width}) {{"
            ));
            loops += 1;
        }
        let origins = self.origins.join(", ");
        let partial = self.call_apart("partial_tile", "");
        match (&ir.full, ir.reuses(), ir.chain) {
            (Some(_), true, Some(chain)) => {
                let origin = self.origin(chain).to_string();
                let width = self.width_name(chain);
                self.out.line(format!(
                    "const bool full_next = is_full({origin} + {width});"
                ));
                self.out.open("if (!full_here)");
                self.out.line(&partial);
                self.out.depth -= 1;
                self.out.open("else if (full_next)");
                self.out.line(format!(
                    "tile<true, true>(args, reuse, a_first, a_end, {origins});"
                ));
                self.out.depth -= 1;
                self.out.open("else");
                self.out.line(self.call_apart("last_tile", ", reuse"));
                self.out.depth -= 1;
                self.out.line("reuse = full_here;");
                self.out.line("full_here = full_next;");
            }
            (Some(full), ..) => {
                let full = ast_to_c(full, &self.names);
                self.out.line(format!("const bool full = {full};"));
                self.out.open("if (full)");
                self.out
                    .line(format!("tile<true>(args, a_first, a_end, {origins});"));
                self.out.depth -= 1;
                self.out.open("else");
                self.out.line(&partial);
                self.out.depth -= 1;
            }
            (None, ..) => self.out.line(partial),
        }
        for _ in 0..loops {
            self.out.close("}");
        }
        self.out.close("}");
    }

    pub(super) fn launch(&mut self) {
        self.out.line("#ifndef __CUDACC_RTC__");
        self.out
            .line("// Runs the whole computation on device arrays, in order on a stream.");
        if !self.misalignments().is_empty() {
            self.out
                .line("// Arrays must start, and their rows lie, at multiples of 16 bytes.");
        }
        self.out
            .open("inline cudaError_t launch(const Args &args, cudaStream_t stream) {");
        let body = self.apart(1, Self::waves);
        for param in &self.ir.stencil.params {
            let name = self.names.get(param);
            if mentions(&body, &name) {
                self.out
                    .line(format!("const long long {name} = args.{name};"));
            }
        }
        self.out.text.push_str(&body);
        self.out.close("}");
        self.out.line("#endif");
        self.out.line("");
    }

    /// Conditions under which arrays do not start, or their rows lie, at multiples of
    /// 16 bytes, where copies need that.
    fn misalignments(&self) -> Vec<String> {
        (self.ir.stencil.arrays.iter())
            .filter(|a| a.shared.as_ref().is_some_and(|s| s.vector > 1))
            .flat_map(|a| {
                let name = self.names.get(&a.name);
                let pitch = a.pitched.then(|| format!("args.{name}_pitch % 16 != 0"));
                [Some(format!("(size_t)args.{name} % 16 != 0")), pitch]
            })
            .flatten()
            .collect()
    }

    /// Tests of the arguments, and a kernel per wave.
    fn waves(&mut self) {
        let ir = self.ir;
        let s = &ir.schedule;
        let hex = self.dim(self.hex_dim()).to_string();
        let nonempty = ast_to_c(&ir.stencil.nonempty, &self.names);
        if nonempty != "1" {
            self.out
                .line(format!("if (!({nonempty})) return cudaSuccess;"));
        }
        let tests = self.misalignments();
        if !tests.is_empty() {
            self.out.line(format!(
                "if ({}) return cudaErrorMisalignedAddress;",
                tests.join(" || ")
            ));
        }
        for (d, range) in ir.stencil.ranges.iter().enumerate() {
            let (lo, hi) = (
                ast_to_c(&range.lo, &self.names),
                ast_to_c(&range.hi, &self.names),
            );
            let name = &self.dims[d];
            self.out.line(format!(
                "const long long {name}_lo = {lo}, {name}_hi = {hi};"
            ));
        }
        let t = &self.dims[0];
        self.out.line("Wave wave{};");
        self.out.line(format!(
            "wave.u_lo = K * {t}_lo, wave.u_hi = K * {t}_hi + K - 1;"
        ));
        self.out.line(format!(
            "wave.{hex}_lo = {hex}_lo, wave.{hex}_hi = {hex}_hi;"
        ));
        self.out.line(format!(
            "wave.n_hexagons = ({hex}_hi - {hex}_lo + B_MAX - B_MIN) / PITCH + 1;"
        ));
        for c in &s.classical {
            let (dim, width) = (self.dim(c.dim), self.width_name(c.dim));
            let skew = c.skew(s.hexagon.height() - 1);
            let line = format!(
                "wave.{dim}_first = floor_div({dim}_lo, {width}), wave.{dim}_last = floor_div({}, {width});",
                add_constant(&format!("{dim}_hi"), skew)
            );
            self.out.line(line);
        }
        if ir.shared_bytes > 0 {
            self.out
                .line("// More than 48 KiB of shared memory must be asked for.");
            self.out.line("cudaError_t error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED_BYTES);");
            self.out.line("if (error != cudaSuccess) return error;");
        }
        self.out.line("const long long p_lo = floor_div(wave.u_lo, HEX_H + 1), p_hi = floor_div(wave.u_hi, HEX_H + 1) + 1;");
        match s.wavefront {
            None => {
                self.out.line("wave.n_blocks = wave.n_hexagons;");
                self.out
                    .open("for (wave.p_first = p_lo; wave.p_first <= p_hi; ++wave.p_first) {");
            }
            Some(w) => {
                let dim = self.dim(w.dim).to_string();
                self.out.open(format!("for (wave.index = LAG * p_lo + wave.{dim}_first; wave.index <= LAG * p_hi + wave.{dim}_last; ++wave.index) {{"));
                self.out.line(format!(
                    "wave.p_first = highest(p_lo, -floor_div(wave.{dim}_last - wave.index, LAG));"
                ));
                self.out.line(format!("const long long p_last = lowest(p_hi, floor_div(wave.index - wave.{dim}_first, LAG));"));
                self.out.line("if (wave.p_first > p_last) continue;");
                self.out
                    .line("wave.n_blocks = (p_last - wave.p_first + 1) * wave.n_hexagons;");
            }
        }
        self.out
            .line("const unsigned grid = (unsigned)lowest(wave.n_blocks, 1 << 30);");
        self.out
            .line("kernel<<<grid, dim3(BLOCK_X, BLOCK_Y), SHARED_BYTES, stream>>>(args, wave);");
        self.out.close("}");
        self.out.line("return cudaGetLastError();");
    }
}
