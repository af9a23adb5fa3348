"""Questions of one name are numbered, so that an answer meets the one that it was given to."""

from __future__ import annotations

from collections import Counter

import pytest
from flowc.runtime.db.database import create_tables
from flowc.runtime.db.sqlite import open_sqlite
from flowc.runtime.db.url import MEMORY, locate
from flowc.runtime.journal.rows import SCHEMA
from flowc.runtime.journal.taken_answers import answered_questions, note_answer, number_question
from flowc.runtime.people import Question


def question(node: str, *path: str) -> Question:
    return Question("1", "ask", node, "?", path=path)


def test_every_answer_counts_for_the_questions_of_its_place_in_its_run(wait):
    async def go() -> None:
        async with open_sqlite(locate(MEMORY), durable=False) as db:
            await create_tables(db, SCHEMA)
            assert await answered_questions(db, "r") == Counter()
            for run, asked in (
                *[("r", question("who"))] * 3,
                ("r", question("who", "call")),
                ("s", question("who")),
            ):
                await note_answer(db, run, asked)
            # What a visit keeps under the same name is no answer.
            await db.run("insert into notes values ('r', 'who:1', 'who', 9, '')")
            assert await answered_questions(db, "r") == {"who": 3, "call/who": 1}
            assert await answered_questions(db, "s") == {"who": 1}
            rows = await db.rows("select ordinal from notes where run = 'r' and name = 'who'")
            assert sorted(rows) == [(1,), (2,), (3,), (9,)]

    wait(go())


@pytest.mark.parametrize(
    ("answered", "known", "name"),
    [
        ({}, False, "who"),
        ({}, True, "who"),
        ({"other": 5}, False, "who"),
        ({"who": 1}, True, "who"),
        ({"who": 1}, False, "who#2"),
        ({"who": 2}, True, "who#2"),
        ({"who": 2}, False, "who#3"),
    ],
)
def test_a_question_that_comes_again_has_a_number(answered, known, name):
    assert number_question(question("who"), answered, known=known).name == name
    if not known:
        assert number_question(question("who"), answered).name == name
