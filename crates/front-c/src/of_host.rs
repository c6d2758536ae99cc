//! Arrays of structs at file scope that no pointer to a number points into: no array of numbers is in such a struct,
//! nor does the address of a member or of the struct become one of a number. A kernel of arrays of numbers is given none.

use crate::normalize::walk;
use hexcc_clang::ast::{
    Decl, DeclKind, Expr, ExprKind, Item, RecordId, TypeId, TypeKind, UnaryOp, Unit,
};

/// Their names.
pub fn of_host(unit: &Unit) -> Vec<String> {
    let arrays = unit.items.iter().filter_map(|item| match item {
        Item::Decl(id) if unit[*id].kind == DeclKind::Variable => Some(&unit[*id]),
        _ => None,
    });
    let of_record = |decl: &&Decl| record(unit, decl.ty).is_some_and(|r| is_alone(unit, r));
    let is_array = |decl: &&Decl| matches!(unit.canonical(decl.ty).kind, TypeKind::Array { .. });
    let found = arrays.filter(is_array).filter(of_record);
    found.map(|decl| decl.name.clone()).collect()
}

/// The struct that an array is of, or that a pointer points to.
fn record(unit: &Unit, ty: TypeId) -> Option<RecordId> {
    match unit.canonical(ty).kind {
        TypeKind::Array { element, .. } => record(unit, element),
        TypeKind::Pointer(to) => record(unit, to),
        TypeKind::Record(record) => Some(record),
        _ => None,
    }
}

/// Whether no pointer to a number points into a struct.
fn is_alone(unit: &Unit, of: RecordId) -> bool {
    let is_scalar = |ty: TypeId| {
        let kind = &unit.canonical(ty).kind;
        matches!(
            kind,
            TypeKind::Builtin(_) | TypeKind::Pointer(_) | TypeKind::Enum(_)
        )
    };
    let fields = &unit[of].fields;
    let is_address = |expr: &Expr| match &expr.kind {
        ExprKind::Unary(UnaryOp::AddressOf, value) => match &value.kind {
            ExprKind::Field(_, field) => fields.contains(field),
            _ => false,
        },
        ExprKind::Cast { value, .. } => {
            record(unit, value.ty) == Some(of) && record(unit, expr.ty) != Some(of)
        }
        _ => false,
    };
    let mut bodies = unit.functions.iter().filter_map(|f| f.body.as_ref());
    let mut inits = unit.decls.iter().filter_map(|decl| decl.init.as_ref());
    fields.iter().all(|field| is_scalar(unit[*field].ty))
        && !inits.any(|init| walk::has(init, is_address))
        && !bodies.any(|body| walk::any(unit, body, is_address))
}

#[cfg(test)]
mod tests {
    use super::of_host;
    use crate::normalize::tests::unit_of;

    fn found(text: &str) -> Vec<String> {
        of_host(&unit_of(text))
    }

    const HEAD: &str = "typedef struct level { int n; double h; double *u; } level;
static level lv[4]; struct cell { float x[3]; } cells[8]; double a[9];
static void smooth(level *l) { for (int i = 0; i < l->n; i++) l->u[i] *= l->h; }\n";

    #[test]
    fn structs_of_pointers_stay_with_the_host() {
        let all = found(&format!(
            "{HEAD}int main(void) {{ smooth(&lv[1]); return 0; }}"
        ));
        assert_eq!(all, ["lv"]);
    }

    #[test]
    fn addresses_in_a_struct_may_be_given_away() {
        for taken in [
            "double *h = &lv[1].h;",
            "double *h = (double *)lv;",
            "void *h = &lv[2];",
            "level *l = lv; double *h = &l->h;",
        ] {
            let all = found(&format!(
                "{HEAD}int main(void) {{ {taken} return h != 0; }}"
            ));
            assert_eq!(all, Vec::<String>::new(), "{taken}");
        }
    }
}
