"""The kinds of nodes."""

from __future__ import annotations

from dataclasses import field
from typing import Literal as Lit

from ..expr.ast import Expr
from ..source.records import dataclass
from ..source.source import Span, Spanned
from .declarations import (
    Assertion,
    Assignment,
    Delay,
    Effect,
    Event,
    HttpHeader,
    HttpMethod,
    Input,
    Json,
    Limit,
    Moment,
    OnUnknown,
    Output,
    QuestionSettings,
    ResultPart,
    Retry,
    Role,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeBase(Spanned):
    """What every node has. `id` is the file's own name; `group` names the element of the file
    that several nodes came from; `limits` bound this node alone, `timeout` is in seconds;
    `on_unknown` holds for its effects and those of what it calls. With `join` "all" it runs once
    all edges into it have been taken, with "any" for each."""

    id: str
    title: str = ""
    group: str | None = None
    limits: tuple[Limit, ...] = ()
    timeout: float | None = None
    retry: Retry | None = None
    join: Lit["any", "all"] = "any"
    on_unknown: OnUnknown | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentNode(NodeBase):
    """An agent answers `prompt`, using `tools` (in the listed order when `ordered`). Without a
    prompt it answers its thread as it stands.

    With `schema` (JSON Schema of an object) the answer is structured: the model has to give such an
    object, which goes `into` the variable instead of a text. `reply_into` gets the whole reply,
    `{content, tool_calls: [{id, name, args}]}`. With `report` the agent must call the reporting
    tool; its report decides passed or failed, and `outputs` are merged into the variables.
    Otherwise the answer's text goes `into` a variable. `models` and `settings`, field by field,
    take the place of the agent's.
    `step` counts the workflow's steps from 0; `section` is the heading it stands under and
    `description` what the file says it does, as written."""

    agent: str
    prompt: Expr | None = None
    tools: tuple[str, ...] = ()
    ordered: bool = False
    inputs: tuple[Input, ...] = ()
    outputs: tuple[Output, ...] = ()
    asserts: tuple[Assertion, ...] = ()
    report: bool = False
    schema: Json = None
    into: str | None = None
    reply_into: str | None = None
    prompt_id: str | None = None
    models: tuple[str, ...] = ()
    settings: QuestionSettings | None = None
    step: int | None = None
    section: str = ""
    description: str = ""
    kind: Lit["agent"] = "agent"


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageNode(NodeBase):
    """Change a thread without a model call: `append` a message, `reset` it to nothing but this
    message, or `clear` it of all. The rendered text of an appended message goes `into` a variable;
    the others empty it."""

    thread: str
    mode: Lit["append", "reset", "clear"]
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
class PythonNode(NodeBase):
    """Call a function of the program around the run: one that it binds to the name `function`, or
    that the configuration lists as `module:function`; a document alone imports nothing.

    The function is called by the names of its parameters: `args`, and what it asks for of the run
    (`FROM_RUN`). Its result goes `into` a variable; with `sets` it is an object, whose values go
    into the variables of these names. `effect` says whether a call may be repeated, None for once
    as far as the file says; `target_span` is where it names the function."""

    function: str
    target_span: Span | None = field(default=None, compare=False)
    args: tuple[Assignment, ...] = ()
    sets: tuple[str, ...] = ()
    effect: Effect | None = None
    into: str | None = None
    kind: Lit["python"] = "python"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecNode(NodeBase):
    """Run shell commands: one command (`form` "command"), or those in the shell blocks of a
    markdown text ("blocks"). `session` names the shell whose folder, variables and functions carry
    on.

    `parts` are what of the result goes into variables: `stdout` and `stderr` of all commands,
    `text` (stdout without the line breaks at its end), the value of stdout as `json`, the last exit
    `code`; or the `transcript`, which holds each command and what it wrote to both. Unless `code`
    is among them a command whose exit code is not 0 fails the node.

    `network` and `workspace` are what the sandbox lets them use beside what every command may: the
    network, and a folder below the one that the run is started in ("" for none)."""

    source: Expr
    form: Lit["command", "blocks"]
    session: str
    parts: tuple[ResultPart, ...] = ()
    network: bool = False
    workspace: str = ""
    kind: Lit["exec"] = "exec"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChooseNode(NodeBase):
    """Evaluate `on` once; outgoing edges carry the cases. True and false are the cases "true" and
    "false"; every other value is its text form."""

    on: Expr
    kind: Lit["choose"] = "choose"


@dataclass(frozen=True, slots=True, kw_only=True)
class AskNode(NodeBase):
    """Show `question` to a person, wait, store the answer. With `choices` only one of them is an
    answer. With `thread` question and answer are added to that conversation."""

    question: Expr
    into: str
    choices: tuple[str, ...] = ()
    thread: str | None = None
    kind: Lit["ask"] = "ask"


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitNode(NodeBase):
    """Wait for so long, until a point in time, or for an event that somebody sends to the run; no
    process is needed meanwhile. What the event brings goes `into` a variable, of the others the
    time at which the run went on."""

    awaits: Delay | Moment | Event
    into: str | None = None
    kind: Lit["wait"] = "wait"


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpNode(NodeBase):
    """Send a request to `url`, which is on one of `hosts`: `name`, `name:port`, or `*.name` for all
    below it. Redirects lead nowhere else. `query` is added to the URL; `body` is sent as JSON, or
    `text` as it is. `effect` None: a GET or HEAD is pure, anything else acts once.

    `parts` are what of the answer goes into variables. Unless `status` is among them a status of
    400 and above fails the node."""

    url: Expr
    method: HttpMethod = "GET"
    hosts: tuple[str, ...] = ()
    headers: tuple[HttpHeader, ...] = ()
    query: tuple[Assignment, ...] = ()
    body: Expr | None = None
    text: Expr | None = None
    effect: Effect | None = None
    parts: tuple[ResultPart, ...] = ()
    kind: Lit["http"] = "http"

    @property
    def call_effect(self) -> Effect:
        """What the request counts as."""
        return self.effect or ("pure" if self.method in ("GET", "HEAD") else "once")


@dataclass(frozen=True, slots=True, kw_only=True)
class AssignNode(NodeBase):
    """Assign in order. Without assignments it is a named point at which the run is checkpointed."""

    assignments: tuple[Assignment, ...] = ()
    kind: Lit["assign"] = "assign"


@dataclass(frozen=True, slots=True, kw_only=True)
class CallNode(NodeBase):
    """Run another workflow (`workflow` is its normalised path, with `#name` for one inside a file)
    as a subgraph.

    `passes` gives its parameters and variables, evaluated here; `passes_all` hands over every
    variable of the caller first. `returns_all` copies all its variables back; `returns` sets
    variables here from expressions over its own. It fails when the called workflow
    does not end in success. `target_span` is where the file names the workflow, `passes_span` where
    it begins to give values."""

    workflow: str
    target_span: Span | None = field(default=None, compare=False)
    passes_span: Span | None = field(default=None, compare=False)
    passes: tuple[Assignment, ...] = ()
    passes_all: bool = False
    returns: tuple[Assignment, ...] = ()
    returns_all: bool = False
    shares_sessions: bool = False
    kind: Lit["call"] = "call"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptNode(NodeBase):
    """Call a function of a script, in a process of its own without files, network or processes.

    The variables in `shares` stand on its `this` under their names, `threads` are its
    `workflow_contexts`; what it makes of both is written back. Of a variable that is also in
    `fixed` only the contents can be changed, another value in its place is forgotten (J24). A
    variable that holds a model's reply is given in the raw form of an answer (J25). `keeps` is the
    variable (an object) for everything else that it sets on `this`. What it returns goes `into` a
    variable."""

    script: str
    function: str
    function_span: Span | None = field(default=None, compare=False)
    args: tuple[Expr, ...] = ()
    shares: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()
    threads: tuple[str, ...] = ()
    keeps: str | None = None
    into: str | None = None
    kind: Lit["script"] = "script"


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskNode(NodeBase):
    """Work for whoever holds `role`, a model or a person; `agent` is bound to it by resolve.

    `after` are the variables with the results of the tasks it depends on: it is given their
    handoff, and a review scores them. The result goes `into` a variable as an object: `output`,
    `score` (0 to 1, or null), `handoff` (an object), `by`; of a decision also `decision` and
    `reason`; of a review also `scores` by variable. A synchronization is done by nobody: it merges
    the handoffs by key, a later one in `after` wins (C23). When it is done anew it is shown what
    the variables in `again` hold: its former result, and what reviews said of it. `minutes` is an
    estimate; `role_span` is where the file names the role."""

    role: str
    form: Lit["task", "decision", "synchronization", "review"] = "task"
    prompt: Expr
    criteria: tuple[Assertion, ...] = ()
    after: tuple[str, ...] = ()
    again: tuple[str, ...] = ()
    agent: str | None = None
    tools: tuple[str, ...] = ()
    minutes: float | None = None
    into: str
    role_span: Span | None = field(default=None, compare=False)
    kind: Lit["task"] = "task"


@dataclass(frozen=True, slots=True, kw_only=True)
class GateNode(NodeBase):
    """Judge before going on (C15, C23). A quality check compares `score` with `required`, both 0 to
    1; an approval shows `question` to a person; a milestone passes. Below, or refused: strict fails
    with an error of kind gate, lenient passes with a warning, advisory passes. The verdict goes
    `into` a variable as an object: `passed`, `score`, `required`."""

    form: Lit["quality_check", "approval", "milestone"]
    mode: Lit["strict", "lenient", "advisory"] = "strict"
    score: Expr | None = None
    required: float | None = None
    question: Expr | None = None
    into: str | None = None
    kind: Lit["gate"] = "gate"


@dataclass(frozen=True, slots=True, kw_only=True)
class AssertNode(NodeBase):
    """Fail with `message` unless `condition` holds."""

    condition: Expr
    message: Expr | None = None
    kind: Lit["assert"] = "assert"


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeachNode(NodeBase):
    """Run the workflow `workflow` for every element of `items`, `concurrency` at a time.

    `item` is its parameter for the element, `index` the one for its position from 0; `passes` gives
    more. The results (its only output's value, else an object of its outputs) go `into` a list in
    the order of the items. When `until`, which may read that list so far, holds, no further one
    begins."""

    items: Expr
    workflow: str
    item: str
    target_span: Span | None = field(default=None, compare=False)
    item_span: Span | None = field(default=None, compare=False)
    passes_span: Span | None = field(default=None, compare=False)
    index: str | None = None
    passes: tuple[Assignment, ...] = ()
    concurrency: int = 1
    until: Expr | None = None
    into: str
    kind: Lit["foreach"] = "foreach"


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
    | PythonNode
    | ExecNode
    | ChooseNode
    | AskNode
    | WaitNode
    | HttpNode
    | AssignNode
    | CallNode
    | ScriptNode
    | TaskNode
    | GateNode
    | AssertNode
    | ForeachNode
    | EndNode
)
