"""What other processes ask of the runs that are executed here (`flowc pause`, `flowc stop`): one
question to the store for all of them."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

from ..errors import RunError
from ..store.runs import RequestKind, RunStore

REQUEST_SECONDS = 0.5
"""A process looks this often whether its runs were asked to pause or to stop."""


@dataclass(frozen=True, slots=True)
class _Watched:
    """The runs of one event loop, what each does when it is asked, and the task that looks."""

    hearers: dict[str, Callable[[RequestKind], None]]
    task: asyncio.Task[None]


@dataclass(frozen=True, slots=True)
class RequestWatch:
    """Looks for requests to the runs of one store."""

    store: RunStore
    _loops: dict[asyncio.AbstractEventLoop, _Watched] = field(default_factory=dict)

    @contextlib.asynccontextmanager
    async def of(self, run: str, hear: Callable[[RequestKind], None]) -> AsyncIterator[None]:
        """Tell `hear` the first request to a run while the block runs."""
        loop = asyncio.get_running_loop()
        if loop not in self._loops:
            hearers: dict[str, Callable[[RequestKind], None]] = {}
            self._loops[loop] = _Watched(hearers, asyncio.create_task(self._look(hearers)))
        watched = self._loops[loop]
        watched.hearers[run] = hear
        try:
            yield
        finally:
            watched.hearers.pop(run, None)
            if not watched.hearers and self._loops.get(loop) is watched:
                del self._loops[loop]
                watched.task.cancel()
                await asyncio.wait([watched.task])

    async def _look(self, hearers: dict[str, Callable[[RequestKind], None]]) -> None:
        while True:
            await asyncio.sleep(REQUEST_SECONDS)
            # Whether the store is of use is found out by the nodes, not here.
            with contextlib.suppress(RunError):
                for run, kind in (await self.store.requests(list(hearers))).items():
                    if (hear := hearers.pop(run, None)) is not None:
                        hear(kind)
                        await self.store.clear_request(run)
