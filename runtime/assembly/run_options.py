"""What the person who starts a run chose, by flags and configuration; it is kept with the run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from flowc.compiler.ir import OnUnknown
from flowc.compiler.team import PEOPLE

from ..config.settings import Config
from ..errors import RunError
from .sandbox_options import granted_workspace, mode_of, own_folder


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What the person who starts a run chose; kept with the run, so that a resume does the same.
    Paths are absolute. Holds no secret."""

    model: str | None = None
    base_url: str | None = None
    answers: str | None = None
    allow_exec: bool = False
    workspace: str | None = None
    network: bool = False
    sandbox: str = ""
    own: str = ""
    roots: tuple[str, ...] = ()
    mcp: tuple[str, ...] = ()
    on_unknown: OnUnknown | None = None
    usually: OnUnknown = "ask"
    max_steps: int | None = None
    timeout: float | None = None
    max_tokens: int | None = None
    max_cost: str | None = None
    team: str | None = None
    record: str | None = None
    replay: str | None = None

    def to_json(self) -> dict[str, Any]:
        """For the run's record."""
        return {key: list(v) if isinstance(v, tuple) else v for key, v in asdict(self).items()}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> RunOptions:
        """From a run's record; keys of another version are left out."""
        known = {field.name for field in fields(cls)} & data.keys()
        values: dict[str, Any] = {key: data[key] for key in known}
        for key, value in values.items():
            values[key] = tuple(value) if isinstance(value, list) else value
        return cls(**values)


def settle(options: RunOptions, config: Config, declared: str | None = None) -> RunOptions:
    """The options with what the configuration says where no flag was given. A flag that chooses who
    answers replaces the model that the workflow `declared`, and that replaces whatever was
    configured to answer. Settling twice changes nothing. Raises `RunError` when two were chosen."""
    answering = {"--model": options.model, "--answers": options.answers, "--replay": options.replay}
    given = [flag for flag, value in answering.items() if value]
    if options.replay and options.record:
        given = ["--replay", "--record"]
    if len(given) > 1:
        raise RunError(f"{given[0]} and {given[1]} exclude each other")
    chosen = bool(given)
    _check_url(options.base_url or config.base_url)
    return replace(
        options,
        model=options.model or (None if chosen else declared or config.model),
        answers=_absolute(options.answers or (None if chosen or declared else config.answers)),
        base_url=options.base_url or config.base_url,
        workspace=granted_workspace(options.workspace, config.workspace),
        network=options.network or config.network,
        sandbox=mode_of(options.sandbox, config.sandbox),
        own=options.own or own_folder(),
        roots=_absolutes(options.roots, config.roots),
        mcp=_absolutes(options.mcp, config.mcp),
        max_steps=options.max_steps or config.max_steps,
        timeout=options.timeout or config.timeout,
        max_tokens=options.max_tokens or config.max_tokens,
        max_cost=options.max_cost or config.max_cost,
        team=options.team if options.team == PEOPLE else _absolute(options.team),
        record=_absolute(options.record),
        replay=_absolute(options.replay),
    )


def _check_url(url: str | None) -> None:
    """The URL is shown and kept with the run, so no password may stand in it."""
    if url is None:
        return
    try:
        parts = urlsplit(url)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise RunError(
            "the base URL is no address of a server", help="write it as http://HOST:PORT/v1"
        )
    if "@" in parts.netloc:
        raise RunError(
            "the base URL holds a user or a password, which would be kept with the run",
            help="leave it out; keys come from the environment: OPENAI_API_KEY",
        )


def _absolute(path: str | None) -> str | None:
    return str(Path(path).absolute()) if path else None


def _absolutes(*groups: tuple[str, ...]) -> tuple[str, ...]:
    """Every path once, in full."""
    return tuple(dict.fromkeys(str(Path(path).absolute()) for group in groups for path in group))
