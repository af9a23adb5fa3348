"""`flowc torture`: kill a workflow again and again, resume it, say what it did twice or never."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from flowc.compiler.driver import CompileResult
from flowc.compiler.lowering.graphspec import GraphSpec, answering_agent
from flowc.compiler.source.spelling import Spelling

from ...assembly.granted_sources import compile_granted
from ...assembly.inputs import RawInputs, type_inputs
from ...assembly.run_options import RunOptions
from ...cassette.format import read_cassette
from ...config.settings import Config, load_config
from ...errors import RunError, reason_of
from ...files.tempdirs import make_room
from ...models.offline import OFFLINE
from ...services import Json
from ...testing.case import write_answers
from .. import flags
from ..app import FINDINGS, INTERRUPTED, OK, complain, say
from ..inputs import read_inputs
from ..locate import locate, locate_answers, locate_team, name_of
from ..running.launch import check_runnable
from ..running.run import file_reader
from ..screen import screen_on
from ..show.questions import can_ask, read_line
from ..streams import print_result, result_alone
from .torture_view import TortureView, ordeal_object, show

if TYPE_CHECKING:
    from ...torture.hosts import Victim
    from ...torture.torture import Kills, Ordeal

Boundaries = Annotated[
    int | None,
    typer.Option(
        "--boundaries", metavar="N", min=0, help="kill at N of the journal's (without: at each)"
    ),
]
Moments = Annotated[
    int, typer.Option("--moments", metavar="N", min=0, help="kill at N random moments too")
]
Seed = Annotated[
    int | None, typer.Option("--seed", metavar="N", help="chooses boundaries and moments")
]
At = Annotated[
    list[str] | None,
    typer.Option("--at", metavar="BOUNDARY", help="kill at this one alone; repeatable"),
]
Real = Annotated[
    list[str] | None,
    typer.Option("--real", metavar="NODE", help="let this node act for real; repeatable"),
]
Yes = Annotated[bool, typer.Option("--yes", help="--real asks nothing")]
Returns = Annotated[
    list[str] | None,
    typer.Option(
        "--returns",
        metavar="NAME=VALUE",
        help="what a tool's stand-in answers, or a node's commands print",
    ),
]
Reply = Annotated[
    list[str] | None,
    typer.Option("--answer", metavar="NAME=TEXT", help="a person's answer to a question"),
]
Beside = Annotated[
    Literal["langgraph"] | None,
    typer.Option("--beside", metavar="langgraph", help="the same with LangGraph's saver alone"),
]
Seconds = Annotated[
    float, typer.Option("--timeout", metavar="SECONDS", min=0.1, help="what an execution may take")
]
Replay = Annotated[str | None, flags.flag("replay")]
Roots = Annotated[list[str] | None, flags.flag("roots", help="a folder that may be read")]
Server = Annotated[
    str | None,
    typer.Option(
        "--store", metavar="URL", help="a PostgreSQL server to make a database on (else: SQLite)"
    ),
]
TIMEOUT = 60.0
MOMENTS = 10


def torture(
    target: flags.Target,
    answers: flags.Answers = None,
    replay: Replay = None,
    given: flags.Inputs = None,
    inputs: flags.InputFiles = None,
    team: flags.Team = None,
    answer: Reply = None,
    returns: Returns = None,
    real: Real = None,
    yes: Yes = False,
    boundaries: Boundaries = None,
    moments: Moments = MOMENTS,
    at: At = None,
    seed: Seed = None,
    store: Server = None,
    beside: Beside = None,
    timeout: Seconds = TIMEOUT,
    root: Roots = None,
    as_json: flags.AsJson = False,
) -> int:
    """Kill a workflow at every boundary of its journal and at random moments, resume it each time,
    and count what was lost or done twice. Answers are scripted or recorded; tools and commands are
    stand-ins, and stores are thrown away.

    Exit code 0: nothing broke, 1: something did, 2: it cannot be run so.
    """
    config = load_config(Path.cwd())
    path = locate(target, config.workflows)
    compiled = compile_granted(path, team=locate_team(team, path))
    if not check_runnable(compiled, "json" if as_json else "text"):
        return FINDINGS
    _refuse_useless(compiled, boundaries, moments, at, replay, real)
    seed = random.SystemRandom().randrange(1_000_000) if seed is None else seed
    with _room() as room, result_alone():
        options = _options(compiled, answers, replay, team, root, room)
        values = read_inputs(given or [], inputs or [], file_reader(path, options))
        victim = _victim(compiled, options, config, values, _values(returns), real or [])
        _ask_for_real(victim, real or [], yes)
        kills = _kills(boundaries, moments, seed, tuple(at or ()), timeout)
        view = TortureView(screen_on(sys.stderr), target)
        ordeals = _torture(victim, _texts(answer), room, store, kills, beside, view)
    if as_json:
        print_result(ordeal_object(ordeals, victim, kills))
    else:
        show(ordeals, victim, kills, screen_on(sys.stdout), target)
    if any(ordeal.stopped for ordeal in ordeals):
        say("interrupted")
        return INTERRUPTED
    return FINDINGS if ordeals[0].judgement.breaches else OK


def _refuse_useless(
    compiled: CompileResult,
    boundaries: int | None,
    moments: int,
    at: list[str] | None,
    replay: str | None,
    real: list[str] | None,
) -> None:
    """Raise `RunError` for what cannot be tortured, or would not be."""
    if boundaries == 0 and moments == 0 and not at:
        raise RunError("--boundaries 0 and --moments 0: nothing would be killed")
    if replay and real:
        raise RunError(
            "--replay and --real exclude each other",
            help="a recording answers for every node; --answers script the models alone",
        )
    if compiled.frontend is not None and compiled.frontend.name == "plan":
        raise RunError(
            f"{compiled.path} is a living document: a run would write into it, again and again",
            help="torture the workflow that carries it on, with a recording",
        )


@contextmanager
def _room() -> Iterator[Path]:
    """Make a folder that is gone afterwards. Raise `RunError`."""
    try:
        room = make_room()
    except OSError as error:
        raise RunError(
            f"there is no place for the runs among the temporary files: {reason_of(error)}",
            help="TMPDIR names another folder",
        ) from None
    with room:
        yield room.folder


def _options(
    compiled: CompileResult,
    answers: str | None,
    replay: str | None,
    team: str | None,
    root: list[str] | None,
    room: Path,
) -> RunOptions:
    """Return the options of every run. The configured model never answers in place of a script.
    Raise `RunError` when nobody answers."""
    options = RunOptions(
        replay=replay, team=locate_team(team, compiled.path), roots=tuple(root or ()), own=str(room)
    )
    if replay:
        if answers:
            raise RunError("--answers and --replay exclude each other")
        return options
    if answers is None:
        beside = Path(compiled.path).with_name(f"{name_of(compiled.path)}.answers.yaml")
        answers = str(beside) if beside.is_file() else None
    if answers is not None:
        return replace(options, answers=locate_answers(answers, compiled.path))
    if compiled.spec.model == OFFLINE:
        return options
    if _asks_a_model(compiled.spec):
        raise RunError(
            "nobody answers the model calls of this workflow, and a real model would be paid each"
            " time",
            help="--answers FILE scripts them, --replay FILE has a recording: flowc run FILE"
            " --record FILE makes one",
        )
    return replace(options, answers=write_answers({}, room / "no.answers.yaml"))


def _asks_a_model(spec: GraphSpec) -> bool:
    specs = (spec, *(sub for _, sub in spec.subgraphs))
    return any(answering_agent(node.op, one) for one in specs for node in one.nodes)


def _victim(
    compiled: CompileResult,
    options: RunOptions,
    config: Config,
    values: RawInputs,
    returns: dict[str, Json],
    real: list[str],
) -> Victim:
    from ...assembly.launch import prepare
    from ...torture.hosts import Victim
    from ...torture.world import Scene

    assert compiled.workflow is not None
    if options.replay:
        recorded = read_cassette(options.replay).header.inputs
        values = RawInputs({**recorded, **values.values}, values.texts)
    nodes = _node_names(compiled.spec)
    for name in real:
        if name not in nodes and name.rpartition("/")[2] not in nodes:
            near = Spelling(nodes).nearest(name)
            raise RunError(
                f"--real {name}: there is no such node",
                help=f"did you mean `{near}`?" if near else f"nodes: {', '.join(sorted(nodes))}",
            )
    inputs = type_inputs(values, compiled.workflow, compiled.sources)
    scene = Scene(frozenset(real), returns, recorded=options.replay is not None)
    return Victim(prepare(compiled, options, config), inputs, scene)


def _node_names(spec: GraphSpec) -> set[str]:
    return {node.id for one in (spec, *(sub for _, sub in spec.subgraphs)) for node in one.nodes}


def _values(pairs: list[str] | None) -> dict[str, Json]:
    """Return what stand-ins answer: JSON where it is some, else the text."""
    values: dict[str, Json] = {}
    for name, text in _split(pairs, "--returns", "NAME=VALUE"):
        try:
            values[name] = json.loads(text)
        except ValueError:
            values[name] = text
    return values


def _texts(pairs: list[str] | None) -> dict[str, Json]:
    return dict(_split(pairs, "--answer", "NAME=TEXT"))


def _split(pairs: list[str] | None, flag: str, form: str) -> Iterator[tuple[str, str]]:
    for pair in pairs or ():
        name, sign, text = pair.partition("=")
        if not sign or not name:
            raise RunError(f"`{flag} {pair}` gives no value", help=f"write {flag} {form}")
        yield name, text


def _kills(
    boundaries: int | None, moments: int, seed: int, at: tuple[str, ...], timeout: float
) -> Kills:
    from ...torture.torture import Kills

    return Kills(boundaries, 0 if at else moments, seed, at, timeout)


def _ask_for_real(victim: Victim, real: list[str], yes: bool) -> None:
    """Raise `RunError` unless a person agrees that nodes act for real."""
    if not real or yes:
        return
    names = ", ".join(f"`{name}`" for name in real)
    if not can_ask():
        raise RunError(
            f"{names} would act for real, once or more for each kill",
            help="--yes says that it may",
        )
    say(f"{names} will act for real, once or more for each kill.")
    if read_line("go on? [y/N] > ").strip().lower() not in ("y", "yes"):
        raise RunError("nothing was done", help="without --real it is a stand-in that acts")


def _torture(
    victim: Victim,
    texts: dict[str, Json],
    room: Path,
    store: str | None,
    kills: Kills,
    beside: str | None,
    view: TortureView,
) -> list[Ordeal]:
    from ...torture.people import script_answer
    from ...torture.stores import throw_away
    from ...torture.torture import Torture

    with throw_away(store) as stores:
        tortured = Torture(victim, script_answer(texts), room, stores, kills, view.progress)
        try:
            ordeals = [tortured.on("flowc")]
            if beside and not ordeals[0].stopped:
                try:
                    ordeals.append(tortured.on("langgraph"))
                except RunError as error:  # what was judged before stays
                    view.end()
                    complain(f"beside LangGraph alone: {error.message}", error.help)
            return ordeals
        finally:
            view.end()
