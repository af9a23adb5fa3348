"""Tools in Python: functions, by name or as objects, and tools of LangChain's."""

from __future__ import annotations

import asyncio
import functools
import importlib
import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

from flowc.compiler.ir import Effect
from typing_extensions import TypeIs

from ..context import EFFECT_KEY
from ..errors import Failure, RunError, describe_exception
from ..services import Json, ToolSchema
from .own_sources import add_sources

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

_KEY = "idempotency_key"
_PASSING = (KeyboardInterrupt, GeneratorExit, asyncio.CancelledError)


@dataclass(slots=True)
class PythonFunction:
    """A function by its name. `folder` is where modules beside the configuration are found."""

    path: str
    folder: str | None = None
    _tool: ToolObject | None = field(default=None)

    @property
    def name(self) -> str:
        return f"python:{self.path}"

    async def open(self) -> tuple[ToolSchema, ...]:
        """Import the module. Raise `RunError` when that fails or the function cannot be a tool."""
        self._tool = ToolObject(import_function(self.path, self.folder, "tools"), self.path)
        return await self._tool.open()

    async def call(self, tool: str, args: dict[str, Any]) -> Json:
        """Return what the function returns. Raise `Failure` with what it raised."""
        assert self._tool is not None
        return await self._tool.call(tool, args)

    async def close(self) -> None:
        """Do nothing: nothing is held."""


def import_function(path: str, folder: str | None, table: str) -> Callable[..., Any]:
    """Return the function that `module:function` names; modules may lie in `folder`. Raise
    `RunError`; `table` is where it is configured."""
    module, colon, attribute = path.partition(":")
    if not colon or not module or not attribute:
        raise RunError(
            f"`{path}` names no Python function",
            help=f"write module:function in [{table}] python",
        )
    if folder is not None:
        add_sources(folder)
    try:
        candidate = getattr(importlib.import_module(module), attribute)
    except _PASSING:
        raise
    except AttributeError:
        raise RunError(f"the module `{module}` has no `{attribute}`") from None
    except BaseException as error:
        raise RunError(
            f"the module `{module}` cannot be imported: {describe_exception(error)}"
        ) from error
    if not callable(candidate):
        raise RunError(f"`{path}` is not a function")
    function: Callable[..., Any] = candidate
    return function


class ToolObject:
    """A tool that a program holds: a function, or a tool of LangChain's, whose `metadata` may say
    what its calls do: {"effect": "pure"}. A function that is not async runs in a thread. Raise
    `RunError` when it cannot be a tool."""

    def __init__(self, value: Callable[..., Any] | BaseTool, path: str = "") -> None:
        self._path = path or str(getattr(value, "__name__", getattr(value, "name", value)))
        self._tool: BaseTool = value if _is_tool(value) else _as_tool(value, self._path)

    @property
    def name(self) -> str:
        return f"python:{self._path}"

    def schema(self) -> ToolSchema:
        """Return what a model sees of it."""
        about: Any = self._tool.tool_call_schema
        parameters = dict(about if isinstance(about, dict) else about.model_json_schema())
        for unneeded in ("title", "description"):
            parameters.pop(unneeded, None)
        effect = (self._tool.metadata or {}).get("effect", "once")
        if effect not in get_args(Effect):
            raise RunError(
                f"`{effect}` is not what a call of the tool `{self._tool.name}` can do",
                help=f"its metadata may say: {', '.join(get_args(Effect))}",
            )
        return ToolSchema(self._tool.name, self._tool.description, parameters, effect)

    async def open(self) -> tuple[ToolSchema, ...]:
        return (self.schema(),)

    async def call(self, tool: str, args: dict[str, Any]) -> Json:
        """Return what it returns. Raise `Failure` with what it raised."""
        try:
            result: Json = await self._tool.ainvoke(args)
            return result
        except _PASSING:
            raise
        except Failure:
            raise
        except BaseException as error:  # more than Exception: a panic of an extension in Rust
            raise Failure(f"`{tool}` raised {describe_exception(error)}") from error

    async def close(self) -> None:
        """Do nothing: nothing is held."""


def _is_tool(value: object) -> TypeIs[BaseTool]:
    """Return whether a value is a tool of LangChain's, which is loaded only where there is one."""
    from langchain_core.tools import BaseTool

    return isinstance(value, BaseTool)


def _as_tool(function: Callable[..., Any], path: str) -> BaseTool:
    from langchain_core.tools import StructuredTool

    name = getattr(function, "__name__", path.partition(":")[2])
    if not name.isidentifier():
        raise RunError(f"`{path}` cannot be a tool: it has no name", help="define it with `def`")
    about = inspect.getdoc(function) or name
    try:
        return StructuredTool.from_function(None, _tool_function(function), name, about)
    except (TypeError, ValueError, NameError, AttributeError) as error:
        raise RunError(
            f"`{path}` cannot be a tool: {describe_exception(error)}",
            help="every parameter needs a type that JSON can carry",
        ) from None


def _tool_function(function: Callable[..., Any]) -> Callable[..., Awaitable[Any]]:
    """Return an async function with the same parameters. It cannot end flowc: `sys.exit` in a tool
    is the tool's failure. A parameter `idempotency_key` is filled in and not shown to a model: the
    key is the same whenever the same call is made again."""
    from langchain_core.runnables.config import run_in_executor

    signature = inspect.signature(function, eval_str=False)
    keyed = _KEY in signature.parameters

    @functools.wraps(function)
    async def call_function(*args: object, **named: object) -> Any:
        if keyed:
            named[_KEY] = EFFECT_KEY.get()
        try:
            if inspect.iscoroutinefunction(function):
                return await function(*args, **named)
            return await run_in_executor(None, function, *args, **named)
        except SystemExit as leaving:
            name = getattr(function, "__name__", "it")
            text = f"`{name}` wanted to end the program ({describe_exception(leaving)})"
            raise Failure(text) from None

    if keyed:
        shown: Any = call_function
        rest = [p for name, p in signature.parameters.items() if name != _KEY]
        hints = get_type_hints(function, include_extras=True)
        shown.__signature__ = signature.replace(parameters=rest)
        shown.__annotations__ = {name: hint for name, hint in hints.items() if name != _KEY}
    return call_function
