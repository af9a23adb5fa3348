"""Generated workflows in every dialect: nothing fails, and what is lost is told."""

from __future__ import annotations

import pytest
from flowc.compiler.conversion import convert_file
from flowc.compiler.reading.protocol import Parsed
from flowc.compiler.source.source import Source
from flowc.compiler.writers import DIALECTS
from hypothesis import given, settings

from workflows import FILE, workflows

pytestmark = pytest.mark.fuzz
FEWER = settings.default.max_examples * 3 // 10
"""Each is written in all dialects, and to make it takes longer than that."""


@settings(max_examples=FEWER)
@given(main=workflows(), inner=workflows())
def test_any_workflow_is_written_and_every_loss_is_told(main, inner):
    source = Source(FILE, "x" * 100)
    parsed = Parsed(main, parts={"inner": inner})
    for dialect in DIALECTS:
        done = convert_file(parsed, source, dialect, f"out{dialect.suffix}")
        assert {loss.code for loss in done.losses} <= {"FC6001"}, dialect.name
        assert all("\n" not in loss.message for loss in done.losses), dialect.name
        if dialect.holds_parts:
            assert done.losses == (), dialect.name
        else:
            assert len(done.files) >= 2, dialect.name
