"""The lowered form in LangGraph's own words: channels, nodes, edges, branches.

The live graph (`runtime.graph.build`) and the emitted Python module are both made from it, so they
cannot drift. Everything in it is JSON-shaped; places are resolved to lines and columns, so that a
run-time failure names the user's own line without reading the file again.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal as Lit

from .. import ir
from ..expr.ast import Expr
from ..source.records import dataclass

SUCCESS_CASE = "success"
"""The case of a node that did what it should, when a branch follows it."""

MESSAGES = "messages"
"""The key of the first thread that a workflow declares: LangGraph's chats call it so."""

ChannelRole = Lit[
    "variable",
    "messages",
    "session",
    "route",
    "visits",
    "reports",
    "outcome",
    "handled",
    "clock",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where an element stands in the user's file; lines and columns from 1."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Channel:
    """A state key. `variable` channels are the workflow's own; the others carry what the runtime
    needs: a thread's messages, a shell session, the case a node chose, visit counters, the reports
    of agent nodes by node id, the outcome of the run, which handlers ran, the time and seed that
    scripts know.

    `name` is LangGraph's key. One that begins with `$` is flowc's own: no host sees it. `variable`
    is the name that expressions use. With `keep` a further turn of a thread leaves it alone.
    `schema` is the JSON Schema of its values, where all come from agents that answer by it."""

    name: str
    role: ChannelRole = "variable"
    variable: str | None = None
    type: ir.TypeName = "any"
    reducer: ir.Reducer = "replace"
    default: ir.Json = None
    keep: bool = False
    schema: ir.Json = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeSpec:
    """A LangGraph node. `catches` are the failures that a branch of this node handles: they become
    the case `error:<kind>` instead of ending the run. `route` is the channel its case is written
    to (None: no branch). `writes` are the channels it may write; anything else is refused. With
    `defer` it runs once nothing else is under way."""

    id: str
    op: ir.Node
    place: Place | None = None
    writes: tuple[str, ...]
    route: str | None = None
    catches: tuple[ir.ErrorKind, ...] = ()
    limits: tuple[ir.Limit, ...] = ()
    defer: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeSpec:
    """An unconditional edge; the target "__end__" ends the graph."""

    source: str
    target: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Join:
    """A node that runs once all of `sources` have: LangGraph's edge from several nodes. A source is
    a node, or the relay that a branch's case leads to."""

    sources: tuple[str, ...]
    target: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """Conditional edges of one node: the value of `channel` picks the target. A case listed twice
    leads to both targets. `otherwise` is taken for a case that is not listed; without it an
    unlisted case is a failure. The cases are "success" (the node did what it should), the values of
    a choose node, and "error:<kind>"; of an end node "handler" and "done". `labels` are the file's
    words for cases ("" for `otherwise`), such as a condition."""

    source: str
    channel: str
    cases: tuple[tuple[str, str], ...]
    otherwise: str | None = None
    labels: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptSpec:
    """A named prompt: what an answer in a script of answers may be keyed by."""

    id: str
    role: str
    template: Expr


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphSpec:
    """One workflow, ready to build. `subgraphs` holds every workflow that is called, by path (only
    the outermost spec carries them). `digest` is that of the whole program: a run is stamped
    with it. `relays` are nodes that do nothing: a branch leads into a join by way of one. `outside`
    are files that were read outside of the folder of `file`, from there, with their SHA-256;
    `param_places` say where each parameter stands."""

    name: str
    title: str
    file: str
    digest: str
    channels: tuple[Channel, ...]
    nodes: tuple[NodeSpec, ...]
    edges: tuple[EdgeSpec, ...]
    branches: tuple[Branch, ...]
    entry: str
    params: tuple[ir.Param, ...]
    outputs: tuple[str, ...]
    agents: tuple[ir.Agent, ...]
    prompts: tuple[PromptSpec, ...]
    joins: tuple[Join, ...] = ()
    relays: tuple[str, ...] = ()
    tools: tuple[ir.Tool, ...] = ()
    threads: tuple[ir.Thread, ...] = ()
    scripts: tuple[ir.Script, ...] = ()
    groups: tuple[ir.Group, ...] = ()
    model: str | None = None
    on_input: ir.OnInput | None = None
    on_success: str | None = None
    on_failed: str | None = None
    on_error: tuple[ir.ErrorRule, ...] = ()
    limits: tuple[ir.Limit, ...] = ()
    subgraphs: tuple[tuple[str, GraphSpec], ...] = ()
    outside: tuple[tuple[str, str], ...] | None = None
    param_places: tuple[tuple[str, Place], ...] = ()

    def node(self, name: str) -> NodeSpec | None:
        """Return the node of this name in the workflow itself."""
        return next((node for node in self.nodes if node.id == name), None)


def is_conversation(spec: GraphSpec, key: str) -> bool:
    """Whether a key of the state holds a thread's messages."""
    return any(c.name == key and c.role == "messages" for c in spec.channels)


def called_by(spec: GraphSpec, path: Iterable[str]) -> tuple[str, GraphSpec] | None:
    """Return the workflow that calls lead to from the main one, with its name among the subgraphs
    ("" for the main one); None where no such call is written. An element of a list is `each#3`."""
    subgraphs, name, called = dict(spec.subgraphs), "", spec
    for call in path:
        caller = called.node(call) or called.node(call.rpartition("#")[0])
        if caller is None or not isinstance(caller.op, ir.CallNode | ir.ForeachNode):
            return None
        name = caller.op.workflow
        called = subgraphs[name]
    return name, called


def answering_agent(op: ir.Node, spec: GraphSpec) -> ir.Agent | None:
    """The agent whose model a node calls; None for a node that calls none: a task that a person or
    nobody does is one."""
    if not isinstance(op, ir.AgentNode | ir.TaskNode):
        return None
    if isinstance(op, ir.TaskNode) and op.form == "synchronization":
        return None
    agent = next((a for a in spec.agents if a.id == op.agent), None)
    return None if agent is None or agent.person else agent


def labelled_targets(branch: Branch) -> tuple[tuple[str | None, str, str], ...]:
    """(case, label, target) of every way out of a branch; the case is None for `otherwise`. Labels
    are the file's words where it has some. They are unique, as LangGraph's path map needs them: a
    case with a second target gets a second one."""
    words = dict(branch.labels)
    ways: list[tuple[str | None, str, str]] = [(c, words.get(c, c), t) for c, t in branch.cases]
    if branch.otherwise is not None:
        ways.append((None, words.get("", "otherwise"), branch.otherwise))
    targets: list[tuple[str | None, str, str]] = []
    taken: set[str] = set()
    for case, wanted, target in ways:
        label, count = wanted, 2
        while label in taken:
            label, count = f"{wanted} ({count})", count + 1
        taken.add(label)
        targets.append((case, label, target))
    return tuple(targets)
