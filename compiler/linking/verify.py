"""Verify: what must hold of every program that is free of errors. A fault here is a bug in flowc.

Run by tests after every front end and transform; it names the invariant and the element.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from .. import ir


def verify(program: ir.Program) -> tuple[str, ...]:
    """Every broken invariant, in words; empty for a sound program."""
    paths = dict(program.workflows)
    faults = [f"entry workflow {program.entry} is not linked"] if program.entry not in paths else []
    for path, workflow in program.workflows:
        faults.extend(f"{path}: {fault}" for fault in _workflow_faults(workflow, set(paths)))
    return tuple(faults)


def _workflow_faults(workflow: ir.Workflow, paths: set[str]) -> Iterator[str]:
    ids = Counter(node.id for node in workflow.nodes)
    yield from (f"node {name} stands {count} times" for name, count in ids.items() if count > 1)
    if workflow.entry not in ids:
        yield f"entry {workflow.entry!r} is not a node"
    for handler in (workflow.on_success, workflow.on_failed):
        if handler is not None and handler not in ids:
            yield f"handler {handler!r} is not a node"
    yield from _edge_faults(workflow, set(ids))
    yield from _node_faults(workflow, paths)
    yield from _name_faults(workflow)


def _edge_faults(workflow: ir.Workflow, ids: set[str]) -> Iterator[str]:
    kinds = {node.id: node for node in workflow.nodes}
    for edge in workflow.edges:
        ends = f"edge {edge.source} -> {edge.target}"
        if edge.source not in ids or edge.target not in ids:
            yield f"{ends} names a node that is not there"
            continue
        source = kinds[edge.source]
        decides = isinstance(edge.guard, ir.Case | ir.Otherwise)
        if isinstance(source, ir.EndNode):
            yield f"{ends} leaves an end"
        if decides and not isinstance(source, ir.ChooseNode):
            yield f"{ends} carries a case, but only a choose node decides"
        if edge.guard is None and isinstance(source, ir.ChooseNode):
            yield f"{ends} leaves a choose node without a case"
    cases = Counter(
        (edge.source, edge.guard.value)
        for edge in workflow.edges
        if isinstance(edge.guard, ir.Case)
    )
    yield from (f"{node} has case {case!r} twice" for (node, case), n in cases.items() if n > 1)


def _node_faults(workflow: ir.Workflow, paths: set[str]) -> Iterator[str]:
    agents = {agent.id for agent in workflow.agents}
    tools = {tool.id for tool in workflow.tools}
    threads = {thread.id for thread in workflow.threads}
    for node in workflow.nodes:
        if node.retry is not None and node.retry.attempts < 2:
            yield f"{node.id} is tried again, but no more than once in all"
        match node:
            case ir.AgentNode():
                if node.agent not in agents:
                    yield f"{node.id} names agent {node.agent!r}, which is not declared"
                for tool in node.tools:
                    if tool not in tools:
                        yield f"{node.id} names tool {tool!r}, which is not declared"
            case ir.MessageNode():
                if node.thread not in threads:
                    yield f"{node.id} names thread {node.thread!r}, which is not declared"
            case ir.CallNode() | ir.ForeachNode():
                if node.workflow not in paths:
                    yield f"{node.id} calls {node.workflow}, which is not linked"
                if isinstance(node, ir.ForeachNode) and node.concurrency < 1:
                    yield f"{node.id} begins no element"
            case ir.ExecNode():
                if not node.session:
                    yield f"{node.id} has no session"
            case _:
                pass


def _name_faults(workflow: ir.Workflow) -> Iterator[str]:
    declared = {p.name for p in workflow.params} | {f.name for f in workflow.state}
    for name in workflow.outputs:
        if name not in declared:
            yield f"output {name!r} is not a variable"
    for agent in workflow.agents:
        if agent.thread is not None and agent.thread not in {t.id for t in workflow.threads}:
            yield f"agent {agent.id} names thread {agent.thread!r}, which is not declared"
