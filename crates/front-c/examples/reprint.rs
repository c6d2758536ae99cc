//! Prints C files as the front end has read them, each beside it as `NAME.again.c` in the folder of the first argument.

use std::path::{Path, PathBuf};
use std::time::Instant;

use hexcc_clang::{Clang, ParseRequest, parse};

fn main() {
    let mut arguments = std::env::args().skip(1).map(PathBuf::from);
    let Some(folder) = arguments.next() else {
        eprintln!("usage: reprint FOLDER FILE..");
        return;
    };
    let vendor = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vendor");
    let begin = Instant::now();
    let clang = match Clang::find(&vendor) {
        Ok(clang) => clang,
        Err(e) => return eprintln!("reprint: {e}"),
    };
    eprintln!("loaded in {:.1} ms", begin.elapsed().as_secs_f64() * 1e3);
    for file in arguments {
        let begin = Instant::now();
        let request = ParseRequest {
            file: file.clone(),
            ..ParseRequest::default()
        };
        let unit = match parse(&clang, &request) {
            Ok(unit) => unit,
            Err(e) => {
                eprintln!("{}: {e}", file.display());
                continue;
            }
        };
        let read = begin.elapsed();
        for message in unit.messages.iter().filter(|_| unit.has_errors()) {
            eprintln!(
                "{}: {:?}: {}",
                file.display(),
                message.severity,
                message.text
            );
        }
        for unknown in &unit.unknown {
            eprintln!(
                "{}: unknown {}: {}",
                file.display(),
                unknown.name,
                unit.text(unknown.span)
            );
        }
        let text = hexcc_front_c::emit::unit(&unit);
        let all = begin.elapsed();
        eprintln!(
            "{}: {:.1} ms, printed in {:.1} ms",
            file.display(),
            read.as_secs_f64() * 1e3,
            (all - read).as_secs_f64() * 1e3
        );
        let stem = file
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if let Err(e) = std::fs::write(folder.join(stem + ".again.c"), text) {
            eprintln!("{}: {e}", file.display());
        }
    }
}
