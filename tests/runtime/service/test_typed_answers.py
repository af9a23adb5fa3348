"""An answer to a question has the type of the variable that it goes into, or is refused."""

from __future__ import annotations

from typing import Any

import pytest

from .conftest import Desk
from .test_faults import until

SOURCE = """\
flow: 1
name: asks
outputs: [NOTE]
state: {NOTE: text, COUNT: integer}
nodes:
  - {name: note, ask: "What?", into: NOTE}
  - {name: count, ask: "How many?", into: COUNT}
"""


@pytest.mark.parametrize("wrong", [["a"], {"a": 1}])
def test_a_list_is_not_a_text(desk: Desk, wrong: Any) -> None:
    body = {"file_name": "asks.flow.yaml", "source": SOURCE}
    workflow = desk.post("/workflows", body)["workflow_id"]
    id = desk.post("/executions", {"workflow_id": workflow})["execution_id"]
    until(lambda: bool(desk.status(id)["questions"]))
    told = desk.post(f"/executions/{id}/questions/note", {"answer": wrong}, 422)
    assert told["error_message"].startswith("the answer to `note` must be a text, not `")
    desk.post(f"/executions/{id}/questions/note", {"answer": 3})
    until(lambda: [q["question_id"] for q in desk.status(id)["questions"]] == ["count"])
    told = desk.post(f"/executions/{id}/questions/count", {"answer": "many"}, 422)
    assert told["error_message"] == 'the answer to `count` must be a whole number, not `"many"`'
    desk.post(f"/executions/{id}/questions/count", {"answer": 3})
    until(lambda: desk.status(id)["workflow_status"] == "completed")
    assert desk.status(id)["result"] == "3"
