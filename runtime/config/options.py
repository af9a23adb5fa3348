"""The options of a run: one row is a flag, a key of flowc.toml, FLOWC_* and a field of the record.

    max_steps: int | None = option("--max-steps", "N", "stop after N nodes", environment=True)

The strongest source counts: what is typed, FLOWC_*, flowc.toml, the user's own file, the default.
The type of the field is what the flag, the key and the variable take.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from types import NoneType
from typing import Any, Literal, get_args, get_type_hints

from flowc.compiler.analysis.hosts import host_fault
from flowc.compiler.ir import Effect, OnUnknown
from flowc.compiler.team import PEOPLE

from ..errors import RunError
from .prices import SetPrice, read_dollars

DEFAULT_STORE = "sqlite:///.flowc/runs.db"


class WrongValue(Exception):
    """A value that its option does not take; the text says what it takes."""


@dataclass(frozen=True, slots=True)
class Option:
    """An option besides its name and type."""

    flag: str = ""
    metavar: str = ""
    help: str = ""
    key: str | None = ""
    """In flowc.toml: "" is the name of the field, None where a file cannot grant it."""
    environment: bool = False
    """Whether FLOWC_* says it too."""
    default: Any = None
    """The value where no source has one."""
    read: Callable[[Any], Any] | None = None
    """Checks what the type does not say. Raises `WrongValue`."""
    example: str = ""
    typed_only: str = ""
    """A value that counts only as a flag."""
    path: bool = False
    """A path counts from the folder of its file, or from the current one."""
    not_paths: tuple[str, ...] = ()
    answers: bool = False
    """Says who answers: of these a stronger source replaces all of a weaker one."""
    fixed: bool = False
    """Chosen when the run starts, and by no resume."""
    kept: bool = True
    """In the run's record, if it has a flag."""
    asks: bool = False
    """Grants something: the file of a folder that nobody trusts cannot say it."""
    holds: bool = False
    """What the user's own file says binds that of a folder which is not the user's own."""
    stricter: tuple[str, ...] = ()
    """Values from the loosest to the strictest; of numbers the lower one is stricter."""


def option(
    flag: str = "", metavar: str = "", help: str = "", *, empty: type = NoneType, **more: Any
) -> Any:
    """Return a row of the table; `more` is the rest of an `Option`. `empty` makes the value that
    says nothing."""
    return field(default_factory=empty, metadata={"option": Option(flag, metavar, help, **more)})


def _dollars(value: object) -> str:
    """Return an amount as text: a float of TOML's is not what was written once it is added up."""
    try:
        amount = read_dollars(value)
    except ValueError:
        amount = None
    if not amount:
        raise WrongValue("dollars, more than 0")
    return str(amount)


def _prices(value: object) -> dict[str, SetPrice]:
    wrong = WrongValue(
        'tables like [prices."openai:gpt-5-mini"] with input, output and, if there is one, '
        "cached_input: dollars per million tokens"
    )
    if not isinstance(value, dict):
        raise wrong
    prices: dict[str, SetPrice] = {}
    for model, price in value.items():
        names = price.keys() if isinstance(price, dict) else set()
        if not {"input", "output"} <= names <= {"input", "output", "cached_input"}:
            raise wrong
        try:
            prices[model] = SetPrice(**{name: read_dollars(price[name]) for name in names})
        except ValueError:
            raise wrong from None
    return prices


def _counts(value: object) -> dict[str, int]:
    wrong = WrongValue("a table of NAME = N, N whole and 1 or more")
    if not isinstance(value, dict):
        raise wrong
    for count in value.values():
        if not isinstance(count, int) or isinstance(count, bool) or count < 1:
            raise wrong
    return dict(value)


def _hosts(value: object) -> tuple[str, ...]:
    hosts = [value] if isinstance(value, str) else value
    if not isinstance(hosts, list | tuple) or not all(isinstance(host, str) for host in hosts):
        raise WrongValue("hosts: `name`, `name:port` or `*.name`")
    faults = [fault for host in hosts if (fault := host_fault(host))]
    if faults:
        raise WrongValue(f"hosts ({faults[0]})")
    return tuple(host.lower() for host in hosts)


def _effects(value: object) -> dict[str, Effect]:
    effects = get_args(Effect)
    if not isinstance(value, dict) or not all(effect in effects for effect in value.values()):
        raise WrongValue(f"a table of tool = {' | '.join(effects)}")
    return dict(value)


@dataclass(frozen=True, slots=True)
class Options:
    """The table, in the order in which `flowc run --help` shows it. None, (), {} and False say
    nothing."""

    # fmt: off
    model: str | None = option(
        "--model", "PROVIDER:NAME", "the language model that answers",
        environment=True, answers=True)
    base_url: str | None = option(
        "--base-url", "URL", "an OpenAI-compatible server (openai:… models)",
        environment=True, asks=True)
    answers: str | None = option(
        "--answers", "FILE|NAME",
        "scripted answers instead of a model; NAME is NAME.answers.yaml beside the workflow",
        environment=True, answers=True, path=True, asks=True)
    team: str | None = option(
        "--team", "FILE|people",
        "who does the tasks: a team's file, or `people`: whoever runs it does everything",
        key=None, path=True, not_paths=(PEOPLE,), fixed=True)
    record: str | None = option(
        "--record", "FILE", "keep every exchange with models, tools and people here",
        key=None, path=True)
    replay: str | None = option(
        "--replay", "FILE", "what was recorded answers, and nothing else",
        key=None, path=True, answers=True)
    store: str | None = option(
        "--store", "URL",
        f"where runs are kept: sqlite:///PATH, postgresql://… (here: {DEFAULT_STORE})",
        environment=True, default=DEFAULT_STORE, path=True, not_paths=("memory:",), kept=False,
        asks=True)
    allow_exec: bool = option(
        "--allow-exec", "", "run shell commands without asking for approval", key=None, empty=bool)
    sandbox: Literal["auto", "strict", "off"] | None = option(
        "--sandbox", "auto|strict|off",
        "how commands and code are confined: auto refuses a weak sandbox, strict takes only "
        "a full one, off gives them all your rights",
        environment=True, default="auto", typed_only="off",
        holds=True, stricter=("off", "auto", "strict"))
    network: bool = option(
        "--network", "", "let shell commands use the network",
        empty=bool, asks=True)
    allow_net: tuple[str, ...] = option(
        "--allow-net", "HOST", "a host that nodes may send requests to, in your network too",
        read=_hosts, empty=tuple, asks=True)
    workspace: str | None = option(
        "--workspace", "DIR",
        "a folder that shell commands begin in and may write (else: the run's own alone)",
        path=True, asks=True)
    roots: tuple[str, ...] = option(
        "--root", "DIR", "a folder that files may be read from and written to",
        path=True, empty=tuple, asks=True)
    mcp: tuple[str, ...] = option(
        "--mcp", "FILE", "a file of MCP servers (mcpServers) whose tools may be used",
        path=True, empty=tuple, asks=True)
    on_unknown: OnUnknown | None = option(  # noqa: RUF009 - makes the field of a row
        "--on-unknown", "ask|repeat|fail",
        "what to do about a command or call that was under way when the process died",
        environment=True, default="ask", holds=True, stricter=("repeat", "ask", "fail"))
    breakpoints: tuple[str, ...] = option(
        "--break", "NODE", "pause before this node", key=None, kept=False, empty=tuple)
    max_steps: int | None = option(
        "--max-steps", "N", "stop after N nodes", environment=True, default=10_000,
        holds=True)
    timeout: float | None = option(
        "--timeout", "SECONDS", "stop after this time", environment=True, holds=True)
    max_tokens: int | None = option(
        "--max-tokens", "N", "stop before N tokens are exceeded", environment=True,
        holds=True)
    max_cost: str | None = option(
        "--max-cost", "DOLLARS", "stop before this cost is exceeded",
        environment=True, read=_dollars, example="0.25", holds=True)
    otel: bool = option(
        "--otel", "", "send OpenTelemetry spans (OTEL_EXPORTER_OTLP_ENDPOINT)",
        key=None, kept=False, empty=bool)
    trust: str | None = option(
        "--trust", "DIGEST|FILE",
        "grant what folder and workflow want, if it is this: `flowc trust` shows the digest",
        key=None, environment=True, kept=False)
    env: tuple[str, ...] = option(
        help="names and patterns of environment variables that workflows and commands may see",
        empty=tuple, asks=True)
    workflows: tuple[str, ...] = option(
        help="folders in which workflows are found by name", path=True, empty=tuple)
    max_model_turns: int | None = option(
        help="model calls within one visit of a node", environment=True, default=50, holds=True)
    max_output_tokens: int | None = option(
        help="how many tokens an answer may have", environment=True, holds=True)
    prices: Mapping[str, SetPrice] = option(
        help="what a model costs: `input`, `output`, `cached_input`, in dollars per million tokens",
        read=_prices, empty=dict, holds=True)
    model_timeout: float | None = option(
        help="seconds that a model call may take", environment=True, default=600.0)
    tool_timeout: float | None = option(
        help="seconds that a tool call may take", environment=True, default=600.0)
    command_timeout: float | None = option(
        help="seconds that a command may take", environment=True, default=600.0)
    command_silence: float | None = option(
        help="seconds that a command may be without output", environment=True, default=120.0)
    script_timeout: float | None = option(
        help="seconds that a script's function may take", environment=True, default=30.0)
    python_tools: tuple[str, ...] = option(
        key="tools.python", help="functions that are tools, as `module:function`",
        empty=tuple, asks=True)
    python_nodes: tuple[str, ...] = option(
        key="nodes.python", help="functions that nodes may call, as `module:function`",
        empty=tuple, asks=True)
    effects: Mapping[str, Effect] = option(
        key="tools.effects", help="what tools do: `pure`, `idempotent` or `once`",
        read=_effects, empty=dict, holds=True)
    self_approval: bool = option(
        help="in `flowc serve`: a token may approve commands of what it started itself",
        environment=True, empty=bool, asks=True)
    webhook_hosts: tuple[str, ...] = option(
        key="webhooks.hosts", help="in `flowc serve`: hosts that webhooks may be sent to, in your "
        "network too", read=_hosts, empty=tuple, asks=True)
    webhook_secrets: tuple[str, ...] = option(
        key="webhooks.secrets", help="names and patterns of environment variables that sign "
        "webhooks", empty=tuple, asks=True)
    team_executions: Mapping[str, int] = option(
        key="service.executions", help="executions of a team that workers carry on at a time, by "
        "team; `*` is each other one", read=_counts, empty=dict)
    calls_per_minute: Mapping[str, int] = option(
        key="service.calls_per_minute", help="calls of a model in a minute, by model, of all "
        "workers of a store", read=_counts, empty=dict)
    mcp_servers: Mapping[str, Any] = option(help="MCP servers by name", empty=dict, asks=True)
    # fmt: on


OPTIONS: dict[str, Option] = {row.name: row.metadata["option"] for row in fields(Options)}
TYPES: dict[str, Any] = get_type_hints(Options)
KEYS = {row.key or name: name for name, row in OPTIONS.items() if row.key is not None}
"""The option of every key of a configuration file; `tools.` keys stand in [tools],
`nodes.` keys in [nodes]."""
ANSWERING = tuple(name for name, row in OPTIONS.items() if row.answers)


def default(name: str) -> Any:
    """Return the value of an option that no source says."""
    return OPTIONS[name].default


def variable(name: str) -> str:
    """Return the environment variable of an option."""
    return f"FLOWC_{name.upper()}"


def read_value(name: str, value: object) -> Any:
    """Check a value of a configuration file or of the environment. Raise `WrongValue`."""
    row, kind = OPTIONS[name], TYPES[name]
    if row.read is not None:
        return row.read(value)
    if kind in _READERS:
        return _READERS[kind](value)
    words = [word for word in get_args(get_args(kind)[0]) if word != row.typed_only]
    if value not in words:
        hint = f" (`{row.typed_only}` counts only when it is typed: {row.flag} {row.typed_only})"
        takes = f"{', '.join(words[:-1])} or {words[-1]}"
        raise WrongValue(takes + (hint if row.typed_only else ""))
    return value


def absolute(name: str, value: Any, folder: Path) -> Any:
    """Return the value of an option with every path in full; addresses stay. A list holds each
    once."""
    row = OPTIONS[name]
    if not row.path or not value:
        return value
    if isinstance(value, tuple):
        return tuple(dict.fromkeys(absolute(name, path, folder) for path in value))
    return value if value in row.not_paths or "://" in value else str(folder / value)


def merge(strong: Options, weak: Options, *, append: bool = False) -> dict[str, Any]:
    """Return every option of `strong`, and of `weak` where that says nothing. Lists add up; with
    `append` those of `weak` come first."""
    values = {name: getattr(strong, name) for name in OPTIONS}
    answered = any(values[name] for name in ANSWERING)
    for name, value in values.items():
        other = getattr(weak, name)
        if isinstance(value, tuple):
            both = (*other, *value) if append else (*value, *other)
            values[name] = tuple(dict.fromkeys(both))
        elif not (answered and name in ANSWERING):
            values[name] = value or other
    return values


def require_one_answer(options: Options) -> None:
    """Raise `RunError` when two were chosen to answer, or a recording is to be made of one."""
    clash = [OPTIONS[name].flag for name in ANSWERING if getattr(options, name)]
    if options.replay and options.record:
        clash = [OPTIONS["replay"].flag, OPTIONS["record"].flag]
    if len(clash) > 1:
        raise RunError(f"{clash[0]} and {clash[1]} exclude each other")


def _text(value: object) -> str:
    if not isinstance(value, str) or not value:
        raise WrongValue("a text" if value != "" else "a text that is not empty")
    return value


def _whole(value: object) -> int:
    if isinstance(value, str) and value.isdigit() and len(value) < 10:
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise WrongValue("a whole number, 1 or more")
    return value


def _seconds(value: Any) -> float:
    try:
        seconds = float(value)
    except (TypeError, ValueError):
        raise WrongValue("seconds, more than 0") from None
    if isinstance(value, bool) or not 0 < seconds < 1e9:
        raise WrongValue("seconds, more than 0")
    return seconds


def _texts(value: object) -> tuple[str, ...]:
    values = [value] if isinstance(value, str) else value
    if not isinstance(values, list) or not all(isinstance(v, str) and v for v in values):
        raise WrongValue("a list of texts")
    return tuple(values)


def _switch(value: object) -> bool:
    if value in (True, "true"):
        return True
    if value in (False, "false"):
        return False
    raise WrongValue("true or false")


def _table(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise WrongValue("a table")
    return dict(value)


_READERS: dict[Any, Callable[[Any], Any]] = {
    str | None: _text,
    int | None: _whole,
    float | None: _seconds,
    bool: _switch,
    tuple[str, ...]: _texts,
    Mapping[str, Any]: _table,
}
