"""Killed with SIGKILL at every point and resumed by another process: nothing is done twice."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from flowc.compiler.ir import AgentNode, AskNode, CallNode, ToolNode
from flowc.compiler.lowering.graphspec import GraphSpec
from flowc.runtime.engine.engine import open_engine
from flowc.runtime.events import RunEvent
from killing import Killed, in_process, kill_me
from ledgers import Ledger, resume, start, world_of
from specs import SUCCESS, assign, commands, lit, name, plus, program_of, workflow


def all_kinds() -> GraphSpec:
    """Every node kind with an effect, one of them twice and inside a called workflow."""

    inner = workflow(commands("deep", "five"), ToolNode(id="inside", tool="post"), SUCCESS)
    outer = workflow(
        assign("begin", N=lit(1)),
        commands("run", "one", "two", "three"),
        AgentNode(id="think", agent="worker", prompt=lit("?"), tools=("mail",), into="STATUS"),
        assign("count", N=plus(name("N"), lit(1))),
        ToolNode(id="post", tool="post"),
        CallNode(id="sub", workflow="inner", shares_sessions=True, passes_all=True),
        commands("again", "six"),
        SUCCESS,
    )
    return program_of(outer, inner=inner)


EFFECTS = [
    "$ one after []",
    "$ two after [one;]",
    "$ three after [one;two;]",
    "model think 1",
    "mail think",
    "model think 2",
    "post node",
    "$ five after [one;two;three;]",
    "post node",
    "$ six after [one;two;three;five;]",
]


WITHIN = ("run", "run", "run", "think", "think", "think", "post", "deep", "inside", "again")
"""The nodes of the effects."""


def last_started(url: str) -> str:
    async def go() -> str:
        async with open_engine(url) as engine:
            events = await engine.store.events("r")
            return [event.node for event in events if event.kind == "node_started"][-1]

    return asyncio.run(go())


def status(url: str) -> str:
    async def go() -> str:
        async with open_engine(url) as engine:
            return (await engine.store.get("r")).status

    return asyncio.run(go())


def ends_well(outcome: dict[str, Any]) -> None:
    assert outcome["status"] == "success"
    assert outcome["variables"]["N"] == 2
    assert outcome["variables"]["STATUS"] == "answer of think"
    assert outcome["variables"]["RESULT"] == "$ six\ndid six"


def test_the_workflow_has_these_effects_when_nothing_is_killed(url: str, tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger")
    ends_well(start(url, all_kinds(), ledger))
    assert ledger.done() == EFFECTS


@pytest.mark.parametrize("at", range(len(EFFECTS)))
@pytest.mark.parametrize("before", [True, False], ids=["before", "after"])
def test_killed_in_an_effect_it_is_asked_about_and_repeated_only_on_request(
    at: int, before: bool, url: str, tmp_path: Path
) -> None:
    spec, file = all_kinds(), tmp_path / "ledger"
    with pytest.raises(Killed):
        in_process(lambda: start(url, spec, Ledger(file, at, before)))
    assert in_process(lambda: status(url)) == "crashed"
    assert in_process(lambda: last_started(url)) == WITHIN[at], "what led to it is told"
    asked = in_process(lambda: resume(url, spec, Ledger(file), {}))
    assert asked["status"] == "paused"
    assert [q["kind"] for q in asked["questions"]] == ["unknown"]
    assert asked["questions"][0]["node"] in {node.id for node in every_node(spec)}
    assert Ledger(file).done() == EFFECTS[: at + (not before)], "asking repeats nothing"

    ends_well(in_process(lambda: resume(url, spec, Ledger(file), {"": "repeat"})))
    repeated = EFFECTS if before else [*EFFECTS, EFFECTS[at]]
    assert Counter(Ledger(file).done()) == Counter(repeated)


def every_node(spec: GraphSpec) -> list[Any]:
    return [*spec.nodes, *(node for _, sub in spec.subgraphs for node in sub.nodes)]


@pytest.mark.parametrize("at", range(0, 40, 2))
def test_killed_between_effects_nothing_finished_runs_again(
    at: int, url: str, tmp_path: Path
) -> None:
    spec, file = all_kinds(), tmp_path / "ledger"
    seen = 0

    def die(event: RunEvent) -> None:
        nonlocal seen
        if event.kind in ("node_started", "node_finished"):
            if seen == at:
                kill_me()
            seen += 1

    try:
        outcome = in_process(lambda: start(url, spec, Ledger(file), die))
    except Killed:
        outcome = in_process(lambda: resume(url, spec, Ledger(file), {}))
    ends_well(outcome)
    assert Ledger(file).done() == EFFECTS


def test_killed_again_and_again_the_run_still_ends(url: str, tmp_path: Path) -> None:
    spec, file = all_kinds(), tmp_path / "ledger"
    with pytest.raises(Killed):
        in_process(lambda: start(url, spec, Ledger(file, 0)))
    for at in range(2, 12, 3):
        with pytest.raises(Killed):
            in_process(lambda at=at: resume(url, spec, Ledger(file, at), {}, "repeat"))
    ends_well(in_process(lambda: resume(url, spec, Ledger(file), {}, "repeat")))
    assert set(Counter(Ledger(file).done()).values()) <= {1, 2, 3}


def test_an_effect_in_doubt_may_be_given_its_result(url: str, tmp_path: Path) -> None:
    spec, file = all_kinds(), tmp_path / "ledger"
    with pytest.raises(Killed):
        in_process(lambda: start(url, spec, Ledger(file, 5)))
    given = {"": "answer of think"}
    in_process(lambda: resume(url, spec, Ledger(file), {}))
    ends_well(in_process(lambda: resume(url, spec, Ledger(file), given)))
    assert Ledger(file).done() == EFFECTS


def test_an_effect_in_doubt_may_count_as_failed(url: str, tmp_path: Path) -> None:
    spec, file = all_kinds(), tmp_path / "ledger"
    with pytest.raises(Killed):
        in_process(lambda: start(url, spec, Ledger(file, 6)))
    in_process(lambda: resume(url, spec, Ledger(file), {}))
    outcome = in_process(lambda: resume(url, spec, Ledger(file), {"": "fail"}))
    assert (outcome["status"], outcome["error"]["node"]) == ("error", "post")
    outcome = in_process(lambda: resume(url, spec, Ledger(file), {}))
    assert outcome["status"] == "paused", "the next resume asks again"


def test_on_unknown_fail_fails_without_a_question(url: str, tmp_path: Path) -> None:
    spec, file = all_kinds(), tmp_path / "ledger"
    with pytest.raises(Killed):
        in_process(lambda: start(url, spec, Ledger(file, 1)))
    outcome = in_process(lambda: resume(url, spec, Ledger(file), {}, "fail"))
    assert outcome["status"] == "error"
    assert Ledger(file).done() == EFFECTS[:2]


@pytest.mark.parametrize(
    ("of_workflow", "of_node", "of_call", "typed", "ends"),
    [
        ("repeat", None, None, None, "success"),
        ("fail", None, None, None, "error"),
        ("fail", "repeat", None, None, "success"),
        (None, None, "repeat", None, "success"),
        (None, "ask", "repeat", None, "paused"),
        ("repeat", None, None, "ask", "paused"),
        ("fail", None, None, "repeat", "success"),
    ],
)
def test_the_workflow_says_what_is_done_about_an_effect_in_doubt(
    url: str, tmp_path: Path, of_workflow: Any, of_node: Any, of_call: Any, typed: Any, ends: str
) -> None:
    post = ToolNode(id="post", tool="post", on_unknown=of_node)
    call = CallNode(id="sub", workflow="inner", on_unknown=of_call)
    spec = program_of(
        workflow(call, SUCCESS), inner=workflow(post, SUCCESS, on_unknown=of_workflow)
    )
    file = tmp_path / "ledger"
    with pytest.raises(Killed):
        in_process(lambda: start(url, spec, Ledger(file, 0)))
    assert in_process(lambda: resume(url, spec, Ledger(file), {}, typed))["status"] == ends
    assert len(Ledger(file).done()) == (2 if ends == "success" else 1)


def asking() -> GraphSpec:
    post = ToolNode(id="post", tool="post")
    return program_of(workflow(AskNode(id="q", question=lit("Go?"), into="RESULT"), post, SUCCESS))


def test_an_answer_survives_the_crash_that_follows_it(url: str, tmp_path: Path) -> None:
    spec, file = asking(), tmp_path / "ledger"
    assert in_process(lambda: start(url, spec, Ledger(file)))["status"] == "paused"

    def answer_then_die() -> None:
        async def go() -> None:
            async with open_engine(url) as engine:

                def die(event: RunEvent) -> None:
                    if event.kind == "node_started":
                        kill_me()

                await engine.resume(
                    "r", spec, world_of(Ledger(file)), answers={"": "yes"}, listeners=(die,)
                )

        asyncio.run(go())

    with pytest.raises(Killed):
        in_process(answer_then_die)
    outcome = in_process(lambda: resume(url, spec, Ledger(file), {}))
    assert (outcome["status"], outcome["result"]) == ("success", "yes")


def test_a_second_process_is_refused_and_told_who_holds_the_run(url: str, tmp_path: Path) -> None:
    import os

    spec, file = asking(), tmp_path / "ledger"
    in_process(lambda: start(url, spec, Ledger(file)))
    taken: list[Any] = []

    def contender() -> Callable[[RunEvent], None]:
        def meddle(event: RunEvent) -> None:
            if event.kind == "node_started" and not taken:
                taken.append(None)
                with pytest.raises(AssertionError) as refused:
                    in_process(lambda: resume(url, spec, Ledger(file), {}))
                taken.append(str(refused.value))

        return meddle

    async def go() -> None:
        async with open_engine(url) as engine:
            await engine.resume(
                "r", spec, world_of(Ledger(file)), answers={"": "x"}, listeners=(contender(),)
            )

    asyncio.run(go())
    assert f"another process (pid {os.getpid()})" in taken[1]
