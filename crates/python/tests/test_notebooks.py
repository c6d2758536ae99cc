"""The notebooks of examples/ run, and print and draw what is shown in them.

usage: python test_notebooks.py   runs them, and writes what they show anew
"""

from __future__ import annotations

import ast
import base64
import contextlib
import io
import json
import os
import struct
import sys
import zlib
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
NOTEBOOKS = ["grayscott", "heat", "wave"]

# Cells with this tag print seconds: they run, and nothing of them is kept.
VARIES = "varies"

# Bytes of a notebook with its pictures.
MOST_BYTES = 150_000


def read(name: str) -> Any:
    return json.loads((EXAMPLES / f"{name}.ipynb").read_text())


def code_cells(notebook: Any) -> list[Any]:
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def outputs(code: str, names: dict[str, Any], number: int) -> list[Any]:
    """Run a cell; what Jupyter would keep of it: what it prints, and its last expression."""
    tree = ast.parse(code)
    last = tree.body[-1] if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    value = None
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.Module(tree.body[:-1] if last else tree.body, []), f"cell {number}", "exec"), names)
        if last:
            value = eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), names)
    found: list[Any] = []
    if printed.getvalue():
        lines = printed.getvalue().splitlines(keepends=True)
        found.append({"name": "stdout", "output_type": "stream", "text": lines})
    if value is not None:
        data: dict[str, Any] = {}
        if hasattr(value, "_repr_png_"):
            data["image/png"] = base64.b64encode(value._repr_png_()).decode() + "\n"
        data["text/plain"] = repr(value).splitlines(keepends=True)
        found.append({"data": data, "execution_count": number, "metadata": {}, "output_type": "execute_result"})
    return found


def run(notebook: Any) -> list[list[Any]]:
    """Run all cells, in the folder of the notebooks."""
    names: dict[str, Any] = {"__name__": "__main__"}
    before = Path.cwd()
    os.chdir(EXAMPLES)
    sys.path.insert(0, str(EXAMPLES))
    try:
        return [outputs("".join(cell["source"]), names, at + 1) for at, cell in enumerate(code_cells(notebook))]
    finally:
        sys.path.remove(str(EXAMPLES))
        os.chdir(before)


def pixels(png: str) -> dict[bytes, bytes]:
    """The chunks of a picture, unpacked: programs pack them differently."""
    data = base64.b64decode(png)
    chunks: dict[bytes, bytes] = {}
    at = 8
    while at < len(data):
        (length,) = struct.unpack_from(">I", data, at)
        name, chunk = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        chunks[name] = zlib.decompress(chunk) if name == b"IDAT" else chunk
        at += 12 + length
    return chunks


def comparable(shown: list[Any]) -> list[Any]:
    """Outputs of a cell, with pictures as pixels."""
    found = json.loads(json.dumps(shown))
    for output in found:
        if "image/png" in output.get("data", {}):
            output["data"]["image/png"] = pixels(output["data"]["image/png"])
    return list(found)


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_cells_show_what_comes_out(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEXCC_RUN_ON", "threads")
    notebook = read(name)
    for number, (cell, found) in enumerate(zip(code_cells(notebook), run(notebook)), start=1):
        varies = VARIES in cell["metadata"].get("tags", [])
        expected = [] if varies else comparable(found)
        assert comparable(cell["outputs"]) == expected, f"cell {number} shows something else"
        assert cell["execution_count"] == number


def test_every_notebook_is_run_and_small() -> None:
    assert sorted(path.stem for path in EXAMPLES.glob("*.ipynb")) == NOTEBOOKS
    for name in NOTEBOOKS:
        assert (EXAMPLES / f"{name}.ipynb").stat().st_size < MOST_BYTES
        pictures = [o for cell in code_cells(read(name)) for o in cell["outputs"] if "image/png" in o.get("data", {})]
        assert pictures, f"{name} shows no picture"


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_tables_name_each_notebook(name: str) -> None:
    for page in ["examples/README.md", "docs/site/gallery.md", "docs/site/python.md"]:
        assert f"{name}.ipynb)" in (EXAMPLES.parent / page).read_text(), page


def main() -> None:
    for name in NOTEBOOKS:
        notebook = read(name)
        for number, (cell, found) in enumerate(zip(code_cells(notebook), run(notebook)), start=1):
            cell["execution_count"] = number
            cell["outputs"] = [] if VARIES in cell["metadata"].get("tags", []) else found
        text = json.dumps(notebook, indent=1, ensure_ascii=False)
        (EXAMPLES / f"{name}.ipynb").write_text(text + "\n")


if __name__ == "__main__":
    main()
