//! One extraction inside this process.

use std::{
    ffi::{CString, c_char, c_int},
    fs,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use serde::{Deserialize, Serialize};

use crate::{
    ClangMessage, PetError, PetPaths, Severity,
    capture::StderrCapture,
    convert::{self, Source},
    data::PetScop,
    error::parse_messages,
    ffi::{self, Owned, Pet},
    pragma,
};

/// What to extract.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// The C file.
    pub file: PathBuf,
    /// Extract from this function; otherwise from the first that has a scop.
    pub function: Option<String>,
    /// Directories for `#include`, searched before the system's.
    pub include_dirs: Vec<PathBuf>,
    /// Macros, as `NAME` or `NAME=VALUE`.
    pub defines: Vec<String>,
    /// The library, from [`crate::find_library`].
    pub pet: PetPaths,
}

/// What was extracted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Extraction {
    /// The scop; its spans are byte offsets into the file.
    pub scop: PetScop,
    /// What clang and pet remarked, none of it an error.
    pub warnings: Vec<ClangMessage>,
    /// Lines (from 1) of `#pragma scop` directives whose regions were not
    /// extracted: pet reads one scop per file, or one per named function.
    pub other_scops: Vec<usize>,
}

/// Extracts a scop in this process.
///
/// Calls are serialised. File descriptor 2 is redirected meanwhile, so what other
/// threads print to standard error may be lost. An assertion inside LLVM ends the
/// process: programs should prefer [`crate::extract`].
///
/// # Errors
///
/// Any [`PetError`] but `LibraryMissing`, `Crashed` and `TimedOut`.
pub fn extract_in_process(request: &Request) -> Result<Extraction, PetError> {
    // One extraction at a time, because of descriptor 2; a panic in an earlier
    // one left nothing behind that matters.
    static ALONE: Mutex<()> = Mutex::new(());
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);

    let broken = |error: std::io::Error| PetError::Protocol(format!("standard error: {error}"));
    let capture = StderrCapture::start().map_err(broken)?;
    let result = extract_uncaptured(request);
    let stderr = capture.finish().map_err(broken)?;
    with_messages(result, &stderr)
}

/// As [`extract_in_process`], but clang's messages go to standard error.
pub(crate) fn extract_uncaptured(request: &Request) -> Result<Extraction, PetError> {
    let source = read(&request.file)?;
    let pet = ffi::load(&request.pet.library)?;
    convert::verify_operators(pet)?;

    let pragmas = pragma::scop_lines(&source);
    let lines = Source::new(&source);
    // SAFETY: the library is loaded and its declarations are pet_api.h's; `scop`
    // is declared after `ctx` and so freed before it.
    let scop = unsafe {
        let ctx = context(pet, request, pragmas.is_empty())?;
        let file = c_string(request.file.as_os_str().as_bytes())?;
        let function = request
            .function
            .as_deref()
            .map(|name| c_string(name.as_bytes()))
            .transpose()?;
        let function = function
            .as_ref()
            .map_or(std::ptr::null(), |name| name.as_ptr());
        let scop = pet.pet_scop_extract_from_C_source(ctx.get(), file.as_ptr(), function);
        let Some(scop) = Owned::new(pet, scop) else {
            return Err(PetError::NoScop {
                has_pragma: !pragmas.is_empty(),
                messages: Vec::new(),
            });
        };
        convert::scop(pet, ctx.get(), scop.get(), &lines)?
    };

    // The pragma of the extracted region is the one inside its span.
    let first = lines.line(scop.span.start);
    let last = lines.line(scop.span.end);
    let other_scops = pragmas
        .into_iter()
        .filter(|line| *line < first || *line > last)
        .collect();
    Ok(Extraction {
        scop,
        warnings: Vec::new(),
        other_scops,
    })
}

/// Adds what was written to standard error to a result that lacks it, and turns a
/// result with errors among the messages into [`PetError::Syntax`].
pub(crate) fn with_messages(
    result: Result<Extraction, PetError>,
    stderr: &str,
) -> Result<Extraction, PetError> {
    let messages = parse_messages(stderr);
    let invalid = messages
        .iter()
        .any(|message| message.severity == Severity::Error);
    match result {
        Ok(_) | Err(PetError::NoScop { .. }) if invalid => Err(PetError::Syntax { messages }),
        Ok(extraction) => Ok(Extraction {
            warnings: messages,
            ..extraction
        }),
        Err(PetError::NoScop { has_pragma, .. }) => Err(PetError::NoScop {
            has_pragma,
            messages,
        }),
        Err(other) => Err(other),
    }
}

/// Reads the input first because pet aborts when it cannot.
fn read(path: &Path) -> Result<String, PetError> {
    let unreadable = |reason: String| PetError::FileNotReadable {
        path: path.to_owned(),
        reason,
    };
    let bytes = fs::read(path).map_err(|error| unreadable(error.to_string()))?;
    String::from_utf8(bytes).map_err(|error| {
        unreadable(format!(
            "not UTF-8 (byte {})",
            error.utf8_error().valid_up_to()
        ))
    })
}

/// A context with pet's options for `request`.
unsafe fn context<'p>(
    pet: &'p Pet,
    request: &Request,
    autodetect: bool,
) -> Result<Owned<'p, ffi::isl_ctx>, PetError> {
    // pet and clang take what follows -I and -D as it is, blanks included. An
    // option pet does not know would end the process, so nothing else goes here.
    let mut arguments = vec![c_string(b"pet")?];
    let dirs = request
        .include_dirs
        .iter()
        .chain(&request.pet.clang_include);
    for dir in dirs {
        arguments.push(c_string(&[b"-I", dir.as_os_str().as_bytes()].concat())?);
    }
    for define in &request.defines {
        arguments.push(c_string(&[b"-D", define.as_bytes()].concat())?);
    }
    let mut pointers: Vec<*mut c_char> = arguments
        .iter()
        .map(|argument| argument.as_ptr().cast_mut())
        .collect();
    let n = c_int::try_from(pointers.len())
        .map_err(|_| PetError::Protocol("too many include directories".to_owned()))?;
    pointers.push(std::ptr::null_mut());

    // SAFETY: argv has n strings and a NULL, which the parser reorders but does
    // not keep; the context takes the options.
    unsafe {
        let options = pet.pet_options_new_with_defaults();
        if options.is_null() {
            return Err(PetError::Protocol(
                "pet_options_new_with_defaults".to_owned(),
            ));
        }
        pet.pet_options_parse(options, n, pointers.as_mut_ptr(), 0);
        let ctx = pet.isl_ctx_alloc_with_options(pet.options_args(), options.cast());
        let ctx = Owned::new(pet, ctx)
            .ok_or_else(|| PetError::Protocol("isl_ctx_alloc_with_options".to_owned()))?;
        pet.isl_options_set_on_error(ctx.get(), ffi::ON_ERROR_CONTINUE);
        pet.pet_options_set_signed_overflow(ctx.get(), 1);
        pet.pet_options_set_autodetect(ctx.get(), c_int::from(autodetect));
        Ok(ctx)
    }
}

fn c_string(bytes: &[u8]) -> Result<CString, PetError> {
    CString::new(bytes)
        .map_err(|_| PetError::Protocol("a file name or a macro contains a NUL byte".to_owned()))
}
