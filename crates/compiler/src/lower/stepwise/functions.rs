//! The functions of a statement's iterators: subscripts and affine values.

use super::{iterator, named, position};
use crate::diag::Result;
use crate::lower::affine::magnitude;
use crate::scop::{Access, Statement};
use hexcc_isl::{AstBuild, AstExpr, DimType, PwAff};
use std::collections::{BTreeSet, HashMap};

/// What a statement computes from its iterators, in isl's names for them.
pub(super) struct Functions {
    /// By read, its subscripts.
    pub reads: Vec<Vec<AstExpr>>,
    /// Subscripts of the write.
    pub write: Vec<AstExpr>,
    /// As [`Statement::affine_values`].
    pub affine: Vec<AstExpr>,
}

impl Functions {
    pub fn of(stmt: &Statement) -> Result<Functions> {
        let build = AstBuild::from_context(&named(&stmt.domain)?)?;
        let mut known: HashMap<String, AstExpr> = HashMap::new();
        let mut expr = |f: &PwAff| -> Result<AstExpr> {
            let text = f.to_str()?;
            if let Some(expr) = known.get(&text) {
                return Ok(expr.clone());
            }
            let expr = build.expr_from_pw_aff(&with_inputs(&f.gist(&stmt.domain)?)?)?;
            known.insert(text, expr.clone());
            Ok(expr)
        };
        let mut subscripts = |access: &Access| -> Result<Vec<AstExpr>> {
            match access.whole {
                true => Ok(Vec::new()),
                false => access.map.to_pw_affs()?.iter().map(&mut expr).collect(),
            }
        };
        Ok(Functions {
            reads: (stmt.reads.iter().map(&mut subscripts)).collect::<Result<_>>()?,
            write: subscripts(&stmt.write)?,
            affine: stmt
                .affine_values()
                .iter()
                .map(expr)
                .collect::<Result<_>>()?,
        })
    }

    /// The same without the subscripts of some reads and, maybe, of the write.
    pub fn without(mut self, (reads, write): &(BTreeSet<usize>, bool)) -> Functions {
        for &n in reads {
            self.reads[n].clear();
        }
        if *write {
            self.write.clear();
        }
        self
    }

    fn all(&self) -> impl Iterator<Item = &AstExpr> {
        let subscripts = self.reads.iter().flatten().chain(&self.write);
        subscripts.chain(&self.affine)
    }

    /// Bounds every value that occurs.
    pub fn largest(&self) -> f64 {
        self.all().map(magnitude).fold(0.0, f64::max)
    }

    pub fn use_iterator(&self, i: usize) -> bool {
        self.all().any(|expr| occurs_in(expr, &iterator(i)))
    }
}

fn occurs_in(expr: &AstExpr, name: &str) -> bool {
    match expr {
        AstExpr::Int(_) => false,
        AstExpr::Id(id) => id == name,
        AstExpr::Op(_, args) => args.iter().any(|a| occurs_in(a, name)),
    }
}

/// A function of a statement's instances with isl's names for the iterators.
pub(super) fn with_inputs(f: &PwAff) -> Result<PwAff> {
    let mut f = f.clone();
    for i in 0..f.dim(DimType::In)? {
        f = f.set_input_name(position(i), &iterator(i))?;
    }
    Ok(f)
}
