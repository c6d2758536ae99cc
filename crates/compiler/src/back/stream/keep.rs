//! What the first steps of a streamed kernel start from, kept and brought back.

use super::{Printer, declarations};
use crate::back::expr::ast_to_c;
use crate::back::text::add_constant;
use crate::kernel::Sub;
use crate::tiling::reduction::ButFor;

/// What the values are for which the order of cells matters, and the tests of `some[k]` for them.
fn tests(values: ButFor) -> Vec<(&'static str, &'static str)> {
    let nan = values.nan.then_some(("NaN", "some[k] != some[k]"));
    let zero = values.zero.then_some(("zero", "some[k] == 0"));
    nan.into_iter().chain(zero).collect()
}

impl Printer<'_> {
    /// `kept_bytes(args)` and `keep(args, kept, again, stream)`.
    pub(super) fn keep(&mut self) {
        let (t, ir) = (self.t.clone(), self.ir);
        let t_lo = ast_to_c(&ir.stencil.ranges[0].lo, &self.names);
        let mut sizes = Vec::new();
        let mut copies = Vec::new();
        for f in 0..ir.fields.len() {
            let bytes = self.plane_bytes(f);
            for a in 0..ir.live(f) {
                copies.push((self.own_plane(f, &format!("{t}_lo"), -a - 1), bytes.clone()));
            }
            match ir.live(f) {
                0 => {}
                1 => sizes.push(bytes),
                n => sizes.push(format!("{n} * {bytes}")),
            }
        }
        let sizes = sizes.join(" + ");
        // The first step tells which planes these are, where they are used in turns.
        let first_step = (0..ir.fields.len())
            .any(|f| ir.live(f) > 0 && ir.fields[f].plane.iter().any(Sub::is_in_turns))
            .then(|| format!("const long long {t}_lo = {t_lo};"));
        let planes = copies.iter().map(|(plane, _)| plane);
        let used: Vec<&str> = planes
            .chain([&sizes])
            .chain(&first_step)
            .map(String::as_str)
            .collect();
        let declared = declarations(&ir.stencil, &self.names, &used.join(" "));
        self.out.line("#ifndef __CUDACC_RTC__");
        self.out
            .line("// The bytes of the planes that the first time step starts from.");
        self.out
            .open("inline size_t kept_bytes(const Args &args) {");
        for line in declarations(&ir.stencil, &self.names, &sizes) {
            self.out.line(line);
        }
        self.out.line(format!("return {sizes};"));
        self.out.close("}");
        self.out.line("");
        self.out
            .line("// Copies them to other memory, or from there back again.");
        self.out.open("inline cudaError_t keep(const Args &args, char *kept, bool again, cudaStream_t stream) {");
        for line in declared.into_iter().chain(first_step) {
            self.out.line(line);
        }
        self.out.line("cudaError_t error = cudaSuccess;");
        for (n, (plane, bytes)) in copies.iter().enumerate() {
            self.out.open("if (error == cudaSuccess) {");
            self.out.line(format!("void *const plane = {plane};"));
            self.out.line(format!("const size_t bytes = {bytes};"));
            self.out.line("error = cudaMemcpyAsync(again ? plane : kept, again ? kept : plane, bytes, cudaMemcpyDeviceToDevice, stream);");
            if n + 1 < copies.len() {
                self.out.line("kept += bytes;");
            }
            self.out.close("}");
        }
        self.out.line("return error;");
        self.out.close("}");
        if !self.ir.unsure().is_empty() {
            self.unsure((&t_lo, &t));
        }
        self.out.line("#endif");
        self.out.line("");
    }

    /// `unsure(args, found)`.
    fn unsure(&mut self, (t_lo, t): (&str, &str)) {
        let ir = self.ir;
        let t_hi = ast_to_c(&ir.stencil.ranges[0].hi, &self.names);
        self.out.line("");
        let of_records = ir.records.iter().filter_map(|record| record.unsure);
        let any = of_records.reduce(ButFor::or).map_or(Vec::new(), tests);
        let of_what: Vec<&str> = any.iter().map(|(what, _)| *what).collect();
        self.out.line(format!(
            "// Looks whether a number of a time step is {}: what C has depends on the order of cells then.",
            of_what.join(" or ")
        ));
        self.out
            .open("inline cudaError_t unsure(const Args &args, bool &found) {");
        for line in declarations(&ir.stencil, &self.names, &format!("{t_lo} {t_hi}")) {
            self.out.line(line);
        }
        self.out
            .line(format!("const long long {t}_lo = {t_lo}, {t}_hi = {t_hi};"));
        self.out.line("cudaError_t error = cudaSuccess;");
        for (record, values) in (ir.records.iter()).filter_map(|r| Some((r, r.unsure?))) {
            let name = self.names.get(&ir.stencil.arrays[record.array].name);
            let first = add_constant(t, record.offset);
            self.out.open(format!(
                "for (long long {t} = {t}_lo; {t} <= {t}_hi && error == cudaSuccess; {t} += 64) {{"
            ));
            self.out.line(format!("{} some[64] = {{}};", record.ty));
            self.out
                .line(format!("const long long n = lowest(64, {t}_hi - {t} + 1);"));
            self.out.line(format!(
                "error = cudaMemcpy(some, args.{name} + {first}, sizeof *some * n, cudaMemcpyDeviceToHost);"
            ));
            let tests: Vec<&str> = tests(values).iter().map(|(_, test)| *test).collect();
            self.out.line(format!(
                "for (int k = 0; k < n; ++k) found |= {};",
                tests.join(" || ")
            ));
            self.out.close("}");
        }
        self.out.line("return error;");
        self.out.close("}");
    }
}
