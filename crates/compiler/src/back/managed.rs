//! Arrays at file scope that CUDA manages, so that kernels and the program use them at the same addresses.

use super::fallback::Files;
use super::program::Replacement;
use crate::csource::{self, Code, Edit, Scope, declared_type};
use crate::ctype::CType;
use crate::interface::Interface;
use crate::scop::SavedScop;
use crate::scop::truth::is_bool;
use std::collections::BTreeMap;

/// Lets kernels use arrays at file scope that they may be given. Only this file can name them then: what another one would
/// see under the name is not the array.
pub(super) fn arrays(
    (text, saved): (&str, &SavedScop),
    files: Files,
    replacements: &[Replacement],
) -> Vec<Edit> {
    let edit = |at: usize, is_static: bool| Edit {
        range: at..at,
        replacement: match is_static {
            true => "__managed__ ".to_string(),
            false => "__managed__ static ".to_string(),
        },
    };
    let may_share = |array: &FileScopeArray| {
        (array.is_static || files == Files::One)
            && !saved.is_of_host(&array.name)
            && replacements.iter().any(|r| may_use(r.interface, array))
    };
    at_file_scope(text)
        .into_iter()
        .filter(|(_, arrays)| arrays.iter().any(may_share))
        .map(|(at, arrays)| edit(at, arrays.iter().all(|array| array.is_static)))
        .collect()
}

/// Whether kernels may be given an array at file scope: under its name, or by a pointer to such elements.
fn may_use(ir: &Interface, array: &FileScopeArray) -> bool {
    let all = ir.handed_over().arrays;
    let mut pointers = all.iter().filter(|a| a.pointer || a.rows.is_some());
    array.elem.is_none()
        || all
            .iter()
            .any(|a| [&a.memory, &a.name].contains(&&array.name))
        || pointers.any(|a| array.elem == Some(a.elem))
}

/// An array that is defined at file scope.
struct FileScopeArray {
    /// What the file calls it.
    name: String,
    /// The type of its elements; `None` where that is a struct or a name for a type.
    elem: Option<CType>,
    /// Whether no other file sees it.
    is_static: bool,
}

/// Definitions of arrays of numbers or structs at file scope, by where they begin. Left out is what other files may
/// define, and what initial values at file scope name.
fn at_file_scope(text: &str) -> BTreeMap<usize, Vec<FileScopeArray>> {
    let code = Code::new(text);
    let scope = csource::file_scope(&code);
    let mut found: BTreeMap<usize, Vec<FileScopeArray>> = BTreeMap::new();
    let functions = csource::functions(text);
    let Some(last) = functions.last().map(|f| f.body.start + 1) else {
        return found;
    };
    let is_outside = |at: usize| {
        let mut around = functions.iter().map(|f| f.start..f.body.end);
        !around.any(|f| f.contains(&at))
    };
    let mentions_outside = |name: &str| {
        let named = (0..code.tokens.len()).filter(|&i| code.is_ident(i) && code.word(i) == name);
        named
            .filter(|&i| is_outside(code.tokens[i].span.start))
            .count()
    };
    for name in scope
        .variables
        .iter()
        .filter(|name| !scope.elsewhere.contains(*name))
    {
        let array = Scope::new(&code, last).and_then(|scope| scope.declarator(name));
        let Some(array) = array.filter(|d| d.n_bounds > 0 && d.stars == 0) else {
            continue;
        };
        let words = declared_type(text, name, last).unwrap_or_default();
        let elem = CType::parse(&words);
        let is_number =
            elem.is_some() || is_bool(&words) || !csource::typedefs(&[text], &words).is_empty();
        let is_struct = is_struct_name(&code, &words);
        let alone = is_outside(array.range.start) && mentions_outside(name) == 1;
        let at = code
            .tokens
            .partition_point(|t| t.span.end <= array.range.start);
        let start = csource::simple_statement_start(&code, at);
        let words: Vec<&str> = (start..at).map(|i| code.word(i)).collect();
        let is_static = words.contains(&"static");
        // Of one that is defined elsewhere.
        let is_tagged = matches!(words.as_slice(), ["struct", _] | ["static", "struct", _]);
        let mut others = words.iter();
        let other = others.any(|w| matches!(*w, "extern" | "typedef" | "const" | "struct"));
        if alone && (is_tagged || (is_number || is_struct) && !other) {
            let begins = found.entry(code.tokens[start].span.start).or_default();
            begins.push(FileScopeArray {
                name: name.clone(),
                elem,
                is_static,
            });
        }
    }
    found
}

/// Whether `typedef struct { .. } NAME;` gives a name.
fn is_struct_name(code: &Code, name: &str) -> bool {
    (1..code.tokens.len()).any(|at| {
        let open = code.skip_back(at);
        let before = |n: usize| open.checked_sub(n).map_or("", |i| code.word(i));
        code.closes(at, "}")
            && code.word(at + 1) == name
            && code.word(at + 2) == ";"
            && [before(1), before(2)].contains(&"struct")
            && [before(2), before(3)].contains(&"typedef")
    })
}

#[cfg(test)]
mod tests {
    use super::at_file_scope;

    #[test]
    fn arrays_at_file_scope_are_found() {
        let text = "static double a[4], b[4];\ndouble c[2][2];\nconst double d[3] = {1};\nextern double e[5];\n\
                    float f[6];\nfloat *g = f;\nstruct p { int x[2]; } h[2];\ntypedef float real;\nreal k[9];\n\
                    int main(void) { double l[3]; c[0][0] = a[0]; return 0; }\n";
        let found: Vec<(&str, bool)> = (at_file_scope(text).into_iter())
            .map(|(at, arrays)| {
                (
                    text[at..].split(';').next().unwrap_or(""),
                    arrays.iter().all(|a| a.is_static),
                )
            })
            .collect();
        let wanted = [
            ("static double a[4], b[4]", true),
            ("double c[2][2]", false),
            ("real k[9]", false),
        ];
        assert_eq!(found, wanted);
    }
}
