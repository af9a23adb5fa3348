"""Backup and restore as docs/operations.md says it, with PostgreSQL's own programs."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="the extra `service` is not installed")
from fleet import until
from stores import ask, fresh_store

from .conftest import Opening, step
from .receivers import receiver
from .test_webhooks import SECRET, allowing, listed, register, told

pytestmark = pytest.mark.skipif(
    not all(map(shutil.which, ("pg_dump", "pg_restore"))),
    reason="pg_dump and pg_restore are not installed",
)


@pytest.fixture
def kind() -> str:
    return "postgresql"


@pytest.fixture
def restored(tmp_path: Path) -> Iterator[str]:
    """Another database, with nothing in it."""
    with fresh_store("postgresql", tmp_path) as url:
        yield url


def run(*words: str) -> None:
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr


def test_what_waits_in_a_backup_is_completed_from_it(
    opening: Opening,
    store: str,
    restored: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An execution at its second step, whose receiver of webhooks was told of the first."""
    monkeypatch.setenv("HOOK_SECRET", SECRET)
    dump = str(tmp_path / "flowc.dump")
    steps = [step("gather"), step("write", "analyst", "gather")]
    with receiver() as hears:
        with opening(**allowing(hears.host)) as desk:
            register(desk, hears.url)
            id = desk.execution(steps=steps)
            until(lambda: len(hears.heard) == 1)
            desk.complete(id, "gather")
            until(lambda: len(hears.heard) == 2)
            until(lambda: listed(desk)[0]["delivered"] == 2)
            run("pg_dump", "--format=custom", "--schema=flowc", f"--file={dump}", store)
            desk.complete(id, "write")  # the backup knows nothing of it
        run("pg_restore", f"--dbname={restored}", "--no-owner", dump)
        ask(store, "drop schema flowc cascade")
        run("pg_dump", "--format=custom", "--schema=flowc", f"--file={dump}", restored)
        run("pg_restore", f"--dbname={store}", "--no-owner", dump)
        hears.heard.clear()
        with opening(**allowing(hears.host)) as desk:
            assert list(desk.active(id)) == ["write"]
            desk.complete(id, "write")
            until(lambda: desk.status(id)["workflow_status"] == "completed")
            until(lambda: told(hears) == ["ended"])
            assert desk.execution(steps=steps)


OLDER = (
    "drop function flowc.take_job, flowc.waiting_teams",
    "drop index flowc.procrastinate_jobs_by_queue",
    "drop table flowc.service_webhooks, flowc.service_deliveries, flowc.service_webhook_starts,"
    " flowc.service_workers, flowc.service_model_calls",
)
"""What a store of an older flowc of this layout does not have."""


def test_a_store_of_an_older_flowc_gets_what_is_new(opening: Opening, store: str) -> None:
    with opening() as desk:
        id = desk.execution(steps=[step("gather")])
        until(lambda: desk.active(id))
    for query in OLDER:
        ask(store, query)
    with opening() as desk:
        desk.complete(id, "gather")
        until(lambda: desk.status(id)["workflow_status"] == "completed")
        assert listed(desk) == []
        assert desk.get("/workers")["workers"]
