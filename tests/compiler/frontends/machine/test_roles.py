"""The roles file of a state machine: what agents are told, and their tools (J17)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from flowc.compiler.expr.evaluate import evaluate
from machines import compile_machine, machine

START = {"name": "start"}


@pytest.fixture
def read(tmp_path):
    def compile_here(value: Any, **files: Any) -> Any:
        return compile_machine(tmp_path, value, **files)

    return compile_here


PARSING = {
    "type": "function",
    "function": {"name": "leave", "description": "Leave.", "parameters": {"type": "object"}},
    "parsingOnly": True,
}


def test_roles_j17(read) -> None:
    roles = {
        "host": {"level": "fast", "systemMessage": "Be kind.", "includedTools": ["read_file"]},
        "visitor": {"systemMessage": "", "parsingTools": [PARSING]},
    }
    result = read(machine(START), roles=roles)
    assert result.diagnostics == ()
    host, visitor = result.workflow.agents
    assert (evaluate(host.system, {}), host.tools) == ("Be kind.", ("read_file",))
    assert (visitor.system, visitor.tools) == (None, ("leave",))
    tool = next(t for t in result.workflow.tools if t.id == "leave")
    assert (tool.source, tool.result, tool.description, tool.schema) == (
        "declared", "answer", "Leave.", {"type": "object"},
    )  # fmt: skip


def test_the_roles_of_the_own_folder_win_over_those_beside_j17(read, tmp_path) -> None:
    beside = {"host": {"systemMessage": "beside"}, "visitor": {}}
    (tmp_path / "roles.json").write_text(json.dumps(beside), "utf-8")
    assert evaluate(read(machine(START)).workflow.agents[0].system, {}) == "beside"
    own = {"host": {"systemMessage": "own"}, "visitor": {}}
    assert evaluate(read(machine(START), roles=own).workflow.agents[0].system, {}) == "own"


@pytest.mark.parametrize(
    ("roles", "code"),
    [
        ([], "FC1005"),
        ({"host": 3, "visitor": {}}, "FC1005"),
        ({"host": {"systemMessage": 3}, "visitor": {}}, "FC1005"),
        ({"host": {"includedTools": [3]}, "visitor": {}}, "FC1005"),
        ({"host": {"includedTools": ["no_such_tool"]}, "visitor": {}}, "FC4001"),
        ({"host": {"parsingTools": [{}]}, "visitor": {}}, "FC1003"),
        ({"host": {"parsingTools": [{"function": {}}]}, "visitor": {}}, "FC1003"),
        ({"host": {"sytemMessage": "x"}, "visitor": {}}, "FC1002"),
        ({"hst": {}, "visitor": {}}, "FC1003"),
    ],
)
def test_faults_of_roles_j17(read, roles, code) -> None:
    assert [d.code for d in read(machine(START), roles=roles).diagnostics] == [code]


def test_an_agent_that_the_roles_say_nothing_about_is_a_warning_j17(read) -> None:
    result = read(machine(START), roles={"host": {}})
    assert [(d.code, d.severity) for d in result.diagnostics] == [("FC1003", "warning")]
    assert result.ok
