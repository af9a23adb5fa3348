"""Python functions as tools: `module:function`, the schema from the signature."""

from __future__ import annotations

import asyncio
import functools
import importlib
import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, get_type_hints

from ..context import EFFECT_KEY
from ..errors import Failure, RunError
from ..services import Json, ToolSchema

if TYPE_CHECKING:
    from langchain_core.tools import StructuredTool

_KEY = "idempotency_key"
_PASSING = (KeyboardInterrupt, GeneratorExit, asyncio.CancelledError)


@dataclass(slots=True)
class PythonFunction:
    """One function. `folder` is where modules beside the configuration are found. A function that
    is not async runs in a thread."""

    path: str
    folder: str | None = None
    _tool: StructuredTool | None = field(default=None)

    @property
    def name(self) -> str:
        return f"python:{self.path}"

    async def open(self) -> tuple[ToolSchema, ...]:
        """Import the module. Raises `RunError` when that fails or the function cannot be a tool."""
        self._tool = self._as_tool(self._function())
        schema: Any = self._tool.tool_call_schema
        parameters = schema if isinstance(schema, dict) else schema.model_json_schema()
        for unneeded in ("title", "description"):
            parameters.pop(unneeded, None)
        return (ToolSchema(self._tool.name, self._tool.description, parameters, "once"),)

    async def call(self, tool: str, args: dict[str, Any]) -> Json:
        """Return what the function returns. Raises `Failure` with what it raised."""
        assert self._tool is not None
        try:
            result: Json = await self._tool.ainvoke(args)
            return result
        except _PASSING:
            raise
        except Failure:
            raise
        except BaseException as error:
            raise Failure(f"`{tool}` raised {_describe(error)}") from error

    async def close(self) -> None:
        """Do nothing: nothing is held."""

    def _function(self) -> Callable[..., Any]:
        module, colon, attribute = self.path.partition(":")
        if not colon or not module or not attribute:
            raise RunError(
                f"`{self.path}` names no Python tool",
                help="write module:function in [tools] python",
            )
        if self.folder is not None and self.folder not in sys.path:
            sys.path.insert(0, self.folder)
        try:
            candidate = getattr(importlib.import_module(module), attribute)
        except _PASSING:
            raise
        except AttributeError:
            raise RunError(f"the module `{module}` has no `{attribute}`") from None
        except BaseException as error:
            raise RunError(
                f"the module `{module}` cannot be imported: {_describe(error)}"
            ) from error
        if not callable(candidate):
            raise RunError(f"`{self.path}` is not a function")
        function: Callable[..., Any] = candidate
        return function

    def _as_tool(self, function: Callable[..., Any]) -> StructuredTool:
        from langchain_core.tools import StructuredTool

        name = getattr(function, "__name__", self.path.partition(":")[2])
        about = inspect.getdoc(function) or name
        waits = inspect.iscoroutinefunction(function)
        staying = _fill_key(_staying_async(function) if waits else _staying(function), function)
        func, coroutine = (None, staying) if waits else (staying, None)
        try:
            return StructuredTool.from_function(func, coroutine, name, about)
        except (TypeError, ValueError, NameError, AttributeError) as error:
            raise RunError(
                f"`{self.path}` cannot be a tool: {_describe(error)}",
                help="every parameter needs a type that JSON can carry",
            ) from None


def _staying(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function such that it cannot end flowc: `sys.exit` in a tool is the tool's
    failure."""

    @functools.wraps(function)
    def staying(*args: object, **named: object) -> Any:
        try:
            return function(*args, **named)
        except SystemExit as leaving:
            raise Failure(_left(function, leaving)) from None

    return staying


def _staying_async(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the same for an async function."""

    @functools.wraps(function)
    async def staying(*args: object, **named: object) -> Any:
        try:
            return await function(*args, **named)
        except SystemExit as leaving:
            raise Failure(_left(function, leaving)) from None

    return staying


def _fill_key(staying: Callable[..., Any], function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function with its parameter `idempotency_key` filled in, if it has one: a model
    does not see it. The key is the same whenever the same call is made again."""
    signature = inspect.signature(function, eval_str=False)
    if _KEY not in signature.parameters:
        return staying

    @functools.wraps(staying)
    def call_with_key(*args: object, **named: object) -> Any:
        return staying(*args, **named, **{_KEY: EFFECT_KEY.get()})

    @functools.wraps(staying)
    async def keyed_async(*args: object, **named: object) -> Any:
        return await staying(*args, **named, **{_KEY: EFFECT_KEY.get()})

    shown: Any = keyed_async if inspect.iscoroutinefunction(function) else call_with_key
    rest = [p for name, p in signature.parameters.items() if name != _KEY]
    hints = get_type_hints(function, include_extras=True)
    shown.__signature__ = signature.replace(parameters=rest)
    shown.__annotations__ = {name: hint for name, hint in hints.items() if name != _KEY}
    return shown  # type: ignore[no-any-return]


def _left(function: Callable[..., Any], leaving: SystemExit) -> str:
    return (
        f"`{getattr(function, '__name__', 'it')}` wanted to end the program ({_describe(leaving)})"
    )


def _describe(error: BaseException) -> str:
    text = " ".join(str(error).split())[:300]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
