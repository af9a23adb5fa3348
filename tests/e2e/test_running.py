"""A run from outside: exit codes, streams, pause, stop, signals, limits, two processes at once."""

from __future__ import annotations

import json
import os
import re
import signal
from itertools import pairwise

import pytest

WAITING = "echo {0} >> ran.txt; while [ ! -e go-{0} ]; do sleep 0.02; done; echo {0} done"


def chart(*nodes: str, title: str = "Chart", prompts: str = "") -> str:
    """START, the nodes one after another, SUCCESS."""
    ids = [node.split("[")[0] for node in nodes]
    ways = [f"    START --> {ids[0]}", *(f"    {a} --> {b}" for a, b in pairwise(ids))]
    body = "\n".join([*(f"    {node}" for node in nodes), *ways, f"    {ids[-1]} --> SUCCESS"])
    head = f"# {title}\n\n<!-- flowc: workspace . -->\n\n# Workflow"
    return f"{head}\n\n```mermaid\nflowchart TD\n{body}\n```\n{prompts}"


def execute(name: str, command: str) -> str:
    return f'EXECUTE_{name}["Execute: {command}"]'


@pytest.fixture
def two_waiting(flowc):
    """Two commands, each of which waits for a file."""
    first, second = WAITING.format("one"), WAITING.format("two")
    flowc.write("two.wf.md", chart(execute("ONE", first), execute("TWO", second)))
    return ("run", "two.wf.md", "--allow-exec", "--run-id", "two")


def test_the_result_alone_goes_to_stdout(flowc):
    flowc.write("one.wf.md", chart("ASSIGN_A['the result']"))
    done = flowc("run", "one.wf.md", "--run-id", "one")
    assert (done.returncode, done.stdout) == (0, "the result\n")
    assert "one.wf.md · flowchart · 3 nodes, 2 edges · run one" in done.stderr
    assert "✓ ASSIGN_A" in done.stderr
    assert "run one kept in .flowc/runs.db" in done.stderr
    assert "\x1b" not in done.stderr


def test_quiet_says_nothing_else(flowc):
    flowc.write("one.wf.md", chart("ASSIGN_A['the result']"))
    done = flowc("run", "one.wf.md", "--quiet")
    assert (done.stdout, done.stderr) == ("the result\n", "")


def test_json_is_one_object(flowc):
    flowc.write("one.wf.md", chart("ASSIGN_A['the result']"))
    done = flowc("run", "one.wf.md", "--json", "--run-id", "one")
    said = json.loads(done.stdout)
    assert said["schema_version"] == 1
    assert (said["run"], said["status"], said["result"]) == ("one", "success", "the result")
    assert said["variables"]["STATUS"] == "SUCCESS"
    assert done.stderr == ""


def test_json_lines_are_the_events_and_then_the_outcome(flowc):
    flowc.write("one.wf.md", chart("ASSIGN_A['the result']"))
    done = flowc("run", "--jsonl", "one.wf.md")
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert all(event["schema_version"] == 1 for event in events)
    assert events[0]["kind"] == "run_started"
    assert [e["node"] for e in events if e["kind"] == "node_finished"] == [
        "START",
        "ASSIGN_A",
        "SUCCESS",
    ]
    assert (events[-1]["kind"], events[-1]["status"]) == ("outcome", "success")


def test_a_workflow_that_ends_failed_exits_with_1(flowc):
    flowc.write("bad.wf.md", chart("ASSIGN_A['no']").replace("--> SUCCESS", "--> FAILED"))
    done = flowc("run", "bad.wf.md")
    assert (done.returncode, done.stdout) == (1, "no\n")
    assert "FAILED" in done.stderr


def test_a_file_with_errors_is_not_run(flowc):
    flowc.write("bad.wf.md", chart("PROMPT_A[User Nobody]"))
    done = flowc("run", "bad.wf.md", "--model", "openai:none")
    assert done.returncode == 1
    assert "error[FC1003]" in done.stderr
    assert not (flowc.folder / ".flowc").exists()


def test_without_anybody_to_answer_nothing_starts(flowc):
    flowc.write("ask.wf.md", chart("PROMPT_A[User Hi]", prompts="\n# Prompts\n\n## User Hi\nHi.\n"))
    done = flowc("run", "ask.wf.md")
    assert done.returncode == 2
    assert "--model" in done.stderr
    assert "--answers" in done.stderr
    assert not (flowc.folder / ".flowc").exists()


def test_a_missing_scripted_answer_says_which_and_can_be_resumed(flowc):
    prompts = "\n# Prompts\n\n## User Hi\nHi.\n"
    flowc.write("ask.wf.md", chart("PROMPT_A[User Hi]", prompts=prompts))
    flowc.write("ask.answers.yaml", "PROMPT_B: hello\n")
    done = flowc("run", "ask.wf.md", "--answers", "ask")
    assert done.returncode == 1
    assert "PROMPT_A" in done.stderr
    assert "ask.answers.yaml" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_failure_is_shown_at_its_place_with_what_to_do(flowc):
    prompts = "\n# Prompts\n\n## User Hi\nHi.\n"
    flowc.write("ask.wf.md", chart("PROMPT_A[User Hi]", prompts=prompts))
    flowc.write("ask.answers.yaml", "PROMPT_B: hello\n")
    done = flowc("run", "ask.wf.md", "--answers", "ask", "--run-id", "one")
    assert "error: PROMPT_A failed: no scripted answer" in done.stderr
    assert " --> ask.wf.md:9:5\n" in done.stderr
    assert "9 |     PROMPT_A[User Hi]\n  |     ^^^^^^^^" in done.stderr
    assert "flowc fork one --at PROMPT_A" in done.stderr
    flowc.write("ask.answers.yaml", "PROMPT_A: hello\n")
    assert flowc("fork", "one", "--at", "PROMPT_A", "--run-id", "two").returncode == 0
    assert flowc("resume", "two").stdout == "hello\n"


def test_a_called_workflow_is_shown_inside_its_call(flowc):
    flowc.write("child.wf.md", chart("SET_X[X=3]", title="Child"))
    flowc.write("parent.wf.md", chart("CALL_CHILD[[child.wf.md]]", "ASSIGN_B['{{X}}']"))
    done = flowc("run", "parent.wf.md")
    assert done.stdout == "3\n"
    shown = [line.split()[:2] for line in done.stderr.splitlines() if line.startswith("  ")]
    assert shown == [
        ["▸", "CALL_CHILD"],
        ["✓", "SET_X"],
        ["✓", "CALL_CHILD"],
        ["✓", "ASSIGN_B"],
    ]


def test_the_shipped_toolchain_check_really_looks(flowc):
    done = flowc("run", "toolchain", "--answers", "toolchain", "--run-id", "one")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("READY\n")
    assert "not a language model" in done.stderr
    ran = json.loads(flowc("show", "one", "--json").stdout)["events"]
    outputs = {e["data"]["command"]: e["data"]["output"] for e in ran if e["kind"] == "command_run"}
    assert outputs["git --version"].startswith("git version ")
    assert outputs["python3 --version"].startswith("Python 3")


def test_commands_wait_for_approval_without_a_terminal(flowc):
    flowc.write("mark.wf.md", chart(execute("MARK", "echo marked | tee -a ran.txt")))
    asked = flowc("run", "mark.wf.md", "--run-id", "mark")
    assert asked.returncode == 4
    assert "$ echo marked | tee -a ran.txt" in asked.stderr
    assert re.search(r"flowc resume mark --answer \w+=yes", asked.stderr)
    assert flowc.lines("ran.txt") == []
    again = flowc("resume", "mark")
    assert again.returncode == 4, "nobody has answered: the question is still there"
    done = flowc("resume", "mark", "--answer", "yes")
    assert done.returncode == 0
    assert done.stdout == "$ echo marked | tee -a ran.txt\nmarked\n"
    ended = flowc("resume", "mark")
    assert (ended.returncode, ended.stdout) == (0, done.stdout)
    assert "has ended" in ended.stderr


def test_refused_commands_do_not_run(flowc):
    flowc.write("mark.wf.md", chart(execute("MARK", "echo marked >> ran.txt")))
    assert flowc("run", "mark.wf.md", "--run-id", "mark").returncode == 4
    assert flowc("resume", "mark", "--answer", "no").returncode == 1
    assert flowc.lines("ran.txt") == []


def test_pause_from_another_process_ends_with_4_and_resumes(flowc, two_waiting):
    process = flowc.begin(*two_waiting)
    flowc.until(lambda: flowc.lines("ran.txt") == ["one"], "the first command begins")
    assert "running" in flowc("runs").stdout
    asked = flowc("pause", "two")
    assert asked.returncode == 0
    assert "asked run two to pause" in asked.stderr
    errors = flowc.read_until(process, "asked to pause: finishes the step under way")
    flowc.write("go-one", "")
    flowc.write("go-two", "")
    errors += process.communicate(timeout=150)[1]
    assert process.returncode == 4, errors
    assert "paused: as asked" in errors
    assert "flowc resume two" in errors
    assert flowc.lines("ran.txt") == ["one"]
    assert flowc("resume", "two").returncode == 0
    assert flowc.lines("ran.txt") == ["one", "two"]


def test_stop_from_another_process_ends_with_5_and_resumes(flowc, two_waiting):
    process = flowc.begin(*two_waiting)
    flowc.until(lambda: flowc.lines("ran.txt") == ["one"], "the first command begins")
    assert flowc("stop", "two").returncode == 0
    flowc.read_until(process, "asked to stop")
    flowc.write("go-one", "")
    flowc.write("go-two", "")
    process.communicate(timeout=150)
    assert process.returncode == 5
    assert flowc("resume", "two").returncode == 0
    assert flowc.lines("ran.txt") == ["one", "two"]


def test_a_run_that_does_not_run_cannot_be_paused(flowc):
    flowc.write("one.wf.md", chart("ASSIGN_A['x']"))
    flowc("run", "one.wf.md", "--run-id", "one")
    refused = flowc("pause", "one")
    assert refused.returncode == 2
    assert "run one is not running: it has ended: SUCCESS" in refused.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_drains_to_a_checkpoint(flowc, two_waiting, number):
    process = flowc.begin(*two_waiting)
    flowc.until(lambda: flowc.lines("ran.txt") == ["one"], "the first command begins")
    os.kill(process.pid, number)
    flowc.read_until(process, "finishes the step under way")
    flowc.write("go-one", "")
    flowc.write("go-two", "")
    _, errors = process.communicate(timeout=150)
    assert process.returncode == 130
    assert "interrupted: everything finished is kept" in errors
    assert flowc.lines("ran.txt") == ["one"]
    done = flowc("resume", "two")
    assert done.returncode == 0
    assert flowc.lines("ran.txt") == ["one", "two"]


def test_a_second_signal_gives_up_at_once(flowc, two_waiting):
    process = flowc.begin(*two_waiting)
    flowc.until(lambda: flowc.lines("ran.txt") == ["one"], "the first command begins")

    os.kill(process.pid, signal.SIGINT)
    flowc.read_until(process, "once more: give it up at once")
    os.kill(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=150)
    assert process.returncode == 130
    assert "in doubt" in errors
    assert "Traceback" not in errors
    flowc.write("go-one", "")
    flowc.write("go-two", "")
    assert flowc("resume", "two").returncode == 4, "what became of the command is asked"
    assert flowc("resume", "two", "--answer", "repeat").returncode == 0
    assert flowc.lines("ran.txt") == ["one", "one", "two"]


def test_two_processes_cannot_execute_one_run(flowc, two_waiting):
    process = flowc.begin(*two_waiting)
    flowc.until(lambda: flowc.lines("ran.txt") == ["one"], "the first command begins")
    second = flowc("resume", "two")
    assert second.returncode == 2
    assert f"is being executed by another process (pid {process.pid})" in second.stderr
    flowc.write("go-one", "")
    flowc.write("go-two", "")
    process.communicate(timeout=150)
    assert process.returncode == 0
    assert flowc.lines("ran.txt") == ["one", "two"]


def test_a_limit_on_steps_stops_resumably(flowc):
    flowc.write("three.wf.md", chart("ASSIGN_A['a']", "ASSIGN_B['b']", "ASSIGN_C['c']"))
    stopped = flowc("run", "three.wf.md", "--run-id", "three", "--max-steps", "2")
    assert stopped.returncode == 5
    assert "flowc resume three --max-steps" in stopped.stderr
    again = flowc("resume", "three", "--max-steps", "3")
    assert again.returncode == 5
    done = flowc("resume", "three", "--max-steps", "100")
    assert (done.returncode, done.stdout) == (0, "c\n")


def test_a_limit_on_time_stops_resumably(flowc):
    long = WAITING.format("one")
    flowc.write("one.wf.md", chart(execute("ONE", long), "ASSIGN_B['b']"))
    process = flowc.begin("run", "one.wf.md", "--allow-exec", "--run-id", "one", "--timeout", "0.5")
    flowc.until(lambda: flowc.lines("ran.txt") == ["one"], "the command begins")
    _, errors = process.communicate(timeout=150)
    assert process.returncode == 5, errors
    assert "the time limit of 0.5 s is over" in errors
    assert "--timeout" in errors
    flowc.write("go-one", "")
    assert flowc("resume", "one", "--timeout", "60", "--on-unknown", "repeat").returncode == 0


def test_a_breakpoint_pauses_before_its_node(flowc):
    flowc.write("two.wf.md", chart("ASSIGN_A['a']", "ASSIGN_B['b']"))
    paused = flowc("run", "two.wf.md", "--run-id", "two", "--break", "ASSIGN_B")
    assert paused.returncode == 4
    assert "stopped before ASSIGN_B" in paused.stderr
    done = flowc("resume", "two")
    assert (done.returncode, done.stdout) == (0, "b\n")


def test_a_breakpoint_at_no_node_is_a_mistake(flowc):
    flowc.write("two.wf.md", chart("ASSIGN_A['a']"))
    refused = flowc("run", "two.wf.md", "--break", "ASSIGN_Z")
    assert refused.returncode == 2
    assert "there is no node `ASSIGN_Z`" in refused.stderr


def test_a_changed_file_is_taken_as_it_is_now_unless_it_changed_where_the_run_stands(flowc):
    flowc.write("two.wf.md", chart("ASSIGN_A['a']", "ASSIGN_B['b']"))
    flowc("run", "two.wf.md", "--run-id", "two", "--break", "ASSIGN_B")
    flowc.write("two.wf.md", chart("ASSIGN_A['a']", "ASSIGN_C['b']"))
    refused = flowc("resume", "two")
    assert refused.returncode == 2
    assert "`ASSIGN_B`, which comes next, is gone; `ASSIGN_C` is new and" in refused.stderr
    assert "was at two.wf.md:10:" in refused.stderr
    assert "flowc resume two --migrate ASSIGN_B=ASSIGN_C" in refused.stderr
    flowc.write("two.wf.md", chart("ASSIGN_A['a']", "ASSIGN_B['other']"))
    done = flowc("resume", "two")
    assert (done.returncode, done.stdout) == (0, "other\n")
    assert "`ASSIGN_B` comes next, and runs as it is now" in done.stderr


def test_migrate_goes_on_with_a_node_under_its_new_name(flowc):
    flowc.write("two.wf.md", chart("ASSIGN_A['a']", "ASSIGN_B['b']"))
    flowc("run", "two.wf.md", "--run-id", "two", "--break", "ASSIGN_B")
    flowc.write("two.wf.md", chart("ASSIGN_A['a']", "ASSIGN_C['c']"))
    done = flowc("resume", "two", "--migrate", "ASSIGN_B=ASSIGN_C")
    assert (done.returncode, done.stdout) == (0, "c\n")
    assert "`ASSIGN_B` begins anew as `ASSIGN_C`" in flowc("show", "two").stdout


def test_a_run_goes_on_in_the_folder_it_was_started_in(flowc, tmp_path):
    flowc.write("mark.wf.md", chart(execute("MARK", "echo marked >> ran.txt")))
    assert flowc("run", "mark.wf.md", "--run-id", "mark").returncode == 4
    store = f"sqlite:///{flowc.folder}/.flowc/runs.db"
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    home, flowc.folder = flowc.folder, elsewhere
    done = flowc("resume", "mark", "--answer", "yes", "--store", store)
    flowc.folder = home
    assert done.returncode == 0, done.stderr
    assert flowc.lines("ran.txt") == ["marked"]


def test_a_fork_begins_before_a_node_with_other_values(flowc):
    flowc.write("two.wf.md", chart("SET_WORD[WORD=first]", "ASSIGN_B['{{WORD}}!']"))
    assert flowc("run", "two.wf.md", "--run-id", "two").stdout == "first!\n"
    forked = flowc("fork", "two", "--at", "ASSIGN_B", "-i", "WORD=second", "--run-id", "other")
    assert (forked.returncode, forked.stdout) == (0, "other\n")
    assert flowc("resume", "other").stdout == "second!\n"
    history = flowc("history", "other")
    assert "SET_WORD → ASSIGN_B" in history.stdout
    shown = flowc("show", "other")
    assert "forked from two" in shown.stdout


def test_a_dry_run_runs_nothing(flowc):
    flowc.write("mark.wf.md", chart(execute("MARK", "echo marked >> ran.txt")))
    plan = flowc("run", "mark.wf.md", "--dry-run")
    assert plan.returncode == 0
    assert "runs $ echo marked >> ran.txt" in plan.stdout
    assert "shell commands: after your approval" in plan.stdout
    assert flowc.lines("ran.txt") == []
    assert not (flowc.folder / ".flowc").exists()
