"""Reads a Python function as a stencil, and writes it in the stencil language that docs/site/language-st.md has."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

from ._errors import Diagnostic, TranslationError

_WORDS = {"stencil", "size", "where", "field", "scalar", "const", "boundary", "for", "in", "let", "together", "float"}
_WORDS |= {"double", "int"}
KINDS = {"F32": "float", "F64": "double", "I32": "int"}
# Names of Python's functions, and those of the language.
_FUNCTIONS = {"abs": "fabs", "min": "min", "max": "max", "arctan": "atan", "arctan2": "atan2", "power": "pow"}
_OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Mod: "%",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.And: "&&",
    ast.Or: "||",
    ast.USub: "-",
    ast.UAdd: "+",
    ast.Not: "!",
}


@dataclass(frozen=True)
class Field:
    """A field: its name, the C type of a cell, the names of its dimensions, and how many cells more each has."""

    name: str
    kind: str
    dims: tuple[str, ...]
    more: tuple[int, ...]

    @property
    def extents(self) -> tuple[str, ...]:
        """The cells along each dimension, in the language."""
        return tuple(_sum(dim, more) for dim, more in zip(self.dims, self.more))


@dataclass(frozen=True)
class Value:
    """A value in the language, the line that it comes from, and the cells and values with names that it reads."""

    text: str
    line: int
    reads: frozenset[tuple[str, tuple[int, ...]]]
    names: frozenset[str]


@dataclass(frozen=True)
class Model:
    """What a Python function says."""

    name: str
    file: str
    lines: tuple[str, ...]
    first_line: int
    # Where `def` is, behind decorators.
    line_of_def: int
    fields: tuple[Field, ...]
    scalars: tuple[tuple[str, str], ...]
    lets: tuple[tuple[str, Value], ...]
    # Fields that change one after the other, and those that change together at the end.
    updates: tuple[tuple[Field, Value], ...]
    results: tuple[tuple[Field, Value], ...]
    sizes: tuple[str, ...]
    steps: str
    parameters: tuple[str, ...]

    @property
    def statements(self) -> tuple[tuple[Field, Value], ...]:
        """All changes of a step."""
        return (*self.updates, *self.results)

    def reach(self, result: Value) -> frozenset[tuple[str, tuple[int, ...]]]:
        """The cells that a result reads, through values with names, too."""
        reads, wanted = set(result.reads), self.used(result)
        for name, value in self.lets:
            if name in wanted:
                reads |= value.reads
        return frozenset(reads)

    def used(self, result: Value) -> set[str]:
        """The values with names that a result needs."""
        wanted = set(result.names)
        for name, value in reversed(self.lets):
            if name in wanted:
                wanted |= value.names
        return wanted

    def refuse(self, message: str, line: int, notes: Sequence[str] = (), code: str | None = None) -> NoReturn:
        """Raise the error of a line."""
        refuse(message, self.file, line, 1, self.line(line), notes, code)

    def line(self, number: int) -> str:
        """A line of the Python file."""
        at = number - self.first_line
        return self.lines[at] if 0 <= at < len(self.lines) else ""


def refuse(
    message: str, file: str, line: int, column: int, text: str, notes: Sequence[str] = (), code: str | None = None
) -> NoReturn:
    """Raise an error that shows a line."""
    label = f"error[{code}]" if code else "error"
    shown = f"{label}: {message}\n  --> {file}:{line}\n{line:>4} | {text.rstrip()}"
    told = "".join(f"\n     = {note}" for note in notes)
    raise TranslationError(shown + told, (Diagnostic("error", code, message, file, line, column, notes=tuple(notes)),))


def read(function: Callable[..., Any]) -> Model:
    """Read a function; raises `TranslationError` for what is no stencil."""
    file = inspect.getsourcefile(function) or "<unknown>"
    try:
        lines, first = inspect.getsourcelines(function)
    except (OSError, TypeError) as error:
        name = getattr(function, "__name__", "the function")
        raise TranslationError(f"the text of `{name}` cannot be read: {error}; a stencil is in a file") from None
    tree = ast.parse(textwrap.dedent("".join(lines)))
    (definition,) = tree.body
    reader = _Reader(function, file, tuple(lines), first)
    if not isinstance(definition, ast.FunctionDef):
        reader.refuse(definition, "a stencil is a function that `def` defines")
    return reader.model(definition)


@dataclass
class _Reader:
    function: Callable[..., Any]
    file: str
    lines: tuple[str, ...]
    first: int
    fields: dict[str, Field] = field(default_factory=dict)
    scalars: dict[str, str] = field(default_factory=dict)
    lets: list[tuple[str, Value]] = field(default_factory=list)
    updates: list[tuple[Field, Value]] = field(default_factory=list)
    # How often fields have changed, now and when a value with a name was computed.
    changes: dict[str, int] = field(default_factory=dict)
    changes_at: dict[str, dict[str, int]] = field(default_factory=dict)
    # What a name of Python is called now.
    named: dict[str, str] = field(default_factory=dict)

    def refuse(self, node: ast.AST, message: str, *notes: str) -> NoReturn:
        number = getattr(node, "lineno", 1)
        text = self.lines[number - 1] if number <= len(self.lines) else ""
        indent = len(self.lines[0]) - len(self.lines[0].lstrip())
        column = getattr(node, "col_offset", 0) + indent + 1
        refuse(message, self.file, self.first + number - 1, column, text, notes)

    def model(self, definition: ast.FunctionDef) -> Model:
        self.parameters(definition, definition.args)
        body = definition.body
        if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
            body = body[1:]
        if not body or not isinstance(body[-1], ast.Return) or body[-1].value is None:
            self.refuse(
                body[-1] if body else definition, "a stencil ends with `return`, and the next values of its fields"
            )
        for statement in body[:-1]:
            self.statement(statement)
        results = self.results(body[-1], body[-1].value)
        sizes = tuple(dict.fromkeys(name for of in self.fields.values() for name in of.dims))
        taken = {*sizes, *self.fields, *self.scalars, *(name for name, _ in self.lets)}
        steps = next(name for name in (f"steps{'_' * n}" for n in range(len(taken) + 1)) if name not in taken)
        return Model(
            definition.name,
            self.file,
            self.lines,
            self.first,
            self.first + definition.lineno - 1,
            tuple(self.fields.values()),
            tuple(self.scalars.items()),
            tuple(self.lets),
            tuple(self.updates),
            results,
            sizes,
            steps,
            tuple(parameter.arg for parameter in _all(definition.args)),
        )

    def free(self, node: ast.AST, name: str) -> str:
        """A name, if the language has no other meaning for it."""
        if name in _WORDS:
            self.refuse(node, f"`{name}` is a word of the stencil language; choose another name")
        return name

    def parameters(self, definition: ast.FunctionDef, given: ast.arguments) -> None:
        if given.vararg or given.kwarg or given.defaults or any(given.kw_defaults):
            self.refuse(definition, "a stencil has plain parameters, without defaults")
        untyped = []
        for parameter in _all(given):
            self.free(parameter, parameter.arg)
            of = parameter.annotation
            if isinstance(of, ast.Constant) and isinstance(of.value, str):
                of = ast.parse(of.value, mode="eval").body
            if isinstance(of, ast.Subscript) and _last(of.value) in KINDS:
                elements = of.slice.elts if isinstance(of.slice, ast.Tuple) else [of.slice]
                dims = [self.extent(parameter, element) for element in elements]
                kind = KINDS[_last(of.value) or ""]
                names, more = tuple(name for name, _ in dims), tuple(more for _, more in dims)
                self.fields[parameter.arg] = Field(parameter.arg, kind, names, more)
            elif of is None or _last(of) == "float":
                untyped.append(parameter.arg)
                self.scalars[parameter.arg] = ""
            elif _last(of) in KINDS or _last(of) == "int":
                self.scalars[parameter.arg] = KINDS.get(_last(of) or "", "int")
            else:
                self.refuse(parameter, f"`{parameter.arg}` is no field and no number", _TYPES)
        if not self.fields:
            self.refuse(definition, "a stencil has a field", _TYPES)
        kinds = {of.kind for of in self.fields.values()} - {"int"}
        for name in untyped:
            self.scalars[name] = next(iter(kinds)) if len(kinds) == 1 else "double"

    def extent(self, parameter: ast.arg, node: ast.expr) -> tuple[str, int]:
        """The dimension `X`, or `X + 1` with one cell more."""
        more = 0
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
            more = self.offset(node.right) * (1 if isinstance(node.op, ast.Add) else -1)
            node = node.left
        name = _last(node) or self.refuse(parameter, "dimensions have names, such as X or X + 1")
        return self.free(parameter, name), more

    def statement(self, node: ast.stmt) -> None:
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            value = ast.BinOp(ast.Name(node.target.id, ast.Load()), node.op, node.value)
            ast.copy_location(value.left, node)
            self.assign(node.target, self.value(ast.copy_location(value, node)))
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            self.assign(node.target, self.value(node.value))
        elif isinstance(node, ast.Assign) and len(node.targets) == 1:
            self.assignments(node.targets[0], node.value)
        else:
            self.refuse(
                node, "a stencil has assignments and one `return`", "`a if c else b` chooses between two values"
            )

    def assignments(self, target: ast.expr, value: ast.expr) -> None:
        if not isinstance(target, ast.Tuple):
            self.assign(target, self.value(value))
            return
        values = value.elts if isinstance(value, ast.Tuple) else []
        if len(values) != len(target.elts):
            self.refuse(target, "several names take as many values")
        for name in target.elts:
            if isinstance(name, ast.Name) and name.id in self.fields:
                self.refuse(name, "fields change one after the other, or together by `return`")
        for name, made in zip(target.elts, [self.value(value) for value in values]):
            self.assign(name, made)

    def assign(self, target: ast.expr, made: Value) -> None:
        if not isinstance(target, ast.Name):
            self.refuse(target, "a stencil assigns to names", "`u = ..` gives all cells of a field new values")
        if target.id in self.scalars:
            self.refuse(target, f"`{target.id}` is a number, and no name of a value")
        if target.id in self.fields:
            self.updates.append((self.fields[target.id], made))
            self.changes[target.id] = self.changes.get(target.id, 0) + 1
            return
        taken = {*self.fields, *self.scalars, *(name for name, _ in self.lets)}
        taken |= {name for of in self.fields.values() for name in of.dims}
        name = target.id
        while name in taken or name in _WORDS:
            name += "_"
        self.lets.append((name, made))
        self.named[target.id] = name
        self.changes_at[name] = dict(self.changes)

    def results(self, node: ast.Return, value: ast.expr) -> tuple[tuple[Field, Value], ...]:
        elements = value.elts if isinstance(value, ast.Tuple) else [value]
        if len(elements) > len(self.fields):
            n = len(self.fields)
            self.refuse(node, f"`return` has {len(elements)} values for {n} field{'s' if n > 1 else ''}")
        pairs = zip(self.fields.values(), map(self.value, elements))
        # `return u` says that it keeps its values.
        return tuple((of, made) for of, made in pairs if made.text != of.name)

    def value(self, node: ast.expr) -> Value:
        reads: set[tuple[str, tuple[int, ...]]] = set()
        names: set[str] = set()
        text = self.text(node, reads, names)
        return Value(text, self.first + node.lineno - 1, frozenset(reads), frozenset(names))

    def text(self, node: ast.expr, reads: set[Any], names: set[str]) -> str:
        def of(inner: ast.expr) -> str:
            return self.text(inner, reads, names)

        if isinstance(node, ast.Constant):
            return self.number(node, node.value)
        if isinstance(node, ast.Name):
            return self.name(node, reads, names)
        if isinstance(node, ast.Subscript):
            return self.cell(node, reads)
        if isinstance(node, ast.UnaryOp) and type(node.op) in _OPERATORS:
            return f"({_OPERATORS[type(node.op)]}{of(node.operand)})"
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            base = of(node.left)
            is_square = isinstance(node.right, ast.Constant) and node.right.value == 2
            return f"({base} * {base})" if is_square else f"pow({base}, {of(node.right)})"
        if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
            return f"({of(node.left)} {_OPERATORS[type(node.op)]} {of(node.right)})"
        if isinstance(node, ast.BoolOp):
            return "(" + f" {_OPERATORS[type(node.op)]} ".join(of(value) for value in node.values) + ")"
        if isinstance(node, ast.Compare) and all(type(op) in _OPERATORS for op in node.ops):
            sides = [of(side) for side in (node.left, *node.comparators)]
            all_of = [f"({a} {_OPERATORS[type(op)]} {b})" for a, op, b in zip(sides, node.ops, sides[1:])]
            return all_of[0] if len(all_of) == 1 else "(" + " && ".join(all_of) + ")"
        if isinstance(node, ast.IfExp):
            return f"({of(node.test)} ? {of(node.body)} : {of(node.orelse)})"
        if isinstance(node, ast.Call) and not node.keywords:
            called = _last(node.func) or self.refuse(node, "functions have names")
            arguments = ", ".join(of(argument) for argument in node.args)
            conversions = {"float": "double", "int": "int", **KINDS}
            return f"{conversions.get(called, _FUNCTIONS.get(called, called))}({arguments})"
        self.refuse(
            node, "this is no value of a stencil", "values are numbers, cells, operators, `a if c else b` and functions"
        )

    def number(self, node: ast.expr, value: Any) -> str:
        if isinstance(value, bool):
            return str(int(value))
        # A number of Python has the type of the field that gets the value; only fields of `int` have whole numbers.
        is_whole = all(of.kind == "int" for of in self.fields.values())
        if isinstance(value, int) and is_whole:
            return str(value) if value >= 0 else f"({value})"
        if not isinstance(value, (int, float)) or value != value or value in (float("inf"), float("-inf")):
            self.refuse(node, "this is no number of a stencil")
        text = repr(float(abs(value)))
        return text if value >= 0 and not text.startswith("-") else f"(-{text})"

    def name(self, node: ast.Name, reads: set[Any], names: set[str]) -> str:
        name = node.id
        if name in self.named:
            known = self.named[name]
            names.add(known)
            let = dict(self.lets)[known]
            for changed, _ in let.reads:
                if self.changes.get(changed, 0) != self.changes_at[known].get(changed, 0):
                    self.refuse(
                        node, f"`{name}` was computed before `{changed}` changed", "compute it again behind that"
                    )
            return known
        if name in self.fields:
            reads.add((name, (0,) * len(self.fields[name].dims)))
            return name
        if name in self.scalars:
            return name
        found = self.outside(name)
        if isinstance(found, (int, float)):
            return self.number(node, found)
        self.refuse(node, f"`{name}` is no field, number or value before", "numbers of the module can be used, too")

    def outside(self, name: str) -> Any:
        """What a name stands for around the function."""
        around = inspect.getclosurevars(self.function)
        for names in (around.nonlocals, around.globals):
            if name in names:
                return names[name]
        return None

    def cell(self, node: ast.Subscript, reads: set[Any]) -> str:
        if not isinstance(node.value, ast.Name) or node.value.id not in self.fields:
            self.refuse(node, "only fields have cells", "`u[-1, 0]` is the cell before, along the first dimension")
        of = self.fields[node.value.id]
        elements = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if len(elements) != len(of.dims):
            self.refuse(node, f"`{of.name}` has {len(of.dims)} dimensions, and the cell {len(elements)} offsets")
        offsets = tuple(self.offset(element) for element in elements)
        reads.add((of.name, offsets))
        return of.name + "".join(f"[{offset}]" for offset in offsets)

    def offset(self, node: ast.expr) -> int:
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
            inner = self.offset(node.operand)
            return -inner if isinstance(node.op, ast.USub) else inner
        value = node.value if isinstance(node, ast.Constant) else None
        if isinstance(node, ast.Name):
            value = self.outside(node.id)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        self.refuse(node, "offsets are whole numbers that are known, such as -1", "a stencil never names coordinates")


_TYPES = "fields are declared like `u: F32[Y, X]`, with F32, F64 or I32; numbers have no type, or `float` or `int`"


def _all(given: ast.arguments) -> list[ast.arg]:
    return [*given.posonlyargs, *given.args, *given.kwonlyargs]


def _last(node: ast.AST) -> str | None:
    """The last name of `a.b.c`."""
    if isinstance(node, ast.Name):
        return node.id
    return node.attr if isinstance(node, ast.Attribute) else None


def write(model: Model, boundaries: Mapping[str, str]) -> tuple[str, list[int]]:
    """Write the text of the language, and for each of its lines the one of Python that it comes from."""
    lines: list[tuple[str, int]] = []

    def put(text: str, line: int = model.line_of_def) -> None:
        lines.append((text, line))

    put(f"stencil {model.name};")
    put(f"size {', '.join([*model.sizes, model.steps])};")
    for name, kind in model.scalars:
        put(f"scalar {name}: {kind};")
    changing = {of.name for of, _ in model.statements}
    for of in model.fields:
        fixed = "" if of.name in changing else "const "
        beyond = [boundaries.get(dim, "constant") for dim in of.dims]
        ends = "" if set(beyond) == {"constant"} else f" boundary {', '.join(beyond)}"
        put(f"{fixed}field {of.name}{''.join(f'[{n}]' for n in of.extents)}: {of.kind}{ends};")
    taken = {*model.sizes, model.steps, *(name for name, _ in model.lets), *(of.name for of in model.fields)}
    taken |= {name for name, _ in model.scalars}
    time = next(name for name in ("t", "time", "t_", "t__", "time_") if name not in taken)
    put(f"for {time} in 0..{model.steps} {{")
    for number, (of, result) in enumerate(model.statements):
        if len(model.results) > 1 and number == len(model.updates):
            put("together {")
        used = model.used(result)
        ranges = "".join(_range(model, d, of, result, boundaries) for d in range(len(of.dims)))
        put(f"  {of.name}{ranges} = {{", result.line)
        for name, value in model.lets:
            if name in used:
                put(f"    let {name} = {value.text};", value.line)
        put(f"    {result.text}", result.line)
        put("  };", result.line)
    if len(model.results) > 1:
        put("}")
    put("}")
    return "\n".join(text for text, _ in lines) + "\n", [line for _, line in lines]


def _range(model: Model, d: int, of: Field, result: Value, boundaries: Mapping[str, str]) -> str:
    """The cells of a dimension whose reads are inside the grid."""
    fields = {other.name: other for other in model.fields}
    low, high = 0, 0
    for name, offsets in model.reach(result):
        other = fields[name]
        if other.dims != of.dims:
            model.refuse(
                f"`{of.name}` and `{name}` have other dimensions", result.line, ["a value has those of its field"]
            )
        if boundaries.get(of.dims[d], "constant") == "constant":
            low = max(low, -offsets[d])
            high = max(high, of.more[d] - other.more[d] + offsets[d])
    if low == 0 and high == 0:
        return "[:]"
    return f"[{low}:{_sum(of.dims[d], of.more[d] - high)}]"


def _sum(name: str, more: int) -> str:
    return name if more == 0 else f"{name} {'+' if more > 0 else '-'} {abs(more)}"
