//! Pragmas of other compilers.

use super::directive_words;

/// Pragmas about the loop that follows, by their first words.
const OF_LOOPS: [&[&str]; 14] = [
    &["ivdep"],
    &["simd"],
    &["vector"],
    &["novector"],
    &["unroll"],
    &["nounroll"],
    &["unroll_and_jam"],
    &["loop"],
    &["loop_count"],
    &["concurrent"],
    &["GCC", "ivdep"],
    &["GCC", "unroll"],
    &["GCC", "novector"],
    &["clang", "loop"],
];

/// Whether a directive is a pragma about the loop that follows.
pub fn is_of_loop(directive: &str) -> bool {
    let words: Vec<&str> = pragma_words(directive).collect();
    OF_LOOPS.iter().any(|first| words.starts_with(first))
}

/// The words behind `#pragma`; none of another directive.
pub(crate) fn pragma_words(directive: &str) -> impl Iterator<Item = &str> {
    let mut words = directive_words(directive);
    let is_pragma = words.next() == Some("pragma");
    words
        .filter(move |_| is_pragma)
        .filter_map(|word| word.split('(').find(|part| !part.is_empty()))
}
