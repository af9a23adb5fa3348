"""What a client of the service says to it and how it reads the answers, without a connection.

A talk is a generator: it yields requests and pauses, gets responses (or the loss of a connection,
thrown into it), and returns a value. `client` carries talks over HTTP, with or without asyncio, so
that nothing is written twice.
"""

from __future__ import annotations

import secrets
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import httpx
from pydantic import BaseModel, ValidationError
from pydantic_core import to_jsonable_python

from ..records.errors import ServiceFault

ATTEMPTS = 6
"""How often a request is sent at most."""
FIRST_PAUSE, LONGEST_PAUSE = 0.2, 10.0
"""Seconds before the second attempt; twice as long before each that follows."""
_UNDER_WAY = "is still under way"


@dataclass(frozen=True, slots=True)
class Ask:
    """One request: a path below the service's address, what stands in its query and its body."""

    method: str
    path: str
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Pause:
    """Wait so many seconds."""

    seconds: float


T = TypeVar("T")
A = TypeVar("A", bound=BaseModel)
Talk = Generator[Ask | Pause, "httpx.Response | None", T]


def get(path: str, answer: type[A], **query: object) -> Talk[A]:
    """Ask for what a path shows; fields of the query that are None are left out."""
    given = {name: value for name, value in query.items() if value is not None}
    return _read(answer, (yield from _sent(Ask("GET", path, given))))


def post(path: str, answer: type[A], body: object, key: str | None = None) -> Talk[A]:
    """Have something done, once: every attempt carries one idempotency key. Top fields of the
    body that are None are left out."""
    if isinstance(body, Mapping):
        body = {name: value for name, value in body.items() if value is not None}
    headers = {"Idempotency-Key": key or secrets.token_urlsafe(18)}
    ask = Ask("POST", path, body=to_jsonable_python(body), headers=headers)
    return _read(answer, (yield from _sent(ask)))


def _sent(ask: Ask) -> Talk[httpx.Response]:
    """The response to a request, which is sent again after a lost connection, while the service
    is busy or away, and while an earlier attempt of it is still under way."""
    pause = FIRST_PAUSE
    for attempt in range(1, ATTEMPTS + 1):
        wait = pause
        try:
            response = yield ask
        except httpx.TransportError as lost:
            if attempt == ATTEMPTS:
                raise ServiceFault(
                    "UNAVAILABLE", f"the service cannot be reached: {lost or type(lost).__name__}"
                ) from lost
        else:
            assert response is not None
            if attempt == ATTEMPTS or not _may_help(response):
                return response
            wait = max(wait, _asked_to_wait(response))
        yield Pause(min(wait, LONGEST_PAUSE))
        pause *= 2
    raise AssertionError("the last attempt returns or raises")


def _may_help(response: httpx.Response) -> bool:
    """Whether asking again may be answered otherwise."""
    if response.status_code in (429, 502, 503, 504):
        return True
    return response.status_code == 409 and _UNDER_WAY in response.text


def _asked_to_wait(response: httpx.Response) -> float:
    try:
        return float(response.headers.get("Retry-After", "0"))
    except ValueError:
        return 0.0


def _read(answer: type[A], response: httpx.Response) -> A:
    """The answer. Raises `ServiceFault` for one that is none."""
    try:
        told = response.json()
        if response.is_success:
            return answer.model_validate(told)
        raise _fault(told)
    except (ValueError, KeyError, TypeError, ValidationError) as unfit:
        raise ServiceFault(
            "UNAVAILABLE",
            f"what answers {response.request.url} with {response.status_code} is no flowc service",
            recovery=("correct the address of the service",),
        ) from unfit


def _fault(told: Mapping[str, Any]) -> ServiceFault:
    """The fault that an answer in the contract's form tells of."""
    context = told["execution_context"]
    form = {"success", "error_code", "error_message", "execution_context", "recovery_options"}
    form |= {"details", "suggested_action"}
    return ServiceFault(
        told["error_code"],
        told["error_message"],
        execution=context["execution_id"],
        step=context["current_step"],
        agents=tuple(context["affected_agents"]),
        recovery=tuple(told["recovery_options"]),
        details={
            **(told.get("details") or {}),
            **{name: value for name, value in told.items() if name not in form},
        },
    )
