"""One run of the workflow that is killed, resumed and in the end has done everything."""

from __future__ import annotations

import json
import random
import signal
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from tests.fixtures.dying import Blow, in_child

from . import bare
from .world import ANSWER, MODEL, ONCE, REPEATABLE, WORKFLOW, Place

Way = Literal["moment", "boundary", "signal"]
ROUNDS = 60
"""Executions after which a run that still has not ended counts as stuck."""
_INT, _TERM = signal.SIGINT, signal.SIGTERM
POLITE = ((_INT,), (_TERM,), (_INT, _INT), (_TERM, _INT))


@dataclass
class Trial:
    """What came of one trial: kills that hit, and everything that broke a promise."""

    kills: int = 0
    answers: int = 0
    """Questions about effects in doubt that were answered."""
    paid_again: int = 0
    """Model calls that were repeated because a person said so."""
    repeated: dict[str, int] = field(default_factory=dict)
    """By label: how often an effect came more often than it was asked for."""
    lost: dict[str, int] = field(default_factory=dict)
    other_keys: int = 0
    """Repetitions that came under another idempotency key."""
    stuck: str = ""

    @property
    def paid_unasked(self) -> int:
        """Model calls that were repeated and nobody had said so."""
        return max(sum(n for k, n in self.repeated.items() if k in MODEL) - self.paid_again, 0)

    @property
    def wrong(self) -> str:
        """What was not as promised; "" when everything was."""
        repeated = {k: n for k, n in self.repeated.items() if k in ONCE}
        faults = [
            self.stuck,
            f"repeated {repeated}" * bool(repeated),
            f"lost {self.lost}" * bool(self.lost),
            f"{self.other_keys} repeated under another key" * bool(self.other_keys),
            f"{self.paid_unasked} model calls paid again unasked" * bool(self.paid_unasked),
        ]
        return "; ".join(fault for fault in faults if fault)


@dataclass
class Plan:
    """How the processes of a trial die: `kills` of them, `way`, drawn from `dice`. An undisturbed
    run takes `seconds` and comes to so many `boundaries` of each kind, which are equally likely."""

    dice: random.Random
    way: Way
    seconds: float
    boundaries: Mapping[str, int]
    kills: int = 3

    def blow(self, done: int) -> Blow:
        """The blow for the next process, after `done` that hit."""
        if done >= self.kills:
            return Blow()
        moment = self.dice.uniform(0, self.seconds)
        if self.way == "moment":
            return Blow(((moment, signal.SIGKILL),))
        if self.way == "boundary":
            kind = self.dice.choice(sorted(self.boundaries))
            return Blow(at=self.dice.randint(1, self.boundaries[kind]), kind=kind)
        first, *more = self.dice.choice(POLITE)
        return Blow(((moment, first), *((self.dice.uniform(0, 0.05), s) for s in more)))


def flowc_trial(place: Place, store: str, plan: Plan) -> Trial:
    """`flowc run`, killed, then `flowc resume` until it ends; what is in doubt is answered by
    somebody who looks at the ledger for the idempotency key."""
    return carry_on(Trial(), place, store, plan, place.folder.name, begun=False)


def carry_on(
    trial: Trial, place: Place, store: str, plan: Plan, run: str, *, begun: bool = True
) -> Trial:
    """Resume a run until it ends; one of which there is nothing is started."""
    answers = list[str]()
    start = _start(place, store, run)
    for _ in range(ROUNDS):
        resume = ["resume", run, "--store", store, "--json", *answers]
        end = in_child(_command(resume if begun else start), plan.blow(trial.kills), _at(place))
        trial.kills += end.hit
        outcome = _outcome(place)
        error = (place.folder / "err").read_text()
        if begun and end.code == 2 and f"there is no run `{run}`" in error:
            begun, answers = False, []
            continue
        begun = True
        if end.code in (0, 4) and outcome:
            if outcome["status"] == "success":
                return judge(trial, place, outcome["result"] == f"noted answer-{ANSWER}")
            answers = _answers(outcome["questions"], place, trial)
        elif end.code == 2 and f"run {run} has ended: success" in error:
            # The signal came between the outcome that was kept and its last word.
            in_child(_command(["show", run, "--store", store, "--json"]), Blow(), _at(place))
            return judge(trial, place, _outcome(place)["result"] == f"noted answer-{ANSWER}")
        elif end.code in (-signal.SIGKILL, 130, -_TERM, -_INT):
            answers = []
        elif not (end.code == 2 and "waits for no answer" in error):
            trial.stuck = f"ended with {end.code}: {error[-300:]}"
            return trial
        else:
            answers = []
    trial.stuck = f"did not end in {ROUNDS} executions"
    return trial


def bare_trial(place: Place, store: str, plan: Plan) -> Trial:
    """The same with LangGraph alone, as its documentation shows it: resumed with None."""
    trial = Trial()
    for _ in range(ROUNDS):
        end = in_child(lambda: bare.execute(place, store), plan.blow(trial.kills), _at(place))
        trial.kills += end.hit
        if end.code == 0:
            return judge(trial, place, (place.folder / "out").read_text() == "done\n")
        if end.code not in (bare.PAUSED, -signal.SIGKILL, -_INT, -_TERM, bare.INTERRUPTED):
            trial.stuck = f"ended with {end.code}: {(place.folder / 'err').read_text()[-300:]}"
            return trial
    trial.stuck = f"did not end in {ROUNDS} executions"
    return trial


def undisturbed(place: Place, store: str) -> Callable[[], int]:
    """The run up to its question, for measuring how long it takes and what boundaries it has."""
    return _command(_start(place, store, place.folder.name))


def _start(place: Place, store: str, name: str) -> list[str]:
    model = ["--model", "openai:demo", "--base-url", place.base_url]
    run = ["--run-id", name, "--store", store]
    return ["run", WORKFLOW, *model, *run, "--allow-exec", "--workspace", ".", "--json"]


def _command(args: list[str]) -> Callable[[], int]:
    def body() -> int:
        from flowc.runtime.cli.app import run

        return run(args)

    return body


def _at(place: Place) -> str:
    return str(place.folder)


def _outcome(place: Place) -> dict[str, Any]:
    """What `--json` printed; {} when the process died before."""
    text = (place.folder / "out").read_text()
    try:
        found: dict[str, Any] = json.loads(text)
    except ValueError:
        return {}
    return found


def _answers(questions: list[dict[str, Any]], place: Place, trial: Trial) -> list[str]:
    """Answers to everything that waits, as `--answer` takes them."""
    given = []
    for question in questions:
        name = "/".join((*question["path"], question["node"]))
        said = ANSWER if question["kind"] == "ask" else verdict(question, place, trial)
        given += ["--answer", f"{name}={said}"]
    return given


def verdict(question: dict[str, Any], place: Place, trial: Trial) -> str:
    """What a person says who looks where the effect happens: done, if its key is there."""
    trial.answers += 1
    key = question["idempotency_key"]
    happened = [label for label, seen in place.ledger if seen == key]
    if not happened or happened[-1].endswith("-failed"):
        return "repeat"
    if happened[-1] in MODEL:
        trial.paid_again += 1
        return "repeat"
    command = happened[-1].startswith("shell") or happened[-1] == "right"
    return "result:" if command else f"result:noted {happened[-1]}"


def judge(trial: Trial, place: Place, right: bool) -> Trial:
    """The trial with everything that the ledger shows."""
    if not right:
        trial.stuck = "ended with another result than the undisturbed run"
    counts, keys = place.counts(), place.keys()
    for label, times in (ONCE | REPEATABLE | MODEL).items():
        if counts[label] < times:
            trial.lost[label] = times - counts[label]
        if counts[label] > times:
            trial.repeated[label] = counts[label] - times
        trial.other_keys += max(len(keys.get(label, set())) - times, 0)
    return trial
