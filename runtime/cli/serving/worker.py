"""`flowc worker`: a process that carries on executions of the orchestration service."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path
from typing import TYPE_CHECKING

from ...config.settings import Config, load_config
from ...db.url import locate
from ...errors import RunError
from ...observe.logs import write_logs
from ...store.default_store import is_named, prepare_default, store_path, store_url
from .. import flags
from ..app import INTERRUPTED, OK, say
from ..show.consent import whole_config
from ..streams import on_terminal

if TYPE_CHECKING:
    from ...assembly.reach import Reaches
    from ...service.worker import Worker


def worker(
    concurrency: flags.Concurrency = None,
    store: flags.Store = None,
    team_root: flags.TeamRoots = None,
    team_env: flags.TeamEnv = None,
    log: flags.Logs = "text",
) -> int:
    """Carry on executions that services and other workers share a store with: docs/api.md. Ctrl-C
    or SIGTERM lets every step under way finish; a second one gives up at once, and another worker
    goes on.
    """
    from .team_reach import read_reaches

    config = whole_config(load_config(Path.cwd()))
    reaches = read_reaches(team_root or (), team_env or (), Path.cwd())
    url = store_url(store, config)
    if locate(url).kind == "memory":
        raise RunError("a store in memory is this process's alone", help="name one with --store")
    prepare_default(url)
    write_logs(log)
    return asyncio.run(_work(url, is_named(store), config, concurrency, reaches))


async def _work(
    url: str, named: bool, config: Config, concurrency: int | None, reaches: Reaches
) -> int:
    from ...models.provider import preload
    from ...service.operations.executions import open_executing
    from ...service.worker import CONCURRENCY, Worker
    from ...store.own_store import require_own_store

    preload(config.model or "openai")  # which a team's models are without another word
    async with open_executing(url, config, reaches=reaches) as executing:
        if not named:
            await require_own_store(executing.engine.store)
        worker = Worker(executing, concurrency or CONCURRENCY)
        _end_on_signals(worker)
        where = on_terminal(str(store_path(url)))
        say(f"{worker.name} carries on executions in {where} (Ctrl-C ends it)")
        await worker.work()
        return INTERRUPTED if worker.abandoned else OK


def _end_on_signals(worker: Worker) -> None:
    """Drain at the first signal, give up at the second."""

    def on_signal() -> None:
        if worker.closing:
            worker.abandon()
            return
        waiting = len(worker.tasks)
        say(f"{worker.name} ends after the steps under way ({waiting}); once more gives up at once")
        worker.drain()

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, on_signal)
