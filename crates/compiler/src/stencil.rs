//! Stencils that a program builds, without C: the way into the compiler for other front ends.
//!
//! A stencil is one time loop with statements in it, in the order in which they are written, each in a
//! nest of its own. Sets and functions are given as text in isl's notation, with the names of sizes and
//! iterators; what a statement computes is an [`Expr`], whose operations keep their order. There are no
//! places in a source, and messages name statements, unless [`Stencil::located`] gives them places. The [crate] has an example, `examples/heat.rs` a longer one.

use crate::clock::Clock;
use crate::compiled::Compiled;
use crate::ctype::{CType, math_function};
use crate::diag::{Diagnostic, Result};
use crate::options::{Language, Options};
use crate::pipeline;
use crate::region::Region;
use crate::scop::{
    Access, Around, Array, ArrayId, Chunk, Expr, Guards, Local, Locations, Scop, SourceFile,
    Statement, bounds,
};
use hexcc_isl::{Ctx, DimType, Map, MultiPwAff, PwAff, Set};
use hexcc_pet::deep::{MAX_DEPTH, deeply};
use std::collections::BTreeMap;
use std::ops;
use std::ops::Range;
use thiserror::Error;

/// Why a stencil cannot be built.
#[derive(Debug, Error)]
pub enum BuildError {
    /// A text is not what isl reads.
    #[error("isl does not read `{text}`: {error}")]
    Notation {
        /// The text, with what is around it.
        text: String,
        /// What isl says.
        error: hexcc_isl::Error,
    },
    /// A subscript is no function of all iterations of the statement, or an extent none of all sizes.
    #[error("`{text}` is not one function for each dimension, which has a value everywhere")]
    Partial {
        /// The text, with what is around it.
        text: String,
    },
    /// A name is no identifier of C, or is given twice.
    #[error("`{0}` is no identifier of C, or has another meaning already")]
    Name(String),
    /// A statement has no iterator, which would be that of the time loop.
    #[error("statement `{0}` has no iterator")]
    NoIterator(String),
    /// An iterator of a statement has no first or no last value.
    #[error("an iterator of statement `{0}` is not bounded")]
    Unbounded(String),
    /// An element is named with a wrong number of subscripts, or a scalar is written.
    #[error("`{array}` is no array of {n} subscripts")]
    Subscripts {
        /// The array.
        array: String,
        /// How many subscripts were given.
        n: usize,
    },
    /// A value has a part that the statement cannot have: a read of another statement, an operator
    /// or function that is not known, a number that is none.
    #[error("the value of statement `{statement}` has a part that it cannot have: {part}")]
    Value {
        /// The statement.
        statement: String,
        /// The part.
        part: String,
    },
    /// isl gave up.
    #[error("isl: {0}")]
    Isl(#[from] hexcc_isl::Error),
    /// The compiler refuses it as a whole, such as accesses that are always out of bounds.
    #[error("{}", .0.message)]
    Refused(Box<Diagnostic>),
}

/// What a builder gives.
type Built<T> = std::result::Result<T, BuildError>;

/// A stencil that a program has built; see the [module](self).
pub struct Stencil {
    name: String,
    scop: Scop,
    /// Without path and text where there is none.
    source: SourceFile,
}

impl Stencil {
    /// Arrays and statements.
    pub fn scop(&self) -> &Scop {
        &self.scop
    }

    /// The text that [`Stencil::located`] has given.
    pub fn source(&self) -> &SourceFile {
        &self.source
    }

    /// The same stencil, as a text has it: the place of the time loop in it, with those of its statements, by their names.
    /// Messages point there. Without a place for each of them it stays as it is.
    pub fn located(
        mut self,
        source: SourceFile,
        time_loop: Range<usize>,
        places: &BTreeMap<String, Range<usize>>,
    ) -> Stencil {
        let has_place = |stmt: &Statement| places.contains_key(&stmt.name);
        if !self.scop.stmts.iter().all(has_place) {
            return self;
        }
        for stmt in &mut self.scop.stmts {
            let Some(place) = places.get(&stmt.name) else {
                continue;
            };
            stmt.span = place.clone();
            // A text has what is written before what is read.
            let mut seen = BTreeMap::new();
            for access in std::iter::once(&mut stmt.write).chain(&mut stmt.reads) {
                let nth = seen.entry(access.array).or_insert(0);
                (access.stmt, access.nth) = (place.clone(), *nth);
                *nth += 1;
            }
        }
        for chunk in &mut self.scop.chunks {
            chunk.span = time_loop.clone();
        }
        self.scop.region = time_loop;
        self.source = source;
        self
    }

    /// Compiles it, with the passes that a scop of a C program has; no memory of arrays is taken to be
    /// unused after it.
    ///
    /// # Errors
    /// A diagnostic without labels: its notes name the statements. HX0509 for a target other than CUDA.
    pub fn compile(&self, options: &Options) -> Result<Compiled> {
        if options.language.is_c() {
            return Err(Box::new(self.needs_c(options.language)));
        }
        let ctx = &self.scop.ctx;
        let compiled = deeply(|| {
            options.switches()?;
            ctx.reset_operations();
            ctx.set_max_operations(options.isl_quota);
            let mut clock = Clock::new(ctx);
            clock.begin("stencil")?;
            let region = Region::analyze(self.scop.clone(), &self.source, options, &mut clock)?;
            pipeline::passes(region, self.around(), options, clock)
        });
        match compiled {
            Ok(mut compiled) => {
                let warnings = std::mem::take(&mut compiled.warnings).into_iter();
                compiled.warnings = warnings.map(|d| self.by_name(d)).collect();
                Ok(compiled)
            }
            Err(failure) => {
                // Once computations have been stopped, what failed after that says nothing.
                let d = ctx.check().map_or_else(Into::into, |()| failure);
                Err(Box::new(self.by_name(*d)))
            }
        }
    }

    /// The refusal of a target that keeps the program.
    fn needs_c(&self, language: Language) -> Diagnostic {
        let (name, target) = (&self.name, language.name());
        let what =
            format!("`--target {target}` has no program for the stencil `{name}` to stay in");
        Diagnostic::error("HX0509", what)
            .note("loops of a C program are replaced there, and the rest of it stays")
            .help("choose the target `cuda`, of which the kernels alone are a text")
    }

    pub(crate) fn around(&self) -> Around<'_> {
        Around {
            source: &self.source,
            own: &[],
            nests: false,
            name: Some(&self.name),
        }
    }

    /// A message with notes in the place of labels, which name the statements, where there is no text.
    fn by_name(&self, mut d: Diagnostic) -> Diagnostic {
        if !self.source.text.is_empty() {
            return d;
        }
        let labels = std::mem::take(&mut d.labels).into_iter();
        let notes = labels.map(|label| format!("{}: {}", self.named(&label.span), label.text));
        d.notes = notes.chain(std::mem::take(&mut d.notes)).collect();
        d
    }

    /// What is at a place.
    fn named(&self, span: &Range<usize>) -> String {
        match self.scop.stmts.get(span.clone()) {
            Some([stmt]) => format!("statement `{}`", stmt.name),
            _ => format!("stencil `{}`", self.name),
        }
    }
}

/// Builds a [`Stencil`].
pub struct StencilBuilder {
    ctx: Ctx,
    name: String,
    params: Vec<String>,
    context: Set,
    arrays: Vec<Array>,
    stmts: Vec<Statement>,
}

impl StencilBuilder {
    /// A stencil with these sizes, integers of 32 bits, of which a condition is known; an empty one
    /// always holds.
    ///
    /// # Errors
    /// Names that are none, or another condition than isl reads.
    pub fn new(ctx: &Ctx, name: &str, sizes: &[&str], condition: &str) -> Built<StencilBuilder> {
        let mut builder = StencilBuilder {
            ctx: ctx.clone(),
            name: name.to_string(),
            params: Vec::new(),
            context: read_set(ctx, "{ : }")?,
            arrays: Vec::new(),
            stmts: Vec::new(),
        };
        if !is_identifier(name) {
            return Err(BuildError::Name(name.to_string()));
        }
        for size in sizes {
            builder.check_name(size)?;
            builder.params.push(size.to_string());
        }
        let (least, most) = (i32::MIN, i32::MAX);
        let ranges = sizes.iter().map(|n| format!("{least} <= {n} <= {most}"));
        let condition = (!condition.is_empty()).then(|| format!("({condition})"));
        let all: Vec<String> = ranges.chain(condition).collect();
        builder.context = builder.set("", &all.join(" and "))?;
        builder.params.sort();
        Ok(builder)
    }

    /// An array with the number of elements along each dimension, functions of the sizes.
    ///
    /// # Errors
    /// A name that is none, or a text that isl does not read.
    pub fn array(&mut self, name: &str, elem: CType, extents: &[&str]) -> Built<ArrayId> {
        self.check_name(name)?;
        let extents = extents.iter().map(|extent| self.extent(extent));
        let extents = extents.collect::<Built<_>>()?;
        self.arrays.push(Array {
            name: name.to_string(),
            elem,
            extents,
            pointer: false,
            pointers: 0,
            variable: false,
            parts: Vec::new(),
        });
        Ok(ArrayId(self.arrays.len() as u32 - 1))
    }

    /// A number that statements read, with [`StatementBuilder::read`] and no subscripts.
    ///
    /// # Errors
    /// A name that is none.
    pub fn scalar(&mut self, name: &str, ty: CType) -> Built<ArrayId> {
        self.array(name, ty, &[])
    }

    /// A statement of the time loop, whose iterator is the first one, for all values of iterators for
    /// which a condition holds; [`StatementBuilder::write`] ends it.
    ///
    /// # Errors
    /// Names that are none, or another condition than isl reads.
    pub fn statement(
        &mut self,
        name: &str,
        iterators: &[&str],
        condition: &str,
    ) -> Built<StatementBuilder<'_>> {
        self.check_name(name)?;
        for (i, iterator) in iterators.iter().enumerate() {
            self.check_name(iterator)?;
            if *iterator == name || iterators[..i].contains(iterator) {
                return Err(BuildError::Name(iterator.to_string()));
            }
        }
        if iterators.is_empty() {
            return Err(BuildError::NoIterator(name.to_string()));
        }
        let instance = format!("{name}[{}]", iterators.join(", "));
        let domain = self.set(&instance, condition)?;
        Ok(StatementBuilder {
            builder: self,
            name: name.to_string(),
            instance,
            iterators: iterators.iter().map(|i| i.to_string()).collect(),
            domain,
            reads: Vec::new(),
            locals: Vec::new(),
            seen: BTreeMap::new(),
        })
    }

    /// The stencil.
    ///
    /// # Errors
    /// HX0111 where an access is always out of bounds.
    pub fn build(self) -> Built<Stencil> {
        let n = self.stmts.len();
        let chunk = Chunk {
            span: 0..n,
            stmts: (0..n).collect(),
            finals: Vec::new(),
        };
        let mut scop = Scop {
            params: self.params,
            expected: self.context.universe_like()?.params()?,
            sweeps: BTreeMap::new(),
            context: self.context,
            arrays: self.arrays,
            stmts: self.stmts,
            chunks: vec![chunk],
            region: 0..n,
            unused: Vec::new(),
            kept: Vec::new(),
            declared: BTreeMap::new(),
            members: Vec::new(),
            cells: Vec::new(),
            guards: Guards::default(),
            locations: Locations::Statements,
            ctx: self.ctx,
        };
        pad_schedules(&mut scop)?;
        let stencil = Stencil {
            name: self.name,
            scop,
            source: SourceFile::default(),
        };
        let checked = bounds::check(&stencil.scop, &stencil.source, &[]);
        checked.map_err(|d| BuildError::Refused(Box::new(stencil.by_name(*d))))?;
        Ok(stencil)
    }

    /// A name that is free.
    fn check_name(&self, name: &str) -> Built<()> {
        let taken = self.params.iter().any(|n| n == name)
            || self.arrays.iter().any(|a| a.name == name)
            || self.stmts.iter().any(|s| s.name == name);
        match is_identifier(name) && !taken {
            true => Ok(()),
            false => Err(BuildError::Name(name.to_string())),
        }
    }

    /// `[sizes] -> { BODY }`.
    fn text(&self, body: &str) -> String {
        format!("[{}] -> {{ {body} }}", self.params.join(", "))
    }

    fn set(&self, tuple: &str, condition: &str) -> Built<Set> {
        let set = match condition {
            "" => self.text(&format!("{tuple} : ")),
            condition => self.text(&format!("{tuple} : {condition}")),
        };
        read_set(&self.ctx, &set)
    }

    fn extent(&self, extent: &str) -> Built<PwAff> {
        let text = self.text(&format!("[({extent})]"));
        let set = read_set(&self.ctx, &text)?;
        let sizes = set.params()?;
        let is_total = sizes.is_equal(&sizes.universe_like()?)?;
        match is_total && set.dim(DimType::Set)? == 1 {
            true => Ok(set.dim_max(0)?),
            false => Err(BuildError::Partial { text }),
        }
    }
}

/// A statement that is not complete yet.
pub struct StatementBuilder<'a> {
    builder: &'a mut StencilBuilder,
    name: String,
    /// `NAME[ITERATORS]`.
    instance: String,
    iterators: Vec<String>,
    domain: Set,
    reads: Vec<Access>,
    locals: Vec<Local>,
    /// Accesses by array.
    seen: BTreeMap<ArrayId, usize>,
}

impl StatementBuilder<'_> {
    /// The value of an element, given by functions of iterators and sizes.
    ///
    /// # Errors
    /// A wrong number of subscripts, or a text that isl does not read.
    pub fn read(&mut self, array: ArrayId, subscripts: &[&str]) -> Built<Expr> {
        let access = self.access(array, subscripts)?;
        let ty = self.builder.arrays[array.index()].elem;
        self.reads.push(access);
        Ok(Expr::Read(self.reads.len() - 1, ty))
    }

    /// A value with a name, for later values of the statement; it is computed once, and has the type that C gives it.
    ///
    /// # Errors
    /// A name that is none, and a value with parts that it cannot have.
    pub fn local(&mut self, name: &str, value: Expr) -> Built<Expr> {
        self.builder.check_name(name)?;
        let is_taken = (self.iterators.iter().chain([&self.name]))
            .chain(self.locals.iter().map(|local| &local.name))
            .any(|other| other == name);
        if is_taken {
            return Err(BuildError::Name(name.to_string()));
        }
        let value = self.checked(value)?;
        let ty = deeply(|| value.ty());
        self.locals.push(Local {
            name: name.to_string(),
            ty,
            value,
        });
        Ok(Expr::Local(self.locals.len() - 1, ty))
    }

    /// Ends the statement: the element that it gives a value, which is converted to its type as in C.
    ///
    /// # Errors
    /// As for [`StatementBuilder::read`], and a value with parts that it cannot have.
    pub fn write(mut self, array: ArrayId, subscripts: &[&str], value: Expr) -> Built<()> {
        let value = self.checked(value)?;
        let write = self.access(array, subscripts)?;
        if subscripts.is_empty() {
            return Err(self.wrong_subscripts(array, 0));
        }
        // One that never runs is none.
        if self.domain.is_empty()? {
            return Ok(());
        }
        self.check_bounds()?;
        let number = self.builder.stmts.len();
        let (place, iterators) = (number.to_string(), self.iterators.iter());
        let mut times: Vec<&str> = iterators.map(String::as_str).collect();
        times.insert(1, &place);
        let schedule = self.function("", &times)?;
        self.builder.stmts.push(Statement {
            name: self.name,
            span: number..number + 1,
            lines: None,
            domain: self.domain,
            schedule,
            write,
            reads: self.reads,
            locals: self.locals,
            value,
        });
        Ok(())
    }

    /// A function of the instances, by the functions along each dimension.
    fn function(&self, tuple: &str, parts: &[&str]) -> Built<Map> {
        // Without parentheses, a name that is not known would be one for any value.
        let parts: Vec<String> = parts.iter().map(|part| format!("({part})")).collect();
        let body = format!("{} -> {tuple}[{}]", self.instance, parts.join(", "));
        let text = self.builder.text(&body);
        let map = MultiPwAff::read(&self.builder.ctx, &text);
        let map = match map {
            Ok(map) => map.to_map()?.intersect_domain(&self.domain)?,
            Err(error) => return Err(BuildError::Notation { text, error }),
        };
        let is_total = map.domain()?.is_equal(&self.domain)?;
        match is_total && map.dim(DimType::Out)? == parts.len() {
            true => Ok(map),
            false => Err(BuildError::Partial { text }),
        }
    }

    /// Fails where an iterator has no last value, or no first one.
    fn check_bounds(&self) -> Built<()> {
        for d in 0..self.iterators.len() as u32 {
            // isl reports an unbounded maximum as an error.
            for end in [self.domain.dim_min(d), self.domain.dim_max(d)] {
                match end {
                    Err(error) if error.quota || error.stopped.is_some() => {
                        return Err(error.into());
                    }
                    Err(_) => return Err(BuildError::Unbounded(self.name.clone())),
                    Ok(_) => {}
                }
            }
        }
        Ok(())
    }

    fn access(&mut self, array: ArrayId, subscripts: &[&str]) -> Built<Access> {
        let known = self.builder.arrays.get(array.index());
        let Some(name) = known
            .filter(|known| known.extents.len() == subscripts.len())
            .map(|known| known.name.clone())
        else {
            return Err(self.wrong_subscripts(array, subscripts.len()));
        };
        let map = self.function(&name, subscripts)?;
        let nth = self.seen.entry(array).or_insert(0);
        let number = self.builder.stmts.len();
        let access = Access {
            array,
            map,
            nth: *nth,
            stmt: number..number + 1,
            whole: false,
        };
        *nth += 1;
        Ok(access)
    }

    fn wrong_subscripts(&self, array: ArrayId, n: usize) -> BuildError {
        let known = self.builder.arrays.get(array.index());
        BuildError::Subscripts {
            array: known.map_or_else(|| "?".to_string(), |array| array.name.clone()),
            n,
        }
    }

    /// A value that the statement can have.
    fn checked(&self, value: Expr) -> Built<Expr> {
        if depth(&value) > MAX_DEPTH {
            // To drop it takes as many levels of the stack.
            deeply(move || drop(value));
            return Err(self.cannot_have(format!("more than {MAX_DEPTH} levels of operators")));
        }
        deeply(|| self.check(&value))?;
        Ok(value)
    }

    /// Refuses what later passes take for granted.
    fn check(&self, value: &Expr) -> Built<()> {
        let mut wrong = None;
        value.visit(&mut |e| {
            let is_right = match e {
                Expr::Int { value, ty } => !ty.is_floating() && is_integer(value),
                Expr::Float { text, ty } => is_number(text, *ty),
                Expr::Read(i, ty) => self
                    .reads
                    .get(*i)
                    .is_some_and(|read| self.builder.arrays[read.array.index()].elem == *ty),
                Expr::Unary { op, .. } => matches!(*op, "-" | "!"),
                Expr::Binary { op, .. } => BINARY.contains(op),
                Expr::Call { name, args } => {
                    math_function(name).is_some_and(|f| f.n_args == args.len())
                }
                Expr::Cond { .. } | Expr::Cast { .. } => true,
                Expr::Local(i, ty) => self.locals.get(*i).is_some_and(|local| local.ty == *ty),
                Expr::Affine { .. } | Expr::Cell { .. } => false,
            };
            if !is_right && wrong.is_none() {
                wrong = Some(format!("{e:?}"));
            }
        });
        wrong.map_or(Ok(()), |part| Err(self.cannot_have(part)))
    }

    fn cannot_have(&self, part: String) -> BuildError {
        BuildError::Value {
            statement: self.name.clone(),
            part,
        }
    }
}

/// Levels of an expression, which may be too many to count by recursion.
fn depth(expr: &Expr) -> usize {
    let mut deepest = 0;
    let mut left = vec![(expr, 1)];
    while let Some((expr, level)) = left.pop() {
        deepest = deepest.max(level);
        let mut below = |e| left.push((e, level + 1));
        match expr {
            Expr::Unary { arg, .. } | Expr::Cast { arg, .. } => below(arg),
            Expr::Binary { lhs, rhs, .. } => [lhs, rhs].into_iter().for_each(|e| below(e)),
            Expr::Cond { cond, yes, no } => [cond, yes, no].into_iter().for_each(|e| below(e)),
            Expr::Call { args, .. } | Expr::Cell { args, .. } => args.iter().for_each(below),
            Expr::Int { .. }
            | Expr::Float { .. }
            | Expr::Read(..)
            | Expr::Local(..)
            | Expr::Affine { .. } => {}
        }
    }
    deepest
}

/// Operators of values.
const BINARY: [&str; 13] = [
    "+", "-", "*", "/", "%", "<", "<=", ">", ">=", "==", "!=", "&&", "||",
];

fn read_set(ctx: &Ctx, text: &str) -> Built<Set> {
    Set::read(ctx, text).map_err(|error| BuildError::Notation {
        text: text.to_string(),
        error,
    })
}

fn is_identifier(name: &str) -> bool {
    name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        && name.starts_with(|c: char| !c.is_ascii_digit())
}

/// Whether a text is a decimal literal of `int`.
fn is_integer(text: &str) -> bool {
    text.parse::<i32>()
        .is_ok_and(|n| n.to_string() == text && n >= 0)
}

/// Whether a text is a floating-point literal of C and of this type.
fn is_number(text: &str, ty: CType) -> bool {
    let digits = match ty {
        CType::Float => text.strip_suffix('f'),
        _ => Some(text).filter(|_| ty == CType::Double),
    };
    digits.is_some_and(|digits| {
        digits.starts_with(|c: char| c.is_ascii_digit())
            && digits.contains(['.', 'e'])
            && digits.parse().is_ok_and(f64::is_finite)
    })
}

/// Gives the schedules of all statements one length, as those of nests of different depth have.
fn pad_schedules(scop: &mut Scop) -> Built<()> {
    let mut lengths = Vec::new();
    for stmt in &scop.stmts {
        lengths.push(stmt.schedule.to_pw_affs()?.len());
    }
    let longest = lengths.iter().copied().max().unwrap_or(0);
    for (stmt, length) in scop.stmts.iter_mut().zip(lengths) {
        for _ in length..longest {
            let first = &stmt.schedule.to_pw_affs()?[0];
            let zero = first.sub(first)?.to_map()?;
            stmt.schedule = stmt.schedule.flat_range_product(&zero)?;
        }
    }
    Ok(())
}

impl From<f32> for Expr {
    /// A constant; [`StatementBuilder::write`] refuses what is no finite number.
    fn from(value: f32) -> Expr {
        let text = format!("{:?}f", value.abs());
        signed(text, CType::Float, value.is_sign_negative())
    }
}

impl From<f64> for Expr {
    /// A constant; [`StatementBuilder::write`] refuses what is no finite number.
    fn from(value: f64) -> Expr {
        let text = format!("{:?}", value.abs());
        signed(text, CType::Double, value.is_sign_negative())
    }
}

/// A number, which C writes as an operator and a literal if it is negative.
fn signed(text: String, ty: CType, is_negative: bool) -> Expr {
    let number = Expr::Float { text, ty };
    match is_negative {
        true => -number,
        false => number,
    }
}

impl ops::Neg for Expr {
    type Output = Expr;

    fn neg(self) -> Expr {
        Expr::Unary {
            op: "-",
            arg: Box::new(self),
        }
    }
}

fn binary(op: &'static str, lhs: Expr, rhs: Expr) -> Expr {
    Expr::Binary {
        op,
        lhs: Box::new(lhs),
        rhs: Box::new(rhs),
    }
}

impl ops::Add for Expr {
    type Output = Expr;

    fn add(self, rhs: Expr) -> Expr {
        binary("+", self, rhs)
    }
}

impl ops::Sub for Expr {
    type Output = Expr;

    fn sub(self, rhs: Expr) -> Expr {
        binary("-", self, rhs)
    }
}

impl ops::Mul for Expr {
    type Output = Expr;

    fn mul(self, rhs: Expr) -> Expr {
        binary("*", self, rhs)
    }
}

impl ops::Div for Expr {
    type Output = Expr;

    fn div(self, rhs: Expr) -> Expr {
        binary("/", self, rhs)
    }
}
