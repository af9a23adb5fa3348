"""The messages of one execution among the agents of its team (C20).

Operations and the tools of models use it, so that the same rules hold for both.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from flowc.compiler.ir import Agent

from ..contract.message_requests import LONGEST_MESSAGE, MOST_BESIDE
from ..records.errors import FaultCode, ServiceFault
from ..records.messages import ALL, Messages, StoredMessage
from ..records.metrics import iso
from ..records.tables import StoredExecution
from .executions import Clock, Executing


@dataclass(frozen=True, slots=True)
class Correspondence:
    """`agents` are the team's by id, in its order. Every method may raise `ServiceFault`."""

    execution: str
    agents: Mapping[str, Agent]
    kept: Messages
    clock: Clock

    async def send(self, draft: StoredMessage) -> StoredMessage:
        """Check and store a message, whose number, role, time and execution are set here. A message
        that was sent under this id before is returned."""
        sent = await self.kept.get(draft.id)
        if sent is not None:
            return sent
        role = self.member(draft.sender).role
        self.check_length(draft.text, draft)
        everybody = ALL in draft.recipients
        recipients = self.recipients(draft.sender, draft.recipients)
        self._check_deadline(draft)
        return await self.kept.send(
            replace(
                draft,
                execution=self.execution,
                role=role,
                recipients=[ALL] if everybody else recipients,
                time=iso(self.clock()),
            )
        )

    async def respond(
        self, original: str, draft: StoredMessage, others: Sequence[str] = ()
    ) -> tuple[StoredMessage, bool]:
        """Store a response, and mark the original as read. Return it, and whether it is the last
        word of its sender that the original waited for."""
        sender = draft.sender
        self.member(sender)
        self.check_length(draft.text)
        known = {m.id: m for m in await self.kept.of(self.execution)}
        if draft.id not in known:
            self._check_response(known.get(original), original, sender)
        message = known[original]
        recipients = list(others) if ALL in others else [message.sender, *others]
        sent = await self.send(
            replace(
                draft,
                recipients=recipients,
                kind="response",
                in_reply_to=original,
                priority=message.priority,
                context_reference=message.context_reference,
            )
        )
        await self.kept.read(self.execution, sender, [original], sent.time)
        if len(known) + 1 != sent.number:  # somebody else sent one meanwhile, or it was sent before
            known = {m.id: m for m in await self.kept.of(self.execution)}
        before = [m for m in known.values() if m.number < sent.number]
        missing = self.responses_missing(message, last_words(before))
        return sent, sent.response_status != "partial" and sender in missing

    def responses_missing(
        self, message: StoredMessage, said: Mapping[str, Collection[str]]
    ) -> list[str]:
        """Return the recipients whose last word a message still waits for."""
        if not message.requires_response:
            return []
        last = said.get(message.id, ())
        return [id for id in self.agents if message.is_for(id) and id not in last]

    def member(self, id: str) -> Agent:
        """Return an agent of the team."""
        if id not in self.agents:
            raise self.fault(
                "AGENT_NOT_FOUND", f"`{id}` is not in the team, which is {self.members_text}", id
            )
        return self.agents[id]

    def recipients(self, sender: str, names: Sequence[str]) -> list[str]:
        """Return the agents that a message is for."""
        wanted = list(dict.fromkeys(names))
        if sender in wanted:
            raise self.fault("INVALID_RECIPIENT", f"`{sender}` is the sender", sender)
        if ALL in wanted:
            if len(wanted) > 1:
                raise self.fault("INVALID_RECIPIENT", f"`{ALL}` stands alone: it is everybody", ALL)
            return [id for id in self.agents if id != sender]
        strange = next((id for id in wanted if id not in self.agents), None)
        if strange is not None:
            message = f"`{strange}` is not in the team, which is {self.members_text}"
            raise self.fault("INVALID_RECIPIENT", message, strange)
        return wanted

    def check_length(self, text: str, draft: StoredMessage | None = None) -> None:
        """Refuse a text that is too long, or too much data beside it."""
        beside = [draft.data, draft.attachments] if draft is not None else []
        for what, length, most in (
            ("the text has", len(text), LONGEST_MESSAGE),
            ("data and attachments have", len(json.dumps(beside, ensure_ascii=False)), MOST_BESIDE),
        ):
            if length > most:
                raise ServiceFault(
                    "MESSAGE_TOO_LONG",
                    f"{what} {length} characters, the most are {most}",
                    execution=self.execution,
                    details={"characters": length, "most": most},
                )

    @property
    def members_text(self) -> str:
        """The team, for people and models who named somebody else."""
        return ", ".join(f"{id} ({agent.role})" for id, agent in self.agents.items()) or "nobody"

    def fault(self, code: FaultCode, message: str, about: str) -> ServiceFault:
        """Return a fault that is about an agent."""
        agents = (about,) if about in self.agents else ()
        return ServiceFault(
            code, message, execution=self.execution, agents=agents, details={"agent_id": about}
        )

    def _check_deadline(self, draft: StoredMessage) -> None:
        if draft.response_deadline is None:
            return
        fault = partial(ServiceFault, "INVALID_REQUEST", execution=self.execution)
        if not draft.requires_response:
            raise fault("a response_deadline needs requires_response")
        if datetime.fromisoformat(draft.response_deadline) <= self.clock():
            raise fault(f"the deadline {draft.response_deadline} is over")

    def _check_response(self, asked: StoredMessage | None, id: str, sender: str) -> None:
        """Check that an agent may respond to a message."""
        about = {"message_id": id}
        fault = partial(ServiceFault, execution=self.execution, details=about)
        if asked is None:
            raise fault("MESSAGE_NOT_FOUND", f"there is no message `{id}`")
        if not asked.is_for(sender):
            raise self.fault(
                "INVALID_RECIPIENT",
                f"`{id}` was not written to `{sender}`: who asked waits",
                sender,
            )
        if not asked.requires_response:
            raise fault("RESPONSE_NOT_REQUIRED", f"`{id}` asks for no response")
        end = asked.response_deadline
        if end is not None and datetime.fromisoformat(end) <= self.clock():
            message = f"`{id}` could be answered until {end}"
            raise ServiceFault(
                "RESPONSE_DEADLINE_PASSED",
                message,
                execution=self.execution,
                details={**about, "response_deadline": end},
            )


def last_words(known: Sequence[StoredMessage]) -> dict[str, set[str]]:
    """Return for each message the agents that gave more than a partial response."""
    last: dict[str, set[str]] = {}
    for message in known:
        if message.in_reply_to is not None and message.response_status != "partial":
            last.setdefault(message.in_reply_to, set()).add(message.sender)
    return last


async def correspondence_of(executing: Executing, execution: StoredExecution) -> Correspondence:
    """Return the messages of an execution."""
    agents = {agent.id: agent for agent in (await executing.workflow_of(execution)).agents}
    return Correspondence(execution.id, agents, executing.messages, executing.clock)
