"""A translated C function that Python calls."""

from __future__ import annotations

import ctypes
import functools
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import _arguments, _build, _gpu, _measure
from ._errors import BuildError, Diagnostic, TargetError
from ._signature import Signature

_PLACES = ("", "auto", "threads", "gpu", "host")


@dataclass(frozen=True)
class Translation:
    """C with OpenMP, its library, and what hexcc warned of."""

    text: str
    library: Path
    warnings: tuple[Diagnostic, ...]


class Function:
    """A C function whose loops hexcc has translated. `hexcc.compile` makes these.

    Call it with C's arguments, by position or by the names that the C prototype gives them.
    Numbers become C's numbers. Arrays are used where they are: C reads and writes their memory.
    A call lets other threads of Python run.
    """

    def __init__(
        self,
        signature: Signature,
        cpu: Translation | None,
        gpu: Callable[[], _gpu.Region] | None,
        texts: Callable[[str], str],
    ) -> None:
        """Load a library; `gpu` makes kernels when they are needed, `texts` the texts named `cuda` and `explain`."""
        self.__name__ = signature.name
        self.__doc__ = f"`{signature}`, translated by hexcc."
        self._signature = signature
        self._names = tuple(p.name for p in signature.parameters)
        self._about = f"its prototype is `{signature}`"
        self._cpu = cpu
        self._texts = texts
        self._make_region = gpu
        self._region: _gpu.Region | None = None
        if cpu is None:
            self._region = gpu() if gpu else None
            return
        try:
            self._loaded = ctypes.CDLL(str(cpu.library))
        except OSError as error:
            raise BuildError(f"the library cannot be loaded: {error}") from error
        address = ctypes.c_void_p.in_dll(self._loaded, _build.ENTRY).value or 0
        kind = ctypes.CFUNCTYPE(signature.result, *(p.ctype for p in signature.parameters))
        self._call = kind(address)

    def __call__(self, /, *args: Any, stream: Any = None, **kwargs: Any) -> Any:
        """Run the function, and return what C returns.

        Arrays are NumPy arrays, or others with `__dlpack__`. Their elements have C's type,
        their rows are dense, and their shapes are those of the prototype, where it tells them.

        Arrays in memory of a GPU are used by kernels there, which the call starts on `stream`: one of torch or CuPy,
        its number, or the current one of the arrays' library. The call does not wait for them.

        Raises `TypeError` for arguments of another type, and `ValueError` for other sizes and layouts.
        """
        ordered = _arguments.bind(self.__name__, self._names, self._about, args, kwargs)
        region = self._region
        if self._make_region is not None and (self._cpu is None or any(map(_gpu.is_on_gpu, ordered))):
            region = self._region = region or self._make_region()
            region(ordered, stream)
            return None
        if stream is not None:
            raise TypeError("stream= is for arrays in memory of a GPU")
        place = os.environ.get("HEXCC_RUN_ON", "")
        if place not in _PLACES:
            raise ValueError(f"HEXCC_RUN_ON={place}: it can be auto, threads, gpu or host")
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
        """The translation: C with OpenMP, or the CUDA text of the kernels with `target="cuda"`."""
        if self._cpu is not None:
            return self._cpu.text
        return self._region.kernels.cuda if self._region else ""

    @property
    def library(self) -> Path | None:
        """The shared library in the cache; `None` with `target="cuda"`."""
        return None if self._cpu is None else self._cpu.library

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """What hexcc warned of, such as loops that it leaves as they are."""
        return () if self._cpu is None else self._cpu.warnings

    @functools.cached_property
    def cuda(self) -> str:
        """The program as CUDA C++, which nvcc compiles. Raises `TranslationError` where CUDA does not take it."""
        return self._texts("cuda")

    def explain(self) -> str:
        """Return what hexcc found in the loops and what it decided, as `hexcc explain` prints it."""
        return self._texts("explain")

    def bench(self, options: Sequence[str] = (), **sizes: int) -> list[dict[str, Any]]:
        """Measure the kernels on the GPU beside those of one thread a cell, as `hexcc bench` does.

        Sizes are those of C's parameters, `bench(n=4096, steps=100)`; others are chosen to fit the GPU. Each row has
        what was measured: `gcells` is billions of cells a second, `ms` the time, and `different` cells that differ.

        Raises `GpuError` where nothing can be measured; standard error says why.
        """
        return _measure.bench(self._on_gpu().scop, self.__name__, sizes, options)

    def tune(self, budget: float = 30.0, options: Sequence[str] = (), **sizes: int) -> list[dict[str, Any]]:
        """Search for the fastest tiles for `budget` seconds, as `hexcc tune` does, and keep them for later.

        Kernels of the function are those from then on, in later processes too. Returns all points that were measured.

        Raises `GpuError` where nothing can be measured; standard error says why.
        """
        rows = _measure.tune(self._on_gpu().scop, self.__name__, sizes, budget, options)
        self._region = self._make_region() if self._make_region else None
        return rows

    def _on_gpu(self) -> _gpu.Region:
        if self._make_region is None:
            raise TargetError(f"`{self.__name__}` was compiled for the CPU; compile it with target='cuda'")
        self._region = self._region or self._make_region()
        return self._region

    def __repr__(self) -> str:
        """Return the prototype."""
        return f"<hexcc.Function {self._signature}>"
