"""Bounds on the head of a request, which uvicorn reads and keeps whole before anybody is asked who
sent it, and on the time in which it comes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, cast

if TYPE_CHECKING:
    import asyncio


def bounded_protocol() -> type[asyncio.Protocol] | Literal["h11"]:
    """Return what uvicorn speaks HTTP with: httptools, which takes a head of any length, below a
    bound; or where it is not installed h11, which has one of its own."""
    try:
        from .http_protocol import BoundedProtocol
    except ImportError:
        return "h11"
    return cast("type[asyncio.Protocol]", BoundedProtocol)
