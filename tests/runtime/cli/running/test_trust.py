"""`flowc trust`: without it a folder and its workflows grant nothing, whatever is run there."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

import pytest
from deep_folders import deep
from flowc.runtime.cli.app import run
from flowc.runtime.cli.show.consent import require_unchanged
from flowc.runtime.config import code_files
from flowc.runtime.config.code_files import OwnCode, digests_of
from flowc.runtime.config.settings import load_config, project_wants, user_file
from flowc.runtime.config.trust_record import record_file
from flowc.runtime.errors import RunError
from flowc.runtime.files.workflow_files import find_workflows, walk_files
from flowc.runtime.tools.python import import_function
from markupsafe import _speedups as markupsafe_speedups

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


def test_a_module_that_changes_before_its_import_is_not_imported(folder, capsys):
    assert run(["trust", "--accept", digest(capsys)]) == 0
    config = load_config(folder)
    module = next(folder.glob("stranger_*.py"))
    module.write_text(module.read_text() + "pass\n")
    with pytest.raises(RunError, match="is not what was granted any more"):
        import_function(config.python_tools[0], config.code)
    assert not imported(folder)


def test_a_library_that_changes_before_its_import_is_not_loaded(folder):
    source = Path(markupsafe_speedups.__file__)
    library = folder / source.name
    library.write_bytes(source.read_bytes())
    granted = digests_of([library], folder)
    with pytest.raises(RunError, match="is not what was granted any more"):
        import_function("_speedups:x", OwnCode(str(folder), {library.name: "0" * 64}))
    with pytest.raises(RunError, match="the module `_speedups` has no `x`"):
        import_function("_speedups:x", OwnCode(str(folder), granted))


def test_what_changes_while_a_person_is_asked_is_not_granted(folder):
    wants = project_wants(folder)
    require_unchanged([wants])
    module = next(folder.glob("stranger_*.py"))
    module.write_text(module.read_text() + "pass\n")
    with pytest.raises(RunError, match=f"{module.name} changed in"):
        require_unchanged([wants])


TOO_LARGE = "that is too much to trust it by its content"


def test_a_folder_too_large_to_be_looked_at_says_so_at_once(folder, capsys):
    """And whose it is may trust it all the same, unseen."""
    (folder / "unnamed.py").touch()
    os.truncate(folder / "unnamed.py", 1 << 40)
    for words in (["trust"], ["run", "t.flow.yaml"], ["tools", "list"], ["trust", "--lock"]):
        assert run(words) == 2, words
        shown = capsys.readouterr().err
        assert f"more than 1,073,741,824 bytes in files of code: {TOO_LARGE}" in shown
        assert "where the folder is yours, `flowc trust` trusts it" in shown
    assert not imported(folder)
    assert run(["trust", "--mine"]) == 0
    assert run(["run", "t.flow.yaml"]) == 0


def test_files_are_counted_before_they_are_read(folder):
    (folder / "deep").mkdir()
    for number in range(8):
        (folder / f"deep/n{number}.py").touch()
    assert len(list(code_files.importable_files(folder, 9, 12))) == 9
    with pytest.raises(RunError, match="more than 8 files that Python may import"):
        list(code_files.importable_files(folder, 8, 12))
    with pytest.raises(RunError, match="more than 11 files and folders"):
        list(code_files.importable_files(folder, 9, 11))


def test_a_folder_of_more_workflows_than_anybody_waits_for_says_so(tmp_path, capsys):
    for number in range(10_001):
        os.close(os.open(tmp_path / f"{number}.flow.yaml", os.O_CREAT | os.O_WRONLY))
    assert run(["test", str(tmp_path)]) == 2
    assert "holds more than 10,000 files that may be meant" in capsys.readouterr().err
    with pytest.raises(RunError, match="holds more than 9 workflows"):
        list(find_workflows(tmp_path, most=9))
    with pytest.raises(RunError, match="holds more than 9 files"):
        list(walk_files(tmp_path, (".yaml",), most=9))


def test_folders_in_folders_and_links_around_are_looked_at_once(folder, capsys):
    """A way of 1,200 folders, which each link back to the first one."""
    began = time.process_time()
    with deep(folder, 1200, folder):
        assert run(["run", "t.flow.yaml"]) == 8
        assert run(["trust", "--json"]) == 1
        assert run(["check", "."]) == 0
    assert time.process_time() - began < 10
    assert not imported(folder)


def test_a_lock_names_files_whose_names_are_no_text(folder, capsys):
    (folder / os.fsdecode(b"\xff.py")).touch()
    assert run(["trust", "--lock"]) == 0
    assert run(["run", "t.flow.yaml", "--trust", "flowc.trust.json"]) == 0
    assert imported(folder)


def test_functions_of_the_users_own_settings_are_not_looked_for_in_a_folder(folder, capsys):
    name = next(folder.glob("stranger_*.py")).stem
    settings = user_file()
    settings.parent.mkdir(parents=True)
    settings.write_text(SETTINGS.format(name=name))
    for own in ("", "[nodes]\npython = []\n", "[tools]\neffects = { x = 'pure' }\n"):
        (folder / "flowc.toml").write_text(own)
        assert run(["run", "t.flow.yaml"]) == 2
        assert "cannot be imported: ModuleNotFoundError" in capsys.readouterr().err
    assert not imported(folder)


LIMITS = """max_cost = 0.5
max_steps = 10
timeout = 60
sandbox = "strict"
on_unknown = "fail"
tools.effects = { pay = "once" }
prices = { "a:b" = { input = 5, output = 5 } }
"""
LOOSER = """max_cost = 1000
max_steps = 5
timeout = 9000.0
max_tokens = 7
sandbox = "auto"
on_unknown = "repeat"
tools.effects = { pay = "pure", look = "pure" }
prices = { "a:b" = { input = 0, output = 0 }, "a:*" = { input = 0, output = 0 } }
"""


def test_limits_of_ones_own_hold_in_a_strangers_folder(folder):
    user_file().parent.mkdir(parents=True)
    user_file().write_text(LIMITS)
    (folder / "flowc.toml").write_text(LOOSER)
    found = load_config(folder, {})
    assert (found.max_cost, found.max_steps, found.timeout, found.max_tokens) == ("0.5", 5, 60, 7)
    assert (found.sandbox, found.on_unknown) == ("strict", "fail")
    assert found.effects == {"pay": "once", "look": "pure"}
    assert {name: price.input for name, price in found.prices.items()} == {"a:b": 5}
    assert load_config(folder, {"FLOWC_MAX_COST": "3"}).max_cost == "3"
    assert run(["trust", "--mine"]) == 0
    whole = load_config(folder, {})
    assert (whole.max_cost, whole.sandbox, whole.on_unknown) == ("1000", "auto", "repeat")
    assert {price.input for price in whole.prices.values()} == {0}
