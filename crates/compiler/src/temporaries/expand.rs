//! Finds where the temporaries that a statement reads come from, and moves their values there.

use super::copies::without_copies;
use super::order::Order;
use super::reason;
use crate::diag::Result;
use crate::instances::{Between, Start, moved, through};
use crate::scop::{
    Access, ArrayId, Expr, KeptScalar, Local, Scop, Statement, are_apart, planes, schedule_of,
    writes_to,
};
use hexcc_isl::{DimType, Map, Set, UnionMap, compute_flow};
use std::cmp::Ordering;
use std::collections::HashMap;
use std::rc::Rc;

/// Statements that one may become because its temporaries have several sources.
const MAX_PIECES: usize = 128;
/// Values that the statements one becomes may have together.
const MAX_VALUES: usize = 8192;

const CARRIED: &str = "every iteration needs the value of `{}` from the one before";
const CARRIED_HELP: &str = "a sum over space cannot be time-tiled: compute it after the time loop, or leave it out of the region";
const UNASSIGNED: &str =
    "not every value of `{}` that is read here is assigned in the region before";
const UNASSIGNED_HELP: &str =
    "where `{}` is a temporary, assign it in the loop body before it is used";

/// The constants among some subscripts.
type Planes = Rc<Vec<Option<i64>>>;

/// Moves temporaries into statements.
pub struct Expander<'a> {
    scop: &'a Scop,
    order: Order,
    /// Scalars that statements write.
    scalars: &'a [ArrayId],
    /// The statements that write an array.
    writers: HashMap<ArrayId, Vec<usize>>,
    /// Where a statement's reads of a scalar get their values from, as far as known.
    sources: HashMap<(usize, ArrayId), Rc<Vec<Source>>>,
    /// Constant subscripts of a statement's write and reads.
    planes: HashMap<(usize, Option<usize>), Planes>,
    /// Instances of two statements that agree in so many dimensions of the schedule.
    beside: HashMap<(usize, usize, usize), Map>,
    /// Why scalars stay in memory.
    pub kept: Vec<KeptScalar>,
}

/// The statement that some instances of a read get their values from.
struct Source {
    writer: usize,
    /// From reading to writing instance.
    map: Map,
    /// If both agree in the schedule dimensions before this one, in which they have different
    /// constants.
    prefix: Option<usize>,
}

/// A value that a statement needs: its own, or that of a temporary.
#[derive(Clone)]
struct Value {
    stmt: usize,
    /// From instances of the statement that is expanded; `None` for its own value.
    map: Option<Map>,
    prefix: Option<usize>,
    /// The value that needed it first.
    parent: usize,
    /// The values of the temporaries that it reads.
    temporaries: HashMap<ArrayId, usize>,
}

/// Instances of a statement for which every temporary has one source.
#[derive(Clone)]
struct Piece {
    domain: Set,
    /// Whether these are not all.
    is_part: bool,
    /// The statement's own value first.
    values: Vec<Value>,
    /// Reads of temporaries that are to be looked at.
    pending: Vec<(usize, ArrayId)>,
}

/// What is in the way of moving a value, and the statement that it is.
type Obstacle = (usize, String, &'static str);

impl<'a> Expander<'a> {
    pub fn new(scop: &'a Scop, scalars: &'a [ArrayId]) -> Result<Expander<'a>> {
        let mut writers: HashMap<ArrayId, Vec<usize>> = HashMap::new();
        for (i, stmt) in scop.stmts.iter().enumerate() {
            writers.entry(stmt.write.array).or_default().push(i);
        }
        Ok(Expander {
            scop,
            order: Order::new(scop)?,
            scalars,
            writers,
            sources: HashMap::new(),
            planes: HashMap::new(),
            beside: HashMap::new(),
            kept: Vec::new(),
        })
    }

    /// The statements that a statement becomes: itself with local variables, or one for every
    /// combination of sources that its temporaries have.
    pub fn expand(&mut self, stmt: usize) -> Result<Vec<Statement>> {
        let scop = self.scop;
        let pending = self.temporaries_of(stmt);
        if pending.is_empty() {
            return Ok(vec![scop.stmts[stmt].clone()]);
        }
        let own = Value {
            stmt,
            map: None,
            prefix: None,
            parent: 0,
            temporaries: HashMap::new(),
        };
        let mut open = vec![Piece {
            domain: scop.stmts[stmt].domain.clone(),
            is_part: false,
            values: vec![own],
            pending: pending.into_iter().map(|id| (0, id)).collect(),
        }];
        let mut done: Vec<Piece> = Vec::new();
        while let Some(mut piece) = open.pop() {
            let Some((value, id)) = piece.pending.pop() else {
                done.push(piece);
                continue;
            };
            let n_values: usize = open.iter().chain(&done).map(|p| p.values.len()).sum();
            let many =
                open.len() + done.len() > MAX_PIECES || n_values + piece.values.len() > MAX_VALUES;
            let next = if many {
                let note = "the value of `{}` depends on too many conditions".to_string();
                Err((stmt, note, "compute it by fewer statements"))
            } else {
                self.step(&piece, value, id)?
            };
            match next {
                Ok(pieces) => open.extend(pieces),
                Err((at, note, help)) => {
                    self.kept.push(reason(scop, id, at, note, help));
                    let parent = &piece.values[value];
                    // The temporary stays a variable. That changes nothing for a value that is
                    // computed where it was, and may for one that has moved.
                    let changed = match &parent.map {
                        Some(map) => {
                            self.changed(stmt, parent.stmt, map, parent.prefix, &|r| r.array == id)?
                        }
                        None => None,
                    };
                    if many || changed.is_some() {
                        return Ok(vec![scop.stmts[stmt].clone()]);
                    }
                    open.push(piece);
                }
            }
        }
        done.reverse();
        let mut built = Vec::new();
        for (n, piece) in done.iter().enumerate() {
            built.push(self.build(stmt, piece, n)?);
        }
        Ok(built)
    }

    /// The scalars that a statement reads and that statements write; the last one first.
    fn temporaries_of(&self, stmt: usize) -> Vec<ArrayId> {
        let mut found = Vec::new();
        for read in self.scop.stmts[stmt].reads.iter().rev() {
            if self.scalars.contains(&read.array) && !found.contains(&read.array) {
                found.push(read.array);
            }
        }
        found
    }

    /// The pieces of a piece in which the source of one more temporary is known.
    fn step(
        &mut self,
        piece: &Piece,
        value: usize,
        id: ArrayId,
    ) -> Result<std::result::Result<Vec<Piece>, Obstacle>> {
        let reader = &piece.values[value];
        let stmt = piece.values[0].stmt;
        let sources = match self.sources(reader.stmt, id)? {
            Ok(sources) => sources,
            Err(obstacle) => return Ok(Err(obstacle)),
        };
        let mut pieces = Vec::new();
        for source in sources.iter() {
            let mut map = match &reader.map {
                Some(map) => map.apply_range(&source.map)?,
                None => source.map.clone(),
            };
            let prefix = match (&reader.map, reader.prefix, source.prefix) {
                (None, _, prefix) => prefix,
                (Some(_), Some(a), Some(b)) => Some(a.min(b)),
                _ => None,
            };
            let mut next = piece.clone();
            if sources.len() > 1 {
                let domain = piece.domain.intersect(&map.domain()?)?.coalesce()?;
                if domain.is_empty()? {
                    continue;
                }
                next.is_part |= !piece.domain.is_subset(&domain)?;
                next.domain = domain;
                map = map.intersect_domain(&next.domain)?;
            }
            if self.is_within(piece, value, source.writer) {
                return Ok(Err((source.writer, CARRIED.to_string(), CARRIED_HELP)));
            }
            let is_array = |r: &Access| !self.scalars.contains(&r.array);
            if let Some(by) = self.changed(stmt, source.writer, &map, prefix, &is_array)? {
                let note = "overwrites what `{}` was computed from before it is used".to_string();
                return Ok(Err((by, note, "write to a second array or time plane")));
            }
            self.add(&mut next, (value, id), source.writer, map, prefix)?;
            pieces.push(next);
        }
        Ok(Ok(pieces))
    }

    /// Whether a statement computes a value or one of those that need it.
    fn is_within(&self, piece: &Piece, mut value: usize, stmt: usize) -> bool {
        loop {
            if piece.values[value].stmt == stmt {
                return true;
            }
            if value == 0 {
                return false;
            }
            value = piece.values[value].parent;
        }
    }

    /// Notes that a value reads a temporary that an instance of `writer` has computed.
    fn add(
        &self,
        piece: &mut Piece,
        (value, id): (usize, ArrayId),
        writer: usize,
        map: Map,
        prefix: Option<usize>,
    ) -> Result<()> {
        for (i, known) in piece.values.iter().enumerate().skip(1) {
            let Some(of_known) = known.map.as_ref().filter(|_| known.stmt == writer) else {
                continue;
            };
            let within = |map: &Map| map.intersect_domain(&piece.domain);
            if of_known.plain_is_equal(&map)? || within(of_known)?.is_equal(&within(&map)?)? {
                piece.values[value].temporaries.insert(id, i);
                return Ok(());
            }
        }
        let new = piece.values.len();
        piece.values[value].temporaries.insert(id, new);
        piece.values.push(Value {
            stmt: writer,
            map: Some(map),
            prefix,
            parent: value,
            temporaries: HashMap::new(),
        });
        (piece.pending).extend(self.temporaries_of(writer).into_iter().map(|id| (new, id)));
        Ok(())
    }

    /// Where a statement's read of a scalar gets its value from, for all of its instances.
    fn sources(
        &mut self,
        reader: usize,
        id: ArrayId,
    ) -> Result<std::result::Result<Rc<Vec<Source>>, Obstacle>> {
        if let Some(known) = self.sources.get(&(reader, id)) {
            return Ok(Ok(known.clone()));
        }
        let found = match self.last_in_body(reader, id)? {
            Some(source) => vec![source],
            None => match self.by_dataflow(reader, id)? {
                Some(sources) => sources,
                None => {
                    let (note, help) = if self.scop.stmts[reader].write.array == id {
                        (CARRIED, CARRIED_HELP)
                    } else {
                        (UNASSIGNED, UNASSIGNED_HELP)
                    };
                    return Ok(Err((reader, note.to_string(), help)));
                }
            },
        };
        let found = Rc::new(found);
        self.sources.insert((reader, id), found.clone());
        Ok(Ok(found))
    }

    /// The source if it is the last write before in the same loop body, for all instances.
    fn last_in_body(&self, reader: usize, id: ArrayId) -> Result<Option<Source>> {
        let writers = &self.writers[&id];
        let mut last: Option<(usize, usize)> = None;
        for &writer in writers.iter().filter(|w| **w != reader) {
            let Some((p, Ordering::Less)) = self.order.first_difference(writer, reader) else {
                continue;
            };
            let is_later = match last {
                Some((best, q)) if p == q => matches!(
                    self.order.first_difference(best, writer),
                    Some((_, Ordering::Less))
                ),
                Some((_, q)) => p > q,
                None => true,
            };
            if is_later {
                last = Some((writer, p));
            }
        }
        let Some((writer, p)) = last else {
            return Ok(None);
        };
        let is_hidden =
            |other: &usize| *other == writer || self.order.is_outside(*other, (writer, reader), p);
        if !writers.iter().all(is_hidden) {
            return Ok(None);
        }
        let map = self.order.same_prefix(self.scop, reader, writer, p)?;
        // With one instance of the writer for these iterators, it is the last one, too.
        let is_total = self.scop.stmts[reader].domain.is_subset(&map.domain()?)?;
        Ok((is_total && map.is_single_valued()?).then_some(Source {
            writer,
            map,
            prefix: Some(p),
        }))
    }

    /// The sources as isl's dataflow analysis finds them; `None` where there is not exactly one
    /// for every instance.
    fn by_dataflow(&self, reader: usize, id: ArrayId) -> Result<Option<Vec<Source>>> {
        let scop = self.scop;
        let stmt = &scop.stmts[reader];
        let Some(read) = stmt.reads.iter().find(|r| r.array == id) else {
            return Ok(None);
        };
        let involved = self.writers[&id].iter().chain([&reader]);
        let mut involved: Vec<usize> = involved.copied().collect();
        involved.sort_unstable();
        involved.dedup();
        let involved: Vec<&Statement> = involved.iter().map(|&i| &scop.stmts[i]).collect();
        let flow = compute_flow(
            &UnionMap::from_map(&read.map)?,
            &writes_to(&scop.ctx, id, involved.iter().copied())?,
            &UnionMap::empty(&scop.ctx)?,
            &schedule_of(&scop.ctx, involved.iter().copied())?,
        )?;
        let mut without = stmt.domain.clone();
        let mut sources = Vec::new();
        for map in flow.must.maps()? {
            let map = map.reverse()?.coalesce()?;
            let name = map.tuple_name(DimType::Out)?;
            let writer = (scop.stmts.iter()).position(|s| Some(&s.name) == name.as_ref());
            let Some(writer) = writer else {
                return Ok(None);
            };
            if !map.is_single_valued()? {
                return Ok(None);
            }
            without = without.subtract(&map.domain()?)?;
            let prefix = match self.order.first_difference(writer, reader) {
                Some((p, Ordering::Less))
                    if map.is_subset(&self.order.same_prefix(scop, reader, writer, p)?)? =>
                {
                    Some(p)
                }
                _ => None,
            };
            sources.push(Source {
                writer,
                map,
                prefix,
            });
        }
        // isl gives them in any order.
        sources.sort_by_key(|s| s.writer);
        Ok(without.is_empty()?.then_some(sources))
    }

    /// The statement that overwrites one of the elements that an instance of `writer` reads, as
    /// far as `concerns` says, between there and the instance of `reader` that it is moved to.
    fn changed(
        &mut self,
        reader: usize,
        writer: usize,
        map: &Map,
        prefix: Option<usize>,
        concerns: &dyn Fn(&Access) -> bool,
    ) -> Result<Option<usize>> {
        let scop = self.scop;
        for (r, read) in scop.stmts[writer].reads.iter().enumerate() {
            let Some(others) = self.writers.get(&read.array).filter(|_| concerns(read)) else {
                continue;
            };
            let mut element = None;
            for other in others.clone() {
                if prefix.is_some_and(|p| self.order.is_outside(other, (writer, reader), p)) {
                    continue;
                }
                let (a, b) = (self.planes(writer, Some(r))?, self.planes(other, None)?);
                if are_apart(&a, &b) {
                    continue;
                }
                let element = match &element {
                    Some(element) => element,
                    None => element.insert(map.apply_range(&read.map)?),
                };
                let writing = scop.stmts[other].write.map.reverse()?;
                let mut same_element = element.apply_range(&writing)?;
                if let Some(p) = prefix {
                    // What is between both agrees with them in what they have in common.
                    same_element = same_element.intersect(&self.beside(reader, other, p)?)?;
                }
                if !same_element.is_empty()?
                    && self.is_between((reader, writer), map, other, &same_element)?
                {
                    return Ok(Some(other));
                }
            }
        }
        Ok(None)
    }

    /// Whether an instance of `other`, among the `pairs` of one of `reader` and one of `other`,
    /// executes between that of `writer` and that of `reader`.
    fn is_between(
        &self,
        (reader, writer): (usize, usize),
        map: &Map,
        other: usize,
        pairs: &Map,
    ) -> Result<bool> {
        let stmts = &self.scop.stmts;
        let since = map.apply_range(&stmts[writer].schedule)?;
        Between::of((&stmts[reader], &since), &stmts[other], Start::Then)?.has(pairs)
    }

    /// From instances of `reader` to those of `other` that agree in the first `p` dimensions.
    fn beside(&mut self, reader: usize, other: usize, p: usize) -> Result<Map> {
        let key = (reader, other, p);
        if let Some(known) = self.beside.get(&key) {
            return Ok(known.clone());
        }
        let map = self.order.same_prefix(self.scop, reader, other, p)?;
        self.beside.insert(key, map.clone());
        Ok(map)
    }

    /// The subscripts of a statement's write or of one of its reads that are constants.
    fn planes(&mut self, stmt: usize, read: Option<usize>) -> Result<Planes> {
        if let Some(known) = self.planes.get(&(stmt, read)) {
            return Ok(known.clone());
        }
        let s = &self.scop.stmts[stmt];
        let access = read.map_or(&s.write, |r| &s.reads[r]);
        let constants = Rc::new(planes(&access.map)?);
        self.planes.insert((stmt, read), constants.clone());
        Ok(constants)
    }

    /// The statement with the temporaries of one piece as local variables.
    fn build(&self, stmt: usize, piece: &Piece, n: usize) -> Result<Statement> {
        let old = &self.scop.stmts[stmt];
        let (name, instances) = if piece.is_part {
            let name = format!("{}_{n}", old.name);
            let instances = piece.domain.identity()?;
            let instances = instances.set_tuple_name(DimType::In, &name)?;
            (name, Some(instances))
        } else {
            (old.name.clone(), None)
        };
        let mut order = Vec::new();
        sort_values(&piece.values, 0, &mut order);
        let mut new = match &instances {
            Some(instances) => through(old, instances, &name)?,
            None => old.clone(),
        };
        new.reads.clear();
        new.locals.clear();
        // The statement's own reads come first.
        let own = self.add_reads(&mut new, &piece.values[0], instances.as_ref())?;
        let mut locals: HashMap<usize, usize> = HashMap::new();
        for &v in order.iter().filter(|v| **v != 0) {
            let value = &piece.values[v];
            let map = match (&value.map, &instances) {
                (Some(map), Some(instances)) => Some(instances.apply_range(map)?),
                (map, _) => map.clone(),
            };
            let reads = self.add_reads(&mut new, value, map.as_ref())?;
            let source = &self.scop.stmts[value.stmt];
            let array = self.scop.array(source.write.array);
            let local = Local {
                name: array.name.clone(),
                ty: array.elem,
                value: self.retarget(value, map.as_ref(), &reads, &locals)?,
            };
            locals.insert(v, new.locals.len());
            new.locals.push(local);
        }
        new.value = self.retarget(&piece.values[0], instances.as_ref(), &own, &locals)?;
        Ok(without_copies(self.scop, new))
    }

    /// Adds the reads of a value that stay reads; gives their new places.
    fn add_reads(
        &self,
        new: &mut Statement,
        value: &Value,
        map: Option<&Map>,
    ) -> Result<Vec<usize>> {
        let mut places = Vec::new();
        for read in &self.scop.stmts[value.stmt].reads {
            places.push(new.reads.len());
            if value.temporaries.contains_key(&read.array) {
                continue;
            }
            let map = match map {
                Some(map) => map.apply_range(&read.map)?.intersect_domain(&new.domain)?,
                None => read.map.clone(),
            };
            new.reads.push(Access {
                map,
                ..read.clone()
            });
        }
        Ok(places)
    }

    /// The expression of a value in its new place.
    fn retarget(
        &self,
        value: &Value,
        map: Option<&Map>,
        reads: &[usize],
        locals: &HashMap<usize, usize>,
    ) -> Result<Expr> {
        let stmt = &self.scop.stmts[value.stmt];
        moved(&stmt.value, map, &|e| match e {
            Expr::Read(i, ty) => {
                let temporary = value.temporaries.get(&stmt.reads[*i].array);
                Some(match temporary.and_then(|v| locals.get(v)) {
                    Some(local) => Expr::Local(*local, *ty),
                    None => Expr::Read(reads[*i], *ty),
                })
            }
            _ => None,
        })
    }
}

/// Lists a value after those that it needs.
fn sort_values(values: &[Value], value: usize, sorted: &mut Vec<usize>) {
    let stmt_reads: &HashMap<ArrayId, usize> = &values[value].temporaries;
    let mut needed: Vec<(&ArrayId, &usize)> = stmt_reads.iter().collect();
    needed.sort();
    for (_, &needed) in needed {
        if !sorted.contains(&needed) {
            sort_values(values, needed, sorted);
        }
    }
    sorted.push(value);
}
