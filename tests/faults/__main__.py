"""Makes mistakes in good files and counts what `flowc check` says of them.

    python -m tests.faults --sites 3 --seed 7

A table of the dialects: how many mistakes were made, how many are told, how many of those on the
right line and with the repair in what is said. `--show` prints each operator, `--missed` each
mistake of which nothing was said. Half of the operators, by the hash of their name, are only
measured with `--all`: who mends the compiler does not look at those.
"""

from __future__ import annotations

import argparse
import hashlib
import time
from collections import Counter
from collections.abc import Iterable

from .operators import Operator
from .suite import OPERATORS, Outcome, outcomes, twins

COLUMNS = ("made", "found", "line", "repair")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.faults")
    parser.add_argument("--dialect", action="append", choices=list(OPERATORS))
    parser.add_argument("--sites", type=int, default=2, help="at most so many places of a file")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--all", action="store_true", help="the held back half of operators too")
    parser.add_argument("--show", action="store_true", help="a line for each operator")
    parser.add_argument(
        "--missed", action="store_true", help="each mistake that nothing is said of"
    )
    return parser.parse_args()


def held_back(operator: Operator) -> bool:
    """Tell whether an operator is only measured at the end."""
    return hashlib.sha256(operator.name.encode()).digest()[0] % 2 == 1


def main() -> int:
    """Print the tables. The exit code is 1 when the compiler failed on a mistake."""
    choice = _arguments()
    broken = 0
    for dialect in choice.dialect or OPERATORS:
        files = twins(dialect)
        chosen = [o for o in OPERATORS[dialect] if choice.all or not held_back(o)]
        made = list(outcomes(dialect, chosen, files, choice.sites, choice.seed))
        alarms = sum(len(twin.result.diagnostics) for twin in files)
        _print_row(
            dialect, count(made), f"{len(chosen)} operators, {len(files)} files, {alarms} alarms"
        )
        for operator in chosen if choice.show else ():
            own = [o for o in made if o.operator is operator]
            _print_row(f"  {operator.name}", count(own), "")
        for outcome in made if choice.missed else ():
            _print_missed(outcome)
        broken += sum(bool(o.fault) for o in made)
    print(f"seed {choice.seed}")
    return 1 if broken else 0


def count(made: Iterable[Outcome]) -> Counter[str]:
    """Return how many mistakes were made, found, found on their line and found with the repair.
    An operator without a repair counts as right there where the place is right."""
    sums: Counter[str] = Counter()
    for outcome in made:
        sums["made"] += 1
        sums["found"] += bool(outcome.found)
        sums["line"] += outcome.line
        sums["repair"] += outcome.repair
    return sums


def _print_row(name: str, sums: Counter[str], note: str) -> None:
    made, found = sums["made"], sums["found"]
    shares = [(found, made), (sums["line"], found), (sums["repair"], found)]
    shown = "  ".join(f"{100 * n / of:5.1f} %" if of else "      -" for n, of in shares)
    print(f"{name:52} {made:5}  {shown}  {note}")


def _print_missed(outcome: Outcome) -> None:
    if outcome.found and outcome.line and outcome.repair:
        return
    why = outcome.fault or ("said" if outcome.found else "nothing said")
    line = outcome.text.split("\n")[outcome.at - 1] if outcome.text else ""
    place = f"{outcome.path.name}:{outcome.at}"
    print(f"    [{outcome.operator.name}] {place}: {why}: {line.strip()[:90]}")
    for item in outcome.found[:3]:
        at = outcome.text.count("\n", 0, item.primary.start) + 1
        print(f"        {at}: {item.code} {item.message[:110]} | {item.help[:80]}")


if __name__ == "__main__":
    raise SystemExit(main())
