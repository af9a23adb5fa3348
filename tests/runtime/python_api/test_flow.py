"""`Flow`: runs that begin, wait, are resumed, forked and looked at from Python."""

from __future__ import annotations

import asyncio
import html
import inspect
import os
import re
import subprocess
import sys
import threading
import time

import flowc
import pytest
from flowc import errors
from flowc.runtime.python_api.flow import Flow
from greeting import GREET


def test_a_run_waits_for_a_person_and_goes_on_with_the_answer(greet):
    waiting = greet.run({"WHO": "Ada"})
    assert (waiting.status, waiting.nodes) == ("paused", 1)
    (question,) = waiting.questions
    assert (question.node, question.choices) == ("confirm", ("yes", "no"))
    ended = greet.resume(waiting.run, "yes")
    assert (ended.status, ended.result) == ("success", "Good day. yes")


@pytest.mark.parametrize("answers", ["no", False, {"confirm": "no"}, {"": "no"}])
def test_an_answer_is_given_alone_or_by_its_node(greet, answers):
    waiting = greet.run({"WHO": "Ada"})
    if answers == {"": "no"}:
        answers = {waiting.questions[0].id: "no"}
    assert greet.resume(waiting.run, answers).result == "Good day. no"


def test_a_resume_without_an_answer_waits_on(greet):
    waiting = greet.run({"WHO": "Ada"})
    again = greet.resume(waiting.run)
    assert (again.status, again.questions) == ("paused", waiting.questions)


def test_an_answer_that_is_no_choice_is_refused_and_nothing_is_lost(greet):
    waiting = greet.run({"WHO": "Ada"})
    with pytest.raises(errors.RunError, match="`perhaps` is not an answer to `confirm`"):
        greet.resume(waiting.run, "perhaps")
    assert greet.resume(waiting.run, "yes").status == "success"


def test_a_run_that_has_ended_is_not_resumed(greet):
    run = greet.run({"WHO": "Ada"}).run
    greet.resume(run, "yes")
    with pytest.raises(errors.RunError, match=r"flow\.fork\(…\)"):
        greet.resume(run)


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ({}, r'the input `WHO` is missing[\s\S]*<text>:4:3: .*`inputs=\{"WHO": …\}`'),
        ({"WHO": [3]}, r"`WHO` must be a text, not `\[3\]`"),
        ({"WHO": "Ada", "TIMES": "two"}, "`TIMES` must be a whole number"),
        ({"WHO": "Ada", "TIMES": True}, "`TIMES` must be a whole number"),
        ({"WHO": "Ada", "WHOM": "x"}, "did you mean `WHO`"),
        ("WHO", "`inputs` is a mapping from the names of parameters to values, not 'WHO'"),
        ({3: "Ada"}, "`inputs` is a mapping from the names of parameters to values"),
    ],
)
def test_inputs_that_do_not_fit_are_refused_before_anything_runs(greet, inputs, words):
    with pytest.raises(errors.RunError, match=words):
        greet.run(inputs)
    assert not os.path.exists(".flowc")


def test_the_runs_of_a_workflow_are_listed_the_latest_first(greet):
    runs = [greet.run({"WHO": who}).run for who in ("Ada", "Bob")]
    other = flowc.load(GREET.replace("name: greet", "name: other"), answers={"hello": "x"})
    other.run({"WHO": "Eve"})
    assert [record.id for record in greet.runs()] == runs[::-1]
    assert flowc.load("flow: 1\n").runs() == []


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({"statuz": "paused"}, "a list of runs is not chosen by `statuz`"),
        ({"status": 3}, "`status` is a list of statuses, not 3"),
        ({"since": 3}, "`since` is an age or a date, not 3"),
        ({"limit": -1}, "`limit` is a number of runs, not -1"),
    ],
)
def test_a_list_that_is_asked_for_in_other_words_is_refused(greet, query, words):
    with pytest.raises(errors.RunError, match=words):
        greet.runs(**query)


def test_a_run_that_has_ended_is_not_said_to_wait_for_no_answer(greet):
    run = greet.run({"WHO": "Ada"}).run
    greet.resume(run, "yes")
    with pytest.raises(errors.RunError, match="has ended: success"):
        greet.resume(run, "no")


def test_a_pause_is_asked_of_who_executes_the_run(greet):
    asked = []

    def pause(event):
        if event.kind == "node_started" and event.node == "hello":
            asked.append(event.run)
            threading.Thread(target=greet.pause, args=(event.run,)).start()
            time.sleep(0.5)

    paused = greet.run({"WHO": "Ada"}, listen=pause)
    assert (paused.status, paused.questions) == ("paused", ())
    assert asked == [paused.run]
    with pytest.raises(errors.RunError, match=r"is not running: it is paused .*`flow.resume\(…\)`"):
        greet.pause(paused.run)
    assert greet.resume(paused.run).questions[0].node == "confirm"


def test_a_flow_is_a_key():
    one, other = flowc.load(GREET), flowc.load(GREET)
    assert len({one, other, one}) == 2


def test_a_fork_takes_values_by_name(greet):
    waiting = greet.run({"WHO": "Ada"})
    with pytest.raises(errors.RunError, match="`values` is a mapping from variables to values"):
        greet.fork(waiting.run, at="confirm", values=["greeting"])


def test_a_fork_begins_before_a_node_with_another_value(greet):
    run = greet.run({"WHO": "Ada"}).run
    greet.resume(run, "yes")
    fork = greet.fork(run, "finish", {"fine": "by another way"}, new_run="branch")
    assert fork == "branch"
    assert greet.resume(fork).result == "Good day. by another way"
    ids = [view.id for view in greet.history(run)]
    assert greet.resume(greet.fork(run, ids[1])).status == "paused"
    with pytest.raises(errors.RunError, match="no checkpoint `nowhere`"):
        greet.fork(run, "nowhere")


def test_the_command_line_goes_on_with_a_run_of_python_and_the_reverse(here):
    (here / "greet.flow.yaml").write_text(GREET, encoding="utf-8")
    (here / "greet.answers.yaml").write_text("hello: Good day.\n", encoding="utf-8")
    flow = flowc.load("greet.flow.yaml", answers="greet.answers.yaml")
    run = flow.run({"WHO": "Ada"}).run
    assert command("resume", run, "--answer", "yes").stdout.strip() == "Good day. yes"
    begun = command("run", "greet.flow.yaml", "--answers", "greet", "-i", "WHO=Bob", "--json")
    assert begun.returncode == 4, begun.stderr
    (waiting,) = [record.id for record in flow.runs() if record.status == "paused"]
    assert flow.resume(waiting, "no").result == "Good day. no"


def command(*args: str) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-m", "flowc", *args]
    return subprocess.run(
        argv, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, timeout=120
    )


def test_a_run_of_another_file_or_folder_is_refused(greet, here, monkeypatch):
    run = greet.run({"WHO": "Ada"}).run
    other = flowc.load(GREET.replace("name: greet", "name: other"), answers={"hello": "x"})
    with pytest.raises(errors.RunError, match="is of <text>"):
        other.resume(run)
    (here / "else").mkdir()
    monkeypatch.chdir(here / "else")
    elsewhere = flowc.load(
        GREET, answers={"hello": "x"}, journal=f"sqlite:///{here}/.flowc/runs.db"
    )
    with pytest.raises(errors.RunError, match=r"change to that folder first: os\.chdir"):
        elsewhere.resume(run)
    with pytest.raises(errors.RunError, match="there is no run `nobody`"):
        elsewhere.resume("nobody")


def test_limits_stop_a_run_that_can_go_on(greet):
    stopped = greet.run({"WHO": "Ada"}, max_steps=1)
    assert (stopped.status, stopped.error["limit"]) == ("stopped", "steps")
    assert greet.resume(stopped.run, max_steps=10).status == "paused"
    assert greet.resume(stopped.run, "yes", max_steps=10).status == "success"


async def hear_later(event):
    """Nobody waits for this."""


@pytest.mark.parametrize(
    ("choices", "words"),
    [
        ({"max_steps": 0}, "`max_steps` takes a whole number, 1 or more, not 0"),
        ({"max_cost": 0}, "`max_cost` takes dollars, more than 0, not 0"),
        ({"max_cost": "1"}, "`max_cost` takes a number, not '1'"),
        ({"max_steps": "3"}, "`max_steps` takes a number, not '3'"),
        ({"timeout": "3"}, "`timeout` takes a number, not '3'"),
        ({"max_tokens": True}, "`max_tokens` takes a whole number, 1 or more, not True"),
        ({"timeout": -1}, "`timeout` takes seconds, more than 0, not -1"),
        ({"on_unknown": "shrug"}, "`on_unknown` takes"),
        ({"breakpoints": ("nowhere",)}, "there is no node `nowhere` to break at"),
        ({"breakpoints": "nowhere"}, "there is no node `nowhere` to break at"),
        ({"breakpoints": 3}, "`breakpoints` is a list of nodes, not 3"),
        ({"breakpoints": [3]}, r"`breakpoints` is a list of nodes, not \[3\]"),
        ({"record": 3}, "`record` takes a path, not 3"),
        ({"listen": 3}, "`listen` is a function of an event, not 3"),
        ({"listen": hear_later}, "`listen` is a function of an event, not an async one"),
        ({"max_stepz": 3}, "an execution has no choice `max_stepz`"),
    ],
)
def test_choices_are_checked(greet, choices, words):
    with pytest.raises(errors.RunError, match=words):
        greet.run({"WHO": "Ada"}, **choices)


def test_a_time_limit_ends_a_run_that_can_go_on(here):
    text = "flow: 1\nname: nap\nnodes:\n  - {name: nap, exec: sleep 30, into: slept}\n"
    flow = flowc.load(text, permissions=flowc.Permissions(commands="allow"))
    stopped = flow.run(timeout=0.3)
    assert (stopped.status, stopped.error["limit"]) == ("stopped", "seconds")


def test_commands_wait_for_approval_unless_they_are_allowed():
    text = "flow: 1\nname: say\nnodes:\n  - {name: say, exec: echo tea, into: said}\n"
    waiting = flowc.load(text).run()
    assert (waiting.status, waiting.questions[0].kind) == ("paused", "approve")
    allowed = flowc.load(text, permissions=flowc.Permissions(commands="allow")).run()
    assert allowed.status == "success", allowed.error


def test_breakpoints_pause_and_events_are_heard(greet):
    events = []
    paused = greet.run({"WHO": "Ada"}, breakpoints=("confirm",), listen=events.append)
    assert (paused.status, paused.questions[0].kind) == ("paused", "breakpoint")
    assert [event.kind for event in events][:2] == ["run_started", "node_started"]


def test_a_recording_answers_without_the_world(greet, here):
    recorded = greet.run({"WHO": "Ada"}, record=here / "tape")
    silent = flowc.load(GREET, model="openai:never-asked")
    replayed = silent.run({"WHO": "Ada"}, replay=here / "tape")
    assert replayed.variables == recorded.variables


def test_a_run_can_be_named_once(greet):
    assert greet.run({"WHO": "Ada"}, run="first").run == "first"
    with pytest.raises(errors.RunError, match="choose another id with `run=…`"):
        greet.run({"WHO": "Ada"}, run="first")


def test_a_store_in_memory_keeps_nothing(here):
    flow = flowc.load(GREET, answers={"hello": "x"}, journal="memory:")
    assert flow.run({"WHO": "Ada"}).status == "paused"
    assert os.listdir(here) == []


def test_every_method_that_waits_has_one_that_is_awaited(greet):
    names = ["run", "resume", "runs", "history", "fork"]
    for name in names:
        waits, awaited = getattr(Flow, name), getattr(Flow, f"a{name}")
        assert inspect.signature(waits) == inspect.signature(awaited)
        assert inspect.iscoroutinefunction(awaited)

    async def go() -> str:
        waiting = await greet.arun({"WHO": "Ada"})
        await greet.afork(waiting.run, "confirm", new_run="branch")
        assert len(await greet.aruns()) == 2
        assert await greet.ahistory("branch")
        return (await greet.aresume(waiting.run, "yes")).result

    assert asyncio.run(go()) == "Good day. yes"


def test_a_program_with_a_loop_of_its_own_may_wait_too(greet):
    async def cell() -> str:
        return greet.run({"WHO": "Ada"}).status

    assert asyncio.run(cell()) == "paused"


def test_many_runs_of_one_flow_go_side_by_side(greet):
    async def go() -> list[str]:
        outcomes = await asyncio.gather(*(greet.arun({"WHO": str(n)}) for n in range(8)))
        return [outcome.variables["WHO"] for outcome in outcomes]

    assert asyncio.run(go()) == [str(n) for n in range(8)]


def test_a_notebook_shows_the_picture_and_the_faults():
    shown = flowc.load(GREET.replace("{ask", "{ask"), answers={"hello": "<b>"})._repr_mimebundle_()
    assert shown["text/html"].startswith(("<svg", "<iframe"))
    assert "hello" in shown["text/vnd.mermaid"]
    faulty = flowc.load("flow: 1\nname: <script>\nnodes: []\n")._repr_mimebundle_()
    assert "<script>" not in faulty.get("text/html", "")
    assert "error[" in faulty["text/plain"]


def test_a_notebook_without_graphviz_shows_a_page_that_asks_no_network(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    faulty = GREET.replace("into: fine", "into: fine\n    timeout: soon")
    shown = flowc.load(faulty)._repr_mimebundle_()["text/html"]
    frame, _, remarks = shown.partition("</iframe>")
    assert frame.startswith('<iframe srcdoc="&lt;!doctype html&gt;')
    assert 'sandbox="allow-scripts"' in frame
    page = html.unescape(frame.partition('srcdoc="')[2].partition('" sandbox=')[0])
    assert "<svg" in page
    assert "confirm" in page
    assert not re.findall(r"""(?:src|href)=["']?https?:|@import|url\(["']?http""", page)
    assert "timeout" in remarks


@pytest.mark.parametrize(
    ("form", "start"), [("mermaid", "---"), ("dot", "digraph"), ("json", "{"), ("html", "<!")]
)
def test_pictures(greet, form, start):
    assert greet.draw(form).startswith(start)


def test_a_form_that_is_a_list_is_refused(greet):
    with pytest.raises(errors.RunError, match=r"there is no form `\['svg'\]`"):
        greet.draw(["svg"])


def test_a_form_that_is_not_there_is_refused(greet):
    with pytest.raises(errors.RunError, match="there is no form `gif`"):
        greet.draw("gif")
    with pytest.raises(errors.Faulty):
        flowc.load("nowhere.flow.yaml").draw()


@pytest.mark.parametrize("method", ["resume", "history", "pause", "fork", "run"])
def test_an_id_that_is_not_a_text_is_refused_in_words(greet, method):
    others = {"fork": {"at": "hello"}, "run": {"inputs": {"WHO": "Ada"}}}.get(method, {})
    with pytest.raises(errors.RunError, match="a run is named by its id, which is a text, not 123"):
        getattr(greet, method)(run=123, **others)
