"""Whose a run is: its options count when the user's own key signed them, or they are said again."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from flowc.runtime.cli.app import run
from flowc.runtime.store.own_runs import key_file

ASKS = """\
flow: 1
name: asks
outputs: [SAID]
state: {WHO: text}
nodes:
  - {name: who, ask: "Who?", into: WHO}
  - {name: go, exec: "touch ran; echo hello", into: SAID}
"""
PLAIN = """\
flow: 1
name: plain
outputs: [SAID]
state: {WHO: text}
nodes:
  - {name: who, ask: "Who?", into: WHO}
  - {name: say, assign: {SAID: "WHO"}}
"""
RESUME = ["resume", "r", "--answer", "who=Ana"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that nobody trusts, with a run that waits and may run commands where it is."""
    be(monkeypatch, tmp_path / "one")
    place = tmp_path / "project"
    place.mkdir()
    monkeypatch.chdir(place)
    (place / "a.flow.yaml").write_text(ASKS)
    words = ["--run-id", "r", "--allow-exec", "--workspace", ".", "--root", "."]
    assert run(["run", "a.flow.yaml", *words]) == 4
    return place


def be(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    """Be the user whose configuration lies there."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home))


def test_a_run_of_ones_own_goes_on_with_what_it_was_given(folder):
    assert run(RESUME) == 0
    assert (folder / "ran").exists()


def test_the_key_is_private_and_lies_in_no_store(folder):
    assert key_file().stat().st_mode & 0o777 == 0o600
    key = key_file().read_bytes()
    assert len(key) == 32
    kept = b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())
    assert key not in kept
    assert key.hex().encode() not in kept


def test_a_run_of_somebody_else_is_refused_with_what_it_wants(
    folder, tmp_path, monkeypatch, capsys
):
    be(monkeypatch, tmp_path / "two")
    assert run(RESUME) == 8
    shown = capsys.readouterr().err
    for wanted in (
        "run r was not started by you here",
        "+ runs commands without asking",
        f"+ lets commands write in {folder}",
        f"+ lets files be read and written in {folder}",
        "help: say the flags again",
    ):
        assert wanted in shown
    assert not (folder / "ran").exists()


@pytest.mark.parametrize(
    ("again", "left"),
    [
        (["--allow-exec"], "lets commands write in"),
        (["--allow-exec", "--workspace", "."], "lets files be read and written"),
        (["--workspace", ".", "--root", "."], "runs commands without asking"),
    ],
)
def test_flags_said_again_are_the_persons_own(folder, tmp_path, monkeypatch, capsys, again, left):
    be(monkeypatch, tmp_path / "two")
    assert run([*RESUME, *again]) == 8
    assert left in capsys.readouterr().err
    assert run([*RESUME, "--allow-exec", "--workspace", ".", "--root", "."]) == 0


def test_its_digest_grants_it_once(folder, tmp_path, monkeypatch, capsys):
    be(monkeypatch, tmp_path / "two")
    run(RESUME)
    digest = capsys.readouterr().err.split()[-1]
    assert run([*RESUME, "--trust", "0" * 64]) == 8
    assert run([*RESUME, "--trust", digest]) == 0


def test_options_that_were_changed_in_the_store_are_a_strangers(folder, capsys):
    from flowc.runtime.db.digests import with_digest, without_digest

    with sqlite3.connect(".flowc/runs.db") as store:
        [(text,)] = store.execute("select record from runs").fetchall()
        record = json.loads(without_digest(text))
        record["options"]["network"] = True
        store.execute("update runs set record = ?", (with_digest(json.dumps(record)),))
    assert run(RESUME) == 8
    assert "+ lets commands use the network" in capsys.readouterr().err


def test_a_signature_is_that_of_one_run(folder, capsys):
    """Copied to another run it says nothing."""
    from flowc.runtime.db.digests import with_digest, without_digest

    (folder / "a.flow.yaml").write_text(ASKS)
    assert run(["run", "a.flow.yaml", "--run-id", "s"]) == 4
    with sqlite3.connect(".flowc/runs.db") as store:
        rows = dict(store.execute("select id, record from runs").fetchall())
        mine, other = (json.loads(without_digest(rows[id])) for id in ("r", "s"))
        other |= {name: mine[name] for name in ("options", "signature")}
        text = with_digest(json.dumps(other))
        store.execute("update runs set record = ? where id = 's'", (text,))
    assert run(["resume", "s", "--answer", "who=Ana"]) == 8
    assert "run s was not started by you here" in capsys.readouterr().err


def test_a_fork_of_a_strangers_run_is_a_strangers(folder, tmp_path, monkeypatch):
    be(monkeypatch, tmp_path / "two")
    assert run(["fork", "r", "--at", "who", "--run-id", "f"]) == 0
    assert run(["resume", "f"]) == 8
    assert not (folder / "ran").exists()


def test_approvals_of_somebody_else_do_not_count(tmp_path, monkeypatch, capsys):
    """A run without any flag: that its commands were approved is in its checkpoints."""
    be(monkeypatch, tmp_path / "one")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.flow.yaml").write_text(ASKS)
    assert run(["run", "a.flow.yaml", "--run-id", "r"]) == 4
    assert run(RESUME) == 4
    be(monkeypatch, tmp_path / "two")
    assert run(["resume", "r", "--answer", "go=yes"]) == 8
    assert "that somebody else approved" in capsys.readouterr().err


def test_a_strangers_run_that_grants_nothing_goes_on(tmp_path, monkeypatch):
    be(monkeypatch, tmp_path / "one")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.flow.yaml").write_text(PLAIN)
    assert run(["run", "a.flow.yaml", "--run-id", "r"]) == 4
    be(monkeypatch, tmp_path / "two")
    assert run(RESUME) == 0


def test_a_copied_project_of_the_same_user_goes_on(folder, tmp_path, monkeypatch):
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    monkeypatch.chdir(copy)
    assert run(RESUME) == 0
    assert (copy / "ran").exists()
    assert not (folder / "ran").exists()


def test_where_no_key_can_be_kept_the_flags_are_said_again(tmp_path, monkeypatch, capsys):
    """A container without a home folder: the same process knows its runs, another one asks."""
    home = tmp_path / "file"
    home.write_text("")
    be(monkeypatch, home)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.flow.yaml").write_text(ASKS)
    words = ["--run-id", "r", "--allow-exec"]
    assert run(["run", "a.flow.yaml", *words]) == 4
    assert run(RESUME) == 8
    assert "say the flags again" in capsys.readouterr().err
    assert run([*RESUME, "--allow-exec"]) == 0


def test_an_encrypted_store_is_known_by_its_own_key(tmp_path, monkeypatch):
    pytest.importorskip("cryptography", reason="the extra `encryption` is not installed")
    monkeypatch.setenv("FLOWC_STORE_KEY", "ab" * 32)
    be(monkeypatch, tmp_path / "one")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.flow.yaml").write_text(ASKS)
    assert run(["run", "a.flow.yaml", "--run-id", "r", "--allow-exec"]) == 4
    be(monkeypatch, tmp_path / "two")
    assert run(RESUME) == 0


def test_a_key_that_others_can_read_is_none(folder, capsys):
    key_file().chmod(0o644)
    assert run(RESUME) == 8
    assert "not started by you" in capsys.readouterr().err


def test_pruning_a_strangers_run_removes_no_folder_that_it_names(
    folder, tmp_path, monkeypatch, capsys
):
    theirs = folder / ".flowc/own/r"
    theirs.mkdir(parents=True, exist_ok=True)
    be(monkeypatch, tmp_path / "two")
    assert run(["runs", "prune", "--status", "paused", "--all"]) == 0
    assert theirs.exists()


def test_processes_that_begin_together_have_one_key(tmp_path):
    code = "from flowc.runtime.store.own_runs import own_signer; print(own_signer(None).sign(b''))"
    env = {**os.environ, "XDG_CONFIG_HOME": str(tmp_path)}
    begun = [
        subprocess.Popen([sys.executable, "-c", code], env=env, stdout=subprocess.PIPE)
        for _ in range(4)
    ]
    assert len({process.communicate()[0] for process in begun}) == 1


def test_a_program_is_refused_too(folder, tmp_path, monkeypatch):
    import flowc
    from flowc.runtime.errors import RunError

    be(monkeypatch, tmp_path / "two")
    flow = flowc.load("a.flow.yaml")
    with pytest.raises(RunError, match="not started by you here"):
        flow.resume("r", "Ana")
    assert not (folder / "ran").exists()
    mine = flowc.load("a.flow.yaml", permissions=flowc.Permissions(trust=True))
    assert mine.resume("r", "Ana").status == "success"


@pytest.mark.parametrize(
    ("home", "refusal"),
    [
        ("two", "not started by you here"),
        ("one", "more than a client may have: .*runs commands without asking"),
    ],
)
def test_a_client_of_the_mcp_server_is_refused_too(
    folder, tmp_path, monkeypatch, wait, home, refusal
):
    """What a person gave their own run does not pass to a client either."""
    from flowc.runtime.config.settings import load_config
    from flowc.runtime.engine.engine import open_engine
    from flowc.runtime.errors import RunError
    from flowc.runtime.mcp.runs import Runs

    be(monkeypatch, tmp_path / home)

    async def go() -> None:
        async with open_engine("sqlite:///.flowc/runs.db") as engine:
            (question,) = (await engine.state("r")).questions
            runs = Runs(engine, load_config(folder), folder, lambda: "x")

            async def tell(done: int, node: str) -> None: ...

            await runs.resume("r", {question.id: "Ana"}, tell)

    with pytest.raises(RunError, match=refusal):
        wait(go())
    assert not (folder / "ran").exists()


def test_a_client_goes_on_with_a_run_that_has_no_more_than_its_own(tmp_path, monkeypatch, wait):
    from flowc.runtime.config.settings import load_config
    from flowc.runtime.engine.engine import open_engine
    from flowc.runtime.mcp.runs import Runs

    be(monkeypatch, tmp_path / "one")
    monkeypatch.chdir(tmp_path)
    Path("p.flow.yaml").write_text(PLAIN)
    assert run(["run", "p.flow.yaml", "--run-id", "r", "--root", "."]) == 4

    async def go() -> object:
        async with open_engine("sqlite:///.flowc/runs.db") as engine:
            (question,) = (await engine.state("r")).questions
            runs = Runs(engine, load_config(tmp_path), tmp_path, lambda: "x")

            async def tell(done: int, node: str) -> None: ...

            return (await runs.resume("r", {question.id: "Ana"}, tell))["status"]

    assert wait(go()) == "success"


def test_a_node_of_it_is_tried_with_nothing_of_what_it_grants(
    folder, tmp_path, monkeypatch, capsys
):
    assert run(RESUME) == 0
    (folder / "ran").unlink()
    be(monkeypatch, tmp_path / "two")
    assert run(["step", "go", "--from", "r", "--allow-exec"]) == 8
    assert "+ lets commands write in" in capsys.readouterr().err
    assert run(["step", "go", "--from", "r", "--replay", "run"]) == 0
    assert not (folder / "ran").exists()
