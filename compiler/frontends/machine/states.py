"""A state as a group of nodes (J19–J23), in either generation.

review.enter   assign    the visit is written down
review.pre     script    pre_handler
review         agent     answers its context as it stands
review.post    script    post_handler
review.next    script    transition_handler; what it returns goes into a variable
review.to      choose    a case for every state that may follow
"""

from __future__ import annotations

from ...expr.ast import Name
from ...ir import AgentNode, Case, ChooseNode, Group, Node, Otherwise
from .document import STOP, State
from .expressions import ANSWER, REPLY
from .layout import Layout
from .older import add_older_state
from .scripts.functions import Function


def add_states(layout: Layout) -> None:
    """Every state but `stop`, which is never executed (J23)."""
    for state in layout.machine.states:
        if state.name.text == STOP:
            continue
        name = state.name.text
        layout.groups.append(Group(id=name, title=name, span=state.name.span))
        if layout.is_older:
            add_older_state(layout, state)
        else:
            _add_state(layout, state)


def _add_state(layout: Layout, state: State) -> None:
    nodes: list[Node] = [layout.enter(state)]
    if state.pre:
        nodes.append(layout.handler("pre", state, state.pre))
    if state.agent:
        nodes.append(agent_node(layout, state))
    if state.post:
        nodes.append(layout.handler("post", state, state.post))
    if state.transition is None:
        layout.chain(*nodes)
        layout.lead(nodes[-1].id, layout.stop, implied=True, span=state.name.span)
        return
    layout.chain(*nodes, *_deciding(layout, state))


def agent_node(layout: Layout, state: State) -> AgentNode:
    """The agent answers its context as it stands; nothing is stored (J16)."""
    assert state.agent is not None
    return AgentNode(
        id=layout.agents[state.name.text],
        title=state.agent.text,
        group=state.name.text,
        agent=state.agent.text,
        prompt=None,
        into=ANSWER,
        reply_into=REPLY,
        span=state.agent.span,
    )


def _deciding(layout: Layout, state: State) -> tuple[Node, Node]:
    """The transition handler and the choice by what it returned (J20, J21)."""
    words = state.transition
    assert words is not None
    asked = layout.handler("next", state, words, layout.names.next)
    choose = ChooseNode(
        id=layout.fresh(f"{state.name.text}.to"),
        title=f"what `{words.text}` returned",
        group=state.name.text,
        on=Name(name=layout.names.next),
        span=words.span,
    )
    function = layout.handlers.get(words.text)
    known = function is not None and function.is_exact
    targets = list(layout.entries)
    meant = _check_targets(layout, function) if function is not None else set()
    if function is not None and known:
        returned = {r.value for r in function.returns} | meant
        targets = [name for name in layout.entries if name in returned]
    for name in targets:
        layout.lead(
            choose.id, layout.entries[name], Case(value=name), label=name, implied=not known,
            span=words.span,
        )  # fmt: skip
    if function is None or not known or not all(r.value for r in function.returns):
        layout.lead(choose.id, layout.stop, Case(value=""), implied=True, span=words.span)
    layout.lead(choose.id, layout.unknown, Otherwise(), implied=True)
    return asked, choose


def _check_targets(layout: Layout, function: Function) -> set[str]:
    """FC2001 at each returned text that names no state; the states that were meant."""
    assert layout.file is not None
    meant: set[str] = set()
    for returned in function.returns:
        if not returned.value or returned.value in layout.entries:
            continue
        near, help = layout.advice(returned.value)
        layout.sink.report(
            "FC2001",
            f"`{function.name}` returns `{returned.value}`, and there is no state of that name",
            layout.file.source.span(returned.start, returned.end),
            help=help,
        )
        meant |= {near} if near else set()
    return meant
