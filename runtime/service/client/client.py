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
from . import calls, checkpoint_calls
from .exchange import Ask, Pause, Talk

__all__ = ["AsyncClient", "Client", "ServiceFault"]

ADDRESS = "http://127.0.0.1:8321"
PATIENCE = 60.0
"""Seconds without a byte after which a connection counts as lost."""
P = ParamSpec("P")
T = TypeVar("T")
_Answer = httpx.Response | httpx.TransportError | None


class _Method(Generic[P, T]):
    """A talk as a method: a `Client` returns the value, an `AsyncClient` one to await."""

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

    create_workflow = _Method(calls.create_workflow)
    create_team = _Method(calls.create_team)
    execute_workflow = _Method(calls.execute_workflow)
    get_workflow_status = _Method(calls.get_workflow_status)
    assign_task = _Method(calls.assign_task)
    complete_step = _Method(calls.complete_step)
    pause_workflow = _Method(calls.pause_workflow)
    resume_workflow = _Method(calls.resume_workflow)
    send_message = _Method(calls.send_message)
    get_messages = _Method(calls.get_messages)
    mark_message_read = _Method(calls.mark_message_read)
    respond_to_message = _Method(calls.respond_to_message)
    broadcast_update = _Method(calls.broadcast_update)
    request_assistance = _Method(calls.request_assistance)
    answer_question = _Method(calls.answer_question)
    list_workflows = _Method(calls.list_workflows)
    list_teams = _Method(calls.list_teams)
    list_executions = _Method(calls.list_executions)
    list_assignments = _Method(calls.list_assignments)
    create_webhook = _Method(calls.create_webhook)
    list_webhooks = _Method(calls.list_webhooks)
    delete_webhook = _Method(calls.delete_webhook)
    get_workflow = _Method(calls.get_workflow)
    get_team = _Method(calls.get_team)
    delete_workflow = _Method(calls.delete_workflow)
    delete_team = _Method(calls.delete_team)
    cancel_execution = _Method(calls.cancel_execution)
    reissue_resume_token = _Method(calls.reissue_resume_token)
    list_checkpoints = _Method(checkpoint_calls.list_checkpoints)
    get_checkpoint = _Method(checkpoint_calls.get_checkpoint)
    fork_execution = _Method(checkpoint_calls.fork_execution)
    list_audit = _Method(calls.list_audit)
    list_workers = _Method(calls.list_workers)
    health = _Method(calls.health)
    ready = _Method(calls.ready)
    wait_until = _Method(calls.wait_until)
    wait_for_step = _Method(calls.wait_for_step)


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
        """Carry a talk over the connection and return its value."""
        answer: _Answer = None
        while not isinstance(step := _go_on(talk, answer), StopIteration):
            if isinstance(step, Pause):
                self.sleep(step.seconds)
                answer = None
                continue
            try:
                answer = self.http.request(**step)
            except httpx.TransportError as lost:
                answer = lost
        value: T = step.value
        return value


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
        """Carry a talk over the connection and return its value."""
        answer: _Answer = None
        while not isinstance(step := _go_on(talk, answer), StopIteration):
            if isinstance(step, Pause):
                await asyncio.sleep(step.seconds)
                answer = None
                continue
            try:
                answer = await self.http.request(**step)
            except httpx.TransportError as lost:
                answer = lost
        value: T = step.value
        return value


def _go_on(talk: Talk[Any], answer: _Answer) -> Ask | Pause | StopIteration:
    """Return the next step of a talk, or the exception that ends it and holds its value."""
    try:
        return talk.throw(answer) if isinstance(answer, Exception) else talk.send(answer)
    except StopIteration as end:
        return end


def _headers(token: str | None) -> dict[str, str]:
    value = os.environ.get("FLOWC_TOKEN", "") if token is None else token
    return {"Authorization": f"Bearer {value}"} if value else {}
