"""Workers by name: who lives, who does what, who has gone."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="the extra `service` is not installed")
from fleet import fleet, slow_model, until
from flowc import __version__
from flowc.runtime.cli.app import run as flowc
from openai_server import OpenAIServer, Recorded, Reply, Say
from stores import KINDS

from .conftest import Clock, Opening, step
from .test_figures import figures


@pytest.mark.parametrize("kind", KINDS)
def test_a_worker_is_listed_with_what_it_does(
    opening: Opening, store: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two processes: one has the execution, the other looks; then the first is killed."""
    free = threading.Event()
    with slow_model(0.0) as (server, slow), fleet(tmp_path, store) as workers:
        slow.when = free
        workers.config(server.url)
        clock = Clock()
        with opening(clock, concurrency=0, answers=0.0, base_url=server.url) as desk:
            assert desk.get("/workers")["workers"] == []
            process = workers.start()
            until(lambda: desk.get("/workers")["workers"])
            (row,) = desk.get("/workers")["workers"]
            assert (row["version"], row["places"]) == (__version__, 20)
            assert row["pid"] == process.pid
            id = desk.execution(
                "researcher", steps=[step("left", success_criteria="work <1:left> is done")]
            )
            until(lambda: desk.get("/workers")["workers"][0]["executions"] == [id], 20)
            capsys.readouterr()
            assert flowc(["jobs", "workers", "--json", "--store", store]) == 0
            told = json.loads(capsys.readouterr().out)
            assert told["workers"][0]["health"] == "works"
            assert told["workers"][0]["executions"] == [id]
            assert told["teams"][0]["runs"] == 1
            page = desk.client.get("/workers").text
            assert row["name"] in page
            assert id in page
            process.kill()
            free.set()
            clock.now = clock.now.replace(year=2030)
            assert desk.get("/workers")["workers"][0]["health"] == "gone"
            assert "says nothing any more" in desk.client.get("/workers").text


def test_a_worker_that_ends_is_listed_no_more(opening: Opening) -> None:
    with opening() as desk:
        until(lambda: desk.get("/workers")["workers"])
    with opening(concurrency=0) as desk:
        assert desk.get("/workers")["workers"] == []


def test_a_model_with_a_limit_is_in_the_figures(
    opening: Opening, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-nobody")

    def answer(request: Recorded) -> Reply:
        return Say(calls=[("complete_task", {"output": "done", "score": 0.9})])

    with OpenAIServer() as server:
        server.answer = answer
        with opening(base_url=server.url, calls_per_minute={"gpt-5-mini": 60}) as desk:
            id = desk.execution("researcher", steps=[step("gather")])
            until(lambda: desk.status(id)["workflow_status"] == "completed")
            assert figures(desk)["flowc_model_wait_seconds", "gpt-5-mini"] > 0
