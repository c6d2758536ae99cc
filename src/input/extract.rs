//! Texts on their way through pet, and their places on the way back.

use super::{Reader, acted};
use hexcc_compiler::front::c::{self as front, Light, Reduced};
use hexcc_pet::data::{PetScop, Span};
use hexcc_pet::{ClangMessage, PetError, Request, Severity};
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

/// Blanks before a text that includes headers of the system, at least: more than one of these has bytes.
const MIN_LEAD: usize = 1 << 20;

/// A text, what it includes in place of headers, and the function of it that pet is to look in.
type TextAndFunction = (String, Option<Light>, Option<String>);

thread_local! {
    /// What pet has made of texts: forms of a loop differ in what most of the others are made of.
    static EXTRACTED: RefCell<HashMap<TextAndFunction, Result<PetScop, PetError>>> = RefCell::default();
}

impl Reader<'_> {
    /// Runs pet on a text and leads its places back to the user's.
    pub(super) fn extract(
        &self,
        reduced: &Reduced,
        function: Option<&str>,
    ) -> Result<PetScop, PetError> {
        let light = self.light(&reduced.text);
        let (light, extracted) = match self.extract_as_is(&reduced.text, light.as_ref(), function) {
            Err(PetError::Syntax { messages }) if light.is_some() && may_miss(&messages) => {
                (None, self.extract_as_is(&reduced.text, None, function)?)
            }
            extracted => (light, extracted?),
        };
        let lead = self.lead(&reduced.text, light.as_ref());
        let words = isl_words(&extracted);
        if let Some(word) = words.first().cloned() {
            self.words.borrow_mut().extend(words);
            return Err(PetError::ReservedName(word));
        }
        let mut scop = self.with_own_places(extracted, reduced, lead);
        scop.as_read.text.clone_from(&reduced.text);
        acted(&mut scop, reduced);
        Ok(scop)
    }

    /// Files in place of headers of the system that a text includes, where the user has none of these
    /// names.
    pub(super) fn light(&self, text: &str) -> Option<Light> {
        let light = front::light(text, &self.headers)?;
        let is_own = |(name, _): &(String, String)| {
            let mut dirs = self.options.include_dirs.iter();
            dirs.any(|dir| dir.join(name).is_file())
        };
        (!light.files.iter().any(is_own)).then_some(light)
    }

    /// What pet makes of a text, with files in place of headers, once it has made something of it; its
    /// places count from the blanks before it.
    fn extract_as_is(
        &self,
        text: &str,
        light: Option<&Light>,
        function: Option<&str>,
    ) -> Result<PetScop, PetError> {
        let key = (
            text.to_string(),
            light.cloned(),
            function.map(str::to_string),
        );
        let known = EXTRACTED.with_borrow(|known| known.get(&key).cloned());
        known.unwrap_or_else(|| {
            let blanks = " ".repeat(self.lead(text, light));
            let extracted = self.extract_text(&(blanks + text), light, function);
            // An attempt has less time than what comes behind it.
            if !matches!(extracted, Err(PetError::TimedOut { .. })) {
                EXTRACTED.with_borrow_mut(|known| known.insert(key, extracted.clone()));
            }
            extracted
        })
    }

    /// Runs pet on a text.
    fn extract_text(
        &self,
        text: &str,
        light: Option<&Light>,
        function: Option<&str>,
    ) -> Result<PetScop, PetError> {
        let failed = |e: std::io::Error| PetError::Protocol(format!("temporary file: {e}"));
        let folder = tempfile::tempdir().map_err(failed)?;
        let name = self.options.file.file_name().unwrap_or("input.c".as_ref());
        let file = folder.path().join(name);
        std::fs::write(&file, text).map_err(failed)?;
        let request = Request {
            file,
            function: function.map(str::to_string),
            include_dirs: (self.include_dirs(folder.path(), light)).map_err(failed)?,
            defines: self.options.defines.clone(),
            pet: self.pet.clone(),
        };
        hexcc_pet::extract(&self.exe, &request, self.limit.left()).map(|extraction| extraction.scop)
    }

    /// Where headers are, with files in place of some in a folder.
    pub(super) fn include_dirs(
        &self,
        folder: &Path,
        light: Option<&Light>,
    ) -> std::io::Result<Vec<PathBuf>> {
        let headers = folder.join("hexcc_headers");
        for (name, text) in light.into_iter().flat_map(|light| &light.files) {
            let path = headers.join(name);
            std::fs::create_dir_all(path.parent().unwrap_or(&headers))?;
            std::fs::write(path, text)?;
        }
        let own = light.map(|_| headers).into_iter();
        Ok(own
            .chain(self.options.include_dirs.iter().cloned())
            .collect())
    }

    /// How many blanks to put before a text, with files in place of headers. pet gives places as
    /// offsets and does not say of which file: those in any file but the user's are in the blanks.
    fn lead(&self, text: &str, light: Option<&Light>) -> usize {
        let mut texts = (self.headers.iter().map(String::as_str)).chain([text]);
        let is_light = light.is_some_and(|light| light.is_all);
        let of_system = match !is_light && texts.any(front::includes_system) {
            true => MIN_LEAD,
            false => 0,
        };
        let files = light.iter().flat_map(|light| &light.files);
        let lengths = self.headers.iter().map(String::len);
        let longest = lengths.chain(files.map(|(_, text)| text.len())).max();
        longest.unwrap_or(0).max(of_system) + 1
    }

    /// The scop with places of the user's text, of which pet has read a reduced one behind `lead`
    /// blanks. A statement that stands elsewhere, such as in a header, is where the region begins.
    pub(super) fn with_own_places(
        &self,
        mut scop: PetScop,
        reduced: &Reduced,
        lead: usize,
    ) -> PetScop {
        let own = |span: Span| {
            let read = span.start.saturating_sub(lead)..span.end.saturating_sub(lead);
            Span::from(reduced.original_range(read))
        };
        scop.span = own(scop.span);
        for stmt in &mut scop.stmts {
            if lead <= stmt.span.start && stmt.span.start < stmt.span.end {
                stmt.span = own(stmt.span);
            } else {
                stmt.span.start = scop.span.start;
                stmt.span.end = scop.span.start;
            }
            stmt.line = self.line(stmt.span.start);
        }
        scop
    }
}

/// Whether declarations may be all that clang misses, or that it has twice.
fn may_miss(messages: &[ClangMessage]) -> bool {
    const SAID: &str = "undeclared,unknown type name,incomplete,conflicting types,redefinition";
    let mut errors = messages.iter().filter(|m| m.severity == Severity::Error);
    errors.any(|m| SAID.split(',').any(|said| m.text.contains(said)))
}

/// Iterators and parameters of a scop that are named like words of isl's notation: what isl has
/// written cannot be read again.
fn isl_words(scop: &PetScop) -> BTreeSet<String> {
    let domains = scop.stmts.iter().map(|s| s.domain.as_str());
    let texts = domains.chain([scop.context.as_str(), scop.schedule.as_str()]);
    (texts.flat_map(hexcc_isl::tuple_names))
        .filter(|name| hexcc_isl::is_keyword(name))
        .map(str::to_string)
        .collect()
}
