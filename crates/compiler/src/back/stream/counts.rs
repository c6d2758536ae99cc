//! How many launches of each size there are.

use super::Printer;
use crate::kernel::warps::at_once;

impl Printer<'_> {
    /// How many launches of each size there are that go from one plane to the other.
    pub(super) fn count_alternating(&mut self, t: &str, list: &[String], first: &str) {
        let (n, last) = (list.len(), self.ir.last_steps());
        let until = n as i64 - last;
        let lines = [
            "// So many launches of so many time steps, each from one plane to the other. What is left for the last one is few".to_string(),
            "// steps: it also writes the plane of the step before.".to_string(),
            format!("{} sizes[] = {{{}}};", self.sizes_are(), list.join(", ")),
            format!("long long count[{n}] = {{}}, left = {t}_hi - {t}_lo + 1, launches = 1{};", self.patched(true)),
            format!("for (int @ = {first}; @ <= {until}; ++@) launches += count[@] = (left - 1) / sizes[@], left -= count[@] * sizes[@];"),
            format!("if (launches == 1 && left > 1) ++count[{} - left], ++launches, left = 1; // another one, since both planes are results", n + 1),
            format!("++count[{n} - left];"),
        ];
        for line in lines {
            self.out.line(line);
        }
    }

    /// How many launches of each size there are that go to other memory and back.
    pub(super) fn count_launches(&mut self, t: &str, list: &[String], first: &str, sizes: &[i64]) {
        let (n, completes) = (sizes.len(), self.ir.completes());
        self.out.line("// So many launches of so many time steps; after an even number the arrays have the results.");
        let constant = self.sizes_are();
        self.out
            .line(format!("{constant} sizes[] = {{{}}};", list.join(", ")));
        let (reserved, launches) = if completes { ("", "1") } else { (" + 1", "0") };
        if completes {
            self.out.line("// The last launch has one step: it also writes the planes that are older, or not handed on.");
        }
        self.out.line(format!(
            "long long count[{n}] = {{}}, left = {t}_hi - {t}_lo{reserved}, launches = {launches}{};", self.patched(false)
        ));
        self.out.line(format!("for (int @ = {first}; @ < {n}; ++@) launches += count[@] = left / sizes[@], left %= sizes[@];"));
        if completes {
            self.out.line(format!("++count[{}];", n - 1));
        }
        self.out.line(format!(
            "for (int @ = {}; @ + 1 < {n} && launches % 2 != 0; ++@)",
            i32::from(self.has_patches())
        ));
        self.out.line("  if (count[@] > 0 && sizes[@] == 2 * sizes[@ + 1]) --count[@], count[@ + 1] += 2, ++launches;");
        self.out.line("bool in_next = launches % 2 != 0;");
    }

    /// Whether blocks hold patches in most launches.
    pub(super) fn has_patches(&self) -> bool {
        (self.ir.warps.as_ref()).is_some_and(|warps| warps.tile.is_patch())
    }

    /// The type of the numbers of steps: that of patches is less in some launches.
    fn sizes_are(&self) -> &'static str {
        match self.has_patches() {
            true => "int",
            false => "constexpr int",
        }
    }

    /// The rest of the definition of counts: launches of patches take all steps but the last, where launches go from plane to plane,
    /// and an even number of launches is taken where they do not.
    fn patched(&self, alternates: bool) -> String {
        if !self.has_patches() {
            return String::new();
        }
        let at_once = at_once(self.ir);
        let all = match (alternates, at_once) {
            (true, _) => "left - 1".to_string(),
            (false, 1) => "left".to_string(),
            (false, n) => format!("left - left % {n}"),
        };
        let counted = [
            format!(", patched = holds ? {all} : 0; // steps of patches"),
            "count[0] = (patched + PATCHES_STEPS - 1) / PATCHES_STEPS;".to_string(),
        ];
        let even = (!alternates).then(|| format!("if ((launches + count[0]) % 2 != 0 && count[0] > 0 && (count[0] + 1) * {at_once} <= patched) ++count[0];"));
        let last = "launches += count[0], left -= patched".to_string();
        let all = counted.into_iter().chain(even).chain([last]);
        all.collect::<Vec<_>>().join("\n  ")
    }

    /// Before a launch of patches: its share of the steps.
    pub(super) fn steps_of_patches(&mut self) {
        if self.has_patches() {
            let share = "(int)((patched + count[0] - 1) / count[0])";
            let share = match at_once(self.ir) {
                1 => share.to_string(),
                n => format!("({share} + {}) / {n} * {n}", n - 1),
            };
            self.out.line(format!(
                "if (@ == 0) sizes[0] = pass.steps = {share}, patched -= sizes[0];"
            ));
        }
    }

    /// The launch of the kernel with so many time steps, of these sizes.
    fn launch_kernel(&mut self, sizes: &[i64], of_warps: Option<i64>) {
        let (kernel, prefix) = (self.called(), self.called().to_uppercase());
        let together =
            format!("{kernel}<<<grid, {prefix}_THREADS, {prefix}_BYTES, stream>>>(args, pass);");
        let mut or = "";
        if self.has_patches() {
            self.out.line(format!("if (@ == 0) {together}"));
            or = "else ";
        }
        self.out.open(format!("{or}switch (sizes[@]) {{"));
        for s in sizes {
            if Some(*s) == of_warps {
                if or.is_empty() {
                    self.out.line(format!("case {s}: {together} break;"));
                }
                continue;
            }
            let bytes = match self.ir.has_planes() {
                true => format!("Reach<{s}>::BYTES"),
                false => "0".to_string(),
            };
            self.out.line(format!(
                "case {s}: kernel<{s}><<<grid, THREADS, {bytes}, stream>>>(args, pass); break;"
            ));
        }
        self.out.close("}");
    }

    /// All launches of `sizes[@]` time steps.
    pub(super) fn launches(&mut self, sizes: &[i64], of_warps: Option<i64>) {
        self.allocate_parts();
        let alternates = self.ir.alternates();
        let toggles = match alternates {
            true => "",
            false => ", in_next = !in_next",
        };
        self.out.open(format!("for (; count[@] > 0 && error == cudaSuccess; --count[@], --launches{toggles}, pass.t0 += sizes[@]) {{"));
        self.steps_of_patches();
        self.planes_of_launch();
        self.renew_planes();
        self.launch_kernel(sizes, of_warps);
        self.fold_parts();
        for name in self.fields.iter().filter(|_| alternates) {
            self.out
                .line(format!("pass.{name}_in[0] = pass.{name}_out[0];"));
        }
        self.out.close("}");
        self.free_parts();
    }
}
