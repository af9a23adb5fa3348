"""The agents that a new token acts for, as an operator names them: by their ids."""

from __future__ import annotations

from collections.abc import Sequence

from ...db.database import Database, create_tables
from ...errors import RunError
from .access import ActsFor
from .tables import SCHEMA, Register, StoredTeam


async def acts_for(
    db: Database, agents: Sequence[str], deputy_for: Sequence[str], owner: str | None
) -> list[ActsFor]:
    """Return the agents, their own ones first. Raise `RunError` for one that no team has which the
    token would see."""
    if not agents and not deputy_for:
        return []
    await create_tables(db, SCHEMA)
    teams: dict[str, str] = {}
    after = ""
    while page := await Register(db).page(StoredTeam, owner, 100, after):
        teams |= {agent["agent_id"]: team.id for team in page for agent in team.agents}
        after = page[-1].id
    wanted = dict.fromkeys(deputy_for, True) | dict.fromkeys(agents, False)
    for id in wanted:
        if id not in teams:
            raise RunError(
                f"no team has the agent `{id}`",
                help="take an agent_id from the answer of CREATE_TEAM, or GET /v1/teams/ID",
            )
    return [ActsFor(id, teams[id], deputy) for id, deputy in wanted.items()]
