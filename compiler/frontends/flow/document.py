"""Whole files in flow YAML: workflows, and the cases for a workflow of any format.

NAME.flow.yaml        the main workflow, and those below `workflows:`
NAME.flowtest.yaml    `workflow: review.wf.md` (left out: the one of that name beside it), `tests:`
"""

from __future__ import annotations

from pathlib import PurePath

from ...diagnostics.diagnostic import Sink
from ...flow_yaml.keys import COMMON, EDGE, NAMED, NODES, SECTIONS, TOP, VERSION
from ...ir import Trial, Workflow
from ...reading.protocol import Parsed, with_file_grants
from ...reading.tree import MapAt, Scalar, brief
from ...reading.yaml_syntax import read_yaml
from ...source.records import dataclass
from ...source.source import Source, SourceSet, Span
from .declarations import Declarations
from .editing import flow_mentions
from .elements import kind
from .forms import Forms
from .texts.agent_names import check_agent_names
from .texts.odd_texts import check_odd_texts
from .workflow import WorkflowReader

_KEYS = frozenset(
    (*(key.name for shape in (*NODES.values(), *NAMED.values()) for key in shape.keys),
     *(key.name for key in (*TOP, *COMMON)), *SECTIONS, *NODES, *EDGE,
     "flow", "name", "workflows", "nodes", "next", "cases")
)  # fmt: skip
_EMPTY = "begin with `flow: 1`, then write `nodes:` with a list of what happens"

_SHAPE = "write `tests:` and below it `NAME OF A CASE:` with what it gives and expects"


def read_document(source: Source, sources: SourceSet, sink: Sink) -> Parsed:
    """Read a file. Without a mapping at its top there is no workflow."""
    forms = Forms(source, sink, sources)
    root = _root(forms, "a workflow", _EMPTY)
    if root is None:
        return Parsed(None)
    _check_version(root, forms)
    parts = _parts(root, forms)
    reader = WorkflowReader(forms, sources, frozenset(parts))
    keys = [*(key.name for key in TOP), *SECTIONS]
    forms.known_keys(root, ["flow", *keys, "workflows"], "a workflow")
    name = PurePath(source.path).name.removesuffix(".yaml").removesuffix(".yml")
    check_odd_texts(root, sink)
    main = reader.read(root, name.removesuffix(".flow"))
    inner: dict[str, Workflow] = {}
    for key, mapping in parts.items():
        forms.known_keys(mapping, [k for k in keys if k != "tests"], "an inner workflow")
        inner[key] = reader.read(mapping, key)
    check_agent_names((root, *parts.values()), sink)
    parsed = Parsed(main, parts=inner, mentions=lambda: flow_mentions(root, parts))
    return with_file_grants(parsed, source)


def _root(forms: Forms, what: str, help: str) -> MapAt | None:
    """Return the mapping that the file has to be; report anything else."""
    source, sink = forms.source, forms.sink
    root = read_yaml(source, sink, _KEYS)
    if isinstance(root, MapAt):
        return root
    if root is not None and not root.is_null:
        forms.report("FC1001", f"{what} is a mapping, not {kind(root)}", root.span, help)
    elif not sink.has_errors:
        forms.report("FC1008", f"`{source.path}` is empty", source.span(0), help)
    return None


def _check_version(root: MapAt, forms: Forms) -> None:
    node = root.get("flow")
    if node is None:
        message = "the version of the language is missing"
        forms.report("FC1003", message, root.pairs[0][0].span if root.pairs else root.span,
                     f"write `flow: {VERSION}` at the top")  # fmt: skip
    elif not isinstance(node, Scalar) or node.text != str(VERSION):
        forms.report("FC1005", f"flow YAML has the version {VERSION}, not {kind(node)}", node.span,
                     f"write `flow: {VERSION}`")  # fmt: skip


def _parts(root: MapAt, forms: Forms) -> dict[str, MapAt]:
    node = root.value("workflows")
    if node is None:
        return {}
    if not isinstance(node, MapAt):
        forms.report("FC1005", f"`workflows` takes workflows by name, not {kind(node)}", node.span,
                     "write a name and below it `nodes:`")  # fmt: skip
        return {}
    parts: dict[str, MapAt] = {}
    for name, part in node.pairs:
        if isinstance(part, MapAt):
            parts[name.text] = part
        else:
            message = f"the workflow `{brief(name.text)}` is a mapping, not {kind(part)}"
            forms.report("FC1005", message, part.span, "write `nodes:` below it")
    return parts


@dataclass(frozen=True, slots=True)
class TrialFile:
    """The cases of a file. `workflow` is the workflow's file as written, None for the one beside
    the file; `span` is where that is said."""

    workflow: str | None
    trials: tuple[Trial, ...]
    span: Span


def read_trials(source: Source, sources: SourceSet, sink: Sink) -> TrialFile:
    """Read a file of cases."""
    forms = Forms(source, sink, sources)
    root = _root(forms, "a file of tests", _SHAPE)
    if root is None:
        return TrialFile(None, (), source.span(0))
    forms.known_keys(root, ["workflow", "tests"], "a file of tests")
    trials = tuple(Declarations(forms, sources).trials(root))
    if not trials and not sink.has_errors:
        forms.report("FC1008", "there are no tests", root.span, _SHAPE)
    named = root.get("workflow")
    if named is None:
        return TrialFile(None, trials, source.span(0))
    if not isinstance(named, Scalar) or named.is_null or not named.text.strip():
        forms.report("FC1005", f"`workflow` takes a file's name, not {kind(named)}", named.span)
        return TrialFile(None, trials, named.span)
    return TrialFile(named.text, trials, named.span)
