"""Branches: what belongs to one beside its run, what is refused, what a repeated request makes."""

from __future__ import annotations

import asyncio
import dataclasses

import pytest
from flowc.runtime.engine.engine import Engine
from flowc.runtime.service.contract.checkpoints import ForkExecution
from flowc.runtime.service.operations.executions import Executing
from flowc.runtime.service.operations.past.forks import fork_execution
from flowc.runtime.service.records.access import LOCAL
from flowc.runtime.service.records.tables import StoredExecution
from flowc.runtime.services import Json
from flowc.runtime.store.runs import RunRecord
from openai_server import OpenAIServer, Say
from stores import KINDS

from .conftest import Opening, engine_as, step
from .receivers import receiver
from .test_access import bearer, token
from .test_faults import until
from .test_forks import ORDER, answer, asks, ended, fork, ordered, past
from .test_once import died
from .test_webhooks import SECRET, allowing, register

pytestmark = pytest.mark.parametrize("kind", KINDS)
CALLS = """\
flow: 1
name: calls
state: {N: integer}
nodes:
  - {name: begin, assign: {N: 1}}
  - {name: outer, call: inner}
workflows:
  inner:
    state: {M: integer, SAID: text}
    nodes:
      - {name: in1, assign: {M: 2}}
      - {name: in2, ask: "Well?", into: SAID}
"""


class TestAround:
    """What belongs to an execution beside its run."""

    def test_what_was_told_of_the_other_one_is_not_told_again(
        self, opening: Opening, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("HOOK_SECRET", SECRET)
        with receiver() as hears, opening(**allowing(hears.host)) as desk:
            register(desk, hears.url, "alert", "ended")
            steps = [step("gather"), step("write", "analyst", "gather")]
            asked = {"workflow_id": desk.workflow(steps=steps), "team_id": desk.team()[0]}
            alerts = {"notifications": {"error_alerts": True}}
            id = str(desk.post("/executions", {**asked, **alerts})["execution_id"])
            desk.complete(id, "gather", status="failed")
            until(lambda: hears.events("alert"))
            again = {"resume_token": "-", "resume_config": {"restart_failed_steps": True}}
            desk.post(f"/executions/{id}/resume", again)
            desk.complete(id, "gather")
            until(lambda: "write" in desk.active(id))
            desk.clock.forward(seconds=1)
            name = fork(desk, id, "write")["execution_id"]
            assert [e["kind"] for e in desk.status(name)["events"]] == ["error"]
            desk.complete(name, "write")
            until(lambda: any(e["execution_id"] == name for e in hears.events("ended")))
            assert [e["execution_id"] for e in hears.events("alert")] == [id]

    def test_it_is_kept_with_what_is_its_teams(self, opening: Opening) -> None:
        with opening() as desk:
            ours = bearer(token(desk, "operate", "ours"))
            source = {"file_name": "order.flow.yaml", "source": ORDER}
            made = {"workflow_id": desk.post("/workflows", source, **ours)["workflow_id"]}
            id = desk.post("/executions", made, **ours)["execution_id"]
            body = {"at": "more", "variables": {}}
            place = f"/executions/{id}"
            until(lambda: desk.get(place, **ours)["questions"])
            all_teams = bearer(token(desk, "operate"))
            name = desk.post(f"{place}/forks", body, **all_teams)["execution_id"]
            assert desk.get(f"/executions/{name}", **ours)["forked_from"] == id
            db = desk.client.app.state.service.executing.db  # type: ignore[attr-defined]
            assert desk.client.portal is not None
            rows = desk.client.portal.call(
                db.rows, "select distinct realm from holds where run = ?", (name,)
            )
            assert [tuple(row) for row in rows] == [("ours",)]

    def test_nobody_approves_commands_that_they_asked_for(self, opening: Opening) -> None:
        with opening() as desk:
            asks_for = {who: token(desk, "approve", name=who) for who in ("starts", "forks")}
            keys = {who: bearer(value) for who, value in asks_for.items()}
            source = {"file_name": "order.flow.yaml", "source": ORDER}
            made = {"workflow_id": desk.post("/workflows", source, **keys["starts"])["workflow_id"]}
            id = desk.post("/executions", made, **keys["starts"])["execution_id"]
            until(lambda: desk.get(f"/executions/{id}", **keys["starts"])["questions"])
            body = {"at": "more", "variables": {}}
            name = desk.post(f"/executions/{id}/forks", body, **keys["forks"])["execution_id"]
            register = desk.client.app.state.service.executing.register  # type: ignore[attr-defined]
            assert desk.client.portal is not None
            old, new = (
                desk.client.portal.call(register.get, StoredExecution, one, None)
                for one in (id, name)
            )
            assert set(old.askers) < set(new.askers)
            assert len(new.askers) == 2


class TestRefusals:
    def test_every_wrong_value_is_named_at_once(self, opening: Opening) -> None:
        with opening() as desk:
            id = ordered(desk)
            told = fork(desk, id, "more", 422, COUNT="many", NOTES=[1], WYH="x")
            assert set(told["details"]["variables"]) == {"COUNT", "NOTES", "WYH"}
            assert 'must be a whole number, not `"many"`' in told["error_message"]
            assert "did you mean `WHY`" in told["error_message"]
            told = fork(desk, id, "more", 422, COPY="say [redacted]", NOTES={"a": ["[redacted]"]})
            assert set(told["details"]["variables"]) == {"COPY", "NOTES"}
            assert len(desk.get("/executions")["executions"]) == 1
            assert fork(desk, id, "more", COUNT=None)["success"], "null empties one"

    def test_nothing_comes_after_the_end(self, opening: Opening) -> None:
        with opening() as desk:
            id = desk.execution(steps=[step("gather")])
            desk.complete(id, "gather")
            ended(desk, id)
            last = past(desk, id)[0]["checkpoint_id"]
            told = fork(desk, id, last, 422)
            assert "nothing comes after it" in told["error_message"]

    def test_none_begins_inside_of_a_called_workflow(self, opening: Opening) -> None:
        with opening() as desk:
            body = {"file_name": "calls.flow.yaml", "source": CALLS}
            asked = {"workflow_id": desk.post("/workflows", body)["workflow_id"]}
            id = desk.post("/executions", asked)["execution_id"]
            until(lambda: any(c["next"] == ["in2"] for c in past(desk, id)))
            (inside,) = [c for c in past(desk, id) if c["next"] == ["in2"]]
            assert (inside["calls"], inside["can_fork"]) == (["outer"], False)
            for at in (inside["checkpoint_id"], "outer/in2"):
                told = fork(desk, id, at, 422)
                assert "lies inside `outer`, which can only begin" in told["error_message"]
            assert fork(desk, id, "outer")["success"]

    def test_what_is_being_carried_on_is_not_copied(self, opening: Opening) -> None:
        with OpenAIServer() as model:
            model.answer = lambda _: Say("late", after=30)
            with opening(base_url=model.url, patience=0.1) as desk:
                id = desk.execution("researcher", steps=[step("gather")])
                until(lambda: model.requests)
                told = fork(desk, id, "gather", 409)
                assert told["error_code"] == "CONFLICT"
                assert "pause it" in told["recovery_options"][0]
                assert len(desk.get("/executions")["executions"]) == 1
                db = desk.client.app.state.service.executing.db  # type: ignore[attr-defined]
                assert desk.client.portal is not None
                left = desk.client.portal.call(db.rows, "select run from realms")
                assert [row[0] for row in left] == [id]
                desk.post(f"/executions/{id}/cancel", {"cancel_type": "immediate"})

    def test_branches_that_begin_at_one_time_wait_for_each_other(self, opening: Opening) -> None:
        with opening() as desk:
            id = ordered(desk)
            executing = desk.client.app.state.service.executing  # type: ignore[attr-defined]
            body = ForkExecution(at="more", variables={})

            async def both() -> list[str]:
                making = [fork_execution(executing, LOCAL, id, body) for _ in range(4)]
                return [made.execution_id for made in await asyncio.gather(*making)]

            assert desk.client.portal is not None
            assert len(set(desk.client.portal.call(both))) == 4

    def test_who_may_and_what_is_noted(self, opening: Opening) -> None:
        with opening() as desk:
            id = ordered(desk)
            key = bearer(token(desk, "admin"))
            looks, other = bearer(token(desk, "read")), bearer(token(desk, "operate", "theirs"))
            body = {"at": "more", "variables": {}}
            desk.post(f"/executions/{id}/forks", body, 403, **looks)
            assert desk.get(f"/executions/{id}/checkpoints", **looks)["checkpoints"]
            for path in ("/checkpoints", "/checkpoints/x"):
                desk.get(f"/executions/{id}{path}", 404, **other)
            desk.post(f"/executions/{id}/forks", body, 404, **other)
            desk.post(f"/executions/{id}/forks", body, **key)
            (entry,) = [
                e
                for e in desk.get("/audit", **key)["entries"]
                if e["operation"].endswith("/forks") and e["outcome"] == "done"
            ]
            assert entry["operation"] == f"POST /v1/executions/{id}/forks"


class Dying(Engine):
    """Dies when it has made a branch."""

    async def fork(self, run: str, at: str, updates: dict[str, Json], new_run: str) -> RunRecord:
        await super().fork(run, at, updates, new_run)
        raise AssertionError("the process dies")


class TestOnce:
    def test_a_request_that_is_repeated_makes_one(self, opening: Opening) -> None:
        with opening() as desk:
            id = ordered(desk)
            sent = {"Idempotency-Key": "k1"}
            body = {"at": "more", "variables": {"COUNT": 5}}
            first = desk.post(f"/executions/{id}/forks", body, **sent)
            again = desk.post(f"/executions/{id}/forks", body, **sent)
            assert first == again
            assert len(desk.get("/executions")["executions"]) == 2

    def test_a_death_in_the_middle_leaves_no_half_of_one(
        self, opening: Opening, store: str
    ) -> None:
        """The run was made and its execution was not: nobody carries it on, and the request that is
        repeated finishes it."""

        def dying(executing: Executing) -> Executing:
            return dataclasses.replace(executing, engine=engine_as(executing.engine, Dying))

        sent = {"Idempotency-Key": "k1"}
        body = {"at": "more", "variables": {"COUNT": 5}}
        with opening() as desk:
            id = ordered(desk)
        with opening(around=dying, bugs=True) as desk:
            desk.client.post(f"/v1/executions/{id}/forks", json=body, headers=sent)
        died(store)
        with opening() as desk:
            assert len(desk.get("/executions")["executions"]) == 1
            name = desk.post(f"/executions/{id}/forks", body, **sent)["execution_id"]
            asks(desk, name, "more")
            died(store)
            assert desk.post(f"/executions/{id}/forks", body, **sent)["execution_id"] == name
            answer(desk, name, "more", 1)
            asks(desk, name, "why")
            assert len(desk.get("/executions")["executions"]) == 2
