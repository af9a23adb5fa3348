"""Moving a run to a workflow that changed while it was paused.

Harmless changes need nothing but the new stamp. Where `--migrate` says what has become of a node or
a variable, the run's state is written once in the new workflow's terms, and the nodes that come
next begin anew in it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from flowc.compiler.lowering.graphspec import GraphSpec

from ..checkpoints.keys import thread_config
from ..checkpoints.late_values import put_late_values
from ..checkpoints.types import Graph, Saver
from ..errors import RunError
from ..graph.build import add_relay, build
from ..services import Json
from ..state.channels import State, combinable, variables_of
from ..state.initial import given_channels, given_values
from ..values import fits, storable_value
from .compatibility import Change, Migration, changes_of
from .frontier import Frontier

MIGRATION_NODE = "$migrate"
"""A node that never runs: the state is changed in its name, and its edges lead to what comes
next."""


def read_migration(
    options: Sequence[str], old: GraphSpec, new: GraphSpec, inputs: Mapping[str, Json]
) -> Migration:
    """Read `--migrate OLD=NEW`, of nodes and of variables; `VARIABLE=` drops its value. `inputs`
    are for parameters that are new; the environment may give some too. Raise `RunError` for a name
    that is in neither workflow, and for an input that is not new."""
    nodes: dict[str, str] = {}
    variables: dict[str, str] = {}
    before, after = {n.id for n in old.nodes}, {n.id for n in new.nodes}
    known, wanted = set(variables_of(old)), set(variables_of(new))
    for text in options:
        was, sign, now = (part.strip() for part in text.partition("="))
        if not sign or not was:
            raise RunError(f"`--migrate {text}` does not say what becomes of what", help=_WRITTEN)
        if was in before and now in after:
            nodes[was] = now
        elif was in known and (now in wanted or not now):
            variables[was] = now
        else:
            there = was in before or was in known
            raise RunError(
                f"`--migrate {text}`: "
                + (f"there is no `{now}` in {new.file}" if there else f"there was no `{was}`"),
                help=_WRITTEN,
            )
    return Migration(nodes, variables, _new_inputs(old, new, inputs))


def _new_inputs(old: GraphSpec, new: GraphSpec, inputs: Mapping[str, Json]) -> dict[str, Json]:
    fresh = tuple(p for p in new.params if p.name not in variables_of(old))
    if wrong := [name for name in inputs if name not in {p.name for p in fresh}]:
        raise RunError(
            f"`{wrong[0]}` is not a new parameter of {new.file}",
            help=f"what it has changes in a fork: flowc fork RUN --at NODE -i {wrong[0]}=VALUE",
        )
    return given_values(new, fresh, inputs, os.environ)


_WRITTEN = "write --migrate OLD=NEW for a node that comes next or a variable, VARIABLE= to drop one"


def check_migration(
    old: GraphSpec, new: GraphSpec, frontier: Frontier, migration: Migration, run: str
) -> list[Change]:
    """Return what differs when the run can go on with it. Raise `RunError` that shows what does not
    fit, at both places, and what would accept it."""
    if idle := [n for n in migration.nodes if n not in frontier.targets]:
        raise RunError(
            f"`{idle[0]}` does not come next in run {run}, so nothing has to become of it",
            help=f"next: {', '.join(frontier.targets) or 'nothing'}",
        )
    changes = changes_of(old, new, frontier, migration)
    refused = [change for change in changes if change.refusal]
    if refused:
        raise RunError(_refusal_text(old, run, refused), help=_remedy(run, refused))
    if migration:
        _refuse_repetition(frontier, run)
        _refuse_unfit(old, new, frontier, migration)
    return changes


def _refusal_text(old: GraphSpec, run: str, refused: list[Change]) -> str:
    lines = [f"{old.file} has changed where run {run} stands"]
    for change in refused:
        lines.append(f"  {change.text}")
        places = (("was at", change.was), ("now at", change.now))
        if places_text := " · ".join(f"{word} {place}" for word, place in places if place):
            lines.append(f"    {places_text}")
    return "\n".join(lines)


def _remedy(run: str, refused: list[Change]) -> str:
    if all(change.migrate or change.give for change in refused):
        flags = (f"-i {c.give}=VALUE" if c.give else f"--migrate {c.migrate}" for c in refused)
        options = " ".join(dict.fromkeys(flags))
        return f"flowc resume {run} {options}\nor restore the file, and go on as it was"
    return (
        "restore the file to go on with this run\n"
        f"or begin earlier with the file as it is: flowc fork {run} --at NODE, then flowc resume"
    )


def _refuse_repetition(frontier: Frontier, run: str) -> None:
    """Raise `RunError` when something of what comes next was done: it begins anew."""
    if frontier.effects:
        raise RunError(
            f"`{frontier.effects[0]}` is under way and has done something, which beginning anew "
            "would do again",
            help=f"restore the file until it is through (flowc resume {run} --break NODE), "
            "then migrate",
        )


def _refuse_unfit(old: GraphSpec, new: GraphSpec, frontier: Frontier, migration: Migration) -> None:
    channels = variables_of(new)
    for was, now in migration.variables.items():
        value = frontier.values.get(was)
        if now and value is not None and not fits(value, channels[now].type):
            raise RunError(
                f"the value of `{was}` is no {channels[now].type}, which `{now}` has to be",
                help=f"--migrate {was}= drops it",
            )


async def move(
    saver: Saver, new: GraphSpec, frontier: Frontier, migration: Migration, run: str
) -> None:
    """Write what becomes of a run's nodes and variables, and what its new parameters hold."""
    if migration:
        await _begin_anew(build(new), saver, new, frontier, migration, run)
    await put_late_values(saver, run, given_channels(new, migration.inputs))


async def _begin_anew(
    graph: Graph,
    saver: Saver,
    new: GraphSpec,
    frontier: Frontier,
    migration: Migration,
    run: str,
) -> None:
    """Write the run's state in the new workflow's terms. `graph` is the new workflow's, which gets
    a node more."""
    targets = [migration.nodes.get(name, name) for name in frontier.targets]
    values = frontier.values
    channels = variables_of(new)
    writes = {
        channels[now].name: combinable(channels[now], storable_value(values[was]))
        for was, now in migration.variables.items()
        if now and now != was and values.get(was) is not None
    }

    def all_of_them(state: State) -> list[str]:
        return targets

    add_relay(graph, MIGRATION_NODE)
    graph.add_conditional_edges(MIGRATION_NODE, all_of_them, targets)
    app = graph.compile(checkpointer=saver)
    await app.aupdate_state(thread_config(run), writes, as_node=MIGRATION_NODE)
