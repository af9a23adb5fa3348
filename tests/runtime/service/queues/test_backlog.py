"""`flowc jobs`: what a person sees of the queue, and does about it."""

from __future__ import annotations

import contextlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the extra `service` is not installed")
from fleet import until
from flowc.runtime.cli.app import run as flowc
from flowc.runtime.engine.engine import Engine
from flowc.runtime.errors import RunError
from flowc.runtime.services import Outcome
from stores import KINDS

from ..conftest import Opening, engine_as


class Faulty(Engine):
    """Whose surroundings lack something."""

    async def start(self, *args: Any, **named: Any) -> Outcome:
        raise RunError("the model has no key", help="set OPENAI_API_KEY")


def entries(capsys: pytest.CaptureFixture[str], store: str) -> list[dict[str, str]]:
    capsys.readouterr()
    assert flowc(["jobs", "list", "--json", "--store", store]) == 0
    listed: list[dict[str, str]] = json.loads(capsys.readouterr().out)["jobs"]
    return listed


@pytest.mark.parametrize("kind", KINDS)
def test_what_failed_is_listed_with_its_reason_and_tried_again(
    store: str, opening: Opening, capsys: pytest.CaptureFixture[str]
) -> None:
    with opening(around=lambda e: replace(e, engine=engine_as(e.engine, Faulty))) as desk:
        id = desk.execution()
        until(lambda: desk.status(id)["workflow_status"] == "failed")
    why = {
        "execution": id,
        "state": "failed",
        "detail": "the model has no key (set OPENAI_API_KEY)",
    }
    assert entries(capsys, store) == [why]
    assert flowc(["jobs", "retry", id, "--store", store]) == 0
    assert [(one["execution"], one["state"]) for one in entries(capsys, store)] == [
        (id, "waits"),
        (id, "failed"),
    ]
    with opening() as desk:
        until(lambda: desk.status(id)["workflow_status"] == "executing")
        assert entries(capsys, store) == []
        assert flowc(["jobs", "retry", id, "--store", store]) == 2
        assert "has not failed" in capsys.readouterr().err
        assert flowc(["jobs", "cancel", id, "--reason", "late", "--store", store]) == 0
        until(lambda: desk.status(id)["workflow_status"] == "cancelled")
        assert flowc(["jobs", "cancel", id, "--store", store]) == 2
        assert flowc(["jobs", "cancel", "ex-none", "--store", store]) == 2
        assert "there is no execution `ex-none`" in capsys.readouterr().err


@pytest.mark.parametrize("words", [("list",), ("retry", "ex-none"), ("cancel", "ex-none")])
def test_no_store_is_made_where_there_is_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    with contextlib.chdir(tmp_path):
        assert flowc(["jobs", *words]) == 2
        assert flowc(["jobs", *words, "--store", "sqlite:///no/such.db"]) == 2
    assert capsys.readouterr().err.count("there are no runs here") == 2
    assert list(tmp_path.iterdir()) == []
