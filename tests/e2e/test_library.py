"""The library in the dialects that have expressions: checked in place, run, recorded, caught."""

from __future__ import annotations

import json
from typing import Any

FLOW = """\
flow: 1
params: {log: text, zone: {type: text, default: UTC}}
nodes:
  - name: read
    assign:
      lines: filter(lines(log), item contains "=")
      pairs: 'map(line in lines, {"key": split(line, "=")[0], "mark": number(split(line, "=")[1])})'
      best: sort(pairs, item.mark)[-1].key
  - name: fine
    choose: count(pairs, item.mark > 3) > 1
    cases: {"true": told, otherwise: failed}
  - name: told
    assign:
      answer:
        text: "{{ best }} of {{ length(pairs) }}, {{ format('{:.2f}', mean(pairs, item.mark)) }}"
outputs: [answer]
"""
CAUGHT = """\
flow: 1
params: {text: text}
nodes:
  - name: read
    assign: {data: parse_json(text)}
    on_error: sorry
    next: done
  - name: done
    assign: {answer: data.total}
    next: end
  - name: sorry
    assign: {answer: {text: "no: {{ why }}"}}
on_error:
  - {errors: [failure], set: {why: error.message}}
outputs: [answer]
"""
NOW = """\
flow: 1
nodes:
  - name: look
    assign: {at: now("Europe/Berlin"), soon: 'add_time(now(), 1, "hour")'}
outputs: [at, soon]
"""


def run(flowc: Any, text: str, *options: str) -> dict[str, Any]:
    flowc.write("a.flow.yaml", text)
    done = flowc("run", "a.flow.yaml", "--json", *options)
    assert done.stdout, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def test_flow_yaml_shapes_values(flowc) -> None:
    outcome = run(flowc, FLOW, "-i", "log=# marks\nada=5\ngrace=6\nbob=1\n")
    assert outcome["result"] == "grace of 3, 4.00"


def test_a_failure_of_a_function_is_the_nodes_and_is_caught(flowc) -> None:
    outcome = run(flowc, CAUGHT, "-i", "text={oops")
    assert outcome["status"] == "success"
    assert "it is not JSON, line 1, column 2" in outcome["result"]
    loose = CAUGHT.replace("    on_error: sorry\n", "")
    failed = run(flowc, loose, "-i", "text={oops")
    assert (failed["status"], failed["error"]["node"]) == ("error", "read")
    assert "a.flow.yaml:4" in failed["error"]["place"]


def test_a_replay_sees_the_time_of_the_recording(flowc) -> None:
    assert run(flowc, NOW, "--record", "a.cassette.yaml")["status"] == "success"
    file = flowc.folder / "a.cassette.yaml"
    lines = [
        "seconds: 1774744200.0" if line.startswith("seconds: ") else line
        for line in file.read_text().splitlines()
    ]
    file.write_text("\n".join(lines) + "\n")
    again = run(flowc, NOW, "--replay", "a.cassette.yaml")
    assert again["variables"]["at"] == "2026-03-29T01:30:00+01:00"
    assert again["variables"]["soon"] == "2026-03-29T01:30:00+00:00"


def test_faults_are_told_at_the_place_of_the_part(flowc) -> None:
    wrong = FLOW.replace("item contains", "itm contains").replace(
        'split(line, "=")[0]', "spilt(line)"
    )
    flowc.write("a.flow.yaml", wrong.replace("count(pairs,", 'count("x" + log,'))
    done = flowc("check", "a.flow.yaml")
    assert done.returncode == 1
    assert "`itm`" in done.stderr + done.stdout
    assert "there is no function `spilt`" in done.stdout + done.stderr
    assert "did you mean `split`?" in done.stdout + done.stderr
    assert "count needs a list, not a text" in done.stdout + done.stderr
