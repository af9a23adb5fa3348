"""The failed attempts at a step, in the text of its Execution Results.

Attempt 1 failed: GAIN(input="a.wav", output="b.wav", gain_db=900)
Error: `gain_db` is 900 dB, and can be -60 to 60 dB

Attempt 2 failed: …
"""

from __future__ import annotations

import re

_FAILED = re.compile(r"^Attempt ([0-9]+) failed:", re.MULTILINE)


def attempts_in(results: str) -> int:
    """Return the number of failed attempts in the results."""
    return len(_FAILED.findall(results))


def attempts_text(results: str) -> str:
    """Return the results when they hold failed attempts, else ""."""
    return results.strip() if attempts_in(results) else ""


def last_error(results: str) -> str:
    """Return the last error, in one line; "" without one."""
    lines = [line for line in results.splitlines() if line.startswith("Error: ")]
    return lines[-1].removeprefix("Error: ").strip() if lines else ""


def after_failure(results: str, code: str, error: str) -> str:
    """Return the results with one more failure; without code it is not an attempt."""
    earlier = attempts_text(results)
    head = f"Attempt {attempts_in(results) + 1} failed: {' '.join(code.split())}" if code else ""
    error = error.strip() or "unknown error"
    error = error if error.startswith("Error:") else f"Error: {error}"
    attempt = f"{head}\n{error}".strip()
    return f"{earlier}\n\n{attempt}" if earlier else attempt
