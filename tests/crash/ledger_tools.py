"""Tools that leave a line in the file `ledger` of the working folder: LABEL and idempotency key."""

from __future__ import annotations

import os
import time
from pathlib import Path

PAUSE = 0.004
"""Seconds before and after the line, so that a kill finds time to come between."""


def write(label: str, key: str) -> None:
    """One line, at once or not at all."""
    time.sleep(PAUSE)
    line = f"{label} {key or '-'}\n".encode()
    descriptor = os.open("ledger", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(descriptor, line)
    finally:
        os.close(descriptor)
    time.sleep(PAUSE)


def note(label: str, idempotency_key: str = "") -> str:
    """Note a label."""
    write(label, idempotency_key)
    return f"noted {label}"


def put(label: str, idempotency_key: str = "") -> str:
    """Put a label where it stands already when this is repeated."""
    write(label, idempotency_key)
    return f"put {label}"


def look(label: str, idempotency_key: str = "") -> str:
    """Change nothing."""
    write(label, idempotency_key)
    return f"saw {label}"


def flaky(label: str, idempotency_key: str = "") -> str:
    """Fail the first time."""
    ledger = Path("ledger")
    if not ledger.exists() or f"{label}-failed " not in ledger.read_text():
        write(f"{label}-failed", idempotency_key)
        raise OSError("not this time")
    write(label, idempotency_key)
    return f"noted {label}"
