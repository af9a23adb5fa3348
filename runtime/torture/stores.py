"""Throw-away stores: a SQLite file for each run, or one database on a server of PostgreSQL."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from ..config.extras import require
from ..db.url import locate
from ..errors import RunError, one_line

StoreMaker = Callable[[Path], str]
"""Returns the URL of the store for the run that lives in a folder."""


@contextmanager
def throw_away(url: str | None) -> Iterator[StoreMaker]:
    """Give what makes stores; they are gone afterwards. Raise `RunError` for a URL that names no
    server, and where no database may be made on it."""
    if url is None:
        yield lambda folder: f"sqlite:///{folder}/runs.db"
        return
    if locate(url).kind != "postgresql":
        raise RunError(
            "runs that are tortured live in stores that are thrown away",
            help="leave out --store for SQLite, or name a server: postgresql://USER@HOST/DATABASE",
        )
    require("postgres", "a store in PostgreSQL")
    name = f"flowc_torture_{uuid.uuid4().hex[:12]}"
    _ask(url, f"create database {name}")
    try:
        made = urlunsplit(urlsplit(url)._replace(path=f"/{name}"))
        yield lambda folder: made
    finally:
        _ask(url, f"drop database {name} with (force)")


def _ask(url: str, statement: str) -> None:
    import psycopg

    try:
        with psycopg.connect(url, autocommit=True, connect_timeout=10) as connection:
            connection.execute(statement.encode())
    except psycopg.Error as error:
        raise RunError(
            f"{locate(url).url}: {one_line(error)}",
            help="torture makes a database of its own there, and drops it: name a server and a user"
            " that may",
        ) from None
