"""On a terminal a run asks its questions at once and goes on in the same process."""

from __future__ import annotations

import json

CHART = """# Marks

# Workflow
<!-- flowc: workspace . -->
```mermaid
flowchart TD
    START --> EXECUTE_MARK[[echo marked >> marks.txt]]
    EXECUTE_MARK --> EXECUTE_AGAIN[[echo again >> marks.txt]]
    EXECUTE_AGAIN --> SUCCESS
```
"""
QUESTION = """# Names

# Workflow
<!-- flowc: workspace . -->
```mermaid
flowchart TD
    START --> ASSIGN_QUESTION['What is it called?']
    ASSIGN_QUESTION --> ASK_NAME
    ASK_NAME --> SET_NAME[NAME=RESULT]
    SET_NAME --> SUCCESS
```
"""


def test_commands_are_approved_one_activity_at_a_time(flowc):
    flowc.write("marks.wf.md", CHART)
    terminal = flowc.terminal("run", "marks.wf.md")
    terminal.expect("EXECUTE_MARK wants to run 1 command")
    terminal.expect("$ echo marked >> marks.txt")
    terminal.expect("[y]es once, [n]o, [a]lways")
    assert flowc.lines("marks.txt") == []
    terminal.expect("> ")
    terminal.type("y\n")
    terminal.expect("EXECUTE_AGAIN wants to run 1 command")
    assert flowc.lines("marks.txt") == ["marked"]
    terminal.expect("later) > ")
    terminal.type("n\n")
    assert terminal.close() == 1
    assert flowc.lines("marks.txt") == ["marked"]
    assert "not approved" in terminal.screen
    assert "FAILED" in terminal.screen


def test_always_holds_for_the_rest_of_the_run(flowc):
    flowc.write("marks.wf.md", CHART)
    terminal = flowc.terminal("run", "marks.wf.md")
    terminal.expect("later) > ")
    terminal.type("a\n")
    assert terminal.close() == 0
    assert flowc.lines("marks.txt") == ["marked", "again"]


def test_a_word_that_is_no_answer_is_asked_again(flowc):
    flowc.write("marks.wf.md", CHART)
    terminal = flowc.terminal("run", "marks.wf.md")
    terminal.expect("later) > ")
    terminal.type("perhaps\n")
    terminal.expect("`perhaps` is not an answer")
    assert flowc.lines("marks.txt") == []
    terminal.expect("later) > ")
    terminal.type("always\n")
    assert terminal.close() == 0


def test_a_question_is_answered_in_the_same_process(flowc):
    flowc.write("names.wf.md", QUESTION)
    terminal = flowc.terminal("run", "names.wf.md")
    terminal.expect("What is it called?")
    terminal.expect("\n  > ")
    terminal.type("Emil\n")
    assert terminal.close() == 0
    assert "SUCCESS  Emil" in terminal.screen


def test_ctrl_d_leaves_the_run_paused(flowc):
    flowc.write("names.wf.md", QUESTION)
    terminal = flowc.terminal("run", "names.wf.md", "--run-id", "later")
    terminal.expect("\n  > ")
    terminal.type("\x04")
    assert terminal.close() == 4
    assert "flowc resume later --answer ASK_NAME=TEXT" in terminal.screen
    answered = flowc("resume", "later", "--answer", "Emil")
    assert answered.returncode == 0
    assert answered.stdout == "Emil\n"


def test_ctrl_c_at_a_question_leaves_the_run_resumable(flowc):
    flowc.write("names.wf.md", QUESTION)
    terminal = flowc.terminal("run", "names.wf.md", "--run-id", "later")
    terminal.expect("\n  > ")
    terminal.interrupt()
    assert terminal.close() == 130
    assert "Traceback" not in terminal.screen
    assert "flowc resume later" in terminal.screen
    assert flowc("resume", "later", "--answer", "Emil").stdout == "Emil\n"


def test_a_missing_input_is_asked_for(flowc):
    flowc.write(
        "greet.md",
        "# Greet\n\n### 🔧 WORKFLOW STEP: Greet\n```\nGreet [WHO].\n```\n"
        "### 🛠️ TOOL: list_files\n### 📥 INPUTS:\n- WHO: whom to greet\n",
    )
    flowc.write("greet.answers.yaml", "step_0: {report: passed}\n")
    terminal = flowc.terminal("run", "greet.md", "--answers", "greet")
    terminal.expect("WHO (whom to greet) > ")
    terminal.type("Emil\n")
    assert terminal.close() == 0
    run = json.loads(flowc("runs", "--json").stdout)["runs"][0]["id"]
    assert "WHO" in json.loads(flowc("show", run, "--json").stdout)["inputs"]


def test_the_line_of_a_running_node_is_taken_away_when_it_is_done(flowc):
    flowc.write(
        "wait.wf.md",
        CHART.replace(
            "echo marked >> marks.txt", "echo on; while [ ! -e go ]; do sleep 0.05; done"
        ),
    )
    terminal = flowc.terminal("run", "wait.wf.md", "--allow-exec")
    terminal.expect("▸ EXECUTE_MARK")
    flowc.write("go", "")
    terminal.expect("\x1b[1A\x1b[2K")
    assert terminal.close() == 0
    assert terminal.screen.count("✓ EXECUTE_MARK") == 1


def test_a_run_that_somebody_else_started_is_asked_about(flowc):
    """Its options are shown; a no leaves everything as it is, a yes holds for this once."""
    flowc.write(
        "a.flow.yaml",
        "flow: 1\nname: a\noutputs: [SAID]\nstate: {WHO: text}\nnodes:\n"
        "  - {name: who, ask: 'Who?', into: WHO}\n  - {name: go, exec: echo hello, into: SAID}\n",
    )
    assert flowc("run", "a.flow.yaml", "--run-id", "r", "--allow-exec").returncode == 4
    words = ("resume", "r", "--answer", "who=Ana")
    for answer, code in (("no", 8), ("yes", 0)):
        terminal = flowc.terminal(*words, XDG_CONFIG_HOME=str(flowc.folder / "nobody"))
        terminal.expect("runs commands without asking")
        terminal.expect("yes / no >")
        terminal.type(f"{answer}\r")
        assert terminal.close() == code, terminal.screen
