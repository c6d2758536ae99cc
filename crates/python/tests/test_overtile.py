"""Overtile's ten programs in Python beside the same ones as text: kernels are equal but for names and comments."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import hexcc
import numpy as np
import pytest
from hexcc import _native

ROOT = Path(__file__).resolve().parents[3]


def programs() -> dict[str, hexcc.Stencil]:
    spec = importlib.util.spec_from_file_location("overtile", ROOT / "crates/python/examples/overtile.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return {stencil.__name__: stencil for stencil in module.ALL}


ALL = programs()
# What the texts call sizes, fields and numbers.
NAMES = {
    "poisson2d": {"Y": "N", "X": "M"},
    "fdtd2d": {"X": "NX", "Y": "NY"},
    "rician2d": {"Y": "N", "X": "M", "trust": "lambda"},
    "tv2d": {"Y": "N", "X": "M"},
}


def code(text: str) -> list[str]:
    """The lines without comments and blanks, numbers by their values."""
    lines = (line.split("//")[0].strip() for line in text.splitlines())
    number = re.compile(r"\b\d+(\.\d*)?(e-?\d+)?f?\b")
    return [number.sub(lambda found: repr(float(found.group().rstrip("f"))), line) for line in lines if line]


@pytest.mark.parametrize("name", list(ALL))
def test_kernels_are_those_of_the_text(name: str) -> None:
    names = {"steps": "T", **NAMES.get(name, {"X": "N", "a": "A"})}
    own = re.sub(r"[A-Za-z_]\w*", lambda word: names.get(word.group(), word.group()), ALL[name].text)
    text = (ROOT / f"testsuite/st/{name}.st").read_text()
    made = [_native.Kernels.of_stencil(f"{name}.st", source, [], None) for source in (own, text)]
    # One launch a step is expected to be faster where a cell costs three roots.
    assert [of.is_tiled for of in made] == [name != "tv2d"] * 2
    assert code(made[0].cuda) == code(made[1].cuda)


def test_programs_run() -> None:
    ex, ey, hz = (np.ones(shape, np.float32) for shape in ((5, 7), (6, 6), (5, 6)))
    ey[2] = 3
    ALL["fdtd2d"](ex, ey, hz, steps=2)
    x, y, z = (np.ones(shape, np.float32) for shape in ((5, 7), (6, 6), (5, 6)))
    y[2] = 3
    for _ in range(2):
        y[1:-1] = y[1:-1] - np.float32(0.5) * (z[1:] - z[:-1])
        x[:, 1:-1] = x[:, 1:-1] - np.float32(0.5) * (z[:, 1:] - z[:, :-1])
        z[:] = z - np.float32(0.7) * (x[:, 1:] - x[:, :-1] + y[1:] - y[:-1])
    assert np.array_equal(ex, x) and np.array_equal(ey, y) and np.array_equal(hz, z)
