//! Files that are there as a whole or not at all.

use std::io::{self, Write};
use std::path::Path;

/// Writes a file in one rename: whoever reads meanwhile finds the old content or the new one. What is
/// no plain file, such as `/dev/null`, is written to.
///
/// # Errors
/// Where the file or its folder cannot be written.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let is_special = std::fs::metadata(path).is_ok_and(|m| !m.is_file());
    if is_special {
        return std::fs::write(path, bytes);
    }
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut file = (tempfile::Builder::new().prefix(".hexcc-"))
        .tempfile_in(directory)
        .map_err(|e| without_name(&e))?;
    file.write_all(bytes).map_err(|e| without_name(&e))?;
    set_permissions(file.as_file())?;
    file.persist(path).map_err(|e| without_name(&e.error))?;
    Ok(())
}

/// tempfile adds the name of the temporary file, which says nothing to a user.
fn without_name(error: &io::Error) -> io::Error {
    let text = error.to_string();
    let text = text.split(" at path ").next().unwrap_or_default();
    io::Error::new(error.kind(), text)
}

/// A temporary file is private; what replaces a user's file should not be.
fn set_permissions(file: &std::fs::File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(std::fs::Permissions::from_mode(0o644))
}
