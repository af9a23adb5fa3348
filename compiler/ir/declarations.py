"""What a workflow declares beside its nodes: parameters, agents, tools, texts, limits."""

from __future__ import annotations

from dataclasses import field
from typing import Any
from typing import Literal as Lit

from ..expr.ast import Expr
from ..source.records import dataclass
from ..source.source import Spanned

Json = Any
"""A JSON value."""
TrialStatus = Lit["success", "failed", "paused", "stopped", "error"]
TypeName = Lit["text", "number", "integer", "boolean", "object", "list", "any"]
Reducer = Lit["replace", "append", "merge", "add"]
Effect = Lit["pure", "idempotent", "once"]
OnUnknown = Lit["ask", "repeat", "fail"]
"""What to do about an effect that was under way when the process died."""
Role = Lit["system", "user", "assistant"]
ErrorKind = Lit["failure", "timeout", "limit", "refused", "gate"]
REPORT_TOOL = "report_step_result"
"""The tool with which an agent reports a node's result."""
Reasoning = Lit["minimal", "low", "medium", "high"]
"""How much a model may think before it answers."""
ExecPart = Lit["text", "stdout", "stderr", "code", "json", "transcript"]
HttpPart = Lit["json", "text", "status", "headers"]
HttpMethod = Lit["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]
PartName = ExecPart | HttpPart
PART_TYPES: dict[PartName, TypeName] = {
    "text": "text", "stdout": "text", "stderr": "text", "code": "integer", "json": "any",
    "transcript": "text", "status": "integer", "headers": "object",
}  # fmt: skip
"""The types of the parts of results."""
LimitName = Lit["steps", "visits", "tokens", "cost", "seconds", "chars"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Param(Spanned):
    """A value the caller gives. `env` names the environment variable it is read from when the
    caller gives nothing (the workflow's file lists it, so it may be read)."""

    name: str
    type: TypeName = "text"
    required: bool = False
    default: Json = None
    env: str | None = None
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StateField(Spanned):
    """A variable of the run. A default of None means "unset". With `keep` it has its last value
    when a thread of a host begins another turn."""

    name: str
    type: TypeName = "text"
    default: Json = None
    reducer: Reducer = "replace"
    keep: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Seed:
    """A message that a conversation begins with."""

    role: str
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Thread(Spanned):
    """A named conversation that agents and people share during a run. When a message is added and
    the contents are longer than `max_chars` characters in all, the oldest messages that are not
    the system's go until they fit, but never below `keep_min` of them (J12)."""

    id: str
    seed: tuple[Seed, ...] = ()
    max_chars: int | None = None
    keep_min: int = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionSettings(Spanned):
    """What goes with every question to a model; None, or no `stop`, leaves it to the provider.
    `temperature` is 0 to 2, `top_p` above 0 and up to 1, `max_tokens` bounds an answer, `timeout`
    one attempt at it in seconds; an answer ends before a text of `stop`."""

    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    reasoning: Reasoning | None = None
    seed: int | None = None
    stop: tuple[str, ...] = ()
    timeout: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent(Spanned):
    """Who answers. Without `thread` each visit of a node starts a conversation of its own;
    `remember` says whether question and answer are stored in the thread. `models` are asked in
    their order, one after the other has failed; without any it is the run's model. `role` is what
    tasks ask for; `tools` it may use in all its nodes. A `person` is not a model: tasks of this
    role wait for an answer."""

    id: str
    role: str = ""
    person: bool = False
    tools: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    settings: QuestionSettings | None = None
    system: Expr | None = None
    thread: str | None = None
    perspective: Lit["assistant", "user"] = "assistant"
    remember: Lit["none", "both"] = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool(Spanned):
    """A tool the workflow names. `effect` is what the file says of its calls, None for nothing.
    `source` and what is `known` of them are bound by resolve from the catalogue; source "unknown"
    means that nothing known at compile time provides it. A tool whose `result` is
    "answer" is never executed: the model's call of it is its reply. The file declares such a tool
    with a `description` and a JSON `schema` of its arguments (source "declared")."""

    id: str
    source: Lit["builtin", "lock", "declared", "unknown"] = "unknown"
    effect: Effect | None = None
    known: Effect | None = None
    result: Lit["execute", "answer"] = "execute"
    description: str = ""
    schema: Json = None

    @property
    def call_effect(self) -> Effect:
        """What its calls count as: once where the file says so, else what is known of them."""
        return "once" if self.effect == "once" else self.known or self.effect or "once"


@dataclass(frozen=True, slots=True, kw_only=True)
class Script(Spanned):
    """Functions in a language of their own. `source` is the text, which begins in `line` (from 1)
    of `file`, so that an error in it points there (a place, so it does not count in comparisons);
    `functions` are the names that can be called. Lowering notes in `indent` how many characters
    stand before each of its lines there."""

    id: str
    language: Lit["javascript", "python"]
    source: str
    file: str = field(compare=False)
    line: int = field(default=1, compare=False)
    functions: tuple[str, ...] = ()
    indent: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt(Spanned):
    """A text written in the file under a name."""

    id: str
    role: Role
    template: Expr


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit(Spanned):
    """A bound. `then` "fail" ends the workflow FAILED (a program's own limit)."""

    name: LimitName
    value: Expr
    then: Lit["fail", "stop"] = "fail"


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment(Spanned):
    """`target := value`."""

    target: str
    value: Expr


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultPart(Spanned):
    """A part of what a node gives, and the variable that it goes into."""

    part: PartName
    variable: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Delay(Spanned):
    """So many seconds from when the node begins."""

    seconds: Expr
    kind: Lit["delay"] = "delay"


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment(Spanned):
    """A point in time: a text in ISO 8601 that says its distance from UTC, or seconds since
    1970."""

    at: Expr
    kind: Lit["moment"] = "moment"


@dataclass(frozen=True, slots=True, kw_only=True)
class Event(Spanned):
    """An event of this name, sent to the run. After `timeout` seconds without it the node fails
    (kind timeout)."""

    name: str
    timeout: float | None = None
    kind: Lit["event"] = "event"


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpHeader(Spanned):
    """A header of a request: `value`, or behind `prefix` the value of the environment variable
    `secret`, which is read when the request is sent and kept nowhere."""

    name: str
    value: Expr | None = None
    secret: str = ""
    prefix: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CronSchedule(Spanned):
    """When runs begin by themselves: the times of `cron` (five fields) in the time zone `zone`,
    with these `inputs`. Times that passed while nobody looked: begin none of them (`skip`), one
    for all (`once`), or one for each (`all`)."""

    cron: str
    zone: str = "UTC"
    missed: Lit["skip", "once", "all"] = "once"
    inputs: Json = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookStart(Spanned):
    """A request from outside begins a run: one that is signed with the secret in the environment
    variable `secret`. Its body is the value of the parameter `into`, or, where that is "", a
    mapping whose fields are parameters; `inputs` are given besides, and no request changes them."""

    secret: str
    into: str = ""
    inputs: Json = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorRule:
    """What is assigned when any node fails in one of `kinds`. Inside the values the name `error`
    is the failure: `error.message`, `error.kind`, `error.node`."""

    kinds: tuple[ErrorKind, ...]
    assignments: tuple[Assignment, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Input(Spanned):
    """A variable that must be present before an agent node starts."""

    name: str
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Output(Spanned):
    """A variable an agent reports: `source` says where its value stands, `name` the variable."""

    source: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Assertion(Spanned):
    """A success criterion. `expr` is set when the text parses as an expression over the tools'
    results; otherwise it is prose for the model alone."""

    text: str
    expr: Expr | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Retry:
    """Run a node again when it fails in one of `errors`: `attempts` in all (2 or more), waiting
    `wait` seconds before the second and `factor` times longer before each further one."""

    attempts: int
    wait: float = 1.0
    factor: float = 2.0
    errors: tuple[ErrorKind, ...] = ("failure", "timeout")


@dataclass(frozen=True, slots=True, kw_only=True)
class Group(Spanned):
    """An element of the file that became several nodes, under the file's own name."""

    id: str
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial(Spanned):
    """A case of `flowc test`: the inputs of the workflow and what must come of them. `answers` is a
    file of scripted answers or its content, `replay` a recording. What is None or empty is not
    checked. `path` lists nodes in the order of their visits, others may stand between them unless
    it is `complete`; `avoids` lists nodes that are not visited; a node of a called workflow is
    `CALL/NODE`. `holds` are conditions over the variables, `result` and `status`."""

    name: str
    inputs: Json = None
    answers: Json = None
    replay: str | None = None
    team: str | None = None
    status: TrialStatus = "success"
    result: Json = None
    variables: Json = None
    path: tuple[str, ...] = ()
    complete: bool = False
    avoids: tuple[str, ...] = ()
    holds: tuple[Expr, ...] = ()
    error: str = ""
