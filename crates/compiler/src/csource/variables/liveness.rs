//! Whether a value that a region leaves in a variable is read before the variable is written again.

use super::{Place, Scope, is_address, macro_mentions};
use crate::csource::{
    Code, Token, TokenKind, conditional_ranges, directive_words, is_declaration, statement_end,
    statements,
};
use std::ops::Range;

/// Whether nothing outside of a region of a function sees the value that the region leaves in a
/// variable. The variable belongs to a call of the function, and no code that can run after the
/// region mentions it, or all of it writes another value first; nor does any macro mention it, nor
/// does anything take its address.
pub fn is_dead_outside(text: &str, name: &str, region: Range<usize>) -> bool {
    let code = Code::new(text);
    let Some(scope) = Scope::new(&code, region.start) else {
        return false;
    };
    let Some(declarator) = scope.declarator(name) else {
        return false;
    };
    if declarator.place != Place::Call || macro_mentions(&code, name) {
        return false;
    }
    let declared_at = code
        .tokens
        .partition_point(|t| t.span.end <= declarator.range.end);
    let first = code.tokens.partition_point(|t| t.span.start < region.start);
    let after = code.tokens.partition_point(|t| t.span.start < region.end);
    let body = scope.body.clone();
    // What runs again after the region: the loops around it.
    let again = match body.clone().any(|at| code.word(at) == "goto") {
        true => declared_at,
        false => (declared_at.max(body.start)..first)
            .find(|&at| {
                matches!(code.word(at), "for" | "while" | "do")
                    && statement_end(&code, at, body.end) > first
            })
            .unwrap_or(first),
    };
    let mentioned = |range: Range<usize>| {
        range
            .into_iter()
            .any(|at| code.is_ident(at) && code.word(at) == name)
    };
    let address_taken =
        (body.start..first).any(|at| code.word(at) == name && at >= 2 && is_address(&code, at));
    if !mentioned(again.min(first)..first) && !mentioned(after..body.end) {
        return !address_taken;
    }
    let is_address_there = |at| code.word(at) == name && is_address(&code, at);
    let life = Life {
        code: &code,
        name,
        region: first..after,
    };
    !address_taken && !(after..body.end).any(is_address_there) && life.ends(body)
}

/// Levels of statements that are looked into.
const DEEPEST: usize = 40;

/// What a statement does with the value that a variable has before it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// It may read it.
    Read,
    /// It writes another one, whatever happens, before it reads any.
    Gone,
    /// It does neither; the value may still be there.
    Kept,
}

/// Whether a token is a directive other than a pragma.
fn is_branch(code: &Code, token: &Token) -> bool {
    let word = directive_words(&code.text[token.span.clone()]).next();
    token.kind == TokenKind::Directive && word != Some("pragma")
}

/// The life of a variable's value.
struct Life<'a> {
    code: &'a Code<'a>,
    name: &'a str,
    /// The tokens of the region that leaves the value.
    region: Range<usize>,
}

impl Life<'_> {
    /// Whether nothing in a function's body reads the value that the region leaves, a local variable's
    /// whose address nobody has.
    fn ends(&self, body: Range<usize>) -> bool {
        let is_jump = |at: usize| matches!(self.code.word(at), "goto" | "asm" | "__asm__");
        let simple = !body.clone().any(is_jump) && self.has_whole_branches(&body);
        simple && self.behind(body, DEEPEST) != Fate::Read
    }

    /// Whether the preprocessor leaves out whole statements, if any.
    fn has_whole_branches(&self, body: &Range<usize>) -> bool {
        let code = self.code;
        let bytes = code.bytes(body.clone());
        let is_inside =
            |token: &&Token| bytes.contains(&token.span.start) && is_branch(code, token);
        let mut levels = Vec::new();
        for token in code.all.iter().filter(is_inside) {
            let next = code
                .tokens
                .partition_point(|t| t.span.start < token.span.start);
            let words = (body.start..next).map(|at| code.word(at));
            let level = words.fold(0, |level, word| match word {
                "{" => level + 1,
                "}" => level - 1,
                _ => level,
            });
            let divides =
                !matches!(code.word(next - 1), ";" | "{" | "}") || code.word(next) == "else";
            let is_at_start = match directive_words(&code.text[token.span.clone()]).next() {
                Some("if" | "ifdef" | "ifndef") => {
                    levels.push(level);
                    true
                }
                Some("elif" | "else") => levels.last() == Some(&level),
                Some("endif") => levels.pop() == Some(level),
                _ => false,
            };
            if divides || !is_at_start {
                return false;
            }
        }
        levels.is_empty()
    }

    fn mentions(&self, tokens: Range<usize>) -> bool {
        let is_name = |at: usize| self.code.is_ident(at) && self.code.word(at) == self.name;
        tokens.into_iter().any(is_name)
    }

    /// Whether tokens may leave a statement list, or go on at another place of a loop.
    fn leaves(&self, tokens: Range<usize>) -> bool {
        let jumps = ["break", "continue", "return", "switch"];
        tokens
            .into_iter()
            .any(|at| jumps.contains(&self.code.word(at)))
    }

    /// What happens to the value from the end of the region to the end of a list of statements that
    /// the region is in.
    fn behind(&self, list: Range<usize>, depth: usize) -> Fate {
        let is_around = |s: &Range<usize>| s.start < self.region.start && self.region.start < s.end;
        let around = statements(self.code, list.clone()).find(is_around);
        let Some(around) = around else {
            return self.through(self.region.end.max(list.start)..list.end, false, depth);
        };
        let inner = match depth.checked_sub(1) {
            Some(depth) => self.around(&around, depth),
            None => Fate::Read,
        };
        match inner {
            Fate::Kept => self.through(around.end..list.end, false, depth),
            // Where the statement can be left early, the value may still be there behind it.
            Fate::Gone if self.leaves(around.clone()) => {
                self.through(around.end..list.end, true, depth)
            }
            inner => inner,
        }
    }

    /// The same within one statement, and from the beginning of a loop once more.
    fn around(&self, statement: &Range<usize>, depth: usize) -> Fate {
        let code = self.code;
        let (start, end) = (statement.start, statement.end);
        match code.word(start) {
            "{" => self.behind(start + 1..end - 1, depth),
            "for" | "while" if code.opens(start + 1, "(") => {
                let body = code.skip(start + 1)..end;
                self.again(
                    self.behind(body.clone(), depth),
                    start + 2..body.start,
                    body,
                    depth,
                )
            }
            "do" => {
                let body_end = statement_end(code, start + 1, end);
                let body = start + 1..body_end;
                self.again(self.behind(body.clone(), depth), body_end..end, body, depth)
            }
            "if" if code.opens(start + 1, "(") => {
                let then = code.skip(start + 1);
                let otherwise = statement_end(code, then, end);
                match self.region.start < otherwise {
                    true => self.behind(then..otherwise, depth),
                    false => self.behind(otherwise + 1..end, depth),
                }
            }
            _ => Fate::Read,
        }
    }

    /// What the next iterations of a loop do with the value, after its fate in the first.
    fn again(&self, first: Fate, header: Range<usize>, body: Range<usize>, depth: usize) -> Fate {
        if first == Fate::Read || first == Fate::Gone && !self.leaves(body.clone()) {
            return first;
        }
        if self.mentions(header) || self.through(body, false, depth) == Fate::Read {
            return Fate::Read;
        }
        // After the last iteration, it may be there.
        Fate::Kept
    }

    /// The fate in a list of statements, from its begin; `left` if some of them may be passed by.
    fn through(&self, list: Range<usize>, mut left: bool, depth: usize) -> Fate {
        let mut safe_until = list.start;
        for statement in statements(self.code, list.clone()) {
            if statement.start < safe_until {
                continue;
            }
            match self.of(statement.clone(), depth) {
                Fate::Read => return Fate::Read,
                Fate::Gone
                    if self.may_be_left_out(statement.start, list.start.saturating_sub(1)) =>
                {
                    safe_until = self.branch_end(statement.start);
                }
                Fate::Gone if !left => return Fate::Gone,
                // What follows is safe; where a jump leads, the value may be there.
                Fate::Gone => return Fate::Kept,
                Fate::Kept => {}
            }
            left |= self.leaves(statement);
        }
        Fate::Kept
    }

    /// The fate in a statement.
    fn of(&self, s: Range<usize>, depth: usize) -> Fate {
        let code = self.code;
        let Some(depth) = depth.checked_sub(1) else {
            return Fate::Read;
        };
        if !self.mentions(s.clone()) {
            return Fate::Kept;
        }
        match code.word(s.start) {
            "{" => self.through(s.start + 1..s.end - 1, false, depth),
            "for" if code.opens(s.start + 1, "(") => self.of_for(s, depth),
            "while" if code.opens(s.start + 1, "(") => {
                let body = code.skip(s.start + 1);
                let is_read = self.mentions(s.start + 2..body)
                    || self.through(body..s.end, false, depth) == Fate::Read;
                if is_read { Fate::Read } else { Fate::Kept }
            }
            "if" if code.opens(s.start + 1, "(") => {
                let then = code.skip(s.start + 1);
                let otherwise = statement_end(code, then, s.end);
                if self.mentions(s.start + 2..then) {
                    return Fate::Read;
                }
                let fates = [
                    self.through(then..otherwise, false, depth),
                    self.through((otherwise + 1).min(s.end)..s.end, false, depth),
                ];
                match fates {
                    [Fate::Read, _] | [_, Fate::Read] => Fate::Read,
                    [Fate::Gone, Fate::Gone] => Fate::Gone,
                    _ => Fate::Kept,
                }
            }
            "do" | "switch" | "case" | "default" => Fate::Read,
            _ => self.of_simple(s),
        }
    }

    /// The fate in a loop that sets its iterator, tests it, and adds to it.
    fn of_for(&self, s: Range<usize>, depth: usize) -> Fate {
        let code = self.code;
        let body = code.skip(s.start + 1);
        let Some(first) = (s.start + 2..body).find(|&at| code.word(at) == ";") else {
            return Fate::Read;
        };
        let init = s.start + 2..first;
        if self.mentions(init.clone()) {
            return self.of_simple(init);
        }
        let is_read =
            self.mentions(first..body) || self.through(body..s.end, false, depth) == Fate::Read;
        if is_read { Fate::Read } else { Fate::Kept }
    }

    /// `x = ..` without the variable in the value is the end of the value before.
    fn of_simple(&self, s: Range<usize>) -> Fate {
        let code = self.code;
        let writes = code.word(s.start) == self.name
            && code.word(s.start + 1) == "="
            && !is_declaration(code, s.start..s.start + 1)
            && !self.mentions(s.start + 2..s.end);
        if writes { Fate::Gone } else { Fate::Read }
    }

    /// Whether the preprocessor may leave out a token where it keeps another one before it.
    fn may_be_left_out(&self, at: usize, kept: usize) -> bool {
        let byte = |token: usize| self.code.tokens[token].span.start;
        let same_branch = self.branch_end(kept) == self.branch_end(at);
        let mut ranges = conditional_ranges(self.code).into_iter();
        ranges.any(|r| r.contains(&byte(at)) && !(r.contains(&byte(kept)) && same_branch))
    }

    /// The first token behind the next directive that ends or begins what the preprocessor may leave out.
    fn branch_end(&self, at: usize) -> usize {
        let code = self.code;
        let start = code.tokens[at].span.start;
        let mut branches = code.all.iter().filter(|token| is_branch(code, token));
        let next = branches.find(|token| token.span.start > start);
        let byte = next.map_or(code.text.len(), |token| token.span.start);
        code.tokens.partition_point(|t| t.span.start < byte)
    }
}

#[cfg(test)]
mod tests {
    use super::is_dead_outside;

    #[test]
    fn values_end_where_others_are_written() {
        let f = |rest: &str| {
            let text = format!("void f(int n) {{ double x; {rest} }}");
            let start = text.find("REGION").map(|at| at..at + "REGION;".len());
            is_dead_outside(&text, "x", start.expect("a region"))
        };
        for dead in [
            "REGION; x = 3; g(x);",
            "for (;;) { x = 1; g(x); REGION; }",
            "for (int t = 0; t < n; t++) { REGION; for (int i = 0; i < n; i++) { x = i; g(x); } }",
            "while (n--) { if (n) { x = 2; g(x); } else { x = 1; } REGION; h(); }",
            "do { REGION; x = n; } while (x > 2);",
            "REGION; for (x = 0; x < 3; x++) g(x);",
            "for (;;) { REGION;\n#ifdef A\nx = 1; g(x);\n#endif\nif (n) h(); }",
            "REGION;\n#ifdef A\nh();\n#else\nx = 2; g(x);\n#endif\nx = 1; g(x);",
            "for (;;) { REGION; if (n) break; x = 1; g(x); }",
        ] {
            assert!(f(dead), "{dead}");
        }
        for alive in [
            "REGION; g(x);",
            "for (;;) { g(x); REGION; }",
            "REGION; if (n) x = 1; g(x);",
            "REGION;\n#ifdef A\nx = 1;\n#endif\ng(x);",
            "REGION; if (n)\n#ifdef A\nh();\n#endif\nx = 1; g(x);",
            "REGION;\n#ifdef A\n{\n#endif\nx = 1; g(x); }",
            "REGION; for (int i = 0; i < n; i++) x = i; g(x);",
            "REGION; x += 1;",
            "REGION; x = x + 1;",
            "for (;;) { REGION; if (n) break; x = 1; } g(x);",
            "for (;;) { for (;;) { if (n) continue; x = 1; break; } g(x); REGION; }",
            "double *p = &x; REGION; x = 1; g(*p);",
            "REGION; { double y = x; x = 1; }",
            "REGION; switch (n) { case 1: x = 1; } g(x);",
            "again: g(x); REGION; if (n) goto again;",
            "do { if (x) h(); REGION; } while (n);",
            "for (; x < 3; ) { REGION; }",
        ] {
            assert!(!f(alive), "{alive}");
        }
    }
}
