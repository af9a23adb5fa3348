"""The sandbox attacked as `flowc sandbox attack` does, and the oracles of the attempts."""

from __future__ import annotations

import os
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from flowc.runtime.sandbox.attack.attack import WAYS, attack, ways_here
from flowc.runtime.sandbox.attack.attempts import ATTEMPTS
from flowc.runtime.sandbox.attack.laid_out import LaidOut
from flowc.runtime.sandbox.confine import probe

pytestmark = pytest.mark.skipif(probe("shell").level == "weak", reason="no sandbox here")


@pytest.mark.parametrize("every", [5, pytest.param(1, marks=pytest.mark.soak)])
@pytest.mark.parametrize("way", [way.name for way in WAYS])
def test_nothing_is_reached_that_is_not_documented(way: str, every: int) -> None:
    if way not in ways_here():
        pytest.skip(f"not here: {ways_here()}")
    chosen = ATTEMPTS[::every]
    findings = list(attack([way], chosen))
    assert len(findings) == len(chosen)
    reached = [(f.attempt.name, f.what) for f in findings if f.verdict == "reached"]
    assert reached == []


def test_there_are_enough_of_every_kind() -> None:
    assert len(ATTEMPTS) >= 120
    kinds = Counter(attempt.kind for attempt in ATTEMPTS)
    assert kinds.keys() == {"files", "workspace", "sockets", "system calls", "processes", "sums"}
    assert min(kinds.values()) >= 7
    assert len({(attempt.kind, attempt.name) for attempt in ATTEMPTS}) == len(ATTEMPTS)


NAKED = (
    "read KEY: cat it", "read STORE: copy it", "change NEIGHBOUR: append to it",
    "change STORE: remove it", "a socket for TCP", "a service on this machine",
    "a unix socket in the workspace", "a unix socket elsewhere", "an abstract unix socket",
    "the shell's own UDP", "kill another", "stop another", "take another's turns",
    "outlive: a session of its own", "files that were removed", "output without end",
    "a program with its owner's rights", "see that a file is there",
)  # fmt: skip


@pytest.mark.parametrize("name", NAKED)
def test_an_attempt_does_its_harm_where_nothing_confines(name: str, tmp_path: Path) -> None:
    """Or its verdict would say nothing."""
    attempt = next(one for one in ATTEMPTS if one.name == name)
    laid_out = LaidOut(Path(os.path.realpath(tmp_path)))
    try:
        said = tmp_path / "said"
        with said.open("wb") as file:  # not a pipe, which what is left behind would hold open
            subprocess.run(
                ["bash", "-c", attempt.code],
                env={**os.environ, **laid_out.names(), "HOME": str(laid_out.home)},
                cwd=laid_out.project,
                stdout=file,
                stderr=subprocess.DEVNULL,
                timeout=60,
                check=False,
            )
        assert laid_out.harm(said.read_text(errors="replace"))
    finally:
        laid_out.close()
