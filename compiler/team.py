"""A team: who does the tasks of a workflow (C9), from a file of its own, joined to the program.

flowc run book.json --team team.json       agents with roles: models, and people
flowc run book.json --team people          the person who runs it does everything
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import replace

from . import ir
from .diagnostics.diagnostic import Label, Sink
from .expr.ast import Literal
from .reading.json_fields import Fields, read_json
from .reading.tree import Scalar, Value
from .source.records import dataclass
from .source.source import Source, SourceSet, Unreadable

PEOPLE = "people"
"""The team that is nobody but the person who runs the workflow."""
TEAM_TYPES = ("research", "content_creation", "problem_solving")
AGENT_TYPES = ("model", "person")
WORKFLOW_TYPES = ("sequential", "parallel", "hybrid")
LEAST, MOST = 2, 5
LONGEST_NAME = 100
EVERYBODY = "ALL"
"""Whom a message is for that is for the whole team: no agent's id."""
LONGEST_ID = 200
_ID = re.compile(r"[!-~]+")

_TEAM_KEYS = (
    "team_id",
    "team_name",
    "team_type",
    "team_status",
    "agents",
    "agent_roles",
    "workflow_config",
)
_AGENT_KEYS = ("agent_id", "role", "type", "status", "configuration")
_ROLE_KEYS = ("role_name", "type", "agent_config")
_CONFIG_KEYS = ("model", "tools", "instructions")


@dataclass(frozen=True, slots=True)
class Team:
    """Its agents, each with a role of its own, and the tools they name."""

    agents: tuple[ir.Agent, ...] = ()
    tools: tuple[ir.Tool, ...] = ()


def read_team(path: str, sources: SourceSet, sink: Sink) -> Team:
    """The team in a file: what a team's creation asks for, or what a created team looks like. Every
    fault is a diagnostic in that file."""
    path = os.path.normpath(path)
    try:
        source = sources.read(path, below=os.sep)
    except Unreadable as error:
        source = sources.add(Source(path, ""))
        reason = "was not found" if error.reason == "not found" else error.reason
        help = "name a team's file, or `people` when whoever runs it does everything"
        sink.report("FC0001", f"the team `{path}` {reason}", source.span(0), help=help)
        return Team()
    tree = read_json(source, sink)
    fields = tree.fields(tree.root, "the team") if tree is not None else None
    team = Team() if fields is None else _team(fields)
    # Whom a file with faults does not name, it may have been meant to name.
    broken = sink.is_broken(path)
    return Team() if broken else team


def with_team(program: ir.Program, team: Team) -> ir.Program:
    """The program with the team's agents in every workflow that has tasks. Of two agents with one
    id the team's counts."""
    workflows = tuple((path, _with_agents(w, team)) for path, w in program.workflows)
    return replace(program, workflows=workflows)


def everyone_is_a_person(program: ir.Program) -> ir.Program:
    """The program with a person for every role that a task asks for."""
    return replace(
        program,
        workflows=tuple(
            (path, _with_agents(w, Team(tuple(_people(w))))) for path, w in program.workflows
        ),
    )


def _people(workflow: ir.Workflow) -> list[ir.Agent]:
    roles = dict.fromkeys(node.role for node in workflow.nodes if isinstance(node, ir.TaskNode))
    return [ir.Agent(id=role or PEOPLE, role=role, person=True) for role in roles]


def _with_agents(workflow: ir.Workflow, team: Team) -> ir.Workflow:
    if not any(isinstance(node, ir.TaskNode) for node in workflow.nodes):
        return workflow
    ids = {agent.id for agent in team.agents}
    known = {tool.id for tool in workflow.tools}
    return replace(
        workflow,
        agents=(*team.agents, *(a for a in workflow.agents if a.id not in ids)),
        tools=(*workflow.tools, *(tool for tool in team.tools if tool.id not in known)),
    )


def _team(fields: Fields) -> Team:
    """Two to five agents with different roles, a name of 1 to 100 characters (C9)."""
    fields.unknown(_TEAM_KEYS)
    fields.text("team_id")
    fields.text("team_status")
    name = fields.text("team_name", required=True)
    if name is not None and len(name.text) > LONGEST_NAME:
        fields.tree.sink.report(
            "FC1005",
            f"the team's name has {len(name.text)} characters, more than {LONGEST_NAME}",
            name.span,
            help="shorten it",
        )
    fields.word("team_type", TEAM_TYPES, required=True)
    _check_workflow_config(fields)
    created = "agent_roles" not in fields.members
    key = "agents" if created else "agent_roles"
    nodes = fields.items(key, required=True)
    if key in fields.members and not LEAST <= len(nodes) <= MOST:
        fields.tree.sink.report(
            "FC1005",
            f"the team has {_count(len(nodes))}, not {LEAST} to {MOST}",
            fields.span_of(key) if not nodes else fields.tree.span(nodes[-1]),
            help="a team is made of two to five agents, each with a role of its own",
        )
    return _members(fields, nodes, created, name.text if name else "")


def _count(agents: int) -> str:
    return f"{agents or 'no'} agent{'' if agents == 1 else 's'}"


def _members(fields: Fields, nodes: Sequence[Value], created: bool, team: str) -> Team:
    agents: list[ir.Agent] = []
    tools: dict[str, ir.Tool] = {}
    roles: dict[str, Scalar] = {}
    ids: dict[str, Scalar] = {}
    for number, node in enumerate(nodes, 1):
        inner = fields.tree.fields(node, f"agent {number}")
        if inner is None:
            continue
        inner.unknown(_AGENT_KEYS if created else _ROLE_KEYS)
        role = _unique(inner, "role" if created else "role_name", roles, required=True)
        id = _id(inner, ids) if created else None
        agent = _agent(inner, "configuration" if created else "agent_config", tools)
        if role is None:
            continue
        text = f"You are the {role.text} of the team {team}."
        system = agent.system if agent.system is not None else Literal(value=text)
        agents.append(
            replace(
                agent,
                id=id.text if id else role.text,
                role=role.text,
                system=None if agent.person else system,
                span=role.span,
            )
        )
    return Team(tuple(agents), tuple(tools.values()))


def _agent(fields: Fields, key: str, tools: dict[str, ir.Tool]) -> ir.Agent:
    """The agent without its names. A model without a provider is one of OpenAI's, as in the
    contract."""
    kind = fields.word("type", AGENT_TYPES)
    fields.text("status")
    config = fields.fields(key)
    if config is None:
        return ir.Agent(id="", person=kind is not None and kind.text == "person")
    config.unknown(_CONFIG_KEYS)
    model = config.text("model")
    instructions = config.text("instructions")
    named: list[str] = []
    for node in config.items("tools"):
        if not isinstance(node, Scalar) or not node.style:
            fields.tree.wrong_type(node, f"a tool of {fields.what}", "a text")
            continue
        tools.setdefault(node.text, ir.Tool(id=node.text, span=node.span))
        named.append(node.text)
    return ir.Agent(
        id="",
        person=kind is not None and kind.text == "person",
        tools=tuple(dict.fromkeys(named)),
        models=() if model is None else (_with_provider(model.text),),
        system=None if instructions is None else Literal(value=instructions.text),
    )


def _with_provider(model: str) -> str:
    return model if ":" in model else f"openai:{model}"


def _unique(fields: Fields, key: str, taken: dict[str, Scalar], *, required: bool) -> Scalar | None:
    words = fields.text(key, required=required)
    if words is None:
        return None
    first = taken.setdefault(words.text, words)
    if first is not words:
        what = "role" if key.startswith("role") else "id"
        fields.tree.sink.report(
            "FC1004",
            f"two agents of the team have the {what} `{words.text}`",
            words.span,
            labels=(Label(first.span, "the first one"),),
            help=f"give each agent a {what} of its own" if what == "role" else "rename one of them",
        )
    return words


def _id(fields: Fields, taken: dict[str, Scalar]) -> Scalar | None:
    """An agent's own id, under which it can be written to."""
    words = _unique(fields, "agent_id", taken, required=False)
    if words is None:
        return None
    fits = _ID.fullmatch(words.text) and len(words.text) <= LONGEST_ID
    if not fits or words.text == EVERYBODY:
        what = f"1 to {LONGEST_ID} printable ASCII characters without a space"
        fields.tree.sink.report(
            "FC1005",
            f"`agent_id` of {fields.what} is {'everybody' if fits else f'not {what}'}",
            words.span,
            help="give the agent another id, or leave it out: its role is one, too",
        )
    return words


def _check_workflow_config(fields: Fields) -> None:
    """A team may say how it likes to work; a contract says how it is executed."""
    config = fields.fields("workflow_config")
    if config is None:
        return
    config.unknown(("type", "max_iterations", "timeout_minutes"))
    config.word("type", WORKFLOW_TYPES)
    for key in ("max_iterations", "timeout_minutes"):
        value = config.number(key)
        if value is not None and value <= 0:
            fields.tree.sink.report(
                "FC1005",
                f"`{key}` of {config.what} is not greater than 0",
                config.span_of(key),
                help="write a number greater than 0",
            )
