"""`flowc trust`: without it a folder and its workflows grant nothing, whatever is run there."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from flowc.runtime.cli.app import run
from flowc.runtime.config.trust_record import record_file

SETTINGS = '[tools]\npython = ["{name}:count_words"]\n'
MODULE = """from pathlib import Path
Path({mark!r}).open("a").write("x")
def count_words(text: str) -> int:
    "Count words."
    return len(text.split())
"""
FLOW = """flow: 1
name: t
nodes:
  - {name: count, tool: count_words, args: {text: "'a b c'"}, into: N}
"""
NETWORK = """flow: 1
name: n
# flowc: network
# flowc: workspace out
nodes:
  - {name: go, exec: "touch out/ran", into: O}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that its user never trusted, with a module of a name of its own."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "user"))
    monkeypatch.setattr(sys, "path", list(sys.path))
    place = tmp_path / "stranger"
    place.mkdir()
    monkeypatch.chdir(place)
    name = f"stranger_{abs(hash(tmp_path))}"
    (place / "flowc.toml").write_text(SETTINGS.format(name=name))
    (place / f"{name}.py").write_text(MODULE.format(mark=str(place / "imported")))
    (place / "t.flow.yaml").write_text(FLOW)
    return place


def imported(folder: Path) -> bool:
    return (folder / "imported").exists()


def digest(capsys: pytest.CaptureFixture[str], *path: str) -> str:
    capsys.readouterr()
    run(["trust", "--json", *path])
    return json.loads(capsys.readouterr().out)["digest"]


def test_a_strangers_module_is_not_imported_and_the_remedy_is_named(folder, capsys):
    assert run(["run", "t.flow.yaml"]) == 8
    shown = capsys.readouterr().err
    assert "is not trusted" in shown
    assert "imports stranger_" in shown
    assert "flowc trust ." in shown
    assert not imported(folder)


@pytest.mark.parametrize("args", [["tools", "list"], ["tools", "lock"], ["test", "t.flow.yaml"]])
def test_other_commands_import_nothing_either(folder, args):
    if args[0] == "test":
        (folder / "t.flow.yaml").write_text(FLOW + "tests: {one: {result: SUCCESS}}\n")
    assert run(args) in (1, 8)
    assert not imported(folder)


def test_what_was_accepted_runs_until_any_importable_file_changes(folder, capsys):
    assert run(["trust", "--accept", digest(capsys)]) == 0
    assert run(["run", "t.flow.yaml"]) == 0
    assert imported(folder)
    (folder / "unnamed").mkdir()
    (folder / "unnamed/extra.py").write_text("pass\n")
    capsys.readouterr()
    assert run(["run", "t.flow.yaml"]) == 8
    shown = capsys.readouterr().err
    assert "+ reads unnamed/extra.py" in shown
    assert "count_words" not in shown, "only the difference is shown"


def test_the_digest_and_a_lock_grant_where_nobody_is_asked(folder, capsys):
    wanted = digest(capsys, "t.flow.yaml")
    assert run(["trust", "--lock"]) == 0
    assert run(["run", "t.flow.yaml", "--trust", "0" * 64]) == 8
    assert not imported(folder)
    assert run(["run", "t.flow.yaml", "--trust", wanted]) == 0
    assert run(["run", "t.flow.yaml", "--trust", "flowc.trust.json"]) == 0
    (folder / "more.py").write_text("pass\n")
    assert run(["run", "t.flow.yaml", "--trust", wanted]) == 8
    assert run(["run", "t.flow.yaml", "--trust", "flowc.trust.json"]) == 8
    assert not record_file().exists(), "nothing is kept of it"


def test_a_folder_of_ones_own_is_trusted_until_revoked(folder, capsys):
    assert run(["trust", "--mine"]) == 0
    assert run(["trust", "--list"]) == 0
    assert f"{folder}  mine" in capsys.readouterr().out
    (folder / "more.py").write_text("pass\n")
    assert run(["run", "t.flow.yaml"]) == 0
    assert run(["trust", "--revoke"]) == 0
    assert run(["run", "t.flow.yaml"]) == 8
    assert run(["trust", "--revoke"]) == 1


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a folder away")
def test_a_folder_of_another_user_is_never_ones_own(folder, capsys):
    os.chown(folder, 12345, -1)
    assert run(["trust", "--mine"]) == 2
    assert "belongs to another user" in capsys.readouterr().err
    os.chown(folder, 0, -1)
    assert run(["trust", "--mine", ".."]) == 0
    os.chown(folder, 12345, -1)
    assert run(["run", "t.flow.yaml"]) == 8
    assert not imported(folder)


def test_a_compiled_cache_is_not_run_in_the_place_of_its_source(folder, capsys):
    import py_compile

    module = next(folder.glob("stranger_*.py"))
    good = module.read_text()
    module.write_text(good.replace('"x"', '"!"'))
    cache = py_compile.compile(str(module))
    stat = module.stat()
    module.write_text(good)
    os.utime(module, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert cache is not None
    assert run(["trust", "--accept", digest(capsys)]) == 0
    assert run(["run", "t.flow.yaml"]) == 0
    assert (folder / "imported").read_text() == "x"


def test_a_workflow_grants_itself_nothing(folder, capsys):
    (folder / "n.flow.yaml").write_text(NETWORK)
    (folder / "out").mkdir()
    told = ["run", "n.flow.yaml", "--allow-exec"]
    assert run(told) == 8
    shown = capsys.readouterr().err
    assert "its commands may use the network" in shown
    assert "its commands may write in out" in shown
    assert "flowc trust n.flow.yaml" in shown
    assert not (folder / "out/ran").exists()
    assert run([*told, "--trust", digest(capsys, "n.flow.yaml")]) == 0
    assert (folder / "out/ran").exists()


def test_a_workflow_that_changes_is_asked_about_again(folder, capsys):
    (folder / "n.flow.yaml").write_text(NETWORK)
    (folder / "out").mkdir()
    assert run(["trust", "--accept", digest(capsys, "n.flow.yaml"), "n.flow.yaml"]) == 0
    assert run(["run", "n.flow.yaml", "--allow-exec"]) == 0
    (folder / "n.flow.yaml").write_text(NETWORK.replace("touch out/ran", "touch out/other"))
    assert run(["run", "n.flow.yaml", "--allow-exec"]) == 8
    assert not (folder / "out/other").exists()


def test_a_workflow_reads_no_variable_unasked(folder, capsys, monkeypatch):
    monkeypatch.setenv("HARMLESS", "canary-42")
    (folder / "e.flow.yaml").write_text(
        "flow: 1\nname: e\nparams: {H: {env: HARMLESS}}\n"
        "nodes:\n  - {name: say, assign: {SAID: H}}\n"
    )
    assert run(["run", "e.flow.yaml"]) == 8
    shown = capsys.readouterr()
    assert "it reads the variables HARMLESS" in shown.err
    assert "canary-42" not in shown.out + shown.err


def test_the_command_that_grants_works_as_it_is_shown(folder, capsys):
    (folder / "n.flow.yaml").write_text(NETWORK)
    run(["trust", "n.flow.yaml"])
    shown = capsys.readouterr().err.rpartition("grant it: flowc ")[2].split()
    assert shown[-1] == "n.flow.yaml"
    assert run(shown) == 0


def test_answers_of_the_folder_approve_nothing_unasked(folder, capsys):
    (folder / "flowc.toml").write_text('answers = "a.yaml"\n')
    (folder / "a.yaml").write_text("approve: yes\n")
    (folder / "c.flow.yaml").write_text(
        "flow: 1\nname: c\nnodes: [{name: go, exec: echo ran, into: O}]\n"
    )
    assert run(["run", "c.flow.yaml"]) == 8
    assert "answers = a.yaml" in capsys.readouterr().err
    run(["trust", "--accept", digest(capsys)])
    assert run(["run", "c.flow.yaml"]) == 0
    (folder / "a.yaml").write_text("approve: yes\nelse: more\n")
    assert run(["run", "c.flow.yaml"]) == 8


def test_a_run_that_needs_nothing_asks_nothing(folder, capsys):
    (folder / "plain.flow.yaml").write_text(
        "flow: 1\nname: p\nnodes:\n  - {name: go, exec: 'true', into: O}\n"
    )
    assert run(["run", "plain.flow.yaml", "--allow-exec"]) == 0
    assert not imported(folder)


@pytest.mark.parametrize("mode", ["--json", "--jsonl"])
def test_a_refusal_is_an_object_for_programs(folder, capsys, mode):
    """As every other end of a run is: on stdout, with what is wanted and what to do."""
    assert run(["run", "t.flow.yaml", mode]) == 8
    shown = capsys.readouterr()
    told = json.loads(shown.out.splitlines()[-1] if mode == "--jsonl" else shown.out)
    assert (told["status"], told["error"]["kind"]) == ("refused", "trust")
    assert "is not trusted" in told["error"]["message"]
    assert "flowc trust ." in told["error"]["help"]
    assert any(line.startswith("imports stranger_") for line in told["wants"])
    assert "error:" not in shown.err
    assert run(["run", "t.flow.yaml", "--trust", told["digest"]]) == 0
