"""Builds translations with the system's C compiler, once for each text, compiler and set of flags."""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import json
import os
import platform
import shlex
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ._errors import BuildError

FLAGS = ("-O3", "-fopenmp", "-ffp-contract=off", "-shared", "-fPIC")
# Names of the program mean its own functions, whatever the process has loaded.
_OWN_NAMES = ("-fvisibility=hidden", "-w")
ENTRY = "hexcc_python_entry"


def folder() -> Path:
    """The folder of what was built: `python` in that of hexcc's cache."""
    named = os.environ.get("HEXCC_CACHE_DIR")
    caches = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    found = (Path(named) if named else Path(caches) / "hexcc") / "python"
    try:
        found.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BuildError(f"the cache cannot be made: {error}; set HEXCC_CACHE_DIR to another folder") from error
    return found


@functools.cache
def cuda_toolkit() -> Path | None:
    """Find NVRTC among NVIDIA's packages; `None` leaves it to CUDA's own folders."""
    for package in ("nvidia.cu13", "nvidia.cuda_nvrtc"):
        try:
            spec = importlib.util.find_spec(package)
        except ModuleNotFoundError:
            continue
        for place in (spec.submodule_search_locations or []) if spec else []:
            if list(Path(place).glob("lib/libnvrtc.so*")):
                return Path(place)
    return None


def key(*parts: object) -> str:
    """A name for what is made of some parts."""
    return hashlib.sha256(json.dumps(parts, default=str).encode("utf-8", "surrogatepass")).hexdigest()[:40]


def hash_of(path: Path) -> str | None:
    """The hash of a file; `None` where it cannot be read."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return None


def compiler(cc: str | None) -> list[str]:
    """The words of the C compiler's command: the one named, that of `CC`, or `cc`."""
    return shlex.split(cc or os.environ.get("CC") or "cc") or ["cc"]


def _run(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(command, capture_output=True, check=False, encoding="utf-8", errors="replace")
    except OSError as error:
        why = f"the C compiler `{command[0]}` cannot be run: {error.strerror}"
        raise BuildError(f"{why}; install gcc, or name a compiler with `cc=` or the variable CC") from error


@functools.cache
def _version(command: tuple[str, ...]) -> str:
    return _run([*command, "--version"]).stdout


def _machine(flags: Sequence[str]) -> str:
    """What `-march=native` and the like mean: folders may be shared by machines."""
    if not any("native" in flag for flag in flags):
        return platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text(errors="replace").splitlines()
    except OSError:
        return platform.node()
    return next((line for line in lines if line.startswith("flags")), platform.node())


def appear(place: Path, make: Callable[[Path], Any]) -> None:
    """Have a file made beside its place, and renamed: it is there whole or not at all."""
    with tempfile.TemporaryDirectory(prefix="new-", dir=place.parent) as scratch:
        made = Path(scratch) / place.name
        make(made)
        os.replace(made, place)


def library(text: str, function: str, cc: str | None, flags: Sequence[str], inputs: Any) -> Path:
    """The shared library of a translation, whose symbol `hexcc_python_entry` points to the function.

    `inputs` is whatever else the build depends on. Raises `BuildError` with the messages of the compiler.
    """
    words = compiler(cc)
    whole = [*FLAGS, *_OWN_NAMES, *flags]
    name = key(text, function, words, _version(tuple(words)), whole, _machine(whole), inputs)
    place = folder() / f"{name}.so"
    if not place.exists():
        appear(place, lambda made: _compile(made, text, function, [*words, *whole]))
    return place


def _compile(made: Path, text: str, function: str, command: Sequence[str]) -> None:
    source = made.with_suffix(".c")
    # A pointer reaches `static` functions, too.
    visible = '__attribute__((visibility("default")))'
    entry = f"\n{visible} void (*{ENTRY})(void) = (void (*)(void)){function};\n"
    source.write_text(text + entry, encoding="utf-8", errors="surrogateescape")
    done = _run([*command, str(source), "-o", str(made), "-lm"])
    if done.returncode != 0:
        told = done.stderr.strip()
        tip = "\nhelp: use a compiler with OpenMP, such as gcc: `cc='gcc'`" if "openmp" in told.lower() else ""
        raise BuildError(f"`{shlex.join(command)}` fails:\n{told}{tip}")
