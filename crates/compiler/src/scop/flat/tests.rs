//! Flat arrays against brute force: every instance, for all small sizes.

use super::{PetArray, PetBody, PetExpr, PetScop, Shaped, shape};
use hexcc_isl::{Ctx, DimType, MultiPwAff, Set};
use hexcc_pet::data::{PetStmt, Span};
use std::collections::BTreeMap;

type Values = BTreeMap<String, i64>;

/// A sum in C's notation, with parentheses.
struct Parser<'a> {
    rest: &'a str,
    iterators: &'a [&'a str],
}

impl Parser<'_> {
    fn parse(text: &str, iterators: &[&str]) -> PetExpr {
        let rest = &text.replace(' ', "");
        let mut parser = Parser { rest, iterators };
        let expr = parser.sum();
        assert!(parser.rest.is_empty(), "{text}: {}", parser.rest);
        expr
    }

    fn take(&mut self, c: char) -> bool {
        let rest = self.rest.strip_prefix(c);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn sum(&mut self) -> PetExpr {
        let mut left = self.product();
        loop {
            let op = match (self.take('+'), self.take('-')) {
                (true, _) => "add",
                (_, true) => "sub",
                _ => return left,
            };
            left = operator(op, vec![left, self.product()]);
        }
    }

    fn product(&mut self) -> PetExpr {
        let mut left = self.factor();
        while self.take('*') {
            left = operator("mul", vec![left, self.factor()]);
        }
        left
    }

    fn factor(&mut self) -> PetExpr {
        if self.take('-') {
            return operator("minus", vec![self.factor()]);
        }
        if self.take('(') {
            let inner = self.sum();
            assert!(self.take(')'), "{}", self.rest);
            return inner;
        }
        let end = (self.rest).find(|c: char| !c.is_ascii_alphanumeric());
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        match word.parse::<u32>() {
            Ok(value) => PetExpr::Int {
                value: value.to_string(),
                type_size: 0,
            },
            Err(_) => {
                let all = self.iterators.join(", ");
                let params = match self.iterators.contains(&word) {
                    true => "",
                    false => word,
                };
                let index = format!("[{params}] -> {{ S[{all}] -> [({word})] }}");
                access(None, index, Vec::new())
            }
        }
    }
}

fn operator(op: &str, args: Vec<PetExpr>) -> PetExpr {
    PetExpr::Op {
        op: op.to_string(),
        args,
        type_size: -32,
    }
}

fn access(array: Option<&str>, index: String, args: Vec<PetExpr>) -> PetExpr {
    PetExpr::Access {
        array: array.map(str::to_string),
        index,
        read: true,
        write: false,
        args,
        type_size: -32,
    }
}

fn evaluate(expr: &PetExpr, values: &Values) -> i64 {
    match expr {
        PetExpr::Int { value, .. } => value.parse().expect("a number"),
        PetExpr::Access { index, .. } => {
            let name = index.rsplit_once("[(").expect("a value").1;
            values[name.split_once(')').expect("its end").0]
        }
        PetExpr::Op { op, args, .. } => {
            let args: Vec<i64> = args.iter().map(|a| evaluate(a, values)).collect();
            match (op.as_str(), args.as_slice()) {
                ("add", [a, b]) => a + b,
                ("sub", [a, b]) => a - b,
                ("mul", [a, b]) => a * b,
                ("minus", [a]) => -a,
                _ => panic!("{op}"),
            }
        }
        _ => panic!("{expr:?}"),
    }
}

/// The elements of a set with one value for each parameter.
fn points(set: &Set) -> Vec<Vec<i64>> {
    let set = set.project_out_all_params().expect("isl");
    set.points(1 << 16).expect("isl")
}

/// A statement that reads `u` at some subscripts, for iterators between bounds.
struct Case {
    params: Vec<&'static str>,
    iterators: Vec<&'static str>,
    /// Each with where it is read.
    subscripts: Vec<(PetExpr, String)>,
    pet: PetScop,
}

impl Case {
    /// `loops` are `i=1..m-1` with an end that is left out, separated by blanks; a subscript may have
    /// a condition, `j > 0 ? i*n+j-1`.
    fn new(params: &'static str, loops: &'static str, subscripts: &str) -> Case {
        let params: Vec<&str> = params.split(' ').collect();
        let (mut iterators, mut conditions) = (Vec::new(), Vec::new());
        for each in loops.split(' ') {
            let (name, range) = each.split_once('=').expect("a loop");
            let (from, to) = range.split_once("..").expect("a range");
            iterators.push(name);
            conditions.push(format!("{from} <= {name} < {to}"));
        }
        let (all, known) = (iterators.join(", "), params.join(", "));
        let conditions = conditions.join(" and ");
        let within =
            |more: &str| format!("[{known}] -> {{ S[{all}] : {conditions} and ({more}) }}");
        let (mut sum, mut read) = (PetExpr::Double("0.0".to_string()), Vec::new());
        for text in subscripts.split(", ") {
            let (condition, text) = match text.split_once(" ? ") {
                Some((condition, text)) => (Some(condition), text),
                None => (None, text),
            };
            let subscript = Parser::parse(text, &iterators);
            let index = format!("{{ [S[{all}] -> [a]] -> u[((a) : a >= 0)] }}");
            let mut value = access(Some("u"), index, vec![subscript.clone()]);
            if let Some(c) = condition {
                let truth =
                    format!("[{known}] -> {{ S[{all}] -> [((1) : {c}; (0) : not ({c}))] }}");
                let truth = access(None, truth, Vec::new());
                let other = PetExpr::Double("0.0".to_string());
                value = operator("cond", vec![truth, value, other]);
            }
            sum = operator("add", vec![sum, value]);
            read.push((subscript, within(condition.unwrap_or("true"))));
        }
        let span = Span { start: 0, end: 0 };
        let pet = PetScop {
            span,
            indent: String::new(),
            context: format!("[{known}] -> {{ : }}"),
            schedule: "{ }".to_string(),
            arrays: vec![PetArray {
                name: "u".to_string(),
                context: "{ : }".to_string(),
                extent: "{ u[i] : i >= 0 }".to_string(),
                element_type: "double".to_string(),
                element_size: 8,
                element_is_record: false,
                declared: false,
                exposed: false,
                pointers: 0,
            }],
            stmts: vec![PetStmt {
                name: "S".to_string(),
                span,
                line: 1,
                domain: within("true"),
                n_args: 0,
                body: PetBody::Expr(sum),
            }],
            data_dependent_accesses: true,
            data_dependent_conditions: false,
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
        };
        Case {
            params,
            iterators,
            subscripts: read,
            pet,
        }
    }

    /// Compares the dimensions with the subscripts for sizes from -1 to 4.
    fn check(&self, ctx: &Ctx, shaped: &Shaped, (extents, exact): (&str, bool)) {
        let pet = &shaped.pet;
        let inner: Vec<&str> = (pet.arrays[0].extent.split(" < ").skip(1))
            .map(|t| t.split(" and ").next().expect("an extent"))
            .map(|t| t.trim_end_matches(" }"))
            .collect();
        assert_eq!(inner.join(", "), extents);
        assert!(!pet.data_dependent_accesses);
        let inner: Vec<PetExpr> = inner.iter().map(|t| Parser::parse(t, &[])).collect();
        let mut indices = Vec::new();
        let PetBody::Expr(body) = &pet.stmts[0].body else {
            panic!("a body")
        };
        super::for_each_access(body, &mut |access| {
            if let PetExpr::Access {
                array: Some(_),
                index,
                args,
                ..
            } = access
            {
                assert!(args.is_empty());
                indices.push(MultiPwAff::read(ctx, index).and_then(|i| i.to_map()));
            }
        });
        let context = Set::read(ctx, &pet.context).expect("a context");
        let n_sizes = 6_i64.pow(self.params.len() as u32);
        for sizes in 0..n_sizes {
            let mut values = Values::new();
            let mut sizes = sizes;
            for name in &self.params {
                values.insert((*name).to_string(), sizes % 6 - 1);
                sizes /= 6;
            }
            let fixed: Vec<String> = values.iter().map(|(p, v)| format!("{p} = {v}")).collect();
            let fixed = format!(
                "[{}] -> {{ : {} }}",
                self.params.join(", "),
                fixed.join(" and ")
            );
            let fixed = Set::read(ctx, &fixed).expect("sizes");
            let is_known = !context
                .intersect(&fixed)
                .expect("isl")
                .is_empty()
                .expect("isl");
            let mut all_inside = true;
            for ((subscript, domain), index) in self.subscripts.iter().zip(&indices) {
                let domain = Set::read(ctx, domain).expect("a domain");
                let instances = domain.intersect_params(&fixed).expect("isl");
                let n = points(&instances).len();
                let index = index.as_ref().expect("an index");
                let pairs = index
                    .intersect_domain(&instances)
                    .expect("isl")
                    .wrap()
                    .expect("isl");
                let pairs = pairs.flatten().expect("isl");
                assert_eq!(
                    pairs.dim(DimType::Set).expect("isl"),
                    self.iterators.len() + 1 + inner.len()
                );
                let pairs = points(&pairs);
                assert_eq!(pairs.len(), n, "defined for all instances");
                for pair in pairs {
                    let (instance, element) = pair.split_at(self.iterators.len());
                    for (name, value) in self.iterators.iter().zip(instance) {
                        values.insert((*name).to_string(), *value);
                    }
                    let mut flat = element[0];
                    all_inside &= flat >= 0;
                    for (at, extent) in element[1..].iter().zip(&inner) {
                        let extent = evaluate(extent, &values);
                        flat = flat * extent + at;
                        all_inside &= 0 <= *at && *at < extent;
                    }
                    assert_eq!(flat, evaluate(subscript, &values), "{values:?} {element:?}");
                }
            }
            match exact {
                true => assert_eq!(
                    is_known, all_inside,
                    "{values:?}: what is assumed is what is needed"
                ),
                false => assert!(
                    !is_known || all_inside,
                    "{values:?}: what is expected suffices"
                ),
            }
        }
    }
}

/// Parameters, loops, subscripts, and the inner extents or nothing.
const CASES: &[(&str, &str, &str, &str)] = &[
    // Rows.
    ("m n", "i=0..m j=0..n", "i*n+j", "n"),
    ("m n", "i=0..m j=0..n", "n*i+j, j+i*n", "n"),
    (
        "m n",
        "i=1..m-1 j=1..n-1",
        "i*n+j, (i-1)*n+j, (i+1)*n+j, i*n+j-1, i*n+(j+1)",
        "n",
    ),
    ("m n", "i=1..m-1 j=1..n-1", "(i-1)*n+j+1, (i+1)*n-1+j", "n"),
    ("m n", "i=1..m j=0..n", "i*n-n+j", "n"),
    ("m n", "i=0..m j=0..n", "i*n+(n-1-j), i*n+j", "n"),
    (
        "m n",
        "i=0..m j=0..n",
        "i*n+j, i*n, i*n+n-1, (i+1)*n-1",
        "n",
    ),
    ("m n", "i=0..m j=0..n", "i*n+j, j, (m-1)*n+j, m*n-1, 0", "n"),
    ("m n", "i=0..m j=0..n", "i*n+j, i*n+1, i*n+n-2", "n"),
    ("m n", "i=0..m j=0..n", "(m-1-i)*n+j", "n"),
    ("m n", "i=0..m j=0..n", "2*i*n+j, (2*i+1)*n+j", "n"),
    ("n m", "i=0..m j=0..n", "-(-i*n)+j", "n"),
    // The loop over columns says how long rows are.
    ("m n", "i=0..m j=0..n", "j*m+i", "m"),
    ("m n", "i=0..m j=0..n", "i*n+j, (i+j)*n", "n"),
    ("n", "i=0..n j=0..i", "i*n+j, j*n+i", "n"),
    ("n", "i=0..n j=0..n", "i*n+j, n*n-1, n-1", "n"),
    ("m n", "i=0..m j=0..n", "i*n+j-n", "n"),
    // Cells of several numbers.
    ("m n", "i=0..m j=0..n k=0..3", "(i*n+j)*3+k", "n, 3"),
    (
        "m n",
        "i=1..m j=0..n-1 k=0..2",
        "2*(i*n+j)+k, k+((i-1)*n+j+1)*2, (n*i+j)*2",
        "n, 2",
    ),
    (
        "m n",
        "i=1..m j=0..n",
        "5*(i*n+j), (i*n-n+j)*5+4, (j+i*n)*5+2",
        "n, 5",
    ),
    ("m n", "i=0..m j=0..n", "2*i*n+j", "n"),
    ("m n", "i=0..m j=0..n", "(i*n+j)*3+1", ""),
    // Sums as lengths.
    ("m n", "i=0..m j=0..n", "i*(n+2)+j", "n + 2"),
    (
        "m n",
        "i=0..m j=0..n",
        "(i+1)*(n+2)+(j+1), i*(n+2)+j, (i+2)*(n+2)+(j+2)",
        "n + 2",
    ),
    (
        "m n",
        "i=0..m j=0..n",
        "i*(n+2)+j, i*(n+2)+n+1, (i+1)*(2+n)-1",
        "n + 2",
    ),
    ("m n", "i=0..m j=0..n-1", "i*(n-1)+j", "n - 1"),
    ("m n", "i=0..3 j=0..m+n", "i*(m+n)+j", "m + n"),
    // Planes.
    ("p m n", "k=0..p i=0..m j=0..n", "(k*m+i)*n+j", "m, n"),
    (
        "p m n",
        "k=0..p i=0..m j=0..n",
        "k*m*n+i*n+j, n*m*k+(j+n*i)",
        "m, n",
    ),
    (
        "p m n",
        "k=1..p i=1..m j=0..n",
        "((k-1)*m+i)*n+j, (k*m+i-1)*n+j",
        "m, n",
    ),
    (
        "p m n",
        "k=0..p i=0..m j=0..n",
        "(k*m+i)*n+j, (k*m+m-1)*n+j, k*m*n+n-1, (p*m-1)*n",
        "m, n",
    ),
    (
        "n",
        "k=0..n i=0..n j=0..n",
        "k*n*n+i*n+j, n*n*n-1, (n-1)*n*n+j",
        "n, n",
    ),
    (
        "m n",
        "k=0..m i=0..m j=0..n",
        "(k*(m+1)+i)*(n+2)+j",
        "m + 1, n + 2",
    ),
    (
        "m n",
        "t=0..2 i=0..m j=0..n",
        "t*m*n+i*n+j, (1-t)*m*n+i*n+j",
        "m, n",
    ),
    (
        "m n",
        "k=0..3 l=0..n i=0..m j=0..n",
        "((k*n+l)*m+i)*n+j",
        "n, m, n",
    ),
    // Only some planes have all their rows read.
    ("m n", "k=0..3 j=0..n", "k*m*n+j", "m, n"),
    // Columns and rows that exist where conditions hold.
    (
        "m n",
        "i=0..m j=0..n",
        "i*n+j, j > 0 ? i*n+j-1, j < n - 1 ? i*n+j+1, i > 0 ? (i-1)*n+j, i != m - 1 ? i*n+n+j",
        "n",
    ),
    (
        "m n",
        "i=0..m j=0..n",
        "i > 0 and j > 0 ? (i-1)*n+j-1, i < m - 1 and j > 0 ? (i+1)*n+j-1",
        "n",
    ),
    ("m n", "i=0..m j=0..n", "i*n+j, j > 0 ? i*n+j+1", ""),
    ("m n", "i=0..m j=0..n", "i*n+j, i > 0 ? i*n+j-1", ""),
    // Columns that leave their rows for some sizes, and none that can be moved.
    ("m n", "i=0..m j=0..n", "i*n+j+1", ""),
    ("m n", "i=0..m j=0..n", "i*n+j, i*n+j-1", ""),
    ("m n", "i=0..m j=0..n", "i*n+2*j", ""),
    ("m n", "i=0..m j=0..n", "i*m+i*n+j", ""),
    // Different lengths, nothing to find them by, products of iterators.
    ("m n", "i=0..m j=0..n", "i*n+j, j*m+i", ""),
    ("m n", "i=0..m j=0..n", "i*n", ""),
    ("m n", "i=0..m j=0..n", "i*j+j", ""),
    ("n", "i=0..n j=0..n", "n*n", ""),
];

#[test]
fn dimensions_are_those_of_the_subscripts() {
    for (params, loops, subscripts, extents) in CASES {
        let ctx = Ctx::new().expect("a context");
        let case = Case::new(params, loops, subscripts);
        let shaped = shape(&ctx, "", &case.pet).expect("isl");
        println!("{loops}: {subscripts}: {}", shaped.pet.arrays[0].extent);
        match *extents {
            "" => assert!(shaped.flat.is_empty(), "{subscripts}"),
            extents => {
                assert!(shaped.expected.is_none(), "{subscripts}");
                case.check(&ctx, &shaped, (extents, true));
            }
        }
    }
}

/// As [`CASES`], with dimensions for sizes that are expected, and those.
const HOPED: &[(&str, &str, &str, &str, &str)] = &[
    ("m n", "i=0..m j=0..m", "i*n+j", "n", "m <= n"),
    (
        "m n p",
        "i=1..m j=1..n",
        "i*p+j, i*p+j-1, i*p+j+1",
        "p",
        "n < p",
    ),
    (
        "l m n p q",
        "k=0..l i=0..m j=0..n",
        "(k*p+i)*q+j, (k*p+i)*q+j+2",
        "p, q",
        "m <= p and n + 2 <= q",
    ),
    // Rows of n + 2 elements twice would have columns, too, of an array that is larger.
    (
        "n p i",
        "j=1..n k=0..7",
        "((p*n+i)*(n+2)+j)*9+k",
        "n, n + 2, 9",
        "p >= 0 and 0 <= i < n",
    ),
];

#[test]
fn dimensions_may_be_expected() {
    for (params, loops, subscripts, extents, sizes) in HOPED {
        let ctx = Ctx::new().expect("a context");
        let case = Case::new(params, loops, subscripts);
        let shaped = shape(&ctx, "", &case.pet).expect("isl");
        let expected = shaped.expected.clone().expect("expected sizes");
        let text = format!("[{}] -> {{ : {sizes} }}", params.replace(' ', ", "));
        let wanted = Set::read(&ctx, &text).expect("a set");
        assert!(
            expected.is_equal(&wanted).expect("isl"),
            "{subscripts}: {}",
            expected.to_str().unwrap_or_default()
        );
        case.check(&ctx, &shaped, (extents, false));
    }
}

#[test]
fn refusals_say_what_is_not_proven() {
    let refusal = |loops, subscripts| {
        let ctx = Ctx::new().expect("a context");
        let case = Case::new("m n", loops, subscripts);
        let shaped = shape(&ctx, "", &case.pet).expect("isl");
        let d = shaped.refusal.expect("a refusal");
        (d.message, d.labels[0].text.clone())
    };
    let (message, label) = refusal("i=0..m j=0..n", "i*n+j, i*n+j-1");
    assert_eq!(message, "a column of `u` may leave its row");
    assert_eq!(label, "not known here: `0 <= j - 1 < n`");
    let (_, label) = refusal("i=0..m j=0..n+2", "i*(n+1)+j");
    assert_eq!(label, "not known here: `0 <= j < n + 1`");
    let (message, label) = refusal("i=0..m j=0..n", "i*n+j, j*m+i");
    assert_eq!(
        message,
        "subscripts of `u` disagree about the length of its rows"
    );
    assert_eq!(label, "rows of `m` elements");
}

#[test]
fn planes_of_constant_size() {
    use super::fixed::rows_of_planes;
    // Two planes of 14 rows, of which the outermost are borders that nothing reads, or that are read.
    assert_eq!(rows_of_planes(&[(1, 12), (15, 26)]), Some(14));
    assert_eq!(
        rows_of_planes(&[(1, 12), (0, 11), (16, 27), (15, 26)]),
        Some(14)
    );
    // The first and the third of three.
    assert_eq!(rows_of_planes(&[(1, 12), (29, 40)]), Some(14));
    // One plane, one with a ghost row of its own, two halves that read each other's rows.
    assert_eq!(rows_of_planes(&[(1, 12), (0, 11), (2, 13)]), None);
    assert_eq!(rows_of_planes(&[(1, 12), (0, 11), (13, 13)]), None);
    assert_eq!(rows_of_planes(&[(0, 5), (6, 11), (5, 10)]), None);
    assert_eq!(rows_of_planes(&[]), None);
}
