//! The command line as gcc spells it: some long options have one dash, and their values may follow without a blank.

use std::ffi::OsString;

/// Long options with one dash, and whether a value follows.
const ONE_DASH: [(&str, bool); 6] = [
    ("-include", true),
    ("-isystem", true),
    ("-iquote", true),
    ("-std", true),
    ("-MD", false),
    ("-MF", true),
];

/// The arguments of this process, spelled in one way.
pub fn arguments() -> Vec<OsString> {
    let mut is_option = true;
    let spelled = std::env::args_os().map(|argument| {
        // What follows belongs to the program.
        is_option &= argument != "--";
        match argument.to_str() {
            Some(text) if is_option => spelled(text).map_or(argument, OsString::from),
            _ => argument,
        }
    });
    spelled.collect()
}

/// An argument with two dashes, if it is spelled with one.
fn spelled(argument: &str) -> Option<String> {
    let split = |(name, has_value): &(&str, bool)| {
        let value = argument.strip_prefix(name)?;
        let value = value.strip_prefix('=').unwrap_or(value);
        match value.is_empty() {
            true => Some(format!("-{name}")),
            false => has_value.then(|| format!("-{name}={value}")),
        }
    };
    ONE_DASH.iter().find_map(split)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_dash_becomes_two() {
        for (argument, expected) in [
            ("-include", Some("--include")),
            ("-includedefs.h", Some("--include=defs.h")),
            ("-isystem/opt", Some("--isystem=/opt")),
            ("-iquote", Some("--iquote")),
            ("-std=gnu99", Some("--std=gnu99")),
            ("-MD", Some("--MD")),
            ("-MFa.d", Some("--MF=a.d")),
            ("-MDx", None),
            ("--include", None),
            ("-Iinclude", None),
        ] {
            assert_eq!(spelled(argument).as_deref(), expected, "{argument}");
        }
    }
}
