"""The page without a browser: nothing leaves its place, nobody acts for others, streams go on."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from flowc.runtime.config.settings import Config
from flowc.runtime.events import RunEvent
from flowc.runtime.service.api.sessions import COOKIE
from flowc.runtime.service.api.streams import Streams, event_messages
from flowc.runtime.service.lifecycle import open_service
from flowc.runtime.service.operations.executions import open_executing
from flowc.runtime.service.page.visit import HTMX_DIGEST, asset
from flowc.runtime.service.records.access import Caller
from flowc.runtime.service.records.errors import ServiceFault
from flowc.runtime.store.runs import RunRecord, open_store
from stores import KINDS

from .conftest import Desk, Opening, contract, gate, step
from .test_access import bearer, token

NASTY = """</script><script>alert("1")</script>'"`<img src=x onerror=y>{{ 7*7 }}\u2028"""
VOID = {"meta", "link", "input", "br", "circle", "path", "rect"}


class Tags(HTMLParser):
    """Every start tag with its attributes, and what is open at the end."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def page(desk: Desk, path: str, status: int = 200, **headers: str) -> str:
    answer = desk.client.get(path, headers={"Accept": "text/html", **headers})
    assert answer.status_code == status, answer.text
    tags = Tags(answer.text)
    assert tags.open == []
    assert not any(name.startswith("on") for _, attrs in tags.found for name in attrs)
    return answer.text


def hidden(text: str, name: str) -> str:
    found = re.search(rf'name="{name}" value="([^"]*)"', text)
    assert found is not None
    return found[1]


def send(desk: Desk, of: str, path: str, status: int = 303, **fields: str) -> Any:
    """Send a form with what a page of ours puts into it."""
    text = page(desk, of)
    given = {"sign": hidden(text, "sign"), "once": hidden(text, "once"), **fields}
    answer = desk.client.post(path, data=given, follow_redirects=False)
    assert answer.status_code == status, answer.text
    return answer


def sign_in(desk: Desk, value: str) -> None:
    desk.client.cookies.clear()
    send(desk, "/sign-in", "/sign-in", token=value)


def test_the_library_is_the_one_that_was_released() -> None:
    assert hashlib.sha256(asset("htmx.min.js")).hexdigest() == HTMX_DIGEST


class TestEscaping:
    def test_what_people_and_files_say_stays_text(self, desk: Desk) -> None:
        steps = [step("gather", step_name=NASTY, success_criteria=NASTY)]
        made = {"workflow_name": NASTY, "description": NASTY, "steps": steps}
        id = desk.execution(**made, quality_gates=gate(0.5, "approval"))
        desk.complete(id, "gather", output=NASTY)
        workflow = desk.get("/workflows")["workflows"][0]["workflow_id"]
        for path in ("/", f"/workflows/{workflow}", f"/executions/{id}?node=0"):
            text = page(desk, path)
            scripts = [attrs for tag, attrs in Tags(text).found if tag == "script"]
            assert all(str(attrs.get("src")).startswith("/static/") for attrs in scripts)
            assert "<img" not in text
            assert "{{ 7*7 }}" in text

    def test_a_text_with_faults_comes_back_with_their_lines(self, desk: Desk) -> None:
        text = f'{{\n"workflow_name": "w",\n"steps": "{NASTY[:9]}"\n}}'
        answer = send(desk, "/workflows/new", "/workflows", 422, source=text)
        assert "line 3" in answer.text
        assert 'id="line-3"' in answer.text
        assert "&lt;/script&gt;" in answer.text

    def test_the_policy_allows_nothing_but_our_own_files(self, desk: Desk) -> None:
        answer = desk.client.get("/")
        policy = answer.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "style=" not in answer.text
        assert answer.headers["X-Content-Type-Options"] == "nosniff"


class TestForms:
    def test_a_form_that_is_not_ours_does_nothing(self, desk: Desk) -> None:
        text = page(desk, "/workflows/new")
        for sign in ("", "0" * 64, hidden(text, "sign")[:-1] + "x", "§"):
            answer = desk.client.post("/workflows", data={"sign": sign, "source": "{}"})
            assert answer.status_code == 403
        assert desk.get("/workflows")["workflows"] == []

    def test_another_site_cannot_send_anything(self, desk: Desk) -> None:
        for headers in ({"Origin": "https://else.where"}, {"Sec-Fetch-Site": "cross-site"}):
            answer = desk.client.post("/v1/workflows", json=contract(), headers=headers)
            assert answer.status_code == 403
        desk.post("/workflows", contract(), **{"Sec-Fetch-Site": "same-origin"})

    def test_a_form_that_is_sent_twice_is_done_once(self, desk: Desk) -> None:
        id = desk.workflow()
        team, _ = desk.team()
        text = page(desk, f"/workflows/{id}")
        given = {"sign": hidden(text, "sign"), "once": hidden(text, "once"), "team_id": team}
        path = f"/workflows/{id}/executions"
        places = [
            desk.client.post(path, data=given, follow_redirects=False).headers["location"]
            for _ in range(2)
        ]
        assert places[0] == places[1]
        assert len(desk.get("/executions")["executions"]) == 1

    def test_a_position_that_is_none_counts_as_the_beginning(self, desk: Desk) -> None:
        id = desk.execution()
        for after in ("x", "-1", "²", "9" * 5000):
            text = page(desk, f"/executions/{id}")
            given = {"sign": hidden(text, "sign"), "once": hidden(text, "once"), "after": after}
            given |= {"assignment_id": desk.active(id)["gather"], "status": "partial"}
            path = f"/executions/{id}/completions"
            answer = desk.client.post(path, data=given, headers={"HX-Request": "true"})
            assert answer.status_code == 200, answer.text
            assert "Kept." in answer.text

    def test_everything_goes_without_a_script(self, desk: Desk) -> None:
        """Create, start, complete, answer, pause, resume: by forms alone."""
        source = json.dumps(contract(steps=[step("gather")], quality_gates=gate(0.5, "approval")))
        place = send(desk, "/workflows/new", "/workflows", source=source).headers["location"]
        roles = {"role_1": "researcher", "role_2": "analyst", "team_name": "T"}
        kinds = {"type_1": "person", "type_2": "person", "team_type": "research"}
        send(desk, "/teams/new", "/teams", **roles, **kinds)
        team = desk.get("/teams")["teams"][0]["team_id"]
        there = send(desk, place, f"{place}/executions", team_id=team).headers["location"]
        answer = send(desk, there, f"{there}/pause", 200, pause_reason="lunch")
        found = re.search(r'name="resume_token" value="([^"]+)" readonly', answer.text)
        assert found is not None
        assert found[1] not in page(desk, there), "the token is shown once"
        send(desk, there, f"{there}/resume", 403, resume_token="wrong")
        send(desk, there, f"{there}/resume", 200, resume_token=found[1])
        assignment = hidden(page(desk, there), "assignment_id")
        done = {"assignment_id": assignment, "output": "hedges", "quality_self_assessment": "0.9"}
        send(desk, there, f"{there}/completions", 200, **done)
        send(desk, there, f"{there}/answers", 200, question_id="good", answer="yes")
        assert "completed" in page(desk, there)


@pytest.mark.parametrize("kind", KINDS)
class TestWhatNoIdIs:
    """PostgreSQL keeps no text with a NUL, in whatever store it is."""

    @pytest.mark.parametrize(
        "path",
        ["/executions/a%00b", "/workflows/a%00b", "/?after=%00", "/v1/executions/a%00b/events"],
    )
    def test_a_path_is_refused(self, desk: Desk, path: str) -> None:
        assert desk.client.get(path).status_code == 422

    def test_a_form_is_sent_once_whatever_it_holds(self, desk: Desk) -> None:
        given = {"source": json.dumps(contract()), "once": "\0" + "x" * 5000}
        given |= {"sign": hidden(page(desk, "/workflows/new"), "sign")}
        for _ in range(2):
            desk.client.post("/workflows", data=given, follow_redirects=False)
        assert len(desk.get("/workflows")["workflows"]) == 1


class TestVisitors:
    def test_who_has_not_signed_in_sees_nothing(self, desk: Desk) -> None:
        id = desk.execution()
        token(desk, "read")
        for path in ("/", f"/executions/{id}", f"/executions/{id}/live"):
            answer = desk.client.get(path, follow_redirects=False)
            assert (answer.status_code, answer.text) == (303, "")
        assert desk.client.get(f"/v1/executions/{id}/events").status_code == 401

    def test_a_token_is_exchanged_for_a_cookie_that_scripts_cannot_read(self, desk: Desk) -> None:
        value = token(desk, "read")
        send(desk, "/sign-in", "/sign-in", 401, token="flowc_wrong")
        cookie = send(desk, "/sign-in", "/sign-in", token=value).headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "samesite=strict" in cookie.lower()
        assert value not in cookie
        assert "Executions" in page(desk, "/")
        answer = desk.client.get("/workflows/new")
        assert answer.status_code == 403, "this token only reads"
        send(desk, "/", "/sign-out")
        assert desk.client.get("/", follow_redirects=False).status_code == 303

    def test_a_session_ends_with_its_token_and_by_itself(self, desk: Desk) -> None:
        sign_in(desk, token(desk, "operate"))
        page(desk, "/")
        desk.clock.forward(hours=13)
        assert desk.client.get("/", follow_redirects=False).status_code == 303
        sign_in(desk, token(desk, "operate", days=0.1))
        page(desk, "/")
        desk.clock.forward(hours=3)
        assert desk.client.get("/", follow_redirects=False).status_code == 303

    def test_the_place_behind_signing_in_is_ours(self, desk: Desk) -> None:
        value = token(desk, "read")
        for place in ("//else.where", "https://else.where", "/\\else.where"):
            answer = send(desk, "/sign-in", "/sign-in", token=value, next=place)
            assert answer.headers["location"] == "/"
            desk.client.cookies.clear()

    def test_the_place_behind_signing_in_stays_in_its_header(self, desk: Desk) -> None:
        """Also where the script goes there, which is told the place in a header of its own."""
        value = token(desk, "read")
        for place, there in (("/a\r\nX: y", "/a%0D%0AX:%20y"), ("/ж?a=b", "/%D0%B6?a=b")):
            text = page(desk, "/sign-in")
            given = {"sign": hidden(text, "sign"), "token": value, "next": place}
            answer = desk.client.post("/sign-in", data=given, headers={"HX-Request": "true"})
            assert (answer.status_code, answer.headers["HX-Redirect"]) == (204, there)
            desk.client.cookies.clear()

    def test_a_team_sees_its_own_executions_only(self, desk: Desk) -> None:
        ours, theirs = token(desk, "operate", "a"), token(desk, "operate", "b")
        workflow = desk.post("/workflows", contract(), **bearer(ours))["workflow_id"]
        body = {"team_name": "T", "team_type": "research", "agent_roles": [
            {"role_name": r, "type": "person", "agent_config": {}}
            for r in ("researcher", "analyst", "synthesizer")]}  # fmt: skip
        team = desk.post("/teams", body, **bearer(ours))["team_id"]
        asked = {"workflow_id": workflow, "team_id": team}
        id = desk.post("/executions", asked, **bearer(ours))["execution_id"]
        sign_in(desk, ours)
        assert id in page(desk, "/")
        sign_in(desk, theirs)
        assert id not in page(desk, "/")
        for path in ("", "/live", "/nodes/0"):
            page(desk, f"/executions/{id}{path}", 404)
        page(desk, f"/workflows/{workflow}", 404)
        assert desk.client.get(f"/v1/executions/{id}/events").status_code == 404
        desk.client.cookies.clear()
        desk.client.cookies.set(COOKIE, "nonsense")
        assert desk.client.get("/", follow_redirects=False).status_code == 303


def test_a_service_without_tokens_is_spoken_to_under_its_own_names_only(desk: Desk) -> None:
    """A site whose name leads to this machine would be everybody."""
    from flowc.runtime.service.api.browser_guard import Guard
    from starlette.responses import PlainTextResponse
    from starlette.testclient import TestClient

    client = TestClient(Guard(PlainTextResponse("in"), hosts=("127.0.0.1", "localhost", "::1")))
    for host in ("127.0.0.1:8321", "localhost", "[::1]:8321"):
        assert client.get("/", headers={"Host": host}).text == "in"
    for host in ("else.where", "127.0.0.1.else.where:8321", "[::1", ""):
        assert client.get("/", headers={"Host": host}).status_code == 403


def messages(desk: Desk, id: str, until: str, **headers: str) -> list[dict[str, str]]:
    """What a stream says up to the message whose event is `until`."""
    found: list[dict[str, str]] = []
    with desk.client.stream("GET", f"/v1/executions/{id}/events", headers=headers) as answer:
        assert answer.status_code == 200
        one: dict[str, str] = {}
        for line in answer.iter_lines():
            name, _, value = line.partition(": ")
            if line:
                one[name] = value
            elif one:
                found.append(one)
                if until == one.get("event"):
                    return found
                one = {}
    return found


class TestStreams:
    def test_a_stream_tells_everything_and_ends_with_the_execution(self, desk: Desk) -> None:
        id = desk.execution(steps=[step("gather")])
        desk.complete(id, "gather")
        told = [m for m in messages(desk, id, "end") if "id" in m]
        assert [int(m["id"]) for m in told] == list(range(1, len(told) + 1))
        assert '"kind": "run_started"' in told[0]["data"]
        assert '"status": "success"' in told[-1]["data"]

    def test_a_stream_goes_on_where_it_broke_off(self, desk: Desk) -> None:
        id = desk.execution(steps=[step("gather")])
        desk.complete(id, "gather")
        every = [m for m in messages(desk, id, "end") if "id" in m]
        rest = [m for m in messages(desk, id, "end", **{"Last-Event-ID": "3"}) if "id" in m]
        assert rest == every[3:]
        bad = desk.client.get(f"/v1/executions/{id}/events", headers={"Last-Event-ID": "-1"})
        assert bad.json()["error_code"] == "INVALID_REQUEST"

    def test_too_many_streams_are_refused_with_a_time_to_wait(self, desk: Desk) -> None:
        streams = Streams(desk.client.app.state.service.executing.engine.store, 2, 1)  # type: ignore[attr-defined]
        ana, ben, cid = (Caller(name, "read", None) for name in ("ana", "ben", "cid"))

        async def fill() -> None:
            with streams.listening(ana, "x"):
                with pytest.raises(ServiceFault) as each:
                    streams.refuse_more(ana)
                with streams.listening(ben, "x"), pytest.raises(ServiceFault) as all:
                    streams.refuse_more(cid)
                streams.refuse_more(cid)
            assert (each.value.status, all.value.status) == (429, 503)
            assert each.value.details["retry_after"] > 0
            await streams.close()

        assert desk.client.portal is not None
        desk.client.portal.call(fill)

    def test_a_stream_hears_what_another_process_does(self, tmp_path: Path) -> None:
        """Another connection to the store is all that there is of another process."""
        url = f"sqlite:///{tmp_path}/runs.db"
        heard: asyncio.Queue[str] = asyncio.Queue()

        async def keep(streams: Streams) -> None:
            async for message in event_messages(streams, Caller("ana", "read", None), "ex-far", 0):
                heard.put_nowait(f"{message.event} {message.data}")

        async def listen() -> None:
            opening = open_service(open_executing(url, Config()), trusted=True)
            async with opening as service, open_store(url) as far:
                await far.create(RunRecord(id="ex-far", name="far", file="f"))
                task = asyncio.create_task(keep(service.streams))
                while "standing" not in await asyncio.wait_for(heard.get(), 240):
                    pass
                event = RunEvent("run_started", "ex-far", "2026-05-01T09:00:00+00:00")
                await far.append_events(event.run, (event,))
                while "run_started" not in await asyncio.wait_for(heard.get(), 240):
                    pass
                task.cancel()
                await asyncio.wait([task])

        asyncio.run(listen())

    def test_a_stream_ends_in_time_so_that_who_listens_is_asked_again(self, desk: Desk) -> None:
        id = desk.execution()
        desk.client.app.state.service.streams.lasts = 1.0  # type: ignore[attr-defined]
        every = messages(desk, id, "end")
        assert "run_started" in every[1]["data"]
        assert all(message.get("event") != "end" for message in every)

    def test_the_stream_stands_in_the_contract(self, opening: Opening) -> None:
        with opening() as desk:
            told = desk.client.get("/v1/openapi.json").json()
        answers = told["paths"]["/v1/executions/{execution_id}/events"]["get"]["responses"]
        assert "text/event-stream" in answers["200"]["content"]
        assert {"401", "404", "429", "503"} <= set(answers)
        assert not any(path.startswith(("/executions", "/static")) for path in told["paths"])
