"""The page in a browser: from an empty service to a completed execution, without a reload. Two
processes answer in turn where there is PostgreSQL, on a store that is encrypted."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the extra `service` is not installed")
pytest.importorskip("playwright", reason="the extra `dev` is not installed")
from axe_playwright_python.sync_playwright import Axe
from flowc.runtime.db.encryption import VARIABLE
from playwright.sync_api import Page, expect, sync_playwright
from ports import free_port
from stores import SERVER, ask, fresh_store

from .conftest import contract, gate, step
from .served import InTurn
from .test_processes import Curl, serving

CHROMIUM = shutil.which("chromium")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")
PATIENCE = 120_000.0
"""Milliseconds."""


class Watched:
    """A page, with all that it complained of and every address that it asked."""

    def __init__(self, page: Page, base: str) -> None:
        self.page = page
        self.base = base
        self.faults: list[str] = []
        self.outside: list[str] = []
        self.loads = 0
        page.set_default_timeout(PATIENCE)
        page.on("console", lambda said: self.faults.append(f"{said.type}: {said.text}"))
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("request", lambda asked: self._asked(asked.url))
        page.on("load", lambda _: self._loaded())

    def _asked(self, url: str) -> None:
        if not url.startswith((self.base, "data:", "blob:")):
            self.outside.append(url)

    def _loaded(self) -> None:
        self.loads += 1

    def require_accessible(self) -> None:
        """Nothing that axe calls serious or critical."""
        found = Axe().run(self.page).response["violations"]
        serious = [
            (v["id"], v["help"], [n["target"] for n in v["nodes"]][:3])
            for v in found
            if v["impact"] in ("serious", "critical")
        ]
        assert serious == []


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """Where two services answer in turn, or one."""
    key = {VARIABLE: "k" * 43}
    if not SERVER:
        port = free_port()
        with serving(tmp_path, port, **key):
            yield f"http://127.0.0.1:{port}"
        return
    first, second = free_port(), free_port()
    with fresh_store("postgresql", tmp_path) as url:
        more = {**key, "FLOWC_STORE": url}
        with serving(tmp_path, first, **more), serving(tmp_path, second, "--no-execute", **more):
            way = InTurn(first, second)
            yield f"http://127.0.0.1:{way.port}"
            way.close()
        assert way.reached == {first, second}
        (body,) = ask(url, "select body from flowc.service_assignments limit 1")
        assert "gather" not in body[0]


@pytest.fixture
def watched(address: str) -> Iterator[Watched]:
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        try:
            yield Watched(browser.new_page(), address)
        finally:
            browser.close()


def chip(page: Page, word: str) -> None:
    expect(page.locator("#part-status .chip")).to_have_text(word, timeout=PATIENCE)


def created(watched: Watched) -> str:
    """A workflow and a team are created and started by hand; the execution's id."""
    page = watched.page
    page.goto(watched.base)
    watched.require_accessible()
    page.get_by_role("link", name="New workflow").first.click()
    steps = [step("gather"), step("write", "analyst", "gather")]
    source = contract(steps=steps, quality_gates=gate(0.5, "approval"))
    page.get_by_label("Text").fill(json.dumps(source, indent=1))
    watched.require_accessible()
    page.get_by_role("button", name="Create").click()
    page.get_by_role("link", name="New team").last.click()
    page.get_by_label("Name").fill("Hedge")
    watched.require_accessible()
    page.get_by_role("button", name="Create").click()
    page.get_by_role("link", name="Study").click()
    watched.require_accessible()
    page.get_by_role("button", name="Start").click()
    page.wait_for_url("**/executions/ex-*")
    return page.url.rpartition("/")[2]


def test_an_execution_is_watched_and_steered_without_a_reload(watched: Watched) -> None:
    page = watched.page
    id = created(watched)
    curl = Curl(int(watched.base.rpartition(":")[2]))
    expect(page.locator("#live-state")).to_have_text("live", timeout=PATIENCE)
    expect(page.locator(".node.is-waiting")).to_have_count(1, timeout=PATIENCE)
    loads = watched.loads
    _another_completes(watched, curl, id)
    _pause_and_resume(page)
    card = page.locator("#due-list li", has_text="Write")
    card.get_by_label("Output").fill("Blackthorn <b>first</b>")
    card.get_by_role("button", name="Hand in").click()
    page.get_by_label("yes").check(timeout=PATIENCE)
    page.get_by_role("button", name="Answer").click()
    chip(page, "completed")
    expect(page.locator(".node.is-done")).to_have_count(4, timeout=PATIENCE)
    expect(page.locator("#live-state")).to_have_text("it has ended", timeout=PATIENCE)
    page.locator('[data-node="1"]').focus()
    page.keyboard.press("Enter")
    expect(page.locator("#node")).to_contain_text("Blackthorn <b>first</b>", timeout=PATIENCE)
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        watched.require_accessible()
    assert watched.loads == loads
    assert (watched.faults, watched.outside) == ([], [])


def _another_completes(watched: Watched, curl: Curl, id: str) -> None:
    """Somebody else completes a step, while something is being typed here."""
    page = watched.page
    page.get_by_label("Why").fill("lunch, I think")
    completed: Any = {
        "assignment_id": curl.waits_for(id, "gather"),
        "completion_data": {"status": "completed", "output": "three sources"},
    }
    curl(f"/executions/{id}/completions", completed)
    expect(page.locator(".node.is-done")).to_have_count(1, timeout=PATIENCE)
    expect(page.locator("#log-rows")).to_contain_text("three sources", timeout=PATIENCE)
    expect(page.locator("#due-list h3")).to_have_text("Write", timeout=PATIENCE)
    expect(page.get_by_label("Why")).to_have_value("lunch, I think")
    watched.require_accessible()


def _pause_and_resume(page: Page) -> None:
    page.get_by_role("button", name="Pause").click()
    chip(page, "paused")
    expect(page.locator("#due-list li")).to_have_count(0, timeout=PATIENCE)
    assert page.locator("#outcome [name=resume_token]").input_value()
    page.get_by_role("button", name="Resume now").click()
    chip(page, "executing")
