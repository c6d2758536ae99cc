//! Members of structs that have names of their own in what pet has read.

use super::records::query::MemberOf;
use super::{body_exprs, children};
use crate::csource;
use crate::diag::Diagnostic;
use hexcc_pet::data::{Member, PetArray, PetExpr, PetScop};
use std::collections::BTreeSet;

/// Whether members are the same at all times while a region runs, as far as its statements tell: it
/// writes none that is a number, and nothing in it has the name of a variable that members are
/// reached through.
///
/// Whether arrays that the region writes share memory with members, the program tests when it runs.
pub fn are_constant(scop: &PetScop, bases: &BTreeSet<String>) -> bool {
    let written = written(scop);
    let mut numbers = scop.members.iter().filter(|m| !m.is_pointer);
    numbers.all(|m| !written.contains(m.name.as_str()))
        && !scop
            .arrays
            .iter()
            .any(|a| is_unknown_record(scop, a) || bases.contains(&a.name))
}

/// Whether stores of a region may change members that are pointers, if some are: it stores bytes, and an array of these
/// may be the memory of anything.
pub fn may_change(scop: &PetScop) -> bool {
    let is_bytes = |name: &str| {
        let array = scop.arrays.iter().find(|a| a.name == name);
        let record = scop.records.iter().find(|r| r.array == name);
        let has_bytes = record.is_some_and(|r| r.places.iter().any(|p| p.element_size <= 1));
        array.is_none_or(|a| a.element_size <= 1) || has_bytes
    };
    scop.members.iter().any(|m| m.is_pointer) && written(scop).into_iter().any(is_bytes)
}

/// Looks up a member of a variable, given whether that is a pointer (1, or 0), and names with as many subscripts.
type Lookup<'a, T> = dyn Fn(&str, usize, &[(String, usize)]) -> Option<T> + 'a;

/// Notes with the members that are pointers that stores may change them. Arrays in a struct have a `place` with one subscript.
pub fn find_pointers<T>(scop: &mut PetScop, place: &Lookup<T>) {
    if !may_change(scop) {
        return;
    }
    for member in scop.members.iter_mut().filter(|m| m.is_pointer) {
        let names = member.value.split(['-', '>', '.']);
        let mut names = names.filter(|name| !name.is_empty());
        let base = names.next().unwrap_or_default();
        let followed = usize::from(member.value.contains("->"));
        let mut path: Vec<(String, usize)> = names.map(|name| (name.to_string(), 0)).collect();
        if let Some((_, subscripts)) = path.last_mut() {
            *subscripts = 1;
        }
        let is_array = !path.is_empty() && place(base, followed, &path).is_some();
        member.may_change = !is_array;
    }
}

/// Whether the elements of an array are structs of which nothing is known.
fn is_unknown_record(scop: &PetScop, array: &PetArray) -> bool {
    let base = MemberOf::parse(&array.extent).map(|of| of.base);
    let is_known = |base: &String| scop.records.iter().any(|r| r.array == *base);
    array.element_is_record && !base.as_ref().is_some_and(is_known)
}

/// Names of what a region writes.
fn written(scop: &PetScop) -> BTreeSet<&str> {
    let mut written = BTreeSet::new();
    for expr in scop.stmts.iter().flat_map(|stmt| body_exprs(&stmt.body)) {
        collect_written(expr, &mut written);
    }
    written
}

fn collect_written<'a>(expr: &'a PetExpr, names: &mut BTreeSet<&'a str>) {
    if let PetExpr::Access {
        array: Some(name),
        write: true,
        ..
    } = expr
    {
        names.insert(name);
    }
    for child in children(expr) {
        collect_written(child, names);
    }
}

/// A message with members as the source names them.
pub fn as_written(members: &[Member], mut d: Box<Diagnostic>) -> Box<Diagnostic> {
    if !members.is_empty() {
        let labels = d.labels.iter_mut().map(|label| &mut label.text);
        let others = d.notes.iter_mut().chain(&mut d.help);
        for text in labels.chain(others).chain([&mut d.message]) {
            *text = quoted_as_written(members, text);
        }
    }
    d
}

/// A text in which members are as the source names them where it quotes C.
fn quoted_as_written(members: &[Member], text: &str) -> String {
    let mut parts: Vec<String> = text.split('`').map(str::to_string).collect();
    for code in parts.iter_mut().skip(1).step_by(2) {
        let tokens = csource::tokenize(code).into_iter().rev();
        for span in tokens.map(|token| token.span) {
            if let Some(member) = members
                .iter()
                .find(|m| code.get(span.clone()) == Some(&*m.name))
            {
                code.replace_range(span, &member.value);
            }
        }
    }
    parts.join("`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_members_as_the_source_does() {
        let members = [Member::new("hexcc_g_u", "g->u".to_string(), true)];
        let d = Diagnostic::error("HX0104", "a column of `hexcc_g_u` may leave `hexcc_g_u[n]`")
            .at(0..1, "hexcc_g_u, `hexcc_g_u_`")
            .note("unpaired ` hexcc_g_u");
        let d = as_written(&members, Box::new(d));
        assert_eq!(d.message, "a column of `g->u` may leave `g->u[n]`");
        assert_eq!(d.labels[0].text, "hexcc_g_u, `hexcc_g_u_`");
        assert_eq!(d.notes, ["unpaired ` g->u"]);
    }
}
