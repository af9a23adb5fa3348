"""FC4001: tools that nothing provides."""

from __future__ import annotations

from flowc.compiler.catalog.catalog import Catalog, ToolEntry
from flowc.compiler.checks.bindings import unknown_tools
from flowc.compiler.ir import Program, Tool

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
