"""Questions of a workflow that is called more than once: each call asks its own."""

from __future__ import annotations

from typing import Any

from .conftest import Desk, Opening
from .test_faults import until

TWICE = """\
flow: 1
name: twice
state: {A: text, B: text, ALL: text}
outputs: [ALL]
nodes:
  - {name: one, call: inner, returns: {A: WORD}}
  - {name: two, call: inner, returns: {B: WORD}}
  - {name: join, assign: {ALL: 'A + " " + B'}}
workflows:
  inner:
    state: {WORD: text}
    outputs: [WORD]
    nodes:
      - {name: which, ask: "Which word?", into: WORD}
"""


def question(desk: Desk, id: str, known: set[str]) -> str:
    """The question that waits and was not there before."""
    found: list[dict[str, Any]] = []

    def asks() -> bool:
        status = desk.get(f"/executions/{id}")
        assert status["workflow_status"] in ("starting", "executing"), status
        found[:] = [q for q in status["questions"] if q["question_id"] not in known]
        return bool(found)

    until(asks)
    known.add(str(found[0]["question_id"]))
    return str(found[0]["question_id"])


def test_the_second_call_does_not_take_the_answer_of_the_first(opening: Opening) -> None:
    with opening() as desk:
        text = {"file_name": "twice.flow.yaml", "source": TWICE}
        id = desk.post("/workflows", text)["workflow_id"]
        id = desk.post("/executions", {"workflow_id": id})["execution_id"]
        known: set[str] = set()
        first = f"/executions/{id}/questions/{question(desk, id, known)}"
        desk.post(first, {"answer": "red"})
        second = question(desk, id, known)
        told = desk.post(first, {"answer": "green"}, 422)
        assert told["recovery_options"] == [f"answer what waits: POST …/questions/{second}"]
        desk.post(f"/executions/{id}/questions/{second}", {"answer": "blue"})
        until(lambda: desk.get(f"/executions/{id}")["workflow_status"] == "completed")
        assert desk.get(f"/executions/{id}")["result"] == "red blue"
