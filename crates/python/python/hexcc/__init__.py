"""Stencils in plain C, called from Python.

`hexcc.compile` translates a C function to C with OpenMP, builds it, and returns a callable.
The callable works on arrays in place, and its results equal those of the C program bit for bit.
`hexcc.stencil` makes a stencil of a Python function.
"""

from ._compile import compile
from ._errors import BuildError, Diagnostic, GpuError, HexccError, TargetError, TranslationError
from ._function import Function
from ._measure import plot
from ._signature import Parameter, Signature
from ._stencil import Stencil, stencil
from ._types import F32, F64, I32, X, Y, Z

__all__ = [
    "F32",
    "F64",
    "I32",
    "BuildError",
    "Diagnostic",
    "Function",
    "GpuError",
    "HexccError",
    "Parameter",
    "Signature",
    "Stencil",
    "TargetError",
    "TranslationError",
    "X",
    "Y",
    "Z",
    "compile",
    "plot",
    "stencil",
]
