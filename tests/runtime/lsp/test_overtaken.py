"""A text that is edited as soon as it has been opened: what was found of it is not lost."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from flowc.runtime.lsp.documents import CompileThread, Documents, OpenDocument
from flowc.runtime.lsp.lines import Lines
from flowc.runtime.lsp.server import FlowcServer

T = TypeVar("T")
GOOD = "flow: 1\nname: a\nnodes:\n  - {name: say, assign: {line: \"'x'\"}}\n"
BROKEN = GOOD + '  - {name: other, prompt: "{{ li'


class Overtaken(CompileThread):
    """Between the first compilation and what follows it, somebody types."""

    def __init__(self) -> None:
        super().__init__()
        self.jobs = 0
        self.types: Callable[[], None] = lambda: None

    async def run(self, job: Callable[[], T]) -> T:
        self.jobs += 1
        if self.jobs == 2:
            self.types()
        return await super().run(job)


def test_what_was_compiled_before_a_keystroke_is_known(tmp_path: Path) -> None:
    path = tmp_path / "a.flow.yaml"

    async def go() -> None:
        worker = Overtaken()
        documents = Documents(worker, lambda _: None, lambda _, error: None)
        document = OpenDocument(path.as_uri(), str(path), 1, Lines(GOOD))
        typed = asyncio.Event()

        def type_on() -> None:
            documents.edit(document, 2, Lines(BROKEN))
            typed.set()

        worker.types = type_on
        documents.put(document)
        await asyncio.wait_for(typed.wait(), 60)
        await asyncio.wait_for(document.settled.wait(), 60)
        assert document.good is None
        server = FlowcServer()
        server.documents.open[document.uri] = document
        found = await server.look(document.uri)
        assert found is not None
        assert [one.name for one in found[1].names["variable"]] == ["line"]

    asyncio.run(go())
