"""A parameter that the workflow of a waiting run gets is given a value, and is never left unset."""

from __future__ import annotations

import json

OLD = """\
flow: 1
state: {who: text, said: text}
outputs: [said]
nodes:
  - {name: who, ask: Who?, into: who}
  - {name: say, assign: {said: {text: "SAID"}}}
"""
NEW = OLD.replace("state:", "params: {PARAMS}\nstate:").replace("SAID", "{{ who }} in {{ place }}")
NEEDED = NEW.replace("PARAMS", "place: {type: text, description: a town}")


def asked(flowc) -> None:
    flowc.write("it.flow.yaml", OLD)
    assert flowc("run", "it.flow.yaml", "--run-id", "r").returncode == 4


def test_without_a_terminal_the_command_that_gives_it_is_named(flowc) -> None:
    asked(flowc)
    flowc.write("it.flow.yaml", NEEDED)
    refused = flowc("resume", "r", "--answer", "who=Emil")
    assert refused.returncode == 2
    assert "the parameter `place` (a town) is new and needs a value" in refused.stderr
    assert "flowc resume r -i place=VALUE" in refused.stderr
    again = flowc("resume", "r", "-i", "place=Oslo")
    assert again.returncode == 4, again.stderr
    done = flowc("resume", "r", "--answer", "who=Emil", "--json")
    told = json.loads(done.stdout)
    assert (done.returncode, told["result"]) == (0, "Emil in Oslo")
    assert told["variables"]["place"] == "Oslo"
    kept = json.loads(flowc("show", "r", "--json").stdout)
    assert kept["inputs"] == {"place": "Oslo"}


def test_answer_and_value_may_come_together(flowc) -> None:
    asked(flowc)
    flowc.write("it.flow.yaml", NEEDED)
    done = flowc("resume", "r", "-i", "place=Oslo", "--answer", "who=Emil")
    assert (done.returncode, done.stdout.strip()) == (0, "Emil in Oslo"), done.stderr


def test_on_a_terminal_it_is_asked_for(flowc) -> None:
    asked(flowc)
    flowc.write("it.flow.yaml", NEEDED)
    terminal = flowc.terminal("resume", "r", "--answer", "who=Emil")
    terminal.expect("place (a town)")
    terminal.type("Oslo\n")
    assert terminal.close() == 0
    assert "Emil in Oslo" in terminal.screen


def test_the_environment_may_give_it(flowc) -> None:
    asked(flowc)
    flowc.write("it.flow.yaml", NEW.replace("PARAMS", "place: {type: text, env: PLACE}"))
    done = flowc("resume", "r", "--answer", "who=Emil", PLACE="Rome")
    assert (done.returncode, done.stdout.strip()) == (0, "Emil in Rome"), done.stderr


def test_what_is_not_new_is_refused(flowc) -> None:
    asked(flowc)
    unchanged = flowc("resume", "r", "-i", "who=Ada")
    assert unchanged.returncode == 2
    assert "has not changed" in unchanged.stderr
    flowc.write("it.flow.yaml", NEEDED)
    for pair, said in (("nope=1", "no parameter `nope`"), ("who=Ada", "`who`: it is a variable")):
        refused = flowc("resume", "r", "-i", pair, "-i", "place=Oslo")
        assert refused.returncode == 2
        assert said in refused.stderr
