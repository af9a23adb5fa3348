"""A state as a group of nodes (J19–J23), in either generation.

review.enter   assign    the visit is written down
review.pre     script    pre_handler
review         agent     answers its context as it stands
review.post    script    post_handler
review.next    script    transition_handler; what it returns goes into a variable
review.to      choose    a case for every state that may follow
"""

from __future__ import annotations

from ... import ir
from ...diagnostics.diagnostic import Label
from ...expr.ast import Name
from .document import STOP, State
from .graph import MachineGraph
from .older import add_older_state
from .scripts.functions import ScriptFunction


def add_states(graph: MachineGraph) -> None:
    """Add every state but `stop`, which is never executed (J23)."""
    for state in graph.machine.states:
        if state.name.text == STOP:
            continue
        name = state.name.text
        graph.groups.append(ir.Group(id=name, title=name, span=state.name.span))
        if graph.is_older:
            add_older_state(graph, state)
        else:
            _add_state(graph, state)


def _add_state(graph: MachineGraph, state: State) -> None:
    nodes: list[ir.Node] = [graph.enter(state)]
    if state.pre:
        nodes.append(graph.handler("pre", state, state.pre))
    if state.agent:
        nodes.append(graph.agent(state))
    if state.post:
        nodes.append(graph.handler("post", state, state.post))
    if state.transition is None:
        graph.chain(*nodes)
        graph.lead(nodes[-1].id, graph.stop, implied=True, span=state.name.span)
        return
    graph.chain(*nodes, *_deciding(graph, state))


def _deciding(graph: MachineGraph, state: State) -> tuple[ir.Node, ir.Node]:
    """Return the transition handler and the choice by what it returned (J20, J21)."""
    words = state.transition
    assert words is not None
    handler = graph.handler("next", state, words, graph.names.next)
    choose = ir.ChooseNode(
        id=graph.fresh(f"{state.name.text}.to"),
        title=f"what `{words.text}` returned",
        group=state.name.text,
        on=Name(name=graph.names.next),
        span=words.span,
    )
    function = graph.handlers.get(words.text)
    known = function is not None and function.is_exact
    # A missing function is reported. Its state may lead anywhere only where the script may define
    # the function in a way that cannot be read.
    targets = list(graph.entries) if graph.handlers.may_have(words.text) else []
    meant = _check_targets(graph, function) if function is not None else set()
    if function is not None and known:
        returned = {r.value for r in function.returns} | meant
        targets = [name for name in graph.entries if name in returned]
    for name in targets:
        graph.lead(
            choose.id, graph.entries[name], ir.Case(value=name), label=name, implied=not known,
            span=words.span,
        )  # fmt: skip
    if function is None or not known or not all(r.value for r in function.returns):
        graph.lead(choose.id, graph.stop, ir.Case(value=""), implied=True, span=words.span)
    graph.lead(choose.id, graph.unknown, ir.Otherwise(), implied=True)
    return handler, choose


def _check_targets(graph: MachineGraph, function: ScriptFunction) -> set[str]:
    """Report FC2001 at each returned text that does not name a state; return the states meant."""
    assert graph.file is not None
    meant: set[str] = set()
    for returned in function.returns:
        if not returned.value or returned.value in graph.entries:
            continue
        near, help = graph.advice(returned.value)
        state = graph.machine.state(near) if near else None
        labels = (Label(state.name.span, f"this is `{near}`"),) if state is not None else ()
        graph.sink.report(
            "FC2001",
            f"`{function.name}` returns `{returned.value}`, and there is no state of that name",
            graph.file.source.span(returned.start, returned.end),
            labels=labels,
            help=help,
            near=near,
        )
        meant |= {near} if near else set()
    return meant
