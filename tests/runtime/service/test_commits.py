"""What an execution asks of PostgreSQL stays what it is."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="the extra `service` is not installed")
from own_folders import write_record
from stores import SERVER
from transactions import transactions

MOST = 30
"""Transactions of an execution of two model steps; it takes about 20, and 100 before a store was
used as it is meant."""
EXECUTIONS, SECONDS = 4, 2.0


@pytest.mark.skipif(not SERVER, reason="FLOWC_TEST_POSTGRES names no PostgreSQL server")
def test_an_execution_of_two_model_steps_takes_few_transactions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_record(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    with_them, without = (transactions(many, EXECUTIONS, SECONDS) for many in (EXECUTIONS, 0))
    assert (with_them - without) / EXECUTIONS <= MOST
