//! The compiler's view of a static control part: arrays, statements with their
//! iteration domains and accesses, and expressions with the source's exact
//! order of operations.
//!
//! Architecture invariant: pet's data is read here and nowhere else; later
//! passes know only [`Scop`].

pub mod beside;
pub mod bounds;
mod cells;
mod doubts;
mod finals;
mod flat;
pub mod guards;
pub mod members;
mod powers;
pub mod records;
mod rotation;
mod rows;
mod saved;
mod selects;
mod source;
pub(crate) mod truth;
mod unions;
mod wrap;

pub use doubts::{Doubt, Guards};
pub use finals::FinalValue;
pub use rows::without_bounds;
pub use saved::{Branches, Converging, Conversion, SavedScop, Segmented};
pub use source::{
    Around, FOLLOWING, Lines, Locations, OfOther, OwnArray, Piece, Place, SourceFile,
};
pub use unions::{schedule_of, writes_to};

use crate::causes;
use crate::csource;
use crate::ctype::{CType, math_function};
use crate::diag::{Diagnostic, Result};
use hexcc_isl::{AstBuild, Bound, Ctx, DimType, Map, MultiPwAff, PwAff, Set, UnionMap};
use hexcc_pet::data::{Cell, Member, PetArray, PetBody, PetExpr, PetScop, PetStmt};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::rc::Rc;

/// Index of an array in [`Scop::arrays`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArrayId(pub u32);

impl ArrayId {
    /// Position in [`Scop::arrays`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An array, or a scalar variable (no dimensions), that the scop touches.
#[derive(Clone, Debug)]
pub struct Array {
    /// Name in the source.
    pub name: String,
    /// Element type.
    pub elem: CType,
    /// Number of elements per dimension, functions of the parameters.
    pub extents: Vec<PwAff>,
    /// The declaration does not bound the outermost subscript: it is a pointer, and its
    /// outermost extent is what the scop accesses.
    pub pointer: bool,
    /// How many subscripts select a pointer to a row; rows lie anywhere. None for one block.
    pub pointers: usize,
    /// A variable of the program that is an array of one element here.
    pub variable: bool,
    /// The program has its planes, which the outermost subscript selects, behind pointers of these names; none where
    /// it has the array itself.
    pub parts: Vec<String>,
}

impl Array {
    /// Whether the program has a variable, not an array.
    pub fn is_variable(&self) -> bool {
        self.variable || self.extents.is_empty()
    }
}

/// One read or write.
#[derive(Clone, Debug)]
pub struct Access {
    /// The array touched.
    pub array: ArrayId,
    /// Statement instance to element; its domain is the statement's.
    pub map: Map,
    /// How many accesses of the same array come before it in the text of
    /// `stmt`, to find it in the source.
    pub nth: usize,
    /// Source range of the statement the access was written in.
    pub stmt: Range<usize>,
    /// The function of a cell is given the array, and may read any of these elements.
    pub whole: bool,
}

/// The subscripts of an access, or the dimensions of a schedule, that are constants.
///
/// # Errors
/// HX0401 where isl gives up.
pub fn planes(access: &Map) -> Result<Vec<Option<i64>>> {
    if !access.is_single_valued()? {
        return Ok(vec![None; access.dim(DimType::Out)?]);
    }
    let mut planes = Vec::new();
    for f in access.to_pw_affs()? {
        planes.push(f.as_constant()?.map(|c| c.floor()));
    }
    Ok(planes)
}

/// Whether two accesses of an array have different constants in one subscript.
pub fn are_apart(a: &[Option<i64>], b: &[Option<i64>]) -> bool {
    let mut both = a.iter().zip(b);
    both.any(|pair| matches!(pair, (Some(a), Some(b)) if a != b))
}

/// A C expression, in the source's order of operations.
#[derive(Clone, Debug)]
pub enum Expr {
    /// Integer literal.
    Int {
        /// Decimal text without suffix.
        value: String,
        /// Its C type.
        ty: CType,
    },
    /// Floating-point literal as the source spells it.
    Float {
        /// Text with suffix.
        text: String,
        /// Its C type.
        ty: CType,
    },
    /// Value of `reads[.0]` of the statement.
    Read(usize, CType),
    /// An affine function of the statement's iterators and the parameters.
    Affine {
        /// Function on the statement's iteration domain.
        value: PwAff,
        /// Its C type.
        ty: CType,
    },
    /// Value of a local variable of the statement, an index into
    /// [`Statement::locals`].
    Local(usize, CType),
    /// `-x`, `~x`, `!x`.
    Unary {
        /// C's spelling of the operator.
        op: &'static str,
        /// Operand.
        arg: Box<Expr>,
    },
    /// A binary operator.
    Binary {
        /// C's spelling of the operator.
        op: &'static str,
        /// Left operand.
        lhs: Box<Expr>,
        /// Right operand.
        rhs: Box<Expr>,
    },
    /// `cond ? yes : no`.
    Cond {
        /// Condition.
        cond: Box<Expr>,
        /// Value where it holds.
        yes: Box<Expr>,
        /// Value where it does not.
        no: Box<Expr>,
    },
    /// A call of a function known to [`math_function`].
    Call {
        /// Name in the source.
        name: String,
        /// Arguments.
        args: Vec<Expr>,
    },
    /// A call of a function of a cell, one of [`Scop::cells`].
    Cell {
        /// Its name.
        name: String,
        /// The type of its value.
        ty: CType,
        /// Arguments: numbers, and reads of whole arrays.
        args: Vec<Expr>,
    },
    /// An explicit conversion.
    Cast {
        /// Target type.
        ty: CType,
        /// Operand.
        arg: Box<Expr>,
    },
}

impl Expr {
    /// The C type of the expression.
    pub fn ty(&self) -> CType {
        match self {
            Expr::Int { ty, .. }
            | Expr::Float { ty, .. }
            | Expr::Read(_, ty)
            | Expr::Local(_, ty)
            | Expr::Affine { ty, .. }
            | Expr::Cell { ty, .. }
            | Expr::Cast { ty, .. } => *ty,
            Expr::Unary { op: "!", .. } => CType::INT,
            Expr::Unary { arg, .. } => arg.ty().promoted(),
            Expr::Binary { op, lhs, rhs } => match *op {
                "<<" | ">>" => lhs.ty().promoted(),
                op if is_truth(op) => CType::INT,
                _ => lhs.ty().usual(rhs.ty()),
            },
            Expr::Cond { yes, no, .. } => yes.ty().usual(no.ty()),
            Expr::Call { name, .. } => math_function(name).map_or(CType::Double, |m| m.result),
        }
    }

    /// Calls `f` on everything below the expression and then on itself, each with its type, and
    /// gives that. To ask every part of a deep expression for its type takes quadratic time.
    pub fn visit_typed(&self, f: &mut dyn FnMut(&Expr, CType)) -> CType {
        let ty = match self {
            Expr::Int { .. }
            | Expr::Float { .. }
            | Expr::Read(..)
            | Expr::Local(..)
            | Expr::Affine { .. } => self.ty(),
            Expr::Unary { op, arg } => match (*op, arg.visit_typed(f)) {
                ("!", _) => CType::INT,
                (_, ty) => ty.promoted(),
            },
            Expr::Binary { op, lhs, rhs } => {
                let (lhs, rhs) = (lhs.visit_typed(f), rhs.visit_typed(f));
                match *op {
                    "<<" | ">>" => lhs.promoted(),
                    op if is_truth(op) => CType::INT,
                    _ => lhs.usual(rhs),
                }
            }
            Expr::Cond { cond, yes, no } => {
                cond.visit_typed(f);
                yes.visit_typed(f).usual(no.visit_typed(f))
            }
            Expr::Call { args, .. } | Expr::Cell { args, .. } => {
                for arg in args {
                    arg.visit_typed(f);
                }
                self.ty()
            }
            Expr::Cast { ty, arg } => {
                arg.visit_typed(f);
                *ty
            }
        };
        f(self, ty);
        ty
    }

    /// Calls `f` on the expression and everything below it.
    pub fn visit(&self, f: &mut dyn FnMut(&Expr)) {
        f(self);
        match self {
            Expr::Int { .. }
            | Expr::Float { .. }
            | Expr::Read(..)
            | Expr::Local(..)
            | Expr::Affine { .. } => {}
            Expr::Unary { arg, .. } | Expr::Cast { arg, .. } => arg.visit(f),
            Expr::Binary { lhs, rhs, .. } => {
                lhs.visit(f);
                rhs.visit(f);
            }
            Expr::Cond { cond, yes, no } => {
                cond.visit(f);
                yes.visit(f);
                no.visit(f);
            }
            Expr::Call { args, .. } | Expr::Cell { args, .. } => {
                args.iter().for_each(|a| a.visit(f));
            }
        }
    }

    /// A copy in which every sub-expression for which `f` gives a replacement
    /// is replaced by it.
    pub fn map(&self, f: &dyn Fn(&Expr) -> Option<Expr>) -> Expr {
        self.map_mut(&mut |e| f(e))
    }

    /// Like [`Expr::map`] for a function with state.
    pub fn map_mut(&self, f: &mut dyn FnMut(&Expr) -> Option<Expr>) -> Expr {
        if let Some(replacement) = f(self) {
            return replacement;
        }
        let mut inner = |e: &Expr| Box::new(e.map_mut(f));
        match self {
            Expr::Int { .. }
            | Expr::Float { .. }
            | Expr::Read(..)
            | Expr::Local(..)
            | Expr::Affine { .. } => self.clone(),
            Expr::Unary { op, arg } => Expr::Unary {
                op,
                arg: inner(arg),
            },
            Expr::Binary { op, lhs, rhs } => Expr::Binary {
                op,
                lhs: inner(lhs),
                rhs: inner(rhs),
            },
            Expr::Cond { cond, yes, no } => Expr::Cond {
                cond: inner(cond),
                yes: inner(yes),
                no: inner(no),
            },
            Expr::Call { name, args } => Expr::Call {
                name: name.clone(),
                args: args.iter().map(|a| a.map_mut(f)).collect(),
            },
            Expr::Cell { name, ty, args } => Expr::Cell {
                name: name.clone(),
                ty: *ty,
                args: args.iter().map(|a| a.map_mut(f)).collect(),
            },
            Expr::Cast { ty, arg } => Expr::Cast {
                ty: *ty,
                arg: inner(arg),
            },
        }
    }

    /// Number of floating-point or integer operations, for reports.
    pub fn n_operations(&self) -> usize {
        let mut n = 0;
        self.visit(&mut |e| {
            n += usize::from(matches!(
                e,
                Expr::Unary { .. } | Expr::Binary { .. } | Expr::Call { .. } | Expr::Cell { .. }
            ));
        });
        n
    }
}

/// Whether a binary operator gives 0 or 1.
fn is_truth(op: &str) -> bool {
    matches!(op, "==" | "!=" | "<" | "<=" | ">" | ">=" | "&&" | "||")
}

/// A named intermediate value inside a statement.
#[derive(Clone, Debug)]
pub struct Local {
    /// Name in the source.
    pub name: String,
    /// Type of the variable; the value is converted to it.
    pub ty: CType,
    /// Its value.
    pub value: Expr,
}

/// An assignment to one array element.
#[derive(Clone, Debug)]
pub struct Statement {
    /// isl tuple name.
    pub name: String,
    /// Its place, as [`Scop::locations`] has it.
    pub span: Range<usize>,
    /// The lines of the C statements that it stands for; none without a text.
    pub lines: Option<Lines>,
    /// Iteration domain.
    pub domain: Set,
    /// Original execution order.
    pub schedule: Map,
    /// The element written.
    pub write: Access,
    /// The elements read, in source order.
    pub reads: Vec<Access>,
    /// Intermediate values, each may use those before it.
    pub locals: Vec<Local>,
    /// The value written, before conversion to the element type.
    pub value: Expr,
}

impl Statement {
    /// The expressions of the body: local variables, then the value written.
    pub fn expressions(&self) -> impl Iterator<Item = &Expr> {
        (self.locals.iter().map(|l| &l.value)).chain([&self.value])
    }

    /// The elements it reads, then the one it writes.
    pub fn accesses(&self) -> impl Iterator<Item = &Access> {
        self.reads.iter().chain([&self.write])
    }

    /// The affine sub-expressions of the body, in the order of a traversal.
    pub fn affine_values(&self) -> Vec<PwAff> {
        let mut values = Vec::new();
        for expr in self.expressions() {
            expr.visit(&mut |e| {
                if let Expr::Affine { value, .. } = e {
                    values.push(value.clone());
                }
            });
        }
        values
    }
}

/// A top-level statement of the scop region, such as a time loop.
#[derive(Clone, Debug)]
pub struct Chunk {
    /// Byte range in the source.
    pub span: Range<usize>,
    /// Statements inside, indices into [`Scop::stmts`] in textual order.
    pub stmts: Vec<usize>,
    /// Iterators declared outside of their loops that are used elsewhere, too.
    pub finals: Vec<FinalValue>,
}

/// Why a scalar stays a variable in memory, for a message about it.
#[derive(Clone, Debug)]
pub struct KeptScalar {
    /// The scalar.
    pub array: ArrayId,
    /// What is in the way.
    pub note: String,
    /// The statement where it is.
    pub span: Range<usize>,
    /// What to do about it.
    pub help: String,
}

/// A statement for some instances of a sweep, at whose place it writes what that would write.
#[derive(Clone, Debug)]
pub struct PartOfSweep {
    /// The sweep, for all of its instances.
    pub sweep: Rc<Statement>,
    /// Whether its reads begin with those of the sweep.
    pub reads: bool,
}

/// A static control part.
#[derive(Clone, Debug)]
pub struct Scop {
    /// Names of the integer parameters, sorted.
    pub params: Vec<String>,
    /// What is known about the parameters.
    pub context: Set,
    /// Parameters for which it is the region; C's text runs for others.
    pub expected: Set,
    /// Arrays and scalars.
    pub arrays: Vec<Array>,
    /// Statements in textual order.
    pub stmts: Vec<Statement>,
    /// Top-level statements of the region in textual order.
    pub chunks: Vec<Chunk>,
    /// By name, the parts of sweeps that updates have been made part of.
    pub sweeps: BTreeMap<String, PartOfSweep>,
    /// The region that generated code replaces.
    pub region: Range<usize>,
    /// Variables declared outside the region that only the replaced code used:
    /// loop iterators and scalar temporaries.
    pub unused: Vec<String>,
    /// Why scalars that statements write are no temporaries.
    pub kept: Vec<KeptScalar>,
    /// Variables and arrays that the region declares, and whether pet takes them for visible after it.
    pub declared: BTreeMap<String, bool>,
    /// Parameters, scalars and arrays that are members of structs.
    pub members: Vec<Member>,
    /// Functions of the program that statements call.
    pub cells: Vec<Cell>,
    /// What is not touched where conditions on data do not hold.
    pub guards: Guards,
    /// What places are.
    pub locations: Locations,
    /// The isl context of all sets; declared last because it must outlive them.
    pub ctx: Ctx,
}

impl Scop {
    /// The statements of a chunk, in textual order.
    pub fn of_chunk(&self, chunk: &Chunk) -> Vec<&Statement> {
        chunk.stmts.iter().map(|&s| &self.stmts[s]).collect()
    }

    /// The array of an access.
    pub fn array(&self, id: ArrayId) -> &Array {
        &self.arrays[id.index()]
    }

    /// Whether the region declares an array.
    pub(crate) fn is_declared(&self, id: ArrayId) -> bool {
        self.declared.contains_key(&self.array(id).name)
    }

    /// What the program calls the memory of an array: two arrays have one where each is the members
    /// of one type of the same structs.
    pub fn memory(&self, id: ArrayId) -> &str {
        let name = &self.array(id).name;
        let member = self.members.iter().find(|m| m.name == *name);
        member.map_or(name, |m| &m.value)
    }

    /// Source range of an access, the statement's where it cannot be found.
    pub fn access_span(&self, text: &str, access: &Access) -> Range<usize> {
        let name = &self.array(access.array).name;
        csource::find_access(text, access.stmt.clone(), name, access.nth)
            .unwrap_or_else(|| access.stmt.clone())
    }
}

/// Reads pet's description of a scop.
///
/// # Errors
/// HX0104 to HX0109 for what the polyhedral model or the generated code cannot
/// express.
pub fn build(ctx: &Ctx, source: &SourceFile, pet: &PetScop) -> Result<Scop> {
    let flattened = records::flatten(ctx, source, pet);
    let members = flattened.as_deref().unwrap_or(pet);
    let mut shaped = flat::shape(ctx, &source.text, members)?;
    expect_given(ctx, &mut shaped)?;
    let reader = Reader {
        source,
        pet: &shaped.pet,
        written: pet,
        flat: &shaped,
        ctx: ctx.clone(),
    };
    // What decides which statements run is said before what these are made of.
    if let Err(refusal) = &flattened {
        reader.refuse_data_dependence()?;
        return Err(refusal.clone());
    }
    let mut scop = reader.scop()?;
    scop.guards = selects::check(&scop, source, pet)?;
    bounds::check(&scop, source, &pet.given).map_err(|d| selects::under_condition(d, pet))?;
    if let Some(rotation) = &pet.rotation {
        rotation::into_planes(&mut scop, rotation)?;
    }
    Ok(scop)
}

/// Pieces of a domain from which on it takes long to find out what each has to do with all others.
const MANY_PIECES: usize = 5;

/// The sizes of a region.
pub fn sizes(ctx: &Ctx, pet: &PetScop) -> Vec<String> {
    // A context that cannot be read is refused later.
    let names = Set::read(ctx, &pet.context).and_then(|sizes| sizes.param_names());
    names.unwrap_or_default()
}

/// Expects sizes with the values that are known of them where a domain has many pieces: most of these are for sizes that the
/// program does not have, such as one that ends behind its wall.
fn expect_given(ctx: &Ctx, shaped: &mut flat::Shaped) -> Result<()> {
    let pieces = |stmt: &PetStmt| Set::read(ctx, &stmt.domain)?.basic_sets();
    let has_many = |stmt: &PetStmt| pieces(stmt).is_ok_and(|all| all.len() >= MANY_PIECES);
    let given = &shaped.pet.given;
    if given.is_empty() || !shaped.pet.stmts.iter().any(has_many) {
        return Ok(());
    }
    for (name, value) in given {
        let given = Set::read(ctx, &format!("[{name}] -> {{ : {name} = {value} }}"))?;
        shaped.expected = Some(match &shaped.expected {
            Some(expected) => expected.intersect(&given)?,
            None => given,
        });
    }
    Ok(())
}

struct Reader<'a> {
    source: &'a SourceFile,
    /// pet's data, in which flat arrays have dimensions.
    pet: &'a PetScop,
    /// pet's data as pet gave it.
    written: &'a PetScop,
    /// Which arrays are flat.
    flat: &'a flat::Shaped<'a>,
    ctx: Ctx,
}

impl Reader<'_> {
    fn region(&self) -> Range<usize> {
        let len = self.source.text.len();
        self.pet.span.start.min(len)..self.pet.span.end.min(len)
    }

    fn scop(&self) -> Result<Scop> {
        self.refuse_data_dependence()?;
        let scalars_read = self.names_read();
        let (updates, kept): (Vec<&PetStmt>, Vec<&PetStmt>) =
            (self.pet.stmts.iter()).partition(|s| self.is_iterator_update(s, &scalars_read));
        let context = Set::read(&self.ctx, &self.pet.context)?;
        let unwrapped = wrap::without_wrapping(&self.ctx, self.pet, &context)?;
        // A statement without an instance is a branch that is never taken.
        let mut live = Vec::new();
        let never_defined = || {
            if let Some(conditional) = self.pet.conditional.first() {
                return selects::never_defined(conditional);
            }
            let spans: Vec<Range<usize>> =
                (kept.iter()).map(|s| s.span.start..s.span.end).collect();
            bounds::never_defined(&self.source.text, &self.region(), &spans)
        };
        if !kept.is_empty() && context.is_empty().unwrap_or(false) {
            return Err(never_defined());
        }
        let is_unread_test =
            |stmt: &PetStmt| written_test(stmt).is_some_and(|name| !scalars_read.contains(name));
        for &stmt in kept.iter().filter(|stmt| !is_unread_test(stmt)) {
            let domain = Set::read(&self.ctx, &stmt.domain)?;
            let domain = self.for_sizes(domain, unwrapped.as_ref())?;
            if domain.is_empty()? {
                continue;
            }
            wrap::check_remainders(stmt, &domain)?;
            live.push((stmt, domain));
        }
        if live.is_empty() && !kept.is_empty() && bounds::leaves_out_sizes(&context, self.pet)? {
            return Err(never_defined());
        }
        let used = self.names_used(&live);
        let (mut arrays, mut ids) = (Vec::new(), BTreeMap::new());
        for array in self.pet.arrays.iter().filter(|a| used.contains(&a.name)) {
            ids.insert(array.name.clone(), ArrayId(arrays.len() as u32));
            arrays.push(Array {
                name: array.name.clone(),
                elem: self.element_type(array)?,
                extents: Vec::new(),
                pointer: false,
                pointers: 0,
                variable: false,
                parts: Vec::new(),
            });
        }
        let schedule = UnionMap::read(&self.ctx, &self.pet.schedule)?;
        let schedules: BTreeMap<String, Map> = (schedule.maps()?.into_iter())
            .filter_map(|m| Some((m.tuple_name(DimType::In).ok()??, m)))
            .collect();
        let updates: Vec<&PetStmt> = (updates.into_iter())
            .filter(|s| {
                finals::update(s)
                    .is_some_and(|(name, _)| !self.is_local(name) && !self.is_of_callee(name, s))
            })
            .collect();
        let mut placed: Vec<&PetStmt> = live.iter().map(|(stmt, _)| *stmt).collect();
        placed.extend(&updates);
        let (mut chunks, chunk_of) = self.chunks(&placed, &schedules)?;
        let mut stmts = Vec::new();
        for (i, (stmt, domain)) in live.into_iter().enumerate() {
            chunks[chunk_of[i]].stmts.push(i);
            // One without a place of its own is where its chunk begins.
            let span = match stmt.span.start < stmt.span.end {
                true => stmt.span.start..stmt.span.end,
                false => chunks[chunk_of[i]].span.start..chunks[chunk_of[i]].span.start,
            };
            stmts.push(self.statement((stmt, span), domain, &schedules, &ids, &arrays)?);
        }
        let context = unwrapped.unwrap_or(context);
        for (i, array) in arrays.iter_mut().enumerate() {
            let pet = self.pet.arrays.iter().find(|a| a.name == array.name);
            if let Some(pet) = pet {
                (array.extents, array.pointer) = self.extents(pet, ArrayId(i as u32), &stmts)?;
                array.pointers = pet.pointers;
                self.check_sizes_stay(array)?;
            }
        }
        let params = collect_params(&context, &stmts, &arrays)?;
        let updates: Vec<(&PetStmt, usize)> = (updates.into_iter())
            .zip(chunk_of[stmts.len()..].iter().copied())
            .collect();
        let unused = self.leave_iterators(&updates, &schedules, &context, &mut chunks)?;
        Ok(Scop {
            params,
            expected: self.expected(&context)?,
            sweeps: BTreeMap::new(),
            context,
            arrays,
            stmts,
            chunks,
            region: self.region(),
            unused,
            kept: Vec::new(),
            declared: declared(self.pet),
            members: self.pet.members.clone(),
            cells: self.pet.cells.clone(),
            guards: Guards::default(),
            locations: Locations::Text,
            ctx: self.ctx.clone(),
        })
    }

    /// The instances for which no loop wraps around and sizes are what is expected.
    fn for_sizes(&self, domain: Set, unwrapped: Option<&Set>) -> Result<Set> {
        let domain = match unwrapped {
            Some(sizes) => wrap::with_ends(&domain.intersect_params(sizes)?.coalesce()?)?,
            None => domain,
        };
        Ok(match &self.flat.expected {
            Some(expected) => domain.intersect_params(expected)?,
            None => domain,
        })
    }

    fn expected(&self, context: &Set) -> Result<Set> {
        let sizes = match &self.flat.expected {
            Some(expected) => expected.clone(),
            None => context.universe_like()?.params()?,
        };
        cells::known_sizes(self.pet, &sizes)
    }

    fn refuse_data_dependence(&self) -> Result<()> {
        let region = causes::Region {
            text: &self.source.text,
            pet: self.written,
            span: self.region(),
        };
        let dynamic = |s: &PetStmt| s.n_args > 0 || matches!(s.body, PetBody::Unsupported(_));
        let control = self.pet.data_dependent_conditions || self.pet.stmts.iter().any(dynamic);
        if !self.pet.data_dependent_accesses && !control {
            return Ok(());
        }
        if let Some(refusal) = region.step() {
            return Err(Box::new(refusal));
        }
        Err(Box::new(if let Some(refusal) = &self.flat.refusal {
            refusal.clone()
        } else if self.pet.data_dependent_accesses && !(control && flat::looks_flat(self.pet)) {
            region.subscript()
        } else {
            region.control()
        }))
    }

    fn is_scalar(&self, array: &PetArray) -> bool {
        Set::read(&self.ctx, &array.extent)
            .and_then(|s| s.dim(DimType::Set))
            .is_ok_and(|n| n == 0)
    }

    fn names_read(&self) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        for stmt in &self.pet.stmts {
            for expr in body_exprs(&stmt.body) {
                collect_names(expr, &mut names, true);
            }
        }
        names
    }

    fn names_used(&self, stmts: &[(&PetStmt, Set)]) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        for (stmt, _) in stmts {
            for expr in body_exprs(&stmt.body) {
                collect_names(expr, &mut names, false);
            }
        }
        names
    }

    /// Loop iterators declared outside the loops (`int i; for (i = 0; ..`)
    /// appear as statements that write a scalar nobody reads, with a value that is known.
    fn is_iterator_update(&self, stmt: &PetStmt, read: &BTreeSet<String>) -> bool {
        let Some((name, _)) = finals::update(stmt) else {
            return false;
        };
        let array = self.pet.arrays.iter().find(|a| a.name == *name);
        let is_int_scalar = array.is_some_and(|a| {
            let is_int = matches!(
                CType::parse(&a.element_type),
                Some(CType::Int(_) | CType::UInt(_))
            );
            is_int && self.is_scalar(a)
        });
        is_int_scalar && !read.contains(name)
    }

    /// Values that the updates of iterators, each with the index of its chunk, leave in variables
    /// used outside of the region, noted with the chunks; returns the variables declared outside
    /// that nobody else uses.
    fn leave_iterators(
        &self,
        updates: &[(&PetStmt, usize)],
        schedules: &BTreeMap<String, Map>,
        context: &Set,
        chunks: &mut [Chunk],
    ) -> Result<Vec<String>> {
        let text = &self.source.text;
        let mut unused = Vec::new();
        let names: BTreeSet<&str> = (updates.iter())
            .filter_map(|(s, _)| Some(finals::update(s)?.0))
            .collect();
        for name in names {
            if csource::is_dead_outside(text, name, self.region()) {
                unused.push(name.to_string());
                continue;
            }
            selects::check_leaves(self.pet, name, updates)?;
            for (i, chunk) in chunks.iter_mut().enumerate() {
                let own = (updates.iter())
                    .filter(|(s, at)| *at == i && finals::update(s).is_some_and(|u| u.0 == name))
                    .map(|(s, _)| *s);
                let value = FinalValue::new(name, own, schedules, context)?;
                chunk.finals.extend(value);
            }
        }
        Ok(unused)
    }

    /// Whether a variable ends with the region, such as one of a function called in it.
    ///
    /// pet calls those of the time loop's body exposed, too.
    fn is_local(&self, name: &str) -> bool {
        (self.pet.arrays.iter())
            .any(|a| a.name == name && a.declared && (!a.exposed || self.ends_within(name)))
    }

    /// Whether a statement writes a variable of a function that the region calls, which pet calls
    /// exposed, too.
    fn is_of_callee(&self, name: &str, stmt: &PetStmt) -> bool {
        let text = &self.source.text;
        let is_declared = (self.pet.arrays.iter()).any(|a| a.name == name && a.declared);
        let at = stmt.span.start;
        if !is_declared || self.region().contains(&at) && stmt.span.end > at {
            return false;
        }
        if stmt.span.end > at {
            let own = csource::enclosing_function(text, self.region().start);
            let other = csource::enclosing_function(text, at);
            return other.is_some_and(|f| own.is_none_or(|own| own.body != f.body));
        }
        // In another file or a macro: of the region if it has the name.
        let original = unnumbered(name).unwrap_or(name);
        [name, original]
            .iter()
            .all(|name| csource::find_word(text, self.region(), name).is_none())
    }

    /// Whether a variable is declared in blocks inside of the region; pet adds a number to a
    /// name that something else has.
    fn ends_within(&self, name: &str) -> bool {
        let ends = |name: &str| csource::ends_within(&self.source.text, name, self.region());
        ends(name) || unnumbered(name).is_some_and(ends)
    }

    fn element_type(&self, array: &PetArray) -> Result<CType> {
        match truth::element(array).or_else(|| CType::parse(&array.element_type)) {
            Some(ty) if !array.element_is_record && ty.size() == array.element_size => Ok(ty),
            _ => Err(Box::new(self.no_number(array))),
        }
    }

    /// The refusal of elements that are no numbers.
    fn no_number(&self, array: &PetArray) -> Diagnostic {
        let (name, ty) = (&array.name, &array.element_type);
        let span = self.first_use(name);
        let text = &self.source.text;
        let member = causes::find_member(text, self.region(), name);
        if let (true, Some((place, member))) = (array.element_is_record, member) {
            return Diagnostic::error("HX0106", format!("`{name}` is a struct"))
                .at(place, format!("`{member}` is used here"))
                .note("the region's variables and elements must be float, double or integers")
                .help(format!(
                    "copy `{member}` into a variable before the region, an array that is a member into a pointer to its rows, and use that"
                ));
        }
        let d = Diagnostic::error(
            "HX0106",
            format!("array `{name}` has elements of type `{ty}`"),
        )
        .at(span, "used here")
        .note("elements must be float, double or an integer type");
        match array.element_is_record {
            true => d.help("split an array of structs into one array per member"),
            false => d,
        }
    }

    fn first_use(&self, name: &str) -> Range<usize> {
        for stmt in &self.pet.stmts {
            let span = stmt.span.start..stmt.span.end;
            if let Some(found) = csource::find_access(&self.source.text, span, name, 0) {
                return found;
            }
        }
        self.region()
    }

    fn statement(
        &self,
        (stmt, span): (&PetStmt, Range<usize>),
        domain: Set,
        schedules: &BTreeMap<String, Map>,
        ids: &BTreeMap<String, ArrayId>,
        arrays: &[Array],
    ) -> Result<Statement> {
        let schedule = schedules
            .get(&stmt.name)
            .ok_or_else(|| Box::new(Diagnostic::bug(format!("no schedule for {}", stmt.name))))?
            .intersect_domain(&domain)?;
        let mut body = BodyReader {
            reader: self,
            ids,
            arrays,
            domain: &domain,
            span: span.clone(),
            reads: Vec::new(),
            seen: BTreeMap::new(),
            to_scalar: false,
        };
        let (target, value) = match &stmt.body {
            PetBody::Decl { var, init } => (body.write(var)?, body.expr(init)?),
            PetBody::Expr(PetExpr::Op { op, args, .. }) => match (op.as_str(), args.as_slice()) {
                ("assign", [lhs, rhs]) => (body.write(lhs)?, body.expr(rhs)?),
                (op, [lhs, rhs]) if op.ends_with("_assign") => {
                    let target = body.write(lhs)?;
                    let old = body.reread(&target);
                    let binary = binary_op(op.trim_end_matches("_assign"))
                        .ok_or_else(|| body.unsupported_operator(op))?;
                    let rhs = body.expr(rhs)?;
                    let value = Expr::Binary {
                        op: binary,
                        lhs: Box::new(old),
                        rhs: Box::new(rhs),
                    };
                    (target, value)
                }
                (op @ ("post_inc" | "pre_inc" | "post_dec" | "pre_dec"), [lhs]) => {
                    let target = body.write(lhs)?;
                    let value = Expr::Binary {
                        op: if op.ends_with("inc") { "+" } else { "-" },
                        lhs: Box::new(body.reread(&target)),
                        rhs: Box::new(Expr::Int {
                            value: "1".into(),
                            ty: CType::INT,
                        }),
                    };
                    (target, value)
                }
                (op, _) => return Err(body.unsupported(&format!("statement with operator `{op}`"))),
            },
            PetBody::Expr(PetExpr::Call { name, .. }) => {
                let d = causes::unknown_call(&self.source.text, name, span, true);
                return Err(Box::new(d));
            }
            PetBody::Expr(_) => return Err(body.unsupported("expression without effect")),
            PetBody::Unsupported(kind) => return Err(body.unsupported(&format!("`{kind}`"))),
        };
        let reads = body.reads;
        let to = &arrays[target.array.index()];
        let value = selects::value(self.pet, (stmt, &span), to.elem, value)?;
        let value = truth::stored(self.pet, (&to.name, target.array, &reads), value);
        Ok(Statement {
            name: stmt.name.clone(),
            span,
            lines: Some(self.source.lines(stmt.span.start, {
                let last = selects::last_line(self.pet, &self.source.text, stmt);
                (stmt.line, last)
            })),
            domain,
            schedule,
            write: target,
            reads,
            locals: Vec::new(),
            value,
        })
    }

    /// Extents from the declaration, an unbounded outermost one (pointers) from the largest
    /// subscript used, and whether it was.
    ///
    /// Only the outermost may be unbounded, and those that follow pointers to rows: elements lie one
    /// after the other in memory if and only if the declaration gives all other extents.
    fn extents(
        &self,
        array: &PetArray,
        id: ArrayId,
        stmts: &[Statement],
    ) -> Result<(Vec<PwAff>, bool)> {
        let declared = Set::read(&self.ctx, &array.extent)?;
        let n = declared.dim(DimType::Set)?;
        let mut accessed: Option<Set> = None;
        for stmt in stmts {
            for range in guards::touched(stmt, id)? {
                accessed = Some(match accessed {
                    Some(set) => set.union(&range)?,
                    None => range,
                });
            }
        }
        let mut extents = Vec::new();
        let mut pointer = false;
        for d in 0..n {
            // isl reports an unbounded maximum as an error.
            let max = match (declared.dim_max(d as u32), &accessed) {
                (Ok(max), _) => max,
                (Err(error), _) if error.quota => return Err(error.into()),
                (Err(_), Some(accessed)) => {
                    if d > 0 {
                        self.check_pointer(array, d, &declared)?;
                    }
                    pointer |= d == 0;
                    match self.largest(accessed, (id, d), stmts)? {
                        Ok(max) => max,
                        Err(_) => {
                            for stmt in stmts {
                                causes::check_ends(&self.source.text, self.region(), stmt)?;
                            }
                            return Err(self.no_extent(array));
                        }
                    }
                }
                (Err(_), None) => return Err(self.no_extent(array)),
            };
            extents.push(max.add_constant(1)?.coalesce()?);
        }
        Ok((extents, pointer))
    }

    /// Refuses a declared extent whose variable changes between the declaration and the region:
    /// C keeps the extent, generated code would take the new value.
    fn check_sizes_stay(&self, array: &Array) -> Result<()> {
        let (text, region) = (&self.source.text, self.region());
        let member = self.pet.members.iter().find(|m| m.name == array.name);
        let name = member.map_or(&array.name, |m| &m.value);
        // The extents of a flat array are none of its type's.
        let declarator = match self.flat.flat.contains(&array.name) {
            true => None,
            false => csource::declarator(text, name, region.start),
        };
        let Some(declarator) = declarator else {
            return Ok(());
        };
        for extent in Self::declared_extents(array) {
            let extent = extent.drop_unused_params()?;
            for i in 0..extent.dim(DimType::Param)? {
                let name = extent
                    .dim_name(DimType::Param, i as u32)?
                    .unwrap_or_default();
                let change = csource::change_before(text, &name, &declarator, region.clone());
                if let Some(change) = change {
                    let array = &array.name;
                    return Err(Box::new(
                        Diagnostic::error(
                            "HX0109",
                            format!("`{name}` may not be the size of `{array}` any more"),
                        )
                        .at(change, format!("`{name}` can change here"))
                        .also(declarator.range, format!("the size of `{array}` is from before"))
                        .note("a variable-length array keeps the size that it was declared with")
                        .help(format!("keep the size in a variable of its own, which nothing changes, and declare `{array}` with it")),
                    ));
                }
            }
        }
        Ok(())
    }

    /// The largest subscript of a dimension for all sizes at which any
    /// statement runs; -1 where none of them touches the array.
    ///
    /// Where every subscript selects a time buffer or a fixed plane, the largest
    /// for any sizes: kernels count on all buffers. What a subscript is where its statement does not
    /// run tells the two apart, `t % 2` from `t` with a bound, but is no element of the array.
    fn largest(
        &self,
        accessed: &Set,
        (id, d): (ArrayId, usize),
        stmts: &[Statement],
    ) -> Result<hexcc_isl::Result<PwAff>> {
        let all = stmts.iter().flat_map(|stmt| {
            let accesses = stmt.accesses();
            accesses.map(move |access| (stmt, access))
        });
        let planes = last_plane(all.filter(|(_, access)| access.array == id), d)?;
        if let Some(last) = planes {
            let text = format!("{{ [{last}] }}");
            return Ok(Set::read(&self.ctx, &text)?.dim_max(0));
        }
        let mut untouched: Option<Set> = None;
        for stmt in stmts {
            let sizes = stmt.domain.params()?;
            untouched = Some(match untouched {
                Some(all) => all.union(&sizes)?,
                None => sizes,
            });
        }
        let untouched = match untouched {
            Some(all) => all.subtract(&accessed.params()?)?,
            None => return Ok(accessed.dim_max(d as u32)),
        };
        if untouched.is_empty()? {
            return Ok(accessed.dim_max(d as u32));
        }
        let along = accessed.along(d as u32)?;
        let nothing = Set::read(&self.ctx, "{ [-1] }")?.intersect_params(&untouched)?;
        Ok(along.union(&nothing)?.dim_max(0))
    }

    fn no_extent(&self, array: &PetArray) -> Box<Diagnostic> {
        Box::new(
            Diagnostic::error(
                "HX0109",
                format!("the size of array `{}` cannot be derived", array.name),
            )
            .at(self.first_use(&array.name), "used here")
            .note("device memory is allocated and copied by the array's size")
            .help("declare the array with its size, e.g. `float A[N][N]` or `float (*A)[N]`"),
        )
    }

    /// The top-level statements of the region, and for each of pet's statements the one that it
    /// belongs to.
    fn chunks(
        &self,
        stmts: &[&PetStmt],
        schedules: &BTreeMap<String, Map>,
    ) -> Result<(Vec<Chunk>, Vec<usize>)> {
        let chunk = |span: Range<usize>| Chunk {
            span,
            stmts: Vec::new(),
            finals: Vec::new(),
        };
        let pieces = csource::split_statements(&self.source.text, self.region());
        let by_place: Vec<Option<usize>> = (stmts.iter())
            .map(|s| pieces.iter().position(|p| p.contains(&s.span.start)))
            .collect();
        let of_stmts = match by_place.iter().copied().collect::<Option<Vec<usize>>>() {
            Some(all) => Some(all),
            None => self.by_order(stmts, (&pieces, &by_place), schedules)?,
        };
        Ok(match of_stmts {
            Some(of_stmts) => (pieces.into_iter().map(chunk).collect(), of_stmts),
            None => (vec![chunk(self.region())], vec![0; stmts.len()]),
        })
    }

    /// The top-level statement of each of pet's, by what is first in their schedules. Statements
    /// of called functions, of macros and of other files have no place in the region; pet
    /// numbers the top-level statements that it sees. `None` where that is not surely what the
    /// text has.
    fn by_order(
        &self,
        stmts: &[&PetStmt],
        (pieces, by_place): (&[Range<usize>], &[Option<usize>]),
        schedules: &BTreeMap<String, Map>,
    ) -> Result<Option<Vec<usize>>> {
        let text = &self.source.text;
        let is_loop = |piece: &Range<usize>| {
            let mut lines = text[piece.clone()].lines().map(str::trim_start);
            let first = lines.find(|line| !line.starts_with('#'));
            first.is_some_and(|line| line.starts_with("for"))
                && !csource::is_conditional(text, piece.start)
        };
        if pieces.len() < 2 || !pieces.iter().all(is_loop) {
            return Ok(None);
        }
        let mut numbers: BTreeMap<&str, i64> = BTreeMap::new();
        for (name, schedule) in schedules {
            let times = schedule.range()?;
            let (Some(first), Some(last)) = (
                times.dim_min_val(0)?.finite(),
                times.dim_max_val(0)?.finite(),
            ) else {
                return Ok(None);
            };
            if first != last {
                return Ok(None);
            }
            numbers.insert(name, first.floor());
        }
        // A loop has one number, one more before it where its iterator is declared elsewhere, and
        // none where the preprocessor leaves it out.
        let mut places: BTreeMap<i64, Option<usize>> = BTreeMap::new();
        for number in numbers.values() {
            places.insert(*number, None);
        }
        for stmt in (self.pet.stmts.iter()).filter(|s| s.span.start < s.span.end) {
            let place = pieces.iter().position(|p| p.contains(&stmt.span.start));
            if let (Some(number), Some(_)) = (numbers.get(stmt.name.as_str()), place) {
                places.insert(*number, place);
            }
        }
        let (mut piece_of, mut n) = (BTreeMap::new(), 0);
        let mut before = None;
        for (number, place) in places {
            n += usize::from(place.is_none() || place != before);
            piece_of.insert(number, n - 1);
            before = place;
        }
        if n != pieces.len() {
            return Ok(None);
        }
        let of_stmt = |s: &&PetStmt| piece_of.get(numbers.get(s.name.as_str())?).copied();
        let found: Option<Vec<usize>> = stmts.iter().map(of_stmt).collect();
        Ok(found.filter(|found| {
            let mut pairs = found.iter().zip(by_place);
            pairs.all(|(at, place)| place.is_none_or(|place| place == *at))
        }))
    }
}

/// As [`Scop::declared`].
fn declared(pet: &PetScop) -> BTreeMap<String, bool> {
    (pet.arrays.iter().filter(|a| a.declared))
        .map(|a| (a.name.clone(), a.exposed))
        .collect()
}

/// The last of the time buffers and fixed planes that accesses select along a dimension; `None`
/// where one selects something else.
fn last_plane<'a>(
    accesses: impl Iterator<Item = (&'a Statement, &'a Access)>,
    d: usize,
) -> Result<Option<i64>> {
    let mut planes = 0;
    for (stmt, access) in accesses {
        if access.whole {
            return Ok(None);
        }
        let f = &access.map.to_pw_affs()?[d];
        let anywhere = finite_range(&f.gist(&stmt.domain)?)?;
        let Some((_, last)) = anywhere.filter(|r| r.0 >= 0) else {
            return Ok(None);
        };
        let reached = finite_range(f)?.map_or(i64::MAX, |r| r.1);
        planes = last.min(reached).max(planes);
    }
    Ok(Some(planes).filter(|last| !wrap::is_last_of_type(*last)))
}

/// The result of a condition on data that a statement keeps for others: of an `if` with nothing in it, for none.
fn written_test(stmt: &PetStmt) -> Option<&str> {
    let PetBody::Expr(PetExpr::Op { op, args, .. }) = &stmt.body else {
        return None;
    };
    let Some(PetExpr::Access { array, .. }) = args.first().filter(|_| op == "assign") else {
        return None;
    };
    array.as_deref().filter(|name| causes::is_test(name))
}

/// A name without the number that pet adds where something else has it.
pub(crate) fn unnumbered(name: &str) -> Option<&str> {
    let (original, number) = name.rsplit_once('_')?;
    let is_number = number.bytes().all(|b| b.is_ascii_digit());
    is_number.then_some(original)
}

fn collect_params(context: &Set, stmts: &[Statement], arrays: &[Array]) -> Result<Vec<String>> {
    let mut names = BTreeSet::new();
    let mut add_set = |set: &Set| -> Result<()> {
        names.extend(set.drop_unused_params()?.param_names()?);
        Ok(())
    };
    add_set(context)?;
    for stmt in stmts {
        add_set(&stmt.domain)?;
        for access in stmt.accesses() {
            add_set(&access.map.wrap()?)?;
        }
        for value in stmt.affine_values() {
            add_set(&value.to_map()?.wrap()?)?;
        }
    }
    for extent in arrays.iter().flat_map(|a| &a.extents) {
        add_set(&extent.to_set()?)?;
    }
    Ok(names.into_iter().collect())
}

/// Reads the expressions of one statement.
struct BodyReader<'a> {
    reader: &'a Reader<'a>,
    ids: &'a BTreeMap<String, ArrayId>,
    arrays: &'a [Array],
    domain: &'a Set,
    span: Range<usize>,
    reads: Vec<Access>,
    seen: BTreeMap<ArrayId, usize>,
    /// The statement writes a scalar.
    to_scalar: bool,
}

impl BodyReader<'_> {
    fn unsupported(&self, what: &str) -> Box<Diagnostic> {
        self.unsupported_since(what, "a statement must assign one array element a value computed from array elements, scalars and constants")
    }

    fn unsupported_since(&self, what: &str, why: &str) -> Box<Diagnostic> {
        Box::new(
            Diagnostic::error(
                "HX0108",
                format!("{what} is not supported in a stencil statement"),
            )
            .at(self.span.clone(), "in this statement")
            .note(why),
        )
    }

    fn unsupported_operator(&self, op: &str) -> Box<Diagnostic> {
        if op.ends_with("assign") || op.ends_with("inc") || op.ends_with("dec") {
            let mut d = self.unsupported("an assignment within an expression");
            d.help
                .push("write two statements, one after the other".into());
            return d;
        }
        self.unsupported_since(
            &format!("operator `{op}`"),
            "it has no known meaning in device code",
        )
    }

    fn access(&mut self, name: &str, index: &str) -> Result<Access> {
        let array = *self
            .ids
            .get(name)
            .ok_or_else(|| Box::new(Diagnostic::bug(format!("unknown array {name}"))))?;
        let map = MultiPwAff::read(&self.reader.ctx, index)?
            .to_map()?
            .intersect_domain(self.domain)?;
        let declared = (self.reader.pet.arrays.iter())
            .find(|a| a.name == name)
            .map(|a| Set::read(&self.reader.ctx, &a.extent));
        if let Some(declared) = declared
            && declared?.dim(DimType::Set)? != map.dim(DimType::Out)?
        {
            let mut d = self.unsupported("an array used as a whole");
            d.help.push("for CUDA, swap pointers at the end of a time step, `tmp = A; A = B; B = tmp;`. Elsewhere use two time planes, `A[(t+1)%2]` and `A[t%2]`, or two nests, A to B and B to A".into());
            return Err(d);
        }
        let nth = self.seen.entry(array).or_insert(0);
        let access = Access {
            array,
            map,
            nth: *nth,
            stmt: self.span.clone(),
            whole: false,
        };
        *nth += 1;
        Ok(access)
    }

    fn write(&mut self, lhs: &PetExpr) -> Result<Access> {
        match lhs {
            PetExpr::Access {
                array: Some(name),
                index,
                ..
            } => {
                let access = self.access(name, index)?;
                self.to_scalar = access.map.dim(DimType::Out)? == 0;
                Ok(access)
            }
            _ => Err(self.unsupported("this assignment target")),
        }
    }

    /// The old value of a compound assignment's target.
    fn reread(&mut self, target: &Access) -> Expr {
        self.reads.push(target.clone());
        Expr::Read(self.reads.len() - 1, self.arrays[target.array.index()].elem)
    }

    fn exprs(&mut self, args: &[PetExpr]) -> Result<Vec<Expr>> {
        args.iter().map(|a| self.expr(a)).collect()
    }

    fn expr(&mut self, expr: &PetExpr) -> Result<Expr> {
        self.expr_within(expr, None)
    }

    /// An expression, where what is around it computes in the integer type `around` and needs the
    /// value modulo its size only.
    fn expr_within(&mut self, expr: &PetExpr, around: Option<CType>) -> Result<Expr> {
        Ok(match expr {
            PetExpr::Access {
                array: None,
                index,
                type_size,
                ..
            } => {
                let value = MultiPwAff::read(&self.reader.ctx, index)?.get(0)?;
                let ty = match type_size {
                    0 => self.affine_type(&value, around)?,
                    size => CType::from_pet_size(*size),
                };
                let number = value.as_constant()?.filter(|n| n.den == 1);
                match number.map(|n| n.floor()) {
                    Some(number) if ty == CType::INT && i32::try_from(number).is_ok() => {
                        Expr::Int {
                            value: number.to_string(),
                            ty,
                        }
                    }
                    _ => Expr::Affine { value, ty },
                }
            }
            PetExpr::Access {
                array: Some(name),
                index,
                ..
            } => {
                let access = self.access(name, index)?;
                let ty = self.arrays[access.array.index()].elem;
                self.reads.push(access);
                Expr::Read(self.reads.len() - 1, ty)
            }
            PetExpr::Int { value, type_size } => Expr::Int {
                value: value.clone(),
                ty: match (type_size, value.parse::<i32>()) {
                    (0, Err(_)) => CType::Int(8),
                    _ => CType::from_pet_size(*type_size),
                },
            },
            PetExpr::Double(text) => self.literal(text)?,
            PetExpr::Cast { ty, arg } if truth::is_bool(ty) => truth::of(self.expr(arg)?),
            PetExpr::Cast { ty, arg } => {
                let ty = CType::parse(ty)
                    .or_else(|| typedef(&self.reader.source.text, ty))
                    .ok_or_else(|| {
                        self.unsupported_since(
                            &format!("a cast to `{ty}`"),
                            "values are float, double or integers",
                        )
                    })?;
                Expr::Cast {
                    ty,
                    arg: Box::new(self.expr(arg)?),
                }
            }
            PetExpr::Call { name, args } if self.cell(name).is_some() => {
                self.cell_call(name, args)?
            }
            PetExpr::Call { name, args } => match math_function(name) {
                Some(f) if f.n_args == args.len() => self.math_call(name, f, args)?,
                _ => {
                    let text = &self.reader.source.text;
                    let host = self.to_scalar;
                    let d = causes::unknown_call(text, name, self.span.clone(), host);
                    return Err(Box::new(d));
                }
            },
            PetExpr::Op {
                op,
                args,
                type_size,
            } => {
                let around = match op.as_str() {
                    "add" | "sub" | "mul" | "and" | "or" | "xor" if *type_size != 0 => {
                        Some(CType::from_pet_size(*type_size))
                    }
                    _ => None,
                };
                let mut parts = (args.iter())
                    .map(|arg| self.expr_within(arg, around))
                    .collect::<Result<Vec<Expr>>>()?;
                if matches!(
                    op.as_str(),
                    "add" | "sub" | "mul" | "div" | "mod" | "and" | "or" | "xor"
                ) {
                    restore_integer_type(&mut parts, *type_size);
                }
                match (op.as_str(), <[Expr; 3]>::try_from(parts)) {
                    ("cond", Ok([cond, yes, no])) => Expr::Cond {
                        cond: Box::new(cond),
                        yes: Box::new(yes),
                        no: Box::new(no),
                    },
                    (op, Err(parts)) => match (<[Expr; 2]>::try_from(parts), binary_op(op)) {
                        (Ok([lhs, rhs]), Some(op)) => Expr::Binary {
                            op,
                            lhs: Box::new(lhs),
                            rhs: Box::new(rhs),
                        },
                        (Err(mut parts), _) if parts.len() == 1 => {
                            let op = match op {
                                "minus" => "-",
                                "not" => "~",
                                "lnot" => "!",
                                _ => return Err(self.unsupported_operator(op)),
                            };
                            match parts.pop() {
                                Some(arg) => Expr::Unary {
                                    op,
                                    arg: Box::new(arg),
                                },
                                None => return Err(self.unsupported("an empty expression")),
                            }
                        }
                        _ => return Err(self.unsupported_operator(op)),
                    },
                    (op, Ok(_)) => return Err(self.unsupported_operator(op)),
                }
            }
        })
    }

    /// The C type of an affine expression, which pet leaves out: that of the variables in it. A
    /// literal of the statement that would change it may belong to another expression.
    fn affine_type(&self, value: &PwAff, around: Option<CType>) -> Result<CType> {
        let text = &self.reader.source.text;
        let build = AstBuild::from_context(&self.domain.universe_like()?)?;
        let mut names = BTreeSet::new();
        match build.expr_from_pw_aff(value) {
            Ok(expr) => names.extend(expr.names().into_iter().map(str::to_string)),
            Err(error) if error.quota || error.stopped.is_some() => return Err(error.into()),
            // Unsigned arithmetic of 64 bits: remainders by 2^64.
            Err(_) => {
                let what = "an unsigned integer expression of 64 bits that may wrap around";
                let why =
                    "its numbers are beyond those that subscripts and values are computed with";
                return Err(self.unsupported_since(what, why));
            }
        }
        let type_of = |name: &str| -> Option<CType> {
            let words = csource::declared_type(text, name, self.span.start)?;
            CType::parse(&words).or_else(|| typedef(text, &words))
        };
        let mut ty = CType::INT;
        for name in &names {
            let own = type_of(name).or_else(|| type_of(unnumbered(name)?));
            if let Some(own) = own.filter(|own| !own.is_floating()) {
                ty = ty.usual(own);
            }
        }
        let wide = csource::wide_literals(text, self.span.clone());
        match (wide.iter().all(|literal| ty.usual(*literal) == ty), around) {
            (true, _) => Ok(ty),
            (false, Some(around)) => Ok(around),
            (false, None) => {
                let mut d = self.unsupported_since(
                    "an integer literal that is no `int`, next to an expression of iterators,",
                    "it may decide how the expression is computed, and in which type is not known here",
                );
                d.help.push("put the literal into a variable before the region, `const long c = 5000000000;`, and use that".into());
                Err(d)
            }
        }
    }

    fn literal(&self, text: &str) -> Result<Expr> {
        let text = text.trim();
        let is_hex = text.starts_with("0x") || text.starts_with("0X");
        let ty = match text.chars().last() {
            Some('f' | 'F') if !is_hex || text.contains(['p', 'P']) => CType::Float,
            Some('l' | 'L') => {
                let why = "device code has no `long double`";
                let mut d = self.unsupported_since("a `long double` literal", why);
                d.help
                    .push("write the constant without `L`, a `double`".into());
                return Err(d);
            }
            _ => CType::Double,
        };
        let starts_right = text.starts_with(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
        if !starts_right {
            return Err(self.unsupported(&format!("the constant `{text}`")));
        }
        Ok(Expr::Float {
            text: text.to_string(),
            ty,
        })
    }
}

/// pet drops the suffix of integer literals but knows the type of the
/// operation (`x / 2u` is unsigned); a conversion of the left operand restores
/// it.
fn restore_integer_type(parts: &mut [Expr], type_size: i32) {
    if let [lhs, rhs] = parts {
        let (have, want) = (lhs.ty().usual(rhs.ty()), CType::from_pet_size(type_size));
        if type_size != 0 && !have.is_floating() && have != want {
            let arg = std::mem::replace(
                lhs,
                Expr::Int {
                    value: "0".into(),
                    ty: CType::INT,
                },
            );
            *lhs = Expr::Cast {
                ty: want,
                arg: Box::new(arg),
            };
        }
    }
}

/// The scalar type behind a name that the file itself defines, in one way.
fn typedef(text: &str, name: &str) -> Option<CType> {
    match csource::typedefs(&[text], name).as_slice() {
        [one] => CType::parse(one),
        _ => None,
    }
}

fn binary_op(op: &str) -> Option<&'static str> {
    Some(match op {
        "add" => "+",
        "sub" => "-",
        "mul" => "*",
        "div" => "/",
        "mod" => "%",
        "shl" => "<<",
        "shr" => ">>",
        "eq" => "==",
        "ne" => "!=",
        "le" => "<=",
        "ge" => ">=",
        "lt" => "<",
        "gt" => ">",
        "and" => "&",
        "xor" => "^",
        "or" => "|",
        "land" => "&&",
        "lor" => "||",
        _ => return None,
    })
}

pub(crate) fn body_exprs(body: &PetBody) -> Vec<&PetExpr> {
    match body {
        PetBody::Expr(e) => vec![e],
        PetBody::Decl { var, init } => vec![var, init],
        PetBody::Unsupported(_) => Vec::new(),
    }
}

/// Whether a region calls functions whose results on a GPU differ from C's.
fn calls_inexact(pet: &PetScop) -> bool {
    fn is_one(expr: &PetExpr) -> bool {
        let own = match expr {
            PetExpr::Call { name, .. } => math_function(name).is_some_and(|m| !m.exact),
            _ => false,
        };
        own || children(expr).into_iter().any(is_one)
    }
    pet.stmts
        .iter()
        .any(|stmt| body_exprs(&stmt.body).into_iter().any(is_one))
}

/// Whether a statement of a region adds to a number, or does the like.
fn gathers(pet: &PetScop) -> bool {
    let is_number = |index: &str| index.trim_end().ends_with("[] }");
    let gathers = |stmt: &PetStmt| {
        let mut all = body_exprs(&stmt.body);
        let (mut written, mut read) = (BTreeSet::new(), BTreeSet::new());
        while let Some(expr) = all.pop() {
            if let PetExpr::Access {
                array: Some(name),
                index,
                read: reads,
                write: writes,
                ..
            } = expr
                && is_number(index)
            {
                written.extend(writes.then_some(name));
                read.extend(reads.then_some(name));
            }
            all.extend(children(expr));
        }
        !written.is_disjoint(&read)
    };
    pet.stmts.iter().any(gathers)
}

/// Whether a statement of a region copies an element of an array to another one of it.
fn copies_within(pet: &PetScop) -> bool {
    let copies = |stmt: &PetStmt| match body_exprs(&stmt.body).as_slice() {
        [PetExpr::Op { op, args, .. }] if op == "assign" => match args.as_slice() {
            [
                PetExpr::Access { array: to, .. },
                PetExpr::Access { array: from, .. },
            ] => to.is_some() && to == from,
            _ => false,
        },
        _ => false,
    };
    pet.stmts.iter().any(copies)
}

/// Whether a region may be better as one over some of the steps: what the host computes is what C computes, sums that only the
/// last step gives are for that one, and so are ghost cells.
pub fn is_better_parted(pet: &PetScop) -> bool {
    calls_inexact(pet) || gathers(pet) || copies_within(pet)
}

pub(crate) fn children(expr: &PetExpr) -> Vec<&PetExpr> {
    match expr {
        PetExpr::Access { args, .. } | PetExpr::Op { args, .. } | PetExpr::Call { args, .. } => {
            args.iter().collect()
        }
        PetExpr::Cast { arg, .. } => vec![arg],
        PetExpr::Int { .. } | PetExpr::Double(_) => Vec::new(),
    }
}

/// Names of the arrays in an expression; only those read where `reads_only`.
pub(crate) fn collect_names(expr: &PetExpr, names: &mut BTreeSet<String>, reads_only: bool) {
    if let PetExpr::Access {
        array: Some(name),
        read,
        ..
    } = expr
        && (*read || !reads_only)
    {
        names.insert(name.clone());
    }
    for child in children(expr) {
        collect_names(child, names, reads_only);
    }
}

/// The largest and smallest value a function takes, where finite.
pub fn finite_range(f: &PwAff) -> Result<Option<(i64, i64)>> {
    match (f.min_val()?, f.max_val()?) {
        (Bound::Finite(lo), Bound::Finite(hi)) => Ok(Some((lo.ceil(), hi.floor()))),
        _ => Ok(None),
    }
}
