//! `if` on data as values: `if (e > x) x = e;` becomes `x = (e > x) ? (e) : x;` in the text that
//! pet gets.
//!
//! Which statements run has to be known from iterators and sizes, so what runs under a condition
//! on data is made to run always, and to keep the old value where the condition does not hold.
//! That changes nothing if what runs cannot fail and the elements that are written exist. Of the
//! first, the text tells: no calls but of `<math.h>`, no jumps. The second is asked of what pet has
//! read (`scop::selects`), as is the type that the new value is converted to.
//!
//! A condition is evaluated where C does, into a variable of its own if several statements depend
//! on it, and no later one is looked at where C would not look.

use super::calls::tokens_in;
use super::pass::Pass;
use super::reduce::{Reduced, Writer};
use super::region::Region;
use crate::csource::{self, Code, Define, TokenKind};
use crate::ctype::{CType, math_function};
use hexcc_pet::data::{Select, Span};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// A text in which conditions on data are values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selected {
    /// The text, with a map back.
    pub text: Reduced,
    /// The region in it.
    pub region: Region,
    /// The statements that keep old values, by their places in the user's text.
    pub selects: Vec<Select>,
    /// What C runs under a condition on data, in the user's text.
    pub conditional: Vec<Span>,
    /// The first `if` that stays one, and why.
    pub refused: Option<(Span, String)>,
}

impl Selected {
    /// With places of the text that `first` was made of, where this was made of that.
    pub fn made_of(self, first: &Reduced) -> Selected {
        let moved = |at: usize| first.original_range(at..at + 1).start;
        let span = |span: Span| Span::from(first.original_range(span.start..span.end));
        let select = |select: Select| Select {
            start: moved(select.start),
            end: span_end(first, select.start, select.end),
            ..select
        };
        Selected {
            text: self.text.made_of(first),
            region: self.region,
            selects: self.selects.into_iter().map(select).collect(),
            conditional: self.conditional.into_iter().map(span).collect(),
            refused: self.refused.map(|(place, why)| (span(place), why)),
        }
    }
}

fn span_end(first: &Reduced, start: usize, end: usize) -> usize {
    first.original_range(start..end.max(start)).end
}

/// The words of a file's other texts that tell what a condition is made of.
pub struct Known<'a> {
    /// The texts that it includes.
    pub headers: &'a [String],
    /// Macros of the command line.
    pub defines: &'a [String],
    /// Whether a function of the file stands for an integer expression and changes nothing.
    pub integers: &'a dyn Fn(&str) -> bool,
    /// Whether integers that the region changes are data, too.
    pub with_integers: bool,
    /// Whether nothing is read under a condition where it does not hold, not even for a variable
    /// that is used there alone.
    pub guarded: bool,
}

/// The region and the functions that it calls with conditions on data as values; `None` where
/// there are no such conditions.
pub fn with_selects(text: &str, region: &Region, known: &Known) -> Option<Selected> {
    let code = Code::new(text);
    let mut functions: BTreeSet<String> = names_of_functions(text);
    for header in known.headers {
        functions.extend(names_of_functions(header));
    }
    let mut rewriter = Rewriter {
        code: &code,
        functions,
        integers: known.integers,
        macros: macro_words(text, known),
        with_integers: known.with_integers,
        guarded: known.guarded,
        iterators: Vec::new(),
        own: Vec::new(),
        done: 0,
        out: Output::default(),
    };
    let called = super::called_functions(text, region).into_iter();
    let mut parts: Vec<Range<usize>> = called.map(|f| f.body).collect();
    parts.push(region.span.clone());
    parts.sort_by_key(|part| part.start);
    for part in parts {
        // Without a condition around them, statements do not fail.
        let _ = rewriter.block(tokens_in(&code, &part), None);
    }
    rewriter.copy_to(text.len());
    let out = rewriter.out;
    if out.selects.is_empty() && out.refused.is_none() {
        return None;
    }
    let text = out.writer.finish().by(Pass::Selects);
    let start = text.copied(region.span.start)?;
    let end = text.copied(region.span.end)?;
    let own = csource::enclosing_function(&text.text, start);
    Some(Selected {
        region: Region {
            span: start..end,
            function: region.function.as_ref().and(own),
            ..region.clone()
        },
        text,
        selects: out.selects,
        conditional: out.conditional,
        refused: out.refused,
    })
}

fn names_of_functions(text: &str) -> BTreeSet<String> {
    let functions = csource::functions(text).into_iter();
    functions.map(|f| f.name).collect()
}

/// The tokens that macros of a name stand for, whatever definition holds.
fn macro_words(text: &str, known: &Known) -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut add = |name: &str, body: &str| {
        let tokens = csource::tokenize(body).into_iter();
        let words = tokens.filter_map(|t| Some(body.get(t.span)?.to_string()));
        found.entry(name.to_string()).or_default().extend(words);
    };
    for text in std::iter::once(text).chain(known.headers.iter().map(String::as_str)) {
        for directive in csource::directives(text) {
            if let Some(Define { name, body, .. }) = csource::define(directive) {
                add(name, body);
            }
        }
    }
    for define in known.defines {
        let (name, body) = define.split_once('=').unwrap_or((define, ""));
        add(name.split('(').next().unwrap_or(name), body);
    }
    found
}

/// Whether a token is in the brackets of a subscript.
fn is_subscript(code: &Code, tokens: &Range<usize>, at: usize) -> bool {
    let mut before = tokens.start..at;
    before.any(|open| code.opens(open, "[") && code.skip(open) > at)
}

/// Why an `if` stays one, and where that is.
type Refusal = (Range<usize>, String);

#[derive(Default, Clone)]
struct Output {
    writer: Writer,
    selects: Vec<Select>,
    conditional: Vec<Span>,
    refused: Option<(Span, String)>,
    /// Variables of conditions.
    conditions: BTreeSet<String>,
}

struct Rewriter<'a> {
    code: &'a Code<'a>,
    /// Functions that have bodies.
    functions: BTreeSet<String>,
    /// Those that stand for integers in subscripts.
    integers: &'a dyn Fn(&str) -> bool,
    macros: BTreeMap<String, Vec<String>>,
    with_integers: bool,
    guarded: bool,
    /// Those of the loops around the statement.
    iterators: Vec<String>,
    /// Variables declared under a condition, with that.
    own: Vec<(String, String)>,
    /// How far the text is written.
    done: usize,
    out: Output,
}

/// `lhs op rhs` by its tokens; without `rhs` it adds or subtracts 1.
struct Assignment {
    stmt: Range<usize>,
    lhs: Range<usize>,
    op: &'static str,
    rhs: Option<Range<usize>>,
}

/// What `if`, `else if`, .. and `else` are made of.
struct Chain {
    conds: Vec<Range<usize>>,
    /// One for each condition.
    branches: Vec<Range<usize>>,
    /// What runs where none holds.
    last: Option<Range<usize>>,
}

/// The operator of an assignment, nothing for `=`.
fn operator(word: &str) -> Option<&'static str> {
    let known = csource::ASSIGNS.iter().find(|op| **op == word)?;
    known.strip_suffix('=')
}

impl Rewriter<'_> {
    fn copy_to(&mut self, at: usize) {
        if at > self.done {
            self.out.writer.copy(self.code.text, self.done..at);
            self.done = at;
        }
    }

    fn insert(&mut self, at: usize, what: &str) {
        self.out.writer.insert(at, what);
    }

    fn copy_tokens(&mut self, tokens: &Range<usize>) {
        let bytes = self.code.bytes(tokens.clone());
        self.out.writer.copy(self.code.text, bytes);
    }

    fn start(&self, tokens: &Range<usize>) -> usize {
        self.code.bytes(tokens.clone()).start
    }

    fn end(&self, tokens: &Range<usize>) -> usize {
        self.code.bytes(tokens.clone()).end
    }

    /// Tokens on one line.
    fn line(&self, tokens: &Range<usize>) -> String {
        let words: Vec<&str> = tokens.clone().map(|at| self.code.word(at)).collect();
        words.join(" ")
    }

    /// The statements of a block, under the condition in a variable.
    fn block(&mut self, tokens: Range<usize>, under: Option<&str>) -> Result<(), Refusal> {
        let own = self.own.len();
        let mut at = tokens.start;
        while at < tokens.end {
            let end = csource::statement_end(self.code, at, tokens.end);
            self.statement(at..end, under)?;
            at = end;
        }
        self.own.truncate(own);
        Ok(())
    }

    fn statement(&mut self, tokens: Range<usize>, under: Option<&str>) -> Result<(), Refusal> {
        let code = self.code;
        match code.word(tokens.start) {
            "{" => self.block(tokens.start + 1..code.skip(tokens.start) - 1, under),
            "for" => {
                let body = code.skip(tokens.start + 1);
                let iterators = self.iterators.len();
                let header = tokens.start + 1..body;
                let written = header.filter(|&at| is_written(code, at));
                let names = written.map(|at| code.word(at).to_string());
                self.iterators.extend(names);
                let done = self.statement(body..tokens.end, under);
                self.iterators.truncate(iterators);
                done
            }
            "while" if under.is_none() => {
                self.statement(code.skip(tokens.start + 1)..tokens.end, under)
            }
            "if" => self.condition(tokens, under),
            _ => match under {
                Some(under) => self.simple(tokens, under),
                None => Ok(()),
            },
        }
    }

    /// An `if`. One that no other condition on data is around stays as it is where it cannot be a
    /// value.
    fn condition(&mut self, tokens: Range<usize>, under: Option<&str>) -> Result<(), Refusal> {
        let Some(chain) = self.chain(&tokens) else {
            return Ok(());
        };
        if !self.is_data(&chain.conds[0]) {
            self.statement(chain.branches[0].clone(), under)?;
            let rest = chain.branches[0].end + 1..tokens.end;
            return match rest.is_empty() {
                true => Ok(()),
                false => self.statement(rest, under),
            };
        }
        if under.is_some() {
            return self.selected(&tokens, &chain, under);
        }
        let before = (self.out.clone(), self.done, self.own.len());
        let inside = self.end(&chain.conds[0])..self.end(&tokens);
        self.out.conditional.push(inside.clone().into());
        let selected = self.may_run(&tokens, &chain.conds[0]);
        if let Err((place, why)) = selected.and_then(|()| self.selected(&tokens, &chain, None)) {
            (self.out, self.done) = (before.0, before.1);
            self.own.truncate(before.2);
            self.out.refused.get_or_insert((place.clone().into(), why));
        }
        Ok(())
    }

    fn chain(&self, tokens: &Range<usize>) -> Option<Chain> {
        let code = self.code;
        let mut chain = Chain {
            conds: Vec::new(),
            branches: Vec::new(),
            last: None,
        };
        let mut at = tokens.start;
        loop {
            if !code.opens(at + 1, "(") {
                return None;
            }
            let branch = code.skip(at + 1);
            let end = csource::statement_end(code, branch, tokens.end);
            if branch >= end {
                return None;
            }
            chain.conds.push(at + 1..branch);
            chain.branches.push(branch..end);
            match (code.word(end), code.word(end + 1)) {
                ("else", "if") if end < tokens.end => at = end + 1,
                ("else", _) if end < tokens.end => {
                    chain.last = Some(end + 1..tokens.end);
                    return Some(chain);
                }
                _ => return Some(chain),
            }
        }
    }

    /// The words of some tokens and of the macros in them.
    fn words(&self, tokens: &Range<usize>) -> Vec<String> {
        let own = tokens.clone().map(|at| self.code.word(at).to_string());
        let mut words: Vec<String> = own.collect();
        let (mut at, mut seen) = (0, BTreeSet::new());
        while let Some(word) = words.get(at).cloned() {
            if let Some(more) = self.macros.get(&word)
                && seen.insert(word)
            {
                words.extend(more.iter().cloned());
            }
            at += 1;
        }
        words
    }

    /// Whether a condition is on more than iterators and sizes, as far as words tell.
    fn is_data(&self, cond: &Range<usize>) -> bool {
        let words = self.words(cond);
        let is_float = |word: &str| {
            let is_number = word.starts_with(|c: char| c.is_ascii_digit() || c == '.');
            let is_hex = word.starts_with("0x") || word.starts_with("0X");
            is_number && !is_hex && word.contains(['.', 'e', 'E'])
        };
        let at = self.start(cond);
        words.iter().enumerate().any(|(i, word)| {
            let is_call = words.get(i + 1).is_some_and(|next| next == "(");
            let is_name = word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
            word == "["
                || is_float(word)
                || is_call && math_function(word).is_some()
                || is_name && !is_call && self.varies(word, at)
        })
    }

    /// Whether a variable is none of the region's sizes and iterators.
    fn varies(&self, name: &str, at: usize) -> bool {
        let text = self.code.text;
        if self.iterators.iter().any(|i| i == name) {
            return false;
        }
        let ty = csource::declared_type(text, name, at);
        if ty
            .and_then(|ty| CType::parse(&ty))
            .is_some_and(CType::is_floating)
        {
            return true;
        }
        let Some(function) = csource::enclosing_function(text, at) else {
            return false;
        };
        let code = self.code;
        let first = (code.tokens).partition_point(|t| t.span.start < function.body.start);
        let end = (code.tokens).partition_point(|t| t.span.end <= function.body.end);
        let changes = |i: usize| code.word(i) == name && is_written(code, i);
        self.with_integers && (first..end).any(changes)
    }

    /// Asks whether what an outermost `if` runs may run always: nothing is called there, but in its
    /// own condition, that does more than to compute a value.
    fn may_run(&self, tokens: &Range<usize>, cond: &Range<usize>) -> Result<(), Refusal> {
        let code = self.code;
        let whole = code.bytes(tokens.clone());
        let directive = (code.all.iter())
            .find(|t| t.kind == TokenKind::Directive && whole.contains(&t.span.start));
        if let Some(directive) = directive {
            let why = "the preprocessor decides what is in it".to_string();
            return Err((directive.span.clone(), why));
        }
        for at in (cond.end..tokens.end).filter(|&at| code.is_ident(at)) {
            let name = code.word(at);
            let is_macro = self.macros.contains_key(name);
            let is_call = code.word(at + 1) == "(" && code.is_plain_name(at) && !is_macro;
            if is_call && (self.integers)(name) && is_subscript(code, tokens, at) {
                continue;
            }
            let unknown = is_call && math_function(name).is_none();
            let inside = self.words(&(at..at + 1));
            let called = inside.iter().find(|word| self.functions.contains(*word));
            let called = called.map(String::as_str).or(unknown.then_some(name));
            if let Some(called) = called {
                return Err((
                    code.bytes(at..at + 1),
                    format!("`{called}` is called in it"),
                ));
            }
        }
        Ok(())
    }

    /// An `if` on data as values.
    fn selected(
        &mut self,
        tokens: &Range<usize>,
        chain: &Chain,
        under: Option<&str>,
    ) -> Result<(), Refusal> {
        self.copy_to(self.start(tokens));
        if let Some(lists) = self.alike(chain) {
            self.merged(tokens, chain, &lists, under);
            self.done = self.end(tokens);
            return Ok(());
        }
        let (cond, branch) = (&chain.conds[0], chain.branches[0].clone());
        let start = self.start(tokens);
        self.insert(start, "{ ");
        let holds = self.declare(cond, under);
        self.done = self.start(&branch);
        self.statement(branch.clone(), Some(&holds))?;
        self.copy_to(self.end(&branch));
        let rest = branch.end + 1..tokens.end;
        if !rest.is_empty() {
            let at = self.start(&rest);
            let name = self.new_name("else", at);
            let under = under.map_or(String::new(), |under| format!("{under} && "));
            self.insert(at, &format!(" int {name} = {under}!{holds}; "));
            self.done = at;
            self.statement(rest.clone(), Some(&name))?;
            self.copy_to(self.end(&rest));
        }
        self.insert(self.end(tokens), " }");
        Ok(())
    }

    /// A variable for a condition, under another one.
    fn declare(&mut self, cond: &Range<usize>, under: Option<&str>) -> String {
        let at = self.start(cond);
        let name = self.new_name("if", at);
        let under = under.map_or(String::new(), |under| format!("{under} && "));
        self.insert(at, &format!("int {name} = {under}"));
        self.copy_tokens(cond);
        let is_truth = !under.is_empty() || self.is_comparison(cond);
        self.insert(at, if is_truth { "; " } else { " != 0; " });
        name
    }

    /// Whether a condition in parentheses is 0 or 1.
    fn is_comparison(&self, cond: &Range<usize>) -> bool {
        let (mut at, mut compares) = (cond.start + 1, false);
        while at + 1 < cond.end {
            match self.code.word(at) {
                "<" | ">" | "<=" | ">=" | "==" | "!=" | "&&" | "||" => compares = true,
                "?" | "," | "=" | "&" | "|" | "^" => return false,
                _ => {}
            }
            at = self.code.skip(at);
        }
        compares
    }

    /// A name that the text does not have, with the line that it is about.
    fn new_name(&mut self, word: &str, at: usize) -> String {
        let (line, _) = csource::line_col(self.code.text, at);
        let mut name = format!("{word}_{line}");
        while self.code.text.contains(&name) || !self.out.conditions.insert(name.clone()) {
            name.push('_');
        }
        name
    }

    /// The assignments of each branch, where all have the same targets in the same order.
    fn alike(&self, chain: &Chain) -> Option<Vec<Vec<Assignment>>> {
        let branches = chain.branches.iter().chain(&chain.last);
        let lists: Vec<Vec<Assignment>> = (branches)
            .map(|branch| self.assignments(branch))
            .collect::<Option<_>>()?;
        let targets = |list: &[Assignment]| -> Vec<String> {
            list.iter().map(|a| self.line(&a.lhs)).collect()
        };
        let first = targets(lists.first()?);
        let are_alike = lists.iter().all(|list| targets(list) == first);
        // Of one branch alone, several statements are simpler one by one.
        (are_alike && !first.is_empty() && (lists.len() > 1 || first.len() == 1)).then_some(lists)
    }

    /// The statements of a branch that is made of assignments alone.
    fn assignments(&self, branch: &Range<usize>) -> Option<Vec<Assignment>> {
        let code = self.code;
        let inside = match code.word(branch.start) {
            "{" => branch.start + 1..code.skip(branch.start) - 1,
            _ => branch.clone(),
        };
        let (mut list, mut at) = (Vec::new(), inside.start);
        while at < inside.end {
            let end = csource::statement_end(code, at, inside.end);
            list.extend(self.listed(&(at..end)).ok()?);
            at = end;
        }
        Some(list)
    }

    /// The assignments of an expression statement, more than one with commas between them.
    fn listed(&self, tokens: &Range<usize>) -> Result<Vec<Assignment>, Refusal> {
        let code = self.code;
        let last = tokens.end - 1;
        let commas = outside_brackets(code, tokens).filter(|&at| code.word(at) == ",");
        let mut start = tokens.start;
        let mut list = Vec::new();
        for end in commas.chain([last]) {
            list.push(self.assignment(&(start..end), code.word(last) == ";")?);
            start = end + 1;
        }
        Ok(list)
    }

    /// Branches with the same targets as one statement for each.
    fn merged(
        &mut self,
        tokens: &Range<usize>,
        chain: &Chain,
        lists: &[Vec<Assignment>],
        under: Option<&str>,
    ) {
        let start = self.start(tokens);
        let n = lists.first().map_or(0, Vec::len);
        let mut names = Vec::new();
        if n > 1 {
            self.insert(start, "{ ");
            let mut none: Option<String> = under.map(str::to_string);
            for cond in &chain.conds {
                let name = self.declare(cond, none.as_deref());
                let before = none.map_or(String::new(), |none| format!("{none} && "));
                none = Some(format!("{before}!{name}"));
                names.push(name);
            }
        }
        for i in 0..n {
            let stmt = &lists[0][i].stmt;
            let at = if n > 1 { self.start(stmt) } else { start };
            let lhs = self.line(&lists[0][i].lhs);
            self.insert(at, &format!("{lhs} = "));
            let is_own = under.is_some_and(|under| self.begins_under(&lists[0][i].lhs, under));
            let outer = under.filter(|_| self.guarded || !is_own);
            let before = if is_own { NOTHING } else { &lhs };
            if let Some(outer) = outer {
                self.insert(at, &format!("!{outer} ? {before} : "));
            }
            for (k, cond) in chain.conds.iter().enumerate() {
                match names.get(k) {
                    Some(name) => self.insert(at, name),
                    None => self.copy_tokens(cond),
                }
                self.insert(at, " ? ");
                self.value(&lists[k][i]);
                self.insert(at, " : ");
            }
            match lists.get(chain.conds.len()) {
                Some(last) => self.value(&last[i]),
                None => self.insert(at, &lhs),
            }
            let arms = chain.conds.len() + usize::from(outer.is_some());
            let always = under.is_none() && chain.last.is_some();
            let end = lists.last().map_or(stmt.end, |list| list[i].stmt.end);
            self.end_of_select((stmt, end), at, arms, always);
        }
        if n > 1 {
            self.insert(self.end(tokens), " }");
        }
    }

    /// Whether a target is a variable that is declared under a condition: nothing else sees it.
    fn begins_under(&self, lhs: &Range<usize>, under: &str) -> bool {
        let name = self.code.word(lhs.start);
        let declared = self.own.iter().rev().find(|own| own.0 == name);
        declared.is_some_and(|own| own.1 == under)
    }

    /// Ends a select that begins at `start` and stands for statements up to a token.
    fn end_of_select(
        &mut self,
        (stmt, end): (&Range<usize>, usize),
        start: usize,
        arms: usize,
        always: bool,
    ) {
        self.insert(self.end(stmt), ";");
        self.out.selects.push(Select {
            start,
            arms,
            always,
            end: self.end(&(stmt.start..end)),
        });
    }

    /// The value that an assignment gives to its target, before it is converted.
    fn value(&mut self, assignment: &Assignment) {
        let Assignment { stmt, lhs, op, rhs } = assignment;
        let at = self.start(stmt);
        let old = self.line(lhs);
        match (op, rhs) {
            (&"", Some(rhs)) => {
                self.insert(at, "(");
                self.copy_tokens(rhs);
                self.insert(at, ")");
            }
            (op, Some(rhs)) => {
                self.insert(at, &format!("({old} {op} ("));
                self.copy_tokens(rhs);
                self.insert(at, "))");
            }
            (op, None) => self.insert(at, &format!("({old} {op} 1)")),
        }
    }

    /// A statement without others in it, under a condition.
    fn simple(&mut self, tokens: Range<usize>, under: &str) -> Result<(), Refusal> {
        let code = self.code;
        if code.word(tokens.start) == ";" {
            return Ok(());
        }
        if csource::is_declaration(code, tokens.clone()) {
            let fails = tokens.clone().find(|&at| {
                matches!(code.word(at), "static" | "{")
                    || is_written(code, at) && code.word(at + 1) != "="
            });
            if let Some(at) = fails {
                return Err((
                    code.bytes(at..at + 1),
                    "of how it declares a variable".to_string(),
                ));
            }
            let names = declared_names(code, &tokens).into_iter();
            self.own.extend(names.map(|name| (name, under.to_string())));
            if self.guarded {
                self.guarded_values(&tokens, under);
            }
            return Ok(());
        }
        let list = self.listed(&tokens)?;
        let is_own = |a: &Assignment| self.begins_under(&a.lhs, under);
        if !self.guarded && list.iter().all(is_own) {
            return Ok(());
        }
        self.copy_to(self.start(&tokens));
        let braces = if list.len() > 1 {
            ["{ ", " }"]
        } else {
            ["", ""]
        };
        self.insert(self.start(&tokens), braces[0]);
        for assignment in &list {
            let at = self.start(&assignment.stmt);
            let lhs = self.line(&assignment.lhs);
            self.insert(at, &format!("{lhs} = {under} ? "));
            self.value(assignment);
            let is_own = self.guarded && self.begins_under(&assignment.lhs, under);
            let before = if is_own { NOTHING } else { &lhs };
            self.insert(at, &format!(" : {before}"));
            let stmt = &assignment.stmt;
            self.end_of_select((stmt, stmt.end), at, 1, false);
        }
        self.done = self.end(&tokens);
        self.insert(self.done, braces[1]);
        Ok(())
    }

    /// An assignment, without what ends it; `ends` where that is known to be what ends one.
    fn assignment(&self, stmt: &Range<usize>, ends: bool) -> Result<Assignment, Refusal> {
        let code = self.code;
        let place = code.bytes(stmt.clone());
        let refused = |why: &str| Err((place.clone(), why.to_string()));
        let changes = (stmt.clone()).filter(|&at| csource::ASSIGNS.contains(&code.word(at)));
        let changes: Vec<usize> = changes.collect();
        let ([at], true) = (changes.as_slice(), ends) else {
            return match code.word(stmt.start) {
                word @ ("break" | "continue" | "return" | "goto" | "while" | "do" | "switch") => {
                    refused(&format!("`{word}` is in it"))
                }
                _ => refused("one of its statements is more than an assignment"),
            };
        };
        let at = *at;
        let (lhs, op, rhs) = match operator(code.word(at)) {
            Some(op) => (stmt.start..at, op, Some(at + 1..stmt.end)),
            None => {
                let lhs = match at == stmt.start {
                    true => at + 1..stmt.end,
                    false => stmt.start..at,
                };
                (lhs, if code.word(at) == "++" { "+" } else { "-" }, None)
            }
        };
        let is_target = code.is_plain_name(lhs.start)
            && outside_brackets(code, &lhs).skip(1).all(|at| {
                let is_member = matches!(code.word(at - 1), "." | "->");
                matches!(code.word(at), "[" | "(" | "." | "->") || is_member
            })
            && (rhs.is_some() || at == stmt.start || lhs.end + 1 == stmt.end);
        if !is_target || rhs.as_ref().is_some_and(Range::is_empty) {
            return refused("one of its statements is more than an assignment");
        }
        let stmt = stmt.clone();
        Ok(Assignment { stmt, lhs, op, rhs })
    }
}

/// What a variable is where the condition does not hold under which it is declared.
const NOTHING: &str = "0";

/// The tokens of a range that are in no brackets of it, and brackets as their first token.
fn outside_brackets<'c>(code: &'c Code, tokens: &Range<usize>) -> impl Iterator<Item = usize> + 'c {
    let end = tokens.end;
    let next = move |&at: &usize| Some(code.skip(at));
    std::iter::successors(Some(tokens.start), next).take_while(move |&at| at < end)
}

/// The variables that a declaration declares.
fn declared_names(code: &Code, tokens: &Range<usize>) -> Vec<String> {
    let (mut names, mut last, mut is_value) = (Vec::new(), None, false);
    for at in outside_brackets(code, tokens) {
        match code.word(at) {
            "," | ";" => {
                names.extend(last.take());
                is_value = false;
            }
            "=" => is_value = true,
            name if !is_value && code.is_plain_name(at) => last = Some(name.to_string()),
            _ => {}
        }
    }
    names
}

/// Whether a token is a name that is assigned, also after `++` and `--`.
fn is_written(code: &Code, at: usize) -> bool {
    let after = code.word(at + 1);
    let before = code.word(at.wrapping_sub(1));
    code.is_plain_name(at) && (csource::ASSIGNS.contains(&after) || matches!(before, "++" | "--"))
}

mod guarded;
#[cfg(test)]
mod tests;
