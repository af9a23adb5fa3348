"""Events, nodes and times as texts for people."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ...events import RunEvent

LONGEST = 2000
"""Characters of a line of the log."""
LONGEST_VALUE = 20_000
"""Characters of a value that are shown."""


@dataclass(frozen=True, slots=True)
class LogLine:
    """A line of the log. `position` is the event's, `tone` is "", "good", "bad", "ask" or
    "dim"."""

    position: int
    time: str
    node: str
    text: str
    tone: str = ""


def log_line(position: int, event: RunEvent) -> LogLine | None:
    """Return the line of an event, or None."""
    text, tone = _words_of(event)
    if not text:
        return None
    node = "/".join((*event.path, event.node)) if event.node else ""
    return LogLine(position, event.time, node, text[:LONGEST], tone)


def _words_of(event: RunEvent) -> tuple[str, str]:
    data = event.data
    match event.kind:
        case "run_started":
            return f"started with {data.get('model') or 'no model'}", ""
        case "run_resumed":
            return "went on", "dim"
        case "run_finished":
            return _end_words(str(data.get("status", "")))
        case "node_started":
            visit = data.get("visit", 1)
            return (f"began, visit {visit}" if visit and visit > 1 else "began"), "dim"
        case "node_finished":
            case_text = f"→ {data['case']}" if data.get("case") else ""
            parts = [str(data.get("text") or ""), case_text, seconds_of(data.get("seconds"))]
            return " · ".join(part for part in ("done", *parts) if part), "good"
        case "node_failed":
            caught = " (taken by an edge)" if data.get("caught") else ""
            return f"failed{caught}: {data.get('message', '')}", "bad"
        case "node_retry":
            return f"attempt {data.get('attempt')} of {data.get('of')}: {data.get('error')}", "bad"
        case "model_called":
            return _call_text(data), ""
        case "interrupted" if data.get("kind") in ("wait", "event"):
            return str(data.get("text", "")), "ask"
        case "interrupted":
            first = str(data.get("text", "")).strip().splitlines()
            return f"waits for a person: {first[0] if first else ''}", "ask"
        case "gate":
            return _verdict_text(data), "good" if data.get("passed") else "bad"
        case "warning" | "limit_reached":
            return str(data.get("message", "")), "ask"
        case _:
            return _other_words(event)


def _other_words(event: RunEvent) -> tuple[str, str]:
    data = event.data
    match event.kind:
        case "tool_called":
            how = "" if data.get("ok", True) else " failed"
            took = seconds_of(data.get("seconds"))
            return f"tool {data.get('tool')}{how} {took}".strip(), ""
        case "request_sent":
            return f"{data.get('method')} {data.get('host')} → {data.get('status') or '–'}", ""
        case "wait_over":
            return f"the time has come, {seconds_of(data.get('late'))} ago", ""
        case "command_run":
            return f"$ {data.get('command')} → {data.get('exit_code')}", ""
        case "script_said":
            return str(data.get("line", "")), "dim"
        case "item_finished":
            return f"{data.get('done')} of {data.get('of')} items", ""
        case "model_retry":
            return f"the model is asked again: {data.get('error', '')}", "bad"
        case "model_fallback":
            return f"{data.get('asked')} is asked: {data.get('error', '')}", "bad"
        case "said":
            return f"said: {data.get('line', '')}", ""
        case _:
            return event.kind.replace("_", " "), "dim"


def _end_words(status: str) -> tuple[str, str]:
    words = {
        "success": ("ended in success", "good"),
        "failed": ("ended FAILED", "bad"),
        "error": ("stopped at a failure", "bad"),
        "paused": ("waits", "ask"),
        "interrupted": ("was paused", "ask"),
        "stopped": ("stopped at a limit", "ask"),
    }
    return words.get(status, (status, ""))


def _call_text(data: Mapping[str, Any]) -> str:
    tokens = int(data.get("input_tokens") or 0) + int(data.get("output_tokens") or 0)
    parts = [str(data.get("model", "")), f"{tokens:,} tokens"]
    parts += [cost_of(data.get("cost")), seconds_of(data.get("seconds"))]
    return " · ".join(part for part in parts if part)


def _verdict_text(data: Mapping[str, Any]) -> str:
    verdict = "passed" if data.get("passed") else "not passed"
    score, required = data.get("score"), data.get("required")
    if score is None:
        return verdict
    return f"{verdict}: {score:g}, {required or 0:g} is required"


def seconds_of(seconds: object) -> str:
    """Return `0.4 s`, `3 min 20 s`, `2 h 5 min`; "" for less than a twentieth of a second."""
    if not isinstance(seconds, int | float) or seconds < 0.05:
        return ""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes_left = divmod(minutes, 60)
    return f"{hours} h {minutes_left} min" if hours else f"{minutes} min {rest} s"


def cost_of(dollars: object) -> str:
    """Return `$0.0042`; "" for an unknown cost."""
    if not isinstance(dollars, int | float):
        return ""
    return f"${dollars:.4f}" if dollars < 1 else f"${dollars:.2f}"


def cut_of(value: object) -> str:
    """Return a text as it is and any other value as JSON, cut when it is very long."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
    if len(text) <= LONGEST_VALUE:
        return text
    return f"{text[:LONGEST_VALUE]}… ({len(text):,} characters)"


def clock_of(time: str) -> str:
    """Return hours, minutes and seconds of an ISO time, in UTC."""
    return time[11:19]


def moment_of(time: str | None) -> str:
    """Return `22 Nov 2026, 04:39 UTC`; "" for no time."""
    if not time:
        return ""
    return f"{datetime.fromisoformat(time):%d %b %Y, %H:%M} UTC".lstrip("0")
