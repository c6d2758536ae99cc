"""A translated C function that Python calls."""

from __future__ import annotations

import ctypes
import functools
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from . import _arguments, _build
from ._errors import BuildError, Diagnostic
from ._signature import Signature

_PLACES = ("", "auto", "threads", "gpu", "host")


class Function:
    """A C function whose loops hexcc has translated. `hexcc.compile` makes these.

    Call it with C's arguments, by position or by the names that the C prototype gives them.
    Numbers become C's numbers. Arrays are used where they are: C reads and writes their memory.
    A call lets other threads of Python run.
    """

    def __init__(
        self,
        signature: Signature,
        source: str,
        library: Path,
        warnings: tuple[Diagnostic, ...],
        texts: Callable[[str], str],
    ) -> None:
        """Load a library; `texts` makes the texts named `cuda` and `explain`."""
        self.__name__ = signature.name
        self.__doc__ = f"`{signature}`, translated by hexcc."
        self._signature = signature
        self._source = source
        self._library = library
        self._warnings = warnings
        self._texts = texts
        try:
            self._loaded = ctypes.CDLL(str(library))
        except OSError as error:
            raise BuildError(f"the library cannot be loaded: {error}") from error
        address = ctypes.c_void_p.in_dll(self._loaded, _build.ENTRY).value or 0
        kind = ctypes.CFUNCTYPE(signature.result, *(p.ctype for p in signature.parameters))
        self._call = kind(address)

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Run the function, and return what C returns.

        Arrays are NumPy arrays, or others with `__dlpack__` in memory of the CPU. Their elements have C's type,
        their rows are dense, and their shapes are those of the prototype, where it tells them.

        Raises `TypeError` for arguments of another type, and `ValueError` for other sizes and layouts.
        """
        place = os.environ.get("HEXCC_RUN_ON", "")
        if place not in _PLACES:
            raise ValueError(f"HEXCC_RUN_ON={place}: it can be auto, threads, gpu or host")
        ordered = _arguments.bind(self._signature, args, kwargs)
        passed, arrays = _arguments.convert(self._signature, ordered)
        result = self._call(*passed)
        del arrays  # They had to live until here.
        return result

    @property
    def signature(self) -> Signature:
        """The prototype of the C function."""
        return self._signature

    @property
    def source(self) -> str:
        """The translation, which is C with OpenMP."""
        return self._source

    @property
    def library(self) -> Path:
        """The shared library in the cache."""
        return self._library

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """What hexcc warned of, such as loops that it leaves as they are."""
        return self._warnings

    @functools.cached_property
    def cuda(self) -> str:
        """The program as CUDA C++, which nvcc compiles. Raises `TranslationError` where CUDA does not take it."""
        return self._texts("cuda")

    def explain(self) -> str:
        """Return what hexcc found in the loops and what it decided, as `hexcc explain` prints it."""
        return self._texts("explain")

    def __repr__(self) -> str:
        """Return the prototype."""
        return f"<hexcc.Function {self._signature}>"
