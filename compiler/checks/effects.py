"""Effects: what acts once and may act twice, and commands that somebody else writes (FC5001).

    send: {tool: send_mail, args: {text: "Hello"}, retry: 3}     a failure may come after the mail
    draft --> send --> judge -->|again| draft                    the same mail in every round
    run: {exec: "bash -c {{ answer }}"}                          the model says what is run

A loop that does something else in every round is what loops are for: only an effect whose input the
loop never changes is repeated. Commands in the shell blocks of a text are meant to be written by a
model, and a person approves them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .. import ir
from ..analysis.graphs import loops, reachable, successors
from ..analysis.memo import once_per_workflow
from ..analysis.variables import expressions_of, names_in, writes, writes_all
from ..analysis.ways import starts
from ..analysis.wording import node_name
from ..diagnostics.diagnostic import Code, Diagnostic, Label
from ..diagnostics.examples import flow
from ..expr.ast import Call, Expr, Literal, Text
from ..expr.walk import children
from ..source.source import Span
from .check import Check

_INTERPRETER = re.compile(
    r"(?:^|[\s;&|(])(?:eval|(?:ba|da|z|k)?sh\s+(?:-\w+\s+)*-\w*c|python3?\s+-c|node\s+-e|perl\s+-e"
    r"|ruby\s+-e)\s+[\"']?$"
)
"""What takes the word after it for a program."""
_REPEATABLE = "declare it as idempotent if a second call does no harm"


def unsafe_effects(workflow: ir.Workflow, program: ir.Program) -> Iterator[Diagnostic]:
    """FC5001, once for each node."""
    once = {tool.id for tool in workflow.tools if _acts_once(tool)}
    for node in workflow.nodes:
        match node:
            case ir.ToolNode() if node.tool in once:
                yield from _call(node, f"`{node.tool}`", workflow)
            case ir.HttpNode() if node.call_effect == "once":
                yield from _call(node, f"the {node.method}", workflow)
            case ir.PythonNode(effect="once" | None):
                yield from _call(node, f"`{node.function}`", workflow)
            case ir.AgentNode() if node.retry is not None:
                yield from _talk(node, sorted(once & _tools(node, workflow)))
            case ir.ExecNode(form="command"):
                yield from _command(node, _foreign(workflow))
            case _:
                continue


UNSAFE_EFFECTS = Check(
    Code("FC5001", "unsafe-effect", "warning",
        title="What acts once may act twice, or as others say.",
        why="A mail is sent again by a repetition; "
        "a command that a model writes does what it likes.",
        strict="error",
        examples=lambda: (
            flow(
                """
            nodes:
              - {name: plan, agent: helper, prompt: Which command shows the log?, into: command}
              - {name: look, exec: "bash -c {{ command }}", into: log}
            outputs: [log]
            """
            ),
            flow(
                """
            nodes:
              - {name: plan, agent: helper, prompt: Which branch is meant?, into: branch}
              - {name: look, exec: "git log {{ branch }}", into: log}
            outputs: [log]
            """
            ),
        ),
    ),
    unsafe_effects,
    needs="file",
)  # fmt: skip


def _acts_once(tool: ir.Tool) -> bool:
    """Whether it is known of a tool that its call acts once; nothing is said of unknown tools."""
    return tool.call_effect == "once" and tool.source != "unknown" and tool.result == "execute"


def _tools(node: ir.AgentNode, workflow: ir.Workflow) -> set[str]:
    free = (tool for agent in workflow.agents if agent.id == node.agent for tool in agent.tools)
    return {*node.tools, *free}


def _call(
    node: ir.ToolNode | ir.PythonNode | ir.HttpNode, called: str, workflow: ir.Workflow
) -> Iterator[Diagnostic]:
    if node.retry is not None:
        yield from _report(
            node,
            f"{called} acts once, and `retry` calls it again after a failure that may have "
            "come too late",
            help=f"take the failure by an edge instead, or {_REPEATABLE}",
        )
        return
    circle = _loops(workflow).get(node.id, [])
    changed = {write.name for member in circle for write in writes(member)}
    read = {read.name for given in expressions_of(node) for read in names_in(given)}
    if circle and not read & changed and not any(writes_all(member) for member in circle):
        yield from _report(
            node,
            f"{called} acts once, and the loop calls it with the same input in every round",
            tuple(member.span for member in circle if member.span not in (None, node.span)),
            help=f"move it out of the loop, give it what changes there, or {_REPEATABLE}",
        )


def _talk(node: ir.AgentNode, once: list[str]) -> Iterator[Diagnostic]:
    if once:
        names = ", ".join(f"`{name}`" for name in once)
        act = "acts" if len(once) == 1 else "act"
        yield from _report(
            node,
            f"{names} {act} once, and `retry` has the model begin anew, which may call again",
            help=f"take the failure by an edge instead, or {_REPEATABLE}",
        )


def _command(node: ir.ExecNode, taint: dict[str, str]) -> Iterator[Diagnostic]:
    for name, span in _programs(node.source):
        if name in taint:
            yield from _report(
                node,
                f"`{name}` is run as a command, and {taint[name]} writes it",
                place=span,
                help="write the command in the file, with the value as an argument of it",
            )
            return


def _programs(source: Expr) -> Iterator[tuple[str, Span | None]]:
    """Variables whose values become part of a command's own syntax."""
    if not isinstance(source, Text):
        yield from _unquoted_names(source)
        return
    before = ""
    for part in source.parts:
        match part:
            case Literal(value=str() as text):
                before = text
                continue
            case Call(function="shell_quote", args=(inner, *_)) if _INTERPRETER.search(before):
                yield from ((read.name, read.span) for read in names_in(inner))
            case _:
                yield from _unquoted_names(part)
        before = ""


def _unquoted_names(expr: Expr) -> Iterator[tuple[str, Span | None]]:
    if isinstance(expr, Call) and expr.function == "shell_quote":
        return
    inside = children(expr)
    if not inside:
        yield from ((read.name, read.span) for read in names_in(expr))
    for part in inside:
        yield from _unquoted_names(part)


@once_per_workflow
def _foreign(workflow: ir.Workflow) -> dict[str, str]:
    """Variables that hold what a model or a person wrote, and who that is; by way of assignments,
    too."""
    writers = {p.name: "who starts the run" for p in workflow.params if p.type in ("text", "any")}
    for node in workflow.nodes:
        if isinstance(node, ir.AskNode):
            writers[node.into] = "a person"
        elif isinstance(node, ir.AgentNode | ir.TaskNode):
            writers |= {write.name: "a model" for write in writes(node)}
    assigned = [a for n in workflow.nodes if isinstance(n, ir.AssignNode) for a in n.assignments]
    targets: dict[str, list[str]] = {}
    for assignment in assigned:
        for read in names_in(assignment.value):
            targets.setdefault(read.name, []).append(assignment.target)
    found = list(writers)
    for name in found:
        for target in targets.get(name, ()):
            if target not in writers:
                writers[target] = writers[name]
                found.append(target)
    return writers


@once_per_workflow
def _loops(workflow: ir.Workflow) -> dict[str, list[ir.Node]]:
    """For each node that lies in a loop the nodes of it."""
    nodes = {node.id: node for node in workflow.nodes}
    edges = [e for e in workflow.edges if not (e.implied and isinstance(e.guard, ir.OnError))]
    after = successors(nodes, edges)
    there = set(reachable(starts(workflow), after))
    circles = [members for members in loops(after) if set(members) <= there]
    return {id: [nodes[m] for m in members] for members in circles for id in members}


def _report(
    node: ir.Node,
    message: str,
    others: tuple[Span | None, ...] = (),
    place: Span | None = None,
    help: str = "",
) -> Iterator[Diagnostic]:
    span = place or node.span
    if span is None:
        return
    yield UNSAFE_EFFECTS.code.diagnostic(
        f"{node_name(node)}: {message}",
        span,
        labels=tuple(Label(other, "in the loop") for other in others[:5] if other is not None),
        help=help,
    )
