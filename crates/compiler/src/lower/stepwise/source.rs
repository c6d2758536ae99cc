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
        let place = match stmt.line < stmt.last_line {
            true => format!("lines {} to {}", stmt.line, stmt.last_line),
            false => format!("line {}", stmt.line),
        };
        format!("{}, {place}: {}", stmt.name, truncate(&text, MOST_TEXT))
    }

    /// The lines of a step's statements.
    pub(super) fn lines(&self, step: &Step) -> String {
        let lines: BTreeSet<usize> = (step.stmts.iter())
            .map(|&s| &self.scop.stmts[s])
            .flat_map(|stmt| [stmt.line, stmt.last_line])
            .collect();
        match (lines.first(), lines.last()) {
            (Some(first), Some(last)) if first < last => format!("Lines {first} to {last}"),
            (Some(line), _) => format!("Line {line}"),
            _ => "Nothing".to_string(),
        }
    }
}
