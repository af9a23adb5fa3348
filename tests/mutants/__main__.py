"""Changes the code a little, again and again, and counts what the tests notice.

    python -m tests.mutants --count 300 --seed 7

Every mutant that no test noticed with its place and the change, then a table of the modules. What
became of each is kept (`--sums`), and the sum of all sessions is printed too. A
mutant that does what the original does belongs into equivalent.yaml, with the reason. The exit code
is 1 when fewer were killed than `--least` percent, or when that list names what is no longer there.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .mutations import Mutant

ROOT = Path(__file__).resolve().parents[2]
COLUMNS = ("sampled", "killed", "timeout", "survived", "equivalent")
NOT_COPIED = (
    "__pycache__",
    ".git",
    ".venv",
    ".flowc",
    ".hypothesis",
    "*.egg-info",
    "build",
    "dist",
)
INSIDE = "FLOWC_MUTANTS_IN_COPY"

Counts = Mapping[str, Mapping[str, int]]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants")
    parser.add_argument("--count", type=int, default=300, help="how many mutants")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--only", action="append", default=[], help="path of a file or folder")
    parser.add_argument("--near", action="store_true", help="ask the mirror tests alone")
    parser.add_argument("--least", type=float, default=88.0, help="percent that have to be killed")
    parser.add_argument("--sums", type=Path, default=ROOT / ".flowc" / "mutants.jsonl")
    return parser.parse_args()


def in_a_copy() -> int:
    """Copy the tree and run there: a mutant never stands where somebody works."""
    with tempfile.TemporaryDirectory(prefix="flowc-mutants-") as folder:
        copy = Path(folder) / "tree"
        ignore = shutil.ignore_patterns(*NOT_COPIED)
        shutil.copytree(ROOT, copy, symlinks=True, ignore=ignore)
        (Path(folder) / "tmp").mkdir()
        env = {name: value for name, value in os.environ.items() if not name.startswith("FLOWC_")}
        env |= {INSIDE: "yes", "PYTHONPATH": str(copy / ".types"), "TMPDIR": f"{folder}/tmp"}
        arguments = [*sys.argv[1:], "--sums", str(_arguments().sums.resolve())]
        command = [sys.executable, "-m", "tests.mutants", *arguments]
        return subprocess.run(command, cwd=copy, env=env, check=False).returncode


def measure() -> int:
    """Try a sample of mutants in the copy and print what became of them."""
    from . import mutations
    from .guards import GUARDS
    from .trials import judge

    options = _arguments()
    pool = [
        mutant
        for row in GUARDS
        for file in row.files(ROOT)
        if not options.only or file.startswith(tuple(options.only))
        for mutant in mutations.mutants_of(ROOT, file)
    ]
    listed = mutations.equivalents()
    sample = mutations.sample(pool, options.count, options.seed)
    print(f"seed {options.seed}, {len(sample)} of {len(pool)} mutants", flush=True)
    sums = Sums(options.sums, f"{datetime.now(UTC):%Y-%m-%d %H:%M}, seed {options.seed}")
    known = [mutant for mutant in sample if any(item.covers(mutant) for item in listed)]
    for mutant in known:
        sums.add(mutant, "equivalent")
    others = [mutant for mutant in sample if mutant not in known]
    judge(ROOT, others, sums.add, near=options.near)
    stale = [*mutations.stale(listed, pool)]
    for item in stale:
        print(f"stale in {mutations.EQUIVALENT.name}: {item.file} {item.function}: {item.change}")
    counts = sums.counts(sums.session)
    print("", *_table(counts), "", "all sessions together:", sep="\n")
    print(*_table(sums.counts()), sep="\n")
    return 1 if stale or _percent(_total(counts)) < options.least else 0


class Sums:
    """What became of mutants, a line of JSON for each: a session that is cut off counts too."""

    def __init__(self, path: Path, session: str) -> None:
        self.session = session
        self._path = path
        self._screen = os.dup(sys.stdout.fileno())  # children write elsewhere
        path.parent.mkdir(parents=True, exist_ok=True)

    def add(self, mutant: Mutant, fate: str) -> None:
        """Keep it, and show it when no test noticed the change."""
        row = {"session": self.session, "file": mutant.file, "fate": fate}
        with self._path.open("a", encoding="utf-8") as file:
            print(json.dumps(row), file=file)
        if fate == "survived":
            place = f"{mutant.file}:{mutant.line} {mutant.function}"
            os.write(self._screen, f"survived: {place}: {mutant.change}\n".encode())

    def counts(self, session: str | None = None) -> Counts:
        """By module, of one session or of all."""
        counts: dict[str, Counter[str]] = {}
        if not self._path.exists():
            return counts
        for line in self._path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if session in (None, row["session"]):
                counts.setdefault(row["file"], Counter()).update(["sampled", row["fate"]])
        return counts


def _total(counts: Counts) -> Mapping[str, int]:
    return sum((Counter(row) for row in counts.values()), Counter())


def _percent(row: Mapping[str, int]) -> float:
    """How many of those that differ from the original died. One that never ends is noticed too."""
    dead = row.get("killed", 0) + row.get("timeout", 0)
    return 100 * dead / (dead + row.get("survived", 0) or 1)


def _table(counts: Counts) -> Iterator[str]:
    """A line for each module and one for all of them."""
    rows = {**dict(sorted(counts.items())), "all": _total(counts)}
    width = max(map(len, rows))
    yield " ".join([" " * width, *COLUMNS, "percent"])
    for name, row in rows.items():
        cells = [f"{row.get(word, 0):>{len(word)}}" for word in COLUMNS]
        yield " ".join([name.ljust(width), *cells, f"{_percent(row):>7.1f}"])


if __name__ == "__main__":
    sys.exit(measure() if INSIDE in os.environ else in_a_copy())
