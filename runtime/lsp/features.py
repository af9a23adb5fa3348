"""The requests that the language server answers: one function each, and the table of them."""

from __future__ import annotations

import logging
import os
import sys
import threading
import time
from collections.abc import Awaitable, Callable
from typing import Any, NoReturn

from flowc.compiler.catalog.catalog import LOCK_FILE
from flowc.compiler.editor.completion import Candidate, complete
from flowc.compiler.editor.hover import describe
from flowc.compiler.editor.rename import Refusal, Renaming, renamable, rename
from flowc.compiler.reading.editing import Kind
from flowc.compiler.source.source import Source, Span
from lsprotocol import types
from pygls.uris import to_fs_path

from .actions import KINDS, PATIENT, on_code_action, on_formatting
from .analysis import Analysis, editing_of, references, related_files, sources_of, tools_near
from .convert import as_items, as_range
from .server import FlowcServer, RequestRefused
from .structure import (
    LEGEND,
    on_folding,
    on_symbols,
    on_tokens,
    on_tokens_range,
    on_workspace_symbols,
)

Handler = Callable[[FlowcServer, Any], Awaitable[Any]]
MAX_FILES_LISTED = 200


async def on_initialized(server: FlowcServer, params: types.InitializedParams) -> None:
    """Note the folders, and end with the editor's process."""
    del params
    _look_at_folders(server)
    parent = server.process_id
    if parent is not None and _is_alive(parent):
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


async def on_folders(server: FlowcServer, params: types.DidChangeWorkspaceFoldersParams) -> None:
    """Note the new folders of the workspace."""
    del params
    _look_at_folders(server)


def _look_at_folders(server: FlowcServer) -> None:
    workspace = server.protocol.workspace
    folders = [to_fs_path(uri) for uri in workspace.folders] or [workspace.root_path]
    server.files.folders = [folder for folder in folders if folder]


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _end_with(process: int) -> None:
    while _is_alive(process):
        time.sleep(1)
    os._exit(1)


async def on_hover(server: FlowcServer, params: types.HoverParams) -> types.Hover | None:
    """Describe the name under the pointer."""
    named = await server.mention_at(params.text_document.uri, params.position)
    if named is None:
        return None
    _, analysis, mention = named
    text = describe(mention, analysis.symbols, analysis.result)
    place = server.location(mention.span, analysis)
    content = types.MarkupContent(types.MarkupKind.Markdown, text)
    return types.Hover(content, place.range if place else None) if text else None


async def on_definition(
    server: FlowcServer, params: types.DefinitionParams
) -> list[types.Location] | None:
    """Return the definitions of the name under the cursor."""
    named = await server.mention_at(params.text_document.uri, params.position)
    if named is None:
        return None
    _, analysis, mention = named
    symbols = analysis.symbols
    spans = [m.span for m in symbols.definitions(mention.kind, mention.name)]
    if mention.kind == "workflow" and not spans:
        spans = [Span(mention.name.partition("#")[0], 0, 0)]
    elif mention.kind == "tool":
        spans += _in_lock(mention.name, analysis)
    places = [server.location(span, analysis) for span in spans]
    return [place for place in places if place is not None]


def _in_lock(name: str, analysis: Analysis) -> list[Span]:
    """Return the entry of a tool in the lock."""
    spans = []
    for path, source in analysis.result.sources.files.items():
        text = f'"name": "{name}"'
        at = source.text.find(text) if os.path.basename(path) == LOCK_FILE else -1
        if at >= 0:
            end = at + len(text) - 1
            spans.append(source.span(end - len(name), end))
    return spans


async def on_references(
    server: FlowcServer, params: types.ReferenceParams
) -> list[types.Location] | None:
    """Return every place of a name, in this file and in others where the name means the same."""
    named = await server.mention_at(params.text_document.uri, params.position)
    if named is None:
        return None
    _, analysis, mention = named
    texts = server.documents.texts()
    places = await server.worker.run(
        lambda: list(references(mention, analysis, server.files, texts))
    )
    located = [
        server.location(place.span, owner)
        for owner, place in places
        if params.context.include_declaration or place.act != "define"
    ]
    return [place for place in located if place is not None]


async def on_prepare_rename(
    server: FlowcServer, params: types.PrepareRenameParams
) -> types.Range | None:
    """Return the range of a name that can be renamed. Raises `RequestRefused` with the reason."""
    view = await server.look(params.text_document.uri, PATIENT)
    if view is None:
        return None
    document, analysis, shift = view
    if shift is not None:
        raise RequestRefused("the text is still being read")
    offset = document.lines.offset(params.position.line, params.position.character)
    mention = renamable(analysis.symbols, document.path, offset)
    if isinstance(mention, Refusal):
        raise RequestRefused(mention.reason)
    place = server.location(mention.span, analysis)
    return place.range if place else None


async def on_rename(server: FlowcServer, params: types.RenameParams) -> types.WorkspaceEdit:
    """Return the edits that change one name and nothing else."""
    view = await server.look(params.text_document.uri, PATIENT)
    if view is None or view[2] is not None:
        raise RequestRefused("the text cannot be read as a workflow")
    document, analysis, _ = view
    texts = server.documents.texts()
    offset = document.lines.offset(params.position.line, params.position.character)
    here = Span(document.path, offset, offset)

    def work() -> Renaming | Refusal:
        others = related_files(analysis, server.files, texts)
        return rename(analysis.path, here, params.new_name, texts, others, sources_of)

    renaming = await server.worker.run(work)
    if isinstance(renaming, Refusal):
        raise RequestRefused(renaming.reason)
    changes: dict[str, list[types.TextEdit]] = {}
    for span in renaming.spans:
        lines = server.lines_of(span.file, server.files.analysis(span.file, texts) or analysis)
        if lines is None:
            raise RequestRefused(f"`{span.file}` cannot be edited")
        edit = types.TextEdit(as_range(span, lines), renaming.text)
        changes.setdefault(server.uri_of(span.file), []).append(edit)
    return types.WorkspaceEdit(changes=changes)


async def on_completion(
    server: FlowcServer, params: types.CompletionParams
) -> types.CompletionList | None:
    """Return what fits at the cursor, after the first compilation."""
    document = server.documents.open.get(params.text_document.uri)
    if document is None:
        return None
    known = document.good
    if known is None and (found := await server.look(params.text_document.uri)) is not None:
        known = found[1]
    editing = known.editing if known else editing_of(document.path)
    names: dict[Kind, tuple[Candidate, ...]] = {"tool": tools_near(document.path)}
    names |= known.names if known else {}
    names["file"] = _files_beside(document.path)
    offset = document.lines.offset(params.position.line, params.position.character)
    source = Source(document.path, document.text)
    choices, whole = complete(source, offset, editing, names)
    return types.CompletionList(is_incomplete=not whole, items=as_items(choices, document.lines))


def _files_beside(path: str) -> tuple[Candidate, ...]:
    try:
        files = sorted(os.listdir(os.path.dirname(path) or "."))
    except OSError:
        return ()
    own = os.path.basename(path)
    return tuple(Candidate(f) for f in files if not f.startswith(".") and f != own)[
        :MAX_FILES_LISTED
    ]


FEATURES: tuple[tuple[str, Handler], ...] = (
    (types.INITIALIZED, on_initialized),
    (types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS, on_folders),
    (types.TEXT_DOCUMENT_HOVER, on_hover),
    (types.TEXT_DOCUMENT_DEFINITION, on_definition),
    (types.TEXT_DOCUMENT_REFERENCES, on_references),
    (types.TEXT_DOCUMENT_PREPARE_RENAME, on_prepare_rename),
    (types.TEXT_DOCUMENT_RENAME, on_rename),
    (types.TEXT_DOCUMENT_COMPLETION, on_completion),
    (types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, on_symbols),
    (types.TEXT_DOCUMENT_FOLDING_RANGE, on_folding),
    (types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, on_tokens),
    (types.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE, on_tokens_range),
    (types.WORKSPACE_SYMBOL, on_workspace_symbols),
    (types.TEXT_DOCUMENT_CODE_ACTION, on_code_action),
    (types.TEXT_DOCUMENT_FORMATTING, on_formatting),
)
OPTIONS: dict[str, Any] = {
    types.TEXT_DOCUMENT_COMPLETION: types.CompletionOptions(
        trigger_characters=["#", "[", "{", "|", " ", "-", ">", '"', ":", "/"]
    ),
    types.TEXT_DOCUMENT_RENAME: types.RenameOptions(prepare_provider=True),
    types.TEXT_DOCUMENT_CODE_ACTION: types.CodeActionOptions(code_action_kinds=KINDS),
    types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL: LEGEND,
    types.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE: LEGEND,
}


def serve() -> NoReturn:
    """Serve one client over standard input and output until it leaves; never returns."""
    sys.setswitchinterval(0.001)  # the loop answers while the worker computes
    # pygls writes a traceback for each request that is refused; the editor is told anyway.
    logging.getLogger("pygls").setLevel(logging.CRITICAL)
    server = FlowcServer()
    for method, handler in FEATURES:
        server.feature(method, OPTIONS.get(method))(_bind(handler, server))
    server.start_io()
    os._exit(0)  # the client is gone: nobody waits for a compilation that is under way


def _bind(handler: Handler, server: FlowcServer) -> Callable[[Any], Awaitable[Any]]:
    async def handle(params: Any) -> Any:
        return await handler(server, params)

    return handle
