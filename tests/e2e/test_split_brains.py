"""Two processes that both believe they hold a run: one of them writes, the other one stops."""

from __future__ import annotations

import os
import random
import shutil
import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pooler import pooled
from proxy import Proxy, proxy_thread
from split_brains import EFFECTS, Split, end_of
from stores import KINDS, fresh_store

SPLITS = 100
WAYS = ("files", "force", "frozen", "half-open")
"""How two processes come to hold one run: the lock files are deleted, the run is taken by force, in
one of them while its holder stands still; a proxy keeps the holder's side of connections whose
other side is gone."""


@pytest.fixture(params=KINDS)
def split(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Split]:
    with fresh_store(request.param, tmp_path) as url:
        yield Split(tmp_path, url, url)


@contextmanager
def split_in(way: str, kind: str, folder: Path) -> Iterator[tuple[Split, Proxy | None]]:
    with fresh_store(kind, folder) as url:
        if way == "pooled":
            with pooled(url, folder) as shared:
                yield Split(folder, shared, shared), None
            return
        if way != "half-open":
            yield Split(folder, url, url), None
            return
        with proxy_thread(url) as (first, proxy):
            yield Split(folder, first, url), proxy


def taken_over(split: Split, way: str, proxy: Proxy | None, effects: int) -> str:
    """Let a second process take the run after some effects, in the midst of one, and go on to its
    end before the first one does. Return what the first one said."""
    first = split.begin()
    split.wait_for(effects)
    split.hold()
    split.wait_for_hold()
    under_way = len(split.seen())
    if proxy is not None:
        proxy.half_close()
    if way == "frozen":
        first.send_signal(signal.SIGSTOP)
    if way == "files":
        shutil.rmtree(split.folder / "runs.db.leases")
    second = split.go_on(*(() if way == "files" else ("--take-over",)))
    split.wait_for(under_way + 1)
    split.let_go()
    assert end_of(second)[:2] == (0, "success")
    first.send_signal(signal.SIGCONT)
    code, status, said = end_of(first)
    assert code != 0
    assert status != "success"
    return said


def test_a_lease_folder_that_is_deleted_splits_no_run(tmp_path: Path) -> None:
    with split_in("files", "sqlite", tmp_path) as (split, proxy):
        assert "run r was taken over by pid" in taken_over(split, "files", proxy, EFFECTS // 2)
        assert len(split.repeated()) <= 1


@pytest.mark.parametrize("way", ["force", "frozen"])
@pytest.mark.parametrize("kind", KINDS)
def test_who_is_taken_over_writes_nothing_more(kind: str, way: str, tmp_path: Path) -> None:
    with split_in(way, kind, tmp_path) as (split, proxy):
        assert "run r was taken over by pid" in taken_over(split, way, proxy, EFFECTS // 2)
        assert len(split.repeated()) <= 1


def test_a_lease_behind_a_pool_of_sessions_splits_no_run(tmp_path: Path) -> None:
    with split_in("pooled", "postgresql", tmp_path) as (split, proxy):
        assert "run r was taken over by pid" in taken_over(split, "pooled", proxy, EFFECTS // 2)
        assert len(split.repeated()) <= 1


@pytest.mark.soak
def test_a_lease_behind_a_half_open_connection_splits_no_run(tmp_path: Path) -> None:
    with split_in("half-open", "postgresql", tmp_path) as (split, proxy):
        said = taken_over(split, "half-open", proxy, EFFECTS // 2)
        assert "run r was taken over by pid" in said
        assert len(split.repeated()) <= 1


@pytest.mark.soak
def test_a_hundred_split_brains(tmp_path: Path) -> None:
    """0 effects whose intention was written after the take-over; the one under way has one key."""
    chance, counts = random.Random(20261123), Counter[str]()
    for number in range(SPLITS):
        way = WAYS[number % len(WAYS)]
        kind = {"files": "sqlite", "half-open": "postgresql"}.get(way, chance.choice(KINDS))
        folder = tmp_path / str(number)
        folder.mkdir()
        with split_in(way, kind, folder) as (split, proxy):
            taken_over(split, way, proxy, chance.randint(1, EFFECTS - 2))
            repeated = split.repeated()
            assert len(repeated) <= 1, (number, way, repeated)
            counts[f"{way}, {kind}"] += 1
            counts["under way, repeated by its key"] += len(repeated)
    print(dict(counts))


def test_nobody_takes_a_run_that_is_executed_unless_told_to(split: Split) -> None:
    split.hold()
    first = split.begin()
    split.wait_for(1)
    code, _, said = end_of(split.go_on())
    assert code != 0
    assert f"is being executed by another process (pid {first.pid}" in said
    assert "flowc resume r --take-over" in said
    split.let_go()
    assert end_of(first)[:2] == (0, "success")
    assert split.repeated() == []


def test_a_holder_that_died_is_known_at_once(split: Split) -> None:
    first = split.begin()
    split.wait_for(2)
    os.kill(first.pid, signal.SIGKILL)
    first.wait(60)
    assert end_of(split.go_on())[:2] == (0, "success")
    assert len(split.repeated()) <= 1
