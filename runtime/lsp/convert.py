"""Diagnostics, places and completions in the words of the language server protocol."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable

from flowc.compiler.diagnostics.diagnostic import Diagnostic, Fix
from flowc.compiler.diagnostics.fixes import line_end
from flowc.compiler.editor.completion import Completion
from flowc.compiler.reading.editing import Kind, Mention
from flowc.compiler.source.source import Span
from lsprotocol import types
from pygls.uris import from_fs_path, to_fs_path

from .lines import Lines

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
LinesOf = Callable[[str], Lines | None]
"""The lines of a file, by path."""


def as_range(span: Span, lines: Lines) -> types.Range:
    """Return a span as a range of the client's positions."""
    return types.Range(
        types.Position(*lines.position(span.start)), types.Position(*lines.position(span.end))
    )


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


def as_action(
    diagnostic: Diagnostic, shown: types.Diagnostic | None, lines: Lines, uri: str
) -> types.CodeAction | None:
    """Return the fix of a diagnostic, or None. A safe fix is the preferred action."""
    fix = diagnostic.fix
    if fix is None:
        return None
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


def as_symbol(mention: Mention, title: str, lines: Lines) -> types.DocumentSymbol:
    """Return a definition in a document's outline."""
    place = as_range(mention.span, lines)
    name = title or mention.name or "?"
    detail = mention.name if title and title != mention.name else mention.kind
    return types.DocumentSymbol(
        name=name,
        detail=detail,
        kind=types.SymbolKind[_KINDS[mention.kind].replace("Text", "String")],
        range=place,
        selection_range=place,
    )


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
