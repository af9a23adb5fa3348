"""A workflow and its conversion ask the same of a model, in the same order, and end alike.

Every workflow that ships or stands in the corpus, in every dialect that says all of it, is run by a
model that answers by what it is asked. Nobody answers a person's questions, and no command is
approved: a run that waits has to wait for the same. A sample is run in `make test`.
"""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import flowc
import pytest
from flowc.compiler.conversion import convert_file
from flowc.compiler.driver import compile_file
from flowc.compiler.frontends import is_workflow
from flowc.compiler.source.source import SourceSet
from flowc.compiler.writers import DIALECTS
from flowc.runtime.testing.normalize import canonical_events
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import StructuredTool
from same_runs import variables_of_source, visits_of_source
from small_flows import small_flow

ROOT = Path(__file__).resolve().parents[2]
ENDS = (".md", ".json", ".yaml")
FILES = sorted(
    file
    for pattern in ("tests/corpus/*/ok/*/main*", "workflows/*/*/*")
    for file in ROOT.glob(pattern)
    if file.name.endswith(ENDS) and is_workflow(SourceSet().read(str(file)))
)
"""Without the plain charts, which no run has."""
PRICE = '[prices."tests:Answering"]\ninput = 1.0\noutput = 1.0\n'
TIME = re.compile(r"\d{4}-\d\d-\d\dT[\d:.+]+")
OF_FILE = re.compile(r"^(ON_[A-Z]+)_.*")
"""A handler's variable has the name of the file that the workflow was first read from."""
ARGUMENTS = ("of", "to", "text", "body", "subject")
VALUES = {"text": "Ada", "number": 2, "integer": 2, "boolean": True, "list": ["a", "b"]}
REPORT = "report_step_result"


class Answering(BaseChatModel):
    """Reports that a step has passed, where it can; else says a line, another one each time that
    the same is asked."""

    asked: list = []  # noqa: RUF012  (a field of pydantic's, copied for each model)
    offered: tuple[str, ...] = ()

    _llm_type = "answering"

    def bind_tools(self, tools, **choices):
        names = (str(t["function"]["name"]) if isinstance(t, dict) else t.name for t in tools)
        bound = self.model_copy(update={"offered": tuple(names)})
        bound.asked = self.asked
        return bound

    def _generate(self, messages, stop=None, run_manager=None, **choices):
        request = ([(m.type, str(m.content)) for m in messages], self.offered)
        said = f"YES\nanswer {1 + self.asked.count(request)}"
        self.asked.append(request)
        calls = []
        if REPORT in self.offered:
            text = str(messages[-1].content)
            keys = re.search(r"an object with the keys (.*)", text)
            number = re.search(r"step_number: (\d+)", text)
            outputs = dict.fromkeys(keys[1].split(", "), said) if keys else {}
            args = {"step_number": int(number[1]) if number else 1, "status": "passed"}
            calls = [{"name": REPORT, "args": {**args, "output_variables": outputs}, "id": "1"}]
        message = AIMessage("" if calls else said, tool_calls=calls)
        return ChatResult(generations=[ChatGeneration(message=message)])


def tools_of(folder: Path) -> list[StructuredTool]:
    """Stand-ins for the tools that a case has in its lock, which nothing here provides."""
    lock = folder / "flowc.tools.json"
    listed = json.loads(lock.read_text(encoding="utf-8"))["tools"] if lock.exists() else []
    return [
        StructuredTool.from_function(
            lambda **_: "done",
            name=tool["name"],
            description=tool["name"],
            args_schema={"type": "object", "properties": {n: {} for n in ARGUMENTS}},
        )
        for tool in listed
    ]


def rank(texts=(), **_: object) -> list[object]:
    """What a case asks of the program around its run."""
    return sorted(texts)


def run(file: Path, of: str, journal: Path) -> dict[str, Any]:
    """What a run did that somebody could notice."""
    model = Answering()
    flow = flowc.load(
        file, format=of, model=model, models={"openai:gpt-4o-mini": model}, journal=journal,
        tools=tools_of(file.parent), nodes={"museum.ranking:rank": rank}, team="people",
    )  # fmt: skip
    inputs = {
        param.name: VALUES.get(param.type, {"about": "a thing"})
        for param in flow.compiled.workflow.params
        if param.required
    }
    stream = flow.stream(inputs)
    events = canonical_events(stream)
    done = stream.outcome
    variables = {OF_FILE.sub(r"\1", name): value for name, value in done.variables.items()}
    return {
        "asked": model.asked,
        "visited": [(e["at"], e["visit"]) for e in events if e["kind"] == "node_started"],
        "tools": [(e["tool"], e.get("args")) for e in events if e["kind"] == "tool_called"],
        "end": (done.status, done.result),
        "variables": variables,
        "questions": [TIME.sub("TIME", question.text) for question in done.questions],
    }


def conversions(file: Path, tmp_path: Path, monkeypatch) -> list[tuple[str, Path, dict[str, str]]]:
    """A copy of the file in its folder, and beside it what says all of it."""
    folder = tmp_path / "here"
    shutil.copytree(file.parent, folder)
    (folder / "flowc.toml").write_text(PRICE, encoding="utf-8")
    monkeypatch.chdir(folder)
    result = compile_file(file.name)
    found: list[tuple[str, Path, dict[str, str]]] = []
    for dialect in DIALECTS:
        out = f"as-{dialect.name}{dialect.suffix}"
        done = convert_file(result.parsed, result.sources.files[file.name], dialect, out)
        if done.losses:
            continue
        for path, text in done.files.items():
            (folder / path).parent.mkdir(exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")
        back = {new: old for names in done.renamed.values() for old, new in names.items()}
        found.append((dialect.name, folder / out, back))
    return [(result.frontend.name, folder / file.name, {}), *found]


def judge(file: Path, tmp_path: Path, monkeypatch) -> set[str]:
    """Compare the runs; give the formats that say all of the file."""
    (of, source, _), *written = conversions(file, tmp_path, monkeypatch)
    assert written
    first = run(source, of, tmp_path / "first.db")
    for name, place, names in written:
        second = run(place, name, tmp_path / f"{name}.db")
        second["visited"] = visits_of_source(second["visited"], names, first["visited"])
        second["variables"] = variables_of_source(second["variables"], first["variables"])
        assert second == first, name
    return {name for name, _, _ in written}


def case_id(file: Path) -> str:
    return file.parent.name if file.name.startswith("main.") else file.name.partition(".")[0]


@pytest.mark.parametrize("file", FILES[::12], ids=case_id)
def test_of_a_sample_every_conversion_asks_the_same(file, tmp_path, monkeypatch):
    judge(file, tmp_path, monkeypatch)


@pytest.mark.soak
@pytest.mark.parametrize("file", FILES, ids=case_id)
def test_every_conversion_asks_the_same(file, tmp_path, monkeypatch):
    judge(file, tmp_path, monkeypatch)


def judge_made(number: int, tmp_path: Path, monkeypatch) -> None:
    folder = tmp_path / f"of-{number}"
    folder.mkdir()
    file = folder / "made.flow.yaml"
    file.write_text(small_flow(number), encoding="utf-8")
    assert judge(file, tmp_path / f"in-{number}", monkeypatch) == {"flow", "flowchart"}


def test_what_is_made_asks_the_same_as_a_flowchart(tmp_path, monkeypatch):
    for number in range(6):
        judge_made(number, tmp_path, monkeypatch)


@pytest.mark.soak
def test_all_that_is_made_asks_the_same_as_a_flowchart(tmp_path, monkeypatch):
    for number in range(300):
        judge_made(number, tmp_path, monkeypatch)
