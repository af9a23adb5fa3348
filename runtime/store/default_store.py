"""The store of runs where nobody names one: that of the configuration, or `.flowc/runs.db`."""

from __future__ import annotations

import shlex
from pathlib import Path

from ..config.options import DEFAULT_STORE
from ..config.settings import Config, load_config
from ..db.url import MEMORY, without_password
from ..errors import RunError, reason_of


def store_url(flag: str | None, config: Config | None = None, project: Path = Path()) -> str:
    """Return the flag, else the configured store (FLOWC_STORE, flowc.toml), else the default, which
    lies in the folder `project`."""
    config = config if config is not None else load_config(project)
    return flag or config.store or f"sqlite:///{project / store_path(DEFAULT_STORE)}"


def prepared_store(flag: str | None, config: Config | None = None, project: Path = Path()) -> str:
    """Return the same; the folder of the default store is there. Raise `RunError`."""
    url = store_url(flag, config, project)
    prepare_default(url)
    return url


def prepare_default(url: str) -> None:
    """Make the folder of a default store and keep it out of version control."""
    if not url.endswith(store_path(DEFAULT_STORE)):
        return
    folder = Path(store_path(url)).parent
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        (folder / ".gitignore").write_text("*\n", encoding="utf-8")
    except OSError as error:
        raise RunError(
            f"the store {store_path(url)} cannot be made: {reason_of(error)}",
            help="choose another place with `--store`",
        ) from None


def resume_command(run: str, store: str) -> str:
    """Return the command that goes on with a run, with the store when it is not the default; "" for
    a run that is kept nowhere."""
    if store == MEMORY:
        return ""
    extra = "" if store == store_url(None) else f" --store {shlex.quote(without_password(store))}"
    return f"flowc resume {shlex.quote(run)}{extra}"


def store_path(url: str) -> str:
    """Return a store's address as a person reads it."""
    return without_password(url.removeprefix("sqlite:///"))
