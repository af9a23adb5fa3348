"""Names of variables that look like secrets."""

from __future__ import annotations

import pytest
from flowc.runtime.sandbox.shell import allowed_env


@pytest.mark.parametrize(
    "name", ["MY_TOKEN", "API_KEY", "AWS_SECRET_ACCESS_KEY", "PGPASSWORD", "GH_PAT", "DATABASE_URL"]
)
def test_names_that_look_like_secrets(name):
    assert allowed_env({name: "1"}, ("*",)) == {}


@pytest.mark.parametrize("name", ["PATH", "PATTERN", "AUTHOR", "MONITOR", "COMPASS_X", "TERM"])
def test_names_that_do_not(name):
    assert allowed_env({name: "1"}, ("*",)) == {name: "1"}
