"""The last words of a run that had ended before: the same result and the same exit code again."""

from __future__ import annotations

import sys
from typing import Any

from ...services import Outcome
from ...store.runs import RunRecord
from ..app import say
from ..screen import screen_on
from ..streams import Mode, print_result
from .outcomes import exit_code, outcome_object, print_outcome


def show_ended(record: RunRecord, outcome: Outcome, mode: Mode, store: str, *, told: bool) -> int:
    """Print what a run ended with, and return its exit code. It was `told` something, which came
    too late."""
    about: dict[str, Any] = {
        "workflow": record.name,
        "file": record.file,
        "format": record.format,
        "answered_by": None,
        "store": store,
        "sandbox": [],
    }
    shown = outcome_object(outcome, about, "")
    if mode == "json":
        print_result(shown)
    elif mode == "jsonl":
        print_result({**shown, "kind": "outcome"}, None)
    else:
        print_outcome(outcome, screen_on(sys.stderr), mode)
    if mode == "text":
        late = "; what it was told now came too late" if told else ""
        say(
            f"run {record.id} has ended: {record.status}, before this command{late}",
            f"  from an earlier point: flowc fork {record.id} --at NODE",
        )
    return exit_code(outcome)
