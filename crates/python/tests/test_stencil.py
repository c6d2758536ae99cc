"""Stencils of Python functions beside the same functions run by NumPy, and what is refused."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hexcc
import numpy as np
import pytest
from hexcc import F32, F64, I32, X, Y, Z, _native

# mypy: disable-error-code="valid-type"

SHAPES = int(os.environ.get("HEXCC_TEST_SHAPES", "25"))
HAS_GPU = _native.device_name() is not None
OFFSET = 2


def heat(u: F32[Y, X], c):  # type: ignore[no-untyped-def]
    """Spreads."""
    lap = u[-1, 0] + u[1, 0] + u[0, -1] + u[0, 1] - 4 * u
    return u + c * lap


def wave(u: F64[Y, X], before: F64[Y, X], speed: F64[Y, X], damping: float):  # type: ignore[no-untyped-def]
    lap = u[-1, 0] + u[1, 0] + u[0, -1] + u[0, 1] - 4 * u
    return (2 * u - before + speed * lap) * (1 - damping), u


def far(u: F32[X]):  # type: ignore[no-untyped-def]
    s = 0.25 * u[-OFFSET]
    s += 0.5 * u
    s = s + 0.25 * u[1]
    return s


def cube(u: F64[Z, Y, X], v: F64[Z, Y, X]):  # type: ignore[no-untyped-def]
    return 0.5 * (u[1, 0, 0] + v[0, -1, 0]), 0.25 * (v[0, 0, 1] - u[0, 0, -1]) + v


class Cells(np.ndarray[Any, Any]):
    """A field as NumPy sees it: the cells that change, and by offsets the ones beside these."""

    around: np.ndarray[Any, Any]
    low: tuple[int, ...]

    def __getitem__(self, offsets: Any) -> Any:
        every = offsets if isinstance(offsets, tuple) else (offsets,)
        places = zip(self.low, every, self.shape)
        return self.around[tuple(slice(low + offset, low + offset + n) for low, offset, n in places)]


REACH = 2
MODES: dict[str, Any] = {"periodic": "wrap", "mirrored": "reflect", "nearest": "edge"}


def by_numpy(
    function: Callable[..., Any],
    arrays: list[np.ndarray[Any, Any]],
    numbers: list[float],
    kind: str,
    cut: Any,
    steps: int,
) -> list[np.ndarray[Any, Any]]:
    """Runs the function itself; without a boundary it changes the cells that `cut` leaves of each field."""
    now = [array.copy() for array in arrays]
    for _ in range(steps):
        results = []
        for which in range(len(now)):
            margins = [(0, 0)] * now[0].ndim if kind != "constant" else cut[min(which, len(cut) - 1)]
            fields = []
            for array in now:
                around = np.pad(array, REACH, MODES.get(kind, "edge"))
                inner = tuple(slice(low, n - high) for (low, high), n in zip(margins, array.shape))
                cells = array[inner].view(Cells)
                cells.around, cells.low = around, tuple(REACH + low for low, _ in margins)
                fields.append(cells)
            with np.errstate(all="ignore"):
                made = function(*fields, *numbers)
            made = made if isinstance(made, tuple) else (made,)
            if which >= len(made):
                break
            after = now[which].copy()
            after[inner] = np.asarray(made[which])
            results.append(after)
        now[: len(results)] = results
    return now


# The function, its numbers, and where reads of each result stay inside: cells before and after, along each dimension.
CASES: dict[str, tuple[Callable[..., Any], list[float], Any]] = {
    "heat": (heat, [0.1], [[(1, 1), (1, 1)]]),
    "wave": (wave, [0.01], [[(1, 1), (1, 1)], [(0, 0), (0, 0)]]),
    "far": (far, [], [[(2, 1)]]),
    "cube": (cube, [], [[(0, 1), (1, 0), (0, 0)], [(0, 0), (0, 0), (1, 1)]]),
}
KINDS = {"heat": ["constant", "periodic"], "wave": ["constant", "mirrored"], "far": ["nearest"], "cube": ["constant"]}


def of_kind(stencil: hexcc.Stencil, kind: str) -> hexcc.Stencil:
    made: hexcc.Stencil = getattr(stencil, kind)()
    return made


def made_arrays(stencil: hexcc.Stencil, shape: tuple[int, ...], random: np.random.Generator) -> list[Any]:
    types = {"float": np.float32, "double": np.float64, "int": np.int32}
    return [random.random(shape).astype(types[of.kind]) for of in stencil._model.fields]


@pytest.mark.parametrize(("name", "kind"), [(name, kind) for name, kinds in KINDS.items() for kind in kinds])
def test_results_are_those_of_numpy(name: str, kind: str) -> None:
    function, numbers, cut = CASES[name]
    stencil = of_kind(hexcc.stencil(function), kind)
    n_dims = len(stencil._model.fields[0].dims)
    random = np.random.default_rng(sum(map(ord, name + kind)))
    for _ in range(SHAPES):
        most = 71 if n_dims < 3 else 20
        shape = tuple(int(n) for n in random.integers(3 if kind != "constant" else 1, most, n_dims))
        steps = int(random.integers(0, 8))
        arrays = made_arrays(stencil, shape, random)
        expected = by_numpy(function, arrays, numbers, kind, cut, steps)
        stencil(*arrays, *numbers, steps=steps)
        assert all(np.array_equal(a, b) for a, b in zip(arrays, expected)), (shape, steps)


@pytest.mark.skipif(not HAS_GPU, reason="there is no GPU")
@pytest.mark.parametrize("library", ["torch", "cupy"])
@pytest.mark.parametrize(("name", "kind"), [(name, kind) for name, kinds in KINDS.items() for kind in kinds])
def test_results_on_a_gpu_are_those_of_numpy(name: str, kind: str, library: str) -> None:
    function, numbers, cut = CASES[name]
    stencil = of_kind(hexcc.stencil(function), kind)
    n_dims = len(stencil._model.fields[0].dims)
    random = np.random.default_rng(sum(map(ord, name + kind)))
    module = pytest.importorskip(library)
    for _ in range(SHAPES):
        most = 71 if n_dims < 3 else 20
        shape = tuple(int(n) for n in random.integers(3 if kind != "constant" else 1, most, n_dims))
        steps = int(random.integers(0, 8))
        arrays = made_arrays(stencil, shape, random)
        given = [module.asarray(a, device="cuda") if library == "torch" else module.asarray(a) for a in arrays]
        stencil(*given, *numbers, steps=steps)
        expected = by_numpy(function, arrays, numbers, kind, cut, steps)
        back = [array.cpu().numpy() if library == "torch" else array.get() for array in given]
        assert all(np.array_equal(a, b) for a, b in zip(back, expected)), (shape, steps)


@pytest.mark.skipif(not HAS_GPU, reason="there is no GPU")
def test_calls_on_a_gpu_follow_each_other() -> None:
    torch = pytest.importorskip("torch")
    stencil = hexcc.stencil(heat)
    random = np.random.default_rng(3)
    arrays = [random.random((n, n), np.float32) for n in (700, 701, 700, 333, 700)]
    for stream in (None, torch.cuda.Stream(), torch.cuda.Stream()):
        given = [torch.from_numpy(array.copy()).cuda() for array in arrays]
        torch.cuda.synchronize()
        for array in given:
            stencil(array, 0.1, steps=21, stream=stream)
        torch.cuda.synchronize()
        for array, before in zip(given, arrays):
            (expected,) = by_numpy(heat, [before], [0.1], "constant", [[(1, 1), (1, 1)]], 21)
            assert np.array_equal(array.cpu().numpy(), expected)


def test_boundaries_are_along_dimensions() -> None:
    both = hexcc.stencil(heat).periodic("x").mirrored("y")
    assert "field u[Y][X]: float boundary mirrored, periodic;" in both.text
    assert "u[:][:]" in both.text
    with pytest.raises(ValueError, match="no dimension `z`; it has Y, X"):
        both.nearest("z")
    with pytest.raises(ValueError, match="Y is at least 2"):
        both(np.zeros((1, 5), np.float32), 0.1)


def test_texts_show_what_becomes_of_it() -> None:
    stencil = hexcc.stencil(wave)
    assert "together {" in stencil.text and "const field speed" in stencil.text
    assert "for (int t = 0; t < steps; t++)" in stencil.c
    assert "__global__" in stencil.cuda
    assert "1 time loop tiled" in stencil.explain() and "wave.st" in stencil.explain()
    assert repr(stencil) == "<hexcc.Stencil wave(u, before, speed, damping)>"
    assert hexcc.stencil(heat).__doc__ == "Spreads."


def test_conditions_and_functions_are_read() -> None:
    text = hexcc.stencil(chosen).text
    assert "(((d > 0.0) && (k >= 0.25)) ? (u + (fabs(d) * k)) : (u - sqrt(((k * d) * d))))" in text


def chosen(u: F32[Y, X], k: F32[Y, X]):  # type: ignore[no-untyped-def]
    d = u[0, 1] - u[0, -1]
    return (u + abs(d) * k if d > 0 and k >= 0.25 else u - np.sqrt(k * d * d)) if u < 4 else u / 2


def whole(u: I32[X], rule: int):  # type: ignore[no-untyped-def]
    return (u[-1] * 4 + u * 2 + u[1] + rule) % 8


def test_integers_are_those_of_c() -> None:
    u = np.arange(40, dtype=np.int32) % 7
    expected = u.copy()
    for _ in range(3):
        expected[1:-1] = (expected[:-2] * 4 + expected[1:-1] * 2 + expected[2:] + 3) % 8
    hexcc.stencil(whole)(u, 3, steps=3)
    assert np.array_equal(u, expected)


def in_turn(u: F64[X], v: F64[X]):  # type: ignore[no-untyped-def]
    half, double = 0.5 * u, 2 * u
    u = half + double + v[1]
    v = v - u[-1]
    return u, v


def test_fields_change_in_turn() -> None:
    u, v = np.arange(9.0), np.arange(9.0) % 4
    p, q = u.copy(), v.copy()
    hexcc.stencil(in_turn)(u, v, steps=3)
    for _ in range(3):
        p[:-1] = 0.5 * p[:-1] + 2 * p[:-1] + q[1:]
        q[1:] = q[1:] - p[:-1]
    assert np.array_equal(u, p) and np.array_equal(v, q)


def test_arguments_are_checked() -> None:
    stencil = hexcc.stencil(heat)
    u = np.zeros((4, 5), np.float32)
    for arguments, error, why in [
        ((u,), TypeError, "lacks `c`"),
        ((u, 0.1, 3), TypeError, "takes 2 arguments"),
        ((u.astype(np.float64), 0.1), TypeError, "float64"),
        ((u.T, 0.1), ValueError, "dense rows"),
        ((u[0], 0.1), ValueError, "2 dimensions"),
        ((u, "a"), TypeError, "number"),
        ((3, 0.1), TypeError, "an array"),
    ]:
        with pytest.raises(error, match=why):
            stencil(*arguments)
    with pytest.raises(ValueError, match="at least 0"):
        stencil(u, 0.1, steps=-1)
    with pytest.raises(ValueError, match="cells along"):
        hexcc.stencil(wave)(np.zeros((4, 5)), np.zeros((4, 6)), np.zeros((4, 5)), 0.0)


# What is wrong, in which line of the function, and a part of what is said.
MALFORMED = [
    ("def a(u: F32[X]):\n    return u[1] + w", 2, "`w` is no field"),
    ("def a(u: F32[X]):\n    x = u[1, 0]\n    return x", 2, "1 dimensions"),
    ("def a(u: F32[X]):\n    d = u[1]\n    u = 2 * u\n    return u + d", 4, "before `u` changed"),
    ("def a(u: F32[X]):\n    u, v = 1, u\n    return u", 2, "one after the other"),
    ("def a(u: F32[X]):\n    x, y = u\n    return x", 2, "as many values"),
    ("def a(u):\n    return u", 1, "has a field"),
    ("def a():\n    return 1", 1, "has a field"),
    ("def a(u: F32[X]):\n    for i in range(3):\n        pass\n    return u", 2, "assignments and one `return`"),
    ("def a(u: F32[X]):\n    if u > 1:\n        return u\n    return 0", 2, "assignments and one `return`"),
    ("def a(u: F32[X], n: I32):\n    return u[n]", 2, "offsets are whole numbers"),
    ("def a(u: F32[X]):\n    return u[0.5]", 2, "offsets are whole numbers"),
    ("def a(u: F32[X]):\n    return u[True]", 2, "offsets are whole numbers"),
    ("def a(u: F32[X]):\n    return foo(u)", 2, "no function `foo`"),
    ("def a(u: F32[X]):\n    return np.sqrt(u, u)", 2, "sqrt"),
    ("def a(u: F32[X]):\n    return np.sqrt(x=u)", 2, "no value of a stencil"),
    ("def a(u: F32[X]):\n    return u, u", 2, "2 values for 1 field"),
    ("def a(u: F32[X]):\n    v = u", 2, "ends with `return`"),
    ("def a(u: F32[X]):\n    return", 2, "ends with `return`"),
    ("def a(u: F32[X]):\n    pass", 2, "ends with `return`"),
    ("def a(u: F32[X]):\n    return 'text'", 2, "no number"),
    ("def a(u: F32[X]):\n    return [u]", 2, "no value of a stencil"),
    ("def a(u: F32[X]):\n    return u @ u", 2, "no value of a stencil"),
    ("def a(u: F32[X]):\n    return u // 2", 2, "no value of a stencil"),
    ("def a(u: F32[X]):\n    return u[0][1]", 2, "only fields have cells"),
    ("def a(u: F32[X], c):\n    return c[0] + u", 2, "only fields have cells"),
    ("def a(u: F32[X]):\n    u[0] = 1\n    return u", 2, "assigns to names"),
    ("def a(u: F32[X], c):\n    c += 1\n    return u + c", 2, "`c` is a number"),
    ("def a(u: F32[X], c=3):\n    return u + c", 1, "without defaults"),
    ("def a(u: F32[X], *c):\n    return u", 1, "without defaults"),
    ("def a(u: F32[X], c: str):\n    return u", 1, "no field and no number"),
    ("def a(u: F32[1]):\n    return u", 1, "dimensions have names"),
    ("def a(size: F32[X]):\n    return size", 1, "word of the stencil language"),
    ("def a(u: F32[where]):\n    return u", 1, "word of the stencil language"),
    ("def a(u: F32[X], v: F32[Y, X]):\n    return u + v", 2, "dimension"),
    ("def a(u: F32[X]):\n    return u[9999999999999]", 2, ""),
    ("def a(u: F32[X]):\n    return u % 2", 2, "remainder of integers"),
    ("def a(u: I32[X]):\n    return u * 0.5", 2, "no value of `u`"),
    ("def a(u: F32[X]):\n    return u if u else 1e999", 2, "no number"),
    ("def a(u: F32[X]):\n    return lambda: u", 2, "no value of a stencil"),
    ("def a(u: F32[X]):\n    return u[1:2]", 2, "offsets are whole numbers"),
    ("def a(u: F32[X]):\n    return u.T", 2, "no value of a stencil"),
    ("def a(__u: F32[X]):\n    return __u", 1, "cannot be a name"),
    ("async def a(u: F32[X]):\n    return u", 1, "`def` defines"),
]


@pytest.mark.parametrize(("text", "line", "why"), MALFORMED)
def test_what_is_no_stencil_is_refused_at_its_line(text: str, line: int, why: str, tmp_path: Path) -> None:
    head = "import hexcc\nimport numpy as np\nfrom hexcc import F32, I32, X, Y\nwhere = X\n\n\n@hexcc.stencil\n"
    file = tmp_path / "malformed.py"
    file.write_text(head + textwrap.dedent(text) + "\n")
    with pytest.raises(hexcc.TranslationError) as found:
        exec(compile(file.read_text(), str(file), "exec"), {"__name__": "malformed", "__file__": str(file)})
    assert why in str(found.value)
    assert found.value.line == line + head.count("\n"), str(found.value)
    assert "malformed.py" in str(found.value)
