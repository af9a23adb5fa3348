"""Addresses of hosts: which one a connection goes to, and whether it may."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable

from ..errors import Failure

Resolve = Callable[[str, int], Awaitable[list[str]]]
"""Returns the addresses of a name. Raises `OSError`."""
_TRANSLATED = ipaddress.ip_network("64:ff9b::/96")
_LOCAL_NAMES = ("localhost", "localhost.localdomain")


async def resolve(name: str, port: int) -> list[str]:
    """Return the addresses of a name, as this machine knows them. Raise `OSError`."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(name, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def is_public(address: str) -> bool:
    """Tell whether an address belongs to the internet at large: not to this machine, its network or
    its provider, however it is written."""
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(ip, ipaddress.IPv6Address):
        inner = ip.ipv4_mapped or ip.sixtofour
        if ip in _TRANSLATED:
            inner = ipaddress.IPv4Address(int(ip) & 0xFFFF_FFFF)
        if ip.teredo is not None:
            return False
        if inner is not None:
            return is_public(str(inner))
    return ip.is_global and not ip.is_multicast and not ip.is_reserved


def names_this_network(host: str) -> bool:
    """Tell whether a host, as a file writes it, says by itself that it is this machine or one of
    its network."""
    name = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host
    bare = name.strip("[]")
    if bare in _LOCAL_NAMES:
        return True
    try:
        ipaddress.ip_address(bare)
    except ValueError:
        return False
    return not is_public(bare)


async def address_of(name: str, port: int, look_up: Resolve, *, private: bool) -> str:
    """Return the address that a connection to a host goes to. Raise `Failure` where there is none,
    and of kind refused where one of them is of this machine or its network and none of those is
    allowed (`private`): a name in the hands of a stranger can lead there."""
    try:
        addresses = await look_up(name, port)
    except (OSError, UnicodeError):
        addresses = []
    if not addresses:
        raise Failure(f"there is no host `{name}`", help="look at the name, and at the network")
    hidden = [one for one in addresses if not is_public(one)]
    if hidden and not private:
        raise Failure(
            f"`{name}` leads to {hidden[0]}, which is not an address of the internet",
            "refused",
            help=f"if it may: --allow-net {name}",
        )
    return addresses[0]
