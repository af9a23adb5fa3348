"""Branches, elements and attempts in flow YAML: killed, asked, answered, over HTTP."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from killed_cases import Case, killed_everywhere
from openai_server import OpenAIServer, Recorded, Refuse, Reply, Say

BUSY = """\
# flowc: workspace .
flow: 1
state:
  log: {type: list, reducer: append}
nodes:
  - {name: begin, assign: {}, next: [left, right, each]}
  - {name: left, exec: echo left >> log, into: a, next: left2}
  - {name: left2, exec: echo left2 >> log, into: b, next: join}
  - {name: right, tool: note, args: {text: '"right"'}, into: c, next: join}
  - name: each
    foreach: '["x", "y", "z"]'
    do: item
    item: name
    concurrency: 2
    into: items
    next: join
  - {name: join, join: all, assign: {log: items}}
  - {name: last, exec: echo last >> log, into: d}
outputs: [log, a, b, c, d]
workflows:
  item:
    params: {name: text}
    outputs: [done]
    nodes:
      - {name: write, exec: "echo {{ name }} >> log", into: out}
      - {name: again, tool: note, args: {text: name}, into: noted}
      - {name: finish, assign: {done: upper(name)}}
"""
LOG = ["left", "left2", "note right", "x", "y", "z", "note x", "note y", "note z", "last"]


@pytest.fixture
def busy(tmp_path: Path) -> Case:
    (tmp_path / "main.flow.yaml").write_text(BUSY)
    (tmp_path / "answers.yaml").write_text("{}\n")
    return Case(tmp_path, "main.flow.yaml")


@pytest.mark.fuzz
def test_branches_and_elements_end_the_same_wherever_they_are_killed(busy: Case) -> None:
    """Four effects may be under way at a time."""
    killed_everywhere(busy, LOG, at_once=4, status="success", result=["X", "Y", "Z"])


ASKING = """\
# flowc: workspace .
flow: 1
nodes:
  - {name: begin, assign: {}, next: [name, city, people]}
  - {name: name, ask: Who are you?, into: name, next: greet}
  - {name: city, ask: Where are you?, into: city, next: greet}
  - {name: people, foreach: '["Ada", "Bob"]', do: guest, item: who, concurrency: 2, into: ages,
     next: greet}
  - {name: greet, join: all, assign: {text: {text: "{{ name }} in {{ city }}: {{ ages }}"}}}
outputs: [text]
workflows:
  guest:
    params: {who: text}
    outputs: [age]
    nodes:
      - {name: age, ask: "How old is {{ who }}?", into: age}
"""


def test_questions_of_branches_and_elements_are_answered_from_the_command_line(flowc) -> None:
    flowc.write("ask.flow.yaml", ASKING)
    paused = flowc("run", "ask.flow.yaml", "--run-id", "r")
    assert paused.returncode == 4, paused.stderr
    for command in ("--answer name=TEXT", "--answer city=TEXT", "--answer 'people#2/age=TEXT'"):
        assert f"flowc resume r {command}" in paused.stderr
    paused = flowc("resume", "r", "--answer", "people#2/age=7", "--answer", "city=Oslo")
    assert paused.returncode == 4, paused.stderr
    assert "city=TEXT" not in paused.stderr
    refused = flowc("resume", "r", "--answer", "Emil")
    assert refused.returncode == 2
    assert "2 questions wait" in refused.stderr
    done = flowc("resume", "r", "--answer", "people#1/age=9", "--answer", "name=Emil")
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == 'Emil in Oslo: ["9", "7"]'


def test_the_last_of_several_answers_may_still_name_its_node(flowc) -> None:
    flowc.write("ask.flow.yaml", ASKING.replace('["Ada", "Bob"]', "[]"))
    assert flowc("run", "ask.flow.yaml", "--run-id", "r").returncode == 4
    assert flowc("resume", "r", "--answer", "city=Oslo").returncode == 4
    done = flowc("resume", "r", "--answer", "name=Emil=Emil")
    assert done.stdout.strip() == "Emil=Emil in Oslo: []"


MODELS = """\
# flowc: workspace .
flow: 1
state:
  facts: {type: list, reducer: append}
agents:
  expert: {system: You are an expert.}
nodes:
  - {name: begin, assign: {}, next: [past, present]}
  - {name: past, agent: expert, prompt: The past., schema: &fact {type: object, required: [fact],
     properties: {fact: {type: string}}}, into: facts, retry: {attempts: 3, wait: 0}, next: join}
  - {name: present, agent: expert, prompt: The present., schema: *fact, into: facts, next: join}
  - {name: join, join: all, assign: {}}
  - {name: each, foreach: facts, do: one, item: fact, concurrency: 2, into: lines}
outputs: [lines]
workflows:
  one:
    params: {fact: object}
    outputs: [line]
    nodes:
      - {name: say, agent: expert, prompt: "Say {{ fact.fact }}.", into: line}
"""


def test_models_answer_side_by_side_over_http(flowc, openai_server: OpenAIServer) -> None:
    refusals = [Refuse(400), Refuse(400)]

    def answer(request: Recorded) -> Reply:
        said = request.body["messages"][-1]["content"]
        if said == "The past." and refusals:
            return refusals.pop()
        if said.startswith("The "):
            return Say(calls=[("give_answer", {"fact": said.lower().rstrip(".")})])
        return Say(said.upper())

    openai_server.answer = answer
    flowc.write("models.flow.yaml", MODELS)
    options = ("--model", "openai:m", "--base-url", openai_server.url)
    done = flowc("run", "models.flow.yaml", *options, "--json", OPENAI_API_KEY="k")
    assert done.returncode == 0, done.stderr
    outcome = json.loads(done.stdout)
    assert outcome["result"] == ["SAY THE PAST.", "SAY THE PRESENT."]
    assert outcome["variables"]["facts"] == [{"fact": "the past"}, {"fact": "the present"}]
    assert len(openai_server.requests) == 6
