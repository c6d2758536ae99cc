"""Types of fields, for the annotations of stencils: `u: F32[Y, X]` is a field of `float` with two dimensions."""

from __future__ import annotations

from typing import Any


class _Kind:
    def __init__(self, name: str) -> None:
        self._name = name

    def __getitem__(self, dims: Any) -> Any:
        return self

    def __repr__(self) -> str:
        return self._name


class Dimension:
    """The name of a dimension."""

    def __init__(self, name: str) -> None:
        """Give it a name."""
        self._name = name

    def __add__(self, more: int) -> Dimension:
        """Return the dimension with so many cells more."""
        return Dimension(f"{self._name} + {more}")

    def __sub__(self, less: int) -> Dimension:
        """Return the dimension with so many cells less."""
        return Dimension(f"{self._name} - {less}")

    def __repr__(self) -> str:
        """Return the name."""
        return self._name


F32: Any = _Kind("F32")
F64: Any = _Kind("F64")
I32: Any = _Kind("I32")
X, Y, Z = (Dimension(name) for name in "XYZ")
