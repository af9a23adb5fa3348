"""Variables whose names look secret: events, page and checkpoints show none of their values."""

from __future__ import annotations

import json

import pytest
from flowc.runtime.secrets import BLOT, hidden_values, shown_value
from stores import KINDS

from .conftest import Desk
from .test_faults import until
from .test_page import page

SOURCE = """\
flow: 1
name: keys
outputs: [DONE]
state: {API_TOKEN: text, PIN: text, NOTE: text, DONE: text}
nodes:
  - {name: set, assign: {API_TOKEN: '"tok-0123456789"', PIN: '"1234"'}}
  - {name: say, assign: {NOTE: '"plain " + API_TOKEN'}}
  - {name: pin, ask: "Which PIN?", into: PIN}
  - {name: wrong, assert: 'API_TOKEN == "other"'}
  - {name: done, assign: {DONE: '"yes"'}}
"""


def test_one_rule_for_all_places() -> None:
    hidden = hidden_values({"API_KEY": "in-the-environment"}, {"API_KEY": "in-a-variable", "N": 3})
    assert hidden == ("in-the-environment", "in-a-variable")
    assert shown_value("NOTE", ["x in-a-variable"], hidden) == [f"x {BLOT}"]
    assert shown_value("PIN", "1234", hidden) == BLOT
    assert shown_value("PIN", None, hidden) is None


@pytest.mark.parametrize("kind", KINDS)
def test_no_place_shows_them(desk: Desk) -> None:
    body = {"file_name": "keys.flow.yaml", "source": SOURCE}
    workflow = desk.post("/workflows", body)["workflow_id"]
    id = desk.post("/executions", {"workflow_id": workflow})["execution_id"]
    until(lambda: bool(desk.status(id)["questions"]))
    desk.post(f"/executions/{id}/questions/pin", {"answer": "9876"})
    until(lambda: desk.status(id)["workflow_status"] == "failed")
    told = [page(desk, f"/executions/{id}"), page(desk, f"/executions/{id}/checkpoints")]
    executing = desk.client.app.state.service.executing  # type: ignore[attr-defined]
    events = desk.client.portal.call(executing.engine.store.events, id)  # type: ignore[union-attr]
    told += [json.dumps(event.data) for event in events]
    assert "plain" in told[0]
    assert BLOT in told[0]
    for text in told:
        assert "tok-0123456789" not in text
        assert "PIN = 1234" not in text
        assert "9876" not in text
    variables = desk.client.portal.call(executing.engine.state, id).variables  # type: ignore[union-attr]
    assert variables["API_TOKEN"] == "tok-0123456789", "and the run knows them"
    assert variables["PIN"] == "9876"
