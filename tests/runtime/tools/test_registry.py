"""The tools of a run: sources, collisions, arguments, and what every source promises."""

from __future__ import annotations

import asyncio
import json
import sys
import wave
from pathlib import Path

import pytest
from flowc.compiler.catalog.catalog import load_catalog
from flowc.compiler.checks import CODES
from flowc.compiler.diagnostics.diagnostic import Sink
from flowc.compiler.source.source import SourceSet
from flowc.runtime.audio.calls.subprocess_call import AudioWorkers
from flowc.runtime.cli.app import run
from flowc.runtime.config.code_files import OwnCode
from flowc.runtime.errors import Failure, RunError
from flowc.runtime.files.roots import Roots
from flowc.runtime.sandbox.confinement import Confinement
from flowc.runtime.sandbox.modules import OwnModules
from flowc.runtime.services import ToolSchema
from flowc.runtime.tools.audio import AudioTools
from flowc.runtime.tools.builtin import BuiltinTools
from flowc.runtime.tools.document import DocumentTools
from flowc.runtime.tools.mcp import McpServer
from flowc.runtime.tools.mcp_servers import ServerSettings
from flowc.runtime.tools.python import PythonFunction
from flowc.runtime.tools.registry import ToolBox, as_json, check_arguments
from flowc.runtime.tools.source import ToolSource
from flowc.runtime.tools.sources import TOOL_SOURCES
from tool_runs import SERVER, function, server, use


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "path", [*sys.path])
    return tmp_path


def make(kind: str, folder: Path) -> ToolSource:
    match kind:
        case "python":
            return function("count_words")
        case "mcp":
            return server()
        case "audio":
            with wave.open(str(folder / "a.wav"), "wb") as file:
                file.setparams((1, 2, 8000, 0, "NONE", ""))
                file.writeframes(bytes(16_000))
            where = Confinement(folder, folder)
            return AudioTools(Roots(folder), AudioWorkers(OwnModules(where)))
        case "document":
            (folder / "plan.md").write_text("## 5. Workflow Log\n")
            return DocumentTools(Roots(folder))
        case _:
            (folder / "words.txt").write_text("one two three")
            return BuiltinTools(Roots(folder))


# --- what every source promises ---


@pytest.mark.parametrize("kind", ["builtin", "audio", "document", "python", "mcp"])
def test_a_source_can_be_opened_called_closed_and_opened_again(kind, folder):
    box = ToolBox((make(kind, folder),))
    name, args = ("read_file", {"path": "words.txt"})
    if kind == "audio":
        name, args = ("audio_measure", {"input": "a.wav"})
    elif kind == "document":
        name, args = ("document_log", {"document": "plan.md", "text": "Once."})
    elif kind != "builtin":
        name, args = ("count_words", {"text": "one two three"})
    first, second = use(box, (name, args)), use(box, (name, args))
    assert first == second
    assert asyncio.run(box.schema(name)) is None, "closed"


@pytest.mark.parametrize("kind", ["builtin", "audio", "document", "python", "mcp"])
def test_closing_twice_or_unopened_is_harmless(kind, folder):
    async def run() -> None:
        source = make(kind, folder)
        await source.close()
        await source.open()
        await source.close()
        await source.close()

    asyncio.run(asyncio.wait_for(run(), 240))


@pytest.mark.parametrize("kind", ["builtin", "audio", "document", "python", "mcp"])
def test_every_tool_has_a_description_and_a_schema_of_an_object(kind, folder):
    async def run() -> tuple[ToolSchema, ...]:
        source = make(kind, folder)
        try:
            return await source.open()
        finally:
            await source.close()

    for tool in asyncio.run(asyncio.wait_for(run(), 240)):
        assert tool.description
        assert tool.parameters["type"] == "object"
        assert tool.effect in ("pure", "idempotent", "once")


def test_every_kind_of_source_is_registered():
    names = {row.kind.__name__ for row in TOOL_SOURCES}
    assert names == {
        "BuiltinTools", "AudioTools", "DocumentTools", "TeamTools",
        "PythonFunction", "McpServer",
    }  # fmt: skip


# --- the box ---


def test_a_name_that_two_sources_claim_is_refused(folder):
    (folder / "clashing.py").write_text("def read_file(path: str) -> str:\n    return path\n")
    box = ToolBox(
        (BuiltinTools(Roots(folder)), PythonFunction("clashing:read_file", OwnCode(str(folder)))),
        ("x",),
    )
    with pytest.raises(RunError, match="from both builtin and python:clashing:read_file"):
        use(box)


def test_a_tool_that_nothing_provides_stops_before_the_run(folder):
    box = ToolBox((BuiltinTools(Roots(folder)),), needed=("read_fiel",))
    with pytest.raises(RunError) as caught:
        use(box)
    assert caught.value.message == "nothing provides the tool `read_fiel`"
    assert "did you mean `read_file`?" in caught.value.help


def test_a_server_is_not_started_when_nothing_of_it_is_needed(folder):
    (folder / "server.py").touch()
    dead = McpServer("dead", ServerSettings("no-such-command"))
    box = ToolBox((BuiltinTools(Roots(folder)), dead), needed=("list_files",))
    assert use(box, ("list_files", {"pattern": "server.py"}))[0]["files"] == ["server.py"]


@pytest.mark.parametrize(
    ("args", "says"),
    [
        ({}, "'text' is a required property"),
        ({"text": 3}, "text: 3 is not of type 'string'"),
        ({"text": "a", "least": "two"}, "least: 'two' is not of type 'integer'"),
    ],
)
def test_arguments_are_checked_before_the_call(folder, args, says):
    failure = use(ToolBox((function("count_words"),)), ("count_words", args))[0]
    assert isinstance(failure, Failure)
    assert failure.message == f"arguments of `count_words`: {says}"


def test_a_schema_that_points_elsewhere_is_not_fetched():
    schema = ToolSchema("x", "", {"$ref": "http://127.0.0.1:9/schema.json"})
    with pytest.raises(Failure, match="schema of `x` is broken"):
        check_arguments(schema, {})


@pytest.mark.parametrize("value", [{1, 2}, float("nan"), object()])
def test_a_result_that_is_no_json_is_a_failure(value):
    with pytest.raises(Failure, match="gave no JSON value"):
        as_json(value, "x")


def test_a_tool_that_takes_too_long_is_a_time_out(folder):
    box = ToolBox((function("slow"),), seconds=0.1)
    failure = use(box, ("slow", {"text": "a"}))[0]
    assert failure.kind == "timeout"


def test_effects_can_be_declared_in_the_configuration(folder):
    box = ToolBox((function("count_words"),), effects={"count_words": "pure"})

    async def effect() -> str:
        await box.open()
        return (await box.schema("count_words")).effect

    assert asyncio.run(effect()) == "pure"


# --- Python functions ---


def test_the_schema_of_a_function_comes_from_its_signature(folder):
    tool = asyncio.run(function("count_words").open())[0]
    assert (tool.name, tool.description) == ("count_words", "Count the words of a text.")
    assert tool.parameters["required"] == ["text"]
    assert tool.parameters["properties"]["least"]["default"] == 1
    assert tool.effect == "once", "unless somebody says otherwise"


def test_what_a_function_raises_is_a_failure_for_the_model(folder):
    failure = use(ToolBox((function("broken"),)), ("broken", {"text": "a"}))[0]
    assert failure.message == "`broken` raised KeyError: 'no such word'"
    no_json = use(ToolBox((function("no_json"),)), ("no_json", {"text": "a"}))[0]
    assert "gave no JSON value" in no_json.message


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("demo_tools", "names no Python function"),
        ("demo_tools:gone", "has no `gone`"),
        ("demo_tools:number", "is not a function"),
        ("acme_nowhere:x", "cannot be imported: ModuleNotFoundError"),
        ("acme_raises:x", "cannot be imported: ZeroDivisionError"),
        ("acme_syntax:x", "cannot be imported: SyntaxError"),
        ("acme_leaves:x", "cannot be imported: SystemExit"),
    ],
)
def test_a_function_that_cannot_be_had_says_why(folder, path, says):
    (folder / "acme_raises.py").write_text("1 / 0\n")
    (folder / "acme_syntax.py").write_text("def x(:\n")
    (folder / "acme_leaves.py").write_text("raise SystemExit(1)\n")
    with pytest.raises(RunError, match=says):
        asyncio.run(PythonFunction(path, OwnCode(str(folder))).open())


@pytest.mark.parametrize(("name", "said"), [("leave", "3"), ("leave_later", "a")])
def test_a_function_cannot_end_flowc(name, said):
    (failure,) = use(ToolBox((function(name),)), (name, {"text": "a"}))
    assert f"`{name}` wanted to end the program (SystemExit: {said})" in failure.message


# --- the lock ---


def test_a_lock_of_the_configured_tools_is_read_by_check(folder, monkeypatch, capsys):
    pytest.importorskip("fastmcp", reason="needs the extra `mcp`")
    demo = f"command = {json.dumps(sys.executable)}\nargs = [{json.dumps(str(SERVER))}]\n"
    (folder / "flowc.toml").write_text(
        '[tools]\npython = ["demo_tools:slow"]\neffects = { slow = "pure" }\n'
        f"[mcp_servers.demo]\n{demo}"
    )
    monkeypatch.chdir(folder)
    assert run(["tools", "list", "--json"]) == 0
    tools = json.loads(capsys.readouterr().out)["tools"]
    assert {tool["source"] for tool in tools} == {
        "builtin", "audio", "document", "team", "python:demo_tools:slow", "mcp:demo"
    }  # fmt: skip
    assert run(["tools", "lock"]) == 0
    sink = Sink(CODES)
    catalog = load_catalog(str(folder / "x.md"), SourceSet(), sink)
    assert sink.all() == ()
    assert catalog.complete
    assert catalog.entries["slow"].effect == "pure"
    assert catalog.entries["count_words"].parameters["required"] == ["text"]
    assert catalog.entries["read_file"].source == "builtin"
    providers = (catalog.entries[name].provider for name in ("count_words", "slow"))
    assert list(providers) == ["mcp:demo", "python:demo_tools:slow"]
