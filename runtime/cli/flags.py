"""The flags that several commands share: those of the table of options, and those beside it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal, get_origin

import typer

from ..assembly.run_options import RunOptions, settle
from ..config.options import OPTIONS, TYPES, WrongValue, merge
from ..config.settings import Config
from ..errors import RunError
from .locate import locate_answers
from .streams import Mode

_LEAST = {int | None: 1, float | None: 0.001}


def flag(name: str, **changes: Any) -> Any:
    """Return the flag of an option, as typer reads it; `changes` are one command's."""
    row = OPTIONS[name]
    about = {"metavar": row.metavar or None, "help": row.help, "min": _LEAST.get(TYPES[name])}
    return typer.Option(row.flag, **{**about, **changes})


Model = Annotated[str | None, flag("model")]
BaseUrl = Annotated[str | None, flag("base_url")]
Answers = Annotated[str | None, flag("answers")]
AllowExec = Annotated[bool, flag("allow_exec")]
Sandbox = Annotated[Literal["auto", "strict", "off"] | None, flag("sandbox")]
Store = Annotated[str | None, flag("store")]
Team = Annotated[str | None, flag("team")]
Concurrency = Annotated[
    int | None,
    typer.Option(
        "--concurrency", metavar="N", min=1, max=1000, help="executions at a time (20); most wait"
    ),
]
TeamRoots = Annotated[
    list[str] | None,
    typer.Option(
        "--team-root", metavar="TEAM=FOLDER", help="files that the team's workflows may use"
    ),
]
TeamEnv = Annotated[
    list[str] | None,
    typer.Option("--team-env", metavar="TEAM=NAME", help="a variable that they may read"),
]
Logs = Annotated[
    Literal["text", "json"],
    typer.Option("--log", metavar="text|json", help="lines for people, or JSON for programs"),
]
AsJson = Annotated[bool, typer.Option("--json", help="print one JSON object")]
AsJsonLines = Annotated[bool, typer.Option("--jsonl", help="print one event a line, as JSON")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="the result alone")]
Verbose = Annotated[
    bool, typer.Option("--verbose", "-v", help="model calls, tools and commands too")
]

FromFormat = Annotated[
    str | None, typer.Option("--from", metavar="FORMAT", help="read the file as this format")
]
Inputs = Annotated[
    list[str] | None,
    typer.Option("--input", "-i", metavar="NAME=VALUE", help="an input; NAME=@FILE reads a file"),
]
InputFiles = Annotated[
    list[str] | None,
    typer.Option("--inputs", metavar="FILE", help="inputs from a JSON or YAML file"),
]
Changes = Annotated[
    list[str] | None,
    typer.Option("-i", "--set", metavar="NAME=VALUE", help="another value for a variable"),
]
RunId = Annotated[str | None, typer.Option("--run-id", metavar="NAME", help="the new run's name")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="show what would be done; nothing is run")]
Reply = Annotated[
    list[str] | None,
    typer.Option(
        "--answer", metavar="NAME=TEXT", help="answers the question of this name that waits"
    ),
]
Event = Annotated[
    list[str] | None,
    typer.Option(
        "--event", metavar="NAME[=VALUE]", help="an event that the run waits for has come"
    ),
]
Watch = Annotated[
    bool,
    typer.Option(
        "--watch", help="stays while the run waits for a time, and begins runs by the schedule"
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
TakeOver = Annotated[
    bool,
    typer.Option(
        "--take-over",
        help="takes the run from the process that executes it, which then writes nothing more",
    ),
]
Target = Annotated[str, typer.Argument(metavar="FILE|NAME", help="a workflow's file, or its name")]
Run = Annotated[str, typer.Argument(metavar="RUN", help="the run's name (see flowc runs)")]


@dataclass(frozen=True, slots=True)
class Display:
    """How a command shows a run; `target` is the workflow as it was named on the command line. With
    `watch` the process stays while the run waits for a time."""

    store: str
    mode: Mode
    verbose: bool = False
    otel: bool = False
    target: str = ""
    watch: bool = False


@dataclass(frozen=True, slots=True)
class RunFlags:
    """The flags that run and resume share: what they say of the options, and how it is shown."""

    typed: RunOptions = field(default_factory=RunOptions)
    mode: Mode = "text"
    verbose: bool = False

    def display(self, store: str, target: str = "") -> Display:
        """Return how the run is shown; `target` is the workflow as it was typed."""
        return Display(store, self.mode, self.verbose, self.typed.otel, target)

    def options(
        self, workflow: str, kept: RunOptions, config: Config, declared: str | None
    ) -> RunOptions:
        """Return the `kept` options with the typed ones over them, settled. A typed model, script
        or recording replaces what answered, and the model that the workflow `declared`. Raise
        `RunError` when a file of answers is missing."""
        typed = self.typed
        if typed.answers:
            typed = replace(typed, answers=locate_answers(typed.answers, workflow))
        return settle(replace(kept, **merge(typed, kept, append=True)), config, declared)


def _typed_value(name: str, value: object) -> Any:
    """Return the value of a flag. Raise `RunError` for one that its option does not take."""
    row = OPTIONS[name]
    if row.read is None:
        return tuple(value) if isinstance(value, list) else value
    try:
        return row.read(value)
    except WrongValue as wrong:
        help = f"as in {row.example}"
        raise RunError(f"{row.flag} takes {wrong}: not `{value}`", help=help) from None


def _mode(as_json: bool, as_json_lines: bool, quiet: bool) -> Mode:
    """Return how the run is shown. Raise `RunError` for two ways at once."""
    if as_json and as_json_lines:
        raise RunError("--json and --jsonl exclude each other")
    if as_json:
        return "json"
    return "jsonl" if as_json_lines else "quiet" if quiet else "text"


_SHOWN = {"as_json": AsJson, "as_json_lines": AsJsonLines, "quiet": Quiet, "verbose": Verbose}


def with_run_flags(command: Callable[..., int]) -> Callable[..., int]:
    """Give a command the flags of the table, as its parameter `run_flags`. Typer reads options from
    the signature of a command, so a signature is made here."""
    names = [name for name, row in OPTIONS.items() if row.flag and not row.fixed]
    annotations = {name: Annotated[_flag_type(name), flag(name)] for name in names} | _SHOWN
    kind = inspect.Parameter.KEYWORD_ONLY
    shared = [
        inspect.Parameter(name, kind, annotation=annotation, default=_nothing(name))
        for name, annotation in annotations.items()
    ]
    own = inspect.signature(command, eval_str=True).parameters.values()
    parameters = [p.replace(kind=kind) for p in own if p.name != "run_flags"] + shared

    def call(**values: Any) -> int:
        typed = {n: _typed_value(n, v) for n in names if (v := values.pop(n)) is not None}
        as_json, lines, quiet, verbose = (values.pop(name) for name in _SHOWN)
        mode = _mode(as_json, lines, quiet)
        return command(**values, run_flags=RunFlags(RunOptions(**typed), mode, verbose))

    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    call.__annotations__ = {p.name: p.annotation for p in parameters}
    call.__doc__, call.__name__ = command.__doc__, command.__name__
    return call


def _flag_type(name: str) -> Any:
    """Return the type of an option as typer reads it: typer knows no tuples."""
    return list[str] | None if get_origin(TYPES[name]) is tuple else TYPES[name]


def _nothing(name: str) -> Any:
    """Return the value of a flag that was not typed."""
    return False if TYPES.get(name, bool) is bool else None
