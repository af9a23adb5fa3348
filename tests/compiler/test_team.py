"""Teams: what a file of one may say, and who does which task (C9)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from contracts import contract, step
from flowc.compiler.checks import CODES
from flowc.compiler.diagnostics.diagnostic import Sink
from flowc.compiler.driver import CompileResult, compile_text
from flowc.compiler.ir import TaskNode
from flowc.compiler.source.source import SourceSet
from flowc.compiler.team import Team, read_team

MENU = contract(step("a"), step("b", "a", role="taster"), form="sequential")


def agents(*roles: str) -> list[dict[str, Any]]:
    return [{"agent_id": f"the_{role}", "role": role} for role in roles]


def whole(**fields: Any) -> dict[str, Any]:
    usual = {
        "team_name": "Kitchen",
        "team_type": "research",
        "agents": agents("cook", "taster"),
    }
    return {key: value for key, value in {**usual, **fields}.items() if value is not None}


def with_team(team: Any, menu: str = MENU) -> CompileResult:
    text = team if isinstance(team, str) else json.dumps(team)
    sources = SourceSet(overrides={"team.json": text})
    return compile_text(menu, "menu.json", sources=sources, team="team.json")


def codes(team: Any) -> list[str]:
    return [d.code for d in with_team(team).diagnostics]


@pytest.mark.parametrize(
    "team",
    [
        whole(),
        whole(team_name="K"),
        whole(team_name="K" * 100),
        whole(team_id="k1", team_status="ready"),
        whole(team_type="content_creation"),
        whole(team_type="problem_solving"),
        whole(agents=agents("cook", "taster", "c", "d", "e")),
        whole(workflow_config={"type": "hybrid", "max_iterations": 2, "timeout_minutes": 0.5}),
        whole(
            agents=None,
            agent_roles=[{"role_name": "cook", "agent_config": {}}, {"role_name": "taster"}],
        ),
    ],
)
def test_what_a_team_may_say_c9(team) -> None:
    assert codes(team) == []


@pytest.mark.parametrize(
    ("team", "code"),
    [
        (whole(team_name=None), "FC1003"),
        (whole(team_name=""), "FC1003"),
        (whole(team_name="K" * 101), "FC1005"),
        (whole(team_type=None), "FC1003"),
        (whole(team_type="cooking"), "FC1005"),
        (whole(agents=None), "FC1003"),
        (whole(agents=[]), "FC1005"),
        (whole(agents=agents("cook")), "FC1005"),
        (whole(agents=agents("cook", "taster", "c", "d", "e", "f")), "FC1005"),
        (whole(agents=[*agents("cook"), *agents("cook")]), "FC1004"),
        (
            whole(agents=[*agents("cook"), {**agents("taster")[0], "agent_id": "the_cook"}]),
            "FC1004",
        ),
        (whole(agents=[*agents("cook"), {"agent_id": "x"}]), "FC1003"),
        (whole(agents=[*agents("cook"), {"role": "taster", "type": "animal"}]), "FC1005"),
        (whole(agents=[*agents("cook"), {"role": "taster", "rolle": 1}]), "FC1002"),
        (whole(members=3), "FC1002"),
        (whole(workflow_config={"type": "serial"}), "FC1005"),
        (whole(workflow_config={"timeout_minutes": 0}), "FC1005"),
        ("[]", "FC1005"),
        ("", "FC1008"),
        ("{", "FC1001"),
    ],
)
def test_what_a_team_may_not_say_c9(team, code) -> None:
    found = with_team(team).diagnostics
    assert code in {d.code for d in found}
    assert {d.primary.file for d in found} == {"team.json"}


def test_a_task_is_done_by_the_agent_with_its_role_c9() -> None:
    config = {"model": "gpt-5-mini", "tools": ["read_file", "read_file"], "instructions": "Taste."}
    team = whole(
        agents=[
            {"agent_id": "ann", "role": "cook", "type": "person"},
            {"role": "taster", "configuration": config},
        ]
    )
    workflow = with_team(team).workflow
    tasks = {node.id: node.agent for node in workflow.nodes if isinstance(node, TaskNode)}
    assert tasks == {"a": "ann", "b": "taster"}
    ann, taster = workflow.agents
    assert (ann.person, ann.system) == (True, None)
    assert (taster.person, taster.models, taster.tools) == (
        False,
        ("openai:gpt-5-mini",),
        ("read_file",),
    )
    assert taster.system.value == "Taste."
    assert [(tool.id, tool.source) for tool in workflow.tools] == [("read_file", "builtin")]


def test_a_team_as_it_was_asked_for_c9() -> None:
    asked = [
        {"role_name": "cook", "agent_config": {"instructions": "Cook."}},
        {"role_name": "taster", "agent_config": {"model": "x:y"}},
    ]
    cook, taster = with_team(whole(agents=None, agent_roles=asked)).workflow.agents
    assert (cook.id, cook.role, cook.system.value) == ("cook", "cook", "Cook.")
    assert taster.models == ("x:y",)


def test_a_model_with_a_provider_is_left_as_it_is_and_everybody_knows_the_role_c9() -> None:
    team = whole(agents=[{"role": "cook", "configuration": {"model": "x:y"}}, *agents("taster")])
    cook, taster = with_team(team).workflow.agents
    assert cook.models == ("x:y",)
    assert taster.models == ()
    assert taster.system.value == "You are the taster of the team Kitchen."


def test_a_workflow_without_tasks_needs_no_team() -> None:
    sources = SourceSet(overrides={"team.json": json.dumps(whole())})
    text = "### 🔧 WORKFLOW STEP: Look\n```\nLook.\n```\n"
    result = compile_text(text, "look.md", sources=sources, team="team.json")
    assert [agent.id for agent in result.workflow.agents] == ["worker"]


def test_the_same_team_is_the_same_program_wherever_its_lines_stand() -> None:
    spaced = json.dumps(whole(), indent=8)
    assert with_team(spaced).spec.digest == with_team(whole()).spec.digest
    assert with_team(whole(team_name="Bar")).spec.digest != with_team(whole()).spec.digest


def test_a_team_that_cannot_be_read_says_what_to_name(tmp_path):
    for path, reason in ((tmp_path / "nowhere.json", "was not found"), (tmp_path, "is a folder")):
        sink = Sink(CODES)
        assert read_team(str(path), SourceSet(), sink) == Team()
        (fault,) = sink.all()
        assert fault.code == "FC0001"
        assert reason in fault.message
        assert "people" in fault.help


@pytest.mark.parametrize("id", ["ALL", "a b", "\u00e9", "a\x00", "x" * 201])
def test_an_agent_has_an_id_that_it_can_be_written_to_by_c20(id: str) -> None:
    members = [{"agent_id": id, "role": "cook"}, {"agent_id": "b", "role": "taster"}]
    (found,) = with_team(whole(agents=members)).diagnostics
    assert (found.code, "`agent_id` of agent 1" in found.message) == ("FC1005", True)
    members[0]["agent_id"] = id.strip("\x00")[:1] if id.isascii() else "ok"
    assert codes(whole(agents=members)) == []
