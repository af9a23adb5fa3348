"""The store of a command that looks at runs."""

from __future__ import annotations

import asyncio

from ..db.url import locate
from ..errors import RunError
from ..store.default_store import store_url


def existing_store(flag: str | None) -> str:
    """Return the store of a command that looks at runs and never makes one. Raise `RunError`."""
    from ..store.open import is_there

    url = store_url(flag)
    location = locate(url)
    if location.kind == "memory":
        raise RunError("a store in memory is gone with its process", help="name a file: --store")
    if not asyncio.run(is_there(location)):
        place = location.path or location.url
        missing = f"{place} is not there" if location.path else f"{place} holds none"
        raise RunError(
            f"there are no runs here: {missing}",
            help="change to the folder the run was started in, or name its store with --store",
        )
    return url
