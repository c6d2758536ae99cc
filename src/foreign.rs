//! Texts that are not read as C programs: C++, and work that is divided among threads by their numbers.

use hexcc_compiler::csource;
use hexcc_compiler::diag::Diagnostic;
use hexcc_compiler::scop::SourceFile;
use std::ops::Range;
use std::path::Path;

/// The refusal of a file that has the name of a C++ file.
pub(crate) fn named_cplusplus(source: &SourceFile) -> Option<Diagnostic> {
    const EXTENSIONS: [&str; 10] = [
        "cpp", "cc", "cxx", "c++", "cp", "C", "hpp", "hh", "hxx", "cu",
    ];
    let extension = Path::new(&source.path).extension()?.to_str()?;
    EXTENSIONS
        .contains(&extension)
        .then(|| cplusplus(source, csource::first_cplusplus(&source.text)))
}

/// The refusal of work that is divided by numbers of threads without asking how many there are: pragmas of
/// OpenMP go from the file, and one thread alone would do its own part.
pub(crate) fn divided(source: &SourceFile) -> Option<Diagnostic> {
    let text = &source.text;
    let call = csource::first_call(text, "omp_get_thread_num")?;
    let asks = csource::first_call(text, "omp_get_num_threads").is_some();
    let is_compiled = !csource::is_conditional(text, call.start);
    (!asks && is_compiled && !csource::is_in_condition(text, call.start)).then(|| {
        Diagnostic::error(
            "HX0107",
            "work is divided among threads of OpenMP by their numbers",
        )
        .at(call, "the number of a thread")
        .note("pragmas of OpenMP are taken out, and one thread would do its part alone")
        .help("write loops over all of the work, with `#pragma omp for`")
    })
}

/// The refusal of C++, with the first place of it that is no C.
pub(crate) fn cplusplus(source: &SourceFile, place: Option<Range<usize>>) -> Diagnostic {
    let path = &source.path;
    let d = Diagnostic::error("HX0115", format!("`{path}` is C++, and hexcc reads C"));
    let d = match place {
        Some(place) => d.at(place, "not C"),
        None => d
            .note("its name says so; the same text can compute something else in C++, where `sqrt` of a float is another function")
            .help("if it is meant as C, give it a name that ends in `.c`"),
    };
    d.help("put the time loop into a C file of its own: its translation is C++, whose functions the other files can call")
}
