"""MCP servers as they are configured: how each is started or reached."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from flowc.compiler.source.source import Unreadable, read_text

from ..errors import RunError
from ..secrets import redact

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """How a server is started (`command`) or reached (`url`); `file` is where it is configured."""

    command: str = ""
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: str | None = None
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    kind: str = "http"
    hidden: tuple[str, ...] = ()
    """Values that came from the environment: no message shows them."""

    def how(self) -> str:
        """Return how the server is started or reached, for people."""
        return self.without_secrets(self.url or " ".join((self.command, *self.args)))

    def without_secrets(self, text: str) -> str:
        """Return a text without what came from the environment."""
        return redact(text, self.hidden)


def read_servers(
    configured: Mapping[str, Any], files: tuple[str, ...]
) -> dict[str, ServerSettings]:
    """Return the servers of flowc.toml ([mcp_servers.NAME]) and of files with `mcpServers`, by
    name. A later file wins. Raise `RunError` for what cannot be read. `${NAME}` and
    `${NAME:-default}` stand for environment variables."""
    servers = named_servers("mcp_servers", configured)
    for file in files:
        entries = _json(file).get("mcpServers")
        if not isinstance(entries, dict):
            raise RunError(f"{file} has no object `mcpServers`")
        servers |= {name: _settings(f"{file}: {name}", data) for name, data in entries.items()}
    return servers


def named_servers(where: str, servers: Mapping[str, object]) -> dict[str, ServerSettings]:
    """Return the servers of a table, which stands `where`, by name. Raise `RunError`."""
    return {name: _settings(f"{where}.{name}", data) for name, data in servers.items()}


def _json(file: str) -> dict[str, Any]:
    try:
        document = json.loads(read_text(file))
    except Unreadable as error:
        raise RunError(f"MCP file `{file}` {error.reason}") from None
    except json.JSONDecodeError as error:
        where = f"{file}:{error.lineno}:{error.colno}"
        raise RunError(f"{where}: not JSON: {error.msg}") from None
    except (RecursionError, ValueError):
        raise RunError(f"{file}: nested too deeply") from None
    return document if isinstance(document, dict) else {}


def _settings(where: str, data: Any) -> ServerSettings:
    if not isinstance(data, dict):
        raise RunError(f"{where} is not an object")
    texts = {key: data.get(key) or "" for key in ("command", "url")}
    if not all(isinstance(text, str) for text in texts.values()) or not any(texts.values()):
        raise RunError(f"{where} needs a `command` or a `url`")
    args, env, headers = data.get("args", []), data.get("env", {}), data.get("headers", {})
    if not isinstance(args, list) or not all(isinstance(a, str) for a in args):
        raise RunError(f"{where}: `args` is a list of texts")
    for key, table in (("env", env), ("headers", headers)):
        if not isinstance(table, dict) or not all(isinstance(v, str) for v in table.values()):
            raise RunError(f"{where}: `{key}` is an object of texts")
    cwd, kind = data.get("cwd"), data.get("type", data.get("transport", "http"))
    return ServerSettings(
        command=_expand(texts["command"], where),
        args=tuple(_expand(arg, where) for arg in args),
        env={key: _expand(value, where) for key, value in env.items()},
        cwd=_expand(cwd, where) if isinstance(cwd, str) else None,
        url=_expand(texts["url"], where),
        headers={key: _expand(value, where) for key, value in headers.items()},
        kind="sse" if kind == "sse" else "http",
        hidden=_from_environment([*texts.values(), *args, *env.values(), *headers.values()]),
    )


def _from_environment(texts: list[str]) -> tuple[str, ...]:
    """Return the values of the variables that the texts name, longest first."""
    names = {match[1] for text in texts for match in _VARIABLE.finditer(text)}
    values = {value for name in names if (value := os.environ.get(name))}
    return tuple(sorted(values, key=len, reverse=True))


def _expand(text: str, where: str) -> str:
    def replace(match: re.Match[str]) -> str:
        name, default = match[1], match[2]
        value = os.environ.get(name, default)
        if value is None:
            raise RunError(f"{where} needs the environment variable {name}, which is not set")
        return value

    return _VARIABLE.sub(replace, text)
