"""Contracts in real graphs: order, reviews that have work done anew, attempts, gates (C4–C23)."""

from __future__ import annotations

import asyncio
import json
import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from contracts import contract, gate, read, step, team
from flowc.compiler.ir import TaskNode
from flowc.runtime.cli.show.outcomes import exit_code
from flowc.runtime.engine.engine import open_engine
from flowc.runtime.errors import Failure
from flowc.runtime.services import ModelReply, ModelRequest, Outcome
from flowc.runtime.values import storable_value
from worlds import World


@dataclass
class Crew:
    """Does every task at once. `results` say what of: by step, visit by visit, the last one for all
    further visits. Reviews give everything 1 where nothing is said."""

    results: dict[str, list[Any]] = field(default_factory=dict)
    log: list[str] = field(default_factory=list)
    asked: dict[str, list[str]] = field(default_factory=dict)
    label: str = "the crew of the test"
    is_model: bool = False

    async def reply(self, request: ModelRequest) -> ModelReply:
        self.log.append(f"{request.node} begins")
        await asyncio.sleep(0)
        self.asked.setdefault(request.node, []).append(request.messages[-1]["content"])
        given = self.results.get(request.node) or [{}]
        result = given[min(request.visit, len(given)) - 1]
        if isinstance(result, Exception):
            raise result
        if result == "hangs":
            await asyncio.Event().wait()
        (tool,) = request.tools
        args = {"output": f"{request.node} {request.visit}", **result}
        names = tool.parameters["properties"].get("scores", {}).get("required", ())
        if names and "scores" not in args:
            args["scores"] = dict.fromkeys(names, 1)
        if "decision" in tool.parameters["required"]:
            args.setdefault("decision", "yes")
        self.log.append(f"{request.node} ends")
        call = {"id": f"c{len(self.log)}", "name": tool.name, "args": storable_value(args)}
        return ModelReply("", (call,))


@pytest.fixture
def do(wait, tmp_path: Path):
    """Run a contract with a team that holds every role, to its first outcome."""

    def run(text: str, crew: Crew, **inputs: Any) -> Outcome:
        roles = {s["required_role"] for s in json.loads(text)["steps"]}
        (tmp_path / "team.json").write_text(team(*sorted(roles)))
        result = read(text, str(tmp_path / "team.json"))
        assert result.diagnostics == ()
        world: Any = World(models=crew)

        async def go() -> Outcome:
            async with open_engine("memory:") as engine:
                return await engine.start(result.spec, world, run="r", inputs=inputs, options={})

        return wait(go())

    return run


def begun(crew: Crew) -> list[str]:
    return [entry.split()[0] for entry in crew.log if entry.endswith("begins")]


def test_one_at_a_time_in_order_with_what_was_handed_over_c4_c7_c14(do) -> None:
    text = contract(step("c", "b"), step("b", "a"), step("a"), form="sequential")
    crew = Crew({"a": [{"handoff": {"salt": 3}}]})
    outcome = do(text, crew)
    assert (outcome.status, outcome.result) == ("success", "c 1")
    assert crew.log == [f"{id} {what}" for id in "abc" for what in ("begins", "ends")]
    assert '"salt": 3' in crew.asked["b"][0]
    assert '"salt": 3' not in crew.asked["c"][0]


def test_whatever_can_be_done_is_done_side_by_side_c7(do) -> None:
    crew = Crew()
    outcome = do(contract(step("a"), step("b"), step("c", "a", "b")), crew)
    assert outcome.status == "success"
    assert {*crew.log[:-2]} == {"a begins", "b begins", "a ends", "b ends"}
    assert crew.log[-2:] == ["c begins", "c ends"]


def test_a_step_is_told_what_it_has_to_meet_and_what_is_given_c16(do) -> None:
    crew = Crew()
    text = contract(step("a", failure_handling="Start over", step_name="Soup"), description="Lunch")
    do(text, crew, input_parameters={"guests": 12})
    (told,) = crew.asked["a"]
    assert told == (
        "Soup\n\nA step of Menu: Lunch\nIt is done when: a is good\n"
        'If that cannot be reached: Start over\nGiven: {"guests": 12}'
    )


def test_a_review_has_work_done_anew_until_it_is_satisfied_c23(do) -> None:
    text = contract(
        step("a"), step("check", "a", form="review"), step("b", "a"), gates=(gate("g", score=0.7),)
    )
    crew = Crew({"check": [{"scores": {"a": 0.69}, "output": "too salty"}, {"scores": {"a": 0.7}}]})
    outcome = do(text, crew)
    assert outcome.status == "success"
    assert begun(crew) == ["a", "check", "a", "check", "b"]
    assert "too salty" not in crew.asked["a"][0]
    assert "## What you gave before; it is to be done anew\na 1" in crew.asked["a"][1]
    assert 'Scores: {"a": 0.69}' in crew.asked["a"][1]
    assert "too salty" in crew.asked["a"][1]
    assert "a 2" in crew.asked["b"][0]
    assert outcome.variables["g"] == {"passed": True, "score": 0.7, "required": 0.7}


@pytest.mark.parametrize(("attempts", "times"), [(1, 1), (3, 3), (None, 10)])
def test_attempts_are_counted_and_then_the_gate_decides_c16_c21_c23(do, attempts, times) -> None:
    config = {"execution_config": {"max_iterations": attempts}} if attempts else {}
    text = contract(step("a"), step("check", "a", form="review"), gates=(gate("g"),), **config)
    crew = Crew({"check": [{"scores": {"a": 0.79}}]})
    outcome = do(text, crew)
    assert begun(crew) == ["a", "check"] * times
    assert (outcome.status, exit_code(outcome)) == ("error", 6)
    assert outcome.error["message"] == "gate `g`: the score is 0.79, 0.8 is required"


def test_without_a_gate_a_review_asks_for_0_8_c21_c23(do) -> None:
    text = contract(step("a"), step("check", "a", form="review"))
    crew = Crew({"check": [{"scores": {"a": 0.79}}, {"scores": {"a": 0.8}}]})
    assert do(text, crew).status == "success"
    assert begun(crew) == ["a", "check"] * 2


def test_one_low_score_is_enough_and_the_first_quality_check_says_what_is_low_c23(do) -> None:
    gates = (gate("m", "milestone", 0.1), gate("g", score=0.7), gate("h", score=0.2))
    text = contract(step("a"), step("b", "a"), step("check", "a", "b", form="review"), gates=gates)
    crew = Crew({"check": [{"scores": {"a": 1, "b": 0.6}}, {"scores": {"a": 0.7, "b": 0.7}}]})
    assert do(text, crew).status == "success"
    assert begun(crew) == ["a", "b", "check"] * 2


def test_of_two_reviews_the_last_ones_score_counts_c23(do) -> None:
    reviews = [step(id, "a", form="review") for id in ("r", "s")]
    text = contract(step("a"), *reviews, gates=(gate("g", score=0.5),))
    crew = Crew({"r": [{"scores": {"a": 0.6}}], "s": [{"scores": {"a": 0.9}}]})
    assert do(text, crew).variables["g"]["score"] == 0.9


def test_an_approval_shows_what_the_last_steps_gave_c23(do) -> None:
    text = contract(step("a"), step("b"), gates=(gate("g", "approval", criteria="Serve it?"),))
    (question,) = do(text, Crew()).questions
    assert question.text == "Serve it?\n\na 1\n\nb 1"


def test_a_steps_score_is_the_reviews_else_its_own_else_none_c23(do) -> None:
    text = contract(
        step("a"),
        step("b"),
        step("c"),
        step("check", "a", form="review"),
        gates=(gate("g", score=0.7),),
    )
    own = {"a": [{"score": 0.1}], "b": [{"score": 0.5}], "check": [{"scores": {"a": 0.9}}]}
    outcome = do(text, Crew(own))
    assert outcome.variables["g"] == {"passed": True, "score": 0.7, "required": 0.7}


@pytest.mark.parametrize(("mode", "code"), [("strict", 6), ("lenient", 0), ("advisory", 0)])
def test_enforcement_decides_what_a_gate_does_c15(do, mode, code) -> None:
    config = {"execution_config": {"quality_enforcement": mode}}
    text = contract(step("a"), gates=(gate("g"),), **config)
    assert exit_code(do(text, Crew({"a": [{"score": 0.5}]}))) == code


def test_a_failed_step_is_begun_again_and_the_others_are_not_c16(do) -> None:
    config = {"execution_config": {"auto_retry": True, "max_iterations": 4}}
    text = contract(step("a"), step("b"), step("c", "a", "b"), **config)
    broken = Failure("no gas")
    crew = Crew(
        {
            "b": [broken, Failure("too slow", "timeout"), {}],
            "c": [{"status": "failed", "output": "burnt"}, {}],
        }
    )
    outcome = do(text, crew)
    assert outcome.status == "success"
    assert sorted(begun(crew)[:2]) == ["a", "b"]
    assert begun(crew)[2:] == ["b", "b", "c", "c"]


def test_all_attempts_together_are_at_most_max_iterations_c16(do) -> None:
    config = {"execution_config": {"auto_retry": True, "max_iterations": 3}}
    text = contract(step("a"), step("b", "a"), **config)
    crew = Crew({"a": [Failure("no gas"), {}], "b": [Failure("burnt")]})
    outcome = do(text, crew)
    assert begun(crew) == ["a", "a", "b", "b"]
    assert (outcome.status, exit_code(outcome)) == ("failed", 1)
    assert outcome.result == "no gas\nburnt\nburnt"


def test_without_auto_retry_a_failure_stops_the_run_where_it_is_c16(do) -> None:
    outcome = do(contract(step("a")), Crew({"a": [Failure("no gas")]}))
    assert (outcome.status, outcome.error["node"]) == ("error", "a")


def test_the_whole_run_has_its_time_c16(do) -> None:
    config = {"execution_config": {"timeout_minutes": 1 / 60, "auto_retry": True}}
    text = contract(step("a"), step("b", "a"), **config)
    outcome = do(text, Crew({"b": ["hangs"]}))
    assert (outcome.status, outcome.error["kind"], outcome.error["node"]) == ("error", "limit", "b")
    assert outcome.error["message"] == "the time that the workflow has is over"


def test_a_last_review_leaves_what_it_judged_as_the_result(do) -> None:
    text = contract(step("a"), step("b"), step("check", "a", form="review"))
    assert do(text, Crew()).result == "## b\nb 1\n\n## a\na 1"


SEEDS = range(60)


def anything(seed: int) -> tuple[str, Crew]:
    """A contract of up to nine steps with some reviews, of which some are not satisfied at first;
    sometimes a step fails."""
    dice = random.Random(seed)
    ids = [f"s{n}" for n in range(dice.randint(3, 9))]
    steps, crew = [], Crew()
    for at, id in enumerate(ids):
        needs = [need for need in ids[:at] if dice.random() < 0.35]
        form = dice.choice(["task", "task", "synchronization", "review"]) if needs else "task"
        steps.append(step(id, *needs, form=form))
        if form == "review":
            low = [{"scores": dict.fromkeys(needs, 0.5)}] * dice.randint(0, 2)
            crew.results[id] = [*low, {"scores": dict.fromkeys(needs, 1)}]
        elif form == "task" and dice.random() < 0.2:
            crew.results[id] = [Failure("dropped"), {}]
    dice.shuffle(steps)
    config = {"max_iterations": 1000, "auto_retry": True}
    form = dice.choice(["parallel", "parallel", "hybrid", "sequential"])
    return contract(
        *steps, form=form, gates=(gate("g", "milestone"),), execution_config=config
    ), crew


@pytest.mark.parametrize("seed", SEEDS)
def test_whatever_reviews_ask_for_nothing_stays_built_on_older_work_c23(do, seed) -> None:
    """Every step was done, each one last after the last time of all that it depends on; nobody is
    waited for in vain."""
    text, crew = anything(seed)
    outcome = do(text, crew)
    assert outcome.status == "success"
    assert outcome.variables["g"]["passed"]
    steps = [n for n in read(text).workflow.nodes if isinstance(n, TaskNode)]
    done = {n.into: n for n in steps}
    ended = {entry.split()[0]: at for at, entry in enumerate(crew.log) if entry.endswith("ends")}
    start = {entry.split()[0]: at for at, entry in enumerate(crew.log) if entry.endswith("begins")}
    workers = [n for n in steps if n.form != "synchronization"]
    assert {n.id for n in workers} == ended.keys()
    for node in workers:
        before = list(node.after)
        while before:
            need = done[before.pop()]
            if need.form == "synchronization":
                before += need.after
            else:
                assert ended[need.id] < start[node.id], (node.id, need.id, crew.log)
