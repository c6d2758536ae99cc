"""What a C function takes and returns, as `hexcc --emit signatures` tells it."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Optional, Union

import numpy as np

from ._errors import HexccError

# The length of an array: a number, or an expression of parameters as the command prints it.
Extent = Union[int, Mapping[str, Any], None]

_INTEGERS: dict[tuple[int, bool], Any] = {
    (1, True): ctypes.c_int8,
    (1, False): ctypes.c_uint8,
    (2, True): ctypes.c_int16,
    (2, False): ctypes.c_uint16,
    (4, True): ctypes.c_int32,
    (4, False): ctypes.c_uint32,
    (8, True): ctypes.c_int64,
    (8, False): ctypes.c_uint64,
}
_FLOATS: dict[str, Any] = {"float": ctypes.c_float, "double": ctypes.c_double, "long double": ctypes.c_longdouble}


@dataclass(frozen=True)
class Parameter:
    """A parameter of a C function.

    A number has a `ctype` and no `dtype`. An array has the `dtype` of its elements.
    `extents` has its lengths, the outermost first, and is `None` where the C type tells no dimensions.
    """

    name: str
    c_type: str
    ctype: Any
    dtype: Optional[np.dtype[Any]] = None  # noqa: UP045 - evaluated by tools for Python 3.9
    is_const: bool = False
    extents: Optional[tuple[Extent, ...]] = None  # noqa: UP045

    @property
    def is_array(self) -> bool:
        """Whether it takes an array."""
        return self.dtype is not None

    def __str__(self) -> str:
        """Return its declaration in C."""
        return self.c_type


@dataclass(frozen=True)
class Signature:
    """The prototype of a C function."""

    name: str
    parameters: tuple[Parameter, ...]
    result: Any
    result_type: str
    is_static: bool

    def __str__(self) -> str:
        """Return the prototype in C."""
        return f"{self.result_type} {self.name}({', '.join(str(p) for p in self.parameters) or 'void'})"


def choose(functions: list[dict[str, Any]], name: str | None, path: str) -> dict[str, Any]:
    """Pick the function of a file that is to be called."""
    names = [function["name"] for function in functions]
    if name is not None:
        for function in functions:
            if function["name"] == name:
                return function
        raise ValueError(f"{path} defines no function `{name}`; it defines {_listed(names)}")
    others = [function for function in functions if function["name"] != "main"]
    public = [function for function in others if not function["static"]]
    found = public or others
    if len(found) == 1:
        return found[0]
    if not found:
        raise ValueError(f"{path} defines no function that Python can call")
    raise ValueError(f"{path} defines {_listed([f['name'] for f in found])}; name one: `compile(.., 'NAME')`")


def _listed(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names) or "none"


def parse(function: dict[str, Any]) -> Signature:
    """Make a signature of what the command prints; raises `HexccError` for types that Python cannot pass."""
    name = function["name"]
    if function["variadic"]:
        raise HexccError(f"`{name}` takes any number of arguments, which Python cannot pass")
    parameters = tuple(_parameter(name, number, p) for number, p in enumerate(function["params"]))
    result = None
    if function["result"]["kind"] != "void":
        result = _number(function["result"])
        if result is None:
            raise HexccError(f"`{name}` returns what Python cannot take: {_spelled(function['result'], '')}")
    return Signature(name, parameters, result, _spelled(function["result"], ""), function["static"])


def _parameter(function: str, number: int, parameter: dict[str, Any]) -> Parameter:
    name, of = parameter["name"] or f"argument {number + 1}", parameter["type"]
    spelled = _spelled(of, parameter["name"])
    number_type = _number(of)
    if number_type is not None:
        return Parameter(name, spelled, number_type)
    dtype, extents, element = None, None, of
    if of["kind"] == "array":
        extents, element = _dimensions(of)
    elif of["kind"] == "pointer":
        element = of["to"]
        if element["kind"] == "array":
            inner, element = _dimensions(element)
            extents = (None, *inner)
    if of["kind"] in ("array", "pointer"):
        dtype = _dtype(element)
    if dtype is None:
        raise HexccError(f"Python cannot pass parameter `{name}` of `{function}`: `{spelled}`")
    return Parameter(name, spelled, ctypes.c_void_p, dtype, element["const"], extents)


def _dimensions(of: dict[str, Any]) -> tuple[tuple[Extent, ...], dict[str, Any]]:
    """The lengths of an array of arrays, and what the innermost one is of."""
    extents: list[Extent] = []
    while of["kind"] == "array":
        length = of["length"]
        known = None if length == "unknown" else length.get("int", length)
        extents.append(known)
        of = of["element"]
    return tuple(extents), of


def _number(of: dict[str, Any]) -> Any:
    if of["kind"] == "integer":
        return ctypes.c_bool if of["name"] == "_Bool" else _INTEGERS.get((of["size"], of["signed"]))
    return _FLOATS.get(of["name"]) if of["kind"] == "float" else None


def _dtype(of: dict[str, Any]) -> np.dtype[Any] | None:
    """The dtype of elements; `None` for what NumPy does not have."""
    if of["kind"] == "struct":
        fields = [_field(field) for field in of["fields"]]
        if not fields or None in fields:
            return None
        names = [field["name"] for field in of["fields"]]
        offsets = [field["offset"] for field in of["fields"]]
        return np.dtype({"names": names, "formats": fields, "offsets": offsets, "itemsize": of["size"]})
    number = _number(of)
    return None if number is None else np.dtype(number)


def _field(field: dict[str, Any]) -> Any:
    extents, element = _dimensions(field["type"])
    dtype = _dtype(element)
    if dtype is None or not all(isinstance(extent, int) for extent in extents):
        return None
    return (dtype, extents) if extents else dtype


def _spelled(of: dict[str, Any], name: str) -> str:
    """A declaration in C."""
    kind = of["kind"]
    if kind == "pointer":
        inner = f"*{name}"
        return _spelled(of["to"], f"({inner})" if of["to"]["kind"] == "array" else inner)
    if kind == "array":
        length = of["length"]
        return _spelled(of["element"], f"{name}[{'' if length == 'unknown' else written(length)}]")
    word = {"struct": f"struct {of.get('name', '')}", "void": "void"}.get(kind, of.get("name", "?"))
    return f"{'const ' if of['const'] else ''}{word.strip()} {name}".strip()


def written(extent: Any) -> str:
    """An extent in C."""
    if isinstance(extent, int):
        return str(extent)
    ((kind, value),) = extent.items()
    if kind == "binary":
        operator, left, right = value
        return f"({written(left)} {operator} {written(right)})"
    return str(value)


def value(extent: Extent, numbers: Mapping[str, int]) -> int | None:
    """The value of an extent with the arguments; `None` where nobody knows it."""
    if extent is None or isinstance(extent, int):
        return extent
    ((kind, inside),) = extent.items()
    if kind == "int":
        return int(inside)
    if kind == "param":
        return numbers.get(inside)
    operator, *sides = inside
    left, right = (value(side, numbers) for side in sides)
    if left is None or right is None:
        return None
    return None if operator in "/%" and right == 0 else computed(operator, left, right)


def computed(operator: str, left: int, right: int) -> int:
    """Compute `+`, `-`, `*`, `/` or `%` of integers as C does; a divisor is not 0."""
    if operator in "/%":
        # C rounds towards zero.
        quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
        return quotient if operator == "/" else left - quotient * right
    return left + right if operator == "+" else left - right if operator == "-" else left * right
