use super::{Extent, Kind, Signatures};
use crate::normalize::tests::parsed;

fn of(text: &str) -> Signatures {
    Signatures::of(&parsed(text))
}

#[test]
fn lengths_are_what_parameters_say() {
    let all = of(
        "typedef double real; static int f(int n, const real u[2][n + 1], float *v);\n\
        int f(int n, const real u[2][n + 1], float *v) { return n; }",
    );
    assert_eq!(all.errors, []);
    let [f] = &all.functions[..] else {
        panic!("{all:?}");
    };
    assert!(f.is_static && !f.is_variadic);
    assert_eq!(
        f.params.iter().map(|p| &p.name[..]).collect::<Vec<_>>(),
        ["n", "u", "v"]
    );
    let Kind::Array { element, length } = &f.params[1].ty.kind else {
        panic!("{f:?}");
    };
    assert_eq!(*length, Extent::Int(2));
    let Kind::Array { element, length } = &element.kind else {
        panic!("{f:?}");
    };
    let n = Box::new(Extent::Param("n".to_owned()));
    let one = Box::new(Extent::Int(1));
    assert_eq!(*length, Extent::Binary("+".to_owned(), n, one));
    assert!(element.is_const);
}

#[test]
fn structs_have_members_and_lists_have_none() {
    let all = of(
        "struct cell { float u; int k[3]; }; struct list { struct list *next; };\n\
        void f(struct cell *cells, struct list *all) {}",
    );
    let to = |n: usize| match &all.functions[0].params[n].ty.kind {
        Kind::Pointer { to } => to.kind.clone(),
        other => panic!("{other:?}"),
    };
    let Kind::Struct { size, fields, .. } = to(0) else {
        panic!("{all:?}");
    };
    assert_eq!((size, fields[1].offset, fields.len()), (16, 4, 2));
    let name = "struct list".to_owned();
    assert_eq!(to(1), Kind::Other { name });
}

#[test]
fn errors_have_places() {
    let all = of("void f(int n) { n = m; }");
    let (text, place) = &all.errors[0];
    assert!(text.contains("undeclared identifier 'm'"), "{text}");
    assert_eq!(place.as_ref().map(|p| p.start), Some(20));
}
