"""A store that is gone for a while: what was done is kept, the run waits for it or says so."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from flowc.compiler.ir import Assignment, ToolNode
from flowc.runtime.db.url import PATIENCE
from flowc.runtime.engine.engine import open_engine
from flowc.runtime.errors import RunError
from proxy import Proxy
from specs import SUCCESS, lit, program
from stores import fresh_store
from worlds import Functions, World, start

COUNT = 12
MIDDLE = COUNT // 2
Outage = Callable[[asyncio.Event], Any]


def spec() -> Any:
    """Effects that may happen once, one after another."""
    numbers = [(n, (Assignment(target="n", value=lit(n)),)) for n in range(COUNT)]
    tools = [ToolNode(id=f"t{n}", tool="note", args=args, into="RESULT") for n, args in numbers]
    return program(*tools, SUCCESS)


@asynccontextmanager
async def moved(url: str) -> AsyncIterator[tuple[str, Outage]]:
    """The file and what SQLite keeps beside it lie in another folder."""
    file = Path(url.removeprefix("sqlite:///"))
    aside = file.parent / "aside"
    aside.mkdir()

    async def away(back: asyncio.Event) -> None:
        files = [f for f in file.parent.iterdir() if f.is_file()]
        for each in files:
            each.rename(aside / each.name)
        await back.wait()
        for each in files:
            (aside / each.name).rename(each)

    yield url, away


@asynccontextmanager
async def locked(url: str) -> AsyncIterator[tuple[str, Outage]]:
    """Another program writes and does not come to an end."""

    async def away(back: asyncio.Event) -> None:
        with sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None) as other:
            other.execute("begin immediate")
            await back.wait()
            other.execute("rollback")
        other.close()

    yield url, away


@asynccontextmanager
async def unreachable(url: str) -> AsyncIterator[tuple[str, Outage]]:
    """The server's connections break, and it takes no new ones."""
    proxy = Proxy(url)

    async def away(back: asyncio.Event) -> None:
        proxy.cut()
        await back.wait()
        proxy.mend()

    async with proxy as by_proxy:
        yield by_proxy, away


OUTAGES = {"moved": moved, "locked": locked, "unreachable": unreachable}


class Gone:
    """A run in whose middle the store goes away, and what happened meanwhile."""

    def __init__(self, url: str, away: Outage, patience: float) -> None:
        self.url, self.away, self.back = url, away, asyncio.Event()
        self.patience = patience
        self.done: list[int] = []
        self.world = World(tools=Functions({"note": self.note}))
        self.begun = asyncio.Event()
        self.task: asyncio.Task[None] | None = None

    def note(self, n: int) -> int:
        self.done.append(n)
        return n

    def hear(self, event: Any) -> None:
        if event.kind == "node_started" and event.node == f"t{MIDDLE}" and self.task is None:
            self.task = asyncio.get_running_loop().create_task(self.away(self.back))
            self.begun.set()

    async def run(self) -> str:
        async with open_engine(self.url, self.patience) as engine:
            outcome = await start(engine, spec(), self.world, listeners=(self.hear,))
            kept = [e.node for e in await engine.store.events("r") if e.kind == "tool_called"]
            assert len(kept) == COUNT
            return str(outcome.status)

    async def resume(self) -> str:
        async with open_engine(self.url) as engine:
            outcome = await engine.resume("r", spec(), self.world, answers={})
            if outcome.status == "paused":  # of the one effect that was under way
                outcome = await engine.resume("r", spec(), self.world, answers={"": self.last()})
            return str(outcome.status)

    def last(self) -> int | str:
        return self.done[-1] if len(self.done) > MIDDLE else "repeat"


@asynccontextmanager
async def a_run(outage: str, folder: Path, patience: float = PATIENCE) -> AsyncIterator[Gone]:
    async with AsyncExitStack() as stack:
        kind = "postgresql" if outage == "unreachable" else "sqlite"
        url = stack.enter_context(fresh_store(kind, folder))
        by, away = await stack.enter_async_context(OUTAGES[outage](url))
        yield Gone(by, away, patience)


@pytest.mark.parametrize("outage", OUTAGES)
@pytest.mark.parametrize(
    "seconds", [0.3, pytest.param(10, marks=[pytest.mark.soak, pytest.mark.timeout(300)])]
)
def test_a_store_that_comes_back_is_waited_for(outage, seconds, tmp_path, wait) -> None:
    async def go() -> None:
        async with a_run(outage, tmp_path) as gone:
            running = asyncio.create_task(gone.run())
            await gone.begun.wait()
            await asyncio.sleep(seconds)
            assert not running.done()
            assert len(gone.done) <= MIDDLE + 1
            gone.back.set()
            assert await running == "success"
            assert gone.done == list(range(COUNT))

    wait(go())


@pytest.mark.parametrize(
    ("outage", "said"),
    [
        ("moved", "was moved, deleted or replaced"),
        ("locked", "is locked by another program"),
        ("unreachable", "cannot be reached"),
    ],
)
def test_a_store_that_stays_away_ends_the_run_which_goes_on_later(
    outage, said, tmp_path, wait
) -> None:
    async def go() -> None:
        async with a_run(outage, tmp_path, 1.0) as gone:
            with pytest.raises(RunError, match=said):
                await gone.run()
            assert gone.done in (list(range(MIDDLE)), list(range(MIDDLE + 1)))
            gone.back.set()
            assert gone.task is not None
            await gone.task
            assert await gone.resume() == "success"
            assert gone.done == list(range(COUNT))

    wait(go())
