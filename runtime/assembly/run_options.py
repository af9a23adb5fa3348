"""The options of one run: what was typed and configured, settled, and kept in the run's record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from flowc.compiler.ir import OnUnknown

from ..config.options import OPTIONS, Options, absolute, default, merge, require_one_answer
from ..config.settings import Config
from ..errors import RunError
from .sandbox_options import own_folder, require_workspace


@dataclass(frozen=True, slots=True)
class RunOptions(Options):
    """The options of a run. Its record keeps them, so that a resume does the same; they hold no
    secret. `own` is the folder that its commands may always write in, `usually` what is configured
    for calls in doubt: `on_unknown` is what was typed, and goes before what a node says."""

    own: str = ""
    usually: OnUnknown | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the options for the run's record."""
        values = {name: getattr(self, name) for name in _KEPT}
        return {key: list(v) if isinstance(v, tuple) else v for key, v in values.items()}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> RunOptions:
        """Read the options from a run's record; keys of another version are left out."""
        values: dict[str, Any] = {key: data[key] for key in _KEPT if key in data}
        for key, value in values.items():
            values[key] = tuple(value) if isinstance(value, list) else value
        return cls(**values)


_KEPT = (*(name for name, row in OPTIONS.items() if row.flag and row.kept), "own", "usually")


def settle(options: RunOptions, config: Config, declared: str | None = None) -> RunOptions:
    """Return the options with the configuration below them; paths are absolute. A model that the
    workflow `declared` replaces whatever is configured to answer, and is replaced by what was
    typed. Settling twice changes nothing. Raise `RunError` when two are to answer."""
    require_one_answer(options)
    weaker = merge(Options(model=declared), config)
    values = merge(options, Options(**weaker))
    values["on_unknown"] = options.on_unknown  # the configuration's is weaker than a node's own
    values["sandbox"] = values["sandbox"] or default("sandbox")
    here = Path.cwd()
    settled = replace(
        options,
        **{name: absolute(name, value, here) for name, value in values.items()},
        own=options.own or own_folder(),
        usually=options.usually or config.on_unknown or default("on_unknown"),
    )
    _check_url(settled.base_url)
    require_workspace(settled.workspace)
    return settled


def _check_url(url: str | None) -> None:
    """Raise `RunError` for a URL with a password: it is shown, and kept with the run."""
    if url is None:
        return
    try:
        parts = urlsplit(url)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise RunError(
            "the base URL is not an address of a server", help="write it as http://HOST:PORT/v1"
        )
    if "@" in parts.netloc:
        raise RunError(
            "the base URL holds a user or a password, which would be kept with the run",
            help="leave it out; keys come from the environment: OPENAI_API_KEY",
        )
