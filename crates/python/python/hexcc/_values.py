"""Numbers that a C function computes before its loops, computed as C does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from . import _signature

_FLOATS = {"float": np.float32, "double": np.float64}


def declared(does: Any) -> list[dict[str, Any]]:
    """The numbers that a statement declares with a value, as the command prints them."""
    if not isinstance(does, dict):
        return []
    return [local for local in does["declare"] if local["value"] is not None]


def computed(numbers: Sequence[Mapping[str, Any]], known: Mapping[str, Any]) -> dict[str, Any]:
    """Their values, where parameters have the values `known`."""
    values = dict(known)
    for local in numbers:
        values[local["name"]] = _converted(_value(local["value"], values), local["type"])
    return {local["name"]: values[local["name"]] for local in numbers}


def _value(node: Mapping[str, Any], values: Mapping[str, Any]) -> Any:
    of = node["type"]
    if "int" in node:
        return _converted(node["int"], of)
    if "real" in node:
        text = node["real"].rstrip("fFlL") if not node["real"].lower().startswith("0x") else node["real"].rstrip("lL")
        return _converted(float.fromhex(text) if text.lower().startswith("0x") else float(text), of)
    if "name" in node:
        if node["name"] not in values:
            raise ValueError(f"`{node['name']}` has no value that Python knows")
        return _converted(values[node["name"]], of)
    if "cast" in node:
        return _converted(_value(node["cast"], values), of)
    with np.errstate(all="ignore"):
        if "minus" in node:
            return _converted(-_converted(_value(node["minus"], values), of), of)
        operator, *sides = node["binary"]
        left, right = (_converted(_value(side, values), of) for side in sides)
        return _converted(_of(operator, left, right), of)


def _of(operator: str, left: Any, right: Any) -> Any:
    if isinstance(left, int):
        if operator in "/%" and right == 0:
            raise ValueError("a number before the loops is divided by zero")
        return _signature.computed(operator, left, right)
    return left / right if operator == "/" else _signature.computed(operator, left, right)


def _converted(value: Any, of: Mapping[str, Any]) -> Any:
    if of["kind"] == "float":
        kind = _FLOATS.get(of["name"])
        if kind is None:
            raise ValueError(f"numbers of type `{of['name']}` are not computed in Python")
        with np.errstate(all="ignore"):
            return kind(value)
    if isinstance(value, np.floating) and not np.isfinite(value):
        raise ValueError("a number before the loops is infinite, and becomes an integer")
    whole, bits = int(value), 8 * of["size"]
    if of["name"] == "_Bool":
        return int(value != 0)
    if not of["signed"]:
        return whole % (1 << bits)
    if not -(1 << (bits - 1)) <= whole < 1 << (bits - 1):
        raise ValueError(f"a number before the loops does not fit into `{of['name']}`: {whole}")
    return whole
