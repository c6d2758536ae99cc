//! Prints the time loops of C files as the passes leave them.
#![allow(clippy::unwrap_used)]

use hexcc_clang::{Clang, ParseRequest, parse};
use std::path::Path;

fn main() {
    let vendor = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vendor");
    let clang = Clang::find(&vendor).unwrap();
    for file in std::env::args().skip(1) {
        let request = ParseRequest {
            file: file.clone().into(),
            ..ParseRequest::default()
        };
        let unit = parse(&clang, &request).unwrap();
        for found in hexcc_front_c::normalize::time_loops(&unit) {
            println!(
                "// {file} {} {}: {}\n{}",
                found.range.start,
                found.range.end,
                found.passes.join(", "),
                found.text
            );
        }
    }
}
