"""Kernels on a GPU: which arrays, numbers and streams they are given."""

from __future__ import annotations

import functools
import json
import math
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from . import _arguments, _build, _command, _native, _values
from ._errors import TargetError
from ._signature import Parameter, Signature

_CUDA = (2, 13)  # kDLCUDA and kDLCUDAManaged of DLPack


def is_on_gpu(argument: Any) -> bool:
    """Whether an argument is an array in memory of a GPU."""
    if isinstance(argument, np.ndarray) or not hasattr(type(argument), "__dlpack_device__"):
        return False
    return argument.__dlpack_device__()[0] in _CUDA


class Region:
    """The kernels of a C function that does nothing but its loops, and numbers that it computes before them."""

    def __init__(
        self, scop: str, kernels: _native.Kernels, signature: Signature, function: Mapping[str, Any], end: int
    ) -> None:
        """Raise `TargetError` where kernels need what no parameter and no such number is; loops end at byte `end`."""
        self.scop = scop
        self.kernels = kernels
        self._signature = signature
        self._locals = [
            local for step in function["body"] if step["end"] <= end for local in _values.declared(step["does"])
        ]
        parameters = {p.name: p for p in signature.parameters}
        known = {p.name for p in signature.parameters if not p.is_array} | {local["name"] for local in self._locals}
        names = [*kernels.params, *(name for name, _ in kernels.scalars)]
        for name in [name for name in names if name not in known]:
            raise TargetError(f"`{signature.name}`: kernels need `{name}`, which is no parameter")
        for name, *_ in kernels.arrays:
            if name not in parameters or not parameters[name].is_array:
                raise TargetError(f"`{signature.name}`: kernels need the array `{name}`, which is no parameter")
        self._arrays = [parameters[name] for name, *_ in kernels.arrays]
        self._last: tuple[tuple[Any, ...], tuple[list[int], list[float], list[tuple[int, int]], int], str] | None
        self._last = None

    @staticmethod
    def of(program: Any, signature: Signature, options: Sequence[str]) -> Region:
        """Read the loops of a function; raises `TargetError` where it does more than they do."""
        arguments = [*program.arguments_of_cc, "--function", signature.name, "--emit", "scop"]
        scop = _command.run(arguments, program.text)[0]
        saved = json.loads(scop)
        # What was read may have been written again: places are those of the text that the scop has.
        text = saved["source"]["text"]
        folder = [] if program.path is None else ["-I", str(program.path.resolve().parent)]
        printed = _command.run(["-", *program.for_cc, *folder, "--emit", "signatures"], text)[0]
        function = next(f for f in json.loads(printed)["functions"] if f["name"] == signature.name)
        if function["result"]["kind"] != "void":
            raise TargetError(f"`{signature.name}` returns a number, which kernels do not compute")
        try:
            kernels = _native.Kernels.of_scop(scop, list(options), _native.device_name())
        except _native.Refused:
            # The same again, with the message for people.
            _command.run([*program.arguments, "--target", "cuda", "-o", "/dev/null"], program.text)
            raise
        except _native.NotLaunched as error:
            raise TargetError(f"`{signature.name}` cannot run on a GPU from Python: {error}") from None
        _check_whole(signature, function["body"], kernels.spans, text)
        return Region(scop, kernels, signature, function, kernels.spans[0][0])

    def __call__(self, ordered: Sequence[Any], stream: Any) -> None:
        """Start the kernels on arguments in C's order."""
        # Arguments that look like those of the call before need no look at their types and sizes.
        key = _key(ordered) if stream is None else None
        if key is not None and self._last is not None and self._last[0] == key:
            run(self.kernels, *self._last[1], handle(None, self._last[2], self._last[1][3]))
            return
        pairs = list(zip(self._signature.parameters, ordered))
        numbers = {p.name: _arguments.number(p, argument) for p, argument in pairs if not p.is_array}
        sizes = {name: number for name, number in numbers.items() if isinstance(number, int)}
        given = {p.name: (p, argument) for p, argument in pairs if p.is_array}
        numbers.update(_values.computed(self._locals, numbers))
        params = [int(numbers[name]) for name in self.kernels.params]
        scalars = [_scalar(name, numbers[name]) for name, _ in self.kernels.scalars]
        with Placed(given, sizes, stream) as placed:
            memory = [placed.memory[p.name] for p in self._arrays]
            run(self.kernels, params, scalars, memory, placed.device, placed.stream)
            if key is not None and placed.library:
                self._last = (key, (params, scalars, memory, placed.device), placed.library)


def _check_whole(
    signature: Signature, body: Sequence[Mapping[str, Any]], spans: Sequence[tuple[int, int]], text: str
) -> None:
    """Raise `TargetError` for a statement that is neither in a kernel nor a number that is declared before all."""
    for step in body:
        is_inside = any(start <= step["start"] and step["end"] <= end for start, end in spans)
        is_before = step["end"] <= spans[0][0] or not _values.declared(step["does"])
        if not is_inside and (step["does"] == "more" or not is_before):
            begin = text.encode(errors="surrogateescape")[: step["start"]]
            raise TargetError(
                f"`{signature.name}` does more than loops that are kernels, in line {begin.count(10) + 1}: "
                "on a GPU, Python runs functions of such loops, with numbers that are declared before them"
            )


def run(
    kernels: _native.Kernels,
    params: list[int],
    scalars: list[float],
    memory: Sequence[tuple[int, int]],
    device: int,
    stream: int,
) -> None:
    """Start kernels on memory, each with its pointer and its bytes."""
    kernels.run(params, scalars, memory, device, stream, _folder(), _build.cuda_toolkit())


@functools.cache
def _folder() -> str:
    return str(_build.folder())


def _key(ordered: Sequence[Any]) -> tuple[Any, ...] | None:
    """What tells arguments of a call from others; `None` where only a closer look does."""
    key: list[Any] = []
    for argument in ordered:
        kind = type(argument)
        if kind is int:
            key.append(argument)
        elif kind is float:
            key.append(argument.hex())
        elif kind.__module__ == "torch" and kind.__name__ == "Tensor":
            if argument.requires_grad or argument.is_neg() or not argument.is_cuda:
                return None
            key += [argument.data_ptr(), argument.shape, argument.stride(), argument.dtype, argument.get_device()]
        elif kind.__module__ == "cupy" and kind.__name__ == "ndarray":
            key += [argument.data.ptr, argument.shape, argument.strides, argument.dtype, argument.device.id]
        else:
            return None
    # 1 and 1.0 are equal, and not the same to C.
    return (*key, *map(type, ordered))


def _scalar(name: str, value: Any) -> float:
    if isinstance(value, (int, np.integer)) and abs(int(value)) > 2**53:
        raise ValueError(f"`{name}` is too large for a number that kernels take: {value}")
    return float(value)


class Placed:
    """Arrays of a call on one GPU: those of NumPy are copied there and back, others are used where they are."""

    def __init__(self, given: Mapping[str, tuple[Parameter, Any]], sizes: Mapping[str, int], stream: Any) -> None:
        on_gpu = [argument for _, argument in given.values() if is_on_gpu(argument)]
        devices = {argument.__dlpack_device__()[1] for argument in on_gpu}
        if len(devices) > 1:
            raise ValueError(f"the arrays are on GPUs {sorted(devices)}; they have to be on one")
        libraries = {type(argument).__module__.partition(".")[0] for argument in on_gpu}
        self.library = libraries.pop() if len(libraries) == 1 else ""
        self.device = int(devices.pop()) if devices else 0
        self.stream = handle(stream, self.library, self.device)
        self._given = given
        self._sizes = sizes
        self._copies: list[tuple[_native.Memory, np.ndarray[Any, Any], bool]] = []
        self.memory: dict[str, tuple[int, int]] = {}

    def __enter__(self) -> Placed:
        for name, (parameter, argument) in self._given.items():
            if is_on_gpu(argument):
                self.memory[name] = view(parameter, argument, self._sizes, self.stream)
            else:
                array = _arguments.array(parameter, argument, self._sizes)
                memory = self._copied(array, parameter)
                self.memory[name] = (memory, array.nbytes)
        self._check_apart()
        return self

    def _copied(self, array: np.ndarray[Any, Any], parameter: Parameter) -> int:
        memory = _native.Memory(self.device, max(array.nbytes, 1))
        memory.upload(array.ctypes.data, array.nbytes)
        self._copies.append((memory, array, parameter.is_const))
        return memory.pointer

    def _check_apart(self) -> None:
        """Kernels do not run as C does where arrays overlap."""
        places = sorted((pointer, pointer + size, name) for name, (pointer, size) in self.memory.items())
        for (_, end, before), (begin, _, name) in zip(places, places[1:]):
            are_read = self._given[before][0].is_const and self._given[name][0].is_const
            if begin < end and not are_read:
                raise ValueError(f"`{before}` and `{name}` overlap; on a GPU arrays have memory of their own")

    def __exit__(self, kind: Any, *_: Any) -> None:
        for memory, array, is_const in self._copies if kind is None else []:
            if not is_const:
                memory.download(array.ctypes.data, array.nbytes)


def view(parameter: Parameter, argument: Any, sizes: Mapping[str, int], stream: int) -> tuple[int, int]:
    """Pointer and bytes of an array of a GPU; raises `TypeError` and `ValueError` as for arrays of NumPy."""
    _, _, pointer, shape, spelled, is_dense = _native.view(argument, stream)
    named = f"`{parameter.name}` (`{parameter.c_type}`)"
    dtype = np.dtype(spelled if spelled != "b1" else "?")
    if dtype != parameter.dtype:
        raise TypeError(f"{named} takes elements of dtype {parameter.dtype}, and the array has {dtype}")
    if not parameter.is_const and type(argument).__module__.partition(".")[0] in ("jax", "jaxlib"):
        raise ValueError(f"{named} is written, and arrays of JAX never change")
    _arguments.check_shape(parameter, tuple(shape), sizes)
    if not is_dense:
        raise ValueError(f"{named} takes dense rows, and the array of shape {tuple(shape)} has others")
    if pointer % dtype.itemsize:
        raise ValueError(f"{named} takes aligned elements, and the array is not aligned")
    return pointer, math.prod(shape) * dtype.itemsize


def handle(stream: Any, library: str, device: int) -> int:
    """The driver's number of a stream: the one given, or the current one of the arrays' library."""
    if stream is None and library == "torch":
        torch = sys.modules["torch"]
        raw = getattr(torch._C, "_cuda_getCurrentRawStream", None)
        stream = raw(device) if raw else torch.cuda.current_stream(device)
    elif stream is None and library == "cupy":
        stream = sys.modules["cupy"].cuda.get_current_stream()
    elif stream is None:
        return 0
    if isinstance(stream, int):
        return stream
    for name in ("cuda_stream", "ptr"):
        number = getattr(stream, name, None)
        if isinstance(number, int):
            return number
    raise TypeError(f"stream= takes a stream of torch or CuPy, or its number, not `{type(stream).__name__}`")
