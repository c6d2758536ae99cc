//! What launches kernels, for programs that do it themselves.

use super::device::{self, Device};
use crate::ir::{Helper, Launch, Program, Type, VarId};
use crate::print::c::{ATOM, Dialect, Piece, Writer};

/// Remarks behind the kernels of a program: its launches, in their order.
pub(super) fn remarks(device: &Device<'_>, program: &Program) -> String {
    let remarks = Remarks { device, program };
    let mut writer = Writer::new(program, device.names(), &remarks);
    writer.stmts(&program.host);
    let launches = writer.finish();
    let launches = launches.lines().map(|line| format!("//{line}\n"));
    let calls = launches.clone().any(|line| line.contains("hexcc_"));
    let helpers = match calls {
        true => HELPERS,
        false => "",
    };
    let head = "\n// Launches, one after the other: arguments of each kernel, work-items along x, y, z, and of a group.\n\
                // Where there are more work-items than these, so that groups are full, they do nothing.\n";
    format!("{head}{helpers}{}", launches.collect::<String>())
}

/// What is said of functions that sizes of launches need.
const HELPERS: &str = "// hexcc_lowest and hexcc_highest are the smaller and the larger of two, hexcc_floor_div rounds towards minus\n\
                       // infinity.\n";

struct Remarks<'a> {
    device: &'a Device<'a>,
    program: &'a Program,
}

impl Dialect for Remarks<'_> {
    fn declaration(&self, ty: Type, constant: bool, name: &str) -> String {
        self.device.declaration(ty, constant, name)
    }

    fn helper(&self, helper: Helper) -> String {
        self.device.helper(helper)
    }

    /// Buffers are multiples of the largest type.
    fn aligned(&self, _: &Writer<'_>, _pointer: VarId, op: &'static str) -> Piece {
        Piece(i32::from(op == "==").to_string(), ATOM)
    }

    fn fold(&self, part: VarId, name: &str, term: &str) -> String {
        self.device.fold(part, name, term)
    }

    fn launch(&self, writer: &mut Writer<'_>, launch: &Launch) {
        let kernel = &self.program.kernels[launch.kernel.0 as usize];
        let args = self.device.arguments(kernel).into_iter();
        let args: Vec<String> = args
            .map(|arg| match kernel.params.iter().position(|p| *p == arg) {
                Some(p) => launch
                    .args
                    .get(p)
                    .map_or_else(String::new, |a| writer.expr(a)),
                None => writer.namer.get(arg),
            })
            .chain((kernel.reductions.iter()).map(|r| {
                let parts = &self.program.var(r.part).name;
                format!("{} bytes for {parts}s", device::parts_bytes())
            }))
            .collect();
        let (counts, groups) = (
            device::counts(writer, kernel, launch),
            device::groups(kernel),
        );
        let what = match groups.as_slice() {
            [0] => format!("{} groups of any size", counts.join(" x ")),
            groups => {
                let groups: Vec<String> = groups.iter().map(u32::to_string).collect();
                format!(
                    "{} work-items, groups of {}",
                    counts.join(" x "),
                    groups.join(" x ")
                )
            }
        };
        writer.line(&format!("{}({}): {what}", kernel.name, args.join(", ")));
        if !kernel.reductions.is_empty() {
            let name = device::combining(kernel);
            writer.line(&format!("{name}(the same): 1 work-item"));
        }
    }
}
