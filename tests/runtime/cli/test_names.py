"""A workflow that ships is meant by its name everywhere, not by `run` alone."""

from __future__ import annotations

import json

import pytest


@pytest.mark.parametrize(
    "command",
    [["check"], ["inspect", "--json"], ["graph", "-f", "mermaid"], ["graph", "-f", "json"]],
)
def test_a_shipped_workflow_is_found_by_name(flowc, command):
    done = flowc(command[0], "toolchain", *command[1:])
    assert done.returncode == 0, done.stderr
    if "json" in command[-1]:
        assert json.loads(done.stdout)


def test_a_name_that_is_nothing_is_a_missing_file(flowc):
    done = flowc("inspect", "toolchian")
    assert done.returncode == 1
    assert "FC0001" in done.stderr
    assert "`toolchian` not found" in done.stderr
