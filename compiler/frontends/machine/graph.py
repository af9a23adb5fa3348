"""The nodes of a machine under construction: ids, variables, and what all states share."""

from __future__ import annotations

import re
from dataclasses import field
from itertools import islice, pairwise

from ... import ir
from ...diagnostics.diagnostic import Sink
from ...expr.ast import Call, Expr, Literal, Name
from ...reading.tree import Scalar
from ...source.records import dataclass
from ...source.source import Span
from ...source.spelling import Spelling
from .document import START, STOP, Machine, State
from .expressions import ANSWER, DATA, REPLY
from .script import SCRIPT, Handlers
from .scripts.functions import ScriptFile

_NOT_IN_AN_ID = re.compile(r"[:|\s]+")
"""LangGraph splits the names of nested nodes at `:` and `|`."""


@dataclass(frozen=True, slots=True)
class MachineVariables:
    """The run's variables. Those without a fixed name give way to the input's and output's."""

    param: str
    output: str
    visited: str
    next: str
    test: str
    kept: str

    @property
    def shares(self) -> tuple[str, ...]:
        """What stands on `this` of a script (J24, J41)."""
        return (DATA, REPLY, ANSWER, "input")


def variables_of(machine: Machine) -> MachineVariables:
    """Return names for everything that a machine's run keeps."""
    param = machine.input.name.text if machine.input else "input"
    output = machine.output.name.text if machine.output else "output"
    taken = {param, output, "input", DATA, REPLY, ANSWER}
    free = []
    for wanted in ("states_visited", "next_state", "test", "kept"):
        name = wanted
        while name in taken:
            name += "_"
        taken.add(name)
        free.append(name)
    return MachineVariables(param, output, *free)


@dataclass(slots=True)
class MachineGraph:
    """Nodes, edges, groups and scripts so far; `entries` are the first nodes of the states."""

    machine: Machine
    file: ScriptFile | None
    handlers: Handlers
    sink: Sink
    names: MachineVariables
    is_older: bool
    nodes: list[ir.Node] = field(default_factory=list)
    edges: list[ir.Edge] = field(default_factory=list)
    groups: list[ir.Group] = field(default_factory=list)
    scripts: list[ir.Script] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)
    entries: dict[str, str] = field(default_factory=dict)
    agents: dict[str, str] = field(default_factory=dict)
    begin: str = ""
    stop: str = ""
    unknown: str = ""

    _spelling: Spelling | None = None

    def advice(self, name: str) -> tuple[str | None, str]:
        """Return the state that a name was probably meant for, and what to write without one."""
        if self._spelling is None:
            self._spelling = Spelling(self.entries)
        near = self._spelling.nearest(name)
        states = ", ".join(f"`{known}`" for known in islice(self.entries, 8))
        return near, f"the states are {states}"

    def __post_init__(self) -> None:
        self.stop = self.fresh(STOP)
        for state in self.machine.states:
            if state.name.text != STOP:
                self.agents[state.name.text] = self.fresh(state.name.text)
        for name in self.agents:
            self.entries[name] = self.fresh(f"{name}.enter")
        self.entries[STOP] = self.stop
        self.begin = self.fresh("begin")
        self.unknown = self.fresh("unknown state")

    def fresh(self, wanted: str) -> str:
        """Return an id that no other node has."""
        id = _NOT_IN_AN_ID.sub("_", wanted.strip()) or "_"
        while id in self.ids:
            id += "_"
        self.ids.add(id)
        return id

    @property
    def threads(self) -> tuple[str, ...]:
        return tuple(context.name.text for context in self.machine.contexts)

    def script(
        self, id: str, state: State, function: str, *, into: str | None = None,
        script: str = SCRIPT, title: str = "", span: Span | None = None,
    ) -> ir.ScriptNode:  # fmt: skip
        """Return a call of a script's function (J19, J24)."""
        return ir.ScriptNode(
            id=id,
            title=title or function,
            group=state.name.text,
            script=script,
            function=function,
            shares=self.names.shares,
            fixed=(DATA,),
            threads=self.threads,
            keeps=self.names.kept,
            into=into,
            span=span,
        )

    def handler(
        self, part: str, state: State, words: Scalar, into: str | None = None
    ) -> ir.ScriptNode:
        """Return the node of a handler that a state names; FC4001 when the script lacks it."""
        self.handlers.require(words, f"the {_HANDLERS[part]} of state `{state.name.text}`")
        id = self.fresh(f"{state.name.text}.{part}")
        return self.script(id, state, words.text, into=into, span=words.span)

    def agent(
        self, state: State, prompt: Expr | None = None, description: str = ""
    ) -> ir.AgentNode:
        """Return the node in which the state's agent answers `prompt`, or else its context."""
        assert state.agent is not None
        return ir.AgentNode(
            id=self.agents[state.name.text],
            title=state.agent.text,
            group=state.name.text,
            agent=state.agent.text,
            prompt=prompt,
            description=description,
            into=ANSWER,
            reply_into=REPLY,
            span=state.agent.span,
        )

    def enter(self, state: State) -> ir.AssignNode:
        """Return the first node of a state: it writes down the visit (J28)."""
        visited = self.names.visited
        name = Literal(value=state.name.text)
        value: Expr = Call(function="append", args=(Name(name=visited), name))
        return ir.AssignNode(
            id=self.entries[state.name.text],
            title=state.name.text,
            group=state.name.text,
            assignments=(ir.Assignment(target=visited, value=value),),
            span=state.name.span,
        )

    def lead(
        self, source: str, target: str, guard: ir.Guard | None = None, *,
        label: str = "", implied: bool = False, span: Span | None = None,
    ) -> None:  # fmt: skip
        """Add an edge."""
        self.edges.append(
            ir.Edge(
                source=source, target=target, guard=guard, label=label, implied=implied, span=span
            )
        )

    def chain(self, *nodes: ir.Node) -> None:
        """Add nodes, each leading to the next."""
        for before, after in pairwise(nodes):
            self.lead(before.id, after.id, implied=True, span=after.span)
        self.nodes.extend(nodes)

    def variables(self) -> tuple[ir.StateField, ...]:
        """Return every variable but the parameter."""
        names = self.names
        fields = [
            ir.StateField(name=DATA, type="object", default={}),
            ir.StateField(name=REPLY, type="any"),
            ir.StateField(name=ANSWER, type="text"),
            ir.StateField(name="input", type="any"),
            ir.StateField(name=names.output, type="any"),
            ir.StateField(name=names.visited, type="list", default=[]),
            ir.StateField(name=names.next, type="any"),
            ir.StateField(name=names.test, type="any"),
            ir.StateField(name=names.kept, type="object", default={}),
        ]
        own = {f.name: f for f in reversed(fields) if f.name != names.param}
        return tuple(reversed(own.values()))

    @property
    def first(self) -> str:
        """The first node of `start`; of the first state in a file without one."""
        return self.entries.get(START) or next(iter(self.entries.values()))


_HANDLERS = {
    "pre": "pre-handler", "post": "post-handler", "next": "transition-handler",
    "script": "script",
}  # fmt: skip
