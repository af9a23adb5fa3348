"""Functions of the program around a run, as nodes of kind `python` call them."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from flowc.compiler.catalog.functions import (
    FROM_RUN,
    FunctionEntry,
    misfits,
    wrong_kinds,
    wrong_result,
)
from flowc.compiler.expr.types import infer
from flowc.compiler.ir import PythonNode, TypeName
from flowc.compiler.lowering.graphspec import GraphSpec, NodeSpec

from ..config.options import default
from ..config.settings import Config
from ..context import EFFECT_KEY
from ..errors import Failure, RunError, describe_exception, one_line
from ..event_loops import is_cancelled
from ..services import FunctionCall, Json
from ..state.channels import variables_of
from .python import import_function
from .registry import as_json

_KINDS: dict[object, TypeName] = {
    str: "text",
    int: "integer",
    float: "number",
    bool: "boolean",
    **dict.fromkeys((list, tuple, Sequence), "list"),
    **dict.fromkeys((dict, Mapping), "object"),
}


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
        *_annotation_kinds(function),
    )


def _annotation_kinds(
    function: Callable[..., Any],
) -> tuple[dict[str, tuple[TypeName, ...]], tuple[TypeName, ...]]:
    """Return what the annotations of a function admit, by parameter, and what they promise of its
    result. Those that cannot be read say nothing."""
    try:
        signature = inspect.signature(function, eval_str=True)
    except (NameError, AttributeError, TypeError, ValueError, SyntaxError, LookupError):
        return {}, ()  # a name that only type checkers know, or an annotation that is not a type
    every = {p.name: _kinds(p.annotation) for p in signature.parameters.values()}
    known = {name: kinds for name, kinds in every.items() if name not in FROM_RUN and kinds}
    return known, _kinds(signature.return_annotation)


def _kinds(annotation: object) -> tuple[TypeName, ...]:
    """Return the types of JSON values that an annotation admits, () where it is of another kind."""
    origin, args = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _kinds(args[0])
    if origin in (Union, UnionType):
        parts = [_kinds(part) for part in args if part is not NoneType]
        return tuple(dict.fromkeys(chain(*parts))) if all(parts) else ()
    if origin is Literal:
        return _kinds(Union[tuple(map(type, args))])  # noqa: UP007 - the types are values
    kind = _KINDS.get(origin or annotation)
    return () if kind is None else (kind,)


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
    for spec, node in ((one, node) for one in specs for node in one.nodes):
        if isinstance(node.op, PythonNode):
            name = node.op.function
            if name not in functions:
                functions[name] = _find(node, name, host, config)
            _require_fit(function_entry(name, functions[name]), node, node.op, spec)
    return HostFunctions(functions, seconds)


def _require_fit(entry: FunctionEntry, node: NodeSpec, op: PythonNode, spec: GraphSpec) -> None:
    """Raise `RunError` where a function does not take what its node gives it, or gives what the
    node's variable does not hold."""
    channels = variables_of(spec)
    types = {name: channel.type for name, channel in channels.items()}
    args = {arg.target: infer(arg.value, types) for arg in op.args}
    for _, message, remedy in chain(misfits(entry, list(args)), wrong_kinds(entry, args)):
        raise RunError(f"{_at(node)}{message}", help=remedy)
    into = channels.get(op.into or "")
    if into is None or into.reducer == "append":  # a single element is appended too
        return
    if message := wrong_result(entry, op.into or "", into.type):
        raise RunError(f"{_at(node)}{message}", help="declare the variable as that")


def _find(
    node: NodeSpec, name: str, host: Mapping[str, Callable[..., Any]], config: Config
) -> Callable[..., Any]:
    if name in host:
        return host[name]
    if name in config.python_nodes:
        return import_function(name, config.code)
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
    except (KeyboardInterrupt, GeneratorExit, Failure, GraphBubbleUp, TimeoutError):
        raise
    except SystemExit as leaving:
        text = f"`{name}` wanted to end the program ({describe_exception(leaving)})"
        raise Failure(text) from None
    except BaseException as error:  # more than Exception: a panic of an extension in Rust
        if isinstance(error, asyncio.CancelledError) and is_cancelled():
            raise
        raise Failure(f"`{name}` raised {describe_exception(error)}") from error


def _is_async(function: Callable[..., Any]) -> bool:
    called = getattr(type(function), "__call__", None)  # noqa: B004
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(called)
