"""What `flowc torture` shows: a bar while it goes on, a table, findings with advice, JSON."""

from __future__ import annotations

import shlex
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from ..screen import Screen, count_of, one_line, seconds_of

if TYPE_CHECKING:
    from ...torture.findings import Broken
    from ...torture.hosts import Victim
    from ...torture.judge import NodeCount
    from ...torture.torture import Kills, Ordeal

_BAR = 24
_NODE = 40
_COLUMNS = ("effects", "lost", "repeated", "asked", "again", "doubtful")
_MEANING = (
    "lost: never happened. repeated: came again, and nobody had said so.\n"
    "asked: in doubt, and a person decided. again: under the same key, as is declared harmless.\n"
    "doubtful: nobody can say."
)
_UNSEEN = "not judged"
_HOSTS = {"flowc": "flowc", "langgraph": "LangGraph alone"}


@dataclass(slots=True)
class TortureView:
    """The bar, on a terminal."""

    screen: Screen
    target: str
    _began: float = field(default_factory=time.monotonic)
    _host: str = ""

    def progress(self, ordeal: Ordeal) -> None:
        """Show how far it is."""
        if ordeal.host != self._host:
            self._host, self._began = ordeal.host, time.monotonic()
        done = min(ordeal.judgement.kills, ordeal.planned)
        part = done / ordeal.planned if ordeal.planned else 1.0
        whole = round(part * _BAR)
        utf = self.screen.marks.done == "✓"
        bar = ("█" if utf else "#") * whole + ("░" if utf else ".") * (_BAR - whole)
        words = f"{done} of {count_of(ordeal.planned, 'kill')}"
        if broken := len(ordeal.judgement.breaches):
            words += f" · {broken} broken"
        spent = time.monotonic() - self._began
        if done and done < ordeal.planned:
            words += f" · {seconds_of(spent / done * (ordeal.planned - done))} left"
        row = f"{self.screen.marks.busy} {_HOSTS[ordeal.host]}  {bar}  {words}"
        self.screen.update((), (row[: max(self.screen.width - 1, 1)],))

    def end(self) -> None:
        """Take the bar away."""
        self.screen.settle()


def show(
    ordeals: Sequence[Ordeal], victim: Victim, kills: Kills, screen: Screen, target: str
) -> None:
    """Print the table, the findings and what was not judged."""
    from ...torture.findings import findings_of, gaps_of

    first = ordeals[0]
    print(*_head(first, victim, kills, screen, target), "", sep="\n")
    print(*_table(first, screen), sep="\n")
    for beside in ordeals[1:]:
        print("", *_beside(first, beside), sep="\n")
    findings = findings_of(first, victim)
    for finding in findings:
        print("", *_finding(finding, screen, target), sep="\n")
    if gaps := gaps_of(first, victim.scene):
        print("", *_gap_lines(gaps, screen), sep="\n")
    print("", _last(first, findings, bool(gaps), screen), sep="\n")


def _head(
    ordeal: Ordeal, victim: Victim, kills: Kills, screen: Screen, target: str
) -> Iterator[str]:
    total = ordeal.judgement.total().effects
    ending = ordeal.undisturbed.ending
    yield (
        f"{screen.ink(target, 'strong')}: {count_of(total, 'effect')} undisturbed, ended"
        f" {ending.status}"
    )
    ways = []
    if ordeal.at_boundaries:
        ways.append(f"{ordeal.at_boundaries} at boundaries of the journal")
    if ordeal.at_moments:
        ways.append(f"{ordeal.at_moments} at random moments")
    words = count_of(ordeal.judgement.kills, "kill") + f": {', '.join(ways)}" * bool(ways)
    yield screen.ink(f"{words} (seed {kills.seed}, {seconds_of(ordeal.seconds)})", "dim")


def _table(ordeal: Ordeal, screen: Screen) -> Iterator[str]:
    from ...torture.findings import unseen_of

    unseen = {call.node for call in unseen_of(ordeal)}
    rows = [
        (one_line(name or "(no node)", _NODE), _numbers(row), _UNSEEN * (name in unseen))
        for name, row in ordeal.judgement.nodes.items()
    ]
    total = ("all", _numbers(ordeal.judgement.total()), "")
    width = max(len(name) for name, *_ in (*rows, total, ("node",)))
    heads = [f"{head:>{len(head)}}" for head in _COLUMNS]
    yield screen.ink("  ".join([f"{'node':<{width}}", *heads]), "dim")
    for name, numbers, mark in (*rows, total):
        cells = [
            _cell(number, head, screen) for number, head in zip(numbers, _COLUMNS, strict=True)
        ]
        shown = [f"{name:<{width}}", *cells, *([screen.ink(mark, "warn")] if mark else [])]
        yield "  ".join(shown)
    yield screen.ink(_MEANING, "dim")


def _numbers(row: NodeCount) -> list[int]:
    return [getattr(row, column) for column in _COLUMNS]


def _cell(number: int, head: str, screen: Screen) -> str:
    text = f"{number:>{len(head)}}"
    if number and head in ("lost", "repeated"):
        return screen.ink(text, "bad")
    return text if number else screen.ink(text, "dim")


def _beside(first: Ordeal, beside: Ordeal) -> Iterator[str]:
    """Yield the same in one line for each host."""
    width = max(len(name) for name in _HOSTS.values())
    yield f"{'beside':<{width}}  kills  lost  repeated  asked  broken runs"
    for ordeal in (first, beside):
        total = ordeal.judgement.total()
        kinds = ("stuck", "ending")
        bad = sum(breach.kind in kinds for breach in ordeal.judgement.breaches)
        yield (
            f"{_HOSTS[ordeal.host]:<{width}}  {ordeal.judgement.kills:>5}  {total.lost:>4}"
            f"  {total.repeated:>8}  {total.asked:>5}  {bad:>11}"
        )


def _finding(finding: Broken, screen: Screen, target: str) -> Iterator[str]:
    mark = screen.ink(screen.marks.fail, "bad")
    where = f"{finding.node}: " if finding.node else ""
    yield f"{mark} {one_line(where + finding.message, 400)}"
    more = f", in {finding.runs} runs" if finding.runs > 1 else ""
    yield f"    killed {one_line(finding.died, 200)}{more}"
    if finding.at_boundary:
        yield f"    again: flowc torture {shlex.quote(target)} --at {shlex.quote(finding.died)} …"
    yield f"    advice: {finding.advice}"


def _gap_lines(gaps: list[str], screen: Screen) -> Iterator[str]:
    for gap in gaps:
        yield f"{screen.ink(screen.marks.note, 'warn')} not judged: {one_line(gap, 400)}"


def _last(ordeal: Ordeal, findings: list[Broken], gaps: bool, screen: Screen) -> str:
    kills = count_of(ordeal.judgement.kills, "kill")
    stopped = f", stopped before all {ordeal.planned}" if ordeal.stopped else ""
    if findings:
        return f"{screen.ink(count_of(len(findings), 'finding'), 'bad')} in {kills}{stopped}"
    nothing = "nothing broke" + " of what was judged" * gaps
    return f"{screen.ink(nothing, 'warn' if gaps else 'good')} in {kills}{stopped}"


def ordeal_object(ordeals: Sequence[Ordeal], victim: Victim, kills: Kills) -> dict[str, Any]:
    """Return what came of it as JSON: the first ordeal, and beside it the other one."""
    from ...torture.findings import findings_of, gaps_of

    first = ordeals[0]
    return {
        "workflow": victim.launch.compiled.path,
        "seed": kills.seed,
        "undisturbed": {
            "status": first.undisturbed.ending.status,
            "result": first.undisturbed.ending.result,
            "boundaries": [each.title for each in first.undisturbed.boundaries],
        },
        "stopped": first.stopped,
        **_counts(first),
        "findings": [finding.as_json() for finding in findings_of(first, victim)],
        "not_judged": gaps_of(first, victim.scene),
        "beside": {each.host: _counts(each) for each in ordeals[1:]},
    }


def _counts(ordeal: Ordeal) -> dict[str, Any]:
    from ...torture.findings import unseen_of

    unseen = {call.node for call in unseen_of(ordeal)}
    judgement = ordeal.judgement
    return {
        "kills": {
            "planned": ordeal.planned,
            "boundaries": ordeal.at_boundaries,
            "moments": ordeal.at_moments,
        },
        "seconds": round(ordeal.seconds, 3),
        "nodes": [
            {
                "node": name,
                **{each.name: getattr(row, each.name) for each in fields(row)},
                "judged": name not in unseen,
            }
            for name, row in judgement.nodes.items()
        ],
        "broken": len(judgement.breaches),
    }
