"""What a document consists of: its outline, folds and coloured names, and names in all files."""

from __future__ import annotations

import os
from collections.abc import Iterator

from flowc.compiler.editor.folding import Fold, folds_of
from flowc.compiler.editor.outline import outline_of
from flowc.compiler.editor.tokens import MODIFIERS, TYPES, Token, tokens_of
from lsprotocol import types

from .analysis import Analysis, editing_of
from .convert import as_folding, as_symbol, as_symbol_information
from .documents import OpenDocument
from .lines import Lines, Shift
from .server import FlowcServer

MAX_FOUND = 500
"""Symbols of the workspace that are answered at once; a longer word finds the others."""
TOKEN_TYPES = sorted(set(TYPES.values()))
TOKEN_MODIFIERS = sorted({modifier for row in MODIFIERS.values() for modifier in row})
LEGEND = types.SemanticTokensLegend(TOKEN_TYPES, TOKEN_MODIFIERS)


async def on_symbols(
    server: FlowcServer, params: types.DocumentSymbolParams
) -> list[types.DocumentSymbol] | None:
    """Return the outline: nodes, prompts and parameters in the order of the file, each with the
    lines that belong to it, and what is defined in them inside of it."""
    view = await server.look(params.text_document.uri)
    if view is None:
        return None
    document, analysis, shift = view

    def work() -> list[types.DocumentSymbol]:
        lines = document.lines if shift is None else Lines(_text_of(analysis, document))
        folds = folds_of(lines.body, analysis.editing)
        places = outline_of(
            analysis.symbols, document.path, folds, lambda offset: lines.position(offset)[0]
        )
        return [as_symbol(place, document.lines, shift) for place in places]

    return await server.worker.run(work)


def _text_of(analysis: Analysis, document: OpenDocument) -> str:
    return analysis.result.sources.files[document.path].text


async def on_folding(
    server: FlowcServer, params: types.FoldingRangeParams
) -> list[types.FoldingRange] | None:
    """Return the lines that can be folded away, of the text as it is now."""
    document = server.documents.open.get(params.text_document.uri)
    if document is None:
        return None
    editing = document.good.editing if document.good else editing_of(document.path)
    text = document.text

    def work() -> tuple[Fold, ...]:
        return folds_of(text, editing)

    return [as_folding(fold) for fold in await server.worker.run(work)]


async def on_tokens(
    server: FlowcServer, params: types.SemanticTokensParams
) -> types.SemanticTokens | None:
    """Return the names of a document with what they are."""
    return await _tokens(server, params.text_document.uri, None)


async def on_tokens_range(
    server: FlowcServer, params: types.SemanticTokensRangeParams
) -> types.SemanticTokens | None:
    """Return the names of a part of a document with what they are."""
    return await _tokens(server, params.text_document.uri, params.range)


async def _tokens(
    server: FlowcServer, uri: str, part: types.Range | None
) -> types.SemanticTokens | None:
    view = await server.look(uri)
    if view is None:
        return None
    document, analysis, shift = view
    lines = document.lines
    start, end = 0, len(lines.body)
    if part is not None:
        start = lines.offset(part.start.line, part.start.character)
        end = lines.offset(part.end.line, part.end.character)
    if shift is not None:
        start, end = shift.to_old(start), shift.to_old(end)

    def work() -> list[int]:
        found = tokens_of(analysis.symbols, document.path, start, end)
        return list(_numbers(found, lines, shift))

    return types.SemanticTokens(await server.worker.run(work))


def _numbers(tokens: Iterator[Token], lines: Lines, shift: Shift | None) -> Iterator[int]:
    """Yield five numbers for each token, as the protocol wants them: lines and columns since the
    token before, length, type, and a bit for each modifier."""
    before = (0, 0)
    for token in tokens:
        start, end = token.span.start, token.span.end
        if shift is not None:
            if not shift.keeps(start, end):
                continue  # the name is being typed
            start, end = shift.to_new(start), shift.to_new(end)
        line, column = lines.position(start)
        last, behind = lines.position(end)
        if last != line:
            continue
        bits = sum(1 << TOKEN_MODIFIERS.index(name) for name in token.modifiers)
        yield line - before[0]
        yield column - before[1] if line == before[0] else column
        yield behind - column
        yield TOKEN_TYPES.index(token.type)
        yield bits
        before = (line, column)


async def on_workspace_symbols(
    server: FlowcServer, params: types.WorkspaceSymbolParams
) -> list[types.SymbolInformation]:
    """Return what the workflows of the workspace define under a name like the one asked for: one
    that has its letters in this order, whatever their case."""
    wanted = params.query.casefold()
    texts = server.documents.texts()
    found: dict[tuple[str, int, str], types.SymbolInformation] = {}
    files = server.files.holding("", texts)
    # One file after another, so that a keystroke in between is compiled at once.
    while (analysis := await server.worker.run(lambda: next(files, None))) is not None:
        for symbol in await server.worker.run(lambda: list(_symbols(server, analysis, wanted))):
            place = symbol.location
            found[place.uri, place.range.start.line, symbol.name] = symbol
        if len(found) >= MAX_FOUND:
            break
    return list(found.values())[:MAX_FOUND]


def _symbols(
    server: FlowcServer, analysis: Analysis, wanted: str
) -> Iterator[types.SymbolInformation]:
    workflow = analysis.result.workflow
    titles = {n.id: " ".join(n.title.split()) for n in workflow.nodes} if workflow else {}
    for mention in analysis.symbols.all:
        if mention.act != "define":
            continue
        name = mention.name.rpartition("#")[2]
        title = titles.get(mention.name, "") if mention.kind == "node" else ""
        if _is_like(wanted, name) or (title and _is_like(wanted, title)):
            place = server.location(mention.span, analysis)
            if place is not None:
                file = os.path.basename(analysis.path)
                shown = title or name or "?"
                yield as_symbol_information(mention.kind, shown, place, file)


def _is_like(wanted: str, name: str) -> bool:
    letters = iter(name.casefold())
    return all(letter in letters for letter in wanted)
