"""Changes of a document that the server offers: fixes of what was found, and its layout."""

from __future__ import annotations

from collections.abc import Iterator

from flowc.compiler.diagnostics.diagnostic import Diagnostic, Fix
from flowc.compiler.diagnostics.fixes import chosen_fixes
from flowc.compiler.editor.layout import NotLaidOut, layout_of
from lsprotocol import types

from .analysis import Analysis
from .convert import as_action, as_edit, text_edits
from .documents import OpenDocument
from .server import FlowcServer, RequestRefused

PATIENT = 10.0
"""Seconds that an edit waits for the compilation of the present text."""
FIX_ALL = "source.fixAll.flowc"
"""The kind of the action with all safe fixes, which editors apply when they save."""
FIX_UNSAFE = "source.flowc.fixUnsafe"
"""The kind of the action with the others too. It does not begin with `source.fixAll`: an editor
that saves must not apply it."""
KINDS = [types.CodeActionKind.QuickFix, FIX_ALL, FIX_UNSAFE]


async def on_code_action(
    server: FlowcServer, params: types.CodeActionParams
) -> list[types.CodeAction] | None:
    """Return the fixes of the diagnostics in a range, and those of the whole file together."""
    view = await server.look(params.text_document.uri, PATIENT)
    if view is None or view[2] is not None:
        return None
    document, analysis, _ = view
    lines = document.lines
    start = lines.offset(params.range.start.line, params.range.start.character)
    end = lines.offset(params.range.end.line, params.range.end.character)
    here = [
        item
        for item in analysis.result.diagnostics
        if item.primary.file == document.path
        and item.primary.start <= end
        and start <= item.primary.end
    ]
    actions = [*_quick_fixes(server, analysis, here), *_together(server, document, analysis, here)]
    only = params.context.only
    return [a for a in actions if not only or any(_is_kind(a.kind, o) for o in only)]


def _is_kind(kind: str | None, wanted: str) -> bool:
    """Return whether a kind of action is the wanted one or below it: `source.fixAll.flowc` is a
    `source.fixAll`, not a `source.fix`."""
    own, asked = str(getattr(kind, "value", kind)), str(getattr(wanted, "value", wanted))
    return own == asked or own.startswith(f"{asked}.") or not asked


def _quick_fixes(
    server: FlowcServer, analysis: Analysis, here: list[Diagnostic]
) -> Iterator[types.CodeAction]:
    for item in here:
        lines = server.lines_of(item.fix.span.file, analysis) if item.fix else None
        if item.fix is not None and lines is not None:
            row = server.row(item, analysis)
            yield as_action(item.fix, row, lines, server.uri_of(item.fix.span.file))


def _together(
    server: FlowcServer, document: OpenDocument, analysis: Analysis, here: list[Diagnostic]
) -> Iterator[types.CodeAction]:
    """Yield all safe fixes of the file, all fixes, and all of a kind that the cursor is on."""
    every, path = analysis.result.diagnostics, document.path
    safe, both = chosen_fixes(every, path), chosen_fixes(every, path, unsafe=True)
    if safe:
        yield _of_many(f"apply all safe fixes ({len(safe)})", FIX_ALL, safe, document)
    if len(both) > len(safe):
        title = f"apply all fixes ({len(both)}; {len(both) - len(safe)} may change the meaning)"
        yield _of_many(title, FIX_UNSAFE, both, document)
    for code in dict.fromkeys(item.code for item in here if item.fix):
        alike = chosen_fixes((d for d in every if d.code == code), path, unsafe=True)
        if len(alike) > 1:
            some = "" if all(fix.safe for fix in alike) else "; may change the meaning"
            title = f"fix all {code} of this file ({len(alike)}{some})"
            yield _of_many(title, types.CodeActionKind.QuickFix, alike, document)


def _of_many(
    title: str, kind: str, fixes: tuple[Fix, ...], document: OpenDocument
) -> types.CodeAction:
    edits = [as_edit(fix, document.lines) for fix in fixes]
    return types.CodeAction(
        title=title, kind=kind, edit=types.WorkspaceEdit(changes={document.uri: edits})
    )


async def on_formatting(
    server: FlowcServer, params: types.DocumentFormattingParams
) -> list[types.TextEdit] | None:
    """Return the edits that lay a document out. Raises `RequestRefused` with the reason when it
    stays as it is."""
    view = await server.look(params.text_document.uri, PATIENT)
    if view is None or view[2] is not None:
        raise RequestRefused("the text is not read as a workflow")
    document, analysis, _ = view
    if analysis.path != document.path:
        raise RequestRefused("the text is a part of a workflow; it has no layout of its own")
    lines = document.lines
    new = await server.worker.run(lambda: layout_of(analysis.result))
    if isinstance(new, NotLaidOut):
        raise RequestRefused(new.reason)
    return text_edits(lines, new)
