"""What a document names outside of its folder is read where a person granted it."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import cast

import flowc
import pytest
from flowc.compiler.editor.rename import Renaming, rename
from flowc.compiler.source.source import Span
from flowc.runtime.cli.app import run
from flowc.runtime.lsp.analysis import analyse, sources_of

CHART = """# Workflow

```mermaid
graph TD
    START --> ASK["Prompt: Say"]
    ASK --> SUCCESS
```

# Prompts

## User Say

Say this.

!INCLUDE {name}
"""
CALL = "flow: 1\nname: c\nnodes:\n  - {{name: go, call: {name}}}\n"
CALLED = "flow: 1\nname: sub\nnodes:\n  - {name: s, assign: {X: \"'SECRET'\"}}\n"
SCRIPT = (
    "flow: 1\nname: s\nscripts: {{s: {name}}}\nnodes:\n  - {{name: go, script: s, args: {{}}}}\n"
)
MACHINE = Path(__file__).parents[2] / "corpus/machine/ok/handlers/main.json"
OPENED = """import sys
seen = []
sys.addaudithook(lambda event, args: seen.append(str(args[0])) if event == "open" else None)
from flowc.runtime.cli.app import run
codes = [run([word, file]) for word in ("check", "run") for file in sys.argv[1:]]
print([name for name in seen if name.endswith(("secret", "/link"))], codes)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stranger's folder, and beside it a file and a workflow of the user's."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "user"))
    monkeypatch.delenv("FLOWC_TRUST", raising=False)
    place, home = tmp_path / "stranger", tmp_path / "home"
    place.mkdir()
    home.mkdir()
    (home / "secret").write_text("SECRET\n")
    (home / "secret.flow.yaml").write_text(CALLED)
    (home / "secret.js").write_text("function secret() { return 'SECRET' }\n")
    (place / "link").symlink_to("../home/secret")
    (place / "way").symlink_to("../home")
    (place / "inside").mkdir()
    (place / "inside/note").write_text("a note\n")
    (place / "alias").symlink_to("inside/note")
    (place / "a.wf.md").write_text(CHART.format(name="../home/secret"))
    monkeypatch.chdir(place)
    return place


def wants(capsys: pytest.CaptureFixture[str], *path: str) -> dict[str, object]:
    capsys.readouterr()
    run(["trust", "--json", *path])
    return json.loads(capsys.readouterr().out)


def errors(path: str) -> list[str]:
    return [d.message for d in flowc.check(path) if d.severity == "error"]


NAMES = {
    "include": ("b.wf.md", CHART, "../home/secret"),
    "include by a link": ("b.wf.md", CHART, "link"),
    "include by a link on its way": ("b.wf.md", CHART, "way/secret"),
    "call": ("b.flow.yaml", CALL, "../home/secret.flow.yaml"),
    "call by a link on its way": ("b.flow.yaml", CALL, "way/secret.flow.yaml"),
    "script": ("b.flow.yaml", SCRIPT, "../home/secret.js"),
    "script by a link on its way": ("b.flow.yaml", SCRIPT, "way/secret.js"),
}


@pytest.mark.parametrize(("file", "form", "name"), NAMES.values(), ids=NAMES)
def test_what_lies_outside_is_refused_at_its_place_with_the_remedy(folder, file, form, name):
    (folder / file).write_text(form.format(name=name))
    found = [d for d in flowc.check(file) if d.code == "FC2001"]
    assert [f"flowc trust {file}: shows it and asks"] == [d.help for d in found]
    text = (folder / file).read_text()
    assert text[found[0].primary.start : found[0].primary.end] == name
    assert "outside the workflow's folder" in found[0].message


def test_a_workflow_that_is_a_link_out_of_its_folder_is_not_read(folder):
    """A person or an assistant named `l.wf.md`; what it leads to is the folder's choice."""
    (folder / "l.wf.md").symlink_to("../home/secret")
    (found,) = flowc.check("l.wf.md")
    assert (found.code, found.help) == ("FC0001", "flowc trust l.wf.md: shows it and asks")
    assert "is a link out of its folder, and nobody granted it" in found.message


def test_a_workflow_that_is_a_link_within_its_folder_is_read(folder):
    (folder / "inside/a.wf.md").write_text(CHART.format(name="alias"))
    (folder / "b.wf.md").symlink_to("inside/a.wf.md")
    assert not errors("b.wf.md")
    (folder.parent / "way-in").symlink_to(folder)  # above it links are the person's
    assert not errors("../way-in/b.wf.md")


@pytest.mark.parametrize("beside", ["script.js", "script.py", "roles.json"])
def test_files_that_belong_to_a_machine_are_no_links_to_elsewhere(folder, beside):
    (folder / "m.json").write_text(MACHINE.read_text())
    (folder / "m").mkdir()
    (folder / "m" / beside).symlink_to("../../home/secret.js")
    assert any("outside the workflow's folder" in message for message in errors("m.json"))


def test_a_lock_of_tools_is_not_a_link_to_elsewhere(folder):
    from flowc.compiler.catalog.catalog import LOCK_FILE

    (folder / LOCK_FILE).symlink_to("../home/secret")
    (folder / "a.wf.md").write_text(CHART.format(name="alias"))
    assert any("outside" in message for message in errors("a.wf.md"))


COMMANDS = [
    ["check", "a.wf.md"],
    ["check", "a.wf.md", "--format", "json"],
    ["run", "a.wf.md"],
    ["run", "a.wf.md", "--dry-run"],
    ["graph", "a.wf.md"],
    ["inspect", "a.wf.md", "--json"],
    ["convert", "a.wf.md", "--to", "flow"],
    ["compile", "a.wf.md", "-o", "out"],
    ["test", "a.wf.md"],
]


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_no_command_shows_what_was_not_granted(folder, words, capsys):
    assert run(words) != 0 or words[0] == "inspect"
    shown = capsys.readouterr()
    assert "SECRET" not in shown.out + shown.err
    assert "nobody granted it" in shown.out + shown.err


def test_an_editor_reads_nothing_that_was_not_granted(folder):
    text = (folder / "a.wf.md").read_text()
    path = str(folder / "a.wf.md")
    analysis = analyse(path, 1, text, {}, bool)
    assert analysis is not None
    assert [d.code for d in analysis.result.diagnostics] == ["FC2001"]
    assert list(analysis.result.sources.files) == [path]


def test_the_files_are_not_even_opened(folder):
    (folder / "b.wf.md").write_text(CHART.format(name="link"))
    (folder / "c.wf.md").write_text(CHART.format(name="way/secret"))
    words = [sys.executable, "-c", OPENED, "a.wf.md", "b.wf.md", "c.wf.md"]
    child = subprocess.run(words, capture_output=True, text=True, check=True)
    assert child.stdout.splitlines()[-1] == "[] [1, 1, 1, 1, 1, 1]"


def test_whether_a_file_is_there_is_not_said(folder):
    (folder / "a.wf.md").write_text(CHART.format(name="../home/none"))
    assert "nobody granted it" in errors("a.wf.md")[0]


def test_links_that_stay_in_the_folder_are_followed(folder):
    (folder / "a.wf.md").write_text(CHART.format(name="alias"))
    assert errors("a.wf.md") == []


def test_trust_shows_the_place_and_the_digest_and_grants_that(folder, capsys):
    shown = wants(capsys, "a.wf.md")
    sha = hashlib.sha256(b"SECRET\n").hexdigest()
    (about,) = cast("list[dict[str, list[str]]]", shown["folders"])
    assert about["wants"][0].startswith(f"a.wf.md: it reads ../home/secret, sha256 {sha}, program ")
    assert run(["trust", "--accept", str(shown["digest"]), "a.wf.md"]) == 0
    assert run(["check", "a.wf.md"]) == 0
    assert "SECRET" in str(flowc.convert("a.wf.md", "flow").files)


def test_what_was_granted_is_this_content_for_this_workflow(folder, capsys):
    assert run(["trust", "--accept", str(wants(capsys, "a.wf.md")["digest"]), "a.wf.md"]) == 0
    (folder / "b.wf.md").write_text((folder / "a.wf.md").read_text())
    assert "nobody granted it" in errors("b.wf.md")[0]
    (folder.parent / "home/secret").write_text("ANOTHER\n")
    assert "not what was granted any more" in errors("a.wf.md")[0]


def test_a_workflow_that_changes_does_not_run_with_what_was_granted_before(folder, capsys):
    flow = folder / "b.flow.yaml"
    flow.write_text(CALL.format(name="../home/secret.flow.yaml"))
    assert run(["trust", "--accept", str(wants(capsys, flow.name)["digest"]), flow.name]) == 0
    assert run(["run", flow.name]) == 0
    flow.write_text(flow.read_text() + "  - {name: more, assign: {Y: 1}}\n")
    assert run(["run", flow.name]) == 8
    assert "+ b.flow.yaml: it reads ../home/secret.flow.yaml" in capsys.readouterr().err


def test_the_digest_and_a_lock_grant_where_nobody_is_asked(folder, capsys, monkeypatch):
    flow = folder / "b.flow.yaml"
    flow.write_text(CALL.format(name="../home/secret.flow.yaml"))
    digest = str(wants(capsys, flow.name)["digest"])
    assert run(["run", flow.name, "--trust", "0" * 64]) == 1
    assert run(["run", flow.name, "--trust", digest]) == 0
    monkeypatch.setenv("FLOWC_TRUST", digest)
    assert run(["check", flow.name]) == 0
    monkeypatch.delenv("FLOWC_TRUST")
    os.unlink("a.wf.md")
    assert run(["trust", "--lock"]) == 0
    assert run(["run", flow.name, "--trust", "flowc.trust.json"]) == 0
    assert run(["check", flow.name]) == 1, "nothing is kept of it"


def test_a_folder_of_ones_own_reads_what_it_names(folder):
    assert run(["trust", "--mine"]) == 0
    assert errors("a.wf.md") == []


def test_a_rename_sees_the_granted_files_that_a_workflow_is_made_of(folder):
    """It compiled without grants: what stands in such a file kept its old name, unsaid."""
    (folder.parent / "home/secret").write_text("Of {{PLACE}}.\n")
    text = CHART.format(name="../home/secret").replace(
        "    ASK -->", "    PARAMS[PLACE=x]\n    ASK -->"
    )
    (folder / "a.wf.md").write_text(text)
    file = str(folder / "a.wf.md")
    at = text.index("PLACE")
    assert run(["trust", "--mine"]) == 0
    found = rename(file, Span(file, at, at), "TOWN", {}, (), sources_of)
    assert isinstance(found, Renaming), found
    assert sorted(Path(span.file).name for span in found.spans) == ["a.wf.md", "secret"]


def test_a_program_that_vouches_for_its_folder_reads_what_it_names(folder):
    assert not flowc.load("a.wf.md").ok
    assert flowc.load("a.wf.md", permissions=flowc.Permissions(trust=True)).ok


def test_a_function_that_the_settings_list_is_not_called_unknown(folder, monkeypatch):
    monkeypatch.chdir(folder)
    text = "flow: 1\nname: a\nnodes:\n  - {name: x, tool: count, args: {}}\n"
    Path("a.flow.yaml").write_text(text + "  - {name: y, tool: cuont, args: {}}\n")
    both = ["nothing provides the tool `count`", "nothing provides the tool `cuont`"]
    for settings, found in (
        ("", both),
        ('tools.python = ["shop:count"]\n', both[1:]),
        ("tools.python = 3\n", both),  # which a run reports
    ):
        Path("flowc.toml").write_text(settings)
        assert [d.message for d in flowc.check("a.flow.yaml")] == found


def test_what_the_settings_list_is_asked_anew_by_each_check(folder, monkeypatch, capsys):
    place = folder / "own"
    place.mkdir()
    monkeypatch.chdir(place)
    Path("a.flow.yaml").write_text(
        "flow: 1\nname: a\nnodes:\n  - {name: x, tool: count, args: {}}\n"
    )
    for settings, warnings in (('["shop:count"]', 0), ("[]", 1), ('["shop:count"]', 0)):
        Path("flowc.toml").write_text(f"tools.python = {settings}\n")
        assert run(["check", "."]) == 0
        assert f"0 errors, {warnings} warning" in capsys.readouterr().out
