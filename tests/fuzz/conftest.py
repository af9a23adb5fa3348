"""How many examples the fuzzers try, and the texts they try.

`make test` takes 200 examples of each, always the same ones, so that a red build is red again;
`make soak` (FLOWC_FUZZ=soak) takes 10,000 and new ones each time. `python -m tests.fuzz` damages
files by the million.
"""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest
from flowc.compiler.catalog.catalog import Catalog
from flowc.compiler.driver import CompileResult, compile_text
from flowc.compiler.source.source import SourceSet
from hypothesis import HealthCheck, settings

from .attempt import look_at_places

SLOW = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture)
settings.register_profile(
    "check", max_examples=200, deadline=None, derandomize=True, suppress_health_check=SLOW
)
settings.register_profile("soak", max_examples=10_000, deadline=None, suppress_health_check=SLOW)
settings.load_profile("soak" if os.environ.get("FLOWC_FUZZ") == "soak" else "check")


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path, monkeypatch):
    """An include or a call in a generated text must not find a real file."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def compiled() -> Callable[..., CompileResult]:
    """Compile a text in every way there is and look at whatever comes out."""

    def run(text: str, format: str | None = None) -> CompileResult:
        result = compile_text(
            text, "fuzz.md", format=format, sources=SourceSet(), catalog=Catalog(entries={})
        )
        look_at_places(result)
        _shows(result)
        return result

    return run


def _shows(result: CompileResult) -> None:
    """Whatever a workflow is, it can be shown; and a clean one can be lowered."""
    from flowc.compiler.diagnostics import render

    for form in (render.render_text, render.render_json, render.render_github, render.render_sarif):
        form(result.diagnostics, result.sources)
    if result.ok:
        assert result.spec.nodes
