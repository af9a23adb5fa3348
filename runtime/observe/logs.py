"""Logs of a process that serves: lines for people, or one JSON object a line for programs."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Literal

LogForm = Literal["text", "json"]
_ABOUT: ContextVar[Mapping[str, str] | None] = ContextVar("flowc_log", default=None)
_SERVERS = ("uvicorn", "uvicorn.error", "uvicorn.access")
"""Loggers that bring handlers of their own."""


@contextmanager
def log_about(**about: str) -> Iterator[None]:
    """Say of every record inside the block what it is about: `request`, `job`, `worker`."""
    token = _ABOUT.set({**(_ABOUT.get() or {}), **about})
    try:
        yield
    finally:
        _ABOUT.reset(token)


class JsonLines(logging.Formatter):
    """One JSON object a record: `time` (ISO 8601 UTC), `level`, `logger`, `message`, what it is
    about, and the traceback of a fault as `fault`."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as one line."""
        about = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **(_ABOUT.get() or {}),
        }
        if record.exc_info:
            about["fault"] = self.formatException(record.exc_info)
        return json.dumps(about, ensure_ascii=False)


def write_logs(form: LogForm) -> None:
    """Let this process write its logs to standard error in a form: of flowc from `info` on, of all
    else from `warning` on."""
    if form == "text":
        return
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    logging.getLogger("flowc").setLevel(logging.INFO)
    for name in _SERVERS:
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.propagate = True
