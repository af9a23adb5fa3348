"""Every attempt at a step, as its Execution Results tell of them.

Attempt 1 failed: GAIN(input="a.wav", output="b.wav", gain_db=900)
Error: `gain_db` is 900 dB, and can be -60 to 60 dB

Attempt 2 failed: …
"""

from __future__ import annotations

import re

_FAILED = re.compile(r"^Attempt ([0-9]+) failed:", re.MULTILINE)


def attempts_in(results: str) -> int:
    """How many attempts the results say have failed."""
    return len(_FAILED.findall(results))


def kept_attempts(results: str) -> str:
    """The results when the attempts in them are all that counts, else ""."""
    return results.strip() if attempts_in(results) else ""


def last_error(results: str) -> str:
    """What was wrong at last, in one line; "" when the results say nothing of it."""
    lines = [line for line in results.splitlines() if line.startswith("Error: ")]
    return lines[-1].removeprefix("Error: ").strip() if lines else ""


def after_failure(results: str, code: str, error: str) -> str:
    """The results with one more failed attempt; without code none was executed."""
    earlier = kept_attempts(results)
    head = f"Attempt {attempts_in(results) + 1} failed: {' '.join(code.split())}" if code else ""
    error = error.strip() or "unknown error"
    error = error if error.startswith("Error:") else f"Error: {error}"
    attempt = f"{head}\n{error}".strip()
    return f"{earlier}\n\n{attempt}" if earlier else attempt
