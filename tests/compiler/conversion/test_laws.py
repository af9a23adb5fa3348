"""The laws of conversion, over every accepted case of every format and every shipped example."""

from __future__ import annotations

import os
import re
from collections import Counter
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from flowc.compiler.analysis.diff import rename_nodes
from flowc.compiler.checks import CODES
from flowc.compiler.conversion import convert_file
from flowc.compiler.diagnostics.diagnostic import Sink
from flowc.compiler.driver import compile_file
from flowc.compiler.emit.picture.mermaid import emit_mermaid, mermaid_ids
from flowc.compiler.emit.picture.picture import picture_of
from flowc.compiler.frontends import by_name, is_workflow
from flowc.compiler.frontends.flowchart.mermaid.chart import read_chart
from flowc.compiler.source.source import Source, SourceSet
from flowc.compiler.writers import DIALECTS, dialect_named

ROOT = Path(__file__).resolve().parents[3]
ACCEPTED = sorted(
    main for case in ROOT.glob("tests/corpus/*/ok/*/") for main in case.glob("main.*")
)
SHIPPED = sorted(
    file
    for file in (ROOT / "workflows/examples").glob("*/*.*")
    if is_workflow(SourceSet().read(str(file)))
)
KEEP_LESS_OF_THEMSELVES = {
    "history-of-a-run": "a record of a run need not keep its prompts, a workflow must",
    "odd-texts": "a picture has plain ids",
}
"""Files that even their own dialect's writer does not say in full, and why."""


def case_name(file: Path) -> str:
    folder = file.parent.name
    return f"{file.parts[-4]}-{folder}" if file.name.startswith("main.") else file.name


def case_id(value) -> str:
    return case_name(value) if isinstance(value, Path) else value.name


@pytest.fixture
def read(monkeypatch):
    """Compile a file from within its folder."""

    def compile_case(file: Path):
        monkeypatch.chdir(file.parent)
        result = compile_file(file.name)
        assert result.parsed is not None
        return result

    return compile_case


def named(workflow):
    """The workflow as a picture shows it: what has no title has its id."""
    nodes = tuple(replace(node, title=node.title or node.id) for node in workflow.nodes)
    return replace(workflow, nodes=nodes)


def settled(workflow):
    """The workflow with scripts that are not indented, and its edges with the node they leave."""
    scripts = tuple(
        replace(s, source=re.sub(r"(?m)^[ \t]+", "", s.source)) if s.language == "javascript" else s
        for s in workflow.scripts
    )
    edges = tuple(sorted(workflow.edges, key=lambda edge: edge.source))
    return replace(workflow, scripts=scripts, edges=edges)


def in_place(parsed, places):
    """What was read, as if it stood in the file that it was converted from."""
    parts = {name: rename_nodes(part, {}, places) for name, part in parsed.parts.items()}
    return rename_nodes(parsed.workflow, {}, places), parts


def again(done, result, dialect):
    """What a dialect's own front end reads in what was converted."""
    main, text = next(iter(done.files.items()))
    path = os.path.join(os.path.dirname(main), result.workflow.name + dialect.suffix)
    path = path if len(done.files) == 1 else main  # what lies beside it lies below its name
    overrides = {os.path.normpath(file): text for file, text in done.files.items()}
    sources, sink = SourceSet(overrides=overrides), Sink(CODES)
    parsed = by_name(dialect.name).parse(sources.add(Source(path, text)), sources, sink)
    return parsed, sources.files[path]


def converted(result, dialect):
    source = result.sources.files[result.path]
    return convert_file(result.parsed, source, dialect, f"out{dialect.suffix}")


@pytest.mark.parametrize("file", [*ACCEPTED, *SHIPPED], ids=case_id)
def test_a_dialect_says_all_of_itself(file, read):
    """parse(write(w)) == w, to the last field and in the same order."""
    result = read(file)
    dialect = dialect_named(result.frontend.name)
    if dialect is None:
        pytest.skip(f"{result.frontend.name} is not written")
    done = converted(result, dialect)
    if file.parent.name in KEEP_LESS_OF_THEMSELVES:
        assert done.losses or done.renamed
        return
    assert done.losses == ()
    parsed, there = again(done, result, dialect)
    places = {f"{there.path}#{name}": f"{result.path}#{name}" for name in parsed.parts}
    workflow, parts = in_place(parsed, places)
    assert named(settled(workflow)) == named(settled(result.parsed.workflow))
    assert parts == result.parsed.parts


@pytest.mark.parametrize("file", [*ACCEPTED, *SHIPPED], ids=case_id)
def test_flow_yaml_says_everything(file, read):
    """Also the files that their own dialect does not say in full."""
    result = read(file)
    done = converted(result, dialect_named("flow"))
    assert done.losses == ()
    parsed, there = again(done, result, dialect_named("flow"))
    places = {f"{there.path}#{name}": f"{result.path}#{name}" for name in parsed.parts}
    workflow, parts = in_place(parsed, places)
    assert settled(workflow) == settled(result.parsed.workflow)
    assert {name: settled(part) for name, part in parts.items()} == {
        name: settled(part) for name, part in result.parsed.parts.items()
    }


@pytest.mark.parametrize("file", [*ACCEPTED, *SHIPPED], ids=case_id)
def test_there_and_back_nothing_is_lost(file, read):
    """Through flow YAML into the dialect it came from: the writers see the workflow alone, and
    what they do not tell of is as it was, to the last field."""
    result = read(file)
    dialect = dialect_named(result.frontend.name)
    if dialect is None or file.parent.name in KEEP_LESS_OF_THEMSELVES:
        pytest.skip("its own writer keeps less")
    parsed, source = again(converted(result, dialect_named("flow")), result, dialect_named("flow"))
    done = convert_file(parsed, source, dialect, f"out{dialect.suffix}")
    assert done.losses == ()
    back, there = again(done, result, dialect)
    places = {f"{there.path}#{name}": f"{result.path}#{name}" for name in back.parts}
    workflow, _ = in_place(back, places)
    assert named(settled(workflow)) == named(settled(result.parsed.workflow))


@pytest.mark.parametrize(
    ("file", "dialect"), list(product([*ACCEPTED, *SHIPPED], DIALECTS)), ids=case_id
)
def test_writing_is_a_fixed_point(file, dialect, read):
    """What was written without loss and read again is written the same; where something was lost,
    nothing more is lost the second time."""
    result = read(file)
    first = converted(result, dialect)
    parsed, source = again(first, result, dialect)
    if any("would not accept" in loss.message for loss in first.losses) or not parsed.workflow:
        return
    second = convert_file(parsed, source, dialect, next(iter(first.files)))
    assert [loss.message for loss in second.losses] == []
    if not first.losses:  # inner workflows that stand in files of their own are not written again
        assert second.files.items() <= first.files.items()


@pytest.mark.parametrize("file", [*ACCEPTED, *SHIPPED], ids=case_id)
def test_a_picture_reads_back_with_the_edges_it_shows(file, read):
    workflow = read(file).parsed.workflow
    names = mermaid_ids(workflow)
    shown = Counter((names[e.source], names[e.target]) for e in picture_of(workflow).lines)
    chart = read_chart(emit_mermaid(workflow))
    assert chart.faults == []
    assert Counter((e.source.text, e.target.text) for e in chart.edges) == shown


@pytest.mark.parametrize(
    ("file", "dialect"), list(product([*ACCEPTED, *SHIPPED], DIALECTS)), ids=case_id
)
def test_what_is_written_without_loss_has_no_error(file, dialect, read, tmp_path, monkeypatch):
    result = read(file)
    done = converted(result, dialect)
    if done.losses:
        assert {loss.code for loss in done.losses} == {"FC6001"}
        assert all(loss.primary.file in result.sources.files for loss in done.losses)
        return
    _, source = again(done, result, dialect)
    overrides = dict(done.files) | {source.path: source.text}
    back = compile_file(source.path, format=dialect.name, sources=SourceSet(overrides=overrides))
    assert [d for d in back.diagnostics if d.severity == "error"] == []
