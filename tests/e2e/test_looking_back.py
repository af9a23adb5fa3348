"""Past runs compared, told again and branched off, and the live lines on a terminal."""

from __future__ import annotations

import fcntl
import json
import struct
import termios

FLOW = """\
flow: 1
params: {city: {type: text, default: Oslo}, days: {type: integer, default: 2}}
nodes:
  - name: long
    choose: days > 3
    cases: {"true": sub, "false": short}
  - name: short
    assign: {plan: '"one walk"'}
    next: sub
  - name: sub
    call: inner
    with: {city: city}
    returns: {told: greeting}
outputs: [told]
workflows:
  inner:
    params: {city: text}
    nodes:
      - name: greet
        assign: {greeting: {text: "Hello {{ city }}"}}
      - name: again
        assign: {greeting: greeting}
    outputs: [greeting]
"""


def test_two_runs_are_compared_and_a_past_one_is_told_again(flowc):
    flowc.write("trip.flow.yaml", FLOW)
    for run, *given in (["one"], ["two"], ["three", "-i", "days=5", "-i", "city=Bergen"]):
        assert flowc("run", "trip.flow.yaml", "--run-id", run, *given).returncode == 0
    same = flowc("diff", "one", "two")
    assert (same.returncode, "the same way, variables and result" in same.stdout) == (0, True)
    other = flowc("diff", "one", "three")
    assert other.returncode == 1
    assert "  - long → false" in other.stdout
    assert "  + long → true" in other.stdout
    assert "  - city  Oslo" in other.stdout
    assert "  + result  Hello Bergen" in other.stdout
    told = json.loads(flowc("diff", "one", "three", "--json").stdout)
    assert told["same"] is False
    assert told["variables"]["days"] == {"first": 2, "second": 5}
    assert flowc("diff", "one", "four").returncode == 2

    lines = [json.loads(line) for line in flowc("show", "one", "--jsonl").stdout.splitlines()]
    assert [line["kind"] for line in lines][0 :: len(lines) - 1] == ["run_started", "run_finished"]
    shown = flowc("show", "one", "--events").stdout
    assert "node_finished  sub/greet" in shown

    forked = flowc("fork", "one", "--at", "short", "-i", "city=Voss", "--run-id", "five")
    assert forked.returncode == 0
    assert flowc("resume", "five").stdout == "Hello Voss\n"
    wrong = flowc("fork", "one", "--at", "short", "-i", "days=soon")
    assert (wrong.returncode, "`days`" in wrong.stderr) == (2, True), wrong.stderr


def test_the_past_inside_a_called_workflow_is_shown_and_not_branched_off(flowc):
    flowc.write("trip.flow.yaml", FLOW)
    assert flowc("run", "trip.flow.yaml", "--run-id", "one").returncode == 0
    told = flowc("history", "one").stdout.splitlines()
    inner = next(line for line in told if "sub/greet → sub/again" in line)
    assert "greeting = Hello Oslo" in inner
    assert any("sub/again → sub/end" in line for line in told)
    shown = [flowc("show", "one", "--at", at) for at in ("sub/again", inner.split()[0])]
    assert shown[0].stdout == shown[1].stdout
    assert "after sub/greet, before sub/again" in shown[0].stdout
    assert "Hello Oslo" in shown[0].stdout
    before = next(line.split()[0] for line in told if line.split()[-1] == "sub" or "→ sub " in line)
    refused = flowc("fork", "one", "--at", inner.split()[0])
    assert (refused.returncode, "lies inside `sub`" in refused.stderr) == (2, True)
    assert f"flowc fork one --at {before}" in refused.stderr
    found = json.loads(flowc("history", "one", "--json").stdout)["checkpoints"]
    assert [view["path"] for view in found if view["id"] == inner.split()[0]] == [["sub"]]


def test_gc_says_what_would_go_before_it_goes(flowc):
    flowc.write("trip.flow.yaml", FLOW)
    assert flowc("run", "trip.flow.yaml", "--run-id", "one").returncode == 0
    before = flowc("history", "one").stdout
    counts = ("dropped_inside", "dropped_history", "leases", "idempotency_keys")
    would = json.loads(flowc("gc", "--dry-run", "--json").stdout)
    assert (would["dry_run"], would["bytes_before"]) == (True, would["bytes_after"])
    said = flowc("gc", "--dry-run")
    assert f"would go: {would['dropped_inside']} checkpoints inside nodes" in said.stderr
    assert flowc("history", "one").stdout == before
    gone = json.loads(flowc("gc", "--json").stdout)
    assert [gone[name] for name in counts] == [would[name] for name in counts]
    assert min(gone["dropped_inside"], gone["dropped_history"]) > 1
    assert len(flowc("history", "one").stdout.splitlines()) == 1


def test_a_terminal_that_is_made_narrower_keeps_no_pieces_of_live_lines(flowc):
    flowc.write(
        "wait.flow.yaml",
        "flow: 1\nnodes:\n  - name: wait\n"
        "    exec: 'while [ ! -e go ]; do sleep 0.05; done; echo on'\n    into: said\n"
        "outputs: [said]\n",
    )
    terminal = flowc.terminal("run", "wait.flow.yaml", "--allow-exec")
    terminal.expect("wait")
    terminal.expect("0 visits done")
    fcntl.ioctl(terminal.main, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 20, 0, 0))
    terminal.expect("\x1b[1A\x1b[2K" * 3)
    flowc.write("go", "")
    assert terminal.close() == 0
    assert "0 visits done" not in terminal.screen.rpartition("\x1b[2K")[2]
