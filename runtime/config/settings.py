"""The configuration: flag > FLOWC_* > flowc.toml or [tool.flowc] > the user's own file > default.

# flowc.toml, in the nearest folder above
model = "openai:gpt-5-mini"
env = ["CI_*", "DEPLOY_TOKEN"]       # what a workflow and its commands may see of the environment
[tools]
python = ["acme.tools:word_count"]
effects = { word_count = "pure" }
[nodes]
python = ["acme.prices:quote"]
[mcp_servers.files]
command = "npx"
args = ["-y", "some-server"]
"""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import platformdirs
from flowc.compiler.source.source import Unreadable, read_text

from ..errors import RunError
from .options import ANSWERING, KEYS, OPTIONS, Options, WrongValue, absolute, read_value, variable

FILE = "flowc.toml"
_TABLES = {table for key in KEYS for table, dot, _ in [key.partition(".")] if dot}


@dataclass(frozen=True, slots=True)
class Config(Options):
    """The configured options of a run; paths are absolute. `files` are where it came
    from, the strongest first; `folder` is that of the project's file."""

    files: tuple[str, ...] = ()
    folder: str | None = None


def load_config(start: Path, env: Mapping[str, str] | None = None) -> Config:
    """Return the configuration for a run started in the folder `start`. Raise `RunError` (exit 2)
    with file and line for an unknown key or a value that its key does not take."""
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


def project_config(start: Path) -> Config:
    """Return what the project's own file says, and nothing of this machine. Raise `RunError` as
    `load_config` does."""
    file = project_file(start)
    if file is None:
        return Config()
    config = replace(Config(), files=(str(file),), folder=str(file.parent))
    return _over(config, _read(file), str(file))


def _over(config: Config, values: dict[str, Any], source: str) -> Config:
    """Put a stronger source over a weaker one. Who answers is one choice: a model replaces answers,
    and answers replace a model."""
    chosen = [name for name in ANSWERING if name in values]
    if len(chosen) > 1:
        raise RunError(f"{source}: `{chosen[0]}` and `{chosen[1]}` exclude each other")
    if chosen:
        values = {**dict.fromkeys(ANSWERING), **values}
    return replace(config, **values)


def user_file() -> Path:
    """Return the user's own configuration file, which need not exist."""
    return Path(platformdirs.user_config_dir("flowc"), "config.toml")


def project_file(start: Path) -> Path | None:
    """Return flowc.toml, or pyproject.toml with [tool.flowc], in `start` or the nearest parent."""
    for folder in (start.absolute(), *start.absolute().parents):
        if (folder / FILE).is_file():
            return folder / FILE
        pyproject = folder / "pyproject.toml"
        if pyproject.is_file() and "flowc" in _tool_tables(pyproject):
            return pyproject
    return None


def _tool_tables(pyproject: Path) -> dict[str, Any]:
    """Return [tool] of a pyproject.toml; {} for a broken file, which other tools report."""
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
        checked = _value(key, value, file, text)
        values[KEYS[key]] = absolute(KEYS[key], checked, file.parent)
    return values


def _flat(document: dict[str, Any]) -> list[tuple[str, Any]]:
    flat: list[tuple[str, Any]] = []
    for key, value in document.items():
        if key in _TABLES and isinstance(value, dict):
            flat += [(f"{key}.{inner}", entry) for inner, entry in value.items()]
        else:
            flat.append((key, value))
    return flat


def _value(key: str, value: object, file: Path, text: str) -> Any:
    place = f"{file}:{_line(key, text)}"
    if key not in KEYS:
        close = difflib.get_close_matches(key, KEYS, n=1)
        known = ", ".join(KEYS)
        hint = f"did you mean `{close[0]}`?" if close else f"keys: {known}"
        raise RunError(f"{place}: `{key}` is not a key of the configuration", help=hint)
    try:
        return read_value(KEYS[key], value)
    except WrongValue as wrong:
        raise RunError(f"{place}: `{key}` takes {wrong}") from None


def _line(key: str, text: str) -> int:
    """Return the line on which a key stands, 1 when it is written in an unusual way. TOML readers
    give no places."""
    table, _, name = key.rpartition(".")
    current = ""
    for number, line in enumerate(text.splitlines(), start=1):
        start = line.strip()
        if start.startswith("["):
            current = start.strip("[] ").removeprefix("tool.flowc").lstrip(".")
            if current == key or current.startswith(f"{key}."):
                return number
            continue
        keys = [part.strip(" \"'") for part in start.partition("=")[0].split(".")]
        if current == table and keys[0] == name:
            return number
        if not current and keys[:2] == key.split("."):
            return number
    return 1


def _from_environment(env: Mapping[str, str]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, row in OPTIONS.items():
        if row.environment and (value := env.get(variable(name))):
            try:
                values[name] = read_value(name, value)
            except WrongValue as wrong:
                raise RunError(f"{variable(name)} takes {wrong}") from None
    return values
