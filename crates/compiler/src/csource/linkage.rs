//! Functions that files of C and the translated one, which is C++, call of each other.

use super::{Code, Edit, TokenKind, file_scope, quoted_include};
use std::collections::BTreeSet;

/// Functions that headers of C++ declare, although C's do not unless they are asked to. One of the
/// program's with such a name is another function, whose parameters tell them apart.
const OF_CPLUSPLUS: [&str; 14] = [
    "dup", "gamma", "index", "j0", "j1", "jn", "link", "pipe", "rindex", "scalb", "y0", "y1", "yn",
    "div",
];

/// Whether a file is one of several: it has no `main`, includes headers of the program, or declares
/// functions, with their parameters, that it does not define.
pub fn has_other_files(text: &str) -> bool {
    let code = Code::new(text);
    let functions = file_scope(&code).functions;
    let defined: BTreeSet<&str> = (functions.iter().filter(|f| f.body.is_some()))
        .map(|f| code.word(f.name))
        .collect();
    let is_elsewhere = |name: usize, params: usize| {
        !defined.contains(code.word(name)) && code.skip(params) > params + 2
    };
    let directives = (code.all.iter()).filter(|token| token.kind == TokenKind::Directive);
    let mut directives = directives.map(|token| &text[token.span.clone()]);
    !defined.contains("main")
        || functions
            .iter()
            .any(|f| f.body.is_none() && is_elsewhere(f.name, f.params))
        || directives.any(|directive| quoted_include(directive).is_some())
}

/// Gives functions that other files can name the linkage of C, also those that headers of the program
/// declare. `declared` are edits that declare functions of the file.
pub fn c_linkage(text: &str, declared: &mut [Edit]) -> Vec<Edit> {
    let code = Code::new(text);
    for edit in declared.iter_mut() {
        let lines = edit.replacement.split_inclusive('\n');
        edit.replacement = lines.map(with_linkage).collect();
    }
    let mut edits = Vec::new();
    for item in super::items(&code) {
        let name = item.tokens.clone().find(|&at| code.opens(at + 1, "("));
        let Some(name) = name.filter(|_| item.is_function) else {
            continue;
        };
        let head = item.tokens.clone().take_while(|&at| !code.opens(at, "{"));
        let is_static = head.clone().any(|at| code.word(at) == "static");
        let is_other = |at: usize| OF_CPLUSPLUS.contains(&code.word(at)) && code.opens(at + 1, "(");
        let has_own = (code.tokens.get(item.tokens.start + 1))
            .is_some_and(|token| token.kind == TokenKind::Str);
        if code.word(name) == "main" || is_static || has_own || head.clone().any(is_other) {
            continue;
        }
        let start = code.tokens[item.tokens.start].span.clone();
        let is_extern = code.word(item.tokens.start) == "extern";
        edits.push(Edit {
            range: if is_extern {
                start
            } else {
                start.start..start.start
            },
            replacement: if is_extern {
                "extern \"C\""
            } else {
                "extern \"C\" "
            }
            .to_string(),
        });
    }
    edits.extend(around_headers(&code));
    edits
}

/// A line that declares a function, with the linkage of C.
fn with_linkage(line: &str) -> String {
    let has_own = line.trim().is_empty()
        || line.trim_start().starts_with("static")
        || line.trim_start().starts_with('#');
    match has_own {
        true => line.to_string(),
        false => format!("extern \"C\" {line}"),
    }
}

/// Puts headers of the program into blocks of that linkage.
fn around_headers(code: &Code) -> Vec<Edit> {
    let mut edits = Vec::new();
    let mut depth = 0usize;
    for token in &code.all {
        let word = &code.text[token.span.clone()];
        match (token.kind, word) {
            (TokenKind::Punct, "{" | "(") => depth += 1,
            (TokenKind::Punct, "}" | ")") => depth = depth.saturating_sub(1),
            (TokenKind::Directive, _) if depth == 0 && quoted_include(word).is_some() => {
                let insert = |at: usize, text: &str| Edit {
                    range: at..at,
                    replacement: text.to_string(),
                };
                edits.push(insert(token.span.start, "extern \"C\" {\n"));
                edits.push(insert(token.span.end, "\n}"));
            }
            _ => {}
        }
    }
    edits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::csource::apply_edits;

    #[test]
    fn functions_of_other_files_have_the_linkage_of_c() {
        let text = "#include <stdio.h>\n#include \"grid.h\"\nvoid step(int n);\nstatic int own(void) { return 1; }\n\
            extern double sum(int n);\nint n = 3;\ndouble *make(int n) {\n#include \"body.h\"\n}\nint main(void) { return own(); }\n";
        let mut declared = vec![Edit {
            range: 0..0,
            replacement: "static int own(void);\nint later(int);\n".to_string(),
        }];
        let edits = c_linkage(text, &mut declared);
        assert_eq!(
            apply_edits(text, edits).as_deref(),
            Ok(
                "#include <stdio.h>\nextern \"C\" {\n#include \"grid.h\"\n}\nextern \"C\" void step(int n);\nstatic int own(void) { return 1; }\n\
                extern \"C\" double sum(int n);\nint n = 3;\nextern \"C\" double *make(int n) {\n#include \"body.h\"\n}\nint main(void) { return own(); }\n"
            )
        );
        assert_eq!(
            declared[0].replacement,
            "static int own(void);\nextern \"C\" int later(int);\n"
        );
    }
}
