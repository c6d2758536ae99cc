//! Names and macros of C that a C++ front end reads otherwise.

mod jumps;
mod old_style;
mod returns;

pub use self::jumps::rewrite_jumped_over;
pub(crate) use self::jumps::{is_label, refused_jumps};
pub use self::old_style::modernized;
pub use self::returns::rewrite_missing_returns;
pub use super::macros::{
    defaults, is_defined_before, is_number_type, is_numeric_macro, words_behind,
};

use super::{
    Code, Define, Edit, TokenKind, apply_edits, define, directive_words, file_scope, is_type_word,
    macros::{expansion, macros},
    parameter_ranges, tokenize,
};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Keywords of C++ that are names in C.
const CPLUSPLUS_ONLY: [&str; 31] = [
    "asm",
    "catch",
    "class",
    "concept",
    "const_cast",
    "consteval",
    "constexpr",
    "constinit",
    "decltype",
    "delete",
    "dynamic_cast",
    "explicit",
    "export",
    "friend",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "nullptr",
    "operator",
    "private",
    "protected",
    "public",
    "reinterpret_cast",
    "requires",
    "template",
    "this",
    "throw",
    "try",
    "typename",
    "virtual",
];
/// More of them, which are common words of C++ only.
const CPLUSPLUS_ONLY_TOO: [&str; 3] = ["static_cast", "typeid", "using"];
/// Operators of C++ that are names in C unless `<iso646.h>` makes macros of them.
const OPERATOR_NAMES: [&str; 11] = [
    "and", "and_eq", "bitand", "bitor", "compl", "not", "not_eq", "or", "or_eq", "xor", "xor_eq",
];
/// Names that `<stdbool.h>` or the program may define; C++ has them.
const BOOLEANS: [&str; 3] = ["bool", "true", "false"];
/// Names that a generated file cannot define at file scope: what the headers that it includes
/// declare, of C, of GNU and of CUDA. A C file without these headers may define them.
/// Made by tests/declarations/of-cuda.
pub(super) const DECLARED: &str = include_str!("declared.txt");

/// Whether headers of the system may declare or define a name.
pub(crate) fn is_declared(name: &str) -> bool {
    name.starts_with("M_") || DECLARED.split_whitespace().any(|declared| declared == name)
}

/// More of them, which CUDA before 13 declares.
const DECLARED_BEFORE: [&str; 5] = ["mul24", "mulhi", "saturate", "umul24", "umulhi"];
/// Variables that CUDA declares in every file.
const CUDA_VARIABLES: [&str; 5] = ["threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize"];
/// Keywords of C that C++ spells differently.
const SPELLINGS: [(&str, &str); 6] = [
    ("_Bool", "bool"),
    ("_Static_assert", "static_assert"),
    ("_Alignas", "alignas"),
    ("_Alignof", "alignof"),
    ("_Thread_local", "thread_local"),
    ("typeof", "__typeof__"),
];

/// New names for identifiers of a C file that mean something else in CUDA C++.
///
/// The keys are to be replaced everywhere in the file, also in macros.
pub fn names_for_cplusplus(text: &str) -> BTreeMap<String, String> {
    let code = Code::new(text);
    let used = words(text);
    let includes = |header: &str| {
        let mut directives = code.all.iter().filter(|t| t.kind == TokenKind::Directive);
        directives.any(|t| {
            let mut words = directive_words(&text[t.span.clone()]);
            words.next() == Some("include") && text[t.span.clone()].contains(header)
        })
    };
    let scope = file_scope(&code);
    let bodies = scope.functions.iter().filter(|f| f.body.is_some());
    let variables = scope.variables.iter().chain(&scope.constants);
    let global: HashSet<&str> = (bodies.map(|f| code.word(f.name)))
        .chain(variables.map(String::as_str))
        .filter(|name| !scope.elsewhere.contains(*name))
        .chain(enumerators(&code))
        .collect();
    let declared = DECLARED.split_whitespace().chain(DECLARED_BEFORE);
    let declared: HashSet<&str> = declared.collect();
    let own_booleans = !includes("stdbool.h") && BOOLEANS.iter().any(|b| defines(&code, b));
    let renamed = |name: &str| {
        CPLUSPLUS_ONLY.contains(&name) && !(name == "asm" && includes_asm(&code))
            || CPLUSPLUS_ONLY_TOO.contains(&name)
            || OPERATOR_NAMES.contains(&name) && !includes("iso646.h")
            || BOOLEANS.contains(&name) && own_booleans
            || declared.contains(name) && global.contains(name)
            || CUDA_VARIABLES.contains(&name)
            || name.starts_with("cuda") && global.contains(name) && !includes("cuda")
            || is_cuda_type(name)
    };
    let mut names = BTreeMap::new();
    for name in &used {
        if renamed(name) {
            let mut new = format!("c_{name}");
            while used.contains(new.as_str()) {
                new.push('_');
            }
            names.insert((*name).to_string(), new);
        } else if let Some((_, spelling)) = SPELLINGS.iter().find(|(c, _)| c == name) {
            names.insert((*name).to_string(), (*spelling).to_string());
        }
    }
    names
}

/// The constants that `enum {..}` defines.
fn enumerators<'a>(code: &Code<'a>) -> Vec<&'a str> {
    let brace_of = |at: usize| {
        let brace = at + 1 + usize::from(code.is_plain_name(at + 1));
        (code.word(at) == "enum" && code.opens(brace, "{")).then_some(brace)
    };
    let mut names = Vec::new();
    for brace in (0..code.tokens.len()).filter_map(brace_of) {
        let mut at = brace + 1;
        while at + 1 < code.skip(brace) {
            if matches!(code.word(at - 1), "{" | ",") && code.is_ident(at) {
                names.push(code.word(at));
            }
            at = code.skip(at);
        }
    }
    names
}

/// New names for variables of a C file that isl cannot read; `None` where a macro makes text of
/// its arguments, which new names would change, or a function of a header has such a name.
pub fn names_for_isl(text: &str, words: &BTreeSet<String>) -> Option<BTreeMap<String, String>> {
    let makes_text = |directive: &&str| {
        let is_define = directive_words(directive).next() == Some("define");
        is_define && directive.trim_start_matches('#').contains('#')
    };
    let code = Code::new(text);
    let (scope, macros) = (file_scope(&code), macros(text));
    let is_foreign = |at: usize| {
        let word = code.word(at);
        let own =
            macros.contains_key(word) || scope.functions.iter().any(|f| code.word(f.name) == word);
        words.contains(word) && code.opens(at + 1, "(") && !own
    };
    let directives = super::directives(text);
    if directives.iter().any(makes_text) || (0..code.tokens.len()).any(is_foreign) {
        return None;
    }
    let used = self::words(text);
    let fresh = |word: &String| {
        let mut name = format!("{word}_");
        while used.contains(name.as_str()) {
            name.push('_');
        }
        (word.clone(), name)
    };
    Some(words.iter().map(fresh).collect())
}

/// Edits that give identifiers other names, in code and in macros.
pub fn rename(text: &str, names: &BTreeMap<String, String>) -> Vec<Edit> {
    let mut edits = Vec::new();
    if names.is_empty() {
        return edits;
    }
    let mut replace = |start: usize, part: &str| {
        for token in tokenize(part).iter().filter(|t| t.kind == TokenKind::Ident) {
            if let Some(new) = names.get(&part[token.span.clone()]) {
                edits.push(Edit {
                    range: start + token.span.start..start + token.span.end,
                    replacement: new.clone(),
                });
            }
        }
    };
    for token in tokenize(text) {
        let part = &text[token.span.clone()];
        match token.kind {
            TokenKind::Ident => replace(token.span.start, part),
            TokenKind::Directive => {
                let name = directive_words(part).next().unwrap_or("");
                if !name.starts_with("include") && name != "pragma" {
                    let hash = part.find('#').map_or(0, |at| at + 1);
                    replace(token.span.start + hash, &part[hash..]);
                }
            }
            _ => {}
        }
    }
    edits
}

/// Identifiers and keywords of a text, and those of its directives but for includes and pragmas.
pub fn words(text: &str) -> BTreeSet<&str> {
    let code = Code::new(text);
    let tokens = code.all.iter();
    let of_token = tokens.flat_map(|token| match token.kind {
        TokenKind::Ident => vec![&text[token.span.clone()]],
        TokenKind::Directive => words_of(&text[token.span.clone()]),
        _ => Vec::new(),
    });
    of_token.collect()
}

/// Identifiers in a directive other than `#include` and `#pragma`.
fn words_of(directive: &str) -> Vec<&str> {
    let name = directive_words(directive).next().unwrap_or("");
    if name.starts_with("include") || name == "pragma" {
        return Vec::new();
    }
    let rest = directive.trim_start_matches('#');
    (tokenize(rest).into_iter())
        .filter(|t| t.kind == TokenKind::Ident)
        .filter_map(|t| rest.get(t.span))
        .collect()
}

/// `asm("..")` is GNU C, and C++.
fn includes_asm(code: &Code) -> bool {
    (0..code.tokens.len()).any(|at| {
        code.word(at) == "asm" && matches!(code.word(at + 1), "(" | "volatile" | "__volatile__")
    })
}

/// Whether the file itself makes a type, an enumerator or a macro of the name.
fn defines(code: &Code, name: &str) -> bool {
    let is_name = |at: usize| code.is_ident(at) && code.word(at) == name;
    let in_code = (0..code.tokens.len()).filter(|&at| is_name(at)).any(|at| {
        let before = at.checked_sub(1).map_or("", |before| code.word(before));
        let enumerator = matches!(before, "{" | ",")
            && matches!(code.word(at + 1), "," | "}" | "=")
            && (0..at).rev().take(40).any(|i| code.word(i) == "enum");
        let typedef = code.word(at + 1) == ";"
            && (0..at)
                .rev()
                .take_while(|&i| code.word(i) != ";")
                .any(|i| code.word(i) == "typedef");
        enumerator || typedef || is_variable(code, at)
    });
    in_code
        || (super::directives(code.text).into_iter().filter_map(define))
            .any(|m| m.params.is_none() && m.name == name)
}

/// Whether the name at a token is declared there, or changed.
fn is_variable(code: &Code, at: usize) -> bool {
    let word = |before: usize| at.checked_sub(before).map_or("", |i| code.word(i));
    let is_type = |before: usize| {
        at.checked_sub(before)
            .is_some_and(|i| is_type_word(code.word(i)) || code.is_plain_name(i))
    };
    let changed = matches!(code.word(at + 1), "=" | "+=" | "-=" | "++" | "--" | "[")
        || matches!(word(1), "++" | "--");
    changed
        || is_type(1)
        || word(1) == "*" && (word(2) == "(" || is_type_word(word(2)))
        || word(1) == "," && matches!(code.word(at + 1), "," | ";") && is_in_declaration(code, at)
}

/// Whether the statement around a token begins with a type, and the token is in no parentheses.
fn is_in_declaration(code: &Code, at: usize) -> bool {
    let mut depth = 0;
    for i in (0..at).rev() {
        match code.word(i) {
            "}" if depth == 0 && code.word(i + 1) != "," => return is_type_word(code.word(i + 1)),
            ")" | "]" | "}" => depth += 1,
            "(" | "[" | "{" if depth > 0 => depth -= 1,
            "(" | "[" => return false,
            ";" | "{" if depth == 0 => return is_type_word(code.word(i + 1)),
            _ => {}
        }
    }
    is_type_word(code.word(0))
}

/// `float2`, `uchar4`, `dim3` and their like.
pub fn is_cuda_type(name: &str) -> bool {
    const SCALARS: [&str; 12] = [
        "char",
        "uchar",
        "short",
        "ushort",
        "int",
        "uint",
        "long",
        "ulong",
        "longlong",
        "ulonglong",
        "float",
        "double",
    ];
    let Some(base) = name.strip_suffix(['1', '2', '3', '4']) else {
        return false;
    };
    name == "dim3" || SCALARS.contains(&base)
}

/// The file with the macros in parameter lists expanded that declare arrays, so that
/// variable-length ones can be rewritten; and the edits, one list for each round.
pub fn expand_parameter_macros(text: &str) -> (String, Vec<Vec<Edit>>) {
    let mut text = text.to_string();
    let mut rounds = Vec::new();
    // A macro may stand for another one; none stands for itself.
    for _ in 0..8 {
        let edits = parameter_macros(&text);
        let Ok(expanded) = apply_edits(&text, edits.clone()) else {
            break;
        };
        if edits.is_empty() {
            break;
        }
        text = expanded;
        rounds.push(edits);
    }
    (text, rounds)
}

fn parameter_macros(text: &str) -> Vec<Edit> {
    let code = Code::new(text);
    let macros = macros(text);
    let mut edits = Vec::new();
    if macros.is_empty() {
        return edits;
    }
    for function in &file_scope(&code).functions {
        for range in parameter_ranges(&code, function.params) {
            let mut at = range.start;
            while at < range.end {
                let call = macros
                    .get(code.word(at))
                    .filter(|m| declares_array(m, &macros));
                let expanded = call.and_then(|m| expansion(&code, at, m));
                match expanded {
                    Some((end, replacement)) => {
                        let bytes = code.bytes(at..end);
                        let lines = text[bytes.clone()].matches('\n').count();
                        edits.push(Edit {
                            range: bytes,
                            replacement: replacement + &"\n".repeat(lines),
                        });
                        at = end;
                    }
                    None => at += 1,
                }
            }
        }
    }
    edits
}

/// Whether a macro stands for brackets, by itself or through another macro.
fn declares_array(m: &Define, macros: &BTreeMap<&str, Define>) -> bool {
    let through = |name: &str| {
        macros
            .get(name)
            .is_some_and(|inner| inner.body.contains('[') && !inner.body.contains('#'))
    };
    !m.body.contains('#')
        && (m.body.contains('[')
            || (tokenize(m.body).iter())
                .any(|t| t.kind == TokenKind::Ident && through(&m.body[t.span.clone()])))
}

/// Where a byte of the text is after edits that do not replace it; the start of what replaces it
/// otherwise.
pub fn moved(offset: usize, edits: &[Edit]) -> usize {
    let mut moved = offset;
    for edit in edits.iter().filter(|e| e.range.end <= offset) {
        moved = moved + edit.replacement.len() - edit.range.len();
    }
    moved
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_cplusplus_are_replaced() {
        let renamed = |text: &str| {
            let names = names_for_cplusplus(text);
            apply_edits(text, rename(text, &names)).expect("no overlaps")
        };
        assert_eq!(
            renamed("int new, c_new; // new\n#define N new\n#include \"new.h\"\nint f(int class);"),
            "int c_new_, c_new; // new\n#define N c_new_\n#include \"new.h\"\nint f(int c_class);"
        );
        assert_eq!(
            renamed("static int min(int a) { return a; }"),
            "static int c_min(int a) { return a; }"
        );
        assert_eq!(
            renamed(
                "static double time, all, saturate; extern int optind; double fabs(double); int isalpha;"
            ),
            "static double c_time, c_all, c_saturate; extern int optind; double fabs(double); int c_isalpha;"
        );
        assert_eq!(
            renamed("int f(int min) { return min; }"),
            "int f(int min) { return min; }"
        );
        assert_eq!(
            renamed("typedef enum { false, true } bool;"),
            "typedef enum { c_false, c_true } c_bool;"
        );
        assert_eq!(
            renamed(
                "static int i, bool, true; void f(void) { { i = 1; } int j = g(2), false; false = 1; }"
            ),
            "static int i, c_bool, c_true; void f(void) { { i = 1; } int j = g(2), c_false; c_false = 1; }"
        );
        assert_eq!(
            renamed("int f(int n, int true[n]) { return true[0]; }"),
            "int f(int n, int c_true[n]) { return c_true[0]; }"
        );
        assert_eq!(
            renamed("int f(void) { int x = g(1, true); return true; }"),
            "int f(void) { int x = g(1, true); return true; }"
        );
        assert_eq!(
            renamed("enum { clock64 = 3, b };\nenum e { a = sizeof(int[clock64]), min };"),
            "enum { c_clock64 = 3, b };\nenum e { a = sizeof(int[c_clock64]), c_min };"
        );
        assert_eq!(
            renamed("static int threadIdx(int constexpr);"),
            "static int c_threadIdx(int c_constexpr);"
        );
        assert_eq!(
            renamed("#include <stdbool.h>\nbool b = true;"),
            "#include <stdbool.h>\nbool b = true;"
        );
        assert_eq!(
            renamed("typedef struct { float x; } float2; _Bool b;"),
            "typedef struct { float x; } c_float2; bool b;"
        );
    }

    #[test]
    fn variables_get_names_that_isl_reads() {
        let renamed = |text: &str| {
            let words = ["min", "or"].map(str::to_string).into();
            let names = names_for_isl(text, &words)?;
            Some(apply_edits(text, rename(text, &names)).expect("no overlaps"))
        };
        let text = |text: &str| Some(text.to_string());
        assert_eq!(
            renamed("int min, or_; #define N min\nint f(int or) { return s.min; }"),
            text("int min_, or_; #define N min_\nint f(int or__) { return s.min_; }")
        );
        assert_eq!(renamed("int x = min(1, 2);"), None);
        assert_eq!(
            renamed("#define min(a) a\nint x = min(1);"),
            text("#define min_(a) a\nint x = min_(1);")
        );
        assert_eq!(renamed("#define SHOW(x) #x\nint min;"), None);
    }

    #[test]
    fn macros_in_parameters_are_expanded() {
        let expanded = |text: &str| expand_parameter_macros(text).0;
        let defines = "#define ARG(A) float A[n][n]\n#define TWO(v, a, b) v[a] [b]\n#define VIA(v) TWO(v, n, m+1)\n#define K 3\n#define ODD(a) a##x[n]\n";
        let check = |from: &str, to: &str| {
            assert_eq!(
                expanded(&format!("{defines}{from}")),
                format!("{defines}{to}")
            );
        };
        check(
            "void f(int n, ARG(A), int k);",
            "void f(int n, float A[n][n], int k);",
        );
        check(
            "void f(int n, float TWO(A,n,\n n)) {}",
            "void f(int n, float A[n] [n]\n) {}",
        );
        check(
            "void f(int n, int m, double VIA(B)) {}",
            "void f(int n, int m, double B[n] [m+1]) {}",
        );
        check(
            "void f(int a[K], ODD(b)) { ARG(c); }",
            "void f(int a[K], ODD(b)) { ARG(c); }",
        );
    }
}
