"""The tables of webhooks: addresses that want to be told, what they are to be told, and which
requests from outside begin workflows.

A delivery waits until its time (`due`), is told to the queue, and gets a later time with that: were
its job lost, it is told again. `done` and `dead` ones stay, so that nothing is told twice.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal, get_args

from ...db.database import Database, marks
from .errors import ServiceFault

SCHEMA = """
create table if not exists service_webhooks (
    id text primary key, owner text not null, created text not null, body text not null
);
create table if not exists service_deliveries (
    id text primary key, execution text not null, webhook text not null, state text not null,
    due text not null, body text not null
);
create table if not exists service_webhook_starts (workflow text primary key, body text not null);
create index if not exists service_deliveries_by_due on service_deliveries (state, due);
create index if not exists service_deliveries_by_webhook on service_deliveries (webhook);
create index if not exists service_deliveries_by_execution on service_deliveries (execution);
"""
EventKind = Literal["waits_for_person", "gate_failed", "ended", "alert"]
EVENTS: tuple[EventKind, ...] = get_args(EventKind)
DeliveryState = Literal["waits", "done", "dead"]
DUE = "from service_deliveries where state = 'waits' and due <= ?"
"""Where deliveries are found whose time has come, given the time."""
PREFIX = "dl-"
"""What the id of a delivery begins with: jobs of the queue are told apart by it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhook:
    """An address that is told of events. `secret` is the name of the variable that signs, `owner`
    the team whose executions it is told of, "": those of everybody. `by` is who registered it."""

    id: str
    owner: str
    created: str
    url: str
    events: tuple[EventKind, ...]
    secret: str
    by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """What a webhook is told once. `body` is the text that is sent, `tries` how often it was,
    `reason` why it did not arrive the last time."""

    id: str
    execution: str
    webhook: str
    state: DeliveryState = "waits"
    due: str = ""
    kind: EventKind = "ended"
    body: str = ""
    tries: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class StoredStart:
    """How requests begin a workflow: as `ir.WebhookStart` has it."""

    secret: str
    into: str = ""
    inputs: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class WebhookRows:
    """The rows. `db` may be a transaction."""

    db: Database

    async def add(self, hook: Webhook) -> Webhook:
        """Store a webhook. Return it, or the one that a repeated request stored before."""
        row = (hook.id, hook.owner, hook.created, self._seal(hook))
        query = "insert into service_webhooks values (?, ?, ?, ?) on conflict (id) do nothing"
        return hook if await self.db.run(query, row) else await self.get(hook.id, None)

    async def get(self, id: str, owner: str | None) -> Webhook:
        """Return a webhook that a team may see (None: all). Raises `ServiceFault`."""
        rows = await self.db.rows("select owner, body from service_webhooks where id = ?", (id,))
        if not rows or owner not in (None, rows[0][0]):
            raise ServiceFault("WEBHOOK_NOT_FOUND", f"there is no webhook `{id[:200]}`")
        return self._webhook(id, rows[0][1])

    async def delete(self, id: str, owner: str | None) -> None:
        """Delete a webhook, and what it was not told yet. Raises `ServiceFault`."""
        async with self.db.transaction(f"webhook {id}") as inside:
            await WebhookRows(inside).get(id, owner)
            await inside.run("delete from service_webhooks where id = ?", (id,))
            await inside.run("delete from service_deliveries where webhook = ?", (id,))

    async def page(self, owner: str | None) -> list[Webhook]:
        """Return the webhooks that a team may see, the oldest first."""
        where, values = ("", ()) if owner is None else (" where owner = ?", (owner,))
        query = f"select id, body from service_webhooks{where} order by created, id"
        return [self._webhook(*row) for row in await self.db.rows(query, values)]

    async def told_of(self, execution: str) -> list[Webhook]:
        """Return those that are told of an execution."""
        query = (
            "select id, body from service_webhooks where owner in"
            " ('', (select owner from service_executions where id = ?))"
        )
        return [self._webhook(*row) for row in await self.db.rows(query, (execution,))]

    async def counts(self, webhook: str) -> dict[str, int]:
        """Return how many deliveries of a webhook there are, by state."""
        query = "select state, count(*) from service_deliveries where webhook = ? group by state"
        return dict(await self.db.rows(query, (webhook,)))

    async def all_counts(self) -> dict[str, int]:
        """Return how many deliveries wait, and never arrived."""
        query = (
            "select state, count(*) from service_deliveries where state in ('waits', 'dead')"
            " group by state"
        )
        return dict(await self.db.rows(query))

    async def deliver(self, delivery: Delivery) -> bool:
        """Store a delivery. Return False when it is there already."""
        query = (
            "insert into service_deliveries values (?, ?, ?, ?, ?, ?) on conflict (id) do nothing"
        )
        return bool(await self.db.run(query, self._row(delivery)))

    async def ids_among(self, ids: Sequence[str]) -> set[str]:
        """Return which deliveries are there already."""
        query = f"select id from service_deliveries where id in ({marks(ids)})"
        return {row[0] for row in await self.db.rows(query, ids)}

    async def delivery(self, id: str) -> Delivery | None:
        """Return a delivery; None when it was forgotten, or its webhook deleted."""
        query = "select id, execution, webhook, state, due, body from service_deliveries"
        rows = await self.db.rows(f"{query} where id = ?", (id,))
        return self._delivery(rows[0]) if rows else None

    async def keep(self, delivery: Delivery) -> None:
        """Store what became of a delivery. One that arrived needs its text no more."""
        if delivery.state == "done":
            delivery = replace(delivery, body="", reason="")
        query = "update service_deliveries set state = ?, due = ?, body = ? where id = ?"
        row = (delivery.state, delivery.due, self._row(delivery)[-1], delivery.id)
        await self.db.put(query, row)

    async def due(self, now: str, most: int = 50) -> list[str]:
        """Return deliveries whose time has come."""
        query = f"select id {DUE} order by due limit ?"
        return [row[0] for row in await self.db.rows(query, (now, most))]

    async def put_off(self, id: str, now: str, until: str) -> bool:
        """Give a delivery whose time has come a later one. Return False when another process did,
        or it does not wait any more."""
        query = (
            "update service_deliveries set due = ? where id = ? and state = 'waits' and due <= ?"
        )
        return bool(await self.db.run(query, (until, id, now)))

    async def dead(self, most: int) -> list[Delivery]:
        """Return deliveries that never arrived."""
        query = (
            "select id, execution, webhook, state, due, body from service_deliveries"
            " where state = 'dead' order by due, id limit ?"
        )
        return [self._delivery(row) for row in await self.db.rows(query, (most,))]

    async def last_fault(self, webhook: str) -> str:
        """Return why a delivery of a webhook did not arrive, the latest one; "" when all did."""
        query = (
            "select id, execution, webhook, state, due, body from service_deliveries"
            " where webhook = ? and state = 'dead' order by due desc, id limit 1"
        )
        rows = await self.db.rows(query, (webhook,))
        return self._delivery(rows[0]).reason if rows else ""

    async def keep_start(self, workflow: str, start: StoredStart) -> None:
        """Store how requests begin a workflow."""
        query = (
            "insert into service_webhook_starts values (?, ?) on conflict (workflow)"
            " do update set body = excluded.body"
        )
        body = self.db.seal(json.dumps(asdict(start), ensure_ascii=False))
        await self.db.put(query, (workflow, body))

    async def start_of(self, workflow: str) -> StoredStart | None:
        """Return how requests begin a workflow; None when none does."""
        query = "select body from service_webhook_starts where workflow = ?"
        rows = await self.db.rows(query, (workflow,))
        about = f"the webhook of workflow {workflow}"
        return StoredStart(**json.loads(self.db.unseal(rows[0][0], about))) if rows else None

    def _seal(self, hook: Webhook) -> str:
        return self.db.seal(json.dumps(asdict(hook), ensure_ascii=False))

    def _webhook(self, id: str, body: str) -> Webhook:
        fields = json.loads(self.db.unseal(body, f"webhook {id}"))
        return Webhook(**{**fields, "events": tuple(fields["events"])})

    def _row(self, one: Delivery) -> tuple[Any, ...]:
        about = {"kind": one.kind, "body": one.body, "tries": one.tries, "reason": one.reason}
        sealed = self.db.seal(json.dumps(about, ensure_ascii=False))
        return (one.id, one.execution, one.webhook, one.state, one.due, sealed)

    def _delivery(self, row: Sequence[Any]) -> Delivery:
        id, execution, webhook, state, due, body = row
        about = json.loads(self.db.unseal(body, f"delivery {id}"))
        return Delivery(id=id, execution=execution, webhook=webhook, state=state, due=due, **about)
