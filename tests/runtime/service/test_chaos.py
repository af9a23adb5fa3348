"""Everything that can happen to processes that execute happens to them, all the while: every
execution completes, every effect is kept once, and every status is right."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import signal
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import pytest

pytest.importorskip("fastapi", reason="the extra `service` is not installed")
import psycopg
from fleet import STEPS, Fleet, fleet, slow_model, team, template
from flowc.runtime.config.settings import Config
from flowc.runtime.service.operations.executions import open_executing
from forks import Begun
from jumping import BegunAnew, JumpingClock, jumping_clock
from own_postgres import OwnPostgres, own_postgres
from pooler import pooled
from status_by_events import Seen, Story
from stores import ask

from .conftest import Desk, Opening
from .random_executions import Real, events_of
from .served import Between, copy

SEED = int(os.environ.get("FLOWC_SEED", "16"))
WORKERS = 3
PATIENCE = 1800.0
_FAULT = "cannot be carried on"
TERMINATE = """
select pg_terminate_backend(pid) from pg_stat_activity
where datname is not null and pid != pg_backend_pid()
"""


class Cutting(Between):
    """A way to a server that can be cut: every connection that is there."""

    def __init__(self, port: int) -> None:
        self.target, self.there = port, list[socket.socket]()
        super().__init__()

    def _pass(self, near: socket.socket) -> None:
        with contextlib.suppress(OSError):  # there is nobody at the other end
            far = socket.create_connection(("127.0.0.1", self.target))
            self.there += [near, far]
            threading.Thread(target=copy, args=(near, far), daemon=True).start()
            copy(far, near)

    def cut(self) -> None:
        ends, self.there = self.there, []
        for end in ends:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


@dataclass
class Chaos:
    """What happens to workers and to their way to the store; `happened` counts it."""

    chance: random.Random
    server: OwnPostgres
    workers: Fleet
    way: Cutting
    happened: Counter[str] = field(default_factory=Counter)
    frozen: dict[Begun | BegunAnew, float] = field(default_factory=dict)
    """Workers, and until when they are stopped."""
    clocks: list[JumpingClock] = field(default_factory=list)
    """One for each worker that was begun."""
    following: float = 0.0
    """When the next thing happens."""

    def go_on(self, kills: int) -> None:
        """Mend, and let one thing happen now and then until there were so many kills."""
        self.mend()
        if self.happened["kill"] < kills and time.monotonic() > self.following:
            self.strike()
            self.following = time.monotonic() + 1.5

    def strike(self) -> None:
        """Let one thing happen."""
        strikes: dict[Callable[[], None], float] = {
            self.kill: 6,
            self.freeze: 2,
            self.terminate: 1,
            self.cut: 1,
            self.restart: 0.8,
            self.jump: 2,
        }
        (strike,) = self.chance.choices(list(strikes), list(strikes.values()))
        self.happened[strike.__name__] += 1
        strike()

    def kill(self) -> None:
        victim = self.chance.choice(self.alive)
        self.frozen.pop(victim, None)
        victim.kill()
        victim.wait()

    def freeze(self) -> None:
        victim = self.chance.choice(self.alive)
        victim.send_signal(signal.SIGSTOP)
        self.frozen[victim] = time.monotonic() + self.chance.choice((0.5, 3.0, 40.0))

    def terminate(self) -> None:
        with contextlib.suppress(psycopg.OperationalError):
            ask(self.server.url, TERMINATE)

    def cut(self) -> None:
        self.way.cut()

    def restart(self) -> None:
        self.server.restart()

    def jump(self) -> None:
        """Set every worker's clock, each to another hour."""
        for clock in self.clocks:
            clock.jump(self.chance.uniform(-48, 48))

    def mend(self) -> None:
        """Wake up whose time has come, and start as many as there were."""
        for process, until in list(self.frozen.items()):
            if time.monotonic() > until:
                del self.frozen[process]
                process.send_signal(signal.SIGCONT)
        while len(self.alive) < WORKERS:
            with contextlib.suppress(AssertionError):  # the store was away when it began
                number = len(self.clocks)
                self.clocks.append(jumping_clock(self.workers.folder / f"clock{number}"))
                self.workers.start("--concurrency", "2", clock=self.clocks[-1])

    def errors(self) -> str:
        """What workers said of faults."""
        said = ["".join(process.said) for process in self.workers.processes]
        ours = [text[text.index(_FAULT) :] for text in said if _FAULT in text]
        return "\n\n".join(text[:6000] for text in ours)

    @property
    def alive(self) -> list[Begun | BegunAnew]:
        return [process for process in self.workers.processes if process.poll() is None]


@dataclass
class Watched:
    """An execution, and every status of it that was answered."""

    id: str
    agents: dict[str, str]
    steps: list[dict[str, Any]]
    created: tuple[Any, Any]
    seen: list[Seen] = field(default_factory=list)

    def look(self, desk: Desk, clock: Real) -> str:
        """The status in a word; "" while the service cannot tell."""
        time.sleep(0.015)  # a service answers 100 requests a second
        asked = clock()
        path = f"/v1/executions/{self.id}?include_details=true&include_metrics=true"
        answer = desk.client.get(path)
        assert answer.status_code in (200, 503), answer.text
        if answer.status_code == 503:
            return ""
        self.seen.append(Seen(answer.json(), asked, clock()))
        return str(answer.json()["workflow_status"])

    def faults(self, desk: Desk) -> list[str]:
        events = events_of(desk, self.id)
        story = Story(self.steps, self.agents, (), self.created, events, ())
        return [fault for seen in self.seen for fault in story.faults_of(seen)]


@pytest.fixture
def server() -> Iterator[OwnPostgres]:
    with own_postgres() as made:
        yield made


@pytest.fixture
def store(server: OwnPostgres) -> str:
    return server.url


def begin(desk: Desk, clock: Real, count: int) -> list[Watched]:
    made = desk.post("/teams", team())
    agents = {agent["role"]: agent["agent_id"] for agent in made["agents"]}
    found = []
    for number in range(count):
        contract = template(number)
        workflow = desk.post("/workflows", contract)["workflow_id"]
        asked = {"workflow_id": workflow, "team_id": made["team_id"]}
        before = clock()
        id = desk.post("/executions", asked)["execution_id"]
        found.append(Watched(id, agents, contract["steps"], (before, clock())))
        time.sleep(0.03)
    return found


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("count", "kills"), [(12, 3), (60, 15), (200, 50)])
def test_whatever_happens_every_execution_completes(
    server: OwnPostgres, opening: Opening, tmp_path: Path, count: int, kills: int
) -> None:
    clock, folder, begun = Real(), tmp_path / "workers", time.monotonic()
    folder.mkdir()
    with (
        slow_model(4.0) as (model, slow),
        opening(clock, concurrency=0, answers=0.0, bugs=True) as desk,
        pooled(server.url, tmp_path) as pool,
    ):
        watched = begin(desk, clock, count)
        parts = urlsplit(pool)
        way = Cutting(parts.port or 0)
        url = urlunsplit(parts._replace(netloc=f"{parts.username}@127.0.0.1:{way.port}"))
        with fleet(folder, url) as workers:
            workers.config(model.url)
            chaos = Chaos(random.Random(SEED), server, workers, way)
            left = list(watched)
            while left:
                assert time.monotonic() < begun + PATIENCE, (len(left), left[0].seen[-1].status)
                failed = [each.seen[-1].status["failure"] for each in left if each.seen]
                if any(failed):
                    print([f for f in failed if f], chaos.errors(), sep="\n")
                assert not any(failed)
                chaos.go_on(kills)
                some, rest = left[:5], left[5:]
                left = rest + [w for w in some if w.look(desk, clock) != "completed"]
        faults = [fault for each in watched for fault in each.faults(desk)]
        assert not faults, (len(faults), faults[:20])
    asyncio.run(_kept_once(server.url, [each.id for each in watched]))
    seen = sum(len(each.seen) for each in watched)
    print(f"{count} executions in {time.monotonic() - begun:.0f} s, seed {SEED}: all complete")
    print(f"{dict(chaos.happened)}; {len(slow.asked)} model calls for {count * len(STEPS)} steps")
    print(f"{seen} statuses looked at: all right")
    assert chaos.happened["kill"] >= kills
    if kills >= 50:
        assert chaos.happened.keys() == {"kill", "freeze", "terminate", "cut", "restart", "jump"}


async def _kept_once(url: str, ids: list[str]) -> None:
    """Every effect is there once, and none is in doubt."""
    async with open_executing(url, Config()) as executing:
        query = "select run, status, count(*) from effects group by run, status"
        rows = await executing.db.rows(query)
    assert {row[0]: (row[1], row[2]) for row in rows} == dict.fromkeys(ids, ("done", len(STEPS)))
