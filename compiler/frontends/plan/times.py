"""Times and statuses of a living document that cannot be: no such day, an end before its start, a
whole that is done while a step is not."""

from __future__ import annotations

import re
from datetime import datetime

from ...diagnostics.diagnostic import Label, Sink
from ...plan import is_template, status_of, text_value
from ...plan.document import is_step
from ...plan.values import Range
from .places import Places

_TIME = "%Y-%m-%d %H:%M:%S"
_WRITTEN = re.compile(r"(?P<day>\d{4}-\d{1,2}-\d{1,2})[T ](?P<time>\d\d:\d\d(?::\d\d)?)")
_LINE = re.compile(
    r"^[ ]{0,3}(?:[*+-][ \t]+)?(?P<before>[`*\[]{0,2})"
    r"(?P<time>\d{4}-\d{1,2}-\d{1,2}[T ]\d{1,2}:\d\d(?::\d\d)?)"
    r"(?P<behind>[`*\]]{0,2})(?P<colon>:?)",
    re.MULTILINE,
)
"""A line of the log, or nearly one."""
_FIELDS = ("Timestamp", "Timestamp Start", "Timestamp End")


def check_times(places: Places, sink: Sink) -> None:
    """Warn of times that are none, of ends before their starts, of an overall status that a step
    contradicts, and of code that is said to be there and is not."""
    for index, block in enumerate(places.document.blocks):
        if block.key not in ("request", "plan"):
            continue
        times = {name: _check_time(places, index, name, sink) for name in _FIELDS}
        start, end = times["Timestamp Start"], times["Timestamp End"]
        # A step that is tried again has its end from before, until it ends anew.
        is_over = not is_step(block) or status_of(block) in ("DONE", "FAILED", None)
        if is_over and start is not None and end is not None and end < start:
            message = f"{places.name_of(index)} ends before it starts"
            labels = (Label(places.value_span(index, "Timestamp Start"), "it starts here"),)
            sink.report(
                "FC1005",
                message,
                places.value_span(index, "Timestamp End"),
                severity="warning",
                labels=labels,
                help=f"write a time that is later than `{text_value(block, 'Timestamp Start')}`",
            )
        due = is_step(block) and status_of(block) in ("CODE_GENERATED", "EXECUTING")
        if due and not text_value(block, "Code"):
            message = f"{places.name_of(index)} is {status_of(block)}, and has no code"
            help = "write its code below `**Code:**`, or `READY`, so that it is written"
            sink.report("FC1001", message, places.value_span(index, "Status"), help=help)
    _check_log(places, sink)
    _check_whole(places, sink)
    _check_numbers(places, sink)


def _check_time(places: Places, index: int, name: str, sink: Sink) -> datetime | None:
    value = text_value(places.document.blocks[index], name).strip("` ")
    if not value or value.upper() == "N/A" or is_template(value):
        return None
    try:
        return datetime.strptime(value, _TIME)
    except ValueError:
        pass
    written = _WRITTEN.fullmatch(value)
    help = "write it as `YYYY-MM-DD HH:MM:SS`"
    if written is not None:
        meant = f"{written['day']} {written['time']}" + ("" if written["time"][5:] else ":00")
        try:
            datetime.strptime(meant, _TIME)
            help = f"write `{meant}`"
        except ValueError:
            help = "there is no such day or time; write it as `YYYY-MM-DD HH:MM:SS`"
    message = f"`{value[:60]}` is not a time"
    sink.report("FC1005", message, places.value_span(index, name), severity="warning", help=help)
    return None


def _check_log(places: Places, sink: Sink) -> None:
    """Warn of lines of the log whose time is none, or does not stand in backticks."""
    for index, block in enumerate(places.document.blocks):
        for line in _LINE.finditer(block.text) if block.key == "log" else ():
            time = line["time"].replace("T", " ")
            try:
                datetime.strptime(time, _TIME)
                help = f"write `` `{time}`: … ``"
                if (
                    line["before"] == line["behind"] == "`"
                    and line["colon"]
                    and "T" not in line["time"]
                ):
                    continue
                message = f"the time `{time}` is not written as the log's lines are"
            except ValueError:
                message = f"`{line['time']}` is not a time"
                help = "write it as `YYYY-MM-DD HH:MM:SS`"
            place = places.span(index, Range(*line.span("time")))
            sink.report("FC1005", message, place, severity="warning", help=help)


def _check_whole(places: Places, sink: Sink) -> None:
    """Warn of a success while a step is under way. One that is ready may have been added since."""
    blocks = places.document.blocks
    for index, block in enumerate(blocks):
        if block.key != "output" or text_value(block, "Overall Status") != "SUCCESS":
            continue
        for at, step in enumerate(blocks):
            if is_step(step) and status_of(step) in ("RUNNING", "EXECUTING"):
                message = f"the whole is a SUCCESS, and {places.name_of(at)} is under way"
                labels = (Label(places.value_span(at, "Status"), "its status"),)
                place = places.value_span(index, "Overall Status")
                help = "write `IN_PROGRESS`"
                sink.report("FC1005", message, place, severity="warning", labels=labels, help=help)
                break


def _check_numbers(places: Places, sink: Sink) -> None:
    """Warn of two steps of one number: people tell them apart by it."""
    first: dict[int, int] = {}
    highest = max((block.number or 0 for block in places.document.blocks), default=0)
    for index, block in enumerate(places.document.blocks):
        if not is_step(block) or block.number is None:
            continue
        earlier = first.setdefault(block.number, index)
        if earlier != index:
            message = f"two steps have the number {block.number}"
            labels = (Label(places.heading(earlier), "the other one"),)
            help = f"write `### Step {highest + 1}: {block.title}`"
            place = places.heading(index)
            sink.report("FC1004", message, place, severity="warning", labels=labels, help=help)
