"""The options of a run: settled from what was typed and configured, and kept with the run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from flowc.runtime.assembly.run_options import RunOptions, settle
from flowc.runtime.config.settings import Config
from flowc.runtime.errors import RunError


def test_options_survive_the_runs_record(answers):
    options = RunOptions(answers=answers, roots=("/a", "/b"), allow_exec=True, max_steps=7)
    kept = json.loads(json.dumps(options.to_json()))
    assert RunOptions.from_json(kept) == options
    assert RunOptions.from_json({**kept, "of_another_version": 1}) == options


def test_settled_options_hold_absolute_paths(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    settled = settle(RunOptions(answers="a.yaml", roots=("r",), mcp=("m.json",)), Config())
    assert settled.answers == str(tmp_path / "a.yaml")
    assert settled.roots == (str(tmp_path / "r"),)
    assert settled.mcp == (str(tmp_path / "m.json"),)
    assert settled.workspace is None
    assert Path(settled.own).parent == tmp_path / ".flowc/own"
    assert settle(settled, Config()) == settled


def test_settling_again_on_resume_adds_nothing(tmp_path):
    config = Config(roots=("/r",), mcp=("/m.json",), answers="/a.yaml")
    once = settle(RunOptions(), config)
    assert settle(once, config) == once


@pytest.fixture
def answers(tmp_path: Path) -> str:
    path = tmp_path / "a.yaml"
    path.write_text("PROMPT_A: hello")
    return str(path)


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("localhost:8000", "not an address"),
        ("ftp://host/v1", "not an address"),
        ("http://[", "not an address"),
        ("https://me:hunter2@host/v1", "a user or a password"),
    ],
)
def test_a_base_url_is_an_address_without_a_password(url, says):
    for options, config in (
        (RunOptions(base_url=url), Config()),
        (RunOptions(), Config(base_url=url)),
    ):
        with pytest.raises(RunError, match=says) as refused:
            settle(options, config)
        assert "hunter2" not in refused.value.message + refused.value.help


def test_what_is_typed_for_calls_in_doubt_is_apart_from_what_is_configured():
    settled = settle(RunOptions(), Config(on_unknown="repeat"))
    assert (settled.on_unknown, settled.usually) == (None, "repeat")
    assert settle(settled, Config(on_unknown="fail")).usually == "repeat"
    assert settle(RunOptions(on_unknown="fail"), Config()).on_unknown == "fail"


def test_the_workflows_model_is_between_what_is_typed_and_what_is_configured(answers):
    config = Config(answers="/configured.yaml")
    declared = settle(RunOptions(), config, "openai:declared")
    assert (declared.model, declared.answers) == ("openai:declared", None)
    typed = settle(RunOptions(answers=answers), config, "openai:declared")
    assert (typed.model, typed.answers) == (None, answers)


def test_what_only_the_configuration_says_is_not_kept_with_the_run():
    kept = settle(RunOptions(), Config(store="memory:", mcp_servers={"a": {}})).to_json()
    assert not {"store", "mcp_servers", "env", "breakpoints", "otel"} & kept.keys()
