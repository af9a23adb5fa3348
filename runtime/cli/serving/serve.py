"""`flowc serve` and `flowc token`: the orchestration service, and who may use it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from ...config.extras import require
from ...config.settings import load_config
from ...errors import RunError
from ...store.default_store import is_named, prepare_default, store_url
from .. import flags
from ..app import plain_app, say
from ..listening import LOOPBACK, listen
from ..show.consent import whole_config

if TYPE_CHECKING:
    from ...service.records.access import Tokens

Result = TypeVar("Result")


def serve(
    port: Annotated[
        int, typer.Option("--port", metavar="N", min=1, max=65535, help="where it listens")
    ] = 8321,
    host: Annotated[
        str, typer.Option("--host", metavar="HOST", help="beyond this machine it needs tokens")
    ] = "127.0.0.1",
    store: flags.Store = None,
    execute: Annotated[
        bool, typer.Option("--execute/--no-execute", help="or leave that to `flowc worker`")
    ] = True,
    concurrency: flags.Concurrency = None,
    team_root: flags.TeamRoots = None,
    team_env: flags.TeamEnv = None,
    self_approval: Annotated[
        bool,
        typer.Option("--self-approval", help="a token may approve commands that it asked for"),
    ] = False,
    log: flags.Logs = "text",
) -> None:
    """Serve the orchestration contract over HTTP: docs/api.md. Ctrl-C lets every execution write
    its checkpoint and ends; the next start, or another process on the store, goes on with them.
    """
    require("service", "the service")
    from ...service.app import make_app
    from ...service.lifecycle import open_service
    from ...service.operations.executions import open_executing
    from ...service.worker import CONCURRENCY
    from .team_reach import read_reaches

    config = whole_config(load_config(Path.cwd())) if execute else load_config(Path.cwd())
    config = replace(config, self_approval=config.self_approval or self_approval)
    reaches = read_reaches(team_root or (), team_env or (), Path.cwd())
    url = store_url(store, config)
    prepare_default(url)
    local = host in LOOPBACK
    guarded = asyncio.run(_with_tokens(store, lambda tokens: tokens.any()))
    if not local and not guarded:
        raise RunError(
            f"whoever reaches {host} could run workflows here",
            help="make a token for them first: flowc token create NAME",
        )
    at_once = (concurrency or CONCURRENCY) if execute else 0
    app = make_app(
        lambda: open_service(
            open_executing(url, config, reaches=reaches), trusted=local, concurrency=at_once
        ),
        LOOPBACK if local else None,
    )
    listen(app, host, port, "", logs=log)


token = plain_app(help="Access tokens of the service. They are kept as digests.")


@token.command("create")
def create(
    name: Annotated[str, typer.Argument(metavar="NAME", help="whose token it is")],
    scope: Annotated[
        str, typer.Option("--scope", metavar="read|operate|approve|admin", help="what it may do")
    ] = "operate",
    team: Annotated[
        str | None,
        typer.Option("--team", metavar="NAME", help="sees what this team creates, nothing else"),
    ] = None,
    days: Annotated[
        int | None, typer.Option("--days", metavar="N", min=1, help="expires after N days")
    ] = None,
    agent: Annotated[
        list[str] | None,
        typer.Option("--agent", metavar="ID", help="the agent of a team whose steps are theirs"),
    ] = None,
    deputy_for: Annotated[
        list[str] | None,
        typer.Option("--deputy-for", metavar="ID", help="an agent whose steps they may do too"),
    ] = None,
    store: flags.Store = None,
) -> None:
    """Print a new token. It is shown this once. A step of a person is completed with a token of its
    agent, of a deputy, or of the scope admin.
    """
    from ...service.records.access import SCOPES
    from ...service.records.team_agents import acts_for

    if scope not in SCOPES:
        raise RunError(f"there is no scope `{scope}`", help=f"one of {', '.join(SCOPES)}")
    if not name.strip() or not name.isprintable():
        raise RunError("a token needs a name that can be read", help="flowc token create ana")

    async def make(tokens: Tokens) -> str:
        now = datetime.now(UTC)
        end = now + timedelta(days=days) if days else None
        agents = await acts_for(tokens.db, agent or (), deputy_for or (), team)
        return str(await tokens.create(name, scope, team, end, now, agents))

    print(asyncio.run(_with_tokens(store, make)))


@token.command("list")
def list_tokens(store: flags.Store = None) -> None:
    """List the tokens' names, scopes and teams."""
    rows = asyncio.run(_with_tokens(store, lambda tokens: tokens.list()))
    for name, scope, owner, made, end, agents in rows:
        until = f"until {end[:10]}" if end else "no end"
        whose = f"  for {agents}" if agents else ""
        print(f"{name}  {scope}  {owner or 'all teams'}  since {made[:10]}  {until}{whose}")


@token.command("revoke")
def revoke(name: Annotated[str, typer.Argument(metavar="NAME")], store: flags.Store = None) -> None:
    """Take away every token of that name, at once."""
    count = asyncio.run(_with_tokens(store, lambda tokens: tokens.revoke(name)))
    if not count:
        raise RunError(f"there is no token `{name}`", help="flowc token list")
    say(f"revoked {count}")


async def _with_tokens(store: str | None, do: Callable[[Tokens], Awaitable[Result]]) -> Result:
    from ...db.database import create_tables
    from ...service.records.access import SCHEMA, Tokens
    from ...store.own_store import require_own_store
    from ...store.runs import open_store

    url = store_url(store)
    prepare_default(url)
    async with open_store(url) as opened:
        if not is_named(store):
            await require_own_store(opened)
        await create_tables(opened.db, SCHEMA)
        return await do(Tokens(opened.db))
