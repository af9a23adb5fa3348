"""One run in a host that is killed, resumed and in the end has done everything."""

from __future__ import annotations

import json
import random
import signal
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from flowc.runtime.people import Question
from flowc.runtime.services import Json
from flowc.runtime.torture.dying import Blow
from flowc.runtime.torture.hosts import RunEnding
from flowc.runtime.torture.trials import ROUNDS, KilledRun

from tests.fixtures.dying import in_folder

from .world import WORKFLOW, Place, person

Way = Literal["moment", "boundary", "signal"]
_INT, _TERM = signal.SIGINT, signal.SIGTERM
POLITE = ((_INT,), (_TERM,), (_INT, _INT), (_TERM, _INT))
BY_SIGNAL = (-signal.SIGKILL, -_TERM, -_INT)


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
            return Blow(at=self.dice.randint(1, self.boundaries[kind]), what=kind)
        first, *more = self.dice.choice(POLITE)
        return Blow(((moment, first), *((self.dice.uniform(0, 0.05), s) for s in more)))


def command_trial(place: Place, store: str, plan: Plan) -> KilledRun:
    """`flowc run`, interrupted, then `flowc resume` until it ends."""
    return carry_on(KilledRun(), place, store, plan, start_command(place, store))


def carry_on(
    run: KilledRun, place: Place, store: str, plan: Plan, start: list[str], *, begun: bool = False
) -> KilledRun:
    """Resume a run until it ends; one of which there is nothing is started."""
    answers, name = list[str](), start[start.index("--run-id") + 1]
    for _ in range(ROUNDS):
        resume = ["resume", name, "--store", store, "--json", *answers]
        body = command_line(resume if begun else start)
        end = in_folder(body, plan.blow(len(run.died)), place.folder)
        run.died += ["by a signal"] * end.hit
        run.lines = place.ledger
        answers, outcome, error = [], _outcome(place), place.text("err")
        if begun and end.code == 2 and f"there is no run `{name}`" in error:
            begun = False
            continue
        begun = True
        if end.code in (0, 4) and outcome:
            if outcome["status"] == "success":
                run.ending = RunEnding("success", outcome["result"])
                return run
            answers = _typed(answer_all(outcome["questions"], run), outcome["questions"])
        # Before the first line of `main` a signal does what the system does.
        elif end.code not in (*BY_SIGNAL, 130) and not (
            end.code == 2 and "waits for no answer" in error
        ):
            run.stuck = f"ended with {end.code}: {error[-300:]}"
            return run
    run.stuck = f"did not end in {ROUNDS} executions"
    return run


def answer_all(questions: list[dict[str, Any]], run: KilledRun) -> dict[str, Json]:
    """What a person says to everything that waits, by question id."""
    known = set(Question.__dataclass_fields__)
    read = [
        Question(**{"node": "", **{k: v for k, v in each.items() if k in known}})
        for each in questions
    ]
    return person().answers(read, run.lines, run.verdicts)


def _typed(answers: dict[str, Json], questions: list[dict[str, Any]]) -> list[str]:
    """The same as `--answer` takes it."""
    words = []
    for each in questions:
        text = str(answers[each["id"]])
        result = each["kind"] == "unknown" and text != "repeat"
        words += ["--answer", f"{each['name']}={'result:' * result}{text}"]
    return words


def undisturbed_command(place: Place, store: str) -> Callable[[], int]:
    """The run up to its question, for measuring how long it takes and what boundaries it has."""
    return command_line(start_command(place, store))


def start_command(place: Place, store: str, name: str = "") -> list[str]:
    """`flowc run` as a run of this name, by default that of its folder, is begun."""
    model = ["--model", "openai:demo", "--base-url", place.base_url]
    run = ["--run-id", name or place.folder.name, "--store", store]
    return ["run", WORKFLOW, *model, *run, "--allow-exec", "--workspace", ".", "--json"]


def command_line(args: list[str]) -> Callable[[], int]:
    def body() -> int:
        from flowc.runtime.cli.app import run

        return run(args)

    return body


def _outcome(place: Place) -> dict[str, Any]:
    """What `--json` printed; {} when the process died before."""
    try:
        found: dict[str, Any] = json.loads(place.text("out"))
    except ValueError:
        return {}
    return found
