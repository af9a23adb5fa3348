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

from ..config.code_files import OwnCode
from ..context import EFFECT_KEY
from ..errors import Failure, RunError, describe_exception
from ..event_loops import is_cancelled
from ..services import Json, ToolSchema
from .own_sources import add_sources

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

_KEY = "idempotency_key"
_PASSING = (KeyboardInterrupt, GeneratorExit, asyncio.CancelledError)
"""What an import may raise that is not the module's failure."""


@dataclass(slots=True)
class PythonFunction:
    """A function by its name. `code` is where modules beside the configuration are found."""

    path: str
    code: OwnCode | None = None
    _tool: ToolObject | None = field(default=None)

    @property
    def name(self) -> str:
        return f"python:{self.path}"

    async def open(self) -> tuple[ToolSchema, ...]:
        """Import the module. Raise `RunError` when that fails or the function cannot be a tool."""
        self._tool = ToolObject(import_function(self.path, self.code), self.path)
        return await self._tool.open()

    async def call(self, tool: str, args: dict[str, Any]) -> Json:
        """Return what the function returns. Raise `Failure` with what it raised."""
        assert self._tool is not None
        return await self._tool.call(tool, args)

    async def close(self) -> None:
        """Do nothing: nothing is held."""


def import_function(path: str, code: OwnCode | None) -> Callable[..., Any]:
    """Return the function that `module:function` names; modules may lie in the folder of
    `code`. Raise `RunError`."""
    module, colon, attribute = path.partition(":")
    if not colon or not module or not attribute:
        raise RunError(f"`{path}` names no Python function", help="write module:function")
    if code is not None:
        add_sources(code)
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
        if lost := sorted(_needed_arguments(self._tool) - parameters.get("properties", {}).keys()):
            raise RunError(
                f"`{self._tool.name}` cannot be a tool: it needs `{lost[0]}`, which an agent of"
                " LangGraph's would give it",
                help="leave it out, or give it a default; `idempotency_key` identifies a call",
            )
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
        """Return what it returns. Raise `Failure` with what it raised; a question of LangGraph's
        `interrupt` passes."""
        from langgraph.errors import GraphBubbleUp

        try:
            result: Json = await self._tool.ainvoke(args)
            return result
        except (KeyboardInterrupt, GeneratorExit, Failure, GraphBubbleUp):
            raise
        except BaseException as error:  # more than Exception: a panic of an extension in Rust
            if isinstance(error, asyncio.CancelledError) and is_cancelled():
                raise
            raise Failure(f"`{tool}` raised {describe_exception(error)}") from error

    async def close(self) -> None:
        """Do nothing: nothing is held."""


def _is_tool(value: object) -> TypeIs[BaseTool]:
    """Return whether a value is a tool of LangChain's, which is loaded only where there is one."""
    from langchain_core.tools import BaseTool

    return isinstance(value, BaseTool)


def _needed_arguments(tool: BaseTool) -> set[str]:
    """Return the names of the arguments without which a tool cannot be called. What LangChain gives
    to every tool is not among them."""
    schema: object = None if isinstance(tool.args_schema, dict) else tool.get_input_schema()
    fields = getattr(schema, "model_fields", {})
    needed = {name for name, about in fields.items() if about.is_required()}
    function = getattr(tool, "coroutine", None) or getattr(tool, "func", None)
    for name, about in inspect.signature(function).parameters.items() if function else ():
        is_named = about.kind not in (about.VAR_POSITIONAL, about.VAR_KEYWORD)
        if is_named and about.default is about.empty and not _is_from_langchain(about):
            needed.add(name)
    return needed


def _is_from_langchain(parameter: inspect.Parameter) -> bool:
    from langchain_core.runnables import RunnableConfig

    of_config = parameter.annotation in (RunnableConfig, RunnableConfig.__name__)
    return of_config or parameter.name in ("run_manager", "callbacks")


def _as_tool(function: Callable[..., Any], path: str) -> BaseTool:
    from langchain_core.tools import StructuredTool

    if isinstance(function, type):
        made = f"{function.__name__}()"
        raise RunError(f"`{path}` cannot be a tool: it is a class", help=f"give an object: {made}")
    named = _unbound(function)
    name = getattr(named, "__name__", path.partition(":")[2])
    if not name.isidentifier():
        raise RunError(f"`{path}` cannot be a tool: it has no name", help="define it with `def`")
    about = inspect.getdoc(named) or name
    try:
        return StructuredTool.from_function(None, _tool_function(function, name), name, about)
    except (TypeError, ValueError, NameError, AttributeError) as error:
        raise RunError(
            f"`{path}` cannot be a tool: {describe_exception(error)}",
            help="every parameter needs a type that JSON can carry",
        ) from None


def _tool_function(function: Callable[..., Any], name: str) -> Callable[..., Awaitable[Any]]:
    """Return an async function with the same parameters. It cannot end flowc: `sys.exit` in a tool
    is the tool's failure. A parameter `idempotency_key` is filled in and not shown to a model, nor
    is what a partial function has already: the key is the same whenever the same call is made
    again. Raise `RunError` for parameters that cannot be given by a name."""
    from langchain_core.runnables.config import run_in_executor

    signature = inspect.signature(function, eval_str=False)
    _refuse_nameless(signature, name)
    keyed = _KEY in signature.parameters
    is_partial = isinstance(function, functools.partial)
    bound = function.keywords if isinstance(function, functools.partial) else {}
    is_async = inspect.iscoroutinefunction(function)

    @functools.wraps(function)
    async def call_function(*args: object, **named: object) -> Any:
        if keyed:
            named[_KEY] = EFFECT_KEY.get()
        try:
            if is_async:
                return await function(*args, **named)
            return await run_in_executor(None, function, *args, **named)
        except SystemExit as leaving:
            text = f"`{name}` wanted to end the program ({describe_exception(leaving)})"
            raise Failure(text) from None

    if keyed or is_partial:
        shown: Any = call_function
        hidden = {_KEY, *bound}
        rest = [p for name, p in signature.parameters.items() if name not in hidden]
        hints = get_type_hints(_unbound(function), include_extras=True)
        shown.__signature__ = signature.replace(parameters=rest)
        shown.__annotations__ = {n: h for n, h in hints.items() if n in {p.name for p in rest}}
        shown.__name__, shown.__qualname__ = name, name
    return call_function


def _unbound(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function that a partial one calls, or the function itself."""
    return _unbound(function.func) if isinstance(function, functools.partial) else function


def _refuse_nameless(signature: inspect.Signature, name: str) -> None:
    """Raise `RunError` for parameters that a call, whose arguments have names, cannot fill."""
    for each in signature.parameters.values():
        is_needed = each.default is each.empty
        has_name = each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)
        if is_needed and not has_name:
            shown = str(each).partition(":")[0]
            raise RunError(
                f"`{name}` cannot be a tool: `{shown}` has no name in a call",
                help="give every parameter a name and a type",
            )
