"""A replay that is killed and goes on asks for every exchange of its recording all the same: what
is left over is drift, wherever it died, and nothing else is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from attempts import ELEMENTS, TOOLS, Recording
from flowc.runtime.cassette.drift import DRIFT
from flowc.runtime.errors import RunError
from killed_cases import Killer
from killing import Killed, in_process
from openai_server import Recorded, Say
from tapes import Taped

EXTRA = "---\nfile: a_node_that_is_gone\nnumber: 1\npath: own.txt\ntext: own\n...\n"
FLOW = """\
# flowc: workspace .
flow: 1
state: {said: text, more: text}
scripts:
  reckon: {source: 'export function twice(n) { return n * 2; }'}
nodes:
  - {name: begin, assign: {text: read_file("own.txt")}}
  - {name: reckon, script: reckon, function: twice, args: [1], into: two}
  - {name: run, exec: "echo one; echo two", into: more}
"""


@pytest.fixture(autouse=True)
def key(monkeypatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-demo")


def killed_at(recording: Recording, at: int, name: str) -> Taped | None:
    """A replay that was killed at that event; None when it has not so many."""
    store = f"sqlite:///{recording.folder}/{name}-{at}.db"
    given = {"replay": str(recording.cassette)}
    run = Taped(recording.folder / "a.flow.yaml", given, store=store, ears=(Killer(at),))
    try:
        in_process(lambda: run.start().status)
    except Killed:
        return replace(run, ears=(), events=[])
    return None


def tools(request: Recorded) -> Say:
    noted = sum(m["role"] == "tool" for m in request.body["messages"])
    calls = [("list_files", {"path": "."})]
    return Say("good", usage=(20, 10)) if noted else Say("", calls, usage=(20, 10))


@pytest.mark.parametrize(
    ("flow", "answer", "stride"),
    [(FLOW, None, 2), (TOOLS, tools, 4), (ELEMENTS, None, 30)],
    ids=["files-scripts-commands", "tools", "elements"],
)
def test_what_is_left_over_is_drift_wherever_it_was_killed(
    tmp_path: Path, flow: str, answer, stride: int
) -> None:
    (tmp_path / "own.txt").write_text("own\n")
    recording = Recording(tmp_path, flow)
    recording.make(answer)
    text, at = recording.cassette.read_text(), 2
    while (run := killed_at(recording, at, "whole")) is not None:
        assert run.resume().status == "success", "nothing is left over"
        recording.cassette.write_text(text + EXTRA)
        more = killed_at(recording, at, "more")
        assert more is not None
        with pytest.raises(RunError, match="did not ask for one exchange") as caught:
            more.resume()
        assert caught.value.exit_code == DRIFT, at
        recording.cassette.write_text(text)
        at += stride
    assert at > 2 + 2 * stride
