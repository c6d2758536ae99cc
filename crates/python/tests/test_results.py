"""Results equal those of plainly written NumPy, bit for bit."""

from __future__ import annotations

from typing import Any

import hexcc
import numpy as np
import pytest

STEP = """
void step(int n, int m, int steps, REAL u[n][m], REAL v[n][m])
{
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < m - 1; j++)
        v[i][j] = (REAL)0.2 * (u[i][j] + u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < m - 1; j++)
        u[i][j] = v[i][j];
  }
}
"""

SWAP = """
void wave(int n, int steps, const REAL *c, REAL *u, REAL *v)
{
  REAL *tmp;
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      v[i] = c[i] * (u[i - 1] + u[i + 1]) - v[i];
    tmp = u; u = v; v = tmp;
  }
}
"""

PLANES = """
void planes(int n, int m, int steps, REAL a[2][n][m])
{
  for (int t = 0; t < steps; t++)
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < m - 1; j++)
        a[(t + 1) % 2][i][j] = (REAL)0.25 * (a[t % 2][i - 1][j] + a[t % 2][i + 1][j]
                                             + a[t % 2][i][j - 1] + a[t % 2][i][j + 1]);
}
"""

REALS = {"float": np.float32, "double": np.float64}


def compiled(text: str, real: str) -> hexcc.Function:
    return hexcc.compile(text, defines={"REAL": real})


def step(steps: int, u: Any, v: Any) -> None:
    fifth = u.dtype.type(0.2)
    for _ in range(steps):
        v[1:-1, 1:-1] = fifth * (u[1:-1, 1:-1] + u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
        u[1:-1, 1:-1] = v[1:-1, 1:-1]


def equal(*pairs: tuple[Any, Any]) -> bool:
    return all(x.tobytes() == y.tobytes() for x, y in pairs)


@pytest.mark.parametrize("place", ["threads", "host"])
@pytest.mark.parametrize("real", REALS)
def test_random_shapes(real: str, place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEXCC_RUN_ON", place)
    function = compiled(STEP, real)
    random = np.random.default_rng(2014)
    for _ in range(75):
        n, m, steps = (int(k) for k in random.integers(1, [71, 71, 40]))
        u = random.random((n, m)).astype(REALS[real])
        v = random.random((n, m)).astype(REALS[real])
        expected_u, expected_v = u.copy(), v.copy()
        step(steps, expected_u, expected_v)
        function(n, m, steps, u, v)
        assert equal((u, expected_u), (v, expected_v)), (n, m, steps)


@pytest.mark.parametrize("real", REALS)
def test_random_planes(real: str) -> None:
    function = compiled(PLANES, real)
    random = np.random.default_rng(7)
    quarter = REALS[real](0.25)
    for _ in range(40):
        n, m, steps = (int(k) for k in random.integers(1, [71, 71, 40]))
        a = random.random((2, n, m)).astype(REALS[real])
        expected = a.copy()
        for t in range(steps):
            u, v = expected[t % 2], expected[(t + 1) % 2]
            v[1:-1, 1:-1] = quarter * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
        function(n=n, m=m, steps=steps, a=a)
        assert equal((a, expected)), (n, m, steps)


@pytest.mark.parametrize("real", REALS)
def test_random_swaps(real: str) -> None:
    function = compiled(SWAP, real)
    random = np.random.default_rng(3)
    for _ in range(40):
        n, steps = int(random.integers(1, 71)), int(random.integers(1, 40))
        c, u, v = (random.random(n).astype(REALS[real]) for _ in range(3))
        x, y = u.copy(), v.copy()
        expected = (x, y)
        for _ in range(steps):
            y[1:-1] = c[1:-1] * (x[:-2] + x[2:]) - y[1:-1]
            x, y = y, x
        function(n, steps, c, u, v)
        assert equal((u, expected[0]), (v, expected[1])), (n, steps)


@pytest.mark.parametrize("shape", [(1, 1), (2, 2), (3, 3), (1, 70), (70, 1), (64, 65), (65, 64), (70, 70)])
def test_ends_of_the_range(shape: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEXCC_RUN_ON", "threads")
    function = compiled(STEP, "double")
    u, v = np.ones(shape), np.arange(shape[0] * shape[1], dtype=float).reshape(shape)
    expected_u, expected_v = u.copy(), v.copy()
    step(33, expected_u, expected_v)
    function(*shape, 33, u, v)
    assert equal((u, expected_u), (v, expected_v))


def test_arrays_that_overlap_compute_what_c_does(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEXCC_RUN_ON", "threads")
    function = compiled(STEP, "double")
    both = np.random.default_rng(1).random((40, 40))
    expected = both.copy()
    for i in range(1, 39):
        for j in range(1, 39):
            around = expected[i, j] + expected[i - 1, j] + expected[i + 1, j] + expected[i, j - 1] + expected[i, j + 1]
            expected[i, j] = 0.2 * around
    function(40, 40, 1, both, both)
    assert equal((both, expected))
    assert "share memory" in capfd.readouterr().err


def test_numbers_come_back() -> None:
    text = """
    double mean(long n, const double u[n]) {
      double s = 0;
      for (long i = 0; i < n; i++) s += u[i];
      return s / n;
    }"""
    u = np.arange(10.0)
    u.flags.writeable = False
    assert hexcc.compile(text)(10, u) == 4.5


def test_structs_are_structured_arrays() -> None:
    text = """
    struct cell { float u; int k[3]; };
    void bump(int n, struct cell c[n]) { for (int i = 0; i < n; i++) c[i].u += c[i].k[1]; }"""
    bump = hexcc.compile(text)
    dtype = bump.signature.parameters[1].dtype
    assert dtype is not None and dtype.itemsize == 16
    cells = np.zeros(4, dtype)
    cells["k"][:, 1] = 7
    bump(4, cells)
    assert cells["u"].tolist() == [7.0] * 4
