"""Services: all that a running graph needs from outside, its parts behind protocols."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from flowc.compiler.ir import Effect, QuestionSettings, Script

from .charges import NO_USAGE, Cap, Charge, ChargeLedger, Estimate, Grant, Usage
from .context import WaitClock
from .errors import Failure, LimitReached
from .events import EventKind, Tape
from .people import Assignments, NoPeople, People, Question, TeamAssignments, Timer
from .requests import NoSender, Sender
from .values import Json as Json
from .values import Write

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig
    from langgraph.runtime import Runtime

MODEL_CALL = "model call"
"""The journal's name for a call of a model, which the next attempt always repeats."""
Message = dict[str, Any]
"""role and content; an assistant's has tool_calls [{id, name, args}], a tool's tool_call_id."""


@dataclass(frozen=True, slots=True)
class ToolSchema:
    """A tool as a model sees it: name, description, JSON Schema of its arguments."""

    name: str
    description: str
    parameters: dict[str, Any]
    effect: Effect = "once"
    source: str = "builtin"


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One model call. `node` and `prompt` name its place in the workflow (the key of scripted
    answers), `agent` the one who answers (the key of offline rules); `visit` counts the node's
    visits, `turn` the model calls of the visit, both from 1. `ending` is the tool whose call ends
    the node, if there is one."""

    messages: tuple[Message, ...]
    tools: tuple[ToolSchema, ...]
    node: str
    prompt: str | None
    visit: int
    turn: int
    model: str | None = None
    settings: QuestionSettings | None = None
    agent: str = ""
    force_tool: str | None = None
    ending: str | None = None
    grant: Grant | None = None
    on_text: Callable[[str], None] | None = None
    on_retry: Callable[[int, str, float], None] | None = None


@dataclass(frozen=True, slots=True)
class ModelReply:
    """A model's answer: text and perhaps calls of tools ({id, name, args}). A reply that was `cut`
    off at the limit on its tokens is not an answer. `id` is that of its pieces in a stream."""

    text: str
    tool_calls: tuple[dict[str, Any], ...] = ()
    usage: Usage = NO_USAGE
    model: str = ""
    cut: bool = False
    id: str = ""


class Models(Protocol):
    """Answers model calls. `label` names what answers ("openai:gpt-…", "scripted answers: …");
    `is_model` says whether it is a language model at all."""

    @property
    def label(self) -> str: ...

    @property
    def is_model(self) -> bool: ...

    async def reply(self, request: ModelRequest) -> ModelReply:
        """Return the answer. Raise `Failure` (kind failure, timeout or limit)."""


class Reservation(Grant, Protocol):
    """The worst case of one call, reserved in every limit that the call counts in."""

    async def settle(self, reply: ModelReply) -> Charge:
        """Replace the worst case by the real usage. Raise as `reserve` when it is too long."""

    async def release(self) -> None:
        """Give the reservation back: the call was refused and cost nothing."""

    def let_go(self) -> None:
        """End the call; its charge stays."""

    def cut_short(self) -> Failure | LimitReached:
        """Return the error for an answer that broke off at the limit on its tokens."""


class Budget(Protocol):
    """The limits on a run's model calls: see runtime/budget/budget.py."""

    @property
    def caps(self) -> tuple[Cap, ...]:
        """The caller's limits of the whole run."""

    async def open(self, ledger: ChargeLedger, *, blank: bool = False) -> None:
        """Go on from the charges that the run has in the ledger."""

    def full_name(self, model: str | None) -> str:
        """Return `provider:name` of an agent's model, or of the run's when it names none."""

    async def reserve(self, estimate: Estimate, *, later: bool = False) -> Reservation:
        """Reserve the worst case of a call in every scope; `later`, it is written with what comes
        next. Raise `Failure` of kind limit, or `LimitReached`, when there is no room."""

    async def renew(self, scope: str, name: str, used: int | None = None) -> None:
        """Let a limit that stopped the run count anew from here, or from `used`."""

    def since(self, scope: str, name: str) -> int:
        """Return the usage that a limit of the program counts from."""

    def left_of(self, estimate: Estimate) -> dict[str, float]:
        """Return what the limits leave for a call, by measure; cost in dollars."""

    def used(self) -> Usage:
        """Return the usage of all calls of the run together."""


class Tools(Protocol):
    """Calls tools by name. The engine opens it before a run starts or resumes, and closes it."""

    async def open(self) -> None:
        """Raise `RunError` when it is certain that a tool which the workflow names is missing."""

    async def schema(self, name: str) -> ToolSchema | None:
        """Return a tool as a model sees it. A server that may have it is started for that."""

    async def call(self, name: str, args: dict[str, Json]) -> Json:
        """Return a JSON value. Raise `Failure` when the tool fails or does not exist."""

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class FunctionCall:
    """A node's call of a function: `args` by name, and what it may ask for: `state`, …"""

    function: str
    args: dict[str, Json]
    state: Mapping[str, Json]
    config: RunnableConfig
    runtime: Runtime[Any]


Functions: TypeAlias = Callable[[FunctionCall], Awaitable[Json]]
"""Returns the JSON value of a call. Raises `Failure` when the function fails."""


@dataclass(frozen=True, slots=True)
class Grants:
    """What a workflow's file grants its commands: the network, a folder below the run's to fill."""

    network: bool = False
    workspace: str = ""


NO_GRANTS = Grants()


@dataclass(frozen=True, slots=True)
class CommandResult:
    """One command: `exit_code` (negative: killed by that signal), its outputs (each cut at the
    limit, both in `stdout` where they were merged; `cut`: something of stdout is missing), seconds,
    whether a time limit killed it, the shell's state, the sandbox's level."""

    command: str
    exit_code: int
    stdout: str
    seconds: float
    timed_out: bool
    state: str
    level: str = "off"
    stderr: str = ""
    cut: bool = False


class Shell(Protocol):
    """Runs one command in a sandbox, with the state of the shell before it."""

    async def run(self, command: str, state: str, granted: Grants, merged: bool) -> CommandResult:
        """Run a command; `state` is "" for a fresh shell. `merged`: both outputs are one. Raise
        `Failure` when no shell starts, the sandbox refuses (kind refused), or it took too much."""

    def confinement(self, granted: Grants) -> str:
        """Say to who approves commands how they are confined: `in the sandbox (full), …`."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """A thread as a script receives it: see `ir.Thread`."""

    messages: tuple[Message, ...]
    max_chars: int | None = None
    keep_min: int = 10


@dataclass(frozen=True, slots=True)
class ScriptCall:
    """A call of a script's function. Its `this` holds `shares` (of those in `fixed` only the
    contents can change), `kept` and the conversations. `time` (milliseconds since 1970) and `seed`
    are all that it knows of clock and chance. `wants`: the workflow uses the function's result."""

    script: Script
    function: str
    args: tuple[Json, ...] = ()
    shares: dict[str, Json] = field(default_factory=dict)
    fixed: tuple[str, ...] = ()
    kept: dict[str, Json] = field(default_factory=dict)
    threads: dict[str, Conversation] = field(default_factory=dict)
    time: int = 0
    seed: str = ""
    wants: bool = False


@dataclass(frozen=True, slots=True)
class ScriptResult:
    """The result of a call: of `shares` and `threads` only those that it changed (a thread as
    {append: …} or {reset: …}), `kept` None when it is as before; (level, line) pairs in `log`."""

    value: Json = None
    shares: dict[str, Json] = field(default_factory=dict)
    kept: dict[str, Json] | None = None
    threads: dict[str, dict[str, list[Message]]] = field(default_factory=dict)
    log: tuple[tuple[str, str], ...] = ()


class Scripts(Protocol):
    """Calls functions of scripts in processes of their own. A call has no effect but its result."""

    @property
    def sandboxed(self) -> bool:
        """Whether that is enforced; a script in Python has all rights of the person otherwise."""

    async def evaluate(self, call: ScriptCall) -> ScriptResult:
        """Return the result. Raise `Failure` with the place in the script: it raised, does not
        exist, returned what is not a JSON value, or took more time or memory than it may."""

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class NoScripts:
    """Refuses to run scripts."""

    sandboxed = True

    async def evaluate(self, call: ScriptCall) -> ScriptResult:
        raise Failure("scripts cannot run here", "refused")

    async def close(self) -> None:
        return None


class Files(Protocol):
    """Files below the workflow's folder and the granted roots, links resolved."""

    def read(self, path: str, base: str) -> str:
        """Return a file's text; `base` is the workflow's. Raise `Failure` (refused) outside."""

    async def write(self, path: str, text: str, base: str) -> str: ...


@dataclass(frozen=True, slots=True)
class EffectCall:
    """An effect of a visit (`runtime`), in every execution its `ordinal`: a model or tool call or a
    command. `call` makes it and returns its JSON result, kept with a digest of its `inputs`. One
    that `begins` by itself calls `Journal.begin` before anything happens outside: its intention is
    written there, with what else the call has to write first."""

    runtime: Runtime[Any]
    name: str
    effect: Effect
    inputs: Json
    call: Callable[[], Awaitable[Json]]
    ordinal: str = ""
    begins: bool = False


class Journal(Protocol):
    """Write-ahead record of effects: see runtime/journal/effects.py."""

    async def once(self, act: EffectCall) -> Json:
        """Make the call and keep its result, or return the result that this visit kept earlier."""

    async def begin(self, *writes: Write) -> None:
        """Write the intention of an effect that `begins` by itself, with some more."""

    async def keep(self, runtime: Runtime[Any], name: str, ordinal: int, value: Json) -> None:
        """Keep a value of this visit under a name and a number (0 or more)."""

    async def entries(self, runtime: Runtime[Any], name: str) -> dict[int, Json]:
        """Return everything that this visit kept under a name, by number."""

    async def abandon(self, runtime: Runtime[Any], name: str | None = None) -> None:
        """Drop this visit's effects in doubt, or those of one name, without a question."""

    async def set_timer(self, runtime: Runtime[Any], timer: Timer) -> Timer:
        """Keep this visit's timer, unless it has one already: return the one that counts."""

    async def end_timer(self, runtime: Runtime[Any]) -> None:
        """Drop this visit's timer."""


Emit = Callable[[EventKind, str, dict[str, Any]], None]  # kind, node, data
ServicesFactory: TypeAlias = "Callable[[Journal, Emit], Services]"
"""The engine owns journal and emit, and makes the services of a run with them."""


@dataclass(slots=True)
class Services:
    """The services of one graph. `approve` says whether commands need a person's approval ("ask")
    or were allowed when the run was started ("allow")."""

    models: Models
    tools: Tools
    shell: Shell
    files: Files
    journal: Journal
    budget: Budget
    emit: Emit
    approve: Literal["ask", "allow"] = "ask"
    env: dict[str, str] = field(default_factory=dict)
    """Environment variables the workflow lists or the configuration allows, already filtered."""
    max_steps: int = 10_000
    max_model_turns: int = 50
    people: People = field(default_factory=NoPeople)
    assignments: Assignments = field(default_factory=TeamAssignments)
    elapsed: Callable[[], float] = lambda: 0.0
    """Seconds since the run was started, including the time in which it waited."""
    deadline: float | None = None
    """When the caller's time is over, by the monotonic clock."""
    clock: WaitClock = field(default_factory=WaitClock)
    scripts: Scripts = field(default_factory=NoScripts)
    functions: Functions | None = None
    by_hand: bool = False
    """Who answers as the model uses tools of their own, whose results are not known."""
    tape: Tape = field(default_factory=Tape)
    sender: Sender = field(default_factory=NoSender)
    before_call: Callable[[ModelRequest], Sequence[Write]] = lambda _: ()
    """Returns what is written of a request before it is sent, with the intention to."""
    asks_again: bool = False  # answers come from another graph, which has not checked them


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a start or resume ended: success, failed (the workflow's own end), paused (waits for a
    person), and resumable stopped (a limit), interrupted (signal), error (no edge takes it)."""

    run: str
    status: Literal["success", "failed", "paused", "stopped", "interrupted", "error"]
    result: Json = None
    variables: dict[str, Json] = field(default_factory=dict)
    outcomes: dict[str, Json] = field(default_factory=dict)
    questions: tuple[Question, ...] = ()
    error: dict[str, str] | None = None
    nodes: int = 0
    seconds: float = 0.0
    usage: Usage = NO_USAGE
