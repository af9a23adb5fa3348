"""The place of a store, read from its URL. A URL that is shown never holds a password."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from ..errors import RunError

MEMORY = "memory:"
SQLITE = "sqlite:///"
PATIENCE = 30.0
"""Seconds that a store is waited for: a lock of another program, a server that has gone away."""
_POSTGRES = ("postgresql", "postgres")
_SECRET = ("password", "passfile", "sslpassword", "sslkey")
_NEARLY = {
    "memory": MEMORY,
    ":memory:": MEMORY,
    "memory://": MEMORY,
    "sqlite": f"{SQLITE}.flowc/runs.db",
    "sqlite:": f"{SQLITE}.flowc/runs.db",
    "postgres": "postgresql://USER@HOST/DATABASE",
    "postgresql": "postgresql://USER@HOST/DATABASE",
}
"""What people write for a kind of store, and what is written for it here: none is taken as the name
of a file."""
_FORMS = f"{SQLITE}PATH, postgresql://USER@HOST/DATABASE or {MEMORY}"


@dataclass(frozen=True, slots=True)
class Location:
    """A store's place. `url` may be shown; `path` is the file of SQLite, None for others;
    `address` is what PostgreSQL is called with and may hold a password; `patience` is in seconds;
    `links` is how many connections to a server are made at once."""

    url: str
    path: Path | None
    kind: Literal["memory", "sqlite", "postgresql"] = "sqlite"
    address: str = field(default="", repr=False)
    patience: float = PATIENCE
    links: int = 1

    @property
    def complete(self) -> str:
        """Return a URL of the same store from wherever one is; it may hold a password. "" in
        memory: nobody else finds that."""
        return f"{SQLITE}{self.path.absolute()}" if self.path else self.address

    @property
    def leases(self) -> Path | None:
        """Return the folder of the lock files, one per run."""
        return self.path.with_name(f"{self.path.name}.leases") if self.path else None

    def follow_links(self) -> Location:
        """Return the same place, with the file that links lead to, if any: locks lie beside that
        one, and it is what is made. This asks the disk."""
        if self.path is None:
            return self
        real = os.path.realpath(self.path)
        return self if real == os.path.abspath(self.path) else replace(self, path=Path(real))


def locate(url: str) -> Location:
    """Read `sqlite:///PATH` (three slashes: relative, four: absolute), `postgresql://…`, `memory:`
    or a bare path. Raise `RunError` for anything else."""
    if url == MEMORY:
        return Location(url, None, "memory")
    if (meant := _NEARLY.get(url.lower())) is not None:
        raise RunError(f"`{url}` is not a store", help=f"write {meant}, or ./{url} for a file")
    scheme = url.split("://")[0]
    if scheme in _POSTGRES and "://" in url:
        return Location(without_password(url), None, "postgresql", url)
    if url.startswith(SQLITE):
        path = url.removeprefix(SQLITE)
    elif "://" in url:
        raise RunError(f"a store cannot be at `{scheme}://…`", help=f"use {_FORMS}")
    else:
        path = url
    if not path:
        raise RunError("the store has no path", help=f"write {SQLITE}.flowc/runs.db")
    return Location(url, Path(path))


def without_password(url: str) -> str:
    """Return a store's URL as it may be shown, kept and logged."""
    if url.split("://")[0] not in _POSTGRES:
        return url
    try:
        parts = urlsplit(url)
        plain = [(k, v) for k, v in parse_qsl(parts.query) if k.lower() not in _SECRET]
        query = urlencode(plain, quote_via=quote, safe="/,:")
        return f"postgresql://{_bare(parts.netloc)}{parts.path}{'?' * bool(query)}{query}"
    except ValueError:  # a broken address of a host
        return re.sub(r"//.*@", "//", url.partition("?")[0])


def _bare(netloc: str) -> str:
    """Return `user@host:port` of `user:password@host:port`."""
    user, at, host = netloc.rpartition("@")
    return f"{user.partition(':')[0]}{at}{host}"
