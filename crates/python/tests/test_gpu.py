"""Kernels on a GPU beside the C program that they are made of; without a GPU, what is refused before one is needed."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path
from typing import Any

import hexcc
import numpy as np
import pytest
from hexcc import _native, _values

HAS_GPU = _native.device_name() is not None
on_gpu = pytest.mark.skipif(not HAS_GPU, reason="there is no GPU")

# Two planes that are copied, two that are swapped, a third dimension with scalars before it, a source that is read
# only, an update in place, two loops one behind the other, and a torus.
PROGRAMS = {
    "copied": """void copied(int n, int m, int steps, real u[n][m], real v[n][m]) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < m - 1; j++)
        v[i][j] = (real)0.2 * (u[i][j] + u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < m - 1; j++)
        u[i][j] = v[i][j];
  }
}""",
    "swapped": """void swapped(int n, int m, int steps, real *restrict u, real *restrict v) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < m - 1; j++)
        v[i * m + j] = (real)0.25 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1]);
    real *w = u; u = v; v = w;
  }
}""",
    "planes": """void planes(int n, int m, int steps, real u[2][n][m][33]) {
  const real c = (real)1 / 7, d = c - n % 3;
  for (int t = 0; t < steps; t++)
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < m - 1; j++)
        for (int k = 1; k < 32; k++)
          u[(t + 1) % 2][i][j][k] = c * (u[t % 2][i][j][k] + u[t % 2][i - 1][j][k] + u[t % 2][i + 1][j][k]
            + u[t % 2][i][j - 1][k] + u[t % 2][i][j + 1][k] + u[t % 2][i][j][k - 1] + u[t % 2][i][j][k + 1]) + d;
}""",
    "source": """void source(int n, int m, int steps, real a, real u[2][n][m], const real f[n][m]) {
  for (int t = 0; t < steps; t++)
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < m - 1; j++)
        u[(t + 1) % 2][i][j] = u[t % 2][i][j] + a * (u[t % 2][i][j + 1] - u[t % 2][i][j - 1]) + f[i][j];
}""",
    "seidel": """void seidel(int n, int m, int steps, real u[n][m]) {
  for (int t = 0; t < steps; t++)
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < m - 1; j++)
        u[i][j] = (real)0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
}""",
    "fields": """void fields(int n, int m, int steps, real e[n][m], real h[n][m]) {
  for (int t = 0; t < steps; t++) {
    for (int i = 0; i < n; i++)
      for (int j = 1; j < m; j++)
        e[i][j] = e[i][j] - (real)0.5 * (h[i][j] - h[i][j - 1]);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m - 1; j++)
        h[i][j] = h[i][j] - (real)0.7 * (e[i][j + 1] - e[i][j]);
  }
}""",
    "torus": """void torus(int n, int m, int steps, real u[2][n][m]) {
  for (int t = 0; t < steps; t++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++)
        u[(t + 1) % 2][i][j] = (real)0.3 * (u[t % 2][(i + 1) % n][j] + u[t % 2][i][(j + m - 1) % m] + u[t % 2][i][j]);
}""",
}

REALS = {"float": np.float32, "double": np.float64}


def text_of(name: str, real: str) -> str:
    return f"typedef {real} real;\n{PROGRAMS[name]}\n"


@pytest.fixture(scope="module")
def c_functions(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The functions as gcc makes them, by name and type."""
    folder = tmp_path_factory.mktemp("c")
    made: dict[tuple[str, str], Any] = {}
    for name in PROGRAMS:
        for real in REALS:
            source, library = folder / f"{name}_{real}.c", folder / f"{name}_{real}.so"
            source.write_text(text_of(name, real))
            words = ["gcc", "-std=gnu11", "-O1", "-ffp-contract=off", "-shared", "-fPIC"]
            subprocess.run([*words, str(source), "-o", str(library)], check=True)
            made[name, real] = getattr(ctypes.CDLL(str(library)), name)
    return made


def arrays_of(name: str, n: int, m: int, dtype: Any, seed: int) -> list[np.ndarray[Any, Any]]:
    shapes: dict[str, list[tuple[int, ...]]] = {
        "planes": [(2, n, m, 33)],
        "source": [(2, n, m), (n, m)],
        "seidel": [(n, m)],
        "torus": [(2, n, m)],
    }
    random = np.random.default_rng(seed)
    arrays = [random.random(shape).astype(dtype) for shape in shapes.get(name, [(n, m), (n, m)])]
    if name in ("planes", "source", "torus"):
        arrays[0][1] = arrays[0][0]
    if name == "swapped":
        arrays[1][:] = arrays[0]
    return arrays


def called(function: Any, real: str, n: int, m: int, steps: int, arrays: list[np.ndarray[Any, Any]], name: str) -> None:
    """Calls a function of ctypes."""
    scalar = [(ctypes.c_float if real == "float" else ctypes.c_double)(0.375)] if name == "source" else []
    function(n, m, steps, *scalar, *(ctypes.c_void_p(array.ctypes.data) for array in arrays))


def libraries() -> list[str]:
    return ["numpy", "torch", "cupy"]


def moved(library: str, array: np.ndarray[Any, Any]) -> Any:
    if library == "torch":
        return pytest.importorskip("torch").from_numpy(array.copy()).cuda()
    if library == "cupy":
        return pytest.importorskip("cupy").asarray(array)
    return array.copy()


def back(library: str, array: Any) -> np.ndarray[Any, Any]:
    if library == "torch":
        result: np.ndarray[Any, Any] = array.cpu().numpy()
        return result
    if library == "cupy":
        result = array.get()
        return result
    return np.asarray(array)


def pointer(array: Any) -> int:
    for name in ("data_ptr", "ctypes"):
        if hasattr(array, name):
            return int(array.data_ptr() if name == "data_ptr" else array.ctypes.data)
    return int(array.data.ptr)


@on_gpu
@pytest.mark.parametrize("library", libraries())
@pytest.mark.parametrize("real", list(REALS))
@pytest.mark.parametrize("name", list(PROGRAMS))
def test_results_are_those_of_c(name: str, real: str, library: str, c_functions: Any) -> None:
    function = hexcc.compile(text_of(name, real), target="cuda")
    random = np.random.default_rng(len(name))
    sizes = [(int(n), int(m), int(t)) for n, m, t in random.integers((1, 1, 0), (71, 71, 40), (20, 3))]
    for case, (n, m, steps) in enumerate([*sizes, (130, 256, 33), (257, 1024, 16)]):
        arrays = arrays_of(name, n, m, REALS[real], case)
        given = [moved(library, array) for array in arrays]
        places = [pointer(array) for array in given]
        scalar = [0.375] if name == "source" else []
        function(n, m, steps, *scalar, *given)
        called(c_functions[name, real], real, n, m, steps, arrays, name)
        for array, expected in zip(given, arrays):
            assert np.array_equal(back(library, array), expected), (n, m, steps)
        assert [pointer(array) for array in given] == places


@on_gpu
def test_streams_and_threads_have_their_order(c_functions: Any) -> None:
    torch = pytest.importorskip("torch")
    from concurrent.futures import ThreadPoolExecutor

    function = hexcc.compile(text_of("copied", "float"), target="cuda")
    arrays = arrays_of("copied", 301, 301, np.float32, 7)

    def run(_: int) -> Any:
        with torch.cuda.stream(torch.cuda.Stream()):
            given = [moved("torch", array) for array in arrays]
            for _ in range(5):
                function(301, 301, 20, *given)
            return [back("torch", array) for array in given]

    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(run, range(8)))
    for _ in range(5):
        called(c_functions["copied", "float"], "float", 301, 301, 20, arrays, "copied")
    for result in results:
        assert all(np.array_equal(one, other) for one, other in zip(result, arrays))


@on_gpu
def test_memory_beside_arrays_goes_from_call_to_call(c_functions: Any) -> None:
    """On a stream that waits for no other, calls with other arrays and sizes start while those before run."""
    torch = pytest.importorskip("torch")
    for name in ("copied", "swapped"):
        function = hexcc.compile(text_of(name, "double"), target="cuda")
        sets = [arrays_of(name, n, n, np.float64, n) for n in (1201, 1300, 903, 1201, 64, 1300, 1501)]
        with torch.cuda.stream(torch.cuda.Stream()):
            given = [[moved("torch", array) for array in arrays] for arrays in sets]
            torch.cuda.synchronize()
            for arrays in given:
                function(*arrays[0].shape, 40, *arrays)
            results = [[back("torch", array) for array in arrays] for arrays in given]
        for arrays, result in zip(sets, results):
            n = len(arrays[0])
            called(c_functions[name, "double"], "double", n, n, 40, arrays, name)
            assert all(np.array_equal(one, other) for one, other in zip(result, arrays)), (name, n)


@on_gpu
@pytest.mark.parametrize("library", ["torch", "cupy"])
def test_calls_again_are_calls(library: str, c_functions: Any) -> None:
    """Other arrays, sizes and numbers between equal ones."""
    function = hexcc.compile(text_of("source", "double"), target="cuda")
    sets = [arrays_of("source", n, m, np.float64, n) for n, m in ((33, 64), (64, 33), (64, 33))]
    given = [[moved(library, array) for array in arrays] for arrays in sets]
    calls = [(0, 0.0), (0, -0.0), (1, 0.5), (1, 0.5), (2, 0.5), (1, 1), (0, 0.25), (2, 0.5), (2, 0.5)]
    for at, a in calls:
        _, n, m = sets[at][0].shape
        function(n, m, 5, a, *given[at])
        pointers = (ctypes.c_void_p(array.ctypes.data) for array in sets[at])
        c_functions["source", "double"](n, m, 5, ctypes.c_double(a), *pointers)
        for one, expected in zip(given[at], sets[at]):
            assert np.array_equal(back(library, one), expected), (at, a)


@on_gpu
def test_what_is_tuned_is_taken(c_functions: Any) -> None:
    function = hexcc.compile(text_of("source", "float"), target="cuda")
    rows = function.bench(n=512, m=512, steps=16)
    assert any(row["is_default"] for row in rows) and not any(row["different"] for row in rows)
    before = function.source
    assert any("measured" in row for row in function.tune(3, n=2048, m=2048, steps=64))
    again = hexcc.compile(text_of("source", "float"), target="cuda")
    assert again.source == function.source and before
    arrays = arrays_of("source", 300, 300, np.float32, 1)
    given = [moved("torch", array) for array in arrays]
    again(300, 300, 17, 0.375, *given)
    called(c_functions["source", "float"], "float", 300, 300, 17, arrays, "source")
    assert np.array_equal(back("torch", given[0]), arrays[0])


@on_gpu
def test_arrays_that_do_not_fit_are_refused() -> None:
    torch = pytest.importorskip("torch")
    function = hexcc.compile(text_of("copied", "float"), target="cuda")
    u = torch.zeros((8, 8), device="cuda")
    with pytest.raises(TypeError, match="float64"):
        function(8, 8, 1, u.double(), u.clone())
    with pytest.raises(ValueError, match="shape"):
        function(8, 9, 1, u, u.clone())
    with pytest.raises(ValueError, match="dense"):
        function(8, 8, 1, u.t(), u.clone())
    with pytest.raises(ValueError, match="overlap"):
        function(8, 8, 1, u, u)
    short = hexcc.compile(text_of("swapped", "float"), target="cuda")
    with pytest.raises(ValueError, match="bytes"):
        short(8, 9, 1, u, u.clone())


def test_more_than_loops_is_refused() -> None:
    with pytest.raises(hexcc.TargetError, match="for the CPU"):
        hexcc.compile(text_of("copied", "float"), target="openmp").bench()
    for body, why in [
        ("for (int t = 0; t < n; t++) for (int i = 1; i < n - 1; i++) u[i] = u[i] * 2; u[0] = 1;", "line 1"),
        ("double s = 0; for (int i = 0; i < n; i++) s += u[i]; u[0] = s;", "line 1|variable of the host"),
    ]:
        with pytest.raises(hexcc.TargetError, match=why):
            hexcc.compile(f"void f(int n, double u[n]) {{ {body} }}", target="cuda")
    with pytest.raises(hexcc.TargetError, match="no parameter"):
        text = "double g[100];\nvoid f(int n) { for (int t = 0; t < n; t++) for (int i = 0; i < 100; i++) g[i] *= 2; }"
        hexcc.compile(text, target="cuda")
    with pytest.raises(ValueError, match="--tile"):
        hexcc.compile(text_of("copied", "float"), target="cuda", options=["--tile", "h=1"])


@pytest.mark.skipif(HAS_GPU, reason="there is a GPU")
def test_without_a_gpu_a_call_says_so() -> None:
    function = hexcc.compile(text_of("copied", "float"), target="cuda")
    assert "__global__" in function.source and function.library is None
    with pytest.raises(hexcc.GpuError, match="CUDA driver"):
        function(8, 8, 1, np.zeros((8, 8), np.float32), np.zeros((8, 8), np.float32))


def test_numbers_before_loops_are_those_of_c(tmp_path: Path) -> None:
    declared = """const float a = n / 3, b = a * 0.1, c = -a / 7;
  const int m = n - 7 / 2 % 2, k = (unsigned char)(n * 77);
  const double d = m * 0.1f, e = (float)d + b, f = 1e300 * d * d, g = 0x1p-3;"""
    text = f"void f(int n, double u[10]) {{\n  {declared}\n  for (int i = 0; i < 10; i++) u[i] = i;\n}}"
    printed = "".join(f"u[{at}] = {name};" for at, name in enumerate("abcmkdefg"))
    source, library = tmp_path / "f.c", tmp_path / "f.so"
    source.write_text(f"void f(int n, double u[10]) {{\n  {declared}\n  {printed}\n}}")
    words = ["gcc", "-O0", "-ffp-contract=off", "-shared", "-fPIC"]
    subprocess.run([*words, str(source), "-o", str(library)], check=True)
    loops = hexcc.compile(text, target="cuda")
    for n in (-9, 0, 1, 41, 100_003):
        expected = np.zeros(10)
        ctypes.CDLL(str(library)).f(n, ctypes.c_void_p(expected.ctypes.data))
        region = loops._region
        assert region is not None
        found = _values.computed(region._locals, {"n": n})
        assert [float(found[name]) for name in "abcmkdefg"] == list(expected[:9]), n
