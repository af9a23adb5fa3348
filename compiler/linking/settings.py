"""Settings of questions to models, where the provider of a model has no such setting (FC4005), and
agents that the offline rules cannot be (FC4002)."""

from __future__ import annotations

from itertools import product

from .. import ir
from ..catalog.model_settings import OFFLINE, OFFLINE_ROLES, models_for, unknown_settings
from ..diagnostics.diagnostic import Sink
from ..source.source import Span


def report_lost_settings(workflow: ir.Workflow, sink: Sink) -> None:
    """Report FC4005, once for each place of settings and model. The model of a run is not known
    here: the run says it before it starts."""
    agents = {agent.id: agent for agent in workflow.agents}
    seen: set[tuple[Span, str]] = set()
    for node in workflow.nodes:
        if not isinstance(node, ir.AgentNode | ir.TaskNode):
            continue
        agent = agents.get(node.agent or "")
        if agent is None:
            continue
        own = node.settings if isinstance(node, ir.AgentNode) else None
        for settings, model in product((agent.settings, own), models_for(agent, node)):
            provider, named, _ = model.partition(":")
            lost = unknown_settings(provider, settings) if settings and named else ()
            place = settings.span if settings else None
            if not lost or place is None or (place, model) in seen:
                continue
            seen.add((place, model))
            listed = ", ".join(f"`{name}`" for name in lost)
            sink.report(
                "FC4005",
                f"`{model}` would be asked without {listed}: {provider} has no such setting here",
                place,
                help="leave it out, or name a model of another provider",
            )


def report_unknown_rules(workflow: ir.Workflow, sink: Sink) -> None:
    """Report FC4002 as a warning, once for each agent that a file asks the offline rules for and
    that they cannot be: who runs it may choose a model that can."""
    if workflow.model != OFFLINE:
        return
    agents = {agent.id: agent for agent in workflow.agents if not agent.person}
    told: set[str] = set()
    for node in workflow.nodes:
        if not isinstance(node, ir.AgentNode) or node.agent in told:
            continue
        agent = agents.get(node.agent)
        span = node.span if agent is None else agent.span or node.span
        if agent is None or span is None:
            continue
        told.add(agent.id)
        others = [name for name in models_for(agent, node) if name != OFFLINE]
        listed = ", ".join(f"`{role}`" for role in OFFLINE_ROLES)
        help = f"they are {listed}; `--model provider:name` asks a language model"
        message = f"the offline rules, which this file asks, cannot be `{agent.id}`"
        if others:
            message = f"`{agent.id}` asks `{others[0]}`, and the model of this file is `{OFFLINE}`"
            help = "name a model of the same kind for both"
        if others or agent.id not in OFFLINE_ROLES:
            sink.report("FC4002", message, span, severity="warning", help=help)
