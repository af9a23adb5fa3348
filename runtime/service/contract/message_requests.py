"""Requests of the operations on messages, field by field as their contract has them (C20).

Ours beside it are `execution_id`, `response_deadline` of a message and `after` of a list.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ..records.messages import ResponseStatus
from .requests import FromFloat, Id, JsonObject, Kept, Request, Text, Time

MessageType = Literal["information", "request", "response", "coordination"]
MessagePriority = Literal["low", "normal", "high", "urgent"]
Urgency = Literal["info", "attention", "action_required", "critical"]
SortOrder = Literal["oldest_first", "newest_first"]
LONGEST_MESSAGE = 2000
"""Characters of a message. A longer one has a code of its own, so the operation refuses it."""
MOST_BESIDE = 300_000
"""Characters of data and attachments as JSON, so that a list of messages stays a list."""
MOST_LISTED = 100
"""Messages in one answer."""
MessageText = Annotated[
    str, Field(min_length=1, json_schema_extra={"maxLength": LONGEST_MESSAGE}), Kept
]
Agents = Annotated[list[Id], Field(max_length=100)]
Capability = Annotated[str, Field(min_length=1, max_length=200), Kept]


class MessageContent(Request):
    """What a message says: a text for whoever reads it, and data beside it."""

    text: MessageText
    data: JsonObject = Field(default_factory=dict)
    attachments: Annotated[list[JsonObject], Field(max_length=50)] = Field(default_factory=list)


class SendMessageBody(Request):
    """SEND_MESSAGE: from one agent of the team to others, or to `ALL` of them."""

    sender_agent_id: Id
    recipient_agent_ids: Annotated[Agents, Field(min_length=1)]
    message_type: MessageType
    content: MessageContent
    priority: MessagePriority = "normal"
    requires_response: bool = False
    response_deadline: Time | None = None
    context_reference: Annotated[str, Field(max_length=200), Kept] | None = None


class MessageFilters(Request):
    """Which messages: those that fit everything that is said. `priority` is exactly that one."""

    message_types: Annotated[list[MessageType], Field(max_length=4)] | None = None
    senders: Agents | None = None
    priority: MessagePriority | None = None
    unread_only: bool = False
    since_timestamp: Time | None = None


class MessageQuery(Request):
    """GET_MESSAGES of everybody: without `agent_id` what anybody wrote to anybody."""

    agent_id: Id | None = None
    filters: MessageFilters = Field(default_factory=MessageFilters)
    sort_order: SortOrder = "oldest_first"
    after: Annotated[int, Field(ge=0, le=2**53), FromFloat] = 0
    limit: Annotated[int, Field(ge=1, le=MOST_LISTED), FromFloat] = 50


class GetMessages(MessageQuery):
    """GET_MESSAGES: what was written to one agent. `after` is the last position that was read."""

    execution_id: Id
    agent_id: Id


class MarkMessageReadBody(Request):
    """MARK_MESSAGE_READ: by an agent that they were written to."""

    agent_id: Id
    message_ids: Annotated[list[Id], Field(min_length=1, max_length=500)]


class ResponseContent(Request):
    """What is answered. `partial` says that more will follow."""

    text: MessageText
    data: JsonObject = Field(default_factory=dict)
    status: ResponseStatus


class RespondToMessageBody(Request):
    """RESPOND_TO_MESSAGE: to whoever asked, and to others if they are to know."""

    responder_agent_id: Id
    original_message_id: Id
    response_content: ResponseContent
    additional_recipients: Agents = Field(default_factory=list)


class UpdateContent(Request):
    """What is broadcast. The summary is the message's text."""

    summary: MessageText
    details: Text = ""
    impact: Text = ""
    action_required: bool = False


class BroadcastUpdateBody(Request):
    """BROADCAST_UPDATE: from one agent to all others."""

    sender_agent_id: Id
    update_type: Literal["progress", "discovery", "issue", "completion"]
    content: UpdateContent
    urgency: Urgency = "info"


class RequestDetails(Request):
    """What help is needed with, and until when. The description is the message's text."""

    description: MessageText
    context: Text = ""
    deadline: Time | None = None
    priority: MessagePriority = "normal"


class RequestAssistanceBody(Request):
    """REQUEST_ASSISTANCE: from the agents that are named, or from all others."""

    requester_agent_id: Id
    assistance_type: Literal["expertise", "resources", "review", "collaboration"]
    target_agents: Agents = Field(default_factory=list)
    required_capabilities: Annotated[list[Capability], Field(max_length=50)] = Field(
        default_factory=list
    )
    request_details: RequestDetails
