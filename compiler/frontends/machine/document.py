"""What a state machine's JSON says, checked key by key (J1–J6, J33–J35), meaning aside."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from ...diagnostics.diagnostic import Label
from ...ir import Seed
from ...reading.json_fields import Fields, Tree
from ...reading.tree import ListAt, MapAt, Scalar, Value
from ...source.records import dataclass
from ...source.spelling import Spelling

START, STOP, RESUME = "start", "stop", "resume"
_MOST_LISTED = 12
_SEED_ROLES = Spelling(("system", "user", "assistant", "tool", "developer", "function"))
DEFAULT_LENGTH = 50_000
"""Characters of a context that says nothing else (J3)."""
SIDES = ("user", "assistant")
CALLS = ("sendMessage", "sendUserMessage", "addUserMessage", "clearConversation")
RESERVED = ("common_data", "last_response", "lastAgentResponse", "workflow_contexts")
"""What stands on `this` beside the input: neither the input nor the output can have these names."""

TOP_KEYS = {
    "workflow_name": "what the machine is called",
    "description": "what it is for",
    "input": "what a run is given",
    "output": "what a run gives",
    "variables": "what `common_data` begins with",
    "contexts": "the conversations",
    "agents": "who answers, in which conversation",
    "states": "what happens; a run begins in `start`",
}
PARAMETER_KEYS = {
    "name": "its name",
    "type": "what kind of value it is",
    "description": "what it is for",
}
CONTEXT_KEYS = {
    "name": "its name",
    "starting_messages": "what it begins with",
    "max_length": "characters, above which the oldest messages go",
}
AGENT_KEYS = {
    "agent_role": "its name, and its entry among the roles",
    "context": "the conversation it takes part in",
    "role": "from which side it sees the conversation",
}
STATE_KEYS = {
    "name": "its name",
    "agent": "who answers",
    "pre_handler": "the function that runs before the agent",
    "post_handler": "the function that runs after it",
    "transition_handler": "the function that returns the next state's name",
    "input": "what the agent is told",
    "action": "the older dialect: a script, a function or an agent",
    "transition": "the older dialect: conditions and targets",
}
ACTION_KEYS = {
    "script": "JavaScript that is run",
    "function": "what is done with the conversation",
    "agent_role": "who answers",
    "message": "the text that is added",
}
TRANSITION_KEYS = {
    "target": "the next state",
    "condition": "JavaScript that decides",
    "before": "JavaScript that runs on the way",
}
"""The keys of each object, and what they are for."""


@dataclass(frozen=True, slots=True)
class MachineParameter:
    """The input or the output (J2)."""

    name: Scalar
    type: str
    description: str


@dataclass(frozen=True, slots=True)
class Context:
    """A conversation (J3, J10)."""

    name: Scalar
    seed: tuple[Seed, ...]
    max_length: int


@dataclass(frozen=True, slots=True)
class Role:
    """An agent (J4): who answers, in which context, from which side; `place` is where the context
    is named."""

    name: Scalar
    context: str | None
    side: str
    place: Scalar | None = None


@dataclass(frozen=True, slots=True)
class Transition:
    """A way out in the older dialect (J33)."""

    target: Scalar
    condition: Scalar
    before: Scalar | None


@dataclass(frozen=True, slots=True)
class State:
    """A state of either generation (J5, J6, J33–J35)."""

    name: Scalar
    agent: Scalar | None
    pre: Scalar | None
    post: Scalar | None
    transition: Scalar | None
    input: Scalar | None
    input_value: Any
    script: Scalar | None
    call: Scalar | None
    message: Scalar | None
    transitions: tuple[Transition, ...]
    is_older: bool

    @property
    def handlers(self) -> Iterator[Scalar]:
        """The names of functions that the state calls."""
        yield from (words for words in (self.pre, self.post, self.transition) if words)


@dataclass(frozen=True, slots=True)
class Machine:
    """The whole file. Lists hold what could be read; of two with one name the first."""

    tree: Tree
    name: str
    description: str
    input: MachineParameter | None
    output: MachineParameter | None
    variables: dict[str, Any]
    contexts: tuple[Context, ...]
    agents: tuple[Role, ...]
    states: tuple[State, ...]

    def state(self, name: str) -> State | None:
        return next((state for state in self.states if state.name.text == name), None)


def read_machine(tree: Tree) -> Machine | None:
    """Return the file's machine; None when it is not an object. Unknown keys are warnings (J1)."""
    top = tree.fields(tree.root, "the workflow")
    if top is None:
        return None
    top.unknown(TOP_KEYS, severity="warning")
    name = top.text("workflow_name", required=True)
    description = top.text("description", required=True)
    variables = top.get("variables")
    contexts = tuple(_contexts(top))
    agents = tuple(_agents(top, [c.name.text for c in contexts]))
    return Machine(
        tree=tree,
        name=name.text if name else "",
        description=description.text if description else "",
        input=_parameter(top, "input"),
        output=_parameter(top, "output"),
        variables=_object(top, variables) if variables is not None else {},
        contexts=contexts,
        agents=agents,
        states=tuple(_states(top, agents)),
    )


def _object(top: Fields, node: Value) -> dict[str, Any]:
    if isinstance(node, MapAt):
        return dict(top.tree.value(node, "`variables`") or {})
    top.wrong_type("variables", node, "an object")
    return {}


def _parameter(top: Fields, key: str) -> MachineParameter | None:
    """Read the input or output: a name, a type in words and a description (J2)."""
    fields = top.fields(key, f"`{key}`", required=True)
    if fields is None:
        return None
    fields.unknown(PARAMETER_KEYS, severity="warning")
    name = fields.text("name", required=True)
    type, description = (fields.text(k, required=True) for k in ("type", "description"))
    if name is not None and name.text in RESERVED:
        message = f"`{key}` is called `{name.text}`, which is a name of the machine itself"
        fields.tree.sink.report("FC1005", message, name.span, help="give it another name")
        return None
    if name is None:
        return None
    return MachineParameter(
        name, type.text if type else "", description.text if description else ""
    )


def _entries(top: Fields, key: str, name_key: str) -> Iterator[tuple[Fields, Scalar, bool]]:
    """Yield the entries of a list, their names, and whether a name is new; it must not be empty."""
    kind = key.removesuffix("s")
    seen: dict[str, Scalar] = {}
    for node in _nonempty_items(top, key, kind):
        entry = top.tree.fields(node, f"an {kind}" if kind == "agent" else f"a {kind}")
        name = entry.text(name_key, required=True) if entry else None
        if entry is None or name is None:
            continue
        first = seen.setdefault(name.text, name)
        if first is not name:
            message = f"two {key} are called `{name.text}`"
            help = "give one of them another name"
            labels = (Label(first.span, "the first one"),)
            top.tree.sink.report("FC1004", message, name.span, labels=labels, help=help)
        yield replace(entry, what=f"{kind} `{name.text}`"), name, first is name


def _nonempty_items(top: Fields, key: str, kind: str) -> Sequence[Value]:
    node = top.get(key, required=True)
    if node is None:
        return ()
    if isinstance(node, ListAt) and not node.items and top.tree.complete:
        top.tree.sink.report(
            "FC1008" if key == "states" else "FC1003",
            f"the workflow has no {kind}: `{key}` is empty",
            top.span_of(key),
            help=f"add at least one {kind}",
        )
    return top.items(key)


def _contexts(top: Fields) -> Iterator[Context]:
    for entry, name, is_new in _entries(top, "contexts", "name"):
        entry.unknown((*CONTEXT_KEYS, "description"), severity="warning")
        context = Context(name, tuple(_messages(entry)), _length(entry))
        if is_new:
            yield context


def _length(entry: Fields) -> int:
    length = entry.number("max_length")
    if length is not None and (length < 0 or length != int(length)):
        entry.wrong_type("max_length", entry.members["max_length"][1], "a positive whole number")
        return DEFAULT_LENGTH
    return int(length or DEFAULT_LENGTH)


def _messages(entry: Fields) -> Iterator[Seed]:
    """Yield starting messages: any role word, a content that is not empty (J11)."""
    for node in entry.items("starting_messages"):
        message = entry.tree.fields(node, f"a starting message of {entry.what}")
        if message is None:
            continue
        message.unknown(("role", "content", "name"), severity="warning")
        role, content = (message.text(key, required=True) for key in ("role", "content"))
        near = _SEED_ROLES.nearest(role.text) if role and role.text not in _SEED_ROLES else None
        if role and near:
            fault = f"`role` of a starting message of {entry.what} is `{role.text}`"
            entry.tree.sink.report("FC1005", fault, role.span, severity="warning", near=near)
        if role and content:
            yield Seed(role=role.text, content=content.text)


def _agents(top: Fields, contexts: list[str]) -> Iterator[Role]:
    for entry, name, is_new in _entries(top, "agents", "agent_role"):
        entry.unknown((*AGENT_KEYS, "description"), severity="warning")
        side = entry.word("role", SIDES, required=True)
        context = entry.text("context", required=True)
        if context is not None and context.text not in contexts and contexts:
            context = entry.word("context", contexts)
        if is_new:
            named = context.text if context else None
            yield Role(name, named, side.text if side else "assistant", context)


def _states(top: Fields, agents: tuple[Role, ...]) -> Iterator[State]:
    """Yield every state; without one called `start` there is nowhere to begin (J5)."""
    names: dict[str, Scalar] = {}
    known = [agent.name.text for agent in agents]
    spelling = Spelling(known)
    for entry, name, is_new in _entries(top, "states", "name"):
        names.setdefault(name.text, name)
        state = _state(entry, name)
        if known and state.agent is not None and state.agent.text not in spelling:
            _report_unknown_agent(top.tree, state.name, state.agent, known, spelling)
        if is_new:
            yield state
    nodes = top.get("states")
    is_read = isinstance(nodes, ListAt) and nodes.items and top.tree.complete
    if is_read and START not in names:
        near = Spelling(names).nearest(START)
        top.tree.sink.report(
            "FC1003",
            "there is no state `start`, where a run begins",
            names[near].span if near else top.members["states"][0].whole,
            help=f"is `{near}` meant to be `start`?" if near else "call the first state `start`",
        )


def _state(entry: Fields, name: Scalar) -> State:
    entry.unknown((*STATE_KEYS, "description"), severity="warning")
    action = entry.fields("action", f"`action` of {entry.what}")
    if action is not None:
        action.unknown((*ACTION_KEYS, "sub_workflow"), severity="warning")
        action.text("sub_workflow")  # a text, and never executed (J42)
    agent = entry.text("agent")
    value = entry.get("input")
    is_text = isinstance(value, Scalar) and value.style == '"'
    if value is not None and not is_text and name.text != STOP:
        entry.wrong_type("input", value, "a text")
    transitions = tuple(_transitions(entry))
    return State(
        name=name,
        agent=agent or (action.text("agent_role") if action else None),
        pre=entry.text("pre_handler"),
        post=entry.text("post_handler"),
        transition=entry.text("transition_handler"),
        input=entry.text("input", empty=True) if is_text else None,
        input_value=entry.tree.value(value, "`input`") if value is not None else None,
        script=action.text("script") if action else None,
        call=action.word("function", CALLS) if action else None,
        message=action.text("message") if action else None,
        transitions=transitions,
        is_older=action is not None or entry.get("transition") is not None,
    )


def _transitions(entry: Fields) -> Iterator[Transition]:
    for node in entry.items("transition"):
        fields = entry.tree.fields(node, f"a transition of {entry.what}")
        if fields is None:
            continue
        fields.unknown((*TRANSITION_KEYS, "description"), severity="warning")
        target, condition = (fields.text(key, required=True) for key in ("target", "condition"))
        before = fields.text("before")
        if target and condition:
            yield Transition(target, condition, before)


def _report_unknown_agent(
    tree: Tree, state: Scalar, agent: Scalar, known: Sequence[str], spelling: Spelling
) -> None:
    listed = ", ".join(f"`{name}`" for name in known[:_MOST_LISTED])
    more = f" and {len(known) - _MOST_LISTED} more" if len(known) > _MOST_LISTED else ""
    tree.sink.report(
        "FC4001",
        f"state `{state.text}` names the agent `{agent.text}`, which is not declared",
        agent.span,
        help=f"the agents are {listed}{more}",
        near=spelling.nearest(agent.text),
    )
