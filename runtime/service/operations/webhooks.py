"""Webhooks: addresses that are told of events, registered by those whose executions they are."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from typing import Any

from flowc.compiler.analysis.hosts import allows, host_fault, host_in

from ...net.addresses import names_this_network
from ...net.signatures import fault_of
from ..bodies.read_body import read_json
from ..contract import requests
from ..contract import webhooks as contract
from ..contract.list_responses import Deleted
from ..records.access import Caller, id_of_request
from ..records.errors import ServiceFault
from ..records.hook_secrets import NoSecret, is_allowed, secret_of
from ..records.tables import StoredWorkflow
from ..records.webhooks import Webhook, WebhookRows
from .executions import Executing

LOG = logging.getLogger("flowc.service")


async def create_webhook(
    executing: Executing, caller: Caller, request: contract.CreateWebhook
) -> contract.WebhookCreated:
    """Tell an address, from now on, of events of the executions that the caller sees: a step waits
    for a person, a gate failed, an execution ended, an alert. The operator has to have named its
    host and the variable of its secret (`[webhooks]` in flowc.toml)."""
    _refuse_address(executing, request.url)
    if not is_allowed(request.secret, caller.owner or "", executing.config.webhook_secrets):
        raise ServiceFault(
            "INVALID_REQUEST",
            f"secret: the operator has not named the variable `{request.secret}` for your team",
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


async def inputs_of_request(
    executing: Executing, workflow: StoredWorkflow, headers: Mapping[str, str], body: bytes
) -> dict[str, Any]:
    """Return the inputs that a signed request gives a workflow. Raises `ServiceFault` for one that
    is not signed with the workflow's secret, and for a body that is not JSON or names what it may
    not."""
    start = await WebhookRows(executing.db).start_of(workflow.id)
    if start is None:
        message = f"no request begins workflow `{workflow.id}`: it has no `on: webhook`"
        raise ServiceFault("WORKFLOW_NOT_FOUND", message)
    try:
        key = secret_of(start.secret, workflow.owner, executing.config.webhook_secrets)
    except NoSecret as error:
        LOG.error("the webhook of workflow %s is shut: %s", workflow.id, error)
        message = "this webhook is shut: the service's log says why"
        raise ServiceFault("UNAVAILABLE", message) from None
    fault = fault_of(key, headers, body, executing.clock().timestamp())
    if fault is not None:
        raise ServiceFault("UNAUTHENTICATED", fault, recovery=("sign the request anew",))
    value = await asyncio.to_thread(read_json, body)
    if start.into:
        return {**start.inputs, start.into: value}
    if not isinstance(value, dict):
        raise ServiceFault(
            "INVALID_REQUEST", "the body is not an object: its fields are parameters"
        )
    fixed = [name for name in value if name in start.inputs]
    if fixed:
        raise ServiceFault(
            "INVALID_REQUEST", f"`{fixed[0][:100]}` is given by the workflow, and by no request"
        )
    return {**start.inputs, **value}


def _refuse_address(executing: Executing, url: str) -> None:
    """Raise `ServiceFault` for an address that deliveries would be refused to."""
    host, hosts = host_in(url), executing.config.webhook_hosts
    if "@" in host:
        raise ServiceFault(
            "INVALID_REQUEST",
            "url: it holds no user and no password",
            recovery=("deliveries are signed: the receiver needs no password",),
        )
    if fault := host_fault(host):
        raise ServiceFault("INVALID_REQUEST", f"url: {fault}, and not `{host[:200]}`")
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
