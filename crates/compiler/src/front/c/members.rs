//! Members of structs in a region: `p.nx` and `g->u[i]` become variables of the text that pet gets.
//!
//! pet knows no sizes that are members, and takes pointers that are for arrays of structs. So each
//! member that a region names gets a name of its own, declared before the region with the type of
//! the member. The host program passes the member itself to the kernels. Macros that lead to
//! members are expanded before, also those of headers. The `(*rows)` of `(*rows)[i]` is read like a member.
//!
//! What is true of a member only if the region does not change it, or what the member is reached
//! through, is asked of what pet has read (`scop::members`).

use super::region::Region;
use crate::csource::{self, Code, Edit, Macros, Scope};
use hexcc_pet::data::Member;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::ops::Range;

/// What the text that pet gets has in place of members.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StandIns {
    /// Changes inside of the region.
    pub edits: Vec<Edit>,
    /// Lines to put before the region, in braces with it.
    pub declarations: String,
    /// The names and what they stand for.
    pub members: Vec<Member>,
    /// The variables that the members are reached through.
    pub bases: BTreeSet<String>,
    /// Whether functions are declared before they are called.
    pub declares_later: bool,
}

/// Stand-ins for the members that a region names; `None` where it names none, or where the text does
/// not tell what is a member. `headers` are texts that the file includes, `defines` the macros of
/// the command line.
pub fn stand_ins(
    text: &str,
    headers: &[String],
    defines: &[String],
    region: &Region,
) -> Option<StandIns> {
    let texts: Vec<&str> = (std::iter::once(text))
        .chain(headers.iter().map(String::as_str))
        .collect();
    let mut search = Search {
        macros: Macros::new(&texts, defines),
        found: Vec::new(),
        other: BTreeSet::new(),
        expanded: BTreeSet::new(),
    };
    let code = Code::new(text);
    let first = code
        .tokens
        .partition_point(|t| t.span.start < region.span.start);
    let end = code
        .tokens
        .partition_point(|t| t.span.end <= region.span.end);
    let edits = search.edits(&code, first..end.max(first), 0)?;
    // A variable that is used in another way may be declared in the region, or change there.
    let changes = search.found.iter().any(|f| search.other.contains(&f.base));
    (!search.found.is_empty() && !changes).then(|| StandIns {
        declares_later: false,
        declarations: search.declarations(),
        members: search.members(),
        bases: search.found.iter().map(|f| f.base.clone()).collect(),
        edits,
    })
}

/// A member as the region writes it, such as `g->u`.
struct Found {
    base: String,
    member: Member,
}

struct Search<'a> {
    macros: Macros<'a>,
    found: Vec<Found>,
    /// Names that are used in another way than for their members.
    other: BTreeSet<String>,
    /// Macros that were expanded.
    expanded: BTreeSet<String>,
}

/// Macros in macros that are expanded, at most.
const DEEPEST: usize = 16;

impl Search<'_> {
    /// Replaces members and what expands to some; `None` where it cannot be told.
    fn edits(&mut self, code: &Code, tokens: Range<usize>, depth: usize) -> Option<Vec<Edit>> {
        let mut edits = Vec::new();
        let mut at = tokens.start;
        while at < tokens.end {
            let is_member = matches!(code.word(at.wrapping_sub(1)), "." | "->");
            let (end, replacement) = if depth == 0 && is_row(code, at) {
                (at + 4, self.stand_in(code, at..at + 4))
            } else if !code.is_ident(at) || at > 0 && is_member {
                at += 1;
                continue;
            } else if self.macros.leads(code.word(at)) {
                let (end, text) = self.macros.expand(code, at).filter(|_| depth < DEEPEST)?;
                self.expanded.insert(code.word(at).to_string());
                let text = without_parentheses(&text)?;
                let inner = Code::new(&text);
                let inside = self.edits(&inner, 0..inner.tokens.len(), depth + 1)?;
                (end, csource::apply_edits(&text, inside).ok()?)
            } else if let Some(end) = self.member_end(code, at)? {
                (end, self.stand_in(code, at..end))
            } else {
                self.other.insert(code.word(at).to_string());
                at += 1;
                continue;
            };
            // The rest of a member, or a call through one.
            if matches!(code.word(end), "." | "->" | "(") {
                return None;
            }
            edits.push(Edit {
                range: code.bytes(at..end),
                replacement,
            });
            at = end;
        }
        Some(edits)
    }

    /// Where `a.b.c` or `a->b.c` ends that begins at a token: what is reached through one pointer at
    /// most. `None` within where no member begins, and alone where a macro is in it.
    fn member_end(&self, code: &Code, at: usize) -> Option<Option<usize>> {
        let mut end = at + 1;
        while matches!(code.word(end), "." | "->") && code.is_ident(end + 1) {
            if code.word(end) == "->" && end > at + 1 {
                return Some(None);
            }
            if self.macros.is_known(code.word(end + 1)) {
                return None;
            }
            end += 2;
        }
        let is_variable = code.is_plain_name(at) && end > at + 1;
        Some(is_variable.then_some(end))
    }

    /// The name for a member.
    fn stand_in(&mut self, code: &Code, tokens: Range<usize>) -> String {
        let value: String = tokens.clone().map(|at| code.word(at)).collect();
        let is_pointer = code.word(tokens.end) == "[";
        if let Some(known) = self.found.iter_mut().find(|f| f.member.value == value) {
            known.member.is_pointer |= is_pointer;
            return known.member.name.clone();
        }
        let words: Vec<&str> = (tokens.clone())
            .filter(|&at| code.is_ident(at))
            .map(|at| code.word(at))
            .collect();
        let mut name = format!("hexcc_{}", words.join("_"));
        while self.found.iter().any(|f| f.member.name == name) {
            name.push('_');
        }
        self.found.push(Found {
            base: words.first().map_or(String::new(), |word| word.to_string()),
            member: Member::new(&name, value, is_pointer),
        });
        name
    }

    fn members(&self) -> Vec<Member> {
        self.found.iter().map(|f| f.member.clone()).collect()
    }

    /// The names with the types of the members, an array's that of a pointer to its elements; and a
    /// test that macros are what they were taken for.
    fn declarations(&self) -> String {
        let mut text = String::new();
        for name in &self.expanded {
            let _ = write!(
                text,
                "#ifndef {name}\n#error {name} is not defined\n#endif\n"
            );
        }
        for member in self.members() {
            let (name, value) = (&member.name, &member.value);
            let _ = match member.is_pointer {
                true => writeln!(text, "__typeof__(&*({value})) {name};"),
                false => writeln!(text, "__typeof__({value}) {name};"),
            };
        }
        text
    }
}

/// Whether a token begins the `(*rows)` of `(*rows)[i]`, for a pointer to a pointer.
fn is_row(code: &Code, at: usize) -> bool {
    let is_written = code.opens(at, "(")
        && code.word(at + 1) == "*"
        && code.is_plain_name(at + 2)
        && code.closes(at + 3, ")")
        && code.word(at + 4) == "["
        && at > 0
        && match code.word(at - 1) {
            ")" => {
                let head = code.skip_back(at - 1).checked_sub(1);
                head.is_some_and(|head| matches!(code.word(head), "for" | "if" | "while"))
            }
            "return" | "else" => true,
            word => word != "]" && !code.is_ident(at - 1),
        };
    let declared = || {
        let scope = Scope::new(code, code.tokens[at].span.start)?;
        scope.declarator(code.word(at + 2))
    };
    is_written && declared().is_some_and(|d| d.stars == 2 && d.n_bounds == 0)
}

/// What a macro expands to, with `g->n` for the `(g)->n` of a macro with a parameter; `None` where
/// changes collide.
fn without_parentheses(text: &str) -> Option<String> {
    let code = Code::new(text);
    let is_base = |at: &usize| {
        let before = code.word(at.wrapping_sub(1));
        let is_operand = *at > 0 && (matches!(before, ")" | "]") || code.is_ident(at - 1));
        code.opens(*at, "(")
            && code.is_plain_name(at + 1)
            && code.closes(at + 2, ")")
            && matches!(code.word(at + 3), "." | "->")
            && !is_operand
    };
    let bases = (0..code.tokens.len()).filter(is_base);
    let edits = bases.map(|at| Edit {
        range: code.bytes(at..at + 3),
        replacement: code.word(at + 1).to_string(),
    });
    csource::apply_edits(text, edits.collect::<Vec<_>>()).ok()
}

#[cfg(test)]
mod tests {
    use super::super::region::time_loops;
    use super::*;

    const HEAD: &str = "\
#define SizeOf(G) G->n
#define Size SizeOf(g)
#define U(i) g->u[(i) * Size]
void f(struct grid *g, struct params p) {
";

    /// The region with stand-ins.
    fn replaced(body: &str) -> Option<(String, StandIns)> {
        let text = format!("{HEAD}{body}\n}}\n");
        let region = time_loops(&text).swap_remove(0);
        let found = stand_ins(&text, &[], &[], &region)?;
        let start = text.find(body).expect("the body");
        let after = csource::apply_edits(&text, found.edits.clone()).expect("no overlaps");
        Some((after[start..].trim_end_matches("\n}\n").to_string(), found))
    }

    #[test]
    fn members_become_names_and_macros_that_lead_to_them_are_expanded() {
        let body = "for (i = 0; i < p.n; i++) U(i-1) = p.c.d * g->u[i] + q[i] - Size;";
        let (text, found) = replaced(body).expect("members");
        assert_eq!(
            text,
            "for (i = 0; i < hexcc_p_n; i++) hexcc_g_u[(i-1) * hexcc_g_n] = hexcc_p_c_d * hexcc_g_u[i] + q[i] - hexcc_g_n;"
        );
        let values: Vec<(&str, bool)> = (found.members.iter())
            .map(|m| (m.value.as_str(), m.is_pointer))
            .collect();
        assert_eq!(
            values,
            [
                ("p.n", false),
                ("g->u", true),
                ("g->n", false),
                ("p.c.d", false)
            ]
        );
        assert!(
            found
                .declarations
                .contains("__typeof__(&*(g->u)) hexcc_g_u;\n")
        );
        assert!(found.declarations.contains("#ifndef U\n"));
    }

    #[test]
    fn what_a_pointer_to_a_pointer_leads_to_is_like_a_member() {
        let head = "void f(int n, double **a, double (*b)[9]) {";
        let text = format!("{head} for (int i = 0; i < n; i++) (*a)[i] = (*b)[i]; }}");
        let region = time_loops(&text).swap_remove(0);
        let found = stand_ins(&text, &[], &[], &region).expect("stand-ins");
        let values: Vec<&str> = found.members.iter().map(|m| m.value.as_str()).collect();
        assert_eq!(values, ["(*a)"]);
        let after = csource::apply_edits(&text, found.edits).expect("no overlaps");
        assert!(after.contains("hexcc_a[i] = (*b)[i]"), "{after}");
    }

    #[test]
    fn parentheses_of_a_macro_around_a_pointer_to_a_struct_are_none() {
        let bare = |text: &str| without_parentheses(text);
        assert_eq!(
            bare("((g)->u[i] * (p).n)"),
            Some("(g->u[i] * p.n)".to_string())
        );
        for kept in [
            "f(g)->u",
            "(g + 1)->u",
            "(a)[i]",
            "sizeof(g).n",
            "a[i](g)->n",
        ] {
            assert_eq!(bare(kept), Some(kept.to_string()), "{kept}");
        }
    }

    #[test]
    fn what_the_text_does_not_tell_is_left() {
        let of = |stmt: &str| replaced(&format!("for (i = 0; i < p.n; i++) {stmt}")).map(|r| r.0);
        assert!(of("a[i] = 1;").is_some());
        for stmt in [
            "{ struct params p = q; a[i] = p.n; }",
            "{ f(&p); a[i] = p.n; }",
            "p.f(i);",
            "a[i] = p.Size;",
        ] {
            assert_eq!(of(stmt), None, "{stmt}");
        }
        // Through two pointers: pet sees the struct, and refuses it.
        assert_eq!(replaced("for (i = 0; i < 9; i++) a[i] = g->h->n;"), None);
        assert_eq!(replaced("for (i = 0; i < 9; i++) a[i] = b[i];"), None);
    }

    #[test]
    fn macros_of_the_command_line_and_several_of_a_name_are_not_expanded() {
        let body = "for (i = 0; i < Size; i++) a[i] = g->n;";
        let text = format!("{HEAD}{body}\n}}\n");
        let region = time_loops(&text).swap_remove(0);
        let of = |text: &str, headers: &[String], defines: &[String]| {
            stand_ins(text, headers, defines, &region).is_some()
        };
        assert!(of(&text, &[], &[]));
        assert!(!of(&text, &[], &["Size=3".to_string()]));
        assert!(!of(&text, &["#define Size 3\n".to_string()], &[]));
        assert!(!of(&text, &["#undef Size\n".to_string()], &[]));
    }
}
