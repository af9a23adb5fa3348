"""The last words of a command that executed nothing: the run had ended before, and its result and
exit code come again, or its store failed before it went on."""

from __future__ import annotations

import sys
from typing import Any

from ...errors import StoreFailed
from ...services import Outcome
from ...store.default_store import resume_command
from ...store.runs import RunRecord
from ..app import complain, say
from ..screen import screen_on
from ..streams import Mode, print_result
from .outcomes import cut_off, exit_code, outcome_object, print_outcome


def show_ended(record: RunRecord, outcome: Outcome, mode: Mode, store: str, *, told: bool) -> int:
    """Print what a run ended with, and return its exit code. It was `told` something, which came
    too late."""
    about = {"workflow": record.name, "file": record.file, "format": record.format}
    if not _print_object(outcome_object(outcome, about | _nothing_ran(store), ""), mode):
        print_outcome(outcome, screen_on(sys.stderr), mode)
    if mode == "text":
        late = "; what it was told now came too late" if told else ""
        say(
            f"run {record.id} has ended: {record.status}, before this command{late}",
            f"  from an earlier point: flowc fork {record.id} --at NODE",
        )
    return exit_code(outcome)


def show_cut_off(error: StoreFailed, run: str | None, mode: Mode, store: str) -> int:
    """Print how the store failed before the `run` went on, and the command that goes on with it;
    None where nothing is kept of a run yet. Return the exit code."""
    outcome = cut_off(Outcome(run or "", "interrupted"), error)
    go_on = resume_command(run, store) if run else ""
    about = dict.fromkeys(("workflow", "file", "format"))
    if not _print_object(
        outcome_object(outcome, about | _nothing_ran(store), go_on) | {"run": run}, mode
    ):
        complain(error.message, error.help)
        say(f"  go on: {go_on}" if go_on else "  nothing was begun: the same command begins it")
    return exit_code(outcome)


def _nothing_ran(store: str) -> dict[str, Any]:
    return {"answered_by": None, "store": store, "sandbox": []}


def _print_object(shown: dict[str, Any], mode: Mode) -> bool:
    """Print it where a program reads, and return whether one does."""
    if mode == "json":
        print_result(shown)
    elif mode == "jsonl":
        print_result({**shown, "kind": "outcome"}, None)
    return mode in ("json", "jsonl")
