//! Arrays whose declaration does not bound an inner subscript: rows that are reached through
//! pointers, and what is no array of the polyhedral model.

use super::guards::guards;
use super::{Access, Array, ArrayId, Reader, Scop, SourceFile, Statement};
use crate::csource;
use crate::diag::{Diagnostic, Result};
use hexcc_isl::{Bound, Ctx, DimType, Map, Set};
use hexcc_pet::data::PetArray;
use std::collections::BTreeMap;

/// Pointers that follow each other, at most; generated code counts on it.
pub(super) const MOST_POINTERS: usize = 3;

/// How many subscripts behind the first one of an array have no bounds in its declaration, one after
/// the other: they follow pointers, or the extents are not known.
pub fn without_bounds(ctx: &Ctx, array: &PetArray) -> usize {
    let unbounded = || -> hexcc_isl::Result<usize> {
        let declared = Set::read(ctx, &array.extent)?;
        let mut n = 0;
        for d in 1..declared.dim(DimType::Set)? {
            match declared.dim_max_val(d as u32)? {
                Bound::Finite(_) => break,
                _ if declared.dim_max(d as u32).is_ok() => break,
                _ => n += 1,
            }
        }
        Ok(n)
    };
    unbounded().unwrap_or(0)
}

/// What statements touch of arrays in rows.
#[derive(Default)]
pub(super) struct Touched<'a> {
    always: BTreeMap<ArrayId, Vec<Map>>,
    /// What may happen or not, with the instances.
    at_times: Vec<(&'a Statement, &'a Access, Set)>,
}

/// An access to an element that may not exist.
pub(super) struct Missing<'a> {
    /// The statement.
    pub stmt: &'a Statement,
    /// The access.
    pub access: &'a Access,
    /// No subscript is negative.
    pub defined: bool,
}

impl<'a> Touched<'a> {
    /// Adds the accesses of a statement, of which reads are certain and writes are where that is
    /// given.
    ///
    /// # Errors
    /// HX0401 where isl gives up.
    pub(super) fn add(
        &mut self,
        scop: &Scop,
        stmt: &'a Statement,
        (reads, writes): (bool, bool),
    ) -> Result<()> {
        let guards = guards(stmt)?.into_iter();
        let reads = (stmt.reads.iter().zip(guards))
            .map(|(read, guard)| (read, guard.within, guard.certain && reads));
        let write = [(&stmt.write, stmt.domain.clone(), writes)];
        for (access, within, certain) in reads.chain(write) {
            if scop.array(access.array).pointers == 0 {
                continue;
            }
            let instances = within.intersect_params(&scop.context.params()?)?;
            // pet leaves negative subscripts out.
            if certain && instances.is_subset(&access.map.domain()?)? {
                let map = access.map.intersect_domain(&instances)?;
                self.always.entry(access.array).or_default().push(map);
            } else {
                self.at_times.push((stmt, access, instances));
            }
        }
        Ok(())
    }

    /// The accesses to elements that may not exist: an element does if it lies between two of its
    /// row that are touched always.
    ///
    /// # Errors
    /// HX0401 where isl gives up.
    pub(super) fn missing(&self, scop: &Scop) -> Result<Vec<Missing<'a>>> {
        let mut found = Vec::new();
        for (stmt, access, instances) in &self.at_times {
            let array = scop.array(access.array);
            let always = self
                .always
                .get(&access.array)
                .map_or(&[][..], Vec::as_slice);
            let elements = access.map.intersect_domain(instances)?.range()?;
            let defined = instances.is_subset(&access.map.domain()?)?;
            if !defined || !exist(array, &elements, always)? {
                found.push(Missing {
                    stmt,
                    access,
                    defined,
                });
            }
        }
        Ok(found)
    }
}

/// Whether elements of an array in rows exist, given those that are accessed always.
fn exist(array: &Array, elements: &Set, always: &[Map]) -> Result<bool> {
    let (first, rank) = (array.pointers + 1, array.extents.len());
    let in_row = |set: &Set| -> Result<Set> {
        let set = set.project_out(DimType::Set, first as u32, (rank - first) as u32)?;
        Ok(set.reset_tuple_name()?)
    };
    let mut known = in_row(&elements.empty_like()?)?;
    for map in always {
        known = known.union(&in_row(&map.range()?)?)?;
    }
    let names = |last: &str| {
        let row = (0..array.pointers).map(|d| format!("r{d}, "));
        row.collect::<String>() + last
    };
    let reach = |order: &str| -> Result<Set> {
        let text = format!("{{ [{}] -> [{}] : {order} }}", names("x"), names("y"));
        Ok(known.apply(&Map::read(elements.ctx(), &text)?)?)
    };
    let between = reach("x <= y")?.intersect(&reach("x >= y")?)?;
    Ok(in_row(elements)?.is_subset(&between)?)
}

/// The refusal of an access that does not run always, to a row that may not exist then.
pub(super) fn may_not_exist(scop: &Scop, source: &SourceFile, access: &Access) -> Box<Diagnostic> {
    let name = &scop.array(access.array).name;
    Box::new(
        Diagnostic::error("HX0110", format!("a row of `{name}` may not exist"))
            .at(
                scop.access_span(&source.text, access),
                "C reads this only where the condition holds",
            )
            .note(format!("hexcc follows all pointers to rows of `{name}` before the region runs. Only rows that the region always reads or writes are known to be there"))
            .help("if the element exists for all iterations, say so: read it into a variable of the loop before the condition"),
    )
}

impl Reader<'_> {
    /// Whether subscript `d` of an array, not the first, follows a pointer.
    ///
    /// # Errors
    /// HX0109 and HX0110 where it has neither a bound nor a pointer that can be followed.
    pub(super) fn check_pointer(&self, array: &PetArray, d: usize, declared: &Set) -> Result<()> {
        let rank = declared.dim(DimType::Set)?;
        let constant = |inner: usize| {
            let last = declared.dim_max(inner as u32);
            last.is_ok_and(|last| last.as_constant().is_ok_and(|last| last.is_some()))
        };
        let why = match array.pointers {
            0 if (1..d).any(constant) => "the pointers to rows are an array of several dimensions",
            0 => "it is not known whether there are pointers: the declaration is not understood",
            _ if d > array.pointers => "between two pointers there is an array",
            _ if array.declared => "the region declares the pointers",
            n if n > MOST_POINTERS => "more than three pointers follow each other",
            n if !(n + 1..rank).all(constant) => {
                "the pointers lead to arrays whose size is not constant"
            }
            _ => return Ok(()),
        };
        Err(self.not_dense(array, rank, why))
    }

    /// What the declaration gives of an array's extents, which must still hold in the region.
    pub(super) fn declared_extents(array: &Array) -> &[hexcc_isl::PwAff] {
        let all = match array.pointers {
            0 => &array.extents[..],
            _ => array.extents.get(..1).unwrap_or_default(),
        };
        all.get(usize::from(array.pointer)..).unwrap_or_default()
    }

    /// An array of `rank` dimensions whose declaration does not give an inner extent.
    fn not_dense(&self, array: &PetArray, rank: usize, why: &str) -> Box<Diagnostic> {
        let PetArray {
            name, element_type, ..
        } = array;
        let declarator = csource::declarator(&self.source.text, name, self.region().start);
        let place = |d: Diagnostic| match &declarator {
            Some(declarator) => d
                .at(declarator.range.clone(), "declared here")
                .also(self.first_use(name), "used here"),
            None => d.at(self.first_use(name), "used here"),
        };
        // `A[N][M]` or `(*A)[M]`, not `*A[N]`.
        let has_extents = (declarator.as_ref()).is_some_and(|d| match d.stars {
            0 => d.n_bounds == rank,
            1 => d.n_bounds + 1 == rank && self.source.text[d.range.clone()].starts_with('('),
            _ => false,
        });
        Box::new(if has_extents {
            place(Diagnostic::error(
                "HX0109",
                format!("the size of array `{name}` cannot be derived"),
            ))
            .note("an extent in its declaration is not affine in integer variables that keep their values")
            .help(format!("compute the extent once, `int n = a * b;`, and declare the array with it: `{element_type} (*{name})[n]`. View a parameter so: `{element_type} (*rows)[n] = {name};` before the region, and `rows` instead of `{name}` in it"))
        } else {
            let names = ["N", "M", "L", "K"];
            let bounds = |from: usize| -> String {
                (from..rank)
                    .map(|d| format!("[{}]", names.get(d).unwrap_or(&"P")))
                    .collect()
            };
            place(Diagnostic::error(
                "HX0110",
                format!("pointers that lead to the rows of `{name}` are not followed"),
            ))
            .note(format!("{why}; in `float **A`, `float *A[N]` and `float ***A` each subscript but the last follows a pointer"))
            .help(format!(
                "make it one block, `{element_type} (*{name}){} = malloc(sizeof({element_type}{}));`, or take it as a parameter `{element_type} {name}{}`; subscripts stay as they are",
                bounds(1), bounds(0), bounds(0)
            ))
        })
    }
}
