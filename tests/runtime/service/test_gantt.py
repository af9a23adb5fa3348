"""The timeline of an execution: from its events, in numbers, as bars and in words."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from flowc.runtime.events import EventKind, RunEvent
from flowc.runtime.service.page.gantt import MOST, Gantt, gantt_of, tick_words, visits_of
from stores import KINDS

from .conftest import Desk, Opening, step
from .test_faults import until
from .test_page import page

BEGIN = datetime(2026, 5, 1, 9, 0, tzinfo=UTC)
PLACES = {"a": (0, "Ask"), "b": (1, "Build")}


def at(seconds: float) -> str:
    return (BEGIN + timedelta(seconds=seconds)).isoformat()


def told(after: float, kind: EventKind, node: str = "", *path: str, **data: Any) -> RunEvent:
    return RunEvent(kind, "ex-1", at(after), node, path, data)


def begun(seconds: float, node: str, visit: int = 1) -> RunEvent:
    return told(seconds, "node_started", node, visit=visit)


def drawn(*events: RunEvent, now: float | None = None, **states: Any) -> Gantt:
    ends = BEGIN + timedelta(seconds=now) if now is not None else None
    return gantt_of(events, PLACES, states, ends)


class TestNumbers:
    def test_a_visit_has_its_time_its_calls_and_its_retries(self) -> None:
        (line,) = drawn(
            begun(0, "a"),
            told(1, "model_retry", "a", attempt=1),
            told(4, "model_called", "a", seconds=3, input_tokens=10, output_tokens=5, cost=0.25),
            told(6, "model_called", "x", "a", seconds=1, input_tokens=1, cost=0.5),
            told(10, "node_finished", "a"),
        ).lines
        assert (line.state, line.seconds, line.begin, line.end) == (
            "done",
            10,
            "2026-05-01T09:00:00.000+00:00",
            "2026-05-01T09:00:10.000+00:00",
        )
        assert (line.tokens, line.cost, line.tries) == (16, 0.75, [10.0])
        bars = [(bar.kind, bar.left, bar.width) for bar in line.bars]
        assert bars == [("visit", 0, 100), ("work", 10, 30), ("work", 50, 10)]

    def test_what_waits_is_no_work(self) -> None:
        events = (
            begun(0, "a"),
            told(2, "interrupted", "a"),
            told(2, "run_finished", status="paused"),
            told(8, "run_resumed"),
            begun(8, "a"),
            told(10, "node_finished", "a"),
        )
        (line,) = drawn(*events).lines
        bars = [(bar.kind, bar.left, bar.width) for bar in line.bars]
        assert bars == [("visit", 0, 20), ("visit", 80, 20), ("wait", 20, 60)]
        assert (line.waited, line.tries) == (6, [])
        (line,) = drawn(*events[:3], now=20, a="waiting").lines
        assert (line.state, line.waited, line.seconds, line.end) == ("waiting", 18, 20, "")

    def test_a_visit_that_failed_and_began_again_is_one_line(self) -> None:
        (line,) = drawn(
            begun(0, "a"),
            told(2, "node_failed", "a", caught=False),
            told(2, "run_finished", status="error"),
            told(6, "run_resumed"),
            begun(6, "a"),
            told(10, "node_finished", "a"),
        ).lines
        assert [(bar.left, bar.width) for bar in line.bars] == [(0, 20), (60, 40)]
        assert (line.state, line.tries) == ("done", [60.0])

    def test_a_death_cuts_a_visit_off_at_the_last_event(self) -> None:
        (line,) = visits_of(
            [
                begun(0, "a"),
                told(3, "model_called", "a", seconds=1),
                told(9, "run_resumed"),
                begun(9, "a"),
                told(10, "node_finished", "a"),
            ],
            PLACES,
        )
        stretches = [
            (s.kind, s.begin - line.begin, (s.end or 0) - line.begin) for s in line.stretches
        ]
        assert stretches == [("visit", 0, 3), ("work", 2, 3), ("visit", 9, 10)]

    def test_each_visit_of_a_loop_has_a_line_and_what_is_not_shown_none(self) -> None:
        drawing = drawn(
            begun(0, "start"),
            begun(0, "a"),
            told(1, "node_finished", "a"),
            begun(1, "a", 2),
            begun(1, "b"),
            now=4,
        )
        assert [(line.title, line.number, line.state) for line in drawing.lines] == [
            ("Ask", 1, "done"),
            ("Ask", 2, "busy"),
            ("Build", 1, "busy"),
        ]
        assert [text for _, text in drawing.ticks] == ["1 s", "2 s", "3 s", "4 s"]

    def test_the_latest_visits_are_shown(self) -> None:
        many = [begun(n, "a", n + 1) for n in range(MOST + 7)]
        drawing = drawn(*many, now=MOST + 7)
        assert (len(drawing.lines), drawing.hidden) == (MOST, 7)
        assert drawing.lines[0].bars[0].left == 0

    @pytest.mark.parametrize(
        ("seconds", "words"),
        [
            (0.2, "0.2 s"),
            (5, "5 s"),
            (300, "5 min"),
            (5400, "90 min"),
            (7200, "2 h"),
            (86400, "1 d"),
        ],
    )
    def test_ticks_are_round(self, seconds: float, words: str) -> None:
        assert tick_words(seconds) == words

    def test_nothing_has_begun(self) -> None:
        assert drawn() == Gantt()
        (line,) = drawn(begun(0, "a"), told(0, "node_finished", "a")).lines
        assert line.seconds == 0


def row_of(desk: Desk, id: str, text: str) -> str:
    """The row of the timeline with a text; "" where there is none."""
    rows = re.findall(r'<tr role="row">(.*?)</tr>', page(desk, f"/executions/{id}"), re.DOTALL)
    return next((row for row in rows if text in row), "")


@pytest.mark.parametrize("kind", KINDS)
def test_the_page_says_in_words_what_it_draws(opening: Opening) -> None:
    with opening() as desk:
        id, name = (
            desk.execution(steps=[step("gather", step_name="Gather <b>")]),
            "Gather &lt;b&gt;",
        )
        until(lambda: "waits: " in row_of(desk, id, name))
        row = row_of(desk, id, name)
        assert '<span class="unseen"><time datetime="2026-05-01T09:00:00.000+00:00">' in row
        assert "to now" in row
        assert 'class="wait"' in row
        assert "style=" not in page(desk, f"/executions/{id}")
        desk.clock.forward(seconds=90)
        desk.complete(id, "gather")
        until(lambda: "done: " in row_of(desk, id, name))
        row = row_of(desk, id, name)
        assert "to now" not in row
        assert "of that 1 min 30 s waiting" in row


def test_the_timeline_is_one_of_the_parts_that_change(desk: Desk) -> None:
    id = desk.execution(steps=[step("gather")])
    assert 'id="part-timeline"' in page(desk, f"/executions/{id}/live")
