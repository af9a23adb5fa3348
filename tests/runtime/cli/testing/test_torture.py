"""`flowc torture`: the lie of a workflow that lies, what is said of stand-ins, and bad input."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

TOOLS = """\
import flowc

def send_mail(to: str, idempotency_key: str = "") -> str:
    \"\"\"Send a mail without a look at the key.\"\"\"
    flowc.note_effect(f"mail to {to}", idempotency_key)
    return f"sent to {to}"
"""
CONFIG = """\
[tools]
python = ["mail_tools:send_mail", "flowc:note_effect"]
effects = { send_mail = "idempotent" }
"""
LIAR = """\
flow: 1
outputs: [sent]
nodes:
  - {name: invite, tool: send_mail, args: {to: '"ann"'}, into: sent}
  - {name: note, tool: note_effect, args: {label: '"invited"'}}
"""
LONG = """\
flow: 1
limits: {visits: 100000, steps: 200000}
state: {n: {type: integer, default: 0}}
outputs: [n]
nodes:
  - {name: more, assign: {n: n + 1}, next: [{when: n < 50000, to: more}, done]}
  - {name: done, end: success}
"""
ASKS = """\
flow: 1
outputs: [said]
nodes:
  - {name: who, ask: Who?, into: who}
  - {name: tell, exec: "echo {{ who }}", into: said}
"""
COUNTS = """\
flow: 1
outputs: [pages]
nodes:
  - {name: count, exec: wc -l book, into: {book: json}}
  - {name: pages, assign: {pages: book.pages}}
"""
AGENT = "flow: 1\nnodes:\n  - {name: draft, agent: writer, prompt: Write.}\nagents: {writer: {}}\n"
QUICK = ("--boundaries", "1", "--moments", "0", "--seed", "1", "--json")


@pytest.fixture
def liar(tmp_path: Path) -> Path:
    (tmp_path / "mail_tools.py").write_text(TOOLS)
    (tmp_path / "flowc.toml").write_text(CONFIG)
    (tmp_path / "liar.flow.yaml").write_text(LIAR)
    return tmp_path


def test_a_tool_that_lies_about_idempotence_is_found(flowc, liar):
    real = ("torture", "liar.flow.yaml", "--real", "invite", "--yes")
    after = "after the effect: tool send_mail"
    done = flowc(*real, "--at", after)
    assert done.returncode == 1
    finding = "invite: `send_mail` is declared idempotent but ignored its key once"
    assert finding in done.stdout
    assert "advice: declare it `once`" in done.stdout
    assert f"flowc torture liar.flow.yaml --at '{after}'" in done.stdout
    assert done.stdout.endswith("1 finding in 1 kill\n")
    told = json.loads(flowc(*real, "--at", after, "--json").stdout)
    assert [(each["kind"], each["node"]) for each in told["findings"]] == [("liar", "invite")]


def test_a_stand_in_is_believed_and_it_is_said(flowc, liar):
    done = flowc("torture", "liar.flow.yaml", *QUICK)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["undisturbed"]["result"] == "stand-in for send_mail"
    after = "after the effect: tool send_mail"
    assert after in told["undisturbed"]["boundaries"]
    done = flowc("torture", "liar.flow.yaml", "--at", after, "--returns", "send_mail=sent")
    assert done.returncode == 0, done.stdout
    assert "not judged: that what is declared `idempotent` is: `send_mail`" in done.stdout
    assert done.stdout.endswith("nothing broke of what was judged in 1 kill\n")


def test_commands_print_what_their_node_is_said_to_return(flowc, tmp_path):
    (tmp_path / "pages.flow.yaml").write_text(COUNTS)
    failed = json.loads(flowc("torture", "pages.flow.yaml", *QUICK).stdout)
    assert failed["undisturbed"]["status"] == "error"
    done = flowc("torture", "pages.flow.yaml", *QUICK, "--returns", 'count={"pages": 7}')
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["undisturbed"]["result"], told["kills"]["boundaries"]) == (7, 1)


def test_a_call_that_failed_is_not_made_again_after_a_kill(flowc, tmp_path):
    fails = COUNTS.replace("{book: json}", "{book: json}, retry: {attempts: 2, wait: 0.01}")
    (tmp_path / "fails.flow.yaml").write_text(fails)
    at = [part for n in ("", " #2") for part in ("--at", f"after failed: command wc -l book{n}")]
    done = flowc("torture", "fails.flow.yaml", *at, "--returns", "count=none", "--json")
    told = json.loads(done.stdout)
    assert (done.returncode, told["findings"], told["kills"]["boundaries"]) == (0, [], 2)
    (count,) = told["nodes"]
    assert (count["effects"], count["asked"], count["repeated"]) == (2, 0, 0)


def test_a_run_that_ended_with_a_failure_is_not_begun_again(flowc, tmp_path):
    (tmp_path / "fails.flow.yaml").write_text(COUNTS)
    at = ("--at", "before update", "--at", "after update")
    done = flowc("torture", "fails.flow.yaml", *at, "--returns", "count=none", "--json")
    told = json.loads(done.stdout)
    assert (done.returncode, told["findings"], told["kills"]["boundaries"]) == (0, [], 2)
    assert told["undisturbed"]["status"] == "error"


def test_questions_are_answered_before_and_after_a_kill(flowc, tmp_path):
    (tmp_path / "asks.flow.yaml").write_text(ASKS)
    after = "after the effect: command echo ann"
    done = flowc("torture", "asks.flow.yaml", "--answer", "who=ann", "--at", after, "--json")
    told = json.loads(done.stdout)
    assert (done.returncode, told["findings"]) == (0, [])
    (tell,) = told["nodes"]
    assert (tell["node"], tell["effects"], tell["asked"], tell["repeated"]) == ("tell", 1, 1, 0)


@pytest.mark.parametrize(
    ("policy", "kind", "advice"),
    [("repeat", "repeated", "take `on_unknown` out"), ("fail", "ending", "take the failure with")],
)
def test_a_policy_that_repeats_or_fails_unasked_is_a_finding(flowc, liar, policy, kind, advice):
    node = f"{{name: note, tool: note_effect, args: {{label: '\"x\"'}}, on_unknown: {policy}}}"
    (liar / "policy.flow.yaml").write_text(f"flow: 1\nnodes:\n  - {node}\n")
    at = ("--at", "after the effect: tool note_effect", "--json")
    done = flowc("torture", "policy.flow.yaml", *at)
    assert done.returncode == 1, done.stderr
    (finding,) = json.loads(done.stdout)["findings"]
    assert finding["kind"] == kind
    assert f"on_unknown: {policy}" in finding["message"]
    assert advice in finding["advice"]


def test_beside_langgraph_alone(flowc, liar):
    """Its saver knows of no effect, so that what died after one does it again."""
    args = ("torture", "liar.flow.yaml", "--boundaries", "40", "--moments", "0", "--seed", "1")
    told = json.loads(flowc(*args, "--beside", "langgraph", "--json").stdout)
    beside = told["beside"]["langgraph"]
    assert beside["kills"]["boundaries"] > 3
    assert sum(node["repeated"] for node in told["nodes"]) == 0
    assert sum(node["repeated"] for node in beside["nodes"]) > 0


@pytest.mark.parametrize(
    ("file", "args", "words"),
    [
        ("none.flow.yaml", (), "there is no file `none.flow.yaml`"),
        ("asks.flow.yaml", (), "nobody scripted: who: Who?"),
        ("agent.flow.yaml", (), "nobody answers the model calls"),
        ("liar.flow.yaml", ("--real", "invit"), "did you mean `invite`?"),
        ("liar.flow.yaml", ("--real", "invite"), "`invite` would act for real"),
        ("liar.flow.yaml", ("--boundaries", "0", "--moments", "0"), "nothing would be killed"),
        (
            "liar.flow.yaml",
            ("--at", "after done: tool send_mai"),
            "did you mean `after done: tool send_mail`?",
        ),
        ("liar.flow.yaml", ("--store", "sqlite:///runs.db"), "leave out --store for SQLite"),
        ("liar.flow.yaml", ("--store", "postgresql://x@127.0.0.1:1/x"), "makes a database"),
        ("liar.flow.yaml", ("--replay", "none.yaml"), "cannot be read"),
        ("liar.flow.yaml", ("--replay", "a", "--real", "invite"), "exclude each other"),
        ("liar.flow.yaml", ("--answer", "x"), "write --answer NAME=TEXT"),
        ("long.flow.yaml", ("--timeout", "0.1"), "--timeout SECONDS gives each execution more"),
        ("plan.md", (), "is a living document"),
    ],
)
def test_bad_input_is_said_with_a_remedy(flowc, liar, file, args, words):
    (liar / "asks.flow.yaml").write_text(ASKS)
    (liar / "agent.flow.yaml").write_text(AGENT)
    (liar / "long.flow.yaml").write_text(LONG)
    plan = Path(__file__).parents[4] / "workflows/examples/plan/jingle-loudness.md"
    (liar / "plan.md").write_text(plan.read_text(encoding="utf-8"))
    done = flowc("torture", file, *args)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr


def test_a_file_with_faults_is_shown_as_by_check(flowc, tmp_path):
    (tmp_path / "bad.flow.yaml").write_text("flow: 1\nnodes:\n  - {name: a, next: b}\n")
    done = flowc("torture", "bad.flow.yaml")
    assert done.returncode == 1
    assert "error[" in done.stderr


def test_an_interrupt_shows_what_was_judged_so_far(liar):
    """And leaves nothing behind: no child, no folder."""
    words = [sys.executable, "-m", "flowc", "torture", "liar.flow.yaml", "--moments", "5000"]
    process = subprocess.Popen(
        [*words, "--boundaries", "0"],
        cwd=liar,
        env=_environment(liar),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    rooms = liar / "tmp"
    _until(lambda: len(list(rooms.glob("*/flowc-0000[4-9]"))) > 0)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "stopped before all 5000" in out
    assert "interrupted" in err
    assert list(rooms.iterdir()) == []


def _environment(folder: Path) -> dict[str, str]:
    import os

    (folder / "tmp").mkdir()
    root = Path(__file__).parents[4]
    path = os.pathsep.join(filter(None, [str(root / ".types"), os.environ.get("PYTHONPATH")]))
    return {**os.environ, "PYTHONPATH": path, "TMPDIR": str(folder / "tmp")}


def _until(true: object, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not true():  # type: ignore[operator]
        assert time.monotonic() < end
        time.sleep(0.02)
