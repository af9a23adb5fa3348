"""What a command gives, part by part, in real runs: variables, failures, resumes, recordings."""

from __future__ import annotations

import json
from typing import Any

GO = ("--allow-exec", "--sandbox", "off", "--json")


def flow(*nodes: str, outputs: str = "out") -> str:
    return "\n".join(["flow: 1", "nodes:", *(f"  - {n}" for n in nodes), f"outputs: [{outputs}]\n"])


def ran(flowc: Any, text: str, *more: str) -> dict[str, Any]:
    flowc.write("a.flow.yaml", text)
    done = flowc("run", "a.flow.yaml", *GO, *more)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_every_part_goes_into_its_variable(flowc):
    command = '"echo oops >&2; echo; printf \'[1, {\\"a\\": null}]\\n\\n\'; exit 3"'
    parts = "into: {out: stdout, said: text, wrong: stderr, data: json, code: code}"
    text = flow(f"{{name: a, exec: {command}, {parts}}}", outputs="out, said, wrong, data, code")
    assert ran(flowc, text)["variables"] == {
        "out": '\n[1, {"a": null}]\n\n',
        "said": '\n[1, {"a": null}]',
        "wrong": "oops\n",
        "data": [1, {"a": None}],
        "code": 3,
    }


def test_a_variable_alone_gets_the_text_and_none_is_needed(flowc):
    text = flow("{name: a, exec: touch made}", "{name: b, exec: echo tea, into: out}")
    assert ran(flowc, text)["result"] == "tea"
    assert (flowc.folder / "made").exists()


def test_a_transcript_keeps_both_outputs_in_their_order(flowc):
    command = '"for n in 1 2 3; do echo out $n; echo err $n >&2; done"'
    text = flow(f"{{name: a, exec: {command}, into: {{out: transcript}}}}")
    said = "".join(f"\nout {n}\nerr {n}" for n in (1, 2, 3))
    assert ran(flowc, text)["result"] == "$ " + json.loads(command) + said


def test_a_command_that_fails_fails_its_node_and_runs_again_in_a_resume(flowc):
    command = '"echo tried >> log; test -e ready || { echo not yet >&2; exit 4; }; cat log"'
    text = flow(f"{{name: a, exec: {command}, into: out}}")
    found = ran(flowc, text)
    assert (found["status"], found["error"]["node"], found["error"]["kind"]) == (
        "error", "a", "failure"
    )  # fmt: skip
    assert found["error"]["message"].endswith("ended with exit code 4: not yet")
    assert found["error"]["place"].startswith("a.flow.yaml:3:")
    flowc.write("ready", "")
    done = flowc("resume", found["run"], *GO)
    assert json.loads(done.stdout)["result"] == "tried\ntried"


def test_a_failed_command_is_tried_again_and_its_edge_is_taken(flowc):
    again = '"echo x >> log; test $(wc -l < log) = 2 && cat log"'
    text = flow(
        f"{{name: a, exec: {again}, into: out, retry: {{attempts: 2, wait: 0.01}}}}",
        "{name: b, exec: exit 1, on_error: {to: c, errors: [failure]}, next: failed}",
        "{name: c, assign: {}}",
    )
    found = ran(flowc, text)
    assert (found["status"], found["result"]) == ("success", "x\nx")


def test_the_commands_of_a_text_end_at_the_first_that_fails(flowc):
    text = (
        "flow: 1\nnodes:\n  - name: a\n    form: blocks\n    into: out\n    exec: |\n"
        "      ```sh\n      echo one >> log\n      (exit 2)\n      echo two >> log\n      ```\n"
    )
    assert "exit code 2" in ran(flowc, text)["error"]["message"]
    assert (flowc.folder / "log").read_text() == "one\n"


def test_what_is_no_json_fails_the_node_in_words(flowc):
    text = flow("{name: a, exec: 'echo \"{a: 1}\"', into: {out: json}}")
    error = ran(flowc, text)["error"]
    assert (error["node"], error["place"].partition(":")[0]) == ("a", "a.flow.yaml")
    assert "line 1, column 2" in error["message"]
    deep = flow("{name: a, exec: 'printf %0300d 0 | tr 0 \"[\"', into: {out: json}}")
    assert ran(flowc, deep)["status"] == "error"
    long = flow("{name: a, exec: 'echo [; yes 1, | head -n 200000; echo 1]', into: {out: json}}")
    assert "more than is kept" in ran(flowc, long)["error"]["message"]


def test_a_failure_whose_code_is_taken_needs_no_json(flowc):
    text = flow(
        "{name: a, exec: 'echo gone >&2; exit 4', into: {data: json, code: code, why: stderr}}",
        '{name: b, assert: code == 0, error: "{{ code }}, {{ why }}, {{ data == null }}"}',
        outputs="data",
    )
    error = ran(flowc, text)["error"]
    assert (error["node"], error["message"]) == ("b", "4, gone\n, true")


def test_a_recording_gives_every_part_and_every_failure_again(flowc):
    parts = "into: {out: json, wrong: stderr, code: code}"
    text = flow(
        f"{{name: a, exec: 'date +%s%N; date +%N >&2; exit 5', {parts}}}",
        "{name: b, exec: 'date +%N; date +%N >&2; exit 6', on_error: end}",
        "{name: c, exec: 'date +%N >&2; exit 7'}",
        outputs="out, wrong, code",
    )
    text = text.replace("on_error: end", "on_error: c")
    first = ran(flowc, text, "--record", "a.cassette.yaml")
    assert first["variables"]["code"] == 5
    again = flowc("run", "a.flow.yaml", "--replay", "a.cassette.yaml", "--json")
    found = json.loads(again.stdout)
    assert found["variables"] == first["variables"], again.stderr
    assert found["error"]["message"] == first["error"]["message"]
