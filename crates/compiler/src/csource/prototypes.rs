//! Functions that are declared without their parameters, `void step();`, which C++ takes for none.

use super::{Code, Declared, Edit, file_scope, is_type_word};
use std::collections::BTreeSet;

/// Gives declarations of functions without parameters those of their definitions, in the text itself or
/// in other files of the program, where calls mean the same with them.
pub fn with_parameters(text: &str, others: &[&str]) -> Vec<Edit> {
    let code = Code::new(text);
    let functions = file_scope(&code).functions;
    let is_bare = |f: &&Declared| f.body.is_none() && code.skip(f.params) == f.params + 2;
    let bare: Vec<&Declared> = functions.iter().filter(is_bare).collect();
    if bare.is_empty() {
        return Vec::new();
    }
    let others: Vec<Code> = others.iter().map(|text| Code::new(text)).collect();
    let edit = |f: &&Declared| {
        let name = code.word(f.name);
        let known: BTreeSet<&str> = (0..f.start).map(|at| code.word(at)).collect();
        let own = parameters(&code, name, &known);
        let params = own.or_else(|| others.iter().find_map(|o| parameters(o, name, &known)))?;
        Some(Edit {
            range: code.bytes(f.params..f.params + 2),
            replacement: format!("({params})"),
        })
    };
    bare.iter().filter_map(edit).collect()
}

/// The parameters of a function that a file defines, if all their types are known and none is widened
/// in a call without a prototype.
fn parameters(code: &Code, name: &str, known: &BTreeSet<&str>) -> Option<String> {
    let functions = file_scope(code).functions;
    let f = functions
        .iter()
        .find(|f| f.body.is_some() && code.word(f.name) == name)?;
    let is_static = (f.start..f.name).any(|at| code.word(at) == "static");
    let list = f.params + 1..code.skip(f.params) - 1;
    let params = code.split_commas(list.clone());
    let has_void = list.len() == 1 && code.word(list.start) == "void";
    if list.is_empty() || has_void || is_static && !known.contains("static") {
        return None;
    }
    let mut names: BTreeSet<&str> = BTreeSet::new();
    for param in params {
        let own = code.declared_name(param.clone(), true)?;
        let mut words = (param.clone()).filter(|&at| at != own && code.is_ident(at));
        let is_known = |at: usize| {
            let word = code.word(at);
            let qualifies = matches!(word, "const" | "restrict" | "struct" | "register");
            is_type_word(word) || qualifies || known.contains(word) || names.contains(word)
        };
        let has = |what: &[&str]| param.clone().any(|at| what.contains(&code.word(at)));
        let is_widened = !has(&["*", "["]) && has(&["float", "char", "short", "_Bool", "bool"]);
        if is_widened || !words.all(is_known) || has(&["..."]) {
            return None;
        }
        names.insert(code.word(own));
    }
    let text = code.bytes(list.clone());
    (!code.has_directive(&text)).then(|| code.render(list))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::csource::apply_edits;

    #[test]
    fn declarations_get_the_parameters_of_definitions() {
        let text = "typedef double real;\nvoid step();\nint own();\ndouble narrow();\nvoid none();\nvoid table();\n\
            int main() { step(3, 0); own(4); }\nint own(int a, int b[a]) { return a; }\n";
        let other = "void step(int n, real *u)\n{ }\ndouble narrow(float x) { return x; }\n\
            void none(void) {}\nvoid table(cell *c) {}\n";
        let new = apply_edits(text, with_parameters(text, &[other])).expect("no overlaps");
        assert!(
            new.contains("void step(int n, real *u);\nint own(int a, int b[a]);\n"),
            "{new}"
        );
        assert!(
            new.contains("double narrow();\nvoid none();\nvoid table();\n"),
            "{new}"
        );
    }
}
