"""flowc's checkpointer for graphs in any program."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from ..assembly.lazy import open_engine
from ..assembly.wording import python_errors
from ..errors import RunError
from ..store.default_store import prepared_store
from ..store.open import open_location
from .arguments import path_of, store_of

if TYPE_CHECKING:
    from ..checkpoints.types import Saver
    from ..savers.thread_upkeep import ThreadUpkeep


@asynccontextmanager
async def open_saver(
    journal: str | os.PathLike[str] | None = None, *, project: str | os.PathLike[str] = ""
) -> AsyncIterator[Saver]:
    """Open a checkpointer of LangGraph's on the store of runs at the URL or file `journal`, for
    `async with`. The default is that of the folder `project`, by default the current one.

    A thread of a graph that has it is a run of that store: `flowc runs` and `flowc show` tell where
    it stands, `flowc resume` and `flow.resume` go on with it, and the graph goes on with runs of
    theirs, one process at a time. The effects of flows are kept there too, unless `flowc.load` was
    given another `journal`. What the host deletes of a thread is deleted of the run. Raise
    `RunError` when the store cannot be opened."""
    from ..db.url import locate

    with python_errors():
        store = store_of("journal", journal)
        home = Path(path_of("project", project, "a folder"))
        url = await asyncio.to_thread(prepared_store, store, None, home)
        async with open_location(locate(url)) as opened, opened.checkpointer() as saver:
            cast("ThreadUpkeep", saver).upkeep = _RunUpkeep(url)
            yield saver


@dataclass(frozen=True, slots=True)
class _RunUpkeep:
    """See `ThreadUpkeep`: deletes in the store at `url`."""

    url: str

    async def forget(self, run: str) -> None:
        async with open_engine(self.url) as engine:
            if not await engine.forget([run]):
                raise RunError(
                    f"thread {run} is being executed, so it cannot be deleted",
                    help="delete it when it has stopped",
                )

    async def compact(self, run: str) -> None:
        async with open_engine(self.url) as engine:
            if await engine.store.has(run):
                await engine.compact(run)
