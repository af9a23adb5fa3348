"""FC4001 and FC4002: tools that nothing provides, roles that nobody has."""

from __future__ import annotations

import pytest
from flowc.compiler.catalog.catalog import Catalog, ToolEntry
from flowc.compiler.checks.bindings import missing_roles, unknown_tools
from flowc.compiler.expr.ast import Literal
from flowc.compiler.ir import REPORT_TOOL, Agent, Program, TaskNode, Tool

KNOWN = {
    "find_issue": ToolEntry("find_issue", "Find an issue.", {}, "pure", "lock"),
}


def check(flow, *tools, complete=True):
    workflow = flow.workflow(tools=tools)
    program = Program(entry="a.md", workflows=(("a.md", workflow),))
    return list(unknown_tools(workflow, program, Catalog(KNOWN, complete)))


def test_a_tool_outside_a_complete_catalogue_is_an_error(flow):
    (item,) = check(flow, Tool(id="find_isue", span=flow.span(9)))
    assert (item.code, item.severity) == ("FC4001", "error")
    assert item.message == "nothing provides the tool `find_isue`"
    assert item.help == "did you mean `find_issue`?"
    assert item.fix is not None
    assert not item.fix.safe


def test_it_is_a_warning_while_other_sources_may_provide_it(flow):
    (item,) = check(flow, Tool(id="send_mail", span=flow.span(9)), complete=False)
    assert item.severity == "warning"
    assert "flowc tools lock" in item.help


def test_tools_that_are_bound_are_not_mentioned(flow):
    bound = Tool(id="find_issue", source="lock", effect="pure", span=flow.span(10))
    assert check(flow, bound) == []


def test_tools_that_a_format_adds_have_no_place_and_are_not_mentioned(flow):
    assert check(flow, Tool(id="something")) == []


def test_a_tool_of_the_format_itself_needs_no_source(flow):
    assert check(flow, Tool(id=REPORT_TOOL, span=flow.span(9))) == []


def test_every_unknown_tool_is_named_at_its_place(flow):
    known = Tool(id="find_issue", source="lock", effect="pure", span=flow.span(10))
    tools = (Tool(id="one", span=flow.span(3)), known, Tool(id="two", span=flow.span(3)))
    assert [item.primary for item in check(flow, *tools)] == [tools[0].span, tools[2].span]


def test_where_the_name_is_written_in_another_way_nothing_can_be_replaced(flow):
    (item,) = check(flow, Tool(id="find_isue", span=flow.span(20)))
    assert (item.help, item.fix) == ("did you mean `find_issue`?", None)


@pytest.mark.parametrize("complete", [True, False])
def test_what_a_tool_that_nothing_resembles_needs(flow, complete):
    (item,) = check(flow, Tool(id="zzz", span=flow.span(3)), complete=complete)
    assert item.fix is None
    assert ("add the server" in item.help) is complete
    assert bool(item.notes) is not complete


def task(flow, id, role, **more):
    span = flow.span()
    fields = {"prompt": Literal(value="?"), "into": "R", "role_span": span, **more}
    flow.add(TaskNode(id=id, role=role, span=flow.span(), **fields))
    return flow.nodes[id]


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
