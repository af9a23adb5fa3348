"""Answers name their question, so that one that is typed again is none to the next question."""

from __future__ import annotations

import json
import re

import pytest

TWO = """\
flow: 1
state: {who: text, place: text}
outputs: [text]
nodes:
  - {name: who, ask: Who?, into: who}
  - {name: place, ask: Where?, into: place}
  - {name: both, assign: {text: {text: "{{ who }} in {{ place }}"}}}
"""
LOOP = """\
flow: 1
state: {said: {type: list, reducer: append}, word: text, count: {type: integer, default: 0}}
outputs: [said]
nodes:
  - {name: ask, ask: Which word?, into: word}
  - name: keep
    assign: {said: "[word]", count: count + 1}
    next: [{when: count < 2, to: ask}, done]
  - {name: done, end: success}
"""
CALLED = """\
flow: 1
outputs: [ages]
nodes:
  - {name: each, foreach: '["Ada", "Bob"]', do: guest, item: who, into: ages}
workflows:
  guest:
    params: {who: text}
    outputs: [age]
    nodes:
      - {name: age, ask: "How old is {{ who }}?", into: age}
"""


def test_a_mistyped_name_never_becomes_the_answer(flowc) -> None:
    flowc.write("two.flow.yaml", TWO)
    flowc("run", "two.flow.yaml", "--run-id", "r")
    for slip in ("wo=Emil", "x=1", "place=Oslo"):
        refused = flowc("resume", "r", "--answer", slip)
        assert refused.returncode == 2, slip
        name, _, text = slip.partition("=")
        assert f"`{name}` waits for no answer, `who` does" in refused.stderr
        assert f"did you mean --answer who={text}?" in refused.stderr
        assert f"for the text as it is: --answer who={slip}" in refused.stderr
    assert flowc("resume", "r", "--answer", "who=wo=Emil").returncode == 4
    assert flowc("resume", "r", "--answer", "place=here").stdout.strip() == "wo=Emil in here"


@pytest.mark.parametrize("text", ["=Emil", "2 + 2 = 4", "https://a.example/?who=Emil"])
def test_a_text_with_an_equals_sign_that_is_no_name_is_an_answer(flowc, text) -> None:
    flowc.write("two.flow.yaml", TWO)
    flowc("run", "two.flow.yaml", "--run-id", "r")
    assert flowc("resume", "r", "--answer", text).returncode == 4
    assert flowc("resume", "r", "--answer", "place=Oslo").stdout.strip() == f"{text} in Oslo"


def test_two_answers_to_one_question_are_refused(flowc) -> None:
    flowc.write("two.flow.yaml", TWO)
    flowc("run", "two.flow.yaml", "--run-id", "r")
    for name in ("who", "place"):
        twice = ("--answer", f"{name}=Ada", "--answer", f"{name}=Emil")
        refused = flowc("resume", "r", *twice)
        assert refused.returncode == 2
        assert f"`{name}` is answered twice" in refused.stderr
        flowc("resume", "r", "--answer", f"{name}=Ada")
    assert flowc("show", "r", "--json").stdout.count('"Ada in Ada"') > 0


def test_a_repeated_answer_never_answers_the_next_question(flowc) -> None:
    flowc.write("two.flow.yaml", TWO)
    asked = flowc("run", "two.flow.yaml", "--run-id", "r")
    assert "flowc resume r --answer who=TEXT" in asked.stderr
    assert flowc("resume", "r", "--answer", "Emil").returncode == 4
    for again in ("Emil", "=Emil", "place", "who#0=Emil", "who#x=Emil", f"who#{'9' * 5000}=Emil"):
        refused = flowc("resume", "r", "--answer", again)
        assert refused.returncode == 2, again
        assert "`place` waits" in refused.stderr
        assert "flowc resume r --answer place=" in refused.stderr
    assert "flowc resume r --answer place=Emil" in flowc("resume", "r", "--answer", "Emil").stderr
    # A supervisor types the command of a killed process again: what is known is not an error.
    known = flowc("resume", "r", "--answer", "who=Emil")
    assert known.returncode == 4
    assert "`who` is answered already" in known.stderr
    done = flowc("resume", "r", "--answer", "place=Oslo")
    assert done.stdout.strip() == "Emil in Oslo"


def test_a_repeated_answer_never_answers_the_same_node_again(flowc) -> None:
    flowc.write("loop.flow.yaml", LOOP)
    asked = flowc("run", "loop.flow.yaml", "--run-id", "r")
    assert asked.returncode == 4, asked.stderr
    asked = flowc("resume", "r", "--answer", "ask=tea")
    assert "flowc resume r --answer 'ask#2=TEXT'" in asked.stderr
    assert flowc("resume", "r", "--answer", "ask=tea").returncode == 4
    assert flowc("resume", "r", "--answer", "ask#1=tea").returncode == 4
    done = flowc("resume", "r", "--answer", "ask#2=jam")
    assert json.loads(done.stdout) == ["tea", "jam"]


def test_a_repeated_answer_never_answers_for_the_next_element(flowc) -> None:
    flowc.write("called.flow.yaml", CALLED)
    assert flowc("run", "called.flow.yaml", "--run-id", "r").returncode == 4
    asked = flowc("resume", "r", "--answer", "age=7")
    assert asked.returncode == 4, asked.stderr
    for again in ("age=7", "each#1/age=7", "7"):
        assert flowc("resume", "r", "--answer", again).returncode == 2
    done = flowc("resume", "r", "--answer", "each#2/age=9")
    assert json.loads(done.stdout) == ["7", "9"]


def test_json_names_each_question_and_the_command_that_answers_it(flowc) -> None:
    flowc.write("loop.flow.yaml", LOOP)
    told = json.loads(flowc("run", "loop.flow.yaml", "--run-id", "r", "--json").stdout)
    [question] = told["questions"]
    assert question["name"] == "ask"
    assert question["answer"] == "flowc resume r --answer ask=TEXT"
    told = json.loads(flowc("resume", "r", "--answer", "ask=tea", "--json").stdout)
    assert told["questions"][0]["answer"] == "flowc resume r --answer 'ask#2=TEXT'"
    [shown] = json.loads(flowc("show", "r", "--json").stdout)["questions"]
    assert (shown["name"], shown["answer"]) == ("ask#2", told["questions"][0]["answer"])
    assert json.loads(flowc("runs", "--json").stdout)["runs"][0]["now"].startswith("waits at ask")
    assert re.search(r"--answer 'ask#2=TEXT'", flowc("show", "r").stdout)


def test_the_first_answer_may_leave_the_name_out_also_after_a_refusal(flowc) -> None:
    flowc.write("two.flow.yaml", TWO)
    assert flowc("run", "two.flow.yaml", "--run-id", "r").returncode == 4
    assert flowc("resume", "r").returncode == 4
    assert flowc("resume", "r", "--answer", "a = b").returncode == 4
    assert flowc("resume", "r", "--answer", "place=Oslo").stdout.strip() == "a = b in Oslo"


def test_a_question_that_begins_anew_takes_no_answer_in_the_same_command(flowc) -> None:
    flowc.write("two.flow.yaml", TWO)
    flowc("run", "two.flow.yaml", "--run-id", "r")
    flowc.write("two.flow.yaml", TWO.replace("name: who", "name: guest"))
    both = ("--migrate", "who=guest", "--answer", "who=Emil")
    refused = flowc("resume", "r", *both)
    assert refused.returncode == 2
    assert "`who` begins anew with --migrate, and may ask something else" in refused.stderr
    assert "first flowc resume r --migrate who=guest, then answer what it asks" in refused.stderr
    asked = flowc("resume", "r", "--migrate", "who=guest")
    assert "--answer guest=TEXT" in asked.stderr
    assert flowc("resume", "r", "--answer", "guest=Emil").returncode == 4
    done = flowc("resume", "r", "--answer", "place=Oslo")
    assert done.stdout.strip() == "Emil in Oslo", done.stderr
