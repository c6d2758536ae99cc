//! Light lexical handling of the user's C file.
//!
//! Real parsing is done by pet; this module only answers questions about the *text* of the file:
//! where statements and functions begin and end, where a diagnostic should point, and which small
//! textual rewrites make C99 host code acceptable to the C++ front end of nvcc.
//!
//! Architecture invariant: everything here is a pure function over `&str` and byte offsets. There
//! is no I/O, no preprocessing (macros are never expanded, both branches of an `#if` are read), no
//! knowledge of stencils, and no input that panics. What is not understood is left alone.

mod code;
mod cplusplus;
mod dialect;
mod includes;
mod items;
mod linkage;
mod macros;
mod mathcalls;
mod pragmas;
mod prototypes;
mod statements;
mod tokens;
mod undeclared;
mod variables;

pub(crate) use code::Code;
pub use cplusplus::*;
pub use dialect::*;
pub use includes::{HeaderNames, places_of_quoted_includes, quoted_includes};
pub(crate) use includes::{quoted_include, system_include};
pub(crate) use items::items;
pub use linkage::{c_linkage, has_other_files};
pub(crate) use macros::{Define, Macros, define, evaluate_constants};
pub use mathcalls::rewrite_math_calls;
pub use pragmas::is_of_loop;
pub(crate) use pragmas::pragma_words;
pub use prototypes::with_parameters;
pub use statements::{is_all_of_statement, split_statements};
pub(crate) use statements::{simple_statement_end, statement_end, statements};
pub use tokens::{Token, TokenKind, tokenize};
pub use undeclared::*;
pub use variables::*;

use std::collections::HashSet;
use std::fmt;
use std::ops::Range;

/// Replacement of a byte range by a text; an empty range is an insertion.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Edit {
    /// Bytes of the original text that are replaced.
    pub range: Range<usize>,
    /// What stands there afterwards.
    pub replacement: String,
}

/// Why [`apply_edits`] refused a list of edits.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum EditError {
    /// The range is reversed, ends after the text, or cuts a character in two.
    BadRange(Range<usize>),
    /// Two edits, given in textual order, replace the same bytes.
    Overlap(Range<usize>, Range<usize>),
}

impl fmt::Display for EditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EditError::BadRange(range) => {
                write!(f, "edit range {range:?} does not fit the text")
            }
            EditError::Overlap(first, second) => {
                write!(f, "edits {first:?} and {second:?} overlap")
            }
        }
    }
}

impl std::error::Error for EditError {}

/// A function definition at file scope.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Function {
    /// Name of the function.
    pub name: String,
    /// Bytes of the name.
    pub name_range: Range<usize>,
    /// First byte of the definition, including specifiers such as `static` and attributes.
    pub start: usize,
    /// Like `start`, but including the comments directly above it (no blank line between).
    pub start_with_comment: usize,
    /// Parameters in order; empty for `()` and `(void)`. A final `...` is not a parameter.
    pub params: Vec<ParamDecl>,
    /// Bytes between the braces of the body, without the braces.
    pub body: Range<usize>,
}

/// A parameter of a function definition.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ParamDecl {
    /// Declared name, absent from an unnamed parameter.
    pub name: Option<String>,
    /// Bytes of the whole declaration, from its first to its last token.
    pub range: Range<usize>,
    /// Bytes of each array bound after the name, without the brackets, outermost first.
    pub bounds: Vec<Range<usize>>,
}

/// The preprocessor directives of a file, continuations included.
pub fn directives(text: &str) -> Vec<&str> {
    (Code::new(text).all.iter())
        .filter(|token| token.kind == TokenKind::Directive)
        .filter_map(|token| text.get(token.span.clone()))
        .collect()
}

/// Headers whose macros have names that C or POSIX reserve.
const STANDARD_HEADERS: [&str; 36] = [
    "assert",
    "complex",
    "ctype",
    "errno",
    "fenv",
    "float",
    "getopt",
    "inttypes",
    "iso646",
    "limits",
    "locale",
    "malloc",
    "math",
    "memory",
    "mpi",
    "omp",
    "pthread",
    "sched",
    "setjmp",
    "signal",
    "stdalign",
    "stdarg",
    "stdatomic",
    "stdbool",
    "stddef",
    "stdint",
    "stdio",
    "stdlib",
    "stdnoreturn",
    "string",
    "strings",
    "tgmath",
    "time",
    "unistd",
    "wchar",
    "wctype",
];

/// Whether a directive includes a header that may define macros of any name.
pub fn may_define_any(directive: &str) -> bool {
    let mut words = directive_words(directive);
    if words.next().is_none_or(|word| !word.starts_with("include")) {
        return false;
    }
    let header = directive
        .split_once('<')
        .and_then(|(_, rest)| rest.split_once(".h>"));
    !header.is_some_and(|(name, _)| name.starts_with("sys/") || STANDARD_HEADERS.contains(&name))
}

/// The words after `#`: the directive's name first, then everything else split at whitespace.
pub(crate) fn directive_words(directive: &str) -> impl Iterator<Item = &str> {
    directive
        .trim_start_matches('#')
        .split(|c: char| c.is_whitespace() || c == '\\')
        .filter(|word| !word.is_empty())
}

// ---------------------------------------------------------------------------------------------
// The file as code tokens with matched brackets
// ---------------------------------------------------------------------------------------------

const STORAGE: [&str; 15] = [
    "static",
    "extern",
    "inline",
    "__inline",
    "__inline__",
    "register",
    "typedef",
    "_Noreturn",
    "__extension__",
    "_Thread_local",
    "__thread",
    "thread_local",
    "noreturn",
    "__forceinline",
    "constexpr",
];
const QUALIFIERS: [&str; 7] = [
    "const",
    "volatile",
    "restrict",
    "__restrict",
    "__restrict__",
    "_Atomic",
    "__const",
];
const TYPE_WORDS: [&str; 16] = [
    "void",
    "char",
    "short",
    "int",
    "long",
    "float",
    "double",
    "signed",
    "unsigned",
    "_Bool",
    "_Complex",
    "_Imaginary",
    "struct",
    "union",
    "enum",
    "__int128",
];
/// Words followed by a parenthesis that does not hold parameters of a declared function.
const OPERATOR_WORDS: [&str; 17] = [
    "__attribute__",
    "__attribute",
    "__declspec",
    "__launch_bounds__",
    "_Alignas",
    "alignas",
    "_Alignof",
    "__asm__",
    "__asm",
    "asm",
    "_Static_assert",
    "static_assert",
    "typeof",
    "__typeof__",
    "__typeof",
    "sizeof",
    "_Pragma",
];
const STATEMENT_WORDS: [&str; 12] = [
    "if", "else", "for", "while", "do", "switch", "case", "default", "return", "goto", "break",
    "continue",
];

pub(crate) fn is_type_word(word: &str) -> bool {
    TYPE_WORDS.contains(&word) || QUALIFIERS.contains(&word) || STORAGE.contains(&word)
}

/// Whether the word could be the name of a variable, a function or a typedef.
fn is_plain_name(word: &str) -> bool {
    !is_type_word(word) && !OPERATOR_WORDS.contains(&word) && !STATEMENT_WORDS.contains(&word)
}

/// The types that `typedef TYPE NAME;` in the texts may give a name, through further names; several
/// where the preprocessor chooses. Only definitions of plain types count.
pub fn typedefs(texts: &[&str], name: &str) -> Vec<String> {
    let words: Vec<&str> = (name.split_whitespace())
        .filter(|word| !QUALIFIERS.contains(word))
        .collect();
    let mut ends = Vec::new();
    let mut seen: Vec<String> = Vec::new();
    let mut open = vec![words.join(" ")];
    while let Some(next) = open.pop() {
        let behind: Vec<String> = (texts.iter())
            .flat_map(|text| direct_typedefs(text, &next))
            .collect();
        if behind.is_empty() && !seen.is_empty() && !ends.contains(&next) {
            ends.push(next.clone());
        }
        if !seen.contains(&next) {
            open.extend(behind);
        }
        seen.push(next);
    }
    ends
}

/// The words before the name in each `typedef WORDS NAME;`, where there are only words.
fn direct_typedefs(text: &str, name: &str) -> Vec<String> {
    let code = Code::new(text);
    let starts = (0..code.tokens.len()).filter(|&at| code.word(at) == "typedef");
    starts
        .filter_map(|start| {
            let end = (start..code.tokens.len()).find(|&at| code.word(at) == ";")?;
            let words = start + 1..end - 1;
            let plain = end > start + 2
                && code.word(end - 1) == name
                && words.clone().all(|at| code.is_ident(at));
            let words: Vec<&str> = (words.map(|at| code.word(at)))
                .filter(|word| !QUALIFIERS.contains(word))
                .collect();
            plain.then(|| words.join(" "))
        })
        .collect()
}

/// Whether any loop statement stands in a text.
pub fn has_loop(text: &str) -> bool {
    let code = Code::new(text);
    (0..code.tokens.len()).any(|at| matches!(code.word(at), "for" | "while"))
}

/// Bytes of the simple statement around a place, without the heads of control statements before it;
/// the place itself where no statement is understood.
pub fn statement_at(text: &str, offset: usize) -> Range<usize> {
    let code = Code::new(text);
    let index = code.tokens.partition_point(|t| t.span.end <= offset);
    match enclosing_function(text, offset) {
        Some(function) if index < code.tokens.len() => {
            statement_around(&code, index, &function.body)
        }
        _ => {
            let at = floor_char_boundary(text, offset);
            at..at
        }
    }
}

/// Bytes of the simple statement around a token, inside of a range.
pub(crate) fn statement_around(code: &Code, index: usize, range: &Range<usize>) -> Range<usize> {
    let mut first = index;
    let mut depth = 0usize;
    while first > 0 && code.tokens[first - 1].span.start >= range.start {
        match code.word(first - 1) {
            ")" | "]" => depth += 1,
            "(" | "[" => depth = depth.saturating_sub(1),
            ";" | "{" | "}" if depth == 0 => break,
            _ => {}
        }
        first -= 1;
    }
    // Heads of control statements stay outside.
    while matches!(code.word(first), "if" | "for" | "while" | "switch")
        && code.opens(first + 1, "(")
        && code.skip(first + 1) <= index
    {
        first = code.skip(first + 1);
    }
    if code.word(first) == "else" {
        first += 1;
    }
    let first = first.min(index);
    let end = (code.tokens).partition_point(|t| t.span.end <= range.end);
    let stop = simple_statement_end(code, first, end.max(first + 1));
    code.bytes(first..stop)
}

/// The `for` loops of a region in textual order: iterator name and bytes from `for` to `)`.
///
/// The iterator is the first variable that the header declares or assigns, else the first
/// identifier of its condition; the name is empty if there is neither.
pub fn loop_headers(text: &str, region: Range<usize>) -> Vec<(String, Range<usize>)> {
    let code = Code::new(text);
    let mut headers = Vec::new();
    for (index, token) in code.tokens.iter().enumerate() {
        let inside = region.start <= token.span.start && token.span.end <= region.end;
        if !inside || code.word(index) != "for" || !code.opens(index + 1, "(") {
            continue;
        }
        let close = code.skip(index + 1) - 1;
        let bytes = code.bytes(index..close + 1);
        if bytes.end > region.end {
            continue;
        }
        let semicolon = (index + 2..close)
            .find(|&at| code.word(at) == ";")
            .unwrap_or(close);
        let assigned = (index + 2..semicolon)
            .find(|&at| code.word(at) == "=")
            .and_then(|at| (index + 2..at).rev().find(|&at| code.is_plain_name(at)));
        let iterator =
            assigned.or_else(|| (semicolon + 1..close).find(|&at| code.is_plain_name(at)));
        headers.push((
            iterator.map_or(String::new(), |at| code.word(at).to_owned()),
            bytes,
        ));
    }
    headers
}

/// The first subscript `[i-2]` of a statement whose loop starts at a smaller number,
/// `for (i = 1; ..)`, as far as numbers stand in the text.
pub fn subscript_below(
    text: &str,
    region: Range<usize>,
    stmt: &Range<usize>,
) -> Option<Range<usize>> {
    let headers = loop_headers(text, region);
    let starts_at = |iterator: &str| {
        let header = (headers.iter()).rfind(|(i, r)| i == iterator && r.end <= stmt.start)?;
        let head = &text[header.1.clone()];
        let first = head.split_once('=')?.1.split(';').next()?;
        first.trim().parse::<i64>().ok()
    };
    let code = Code::new(text);
    let first = code.tokens.partition_point(|t| t.span.start < stmt.start);
    let end = code.tokens.partition_point(|t| t.span.end <= stmt.end);
    let is_below = |at: &usize| {
        let back = code.word(at + 3).parse::<i64>();
        let is_difference =
            code.opens(*at, "[") && code.word(at + 2) == "-" && code.skip(*at) == at + 5;
        is_difference && back.is_ok_and(|n| starts_at(code.word(at + 1)).is_some_and(|s| s < n))
    };
    (first..end).find(is_below).map(|at| code.bytes(at..at + 5))
}

/// Bytes of the header of the `for` loop that has a place in it, from `for` to `)`.
pub fn loop_header_at(text: &str, offset: usize) -> Option<Range<usize>> {
    let headers = loop_headers(text, 0..text.len()).into_iter();
    (headers.map(|(_, bytes)| bytes)).rfind(|bytes| bytes.contains(&offset))
}

/// The first place of a name in a range of a file.
pub fn find_word(text: &str, range: Range<usize>, name: &str) -> Option<Range<usize>> {
    (Code::new(text).all.iter())
        .filter(|t| t.kind == TokenKind::Ident && range.contains(&t.span.start))
        .map(|t| t.span.clone())
        .find(|span| text.get(span.clone()) == Some(name))
}

/// Whether a place is inside of brackets, in a subscript.
pub fn is_in_brackets(text: &str, offset: usize) -> bool {
    is_inside(text, offset, |code, at| code.word(at) == "[")
}

/// Whether a place is in the parentheses of an `if` or a loop.
pub fn is_in_condition(text: &str, offset: usize) -> bool {
    is_inside(text, offset, |code, at| {
        at > 0 && matches!(code.word(at - 1), "if" | "for" | "while")
    })
}

/// Whether a place is between a bracket of a kind and the one that closes it.
fn is_inside(text: &str, offset: usize, is_kind: impl Fn(&Code, usize) -> bool) -> bool {
    let code = Code::new(text);
    let index = code.tokens.partition_point(|t| t.span.end <= offset);
    (0..index)
        .any(|at| matches!(code.word(at), "(" | "[") && code.skip(at) > index && is_kind(&code, at))
}

/// The head of a compound statement, `while (..)` or `if (..)`; all of it where it has none.
pub fn head_of(text: &str, stmt: Range<usize>) -> Range<usize> {
    let code = Code::new(text);
    let first = (code.tokens.iter()).position(|t| t.span.start >= stmt.start);
    match first {
        Some(first) if code.opens(first + 1, "(") => {
            let end = code.bytes(first..code.skip(first + 1)).end;
            stmt.start..end.min(stmt.end)
        }
        _ => stmt,
    }
}

/// Bytes of the `nth` occurrence (from 0) of a variable in a statement, with all its subscripts.
///
/// A scalar is an occurrence without subscripts; `(*A)[i]` includes the parentheses. Structure
/// members of the same name (`s.A`, `p->A`) do not count. Occurrences are in textual order, an
/// outer one before those inside its subscripts.
pub fn find_access(
    text: &str,
    stmt: Range<usize>,
    array: &str,
    nth: usize,
) -> Option<Range<usize>> {
    let code = Code::new(text);
    let index = (0..code.tokens.len())
        .filter(|&index| {
            let span = &code.tokens[index].span;
            stmt.start <= span.start
                && span.end <= stmt.end
                && code.is_ident(index)
                && code.word(index) == array
                && !(index > 0 && matches!(code.word(index - 1), "." | "->"))
        })
        .nth(nth)?;
    let (mut start, mut end) = (index, index + 1);
    if index >= 2
        && code.word(index - 1) == "*"
        && code.opens(index - 2, "(")
        && code.skip(index - 2) == index + 2
        && code.word(index + 2) == "["
    {
        (start, end) = (index - 2, index + 2);
    }
    while code.opens(end, "[") {
        end = code.skip(end);
    }
    let bytes = code.bytes(start..end);
    Some(bytes.start.max(stmt.start)..bytes.end.min(stmt.end))
}

// ---------------------------------------------------------------------------------------------
// Functions
// ---------------------------------------------------------------------------------------------

/// A function declarator at file scope, of a definition or of a prototype, as token indices.
struct Declared {
    /// First token of the declaration.
    start: usize,
    name: usize,
    /// The parenthesis that opens the parameter list.
    params: usize,
    /// The brace that opens the body, for a definition.
    body: Option<usize>,
}

/// What stands at file scope.
#[derive(Default)]
pub(crate) struct FileScope {
    functions: Vec<Declared>,
    /// Variables that are not constants: C++ refuses them in the bounds of a parameter too.
    pub(crate) variables: HashSet<String>,
    constants: HashSet<String>,
    /// Variables and constants of static linkage that no conditional directive is around.
    statics: Vec<String>,
    /// Those of the variables that an `extern` without a value declares, so that they may be defined
    /// in another file.
    pub(crate) elsewhere: HashSet<String>,
}

pub(crate) fn file_scope(code: &Code) -> FileScope {
    let mut scope = FileScope::default();
    let mut start = 0;
    while start < code.tokens.len() {
        if code.word(start) == "extern"
            && code
                .tokens
                .get(start + 1)
                .is_some_and(|token| token.kind == TokenKind::Str)
            && code.word(start + 2) == "{"
        {
            start += 3;
            continue;
        }
        start = file_scope_item(code, start, &mut scope);
    }
    scope
}

/// Records the item starting at a token and returns the index after it.
fn file_scope_item(code: &Code, start: usize, scope: &mut FileScope) -> usize {
    if matches!(code.word(start), ";" | "}" | ")" | "]") {
        return start + 1;
    }
    let typedef = code.word(start) == "typedef";
    let mut initialised = false;
    let mut at = start;
    while at < code.tokens.len() {
        match code.word(at) {
            ";" => {
                if !typedef {
                    match function_declarator(code, start..at) {
                        Some((name, params)) if !initialised => {
                            if has_type_before(code, start, name) {
                                scope.functions.push(Declared {
                                    start,
                                    name,
                                    params,
                                    body: None,
                                });
                            }
                        }
                        _ => record_variables(code, start..at, scope),
                    }
                }
                return at + 1;
            }
            "}" => return at + 1,
            "=" => initialised = true,
            "{" => {
                let type_body = at > start
                    && (matches!(code.word(at - 1), "struct" | "union" | "enum")
                        || at > start + 1
                            && code.is_ident(at - 1)
                            && matches!(code.word(at - 2), "struct" | "union" | "enum"));
                if !typedef && !initialised && !type_body {
                    if let Some((name, params)) = function_declarator(code, start..at) {
                        if !code.opens(at, "{") {
                            return at + 1;
                        }
                        scope.functions.push(Declared {
                            start,
                            name,
                            params,
                            body: Some(at),
                        });
                        return code.skip(at);
                    }
                    if at == start {
                        return code.skip(at);
                    }
                }
            }
            _ => {}
        }
        at = code.skip(at);
    }
    at
}

/// Name and opening parenthesis of the function that a declaration declares, as token indices.
///
/// Preferred is the first `name(` with a type before it, which passes over attributes and macros
/// such as `EXPORT(int) f(void)`; otherwise the last `name(`.
fn function_declarator(code: &Code, range: Range<usize>) -> Option<(usize, usize)> {
    let mut fallback = None;
    let mut at = range.start;
    while at < range.end {
        if code.opens(at, "(") {
            // `float (*get(int n))[4]` declares its function inside the parentheses.
            if code.word(at + 1) == "*" && at > range.start && code.is_ident(at - 1) {
                let close = code.skip(at) - 1;
                let inner = (at + 2..close)
                    .find(|&inner| code.is_plain_name(inner) && code.opens(inner + 1, "("));
                return inner.map(|inner| (inner, inner + 1));
            }
            let name = at.checked_sub(1).filter(|&name| name >= range.start);
            if let Some(name) = name.filter(|&name| code.is_plain_name(name)) {
                if has_type_before(code, range.start, name) {
                    return Some((name, at));
                }
                fallback = Some((name, at));
            }
            // `void (f)(int)`.
            if code.is_plain_name(at + 1) && code.skip(at) == at + 3 && code.opens(at + 3, "(") {
                return Some((at + 1, at + 3));
            }
        }
        at = code.skip(at);
    }
    fallback
}

/// Whether something that can be a type stands between the start of a declaration and a name.
fn has_type_before(code: &Code, start: usize, name: usize) -> bool {
    let mut at = start;
    while at < name {
        let word = code.word(at);
        if OPERATOR_WORDS.contains(&word) && code.opens(at + 1, "(") {
            at = code.skip(at + 1);
            continue;
        }
        if word == ")" || word == "*" || code.is_ident(at) && !STORAGE.contains(&word) {
            return true;
        }
        at += 1;
    }
    false
}

/// Records the variables of a file scope declaration that are not constants.
fn record_variables(code: &Code, range: Range<usize>, scope: &mut FileScope) {
    let constant = |at: usize| matches!(code.word(at), "const" | "constexpr");
    let bytes = code.bytes(range.clone());
    let is_static = code.word(range.start) == "static"
        && !(conditional_ranges(code).iter()).any(|r| r.contains(&bytes.start));
    let mut variables = &mut scope.variables;
    for (position, part) in code.split_commas(range.clone()).into_iter().enumerate() {
        let mut end = part.start;
        while end < part.end && code.word(end) != "=" {
            end = code.skip(end);
        }
        if position == 0 && code.word(range.start) != "extern" && (part.start..end).any(constant) {
            variables = &mut scope.constants;
        }
        if let Some(name) = code.declared_name(part.start..end.min(part.end), position == 0) {
            variables.insert(code.word(name).to_owned());
            if is_static {
                scope.statics.push(code.word(name).to_owned());
            }
            if code.word(range.start) == "extern" && end >= part.end {
                scope.elsewhere.insert(code.word(name).to_owned());
            }
        }
    }
}

/// All function definitions at file scope, in textual order; `extern "C"` blocks are entered.
///
/// Not recognised are K&R definitions and definitions whose header is the expansion of a macro.
/// When the branches of an `#if` begin alternative headers of one body, the first is returned.
pub fn functions(text: &str) -> Vec<Function> {
    functions_and_statics(text).0
}

/// The same, and the names of variables of static linkage that are always there.
pub fn functions_and_statics(text: &str) -> (Vec<Function>, Vec<String>) {
    let code = Code::new(text);
    let scope = file_scope(&code);
    let functions = scope.functions.iter();
    let functions = functions.filter_map(|declared| definition(&code, declared));
    (functions.collect(), scope.statics)
}

/// The function definition whose body contains the offset (either brace's inner side included).
pub fn enclosing_function(text: &str, offset: usize) -> Option<Function> {
    functions(text)
        .into_iter()
        .find(|function| function.body.start <= offset && offset <= function.body.end)
}

fn definition(code: &Code, declared: &Declared) -> Option<Function> {
    let open = declared.body?;
    let close = code.skip(open) - 1;
    let start = code.tokens.get(declared.start)?.span.start;
    let params = parameter_ranges(code, declared.params)
        .into_iter()
        .map(|range| {
            let mut bounds = Vec::new();
            let mut last = range.end;
            while last > range.start && code.closes(last - 1, "]") {
                let open = code.skip_back(last - 1);
                bounds.insert(
                    0,
                    code.tokens[open].span.end..code.tokens[last - 1].span.start,
                );
                last = open;
            }
            ParamDecl {
                name: code
                    .declared_name(range.clone(), true)
                    .map(|name| code.word(name).to_owned()),
                range: code.bytes(range),
                bounds,
            }
        })
        .collect();
    Some(Function {
        name: code.word(declared.name).to_owned(),
        name_range: code.tokens.get(declared.name)?.span.clone(),
        start,
        start_with_comment: start_with_comment(code, start),
        params,
        body: code.tokens.get(open)?.span.end..code.tokens.get(close)?.span.start,
    })
}

/// Token ranges of the parameters in the list opening at `open`.
fn parameter_ranges(code: &Code, open: usize) -> Vec<Range<usize>> {
    let close = code.skip(open) - 1;
    if close <= open || close == open + 2 && code.word(open + 1) == "void" {
        return Vec::new();
    }
    code.split_commas(open + 1..close)
        .into_iter()
        .filter(|part| part.start < part.end && code.word(part.start) != "...")
        .collect()
}

/// Extends a start backwards over comments with no blank line, code or directive between.
fn start_with_comment(code: &Code, start: usize) -> usize {
    let mut result = start;
    let first_after = code.all.partition_point(|token| token.span.start < start);
    for position in (0..first_after).rev() {
        let token = &code.all[position];
        let gap = &code.text[token.span.end..result];
        let line_start = code.text[..token.span.start]
            .rfind('\n')
            .map_or(0, |at| at + 1);
        let alone = code.text[line_start..token.span.start].trim().is_empty();
        if token.kind != TokenKind::Comment || !alone || gap.matches('\n').count() > 1 {
            break;
        }
        result = token.span.start;
    }
    result
}

/// Where definitions needed by the function starting at `function_start` can be inserted.
///
/// That is at the start of the line of the function or of its directly preceding comment. It moves
/// further up, before the `#if`, while a conditional around that point ends before the function
/// does: whatever is compiled with the function's body is then compiled at the insertion point too.
/// For an offset that is not a function's `start` or `start_with_comment` (nor inside one) only the
/// conditionals around the offset itself count.
pub fn insertion_point(text: &str, function_start: usize) -> usize {
    let code = Code::new(text);
    let offset = floor_char_boundary(text, function_start);
    let function = functions(text)
        .into_iter()
        .find(|function| function.start_with_comment <= offset && offset <= function.body.end);
    let (start, end) = function.map_or((offset, offset), |function| {
        (function.start_with_comment, function.body.end)
    });
    let mut point = start;
    let conditionals = conditional_ranges(&code);
    // Inner conditionals start later, so one pass from the last start outwards is enough.
    for range in conditionals.iter().rev() {
        if range.start < point && point < range.end && range.end < end {
            point = range.start;
        }
    }
    let line_start = text[..point].rfind('\n').map_or(0, |at| at + 1);
    if text[line_start..point].trim().is_empty() {
        line_start
    } else {
        point
    }
}

/// Whether the preprocessor may leave out what stands at an offset.
pub fn is_conditional(text: &str, offset: usize) -> bool {
    let ranges = conditional_ranges(&Code::new(text));
    ranges.iter().any(|range| range.contains(&offset))
}

/// Bytes from each `#if` to the end of its `#endif` (or of the text), by start.
fn conditional_ranges(code: &Code) -> Vec<Range<usize>> {
    let mut open = Vec::new();
    let mut ranges = Vec::new();
    for token in &code.all {
        if token.kind != TokenKind::Directive {
            continue;
        }
        match directive_words(&code.text[token.span.clone()]).next() {
            Some("if" | "ifdef" | "ifndef") => open.push(token.span.start),
            Some("endif") => {
                if let Some(start) = open.pop() {
                    ranges.push(start..token.span.end);
                }
            }
            _ => {}
        }
    }
    ranges.extend(open.into_iter().map(|start| start..code.text.len()));
    ranges.sort_by_key(|range| range.start);
    ranges
}

// ---------------------------------------------------------------------------------------------
// Rewrites for the C++ front end
// ---------------------------------------------------------------------------------------------

/// An array parameter, or a pointer-to-array one, taken apart into token indices.
struct ArrayParam {
    /// Element type, `register` left out.
    element: Vec<usize>,
    /// Stars of a pointer parameter `(*A)[N]`; empty for an array parameter `A[N]`.
    stars: usize,
    /// Qualifiers of the pointer that the parameter really is.
    qualifiers: Vec<usize>,
    name: Option<usize>,
    /// Bounds, outermost first, with `static` and qualifiers removed from the first.
    bounds: Vec<Range<usize>>,
    /// The first bound contained `static` or a qualifier, which C++ does not know.
    c_only_bound: bool,
    /// Tokens of the declaration without trailing attributes.
    range: Range<usize>,
}

fn array_param(code: &Code, range: Range<usize>) -> Option<ArrayParam> {
    let mut end = range.end;
    while end >= range.start + 3
        && code.closes(end - 1, ")")
        && code.skip_back(end - 1) > range.start
        && OPERATOR_WORDS.contains(&code.word(code.skip_back(end - 1) - 1))
    {
        end = code.skip_back(end - 1) - 1;
    }
    let mut bounds = Vec::new();
    let mut head = end;
    while head > range.start && code.closes(head - 1, "]") {
        let open = code.skip_back(head - 1);
        if open < range.start {
            return None;
        }
        bounds.insert(0, open + 1..head - 1);
        head = open;
    }
    if bounds.is_empty() || head == range.start {
        return None;
    }
    let mut param = ArrayParam {
        element: Vec::new(),
        stars: 0,
        qualifiers: Vec::new(),
        name: None,
        bounds,
        c_only_bound: false,
        range: range.start..end,
    };
    let element_end;
    if code.closes(head - 1, ")") {
        let open = code.skip_back(head - 1);
        for at in open + 1..head - 1 {
            let word = code.word(at);
            if word == "*" && param.qualifiers.is_empty() && param.name.is_none() {
                param.stars += 1;
            } else if QUALIFIERS.contains(&word) && param.name.is_none() {
                param.qualifiers.push(at);
            } else if code.is_plain_name(at) && param.name.is_none() {
                param.name = Some(at);
            } else {
                return None;
            }
        }
        if param.stars == 0 {
            return None;
        }
        element_end = open;
    } else {
        param.name = code.declared_name(range.start..head, true);
        element_end = param.name.unwrap_or(head);
        if param.name.is_some_and(|name| name + 1 != head) {
            return None;
        }
        let first = &mut param.bounds[0];
        while first.start < first.end {
            let word = code.word(first.start);
            if QUALIFIERS.contains(&word) {
                param.qualifiers.push(first.start);
            } else if word != "static" {
                break;
            }
            param.c_only_bound = true;
            first.start += 1;
        }
    }
    param.element = (range.start..element_end)
        .filter(|&at| code.word(at) != "register")
        .collect();
    let plain = param.element.iter().all(|&at| {
        code.word(at) == "*" || code.is_ident(at) && !STATEMENT_WORDS.contains(&code.word(at))
    });
    let operator = param
        .element
        .iter()
        .any(|&at| OPERATOR_WORDS.contains(&code.word(at)));
    let types = param.element.iter().any(|&at| {
        code.is_ident(at)
            && !STORAGE.contains(&code.word(at))
            && !QUALIFIERS.contains(&code.word(at))
    });
    (plain && types && !operator).then_some(param)
}

impl ArrayParam {
    /// Element type with a space after it unless it ends in a star.
    fn element(&self, code: &Code) -> String {
        let mut text = code.render(self.element.iter().copied());
        if !text.ends_with('*') {
            text.push(' ');
        }
        text
    }

    /// The declarator `(*name)[b1][b2]` or `*name`, of the pointer that the parameter really is.
    ///
    /// `restrict` is spelled as both gcc and nvcc know it in C++.
    fn pointer(&self, code: &Code, name: &str, bounds: &[Range<usize>]) -> String {
        let mut inner = "*".repeat(self.stars.max(1));
        // A qualifier of the pointer itself means nothing in the type of a cast.
        let qualifiers = self.qualifiers.iter().filter(|_| !name.is_empty());
        for &at in qualifiers {
            inner.push_str(match code.word(at) {
                word if is_restrict(word) => "__restrict__",
                word => word,
            });
            inner.push(' ');
        }
        inner.push_str(name);
        let inner = inner.trim_end();
        if bounds.is_empty() {
            return inner.to_owned();
        }
        let mut text = format!("({inner})");
        for bound in bounds {
            text.push('[');
            text.push_str(&code.render(bound.clone()));
            text.push(']');
        }
        text
    }

    /// Qualifiers of the `void` that stands for the elements.
    fn void_qualifiers(&self, code: &Code) -> &'static str {
        if self.stars > 1 {
            return "";
        }
        let after_star = self.element.iter().rposition(|&at| code.word(at) == "*");
        let own = &self.element[after_star.map_or(0, |at| at + 1)..];
        let has = |names: [&str; 2]| own.iter().any(|&at| names.contains(&code.word(at)));
        match (has(["const", "__const"]), has(["volatile", "volatile"])) {
            (true, true) => "const volatile ",
            (true, false) => "const ",
            (false, true) => "volatile ",
            (false, false) => "",
        }
    }
}

fn is_restrict(word: &str) -> bool {
    matches!(word, "restrict" | "__restrict" | "__restrict__")
}

/// Rewrites the parameters of variably modified type, which C++ front ends refuse.
///
/// A bound is variable if it contains the name of another parameter, of a variable at file scope
/// that is not `const`, or is `*`. Then in definitions and prototypes:
///
/// - `float A[N]` becomes `float *A` and `float A[N][4]` becomes `float (*A)[4]`, in place;
/// - `const float A[2][N][N]` and `const float (*A)[N][N]` become `const void *hexcc_A`, and
///   ` const float (*A)[N][N] = (const float (*)[N][N])hexcc_A;` is inserted after the `{` of a
///   definition, in the order of the parameters (nvcc and g++ accept local pointers to VLA).
///
/// `static` and qualifiers in a bound, unknown to C++, are removed or moved to the pointer even if
/// the bounds are constant. Line numbers do not change. Parameters containing preprocessor
/// directives, arrays of pointers to arrays and the like are left alone.
pub fn rewrite_vla_parameters(text: &str) -> Vec<Edit> {
    let code = Code::new(text);
    let scope = file_scope(&code);
    let taken: HashSet<&str> = (0..code.tokens.len()).map(|at| code.word(at)).collect();
    let mut edits = Vec::new();
    for function in &scope.functions {
        let params = parameter_ranges(&code, function.params);
        let names: Vec<Option<&str>> = params
            .iter()
            .map(|range| {
                code.declared_name(range.clone(), true)
                    .map(|name| code.word(name))
            })
            .collect();
        let mut casts = String::new();
        for (position, range) in params.iter().enumerate() {
            let Some(param) = array_param(&code, range.clone()) else {
                continue;
            };
            let bytes = code.bytes(param.range.clone());
            if code.has_directive(&bytes) {
                continue;
            }
            let is_parameter = |word: &str| {
                names
                    .iter()
                    .enumerate()
                    .any(|(other, name)| other != position && *name == Some(word))
            };
            let variable = |bound: &Range<usize>| {
                bound.len() == 1 && code.word(bound.start) == "*"
                    || bound.clone().any(|at| {
                        code.is_ident(at)
                            && !(at > 0 && matches!(code.word(at - 1), "." | "->"))
                            && (is_parameter(code.word(at))
                                || scope.variables.contains(code.word(at)))
                    })
            };
            // The first bound of an array parameter only documents; a pointer has no such bound.
            let pointee_start = usize::from(param.stars == 0);
            let pointee = &param.bounds[pointee_start..];
            let name = param.name.map_or("", |name| code.word(name));
            let mut replacement = if pointee.iter().any(variable) {
                let void = param.void_qualifiers(&code);
                if name.is_empty() {
                    format!("{void}void *")
                } else {
                    let mut argument = format!("hexcc_{name}");
                    while taken.contains(argument.as_str()) {
                        argument.push('_');
                    }
                    let element = param.element(&code);
                    let declarator = param.pointer(&code, name, pointee);
                    let cast = param.pointer(&code, "", pointee);
                    casts.push_str(&format!(
                        " {element}{declarator} = ({element}{cast}){argument};"
                    ));
                    format!("{void}void *{argument}")
                }
            } else if pointee_start == 1 && (variable(&param.bounds[0]) || param.c_only_bound) {
                let pointer = param.pointer(&code, name, pointee);
                format!("{}{pointer}", param.element(&code))
            } else {
                continue;
            };
            let lines = text[bytes.clone()].matches('\n').count();
            replacement.push_str(&"\n".repeat(lines));
            edits.push(Edit {
                range: bytes,
                replacement,
            });
        }
        if let Some(brace) = function.body.filter(|_| !casts.is_empty()) {
            let at = code.tokens[brace].span.end;
            edits.push(Edit {
                range: at..at,
                replacement: casts,
            });
        }
    }
    edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
    edits
}

/// First token of the simple statement, or of the parenthesised expression, containing `index`.
pub(crate) fn simple_statement_start(code: &Code, index: usize) -> usize {
    let mut start = index;
    while start > 0 {
        let before = start - 1;
        match code.word(before) {
            ";" | "{" | "(" | "[" | "else" | "do" | "return" => break,
            // A block ends a statement, except the initialiser of an earlier declarator.
            "}" => {
                let open = code.skip_back(before);
                if open == before || open == 0 || code.word(open - 1) != "=" {
                    break;
                }
                start = open;
            }
            ")" | "]" => {
                let open = code.skip_back(before);
                if open == before
                    || open > 0 && matches!(code.word(open - 1), "if" | "for" | "while" | "switch")
                {
                    break;
                }
                start = open;
            }
            _ => start = before,
        }
    }
    if matches!(code.word(start), "case" | "default") || code.word(start + 1) == ":" {
        let colon = (start..index).find(|&at| code.word(at) == ":");
        start = colon.map_or(start, |colon| colon + 1);
    }
    start
}

/// Whether the tokens, known to end before an `=`, begin like a declaration.
pub(crate) fn is_declaration(code: &Code, range: Range<usize>) -> bool {
    let first = range.start;
    let word = code.word(first);
    if !code.is_ident(first) || range.is_empty() {
        return false;
    }
    if is_type_word(word)
        || ["typeof", "__typeof__", "__typeof", "auto", "__auto_type"].contains(&word)
        || OPERATOR_WORDS.contains(&word) && word.starts_with("__attribute")
    {
        return true;
    }
    if !is_plain_name(word) {
        return false;
    }
    let next = first + 1;
    match code.word(next) {
        "*" => true,
        // `T (*A)[N] = ..` against the call `f(*x)[N] = ..`, which nobody writes.
        "(" => {
            let after = code.skip(next);
            code.word(next + 1) == "*"
                && code.opens(next, "(")
                && (after == range.end || matches!(code.word(after), "[" | "("))
        }
        _ => next < range.end && code.is_ident(next),
    }
}

// ---------------------------------------------------------------------------------------------
// Edits and positions
// ---------------------------------------------------------------------------------------------

/// Applies edits given in any order; insertions at one place keep the order of the list.
///
/// # Errors
///
/// Fails if a range does not fit the text or two ranges overlap. An insertion at the start or the
/// end of a replaced range does not overlap it.
pub fn apply_edits(text: &str, edits: Vec<Edit>) -> Result<String, EditError> {
    let mut edits = edits;
    edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
    let mut out = String::with_capacity(text.len());
    let mut done = 0..0;
    for edit in edits {
        let range = edit.range;
        let Some(kept) = text
            .get(range.clone())
            .and_then(|_| text.get(done.end..range.start))
        else {
            return Err(if text.get(range.clone()).is_some() {
                EditError::Overlap(done, range)
            } else {
                EditError::BadRange(range)
            });
        };
        out.push_str(kept);
        out.push_str(&edit.replacement);
        done = range;
    }
    out.push_str(&text[done.end..]);
    Ok(out)
}

/// Line and column of an offset, both from 1; the column counts characters.
/// An offset inside a character is that character's; one past the end is the end of the text.
pub fn line_col(text: &str, offset: usize) -> (usize, usize) {
    let before = &text[..floor_char_boundary(text, offset)];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    (
        before.matches('\n').count() + 1,
        before[line_start..].chars().count() + 1,
    )
}

/// The largest character boundary that is at most `offset`.
fn floor_char_boundary(text: &str, offset: usize) -> usize {
    (0..=offset.min(text.len()))
        .rev()
        .find(|&at| text.is_char_boundary(at))
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typedefs_lead_to_their_ends() {
        let text = "typedef const float real;\n#if D\ntypedef double number;\n#else\ntypedef real number;\n#endif\n\
                    typedef number *row; typedef struct { int x; } cell; typedef loop loop;";
        let of = |name: &str| {
            let mut types = typedefs(&[text], name);
            types.sort();
            types
        };
        assert_eq!(of("const real"), ["float"]);
        assert_eq!(of("number"), ["double", "float"]);
        for none in ["row", "cell", "double", "loop"] {
            assert_eq!(of(none), [""; 0], "{none}");
        }
    }

    fn slices(text: &str, ranges: Vec<Range<usize>>) -> Vec<&str> {
        ranges.into_iter().map(|range| &text[range]).collect()
    }

    fn statements(text: &str) -> Vec<&str> {
        slices(text, split_statements(text, 0..text.len()))
    }

    /// Applies every rewrite and checks that the number of lines is unchanged.
    fn rewritten(text: &str) -> String {
        let edits = rewrite_vla_parameters(text);
        let out = apply_edits(text, edits).expect("the rewrites do not overlap");
        assert_eq!(out.matches('\n').count(), text.matches('\n').count());
        out
    }

    #[test]
    fn tokens_have_kinds_and_spans() {
        let text = "int é = 0x1p-3f; // c \\\n still\n/* a */ #define X /* \n */ 1 \\\n  2\n\
                    s = L\"a\\\"b\" + '\\'' ->x .5e+3;";
        let tokens: Vec<(TokenKind, &str)> = tokenize(text)
            .into_iter()
            .map(|token| (token.kind, &text[token.span]))
            .collect();
        use TokenKind::*;
        assert_eq!(
            tokens,
            [
                (Ident, "int"),
                (Ident, "é"),
                (Punct, "="),
                (Number, "0x1p-3f"),
                (Punct, ";"),
                (Comment, "// c \\\n still"),
                (Comment, "/* a */"),
                (Directive, "#define X /* \n */ 1 \\\n  2"),
                (Ident, "s"),
                (Punct, "="),
                (Str, "L\"a\\\"b\""),
                (Punct, "+"),
                (Char, "'\\''"),
                (Punct, "->"),
                (Ident, "x"),
                (Number, ".5e+3"),
                (Punct, ";"),
            ]
        );
    }

    #[test]
    fn statements_of_a_region() {
        let check = |text: &str, expected: &[&str]| assert_eq!(statements(text), expected);
        check("", &[]);
        check(
            "a = 1; int b[] = {1, 2}; ;",
            &["a = 1;", "int b[] = {1, 2};", ";"],
        );
        check(
            "#pragma scop\nfor (;;) for (;;) if (x) a; else b;\nc;\n#pragma endscop",
            &["for (;;) for (;;) if (x) a; else b;", "c;"],
        );
        check(
            "if (a) if (b) c; else d; else e; f;",
            &["if (a) if (b) c; else d; else e;", "f;"],
        );
        check(
            "do a; while (x); while (y) b; do { } while (z); c;",
            &[
                "do a; while (x);",
                "while (y) b;",
                "do { } while (z);",
                "c;",
            ],
        );
        check(
            "do if (a) do b; while (c); else d; while (e); f;",
            &["do if (a) do b; while (c); else d; while (e);", "f;"],
        );
        check(
            "l: x = a ? b : c; {y; {z;}} w",
            &["l: x = a ? b : c;", "{y; {z;}}", "w"],
        );
        check(
            "#pragma omp parallel\n// why\n#pragma ivdep\nfor (;;) {\n}\n#ifdef A\nb;\n#endif",
            &[
                "#pragma omp parallel\n// why\n#pragma ivdep\nfor (;;) {\n}",
                "b;",
            ],
        );
        check("#pragma scop\n#pragma ivdep\na;", &["#pragma ivdep\na;"]);
        check("FOR(i, n) { a; } b;", &["FOR(i, n) { a; }", "b;"]);
        check("MARK(x) for (;;) a; b;", &["MARK(x)", "for (;;) a;", "b;"]);
        check("x = (struct s){1}; y;", &["x = (struct s){1};", "y;"]);
        check(
            "switch (x) { case 1: a; } b;",
            &["switch (x) { case 1: a; }", "b;"],
        );
        check("a; } b; )", &["a;", "b;"]);
        check("for (;;", &["for (;;"]);
        check(
            "if (a)\n  #pragma x\n b; else c;",
            &["if (a)\n  #pragma x\n b; else c;"],
        );
    }

    #[test]
    fn region_limits_the_statements() {
        let text = "void f() {\n a;\n#pragma scop\n b; c;\n#pragma endscop\n d;\n}";
        let start = text.find("#pragma scop").expect("scop");
        let end = text.find("#pragma endscop").expect("endscop") + "#pragma endscop".len();
        assert_eq!(
            slices(text, split_statements(text, start..end)),
            ["b;", "c;"]
        );
    }

    #[test]
    fn functions_of_a_file() {
        let text = "/* licence */\n\n#include <a.h>\nstruct s { int a; } v = {1};\n\
            enum e { A = 1, B };\nint table[] = { 1, 2 };\ntypedef int (*cb)(int);\nint proto(int);\n\
            // one\n// two\nstatic inline __attribute__((noinline(1))) struct s *\nf(int n, float A[2][n], ...) { if (n) { } }\n\
            extern \"C\" {\nvoid g(void) {}\n}\nEXPORT(int) h(struct s, unsigned u, void (*cb)(int x)) { }\n\
            int *(k)(int (*)[3], T t) {}\nreal (*m(int n))[4] { }\n#if X\nvoid o(int a) {\n#else\nvoid o(float a) {\n#endif\n}\n\
            main() {}";
        let found = functions(text);
        let names: Vec<&str> = found.iter().map(|f| f.name.as_str()).collect();
        assert_eq!(names, ["f", "g", "h", "k", "m", "o", "main"]);
        let f = &found[0];
        assert!(text[f.start..].starts_with("static inline"));
        assert!(text[f.start_with_comment..].starts_with("// one"));
        assert_eq!(&text[f.body.clone()], " if (n) { } ");
        assert_eq!(&text[f.name_range.clone()], "f");
        let params: Vec<Option<&str>> = f.params.iter().map(|p| p.name.as_deref()).collect();
        assert_eq!(params, [Some("n"), Some("A")]);
        assert_eq!(slices(text, f.params[1].bounds.clone()), ["2", "n"]);
        assert_eq!(&text[f.params[1].range.clone()], "float A[2][n]");
        assert!(found[1].params.is_empty());
        let params: Vec<Option<&str>> = found[2].params.iter().map(|p| p.name.as_deref()).collect();
        assert_eq!(params, [None, Some("u"), Some("cb")]);
        let params: Vec<Option<&str>> = found[3].params.iter().map(|p| p.name.as_deref()).collect();
        assert_eq!(params, [None, Some("t")]);
        let inside = text.find("if (n)").expect("body");
        assert_eq!(
            enclosing_function(text, inside).map(|f| f.name),
            Some("f".to_owned())
        );
        assert_eq!(enclosing_function(text, 0), None);
    }

    #[test]
    fn branches_that_are_no_c_are_not_read() {
        let text = "#if A\nit's no C: { ( for (;;\n#else\nint x;\n#endif\nvoid f(int n) { g('\"', \"'\"); }";
        let found = functions(text);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].name, "f");
    }

    #[test]
    fn insertion_before_comments_and_short_conditionals() {
        let check = |text: &str, expected: &str| {
            let function = functions(text).pop().expect("a function");
            let point = insertion_point(text, function.start);
            assert!(text[point..].starts_with(expected), "{:?}", &text[point..]);
        };
        check("int x;\n/* c */\nvoid f() {}", "/* c */");
        check("/* licence */\n\nvoid f() {}", "void f");
        check("int x; /* of x */\n  void f() {}", "  void f");
        check("#ifdef A\nvoid f() {}\n#endif\n", "void f");
        check("#ifdef A\nstatic\n#endif\nvoid f() {}\n", "#ifdef A");
        check(
            "#ifdef A\nvoid f(int a) {\n#else\nvoid f() {\n#endif\n}",
            "#ifdef A",
        );
        check("int x; void f() {}", "void f");
    }

    #[test]
    fn vla_parameters() {
        let check = |text: &str, expected: &str| assert_eq!(rewritten(text), expected);
        check(
            "void k(int N, float A[2][N][N]) { x; }",
            "void k(int N, void *hexcc_A) { float (*A)[N][N] = (float (*)[N][N])hexcc_A; x; }",
        );
        check(
            "void k(int N, int M, const unsigned long long A[restrict static 2][N+2][M],\n struct foo (*restrict B)[N])\n{\n}",
            "void k(int N, int M, const void *hexcc_A,\n void *hexcc_B)\n\
             { const unsigned long long (*__restrict__ A)[N+2][M] = (const unsigned long long (*)[N+2][M])hexcc_A; \
             struct foo (*__restrict__ B)[N] = (struct foo (*)[N])hexcc_B;\n}",
        );
        check(
            "void k(int N, int (*const A)[N]) {}",
            "void k(int N, void *hexcc_A) { int (*const A)[N] = (int (*)[N])hexcc_A;}",
        );
        check("void k(int N, float A[N]) {}", "void k(int N, float *A) {}");
        check(
            "void k(int N, real A[N][4]) {}",
            "void k(int N, real (*A)[4]) {}",
        );
        check(
            "void k(float A[static restrict 4]) {}",
            "void k(float *__restrict__ A) {}",
        );
        let same = "#define M 4\nvoid k(int N, float A[2][64][M], float *p, float B[]) {}";
        check(same, same);
        check(
            "void k(int, float [*][*], const T [2][*]);\nvoid l(int n, float [n][n]);",
            "void k(int, void *, const void *);\nvoid l(int n, void *);",
        );
        check(
            "static void k(int N,\n  float\n   A[N][N] /* c */);",
            "static void k(int N,\n  void *hexcc_A\n /* c */);",
        );
        check(
            "void k(int N, const float *A[N][N], float *const B[N][N]) {}",
            "void k(int N, void *hexcc_A, const void *hexcc_B) { \
             const float *(*A)[N] = (const float *(*)[N])hexcc_A; \
             float *const (*B)[N] = (float *const (*)[N])hexcc_B;}",
        );
        check(
            "int N = 4; const int M = 3;\nvoid k(float A[2][N], float B[2][M]) {}",
            "int N = 4; const int M = 3;\nvoid k(void *hexcc_A, float B[2][M]) { \
             float (*A)[N] = (float (*)[N])hexcc_A;}",
        );
        check(
            "int hexcc_A; void k(int N, float A[2][N]) {}",
            "int hexcc_A; void k(int N, void *hexcc_A_) { float (*A)[N] = (float (*)[N])hexcc_A_;}",
        );
        for same in [
            "void k(int N, float (*A[2])[N]) {}",
            "void k(int N,\n#ifdef D\ndouble\n#else\nfloat\n#endif\n A[N]) {}",
            "typedef void f(int N, float A[N]);",
            "int main() { g(N, A[N]); }",
        ] {
            check(same, same);
        }
    }

    #[test]
    fn edits_are_checked() {
        let edit = |range: Range<usize>, text: &str| Edit {
            range,
            replacement: text.to_owned(),
        };
        let text = "aébc";
        assert_eq!(
            apply_edits(
                text,
                vec![
                    edit(3..4, "X"),
                    edit(3..3, "1"),
                    edit(3..3, "2"),
                    edit(4..5, "")
                ]
            ),
            Ok("aé12X".to_owned())
        );
        assert_eq!(
            apply_edits(text, vec![edit(0..3, ""), edit(1..4, "")]),
            Err(EditError::Overlap(0..3, 1..4))
        );
        #[allow(clippy::reversed_empty_ranges)]
        for bad in [2..3, 4..9, 3..1] {
            assert_eq!(
                apply_edits(text, vec![edit(bad.clone(), "")]),
                Err(EditError::BadRange(bad))
            );
        }
    }

    #[test]
    fn diagnostics_positions() {
        let text = "for (int i = 1; i < n; i++)\n for (; j < m; ) s.A[0] = A[i-1][B[i]] + (*A)[i][A[2]] + c;";
        let all = 0..text.len();
        let headers: Vec<(String, &str)> = loop_headers(text, all.clone())
            .into_iter()
            .map(|(name, range)| (name, &text[range]))
            .collect();
        assert_eq!(
            headers,
            [
                ("i".to_owned(), "for (int i = 1; i < n; i++)"),
                ("j".to_owned(), "for (; j < m; )")
            ]
        );
        let access = |name: &str, nth: usize| {
            find_access(text, all.clone(), name, nth).map(|range| &text[range])
        };
        assert_eq!(access("A", 0), Some("A[i-1][B[i]]"));
        assert_eq!(access("A", 1), Some("(*A)[i][A[2]]"));
        assert_eq!(access("A", 2), Some("A[2]"));
        assert_eq!(access("A", 3), None);
        assert_eq!(access("B", 0), Some("B[i]"));
        assert_eq!(access("c", 0), Some("c"));
        assert_eq!(line_col("aé\nbc", 0), (1, 1));
        assert_eq!(line_col("aé\nbc", 2), (1, 2));
        assert_eq!(line_col("aé\nbc", 3), (1, 3));
        assert_eq!(line_col("aé\nbc", 5), (2, 2));
        assert_eq!(line_col("aé\nbc", 99), (2, 3));
    }

    /// Runs everything on one text and checks what must hold for any text.
    fn exercise(text: &str, a: usize, b: usize) {
        let mut last = 0;
        for token in tokenize(text) {
            assert!(last <= token.span.start && token.span.start < token.span.end);
            assert!(text.get(token.span.clone()).is_some());
            last = token.span.end;
        }
        assert!(last <= text.len());
        let region = a.min(b)..a.max(b);
        let mut last = 0;
        for statement in split_statements(text, region.clone()) {
            assert!(last <= statement.start && statement.start < statement.end);
            assert!(region.start <= statement.start && statement.end <= region.end);
            assert!(text.get(statement.clone()).is_some());
            last = statement.end;
            let _ = find_access(text, statement, "A", 1);
        }
        for (_, header) in loop_headers(text, region.clone()) {
            assert!(text.get(header).is_some());
        }
        for function in functions(text) {
            assert!(function.start_with_comment <= function.start);
            assert!(text.get(function.body.clone()).is_some());
            assert!(insertion_point(text, function.start) <= function.start);
            assert!(
                function
                    .params
                    .iter()
                    .all(|param| text.get(param.range.clone()).is_some())
            );
        }
        let _ = enclosing_function(text, a);
        assert!(text.is_char_boundary(insertion_point(text, a)));
        let _ = find_access(text, region, "A", 0);
        let _ = line_col(text, a);
        rewritten(text);
        #[allow(clippy::reversed_empty_ranges)]
        let _ = split_statements(text, text.len() + 3..1);
    }

    #[test]
    fn no_panic_on_any_text() {
        const WORDS: [&str; 66] = [
            "(",
            ")",
            "[",
            "]",
            "{",
            "}",
            ";",
            ",",
            "=",
            "*",
            "?",
            ":",
            ".",
            "->",
            "\n",
            " ",
            "\\\n",
            "\r\n",
            "\"",
            "'",
            "/*",
            "*/",
            "//",
            "é",
            "\u{1F600}",
            "\\",
            "#if 0\n",
            "\n#ifdef X\n",
            "\n#else\n",
            "\n#endif\n",
            "\n#pragma scop\n",
            "\n#pragma omp\n",
            "for",
            "while",
            "do",
            "if",
            "else",
            "switch",
            "case",
            "default",
            "return",
            "int",
            "float ",
            "const ",
            "static ",
            "restrict ",
            "void ",
            "struct ",
            "typedef ",
            "extern \"C\" {",
            "A",
            "N",
            " f",
            "A[N]",
            "malloc(",
            "= malloc(3)",
            "(*A)[N]",
            "__attribute__((x))",
            "void k(int N, float A[2][N]) {",
            "float *p = malloc(1);",
            "enum",
            "sizeof",
            "1e+",
            ".5",
            "\u{b}",
            "\0",
        ];
        // A linear congruential generator: the test is reproducible and needs no dependency.
        let mut state = 12345u64;
        let mut random = move |below: usize| {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (state >> 33) as usize % below.max(1)
        };
        for round in 0..10_000 {
            let mut text = String::new();
            for _ in 0..random(40) {
                if round % 4 == 0 {
                    text.extend(char::from_u32(random(0x250) as u32));
                } else {
                    text.push_str(WORDS[random(WORDS.len())]);
                }
                if random(3) == 0 {
                    text.push(' ');
                }
            }
            let (a, b) = (random(text.len() + 2), random(text.len() + 2));
            exercise(&text, a, b);
        }
        let truncated = "/* c */\nstatic void k(int N, const float A[2][N][N]) {\n#pragma scop\n\
            for (int i = 1; i < N; i++) if (i) A[0][i][1] = 'x'; else { é = \"s\\n\"; }\n\
            #pragma endscop\n}\nint main() { float *p = malloc(4); return 0; }\n";
        for end in 0..truncated.len() {
            if let Some(text) = truncated.get(..end) {
                exercise(text, end / 2, end);
            }
        }
        let deep = "for(;;) ".repeat(100_000) + &"(".repeat(100_000) + &"if (x) ".repeat(10_000);
        exercise(&deep, 0, deep.len());
        exercise(&("{".repeat(50_000) + &"}".repeat(50_000)), 0, 100_000);
    }
}
