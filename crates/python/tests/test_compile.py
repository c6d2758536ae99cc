"""Programs: what `hexcc.compile` takes, refuses and remembers."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import hexcc
import numpy as np
import pytest

HEAT = """
void heat(int n, int steps, double u[n], double v[n])
{
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      v[i] = 0.5 * (u[i - 1] + u[i + 1]);
    for (int i = 1; i < n - 1; i++)
      u[i] = v[i];
  }
}
"""

LOOP = "for (int i = 1; i < n - 1; i++)\n"
MALFORMED = {
    "a brace is missing": (HEAT.rstrip()[:-1], None),
    "a parenthesis is missing": ("void f(int n, float *u)\n{\nfor (int i = 0; i < n; i++ u[i] = 1;\n}", 3),
    "a semicolon is missing": (f"void f(int n, float *u)\n{{\n{LOOP}u[i] = 1\n}}", 4),
    "a name is unknown": (f"void f(int n, float *u)\n{{\n{LOOP}u[i] = x;\n}}", 4),
    "a type is unknown": (f"void f(int n, real *u)\n{{\n{LOOP}u[i] = 1;\n}}", 1),
    "a number is subscripted": (f"void f(int n, float u)\n{{\n{LOOP}u[i] = 1;\n}}", 4),
    "a pointer is multiplied": (f"void f(int n, float *u)\n{{\n{LOOP}u[i] = u * u;\n}}", 4),
    "a string is stored": (f'void f(int n, float *u)\n{{\n{LOOP}u[i] = "x";\n}}', 4),
    "a const is written": (f"void f(int n, const float *u)\n{{\n{LOOP}u[i] = 1;\n}}", 4),
    "a function has too few arguments": (
        f"float g(float a, float b) {{ return a; }}\nvoid f(int n, float *u)\n{{\n{LOOP}u[i] = g(1);\n}}",
        5,
    ),
    "a string does not end": (f'void f(int n, float *u)\n{{\n{LOOP}u[i] = "x;\n}}', 4),
    "an #endif is missing": (f"#if 1\nvoid f(int n, float *u)\n{{\n{LOOP}u[i] = 1;\n}}", 1),
    "a header is missing": (f'#include "nowhere.h"\nvoid f(int n, float *u)\n{{\n{LOOP}u[i] = 1;\n}}', 1),
    "it is C++": (f"template <class T> void f(int n, T *u)\n{{\n{LOOP}u[i] = 1;\n}}", 1),
    "two parameters have one name": (f"void f(int n, float *u, float *u)\n{{\n{LOOP}u[i] = 1;\n}}", 1),
    "it is no C at all": ("{ \x00\x01\x7f }}}} (((", None),
    "there is no loop": ("void f(int n, float *u)\n{\nu[0] = n;\n}", None),
}


@pytest.mark.parametrize("what", MALFORMED)
def test_malformed_programs_have_places(what: str) -> None:
    text, line = MALFORMED[what]
    with pytest.raises(hexcc.TranslationError) as raised:
        hexcc.compile(text)
    error = raised.value
    assert error.code is not None and error.code.startswith("HX0"), str(error)
    assert error.code in str(error)
    if line is not None:
        assert error.line == line, str(error)
        assert f"<stdin>:{line}:" in str(error)


def test_places_in_files(tmp_path: Path) -> None:
    path = tmp_path / "bad program.c"
    path.write_text(HEAT.replace("v[i] =", "v[i] = ="))
    with pytest.raises(hexcc.TranslationError) as raised:
        hexcc.compile(path)
    assert raised.value.first is not None
    assert raised.value.first.file is not None and raised.value.first.file.endswith("bad program.c")
    with pytest.raises(hexcc.TranslationError, match=r"none\.c") as raised:
        hexcc.compile(str(tmp_path / "none.c"))
    assert raised.value.code == "HX0501"


def test_the_texts(tmp_path: Path) -> None:
    path = tmp_path / "heat.c"
    path.write_text(HEAT)
    heat = hexcc.compile(path, "heat", target="openmp")
    assert "#pragma omp parallel" in heat.source
    assert "__global__" in heat.cuda
    assert "heat.c:4:3, in heat()" in heat.explain()
    assert repr(heat) == "<hexcc.Function void heat(int n, int steps, double u[n], double v[n])>"
    assert heat.__name__ == "heat" and heat.library is not None and heat.library.exists() and heat.warnings == ()


def test_functions_are_chosen() -> None:
    two = HEAT + HEAT.replace("heat", "cool") + "static int helper(void) { return 1; }\nint main(void) { return 0; }"
    with pytest.raises(ValueError, match="`heat`, `cool`; name one"):
        hexcc.compile(two)
    with pytest.raises(ValueError, match="no function `warm`; it defines `heat`, `cool`"):
        hexcc.compile(two, "warm")
    u = np.arange(5.0) ** 2
    hexcc.compile(two, "cool")(5, 1, u, u.copy())
    assert u.tolist() == [0, 2, 5, 10, 16]
    assert hexcc.compile(two, "helper")() == 1


def test_rows_are_bars(tmp_path: Path) -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("agg")
    row = {"stencil": "heat", "tiling": None, "gcells": 3.0, "is_default": False}
    axes = hexcc.plot([row, {**row, "tiling": "hybrid", "gcells": None}, {**row, "is_default": True, "gcells": 9.0}])
    assert [bar.get_width() for bar in axes.patches] == [3.0, 9.0]
    axes.figure.savefig(tmp_path / "bars.png")


def test_targets() -> None:
    assert "#pragma omp" in hexcc.compile(HEAT, target="openmp").source
    assert "__global__" in hexcc.compile(HEAT, target="cuda").source
    with pytest.raises(ValueError, match="'auto', 'openmp' or 'cuda'"):
        hexcc.compile(HEAT, target="hip")  # type: ignore[arg-type]


def test_a_second_time_is_quick() -> None:
    text = HEAT.replace("0.5", "0.25")
    first = hexcc.compile(text)
    began = time.perf_counter()
    second = hexcc.compile(text)
    assert time.perf_counter() - began < 0.1
    assert first.library == second.library
    u = np.ones(16)
    began = time.perf_counter()
    second(16, 4, u, u.copy())
    assert time.perf_counter() - began < 0.1


def test_changed_headers_are_seen(tmp_path: Path) -> None:
    (tmp_path / "factor.h").write_text("#define FACTOR 2\n")
    path = tmp_path / "scale.c"
    loop = "for (int i = 0; i < n; i++) u[i] *= FACTOR;"
    path.write_text(f'#include "factor.h"\nvoid scale(int n, double u[n]) {{ {loop} }}')
    u = np.ones(4)
    hexcc.compile(path)(4, u)
    (tmp_path / "factor.h").write_text("#define FACTOR 5\n")
    hexcc.compile(path)(4, u)
    assert u.tolist() == [10.0] * 4
    path.write_text(path.read_text().replace("factor.h", "other.h"))
    (tmp_path / "include").mkdir()
    (tmp_path / "include/other.h").write_text("#define FACTOR 3\n")
    hexcc.compile(path, include_dirs=[tmp_path / "include"])(4, u)
    assert u.tolist() == [30.0] * 4


def test_compilers_that_fail(tmp_path: Path) -> None:
    with pytest.raises(hexcc.BuildError, match="cannot be run"):
        hexcc.compile(HEAT, cc=str(tmp_path / "cc"))
    with pytest.raises(hexcc.BuildError, match="no-such-flag"):
        hexcc.compile(HEAT, flags=["-fno-such-flag"])
    with pytest.raises(ValueError, match="no name of a macro"):
        hexcc.compile(HEAT, defines={"-x": 1})
    with pytest.raises(hexcc.TranslationError, match="tiling"):
        hexcc.compile(HEAT, options=["--tiling", "nonsense"])


def test_what_decides_where_it_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEXCC_RUN_ON", "moon")
    with pytest.raises(ValueError, match="HEXCC_RUN_ON=moon"):
        hexcc.compile(HEAT)(4, 1, np.ones(4), np.ones(4))


def test_several_at_once(tmp_path: Path) -> None:
    (tmp_path / "heat.c").write_text(HEAT)
    script = "import hexcc, numpy as np; u = np.ones(9); hexcc.compile('heat.c')(9, 2, u, u.copy()); print(u.sum())"
    environment = {**os.environ, "HEXCC_CACHE_DIR": str(tmp_path / "cache")}
    started = [
        subprocess.Popen(
            [sys.executable, "-c", script], cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True
        )
        for _ in range(4)
    ]
    assert [process.communicate()[0] for process in started] == ["9.0\n"] * 4
    assert not list((tmp_path / "cache/python").glob("new-*"))


def test_the_example(tmp_path: Path) -> None:
    example = Path(__file__).parents[1] / "examples/heat.py"
    done = subprocess.run([sys.executable, str(example), "200", "50"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0 and "equal bit for bit" in done.stdout, done.stderr
