"""MCP servers as sources of tools: one session per run (extra `mcp`)."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from flowc.compiler.ir import Effect
from flowc.compiler.source.source import Unreadable, read_text

from ..config.extras import missing
from ..context import EFFECT_KEY
from ..errors import Failure, RunError, one_line
from ..files.tempdirs import Room, make_room
from ..secrets import redact
from ..services import Json, ToolSchema

_PASSING = (KeyboardInterrupt, SystemExit, GeneratorExit, asyncio.CancelledError)
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")
_LOG = "stderr"


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


def read_servers(
    configured: Mapping[str, Any], files: tuple[str, ...]
) -> dict[str, ServerSettings]:
    """Return the servers of flowc.toml ([mcp_servers.NAME]) and of files with `mcpServers`, by
    name. A later file wins. Raise `RunError` for what cannot be read. `${NAME}` and
    `${NAME:-default}` stand for environment variables."""
    servers = {name: _settings(f"mcp_servers.{name}", data) for name, data in configured.items()}
    for file in files:
        entries = _json(file).get("mcpServers")
        if not isinstance(entries, dict):
            raise RunError(f"{file} has no object `mcpServers`")
        servers |= {name: _settings(f"{file}: {name}", data) for name, data in entries.items()}
    return servers


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


@dataclass(slots=True)
class McpServer:
    """One server, connected from `open` to `close`. `start_seconds` bounds the connection."""

    server: str
    settings: ServerSettings
    start_seconds: float = 30.0
    _client: Any = None
    _room: Room | None = None
    """Holds the server's standard error."""

    @property
    def name(self) -> str:
        return f"mcp:{self.server}"

    async def open(self) -> tuple[ToolSchema, ...]:
        """Connect and list the tools. Raise `RunError` with what the server said."""
        try:
            from fastmcp import Client
        except ImportError:
            raise missing("mcp", f"the MCP server `{self.server}`") from None
        try:
            async with asyncio.timeout(self.start_seconds):
                # Nobody answers a server's questions in the middle of a call.
                client: Any = Client(self._transport())
                self._client = await client.__aenter__()
                tools = await self._client.list_tools()
        except _PASSING:
            raise
        except BaseException as error:  # the session's task group raises BaseExceptionGroup
            reason = self._describe(error)
            await self.close()
            raise RunError(
                f"the MCP server `{self.server}` cannot be reached: {reason}",
                help=f"it is started with: {self._how()}",
            ) from error
        return tuple(_schema(tool) for tool in tools)

    async def call(self, tool: str, args: dict[str, Any]) -> Json:
        """Return the structured content when there is one, else JSON in the text, else the text."""
        try:
            # The same key whenever the same call is made again.
            meta = {"flowc/idempotency-key": key} if (key := EFFECT_KEY.get()) else None
            result = await self._client.call_tool(tool, args, raise_on_error=False, meta=meta)
        except _PASSING:
            raise
        except TimeoutError:
            raise Failure(
                f"`{tool}` of the MCP server `{self.server}` took too long", "timeout"
            ) from None
        except BaseException as error:
            raise Failure(
                f"the MCP server `{self.server}` failed in `{tool}`: {self._describe(error)}"
            ) from error
        text = _text(result.content)
        if result.is_error:
            raise Failure(text or f"`{tool}` failed without a word")
        return _unwrap(result.structured_content, text)

    async def close(self) -> None:
        """End the session and the server's process. May be called twice."""
        client, self._client = self._client, None
        room, self._room = self._room, None
        try:
            if client is not None:
                await client.__aexit__(None, None, None)
        except _PASSING:
            raise
        except (OSError, RuntimeError, ExceptionGroup):
            # It is gone already, which is what we want.
            pass
        finally:
            if room is not None:
                room.remove()

    def _transport(self) -> Any:
        from fastmcp.client.transports import (
            SSETransport,
            StdioTransport,
            StreamableHttpTransport,
        )

        settings = self.settings
        if settings.url:
            remote = SSETransport if settings.kind == "sse" else StreamableHttpTransport
            return remote(settings.url, headers=dict(settings.headers))
        self._room = make_room()
        return StdioTransport(
            settings.command, list(settings.args), env=dict(settings.env), cwd=settings.cwd,
            keep_alive=False, log_file=self._room.folder / _LOG,
        )  # fmt: skip

    def _describe(self, error: BaseException) -> str:
        """Return the error, and the last thing the server wrote to its standard error."""
        text = one_line(error) or type(error).__name__
        if isinstance(error, TimeoutError):
            text = f"no answer within {self.start_seconds:g} s"
        lines: list[str] = []
        if self._room is not None:
            with contextlib.suppress(OSError):
                lines = (
                    (self._room.folder / _LOG).read_text("utf-8", "replace").strip().splitlines()
                )
        detail = f"{text} ({lines[-1][:300]})" if lines else text
        return redact(detail, self.settings.hidden)

    def _how(self) -> str:
        how = self.settings.url or " ".join((self.settings.command, *self.settings.args))
        return redact(how, self.settings.hidden)


def _schema(tool: Any) -> ToolSchema:
    return ToolSchema(
        tool.name, tool.description or "", dict(tool.input_schema), _effect(tool.annotations)
    )


def _effect(annotations: Any) -> Effect:
    """Return what the server says of a tool's effect; without a word it acts once."""
    if getattr(annotations, "read_only_hint", None):
        return "pure"
    return "idempotent" if getattr(annotations, "idempotent_hint", None) else "once"


def _text(content: list[Any]) -> str:
    parts = [
        block.text if getattr(block, "type", "") == "text" else f"[{getattr(block, 'type', '?')}]"
        for block in content
    ]
    return "\n".join(parts)


def _unwrap(structured: Any, text: str) -> Json:
    if isinstance(structured, dict):
        # A server wraps a value that is not an object.
        return structured["result"] if structured.keys() == {"result"} else structured
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, dict | list) else text
