"""The command table and the dispatcher: only the module of the command asked for is imported.

Every command is a plain function with typer annotations (or a `typer.Typer` for a command with
sub-commands) that returns its exit code; None means 0. What goes wrong in a way the user can mend
is raised as `RunError`, or is the `Failure` of a part that runs use too. Exit codes: docs/cli.md.
"""

from __future__ import annotations

import errno
import os
import sys
from dataclasses import dataclass
from importlib import import_module
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal

from flowc import __version__
from flowc.compiler.source.gc_pause import collector_at_rest
from flowc.compiler.source.left_out import left_out

from .streams import on_terminal, soften

if TYPE_CHECKING:
    import typer

    from ..errors import RunError
    from .screen import Tone

Group = Literal["Write", "Run", "Look", "Set up"]

OK, FINDINGS, USAGE, FAULT, PAUSED, LIMIT, GATE, CUT_OFF, UNTRUSTED = range(9)
INTERRUPTED = 130
_SHORT = {
    errno.EMFILE: "allow more open files: ulimit -n 1024",
    errno.ENFILE: "end programs that hold many files open, then try again",
    errno.ENOMEM: "end programs that take much memory, then try again",
    errno.EAGAIN: "end some processes, or allow more (ulimit -u), then try again",
    errno.ENOSPC: "make room on the disk, or write to another one",
    errno.EDQUOT: "make room in your share of the disk, or write to another one",
}
"""What no bug of ours is, wherever it comes up, and what helps."""


@dataclass(frozen=True, slots=True)
class Command:
    """A row: the name, where its function lies (its module here, its name there), one line of help.

    `quick` names a function (module:function) that takes plain arguments and returns the exit
    code, or None when typer has to read them: typer and pydantic take a third of a cold start.
    """

    name: str
    group: Group
    module: str
    summary: str
    attribute: str = ""
    quick: str = ""


COMMANDS: tuple[Command, ...] = (
    Command("check", "Write", "authoring.check_options",
            "find every fault of a workflow before it runs", quick="authoring.check:check_quickly"),
    Command("inspect", "Write", "authoring.inspect", "what a file holds, for people and programs"),
    Command("graph", "Write", "authoring.graph", "the picture, offline, with a run drawn over it"),
    Command("convert", "Write", "authoring.convert", "the same workflow in another format"),
    Command("compile", "Write", "authoring.compile", "a LangGraph project for `langgraph dev`"),
    Command("dev", "Write", "serving.dev", "LangGraph Studio's server on the files themselves"),
    Command("run", "Run", "running.run", "run a workflow, by file or by name"),
    Command("resume", "Run", "running.resume", "go on with a run, answer its question"),
    Command("watch", "Run", "running.watch", "go on with runs whose time has come; schedules"),
    Command("step", "Run", "running.step", "one node of a run again, on what it was given"),
    Command("pause", "Run", "running.control", "ask a running run to pause"),
    Command("stop", "Run", "running.control", "ask a running run to stop"),
    Command("runs", "Look", "running.prune", "what ran, and how it ended; prune forgets"),
    Command("show", "Look", "running.runs", "where a run stands"),
    Command("history", "Look", "running.runs", "every checkpoint of a run"),
    Command("diff", "Look", "running.diff", "what differs between two runs"),
    Command("fork", "Run", "running.runs", "a new run from a checkpoint of another"),
    Command("gc", "Set up", "running.prune", "make the store of runs smaller"),
    Command("explain", "Write", "authoring.explain", "why a diagnostic exists, bad and good"),
    Command("test", "Write", "testing.test", "run the cases that a workflow has of its own",
            attribute="run_tests"),
    Command("torture", "Write", "testing.torture", "kill a workflow everywhere, judge what it did"),
    Command("lsp", "Write", "authoring.lsp", "the language server for editors, over stdio"),
    Command("mcp", "Run", "serving.mcp", "serve workflows to assistants over MCP"),
    Command("serve", "Run", "serving.serve", "the orchestration service over HTTP"),
    Command("worker", "Run", "serving.worker", "another process for the service's executions"),
    Command("jobs", "Run", "serving.jobs", "what waits for the service's workers, or failed"),
    Command("token", "Set up", "serving.serve", "access tokens of the service"),
    Command("fmt", "Write", "authoring.fmt", "files in their format's layout, comments and all"),
    Command("schema", "Write", "authoring.schema", "the JSON Schema of a format, for editors"),
    Command("audio", "Look", "audio.commands", "measure sound files, apply audio tools"),
    Command("tools", "Set up", "authoring.tools", "the tools that workflows can use here"),
    Command("trust", "Set up", "running.trust", "what a folder wants, and whether it may"),
    Command("doctor", "Set up", "authoring.doctor", "what this machine offers"),
    Command("sandbox", "Set up", "testing.attack", "attack the sandbox of this machine"),
    Command("completion", "Set up", "authoring.completion", "a completion script for a shell"),
)  # fmt: skip


def run(args: list[str] | None = None) -> int:
    """Run a command line and give its exit code. Never raises, whatever the command does."""
    soften()
    try:
        code = _dispatch(sys.argv[1:] if args is None else args)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        _discard_stdout()
        return FINDINGS
    except KeyboardInterrupt:
        say("interrupted")
        return INTERRUPTED
    except Exception as error:
        if isinstance(error, OSError) and error.errno in _SHORT:
            what = (error.strerror or str(error)).lower()
            complain(f"the machine is short of something: {what}", _SHORT[error.errno])
            _give_up_stdout()
            return FAULT
        return _report_fault()


def say(*lines: str) -> None:
    """Print lines for a person to stderr, so that stdout holds the result alone."""
    print(*lines, sep="\n", file=sys.stderr)


def complain(message: str, help: str = "", diff: tuple[str, ...] = ()) -> None:
    """Print an error: what is wrong, a difference if there is one, what to do about it. No text of
    a stranger in it steers the terminal."""
    more = on_terminal(help).replace("\n", "\n        ")
    say(f"error: {on_terminal(message)}", *color_diff(diff), *([f"  help: {more}"] if help else []))


def color_diff(diff: tuple[str, ...]) -> list[str]:
    """Return the lines of a difference, indented, and coloured on a terminal. Their text cannot
    steer the terminal."""
    if not diff:
        return []
    from flowc.compiler.source.snippet import visible

    from .screen import screen_on

    screen = screen_on(sys.stderr)
    tones: dict[str, Tone] = {"+": "good", "-": "bad", "@": "dim"}
    shown = [(visible(line), tones.get(line[:1])) for line in diff]
    return ["  " + (screen.ink(line, tone) if tone else line) for line, tone in shown]


def _dispatch(args: list[str]) -> int:
    if not args or args[0] in ("-h", "--help") or args == ["help"]:
        print(_overview())
        return OK if args else USAGE
    if args[0] in ("-V", "--version"):
        print(f"flowc {__version__}")
        return OK
    if args[0] == "help":
        args = [args[1], "--help"]
    row = next((c for c in COMMANDS if c.name == args[0]), None)
    if row is None:
        return _unknown_command(args[0])
    try:
        os.getcwd()
    except OSError:
        complain("the folder that this is started in is gone", "cd to one that is there")
        return USAGE
    return _invoke(row, args[1:])


def _invoke(row: Command, args: list[str]) -> int:
    """Call the one command; its mistakes in usage end with 2."""
    from ..errors import Failure, RunError

    try:
        if row.quick:
            module, _, function = row.quick.partition(":")
            code = _load(module, function)(args)
            if code is not None:
                return int(code)
        return _invoke_typed(row, args)
    except RunError as error:
        if error.exit_code != UNTRUSTED or not _print_refusal(error, args):
            complain(error.message, error.help, error.diff)
        return error.exit_code
    except Failure as failure:
        complain(failure.message, failure.help)
        return USAGE


def _print_refusal(error: RunError, args: list[str]) -> bool:
    """Print what nobody granted as the end that it is, where a program reads ends; return whether
    one does."""
    from ..config.wants import NotTrusted
    from .streams import print_result

    if not isinstance(error, NotTrusted) or not {"--json", "--jsonl"} & set(args):
        return False
    if "--json" in args:
        print_result(error.as_json())
    else:
        print_result({**error.as_json(), "kind": "outcome"}, None)
    return True


def _load(module: str, attribute: str) -> Any:
    """Import what a row names."""
    # An import makes no garbage, and looking for some took a twentieth of a cold start. Lark takes
    # `regex` for grammars with categories of Unicode, which ours have not: 1 MB.
    with collector_at_rest(), left_out("regex"):
        return getattr(import_module(f".{module}", __package__), attribute)


def _invoke_typed(row: Command, args: list[str]) -> int:
    """Build the command with typer and call it."""
    import typer

    # UsageError and ClickException have no public name in every typer we support.
    usage_error: Any = typer.BadParameter.__mro__[2]
    try:
        code = build(row).main(args, prog_name=f"flowc {row.name}", standalone_mode=False)
    except usage_error as error:
        complain(_sentence(error.format_message()), f"flowc {row.name} --help")
        return USAGE
    except typer.Abort:
        say("interrupted")
        return INTERRUPTED
    return code if isinstance(code, int) else OK


def build(row: Command) -> Any:
    """Import the module of a command and return the command as typer calls it."""
    import typer

    target = _load(row.module, row.attribute or row.name)
    if isinstance(target, typer.Typer):
        return typer.main.get_command(target)
    app = plain_app()
    app.command(row.name)(target)
    return typer.main.get_command(app)


def plain_app(**settings: Any) -> typer.Typer:
    """Return the `typer.Typer` of all our commands: no rich, no completion options, `-h` too."""
    import typer

    return typer.Typer(
        rich_markup_mode=None,
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        **settings,
    )


def _overview() -> str:
    width = max(len(c.name) for c in COMMANDS)
    lines = ["flowc: a compiler for agent workflows", "", "usage: flowc COMMAND [OPTION]… [FILE]…"]
    for group in dict.fromkeys(c.group for c in COMMANDS):
        rows = [c for c in COMMANDS if c.group == group]
        lines += ["", f"{group}:", *(f"  {c.name:<{width}}  {c.summary}" for c in rows)]
    return "\n".join([*lines, "", "flowc COMMAND --help says more; flowc --version"])


def _unknown_command(name: str) -> int:
    from difflib import get_close_matches

    close = get_close_matches(name, [c.name for c in COMMANDS], n=1)
    if not close and os.path.exists(name):
        complain(f"there is no command `{name}`", f"flowc check {name}, or flowc run {name}")
    else:
        help = f"did you mean `flowc {close[0]}`?" if close else "flowc --help lists the commands"
        complain(f"there is no command `{name}`", help)
    return USAGE


def _sentence(message: str) -> str:
    """Typer's message in the style of ours: lower case, no full stop."""
    message = message.strip().removesuffix(".")
    return message[:1].lower() + message[1:]


def _report_fault() -> int:
    """Report a bug of ours in one line; FLOWC_DEBUG=1 shows the traceback. Return the exit code."""
    kind, error, trace = sys.exc_info()
    if os.environ.get("FLOWC_DEBUG") == "1":
        sys.excepthook(kind or Exception, error or Exception(), trace)
        return FAULT
    name = kind.__name__ if kind else "error"
    complain(
        f"internal fault: {name}: {error} ({_origin(trace)}, flowc {__version__})",
        "this is a bug in flowc; please report it with the output of FLOWC_DEBUG=1",
    )
    return FAULT


def _origin(trace: TracebackType | None) -> str:
    """Return file and line of the innermost frame, without the folder of the installation."""
    place = "unknown place"
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        place = (
            f"{os.path.basename(os.path.dirname(file))}/{os.path.basename(file)}:{trace.tb_lineno}"
        )
        trace = trace.tb_next
    return place


def _give_up_stdout() -> None:
    """Let the interpreter's last flush not fail once more."""
    try:
        sys.stdout.flush()
    except OSError:
        _discard_stdout()


def _discard_stdout() -> None:
    """Lead stdout nowhere once its reader is gone: the interpreter's last flush must not fail."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
