"""Diagnostics: what is wrong with a user's file, as data.

A `Diagnostic` is a value: code, message, the place, further places, notes, help and perhaps a fix.
Front ends and checks put them into a `Sink` and go on; nothing is raised for a user's mistake.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, replace
from typing import Literal

from ..source.records import dataclass
from ..source.source import Position, SourceSet, Span
from .examples import Example

Severity = Literal["error", "warning"]
MAX_SHOWN = 50
"""At most this many diagnostics are shown of a compilation; the rest is counted."""
MAX_KEPT = 1_000
"""At most this many diagnostics of one code and severity are kept of a file; the rest is counted:
a generated file of some megabytes can have a fault in every character."""


_LONG = 300
_NAME = re.compile(r"`([^`]*)`")
"""In a message that is long, names that are paragraphs are shown by their beginning."""


@dataclass(frozen=True, slots=True)
class Code:
    """What can be wrong: a code, its name, the severity it has by default, a title, why it exists,
    and a bad and a good file. With `--strict` it may be an `error`; `only` then it is reported."""

    id: str
    name: str
    severity: Severity
    title: str
    why: str
    examples: Callable[[], tuple[Example, Example]] = field(compare=False, repr=False)
    strict: Literal["", "error", "only"] = ""

    def diagnostic(
        self,
        message: str,
        primary: Span,
        *,
        severity: Severity | None = None,
        labels: tuple[Label, ...] = (),
        notes: tuple[str, ...] = (),
        help: str = "",
        fix: Fix | None = None,
    ) -> Diagnostic:
        """Return a fault of this kind; the severity is the code's own unless it is said."""
        level = severity or self.severity
        return Diagnostic(self, message, primary, level, labels, notes, help, fix)


@dataclass(frozen=True, slots=True)
class Label:
    """A place with a few words: where the first definition was, what was written instead."""

    span: Span
    text: str = ""


@dataclass(frozen=True, slots=True)
class Fix:
    """Replace the text at `span` by `text`. Safe fixes keep the meaning the file's author had."""

    title: str
    span: Span
    text: str
    safe: bool = False


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One fault: one place (`primary`), one sentence (`message`), what to write (`help`). `at` is
    the beginning of the place, where `locate` has looked it up. `more` counts those of its code,
    severity and file that were not kept (`MAX_KEPT`); the last one that was kept carries it."""

    rule: Code
    message: str
    primary: Span
    severity: Severity
    labels: tuple[Label, ...] = ()
    notes: tuple[str, ...] = ()
    help: str = ""
    fix: Fix | None = None
    at: Position | None = field(default=None, compare=False)
    more: int = 0

    @property
    def code(self) -> str:
        return self.rule.id

    @property
    def file(self) -> str:
        return self.primary.file

    def __str__(self) -> str:
        place = f"{self.file}:{self.at.line}:{self.at.column}" if self.at else self.file
        return f"{place}: {self.severity}[{self.code}] {self.message}"


_Kind = tuple[str, str, Severity]
"""A file, a code and a severity."""


@dataclass(slots=True)
class Sink:
    """Collects diagnostics: no duplicates, sorted by place, `MAX_KEPT` of a kind and the number of
    the others. Readers report one of `codes`, which are those of `checks.CODES`: some faults are
    found by a reader or by a check."""

    codes: Mapping[str, Code]
    _items: dict[tuple[str, Span, str], Diagnostic] = field(default_factory=dict)
    _kept: dict[_Kind, int] = field(default_factory=dict)
    _more: dict[_Kind, int] = field(default_factory=dict)
    _broken: set[str] = field(default_factory=set)

    def report(
        self,
        code: str,
        message: str,
        primary: Span,
        *,
        severity: Severity | None = None,
        labels: tuple[Label, ...] = (),
        notes: tuple[str, ...] = (),
        help: str = "",
        fix: Fix | None = None,
        near: str | None = None,
    ) -> None:
        """Add a diagnostic of this code: see `Code.diagnostic`. `near` is what was probably meant
        by the name at `primary`: it takes the place of the help and is offered as a fix."""
        if near:
            help = f"did you mean `{near}`?"
            fix = fix or Fix(f"write `{near}`", primary, near)
        rule = self.codes[code]
        level = severity or rule.severity
        if not self._is_full((primary.file, code, level), 1):
            self.add(Diagnostic(rule, message, primary, level, labels, notes, help, fix))

    def add(self, item: Diagnostic) -> None:
        """Add a diagnostic; names that were read from the file may hold line ends, a message may
        not: it is one line wherever it is shown."""
        kind = item.primary.file, item.code, item.severity
        if self._is_full(kind, 1 + item.more):
            return
        if "\n" in item.message or "\n" in item.help:
            item = replace(item, message=_one_line(item.message), help=_one_line(item.help))
        if len(item.message) > _LONG:
            item = replace(item, message=_NAME.sub(_short_name, item.message))
        key = (item.code, item.primary, item.message)
        if key not in self._items:
            self._items[key] = item
            self._kept[kind] = self._kept.get(kind, 0) + 1
            if item.severity == "error":
                self._broken.add(item.primary.file)

    def _is_full(self, kind: _Kind, number: int) -> bool:
        """Tell whether no more of a kind are kept; if so, count these."""
        if self._kept.get(kind, 0) < MAX_KEPT:
            return False
        self._more[kind] = self._more.get(kind, 0) + number
        return True

    def extend(self, items: tuple[Diagnostic, ...] | list[Diagnostic]) -> None:
        for item in items:
            self.add(item)

    @property
    def has_errors(self) -> bool:
        return bool(self._broken)

    def is_broken(self, file: str) -> bool:
        """Tell whether there is an error in a file."""
        return file in self._broken

    def all(self) -> tuple[Diagnostic, ...]:
        """Return every diagnostic, sorted by file, place and code."""
        found = sorted(self._items.values(), key=lambda d: (d.primary, d.code, d.message))
        last = {(d.primary.file, d.code, d.severity): at for at, d in enumerate(found)}
        for kind, number in self._more.items():
            item = found[last[kind]]
            found[last[kind]] = replace(item, more=item.more + number)
        return tuple(found)


def locate(diagnostics: Iterable[Diagnostic], sources: SourceSet) -> tuple[Diagnostic, ...]:
    """Return the diagnostics with line and column of their places."""
    return tuple(
        replace(d, at=source.position(d.primary.start)) if (source := sources.get(d.file)) else d
        for d in diagnostics
    )


def _short_name(name: re.Match[str]) -> str:
    return name[0] if len(name[1]) <= 80 else f"`{name[1][:60]}…`"


def _one_line(text: str) -> str:
    return " ".join(line.strip() for line in text.splitlines())
