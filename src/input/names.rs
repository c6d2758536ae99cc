//! What names mean is settled before anything else is read: macros of headers and of the command line are
//! known as those of the file are, and no local variable hides what a called function uses.

use super::{InputOptions, headers};
use crate::render::Failure;
use hexcc_compiler::csource;
use hexcc_compiler::diag::Diagnostic;
use hexcc_compiler::scop::SourceFile;

/// The file with names that mean one thing where calls become part of the code around them.
pub(super) fn settled(options: &InputOptions, source: SourceFile) -> Result<SourceFile, Failure> {
    let source = with_macros(options, source);
    match csource::without_hidden(&source.text) {
        Ok(edits) if edits.is_empty() => Ok(source),
        Ok(edits) => Ok(source.edited(edits).unwrap_or(source)),
        Err(hiding) => Err(Failure {
            diagnostics: vec![hidden(&hiding)],
            source: Some(Box::new(source)),
        }),
    }
}

/// The file, with macros behind it that headers and the command line define and that name what the file names.
fn with_macros(options: &InputOptions, mut source: SourceFile) -> SourceFile {
    let mut texts = headers(options, &source.text);
    texts.extend(options.defines.iter().map(|define| {
        let (name, value) = define.split_once('=').unwrap_or((define, "1"));
        format!("#define {name} {value}")
    }));
    for text in texts {
        let wanted = csource::macros_that_name(&text, &source.text);
        for directive in wanted {
            source.push("a header or the command line", &text, directive);
        }
    }
    source
}

fn hidden(hiding: &csource::Hiding) -> Diagnostic {
    let (name, function) = (&hiding.name, &hiding.used_in);
    Diagnostic::error(
        "HX0120",
        format!("this `{name}` hides the `{name}` that `{function}` uses, and a macro names it"),
    )
    .at(hiding.declared.clone(), "hides a variable that a called function uses")
    .note(format!("a called function becomes part of its caller, where a name means one variable; hexcc cannot rename `{name}` in a macro"))
    .help(format!("give this `{name}` another name, in the macro, too"))
}
