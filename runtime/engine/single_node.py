"""Running one node of a run again: on the state before it, in a graph and a store of its own.

Nothing is written to the run. Its checkpoints say what came into the node and what came out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from flowc.compiler.ir import CallNode, ForeachNode
from flowc.compiler.lowering.graphspec import GraphSpec, NodeSpec
from langgraph.runtime import Runtime
from langgraph.types import Command, StateSnapshot

from ..checkpoints.keys import level_config, strict_config, surrounded_by, thread_config
from ..checkpoints.namespaces import join, task_part
from ..checkpoints.types import App, Graph
from ..context import CALL_PATH, HERE, Here, binding, here_in
from ..errors import Ended, Failure, LimitReached, RunError
from ..events import RunEvent
from ..graph.build import build, nested_graph, single_graph
from ..graph.history import Level, stops_before
from ..journal.before import JournalBefore
from ..journal.effects import EffectJournal
from ..nodes.visit.visit import Setting, Surroundings
from ..people import Question
from ..services import EffectCall, Journal, Json, Services, ServicesFactory
from ..state.channels import variable_values
from ..state.conversations import reset
from ..state.initial import variable_writes
from ..state.interrupts import match_answers, questions_in
from .engine import Engine, open_engine
from .event_log import EventLog
from .execution import GraphInput

FROM_RUN = "run"
"""`--replay run`: the results that the run's own journal keeps."""


@dataclass(frozen=True, slots=True)
class Before:
    """A visit of a node in a run: the graph it stands in, the calls that lead there, the state by
    channel before and the variables after it, and its namespace in the journal. `after` is None
    where the visit never ended."""

    spec: GraphSpec
    node: str
    path: tuple[str, ...]
    visit: int
    state: Mapping[str, Any]
    namespace: str
    after: dict[str, Json] | None
    around: Here | None = None
    """The visit of the call around it."""


@dataclass(slots=True)
class NodeResult:
    """The result of running a node again. `status`: done, failed, waits, stopped."""

    status: str
    variables: dict[str, Json]
    case: str = ""
    text: str = ""
    error: str = ""
    questions: tuple[Question, ...] = ()
    events: list[RunEvent] = field(default_factory=list)


async def visit_before(engine: Engine, run: str, spec: GraphSpec, name: str, visit: int) -> Before:
    """Return the visit of a node, `CALL@2/each#3/NODE`; `visit` from 1, 0: the last one. `spec` is
    what the run was started with. Raise `RunError` for a node or visit that was not reached."""
    *calls, node = name.split("/")
    graph, subgraphs = build(spec), dict(spec.subgraphs)
    namespace, path, around = "", tuple[str, ...](), HERE.get()
    for call in calls:
        caller, _, item = call.partition("#")
        caller, _, number = caller.partition("@")
        at = _node(spec, caller, name)
        if not isinstance(at.op, CallNode | ForeachNode):
            raise RunError(f"`{caller}` calls no workflow", help="name a node: CALL/NODE")
        visited = await _find_visit(engine, run, spec, graph, namespace, caller, int(number or 0))
        with binding(CALL_PATH, path), binding(HERE, around):
            around = here_in(caller, visited.number, Runtime())
        namespace = join(visited.namespace, *([int(item) - 1] if item.isdigit() else ()))
        path = (*path, f"{caller}#{item}" if item else caller)
        spec = subgraphs[at.op.workflow]
        graph = nested_graph(spec, subgraphs)
    _node(spec, node, name)
    visited = await _find_visit(engine, run, spec, graph, namespace, node, visit)
    after = None if visited.after is None else variable_values(spec, visited.after)
    return Before(spec, node, path, visited.number, visited.state, visited.namespace, after, around)


async def run_node(
    before: Before,
    spec: GraphSpec,
    main: GraphSpec,
    changes: Mapping[str, Json],
    factory: ServicesFactory,
    ask: Callable[[tuple[Question, ...]], Mapping[str, Json] | None],
) -> NodeResult:
    """Run the node on the state before it, as it is written in `spec` now (`main` is the program's
    main graph). `changes` are other values of variables; `ask` answers what the node asks, None: it
    waits. Raise `RunError` for what cannot be run at all."""
    node = _node(spec, before.node, before.node)
    state = {c.name: before.state.get(c.name) for c in spec.channels}
    state |= variable_writes(spec, changes)
    # LangGraph makes messages of its own of the lists of its input; of a write it does not.
    graph_input = {
        name: reset(value) if isinstance(value, list) and _grows(spec, name) else value
        for name, value in state.items()
        if value is not None
    }
    events: list[RunEvent] = []
    async with open_engine("memory:") as engine:
        journal = EffectJournal(engine.journal_db)
        log = EventLog(engine.store, "step", (events.append,))
        services = factory(journal, log.emit)
        graph = single_graph(node, Setting(spec, dict(main.subgraphs)))
        app = graph.compile(checkpointer=engine.saver)
        try:
            with binding(CALL_PATH, before.path), binding(HERE, before.around):
                await services.tools.open()
                status, error, questions = await _invoke(app, spec, graph_input, ask, services)
                values = (await app.aget_state(thread_config("step"))).values or {}
        finally:
            await services.scripts.close()
            await services.tools.close()
    result = NodeResult(status, variable_values(spec, values), "", "", error, questions, events)
    result.case, result.text = case_and_text(events, before.path, before.node)
    return result


def case_and_text(events: list[RunEvent], path: tuple[str, ...], node: str) -> tuple[str, str]:
    """Return the case and the text that the last visit of a node ended with."""
    for event in reversed(events):
        if (event.path, event.node) == (path, node):
            if event.kind == "node_finished":
                return str(event.data.get("case", "")), str(event.data.get("text", ""))
            if event.kind == "node_failed":
                return f"error:{event.data.get('kind')}", str(event.data.get("message", ""))
    return "", ""


def _grows(spec: GraphSpec, name: str) -> bool:
    channel = next(channel for channel in spec.channels if channel.name == name)
    return channel.role in ("messages", "handled") or channel.reducer == "append"


async def _invoke(
    app: App,
    spec: GraphSpec,
    graph_input: GraphInput,
    ask: Callable[[tuple[Question, ...]], Mapping[str, Json] | None],
    services: Services,
) -> tuple[str, str, tuple[Question, ...]]:
    """Return status, error, and the questions that wait."""
    config = surrounded_by(strict_config("step"), Surroundings(services, "step"))
    # The node's own limits count: LangGraph's default is another one in every version.
    config["recursion_limit"] = 10_000
    while True:
        try:
            await app.ainvoke(graph_input, config, durability="sync")
        except Failure as failure:
            return "failed", f"{failure.message}\n{failure.help}".strip(), ()
        except LimitReached as limit:
            return "stopped", limit.message, ()
        except Ended:
            return "done", "", ()
        state = await app.aget_state(thread_config("step"))
        questions = tuple(questions_in(state, spec).values())
        if not questions:
            return "done", "", ()
        answers = ask(questions)
        if answers is None:
            return "waits", "", questions
        graph_input = Command(resume=match_answers(answers, questions))


@dataclass(frozen=True, slots=True)
class _NodeVisit:
    number: int
    state: Mapping[str, Any]
    namespace: str
    after: Mapping[str, Any] | None


async def _find_visit(
    engine: Engine, run: str, spec: GraphSpec, graph: Graph, namespace: str, node: str, visit: int
) -> _NodeVisit:
    """Return a visit of a node in the graph whose checkpoints stand in a namespace."""
    app = graph.compile(checkpointer=engine.saver)
    stops = await stops_before(engine.checkpoints(), Level(app, spec, (), namespace), run, node)
    by_visit = {stop.visit: stop for stop in stops}
    if not by_visit:
        raise RunError(f"run {run} did not come to `{node}`", help=f"see `flowc history {run}`")
    if visit and visit not in by_visit:
        many = "once" if len(by_visit) == 1 else f"{len(by_visit)} times"
        raise RunError(f"run {run} came to `{node}` {many}: there is no visit {visit}")

    async def state_at(checkpoint: str) -> StateSnapshot:
        return await app.aget_state(level_config(run, checkpoint, namespace, engine.saver))

    stop = by_visit[visit or max(by_visit)]
    snapshot = await state_at(stop.checkpoint)
    task = next(task for task in snapshot.tasks if task.name == node)
    inside = join(namespace, task_part(node, task.id))
    after = (await state_at(stop.after)).values if stop.after else None
    return _NodeVisit(stop.visit, snapshot.values, inside, after)


def _node(spec: GraphSpec, node: str, name: str) -> NodeSpec:
    match = spec.node(node)
    if match is None:
        known = ", ".join(each.id for each in spec.nodes if each.op.kind != "end")
        raise RunError(f"there is no node `{name}` in {spec.file}", help=f"nodes: {known}")
    return match


async def refuse_tools(journal: Journal, act: EffectCall) -> Json:
    """Refuse a tool that acts once, before the journal."""
    if act.effect == "once" and act.name.startswith("tool "):
        name = act.name.removeprefix("tool ")
        help = "`--allow-exec` calls it, `--replay run` gives what it gave in the run"
        raise RunError(f"the tool `{name}` acts, and would act once more", help=help)
    return await journal.once(act)


def results_of(journal: EffectJournal, run: str, namespace: str, inner: Journal) -> JournalBefore:
    """Return a journal that gives the results which a run's own `journal` keeps of a visit, whose
    namespace it is; an effect that it does not hold stops the node."""
    used: Counter[str] = Counter()

    async def give(inner: Journal, act: EffectCall) -> Json:
        async def result_in_run() -> Json:
            results = await journal.results(run, namespace, act.name, act.inputs)
            if not results:
                raise RunError(
                    f"the journal of run {run} holds no result of `{act.name}` with this input",
                    help="the node asks for something else now: run it live, without --replay",
                    exit_code=1,
                )
            used[f"{act.name} {act.inputs!r}"] += 1
            return results[min(used[f"{act.name} {act.inputs!r}"], len(results)) - 1]

        return await inner.once(replace(act, effect="pure", call=result_in_run))

    return JournalBefore(inner, give)
