"""What `flowc doctor` says of stores: where runs are kept here, what PostgreSQL and keys need."""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import Iterator

from ...config.extras import EXTRAS, how_to_install
from ...config.options import DEFAULT_STORE
from ...db.encryption import VARIABLE, seal_from
from ...db.sqlite import refuse_unfit
from ...db.url import Location, locate
from ...errors import RunError
from ...store.default_store import store_url
from ...store.open import is_there

WHOLE_SECONDS = 60.0
"""Seconds for looking at a store's file as a whole: a few gigabytes."""
Finding = tuple[str, bool, str, bool]
"""Area, whether it is there, words, whether every run needs it."""


def stores() -> Iterator[Finding]:
    """Yield the store of this folder, and the key. Change nothing."""
    try:
        url = store_url(None)
        location = locate(url)
    except RunError as error:
        yield "store", False, _error_text(error), True
    else:
        yield _kept_in(location, usual=url == DEFAULT_STORE)
    yield "store memory", True, "kept for one process only (--store memory:)", False
    yield _key()


def _kept_in(location: Location, *, usual: bool) -> Finding:
    if location.kind == "memory":
        return "store", True, "memory: is configured; no run outlives its process", True
    if location.kind == "postgresql":
        return _server(location)
    assert location.path is not None
    folder = os.path.abspath(location.path.parent)
    while not os.path.exists(folder):
        folder = os.path.dirname(folder)
    place = location.path if location.path.exists() else folder
    writable = os.access(place, os.W_OK)
    text = f"sqlite in {location.path.parent}/" if usual else f"sqlite in {location.path}"
    try:
        asyncio.run(refuse_unfit(location, seconds=WHOLE_SECONDS))
    except RunError as error:
        return "store sqlite", False, _error_text(error), True
    if not writable:
        text = f"{place} may not be written: use --store URL"
    return "store sqlite", writable, f"{text} (SQLite {sqlite3.sqlite_version})", not usual


def _server(location: Location) -> Finding:
    """Whether the server that runs are kept on answers."""
    try:
        there = asyncio.run(is_there(location))
    except RunError as error:
        return "store postgresql", False, _error_text(error), True
    text = "holds runs" if there else "answers, holds no runs yet"
    return "store postgresql", True, f"{location.url} {text}", True


def _key() -> Finding:
    if not os.environ.get(VARIABLE, "").strip():
        text = f"{VARIABLE} is not set: new stores are not encrypted"
        if not EXTRAS["encryption"].is_installed:
            text += f"; it needs {how_to_install('encryption')}"
        return "encryption", False, text, False
    try:
        seal_from(os.environ)
    except RunError as error:
        return "encryption", False, _error_text(error), True
    return "encryption", True, f"{VARIABLE} is a key: new stores are encrypted with it", False


def _error_text(error: RunError) -> str:
    return f"{error.message}: {error.help}" if error.help else error.message
