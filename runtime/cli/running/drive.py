"""Drives a run in this process: signals, the time limit, and questions asked on the terminal."""

from __future__ import annotations

import asyncio
import dataclasses
import signal
import time
from collections.abc import Awaitable, Callable
from typing import Any

from ...engine.signals import DrainReason, RunSignals, on_signals
from ...engine.time_limit import IN_DOUBT, TimeLimit
from ...people import Question
from ...services import Outcome
from ...state.waits import first_due
from ..show.output import RunView
from ..show.questions import ask_person, read_line

_LOOK = 0.25
"""Seconds between two looks at the clock: it may be set meanwhile."""
_ANNOUNCED: dict[DrainReason, str] = {
    "signal": "interrupting: finishes the step under way (once more: give it up at once)",
    "pause": "asked to pause: finishes the step under way",
    "stop": "asked to stop: finishes the step under way",
    "limit": "the time is over: finishes the step under way",
}

Begin = Callable[[RunSignals], Awaitable[Outcome]]
GoOn = Callable[[dict[str, Any], RunSignals], Awaitable[Outcome]]


class AnnouncedSignals(RunSignals):
    """Says that it was heard, so that nobody presses Ctrl-C a second time in doubt."""

    def __init__(self, view: RunView) -> None:
        super().__init__()
        self.view = view

    def request_drain(self, reason: DrainReason = "signal") -> None:
        if self.reason is None and self.view.mode == "text":
            self.view.screen.print(self.view.screen.ink(_ANNOUNCED[reason], "dim"))
        super().request_drain(reason)


async def drive(
    view: RunView, begin: Begin, go_on: GoOn, *, patience: Patience, ask: bool
) -> Outcome:
    """Execute until the run ends or waits for somebody who is not here. With `ask` its questions
    are asked on the terminal and it goes on; Ctrl-D leaves it paused."""
    clock = TimeLimit(patience.limit)
    outcome = await _once(view, begin, clock)
    seconds = outcome.seconds
    while outcome.status == "paused":
        questions = askable(outcome) if ask else ()
        due = first_due(outcome.questions) if patience.watch and not questions else None
        if not questions and due is None:
            break
        try:
            answers = _ask_all(questions, view) if due is None else await _await(due, view)
        except KeyboardInterrupt:
            view.screen.print("")
            outcome = dataclasses.replace(outcome, status="interrupted")
            break
        if answers is None:
            break

        async def resume_once(signals: RunSignals, answers: dict[str, Any] = answers) -> Outcome:
            return await go_on(answers, signals)

        outcome = await _once(view, resume_once, clock)
        seconds += outcome.seconds
    return dataclasses.replace(outcome, seconds=seconds)


@dataclasses.dataclass(frozen=True, slots=True)
class Patience:
    """How long a run may take, in seconds, and whether its waits are waited for here (`watch`)."""

    limit: float | None = None
    watch: bool = False


async def _await(due: float, view: RunView) -> dict[str, Any] | None:
    """Wait until a time, in seconds since 1970: return no answers, or None where a signal ended
    the wait."""
    signals = AnnouncedSignals(view)
    with on_signals(signals):
        while (left := due - time.time()) > 0:
            if signals.reason is not None:
                return None
            await asyncio.sleep(min(left, _LOOK))
    return {}


def askable(outcome: Outcome) -> tuple[Question, ...]:
    """Return the questions that a person on the terminal can answer."""
    return tuple(q for q in outcome.questions if q.kind not in ("wait", "event"))


async def _once(view: RunView, begin: Begin, clock: TimeLimit) -> Outcome:
    """Execute once. A second signal, or the end of the grace after the time limit, gives up the
    step under way, which is then in doubt."""
    signals = AnnouncedSignals(view)
    try:
        with on_signals(signals):
            async with view.ticking():
                return await clock.execute(begin, signals, view.run)
    except asyncio.CancelledError:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # this is the end already
        task = asyncio.current_task()
        while task is not None and task.cancelling():
            task.uncancel()
        return Outcome(view.run, "interrupted", error={"message": IN_DOUBT, "kind": "failure"})


def _ask_all(questions: tuple[Question, ...], view: RunView) -> dict[str, Any] | None:
    """Ask every question. Return the answers given before Ctrl-D, or None without any."""
    answers: dict[str, Any] = {}
    for question in questions:
        answer = ask_person(question, view.screen, read_line)
        if answer is None:
            view.screen.print("")
            return answers or None
        answers |= answer
    return answers
