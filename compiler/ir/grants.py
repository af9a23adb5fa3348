"""Grants: what the commands of a file may do, as a comment of its author says.

    %% flowc: network                   in a mermaid block: its commands may use the network
    <!-- flowc: workspace out -->       in markdown: they may write in the folder `out`
    # flowc: network                    in flow YAML

Only the text of the file itself is searched: what a model, a tool or a command writes is never read
as a grant.
"""

from __future__ import annotations

import re
from dataclasses import replace

from ..source.source import Source
from . import ExecNode, Workflow

_GRANT = re.compile(
    r"^[ \t]*(?P<open><!--|%%|\#)[ \t]*flowc:[ \t]*"
    r"(?P<what>network|workspace[ \t]+(?P<folder>\S(?:[^\n]{0,200}?\S)??))"
    r"[ \t]*(?P<close>-->)?[ \t]*$",
    re.MULTILINE,
)
"""A comment alone on its line."""


def with_grants(workflow: Workflow, granted: tuple[bool, str]) -> Workflow:
    """Return the workflow with the grants of its file's comments given to its commands. A node's
    own folder stays."""
    network, folder = granted
    if not (network or folder):
        return workflow
    nodes = tuple(
        replace(node, network=node.network or network, workspace=node.workspace or folder)
        if isinstance(node, ExecNode)
        else node
        for node in workflow.nodes
    )
    return replace(workflow, nodes=nodes)


def grants(source: Source) -> tuple[bool, str]:
    """Return whether the file grants the network, and the folder that it grants ("" for none)."""
    if "flowc:" not in source.text:
        return False, ""
    markdown = source.path.endswith((".md", ".markdown"))
    network, folder = False, ""
    for match in _GRANT.finditer(source.text):
        angles = match["open"] == "<!--"
        if angles != bool(match["close"]) or (markdown and match["open"] == "#"):
            continue
        network = network or match["what"] == "network"
        folder = match["folder"] or folder
    return network, folder


def grant_comments(workflow: Workflow) -> list[str]:
    """Return the comments of a chart for what all of the workflow's commands are granted."""
    commands = [node for node in workflow.nodes if isinstance(node, ExecNode)]
    folders = {node.workspace for node in commands}
    lines = ["%% flowc: network"] if commands and all(n.network for n in commands) else []
    if len(folders) == 1 and folders != {""}:
        lines.append(f"%% flowc: workspace {folders.pop()}")
    return lines
