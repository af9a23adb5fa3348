"""What the check of one file found, and on which files that rests; as JSON for another process."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flowc.compiler.checks import CODES
from flowc.compiler.diagnostics.diagnostic import Diagnostic, Fix, Label
from flowc.compiler.driver import CompileResult
from flowc.compiler.source.source import NOT_FOUND, SourceSet, Span

from ...config.extras import absent_for

_MOST = 50
"""Of a file with more diagnostics they are looked for anew each time."""
Row = list[Any]


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


def read_row(row: Row) -> Findings:
    """Return the findings of `as_row`. Raise ValueError, TypeError, KeyError or AttributeError for
    what is none: a kept file can hold anything."""
    shown, absent, files, missing, lasts = row
    return Findings(
        tuple(map(_diagnostic_of, shown)),
        tuple(map(_text, absent)),
        {_text(path): (_text(sha), _text(real)) for path, sha, real in files},
        tuple(map(_text, missing)),
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
    fix = [item.fix.title, *_place(item.fix.span), item.fix.text, item.fix.safe] if item.fix else []
    notes = list(item.notes)
    head = [item.code, item.severity, item.message, *_place(item.primary)]
    return [*head, labels, notes, item.help, fix, item.more]


def _diagnostic_of(row: Row) -> Diagnostic:
    code, severity, message, file, start, end, labels, notes, help, fix, more = row
    if severity not in ("error", "warning"):
        raise ValueError(severity)
    return Diagnostic(
        CODES[code],
        _text(message),
        _span(file, start, end),
        severity,
        tuple(Label(_span(*place), _text(text)) for *place, text in labels),
        tuple(map(_text, notes)),
        _text(help),
        Fix(_text(fix[0]), _span(*fix[1:4]), _text(fix[4]), fix[5] is True) if fix else None,
        more=int(more),
    )


def _place(span: Span) -> tuple[str, int, int]:
    return span.file, span.start, span.end


def _span(file: Any, start: Any, end: Any) -> Span:
    return Span(_text(file), int(start), int(end))


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value
