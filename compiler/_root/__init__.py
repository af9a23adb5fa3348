"""flowc: a compiler for agent workflows.

    flow = flowc.load("review.wf.md", model="openai:gpt-5-mini")
    flow.diagnostics                                  # every fault, with file, line and column
    outcome = flow.run({"GOAL": "ship it"})           # durable: flow.resume(outcome.run, answers)

Whatever is here is loaded when it is first asked for; importing flowc loads nothing heavy.
"""

from __future__ import annotations

from importlib import import_module

__version__ = "0.1.0"

_HOMES = {
    "Conversion": "flowc.compiler.conversion",
    "Diagnostic": "flowc.compiler.diagnostics.diagnostic",
    "Flow": "flowc.runtime.python_api.flow",
    "Outcome": "flowc.runtime.services",
    "Permissions": "flowc.runtime.python_api.load",
    "RunEvent": "flowc.runtime.events",
    "check": "flowc.runtime.python_api.load",
    "convert": "flowc.runtime.python_api.load",
    "load": "flowc.runtime.python_api.load",
    "note_effect": "flowc.runtime.torture.ledger",
    "open_saver": "flowc.runtime.python_api.saver",
}
__all__ = [*sorted(_HOMES), "errors"]


def __getattr__(name: str) -> object:
    if name == "errors":
        return import_module("flowc.errors")
    if name not in _HOMES:
        raise AttributeError(f"module 'flowc' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
