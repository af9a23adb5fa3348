"""The IR: one typed workflow, whatever dialect it was written in. Frozen data and nothing else.

Unions are tagged by `kind`; spans and origin are excluded from comparison, so that equality means
"the same workflow". A format differs by the IR its front end builds, never by a branch later.

Values of variables are JSON values. An expression (`Expr`) that is a template is a `Text`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal as Lit

from .expr.ast import Expr, Scalar
from .source import Span

TypeName = Lit["text", "number", "integer", "boolean", "object", "list", "any"]
Reducer = Lit["replace", "append", "merge", "add"]
Effect = Lit["pure", "idempotent", "once"]
Role = Lit["system", "user", "assistant"]
ErrorKind = Lit["failure", "timeout", "limit", "refused"]
REPORT_TOOL = "report_step_result"
"""The tool with which an agent reports a node's result."""
LimitName = Lit["steps", "visits", "tokens", "cost", "seconds", "chars"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Param:
    """A value the caller gives. `env` names the environment variable it is read from when the
    caller gives nothing (the workflow's file lists it, so it may be read)."""

    name: str
    type: TypeName = "text"
    required: bool = False
    default: Scalar = None
    env: str | None = None
    description: str = ""
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class StateField:
    """A variable of the run. A default of None means "unset"."""

    name: str
    type: TypeName = "text"
    default: Scalar = None
    reducer: Reducer = "replace"
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Thread:
    """A named conversation that agents and people share during a run."""

    id: str
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """Who answers. Without `thread` each visit of a node starts a conversation of its own;
    `remember` says whether question and answer are stored in the thread. `model` None means
    the run's model."""

    id: str
    model: str | None = None
    system: Expr | None = None
    thread: str | None = None
    perspective: Lit["assistant", "user"] = "assistant"
    remember: Lit["none", "both"] = "none"
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool the workflow names. `source` and `effect` are bound by resolve from the catalogue;
    source "unknown" means that nothing known at compile time provides it."""

    id: str
    source: Lit["builtin", "lock", "unknown"] = "unknown"
    effect: Effect = "once"
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A text written in the file under a name."""

    id: str
    role: Role
    template: Expr
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """A bound. `then` "fail" ends the workflow FAILED (a program's own limit)."""

    name: LimitName
    value: Expr
    then: Lit["fail", "stop"] = "fail"
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """`target := value`."""

    target: str
    value: Expr
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorRule:
    """What is assigned when any node fails in one of `kinds`. Inside the values the name `error`
    is the failure: `error.message`, `error.kind`, `error.node`."""

    kinds: tuple[ErrorKind, ...]
    assignments: tuple[Assignment, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """A variable that must be present before an agent node starts."""

    name: str
    description: str = ""
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """A variable an agent reports: `source` says where its value stands, `name` the variable."""

    source: str
    name: str
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Assertion:
    """A success criterion. `expr` is set when the text parses as an expression over the tools'
    results; otherwise it is prose for the model alone."""

    text: str
    expr: Expr | None = None
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeBase:
    """What every node has. `id` is the file's own name; `group` names the element of the file
    that several nodes came from; `limits` bound this node alone."""

    id: str
    title: str = ""
    group: str | None = None
    limits: tuple[Limit, ...] = ()
    timeout: float | None = None
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentNode(NodeBase):
    """An agent answers `prompt`, using `tools` (in the listed order when `ordered`).

    With `report` the agent must call the reporting tool; its report decides passed or failed, and
    `outputs` are merged into the variables. Otherwise the answer's text goes `into` a variable.
    `step` counts the workflow's steps from 0; `section` is the heading it stands under and
    `description` what the file says it does, as written."""

    agent: str
    prompt: Expr
    tools: tuple[str, ...] = ()
    ordered: bool = False
    inputs: tuple[Input, ...] = ()
    outputs: tuple[Output, ...] = ()
    asserts: tuple[Assertion, ...] = ()
    report: bool = False
    into: str | None = None
    prompt_id: str | None = None
    step: int | None = None
    section: str = ""
    description: str = ""
    kind: Lit["agent"] = "agent"


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageNode(NodeBase):
    """Change a thread without a model call: `append` a message, or `reset` it to nothing but this
    message. The rendered text of an appended message goes `into` a variable; reset empties it."""

    thread: str
    mode: Lit["append", "reset"]
    role: Role
    template: Expr
    into: str | None = None
    prompt_id: str | None = None
    kind: Lit["message"] = "message"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolNode(NodeBase):
    """Call a tool with computed arguments; its result goes `into` a variable."""

    tool: str
    args: tuple[Assignment, ...] = ()
    into: str | None = None
    kind: Lit["tool"] = "tool"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecNode(NodeBase):
    """Run shell commands: one command (`form` "command"), or those in the shell blocks of a
    markdown text ("blocks"). The transcript goes `into` a variable, the last exit code into
    `code_into`. `session` names the shell whose folder, variables and functions carry on."""

    source: Expr
    form: Lit["command", "blocks"]
    session: str
    into: str
    code_into: str | None = None
    kind: Lit["exec"] = "exec"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChooseNode(NodeBase):
    """Evaluate `on` once; outgoing edges carry the cases. True and false are the cases "true" and
    "false"; every other value is its text form."""

    on: Expr
    kind: Lit["choose"] = "choose"


@dataclass(frozen=True, slots=True, kw_only=True)
class AskNode(NodeBase):
    """Show `question` to a person, wait, store the answer."""

    question: Expr
    into: str
    kind: Lit["ask"] = "ask"


@dataclass(frozen=True, slots=True, kw_only=True)
class AssignNode(NodeBase):
    """Assign in order. Without assignments it is a named point at which the run is checkpointed."""

    assignments: tuple[Assignment, ...] = ()
    kind: Lit["assign"] = "assign"


@dataclass(frozen=True, slots=True, kw_only=True)
class CallNode(NodeBase):
    """Run another workflow (`workflow` is its normalised path) as a subgraph.

    `passes` gives its parameters and variables, evaluated here; `passes_all` hands over every
    variable of the caller first. `returns_all` copies all its variables back. It fails when the
    called workflow does not end in success. `target_span` is where the file names the workflow."""

    workflow: str
    target_span: Span | None = field(default=None, compare=False)
    passes: tuple[Assignment, ...] = ()
    passes_all: bool = False
    returns_all: bool = False
    shares_sessions: bool = False
    kind: Lit["call"] = "call"


@dataclass(frozen=True, slots=True, kw_only=True)
class EndNode(NodeBase):
    """The workflow ends with `outcome`, unless its handler for that outcome has not run yet."""

    outcome: Lit["success", "failed"]
    assignments: tuple[Assignment, ...] = ()
    kind: Lit["end"] = "end"


Node = (
    AgentNode
    | MessageNode
    | ToolNode
    | ExecNode
    | ChooseNode
    | AskNode
    | AssignNode
    | CallNode
    | EndNode
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """Taken when the choose node's value is `value`."""

    value: str
    kind: Lit["case"] = "case"


@dataclass(frozen=True, slots=True, kw_only=True)
class Otherwise:
    """Taken when no case matches."""

    kind: Lit["otherwise"] = "otherwise"


@dataclass(frozen=True, slots=True, kw_only=True)
class OnError:
    """Taken when the node fails in one of these ways."""

    errors: tuple[ErrorKind, ...]
    kind: Lit["error"] = "error"


Guard = Case | Otherwise | OnError


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """A transition. `label` is the text as written, `implied` an edge the format adds by itself."""

    source: str
    target: str
    guard: Guard | None = None
    label: str = ""
    implied: bool = False
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where a workflow came from: for messages and `inspect` alone, never to decide."""

    format: str
    file: str
    details: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Workflow:
    """One workflow. `entry` is the id of the first node; `on_success` and `on_failed` are the ids
    where the handler chains begin; `outputs` are the variables that make up its result, the first
    of them is what a person is shown."""

    name: str
    title: str = ""
    description: str = ""
    params: tuple[Param, ...] = ()
    outputs: tuple[str, ...] = ()
    state: tuple[StateField, ...] = ()
    agents: tuple[Agent, ...] = ()
    tools: tuple[Tool, ...] = ()
    threads: tuple[Thread, ...] = ()
    prompts: tuple[Prompt, ...] = ()
    nodes: tuple[Node, ...] = ()
    edges: tuple[Edge, ...] = ()
    entry: str = ""
    on_success: str | None = None
    on_failed: str | None = None
    on_error: tuple[ErrorRule, ...] = ()
    limits: tuple[Limit, ...] = ()
    span: Span | None = field(default=None, compare=False)
    origin: Origin | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """The workflow that was asked for and every workflow it calls, by normalised path."""

    entry: str
    workflows: tuple[tuple[str, Workflow], ...]

    @property
    def main(self) -> Workflow:
        return dict(self.workflows)[self.entry]
