"""Channels of a GraphSpec -> LangGraph state schema, with reducers.

Only JSON values are ever in the state.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, assert_never

from flowc.compiler.expr.values import preview, read_number
from flowc.compiler.ir import TypeName
from flowc.compiler.lowering.graphspec import MESSAGES, Channel, GraphSpec
from langchain_core.messages import AnyMessage
from langgraph.channels import DeltaChannel, LastValue
from pydantic import WithJsonSchema
from typing_extensions import TypedDict  # pydantic reads no other before Python 3.12

from ..checkpoints.channels import SNAPSHOT_AFTER, GrowingChannel, SeededChannel, SeededReducer
from ..errors import Failure
from ..values import Json
from .conversations import append, channel_of, fold, fold_messages
from .messages import seed_messages

State = Mapping[str, Any]
STEPS = "$steps"
"""The key in the visits channel under which every node of every level counts as one step."""
STEPS_BEFORE, SECONDS_BEFORE = "$steps before", "$seconds before"
"""Keys beside it: how many steps the run had done when this run of a called workflow began, and how
old it was."""

_ANEW = "$anew"
"""The only key of a write that leaves nothing of what there was."""
_CLASH = "$clash"
"""The only key of what is kept in place of a value that several branches wrote."""

_TYPES: dict[TypeName, Any] = {
    "text": str,
    "number": float,
    "integer": int,
    "boolean": bool,
    "object": dict[str, Any],
    "list": list[Any],
    "any": Any,
}


def begun_after(steps: int, seconds: float) -> dict[str, float]:
    """Return the visits with which a run of a called workflow begins."""
    return {STEPS: steps, STEPS_BEFORE: steps, SECONDS_BEFORE: seconds}


def anew(value: Any) -> dict[str, Any]:
    """Return the write to a channel with a reducer that leaves nothing but this value: a turn
    begins. It is JSON, because LangGraph keeps the input of a graph as it was given."""
    return {_ANEW: value}


def is_anew(write: object) -> bool:
    """Return whether a write leaves nothing of what there was."""
    return isinstance(write, dict) and _ANEW in write


def written_value(write: object) -> Any:
    """Return the value that a write is about."""
    return write[_ANEW] if isinstance(write, dict) and _ANEW in write else write


def merge(old: dict[str, Any] | None, new: dict[str, Any] | None) -> dict[str, Any]:
    """Return both objects in one; keys of `new` win."""
    return new[_ANEW] if new and is_anew(new) else {**(old or {}), **(new or {})}


def first(old: dict[str, Any] | None, new: dict[str, Any] | None) -> dict[str, Any]:
    """Return what was written first."""
    return new[_ANEW] if new and is_anew(new) else old or new or {}


def tally(counts: dict[str, int], writes: Sequence[Mapping[str, int]]) -> dict[str, int]:
    """Reduce the visits channel: add up by key, so that nodes that run at the same time lose
    nothing. It is a delta channel too, because a long chain counts every node of it."""
    result = dict(counts)
    for write in writes:
        if is_anew(write):
            result = {}
        counted: Any = write.get(_ANEW, write)
        for key, value in counted.items():
            result[key] = result.get(key, 0) + value
    return result


def add(old: float | None, new: Any) -> float:
    """Return the sum, where nothing written yet counts as 0; whole numbers stay whole."""
    total: float = new[_ANEW] if is_anew(new) else (old or 0) + (new or 0)
    return total


def worse(old: str, new: Any) -> str:
    """Reduce the outcome: where one branch failed, the workflow did."""
    if is_anew(new):
        return str(new[_ANEW])
    return "failed" if "failed" in (old, new) else new


class OneWriter(LastValue[Any]):
    """A variable whose values are not put together: which of two writers in one step came last
    would be chance. It keeps that there were several, so that the state can still be read, and
    `refuse_clashes` says so before anything reads the variable."""

    def update(self, values: Sequence[Any]) -> bool:
        return super().update([{_CLASH: len(values)}] if len(values) > 1 else values)


def refuse_clashes(state: State) -> None:
    """Raise `Failure` when several branches wrote a variable, or used a shell, in one step."""
    for key, value in state.items():
        if isinstance(value, dict) and _CLASH in value:
            shell = key.removeprefix("$session.")
            what = f"the shell `{shell}` was used" if shell != key else f"`{key}` was written"
            raise Failure(
                f"{what} by {value[_CLASH]} branches at the same time",
                help="let the branches use different shells, or one after the other"
                if shell != key
                else "declare how its values are put together (append, merge or add), or let the "
                "branches write different variables",
            )


def combinable(channel: Channel, value: Json) -> Json:
    """Return what is written for a new value of a variable; of one with a reducer, what is put to
    the value there. An append takes a list's items, or one item; null adds nothing. Raise `Failure`
    for a value that cannot be put together."""
    match channel.reducer:
        case "replace":
            return value
        case "append":
            items = [] if value is None else value
            return append(items if isinstance(items, list) else [items])
        case "merge":
            if value is None or (isinstance(value, dict) and not is_anew(value)):
                return value
            raise Failure(f"`{channel.variable}` merges objects: {preview(value)} is none")
        case "add":
            number = read_number(value)
            if value is None or number is not None:
                return number
            raise Failure(f"`{channel.variable}` adds up numbers: {preview(value)} is none")
        case _:
            assert_never(channel.reducer)


def starting_values(spec: GraphSpec) -> dict[str, Any]:
    """Return, by channel, the defaults of variables whose values are put together."""
    return {
        channel.name: combinable(channel, channel.default)
        for channel in variables_of(spec).values()
        if channel.reducer != "replace" and channel.default is not None
    }


Messages = Annotated[list[AnyMessage], GrowingChannel(fold_messages)]
"""A conversation."""
Items = Annotated[list[Any], GrowingChannel(fold)]
"""A list that only grows or starts anew."""
Visits = Annotated[dict[str, int], DeltaChannel(tally, snapshot_frequency=SNAPSHOT_AFTER)]
"""How often each node ran."""


def state_schema(spec: GraphSpec) -> type[Any]:
    """Return the schema of every channel, as a TypedDict that no key must be in."""
    fields = {channel.name: _annotation(channel) for channel in spec.channels}
    return _typed_dict("State", fields | _seeds(spec))


def _seeds(spec: GraphSpec) -> dict[str, object]:
    """Return the channels of the threads that begin with messages."""
    fields: dict[str, object] = {}
    for thread in spec.threads:
        if thread.seed:
            seed = seed_messages([{"role": s.role, "content": s.content} for s in thread.seed])
            channel = SeededChannel(SeededReducer(fold_messages, seed))
            fields[channel_of(spec, thread.id)] = Annotated[list[AnyMessage], channel]
    return fields


def output_schema(spec: GraphSpec) -> type[Any]:
    """Return the schema of the results (every variable where none is named), of the outcome and of
    the main conversation."""
    names = set(spec.outputs) or set(variables_of(spec))
    variables = (c for c in spec.channels if c.role == "variable" and c.variable in names)
    beside = (c for c in spec.channels if c.role == "outcome" or c.name == MESSAGES)
    fields = {c.name: _annotation(c) for c in (*variables, *beside)}
    seeded = {name: field for name, field in _seeds(spec).items() if name in fields}
    return _typed_dict("Output", fields | seeded)


def outcome_channel(spec: GraphSpec) -> str:
    """Return the key of a workflow's outcome."""
    return next(channel.name for channel in spec.channels if channel.role == "outcome")


def outcome_in(spec: GraphSpec, state: State) -> str:
    """Return the outcome of a workflow in its state: a way that leads nowhere is a success."""
    return state.get(outcome_channel(spec)) or "success"


def nested_schema(spec: GraphSpec) -> type[Any]:
    """Return the schema of what passes between a calling and a called workflow, both ways."""
    passed = ("variable", "session", "visits", "outcome")
    return _schema("Passed", (c for c in spec.channels if c.role in passed))


def variables_of(spec: GraphSpec) -> dict[str, Channel]:
    """Return the variables' channels by the names that expressions use."""
    return {c.variable: c for c in spec.channels if c.role == "variable" and c.variable}


def variable_values(spec: GraphSpec, state: State) -> dict[str, Any]:
    """Return every variable's value; one that was never written has its default (None: unset)."""
    return values_of(variables_of(spec), state)


def values_of(variables: Mapping[str, Channel], state: State) -> dict[str, Any]:
    """Return the same for the variables' channels by name."""
    values = {n: state.get(c.name, c.default) for n, c in variables.items()}
    return {n: None if isinstance(v, dict) and _CLASH in v else v for n, v in values.items()}


def _schema(name: str, channels: Iterable[Channel]) -> type[Any]:
    return _typed_dict(name, {channel.name: _annotation(channel) for channel in channels})


def _typed_dict(name: str, fields: dict[str, Any]) -> type[Any]:
    return TypedDict(name, fields, total=False)  # type: ignore[operator, no-any-return]


def _annotation(channel: Channel) -> object:
    match channel.role:
        case "messages":
            return Messages
        case "handled":
            return Items
        case "visits":
            return Visits
        case "reports":
            return Annotated[dict[str, Any], merge]
        case "session":
            return Annotated[dict[str, Any] | None, OneWriter]
        case "outcome":
            return Annotated[str, worse]
        case "clock":
            return Annotated[dict[str, Any], first]
        case "route":
            return str
        case "variable":
            return _variable(channel)
        case _:
            assert_never(channel.role)


def _variable(channel: Channel) -> object:
    declared = _TYPES[channel.type]
    if isinstance(channel.schema, dict):
        # Values are never checked against it here: agents were asked until their answers fit.
        declared = Annotated[Any, WithJsonSchema(channel.schema)]
    match channel.reducer:
        case "replace":
            return Annotated[declared if declared is Any else declared | None, OneWriter]
        case "append":
            return Items
        case "merge":
            return Annotated[dict[str, Any], merge]
        case "add":
            return Annotated[float, add]
        case _:
            assert_never(channel.reducer)
