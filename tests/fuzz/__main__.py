"""Damages files of every dialect a million times and looks for an input that flowc falls over.

    python -m tests.fuzz --count 1000000 --seed 7 --jobs 2

Each input is compiled, shown and, in turns, laid out, converted, written as flow YAML or opened as
an editor does. An exception, a place outside of the file, or more than `--seconds` of the processor
for one input is a fault: its number, its text and where it happened are printed. The exit code is 1
when there was one. `--only NUMBER` tries one input again.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed

from .attempt import try_batch
from .damage import damage, originals

BATCH = 500


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("--count", type=int, default=1_000_000)
    parser.add_argument("--first", type=int, default=0, help="the number of the first input")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seconds", type=float, default=10.0, help="of the processor, an input")
    parser.add_argument("--only", type=int, help="show this input and try it alone")
    return parser.parse_args()


def batches(first: int, count: int) -> Iterator[range]:
    """Yield the numbers of the inputs in parts."""
    for start in range(first, first + count, BATCH):
        yield range(start, min(start + BATCH, first + count))


def main() -> int:
    """Print each kind of fault once, with the numbers of its inputs."""
    choice = _arguments()
    if choice.only is not None:
        name, text = damage(originals(), choice.seed, choice.only)
        print(f"{name}\n{text!a}")
        _, faults = try_batch(choice.seed, range(choice.only, choice.only + 1), choice.seconds)
        print("\n".join(fault[2] for fault in faults) or "nothing wrong")
        return 1 if faults else 0
    begin, tried, kinds = time.monotonic(), 0, Counter[str]()
    with ProcessPoolExecutor(choice.jobs) as pool:
        waiting = [
            pool.submit(try_batch, choice.seed, numbers, choice.seconds)
            for numbers in batches(choice.first, choice.count)
        ]
        for done in as_completed(waiting):
            count, faults = done.result()
            tried += count
            for number, shown, whole in faults:
                kinds[shown] += 1
                if kinds[shown] == 1:
                    print(f"input {number} of seed {choice.seed}: {shown}\n{whole}", flush=True)
            if tried % (BATCH * 50) == 0:
                print(f"{tried} tried, {time.monotonic() - begin:.0f} s", file=sys.stderr)
    print(f"{tried} inputs of seed {choice.seed}, {sum(kinds.values())} faults")
    for shown, number in kinds.most_common():
        print(f"{number:7} {shown}")
    return 1 if kinds else 0


if __name__ == "__main__":
    raise SystemExit(main())
