"""The door for requests: what is sent leads to a granted host, and nowhere else.

The address is looked up once, judged, and connected to, so that a name cannot lead to another one
in between. Redirects are followed here, each through the same door. Answers are bounded, and what
was secret in the request is taken out of them.
"""

from __future__ import annotations

import asyncio
import codecs
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from flowc.compiler.analysis.hosts import allows

from ..errors import Failure
from ..requests import HttpAnswer, HttpRequest, NotSure
from .addresses import Resolve, address_of, names_this_network, resolve

if TYPE_CHECKING:
    import httpx

MOST = 10 * 2**20
"""Bytes of an answer."""
REDIRECTS = 5
_AGENT = "flowc"
_REDIRECTING = (301, 302, 303, 307, 308)
_PORTS = {"http": 80, "https": 443}
_SHORTEST = 4
"""Characters of a secret that is looked for in an answer."""


@dataclass(frozen=True, slots=True)
class NetworkDoor:
    """Sends requests. `granted` are the hosts that the user granted; those of `private` may have
    addresses that are not of the internet. `seconds` bound one request with its redirects, of which
    there are up to `redirects` (0: such an answer is the answer), `most` the bytes of an answer."""

    granted: tuple[str, ...]
    private: tuple[str, ...] = ()
    seconds: float = 600.0
    env: Mapping[str, str] = field(default_factory=lambda: os.environ)
    look_up: Resolve = resolve
    transport: Callable[[], httpx.AsyncBaseTransport] | None = None
    redirects: int = REDIRECTS
    most: int = MOST

    async def send(self, request: HttpRequest) -> HttpAnswer:
        """Return the answer. Raise as `Sender.send` does."""
        try:
            async with asyncio.timeout(self.seconds):
                return await self._follow(request)
        except TimeoutError:
            raise NotSure(f"no answer within {self.seconds:g} s", "timeout") from None

    async def _follow(self, request: HttpRequest) -> HttpAnswer:
        secrets = self._secrets(request)
        headers = {**request.headers, **secrets}
        if request.key and request.method not in ("GET", "HEAD"):
            headers.setdefault("Idempotency-Key", request.key)
        now = replace(request, headers=headers, secrets={})
        for _ in range(self.redirects + 1):
            answer = await self._once(now)
            target = answer.headers.get("location")
            if not self.redirects or answer.status not in _REDIRECTING or target is None:
                return _without(answer, secrets.values())
            now = _follow_up(now, answer.status, target, tuple(secrets))
        raise Failure(f"{request.url} redirects more than {self.redirects} times")

    def _secrets(self, request: HttpRequest) -> dict[str, str]:
        values: dict[str, str] = {}
        for header, secret in request.secrets.items():
            value = self.env.get(secret.variable)
            if not value:
                raise Failure(
                    f"the environment has no `{secret.variable}` for the header {header}",
                    "refused",
                    help=f"set the variable where flowc runs: {secret.variable}=…",
                )
            values[header] = secret.prefix + value.strip()
        return values

    async def _once(self, request: HttpRequest) -> HttpAnswer:
        """Send one request without following where its answer leads."""
        import httpx

        url, host = self._target(request)
        port = url.port or _PORTS[url.scheme]
        private = any(allows(host, one) for one in self.private) or (
            names_this_network(host) and host in (*request.hosts, *self.granted)
        )
        address = await address_of(url.host, port, self.look_up, private=private)
        headers = {"User-Agent": _AGENT, "Accept": "*/*", **request.headers, "Host": _netloc(url)}
        headers["Accept-Encoding"] = "identity"
        make = self.transport or httpx.AsyncHTTPTransport
        body = None if request.body is None else request.body.encode("utf-8", "surrogatepass")
        try:
            async with make() as transport:
                wire = httpx.Request(
                    request.method,
                    url.copy_with(host=address),
                    headers=_encode(headers),
                    content=body,
                    extensions={"sni_hostname": url.host},
                )
                response = await transport.handle_async_request(wire)
                try:
                    return await _read(response, request, self.most)
                finally:
                    await response.aclose()
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            raise Failure(f"`{host}` cannot be reached: {error}") from None
        except httpx.HTTPError as error:
            what = str(error) or type(error).__name__
            raise NotSure(f"the connection to `{host}` broke off: {what}") from None

    def _target(self, request: HttpRequest) -> tuple[httpx.URL, str]:
        """Return the URL, and its host as grants name it. Raise `Failure` of kind refused for one
        that is not granted."""
        import httpx

        try:
            url = httpx.URL(request.url)
        except (httpx.InvalidURL, ValueError, TypeError):
            raise Failure(f"`{request.url[:200]}` is not a URL", "refused") from None
        if url.scheme not in _PORTS or not url.host:
            raise Failure(f"`{request.url[:200]}` is not a URL of http or https", "refused")
        if url.userinfo:
            raise Failure("a URL holds no user and no password", "refused",
                          help="put it into a header: {secret: VARIABLE}")  # fmt: skip
        name = f"[{url.host}]" if ":" in url.host else url.host
        host = f"{name}:{url.port}" if url.port not in (None, _PORTS[url.scheme]) else name
        host = host.lower()
        if not any(allows(host, one) for one in request.hosts):
            raise Failure(
                f"the node may not send requests to `{host}`",
                "refused",
                help=f"it may to {', '.join(request.hosts)}: list more as `hosts:`",
            )
        if not any(allows(host, one) for one in self.granted):
            raise Failure(
                f"nobody granted requests to `{host}`", "refused", help=f"--allow-net {host}"
            )
        return url, host


def _netloc(url: httpx.URL) -> str:
    return url.netloc.decode("ascii")


def _encode(headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    """Return headers as they go over the wire. Raise `Failure` for a value that would begin another
    line, or is not of this alphabet."""
    encoded: list[tuple[bytes, bytes]] = []
    for name, value in headers.items():
        if any(sign in value for sign in "\r\n\0"):
            raise Failure(f"the header {name} has more than one line", "refused")
        try:
            encoded.append((name.encode("ascii"), value.encode("latin-1")))
        except UnicodeEncodeError:
            raise Failure(f"the header {name} has signs that no header can hold") from None
    return encoded


async def _read(response: httpx.Response, request: HttpRequest, most: int) -> HttpAnswer:
    encoding = response.headers.get("content-encoding", "identity")
    if encoding != "identity":
        raise Failure(f"{request.url} answers in the encoding `{encoding}`, which nobody asked for")
    body = bytearray()
    async for piece in response.aiter_raw():
        body += piece
        if len(body) > most:
            raise Failure(f"{request.url} answers with more than {most / 2**20:.3g} MB")
    headers = {name.lower(): value for name, value in response.headers.items()}
    return HttpAnswer(
        response.status_code, headers, bytes(body).decode(_charset(response), "replace")
    )


def _charset(response: httpx.Response) -> str:
    name = response.charset_encoding or "utf-8"
    try:
        return codecs.lookup(name).name
    except LookupError:
        return "utf-8"


def _follow_up(
    request: HttpRequest, status: int, target: str, secret: Iterable[str]
) -> HttpRequest:
    """Return the request that follows a redirect; what is secret goes to no other origin."""
    import httpx

    try:
        old, new = httpx.URL(request.url), httpx.URL(request.url).join(target)
    except (httpx.InvalidURL, ValueError):
        raise Failure(f"{request.url} redirects to what is not a URL") from None
    headers = dict(request.headers)
    if (old.scheme, old.host, old.port) != (new.scheme, new.host, new.port):
        hidden = {*(name.lower() for name in secret), "authorization", "cookie"}
        headers = {name: value for name, value in headers.items() if name.lower() not in hidden}
    changes = status == 303 or (status in (301, 302) and request.method == "POST")
    if changes and request.method != "HEAD":
        headers = {n: v for n, v in headers.items() if n.lower() != "content-type"}
        return replace(request, method="GET", url=str(new), headers=headers, body=None)
    return replace(request, url=str(new), headers=headers)


def _without(answer: HttpAnswer, secrets: Iterable[str]) -> HttpAnswer:
    """Return the answer without what was secret in the request, which some hosts send back."""
    text, headers = answer.text, answer.headers
    for value in secrets:
        for part in sorted({value, value.rpartition(" ")[2]}, key=len, reverse=True):
            if len(part) >= _SHORTEST:
                text = text.replace(part, "[secret]")
                headers = {n: v.replace(part, "[secret]") for n, v in headers.items()}
    return replace(answer, text=text, headers=headers)
