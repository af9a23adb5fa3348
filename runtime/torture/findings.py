"""Findings: promises that were broken, each with a line of advice; and what was not judged."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from flowc.compiler.lowering.graphspec import GraphSpec

from ..services import MODEL_CALL, Json
from .hosts import Victim
from .judge import Breach, BreachKind
from .ledger import LedgerLine
from .torture import Ordeal
from .world import OWN_LEDGER, Scene

_NOTE = f"flowc.{OWN_LEDGER}(label, idempotency_key)"
_TIMES = {1: "once", 2: "twice"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """A promise that was broken, at `node` ("" for the whole run) by the call `name`: `count` times
    in `runs` runs, the first of which `died` there, `at_boundary` where it can die again."""

    kind: BreachKind
    node: str
    name: str
    count: int
    runs: int
    died: str
    at_boundary: bool
    message: str
    advice: str

    def as_json(self) -> dict[str, Json]:
        return {name: getattr(self, name) for name in self.__slots__}


def findings_of(ordeal: Ordeal, victim: Victim) -> list[Broken]:
    """Return everything that was broken, the same thing once."""
    groups: dict[tuple[str, str, str], list[Breach]] = {}
    for breach in ordeal.judgement.breaches:
        groups.setdefault((breach.kind, breach.node, breach.name), []).append(breach)
    titles = {boundary.title for boundary in ordeal.undisturbed.boundaries}
    return [_finding(group, victim, titles) for group in groups.values()]


def _finding(group: list[Breach], victim: Victim, titles: set[str]) -> Broken:
    first, count = group[0], sum(breach.count for breach in group)
    message, advice = _words(first, count, len(group), victim)
    return Broken(
        kind=first.kind,
        node=first.node,
        name=first.name,
        count=count,
        runs=len(group),
        died=first.died,
        at_boundary=first.died in titles,
        message=message,
        advice=advice,
    )


def _words(first: Breach, count: int, runs: int, victim: Victim) -> tuple[str, str]:
    """Return what is wrong and what to do about it."""
    what, many = f"`{short_name(first.name)}`", times(count)
    match first.kind:
        case "liar" if first.effect == "pure":
            return (
                f"{what} is declared pure but acted {many} more than it was asked to",
                "declare it `once`, or `idempotent` if it looks up the key that it is given",
            )
        case "liar":
            return (
                f"{what} is declared idempotent but ignored its key {many}",
                "declare it `once`, or let it look up the idempotency key before it acts",
            )
        case "repeated" if _policy(first.node, victim) == "repeat":
            return (
                f"{what} acts once and was repeated {many}, as `on_unknown: repeat` says",
                "take `on_unknown` out, so that a person is asked, or make what it does idempotent",
            )
        case "repeated" if first.name == MODEL_CALL:
            return (
                f"a model call of `{first.node}` was paid again {many}, and nobody had said so",
                _OURS,
            )
        case "repeated":
            return f"{what} acts once and came again {many}, and nobody had said so", _OURS
        case "lost":
            return f"{what} was lost {many}: the run ended as if it had happened", _OURS
        case "keys":
            return f"{what} came again {many} under another idempotency key", _OURS
        case "stuck":
            return f"the run did not end {many}: {first.text}", _OURS
        case "ending" if _policy(first.node, victim) == "fail":
            return (
                f"the run ended otherwise {many}, as `on_unknown: fail` says: {first.text}",
                "take the failure with an edge, or let a person be asked",
            )
    return (
        f"the run ended otherwise {many}: {first.text}",
        "does it depend on the time, on chance, or on files that it changes itself?",
    )


_OURS = "flowc promises that this cannot happen: please report it, with the file and the seed"


def times(count: int) -> str:
    """Return `once`, `twice`, `3 times`."""
    return _TIMES.get(count, f"{count} times")


def short_name(name: str) -> str:
    """Return the name of an effect for people: the tool's or the function's, a command's text."""
    for prefix in ("tool ", "function ", "command "):
        if name.startswith(prefix):
            text = " ".join(name.removeprefix(prefix).split())
            return text if len(text) <= 60 else f"{text[:59]}…"
    return name


def _policy(node: str, victim: Victim) -> str | None:
    """Return what is said about effects in doubt: by any node, where it is about the whole run."""
    options, spec = victim.launch.options, victim.launch.compiled.spec
    if options.on_unknown:
        return options.on_unknown
    nodes = list(_nodes(spec, node))
    said = [each for each in nodes if each]
    return said[0] if said else options.usually


def _nodes(spec: GraphSpec, node: str) -> Iterator[str | None]:
    wanted = set(node.split("/")) - {""}
    for one in (spec, *(sub for _, sub in spec.subgraphs)):
        for each in one.nodes:
            if not wanted or each.id in wanted:
                yield each.op.on_unknown


def gaps_of(ordeal: Ordeal, scene: Scene) -> list[str]:
    """Return what could not be judged, each in a sentence with what would help."""
    gaps = []
    undisturbed = ordeal.undisturbed
    if undisturbed.ending.status != "success":
        error = f": {undisturbed.ending.error}" * bool(undisturbed.ending.error)
        gaps.append(
            f"a run that succeeds: the undisturbed one ended {undisturbed.ending.status}{error}"
        )
    calls = [line for line in undisturbed.lines if line.what == "call"]
    if not scene.recorded:
        gaps += _stand_ins(calls)
    silent = [call for call in unseen_of(ordeal) if call.real]
    if acting := [call for call in silent if call.effect != "pure"]:
        gaps.append(
            f"what came of {_list(acting)}: it leaves nothing in the ledger ({_NOTE} notes it)"
        )
    if pure := [call for call in silent if call.effect == "pure"]:
        gaps.append(
            f"that {_list(pure)} does nothing outside, as `pure` says: what it did would be done"
            f" again unasked ({_NOTE} in it shows that; what acts is `idempotent` or `once`)"
        )
    if trusted := [call for call in unseen_of(ordeal) if not call.real]:
        other = "--answers in place of --replay, with " * scene.recorded
        words = "`, `".join(dict.fromkeys(call.effect for call in trusted))
        gaps.append(
            f"that what is declared `{words}` is: {_list(trusted)} ({other}--real NODE tries it)"
        )
    if ordeal.judgement.strange:
        gaps.append(
            f"{ordeal.judgement.strange} calls that the undisturbed run did not make: it is not the"
            " same each time"
        )
    return gaps


def _stand_ins(calls: list[LedgerLine]) -> Iterator[str]:
    mocked = [call for call in calls if not call.real and call.name != MODEL_CALL]
    commands = [call for call in mocked if call.name.startswith("command ")]
    if commands:
        nodes = ", ".join(dict.fromkeys(f"`{call.node}`" for call in commands))
        yield (
            f"the commands of {nodes}: nothing was run (--returns NODE=OUTPUT prints for them,"
            " --real NODE runs them)"
        )
    tools = [call for call in mocked if not call.name.startswith("command ")]
    if tools:
        yield (
            f"what {_list(tools)} would return: a stand-in answered (--returns TOOL=VALUE,"
            " --replay or --real NODE)"
        )


def unseen_of(ordeal: Ordeal) -> list[LedgerLine]:
    """Return the calls of the undisturbed run that may have acted, or may act elsewhere, without a
    trace: that they are what was declared of them is not judged."""
    lines = ordeal.undisturbed.lines
    noted = {line.key for line in lines if line.what == "effect" and line.key}
    return [
        line
        for line in lines
        if line.what == "call"
        and not line.harmless
        and (line.key not in noted if line.real else line.effect != "once")
    ]


def _list(calls: list[LedgerLine]) -> str:
    """Return names, each once."""
    names = list(dict.fromkeys(f"`{short_name(call.name)}`" for call in calls))
    return ", ".join(names)
