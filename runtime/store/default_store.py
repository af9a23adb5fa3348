"""The store of runs where nobody names one: that of the configuration, or `.flowc/runs.db`."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

from ..config.options import DEFAULT_STORE
from ..config.settings import Config, load_config
from ..config.trust_record import TrustRecord
from ..db.url import MEMORY, without_password
from ..errors import RunError, StoreFailed, lacks_room, reason_of
from ..files.staging import hide_from_git


def store_url(flag: str | None, config: Config | None = None, project: Path = Path()) -> str:
    """Return the flag, else the configured store (FLOWC_STORE, flowc.toml), else the default, which
    lies in the folder `project`. Raise `RunError` where a link leads out of there."""
    config = config if config is not None else load_config(project)
    if flag or config.store:
        return flag or str(config.store)
    place = project / store_path(DEFAULT_STORE)
    refuse_link(place, project)
    return f"sqlite:///{place}"


def is_named(flag: str | None) -> bool:
    """Tell whether the person names the store, and not a folder by its settings or by what lies in
    it."""
    return bool(flag or os.environ.get("FLOWC_STORE"))


def refuse_link(place: Path, project: Path) -> None:
    """Raise `RunError` where a link leads from a place in a project out of it, unless that is the
    user's own: it could choose what flowc writes over."""
    if not Path(os.path.abspath(place)).is_relative_to(os.path.abspath(project)):
        return
    real, root = os.path.realpath(place), os.path.realpath(project)
    if not Path(real).is_relative_to(root) and not TrustRecord.read().is_mine(root):
        raise RunError(
            f"a link leads from {place} to {real}, out of a folder that you do not trust",
            help="remove the link, or name the place that you mean: --store, -o",
        )


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
        hide_from_git(folder)
    except OSError as error:
        kind = StoreFailed if lacks_room(error) else RunError
        raise kind(
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
