"""Requests and responses about webhooks, and the event that goes to an address."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

from ..records.webhooks import EventKind
from .operation import OperationResponse
from .requests import Kept, Request
from .responses import Status

ALL_EVENTS: list[EventKind] = ["waits_for_person", "gate_failed", "ended", "alert"]


class CreateWebhook(Request):
    """An address that is told of events, and the name of the environment variable whose value signs
    what it is told."""

    url: Annotated[
        str,
        Field(min_length=1, max_length=2000, pattern="^https?://[!-~]+$"),
        Kept,
    ]
    secret: Annotated[str, Field(pattern="^[A-Za-z_][A-Za-z0-9_]{0,99}$")]
    events: Annotated[list[EventKind], Field(min_length=1, max_length=8)] = Field(
        default_factory=lambda: list(ALL_EVENTS)
    )


class WebhookCreated(OperationResponse):
    """The webhook, which is told of what happens from now on."""

    webhook_id: str
    events: list[EventKind]


class WebhookListed(BaseModel):
    """A webhook. `secret` is the name of a variable, `waiting`, `delivered` and `undelivered` count
    deliveries, `last_fault` says why the latest of those that never arrived did not."""

    webhook_id: str
    url: str
    secret: str
    events: list[EventKind]
    created: str
    created_by: str
    waiting: int
    delivered: int
    undelivered: int
    last_fault: str


class WebhookList(OperationResponse):
    """The oldest first."""

    webhooks: list[WebhookListed]


class WebhookEvent(BaseModel):
    """What an address is told, at least once: the same `id`, also in the header `webhook-id`, is
    the same event. What does not apply to its kind is empty."""

    id: str
    kind: EventKind
    time: str
    execution_id: str
    workflow_id: str
    workflow_name: str
    team_id: str
    workflow_status: Status
    step_id: str = ""
    assignment_id: str = ""
    agent_id: str = ""
    question_id: str = ""
    deadline: str | None = None
    message: str = ""
