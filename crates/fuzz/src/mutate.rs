//! Changes of C files that keep most of them C: tokens, declarations, names and idioms.
//!
//! [`crate::hostile::damage`] mostly makes files that clang refuses; these changes are meant to
//! get past it, to what hexcc itself has to understand.

use crate::form::{CPP, CUDA, GENERATED};
use crate::hostile;
use crate::rng::Rng;
use std::ops::Range;

/// What people write at the start or the end of a statement.
const STATEMENTS: &[&str] = &[
    "float **p = 0;",
    "size_t n = 3;",
    "char name[20]; sprintf(name, \"%s.%d\", \"out\", 3);",
    "printf(\"%d %f\\n\", 1, 0.5);",
    "while (0) { break; }",
    "do { ; } while (0);",
    "if (t % 100 == 0) printf(\"step %d\\n\", t);",
    "int t, i, j;",
    "float l = A[i-1], r = A[i+1];",
    "double time = 0.0; time += 0.1;",
    "float *tmp = A; A = B; B = tmp;",
    "for (int s = 0; s < 3; s++) ;",
    "double err = 0; err = fabs(err) > 1 ? err : 0;",
    "#define SQR(x) ((x) * (x))\n",
    "#define N 256L\n",
    "#define A(i, j) A[(i) * N + (j)]\n",
    "#pragma omp parallel for private(j)\n",
    "struct { int x, y; } p = { 1, 2 };",
    "float (*q)[10] = 0;",
    "static int calls; calls++;",
    "goto end; end: ;",
    "switch (1) { case 1: break; default: ; }",
    "{ int i = 5; (void)i; }",
    "int a = 1, b = a = 2;",
    "if (1) ; else ;",
    "float sum = 0; for (int a = -1; a <= 1; a++) sum += A[i+a];",
    "assert(1);",
    "return;",
    "continue;",
    "(void)0;",
    "t++;",
    "N = N + 1;",
    "memcpy(A, B, sizeof A);",
    "extern int outside;",
    "register int fast = 1;",
    "unsigned u = 3u, v = u - 4u;",
    "long double ld = 1.0L;",
    "_Bool done = 0;",
    "typedef float real; real x = 1;",
    "enum { RED = 3, GREEN };",
];

/// What people write where a value stands.
const VALUES: &[&str] = &[
    "(double)1",
    "(float)(0.5)",
    "1.0f",
    ".5",
    "1e-3",
    "0x10",
    "1u",
    "2L",
    "sizeof(float)",
    "'a'",
    "(i > 0 ? i - 1 : N - 1)",
    "i % 2",
    "(i & 1)",
    "-i",
    "+1",
    "!i",
    "~i",
    "i << 1",
    "i / 2",
    "N / 2",
    "(1, 2)",
    "*(A + i)",
    "A[0]",
    "A[i][0]",
    "t % 2",
    "1 - t % 2",
    "(t + 1) & 1",
    "sqrt(2.0)",
    "fabsf(x)",
    "exp(0.5)",
    "max(i, 1)",
    "N - 1",
    "N - 2",
    "(i + N - 1) % N",
    "T",
    "i * N + j",
    "NULL",
    "\"s\"",
    "p->x",
    "p.x",
    "(size_t)i",
];

/// Types.
const TYPES: &[&str] = &[
    "float",
    "double",
    "int",
    "long",
    "size_t",
    "unsigned",
    "unsigned int",
    "short",
    "char",
    "unsigned char",
    "long long",
    "const float",
    "volatile int",
    "float *",
    "float **",
    "real",
    "int64_t",
    "_Bool",
    "void",
    "auto",
    "static float",
    "register int",
    "struct s",
    "signed char",
    "double _Complex",
    "long double",
];

fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_'
}

/// Words and signs of a text; white space is between them.
fn tokens(text: &[u8]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let from = at;
        at += 1;
        if text[from].is_ascii_whitespace() {
            continue;
        }
        while is_word(text[from]) && at < text.len() && is_word(text[at]) {
            at += 1;
        }
        found.push(from..at);
    }
    found
}

/// Where statements and declarations end.
fn ends(text: &[u8]) -> Vec<usize> {
    let end = |&at: &usize| matches!(text[at], b';' | b'{' | b'}');
    (0..text.len()).filter(end).map(|at| at + 1).collect()
}

/// The range of a block in braces around or after `at`.
fn block(text: &[u8], at: usize) -> Option<Range<usize>> {
    let start = at + text.get(at..)?.iter().position(|&b| b == b'{')?;
    let mut depth = 0;
    for (n, &b) in text[start..].iter().enumerate() {
        depth += i32::from(b == b'{') - i32::from(b == b'}');
        if depth == 0 {
            return Some(start..start + n + 1);
        }
    }
    None
}

fn replace(bytes: &mut Vec<u8>, range: Range<usize>, with: impl std::fmt::Display) {
    bytes.splice(range, format!(" {with} ").into_bytes());
}

fn is_type(word: &[u8]) -> bool {
    [
        &b"float"[..],
        b"double",
        b"int",
        b"long",
        b"size_t",
        b"unsigned",
        b"short",
        b"char",
    ]
    .contains(&word)
}

/// A name everywhere instead of another.
fn rename(rng: &mut Rng, bytes: &mut Vec<u8>, all: &[Range<usize>]) {
    let names: Vec<&Range<usize>> = (all.iter())
        .filter(|r| {
            !bytes[r.start].is_ascii_digit()
                && is_word(bytes[r.start])
                && !is_type(&bytes[(*r).clone()])
        })
        .collect();
    if names.is_empty() {
        return;
    }
    let old = bytes[(*rng.pick(&names)).clone()].to_vec();
    let new = match rng.below(5) {
        0 => (*rng.pick(CPP)).as_bytes().to_vec(),
        1 => (*rng.pick(CUDA)).as_bytes().to_vec(),
        2 | 3 => (*rng.pick(GENERATED)).as_bytes().to_vec(),
        _ => bytes[(*rng.pick(&names)).clone()].to_vec(),
    };
    for range in all
        .iter()
        .rev()
        .filter(|r| bytes[(**r).clone()] == old[..])
        .cloned()
        .collect::<Vec<_>>()
    {
        bytes.splice(range, new.iter().copied());
    }
}

/// Two statements or declarations in each other's place.
fn swap(rng: &mut Rng, bytes: &mut Vec<u8>) {
    let ends = ends(bytes);
    if ends.len() < 4 {
        return;
    }
    let a = rng.below(ends.len() - 2);
    let b = (a + 1 + rng.below(4)).min(ends.len() - 2);
    let (first, second) = (ends[a]..ends[a + 1], ends[b]..ends[b + 1]);
    if first.end > second.start {
        return;
    }
    let (x, y) = (
        bytes[first.clone()].to_vec(),
        bytes[second.clone()].to_vec(),
    );
    bytes.splice(second, x);
    bytes.splice(first, y);
}

/// The declaration in the head of a loop goes before the loop, with the loops around it.
fn hoist(rng: &mut Rng, bytes: &mut Vec<u8>) {
    let text = bytes.clone();
    let loops: Vec<usize> = (0..text.len().saturating_sub(9))
        .filter(|&at| text[at..].starts_with(b"for (int "))
        .collect();
    if loops.is_empty() {
        return;
    }
    let at = *rng.pick(&loops);
    let name: Vec<u8> = text[at + 9..]
        .iter()
        .copied()
        .take_while(|&b| is_word(b))
        .collect();
    bytes.drain(at + 5..at + 9);
    let before = ends(&text[..at]).last().copied().unwrap_or(0);
    let declaration = format!(
        "\n{} {};\n",
        rng.pick(&TYPES[..8]),
        String::from_utf8_lossy(&name)
    );
    bytes.splice(before..before, declaration.into_bytes());
}

/// Brackets of a declarator or access in another form.
fn brackets(rng: &mut Rng, bytes: &mut Vec<u8>) {
    let open: Vec<usize> = (1..bytes.len())
        .filter(|&at| bytes[at] == b'[' && is_word(bytes[at - 1]))
        .collect();
    if open.is_empty() {
        return;
    }
    let at = *rng.pick(&open);
    let start = (0..at)
        .rev()
        .take_while(|&p| is_word(bytes[p]))
        .last()
        .unwrap_or(at);
    let Some(close) = bytes[at..]
        .iter()
        .position(|&b| b == b']')
        .map(|n| at + n + 1)
    else {
        return;
    };
    let name = String::from_utf8_lossy(&bytes[start..at]).into_owned();
    let inside = String::from_utf8_lossy(&bytes[at + 1..close - 1]).into_owned();
    let text = match rng.below(8) {
        0 => format!("(*{name})"),
        1 => format!("*{name}"),
        2 => format!("**{name}"),
        3 => format!("{name}[restrict {inside}]"),
        4 => format!("{name}[static {inside}]"),
        5 => format!("(*({name} + {inside}))"),
        6 => format!("{name}[{inside}][{inside}]"),
        _ => format!("{name}[({inside}) + 1]"),
    };
    bytes.splice(start..close, text.into_bytes());
}

/// One random change; `sources` are other C files.
pub fn mutate(rng: &mut Rng, bytes: &mut Vec<u8>, sources: &[String]) {
    let all = tokens(bytes);
    if all.is_empty() {
        bytes.extend_from_slice(rng.pick(sources).as_bytes());
        return;
    }
    let token = rng.pick(&all).clone();
    match rng.weighted(&[16, 12, 12, 10, 8, 8, 8, 8, 6, 12]) {
        0 => {
            let ends = ends(bytes);
            if !ends.is_empty() {
                let at = *rng.pick(&ends);
                replace(bytes, at..at, format!("\n{}\n", rng.pick(STATEMENTS)));
            }
        }
        1 => {
            let values: Vec<_> = all
                .iter()
                .filter(|r| {
                    bytes[r.start].is_ascii_digit() || r.len() == 1 && is_word(bytes[r.start])
                })
                .collect();
            if !values.is_empty() {
                let range = (*rng.pick(&values)).clone();
                replace(bytes, range, rng.pick(VALUES));
            }
        }
        2 => {
            let types: Vec<_> = all
                .iter()
                .filter(|r| is_type(&bytes[(*r).clone()]))
                .collect();
            if !types.is_empty() {
                let range = (*rng.pick(&types)).clone();
                replace(bytes, range, rng.pick(TYPES));
            }
        }
        3 => rename(rng, bytes, &all),
        4 => swap(rng, bytes),
        5 => hoist(rng, bytes),
        6 => brackets(rng, bytes),
        7 => {
            // A block of another file, or of this one at another place.
            let other = rng.pick(sources).as_bytes();
            let from = if rng.chance(50) { other } else { &bytes[..] };
            let found = block(from, rng.below(from.len())).map(|r| from[r].to_vec());
            let ends = ends(bytes);
            if let (Some(found), false) = (found, ends.is_empty()) {
                let at = *rng.pick(&ends);
                bytes.splice(at..at, found);
            }
        }
        8 => {
            if let Some(range) = block(bytes, token.start) {
                match rng.below(3) {
                    0 => replace(bytes, range.start..range.start, "while (1)"),
                    1 => replace(bytes, range.start..range.start, "if (i > 0)"),
                    _ => drop(bytes.drain(range)),
                }
            }
        }
        _ => hostile::damage(rng, bytes, sources),
    }
}
