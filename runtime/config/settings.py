"""The configuration: flag > FLOWC_* > flowc.toml or [tool.flowc] > the user's own file > default.

# flowc.toml, in the nearest folder above
model = "openai:gpt-5-mini"
env = ["CI_*", "DEPLOY_TOKEN"]       # what a workflow and its commands may see of the environment
[tools]
python = ["acme.tools:word_count"]
effects = { word_count = "pure" }
[mcp_servers.files]
command = "npx"
args = ["-y", "some-server"]
"""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, get_args

import platformdirs
from flowc.compiler.ir import Effect
from flowc.compiler.source.source import Unreadable, read_text

from ..errors import RunError
from .prices import SetPrice, read_dollars

FILE = "flowc.toml"


@dataclass(frozen=True, slots=True)
class Config:
    """What is configured; None and () where nothing is. Paths are absolute. `files` are where it
    came from, the strongest first; `folder` is that of the project's file."""

    files: tuple[str, ...] = ()
    folder: str | None = None
    model: str | None = None
    base_url: str | None = None
    answers: str | None = None
    store: str | None = None
    env: tuple[str, ...] = ()
    roots: tuple[str, ...] = ()
    workspace: str | None = None
    network: bool = False
    sandbox: str | None = None
    workflows: tuple[str, ...] = ()
    max_steps: int | None = None
    max_model_turns: int | None = None
    max_tokens: int | None = None
    max_cost: str | None = None
    max_output_tokens: int | None = None
    prices: Mapping[str, SetPrice] = field(default_factory=dict)
    timeout: float | None = None
    model_timeout: float | None = None
    tool_timeout: float | None = None
    command_timeout: float | None = None
    command_silence: float | None = None
    script_timeout: float | None = None
    on_unknown: str | None = None
    python_tools: tuple[str, ...] = ()
    effects: Mapping[str, Effect] = field(default_factory=dict)
    mcp: tuple[str, ...] = ()
    mcp_servers: Mapping[str, Any] = field(default_factory=dict)


class _Wrong(Exception):
    """A value that its key does not take; the text says what it takes."""


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise _Wrong("a text")
    return value


def _whole(value: Any) -> int:
    if isinstance(value, str) and value.isdigit() and len(value) < 10:
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise _Wrong("a whole number, 1 or more")
    return value


def _seconds(value: Any) -> float:
    try:
        seconds = float(value)
    except (TypeError, ValueError):
        raise _Wrong("seconds, more than 0") from None
    if isinstance(value, bool) or not 0 < seconds < 1e9:
        raise _Wrong("seconds, more than 0")
    return seconds


def _dollars(value: Any) -> str:
    """As text: a number of TOML's is not what was written once it is added up."""
    try:
        amount = read_dollars(value)
    except ValueError:
        raise _Wrong("dollars, more than 0") from None
    if not amount:
        raise _Wrong("dollars, more than 0")
    return str(amount)


def _prices(value: Any) -> dict[str, SetPrice]:
    wrong = _Wrong(
        'tables like [prices."openai:gpt-5-mini"] with input, output and, if there is one, '
        "cached_input: dollars per million tokens"
    )
    if not isinstance(value, dict):
        raise wrong
    found: dict[str, SetPrice] = {}
    for model, price in value.items():
        names = price.keys() if isinstance(price, dict) else set()
        if not {"input", "output"} <= names <= {"input", "output", "cached_input"}:
            raise wrong
        try:
            found[model] = SetPrice(**{name: read_dollars(price[name]) for name in names})
        except ValueError:
            raise wrong from None
    return found


def _texts(value: Any) -> tuple[str, ...]:
    values = [value] if isinstance(value, str) else value
    if not isinstance(values, list) or not all(isinstance(v, str) and v for v in values):
        raise _Wrong("a list of texts")
    return tuple(values)


def _unknown(value: Any) -> str:
    if value not in ("ask", "repeat", "fail"):
        raise _Wrong("ask, repeat or fail")
    return str(value)


def _switch(value: Any) -> bool:
    if value in (True, "true"):
        return True
    if value in (False, "false"):
        return False
    raise _Wrong("true or false")


def _sandbox(value: Any) -> str:
    """`off` is no value: whoever wants it types it with each run."""
    if value not in ("auto", "strict"):
        raise _Wrong("auto or strict (`off` counts only when it is typed: --sandbox off)")
    return str(value)


def _effects(value: Any) -> dict[str, Effect]:
    known = get_args(Effect)
    if not isinstance(value, dict) or not all(effect in known for effect in value.values()):
        raise _Wrong(f"a table of tool = {' | '.join(known)}")
    return dict(value)


def _table(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _Wrong("a table")
    return dict(value)


KEYS: dict[str, Callable[[Any], Any]] = {
    "model": _text,
    "base_url": _text,
    "answers": _text,
    "store": _text,
    "env": _texts,
    "roots": _texts,
    "workspace": _text,
    "network": _switch,
    "sandbox": _sandbox,
    "workflows": _texts,
    "max_steps": _whole,
    "max_model_turns": _whole,
    "max_tokens": _whole,
    "max_cost": _dollars,
    "max_output_tokens": _whole,
    "prices": _prices,
    "timeout": _seconds,
    "model_timeout": _seconds,
    "tool_timeout": _seconds,
    "command_timeout": _seconds,
    "script_timeout": _seconds,
    "command_silence": _seconds,
    "on_unknown": _unknown,
    "mcp": _texts,
    "mcp_servers": _table,
    "tools.python": _texts,
    "tools.effects": _effects,
}
"""Every key of a configuration file and what it takes; `tools.` keys stand in [tools]."""

_PATHS = ("roots", "workflows", "mcp")
_FROM_ENVIRONMENT = (
    "model", "base_url", "answers", "store", "max_steps", "max_model_turns", "timeout",
    "max_tokens", "max_cost", "max_output_tokens",
    "model_timeout", "tool_timeout", "command_timeout", "command_silence",
    "script_timeout", "on_unknown", "sandbox",
)  # fmt: skip
_FIELDS = {"tools.python": "python_tools", "tools.effects": "effects"}


def load_config(start: Path, env: Mapping[str, str] | None = None) -> Config:
    """The configuration for a run started in the folder `start`. Raises `RunError` (exit 2) with
    file and line for an unknown key or a value that its key does not take."""
    config = Config()
    project = project_file(start)
    for file in (user_file(), project):
        if file is not None and file.is_file():
            values = _read(file)
            config = _over(config, values, str(file))
            config = replace(config, files=(str(file), *config.files))
    if project is not None:
        config = replace(config, folder=str(project.parent))
    values = _from_environment(os.environ if env is None else env)
    return _over(config, values, "the environment")


def _over(config: Config, values: dict[str, Any], source: str) -> Config:
    """A stronger source over a weaker one. Who answers is one choice: a model takes the place of
    answers, and answers that of a model."""
    if "model" in values and "answers" in values:
        raise RunError(f"{source}: `model` and `answers` exclude each other")
    if "model" in values or "answers" in values:
        config = replace(config, model=None, answers=None)
    return replace(config, **values)


def user_file() -> Path:
    """The user's own configuration file, which need not exist."""
    return Path(platformdirs.user_config_dir("flowc"), "config.toml")


def project_file(start: Path) -> Path | None:
    """flowc.toml, or a pyproject.toml with [tool.flowc], in `start` or the nearest parent."""
    for folder in (start.absolute(), *start.absolute().parents):
        if (folder / FILE).is_file():
            return folder / FILE
        pyproject = folder / "pyproject.toml"
        if pyproject.is_file() and "flowc" in _tool_tables(pyproject):
            return pyproject
    return None


def _tool_tables(pyproject: Path) -> dict[str, Any]:
    """[tool] of a pyproject.toml; one that is broken is not ours to complain about."""
    try:
        tool = tomllib.loads(read_text(str(pyproject))).get("tool", {})
    except (Unreadable, tomllib.TOMLDecodeError, RecursionError):
        return {}
    return tool if isinstance(tool, dict) else {}


def _read(file: Path) -> dict[str, Any]:
    try:
        text = read_text(str(file))
        document = tomllib.loads(text)
    except Unreadable as error:
        raise RunError(f"`{file}` {error.reason}") from None
    except tomllib.TOMLDecodeError as error:
        raise RunError(f"{file}: not valid TOML: {error}") from None
    except RecursionError:
        raise RunError(f"{file}: nested too deeply") from None
    if file.name == "pyproject.toml":
        document = document["tool"]["flowc"]
    if not isinstance(document, dict):
        raise RunError(f"{file}: [tool.flowc] is not a table")
    values: dict[str, Any] = {}
    for key, value in _flat(document):
        values[_FIELDS.get(key, key)] = _value(key, value, file, text)
    for key in _PATHS:
        if key in values:
            values[key] = tuple(str(file.parent / path) for path in values[key])
    for key in ("answers", "store", "workspace"):
        if key in values:
            values[key] = _path_or_url(values[key], file.parent)
    return values


def _path_or_url(value: str, folder: Path) -> str:
    """A path counts from the configuration's folder; `memory:` and `scheme://` stay."""
    return value if value == "memory:" or "://" in value else str(folder / value)


def _flat(document: dict[str, Any]) -> list[tuple[str, Any]]:
    inner = document.get("tools")
    if not isinstance(inner, dict):
        return list(document.items())
    outer = [(key, value) for key, value in document.items() if key != "tools"]
    return outer + [(f"tools.{key}", value) for key, value in inner.items()]


def _value(key: str, value: Any, file: Path, text: str) -> Any:
    place = f"{file}:{_line(key, text)}"
    if key not in KEYS:
        close = difflib.get_close_matches(key, KEYS, n=1)
        known = ", ".join(KEYS)
        hint = f"did you mean `{close[0]}`?" if close else f"keys: {known}"
        raise RunError(f"{place}: `{key}` is no key of the configuration", help=hint)
    try:
        return KEYS[key](value)
    except _Wrong as wrong:
        raise RunError(f"{place}: `{key}` takes {wrong}") from None


def _line(key: str, text: str) -> int:
    """The line on which a key stands, 1 when it is written in an unusual way. TOML readers give no
    places."""
    table, _, name = key.rpartition(".")
    current = ""
    for number, line in enumerate(text.splitlines(), start=1):
        start = line.strip()
        if start.startswith("["):
            current = start.strip("[] ").removeprefix("tool.flowc").lstrip(".")
            if current == key or current.startswith(f"{key}."):
                return number
            continue
        written = [part.strip(" \"'") for part in start.partition("=")[0].split(".")]
        if current == table and written[0] == name:
            return number
        if not current and written[:2] == key.split("."):
            return number
    return 1


def _from_environment(env: Mapping[str, str]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for key in _FROM_ENVIRONMENT:
        variable = f"FLOWC_{key.upper()}"
        if value := env.get(variable):
            try:
                values[key] = KEYS[key](value)
            except _Wrong as wrong:
                raise RunError(f"{variable} takes {wrong}") from None
    return values
