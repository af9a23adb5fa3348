"""Open documents: their present texts, and when they are compiled again."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TypeVar

from flowc.compiler.driver import Cancelled
from lsprotocol import types

from .analysis import Analysis, analyse
from .lines import Lines

T = TypeVar("T")
SHORTEST_WAIT, LONGEST_WAIT = 0.03, 1.0
"""Seconds without a keystroke before a text is compiled; one that takes `SLOW` waits longer."""
SLOW = 0.5


class CompileThread:
    """One thread beside the loop for everything slow, one job after another."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1, "flowc-compile")

    async def run(self, job: Callable[[], T]) -> T:
        """Return what `job` returns, or raise what it raises."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, job)


@dataclass
class OpenDocument:
    """One open document. `analysis` is that of the last compiled version, `whole` the last one with
    a workflow, `good` the last of these that is warm; `settled` is set while the analysis is that
    of the present text. `told` is the version whose diagnostics the client has, `rows` are they;
    with `is_guess` no compilation has confirmed them yet."""

    uri: str
    path: str
    version: int
    lines: Lines
    analysis: Analysis | None = None
    whole: Analysis | None = None
    good: Analysis | None = None
    is_workflow: bool = False
    seconds: float = 0.0
    edits: int = 0
    told: int | None = None
    rows: list[types.Diagnostic] = field(default_factory=list)
    is_guess: bool = False
    settled: asyncio.Event = field(default_factory=asyncio.Event)
    timer: asyncio.TimerHandle | None = None
    task: asyncio.Task[None] | None = None

    @property
    def text(self) -> str:
        return self.lines.body


class Documents:
    """All open documents, by URI. `on_compiled` gets each compiled document, `on_failure` one
    where flowc itself failed."""

    def __init__(
        self,
        worker: CompileThread,
        on_compiled: Callable[[OpenDocument], None],
        on_failure: Callable[[OpenDocument, BaseException], None],
    ) -> None:
        self.worker = worker
        self.on_compiled = on_compiled
        self.on_failure = on_failure
        self.open: dict[str, OpenDocument] = {}

    def texts(self) -> dict[str, str]:
        """Return the texts of open documents by path, which stand in for the disk."""
        return {document.path: document.text for document in self.open.values()}

    def by_path(self, path: str) -> OpenDocument | None:
        """Return the open document of a file."""
        return next((d for d in self.open.values() if d.path == path), None)

    def put(self, document: OpenDocument) -> None:
        """Open a document and compile it now."""
        self.open[document.uri] = document
        self.refresh(document, 0)
        self._refresh_users(document)

    def drop(self, uri: str) -> OpenDocument | None:
        """Close a document: others see the file on disk again."""
        document = self.open.pop(uri, None)
        if document is not None:
            document.edits += 1
            if document.timer is not None:
                document.timer.cancel()
            self._refresh_users(document)
        return document

    def edit(self, document: OpenDocument, version: int, lines: Lines) -> None:
        """Replace the text of a document and compile it when the typing pauses."""
        changed = lines.body != document.text
        document.version, document.lines = version, lines
        if changed or document.analysis is None:
            slow = document.seconds > SLOW
            self.refresh(document, min(document.seconds, LONGEST_WAIT) if slow else SHORTEST_WAIT)
            self._refresh_users(document)

    def refresh(self, document: OpenDocument, wait: float) -> None:
        """Compile after `wait` seconds, and give up a compilation of an older text."""
        document.edits += 1
        document.settled.clear()
        if document.timer is not None:
            document.timer.cancel()
        loop = asyncio.get_running_loop()
        document.timer = loop.call_later(wait, self._begin, document, document.edits)

    def _refresh_users(self, document: OpenDocument) -> None:
        """Compile the documents again that read this one."""
        name = os.path.basename(document.path)
        for other in self.open.values():
            if other is not document and other.is_workflow and name in other.text:
                self.refresh(other, max(SHORTEST_WAIT, other.seconds))

    def _begin(self, document: OpenDocument, edit: int) -> None:
        def report(task: asyncio.Task[None]) -> None:
            error = None if task.cancelled() else task.exception()
            if error is not None:
                self.on_failure(document, error)

        document.task = asyncio.get_running_loop().create_task(self._compile(document, edit))
        document.task.add_done_callback(report)

    async def _compile(self, document: OpenDocument, edit: int) -> None:
        path, version, text = document.path, document.version, document.text
        texts: Mapping[str, str] = self.texts()
        begin = time.perf_counter()

        def work() -> Analysis | None:
            return analyse(path, version, text, texts, lambda: document.edits != edit)

        try:
            if document.edits != edit:
                return
            analysis = await self.worker.run(work)
        except Cancelled:
            return
        if document.edits != edit:
            return
        document.seconds = time.perf_counter() - begin
        document.analysis = analysis
        document.is_workflow = document.is_workflow or analysis is not None
        if analysis is not None and analysis.result.workflow is not None:
            document.whole = analysis
        document.settled.set()
        self.on_compiled(document)
        if analysis is not None and analysis is document.whole:
            await self._warm(document, analysis, edit)

    async def _warm(self, document: OpenDocument, analysis: Analysis, edit: int) -> None:
        """Prepare what requests will need, unless there is a newer text by now."""

        def work() -> None:
            if document.edits == edit:
                analysis.warm()

        await self.worker.run(work)
        if analysis.is_warm:
            document.good = analysis


async def wait_for_analysis(document: OpenDocument, seconds: float) -> bool:
    """Wait for the analysis of the present text, at most so long. Return whether there is one."""
    try:
        await asyncio.wait_for(document.settled.wait(), seconds)
    except TimeoutError:
        return False
    return True
