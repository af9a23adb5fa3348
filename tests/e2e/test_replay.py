"""A run against a server is recorded; replayed it is the same with the server gone."""

from __future__ import annotations

from pathlib import Path

import pytest
from flowc.runtime.errors import RunError
from openai_server import OpenAIServer, Refuse, Say
from tapes import Taped
from toolchain_flow import FLOW, SUB


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "flow.wf.md").write_text(FLOW)
    (tmp_path / "sub.wf.md").write_text(SUB)
    return tmp_path


def shell(text: str) -> Say:
    return Say(f"```sh\n{text}\n```", usage=(10, 5))


@pytest.fixture
def recorded(folder: Path, monkeypatch) -> Taped:
    """A loop, a hiccup of the provider, commands, a question, a file, a called workflow."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret-key")
    monkeypatch.setenv("DEPLOY_TOKEN", "tok-12345678")
    with OpenAIServer() as server:
        server.will(
            shell("mkdir -p here; cd here; COUNT=1"), Say("IMPROVE"), Refuse(500, "a hiccup"),
            shell('COUNT=$((COUNT+1)); echo "$COUNT in $(basename "$PWD")" tok-12345678'),
            Say("SUCCESS\nbecause it is"), Say("closed"),
        )  # fmt: skip
        run = Taped(
            folder / "flow.wf.md",
            {
                "model": "openai:gpt-demo", "base_url": server.url, "allow_exec": True,
                "record": str(folder / "run.cassette.yaml"),
            },
            store=f"sqlite:///{folder}/runs.db",
        )  # fmt: skip
        assert run.start().status == "paused"
        assert run.resume(only="brave otter").status == "success"
    (folder / "out/name.txt").unlink()
    return run


def replay(folder: Path) -> Taped:
    run = Taped(folder / "flow.wf.md", {"replay": str(folder / "run.cassette.yaml")})
    run.start()
    return run


def test_it_is_the_same_with_the_server_gone(recorded: Taped, folder: Path, monkeypatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.delenv("DEPLOY_TOKEN")
    again = replay(folder)
    assert (again.outcome.status, again.outcome.result) == ("success", "closed")
    assert again.outcome.usage.input_tokens == recorded.outcome.usage.input_tokens > 0
    assert replay(folder).digest == again.digest
    assert not (folder / "out/name.txt").exists(), "a replay writes nothing"
    label = "replayed (recorded 2"
    assert all(str(event.data["replayed"]).startswith(label) for event in again.events)
    models = [e.data["model"] for e in again.events if e.kind == "model_called"]
    assert all(model.startswith(label) and "openai:gpt-demo" in model for model in models)
    assert [e.data["error"] for e in again.events if e.kind == "model_retry"]


def test_no_secret_is_in_the_file(recorded: Taped, folder: Path) -> None:
    file = folder / "run.cassette.yaml"
    text = file.read_text()
    assert "sk-very-secret-key" not in text
    assert "tok-12345678" not in text
    assert "[redacted]" in text
    assert "authorization" not in text.lower()
    assert file.stat().st_mode & 0o077 == 0


def test_one_changed_word_is_refused_with_the_difference(recorded: Taped, folder: Path) -> None:
    flow = folder / "flow.wf.md"
    flow.write_text(FLOW.replace("Judge {{RESULT}}", "Weigh {{RESULT}}"))
    with pytest.raises(RunError) as caught:
        replay(folder)
    assert "`PROMPT_JUDGE`: message 4 (user) is not what was recorded" in caught.value.message
    assert [line for line in caught.value.diff if line[0] in "+-"][2:] == [
        "-Judge $ mkdir -p here; cd here; COUNT=1",
        "+Weigh $ mkdir -p here; cd here; COUNT=1",
    ]
    assert caught.value.exit_code == 1


def test_an_exchange_that_is_missing_is_said(recorded: Taped, folder: Path) -> None:
    file = folder / "run.cassette.yaml"
    documents = file.read_text().split("...\n")
    kept = [text for text in documents if "model: CALL_SUB/PROMPT_END" not in text]
    assert len(kept) == len(documents) - 1
    file.write_text("...\n".join(kept))
    with pytest.raises(RunError) as caught:
        replay(folder)
    assert "`CALL_SUB/PROMPT_END` asks for a model exchange" in caught.value.message
