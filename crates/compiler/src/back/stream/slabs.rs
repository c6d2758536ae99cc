//! Slabs of several GPUs: before each launch the rows beside them are renewed, and all GPUs launch alike.

use super::Printer;

/// What kernels of slabs call what is in [`crate::back::slabs::LIBRARY`].
pub(in crate::back) const FIXED: &[&str] = &["slab", "hexcc_slabs", "REACH"];

/// The further parameter of a function that launches kernels of a slab.
pub(in crate::back) fn parameter(is_slab: bool) -> &'static str {
    match is_slab {
        true => ", hexcc_slabs::Slab &slab",
        false => "",
    }
}

impl Printer<'_> {
    /// A decision on which launches depend, in a variable: all GPUs make it alike.
    pub(super) fn decided(&mut self, variable: &str, is_doubt: bool) {
        if self.ir.slab.is_none() {
            return;
        }
        let not = if is_doubt { "!" } else { "" };
        self.out
            .line(format!("{variable} = {not}slab.all({not}{variable});"));
    }

    /// Before a launch: the rows beside the slab are renewed where too few of them are right, in the planes that it starts from.
    /// Results are the slab's own rows, and those beside it that are still right then.
    fn exchange_planes(&mut self) {
        let Some(slab) = self.ir.slab.clone() else {
            return;
        };
        self.out.line(format!(
            "constexpr long long REACH = {}; // rows on either side that are no longer right after a time step",
            slab.reach
        ));
        let mut planes = Vec::new();
        for f in 0..self.ir.fields.len() {
            for a in 0..self.ir.live(f) {
                planes.push(format!(
                    "{{(void *)pass.{}_in[{a}], {}}}",
                    self.fields[f],
                    self.row_bytes(f)
                ));
            }
        }
        if !planes.is_empty() {
            self.out.line(format!(
                "const hexcc_slabs::Rows starts[] = {{{}}};",
                planes.join(", ")
            ));
            self.out
                .line("if (slab.right < REACH * sizes[@]) error = slab.exchange(starts, stream);");
            self.out.line("if (error != cudaSuccess) break;");
        }
        self.out.line("slab.right -= REACH * sizes[@];");
        if self.ir.pipeline.n_space > 1 {
            let i = &self.i;
            let line = format!(
                "pass.{i}_lo = (int)slab.from(slab.right), pass.{i}_hi = (int)slab.until(slab.right) - 1;"
            );
            self.out.line(line);
            let plan = "error = plans[@](pass, grid);";
            self.out.line(plan);
        }
    }

    /// Chooses how high tiles are, for all launches alike; those of slabs have other rows each time.
    pub(super) fn plan_alike(&mut self) {
        if self.ir.slab.is_none() {
            self.out.line("error = plans[@](pass, grid);");
        }
    }

    /// Renews what planes have beside a slab, and beside a domain that goes around.
    pub(super) fn renew_planes(&mut self) {
        self.exchange_planes();
        self.wrap_planes();
    }

    /// Bytes of a row of a field: of a plane, where it has three dimensions of space.
    fn row_bytes(&self, f: usize) -> String {
        let array = self.array(f);
        let name = self.names.get(&array.name);
        match self.ir.pipeline.n_space {
            1 => format!("sizeof({})", array.elem),
            2 => format!("(size_t)args.{name}_pitch"),
            _ => {
                let lines = array.extents.iter().rev().nth(1);
                let lines = lines.map_or_else(
                    || "1".to_string(),
                    |e| crate::back::expr::ast_operand(e, &self.names),
                );
                format!("(size_t){lines} * args.{name}_pitch")
            }
        }
    }
}
