"""The events of a past run, one a line: for people, or as JSON like those of a run under way."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Iterable

from ...events import RunEvent
from ..screen import one_line, screen_on
from ..streams import print_json
from .outcomes import SCHEMA_VERSION

_KIND = 13
"""Columns of an event's kind."""


def print_events(events: Iterable[RunEvent], as_json: bool) -> None:
    """Every event with its time, its node and what is known of it."""
    screen = screen_on(sys.stdout)
    for event in events:
        if as_json:
            print_json({"schema_version": SCHEMA_VERSION, **dataclasses.asdict(event)}, None)
            continue
        name = "/".join((*event.path, event.node)) if event.node else ""
        about = ", ".join(f"{k} {_short(v)}" for k, v in event.data.items() if v not in (None, ""))
        head = f"{event.time[11:23]}  {event.kind:<{_KIND}}  "
        room = max(screen.width - len(head), 20)
        screen.print(head + one_line(f"{name}  {about}" if name else about, room).rstrip())


def _short(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
