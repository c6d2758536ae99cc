"""What can go wrong, as exceptions."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Diagnostic:
    """A message of the compiler.

    Lines and columns count from 1. `file`, `line` and `column` are `None` where a message has no place.
    """

    level: str
    code: str | None
    message: str
    file: str | None = None
    line: int | None = None
    column: int | None = None
    notes: tuple[str, ...] = ()
    helps: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return the message in one line, with its place and its code."""
        place = "" if self.file is None else f"{self.file}:{self.line}:{self.column}: "
        code = "" if self.code is None else f"[{self.code}]"
        return f"{place}{self.level}{code}: {self.message}"


class HexccError(Exception):
    """Whatever hexcc refuses or cannot do."""


class TranslationError(HexccError):
    """hexcc refuses the C program; the text shows the lines that it means.

    `code` is the code of the first error, such as `HX0101`; docs/diagnostics.md explains all codes.
    `diagnostics` has all messages as data.
    """

    def __init__(self, rendered: str, diagnostics: tuple[Diagnostic, ...] = ()) -> None:
        """Take the rendered messages, and the same messages as data."""
        super().__init__(rendered)
        self.diagnostics = diagnostics

    @property
    def first(self) -> Diagnostic | None:
        """The first error."""
        errors = (d for d in self.diagnostics if d.level == "error")
        return next(errors, None)

    @property
    def code(self) -> str | None:
        """The code of the first error."""
        return None if self.first is None else self.first.code

    @property
    def line(self) -> int | None:
        """The line of the first error, from 1."""
        return None if self.first is None else self.first.line


class BuildError(HexccError):
    """The C compiler is missing, or fails on the translation; the text has its messages."""


class TargetError(HexccError, NotImplementedError):
    """Python cannot run this function on a GPU; the text says why."""


class GpuError(HexccError):
    """The GPU, its driver or NVRTC is missing, or fails; the text has what they say."""
