//! From clang's tree to ours.

mod decls;
mod exprs;
mod preprocessed;
mod stmts;
mod types;

use std::collections::HashMap;
use std::path::PathBuf;

use clang_sys::CXTypeKind;

use crate::ast::{
    DeclId, EnumId, ExpansionId, FieldId, File, FileId, FunctionId, Message, RecordId, Span,
    TypeId, Unit, Unknown,
};
use crate::native::{Cursor, Extent, Parsed, RawFile};
use crate::{ClangError, MAX_DEPTH};

type Result<T> = std::result::Result<T, ClangError>;

/// The unit of what was parsed.
pub fn unit(parsed: &Parsed<'_>) -> Result<Unit> {
    let mut importer = Importer {
        parsed,
        unit: Unit::default(),
        files: HashMap::new(),
        types: HashMap::new(),
        records: HashMap::new(),
        fields: HashMap::new(),
        enums: HashMap::new(),
        decls: HashMap::new(),
        functions: HashMap::new(),
        depth: 0,
        n_stmts: 0,
    };
    importer.all()?;
    Ok(importer.unit)
}

/// What was imported so far.
struct Importer<'p> {
    parsed: &'p Parsed<'p>,
    unit: Unit,
    files: HashMap<RawFile, FileId>,
    types: HashMap<(CXTypeKind, usize), TypeId>,
    records: HashMap<Cursor<'p>, RecordId>,
    fields: HashMap<Cursor<'p>, FieldId>,
    enums: HashMap<Cursor<'p>, EnumId>,
    decls: HashMap<Cursor<'p>, DeclId>,
    functions: HashMap<Cursor<'p>, FunctionId>,
    depth: usize,
    n_stmts: u32,
}

impl<'p> Importer<'p> {
    fn all(&mut self) -> Result<()> {
        let root = self.parsed.root();
        // The file that was asked for is the first one.
        if let Some(file) = root.extent().file {
            self.file(file);
        }
        let children = root.children();
        self.preprocessed(&children);
        for child in &children {
            if child.is_decl() && !child.is_in_system() && child.extent().file.is_some() {
                let items = self.declaration(*child)?;
                self.unit.items.extend(items);
            }
        }
        self.pragmas();
        for extent in self.parsed.skipped() {
            let is_own = extent.file.is_some_and(|file| !self.parsed.is_system(file));
            if is_own {
                let span = self.span_of(extent);
                self.unit.skipped.push(span);
            }
        }
        for remark in self.parsed.remarks() {
            let span = remark.at.file.is_some().then(|| self.span_of(remark.at));
            self.unit.messages.push(Message {
                severity: remark.severity,
                text: remark.text,
                span,
            });
        }
        Ok(())
    }

    fn file(&mut self, raw: RawFile) -> FileId {
        if let Some(id) = self.files.get(&raw) {
            return *id;
        }
        let is_system = self.parsed.is_system(raw);
        let id = FileId(self.unit.files.len() as u32);
        self.unit.files.push(File {
            path: PathBuf::from(self.parsed.file_name(raw)),
            text: if is_system {
                String::new()
            } else {
                self.parsed.file_text(raw)
            },
            is_system,
        });
        self.files.insert(raw, id);
        id
    }

    fn span(&mut self, cursor: Cursor<'p>) -> Span {
        self.span_of(cursor.extent())
    }

    fn span_of(&mut self, extent: Extent) -> Span {
        let Some(raw) = extent.file else {
            // What clang declares by itself is nowhere.
            return Span {
                file: FileId(0),
                start: 0,
                end: 0,
                expansion: None,
            };
        };
        let file = self.file(raw);
        let (start, end) = (extent.range.start, extent.range.end);
        Span {
            file,
            start,
            end,
            expansion: self.expansion(file, start, end),
        }
    }

    /// The use of a macro that a part of a file is in.
    fn expansion(&self, file: FileId, start: u32, end: u32) -> Option<ExpansionId> {
        // They are sorted and do not overlap.
        let all = &self.unit.expansions;
        let behind = all.partition_point(|e| (e.file, e.range.start) <= (file, start));
        let at = behind.checked_sub(1)?;
        let last = &all[at];
        let is_in = last.file == file && start < last.range.end;
        // What ends behind it only begins with it: a sum whose first term it is.
        (is_in && end <= last.range.end).then_some(ExpansionId(at as u32))
    }

    /// The use of a macro that a span begins with.
    fn expansion_at(&self, span: Span) -> Option<ExpansionId> {
        self.expansion(span.file, span.start, span.start)
    }

    fn unknown(&mut self, name: &'static str, span: Span) -> &'static str {
        self.unit.unknown.push(Unknown { name, span });
        name
    }

    /// Goes one level down.
    fn deeper<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth >= MAX_DEPTH {
            return Err(ClangError::TooDeep);
        }
        self.depth += 1;
        let result = work(self);
        self.depth -= 1;
        result
    }
}
