"""Tools that leave a line in the ledger of whoever kills them: a label and the idempotency key."""

from __future__ import annotations

import os
import time
from pathlib import Path

import flowc

PAUSE = 0.004
"""Seconds before and after the line, so that a kill finds time to come between."""


def write(label: str, key: str) -> None:
    """One line, at once or not at all."""
    time.sleep(PAUSE)
    flowc.note_effect(label, key)
    time.sleep(PAUSE)


def note(label: str, idempotency_key: str = "") -> str:
    """Note a label."""
    write(label, idempotency_key)
    return f"noted {label}"


def put(label: str, idempotency_key: str = "") -> str:
    """Put a label where it stands already when this is repeated."""
    if f'"label": "{label}", "key": "{idempotency_key}"' not in ledger():
        write(label, idempotency_key)
    return f"put {label}"


def look(label: str) -> str:
    """Change nothing."""
    time.sleep(PAUSE)
    return f"saw {label}"


def flaky(label: str, idempotency_key: str = "") -> str:
    """Fail the first time."""
    if f'"{label}-failed"' not in ledger():
        write(f"{label}-failed", idempotency_key)
        raise OSError("not this time")
    write(label, idempotency_key)
    return f"noted {label}"


def ledger() -> str:
    """What is there so far."""
    path = Path(os.environ["FLOWC_LEDGER"])
    return path.read_text() if path.exists() else ""
