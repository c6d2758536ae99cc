"""Arguments of a call: what Python gives, as what C takes."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from . import _signature
from ._signature import Parameter, Signature

_CPU, _GPU = 1, 2  # kDLCPU and kDLCUDA of DLPack


def bind(name: str, names: Sequence[str], about: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Any]:
    """Order arguments as the parameters of a function are; raises `TypeError` as Python's own functions do.

    `about` says what the parameters are, for messages.
    """
    if len(args) > len(names):
        raise TypeError(f"{name}() takes {len(names)} arguments, and {len(args)} were given")
    given = dict(zip(names, args))
    for keyword, argument in kwargs.items():
        if keyword not in names:
            raise TypeError(f"{name}() has no parameter `{keyword}`; {about}")
        if keyword in given:
            raise TypeError(f"{name}() got two values for parameter `{keyword}`")
        given[keyword] = argument
    missing = [known for known in names if known not in given]
    if missing:
        raise TypeError(f"{name}() lacks {', '.join(f'`{m}`' for m in missing)}; {about}")
    return [given[known] for known in names]


def convert(signature: Signature, arguments: Sequence[Any]) -> tuple[list[Any], list[np.ndarray[Any, Any]]]:
    """Make C's arguments, and the arrays that must stay alive during the call.

    Raises `TypeError` for what has another type, and `ValueError` for what has another size or layout.
    """
    pairs = list(zip(signature.parameters, arguments))
    numbers = {p.name: number(p, argument) for p, argument in pairs if not p.is_array}
    sizes = {name: value for name, value in numbers.items() if isinstance(value, int)}
    arrays = {p.name: array(p, argument, sizes) for p, argument in pairs if p.is_array}
    passed = [arrays[p.name].ctypes.data if p.is_array else numbers[p.name] for p, _ in pairs]
    return passed, list(arrays.values())


def number(parameter: Parameter, argument: Any) -> Any:
    """Make a number of C; raises `TypeError` for what is none, and `ValueError` for one that is too large."""
    code = np.dtype(parameter.ctype)
    if code.kind == "f":
        if isinstance(argument, (str, bytes)) or not hasattr(type(argument), "__float__"):
            # Integers of other libraries have no __float__.
            if not hasattr(type(argument), "__index__"):
                raise TypeError(f"{_named(parameter)} takes a number, not {_type(argument)}")
            argument = operator.index(argument)
        try:
            return float(argument)
        except (TypeError, ValueError, OverflowError) as error:
            raise TypeError(f"{_named(parameter)} takes a number: {error}") from None
    try:
        whole = operator.index(argument)
    except TypeError:
        raise TypeError(f"{_named(parameter)} takes an integer, not {_type(argument)}") from None
    if code.kind == "b":
        return bool(whole)
    limits = np.iinfo(code)
    if not limits.min <= whole <= limits.max:
        raise ValueError(f"{_named(parameter)} takes {limits.min} to {limits.max}, and {whole} was given")
    return whole


def array(parameter: Parameter, argument: Any, sizes: Mapping[str, int]) -> np.ndarray[Any, Any]:
    """View an array in memory of the CPU as C takes it; raises `TypeError` and `ValueError` as `convert` does."""
    viewed = _viewed(parameter, argument)
    named = _named(parameter)
    if viewed.dtype != parameter.dtype:
        raise TypeError(f"{named} takes elements of dtype {parameter.dtype}, and the array has {viewed.dtype}")
    check_shape(parameter, viewed.shape, sizes)
    if not viewed.flags.c_contiguous:
        raise ValueError(
            f"{named} takes dense rows, and the array has strides {viewed.strides} for shape {viewed.shape}; "
            "pass `numpy.ascontiguousarray(..)`, which is a copy"
        )
    if not viewed.flags.aligned:
        raise ValueError(f"{named} takes aligned elements, and the array is not aligned")
    if not parameter.is_const and not viewed.flags.writeable:
        tip = (
            "" if viewed is argument else f"; NumPy {np.__version__} got it by `__dlpack__`: pass a NumPy array instead"
        )
        raise ValueError(f"{named} is not `const` in C, and the array cannot be written{tip}")
    return viewed


def _viewed(parameter: Parameter, argument: Any) -> np.ndarray[Any, Any]:
    """The memory of an argument as an array of NumPy, without a copy."""
    if isinstance(argument, np.ndarray):
        return argument
    if not hasattr(argument, "__dlpack__"):
        raise TypeError(f"{_named(parameter)} takes a NumPy array, or one with `__dlpack__`, not {_type(argument)}")
    device, ordinal = argument.__dlpack_device__()
    if device != _CPU:
        where = f"{_named(parameter)} takes memory of the CPU, and the array is on device {device}:{ordinal}"
        raise TypeError(f"{where}; compile with target='cuda'" if device == _GPU else where)
    try:
        return np.from_dlpack(argument)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise TypeError(f"{_named(parameter)}: NumPy cannot view {_type(argument)}: {error}") from error


def check_shape(parameter: Parameter, shape: tuple[int, ...], sizes: Mapping[str, int]) -> None:
    """Compare the shape of an array with that of the prototype; raises `ValueError` where they differ."""
    if parameter.extents is None:
        return
    wanted = [_signature.value(extent, sizes) for extent in parameter.extents]
    negative = [extent for extent in wanted if extent is not None and extent < 0]
    if negative:
        raise ValueError(f"{_named(parameter)} would have a length of {negative[0]}")
    fits = len(shape) == len(wanted) and all(w is None or w == n for w, n in zip(wanted, shape))
    if not fits:
        texts = ["any" if w is None else str(w) for w in wanted]
        comma = "," if len(texts) == 1 else ""
        raise ValueError(f"{_named(parameter)} takes shape ({', '.join(texts)}{comma}), and the array has {shape}")


def _named(parameter: Parameter) -> str:
    return f"`{parameter.name}` (`{parameter.c_type}`)"


def _type(argument: Any) -> str:
    return f"`{type(argument).__name__}`"
