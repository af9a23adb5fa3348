"""wait: for so long, until a time, or for an event; no process is needed meanwhile.

The visit sets a timer in the store, then interrupts as a question does. Whoever finds that the time
has come, or brings the event, resumes the run. What is soon over is waited for in the process.
"""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import cast

from flowc.compiler.flow_yaml.durations import MOST
from flowc.compiler.ir import Delay, Event, Moment, WaitNode

from ..checkpoints.keys import visit_of
from ..errors import Failure
from ..people import TIME_IS_UP, QuestionKind, Timer
from ..services import Json
from .visit.visit import Done, Visit, put_question
from .visit.waiting import wait_until


async def run(visit: Visit, op: WaitNode) -> Done:
    """Wait. Raise `Failure` for what is not a time or a number of seconds, and of kind timeout
    where the event did not come in time."""
    journal, clock = visit.services.journal, visit.services.clock
    # Set before anything else: when the node runs again, its first time counts.
    timer = await journal.set_timer(visit.runtime, _timer(visit, op.awaits))
    kind: QuestionKind = timer.kind
    answer = visit.services.people.answer(kind, visit.node.id, visit.number)
    left = math.inf if timer.due is None else timer.due - clock.now()
    if answer is None and timer.kind == "wait" and left <= clock.short:
        if left > 0:
            await wait_until(visit, cast("float", timer.due), clock.short)
        visit.services.tape.record_answer(kind, TIME_IS_UP)
    elif answer is None:
        answer = put_question(visit.services, _about(visit, timer))
    await journal.end_timer(visit.runtime)
    if timer.kind == "wait":
        value: Json = _time_of(clock.now())
    elif answer == TIME_IS_UP:
        raise Failure(f"the event `{timer.event}` did not come in time", "timeout")
    else:
        value = answer
    shown = visit.scope.show(value)
    return Done(variables={op.into: value} if op.into else {}, text=shown)


def _timer(visit: Visit, awaits: Delay | Moment | Event) -> Timer:
    now, node = visit.services.clock.now(), visit.node.id
    match awaits:
        case Delay():
            return Timer("wait", now + _seconds(visit, visit.value(awaits.seconds)), node)
        case Moment():
            return Timer("wait", _moment(visit, visit.value(awaits.at)), node)
        case Event(timeout=timeout):
            due = None if timeout is None else now + timeout
            return Timer("event", due, node, awaits.name)


def _seconds(visit: Visit, value: Json) -> float:
    """Return a length of time. Raise `Failure` for what is not one."""
    try:
        if isinstance(value, int | float | str) and not isinstance(value, bool):
            seconds = float(value)
            if 0 <= seconds <= MOST:
                return seconds
    except (ValueError, OverflowError):
        pass
    shown = visit.scope.show(value)
    raise Failure(f"`{shown}` is not a number of seconds to wait", help="0 or more")


def _moment(visit: Visit, value: Json) -> float:
    """Return a point in time, in seconds since 1970. Raise `Failure` for what is not one."""
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        return float(value)
    shown = visit.scope.show(value)
    try:
        time = datetime.fromisoformat(str(value).strip())
        if time.tzinfo is not None:
            return time.timestamp()
    except (ValueError, OverflowError):
        help = "a time is such as `2026-03-29T10:00:00+02:00`"
        raise Failure(f"`{shown}` is not a time to wait until", help=help) from None
    raise Failure(
        f"`{shown}` does not say in which time zone it is",
        help='a time ends with `Z` or `+02:00`; parse_time(TEXT, "Europe/Berlin") adds it',
    )


def _about(visit: Visit, timer: Timer) -> dict[str, Json]:
    """Return what is told of a wait to whoever may end it."""
    due = None if timer.due is None else _time_of(math.ceil(timer.due))
    if timer.kind == "wait":
        text = f"waits until {due}"
    else:
        text = f"waits for the event `{timer.event}`" + (f" until {due}" if due else "")
    about = {"kind": timer.kind, "node": visit.node.id, "text": text, "place": visit.place}
    # Also what nobody shows: by it the engine knows which timers are still waited for.
    more = {"due": due, "event": timer.event, "timer": visit_of(visit.runtime)[1]}
    return {**about, **{name: value for name, value in more.items() if value}}


def _time_of(seconds: float) -> str:
    held = min(max(seconds, 0.0), 253_402_300_799.0)
    return datetime.fromtimestamp(held, UTC).isoformat(timespec="seconds")
