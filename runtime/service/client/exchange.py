"""Requests and responses of a client without a connection.

A talk is a generator: it yields requests and pauses, gets responses (or the loss of a connection,
thrown into it), and returns a value. `client` carries talks over HTTP, with or without asyncio.
"""

from __future__ import annotations

import secrets
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import quote

import httpx
from pydantic import BaseModel, ValidationError
from pydantic_core import to_jsonable_python

from ..contract.operations import operation_of
from ..records.errors import ServiceFault

ATTEMPTS = 6
"""How often a request is sent at most."""
FIRST_PAUSE, LONGEST_PAUSE = 0.2, 10.0
"""Seconds before the second attempt; twice as long before each that follows."""
_UNDER_WAY = "is still under way"


@dataclass(frozen=True, slots=True)
class Pause:
    """Wait so many seconds."""

    seconds: float


T = TypeVar("T")
A = TypeVar("A", bound=BaseModel)
Ask = dict[str, Any]
"""One request, in the words of `httpx.request`."""
Talk = Generator[Ask | Pause, httpx.Response | None, T]


def call(
    name: str,
    *,
    document: Mapping[str, Any] | None = None,
    key: str | None = None,
    **arguments: object,
) -> Talk[Any]:
    """Send an operation's request and return its response. Arguments go into the path, the query or
    the body, which may be a `document`; those that are None are left out. All attempts of a POST
    carry one idempotency key, so that it is done once."""
    row = operation_of(name)
    assert row.response is not None
    rest = {name: value for name, value in (document or arguments).items() if value is not None}
    place = {name: quote(str(rest.pop(name)), safe="") for name in row.path_names}
    url = row.path.replace(":path}", "}").format(**place)
    ask: Ask = {"method": row.method, "url": url}
    if row.method == "GET":
        ask["params"] = to_jsonable_python(rest)
    else:
        if row.method == "POST":
            ask["json"] = to_jsonable_python(rest)
        ask["headers"] = {"Idempotency-Key": key or secrets.token_urlsafe(18)}
    return _read(row.response, (yield from _send(ask)))


def _send(ask: Ask) -> Talk[httpx.Response]:
    """Return the response to a request. It is sent again after a lost connection, while the service
    is busy or away, and while an earlier attempt of it is under way."""
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
            wait = max(wait, _retry_after(response))
        yield Pause(min(wait, LONGEST_PAUSE))
        pause *= 2
    raise AssertionError("the last attempt returns or raises")


def _may_help(response: httpx.Response) -> bool:
    """Return whether another attempt may get another response."""
    if response.status_code in (429, 502, 503, 504):
        return True
    return response.status_code == 409 and _UNDER_WAY in response.text


def _retry_after(response: httpx.Response) -> float:
    try:
        return float(response.headers.get("Retry-After", "0"))
    except ValueError:
        return 0.0


def _read(answer: type[A], response: httpx.Response) -> A:
    """Return the answer in a response. Raises `ServiceFault` for anything else."""
    try:
        body = response.json()
        if response.is_success:
            return answer.model_validate(body)
        raise ServiceFault.from_answer(body)
    except (ValueError, KeyError, TypeError, ValidationError) as unfit:
        raise ServiceFault(
            "UNAVAILABLE",
            f"what answers {response.request.url} with {response.status_code} is not a flowc"
            " service",
            recovery=("correct the address of the service",),
        ) from unfit
