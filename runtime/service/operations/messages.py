"""SEND_MESSAGE, GET_MESSAGES, MARK_MESSAGE_READ and RESPOND_TO_MESSAGE (C20)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import UTC, datetime

from ..contract import message_requests as asked
from ..contract import message_responses as told
from ..records.errors import ServiceFault
from ..records.messages import StoredMessage
from ..records.metrics import iso
from ..records.tables import REQUEST, StoredExecution, made_id
from ..records.tokens import Caller
from .correspondence import Correspondence, correspondence_of, last_words
from .executions import Executing
from .progress import now, standing_of
from .status import Standing

SHOWN = 50
"""Messages that a status shows at most: the latest."""


async def send_message(
    executing: Executing, caller: Caller, request: asked.SendMessage
) -> told.MessageSent:
    """SEND_MESSAGE (C20). People read it at once; a model finds it when its next step begins, or
    when it looks."""
    content = request.content
    drafted = draft(
        request.sender_agent_id,
        content.text,
        recipients=list(request.recipient_agent_ids),
        kind=request.message_type,
        data=content.data,
        attachments=content.attachments,
        priority=request.priority,
        requires_response=request.requires_response,
        response_deadline=written(request.response_deadline),
        context_reference=request.context_reference,
    )
    team, _ = await writable(executing, caller, request.execution_id, drafted)
    sent = await team.send(drafted)
    recipients = [id for id in team.agents if sent.is_for(id)]
    return told.MessageSent(
        message_id=sent.id,
        position=sent.number,
        timestamp=sent.time,
        delivery_status=told.DeliveryStatus(
            delivered_to=[id for id in recipients if team.agents[id].person],
            failed_delivery=[],
            pending_delivery=[id for id in recipients if not team.agents[id].person],
        ),
    )


async def respond_to_message(
    executing: Executing, caller: Caller, request: asked.RespondToMessage
) -> told.MessageAnswered:
    """RESPOND_TO_MESSAGE (C20): to a message that asked for it, by one of its recipients."""
    content = request.response_content
    drafted = draft(
        request.responder_agent_id,
        content.text,
        data=content.data,
        response_status=content.status,
    )
    team, _ = await writable(executing, caller, request.execution_id, drafted)
    sent, updated = await team.respond(
        request.original_message_id, drafted, request.additional_recipients
    )
    return told.MessageAnswered(
        response_message_id=sent.id,
        position=sent.number,
        original_message_updated=updated,
        timestamp=sent.time,
    )


async def mark_message_read(
    executing: Executing, caller: Caller, request: asked.MarkMessageRead
) -> told.MessagesRead:
    """MARK_MESSAGE_READ (C20): the first mark of an agent counts. Also after the end."""
    team = await readable(executing, caller, request.execution_id)
    agent = request.agent_id
    team.member(agent)
    own = {m.id for m in await team.kept.of(team.execution) if m.is_for(agent)}
    wanted = list(dict.fromkeys(request.message_ids))
    found = [id for id in wanted if id in own]
    seed = REQUEST.get().seed and made_id("read")
    fresh = await team.kept.read(team.execution, agent, found, now(executing), seed)
    return told.MessagesRead(
        marked_read=[id for id in found if id in fresh],
        not_found=[id for id in wanted if id not in own],
        already_read=[id for id in found if id not in fresh],
    )


async def get_messages(
    executing: Executing, caller: Caller, request: asked.LookAtMessages
) -> told.MessageList:
    """GET_MESSAGES (C20). Looking marks nothing as read."""
    team = await readable(executing, caller, request.execution_id)
    agent, filters = request.agent_id, request.filters
    for named in (agent, *(filters.senders or ())):
        if named is not None:
            team.member(named)
    if agent is None and filters.unread_only:
        raise ServiceFault(
            "INVALID_REQUEST", "unread_only needs an agent_id", execution=team.execution
        )
    known = await team.kept.of(team.execution)
    readings = await team.kept.readings(team.execution)
    said = last_words(known)
    own = [
        _told(team, m, said, readings.get(m.id, {}), agent)
        for m in known
        if agent is None or m.is_for(agent)
    ]
    fit = [one for one in own if _fits(one, request)]
    if request.sort_order == "newest_first":
        fit.reverse()
    return told.MessageList(
        messages=fit[: request.limit],
        total_count=len(fit),
        unread_count=sum(not one.read_status for one in own),
    )


async def messages_of_agent(
    executing: Executing, caller: Caller, request: asked.GetMessages
) -> told.MessageList:
    """GET_MESSAGES by its name: what was written to one agent."""
    return await get_messages(executing, caller, request)


async def latest_messages(executing: Executing, standing: Standing) -> list[told.Message]:
    """The last messages of an execution, as its status shows them."""
    team = correspondence_of(executing, standing.execution)
    known = await team.kept.of(team.execution)
    if not known:
        return []
    readings = await team.kept.readings(team.execution)
    said = last_words(known)
    return [_told(team, m, said, readings.get(m.id, {}), None) for m in known[-SHOWN:]]


async def writable(
    executing: Executing, caller: Caller, id: str, drafted: StoredMessage
) -> tuple[Correspondence, Standing]:
    """The messages of an execution that goes on, and where it stands. Raises `ServiceFault` for one
    that has ended, unless the draft was sent before: its answer was lost and is given again."""
    standing = await standing_of(executing, caller, id)
    team = correspondence_of(executing, standing.execution)
    ended = standing.status in ("completed", "failed")
    if ended and await team.kept.get(drafted.id) is None:
        message = f"execution {id} is {standing.status}"
        raise ServiceFault("EXECUTION_NOT_ACTIVE", message, execution=id)
    return team, standing


async def readable(executing: Executing, caller: Caller, id: str) -> Correspondence:
    """The messages of an execution that the caller may see. Raises `ServiceFault`."""
    execution = await executing.register.get(StoredExecution, id, caller.owner)
    return correspondence_of(executing, execution)


def draft(sender: str, text: str, **fields: object) -> StoredMessage:
    """A message before it is sent, with the id that it will have."""
    made: dict[str, object] = {
        "execution": "",
        "number": 0,
        "id": made_id("msg"),
        "sender": sender,
        "role": "",
        "recipients": [],
        "kind": "information",
        "text": text,
        **fields,
    }
    return StoredMessage(**made)  # type: ignore[arg-type]


def written(time: datetime | None) -> str | None:
    """A time as it is kept."""
    return None if time is None else iso(time.astimezone(UTC))


def _fits(message: told.Message, request: asked.LookAtMessages) -> bool:
    """Whether a message is one of those that were asked for."""
    filters, after = request.filters, request.after
    if after and request.sort_order == "newest_first":
        behind = message.position < after
    else:
        behind = message.position > after
    since = filters.since_timestamp
    return (
        behind
        and (filters.message_types is None or message.message_type in filters.message_types)
        and (filters.senders is None or message.sender_agent_id in filters.senders)
        and (filters.priority is None or message.priority == filters.priority)
        and not (filters.unread_only and message.read_status)
        and (since is None or datetime.fromisoformat(message.timestamp) > since)
    )


def _told(
    team: Correspondence,
    message: StoredMessage,
    said: Mapping[str, Collection[str]],
    readings: Mapping[str, str],
    agent: str | None,
) -> told.Message:
    readers = [id for id in team.agents if message.is_for(id)] if agent is None else [agent]
    return told.Message.model_validate(
        {
            "message_id": message.id,
            "position": message.number,
            "sender_agent_id": message.sender,
            "sender_role": message.role,
            "recipient_agent_ids": message.recipients,
            "message_type": message.kind,
            "content": {
                "text": message.text,
                "data": message.data,
                "attachments": message.attachments,
            },
            "priority": message.priority,
            "timestamp": message.time,
            "requires_response": message.requires_response,
            "response_deadline": message.response_deadline,
            "responses_awaited": team.awaited(message, said),
            "in_reply_to": message.in_reply_to,
            "response_status": message.response_status,
            "context_reference": message.context_reference,
            "read_status": all(id in readings for id in readers),
            "read_by": [{"agent_id": id, "read_at": time} for id, time in readings.items()],
        }
    )
