"""A flow YAML file: its main workflow and those below `workflows:`."""

from __future__ import annotations

from pathlib import PurePath

from ...diagnostics.diagnostic import Sink
from ...flow_yaml.keys import SECTIONS, TOP, VERSION
from ...ir import Workflow
from ...reading.protocol import Parsed
from ...source.gc_pause import collector_at_rest
from ...source.source import Source, SourceSet
from .editing import flow_mentions
from .forms import Forms, kind
from .tree import YamlMapping, YamlScalar, brief, read_tree
from .workflow import WorkflowReader

_EMPTY = "begin with `flow: 1`, then write `nodes:` with a list of what happens"


def read_document(source: Source, sources: SourceSet, sink: Sink) -> Parsed:
    """Read a file. Without a mapping at its top there is no workflow."""
    with collector_at_rest():
        return _read(source, sources, sink)


def _read(source: Source, sources: SourceSet, sink: Sink) -> Parsed:
    root = read_tree(source, sink)
    forms = Forms(source, sink)
    if not isinstance(root, YamlMapping):
        if root is not None and not (isinstance(root, YamlScalar) and root.is_null):
            message = f"a workflow is a mapping, not {kind(root)}"
            forms.report("FC1001", message, root.span, _EMPTY)
        elif not sink.has_errors:
            forms.report("FC1008", f"`{source.path}` is empty", source.span(0), _EMPTY)
        return Parsed(None)
    _check_version(root, forms)
    parts = _parts(root, forms)
    reader = WorkflowReader(forms, sources, frozenset(parts))
    keys = [*(key.name for key in TOP), *SECTIONS]
    forms.known_keys(root, ["flow", *keys, "workflows"], "a workflow")
    name = PurePath(source.path).name.removesuffix(".yaml").removesuffix(".yml")
    main = reader.read(root, name.removesuffix(".flow"))
    inner: dict[str, Workflow] = {}
    for key, mapping in parts.items():
        forms.known_keys(mapping, [k for k in keys if k != "tests"], "an inner workflow")
        inner[key] = reader.read(mapping, key)
    return Parsed(main, parts=inner, mentions=lambda: flow_mentions(root, parts))


def _check_version(root: YamlMapping, forms: Forms) -> None:
    node = root.get("flow")
    if node is None:
        message = "the version of the language is missing"
        forms.report("FC1003", message, root.pairs[0][0].span if root.pairs else root.span,
                     f"write `flow: {VERSION}` at the top")  # fmt: skip
    elif not isinstance(node, YamlScalar) or node.value != str(VERSION):
        forms.report("FC1005", f"flow YAML has the version {VERSION}, not {kind(node)}", node.span,
                     f"write `flow: {VERSION}`")  # fmt: skip


def _parts(root: YamlMapping, forms: Forms) -> dict[str, YamlMapping]:
    node = root.get("workflows")
    if node is None or (isinstance(node, YamlScalar) and node.is_null):
        return {}
    if not isinstance(node, YamlMapping):
        forms.report("FC1005", f"`workflows` takes workflows by name, not {kind(node)}", node.span,
                     "write a name and below it `nodes:`")  # fmt: skip
        return {}
    found: dict[str, YamlMapping] = {}
    for name, part in node.pairs:
        if isinstance(part, YamlMapping):
            found[name.value] = part
        else:
            message = f"the workflow `{brief(name.value)}` is a mapping, not {kind(part)}"
            forms.report("FC1005", message, part.span, "write `nodes:` below it")
    return found
