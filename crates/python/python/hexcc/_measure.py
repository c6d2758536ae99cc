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


def plot(rows: Sequence[Mapping[str, Any]], axes: Any = None) -> Any:
    """Draw rows of `bench` as bars, the kernels that hexcc takes in another colour, and return matplotlib's axes.

    Needs matplotlib; `axes` are those to draw on, or new ones.
    """
    if axes is None:
        from matplotlib import pyplot

        axes = pyplot.subplots(layout="constrained", figsize=(7, 1 + 0.3 * len(rows)))[1]
    # Points of a search that failed have no speed.
    measured = [row for row in rows if row.get("gcells") is not None]
    words = {None: "one thread a cell", "stepwise": "one launch per step"}
    names = [f"{row['stencil']}, {words.get(row['tiling'], row['tiling'])}" for row in measured]
    colours = ["tab:orange" if row["is_default"] else "tab:gray" for row in measured]
    axes.barh(range(len(measured)), [row["gcells"] for row in measured], color=colours)
    axes.set_yticks(range(len(measured)), names)
    axes.invert_yaxis()
    axes.set_xlabel("billions of cells per second")
    return axes


def _rows(command: str, scop: str, name: str, sizes: Mapping[str, int], options: Sequence[str]) -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory(prefix="hexcc-") as folder:
        saved, rows = Path(folder) / f"{name}.scop.json", Path(folder) / "rows"
        saved.write_text(scop, encoding="utf-8", errors="surrogateescape")
        named = ",".join(f"{size}={value}" for size, value in sizes.items())
        arguments = [command, str(saved), "-o", str(rows), *options]
        _command.show([*arguments, "--set", named] if named else arguments)
        lines = rows.with_suffix(".jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines if line.strip()]
