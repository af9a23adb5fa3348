"""FC4002: roles that nobody has."""

from __future__ import annotations

import pytest
from flowc.compiler.checks.roles import missing_roles
from flowc.compiler.expr.ast import Literal
from flowc.compiler.ir import Agent, TaskNode


def task(flow, id, role, **more):
    span = flow.span()
    fields = {"prompt": Literal(value="?"), "into": "R", "role_span": span, **more}
    flow.add(TaskNode(id=id, role=role, span=flow.span(), **fields))
    return flow.nodes[id]


def test_without_a_team_a_role_that_is_nearly_another_is_told(flow, found):
    roles = ["cook", "taster", "tatser"]
    first, second, third = (task(flow, f"t{n}", role) for n, role in enumerate(roles))
    (item,) = found(missing_roles, flow.workflow())
    assert item.help == "did you mean `taster`?"
    assert (item.severity, item.primary) == ("warning", third.role_span)
    assert [label.span for label in item.labels] == [second.role_span]
    assert first.role == "cook"


TEAM = (Agent(id="ann", role="cook"), Agent(id="bob", role="taster"))


def test_a_role_that_the_team_lacks_is_named_at_the_first_task_that_needs_it(flow, found):
    tasks = [task(flow, f"t{n}", "baker") for n in range(6)]
    (item,) = found(missing_roles, flow.workflow(agents=TEAM))
    assert item.message == "`t0` needs a `baker`, whom the team does not have"
    assert item.primary == tasks[0].role_span
    assert [label.span for label in item.labels] == [t.role_span for t in tasks[1:4]]
    assert item.notes == ("the team has `cook`, `taster`",)
    assert item.help == "add an agent with that role to the team"


def test_a_role_that_was_nearly_written_is_suggested(flow, found):
    task(flow, "t", "tastr")
    (item,) = found(missing_roles, flow.workflow(agents=TEAM))
    assert item.help == "did you mean `taster`?"


@pytest.mark.parametrize("more", [{"agent": "ann"}, {"role": ""}])
def test_a_task_that_somebody_can_do_lacks_nobody(flow, said, more):
    task(flow, "t", more.pop("role", "baker"), **more)
    assert said(missing_roles, flow.workflow(agents=TEAM)) == []


def test_without_a_team_no_role_is_lacking(flow, said):
    task(flow, "t", "baker")
    assert said(missing_roles, flow.workflow(agents=(Agent(id="ann"),))) == []


def test_a_task_without_a_place_leaves_the_others(flow, found):
    flow.add(TaskNode(id="a", role="smith", prompt=Literal(value="?"), into="R"))
    task(flow, "b", "baker")
    (item,) = found(missing_roles, flow.workflow(agents=TEAM))
    assert "`baker`" in item.message
