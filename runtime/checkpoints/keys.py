"""LangGraph's configuration keys, and the form of its namespaces.

A namespace names a graph that runs by the path of calls that leads to it: the node and its task at
every level, then the number of the node's run where there are several, then that of an attempt.

    draft:TASK              the only run of the subgraph of `draft`
    each:TASK|2|check:TASK  `check` in the third element of `each`
    each:TASK|2|1           the second attempt of that element
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig
    from langgraph.runtime import Runtime

    from .types import Saver

BETWEEN = "|"
"""What stands between the parts of a namespace."""
_STRICT, _SAVER, _SCRATCHPAD = (
    "__pregel_strict_resume",
    "__pregel_checkpointer",
    "__pregel_scratchpad",
)


def thread_config(run: str, checkpoint: str | None = None) -> RunnableConfig:
    """Return the configuration of a run's main graph. Resume only with a bare thread: naming a
    checkpoint would make new effect keys, and so repeat what was done.
    """
    configurable: dict[str, Any] = {"thread_id": run, "checkpoint_ns": ""}
    if checkpoint is not None:
        configurable["checkpoint_id"] = checkpoint
    return {"configurable": configurable}


def strict_config(run: str) -> RunnableConfig:
    """Return the configuration for executing a run: an answer to a question that does not wait is
    refused."""
    config = thread_config(run)
    config["configurable"][_STRICT] = True
    return config


def level_config(run: str, checkpoint: str, namespace: str, saver: Saver) -> RunnableConfig:
    """Return the configuration for reading a checkpoint of the graph of a namespace."""
    config = thread_config(run, checkpoint)
    config["configurable"]["checkpoint_ns"] = namespace
    if namespace:  # or LangGraph would look for the graph among those that the main one shows
        config["configurable"][_SAVER] = saver
    return config


def numbered_run(configurable: Mapping[str, Any], numbers: Sequence[int]) -> dict[str, Any]:
    """Return the settings for one of several runs of a node's subgraph. By itself LangGraph numbers
    them as they begin, which is another order in every execution."""
    scratchpad = replace(configurable[_SCRATCHPAD], subgraph_counter=lambda: 0)
    namespace = join(configurable["checkpoint_ns"], *numbers)
    return {**configurable, "checkpoint_ns": namespace, _SCRATCHPAD: scratchpad}


def namespace_of(config: RunnableConfig) -> str:
    """Return the namespace that a configuration names."""
    return str(config["configurable"]["checkpoint_ns"])


def visit_of(runtime: Runtime[Any]) -> tuple[str, str]:
    """Return the thread and the namespace of a visit. The thread is "" without a checkpointer."""
    info = runtime.execution_info
    assert info is not None
    return info.thread_id or "", info.checkpoint_ns


def superstep(config: RunnableConfig) -> int:
    """Return the number of the step that a node runs in; those of one step run side by side."""
    return int((config.get("metadata") or {}).get("langgraph_step", 0))


def join(namespace: str, *parts: str | int) -> str:
    """Return the namespace of parts below another one."""
    return BETWEEN.join((*([namespace] if namespace else []), *map(str, parts)))


def task_part(node: str, task: str) -> str:
    """Return a node with its task as a part of a namespace."""
    return f"{node}:{task}"


def around(namespace: str) -> str:
    """Return the namespace without its last part."""
    return namespace.rpartition(BETWEEN)[0]


def is_within(namespace: str, outer: str) -> bool:
    """Whether a namespace is another one, or lies below it."""
    return namespace == outer or namespace.startswith(outer + BETWEEN)


def levels(namespace: str) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield the node of every level, the outermost first, with the numbers after it."""
    name, numbers = "", list[int]()
    for part in namespace.split(BETWEEN):
        if part.isdecimal():
            numbers.append(int(part))
        elif ":" in part:
            if name:
                yield name, tuple(numbers)
            name, numbers = part.rpartition(":")[0], []
    if name:
        yield name, tuple(numbers)
