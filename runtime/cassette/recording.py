"""Recording: the world answers, and every exchange goes into a cassette too."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar, cast

from ..context import binding
from ..errors import Failure
from ..services import EffectCall, Journal, Json, Services, ToolSchema
from .exchanges import Notation, effect_input, failure_body
from .format import Exchange, digest_of
from .ordinals import exchange_here, here, numbered_exchange
from .world import OnRetry, put_between
from .writer import CassetteWriter

T = TypeVar("T")
_NOTES: ContextVar[dict[str, Any] | None] = ContextVar("flowc_exchange_notes", default=None)
"""The body of the exchange that is under way, as far as the services have noted it."""


def record_services(services: Services, writer: CassetteWriter) -> Services:
    """Return the same services, recorded."""
    return put_between(
        services,
        Recorder(writer),
        writer,
        label=services.models.label,
        is_model=services.models.is_model,
        sandboxed=services.scripts.sandboxed,
    )


def _note(**parts: Any) -> None:
    """Note parts of the body of the exchange under way."""
    notes = _NOTES.get()
    if notes is not None:
        notes.update(parts)


@dataclass(frozen=True, slots=True)
class Recorder:
    """Takes down what the world answers (`world.Deck`). Each call raises `RunError` when the file
    takes no more; what was done is in the journal all the same."""

    writer: CassetteWriter
    live = True

    def offer(self, tool: ToolSchema) -> str:
        return self.writer.offer(tool)

    async def once(self, journal: Journal, act: EffectCall) -> Json:
        blank = await numbered_exchange(journal, act)
        given = effect_input(act.name, act.inputs)
        called = False

        async def recorded_call() -> Json:
            nonlocal called
            called = True
            return await self._call(blank, given, act.call)

        value = await journal.once(replace(act, call=recorded_call))
        kept = replace(blank, body={"given": given, "kept": value, "gave": digest_of(value)})
        # The process that made the call may have died before it wrote the exchange.
        if not called and not self.writer.knows(kept):
            self.writer.write(kept)
        self.writer.complain()
        return value

    async def alone(self, given: dict[str, Json], call: Callable[[], Awaitable[T]]) -> T:
        value = await self._call(exchange_here("script", here().next("script"), {}), given, call)
        self.writer.complain()
        return value

    async def _call(
        self, blank: Exchange, given: dict[str, Json], call: Callable[[], Awaitable[T]]
    ) -> T:
        """Make the call, and write the exchange that the services note while it is made."""
        notes: dict[str, Any] = {}

        def write(**result: Any) -> None:
            self.writer.write(replace(blank, body={"given": given, **notes, **result}))

        try:
            with binding(_NOTES, notes):
                value = await call()
        except Failure as failure:
            # A budget may refuse a call before the world is asked, and after it answered.
            name = "failure" if "failure" in notes else "then" if notes else "unasked"
            write(**failure_body(failure, name))
            raise
        except asyncio.CancelledError:
            write(cut_off=round(time.monotonic() - self.writer.began, 3))
            raise
        # Where no service noted anything about it, the value itself is its result.
        kept = {} if notes else {"kept": value}
        gave = {} if blank.kind == "script" else {"gave": digest_of(cast("Json", value))}
        write(**kept, **gave)
        return value

    async def result(
        self,
        notation: Notation[T],
        call: Callable[[], Awaitable[T]],
        given: dict[str, Json] | None = None,
    ) -> T:
        if given is not None:
            _note(given=given)
        try:
            result = await call()
        except Failure as failure:
            _note(**failure_body(failure))
            raise
        _note(**notation.body(result))
        return result

    def retrying(self, on_retry: OnRetry | None) -> OnRetry:
        retries: list[dict[str, Json]] = []

        def retry(attempt: int, error: str, wait: float) -> None:
            retries.append({"attempt": attempt, "error": error})
            _note(retries=retries)
            if on_retry:
                on_retry(attempt, error, wait)

        return retry

    def read(self, path: str, base: str, read: Callable[[str, str], str]) -> str:
        body: dict[str, Any] = {"path": path}
        try:
            body["text"] = read(path, base)
            if _is_older(path, base, self.writer.header.recorded):
                body["own"] = True
            return str(body["text"])
        except Failure as failure:
            body |= failure_body(failure)
            raise
        finally:
            self.writer.keep("file", here().next("file"), body)
            self.writer.complain()

    def answer(self, name: str, ask: Callable[[], Json]) -> Json:
        answer = ask()
        if answer is not None:
            self.writer.record_answer(name, answer)
            self.writer.complain()
        return answer

    async def schema(
        self, name: str, look: Callable[[str], Awaitable[ToolSchema | None]]
    ) -> ToolSchema | None:
        schema = await look(name)
        if schema is not None:
            self.writer.offer(schema)
        return schema


def _is_older(path: str, base: str, recorded: str) -> bool:
    """Return whether a file beside the workflow was there before the recording began."""
    try:
        modified = os.stat(Path(base).parent / path).st_mtime
    except (OSError, ValueError):
        return False
    return modified < datetime.fromisoformat(recorded).timestamp()
