"""Webhooks: who registered an address is told of events there, signed, at least once."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the extra `service` is not installed")
from fleet import until
from flowc.runtime.cli.app import run as flowc
from flowc.runtime.net.signatures import fault_of, key_of
from flowc.runtime.service.records.webhooks import Delivery, WebhookRows
from flowc.runtime.service.webhooks.sending import FIRST_WAIT, LONGEST_WAIT, TRIES, Sending
from openai_server import OpenAIServer, Recorded, Reply, Say
from stores import KINDS

from .conftest import Clock, Desk, Opening, contract, gate, step, team
from .queues.test_backlog import entries
from .receivers import Receiver, receiver
from .test_access import bearer, token

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


@pytest.fixture
def hears() -> Iterator[Receiver]:
    with receiver() as made:
        yield made


@pytest.fixture(autouse=True)
def secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOOK_SECRET", SECRET)


def passes(clock: Clock, true: Callable[[], bool]) -> None:
    """Let time pass until something is so."""

    def later() -> bool:
        clock.forward(seconds=1)
        return true()

    until(later)


def allowing(*hosts: str) -> dict[str, Any]:
    return {"webhook_hosts": hosts, "webhook_secrets": ("HOOK_*", "ours=HOOK_*")}


def register(desk: Desk, url: str, *events: str, status: int = 200, **headers: str) -> str:
    asked = {"url": url, "secret": "HOOK_SECRET", **({"events": list(events)} if events else {})}
    told = desk.post("/webhooks", asked, status, **headers)
    return str(told["webhook_id"] if status == 200 else told["error_message"])


def listed(desk: Desk, **headers: str) -> list[dict[str, Any]]:
    hooks: list[dict[str, Any]] = desk.get("/webhooks", **headers)["webhooks"]
    return hooks


@pytest.mark.parametrize("kind", KINDS)
def test_a_whole_execution_is_told_once_of_each(opening: Opening, hears: Receiver) -> None:
    with opening(**allowing(hears.host)) as desk:
        register(desk, hears.url)
        id = desk.execution(steps=[step("gather"), step("analyse", "analyst", "gather")])
        until(lambda: len(hears.events("waits_for_person")) == 1)
        first = hears.events()[0]
        assert (first["execution_id"], first["step_id"]) == (id, "gather")
        assert first["assignment_id"] == desk.active(id)["gather"]
        desk.complete(id, "gather")
        until(lambda: len(hears.events("waits_for_person")) == 2)
        desk.complete(id, "analyse")
        until(lambda: hears.events("ended"))
        until(lambda: listed(desk)[0]["waiting"] == 0)
        assert listed(desk)[0]["delivered"] == len(hears.heard) == 3
        assert hears.events("ended")[0]["workflow_status"] == "completed"


def test_what_is_told_is_signed_with_the_secret_of_the_environment(
    opening: Opening, hears: Receiver
) -> None:
    clock = Clock()
    with opening(clock, **allowing(hears.host)) as desk:
        register(desk, hears.url, "waits_for_person")
        desk.execution()
        until(lambda: hears.heard)
        headers, body = hears.heard[0]
        now = clock().timestamp()
        assert fault_of(key_of(SECRET), headers, body, now) is None
        assert "not of this request" in str(fault_of(key_of("x" * 32), headers, body, now))
        assert "not of this request" in str(fault_of(key_of(SECRET), headers, body + b" ", now))
        assert "away from" in str(fault_of(key_of(SECRET), headers, body, now + 301))
        assert json.loads(body)["id"] == headers["webhook-id"]
        assert SECRET not in str(hears.heard) + json.dumps(listed(desk))


def test_a_gate_that_failed_and_an_alert_are_told(opening: Opening, hears: Receiver) -> None:
    with opening(**allowing(hears.host)) as desk:
        register(desk, hears.url, "gate_failed", "alert", "ended")
        crew, _ = desk.team()
        asked = {
            "workflow_id": desk.workflow(steps=[step("gather")], quality_gates=gate(0.8)),
            "team_id": crew,
            "notifications": {"error_alerts": True},
        }
        id = str(desk.post("/executions", asked)["execution_id"])
        desk.complete(id, "gather", 409, quality_self_assessment=0.2)
        until(lambda: hears.events("ended"))
        until(lambda: hears.events("alert"))
        until(lambda: hears.events("gate_failed"))
        assert "0.8 is required" in hears.events("gate_failed")[0]["message"]
        assert hears.events("ended")[0]["workflow_status"] == "failed"


@pytest.mark.parametrize("kind", KINDS)
def test_what_does_not_arrive_is_tried_again_later_and_later(opening: Opening) -> None:
    clock = Clock()
    with receiver(500, 302, 204) as hears, opening(clock, **allowing(hears.host)) as desk:
        hears.elsewhere = "http://127.0.0.1:1/"
        register(desk, hears.url, "waits_for_person")
        desk.execution()
        until(lambda: len(hears.heard) == 1)
        passes(clock, lambda: len(hears.heard) == 2)
        passes(clock, lambda: len(hears.heard) == 3)
        until(lambda: listed(desk)[0]["delivered"] == 1)
        assert len({headers["webhook-id"] for headers, _ in hears.heard}) == 1


def test_who_has_not_the_operators_word_registers_nothing(
    opening: Opening, hears: Receiver
) -> None:
    with opening(**allowing("hooks.example.com")) as desk:
        assert "service's own network" in register(desk, hears.url, status=422)
        assert "not named" in register(desk, "https://other.example.com/", status=422)
        told = desk.post(
            "/webhooks", {"url": "https://hooks.example.com/", "secret": "OPENAI_API_KEY"}, 422
        )
        assert "has not named the variable" in told["error_message"]
        told = desk.post(
            "/webhooks", {"url": "https://a:b@hooks.example.com/", "secret": "HOOK_SECRET"}, 422
        )
        assert "no user" in told["error_message"]
        assert "a host is `name`" in register(desk, "https://v[9=$^+A0JX%O", status=422)
        assert listed(desk) == []


def test_a_team_is_told_of_its_own_executions_alone(opening: Opening, hears: Receiver) -> None:
    with opening(**allowing(hears.host)) as desk:
        ours = bearer(token(desk, "operate", "ours"))
        theirs = bearer(token(desk, "operate", "theirs"))
        admin = bearer(token(desk, "admin"))
        id = register(desk, hears.url, "waits_for_person", **ours)
        assert listed(desk, **theirs) == []
        assert len(listed(desk, **admin)) == 1
        answer = desk.client.delete(f"/v1/webhooks/{id}", headers=theirs)
        assert answer.json()["error_code"] == "WEBHOOK_NOT_FOUND"
        for who in (theirs, ours):
            workflow = desk.post("/workflows", _one_step(), **who)["workflow_id"]
            crew = desk.post("/teams", _crew(), **who)["team_id"]
            asked = {"workflow_id": workflow, "team_id": crew}
            last = desk.post("/executions", asked, **who)["execution_id"]
        until(lambda: hears.heard)
        assert {one["execution_id"] for one in hears.events()} == {last}
        assert desk.client.delete(f"/v1/webhooks/{id}", headers=ours).status_code == 200
        assert listed(desk, **ours) == []


def _one_step() -> dict[str, Any]:
    return contract(steps=[step("gather")])


def _crew() -> dict[str, Any]:
    return team()


def told(hears: Receiver) -> list[str]:
    return sorted(f"{one['kind']} {one['step_id']}".strip() for one in hears.events())


@pytest.mark.parametrize("kind", KINDS)
def test_what_was_not_told_when_a_process_ended_is_told_by_the_next(opening: Opening) -> None:
    clock = Clock()
    with receiver(503, 204) as hears:
        with opening(clock, **allowing(hears.host)) as desk:
            register(desk, hears.url)
            id = desk.execution(steps=[step("gather")])
            until(lambda: hears.heard)
        with opening(clock, **allowing(hears.host)) as desk:
            passes(clock, lambda: len(hears.heard) == 2)
            desk.complete(id, "gather")
            passes(clock, lambda: len(hears.heard) == 3)
        assert told(hears) == ["ended", "waits_for_person gather", "waits_for_person gather"]
        assert len({one["id"] for one in hears.events()}) == 2


def test_a_person_hears_of_their_step_while_a_model_works_beside_it(
    opening: Opening, hears: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else they would hear of it when the model is done, which may be in minutes."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-nobody")
    free = threading.Event()

    def answer(request: Recorded) -> Reply:
        call = ("complete_task", {"output": "done", "score": 0.9})
        return Say(calls=[call], when=free if "slow is right" in str(request.body) else None)

    steps = [
        step("quick"),
        step("slow"),
        step("beside", "analyst", "quick"),
    ]
    with OpenAIServer() as server:
        server.answer = answer
        with opening(base_url=server.url, **allowing(hears.host)) as desk:
            register(desk, hears.url)
            crew, _ = desk.team("researcher")
            workflow = desk.workflow(workflow_type="parallel", steps=steps)
            desk.post("/executions", {"workflow_id": workflow, "team_id": crew})
            try:
                until(lambda: told(hears) == ["waits_for_person beside"], 20)
            finally:
                free.set()


def test_what_never_arrives_is_a_dead_letter_with_its_reason(
    opening: Opening, store: str, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = Clock()
    with receiver(410, 204) as hears, opening(clock, **allowing(hears.host)) as desk:
        hook = register(desk, hears.url, "waits_for_person")
        id = desk.execution()
        until(lambda: listed(desk)[0]["undelivered"])
        assert "wants nothing any more" in listed(desk)[0]["last_fault"]
        (entry,) = entries(capsys, store)
        assert entry["execution"].startswith("dl-")
        why = "tried 1 times: it answered 410: it wants nothing any more"
        assert entry["detail"] == f"{hook} was not told of `waits_for_person` in {id}, {why}"
        assert 'flowc_webhook_deliveries{state="dead"} 1.0' in desk.client.get("/metrics").text
        assert flowc(["jobs", "retry", entry["execution"], "--store", store]) == 0
        passes(clock, lambda: listed(desk)[0]["delivered"])
        assert entries(capsys, store) == []
        assert flowc(["jobs", "drop", entry["execution"], "--store", store]) == 2
        assert "not a delivery that failed" in capsys.readouterr().err


def test_a_dead_letter_can_be_dropped(
    opening: Opening, store: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with receiver(410) as hears, opening(**allowing(hears.host)) as desk:
        register(desk, hears.url, "waits_for_person")
        desk.execution()
        until(lambda: listed(desk)[0]["undelivered"])
        (entry,) = entries(capsys, store)
        assert flowc(["jobs", "drop", entry["execution"], "--store", store]) == 0
        assert entries(capsys, store) == []
        assert len(hears.heard) == 1


def test_it_is_given_up_after_hours_and_not_before(opening: Opening) -> None:
    clock = Clock()
    with receiver(500) as hears, opening(clock, **allowing(hears.host)) as desk:
        begun = clock()
        register(desk, hears.url, "waits_for_person")
        desk.execution()
        service: Any = desk.client.app.state.service  # type: ignore[attr-defined]
        worker = Sending(service.executing)
        until(lambda: hears.heard)
        (id,) = {headers["webhook-id"] for headers, _ in hears.heard}

        async def try_again() -> None:
            await worker.send(id)

        assert desk.client.portal is not None
        while not listed(desk)[0]["undelivered"]:
            desk.client.portal.call(try_again)
        assert len(hears.heard) >= TRIES
        assert clock() == begun, "it is the tries that count here"
        assert sum(min(LONGEST_WAIT, FIRST_WAIT * 2**n) for n in range(TRIES - 1)) > 3600
        assert listed(desk)[0]["last_fault"] == "it answered 500"


def test_a_name_that_leads_into_the_network_of_the_service_is_refused(opening: Opening) -> None:
    """A pattern of hosts names no host: one of them may be in the hands of a stranger."""

    async def inside(name: str, port: int) -> list[str]:
        return ["10.0.0.7"]

    with opening(concurrency=0, **allowing("*.example.com")) as desk:
        register(desk, "https://hooks.example.com/in", "waits_for_person")
        desk.execution()
        service: Any = desk.client.app.state.service  # type: ignore[attr-defined]
        executing = service.executing
        (hook,) = listed(desk)

        async def try_it() -> Delivery | None:
            rows = WebhookRows(executing.db)
            about = Delivery(id="dl-1", execution="ex-1", webhook=hook["webhook_id"], body="{}")
            await rows.deliver(about)
            await Sending(executing, look_up=inside).send("dl-1")
            return await rows.delivery("dl-1")

        assert desk.client.portal is not None
        after = desk.client.portal.call(try_it)
        assert after is not None
        assert after.state == "dead"
        assert "leads to 10.0.0.7" in after.reason


def test_a_slow_receiver_has_four_places_of_a_worker(opening: Opening) -> None:
    with opening(concurrency=0, **allowing("127.0.0.1:9")) as desk:
        register(desk, "http://127.0.0.1:9/", "waits_for_person")
        service: Any = desk.client.app.state.service  # type: ignore[attr-defined]
        executing, (hook,) = service.executing, listed(desk)
        sending = Sending(executing)
        sending.under_way[hook["webhook_id"]] = 4

        async def try_it() -> Delivery | None:
            rows = WebhookRows(executing.db)
            await rows.deliver(Delivery(id="dl-1", execution="", webhook=hook["webhook_id"]))
            await sending.send("dl-1")
            return await rows.delivery("dl-1")

        assert desk.client.portal is not None
        after = desk.client.portal.call(try_it)
        assert after is not None
        assert (after.state, after.tries) == ("waits", 0)
        assert after.due > executing.now()


def test_an_assignment_says_whether_somebody_hears_of_it(opening: Opening, hears: Receiver) -> None:
    with opening(**allowing(hears.host)) as desk:
        crew, agents = desk.team()
        asked = {"workflow_id": desk.workflow(), "team_id": crew}
        id = desk.post("/executions", asked)["execution_id"]
        to = {"step_id": "gather", "agent_id": agents["researcher"]}
        path = f"/executions/{id}/assignments"
        assert desk.post(path, to)["agent_notified"] is False
        register(desk, hears.url, "ended")
        assert desk.post(path, to)["agent_notified"] is False
        register(desk, hears.url, "waits_for_person")
        assigned = desk.post(path, to)
        assert assigned["agent_notified"] is True
        until(lambda: assigned["assignment_id"] in str(hears.events("waits_for_person")))


def test_webhook_not_found(desk: Desk) -> None:
    answer = desk.client.delete("/v1/webhooks/wh-none")
    assert (answer.status_code, answer.json()["error_code"]) == (404, "WEBHOOK_NOT_FOUND")
