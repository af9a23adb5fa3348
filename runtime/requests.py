"""Requests to hosts of the network, as values, and what sends them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from .errors import Failure


@dataclass(frozen=True, slots=True)
class Secret:
    """The value of an environment variable behind a text: read when a request is sent."""

    variable: str
    prefix: str = ""


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """One request. `hosts` are those that it and its redirects may go to; `secrets` are headers
    whose values stand in no record; `key` is the idempotency key of the effect. It is sent by the
    node `node` in a visit and an attempt of it, both from 1."""

    method: str
    url: str
    hosts: tuple[str, ...]
    headers: Mapping[str, str] = field(default_factory=dict)
    secrets: Mapping[str, Secret] = field(default_factory=dict)
    body: str | None = None
    key: str = ""
    node: str = ""
    visit: int = 1
    attempt: int = 1


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """An answer: headers by name in small letters, the body as text."""

    status: int
    headers: dict[str, str]
    text: str


class NotSure(Failure):
    """The request was sent and no answer came: whether it was obeyed is not known."""


class Sender(Protocol):
    """Sends requests."""

    async def send(self, request: HttpRequest) -> HttpAnswer:
        """Return the answer. Raise `Failure` where the request was not sent or is refused, and
        `NotSure` where that is not known."""


@dataclass(frozen=True, slots=True)
class NoSender:
    """Sends nothing."""

    why: str = "requests cannot be sent here"

    async def send(self, request: HttpRequest) -> HttpAnswer:
        raise Failure(self.why, "refused")
