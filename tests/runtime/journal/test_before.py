"""Journals that keep nothing themselves."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from flowc.runtime.journal.before import JournalBefore, NoJournal
from flowc.runtime.services import EffectCall

VISIT: Any = SimpleNamespace()


class Noting(NoJournal):
    """Notes what it is asked for."""

    def __init__(self) -> None:
        self.asked: list[Any] = []

    async def keep(self, *given: Any) -> None:
        self.asked.append(("keep", *given))

    async def entries(self, *given: Any) -> dict[int, Any]:
        self.asked.append(("entries", *given))
        return {3: "kept"}

    async def abandon(self, *given: Any) -> None:
        self.asked.append(("abandon", *given))


async def done() -> str:
    return "done"


def act(name: str) -> EffectCall:
    return EffectCall(VISIT, name, "once", {}, done)


def test_without_a_journal_everything_is_called_and_nothing_is_kept(wait):
    async def go() -> None:
        journal = NoJournal()
        assert [await journal.once(act("mail")) for _ in range(2)] == ["done", "done"]
        await journal.keep(VISIT, "note", 1, "x")
        await journal.abandon(VISIT)
        assert await journal.entries(VISIT, "note") == {}

    wait(go())


def test_what_stands_before_a_journal_sees_effects_alone(wait):
    async def refuse(inner: Any, effect: EffectCall) -> Any:
        return "no" if effect.name == "mail" else await inner.once(effect)

    async def go() -> None:
        inner = Noting()
        journal = JournalBefore(inner, refuse)
        assert [await journal.once(act(name)) for name in ("mail", "read")] == ["no", "done"]
        await journal.keep(VISIT, "note", 1, "x")
        assert await journal.entries(VISIT, "note") == {3: "kept"}
        await journal.abandon(VISIT, "mail")
        await journal.abandon(VISIT)
        assert inner.asked == [
            ("keep", VISIT, "note", 1, "x"),
            ("entries", VISIT, "note"),
            ("abandon", VISIT, "mail"),
            ("abandon", VISIT, None),
        ]

    wait(go())
