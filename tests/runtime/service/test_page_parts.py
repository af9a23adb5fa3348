"""Parts of the page: forms by the type of what is asked, prompts as they were sent, rows that are
put together once."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from flowc.compiler.team import TEAM_TYPES
from flowc.runtime.service.operations.executions import Executing
from flowc.runtime.service.operations.status import ExecutionState
from flowc.runtime.service.page import visit
from flowc.runtime.service.page.rows import Row, row_of
from flowc.runtime.service.records.tables import StoredExecution
from openai_server import OpenAIServer, Say
from stores import KINDS

from .conftest import Desk, Opening, gate, same_as, step, team
from .test_faults import until
from .test_messages import team_at_work
from .test_page import hidden, page, send

ASKS = """\
flow: 1
name: order
params:
  COUNT: {type: integer, required: true}
  PRICE: {type: number, default: 1.5}
  GIFT: {type: boolean}
  TAGS: {type: list}
outputs: [MORE]
state: {MORE: integer, WRAPPED: boolean, WHY: text}
nodes:
  - {name: more, ask: "How many more?", into: MORE}
  - {name: wrapped, ask: "Wrapped?", into: WRAPPED}
  - {name: why, ask: "Why?", into: WHY}
"""


def source_of(desk: Desk, text: str) -> str:
    body = {"file_name": "order.flow.yaml", "source": text}
    return str(desk.post("/workflows", body)["workflow_id"])


def control(text: str, name: str) -> str:
    """The tag of a control."""
    found = re.search(rf'<(?:input|select|textarea)[^>]*\bname="{name}"[^>]*>', text)
    assert found is not None, name
    return found[0]


class TestTyped:
    def test_inputs_are_asked_for_by_their_types(self, desk: Desk) -> None:
        place = f"/workflows/{source_of(desk, ASKS)}"
        text = page(desk, place)
        assert 'type="number"' in control(text, "input_COUNT")
        assert 'step="1"' in control(text, "input_COUNT")
        assert "required" in control(text, "input_COUNT")
        assert 'step="any"' in control(text, "input_PRICE")
        assert control(text, "input_GIFT").startswith("<select")
        assert control(text, "input_TAGS").startswith("<textarea")
        for wrong in ({"input_COUNT": "many"}, {"input_COUNT": "2.5"}, {"input_TAGS": "a, b"}):
            answer = send(desk, place, f"{place}/executions", 422, **{"input_COUNT": "1", **wrong})
            assert next(iter(wrong)).removeprefix("input_") in answer.text

    def test_an_answer_has_the_type_of_its_variable(self, desk: Desk) -> None:
        place = f"/workflows/{source_of(desk, ASKS)}"
        given = {"input_COUNT": "2", "input_GIFT": "true", "input_TAGS": '["a"]'}
        there = send(desk, place, f"{place}/executions", **given).headers["location"]
        id = there.rpartition("/")[2]

        def answer(node: str, value: str, status: int = 200) -> str:
            until(lambda: f'name="question_id" value="{node}"' in page(desk, there))
            text = page(desk, there)
            kind = {"type": hidden(text, "type")} if 'name="type"' in text else {}
            fields = {"question_id": node, "answer": value, **kind}
            return str(send(desk, there, f"{there}/answers", status, **fields).text)

        assert "`few` is not JSON" in answer("more", "few", 422).replace("&#39;", "'")
        answer("more", "3")
        assert control(page(desk, there), "answer").startswith("<select")
        answer("wrapped", "true")
        assert control(page(desk, there), "answer").startswith("<textarea")
        answer("why", "3")
        assert desk.status(id)["result"] == 3, "a number and no text"

    def test_a_step_is_handed_in_by_the_schema_of_its_result(self, desk: Desk) -> None:
        steps = [step("a"), step("look", "analyst", "a", step_type="review")]
        id = desk.execution(steps=steps, quality_gates=gate(0.5))
        text = page(desk, f"/executions/{id}")
        own = control(text, "quality_self_assessment")
        assert 'type="number"' in own
        assert 'min="0"' in own
        assert 'max="1"' in own
        desk.complete(id, "a")
        assert 'type="number"' in control(page(desk, f"/executions/{id}"), "score_a")


class TestTeams:
    def test_every_kind_of_team_can_be_made(self, desk: Desk) -> None:
        text = page(desk, "/teams/new")
        assert re.findall(r'<option value="([a-z_]+)">[a-z ]+</option>', text)[:3] == list(
            TEAM_TYPES
        )
        for kind in TEAM_TYPES:
            roles = {"role_1": "a", "role_2": "b", "type_2": "person", "model_1": "m"}
            more = {"tools_1": "team_send, team_read", "instructions_1": "Be <brief>."}
            send(desk, "/teams/new", "/teams", team_name=kind, team_type=kind, **roles, **more)
        assert len(desk.get("/teams")["teams"]) == 3

    def test_what_is_wrong_with_a_team_is_said_beside_what_was_typed(self, desk: Desk) -> None:
        given = {"team_name": "T", "team_type": "research", "role_1": "a", "role_2": "a"}
        answer = send(desk, "/teams/new", "/teams", 422, **given, instructions_1="Be <brief>.")
        assert "two agents of the team have the role" in answer.text
        assert "Be &lt;brief&gt;." in answer.text


@pytest.mark.parametrize("kind", KINDS)
def test_the_prompt_of_a_model_is_shown_as_it_was_sent(
    opening: Opening, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Word for word but for secrets, and with what its tools gave."""
    monkeypatch.setenv("HARBOUR_TOKEN", "do-not-show-this")
    body = team("researcher")
    config = {"tools": ["team_read"], "instructions": "Weigh <b> & do-not-show-this."}
    body["agent_roles"][0]["agent_config"] = config
    with OpenAIServer() as model:
        model.will(Say(calls=[("team_read", {})]), Say(calls=[("complete_task", {"output": "x"})]))
        with opening(base_url=model.url) as desk:
            made = desk.post("/teams", body)["team_id"]
            asked = {"workflow_id": desk.workflow(steps=[step("gather")]), "team_id": made}
            id = desk.post("/executions", asked)["execution_id"]
            until(lambda: desk.status(id)["workflow_status"] == "completed")
            found = [page(desk, f"/executions/{id}/nodes/{n}") for n in range(2)]
        sent = model.requests[-1].body["messages"]
    (text,) = (one for one in found if "What the model was sent" in one)
    assert "Weigh &lt;b&gt; &amp; [redacted]." in text
    assert "do-not-show-this" not in text
    assert f"{len(sent)} messages" in text
    assert "turn 2" in text
    assert "team_read({})" in text
    assert "gather is right" in text


@pytest.mark.parametrize("kind", KINDS)
class TestRows:
    def test_a_row_is_put_together_again_when_something_changed(self, opening: Opening) -> None:
        looked: list[str] = []

        class Counting(Executing):
            async def standing(self, execution: StoredExecution) -> ExecutionState:
                looked.append(execution.id)
                return await super().standing(execution)

        with opening(around=lambda executing: same_as(executing, Counting)) as desk:
            ids = [desk.execution() for _ in range(3)]
            for id in ids:
                self._at_rest(desk, id)
            looked.clear()
            assert page(desk, "/").count("0 of 3 steps") == 3
            assert sorted(looked) == sorted(ids)
            looked.clear()
            page(desk, "/")
            assert looked == []
            desk.complete(ids[1], "gather")
            looked.clear()
            assert page(desk, "/").count("1 of 3 steps") == 1
            assert set(looked) == {ids[1]}

    def test_a_row_is_what_it_would_be_anew(self, opening: Opening) -> None:
        """After everything that changes one."""
        with opening() as desk:
            id = desk.execution(steps=[step("gather"), step("b", "analyst", "gather")],
                quality_gates=gate(0.5, "approval"))  # fmt: skip
            seen: list[tuple[str, int, int]] = []
            self._at_rest(desk, id)

            def looked() -> None:
                shown = page(desk, "/")
                fresh = self._fresh(desk, id)
                assert f"{fresh.progress.completed_steps} of 2 steps" in shown
                assert (f"{fresh.due} wait" in shown) is (fresh.due > 0)
                seen.append((fresh.status, fresh.progress.completed_steps, fresh.due))
                assert fresh.status in shown

            looked()
            held = desk.post(f"/executions/{id}/pause", {})
            looked()
            desk.post(f"/executions/{id}/resume", {"resume_token": held["resume_token"]})
            looked()
            desk.complete(id, "gather", status="partial")
            looked()
            for name in ("gather", "b"):
                desk.complete(id, name)
                looked()
            desk.post(f"/executions/{id}/questions/good", {"answer": "yes"})
            looked()
            assert seen[0] == ("executing", 0, 1)
            assert seen[1][0] == "paused"
            assert seen[-2:] == [("executing", 2, 1), ("completed", 2, 0)]

    @staticmethod
    def _at_rest(desk: Desk, id: str) -> None:
        executing = desk.client.app.state.service.executing  # type: ignore[attr-defined]
        assert desk.client.portal is not None
        assert desk.client.portal.call(executing.wait_for_rest, id, 60.0)

    @staticmethod
    def _fresh(desk: Desk, id: str) -> Row:
        executing = desk.client.app.state.service.executing  # type: ignore[attr-defined]

        async def standing() -> Row:
            execution = await executing.register.get(StoredExecution, id, None)
            return row_of(await executing.standing(execution))

        assert desk.client.portal is not None
        return desk.client.portal.call(standing)


def test_messages_are_shown_as_they_were_written(desk: Desk) -> None:
    """With their lines, with what stands beside the text, and by the roles of the team."""
    work = team_at_work(desk)
    text = "Which years?\n\n- from\n- to <b>\u202e"
    asked = {"message_type": "request", "requires_response": True}
    sent = work.send(content={"text": text, "data": {"archive": "<Kiel>"}}, **asked)
    back = {
        "responder_agent_id": work.agents["analyst"],
        "original_message_id": sent["message_id"],
        "response_content": {"text": "x" * 2000, "status": "partial"},
    }
    desk.post(f"{work.path}/responses", back)
    page = desk.client.get(f"/executions/{work.id}").text
    assert '<p class="message">Which years?\n\n- from\n- to &lt;b&gt;' in page
    assert "&#34;archive&#34;: &#34;&lt;Kiel&gt;&#34;" in page
    assert f'title="{work.agents["researcher"]}">researcher</span></strong> → ' in page
    assert f'partial <a href="#{sent["message_id"]}">answer</a>' in page
    assert f'<li id="{sent["message_id"]}"' in page
    work.send(content={"text": "long", "data": {"x": "y" * 30_000}})
    assert "(30,013 characters)" in desk.client.get(f"/executions/{work.id}/live").text


def test_an_execution_that_cannot_be_read_hides_no_other(desk: Desk) -> None:
    """Its texts were made by a flowc that took what this one refuses."""
    good, bad = desk.execution(), desk.execution()
    executing: Executing = desk.client.app.state.service.executing  # type: ignore[attr-defined]

    async def spoil() -> None:
        for id in (good, bad):  # what goes on would compile it as it was, and keep that
            assert await executing.wait_for_rest(id, 20)
        await executing.register.edit(bad, lambda e: replace(e, source='{"steps": 1}'))
        executing.compiled.clear()

    assert desk.client.portal is not None
    desk.client.portal.call(spoil)
    home = desk.client.get("/")
    assert home.status_code == 200
    assert good in home.text
    assert bad in home.text
    assert desk.client.get(f"/executions/{bad}").status_code == 422


def test_no_page_waits_for_its_template_to_be_compiled(opening: Opening) -> None:
    """On the event loop the first page of a kind took 16 ms, in which nobody else was answered."""
    with opening():
        pass  # what is begun at the start has ended
    known = {Path(str(name)).name for _, name in visit._environment().cache or ()}
    assert known >= {"fault.html", "home.html", "execution.html", "frame.html"}


class TestTime:
    def test_what_is_late_is_said_wherever_it_is_shown(self, desk: Desk) -> None:
        id = desk.execution(steps=[step("gather")])
        until(lambda: "gather" in desk.active(id))
        places = ("/inbox", f"/executions/{id}")
        assert not any("overdue" in page(desk, place) for place in places)
        desk.clock.forward(minutes=10)
        until(lambda: "Gather:" in str(desk.status(id)["events"]))
        assert all('<strong class="late">overdue</strong>' in page(desk, p) for p in places)
        assert "<strong>overdue</strong> · Gather:" in page(desk, places[1])

    def test_what_failed_is_begun_again_by_a_button(self, desk: Desk) -> None:
        id = desk.execution(steps=[step("gather")])
        until(lambda: "gather" in desk.active(id))
        place = f"/executions/{id}"
        assert "Begin again" not in page(desk, place)
        desk.complete(id, "gather", status="failed")
        until(lambda: desk.status(id)["workflow_status"] == "failed")
        assert "Begin the failed step again" in page(desk, place)
        again = {"resume_token": "none", "restart_failed_steps": "1"}
        send(desk, place, f"{place}/resume", 200, **again)
        until(lambda: "gather" in desk.active(id))


def test_executions_of_a_status_are_listed(desk: Desk) -> None:
    id = desk.execution()
    until(lambda: desk.status(id)["workflow_status"] == "executing")
    assert id in page(desk, "/?status=executing")
    assert "None is failed." in page(desk, "/?status=failed")
    assert desk.client.get("/?status=other").status_code == 422


def test_who_asked_for_what_is_a_page(desk: Desk) -> None:
    desk.execution()
    text = page(desk, "/audit")
    assert "/v1/executions" in text
    assert "local" in text
