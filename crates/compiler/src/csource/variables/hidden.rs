//! Variables of a function that hide what functions called in it use, or what it uses itself elsewhere.
//!
//! Calls become part of the code around them, in which a name means one variable. So a local variable
//! gets another name where a function that its own one calls, itself or through others, uses a name from
//! outside that is the same word.

use super::{Scope, variables_of_file};
use crate::csource::macros::{Define, define};
use crate::csource::{Code, Edit, Function, TokenKind, directives, functions};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// A local variable that hides another one and keeps its name, since a macro names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hiding {
    /// The name.
    pub name: String,
    /// Bytes of its declaration.
    pub declared: Range<usize>,
    /// The function that uses the hidden one.
    pub used_in: String,
}

/// Edits after which no local variable hides what called functions use.
///
/// # Errors
/// A local variable that hides one and that a macro names.
pub fn without_hidden(text: &str) -> Result<Vec<Edit>, Hiding> {
    let code = Code::new(text);
    let functions = functions(text);
    let macros = words_of_macros(text);
    let bodies: Vec<Body> = (functions.iter())
        .map(|f| Body::new(&code, f, &macros))
        .collect();
    let of_file = variables_of_file(text).1;
    let mut edits = Vec::new();
    for (at, body) in bodies.iter().enumerate() {
        let called = reached(at, &functions, &bodies);
        let mut taken: BTreeSet<String> = BTreeSet::new();
        for (name, &declared) in &body.locals {
            // Where it is not hidden, the function itself may use a variable of the file, too.
            let itself = of_file.contains(*name).then_some(at);
            let mut users = called.iter().copied().chain(itself);
            let user = users.find(|&f| bodies[f].is_used_from_outside(name));
            let Some(user) = user else { continue };
            if body.is_local_in_macro(name) {
                return Err(Hiding {
                    name: (*name).to_string(),
                    declared: code.bytes(declared..declared + 1),
                    used_in: functions[user].name.clone(),
                });
            }
            let new = fresh(text, name, &taken);
            edits.extend(body.places_of_local(name).map(|at| Edit {
                range: code.bytes(at..at + 1),
                replacement: new.clone(),
            }));
            taken.insert(new);
        }
    }
    Ok(edits)
}

/// Where a text defines macros that `file` uses and that name what it names: variables, for all one knows,
/// of which no word of the file tells that the macro uses or changes them.
pub fn macros_that_name(text: &str, file: &str) -> Vec<Range<usize>> {
    let code = Code::new(file);
    let of_file: BTreeSet<&str> = (0..code.tokens.len())
        .filter(|&at| code.is_plain_name(at))
        .map(|at| code.word(at))
        .collect();
    let of_both = [text, file].map(words_of_macros);
    let is_macro = |word: &str| of_both.iter().any(|macros| macros.contains_key(word));
    let is_used = |name: &str| {
        of_file.contains(name)
            || of_both[0]
                .iter()
                .any(|(user, words)| of_file.contains(user) && words.contains(name))
    };
    let all = Code::new(text);
    let directives = (all.all.iter()).filter(|t| t.kind == TokenKind::Directive);
    let wanted = directives.filter(|t| {
        define(&text[t.span.clone()]).is_some_and(|m| {
            let names = |w: &&str| !is_macro(w) && of_file.contains(w);
            !of_both[1].contains_key(m.name) && is_used(m.name) && names_of(&m).iter().any(names)
        })
    });
    wanted.map(|t| t.span.clone()).collect()
}

/// A name that the text does not have.
fn fresh(text: &str, name: &str, taken: &BTreeSet<String>) -> String {
    let numbers = std::iter::once(String::new()).chain((2..).map(|n: usize| n.to_string()));
    let mut names = numbers.map(|n| format!("{name}_local{n}"));
    let is_free = |new: &String| !text.contains(new.as_str()) && !taken.contains(new);
    names.find(is_free).unwrap_or_default()
}

/// Names in what a macro stands for, but its parameters, members and tags.
fn names_of<'a>(m: &Define<'a>) -> Vec<&'a str> {
    let body = Code::new(m.body);
    let is_own = |word: &&str| !m.params.iter().flatten().any(|param| param == word);
    let names = (0..body.tokens.len()).filter(|&at| {
        let before = at.checked_sub(1).map_or("", |before| body.word(before));
        body.is_ident(at) && !matches!(before, "." | "->" | "struct" | "union" | "enum")
    });
    let range = |at: usize| body.tokens[at].span.clone();
    names.map(|at| &m.body[range(at)]).filter(is_own).collect()
}

/// All words that each macro of the text may bring, but its parameters.
fn words_of_macros(text: &str) -> BTreeMap<&str, BTreeSet<&str>> {
    let mut direct: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for define in directives(text).into_iter().filter_map(define) {
        let names = names_of(&define);
        direct.entry(define.name).or_default().extend(names);
    }
    let reach = |name: &str| {
        let mut all: BTreeSet<&str> = BTreeSet::new();
        let mut open: Vec<&str> = direct[name].iter().copied().collect();
        while let Some(word) = open.pop() {
            if all.insert(word) {
                open.extend(direct.get(word).into_iter().flatten());
            }
        }
        all
    };
    direct.keys().map(|name| (*name, reach(name))).collect()
}

/// Functions that one calls, itself or through others, without itself.
fn reached(from: usize, functions: &[Function], bodies: &[Body]) -> BTreeSet<usize> {
    let mut seen = BTreeSet::new();
    let mut open = vec![from];
    while let Some(at) = open.pop() {
        for (other, f) in functions.iter().enumerate() {
            let is_called = bodies[at].has_word(&f.name);
            if other != from && is_called && seen.insert(other) {
                open.push(other);
            }
        }
    }
    seen
}

/// What a function names.
struct Body<'a> {
    code: &'a Code<'a>,
    scope: Option<Scope<'a>>,
    /// Tokens of parameters and body.
    tokens: Range<usize>,
    /// Names, where they stand.
    words: BTreeMap<&'a str, Vec<usize>>,
    /// Words that macros bring, and where these stand.
    macro_words: BTreeMap<&'a str, Vec<usize>>,
    /// Variables that it declares, and where first.
    locals: BTreeMap<&'a str, usize>,
}

impl<'a> Body<'a> {
    fn new(
        code: &'a Code<'a>,
        function: &Function,
        macros: &BTreeMap<&'a str, BTreeSet<&'a str>>,
    ) -> Body<'a> {
        let at = |offset: usize| code.tokens.partition_point(|t| t.span.start < offset);
        let params = at(function.name_range.end);
        let body = at(function.body.start)..at(function.body.end);
        let mut words: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        let mut macro_words: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for index in params..body.end {
            let before = index.checked_sub(1).map_or("", |i| code.word(i));
            let is_member = matches!(before, "." | "->" | "struct" | "union" | "enum" | "goto");
            if code.is_plain_name(index) && !is_member {
                let word = code.word(index);
                words.entry(word).or_default().push(index);
                for brought in macros.get(word).into_iter().flatten() {
                    macro_words.entry(*brought).or_default().push(index);
                }
            }
        }
        let mut locals = BTreeMap::new();
        for param in &function.params {
            let mut range = at(param.range.start)..at(param.range.end);
            let named = |&i: &usize| Some(code.word(i)) == param.name.as_deref();
            if let Some(index) = range.find(named) {
                locals.insert(code.word(index), index);
            }
        }
        let scope = Scope::new(code, function.body.end);
        if let Some(scope) = &scope {
            for (word, places) in &words {
                let first = places
                    .iter()
                    .find(|&&i| body.contains(&i) && scope.declares(i));
                if let Some(&first) = first {
                    locals.entry(*word).or_insert(first);
                }
            }
        }
        Body {
            code,
            scope,
            tokens: params..body.end,
            words,
            macro_words,
            locals,
        }
    }

    fn has_word(&self, name: &str) -> bool {
        self.words.contains_key(name) || self.macro_words.contains_key(name)
    }

    /// Whether a name here means what is declared outside of the function.
    fn is_used_from_outside(&self, name: &str) -> bool {
        let is_own = self.locals.contains_key(name);
        let by_macro = self.macro_words.get(name).into_iter().flatten();
        let by_itself = self.words.get(name).into_iter().flatten();
        let mut variables = by_itself.filter(|&&at| self.code.word(at + 1) != "(");
        let mut expanded = by_macro.filter(|&&at| !(is_own && self.means_local(name, at)));
        variables.any(|&at| !(is_own && self.is_local(at))) || expanded.next().is_some()
    }

    /// Whether a macro names a variable of the function.
    fn is_local_in_macro(&self, name: &str) -> bool {
        let mut places = self.macro_words.get(name).into_iter().flatten();
        places.any(|&at| self.means_local(name, at))
    }

    /// Whether the name at a token means a variable of the function, or declares it.
    fn is_local(&self, at: usize) -> bool {
        let declares = |scope: &Scope| at < scope.body().start || scope.declares(at);
        self.scope.as_ref().is_none_or(declares) || self.means_local(self.code.word(at), at)
    }

    /// Whether a name means a variable of the function where a token stands.
    fn means_local(&self, name: &str, at: usize) -> bool {
        let Some(scope) = &self.scope else {
            return true;
        };
        let own = self.code.bytes(self.tokens.clone());
        let declared = scope.moved_to(at).declarator(name);
        declared.is_some_and(|d| own.contains(&d.range.start))
    }

    fn places_of_local(&self, name: &str) -> impl Iterator<Item = usize> {
        let places = self.words.get(name).into_iter().flatten().copied();
        places.filter(|&at| self.is_local(at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::csource::apply_edits;

    fn renamed(text: &str) -> String {
        let edits = without_hidden(text).expect("no macro names a variable");
        apply_edits(text, edits).expect("edits do not collide")
    }

    #[test]
    fn a_variable_that_hides_what_a_callee_uses_gets_another_name() {
        let text = "\
static double a = 1, b = 2;
static double f(double x) { return x * a; }
static double g(double a) { return a + b; }
int main(void) {
  double a = 0.5; struct s a_ = {.a = 1}; p.a = a;
  for (int b = 0; b < 3; b++) { double a = f(b) + a; }
  return g(a);
}
";
        let expected = "\
static double a = 1, b = 2;
static double f(double x) { return x * a; }
static double g(double a) { return a + b; }
int main(void) {
  double a_local = 0.5; struct s a_ = {.a = 1}; p.a = a_local;
  for (int b_local = 0; b_local < 3; b_local++) { double a_local = f(b_local) + a_local; }
  return g(a_local);
}
";
        assert_eq!(renamed(text), expected);
    }

    #[test]
    fn names_that_no_callee_uses_stay() {
        let text = "\
static double a = 1;
static double f(double a) { double c = a; return c; }
int main(void) { double a = 2, c = 3; return f(a) + c; }
static double other(void) { return a; }
";
        assert_eq!(renamed(text), text);
    }

    #[test]
    fn iterators_that_hide_what_their_function_uses_get_another_name() {
        let text = "\
static int d = 2;
int main(void) {
  for (int t = 0; t < 3; t++) { a = d; for (int d = 1; d < 9; d++) u[d] = a; }
}
";
        assert!(
            renamed(text)
                .contains("a = d; for (int d_local = 1; d_local < 9; d_local++) u[d_local] = a;")
        );
    }

    #[test]
    fn parameters_hide_too_and_macros_bring_names() {
        let text = "\
#define HALF(x) (a * (x))
static double f(double x) { return HALF(x); }
static double g(double a[3], int n) { return f(a[n]); }
";
        assert!(renamed(text).contains("g(double a_local[3], int n) { return f(a_local[n]); }"));
    }

    #[test]
    fn macros_mean_what_is_there_where_they_stand() {
        let text = "\
#define IDX(i, j) ((i) * n + (j) * grid->y)
static int f(int n, int x) { return IDX(x, 1); }
int main(void) { int n = 3, y = IDX(1, n); return f(n, y); }
";
        assert_eq!(renamed(text), text);
    }

    #[test]
    fn what_a_macro_names_keeps_its_name() {
        let text = "\
#define SHOW printf(\"%g\", a)
double a;
static double f(void) { return a; }
int main(void) { double a = f(); SHOW; }
";
        let hiding = without_hidden(text).expect_err("a macro names the variable");
        assert_eq!((hiding.name.as_str(), hiding.used_in.as_str()), ("a", "f"));
        assert_eq!(&text[hiding.declared], "a");
    }
}
