//! Writing results: whole files or nothing.

use crate::render::Failure;
use hexcc_compiler::diag::Diagnostic;
use std::io::Write;
use std::path::Path;

/// Writes a text to a file, atomically, or to the standard output for `-`.
pub fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let failed = |error: std::io::Error| {
        // tempfile adds the name of the temporary file, which says nothing to a user.
        let error = error.to_string();
        let error = error.split(" at path ").next().unwrap_or_default();
        Failure::plain(Diagnostic::error(
            "HX0503",
            format!("cannot write `{}`: {error}", path.display()),
        ))
    };
    if path == Path::new("-") {
        let mut out = std::io::stdout().lock();
        return match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
            Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => Err(failed(e)),
            _ => Ok(()),
        };
    }
    let is_special = std::fs::metadata(path).is_ok_and(|m| !m.is_file());
    if is_special {
        return std::fs::write(path, text).map_err(failed);
    }
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut file = tempfile::Builder::new()
        .prefix(".hexcc-")
        .tempfile_in(directory)
        .map_err(failed)?;
    file.write_all(text.as_bytes()).map_err(failed)?;
    set_permissions(file.as_file()).map_err(failed)?;
    file.persist(path).map_err(|e| failed(e.error))?;
    Ok(())
}

/// A temporary file is private; what replaces a user's file should not be.
fn set_permissions(file: &std::fs::File) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(std::fs::Permissions::from_mode(0o644))
}
