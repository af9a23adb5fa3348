"""A worker that is frozen, in the midst of a transaction too, delays nobody else."""

from __future__ import annotations

import signal
import statistics
import time
from collections import defaultdict
from functools import partial
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the extra `service` is not installed")
import psycopg
from fleet import Slow, fleet, slow_model, team, template, until
from flowc.runtime.config.settings import Config
from flowc.runtime.db.postgres.connection import lock_names
from flowc.runtime.engine.signals import RunSignals
from flowc.runtime.service.operations.advance import carry_on
from flowc.runtime.service.operations.executions import Executing, open_executing
from flowc.runtime.service.records.tables import Register, TakenExecution
from forks import Begun
from jumping import BegunAnew
from stores import ask

from .conftest import Clock, Desk, Opening, same_as, step
from .conftest import team as mixed_team
from .random_executions import Real

DELAY = 1.0
"""Seconds that a frozen worker may cost anybody else."""
LOAD = 4
"""Executions that the frozen worker has. Others have room for them."""
BESIDE = 45.0
"""Seconds that it is frozen: longer than its heartbeats and its leases last."""
IN_TRANSACTION = """
select count(*) from pg_stat_activity
where state = 'idle in transaction' and datname = current_database()
"""


@pytest.fixture
def kind() -> str:
    return "postgresql"


class Measured:
    """What others do beside it, and the seconds that each took, by name."""

    def __init__(self, desk: Desk, slow: Slow) -> None:
        self.desk, self.slow = desk, slow
        self.seconds: dict[str, list[float]] = defaultdict(list)
        made = desk.post("/teams", mixed_team("analyst"))
        self.team = made["team_id"]
        self.number = 10_000

    def round(self) -> None:
        """An execution that begins with a person's step, behind which a model's comes; and one
        that begins with a model's."""
        for people_first in (True, False):
            self.number += 1
            steps = self._steps(people_first)
            workflow = self.desk.workflow(workflow_type="parallel", steps=steps)
            asked = {"workflow_id": workflow, "team_id": self.team}
            made = self._timed("create", partial(self.desk.post, "/executions", asked))
            id = str(made["execution_id"])
            if people_first:
                self._timed("complete", partial(self.desk.complete, id, "gather"))
            self._timed("take", lambda: until(self._is_asked))
            self._timed("status", partial(self.desk.status, id))
            self._timed("list", lambda: self.desk.get("/executions?status=executing"))
            self._timed("inbox", lambda: self.desk.get("/assignments"))
            self._timed("workers", lambda: self.desk.get("/workers"))
            self.desk.post(f"/executions/{id}/cancel", {"cancel_type": "immediate"})

    def _steps(self, people_first: bool) -> list[dict[str, Any]]:
        criteria = {"success_criteria": f"work <{self.number}:analyse> is done"}
        needs = ("gather",) if people_first else ()
        first = [step("gather")] if people_first else []
        return [*first, step("analyse", "analyst", *needs, **criteria)]

    def _is_asked(self) -> bool:
        return any(key.startswith(f"{self.number}:") for key, _ in list(self.slow.asked))

    def _timed(self, name: str, do: Any) -> Any:
        began = time.monotonic()
        done = do()
        self.seconds[name].append(time.monotonic() - began)
        return done


def load(desk: Desk) -> None:
    """What the frozen worker is busy with."""
    made = desk.post("/teams", team())
    for number in range(LOAD):
        workflow = desk.post("/workflows", template(number))["workflow_id"]
        desk.post("/executions", {"workflow_id": workflow, "team_id": made["team_id"]})


def freeze_in_transaction(worker: Begun | BegunAnew, store: str) -> bool:
    """Stop a worker, while it is in the midst of a transaction if that comes about soon."""
    end = time.monotonic() + 15
    while time.monotonic() < end:
        worker.send_signal(signal.SIGSTOP)
        time.sleep(0.01)
        if ask(store, IN_TRANSACTION)[0][0]:
            return True
        worker.send_signal(signal.SIGCONT)
        time.sleep(0.003)
    worker.send_signal(signal.SIGSTOP)
    return False


@pytest.mark.soak
@pytest.mark.timeout(300)
def test_a_frozen_worker_delays_nobody_else(opening: Opening, store: str, tmp_path: Path) -> None:
    folder = tmp_path / "workers"
    folder.mkdir()
    with (
        slow_model(600.0) as (model, slow),
        fleet(folder, store) as workers,
        opening(Real(), concurrency=0, answers=0.5, base_url=model.url) as desk,
    ):
        workers.config(model.url)
        frozen = workers.start("--concurrency", str(LOAD))
        load(desk)
        until(lambda: len(slow.asked) > 0)
        within = freeze_in_transaction(frozen, store)
        workers.start("--concurrency", "100")
        beside = Measured(desk, slow)
        end = time.monotonic() + BESIDE
        while time.monotonic() < end:
            beside.round()
            time.sleep(0.2)
        print(f"frozen in a transaction: {within}")
        for name, seconds in beside.seconds.items():
            usual, most = statistics.median(seconds), max(seconds)
            print(f"{name}: {len(seconds)}, median {usual:.3f} s, longest {most:.3f} s")
        excess = {n: max(s) - statistics.median(s) for n, s in beside.seconds.items()}
        assert {name: more for name, more in excess.items() if more > DELAY} == {}


def test_what_is_due_of_a_locked_execution_holds_up_nobody_else(
    opening: Opening, store: str
) -> None:
    """As one is in whose transaction a worker was frozen."""
    clock = Clock()
    with opening(clock) as desk, psycopg.connect(store) as frozen:
        late = desk.execution(config={"timeout_minutes": 60})
        until(lambda: desk.status(late)["workflow_status"] == "executing")
        frozen.execute(lock_names([f"execution {late}"]).encode())
        clock.forward(minutes=61)
        time.sleep(1.5)  # a worker looks at the clock
        began = time.monotonic()
        other = desk.execution()
        until(lambda: desk.status(other)["workflow_status"] == "executing")
        assert time.monotonic() - began < 10 * DELAY  # the lock is waited for 30 s
        frozen.rollback()
        until(lambda: desk.status(late)["workflow_status"] == "failed")


def test_a_run_that_begins_between_a_look_and_the_start_is_gone_on_with(
    opening: Opening, store: str
) -> None:
    """A worker that stood still knows of no run where another one has begun it meanwhile."""
    looked: list[bool] = []

    class Still(Register):
        async def take(self, id: str) -> TakenExecution:
            taken = await super().take(id)
            looked.append(taken.has_run)
            if len(looked) == 1:
                async with open_executing(store, Config()) as other:
                    await carry_on(other, await other.register.take(id), RunSignals())
            return taken

    class Stopping(Executing):
        @property
        def register(self) -> Register:
            return Still(self.db)

    with opening(around=lambda executing: same_as(executing, Stopping)) as desk:
        id = desk.execution()
        until(lambda: len(looked) > 1)
        assert looked[:2] == [False, True]
        for step in ("gather", "analyse", "write"):
            until(lambda step=step: step in desk.active(id))
            desk.complete(id, step)
        assert desk.status(id)["workflow_status"] == "completed"
