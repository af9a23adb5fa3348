"""Recordings of elements side by side, of attempts that were cut off, of runs that waited."""

from __future__ import annotations

from pathlib import Path

from tapes import Taped

FLOW = """\
flow: 1
state: {COUNT: integer}
nodes:
  - name: each
    foreach: [3, 1, 2]
    do: one
    item: n
    concurrency: 3
    into: all
  - name: flaky
    exec: 'test -e made || { touch made; sleep 5; }; echo here'
    into: seen
    timeout: 1
    retry: {attempts: 2, wait: 0.1, errors: [timeout]}
  - name: ask_twice
    foreach: [1, 2]
    do: one
    item: n
    into: again
outputs: [all]
workflows:
  one:
    params: {n: integer}
    nodes:
      - name: wait
        exec: sleep 0.{{ n }}; echo {{ n }} $$
        into: out
    outputs: [out]
"""


def test_side_by_side_and_tried_again(tmp_path: Path) -> None:
    (tmp_path / "a.flow.yaml").write_text(FLOW)
    tape = str(tmp_path / "a.cassette.yaml")
    config = {"allow_exec": True, "record": tape, "on_unknown": "repeat"}
    live = Taped(tmp_path / "a.flow.yaml", config, store=f"sqlite:///{tmp_path}/runs.db")
    outcome = live.start()
    while outcome.status == "paused":
        outcome = live.resume(only="repeat")
    assert outcome.status == "success", outcome
    replays = []
    for _ in range(2):
        again = Taped(tmp_path / "a.flow.yaml", {"replay": tape})
        again.start()
        assert again.outcome.variables == outcome.variables
        replays.append(again.digest)
    assert len(set(replays)) == 1


def test_a_run_that_waited_is_one_recording(tmp_path: Path) -> None:
    flow = tmp_path / "a.flow.yaml"
    flow.write_text(
        "flow: 1\nnodes:\n  - name: ready\n    exec: cat ready\n    into: said\n"
        "  - name: more\n    ask: How much?\n    into: much\noutputs: [much]\n"
    )
    tape = str(tmp_path / "a.cassette.yaml")
    (tmp_path / "ready").write_text("go\n")
    given = {"allow_exec": True, "record": tape}
    live = Taped(flow, given, store=f"sqlite:///{tmp_path}/runs.db")
    assert live.start().status == "paused"
    assert live.resume(only="seven").result == "seven"
    (tmp_path / "ready").unlink()
    again = Taped(flow, {"replay": tape})
    assert (again.start().status, again.outcome.result) == ("success", "seven")
    assert again.outcome.variables == live.outcome.variables


KILLED = """\
# flowc: workspace .
flow: 1
nodes:
  - name: one
    exec: echo one >> log; echo 1
    into: a
  - name: slow
    exec: 'echo slow >> log; test -e second || { touch second; sleep 60; }; echo 2'
    into: b
  - name: three
    exec: cat log
    into: c
outputs: [c]
"""


def test_a_run_that_was_killed_and_resumed_is_one_recording(flowc) -> None:
    flowc.write("k.flow.yaml", KILLED)
    tape = ["--record", "k.cassette.yaml"]
    process = flowc.begin("run", "k.flow.yaml", "--allow-exec", "--run-id", "k", *tape)
    flowc.until(lambda: (flowc.folder / "second").exists(), "the second command")
    process.kill()
    process.wait()
    assert "command: one\n" in (flowc.folder / "k.cassette.yaml").read_text()
    done = flowc("resume", "k", "--on-unknown", "repeat", "--quiet")
    assert done.returncode == 0, done.stderr
    for name in ("log", "second"):
        (flowc.folder / name).unlink()
    again = flowc("run", "k.flow.yaml", "--replay", "k.cassette.yaml", "--quiet")
    assert (again.returncode, again.stdout) == (0, done.stdout), again.stderr
    assert flowc.lines("log") == []
    assert done.stdout.splitlines() == ["one", "slow", "slow"]
