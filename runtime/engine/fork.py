"""Reading where a run stands, and copying its checkpoints to a new run."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from flowc.compiler.lowering.graphspec import GraphSpec
from flowc.compiler.lowering.serde import load_spec
from flowc.compiler.source.snippet import visible
from langgraph.graph import START
from langgraph.types import StateUpdate

from ..budget.ledger import Ledger, usage_of
from ..checkpoints.keys import thread_config
from ..checkpoints.namespaces import levels
from ..checkpoints.tables.rows import Checkpoints
from ..checkpoints.types import App
from ..errors import RunError
from ..graph.history import CheckpointView
from ..graph.inbox import lines_obeyed
from ..journal.effects import EffectJournal
from ..journal.said_lines import lines_of
from ..journal.taken_answers import number_question
from ..people import Question
from ..services import Json, Outcome
from ..state.channels import STEPS, variable_values
from ..state.initial import variable_writes
from ..state.interrupts import questions_in
from ..store.runs import RunRecord


@dataclass(frozen=True, slots=True)
class RunState:
    """Where a run stands."""

    variables: dict[str, Json]
    next: tuple[str, ...]
    questions: tuple[Question, ...]
    reports: dict[str, Json]
    visits: dict[str, int]
    answered: Mapping[str, int] = field(default_factory=dict)
    """How often a question of each name was answered before: after one, answers name theirs."""


async def state_of(
    app: App, spec: GraphSpec, run: str, answered: Collection[str], counts: Mapping[str, int]
) -> RunState:
    """Return the latest checkpoint as a whole. A question inside a call or an exec node stays in
    the checkpoint until that node ends, so those `answered` are left out by their ids. `counts`
    says how often a question of each name was answered."""
    snapshot = await app.aget_state(thread_config(run))
    values: Mapping[str, Any] = snapshot.values or {}
    return RunState(
        variables=variable_values(spec, values),
        next=tuple(name for name in snapshot.next if name not in spec.relays),
        questions=tuple(
            number_question(question, counts)
            for id, question in questions_in(snapshot, spec).items()
            if id not in answered
        ),
        reports=dict(values.get("$reports") or {}),
        visits=dict(values.get("$visits") or {}),
        answered=counts,
    )


async def outcome_of(app: App, record: RunRecord, journal: EffectJournal) -> Outcome | None:
    """Return what a run has come to at its last checkpoint; None when it was told something since,
    with which it goes on. One that did not end is `interrupted`."""
    values: Mapping[str, Any] = (await app.aget_state(thread_config(record.id))).values or {}
    if await lines_of(journal.db, record.id, lines_obeyed(values)):
        return None
    return Outcome(
        record.id,
        record.status if record.status in ("success", "failed") else "interrupted",
        result=record.result,
        variables=variable_values(load_spec(record.spec), values),
        outcomes=dict(values.get("$reports") or {}),
        error=cast("dict[str, str] | None", record.error),
        nodes=(values.get("$visits") or {}).get(STEPS, 0),
        usage=usage_of((await Ledger(journal.db, journal.scope).charges()).values()),
    )


async def refuse_inner(
    checkpoints: Checkpoints, past: Sequence[CheckpointView], run: str, at: str
) -> None:
    """Raise `RunError` for a place inside a node: LangGraph would take it, and begin that node anew
    instead. `past` are the checkpoints of the main workflow."""
    if any(view.is_at(at) for view in past):
        return
    namespace = await checkpoints.namespace_of(run, at)
    if namespace:
        node, _ = next(levels(namespace))
        earlier = [view.id for view in past if node in view.next and view.id < at]
    else:
        caller, slash, _ = at.partition("/")
        node = caller.partition("#")[0].partition("@")[0]
        earlier = [view.id for view in past if slash and node in view.next]
        if not earlier:
            return
    what = f"the checkpoint {at}" if namespace else f"`{visible(at)}`"
    raise RunError(
        f"{what} lies inside `{node}`, which can only begin as a whole",
        help=f"from the checkpoint before it: flowc fork {run} --at {earlier[-1]}"
        if earlier
        else f"the checkpoints before `{node}` are gone: `flowc gc` drops them",
    )


async def copy_thread(
    checkpoints: Checkpoints,
    app: App,
    spec: GraphSpec,
    view: CheckpointView,
    run: str,
    new_run: str,
    updates: Mapping[str, Json],
) -> None:
    """Copy the checkpoints up to `view` to a new thread and set variables there. What ran after the
    checkpoint is left out. Raise `RunError` for an unknown variable."""
    values = variable_writes(spec, updates)
    parents = {each.id: each.parent for each in await checkpoints.checkpoints(run, "", ())}
    line, at = dict[str, None](), view.id
    while at in parents and at not in line:
        line[at] = None
        at = parents[at]
    await checkpoints.copy(run, new_run, list(line)[::-1])
    if updates:
        sources = view.nodes or (START,)
        steps = [StateUpdate(values if source == sources[0] else {}, source) for source in sources]
        await app.abulk_update_state(thread_config(new_run), [steps])
