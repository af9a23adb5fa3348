"""Which store a command means, and whether there is one already."""

from __future__ import annotations

import asyncio
from pathlib import Path

from ..config.options import DEFAULT_STORE
from ..config.settings import Config, load_config
from ..db.url import locate, without_password
from ..errors import RunError


def store_url(flag: str | None, config: Config | None = None) -> str:
    """Return the flag, else the configured store (FLOWC_STORE, flowc.toml), else the default."""
    config = config if config is not None else load_config(Path.cwd())
    return flag or config.store or DEFAULT_STORE


def prepare_default(url: str) -> None:
    """Make the folder of the default store and keep it out of version control."""
    if url != DEFAULT_STORE:
        return
    folder = Path(store_path(url)).parent
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        (folder / ".gitignore").write_text("*\n", encoding="utf-8")
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise RunError(
            f"the store {store_path(url)} cannot be made: {reason}",
            help="choose another place with `--store`",
        ) from None


def store_path(url: str) -> str:
    """Return a store's address as a person reads it."""
    return without_password(url.removeprefix("sqlite:///"))


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
