//! isl's notation, as far as names of variables are concerned.

/// Words that isl reads as operators or constants, whatever their case.
const KEYWORDS: [&str; 18] = [
    "and", "ceil", "ceild", "exists", "false", "floor", "floord", "implies", "infinity", "infty",
    "max", "min", "mod", "nan", "not", "or", "rat", "true",
];

/// Whether a dimension or a parameter of this name cannot be read from text.
pub fn is_keyword(name: &str) -> bool {
    KEYWORDS.iter().any(|word| word.eq_ignore_ascii_case(name))
}

/// The names of parameters and dimensions in the tuples of a text that isl has written.
pub fn tuple_names(text: &str) -> impl Iterator<Item = &str> {
    let starts = text.match_indices(['[', ',']).map(|(at, _)| at + 1);
    starts.filter_map(|start| {
        let part = text[start..].trim_start();
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '\'';
        let end = part.find(|c| !is_word(c)).unwrap_or(part.len());
        let (name, rest) = part.split_at(end);
        let rest = rest.trim_start();
        let ends = rest.starts_with([',', ']', '=']);
        let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        (begins && ends).then_some(name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Ctx, Set};

    #[test]
    fn keywords_cannot_be_read_as_names() {
        let ctx = Ctx::new().expect("a context");
        let read = |name: &str| {
            let text = format!("[{name}] -> {{ S[i] : 0 <= i < {name} }}");
            let set = Set::read(&ctx, &text);
            set.is_ok_and(|s| s.to_string() == text)
        };
        for word in KEYWORDS {
            assert!(is_keyword(word) && is_keyword(&word.to_uppercase()));
            assert!(!read(word), "{word}");
            assert!(!read(&word.to_uppercase()), "{word}");
        }
        for word in [
            "N", "minimum", "e0", "S", "schedule", "domain", "lcm", "gcd", "infinit",
        ] {
            assert!(!is_keyword(word));
            assert!(read(word), "{word}");
        }
    }

    #[test]
    fn names_are_found_in_tuples() {
        let names = |text| tuple_names(text).collect::<Vec<_>>();
        assert_eq!(
            names("[N, min] -> { S_0[t, i = 0, or] : exists (e0 = floor((t)/2): t = 2e0) }"),
            ["N", "min", "t", "i", "or"]
        );
        assert_eq!(
            names("{ S[mod] -> [0, mod, floor((t)/2), (-mod)] }"),
            ["mod", "mod"]
        );
    }
}
