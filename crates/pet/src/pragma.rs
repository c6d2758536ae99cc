//! Finds the `#pragma scop` lines of a C file.

/// The lines (from 1) of the `#pragma scop` directives of `source`.
///
/// Comments and literals are skipped, conditional compilation is not evaluated.
pub fn scop_lines(source: &str) -> Vec<usize> {
    // There may be many blanks before a text, and no line ends in them.
    without_comments(source.trim_start_matches(' '))
        .lines()
        .enumerate()
        .filter(|(_, line)| {
            let mut words = line
                .trim_start()
                .strip_prefix('#')
                .unwrap_or("")
                .split_whitespace();
            words.next() == Some("pragma") && words.next() == Some("scop")
        })
        .map(|(index, _)| index + 1)
        .collect()
}

/// `source` with comments and the contents of literals turned into blanks, line
/// breaks kept.
fn without_comments(source: &str) -> String {
    #[derive(Clone, Copy)]
    enum State {
        Code,
        LineComment,
        BlockComment,
        Literal(char),
    }
    let mut state = State::Code;
    let mut out = String::with_capacity(source.len());
    let mut chars = source.chars().peekable();
    while let Some(c) = chars.next() {
        let next = chars.peek().copied();
        let mut shown = ' ';
        match (state, c) {
            (_, '\n') => {
                shown = '\n';
                if !matches!(state, State::BlockComment) {
                    state = State::Code;
                }
            }
            (State::Code, '/') if next == Some('/') => state = State::LineComment,
            (State::Code, '/') if next == Some('*') => {
                chars.next();
                state = State::BlockComment;
            }
            (State::Code, '"' | '\'') => state = State::Literal(c),
            (State::Code, _) => shown = c,
            (State::BlockComment, '*') if next == Some('/') => {
                chars.next();
                state = State::Code;
            }
            (State::Literal(_), '\\') if next.is_some_and(|n| n != '\n') => {
                chars.next();
            }
            (State::Literal(quote), _) if c == quote => state = State::Code,
            _ => {}
        }
        out.push(shown);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_directives_count() {
        let source = "\
// #pragma scop
/* text
#pragma scop
*/
#pragma scop
  #  pragma   scop // here
#pragma scoped
char *s = \"/*\\\"\";
#pragma endscop
char c = '\"';
/**/#pragma scop
";
        assert_eq!(scop_lines(source), [5, 6, 11]);
    }
}
