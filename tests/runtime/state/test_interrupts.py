"""Questions with choices and in conversations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from flowc.compiler.ir import Agent, AgentNode, AskNode, Thread
from flowc.runtime.engine.engine import open_engine
from flowc.runtime.errors import RunError
from flowc.runtime.state.interrupts import choice_in
from specs import SUCCESS, lit, program
from worlds import World, start

PICK = AskNode(id="pick", question=lit("Tea?"), choices=("yes", "no"), into="RESULT")


@dataclass
class Said:
    """What a person answered in advance, whatever is asked."""

    word: Any

    def answer(self, *about: object) -> Any:
        return self.word

    def answer_to_model(self, *about: object) -> Any:
        return None


def test_a_question_with_choices_takes_no_other_answer(world: World, url, wait) -> None:
    async def go() -> tuple[Any, str, Any]:
        spec = program(PICK, SUCCESS)
        async with open_engine(url) as engine:
            first = await start(engine, spec, world)
            with pytest.raises(RunError) as refused:
                await engine.resume("r", spec, world, answers={"": "perhaps"})
            return (
                first,
                str(refused.value.help),
                await engine.resume("r", spec, world, answers={"": " YES"}),
            )

    first, help, last = wait(go())
    assert first.questions[0].choices == ("yes", "no")
    assert (help, last.status, last.result) == ("one of: yes, no", "success", "yes")


def test_an_answer_given_in_advance_has_to_be_a_choice(world: World, execute) -> None:
    world.people = Said("N")
    assert execute(program(PICK, SUCCESS)).result == "no"
    world.people = Said("perhaps")
    outcome = execute(program(PICK, SUCCESS))
    assert (outcome.status, outcome.error["message"]) == (
        "error",
        "`perhaps` is not an answer to `pick`",
    )


@pytest.mark.parametrize(
    ("choices", "value", "choice"),
    [
        (("yes", "no"), True, "yes"),
        (("true", "false"), True, "true"),
        (("A", "a"), "a", "a"),
        (("tea", "two"), "t", None),
        (("1", "2"), 2, "2"),
        (("tea", "coffee"), "", None),
    ],
)
def test_the_choice_that_is_meant(choices, value: Any, choice: str | None) -> None:
    assert choice_in(choices, value) == choice


@pytest.mark.parametrize("answer", ["With milk.", ""])
def test_a_conversation_takes_the_question_and_the_answer(
    world: World, execute, answer: str
) -> None:
    world.people, world.models.replies = Said(answer), ["Noted."]
    asking = AskNode(id="pick", question=lit("Tea?"), thread="talk", into="RESULT")
    heard = AgentNode(id="hear", agent="clerk", into="RESULT")
    agents, threads = (Agent(id="clerk", thread="talk"),), (Thread(id="talk"),)
    outcome = execute(program(asking, heard, SUCCESS, agents=agents, threads=threads))
    said = [{"role": "user", "content": answer}] if answer else []
    asked = {"role": "assistant", "content": "Tea?"}
    assert (outcome.status, list(world.models.requests[0].messages)) == ("success", [asked, *said])
