"""A good guest: nothing of the program around flowc is changed by it."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = '''
import gc, locale, logging, os, signal, sys, threading, warnings
import langgraph.graph, langgraph.checkpoint.memory, langchain_core.tools


def host():
    root = logging.getLogger()
    return {
        "environment": dict(os.environ),
        "collector": (gc.isenabled(), gc.get_threshold(), gc.get_freeze_count(), gc.get_debug()),
        "warnings": list(warnings.filters),
        "logging": (root.level, list(root.handlers), logging.root.manager.disable),
        # SIGINT is asyncio.run's own while it is under way.
        "signals": {s: signal.getsignal(s) for s in signal.valid_signals() - {signal.SIGINT}},
        "locale": locale.setlocale(locale.LC_ALL),
        "folder": os.getcwd(),
        "limit": sys.getrecursionlimit(),
        "hooks": (sys.excepthook, threading.excepthook, sys.unraisablehook),
    }


before = host()
on_interrupt = signal.getsignal(signal.SIGINT)


def unchanged(when):
    after = host()
    for what, value in before.items():
        changed = after[what] if not isinstance(value, dict) else {
            key: (value.get(key), now) for key, now in after[what].items() if value.get(key) != now
        }
        assert after[what] == value, (when, what, changed)


import flowc
unchanged("import")

TEXT = """flow: 1
name: guest
nodes:
  - {name: look, python: look, into: x}
  - {name: greet, agent: host, prompt: Hello, into: y}
  - {name: ask, ask: Well?, into: z}
outputs: [y, z]
"""
flow = flowc.load(TEXT, nodes={"look": lambda: unchanged("a node")}, answers={"greet": "Hi."})
unchanged("load")
waiting = flow.run()
assert waiting.status == "paused", waiting.error
assert flow.resume(waiting.run, "yes").status == "success"
list(flow.stream())
unchanged("run")
from langgraph.checkpoint.memory import InMemorySaver
graph = flow.graph(checkpointer=InMemorySaver())
graph.get_graph()
assert "__interrupt__" in graph.invoke({}, {"configurable": {"thread_id": "a"}})
unchanged("graph")
assert signal.getsignal(signal.SIGINT) == on_interrupt
print("a good guest")
'''


def test_nothing_of_the_program_around_flowc_is_changed(here):
    """Not the environment, the collector, warnings, logging, signals or the locale: by an import,
    a load, a run, or a graph, while it is under way and afterwards."""
    words = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "a good guest", done.stderr
