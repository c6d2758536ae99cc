"""`hexcc.compile`."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, Union

from . import _build, _command, _gpu, _signature
from ._errors import Diagnostic
from ._function import Function, Translation

Target = Literal["auto", "openmp", "cuda"]
Source = Union[str, "os.PathLike[str]"]

# What was translated is read again only by programs that write it in the same way.
_FORMAT = 2


def compile(
    source: Source,
    function: str | None = None,
    *,
    target: Target = "auto",
    defines: Mapping[str, object] | None = None,
    include_dirs: Sequence[Source] = (),
    options: Sequence[str] = (),
    cc: str | None = None,
    flags: Sequence[str] = (),
) -> Function:
    """Translate a C function, build it, and return it as a callable.

    Args:
        source: A C file; or C text, which a string with a brace `{` is.
        function: The function to call; needed where the file has several that are not `static`.
        target: `"openmp"` runs on the threads of the CPU. `"cuda"` runs on a GPU, and copies arrays of NumPy there and
            back. `"auto"` runs where the arrays of a call are.
        defines: Macros; a value of `None` defines a macro without a value.
        include_dirs: Folders for `#include`.
        options: Further options of the command, such as `["--tiling", "stepwise"]`.
        cc: The C compiler; by default that of the variable `CC`, or `cc`.
        flags: Further flags of the C compiler, such as `["-march=native"]`.

    Raises:
        TranslationError: hexcc refuses the C program. The text shows the place.
        BuildError: The C compiler is missing or fails.
        TargetError: Python cannot run the function on a GPU.
        GpuError: The GPU or its compiler is missing or fails.
        ValueError: The file has no such function, or several and none is named.
        HexccError: Python cannot pass what the function takes.
    """
    if target not in ("auto", "openmp", "cuda"):
        raise ValueError(f"target={target!r}: it can be 'auto', 'openmp' or 'cuda'")
    program = _Program.of(source, defines or {}, include_dirs, options)
    translated = None if target == "cuda" else _translated(program)
    chosen = _signature.choose(
        _functions(program) if translated is None else translated.functions, function, program.name
    )
    signature = _signature.parse(chosen)
    cpu = None
    if translated is not None:
        beside = [] if program.path is None else ["-iquote", str(program.path.resolve().parent)]
        all_flags = [*beside, *program.for_cc, *flags]
        library = _build.library(translated.text, signature.name, cc, all_flags, translated.inputs)
        cpu = Translation(translated.text, library, translated.warnings)

    def texts(kind: str) -> str:
        is_cuda = kind == "cuda" or (kind == "explain" and cpu is None)
        word = ["explain"] if kind == "explain" else []
        arguments = [*word, *program.arguments, "--target", "cuda" if is_cuda else "openmp"]
        return _command.run(arguments, program.text)[0]

    def region() -> _gpu.Region:
        return _gpu.Region.of(program, signature, options)

    return Function(signature, cpu, None if target == "openmp" else region, texts)


@dataclass(frozen=True)
class _Program:
    """A C program as the command gets it."""

    path: Path | None
    text: str | None
    options: tuple[str, ...]
    for_cc: tuple[str, ...]

    @staticmethod
    def of(
        source: Source, defines: Mapping[str, object], include_dirs: Sequence[Source], options: Sequence[str]
    ) -> _Program:
        is_text = isinstance(source, str) and "{" in source
        for name in defines:
            if not re.fullmatch(r"[A-Za-z_]\w*(\([\w, .]*\))?", name):
                raise ValueError(f"defines: `{name}` is no name of a macro")
        macros = [f"-D{name}" if value is None else f"-D{name}={_macro(value)}" for name, value in defines.items()]
        for_cc = (*macros, *(f"-I{Path(folder).resolve()}" for folder in include_dirs))
        path = None if is_text else Path(source)
        return _Program(path, str(source) if is_text else None, (*for_cc, *options), for_cc)

    @property
    def name(self) -> str:
        return "the text" if self.path is None else str(self.path)

    @property
    def arguments(self) -> list[str]:
        return [self._file, *self.options]

    @property
    def arguments_of_cc(self) -> list[str]:
        return [self._file, *self.for_cc]

    @property
    def _file(self) -> str:
        # A name may begin with a dash.
        return "-" if self.path is None else os.path.join(".", self.path)


def _macro(value: object) -> str:
    return str(int(value)) if isinstance(value, bool) else str(value)


@dataclass(frozen=True)
class _Translated:
    """A translation, the functions of its file, and the files that it was made of with their hashes."""

    text: str
    functions: list[dict[str, Any]]
    warnings: tuple[Diagnostic, ...]
    inputs: dict[str, str | None]


def _translated(program: _Program) -> _Translated:
    """Translate, or find the translation of the same program in the cache."""
    command = _command.command().stat()
    known = [_FORMAT, command.st_size, command.st_mtime_ns, str(Path.cwd()), program.arguments, program.text]
    place = _build.folder() / f"{_build.key(*known)}.json"
    found = _cached(place)
    if found is None:
        found = _translate(program)
        text = json.dumps(asdict(found))
        _build.appear(place, lambda made: made.write_text(text))
    return found


def _cached(place: Path) -> _Translated | None:
    """A translation of the cache, if all that it was made of is as it was."""
    try:
        stored = json.loads(place.read_text())
        warnings = tuple(
            Diagnostic(**{**w, "notes": tuple(w["notes"]), "helps": tuple(w["helps"])}) for w in stored["warnings"]
        )
        found = _Translated(stored["text"], stored["functions"], warnings, stored["inputs"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    is_same = all(_build.hash_of(Path(path)) == known for path, known in found.inputs.items())
    return found if is_same else None


def _translate(program: _Program) -> _Translated:
    with tempfile.TemporaryDirectory(prefix="hexcc-") as scratch:
        out, rule = Path(scratch) / "out.c", Path(scratch) / "out.d"
        # Where arrays overlap, C's own loops run: a message must not end Python.
        arguments = ["--target", "openmp", "--fallback", "-o", str(out), "--MD", "--MF", str(rule)]
        _, warnings = _command.run([*program.arguments, *arguments], program.text)
        text = out.read_text(encoding="utf-8", errors="surrogateescape")
        files = _prerequisites(rule.read_text(encoding="utf-8", errors="surrogateescape"))
    inputs = {str(Path(file).resolve()): _build.hash_of(Path(file)) for file in files}
    return _Translated(text, _functions(program), warnings, inputs)


def _functions(program: _Program) -> list[dict[str, Any]]:
    printed, _ = _command.run([*program.arguments_of_cc, "--emit", "signatures"], program.text)
    found: list[dict[str, Any]] = json.loads(printed)["functions"]
    return found


def _prerequisites(rule: str) -> list[str]:
    """The files behind the colon of a rule for make."""
    joined = rule.replace("\\\n", " ")
    _, _, behind = joined.partition(": ")
    words = re.findall(r"(?:\\.|[^\s\\])+", behind.splitlines()[0] if behind else "")
    return [re.sub(r"\\(.)", r"\1", word).replace("$$", "$") for word in words]
