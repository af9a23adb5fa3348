"""Status is right at every moment: random executions, looked at all the while, and each answer held
against the events of the run by a checker that knows nothing of the service."""

from __future__ import annotations

import os
import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the extra `service` is not installed")
from fleet import fleet
from openai_server import OpenAIServer, Recorded, Reply, Say

from .conftest import Opening, step
from .random_executions import Fast, Model, Real, steps_by_chance, watch_of, watching

COUNT = 500 if os.environ.get("FLOWC_FUZZ") == "soak" else 5
PATIENCE = 120.0


@pytest.fixture
def model() -> Iterator[OpenAIServer]:
    with OpenAIServer() as server:
        yield server


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
@pytest.mark.parametrize("seed", range(COUNT))
def test_status_is_what_the_events_say(
    kind: str, seed: int, opening: Opening, model: OpenAIServer
) -> None:
    """Models, people, reviews that are not content, steps that fail and begin again, pauses, and
    processes that give up at once."""
    chance, clock = random.Random(seed), Fast()
    steps = steps_by_chance(chance)
    model.answer = Model(random.Random(seed))
    around: dict[str, Any] = {"base_url": model.url, "on_unknown": "repeat", "patience": 0.0}
    config = {"max_iterations": 100, "auto_retry": chance.random() < 0.5}
    with ExitStack() as process:
        desk = process.enter_context(opening(clock, answers=0.0, **around))
        watch = watch_of(desk, clock, steps, config)
        end = time.monotonic() + PATIENCE
        with watching([watch]):
            while (status := watch.until_it_rests_or(0.2))["workflow_status"] != "completed":
                assert time.monotonic() < end, (status["failure"], status["events"])
                people = watch.of_people(status)
                if status["workflow_status"] == "failed":
                    watch.restart()
                elif people and chance.random() < 0.8:
                    watch.hand_in(chance.choice(people), chance)
                elif chance.random() < 0.3:
                    with watch.closed:
                        process.pop_all().close()
                        watch.desk = process.enter_context(opening(clock, answers=0.0, **around))
                elif chance.random() < 0.3:
                    watch.pause_for_a_moment()
        assert not (faults := watch.faults()), faults
    assert len({seen.status["event_position"] for seen in watch.seen}) > 2


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
@pytest.mark.parametrize("count", [4, pytest.param(60, marks=pytest.mark.soak)])
def test_status_is_right_while_workers_are_killed(
    kind: str, count: int, opening: Opening, model: OpenAIServer, store: str, tmp_path: Path
) -> None:
    """Processes that execute are killed all the while; another one answers."""
    chance, clock = random.Random(count), Real()
    model.answer = Model(random.Random(count))
    kills, folder = 0, tmp_path / "workers"
    folder.mkdir()
    with fleet(folder, store) as workers, opening(clock, concurrency=0, answers=0.0) as desk:
        workers.config(model.url)
        for _ in range(2):
            workers.start()
        begun = time.monotonic()
        config = {"max_iterations": 100, "auto_retry": True}
        watches = [watch_of(desk, clock, steps_by_chance(chance), config) for _ in range(count)]
        left = list(watches)
        with watching(watches, 0.03):
            while left:
                assert time.monotonic() < begun + 10 * PATIENCE + 10 * count, left[0].look()
                left = [watch for watch in left if not watch.act(chance)]
                time.sleep(0.02)
                if time.monotonic() > begun + 1 + 6 * kills:
                    victim = chance.choice([p for p in workers.processes if p.poll() is None])
                    victim.kill()
                    victim.wait()
                    workers.start()
                    kills += 1
        assert not (faults := "".join(watch.faults() for watch in watches)), faults
    assert kills > 0
    seen = sum(len(watch.seen) for watch in watches)
    print(f"{count} executions, {kills} workers killed, {seen} statuses looked at: all right")


def test_a_chain_of_models_is_told_step_by_step(opening: Opening, model: OpenAIServer) -> None:
    """While s3 ran, s0 was active, and s3 in no list; afterwards three of four had no time."""
    steps = [step("s0", "writer"), *(step(f"s{n}", "writer", f"s{n - 1}") for n in (1, 2, 3))]
    go_on = threading.Event()

    def answer(request: Recorded) -> Reply:
        last = len(model.requests) == 4
        said = {"output": "done", "score": 0.9}
        return Say(calls=[("complete_task", said)], when=go_on if last else None)

    model.answer = answer
    with opening(base_url=model.url, answers=0.0) as desk:
        id = watch_of(desk, Fast(), steps, {}).id
        until(lambda: len(model.requests) == 4)
        status = desk.status(id)
        assert [s["step_id"] for s in status["completed_steps"]] == ["s0", "s1", "s2"]
        assert [s["step_id"] for s in status["active_steps"]] == ["s3"]
        assert status["next_steps"] == []
        assert status["overall_progress"]["current_phase"] == "S3"
        go_on.set()
        until(lambda: desk.status(id)["workflow_status"] == "completed")
        status = desk.status(id)
    assert all(s["completion_time"] for s in status["completed_steps"])
    assert status["performance_metrics"]["quality_trend"] == [0.9] * 4


def test_it_is_completed_with_its_result_and_not_before(opening: Opening) -> None:
    """Between the last event and the record of the run the status said both: it goes on, and the
    event that it is completed."""
    with opening() as desk:
        id = desk.execution(steps=[step("only")])
        desk.complete(id, "only")
        before = desk.status(id)
        engine = desk.client.app.state.service.executing.engine  # type: ignore[attr-defined]
        portal = desk.client.portal
        assert portal is not None
        record = portal.call(engine.store.get, id)
        portal.call(engine.store.update, replace(record, status="running", result=None))
        status = desk.status(id)
        assert (status["workflow_status"], status["result"]) == ("executing", None)
        assert status["event_position"] == before["event_position"] - 1
        assert status["events"] == []
        portal.call(engine.store.update, record)
        assert desk.status(id) == before


def until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, "it did not come about"
        time.sleep(0.01)
