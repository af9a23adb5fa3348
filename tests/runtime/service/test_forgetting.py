"""What is kept of an execution goes with its run: pruned, or left over by an older flowc."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from flowc.runtime.cli.app import run as flowc
from flowc.runtime.config.settings import Config
from flowc.runtime.service.operations.executions import Executing, open_executing
from flowc.runtime.service.worker import Worker
from flowc.runtime.store.runs import forget as forget_record
from flowc.runtime.store.runs import open_store
from flowc.runtime.store.service_tables import KEPT_OF, kept_of, left_over
from openai_server import OpenAIServer
from stores import KINDS

from .conftest import Desk, Opening, step
from .test_faults import until
from .test_messages import DONE, Team, team_at_work

STAYS = {
    "service_workflows",
    "service_teams",
    "service_tokens",
    "service_token_agents",
    "service_audit",
    "service_sessions",
    "service_idempotency",
    "service_webhooks",
    "service_webhook_starts",
    "service_workers",
    "service_model_calls",
}
"""Tables of the service that are about no execution, or whose rows go by their age."""
UNTOLD = {"news", "jobs", "states", "starting", "words", "live", "looks", "deliveries"}
"""What stands beside an execution, and is no more than a part of it to a person."""
QUEUES = {"news", "jobs"}
KEY = {"Idempotency-Key": "k1"}


@pytest.fixture
def model(openai_server: OpenAIServer) -> dict[str, Any]:
    openai_server.answer = lambda request: DONE
    nobody = {"webhook_hosts": ("127.0.0.1:9",), "webhook_secrets": ("HOOK_SECRET",)}
    return {"base_url": openai_server.url, **nobody}


def completed(desk: Desk) -> Team:
    """An execution of which there is something in every table, and which has ended."""
    desk.post("/webhooks", {"url": "http://127.0.0.1:9/", "secret": "HOOK_SECRET"})
    steps = [step("gather"), step("analyse", "analyst", "gather")]
    team = team_at_work(desk, "analyst", steps=steps)
    sent = team.send(message_type="request", requires_response=True)
    people = team.agents["researcher"], team.agents["synthesizer"]
    team.send(recipient_agent_ids=[people[1]])
    read = {"agent_id": team.agents["analyst"], "message_ids": [sent["message_id"]]}
    desk.post(f"{team.path}/read", read)
    desk.clock.forward(minutes=11)
    until(lambda: desk.status(team.id)["events"] != [])
    desk.complete(team.id, "gather")
    until(lambda: desk.status(team.id)["workflow_status"] == "completed")
    return team


def in_store(store: str, do: Callable[[Any], Coroutine[Any, Any, Any]]) -> Any:
    async def go() -> Any:
        async with open_store(store) as kept:
            return await do(kept)

    return asyncio.run(go())


def kept(store: str, id: str) -> dict[str, int]:
    return dict(in_store(store, lambda opened: kept_of(opened.db, [id])))


def said(capsys: pytest.CaptureFixture[str], *argv: str) -> dict[str, Any]:
    capsys.readouterr()
    assert flowc([*argv, "--json"]) == 0
    told: dict[str, Any] = json.loads(capsys.readouterr().out)
    return told


@pytest.mark.parametrize("kind", KINDS)
def test_all_of_it_goes_with_the_run(
    store: str, opening: Opening, model: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    prune = ("runs", "prune", "--status", "success", "--store", store)
    with opening(**model) as desk:
        team, other = completed(desk), team_at_work(desk)
        other.send(content={"text": "still here"})
        until(lambda: QUEUES.isdisjoint(kept(store, team.id)))
        before = kept(store, team.id)
        # That it has not begun is noted for some seconds.
        assert set(before) | {"starting", "live"} == set(KEPT_OF) - QUEUES
        audit = desk.get("/audit?limit=500")["entries"]
        told = said(capsys, *prune, "--dry-run")
        assert told["service"] == {word: before[word] for word in KEPT_OF if word not in UNTOLD}
        assert kept(store, team.id) | {"starting": 1} == before | {"starting": 1}
        assert said(capsys, *prune)["service"] == told["service"]
        assert kept(store, team.id) == {}
        for path in ("", "/messages", "/events"):
            gone = desk.get(f"/executions/{team.id}{path}", 404)
            assert gone["error_code"] == "EXECUTION_NOT_FOUND"
        listed = [e["execution_id"] for e in desk.get("/executions")["executions"]]
        assert listed == [other.id]
        assert other.texts() == ["still here"]
        assert desk.get("/audit?limit=500")["entries"] == audit
        assert len(desk.get("/workflows")["workflows"]) == len(desk.get("/teams")["teams"]) == 2
    assert flowc(["gc", "--store", store]) == 0
    assert kept(store, other.id)["messages"] == 1


def test_what_goes_is_told_in_words(
    store: str, opening: Opening, model: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    with opening(**model) as desk:
        completed(desk)
    prune = ["runs", "prune", "--keep", "0", "--status", "success", "--store", store]
    assert flowc([*prune, "--dry-run"]) == 0
    assert "1 execution, 1 assignment, 2 messages, " in capsys.readouterr().err
    assert flowc(prune) == 0
    assert "1 execution, 1 assignment, 2 messages, " in capsys.readouterr().err
    assert flowc(prune) == 0
    assert "execution" not in capsys.readouterr().err


def test_every_table_of_the_service_is_named(store: str, desk: Desk) -> None:
    """A table that is added has to be put into `KEPT_OF` or into `STAYS`."""
    desk.get("/executions")
    query = "select name from sqlite_master where type = 'table' and name like 'service%'"
    tables = {row[0] for row in in_store(store, lambda opened: opened.db.rows(query))}
    assert tables == STAYS | {table for word, (table, _) in KEPT_OF.items() if word != "jobs"}


@pytest.mark.parametrize("kind", KINDS)
def test_what_an_older_flowc_left_goes_with_gc(
    store: str, opening: Opening, model: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    with opening(**model) as desk:
        left, stays = completed(desk), team_at_work(desk)
        until(lambda: QUEUES.isdisjoint(kept(store, left.id)))
    in_store(store, lambda opened: forget_record(opened.db, [left.id]))
    with opening(concurrency=0, answers=0.1) as desk:  # a service that begins sweeps too
        until(lambda: not kept(store, left.id))
        waiting = team_at_work(desk)
        waiting.send()
        held = team_at_work(desk)
        desk.post(f"/executions/{held.id}/pause", {"pause_type": "immediate"})
    table, column = KEPT_OF["jobs" if store.startswith("postgresql") else "news"]
    in_store(store, lambda opened: opened.db.run(f"delete from {table} where {column} = ?",
                                                 (held.id,)))  # fmt: skip
    in_store(store, lambda opened: opened.db.run("delete from service_executions where id = ?",
                                                 (waiting.id,)))  # fmt: skip
    assert in_store(store, lambda opened: left_over(opened.db)) == [waiting.id]
    gc = ("gc", "--store", store)
    assert said(capsys, *gc, "--dry-run")["executions"] == 1
    assert kept(store, waiting.id)["messages"] == 1
    assert said(capsys, *gc)["executions"] == 1
    assert kept(store, waiting.id) == {}
    assert said(capsys, *gc)["executions"] == 0
    assert all(kept(store, team.id)["executions"] == 1 for team in (stays, held))


def test_a_worker_passes_over_what_was_forgotten(store: str, tmp_path: Path) -> None:
    """News of an execution that is gone are heard once, not again and again."""

    async def go(executing: Executing) -> None:
        worker = Worker(executing)
        working = asyncio.create_task(worker.work())
        await executing.due.tell(executing.db, "ex-gone")
        executing.bell.set()
        assert await executing.wait_for_rest("ex-gone", 30)
        worker.drain()
        await working

    async def opened() -> None:
        async with open_executing(store, Config()) as executing:
            await go(executing)

    with contextlib.chdir(tmp_path):
        asyncio.run(opened())
