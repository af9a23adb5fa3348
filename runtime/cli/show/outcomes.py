"""The last words of a run: its result, what it cost, and the command that goes on."""

from __future__ import annotations

import dataclasses
import json
import shlex
from collections.abc import Iterator
from typing import Any, assert_never

from flowc.compiler.source.snippet import visible

from ...charges import Usage
from ...config.prices import DOLLAR, dollars
from ...db.url import without_password
from ...services import Outcome
from ...store.default_store import store_path, store_url
from ..app import FINDINGS, GATE, INTERRUPTED, LIMIT, OK, PAUSED
from ..screen import count_of, seconds_of, tokens_of


def exit_code(outcome: Outcome) -> int:
    """Return the exit code that docs/cli.md gives the outcome."""
    match outcome.status:
        case "success":
            return OK
        case "failed" | "error":
            return GATE if (outcome.error or {}).get("kind") == "gate" else FINDINGS
        case "paused":
            return PAUSED
        case "stopped":
            return LIMIT
        case "interrupted":
            return INTERRUPTED
    assert_never(outcome.status)


def outcome_object(outcome: Outcome, about: dict[str, Any], go_on: str) -> dict[str, Any]:
    """Return the object that `--json` prints. `about` says what was run and what answered."""
    return {
        "run": outcome.run,
        "status": outcome.status,
        **about,
        **dataclasses.asdict(outcome),
        "resume": None if outcome.status in ("success", "failed") else go_on or None,
    }


def result_text(value: object) -> str:
    """Return a result for stdout: texts as they are, other values as JSON."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, indent=2)


def on_terminal(text: str) -> str:
    """Return a stranger's text so that it cannot steer the terminal."""
    return "\n".join(visible(line) for line in text.splitlines())


def summary(outcome: Outcome, is_model: bool, store: str, sandbox: str = "") -> str:
    """Return `6 nodes · 0.4 s · 340 tokens · $0.0031 · run brave-otter-7f3k kept in
    .flowc/runs.db`. `sandbox` is the lowest level at which foreign code ran, "" when none did."""
    parts = [count_of(outcome.nodes, "node"), seconds_of(outcome.seconds)]
    if is_model:
        parts.append(usage_of_calls(outcome.usage))
    if sandbox:
        parts.append("no sandbox" if sandbox == "off" else f"sandbox {sandbox}")
    kept = f"kept in {store_path(store)}" if store != "memory:" else "not kept"
    return " · ".join([*parts, f"run {outcome.run} {kept}"])


def usage_of_calls(usage: Usage) -> str:
    """Return `1.2k tokens · $0.0031`, with `at most` where some of it is an estimate."""
    tokens = tokens_of(usage.input_tokens + usage.output_tokens)
    cost = "" if not usage.cost else f" · {dollars(round(usage.cost * DOLLAR))}"
    return f"{'at most ' * usage.estimated}{tokens}{cost}"


def resume_command(run: str, store: str) -> str:
    """Return the command that goes on with a run, with the store when it is not the default; "" for
    a run that is kept nowhere."""
    if store == MEMORY:
        return ""
    extra = "" if store == store_url(None) else f" --store {shlex.quote(without_password(store))}"
    return f"flowc resume {shlex.quote(run)}{extra}"


MEMORY = "memory:"
NOT_KEPT = "this run was kept nowhere (--store memory:): it cannot go on"


def closing_lines(outcome: Outcome, go_on: str) -> Iterator[str]:
    """Yield what stopped a run that can go on."""
    reason = (outcome.error or {}).get("message", "")
    if outcome.status == "interrupted":
        yield f"interrupted: everything finished is kept{'; ' * bool(reason)}{reason}"
        yield _going_on(go_on)
    elif outcome.status == "stopped":
        yield f"stopped: {visible(reason)}" if reason else "stopped: as asked"
        yield _going_on(go_on and f"{go_on}{_beyond(outcome.error or {})}")
    elif outcome.status == "paused" and not outcome.questions:
        yield "paused: as asked; everything finished is kept"
        yield _going_on(go_on)


def _going_on(command: str) -> str:
    return f"  go on: {command}" if command else f"  {NOT_KEPT}"


_HIGHER = {
    "steps": " --max-steps N          with a higher limit",
    "seconds": " --timeout SECONDS          with more time",
    "tokens": " --max-tokens N          with a higher limit",
    "cost": " --max-cost DOLLARS          with a higher limit",
}
"""What to say to go on beyond a limit of one's own."""


def _beyond(error: dict[str, str]) -> str:
    if error.get("scope"):
        return "          and the limit counts anew"
    return _HIGHER.get(error.get("limit", ""), "")
