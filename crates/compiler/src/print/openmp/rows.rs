//! Rows that are reached through pointers: tables of them, and the test that they share no memory.

use super::Printer;
use crate::back::names::Names;
use crate::back::rows;
use crate::diag::Result;
use crate::interface::may_hold_members;
use crate::ir::Type;
use crate::print::c::{Dialect, Writer};

impl Printer<'_> {
    /// The functions that find rows.
    pub(super) fn finders(&self) -> String {
        rows::finders(self.interface, "hexcc_")
    }

    /// Finds the rows and makes tables of them, which nothing else of what is touched may share.
    pub(super) fn rows(&self, writer: &mut Writer<'_>) -> Result<()> {
        if !rows::has_rows(self.interface) {
            return Ok(());
        }
        let mut names = Names::plain();
        for param in &self.interface.params {
            names.rename(param, &self.argument(writer, param));
        }
        let pieces = writer.namer.fresh("pieces");
        let found = writer.namer.fresh("found");
        writer.line(&format!("struct hexcc_pieces {pieces} = {{0}};"));
        writer.line(&format!("struct hexcc_rows {found};"));
        for (index, (array, touched)) in self.arrays().enumerate() {
            if array.local {
                continue;
            }
            let (name, what) = (self.name(writer, array), &array.name);
            let Some(of_array) = &array.rows else {
                let bytes = self.bytes(writer, array)?;
                let bytes = match self.condition(writer, touched)? {
                    None => bytes,
                    Some(touched) => format!("(({touched}) ? {bytes} : 0)"),
                };
                writer.line(&format!(
                    "hexcc_touch(&{pieces}, {name}, (const char *){name} + {bytes}, {}, \"{what}\");",
                    i32::from(array.written)
                ));
                continue;
            };
            let call = rows::found(self.interface, index, self.pointers_to(&array.name), &names);
            writer.line(&format!("{found} = {call};"));
            writer.line(&format!(
                "hexcc_touch_rows(&{pieces}, &{found}, \"{what}\", \"the pointers of {what}\");"
            ));
            let n = self.count(writer, &array.extents[..of_array.ranges.len()])?;
            let (elem, written) = (array.elem, array.written);
            let declared = self.declaration(Type::Rows { elem, written }, true, &name);
            writer.line(&format!(
                "{declared} = ({elem} **)hexcc_table(&{found}, {n});"
            ));
            writer.line(&format!("hexcc_free_rows(&{found});"));
        }
        if self.interface.arrays.iter().any(may_hold_members) {
            for member in self.interface.guarded_members() {
                let name = self.argument(writer, &member.name);
                writer.line(&format!(
                    "hexcc_touch(&{pieces}, {name}_at, (const char *){name}_at + {name}_size, 0, \"{}\");",
                    member.value
                ));
            }
        }
        let name = &self.interface.name;
        let frees: String = (self.arrays().filter(|(a, _)| a.rows.is_some()))
            .map(|(array, _)| format!("free({}); ", self.name(writer, array)))
            .collect();
        let test = format!("hexcc_separate_all(&{pieces}, \"{name}\", ");
        self.test(writer, &test, &frees);
        Ok(())
    }
}
