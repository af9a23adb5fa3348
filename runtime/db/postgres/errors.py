"""The errors of PostgreSQL and of the way to it in words, without passwords."""

from __future__ import annotations

import psycopg

from ...errors import RunError
from ..url import Location

_ENDING = ("57P01", "57P02", "57P03")
"""The server is shutting down, has crashed, or is starting."""


def is_gone(error: psycopg.Error) -> bool:
    """Return whether the connection or the server is at fault, and not the statement."""
    if not isinstance(error, psycopg.OperationalError):
        return False
    state = error.sqlstate
    return state is None or state in _ENDING or state.startswith("08")


def postgres_error(error: psycopg.Error, location: Location) -> RunError:
    """Return the error in a person's words."""
    place = f"the store {location.url}"
    match error.sqlstate:
        case "53100":
            return RunError(
                f"{place} cannot be written: the server's disk is full",
                help="make room, then `flowc resume` goes on from the last checkpoint",
            )
        case "25006":
            return RunError(f"{place} is read-only", help="choose another place with `--store`")
        case "42501":
            return RunError(
                f"{place} cannot be used: {_reason(error)}",
                help="let its owner run: grant create on database NAME to USER",
            )
        case "53300":
            return RunError(f"{place} has no connection left", help="try again in a moment")
        case "55P03":
            return RunError(f"{place} is locked by another program", help="try again in a moment")
    if is_gone(error):
        return RunError(f"{place} cannot be reached: {_reason(error)}", help=_remedy(str(error)))
    return RunError(f"{place} cannot be used: {_reason(error)}")


def _remedy(text: str) -> str:
    if "does not exist" in text and "database" in text:
        return "make it first: createdb NAME"
    if "password" in text:
        return "give the password in PGPASSWORD or ~/.pgpass"
    return "when the server answers again, `flowc resume` goes on with what is kept"


def _reason(error: psycopg.Error) -> str:
    """Return the last thing said, in one line: psycopg tells of every address that it tried."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    reasons = [line for line in lines if not line.startswith(("Multiple", "Is the server", "- "))]
    text = (reasons or lines or [type(error).__name__])[0]
    return text.removeprefix("connection failed: ").removeprefix("FATAL:").strip()
