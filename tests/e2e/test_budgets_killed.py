"""What a run has used up is kept when its process is killed in the middle of a call."""

from __future__ import annotations

import json
import os
import re
import signal

from metered import Meter
from openai_server import Hang

FLOW = """flow: 1
nodes:
  - {name: one, agent: writer, prompt: Write a line., into: line}
  - {name: two, agent: writer, prompt: "Another after {{ line }}.", into: line}
  - {name: three, agent: writer, prompt: "Another after {{ line }}.", into: line}
outputs: [line]
"""


def used(flowc) -> dict:
    return json.loads(flowc("show", "r", "--json").stdout)["usage"]


def test_a_killed_run_keeps_what_it_has_spent_and_what_was_under_way(flowc, openai_server):
    flowc.write("work.flow.yaml", FLOW)
    flowc.write("flowc.toml", "max_output_tokens = 100\n")
    meter = Meter(openai_server)
    openai_server.answer = lambda request: Hang() if meter.asked else meter.answer(request)
    model = ("--model", "openai:gpt-demo", "--base-url", openai_server.url)
    process = flowc.begin("run", "work.flow.yaml", *model, "--run-id", "r", "--max-tokens", "700")
    flowc.until(lambda: len(openai_server.requests) == 2, "the second call")
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()

    spent, sure = used(flowc), meter.used
    assert spent["estimated"]
    assert spent["output_tokens"] == 20 + 100, "the call in doubt keeps its reservation"
    openai_server.answer = meter.answer
    done = flowc("resume", "r", "--on-unknown", "repeat")
    assert done.returncode == 0, done.stderr
    after = used(flowc)
    in_doubt = spent["input_tokens"] + spent["output_tokens"] - sure
    assert after["input_tokens"] + after["output_tokens"] == meter.used + in_doubt
    assert len(meter.asked) == 3, "what was answered is not asked, and so not charged, again"


def test_a_limit_holds_over_a_kill_and_goes_on_when_it_is_raised(flowc, openai_server):
    flowc.write("work.flow.yaml", FLOW)
    flowc.write("flowc.toml", "max_output_tokens = 100\n")
    meter = Meter(openai_server)
    openai_server.answer = lambda request: Hang() if meter.asked else meter.answer(request)
    model = ("--model", "openai:gpt-demo", "--base-url", openai_server.url)
    process = flowc.begin("run", "work.flow.yaml", *model, "--run-id", "r", "--max-tokens", "400")
    flowc.until(lambda: len(openai_server.requests) == 2, "the second call")
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    openai_server.answer = meter.answer
    stopped = flowc("resume", "r", "--on-unknown", "repeat")
    assert stopped.returncode == 5, stopped.stderr
    assert re.search(r"--max-tokens \d+ ", stopped.stderr)
    assert flowc("resume", "r", "--max-tokens", "4000").returncode == 0
