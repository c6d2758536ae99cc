//! Functions whose calls stand for integer expressions: `static int wrap(int i, int n) { return
//! (i + n) % n; }`.

use super::returns::returned_type;
use super::types::{self, Goes, Types};
use super::{Part, edit};
use crate::csource::{self, Code, Edit, Function, Scope, TokenKind};
use crate::ctype::CType;
use crate::front::c::calls::tokens_in;
use std::collections::BTreeMap;
use std::ops::Range;

/// A function that returns an integer expression of its integer parameters.
#[derive(Debug, Clone)]
pub(super) struct Helper {
    /// Names and types of the parameters.
    pub(super) params: Vec<(String, CType)>,
    /// The type of its value.
    pub(super) ty: CType,
    /// The expression.
    result: String,
    /// It has the type of the function.
    typed: bool,
    /// Where the variables of the expression are declared that are no parameters.
    others: Vec<(String, Range<usize>)>,
}

/// The functions of a file that return integer expressions.
pub(super) fn helpers(code: &Code, functions: &[Function]) -> BTreeMap<String, Helper> {
    let mut found: BTreeMap<String, Helper> = BTreeMap::new();
    // A function may call others.
    loop {
        let before = found.len();
        for function in functions {
            let is_one = functions.iter().filter(|f| f.name == function.name).count() == 1;
            if !is_one || found.contains_key(&function.name) {
                continue;
            }
            if let Some(helper) = helper(code, function, &found) {
                found.insert(function.name.clone(), helper);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

fn helper(code: &Code, function: &Function, known: &BTreeMap<String, Helper>) -> Option<Helper> {
    let returned = returned_type(code, function);
    let ty = types::integer(code.text, returned.trim_start_matches("const "))?;
    let scope = Scope::new(code, function.body.start)?;
    let types = Types {
        code,
        scope: scope.clone(),
        helpers: known,
    };
    let body = tokens_in(code, &function.body);
    let mut params = Vec::new();
    for param in &function.params {
        let name = param.name.clone()?;
        let ty = types.of_variable(&name, body.start)?;
        params.push((name, ty));
    }
    let is_jump = |at: usize| matches!(code.word(at), "goto" | "static");
    if params.is_empty() || body.clone().any(is_jump) || has_directive(code, &function.body) {
        return None;
    }
    let mut values = Values {
        types: &types,
        ty,
        typed: true,
        budget: MAX_RESULT,
    };
    let named = params
        .iter()
        .map(|(name, _)| (name.clone(), Some(name.clone())));
    let result = values.of(body.clone(), named.collect())?;
    let typed = values.typed;
    let inner = Code::new(&result);
    let mut others = Vec::new();
    for at in (0..inner.tokens.len()).filter(|&at| inner.is_plain_name(at)) {
        let name = inner.word(at);
        if params.iter().any(|(param, _)| param == name) || known.contains_key(name) {
            continue;
        }
        others.push((name.to_string(), scope.declarator(name)?.range));
    }
    Some(Helper {
        params,
        ty,
        result,
        typed,
        others,
    })
}

/// Bytes of an expression that calls are replaced by, at most.
const MAX_RESULT: usize = 2000;

/// Whether a directive lies in a part of the text.
pub(in crate::front::c) fn has_directive(code: &Code, bytes: &Range<usize>) -> bool {
    (code.all.iter()).any(|t| t.kind == TokenKind::Directive && bytes.contains(&t.span.start))
}

/// The same of directives that are no pragmas about loops.
pub(super) fn has_other_directive(code: &Code, bytes: &Range<usize>) -> bool {
    let mut directives = (code.all.iter()).filter(|t| t.kind == TokenKind::Directive);
    directives.any(|t| {
        bytes.contains(&t.span.start) && !csource::is_about_loops(&code.text[t.span.clone()])
    })
}

/// What the variables of a function stand for, as expressions of its parameters; nothing before
/// they are assigned.
type Known = BTreeMap<String, Option<String>>;

/// Follows the statements of a function.
struct Values<'a> {
    types: &'a Types<'a>,
    ty: CType,
    /// All values returned have the type of the function.
    typed: bool,
    /// Bytes that may still be written.
    budget: usize,
}

impl Values<'_> {
    /// The value that statements return; `None` if they may end without, or do more.
    fn of(&mut self, tokens: Range<usize>, mut known: Known) -> Option<String> {
        let code = self.types.code;
        let mut at = tokens.start;
        while at < tokens.end {
            let end = csource::statement_end(code, at, tokens.end);
            match code.word(at) {
                "return" => {
                    let value = at + 1..end - 1;
                    let ty = self.types.of(value.clone())?;
                    self.typed &= ty == self.ty || types::is_number(code, &value);
                    return self.written(value, &known);
                }
                "if" => {
                    let condition = at + 2..code.skip(at + 1) - 1;
                    self.types.of(condition.clone())?;
                    let condition = self.written(condition, &known)?;
                    let then = code.skip(at + 1);
                    let then_end = csource::statement_end(code, then, tokens.end);
                    // Without braces, what follows belongs to the first `if`.
                    let other = match code.word(then_end) == "else" && then_end < end {
                        true => then_end + 1..end,
                        false => end..tokens.end,
                    };
                    let first = self.of(inside(code, then..then_end.min(end)), known.clone())?;
                    let other = self.of(inside(code, other), known)?;
                    return self.counted(format!("({condition} ? {first} : {other})"));
                }
                ";" => {}
                _ => self.assign(at..end, &mut known)?,
            }
            at = end;
        }
        None
    }

    /// `int a = x, b;` or `a = x;`
    fn assign(&self, stmt: Range<usize>, known: &mut Known) -> Option<()> {
        let code = self.types.code;
        if code.word(stmt.end - 1) != ";" {
            return None;
        }
        let parts = code.split_commas(stmt.start..stmt.end - 1);
        let declares = !known.contains_key(code.word(stmt.start));
        if !declares && parts.len() > 1 {
            return None;
        }
        for part in parts {
            let equals = part.clone().find(|&at| code.word(at) == "=");
            let name_at = equals.unwrap_or(part.end) - 1;
            let name = code.word(name_at);
            if !code.is_plain_name(name_at) || code.word(name_at.checked_sub(1)?) == "*" {
                return None;
            }
            // A name that is declared here hides none.
            if declares && known.contains_key(name) || !declares && name_at != part.start {
                return None;
            }
            let ty = self.types.of_variable(name, stmt.end)?;
            let value = match equals {
                Some(equals) => {
                    let value = equals + 1..part.end;
                    let same = self.types.of(value.clone())? == ty;
                    if !same && !types::is_number(code, &value) {
                        return None;
                    }
                    Some(self.written(value, known)?)
                }
                None if declares => None,
                None => return None,
            };
            known.insert(name.to_string(), value);
        }
        Some(())
    }

    /// An expression, with what variables stand for.
    fn written(&self, tokens: Range<usize>, known: &Known) -> Option<String> {
        let code = self.types.code;
        let mut text = String::from("(");
        for at in tokens.clone() {
            let word = code.word(at);
            let is_member = at > tokens.start && matches!(code.word(at - 1), "." | "->");
            match known.get(word) {
                Some(value) if code.is_ident(at) && !is_member => text.push_str(value.as_deref()?),
                _ => text.push_str(word),
            }
            text.push(' ');
        }
        text.truncate(text.trim_end().len());
        text.push(')');
        (text.len() <= self.budget).then_some(text)
    }

    fn counted(&self, text: String) -> Option<String> {
        (text.len() <= self.budget).then_some(text)
    }
}

/// The statements of a block, or one statement.
fn inside(code: &Code, tokens: Range<usize>) -> Range<usize> {
    match code.opens(tokens.start, "{") && code.skip(tokens.start) == tokens.end {
        true => tokens.start + 1..tokens.end - 1,
        false => tokens,
    }
}

/// Writes out calls that subscripts and conditions have, the outer ones.
pub(super) fn write_out(part: &Part) -> Vec<Edit> {
    let code = part.types.code;
    let mut edits = Vec::new();
    let mut at = part.tokens.start;
    while at < part.tokens.end {
        let call = code.is_plain_name(at) && code.opens(at + 1, "(");
        let helper = part.types.helpers.get(code.word(at)).filter(|_| call);
        if let Some(text) = helper.and_then(|helper| written(part, helper, at)) {
            let end = code.skip(at + 1);
            edits.push(edit(code, at..end, text));
            at = end;
        } else {
            at += 1;
        }
    }
    edits
}

/// What a call at a token stands for, if it may be written there.
fn written(part: &Part, helper: &Helper, at: usize) -> Option<String> {
    let code = part.types.code;
    let end = code.skip(at + 1);
    if !part.decides(at) {
        return None;
    }
    let scope = part.types.scope.moved_to(at);
    let is_same = |(name, range): &(String, Range<usize>)| {
        scope.declarator(name).is_some_and(|d| d.range == *range)
    };
    if !helper.others.iter().all(is_same) {
        return None;
    }
    let args = code.split_commas(at + 2..end - 1);
    if args.len() != helper.params.len() {
        return None;
    }
    let inner = Code::new(&helper.result);
    let mut edits = Vec::new();
    let mut exact = helper.typed;
    for (arg, (name, ty)) in args.into_iter().zip(&helper.params) {
        let same = part.types.of(arg.clone())? == *ty || types::is_number(code, &arg);
        exact &= same;
        let text = format!("({})", &code.text[code.bytes(arg)]);
        for at in (0..inner.tokens.len()).filter(|&at| inner.is_ident(at)) {
            let is_member = at > 0 && matches!(inner.word(at - 1), "." | "->");
            if inner.word(at) != name || is_member {
                continue;
            }
            // Numbers of other types are the same up to a power of 2.
            if !same && types::goes(&inner, at..at + 1) != Goes::ToEnd {
                return None;
            }
            edits.push(edit(&inner, at..at + 1, text.clone()));
        }
    }
    let fits = exact || types::goes(code, at..end) == Goes::ToSubscript;
    let text = csource::apply_edits(&helper.result, edits).ok()?;
    (fits && text.len() <= MAX_RESULT).then_some(text)
}
