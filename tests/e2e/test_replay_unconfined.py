"""A recording made without a sandbox: replayed it starts nothing, so that no sandbox is needed."""

from __future__ import annotations

import json

import sounds

FLOW = """\
flow: 1
nodes:
  - {name: listen, tool: audio_measure, args: {input: '"in.wav"'}, into: heard}
  - {name: say, exec: echo loud, into: said}
  - name: told
    assign: {result: {text: "{{ heard.duration_s }} s"}}
outputs: [result]
"""


def test_what_ran_without_a_sandbox_is_replayed_without_one(flowc):
    flowc.write("a.flow.yaml", FLOW)
    sounds.write(flowc.folder / "in.wav", sounds.tone(0.5))
    free = ("--allow-exec", "--sandbox", "off", "--record", "a.cassette.yaml", "--json")
    done = flowc("run", "a.flow.yaml", *free)
    first = json.loads(done.stdout)
    assert first["status"] == "success", done.stderr
    assert [one["level"] for one in first["sandbox"]] == ["off"] * len(first["sandbox"])
    assert first["sandbox"]
    (flowc.folder / "in.wav").unlink()
    done = flowc("run", "a.flow.yaml", "--replay", "a.cassette.yaml", "--json")
    again = json.loads(done.stdout)
    assert again["variables"] == first["variables"], done.stderr
    assert again["sandbox"] == []
