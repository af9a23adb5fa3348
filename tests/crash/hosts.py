"""The same workflow as a graph in a program of its own, which dies and is started again: with
flowc's saver, or with a saver and a store of LangGraph's and no other place for effects."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from flowc.runtime.torture.hosts import RunEnding
from flowc.runtime.torture.trials import ROUNDS, KilledRun

from tests.fixtures.dying import in_folder

from .trials import BY_SIGNAL, Plan, answer_all
from .world import WORKFLOW, Place

PAUSED = 4
Keeping = Callable[[Place, str], AbstractAsyncContextManager[tuple[Any, Any]]]
"""Opens a saver, and a store of LangGraph's or None, for a store's URL."""


def graph_trial(place: Place, store: str, plan: Plan) -> KilledRun:
    """`graph.ainvoke` with flowc's saver, killed until the thread has ended."""
    return _trial(place, store, plan, flowc_keeping)


def foreign_trial(place: Place, store: str, plan: Plan) -> KilledRun:
    """The same with what LangGraph has for keeping threads."""
    return _trial(place, store, plan, foreign_keeping)


def _trial(place: Place, store: str, plan: Plan, keeping: Keeping) -> KilledRun:
    """A program that is killed, then calls the graph again with None, or with answers to what it
    asked, until the thread has ended."""
    run, answers = KilledRun(), dict[str, Any]()
    for _ in range(ROUNDS):
        body = program(place, store, answers, keeping)
        end = in_folder(body, plan.blow(len(run.died)), place.folder)
        run.died += ["by a signal"] * end.hit
        run.lines, answers = place.ledger, {}
        if end.code == 0:
            run.ending = RunEnding("success", place.text("out"))
            return run
        if end.code == PAUSED:
            answers = answer_all(json.loads(place.text("out")), run)
        elif end.code not in BY_SIGNAL:
            run.stuck = f"ended with {end.code}: {place.text('err')[-600:]}"
            return run
    run.stuck = f"did not end in {ROUNDS} executions"
    return run


def undisturbed(place: Place, store: str) -> Callable[[], int]:
    """The thread up to its question."""
    return program(place, store, {}, flowc_keeping)


def foreign_undisturbed(place: Place, store: str) -> Callable[[], int]:
    """The same with what LangGraph has for keeping threads."""
    return program(place, store, {}, foreign_keeping)


@asynccontextmanager
async def flowc_keeping(place: Place, store: str) -> AsyncIterator[tuple[Any, Any]]:
    """flowc's saver, which keeps effects too."""
    import flowc

    async with flowc.open_saver(store) as saver:
        yield saver, None


@asynccontextmanager
async def foreign_keeping(place: Place, store: str) -> AsyncIterator[tuple[Any, Any]]:
    """A saver and a store of LangGraph's; the project's own store cannot be written."""
    (place.folder / ".flowc/runs.db").mkdir(parents=True, exist_ok=True)
    if store.startswith("postgres"):
        from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
        from langgraph.store.postgres.aio import AsyncPostgresStore

        savers = AsyncPostgresSaver.from_conn_string(store)
        stores = AsyncPostgresStore.from_conn_string(store)
    else:
        from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
        from langgraph.store.sqlite.aio import AsyncSqliteStore

        savers = AsyncSqliteSaver.from_conn_string(str(place.folder / "threads.db"))
        stores = AsyncSqliteStore.from_conn_string(str(place.folder / "store.db"))
    async with savers as saver, stores as kept:
        await saver.setup()
        await kept.setup()
        yield saver, kept


def program(
    place: Place, store: str, answers: dict[str, Any], keeping: Keeping
) -> Callable[[], int]:
    """A program that begins the thread, goes on with it, or answers. Exit code 0 when it has ended,
    4 when it asks; it prints the result or the questions."""
    return lambda: asyncio.run(_execute(place, store, answers, keeping))


async def _execute(place: Place, store: str, answers: dict[str, Any], keeping: Keeping) -> int:
    import flowc
    from flowc.runtime.state.channels import variable_values
    from langgraph.types import Command

    allowed = flowc.Permissions(commands="allow", workspace=".")
    flow = flowc.load(WORKFLOW, model="openai:demo", permissions=allowed)
    config: Any = {"configurable": {"thread_id": place.folder.name}}
    async with keeping(place, store) as (saver, kept):
        graph = flow.graph(checkpointer=saver, store=kept)
        begun = await saver.aget_tuple(config) is not None
        given: Any = Command(resume=answers) if answers else None
        await graph.ainvoke(given if begun else {}, config)
        state = await graph.aget_state(config)
    if state.interrupts:
        asked = [{"id": each.id, **each.value} for each in state.interrupts]
        print(json.dumps(asked), end="", flush=True)
        return PAUSED
    print(variable_values(flow.compiled.spec, state.values)["last"], end="", flush=True)
    return 0
