"""The last request to a model from each place of an execution, for people who look at its page.

It is stored before it is sent, and repeats the conversation before it. It holds no values of
secrets.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import asdict, dataclass
from typing import Any

from ...context import HERE
from ...db.database import Database, Write
from ...secrets import redact_value, secret_values
from ...services import ModelRequest

SCHEMA = """
create table if not exists service_prompts (
    execution text not null, place text not null, body text not null,
    primary key (execution, place)
)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SentPrompt:
    """A request to a model at a place of an execution, `CALL/NODE`. `turn` counts the model calls
    of the visit from 1; `messages` have role, content, and calls of tools; `tools` were offered."""

    place: str
    visit: int
    turn: int
    model: str
    tools: list[str]
    messages: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Prompts:
    """The prompts of one store."""

    db: Database

    def write(self, execution: str, prompt: SentPrompt) -> Write:
        """Return what stores a prompt in place of the last one from there."""
        body = self.db.seal(json.dumps(asdict(prompt), ensure_ascii=False))
        query = (
            "insert into service_prompts values (?, ?, ?) on conflict (execution, place)"
            " do update set body = excluded.body"
        )
        return query, (execution, prompt.place, body)

    async def at(self, execution: str, node: str) -> list[SentPrompt]:
        """Return the last prompts from a node, or from each place below a call of it."""
        query = "select body from service_prompts where execution = ? order by place"
        rows = await self.db.rows(query, (execution,))
        what = f"a prompt of execution {execution}"
        prompts = [SentPrompt(**json.loads(self.db.unseal(row[0], what))) for row in rows]
        return [p for p in prompts if _first(p.place) == node]


def prompt_of(request: ModelRequest, label: str) -> SentPrompt:
    """Return the prompt of a request; `label` is the model that answers what names none."""
    here = HERE.get()
    return SentPrompt(
        place=here.place if here is not None else request.node,
        visit=request.visit,
        turn=request.turn,
        model=request.model or label,
        tools=[tool.name for tool in request.tools],
        messages=redact_value(list(request.messages), secret_values(os.environ)),
    )


def _first(place: str) -> str:
    """Return the node of the main workflow that a place lies in: `each` of `each@2~2#3/draft`."""
    return re.split("[/#@~]", place, maxsplit=1)[0]
