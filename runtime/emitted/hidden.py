"""What a host is not shown: the channels of flowc's own, `$…`, in streams, states and events of
every level, and nodes that the user's file does not have.

Only the keys of channels are taken out: a value of the user's may have such keys too.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

from langgraph.types import PregelTask, StateSnapshot

from ..checkpoints.keys import COUNTERS
from ..state.channels import written_value

Names = Mapping[str, tuple[str, ...]]
"""By node what is shown for it, where that is not its own name."""
_PART = {"values", "input", "result", "state"}
_MODES = {"values", "updates", "tasks", "checkpoints", "debug"}


def visible_values(values: object) -> object:
    """Return what is shown of the values of channels."""
    if not isinstance(values, dict):
        return values
    return {key: written_value(value) for key, value in values.items() if not _is_hidden(key)}


def _is_hidden(key: object) -> bool:
    return isinstance(key, str) and key.startswith("$")


def shown_metadata(metadata: Any) -> Any:
    """Return what is shown of a checkpoint's metadata."""
    if not metadata or COUNTERS not in metadata:
        return metadata
    counters = visible_values(metadata[COUNTERS])
    rest = {key: value for key, value in metadata.items() if key != COUNTERS}
    return {**rest, COUNTERS: counters} if counters else rest


def shown_part(mode: str, payload: object) -> object:
    """Return what is shown of a part of a stream in one of LangGraph's modes."""
    if mode not in _MODES or not isinstance(payload, dict):
        return payload
    if mode == "values":
        return visible_values(payload)
    if mode == "updates":
        return {node: _each(written) for node, written in payload.items()}
    if mode == "debug":
        return {**payload, "payload": _about_step(payload.get("payload"))}
    return _about_step(payload)


def _each(written: object) -> object:
    return (
        [visible_values(one) for one in written]
        if isinstance(written, list)
        else visible_values(written)
    )


def _about_step(payload: object) -> object:
    """Return what is shown of a checkpoint, a task or its result."""
    if not isinstance(payload, dict):
        return payload
    about = {
        key: visible_values(value) if key in _PART else value for key, value in payload.items()
    }
    if "metadata" in about:
        about["metadata"] = shown_metadata(about["metadata"])
    tasks = about.get("tasks")
    if isinstance(tasks, list):
        about["tasks"] = [_about_step(task) for task in tasks]
    return about


def shown_chunk(chunk: tuple[Any, str, Any]) -> tuple[Any, str, Any]:
    """Return what is shown of a part, with its namespace and its mode."""
    namespace, mode, payload = chunk
    return namespace, mode, shown_part(mode, payload)


def part_filter(choices: Mapping[str, Any], usual: object) -> Callable[[Any], Any]:
    """Return what makes of each part of a stream that was asked for with `choices` what is shown of
    it; `usual` is the graph's own mode. LangGraph's parts have the shapes that these say."""
    mode: object = choices.get("stream_mode") or usual
    if choices.get("version") == "v2":
        return lambda part: {**part, "data": shown_part(part["type"], part["data"])}
    if not isinstance(mode, str):
        return lambda part: (*part[:-1], shown_part(part[-2], part[-1]))
    if choices.get("subgraphs"):
        return lambda part: (part[0], shown_part(mode, part[1]))
    return lambda part: shown_part(mode, part)


def shown_state(state: StateSnapshot, names: Names) -> StateSnapshot:
    """Return what is shown of the state of a thread, and of those of graphs inside. `names` are
    those of the main graph's nodes."""
    following = dict.fromkeys(name for node in state.next for name in names.get(node, (node,)))
    return state._replace(
        values=visible_values(state.values),
        next=tuple(following),
        metadata=shown_metadata(state.metadata),
        tasks=tuple(_shown_task(task) for task in state.tasks),
    )


def _shown_task(task: PregelTask) -> PregelTask:
    inside = shown_state(task.state, {}) if isinstance(task.state, StateSnapshot) else task.state
    return task._replace(state=inside, result=visible_values(task.result))


async def shown_events(events: AsyncIterator[Any]) -> AsyncIterator[Any]:
    """Yield what is shown of the events of LangChain's `astream_events`."""
    async for event in events:
        data = {key: visible_values(value) for key, value in event["data"].items()}
        yield {**event, "data": data}
