"""The flags that several run commands share, and what they add up to."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Annotated, Any, Literal, get_type_hints

import typer

from ...assembly.run_options import RunOptions, settle
from ...config.prices import read_dollars
from ...config.settings import Config
from ...errors import RunError
from ..locate import locate_answers
from ..show.output import Mode
from ..stores import DEFAULT_STORE

OnUnknown = Literal["ask", "repeat", "fail"]

Model = Annotated[
    str | None,
    typer.Option("--model", metavar="PROVIDER:NAME", help="the language model that answers"),
]
BaseUrl = Annotated[
    str | None,
    typer.Option("--base-url", metavar="URL", help="an OpenAI-compatible server (openai:… models)"),
]
Answers = Annotated[
    str | None,
    typer.Option(
        "--answers",
        metavar="FILE|NAME",
        help="scripted answers instead of a model; NAME is NAME.answers.yaml beside the workflow",
    ),
]
Record = Annotated[
    str | None,
    typer.Option(
        "--record", metavar="FILE", help="keep every exchange with models, tools and people here"
    ),
]
Replay = Annotated[
    str | None,
    typer.Option("--replay", metavar="FILE", help="what was recorded answers, and nothing else"),
]
Team = Annotated[
    str | None,
    typer.Option(
        "--team",
        metavar="FILE|people",
        help="who does the tasks: a team's file, or `people`: whoever runs it does everything",
    ),
]
Concurrency = Annotated[
    int | None,
    typer.Option(
        "--concurrency", metavar="N", min=1, max=1000, help="executions at a time (20); most wait"
    ),
]
Store = Annotated[
    str | None,
    typer.Option(
        "--store",
        metavar="URL",
        help=f"where runs are kept: sqlite:///PATH, postgresql://… (here: {DEFAULT_STORE})",
    ),
]
AllowExec = Annotated[
    bool, typer.Option("--allow-exec", help="run shell commands without asking for approval")
]
Sandbox = Annotated[
    Literal["auto", "strict", "off"] | None,
    typer.Option(
        "--sandbox",
        metavar="auto|strict|off",
        help="how commands and code are confined: auto refuses a weak sandbox, strict takes only "
        "a full one, off gives them all your rights",
    ),
]
Network = Annotated[bool, typer.Option("--network", help="let shell commands use the network")]
Workspace = Annotated[
    str | None,
    typer.Option(
        "--workspace",
        metavar="DIR",
        help="a folder that shell commands begin in and may write (else: the run's own alone)",
    ),
]
Roots = Annotated[
    list[str] | None,
    typer.Option(
        "--root", metavar="DIR", help="a folder that files may be read from and written to"
    ),
]
Mcp = Annotated[
    list[str] | None,
    typer.Option(
        "--mcp", metavar="FILE", help="a file of MCP servers (mcpServers) whose tools may be used"
    ),
]
Unknown = Annotated[
    OnUnknown | None,
    typer.Option(
        "--on-unknown",
        metavar="ask|repeat|fail",
        help="what to do about a command or call that was under way when the process died",
    ),
]
Breaks = Annotated[
    list[str] | None, typer.Option("--break", metavar="NODE", help="pause before this node")
]
MaxSteps = Annotated[
    int | None, typer.Option("--max-steps", metavar="N", min=1, help="stop after N nodes")
]
Timeout = Annotated[
    float | None,
    typer.Option("--timeout", metavar="SECONDS", min=0.001, help="stop after this time"),
]
MaxTokens = Annotated[
    int | None,
    typer.Option("--max-tokens", metavar="N", min=1, help="stop before N tokens are exceeded"),
]
MaxCost = Annotated[
    str | None,
    typer.Option("--max-cost", metavar="DOLLARS", help="stop before this cost is exceeded"),
]
Otel = Annotated[
    bool, typer.Option("--otel", help="send OpenTelemetry spans (OTEL_EXPORTER_OTLP_ENDPOINT)")
]
AsJson = Annotated[bool, typer.Option("--json", help="print one JSON object")]
AsJsonLines = Annotated[bool, typer.Option("--jsonl", help="print one event a line, as JSON")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="the result alone")]
Verbose = Annotated[
    bool, typer.Option("--verbose", "-v", help="model calls, tools and commands too")
]

Inputs = Annotated[
    list[str] | None,
    typer.Option("--input", "-i", metavar="NAME=VALUE", help="an input; NAME=@FILE reads a file"),
]
InputFiles = Annotated[
    list[str] | None,
    typer.Option("--inputs", metavar="FILE", help="inputs from a JSON or YAML file"),
]
RunId = Annotated[str | None, typer.Option("--run-id", metavar="NAME", help="the new run's name")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="show what would be done; nothing is run")]
Reply = Annotated[
    list[str] | None,
    typer.Option(
        "--answer", metavar="TEXT", help="answers what waits; NODE=TEXT when several questions wait"
    ),
]
Said = Annotated[
    str | None,
    typer.Option("--say", metavar="TEXT", help="tells the run something that it did not ask for"),
]
Migrate = Annotated[
    list[str] | None,
    typer.Option(
        "--migrate",
        metavar="OLD=NEW",
        help="what a node that comes next, or a variable, is called in the changed workflow",
    ),
]
Target = Annotated[str, typer.Argument(metavar="FILE|NAME", help="a workflow's file, or its name")]
Run = Annotated[str, typer.Argument(metavar="RUN", help="the run's name (see flowc runs)")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The flags that run and resume share, as they were given. A field is an option: what stands
    here is offered by both commands."""

    model: Model = None
    base_url: BaseUrl = None
    answers: Answers = None
    record: Record = None
    replay: Replay = None
    store: Store = None
    allow_exec: AllowExec = False
    sandbox: Sandbox = None
    network: Network = False
    workspace: Workspace = None
    root: Roots = None
    mcp: Mcp = None
    on_unknown: Unknown = None
    breaks: Breaks = None
    max_steps: MaxSteps = None
    timeout: Timeout = None
    max_tokens: MaxTokens = None
    max_cost: MaxCost = None
    otel: Otel = False
    as_json: AsJson = False
    as_json_lines: AsJsonLines = False
    quiet: Quiet = False
    verbose: Verbose = False

    @property
    def mode(self) -> Mode:
        """How the run is shown. Raises `RunError` for two ways at once."""
        if self.as_json and self.as_json_lines:
            raise RunError("--json and --jsonl exclude each other")
        if self.as_json:
            return "json"
        return "jsonl" if self.as_json_lines else "quiet" if self.quiet else "text"

    def options(
        self, workflow: str, kept: RunOptions, config: Config, declared: str | None
    ) -> RunOptions:
        """`kept` with the flags that were given; one that says who answers replaces who answered,
        and the model that the workflow `declared`. Raises `RunError` when there is no such file of
        answers."""
        chosen = self.model or self.answers or self.replay
        answers = locate_answers(self.answers, workflow) if self.answers else None
        changed = replace(
            kept,
            model=self.model if chosen else kept.model,
            answers=answers if chosen else kept.answers,
            replay=self.replay if chosen else kept.replay,
            record=self.record or kept.record,
            base_url=self.base_url or kept.base_url,
            allow_exec=self.allow_exec or kept.allow_exec,
            sandbox=self.sandbox or kept.sandbox,
            network=self.network or kept.network,
            workspace=self.workspace or kept.workspace,
            roots=(*kept.roots, *(self.root or ())),
            mcp=(*kept.mcp, *(self.mcp or ())),
            on_unknown=self.on_unknown or kept.on_unknown,
            max_steps=self.max_steps or kept.max_steps,
            timeout=self.timeout or kept.timeout,
            max_tokens=self.max_tokens or kept.max_tokens,
            max_cost=_checked_cost(self.max_cost) or kept.max_cost,
        )
        return settle(changed, config, declared)


def _checked_cost(given: str | None) -> str | None:
    """The amount without sign. Raises `RunError` for what is none."""
    if given is None:
        return None
    try:
        amount = read_dollars(given)
    except ValueError:
        amount = None
    if not amount:
        raise RunError(f"--max-cost takes dollars, more than 0: not `{given}`", help="as in 0.25")
    return str(amount)


def with_run_flags(command: Callable[..., int]) -> Callable[..., int]:
    """The command with one option for each field of `Asked`; it gets them together as `asked`.
    Typer reads a command's options from its signature, so the signature is what is made here."""
    own = inspect.signature(command, eval_str=True).parameters
    hints = get_type_hints(Asked, include_extras=True)
    shared = [
        inspect.Parameter(
            option.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=option.default,
            annotation=hints[option.name],
        )
        for option in fields(Asked)
    ]
    names = [option.name for option in shared]

    def called(**given: Any) -> int:
        asked = Asked(**{name: given.pop(name) for name in names})
        return command(**given, asked=asked)

    parameters = [p.replace(kind=p.KEYWORD_ONLY) for p in own.values() if p.name != "asked"]
    called.__signature__ = inspect.Signature([*parameters, *shared])  # type: ignore[attr-defined]
    called.__annotations__ = {p.name: p.annotation for p in (*parameters, *shared)}
    called.__doc__, called.__name__ = command.__doc__, command.__name__
    return called


def configured_unknown(config: Config) -> OnUnknown:
    """What the configuration says about calls in doubt; a person is asked when it says nothing."""
    match config.on_unknown:
        case "repeat" | "fail" as chosen:
            return chosen
        case _:
            return "ask"
