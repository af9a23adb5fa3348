"""Clients of the service: `Client` for threads, `AsyncClient` for asyncio, the same methods.

with Client("http://127.0.0.1:8321") as flowc:
    made = flowc.create_workflow(contract)
    print(made.workflow_id)
"""

from __future__ import annotations

import asyncio
import functools
import os
import time
from collections.abc import Callable, Coroutine
from typing import Any, Generic, ParamSpec, TypeVar, overload

import httpx

from ..records.errors import ServiceFault
from . import calls as talks
from . import message_calls as message_talks
from .exchange import Ask, Pause, Talk

__all__ = ["AsyncClient", "Client", "ServiceFault"]

ADDRESS = "http://127.0.0.1:8321"
PATIENCE = 60.0
"""Seconds without a byte after which a connection counts as lost."""
P = ParamSpec("P")
T = TypeVar("T")


class _Method(Generic[P, T]):
    """A talk as a method: of `Client` it gives the value, of `AsyncClient` one to await."""

    def __init__(self, talk: Callable[P, Talk[T]]) -> None:
        self.talk = talk
        self.__doc__ = talk.__doc__

    @overload
    def __get__(self, client: None, kind: type) -> Callable[P, Talk[T]]: ...

    @overload
    def __get__(self, client: Client, kind: type) -> Callable[P, T]: ...

    @overload
    def __get__(self, client: AsyncClient, kind: type) -> Callable[P, Coroutine[Any, Any, T]]: ...

    def __get__(self, client: Client | AsyncClient | None, kind: type) -> Any:
        if client is None:
            return self.talk

        @functools.wraps(self.talk)
        def method(*args: P.args, **kwargs: P.kwargs) -> Any:
            return client.carry(self.talk(*args, **kwargs))

        return method


class _Operations:
    """The methods of both clients."""

    create_workflow = _Method(talks.create_workflow)
    create_team = _Method(talks.create_team)
    execute_workflow = _Method(talks.execute_workflow)
    get_workflow_status = _Method(talks.get_workflow_status)
    assign_task = _Method(talks.assign_task)
    complete_step = _Method(talks.complete_step)
    pause_workflow = _Method(talks.pause_workflow)
    resume_workflow = _Method(talks.resume_workflow)
    send_message = _Method(message_talks.send_message)
    get_messages = _Method(message_talks.get_messages)
    mark_message_read = _Method(message_talks.mark_message_read)
    respond_to_message = _Method(message_talks.respond_to_message)
    broadcast_update = _Method(message_talks.broadcast_update)
    request_assistance = _Method(message_talks.request_assistance)
    answer_question = _Method(talks.answer_question)
    list_workflows = _Method(talks.list_workflows)
    list_teams = _Method(talks.list_teams)
    list_executions = _Method(talks.list_executions)
    list_audit = _Method(talks.list_audit)
    health = _Method(talks.health)
    wait_until = _Method(talks.wait_until)
    wait_for_step = _Method(talks.wait_for_step)


class Client(_Operations):
    """A connection to a service. `token` is the environment's FLOWC_TOKEN unless it is given;
    `seconds` without a byte lose the connection. Every POST carries an idempotency key and is
    repeated with it after a lost connection, 429 and 503. Methods raise `ServiceFault`."""

    def __init__(
        self,
        address: str = ADDRESS,
        token: str | None = None,
        *,
        seconds: float = PATIENCE,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.sleep = sleep
        self.http = httpx.Client(base_url=address, headers=_headers(token), timeout=seconds)

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self.http.close()

    def carry(self, talk: Talk[T]) -> T:
        """Carry a talk over the connection; what it returns."""
        step = _Step(talk)
        while (said := step.next()) is not None:
            if isinstance(said, Pause):
                self.sleep(said.seconds)
                continue
            try:
                step.heard = self.http.request(**_arguments(said))
            except httpx.TransportError as lost:
                step.lost = lost
        return step.value


class AsyncClient(_Operations):
    """`Client` for asyncio: the same methods, to be awaited."""

    def __init__(
        self, address: str = ADDRESS, token: str | None = None, *, seconds: float = PATIENCE
    ) -> None:
        self.http = httpx.AsyncClient(base_url=address, headers=_headers(token), timeout=seconds)

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connection."""
        await self.http.aclose()

    async def carry(self, talk: Talk[T]) -> T:
        """Carry a talk over the connection; what it returns."""
        step = _Step(talk)
        while (said := step.next()) is not None:
            if isinstance(said, Pause):
                await asyncio.sleep(said.seconds)
                continue
            try:
                step.heard = await self.http.request(**_arguments(said))
            except httpx.TransportError as lost:
                step.lost = lost
        return step.value


class _Step(Generic[T]):
    """A talk between two things that it says: give `heard` or `lost`, take what comes `next`."""

    value: T

    def __init__(self, talk: Talk[T]) -> None:
        self.talk = talk
        self.heard: httpx.Response | None = None
        self.lost: httpx.TransportError | None = None

    def next(self) -> Ask | Pause | None:
        """What it says next; None when it is over and has its `value`."""
        heard, lost = self.heard, self.lost
        self.heard = self.lost = None
        try:
            return self.talk.send(heard) if lost is None else self.talk.throw(lost)
        except StopIteration as over:
            self.value = over.value
            return None


def _arguments(ask: Ask) -> dict[str, Any]:
    body = {"json": ask.body} if ask.method == "POST" else {}
    return {
        "method": ask.method,
        "url": ask.path,
        "params": dict(ask.query),
        "headers": dict(ask.headers),
        **body,
    }


def _headers(token: str | None) -> dict[str, str]:
    given = os.environ.get("FLOWC_TOKEN", "") if token is None else token
    return {"Authorization": f"Bearer {given}"} if given else {}
