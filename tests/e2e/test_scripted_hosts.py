"""A file of answers answers for hosts: a run of requests without a network, attempt by attempt."""

from __future__ import annotations

import json

FLOW = """flow: 1
name: w
nodes:
  - name: get
    http: https://weather.example.com/now
    retry: {attempts: 2, wait: 0}
    into: {sky: json}
  - {name: more, http: https://weather.example.com/then, into: later, on_error: sorry}
  - {name: done, end: success}
  - {name: sorry, assign: {later: '"none"'}}
outputs: [sky, later]
"""
ANSWERS = """get: [[{http: 503}, {http: {json: {degrees: 12}}}]]
more: {http: {status: 404}}
"""


def test_a_run_of_requests_needs_no_network(flowc) -> None:
    (flowc.folder / "w.flow.yaml").write_text(FLOW)
    (flowc.folder / "w.answers.yaml").write_text(ANSWERS)
    go = ("--answers", "w.answers.yaml", "--allow-net", "weather.example.com", "--json")
    done = flowc("run", "w.flow.yaml", *go)
    assert done.returncode == 0, done.stderr
    variables = json.loads(done.stdout)["variables"]
    assert variables["sky"] == {"degrees": 12}
    assert variables["later"] == "none"
