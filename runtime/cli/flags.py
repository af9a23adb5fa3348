"""The flags that several run commands share, and what they add up to."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Literal

import typer

from ..config import Config
from ..errors import RunError
from ..wiring import RunOptions, settle
from .locate import locate_answers
from .output import Mode
from .stores import DEFAULT_STORE

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
Team = Annotated[
    str | None,
    typer.Option(
        "--team",
        metavar="FILE|people",
        help="who does the tasks: a team's file, or `people`: whoever runs it does everything",
    ),
]
Store = Annotated[
    str | None,
    typer.Option(
        "--store",
        metavar="URL",
        help=f"where runs are kept: sqlite:///PATH (here: {DEFAULT_STORE})",
    ),
]
AllowExec = Annotated[
    bool, typer.Option("--allow-exec", help="run shell commands without asking for approval")
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
Target = Annotated[str, typer.Argument(metavar="FILE|NAME", help="a workflow's file, or its name")]
Run = Annotated[str, typer.Argument(metavar="RUN", help="the run's name (see flowc runs)")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The flags of one command line that run and resume share, as they were given."""

    mode: Mode
    store: str | None = None
    model: str | None = None
    base_url: str | None = None
    answers: str | None = None
    allow_exec: bool = False
    roots: tuple[str, ...] = ()
    mcp: tuple[str, ...] = ()
    on_unknown: OnUnknown | None = None
    breaks: tuple[str, ...] = ()
    max_steps: int | None = None
    timeout: float | None = None
    verbose: bool = False
    team: str | None = None

    def options(self, workflow: str, kept: RunOptions, config: Config) -> RunOptions:
        """`kept` with the flags that were given; one that says who answers replaces who answered.
        Raises `RunError` when there is no such file of answers."""
        chosen = self.model or self.answers
        answers = locate_answers(self.answers, workflow) if self.answers else None
        changed = replace(
            kept,
            model=self.model if chosen else kept.model,
            answers=answers if chosen else kept.answers,
            base_url=self.base_url or kept.base_url,
            allow_exec=self.allow_exec or kept.allow_exec,
            roots=(*kept.roots, *self.roots),
            mcp=(*kept.mcp, *self.mcp),
            on_unknown=self.on_unknown or kept.on_unknown,
            max_steps=self.max_steps or kept.max_steps,
            timeout=self.timeout or kept.timeout,
            team=self.team or kept.team,
        )
        return settle(changed, config)


def mode_of(as_json: bool, as_json_lines: bool, quiet: bool) -> Mode:
    """How a run is shown. Raises `RunError` for two ways at once."""
    if as_json and as_json_lines:
        raise RunError("--json and --jsonl exclude each other")
    return "json" if as_json else "jsonl" if as_json_lines else "quiet" if quiet else "text"


def configured_unknown(config: Config) -> OnUnknown:
    """What the configuration says about calls in doubt; a person is asked when it says nothing."""
    match config.on_unknown:
        case "repeat" | "fail" as chosen:
            return chosen
        case _:
            return "ask"
