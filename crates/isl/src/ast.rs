//! Expressions of a target language from sets and functions.

use crate::object::{Owned, Shared};
use crate::value::{c_index, integer};
use crate::{Ctx, DimType, Error, PwAff, Result, Set, ffi};

/// An operator of an [`AstExpr`], as isl defines them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AstOp {
    /// Logical and, both sides evaluated.
    And,
    /// Logical and, the second side evaluated only if the first holds.
    AndThen,
    /// Logical or, both sides evaluated.
    Or,
    /// Logical or, the second side evaluated only if the first does not hold.
    OrElse,
    /// The largest of two or more arguments.
    Max,
    /// The smallest of two or more arguments.
    Min,
    /// The opposite.
    Minus,
    /// The sum.
    Add,
    /// The difference.
    Sub,
    /// The product.
    Mul,
    /// A division known to be exact.
    Div,
    /// The floor of the quotient.
    FdivQ,
    /// The quotient of a dividend known not to be negative.
    PdivQ,
    /// The remainder of a dividend known not to be negative.
    PdivR,
    /// A remainder that is only compared with zero, so that its sign does not matter.
    ZdivR,
    /// `a ? b : c`, only the chosen side evaluated.
    Cond,
    /// `a ? b : c`, both sides evaluated.
    Select,
    /// Equal.
    Eq,
    /// Not greater.
    Le,
    /// Less.
    Lt,
    /// Not less.
    Ge,
    /// Greater.
    Gt,
    /// A call: the function, then its arguments.
    Call,
    /// An array access: the array, then the subscripts.
    Access,
    /// A member of a structure.
    Member,
    /// The address of an access.
    AddressOf,
}

impl AstOp {
    /// The operators in the order of isl's enumeration.
    const ALL: [AstOp; 26] = [
        AstOp::And,
        AstOp::AndThen,
        AstOp::Or,
        AstOp::OrElse,
        AstOp::Max,
        AstOp::Min,
        AstOp::Minus,
        AstOp::Add,
        AstOp::Sub,
        AstOp::Mul,
        AstOp::Div,
        AstOp::FdivQ,
        AstOp::PdivQ,
        AstOp::PdivR,
        AstOp::ZdivR,
        AstOp::Cond,
        AstOp::Select,
        AstOp::Eq,
        AstOp::Le,
        AstOp::Lt,
        AstOp::Ge,
        AstOp::Gt,
        AstOp::Call,
        AstOp::Access,
        AstOp::Member,
        AstOp::AddressOf,
    ];
}

/// An expression, as plain data. Truth values are those of C.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AstExpr {
    /// An integer.
    Int(i64),
    /// A parameter, or a set dimension by its name.
    Id(String),
    /// An operator and its arguments.
    Op(AstOp, Vec<AstExpr>),
}

/// Makes expressions under a condition that may be assumed.
///
/// Dimensions and parameters are treated alike: both become [`AstExpr::Id`]s of their names. A
/// dimension without a name is called `c0`, `c1`, .. after its position.
#[derive(Clone)]
pub struct AstBuild {
    build: Owned<ffi::isl_ast_build>,
}

impl Shared for ffi::isl_ast_build {
    unsafe fn retain(ptr: *mut Self) -> *mut Self {
        // SAFETY: promised by the caller.
        unsafe { ffi::isl_ast_build_copy(ptr) }
    }
}

impl std::fmt::Debug for AstBuild {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AstBuild").finish_non_exhaustive()
    }
}

impl AstBuild {
    /// A build in which the condition `context` on dimensions and parameters is assumed to hold.
    pub fn from_context(context: &Set) -> Result<AstBuild> {
        let params = dims_to_params(context)?;
        let ctx = &context.0.ctx;
        // SAFETY: one reference is consumed.
        let build = ctx.give(|| unsafe { ffi::isl_ast_build_from_context(params.0.take()) })?;
        Ok(AstBuild { build })
    }

    /// The value of the function. Its domain is assumed to hold.
    pub fn expr_from_pw_aff(&self, function: &PwAff) -> Result<AstExpr> {
        self.build.same_ctx(&function.0)?;
        let ctx = &self.build.ctx;
        let function = inputs_to_params(function)?;
        // SAFETY: the build is alive, and one reference of the function is consumed.
        let expr = ctx.give(|| unsafe {
            ffi::isl_ast_build_expr_from_pw_aff(self.build.keep(), function.0.take())
        })?;
        tree(&expr)
    }

    /// Whether the dimensions and parameters are in the set.
    pub fn expr_from_set(&self, set: &Set) -> Result<AstExpr> {
        self.build.same_ctx(&set.0)?;
        let ctx = &self.build.ctx;
        let params = dims_to_params(set)?;
        // SAFETY: the build is alive, and one reference of the set is consumed.
        let expr = ctx.give(|| unsafe {
            ffi::isl_ast_build_expr_from_set(self.build.keep(), params.0.take())
        })?;
        tree(&expr)
    }
}

/// The names that the dimensions get as parameters, all different from each other and from the
/// parameters there are.
fn names(
    n_param: usize,
    n_dim: usize,
    dim: DimType,
    name: impl Fn(DimType, u32) -> Result<Option<String>>,
) -> Result<Vec<String>> {
    let index = |i: usize| u32::try_from(i).map_err(|_| Error::new("too many dimensions"));
    let mut taken: Vec<String> = Vec::new();
    for i in 0..n_param {
        taken.extend(name(DimType::Param, index(i)?)?);
    }
    let mut names = Vec::new();
    for i in 0..n_dim {
        let name = name(dim, index(i)?)?.unwrap_or_else(|| format!("c{i}"));
        if taken.contains(&name) {
            return Err(Error::new(format!(
                "two dimensions or parameters are called `{name}`"
            )));
        }
        taken.push(name.clone());
        names.push(name);
    }
    Ok(names)
}

fn count(n: usize) -> Result<u32> {
    u32::try_from(n).map_err(|_| Error::new("too many dimensions"))
}

/// A set as a parameter set: its dimensions become parameters of their names.
fn dims_to_params(set: &Set) -> Result<Set> {
    if set.is_params()? {
        return Ok(set.clone());
    }
    let n_param = set.dim(DimType::Param)?;
    let n_dim = set.dim(DimType::Set)?;
    let names = names(n_param, n_dim, DimType::Set, |dim, pos| {
        set.dim_name(dim, pos)
    })?;
    let mut set = set.clone();
    if set.is_wrapping()? {
        // isl does not move dimensions out of a nested tuple.
        set = set.flatten()?;
    }
    for (pos, name) in names.iter().enumerate() {
        set = set.set_dim_name(DimType::Set, count(pos)?, name)?;
    }
    set.move_dims(
        DimType::Param,
        count(n_param)?,
        DimType::Set,
        0,
        count(n_dim)?,
    )?
    .params()
}

/// A function as one without input tuple: its inputs become parameters of their names.
fn inputs_to_params(function: &PwAff) -> Result<PwAff> {
    let ctx: &Ctx = &function.0.ctx;
    if function.domain()?.is_params()? {
        return Ok(function.clone());
    }
    let n_param = function.dim(DimType::Param)?;
    let n_dim = function.dim(DimType::In)?;
    let names = names(n_param, n_dim, DimType::In, |dim, pos| {
        function.dim_name(dim, pos)
    })?;
    let mut function = function.clone();
    for (pos, name) in names.iter().enumerate() {
        function = function.set_input_name(count(pos)?, name)?;
    }
    let (n_param, n_dim) = (count(n_param)?, count(n_dim)?);
    let (dst, src) = (DimType::Param.raw(), DimType::In.raw());
    // SAFETY: one reference is consumed, and isl passes NULL through.
    ctx.give(|| unsafe {
        ffi::isl_pw_aff_project_domain_on_params(ffi::isl_pw_aff_move_dims(
            function.0.take(),
            dst,
            n_param,
            src,
            0,
            n_dim,
        ))
    })
    .map(PwAff)
}

/// isl's expression as plain data.
fn tree(expr: &Owned<ffi::isl_ast_expr>) -> Result<AstExpr> {
    let ctx = &expr.ctx;
    // SAFETY: the expression is alive.
    match ctx.plain(|| unsafe { ffi::isl_ast_expr_get_type(expr.keep()) })? {
        0 => {
            // SAFETY: the expression is alive.
            let op = ctx.plain(|| unsafe { ffi::isl_ast_expr_op_get_type(expr.keep()) })?;
            let op = usize::try_from(op)
                .ok()
                .and_then(|op| AstOp::ALL.get(op).copied())
                .ok_or_else(|| Error::new(format!("isl made an unknown operator {op}")))?;
            // SAFETY: the expression is alive.
            let n = ctx.size(|| unsafe { ffi::isl_ast_expr_op_get_n_arg(expr.keep()) })?;
            let args = (0..n)
                .map(|pos| {
                    let pos = c_index(pos)?;
                    // SAFETY: the expression is alive, and isl checks the position.
                    tree(&ctx.give(|| unsafe { ffi::isl_ast_expr_op_get_arg(expr.keep(), pos) })?)
                })
                .collect::<Result<_>>()?;
            Ok(AstExpr::Op(op, args))
        }
        1 => {
            // SAFETY: the expression is alive.
            let id = ctx.give(|| unsafe { ffi::isl_ast_expr_id_get_id(expr.keep()) })?;
            // SAFETY: the identifier is alive and keeps its name alive.
            let name = unsafe { ctx.name(|| ffi::isl_id_get_name(id.keep())) }?;
            name.map(AstExpr::Id)
                .ok_or_else(|| Error::new("isl made an identifier without a name"))
        }
        2 => {
            // SAFETY: the expression is alive.
            let val = ctx.give(|| unsafe { ffi::isl_ast_expr_int_get_val(expr.keep()) })?;
            integer(&val).map(AstExpr::Int)
        }
        kind => Err(Error::new(format!("isl made an unknown expression {kind}"))),
    }
}
