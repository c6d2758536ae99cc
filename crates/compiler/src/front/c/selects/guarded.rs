//! Variables that are declared under a condition on data: `double d = a[i];` becomes
//! `double d = holds ? (a[i]) : 0;`, so that nothing is read where the condition does not hold.

use super::{NOTHING, Rewriter, outside_brackets};
use std::ops::Range;

impl Rewriter<'_> {
    /// A declaration under a condition, whose values are computed where that holds.
    pub(super) fn guarded_values(&mut self, tokens: &Range<usize>, under: &str) {
        let code = self.code;
        let ends: Vec<usize> = outside_brackets(code, tokens)
            .filter(|&at| matches!(code.word(at), "=" | "," | ";"))
            .collect();
        for pair in ends.windows(2) {
            let value = pair[0] + 1..pair[1];
            if code.word(pair[0]) != "=" || value.is_empty() {
                continue;
            }
            let start = self.start(&value);
            self.copy_to(start);
            self.insert(start, &format!("{under} ? ("));
            self.copy_to(self.end(&value));
            self.insert(self.end(&value), &format!(") : {NOTHING}"));
        }
    }
}
