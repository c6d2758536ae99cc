//! Arrays of a function whose elements nothing but subscripts reaches: no other pointer to them is made. Where all subscripts
//! are in a region, nobody sees what the region leaves in them.

use crate::normalize::unreached::GIVES;
use crate::normalize::{tree, walk};
use hexcc_clang::ast::{
    BinaryOp, Callee, DeclId, DeclKind, Expr, ExprKind, FileId, Function, FunctionId, Severity,
    Stmt, StmtKind, Storage, TypeKind, UnaryOp, Unit,
};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// An array that is a function's own: a variable, or memory of its own that a variable points to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Own {
    /// Its name, which no other variable of the function has.
    pub name: String,
    /// The bytes from the first of its subscripts to the last.
    pub uses: Range<usize>,
}

/// All of a file, in the order of their declarations.
pub fn own(unit: &Unit) -> Vec<Own> {
    let has_errors = (unit.messages.iter()).any(|m| m.severity >= Severity::Error);
    let functions = unit.functions.iter().filter(|_| !has_errors);
    functions.flat_map(|f| of_function(unit, f)).collect()
}

fn of_function(unit: &Unit, function: &Function) -> Vec<Own> {
    let Some(body) = (function.body.as_ref()).filter(|body| is_told_by_tree(unit, body)) else {
        return Vec::new();
    };
    let declared: Vec<DeclId> = (function.params.iter().copied())
        .chain(walk::all_declared(body))
        .collect();
    let names = declared.iter().map(|id| unit[*id].name.as_str());
    let mut seen = HashSet::new();
    let twice: HashSet<&str> = names.filter(|name| !seen.insert(*name)).collect();
    let mut found = Found {
        unit,
        file: function.span.file,
        uses: HashMap::new(),
        given_away: HashSet::new(),
    };
    walk::all(unit, body, &mut |expr| {
        found.expr(expr);
        false
    });
    let is_own = |id: &&DeclId| {
        let decl = &unit[**id];
        let is_memory = matches!(
            unit.canonical(decl.ty).kind,
            TypeKind::Array { .. } | TypeKind::Pointer(_)
        );
        let has_own = match (&decl.init, &unit.canonical(decl.ty).kind) {
            (Some(init), TypeKind::Pointer(_)) => gives(unit, init) || is_null(init),
            _ => true,
        };
        is_memory
            && has_own
            && decl.kind == DeclKind::Variable
            && matches!(decl.storage, Storage::None | Storage::Register)
            && !twice.contains(decl.name.as_str())
            && !found.given_away.contains(*id)
    };
    let own = declared.iter().filter(is_own);
    own.filter_map(|id| {
        Some(Own {
            name: unit[*id].name.clone(),
            uses: found.uses.get(id)?.clone(),
        })
    })
    .collect()
}

/// Whether no statement of a function is in an expression, or unknown.
fn is_told_by_tree(unit: &Unit, body: &Stmt) -> bool {
    let mut has_others = false;
    walk::stmts(body, &mut |stmt| {
        has_others |= matches!(stmt.kind, StmtKind::Other(_));
    });
    !has_others
        && !walk::any(unit, body, |expr| {
            matches!(expr.kind, ExprKind::Statements(_) | ExprKind::Other(_))
        })
}

/// What a function does with its variables.
struct Found<'u> {
    unit: &'u Unit,
    file: FileId,
    /// By variable, the bytes from its first subscript to the last.
    uses: HashMap<DeclId, Range<usize>>,
    /// Variables with which something else is done.
    given_away: HashSet<DeclId>,
}

impl Found<'_> {
    fn expr(&mut self, expr: &Expr) {
        let unit = self.unit;
        match &expr.kind {
            ExprKind::Var(id) => {
                self.given_away.insert(*id);
            }
            ExprKind::Index(..) | ExprKind::Unary(UnaryOp::Deref, _) => match self.element(expr) {
                Some(subscripts) => subscripts.into_iter().for_each(|e| self.expr(e)),
                None => self.parts(expr),
            },
            ExprKind::Unary(UnaryOp::AddressOf, of) => self.parts(of),
            ExprKind::Unary(UnaryOp::Not, of) if variable(of).is_some() => {}
            ExprKind::Binary(BinaryOp::Equal | BinaryOp::NotEqual, a, b)
                if (variable(a).is_some() && is_null(b))
                    || (variable(b).is_some() && is_null(a)) => {}
            ExprKind::Assign(None, to, value)
                if variable(to).is_some() && (gives(unit, value) || is_null(value)) =>
            {
                self.parts(tree::unconverted(value));
            }
            ExprKind::Call(Callee::Function(f), given)
                if is_of_library(unit, *f, &["free"])
                    && given.iter().all(|e| variable(e).is_some()) => {}
            ExprKind::SizeOfExpr(_) => {}
            _ => self.parts(expr),
        }
    }

    fn parts(&mut self, expr: &Expr) {
        walk::parts(expr).into_iter().for_each(|e| self.expr(e));
    }

    /// The subscripts of an element, which is noted; `None` where it is no number, or no variable's.
    fn element<'e>(&mut self, expr: &'e Expr) -> Option<Vec<&'e Expr>> {
        let unit = self.unit;
        let is_number = |e: &Expr| matches!(unit.canonical(e.ty).kind, TypeKind::Builtin(_));
        if !is_number(expr) || expr.span.file != self.file {
            return None;
        }
        let (mut at, mut subscripts) = (expr, Vec::new());
        let id = loop {
            match &tree::plain(at).kind {
                ExprKind::Index(a, b) => {
                    let (array, subscript) = match is_number(tree::plain(a)) {
                        true => (b, a),
                        false => (a, b),
                    };
                    subscripts.push(&**subscript);
                    at = array;
                }
                ExprKind::Unary(UnaryOp::Deref, of) => at = of,
                ExprKind::Var(id) => break *id,
                _ => return None,
            }
        };
        let place = expr.span.start as usize..expr.span.end as usize;
        let uses = self.uses.entry(id).or_insert(place.clone());
        *uses = uses.start.min(place.start)..uses.end.max(place.end);
        Some(subscripts)
    }
}

/// The variable that an expression is.
fn variable(expr: &Expr) -> Option<DeclId> {
    match tree::unconverted(expr).kind {
        ExprKind::Var(id) => Some(id),
        _ => None,
    }
}

/// Whether an expression is memory that nothing else has.
fn gives(unit: &Unit, expr: &Expr) -> bool {
    match &tree::unconverted(expr).kind {
        ExprKind::Call(Callee::Function(f), _) => is_of_library(unit, *f, &GIVES),
        _ => false,
    }
}

fn is_of_library(unit: &Unit, function: FunctionId, names: &[&str]) -> bool {
    let is_defined = |f: &Function| f.first == unit[function].first && f.body.is_some();
    names.contains(&unit[function].name.as_str()) && !unit.functions.iter().any(is_defined)
}

fn is_null(expr: &Expr) -> bool {
    matches!(tree::unconverted(expr).kind, ExprKind::Int(0))
}

#[cfg(test)]
mod tests {
    use super::own;
    use crate::normalize::tests::unit_of;

    const HEAD: &str = "#include <stdlib.h>\nvoid see(float *);\n";

    /// The names of what is a function's own.
    fn names(body: &str) -> Vec<String> {
        let text = format!("{HEAD}void f(int n, float in[n][n], float out[n][n]) {{ {body} }}");
        let unit = unit_of(&text);
        own(&unit).into_iter().map(|own| own.name).collect()
    }

    const USED: &str = "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[i][j] = in[i][j]; out[0][0] = a[1][0];";

    #[test]
    fn variables_and_their_memory_are_own() {
        for declaration in [
            "float a[n][n];",
            "float a[8][8];",
            "float (*a)[n] = malloc(n * sizeof *a); if (!a) return;",
            "float (*a)[n] = (float (*)[n])calloc(n, sizeof(*a)); if (a == NULL) exit(1);",
            "float (*a)[n]; a = malloc(sizeof(float[n][n]));",
        ] {
            assert_eq!(
                names(&format!("{declaration} {USED}")),
                ["a"],
                "{declaration}"
            );
        }
        assert_eq!(
            names(&format!(
                "float (*a)[n] = malloc(n * sizeof *a); {USED} free(a);"
            )),
            ["a"]
        );
        assert_eq!(
            names("float *a = malloc(n * sizeof *a); a[1] = 2; *a = a[1]; out[0][0] = *a;"),
            ["a"]
        );
    }

    #[test]
    fn other_pointers_reach_the_rest() {
        for body in [
            format!("static float a[8][8]; {USED}"),
            format!("float a[n][n]; {USED} see(a[0]);"),
            format!("float a[n][n]; {USED} see(&a[0][0]);"),
            format!("float a[n][n]; {USED} see(&(a[0][0]));"),
            format!("float a[n][n], *p = a[0]; {USED}"),
            format!("float (*a)[n] = in; {USED}"),
            format!("float (*a)[n] = malloc(n * sizeof *a), (*b)[n] = a; {USED}"),
            format!("float (*a)[n] = malloc(n * sizeof *a); {USED} a = out;"),
            format!("float (*a)[n] = malloc(n * sizeof *a); {USED} a++;"),
            format!("float a[n][n]; {USED} {{ float a = 1; out[0][0] = a; }}"),
            format!("float a[n][n]; {USED} out[1][1] = ({{ a[0][1]; }});"),
        ] {
            assert_eq!(names(&body), Vec::<String>::new(), "{body}");
        }
    }

    #[test]
    fn uses_are_all_subscripts() {
        let text = format!("{HEAD}void f(int n) {{ float a[n]; a[1] = 2; a[0] = a[1]; n++; }}");
        let found = own(&unit_of(&text));
        assert_eq!(&text[found[0].uses.clone()], "a[1] = 2; a[0] = a[1]");
    }
}
