"""LangGraph's statements for the rows of a checkpoint, with digests, for several rows at a time;
which of its values lie in a row of their own."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver

from ...values import is_plain
from ..channels import is_snapshot
from .postgres_marks import with_checkpoint_mark, with_columns

Row = Sequence[Any]

MOST = 5_000
"""Rows that one statement writes: the protocol numbers its parameters with 16 bits."""
TOGETHER = 1_000
"""Rows of writes and values that are held until a checkpoint is written."""


@functools.lru_cache(maxsize=64)
def insert_writes(count: int, special: bool) -> str:
    """Return LangGraph's statement for one write, for `count` of them."""
    saver = AsyncPostgresSaver
    one = saver.UPSERT_CHECKPOINT_WRITES_SQL if special else saver.INSERT_CHECKPOINT_WRITES_SQL
    return _repeat(with_columns(one, "mark", "along"), count)


@functools.lru_cache(maxsize=64)
def insert_blobs(count: int) -> str:
    """Return LangGraph's statement for one value of a channel, for `count` of them."""
    return _repeat(with_columns(AsyncPostgresSaver.UPSERT_CHECKPOINT_BLOBS_SQL, "mark"), count)


@functools.lru_cache(maxsize=64)
def insert_checkpoints(count: int) -> str:
    """Return LangGraph's statement for a checkpoint, for `count` of them."""
    return _repeat(with_checkpoint_mark(AsyncPostgresSaver.UPSERT_CHECKPOINTS_SQL), count)


def split_values(values: Mapping[str, Any], sealed: bool) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what lies in the checkpoint itself, and what lies apart in a row that only its new
    versions add to. As with LangGraph, except that long texts and what its JSON cannot hold lie
    apart: a long text would be there again in every checkpoint. With a cipher everything does."""
    inline, apart = {}, {}
    for name, value in values.items():
        if is_snapshot(value):
            inline[name], apart[name] = True, value
        elif value is None or (not sealed and is_plain(value)):
            inline[name] = value
        else:
            apart[name] = value
    return inline, apart


def with_marks(rows: Sequence[Row], mark: Callable[[Row], bytes]) -> list[Row]:
    """Return rows, each with its digest behind it."""
    return [(*row, mark(row)) for row in rows]


def flat(rows: Sequence[Row]) -> list[Any]:
    """Return the values of all rows, one after another."""
    return [value for row in rows for value in row]


def lots(rows: Sequence[Row]) -> Iterator[Sequence[Row]]:
    """Yield as many rows as a statement may write, and again."""
    for first in range(0, len(rows), MOST):
        yield rows[first : first + MOST]


def _repeat(one: str, count: int) -> str:
    """Return a statement that inserts one row, for `count` of them."""
    head, row, tail = re.split(r"(?<=VALUES) (\([^)]*\))", one, maxsplit=1)
    return f"{head} {', '.join([row] * count)}{tail}".replace("%s", "?")
