"""Runs the command `hexcc`, which comes with this package."""

from __future__ import annotations

import functools
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ._errors import Diagnostic, GpuError, HexccError, TranslationError

# Variables, and what they name: a package, and what is beside its folder.
_LIBRARIES = (
    ("HEXCC_LIBCLANG", "clang", "clang/native/libclang.so"),
    ("HEXCC_PET_LIB", "tadashi", "tadashi.libs"),
    ("HEXCC_CLANG_INCLUDE", "tadashi", "tadashi/include"),
)


@functools.cache
def command() -> Path:
    """Find the command: that of `HEXCC`, else the one installed with this package, else one of `PATH`."""
    named = os.environ.get("HEXCC")
    if named:
        return Path(named)
    folders = [Path(sysconfig.get_path("scripts")), Path(sys.executable).parent]
    # With `pip install --user` or `--target` scripts are elsewhere.
    packages = Path(__file__).resolve().parent.parent
    folders += [packages / "bin", *(above / "bin" for above in list(packages.parents)[:3])]
    for folder in folders:
        if os.access(folder / "hexcc", os.X_OK):
            return folder / "hexcc"
    on_path = shutil.which("hexcc")
    if on_path is None:
        raise HexccError("the command `hexcc` is missing; install this package again, or set HEXCC to its path")
    return Path(on_path)


@functools.cache
def _libraries() -> dict[str, str]:
    """Where the extra `c` has put the libraries that read C."""
    found = {}
    for variable, package, inside in _LIBRARIES:
        spec = importlib.util.find_spec(package)
        places = [Path(place).parent / inside for place in (spec.submodule_search_locations or [])] if spec else []
        place = next((place for place in places if place.exists()), None)
        if place is not None:
            found[variable] = str(place)
    return found


def _start(arguments: Sequence[str], text: str | None) -> subprocess.CompletedProcess[str]:
    unset = {name: place for name, place in _libraries().items() if not os.environ.get(name)}
    # C files may have any bytes.
    with_bytes: dict[str, Any] = {"encoding": "utf-8", "errors": "surrogateescape"}
    try:
        return subprocess.run(
            [str(command()), *arguments],
            input="" if text is None else text,
            capture_output=True,
            check=False,
            env={**os.environ, **unset},
            **with_bytes,
        )
    except OSError as error:
        raise HexccError(f"`{command()}` cannot be run: {error}") from error


def run(arguments: Sequence[str], text: str | None) -> tuple[str, tuple[Diagnostic, ...]]:
    """Run the command on a text, or on the files that the arguments name.

    Returns its output and its warnings. Raises `TranslationError` where it refuses.
    """
    done = _start([*arguments, "--message-format", "json"], text)
    diagnostics = tuple(_diagnostics(done.stderr.splitlines()))
    if done.returncode == 0:
        return done.stdout, diagnostics
    # The same again for people: refusals are rare, and quick.
    again = _start([*arguments, "--color", "never"], text)
    rendered = again.stderr.strip() or done.stderr.strip()
    if not rendered:
        rendered = f"`hexcc {' '.join(arguments)}` ended with status {done.returncode}, and without a message"
    if "HX0502" in rendered:
        rendered += "\n = help: `pip install 'hexcc[c]'` installs what reads C"
    raise TranslationError(rendered, diagnostics)


def show(arguments: Sequence[str]) -> None:
    """Run the command with its messages on standard error, such as how far a search has come.

    Raises `GpuError` where it fails.
    """
    unset = {name: place for name, place in _libraries().items() if not os.environ.get(name)}
    words = [str(command()), *arguments]
    try:
        done = subprocess.run(words, stdout=subprocess.DEVNULL, check=False, env={**os.environ, **unset})
    except OSError as error:
        raise HexccError(f"`{command()}` cannot be run: {error}") from error
    if done.returncode != 0:
        raise GpuError(f"`hexcc {arguments[0]}` ended with status {done.returncode}; standard error says why")


def _diagnostics(lines: Iterable[str]) -> Iterable[Diagnostic]:
    for line in lines:
        try:
            message = json.loads(line)
        except ValueError:
            continue
        if not isinstance(message, dict) or message.get("level") == "note":
            continue
        spans = sorted(message["spans"], key=lambda span: not span["primary"])
        place = {key: spans[0][key] for key in ("file", "line", "column")} if spans else {}
        yield Diagnostic(
            message["level"],
            message["code"],
            message["message"],
            notes=tuple(message["notes"]),
            helps=tuple(message["helps"]),
            **place,
        )
