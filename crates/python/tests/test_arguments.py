"""Arguments: what is taken in place, and what is refused."""

from __future__ import annotations

import ctypes
from typing import Any

import hexcc
import numpy as np
import pytest

ADDRESS = """
#include <stdint.h>
uint64_t where(int n, double u[n]) { for (int i = 0; i < n; i++) u[i] += 1; return (uint64_t)u; }
"""

READ = """
#include <stdint.h>
uint64_t where(int n, const double u[n], double v[n]) { for (int i = 0; i < n; i++) v[i] = u[i]; return (uint64_t)u; }
"""

TYPES = """
#define N 4
enum kind { FIRST, SECOND };
static void types(int n, unsigned char b, float f, double d, const int8_t *x, const uint16_t y[n + 1],
                  float z[N][2 * n], double (*w)[n], _Bool flag, enum kind kind) {}
"""

SCALE = """
void scale(int m, int n, double u[m][n], double by)
{
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      u[i][j] *= by;
}
"""


@pytest.fixture(scope="module")
def scale() -> hexcc.Function:
    return hexcc.compile(SCALE)


def test_no_copies() -> None:
    where = hexcc.compile(ADDRESS)
    u = np.zeros(100)
    assert where(100, u) == u.ctypes.data
    assert where(n=50, u=u[50:]) == u.ctypes.data + 400


class Exported:
    """An array of another library."""

    def __init__(self, array: Any, device: int = 1) -> None:
        self.array, self.device = array, device

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device, 0


def test_dlpack_is_used_in_place(scale: hexcc.Function) -> None:
    where = hexcc.compile(READ)
    u = np.zeros(10)
    assert where(10, Exported(u), np.zeros(10)) == u.ctypes.data
    with pytest.raises(TypeError, match="device 3"):
        where(10, Exported(u, device=3), np.zeros(10))
    with pytest.raises(TypeError, match="device 2:0; compile with target='cuda'"):
        hexcc.compile(READ, target="openmp")(10, Exported(u, device=2), np.zeros(10))
    with pytest.raises(hexcc.TargetError, match="returns a number"):
        where(10, Exported(u, device=2), np.zeros(10))
    u = np.ones((3, 4))
    if np.from_dlpack(Exported(u)).flags.writeable:
        scale(3, 4, Exported(u), 2.0)
        assert (u == 2).all()
    else:  # NumPy before 2.1
        with pytest.raises(ValueError, match="by `__dlpack__`: pass a NumPy array"):
            scale(3, 4, Exported(u), 2.0)


def test_prototypes_are_clangs() -> None:
    text = "#include <stdint.h>\n" + TYPES + SCALE
    types = hexcc.compile(text, "types").signature
    assert types.is_static and types.result is None and types.result_type == "void"
    of = {p.name: p for p in types.parameters}
    assert of["b"].ctype is ctypes.c_uint8 and of["f"].ctype is ctypes.c_float
    assert of["flag"].ctype is ctypes.c_bool and of["kind"].ctype is ctypes.c_uint32
    assert of["x"].dtype == np.int8 and of["x"].is_const and of["x"].extents is None
    assert of["y"].c_type == "const unsigned short y[(n + 1)]" and of["y"].is_const
    assert of["z"].c_type == "float z[4][(2 * n)]" and not of["z"].is_const
    assert of["w"].c_type == "double (*w)[n]"
    function = hexcc.compile(text, "types")
    x, y, z, w = np.zeros(1, np.int8), np.zeros(4, np.uint16), np.zeros((4, 6), np.float32), np.zeros((9, 3))
    function(3, 1, 2, 3, x, y, z, w, True, 1)
    with pytest.raises(ValueError, match=r"takes shape \(4, 6\)"):
        function(3, 1, 2, 3, x, y, z[:3], w, True, 1)
    with pytest.raises(ValueError, match=r"takes shape \(any, 3\)"):
        function(3, 1, 2, 3, x, y, z, w[:, :2], True, 1)


def test_dense_slices_are_taken(scale: hexcc.Function) -> None:
    u = np.ones((6, 4))
    scale(2, 4, u[2:4], 3.0)
    assert u[2:4].sum() == 24 and u.sum() == 40


@pytest.mark.parametrize(
    ("array", "error", "message"),
    [
        (np.ones((4, 6))[:, ::2], ValueError, "dense rows"),
        (np.ones((4, 6))[:, :3], ValueError, "dense rows"),
        (np.ones((4, 3), order="F"), ValueError, "dense rows"),
        (np.ones((4, 3))[::-1], ValueError, "dense rows"),
        (np.ones((3, 4)), ValueError, r"takes shape \(4, 3\), and the array has \(3, 4\)"),
        (np.ones(12), ValueError, "takes shape"),
        (np.ones((4, 3), np.float32), TypeError, "dtype float64"),
        (np.ones((4, 3), ">f8"), TypeError, "dtype float64"),
        (np.ones((4, 3), np.int64), TypeError, "dtype float64"),
        (np.broadcast_to(np.ones(3), (4, 3)), ValueError, "dense rows"),
        ([[1.0] * 3] * 4, TypeError, "NumPy array"),
        (None, TypeError, "NumPy array"),
        (memoryview(b"0" * 96), TypeError, "NumPy array"),
    ],
)
def test_arrays_that_are_refused(scale: hexcc.Function, array: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message) as raised:
        scale(4, 3, array, 1.0)
    assert "`u` (`double u[m][n]`)" in str(raised.value)


def test_arrays_that_cannot_be_written(scale: hexcc.Function) -> None:
    u = np.ones((4, 3))
    u.flags.writeable = False
    with pytest.raises(ValueError, match="cannot be written"):
        scale(4, 3, u, 1.0)


def test_arrays_that_are_not_aligned(scale: hexcc.Function) -> None:
    memory = np.zeros(8 * 12 + 1, np.uint8)
    with pytest.raises(ValueError, match="aligned"):
        scale(4, 3, memory[1:].view(np.float64).reshape(4, 3), 1.0)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"m": 2.0}, TypeError, "takes an integer, not `float`"),
        ({"m": "2"}, TypeError, "takes an integer, not `str`"),
        ({"m": 2**31}, ValueError, "takes -2147483648 to 2147483647"),
        ({"m": -4}, ValueError, "length of -4"),
        ({"by": "2"}, TypeError, "takes a number, not `str`"),
        ({"by": 1j}, TypeError, "takes a number"),
        ({"by": np.ones(3)}, TypeError, "takes a number"),
        ({"of": 1}, TypeError, "no parameter `of`"),
    ],
)
def test_numbers_that_are_refused(
    scale: hexcc.Function, arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    given: dict[str, Any] = {"m": 4, "n": 3, "u": np.ones((4, 3)), "by": 1.0}
    with pytest.raises(error, match=message):
        scale(**{**given, **arguments})


def test_arguments_are_bound_as_pythons(scale: hexcc.Function) -> None:
    u = np.ones((4, 3))
    with pytest.raises(TypeError, match="lacks `u`, `by`"):
        scale(4, 3)
    with pytest.raises(TypeError, match="takes 4 arguments, and 5"):
        scale(4, 3, u, 1.0, 2)
    with pytest.raises(TypeError, match="two values for parameter `m`"):
        scale(4, 3, u, 1.0, m=4)
    scale(np.int64(4), n=np.uint8(3), u=u, by=np.float32(2))
    assert u.sum() == 24
    scale(0, 3, np.ones((0, 3)), 1)


def test_types_that_python_cannot_pass() -> None:
    loop = "for (int i = 1; i < n; i++) u[i] = 1.0f;"
    for parameter in ["float **rows", "void *p", "struct s *s", "int (*f)(int)", "union { int a; } x"]:
        text = f"struct s {{ struct s *next; }};\nvoid f(int n, float u[n], {parameter}) {{ {loop} }}"
        with pytest.raises(hexcc.HexccError, match="cannot pass parameter"):
            hexcc.compile(text)
