"""wait: a run that waits needs no process, goes on once, and knows how late that is."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Any

import pytest
from flowc.compiler.driver import compile_text
from flowc.compiler.lowering.graphspec import GraphSpec
from flowc.runtime.context import WaitClock
from flowc.runtime.engine.engine import open_engine
from flowc.runtime.errors import RunError
from flowc.runtime.events import RunEvent
from flowc.runtime.journal.timers import due_timers, next_due
from flowc.runtime.services import Outcome
from flowc.runtime.state.waits import event_answers
from worlds import World, start

BEGAN = datetime(2026, 3, 1, 12, tzinfo=UTC).timestamp()


class Clock:
    """A clock that is set by hand; whoever waits by it finds that ten seconds have passed."""

    def __init__(self) -> None:
        self.now = BEGAN

    def time(self) -> float:
        return self.now

    def monotonic(self) -> float:
        self.now += 10
        return self.now


@pytest.fixture
def clock(world: World) -> Clock:
    made = Clock()
    world.clock = WaitClock(made.time, made.monotonic, look=0.001)
    return made


def flow(nodes: str, outputs: str = "x") -> GraphSpec:
    text = f"flow: 1\nname: w\noutputs: [{outputs}]\nnodes:\n{nodes}"
    compiled = compile_text(text, "w.flow.yaml", format="flow")
    assert compiled.ok, [d.message for d in compiled.diagnostics]
    return compiled.spec


def lasting(what: str) -> GraphSpec:
    return flow(f"  - {{name: nap, wait: {what}, into: x}}\n  - {{name: on, assign: {{y: '1'}}}}\n")


async def rows(engine: Any) -> list[tuple[Any, ...]]:
    found: list[tuple[Any, ...]] = await engine.journal_db.rows("select run, kind from timers")
    return found


def test_a_run_waits_without_a_process_and_goes_on_when_its_time_has_come(
    wait, any_store, world, clock
) -> None:
    spec, seen = lasting("2h"), list[RunEvent]()

    async def go() -> None:
        async with open_engine(any_store) as engine:
            outcome = await start(engine, spec, world)
            assert outcome.status == "paused"
            (question,) = outcome.questions
            assert (question.kind, question.node) == ("wait", "nap")
            assert question.due == "2026-03-01T14:00:00+00:00"
            assert await rows(engine) == [("r", "wait")]
            assert await next_due(engine.journal_db) == BEGAN + 7200
            clock.now = BEGAN + 7199
            assert await due_timers(engine.journal_db, clock.now) == []
            outcome = await engine.resume("r", spec, world, answers={})
            assert (outcome.status, outcome.questions) == ("paused", (question,))
        clock.now = BEGAN + 7200 + 3 * 3600
        async with open_engine(any_store) as engine:
            (due,) = await due_timers(engine.journal_db, clock.now)
            assert (due.run, due.kind, due.due, due.about["node"]) == (
                "r",
                "wait",
                BEGAN + 7200,
                "nap",
            )
            outcome = await engine.resume("r", spec, world, answers={}, listeners=(seen.append,))
            assert (outcome.status, outcome.result) == ("success", "2026-03-01T17:00:00+00:00")
            assert await rows(engine) == []

    wait(go())
    (told,) = [event.data for event in seen if event.kind == "wait_over"]
    assert told == {"due": "2026-03-01T14:00:00+00:00", "late": 10800.0, "event": ""}


def test_a_clock_that_jumps_moves_no_time(wait, url, world, clock) -> None:
    """What was set counts: neither another execution nor a clock that was set back moves it."""
    nodes = (
        "  - {name: both, assign: {}, next: [nap, who]}\n"
        "  - {name: nap, wait: 1h, into: x, next: end}\n"
        "  - {name: who, ask: Who?, into: y, next: end}\n"
    )
    spec = flow(nodes)

    async def go() -> Outcome:
        async with open_engine(url) as engine:
            outcome = await start(engine, spec, world)
            assert {q.kind for q in outcome.questions} == {"wait", "ask"}
            (who,) = [q.id for q in outcome.questions if q.kind == "ask"]
            clock.now = BEGAN - 86_400
            outcome = await engine.resume("r", spec, world, answers={who: "Ann"})
            (left,) = outcome.questions
            assert (left.kind, left.due) == ("wait", "2026-03-01T13:00:00+00:00")
            clock.now = BEGAN + 3600
            return await engine.resume("r", spec, world, answers={})

    assert wait(go()).status == "success"


def test_an_event_brings_a_value(wait, any_store, world, clock) -> None:
    spec = lasting("{event: approved}")

    async def go() -> Outcome:
        async with open_engine(any_store) as engine:
            outcome = await start(engine, spec, world)
            (question,) = outcome.questions
            assert (question.kind, question.event, question.due) == ("event", "approved", "")
            clock.now = BEGAN + 1e9
            assert await due_timers(engine.journal_db, clock.now) == []
            assert (await engine.resume("r", spec, world, answers={})).status == "paused"
            with pytest.raises(RunError, match="does not wait for an event `aproved`"):
                event_answers({"aproved": 1}, outcome.questions)
            answers = event_answers({"approved": {"by": "Ann"}}, outcome.questions)
            return await engine.resume("r", spec, world, answers=answers)

    outcome = wait(go())
    assert (outcome.status, outcome.result) == ("success", {"by": "Ann"})


@pytest.mark.parametrize("brought", [True, False])
def test_an_event_that_does_not_come_in_time_fails_the_node(
    wait, url, world, clock, brought
) -> None:
    spec = flow(
        "  - {name: gate, wait: {event: go, timeout: 1h}, into: x,"
        " on_error: {to: late, errors: timeout}}\n"
        "  - {name: done, end: success}\n"
        "  - {name: late, assign: {x: '\"nobody came\"'}}\n"
    )

    async def go() -> Outcome:
        async with open_engine(url) as engine:
            outcome = await start(engine, spec, world)
            clock.now = BEGAN + 3599 + (not brought)
            answers = {outcome.questions[0].id: "now"} if brought else {}
            return await engine.resume("r", spec, world, answers=answers)

    assert wait(go()).result == ("now" if brought else "nobody came")


def test_what_is_soon_over_is_waited_for_in_the_process(execute, world, clock) -> None:
    outcome = execute(lasting("5s"))
    assert (outcome.status, outcome.result) == ("success", "2026-03-01T12:00:20+00:00")


def test_a_time_that_has_passed_is_not_waited_for(execute, world, clock) -> None:
    assert execute(lasting('{until: "2026-03-01T10:00:00+02:00"}')).status == "success"


@pytest.mark.parametrize(
    ("what", "told"),
    [
        ('{until: "{{ v }}"}', "`soon` is not a time to wait until"),
        ("{seconds: v}", "`soon` is not a number of seconds"),
        ("{seconds: 0 - 1}", "`-1` is not a number of seconds"),
        ('{until: "{{ t }}"}', "does not say in which time zone"),
    ],
)
def test_what_is_not_a_time_fails_the_node(execute, world, clock, what, told) -> None:
    nodes = (
        "  - {name: set, assign: {v: {text: soon}, t: {text: 2026-03-01T10:00:00}}}\n"
        f"  - {{name: nap, wait: {what}, into: x}}\n"
    )
    outcome = execute(flow(nodes))
    assert outcome.status == "error"
    assert told in outcome.error["message"]


def test_of_two_processes_one_goes_on(wait, any_store, world, clock) -> None:
    """Whoever is second finds the run held, or over; what comes after the wait happens once."""
    spec = flow("  - {name: nap, wait: 1h}\n  - {name: act, exec: count, into: x}\n")

    async def one() -> str:
        async with open_engine(any_store) as engine:
            try:
                return (await engine.resume("r", spec, world, answers={})).status
            except RunError as error:
                return error.message

    async def go() -> list[str]:
        async with open_engine(any_store) as engine:
            assert (await start(engine, spec, world)).status == "paused"
        clock.now = BEGAN + 3600
        return list(await asyncio.gather(*(one() for _ in range(4))))

    ended = wait(go())
    assert ended.count("success") == 1
    assert world.shell.ran == ["count"]


def test_a_run_that_does_not_wait_any_more_has_no_timer(wait, url, world, clock) -> None:
    """A person's line leads elsewhere: the wait that was left is never over."""
    text = (
        "flow: 1\nname: w\non_input: who\nnodes:\n"
        "  - {name: nap, wait: 1h, next: end}\n"
        "  - {name: who, ask: Who?, into: y, next: end}\n"
    )
    spec = compile_text(text, "w.flow.yaml", format="flow").spec

    async def go() -> None:
        async with open_engine(url) as engine:
            await start(engine, spec, world)
            assert await rows(engine) == [("r", "wait")]
            outcome = await engine.resume("r", spec, world, answers={}, line="hello")
            assert [q.kind for q in outcome.questions] == ["ask"]
            assert await rows(engine) == []

    wait(go())


def test_a_run_that_is_forgotten_takes_its_timers_along(wait, any_store, world, clock) -> None:
    async def go() -> None:
        async with open_engine(any_store) as engine:
            await start(engine, lasting("1h"), world)
            await engine.delete("r")
            assert await rows(engine) == []

    wait(go())


def test_every_element_waits_for_itself(wait, url, world, clock) -> None:
    text = (
        "flow: 1\nname: w\noutputs: [x]\nnodes:\n"
        "  - {name: each, foreach: '[3600, 7200]', do: one, item: s, concurrency: 2, into: x}\n"
        "workflows:\n  one:\n    params: {s: number}\n    outputs: [t]\n    nodes:\n"
        "      - {name: nap, wait: {seconds: s}, into: t}\n"
    )
    spec = compile_text(text, "w.flow.yaml", format="flow").spec

    async def go() -> list[Outcome]:
        async with open_engine(url) as engine:
            outcomes = [await start(engine, spec, world)]
            for passed in (3600, 7200):
                clock.now = BEGAN + passed
                assert len(await due_timers(engine.journal_db, clock.now)) == 1
                outcomes.append(await engine.resume("r", spec, world, answers={}))
            return outcomes

    first, second, last = wait(go())
    assert [q.name for q in first.questions] == ["each#1/nap", "each#2/nap"]
    assert [q.name for q in second.questions] == ["each#2/nap"]
    assert last.result == ["2026-03-01T13:00:00+00:00", "2026-03-01T14:00:00+00:00"]


def test_a_wait_takes_no_answer(wait, url, world, clock) -> None:
    async def go() -> None:
        async with open_engine(url) as engine:
            outcome = await start(engine, lasting("1h"), world)
            with pytest.raises(RunError, match="takes no answer"):
                await engine.resume(
                    "r", lasting("1h"), world, answers={outcome.questions[0].id: "go"}
                )

    wait(go())
