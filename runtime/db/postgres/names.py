"""Statements in which every table of a store has its schema before it.

A pool between us and the server (PgBouncer, in transaction mode) lends each transaction another
session, so that a `search_path` would be lost, and be found by other programs.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from typing import Any, Self, cast

import psycopg
from psycopg.abc import Params, Query, QueryNoTemplate

SCHEMA = "flowc"
_NAMES = (
    "answers|blobs|charges|documents|effects|events|finished|heartbeats|holds|layout|leases|lines|"
    "notes|realms|renewals|requests|runs|service_assignments|service_audit|"
    "service_deliveries|service_executions|service_happenings|service_idempotency|"
    "service_jobs|service_live|service_looks|service_message_reads|service_messages|service_model_calls|"
    "service_prompts|service_sessions|service_starting|service_states|service_teams|service_token_agents|"
    "service_tokens|service_webhook_starts|service_webhooks|service_workers|"
    "service_words|service_workflows|timers"
)
TABLES = _NAMES.split("|")
"""Ours; beside them are those of LangGraph's saver and of procrastinate."""
_TABLE = re.compile(
    r"(\b(?:from|join|into|update|exists|table|on(?=\s+\w+\s*\())\s+)"
    rf"({_NAMES}|checkpoint(?:s|_(?:blobs|migrations|writes))"
    r"|procrastinate_(?:events|jobs|periodic_defers|workers))\b(?![.\w])",
    re.IGNORECASE,
)


class SchemaCursor(psycopg.AsyncCursor[Any]):
    """A cursor, also of LangGraph's saver, that finds the tables wherever it is."""

    async def execute(
        self, query: Query, params: Params | None = None, **options: bool | None
    ) -> Self:
        """Execute one statement, see `psycopg.AsyncCursor.execute`."""
        return await super().execute(_in_schema(query), params, **options)

    async def executemany(
        self, query: Query, params_seq: Iterable[Params], **options: bool
    ) -> None:
        """Execute a statement for each row, see `psycopg.AsyncCursor.executemany`."""
        await super().executemany(_in_schema(query), params_seq, **options)


def _in_schema(query: Query) -> QueryNoTemplate:
    if isinstance(query, bytes):
        return name_tables(query.decode()).encode()
    name = name_tables(query) if isinstance(query, str) else query
    return cast("QueryNoTemplate", name)


@functools.lru_cache(maxsize=1024)
def name_tables(query: str) -> str:
    """Return a statement in which each of our tables has the schema before it."""
    return _TABLE.sub(rf"\1{SCHEMA}.\2", query)
