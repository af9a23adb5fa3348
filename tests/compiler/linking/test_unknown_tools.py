"""FC4001: tools that nothing provides."""

from __future__ import annotations

import pytest
from flowc.compiler.catalog.catalog import Catalog, ToolEntry
from flowc.compiler.checks import CODES
from flowc.compiler.diagnostics.diagnostic import Diagnostic, Sink
from flowc.compiler.ir import REPORT_TOOL, Program, Tool, Workflow
from flowc.compiler.linking.resolve import resolve
from flowc.compiler.source.source import Span

KNOWN = {
    "find_issue": ToolEntry("find_issue", "Find an issue.", {}, "pure", "lock"),
}


def check(*tools: Tool, complete: bool = True) -> tuple[Diagnostic, ...]:
    workflow = Workflow(name="w", tools=tools)
    program = Program(entry="a.md", workflows=(("a.md", workflow),))
    sink = Sink(CODES)
    resolve(program, Catalog(KNOWN, complete), sink)
    return sink.all()


def place(length: int, start: int = 0) -> Span:
    return Span("a.md", start, start + length)


def test_a_tool_outside_a_complete_catalogue_is_an_error() -> None:
    (item,) = check(Tool(id="find_isue", span=place(9)))
    assert (item.code, item.severity) == ("FC4001", "error")
    assert item.message == "nothing provides the tool `find_isue`"
    assert item.help == "did you mean `find_issue`?"
    assert item.fix is not None
    assert not item.fix.safe


def test_it_is_a_warning_while_other_sources_may_provide_it() -> None:
    (item,) = check(Tool(id="send_mail", span=place(9)), complete=False)
    assert item.severity == "warning"
    assert "flowc tools lock" in item.help


def test_tools_that_are_bound_are_not_mentioned() -> None:
    bound = Tool(id="find_issue", span=place(10))
    assert check(bound) == ()


def test_tools_that_a_format_adds_have_no_place_and_are_not_mentioned() -> None:
    assert check(Tool(id="something")) == ()


def test_a_tool_of_the_format_itself_needs_no_source() -> None:
    assert check(Tool(id=REPORT_TOOL, span=place(9))) == ()


def test_every_unknown_tool_is_named_at_its_place() -> None:
    known = Tool(id="find_issue", span=place(10))
    tools = (Tool(id="one", span=place(3)), known, Tool(id="two", span=place(3, 20)))
    assert [item.primary for item in check(*tools)] == [tools[0].span, tools[2].span]


def test_where_the_name_is_written_in_another_way_nothing_can_be_replaced() -> None:
    (item,) = check(Tool(id="find_isue", span=place(20)))
    assert (item.help, item.fix) == ("did you mean `find_issue`?", None)


@pytest.mark.parametrize("complete", [True, False])
def test_what_a_tool_that_nothing_resembles_needs(complete: bool) -> None:
    (item,) = check(Tool(id="zzz", span=place(3)), complete=complete)
    assert item.fix is None
    assert ("add the server" in item.help) is complete
    assert bool(item.notes) is not complete
