"""`GET /metrics`, as Prometheus reads it."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the extra `service` is not installed")
from prometheus_client.parser import text_string_to_metric_families
from stores import KINDS

from .conftest import Desk, Opening


def figures(desk: Desk) -> dict[tuple[str, ...], float]:
    """Each figure by its name and its labels."""
    answer = desk.client.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    families = text_string_to_metric_families(answer.text)
    samples = [sample for family in families for sample in family.samples]
    return {(one.name, *one.labels.values()): one.value for one in samples}


@pytest.mark.parametrize("kind", KINDS)
def test_what_waits_and_what_was_answered_is_counted(opening: Opening) -> None:
    with opening(concurrency=0, answers=0.0) as desk:
        before = figures(desk)  # the application has answered in other tests
        id = desk.execution()
        desk.execution()
        desk.get(f"/executions/{id}")
        desk.get("/executions/ex-none", 404)
        told = figures(desk)
        path = "/v1/executions/{execution_id}"
        for name, count in (
            (("flowc_requests_total", "GET", path, "200"), 1),
            (("flowc_requests_total", "GET", path, "404"), 1),
            (("flowc_request_seconds_count", "GET", path), 2),
        ):
            assert told[name] - before.get(name, 0) == count
        jobs = [told["flowc_jobs", state] for state in ("waits", "runs", "failed")]
        assert jobs == [2, 0, 0]
        assert told["flowc_workers",] == told["flowc_event_streams",] == 0
        desk.client.get("/metrics")
        desk.client.get("/no/such/page")
        assert {name for name, *_ in figures(desk)} == {name for name, *_ in told}


def test_the_figures_are_for_a_token_that_sees_every_team(opening: Opening) -> None:
    with opening(trusted=False) as desk:
        service: Any = desk.client.app
        create = service.state.service.tokens.create
        statuses = {"nobody": desk.client.get("/metrics").status_code}
        for owner in (None, "blue"):
            token = desk.client.portal.call(create, "eye", "read", owner, None, desk.clock())
            headers = {"Authorization": f"Bearer {token}"}
            statuses[str(owner)] = desk.client.get("/metrics", headers=headers).status_code
        assert statuses == {"nobody": 401, "None": 200, "blue": 403}
