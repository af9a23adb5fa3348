"""What two teams keep is never shared, however alike: who can write may not learn what others have
from what the store already holds."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

import pytest
from flowc.runtime.cli.app import run as flowc
from flowc.runtime.db import kept
from flowc.runtime.db.encryption import seal_from
from flowc.runtime.errors import RunError
from flowc.runtime.store.runs import RunRecord, RunStore
from stores import KINDS

from .conftest import Desk, Opening, contract, team
from .test_access import bearer, token
from .test_faults import until
from .test_forgetting import in_store

LONG = "the same words " * 100
KEY = "07" * 32


def execution_of(desk: Desk, owner: str) -> str:
    """An execution of a team's, in which its people have completed the first step alike."""
    key = bearer(token(desk, "admin", owner))
    workflow = desk.post("/workflows", contract(description=LONG), **key)["workflow_id"]
    members = desk.post("/teams", team(), **key)["team_id"]
    asked = {"workflow_id": workflow, "team_id": members}
    id = str(desk.post("/executions", asked, **key)["execution_id"])
    path = f"/executions/{id}"

    def active() -> list[str]:
        told = desk.get(f"{path}?include_details=true", **key)
        return [a["assignment_id"] for a in told["active_steps"] if a["step_id"] == "gather"]

    until(lambda: bool(active()))
    body = {
        "assignment_id": active()[0],
        "completion_data": {"status": "completed", "output": LONG},
        "handoff_data": {},
    }
    desk.post(f"{path}/completions", body, **key)
    until(lambda: not active())
    return id


async def end(opened: RunStore, *runs: str) -> None:
    for run in runs:
        await opened.update(replace(await opened.get(run), status="failed"))


def blobs(store: str) -> Counter[tuple[str, bytes]]:
    """The contents of a store, by realm and hash."""
    query = "select realm, hash from blobs"
    rows = in_store(store, lambda opened: opened.db.rows(query))
    return Counter((realm, bytes(name)) for realm, name in rows)


def test_what_two_teams_keep_alike_is_kept_for_each(store: str, opening: Opening) -> None:
    with opening() as desk:
        ours, again, theirs = (execution_of(desk, owner) for owner in ("a", "a", "b"))
    found = blobs(store)
    assert {realm for realm, _ in found} == {"a", "b"}
    hashes = {owner: {name for realm, name in found if realm == owner} for owner in "ab"}
    shared = hashes["a"] & hashes["b"]
    assert shared  # each of them twice

    assert flowc(["gc", "--store", store]) == 0
    assert shared <= {name for realm, name in blobs(store) if realm == "b"}
    in_store(store, lambda opened: end(opened, ours, again))
    assert flowc(["runs", "prune", "--status", "failed", "--store", store]) == 0
    assert {realm for realm, _ in blobs(store)} == {"b"}
    with opening() as desk:
        key = bearer(token(desk, "read", "b"))
        assert desk.get(f"/executions/{theirs}", **key)["workflow_status"] == "executing"


def test_a_team_goes_on_in_a_store_with_a_key(
    store: str, opening: Opening, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FLOWC_STORE_KEY", KEY)
    with opening() as desk:
        ours, theirs = (execution_of(desk, owner) for owner in "ab")
    assert len(blobs(store)) == len({name for _, name in blobs(store)})  # nothing has the same hash
    with opening() as desk:  # its runs are read again from what is kept
        for owner, id in ("a", ours), ("b", theirs):
            key = bearer(token(desk, "read", owner))
            told = desk.get(f"/executions/{id}?include_details=true", **key)
            assert told["workflow_status"] == "executing"
            assert told["active_steps"]


async def fill(opened: RunStore) -> None:
    """Two runs of a team's and one of another's, with the same inputs."""
    for run, owner in ("a1", "a"), ("a2", "a"), ("b1", "b"):
        await opened.db.run(kept.BELONG, (run, owner))
        record = RunRecord(id=run, name="n", file="f", status="failed", inputs={"text": LONG})
        await opened.create(record)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("key", ["", KEY])
def test_equal_inputs_of_two_teams_are_two_contents(
    store: str, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FLOWC_STORE_KEY", key)

    in_store(store, fill)
    assert sorted(realm for realm, _ in blobs(store)) == ["a", "b"]
    assert len({name for _, name in blobs(store)}) == (2 if key else 1)
    assert flowc(["runs", "prune", "--status", "failed", "--keep", "1", "--store", store]) == 0
    assert [realm for realm, _ in blobs(store)] == ["b"]
    assert in_store(store, lambda opened: opened.get("b1")).inputs == {"text": LONG}


@pytest.mark.parametrize("kind", KINDS)
def test_the_key_of_a_team_opens_nothing_of_another(
    store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FLOWC_STORE_KEY", KEY)
    in_store(store, fill)
    whole = seal_from({"FLOWC_STORE_KEY": KEY})
    assert whole is not None
    a, b = whole.for_realm("a"), whole.for_realm("b")
    query = "select realm, hash, data from blobs"
    rows = in_store(store, lambda opened: opened.db.rows(query))
    found = {realm: (bytes(data), bytes(name)) for realm, name, data in rows}
    assert json.loads(kept.open_content(*found["a"], a) or b"") == {"text": LONG}
    assert json.loads(kept.open_content(*found["b"], b) or b"") == {"text": LONG}
    for realm, seal in ("a", b), ("b", a), ("a", whole), ("b", whole):
        assert kept.open_content(*found[realm], seal) is None


@pytest.mark.parametrize("kind", KINDS)
def test_what_was_copied_from_another_team_is_named(
    store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FLOWC_STORE_KEY", KEY)
    in_store(store, fill)

    async def copy(opened: RunStore) -> None:
        theirs = await opened.db.rows("select data from blobs where realm = 'b'")
        await opened.db.run("update blobs set data = ? where realm = 'a'", theirs[0])

    in_store(store, copy)
    with pytest.raises(RunError, match=r"the inputs of run a1 .*changed"):
        in_store(store, lambda opened: opened.get("a1"))
    assert in_store(store, lambda opened: opened.get("b1")).inputs == {"text": LONG}
