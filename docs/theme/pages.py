"""What MkDocs does not do by itself for the site: pages and tables that are made of other documents.

There is a page for each diagnostic, of docs/diagnostics.md, and for each command, of `hexcc --help-all`. Documents,
notebooks and sources that pages link to become pages as well, so that the site needs nothing from elsewhere.
"""
import json
import os
import pathlib
import posixpath
import re
import runpy
import subprocess

from mkdocs.exceptions import PluginError
from mkdocs.plugins import event_priority
from mkdocs.structure.files import File, Files, InclusionLevel
from pygments.formatters import HtmlFormatter

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SITE = ROOT / "docs/site"
COMMANDS = {"translate": [], "run": ["run"], "explain": ["explain"], "tune": ["tune"], "bench": ["bench"]}
RESULTS = "docs/notes/results.md"
# Tables in which a column is the quotient of two others.
QUOTIENTS = [
    (RESULTS, "what-a-thread-has", "default", "naive", "to naive"),
    (RESULTS, "applications", "GCell/s", "naive", "to naive"),
    (RESULTS, "applications", "GCell/s", "limit", "of limit"),
    (RESULTS, "warps-as-a-pipeline-in-time", "pipelined", "default", "ratio"),
    (RESULTS, "c-with-openmp", "the C program", "tiles", "of C"),
    (RESULTS, "c-with-openmp", "`--tiling stepwise`", "tiles", "of single steps"),
    ("examples/README.md", "on-a-gpu", "C", "H100", "times as fast"),
]
LANGUAGES = {"c": "c", "h": "c", "cu": "cuda", "cuh": "cuda", "py": "python", "rs": "rust", "toml": "toml", "json": "json"}


class Places(Files):
    """Files by any way to them: in a note, `site/tuning.md` is the page `tuning.md`."""

    def get_file_from_path(self, path):
        return super().get_file_from_path(os.path.relpath(SITE / path, SITE))


class Source(File):
    """A file that is no Markdown, and becomes a page."""

    def is_documentation_page(self):
        return True


def slug(heading, _="-"):
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def anchor(heading, _="-"):
    """An anchor as on GitHub, but that the theme's menu finds none that begins with a digit."""
    return re.sub(r"^(?=\d)", "n-", slug(heading))


def on_config(config):
    """Figures of tables agree with each other, and anchors of headings are those of GitHub, where the same documents are read."""
    if wrong := list(wrong_quotients()):
        raise PluginError("\n".join(wrong))
    config.mdx_configs["toc"] = {"slugify": anchor}
    return config


def on_files(files, config):
    """Adds pages that are made, and what pages link to."""
    files = Places(files)
    for name, text in [*code_pages(), *option_pages()]:
        inclusion = InclusionLevel.NOT_IN_NAV if name.startswith("codes/") else InclusionLevel.UNDEFINED
        files.append(File.generated(config, name, content=text, inclusion=inclusion))
    for file, style in (("code-light.css", "default"), ("code-dark.css", "github-dark")):
        rules = HtmlFormatter(style=style).get_style_defs(".codehilite")
        files.append(File.generated(config, file, content=rules))
    for file in files.media_files():
        if file.src_uri.endswith(".c"):
            files.remove(file)
    waiting = files.documentation_pages()
    while waiting:
        page = waiting.pop()
        for target in re.findall(r"\]\(([^)\s#:]+)", page.content_string):
            name = os.path.relpath(SITE / posixpath.dirname(page.src_uri) / target, SITE)
            if (SITE / name).exists() and not files.get_file_from_path(name):
                files.append(linked(name, config))
                waiting += [files.get_file_from_path(name)] if name.endswith((".md", ".ipynb")) else []
    return files


def linked(name, config):
    """A file, or the list of a folder, that a page links to by this name."""
    path = (SITE / name).resolve()
    inside = path.relative_to(ROOT).as_posix()
    if path.suffix in (".md", ".svg", ".png"):
        file = File.generated(config, name, abs_src_path=str(path), inclusion=InclusionLevel.NOT_IN_NAV)
    elif path.suffix == ".ipynb":
        file = Source.generated(config, name, content=notebook(path), inclusion=InclusionLevel.NOT_IN_NAV)
    else:
        text = "\n".join(sorted(found.name for found in path.iterdir())) if path.is_dir() else path.read_text().rstrip()
        text = f"# {inside}\n\n````{LANGUAGES.get(path.suffix[1:], 'text')}\n{text}\n````\n"
        file = Source.generated(config, name, content=text, inclusion=InclusionLevel.NOT_IN_NAV)
    place = f"notes/{path.stem}" if re.fullmatch(r"docs/(notes/)?\w+\.md", inside) else f"files/{inside}".removesuffix(".md")
    if name.startswith("../"):
        file.dest_uri = place + ".html" if file.is_documentation_page() else place
    elif isinstance(file, Source):
        file.dest_uri = name + ".html"
    return file


def drawn(name):
    """The last picture of a notebook of examples/."""
    return re.findall(r"^<img .*>$", notebook(ROOT / f"examples/{name}.ipynb"), flags=re.M)[-1]


def notebook(path):
    """A notebook as Markdown: its text, its code, and what the code has printed and drawn."""
    pieces = []
    for cell in json.loads(path.read_text())["cells"]:
        text = "".join(cell["source"])
        pieces.append(text if cell["cell_type"] == "markdown" else f"```python\n{text}\n```")
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            words = "".join(data.get("text/plain", output.get("text", []))).rstrip()
            picture = data.get("image/png", "").strip()
            pieces.append(f'<img alt="{words}" src="data:image/png;base64,{picture}">' if picture else f"```text\n{words}\n```")
    place = path.relative_to(ROOT).as_posix()
    pieces.append(f"This page is the notebook `{place}` of the repository.")
    return "\n\n".join(pieces) + "\n"


def on_page_markdown(markdown, **_):
    """Puts in what `<!-- generated: NAME ARGUMENTS -->` stands for."""
    def insert(match):
        name, *arguments = match[1].split()
        return GENERATED[name](*arguments) + "\n"

    return re.sub(r"^<!-- generated: (.*) -->$", insert, markdown, flags=re.M)


@event_priority(50)
def on_post_build(config):
    """The search finds no sources of programs."""
    index = config.plugins["search"].search_index
    index._entries = [entry for entry in index._entries if not entry["location"].startswith(("files/", "programs/"))]


def table(document, anchor, number="1"):
    """A table below a heading of another document, as it is there."""
    level, found, last = 0, [], ""
    for line in (ROOT / document).read_text().splitlines():
        head = re.match(r"(#+) (.*)", line)
        if head and level and len(head[1]) <= level:
            break
        if head and slug(re.sub(r"\]\([^)]*\)", "", head[2])) == anchor:
            level = len(head[1])
        if level and line.startswith("|"):
            found += [] if last.startswith("|") else [[]]
            found[-1].append(line)
        last = line
    return "\n".join(found[int(number) - 1])


def speeds():
    """The measurements of the README's chart as a table; bench/chart knows them."""
    chart = runpy.run_path(str(ROOT / "bench/chart"))
    measured = chart["measured"]()
    lines = ["| program | one launch per step | hexcc | times as fast | limit of memory |", "|---|---|---|---|---|"]
    for name, words in chart["SHOWN"]:
        naive, tiled, limit = (measured[name][kind] for kind in ("naive", "default", "limit"))
        lines.append(f"| {words} | {naive:.0f} | {tiled:.0f} | {tiled / naive:.1f} | {limit:.0f} |")
    return "\n".join(lines)


def columns(document, anchor, *names):
    """The rows of a table that have a number in each of these columns: what the row is, and the numbers as they stand there."""
    rows = [[cell.strip(" *") for cell in line[1:-1].split("|")] for line in table(document, anchor).splitlines()]
    places = [rows[0].index(name) for name in names]
    found = [(row[0], *(row[at] for at in places)) for row in rows[2:]]
    return [row for row in found if all(re.fullmatch(r"[\d.]+", number) for number in row[1:])]


def wrong_quotients():
    """Rows in which a column is not the quotient of two others, as exactly as these are written."""
    half = lambda number: 0.5 * 10.0 ** -len(number.partition(".")[2])
    for document, anchor, over, under, quotient in QUOTIENTS:
        for row, a, b, q in columns(document, anchor, over, under, quotient):
            least = (float(a) - half(a)) / (float(b) + half(b)) - half(q)
            most = (float(a) + half(a)) / (float(b) - half(b)) + half(q)
            if not least - 1e-9 <= float(q) <= most + 1e-9:
                yield f"{document}: {row}: {a} / {b} is not {q}"


def ratios(anchor, over, under):
    """The name of each row of a table of docs/notes/results.md, and the quotient of two columns."""
    return [(row, float(a) / float(b)) for row, a, b in columns(RESULTS, anchor, over, under)]


def estimates():
    """How many times as fast each kind of time loop is: the least and the most of what was measured."""
    found = {}
    applications = [(row, float(ratio)) for row, ratio in columns(RESULTS, "applications", "to naive")]
    for row, ratio in [*ratios("streamed-kernels", "GCell/s", "baseline"), *applications]:
        known = re.match(r"(star|j2d|j3d|box|gradient)", row)
        real = "double" if "double" in row else "float"
        size = "3D" if "^3" in row else "2D"
        if ratio > 1:
            found.setdefault(("one array" if known else "several arrays", size, real), []).append(ratio)
    steps = [ratio for _, ratio in ratios("what-a-thread-has", "default", "naive")]
    links = {"one array": "[stars, boxes, Jacobi](results/stencils.md#tiled-stencils)",
             "several arrays": "[applications](results/applications.md), waves, FDTD"}
    lines = ["| your time loop | dimensions | type | times as fast | measured programs |", "|---|---|---|---|---|"]
    for (arrays, size, real), all_ratios in sorted(found.items()):
        span = " to ".join(dict.fromkeys(f"{end(all_ratios):.1f}" for end in (min, max)))
        lines.append(f"| tiled, {arrays} | {size} | `{real}` | {span} | {links[arrays]} |")
    span = f"{min(steps):.1f} to {max(steps):.1f}"
    lines.append(f"| not tiled | 2D, 3D | `float` | {span} | [{len(steps)} programs](results/steps.md) |")
    return "\n".join(lines)


def example(name):
    """What hexcc makes of a program of examples/, and its seconds, out of the tables of examples/README.md."""
    rows = [line.strip("| ").split(" | ") for line in (ROOT / "examples/README.md").read_text().splitlines()]
    title, tiles = next((row[0], row[-1]) for row in rows if len(row) == 5 and f"]({name}.c)" in row[1])
    title = re.search(r"!\[(.*?)\]", title)[1]
    _, c, gpu, factor = next(row for row in rows if row[0] == title)
    return f"| tiles | seconds in C | on an H100 | times as fast |\n|---|---|---|---|\n| {tiles} | {c} | {gpu} | {factor} |"


def diagnostics():
    """Code, meaning and remedy of every row of docs/diagnostics.md, and the text of its section."""
    found, heading, about = [], "", []
    for line in (ROOT / "docs/diagnostics.md").read_text().splitlines():
        if line == "## The audit":
            break
        row = re.match(r"\| (HX\d{4})(?: \((\w+)\))? \| (.*?) \|(?: (.*))? \|$", line)
        if line.startswith("## "):
            heading, about = line[3:], []
        elif row:
            code, kind, meaning, remedy = row.groups()
            if meaning.startswith("A warning: "):
                kind, meaning = "warning", meaning[11].upper() + meaning[12:]
            found.append((code, kind, meaning, remedy or "", heading, "\n".join(about).strip()))
        elif not line.startswith("|"):
            about.append(line)
    return found


def snapshots():
    """What hexcc prints for the programs of testsuite/errors and for command lines, by code."""
    found = {}
    folder = ROOT / "tests/snapshots"
    for path in sorted([*folder.glob("errors_*.snap"), *folder.glob("cli_*.snap")]):
        text = path.read_text().split("\n---\n", 1)[1].strip()
        for code in dict.fromkeys(re.findall(r"(?:error|warning)\[(HX\d{4})\]", text)):
            found.setdefault(code, []).append((path.name, text))
    return found


def codes():
    """All codes, a line each."""
    lines = ["| code | meaning |", "|---|---|"]
    for code, kind, meaning, *_ in diagnostics():
        first = re.split(r"(?<=[a-z)`])[:;.] ", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", meaning))[0].rstrip(".")
        lines.append(f"| [{code}](codes/{code}.md)" + (f" ({kind})" if kind else "") + f" | {first} |")
    return "\n".join(lines)


def code_pages():
    """A page for each diagnostic."""
    messages = snapshots()
    for code, kind, meaning, remedy, heading, about in diagnostics():
        lines = [f"# {code}" + (f" ({kind})" if kind else ""), "", meaning.rstrip(".") + ".", ""]
        lines += ["## What to do", "", remedy, ""] if remedy else []
        first = lambda message: (not message[1].startswith((f"error[{code}", f"warning[{code}")), len(message[1]))
        by_head = {}
        for name, text in sorted(messages.get(code, []), key=first):
            by_head.setdefault(re.search(rf"\[{code}\]: (.*)", text)[1], (name, text))
        lines += ["## What hexcc prints", ""] if by_head else []
        for name, text in list(by_head.values())[:3]:
            program = f"testsuite/errors/{name[len('errors_'):-len('.snap')]}.c"
            source = (ROOT / program).exists() and name.startswith("errors_")
            lines += [f"For [{program}](../{program}):" if source else "For a command line:", ""]
            lines += ["```text", text, "```", ""]
        lines += [f"## About {heading.split(':')[0]}", "", about, ""] if about else []
        lines += ["[All codes](site/refusals.md)", ""]
        text = "\n".join(lines).replace("](#", "](diagnostics.md#")
        yield f"codes/{code}.md", re.sub(r"\]\((?!https?:)", "](../../", text)


def option_pages():
    """A page for each command, of its `--help-all`."""
    hexcc = os.environ.get("HEXCC", ROOT / "scripts/hexcc")
    for name, words in COMMANDS.items():
        command = [hexcc, *words, "--help-all"]
        text = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
        about, _, rest = text.partition("\nUsage: ")
        usage, _, rest = rest.partition("\n\n")
        lines = [f"# {' '.join(['hexcc', *words])}", "", about.strip(), "", "```text", usage, "```", "", *options(rest)]
        yield f"reference/{name}.md", "\n".join(lines)


def options(text):
    """The text of clap as headings and paragraphs."""
    lines = []
    for line in text.splitlines() + [""]:
        if line and not line.startswith(" "):
            name = line.rstrip(":")
            lines += ["", f"## {name}" if line.endswith(":") else line, ""]
        elif re.match(r" {2,6}(-|<|\[)", line):
            lines += ["", f"### `{line.strip()}`", ""]
        elif value := re.match(r" {10}- ([\w-]+): +(.*)", line):
            lines += ([] if lines[-1].startswith("- ") else [""]) + [f"- `{value[1]}`: {value[2]}"]
        else:
            lines += [line.strip().replace("<", "&lt;")]
    return lines


CHARTS = runpy.run_path(str(ROOT / "docs/theme/charts.py"))
GENERATED = {"table": table, "speeds": speeds, "estimates": estimates, "example": example, "notebook": drawn, "codes": codes,
             "roofline": CHARTS["roofline"], "bars": CHARTS["bars"]}
