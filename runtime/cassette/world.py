"""The world of a run, as its services reach it, with a tape between the two.

There is one wrapper for every service. Its tape takes down what the world answers, or answers in
the place of the world.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol, TypeVar

from ..events import Tape
from ..journal.before import JournalBefore
from ..people import QuestionKind
from ..requests import HttpAnswer, HttpRequest
from ..services import (
    NO_GRANTS,
    CommandResult,
    EffectCall,
    FunctionCall,
    Grants,
    Journal,
    Json,
    ModelReply,
    ModelRequest,
    ScriptCall,
    ScriptResult,
    Services,
    ToolSchema,
)
from .exchanges import (
    ANSWER_NOTATION,
    COMMAND_NOTATION,
    REPLY_NOTATION,
    RESULT_NOTATION,
    SCRIPT_NOTATION,
    TEXT_NOTATION,
    Notation,
    model_input,
    script_input,
)

T = TypeVar("T")
OnRetry = Callable[[int, str, float], None]


class Deck(Protocol):
    """What runs between the services and the world: the recorder, or the player."""

    @property
    def live(self) -> bool:
        """Whether the world is there."""

    def offer(self, tool: ToolSchema) -> str:
        """Return the name of a tool in an exchange."""

    async def once(self, journal: Journal, act: EffectCall) -> Json:
        """Make an effect through the journal; its call asks for one result at most."""

    async def alone(self, given: dict[str, Json], call: Callable[[], Awaitable[T]]) -> T:
        """Make a call of a script, which is not an effect."""

    async def result(
        self,
        notation: Notation[T],
        call: Callable[[], Awaitable[T]],
        given: dict[str, Json] | None = None,
    ) -> T:
        """Return the result of the call under way; `given` is what the world is asked, where it is
        not the effect's input. Raise `Failure` as the call does."""

    def retrying(self, on_retry: OnRetry | None) -> OnRetry:
        """Return what hears of a provider's failed attempts."""

    def read(self, path: str, base: str, read: Callable[[str, str], str]) -> str:
        """Return the text of a file. Raise `Failure`."""

    def answer(self, name: str, ask: Callable[[], Json]) -> Json:
        """Return a person's answer, or None."""

    async def schema(
        self, name: str, look: Callable[[str], Awaitable[ToolSchema | None]]
    ) -> ToolSchema | None:
        """Return a tool as a model sees it, or None."""


def put_between(services: Services, deck: Deck, tape: Tape, **told: Any) -> Services:
    """Return services that reach the world through the deck. `told` is what they say of themselves:
    `label`, `is_model`, `sandboxed`."""
    world = TapedWorld(services, deck, **told)
    return replace(
        services,
        models=world,
        tools=world,
        shell=world,
        files=world,
        people=world,
        scripts=world,
        functions=world.function if services.functions else None,
        sender=world,
        journal=JournalBefore(services.journal, deck.once),
        tape=tape,
    )


@dataclass(frozen=True, slots=True)
class TapedWorld:
    """Models, tools, shell, files, people, scripts and functions, each exchange by the deck."""

    services: Services
    deck: Deck
    label: str
    is_model: bool
    sandboxed: bool

    async def open(self) -> None:
        if self.deck.live:
            await self.services.tools.open()

    async def close(self) -> None:
        """Close tools and scripts. May be called twice, once as either."""
        if self.deck.live:
            await self.services.scripts.close()
            await self.services.tools.close()

    async def reply(self, request: ModelRequest) -> ModelReply:
        given = model_input(request, [self.deck.offer(tool) for tool in request.tools])
        heard = replace(request, on_retry=self.deck.retrying(request.on_retry))
        call = partial(self.services.models.reply, heard)
        reply = await self.deck.result(REPLY_NOTATION, call, given)
        if self.deck.live:
            return reply
        if reply.text and request.on_text:
            request.on_text(reply.text)
        return replace(reply, model=self.label)

    async def schema(self, name: str) -> ToolSchema | None:
        return await self.deck.schema(name, self.services.tools.schema)

    async def call(self, name: str, args: dict[str, Json]) -> Json:
        return await self.deck.result(
            RESULT_NOTATION, partial(self.services.tools.call, name, args)
        )

    async def function(self, call: FunctionCall) -> Json:
        assert self.services.functions is not None
        return await self.deck.result(RESULT_NOTATION, partial(self.services.functions, call))

    async def send(self, request: HttpRequest) -> HttpAnswer:
        call = partial(self.services.sender.send, request)
        return await self.deck.result(ANSWER_NOTATION, call)

    def confinement(self, granted: Grants) -> str:
        if self.deck.live:
            return self.services.shell.confinement(granted)
        return "by replay: what they wrote when they were recorded"

    async def run(
        self, command: str, state: str, granted: Grants = NO_GRANTS, merged: bool = False
    ) -> CommandResult:
        call = partial(self.services.shell.run, command, state, granted, merged)
        return replace(await self.deck.result(COMMAND_NOTATION, call), command=command)

    async def evaluate(self, call: ScriptCall) -> ScriptResult:
        notation = replace(SCRIPT_NOTATION, file=call.script.file)
        evaluate = partial(self.services.scripts.evaluate, call)
        return await self.deck.alone(
            script_input(call), partial(self.deck.result, notation, evaluate)
        )

    def read(self, path: str, base: str) -> str:
        return self.deck.read(path, base, self.services.files.read)

    async def write(self, path: str, text: str, base: str) -> str:
        call = partial(self.services.files.write, path, text, base)
        return await self.deck.result(TEXT_NOTATION, call)

    def answer(self, kind: QuestionKind, node: str, visit: int) -> Json:
        return self.deck.answer(kind, partial(self.services.people.answer, kind, node, visit))

    def answer_to_model(self, node: str, visit: int, turn: int) -> Json:
        ask = partial(self.services.people.answer_to_model, node, visit, turn)
        return self.deck.answer(f"told {turn}", ask)
