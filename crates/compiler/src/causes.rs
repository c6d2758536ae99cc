//! Why a region is no static control part: the true cause of what pet reports as
//! a subscript or a condition that depends on data.

use crate::csource::{self, TokenKind};
use crate::diag::{Diagnostic, Result};
use crate::scop::{Statement, body_exprs, children, collect_names, unnumbered};
use hexcc_isl::DimType;
use hexcc_pet::data::{PetArray, PetBody, PetExpr, PetScop, PetStmt};
use std::collections::BTreeSet;
use std::ops::Range;

const SUBSCRIPTS: &str = "tiles and their footprints are computed from subscripts that are affine in loop iterators and size parameters";
const FIXED_STEPS: &str = "write a time loop of a fixed number of steps: `for (int t = 0; t < T; t++)`. A test for convergence goes between runs of such a loop, around the region";
const CONTROL: &str = "loop bounds and conditions must be affine in loop iterators and size parameters, so that the set of iterations is known";

/// Why calls of the host end a time loop.
pub const HOST_WORK: &str =
    "the steps of the time loop run on the GPU; work of the host between them is not translated";

/// What to do about calls of the host.
pub const HOST_WORK_HELP: &str = "move the call behind the time loop. For a call every so many steps write two loops: one from call to call, and one around it that makes the call";

/// Gives labels at statements that have no place in the file, which are empty and where a
/// top-level statement of the region begins, the place of the first loop there.
pub fn placed(text: &str, region: Range<usize>, mut d: Box<Diagnostic>) -> Box<Diagnostic> {
    let headers = csource::loop_headers(text, region.clone());
    let mut moved = false;
    for label in &mut d.labels {
        let at = label.span.start;
        let mut later = headers.iter().map(|(_, header)| header);
        let header = later.find(|header| at <= header.start);
        if let (true, Some(header)) = (label.span.is_empty() && region.start <= at, header) {
            label.span = header.clone();
            moved = true;
        }
    }
    if moved {
        d.notes.insert(
            0,
            "this is about a statement of an included file or a macro that the loop uses"
                .to_string(),
        );
    }
    d
}

/// A region and its source.
pub struct Region<'a> {
    /// The source's text.
    pub text: &'a str,
    /// pet's description.
    pub pet: &'a PetScop,
    /// Where the region is.
    pub span: Range<usize>,
}

impl Region<'_> {
    /// The refusal of the first subscript that is not affine.
    pub fn subscript(&self) -> Diagnostic {
        let offending = self.pet.stmts.iter().find_map(|stmt| {
            let exprs = body_exprs(&stmt.body);
            let access = exprs.into_iter().find_map(access_with_arguments)?;
            Some((stmt, access))
        });
        let Some((stmt, PetExpr::Access { array, args, .. })) = offending else {
            return Diagnostic::error("HX0104", "a subscript is not affine")
                .at(self.span.clone(), "in this region")
                .note(SUBSCRIPTS);
        };
        let mut read = BTreeSet::new();
        for arg in args {
            collect_names(arg, &mut read, true);
        }
        if read.iter().any(|name| is_test(name)) {
            let d = controlled("control flow depends on data");
            return d.at(range(stmt), "what this does depends on conditions on data");
        }
        let of = |is: &dyn Fn(&PetArray) -> bool| {
            (self.pet.arrays.iter()).find(|a| read.contains(&a.name) && is(a))
        };
        let span = range(stmt);
        if let Some(record) = of(&|a| a.element_is_record) {
            return self.member(&record.name, stmt, false);
        }
        if let Some(table) = of(&|a| !self.is_scalar(a)) {
            return Diagnostic::error("HX0104", "a subscript depends on array contents")
                .at(span, format!("a subscript here reads `{}`", table.name))
                .note(SUBSCRIPTS)
                .help("stencils read neighbours at constant offsets; move the indirection out of the time loop");
        }
        if let Some((variable, writer)) =
            of(&|a| self.writer(&a.name).is_some()).and_then(|a| Some((a, self.writer(&a.name)?)))
        {
            return self.changing(&variable.name, (span, writer));
        }
        self.not_affine(span, array.as_deref().unwrap_or("p"), args)
    }

    /// A subscript with a variable that the region changes.
    fn changing(&self, name: &str, (span, writer): (Range<usize>, &PetStmt)) -> Diagnostic {
        let head = head_of_loop(self.text, range(writer));
        if head != range(writer) && range(writer).end <= span.start {
            return Diagnostic::error(
                "HX0104",
                format!("a subscript is what a loop leaves in `{name}`"),
            )
            .at(span, format!("`{name}` used after the loop"))
            .also(head, format!("`{name}` counts here"))
            .note(SUBSCRIPTS)
            .help(format!("move this statement behind the region, or write the bound of the loop instead of `{name}`"));
        }
        let d = Diagnostic::error(
            "HX0104",
            format!("a subscript depends on `{name}`, which the region changes"),
        );
        let d = if range(writer) == span {
            d.at(span, "used and changed here")
        } else {
            d.at(span, "used here")
                .also(head, format!("`{name}` changes here"))
        };
        d.note(SUBSCRIPTS).help(if counts_while(self, writer) {
            format!("count in the loop's header: `for (int {name} = 0; {name} < T; {name}++)`")
        } else {
            "say what the variable is in each step: planes that alternate are `A[(t+1)%2]` and `A[t%2]`".to_string()
        })
    }

    /// A subscript of loop iterators and parameters that is not affine.
    fn not_affine(&self, span: Range<usize>, array: &str, args: &[PetExpr]) -> Diagnostic {
        let d = Diagnostic::error("HX0104", "a subscript is not affine");
        let ops: BTreeSet<&str> = args.iter().flat_map(operators).collect();
        let call = args.iter().find_map(called);
        let (what, help) = if let Some(name) = call {
            let what = format!("a subscript of `{array}` here calls `{name}`");
            (
                what,
                Some("write what it computes into the subscript".to_string()),
            )
        } else if ops.contains("mod") {
            let help = "a wrap-around with a parameter, `(i+1)%N`, has no tiles: fold the ring of cells in half; usage.md, \"Periodic boundaries\", shows how";
            (
                "a remainder in a subscript here".to_string(),
                Some(help.to_string()),
            )
        } else if ops.contains("div") {
            ("a quotient in a subscript here".to_string(), None)
        } else if ops.contains("mul") {
            let ty = (self.pet.arrays.iter()).find(|a| a.name == array);
            let ty = ty.map_or("float", |a| a.element_type.as_str());
            let help = format!(
                "view a flat array as what it is: `{ty} (*rows)[n] = ({ty} (*)[n]){array};` before the region, and `rows[i][j]` instead of `{array}[i*n+j]`"
            );
            (
                "a product of variables in a subscript here".to_string(),
                Some(help).filter(|_| !args.iter().any(has_square)),
            )
        } else {
            (format!("in a subscript of `{array}` here"), None)
        };
        let d = d.at(span, what).note(SUBSCRIPTS);
        match help {
            Some(help) => d.help(help),
            None => d,
        }
    }

    /// The refusal of the first loop with a step that is no constant: pet describes its iterator
    /// as a variable that changes.
    pub fn step(&self) -> Option<Diagnostic> {
        let (stmt, head) = self.pet.stmts.iter().find_map(|stmt| {
            let head = head_of_loop(self.text, range(stmt));
            (head != range(stmt) && steps_by_unknown(stmt)).then_some((stmt, head))
        })?;
        let mut written = BTreeSet::new();
        for expr in body_exprs(&stmt.body) {
            collect_written(expr, &mut written);
        }
        let name = written.first()?;
        Some(
            Diagnostic::error(
                "HX0105",
                format!("the step of the loop over `{name}` is not an integer constant"),
            )
            .at(head, format!("`{name}` changes by what is not known here"))
            .note("the set of iterations must be known; that of a step which is a variable, even a `const` one, or a product is not affine")
            .help("write the step as a number, or as a macro that stands for one"),
        )
    }

    /// The refusal of the first condition or bound that depends on data.
    pub fn control(&self) -> Diagnostic {
        let d = controlled("control flow depends on data");
        let dynamic = |s: &&PetStmt| s.n_args > 0 || matches!(s.body, PetBody::Unsupported(_));
        let Some(stmt) = self.pet.stmts.iter().find(dynamic) else {
            return d.at(self.span.clone(), "in this region");
        };
        let span = range(stmt);
        if let PetBody::Unsupported(kind) = &stmt.body {
            return d
                .at(span, format!("holds `{kind}`, whose effect is not known before run time"))
                .help("turn a condition on data into a value: `A[i] = cond ? x : y;`; give `while` loops a fixed number of steps");
        }
        let names = condition_names(&stmt.domain);
        let of = |name: &String| self.pet.arrays.iter().find(|a| a.name == *name);
        if let Some(record) = names.iter().filter_map(of).find(|a| a.element_is_record) {
            return self.member(&record.name, stmt, true);
        }
        let changed = (names.iter().filter_map(of)).find_map(|a| {
            let writer = self.is_scalar(a).then(|| self.writer(&a.name)).flatten()?;
            Some((&a.name, writer)).filter(|_| !is_test(&a.name))
        });
        if let Some((name, writer)) = changed {
            let what = "a loop bound or condition depends on";
            return controlled(format!("{what} `{name}`, which the region changes"))
                .at(span, format!("how often this runs depends on `{name}`"))
                .also(range(writer), format!("`{name}` changes here"))
                .help("bounds must keep their values while the region runs");
        }
        if let Some(table) = names.iter().find(|name| !is_test(name)) {
            return d
                .at(span, format!("whether this runs depends on what `{table}` holds"))
                .help("copy a bound that does not change into an `int` before the region, `int last = ..;`; turn a condition on data into a value, `A[i] = cond ? x : y;`");
        }
        self.tested(stmt, &names)
    }

    /// The refusal of a `while`, a `break` or an `if` on data.
    fn tested(&self, stmt: &PetStmt, names: &[String]) -> Diagnostic {
        let writer = names.first().and_then(|name| self.writer(name));
        let test = writer.unwrap_or(stmt);
        let text = self.text.get(range(test)).unwrap_or("");
        if text.starts_with("while") {
            let head = csource::head_of(self.text, range(test));
            return controlled("a `while` loop ends when its condition says so")
                .at(head, "how often this runs is not known before")
                .help(FIXED_STEPS);
        }
        let mut read = BTreeSet::new();
        (body_exprs(&test.body).into_iter()).for_each(|e| collect_names(e, &mut read, true));
        if text.starts_with("for") {
            return self.end_of_for(test, &read);
        }
        let d = controlled("control flow depends on data");
        if self.breaks(test) {
            return d
                .at(range(test), "the loop ends here, depending on data")
                .help("let the loop run for a fixed number of steps, and test between runs of it, outside of the region");
        }
        let d = match &self.pet.not_selected {
            Some((place, why)) => d
                .at(place.start..place.end, "whether this runs depends on data")
                .note(format!("an `if` on data becomes a value where all that it runs may run always; not here, since {why}")),
            None => d
                .at(range(stmt), "whether this runs depends on array contents"),
        };
        d.help("turn the condition into a value: `A[i] = cond ? x : y;`")
    }

    /// The refusal of a `for` whose test `read`s what no size is.
    fn end_of_for(&self, test: &PetStmt, read: &BTreeSet<String>) -> Diagnostic {
        let head = head_of_loop(self.text, range(test));
        let mut all = self.pet.arrays.iter().filter(|a| read.contains(&a.name));
        let changes = |a: &PetArray| Some(range(self.writer(&a.name)?));
        let in_body = |a| Some((a, changes(a).filter(|place| !head.contains(&place.start))?));
        if let Some((a, place)) = all.clone().find_map(in_body) {
            return controlled("a `for` loop ends when its condition says so")
                .at(head, format!("how often this runs depends on `{}`", a.name))
                .also(place, format!("`{}` changes here", a.name))
                .help(FIXED_STEPS);
        }
        match all.find(|a| !self.is_scalar(a)) {
            Some(a) => controlled(format!("the end of a loop depends on what `{}` holds", a.name))
                .at(head, "how often this runs is not known before")
                .help("copy a bound that does not change into an `int` before the region, `int last = ..;`"),
            None => controlled("the end of a loop is no affine expression")
                .at(head, "products of variables, quotients by variables and functions are none")
                .help("compute it before the region, `int n = nx * ny;`, and write `i < n`: then `n` is a size"),
        }
    }

    /// Whether the statement of a test is an `if` with a `break`, `continue` or `goto`.
    fn breaks(&self, test: &PetStmt) -> bool {
        let has = |word: &str| csource::find_word(self.text, range(test), word).is_some();
        has("break") || has("continue") || has("goto")
    }

    /// The refusal of a struct's member where an `int` is needed; its place is `stmt` where a
    /// macro stands for it.
    fn member(&self, record: &str, stmt: &PetStmt, is_bound: bool) -> Diagnostic {
        let (all, callee) = self.members(record, stmt);
        let in_header =
            |m: &&(Range<usize>, String)| csource::loop_header_at(self.text, m.0.start).is_some();
        let in_place = |m: &&(Range<usize>, String)| match is_bound {
            true => csource::is_in_condition(self.text, m.0.start),
            false => csource::is_in_brackets(self.text, m.0.start),
        };
        // What bounds a loop comes before what its body reads.
        let bound = all.iter().find(in_header);
        let found = bound
            .or_else(|| all.iter().find(in_place))
            .or(all.first())
            .cloned();
        let in_header = bound.is_some();
        let (code, what, why) = match is_bound || in_header {
            true => ("HX0105", "a loop bound or condition", CONTROL),
            false => ("HX0104", "a subscript", SUBSCRIPTS),
        };
        let Some((place, member)) = found else {
            return Diagnostic::error(code, format!("{what} is a member of the struct `{record}`"))
                .at(range(stmt), "needed here")
                .note(why)
                .help(
                    "copy the member into an `int` before the region, and write that in the region",
                );
        };
        let local = member.rsplit(['.', '>']).next().unwrap_or("n");
        let d = Diagnostic::error(
            code,
            format!("{what} is the member of a struct, `{member}`"),
        )
        .at(place, "only variables are size parameters")
        .note(why);
        d.help(match callee {
            None => format!("copy it before the region, `int {local} = {member};`, and write `{local}` in the region"),
            Some(f) => format!("copy the member into an `int` before the region, and hand that to `{}` as a parameter, `int {local}`", f.name),
        })
    }

    /// Where a region uses members of a struct, and the function that it calls where they are in
    /// one: pet adds a number to the name of a parameter.
    fn members(
        &self,
        record: &str,
        stmt: &PetStmt,
    ) -> (Vec<(Range<usize>, String)>, Option<csource::Function>) {
        let here = find_members(self.text, self.span.clone(), record);
        let at = stmt.span.start;
        let callee = csource::enclosing_function(self.text, at)
            .filter(|_| here.is_empty() && !self.span.contains(&at));
        let Some(callee) = callee else {
            return (here, None);
        };
        let own = unnumbered(record).unwrap_or(record);
        let mut found = find_members(self.text, callee.body.clone(), record);
        if found.is_empty() {
            found = find_members(self.text, callee.body.clone(), own);
        }
        (found, Some(callee))
    }

    /// The statement that writes a scalar in the region.
    fn writer(&self, name: &str) -> Option<&PetStmt> {
        self.pet.stmts.iter().find(|s| {
            let mut written = BTreeSet::new();
            for expr in body_exprs(&s.body) {
                collect_written(expr, &mut written);
            }
            written.contains(name)
        })
    }

    fn is_scalar(&self, array: &PetArray) -> bool {
        is_scalar_extent(&array.extent)
    }
}

/// Whether the extent, `{ x[] }`, has no dimension.
fn is_scalar_extent(extent: &str) -> bool {
    extent.contains("[] }") || extent.contains("[] :")
}

/// The header of a `for` loop; anything else whole.
fn head_of_loop(text: &str, span: Range<usize>) -> Range<usize> {
    match text.get(span.clone()) {
        Some(t) if (t.strip_prefix("for")).is_some_and(|t| t.trim_start().starts_with('(')) => {
            csource::head_of(text, span)
        }
        _ => span,
    }
}

/// The refusal of a loop that is controlled by what no size is.
fn controlled(what: impl Into<String>) -> Diagnostic {
    Diagnostic::error("HX0105", what).note(CONTROL)
}

fn range(stmt: &PetStmt) -> Range<usize> {
    stmt.span.start..stmt.span.end
}

/// Names that pet gives to the results of conditions.
pub(crate) fn is_test(name: &str) -> bool {
    name.starts_with("__pet_test")
}

/// Whether a `while` of the region is counted by the statement.
fn counts_while(region: &Region, writer: &PetStmt) -> bool {
    let steps = matches!(&writer.body, PetBody::Expr(PetExpr::Op { op, .. })
        if op.ends_with("inc") || op == "add_assign");
    let text = region.text.get(region.span.clone()).unwrap_or("");
    let word = |t: &csource::Token| text.get(t.span.clone()) == Some("while");
    steps && csource::tokenize(text).iter().any(word)
}

/// The names in `[S[..] -> [p, p', q = 1]]`, what a statement's execution depends on.
fn condition_names(domain: &str) -> Vec<String> {
    let values = domain.split_once("] -> [").map_or("", |(_, rest)| rest);
    let values = values.split(']').next().unwrap_or("");
    (values.split(','))
        .filter_map(|value| value.split('=').next())
        .map(|name| name.trim().trim_end_matches('\'').to_string())
        .collect()
}

/// The first `record.member` or `record->member` of a region, and its text.
pub fn find_member(
    text: &str,
    region: Range<usize>,
    record: &str,
) -> Option<(Range<usize>, String)> {
    find_members(text, region, record).into_iter().next()
}

/// All `record.member` and `record->member` of a region, and their text.
fn find_members(text: &str, region: Range<usize>, record: &str) -> Vec<(Range<usize>, String)> {
    let tokens: Vec<csource::Token> = (csource::tokenize(text).into_iter())
        .filter(|t| !matches!(t.kind, TokenKind::Comment | TokenKind::Directive))
        .filter(|t| region.start <= t.span.start && t.span.end <= region.end)
        .collect();
    let word = |t: &csource::Token| text.get(t.span.clone()).unwrap_or("");
    let is_member = |w: &&[csource::Token]| {
        word(&w[0]) == record && matches!(word(&w[1]), "." | "->") && w[2].kind == TokenKind::Ident
    };
    (tokens.windows(3).filter(is_member))
        .map(|w| {
            let range = w[0].span.start..w[2].span.end;
            (range, w.iter().map(word).collect())
        })
        .collect()
}

fn access_with_arguments(expr: &PetExpr) -> Option<&PetExpr> {
    match expr {
        PetExpr::Access { args, .. } if !args.is_empty() => Some(expr),
        _ => children(expr).into_iter().find_map(access_with_arguments),
    }
}

fn collect_written(expr: &PetExpr, names: &mut BTreeSet<String>) {
    if let PetExpr::Access {
        array: Some(name),
        write: true,
        ..
    } = expr
    {
        names.insert(name.clone());
    }
    for child in children(expr) {
        collect_written(child, names);
    }
}

/// Whether a statement computes the next value of a variable from the one before by something
/// else than a constant, as `i += s` and `i = 2 * i`.
fn steps_by_unknown(stmt: &PetStmt) -> bool {
    let PetBody::Expr(PetExpr::Op { op, args, .. }) = &stmt.body else {
        return false;
    };
    match args.as_slice() {
        [target, value] if op == "assign" => {
            let (mut written, mut read) = (BTreeSet::new(), BTreeSet::new());
            collect_written(target, &mut written);
            collect_names(value, &mut read, true);
            !written.is_disjoint(&read)
        }
        [_, value] if op.ends_with("_assign") => !is_number(value),
        _ => false,
    }
}

/// Whether an expression is an integer, as a literal or as pet writes affine functions,
/// `{ S[t] -> [(1)] }`.
fn is_number(value: &PetExpr) -> bool {
    match value {
        PetExpr::Int { .. } => true,
        PetExpr::Op { op, args, .. } if op == "minus" => args.iter().all(is_number),
        PetExpr::Access {
            array: None, index, ..
        } => {
            let value = index.rsplit_once("-> [").map_or("", |(_, value)| value);
            let digits = value.trim_matches(|c: char| "()[]{} -".contains(c));
            !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
        }
        _ => false,
    }
}

fn operators(expr: &PetExpr) -> Vec<&str> {
    let mut all = match expr {
        PetExpr::Op { op, .. } => vec![op.as_str()],
        _ => Vec::new(),
    };
    all.extend(children(expr).into_iter().flat_map(operators));
    all
}

/// Whether something is multiplied by itself, which no row of cells is.
fn has_square(expr: &PetExpr) -> bool {
    let here = matches!(expr, PetExpr::Op { op, args, .. }
        if op == "mul" && args.first() == args.get(1));
    here || children(expr).into_iter().any(has_square)
}

fn called(expr: &PetExpr) -> Option<&str> {
    match expr {
        PetExpr::Call { name, .. } => Some(name),
        _ => children(expr).into_iter().find_map(called),
    }
}

/// Refuses a loop without an end, such as `for (int i = 1; t < N; i++)`.
///
/// # Errors
/// HX0105 for such a loop.
pub fn check_ends(text: &str, region: Range<usize>, stmt: &Statement) -> Result<()> {
    for d in 0..stmt.domain.dim(DimType::Set)? {
        // isl reports an unbounded maximum as an error.
        let ends = [stmt.domain.dim_max(d as u32), stmt.domain.dim_min(d as u32)];
        let Some(error) = ends.into_iter().find_map(std::result::Result::err) else {
            continue;
        };
        if error.quota {
            return Err(error.into());
        }
        let name = stmt.domain.dim_name(DimType::Set, d as u32)?;
        let name = name.unwrap_or_else(|| format!("number {d}"));
        let header = csource::loop_headers(text, region)
            .into_iter()
            .rfind(|(iterator, r)| *iterator == name && r.start < stmt.span.start)
            .map_or_else(|| stmt.span.clone(), |(_, range)| range);
        return Err(Box::new(
            Diagnostic::error("HX0105", format!("loop `{name}` has no end"))
                .at(header, "nothing bounds this loop")
                .note("the set of iterations must be known before the loop starts")
                .help(format!(
                    "compare `{name}` with a bound in the loop's condition"
                )),
        ));
    }
    Ok(())
}

/// The refusal of a call that is no function of <math.h>; one `from_host` is a statement of
/// its own, or its value goes to a scalar.
pub fn unknown_call(text: &str, name: &str, span: Range<usize>, from_host: bool) -> Diagnostic {
    let d = Diagnostic::error("HX0107", format!("call of unknown function `{name}`"))
        .at(span.clone(), "in this statement");
    let defined = csource::functions(text)
        .into_iter()
        .find(|f| f.name == name);
    let Some(function) = defined else {
        return if from_host {
            d.note(HOST_WORK)
                .help(HOST_WORK_HELP)
                .help(format!("if `{name}` computes steps, define it in this file, or give the file that defines it, too: `hexcc main.c step.c`"))
        } else {
            let d = d.note("functions known to mean the same in device code are abs() and those of <math.h> that usage.md lists under \"Bit equality\"");
            match name.strip_prefix("__builtin_") {
                Some(_) => d
                    .note("a macro of the C library stands for it")
                    .help("assign what the macro gives to a variable before the region, and use that"),
                None => d.help(format!("if `{name}` is yours, define it in this file, before its use, as `static inline`: then its body is taken")),
            }
        };
    };
    let d = d.note("of the functions in a file, the bodies of those marked `inline` are taken");
    let header = text
        .get(function.start..function.name_range.start)
        .unwrap_or("");
    let is_inline = header
        .split_whitespace()
        .any(|word| word.contains("inline"));
    d.also(function.name_range.clone(), "defined here")
        .help(match is_inline {
            false if function.start < span.start => {
                format!("write `static inline` before the definition of `{name}`")
            }
            _ if function.start > span.start => {
                format!(
                    "move the definition of `{name}` before its use, and mark it `static inline`"
                )
            }
            _ => format!("write the body of `{name}` into the statement"),
        })
}
