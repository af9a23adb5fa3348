"""The store that a service obeys: one that the user made, or names, and none of a folder's."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest
from flowc.runtime.cli.app import run as flowc

STORE = Path(".flowc/runs.db")
COMMANDS = (["serve", "--host", "192.0.2.1"], ["worker"], ["token", "create", "ana"])
"""The address is of no machine: what gets as far as listening ends there."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a store in which somebody else has made a token."""
    monkeypatch.delenv("FLOWC_STORE", raising=False)
    monkeypatch.chdir(tmp_path)
    be(monkeypatch, "somebody")
    assert flowc(["token", "create", "theirs"]) == 0
    be(monkeypatch, "me")
    return tmp_path


def be(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", os.path.abspath(f"homes/{name}"))


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
def test_a_planted_store_is_not_obeyed(folder, capsys, words):
    assert flowc(words) == 2
    said = capsys.readouterr().err
    assert "was not made by you here, and a service would obey the tokens in it" in said
    assert "--store sqlite:///" in said


def test_who_made_it_goes_on_and_whoever_names_it(folder, monkeypatch, capsys):
    words = ["token", "create", "more"]
    assert flowc([*words, "--store", f"sqlite:///{STORE}"]) == 0
    monkeypatch.setenv("FLOWC_STORE", f"sqlite:///{STORE}")
    assert flowc(words) == 0
    monkeypatch.delenv("FLOWC_STORE")
    assert flowc(words) == 2
    be(monkeypatch, "somebody")
    assert flowc(words) == 0


def test_a_folder_s_own_settings_do_not_name_it(folder, capsys):
    (folder / "theirs.db").write_bytes((folder / STORE).read_bytes())
    (folder / "flowc.toml").write_text('store = "sqlite:///theirs.db"\n')
    assert flowc(["token", "list"]) == 2
    assert "theirs.db was not made by you" in capsys.readouterr().err


def test_a_folder_of_ones_own_may_hold_what_it_holds(folder):
    assert flowc(["trust", "--mine"]) == 0
    assert flowc(["token", "list"]) == 0


@pytest.mark.parametrize(
    "table",
    [
        "service_executions",
        "service_jobs",
        "service_sessions",
        "service_states",
        "service_token_agents",
    ],
)
def test_everything_that_a_service_takes_as_it_is_counts(folder, monkeypatch, table):
    with sqlite3.connect(STORE) as db:
        db.execute("delete from service_tokens")
        db.execute(f"drop table if exists {table}")
        db.execute(f"create table {table} (id text)")
        db.execute(f"insert into {table} values ('x')")
    db.close()
    assert flowc(["token", "list"]) == 2


def test_runs_alone_are_nothing_that_a_service_obeys(folder):
    with sqlite3.connect(STORE) as db:
        db.execute("delete from service_tokens")
    db.close()
    assert flowc(["token", "list"]) == 0  # and it is signed
    assert flowc(["token", "create", "ana"]) == 0
    assert flowc(["token", "list"]) == 0


@pytest.mark.parametrize(
    "program",
    [
        "create trigger t after insert on runs begin delete from runs; end",
        "create view service_tokens_of_all as select 1 as x",
    ],
)
def test_a_store_with_a_program_in_it_is_refused(folder, capsys, program):
    with sqlite3.connect(STORE) as db:
        db.execute(program)
    db.close()
    before = (folder / STORE).read_bytes()
    assert flowc(["runs"]) == 2
    assert f"holds the {program.split()[1]} `{program.split()[2]}`" in capsys.readouterr().err
    assert (folder / STORE).read_bytes() == before
