"""Which questions of a run were answered, so that no answer is taken for that of a later one.

A question is called by its node and the calls that lead there. When the run asks there again, the
name gets a number (`who#2`): who types an answer once more, because the process died while it was
at work, names a question that waits no longer.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Mapping

from ..db.database import Database
from ..people import Question

_KEY = "$answered"
"""The key of these notes: no visit of a node has it."""


async def note_answer(db: Database, run: str, question: Question) -> None:
    """Note that a question was answered. `db` is the transaction that keeps the answer."""
    query = (
        "insert into notes (run, key, name, ordinal, value)"
        " select ?, ?, ?, coalesce(max(ordinal), 0) + 1, ?"
        " from notes where run = ? and key = ? and name = ?"
    )
    name = question.place_name
    await db.run(query, (run, _KEY, name, db.seal("null"), run, _KEY, name))


async def answered_questions(db: Database, run: str) -> Counter[str]:
    """Return how often a question of each name was answered."""
    query = "select name, count(*) from notes where run = ? and key = ? group by name"
    return Counter(dict(await db.rows(query, (run, _KEY))))


def number_question(
    question: Question, answered: Mapping[str, int], *, known: bool = False
) -> Question:
    """Return the question with its number among those of its name. The answer to it is `known` when
    it is among those that are counted."""
    before = answered.get(question.place_name, 0) - known
    return dataclasses.replace(question, before=max(before, 0))
