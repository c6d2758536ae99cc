//! Where variables are declared, and what the text does with them outside of a region.

use super::{
    Code, Declared, QUALIFIERS, STORAGE, TokenKind, define, definition, file_scope, is_declaration,
    is_type_word, simple_statement_start, statement_end,
};
use crate::ctype::CType;
use std::collections::BTreeSet;
use std::ops::Range;

mod hidden;
mod liveness;
mod pointers;
pub use hidden::{Hiding, macros_that_name, without_hidden};
pub use liveness::is_dead_outside;
pub use pointers::allocations_of_pointers;

/// The declarator of a variable, such as `**A` or `(*A)[N]` or `A[2][N]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declarator {
    /// Its bytes, without the type before it and the initial value after it.
    pub range: Range<usize>,
    /// Stars in it.
    pub stars: usize,
    /// Bounds in brackets.
    pub n_bounds: usize,
    /// Where the variable lives.
    pub place: Place,
}

/// Where a variable lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In a call of the function: a parameter or an automatic variable.
    Call,
    /// As long as the program: at file scope, `static` or `extern`.
    Program,
}

/// Variables and constants at file scope: those that a file defines, and all that it declares.
pub fn variables_of_file(text: &str) -> (BTreeSet<String>, BTreeSet<String>) {
    let scope = file_scope(&Code::new(text));
    let all = || scope.variables.iter().chain(&scope.constants).cloned();
    let defined = all().filter(|name| !scope.elsewhere.contains(name));
    (
        defined.collect(),
        all().chain(scope.elsewhere.iter().cloned()).collect(),
    )
}

/// The declaration of a name that is visible at an offset inside a function, as far as the text
/// shows it: not one that a macro expands to.
pub fn declarator(text: &str, name: &str, offset: usize) -> Option<Declarator> {
    Scope::new(&Code::new(text), offset)?.declarator(name)
}

/// The words of the type that a variable is declared with, without its declarator; the variable as
/// in [`declarator`].
pub fn declared_type(text: &str, name: &str, offset: usize) -> Option<String> {
    Scope::new(&Code::new(text), offset)?.declared_type(name)
}

/// Types of the integer literals in a part of the text that are none of `int`, by their suffixes
/// and values; those in macros that it names, too, and not those in subscripts.
pub fn wide_literals(text: &str, part: Range<usize>) -> Vec<CType> {
    let directives = super::directives(text);
    let defines: Vec<_> = (directives.iter())
        .filter_map(|d| super::define(d))
        .collect();
    let definitions = |name: &str| -> Vec<&str> {
        let of_name = defines.iter().filter(|d| d.name == name);
        of_name.map(|d| d.body).collect()
    };
    // What is given to a macro that has subscripts goes into them.
    let is_access = |name: &str| definitions(name).iter().any(|body| body.contains('['));
    let mut found = Vec::new();
    let mut names = Vec::new();
    let code = Code::new(text);
    let first = code.tokens.partition_point(|t| t.span.start < part.start);
    let last = code.tokens.partition_point(|t| t.span.end <= part.end);
    literals_of_values(&code, first..last, &is_access, (&mut found, &mut names));
    let mut seen: Vec<String> = Vec::new();
    while let Some(name) = names.pop() {
        for body in definitions(&name)
            .into_iter()
            .filter(|_| !seen.contains(&name))
        {
            let code = Code::new(body);
            let all = 0..code.tokens.len();
            literals_of_values(&code, all, &is_access, (&mut found, &mut names));
        }
        seen.push(name);
    }
    found
}

/// Adds types of literals and names that are not in subscripts.
fn literals_of_values(
    code: &Code,
    tokens: Range<usize>,
    is_access: &dyn Fn(&str) -> bool,
    (found, names): (&mut Vec<CType>, &mut Vec<String>),
) {
    let mut at = tokens.start;
    while at < tokens.end {
        let word = code.word(at);
        if word == "[" || word == "(" && at > tokens.start && is_access(code.word(at - 1)) {
            at = code.skip(at).max(at + 1);
            continue;
        }
        match code.tokens[at].kind {
            TokenKind::Number => found.extend(wide_literal(word)),
            TokenKind::Ident => names.push(word.to_string()),
            _ => {}
        }
        at += 1;
    }
}

/// The type of an integer literal that is not `int`.
pub(crate) fn wide_literal(word: &str) -> Option<CType> {
    let lower = word.to_ascii_lowercase();
    let is_hex = lower.starts_with("0x");
    if !is_hex && lower.contains(['.', 'e']) || is_hex && lower.contains(['.', 'p']) {
        return None;
    }
    let digits = lower.trim_end_matches(['u', 'l']);
    let suffix = &lower[digits.len()..];
    let value = match (digits.strip_prefix("0x"), digits.strip_prefix("0b")) {
        (Some(hex), _) => u64::from_str_radix(hex, 16),
        (_, Some(bits)) => u64::from_str_radix(bits, 2),
        _ if digits.len() > 1 && digits.starts_with('0') => u64::from_str_radix(digits, 8),
        _ => digits.parse(),
    };
    let value = value.ok()?;
    let (unsigned, long) = (suffix.contains('u'), suffix.contains('l'));
    let fits = |bits: u32| value < 1u64 << bits;
    let decimal = !digits.starts_with('0');
    match (unsigned, long) {
        (false, false) if fits(31) => None,
        (false, false) if !decimal && fits(32) => Some(CType::UInt(4)),
        (true, false) if fits(32) => Some(CType::UInt(4)),
        (false, _) if fits(63) => Some(CType::Int(8)),
        _ => Some(CType::UInt(8)),
    }
}

/// Variables of a function that a region of it alone mentions, but for their declarations, which are
/// outside.
pub fn used_only_in(text: &str, region: Range<usize>) -> Vec<String> {
    used_in_gone(text, region, &[])
}

/// The same where other parts of the text are gone.
pub fn used_in_gone(text: &str, region: Range<usize>, gone: &[Range<usize>]) -> Vec<String> {
    let code = Code::new(text);
    let Some(scope) = Scope::new(&code, region.start) else {
        return Vec::new();
    };
    let at = |offset| code.tokens.partition_point(|t| t.span.start < offset);
    let within = at(region.start)..at(region.end);
    let names: BTreeSet<&str> = (within.clone())
        .filter(|&at| code.is_plain_name(at))
        .map(|at| code.word(at))
        .collect();
    let mentions = |name: &str| {
        let is_name = |&at: &usize| code.is_ident(at) && code.word(at) == name;
        let is_gone = |at: usize| {
            gone.iter()
                .any(|span| span.contains(&code.tokens[at].span.start))
        };
        let outside = scope.body.clone();
        let outside = outside.filter(|at| !within.contains(at) && !is_gone(*at));
        outside.filter(is_name).count()
    };
    let is_used_up = |name: &&str| {
        let local = |d: Declarator| d.place == Place::Call && d.range.end <= region.start;
        mentions(name) == 1
            && !macro_mentions(&code, name)
            && scope.declarator(name).is_some_and(local)
    };
    names
        .into_iter()
        .filter(is_used_up)
        .map(str::to_string)
        .collect()
}

/// Whether a variable is declared in blocks inside of a region alone, so that it ends with them.
pub fn ends_within(text: &str, name: &str, region: Range<usize>) -> bool {
    let code = Code::new(text);
    let Some(scope) = Scope::new(&code, region.end) else {
        return false;
    };
    let first = code.tokens.partition_point(|t| t.span.start < region.start);
    let declared: Vec<usize> = (first..scope.at)
        .filter(|&at| code.is_ident(at) && code.word(at) == name)
        .filter(|&at| scope.declared_at(at).is_some())
        .collect();
    !declared.is_empty() && !declared.iter().any(|&at| scope.is_visible(at))
}

/// Bytes where the text between the declaration of a variable and a region may change another
/// variable: an assignment, `++`, `--`, or its address taken. `None` where nothing does.
pub fn change_before(
    text: &str,
    name: &str,
    declared: &Declarator,
    region: Range<usize>,
) -> Option<Range<usize>> {
    let code = Code::new(text);
    let scope = Scope::new(&code, region.start)?;
    let start = code
        .tokens
        .partition_point(|t| t.span.start < declared.range.end);
    let mut end = code.tokens.partition_point(|t| t.span.start < region.start);
    let start = start.max(scope.body.start);
    // A loop around the region runs what comes after it before it, too.
    let outer = (start..end).find_map(|at| {
        let stop = statement_end(&code, at, scope.body.end);
        (matches!(code.word(at), "for" | "while" | "do") && stop > end).then_some(stop)
    });
    end = outer.unwrap_or(end);
    (start..end)
        .filter(|&at| code.is_ident(at) && code.word(at) == name)
        .find(|&at| {
            let own = scope.declared_at(at).is_some();
            !own && (is_assigned(&code, at) || is_address(&code, at))
        })
        .map(|at| code.bytes(at..at + 1))
}

/// Operators that change what they stand at.
pub(crate) const ASSIGNS: [&str; 13] = [
    "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--",
];

/// Whether the variable, or the element, whose name is at a token gets a value there.
pub(crate) fn is_assigned(code: &Code, at: usize) -> bool {
    let before = at.checked_sub(1).map_or("", |before| code.word(before));
    if matches!(before, "." | "->") {
        return false;
    }
    ASSIGNS.contains(&code.word(at + 1)) || matches!(before, "++" | "--")
}

/// Whether the name at a token is the operand of a unary `&`.
pub(crate) fn is_address(code: &Code, at: usize) -> bool {
    let Some(ampersand) = at.checked_sub(1).filter(|&before| code.word(before) == "&") else {
        return false;
    };
    !ampersand.checked_sub(1).is_some_and(|before| {
        let word = code.word(before);
        matches!(word, ")" | "]")
            || code.tokens[before].kind == TokenKind::Number
            || code.is_plain_name(before)
    })
}

/// Whether a macro of the file has the name, or the name in what it stands for.
fn macro_mentions(code: &Code, name: &str) -> bool {
    let macros = super::directives(code.text).into_iter().filter_map(define);
    macros.into_iter().any(|m| {
        let has_name = m.name == name || m.words().contains(&name);
        has_name && !m.params.is_some_and(|params| params.contains(&name))
    })
}

/// The function around an offset.
#[derive(Clone)]
pub(crate) struct Scope<'a> {
    code: &'a Code<'a>,
    /// The token at the offset.
    at: usize,
    /// Tokens between the braces.
    body: Range<usize>,
    /// The parenthesis that opens the parameters.
    params: usize,
    /// First token of the function.
    start: usize,
}

impl<'a> Scope<'a> {
    pub(crate) fn new(code: &'a Code<'a>, offset: usize) -> Option<Scope<'a>> {
        let functions = file_scope(code).functions;
        let around = |f: &&Declared| {
            definition(code, f).is_some_and(|d| d.body.start <= offset && offset <= d.body.end)
        };
        let function = functions.iter().find(around)?;
        let open = function.body?;
        Some(Scope {
            code,
            at: code.tokens.partition_point(|t| t.span.start < offset),
            body: open + 1..code.skip(open) - 1,
            params: function.params,
            start: function.start,
        })
    }

    /// The tokens between the braces of the function.
    pub(crate) fn body(&self) -> Range<usize> {
        self.body.clone()
    }

    /// The scope at another token of the function.
    pub(crate) fn moved_to(&self, at: usize) -> Scope<'a> {
        Scope { at, ..self.clone() }
    }

    /// As [`declared_type`].
    pub(crate) fn declared_type(&self, name: &str) -> Option<String> {
        let code = self.code;
        let declarator = self.declarator(name)?;
        let at = code
            .tokens
            .partition_point(|t| t.span.end <= declarator.range.start);
        let is_parameter = (self.params..code.skip(self.params)).contains(&at);
        let mut start = simple_statement_start(code, at);
        if is_parameter {
            start = (start..at)
                .rev()
                .find(|&i| code.word(i) == ",")
                .map_or(start, |i| i + 1);
        }
        let mut words = Vec::new();
        for word in (start..at).map(|i| code.word(i)) {
            match word {
                word if QUALIFIERS.contains(&word) || STORAGE.contains(&word) => {}
                word if is_type_word(word) || words.is_empty() => words.push(word),
                _ => break,
            }
        }
        (!words.is_empty()).then(|| words.join(" "))
    }

    pub(crate) fn declarator(&self, name: &str) -> Option<Declarator> {
        let code = self.code;
        let is_name = |at: &usize| code.is_ident(*at) && code.word(*at) == name;
        let local = (self.body.start..self.at)
            .rev()
            .filter(is_name)
            .find_map(|at| {
                let part = self.declared_at(at)?;
                self.is_visible(at).then_some((at, part))
            });
        let parameter = || {
            let close = code.skip(self.params);
            let at = (self.params..close).find(|at| {
                is_name(at)
                    && super::parameter_ranges(code, self.params)
                        .iter()
                        .any(|p| p.contains(at) && code.declared_name(p.clone(), true) == Some(*at))
            })?;
            let ranges = super::parameter_ranges(code, self.params);
            Some((at, ranges.into_iter().find(|p| p.contains(&at))?))
        };
        if let Some((at, part)) = local {
            let start = simple_statement_start(code, at);
            let is_static = (start..at).any(|i| matches!(code.word(i), "static" | "extern"));
            let place = if is_static {
                Place::Program
            } else {
                Place::Call
            };
            return Some(self.taken_apart(at, part, place));
        }
        if let Some((at, part)) = parameter() {
            return Some(self.taken_apart(at, part, Place::Call));
        }
        let mut at = 0;
        while at < self.start {
            if is_name(&at)
                && let Some(part) = self.declared_at(at)
            {
                return Some(self.taken_apart(at, part, Place::Program));
            }
            // Bodies of functions; parentheses hold declarators.
            at = match code.word(at) {
                "{" => code.skip(at),
                _ => at + 1,
            };
        }
        None
    }

    /// Whether the token is the name that a declaration declares.
    pub(crate) fn declares(&self, at: usize) -> bool {
        self.declared_at(at).is_some()
    }

    /// The declarator, as tokens, with what is left of its type, if the token is the name that a
    /// declaration declares.
    fn declared_at(&self, at: usize) -> Option<Range<usize>> {
        let code = self.code;
        let mut start = simple_statement_start(code, at);
        // A parenthesised declarator belongs to the statement around it.
        while start > 0 && code.word(start - 1) == "(" && code.word(start) == "*" {
            start = simple_statement_start(code, start - 1);
        }
        // `(i * n)` declares nothing.
        let before = |n: usize| start.checked_sub(n).map_or("", |i| code.word(i));
        if matches!(before(1), "[" | "return") || before(1) == "(" && before(2) != "for" {
            return None;
        }
        let mut end = at;
        while end < code.tokens.len() && !matches!(code.word(end), ";" | "{" | "}") {
            let word = code.word(end);
            if matches!(word, ")" | "]") && code.skip_back(end) < start {
                break;
            }
            end = code.skip(end);
        }
        if !is_declaration(code, start..end) || code.word(start) == "typedef" {
            return None;
        }
        let parts = code.split_commas(start..end);
        let (position, part) = (parts.into_iter().enumerate()).find(|(_, p)| p.contains(&at))?;
        let mut stop = part.start;
        while stop < part.end && code.word(stop) != "=" {
            stop = code.skip(stop);
        }
        let part = part.start..stop.min(part.end);
        (part.contains(&at) && code.declared_name(part.clone(), position == 0) == Some(at))
            .then_some(part)
    }

    /// Whether the block or the loop that a declaration is in holds the offset.
    fn is_visible(&self, declared: usize) -> bool {
        let code = self.code;
        let around = (self.body.start..declared).rev().find(|&open| {
            matches!(code.word(open), "{" | "(") && code.skip(open) > declared && {
                // The parentheses of a loop, not those of a declarator.
                code.word(open) == "{" || open > 0 && code.word(open - 1) == "for"
            }
        });
        match around {
            None => true,
            Some(open) if code.word(open) == "{" => code.skip(open) > self.at,
            Some(open) => statement_end(code, open - 1, self.body.end) > self.at,
        }
    }

    fn taken_apart(&self, name: usize, part: Range<usize>, place: Place) -> Declarator {
        let code = self.code;
        let is_own = |at: &usize| {
            matches!(code.word(*at), "*" | "(") || QUALIFIERS.contains(&code.word(*at))
        };
        let mut first = name;
        while first > part.start && is_own(&(first - 1)) && !is_type_word_before(code, first, name)
        {
            first -= 1;
        }
        let own = first..part.end;
        let mut n_bounds = 0;
        let mut at = name + 1;
        while at < part.end {
            n_bounds += usize::from(code.opens(at, "["));
            at = code.skip(at);
        }
        Declarator {
            range: code.bytes(own.clone()),
            stars: (own.start..name).filter(|&at| code.word(at) == "*").count(),
            n_bounds,
            place,
        }
    }
}

/// Whether the token before `first` is a qualifier of the element type, not of the pointer.
fn is_type_word_before(code: &Code, first: usize, name: usize) -> bool {
    let word = code.word(first - 1);
    is_type_word(word) && !(first..name).any(|at| code.word(at) == "*") && {
        let mut before = first - 1;
        while before > 0 && QUALIFIERS.contains(&code.word(before)) {
            before -= 1;
        }
        code.word(before) != "*"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at_region(text: &str, name: &str) -> Option<(String, usize, usize, Place)> {
        let d = declarator(text, name, text.find("REGION").expect("a region"))?;
        Some((
            text[d.range.clone()].to_string(),
            d.stars,
            d.n_bounds,
            d.place,
        ))
    }

    #[test]
    fn types_and_literals_of_expressions() {
        let text = "#define BIG 5000000000\nstatic void f(size_t n, const long m, unsigned *u) {\n  int i, j;\n  for (long k = 0; k < n; k++) { REGION; }\n}\n";
        let at = text.find("REGION").expect("a region");
        let ty = |name: &str| declared_type(text, name, at);
        assert_eq!(ty("n").as_deref(), Some("size_t"));
        assert_eq!(ty("m").as_deref(), Some("long"));
        assert_eq!(ty("j").as_deref(), Some("int"));
        assert_eq!(ty("k").as_deref(), Some("long"));
        let wide = |text: &str| wide_literals(text, 0..text.len());
        assert_eq!(wide("i * 7 + 0x10 - A[3ul] * 1.5e3f"), []);
        assert_eq!(wide("i - 5u"), [CType::UInt(4)]);
        assert_eq!(wide("3000000000 * i"), [CType::Int(8)]);
        assert_eq!(wide("0xffffffff & i"), [CType::UInt(4)]);
        let access = "#define AT(i, j) B[(i) * 9ul + (j)]\n2 * AT(i - 5l, 3) + 1";
        assert_eq!(wide_literals(access, 36..access.len()), []);
        let named = format!("{text}\nBIG + i");
        let part = named.len() - 7..named.len();
        assert_eq!(wide_literals(&named, part), [CType::Int(8)]);
    }

    #[test]
    fn declarators_are_taken_apart() {
        let text = "float G[4][4], *g;\nstatic int f(int n, const float **A, float B[n][n], float (*C)[n])\n{\n  \
                    float *D[3], (*E)[n] = 0, F = 1;\n  static int s;\n  { int hidden; }\n  for (int i = 0; i < n; i++) {\n    \
                    int x = i; REGION;\n  }\n  int late;\n}\n";
        let found = |name: &str| at_region(text, name);
        let call = |t: &str, stars, bounds| Some((t.to_string(), stars, bounds, Place::Call));
        assert_eq!(found("A"), call("**A", 2, 0));
        assert_eq!(found("B"), call("B[n][n]", 0, 2));
        assert_eq!(found("C"), call("(*C)[n]", 1, 1));
        assert_eq!(found("D"), call("*D[3]", 1, 1));
        assert_eq!(found("E"), call("(*E)[n]", 1, 1));
        assert_eq!(found("F"), call("F", 0, 0));
        assert_eq!(found("i"), call("i", 0, 0));
        assert_eq!(found("x"), call("x", 0, 0));
        assert_eq!(found("hidden"), None);
        assert_eq!(found("late"), None);
        assert_eq!(found("s").map(|d| d.3), Some(Place::Program));
        assert_eq!(found("G"), Some(("G[4][4]".into(), 0, 2, Place::Program)));
        assert_eq!(found("g").map(|d| d.1), Some(1));
    }

    #[test]
    fn variables_are_used_up_by_their_only_user() {
        let used = |text: &str| {
            let (before, rest) = text.split_once('<').expect("a region");
            let (region, after) = rest.split_once('>').expect("its end");
            let region_of = before.len()..before.len() + region.len();
            used_only_in(&format!("{before}{region}{after}"), region_of)
        };
        assert_eq!(
            used("void f(int n) { int k, l; <k = n; l = n;> g(l); }"),
            ["k"]
        );
        assert!(used("void f(void) { static int k; <k = 1;> }").is_empty());
        let text = "void f(void) { int k; k = 1; k = 2; }";
        let (first, second) = (22..28, 29..35);
        assert!(used_only_in(text, first.clone()).is_empty());
        assert_eq!(used_in_gone(text, first, &[second]), ["k"]);
        assert!(used("#define K k\nvoid f(void) { int k; <k = 1;> g(K); }").is_empty());
        assert!(used("void f(void) { <{ int k; k = 1; }> }").is_empty());
    }

    #[test]
    fn values_are_live_where_something_can_see_them() {
        let dead = |text: &str| {
            let start = text.find("REGION").expect("a region");
            is_dead_outside(text, "x", start..start + 6)
        };
        assert!(dead("void f(void) { int x; REGION; }"));
        assert!(dead("void f(int n) { int x = n; g(x); REGION; }"));
        assert!(dead("#define F(x) (x)\nvoid f(void) { int x; REGION; }"));
        assert!(dead("void f(void) { for (;;) { int x; REGION; } }"));
        assert!(!dead("void f(void) { int x; REGION; g(x); }"));
        assert!(!dead("int x; void f(void) { REGION; }"));
        assert!(!dead("void f(void) { static int x; REGION; }"));
        assert!(!dead(
            "void f(void) { int x = 0; for (;;) { g(x); REGION; } }"
        ));
        assert!(!dead(
            "void f(void) { int x = 0; for (; x < 3; x++) REGION; }"
        ));
        assert!(!dead("void f(void) { int x, *p = &x; REGION; g(*p); }"));
        assert!(!dead(
            "void f(void) { int x = 0; again: g(x); REGION; goto again; }"
        ));
        assert!(!dead(
            "#define SHOW g(x)\nvoid f(void) { int x; REGION; SHOW; }"
        ));
    }

    #[test]
    fn variables_of_blocks_end_with_them() {
        let ends = |text: &str| {
            let (start, end) = (text.find('<'), text.find('>'));
            let (start, end) = (start.expect("a start"), end.expect("an end"));
            ends_within(text, "x", start..end)
        };
        assert!(ends(
            "void f(void) { REGION<; for (;;) { int x; x = 1; } > g(); }"
        ));
        assert!(ends(
            "void f(void) { int x; REGION<; { int x, y; x = 1; } >; g(x); }"
        ));
        assert!(!ends("void f(void) { REGION<; int x; x = 1; > g(x); }"));
        assert!(!ends("void f(void) { int x; REGION<; x = 1; > g(); }"));
        assert!(!ends("void f(void) { REGION<; MACRO; x = 1; > g(); }"));
    }

    #[test]
    fn changes_of_sizes_are_found() {
        let change = |text: &str| {
            let start = text.find("REGION").expect("a region");
            let declared = declarator(text, "A", start).expect("a declaration");
            change_before(text, "n", &declared, start..start + 6).is_some()
        };
        assert!(!change(
            "void f(int n, float A[n]) { int m = n; REGION; n = 3; }"
        ));
        assert!(!change("void f(int n) { n = 4; float A[n]; REGION; }"));
        assert!(!change(
            "void f(int n) { float A[n]; if (n == 3 && m & n) g(n); REGION; }"
        ));
        assert!(change("void f(int n, float A[n]) { n--; REGION; }"));
        assert!(change("void f(int n, float A[n]) { n = 3; REGION; }"));
        assert!(change(
            "void f(int n, float A[n]) { scanf(\"%d\", &n); REGION; }"
        ));
        assert!(change(
            "void f(int n, float A[n]) { for (;;) { REGION; n *= 2; } }"
        ));
    }
}
