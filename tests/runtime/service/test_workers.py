"""Several processes on one store: nothing is lost when one dies, nothing is done by two at once."""

from __future__ import annotations

import asyncio
import re
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the extra `service` is not installed")
from fleet import STEPS, Fleet, Slow, begin, fleet, slow_model, team, template, until
from flowc.compiler.ir import Agent
from flowc.runtime.config.settings import Config
from flowc.runtime.db.fence import NotHeld
from flowc.runtime.engine.engine import Engine
from flowc.runtime.engine.signals import RunSignals
from flowc.runtime.errors import RunError, StoreAway, StoreFailed
from flowc.runtime.service.operations import advance as carrying
from flowc.runtime.service.operations.correspondence import Correspondence
from flowc.runtime.service.operations.executions import Executing, open_executing
from flowc.runtime.service.records.messages import Messages, StoredMessage
from flowc.runtime.service.records.tables import StoredAssignment, StoredExecution
from flowc.runtime.services import Outcome
from openai_server import Hang
from pooler import pooled
from ports import free_port
from stores import KINDS

from .conftest import Desk, Opening, engine_as

PATIENCE = 180.0


@pytest.fixture
def kind() -> str:
    return "postgresql"


@pytest.fixture
def workers(store: str, tmp_path: Path) -> Iterator[Fleet]:
    with fleet(tmp_path, store) as found:
        yield found


async def all_completed(executing: Executing, ids: list[str], patience: float = PATIENCE) -> None:
    """Wait until nothing is left to do, then look at each."""
    for id in ids:
        assert await executing.wait_for_rest(id, patience)
        execution = await executing.register.get(StoredExecution, id, None)
        standing = await executing.standing(execution)
        assert standing.status == "completed", (id, standing.status, standing.failure())
        assert standing.done_steps == set(STEPS)


async def effects_once(executing: Executing, ids: list[str]) -> None:
    """Every model call of every execution was kept once, and none is in doubt."""
    rows = await executing.db.rows("select run, status, count(*) from effects group by run, status")
    assert {row[0]: (row[1], row[2]) for row in rows} == dict.fromkeys(ids, ("done", len(STEPS)))


async def kept(executing: Executing) -> set[str]:
    """The steps whose answer is kept."""
    rows = await executing.db.rows("select result from effects where status = 'done'")
    return {key for row in rows for key in re.findall(r"did (\d+:\w+)", row[0])}


async def killed_on_the_way(
    workers: Fleet, config: Config, slow: Slow, count: int, kills: int
) -> None:
    """Workers are killed while they execute and while news wait behind what they execute; all
    executions complete all the same."""
    async with open_executing(workers.url, config) as executing:
        ids = await begin(executing, count)
        done: list[tuple[set[str], float]] = []
        for number in range(kills):
            share = (number + 1) * count * len(STEPS) // (kills + 2)
            await asyncio.to_thread(until, lambda share=share: len(slow.asked) >= share, PATIENCE)
            for id in ids:
                async with executing.news(id):
                    pass
            workers.kill(workers.processes[number], slow)
            done.append((await kept(executing), time.monotonic()))
        await all_completed(executing, ids, 1800)
        await effects_once(executing, ids)
    assert slow.unexplained() == {}
    assert [keys & slow.since(moment) for keys, moment in done] == [set()] * kills


def test_a_killed_worker_loses_nothing(workers: Fleet) -> None:
    with slow_model(0.3) as (server, slow):
        config = workers.config(server.url)
        for _ in range(2):
            workers.start("--concurrency", "4")
        asyncio.run(killed_on_the_way(workers, config, slow, 8, 1))


def test_a_worker_and_a_service_behind_a_pool(store: str, tmp_path: Path) -> None:
    """Whose sessions are another one's in each transaction, so that nobody is told of news."""

    async def body(url: str, config: Config) -> None:
        async with open_executing(url, config) as executing:
            ids = await begin(executing, 3)
            await all_completed(executing, ids)
            await effects_once(executing, ids)

    with (
        pooled(store, tmp_path) as pool,
        fleet(tmp_path, pool) as workers,
        slow_model(0.0) as (server, _),
    ):
        config = workers.config(server.url)
        workers.start()
        asyncio.run(body(pool, config))


def test_the_first_sigterm_lets_steps_finish_and_another_worker_goes_on(workers: Fleet) -> None:
    async def body(config: Config, slow: Slow) -> None:
        async with open_executing(workers.url, config) as executing:
            ids = await begin(executing, 2)
            await asyncio.to_thread(until, lambda: len(slow.asked) >= 6)
            first.send_signal(signal.SIGTERM)
            await asyncio.to_thread(until, lambda: "once more gives up" in str(first.said))
            answering.set()
            assert await asyncio.to_thread(first.wait, PATIENCE) == 0
            assert Counter(key.partition(":")[2] for key, _ in slow.asked) == {
                "left": 2,
                "right": 2,
                "far": 2,
            }
            workers.start()
            await all_completed(executing, ids)
            await effects_once(executing, ids)
        assert slow.repeated == {}

    answering = threading.Event()
    with slow_model(0.0) as (server, slow):
        slow.when = answering
        config = workers.config(server.url, "ask")
        first = workers.start()
        asyncio.run(body(config, slow))


def test_the_second_signal_gives_up_at_once(workers: Fleet) -> None:
    async def body(config: Config, slow: Slow) -> None:
        async with open_executing(workers.url, config) as executing:
            (id,) = await begin(executing, 1)
            await asyncio.to_thread(until, lambda: len(slow.asked) >= 3)
            first.send_signal(signal.SIGTERM)
            await asyncio.to_thread(until, lambda: "once more gives up" in str(first.said))
            assert first.poll() is None
            first.send_signal(signal.SIGTERM)
            assert await asyncio.to_thread(first.wait, PATIENCE) == 130
            assert await executing.due.has(id), "there is still something to do, for others"

    with slow_model(600.0) as (server, slow):
        config = workers.config(server.url)
        first = workers.start()
        asyncio.run(body(config, slow))


@pytest.mark.parametrize("kind", KINDS)
class TestTwoServices:
    """One of them executes nothing, and both can be asked for everything."""

    def test_what_is_asked_of_one_reaches_the_run_in_the_other(self, opening: Opening) -> None:
        with slow_model(0.0) as (server, slow):
            server.answer = lambda request: Hang() if len(server.requests) == 1 else slow(request)
            with (
                opening(concurrency=0, base_url=server.url) as front,
                opening(base_url=server.url) as back,
            ):
                team_id = front.post("/teams", team())["team_id"]
                workflow = front.post("/workflows", template(7))["workflow_id"]
                asked = {"workflow_id": workflow, "team_id": team_id}
                id = str(front.post("/executions", asked)["execution_id"])
                until(lambda: len(server.requests) == 3)
                held = front.post(f"/executions/{id}/pause", {"pause_type": "immediate"})
                assert back.status(id)["workflow_status"] == "paused"
                token = {"resume_token": held["resume_token"]}
                back.post(f"/executions/{id}/resume", token)
                assert front.post(f"/executions/{id}/resume", token, 409)["success"] is False
                until(lambda: front.status(id)["questions"] != [])
                until(lambda: _settled(front, id) and back.status(id)["result"] is not None)
                assert back.status(id)["workflow_status"] == "completed"

    def test_an_assignment_is_completed_through_one_of_them(self, opening: Opening) -> None:
        with opening(concurrency=0) as front, opening() as back:
            id = front.execution()
            assert list(back.active(id)) == ["gather"]
            first = front.active(id)["gather"]
            assert front.complete(id, "gather")["triggers_next_steps"] == ["analyse"]
            body = {"assignment_id": first, "completion_data": {"status": "completed"}}
            told = back.post(f"/executions/{id}/completions", body, 404)
            assert told["error_code"] == "ASSIGNMENT_NOT_FOUND"
            back.complete(id, "analyse")
            front.complete(id, "write")
            assert back.status(id)["workflow_status"] == "completed"


def test_a_process_that_dies_after_the_end_of_a_run_leaves_its_figures(
    opening: Opening, store: str
) -> None:
    async def dies_at_the_end(config: Config) -> None:
        """As far as a process gets that dies there."""
        async with open_executing(store, config) as executing:
            taken = await executing.register.take(id)
            outcome = await carrying.carry_on(executing, taken, RunSignals())
            assert outcome is not None
            assert outcome.status == "success"

    with slow_model(0.0) as (server, _), opening(base_url=server.url, concurrency=0) as desk:
        team_id = desk.post("/teams", team())["team_id"]
        workflow = desk.post("/workflows", template(1))["workflow_id"]
        asked = {"workflow_id": workflow, "team_id": team_id}
        id = str(desk.post("/executions", asked)["execution_id"])
        asyncio.run(dies_at_the_end(Config(base_url=server.url)))
        status = desk.status(id)
    steps = status["completed_steps"]
    assert [s["step_id"] for s in steps if s["completion_time"]] == list(STEPS)
    assert status["performance_metrics"]["quality_trend"] == [0.9] * len(STEPS)
    assert status["active_steps"] == status["next_steps"] == []


def test_what_was_given_to_another_meanwhile_is_not_completed(store: str) -> None:
    """What a process read before another one wrote it anew is not written over that."""
    given = StoredAssignment(
        execution="ex-1", number=0, id="as-1", step="s", agent="a", person=False
    )

    async def go() -> None:
        async with open_executing(store, Config()) as executing:
            old = await executing.register.assign(given)
            await executing.register.assign(replace(given, id="as-2", agent="b", person=True))
            assert not await executing.register.change_open(replace(old, status="completed"))
            known = await executing.register.assignments("ex-1")
            assert [(a.id, a.status) for a in known] == [
                ("as-1", "superseded"),
                ("as-2", "assigned"),
            ]

    asyncio.run(go())


def test_of_two_responses_at_once_one_is_the_last_word(store: str) -> None:
    agents = {id: Agent(id=id, role=id, person=True) for id in ("ana", "ben")}

    async def go() -> None:
        async with open_executing(store, Config()) as executing:
            team = Correspondence("ex-1", agents, Messages(executing.db), executing.clock)

            async def respond(text: str) -> bool:
                said = StoredMessage(sender="ben", text=text, response_status="completed")
                return (await team.respond(asked.id, said))[1]

            question = StoredMessage(
                sender="ana", text="?", recipients=["ben"], requires_response=True
            )
            asked = await team.send(question)
            told = await asyncio.gather(*(respond(text) for text in "abc"))
            assert sorted(told) == [False, False, True]

    asyncio.run(go())


@pytest.mark.parametrize(
    "error",
    [
        NotHeld("run is being executed by another process"),
        StoreAway("the store went away"),
        StoreFailed("the store cannot be reached: terminating connection"),
    ],
)
def test_a_run_that_cannot_be_carried_on_now_is_looked_at_now_and_then(
    opening: Opening, error: RunError
) -> None:
    tried: list[float] = []

    class HeldTwice(Engine):
        async def start(self, *args: Any, **named: Any) -> Outcome:
            tried.append(time.monotonic())
            if len(tried) < 3:
                raise error
            return await super().start(*args, **named)

    with opening(around=lambda e: replace(e, engine=engine_as(e.engine, HeldTwice))) as desk:
        id = desk.execution()
        until(lambda: len(tried) >= 3)
        assert min(after - before for before, after in pairwise(tried)) >= 0.99
        until(lambda: "gather" in desk.active(id))
        desk.complete(id, "gather")


def _settled(desk: Desk, id: str) -> bool:
    """Whatever was under way at the pause is asked for again, once the run rests."""
    questions = desk.status(id)["questions"]
    for question in questions:
        path = f"/v1/executions/{id}/questions/{question['question_id']}"
        desk.client.post(path, json={"answer": "repeat"})
    return not questions


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("command", ["worker", "serve"])
def test_200_executions_survive_two_kills(workers: Fleet, command: str) -> None:
    """Four workers, or two services of which one is killed and started again."""
    with slow_model(0.5) as (server, slow):
        config = workers.config(server.url)
        for _ in range(4 if command == "worker" else 2):
            ports = ("--port", str(free_port())) if command == "serve" else ()
            workers.start("--concurrency", "8", *ports, command=command)
        begun = time.monotonic()
        kills = 2 if command == "worker" else 1
        asyncio.run(killed_on_the_way(workers, config, slow, 200, kills))
    repeated = len(slow.repeated)
    print(f"200 executions, {command}, {kills} killed: {time.monotonic() - begun:.0f} s,")
    print(f"{len(slow.asked)} model calls, {repeated} of them repeated after a kill")


class Away:
    """Tools of a run whose store goes away as they are opened."""

    async def open(self) -> None:
        raise StoreFailed("the store went away")


def without_tools(services: Any, *about: Any) -> Any:
    return replace(services(*about), tools=Away())


@pytest.mark.parametrize("kind", KINDS)
def test_an_execution_that_its_store_cut_off_goes_on_and_has_not_failed(opening: Opening) -> None:
    """It failed for good when the server ended the connection of a transaction."""
    failing = threading.Event()

    class Failing(Engine):
        async def resume(self, run: str, spec: Any, services: Any, **named: Any) -> Outcome:
            if not failing.is_set():
                return await super().resume(run, spec, partial(without_tools, services), **named)
            return await super().resume(run, spec, services, **named)

    around = {"around": lambda e: replace(e, engine=engine_as(e.engine, Failing))}
    with opening(answers=0.1, **around) as desk:
        id = desk.execution()
        until(lambda: "gather" in desk.active(id))
        body = {"assignment_id": desk.active(id)["gather"]}
        body["completion_data"] = {"status": "completed", "output": "done"}  # type: ignore[assignment]
        desk.client.post(f"/v1/executions/{id}/completions", json=body)
        engine = desk.client.app.state.service.executing.engine  # type: ignore[attr-defined]
        assert desk.client.portal is not None
        kept = partial(desk.client.portal.call, engine.store.get, id)
        until(lambda: kept().status == "interrupted")
        assert desk.status(id)["workflow_status"] == "executing"
        for status, count in (("executing", 1), ("failed", 0)):
            assert len(desk.get(f"/executions?status={status}")["executions"]) == count
        failing.set()
        until(lambda: "analyse" in desk.active(id))
        assert desk.status(id)["workflow_status"] == "executing"
