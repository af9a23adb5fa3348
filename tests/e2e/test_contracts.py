"""Contracts from the command line: teams, people, models over HTTP, gates, what ships."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from contracts import contract, gate, step, team, write
from flowc.compiler.driver import compile_file
from openai_server import OpenAIServer, Recorded, Refuse, Say

ROOT = Path(__file__).parents[2]
SHIPPED = [
    file
    for file in sorted((ROOT / "workflows/examples/contract").glob("*.json"))
    if not file.name.endswith(".team.json")
]
TWO = contract(
    step("cook_it", role="cook"),
    step("taste", "cook_it", role="taster", form="review"),
    gates=(gate("fit"), gate("serve", "approval", None)),
    form="sequential",
)


def test_there_are_three_of_the_usual_kinds_c8() -> None:
    kinds = set()
    for file in SHIPPED:
        kinds.add(json.loads(file.with_suffix(".team.json").read_text())["team_type"])
    assert kinds == {"research", "content_creation", "problem_solving"}


@pytest.mark.parametrize("file", SHIPPED, ids=lambda f: f.stem)
def test_what_ships_is_clean_and_runs_offline_c8(file: Path, flowc) -> None:
    crew, answers = str(file.with_suffix(".team.json")), str(file.with_suffix(".answers.yaml"))
    assert compile_file(str(file), team=crew).diagnostics == ()
    done = flowc("run", str(file), "--team", crew, "--answers", answers, "--json")
    assert done.returncode == 0, done.stderr
    outcome = json.loads(done.stdout)
    assert outcome["status"] == "success"
    assert outcome["result"]
    assert outcome["questions"] == []


def test_without_a_team_nothing_starts_c10(flowc) -> None:
    write(flowc.folder, menu=TWO)
    done = flowc("run", "menu.json")
    assert done.returncode == 2
    assert "menu.json needs a team: cook, taster" in done.stderr
    assert "--team FILE.json" in done.stderr
    assert "--team people" in done.stderr
    assert not (flowc.folder / ".flowc").exists()
    assert flowc("check", "menu.json").returncode == 0


@pytest.mark.parametrize("command", ["check", "run", "inspect", "compile"])
def test_a_team_that_lacks_a_role_is_an_error_of_the_workflow_c10(flowc, command) -> None:
    write(flowc.folder, menu=TWO, team=team("cook", "tester"))
    more = ["-o", "out"] if command == "compile" else []
    done = flowc(command, "menu.json", "--team", "team.json", *more)
    assert done.returncode == 1
    told = done.stdout + done.stderr
    assert "error[FC4002] missing-role: `taste` needs a `taster`" in told
    assert "the team has `cook`, `tester`" in told
    assert "did you mean `tester`?" in told


def test_faults_of_a_team_are_shown_in_its_file_c9(flowc) -> None:
    write(flowc.folder, menu=TWO, team=team("cook").replace("idler", "cook"))
    done = flowc("check", "menu.json", "--team", "team.json")
    assert done.returncode == 1
    assert "FC1004" in done.stdout
    assert "--> team.json:1:" in done.stdout
    missing = flowc("run", "menu.json", "--team", "nobody.json")
    assert missing.returncode == 1
    assert "the team `nobody.json` was not found" in missing.stderr


def test_people_do_it_one_answer_after_another_c15_c23(flowc) -> None:
    write(flowc.folder, menu=TWO)
    done = flowc("run", "menu.json", "--team", "people", "--run-id", "one")
    assert done.returncode == 4
    assert "cook_it is yours to do" in done.stderr
    assert "It is done when: cook_it is good" in done.stderr
    refused = flowc("resume", "one", "--answer", '{"output": "soup", "score": 7}')
    assert refused.returncode == 2
    assert "`score` is not a number from 0 to 1" in refused.stderr
    done = flowc("resume", "one", "--answer", "soup")
    assert done.returncode == 4
    assert "taste is yours to do (taster)" in done.stderr
    assert "soup" in done.stderr
    done = flowc("resume", "one", "--answer", "taste=0.9")
    assert done.returncode == 4
    assert "serve asks" in done.stderr
    assert flowc("resume", "one", "--answer", "serve=maybe").returncode == 2
    done = flowc("resume", "one", "--answer", "serve=yes", "--json")
    assert done.returncode == 0
    outcome = json.loads(done.stdout)
    assert outcome["result"] == "soup"
    assert outcome["variables"]["fit"] == {"passed": True, "score": 0.9, "required": 0.8}


def test_a_refused_approval_and_a_low_score_end_with_6_c15(flowc) -> None:
    write(flowc.folder, menu=TWO)
    flowc.write("no.yaml", "cook_it: soup\ntaste: 1\nserve: no\n")
    done = flowc("run", "menu.json", "--team", "people", "--answers", "no.yaml")
    assert done.returncode == 6
    assert "gate `serve`: not approved" in done.stderr
    run = re.search(r"flowc fork (\S+) --at STEP", done.stderr)[1]
    forked = flowc("fork", run, "--at", "taste", "--run-id", "again")
    assert forked.returncode == 0, forked.stderr
    flowc.write("no.yaml", "taste: 1\nserve: yes\n")
    assert flowc("resume", "again").stdout == "soup\n"
    flowc.write("low.yaml", "cook_it: soup\ntaste: 0.4\nserve: yes\n")
    done = flowc("run", "menu.json", "--team", "people", "--answers", "low.yaml", "--json")
    assert done.returncode == 6
    outcome = json.loads(done.stdout)
    assert (outcome["status"], outcome["error"]["kind"]) == ("error", "gate")
    assert outcome["variables"]["restarts"] == 9


def test_on_a_terminal_a_person_is_asked_for_a_score_too(flowc) -> None:
    write(flowc.folder, menu=contract(step("cook_it"), gates=(gate("fit"),)))
    terminal = flowc.terminal("run", "menu.json", "--team", "people")
    terminal.expect("cook_it is yours to do")
    terminal.expect("> ")
    terminal.type("soup\n")
    terminal.expect("criteria met, 0 to 1?")
    terminal.type("2\n")
    terminal.expect("`score` is not a number from 0 to 1")
    terminal.expect("> ")
    terminal.type("soup\n")
    terminal.expect("criteria met, 0 to 1?")
    terminal.type("0.95\n")
    assert terminal.close() == 0
    assert "the score is 0.95, 0.8 is required" in terminal.screen


def cooks(request: Recorded) -> Say | Refuse:
    """A model that does every task it is asked to do, in the words of the tool it is given."""
    (tool,) = request.body["tools"]
    properties = tool["function"]["parameters"]["properties"]
    asked = request.body["messages"][-1]["content"]
    if "scores" in properties:
        score = 0.95 if "thick soup" in asked else 0.3
        names = properties["scores"]["required"]
        return Say(calls=[("complete_task", {"scores": dict.fromkeys(names, score)})])
    dish = "thick soup" if "to be done anew" in asked else "thin soup"
    return Say(calls=[("complete_task", {"output": dish, "score": 0.5, "handoff": {"l": 2}})])


def test_models_and_a_person_work_together_over_http_c9_c23(flowc, openai_server) -> None:
    crew = json.loads(team("cook", "taster"))
    crew["agents"][0]["configuration"] = {"instructions": "You cook.", "model": "gpt-cook"}
    write(flowc.folder, menu=TWO, team=json.dumps(crew))
    server: OpenAIServer = openai_server
    server.answer = cooks
    started = flowc(
        *("run", "menu.json", "--team", "team.json", "--run-id", "one"),
        *("--model", "openai:gpt-other", "--base-url", server.url),
    )
    assert started.returncode == 4, started.stderr
    assert "serve asks" in started.stderr
    models = [r.body["model"] for r in server.requests]
    assert models == ["gpt-cook", "gpt-other", "gpt-cook", "gpt-other"]
    first = server.requests[0].body
    assert first["messages"][0] == {"role": "system", "content": "You cook."}
    assert first["tool_choice"]["function"]["name"] == "complete_task"
    again = server.requests[2].body["messages"][-1]["content"]
    assert "## What you gave before; it is to be done anew\nthin soup" in again
    ended = flowc("resume", "one", "--answer", "yes")
    assert (ended.returncode, ended.stdout) == (0, "thick soup\n")
    assert len(server.requests) == 4


def test_a_resumed_run_keeps_its_team_wherever_it_is_resumed(flowc, tmp_path) -> None:
    write(flowc.folder, menu=TWO, team=team("cook", people=("taster",)))
    flowc.write("a.yaml", "cook_it: soup\n")
    common = ("--team", "team.json", "--answers", "a.yaml", "--run-id", "one")
    assert flowc("run", "menu.json", *common).returncode == 4
    write(flowc.folder, team=team("taster", people=("cook",)))
    changed = flowc("resume", "one", "--answer", "0.9")
    assert changed.returncode == 2
    assert "has changed where run one stands" in changed.stderr
    write(flowc.folder, team=team("cook", people=("taster",)))
    assert flowc("resume", "one", "--answer", "0.9").returncode == 4
    assert flowc("resume", "one", "--answer", "serve=yes").returncode == 0


def test_inspect_shows_what_steps_ask_for_and_how_long_they_take_c5(flowc) -> None:
    text = contract(
        step("a", estimated_duration=30, step_name="Soup"),
        step("b", estimated_duration=10, form="decision"),
        step("c", "a", "b", estimated_duration=5),
        gates=(gate("fit", score=0.6, criteria="Warm"),),
    )
    write(flowc.folder, menu=text, team=team(people=("cook",)))
    done = flowc("inspect", "menu.json", "--team", "team.json", "--json")
    summary = json.loads(done.stdout)
    assert summary["schedule"] == {
        "total_minutes": 45,
        "critical_path": {"nodes": ["a", "c"], "minutes": 35},
    }
    details = {node["id"]: node["detail"] for node in summary["nodes"]}
    assert details["c"] == {
        "role": "cook",
        "type": "task",
        "dependencies": ["a", "b"],
        "criteria": "c is good",
        "duration": 5,
    }
    assert details["fit"] == {"type": "quality_check", "criteria": "Warm", "required_score": 0.6}
    people = {agent["role"]: agent["person"] for agent in summary["agents"]}
    assert people == {"cook": True, "idler": False}
    shown = flowc("inspect", "menu.json").stdout
    assert "45 minutes in all" in shown
    assert "35 minutes on the critical path: a → c" in shown


def test_the_compiled_project_has_the_team_in_it(flowc) -> None:
    write(flowc.folder, menu=TWO, team=team("cook", "taster"))
    done = flowc("compile", "menu.json", "--team", "team.json", "-o", "out")
    assert done.returncode == 0, done.stderr
    (module,) = (flowc.folder / "out/graphs").iterdir()
    assert 'team=PROJECT / "team.json"' in module.read_text()
    assert (flowc.folder / "out/team.json").is_file()
