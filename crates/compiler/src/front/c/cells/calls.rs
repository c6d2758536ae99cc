//! Functions that a cell calls: copies of them with what they use of the program as parameters.

use super::body::{Body, Whole, has_pointer_cast, is_name};
use super::number_type;
use crate::csource::{self, Code, Edit, Function, Place, Scope};
use crate::ctype::math_function;
use crate::front::c::calls::{keeps_state, tokens_in};
use crate::front::c::written::returned_type;
use std::ops::Range;

/// A function that a cell calls.
pub(super) struct Callee {
    pub(super) name: String,
    function: Function,
    /// By parameter, whether the function writes what it points to; `None` for numbers.
    writes: Vec<Option<bool>>,
    /// Variables at file scope that it or what it calls reads.
    pub(super) numbers: Vec<String>,
    pub(super) wholes: Vec<String>,
}

/// Functions in functions, at most.
const DEEPEST: usize = 8;

impl Body<'_> {
    /// Takes in what a call at a token calls.
    pub(super) fn call(&mut self, at: usize) -> Option<()> {
        let name = self.code.word(at);
        self.take_in(name, DEEPEST)
    }

    fn take_in(&mut self, name: &str, depth: usize) -> Option<()> {
        if self.callees.iter().any(|c| c.name == name) {
            return Some(());
        }
        let mut named = self.functions.iter().filter(|f| f.name == name);
        let (function, another) = (named.next(), named.next());
        let Some(function) = function else {
            let is_known = math_function(name).is_some() && !self.is_macro(name);
            self.math.insert(name.to_string());
            return is_known.then_some(());
        };
        let code = self.code;
        let ends = another.is_none() && depth > 0 && !code.has_directive(&function.body);
        if !ends || has_pointer_cast(code, tokens_in(code, &function.body)) {
            return None;
        }
        let ty = returned_type(code, function);
        if ty != "void" && number_type(self.texts, &ty).is_none() {
            return None;
        }
        let scope = Scope::new(code, function.body.start)?;
        let mut callee = Callee {
            name: name.to_string(),
            writes: Vec::new(),
            numbers: Vec::new(),
            wholes: Vec::new(),
            function: function.clone(),
        };
        let body = tokens_in(code, &function.body);
        let mut calls: Vec<&str> = Vec::new();
        for at in body.clone() {
            match code.word(at) {
                "static" | "extern" | "typedef" => return None,
                _ if keeps_state(code, at) => return None,
                _ if !is_name(code, at) => continue,
                _ => {}
            }
            if code.opens(at + 1, "(") {
                calls.push(code.word(at));
                continue;
            }
            let Some(declarator) = scope.moved_to(at + 1).declarator(code.word(at)) else {
                if !self.is_constant(code.word(at)) {
                    return None;
                }
                continue;
            };
            let own = function.start..function.body.end;
            if own.contains(&declarator.range.start) {
                let is_parameter = declarator.range.start < function.body.start;
                let declares = declarator.range.contains(&code.tokens[at].span.start);
                if !is_parameter
                    && declares
                    && (declarator.stars > 0 || !self.has_constant_bounds(&declarator))
                {
                    return None;
                }
                continue;
            }
            self.global(at, &scope, &mut callee)?;
        }
        for called in calls {
            self.take_in(called, depth - 1)?;
            if let Some(inner) = self.callees.iter().find(|c| c.name == called) {
                callee.numbers.extend(inner.numbers.clone());
                callee.wholes.extend(inner.wholes.clone());
            }
        }
        for names in [&mut callee.numbers, &mut callee.wholes] {
            names.sort();
            names.dedup();
        }
        let hides = |name: &String| {
            let mut all = tokens_in(code, &(function.start..function.body.end));
            all.any(|at| {
                let declarator = scope.moved_to(at + 1).declarator(name);
                declarator.is_some_and(|d| d.range.start >= function.start)
            })
        };
        if callee.numbers.iter().chain(&callee.wholes).any(hides) {
            return None;
        }
        for index in 0..function.params.len() {
            let writes = self.parameter(&callee, &scope, index)?;
            callee.writes.push(writes);
        }
        self.callees.push(callee);
        Some(())
    }

    /// A variable at file scope that a function reads: the cell has it, too.
    fn global(&mut self, at: usize, scope: &Scope, callee: &mut Callee) -> Option<()> {
        let code = self.code;
        let name = code.word(at);
        let declarator = scope.declarator(name)?;
        let is_same = self
            .visible(name)
            .is_some_and(|d| d.range == declarator.range);
        let changes = csource::is_assigned(code, at) || csource::is_address(code, at);
        let is_member = matches!(code.word(at + 1), "." | "->");
        if declarator.place != Place::Program || !is_same || changes || is_member {
            return None;
        }
        let ty = number_type(self.texts, &scope.declared_type(name)?)?;
        let n = declarator.stars + declarator.n_bounds;
        if n == 0 {
            self.numbers.insert(name.to_string(), ty);
            callee.numbers.push(name.to_string());
            return Some(());
        }
        let (end, n_subscripts) = subscripts(code, at);
        let written = is_written(code, at, end);
        if n_subscripts != n || written {
            return None;
        }
        let whole = self.whole(&declarator, ty)?;
        self.wholes.insert(name.to_string(), whole);
        callee.wholes.push(name.to_string());
        Some(())
    }

    /// Whether a function writes what its parameter points to; `None` where that cannot be told.
    fn parameter(&self, callee: &Callee, scope: &Scope, index: usize) -> Option<Option<bool>> {
        let code = self.code;
        let function = &callee.function;
        let name = function.params.get(index)?.name.clone()?;
        let body = tokens_in(code, &function.body);
        let declarator = scope.moved_to(body.start).declarator(&name)?;
        number_type(
            self.texts,
            &scope.moved_to(body.start).declared_type(&name)?,
        )?;
        if declarator.stars + declarator.n_bounds == 0 {
            return Some(None);
        }
        if declarator.stars > 1 || !self.has_constant_bounds(&declarator) {
            return None;
        }
        let mut writes = false;
        let is_own = |at: &usize| {
            let visible = scope.moved_to(at + 1).declarator(&name);
            is_name(code, *at)
                && code.word(*at) == name
                && visible.is_some_and(|d| d.range == declarator.range)
        };
        for at in body.filter(is_own) {
            let (end, n) = subscripts(code, at);
            match n {
                0 => writes |= self.writes_argument(at)?,
                n if n == declarator.stars + declarator.n_bounds => {
                    writes |= is_written(code, at, end)
                }
                _ => return None,
            }
            if csource::is_address(code, at) {
                return None;
            }
        }
        Some(Some(writes))
    }

    /// Whether the function that a name is handed over to writes what it points to.
    fn writes_argument(&self, at: usize) -> Option<bool> {
        let code = self.code;
        let open = code.around(at)?;
        let callee = self
            .callees
            .iter()
            .find(|c| open > 0 && c.name == code.word(open - 1))?;
        let args = code.split_commas(open + 1..code.skip(open) - 1);
        let is_argument = |arg: &Range<usize>| {
            let moved = matches!(code.word(at + 1), "+" | "-");
            arg.start == at && (arg.len() == 1 || moved)
        };
        let index = args.iter().position(is_argument)?;
        callee.writes.get(index).copied().flatten()
    }

    /// Whether an array, named without subscripts, is handed over to a function that reads it.
    pub(super) fn is_read_by_callee(&mut self, at: usize) -> Option<bool> {
        let code = self.code;
        let open = code.around(at)?;
        let called = open
            .checked_sub(1)
            .filter(|&called| is_name(code, called))?;
        self.call(called)?;
        Some(self.writes_argument(at) == Some(false))
    }

    /// Names of functions in tokens with those of the copies, and what these get in addition.
    pub(super) fn call_edits(&self, tokens: Range<usize>) -> Vec<(Range<usize>, String)> {
        let code = self.code;
        let mut edits = Vec::new();
        for at in tokens.filter(|&at| is_name(code, at) && code.opens(at + 1, "(")) {
            let Some(callee) = self.callees.iter().find(|c| c.name == code.word(at)) else {
                continue;
            };
            edits.push((at..at + 1, self.copy_name(&callee.name)));
            let close = code.skip(at + 1) - 1;
            let more: Vec<&str> = (callee.numbers.iter().chain(&callee.wholes))
                .map(String::as_str)
                .collect();
            if !more.is_empty() {
                let comma = if close > at + 2 { ", " } else { "" };
                edits.push((close..close + 1, format!("{comma}{})", more.join(", "))));
            }
        }
        edits
    }

    /// The copy of a function.
    pub(super) fn callee_text(&self, callee: &Callee) -> String {
        let code = self.code;
        let function = &callee.function;
        let ty = returned_type(code, function);
        let mut params: Vec<String> = Vec::new();
        for (param, writes) in function.params.iter().zip(&callee.writes) {
            let text = &code.text[param.range.clone()];
            let is_const = text.trim_start().starts_with("const");
            let text = text.replace("restrict", "");
            params.push(match writes {
                Some(false) if !is_const => format!("const {text}"),
                _ => text,
            });
        }
        let number = |name: &String| Some(format!("{} {name}", self.numbers.get(name)?));
        params.extend(callee.numbers.iter().filter_map(number));
        let rows = |name: &String| {
            let whole: &Whole = self.wholes.get(name)?;
            Some(match whole.bounds.is_empty() {
                true => format!("const {} *{name}", whole.elem),
                false => format!("const {} (*{name}){}", whole.elem, whole.bounds),
            })
        };
        params.extend(callee.wholes.iter().filter_map(rows));
        let params = match params.is_empty() {
            true => String::from("void"),
            false => params.join(", "),
        };
        let body = &function.body;
        let edits = (self.call_edits(tokens_in(code, body)).into_iter())
            .map(|(range, replacement)| {
                let range = code.bytes(range);
                Edit {
                    range: range.start - body.start..range.end - body.start,
                    replacement,
                }
            })
            .collect();
        let text = csource::apply_edits(&code.text[body.clone()], edits).unwrap_or_default();
        format!(
            "{ty} {}({params})\n{{{text}}}\n",
            self.copy_name(&callee.name),
        )
    }
}

/// The end of the subscripts behind a name, and how many there are.
pub(super) fn subscripts(code: &Code, name: usize) -> (usize, usize) {
    let (mut at, mut n) = (name + 1, 0);
    while code.opens(at, "[") {
        at = code.skip(at);
        n += 1;
    }
    (at, n)
}

/// Whether the element from a name to the end of its subscripts is written.
pub(super) fn is_written(code: &Code, name: usize, end: usize) -> bool {
    let before = name.checked_sub(1).map_or("", |before| code.word(before));
    csource::ASSIGNS.contains(&code.word(end)) || matches!(before, "++" | "--")
}
