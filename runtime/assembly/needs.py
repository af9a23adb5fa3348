"""What a program needs of its surroundings: somebody for each task, and its tools."""

from __future__ import annotations

from collections.abc import Iterator

from flowc.compiler.catalog.model_settings import models_for, settings_for
from flowc.compiler.ir import AgentNode, QuestionSettings, TaskNode, ToolNode
from flowc.compiler.lowering.graphspec import GraphSpec, answering_agent
from flowc.compiler.team import PEOPLE

from ..errors import RunError


def require_holders(main: GraphSpec) -> None:
    """Raise `RunError` when there is a task that nobody does."""
    for spec in (main, *(sub for _, sub in main.subgraphs)):
        roles = dict.fromkeys(
            op.role
            for op in (node.op for node in spec.nodes)
            if isinstance(op, TaskNode) and op.form != "synchronization" and op.agent is None
        )
        if roles:
            raise RunError(
                f"{spec.file} needs a team: {', '.join(roles)}",
                help=f"--team FILE.json says who does what; --team {PEOPLE}: you do all of it",
            )


def needed_tools(main: GraphSpec, *, by_hand: bool) -> tuple[str, ...]:
    """Return the tools that have to be there: a call that is an answer is executed by nobody, and a
    person who answers a model's turns `by_hand` brings the tools."""
    names: set[str] = set()
    specs = (main, *(sub for _, sub in main.subgraphs))
    for spec in specs:
        agents = {agent.id: agent for agent in spec.agents}
        for op in (node.op for node in spec.nodes):
            match op:
                case AgentNode() | TaskNode() if by_hand:
                    continue
                case AgentNode():
                    names.update((*op.tools, *agents[op.agent].tools))
                case TaskNode():
                    agent = answering_agent(op, spec)
                    names.update((*op.tools, *agent.tools) if agent else ())
                case ToolNode():
                    names.add(op.tool)
                case _:
                    continue
    answers = {tool.id for spec in specs for tool in spec.tools if tool.result == "answer"}
    return tuple(sorted(names - answers))


def asked_models(spec: GraphSpec) -> Iterator[tuple[str | None, QuestionSettings | None]]:
    """Yield the models that nodes ask, None for the run's, with the settings of their questions."""
    for op in (node.op for node in spec.nodes):
        agent = answering_agent(op, spec)
        if agent is not None and isinstance(op, AgentNode | TaskNode):
            settings = settings_for(agent, op)
            yield from ((name, settings) for name in models_for(agent, op) or (None,))
