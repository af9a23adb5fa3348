"""The pages of an execution in a browser: where the focus goes, and how the pages look to axe."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the extra `service` is not installed")
pytest.importorskip("playwright", reason="the extra `dev` is not installed")
import httpx
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect, sync_playwright

from .conftest import contract, step, team
from .served import served
from .test_page_browser import PATIENCE, chip

CHROMIUM = shutil.which("chromium")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")
ASKS = """\
flow: 1
name: order
params: {COUNT: {type: integer, default: 2}}
state: {WHY: text, LONG: text}
nodes:
  - {name: first, ask: "Why?", into: WHY}
  - {name: then, ask: "And then?", into: LONG}
"""


class Site:
    """A service with a browser before it."""

    def __init__(self, page: Page, base: str) -> None:
        self.page = page
        self.http = httpx.Client(base_url=f"{base}/v1", timeout=60)
        self.base = base
        page.set_default_timeout(PATIENCE)

    def post(self, path: str, body: Any) -> dict[str, Any]:
        answer = self.http.post(path, json=body)
        assert answer.status_code == 200, answer.text
        told: dict[str, Any] = answer.json()
        return told

    def begun(self, **fields: Any) -> str:
        """An execution of a contract in which people do everything; its page is open."""
        made = self.post("/workflows", contract(**fields))["workflow_id"]
        asked = {"workflow_id": made, "team_id": self.post("/teams", team())["team_id"]}
        return self.opened(self.post("/executions", asked)["execution_id"])

    def asking(self, source: str = ASKS) -> str:
        """The same of a text that asks questions."""
        body = {"file_name": "order.flow.yaml", "source": source}
        made = self.post("/workflows", body)["workflow_id"]
        return self.opened(self.post("/executions", {"workflow_id": made})["execution_id"])

    def opened(self, id: str) -> str:
        self.page.goto(f"{self.base}/executions/{id}")
        expect(self.page.locator("#live-state")).to_have_text("live", timeout=PATIENCE)
        return id

    def complete(self, id: str, **data: Any) -> None:
        """Somebody else hands in the step that waits."""
        (active,) = self.http.get(f"/executions/{id}").json()["active_steps"]
        done = {"status": "completed", "output": "three sources", **data}
        body = {"assignment_id": active["assignment_id"], "completion_data": done}
        self.post(f"/executions/{id}/completions", body)

    def focus(self) -> str:
        """What has the focus: its id, else its name or its words."""
        return str(
            self.page.evaluate(
                "(() => { const e = document.activeElement;"
                " return e.id || e.name || e.dataset.node || e.textContent.trim(); })()"
            )
        )

    def require_good(self) -> None:
        """Nothing that axe complains of, in both schemes; nothing wider than the screen."""
        for width in (1280, 390):
            self.page.set_viewport_size({"width": width, "height": 900})
            for scheme in ("dark", "light"):
                self.page.emulate_media(color_scheme=scheme)
                found = Axe().run(self.page).response["violations"]
                assert [(v["id"], [n["target"] for n in v["nodes"]][:3]) for v in found] == []
            wider = "document.documentElement.scrollWidth - window.innerWidth"
            assert self.page.evaluate(wider) <= 0


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with served(tmp_path) as service, sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        try:
            yield Site(browser.new_page(), service.address)
        finally:
            browser.close()


def press(site: Site, name: str) -> None:
    """As somebody without a mouse does it."""
    site.page.get_by_role("button", name=name, exact=True).focus()
    site.page.keyboard.press("Enter")


class TestFocus:
    def test_after_each_button_it_is_where_the_answer_stands(self, site: Site) -> None:
        page = site.page
        id = site.begun(steps=[step("gather"), step("write", "analyst", "gather")])
        press(site, "Pause")
        chip(page, "paused")
        expect(page.locator("#outcome")).to_be_focused(timeout=PATIENCE)
        press(site, "The token is lost: make another one")
        expect(page.locator("#outcome")).to_contain_text("A new token", timeout=PATIENCE)
        expect(page.locator("#outcome")).to_be_focused(timeout=PATIENCE)
        press(site, "Resume now")
        chip(page, "executing")
        expect(page.locator("#outcome")).to_be_focused(timeout=PATIENCE)
        page.get_by_label("Output").fill("three")
        press(site, "Hand in")
        expect(page.locator("#due-list h3")).to_have_text("Write", timeout=PATIENCE)
        expect(page.locator("#outcome")).to_be_focused(timeout=PATIENCE)
        site.complete(id, status="failed")
        chip(page, "failed")
        press(site, "Begin the failed step again")
        chip(page, "executing")
        expect(page.locator("#outcome")).to_be_focused(timeout=PATIENCE)
        page.locator("summary", has_text="Cancel for good").click()
        press(site, "Cancel the execution")
        chip(page, "cancelled")
        expect(page.locator("#outcome")).to_be_focused(timeout=PATIENCE)

    def test_after_an_answer_too(self, site: Site) -> None:
        page = site.page
        site.asking()
        page.get_by_label("Answer").fill("so")
        press(site, "Answer")
        expect(page.locator("#due-list h3")).to_have_text("then", timeout=PATIENCE)
        expect(page.locator("#outcome")).to_be_focused(timeout=PATIENCE)
        assert page.get_by_label("Answer").input_value() == "", "what was typed was for another one"

    def test_after_a_refusal_it_stays_and_so_does_the_text(self, site: Site) -> None:
        page = site.page
        site.begun()
        press(site, "Pause")
        chip(page, "paused")
        page.locator("#part-controls").get_by_label("Resume token").fill("wrong")
        press(site, "Resume")
        expect(page.locator("#outcome")).to_contain_text("not the token", timeout=PATIENCE)
        expect(page.locator("#part-controls").get_by_role("button", name="Resume")).to_be_focused(
            timeout=PATIENCE
        )
        token = page.locator("#part-controls").get_by_label("Resume token")
        assert token.input_value() == "wrong"

    @pytest.mark.parametrize(
        "place", ['#part-path a >> text="Write"', '.gantt a >> text="Gather"', '[data-node="1"]']
    )
    def test_it_stays_while_the_page_changes(self, site: Site, place: str) -> None:
        page = site.page
        id = site.begun(steps=[step("gather"), step("write", "analyst", "gather")])
        page.locator(place).first.focus()
        before = site.focus()
        site.complete(id)
        expect(page.locator(".node.is-done")).to_have_count(1, timeout=PATIENCE)
        expect(page.locator("#part-timeline .wait")).to_have_count(2, timeout=PATIENCE)
        assert site.focus() == before
        assert page.evaluate("document.activeElement.isConnected")

    def test_what_was_typed_into_a_part_that_changes_stays(self, site: Site) -> None:
        page = site.page
        id = site.begun(steps=[step("gather", estimated_duration=0)])
        page.get_by_label("Output").fill("half a sen")
        page.keyboard.press("ArrowLeft")
        site.post(f"/executions/{id}/pause", {"pause_type": "graceful", "pause_reason": "lunch"})
        chip(page, "paused")
        page.locator("#part-controls").get_by_label("Resume token").fill("abc")
        page.evaluate(
            "() => { const old = document.getElementById('part-controls');"
            " old.dataset.digest = 'another'; }"
        )
        page.evaluate("htmx.ajax('GET', location.pathname + '/live?after=0', {swap: 'none'})")
        fresh = page.locator('#part-controls:not([data-digest="another"])')
        expect(fresh).to_have_count(1, timeout=PATIENCE)
        expect(fresh.get_by_label("Resume token")).to_have_value("abc", timeout=PATIENCE)
        expect(fresh.get_by_label("Resume token")).to_be_focused(timeout=PATIENCE)


class TestLooks:
    def test_of_a_timeline(self, site: Site) -> None:
        steps = [step("gather"), step("write", "analyst", "gather")]
        id = site.begun(steps=steps)
        site.require_good()
        site.complete(id)
        site.complete(id, status="failed")
        chip(site.page, "failed")
        site.require_good()
        ways = site.page.locator(".ways h3").all_text_contents()
        assert ways == [
            "Begin Write again",
            "Go on from an earlier step",
            "Begin the workflow anew",
        ]

    def test_of_three_hundred_steps(self, site: Site) -> None:
        names = [f"  - {{name: n{n}, assign: {{COUNT: '{n}'}}}}\n" for n in range(300)]
        site.asking(ASKS[: ASKS.index("  - ")] + "".join(names) + ASKS[ASKS.index("  - ") :])
        expect(site.page.locator(".gantt tbody tr")).to_have_count(301, timeout=PATIENCE)
        site.require_good()
        box = site.page.locator(".gantt").bounding_box()
        assert box is not None
        assert box["height"] <= 530
        site.page.locator(".gantt tbody a").nth(250).click()
        expect(site.page.locator("#node")).to_contain_text("n250", timeout=PATIENCE)

    def test_of_a_checkpoint_and_the_branch_from_it(self, site: Site) -> None:
        page = site.page
        id = site.asking()
        page.get_by_role("link", name="checkpoints").click()
        site.require_good()
        page.locator(".variable", has_text="COUNT").get_by_text("Another value", exact=True).click()
        page.get_by_label("Another value of COUNT").fill("many")
        page.get_by_role("button", name="Begin a new execution here").click()
        expect(page.get_by_role("alert")).to_contain_text("this must be a whole number")
        expect(page.get_by_label("Another value of COUNT")).to_be_focused()
        assert page.get_by_label("Another value of COUNT").input_value() == "many"
        site.require_good()
        page.get_by_label("Another value of COUNT").fill("7")
        page.get_by_role("button", name="Begin a new execution here").click()
        page.wait_for_url("**/executions/ex-*")
        assert not page.url.endswith(id)
        expect(page.locator("#due-list h3")).to_have_text("first", timeout=PATIENCE)
        expect(page.get_by_role("link", name=id)).to_have_count(1)
        page.get_by_role("link", name="checkpoints").click()
        expect(page.locator(".variable", has_text="COUNT").locator("pre").first).to_have_text("7")
