"""A service in this process, spoken to over HTTP: everything but the socket is real."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the extra `service` is not installed")
from fastapi.testclient import TestClient
from flowc.runtime.assembly.reach import Reaches
from flowc.runtime.config.settings import Config
from flowc.runtime.engine.engine import Engine
from flowc.runtime.service.api.context import Service
from flowc.runtime.service.lifecycle import open_service
from flowc.runtime.service.operations.executions import Executing, open_executing
from stores import fresh_store

from .apps import app_with

ANSWERS_WAIT = 120.0
"""Seconds: an answer tells what came of it however busy the machine is."""
ROLES = ("researcher", "analyst", "synthesizer")


class Clock:
    """A clock that goes on only when a test says so."""

    def __init__(self) -> None:
        self.now = datetime(2026, 5, 1, 9, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def forward(self, **by: float) -> None:
        self.now += timedelta(**by)


class Desk:
    """A client with the steps that most tests begin with."""

    def __init__(self, client: TestClient, clock: Clock) -> None:
        self.client = client
        self.clock = clock

    def post(self, path: str, body: Any, status: int = 200, **headers: str) -> dict[str, Any]:
        answer = self.client.post(f"/v1{path}", json=body, headers=headers)
        assert answer.status_code == status, answer.text
        told: dict[str, Any] = answer.json()
        assert told["success"] is (status == 200)
        return told

    def get(self, path: str, status: int = 200, **headers: str) -> dict[str, Any]:
        answer = self.client.get(f"/v1{path}", headers=headers)
        assert answer.status_code == status, answer.text
        told: dict[str, Any] = answer.json()
        return told

    def workflow(self, **fields: Any) -> str:
        return str(self.post("/workflows", contract(**fields))["workflow_id"])

    def team(self, *models: str, roles: tuple[str, ...] = ROLES) -> tuple[str, dict[str, str]]:
        """A team of people, but for the roles in `models`; and the ids of its agents by role."""
        made = self.post("/teams", team(*models, roles=roles))
        return made["team_id"], {agent["role"]: agent["agent_id"] for agent in made["agents"]}

    def execution(self, *models: str, config: dict[str, Any] | None = None, **fields: Any) -> str:
        id, _ = self.team(*models)
        asked = {"workflow_id": self.workflow(**fields), "team_id": id}
        if config:
            asked["execution_config"] = config  # type: ignore[assignment]
        return str(self.post("/executions", asked)["execution_id"])

    def status(self, id: str) -> dict[str, Any]:
        return self.get(f"/executions/{id}?include_details=true&include_metrics=true")

    def active(self, id: str) -> dict[str, str]:
        """The assignments that wait, by step."""
        return {a["step_id"]: a["assignment_id"] for a in self.status(id)["active_steps"]}

    def complete(self, id: str, step: str, expect: int = 200, **data: Any) -> dict[str, Any]:
        handoff = data.pop("handoff", {})
        body = {
            "assignment_id": self.active(id)[step],
            "completion_data": {"status": "completed", "output": f"{step} done", **data},
            "handoff_data": handoff,
        }
        return self.post(f"/executions/{id}/completions", body, expect)


def step(id: str, role: str = "researcher", *needs: str, **fields: Any) -> dict[str, Any]:
    return {
        "step_id": id,
        "step_name": id.capitalize(),
        "step_type": "task",
        "required_role": role,
        "estimated_duration": 10,
        "dependencies": list(needs),
        "success_criteria": f"{id} is right",
        "failure_handling": "say why",
        **fields,
    }


STEPS = [
    step("gather"),
    step("analyse", "analyst", "gather"),
    step("write", "synthesizer", "analyse"),
]


def contract(**fields: Any) -> dict[str, Any]:
    return {
        "workflow_name": "Study",
        "workflow_type": "sequential",
        "description": "A study",
        "steps": STEPS,
        "quality_gates": [],
        **fields,
    }


def team(*models: str, roles: tuple[str, ...] = ROLES) -> dict[str, Any]:
    def role(name: str) -> dict[str, Any]:
        kind = {} if name in models else {"type": "person"}
        config = {"model": "gpt-5-mini", "tools": [], "instructions": f"You are the {name}."}
        return {"role_name": name, "agent_config": config, **kind}

    return {
        "team_name": "Three",
        "team_type": "research",
        "agent_roles": [role(name) for name in roles],
        "workflow_config": {"type": "sequential", "max_iterations": 3, "timeout_minutes": 60},
    }


def gate(score: float, kind: str = "quality_check") -> list[dict[str, Any]]:
    about = {"gate_id": "good", "gate_type": kind, "criteria": "It is good"}
    return [{**about, "required_score": score}]


def same_as(executing: Executing, kind: type[Executing]) -> Executing:
    """The same executions, with the methods of another class."""
    return kind(*(getattr(executing, field.name) for field in fields(Executing)))


def engine_as(engine: Engine, kind: type[Engine]) -> Engine:
    """The same engine, with the methods of another class."""
    return kind(engine.store, engine.saver, engine.journal_db, engine.watch)


Opening = Callable[..., contextlib.AbstractContextManager[Desk]]


@pytest.fixture
def kind() -> str:
    """The kind of store; a test that is about several is parametrised with it."""
    return "sqlite"


@pytest.fixture
def store(kind: str, tmp_path: Path) -> Iterator[str]:
    with fresh_store(kind, tmp_path) as url:
        yield url


@pytest.fixture
def opening(store: str, tmp_path: Path) -> Opening:
    """Opens the service on one store, as often as a test restarts it. What `around` returns takes
    the place of the executions: some that count, or fail, or die. With `bugs` an exception of the
    service's is an answer, as for everybody outside of tests."""

    @contextlib.contextmanager
    def open_desk(
        clock: Clock | None = None,
        trusted: bool = True,
        concurrency: int = 20,
        patience: float = 10.0,
        answers: float = ANSWERS_WAIT,
        around: Callable[[Executing], Executing] = lambda executing: executing,
        reaches: Reaches | None = None,
        bugs: bool = False,
        **config: Any,
    ) -> Iterator[Desk]:
        clock = clock or Clock()

        @contextlib.asynccontextmanager
        async def executions() -> AsyncIterator[Executing]:
            opened = open_executing(store, Config(**config), clock, answers, reaches)
            async with opened as executing:
                yield around(executing)

        def service() -> contextlib.AbstractAsyncContextManager[Service]:
            return open_service(
                executions(), trusted=trusted, concurrency=concurrency, patience=patience
            )

        with (
            contextlib.chdir(tmp_path),
            app_with(service) as app,
            # A second client would run it on a second event loop, which its locks do not know.
            TestClient(app, raise_server_exceptions=not bugs) as client,
        ):
            yield Desk(client, clock)

    return open_desk


@pytest.fixture
def desk(opening: Opening) -> Iterator[Desk]:
    with opening() as opened:
        yield opened
