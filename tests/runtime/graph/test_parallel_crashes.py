"""Killed with several effects in flight: each is asked about, nothing else is done twice."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from flowc.compiler.ir import Assignment, ForeachNode, Param, StateField, ToolNode
from flowc.compiler.lowering.graphspec import GraphSpec
from flowc.runtime.engine.engine import open_engine
from killing import Killed, in_process, kill_me
from ledgers import Ledger, resume, start, world_of
from specs import RESULT, STATE, SUCCESS, N, edges, lit, name, point, program, program_of, workflow

OUT = StateField(name="OUT", type="any")


def to(value: Any) -> tuple[Assignment, ...]:
    return (Assignment(target="to", value=value),)


def fork() -> GraphSpec:
    return program(
        point("a"),
        ToolNode(id="b", tool="mail", args=to(lit("b")), into="RESULT"),
        ToolNode(id="c", tool="mail", args=to(lit("c")), into="N"),
        point("d", "all"),
        SUCCESS,
        edges=edges("a > b c\nb > d\nc > d\nd > SUCCESS"),
        state=(RESULT, N),
    )


def killed_with_both_in_flight(url: str, file: Path) -> None:
    """Both calls have begun when the process dies."""
    inside: list[str] = []

    async def go() -> None:
        world = world_of(Ledger(file))

        async def call(tool: str, args: dict[str, Any]) -> Any:
            inside.append(args["to"])
            if len(inside) == 2:
                kill_me()
            await asyncio.sleep(60)

        world.tools.call = call  # type: ignore[method-assign]
        async with open_engine(url) as engine:
            await engine.start(fork(), world, run="r", inputs={}, options={})

    with pytest.raises(Killed):
        in_process(lambda: asyncio.run(go()))


def test_two_effects_in_flight_are_both_in_doubt(url: str, tmp_path: Path) -> None:
    spec, file = fork(), tmp_path / "ledger"
    killed_with_both_in_flight(url, file)
    asked = in_process(lambda: resume(url, spec, Ledger(file), {}))
    questions = {q["node"]: q for q in asked["questions"]}
    assert {node: q["kind"] for node, q in questions.items()} == {"b": "unknown", "c": "unknown"}
    assert Ledger(file).done() == []

    repeat = {questions["b"]["id"]: "repeat"}
    asked = in_process(lambda: resume(url, spec, Ledger(file), repeat))
    assert [q["node"] for q in asked["questions"]] == ["c"]
    outcome = in_process(lambda: resume(url, spec, Ledger(file), {"": "it was sent"}))
    assert (outcome["status"], outcome["result"]) == ("success", {"sent": True})
    assert outcome["variables"]["N"] == "it was sent"
    assert Ledger(file).done() == ["mail b"]


def test_two_effects_in_flight_may_both_be_repeated(url: str, tmp_path: Path) -> None:
    spec, file = fork(), tmp_path / "ledger"
    killed_with_both_in_flight(url, file)
    outcome = in_process(lambda: resume(url, spec, Ledger(file), {}, "repeat"))
    assert outcome["status"] == "success"
    assert sorted(Ledger(file).done()) == ["mail b", "mail c"]


@pytest.mark.parametrize("at", range(2))
def test_the_effect_that_was_done_beside_the_killed_one_stays_done(
    at: int, url: str, tmp_path: Path
) -> None:
    spec, file = fork(), tmp_path / "ledger"
    with pytest.raises(Killed):
        in_process(lambda: start(url, spec, Ledger(file, at, before=True)))
    outcome = in_process(lambda: resume(url, spec, Ledger(file), {}, "repeat"))
    assert outcome["status"] == "success"
    assert sorted(Ledger(file).done()) == ["mail b", "mail c"]


def loop(concurrency: int) -> GraphSpec:
    inner = workflow(
        ToolNode(id="first", tool="mail", args=to(name("ITEM"))),
        ToolNode(id="second", tool="post", args=to(name("ITEM"))),
        point("out", OUT=name("ITEM")),
        SUCCESS,
        params=(Param(name="ITEM", type="any"),),
        outputs=("OUT",),
        state=(OUT,),
    )
    each = ForeachNode(
        id="each",
        items=lit([f"n{n}" for n in range(5)]),
        workflow="inner",
        item="ITEM",
        into="RESULT",
        concurrency=concurrency,
    )
    return program_of(workflow(each, SUCCESS, state=STATE), inner=inner)


EFFECTS = [f"{tool} n{n}" for n in range(5) for tool in ("mail", "post")]


@pytest.mark.parametrize("concurrency", [1, 3])
@pytest.mark.parametrize("at", range(0, 10, 3))
@pytest.mark.parametrize("before", [True, False], ids=["before", "after"])
def test_elements_go_on_where_they_were(
    concurrency: int, at: int, before: bool, url: str, tmp_path: Path
) -> None:
    spec, file = loop(concurrency), tmp_path / "ledger"
    with pytest.raises(Killed):
        in_process(lambda: start(url, spec, Ledger(file, at, before)))
    happened = Ledger(file).done()
    outcome = in_process(lambda: resume(url, spec, Ledger(file), {}, "repeat"))
    assert outcome["status"] == "success"
    assert outcome["result"] == [f"n{n}" for n in range(5)]
    assert outcome["nodes"] == 1 + 5 * 4 + 1
    twice = Counter(Ledger(file).done()) - Counter(EFFECTS)
    assert set(Ledger(file).done()) == set(EFFECTS)
    assert sum(twice.values()) <= (0 if before else 1), twice
    assert set(twice) <= set(happened[-1:])


def test_an_effect_in_doubt_in_an_element_is_asked_about_by_its_number(
    url: str, tmp_path: Path
) -> None:
    spec, file = loop(1), tmp_path / "ledger"
    with pytest.raises(Killed):
        in_process(lambda: start(url, spec, Ledger(file, 4)))
    asked = in_process(lambda: resume(url, spec, Ledger(file), {}))
    (question,) = asked["questions"]
    assert (question["node"], question["path"]) == ("first", ["each#3"])
    assert in_process(lambda: resume(url, spec, Ledger(file), {"": "known"}))["status"] == "success"
    assert Counter(Ledger(file).done()) == Counter(EFFECTS)
