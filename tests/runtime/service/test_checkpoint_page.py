"""The page of a checkpoint: what the variables were, and a form that begins a branch."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Any

import pytest
from stores import KINDS

from .conftest import Desk, Opening, step
from .test_access import token
from .test_faults import until
from .test_forks import answer, asks, ended, past
from .test_page import NASTY, page, send, sign_in

ORDER = """\
flow: 1
name: order
params:
  COUNT: {type: integer, default: 2}
  NOTE: {type: text, required: true}
  LIST: {type: list, required: true}
state: {API_TOKEN: text, COPY: object, WHY: text, ALL: list, LATE: object}
outputs: [ALL]
nodes:
  - {name: token, assign: {API_TOKEN: '"hush-hush-hush"', COPY: '{"a": "hush-hush-hush"}'}}
  - {name: why, ask: "Why?", into: WHY}
  - {name: all, assign: {ALL: '[COUNT, NOTE, LIST, WHY, API_TOKEN]'}}
"""


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def desk(opening: Opening) -> Iterator[Desk]:
    with opening() as opened:
        yield opened


def ordered(desk: Desk, note: str = "a\nb", items: Any = ()) -> str:
    """An execution that waits for its answer."""
    source = {"file_name": "order.flow.yaml", "source": ORDER}
    asked = {"workflow_id": desk.post("/workflows", source)["workflow_id"]}
    inputs = {"NOTE": note, "LIST": list(items)}
    id = str(desk.post("/executions", {**asked, "input_parameters": inputs})["execution_id"])
    asks(desk, id, "why")
    return id


def place_of(desk: Desk, id: str, before: str = "why") -> str:
    """The page of the checkpoint before a step."""
    at = next(c["checkpoint_id"] for c in past(desk, id) if c["next"] == [before])
    return f"/executions/{id}/checkpoints/{at}"


def field(text: str, name: str) -> str:
    """The text in the field of a variable, as a browser has it."""
    found = re.search(rf'name="variable {name}"[^>]*>\n(.*?)</textarea>', text, re.DOTALL)
    assert found is not None, name
    return html.unescape(found[1])


def fields(text: str) -> dict[str, str]:
    """All fields as a browser sends them that nothing was typed into."""
    names = re.findall(r'name="(variable [^"]+)"', text)
    return {name: field(text, name.partition(" ")[2]).replace("\n", "\r\n") for name in names}


class TestLooking:
    def test_the_latest_one_is_shown_first(self, desk: Desk) -> None:
        id = ordered(desk, items=[1])
        text = page(desk, f"/executions/{id}/checkpoints")
        assert "checkpoint 2 of 2" in text
        assert "Next: <strong>why</strong>" in text
        assert f'href="{place_of(desk, id, "token")}">Earlier' in text
        assert ">Later<" not in text
        assert text.count('aria-current="true"') == 1
        text = page(desk, place_of(desk, id, "token"))
        assert "At the begin" in text
        assert "not set yet" in text
        assert f"/executions/{id}/checkpoints" in page(desk, f"/executions/{id}")

    def test_a_node_leads_to_the_one_before_it(self, desk: Desk) -> None:
        id = ordered(desk)
        leads = re.findall(r'href="([^"]*before=[^"]*)"', page(desk, f"/executions/{id}?node=0"))
        assert leads == [f"/executions/{id}/checkpoints?before=token"]
        assert "At the begin" in page(desk, leads[0])
        text = page(desk, f"/executions/{id}/checkpoints?before=nothing")
        assert "checkpoint 2 of 2" in text

    def test_secrets_are_not_shown_wherever_they_stand(self, desk: Desk) -> None:
        id = ordered(desk)
        place = place_of(desk, id)
        text = page(desk, place)
        assert "hush" not in text
        assert text.count("[redacted]") == 2
        assert (field(text, "API_TOKEN"), field(text, "COPY")) == ("", "")
        for name in ("API_TOKEN", "COPY"):
            assert "hush" not in page(desk, f"{place}/value?name={name}")

    def test_what_variables_hold_stays_text(self, desk: Desk) -> None:
        id = ordered(desk, NASTY, [NASTY])
        text = page(desk, place_of(desk, id))
        assert "<img" not in text
        assert field(text, "NOTE") == NASTY
        assert "style=" not in text

    def test_a_long_value_is_cut_and_there_as_a_whole(self, desk: Desk) -> None:
        id = ordered(desk, "x" * 9000 + "the end <b>")
        text = page(desk, place_of(desk, id))
        assert "the end" not in text
        assert "the whole of NOTE, 9,011 characters" in text
        (whole,) = re.findall(r'href="([^"]*value\?name=NOTE)"', text)
        assert "the end &lt;b&gt;" in page(desk, whole)
        assert field(text, "NOTE") == ""
        page(desk, whole.replace("NOTE", "NONE"), 422)

    def test_one_that_is_not_there(self, desk: Desk) -> None:
        id = ordered(desk)
        page(desk, f"/executions/{id}/checkpoints/1f0", 404)
        page(desk, "/executions/ex-0/checkpoints", 404)

    def test_who_only_reads_gets_no_form(self, desk: Desk) -> None:
        id = ordered(desk)
        place = place_of(desk, id)
        sign_in(desk, token(desk, "read"))
        text = page(desk, place)
        assert "<textarea" not in text
        assert "With a token of the scope <code>operate</code>" in text


class TestBranches:
    def test_nothing_that_was_typed_changes_nothing(self, desk: Desk) -> None:
        id = ordered(desk, "a\r\nb\n", [1, {"a": None}])
        place = place_of(desk, id)
        there = send(desk, place, f"{place}/forks", **fields(page(desk, place)))
        name = there.headers["location"].rpartition("/")[2]
        asks(desk, name, "why")
        answer(desk, name, "why", "so")
        assert ended(desk, name) == [2, "a\r\nb\n", [1, {"a": None}], "so", "hush-hush-hush"]
        text = page(desk, f"/executions/{name}")
        assert f'goes on from <a class="mono" href="/executions/{id}"' in text

    def test_other_values_are_those_of_the_branch(self, desk: Desk) -> None:
        id = ordered(desk)
        place = place_of(desk, id)
        typed = {"variable COUNT": "41", "variable LIST": '["<b>"]', "variable NOTE": ' {"a": 1} '}
        given = {**fields(page(desk, place)), **typed, "variable API_TOKEN": "other-token"}
        there = send(desk, place, f"{place}/forks", **given)
        name = there.headers["location"].rpartition("/")[2]
        asks(desk, name, "why")
        answer(desk, name, "why", "so")
        assert ended(desk, name) == [41, ' {"a": 1} ', ["<b>"], "so", "other-token"]

    def test_what_is_wrong_stands_beside_what_was_typed(self, desk: Desk) -> None:
        id = ordered(desk)
        place = place_of(desk, id)
        typed = {
            "variable COUNT": "many",
            "variable LIST": '{"<b>": 1}',
            "variable NOTE": "my <b>own</b> words",
            "variable LATE": '{"a": }',
        }
        given = {**fields(page(desk, place)), **typed}
        text = send(desk, place, f"{place}/forks", 422, **given).text
        for name in ("COUNT", "LIST", "NOTE", "LATE"):
            assert field(text, name) == typed[f"variable {name}"]
        told = dict(re.findall(r'<p class="fault" id="(v-\d+)-fault">(.*?)</p>', text))
        told = {html.unescape(key): html.unescape(fault) for key, fault in told.items()}
        assert list(told.values()) == [
            "this must be a whole number",
            'this must be a JSON list, not `{"<b>": 1}`',
            "this is not JSON, line 1, column 7; a text stands in quotes",
        ]
        for key in told:
            assert f'id="{key}"' in text
            assert f'aria-describedby="{key}-fault"' in text
            assert f'href="#{key}"' in text
        assert text.count("autofocus") == 1
        assert "3 values do not fit" in text
        assert len(desk.get("/executions")["executions"]) == 1

    def test_what_the_operation_refuses_stands_there_too(self, desk: Desk) -> None:
        id = ordered(desk)
        place = place_of(desk, id)
        given = {**fields(page(desk, place)), "variable NOTE": "say [redacted]"}
        text = send(desk, place, f"{place}/forks", 422, **given).text
        assert "which stands for a secret: write it out" in text
        assert field(text, "NOTE") == "say [redacted]"
        given = {**fields(page(desk, place)), "variable LIST": " "}
        text = send(desk, place, f"{place}/forks", 422, **given).text
        assert "nothing is not a JSON list: write null to empty it" in text

    def test_a_form_that_is_sent_twice_makes_one(self, desk: Desk) -> None:
        id = ordered(desk)
        place = place_of(desk, id)
        text = page(desk, place)
        given = dict(re.findall(r'name="(sign|once)" value="([^"]*)"', text))
        places = {
            desk.client.post(f"{place}/forks", data=given, follow_redirects=False).headers[
                "location"
            ]
            for _ in range(2)
        }
        assert len(places) == 1
        assert len(desk.get("/executions")["executions"]) == 2

    def test_none_begins_at_the_end(self, desk: Desk) -> None:
        id = ordered(desk)
        answer(desk, id, "why", "so")
        until(lambda: desk.status(id)["workflow_status"] == "completed")
        text = page(desk, f"/executions/{id}/checkpoints")
        assert "Nothing comes after it." in text
        assert "<textarea" not in text


def test_a_failed_execution_leads_to_the_checkpoint_before_its_failure(desk: Desk) -> None:
    id = desk.execution(steps=[step("gather"), step("write", "analyst", "gather")])
    desk.complete(id, "gather")
    desk.complete(id, "write", status="failed")
    until(lambda: desk.status(id)["workflow_status"] == "failed")
    text = page(desk, f"/executions/{id}")
    assert "Failed at <strong>Write</strong>" in text
    assert "ask for the execution" not in text
    ways = desk.status(id)["failure"]["recovery_options"]
    assert ways == [
        "begin the failed steps again: resume with restart_failed_steps",
        "go on from an earlier step: POST …/forks",
    ]
    (there,) = re.findall(r'href="([^"]*checkpoints\?before=[^"]*)"', text)
    text = page(desk, there)
    assert "Next: <strong>Write</strong>" in text
    assert "Begin a new execution here" in text


def test_who_only_reads_is_told_what_others_can_do(desk: Desk) -> None:
    id = desk.execution(steps=[step("gather")])
    desk.complete(id, "gather", status="failed")
    until(lambda: desk.status(id)["workflow_status"] == "failed")
    sign_in(desk, token(desk, "read"))
    text = page(desk, f"/executions/{id}")
    assert "Begin Gather again" in text
    assert "This needs a token of the scope <code>operate</code>." in text
    assert "Begin the failed step again" not in text


def test_one_whose_time_is_over_can_get_more(desk: Desk) -> None:
    id = desk.execution(config={"timeout_minutes": 5})
    desk.clock.forward(minutes=6)
    until(lambda: desk.status(id)["workflow_status"] == "failed")
    text = page(desk, f"/executions/{id}")
    assert "Give it more time" in text
    assert 'name="reset_timeout" value="1" checked' in text
