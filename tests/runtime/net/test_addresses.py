"""Addresses: what belongs to the internet at large, however it is written."""

from __future__ import annotations

import pytest
from flowc.runtime.errors import Failure
from flowc.runtime.net.addresses import address_of, is_public, names_this_network


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "127.8.8.8", "0.0.0.0", "10.0.0.1", "172.16.3.4", "192.168.1.1",
        "169.254.169.254", "100.64.0.1", "224.0.0.1", "255.255.255.255", "::1", "::", "fe80::1",
        "fe80::1%eth0", "fc00::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1",
        "64:ff9b::7f00:1", "2002:7f00:1::", "2001:0:4136:e378:8000:63bf:3fff:fdd2", "not one",
        "240.0.0.1", "198.18.0.1", "192.0.2.1",
    ],
)  # fmt: skip
def test_no_address_of_the_internet(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", ["1.1.1.1", "93.184.216.34", "2606:4700::1111"])
def test_an_address_of_the_internet(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    ("host", "says_so"),
    [
        ("localhost", True), ("localhost:8000", True), ("127.0.0.1:80", True), ("[::1]:80", True),
        ("10.1.2.3", True), ("example.com", False), ("1.1.1.1", False), ("db:5432", False),
    ],
)  # fmt: skip
def test_a_host_that_says_where_it_is(host: str, says_so: bool) -> None:
    assert names_this_network(host) is says_so


@pytest.mark.parametrize("addresses", [["10.0.0.1"], ["1.1.1.1", "127.0.0.1"]])
def test_a_name_that_leads_inside_is_refused(wait, addresses: list[str]) -> None:
    """All its addresses count: which one would be connected to is the name's owner's to say."""

    async def look_up(name: str, port: int) -> list[str]:
        return addresses

    with pytest.raises(Failure, match="is not an address of the internet") as refused:
        wait(address_of("a.example", 80, look_up, private=False))
    assert refused.value.kind == "refused"
    assert wait(address_of("a.example", 80, look_up, private=True)) == addresses[0]
