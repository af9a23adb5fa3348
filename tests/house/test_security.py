"""The threat model names its tests, and docs/security.md is made of it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
from flowc.runtime.cli.app import run

from ..hostile.documents import DOCUMENTS
from ..hostile.folders import FOLDERS
from ..hostile.planted_files import PLANTED
from .threats import ACTORS, ASSETS, FILES, FOUND, THREATS, Found, Threat

PAGE = "docs/security.md"
BEGIN, END = "<!-- threats -->\n", "<!-- end -->"


def names_in(threat: Threat) -> Iterator[str]:
    if not isinstance(threat.kept, str):
        yield from threat.kept
    if threat.open:
        yield threat.open


def test_each_actor_meets_each_asset_once():
    assert [(t.actor, t.asset) for t in THREATS] == list(product(ACTORS, ASSETS))


@pytest.mark.parametrize("threat", THREATS, ids=lambda t: f"{t.actor}-{t.asset}")
def test_each_cell_names_tests_that_are_there_or_says_why_not(root, threat):
    assert bool(threat.grant) == bool(threat.open), "a grant is shown by a test"
    assert bool(threat.door) != isinstance(threat.kept, str)
    assert threat.kept
    assert [name for name in names_in(threat) if not is_there(root, name)] == []


@pytest.mark.parametrize("found", FOUND, ids=lambda f: f"{f.place}: {f.reached[:40]}")
def test_what_was_reached_once_names_tests_that_are_there(root, found):
    assert found.kept
    assert [name for name in found.kept if not is_there(root, name)] == []


def is_there(root: Path, name: str) -> bool:
    kind, _, test = name.partition("::")
    if kind == "hostile":
        return test in FOLDERS | PLANTED or test.removeprefix("document ") in DOCUMENTS
    text = (root / FILES[kind]).read_text(encoding="utf-8")
    return re.search(rf"^ *(async )?def {test}\(", text, re.MULTILINE) is not None


def test_every_file_is_named():
    names = [name for threat in THREATS for name in names_in(threat)]
    names += [name for found in FOUND for name in found.kept]
    assert {name.partition("::")[0] for name in names} - {"hostile"} == set(FILES)


def test_the_generated_threat_model_is_up_to_date(root, golden):
    page = (root / PAGE).read_text(encoding="utf-8")
    before, rest = page.split(BEGIN)
    after = rest.split(END)[1]
    golden(root / PAGE, before + BEGIN + "\n".join(_lines()) + END + after)


def _lines() -> Iterator[str]:
    for actor in ACTORS:
        yield from ("", f"### {actor.capitalize()}", "")
        yield from ("| asset | its door | shut | opened by | then |", "|---|---|---|---|---|")
        for threat in THREATS:
            if threat.actor == actor:
                yield _row(threat)
    yield from ("", "## What was reached once", "")
    yield "By an attack on an earlier version. Each row names the tests that do the same again."
    yield from ("", "| where | what was reached | shown shut by |", "|---|---|---|")
    for found in FOUND:
        yield _row_of_found(found)
    yield ""


def _row_of_found(found: Found) -> str:
    return f"| {found.place} | {found.reached} | {', '.join(map(_link, found.kept))} |"


def _row(threat: Threat) -> str:
    if isinstance(threat.kept, str):
        return f"| {threat.asset} | {threat.kept} | | | |"
    shut = ", ".join(map(_link, threat.kept))
    opened = f"{threat.grant} | {_link(threat.open)}" if threat.grant else "nothing |"
    return f"| {threat.asset} | {threat.door} | {shut} | {opened} |"


def _link(name: str) -> str:
    kind, _, test = name.partition("::")
    if kind == "hostile":
        file = "planted_files" if test in PLANTED else "folders"
        file = "documents" if test.startswith("document ") else file
        return f"[{test}](../tests/hostile/{file}.py)"
    return f"[{test.removeprefix('test_').replace('_', ' ')}](../{FILES[kind]})"


def test_the_workflows_that_ship_want_nothing_of_trust(root, capsys):
    assert run(["trust", "--json", str(root / "workflows")]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["folders"], told["trusted"]) == ([], True)


def test_a_workflow_that_wants_something_is_seen_there(tmp_path: Path, capsys):
    """What the test above would show."""
    (tmp_path / "n.flow.yaml").write_text(
        "flow: 1\nname: n\nnodes:\n  - {name: go, exec: ls, network: true, into: O}\n"
    )
    assert run(["trust", "--json", str(tmp_path)]) in (0, 1)
    assert json.loads(capsys.readouterr().out)["folders"] != []
