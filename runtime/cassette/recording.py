"""The services of a run that is recorded: they do what they did, and what came of it is kept."""

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

from flowc.compiler.ir import Effect

from ..errors import Failure
from ..journal.layered import JournalBefore
from ..people import People, QuestionKind
from ..services import (
    NO_GRANTS,
    CommandResult,
    Files,
    Grants,
    Json,
    ModelReply,
    ModelRequest,
    Models,
    ScriptCall,
    ScriptResult,
    Scripts,
    Services,
    Shell,
    Tools,
    ToolSchema,
)
from .exchanges import (
    command_body,
    effect_given,
    failure_body,
    kind_of,
    model_given,
    reply_body,
    script_body,
    script_given,
)
from .format import Exchange, digest_of
from .ordinals import effect_key, here
from .writer import Recorder

_TAKEN: ContextVar[dict[str, Any] | None] = ContextVar("flowc_taken", default=None)
"""Where the services put what came of the effect that is under way."""


def recorded(services: Services, recorder: Recorder) -> Services:
    """The same services, recorded."""
    return replace(
        services,
        models=RecordedModels(services.models, recorder),
        tools=RecordedTools(services.tools, recorder),
        shell=RecordedShell(services.shell),
        files=RecordedFiles(services.files, recorder),
        scripts=RecordedScripts(services.scripts, recorder),
        people=RecordedPeople(services.people, recorder),
        journal=RecordedJournal(services.journal, recorder),
        tape=recorder,
    )


def _take(**what: Any) -> None:
    """Note a part of the effect's document."""
    taken = _TAKEN.get()
    if taken is not None:
        taken.update(what)


@contextmanager
def _failure_taken() -> Iterator[None]:
    """Note a failure as what came of the effect, and let it pass."""
    try:
        yield
    except Failure as failure:
        _take(**failure_body(failure))
        raise


@dataclass(frozen=True, slots=True)
class RecordedJournal(JournalBefore):
    """Every effect goes through the journal; here it gets its number and its document."""

    recorder: Recorder

    async def once(
        self,
        runtime: Any,
        name: str,
        effect: Effect,
        given: Json,
        call: Callable[[], Awaitable[Json]],
        ordinal: int = 0,
    ) -> Json:
        """What has no input is a note and no exchange. Raises `RunError` when what happened could
        not be recorded; it is in the journal all the same."""
        if given is None:
            return await self.inner.once(runtime, name, effect, given, call, ordinal)
        key = await effect_key(self.inner, runtime, ordinal)
        blank = Exchange(kind_of(name), key.place, key.visit, 1, key.number, {})
        called = False

        async def taken() -> Json:
            nonlocal called
            called = True
            return await self._taken(blank, name, given, call)

        value = await self.inner.once(runtime, name, effect, given, taken, ordinal)
        kept = {"given": effect_given(name, given), "kept": value, "gave": digest_of(value)}
        exchange = replace(blank, body=kept)
        if not called and not self.recorder.knows(exchange):
            self.recorder.write(exchange)
        self.recorder.complain()
        return value

    async def _taken(
        self, blank: Exchange, name: str, given: Json, call: Callable[[], Awaitable[Json]]
    ) -> Json:
        """Make the call, and write what the services took note of while it was made."""
        taken: dict[str, Any] = {}
        token = _TAKEN.set(taken)
        asked = effect_given(name, given)
        try:
            value = await call()
        except Failure as failure:
            # A call may fail before the world was asked, and after it answered: by a budget.
            name = "failure" if "failure" in taken else "then" if taken else "unasked"
            body = {"given": asked, **taken, **failure_body(failure, name)}
            self.recorder.write(replace(blank, body=body))
            raise
        except asyncio.CancelledError:
            cut = {"cut_off": round(time.monotonic() - self.recorder.began, 3)}
            self.recorder.write(replace(blank, body={"given": asked, **taken, **cut}))
            raise
        finally:
            _TAKEN.reset(token)
        # What no service here knows of is kept as what came of it.
        came = taken or {"kept": value}
        body = {"given": asked, **came, "gave": digest_of(value)}
        self.recorder.write(replace(blank, body=body))
        return value


@dataclass(frozen=True, slots=True)
class RecordedModels:
    """Attempts of the provider that failed are taken note of too."""

    inner: Models
    recorder: Recorder

    @property
    def label(self) -> str:
        return self.inner.label

    @property
    def is_model(self) -> bool:
        return self.inner.is_model

    async def reply(self, request: ModelRequest) -> ModelReply:
        retries: list[dict[str, Json]] = []

        def on_retry(attempt: int, error: str, wait: float) -> None:
            retries.append({"attempt": attempt, "error": error})
            _take(retries=retries)
            if request.on_retry:
                request.on_retry(attempt, error, wait)

        _take(given=model_given(request, [self.recorder.offer(tool) for tool in request.tools]))
        with _failure_taken():
            reply = await self.inner.reply(replace(request, on_retry=on_retry))
        _take(**reply_body(reply))
        return reply


@dataclass(frozen=True, slots=True)
class RecordedTools:
    """Calls, and what is known of each tool that is asked about."""

    inner: Tools
    recorder: Recorder

    async def open(self) -> None:
        await self.inner.open()

    def schema(self, name: str) -> ToolSchema | None:
        schema = self.inner.schema(name)
        if schema is not None:
            self.recorder.offer(schema)
        return schema

    async def call(self, name: str, args: dict[str, Json]) -> Json:
        with _failure_taken():
            result = await self.inner.call(name, args)
        _take(result=result)
        return result

    async def close(self) -> None:
        await self.inner.close()


@dataclass(frozen=True, slots=True)
class RecordedShell:
    """Commands, without the state of their shell."""

    inner: Shell

    def confinement(self, granted: Grants) -> str:
        return self.inner.confinement(granted)

    async def run(self, command: str, state: str, granted: Grants = NO_GRANTS) -> CommandResult:
        with _failure_taken():
            result = await self.inner.run(command, state, granted)
        _take(**command_body(result))
        return result


@dataclass(frozen=True, slots=True)
class RecordedFiles:
    """Files that are read, and that the workflow itself writes."""

    inner: Files
    recorder: Recorder

    def read(self, path: str, base: str) -> str:
        number = self._number()
        try:
            text = self.inner.read(path, base)
        except Failure as failure:
            self._keep(number, {"path": path, **failure_body(failure)})
            raise
        own = {"own": True} if _is_older(path, base, self.recorder.header.recorded) else {}
        self._keep(number, {"path": path, **own, "text": text})
        return text

    def write(self, path: str, text: str, base: str) -> str:
        try:
            result = self.inner.write(path, text, base)
        except Failure as failure:
            _take(**failure_body(failure))
            raise
        _take(result=result)
        return result

    def _number(self) -> int:
        return here().next("file")

    def _keep(self, number: int, body: dict[str, Any]) -> None:
        self.recorder.keep("file", number, body)
        self.recorder.complain()


def _is_older(path: str, base: str, recorded: str) -> bool:
    """Whether a file beside the workflow was there before the recording began."""
    try:
        made = os.stat(Path(base).parent / path).st_mtime
    except (OSError, ValueError):
        return False
    return made < datetime.fromisoformat(recorded).timestamp()


@dataclass(frozen=True, slots=True)
class RecordedScripts:
    """Calls of scripts."""

    inner: Scripts
    recorder: Recorder

    @property
    def sandboxed(self) -> bool:
        return self.inner.sandboxed

    async def evaluate(self, call: ScriptCall) -> ScriptResult:
        number, given = here().next("script"), {"given": script_given(call)}
        try:
            result = await self.inner.evaluate(call)
        except Failure as failure:
            self.recorder.keep("script", number, {**given, **failure_body(failure)})
            raise
        self.recorder.keep("script", number, {**given, **script_body(result)})
        self.recorder.complain()
        return result

    async def close(self) -> None:
        await self.inner.close()


@dataclass(frozen=True, slots=True)
class RecordedPeople:
    """What was answered in advance."""

    inner: People
    recorder: Recorder

    def answer(self, kind: QuestionKind, node: str, visit: int) -> Json | None:
        return self._kept(kind, self.inner.answer(kind, node, visit))

    def answer_to_model(self, node: str, visit: int, turn: int) -> Json | None:
        return self._kept(f"told {turn}", self.inner.answer_to_model(node, visit, turn))

    def _kept(self, name: str, answer: Json | None) -> Json | None:
        if answer is not None:
            self.recorder.record_answer(name, answer)
            self.recorder.complain()
        return answer
