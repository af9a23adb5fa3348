"""A request whose process dies before it answers: done by the next one, and nothing is there twice.

The process that died is one whose name nobody holds any more; that a name goes with its process is
tested with the leases.
"""

from __future__ import annotations

import asyncio
import sqlite3
from dataclasses import replace
from typing import Any

import pytest
from flowc.runtime.errors import RunError
from flowc.runtime.service.api.idempotency import Answer, Once
from flowc.runtime.service.records.access import LOCAL, id_of_request
from flowc.runtime.service.records.errors import ServiceFault
from stores import KINDS, ask

from .conftest import Clock, Desk, Opening, contract, team

KEY = {"Idempotency-Key": "k1"}


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def died(store: str, name: str = "service-gone") -> None:
    """Every answer is forgotten, as if its process had died before it was written."""
    query = f"update service_idempotency set status = 0, answer = '{name}'"
    if store.startswith("postgresql"):
        ask(store, query.replace("update ", "update flowc."))
        return
    with sqlite3.connect(store.removeprefix("sqlite:///")) as connection:
        connection.execute(query)
    connection.close()


def test_what_was_made_is_there_once(store: str, desk: Desk) -> None:
    workflow = desk.post("/workflows", contract(), **KEY)
    people = desk.post("/teams", team(), **{"Idempotency-Key": "k2"})
    body = {"workflow_id": workflow["workflow_id"], "team_id": people["team_id"]}
    begun = desk.post("/executions", body, **{"Idempotency-Key": "k3"})
    died(store)
    assert desk.post("/workflows", contract(), **KEY) == workflow
    assert desk.post("/teams", team(), **{"Idempotency-Key": "k2"}) == people
    again = desk.post("/executions", body, **{"Idempotency-Key": "k3"})
    assert again["execution_id"] == begun["execution_id"]
    assert again["initial_assignments"] == begun["initial_assignments"]
    assert len(desk.get("/workflows")["workflows"]) == 1
    assert len(desk.get("/executions")["executions"]) == 1
    desk.complete(begun["execution_id"], "gather")
    assert list(desk.active(begun["execution_id"])) == ["analyse"]


def test_what_was_not_made_is_made(store: str, desk: Desk) -> None:
    desk.post("/workflows", contract(), **KEY)
    died(store)
    told = desk.post("/workflows", contract(workflow_name="Other"), 409, **KEY)
    assert "another request" in told["error_message"], "the key stays that of its request"
    assert desk.post("/workflows", contract(), **KEY)["workflow_id"]


def test_a_pause_gives_a_token_that_opens(store: str, desk: Desk) -> None:
    id = desk.execution()
    pause = {"pause_type": "graceful", "pause_reason": "lunch"}
    first = desk.post(f"/executions/{id}/pause", pause, **KEY)
    desk.post(f"/executions/{id}/pause", pause, 409)
    died(store)
    second = desk.post(f"/executions/{id}/pause", pause, **KEY)
    desk.post(f"/executions/{id}/resume", {"resume_token": first["resume_token"]}, 403)
    desk.post(f"/executions/{id}/resume", {"resume_token": second["resume_token"]})


def test_a_completion_that_was_taken_in_says_so(store: str, desk: Desk) -> None:
    id = desk.execution()
    body = {
        "assignment_id": desk.active(id)["gather"],
        "completion_data": {"status": "completed", "output": "x"},
    }
    desk.post(f"/executions/{id}/completions", body, **KEY)
    died(store)
    told = desk.post(f"/executions/{id}/completions", body, 404, **KEY)
    assert "completed" in told["error_message"]
    assert list(desk.active(id)) == ["analyse"]


class Away:
    """A store into which nothing is written any more but new rows."""

    def __init__(self, db: Any) -> None:
        self.db = db
        self.rows, self.seal, self.unseal = db.rows, db.seal, db.unseal

    async def run(self, query: str, values: Any = ()) -> int:
        if not query.startswith("insert"):
            raise RunError("the disk is full")
        return int(await self.db.run(query, values))


CUT = asyncio.CancelledError()


@pytest.mark.parametrize(
    ("away", "faults"),
    [(False, [RunError("gone"), CUT]), (True, [RunError("gone")]), (True, [CUT]), (True, [None])],
)
def test_what_could_not_be_finished_is_done_again_with_the_same_ids(
    desk: Desk, away: bool, faults: list[BaseException | None]
) -> None:
    once = desk.client.app.state.service.once  # type: ignore[attr-defined]
    broken = replace(once, db=Away(once.db)) if away else once
    made: list[str] = []

    async def ask_of(asked: Once, fault: BaseException | None) -> Answer:
        async def do() -> Answer:
            made.append(id_of_request("wf"))
            with pytest.raises(ServiceFault, match="under way"):
                await ask_of(once, None)
            if fault is not None:
                raise fault
            return 200, {"done": True}

        desk.clock.forward(seconds=1)
        return await asked.answer(LOCAL, "k1", "about", desk.clock(), do)

    async def attempts() -> None:
        for fault in faults:
            with pytest.raises(RunError if fault is None else type(fault)):
                await ask_of(broken, fault)
        assert [await ask_of(once, None) for _ in range(2)] == [(200, {"done": True})] * 2
        assert (len(made), len(set(made))) == (len(faults) + 1, 1)

    assert desk.client.portal is not None
    desk.client.portal.call(attempts)


def test_what_another_process_could_not_finish_is_done_here(store: str, opening: Opening) -> None:
    with opening() as desk, opening() as other:
        desk.post("/workflows", contract(), **KEY)
        died(store, other.client.app.state.service.once.name)  # type: ignore[attr-defined]
        desk.post("/workflows", contract(), 409, **KEY)
        died(store, "")
        assert desk.post("/workflows", contract(), **KEY)["workflow_id"]


def test_as_long_as_its_process_lives_it_is_under_way(store: str, opening: Opening) -> None:
    with opening() as desk:
        with opening() as other:
            desk.post("/workflows", contract(), **KEY)
            died(store, other.client.app.state.service.once.name)  # type: ignore[attr-defined]
            told = desk.post("/workflows", contract(), 409, **KEY)
            assert "under way" in told["error_message"]
        assert desk.post("/workflows", contract(), **KEY)["workflow_id"]


def test_an_answer_is_forgotten_by_the_next_process_after_a_week(
    store: str, opening: Opening
) -> None:
    clock = Clock()
    with opening(clock) as first:
        first.post("/workflows", contract(), **KEY)
        clock.forward(days=1)
        first.post("/workflows", contract(workflow_name="Other"), **{"Idempotency-Key": "k2"})
    clock.forward(days=6, seconds=1)
    with opening(clock) as second:
        known = second.client.app.state.service.once.db  # type: ignore[attr-defined]

        async def forgotten() -> list[Any]:
            while True:
                kept = await known.rows("select key from service_idempotency")
                if len(kept) < 2:
                    return list(kept)
                await asyncio.sleep(0.01)

        assert second.client.portal is not None
        assert second.client.portal.call(forgotten) == [("k2",)]
