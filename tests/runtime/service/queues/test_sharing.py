"""Teams share the workers: one with much to do holds up nobody, and has no more than it may."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine

import pytest

pytest.importorskip("fastapi", reason="the extra `service` is not installed")
from flowc.runtime.config.settings import Config
from flowc.runtime.service.operations.executions import open_executing
from flowc.runtime.service.queues.queue import GOES_ON, RANKS
from flowc.runtime.service.queues.sharing import Share, Waiting, next_team

from .test_queue import Line, postgres, url

__all__ = ["postgres", "url"]
MANY = 2000


async def begun(line: Line, team: str, count: int, rank: int = 0) -> None:
    """So many executions of a team."""
    async with line.db.transaction() as inside:
        rows = [(f"ex-{team}-{number:05}", team, "2026", "{}") for number in range(count)]
        await inside.many("insert into service_executions values (?, ?, ?, ?)", rows)
        for row in rows:
            await line.due.tell(inside, row[0], rank)


def on(url: str, body: Callable[[Line], Coroutine[object, object, None]], **limits: int) -> None:
    async def go() -> None:
        config = Config(
            team_executions={name.replace("every", "*"): n for name, n in limits.items()}
        )
        async with open_executing(url, config) as executing, asyncio.timeout(90):
            await body(Line(executing))

    asyncio.run(go())


def teams(jobs: list[object]) -> Counter[str]:
    return Counter(str(getattr(job, "execution", "")).split("-")[1] for job in jobs)


def test_one_of_a_team_comes_before_the_many_of_another(url: str) -> None:
    """However urgent those are."""

    async def body(line: Line) -> None:
        await begun(line, "many", MANY, GOES_ON + RANKS["critical"])
        async with line.due.seat("a") as one, line.due.seat("b") as other:
            first = await one.take(5, [])
            assert teams(list(first)) == {"many": 5}
            await begun(line, "single", 1)
            second = await other.take(3, [])
            assert second[0].execution == "ex-single-00000"
            assert teams(list(second)) == {"single": 1, "many": 2}

    on(url, body)


def test_teams_with_much_to_do_have_the_same_number_of_places(url: str) -> None:
    async def body(line: Line) -> None:
        for team, count in (("a", 50), ("b", 50), ("c", 2)):
            await begun(line, team, count)
        async with line.due.seat("one") as seat:
            assert teams(list(await seat.take(12, []))) == {"a": 5, "b": 5, "c": 2}

    on(url, body)


def test_a_team_has_no_more_than_the_operator_lets_it(url: str) -> None:
    """Also where several workers look at the same moment."""

    async def body(line: Line) -> None:
        await begun(line, "a", 40)
        await begun(line, "b", 40)
        async with line.due.seat("one") as one, line.due.seat("two") as two:
            looks = await asyncio.gather(*(seat.take(9, []) for seat in (one, two)))
            assert teams([job for jobs in looks for job in jobs]) == {"a": 3, "b": 5}
            mine = [job for job in looks[0] if "-a-" in job.execution]
            theirs = [job for job in looks[1] if "-a-" in job.execution]
            seat, done = (one, mine) if mine else (two, theirs)
            busy = looks[0] if mine else looks[1]
            await seat.finish(done[0])
            again = await seat.take(9, [job for job in busy if job != done[0]])
            assert teams(list(again)) == {"a": 1}
            assert await line.due.shares() == [Share("a", 3, 36, 3), Share("b", 5, 35, 5)]

    on(url, body, a=3, every=5)


def test_whose_turn_it_is_is_known_at_once_with_many_that_wait(postgres: str) -> None:
    """Not by counting them: one team has 20,000, and the plan was made before anybody looked."""

    async def body(line: Line) -> None:
        await begun(line, "many", 20_000)
        await begun(line, "single", 1)
        loop = asyncio.get_running_loop()
        async with line.due.seat("a") as seat:
            await seat.take(1, [])
            begin = loop.time()
            jobs = await seat.take(20, list(seat.held.values()))  # type: ignore[attr-defined]
            assert loop.time() - begin < 1.0
            assert len(jobs) == 20

    on(postgres, body)


@pytest.mark.parametrize(
    ("waiting", "limits", "turn"),
    [
        ([], {}, None),
        ([Waiting("a", 2, 20), Waiting("b", 1, 0)], {}, "b"),
        ([Waiting("a", 1, 20), Waiting("b", 1, 0)], {}, "a"),
        ([Waiting("a", 1, 20), Waiting("b", 2, 0)], {"a": 1}, "b"),
        ([Waiting("a", 1, 20), Waiting("b", 2, 0)], {"*": 1}, None),
        ([Waiting("a", 1, 20), Waiting("b", 2, 0)], {"*": 1, "b": 3}, "b"),
        ([Waiting("", 4, 0)], {"*": 1, "": 5}, ""),
    ],
)
def test_the_turn_is_that_of_who_has_least(
    waiting: list[Waiting], limits: dict[str, int], turn: str | None
) -> None:
    found = next_team(waiting, limits)
    assert (None if found is None else found.team) == turn
