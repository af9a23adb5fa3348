"""Who may do what, how much, how often; the same thing twice; answers that tell nothing."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from flowc.runtime.service.api.rate_limits import Rate
from flowc.runtime.service.records.access import Caller, Scope
from flowc.runtime.service.records.errors import FAULTS, ServiceFault

from .conftest import Desk, Opening, contract, gate


def token(
    desk: Desk,
    scope: Scope,
    owner: str | None = None,
    days: float | None = None,
    name: str | None = None,
) -> str:
    service = desk.client.app.state.service  # type: ignore[attr-defined]
    now = desk.clock()
    end = now + timedelta(days=days) if days is not None else None

    async def make() -> str:
        called = name or f"{scope} {owner}"
        return str(await service.tokens.create(called, scope, owner, end, now))

    assert desk.client.portal is not None
    return desk.client.portal.call(make)


def bearer(value: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {value}"}


class TestTokens:
    def test_the_first_token_closes_the_door(self, desk: Desk) -> None:
        desk.get("/workflows")
        token(desk, "read")
        told = desk.get("/workflows", 401)
        assert told["error_code"] == "UNAUTHENTICATED"

    def test_beyond_this_machine_nothing_is_open(self, opening: Opening) -> None:
        with opening(trusted=False) as desk:
            assert desk.get("/workflows", 401)["error_code"] == "UNAUTHENTICATED"

    @pytest.mark.parametrize("value", ["Bearer nonsense", "Basic eDp5", "Bearer", "x"])
    def test_an_unknown_token_is_refused(self, desk: Desk, value: str) -> None:
        token(desk, "admin")
        answer = desk.client.get("/v1/workflows", headers={"Authorization": value})
        assert answer.status_code == 401
        assert answer.headers["WWW-Authenticate"] == "Bearer"

    def test_a_token_expires(self, desk: Desk) -> None:
        key = bearer(token(desk, "read", days=1))
        desk.get("/workflows", **key)
        desk.clock.forward(days=1)
        desk.get("/workflows", 401, **key)

    def test_reading_is_not_operating(self, desk: Desk) -> None:
        key = bearer(token(desk, "read"))
        desk.get("/workflows", **key)
        told = desk.post("/workflows", contract(), 403, **key)
        assert told["error_code"] == "FORBIDDEN"

    def test_a_token_is_kept_as_a_digest(self, desk: Desk, tmp_path: Any) -> None:
        made = token(desk, "admin")
        kept = b"".join(path.read_bytes() for path in tmp_path.glob("runs.db*") if path.is_file())
        assert made.encode() not in kept

    def test_what_another_team_made_is_not_there(self, desk: Desk) -> None:
        ours, theirs = bearer(token(desk, "operate", "a")), bearer(token(desk, "operate", "b"))
        id = desk.post("/workflows", contract(), **ours)["workflow_id"]
        assert len(desk.get("/workflows", **ours)["workflows"]) == 1
        assert desk.get("/workflows", **theirs)["workflows"] == []
        real = desk.post("/executions", {"workflow_id": id}, 404, **theirs)
        none = desk.post("/executions", {"workflow_id": "wf-none"}, 404, **theirs)
        assert real["error_message"].replace(id, "X") == none["error_message"].replace(
            "wf-none", "X"
        )
        everybody = bearer(token(desk, "read"))
        assert len(desk.get("/workflows", **everybody)["workflows"]) == 1


class TestAudit:
    def test_who_did_what_is_kept_without_what_was_sent(self, desk: Desk) -> None:
        operate, admin = bearer(token(desk, "operate")), bearer(token(desk, "admin"))
        desk.post("/workflows", contract(workflow_name="Secret plan"), **operate)
        desk.post("/executions", {"workflow_id": "wf-none"}, 404, **operate)
        told = desk.get("/audit", **admin)
        kept = [(e["who"], e["operation"], e["outcome"]) for e in told["entries"]]
        assert sorted(kept) == [
            ("operate None", "POST /v1/executions", "WORKFLOW_NOT_FOUND"),
            ("operate None", "POST /v1/workflows", "done"),
        ]
        assert "Secret" not in str(told)
        desk.get("/audit", 403, **operate)
        desk.get("/audit", 403, **bearer(token(desk, "admin", "a")))


class TestRepetition:
    def test_one_key_does_it_once(self, desk: Desk) -> None:
        key = {"Idempotency-Key": "k1"}
        first = desk.post("/workflows", contract(), **key)
        again = desk.post("/workflows", contract(), **key)
        assert first == again
        assert len(desk.get("/workflows")["workflows"]) == 1

    def test_the_key_of_another_request_is_refused(self, desk: Desk) -> None:
        key = {"Idempotency-Key": "k1"}
        desk.post("/workflows", contract(), **key)
        told = desk.post("/workflows", contract(workflow_name="Other"), 409, **key)
        assert told["error_code"] == "CONFLICT"

    def test_a_completion_is_not_done_twice(self, desk: Desk) -> None:
        id = desk.execution(quality_gates=gate(0.5))
        data = {"status": "completed", "output": "x", "quality_self_assessment": 0.7}
        body = {"assignment_id": desk.active(id)["gather"], "completion_data": data}
        key = {"Idempotency-Key": "once"}
        first = desk.post(f"/executions/{id}/completions", body, **key)
        assert desk.post(f"/executions/{id}/completions", body, **key) == first
        told = desk.post(f"/executions/{id}/completions", body, 404)
        assert told["error_code"] == "ASSIGNMENT_NOT_FOUND"

    def test_keys_of_different_callers_are_different(self, desk: Desk) -> None:
        one, two = bearer(token(desk, "operate", "a")), bearer(token(desk, "operate", "b"))
        first = desk.post("/workflows", contract(), **one, **{"Idempotency-Key": "k"})
        second = desk.post("/workflows", contract(), **two, **{"Idempotency-Key": "k"})
        assert first["workflow_id"] != second["workflow_id"]

    def test_a_name_that_two_teams_gave_is_two_callers(self, desk: Desk) -> None:
        ours, theirs = (token(desk, "operate", team, name="deploy") for team in ("a", "b"))
        key = {"Idempotency-Key": "k"}
        first = desk.post("/workflows", contract(), **bearer(ours), **key)
        second = desk.post("/workflows", contract(), **bearer(theirs), **key)
        assert first["workflow_id"] != second["workflow_id"]
        assert len(desk.get("/workflows", **bearer(theirs))["workflows"]) == 1


class TestLimits:
    def test_ten_megabytes_are_refused(self, desk: Desk) -> None:
        answer = desk.client.post("/v1/workflows", content=b"x" * 10_000_000)
        assert answer.status_code == 413
        assert answer.json()["error_code"] == "INVALID_REQUEST"
        desk.get("/health")

    def test_a_caller_is_told_how_long_to_wait(self) -> None:
        now = 0.0
        rate = Rate(10.0, 2.0, lambda: now)
        caller = Caller("ana", "read", None)
        rate.take(caller)
        rate.take(caller)
        with pytest.raises(ServiceFault) as caught:
            rate.take(caller)
        assert caught.value.status == 429
        assert caught.value.details["retry_after"] == pytest.approx(0.1)
        rate.take(Caller("ben", "read", None))
        now = 0.11
        rate.take(caller)

    def test_a_token_is_counted_by_itself_and_not_by_its_name(self, desk: Desk) -> None:
        """Two teams may have named a token alike; neither takes from the other."""
        service, portal = desk.client.app.state.service, desk.client.portal  # type: ignore[attr-defined]
        assert portal is not None
        service.rate = Rate(0.001, 2.0, lambda: 0.0)

        def bearer(owner: str) -> dict[str, str]:
            made = portal.call(service.tokens.create, "ci", "read", owner, None, desk.clock())
            return {"Authorization": f"Bearer {made}"}

        hedge, others = bearer("hedge"), bearer("others")
        for _ in range(2):
            desk.get("/teams", **hedge)
        assert desk.get("/teams", 429, **hedge)["error_code"] == "TOO_MANY_REQUESTS"
        desk.get("/teams", **others)
        assert "ci" not in service.rate.buckets

    def test_who_asks_no_more_is_forgotten(self) -> None:
        now = 0.0
        rate = Rate(1.0, 2.0, lambda: now, most=3)
        for number in range(20):
            rate.take(Caller("ci", "read", None, f"token {number}"))
            now += 1.0
        assert len(rate.buckets) <= 4

    @pytest.mark.parametrize(
        ("method", "path", "status"),
        [("GET", "/v1/nothing", 404), ("DELETE", "/v1/workflows", 405), ("GET", "/v1", 404)],
    )
    def test_a_path_that_is_none(self, desk: Desk, method: str, path: str, status: int) -> None:
        answer = desk.client.request(method, path)
        assert answer.status_code == status
        assert answer.json()["success"] is False

    @pytest.mark.parametrize("body", [b"", b"{", b"\xff", b"[" * 100_000, b'{"workflow_id": 1}'])
    def test_broken_json_is_said_so(self, desk: Desk, body: bytes) -> None:
        headers = {"Content-Type": "application/json"}
        answer = desk.client.post("/v1/executions", content=body, headers=headers)
        assert answer.status_code in (400, 422)
        assert answer.json()["error_code"] == "INVALID_REQUEST"


class TestFaults:
    def test_c18_every_fault_has_the_form_of_the_contract(self, desk: Desk) -> None:
        told = desk.get("/executions/ex-none", 404)
        assert set(told) == {
            "success",
            "error_code",
            "error_message",
            "execution_context",
            "recovery_options",
        }
        context = {"execution_id", "current_step", "affected_agents"}
        assert set(told["execution_context"]) == context
        assert told["recovery_options"]

    def test_c24_the_eight_codes_and_ours(self) -> None:
        codes = [kind.code for kind in FAULTS]
        assert codes[:8] == [
            "WORKFLOW_NOT_FOUND",
            "EXECUTION_NOT_FOUND",
            "INVALID_WORKFLOW_DEFINITION",
            "MISSING_REQUIRED_ROLES",
            "STEP_DEPENDENCIES_NOT_MET",
            "ASSIGNMENT_NOT_FOUND",
            "QUALITY_GATE_FAILED",
            "WORKFLOW_TIMEOUT",
        ]
        assert len(set(codes)) == len(codes)
        assert all(kind.recovery and 400 <= kind.status < 504 for kind in FAULTS)

    def test_the_description_of_the_api_is_whole(self, desk: Desk) -> None:
        described = desk.client.get("/v1/openapi.json").json()
        assert described["openapi"].startswith("3.1")
        paths = set(described["paths"])
        names = ("CREATE", "EXECUTE", "PAUSE", "RESUME")
        assert {f"/v1/operations/{name}_WORKFLOW" for name in names} <= paths
        assert "/v1/operations/GET_WORKFLOW_STATUS" in paths
        assert json.dumps(described).count("ErrorAnswer") > 10
