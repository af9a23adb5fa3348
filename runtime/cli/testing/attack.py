"""`flowc sandbox attack`: what the sandbox of this machine stops, tried on it."""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING, Annotated

import typer

from ...errors import RunError
from .. import flags
from ..app import FINDINGS, OK, plain_app
from ..screen import Screen, count_of, screen_on
from ..streams import print_result

if TYPE_CHECKING:
    from ...sandbox.attack.attack import AttackFinding

_VERDICTS = ("stopped", "documented", "reached")
Ways = Annotated[
    list[str] | None,
    typer.Option("--way", metavar="NAME", help="attack this way of confining alone; repeatable"),
]


def attack(way: Ways = None, as_json: flags.AsJson = False) -> int:
    """Attack the sandbox as a hostile command would, with secrets that are laid out for it in a
    folder of its own, in every way in which this machine can confine. Takes a minute or more.

    Exit code 0: nothing was reached but what docs/sandbox.md names, 1: something was, 2: there is
    no sandbox here.
    """
    from ...sandbox.attack.attack import attack as attack_here
    from ...sandbox.attack.attack import ways_here

    here = ways_here()
    if unknown := sorted(set(way or ()) - here.keys()):
        known = ", ".join(f"`{name}`" for name in here)
        raise RunError(f"there is no way `{unknown[0]}` here", help=f"known are {known}")
    screen, findings = screen_on(sys.stderr), []
    for finding in attack_here(way or ()):
        findings.append(finding)
        attempt = finding.attempt
        done = f"{finding.way}: {len(findings)}  {attempt.kind}: {attempt.name}"
        screen.update((), (done[: max(screen.width - 1, 1)],))
    screen.settle()
    if as_json:
        print_result({"attempts": [_as_json(finding) for finding in findings]})
    else:
        _show(screen_on(sys.stdout), findings)
    return FINDINGS if any(one.verdict == "reached" for one in findings) else OK


def _as_json(finding: AttackFinding) -> dict[str, str]:
    return {
        "way": finding.way,
        "level": finding.level,
        "kind": finding.attempt.kind,
        "name": finding.attempt.name,
        "verdict": finding.verdict,
        "what": finding.what,
    }


def _show(screen: Screen, findings: list[AttackFinding]) -> None:
    """Print a row for each way and kind, then what was reached and what is documented."""
    counts = Counter[tuple[str, ...]]((f.way, f.level, f.attempt.kind, f.verdict) for f in findings)
    rows = list(dict.fromkeys((f.way, f.level, f.attempt.kind) for f in findings))
    width = max(len(f"{way} ({level})") for way, level, _ in rows)
    kinds = max(len(kind) for _, _, kind in rows)
    head = "".join(f"{verdict:>12}" for verdict in _VERDICTS)
    screen.print(screen.ink(f"{'':<{width}}  {'':<{kinds}}{head}", "dim"))
    for way, level, kind in rows:
        numbers = [counts[way, level, kind, verdict] for verdict in _VERDICTS]
        cells = "".join(f"{number:>12}" for number in numbers)
        screen.print(f"{f'{way} ({level})':<{width}}  {kind:<{kinds}}{cells}")
    reasons = dict.fromkeys((f.way, f.what) for f in findings if f.verdict == "documented")
    for way, why in reasons:
        screen.print(f"documented, {way}: {why}")
    for one in findings:
        if one.verdict == "reached":
            screen.print(f"reached, {one.way}: {one.attempt.kind}: {one.attempt.name}: {one.what}")
    total = Counter[str](one.verdict for one in findings)
    words = ", ".join(f"{total[verdict]} {verdict}" for verdict in _VERDICTS)
    screen.print(f"{count_of(len(findings), 'attempt')}: {words}")


sandbox = plain_app(help="The sandbox of commands, scripts and generated code.")
sandbox.command("attack")(attack)


@sandbox.callback()
def _group() -> None:
    """Have `attack` be a command of its own: typer takes the only one of a group for the group."""
