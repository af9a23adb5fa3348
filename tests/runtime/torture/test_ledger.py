"""The ledger: one line for each thing that happened, whoever wrote it and however it died."""

from __future__ import annotations

import flowc
from flowc.runtime.context import EFFECT_KEY, binding
from flowc.runtime.torture.ledger import VARIABLE, EffectLedger, LedgerLine, node_of


def test_lines_come_back_as_they_were_written(tmp_path):
    ledger = EffectLedger(tmp_path / "ledger")
    assert ledger.lines() == []
    lines = [
        LedgerLine("call", "a 1.1", "k", "a", "tool mail", "once", True),
        LedgerLine("result", "a 1.1", "k", "a", "tool mail", "once", True, {"sent": "ä\ud800"}),
        LedgerLine("effect", "mail", "k"),
    ]
    for line in lines:
        ledger.add(line)
    assert ledger.lines() == lines
    assert ledger.has_effect("k")
    assert not ledger.has_effect("other")


def test_what_others_leave_there_is_passed_over(tmp_path):
    path = tmp_path / "ledger"
    path.write_text(
        '{"what": "effect", "label": "by hand", "key": "k"}\n7\n{"what"\n{"label": 1}\n'
    )
    assert EffectLedger(path).lines() == [LedgerLine("effect", "by hand", "k")]


def test_a_tool_notes_an_effect_under_its_key_or_that_of_the_call_under_way(tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, str(tmp_path / "ledger"))
    assert flowc.note_effect("one", "mine") == "noted one"
    with binding(EFFECT_KEY, "its own"):
        flowc.note_effect("two")
    lines = EffectLedger(tmp_path / "ledger").lines()
    assert [(line.label, line.key) for line in lines] == [("one", "mine"), ("two", "its own")]


def test_without_torture_nothing_is_noted(tmp_path, monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.chdir(tmp_path)
    assert flowc.note_effect("one", "k") == "noted one"
    assert list(tmp_path.iterdir()) == []


def test_a_node_is_the_same_in_every_visit():
    assert node_of("CALL@2~2/each#3/draft") == "CALL/each/draft"
