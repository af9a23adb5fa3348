"""The judgement: what a run that was killed did, beside the one that nobody killed.

A call has a label that is the same in every execution (node, visit, attempt, number), so that two
runs are compared call by call. What happened outside is counted by the effects in the ledger; where
a call leaves none there, by the calls.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from .hosts import RunEnding
from .ledger import LedgerLine, any_attempt
from .trials import KilledRun, Undisturbed

BreachKind = Literal["lost", "repeated", "liar", "keys", "stuck", "ending"]


@dataclass(slots=True)
class NodeCount:
    """A node's numbers: `effects` of the undisturbed run, and over all that were killed those that
    never happened (`lost`), came again and nobody had said so (`repeated`), were in doubt and a
    person was `asked`, came `again` as was declared harmless, and those of which nobody can say
    (`doubtful`)."""

    effects: int = 0
    lost: int = 0
    repeated: int = 0
    asked: int = 0
    again: int = 0
    doubtful: int = 0


@dataclass(frozen=True, slots=True)
class Breach:
    """A promise that one killed run broke. `name` and `effect` are those of the call, `count` how
    often, `died` where the process had died."""

    kind: BreachKind
    node: str
    name: str
    effect: str
    count: int
    died: str
    text: str = ""


@dataclass(slots=True)
class Judgement:
    """What all runs came to, by node in the order of the undisturbed run."""

    nodes: dict[str, NodeCount] = field(default_factory=dict)
    breaches: list[Breach] = field(default_factory=list)
    runs: int = 0
    kills: int = 0
    strange: int = 0
    """Calls that the undisturbed run did not make: the workflow is not the same each time."""

    def node(self, name: str) -> NodeCount:
        return self.nodes.setdefault(name, NodeCount())

    def total(self) -> NodeCount:
        """Return the sums."""
        names = NodeCount.__slots__
        rows = self.nodes.values()
        return NodeCount(*(sum(getattr(row, name) for row in rows) for name in names))


@dataclass(frozen=True, slots=True)
class Deeds:
    """A ledger by labels: the calls, how often each was `made` and how many `times` it acted, its
    idempotency keys."""

    calls: dict[str, LedgerLine]
    made: Counter[str]
    times: Counter[str]
    keys: dict[str, set[str]]
    noted: frozenset[str]
    """Labels that left effects in the ledger."""


def deeds_of(lines: Iterable[LedgerLine], noted: frozenset[str] = frozenset()) -> Deeds:
    """Return a ledger by labels; what is `noted` elsewhere counts by its effects here too."""
    calls: dict[str, LedgerLine] = {}
    made, acted = Counter[str](), Counter[str]()
    keys = defaultdict[str, set[str]](set)
    by_key: dict[str, str] = {}
    for line in lines:
        if line.what == "call":
            calls.setdefault(line.label, line)
            by_key[line.key] = line.label
            made[line.label] += 1
            keys[line.label].add(line.key)
        elif line.what == "effect":  # attempts of a call share a key: the last one before it acted
            acted[by_key.get(line.key, line.label)] += 1
    noted = noted | frozenset(label for label in acted if label in calls)
    times = Counter({label: acted[label] if label in noted else made[label] for label in calls})
    return Deeds(calls, made, times, dict(keys), noted)


class Judge:
    """Compares killed runs with the undisturbed one."""

    def __init__(self, undisturbed: Undisturbed) -> None:
        self.right = undisturbed.ending
        self.base = deeds_of(undisturbed.lines)
        self.judgement = Judgement()
        for label, call in self.base.calls.items():
            self.judgement.node(call.node).effects += self.base.times[label]

    def add(self, run: KilledRun) -> list[Breach]:
        """Judge one run. Return what it broke."""
        judgement, died = self.judgement, ", then ".join(run.died) or "nowhere"
        judgement.runs += 1
        judgement.kills += len(run.died)
        for node in run.verdicts.asked:
            judgement.node(node).asked += 1
        broken: list[Breach] = []
        if run.stuck or run.ending is None:
            broken.append(Breach("stuck", "", "", "", 1, died, run.stuck))
        else:
            if run.ending.same != self.right.same:
                text = f"{_short(self.right)} became {_short(run.ending)}"
                if run.ending.error:
                    text += f": {run.ending.error}"
                broken.append(Breach("ending", "", "", "", 1, died, text))
            broken += self._find_lost(run, died)
        broken += self._find_more(run, died)
        judgement.breaches += broken
        return broken

    def _find_lost(self, run: KilledRun, died: str) -> Iterable[Breach]:
        done = deeds_of(run.lines, self.base.noted)
        returned = {x.label for x in run.lines if x.what == "result" and not x.failure}
        through = {any_attempt(label) for label in returned}
        for label, call in self.base.calls.items():
            less = self.base.times[label] - done.times[label]
            # What failed when nobody killed it may come off at the first attempt here.
            elsewhere = label not in returned and any_attempt(label) in through
            if less > 0 and not elsewhere:
                self.judgement.node(call.node).lost += less
                yield Breach("lost", call.node, call.name, call.effect, less, died)

    def _find_more(self, run: KilledRun, died: str) -> Iterable[Breach]:
        done = deeds_of(run.lines, self.base.noted)
        agreed, blind = Counter(run.verdicts.agreed), Counter(run.verdicts.blind)
        for label, call in done.calls.items():
            count = self.judgement.node(call.node)
            if label not in self.base.calls:
                self.judgement.strange += 1
                count.doubtful += 1
                continue
            count.doubtful += blind[label]
            keys = len(done.keys[label]) - len(self.base.keys[label])
            if keys > 0:
                yield Breach("keys", call.node, call.name, call.effect, keys, died)
            calls = done.made[label] - self.base.made[label]
            more = done.times[label] - self.base.times[label] - agreed[label]
            yield from self._find_repeated(call, label, more, calls, died)

    def _find_repeated(
        self, call: LedgerLine, label: str, more: int, calls: int, died: str
    ) -> Iterable[Breach]:
        count = self.judgement.node(call.node)
        if call.effect == "once":
            if more > 0:
                count.repeated += more
                yield Breach("repeated", call.node, call.name, call.effect, more, died)
        elif call.real and label in self.base.noted:
            if more > 0:
                count.repeated += more
                yield Breach("liar", call.node, call.name, call.effect, more, died)
            else:
                count.again += max(calls, 0)
        elif calls > 0:
            count.again += calls
            # Nobody noted what such a call did, so nobody knows whether it did it twice.
            count.doubtful += calls if call.real and not call.harmless else 0


def _short(ending: RunEnding) -> str:
    if ending.result is None:
        return ending.status
    text = " ".join(str(ending.result).split())
    return f"{ending.status} with `{text[:80]}{'…' * (len(text) > 80)}`"
