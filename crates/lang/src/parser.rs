//! Tokens as a program, with recovery behind the next `;`.
//!
//! ```text
//! program   = "stencil" NAME ";" item* "for" NAME "in" value ".." value "{" statement* "}"
//! item      = "size" NAME,+ ["where" value,+] ";"
//!           | "scalar" NAME,+ ":" type ";"
//!           | ["const"] "field" NAME ("[" value "]")+ ":" type ["boundary" NAME,+] ";"
//! statement = NAME ("[" cells "]")+ "=" (value | "{" ("let" NAME "=" value ";")* value "}") ";"
//! cells     = [value] ":" [value] | value
//! value     = operators of C, calls, numbers, NAME, NAME ("[" value "]")+
//! ```

use crate::lexer::{Token, spanned};
use crate::syntax::{
    Boundary, CellType, Cells, Expr, Field, Item, Name, Program, Spanned, Statement, Steps, Type,
    Value,
};
use chumsky::error::{RichPattern, RichReason};
use chumsky::input::ValueInput;
use chumsky::pratt::{infix, left, prefix};
use chumsky::prelude::*;
use hexcc_compiler::diag::Diagnostic;

type Error<'t, 's> = extra::Err<Rich<'t, Token<'s>>>;

/// Kinds of things that a message lists before it falls back to fewer words.
const MAX_EXPECTED: usize = 6;

/// What ends a value.
const CLOSING: [&str; 9] = [
    "`:`",
    "`;`",
    "`)`",
    "`]`",
    "`}`",
    "`,`",
    "`..`",
    "`{`",
    "the end of the text",
];

fn sign<'t, 's: 't, I>(sign: &'static str) -> impl Parser<'t, I, (), Error<'t, 's>> + Clone
where
    I: ValueInput<'t, Token = Token<'s>, Span = SimpleSpan>,
{
    just(Token::Sign(sign)).ignored()
}

fn word<'t, 's: 't, I>(word: &'static str) -> impl Parser<'t, I, (), Error<'t, 's>> + Clone
where
    I: ValueInput<'t, Token = Token<'s>, Span = SimpleSpan>,
{
    just(Token::Keyword(word)).ignored()
}

fn name<'t, 's: 't, I>() -> impl Parser<'t, I, Name, Error<'t, 's>> + Clone
where
    I: ValueInput<'t, Token = Token<'s>, Span = SimpleSpan>,
{
    select! { Token::Name(name) => name.to_string() }
        .labelled("a name")
        .map_with(|name, e| spanned(name, e.span()))
}

/// Names with commas between them.
fn names<'t, 's: 't, I>() -> impl Parser<'t, I, Vec<Name>, Error<'t, 's>> + Clone
where
    I: ValueInput<'t, Token = Token<'s>, Span = SimpleSpan>,
{
    name().separated_by(sign(",")).at_least(1).collect()
}

/// `.u` behind a cell of a struct.
fn member<'t, 's: 't, I>() -> impl Parser<'t, I, Option<Name>, Error<'t, 's>> + Clone
where
    I: ValueInput<'t, Token = Token<'s>, Span = SimpleSpan>,
{
    sign(".").ignore_then(name()).or_not()
}

/// The name of a member of a field, `c.u`, at the place of the field.
fn joined(field: Name, member: Option<Name>) -> Name {
    match member {
        Some(member) => field.with(format!("{}.{}", field.node, member.node)),
        None => field,
    }
}

/// Numbers, names, reads, calls, and values in parentheses.
fn atom<'t, 's: 't, I, V>(value: V) -> impl Parser<'t, I, Value, Error<'t, 's>> + Clone
where
    I: ValueInput<'t, Token = Token<'s>, Span = SimpleSpan>,
    V: Parser<'t, I, Value, Error<'t, 's>> + Clone + 't,
{
    let number = select! {
        Token::Int(text) => Expr::Int(text.to_string()),
        Token::Real(text) => Expr::Real(text.to_string()),
    }
    .labelled("a number");
    let offsets = (value.clone())
        .delimited_by(sign("["), sign("]"))
        .repeated()
        .at_least(1)
        .collect::<Vec<_>>();
    let arguments = (value.clone())
        .separated_by(sign(","))
        .collect::<Vec<_>>()
        .delimited_by(sign("("), sign(")"));
    enum After {
        Offsets(Vec<Value>),
        Arguments(Vec<Value>),
    }
    let after = choice((offsets.map(After::Offsets), arguments.map(After::Arguments)));
    let named =
        name()
            .then(after.or_not())
            .then(member())
            .map(|((name, after), member)| match after {
                None => Expr::Name(joined(name, member).node),
                Some(After::Offsets(offsets)) => Expr::Read(joined(name, member), offsets),
                Some(After::Arguments(arguments)) => Expr::Call(joined(name, member), arguments),
            });
    let cast = kind()
        .then(value.clone().delimited_by(sign("("), sign(")")))
        .map(|(ty, of)| Expr::Cast(ty, Box::new(of)));
    choice((number, named, cast))
        .map_with(|e, extra| spanned(e, extra.span()))
        .or(value.delimited_by(sign("("), sign(")")))
        .boxed()
}

fn value<'t, 's: 't, I>() -> impl Parser<'t, I, Value, Error<'t, 's>> + Clone
where
    I: ValueInput<'t, Token = Token<'s>, Span = SimpleSpan>,
{
    recursive(|value| {
        let binary = |op: &'static str, binding: u16| {
            infix(left(binding), sign(op), move |a, _, b, e| {
                let node = Expr::Binary(op, Box::new(a), Box::new(b));
                spanned(node, e.span())
            })
        };
        let unary = |op: &'static str| {
            prefix(7, sign(op), move |_, a, e| {
                spanned(Expr::Unary(op, Box::new(a)), e.span())
            })
        };
        let operators = atom(value.clone()).pratt((
            unary("-"),
            unary("+"),
            unary("!"),
            (binary("*", 6), binary("/", 6), binary("%", 6)),
            (binary("+", 5), binary("-", 5)),
            (
                binary("<=", 4),
                binary(">=", 4),
                binary("<", 4),
                binary(">", 4),
            ),
            (binary("==", 3), binary("!=", 3)),
            binary("&&", 2),
            binary("||", 1),
        ));
        let branches = (sign("?").ignore_then(value.clone()))
            .then_ignore(sign(":"))
            .then(value);
        operators
            .then(branches.or_not())
            .map_with(|(cond, branches), e| match branches {
                None => cond,
                Some((yes, no)) => {
                    let (cond, yes, no) = (Box::new(cond), Box::new(yes), Box::new(no));
                    spanned(Expr::Cond(cond, yes, no), e.span())
                }
            })
            .labelled("a value")
            .boxed()
    })
}

fn kind<'t, 's: 't, I>() -> impl Parser<'t, I, Type, Error<'t, 's>> + Clone
where
    I: ValueInput<'t, Token = Token<'s>, Span = SimpleSpan>,
{
    select! {
        Token::Keyword("float") => Type::Float,
        Token::Keyword("double") => Type::Double,
        Token::Keyword("int") => Type::Int,
    }
    .labelled("`float`, `double` or `int`")
}

fn boundary<'t, 's: 't, I>() -> impl Parser<'t, I, Spanned<Boundary>, Error<'t, 's>> + Clone
where
    I: ValueInput<'t, Token = Token<'s>, Span = SimpleSpan>,
{
    select! {
        Token::Name("constant") => Boundary::Constant,
        Token::Name("periodic") => Boundary::Periodic,
        Token::Name("nearest") => Boundary::Nearest,
        Token::Name("mirrored") => Boundary::Mirrored,
    }
    .labelled("`constant`, `periodic`, `nearest` or `mirrored`")
    .map_with(|kind, e| spanned(kind, e.span()))
}

/// Declarations.
fn item<'t, 's: 't, I>() -> impl Parser<'t, I, Item, Error<'t, 's>> + Clone
where
    I: ValueInput<'t, Token = Token<'s>, Span = SimpleSpan>,
{
    let conditions = (word("where"))
        .ignore_then(value().separated_by(sign(",")).at_least(1).collect())
        .or_not()
        .map(Option::unwrap_or_default);
    let sizes = (word("size").ignore_then(names()))
        .then(conditions)
        .map(|(names, conditions)| Item::Sizes { names, conditions });
    let scalars = (word("scalar").ignore_then(names()))
        .then_ignore(sign(":"))
        .then(kind())
        .map(|(names, ty)| Item::Scalars { names, ty });
    let members = (names().then_ignore(sign(":")))
        .then(kind())
        .then_ignore(sign(";"))
        .repeated()
        .at_least(1)
        .collect()
        .delimited_by(sign("{"), sign("}"));
    let structs = (word("struct").ignore_then(name()))
        .then(members)
        .then_ignore(sign(";").or_not())
        .map(|(name, members)| Item::Struct { name, members });
    let cell = choice((kind().map(CellType::Number), name().map(CellType::Named)));
    let extents = (value().delimited_by(sign("["), sign("]")))
        .repeated()
        .at_least(1)
        .collect();
    let boundaries = word("boundary")
        .ignore_then(boundary().separated_by(sign(",")).at_least(1).collect())
        .or_not()
        .map(Option::unwrap_or_default);
    let field = (word("const").or_not().then_ignore(word("field")))
        .then(name())
        .then(extents)
        .then_ignore(sign(":"))
        .then(cell)
        .then(boundaries)
        .map(|((((word, name), extents), ty), boundaries)| {
            Item::Field(Field {
                name,
                extents,
                ty,
                boundaries,
                is_const: word.is_some(),
            })
        });
    let begin = choice(["size", "scalar", "const", "field", "struct"].map(word));
    let skipped = begin.then(behind_sign()).map(|_| Item::Broken);
    let ended = choice((sizes, scalars, field)).then_ignore(sign(";"));
    choice((ended, structs))
        .recover_with(via_parser(skipped))
        .boxed()
}

/// Everything up to and with the next `;`.
fn behind_sign<'t, 's: 't, I>() -> impl Parser<'t, I, (), Error<'t, 's>> + Clone
where
    I: ValueInput<'t, Token = Token<'s>, Span = SimpleSpan>,
{
    none_of([Token::Sign(";"), Token::Sign("}")])
        .repeated()
        .then(just(Token::Sign(";")))
        .ignored()
}

/// Assignments; `None` is one that could not be read.
fn statement<'t, 's: 't, I>() -> impl Parser<'t, I, Option<Statement>, Error<'t, 's>> + Clone
where
    I: ValueInput<'t, Token = Token<'s>, Span = SimpleSpan>,
{
    let range = (value().or_not().then_ignore(sign(":")))
        .then(value().or_not())
        .map(|(low, high)| Cells::Range(low, high));
    let cells = choice((range, value().map(Cells::One)))
        .map_with(|cells, e| spanned(cells, e.span()))
        .delimited_by(sign("["), sign("]"));
    let binding = (word("let").ignore_then(name()))
        .then_ignore(sign("="))
        .then(value())
        .then_ignore(sign(";"));
    let block = (binding.repeated().collect::<Vec<_>>())
        .then(value())
        .delimited_by(sign("{"), sign("}"));
    let assigned = choice((block, value().map(|value| (Vec::new(), value))));
    let assignment = name()
        .then(cells.repeated().at_least(1).collect::<Vec<_>>())
        .then(member())
        .map(|((field, ranges), member)| (joined(field, member), ranges))
        .then_ignore(sign("="))
        .then(assigned)
        .then_ignore(sign(";"))
        .map_with(|((field, ranges), (lets, value)), e| {
            Some(Statement {
                field,
                ranges,
                lets,
                value,
                group: None,
                span: SimpleSpan::into_range(e.span()),
            })
        });
    // What is in braces belongs to the statement, with its own `;`.
    let braces = none_of([Token::Sign("}")])
        .repeated()
        .delimited_by(sign("{"), sign("}"));
    let others = none_of([Token::Sign(";"), Token::Sign("{"), Token::Sign("}")]).ignored();
    let skipped = (choice((braces, others)).repeated().at_least(1))
        .then(sign(";").or_not())
        .or(sign(";").map(|()| ((), None)))
        .map(|_| None);
    assignment.recover_with(via_parser(skipped)).boxed()
}

fn program<'t, 's: 't, I>() -> impl Parser<'t, I, Program, Error<'t, 's>> + Clone
where
    I: ValueInput<'t, Token = Token<'s>, Span = SimpleSpan>,
{
    let head = (word("stencil").ignore_then(name()))
        .then_ignore(sign(";"))
        .map(Some)
        .recover_with(via_parser(behind_sign().map(|()| None)));
    let together = word("together")
        .ignore_then(
            (statement().repeated().collect::<Vec<_>>()).delimited_by(sign("{"), sign("}")),
        )
        .map_with(|all, e| {
            let group = Some(SimpleSpan::into_range(e.span()).start);
            let joined = |stmt: Option<Statement>| stmt.map(|stmt| Statement { group, ..stmt });
            all.into_iter().map(joined).collect::<Vec<_>>()
        });
    let alone = statement().map(|stmt| vec![stmt]);
    let body = choice((together, alone))
        .repeated()
        .collect::<Vec<_>>()
        .map(|all| all.concat());
    let steps = (word("for").ignore_then(name()))
        .then_ignore(word("in"))
        .then(value())
        .then_ignore(sign(".."))
        .then(value())
        .then(body.delimited_by(sign("{"), sign("}")))
        .map(|(((time, first), end), body)| Steps {
            time,
            first,
            end,
            body: body.into_iter().flatten().collect(),
        });
    (head.then(item().repeated().collect()))
        .then(steps.map(Some))
        .then_ignore(end())
        .map(|((name, items), steps)| Program { name, items, steps })
        .boxed()
}

/// The program of tokens, as far as it can be read, and what cannot.
pub fn parse(
    tokens: &[(Token<'_>, SimpleSpan)],
    length: usize,
) -> (Option<Program>, Vec<Diagnostic>) {
    let end = SimpleSpan::from(length..length);
    let input = tokens.map(end, |(token, span)| (token, span));
    let (program, errors) = program().parse(input).into_output_errors();
    (program, errors.iter().map(diagnostic).collect())
}

/// A message of an error.
fn diagnostic(error: &Rich<'_, Token<'_>>) -> Diagnostic {
    let found = match error.found() {
        Some(token) => format!("unexpected {token}"),
        None => "the text ends too early".to_string(),
    };
    let mut expected: Vec<String> = error.expected().filter_map(expected_text).collect();
    expected.sort_by_key(|text| (text.starts_with('`'), text.clone()));
    expected.dedup();
    let label = match (error.reason(), expected.len()) {
        (RichReason::Custom(text), _) => text.clone(),
        (_, 0) => "nothing may stand here".to_string(),
        (_, n) if n > MAX_EXPECTED => {
            let ends = expected
                .iter()
                .filter(|text| CLOSING.contains(&text.as_str()));
            let ends: Vec<&str> = ends.map(String::as_str).collect();
            format!(
                "expected {}",
                [&["an operator"], &ends[..]].concat().join(" or ")
            )
        }
        _ => format!("expected {}", expected.join(" or ")),
    };
    Diagnostic::error("HX0701", found).at(error.span().into_range(), label)
}

fn expected_text(pattern: &RichPattern<'_, Token<'_>>) -> Option<String> {
    match pattern {
        RichPattern::Token(token) => Some((**token).to_string()),
        RichPattern::Label(label) => Some(label.to_string()),
        RichPattern::EndOfInput => Some("the end of the text".to_string()),
        _ => None,
    }
}
