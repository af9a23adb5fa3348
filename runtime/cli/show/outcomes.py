"""The last words of a run: its result, what it cost, and the command that goes on."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Iterator
from typing import Any, assert_never

from flowc.compiler.source.snippet import visible

from ...assembly.run_options import RunOptions
from ...charges import Usage
from ...config.options import default
from ...config.prices import DOLLAR, dollars, read_dollars
from ...db.url import MEMORY
from ...errors import RunError
from ...people import UNASKED, Question
from ...services import Outcome
from ...store.default_store import store_path
from ..app import CUT_OFF, FINDINGS, GATE, INTERRUPTED, LIMIT, OK, PAUSED
from ..screen import Screen, Tone, count_of, seconds_of, tokens_of
from ..streams import Mode, on_terminal, put, result_stream

CUT_OFF_KIND, DRIFT_KIND = "store", "drift"
"""The kinds of an error that ended a run on the way, beside those of nodes."""
_FAILED = {"gate": GATE, CUT_OFF_KIND: CUT_OFF}


def exit_code(outcome: Outcome) -> int:
    """Return the exit code that docs/cli.md gives the outcome."""
    match outcome.status:
        case "success":
            return OK
        case "failed" | "error":
            return _FAILED.get((outcome.error or {}).get("kind", ""), FINDINGS)
        case "paused":
            return PAUSED
        case "stopped":
            return LIMIT
        case "interrupted":
            return INTERRUPTED
    assert_never(outcome.status)


def cut_off(before: Outcome, error: RunError) -> Outcome:
    """Return the outcome of a run that its store failed, or that another process took: it can go
    on from what is kept, which is that of `before`; or of a replay that is not as it was recorded,
    which is a finding."""
    kind = DRIFT_KIND if error.exit_code == FINDINGS else CUT_OFF_KIND
    about = {"message": error.message, "kind": kind, "help": error.help}
    known = {key: value for key, value in about.items() if value}
    return dataclasses.replace(before, status="error", error=known)


def outcome_object(outcome: Outcome, about: dict[str, Any], go_on: str) -> dict[str, Any]:
    """Return the object that `--json` prints. `about` says what was run and what answered."""
    return {
        "run": outcome.run,
        "status": outcome.status,
        **about,
        **dataclasses.asdict(outcome),
        "questions": [question_object(question, go_on) for question in outcome.questions],
        "resume": None if outcome.status in ("success", "failed") else go_on or None,
    }


def question_object(question: Question, go_on: str) -> dict[str, Any]:
    """Return a question with its name, and the command that answers it in place of TEXT."""
    waits = question.kind not in UNASKED and go_on
    command = f"{go_on} {question.answer_flag('TEXT')}" if waits else None
    return {**question.as_json(), "answer": command}


def result_text(value: object) -> str:
    """Return a result for stdout: texts as they are, other values as JSON."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, indent=2)


def print_outcome(outcome: Outcome, screen: Screen, mode: Mode) -> None:
    """Print the result to stdout, and SUCCESS or FAILED beside it for a person."""
    tone: Tone = "good" if outcome.status == "success" else "bad"
    plain, text = outcome.status.upper(), result_text(outcome.result)
    word = screen.ink(plain, tone)
    if sys.stdout.isatty():
        screen.settle()
        text = on_terminal(text)
        if mode == "text":
            text = text.removeprefix(plain).lstrip("\n")
            text = f"{word}{chr(10) if chr(10) in text else '  '}{text}".rstrip()
        print(text, file=result_stream(), flush=True)
        return
    if mode == "text":
        screen.print(word)
    if text:
        end = "" if text.endswith("\n") else "\n"
        put(text + end)


def summary(outcome: Outcome, is_model: bool, store: str, sandbox: str = "") -> str:
    """Return `6 visits · 0.4 s · 340 tokens · $0.0031 · run brave-otter-7f3k kept in
    .flowc/runs.db`. `sandbox` is the lowest level at which foreign code ran, "" when none did."""
    parts = [count_of(outcome.nodes, "visit"), seconds_of(outcome.seconds)]
    if is_model:
        parts.append(usage_of_calls(outcome.usage))
    if sandbox:
        parts.append("no sandbox" if sandbox == "off" else f"sandbox {sandbox}")
    kept = f"kept in {store_path(store)}" if store != MEMORY else "not kept"
    return " · ".join([*parts, f"run {outcome.run} {kept}"])


def usage_of_calls(usage: Usage) -> str:
    """Return `1.2k tokens · $0.0031`, with `at most` where some of it is an estimate."""
    tokens = tokens_of(usage.input_tokens + usage.output_tokens)
    cost = "" if not usage.cost else f" · {dollars(round(usage.cost * DOLLAR))}"
    return f"{'at most ' * usage.estimated}{tokens}{cost}"


NOT_KEPT = "this run was kept nowhere (--store memory:): it cannot go on"


def closing_lines(outcome: Outcome, go_on: str) -> Iterator[str]:
    """Yield what stopped a run that can go on."""
    reason = (outcome.error or {}).get("message", "")
    if outcome.status == "interrupted":
        yield f"interrupted: everything finished is kept{'; ' * bool(reason)}{reason}"
        yield _going_on(go_on)
    elif outcome.status == "stopped":
        yield f"stopped: {visible(reason)}" if reason else "stopped: as asked"
        yield _going_on(go_on and f"{go_on}{_ABOUT.get(_limit_of(outcome), '')}")
    elif outcome.status == "paused" and not outcome.questions:
        yield "paused: as asked; everything finished is kept"
        yield _going_on(go_on)


def _going_on(command: str) -> str:
    return f"  go on: {command}" if command else f"  {NOT_KEPT}"


_ABOUT = {
    "steps": "          with a higher limit",
    "seconds": " --timeout SECONDS          with more time",
    "tokens": "          with a higher limit",
    "cost": "          with a higher limit",
    "scope": "          and the limit counts anew",
}
"""What to say about the command that goes on beyond a limit."""


def go_beyond(go_on: str, outcome: Outcome, options: RunOptions) -> str:
    """Return the command that goes on: past a limit of the caller's with twice as much."""
    match _limit_of(outcome):
        case "steps":
            return f"{go_on} --max-steps {2 * (options.max_steps or default('max_steps'))}"
        case "tokens" if options.max_tokens:
            return f"{go_on} --max-tokens {2 * options.max_tokens}"
        case "cost" if options.max_cost:
            return f"{go_on} --max-cost {2 * read_dollars(options.max_cost):f}"
    return go_on


def _limit_of(outcome: Outcome) -> str:
    """Return the name of the caller's limit that stopped a run, "scope" for one of the file."""
    error = outcome.error or {}
    if outcome.status != "stopped":
        return ""
    return "scope" if error.get("scope") else error.get("limit", "")
