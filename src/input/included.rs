//! Files that a program includes for their functions, `#include "solver.c"`: their text takes the place
//! of the directive, so that loops in them are loops of the program.

use super::{InputOptions, modern, unreadable};
use crate::render::Failure;
use crate::{files, preprocessor, stencils};
use hexcc_compiler::csource;
use hexcc_compiler::scop::{Piece, SourceFile};
use std::path::{Path, PathBuf};

/// Files in files, at most.
const DEEPEST: usize = 8;

/// A C file, with files that it includes for their functions.
pub fn read(path: &Path, options: &InputOptions) -> Result<SourceFile, Failure> {
    let text = stencils::as_c(path, files::text(path).map_err(|e| unreadable(path, &e))?)?;
    let mut search = Search {
        include_dirs: &options.include_dirs,
        main: path,
        seen: vec![path.to_path_buf()],
        pieces: preprocessor::pieces(path, options),
    };
    search.take(path, &modern(text), 0);
    Ok(SourceFile::of_pieces(search.pieces))
}

/// The search for files whose text is taken.
struct Search<'a> {
    include_dirs: &'a [PathBuf],
    main: &'a Path,
    seen: Vec<PathBuf>,
    pieces: Vec<Piece>,
}

impl Search<'_> {
    /// Adds the pieces of a file.
    fn take(&mut self, path: &Path, text: &str, depth: usize) {
        let mut from = 0;
        for (directive, name) in csource::places_of_quoted_includes(text) {
            if depth < DEEPEST
                && let Some((inner, inside)) = self.find(path, &name)
            {
                self.add(path, text, from..directive.start);
                self.take(&inner, &inside, depth + 1);
                from = directive.end;
            }
        }
        self.add(path, text, from..text.len());
    }

    fn add(&mut self, path: &Path, text: &str, range: std::ops::Range<usize>) {
        self.pieces.push(Piece {
            path: path.display().to_string(),
            text: text.to_string(),
            range,
        });
    }

    /// The file of a name, if its text can be taken and was not before.
    fn find(&mut self, includer: &Path, name: &str) -> Option<(PathBuf, String)> {
        let beside = includer.parent().map(Path::to_path_buf).into_iter();
        let mut places = beside.chain(self.include_dirs.iter().cloned());
        let file = places.find_map(|d| Some(d.join(name)).filter(|file| file.is_file()))?;
        if self.seen.contains(&file) {
            return None;
        }
        let text = modern(files::text(&file).ok()?);
        let has_functions = csource::functions(&text)
            .iter()
            .any(|f| csource::has_loop(&text[f.body.clone()]));
        // Names of files in it would be looked for beside the program.
        let stays_beside = file.parent() == self.main.parent();
        let finds_all = stays_beside || csource::quoted_includes(&text).is_empty();
        // Loops of a header are rarely those of the program.
        let is_source = file.extension().is_some_and(|e| e == "c");
        let is_same_there = ["__FILE__", "__LINE__", "__INCLUDE_LEVEL__", "pragma once"]
            .iter()
            .all(|word| !text.contains(word));
        if !is_source || !has_functions || !finds_all || !is_same_there {
            return None;
        }
        self.seen.push(file.clone());
        Some((file, text))
    }
}
