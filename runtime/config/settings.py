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
from .ceilings import within_ceilings
from .code_files import OwnCode
from .folder_wants import asks, folder_wants
from .options import (
    ANSWERING,
    KEYS,
    OPTIONS,
    Options,
    WrongValue,
    absolute,
    read_value,
    variable,
)
from .trust_record import TrustRecord
from .wants import Wants

FILE = "flowc.toml"
_TABLES = {table for key in KEYS for table, dot, _ in [key.partition(".")] if dot}


@dataclass(frozen=True, slots=True)
class Config(Options):
    """The configured options of a run; paths are absolute. `files` are where it came
    from, the strongest first; `folder` is that of the project's file, `code` where its functions
    lie: what the user's own file names is not looked for in a project."""

    files: tuple[str, ...] = ()
    folder: str | None = None
    code: OwnCode | None = None
    held: HeldBack | None = None
    """What the project's file wants and nobody granted; the rest stands here."""


@dataclass(frozen=True, slots=True)
class HeldBack:
    """What is held back until somebody grants it: `wants` is what to ask, `whole` the configuration
    with it."""

    wants: Wants
    whole: Config


def load_config(start: Path, env: Mapping[str, str] | None = None) -> Config:
    """Return the configuration for a run started in the folder `start`. What its file grants counts
    as far as the user trusts the folder; the rest is `held`. Raise `RunError` (exit 2) with file
    and line for an unknown key or a value that its key does not take."""
    variables = _from_environment(os.environ if env is None else env)
    user, project = user_file(), project_file(start)
    own = _with(Config(), _read(user)) if user.is_file() else Config()
    if project is None:
        return _over(own, variables, "the environment")
    read = _within(own, _read(project))
    own = replace(own, folder=str(project.parent))
    whole = replace(_over(_with(own, read), variables, "the environment"), code=_code_of(read))
    if not read.asking or TrustRecord.read().is_mine(str(project.parent)):
        return whole
    wants = folder_wants(project.parent, read.asking, _with(Config(), read))
    whole = replace(whole, code=whole.code and replace(whole.code, files=wants.files))
    if TrustRecord.read().trusts(wants):
        return whole
    bare = _over(_with(own, read.without_asking()), variables, "the environment")
    return replace(bare, held=HeldBack(wants, whole))


def _within(own: Config, read: _FromFile) -> _FromFile:
    """Return what a project's file says, held to the user's own limits where the folder is not the
    user's own."""
    held = within_ceilings(own, read.values)
    if held == read.values or TrustRecord.read().is_mine(str(read.file.parent)):
        return read
    return replace(read, values=held)


def _code_of(read: _FromFile) -> OwnCode | None:
    names = ("python_tools", "python_nodes")
    return OwnCode(str(read.file.parent)) if any(map(read.values.get, names)) else None


def project_wants(start: Path) -> Wants:
    """Return what the project's file wants, granted or not. Raise `RunError` as `load_config`
    does."""
    project = project_file(start)
    if project is None:
        return Wants(str(start.absolute()))
    read = _read(project)
    return folder_wants(project.parent, read.asking, _with(Config(), read))


def project_config(start: Path) -> Config:
    """Return what the project's own file says, and nothing of this machine. Raise `RunError` as
    `load_config` does."""
    file = project_file(start)
    if file is None:
        return Config()
    return _with(Config(folder=str(file.parent)), _read(file))


@dataclass(frozen=True, slots=True)
class _FromFile:
    """The options that a file says; `asking` are those that grant something, by key, as they are
    written."""

    file: Path
    values: dict[str, Any]
    asking: dict[str, Any]

    def without_asking(self) -> _FromFile:
        names = {KEYS[key] for key in self.asking}
        values = {name: value for name, value in self.values.items() if name not in names}
        return _FromFile(self.file, values, {})


def _with(config: Config, read: _FromFile) -> Config:
    stronger = _over(config, read.values, str(read.file))
    return replace(stronger, files=(str(read.file), *config.files))


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


def home_of(file: Path) -> Path:
    """Return the folder in whose name a workflow wants something: its project's, else its own."""
    project = project_file(file.parent)
    return project.parent if project is not None else file.parent


def _tool_tables(pyproject: Path) -> dict[str, Any]:
    """Return [tool] of a pyproject.toml; {} for a broken file, which other tools report."""
    try:
        tool = tomllib.loads(read_text(str(pyproject))).get("tool", {})
    except (Unreadable, ValueError, RecursionError):
        return {}
    return tool if isinstance(tool, dict) else {}


def _read(file: Path) -> _FromFile:
    try:
        text = read_text(str(file))
        document = tomllib.loads(text)
    except Unreadable as error:
        raise RunError(f"`{file}` {error.reason}") from None
    except tomllib.TOMLDecodeError as error:
        raise RunError(f"{file}: not valid TOML: {error}") from None
    except ValueError:
        raise RunError(f"{file}: a number has more digits than can be read") from None
    except RecursionError:
        raise RunError(f"{file}: nested too deeply") from None
    if file.name == "pyproject.toml":
        document = document["tool"]["flowc"]
    if not isinstance(document, dict):
        raise RunError(f"{file}: [tool.flowc] is not a table")
    values: dict[str, Any] = {}
    asking: dict[str, Any] = {}
    for key, value in _flat(document):
        checked = _value(key, value, file, text)
        values[KEYS[key]] = absolute(KEYS[key], checked, file.parent)
        if checked and asks(KEYS[key], values[KEYS[key]], file.parent):
            asking[key] = value
    return _FromFile(file, values, asking)


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
