"""What a node of flow YAML names: agents, threads, scripts, groups, prompts and workflows."""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import replace

from ... import ir
from ...reading.tree import MapAt, brief
from ...source.source import Span
from ...source.spelling import Spelling
from .elements import key_span, value_span
from .forms import Forms
from .requests import check_request


class Declared:
    """The names of what a workflow declares, in order; of the prompts also their texts."""

    def __init__(self, workflow: ir.Workflow) -> None:
        self.prompts = {prompt.id: prompt.template for prompt in reversed(workflow.prompts)}
        self.groups = dict.fromkeys(group.id for group in workflow.groups)
        self.agents = dict.fromkeys(agent.id for agent in workflow.agents)
        self.threads = dict.fromkeys(thread.id for thread in workflow.threads)
        self.scripts = dict.fromkeys(script.id for script in workflow.scripts)


class References:
    """Looks up in the workflow's declarations what its nodes name. `parts` are the names of the
    workflows below `workflows:`."""

    def __init__(self, forms: Forms, parts: frozenset[str], declared: Declared) -> None:
        self.forms = forms
        self.parts = parts
        self.path = forms.source.path
        self.declared = declared
        self.spellings: dict[str, Spelling] = {}

    def look_up(self, node: ir.Node, mapping: MapAt) -> ir.Node:
        """Return the node, with what it names looked up in the workflow's declarations."""
        declared = self.declared
        if node.group is not None:
            self.require("group", node.group, declared.groups, value_span(mapping, "group"))
        match node:
            case ir.AgentNode() if declared.agents:
                self.require("agent", node.agent, declared.agents, value_span(mapping, "agent"))
            case ir.MessageNode() | ir.AskNode() if node.thread is not None:
                self.require("thread", node.thread, declared.threads, value_span(mapping, "thread"))
            case ir.ScriptNode():
                self.require("script", node.script, declared.scripts, value_span(mapping, "script"))
                for thread in node.threads:
                    span = value_span(mapping, "threads")
                    self.require("thread", thread, declared.threads, span)
                return replace(node, function_span=value_span(mapping, "function"))
            case ir.HttpNode():
                check_request(node, mapping, self.forms)
            case ir.TaskNode():
                return replace(node, role_span=value_span(mapping, "role"))
            case ir.PythonNode():
                return replace(node, target_span=value_span(mapping, "python"))
            case ir.CallNode():
                span = value_span(mapping, "call")
                path, given = self._target(node.workflow), key_span(mapping, "with")
                return replace(node, workflow=path, target_span=span, passes_span=given)
            case ir.ForeachNode():
                return replace(
                    node,
                    workflow=self._target(node.workflow),
                    target_span=value_span(mapping, "do"),
                    item_span=value_span(mapping, "item"),
                    passes_span=key_span(mapping, "with"),
                )
        return node

    def _target(self, written: str) -> str:
        """Return the path of a called workflow: that of a file, or this file's with `#name`."""
        if written in self.parts:
            return f"{self.path}#{written}"
        return os.path.normpath(os.path.join(os.path.dirname(self.path), written))

    def require(self, what: str, name: str, known: Collection[str], span: Span) -> None:
        if name not in known:
            self.unknown(what, name, known, span, f"{what}s")

    def unknown(
        self, what: str, name: str, known: Collection[str], span: Span, section: str
    ) -> None:
        if section not in self.spellings:
            self.spellings[section] = Spelling(known)
        near, help = self.spellings[section].nearest(name), f"declare it below `{section}:`"
        # The place of several names is not that of the one.
        fits = near is None or span.end - span.start == len(name)
        help = help if fits else f"did you mean `{near}`?"
        message = f"there is no {what} `{brief(name)}`"
        self.forms.report("FC2001", message, span, help, near=near if fits else None)
