"""Files that expressions read: in a thread, since no event loop waits for the disk.

An expression is evaluated in one go. Where it comes to a file that was not read yet, its body is
left, the file is read, and the body begins again: it evaluates before it does anything else.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar

from ...context import HERE
from ...errors import Failure
from ...services import Files
from ...state.scope import Scope
from .visit import Body, Done, Visit

Result = TypeVar("Result")


class _NotRead(Exception):
    """A file that was not read yet."""

    def __init__(self, path: str, base: str) -> None:
        super().__init__(path)
        self.file = (path, base)


@dataclass(slots=True)
class _FilesRead:
    """The texts of files that were read, each once, or why one could not be."""

    inner: Files
    found: dict[tuple[str, str], str | Failure] = field(default_factory=dict)

    def read(self, path: str, base: str) -> str:
        if (path, base) not in self.found:
            raise _NotRead(path, base)
        text = self.found[path, base]
        if isinstance(text, Failure):
            raise text
        return text

    async def write(self, path: str, text: str, base: str) -> str:
        return await self.inner.write(path, text, base)

    async def fetch(self, path: str, base: str) -> None:
        """Read a file in a thread."""
        try:
            self.found[path, base] = await asyncio.to_thread(self.inner.read, path, base)
        except Failure as failure:
            self.found[path, base] = failure


async def with_files(scope: Scope, evaluate: Callable[[Scope], Awaitable[Result]]) -> Result:
    """Return what a function evaluates in a scope, whose files are read in a thread. It may be
    called again."""
    if scope.files is None:
        return await evaluate(scope)
    files, here = _FilesRead(scope.files), HERE.get()
    counts = dict(here.counts) if here is not None else {}
    while True:
        try:
            return await evaluate(replace(scope, files=files))
        except _NotRead as missing:
            await files.fetch(*missing.file)
            if here is not None:  # an exchange before it is met again, under its own number
                here.counts = dict(counts)


def reading(body: Body) -> Body:
    """Return a body whose expressions may read files."""

    async def run(visit: Visit, op: object) -> Done:
        return await with_files(visit.scope, partial(_in_scope, body, visit, op))

    return run


async def _in_scope(body: Body, visit: Visit, op: object, scope: Scope) -> Done:
    return await body(replace(visit, scope=scope), op)
