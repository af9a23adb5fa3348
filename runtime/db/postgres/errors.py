"""The errors of PostgreSQL and of the way to it in words, without passwords."""

from __future__ import annotations

import psycopg

from ...errors import RunError, StoreFailed
from ..url import Location

_ENDING = ("57P01", "57P02", "57P03")
"""The server is shutting down, has crashed, or is starting."""
_LEFT = ("25P03", "25P04", "57P05")
"""The server has ended a connection that was silent for too long: this process stood still."""

_PATIENCE = "when the server answers again, `flowc resume` goes on with what is kept"


def is_gone(error: psycopg.Error) -> bool:
    """Return whether the connection or the server is at fault, and not the statement."""
    if error.sqlstate in _LEFT:
        return True
    if not isinstance(error, psycopg.OperationalError):
        return False
    state = error.sqlstate
    return state is None or state in _ENDING or state.startswith("08")


def postgres_error(error: psycopg.Error, location: Location) -> RunError:
    """Return the error in a person's words."""
    place = f"the store {location.url}"
    match error.sqlstate:
        case "53100":
            return StoreFailed(
                f"{place} cannot be written: the server's disk is full",
                help="make room, then `flowc resume` goes on from the last checkpoint",
            )
        case "25006":
            return StoreFailed(f"{place} is read-only", help="choose another place with `--store`")
        case "42501":
            return RunError(
                f"{place} cannot be used: {_reason(error)}",
                help="let its owner run: grant create on database NAME to USER",
            )
        case "53300":
            return StoreFailed(f"{place} has no connection left", help="try again in a moment")
        case "57014":
            return StoreFailed(
                f"{place} did not finish a statement in time, and nothing of it was written",
                help="try again in a moment; the server's log says what it was busy with",
            )
        case "40001" | "40P01":
            return StoreFailed(
                f"{place} undid what another program was in the way of",
                help="try again in a moment",
            )
        case "55P03":
            return StoreFailed(
                f"{place} is locked by another program", help="try again in a moment"
            )
    if is_gone(error):
        remedy = _remedy(str(error))
        kind = RunError if remedy else StoreFailed
        what = f"{place} cannot be reached: {_reason(error)}"
        return kind(what, help=remedy or _PATIENCE)
    return RunError(f"{place} cannot be used: {_reason(error)}")


def _remedy(text: str) -> str:
    """Return what to do about a server that will never answer to this address; "" else."""
    if "does not exist" in text and "database" in text:
        return "make it first: createdb NAME"
    if "password" in text:
        return "give the password in PGPASSWORD or ~/.pgpass"
    return ""


def _reason(error: psycopg.Error) -> str:
    """Return the last thing said, in one line: psycopg tells of every address that it tried."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    reasons = [line for line in lines if not line.startswith(("Multiple", "Is the server", "- "))]
    text = (reasons or lines or [type(error).__name__])[0]
    return text.removeprefix("connection failed: ").removeprefix("FATAL:").strip()
