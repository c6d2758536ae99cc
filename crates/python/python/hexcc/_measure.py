"""Measurements on a GPU, which the command makes of saved loops."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from . import _command


def bench(scop: str, name: str, sizes: Mapping[str, int], options: Sequence[str]) -> list[dict[str, Any]]:
    """Measure kernels beside one thread a cell, and return the rows of `hexcc bench`."""
    return _rows("bench", scop, name, sizes, options)


def tune(scop: str, name: str, sizes: Mapping[str, int], budget: float, options: Sequence[str]) -> list[dict[str, Any]]:
    """Search for the fastest tiles, keep them in the cache, and return the rows of `hexcc tune`."""
    return _rows("tune", scop, name, sizes, [*options, "--budget", f"{budget:g}s"])


def _rows(command: str, scop: str, name: str, sizes: Mapping[str, int], options: Sequence[str]) -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory(prefix="hexcc-") as folder:
        saved, rows = Path(folder) / f"{name}.scop.json", Path(folder) / "rows"
        saved.write_text(scop, encoding="utf-8", errors="surrogateescape")
        named = ",".join(f"{size}={value}" for size, value in sizes.items())
        arguments = [command, str(saved), "-o", str(rows), *options]
        _command.show([*arguments, "--set", named] if named else arguments)
        lines = rows.with_suffix(".jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines if line.strip()]
