"""A run, or a store, that cannot be read: it is named, and stands in nobody's way."""

from __future__ import annotations

import io
import json
import os
import sqlite3
from contextlib import redirect_stderr

import pytest
from flowc.runtime.cli.app import run
from killing import in_process

FLOW = """flow: 1
nodes:
  - {name: q, ask: "Go on?", into: a}
outputs: [a]
"""
NOBODY = 65534


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.flow.yaml").write_text(FLOW)
    for name in ("r", "s"):
        assert run(["run", "a.flow.yaml", "--run-id", name, "--quiet"]) == 4
    return tmp_path


def test_a_damaged_run_keeps_no_other_one_in_the_store(folder, capsys):
    with sqlite3.connect(folder / ".flowc/runs.db") as db:
        db.execute("update runs set record = record || '?' where id = 'r'")
    capsys.readouterr()
    assert run(["gc", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    (why,) = told["unread"]
    assert why.startswith("the record of run r cannot be read")
    assert told["busy"] == []
    assert run(["gc"]) == 0
    assert "left alone: the record of run r cannot be read" in capsys.readouterr().err
    assert run(["runs", "prune", "--older-than", "0s", "--all"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == ["s", "r"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
@pytest.mark.parametrize("words", [["runs"], ["show", "r"], ["resume", "r", "--answer", "q=yes"]])
def test_a_store_in_somebody_else_s_folder_is_refused_in_words(folder, monkeypatch, words):
    (folder / "home").mkdir()
    os.chown(folder / "home", NOBODY, NOBODY)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder / "home"))
    os.chmod(folder, 0o755)
    for parent in folder.parents:
        os.chmod(parent, os.stat(parent).st_mode | 0o011)

    def as_nobody() -> list[object]:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
        with redirect_stderr(io.StringIO()) as said:
            return [run(words), said.getvalue()]

    code, said = in_process(as_nobody)
    assert code == 2, said
    assert ".flowc/runs.db cannot be opened: permission denied" in said
    assert "name a store of yours with --store" in said
