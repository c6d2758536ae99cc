//! Copies of whole arrays, as loops over their cells.
//!
//! In: `memcpy(u, v, sizeof u);` in the body of a time loop, and the same with `memmove` and with `memset` to zero. Out: a
//! nest of loops with `u[i][j] = v[i][j];`. Where rows of flat arrays have a length, as subscripts `i * m + j`
//! in the loop tell, the nest has a loop over rows. Of lengths that are multiplied, none is negative.

use super::numbers;
use super::strides::Strides;
use super::tree::{self, Namer, Path};
use super::walk;
use hexcc_clang::ast::{
    BinaryOp, Builtin, Callee, DeclId, DeclKind, Expr, ExprKind, FunctionId, Item, Length, Span,
    Stmt, StmtKind, TypeId, TypeKind, UnaryOp, Unit,
};

/// Makes loops of the copies in a time loop; whether there are any.
pub(super) fn copies(
    unit: &mut Unit,
    namer: &mut Namer,
    function: FunctionId,
    (head, body): (&Stmt, &mut [Stmt]),
) -> bool {
    Copies::new((unit, namer), function, (head, body)).in_statements(body)
}

/// Where copies are replaced.
pub(super) struct Copies<'a> {
    pub unit: &'a mut Unit,
    pub namer: &'a mut Namer,
    pub function: FunctionId,
    int: TypeId,
    long: TypeId,
    /// The statements of the time loop.
    pub all: Vec<Stmt>,
}

/// Cells that stand one behind the other.
struct Place {
    /// The array or pointer.
    base: Expr,
    /// How many elements of it stand before them.
    offset: Option<Expr>,
    /// What a cell is.
    cell: Builtin,
    cell_size: i128,
    /// How many elements it has, where its type tells.
    outer: Option<Expr>,
    /// The lengths of the arrays that its elements are, from the outside.
    inner: Vec<Expr>,
}

/// The number of bytes of a copy, as a product.
#[derive(Default)]
pub(super) struct Bytes {
    pub constants: Vec<i128>,
    pub factors: Vec<Expr>,
    /// Whether variables are multiplied in 64 bits.
    pub is_wide: bool,
}

/// What is copied; without a place, zeros.
type Source = Option<Place>;

impl<'a> Copies<'a> {
    /// For the time loop of a function.
    pub fn new(
        (unit, namer): (&'a mut Unit, &'a mut Namer),
        function: FunctionId,
        (head, body): (&Stmt, &[Stmt]),
    ) -> Copies<'a> {
        Copies {
            function,
            int: tree::whole(unit, Builtin::Int, 4),
            long: tree::whole(unit, Builtin::Long, 8),
            all: std::iter::once(head).chain(body).cloned().collect(),
            unit,
            namer,
        }
    }

    /// Makes loops of copies in statements; whether there are any.
    fn in_statements(&mut self, body: &mut [Stmt]) -> bool {
        let each = body.iter_mut();
        each.fold(false, |any, stmt| self.in_statement(stmt) | any)
    }

    /// The same in a statement; of loops, in those that do nothing else.
    fn in_statement(&mut self, stmt: &mut Stmt) -> bool {
        match &mut stmt.kind {
            StmtKind::Expr(expr) => {
                let nest = self.nest(expr);
                let found = nest.is_some();
                if let Some(nest) = nest {
                    *stmt = nest;
                }
                found
            }
            StmtKind::For { body, .. } if !self.is_copy(body) => false,
            StmtKind::Compound(_) | StmtKind::If { .. } | StmtKind::For { .. } => {
                let inner = walk::inner_mut(stmt).into_iter();
                inner.fold(false, |any, stmt| self.in_statement(stmt) | any)
            }
            _ => false,
        }
    }

    /// Whether a statement is a copy, or several.
    fn is_copy(&self, stmt: &Stmt) -> bool {
        match &stmt.kind {
            StmtKind::Compound(all) => all.iter().all(|stmt| self.is_copy(stmt)),
            StmtKind::Expr(expr) => self.call(expr).is_some(),
            _ => false,
        }
    }

    /// The name and the arguments of a call that copies.
    fn call<'e>(&self, expr: &'e Expr) -> Option<(&'static str, &'e [Expr; 3])> {
        let ExprKind::Call(Callee::Function(function), given) = &bare(expr).kind else {
            return None;
        };
        let is_named = |name: &&str| self.unit[*function].name == *name;
        let known = super::scalars::COPIES.into_iter().find(is_named)?;
        let given = given.as_slice().try_into().ok()?;
        super::scalars::is_of_system(self.unit, *function).then_some((known, given))
    }

    /// The loops of a call that copies.
    fn nest(&mut self, expr: &Expr) -> Option<Stmt> {
        let (name, [to, from, bytes]) = self.call(expr)?;
        let (to, from) = match name {
            "memset" => {
                let is_zero = numbers::value(self.unit, from) == Some(0);
                let to = is_zero.then(|| self.places(to))?.into_iter();
                (to.collect::<Vec<_>>(), None)
            }
            _ => (self.places(to), Some(self.places(from))),
        };
        let sizes: Vec<Bytes> = self.sizes(bytes).collect();
        let mut froms = from;
        for to in to {
            let from = match &mut froms {
                None => None,
                Some(all) => match all.iter().position(|from| self.are_alike(&to, from)) {
                    None => continue,
                    Some(at) => Some(all.swap_remove(at)),
                },
            };
            if name == "memmove" && !self.are_apart(&to, &from) {
                return None;
            }
            let loops = |size: &Bytes| Some((self.loops(&to, &from, size)?, size.is_wide));
            if let Some((bounds, is_wide)) = sizes.iter().find_map(loops) {
                return Some(self.assigned(&to, &from, bounds, is_wide));
            }
        }
        None
    }

    /// What an address may be meant to be of, the nearest first.
    fn places(&self, address: &Expr) -> Vec<Place> {
        let address = bare(address);
        let is_array = |e: &Expr| {
            let kind = &self.unit.canonical(tree::plain(e).ty).kind;
            matches!(kind, TypeKind::Array { .. })
        };
        let (base, offset) = match &address.kind {
            ExprKind::Unary(UnaryOp::AddressOf, of) => match &tree::plain(of).kind {
                ExprKind::Index(base, at) => {
                    (base, (!tree::is_number(at, 0)).then(|| (**at).clone()))
                }
                _ if is_array(of) => (of, None),
                _ => return Vec::new(),
            },
            ExprKind::Binary(BinaryOp::Add, base, by) if tree::is_pointer(self.unit, base.ty) => {
                (base, Some((**by).clone()))
            }
            _ => (&Box::new(address.clone()), None),
        };
        let mut found: Vec<Place> = self.place(base, offset.clone()).into_iter().collect();
        let mut base: &Expr = base;
        // `&u[0][0]` is where `u` begins.
        while let (None, ExprKind::Index(outer, at)) = (&offset, &tree::plain(base).kind)
            && tree::is_number(at, 0)
            && is_array(base)
        {
            found.extend(self.place(outer, None));
            base = outer;
        }
        found
    }

    /// Cells of an array or behind a pointer, where these are numbers.
    fn place(&self, base: &Expr, offset: Option<Expr>) -> Option<Place> {
        let unit = &*self.unit;
        let base = tree::plain(base);
        let (whole, extents) = match base.kind {
            ExprKind::Var(id) => (unit[id].ty, self.lengths(id)?),
            _ => (base.ty, Vec::new()),
        };
        let (ty, mut lengths) = self.shape(whole, extents)?;
        let TypeKind::Builtin(cell) = unit.canonical(ty).kind else {
            return None;
        };
        let is_number =
            numbers::range(unit, ty).is_some() || matches!(cell, Builtin::Float | Builtin::Double);
        let is_volatile = tree::is_somewhere(unit, whole, |ty| ty.is_volatile);
        let outer = lengths.remove(0);
        let place = Place {
            base: base.clone(),
            cell,
            cell_size: i128::from(unit.canonical(ty).size?),
            outer,
            inner: lengths.into_iter().collect::<Option<_>>()?,
            offset,
        };
        let stands = self.stands(cell, base)
            && (place.offset.as_ref()).is_none_or(|at| self.is_number(cell, at));
        (is_number && !is_volatile && stands).then_some(place)
    }

    /// What an array or pointer leads to, and the lengths up to there, of which the first may be unknown.
    fn shape(&self, ty: TypeId, extents: Vec<Expr>) -> Option<(TypeId, Vec<Option<Expr>>)> {
        let (mut ty, mut extents) = (ty, extents.into_iter());
        let mut lengths = Vec::new();
        loop {
            let (element, length) = match self.unit.canonical(ty).kind {
                TypeKind::Pointer(to) if lengths.is_empty() => (to, None),
                TypeKind::Array { element, length } => match length {
                    Length::Constant(n) => (element, Some(self.number(i128::from(n)))),
                    Length::Variable => (element, Some(extents.next()?)),
                    Length::Unknown => (element, None),
                },
                _ => return (!lengths.is_empty()).then_some((ty, lengths)),
            };
            lengths.push(length);
            ty = element;
        }
    }

    /// The lengths of the variable arrays in a variable's type, where these have still the same values.
    fn lengths(&self, id: DeclId) -> Option<Vec<Expr>> {
        let (decl, mut all) = (&self.unit[id], self.all.iter());
        let is_inner = all.any(|stmt| walk::all_declared(stmt).contains(&id));
        let is_same = |path: &Path| {
            let from = decl.span.start;
            self.stays(path)
                && (is_inner || numbers::is_settled(self.unit, self.function, path.root, from))
                && path.fields.is_empty()
        };
        let paths = decl.extents.iter().map(|e| numbers::paths(self.unit, e));
        let paths: Vec<Path> = paths.collect::<Option<Vec<_>>>()?.concat();
        paths.iter().all(is_same).then(|| decl.extents.clone())
    }

    pub fn number(&self, n: i128) -> Expr {
        Expr {
            ty: self.int,
            span: self.unit[self.function].span,
            kind: ExprKind::Int(n),
        }
    }

    pub fn is_value(&self, expr: &Expr) -> bool {
        numbers::value(self.unit, expr).is_some()
    }

    fn stays(&self, path: &Path) -> bool {
        numbers::stays(self.unit, self.all.iter(), path)
    }

    /// Whether stores to cells leave an address as it is.
    fn stands(&self, cell: Builtin, base: &Expr) -> bool {
        match &tree::plain(base).kind {
            ExprKind::Index(base, at) => self.stands(cell, base) && self.is_number(cell, at),
            _ => {
                let path = Path::of(self.unit, base);
                path.is_some_and(|path| path.fields.is_empty() || !is_char(cell))
            }
        }
    }

    /// Whether an expression is a whole number that stores to cells leave as it is.
    pub fn is_number(&self, cell: Builtin, expr: &Expr) -> bool {
        let is_float = matches!(cell, Builtin::Float | Builtin::Double);
        let is_own = |path: &Path| path.fields.is_empty() && !path.through_pointer;
        numbers::paths(self.unit, expr).is_some_and(|all| is_float || all.iter().all(is_own))
    }

    /// Whether two places have the same cells in the same rows.
    fn are_alike(&self, a: &Place, b: &Place) -> bool {
        let mut rows = a.inner.iter().zip(&b.inner);
        a.cell == b.cell
            && a.inner.len() == b.inner.len()
            && rows.all(|(a, b)| numbers::same(self.unit, a, b))
    }

    /// Whether two places are declared arrays, and not the same one.
    fn are_apart(&self, to: &Place, from: &Source) -> bool {
        let Some(from) = from else {
            return false;
        };
        let array = |place: &Place| match place.base.kind {
            ExprKind::Var(id) => {
                let is_array = matches!(
                    self.unit.canonical(self.unit[id].ty).kind,
                    TypeKind::Array { .. }
                );
                (is_array && self.unit[id].kind == DeclKind::Variable).then_some(id)
            }
            _ => None,
        };
        array(to).is_some() && array(from).is_some() && array(to) != array(from)
    }

    /// The products that a number may be meant as: of variables, as they are written and as what they have.
    pub fn sizes(&self, expr: &Expr) -> impl Iterator<Item = Bytes> {
        let all = [u32::MAX, 0, 1].into_iter();
        all.filter_map(|through| {
            let mut size = Bytes::default();
            self.factors(expr, through, &mut size).map(|()| size)
        })
    }

    /// The factors of a number of bytes; `through` variables that keep their values, so many times.
    fn factors(&self, expr: &Expr, through: u32, bytes: &mut Bytes) -> Option<()> {
        let unit = &*self.unit;
        let expr = numbers::unwidened(unit, expr);
        match &expr.kind {
            ExprKind::Binary(BinaryOp::Mul, a, b) => {
                // What is computed in 32 bits without a sign may wrap around.
                let is_narrow = matches!(
                    unit.canonical(expr.ty).kind,
                    TypeKind::Builtin(Builtin::UInt)
                );
                let is_constant = |e: &Expr| numbers::value(unit, e).is_some();
                if is_narrow && !is_constant(expr) {
                    return None;
                }
                bytes.is_wide |= !is_constant(a)
                    && !is_constant(b)
                    && unit.canonical(expr.ty).size.is_some_and(|size| size > 4);
                self.factors(a, through, bytes)?;
                self.factors(b, through, bytes)?;
            }
            ExprKind::SizeOfExpr(of) => {
                let (place, outer) = match &tree::plain(of).kind {
                    ExprKind::Unary(UnaryOp::Deref, rows) | ExprKind::Index(rows, _) => {
                        (self.place(rows, None)?, None)
                    }
                    _ => {
                        let place = self.place(of, None)?;
                        let outer = Some(place.outer.clone()?);
                        (place, outer)
                    }
                };
                bytes.constants.push(place.cell_size);
                for length in outer.iter().chain(&place.inner) {
                    self.factors(length, through, bytes)?;
                }
            }
            ExprKind::SizeOfArray { element, lengths } => {
                bytes.constants.push(unit.canonical(*element).size?.into());
                for length in lengths {
                    self.factors(length, through, bytes)?;
                }
            }
            ExprKind::Var(id) if through > 0 && self.is_product(*id) => {
                self.factors(unit[*id].init.as_ref()?, through - 1, bytes)?;
            }
            _ => match numbers::value(unit, expr) {
                Some(n) if n > 0 => bytes.constants.push(n),
                Some(_) => return None,
                None => {
                    numbers::paths(unit, expr)?;
                    bytes.factors.push(expr.clone());
                }
            },
        }
        Some(())
    }

    /// Whether a variable is a product that is still the same where the loop stands.
    fn is_product(&self, id: DeclId) -> bool {
        let decl = &self.unit[id];
        let Some(init) = &decl.init else {
            return false;
        };
        let mut product = Bytes::default();
        let is_product = matches!(
            numbers::unwidened(self.unit, init).kind,
            ExprKind::Binary(BinaryOp::Mul, ..)
        );
        if !is_product || self.factors(init, 0, &mut product).is_none() {
            return false;
        }
        let settled = |id: DeclId, from: u32| {
            numbers::is_settled(self.unit, self.function, id, from)
                && self.stays(&Path {
                    root: id,
                    through_pointer: false,
                    fields: Vec::new(),
                })
        };
        let paths = product.factors.iter();
        let paths = paths.filter_map(|e| numbers::paths(self.unit, e));
        numbers::range(self.unit, decl.ty).is_some()
            && settled(id, 0)
            && paths.flatten().all(|path| {
                path.fields.is_empty()
                    && !path.through_pointer
                    && settled(path.root, decl.span.start)
            })
    }

    /// The bounds of the loops over the cells, from the outside; `None` where these are not whole rows.
    fn loops(&self, to: &Place, from: &Source, bytes: &Bytes) -> Option<Vec<Vec<Expr>>> {
        let mut factors = bytes.factors.clone();
        if !factors.iter().all(|e| self.is_number(to.cell, e)) || !self.fits(to, bytes) {
            return None;
        }
        if to.inner.is_empty() {
            factors.extend(self.counts(to, &bytes.constants)?);
            let roots = self.roots(to, from);
            let extents = Strides::of(self.unit, &self.all, &roots).extents(&factors);
            // Products of variables are no bounds of loops that tiles are made of.
            let is_product =
                |bound: &[Expr]| bound.iter().filter(|e| !self.is_value(e)).count() > 1;
            return (!extents.iter().any(|bound| is_product(bound))).then_some(extents);
        }
        let mut rest: i128 = bytes.constants.iter().product();
        let mut row = to.cell_size;
        for length in &to.inner {
            match numbers::value(self.unit, length) {
                Some(n) => row *= n,
                None => {
                    let is_it = |e: &Expr| numbers::same(self.unit, e, length);
                    factors.remove(factors.iter().position(is_it)?);
                }
            }
        }
        if row == 0 || rest % row != 0 {
            return None;
        }
        rest /= row;
        if rest != 1 || factors.is_empty() {
            factors.push(self.number(rest));
        }
        let inner = to.inner.iter().map(|length| vec![length.clone()]);
        Some(std::iter::once(factors).chain(inner).collect())
    }

    /// Whether bytes are no more than a declared array has, as far as that is known; rows are known to hold constants only.
    fn fits(&self, place: &Place, bytes: &Bytes) -> bool {
        let Some(outer) = &place.outer else {
            return true;
        };
        let is_row = matches!(place.base.kind, ExprKind::Index(..));
        let lengths = std::iter::once(outer).chain(&place.inner);
        let lengths = lengths.map(|length| numbers::value(self.unit, length));
        match lengths.product::<Option<i128>>() {
            Some(all) if bytes.factors.is_empty() => {
                bytes.constants.iter().product::<i128>() <= all * place.cell_size
            }
            _ => !is_row,
        }
    }

    /// Constant numbers of cells, given those of bytes.
    fn counts(&self, place: &Place, constants: &[i128]) -> Option<Vec<Expr>> {
        let mut counts = constants.to_vec();
        match counts.iter().position(|n| *n == place.cell_size) {
            Some(at) => drop(counts.remove(at)),
            None => {
                let all: i128 = counts.iter().product();
                if all % place.cell_size != 0 {
                    return None;
                }
                counts = vec![all / place.cell_size];
            }
        }
        counts.retain(|n| *n != 1);
        Some(counts.iter().map(|n| self.number(*n)).collect())
    }

    fn roots(&self, to: &Place, from: &Source) -> Vec<DeclId> {
        let from = from.as_ref().map(|place| &place.base);
        let bases = std::iter::once(&to.base).chain(from);
        let paths = bases.filter_map(|base| Path::of(self.unit, base));
        paths.map(|path| path.root).collect()
    }

    /// The loops with their assignment.
    fn assigned(
        &mut self,
        to: &Place,
        from: &Source,
        bounds: Vec<Vec<Expr>>,
        is_wide: bool,
    ) -> Stmt {
        let span = to.base.span;
        let one = self.number(1);
        let bounds: Vec<Expr> = (bounds.into_iter())
            .map(|factors| {
                self.product(factors, is_wide)
                    .unwrap_or_else(|| one.clone())
            })
            .collect();
        let iterators = self.iterators(&["cell"], &bounds, span);
        let subscripts = self.subscripts(&iterators, span);
        let source = match from {
            None => tree::int(&one, 0),
            Some(place) => cell(place, &subscripts, &bounds),
        };
        let store = tree::assign(cell(to, &subscripts, &bounds), source);
        nest(
            self.unit,
            iterators.into_iter().zip(bounds).collect(),
            store,
        )
    }

    /// Variables that loops with these bounds count with from 0, which are called so in turn.
    pub fn iterators(&mut self, names: &[&str], bounds: &[Expr], span: Span) -> Vec<DeclId> {
        let zero = self.number(0);
        (bounds.iter().zip(names.iter().cycle()))
            .map(|(bound, name)| {
                let name = self.namer.fresh(name);
                tree::variable(self.unit, name, bound.ty, Some(zero.clone()), span)
            })
            .collect()
    }

    pub fn subscripts(&self, iterators: &[DeclId], span: Span) -> Vec<Expr> {
        let all = iterators.iter();
        all.map(|id| tree::var(self.unit, *id, span)).collect()
    }

    /// A product, with the type of a loop that runs as often; `None` without factors.
    pub fn product(&mut self, factors: Vec<Expr>, is_wide: bool) -> Option<Expr> {
        let int = self.int;
        let least = if is_wide && !factors.iter().all(|e| self.is_value(e)) {
            self.long
        } else {
            int
        };
        let end = |unit: &Unit, ty: TypeId| numbers::range(unit, ty).map_or(0, |all| *all.end());
        let types = factors.iter().map(|e| match numbers::value(self.unit, e) {
            Some(n) if n <= end(self.unit, int) => int,
            _ => e.ty,
        });
        let widest = types.chain([least]).max_by_key(|ty| end(self.unit, *ty))?;
        let ty = tree::unqualified(self.unit, widest);
        let factors = factors.into_iter().map(|e| match e.kind {
            ExprKind::Int(_) => Expr { ty, ..e },
            _ => e,
        });
        let product = factors.reduce(|a, b| tree::binary(BinaryOp::Mul, a, b))?;
        Some(Expr { ty, ..product })
    }
}

/// Loops around a statement, from the outside, each with the number of its iterations.
pub(super) fn nest(unit: &Unit, loops: Vec<(DeclId, Expr)>, body: Stmt) -> Stmt {
    let span = body.span;
    loops.into_iter().rev().fold(body, |body, (id, bound)| {
        let iterator = tree::var(unit, id, span);
        let init = tree::stmt(span, StmtKind::Decl(vec![Item::Decl(id)]));
        let kind = StmtKind::For {
            init: Some(Box::new(init)),
            cond: Some(tree::binary(BinaryOp::Less, iterator, bound)),
            step: Some(tree::incremented(unit, id, span)),
            body: Box::new(body),
        };
        tree::stmt(span, kind)
    })
}

/// The number of a cell in rows of some lengths, given its subscripts; all from the outside.
pub(super) fn flat(subscripts: &[Expr], bounds: &[Expr]) -> Option<Expr> {
    let lengths = bounds.iter().skip(1).cloned();
    let (first, rest) = subscripts.split_first()?;
    let rest = rest.iter().cloned().zip(lengths);
    Some(rest.fold(first.clone(), |at, (subscript, length)| {
        let row = tree::binary(BinaryOp::Mul, at, length);
        tree::binary(BinaryOp::Add, row, subscript)
    }))
}

/// One of the cells of a place.
fn cell(place: &Place, subscripts: &[Expr], bounds: &[Expr]) -> Expr {
    let index = |base: Expr, at: Expr| Expr {
        ty: base.ty,
        span: base.span,
        kind: ExprKind::Index(Box::new(base), Box::new(at)),
    };
    let moved = |at: Expr| match &place.offset {
        Some(offset) => tree::binary(BinaryOp::Add, offset.clone(), at),
        None => at,
    };
    if place.inner.is_empty() {
        return flat(subscripts, bounds).map_or(place.base.clone(), |at| {
            index(place.base.clone(), moved(at))
        });
    }
    let mut rows = subscripts.iter().cloned();
    let first = rows.next().map(moved);
    first
        .into_iter()
        .chain(rows)
        .fold(place.base.clone(), index)
}

fn is_char(cell: Builtin) -> bool {
    matches!(cell, Builtin::Char | Builtin::SChar | Builtin::UChar)
}

/// An expression without conversions of pointers and to nothing.
fn bare(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Cast { value, extents, .. } if extents.is_empty() => bare(value),
        _ => expr,
    }
}
