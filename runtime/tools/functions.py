"""Functions of the program around a run, as nodes of kind `python` call them."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from flowc.compiler.catalog.functions import FROM_RUN, FunctionEntry, misfits
from flowc.compiler.ir import PythonNode
from flowc.compiler.lowering.graphspec import GraphSpec, NodeSpec

from ..config.options import default
from ..config.settings import Config
from ..context import EFFECT_KEY
from ..errors import Failure, RunError, describe_exception, one_line
from ..services import FunctionCall, Json
from .python import import_function
from .registry import as_json

_PASSING = (KeyboardInterrupt, GeneratorExit, asyncio.CancelledError)


def function_entry(name: str, function: object) -> FunctionEntry:
    """Return what a function takes. Raise `RunError` for what is not a function."""
    if not callable(function):
        shown = one_line(repr(function), 60)
        raise RunError(f"`{name}` is bound to {shown}, which is not a function")
    try:
        parameters = inspect.signature(function, eval_str=False).parameters.values()
    except (TypeError, ValueError):
        raise RunError(
            f"nothing says which parameters the function `{name}` has",
            help="define a function with `def` that calls it",
        ) from None
    named = [p for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    for parameter in named:
        if parameter.kind is parameter.POSITIONAL_ONLY and parameter.default is parameter.empty:
            raise RunError(
                f"the parameter `{parameter.name}` of `{name}` cannot be given by its name",
                help="leave out the `/` of its definition",
            )
    return FunctionEntry(
        name,
        tuple(p.name for p in named if p.kind is not p.POSITIONAL_ONLY),
        tuple(p.name for p in named if p.default is p.empty),
        any(p.kind is p.VAR_KEYWORD for p in parameters),
    )


def bind_functions(
    specs: Iterable[GraphSpec],
    host: Mapping[str, Callable[..., Any]],
    config: Config,
    seconds: float,
) -> HostFunctions:
    """Return the functions that the workflows call: those of the `host` by name, or those that the
    configuration lists. Nothing else is imported. Raise `RunError` for one that neither has, and
    for arguments that it does not take."""
    functions: dict[str, Callable[..., Any]] = {}
    for node in (node for spec in specs for node in spec.nodes):
        if isinstance(node.op, PythonNode):
            name = node.op.function
            if name not in functions:
                functions[name] = _find(node, name, host, config)
            entry = function_entry(name, functions[name])
            for _, message, remedy in misfits(entry, [arg.target for arg in node.op.args]):
                raise RunError(f"{_at(node)}{message}", help=remedy)
    return HostFunctions(functions, seconds)


def _find(
    node: NodeSpec, name: str, host: Mapping[str, Callable[..., Any]], config: Config
) -> Callable[..., Any]:
    if name in host:
        return host[name]
    if name in config.python_nodes:
        return import_function(name, config.folder, "nodes")
    also = f', or list it in flowc.toml: [nodes] python = ["{name}"]' if ":" in name else ""
    raise RunError(
        f"{_at(node)}no function is bound to `{name}`",
        help=f'bind it where a program loads the workflow: nodes={{"{name}": …}}{also}',
    )


def _at(node: NodeSpec) -> str:
    return f"{node.place}: " if node.place else ""


@dataclass(frozen=True, slots=True)
class HostFunctions:
    """`services.Functions` over functions by name. `seconds` bounds each call; a function that is
    not async runs in a thread."""

    functions: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    seconds: float = default("tool_timeout")

    async def __call__(self, call: FunctionCall) -> Json:
        """Return what the function returns. Raise `Failure` with what it raised."""
        name, function = call.function, self.functions[call.function]
        entry = function_entry(name, function)
        around = (call.args, call.state, call.config, call.runtime, EFFECT_KEY.get())
        given: dict[str, Any] = {
            **{n: value for n, value in call.args.items() if n in entry.takes or entry.takes_more},
            **{n: value for n, value in zip(FROM_RUN, around, strict=True) if n in entry.takes},
        }
        try:
            async with asyncio.timeout(self.seconds) as clock:
                return as_json(await _result(name, function, given), name)
        except TimeoutError as error:
            if not clock.expired():
                raise Failure(f"`{name}` raised {describe_exception(error)}") from error
            raise Failure(f"`{name}` took more than {self.seconds:g} s", "timeout") from None


async def _result(name: str, function: Callable[..., Any], given: Mapping[str, Any]) -> object:
    """Return the result of a call. It cannot end flowc: `sys.exit` is the function's failure.
    Raise `Failure` with what it raised."""
    from langchain_core.runnables.config import run_in_executor
    from langgraph.errors import GraphBubbleUp

    try:
        if _is_async(function):
            return await function(**given)
        result = await run_in_executor(None, function, **given)
        return await result if inspect.isawaitable(result) else result
    except (*_PASSING, Failure, GraphBubbleUp, TimeoutError):
        raise
    except SystemExit as leaving:
        text = f"`{name}` wanted to end the program ({describe_exception(leaving)})"
        raise Failure(text) from None
    except BaseException as error:  # more than Exception: a panic of an extension in Rust
        raise Failure(f"`{name}` raised {describe_exception(error)}") from error


def _is_async(function: Callable[..., Any]) -> bool:
    called = getattr(type(function), "__call__", None)  # noqa: B004
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(called)
