"""What was granted stays what it was: folders that commands replace, swap and link to others."""

from __future__ import annotations

import asyncio
import ctypes
import multiprocessing
from collections.abc import Callable
from pathlib import Path

import pytest
from flowc.runtime.errors import Failure
from flowc.runtime.files.granted import LinkedFolder, open_below, open_granted
from flowc.runtime.sandbox.confine import prepare, probe
from flowc.runtime.sandbox.confinement import Confinement
from flowc.runtime.sandbox.jobs import BY_BUBBLEWRAP
from flowc.runtime.sandbox.policy import Policy, shell_reads
from flowc.runtime.sandbox.shell import BashShell
from flowc.runtime.services import Grants
from shells import PATH

from .conftest import ENV, popen

pytestmark = pytest.mark.skipif(probe("shell").level == "weak", reason="no sandbox here")
CANARY = "canary-of-outside"
LEVELS = ("full", "strong", "bubblewrap")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/secret").write_text(CANARY)
    (tmp_path / "project").mkdir()
    return tmp_path / "project"


@pytest.fixture(params=LEVELS)
def level(request: pytest.FixtureRequest, layers: Callable[..., None]) -> str:
    if request.param == "bubblewrap":
        request.getfixturevalue("by_bubblewrap")
        return "full"
    if request.param == "strong":
        layers("limits", "landlock", "seccomp", required=("landlock", "seccomp"))
    elif probe("shell").level != "full":
        pytest.skip("no full sandbox here")
    return str(request.param)


def shell_of(project: Path, workspace: Path | None = None) -> Callable[..., str]:
    """Run commands of one run in the project; what they say, or why they were refused."""
    where = Confinement(project, project / ".flowc/own/r", workspace=workspace)
    shell = BashShell(PATH, where)

    def run(command: str, granted: str = "") -> str:
        try:
            return asyncio.run(shell.run(command, "", Grants(workspace=granted))).stdout
        except Failure as failure:
            return f"refused: {failure.message}"

    return run


def test_a_folder_of_its_own_that_a_command_replaced_is_refused(project: Path, level: str) -> None:
    run = shell_of(project)
    outside = project.parent / "outside"
    first = run(
        "mv .flowc/own .flowc/x; mkdir .flowc/own; "
        f"ln -s {outside} .flowc/own/r; ls -la .flowc/own; true",
        granted=".",
    )
    second = run(f"cat $HOME/secret {outside}/secret; echo bad > $HOME/pwned", granted=".")
    assert CANARY not in first + second
    assert sorted(path.name for path in outside.iterdir()) == ["secret"]
    if level == "full":  # it was not there to be replaced
        assert not (project / ".flowc/own/r").is_symlink()
    else:
        assert "no longer the folder that was granted" in second


def test_the_next_process_of_a_run_follows_no_link_to_it_either(project: Path) -> None:
    (project / ".flowc/own").mkdir(parents=True)
    (project / ".flowc/own/r").symlink_to(project.parent / "outside")
    assert "cannot be made" in shell_of(project)("cat $HOME/secret")
    assert not (project.parent / "outside/tmp").exists()


def test_data_of_flowc_is_in_no_view(project: Path, level: str) -> None:
    data = project / ".flowc"
    data.mkdir()
    (data / "runs.db").write_text(CANARY)
    (project / "note").write_text("a note")
    said = shell_of(project)(
        "cat .flowc/runs.db; cp .flowc/runs.db $HOME/copy && cat $HOME/copy; cat note;"
        "echo mine > $HOME/mine; cat $HOME/mine"
    )
    assert CANARY not in said
    assert "a note" in said
    assert "mine" in said
    said = shell_of(project)("cat .flowc/runs.db; echo bad > .flowc/runs.db; mv .flowc x", ".")
    if level == "full":
        assert CANARY not in said
        assert (data / "runs.db").read_text() == CANARY


def test_data_of_another_project_further_below_is_seen_as_documented(project: Path) -> None:
    """Nobody looks for it: there may be a hundred thousand folders. docs/sandbox.md says so."""
    (project / "other/.flowc").mkdir(parents=True)
    (project / "other/.flowc/runs.db").write_text(CANARY)
    assert CANARY in shell_of(project)("cat other/.flowc/runs.db")
    assert CANARY not in shell_of(project / "other")("cat .flowc/runs.db")


def test_the_folders_that_are_hidden_are_those_named_too(project: Path, tmp_path: Path) -> None:
    settings = project / "settings"
    settings.mkdir()
    (settings / "config.toml").write_text(CANARY)
    where = Confinement(project, project / ".flowc/own/r", hidden=(settings,))
    found = asyncio.run(BashShell(PATH, where).run("cat settings/config.toml; ls", ""))
    assert CANARY not in found.stdout
    assert "settings" in found.stdout


def test_no_link_below_a_granted_folder_is_followed(project: Path) -> None:
    top = open_granted(project)
    (project / "link").symlink_to(project.parent / "outside")
    (project / "file").write_text("")
    for name in ("link", "link/deeper", "a/../link"):
        with pytest.raises(LinkedFolder):
            open_below(top, name)
    for name in ("..", "../outside", "/etc", "a/../../outside"):
        with pytest.raises(ValueError, match="is not in the subpath"):
            open_below(top, name)
    with pytest.raises(OSError, match="Not a directory"):
        open_below(top, "file/x")
    made = open_below(top, "new/one")
    assert made.path == project / "new/one"
    assert made.identity[1] == made.path.stat().st_ino
    assert not (project.parent / "outside/deeper").exists()


def _swap(one: str, other: str, over: object) -> None:
    """Exchange two names as fast as it goes."""
    libc = ctypes.CDLL(None)
    while not over.is_set():  # type: ignore[attr-defined]
        libc.renameat2(-100, one.encode(), -100, other.encode(), 2)


@pytest.mark.parametrize("starts", [25, pytest.param(2000, marks=pytest.mark.soak)])
def test_a_race_of_swaps_never_gets_outside(project: Path, level: str, starts: int) -> None:
    outside, target, link = project.parent / "outside", project / "w/sub", project / "w/link"
    target.mkdir(parents=True)
    link.symlink_to(outside)
    granted = open_below(open_granted(project), "w/sub")
    reads = (*shell_reads(ENV), project)
    policy = Policy("shell", reads, (granted.path,), (granted,), cwd=project)
    over = multiprocessing.Event()
    swapper = multiprocessing.Process(target=_swap, args=(str(target), str(link), over))
    swapper.start()
    refused = 0
    try:
        for number in range(starts):
            command = f"cat w/sub/secret w/link/secret; echo bad | tee w/sub/{number} w/link/x"
            try:
                with prepare(["bash", "-c", command], ENV, policy) as start:
                    out = popen(start).communicate(timeout=60)[0].decode()
                    start.report()
            except Failure:
                refused += 1
                continue
            assert CANARY not in out
    finally:
        over.set()
        swapper.join()
    assert sorted(path.name for path in outside.iterdir()) == ["secret"]
    if probe("shell").active.get("namespaces") != BY_BUBBLEWRAP:  # which looks a name up often
        assert refused < starts
