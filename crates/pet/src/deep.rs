//! Deeply nested expressions: the bound on them, the stack they need, and JSON of them.
//!
//! A sum of a thousand terms is a tree a thousand levels deep, and most of what handles
//! expressions is recursive. So entry points of the compiler run their work by
//! [`deeply`], and whatever comes from outside is held to [`MAX_DEPTH`].

use std::io;

use serde::{Serialize, de::DeserializeOwned};
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter, Serializer};

/// Levels of operators, calls and casts that an expression may have.
pub const MAX_DEPTH: usize = 3000;

/// Stack that is enough for everything done with an expression of [`MAX_DEPTH`] levels, with
/// or without optimization; it takes memory only where it is used.
const STACK: usize = 256 << 20;

/// JSON has an object, an object of fields and an array for each level of an
/// expression, and a few levels around them.
const MAX_JSON_DEPTH: usize = 3 * MAX_DEPTH + 64;

/// Levels of JSON that are indented: down to a statement's expression.
const INDENTED: usize = 10;

/// Runs `f` with a stack for expressions of [`MAX_DEPTH`] levels.
pub fn deeply<T>(f: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(STACK / 2, STACK, f)
}

/// Reads a value that may hold expressions.
///
/// # Errors
///
/// What is wrong with the text; also where it nests deeper than expressions of
/// [`MAX_DEPTH`] levels do.
pub fn from_json<T: DeserializeOwned>(text: &[u8]) -> Result<T, String> {
    if json_depth(text) > MAX_JSON_DEPTH {
        return Err(format!(
            "an expression is nested deeper than {MAX_DEPTH} levels"
        ));
    }
    deeply(|| {
        let mut deserializer = serde_json::Deserializer::from_slice(text);
        deserializer.disable_recursion_limit();
        let value = T::deserialize(&mut deserializer).map_err(|e| e.to_string())?;
        deserializer.end().map_err(|e| e.to_string())?;
        Ok(value)
    })
}

/// Writes a value that may hold expressions, indented except for these: the
/// indentation of deep ones would make most of the text.
///
/// # Errors
///
/// Those of serde.
pub fn to_json<T: Serialize>(value: &T) -> Result<String, String> {
    let mut text = Vec::new();
    let formatter = Shallow {
        pretty: PrettyFormatter::new(),
        depth: 0,
    };
    deeply(|| value.serialize(&mut Serializer::with_formatter(&mut text, formatter)))
        .map_err(|e| e.to_string())?;
    String::from_utf8(text).map_err(|e| e.to_string())
}

/// The deepest nesting of brackets outside of strings.
fn json_depth(text: &[u8]) -> usize {
    let (mut depth, mut deepest) = (0usize, 0);
    let (mut in_string, mut escaped) = (false, false);
    for &byte in text {
        if in_string {
            in_string = escaped || byte != b'"';
            escaped = !escaped && byte == b'\\';
            continue;
        }
        match byte {
            b'"' => in_string = true,
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

/// Indents down to [`INDENTED`] levels and prints what lies deeper on one line.
struct Shallow {
    pretty: PrettyFormatter<'static>,
    depth: usize,
}

/// Hands a call on to the formatter of the current level.
macro_rules! at_level {
    ($self:ident.$call:ident($($argument:expr),*)) => {
        if $self.depth <= INDENTED {
            $self.pretty.$call($($argument),*)
        } else {
            CompactFormatter.$call($($argument),*)
        }
    };
}

impl Formatter for Shallow {
    fn begin_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.depth += 1;
        at_level!(self.begin_array(writer))
    }

    fn end_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        let result = at_level!(self.end_array(writer));
        self.depth -= 1;
        result
    }

    fn begin_array_value<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        at_level!(self.begin_array_value(writer, first))
    }

    fn end_array_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        at_level!(self.end_array_value(writer))
    }

    fn begin_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.depth += 1;
        at_level!(self.begin_object(writer))
    }

    fn end_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        let result = at_level!(self.end_object(writer));
        self.depth -= 1;
        result
    }

    fn begin_object_key<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        at_level!(self.begin_object_key(writer, first))
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        at_level!(self.begin_object_value(writer))
    }

    fn end_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        at_level!(self.end_object_value(writer))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::PetExpr;

    /// `x + (x + (x + ..))`.
    fn nested(levels: usize) -> PetExpr {
        (0..levels).fold(PetExpr::Double("x".to_owned()), |arg, _| PetExpr::Cast {
            ty: "a \"[\\".to_owned(),
            arg: Box::new(arg),
        })
    }

    #[test]
    fn deep_expressions_survive_json() {
        for levels in [0, 1, 40, 1000, MAX_DEPTH] {
            let expr = nested(levels);
            let text = to_json(&expr).expect("it can be written");
            assert_eq!(from_json::<PetExpr>(text.as_bytes()), Ok(expr));
            assert!(text.len() < 300 + 60 * levels);
        }
    }

    #[test]
    fn hostile_depth_is_an_error() {
        for text in ["[".repeat(10_000_000), "{\"Cast\":".repeat(1_000_000)] {
            let error = from_json::<PetExpr>(text.as_bytes()).expect_err("it is refused");
            assert!(error.contains("nested deeper"), "{error}");
        }
        assert!(from_json::<PetExpr>(b"[\"]]").is_err());
        assert!(from_json::<PetExpr>(b"").is_err());
    }
}
