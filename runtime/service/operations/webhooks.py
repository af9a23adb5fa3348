"""Webhooks: addresses that are told of events, registered by those whose executions they are."""

from __future__ import annotations

from urllib.parse import urlsplit

from flowc.compiler.analysis.hosts import allows, host_in

from ...net.addresses import names_this_network
from ..contract import requests
from ..contract import webhooks as contract
from ..contract.list_responses import Deleted
from ..records.access import Caller
from ..records.errors import ServiceFault
from ..records.tables import id_of_request
from ..records.webhooks import Webhook, WebhookRows
from ..webhooks.secrets import is_allowed
from .executions import Executing


async def create_webhook(
    executing: Executing, caller: Caller, request: contract.CreateWebhook
) -> contract.WebhookCreated:
    """Tell an address, from now on, of events of the executions that the caller sees: a step waits
    for a person, a gate failed, an execution ended, an alert. The operator has to have named its
    host and the variable of its secret (`[webhooks]` in flowc.toml)."""
    _refuse_address(executing, request.url)
    if not is_allowed(request.secret, executing.config.webhook_secrets):
        raise ServiceFault(
            "INVALID_REQUEST",
            f"secret: the operator has not named the variable `{request.secret}`",
            recovery=("ask whoever runs the service for `secrets` below [webhooks]",),
        )
    hook = Webhook(
        id=id_of_request("wh"),
        owner=caller.owner or "",
        created=executing.now(),
        url=request.url,
        events=tuple(dict.fromkeys(request.events)),
        secret=request.secret,
        by=caller.name,
    )
    kept = await WebhookRows(executing.db).add(hook)
    return contract.WebhookCreated(webhook_id=kept.id, events=list(kept.events))


def _refuse_address(executing: Executing, url: str) -> None:
    """Raise `ServiceFault` for an address that deliveries would be refused to."""
    if urlsplit(url).username is not None or "@" in host_in(url):
        raise ServiceFault(
            "INVALID_REQUEST",
            "url: it holds no user and no password",
            recovery=("deliveries are signed: the receiver needs no password",),
        )
    host, hosts = host_in(url), executing.config.webhook_hosts
    if any(allows(host, one) for one in hosts):
        return
    where = "an address of the service's own network" if names_this_network(host) else "a host"
    raise ServiceFault(
        "INVALID_REQUEST",
        f"url: `{host[:200]}` is {where} that the operator has not named",
        recovery=("ask whoever runs the service for `hosts` below [webhooks]",),
    )


async def list_webhooks(
    executing: Executing, caller: Caller, request: requests.Request
) -> contract.WebhookList:
    """The webhooks of the caller's team, or of all of them, with what was and was not delivered."""
    rows = WebhookRows(executing.db)
    listed = []
    for hook in await rows.page(caller.owner):
        counts = await rows.counts(hook.id)
        listed.append(
            contract.WebhookListed(
                webhook_id=hook.id,
                url=hook.url,
                secret=hook.secret,
                events=list(hook.events),
                created=hook.created,
                created_by=hook.by,
                waiting=counts.get("waits", 0),
                delivered=counts.get("done", 0),
                undelivered=counts.get("dead", 0),
                last_fault=await rows.last_fault(hook.id),
            )
        )
    return contract.WebhookList(webhooks=listed)


async def delete_webhook(
    executing: Executing, caller: Caller, id: str, request: requests.Request
) -> Deleted:
    """Tell an address nothing any more, not even what waits."""
    await WebhookRows(executing.db).delete(id, caller.owner)
    return Deleted()
