"""`flowc.load`, `flowc.check`, `flowc.convert`: what a program gives a workflow, what it gets."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import flowc
import pytest
from flowc import errors
from greeting import GREET
from langchain_core.language_models import BaseChatModel, FakeListChatModel, SimpleChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from openai_server import Refuse, Say

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


def shout(text: str) -> str:
    """Shout a text."""
    return text.upper()


async def shout_later(text: str) -> str:
    """Shout a text."""
    return text.upper()


@pytest.fixture
def client(openai_server):
    return ChatOpenAI(model="gpt-x", base_url=openai_server.url, api_key="k", max_retries=0)


def test_a_file_and_its_text_are_the_same_workflow(here):
    (here / "greet.flow.yaml").write_text(GREET, encoding="utf-8")
    from_file, from_text = flowc.load(here / "greet.flow.yaml"), flowc.load(GREET)
    assert from_file.compiled.workflow == from_text.compiled.workflow
    assert (from_file.name, from_file.format, from_text.path) == ("greet", "flow", "<text>")


def test_faults_are_values_with_line_and_column():
    flow = flowc.load("flow: 1\nname: x\nnodes:\n  - {name: a, assign: {}, nxt: b}\n")
    assert not flow.ok
    fault = flow.diagnostics[0]
    assert (fault.code, fault.severity, fault.file) == ("FC1002", "error", "<text>")
    assert (fault.at.line, fault.at.column) == (4, 27)
    assert str(fault).startswith("<text>:4:27: error[FC1002] ")
    assert "4 |   - {name: a, assign: {}, nxt: b}" in flow.report()


@pytest.mark.parametrize(
    "source", ["missing.flow.yaml", ".", "binary.flow.yaml", "empty.flow.yaml"]
)
def test_what_cannot_be_read_is_a_fault_and_no_exception(here, source):
    (here / "binary.flow.yaml").write_bytes(b"\xff\xfe\x00")
    (here / "empty.flow.yaml").write_bytes(b"")
    flow = flowc.load(source)
    assert not flow.ok
    assert flow.diagnostics
    with pytest.raises(errors.Faulty) as refused:
        flow.run()
    assert refused.value.diagnostics[0]["code"].startswith("FC")


def test_a_model_of_langchain_answers(client, openai_server):
    openai_server.will(Say("Good evening."))
    outcome = flowc.load(GREET, model=client).run({"WHO": "Ada"})
    assert outcome.variables["greeting"] == "Good evening."
    assert (outcome.usage.input_tokens, outcome.usage.output_tokens) == (11, 7)
    (request,) = openai_server.requests
    assert request.body["model"] == "gpt-x"
    assert request.body["messages"][-1]["content"] == "Say hello to Ada"


def test_a_model_that_an_agent_names_answers_for_it(client, openai_server):
    openai_server.will(Say("Hello from the other."))
    text = GREET.replace("{system: You are polite.}", "{system: You are polite., model: other}")
    never = FakeListChatModel(responses=["Hello from the first."])
    outcome = flowc.load(text, model=never, models={"other": client}).run({"WHO": "Ada"})
    assert outcome.variables["greeting"] == "Hello from the other."


def test_where_each_agent_names_a_model_that_is_bound_no_other_is_wanted(client, openai_server):
    openai_server.will(Say("Hello from the only one."))
    text = GREET.replace("{system: You are polite.}", "{system: You are polite., model: other}")
    outcome = flowc.load(text, models={"other": client}).run({"WHO": "Ada"})
    assert outcome.variables["greeting"] == "Hello from the only one."
    with pytest.raises(errors.RunError, match="no model was chosen"):
        flowc.load(text, models={"another": client}).run({"WHO": "Ada"})


def test_what_a_model_refuses_is_the_failure_of_its_node(client, openai_server):
    openai_server.will(Refuse(401, "who are you"))
    outcome = flowc.load(GREET, model=client).run({"WHO": "Ada"})
    assert outcome.status == "error"
    assert "401" in outcome.error["message"]


class Whole(BaseChatModel):
    """A model that does not stream: its answer comes in one piece, which is not a chunk."""

    _llm_type = "whole"

    def bind_tools(self, tools, **named):
        return self

    def _generate(self, *args, **named):
        call = {"name": "shout", "id": "1", "args": {"text": "hi"}}
        last = args[0][-1].type == "tool"
        message = AIMessage("HI" if last else "", tool_calls=[] if last else [call])
        return ChatResult(generations=[ChatGeneration(message=message)])


def test_a_model_that_does_not_stream_calls_tools_too():
    text = """flow: 1
name: ask
agents: {host: {system: You answer., tools: [shout]}}
nodes: [{name: hello, agent: host, prompt: Say hi., into: answer}]
outputs: [answer]
"""
    outcome = flowc.load(text, model=Whole(), tools=[shout]).run({})
    assert (outcome.status, outcome.variables) == ("success", {"answer": "HI"})


class Odd(SimpleChatModel):
    """A model with a fault of its own."""

    _llm_type = "odd"

    def _call(self, *args, **named):
        raise ZeroDivisionError("by nothing")


def test_an_exception_of_the_program_s_own_model_is_a_failure_too():
    outcome = flowc.load(GREET, model=Odd()).run({"WHO": "Ada"})
    assert outcome.status == "error"
    assert outcome.error["message"].endswith("raised ZeroDivisionError: by nothing")


def test_a_model_and_answers_exclude_each_other():
    with pytest.raises(errors.RunError, match="`model` and `answers` exclude each other"):
        flowc.load(GREET, model="openai:x", answers={"hello": "x"})


def one_tool(text: str) -> str:
    """Give a text back."""
    return text


@pytest.mark.parametrize(
    ("source", "how", "words"),
    [
        (None, {}, "a workflow is a path or a text, not None"),
        (b"flow: 1", {}, "a workflow is a path or a text, not b'flow: 1'"),
        (GREET, {"model": 5}, "`model` is a chat model of LangChain's or a name, not 5"),
        (GREET, {"model": ""}, "`model` takes a text that is not empty, not ''"),
        ("", {}, "a workflow is a path or a text, not ''"),
        (GREET, {"journal": ""}, "`journal` is empty"),
        (GREET, {"tools": [{"mcpServers": 3}]}, "`tools` is a mapping from names to MCP servers"),
        (GREET, {"tools": ["shop"]}, r"`shop` names no Python function \(write module:function\)"),
        (
            GREET,
            {"tools": [dict]},
            r"`dict` cannot be a tool: it is a class \(give an object: dict",
        ),
        (GREET, {"tools": [one_tool, one_tool]}, "two of `tools` are called `one_tool`"),
        (GREET, {"models": ["x"]}, "`models` is a mapping from names to chat models, not"),
        (GREET, {"models": {"a": "openai:x"}}, "`models.a` is a chat model of LangChain's, not"),
        (GREET, {"tools": [5]}, "`5` cannot be a tool"),
        (GREET, {"tools": "shop:pay"}, "`tools` is a list of tools, not 'shop:pay'"),
        (GREET, {"tools": {"files": {"command": "x"}}}, "`tools` is a list of tools, not"),
        (GREET, {"tools": len}, "`tools` is a list of tools, not"),
        (GREET, {"nodes": [len]}, "`nodes` is a mapping from names to functions, not"),
        (GREET, {"permissions": {"commands": "allow"}}, "`permissions` is a flowc.Permissions"),
        (GREET, {"journal": 5}, "`journal` is the URL of a store, not 5"),
        (GREET, {"project": 5}, "`project` is a folder, not 5"),
        (GREET, {"format": 5}, "`format` is the name of a format, not 5"),
        (GREET, {"tools": [{"files": 3}]}, "tools.files is not an object"),
        (GREET, {"tools": 5}, "`tools` is a list of tools, not 5"),
        (GREET, {"answers": 5}, "`answers` are a path or a mapping, not 5"),
        (GREET, {"team": 5}, "`team` takes a path, not 5"),
    ],
)
def test_what_is_not_what_it_should_be_is_refused_in_words(source, how, words):
    with pytest.raises(errors.RunError, match=words):
        flowc.load(source, **how)


@pytest.mark.parametrize(
    ("permissions", "words"),
    [
        ({"sandbox": "maybe"}, "`permissions.sandbox` is one of auto, strict, off, not 'maybe'"),
        ({"sandbox": False}, "`permissions.sandbox` is one of auto, strict, off, not False"),
        ({"commands": "yes"}, "`permissions.commands` is one of ask, allow, not 'yes'"),
        ({"commands": True}, "`permissions.commands` is one of ask, allow, not True"),
        ({"network": "no"}, "`permissions.network` is True or False, not 'no'"),
        ({"network": 1}, "`permissions.network` is True or False, not 1"),
        ({"roots": "build"}, "`permissions.roots` is a list of folders, not 'build'"),
        ({"roots": [5]}, "`permissions.roots` is a list of folders, not 5"),
        ({"roots": 5}, "`permissions.roots` is a list of folders, not 5"),
        ({"workspace": 5}, "`permissions.workspace` takes a path, not 5"),
        ({"trust": 5}, "`permissions.trust` takes a text, not 5"),
    ],
)
def test_a_permission_that_is_not_there_is_never_taken_for_another(permissions, words):
    with pytest.raises(errors.RunError, match=words):
        flowc.load(GREET, permissions=flowc.Permissions(**permissions))


def test_answers_may_be_a_file(here):
    (here / "some.answers.yaml").write_text("hello: From a file.\n", encoding="utf-8")
    outcome = flowc.load(GREET, answers="some.answers.yaml").run({"WHO": "Ada"})
    assert outcome.variables["greeting"] == "From a file."


def test_a_fault_in_the_answers_is_said():
    with pytest.raises(errors.RunError, match="the answers"):
        flowc.load(GREET, answers={"hello": object()})


@pytest.mark.parametrize(
    "source",
    [shout, tool(shout), tool(shout_later), "load_tools:shout"],
    ids=["function", "tool", "async tool", "name"],
)
def test_functions_tools_of_langchain_and_names_are_tools(here, monkeypatch, source):
    if source == "load_tools:shout":
        text = "def shout(text: str) -> str:\n    'Shout.'\n    return text.upper()\n"
        (here / "load_tools.py").write_text(text, encoding="utf-8")
        monkeypatch.syspath_prepend(str(here))
    text = LOUD.replace("shout", "shout_later") if "later" in str(source) else LOUD
    assert flowc.load(text, tools=[source]).run({"TEXT": "tea"}).result == "TEA"


def test_mcp_servers_are_tools():
    server = str(Path(__file__).parents[2] / "fixtures/demo_mcp_server.py")
    servers = {"mcpServers": {"demo": {"command": sys.executable, "args": [server]}}}
    text = LOUD.replace("tool: shout", "tool: number")
    outcome = flowc.load(text, tools=[servers]).run({"TEXT": "tea"})
    assert (outcome.status, outcome.result) == ("success", 3), outcome.error


def test_a_tool_is_known_before_anything_runs():
    assert [d.code for d in flowc.load(LOUD).diagnostics] == ["FC4001"]
    assert flowc.load(LOUD, tools=[shout]).diagnostics == ()


def test_a_name_that_nothing_binds_is_never_imported(here, monkeypatch):
    (here / "trap.py").write_text("raise SystemExit('imported')\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(here))
    flow = flowc.load(LOUD.replace("tool: shout", "tool: 'trap:shout'"))
    with pytest.raises(errors.RunError):
        flow.run({"TEXT": "x"})
    assert "trap" not in sys.modules


def test_what_cannot_be_a_tool_is_refused():
    with pytest.raises(errors.RunError, match="cannot be a tool"):
        flowc.load(LOUD, tools=[lambda text: text])
    pure = tool(shout)
    pure.metadata = {"effect": "sometimes"}
    with pytest.raises(errors.RunError, match="`sometimes` is not what a call"):
        flowc.load(LOUD, tools=[pure])


def test_a_fault_speaks_of_arguments_and_of_no_flag(here):
    (here / "what.md").write_text("Hello.\n", encoding="utf-8")
    faults = [*flowc.load("what.md").diagnostics, *flowc.check("what.md")]
    assert [fault.help.partition(":")[0] for fault in faults] == [
        "say which format it is with `format=…`"
    ] * 2
    assert "--from" not in flowc.load("what.md").report()


def test_check_takes_paths():
    with pytest.raises(errors.RunError, match="`paths` is a list of files and folders, not 5"):
        flowc.check(5)


def test_the_store_may_be_named_by_its_file(here):
    flow = flowc.load(GREET, answers={"hello": "Hello."}, journal=here / "mine.db")
    assert flow.run({"WHO": "Ada"}).status == "paused"
    assert (here / "mine.db").is_file()


def test_check_gives_the_faults_of_a_folder_sorted(here):
    for name, key in (("b", "assing"), ("a", "assign")):
        text = f"flow: 1\nname: x\nnodes:\n  - {{name: a, {key}: {{}}}}\n"
        (here / f"{name}.flow.yaml").write_text(text, encoding="utf-8")
    faults = flowc.check(".")
    assert {fault.file for fault in faults if fault.severity == "error"} == {"b.flow.yaml"}
    assert flowc.check([here / "a.flow.yaml"]) == []
    (here / "empty").mkdir()
    with pytest.raises(errors.RunError, match="no workflow lies in the folder"):
        flowc.check("empty")


def test_convert_gives_files_and_losses():
    done = flowc.convert(GREET, "flow")
    assert list(done.files) == ["greet.flow.yaml"]
    assert done.losses == ()
    losses = flowc.convert(GREET, "steps").losses
    assert {loss.code for loss in losses} == {"FC6001"}
    assert all(loss.at for loss in losses)
    with pytest.raises(errors.RunError, match="there is no format `word`"):
        flowc.convert(GREET, "word")
    with pytest.raises(errors.Faulty):
        flowc.convert("flow: 1\nnodes: 3\n", "flow")


def test_importing_flowc_loads_nothing_heavy():
    code = (
        "import flowc, sys; print(sorted(flowc.__all__) == sorted(dir(flowc))[:-1] or dir(flowc));"
        "heavy = {'langgraph', 'langchain_core', 'lark', 'pydantic', 'numpy', 'asyncio'};"
        "print(heavy & set(sys.modules)); flowc.check; print('langgraph' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert lines[1:] == ["set()", "False"]
    with pytest.raises(AttributeError, match="module 'flowc' has no attribute 'lode'"):
        flowc.lode  # noqa: B018
