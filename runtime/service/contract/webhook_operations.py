"""The operations on webhooks."""

from __future__ import annotations

from . import requests, webhooks
from .list_responses import Deleted
from .operation import Operation

WATCHING: tuple[Operation, ...] = (
    Operation(
        "create_webhook",
        "POST /v1/webhooks",
        webhooks.CreateWebhook,
        webhooks.WebhookCreated,
        "webhooks.create_webhook",
        "an address that is [told of events](#webhooks)",
        "operate",
        {"url": "https://hooks.example.com/flowc", "secret": "HOOK_SECRET", "events": ["ended"]},
    ),
    Operation(
        "receive_webhook",
        "POST /v1/hooks/{workflow_id}",
        requests.Request,
        None,
        "",
        "a signed request that [begins an execution](#webhooks) of a workflow with `on: webhook`",
        None,
    ),
    Operation(
        "list_webhooks",
        "GET /v1/webhooks",
        requests.Request,
        webhooks.WebhookList,
        "webhooks.list_webhooks",
        "the oldest first, with what was and was not delivered",
        "read",
    ),
    Operation(
        "delete_webhook",
        "DELETE /v1/webhooks/{webhook_id}",
        requests.Request,
        Deleted,
        "webhooks.delete_webhook",
        "tells an address nothing any more",
    ),
)
