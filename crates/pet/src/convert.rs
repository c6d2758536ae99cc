//! From pet's structures to plain data.

use std::{collections::HashSet, ffi::c_int, slice};

use crate::{
    PetError,
    data::{PetArray, PetBody, PetExpr, PetScop, PetStmt, Span},
    deep::MAX_DEPTH,
    ffi::{
        Object, Owned, Pet, YAML_BLOCK, borrowed_text, isl_ctx, isl_printer, isl_set, owned_text,
        pet_array, pet_expr, pet_expr_type, pet_loc, pet_scop, pet_stmt, pet_tree, pet_tree_type,
    },
};

/// Reads one scop.
///
/// # Safety
///
/// `scop` is a valid scop of `ctx`, both made by `pet`.
pub unsafe fn scop(
    pet: &Pet,
    ctx: *mut isl_ctx,
    scop: *mut pet_scop,
    source: &Source,
) -> Result<PetScop, PetError> {
    // SAFETY: promised by the caller.
    unsafe { Reader { pet, ctx, source }.scop(scop) }
}

/// A text, and where its lines begin.
pub struct Source<'a> {
    text: &'a str,
    breaks: Vec<usize>,
}

impl<'a> Source<'a> {
    pub fn new(text: &'a str) -> Source<'a> {
        let breaks = text.match_indices('\n').map(|(at, _)| at).collect();
        Source { text, breaks }
    }

    /// The line (from 1) of the byte at `offset`.
    pub fn line(&self, offset: usize) -> usize {
        1 + self.breaks.partition_point(|at| *at < offset)
    }
}

/// The functions of this type take pointers that pet handed out for the one scop
/// being read, and keep none; that is the whole of their safety contract.
struct Reader<'a> {
    pet: &'a Pet,
    ctx: *mut isl_ctx,
    source: &'a Source<'a>,
}

impl<'a> Reader<'a> {
    unsafe fn scop(&self, raw: *mut pet_scop) -> Result<PetScop, PetError> {
        // SAFETY: the scop is valid, and so are the arrays of the lengths it states.
        unsafe {
            let scop = &*raw;
            let schedule = self.own(self.pet.isl_schedule_get_map(scop.schedule), "schedule")?;
            let schedule = owned_text(self.pet.isl_union_map_to_str(schedule.get()));
            let arrays = elements(scop.arrays, scop.n_array)
                .iter()
                .map(|array| self.array(&**array))
                .collect::<Result<Vec<_>, _>>()?;
            let declared: HashSet<&str> = arrays
                .iter()
                .filter(|array: &&PetArray| array.declared)
                .map(|array| array.name.as_str())
                .collect();
            let mut stmts = Vec::new();
            // A declaration is a kill of the variable and then, with an initial value,
            // an assignment in the same place.
            let mut killed_at = None;
            for &stmt in elements(scop.stmts, scop.n_stmt) {
                if self.flag(self.pet.pet_stmt_is_kill(stmt), "pet_stmt_is_kill")? {
                    killed_at = Some(self.span((*stmt).loc));
                    continue;
                }
                let is_declaration = killed_at.take() == Some(self.span((*stmt).loc));
                let mut stmt = self.stmt(&*stmt)?;
                if is_declaration {
                    stmt.body = into_declaration(stmt.body, &declared);
                }
                stmts.push(stmt);
            }
            Ok(PetScop {
                span: self.span(scop.loc),
                indent: borrowed_text(self.pet.pet_loc_get_indent(scop.loc)).unwrap_or_default(),
                context: self.set_text(scop.context)?,
                schedule: self.some(schedule, "isl_union_map_to_str")?,
                arrays,
                stmts,
                data_dependent_accesses: self.flag(
                    self.pet.pet_scop_has_data_dependent_accesses(raw),
                    "pet_scop_has_data_dependent_accesses",
                )?,
                data_dependent_conditions: self.flag(
                    self.pet.pet_scop_has_data_dependent_conditions(raw),
                    "pet_scop_has_data_dependent_conditions",
                )?,
                members: Vec::new(),
                records: Vec::new(),
                selects: Vec::new(),
                conditional: Vec::new(),
                cells: Vec::new(),
                guarded: false,
                rotation: None,
                given: Vec::new(),
                not_selected: None,
                as_read: Default::default(),
            })
        }
    }

    unsafe fn array(&self, array: &pet_array) -> Result<PetArray, PetError> {
        // SAFETY: see `Reader`.
        unsafe {
            let extent = self.set_text(array.extent)?;
            Ok(PetArray {
                // A member of a struct array has a nested tuple and no name of its own.
                name: self.set_name(array.extent).unwrap_or_default(),
                context: self.set_text(array.context)?,
                extent,
                element_type: borrowed_text(array.element_type).unwrap_or_default(),
                element_size: usize::try_from(array.element_size).unwrap_or(0),
                element_is_record: array.element_is_record != 0,
                declared: array.declared != 0,
                exposed: array.exposed != 0,
                pointers: 0,
            })
        }
    }

    unsafe fn stmt(&self, stmt: &pet_stmt) -> Result<PetStmt, PetError> {
        // SAFETY: see `Reader`.
        unsafe {
            // pet extends some ranges to whole lines and others not at all.
            let whole = self.span(stmt.loc);
            let text = self
                .source
                .text
                .get(whole.start..whole.end)
                .unwrap_or_default();
            let start = whole.start + (text.len() - text.trim_start().len());
            let span = Span {
                start,
                end: start + text.trim().len(),
            };
            let line = self.line(stmt.loc, span);
            let body = self.body(stmt.body, text).map_err(|error| match error {
                PetError::TooDeep { .. } => PetError::TooDeep { line },
                other => other,
            })?;
            Ok(PetStmt {
                name: self.some(self.stmt_name(stmt), "the statement's name")?,
                line,
                span,
                domain: self.set_text(stmt.domain)?,
                n_args: stmt.n_arg as usize,
                body,
            })
        }
    }

    /// The name of the domain's tuple; in a statement with arguments the domain is
    /// a wrapped map from that tuple to the values of the arguments.
    unsafe fn stmt_name(&self, stmt: &pet_stmt) -> Option<String> {
        // SAFETY: see `Reader`; copies are given away as isl demands.
        unsafe {
            if self.pet.isl_set_is_wrapping(stmt.domain) != 1 {
                return self.set_name(stmt.domain);
            }
            let map = self.pet.isl_set_unwrap(self.pet.isl_set_copy(stmt.domain));
            let domain = Owned::new(self.pet, self.pet.isl_map_domain(map))?;
            self.set_name(domain.get())
        }
    }

    unsafe fn body(&self, tree: *mut pet_tree, text: &str) -> Result<PetBody, PetError> {
        // SAFETY: see `Reader`.
        unsafe {
            let unsupported = |what: &str| Ok(PetBody::Unsupported(what.to_owned()));
            match self.pet.pet_tree_get_type(tree) {
                pet_tree_type::pet_tree_expr => {
                    let expr = self.own(self.pet.pet_tree_expr_get_expr(tree), "body")?;
                    Ok(PetBody::Expr(self.expr(expr.get(), text, 0)?))
                }
                pet_tree_type::pet_tree_decl_init => {
                    let var = self.own(self.pet.pet_tree_decl_get_var(tree), "variable")?;
                    let init = self.own(self.pet.pet_tree_decl_get_init(tree), "initial value")?;
                    Ok(PetBody::Decl {
                        var: self.expr(var.get(), text, 0)?,
                        init: self.expr(init.get(), text, 0)?,
                    })
                }
                pet_tree_type::pet_tree_error => Err(self.failed("pet_tree_get_type")),
                pet_tree_type::pet_tree_block => unsupported("block"),
                pet_tree_type::pet_tree_break => unsupported("break"),
                pet_tree_type::pet_tree_continue => unsupported("continue"),
                pet_tree_type::pet_tree_decl => unsupported("decl"),
                pet_tree_type::pet_tree_if => unsupported("if"),
                pet_tree_type::pet_tree_if_else => unsupported("if_else"),
                pet_tree_type::pet_tree_for => unsupported("for"),
                pet_tree_type::pet_tree_infinite_loop => unsupported("infinite_loop"),
                pet_tree_type::pet_tree_while => unsupported("while"),
                pet_tree_type::pet_tree_return => unsupported("return"),
                other => unsupported(&format!("tree of kind {other}")),
            }
        }
    }

    /// `text` is the source of the statement, `depth` the number of expressions around this one.
    unsafe fn expr(
        &self,
        expr: *mut pet_expr,
        text: &str,
        depth: usize,
    ) -> Result<PetExpr, PetError> {
        if depth > MAX_DEPTH {
            return Err(PetError::TooDeep { line: 0 });
        }
        // SAFETY: see `Reader`.
        unsafe {
            let pet = self.pet;
            let type_size = pet.pet_expr_get_type_size(expr);
            match pet.pet_expr_get_type(expr) {
                pet_expr_type::pet_expr_access => {
                    let index = self.own(pet.pet_expr_access_get_index(expr), "index")?;
                    let index = owned_text(pet.isl_multi_pw_aff_to_str(index.get()));
                    let affine = self.flag(pet.pet_expr_is_affine(expr), "pet_expr_is_affine")?;
                    let array = if affine {
                        None
                    } else {
                        Some(self.accessed_array(expr)?)
                    };
                    Ok(PetExpr::Access {
                        array,
                        index: self.some(index, "isl_multi_pw_aff_to_str")?,
                        read: self.flag(pet.pet_expr_access_is_read(expr), "is_read")?,
                        write: self.flag(pet.pet_expr_access_is_write(expr), "is_write")?,
                        args: self.args(expr, text, depth + 1)?,
                        type_size,
                    })
                }
                pet_expr_type::pet_expr_int => {
                    let value = self.own(pet.pet_expr_int_get_val(expr), "integer")?;
                    let value = owned_text(pet.isl_val_to_str(value.get()));
                    Ok(PetExpr::Int {
                        value: self.some(value, "isl_val_to_str")?,
                        type_size,
                    })
                }
                pet_expr_type::pet_expr_double => {
                    let literal = owned_text(pet.pet_expr_double_get_str(expr));
                    let literal = self.some(literal, "pet_expr_double_get_str")?;
                    // Where a literal comes from a macro there is no source text and
                    // clang prints the value with all digits that it may need.
                    Ok(PetExpr::Double(if text.contains(&literal) {
                        literal
                    } else {
                        shortest(literal)
                    }))
                }
                pet_expr_type::pet_expr_op => {
                    let op = pet.pet_expr_op_get_type(expr);
                    let op = usize::try_from(op)
                        .ok()
                        .and_then(|index| OPERATORS.get(index))
                        .ok_or_else(|| PetError::Protocol(format!("unknown operator {op}")))?;
                    Ok(PetExpr::Op {
                        op: op.0.to_owned(),
                        args: self.args(expr, text, depth + 1)?,
                        type_size,
                    })
                }
                pet_expr_type::pet_expr_call => {
                    let name = borrowed_text(pet.pet_expr_call_get_name(expr));
                    Ok(PetExpr::Call {
                        name: self.some(name, "pet_expr_call_get_name")?,
                        args: self.args(expr, text, depth + 1)?,
                    })
                }
                pet_expr_type::pet_expr_cast => {
                    let ty = self.cast_type(expr)?;
                    let arg = self.own(pet.pet_expr_get_arg(expr, 0), "operand of a cast")?;
                    Ok(PetExpr::Cast {
                        ty,
                        arg: Box::new(self.expr(arg.get(), text, depth + 1)?),
                    })
                }
                other => Err(PetError::Protocol(format!(
                    "unknown kind of expression {other}"
                ))),
            }
        }
    }

    unsafe fn args(
        &self,
        expr: *mut pet_expr,
        text: &str,
        depth: usize,
    ) -> Result<Vec<PetExpr>, PetError> {
        // SAFETY: see `Reader`.
        unsafe {
            (0..self.pet.pet_expr_get_n_arg(expr))
                .map(|position| {
                    let arg = self.own(self.pet.pet_expr_get_arg(expr, position), "operand")?;
                    self.expr(arg.get(), text, depth)
                })
                .collect()
        }
    }

    unsafe fn accessed_array(&self, expr: *mut pet_expr) -> Result<String, PetError> {
        // SAFETY: see `Reader`.
        unsafe {
            let id = self.own(self.pet.pet_expr_access_get_id(expr), "name of an array")?;
            self.some(
                borrowed_text(self.pet.isl_id_get_name(id.get())),
                "isl_id_get_name",
            )
        }
    }

    /// libpet does not export the accessor, so the type comes from pet's YAML: that of the
    /// cast of a leaf, since all casts of a nest together would print its square.
    unsafe fn cast_type(&self, expr: *mut pet_expr) -> Result<String, PetError> {
        // SAFETY: see `Reader`; `pet_expr_set_arg` takes both expressions.
        let yaml = unsafe {
            let leaf = self.leaf(expr)?.into_raw();
            let copy = self.pet.pet_expr_copy(expr);
            let cast = self.own(self.pet.pet_expr_set_arg(copy, 0, leaf), "pet_expr_set_arg")?;
            self.expr_yaml(cast.get())?
        };
        yaml.lines()
            .find_map(|line| line.strip_prefix("cast:"))
            .map(|name| name.trim().trim_matches('"').to_owned())
            .ok_or_else(|| PetError::Protocol(format!("no type in the cast {yaml:?}")))
    }

    /// The first operand of the first operand and so on.
    unsafe fn leaf(&self, expr: *mut pet_expr) -> Result<Owned<'_, pet_expr>, PetError> {
        // SAFETY: see `Reader`.
        unsafe {
            let mut leaf = self.own(self.pet.pet_expr_copy(expr), "pet_expr_copy")?;
            while self.pet.pet_expr_get_n_arg(leaf.get()) > 0 {
                leaf = self.own(self.pet.pet_expr_get_arg(leaf.get(), 0), "operand")?;
            }
            Ok(leaf)
        }
    }

    unsafe fn expr_yaml(&self, expr: *mut pet_expr) -> Result<String, PetError> {
        // SAFETY: see `Reader`; every step takes the printer and returns it.
        unsafe {
            let printer = self.own(self.pet.isl_printer_to_str(self.ctx), "printer")?;
            let printer = self
                .pet
                .isl_printer_set_yaml_style(printer.into_raw(), YAML_BLOCK);
            let printer: Owned<'_, isl_printer> =
                self.own(self.pet.pet_expr_print(expr, printer), "pet_expr_print")?;
            let text = owned_text(self.pet.isl_printer_get_str(printer.get()));
            self.some(text, "isl_printer_get_str")
        }
    }

    unsafe fn set_text(&self, set: *mut isl_set) -> Result<String, PetError> {
        // SAFETY: see `Reader`; isl takes NULL and returns NULL.
        let text = unsafe { owned_text(self.pet.isl_set_to_str(set)) };
        self.some(text, "isl_set_to_str")
    }

    unsafe fn set_name(&self, set: *mut isl_set) -> Option<String> {
        // SAFETY: see `Reader`; asking for the name of an unnamed tuple crashes.
        unsafe {
            if self.pet.isl_set_has_tuple_name(set) != 1 {
                return None;
            }
            borrowed_text(self.pet.isl_set_get_tuple_name(set))
        }
    }

    /// pet's byte range, cut to the file: code from a macro or a header may have
    /// offsets that mean nothing here.
    unsafe fn span(&self, loc: *mut pet_loc) -> Span {
        // SAFETY: see `Reader`.
        let (start, end) = unsafe {
            (
                self.pet.pet_loc_get_start(loc),
                self.pet.pet_loc_get_end(loc),
            )
        };
        let end = (end as usize).min(self.source.text.len());
        Span {
            start: (start as usize).min(end),
            end,
        }
    }

    /// Line of the start of `span`, or pet's own where there is no span.
    unsafe fn line(&self, loc: *mut pet_loc, span: Span) -> usize {
        if span.start < span.end {
            return self.source.line(span.start);
        }
        // SAFETY: see `Reader`.
        usize::try_from(unsafe { self.pet.pet_loc_get_line(loc) }).unwrap_or(0)
    }

    unsafe fn own<T: Object>(&self, pointer: *mut T, what: &str) -> Result<Owned<'a, T>, PetError> {
        // SAFETY: the pointers given to this function are fresh results.
        unsafe { Owned::new(self.pet, pointer) }.ok_or_else(|| self.failed(what))
    }

    fn some<T>(&self, value: Option<T>, what: &str) -> Result<T, PetError> {
        value.ok_or_else(|| self.failed(what))
    }

    fn flag(&self, value: c_int, what: &str) -> Result<bool, PetError> {
        if value < 0 {
            Err(self.failed(what))
        } else {
            Ok(value != 0)
        }
    }

    fn failed(&self, what: &str) -> PetError {
        // SAFETY: the context is valid and keeps the message.
        let reason = unsafe { borrowed_text(self.pet.isl_ctx_last_error_msg(self.ctx)) };
        let reason = reason.unwrap_or_else(|| "no reason given".to_owned());
        PetError::Protocol(format!("{what}: {reason}"))
    }
}

/// Turns the assignment to a declared variable into its declaration.
fn into_declaration(body: PetBody, declared: &HashSet<&str>) -> PetBody {
    match body {
        PetBody::Expr(PetExpr::Op {
            op,
            args,
            type_size,
        }) => {
            let declares = op == "assign"
                && matches!(args.first(), Some(PetExpr::Access { array: Some(name), .. })
                    if declared.contains(name.as_str()));
            match <[PetExpr; 2]>::try_from(args) {
                Ok([var, init]) if declares => PetBody::Decl { var, init },
                Ok(args) => PetBody::Expr(PetExpr::Op {
                    op,
                    args: args.into(),
                    type_size,
                }),
                Err(args) => PetBody::Expr(PetExpr::Op {
                    op,
                    args,
                    type_size,
                }),
            }
        }
        other => other,
    }
}

/// The shortest decimal literal with the value and type of `literal`:
/// `0.200000003F` becomes `0.2f`.
///
/// Other types than `float` and `double`, and hexadecimal literals, are left alone.
fn shortest(literal: String) -> String {
    let digits = literal.trim_end_matches(['f', 'F']);
    let plain = digits
        .bytes()
        .all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'+' | b'-'));
    if !plain {
        return literal;
    }
    let is_float = digits.len() < literal.len();
    // Rust's Debug form is the shortest that reads back as the same value, and C
    // reads it as a floating-point literal: it has a point or an exponent.
    let printed = if is_float {
        digits
            .parse()
            .ok()
            .filter(|value: &f32| value.is_finite())
            .map(|v| format!("{v:?}f"))
    } else {
        digits
            .parse()
            .ok()
            .filter(|value: &f64| value.is_finite())
            .map(|v| format!("{v:?}"))
    };
    printed.unwrap_or(literal)
}

/// The elements of one of pet's arrays, which may be NULL when empty.
unsafe fn elements<'s, T>(start: *mut *mut T, n: c_int) -> &'s [*mut T] {
    let n = usize::try_from(n).unwrap_or(0);
    if n == 0 || start.is_null() {
        return &[];
    }
    // SAFETY: pet states the length of the array next to it.
    unsafe { slice::from_raw_parts(start, n) }
}

/// Our name and C's spelling of each operator, in the order of `enum pet_op_type`.
const OPERATORS: [(&str, &str); 37] = [
    ("add_assign", "+="),
    ("sub_assign", "-="),
    ("mul_assign", "*="),
    ("div_assign", "/="),
    ("and_assign", "&="),
    ("xor_assign", "^="),
    ("or_assign", "|="),
    ("assign", "="),
    ("add", "+"),
    ("sub", "-"),
    ("mul", "*"),
    ("div", "/"),
    ("mod", "%"),
    ("shl", "<<"),
    ("shr", ">>"),
    ("eq", "=="),
    ("ne", "!="),
    ("le", "<="),
    ("ge", ">="),
    ("lt", "<"),
    ("gt", ">"),
    ("minus", "-"),
    ("post_inc", "++"),
    ("post_dec", "--"),
    ("pre_inc", "++"),
    ("pre_dec", "--"),
    ("address_of", "&"),
    ("assume", "assume"),
    ("kill", "kill"),
    ("and", "&"),
    ("xor", "^"),
    ("or", "|"),
    ("not", "~"),
    ("land", "&&"),
    ("lor", "||"),
    ("lnot", "!"),
    ("cond", "?:"),
];

/// Checks that the loaded library numbers its operators as [`OPERATORS`] does.
pub fn verify_operators(pet: &Pet) -> Result<(), PetError> {
    for (number, (name, spelling)) in (0..).zip(OPERATORS) {
        // SAFETY: the number is in range; the result is a constant.
        let theirs = unsafe { borrowed_text(pet.pet_op_str(number)) };
        if theirs.as_deref() != Some(spelling) {
            return Err(PetError::Protocol(format!(
                "this libpet numbers its operators differently: {number} is {theirs:?}, not {name}"
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::shortest;

    #[test]
    fn shortest_keeps_value_and_type() {
        for (literal, expected) in [
            ("0.200000003F", "0.2f"),
            ("0.10000000000000001", "0.1"),
            ("9.9999999999999995E-8", "1e-7"),
            ("3.", "3.0"),
            ("3.F", "3.0f"),
            ("1.0E+30", "1e30"),
            ("3.40282347E+38F", "3.4028235e38f"),
            ("0.100000000000000000001L", "0.100000000000000000001L"),
            ("0x1.8p1f", "0x1.8p1f"),
            ("1E+400", "1E+400"),
            (".5e0f16", ".5e0f16"),
        ] {
            assert_eq!(shortest(literal.to_owned()), expected);
        }
    }
}
