"""Every attempt of a node has its own exchanges, wherever the node is called from."""

from __future__ import annotations

from pathlib import Path

import pytest
from attempts import ALL_AGAIN, CALL, CHECK, COMMANDS, ELEMENTS, IN_A_CALL, OWN, TOOLS, Recording
from flowc.runtime.cassette.drift import DRIFT
from flowc.runtime.cassette.format import read_cassette
from flowc.runtime.errors import RunError
from openai_server import Recorded, Say
from tapes import Taped


@pytest.fixture(autouse=True)
def key(monkeypatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-demo")


def of(run: Taped, kind: str) -> int:
    return sum(event.kind == kind for event in run.events)


def test_replay_forgets_retried_attempts(tmp_path: Path) -> None:
    """The finding: `bad`, then `good` were two calls and one attempt more; replayed it was one."""
    recording = Recording(tmp_path, CALL)
    live = recording.make()
    assert (of(live, "model_called"), of(live, "node_retry")) == (2, 1)
    again = recording.replay()
    assert (of(again, "model_called"), of(again, "node_retry")) == (2, 1)
    assert again.outcome.usage.input_tokens == live.outcome.usage.input_tokens == 40
    assert again.digest == live.digest


SHAPES = {
    "a node's own attempts": (OWN, 1),
    "a call": (CALL, 2),
    "calls in a call, in a loop": (IN_A_CALL, 3),
    "calls in elements side by side": (ELEMENTS, 2),
    "elements side by side, all tried again": (ALL_AGAIN, 1),
    "a command, whose result a later attempt keeps": (COMMANDS, 2),
}


@pytest.mark.parametrize("shape", SHAPES, ids=lambda name: name.replace(" ", "-"))
def test_every_attempt_is_replayed(shape: str, tmp_path: Path) -> None:
    flow, bad = SHAPES[shape]
    recording = Recording(tmp_path, flow, bad)
    live = recording.make()
    assert of(live, "node_retry")
    for _ in range(2):
        again = recording.replay()
        assert again.digest == live.digest
        assert again.outcome.usage.output_tokens == live.outcome.usage.output_tokens > 0
    exchanges = read_cassette(str(recording.cassette)).exchanges
    assert len(exchanges) == len(recording.documents) - 1, "a key stands in the file twice"


def test_a_model_that_is_asked_twice_in_a_visit_is_not_tried_again(tmp_path: Path) -> None:
    """The calls of one conversation are numbered; those of the next attempt begin at 1 again."""
    recording = Recording(tmp_path, TOOLS)
    asked: list[Recorded] = []

    def answer(request: Recorded) -> Say:
        asked.append(request)
        if len(asked) % 2:
            return Say("", [("list_files", {"path": "."})], usage=(20, 10))
        return Say("good" if len(asked) == 4 else "bad", usage=(20, 10))

    live = recording.make(answer)
    assert (of(live, "model_called"), of(live, "tool_called"), of(live, "node_retry")) == (4, 2, 1)
    keys = [key[1:] for key in read_cassette(str(recording.cassette)).exchanges]
    assert [key for key in keys if key[0].startswith("mid")] == [
        (place, 1, 1, number) for place in ("mid/ask", "mid~2/ask") for number in "123"
    ]
    assert recording.replay().digest == live.digest


WHOLE = f"""\
# flowc: workspace .
flow: 1
nodes:
  - name: begin
    assign: {{text: read_file("own.txt")}}
  - name: mid
    call: sub
    with: {{n: 1}}
    retry: {{attempts: 6, wait: 0}}
    returns: {{said: said}}
  - name: look
    tool: list_files
    args: {{path: '"."'}}
    into: files
  - name: make
    exec: echo made
    into: made
outputs: [said]
workflows:
  sub:
    params: {{n: integer}}
    nodes:
{CHECK}"""


@pytest.fixture
def whole(tmp_path: Path) -> Recording:
    (tmp_path / "own.txt").write_text("own\n")
    recording = Recording(tmp_path, WHOLE)
    recording.make()
    return recording


def effects_in(recording: Recording) -> list[int]:
    """The documents that are exchanges, by their places."""
    kinds = ("model", "tool", "command", "file")
    starts = tuple(f"---\n{kind}: " for kind in kinds)
    found = [n for n, text in enumerate(recording.documents) if text.startswith(starts)]
    assert len(found) == 5
    return found


def test_a_missing_exchange_is_drift_whichever_it_is(whole: Recording) -> None:
    documents = whole.documents
    for left_out in effects_in(whole):
        rest = [text for n, text in enumerate(documents) if n != left_out]
        whole.cassette.write_text("".join(f"{text}...\n" for text in rest))
        with pytest.raises(RunError) as caught:
            whole.replay()
        message, code = caught.value.message, caught.value.exit_code
        if code != DRIFT:  # the next call is written as a continuation of this one
            assert "goes on from the model call `mid/ask 1.1`" in message
        else:
            assert " exchange that `" in message
            assert "does not hold" in message


def test_an_exchange_that_is_not_asked_for_is_drift_whichever_it_is(whole: Recording) -> None:
    text = whole.cassette.read_text()
    for extra in effects_in(whole):
        kind, place, *rest = whole.documents[extra].split(maxsplit=3)[1:]
        more = f"---\n{kind} {place}\nattempt: 9\n{''.join(rest)}...\n"
        whole.cassette.write_text(text + more)
        again = Taped(whole.folder / "a.flow.yaml", {"replay": str(whole.cassette)})
        with pytest.raises(RunError) as caught:
            again.start()
        assert caught.value.exit_code == DRIFT
        assert "did not ask for one exchange" in caught.value.message
        warnings = [e.data["message"] for e in again.events if e.kind == "warning"]
        assert len(warnings) == 1
        assert f"{kind[:-1]} of `{place}` (attempt 9" in warnings[0]


UNTIL = """\
flow: 1
nodes:
  - name: each
    foreach: [9, 1, 5, 5]
    do: one
    item: n
    concurrency: 2
    until: all contains 1
    into: all
outputs: [all]
workflows:
  one:
    params: {n: integer}
    nodes:
      - name: wait
        exec: sleep 0.{{ n }}; printf {{ n }}
        into: out
      - name: cut
        assign: {got: n}
    outputs: [got]
"""


def test_elements_side_by_side_end_in_the_recorded_order(tmp_path: Path) -> None:
    """The second element is through before the first, so that no third one begins."""
    recording = Recording(tmp_path, UNTIL)
    live = recording.make()
    assert live.outcome.result == [9, 1]
    assert "ended:\n- 1\n- 0\n" in recording.cassette.read_text()
    assert recording.replay().digest == live.digest
