"""Charts of the site, as SVG, made of the measurements in bench/measured."""
import json
import math
import pathlib
import re

NOTEBOOK = pathlib.Path(__file__).resolve().parent.parent / "notes/results.md"
MEASURED = pathlib.Path(__file__).resolve().parent.parent.parent / "bench/measured"
COLOURS = {"naive": "#8b95a3", "hexcc": "#2f86d1", "limit": "#d9541e"}
NAMES = {"naive": "one thread per cell", "hexcc": "hexcc", "limit": "limit of memory with one launch per step"}
WIDTH = 720


def text(x, y, words, anchor="start"):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{words}</text>'


def line(path, colour="currentColor", more='opacity=".2"'):
    return f'<path d="{path}" stroke="{colour}" fill="none" {more}/>'


def dot(kind, x, y):
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5" fill="{COLOURS[kind]}"/>'


def limit(path):
    return line(path, COLOURS["limit"], 'stroke-width="2"')


def chart(height, label, parts):
    opening = f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{label}" font-size="12" fill="currentColor">'
    return "".join(['<div class="chart">', opening, *parts, "</svg></div>"])


def legend(at, names, mark):
    """Marks with their words, from left to right."""
    parts = []
    for kind, words in names.items():
        parts += [mark(kind, at), text(at + 24, 20, words)]
        at += 44 + 7 * len(words)
    return parts


def entries(file):
    return [json.loads(words) for words in (MEASURED / file).read_text().splitlines()]


def speeds(file, wanted=lambda _: True):
    """By program, billions of cells per second of the simple kernel, of hexcc, and what memory allows."""
    found = {}
    for entry in entries(file):
        if entry["kind"] != "bench" or not wanted(entry):
            continue
        of = found.setdefault(entry["stencil"], {})
        if entry["variant"] == "naive":
            of.update(naive=entry["gcells"], bytes=entry.get("step_bytes"))
            if entry.get("step_limit"):
                of["limit"] = entry["step_limit"]
        elif entry.get("is_default"):
            of.update(hexcc=entry["gcells"], is_tiled=entry["tiling"] != "stepwise")
        elif entry.get("choice") == "default" and entry["tiling"] == "overlapped":
            of["hexcc"] = entry["gcells"]
    return {name: of for name, of in found.items() if "naive" in of and "hexcc" in of}


def roofline():
    """The speed of tiled programs over the bytes that a step moves for a cell, and the limit of memory."""
    found = {name: of for name, of in speeds("apps/h200.jsonl").items() if of["is_tiled"] and of["bytes"]}
    bandwidth = next(of["bytes"] * of["limit"] for of in found.values())
    height, left, right, top, bottom = 400, 56, 16, 44, 48
    (x0, x1), (y0, y1) = (6, 72), (20, 3000)
    x = lambda value: left + (WIDTH - left - right) * math.log(value / x0) / math.log(x1 / x0)
    y = lambda value: height - bottom - (height - top - bottom) * math.log(value / y0) / math.log(y1 / y0)
    parts = []
    for value in (8, 16, 32, 64):
        parts += [line(f"M{x(value):.1f} {top}V{height - bottom}"), text(x(value), height - bottom + 18, value, "middle")]
    for value in (30, 100, 300, 1000, 3000):
        parts += [line(f"M{left} {y(value):.1f}H{WIDTH - right}"), text(left - 8, y(value) + 4, value, "end")]
    parts += [text((left + WIDTH) / 2, height - 8, "bytes that a step moves for a cell", "middle"),
              limit(f"M{x(x0):.1f} {y(bandwidth / x0):.1f}L{x(x1):.1f} {y(bandwidth / x1):.1f}")]
    for of in found.values():
        at = x(of["bytes"])
        parts.append(line(f"M{at:.1f} {y(of['naive']):.1f}V{y(of['hexcc']):.1f}", more='stroke-dasharray="2 3" opacity=".6"'))
        parts += [dot(kind, at, y(of[kind])) for kind in ("naive", "hexcc")]
    mark = lambda kind, at: limit(f"M{at} 16h18") if kind == "limit" else dot(kind, at + 9, 16)
    parts += legend(left, {**NAMES, "hexcc": "tiled by hexcc"}, mark)
    return chart(height, "speeds over bytes for a cell", parts)


def streams(name):
    return speeds("results/h200-streams.jsonl", lambda entry: entry["stencil"].startswith(name))


def applications():
    """Programs that are tiled, without stars and boxes."""
    found = speeds("apps/h200.jsonl", lambda entry: not re.match(r"(star|box|j[23]d)\w*$", entry["stencil"]))
    return {name: of for name, of in found.items() if of["is_tiled"]}


def steps():
    """The first table of kernels with one launch per step in the notebook."""
    _, below = NOTEBOOK.read_text().split("\n### What a thread has\n")
    rows = [line.strip("| ").split("|") for line in below[:below.index("\n## ")].splitlines() if line.startswith("|")]
    rows = [[cell.strip(" *") for cell in row] for row in rows]
    at = {kind: rows[0].index(column) for kind, column in (("naive", "naive"), ("hexcc", "default"), ("limit", "limit"))}
    found = {}
    for row in rows[2:]:
        if len(row) != len(rows[0]) or row[0] == rows[0][0]:
            break
        found[row[0].split(",")[0]] = {kind: float(row[index]) for kind, index in at.items() if row[index]}
    return found


# What `bars` shows.
BARS = {"stars": lambda: streams("star"), "boxes": lambda: streams("box"), "applications": applications, "steps": steps}


def spoken(program):
    """`star2d1r-float` in words."""
    words = re.fullmatch(r"(star|box)(\d)d(\d)r-(\w+)", program)
    return f"{words[1]}, {words[2]}D, radius {words[3]}, {words[4]}" if words else program


def bars(name):
    """A bar for the simple kernel of each program, one for hexcc, and a mark where memory ends."""
    found = BARS[name]()
    order = sorted(found, key=lambda program: -found[program]["hexcc"])
    left, right, top, row = 172, 104, 40, 30
    most = max(max(of["hexcc"], of.get("limit", 0)) for of in found.values())
    x = lambda value: left + (WIDTH - left - right) * value / most
    bar = lambda kind, y, value, tall: (
        f'<rect x="{left}" y="{y:.1f}" width="{x(value) - left:.1f}" height="{tall}" fill="{COLOURS[kind]}"/>')
    mark = lambda kind, at: limit(f"M{at + 9} 8v16") if kind == "limit" else (
        f'<rect x="{at}" y="10" width="18" height="12" fill="{COLOURS[kind]}"/>')
    shown = {kind: words for kind, words in NAMES.items() if any(kind in of for of in found.values())}
    parts = legend(left, shown, mark)
    for index, program in enumerate(order):
        of, y = found[program], top + index * row
        parts += [text(left - 8, y + 15, spoken(program), "end"), bar("naive", y, of["naive"], 8), bar("hexcc", y + 8, of["hexcc"], 14)]
        times = f"{of['hexcc']:.0f} ({of['hexcc'] / of['naive']:.1f} x)"
        parts.append(text(x(max(of[kind] for kind in shown if kind in of)) + 5, y + 19, times))
        parts += [limit(f"M{x(of['limit']):.1f} {y - 2}v26")] if "limit" in of else []
    return chart(top + len(order) * row + 4, f"speeds of {name}", parts)
