"""Responses of the operations on messages, field by field as their contract has them (C20)."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel

from ..records.messages import ResponseStatus
from .message_requests import MessagePriority, MessageType
from .operation import OperationResponse

Availability = Literal["available", "busy", "unavailable"]


class MessageSaid(BaseModel):
    """What a message says."""

    text: str
    data: dict[str, Any]
    attachments: list[dict[str, Any]]


class Reading(BaseModel):
    """Who read a message, and when first."""

    agent_id: str
    read_at: str


class Message(BaseModel):
    """A message of one agent to others. `position` is what a reader goes on from. `read_status`
    is that of the agent who asks, else whether every recipient has read it; an agent of
    `responses_awaited` has not said the last word that was asked for."""

    message_id: str
    position: int
    sender_agent_id: str
    sender_role: str
    recipient_agent_ids: list[str]
    message_type: MessageType
    content: MessageSaid
    priority: MessagePriority
    timestamp: str
    requires_response: bool
    response_deadline: str | None
    responses_awaited: list[str]
    in_reply_to: str | None
    response_status: ResponseStatus | None
    context_reference: str | None
    read_status: bool
    read_by: list[Reading]


class MessageList(OperationResponse):
    """GET_MESSAGES. `total_count` counts what the filters let pass, also beyond the limit;
    `unread_count` all messages for the agent that it has not read."""

    messages: list[Message]
    total_count: int
    unread_count: int


class DeliveryStatus(BaseModel):
    """People can read a message at once; a model finds it when its next step begins."""

    delivered_to: list[str]
    failed_delivery: list[str]
    pending_delivery: list[str]


class MessageSent(OperationResponse):
    """SEND_MESSAGE."""

    message_id: str
    position: int
    timestamp: str
    delivery_status: DeliveryStatus


class MessagesRead(OperationResponse):
    """MARK_MESSAGE_READ. What was not written to the agent is not found."""

    marked_read: list[str]
    not_found: list[str]
    already_read: list[str]


class MessageAnswered(OperationResponse):
    """RESPOND_TO_MESSAGE. The original is updated when it awaits this agent's response no more."""

    response_message_id: str
    position: int
    original_message_updated: bool
    timestamp: str


class UpdateBroadcast(OperationResponse):
    """BROADCAST_UPDATE. The broadcast is a message of this id."""

    broadcast_id: str
    position: int
    recipients: list[str]
    timestamp: str


class Responder(BaseModel):
    """An agent who might help. `capability_match` is null when no capability was asked for."""

    agent_id: str
    role: str
    capability_match: float | None
    availability: Availability


class AssistanceRequested(OperationResponse):
    """REQUEST_ASSISTANCE. The request is a message of this id; the best match comes first."""

    request_id: str
    position: int
    timestamp: str
    potential_responders: list[Responder]
    broadcast_sent: bool
