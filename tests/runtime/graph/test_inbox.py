"""What a model asks a person (J44), and what a person says unasked (J45, J46)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from flowc.compiler.catalog.builtin_tools import ASK_TOOL
from flowc.compiler.ir import Agent, AgentNode, AskNode, Assignment, MessageNode, OnInput, Param
from flowc.runtime.engine.engine import Engine, open_engine
from flowc.runtime.errors import RunError
from flowc.runtime.services import Outcome
from killing import Killed, in_process, kill_me
from specs import SUCCESS, ask, assign, edge, lit, name, plus, program
from worlds import World, start


def asking() -> Any:
    return program(
        AgentNode(id="a", agent="main", prompt=lit("Go."), into="RESULT"),
        SUCCESS,
        agents=(Agent(id="main", tools=(ASK_TOOL,)),),
    )


def model_that_asks(world: World) -> World:
    world.tools.functions = {ASK_TOOL: lambda question: "never called"}
    world.models.replies = [[(ASK_TOOL, {"question": "Which one?"})], "done"]
    return world


def test_a_model_asks_the_person_and_the_answer_is_the_calls_result_j44(wait, url) -> None:
    world = model_that_asks(World())

    async def go() -> tuple[Outcome, Outcome]:
        async with open_engine(url) as engine:
            asked = await start(engine, asking(), world)
            return asked, await engine.resume("r", asking(), world, answers={"": "the blue one"})

    asked, outcome = wait(go())
    (question,) = asked.questions
    assert (asked.status, question.kind, question.node) == ("paused", "ask", "a")
    assert question.text == "Which one?"
    assert (outcome.status, outcome.result) == ("success", "done")
    assert world.models.requests[-1].messages[-1]["content"] == "the blue one"
    assert len(world.models.requests) == 2, "the model was not asked again for its question"
    assert world.tools.calls == []


def test_a_command_is_no_answer_to_a_model_j46(wait, url) -> None:
    world = model_that_asks(World())

    async def go() -> tuple[str, Outcome]:
        async with open_engine(url) as engine:
            await start(engine, asking(), world)
            with pytest.raises(RunError) as refused:
                await engine.resume("r", asking(), world, answers={"": "/quit"})
            return refused.value.message, await engine.resume("r", asking(), world, answers={})

    told, outcome = wait(go())
    assert told.startswith("`/quit` is a command")
    assert (outcome.status, outcome.questions[0].asker) == ("paused", "main")


def test_a_question_without_a_question_is_the_models_to_correct_j44(execute, world) -> None:
    model_that_asks(world)
    world.models.replies = [[(ASK_TOOL, {})], "done"]
    assert execute(asking()).result == "done"
    assert "needs a `question`" in world.models.requests[-1].messages[-1]["content"]


def chat() -> Any:
    """Adds to a conversation, asks; a line said unasked goes to a node of its own."""
    return program(
        MessageNode(id="hello", thread="main", mode="append", role="user", template=lit("hello")),
        assign("count", N=plus(name("N"), lit(1))),
        ask("q"),
        SUCCESS,
        MessageNode(id="told", thread="main", mode="append", role="user", template=name("LINE")),
        AgentNode(id="talk", agent="main", prompt=None, into="RESULT"),
        assign("more", N=plus(name("N"), lit(10))),
        ask("again"),
        SUCCESS_TOO,
        edges=(edge("told", "talk"), edge("talk", "more"), edge("more", "again")),
        variables=("RESULT", "LINE"),
        params=(Param(name="N", type="any"),),
        on_input=OnInput(
            target="told",
            assignments=(Assignment(target="LINE", value=plus(lit("said: "), name("input"))),),
        ),
    )


SUCCESS_TOO = type(SUCCESS)(id="SUCCESS2", outcome="success")


async def resumed(engine: Engine, world: World, **fields: Any) -> Outcome:
    return await engine.resume("r", chat(), world, **{"answers": {}, **fields})


def inputs(world: World) -> list[str]:
    return [message["content"] for message in world.models.requests[-1].messages]


def test_an_unasked_line_leaves_the_question_and_goes_where_the_workflow_says_j45(
    wait, url
) -> None:
    world = World()
    world.models.replies = ["one", "two"]

    async def go() -> list[Outcome]:
        async with open_engine(url) as engine:
            first = await start(engine, chat(), world, inputs={"N": 0})
            moved = await resumed(engine, world, line="wait")
            assert inputs(world) == ["hello", "said: wait"]
            again = await resumed(engine, world, line="and more")
            ended = await resumed(engine, world, answers={"": "fine"})
            return [first, moved, again, ended]

    first, moved, again, ended = wait(go())
    assert [first.questions[0].node, moved.questions[0].node] == ["q", "again"]
    assert inputs(world) == ["hello", "said: wait", "one", "said: and more"]
    assert (moved.variables["N"], again.variables["N"]) == (11, 21)
    assert (ended.status, ended.result) == ("success", "fine")


def test_a_run_that_ended_goes_on_with_what_is_said_then_and_keeps_its_conversation_j45(
    wait, url
) -> None:
    world = World()
    world.models.replies = ["one"]

    async def go() -> list[Outcome]:
        async with open_engine(url) as engine:
            await start(engine, chat(), world, inputs={"N": 0})
            ended = await resumed(engine, world, answers={"": "x"})
            with pytest.raises(RunError, match="has ended"):
                await resumed(engine, world)
            return [ended, await resumed(engine, world, line="one more thing")]

    ended, outcome = wait(go())
    assert (ended.status, outcome.status) == ("success", "paused")
    assert inputs(world) == ["hello", "said: one more thing"]


def test_a_fork_hears_what_is_said_to_it_j45(wait, url) -> None:
    async def go() -> list[Outcome]:
        async with open_engine(url) as engine:
            world = World()
            world.models.replies = ["one", "two"]
            await start(engine, chat(), world, inputs={"N": 0})
            await resumed(engine, world, line="wait")
            await engine.fork("r", "again", {}, "f")
            there = await engine.resume("f", chat(), world, answers={}, line="elsewhere")
            return [there, await resumed(engine, world)]

    there, here = wait(go())
    assert (there.variables["LINE"], here.variables["LINE"]) == ("said: elsewhere", "said: wait")
    assert there.variables["N"] == 21


@pytest.mark.parametrize("kind", ["said", "run_resumed", "node_started"])
def test_a_line_said_before_a_crash_is_obeyed_once_by_the_next_resume_j45(url, kind) -> None:
    def first() -> str:
        async def go() -> str:
            async with open_engine(url) as engine:
                return (await start(engine, chat(), World(), inputs={"N": 0})).status

        return asyncio.run(go())

    def say_then_die(kind: str) -> None:
        async def go() -> None:
            async with open_engine(url) as engine:
                world = World()

                def die(event: Any) -> None:
                    if event.kind == kind:
                        kill_me()

                await resumed(engine, world, line="wait", listeners=(die,))

        asyncio.run(go())

    def go_on() -> list[Any]:
        async def go() -> list[Any]:
            async with open_engine(url) as engine:
                world = World()
                world.models.replies = ["one"]
                outcome = await resumed(engine, world)
                return [outcome.status, outcome.variables["N"], inputs(world)]

        return asyncio.run(go())

    assert in_process(first) == "paused"
    with pytest.raises(Killed):
        in_process(lambda: say_then_die(kind))
    assert in_process(go_on) == ["paused", 11, ["hello", "said: wait"]]


@pytest.mark.parametrize(
    ("line", "message"), [("/stop now", "`/stop` is a command"), ("  ", "nothing in the line")]
)
def test_commands_and_nothing_never_reach_a_workflow_j46(wait, url, line, message) -> None:
    async def go() -> tuple[str, Outcome]:
        async with open_engine(url) as engine:
            world = World()
            await start(engine, chat(), world, inputs={"N": 0})
            with pytest.raises(RunError) as refused:
                await resumed(engine, world, line=line)
            return refused.value.message, await resumed(engine, world)

    told, outcome = wait(go())
    assert message in told
    assert outcome.questions[0].node == "q", "the run stands where it stood"


def test_a_workflow_that_takes_no_unasked_line_says_so(wait, url) -> None:
    spec = program(AskNode(id="q", question=lit("?"), into="RESULT"), SUCCESS)

    async def go() -> str:
        async with open_engine(url) as engine:
            await start(engine, spec, World())
            with pytest.raises(RunError) as refused:
                await engine.resume("r", spec, World(), answers={}, line="hm")
            return refused.value.message

    assert "did not ask for" in wait(go())
