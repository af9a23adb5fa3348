"""The inbox: what it lists is what each execution says of itself, at a small price."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from flowc.runtime.engine.engine import Engine
from flowc.runtime.engine.fork import RunState
from flowc.runtime.service.operations.executions import Executing
from flowc.runtime.service.operations.lists import waiting_in
from flowc.runtime.service.records.tables import StoredExecution
from stores import KINDS

from .conftest import Desk, Opening, engine_as, step
from .test_faults import until

SIDE_BY_SIDE = [step("a"), step("b", "analyst"), step("c", "synthesizer", "a", "b")]


def inbox(desk: Desk) -> Sequence[tuple[str, str, str, str]]:
    """What is listed: execution, step, assignment, agent."""
    names = ("execution_id", "step_id", "assignment_id", "agent_id")
    listed = desk.get("/assignments")["assignments"]
    return sorted(tuple(one[name] for name in names) for one in listed)


def told(desk: Desk, ids: Sequence[str]) -> Sequence[tuple[str, str, str, str]]:
    """What each execution says of itself."""
    executing: Executing = desk.client.app.state.service.executing  # type: ignore[attr-defined]

    async def look(id: str) -> list[Any]:
        execution = await executing.register.get(StoredExecution, id, None)
        waiting = waiting_in(await executing.standing(execution))
        return [(id, one.step, one.id, one.agent) for one in waiting]

    assert desk.client.portal is not None
    return sorted(one for id in ids for one in desk.client.portal.call(look, id))


@pytest.mark.parametrize("kind", KINDS)
class TestWhatIsListed:
    def test_it_is_what_each_execution_says_of_itself(self, opening: Opening) -> None:
        with opening() as desk:
            kinds: dict[str, dict[str, Any]] = {"parallel": {"workflow_type": "parallel"}}
            parallel = {"steps": SIDE_BY_SIDE, **kinds["parallel"]}
            ids = [desk.execution(**parallel) for _ in range(5)]
            ids += [desk.execution(), desk.execution(config={"timeout_minutes": 5})]
            until(lambda: len(inbox(desk)) == 5 * 2 + 2)
            desk.complete(ids[0], "a")
            desk.complete(ids[1], "a")
            desk.complete(ids[1], "b")
            desk.complete(ids[2], "b", status="partial")
            desk.post(f"/executions/{ids[3]}/pause", {})
            desk.post(f"/executions/{ids[4]}/cancel", {})
            desk.complete(ids[5], "gather", status="failed")
            listed = inbox(desk)
            assert listed == told(desk, ids)
            assert [(id, name) for id, name, *_ in listed] == sorted(
                [(ids[0], "b"), (ids[1], "c"), (ids[2], "a"), (ids[2], "b"), (ids[6], "gather")]
            )
            desk.clock.forward(minutes=6)
            assert inbox(desk) == told(desk, ids)
            assert ids[6] not in {id for id, *_ in inbox(desk)}

    def test_a_page_of_it_leads_to_the_next(self, opening: Opening) -> None:
        with opening() as desk:
            ids = [desk.execution(steps=[step("a")]) for _ in range(3)]
            until(lambda: len(inbox(desk)) == 3)
            first = desk.get("/assignments?limit=2")
            rest = desk.get(f"/assignments?limit=2&after={first['next_after']}")
            found = [a["execution_id"] for one in (first, rest) for a in one["assignments"]]
            assert sorted(found) == sorted(ids)
            assert rest["next_after"] == ""


def test_an_execution_whose_text_does_not_compile_any_more_hides_no_other(opening: Opening) -> None:
    with opening() as desk:
        ids = [desk.execution(steps=[step(name)]) for name in ("a", "b")]
        until(lambda: len(inbox(desk)) == 2)
        executing: Executing = desk.client.app.state.service.executing  # type: ignore[attr-defined]

        def damage(execution: StoredExecution) -> StoredExecution:
            return replace(execution, source='{"workflow_name": 3}')

        assert desk.client.portal is not None
        desk.client.portal.call(executing.register.edit, ids[0], damage)
        assert [(id, name) for id, name, *_ in inbox(desk)] == [(ids[1], "b")]


def test_no_checkpoint_is_read_and_no_text_is_compiled_twice(opening: Opening) -> None:
    looked: list[str] = []

    class Counting(Engine):
        async def state(self, run: str) -> RunState:
            looked.append(run)
            return await super().state(run)

    def counting(executing: Executing) -> Executing:
        return replace(executing, engine=engine_as(executing.engine, Counting))

    with opening(around=counting) as desk:
        workflow, (crew, _) = desk.workflow(), desk.team()
        asked = {"workflow_id": workflow, "team_id": crew}
        ids = [desk.post("/executions", asked)["execution_id"] for _ in range(4)]
        until(lambda: len(inbox(desk)) == 4)
        executing: Executing = desk.client.app.state.service.executing  # type: ignore[attr-defined]
        assert desk.client.portal is not None
        for id in ids:
            assert desk.client.portal.call(executing.wait_for_rest, id, 60.0)
        looked.clear()
        assert len(inbox(desk)) == 4
        assert looked == []
        assert len(executing.compiled) == 1
        other = {"workflow_id": workflow, "team_id": desk.team()[0]}
        desk.post("/executions", other)
        assert len(executing.compiled) == 2, "the team is another one"
