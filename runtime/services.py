"""Services: everything a running graph needs from outside, in one value. The one injection point.

Nodes, models, tools and the shell see each other only through the protocols here.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from flowc.compiler.ir import Effect, Script

from .charges import NO_USAGE, Cap, Charge, ChargeLedger, Estimate, Grant, Usage
from .errors import Failure, LimitReached
from .events import EventKind
from .grants import NO_GRANTS as NO_GRANTS
from .grants import CommandResult as CommandResult
from .grants import Grants as Grants
from .people import Assignments, AsTheTeamSays, Nobody, People, Question

Json = Any
MODEL_CALL = "model call"
"""The journal's name for a call of a model: an attempt after a failed one always repeats it."""
Message = dict[str, Any]
"""role and content; an assistant's has tool_calls [{id, name, args}], a tool's tool_call_id."""


@dataclass(frozen=True, slots=True)
class ToolSchema:
    """What a model is told of a tool: a name, a description, JSON Schema of its arguments."""

    name: str
    description: str
    parameters: dict[str, Any]
    effect: Effect = "once"
    source: str = "builtin"


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One model call. `node` and `prompt` name where it comes from (scripted answers are keyed by
    them), `agent` who is asked (offline rules are keyed by it); `visit` counts the node's visits,
    `turn` the model calls of the visit, both from 1. `ending` is the one of the tools whose call
    ends the node, if there is one."""

    messages: tuple[Message, ...]
    tools: tuple[ToolSchema, ...]
    node: str
    prompt: str | None
    visit: int
    turn: int
    model: str | None = None
    agent: str = ""
    force_tool: str | None = None
    ending: str | None = None
    grant: Grant | None = None
    on_text: Callable[[str], None] | None = None
    on_retry: Callable[[int, str, float], None] | None = None


@dataclass(frozen=True, slots=True)
class ModelReply:
    """A model's answer: text and perhaps calls of tools ({id, name, args}). One that was `cut` off
    because it had all the tokens it might have is no answer: half a sentence, no calls."""

    text: str
    tool_calls: tuple[dict[str, Any], ...] = ()
    usage: Usage = NO_USAGE
    model: str = ""
    cut: bool = False


class Models(Protocol):
    """Answers model calls. `label` says what answers ("openai:gpt-…", "scripted answers (file):
    not a language model"); `is_model` whether it is a language model at all."""

    @property
    def label(self) -> str: ...

    @property
    def is_model(self) -> bool: ...

    async def reply(self, request: ModelRequest) -> ModelReply:
        """Raises `Failure` (kind failure, timeout or limit) when there is no answer."""


class Reservation(Grant, Protocol):
    """The worst case of one call, taken from every limit that the call counts in."""

    async def settle(self, reply: ModelReply) -> Charge:
        """Put what the call really used in its place. Raises as `Budget.reserve` does when the
        answer, which is paid, has more characters than are left."""

    async def release(self) -> None:
        """Give it back: the call was refused and cost nothing."""

    def let_go(self) -> None:
        """The call is no longer under way; what is charged for it stays."""

    def cut_short(self) -> Failure | LimitReached:
        """Why an answer broke off that had all the tokens it might have."""


class Budget(Protocol):
    """What a run's model calls may use up: see runtime/budget/budget.py."""

    @property
    def caps(self) -> tuple[Cap, ...]:
        """The caller's limits of the whole run."""

    async def open(self, ledger: ChargeLedger) -> None:
        """Go on from what the run has used up before."""

    def full_name(self, model: str | None) -> str:
        """`provider:name` of the model that an agent names; without one the run's."""

    async def reserve(self, estimate: Estimate) -> Reservation:
        """Take the worst case of a call from every scope, when there is room. Raises `Failure` of
        kind limit, or `LimitReached`."""

    async def renew(self, scope: str, name: str, used: int | None = None) -> None:
        """Let a limit that stopped the run count anew from here, or from `used`."""

    def since(self, scope: str, name: str) -> int:
        """From where a limit of the program counts."""

    def left_of(self, estimate: Estimate) -> dict[str, float]:
        """What the limits on a call leave, by what they measure; cost in dollars."""

    def used(self) -> Usage:
        """What all calls of the run used up together."""


class Tools(Protocol):
    """Calls tools by name. The engine opens it before a run starts or resumes, and closes it."""

    async def open(self) -> None:
        """Connect what has to be connected (MCP servers). Raises `RunError` when a source cannot be
        reached, or when nothing provides a tool that the workflow names."""

    def schema(self, name: str) -> ToolSchema | None: ...

    async def call(self, name: str, args: dict[str, Json]) -> Json:
        """A JSON value. Raises `Failure` when the tool fails or does not exist."""

    async def close(self) -> None: ...


class Shell(Protocol):
    """Runs one command in a sandbox, with the state of the shell before it."""

    async def run(self, command: str, state: str, granted: Grants = NO_GRANTS) -> CommandResult:
        """`state` is "" for a fresh shell. Raises `Failure` when no shell can be started, the
        sandbox refuses (kind refused), or the command was killed for taking too much."""

    def confinement(self, granted: Grants) -> str:
        """How commands are confined, for the person who is asked whether they may run: `in the
        sandbox (full), without network`."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """A thread as a script is given it: see `ir.Thread`."""

    messages: tuple[Message, ...]
    max_chars: int | None = None
    keep_min: int = 10


@dataclass(frozen=True, slots=True)
class ScriptCall:
    """A call of a script's function. What stands on its `this`: `shares` (of those in `fixed` only
    the contents can change), `kept` and the conversations. `time` (milliseconds since 1970) and
    `seed` are all it knows of clock and chance. `wants` says that what it returns is used."""

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
    """What came of a call: of `shares` and `threads` only what it changed (a thread as {append:
    messages} or {reset: messages}), `kept` None when it is as before. `log` are (level, line)."""

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
        """Raises `Failure` with the place in the script: it raised, is not there, gave what is no
        JSON value, or took more time or memory than it may."""

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class NoScripts:
    """Nothing runs scripts here."""

    sandboxed = True

    async def evaluate(self, call: ScriptCall) -> ScriptResult:
        raise Failure("scripts cannot run here", "refused")

    async def close(self) -> None:
        return None


class Files(Protocol):
    """Files below the workflow's folder and the granted roots, links resolved."""

    def read(self, path: str, base: str) -> str:
        """`base` is the workflow's file. Raises `Failure` (kind refused) outside the roots."""

    def write(self, path: str, text: str, base: str) -> str: ...


class Journal(Protocol):
    """Write-ahead record of effects: see runtime/journal/effects.py."""

    async def once(
        self,
        runtime: Any,
        name: str,
        effect: Effect,
        given: Json,
        call: Callable[[], Awaitable[Json]],
        ordinal: int = 0,
    ) -> Json:
        """Run `call` and keep its JSON result; if it was already done in this visit, give the
        kept result instead. `given` is the effect's input: its digest is kept beside it."""

    async def keep(self, runtime: Any, name: str, ordinal: int, value: Json) -> None:
        """Keep something that this visit came to under a name and a number (0 or more)."""

    async def kept(self, runtime: Any, name: str) -> dict[int, Json]:
        """Everything that this visit kept under a name, by number."""

    async def abandon(self, runtime: Any, name: str | None = None) -> None:
        """The node's failure was taken by an edge, or it is done with: what it left in doubt (of a
        name, when one is given) is not asked about."""


class Tape(Protocol):
    """What keeps a run's exchanges with the world, or gives them instead of the world: see
    runtime/cassette/format.py."""

    @property
    def mark(self) -> dict[str, Json]:
        """What every event carries besides its own data."""

    @property
    def waits(self) -> bool:
        """Whether the waits before another attempt are kept."""

    def begin(self, run: str, inputs: dict[str, Json], resumed: bool) -> None:
        """An execution of a run begins; `inputs` is all that the run was given. Raises
        `RunError`."""

    def heard(self, name: str, answer: Json) -> None:
        """What a person answered to a question of the running node, named after its kind or, of a
        model's question, `told TURN`."""

    def end(self, complete: bool) -> str:
        """The execution ends; `complete`: so does the run. A remark for people, or ""."""


@dataclass(frozen=True, slots=True)
class NoTape:
    """Nothing is kept, and the world itself answers."""

    waits: bool = True

    @property
    def mark(self) -> dict[str, Json]:
        return {}

    def begin(self, run: str, inputs: dict[str, Json], resumed: bool) -> None:
        return None

    def heard(self, name: str, answer: Json) -> None:
        return None

    def end(self, complete: bool) -> str:
        return ""


Emit = Callable[[EventKind, str, dict[str, Any]], None]
"""emit(kind, node, data)."""


@dataclass(slots=True)
class Services:
    """What a graph is built with. `approve` says whether commands need a person's approval
    ("ask") or were allowed when the run was started ("allow")."""

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
    people: People = field(default_factory=Nobody)
    assignments: Assignments = field(default_factory=AsTheTeamSays)
    elapsed: Callable[[], float] = lambda: 0.0
    """Seconds since the run was started, the time included in which it waited."""
    scripts: Scripts = field(default_factory=NoScripts)
    by_hand: bool = False
    """Whoever answers as the model uses tools of their own: what those gave is not known here."""
    tape: Tape = field(default_factory=NoTape)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a start or resume ended. `status`: success, failed (the workflow's own end), paused
    (waits for a person), stopped (a limit of the caller, resumable), interrupted (signal,
    resumable), error (a failure that no edge takes; resumable at the failed node)."""

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
