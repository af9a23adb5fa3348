"""Every operation and every error code, called and provoked on each kind of store: a new one has no
case, and fails."""

from __future__ import annotations

import json
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the extra `service` is not installed")
from flowc.runtime.service.contract.operation import Operation
from flowc.runtime.service.contract.operations import OPERATIONS
from flowc.runtime.service.records.errors import FAULTS, FaultKind
from httpx import Response
from stores import KINDS

from .code_cases import CODES
from .conftest import Opening
from .operation_cases import CASES, Office
from .receivers import receiver
from .test_faults import break_lists
from .test_webhook_starts import SECRET, send
from .test_webhooks import allowing


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_each_has_a_case() -> None:
    assert set(CASES) == {row.name for row in OPERATIONS}
    assert set(CODES) == {kind.code for kind in FAULTS}


def test_each_operation_is_done(opening: Opening, monkeypatch: pytest.MonkeyPatch) -> None:
    """At its path, and those of the contract under their names too."""
    monkeypatch.setenv("HOOK_SECRET", SECRET)
    failed = []
    with receiver() as hears, opening(**allowing(hears.host)) as desk:
        office = Office(desk, hears.url)
        for row in OPERATIONS:
            answers = [_asked(office, row)]
            if row.in_contract:
                parts, body = CASES[row.name](office)
                named = {**parts, **body}
                answers.append(desk.client.post(f"/v1/operations/{row.name}", json=named))
            failed += [(row.name, a.status_code, a.text) for a in answers if not _is_done(row, a)]
    assert failed == []


def _asked(office: Office, row: Operation) -> Response:
    parts, body = CASES[row.name](office)
    if row.name == "receive_webhook":
        return send(office.desk, parts["workflow_id"], body)
    path = row.path.replace(":path", "").format(**parts)
    if row.method == "POST":
        return office.desk.client.post(path, json=body)
    query = {k: json.dumps(v) if isinstance(v, bool) else v for k, v in body.items()}
    return office.desk.client.request(row.method, path, params=query)


def _is_done(row: Operation, answer: Response) -> bool:
    if row.name == "events":
        return answer.status_code == 200 and answer.text.rstrip().endswith("event: end\r\ndata: {}")
    return answer.status_code == 200 and answer.json()["success"] is True


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.code)
def test_each_code_is_answered(opening: Opening, fault: FaultKind) -> None:
    broken: dict[str, Any] = {"around": break_lists, "bugs": True}
    with opening(**broken if fault.code == "INTERNAL" else {}) as desk:
        answer = CODES[fault.code](Office(desk))
    told = answer.json()
    assert (answer.status_code, told["error_code"]) == (fault.status, fault.code), answer.text
    assert told["success"] is False
    assert told["error_message"]
    assert told["recovery_options"]
