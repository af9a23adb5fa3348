"""In a browser: what a model is writing appears while it is written, as text, and goes when the
whole of it is there; without a word on the console."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="the extra `service` is not installed")
pytest.importorskip("playwright", reason="the extra `dev` is not installed")
from axe_playwright_python.sync_playwright import Axe
from flowc.runtime.service import Client
from openai_server import OpenAIServer, Say
from playwright.sync_api import expect, sync_playwright

from .conftest import contract, step, team
from .served import served

CHROMIUM = shutil.which("chromium")
PATIENCE = 120_000.0
"""Milliseconds."""
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")


def test_a_text_appears_as_it_is_written(tmp_path: Path) -> None:
    goes_on, said = threading.Event(), list[str]()
    with (
        OpenAIServer() as model,
        served(tmp_path, base_url=model.url) as service,
        Client(service.address) as client,
        sync_playwright() as playwright,
    ):
        model.answer = lambda _: Say("<b>one half</b>, and the other", goes_on=goes_on)
        made = client.create_workflow(contract(steps=[step("gather")]))
        team_id = client.create_team(team("researcher")).team_id
        id = client.execute_workflow(made.workflow_id, team_id).execution_id
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page()
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.goto(f"{service.address}/executions/{id}")
        writing = page.locator("#writing")
        expect(writing.locator("pre")).to_have_text("<b>one half</b>", timeout=PATIENCE)
        expect(writing.locator(".label")).to_have_text("gather")
        serious = [v["id"] for v in Axe().run(page).response["violations"]]
        goes_on.set()
        expect(writing).to_be_hidden(timeout=PATIENCE)
        browser.close()
    assert serious == []
    assert said == []
