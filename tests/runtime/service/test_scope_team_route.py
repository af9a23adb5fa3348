"""Every scope of every team at every path: of the API, by the contract's names, and of the page.

A path that is new fails here until it is tried as well.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import pytest
from fastapi.routing import APIRoute
from flowc.runtime.service.api.sessions import COOKIE, form_sign
from flowc.runtime.service.contract.operation import EXECUTION, Operation
from flowc.runtime.service.contract.operations import OPERATIONS, operation_of
from flowc.runtime.service.page.execution_routes import _FORMS
from flowc.runtime.service.records.access import SCOPES, ActsFor, Scope

from .conftest import Desk, Opening, contract, team
from .test_access import bearer, token
from .test_faults import until
from .test_page import sign_in

OURS, THEIRS = "ours", "theirs"
NOWHERE = "-0000000000000000"
NOBODY = "http://127.0.0.1:9/"
IN_THE_PAGE: dict[str, Scope | None] = {
    "GET /": "read",
    "GET /inbox": "read",
    "GET /workers": "admin",
    "GET /audit": "admin",
    "GET /workflows/new": "operate",
    "POST /workflows": "operate",
    "GET /workflows/{id}": "read",
    "POST /workflows/{id}/executions": "operate",
    "GET /teams/new": "operate",
    "POST /teams": "operate",
    "GET /executions/{id}": "read",
    "GET /executions/{id}/live": "read",
    "GET /executions/{id}/nodes/{number}": "read",
    "GET /executions/{id}/checkpoints": "read",
    "GET /executions/{id}/checkpoints/{checkpoint}": "read",
    "GET /executions/{id}/checkpoints/{checkpoint}/value": "read",
    "POST /executions/{id}/checkpoints/{checkpoint}/forks": "operate",
    **{f"POST /executions/{{id}}/{form}": operation_of(n).scope for form, (n, _) in _FORMS.items()},
    "GET /sign-in": None,
    "POST /sign-in": None,
    "POST /sign-out": None,
    "GET /static/{digest}/{name}": None,
}
"""The paths of the page, each with the scope that it needs."""
OF_ALL_TEAMS = "GET /metrics"
"""For tokens that see every team alone: see test_figures.py."""


FIELDS = {
    "resume_token": "none",
    "assignment_id": "as-0000000000000000",
    "status": "completed",
    "output": "done",
    "question_id": "sure",
    "answer": "yes",
    "type": "string",
}
"""Enough for each form of an execution."""


@dataclass(frozen=True)
class Asked:
    """A request for what is ours. `named`: it says whose it is by an id."""

    route: str
    scope: Scope | None
    path: str
    body: Any
    named: bool


@dataclass(frozen=True)
class Made:
    """What our team has made."""

    workflow: str
    team: str
    execution: str
    agent: str
    webhook: str
    checkpoint: str

    def put_in(self, value: Any) -> Any:
        """A request of the description's examples, about what is ours."""
        text = json.dumps(value).replace(EXECUTION, self.execution)
        for example in ("agent-0c1d2e3f4a5b6c7d", "agent-8e9f0a1b2c3d4e5f"):
            text = text.replace(example, self.agent)
        text = text.replace("wf-3fa1f1504f422252", self.workflow)
        text = text.replace("https://hooks.example.com/flowc", NOBODY)
        return json.loads(text.replace("team-77c2d1b0a9e8f706", self.team))

    def ids(self) -> dict[str, str]:
        return {
            "execution_id": self.execution,
            "workflow_id": self.workflow,
            "team_id": self.team,
            "webhook_id": self.webhook,
            "question_id": "sure",
            "checkpoint_id": self.checkpoint,
            "checkpoint": self.checkpoint,
            "id": self.execution,
            "number": "0",
        }


@pytest.fixture
def desk(opening: Opening) -> Iterator[Desk]:
    """A service whose operator lets webhooks be sent to nobody."""
    secrets = ("HOOK_SECRET", f"{OURS}=HOOK_SECRET", f"{THEIRS}=HOOK_SECRET")
    with opening(webhook_hosts=("127.0.0.1:9",), webhook_secrets=secrets) as opened:
        yield opened


@pytest.fixture
def made(desk: Desk) -> Made:
    ours = bearer(token(desk, "operate", OURS, name="maker"))
    workflow = desk.post("/workflows", contract(), **ours)["workflow_id"]
    crew = desk.post("/teams", team(), **ours)
    asked = {"workflow_id": workflow, "team_id": crew["team_id"]}
    execution = desk.post("/executions", asked, **ours)["execution_id"]
    until(lambda: desk.get(f"/executions/{execution}", **ours)["active_steps"])
    hook = {"url": NOBODY, "secret": "HOOK_SECRET", "events": ["ended"]}
    webhook = desk.post("/webhooks", hook, **ours)["webhook_id"]
    looked = f"/executions/{execution}/checkpoints"
    until(lambda: desk.get(looked, **ours)["checkpoints"])
    (begin,) = desk.get(looked, **ours)["checkpoints"]
    agent, checkpoint = crew["agents"][0]["agent_id"], begin["checkpoint_id"]
    return Made(workflow, crew["team_id"], execution, agent, webhook, checkpoint)


def in_the_api(made: Made) -> Iterator[Asked]:
    for row in OPERATIONS:
        path = row.path.replace(":path", "").format(**made.ids())
        body = made.put_in(_body(row))
        named = bool(row.path_names) or row.name == "EXECUTE_WORKFLOW"
        yield Asked(row.route, row.scope, path, body if row.method == "POST" else None, named)
        if row.in_contract:
            whole = body if row.documents else made.put_in(row.whole_example())
            at = f"/v1/operations/{row.name}"
            yield Asked(f"POST {at}", row.scope, at, whole, named)


def _body(row: Operation) -> Any:
    examples = [example for _, example in row.documents.values()]
    plain = {"answer": "yes"} if row.name == "answer_question" else {}
    return (examples or [row.example or plain])[0]


def status_of(desk: Desk, one: Asked, who: dict[str, str]) -> tuple[int, str]:
    method = one.route.partition(" ")[0]
    answer = desk.client.request(method, one.path, json=one.body, headers=who)
    return answer.status_code, answer.text


def standing(desk: Desk, made: Made, who: dict[str, str]) -> dict[str, Any]:
    """Where our execution stands; its first events may still be on their way."""
    told = desk.get(f"/executions/{made.execution}", **who)
    return {name: value for name, value in told.items() if name != "event_position"}


def test_every_path_is_tried(desk: Desk, made: Made) -> None:
    app: Any = desk.client.app
    there = {
        f"{method} {route.path}"
        for route in app.routes
        if isinstance(route, APIRoute)
        for method in route.methods
    }
    assert there == {one.route for one in in_the_api(made)} | {*IN_THE_PAGE, OF_ALL_TEAMS}


def test_who_may_do_what_in_the_api(desk: Desk, made: Made) -> None:
    """Of ours as the scope says. For another team nothing is there, and nothing changes."""
    maker = bearer(token(desk, "read", OURS, name="looks"))
    before = standing(desk, made, maker)
    everything = [one for one in in_the_api(made) if one.scope is not None]
    keys = {(s, t): bearer(token(desk, s, t)) for t in (THEIRS, OURS) for s in SCOPES}
    keys["admin", None] = bearer(token(desk, "admin"))
    service: Any = desk.client.app.state.service  # type: ignore[attr-defined]
    service.rate.per_second = service.rate.burst = 1e9
    count = 0
    for (scope, owner), who in [((None, None), {}), *keys.items()]:
        for one in everything:
            sees = owner != THEIRS and scope is not None
            if sees and one.route.startswith("DELETE"):
                continue
            if sees and one.route.endswith("/events"):
                continue  # it would be told without an end
            status, said = status_of(desk, one, who)
            count += 1
            place = (scope, owner, one.route, said[:300])
            if scope is None:
                assert status == 401, place
            elif SCOPES.index(scope) < SCOPES.index(one.scope or "read"):
                assert status == 403, place
            elif owner == THEIRS and one.named:
                assert status == 404, place
                assert OURS not in said, place
            elif one.route.endswith(("/audit", "/workers")) and owner is not None:
                assert status == 403, place
            else:
                assert status not in (401, 500), place
                assert status != 403 or "this needs a token with the scope" not in said, place
        if owner == THEIRS:
            assert standing(desk, made, maker) == before
    assert count >= 278


def test_what_is_not_ours_is_as_what_is_not_there(desk: Desk, made: Made) -> None:
    other = bearer(token(desk, "admin", THEIRS))
    nothing = Made(*(f"{id.partition('-')[0]}{NOWHERE}" for id in vars(made).values()))
    for real, none in zip(in_the_api(made), in_the_api(nothing), strict=True):
        if real.named and real.scope is not None:
            told = [status_of(desk, one, other) for one in (real, none)]
            texts = [said for _, said in told]
            for id, missing in zip(vars(made).values(), vars(nothing).values(), strict=True):
                texts = [text.replace(id, "X").replace(missing, "X") for text in texts]
            assert told[0][0] == told[1][0] == 404, real.route
            assert texts[0] == texts[1], real.route


@pytest.mark.parametrize("owner", [THEIRS, OURS])
def test_who_may_do_what_on_the_page(desk: Desk, made: Made, owner: str) -> None:
    for scope in SCOPES:
        _try_the_page(desk, made, scope, owner)


def _try_the_page(desk: Desk, made: Made, scope: Scope, owner: str) -> None:
    key = token(desk, scope, owner)
    sign_in(desk, key)
    sign = form_sign(desk.client.cookies[COOKIE])
    for route, needed in IN_THE_PAGE.items():
        method, _, path = route.partition(" ")
        if needed is None:
            continue
        ids = {**made.ids(), **({"id": made.workflow} if "/workflows/" in path else {})}
        sent = {"data": {"sign": sign, "once": route, **FIELDS}} if method == "POST" else {}
        if path.endswith("/value"):
            path += "?name=gather"
        answer = desk.client.request(method, path.format(**ids), follow_redirects=False, **sent)
        place = (route, answer.status_code, answer.text[:300])
        if SCOPES.index(scope) < SCOPES.index(needed):
            assert answer.status_code == 403, place
        elif route in ("GET /workers", "GET /audit"):
            assert answer.status_code == 403, "it is about all teams"
        elif owner == THEIRS and "{" in path:
            assert answer.status_code == 404, place
        else:
            assert answer.status_code not in (401, 404, 500), place
    asked = bearer(key)
    there = desk.get("/executions", **asked)["executions"]
    assert bool(there) is (owner == OURS)


STANDINGS = ("nobody", "another", "agent", "deputy")
"""What a token is to the step that waits: it acts for nobody, for another agent, for the step's
own agent, or as a deputy of that one."""
OWNERS = (OURS, THEIRS, None)


@pytest.fixture
def task(desk: Desk, made: Made) -> dict[str, Any]:
    """Our step that waits for a person."""
    who = bearer(token(desk, "read", OURS, name="looks"))
    until(lambda: desk.get("/assignments", **who)["assignments"])
    (task,) = desk.get("/assignments", **who)["assignments"]
    return dict(task)


def acting(
    desk: Desk, made: Made, task: dict[str, Any], scope: Scope, owner: str | None, standing: str
) -> str:
    """A token that is this to the step that waits."""
    service: Any = desk.client.app.state.service  # type: ignore[attr-defined]
    agent = "agent-0000000000000000" if standing == "another" else task["agent_id"]
    named = [] if standing == "nobody" else [ActsFor(agent, made.team, standing == "deputy")]
    about = (f"{scope} {owner} {standing}", scope, owner, None, desk.clock(), named)

    async def make() -> str:
        return str(await service.tokens.create(*about))

    assert desk.client.portal is not None
    return desk.client.portal.call(make)


@pytest.mark.parametrize("scope", SCOPES)
def test_whose_step_waits_in_the_inbox(
    desk: Desk, made: Made, task: dict[str, Any], scope: Scope
) -> None:
    """Who acts for an agent sees its steps alone, and none of another team's, named or not."""
    for owner, standing in product(OWNERS, STANDINGS):
        key = acting(desk, made, task, scope, owner, standing)
        seen = {**task, "as_deputy": standing == "deputy"}
        asked = f"/assignments?agent_id={task['agent_id']}"
        told = [desk.get(path, **bearer(key))["assignments"] for path in ("/assignments", asked)]
        sees = owner != THEIRS
        waits = sees and standing != "another"
        assert told == [[seen] if waits else [], [seen] if sees else []], (owner, standing)
        sign_in(desk, key)
        shown = desk.client.get("/inbox").text
        assert (made.execution in shown) is waits, (owner, standing)
        assert ("as a deputy" in shown) is (waits and standing == "deputy")


def completed(desk: Desk, made: Made, task: dict[str, Any], key: str) -> dict[str, int]:
    """The status of each way to complete the step; the first that may has done it."""
    data = {"status": "completed", "output": "done"}
    body = {"assignment_id": task["assignment_id"], "completion_data": data}
    whole = {"execution_id": made.execution, **body}
    place = f"/executions/{made.execution}/completions"
    told = {}
    for path, sent in ((place, body), ("/operations/COMPLETE_STEP", whole)):
        told[path] = desk.client.post(f"/v1{path}", json=sent, headers=bearer(key)).status_code
    sign_in(desk, key)
    fields = {**FIELDS, "assignment_id": task["assignment_id"], "once": key}
    fields["sign"] = form_sign(desk.client.cookies[COOKIE])
    answer = desk.client.post(place, data=fields, follow_redirects=False)
    return {**told, "page": answer.status_code}


@pytest.mark.parametrize("scope", SCOPES)
def test_who_completes_no_step(desk: Desk, made: Made, task: dict[str, Any], scope: Scope) -> None:
    """Nobody but its agent, a deputy and an admin, and none of them with a token of another team:
    an agent's id says nothing there."""
    for owner, standing in product(OWNERS, STANDINGS):
        may = scope == "admin" or (scope != "read" and standing in ("agent", "deputy"))
        if owner == THEIRS or not may:
            key = acting(desk, made, task, scope, owner, standing)
            told = completed(desk, made, task, key)
            expected = 404 if owner == THEIRS and scope != "read" else 403
            assert set(told.values()) == {expected}, (owner, standing, told)
    assert task in desk.get("/assignments", **bearer(token(desk, "read", OURS)))["assignments"]


@pytest.mark.parametrize(("scope", "owner", "standing"), [
    ("operate", OURS, "agent"), ("operate", OURS, "deputy"), ("operate", None, "deputy"),
    ("admin", OURS, "nobody"),
])  # fmt: skip
def test_who_completes_a_step(
    desk: Desk, made: Made, task: dict[str, Any], scope: Scope, owner: str | None, standing: str
) -> None:
    key = acting(desk, made, task, scope, owner, standing)
    done, *again = completed(desk, made, task, key).values()
    assert (done, *again) == (200, 404, 404), "no longer open"
    assert task not in desk.get("/assignments", **bearer(token(desk, "read", OURS)))["assignments"]
