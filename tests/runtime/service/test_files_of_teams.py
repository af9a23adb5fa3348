"""What came by a request reads and writes no file of the machine, unless the operator gave its team
a folder; and no variable of the environment that the team was not given."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flowc.runtime.assembly.reach import Reach
from flowc.runtime.cli.serving.team_reach import read_reaches
from flowc.runtime.errors import RunError

from .conftest import Desk, Opening
from .test_access import bearer, token

CANARY = "CANARY-OF-THE-SERVER"
PATIENCE = 20.0


def tool(name: str, **args: str) -> str:
    values = ", ".join(f"{key}: '\"{value}\"'" for key, value in args.items())
    reach = f"  - name: reach\n    tool: {name}\n    args: {{{values}}}\n    into: found\n"
    return f"flow: 1\nnodes:\n{reach}outputs: [found]\n"


def chart(*lines: str) -> str:
    return "# Workflow\n\n```mermaid\nflowchart TD\n" + "\n".join(lines) + "\n```\n"


WAYS = {
    "read_file": ("a.flow.yaml", tool("read_file", path="secret.txt")),
    "list_files": ("a.flow.yaml", tool("list_files", path=".")),
    "search_files": ("a.flow.yaml", tool("search_files", text="CANARY")),
    "query_json": ("a.flow.yaml", tool("query_json", path="secret.json", expression="data")),
    "write_file": ("a.flow.yaml", tool("write_file", path="made.txt", content="x")),
    "git_status": ("a.flow.yaml", tool("git_status")),
    "git_log": ("a.flow.yaml", tool("git_log")),
    "expression": (
        "a.flow.yaml",
        'flow: 1\nnodes:\n  - name: reach\n    assign:\n      found: read_file("secret.txt")\n'
        "outputs: [found]\n",
    ),
    "SET file:": (
        "a.wf.md",
        chart("START --> SET_A[file:made.txt=x] --> SUCCESS"),
    ),
    "file: in PARAMS": (
        "a.wf.md",
        chart("PARAMS[E=file:secret.txt] -.- START", "START --> ASSIGN_R[E] --> SUCCESS"),
    ),
}


@pytest.fixture
def beside(tmp_path: Path) -> Iterator[Path]:
    """The folder of the service, which holds what no team may see."""
    for name in ("secret.txt", "secret.json"):
        (tmp_path / name).write_text(f'"{CANARY}"')
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    yield tmp_path
    assert not (tmp_path / "made.txt").exists()


def rested(desk: Desk, file: str, source: str, **headers: str) -> tuple[str, Any]:
    """The status of a workflow that was executed, and its result or its error."""
    asked = {"file_name": file, "source": source}
    workflow = desk.post("/workflows", asked, **headers)["workflow_id"]
    id = desk.post("/executions", {"workflow_id": workflow}, **headers)["execution_id"]
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        status = desk.get(f"/executions/{id}", **headers)
        if status["workflow_status"] in ("completed", "failed"):
            return status["workflow_status"], status["failure"] or status["result"]
        time.sleep(0.05)
    raise AssertionError(desk.get(f"/executions/{id}", **headers))


def is_refusal(told: Any) -> bool:
    """A chart without an edge for failures tells of none: that it succeeds with a folder shows why
    it failed."""
    return any(part in str(told) for part in ("file of this machine", "ended FAILED"))


@pytest.mark.parametrize("way", WAYS)
def test_without_a_folder_there_are_no_files(beside: Path, desk: Desk, way: str) -> None:
    status, told = rested(desk, *WAYS[way])
    assert status == "failed"
    assert is_refusal(told), told
    assert CANARY not in str(told)


@pytest.mark.parametrize("way", WAYS)
def test_a_team_has_the_files_of_its_folder(beside: Path, opening: Opening, way: str) -> None:
    room = beside / "room"
    room.mkdir()
    (room / "secret.txt").write_text("ours CANARY")
    (room / "secret.json").write_text('"ours CANARY"')
    subprocess.run(["git", "init", "-q"], cwd=room, check=True)
    with opening(reaches={"hedge": Reach(room)}) as desk:
        ours, theirs = (bearer(token(desk, "operate", team)) for team in ("hedge", "other"))
        status, told = rested(desk, *WAYS[way], **ours)
        if way != "git_log":  # there are no commits yet
            assert status == "completed", told
        assert CANARY not in str(told)
        if way in ("read_file", "search_files", "query_json", "expression", "file: in PARAMS"):
            assert "ours CANARY" in str(told)
        if way in ("write_file", "SET file:"):
            assert (room / "made.txt").read_text() == "x"
        status, told = rested(desk, *WAYS[way], **theirs)
        assert status == "failed"
        assert is_refusal(told), told


@pytest.mark.parametrize("path", ["../secret.txt", "link.txt", "{beside}/secret.txt"])
def test_no_way_leads_out_of_it(beside: Path, opening: Opening, path: str) -> None:
    room = beside / "room"
    room.mkdir()
    (room / "link.txt").symlink_to("../secret.txt")
    source = tool("read_file", path=path.format(beside=beside))
    with opening(reaches={"": Reach(room)}) as desk:
        status, told = rested(desk, "a.flow.yaml", source)
    assert (status, "outside" in str(told)) == ("failed", True)


def test_a_planted_configuration_is_not_read(beside: Path, opening: Opening) -> None:
    room = beside / "room"
    room.mkdir()
    (room / "flowc.toml").write_text('[tools]\npython = ["evil:pwn"]\n')
    (room / "evil.py").write_text(f"open({str(room / 'came')!r}, 'w')\ndef pwn() -> str: ...\n")
    with opening(reaches={"": Reach(room)}) as desk:
        rested(desk, "a.flow.yaml", tool("list_files", path="."))
    assert not (room / "came").exists()
    assert "evil" not in sys.modules


def test_a_team_reads_the_variables_that_it_was_given(
    opening: Opening, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REGION", "north")
    source = "flow: 1\nparams: {where: {type: text, env: REGION, default: nowhere}}\nnodes:\n"
    source += "  - name: say\n    assign: {found: where}\noutputs: [found]\n"
    with opening(reaches={"hedge": Reach(env=("REGION",))}) as desk:
        for team, expected in (("hedge", "north"), ("other", "nowhere")):
            told = rested(desk, "a.flow.yaml", source, **bearer(token(desk, "operate", team)))
            assert told == ("completed", expected)


@pytest.mark.parametrize(
    ("grant", "what"), [("network: true", "network"), ("workspace: .", "workspace")]
)
def test_a_request_grants_itself_nothing_though_the_folder_of_the_service_is_trusted(
    opening: Opening, grant: str, what: str
) -> None:
    source = f"flow: 1\nnodes:\n  - {{name: act, exec: 'true', into: X, {grant}}}\n"
    with opening() as desk:
        state, told = rested(desk, "a.flow.yaml", source, **bearer(token(desk, "operate", "hedge")))
    assert state == "failed"
    assert f"cannot grant itself the {what}" in str(told)


@pytest.mark.parametrize(
    ("roots", "env", "reason"),
    [
        (["room"], [], "for which team"),
        (["a=nowhere"], [], "no folder"),
        (["a=."], [], "folder of the service"),
        (["a=.."], [], "folder of the service"),
        (["a=room", "a=room"], [], "two folders"),
        (["a=room", "b=room/inner"], [], "has"),
        (["a=room/inner", "b=room"], [], "has"),
        (["a=.flowc"], [], "store"),
        ([], ["REGION"], "for which team"),
    ],
)
def test_what_an_operator_cannot_mean(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, roots: list[str], env: list[str], reason: str
) -> None:
    for name in ("room/inner", ".flowc"):
        (tmp_path / name).mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(RunError, match=reason) as raised:
        read_reaches(roots, env, tmp_path)
    assert raised.value.help


def test_what_an_operator_says(tmp_path: Path) -> None:
    room = tmp_path / "room"
    room.mkdir()
    said = read_reaches([f"a={room}"], ["a=ONE", "a=TWO", "=THREE"], tmp_path)
    assert said == {"a": Reach(room, ("ONE", "TWO")), "": Reach(env=("THREE",))}
