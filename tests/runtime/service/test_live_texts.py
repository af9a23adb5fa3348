"""What a model is writing is seen while it is written, whichever process carries the execution on;
without somebody who looks nothing is written down."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import threading
from collections.abc import AsyncIterator
from typing import Any

import pytest
from flowc.runtime.config.settings import Config
from flowc.runtime.events import EventKind, RunEvent
from flowc.runtime.secrets import redact_begun
from flowc.runtime.service.api.streams import event_messages
from flowc.runtime.service.lifecycle import open_service
from flowc.runtime.service.live.texts import LONGEST, LiveText, LiveTexts, Writing
from flowc.runtime.service.operations.executions import open_executing
from flowc.runtime.service.records.access import Caller
from openai_server import OpenAIServer, Say
from stores import KINDS

from .conftest import Desk, Opening
from .test_faults import until
from .test_page import page

ANA = Caller("ana", "read", None)
NOW, LATER = "2026-05-01T09:00:00.000+00:00", "2026-05-01T09:00:15.000+00:00"


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def event(kind: EventKind, text: str = "", node: str = "draft") -> RunEvent:
    data: dict[str, Any] = {"text": text} if text else {}
    return RunEvent(kind, "ex-1", NOW, node, (), data)


class TestWriting:
    def test_pieces_are_one_text_until_the_model_has_answered(self) -> None:
        writing = Writing(None, "ex-1", lambda: NOW)  # type: ignore[arg-type]
        writing.listen(event("model_text", "once "))
        first = writing.texts["draft"]
        writing.listen(event("model_text", "upon"))
        assert writing.texts["draft"].behind(first) == (5, "upon")
        assert writing.texts["draft"].behind(None) == (0, "once upon")
        for ends in ("model_called", "model_retry", "node_failed"):
            writing.listen(event(ends))  # type: ignore[arg-type]
            assert writing.texts == {}
            writing.listen(event("model_text", "a time"))
            assert writing.texts["draft"].behind(first) == (0, "a time")

    def test_of_a_long_text_the_end_is_kept(self) -> None:
        writing = Writing(None, "ex-1", lambda: NOW)  # type: ignore[arg-type]
        writing.listen(event("model_text", "a" * LONGEST))
        first = writing.texts["draft"]
        writing.listen(event("model_text", "b" * 10))
        now = writing.texts["draft"]
        assert (now.cut, len(now.text), now.behind(first)) == (10, LONGEST, (LONGEST, "b" * 10))
        assert LiveText("draft", 1, 2 * LONGEST, "c").behind(first) == (0, "c")

    def test_a_secret_is_not_shown_before_it_is_whole_either(self) -> None:
        hidden = ("sk-0123456789",)
        assert redact_begun("the key is sk-0123", hidden) == "the key is "
        assert redact_begun("the key is sk-0123456789!", hidden) == "the key is [redacted]!"
        assert redact_begun("ask", hidden) == "a"
        assert redact_begun("none", hidden) == "none"


class TestRows:
    def test_nothing_is_written_unless_somebody_looks(self, store: str) -> None:
        async def look() -> None:
            async with open_executing(store, Config()) as executing:
                live = LiveTexts(executing.engine.store.db)
                text = LiveText("draft", 1, 0, "once")
                assert not await live.tell("ex-1", [text], NOW)
                await live.watch(["ex-1", "ex-2"], LATER)
                assert await live.tell("ex-1", [text], NOW)
                assert await live.read(["ex-1", "ex-2"]) == {"ex-1": {"draft": text}}
                assert await live.read(["ex-1"], LATER) == {"ex-1": {}}, "its worker is dead"
                assert not await live.tell("ex-1", [text], LATER)
                await live.tidy(LATER)
                assert await live.read(["ex-1"]) == {}
                assert not await live.tell("ex-1", [text], NOW)

        asyncio.run(look())


@contextlib.asynccontextmanager
async def heard(streams: Any, id: str) -> AsyncIterator[asyncio.Queue[Any]]:
    """What a stream says of texts."""
    said: asyncio.Queue[Any] = asyncio.Queue()

    async def keep() -> None:
        async for message in event_messages(streams, ANA, id, 0, texts=True):
            if message.event == "text":
                said.put_nowait(json.loads(str(message.data)))

    task = asyncio.create_task(keep())
    try:
        yield said
    finally:
        task.cancel()
        await asyncio.wait([task])


def test_a_stream_hears_what_a_worker_elsewhere_hears(store: str) -> None:
    """Another connection to the store is all that there is of another process."""

    async def listen() -> None:
        opening = open_service(open_executing(store, Config()), trusted=True, concurrency=0)
        async with (
            asyncio.timeout(120),
            opening as service,
            open_executing(store, Config()) as far,
            heard(service.streams, "ex-1") as said,
        ):
            writing = Writing(LiveTexts(far.engine.store.db), "ex-1", far.engine.store.clock)
            async with writing.broadcast():
                writing.listen(event("model_text", "once "))
                assert await said.get() == {"place": "draft", "begin": 0, "text": "once "}
                writing.listen(event("model_text", "<b>upon"))
                assert await said.get() == {"place": "draft", "begin": 5, "text": "<b>upon"}
                async with heard(service.streams, "ex-1") as later:
                    whole = {"place": "draft", "begin": 0, "text": "once <b>upon"}
                    assert await later.get() == whole
                writing.listen(event("model_called"))
                assert await said.get() == {"place": "draft", "over": True}
                writing.listen(event("model_text", "again"))
                assert (await said.get())["text"] == "again"
            assert await said.get() == {"place": "draft", "over": True}

    asyncio.run(listen())


def test_the_text_of_a_model_goes_through_a_worker(opening: Opening) -> None:
    goes_on = threading.Event()
    with OpenAIServer() as server, opening(base_url=server.url) as desk:
        server.answer = lambda _: Say("one half, the other", goes_on=goes_on)
        id = begun(desk)
        executing = desk.client.app.state.service.executing  # type: ignore[attr-defined]
        live = LiveTexts(executing.engine.store.db)
        call = desk.client.portal.call  # type: ignore[union-attr]
        until(lambda: bool(server.requests))
        assert call(live.read, [id]) == {}
        call(live.watch, [id], "2999-01-01T00:00:00.000+00:00")
        until(lambda: "gather" in call(live.read, [id]).get(id, {}))
        assert call(live.read, [id])[id]["gather"].text == "one half,"
        goes_on.set()
        until(lambda: not call(live.read, [id]).get(id))
    assert goes_on.is_set()


def begun(desk: Desk) -> str:
    return desk.execution("researcher", "analyst", "synthesizer")


def test_only_parts_that_changed_are_sent_again(desk: Desk) -> None:
    id = desk.execution()
    until(lambda: desk.status(id)["workflow_status"] == "executing")
    digests = part_digests(page(desk, f"/executions/{id}"))
    assert len(digests) == 9
    again = page(desk, f"/executions/{id}/live?after=99&have={'.'.join(digests.values())}")
    assert set(part_digests(again)) <= {"part-log", "part-timeline"}
    desk.complete(id, "gather")
    changed = page(desk, f"/executions/{id}/live?after=99&have={'.'.join(digests.values())}")
    assert {"part-status", "part-due", "part-picture"} <= set(part_digests(changed))
    assert "part-gates" not in part_digests(changed)


def part_digests(text: str) -> dict[str, str]:
    return dict(re.findall(r'<section id="(part-\w+)"[^>]*data-digest="(\w+)"', text))
