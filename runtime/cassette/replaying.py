"""Replaying: services that give what a cassette holds and ask nothing of the world.

Whatever the run asks has to be what was asked when it was recorded. The first difference stops it,
and so does an exchange that is not there: nothing is ever asked anew instead.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from flowc.compiler.ir import Effect

from ..errors import RunError
from ..journal.layered import JournalBefore
from ..people import QuestionKind
from ..secrets import redact_value
from ..services import (
    NO_GRANTS,
    CommandResult,
    Files,
    Grants,
    Json,
    ModelReply,
    ModelRequest,
    ScriptCall,
    ScriptResult,
    Services,
    ToolSchema,
)
from .drift import DRIFT, named, refuse_drift
from .exchanges import (
    command_of,
    effect_given,
    failure_of,
    kind_of,
    model_given,
    offer_body,
    offer_name,
    reply_of,
    script_given,
    script_of,
    tool_of,
)
from .format import WHOLE, Cassette, Exchange, Key, Kind
from .ordinals import effect_key, here

PATIENCE = 5.0
"""A call that was cut off is cut off again by the same limit, at most so many seconds later."""
_GIVEN: ContextVar[Exchange | None] = ContextVar("flowc_given", default=None)
"""The recorded exchange of the effect that is under way."""


@dataclass(slots=True)
class Player:
    """The tape that plays a cassette. `secrets` are blotted out in what is asked before it is
    compared, as they are in the recording."""

    cassette: Cassette
    secrets: tuple[str, ...]
    waits: bool = False
    now: dict[str, Json] = field(default_factory=dict)
    """What models are told of tools now."""
    used: set[Key] = field(default_factory=set)

    @property
    def mark(self) -> dict[str, Json]:
        return {"replayed": self.cassette.header.label}

    @property
    def then(self) -> dict[str, Json]:
        """What models were told of tools."""
        offers = (e for e in self.cassette.exchanges.values() if e.kind == "offer")
        return {str(offer.number): _told(offer.body) for offer in offers}

    def begin(self, run: str, inputs: dict[str, Json], resumed: bool) -> None:
        header = self.cassette.header
        if header.begins != WHOLE:
            raise RunError(
                f"`{self.cassette.path}` begins with {header.begins} and cannot be replayed from "
                "the start",
                help="record a run from its start: flowc run FILE --record",
            )

    def record_answer(self, name: str, answer: Json) -> None:
        return None

    def end(self, complete: bool) -> str:
        """A remark when the run came to its end without something that was recorded."""
        left = [
            exchange
            for key, exchange in self.cassette.exchanges.items()
            if key not in self.used and exchange.kind != "offer" and "cut_off" not in exchange.body
        ]
        if not complete or not left:
            return ""
        many = f" and {len(left) - 1} more" if len(left) > 1 else ""
        at = f"{self.cassette.path}:{left[0].line}"
        return f"recorded and not asked for: {left[0].kind} of {named(left[0])}{many} ({at})"

    def find(self, kind: Kind, place: str, visit: int, attempt: int, number: int | str) -> Exchange:
        """The exchange of a key. Raises `RunError` when there is none, or one of another kind."""
        wanted = Exchange(kind, place, visit, attempt, number, {})
        found = self.cassette.exchanges.get(wanted.key)
        if found is None:
            torn = "; its end is cut off" if self.cassette.torn else ""
            raise RunError(
                f"{named(wanted)} asks for a {kind} exchange that `{self.cassette.path}` does not "
                f"hold{torn}",
                help="record the run anew with --record",
                exit_code=DRIFT,
            )
        if found.kind != kind:
            raise RunError(
                f"{named(wanted)} asks for a {kind} exchange; recorded is one of kind {found.kind} "
                f"({self.cassette.path}:{found.line})",
                help="record the run anew with --record",
                exit_code=DRIFT,
            )
        self.used.add(found.key)
        return found

    def compare(self, exchange: Exchange, given: dict[str, Json]) -> None:
        """Raises `RunError` when something else is asked than was recorded."""
        asked = redact_value(given, self.secrets)
        if "digest" in exchange.body:
            refuse_drift(exchange, asked, self.cassette.path, self.then, self.now)

    def offered(self, tool: ToolSchema) -> str:
        """What a tool is called in an exchange."""
        name = offer_name(tool)
        self.now[name] = _told(offer_body(tool))
        return name


def replayed(services: Services, player: Player) -> Services:
    """Services that ask nothing of the world. What is not in `player`'s cassette (the journal, the
    events, the limits) stays that of `services`."""
    commands = player.cassette.header.commands
    return replace(
        services,
        models=ReplayedModels(player),
        tools=ReplayedTools(player),
        shell=ReplayedShell(),
        files=ReplayedFiles(player, services.files),
        scripts=ReplayedScripts(player),
        people=ReplayedPeople(player),
        journal=ReplayedJournal(services.journal, player),
        approve=commands,
        by_hand=player.cassette.header.by_hand,
        tape=player,
    )


def _told(body: Any) -> dict[str, Json]:
    return {"description": body.get("description"), "parameters": body.get("parameters")}


def _current() -> Exchange:
    exchange = _GIVEN.get()
    if exchange is None:
        raise RunError("an exchange belongs to no effect", exit_code=3)
    return exchange


async def _came(exchange: Exchange, file: str = "") -> Any:
    """The body of an exchange. Raises the failure that it ended with; one that was cut off lasts
    until it is cut off again."""
    body = exchange.body
    if "cut_off" in body:
        await asyncio.sleep(float(body["cut_off"]) + PATIENCE)
        raise RunError(f"{named(exchange)} was cut off when it was recorded", exit_code=DRIFT)
    if "failure" in body:
        raise failure_of(body["failure"], file)
    return body


@dataclass(frozen=True, slots=True)
class ReplayedJournal(JournalBefore):
    """Effects get their numbers as when they were recorded. None acts on anything, so none is ever
    in doubt."""

    player: Player

    async def once(
        self,
        runtime: Any,
        name: str,
        effect: Effect,
        given: Json,
        call: Callable[[], Awaitable[Json]],
        ordinal: int = 0,
    ) -> Json:
        if given is None:
            return await self.inner.once(runtime, name, effect, given, call, ordinal)
        key = await effect_key(self.inner, runtime, ordinal)

        async def answered() -> Json:
            exchange = self.player.find(kind_of(name), key.place, key.visit, 1, key.number)
            body = exchange.body
            if exchange.kind != "model" or body.keys() & {"kept", "unasked"}:
                self.player.compare(exchange, effect_given(name, given))
            if "unasked" in body:
                raise failure_of(body["unasked"])
            if "kept" in body:
                return body["kept"]
            token = _GIVEN.set(exchange)
            try:
                value = await call()
            finally:
                _GIVEN.reset(token)
            if "then" in body:
                raise failure_of(body["then"])
            return value

        return await self.inner.once(runtime, name, "pure", given, answered, ordinal)


@dataclass(frozen=True, slots=True)
class ReplayedModels:
    """Never a language model, whatever was recorded."""

    player: Player
    is_model: bool = False

    @property
    def label(self) -> str:
        return self.player.cassette.header.label

    async def reply(self, request: ModelRequest) -> ModelReply:
        exchange = _current()
        offers = [self.player.offered(tool) for tool in request.tools]
        self.player.compare(exchange, model_given(request, offers))
        for retry in exchange.body.get("retries") or ():
            if request.on_retry:
                request.on_retry(retry["attempt"], retry["error"], 0.0)
        reply = reply_of(await _came(exchange), self.label)
        if reply.text and request.on_text:
            request.on_text(reply.text)
        return reply


@dataclass(frozen=True, slots=True)
class ReplayedTools:
    """Results of tools that need not be there."""

    player: Player

    async def open(self) -> None:
        return None

    def schema(self, name: str) -> ToolSchema | None:
        offers = self.player.cassette.exchanges.values()
        found = [e for e in offers if e.kind == "offer" and e.place == name]
        return tool_of(name, found[-1].body) if found else None

    async def call(self, name: str, args: dict[str, Json]) -> Json:
        return (await _came(_current()))["result"]

    async def close(self) -> None:
        return None


@dataclass(frozen=True, slots=True)
class ReplayedShell:
    """Results of commands, without a shell."""

    def confinement(self, granted: Grants) -> str:
        return "by replay: what they wrote when they were recorded"

    async def run(self, command: str, state: str, granted: Grants = NO_GRANTS) -> CommandResult:
        return command_of(command, await _came(_current()))


@dataclass(frozen=True, slots=True)
class ReplayedFiles:
    """A file of the workflow's own that is there has to be as it was; every other one is as it was
    recorded, because the run may have made it."""

    player: Player
    inner: Files

    def read(self, path: str, base: str) -> str:
        at = here()
        number = at.next("file")
        exchange = self.player.find("file", at.place, at.visit, at.attempt, number)
        if exchange.body.get("path") != path:
            was = Exchange("file", at.place, at.visit, at.attempt, number, {})
            raise RunError(
                f"{named(was)} reads `{path}`; recorded is `{exchange.body.get('path')}`",
                help="record the run anew with --record",
                exit_code=DRIFT,
            )
        if "failure" in exchange.body:
            raise failure_of(exchange.body["failure"])
        text = str(exchange.body["text"])
        if exchange.body.get("own") and (Path(base).parent / path).is_file():
            self._refuse_changed(exchange, self.inner.read(path, base))
        return text

    def _refuse_changed(self, exchange: Exchange, text: str) -> None:
        now = redact_value(text, self.player.secrets)
        if now != exchange.body["text"]:
            given = {"path": exchange.body["path"], "text": exchange.body["text"]}
            was = replace(exchange, body={"digest": "", "given": given})
            refuse_drift(was, {**given, "text": now}, self.player.cassette.path, {}, {})

    def write(self, path: str, text: str, base: str) -> str:
        body = _current().body
        if "failure" in body:
            raise failure_of(body["failure"])
        return str(body["result"])


@dataclass(frozen=True, slots=True)
class ReplayedScripts:
    """Results of scripts, without a process."""

    player: Player

    @property
    def sandboxed(self) -> bool:
        """As it was recorded: what was asked then is asked now."""
        return self.player.cassette.header.sandboxed

    async def evaluate(self, call: ScriptCall) -> ScriptResult:
        at = here()
        number = at.next("script")
        exchange = self.player.find("script", at.place, at.visit, at.attempt, number)
        self.player.compare(exchange, script_given(call))
        return script_of(await _came(exchange, call.script.file))

    async def close(self) -> None:
        return None


@dataclass(frozen=True, slots=True)
class ReplayedPeople:
    """What was not answered when it was recorded is not now: the run waits then as well."""

    player: Player

    def answer(self, kind: QuestionKind, node: str, visit: int) -> Json | None:
        return self._said(kind)

    def answer_to_model(self, node: str, visit: int, turn: int) -> Json | None:
        return self._said(f"told {turn}")

    def _said(self, name: str) -> Json | None:
        at = here()
        wanted = Exchange("answer", at.place, at.visit, at.attempt, name, {})
        found = self.player.cassette.exchanges.get(wanted.key)
        if found is None:
            return None
        self.player.used.add(found.key)
        return found.body.get("said")
