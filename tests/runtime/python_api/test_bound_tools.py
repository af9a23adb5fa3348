"""Tools that a program binds, or its settings list: what is known of them before a run, and what
cannot be one."""

from __future__ import annotations

import re
import sys
from functools import partial
from typing import Annotated

import flowc
import pytest
from flowc import errors
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import InjectedToolCallId, tool
from langgraph.prebuilt import ToolRuntime
from langgraph.types import interrupt

LOUD = """flow: 1
name: loud
params: {TEXT: {type: text, required: true}}
nodes:
  - name: call
    tool: shout
    args: {text: TEXT}
    into: answer
outputs: [answer]
"""


@pytest.fixture
def module(here, monkeypatch):
    """A module with a tool, in the project's folder."""
    (here / "loud_tools.py").write_text("def shout(text: str) -> str:\n    return text.upper()\n")
    monkeypatch.syspath_prepend(str(here))
    yield "loud_tools:shout"
    sys.modules.pop("loud_tools", None)


def test_a_tool_that_is_bound_by_name_is_known_and_so_are_its_arguments(module):
    assert flowc.load(LOUD, tools=[module]).diagnostics == ()
    wrong = flowc.load(LOUD.replace("{text: TEXT}", "{txet: TEXT}"), tools=[module])
    assert [d.code for d in wrong.diagnostics] == ["FC4004"]
    with pytest.raises(errors.RunError, match="the module `loud_tools` has no `whisper`"):
        flowc.load(LOUD, tools=["loud_tools:whisper"])


def test_a_tool_that_a_server_may_have_is_not_called_unknown():
    servers = {"demo": {"command": "no-such-program"}}
    assert flowc.load(LOUD, tools=[servers]).diagnostics == ()


@pytest.mark.parametrize(
    "settings",
    ['tools.python = ["loud_tools:shout"]\n', '[mcp_servers.demo]\ncommand = "no-such-program"\n'],
)
def test_a_tool_that_the_project_s_settings_may_bring_is_not_called_unknown(here, module, settings):
    (here / "flowc.toml").write_text(settings)
    assert flowc.load(LOUD).diagnostics == ()
    assert "loud_tools" not in sys.modules


def test_a_tool_of_settings_that_nobody_granted_is_not_called_unknown(here, module, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(here / "nobody"))
    (here / "flowc.toml").write_text('tools.python = ["loud_tools:shout"]\n')
    assert flowc.load(LOUD).diagnostics == ()


def test_a_lock_of_all_tools_still_says_what_none_of_them_provides(here, module):
    (here / "flowc.toml").write_text('tools.python = ["loud_tools:shout"]\n')
    lock = '{"schema_version": 1, "complete": true, "tools": []}'
    (here / "flowc.tools.json").write_text(lock)
    assert [str(d.code) for d in flowc.load(LOUD).diagnostics] == ["FC4001"]
    assert flowc.load(LOUD, tools=[{"demo": {"command": "x"}}]).diagnostics == ()


def loud_by(*words: str, text: str, ending: str = "!") -> str:
    """Shout a text."""
    return " ".join([*words, text.upper() + ending])


def shout_with_id(text: str, call: Annotated[str, InjectedToolCallId]) -> str:
    """Shout a text."""
    return text.upper() + call


def shout_in_runtime(text: str, runtime: ToolRuntime) -> str:
    """Shout a text."""
    return text.upper()


def shout_more(text: str, **more: str) -> str:
    """Shout a text."""
    return text.upper()


def shout_by_place(text: str, /) -> str:
    """Shout a text."""
    return text.upper()


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (loud_by, "`loud_by` cannot be a tool: `*words` has no name in a call"),
        (shout_more, "`shout_more` cannot be a tool: `**more` has no name in a call"),
        (shout_by_place, "`shout_by_place` cannot be a tool: `text` has no name in a call"),
        (shout_with_id, "`shout_with_id` cannot be a tool: it needs `call`"),
        (tool(shout_with_id), "`shout_with_id` cannot be a tool: it needs `call`"),
        (shout_in_runtime, "`shout_in_runtime` cannot be a tool: it needs `runtime`"),
        (tool(shout_in_runtime), "`shout_in_runtime` cannot be a tool: it needs `runtime`"),
    ],
)
def test_a_tool_that_no_call_can_fill_is_refused_where_it_is_loaded(function, words):
    with pytest.raises(errors.RunError, match=re.escape(words)):
        flowc.load(LOUD, tools=[function])


def shout_ending(ending: str, text: str) -> str:
    """Shout a text with an ending."""
    return text.upper() + ending


@pytest.mark.parametrize(
    "part",
    [
        partial(shout_ending, "!"),
        partial(shout_ending, ending="!"),
        partial(partial(shout_ending), "!"),
    ],
)
def test_a_partial_function_is_a_tool_without_what_it_has_already(part):
    text = LOUD.replace("tool: shout", "tool: shout_ending")
    flow = flowc.load(text, tools=[part])
    assert flow.diagnostics == ()
    assert flow.run({"TEXT": "tea"}).result == "TEA!"
    wrong = flowc.load(text.replace("{text: TEXT}", "{text: TEXT, ending: TEXT}"), tools=[part])
    assert "takes no `ending`" in wrong.report()


ASKING = """flow: 1
name: asking
agents: {clerk: {tools: [approve]}}
nodes:
  - {name: call, tool: approve, args: {what: '"going"'}, into: answer}
  - {name: work, agent: clerk, prompt: Go on., into: answer}
outputs: [answer]
"""


def test_a_tool_may_interrupt_and_is_called_again_with_the_answer():
    asked = []

    @tool
    def approve(what: str) -> str:
        """Ask whether something may be done."""
        asked.append(what)
        return interrupt(f"Is {what} allowed?")

    class Caller(BaseChatModel):
        """Calls the tool, and says what came of it."""

        _llm_type = "caller"

        def bind_tools(self, tools, **choices):
            return self

        def _generate(self, messages, stop=None, run_manager=None, **choices):
            wish = {"name": "approve", "args": {"what": "work"}, "id": "1"}
            asks = messages[-1].type != "tool"
            said = AIMessage("", tool_calls=[wish]) if asks else AIMessage(messages[-1].content)
            return ChatResult(generations=[ChatGeneration(message=said)])

    flow = flowc.load(ASKING, model=Caller(), tools=[approve])
    waiting = flow.run()
    assert [question.text for question in waiting.questions] == ["Is going allowed?"]
    waiting = flow.resume(waiting.run, "yes")
    assert [question.text for question in waiting.questions] == ["Is work allowed?"]
    assert flow.resume(waiting.run, "no").result == "no"
    assert asked == ["going"] * 2 + ["work"] * 2
