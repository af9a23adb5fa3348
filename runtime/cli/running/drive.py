"""Drives a run in this process: signals, the time limit, and questions asked on the terminal."""

from __future__ import annotations

import asyncio
import dataclasses
import signal
from collections.abc import Awaitable, Callable
from typing import Any

from ...engine.signals import DrainReason, RunSignals, on_signals
from ...engine.time_limit import IN_DOUBT, TimeLimit
from ...people import Question
from ...services import Outcome
from ..show.output import RunView
from ..show.questions import ask_person, read_line

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
    view: RunView, begin: Begin, go_on: GoOn, *, limit: float | None, ask: bool
) -> Outcome:
    """Execute until the run ends or waits for somebody who is not here. With `ask` its questions
    are asked on the terminal and it goes on; Ctrl-D leaves it paused. `limit` is in seconds."""
    clock = TimeLimit(limit)
    outcome = await _once(view, begin, clock)
    seconds = outcome.seconds
    while ask and outcome.status == "paused" and (questions := askable(outcome)):
        try:
            answers = _ask_all(questions, view)
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
