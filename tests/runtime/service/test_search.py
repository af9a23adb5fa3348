"""Search in executions: by the list of the API and by the page's form, in both stores."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from flowc.runtime.service import Client
from flowc.runtime.service.records.tables import StoredExecution
from flowc.runtime.service.search.wanted import Wanted
from flowc.runtime.service.search.words import SearchWords
from stores import KINDS

from .conftest import Clock, Desk, Opening, contract, team
from .served import served
from .test_page import page

GREET = """\
flow: 1
name: greet
params:
  NAME: {type: text, required: true}
  API_TOKEN: {type: text, default: none}
outputs: [GREETING]
state: {GREETING: text}
nodes:
  - {name: greet, assign: {GREETING: '"hello " + NAME'}}
"""


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def found(desk: Desk, query: str) -> list[str]:
    return [one["execution_id"] for one in desk.get(f"/executions?{query}")["executions"]]


def begin(desk: Desk, workflow: str, **body: Any) -> str:
    return str(desk.post("/executions", {"workflow_id": workflow, **body})["execution_id"])


class TestList:
    def test_each_filter_alone_and_all_together(self, opening: Opening) -> None:
        with opening() as desk:
            flow = {"file_name": "greet.flow.yaml", "source": GREET}
            greet = desk.post("/workflows", flow)["workflow_id"]
            ada = begin(desk, greet, input_parameters={"NAME": "Ada Lovelace", "API_TOKEN": "hush"})
            desk.clock.forward(days=1)
            study = desk.workflow(workflow_name="Roof-study")
            made = desk.post("/teams", {**team(), "team_name": "The Roofers"})
            people = {agent["role"]: agent["agent_id"] for agent in made["agents"]}
            roof = begin(desk, study, team_id=made["team_id"])
            desk.clock.forward(days=1)
            grace = begin(desk, greet, input_parameters={"NAME": "Grace"})
            assert found(desk, "text=lovelace") == [ada]
            assert found(desk, "text=ADA+greet") == [ada]
            assert found(desk, "text=greet") == [grace, ada]
            assert found(desk, "text=roof%20study") == found(desk, "text=roof-STUDY") == [roof]
            assert found(desk, "text=roofers") == found(desk, "text=synthesizer") == [roof]
            assert found(desk, f"text={grace}") == [grace]
            assert found(desk, "text=love") == found(desk, "text=hush") == []
            assert found(desk, "text=ada+grace") == []
            assert found(desk, f"agent_id={people['analyst']}") == [roof]
            assert found(desk, f"team_id={made['team_id']}") == [roof]
            assert found(desk, "since=2026-05-02T00:00:00Z") == [grace, roof]
            assert found(desk, "until=2026-05-02T00:00:00Z") == [ada]
            day = "since=2026-05-02T02:00:00%2B02:00&until=2026-05-03T00:00:00Z"
            assert found(desk, day) == [roof]
            assert found(desk, f"{day}&text=roofers&agent_id={people['analyst']}") == [roof]
            assert found(desk, f"text=greet&workflow_id={greet}&limit=1&after={grace}") == [ada]
            assert found(desk, f"text=greet&workflow_id={study}") == []
            desk.get("/executions?since=yesterday", 422)
            desk.get("/executions?agent_id=a%20b", 422)

    def test_a_frequent_word_beside_a_rare_one(self, opening: Opening) -> None:
        with opening() as desk:
            flow = {"file_name": "greet.flow.yaml", "source": GREET}
            greet = desk.post("/workflows", flow)["workflow_id"]
            all_of_them = []
            for name in ("Ada", "Bob", "Cy", "Di"):
                desk.clock.forward(seconds=1)
                all_of_them.insert(0, begin(desk, greet, input_parameters={"NAME": name}))
            executing = desk.client.app.state.service.executing  # type: ignore[attr-defined]

            async def look(*words: str, limit: int = 9) -> list[str]:
                index = SearchWords(executing.db, few=2)
                wanted = await index.narrow(Wanted(now=executing.now(), words=words))
                page = executing.register.page(StoredExecution, None, limit, "", wanted)
                return [one.id for one in await page]

            call = desk.client.portal.call  # type: ignore[union-attr]
            assert call(look, "greet") == all_of_them
            assert call(partial(look, limit=2), "greet") == all_of_them[:2]
            assert call(look, "greet", "ada") == all_of_them[-1:]
            assert call(look, "greet", "nobody") == []

    def test_a_branch_is_found_by_the_words_of_the_other_one(self, opening: Opening) -> None:
        with opening() as desk:
            id = desk.execution(workflow_name="Roof")
            desk.complete(id, "gather")
            made = desk.post(f"/executions/{id}/forks", {"at": "analyse"})["execution_id"]
            assert set(found(desk, "text=roof")) == {id, made}
            assert found(desk, f"text={made}") == [made]

    def test_executions_of_an_older_flowc_get_their_words(self, opening: Opening) -> None:
        clock = Clock()
        with opening(clock) as desk:
            id = desk.execution()
            executing = desk.client.app.state.service.executing  # type: ignore[attr-defined]
            call = desk.client.portal.call  # type: ignore[union-attr]
            call(executing.db.run, "delete from service_words")
            assert found(desk, f"text={id}") == []
        with opening(clock) as desk:
            assert found(desk, f"text={id}") == [id]

    def test_words_stand_nowhere(self, opening: Opening) -> None:
        with opening() as desk:
            desk.execution(workflow_name="Roof")
            executing = desk.client.app.state.service.executing  # type: ignore[attr-defined]
            call = desk.client.portal.call  # type: ignore[union-attr]
            kept = call(executing.db.rows, "select word from service_words")
            assert kept
            assert all(re.fullmatch("[0-9a-f]{24}", word) for (word,) in kept)


class TestPage:
    def test_the_form_finds_and_keeps_what_was_asked(self, opening: Opening) -> None:
        with opening() as desk:
            made = desk.post("/teams", {**team(), "team_name": "The <Roofers>"})
            analyst = next(a for a in made["agents"] if a["role"] == "analyst")["agent_id"]
            roof = begin(desk, desk.workflow(workflow_name="Roof"), team_id=made["team_id"])
            other = desk.execution(workflow_name="Other")
            text = page(desk, "/")
            assert roof in text
            assert other in text
            assert "analyst, The &lt;Roofers&gt;" in text
            text = page(desk, f"/?text=roof&agent={analyst}&since=2026-05-01&until=2026-05-01")
            assert roof in text
            assert other not in text
            assert f'value="{analyst}" selected' in text
            assert 'value="roof"' in text
            assert "text=roof" in re.findall(r'href="([^"]*status=failed[^"]*)"', text)[0]
            assert roof not in page(desk, "/?until=2026-04-30")
            assert "None of these." in page(desk, "/?text=nothing")
            assert desk.client.get("/?since=soon").status_code == 422
            assert desk.client.get("/?status=late").status_code == 422


def test_the_client_searches(tmp_path: Path) -> None:
    with served(tmp_path) as service, Client(service.address) as client:
        made = client.create_workflow(contract(workflow_name="Roof"))
        people = [
            {"role_name": r, "type": "person"} for r in ("researcher", "analyst", "synthesizer")
        ]
        team_id = client.create_team(
            {"team_name": "Three", "team_type": "research", "agent_roles": people}
        ).team_id
        id = client.execute_workflow(made.workflow_id, team_id).execution_id
        (one,) = client.list_executions(text="roof").executions
        assert (one.execution_id, one.is_run) == (id, False)
        assert client.list_executions(text="cellar").executions == []
