"""Secrets that a project's settings hold word for word: a compiled project, which is copied and
made an image of, takes none along."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from ..config.options import OPTIONS, variable
from ..config.settings import Config
from ..errors import RunError
from ..secrets import looks_secret

_STANDS_FOR = "${"
"""What begins the name of a variable in the settings of an MCP server."""


def require_no_secrets(config: Config, servers: Mapping[str, Mapping[str, Any]]) -> None:
    """Raise `RunError` that names the key where the settings, or those of MCP `servers` by name,
    hold a secret itself and not the name of a variable."""
    for place, name in _in_servers(servers):
        raise RunError(
            f"{place} is a secret, which would be copied into the project",
            help=f"write `${{{name}}}` in its place, and set that variable where the project runs",
        )
    for name, row in OPTIONS.items():
        value = getattr(config, name)
        if isinstance(value, str) and "://" in value and _in_address(value):
            raise RunError(
                f"`{row.key or name}` of {config.files[0]} has a secret in its address, which"
                " would be copied into the project",
                help=f"leave it out there, and set {variable(name)} where the project runs",
            )


def _in_servers(servers: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """Yield the place of each secret, and the name of a variable for it."""
    for server, about in servers.items():
        for table in ("env", "headers"):
            given = about.get(table)
            for name, value in given.items() if isinstance(given, dict) else ():
                if looks_secret(name) and _is_written(value):
                    yield f"`{table}.{name}` of the MCP server {server}", _variable(name)
        url = about.get("url")
        if isinstance(url, str) and _is_written(url) and _in_address(url):
            yield f"in `url` of the MCP server {server} there", _variable(f"{server}_token")
        yield from _in_arguments(server, about.get("args"))


def _in_arguments(server: str, args: object) -> Iterator[tuple[str, str]]:
    words = [word for word in args if isinstance(word, str)] if isinstance(args, list) else []
    for word, following in pairwise([*words, ""]):
        flag, equals, value = word.partition("=")
        given = value if equals else "" if following.startswith("-") else following
        if flag.startswith("-") and looks_secret(_variable(flag)) and _is_written(given):
            yield f"what follows `{flag}` in `args` of the MCP server {server}", _variable(flag)


def _in_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return bool(parts.password) or any(looks_secret(key) for key, _ in parse_qsl(parts.query))
    except ValueError:  # a run says what is wrong with it
        return False


def _is_written(value: object) -> bool:
    return isinstance(value, str) and value != "" and _STANDS_FOR not in value


def _variable(name: str) -> str:
    """Return a name in the form of variables."""
    return re.sub(r"[^A-Z0-9]+", "_", name.upper()).strip("_")
