"""`flowc diff`: what differs between two runs, as diff tells it of two files."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...assembly.lazy import open_engine
from ...cassette.format import Cassette, read_cassette
from ...errors import RunError
from ...graph.run_diff import ComparedRun, RunDifference, compare, compare_cassettes
from ...store.runs import RunRecord, open_store
from .. import flags
from ..app import FINDINGS, OK
from ..screen import Screen, one_line, screen_on, seconds_of
from ..show.outcomes import result_text
from ..stores import existing_store
from ..streams import print_result

if TYPE_CHECKING:
    from ...engine.engine import Engine

_CONTEXT = 2
"""Equal steps that are shown beside those that differ."""

First = Annotated[
    str, typer.Argument(metavar="RUN|FILE", help="a run (see flowc runs), or a recording")
]
Second = Annotated[str, typer.Argument(metavar="RUN|FILE", help="what to compare it with")]


def diff(
    first: First,
    second: Second,
    store: flags.Store = None,
    as_json: flags.AsJson = False,
) -> int:
    """Compare two runs: the way they went, their variables, what they cost; or two recordings,
    exchange by exchange. Of a run beside a recording the recording is taken that it made.

    Exit code 0: the same way, the same variables and result; 1: they differ. Costs and times are
    shown, and do not count as a difference.
    """
    if is_recording(first) or is_recording(second):
        difference = compare_cassettes(_recording(first, store), _recording(second, store))
    else:
        difference = compare(*asyncio.run(_both(existing_store(store), first, second)))
    if as_json:
        print_result(_as_object(difference, first, second))
    else:
        screen = screen_on(sys.stdout)
        screen.print(*_lines(difference, first, second, screen))
    return FINDINGS if difference else OK


def is_recording(name: str) -> bool:
    """Return whether the name of a run is that of a file."""
    return os.path.isfile(name) or name.endswith((".yaml", ".yml"))


def _recording(name: str, store: str | None) -> Cassette:
    """Return a recording, or that of a run. Raise `RunError` for a run that made none."""
    if is_recording(name):
        return read_cassette(name)
    record = asyncio.run(_record(existing_store(store), name))
    path = record.options.get("record")
    if not path:
        raise RunError(
            f"run {name} was not recorded, and the other one is a recording",
            help="record it anew with --record, or compare two runs",
        )
    return read_cassette(os.path.join(str(record.options.get("folder") or ""), str(path)))


async def _record(url: str, run: str) -> RunRecord:
    async with open_store(url) as kept:
        return await kept.get(run)


async def _both(url: str, first: str, second: str) -> tuple[ComparedRun, ComparedRun]:
    async with open_engine(url) as engine:
        return await _compared_run(engine, first), await _compared_run(engine, second)


async def _compared_run(engine: Engine, run: str) -> ComparedRun:
    record = await engine.store.get(run)
    state = await engine.state(run)
    events = await engine.store.events(run)
    error = None if record.error is None else str(record.error.get("message") or "")
    usage = record.usage
    return ComparedRun(events, state.variables, record.status, record.result, usage, error)


def _as_object(difference: RunDifference, first: str, second: str) -> dict[str, Any]:
    def pairs(values: Any) -> dict[str, Any]:
        return {name: {"first": a, "second": b} for name, (a, b) in values.items()}

    return {
        "runs": [first, second],
        "same": not difference,
        "path": [{"in": _IN[sign], "step": step} for sign, step in difference.path],
        "variables": pairs(difference.variables),
        "ends": pairs(difference.ends),
        "costs": pairs(difference.costs),
    }


_IN = {" ": "both", "-": "first", "+": "second"}


def _lines(difference: RunDifference, first: str, second: str, screen: Screen) -> Iterator[str]:
    yield screen.ink(f"--- {first}", "strong")
    yield screen.ink(f"+++ {second}", "strong")
    if any(sign != " " for sign, _ in difference.path):
        yield "path"
        yield from _path(difference, screen)
    for title, values in (("variables", difference.variables), ("ends", difference.ends)):
        if values:
            yield title
        for name, pair in values.items():
            for sign, value in zip("-+", pair, strict=True):
                shown = one_line(result_text(value) or "(unset)", screen.width - len(name) - 8)
                yield _sign_line(sign, f"{name}  {shown}", screen)
    if not difference:
        yield "the same way, variables and result" if difference.path else "nothing differs"
    yield screen.ink("costs", "dim")
    for name, (before, after) in difference.costs.items():
        if before or after:
            text = _number(name, before)
            text += "" if before == after else f" → {_number(name, after)}"
            yield screen.ink(f"    {name.replace('_', ' ')}  {text}", "dim")


def _path(difference: RunDifference, screen: Screen) -> Iterator[str]:
    """Yield the steps that differ with a few around them, and the number of equal ones between."""
    differing = [n for n, (sign, _) in enumerate(difference.path) if sign != " "]
    shown_steps = {n + d for n in differing for d in range(-_CONTEXT, _CONTEXT + 1)}
    left_out = 0
    for number, (sign, step) in enumerate(difference.path):
        if number not in shown_steps:
            left_out += 1
            continue
        if left_out:
            yield screen.ink(f"    … {left_out} equal", "dim")
            left_out = 0
        yield _sign_line(sign, one_line(step, screen.width - 6), screen)
    if left_out:
        yield screen.ink(f"    … {left_out} equal", "dim")


def _sign_line(sign: str, text: str, screen: Screen) -> str:
    line = f"  {sign} {text}"
    return line if sign == " " else screen.ink(line, "bad" if sign == "-" else "good")


def _number(name: str, value: Any) -> str:
    if value is None:
        return "unknown"
    if name == "seconds":
        return seconds_of(value)
    return f"${value:.4f}" if name == "cost" else str(value)
