"""Replaying: services that answer from a cassette and never from the world.

The run has to ask for the same exchanges as when it was recorded. The first difference stops it,
and so does an exchange that the cassette does not hold.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, TypeVar, cast

from ..context import binding
from ..errors import RunError
from ..events import RunEvent, Tape
from ..secrets import redact_value
from ..services import EffectCall, Emit, Journal, Json, Services, ToolSchema
from .drift import DRIFT, drift, name_of, refuse_drift
from .exchanges import (
    Notation,
    effect_input,
    failure_of,
    offer_body,
    offer_name,
    tool_description,
    tool_of,
)
from .format import WHOLE, Cassette, Exchange, Key, Kind
from .ordinals import exchange_here, here, numbered_exchange
from .world import OnRetry, put_between

T = TypeVar("T")
PATIENCE = 5.0
"""The same limit cuts off a call that was cut off, at most so many seconds later."""
_EXCHANGE: ContextVar[Exchange | None] = ContextVar("flowc_exchange", default=None)
"""The recorded exchange that is under way."""
_ASKED = "exchanges"
"""The keys of exchanges, among the data of an event."""
_SHOWN = 5
"""The most exchanges that are named one by one."""


@dataclass(slots=True)
class Player(Tape):
    """The tape that plays a cassette, and what answers in the world's place (`world.Deck`).
    `secrets` are redacted in what the run asks, as they are in the recording."""

    cassette: Cassette
    secrets: tuple[str, ...]
    emit: Emit
    waits = False
    live = False
    acts: bool = False
    """Whether replayed effects can be in doubt, as those of the world can."""
    recalls = True
    in_part: bool = False
    """Whether the run began otherwise than with this recording, which so is not asked for whole."""
    now: dict[str, Json] = field(default_factory=dict)
    """The tools as models see them now, by the names of the offers."""
    used: set[Key] = field(default_factory=set)
    untold: list[Key] = field(default_factory=list)
    """Those of them that no stored event has told of yet."""

    def mark(self, stored: bool) -> dict[str, Json]:
        """Mark an event with the recording, and one that is stored with what was asked for since
        the one before: no checkpoint is kept without it, so a process that goes on knows."""
        mark: dict[str, Json] = {"replayed": self.cassette.header.label}
        if stored and self.untold:
            mark[_ASKED], self.untold = [[*key] for key in self.untold], []
        return mark

    def recall(self, events: Sequence[RunEvent]) -> None:
        """Take up what was asked for before, where the run began with this recording."""
        label = self.cassette.header.label
        begun = [event.data.get("replayed") for event in events if event.kind == "run_started"]
        self.in_part = label not in begun
        for event in events:
            self.used.update((*key,) for key in event.data.get(_ASKED) or ())

    @property
    def then(self) -> dict[str, Json]:
        """The tools as models saw them."""
        offers = (e for e in self.cassette.exchanges.values() if e.kind == "offer")
        return {str(offer.number): tool_description(offer.body) for offer in offers}

    def begin(self, run: str, inputs: dict[str, Json], resumed: bool) -> None:
        if self.cassette.header.begins != WHOLE and not resumed:
            raise RunError(
                f"`{self.cassette.path}` begins with {self.cassette.header.begins} and cannot be"
                " replayed from the start",
                help="record a run from its start: flowc run FILE --record",
            )

    def end(self, complete: bool) -> None:
        """Raise `RunError` when a run that is through has not asked for some exchange."""
        if not complete or self.in_part:
            return
        left = [
            exchange
            for key, exchange in self.cassette.exchanges.items()
            if key not in self.used and exchange.kind != "offer" and "cut_off" not in exchange.body
        ]
        for exchange in left[:_SHOWN]:
            at = f"{self.cassette.path}:{exchange.line}"
            message = f"recorded and not asked for: {exchange.kind} of {name_of(exchange)} ({at})"
            self.emit("warning", "", {"message": message})
        if left:
            many = "one exchange" if len(left) == 1 else f"{len(left)} exchanges"
            first = f"{left[0].kind} of {name_of(left[0])}{', …' * (len(left) > 1)}"
            raise drift(f"the run did not ask for {many} of `{self.cassette.path}`: {first}")

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
        self._use(exchange.key)
        return exchange

    def _use(self, key: Key) -> None:
        if key not in self.used:
            self.used.add(key)
            self.untold.append(key)

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

    async def once(self, journal: Journal, act: EffectCall) -> Json:
        """Give an effect under the number that it had. A replayed effect never acts, so that none
        is ever in doubt, unless it is played that it does."""
        wanted = await numbered_exchange(journal, act)
        self._use(wanted.key)  # also of what the journal gives

        async def replayed_call() -> Json:
            exchange = self.find(wanted)
            body = exchange.body
            if exchange.kind != "model" or body.keys() & {"kept", "unasked"}:
                self.compare(exchange, effect_input(act.name, act.inputs))
            if "unasked" in body:
                raise failure_of(body["unasked"])
            if "kept" in body:
                return cast("Json", body["kept"])
            with binding(_EXCHANGE, exchange):
                value = await act.call()
            if "then" in body:
                raise failure_of(body["then"])
            return value

        effect = act.effect if self.acts else "pure"
        return await journal.once(replace(act, effect=effect, call=replayed_call))

    async def alone(self, given: dict[str, Json], call: Callable[[], Awaitable[T]]) -> T:
        exchange = self.find_next("script")
        self.compare(exchange, given)
        with binding(_EXCHANGE, exchange):
            return await call()

    async def result(
        self,
        notation: Notation[T],
        call: Callable[[], Awaitable[T]],
        given: dict[str, Json] | None = None,
    ) -> T:
        """Return the recorded result; an exchange that was cut off lasts until it is cut off
        again."""
        exchange = _current()
        if given is not None:
            self.compare(exchange, given)
        if "cut_off" in exchange.body:
            await asyncio.sleep(float(exchange.body["cut_off"]) + PATIENCE)
            raise RunError(f"{name_of(exchange)} was cut off when it was recorded", exit_code=DRIFT)
        if "failure" in exchange.body:
            raise failure_of(exchange.body["failure"], notation.file)
        return notation.value(exchange.body)

    def retrying(self, on_retry: OnRetry | None) -> OnRetry:
        """Tell of the recorded failed attempts now: the call that follows has none."""
        on_retry = on_retry or (lambda attempt, error, wait: None)
        for retry in _current().body.get("retries") or ():
            on_retry(retry["attempt"], retry["error"], 0.0)
        return on_retry

    def read(self, path: str, base: str, read: Callable[[str, str], str]) -> str:
        """A file of the workflow's own that exists has to be as it was; every other one is as it
        was recorded, because the run may have written it."""
        exchange = self.find_next("file")
        body = exchange.body
        if body.get("path") != path:
            raise drift(f"{name_of(exchange)} reads `{path}`; recorded is `{body.get('path')}`")
        if "failure" in body:
            raise failure_of(body["failure"])
        if body.get("own") and (Path(base).parent / path).is_file():
            inputs = {"path": path, "text": body["text"]}
            now = redact_value(read(path, base), self.secrets)
            recorded = replace(exchange, body={"digest": "", "given": inputs})
            if now != body["text"]:
                refuse_drift(recorded, {**inputs, "text": now}, self.cassette.path, {}, {})
        return str(body["text"])

    def answer(self, name: str, ask: Callable[[], Json]) -> Json:
        """Without an answer in the cassette the run waited then, and waits now."""
        exchange = self._find_optional("answer", name)
        return exchange.body.get("said") if exchange else None

    def time(self, seconds: float) -> float:
        return float(self.find(exchange_here("time", 1, {})).body["seconds"])

    def items(self) -> Sequence[int]:
        exchange = self._find_optional("items", 1)
        return exchange.body["ended"] if exchange else ()

    def _find_optional(self, kind: Kind, number: int | str) -> Exchange | None:
        """Return an exchange of the running visit that need not be there."""
        exchange = self.cassette.exchanges.get(exchange_here(kind, number, {}).key)
        if exchange is not None:
            self._use(exchange.key)
        return exchange

    async def schema(
        self, name: str, look: Callable[[str], Awaitable[ToolSchema | None]]
    ) -> ToolSchema | None:
        exchanges = self.cassette.exchanges.values()
        offers = [e for e in exchanges if e.kind == "offer" and e.place == name]
        return tool_of(name, offers[-1].body) if offers else None


def replay_services(services: Services, cassette: Cassette, secrets: tuple[str, ...]) -> Services:
    """Return services that never ask the world. The journal, the events and the limits, which are
    not in the cassette, stay those of `services`; approvals are asked for as they were."""
    player, header = Player(cassette, secrets, services.emit), cassette.header
    label, sandboxed = header.label, header.sandboxed
    return replace(
        put_between(services, player, player, label=label, is_model=False, sandboxed=sandboxed),
        approve=header.commands,
        by_hand=header.by_hand,
    )


def _current() -> Exchange:
    exchange = _EXCHANGE.get()
    if exchange is None:
        raise RunError("an exchange belongs to no effect", exit_code=3)
    return exchange
