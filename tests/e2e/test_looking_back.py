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


def test_a_terminal_that_is_made_narrower_keeps_no_pieces_of_live_lines(flowc):
    flowc.write(
        "wait.flow.yaml",
        "flow: 1\nnodes:\n  - name: wait\n"
        "    exec: 'while [ ! -e go ]; do sleep 0.05; done; echo on'\n    into: said\n"
        "outputs: [said]\n",
    )
    terminal = flowc.terminal("run", "wait.flow.yaml", "--allow-exec")
    terminal.expect("wait")
    terminal.expect("0 nodes done")
    fcntl.ioctl(terminal.main, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 20, 0, 0))
    terminal.expect("\x1b[1A\x1b[2K" * 3)
    flowc.write("go", "")
    assert terminal.close() == 0
    assert "0 nodes done" not in terminal.screen.rpartition("\x1b[2K")[2]
