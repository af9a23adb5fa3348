"""Families of flow YAML, contracts and machines that grow: see `growing_markdown`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

from tests.fuzz.growing_markdown import Family

FLOW = "flow: 1\nagents: {w: {system: Be brief.}}\nnodes:\n"


def _flow(node: Callable[[int, int], str], after: str = "outputs: []\n") -> Family:
    return lambda n: FLOW + "".join(f"  - {node(at, n)}\n" for at in range(n)) + after


def _flow_top(
    row: Callable[[int], str], top: str, nodes: str = "{name: a, assign: {x: 1}}"
) -> Family:
    return lambda n: (
        f"flow: 1\n{top}:\n"
        + "".join(f"  {row(at)}\n" for at in range(n))
        + (f"nodes:\n  - {nodes}\n")
    )


def _contract(steps: Callable[[int, int], dict[str, Any]]) -> Family:
    def text(n: int) -> str:
        rows = [
            {"step_id": f"s{at}", "step_name": f"Part {at}", "step_type": "task",
             "required_role": "cook", "dependencies": [], "estimated_duration": 5,
             "success_criteria": "It is done", "failure_handling": "Try again", **steps(at, n)}
            for at in range(n)
        ]  # fmt: skip
        return json.dumps(
            {"workflow_name": "c", "workflow_type": "parallel", "description": "d", "steps": rows},
            indent=1,
        )

    return text


def _machine(states: Callable[[int, int], dict[str, Any]]) -> Family:
    def text(n: int) -> str:
        rows = [
            {"name": "start" if at == 0 else f"s{at}", "agent": "w", **states(at, n)}
            for at in range(n)
        ]
        return json.dumps(
            {"workflow_name": "m", "description": "d",
             "input": {"name": "x", "type": "string", "description": "d"},
             "output": {"name": "y", "type": "string", "description": "d"},
             "contexts": [{"name": "c"}],
             "agents": [{"agent_role": "w", "context": "c", "role": "assistant"}],
             "states": rows, "handlers": {}},
            indent=1,
        )  # fmt: skip

    return text


def _names(names: Iterable[str]) -> str:
    return "[" + ", ".join(names) + "]"


def _fork(at: int, onward: str) -> str:
    return (
        f"{{name: f{at}, assign: {{f{at}: 1}}, next: [a{at}, b{at}]}}\n"
        f"  - {{name: a{at}, assign: {{a{at}: 1}}, next: {onward}}}\n"
        f"  - {{name: b{at}, assign: {{b{at}: 1}}, next: {onward}}}"
    )


def _layers(at: int, width: int = 5) -> dict[str, Any]:
    first = at - at % width - width
    return {
        "dependencies": [f"s{k}" for k in range(max(0, first), max(0, first) + width)]
        if first >= 0
        else []
    }


DATA: tuple[tuple[str, str, Family], ...] = (
    # flow YAML
    (
        "flow nodes in a row",
        "main.flow.yaml",
        _flow(lambda at, n: f"{{name: n{at}, assign: {{x{at}: {at}}}}}"),
    ),
    (
        "flow nodes of one name",
        "main.flow.yaml",
        _flow(lambda at, n: f"{{name: n, assign: {{x{at}: {at}}}}}"),
    ),
    (
        "flow agents near one",
        "main.flow.yaml",
        _flow(lambda at, n: f"{{name: n{at}, agent: wirter{at}, prompt: Say it., into: t{at}}}"),
    ),
    (
        "flow agents near many",
        "main.flow.yaml",
        lambda n: (
            "flow: 1\nagents:\n"
            + "".join(f"  writer{k}: {{system: x}}\n" for k in range(n))
            + "nodes:\n"
            + "".join(
                f"  - {{name: n{k}, agent: wirter{k}x, prompt: p, into: t{k}}}\n" for k in range(n)
            )
        ),
    ),
    (
        "flow targets near a node",
        "main.flow.yaml",
        _flow(lambda at, n: f"{{name: node{at}, assign: {{x{at}: 1}}, next: ndoe{at}x}}"),
    ),
    (
        "flow variables that nobody writes",
        "main.flow.yaml",
        _flow(lambda at, n: f"{{name: n{at}, assign: {{x{at}: word{at}x}}}}"),
    ),
    (
        "flow variables of the node before",
        "main.flow.yaml",
        _flow(lambda at, n: f"{{name: n{at}, assign: {{x{at}: x{max(at - 1, 0)}}}}}"),
    ),
    (
        "flow forks in a row",
        "main.flow.yaml",
        _flow(lambda at, n: _fork(at, f"f{at + 1}" if at + 1 < n else "end")),
    ),
    (
        "flow forks in a ring",
        "main.flow.yaml",
        _flow(lambda at, n: _fork(at, f"f{(at + 1) % n}")),
    ),
    (
        "a flow fork of many branches",
        "main.flow.yaml",
        lambda n: (
            FLOW
            + f"  - {{name: f, assign: {{}}, next: {_names(f'n{k}' for k in range(n))}}}\n"
            + "".join(f"  - {{name: n{k}, assign: {{x{k}: 1}}, next: end}}\n" for k in range(n))
        ),
    ),
    (
        "a flow fork that writes one variable",
        "main.flow.yaml",
        lambda n: (
            FLOW
            + f"  - {{name: f, assign: {{}}, next: {_names(f'n{k}' for k in range(n))}}}\n"
            + "".join(f"  - {{name: n{k}, assign: {{x: 1}}, next: end}}\n" for k in range(n))
        ),
    ),
    (
        "flow loops in a row",
        "main.flow.yaml",
        _flow(
            lambda at, n: (
                f"{{name: n{at}, assign: {{x: x + 1}}, next: [{{to: n{at}, when: x < {at}}}]}}"
            )
        ),
    ),
    (
        "flow loops inside one another",
        "main.flow.yaml",
        _flow(
            lambda at, n: (
                f"{{name: n{at}, assign: {{x: {at}}}, "
                f"next: [{{to: n{n - at - 1}, when: x < {at}}}]}}"
            )
        ),
    ),
    (
        "a flow node that all lead to",
        "main.flow.yaml",
        _flow(
            lambda at, n: (
                f"{{name: n{at}, assign: {{x{at}: 1}}, next: [{{to: n0, when: x{at} > 3}}]}}"
            )
        ),
    ),
    ("flow parameters", "main.flow.yaml", _flow_top(lambda n: f"p{n}: text", "params")),
    (
        "flow variables of a misspelt type",
        "main.flow.yaml",
        _flow_top(lambda n: f"k{n}: {{type: txet, default: 1}}", "state"),
    ),
    (
        "flow keys that are not there",
        "main.flow.yaml",
        _flow(lambda at, n: f"{{name: n{at}, asign: {{x: 1}}}}"),
    ),
    (
        "flow keys of one name",
        "main.flow.yaml",
        lambda n: "flow: 1\n" + "name: x\n" * n + "nodes: []\n",
    ),
    (
        "flow braces that are not closed",
        "main.flow.yaml",
        _flow(lambda at, n: f"{{name: n{at}, assign: {{x: 1}}"),
    ),
    (
        "flow lines without a colon",
        "main.flow.yaml",
        _flow(lambda at, n: f"name n{at}\n    assign: {{x: 1}}"),
    ),
    (
        "flow workflows that call the next",
        "main.flow.yaml",
        lambda n: (
            "flow: 1\nnodes: [{name: a, call: w0}]\nworkflows:\n"
            + "".join(f"  w{k}:\n    nodes: [{{name: a, call: w{k + 1}}}]\n" for k in range(n))
            + f"  w{n}:\n    nodes: [{{name: a, assign: {{x: 1}}}}]\n"
        ),
    ),
    (
        "a flow text of placeholders",
        "main.flow.yaml",
        lambda n: FLOW + "  - {name: a, agent: w, into: t, prompt: '" + "{{ word }} " * n + "'}\n",
    ),
    (
        "a flow text of placeholders that only end",
        "main.flow.yaml",
        lambda n: FLOW + "  - {name: a, agent: w, into: t, prompt: '" + "word }} " * n + "'}\n",
    ),
    (
        "a flow command of placeholders of other dialects",
        "main.flow.yaml",
        lambda n: FLOW + "  - {name: a, exec: 'sed x " + "${word} $word [word] " * n + "'}\n",
    ),
    (
        "a flow list of expressions",
        "main.flow.yaml",
        lambda n: FLOW + "  - {name: a, assign: {x: " + _names("a + 1" for _ in range(n)) + "}}\n",
    ),
    # contracts
    (
        "a contract in a row",
        "main.json",
        _contract(lambda at, n: {"dependencies": [f"s{at - 1}"] if at else []}),
    ),
    ("a contract in layers", "main.json", _contract(lambda at, n: _layers(at))),
    ("a contract side by side", "main.json", _contract(lambda at, n: {})),
    (
        "a contract of one join",
        "main.json",
        _contract(
            lambda at, n: {"dependencies": [f"s{k}" for k in range(at)] if at == n - 1 else []}
        ),
    ),
    (
        "a contract of reviews",
        "main.json",
        _contract(
            lambda at, n: {
                "step_type": "review" if at % 2 else "task",
                "dependencies": [f"s{at - 1}"] if at else [],
            }
        ),
    ),
    (
        "a contract of needs that are not there",
        "main.json",
        _contract(lambda at, n: {"dependencies": [f"setp{at}x"]}),
    ),
    (
        "a contract of roles that nobody has",
        "main.json",
        _contract(lambda at, n: {"required_role": f"cok{at}"}),
    ),
    ("a contract of unknown keys", "main.json", _contract(lambda at, n: {f"step_naem{at}": 1})),
    ("a contract of one id", "main.json", _contract(lambda at, n: {"step_id": "s"})),
    # machines
    (
        "a machine of post-handlers that are not there",
        "main.json",
        _machine(lambda at, n: {"post_handler": f"keep{at}"}),
    ),
    (
        "a machine of handlers that are not there",
        "main.json",
        _machine(lambda at, n: {"transition_handler": f"to{at}"}),
    ),
    ("a machine of states of one name", "main.json", _machine(lambda at, n: {"name": "s"})),
    ("a machine of unknown keys", "main.json", _machine(lambda at, n: {f"post_hanlder{at}": "x"})),
)
"""Title, file name and text by number of parts."""
