"""Failures of effects as they are kept: a call that failed may have acted.

After a crash the call is not made again: it fails as it did. When the run has ended with the
failure, somebody was told, and a resume makes the call: as if nothing had been killed.
"""

from __future__ import annotations

import json

from ..db.database import Database
from ..errors import Failure


def outcome_of(error: BaseException, attempt: str) -> tuple[str, str | None]:
    """Return the status of an effect whose call raised in an attempt, and what is kept of a
    failure, as JSON. After anything else, a question or a limit, it is called again."""
    if isinstance(error, Failure):
        return "failed", json.dumps([attempt, error.message, error.kind, error.help])
    return "again", None


def failed_attempt(text: str | None) -> str:
    """Return the attempt that failed."""
    attempt: str = json.loads(text or '[""]')[0]
    return attempt


def kept_failure(text: str | None) -> Failure:
    """Return the failure that `outcome_of` kept; the node fills in the place."""
    _, message, kind, help = json.loads(text or "null")
    return Failure(message, kind, help=help)


GIVES_BACK, GIVEN_BACK = "gives back", "given back"
"""The journal's names for a model's attempts at a task that came to nothing: until the run has
ended with that, and from then on, when the task is begun anew."""


async def call_again(db: Database, run: str) -> None:
    """Have what failed be called again, and what a model gave back be begun anew."""
    query = "update effects set status = 'again' where run = ? and status = 'failed'"
    await db.put(query, (run,))
    query = "update notes set name = ? where run = ? and name = ?"
    await db.put(query, (GIVEN_BACK, run, GIVES_BACK))
