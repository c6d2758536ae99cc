"""`hexcc.stencil`: a Python function that says what a time step does to fields."""

from __future__ import annotations

import functools
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from . import _arguments, _command, _gpu, _native, _read
from ._compile import compile as compile_c
from ._errors import TargetError
from ._function import Function
from ._signature import Parameter

_DTYPES: dict[str, Any] = {"float": np.dtype(np.float32), "double": np.dtype(np.float64), "int": np.dtype(np.int32)}


class Stencil:
    """What a time step does to fields. `@hexcc.stencil` makes these of Python functions, which are read and never run.

    Call it with arrays for fields, numbers for scalars, and `steps=`, how many time steps run. Fields get their values
    after the last step in place. Arrays of NumPy run on the cores of the CPU, those of a GPU there.
    """

    def __init__(
        self, model: _read.Model, boundaries: Mapping[str, str], options: Sequence[str], doc: str | None = None
    ) -> None:
        """Check what a function says; raises `TranslationError` at its lines."""
        self.__name__ = model.name
        self.__doc__ = doc
        self._model = model
        self._boundaries = dict(boundaries)
        self._options = tuple(options)
        self._text, self._lines = _read.write(model, boundaries)
        self._c = self._of(lambda: _native.c_of(self._text))
        # By field and GPU, memory for two planes, with its size and the stream that it was used on last.
        self._planes: dict[tuple[str, int], tuple[int, int, _native.Memory]] = {}
        self._lock = threading.Lock()

    def __call__(self, /, *args: Any, steps: int = 1, stream: Any = None, **kwargs: Any) -> None:
        """Run `steps` time steps on arrays, in place.

        Arrays of a GPU are used by kernels that the call starts on `stream`, as in `hexcc.compile`.

        Raises `TypeError` for arguments of another type, and `ValueError` for other sizes and layouts.
        """
        names = self._model.parameters
        about = f"it has {', '.join(names)}"
        given = dict(zip(names, _arguments.bind(self.__name__, names, about, args, kwargs)))
        steps = _arguments.number(Parameter("steps", "int steps", np.ctypeslib.as_ctypes_type(np.int32)), steps)
        if steps < 0:
            raise ValueError(f"`steps` is at least 0, and {steps} was given")
        sizes = self._sizes(given)
        numbers: dict[str, Any] = {**sizes, self._model.steps: steps}
        for name, kind in self._model.scalars:
            ctype = np.ctypeslib.as_ctypes_type(_DTYPES[kind])
            numbers[name] = _arguments.number(Parameter(name, f"{kind} {name}", ctype), given[name])
        arrays = {of.name: given[of.name] for of in self._model.fields}
        if any(map(_gpu.is_on_gpu, arrays.values())):
            self._on_gpu(numbers, arrays, steps, stream)
        elif stream is not None:
            raise TypeError("stream= is for arrays in memory of a GPU")
        else:
            self._on_cpu(numbers, arrays, steps)

    def _sizes(self, given: Mapping[str, Any]) -> dict[str, int]:
        sizes: dict[str, int] = {}
        for of in self._model.fields:
            shape = getattr(given[of.name], "shape", None)
            if shape is None:
                raise TypeError(f"`{of.name}` takes an array, not `{type(given[of.name]).__name__}`")
            if len(shape) != len(of.dims):
                raise ValueError(f"`{of.name}` has {len(of.dims)} dimensions, and the array has shape {tuple(shape)}")
            for dim, more, extent, length in zip(of.dims, of.more, of.extents, shape):
                if sizes.setdefault(dim, int(length) - more) != int(length) - more:
                    least = sizes[dim] + more
                    raise ValueError(f"`{of.name}` has {int(length)} cells along {extent}, where others have {least}")
        for dim, least in self._least().items():
            if sizes[dim] < least:
                raise ValueError(f"{dim} is at least {least} with this boundary, and the arrays have {sizes[dim]}")
        return sizes

    def _least(self) -> dict[str, int]:
        """The cells that boundaries need along dimensions."""
        least: dict[str, int] = {}
        dims = {of.name: of.dims for of in self._model.fields}
        for _, result in self._model.statements:
            for name, offsets in self._model.reach(result):
                for dim, offset in zip(dims[name], offsets):
                    more = {"periodic": 0, "mirrored": 1}.get(self._boundaries.get(dim, ""), None)
                    if more is not None and offset:
                        least[dim] = max(least.get(dim, 0), abs(offset) + more)
        return least

    @functools.cached_property
    def _function(self) -> Function:
        return compile_c(self._c, self.__name__, target="openmp", options=self._options)

    def _on_cpu(self, numbers: dict[str, Any], arrays: dict[str, Any], steps: int) -> None:
        parameters = {p.name: p for p in self._function.signature.parameters}
        passed, planes = dict(numbers), {}
        for of in self._model.fields:
            plain = Parameter(of.name, f"{of.kind} {of.name}", None, _DTYPES[of.kind], parameters[of.name].is_const)
            array = passed[of.name] = _arguments.array(plain, arrays[of.name], {})
            if len(parameters[of.name].extents or ()) > len(of.dims):
                both = passed[of.name] = np.empty((2, *array.shape), array.dtype)
                both[0] = both[1] = array
                planes[of.name] = (array, both)
        self._function(**passed)
        for array, both in planes.values():
            array[...] = both[steps % 2]

    @functools.cached_property
    def _kernels(self) -> _native.Kernels:
        path, device = f"{self._model.name}.st", _native.device_name()
        try:
            made: _native.Kernels = self._of(
                lambda: _native.Kernels.of_stencil(path, self._text, list(self._options), device)
            )
            return made
        except _native.NotLaunched as error:
            raise TargetError(f"`{self.__name__}` cannot run on a GPU: {error}") from None

    def _on_gpu(self, numbers: dict[str, Any], arrays: dict[str, Any], steps: int, stream: Any) -> None:
        kernels = self._kernels
        n_dims = {name: n for name, _, n, _ in kernels.arrays}
        written = {name for name, _, _, is_written in kernels.arrays if is_written}
        given = {
            of.name: (
                Parameter(of.name, f"{of.kind} {of.name}", None, _DTYPES[of.kind], of.name not in written),
                arrays[of.name],
            )
            for of in self._model.fields
            if of.name in n_dims
        }
        params = [int(numbers[name]) for name in kernels.params]
        scalars = [float(numbers[name]) for name, _ in kernels.scalars]
        with self._lock, _gpu.Placed(given, numbers, stream) as placed:
            memory, planes = dict(placed.memory), {}
            for of in self._model.fields:
                if n_dims.get(of.name, 0) > len(of.dims):
                    pointer, size = memory[of.name]
                    both = planes[of.name] = self._both(of.name, placed, size)
                    for plane in range(2):
                        both.copy(plane * size, pointer, size, placed.stream, True)
                    memory[of.name] = (both.pointer, 2 * size)
            in_order = [memory[name] for name in n_dims]
            _gpu.run(kernels, params, scalars, in_order, placed.device, placed.stream)
            for name, both in planes.items():
                pointer, size = placed.memory[name]
                both.copy(steps % 2 * size, pointer, size, placed.stream, False)

    def _both(self, name: str, placed: _gpu.Placed, size: int) -> _native.Memory:
        """Memory for two planes of a field; that of the call before, if that used the same stream."""
        known = self._planes.get((name, placed.device))
        if known is not None and known[:2] == (size, placed.stream):
            return known[2]
        made = _native.Memory(placed.device, max(2 * size, 1))
        self._planes[name, placed.device] = (size, placed.stream, made)
        return made

    def _of(self, make: Callable[[], Any]) -> Any:
        """Make something of the text; what is refused is told at the lines of Python."""
        try:
            return make()
        except _native.Refused as error:
            code, message, place, notes = error.args[0][0]
            line = self._model.line_of_def
            if place is not None:
                before = self._text.encode()[: place[0]].count(b"\n")
                line = self._lines[min(before, len(self._lines) - 1)]
            self._model.refuse(message, line, notes, code)

    def _with(self, kind: str, dims: Sequence[str]) -> Stencil:
        known = {dim.lower(): dim for dim in self._model.sizes}
        for dim in dims:
            if dim.lower() not in known:
                raise ValueError(f"`{self.__name__}` has no dimension `{dim}`; it has {', '.join(self._model.sizes)}")
        chosen = {known[dim.lower()]: kind for dim in dims} if dims else dict.fromkeys(self._model.sizes, kind)
        return Stencil(self._model, {**self._boundaries, **chosen}, self._options, self.__doc__)

    def periodic(self, *dims: str) -> Stencil:
        """Return the stencil on a ring or torus: beyond the ends of these dimensions, or of all, is the other end."""
        return self._with("periodic", dims)

    def mirrored(self, *dims: str) -> Stencil:
        """Return the stencil between mirrors: beyond an end is the cell as far inside of the last one."""
        return self._with("mirrored", dims)

    def nearest(self, *dims: str) -> Stencil:
        """Return the stencil whose last cells go on for ever beyond the ends of these dimensions, or of all."""
        return self._with("nearest", dims)

    def constant(self, *dims: str) -> Stencil:
        """Return the stencil whose cells keep their values where a read would leave the grid, as it is at first."""
        return self._with("constant", dims)

    @property
    def fields(self) -> tuple[_read.Field, ...]:
        """Its fields, in the order of parameters."""
        return self._model.fields

    @property
    def scalars(self) -> tuple[str, ...]:
        """The names of its numbers."""
        return tuple(name for name, _ in self._model.scalars)

    @property
    def text(self) -> str:
        """The stencil in the stencil language."""
        return self._text

    @property
    def c(self) -> str:
        """The stencil as plain C."""
        return str(self._c)

    @property
    def cuda(self) -> str:
        """The CUDA text of its kernels."""
        return self._kernels.cuda

    def explain(self) -> str:
        """Return what hexcc found and decided for a GPU, as `hexcc explain` prints it."""
        with tempfile.TemporaryDirectory(prefix="hexcc-") as folder:
            place = Path(folder) / f"{self.__name__}.st"
            place.write_text(self._text)
            told = _command.run(["explain", str(place), *self._options], None)[0]
            return told.replace(str(place), place.name)

    def __repr__(self) -> str:
        """Return name and parameters."""
        return f"<hexcc.Stencil {self.__name__}({', '.join(self._model.parameters)})>"


def stencil(function: Callable[..., Any] | None = None, /, *, options: Sequence[str] = ()) -> Any:
    """Make a stencil of a function, as a decorator.

    Parameters like `u: F32[Y, X]` are fields, others are numbers. `u[-1, 0]` is the cell before, along the first
    dimension, and `u` alone the cell itself. `return` has the next values of the fields, in their order; fields without
    one never change. All are computed from the values before the step. `u = ..` within the function changes a field at
    once: what stands behind it reads the new values. Values with names are computed once, `a if c else b` chooses.

    Cells whose neighbours lie outside keep their values, unless `periodic`, `mirrored` or `nearest` says what is there.

    Raises `TranslationError` at the line that is no stencil.
    """
    if function is None:
        return functools.partial(stencil, options=options)
    if not callable(function):
        raise TypeError("hexcc.stencil takes a function")
    return Stencil(_read.read(function), {}, options, function.__doc__)
