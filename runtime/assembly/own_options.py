"""The options that a run goes on with: those it was started with, as far as the user said so."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from flowc.compiler.ir import ExecNode, ScriptNode
from flowc.compiler.lowering.graphspec import GraphSpec

from ..config.options import OPTIONS, Options, absolute, merge
from ..config.settings import Config
from ..config.wants import StrangeRun, Wants, digest_of
from ..store.runs import RunRecord
from .host_objects import NO_OBJECTS, HostObjects
from .run_options import RunOptions
from .sandbox_options import OWN

_GRANTS = (
    *(name for name, row in OPTIONS.items() if row.asks and row.flag and row.kept),
    "allow_exec",
    "record",
)
"""Options that grant something, or have something written. Of `sandbox` it is one value."""


def own_options(
    record: RunRecord,
    now: Options,
    config: Config,
    here: Path,
    spec: GraphSpec | None,
    host: HostObjects = NO_OBJECTS,
) -> RunOptions:
    """Return the options of a run that goes on in the folder `here`. Of a run that the user did not
    start, what grants something has to be said `now` or be configured. Raise `StrangeRun` for the
    rest. `spec`: the workflow, where approvals that the run keeps count."""
    kept = RunOptions.from_json(record.options)
    if record.signature is None or host.vouches:
        return kept
    said = RunOptions(**merge(now, config))
    wanted = dict(_grants_of(record, kept, said, here, spec))
    if wanted:
        wants = Wants(str(here), {"run": record.id, **wanted})
        if digest_of([wants]) != (now.trust or config.trust):
            raise StrangeRun(record.id, wants)
    inside = Path(kept.own).parent == here / OWN and Path(kept.own).name not in ("", "..")
    return kept if inside else replace(kept, own="")


def _grants_of(
    record: RunRecord, kept: RunOptions, said: RunOptions, here: Path, spec: GraphSpec | None
) -> Iterator[tuple[str, object]]:
    """Yield what the kept options grant beyond what is `said` now."""
    folder = record.options.get("folder")
    if isinstance(folder, str) and os.path.realpath(folder) != os.path.realpath(here):
        yield "folder", folder
    for name in _GRANTS:
        value = getattr(kept, name)
        known = absolute(name, getattr(said, name), here)
        if isinstance(value, tuple):
            value = [each for each in value if each not in known]
        if value and value != known:
            yield name, value
    if kept.sandbox == "off" != said.sandbox:
        yield "sandbox", "off"
    specs = () if spec is None else (spec, *(sub for _, sub in spec.subgraphs))
    ops = (node.op for one in specs for node in one.nodes)
    approved = any(isinstance(op, ExecNode | ScriptNode) for op in ops)
    if approved and not (kept.allow_exec or said.allow_exec):
        yield "allow_exec", True
