//! Expressions of a target language from sets and functions.

use std::collections::BTreeSet;

use crate::object::{Owned, Shared};
use crate::value::{c_index, integer};
use crate::{Ctx, DimType, Error, PwAff, Result, Set, UnionMap, ffi};

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

impl AstExpr {
    /// The names in it.
    pub fn names(&self) -> BTreeSet<&str> {
        match self {
            AstExpr::Int(_) => BTreeSet::new(),
            AstExpr::Id(name) => BTreeSet::from([name.as_str()]),
            AstExpr::Op(_, args) => args.iter().flat_map(AstExpr::names).collect(),
        }
    }
}

/// A part of a program, as plain data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AstNode {
    /// A loop.
    For {
        /// Its iterator.
        iterator: String,
        /// First value.
        init: AstExpr,
        /// It goes on while this holds; `None` where it runs exactly once.
        cond: Option<AstExpr>,
        /// What is added after each iteration.
        inc: AstExpr,
        /// What it repeats.
        body: Box<AstNode>,
    },
    /// A condition.
    If {
        /// What is tested.
        cond: AstExpr,
        /// What runs where it holds.
        yes: Box<AstNode>,
        /// What runs where it does not.
        no: Option<Box<AstNode>>,
    },
    /// One after the other.
    Block(Vec<AstNode>),
    /// An instance of a statement.
    User {
        /// The name of the statement's tuple.
        name: String,
        /// The instance.
        args: Vec<AstExpr>,
    },
}

impl AstNode {
    /// Loops that run the instances in the domain of `schedule`, in its lexicographic order. The
    /// condition `context` on parameters is assumed to hold; `iterators` are the names of the
    /// loops, outermost first. Of these, the first `whole` are not split into several for parts of
    /// their ranges; conditions in them say what runs.
    pub fn of_schedule(
        schedule: &UnionMap,
        context: &Set,
        iterators: &[String],
        whole: usize,
    ) -> Result<AstNode> {
        schedule.0.same_ctx(&context.0)?;
        let ctx = &context.0.ctx;
        // isl mixes parameters up where the two have them in different orders.
        // SAFETY: the schedule is alive; the set's reference and the space are consumed.
        let context = ctx.give(|| unsafe {
            let space = ffi::isl_union_map_get_space(schedule.0.keep());
            ffi::isl_set_align_params(context.0.take(), space)
        })?;
        // SAFETY: the set is alive; the schedule's reference and the space are consumed.
        let schedule = ctx.give(|| unsafe {
            let space = ffi::isl_set_get_space(context.keep());
            ffi::isl_union_map_align_params(schedule.0.take(), space)
        })?;
        let list = id_list(ctx, iterators)?.into_raw();
        let build = AstBuild::from_context(&Set(context))?.build.into_raw();
        // SAFETY: the build and the list are consumed.
        let build = ctx.give(|| unsafe { ffi::isl_ast_build_set_iterators(build, list) })?;
        let build = match whole {
            0 => build,
            whole => {
                let dims: Vec<String> = (0..iterators.len()).map(|d| format!("i{d}")).collect();
                let options = format!(
                    "{{ [{}] -> atomic[x] : 0 <= x < {whole} }}",
                    dims.join(", ")
                );
                let options = UnionMap::read(ctx, &options)?;
                let build = build.into_raw();
                // SAFETY: the build and a reference to the options are consumed.
                ctx.give(|| unsafe { ffi::isl_ast_build_set_options(build, options.0.take()) })?
            }
        };
        let schedule = schedule.into_raw();
        // SAFETY: the build is alive, and the schedule is consumed.
        let node = ctx.give(|| unsafe {
            ffi::isl_ast_build_node_from_schedule_map(build.keep(), schedule)
        })?;
        node_tree(&node)
    }
}

/// Identifiers of the given names.
fn id_list(ctx: &Ctx, names: &[String]) -> Result<Owned<ffi::isl_id_list>> {
    let n = c_index(names.len())?;
    // SAFETY: the context is alive.
    let mut list = ctx.give(|| unsafe { ffi::isl_id_list_alloc(ctx.raw(), n) })?;
    for name in names {
        let (id, raw) = (ctx.id(name)?.into_raw(), list.into_raw());
        // SAFETY: both are consumed.
        list = ctx.give(|| unsafe { ffi::isl_id_list_add(raw, id) })?;
    }
    Ok(list)
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

/// isl's program as plain data.
fn node_tree(node: &Owned<ffi::isl_ast_node>) -> Result<AstNode> {
    let ctx = &node.ctx;
    type Part<T> = unsafe extern "C" fn(*mut ffi::isl_ast_node) -> *mut T;
    let expr = |part: Part<ffi::isl_ast_expr>| {
        // SAFETY: the node is alive and of the kind that has the part.
        tree(&ctx.give(|| unsafe { part(node.keep()) })?)
    };
    let child = |part: Part<ffi::isl_ast_node>| {
        // SAFETY: the node is alive and of the kind that has the part.
        let part = ctx.give(|| unsafe { part(node.keep()) })?;
        Ok::<_, Error>(Box::new(node_tree(&part)?))
    };
    // SAFETY: the node is alive.
    match ctx.plain(|| unsafe { ffi::isl_ast_node_get_type(node.keep()) })? {
        1 => {
            // SAFETY: the node is alive and a loop.
            let once = ctx.truth(|| unsafe { ffi::isl_ast_node_for_is_degenerate(node.keep()) })?;
            let AstExpr::Id(iterator) = expr(ffi::isl_ast_node_for_get_iterator)? else {
                return Err(Error::new("isl made a loop without an iterator"));
            };
            Ok(AstNode::For {
                iterator,
                init: expr(ffi::isl_ast_node_for_get_init)?,
                cond: match once {
                    true => None,
                    false => Some(expr(ffi::isl_ast_node_for_get_cond)?),
                },
                inc: match once {
                    true => AstExpr::Int(1),
                    false => expr(ffi::isl_ast_node_for_get_inc)?,
                },
                body: child(ffi::isl_ast_node_for_get_body)?,
            })
        }
        2 => {
            // SAFETY: the node is alive and a condition.
            let two = ctx.truth(|| unsafe { ffi::isl_ast_node_if_has_else_node(node.keep()) })?;
            Ok(AstNode::If {
                cond: expr(ffi::isl_ast_node_if_get_cond)?,
                yes: child(ffi::isl_ast_node_if_get_then_node)?,
                no: match two {
                    true => Some(child(ffi::isl_ast_node_if_get_else_node)?),
                    false => None,
                },
            })
        }
        3 => {
            // SAFETY: the node is alive and a block.
            let list = ctx.give(|| unsafe { ffi::isl_ast_node_block_get_children(node.keep()) })?;
            // SAFETY: the list is alive.
            let n = ctx.size(|| unsafe { ffi::isl_ast_node_list_size(list.keep()) })?;
            let nodes = (0..n).map(|i| {
                let i = c_index(i)?;
                // SAFETY: the list is alive, and isl checks the position.
                let node = unsafe { ffi::isl_ast_node_list_get_at(list.keep(), i) };
                node_tree(&ctx.give(|| node)?)
            });
            Ok(AstNode::Block(nodes.collect::<Result<_>>()?))
        }
        5 => match expr(ffi::isl_ast_node_user_get_expr)? {
            AstExpr::Op(AstOp::Call, mut args) if !args.is_empty() => match args.remove(0) {
                AstExpr::Id(name) => Ok(AstNode::User { name, args }),
                _ => Err(Error::new("isl made a call of an expression")),
            },
            _ => Err(Error::new("isl made a statement that is no call")),
        },
        kind => Err(Error::new(format!("isl made an unknown node {kind}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_of_a_schedule() -> Result<()> {
        let ctx = Ctx::new()?;
        let context = Set::read(&ctx, "[N] -> { : N >= 3 }")?;
        let text = "[N] -> { S[i] -> [i, 0] : 0 <= i < N; T[i] -> [i, 1] : i = 2 }";
        let schedule = UnionMap::read(&ctx, text)?;
        let mut runs = Vec::new();
        fn walk(node: &AstNode, runs: &mut Vec<String>) {
            match node {
                AstNode::For { body, .. } => walk(body, runs),
                AstNode::If { yes, no, .. } => {
                    walk(yes, runs);
                    no.iter().for_each(|no| walk(no, runs));
                }
                AstNode::Block(nodes) => nodes.iter().for_each(|n| walk(n, runs)),
                AstNode::User { name, args } => runs.push(format!("{name}{}", args.len())),
            }
        }
        let names = ["a".to_string(), "b".to_string()];
        let node = AstNode::of_schedule(&schedule, &context, &names, 0)?;
        walk(&node, &mut runs);
        assert!(runs.contains(&"S1".to_string()) && runs.contains(&"T1".to_string()));
        Ok(())
    }

    #[test]
    fn parameters_in_another_order_keep_their_names() -> Result<()> {
        let ctx = Ctx::new()?;
        let context = Set::read(
            &ctx,
            "[a, b, c] -> { : 0 <= a < 9 and 1 <= b <= 22 and c >= 0 }",
        )?;
        let text = "[c, b, a] -> { S[i, j] -> [0] : i = b and j = c and (i + j) mod 3 = 0;
                                   R[i, j] -> [0] : i = b and j = c and (i + j) mod 3 > 0 }";
        let schedule = UnionMap::read(&ctx, text)?;
        let node = format!("{:?}", AstNode::of_schedule(&schedule, &context, &[], 0)?);
        assert!(!node.contains("Id(\"a\")"), "{node}");
        Ok(())
    }
}
