"""Drives a run in this process: signals, the time limit, and questions asked on the terminal."""

from __future__ import annotations

import asyncio
import dataclasses
import signal
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ...engine.signals import DrainReason, RunSignals, on_signals
from ...people import Question
from ...services import Outcome
from ..show.output import RunView
from ..show.questions import ask_person, read_line

GRACE_SECONDS = 5.0
"""After the time limit the step under way may finish this long, then it is cancelled."""

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


@dataclass(slots=True)
class Clock:
    """The time that is left of `--timeout`, over all executions of this process."""

    limit: float | None
    used: float = 0.0
    expired: bool = False

    @contextmanager
    def running(self, signals: RunSignals) -> Iterator[None]:
        """Drain when the time is over, cancel when draining takes too long."""
        if self.limit is None:
            yield
            return
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        left = max(self.limit - self.used, 0.0)
        began = loop.time()

        def cancel() -> None:
            self.expired = True
            if task is not None:
                task.cancel()

        timers = [
            loop.call_later(left, signals.request_drain, "limit"),
            loop.call_later(left + GRACE_SECONDS, cancel),
        ]
        try:
            yield
        finally:
            for timer in timers:
                timer.cancel()
            self.used += loop.time() - began


async def drive(
    view: RunView, begin: Begin, go_on: GoOn, *, limit: float | None, ask: bool
) -> Outcome:
    """Execute until the run ends or waits for somebody who is not here. With `ask` its questions
    are asked on the terminal and it goes on; Ctrl-D leaves it paused. `limit` is in seconds."""
    clock = Clock(limit)
    outcome = await _once(view, begin, clock)
    seconds = outcome.seconds
    while ask and outcome.status == "paused" and outcome.questions:
        try:
            answers = _ask_all(outcome.questions, view)
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


async def _once(view: RunView, begin: Begin, clock: Clock) -> Outcome:
    """Execute once. A second signal, or the end of the grace after the time limit, gives up the
    step under way, which is then in doubt."""
    signals = AnnouncedSignals(view)
    in_doubt = "what was under way is in doubt and will be asked about"
    try:
        with on_signals(signals), clock.running(signals):
            async with view.ticking():
                outcome = await begin(signals)
    except asyncio.CancelledError:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # this is the end already
        task = asyncio.current_task()
        while task is not None and task.cancelling():
            task.uncancel()
        if clock.expired:
            message = f"{_over(clock)}; {in_doubt}"
            reason = {"message": message, "kind": "limit", "limit": "seconds"}
            return Outcome(view.run, "stopped", error=reason)
        return Outcome(view.run, "interrupted", error={"message": in_doubt, "kind": "failure"})
    if outcome.status == "stopped" and signals.reason == "limit":
        reason = {"message": _over(clock), "kind": "limit", "limit": "seconds"}
        return dataclasses.replace(outcome, error=reason)
    return outcome


def _over(clock: Clock) -> str:
    return f"the time limit of {clock.limit:g} s is over"


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
