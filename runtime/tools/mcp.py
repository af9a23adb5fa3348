"""MCP servers as sources of tools (extra `mcp`)."""

from __future__ import annotations

import asyncio
import os
import shutil
from dataclasses import dataclass, field
from typing import Any

from flowc.compiler.ir import Effect

from ..config.extras import require
from ..context import EFFECT_KEY
from ..errors import Failure, RunError
from ..services import Json, ToolSchema
from ..state.frames import BadFrame, read_frame
from .mcp_connections import PASSING, Connection, connection_to
from .mcp_servers import ServerSettings


@dataclass(slots=True)
class McpServer:
    """One server, whose connection all runs of the process share. It is started when its tools are
    first asked for; `start_seconds` bounds that."""

    server: str
    settings: ServerSettings
    start_seconds: float = 30.0
    _connection: Connection = field(init=False)

    def __post_init__(self) -> None:
        self._connection = connection_to(self.server, self.settings, self.start_seconds)

    @property
    def name(self) -> str:
        return f"mcp:{self.server}"

    async def require(self) -> None:
        """Raise `RunError` when the package is missing, or the program that is the server."""
        await asyncio.to_thread(require, "mcp", f"the MCP server `{self.server}`")
        settings = self.settings
        path = settings.env.get("PATH")
        is_looked_for = settings.command and os.sep not in settings.command
        if is_looked_for and not await asyncio.to_thread(shutil.which, settings.command, path=path):
            raise RunError(
                f"the MCP server `{self.server}` cannot be reached: there is no program"
                f" `{settings.without_secrets(settings.command)}`",
                help=f"it is started with: {settings.how()}",
            )

    async def open(self) -> tuple[ToolSchema, ...]:
        """Return its tools. Raise `RunError` with what the server said."""
        await self.require()
        return tuple(_schema(tool) for tool in await self._connection.tools())

    async def call(self, tool: str, args: dict[str, Any]) -> Json:
        """Return the structured content when there is one, else JSON in the text, else the text."""
        try:
            # The same key whenever the same call is made again.
            meta = {"flowc/idempotency-key": key} if (key := EFFECT_KEY.get()) else None
            result = await self._connection.call(tool, args, meta)
        except PASSING:
            raise
        except TimeoutError:
            raise Failure(
                f"`{tool}` of the MCP server `{self.server}` took too long", "timeout"
            ) from None
        except RunError as error:
            raise Failure(error.message, help=error.help) from error
        except BaseException as error:
            reason = self._connection.reason(error)
            raise Failure(f"the MCP server `{self.server}` failed in `{tool}`: {reason}") from error
        text = _text(result.content)
        if result.is_error:
            raise Failure(text or f"`{tool}` failed without a word")
        return _unwrap(result.structured_content, text)

    async def close(self) -> None:
        """Do nothing: the connection is the process's."""


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
        value = read_frame(text)
    except BadFrame:
        return text
    return value if isinstance(value, dict | list) else text
