"""What the tests of flowc in Python share."""

from __future__ import annotations

import flowc
import pytest
from greeting import GREET


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """A folder of its own, in which the runs are kept."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def greet():
    """A workflow that asks a model, then a person."""
    return flowc.load(GREET, answers={"hello": "Good day."})
