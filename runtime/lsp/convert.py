"""Diagnostics, places and completions in the words of the language server protocol."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from difflib import SequenceMatcher
from itertools import accumulate

from flowc.compiler.diagnostics.diagnostic import Diagnostic, Fix
from flowc.compiler.diagnostics.fixes import line_end
from flowc.compiler.editor.completion import Completion
from flowc.compiler.editor.folding import Fold
from flowc.compiler.editor.outline import OutlineEntry
from flowc.compiler.reading.editing import Kind
from flowc.compiler.source.source import Span
from lsprotocol import types
from pygls.uris import from_fs_path, to_fs_path

from .lines import Lines, Shift

_KINDS: dict[Kind, str] = {
    "node": "Function",
    "variable": "Variable",
    "prompt": "Text",
    "tool": "Method",
    "workflow": "Module",
    "function": "Function",
    "agent": "Class",
    "thread": "Event",
    "role": "Interface",
    "file": "File",
}
"""The protocol's word for a kind, among completions and, but for a text, among symbols."""
MAX_COMPARED = 2000
"""Changed lines of two texts that are compared one by one; more are replaced as a whole."""
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
LinesOf = Callable[[str], Lines | None]
"""The lines of a file, by path."""


def as_range(span: Span, lines: Lines) -> types.Range:
    """Return a span as a range of the client's positions."""
    return _range(span.start, span.end, lines)


def as_diagnostic(
    diagnostic: Diagnostic, lines_of: LinesOf, uri_of: Callable[[str], str]
) -> types.Diagnostic | None:
    """Return a diagnostic with its further places; None when its file is not at hand."""
    lines = lines_of(diagnostic.primary.file)
    if lines is None:
        return None
    error = diagnostic.severity == "error"
    more = [*diagnostic.notes, *([f"help: {diagnostic.help}"] if diagnostic.help else [])]
    return types.Diagnostic(
        range=_visible_range(diagnostic.primary, lines),
        message="\n".join([diagnostic.message, *more]),
        severity=types.DiagnosticSeverity.Error if error else types.DiagnosticSeverity.Warning,
        code=diagnostic.code,
        source="flowc",
        tags=[types.DiagnosticTag.Unnecessary] if diagnostic.code in _UNNECESSARY else None,
        related_information=[
            types.DiagnosticRelatedInformation(
                types.Location(uri_of(label.span.file), as_range(label.span, there)), label.text
            )
            for label in diagnostic.labels
            if (there := lines_of(label.span.file)) is not None
        ]
        or None,
    )


_UNNECESSARY = frozenset({"FC2002", "FC3003", "FC0002"})
"""Codes of what nobody needs: editors show it faded."""


def _visible_range(span: Span, lines: Lines) -> types.Range:
    """Return a range of at least one character where the line has one, so that an editor shows
    it."""
    start, end = lines.position(span.start), lines.position(span.end)
    if start == end:
        behind = lines.position(span.start + 1)
        end = behind if behind[0] == start[0] else end
    return types.Range(types.Position(*start), types.Position(*end))


def as_action(fix: Fix, shown: types.Diagnostic | None, lines: Lines, uri: str) -> types.CodeAction:
    """Return the fix of a diagnostic. A safe fix is the preferred action."""
    title = fix.title if fix.safe else f"{fix.title} (may change the meaning)"
    return types.CodeAction(
        title=title,
        kind=types.CodeActionKind.QuickFix,
        diagnostics=[shown] if shown else None,
        is_preferred=fix.safe,
        edit=types.WorkspaceEdit(changes={uri: [as_edit(fix, lines)]}),
    )


def as_edit(fix: Fix, lines: Lines) -> types.TextEdit:
    """Return the edit of a fix, with the line ends of the file."""
    newline = line_end(lines.body)
    text = fix.text.replace("\r\n", "\n").replace("\n", newline)
    return types.TextEdit(as_range(fix.span, lines), text)


def text_edits(lines: Lines, new: str) -> list[types.TextEdit]:
    """Return the edits that make a text another one, line by line; none where it is the same."""
    old = _cut(lines.body)
    rows = _cut(new)
    head = next((n for n, (a, b) in enumerate(zip(old, rows, strict=False)) if a != b), None)
    if head is None:
        head = min(len(old), len(rows))
        if len(old) == len(rows):
            return []
    tail = 0
    while tail < min(len(old), len(rows)) - head and old[-1 - tail] == rows[-1 - tail]:
        tail += 1
    was, is_now = old[head : len(old) - tail], rows[head : len(rows) - tail]
    if max(len(was), len(is_now)) > MAX_COMPARED:
        changes = [(0, len(was), 0, len(is_now))]
    else:
        matcher = SequenceMatcher(None, was, is_now, autojunk=False)
        changes = [(a, b, c, d) for tag, a, b, c, d in matcher.get_opcodes() if tag != "equal"]
    starts = [0, *accumulate(map(len, old))]
    return [
        types.TextEdit(
            _range(starts[head + first], starts[head + last], lines), "".join(is_now[start:end])
        )
        for first, last, start, end in changes
    ]


def _cut(text: str) -> list[str]:
    """Return the lines of a text with their ends."""
    return [match[0] for match in _LINE.finditer(text) if match[0]]


def _range(start: int, end: int, lines: Lines) -> types.Range:
    return types.Range(types.Position(*lines.position(start)), types.Position(*lines.position(end)))


def as_symbol(place: OutlineEntry, lines: Lines, shift: Shift | None) -> types.DocumentSymbol:
    """Return a definition in a document's outline, and those inside of it. `shift` is that from
    the text the definition was found in to the present one."""
    start, end = place.start, place.end
    if shift is not None:
        start, end = shift.to_new(start), shift.to_new(end)
    own = _range(start, end, lines)
    first, last = place.lines if shift is None else (own.start.line, own.end.line)
    name = place.title or place.name.rpartition("#")[2] or "?"
    return types.DocumentSymbol(
        name=name,
        detail=place.name if place.title and place.title != place.name else place.kind,
        kind=_symbol_kind(place.kind),
        range=types.Range(
            types.Position(min(first, own.start.line), 0),
            max(own.end, types.Position(*lines.end(last))),
        ),
        selection_range=own,
        children=[as_symbol(inner, lines, shift) for inner in place.inner] or None,
    )


def as_symbol_information(
    kind: Kind, name: str, place: types.Location, file: str
) -> types.SymbolInformation:
    """Return a definition as it is found in the whole workspace."""
    return types.SymbolInformation(place, name, _symbol_kind(kind), container_name=file)


def _symbol_kind(kind: Kind) -> types.SymbolKind:
    return types.SymbolKind[_KINDS[kind].replace("Text", "String")]


def as_folding(fold: Fold) -> types.FoldingRange:
    """Return lines that can be folded away."""
    kind = types.FoldingRangeKind.Comment if fold.kind == "comment" else None
    return types.FoldingRange(fold.first, fold.last, kind=kind)


def as_items(choices: Iterable[Completion], lines: Lines) -> list[types.CompletionItem]:
    """Return completions, which replace the typed part."""
    return [
        types.CompletionItem(
            label=choice.label,
            kind=types.CompletionItemKind[_KINDS[choice.kind] if choice.kind else "Keyword"],
            detail=choice.detail.split("\n")[0][:120] or None,
            sort_text=f"{number:05}",
            filter_text=choice.insert if choice.kind is None else choice.label,
            text_edit=types.TextEdit(as_range(choice.span, lines), choice.insert),
        )
        for number, choice in enumerate(choices)
    ]


def path_of(uri: str) -> str:
    """Return the path under which a document is compiled."""
    path = to_fs_path(uri) if uri.startswith("file:") else None
    return os.path.normpath(path) if path else uri.rpartition(":")[2].lstrip("/") or "untitled"


def uri_of(path: str) -> str:
    """Return the URI of a file."""
    return from_fs_path(os.path.abspath(path)) or path
