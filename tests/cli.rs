//! The command line as people know it from compilers: standard input, options of the preprocessor, what is said
//! and how, exit statuses, rules for make and help.

mod common;

use common::{hexcc, testsuite};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// A loop over `N` cells; both `N` and `W` come from elsewhere.
const LOOP: &str = "void f(int T, float A[2][N])\n{\n  for (int t = 0; t < T; t++)\n    for (int i = 1; i < N - 1; i++)\n      A[(t+1)%2][i] = W * (A[t%2][i-1] + A[t%2][i+1]);\n}\n";

/// One that stays on the host, with a warning.
const WARNS: &str = "#include <stdio.h>\nfloat A[4096];\nvoid run(int T)\n{\n  for (int t = 0; t < T; t++) {\n    for (int i = 1; i < 4095; i++)\n      A[i] = 0.5f * A[i];\n    printf(\"%g\\n\", A[3]);\n  }\n}\n";

/// A folder with files.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary directory");
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }
    folder
}

/// Runs hexcc in a folder.
fn run(folder: &Path, line: &str) -> Output {
    let mut command = hexcc();
    command.current_dir(folder).args(line.split_whitespace());
    common::output(&mut command).expect("hexcc starts")
}

/// Runs hexcc in a folder with a text on its standard input.
fn run_on(folder: &Path, line: &str, text: &str) -> Output {
    let mut command = hexcc();
    command.current_dir(folder).args(line.split_whitespace());
    fed(&mut command, text)
}

fn fed(command: &mut Command, text: &str) -> Output {
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command
        .stderr(Stdio::piped())
        .spawn()
        .expect("hexcc starts");
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(text.as_bytes()).expect("it is read");
    drop(input);
    child.wait_with_output().expect("hexcc ends")
}

fn stdout(out: &Output) -> String {
    String::from_utf8_lossy(&out.stdout).into_owned()
}

fn stderr(out: &Output) -> String {
    String::from_utf8_lossy(&out.stderr).into_owned()
}

fn status(out: &Output) -> Option<i32> {
    out.status.code()
}

/// A translation without a word; its text.
fn translated(folder: &Path, line: &str) -> String {
    let out = run(folder, line);
    assert!(
        out.status.success() && out.stderr.is_empty(),
        "{line}: {out:?}"
    );
    stdout(&out)
}

#[test]
fn standard_input_is_a_file() {
    let text = format!("#include \"sizes.h\"\n{LOOP}");
    let folder = folder(&[
        ("sizes.h", "#define N 64\n#define W 0.5f\n"),
        ("a.c", &text),
    ]);
    let out = run_on(folder.path(), "- -o -", &text);
    assert!(out.status.success() && out.stderr.is_empty(), "{out:?}");
    let by_name = translated(folder.path(), "a.c");
    assert_eq!(stdout(&out).replace("<stdin>", "a.c"), by_name);
    let out = run_on(folder.path(), "-", "void f(void)\n{\n  int x = ;\n}\n");
    assert!(stderr(&out).contains("<stdin>"), "{out:?}");
    assert_eq!(status(&out), Some(1));
    let out = run_on(folder.path(), "explain -", &text);
    assert!(
        stdout(&out).starts_with("<stdin>: 1 time loop tiled"),
        "{out:?}"
    );
    let whole = "#include <stdio.h>\nfloat A[2][64];\nint main(void)\n{\n  for (int t = 0; t < 9; t++)\n    for (int i = 1; i < 63; i++)\n      A[(t+1)%2][i] = 0.5f * (A[t%2][i-1] + A[t%2][i+1]);\n  printf(\"%g\\n\", A[1][3]);\n}\n";
    let out = run_on(folder.path(), "run - --target openmp", whole);
    assert!(
        out.status.success() && stdout(&out).contains("ok: "),
        "{out:?}"
    );
}

#[test]
fn macros_are_taken_back_in_order() {
    let folder = folder(&[(
        "a.c",
        &format!("#ifndef W\n#define W 0.25f\n#endif\n{LOOP}"),
    )]);
    let has = |line: &str, weight: &str| {
        let text = translated(folder.path(), line);
        assert!(text.contains(&format!("{weight} * (")), "{line}: {text}");
    };
    has("a.c -DN=64 -DW=0.5f", "0.5f");
    has("a.c -D N=64 -D W=0.5f -U W", "0.25f");
    has("a.c -DN=64 -UW -DW=0.5f", "0.5f");
    has("a.c -DN=64 -U_FORTIFY_SOURCE", "0.25f");
    let out = run(folder.path(), "a.c -DN=64 -U__GNUC__");
    assert_eq!(status(&out), Some(2));
    assert!(stderr(&out).contains("write `#undef __GNUC__`"), "{out:?}");
}

#[test]
fn files_come_before_the_text() {
    let folder = folder(&[
        ("sub/a.c", LOOP),
        ("sub/bad.c", "void f(void)\n{\n  int x = ;\n}\n"),
        ("sub/w.h", "#define N 64\n#define W 0.125f\n"),
        ("w.h", "#define N 64\n#define W 0.5f\n"),
        ("headers/v.h", "#define N 64\n#define W 0.25f\n"),
    ]);
    // The working directory comes first, and the directory of the file does not count.
    let whole = folder.path().canonicalize().expect("a folder").join("w.h");
    let text = translated(folder.path(), "sub/a.c -include w.h");
    assert!(
        text.contains(&format!("#include \"{}\"\n", whole.display())),
        "{text}"
    );
    assert!(text.contains("0.5f * ("), "{text}");
    for line in [
        "sub/a.c -include v.h -isystem headers",
        "sub/a.c -includev.h -isystemheaders",
        "sub/a.c --include v.h -I headers",
    ] {
        let text = translated(folder.path(), line);
        assert!(
            text.contains("#include \"v.h\"\n") && text.contains("0.25f * ("),
            "{text}"
        );
    }
    // Lines are those of the file.
    assert!(translated(folder.path(), "sub/a.c -include w.h --line 3").contains("line 3"));
    let out = run(folder.path(), "sub/a.c -include w.h --line 2");
    assert!(stderr(&out).contains("loops begin at lines 3"), "{out:?}");
    // So are those of messages, after one about the directive.
    let out = run(folder.path(), "sub/a.c -include nowhere.h");
    assert!(stderr(&out).contains("sub/a.c:1:10"), "{out:?}");
    let out = run(
        folder.path(),
        "sub/a.c -include w.h --tiling overlapped -DA=B[",
    );
    assert!(stderr(&out).contains("sub/a.c:"), "{out:?}");
    let out = run(folder.path(), "sub/a.c sub/w.h -include w.h");
    assert!(
        status(&out) == Some(1) && stderr(&out).contains("HX0509"),
        "{out:?}"
    );
}

/// Directories of `-isystem` come after those of `-I`.
#[test]
fn directories_of_the_system_come_last() {
    let define = |weight: &str| format!("#define N 64\n#define W {weight}\n");
    let folder = folder(&[
        ("a.c", &format!("#include <w.h>\n{LOOP}")),
        ("one/w.h", &define("0.5f")),
        ("two/w.h", &define("0.25f")),
    ]);
    let text = translated(folder.path(), "a.c -isystem one -I two");
    assert!(text.contains("0.25f * ("), "{text}");
}

/// Directories of `-iquote` come before those of `-I`, but for includes in brackets, which have to be elsewhere.
#[test]
fn quotes_have_directories_of_their_own() {
    let define = |weight: &str| format!("#define N 64\n#define W {weight}\n");
    let folder = folder(&[
        ("a.c", &format!("#include \"w.h\"\n{LOOP}")),
        ("b.c", &format!("#include \"deep.h\"\n{LOOP}")),
        ("deep.h", "#include <w.h>\n"),
        ("quotes/w.h", &define("0.25f")),
        ("brackets/w.h", &define("0.5f")),
        ("system/math.h", ""),
    ]);
    let dirs = "-I brackets -iquote quotes";
    let text = translated(folder.path(), &format!("a.c {dirs}"));
    assert!(text.contains("0.25f * ("), "{text}");
    for (line, says) in [
        (format!("b.c {dirs}"), "`deep.h` includes `<w.h>`"),
        (
            "a.c -iquotequotes -iquote system".to_string(),
            "has `math.h`, and so has the system",
        ),
    ] {
        let out = run(folder.path(), &line);
        assert!(stderr(&out).contains(says), "{line}: {out:?}");
        assert_eq!(status(&out), Some(1), "{line}");
    }
}

/// Every standard is taken, if the text does not ask for it.
#[test]
fn standards_are_known() {
    let asks = format!(
        "#if __STDC_VERSION__ > 201112L\n#define W 0.25f\n#else\n#define W 0.5f\n#endif\n{LOOP}"
    );
    let main = "float A[2][64];\nint main(void)\n{\n  // Strict C89 has no such comments.\n  f(9, A);\n  return 0;\n}\n";
    let folder = folder(&[
        ("a.c", LOOP),
        ("asks.c", &asks),
        ("main.c", &format!("{LOOP}{main}")),
    ]);
    let expected = translated(folder.path(), "a.c -DN=64 -DW=0.5f");
    for standard in [
        "c89",
        "c90",
        "gnu89",
        "c99",
        "gnu99",
        "c11",
        "gnu11",
        "c17",
        "gnu17",
        "c18",
        "c2x",
        "c23",
        "gnu23",
        "iso9899:1999",
    ] {
        let text = translated(
            folder.path(),
            &format!("a.c -DN=64 -DW=0.5f -std={standard}"),
        );
        assert_eq!(text, expected, "{standard}");
    }
    translated(folder.path(), "asks.c -DN=64 -std=gnu17");
    let out = run(folder.path(), "asks.c -DN=64 -std=c99");
    assert_eq!(status(&out), Some(1), "{out:?}");
    let says = "`-std=c99`: `asks.c` asks for `__STDC_VERSION__`";
    assert!(stderr(&out).contains(says), "{out:?}");
    assert_eq!(status(&run(folder.path(), "a.c -std=c++17")), Some(2));
    // `hexcc run` hands it on.
    let out = run(
        folder.path(),
        "run main.c -DN=64 -DW=0.5f --target openmp -std=c89",
    );
    assert!(stderr(&out).contains("C compiler"), "{out:?}");
}

/// The options of `hexcc run` are those of its compilers.
#[test]
fn compilers_get_the_options_of_the_preprocessor() {
    let main = "float A[2][N];\nint main(void)\n{\n  f(9, A);\n  return A[1][3] > 0;\n}\n";
    let folder = folder(&[
        ("a.c", &format!("{LOOP}{main}")),
        (
            "headers/w.h",
            "#ifdef W\n#error W\n#endif\n#define N 64\n#define W 0.5f\n",
        ),
    ]);
    let line = "run a.c --target openmp -isystem headers -include w.h -DW=2 -UW";
    let out = run(folder.path(), line);
    assert!(
        out.status.success() && stdout(&out).contains("ok: "),
        "{out:?}"
    );
}

#[test]
fn warnings_are_left_out_or_errors() {
    let folder = folder(&[("a.c", WARNS)]);
    let target = folder.path().join("a.cu");
    for (options, expected, says, writes) in [
        ("", 0, "warning[HX0107]", true),
        ("-w", 0, "", true),
        ("-q", 0, "", true),
        ("-v -q", 0, "", true),
        ("-w -Werror", 0, "", true),
        ("-Werror", 1, "error[HX0107]", false),
        ("-q -Werror", 1, "error[HX0107]", false),
        ("-W error --target openmp", 1, "error[HX0107]", false),
    ] {
        let out = run(folder.path(), &format!("a.c -o a.cu {options}"));
        let said = stderr(&out);
        assert_eq!(status(&out), Some(expected), "{options}: {said}");
        assert!(
            said.contains(says) && said.is_empty() == says.is_empty(),
            "{options}: {said}"
        );
        assert_eq!(std::fs::remove_file(&target).is_ok(), writes, "{options}");
    }
    let out = run(folder.path(), "run a.c -Werror");
    assert!(status(&out) == Some(1) && out.stdout.is_empty(), "{out:?}");
    assert_eq!(status(&run(folder.path(), "a.c -Wall")), Some(2));
}

#[test]
fn colours_are_asked_for() {
    let folder = folder(&[("a.c", WARNS)]);
    let has_colours = |options: &str, variable: (&str, &str)| {
        let mut command = hexcc();
        command
            .current_dir(folder.path())
            .env(variable.0, variable.1);
        command.args(format!("a.c -o /dev/null {options}").split_whitespace());
        stderr(&common::output(&mut command).expect("hexcc starts")).contains('\u{1b}')
    };
    assert!(!has_colours("", ("LANG", "C")));
    assert!(!has_colours("--color never", ("LANG", "C")));
    assert!(has_colours("--color always", ("LANG", "C")));
    assert!(has_colours("--color=always", ("NO_COLOR", "1")));
    assert!(!has_colours("--color auto", ("NO_COLOR", "1")));
}

#[test]
fn statuses_say_whose_fault_it_is() {
    let folder = folder(&[("a.c", WARNS), ("bad.c", "int x = ;\n")]);
    for (line, expected) in [
        ("a.c -o /dev/null", 0),
        ("a.c --require tiled", 1),
        ("bad.c", 1),
        ("a.c a.c", 1),
        ("a.c --frobnicate", 2),
        ("explain HX0202", 2),
        ("nowhere.c", 3),
        ("a.c -o nowhere/a.cu", 3),
        ("a.c --gpu-table nowhere.toml", 3),
        ("run nowhere.c --target openmp", 3),
    ] {
        let out = run(folder.path(), line);
        assert_eq!(status(&out), Some(expected), "{line}: {out:?}");
    }
    let mut command = hexcc();
    command.current_dir(folder.path()).args(["a.c", "-w"]);
    let out = common::output(command.env("HEXCC_PET_LIB", "/nonexistent")).expect("hexcc starts");
    assert_eq!(status(&out), Some(3), "{out:?}");
    let help = stdout(&run(folder.path(), "--help"));
    let words: Vec<&str> = help.split_whitespace().collect();
    assert!(
        words
            .join(" ")
            .contains("Exit status: 0 done, 1 input refused"),
        "{help}"
    );
}

#[test]
fn messages_for_programs_are_objects() {
    let text = format!("/* \u{e9} */{WARNS}");
    let folder = folder(&[("a.c", &text)]);
    let objects = |line: &str| -> Vec<serde_json::Value> {
        let said = stderr(&run(folder.path(), line));
        let object = |line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {said}"));
        said.lines().map(object).collect()
    };
    let all = objects("a.c -o /dev/null --message-format json -v");
    let first = &all[0];
    let mut fields: Vec<&String> = first.as_object().expect("an object").keys().collect();
    fields.sort();
    assert_eq!(
        fields,
        ["code", "helps", "level", "message", "notes", "spans"]
    );
    assert_eq!(
        (&first["level"], &first["code"]),
        (&"warning".into(), &"HX0107".into())
    );
    let span = &first["spans"][0];
    assert_eq!(span["file"], "a.c");
    assert_eq!(
        (span["line"].as_u64(), span["column"].as_u64()),
        (Some(8), Some(5))
    );
    let place = |name: &str| span[name].as_u64().expect("a number") as usize;
    let bytes = &text.as_bytes()[place("byte_start")..place("byte_end")];
    assert!(
        bytes.starts_with(b"printf(") && span["primary"] == true,
        "{span}"
    );
    assert!(
        span["label"].is_string() && first["helps"][0].is_string(),
        "{first}"
    );
    let last = all.last().expect("times of passes");
    assert!(last["level"] == "note" && last["code"].is_null(), "{last}");
    let all = objects("nowhere.c --message-format=json");
    assert_eq!(
        (&all[0]["level"], &all[0]["code"]),
        (&"error".into(), &"HX0501".into())
    );
    assert_eq!(all[0]["spans"], serde_json::json!([]));
    let all = objects("a.c -o /dev/null --message-format json -Werror");
    assert_eq!(all[0]["level"], "error");
}

#[test]
fn rules_for_make_name_what_was_read() {
    let folder = folder(&[
        (
            "src/a.c",
            &format!("#include \"sizes.h\"\n#include <math.h>\n{LOOP}"),
        ),
        ("src/sizes.h", "#include <own/w.h>\n#define N 64\n"),
        ("headers/own/w.h", "# include \"v.h\"\n#define W V\n"),
        ("headers/own/v.h", "#define V 0.5f\n"),
        ("Makefile", "a.cu:\n\t@echo made\n-include a.d\n"),
    ]);
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name));
    let line = "src/a.c -I headers -MD -o a.cu";
    assert_eq!(translated(folder.path(), line), "");
    let rule = read("a.d").expect("a rule");
    assert_eq!(
        rule,
        "a.cu: \\\n  src/a.c \\\n  src/sizes.h \\\n  headers/own/w.h \\\n  headers/own/v.h\n"
    );
    assert_eq!(translated(folder.path(), &format!("{line} -MF b.d")), "");
    assert_eq!(read("b.d").expect("a rule"), rule);
    let question = || {
        let mut make = Command::new("make");
        let out = make
            .args(["-q", "a.cu"])
            .current_dir(folder.path())
            .output();
        out.expect("make starts").status.code()
    };
    assert_eq!(question(), Some(0));
    let header = std::fs::File::options()
        .write(true)
        .open(folder.path().join("headers/own/v.h"));
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(60);
    header
        .expect("the header")
        .set_modified(later)
        .expect("a time");
    assert_eq!(question(), Some(1));
    // A refused program has no rule.
    std::fs::remove_file(folder.path().join("a.d")).expect("a rule");
    assert_eq!(status(&run(folder.path(), "src/a.c -MD -o a.cu")), Some(1));
    assert!(read("a.d").is_err());
    let out = run(folder.path(), "src/a.c -I headers -MD");
    assert!(
        status(&out) == Some(1) && stderr(&out).contains("HX0509"),
        "{out:?}"
    );
    assert_eq!(
        status(&run(folder.path(), "src/a.c -MF b.d -o a.cu")),
        Some(2)
    );
}

#[test]
fn shells_complete_command_lines() {
    for (shell, word) in [
        ("bash", "complete -F"),
        ("zsh", "#compdef hexcc"),
        ("fish", "complete -c hexcc"),
    ] {
        let script = translated(testsuite().as_path(), &format!("completions {shell}"));
        assert!(
            script.contains("--require") || script.contains("-l require"),
            "{script}"
        );
        let has = script.contains(word) || shell == "bash" && script.contains("complete ");
        assert!(has && script.contains("explain"), "{script}");
    }
    assert_eq!(status(&run(&testsuite(), "completions cmd")), Some(2));
    let script = translated(&testsuite(), "completions bash");
    for (words, word, expected) in [
        ("run --emu", "--emu", "--emulate"),
        ("ex", "ex", "explain"),
        ("tune --budg", "--budg", "--budget"),
        ("--tiling hyb", "hyb", "hybrid"),
    ] {
        let before = words.strip_suffix(word).expect("the last word");
        let before = before.split_whitespace().last().unwrap_or("hexcc");
        let n = words.split_whitespace().count();
        let question = format!(
            "{script}\nCOMP_WORDS=(hexcc {words}); COMP_CWORD={n}; _hexcc hexcc {word} {before}; echo ${{COMPREPLY[@]}}\n"
        );
        let out = fed(&mut Command::new("bash"), &question);
        assert_eq!(
            stdout(&out),
            format!("{expected}\n"),
            "{words}: {}",
            stderr(&out)
        );
    }
}

#[test]
fn manual_pages_have_all_options() {
    for command in ["", "run", "explain", "tune", "bench"] {
        let page = translated(&testsuite(), &format!("man {command}"));
        let title = format!(
            ".TH hexcc{}{command} 1",
            if command.is_empty() { "" } else { "-" }
        );
        assert!(page.contains(&title), "{page}");
        for option in ["stream\\-tile", "message\\-format", "require"] {
            assert!(page.contains(option), "{command}: {option}");
        }
    }
    assert_eq!(status(&run(&testsuite(), "man walk")), Some(2));
}

/// The commands beside the translation itself.
const COMMANDS: [&str; 7] = [
    "run",
    "explain",
    "tune",
    "bench",
    "completions",
    "man",
    "help",
];

#[test]
fn commands_are_listed_and_described() {
    let help = translated(&testsuite(), "help");
    assert_eq!(help, translated(&testsuite(), "--help"));
    for command in COMMANDS {
        let has = |line: &str| line.trim_start().starts_with(&format!("{command} "));
        assert!(help.lines().any(has), "{command}: {help}");
        let described = translated(&testsuite(), &format!("help {command}"));
        assert_eq!(
            described,
            translated(&testsuite(), &format!("{command} --help"))
        );
    }
    let out = run(&testsuite(), "help walk");
    assert_eq!(status(&out), Some(2));
    assert!(
        stderr(&out).contains("there is no command `walk`"),
        "{out:?}"
    );
}

/// At most so many words.
const MOST_OF_SENTENCE: usize = 25;

#[test]
fn help_has_short_sentences() {
    let mut long = Vec::new();
    for command in std::iter::once("").chain(COMMANDS) {
        let help = translated(&testsuite(), &format!("{command} --help-all"));
        let mut paragraphs = vec![String::new()];
        for line in help.lines() {
            let depth = line.len() - line.trim_start().len();
            let line = line.trim();
            if depth <= 2 || line.is_empty() || line.starts_with('-') {
                paragraphs.push(String::new());
            }
            let last = paragraphs.last_mut().expect("there is one");
            *last = format!("{last}{line} ");
        }
        let sentences = paragraphs.iter().flat_map(|p| p.split(['.', '[']));
        let is_long = |s: &&str| s.split_whitespace().count() > MOST_OF_SENTENCE;
        long.extend(sentences.filter(is_long).map(str::to_string));
    }
    assert!(long.is_empty(), "{long:#?}");
}

#[test]
fn help_is_short_or_whole() {
    for command in ["", "run", "explain", "tune", "bench"] {
        let help = translated(&testsuite(), &format!("{command} --help"));
        let all = translated(&testsuite(), &format!("{command} --help-all"));
        assert_eq!(help, translated(&testsuite(), &format!("{command} -h")));
        for option in ["--aligned-loads", "--isl-quota", "--stream-tile"] {
            assert!(
                all.contains(option) && !help.contains(option),
                "{command} {option}"
            );
        }
        for option in ["--target", "-Werror", "--help-all", "Exit status: "] {
            assert!(
                all.contains(option) && help.contains(option),
                "{command} {option}"
            );
        }
    }
}
