//! What comments say of statements: where they are in the source, and how they are written there.

use super::Lowering;
use crate::back::text::truncate;
use crate::scop::Statement;
use crate::tiling::stepwise::Step;
use std::collections::BTreeSet;

/// Characters of a statement in a comment.
const MOST_TEXT: usize = 100;

impl Lowering<'_> {
    /// The comment before a statement.
    pub(super) fn comment(&self, stmt: &Statement) -> String {
        let text = self.source.text.get(stmt.span.clone()).unwrap_or("");
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        match stmt.lines {
            Some(lines) => format!("{}, {lines}: {}", stmt.name, truncate(&text, MOST_TEXT)),
            None => stmt.name.clone(),
        }
    }

    /// The lines of a step's statements, or their names where there are no lines.
    pub(super) fn lines(&self, step: &Step) -> String {
        let lines: BTreeSet<usize> = (step.stmts.iter())
            .map(|&s| &self.scop.stmts[s])
            .filter_map(|stmt| stmt.lines)
            .flat_map(|lines| [lines.first, lines.last])
            .collect();
        match (lines.first(), lines.last()) {
            (Some(first), Some(last)) if first < last => format!("Lines {first} to {last}"),
            (Some(line), _) => format!("Line {line}"),
            _ => {
                let names = step.stmts.iter().map(|&s| self.scop.stmts[s].name.as_str());
                names.collect::<Vec<_>>().join(", ")
            }
        }
    }
}
