"""`team_send`, `team_read`, `team_respond`: what a model at work does with its team's messages.

What it sends has an id that comes of its effect, and what it reads is marked with it. So an effect
that is repeated, because its process died before the journal had the result, neither sends a
second message nor misses one that was read the first time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ...context import EFFECT_KEY, HERE
from ...errors import Failure
from ..contract.requests import check_storable
from ..records.errors import ServiceFault
from ..records.messages import ABOUT, ALL, StoredMessage, message_view
from ..records.metrics import iso
from .correspondence import Correspondence, last_words


@dataclass(frozen=True, slots=True)
class TeamDesk:
    """`teamwork.Teamwork` over the messages of an execution. `holder` returns the agent of a
    visit."""

    team: Correspondence
    holder: Callable[[str, int], str]

    async def call(self, tool: str, args: dict[str, Any]) -> Any:
        """Return a tool's result. Raises `Failure` with the code and what helps the model."""
        try:
            check_storable(args)
        except ValueError as error:
            raise Failure(f"the arguments of `{tool}`: {error}") from None
        try:
            sender = self._sender()
            match tool:
                case "team_send":
                    return await self._send(sender, args)
                case "team_respond":
                    return await self._respond(sender, args)
                case _:
                    return await self._read(sender, args)
        except ServiceFault as fault:
            helps = "; ".join(fault.recovery)
            raise Failure(f"{fault.code}: {fault.message}; {helps}") from None

    def _sender(self) -> str:
        """Return the agent of the step that is under way."""
        here = HERE.get()
        node = here.place.rpartition("/")[2] if here is not None else ""
        agent = self.holder(node, here.visit if here is not None else 1)
        if agent not in self.team.agents:
            raise Failure(f"`{node}` is not a step of an agent of the team, so nobody can answer")
        return agent

    async def _send(self, sender: str, args: dict[str, Any]) -> Any:
        sent = await self.team.send(
            _draft(
                sender,
                args,
                recipients=self._agents(args["to"]),
                kind=args["message_type"],
                priority=args["priority"],
                requires_response=args["requires_response"],
            )
        )
        agents = self.team.agents.items()
        to = [agent.role for id, agent in agents if sent.is_for(id)]
        return {"message_id": sent.id, "position": sent.number, "sent_to": to}

    async def _respond(self, sender: str, args: dict[str, Any]) -> Any:
        draft = _draft(sender, args, response_status=args["status"])
        sent, updated = await self.team.respond(args["message_id"], draft)
        return {"message_id": sent.id, "position": sent.number, "original_message_updated": updated}

    async def _read(self, agent: str, args: dict[str, Any]) -> Any:
        """Return the oldest unread messages, or the latest of all."""
        execution, kept, reading = self.team.execution, self.team.kept, _id("read")
        known, again = await kept.begun(execution, agent, reading)
        own = [m for m in known if m.is_for(agent)]
        seen = {id for id, by in (await kept.readings(execution)).items() if agent in by} - again
        unread = [m for m in own if m.id not in seen]
        if again:
            chosen = [m for m in own if m.id in again]
        elif args["unread_only"]:
            chosen = unread[: args["limit"]]
        else:
            chosen = own[-args["limit"] :]
        ids = [m.id for m in chosen]
        await kept.read(execution, agent, ids, iso(self.team.clock()), reading)
        last, missing = last_words(known), self.team.responses_missing
        return {
            "about": ABOUT,
            "messages": [
                message_view(m)
                | ({"awaits_your_response": True} if agent in missing(m, last) else {})
                for m in chosen
            ],
            "unread": len([m for m in unread if m.id not in ids]),
        }

    def _agents(self, named: Sequence[str]) -> list[str]:
        """Return the ids of agents, which models name by id or by role."""
        by_role = {agent.role: id for id, agent in self.team.agents.items()}
        return [
            name if name == ALL or name in self.team.agents else by_role.get(name, name)
            for name in named
        ]


def _draft(sender: str, args: dict[str, Any], **fields: Any) -> StoredMessage:
    values = {"text": args["text"], "data": args["data"], **fields}
    return StoredMessage(id=_id("msg"), sender=sender, **values)


def _id(kind: str) -> str:
    """Return an id that is the same whenever the effect under way is repeated."""
    return f"{kind}-{hashlib.sha256(f'{kind} {EFFECT_KEY.get()}'.encode()).hexdigest()[:16]}"
