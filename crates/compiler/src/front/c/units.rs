//! Functions of other files of a program, for a file that calls them.
//!
//! The text of a function means the same in another file where every name in it does: macros, types,
//! constants, variables, and other functions. Two files agree on a name where what they and the headers
//! they include in quotes say of it is the same text. What they do not agree on stays in its file.

use crate::csource::{self, Code, Function, TokenKind};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// A file of a program, and the texts of headers that it includes in quotes.
pub struct Unit<'a> {
    /// Path as given on the command line.
    pub path: &'a str,
    /// The whole text.
    pub text: &'a str,
    /// Texts of headers.
    pub headers: &'a [String],
}

/// A function of another file that can be read as one of a file's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taken {
    /// Index of its file.
    pub unit: usize,
    /// Bytes of its definition there.
    pub span: Range<usize>,
}

/// A function that a file calls, but cannot be read there, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stays {
    /// Its name.
    pub name: String,
    /// The reason, in words that follow its name.
    pub why: String,
}

/// The functions of other files that a file calls, themselves or through others.
pub fn functions_of_others(own: &Unit, others: &[Unit]) -> (Vec<Taken>, Vec<Stays>) {
    let own = World::new(own);
    let others: Vec<World> = others.iter().map(World::new).collect();
    let mut search = Search {
        own: &own,
        others: &others,
        names: BTreeMap::new(),
        stays: Vec::new(),
    };
    let called = own.called_names();
    for name in called.into_iter().filter(|name| !own.defines(name)) {
        // Each on its own: what one needs in vain is of no use to the others.
        let before = search.names.clone();
        if let Err(why) = search.take(name, None) {
            search.names = before;
            search.stays.push(Stays {
                name: name.to_string(),
                why,
            });
        }
    }
    let taken = search.names.values().filter_map(|place| {
        let (unit, function) = place.as_ref()?;
        let f = &others[*unit].functions[*function];
        Some(Taken {
            unit: *unit,
            span: f.start..f.body.end + 1,
        })
    });
    (taken.collect(), search.stays)
}

/// What a file and its headers say of names.
pub(super) struct World<'a> {
    pub(super) path: &'a str,
    code: Code<'a>,
    /// Functions that the file itself defines.
    pub(super) functions: Vec<Function>,
    /// Those of them that are static.
    pub(super) hidden: BTreeSet<&'a str>,
    /// Definitions of macros, and `#undef`.
    pub(super) macros: BTreeMap<&'a str, BTreeSet<String>>,
    /// Words in macros.
    in_macros: BTreeMap<&'a str, BTreeSet<&'a str>>,
    /// Words that conditional directives test.
    pub(super) tested: BTreeSet<&'a str>,
    /// Functions that are declared, by name.
    pub(super) declared: BTreeSet<&'a str>,
    /// Functions that headers define, as text.
    in_headers: BTreeMap<&'a str, BTreeSet<String>>,
    /// Other items at file scope.
    pub(super) items: Vec<Item<'a>>,
    /// Headers of the system that change what other text means.
    pub(super) included: BTreeSet<&'a str>,
}

/// What a file says of variables, types or constants at file scope.
pub(super) struct Item<'a> {
    pub(super) words: BTreeSet<&'a str>,
    /// Those of the words that it declares; all of them where it does not say.
    declares: BTreeSet<&'a str>,
    text: String,
    /// A variable of which each file has its own.
    pub(super) is_own: bool,
    is_extern: bool,
}

impl<'a> World<'a> {
    pub(super) fn new(unit: &Unit<'a>) -> World<'a> {
        let functions = csource::functions(unit.text);
        let is_static = |f: &&Function| {
            let specifiers = &unit.text[f.start..f.name_range.start];
            words(specifiers).any(|word| word == "static")
        };
        let hidden = (functions.iter().filter(is_static))
            .map(|f| &unit.text[f.name_range.clone()])
            .collect();
        let mut world = World {
            path: unit.path,
            code: Code::new(unit.text),
            hidden,
            functions,
            macros: BTreeMap::new(),
            in_macros: BTreeMap::new(),
            tested: BTreeSet::new(),
            declared: BTreeSet::new(),
            in_headers: BTreeMap::new(),
            items: Vec::new(),
            included: BTreeSet::new(),
        };
        world.read(unit.text, false);
        for header in unit.headers {
            world.read(header, true);
        }
        world
    }

    fn read(&mut self, text: &'a str, is_header: bool) {
        let code = Code::new(text);
        self.read_directives(text);
        for item in csource::items(&code) {
            let tokens = item.tokens.clone();
            if !item.is_function {
                self.items.push(Item::new(&code, tokens));
                continue;
            }
            let name = tokens.clone().find(|&at| code.opens(at + 1, "("));
            let Some(name) = name.map(|at| code.word(at)) else {
                continue;
            };
            self.declared.insert(name);
            if is_header && code.word(tokens.end - 1) == "}" {
                let line = code.render(tokens);
                self.in_headers.entry(name).or_default().insert(line);
            }
        }
    }

    fn read_directives(&mut self, text: &'a str) {
        let directives = csource::directives(text);
        let guard = guard(&directives);
        for directive in directives {
            let mut words = csource::directive_words(directive);
            let kind = words.next().unwrap_or_default();
            if let Some(define) = csource::define(directive) {
                let line = as_words(directive);
                self.macros.entry(define.name).or_default().insert(line);
                let inside = self.in_macros.entry(define.name).or_default();
                inside.extend(define.words());
            } else if kind == "undef" {
                let name = words.next().unwrap_or_default();
                let line = as_words(directive);
                self.macros.entry(name).or_default().insert(line);
            } else if matches!(kind, "if" | "ifdef" | "ifndef" | "elif") {
                self.tested
                    .extend(words_of(directive).filter(|w| Some(*w) != guard));
            } else if csource::may_define_any(directive) && directive.contains('<')
                || directive.contains("<tgmath.h>")
            {
                self.included.insert(directive);
            }
        }
    }

    fn defines(&self, name: &str) -> bool {
        self.functions.iter().any(|f| f.name == name) || self.in_headers.contains_key(name)
    }

    /// Names with parentheses behind them.
    pub(super) fn called(&self) -> BTreeSet<&'a str> {
        let code = &self.code;
        let calls =
            (0..code.tokens.len()).filter(|&at| code.is_ident(at) && code.opens(at + 1, "("));
        calls.map(|at| code.word(at)).collect()
    }

    /// Names that may be those of functions, in the bodies of functions and in macros.
    fn called_names(&self) -> BTreeSet<&'a str> {
        let code = &self.code;
        let calls = (0..code.tokens.len()).filter(|&at| code.is_ident(at));
        let calls = calls.map(|at| code.word(at));
        let in_macros = self.in_macros.values().flatten().copied();
        calls.chain(in_macros).collect()
    }

    /// What is said of a name at file scope; only what makes it known in other files, where something
    /// does.
    fn said_of(&self, name: &str) -> BTreeSet<&str> {
        let of_name = (self.items.iter()).filter(|item| item.declares.contains(name));
        let all: Vec<&Item> = of_name.collect();
        let known = all.iter().filter(|item| item.is_extern);
        let known: BTreeSet<&str> = known.map(|item| item.text.as_str()).collect();
        match known.is_empty() {
            true => all.iter().map(|item| item.text.as_str()).collect(),
            false => known,
        }
    }

    fn has_own(&self, name: &str) -> bool {
        let mut items = self.items.iter();
        items.any(|item| item.is_own && item.declares.contains(name))
    }
}

impl<'a> Item<'a> {
    fn new(code: &Code<'a>, tokens: Range<usize>) -> Item<'a> {
        let is_member = |at: usize| at > tokens.start && matches!(code.word(at - 1), "." | "->");
        let words = tokens
            .clone()
            .filter(|&at| code.is_ident(at) && !is_member(at));
        let words: BTreeSet<&str> = words.map(|at| code.word(at)).collect();
        let declares = declared(code, tokens.clone()).unwrap_or_else(|| words.clone());
        Item {
            declares,
            text: code.render(tokens),
            is_own: words.contains("static") && !words.contains("const"),
            is_extern: words.contains("extern"),
            words,
        }
    }
}

/// The names that an item at file scope declares: variables or types, tags with what they stand for,
/// constants of an `enum`.
fn declared<'a>(code: &Code<'a>, tokens: Range<usize>) -> Option<BTreeSet<&'a str>> {
    let mut names = BTreeSet::new();
    let mut start = tokens.start;
    let mut is_first = true;
    for at in tokens.clone() {
        let is_tag = |at: usize| matches!(code.word(at), "struct" | "union" | "enum");
        let Some(before) = at.checked_sub(1).filter(|_| code.opens(at, "{")) else {
            continue;
        };
        let tagged = before > tokens.start && is_tag(before - 1);
        if tagged {
            names.insert(code.word(before));
        }
        if code.word(before) == "enum" || tagged && code.word(before - 1) == "enum" {
            let values = code.split_commas(at + 1..code.skip(at) - 1).into_iter();
            names.extend(values.filter(|v| !v.is_empty()).map(|v| code.word(v.start)));
        }
        if at >= start && (tagged || is_tag(before)) {
            start = code.skip(at);
            is_first = false;
        }
    }
    let end = tokens.end.checked_sub(1)?;
    for (position, part) in code.split_commas(start..end).into_iter().enumerate() {
        let head = part.clone().find(|&at| code.word(at) == "=");
        let head = part.start..head.unwrap_or(part.end);
        if head.is_empty() && position == 0 && !is_first {
            continue;
        }
        let name = code.declared_name(head, position == 0 && is_first)?;
        names.insert(code.word(name));
    }
    Some(names)
}

/// The macro that keeps a header from being read twice.
fn guard<'a>(directives: &[&'a str]) -> Option<&'a str> {
    let [first, second, ..] = directives else {
        return None;
    };
    let mut words = csource::directive_words(first);
    let name = (words.next() == Some("ifndef")).then(|| words.next())??;
    (csource::define(second)?.name == name).then_some(name)
}

fn as_words(directive: &str) -> String {
    csource::directive_words(directive)
        .collect::<Vec<_>>()
        .join(" ")
}

/// The names in a directive, after its own.
fn words_of(directive: &str) -> impl Iterator<Item = &str> {
    let rest = directive.trim_start_matches('#').trim_start();
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    words(rest).filter(|word| *word != "defined")
}

pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    (csource::tokenize(text).into_iter())
        .filter(|token| token.kind == TokenKind::Ident)
        .filter_map(|token| text.get(token.span))
}

/// The search for functions that can be taken from other files.
struct Search<'w, 'a> {
    own: &'w World<'a>,
    others: &'w [World<'a>],
    /// What names of functions mean: of which file the definition is taken, and its index there;
    /// `None` where it is no function of the program.
    names: BTreeMap<String, Option<(usize, usize)>>,
    stays: Vec<Stays>,
}

impl<'w, 'a> Search<'w, 'a> {
    /// Takes the function that a name means in a file; in the own one for `None`.
    fn take(&mut self, name: &str, from: Option<usize>) -> Result<(), String> {
        let of_name = |w: &World| w.functions.iter().position(|f| f.name == name);
        let visible = |w: &World| !w.hidden.contains(name);
        let inside = from.and_then(|unit| Some((unit, of_name(&self.others[unit])?)));
        let found: Vec<(usize, usize)> = match inside {
            Some(place) => vec![place],
            None => (self.others.iter().enumerate())
                .filter(|(_, world)| visible(world))
                .filter_map(|(unit, world)| Some((unit, of_name(world)?)))
                .collect(),
        };
        let place = match found.as_slice() {
            [] => None,
            [one] => Some(*one),
            [first, second, ..] => {
                let path = |at: &(usize, usize)| self.others[at.0].path;
                let (first, second) = (path(first), path(second));
                return Err(format!("is defined in `{first}` and in `{second}`"));
            }
        };
        if let Some(known) = self.names.get(name) {
            return match *known == place {
                true => Ok(()),
                false => Err(format!("calls `{name}`, of which two files have one each")),
            };
        }
        let Some((unit, function)) = place else {
            return Ok(());
        };
        if self.own.defines(name) {
            return Err(format!("calls `{name}`, of which two files have one each"));
        }
        let path = self.others[unit].path;
        if from.is_none() && !self.own.declared.contains(name) {
            let own = self.own.path;
            return Err(format!(
                "is defined in `{path}`, and `{own}` does not declare it"
            ));
        }
        self.names.insert(name.to_string(), place);
        let world = &self.others[unit];
        let checked = self.check(world, unit, &world.functions[function]);
        checked.map_err(|why| match from {
            None => format!(
                "is defined in `{path}` and cannot be read with `{}`: it {why}",
                self.own.path
            ),
            Some(_) => why,
        })
    }

    /// Whether every name in a function means the same in the file that calls it.
    fn check(&mut self, world: &'w World<'a>, unit: usize, f: &Function) -> Result<(), String> {
        for condition in &world.tested {
            self.agree_on_macro(world, condition).map_err(|why| {
                format!("stands in a file whose conditional parts depend on it: it {why}")
            })?;
        }
        if world.included != self.own.included {
            return Err("needs the same headers of the system in both files".to_string());
        }
        let code = &world.code;
        let range = f.start..f.body.end;
        let in_function = |at: &usize| range.contains(&code.tokens[*at].span.start);
        let mut open: Vec<(&str, Option<usize>)> = Vec::new();
        for at in (0..code.tokens.len()).filter(in_function) {
            if code.is_ident(at) {
                let is_member = at > 0 && matches!(code.word(at - 1), "." | "->");
                let tagged = at > 0 && matches!(code.word(at - 1), "struct" | "union" | "enum");
                let place = (!tagged).then_some(code.tokens[at].span.start);
                self.agree_on_macro(world, code.word(at))?;
                if !is_member {
                    open.push((code.word(at), place));
                }
            }
        }
        let mut seen = BTreeSet::new();
        while let Some((word, place)) = open.pop() {
            if word == f.name || place.is_some_and(|at| is_local(world, word, at, &range)) {
                continue;
            }
            if !seen.insert(word) {
                continue;
            }
            self.agree(world, unit, word)?;
            let inside = world.in_macros.get(word).into_iter().flatten();
            // What a macro names may be a variable of the function.
            let places = f.body.end.checked_sub(1);
            open.extend(inside.map(|word| (*word, places)));
        }
        Ok(())
    }

    fn agree_on_macro(&self, world: &World, word: &str) -> Result<(), String> {
        let (theirs, own) = (world.macros.get(word), self.own.macros.get(word));
        if theirs == own {
            return Ok(());
        }
        Err(format!(
            "uses `{word}`, which {}",
            self.differs(world, theirs.is_some(), own.is_some(), "defines")
        ))
    }

    /// Which of two files says something of a name, in words.
    fn differs(&self, world: &World, theirs: bool, own: bool, says: &str) -> String {
        match (theirs, own) {
            (true, false) => format!("`{}` {says} and `{}` does not", world.path, self.own.path),
            (false, true) => format!("`{}` {says} and `{}` does not", self.own.path, world.path),
            _ => format!("`{}` {says} otherwise than `{}`", world.path, self.own.path),
        }
    }

    /// Whether a name that is none of the function's own means the same in both files.
    fn agree(&mut self, world: &'w World<'a>, unit: usize, word: &str) -> Result<(), String> {
        self.agree_on_macro(world, word)?;
        if world.macros.get(word).is_some_and(|all| all.len() > 1) {
            return Err(format!(
                "uses the macro `{word}`, which has several definitions"
            ));
        }
        if world.has_own(word) || self.own.has_own(word) {
            return Err(format!(
                "uses `{word}`, of which each file that declares it has one of its own"
            ));
        }
        let (theirs, own) = (world.said_of(word), self.own.said_of(word));
        if theirs != own {
            let differs = self.differs(world, !theirs.is_empty(), !own.is_empty(), "declares");
            return Err(format!("uses `{word}`, which {differs}"));
        }
        if world.in_headers.get(word) != self.own.in_headers.get(word) {
            return Err(format!(
                "calls `{word}`, which headers of the two files define differently"
            ));
        }
        let is_function = |w: &World| w.functions.iter().any(|f| f.name == word);
        if is_function(world) || !is_function(self.own) {
            return self.take(word, Some(unit));
        }
        match self.own.hidden.contains(word) {
            true => Err(format!(
                "calls `{word}`, and `{}` has a static function of this name",
                self.own.path
            )),
            false => Ok(()),
        }
    }
}

/// Whether a name at a place of a function is one of its variables.
fn is_local(world: &World, word: &str, at: usize, function: &Range<usize>) -> bool {
    let declared = csource::declarator(world.code.text, word, at);
    declared.is_some_and(|d| function.contains(&d.range.start))
}
