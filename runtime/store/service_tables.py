"""The tables of the service that hold something of an execution, which goes with its run.

An execution is a run of the same id. Here stand the names of tables and nothing of the service: a
store that no service has used has none of them. Workflows, teams, tokens and the audit log belong
to no execution and stay; answers to idempotency keys go by their age (`sweeping`).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Mapping

from ..db.database import Database, batches, delete_of, marks
from ..db.schema_version import has_table

KEPT_OF: Mapping[str, tuple[str, str]] = {
    "executions": ("service_executions", "id"),
    "assignments": ("service_assignments", "execution"),
    "messages": ("service_messages", "execution"),
    "readings": ("service_message_reads", "execution"),
    "prompts": ("service_prompts", "execution"),
    "states": ("service_states", "execution"),
    "starting": ("service_starting", "execution"),
    "live": ("service_live", "execution"),
    "words": ("service_words", "execution"),
    "deliveries": ("service_deliveries", "execution"),
    "looks": ("service_looks", "execution"),
    "happenings": ("service_happenings", "execution"),
    "news": ("service_jobs", "execution"),
    "jobs": ("procrastinate_jobs", "lock"),
}
"""The table of each, and its column that names the execution. News are in one of the two, as the
store has it."""
OBEYED: Mapping[str, str] = {
    "service_tokens": "tokens",
    "service_token_agents": "tokens",
    "service_sessions": "sessions",
    "service_executions": "executions",
    "service_jobs": "executions",
    "service_states": "executions",
    "service_starting": "executions",
    "service_workflows": "workflows",
    "service_teams": "teams",
    "service_webhooks": "webhooks",
    "service_webhook_starts": "webhooks",
    "service_deliveries": "webhooks",
}
"""What a service takes from its store as it is, by table."""


async def kept_of(db: Database, runs: Collection[str]) -> Counter[str]:
    """Count what is kept of these runs; nothing in a store without a service."""
    counts: Counter[str] = Counter()
    for word, (table, column) in KEPT_OF.items():
        if not runs or not await has_table(db, table):
            continue
        for some in batches(list(runs)):
            query = f"select count(*) from {table} where {column} in ({marks(some)})"
            counts[word] += int((await db.rows(query, some))[0][0])
    return +counts


async def forget(inside: Database, runs: Collection[str]) -> None:
    """Drop all of it, within a transaction."""
    tables = [pair for pair in KEPT_OF.values() if await has_table(inside, pair[0])]
    await delete_of(inside, dict(tables), runs)


async def left_over(db: Database) -> list[str]:
    """Return executions whose run was forgotten without them, and those of which only a part is
    left."""
    if not await has_table(db, "service_executions"):
        return []
    counts = set(await _ended_alone(db))
    for table, column in KEPT_OF.values():
        if await has_table(db, table):
            rows = await db.rows(
                f"select distinct {column} from {table}"
                f" where {column} not in (select id from service_executions)"
                f" and {column} not like 'dl-%'"  # a job of the queue that is a delivery
            )
            counts.update(row[0] for row in rows)
    return sorted(counts)


async def _ended_alone(db: Database) -> list[str]:
    """Return executions without a run that do not wait for one: nothing is due, nobody has paused
    them, and they have not failed before they began."""
    tables = [KEPT_OF[word] for word in ("news", "jobs")]
    queue = [pair for pair in tables if await has_table(db, pair[0])]
    if not queue:
        return []
    table, column = queue[0]
    rows = await db.rows(
        "select id, body from service_executions where id not in (select id from runs)"
        f" and id not in (select {column} from {table})"
    )
    kept = ((id, json.loads(db.unseal(body, f"execution {id}"))) for id, body in rows)
    held = ("paused", "fault", "cancelled")
    return [id for id, body in kept if not any(body.get(name) for name in held)]
