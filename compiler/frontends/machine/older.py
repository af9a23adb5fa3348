"""A state of the older dialect (J33–J43): inline script, a sent message, a list of transitions.

review.enter     assign    the visit is written down
review.script    assign    action.script, as assignments; a script where those cannot say it
review           agent     is sent the input; question and answer are stored (J36)
review.if        choose    the condition of the first transition
review.before    assign    its `before`, once the condition holds (J40)
review.if2       choose    the next transition, and so on; none that holds means stop (J39)
"""

from __future__ import annotations

import re
from dataclasses import replace

from ... import ir
from ...expr.ast import Binary, Call, Expr, Literal, Name, Text
from ...reading.tree import Scalar
from .document import State, Transition
from .expressions import (
    Around,
    as_condition,
    as_value,
    assignments,
    has_placeholder,
    path_of,
    template,
)
from .graph import MachineGraph
from .scripts.inline import RUN, inline_script, parses_as_value

_CODE = re.compile(
    r"common_data[\w.]*\s*[-+*/%&|?(\[=<>]|[-+*/%&|!(\[=<>]\s*(?:this\.)?common_data"
)
_NAME = re.compile(r"[^\W\d]\w*\Z")


def add_older_state(graph: MachineGraph, state: State) -> None:
    """Add the state's nodes, and its ways out in order."""
    nodes: list[ir.Node] = [graph.enter(state)]
    if state.script:
        nodes += _code(graph, state, state.script, "script")
    if state.pre:
        nodes.append(graph.handler("pre", state, state.pre))
    nodes += _sending(graph, state)
    if state.post:
        nodes.append(graph.handler("post", state, state.post))
    graph.chain(*nodes)
    _add_transitions(graph, state, nodes[-1].id)


def _around(graph: MachineGraph, state: State) -> Around:
    return Around(graph.names.param, state.agent.text if state.agent else None)


def _code(graph: MachineGraph, state: State, words: Scalar, part: str) -> list[ir.Node]:
    """Return nodes for code that is run for its changes: a function, assignments, or a script."""
    id = graph.fresh(f"{state.name.text}.{part}")
    if _NAME.match(words.text.strip()):
        named = replace(words, text=words.text.strip())
        graph.handlers.require(named, f"`{part}` of state `{state.name.text}`")
        return [graph.script(id, state, named.text, span=words.span)]
    changes = assignments(words, _around(graph, state))
    if changes is None:
        script = inline_script(id, words, "statements", graph.machine.tree, graph.sink)
        if script is None:
            return []
        graph.scripts.append(script)
        return [graph.script(id, state, RUN, script=id, title=_short(words.text), span=words.span)]
    if not changes:
        return []
    return [
        ir.AssignNode(
            id=id,
            title=_short(words.text),
            group=state.name.text,
            assignments=changes,
            span=words.span,
        )
    ]


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 60 else line[:59] + "…"


def _sending(graph: MachineGraph, state: State) -> list[ir.Node]:
    """Return what is sent to the agent (J34–J36); nothing in a state without one (J43)."""
    call = state.call.text if state.call else "sendMessage"
    if state.agent is None:
        if state.call:
            message = f"state `{state.name.text}` has no `agent` that `{call}` could be meant for"
            help = 'add `"agent": …`, or remove the function'
            graph.sink.report("FC1003", message, state.call.span, help=help)
        return []
    agent = next((a for a in graph.machine.agents if a.name.text == state.agent.text), None)
    if call == "clearConversation":
        return _message(graph, state, agent.context if agent else None, None, "user")
    words = state.message or state.input
    if words is None or not words.text.strip():
        message = f"state `{state.name.text}` sends nothing: it has no `input`"
        help = 'add `"input": …`, such as `common_data.request` or plain text'
        graph.sink.report("FC1003", message, words.span if words else state.name.span, help=help)
        return []
    text, before = _input(graph, state, words)
    if call == "addUserMessage":
        side: ir.Role = "assistant" if agent and agent.side == "user" else "user"
        context = agent.context if agent else None
        return [*before, *_message(graph, state, context, text, side)]
    return [*before, graph.agent(state, text, words.text)]


def _message(
    graph: MachineGraph, state: State, thread: str | None, text: Expr | None, role: ir.Role
) -> list[ir.Node]:
    if thread is None or state.agent is None:
        return []
    return [
        ir.MessageNode(
            id=graph.agents[state.name.text],
            title=state.agent.text,
            group=state.name.text,
            thread=thread,
            mode="clear" if text is None else "append",
            role=role,
            template=text if text is not None else Literal(value=""),
            span=state.agent.span,
        )
    ]


def _input(graph: MachineGraph, state: State, words: Scalar) -> tuple[Expr, list[ir.Node]]:
    """Return what is sent, and the nodes that compute it or check that it is not empty (J35)."""
    before: list[ir.Node] = []
    text: Expr
    if has_placeholder(words.text):
        text = template(words)
    elif "common_data." not in words.text:
        return Literal(value=words.text, span=words.span), []
    else:
        text, before = _expression(graph, state, words)
    if _is_never_empty(text):
        return text, before
    check = ir.AssertNode(
        id=graph.fresh(f"{state.name.text}.sends"),
        title="the message is not empty",
        group=state.name.text,
        condition=Binary(
            op="!=", left=Call(function="trim", args=(text,)), right=Literal(value="")
        ),
        message=Literal(value=f"state `{state.name.text}` sends an empty message"),
        span=words.span,
    )
    return text, [*before, check]


def _is_never_empty(text: Expr) -> bool:
    """Return whether some of the text is written in the file."""
    match text:
        case Literal(value=str() as written):
            return bool(written.strip())
        case Text():
            return any(_is_never_empty(part) for part in text.parts)
        case Binary(op="+"):
            return _is_never_empty(text.left) or _is_never_empty(text.right)
        case _:
            return False


def _expression(graph: MachineGraph, state: State, words: Scalar) -> tuple[Expr, list[ir.Node]]:
    path = path_of(words.text)
    if path is not None:
        return replace(path, span=words.span), []
    value = as_value(words, _around(graph, state))
    if value is not None:
        return value, []
    if not parses_as_value(words.text) and not _CODE.search(words.text):
        # Words about common_data, and no code.
        return Literal(value=words.text, span=words.span), []
    return _compute(graph, state, words, "input")


def _compute(
    graph: MachineGraph, state: State, words: Scalar, part: str
) -> tuple[Expr, list[ir.Node]]:
    """Return the value of JavaScript that is not an expression: a script sets a variable."""
    id = graph.fresh(f"{state.name.text}.{part}")
    script = inline_script(id, words, "value", graph.machine.tree, graph.sink)
    if script is None:
        return Literal(value=True), []
    graph.scripts.append(script)
    name = graph.names.test
    node = graph.script(
        id, state, RUN, script=id, into=name, title=_short(words.text), span=words.span
    )
    return Name(name=name), [node]


def _add_transitions(graph: MachineGraph, state: State, last: str) -> None:
    """Add one choice after another; the first condition that holds leads on (J39)."""
    missed: ir.Guard | None = None
    for number, transition in enumerate(state.transitions, 1):
        target = _target(graph, state, transition)
        label = _short(transition.condition.text)
        condition, before = _condition(graph, state, transition.condition, number)
        after = (
            _code(graph, state, transition.before, _part_name("before", number))
            if (transition.before)
            else []
        )
        always = isinstance(condition, Literal) and condition.value is True
        if always and not before:
            _lead_on(graph, last, missed, after, target, label, transition)
            return
        choose = ir.ChooseNode(
            id=graph.fresh(f"{state.name.text}.{_part_name('if', number)}"),
            title=label,
            group=state.name.text,
            on=condition,
            span=transition.condition.span,
        )
        first, *_ = nodes = [*before, choose]
        graph.chain(*nodes)
        graph.lead(last, first.id, missed, implied=True, span=transition.condition.span)
        _lead_on(graph, choose.id, ir.Case(value="true"), after, target, label, transition)
        last, missed = choose.id, ir.Otherwise()
    graph.lead(last, graph.stop, missed, implied=True, span=state.name.span)


def _part_name(part: str, number: int) -> str:
    return part if number == 1 else f"{part}{number}"


def _lead_on(
    graph: MachineGraph, source: str, guard: ir.Guard | None, after: list[ir.Node], target: str,
    label: str, transition: Transition,
) -> None:  # fmt: skip
    """Lead from a condition that holds over `before` to the target."""
    span = transition.target.span
    if not after:
        graph.lead(source, target, guard, label=label, span=span)
        return
    graph.chain(*after)
    graph.lead(source, after[0].id, guard, implied=True, span=span)
    graph.lead(after[-1].id, target, label=label, span=span)


def _target(graph: MachineGraph, state: State, transition: Transition) -> str:
    name = transition.target.text
    if name in graph.entries:
        return graph.entries[name]
    message = f"state `{state.name.text}` leads to `{name}`, and there is no state of that name"
    near, help = graph.advice(name)
    graph.sink.report("FC2001", message, transition.target.span, help=help, near=near)
    return graph.stop


def _condition(
    graph: MachineGraph, state: State, words: Scalar, number: int
) -> tuple[Expr, list[ir.Node]]:
    """Read true or false, a function of the script, an expression, or JavaScript (J37, J38)."""
    text = words.text.strip()
    if text in ("true", "false"):
        return Literal(value=text == "true", span=words.span), []
    part = _part_name("test", number)
    if _NAME.match(text):
        named = replace(words, text=text)
        graph.handlers.require(named, f"a condition of state `{state.name.text}`")
        id = graph.fresh(f"{state.name.text}.{part}")
        node = graph.script(id, state, text, into=graph.names.test, span=words.span)
        return Call(function="truthy", args=(Name(name=graph.names.test),)), [node]
    condition = as_condition(words, _around(graph, state))
    if condition is not None:
        return condition, []
    value, nodes = _compute(graph, state, words, part)
    return Call(function="truthy", args=(value,)), nodes
