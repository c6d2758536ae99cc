//! A whole C program around a stencil, as people have them: headers, macros, other functions,
//! set-up, output.
//!
//! Everything printed is defined by C and the same in every run; what it prints, the elements of
//! all arrays among it, is what the translation has to print.

use crate::form::{self, CPP, CUDA, Feature, Form, GENERATED, LIBC, Names};
use crate::model::{Access, Array, Elem, Expr, Program, Storage};
use crate::print::{Writer, scalar_value};
use crate::rng::Rng;
use std::collections::BTreeSet;
use std::fmt::Write;

/// A program and the command lines it is run with.
pub struct Whole {
    /// C.
    pub text: String,
    /// Arguments of each run.
    pub runs: Vec<Vec<String>>,
}

/// Writes a program in a form.
pub fn whole(program: &Program, form: &Form, name: &str) -> Whole {
    let program = &wrong(&temporaries(program, form), form);
    let writer = Writer::new(program, form, name);
    let page = Page {
        program,
        form,
        w: &writer,
    };
    Whole {
        text: page.text(),
        runs: page.runs(),
    }
}

/// Macros with parameters, of names that generated code has too.
const FUNCTION_MACROS: [&str; 13] = [
    "min(a, b) ((a) < (b) ? (a) : (b))",
    "max(a, b) ((a) > (b) ? (a) : (b))",
    "SQR(x) ((x) * (x))",
    "IDX(i, j) ((i) * 10 + (j))",
    "row(r) (r)",
    "copy(x) x",
    "lowest(x, y) x",
    "mod(x) (x)",
    "launch() 0",
    "swap(x, y) do { int z = x; x = y; y = z; } while (0)",
    "check(call) if (!(call)) abort()",
    "value(x) #x",
    "tile(x, ...) x##_t",
];

/// What a macro with parameters is called.
fn macro_name(line: &str) -> &str {
    line.split('(').next().unwrap_or(line)
}

/// The program with its first reads in local variables, where the form wants that.
fn temporaries(program: &Program, form: &Form) -> Program {
    let mut program = program.clone();
    if form.of(Feature::Temporaries) == 0 {
        return program;
    }
    let arrays = program.arrays.clone();
    // At the top of a function, all bodies share one variable of a name.
    let shared = form.choice(Feature::Temporaries) == "top-of-function";
    // Where they share, those that bodies have already agree (`locals_agree`).
    let own = program.nests.iter().flat_map(|n| &n.items);
    let own = own
        .map(|item| &item.locals)
        .max_by_key(|locals| locals.len());
    let mut types: Vec<Elem> = own.into_iter().flatten().map(|local| local.0).collect();
    for item in program.nests.iter_mut().flat_map(|n| &mut n.items) {
        if item.cond.is_some() || item.then.len() != 1 || item.locals.len() > 1 {
            continue;
        }
        let locals = &mut item.locals;
        let mut left = 2;
        keep_reads(&mut item.then[0].value, &mut |access| {
            if left == 0 {
                return None;
            }
            let elem = arrays[access.array].elem;
            match types.get(locals.len()) {
                Some(other) if shared && *other != elem => return None,
                Some(_) => {}
                None => types.push(elem),
            }
            left -= 1;
            locals.push((elem, Expr::Read(access.clone())));
            Some(locals.len() - 1)
        });
    }
    program
}

/// Replaces reads by the local variables that `keep` names.
fn keep_reads(expr: &mut Expr, keep: &mut dyn FnMut(&Access) -> Option<usize>) {
    if let Expr::Read(access) = expr {
        if let Some(n) = keep(access) {
            *expr = Expr::Local(n);
        }
        return;
    }
    for child in expr.children_mut() {
        keep_reads(child, keep);
    }
}

/// The program with an access behind the end of its array, where the form wants that.
fn wrong(program: &Program, form: &Form) -> Program {
    let mut program = program.clone();
    if form.choice(Feature::Wrong) == "out-of-bounds" {
        let extra: Vec<i64> = program
            .arrays
            .iter()
            .flat_map(|a| a.extra.clone())
            .collect();
        let most = extra.into_iter().max().unwrap_or(0);
        if let Some(l) = program.nests.first_mut().and_then(|n| n.loops.last_mut()) {
            l.high = -1 - most;
            l.step = 1;
        }
    }
    program
}

/// A text under construction.
struct Page<'a> {
    program: &'a Program,
    form: &'a Form,
    w: &'a Writer<'a>,
}

/// A part of a program beside the region: what stands at file scope, and in `main`.
struct Part {
    file: &'static str,
    main: &'static str,
}

const NOTHING: Part = Part { file: "", main: "" };

fn part(choice: &str) -> Part {
    let (file, main) = match choice {
        "sprintf" => (
            "static void fz_label(char *fz_out, const char *fz_base, int fz_n)\n{\n  sprintf(fz_out, \"%s.%d:%5.2f\", fz_base, fz_n, 0.5 * fz_n);\n}\n",
            "  { char fz_text[64]; fz_label(fz_text, \"step\", 3); printf(\"%s %%\\n\", fz_text); }\n",
        ),
        "va_list" => (
            "static void fz_log(const char *fz_format, ...)\n{\n  va_list fz_list;\n  va_start(fz_list, fz_format);\n  vprintf(fz_format, fz_list);\n  va_end(fz_list);\n}\n",
            "  fz_log(\"%d %s %c %g\\n\", 3, \"for (;;) {\", '}', 0.25);\n  fprintf(stdout, \"%5.1f|%-4d|%lu\\n\", 2.5, 7, (unsigned long)9);\n",
        ),
        "while" => (
            "static int fz_collatz(int fz_x)\n{\n  int fz_steps = 0;\n  while (fz_x != 1) {\n    if (fz_x % 2) { fz_x = 3 * fz_x + 1; } else fz_x /= 2;\n    if (++fz_steps > 1000) break;\n  }\n  do { fz_steps--; if (fz_steps == 5) continue; } while (fz_steps > 10);\n  return fz_steps;\n}\n",
            "  printf(\"%d\\n\", fz_collatz(27));\n",
        ),
        "goto-switch" => (
            "static int fz_parse(const char *fz_s)\n{\n  int fz_sum = 0;\nfz_again:\n  switch (*fz_s) {\n  case '\\0': goto fz_done;\n  case '+': case '-': fz_sum += 10; break;\n  default: if (*fz_s >= '0' && *fz_s <= '9') fz_sum += *fz_s - '0'; else fz_sum--;\n  }\n  fz_s++;\n  goto fz_again;\nfz_done:\n  return fz_sum;\n}\n",
            "  printf(\"%d\\n\", fz_parse(\"12+x\\\"#7\"));\n",
        ),
        "strings" => (
            "static const char *fz_words[] = { \"#pragma scop\", \"for (int i = 0; i < n; i++) {\", \"\\\\\", \"/*\", 0 };\nstatic unsigned fz_words_hash(void)\n{\n  unsigned fz_sum = 0, fz_n;\n  const char **fz_p, *fz_c;\n  for (fz_p = fz_words; *fz_p; ++fz_p)\n    for (fz_c = *fz_p, fz_n = 1; *fz_c; fz_c++, fz_n++)\n      fz_sum = fz_sum * 31u + (unsigned)(isupper((unsigned char)*fz_c) ? 1 : *fz_c) * fz_n;\n  return fz_sum + (unsigned)strlen(fz_words[0]);\n}\n",
            "  printf(\"%u\\n\", fz_words_hash());\n",
        ),
        "recursion" => (
            "static int fz_even(int fz_n);\nstatic int fz_odd(int fz_n) { return fz_n == 0 ? 0 : fz_even(fz_n - 1); }\nstatic int fz_even(int fz_n)\n{\n  if (fz_n == 0)\n    return 1;\n  return fz_odd(fz_n - 1);\n}\n",
            "  printf(\"%d %d\\n\", fz_even(10), fz_odd(7));\n",
        ),
        "struct" => (
            "struct fz_point { double x, y; int tag[3]; };\ntypedef struct { struct fz_point fz_from, fz_to; unsigned bits : 3, : 2, more : 4; } fz_edge;\nstatic double fz_length(const fz_edge *fz_e)\n{\n  double fz_dx = fz_e->fz_to.x - fz_e->fz_from.x, fz_dy = fz_e->fz_to.y - fz_e->fz_from.y;\n  return fz_dx * fz_dx + fz_dy * fz_dy + fz_e->more;\n}\n",
            "  { fz_edge fz_e = { { 1.0, 2.0, { 1 } }, { 4.0, 6.0, { 0, 2, 0 } }, 5, 9 };\n    printf(\"%g %d\\n\", fz_length(&fz_e), fz_e.fz_to.tag[1]); }\n",
        ),
        "enum" => (
            "enum fz_color { FZ_RED, FZ_GREEN = 5, FZ_BLUE };\nstatic const char *fz_name(enum fz_color fz_c)\n{\n  switch (fz_c) {\n  case FZ_RED: return \"red\";\n  case FZ_GREEN: return \"green\";\n  default: return \"other\";\n  }\n}\n",
            "  printf(\"%s %d\\n\", fz_name(FZ_GREEN), (int)FZ_BLUE);\n",
        ),
        "function-pointers" => (
            "typedef double (*fz_function)(double, double);\nstatic double fz_add(double fz_x, double fz_y) { return fz_x + fz_y; }\nstatic double fz_mul(double fz_x, double fz_y) { return fz_x * fz_y; }\nstatic const struct { const char *name; fz_function f; } fz_table[] = { { \"+\", fz_add }, { \"*\", &fz_mul } };\n",
            "  for (size_t fz_i = 0; fz_i < sizeof fz_table / sizeof *fz_table; fz_i++)\n    printf(\"%s %g\\n\", fz_table[fz_i].name, (*fz_table[fz_i].f)(3, 4));\n",
        ),
        "union" => (
            "union fz_any { unsigned u; unsigned char c[4]; };\nstatic volatile int fz_seen = 0;\nextern int fz_later;\nint fz_later = 4;\n",
            "  { union fz_any fz_a; fz_a.u = 0x01020304u; fz_seen += fz_a.c[0] + fz_a.c[3];\n    printf(\"%d %d\\n\", fz_seen, fz_later); }\n",
        ),
        _ => (c_only(choice).file, c_only(choice).main),
    };
    Part { file, main }
}

/// C that C++ refuses.
fn c_only(choice: &str) -> Part {
    let (file, main) = match choice {
        "malloc" => (
            "static int *fz_list(int fz_n)\n{\n  int *fz_p = malloc(fz_n * sizeof *fz_p);\n  for (int fz_i = 0; fz_i < fz_n; fz_i++) fz_p[fz_i] = fz_i * fz_i;\n  return fz_p;\n}\n",
            "  { int *fz_p = fz_list(5); printf(\"%d\\n\", fz_p[4]); free(fz_p); }\n",
        ),
        "designated" => (
            "struct fz_options { int width, height; const char *name; };\nstatic struct fz_options fz_defaults = { .height = 3, .name = \"x\", .width = 2 };\nstatic int fz_sparse[6] = { [4] = 7, [1] = 2 };\n",
            "  printf(\"%d %d %s %d\\n\", fz_defaults.width, fz_defaults.height, fz_defaults.name, fz_sparse[4]);\n",
        ),
        "compound-literal" => (
            "struct fz_pair { int a, b; };\nstatic int fz_sum_of(const struct fz_pair *fz_p) { return fz_p->a + fz_p->b; }\n",
            "  printf(\"%d\\n\", fz_sum_of(&(struct fz_pair){ 3, 4 }));\n",
        ),
        "old-style" => (
            "static int fz_old(fz_a, fz_b)\n  int fz_a;\n  int fz_b;\n{\n  return fz_a * fz_b;\n}\n",
            "  printf(\"%d\\n\", fz_old(6, 7));\n",
        ),
        "tentative" => (
            "static int fz_twice;\nstatic int fz_twice;\nstatic int fz_twice = 8;\n",
            "  printf(\"%d\\n\", fz_twice);\n",
        ),
        "enum-int" => (
            "enum fz_level { FZ_LOW, FZ_HIGH };\nstatic enum fz_level fz_level_of(int fz_x) { enum fz_level fz_l = fz_x; return fz_l; }\n",
            "  printf(\"%d\\n\", (int)fz_level_of(1));\n",
        ),
        "string-literal" => (
            "static char *fz_title = \"a title\";\n",
            "  printf(\"%s\\n\", fz_title);\n",
        ),
        "void-pointer" => (
            "static void fz_swap(void *fz_a, void *fz_b)\n{\n  int *fz_x = fz_a, *fz_y = fz_b, fz_z = *fz_x;\n  *fz_x = *fz_y;\n  *fz_y = fz_z;\n}\n",
            "  { int fz_a = 1, fz_b = 2; fz_swap(&fz_a, &fz_b); printf(\"%d %d\\n\", fz_a, fz_b); }\n",
        ),
        "bool-restrict" => (
            "static _Bool fz_all(const int *restrict fz_p, int fz_n)\n{\n  _Bool fz_r = 1;\n  while (fz_n-- > 0) fz_r = fz_r && fz_p[fz_n];\n  return fz_r;\n}\n",
            "  { int fz_v[3] = { 1, 2, 0 }; printf(\"%d %d\\n\", fz_all(fz_v, 2), fz_all(fz_v, 3)); }\n",
        ),
        _ => return NOTHING,
    };
    Part { file, main }
}

/// The names a program is made of, and whether its text mentions one.
fn mentioned(text: &str) -> BTreeSet<&str> {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    text.split(|c| !word(c)).collect()
}

const HELPERS: &str = "static unsigned fz_state = 1;\n\nstatic unsigned fz_next(void)\n{\n  fz_state = fz_state * 1664525u + 1013904223u;\n  return fz_state >> 8;\n}\n\nstatic unsigned long long fz_hash = 14695981039346656037ull;\n\nstatic void fz_add_to_hash(const void *fz_at, size_t fz_size)\n{\n  const unsigned char *fz_byte = (const unsigned char *)fz_at;\n\n  for (size_t fz_n = 0; fz_n < fz_size; fz_n++)\n    fz_hash = (fz_hash ^ fz_byte[fz_n]) * 1099511628211ull;\n}\n\n";
const OTHER_FUNCTION: &str = "static void fz_smooth(float fz_line[64])\n{\n  for (int fz_i = 0; fz_i < 64; fz_i++)\n    fz_line[fz_i] = 0.125f * (fz_i % 7);\n  for (int fz_i = 1; fz_i < 63; fz_i++)\n    fz_line[fz_i] = 0.5f * (fz_line[fz_i - 1] + fz_line[fz_i]);\n}\n\n";

impl Page<'_> {
    fn names(&self) -> &Names {
        &self.w.names
    }

    fn headers(&self) -> String {
        let mut all = vec!["math.h", "stdio.h", "stdlib.h"];
        let stdint = self.form.choice(Feature::ElementType) == "stdint"
            || self.form.choice(Feature::IteratorType) == "int64_t"
            || self.form.choice(Feature::SizeType) == "int32_t";
        if stdint {
            all.push("stdint.h");
        }
        // Before all macros of the program, as the others.
        if self.form.choice(Feature::Control) == "strings" {
            all.extend(["string.h", "ctype.h"]);
        }
        if self.form.choice(Feature::Prints) == "va_list" {
            all.push("stdarg.h");
        }
        all.extend(match self.form.choice(Feature::Headers) {
            "strings-time" => &["string.h", "time.h"][..],
            "many" => &[
                "assert.h",
                "limits.h",
                "float.h",
                "stddef.h",
                "errno.h",
                "ctype.h",
                "inttypes.h",
            ],
            "posix" => &["sys/time.h", "unistd.h", "sys/types.h"],
            _ => &[],
        });
        all.iter().map(|h| format!("#include <{h}>\n")).collect()
    }

    /// Types, sizes and arrays at file scope.
    fn definitions(&self) -> String {
        let (program, form) = (self.program, self.form);
        let mut out = String::new();
        let mut elements: BTreeSet<String> = BTreeSet::new();
        let scalars = program.scalars.iter().copied();
        let locals = program
            .nests
            .iter()
            .flat_map(|n| &n.items)
            .flat_map(|i| i.locals.iter().map(|(e, _)| *e));
        let casts = std::iter::once(Elem::Int);
        for elem in program
            .arrays
            .iter()
            .map(|a| a.elem)
            .chain(scalars)
            .chain(locals)
            .chain(casts)
        {
            elements.extend(form::element(form, elem).1);
        }
        elements
            .iter()
            .for_each(|line| out.push_str(&format!("{line}\n")));
        for (p, size) in form::param_sizes(program) {
            let (name, value) = (self.w.size_text(size), form::fixed_value(form, program, p));
            let guard = form.choice(Feature::Conditional) == "guards";
            let define = |text: String| match guard {
                true => format!("#ifndef {name}\n#define {name} {text}\n#endif\n"),
                false => format!("#define {name} {text}\n"),
            };
            out.push_str(&match form.choice(Feature::Sizes) {
                "macro" => define(value.to_string()),
                "macro-long" => define(format!("{value}L")),
                "macro-parentheses" => define(format!("({value}) /* of {name} */")),
                "macro-sum" => define(format!("({} + 4)", value - 4)),
                "enum" => format!("enum {{ {name} = {value} }};\n"),
                "const-variable" => format!(
                    "static const {} {name} = {value};\n",
                    self.plain_size_type()
                ),
                "variable" => format!("static {} {name};\n", self.plain_size_type()),
                _ => String::new(),
            });
        }
        out.push_str(&self.w.param_macros());
        if form.global_arrays() {
            for n in 0..program.arrays.len() {
                let _ = writeln!(out, "static {};", self.array_variable(n));
            }
        }
        if form.choice(Feature::Iterators) == "file-scope" {
            let all: Vec<&str> = std::iter::once(&self.names().time)
                .chain(&self.names().iterators)
                .map(String::as_str)
                .collect();
            let _ = writeln!(out, "static {} {};", self.w.iterator_type(), all.join(", "));
        }
        out.push_str(&self.w.access_macros());
        out
    }

    fn plain_size_type(&self) -> &'static str {
        self.w.size_type().trim_start_matches("const ")
    }

    fn extents(&self, array: &Array) -> String {
        self.w
            .array_extents(array)
            .iter()
            .map(|e| format!("[{e}]"))
            .collect()
    }

    /// An array as a variable.
    fn array_variable(&self, n: usize) -> String {
        let array = &self.program.arrays[n];
        format!(
            "{} {}{}",
            self.w.elem(array.elem),
            self.names().arrays[n],
            self.extents(array)
        )
    }

    /// Functions and macros that the region calls.
    fn called(&self, defined: bool) -> String {
        let mut out = String::new();
        let kinds: BTreeSet<&str> = self.program.arrays.iter().map(|a| a.elem.c()).collect();
        for elem in [Elem::Float, Elem::Double, Elem::Int, Elem::Byte] {
            let Some(name) = self.w.wrapper(elem).filter(|_| kinds.contains(elem.c())) else {
                continue;
            };
            let c = elem.c();
            let body = match elem {
                Elem::Float => "0.75f * fz_v",
                Elem::Double => "0.75 * fz_v",
                Elem::Int | Elem::Byte => "fz_v",
            };
            let _ = match self.form.choice(Feature::Calls) {
                _ if self.form.choice(Feature::Wrong) == "unknown-function" => match defined {
                    false => writeln!(out, "static unsigned fz_state;\n{c} {name}({c} fz_v);"),
                    true => writeln!(
                        out,
                        "{c} {name}({c} fz_v) {{ fz_state = fz_state * 5u + 1u; return {body}; }}\n"
                    ),
                },
                "inline-scalar" if !defined => {
                    writeln!(
                        out,
                        "static inline {c} {name}({c} fz_v)\n{{\n  return {body};\n}}\n"
                    )
                }
                "later-scalar" if !defined => writeln!(out, "static {c} {name}({c} fz_v);"),
                "later-scalar" => writeln!(
                    out,
                    "static {c} {name}({c} fz_v)\n{{\n  return {body};\n}}\n"
                ),
                "macro" if !defined => writeln!(
                    out,
                    "#define {name}(fz_v) ({})",
                    body.replace("fz_v", "(fz_v)")
                ),
                _ => Ok(()),
            };
        }
        let later = self.form.choice(Feature::Calls) == "later-step";
        match (later, defined) {
            (true, false) => out + &self.w.step_prototypes(),
            (true, true) | (false, false) => out + &self.w.step_functions(),
            (false, true) => out,
        }
    }

    /// Macros of no use whose names others like, too.
    fn macros(&self, text: &str) -> String {
        let list = match self.form.choice(Feature::Macros) {
            "generated" => GENERATED,
            "c++" => CPP,
            "cuda" => CUDA,
            "libc" => LIBC,
            "functions" => {
                let used = mentioned(text);
                let is_free = |line: &&&str| !used.contains(macro_name(line));
                let lines = FUNCTION_MACROS.iter().filter(is_free);
                return lines.map(|line| format!("#define {line}\n")).collect();
            }
            _ => return String::new(),
        };
        let used = mentioned(text);
        let names = self.names().all();
        let mut out = String::new();
        for (n, name) in list.iter().enumerate() {
            if !used.contains(name) && !names.contains(name) {
                let value = ["3", "(1 + 2)", "0x10L", "2.5f", "", "fz_state"][n % 6];
                let _ = writeln!(out, "#define {name} {value}");
            }
        }
        out
    }

    /// Functions and variables of no use to the region, with names of all kinds.
    fn others(&self, text: &str) -> String {
        let list = match self.form.choice(Feature::Others) {
            "generated" => GENERATED,
            "c++" => CPP,
            "cuda" => CUDA,
            _ => return String::new(),
        };
        let (used, names) = (mentioned(text), self.names().all());
        let mut free = list
            .iter()
            .filter(|n| !used.contains(**n) && !names.contains(**n) && !LIBC.contains(n));
        let mut name = || free.next().copied().unwrap_or("fz_none");
        let (f, g, s, v) = (name(), name(), name(), name());
        format!(
            "static int {v} = 5;\nstruct {s} {{ int fz_x; }};\nstatic int {f}(int {g})\n{{\n  struct {s} fz_s = {{ {g} }};\n  return fz_s.fz_x + {v};\n}}\nstatic int fz_call_other(void) {{ return {f}(2); }}\n\n"
        )
    }

    /// Loops over all elements of an array with the iterators of the form, each applied to `body`.
    fn sweep(&self, n: usize, body: &dyn Fn(&str) -> String) -> String {
        let array = &self.program.arrays[n];
        let outer = self.form.outer_iterators();
        let inline_step =
            self.form.in_steps() && self.form.choice(Feature::Iterators) != "file-scope";
        let kind = self.w.iterator_type();
        let mut out = String::new();
        let mut access = self.names().arrays[n].clone();
        for (d, extent) in self.w.array_extents(array).iter().enumerate() {
            let known = outer && !inline_step && d < self.names().iterators.len();
            let name = if known {
                self.names().iterators[d].clone()
            } else {
                format!("fz_i{d}")
            };
            let declaration = if known {
                String::new()
            } else {
                format!("{kind} ")
            };
            let indent = "  ".repeat(d + 1);
            let _ = writeln!(
                out,
                "{indent}for ({declaration}{name} = 0; {name} < {extent}; {name}++)"
            );
            let _ = write!(access, "[{name}]");
        }
        let _ = writeln!(out, "    {}", body(&access));
        out
    }

    fn changed(&self, n: usize) -> impl Fn(&str) -> String {
        let elem = self.program.arrays[n].elem;
        move |a| match elem {
            Elem::Float => format!("{a} = 0.5f * {a} + 0.25f;"),
            Elem::Double => format!("{a} = 0.5 * {a} + 0.25;"),
            Elem::Int => format!("{a} = ({a} + 3) % 200;"),
            Elem::Byte => format!("{a} = {a} / 2;"),
        }
    }

    /// Statements before the region in its function.
    fn before(&self) -> String {
        let mut out = String::new();
        if self.form.choice(Feature::Prints) == "same-function" {
            out.push_str("  printf(\"begin %s %d\\n\", __func__ ? \"x\" : \"y\", 1);\n");
        }
        if self.form.choice(Feature::Before) == "loops" {
            for n in 0..self.program.arrays.len() {
                let constant = self.form.choice(Feature::Arrays) == "const";
                if !constant {
                    out.push_str(&self.sweep(n, &self.changed(n)));
                }
            }
        }
        out.push_str(match self.form.choice(Feature::Conditional) {
            "alternatives" => "#if 0\n  for (int fz_n = 0; fz_n < 3; fz_n++) { (((\n#elif defined(FZ_NEVER)\n  #error no\n#else\n  fz_state += 0;\n#endif\n",
            _ => "",
        });
        out
    }

    /// Statements after the region in its function.
    fn after(&self) -> String {
        let mut out = String::new();
        let names = self.names();
        let inner = matches!(
            self.form.choice(Feature::Iterators),
            "initialized" | "file-scope"
        ) && !self.form.in_steps();
        match self.form.choice(Feature::After) {
            "iterators" if self.form.outer_time() => {
                let _ = writeln!(out, "  printf(\"%ld\\n\", (long){});", names.time);
                for name in names.iterators.iter().filter(|_| inner) {
                    let _ = writeln!(out, "  printf(\"%ld\\n\", (long){name});");
                }
            }
            "planes" if self.form.outer_time() => {
                for (n, array) in self.program.arrays.iter().enumerate() {
                    if let Storage::Buffer(m) = array.storage {
                        let zeros = "[0]".repeat(array.dims.len());
                        let _ = writeln!(
                            out,
                            "  printf(\"%.9g\\n\", (double){}[{} % {m}]{zeros});",
                            names.arrays[n], names.time
                        );
                    }
                }
            }
            "loops" => {
                out.push_str("  double fz_sum = 0;\n");
                for n in 0..self.program.arrays.len() {
                    out.push_str(&self.sweep(n, &|a| format!("fz_sum += {a};")));
                }
                out.push_str("  printf(\"%.17g\\n\", fz_sum);\n");
            }
            _ => {}
        }
        if self.form.choice(Feature::Prints) == "same-function" {
            out.push_str("  fprintf(stdout, \"%s: %d%%\\n\", \"done\", 100);\n  fflush(stdout);\n");
        }
        out
    }

    fn variables(&self) -> String {
        let mut out = String::new();
        for (p, size) in form::param_sizes(self.program) {
            let name = self.w.size_text(size);
            let value = format!(
                "argc > {} ? atoi(argv[{}]) : {}",
                p + 1,
                p + 1,
                form::least_size(self.program)
            );
            let _ = match self.form.choice(Feature::Sizes) {
                "parameter" => writeln!(out, "  {} {name} = {value};", self.w.size_type()),
                "variable" => writeln!(out, "  {name} = {value};"),
                _ => Ok(()),
            };
        }
        if self.form.fixed_sizes() || self.program.params.is_empty() {
            out.push_str("  (void)argc;\n  (void)argv;\n");
        }
        if self.form.in_main() {
            for (s, elem) in self.program.scalars.iter().enumerate() {
                let _ = writeln!(
                    out,
                    "  {} {} = {};",
                    self.w.elem(*elem),
                    self.names().scalars[s],
                    scalar_value(s, *elem)
                );
            }
        }
        for (n, array) in self.program.arrays.iter().enumerate() {
            out.push_str(&self.storage(n, array));
        }
        out
    }

    /// The array as a variable of `main`.
    fn storage(&self, n: usize, array: &Array) -> String {
        let (c, name) = (self.w.elem(array.elem), &self.names().arrays[n]);
        let extents = self.extents(array);
        let row = extents.split_once(']').map_or("", |(_, rest)| rest);
        match self.form.choice(Feature::Arrays) {
            "global" => String::new(),
            "main-vla" => format!("  {};\n", self.array_variable(n)),
            "main-static" => format!("  static {};\n", self.array_variable(n)),
            _ if self.rows(array) => self.allocated_rows(n, array),
            // An array of one dimension needs its size beside it, where the region stands here.
            "main-heap" if row.is_empty() => format!("  {};\n", self.array_variable(n)),
            _ if row.is_empty() => {
                format!("  {c} *{name} = ({c} *)malloc(sizeof({c}{extents}));\n")
            }
            _ => format!("  {c} (*{name}){row} = ({c} (*){row})malloc(sizeof({c}{extents}));\n"),
        }
    }

    fn rows(&self, array: &Array) -> bool {
        self.form.in_rows() && self.w.array_extents(array).len() > 1
    }

    /// Tables of pointers and rows, each allocated by itself.
    fn allocated_rows(&self, n: usize, array: &Array) -> String {
        let (c, mut place) = (self.w.elem(array.elem), self.names().arrays[n].clone());
        let extents = self.w.array_extents(array);
        let stars = |d: usize| "*".repeat(extents.len() - d);
        let mut out = format!("  {c} {}{place};\n", stars(0));
        for (d, extent) in extents.iter().enumerate() {
            let _ = writeln!(
                out,
                "  {place} = ({c} {})malloc(({extent}) * sizeof *{place});",
                stars(d)
            );
            if d + 1 < extents.len() {
                let _ = write!(
                    out,
                    "  for (int fz_r{d} = 0; fz_r{d} < {extent}; fz_r{d}++) {{\n  "
                );
                let _ = write!(place, "[fz_r{d}]");
            }
        }
        out + &"  }".repeat(extents.len() - 1) + "\n"
    }

    /// Code for each row of an array, or for all of it.
    fn each_row(&self, n: usize, body: &dyn Fn(&str, &str) -> String) -> String {
        let array = &self.program.arrays[n];
        let (c, name) = (self.w.elem(array.elem), &self.names().arrays[n]);
        if self.rows(array) {
            let extents = self.w.array_extents(array);
            let Some((columns, outer)) = extents.split_last() else {
                return String::new();
            };
            let (mut loops, mut place) = (String::new(), name.clone());
            for (d, extent) in outer.iter().enumerate() {
                let _ = write!(
                    loops,
                    "  for (int fz_r{d} = 0; fz_r{d} < {extent}; fz_r{d}++)\n  "
                );
                let _ = write!(place, "[fz_r{d}]");
            }
            return loops + &body(&place, &format!("({columns}) * sizeof({c})"));
        }
        body(name, &format!("sizeof({c}{})", self.extents(array)))
    }

    fn fill(&self, n: usize) -> String {
        let elem = self.program.arrays[n].elem;
        let c = self.w.elem(elem);
        let value = match elem {
            Elem::Float => "fz_next() / 16777216.0f",
            Elem::Double => "fz_next() / 16777216.0",
            Elem::Int => "(int)(fz_next() % 200)",
            Elem::Byte => "(unsigned char)fz_next()",
        };
        self.each_row(n, &|name, bytes| {
            format!("  for (size_t fz_n = 0; fz_n < {bytes} / sizeof({c}); fz_n++)\n    (({c} *){name})[fz_n] = {value};\n")
        })
    }

    fn call(&self) -> String {
        if self.form.in_main() {
            return format!(
                "{}{}{}{}",
                self.w.declarations(),
                self.before(),
                self.w.region(),
                self.after()
            );
        }
        let sizes = (self.form.of(Feature::Sizes) == 0).then(|| self.names().params.clone());
        let scalars = self
            .program
            .scalars
            .iter()
            .enumerate()
            .map(|(s, e)| scalar_value(s, *e));
        let pointer = |(n, name): (usize, &String)| match self.form.is_flat() {
            true => format!("({} *){name}", self.w.elem(self.program.arrays[n].elem)),
            false => name.clone(),
        };
        let arrays = (!self.form.global_arrays())
            .then(|| self.names().arrays.iter().enumerate().map(pointer));
        let args: Vec<String> = (sizes.into_iter().flatten())
            .chain(scalars)
            .chain(arrays.into_iter().flatten())
            .collect();
        format!("  {}({});\n", self.names().function, args.join(", "))
    }

    fn main(&self, parts: &[Part]) -> String {
        let mut out = String::from("int main(int argc, char **argv)\n{\n");
        out.push_str(&self.variables());
        out.push('\n');
        for n in 0..self.program.arrays.len() {
            out.push_str(&self.fill(n));
        }
        if self.form.choice(Feature::Before) == "other-function" {
            out.push_str("  { float fz_line[64]; fz_smooth(fz_line); fz_add_to_hash(fz_line, sizeof fz_line); }\n");
        }
        out.push_str(&self.call());
        for part in parts {
            out.push_str(part.main);
        }
        if self.form.of(Feature::Others) != 0 {
            out.push_str("  printf(\"%d\\n\", fz_call_other());\n");
        }
        for n in 0..self.program.arrays.len() {
            out.push_str(&self.each_row(n, &|name, bytes| {
                format!("  fz_add_to_hash({name}, {bytes});\n")
            }));
        }
        out.push_str("  printf(\"%016llx\\n\", fz_hash);\n  return 0;\n}\n");
        out
    }

    fn text(&self) -> String {
        let kinds = [
            Feature::Prints,
            Feature::Control,
            Feature::Types,
            Feature::COnly,
        ];
        let parts: Vec<Part> = kinds.iter().map(|&k| part(self.form.choice(k))).collect();
        let function = match self.form.in_main() {
            true => String::new(),
            false => self.w.function(&self.before(), &self.after()),
        };
        let mut rest = String::from(HELPERS);
        for part in &parts {
            rest.push_str(part.file);
        }
        if self.form.choice(Feature::Before) == "other-function" {
            rest.push_str(OTHER_FUNCTION);
        }
        if self.form.choice(Feature::Conditional) == "garbage" {
            rest.push_str("#ifdef FZ_NEVER\nthis is no C: \" ' { ( for (;;\n#pragma scop\n#include \"nothing.h\"\n#endif\n");
        }
        rest.push_str(&self.called(false));
        rest.push('\n');
        rest.push_str(&function);
        rest.push('\n');
        rest.push_str(&self.called(true));
        rest.push_str(&self.main(&parts));
        let definitions = self.definitions();
        let known = format!("{definitions}{rest}");
        format!(
            "{}\n{}{definitions}\n{}{rest}",
            self.headers(),
            self.macros(&known),
            self.others(&known),
        )
    }

    /// Command lines: sizes that are small, and sizes of several tiles.
    fn runs(&self) -> Vec<Vec<String>> {
        let least = form::least_size(self.program);
        if self.form.fixed_sizes() || self.program.params.is_empty() {
            return vec![Vec::new()];
        }
        let mut rng = Rng::new(least as u64, self.program.params.len() as u64);
        let cap = [90, 34, 14, 9][self.program.n_dims() - 1].max(least);
        [(least, 1), (least + 3, 4), (cap, 9)]
            .iter()
            .map(|&(size, steps)| {
                let value = |p: usize| match self.program.is_space_param(p) {
                    true => size,
                    false => steps,
                };
                (0..self.program.params.len())
                    .map(|p| (value(p) + rng.range(0, 3)).to_string())
                    .collect()
            })
            .collect()
    }
}
