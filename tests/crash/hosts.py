"""The same workflow as a graph in a program of its own, which dies and is started again."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import Callable
from typing import Any

from tests.fixtures.dying import in_child

from .trials import ROUNDS, Plan, Trial, judge, verdict
from .world import ANSWER, WORKFLOW, Place

PAUSED = 4


def graph_trial(place: Place, store: str, plan: Plan) -> Trial:
    """`graph.ainvoke` with flowc's saver, killed, then called again with None, or with answers to
    what it asked, until the thread has ended."""
    trial, answers = Trial(), dict[str, Any]()
    for _ in range(ROUNDS):
        body = program(place, store, answers)
        end = in_child(body, plan.blow(trial.kills), str(place.folder))
        trial.kills += end.hit
        answers = {}
        text = (place.folder / "out").read_text()
        if end.code == 0:
            return judge(trial, place, text == f"noted answer-{ANSWER}")
        if end.code == PAUSED:
            answers = {q["id"]: _answer(q, place, trial) for q in json.loads(text)}
        elif end.code != -signal.SIGKILL:
            error = (place.folder / "err").read_text()
            trial.stuck = f"ended with {end.code}: {error[-600:]}"
            return trial
    trial.stuck = f"did not end in {ROUNDS} executions"
    return trial


def _answer(question: dict[str, Any], place: Place, trial: Trial) -> str:
    if question["kind"] == "ask":
        return ANSWER
    return verdict(question, place, trial).removeprefix("result:")


def undisturbed(place: Place, store: str) -> Callable[[], int]:
    """The thread up to its question."""
    return program(place, store, {})


def program(place: Place, store: str, answers: dict[str, Any]) -> Callable[[], int]:
    """A program that begins the thread, goes on with it, or answers. Exit code 0 when it has ended,
    4 when it asks; it prints the result or the questions."""
    return lambda: asyncio.run(_execute(place, store, answers))


async def _execute(place: Place, store: str, answers: dict[str, Any]) -> int:
    import flowc
    from flowc.runtime.state.channels import variable_values
    from langgraph.types import Command

    allowed = flowc.Permissions(commands="allow", workspace=".")
    flow = flowc.load(WORKFLOW, model="openai:demo", permissions=allowed)
    config: Any = {"configurable": {"thread_id": place.folder.name}}
    async with flowc.open_saver(store) as saver:
        graph = flow.graph(checkpointer=saver)
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
