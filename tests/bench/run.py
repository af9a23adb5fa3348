"""Print how fast flowc is, each time beside a reference measured in the same run.

Nothing is asserted: a time depends on the machine, a ratio much less. `make bench` runs all parts,
`python tests/bench/run.py parse` one. Numbers are medians; the rounds of both sides alternate,
so that a slow moment hits both.
"""

from __future__ import annotations

import argparse
import platform

import audio
import cold
import commits
import embedded
import history
import json_tree
import keystroke
import listing
import lowering
import parse
import plan
import sandbox
import scripts
import search
import service
import steps
import stores_cost
import workers
import worst_bodies

PARTS = {
    "audio": audio.report,
    "cold": cold.report,
    "commits": commits.report,
    "embedded": embedded.report,
    "history": history.report,
    "json": json_tree.report,
    "keystroke": keystroke.report,
    "lowering": lowering.report,
    "runs": listing.report,
    "parse": parse.report,
    "plan": plan.report,
    "sandbox": sandbox.report,
    "steps": steps.report,
    "scripts": scripts.report,
    "search": search.report,
    "service": service.report,
    "stores": stores_cost.report,
    "workers": workers.report,
    "bodies": worst_bodies.report,
}


def main() -> None:
    """Run the parts that were named, all of them by default."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    chosen = options.parse_args().parts or list(PARTS)
    print(f"Python {platform.python_version()}, {platform.system()} {platform.machine()}\n")
    for name in chosen:
        PARTS[name]()
        print()


if __name__ == "__main__":
    main()
