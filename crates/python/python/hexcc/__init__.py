"""Stencils in plain C, called from Python.

`hexcc.compile` translates a C function to C with OpenMP, builds it, and returns a callable.
The callable works on NumPy arrays in place, and its results equal those of the C program bit for bit.
"""

from ._compile import compile
from ._errors import BuildError, Diagnostic, HexccError, TargetError, TranslationError
from ._function import Function
from ._signature import Parameter, Signature

__all__ = [
    "BuildError",
    "Diagnostic",
    "Function",
    "HexccError",
    "Parameter",
    "Signature",
    "TargetError",
    "TranslationError",
    "compile",
]
