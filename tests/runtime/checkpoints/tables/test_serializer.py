"""A value of a type that flowc does not write is refused, and never taken for its parts."""

from __future__ import annotations

import logging

import ormsgpack
import pytest
from flowc.runtime.checkpoints.tables.serializer import StrictSerializer
from flowc.runtime.errors import RunError
from langgraph.types import Interrupt

CALLS = ("os", "system", ["true"], None)


def extension(code: int, value: object) -> ormsgpack.Ext:
    return ormsgpack.Ext(code, ormsgpack.packb(value))


@pytest.mark.parametrize("code", range(6))
@pytest.mark.parametrize("deep", [False, True])
def test_an_extension_that_nobody_wrote_is_refused_in_words(code, deep, caplog) -> None:
    planted = extension(code, CALLS)
    if deep:
        planted = extension(7, [{"a": planted}])
    data = ormsgpack.packb(["before", planted])
    with caplog.at_level(logging.WARNING), pytest.raises(RunError, match="cannot be read"):
        StrictSerializer(None).loads_typed(("msgpack", data))
    assert caplog.text == ""


def test_what_langgraph_writes_is_read_as_it_was() -> None:
    serde = StrictSerializer(None)
    kept = [Interrupt(value={"kind": "ask"}, id="x"), {1, 2}, {"a": [None, True]}]
    assert serde.loads_typed(serde.dumps_typed(kept)) == kept
