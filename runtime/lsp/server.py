"""The language server behind `flowc lsp`: diagnostics, hover, navigation, rename, completion.

The loop only keeps texts and answers; compiling is the worker's. A request for a text that is being
compiled waits for it a moment, then answers from the version before, its places moved along.
"""

from __future__ import annotations

import os
from functools import cache
from typing import Any, NoReturn

from flowc import __version__
from flowc.compiler.diagnostics.diagnostic import Diagnostic
from flowc.compiler.reading.editing import Mention
from flowc.compiler.source.source import Span
from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams, JsonRpcMethodNotFound
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, lsp_method

from .analysis import Analysis, Workspace
from .convert import as_diagnostic, as_range, path_of, uri_of
from .documents import CompileThread, Documents, OpenDocument, wait_for_analysis
from .guesses import guess
from .lines import Lines, Shift

SOON = 0.25
"""Seconds that a look waits for the compilation of the present text."""


class RequestRefused(JsonRpcException):
    """A request that cannot be done, with the reason for the person."""

    CODE = -32803
    MESSAGE = "request failed"


class Protocol(LanguageServerProtocol):
    """Leaves texts to the server: pygls counts lines at characters where clients do not."""

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        self._flowc.open_text(params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        self._flowc.change_text(params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        self._flowc.close_text(params)

    def structure_message(self, data: dict[str, Any]) -> Any:
        """Return a message as a value. A request that does not fit its method is answered at once:
        pygls would leave the client waiting."""
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            if "method" in data and "id" in data:
                self._send_response(data["id"], None, error.to_response_error())
            raise

    @lsp_method(types.EXIT)
    def lsp_exit(self, *args: object) -> NoReturn:
        """End at once: nobody waits for a compilation that is under way."""
        os._exit(0 if self._shutdown else 1)

    @property
    def _flowc(self) -> FlowcServer:
        assert isinstance(self._server, FlowcServer)
        return self._server


class FlowcServer(LanguageServer):
    """The server's state: open documents, the workspace's files, published diagnostics."""

    def __init__(self) -> None:
        super().__init__("flowc", __version__, protocol_cls=Protocol)
        self.worker = CompileThread()
        self.files = Workspace()
        self.documents = Documents(self.worker, self.publish, self.report)
        self.shown: dict[str, dict[str, tuple[Diagnostic, ...]]] = {}

    @property
    def encoding(self) -> str:
        """The agreed position encoding."""
        chosen = self.server_capabilities.position_encoding
        return str(getattr(chosen, "value", chosen) or "utf-16")

    # --- texts -------------------------------------------------------------------------------

    def open_text(self, params: types.DidOpenTextDocumentParams) -> None:
        item = params.text_document
        lines = Lines(item.text, self.encoding)
        self.documents.put(OpenDocument(item.uri, path_of(item.uri), item.version, lines))

    def change_text(self, params: types.DidChangeTextDocumentParams) -> None:
        document = self.documents.open.get(params.text_document.uri)
        if document is None:
            return
        lines = document.lines
        changes = params.content_changes
        guessed = guess(document, changes[0]) if len(changes) == 1 else None
        for change in changes:
            if isinstance(change, types.TextDocumentContentChangePartial):
                place = change.range
                start = lines.offset(place.start.line, place.start.character)
                end = lines.offset(place.end.line, place.end.character)
                lines = lines.replace(start, end, change.text)
            else:
                lines = Lines(change.text, self.encoding)
        self.documents.edit(document, params.text_document.version, lines)
        if guessed is not None:
            self._tell(document.path, guessed)
            document.is_guess = True

    def close_text(self, params: types.DidCloseTextDocumentParams) -> None:
        document = self.documents.drop(params.text_document.uri)
        if document is not None:
            files = self.shown.pop(document.path, {})
            for path in {*files, document.path}:
                self._send(path)

    def uri_of(self, path: str) -> str:
        """Return the URI of a file: as the client wrote it where the file is open."""
        document = self.documents.by_path(path)
        return document.uri if document is not None else uri_of(path)

    def lines_of(self, path: str, analysis: Analysis) -> Lines | None:
        """Return the lines of a file as the analysis read it."""
        document = self.documents.by_path(path)
        source = analysis.result.sources.get(path)
        if source is None:
            return document.lines if document else None
        if document is not None and document.text == source.text:
            return document.lines
        return Lines(source.text, self.encoding)

    # --- diagnostics -------------------------------------------------------------------------

    def publish(self, document: OpenDocument) -> None:
        """Publish the diagnostics of a compilation, in every file it read."""
        by_file: dict[str, list[Diagnostic]] = {document.path: []}
        for item in document.analysis.result.diagnostics if document.analysis else ():
            by_file.setdefault(item.primary.file, []).append(item)
        before = self.shown.get(document.path, {})
        self.shown[document.path] = {path: tuple(items) for path, items in by_file.items()}
        for path in {*before, *by_file}:
            self._send(path)

    def _send(self, path: str) -> None:
        """Publish all diagnostics of a file: its own compilation's, else those of its readers."""
        own = self.shown.get(path, {}).get(path)
        document = self.documents.by_path(path)
        sources = [(o, files[path]) for o, files in self.shown.items() if path in files]
        if own is not None and document is not None and document.analysis is not None:
            sources = [(path, own)]
        rows: dict[Diagnostic, types.Diagnostic] = {}
        for owner, items in sources:
            reader = self.documents.by_path(owner)
            if reader is None or reader.analysis is None:
                continue
            for item in items:
                row = self.row(item, reader.analysis)
                if row is not None:
                    rows[item] = row
        self._tell(path, list(rows.values()))

    def _tell(self, path: str, rows: list[types.Diagnostic]) -> None:
        """Publish the diagnostics of a file, unless they were guessed and the guess was right."""
        document = self.documents.by_path(path)
        version = document.version if document is not None else None
        if document is not None:
            guessed, document.is_guess = document.is_guess, False
            if guessed and document.told == version and document.rows == rows:
                return
            document.told, document.rows = version, rows
        self.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(self.uri_of(path), rows, version)
        )

    def row(self, item: Diagnostic, analysis: Analysis) -> types.Diagnostic | None:
        """Return a diagnostic as the client sees it."""
        return as_diagnostic(item, cache(lambda path: self.lines_of(path, analysis)), self.uri_of)

    def report_server_error(self, error: Exception, source: object) -> None:
        """Write to the editor's log, unless the error is the answer: to the person, or to a client
        that asks for what this server does not do."""
        del source
        if not isinstance(error, RequestRefused | JsonRpcMethodNotFound | JsonRpcInvalidParams):
            text = f"internal fault: {type(error).__name__}: {error}"
            self.window_log_message(types.LogMessageParams(types.MessageType.Error, text))

    def report(self, document: OpenDocument, error: BaseException) -> None:
        """Write a bug of ours to the editor's log, once."""
        text = f"internal fault: {type(error).__name__}: {error} in {document.path}"
        self.window_log_message(types.LogMessageParams(types.MessageType.Error, text))

    # --- looking up --------------------------------------------------------------------------

    async def look(
        self, uri: str, seconds: float = SOON
    ) -> tuple[OpenDocument, Analysis, Shift | None] | None:
        """Return the document, an analysis of it and the shift from the analysis' text to the
        present one (None: the same). Without a workflow of its own it is a part of an open one that
        reads it."""
        document = self.documents.open.get(uri)
        if document is None:
            return None
        analysis = document.good
        if await wait_for_analysis(document, seconds) and document.analysis is not None:
            analysis = document.analysis
        if analysis is None or analysis.result.workflow is None:
            analysis = await self._reader_of(document) or document.good or document.whole
        if analysis is None:
            return None
        await self._warm(analysis)
        source = analysis.result.sources.files[document.path]
        same = source.text == document.text
        return document, analysis, None if same else Shift(source.text, document.text)

    async def _reader_of(self, document: OpenDocument) -> Analysis | None:
        """Return an open workflow that this document is a part of."""
        for other in list(self.documents.open.values()):
            analysis = other.analysis or other.good
            if analysis is None or document.path not in analysis.result.sources.files:
                continue
            await self._warm(analysis)
            if analysis.symbols.covers(document.path):
                return analysis
        return None

    async def _warm(self, analysis: Analysis) -> None:
        if not analysis.is_warm:
            await self.worker.run(analysis.warm)

    async def mention_at(
        self, uri: str, position: types.Position
    ) -> tuple[OpenDocument, Analysis, Mention] | None:
        """Return the mention at a position."""
        view = await self.look(uri)
        if view is None:
            return None
        document, analysis, shift = view
        offset = document.lines.offset(position.line, position.character)
        if shift is not None:
            offset = shift.to_old(offset)
        mention = analysis.symbols.at(document.path, offset)
        return None if mention is None else (document, analysis, mention)

    def location(self, span: Span, analysis: Analysis) -> types.Location | None:
        """Return a place, in the present text where its file is open."""
        source = analysis.result.sources.get(span.file)
        document = self.documents.by_path(span.file)
        if document is not None and source is not None and source.text != document.text:
            shift = Shift(source.text, document.text)
            span = Span(span.file, shift.to_new(span.start), shift.to_new(span.end))
        lines = document.lines if document is not None else self.lines_of(span.file, analysis)
        return types.Location(self.uri_of(span.file), as_range(span, lines)) if lines else None
