use super::*;

/// The first programs of a seed, without and with components.
fn programs() -> [Vec<String>; 2] {
    let all = (0..1500).map(|index| program(1, index));
    let (with, without) = all.partition(|text| text.contains("enum { K = "));
    [without, with]
}

/// The first programs of a seed whose time loop ends when a number of the cells says so.
fn convergings() -> Vec<String> {
    (0..600).map(|index| converging(1, index)).collect()
}

fn assert_written(programs: &[String], forms: &[&str]) {
    for form in forms {
        let is_there = programs.iter().any(|text| text.contains(form));
        assert!(is_there, "none of {} programs has {form}", programs.len());
    }
}

#[test]
fn programs_are_those_of_their_seed() {
    assert_eq!(programs(), programs());
    assert_ne!(program(1, 2), program(2, 2));
}

#[test]
fn every_third_program_has_components() {
    for index in 0..60 {
        let has = program(3, index).contains("enum { K = ");
        assert_eq!(has, index % 3 == 2, "program {index}");
        assert!(has || tiling(index).is_none(), "program {index}");
    }
}

#[test]
fn time_loops_and_ghost_cells_have_all_forms() {
    let forms = [
        "for (int t = 0; t < T; t++)",
        "for (int t = 0; t < T / 2 + 2; t++)",
        "  int t;\n  for (t = 0;",
        "while (t < T) {",
        "printf(\"%d\\n\", t);",
        "done++;",
        "m - 1] = ",
    ];
    for programs in programs() {
        assert_written(&programs, &forms);
    }
}

#[test]
fn components_have_all_forms() {
    let [_, programs] = programs();
    let declared = [
        " of_now[K][N][M];",
        " of_now[MOST_N][MOST_M][K];",
        " (*now)[n][m], (*next)[n][m]",
        " (*now)[m][K], (*next)[m][K]",
        "*now[K], *next[K]",
        " *now, *next, *last;",
        "[2][K][",
        "struct grid { ",
    ];
    let used = [
        "[(k * n + i) * m + j]",
        "[(i * m + j) * K + k]",
        "[AT(0, i, j)]",
        "[at(n, m, k, i, j)]",
        "next[k][i][j] = ",
        "next[i][j][0] = ",
        "[(k + 1) % K]",
        "[i - di[k]]",
        "(i + n - di[k]) % n",
        " *held = now[0]; now[0] = next[0]; next[0] = held; }",
    ];
    assert_written(&programs, &declared);
    assert_written(&programs, &used);
}

#[test]
fn every_third_program_converges() {
    for index in 0..60 {
        let text = program(3, index);
        assert_eq!(text.contains("#define TOL "), index % 3 == 1, "{index}");
        assert!(index % 3 != 1 || text == converging(3, index));
    }
}

#[test]
fn convergence_has_all_forms() {
    let loops = [
        "  while (err > TOL && t < T * 20) {",
        "  while (t < T && moved) {",
        "  do {",
        "  } while (err > TOL && t < 200);",
        "++t < T",
        "  for (t = 0; t < T * 40; t++) {",
        "  for (t = 1;; t++) {",
        "  for (;;) {",
        "  while (!done) {",
        "      break;",
        "err / first > TOL",
        "err > TOL * first",
        " || changed2",
        " && err2",
    ];
    let numbers = [
        "    err = 0;",
        "    err = -1;",
        "    least = 1e30;",
        "    float err = 0;",
        "    long changed = 0;",
        "if (d > err) err = d;",
        "err = fmax(err, d);",
        "err = fmaxf(d, err);",
        "err = MAX(err, d);",
        "changed++;",
        "moved |= ",
        "err = change(n, m, ",
        "err = sweep(",
        "err = step(",
        "    return err;",
    ];
    let planes = [
        "planes[t % 2]",
        "planes[1 - now]",
        "g->now",
        "s[now]",
        "now = next;",
    ];
    let programs = convergings();
    assert_written(&programs, &loops);
    assert_written(&programs, &numbers);
    assert_written(&programs, &planes);
}

#[test]
fn planes_may_be_rows_by_pointers() {
    let programs: Vec<String> = (convergings().into_iter())
        .filter(|text| text.contains("**now"))
        .collect();
    assert!(programs.len() > 20, "{}", programs.len());
    let forms = [
        "p_next[i][j] = ",
        "now[i][j]",
        "held = now;",
        "next[0][j] = ",
    ];
    assert_written(&programs, &forms);
}

#[test]
fn parentheses_are_closed() {
    for text in programs().iter().flatten().chain(&convergings()) {
        for [open, close] in [['(', ')'], ['{', '}'], ['[', ']']] {
            let of = |c: char| text.matches(c).count();
            assert_eq!(of(open), of(close), "{open} in {text}");
        }
    }
}
