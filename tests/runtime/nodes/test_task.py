"""Tasks and gates in real graphs: done by models and by people, merged, judged (C14, C15, C23)."""

from __future__ import annotations

from typing import Any

import pytest
from flowc.compiler.expr.ast import Call, ListOf
from flowc.compiler.ir import Agent, Assertion, GateNode, TaskNode
from flowc.runtime.cli.show.outcomes import exit_code
from flowc.runtime.engine.engine import open_engine
from flowc.runtime.errors import RunError
from flowc.runtime.events import RunEvent
from flowc.runtime.models.answer_file import parse_script
from flowc.runtime.models.scripted import ScriptedModels
from specs import SUCCESS, field_of, lit, program
from worlds import Replies

TEAM = (
    Agent(id="ann", role="writer", system=lit("You write.")),
    Agent(id="bob", role="editor", person=True),
)


def task(id: str, agent: str | None = "ann", **more: Any) -> TaskNode:
    fields: dict[str, Any] = {"role": "writer", "prompt": lit(f"Do {id}."), "into": id, **more}
    return TaskNode(id=id, agent=agent, **fields)


def crew(*nodes: Any, **more: Any) -> Any:
    names = [n.into for n in nodes if getattr(n, "into", None)]
    return program(
        *nodes, SUCCESS, agents=TEAM, variables=tuple(names), outputs=(names[-1],), **more
    )


def done(**args: Any) -> Any:
    return [("complete_task", args)]


def quality(required: float, mode: Any = "strict", *tasks: str) -> GateNode:
    scores = ListOf(items=tuple(field_of(t, "score") for t in tasks or ("draft",)))
    mean = Call(function="mean", args=(scores,))
    return GateNode(
        id="gate", form="quality_check", mode=mode, score=mean, required=required, into="verdict"
    )


def test_a_model_ends_its_task_with_a_result_that_later_tasks_are_given_c14(execute, world) -> None:
    world.models.replies = [
        "I am done.",
        done(output="a draft", score=2),
        done(output="a draft", score=0.9, handoff={"words": 12}),
        done(output="final"),
    ]
    outcome = execute(crew(task("draft"), task("final", after=("draft",))))
    assert outcome.result == {"output": "final", "score": None, "handoff": {}, "by": "ann"}
    first, second, third, fourth = world.models.requests
    assert first.messages[0] == {"role": "system", "content": "You write."}
    assert [tool.name for tool in first.tools] == ["complete_task"]
    assert (first.force_tool, second.force_tool) == ("complete_task", "complete_task")
    assert "`score` is not a number from 0 to 1" in third.messages[-1]["content"]
    assert fourth.messages[-1]["content"] == (
        'Do final.\n\n## draft (`draft`, by ann)\na draft\n{\n  "words": 12\n}'
    )


def test_a_task_given_back_as_failed_is_a_failure(execute, world) -> None:
    world.models.replies = [done(output="no sources", status="failed")]
    outcome = execute(crew(task("draft")))
    assert (outcome.status, outcome.error["message"]) == ("error", "no sources")
    assert exit_code(outcome) == 1


def test_a_task_nobody_holds_says_how_to_give_a_team(execute) -> None:
    outcome = execute(crew(task("draft", agent=None)))
    assert outcome.error["message"] == "nobody holds the role `writer`"
    assert "--team" in outcome.error["help"]


def person_does(wait: Any, world: Any, spec: Any, *answers: Any) -> list[Any]:
    """Start a run and answer its questions one after another; every outcome."""

    async def go() -> list[Any]:
        async with open_engine("memory:") as engine:
            outcomes = [await engine.start(spec, world, run="r", inputs={}, options={})]
            for answer in answers:
                outcomes.append(await engine.resume("r", spec, world, answers={"": answer}))
            return outcomes

    return list(wait(go()))


@pytest.mark.parametrize(
    ("answer", "output", "score"),
    [
        ("  edited ", "  edited ", None),
        ('{"output": "edited", "score": 0.5}', "edited", 0.5),
        ({"output": "edited", "score": 1}, "edited", 1),
        ('{"x": 1}', '{"x": 1}', None),
        ("{not json", "{not json", None),
    ],
)
def test_a_person_does_a_task_with_a_text_or_an_object_c14(
    wait, world, answer, output, score
) -> None:
    spec = crew(task("edit", "bob", role="editor"))
    paused, ended = person_does(wait, world, spec, answer)
    (question,) = paused.questions
    assert (question.kind, question.node, question.text) == ("task", "edit", "Do edit.")
    assert question.schema["required"] == ["output"]
    assert (ended.result["output"], ended.result["score"]) == (output, score)
    assert ended.result["by"] == "bob"


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ({"output": "x", "score": 1.5}, "`score` is not a number from 0 to 1"),
        ({"output": "x", "score": True}, "`score` is not a number from 0 to 1"),
        ({"outptu": "x"}, "`outptu` is not a part of a result"),
        ({"output": "x", "handoff": [1]}, "`handoff` is not an object"),
        ({"output": "x", "status": "done"}, "`done` is not a status"),
        (["x"], "a result is a text or an object"),
        (7, "a result is a text or an object"),
    ],
)
def test_an_answer_that_is_no_result_is_refused_and_the_question_stays(
    wait, world, answer, message
) -> None:
    spec = crew(task("edit", "bob", role="editor"))

    async def go() -> Any:
        async with open_engine("memory:") as engine:
            await engine.start(spec, world, run="r", inputs={}, options={})
            with pytest.raises(RunError) as caught:
                await engine.resume("r", spec, world, answers={"": answer})
            assert message in caught.value.message
            return await engine.resume("r", spec, world, answers={"": "done"})

    assert wait(go()).result["output"] == "done"


def test_a_decision_gives_what_was_decided_and_why_c23(execute, world) -> None:
    world.models.replies = [
        done(output="thought about it"),
        done(decision="ship", reason="it works"),
        done(output="shipped"),
    ]
    nodes = (task("choose", form="decision"), task("act", after=("choose",)))
    outcome = execute(crew(*nodes))
    decided = outcome.variables["choose"]
    assert (decided["decision"], decided["reason"]) == ("ship", "it works")
    assert decided["output"] == "ship"
    assert "says no decision" in world.models.requests[1].messages[-1]["content"]
    told = world.models.requests[2].messages[-1]["content"]
    assert told.endswith("ship\nReason: it works")


def test_a_synchronization_merges_by_key_and_the_later_one_wins_c23(execute, world) -> None:
    world.models.replies = [
        done(output="A", handoff={"x": 1, "same": "s", "a": 1}),
        done(output="B", handoff={"x": 2, "same": "s", "b": 2}),
    ]
    events: list[RunEvent] = []
    nodes = (
        task("a"),
        task("b"),
        task("both", None, form="synchronization", after=("a", "b")),
    )
    outcome = execute(crew(*nodes), listeners=(events.append,))
    assert outcome.result == {
        "output": "## a\nA\n\n## b\nB",
        "score": None,
        "handoff": {"x": 2, "same": "s", "a": 1, "b": 2},
        "by": "",
    }
    warnings = [e.data["message"] for e in events if e.kind == "warning"]
    assert warnings == ["`x` of `a` and `b` differ: `b` wins"]


def test_a_review_scores_each_task_it_depends_on_c23(execute, world) -> None:
    world.models.replies = [
        done(output="A"),
        done(output="B"),
        done(output="fine"),
        done(scores={"a": 0.9}),
        done(scores={"a": 0.9, "b": 0.4, "c": 1}),
        done(output="fine", scores={"a": 0.9, "b": 0.4}),
    ]
    criteria = (Assertion(text="is short"),)
    nodes = (
        task("a", criteria=criteria),
        task("b"),
        task("check", form="review", after=("a", "b")),
    )
    outcome = execute(crew(*nodes))
    assert outcome.result["scores"] == {"a": 0.9, "b": 0.4}
    asked = [r.messages[-1]["content"] for r in world.models.requests[2:]]
    assert "## a (`a`, by ann)\nHas to meet: is short\nA" in asked[0]
    assert "`scores` is missing" in asked[1]
    assert "`scores` says nothing of `b`" in asked[2]
    assert "`c` is not under review" in asked[3]


def test_one_number_of_a_person_scores_everything_under_review_c23(wait, world) -> None:
    world.models.replies = [done(output="A"), done(output="B")]
    check = task("check", "bob", role="editor", form="review", after=("a", "b"))
    _, ended = person_does(wait, world, crew(task("a"), task("b"), check), "0.75")
    assert ended.result["scores"] == {"a": 0.75, "b": 0.75}
    assert ended.result["score"] is None


@pytest.mark.parametrize(
    ("mode", "status", "code", "warned"),
    [
        ("strict", "error", 6, False),
        ("lenient", "success", 0, True),
        ("advisory", "success", 0, False),
    ],
)
def test_a_gate_that_is_not_met_is_enforced_as_the_word_says_c15(
    execute, world, mode, status, code, warned
) -> None:
    world.models.replies = [done(output="A", score=0.6)]
    events: list[RunEvent] = []
    outcome = execute(crew(task("draft"), quality(0.8, mode)), listeners=(events.append,))
    assert (outcome.status, exit_code(outcome)) == (status, code)
    (judged,) = [e.data for e in events if e.kind == "gate"]
    assert (judged["passed"], judged["score"], judged["required"]) == (False, 0.6, 0.8)
    assert any(e.kind == "warning" for e in events) == warned
    if mode == "strict":
        assert outcome.error["kind"] == "gate"
        assert outcome.error["message"] == "gate `gate`: the score is 0.6, 0.8 is required"
    else:
        assert outcome.result == {"passed": False, "score": 0.6, "required": 0.8}


def test_a_quality_check_compares_the_mean_of_the_scores_there_are_c23(execute, world) -> None:
    world.models.replies = [
        done(output="A", score=0.9),
        done(output="B"),
        done(output="C", score=0.7),
    ]
    spec = crew(task("a"), task("b"), task("c"), quality(0.8, "strict", "a", "b", "c"))
    assert execute(spec).result == {"passed": True, "score": 0.8, "required": 0.8}
    world.models = Replies([done(output="A"), done(output="B"), done(output="C")])
    assert "no task gave a score" in execute(spec).error["message"]


def test_a_mean_that_is_what_is_required_meets_it_c23(execute, world) -> None:
    """The mean of 0.7, 0.8 and 0.9 comes out as 0.7999999999999999."""
    world.models.replies = [done(output="A", score=score) for score in (0.7, 0.8, 0.9)]
    spec = crew(task("a"), task("b"), task("c"), quality(0.8, "strict", "a", "b", "c"))
    assert execute(spec).status == "success"


def test_an_approval_waits_for_a_person_c23(wait, world) -> None:
    gate = GateNode(id="ok", form="approval", question=lit("May it go out?"), into="verdict")
    paused, ended = person_does(wait, world, crew(gate), "Y")
    (question,) = paused.questions
    assert (question.kind, question.choices) == ("ask", ("yes", "no"))
    assert ended.result == {"passed": True, "score": None, "required": None}
    *_, refused = person_does(wait, world, crew(gate), "no")
    assert (refused.status, exit_code(refused)) == ("error", 6)
    with pytest.raises(RunError, match="not an answer to `ok`"):
        person_does(wait, world, crew(gate), "perhaps")


def test_a_milestone_passes_and_is_an_event_c23(execute) -> None:
    events: list[RunEvent] = []
    gate = GateNode(id="half", form="milestone", title="Half way", into="verdict")
    outcome = execute(crew(gate), listeners=(events.append,))
    assert outcome.status == "success"
    assert [(e.kind, e.data["form"]) for e in events if e.kind == "gate"] == [("gate", "milestone")]


ANSWERS = """
draft: {result: {output: a draft, score: 0.9, handoff: {n: 3}}}
edit: [{result: {output: edited, score: 0.8}}, again]
gate: yes
"""


def test_scripted_answers_do_tasks_of_models_and_people_and_pass_gates(execute, world) -> None:
    scripted = ScriptedModels(parse_script(ANSWERS, "a.yaml"))
    world.models = world.people = scripted
    gate = GateNode(id="gate", form="approval", into="verdict")
    outcome = execute(crew(task("draft"), task("edit", "bob", role="editor"), gate))
    assert outcome.status == "success"
    assert outcome.variables["draft"]["handoff"] == {"n": 3}
    assert outcome.variables["edit"] == {
        "output": "edited",
        "score": 0.8,
        "handoff": {},
        "by": "bob",
    }


def test_a_scripted_text_is_the_output_of_a_task(execute, world) -> None:
    world.models = world.people = ScriptedModels(parse_script("draft: plain\n", "a.yaml"))
    assert execute(crew(task("draft"))).result["output"] == "plain"
