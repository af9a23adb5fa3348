"""Deliveries: one request each, again and again until it arrives or has been tried often enough."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ...errors import Failure
from ...net.addresses import Resolve, resolve
from ...net.door import NetworkDoor
from ...net.signatures import headers_of
from ...requests import HttpRequest
from ..operations.executions import Executing
from ..records.errors import ServiceFault
from ..records.hook_secrets import NoSecret, secret_of
from ..records.webhooks import PREFIX, Delivery, Webhook, WebhookRows
from .notices import ATTEMPT_SECONDS, URGENCY, later

LOG = logging.getLogger("flowc.service")
TRIES = 12
"""How often a delivery is tried: over four hours and a half."""
FIRST_WAIT, LONGEST_WAIT = 5.0, 3600.0
"""Seconds until the second try, and at most until the next one; each is twice the one before."""
ANSWER_SECONDS = 10.0
"""Seconds that a receiver may take to answer."""
AT_ONCE = 4
"""Requests of one worker to one webhook at a time: a receiver that is slow takes no more places."""
BUSY_SECONDS = 2.0
"""Seconds until a delivery is tried again whose receiver has so many."""
GONE = 410
"""The status by which a receiver says that it wants nothing any more."""


def is_delivery(job: str) -> bool:
    """Return whether a job of the queue is a delivery."""
    return job.startswith(PREFIX)


@dataclass(slots=True)
class Sending:
    """Sends the deliveries of one worker. Hosts that the operator named exactly may have addresses
    of this network; `look_up` gives the addresses of a name."""

    executing: Executing
    env: Mapping[str, str] | None = None
    look_up: Resolve = resolve
    under_way: Counter[str] = field(default_factory=Counter)

    async def send(self, id: str) -> None:
        """Try a delivery, and keep what came of it. Raises `RunError`."""
        rows = WebhookRows(self.executing.db)
        delivery = await rows.delivery(id)
        if delivery is None or delivery.state != "waits":
            return
        try:
            hook = await rows.get(delivery.webhook, None)
        except ServiceFault:
            return  # it was deleted meanwhile, and this goes with it
        if self.under_way[hook.id] >= AT_ONCE:
            await rows.keep(replace(delivery, due=later(self.executing, BUSY_SECONDS)))
            return
        self.under_way[hook.id] += 1
        try:
            fault, is_final = await self._try(hook, delivery)
        finally:
            self.under_way[hook.id] -= 1
        await rows.keep(self._after(delivery, fault, is_final))

    async def _try(self, hook: Webhook, delivery: Delivery) -> tuple[str, bool]:
        """Send it once. Return why it did not arrive, "" when it did; and whether it never will."""
        config = self.executing.config
        try:
            key = secret_of(hook.secret, hook.owner, config.webhook_secrets, self.env)
        except NoSecret as error:
            return str(error), False
        seconds = int(self.executing.clock().timestamp())
        signed = headers_of(key, delivery.id, seconds, delivery.body.encode())
        headers = {"Content-Type": "application/json", **signed}
        hosts = config.webhook_hosts
        exact = tuple(host for host in hosts if not host.startswith("*."))
        door = NetworkDoor(
            hosts, exact, ANSWER_SECONDS, {}, self.look_up, redirects=0, most=ANSWER_BYTES
        )
        request = HttpRequest("POST", hook.url, hosts, headers, body=delivery.body)
        try:
            answer = await door.send(request)
        except Failure as error:
            return error.message, error.kind == "refused"
        if 200 <= answer.status < 300:
            return "", False
        if answer.status == GONE:
            return "it answered 410: it wants nothing any more", True
        way = " (it leads elsewhere, and is not followed)" if 300 <= answer.status < 400 else ""
        return f"it answered {answer.status}{way}", False

    def _after(self, delivery: Delivery, fault: str, is_final: bool) -> Delivery:
        """Return the delivery after a try."""
        tries = delivery.tries + 1
        changed = replace(delivery, tries=tries, reason=fault)
        if not fault:
            return replace(changed, state="done", due=self.executing.now())
        if is_final or tries >= TRIES:
            LOG.warning("delivery %s is given up: %s", delivery.id, fault)
            return replace(changed, state="dead", due=self.executing.now())
        wait = min(LONGEST_WAIT, FIRST_WAIT * 2 ** (tries - 1))
        return replace(changed, due=later(self.executing, wait))


ANSWER_BYTES = 64_000
"""Bytes of an answer, which nobody reads."""


async def tell_due(executing: Executing) -> None:
    """Tell the queue of deliveries whose time has come. One process tells each, whichever looks
    first."""
    now = executing.now()
    for id in await WebhookRows(executing.engine.store.db).due(now):
        async with executing.db.transaction(f"delivery {id}") as inside:
            if await WebhookRows(inside).put_off(id, now, later(executing, ATTEMPT_SECONDS)):
                await executing.due.tell(inside, id, URGENCY)
        executing.bell.set()
