"""The errors of runs that are there already, or are there no more."""

from __future__ import annotations

from flowc.compiler.source.snippet import visible

from ..errors import RunError


def lost_run(run: str, url: str, effects: int) -> RunError:
    """Return the error for a run of which the store knows nothing, though something was done."""
    return RunError(
        f"run {visible(run)} is gone from {url}, and {effects} of its effects were finished: the"
        " store is an older copy, or has lost its log (-wal)",
        help="put the log or a newer copy back; a new run of this name asks before each effect that"
        " acts once",
    )


class DuplicateRun(RunError):
    """There is a run of the id already."""


def duplicate_id(run: str) -> DuplicateRun:
    """Return the error for a new run whose id is taken."""
    return DuplicateRun(f"there is a run `{run}` already", help="choose another id with `--run-id`")
