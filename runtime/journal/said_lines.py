"""Lines that a person said to a run unasked."""

from __future__ import annotations

from ..db.database import Database


async def hear(db: Database, run: str, line: str, obeyed: int) -> None:
    """Keep a line before anything comes of it (J45). `obeyed` lines have had their effect, which in
    a fork were said to another run."""
    async with db.transaction(f"run {run}") as inside:
        query = "select coalesce(max(number) + 1, 0) from lines where run = ?"
        following: int = (await inside.rows(query, (run,)))[0][0]
        row = (run, max(obeyed, following), db.seal(line))
        await inside.run("insert into lines values (?, ?, ?)", row)


async def lines_of(db: Database, run: str, obeyed: int = 0) -> tuple[str, ...]:
    """Return the lines that were said, in order, without the first `obeyed`."""
    query = "select line from lines where run = ? and number >= ? order by number"
    rows = await db.rows(query, (run, obeyed))
    return tuple(db.unseal(row[0], f"a line said to run {run}") for row in rows)
