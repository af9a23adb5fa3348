"""The tools of one run: every source opened once, arguments checked before each call."""

from __future__ import annotations

import asyncio
import difflib
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from flowc.compiler.ir import Effect

from ..config.options import default
from ..errors import Failure, RunError, one_line
from ..services import Json, ToolSchema
from ..state.schemas import BrokenSchema, misfits
from ..values import storable_value
from .source import DistantSource, ToolSource


@dataclass(slots=True)
class ToolBox:
    """`services.Tools` over several sources. `needed` are the tools that the workflow names;
    `effects` overrides what a source says of its tools; `seconds` bounds each call; `locked` are
    tools of which the lock says what they are, and which source has them."""

    sources: tuple[ToolSource, ...]
    needed: tuple[str, ...] = ()
    effects: dict[str, Effect] = field(default_factory=dict)
    seconds: float = default("tool_timeout")
    locked: tuple[ToolSchema, ...] = ()
    _tools: dict[str, tuple[ToolSource, ToolSchema]] = field(default_factory=dict)
    _opened: list[ToolSource] = field(default_factory=list)
    _is_open: bool = False
    _opening: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def open(self) -> None:
        """Open the sources at hand in order, until everything that is needed is there. What only a
        distant source may have is looked for when it is first asked for. Raise `RunError` for a
        source that fails or never could be opened, a name that two sources claim, and a tool that
        nothing provides."""
        self._is_open = True
        distant = {s.name: s for s in self.sources if isinstance(s, DistantSource)}
        await self._open_until(set(self.needed), [s for s in self.sources if s.name not in distant])
        missing = [name for name in self.needed if name not in self._tools]
        for tool in (tool for tool in self.locked if tool.name in missing):
            if tool.source in distant:
                await distant[tool.source].require()
                self._add(distant[tool.source], tool)
                missing.remove(tool.name)
        if missing and not distant:
            known = tuple(self._tools)
            await self.close()
            raise _unknown(missing, known)
        for source in distant.values() if missing else ():
            await source.require()

    async def open_all(self) -> tuple[ToolSchema, ...]:
        """Open every source; all tools, by name. For `flowc tools`."""
        self._is_open = True
        await self._open_until(None, self.sources)
        return tuple(self._tools[name][1] for name in sorted(self._tools))

    async def _open_until(self, needed: set[str] | None, sources: Iterable[ToolSource]) -> None:
        """Open sources until these tools are there; None opens all."""
        try:
            for source in sources:
                if needed is not None and self._opened and needed <= self._tools.keys():
                    break
                if source not in self._opened:
                    await self._open(source)
        except BaseException:
            await self.close()
            raise

    async def _open(self, source: ToolSource) -> None:
        self._opened.append(source)
        for tool in await source.open():
            self._add(source, tool)

    def _add(self, source: ToolSource, tool: ToolSchema) -> None:
        other = self._tools.get(tool.name, (source, tool))[0]
        if other is not source:
            raise RunError(
                f"the tool `{tool.name}` comes from both {other.name} and {source.name}",
                help="leave one of the sources out of the configuration",
            )
        effect = self.effects.get(tool.name, tool.effect)
        described = (tool.name, tool.description, tool.parameters, effect, source.name)
        self._tools[tool.name] = (source, ToolSchema(*described))

    async def schema(self, name: str) -> ToolSchema | None:
        """Return what a model sees of a tool; None when nothing provides it. Raise `Failure` for a
        source that cannot be opened."""
        if name in self.needed:
            await self._look_for(name)
        return self._tools[name][1] if name in self._tools else None

    async def _look_for(self, name: str) -> None:
        """Open sources until the tool is there. Raise `Failure` for one that cannot be opened."""
        async with self._opening:
            for source in self.sources if self._is_open else ():
                if name in self._tools:
                    return
                if source not in self._opened:
                    try:
                        await self._open(source)
                    except RunError as error:
                        self._opened.remove(source)
                        raise Failure(error.message, help=error.help) from error

    async def call(self, name: str, args: dict[str, Json]) -> Json:
        """Return a JSON value. Raise `Failure`: unknown tool, arguments that do not fit, or the
        tool's own."""
        await self._look_for(name)
        if name not in self._tools:
            error = _unknown([name], tuple(self._tools))
            raise Failure(error.message, help=error.help)
        source, schema = self._tools[name]
        await asyncio.to_thread(check_arguments, schema, args)  # which may load meta-schemas
        try:
            async with asyncio.timeout(self.seconds):
                return as_json(await source.call(name, args), name)
        except TimeoutError:
            raise Failure(f"`{name}` took more than {self.seconds:g} s", "timeout") from None

    async def close(self) -> None:
        """Close what was opened, the last one first. May be called twice."""
        self._is_open = False
        self._tools.clear()
        while self._opened:
            await self._opened.pop().close()


def check_arguments(schema: ToolSchema, args: dict[str, Json]) -> None:
    """Raise `Failure` that says which argument does not fit and how, for the model to read."""
    try:
        wrong = misfits(schema.parameters, args)
    except BrokenSchema as broken:
        raise Failure(f"the schema of `{schema.name}` is broken: {broken}") from None
    if wrong:
        raise Failure(f"arguments of `{schema.name}`: {wrong}")


def as_json(value: Any, name: str) -> Json:
    """Return the value as JSON would give it back. Raise `Failure` for what is not a JSON value."""
    try:
        return storable_value(json.loads(json.dumps(value, allow_nan=False)))
    except (TypeError, ValueError, RecursionError) as error:
        raise Failure(f"`{name}` gave no JSON value: {one_line(error)}") from None


def _unknown(missing: list[str], known: tuple[str, ...]) -> RunError:
    names = ", ".join(f"`{name}`" for name in missing)
    close = [match for name in missing for match in difflib.get_close_matches(name, known, n=1)]
    hint = f"did you mean `{close[0]}`? " if close else ""
    what = "tool" if len(missing) == 1 else "tools"
    return RunError(
        f"nothing provides the {what} {names}",
        help=f"{hint}`flowc tools list` shows what there is",
    )
