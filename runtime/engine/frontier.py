"""Where a run stands, at every level, read from its checkpoints and its journal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from flowc.compiler.lowering.graphspec import GraphSpec

from ..db.database import Database
from ..graph.namespaces import called_in
from ..graph.thread import thread_config
from ..state.channels import variable_values
from .compatibility import Standing, join_channel

_BRANCH, _INTERRUPT = "branch:to:", "__interrupt__"


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """A run's standing; `targets` are the nodes of the main workflow that come next, those after
    finished neighbours included; `effects` names nodes that began and have done something, or may
    have, which a new beginning would do again."""

    standing: Standing
    targets: tuple[str, ...] = ()
    effects: tuple[str, ...] = ()


async def whereabouts(
    app: Any, saver: Any, journal: Database, spec: GraphSpec, run: str
) -> Whereabouts:
    """Read it. A run without a checkpoint has not begun."""
    saved = await saver.aget_tuple(thread_config(run))
    if saved is None:
        return Whereabouts(Standing(begun=False))
    snapshot = await app.aget_state(thread_config(run))
    rows = await journal.rows("select key, status from effects where run = ?", (run,))
    keys = {str(key) for key, status in rows if status in ("done", "intended", "refused")}
    latest = await _latest(saver, run)
    pending: dict[tuple[str, str], bool] = {}
    effects = []
    for task in snapshot.tasks:
        if task.result is not None:
            continue
        own = f"{task.name}:{task.id}"
        under = [ns for ns in latest if ns == own or ns.startswith(f"{own}|")]
        acted = any(key == own or key.startswith(f"{own}|") for key in keys)
        pending["", task.name] = bool(under or task.interrupts or acted)
        effects += [task.name] * acted
        for namespace in under:
            pending |= _inside(namespace, latest[namespace], spec, keys, latest)
    writes = saved.pending_writes or ()
    following = [c.removeprefix(_BRANCH) for _, c, _ in writes if c.startswith(_BRANCH)]
    pending |= {("", name): False for name in following if ("", name) not in pending}
    return Whereabouts(
        Standing(pending, _arrived(spec, saved), variable_values(spec, snapshot.values)),
        tuple(dict.fromkeys(name for path, name in pending if not path)),
        tuple(effects),
    )


async def _latest(saver: Any, run: str) -> dict[str, Any]:
    """The newest checkpoint of every namespace below the main one."""
    found: dict[str, Any] = {}
    async for item in saver.alist({"configurable": {"thread_id": run}}):
        namespace = item.config["configurable"]["checkpoint_ns"]
        kept = found.get(namespace)
        if namespace and (kept is None or item.checkpoint["id"] > kept.checkpoint["id"]):
            found[namespace] = item
    return found


def _inside(
    namespace: str, item: Any, spec: GraphSpec, keys: set[str], latest: dict[str, Any]
) -> dict[tuple[str, str], bool]:
    """The nodes that come next inside a called workflow, by its path."""
    called = called_in(namespace, spec)
    if called is None:
        return {}
    asks = any(channel == _INTERRUPT for _, channel, _ in item.pending_writes or ())
    names = (*keys, *latest)
    return {
        (called.workflow, name): asks
        or any(key.startswith(f"{namespace}|{name}:") for key in names)
        for name in _next(item.checkpoint)
    }


def _next(checkpoint: Any) -> Iterator[str]:
    """The nodes whose trigger is newer than what they have seen: LangGraph's own rule."""
    for channel in checkpoint["channel_values"]:
        name = channel.removeprefix(_BRANCH)
        if name == channel:
            continue
        version = checkpoint["channel_versions"].get(channel)
        seen = checkpoint["versions_seen"].get(name, {}).get(channel)
        if version is not None and (seen is None or version > seen):
            yield name


def _arrived(spec: GraphSpec, saved: Any) -> frozenset[str]:
    """The joins that some, and not all, of their branches have come to."""
    values = saved.checkpoint["channel_values"]
    written = {channel for _, channel, _ in saved.pending_writes or ()}
    channels = {join_channel(join.sources, join.target) for join in spec.joins}
    return frozenset(c for c in channels if values.get(c) or c in written)
