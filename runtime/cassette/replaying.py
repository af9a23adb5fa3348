"""Replaying: services that answer from a cassette and never from the world.

The run has to ask for the same exchanges as when it was recorded. The first difference stops it,
and so does an exchange that the cassette does not hold.
"""

from __future__ import annotations

import asyncio
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, cast

from ..context import binding
from ..errors import RunError
from ..journal.effects import JournalBefore
from ..people import QuestionKind
from ..secrets import redact_value
from ..services import (
    NO_GRANTS,
    CommandResult,
    EffectCall,
    Files,
    Grants,
    Json,
    ModelReply,
    ModelRequest,
    ScriptCall,
    ScriptResult,
    Services,
    Tape,
    ToolSchema,
)
from .drift import DRIFT, drift, name_of, refuse_drift
from .exchanges import (
    command_of,
    effect_input,
    failure_of,
    model_input,
    offer_body,
    offer_name,
    reply_of,
    script_input,
    script_of,
    tool_description,
    tool_of,
)
from .format import WHOLE, Cassette, Exchange, Key
from .ordinals import exchange_here, here, numbered_exchange

PATIENCE = 5.0
"""The same limit cuts off a call that was cut off, at most so many seconds later."""
_EXCHANGE: ContextVar[Exchange | None] = ContextVar("flowc_exchange", default=None)
"""The recorded exchange of the effect that is under way."""


@dataclass(slots=True)
class Player(Tape):
    """The tape that plays a cassette. `secrets` are redacted in what the run asks, as they are in
    the recording."""

    cassette: Cassette
    secrets: tuple[str, ...]
    waits = False
    now: dict[str, Json] = field(default_factory=dict)
    """The tools as models see them now, by the names of the offers."""
    used: set[Key] = field(default_factory=set)

    @property
    def mark(self) -> dict[str, Json]:
        return {"replayed": self.cassette.header.label}

    @property
    def then(self) -> dict[str, Json]:
        """The tools as models saw them."""
        offers = (e for e in self.cassette.exchanges.values() if e.kind == "offer")
        return {str(offer.number): tool_description(offer.body) for offer in offers}

    def begin(self, run: str, inputs: dict[str, Json], resumed: bool) -> None:
        header = self.cassette.header
        if header.begins != WHOLE:
            raise RunError(
                f"`{self.cassette.path}` begins with {header.begins} and cannot be replayed from "
                "the start",
                help="record a run from its start: flowc run FILE --record",
            )

    def end(self, complete: bool) -> str:
        """Return a remark when a complete run has not asked for some exchange."""
        left = [
            exchange
            for key, exchange in self.cassette.exchanges.items()
            if key not in self.used and exchange.kind != "offer" and "cut_off" not in exchange.body
        ]
        if not complete or not left:
            return ""
        many = f" and {len(left) - 1} more" if len(left) > 1 else ""
        at = f"{self.cassette.path}:{left[0].line}"
        return f"recorded and not asked for: {left[0].kind} of {name_of(left[0])}{many} ({at})"

    def find(self, wanted: Exchange) -> Exchange:
        """Return the exchange of a key. Raise `RunError` for a missing one, or another kind."""
        exchange = self.cassette.exchanges.get(wanted.key)
        if exchange is None:
            torn = "; its end is cut off" if self.cassette.torn else ""
            raise drift(
                f"{name_of(wanted)} asks for a {wanted.kind} exchange that"
                f" `{self.cassette.path}` does not hold{torn}"
            )
        if exchange.kind != wanted.kind:
            raise drift(
                f"{name_of(wanted)} asks for a {wanted.kind} exchange; recorded is one of kind "
                f"{exchange.kind} ({self.cassette.path}:{exchange.line})"
            )
        self.used.add(exchange.key)
        return exchange

    def find_next(self, kind: Literal["file", "script"]) -> Exchange:
        """Return the exchange of the running visit that is next of its kind."""
        return self.find(exchange_here(kind, here().next(kind), {}))

    def compare(self, exchange: Exchange, inputs: dict[str, Json]) -> None:
        """Raise `RunError` when the inputs are not the recorded ones."""
        if "digest" in exchange.body:
            inputs = redact_value(inputs, self.secrets)
            refuse_drift(exchange, inputs, self.cassette.path, self.then, self.now)

    def offer(self, tool: ToolSchema) -> str:
        """Return the name of a tool in an exchange."""
        name = offer_name(tool)
        self.now[name] = tool_description(offer_body(tool))
        return name


def replay_services(services: Services, player: Player) -> Services:
    """Return services that never ask the world. The journal, the events and the limits, which are
    not in `player`'s cassette, stay those of `services`."""
    world, header = ReplayedWorld(player, services.files), player.cassette.header
    return replace(
        services,
        models=world,
        tools=world,
        shell=world,
        files=world,
        scripts=world,
        people=world,
        journal=ReplayedJournal(services.journal, player),
        approve=header.commands,
        by_hand=header.by_hand,
        tape=player,
    )


def _current() -> Exchange:
    exchange = _EXCHANGE.get()
    if exchange is None:
        raise RunError("an exchange belongs to no effect", exit_code=3)
    return exchange


async def _result(exchange: Exchange, file: str = "") -> Any:
    """Return the body of an exchange. Raise the failure that it ended with; an exchange that was
    cut off lasts until it is cut off again."""
    body = exchange.body
    if "cut_off" in body:
        await asyncio.sleep(float(body["cut_off"]) + PATIENCE)
        raise RunError(f"{name_of(exchange)} was cut off when it was recorded", exit_code=DRIFT)
    if "failure" in body:
        raise failure_of(body["failure"], file)
    return body


@dataclass(frozen=True, slots=True)
class ReplayedJournal(JournalBefore):
    """Numbers effects as when they were recorded. A replayed effect never acts, so that none is
    ever in doubt."""

    player: Player

    async def once(self, act: EffectCall) -> Json:
        wanted = await numbered_exchange(self.inner, act)

        async def replayed_call() -> Json:
            exchange = self.player.find(wanted)
            body = exchange.body
            if exchange.kind != "model" or body.keys() & {"kept", "unasked"}:
                self.player.compare(exchange, effect_input(act.name, act.inputs))
            if "unasked" in body:
                raise failure_of(body["unasked"])
            if "kept" in body:
                return cast("Json", body["kept"])
            with binding(_EXCHANGE, exchange):
                value = await act.call()
            if "then" in body:
                raise failure_of(body["then"])
            return value

        return await self.inner.once(replace(act, effect="pure", call=replayed_call))


@dataclass(frozen=True, slots=True)
class ReplayedWorld:
    """Every service at once, as a cassette holds them. `files` finds the workflow's own."""

    player: Player
    files: Files
    is_model: bool = False

    @property
    def label(self) -> str:
        return self.player.cassette.header.label

    @property
    def sandboxed(self) -> bool:
        """As it was recorded, so that the run asks for the same approvals."""
        return self.player.cassette.header.sandboxed

    async def open(self) -> None:
        return None

    async def close(self) -> None:
        return None

    async def reply(self, request: ModelRequest) -> ModelReply:
        exchange = _current()
        offers = [self.player.offer(tool) for tool in request.tools]
        self.player.compare(exchange, model_input(request, offers))
        for retry in exchange.body.get("retries") or ():
            if request.on_retry:
                request.on_retry(retry["attempt"], retry["error"], 0.0)
        reply = reply_of(await _result(exchange), self.label)
        if reply.text and request.on_text:
            request.on_text(reply.text)
        return reply

    async def schema(self, name: str) -> ToolSchema | None:
        exchanges = self.player.cassette.exchanges.values()
        offers = [e for e in exchanges if e.kind == "offer" and e.place == name]
        return tool_of(name, offers[-1].body) if offers else None

    async def call(self, name: str, args: dict[str, Json]) -> Json:
        return cast("Json", (await _result(_current()))["result"])

    def confinement(self, granted: Grants) -> str:
        return "by replay: what they wrote when they were recorded"

    async def run(self, command: str, state: str, granted: Grants = NO_GRANTS) -> CommandResult:
        return command_of(command, await _result(_current()))

    async def evaluate(self, call: ScriptCall) -> ScriptResult:
        exchange = self.player.find_next("script")
        self.player.compare(exchange, script_input(call))
        return script_of(await _result(exchange, call.script.file))

    def read(self, path: str, base: str) -> str:
        """A file of the workflow's own that exists has to be as it was; every other one is as it
        was recorded, because the run may have written it."""
        exchange = self.player.find_next("file")
        body = exchange.body
        if body.get("path") != path:
            raise drift(f"{name_of(exchange)} reads `{path}`; recorded is `{body.get('path')}`")
        if "failure" in body:
            raise failure_of(body["failure"])
        if body.get("own") and (Path(base).parent / path).is_file():
            inputs = {"path": path, "text": body["text"]}
            now = redact_value(self.files.read(path, base), self.player.secrets)
            recorded = replace(exchange, body={"digest": "", "given": inputs})
            if now != body["text"]:
                refuse_drift(recorded, {**inputs, "text": now}, self.player.cassette.path, {}, {})
        return str(body["text"])

    def write(self, path: str, text: str, base: str) -> str:
        body = _current().body
        if "failure" in body:
            raise failure_of(body["failure"])
        return str(body["result"])

    def answer(self, kind: QuestionKind, node: str, visit: int) -> Json | None:
        return self._answer(kind)

    def answer_to_model(self, node: str, visit: int, turn: int) -> Json | None:
        return self._answer(f"told {turn}")

    def _answer(self, name: str) -> Json | None:
        """Without an answer in the cassette the run waited then, and waits now."""
        key = exchange_here("answer", name, {}).key
        exchange = self.player.cassette.exchanges.get(key)
        if exchange is None:
            return None
        self.player.used.add(key)
        return exchange.body.get("said")
