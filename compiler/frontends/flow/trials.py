"""Files of cases beside a workflow of any format: `NAME.flowtest.yaml`.

workflow: review.wf.md          # left out: the workflow of that name beside the file
tests:
  it ends well:
    answers: {PROMPT_PLAN: look, PROMPT_JUDGE: SUCCESS}
    path: [PROMPT_PLAN, PROMPT_JUDGE]
"""

from __future__ import annotations

from dataclasses import dataclass

from ...diagnostics.diagnostic import Sink
from ...ir import Trial
from ...source.source import Source, SourceSet, Span
from .declarations import Declarations
from .forms import Forms, kind
from .tree import YamlMapping, YamlScalar, read_tree

_SHAPE = "write `tests:` and below it `NAME OF A CASE:` with what it gives and expects"


@dataclass(frozen=True, slots=True)
class TrialFile:
    """The cases of a file. `workflow` is the workflow's file as written, None for the one beside
    the file; `span` is where that is said."""

    workflow: str | None
    trials: tuple[Trial, ...]
    span: Span


def read_trials(source: Source, sources: SourceSet, sink: Sink) -> TrialFile:
    """Read a file of cases."""
    root = read_tree(source, sink)
    forms = Forms(source, sink)
    if not isinstance(root, YamlMapping):
        if root is not None and not (isinstance(root, YamlScalar) and root.is_null):
            message = f"a file of tests is a mapping, not {kind(root)}"
            forms.report("FC1001", message, root.span, _SHAPE)
        elif not sink.has_errors:
            forms.report("FC1008", f"`{source.path}` is empty", source.span(0), _SHAPE)
        return TrialFile(None, (), source.span(0))
    forms.known_keys(root, ["workflow", "tests"], "a file of tests")
    trials = tuple(Declarations(forms, sources).trials(root))
    if not trials and not sink.has_errors:
        forms.report("FC1008", "there are no tests", root.span, _SHAPE)
    named = root.get("workflow")
    if named is None:
        return TrialFile(None, trials, source.span(0))
    if not isinstance(named, YamlScalar) or named.is_null or not named.value.strip():
        forms.report("FC1005", f"`workflow` takes a file's name, not {kind(named)}", named.span)
        return TrialFile(None, trials, named.span)
    return TrialFile(named.value, trials, named.span)
