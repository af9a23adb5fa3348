"""The events of a run, as values: the CLI, the store and tests all consume the same ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from .values import Json

EventKind = Literal[
    "run_started",  # workflow, nodes, edges, model, is_model
    "run_resumed",
    "node_started",  # visit, step (of its graph; nodes of one step run side by side)
    "node_finished",  # seconds, case (of a choose), writes, text (short); of a task score(s)
    "node_failed",  # message, kind, place, caught (bool)
    "node_retry",  # attempt, of, error, kind, wait (seconds)
    "model_called",  # model, tokens, cost, what the limits leave (nodes/visit/spending.py), seconds
    "limit_reached",  # message, limit, scope: what stopped the run, to be resumed
    "model_retry",  # attempt, error, wait
    "model_fallback",  # failed, error, asked: another model is asked after one has failed
    "model_text",  # a piece of a streamed answer
    "tool_called",  # tool, seconds, ok
    "request_sent",  # method, host, status (0: no answer), seconds
    "script_said",  # level, line: what a script wrote to its console
    "sandbox",  # profile, level, network, active and missing (layers): how code is confined
    "command_run",  # command, exit_code, seconds, output (short), sandbox (level)
    "verdict",  # outcome of a reporting step: status, claimed beside measured
    "gate",  # form, mode, passed, score, required
    "warning",  # message
    "item_started",  # item (from 1), of, done (how many are)
    "item_finished",  # item, of, done
    "interrupted",  # question
    "answered",
    "wait_over",  # due (ISO 8601), late (seconds), event: the time of a wait has come
    "changed",  # changes (text, refusal, was, now, migrate): of the workflow since; migrated
    "document_edited",  # document, moves (bool), taken: list of step, what, source, line
    "said",  # line: an unasked line of a person
    "run_finished",  # status, seconds
]


@dataclass(frozen=True, slots=True)
class RunEvent:
    """One event. `time` is ISO-8601 UTC; `path` is the chain of calls that leads to the node;
    `data` holds JSON values, as listed beside each kind."""

    kind: EventKind
    run: str
    time: str
    node: str = ""
    path: tuple[str, ...] = ()
    data: dict[str, Any] = field(default_factory=dict)


Listener = Callable[[RunEvent], None]


class Tape:
    """Records a run's exchanges with the world, or replays them; this one keeps nothing. `waits`:
    the waits before another attempt are kept; `recalls`: a run that goes on tells its events."""

    waits, recalls = True, False

    def mark(self, stored: bool) -> dict[str, Json]:
        """Return what the next event, which may be `stored`, carries besides its own data."""
        return {}

    def recall(self, events: Sequence[RunEvent]) -> None:
        """Take up what earlier executions of the run did."""

    def begin(self, run: str, inputs: dict[str, Json], resumed: bool) -> None:
        """Begin an execution of a run with all its inputs. Raise `RunError`."""

    def record_answer(self, name: str, answer: Json) -> None:
        """Record a person's answer by the kind of its question; a model's has `told TURN`."""

    def time(self, seconds: float) -> float:  # seconds, or the recorded time of the visit
        return seconds

    def record_items(self, ended: Sequence[int]) -> None:
        """Record the order in which elements of the running node ended, by numbers from 0."""

    def items(self) -> Sequence[int]:
        """Return that order, where it has to be as it was."""
        return ()

    def end(self, complete: bool) -> None:
        """End an execution, and the run when `complete`. Raise `RunError` for what differs."""
