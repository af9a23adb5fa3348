"""The orchestration service: the contract's operations over HTTP, on the durable engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .client.client import AsyncClient, Client, ServiceFault

__all__ = ["AsyncClient", "Client", "ServiceFault"]


def __getattr__(name: str) -> Any:
    """Return the clients, which a service itself does not load."""
    if name not in __all__:
        raise AttributeError(name)
    from .client import client

    return getattr(client, name)
