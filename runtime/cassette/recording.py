"""Recording: the services of a run, whose exchanges go into a cassette too."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from ..errors import Failure
from ..journal.effects import JournalBefore
from ..people import QuestionKind
from ..services import (
    NO_GRANTS,
    CommandResult,
    EffectCall,
    Grants,
    Json,
    ModelReply,
    ModelRequest,
    ScriptCall,
    ScriptResult,
    Scripts,
    Services,
    ToolSchema,
)
from .exchanges import (
    command_body,
    effect_input,
    failure_body,
    model_input,
    reply_body,
    script_body,
    script_input,
)
from .format import Exchange, digest_of
from .ordinals import here, numbered_exchange
from .writer import CassetteWriter

_NOTES: ContextVar[dict[str, Any] | None] = ContextVar("flowc_exchange_notes", default=None)
"""The body of the exchange that is under way, as far as the services have noted it."""


def record_services(services: Services, writer: CassetteWriter) -> Services:
    """Return the same services, recorded."""
    world = RecordedWorld(services, writer)
    return replace(
        services,
        models=world,
        tools=world,
        shell=world,
        files=world,
        people=world,
        scripts=RecordedScripts(services.scripts, writer),
        journal=RecordedJournal(services.journal, writer),
        tape=writer,
    )


def _note(**parts: Any) -> None:
    """Note parts of the body of the effect under way."""
    notes = _NOTES.get()
    if notes is not None:
        notes.update(parts)


@contextmanager
def _noting_failure() -> Iterator[None]:
    """Note a failure as the result of the effect under way, and let it pass."""
    try:
        yield
    except Failure as failure:
        _note(**failure_body(failure))
        raise


@dataclass(frozen=True, slots=True)
class RecordedJournal(JournalBefore):
    """Numbers every effect that goes through the journal, and writes its exchange."""

    writer: CassetteWriter

    async def once(self, act: EffectCall) -> Json:
        """Record an effect. Raise `RunError` when the file takes no more; the effect is in the
        journal all the same."""
        blank = await numbered_exchange(self.inner, act)
        recorded = effect_input(act.name, act.inputs)
        called = False

        async def recorded_call() -> Json:
            nonlocal called
            called = True
            return await self._call(blank, recorded, act.call)

        value = await self.inner.once(replace(act, call=recorded_call))
        kept = {"given": recorded, "kept": value, "gave": digest_of(value)}
        exchange = replace(blank, body=kept)
        # The process that made the call may have died before it wrote the exchange.
        if not called and not self.writer.knows(exchange):
            self.writer.write(exchange)
        self.writer.complain()
        return value

    async def _call(
        self, blank: Exchange, inputs: dict[str, Json], call: Callable[[], Awaitable[Json]]
    ) -> Json:
        """Make the call, and write the exchange that the services note while it is made."""
        notes: dict[str, Any] = {}
        token = _NOTES.set(notes)

        def write(**result: Any) -> None:
            self.writer.write(replace(blank, body={"given": inputs, **notes, **result}))

        try:
            value = await call()
        except Failure as failure:
            # A budget may refuse a call before the world is asked, and after it answered.
            name = "failure" if "failure" in notes else "then" if notes else "unasked"
            write(**failure_body(failure, name))
            raise
        except asyncio.CancelledError:
            write(cut_off=round(time.monotonic() - self.writer.began, 3))
            raise
        finally:
            _NOTES.reset(token)
        # No service here noted anything about it, so the value itself is its result.
        write(**({} if notes else {"kept": value}), gave=digest_of(value))
        return value


@dataclass(frozen=True, slots=True)
class RecordedWorld:
    """Models, tools, shell, files and people of `services`, recorded."""

    services: Services
    writer: CassetteWriter

    @property
    def label(self) -> str:
        return self.services.models.label

    @property
    def is_model(self) -> bool:
        return self.services.models.is_model

    async def reply(self, request: ModelRequest) -> ModelReply:
        retries: list[dict[str, Json]] = []

        def on_retry(attempt: int, error: str, wait: float) -> None:
            retries.append({"attempt": attempt, "error": error})
            _note(retries=retries)
            if request.on_retry:
                request.on_retry(attempt, error, wait)

        _note(given=model_input(request, [self.writer.offer(tool) for tool in request.tools]))
        with _noting_failure():
            reply = await self.services.models.reply(replace(request, on_retry=on_retry))
        _note(**reply_body(reply))
        return reply

    async def open(self) -> None:
        await self.services.tools.open()

    async def schema(self, name: str) -> ToolSchema | None:
        schema = await self.services.tools.schema(name)
        if schema is not None:
            self.writer.offer(schema)
        return schema

    async def call(self, name: str, args: dict[str, Json]) -> Json:
        with _noting_failure():
            result = await self.services.tools.call(name, args)
        _note(result=result)
        return result

    async def close(self) -> None:
        await self.services.tools.close()

    def confinement(self, granted: Grants) -> str:
        return self.services.shell.confinement(granted)

    async def run(self, command: str, state: str, granted: Grants = NO_GRANTS) -> CommandResult:
        with _noting_failure():
            result = await self.services.shell.run(command, state, granted)
        _note(**command_body(result))
        return result

    def read(self, path: str, base: str) -> str:
        number = here().next("file")
        try:
            text = self.services.files.read(path, base)
        except Failure as failure:
            self._keep_file(number, {"path": path, **failure_body(failure)})
            raise
        own = {"own": True} if _is_older(path, base, self.writer.header.recorded) else {}
        self._keep_file(number, {"path": path, **own, "text": text})
        return text

    def write(self, path: str, text: str, base: str) -> str:
        with _noting_failure():
            result = self.services.files.write(path, text, base)
        _note(result=result)
        return result

    def answer(self, kind: QuestionKind, node: str, visit: int) -> Json | None:
        return self._answer(kind, self.services.people.answer(kind, node, visit))

    def answer_to_model(self, node: str, visit: int, turn: int) -> Json | None:
        return self._answer(f"told {turn}", self.services.people.answer_to_model(node, visit, turn))

    def _answer(self, name: str, answer: Json | None) -> Json | None:
        if answer is not None:
            self.writer.record_answer(name, answer)
            self.writer.complain()
        return answer

    def _keep_file(self, number: int, body: dict[str, Any]) -> None:
        self.writer.keep("file", number, body)
        self.writer.complain()


@dataclass(frozen=True, slots=True)
class RecordedScripts:
    """Scripts, recorded. They close apart from the tools."""

    inner: Scripts
    writer: CassetteWriter

    @property
    def sandboxed(self) -> bool:
        return self.inner.sandboxed

    async def evaluate(self, call: ScriptCall) -> ScriptResult:
        number, inputs = here().next("script"), {"given": script_input(call)}
        try:
            result = await self.inner.evaluate(call)
        except Failure as failure:
            self.writer.keep("script", number, {**inputs, **failure_body(failure)})
            raise
        self.writer.keep("script", number, {**inputs, **script_body(result)})
        self.writer.complain()
        return result

    async def close(self) -> None:
        await self.inner.close()


def _is_older(path: str, base: str, recorded: str) -> bool:
    """Return whether a file beside the workflow was there before the recording began."""
    try:
        modified = os.stat(Path(base).parent / path).st_mtime
    except (OSError, ValueError):
        return False
    return modified < datetime.fromisoformat(recorded).timestamp()
