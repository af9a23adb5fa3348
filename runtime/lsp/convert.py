"""What flowc says, in the words of the language server protocol."""

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

SymbolKind = types.SymbolKind
_SYMBOLS: dict[Kind, types.SymbolKind] = {
    "node": SymbolKind.Function,
    "variable": SymbolKind.Variable,
    "prompt": SymbolKind.String,
    "tool": SymbolKind.Method,
    "workflow": SymbolKind.Module,
    "function": SymbolKind.Function,
    "agent": SymbolKind.Class,
    "thread": SymbolKind.Event,
    "role": SymbolKind.Interface,
    "file": SymbolKind.File,
}
_COMPLETIONS: dict[Kind, types.CompletionItemKind] = {
    "node": types.CompletionItemKind.Function,
    "variable": types.CompletionItemKind.Variable,
    "prompt": types.CompletionItemKind.Text,
    "tool": types.CompletionItemKind.Method,
    "workflow": types.CompletionItemKind.Module,
    "function": types.CompletionItemKind.Function,
    "agent": types.CompletionItemKind.Class,
    "thread": types.CompletionItemKind.Event,
    "role": types.CompletionItemKind.Interface,
    "file": types.CompletionItemKind.File,
}
LinesOf = Callable[[str], Lines | None]
"""The lines of a file, by path."""


def as_range(span: Span, lines: Lines) -> types.Range:
    """A span as a range of the client's positions."""
    return types.Range(
        types.Position(*lines.position(span.start)), types.Position(*lines.position(span.end))
    )


def as_diagnostic(
    found: Diagnostic, lines_of: LinesOf, uri_of: Callable[[str], str]
) -> types.Diagnostic | None:
    """A diagnostic with its further places; None when its file is not at hand."""
    lines = lines_of(found.primary.file)
    if lines is None:
        return None
    error = found.severity == "error"
    more = [*found.notes, *([f"help: {found.help}"] if found.help else [])]
    return types.Diagnostic(
        range=_seen(found.primary, lines),
        message="\n".join([found.message, *more]),
        severity=types.DiagnosticSeverity.Error if error else types.DiagnosticSeverity.Warning,
        code=found.code,
        source="flowc",
        tags=[types.DiagnosticTag.Unnecessary] if found.code in _UNNECESSARY else None,
        related_information=[
            types.DiagnosticRelatedInformation(
                types.Location(uri_of(label.span.file), as_range(label.span, there)), label.text
            )
            for label in found.labels
            if (there := lines_of(label.span.file)) is not None
        ]
        or None,
    )


_UNNECESSARY = frozenset({"FC2002", "FC3003", "FC0002"})
"""Codes of what nobody needs: editors show it faded."""


def _seen(span: Span, lines: Lines) -> types.Range:
    """A range of at least one character where the line has one, so that an editor shows it."""
    start, end = lines.position(span.start), lines.position(span.end)
    if start == end:
        behind = lines.position(span.start + 1)
        end = behind if behind[0] == start[0] else end
    return types.Range(types.Position(*start), types.Position(*end))


def as_action(
    found: Diagnostic, shown: types.Diagnostic | None, lines: Lines, uri: str
) -> types.CodeAction | None:
    """The fix of a diagnostic; None without one. A safe fix is the preferred action."""
    fix = found.fix
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
    """The edit of a fix, with the line ends of the file."""
    newline = line_end(lines.body)
    text = fix.text.replace("\r\n", "\n").replace("\n", newline)
    return types.TextEdit(as_range(fix.span, lines), text)


def as_symbol(mention: Mention, title: str, lines: Lines) -> types.DocumentSymbol:
    """A definition in a document's outline."""
    place = as_range(mention.span, lines)
    name = title or mention.name or "?"
    detail = mention.name if title and title != mention.name else mention.kind
    return types.DocumentSymbol(
        name=name,
        detail=detail,
        kind=_SYMBOLS[mention.kind],
        range=place,
        selection_range=place,
    )


def as_items(choices: Iterable[Completion], lines: Lines) -> list[types.CompletionItem]:
    """Completions; the typed part is replaced."""
    return [
        types.CompletionItem(
            label=choice.label,
            kind=types.CompletionItemKind.Keyword
            if choice.kind is None
            else _COMPLETIONS[choice.kind],
            detail=choice.detail.split("\n")[0][:120] or None,
            sort_text=f"{number:05}",
            filter_text=choice.insert if choice.kind is None else choice.label,
            text_edit=types.TextEdit(as_range(choice.span, lines), choice.insert),
        )
        for number, choice in enumerate(choices)
    ]


def path_of(uri: str) -> str:
    """The path under which a document is compiled."""
    path = to_fs_path(uri) if uri.startswith("file:") else None
    return os.path.normpath(path) if path else uri.rpartition(":")[2].lstrip("/") or "untitled"


def uri_of(path: str) -> str:
    """The URI of a file."""
    return from_fs_path(os.path.abspath(path)) or path
