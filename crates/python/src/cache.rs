//! Machine code that was compiled before, in files.

use hexcc_gpu::Binary;
use hexcc_tuner::launch::Cache;
use hexcc_tuner::{Text, VERSION, files, hash};
use std::path::PathBuf;

/// A folder with one file a kernel. A file begins with all that the code was compiled from, which is compared.
pub struct Folder(pub PathBuf);

impl Folder {
    fn head(text: &Text, arch: &str) -> String {
        let names = text.names.join(" ");
        format!(
            "{VERSION}\n{arch}\n{names}\n{:?}\n{}\0",
            text.flags, text.text
        )
    }

    fn place(&self, head: &str) -> PathBuf {
        self.0.join(format!("{:016x}.cubin", hash::fnv(head)))
    }
}

impl Cache for Folder {
    fn find(&self, text: &Text, arch: &str) -> Option<Binary> {
        let head = Folder::head(text, arch);
        let bytes = std::fs::read(self.place(&head)).ok()?;
        let rest = bytes.strip_prefix(head.as_bytes())?;
        let end = rest.iter().position(|b| *b == 0)?;
        let names = std::str::from_utf8(&rest[..end]).ok()?;
        Some(Binary {
            image: rest[end + 1..].to_vec(),
            names: names.split(' ').map(String::from).collect(),
        })
    }

    fn keep(&self, text: &Text, arch: &str, binary: &Binary) {
        let head = Folder::head(text, arch);
        let mut bytes = head.clone().into_bytes();
        bytes.extend(binary.names.join(" ").bytes());
        bytes.push(0);
        bytes.extend(&binary.image);
        // Without it, the next process compiles again.
        let _ = files::replace(&self.place(&head), &bytes);
    }
}
