"""LangGraph's configuration keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from .namespaces import around, join

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig
    from langgraph.runtime import Runtime

    from .types import Saver, Store

_SURROUNDINGS = "__pregel_flowc_surroundings"
"""LangGraph hands the key on to nodes and subgraphs. Keys that begin with `__` are kept in no
checkpoint, and streams do not show those that begin as its own do."""
_STRICT, _SAVER, _SCRATCHPAD, _TASK = (
    "__pregel_strict_resume",
    "__pregel_checkpointer",
    "__pregel_scratchpad",
    "__pregel_task_id",
)
_RUNTIME, _DURABILITY = "__pregel_runtime", "__pregel_durability"
_STREAM = "__pregel_stream"
COUNTERS = "counters_since_delta_snapshot"
"""In metadata: what delta channels were written since they were kept as a whole."""


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


def surrounded_by(config: RunnableConfig, surroundings: object) -> RunnableConfig:
    """Return the configuration for nodes that find these surroundings: see `nodes.visit.visit`."""
    return {
        **config,
        "configurable": {**config.get("configurable", {}), _SURROUNDINGS: surroundings},
    }


def surroundings_in(config: RunnableConfig) -> object:
    """Return the surroundings of the nodes that run with a configuration; None without any."""
    return config["configurable"].get(_SURROUNDINGS)


def level_config(run: str, checkpoint: str, namespace: str, saver: Saver) -> RunnableConfig:
    """Return the configuration for reading a checkpoint of the graph of a namespace."""
    config = thread_config(run, checkpoint)
    config["configurable"]["checkpoint_ns"] = namespace
    if namespace:  # or LangGraph would look for the graph among those that the main one shows
        config["configurable"][_SAVER] = saver
    return config


def thread_of(config: RunnableConfig) -> str:
    """Return the thread that a configuration names, "" for none."""
    return str(config.get("configurable", {}).get("thread_id") or "")


def checkpoint_of(config: RunnableConfig) -> str:
    """Return the checkpoint that a configuration names, "" for none."""
    return str(config.get("configurable", {}).get("checkpoint_id") or "")


def on_thread(config: RunnableConfig) -> RunnableConfig:
    """Return a configuration that names a thread of the main graph, and no checkpoint of it."""
    configurable = {**config.get("configurable", {}), "checkpoint_ns": ""}
    for key in ("checkpoint_id", "checkpoint_map"):
        configurable.pop(key, None)
    return {**config, "configurable": configurable}


def is_inner(config: RunnableConfig) -> bool:
    """Return whether a graph that gets this configuration is a node of another graph."""
    return _TASK in config.get("configurable", {})


def around_of(config: RunnableConfig) -> RunnableConfig | None:
    """Return the configuration that names the checkpoint of the graph around a node; None where
    nothing keeps one before the graph ends."""
    configurable = config["configurable"]
    outer = around(configurable["checkpoint_ns"])
    checkpoint = configurable.get("checkpoint_map", {}).get(outer)
    if checkpoint is None or configurable.get(_DURABILITY) == "exit":
        return None
    place = {"thread_id": configurable["thread_id"], "checkpoint_ns": outer}
    return {"configurable": {**place, "checkpoint_id": checkpoint}}


def saver_in(config: RunnableConfig) -> Saver | None:
    """Return the saver of the graph around a node; None without any."""
    saver: Saver | None = config.get("configurable", {}).get(_SAVER)
    return saver


def lend(config: RunnableConfig, change: Callable[[Saver], Saver]) -> RunnableConfig:
    """Return a configuration with a change of the saver that the graph around lends, if it does."""
    saver = saver_in(config)
    if saver is None:
        return config
    return {**config, "configurable": {**config["configurable"], _SAVER: change(saver)}}


def filter_stream(config: RunnableConfig, change: Callable[[Any], Any]) -> RunnableConfig:
    """Return a configuration with a change of all that is streamed to the graph around, if there
    is one: of a namespace, a mode and a part of it each."""
    stream = config.get("configurable", {}).get(_STREAM)
    if stream is None:
        return config
    from langgraph.pregel.protocol import StreamProtocol

    changed = StreamProtocol(lambda chunk: stream(change(chunk)), stream.modes)
    return {**config, "configurable": {**config["configurable"], _STREAM: changed}}


def store_in(config: RunnableConfig) -> Store | None:
    """Return the store of the program that executes a graph; None without any."""
    runtime = config.get("configurable", {}).get(_RUNTIME)
    return None if runtime is None else cast("Store | None", runtime.store)


def numbered_run(configurable: Mapping[str, Any], numbers: Sequence[int]) -> dict[str, Any]:
    """Return the settings for one of several runs of a node's subgraph. By itself LangGraph numbers
    them as they begin, which is another order in every execution."""
    scratchpad = replace(configurable[_SCRATCHPAD], subgraph_counter=lambda: 0)
    namespace = join(configurable["checkpoint_ns"], *numbers)
    return {**configurable, "checkpoint_ns": namespace, _SCRATCHPAD: scratchpad}


def namespace_of(config: RunnableConfig) -> str:
    """Return the namespace that a configuration names."""
    return str(config["configurable"].get("checkpoint_ns") or "")


def visit_of(runtime: Runtime[Any]) -> tuple[str, str]:
    """Return the thread and the namespace of a visit. The thread is "" without a checkpointer."""
    info = runtime.execution_info
    assert info is not None
    return str(info.thread_id or ""), info.checkpoint_ns  # a host may have named it by a UUID


def name_in_streams(config: RunnableConfig) -> dict[str, str]:
    """Return the metadata by which LangGraph's stream `messages` knows the node of a configuration.
    Without `subgraphs` it passes over what is said in inner graphs."""
    known = config.get("metadata") or {}
    keys = ("langgraph_checkpoint_ns", "langgraph_node")
    return {key: known[key] for key in keys if key in known}


def superstep(config: RunnableConfig) -> int:
    """Return the number of the step that a node runs in; those of one step run side by side."""
    return int((config.get("metadata") or {}).get("langgraph_step", 0))
