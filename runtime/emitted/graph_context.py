"""The context of one execution of a graph: what its caller chooses for it alone.

    await graph.ainvoke(inputs, context={"model": "openai:gpt-5-mini", "limits": {"cost": 0.2}})

It is LangGraph's context, so that assistants of a server are configured by it. A context chooses
who answers and how. Limits and permissions it can only narrow: of two limits the lower one counts,
and what the program that loaded the workflow has not granted is refused.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Annotated, Any, Literal

from flowc.compiler.lowering.graphspec import GraphSpec
from flowc.compiler.source.spelling import Spelling
from pydantic import ConfigDict, Field, TypeAdapter
from typing_extensions import TypedDict

from ..assembly.compose import make_services
from ..assembly.host_objects import HostObjects
from ..assembly.run_options import RunOptions, settle
from ..config.options import default
from ..config.prices import read_dollars
from ..config.settings import Config
from ..errors import RunError
from ..requests import NoSender
from ..services import NO_GRANTS, CommandResult, Emit, Grants, Journal, Services, Shell
from ..state.schemas import misfits

_CLOSED = ConfigDict(extra="forbid")
_STRICTER = ("off", "auto", "strict")


class ModelSettings(TypedDict, total=False):
    """How models answer."""

    __pydantic_config__ = _CLOSED  # type: ignore[misc]
    temperature: Annotated[float, Field(ge=0, le=2, description="how free answers are")]
    top_p: Annotated[float, Field(gt=0, le=1, description="the share of likely words")]
    max_output_tokens: Annotated[int, Field(gt=0, description="the most tokens of one answer")]


class ContextLimits(TypedDict, total=False):
    """The most that the execution may use up before it stops, to be gone on with."""

    __pydantic_config__ = _CLOSED  # type: ignore[misc]
    tokens: Annotated[int, Field(gt=0, description="tokens of all model calls")]
    cost: Annotated[float, Field(gt=0, description="dollars of all model calls")]
    seconds: Annotated[float, Field(gt=0, description="seconds")]
    steps: Annotated[int, Field(gt=0, description="nodes")]


class ContextPermissions(TypedDict, total=False):
    """What the workflow may do, of what was granted."""

    __pydantic_config__ = _CLOSED  # type: ignore[misc]
    commands: Annotated[
        Literal["ask", "allow"], Field(description="whether a person approves commands")
    ]
    network: Annotated[bool, Field(description="whether commands may use the network")]
    sandbox: Annotated[
        Literal["auto", "strict", "off"], Field(description="how commands are confined")
    ]


class GraphContext(TypedDict, total=False):
    """What may be chosen for one execution."""

    __pydantic_config__ = _CLOSED  # type: ignore[misc]
    model: Annotated[str, Field(description="who answers: provider:name")]
    model_settings: ModelSettings
    limits: ContextLimits
    permissions: ContextPermissions


_INNER: Mapping[str, type] = {
    "model_settings": ModelSettings,
    "limits": ContextLimits,
    "permissions": ContextPermissions,
}


@cache
def _schema() -> dict[str, Any]:
    return TypeAdapter(GraphContext).json_schema()


def read_context(value: object) -> GraphContext:
    """Return a context without what is not set. Raise `RunError` that says what does not fit."""
    if not isinstance(value, Mapping):
        raise RunError(f"the context is an object, not {value!r}")
    given = _without_none(value)
    _refuse_unknown(given, GraphContext, "")
    for key, inner in _INNER.items():
        if isinstance(given.get(key), dict):
            _refuse_unknown(given[key], inner, f"{key}.")
    if wrong := misfits(_schema(), given):
        raise RunError(f"the context does not fit: {wrong}")
    context: GraphContext = given  # type: ignore[assignment]
    return context


def _without_none(value: Mapping[str, Any]) -> dict[str, Any]:
    pairs = {key: _without_none(v) if isinstance(v, Mapping) else v for key, v in value.items()}
    return {key: part for key, part in pairs.items() if part is not None}


def _refuse_unknown(given: Mapping[str, Any], shape: type, at: str) -> None:
    """Raise `RunError` for a key that a part of a context does not have."""
    known = list(shape.__annotations__)
    for key in given:
        if key not in known:
            advice = Spelling(known).advice(str(key), f"there are {', '.join(known)}")
            raise RunError(f"the context has no `{at}{key}`; {advice.rstrip('?')}")


def services_in(
    context: GraphContext, spec: GraphSpec, options: RunOptions, config: Config, host: HostObjects
) -> Callable[[Journal, Emit], Services]:
    """Return what makes the services of an execution in a context. Raise `RunError` for what the
    context may not have, and as `make_services` does."""
    granted = settle(options, config, spec.model)
    chosen = _narrow_limits(_narrow_permissions(granted, context.get("permissions", {})), context)
    settings = {**context.get("model_settings", {})}
    settings.pop("max_output_tokens", None)
    make = make_services(chosen, spec, config, replace(host, model_settings=settings))

    def services(journal: Journal, emit: Emit) -> Services:
        made = make(journal, emit)
        if context.get("permissions", {}).get("network") is False:
            made.shell = OfflineShell(made.shell)
            made.sender = NoSender("the context allows no network")
        if seconds := context.get("limits", {}).get("seconds"):
            made.deadline = time.monotonic() + seconds
        return made

    return services


def _narrow_limits(options: RunOptions, context: GraphContext) -> RunOptions:
    """Return the options with the model of a context, and the lower one of each two limits."""
    limits, settings = context.get("limits", {}), context.get("model_settings", {})
    lower: dict[str, Any] = {
        "max_tokens": _lower(options.max_tokens, limits.get("tokens")),
        "max_steps": _lower(options.max_steps, limits.get("steps")),
    }
    answer = _lower(options.max_output_tokens, settings.get("max_output_tokens"))
    lower["max_output_tokens"] = answer
    own, cost = options.max_cost, limits.get("cost")
    if cost is not None and (own is None or (read_dollars(own) or 0) > cost):
        lower["max_cost"] = str(cost)
    if model := context.get("model"):
        lower |= {"model": model, "answers": None}
    return replace(options, **lower)


def _lower(own: int | None, asked: int | None) -> int | None:
    return asked if own is None else own if asked is None else min(own, asked)


def _narrow_permissions(options: RunOptions, asked: ContextPermissions) -> RunOptions:
    """Return the options with less granted. Raise `RunError` for more."""
    commands, network, sandbox = (asked.get(key) for key in ("commands", "network", "sandbox"))
    own = options.sandbox or default("sandbox")
    if commands == "allow" and not options.allow_exec:
        raise _widens("commands", "allow", "ask")
    if network and not options.network:
        raise _widens("network", True, False)
    if sandbox is not None and _STRICTER.index(str(sandbox)) < _STRICTER.index(own):
        raise _widens("sandbox", sandbox, own)
    mode: Any = sandbox or own
    if network is False and mode == "off":
        raise RunError("without a sandbox nothing keeps commands from the network")
    return replace(
        options,
        allow_exec=options.allow_exec and commands != "ask",
        network=options.network and network is not False,
        sandbox=mode,
    )


def _widens(name: str, asked: object, granted: object) -> RunError:
    return RunError(
        f"the context asks for more than was granted: permissions.{name} is {asked!r}, and the"
        f" program that loaded the workflow granted {granted!r}",
        help="a context narrows permissions; grant more where the workflow is loaded",
    )


@dataclass(frozen=True, slots=True)
class OfflineShell:
    """A shell whose commands get no network, whatever the workflow's file grants them."""

    inner: Shell

    def confinement(self, granted: Grants) -> str:
        return self.inner.confinement(replace(granted, network=False))

    async def run(
        self, command: str, state: str, granted: Grants = NO_GRANTS, merged: bool = False
    ) -> CommandResult:
        return await self.inner.run(command, state, replace(granted, network=False), merged)
