"""Findings of earlier checks, kept by the content of every file that they rest on.

They save `flowc check` of a folder its work and are used for nothing else: what runs is compiled
each time. The files lie in the user's own cache folder, one for each folder that is checked; they
are JSON, checked in shape when they are read, and hold for one state of flowc's code alone.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import flowc.compiler
import flowc.grammar
import lark
from flowc import __version__
from flowc.compiler.checks import CODES
from flowc.compiler.diagnostics.diagnostic import Diagnostic, Fix, Label
from flowc.compiler.driver import CompileResult
from flowc.compiler.source.source import NOT_FOUND, SourceSet, Span, Unreadable, read_text
from flowc.grammar import cache_folder

from ...config.extras import absent_for
from ...files.kept_files import KeptFiles

MOST = 64 * 2**20
"""Bytes of all that is kept."""
_BAD = (ValueError, TypeError, KeyError, RecursionError)
_MOST = 50
"""Of a file with more diagnostics they are looked for anew each time."""
Row = list[object]
"""A JSON list."""


@dataclass(frozen=True, slots=True)
class Findings:
    """The diagnostics of a file, the extras that its runs would ask for, and what this rests on:
    `files` by path with the SHA-256 of their texts and their real paths, names that are `missing`.
    `lasts` says that nothing else was asked of the disk."""

    diagnostics: tuple[Diagnostic, ...]
    absent: tuple[str, ...]
    files: Mapping[str, tuple[str, str]]
    missing: tuple[str, ...]
    lasts: bool

    def as_row(self) -> Row:
        """Return the findings as a JSON value."""
        files = [[path, *known] for path, known in self.files.items()]
        shown = [_row_of(item) for item in self.diagnostics]
        return [shown, list(self.absent), files, list(self.missing), self.lasts]


def findings_of(result: CompileResult) -> Findings:
    """Return what a compilation of a file found."""
    sources, program = result.sources, result.program
    files = {
        path: (digest(source.text), os.path.realpath(path))
        for path, source in sources.files.items()
        if path not in sources.missing
    }
    lasts = (
        result.frontend is not None
        and not (sources.outside or sources.listed)
        and set(sources.missing.values()) <= {NOT_FOUND}
        and len(result.diagnostics) <= _MOST
    )
    absent = absent_for(program) if program is not None else ()
    return Findings(result.diagnostics, absent, files, tuple(sources.missing), lasts)


def digest(text: str) -> str:
    """Return the SHA-256 (hex) of a text."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def read_row(row: object) -> Findings:
    """Return the findings of `as_row`. Raise ValueError, TypeError or KeyError for
    what is not such a row: a kept file can hold anything."""
    shown, absent, files, missing, lasts = _row(row)
    known = [_row(file) for file in _row(files)]
    return Findings(
        tuple(map(_diagnostic_of, _row(shown))),
        tuple(map(_text, _row(absent))),
        {_text(path): (_text(sha), _text(real)) for path, sha, real in known},
        tuple(map(_text, _row(missing))),
        lasts is True,
    )


def sources_of(findings: Findings, sources: SourceSet) -> bool:
    """Read the texts that the diagnostics speak of; False when one of them is another by now."""
    spans = [s for d in findings.diagnostics for s in (d.primary, *(x.span for x in d.labels))]
    for path in {span.file for span in spans}:
        if path in findings.files:
            source = sources.read(path, below=os.sep)
            if digest(source.text) != findings.files[path][0]:
                return False
    return True


def _row_of(item: Diagnostic) -> Row:
    labels = [[*_place(label.span), label.text] for label in item.labels]
    fix = [*_place(item.fix.span), item.fix.title, item.fix.text, item.fix.safe] if item.fix else []
    place = list(_place(item.primary))
    return [item.code, item.severity, item.message, place, labels, list(item.notes), item.help, fix,
            item.more]  # fmt: skip


def _diagnostic_of(value: object) -> Diagnostic:
    code, severity, message, place, labels, notes, help, fix, more = _row(value)
    return Diagnostic(
        CODES[_text(code)],
        _text(message),
        _span(*_row(place)),
        "error" if severity == "error" else "warning",
        tuple(_label(*_row(label)) for label in _row(labels)),
        tuple(map(_text, _row(notes))),
        _text(help),
        _fix(*_row(fix)) if fix else None,
        more=_number(more),
    )


def _label(file: object, start: object, end: object, text: object) -> Label:
    return Label(_span(file, start, end), _text(text))


def _fix(
    file: object, start: object, end: object, title: object, text: object, safe: object
) -> Fix:
    return Fix(_text(title), _span(file, start, end), _text(text), safe is True)


def _place(span: Span) -> tuple[str, int, int]:
    return span.file, span.start, span.end


def _span(file: object, start: object, end: object) -> Span:
    return Span(_text(file), _number(start), _number(end))


def _row(value: object) -> Row:
    if not isinstance(value, list):
        raise TypeError(value)
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value


def _number(value: object) -> int:
    if not isinstance(value, int):
        raise TypeError(value)
    return value


class KeptFindings:
    """What is kept for files that are read as `options` say; nothing without a cache folder. Each
    text is read once, so a file that changes while a check goes on is found by the next one."""

    def __init__(self, options: tuple[str, ...]) -> None:
        folder = cache_folder()
        self._files = KeptFiles(folder / "checks", MOST) if folder else None
        self._key = "\n".join((*options, os.getcwd(), _state_of_code()))
        self._rows: dict[str, dict[str, object]] = {}
        self._changed: dict[str, dict[str, object]] = {}
        self._found: dict[str, Findings | None] = {}
        self._digests: dict[str, str] = {}

    def find(self, path: str) -> Findings | None:
        """Return what the check of a file would find, where that is known."""
        if path not in self._found:
            self._found[path] = self._read(path)
        return self._found[path]

    def is_known(self, path: str) -> bool:
        """Tell whether a file was checked before and is still the same."""
        return self.find(path) is not None

    def keep(self, path: str, findings: Findings) -> None:
        """Keep findings, if they hold as long as their files do."""
        if findings.lasts:
            self._changed.setdefault(os.path.dirname(path), {})[path] = findings.as_row()

    def save(self) -> None:
        """Write down what is new. What is not asked for any more goes with the file it is in, when
        that is the oldest."""
        if self._files is None:
            return
        for folder, rows in self._changed.items():
            old = {path: row for path, row in self._rows_of(folder).items() if os.path.exists(path)}
            data = json.dumps({**old, **rows}, separators=(",", ":")).encode()
            self._files.write(self._name(folder), data)

    def _read(self, path: str) -> Findings | None:
        row = self._rows_of(os.path.dirname(path)).get(path)
        if row is None:
            return None
        try:
            findings = read_row(row)
        except _BAD:
            return None
        return (
            findings if os.path.normpath(path) in findings.files and self._holds(findings) else None
        )

    def _holds(self, findings: Findings) -> bool:
        if any(os.path.lexists(path) for path in findings.missing):
            return False
        several = len(findings.files) > 1
        for path, (sha, real) in findings.files.items():
            if self._digest(path) != sha or (several and os.path.realpath(path) != real):
                return False
        return True

    def _digest(self, path: str) -> str:
        if path not in self._digests:
            try:
                self._digests[path] = digest(read_text(path))
            except Unreadable:
                self._digests[path] = ""
        return self._digests[path]

    def _rows_of(self, folder: str) -> Mapping[str, object]:
        if folder not in self._rows:
            data = self._files.read(self._name(folder)) if self._files else None
            try:
                rows = json.loads(data) if data else {}
            except _BAD:
                rows = {}
            self._rows[folder] = rows if isinstance(rows, dict) else {}
        return self._rows[folder]

    def _name(self, folder: str) -> str:
        return hashlib.sha256(f"{self._key}\n{folder}".encode(errors="surrogateescape")).hexdigest()


def _state_of_code() -> str:
    """Return what changes with flowc's code, Python and the packages beside it."""
    folders = [Path(package.__file__ or "").parent for package in (flowc.compiler, flowc.grammar)]
    installed = os.stat(Path(lark.__file__).parents[1]).st_mtime_ns
    parts = [__version__, sys.version, str(installed)]
    for folder in folders:
        parts += (f"{name} {size} {changed}" for name, size, changed in _code_in(folder))
    return hashlib.sha256("\n".join(parts).encode(errors="surrogateescape")).hexdigest()


def _code_in(folder: Path) -> Iterator[tuple[str, int, int]]:
    """Yield the path, size and time of each file of a package."""
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        for name in sorted(names):
            path = os.path.join(parent, name)
            status = os.stat(path)
            yield path, status.st_size, status.st_mtime_ns
